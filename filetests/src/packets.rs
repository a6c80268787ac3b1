//! The lines `; packet:`, `; entry:` and `; holds:`: packets one after the other, with what must become of them.
//!
//! A packet's bytes are hex digits, which may be divided by `_`; `..N` fills up with zeros to N bytes. What stands beside them has a
//! word each and a number, the program's own inputs by their names. Behind `=>` stands `sent` or
//! `stays`, and the outputs, as numbers or as the program calls their values: `stays drop`. One that is sent goes out where it came
//! in, or `to port 3 5` or `to queue 0`, and has other bytes than those that came in only where these stand behind `:`. More copies
//! follow behind `+`, each with outputs, a way and bytes of its own.

use crate::case::Case;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{Output, OwnInput, Program};
use hardpath_packet::{Class, Copy, Fate, Packet};

/// A packet and what must become of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// What is sent in, with what stands beside its bytes.
    pub packet: Packet,
    /// The outputs, and the copies with their ways and bytes, that interpreter and hardware must give.
    pub fate: Fate,
}

/// The packets of a case.
///
/// # Panics
/// A line has no meaning.
pub fn of(case: &Case) -> Vec<Expected> {
    let Program {
        inputs, outputs, ..
    } = case.program();
    let lines = case.lines("packet");
    lines
        .map(|line| expected(line, &inputs, &outputs).unwrap_or_else(|| wrong(case, line)))
        .collect()
}

/// What the maps hold before the first packet.
///
/// # Panics
/// A line has no meaning, or an entry does not fit its map.
pub fn maps(case: &Case, program: &Program) -> Maps {
    let mut image = Image::new();
    for line in case.lines("entry") {
        let [map, key, value] = words(line).unwrap_or_else(|| wrong(case, line));
        let [key, value] =
            [key, value].map(|word| bytes(word).unwrap_or_else(|| wrong(case, line)));
        image.entry(map.into()).or_default().insert(key, value);
    }
    let mut maps = Maps::new(&program.maps);
    if let Err(errors) = maps.load(&image) {
        panic!("{}: {}", case.path.display(), errors[0]);
    }
    maps
}

/// Compares what the maps hold with the lines `; holds:`.
///
/// # Panics
/// An entry differs, or a line has no meaning.
pub fn assert_holds(case: &Case, image: &Image, who: &str) {
    for line in case.lines("holds") {
        let [map, key, value] = words(line).unwrap_or_else(|| wrong(case, line));
        let key = bytes(key).unwrap_or_else(|| wrong(case, line));
        let right = match value {
            "none" => None,
            value => Some(bytes(value).unwrap_or_else(|| wrong(case, line))),
        };
        let held = image.get(map).and_then(|entries| entries.get(&key));
        assert_eq!(held, right.as_ref(), "{}, {who}: {line}", case.name);
    }
}

fn wrong<T>(case: &Case, line: &str) -> T {
    panic!("{}: `{line}` has no meaning", case.path.display())
}

fn words<const COUNT: usize>(line: &str) -> Option<[&str; COUNT]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.try_into().ok()
}

fn expected(line: &str, inputs: &[OwnInput], outputs: &[Output]) -> Option<Expected> {
    let (packet, fate) = line.split_once(" => ")?;
    let packet = packet_of(packet, inputs)?;
    let fate = fate_of(fate, &packet, outputs)?;
    Some(Expected { packet, fate })
}

fn packet_of(text: &str, inputs: &[OwnInput]) -> Option<Packet> {
    let mut words = text.split_whitespace();
    let mut packet = Packet {
        data: bytes(words.next()?)?,
        ..Packet::default()
    };
    while let Some(word) = words.next() {
        let number = words.next()?;
        match word {
            "port" => packet.port = number.parse().ok()?,
            "queue" => packet.queue = number.parse().ok()?,
            "egress" => packet.egress = number.parse().ok()?,
            "time" => packet.time_ns = number.parse().ok()?,
            "random" => packet.random = number.parse().ok()?,
            name => {
                let (lo, input) = OwnInput::find(inputs, name)?;
                let number = number.parse().ok()?;
                packet.own |= input.holds(number).then_some(number)? << lo;
            }
        }
    }
    Some(packet)
}

fn fate_of(text: &str, packet: &Packet, outputs: &[Output]) -> Option<Fate> {
    let mut parts = text.split(" + ");
    let first = parts.next()?;
    let (word, rest) = first.split_once(' ').unwrap_or((first, ""));
    let mut fate = match word {
        "sent" => copies_of(rest, packet, outputs)?,
        "stays" => Fate::ends(&outputs_of(rest, outputs)?),
        _ => return None,
    };
    for part in parts {
        fate.copies.extend(copies_of(part, packet, outputs)?.copies);
    }
    Some(fate)
}

/// `2 7 to port 3 5 :0102`
fn copies_of(text: &str, packet: &Packet, outputs: &[Output]) -> Option<Fate> {
    let (text, data) = match text.split_once(':') {
        Some((text, data)) => (text, bytes(data)?),
        None => (text, packet.data.clone()),
    };
    let (values, way) = match text.split_once("to ") {
        Some((values, way)) => (values, Some(way)),
        None => (text, None),
    };
    let (class, indices) = match way {
        None => (Class::SamePort, vec![0]),
        Some(way) => {
            let mut words = way.split_whitespace();
            let class = match words.next()? {
                "port" => Class::Port,
                "queue" => Class::HostQueue,
                _ => return None,
            };
            let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
            (class, numbers?)
        }
    };
    let copy = Copy {
        class,
        index: 0,
        outputs: outputs_of(values, outputs)?,
        data,
    };
    Some(Fate::leaves_for(&copy, &indices))
}

/// A value for each output, by number or name.
fn outputs_of(text: &str, outputs: &[Output]) -> Option<Vec<u64>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let value = |(word, output): (&&str, &Output)| {
        let named = output.values.iter().position(|value| value == word);
        named.map_or_else(|| word.parse().ok(), |value| Some(value as u64))
    };
    let fits = words.len() == outputs.len();
    fits.then(|| words.iter().zip(outputs).map(value).collect())?
}

/// Hex digits with `_` between them; `..N` behind them fills up to N bytes.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let (digits, length) = match text.split_once("..") {
        Some((digits, length)) => (digits, Some(length.parse().ok()?)),
        None => (text, None),
    };
    let digits: Vec<u8> = digits.bytes().filter(|digit| *digit != b'_').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let mut bytes: Vec<u8> = match digits.len() % 2 {
        0 => digits.chunks(2).map(byte).collect::<Option<_>>()?,
        _ => return None,
    };
    if let Some(length) = length {
        bytes.resize(length, 0);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_and_fates() {
        let mut outputs = [Output::new("verdict", 3)];
        outputs[0].values = ["aborted", "drop", "pass"].map(String::from).into();
        let expected = |line| expected(line, &[], &outputs);
        let one = expected("01_02..4 port 1 time 7 => sent 4 to port 3 5 :0102").unwrap();
        assert_eq!(one.packet.data, [1, 2, 0, 0]);
        assert_eq!((one.packet.port, one.packet.time_ns), (1, 7));
        assert_eq!(one.fate.indices(), [3, 5]);
        assert_eq!(one.fate.copies[1].class, Class::Port);
        assert_eq!(one.fate.outputs, [4]);
        assert_eq!(one.fate.data(), Some(&[1, 2][..]));
        let as_it_came = expected("0102 => sent pass").unwrap();
        assert_eq!(as_it_came.fate.data(), Some(&[1, 2][..]));
        let two = expected("0102 => stays drop + pass to queue 9 :05").unwrap();
        assert_eq!((two.fate.outputs, two.fate.copies.len()), (vec![1], 1));
        assert_eq!(two.fate.copies[0].data, [5]);
        assert_eq!(expected("01 => stays drop").unwrap().fate, Fate::ends(&[1]));
        for wrong in [
            "01",
            "0 => stays 1",
            "01 => fall",
            "01 => sent",
            "01 => sent 1 2",
            "01 port => stays 1",
            "01 => sent 2 to 5",
            "01 => sent pass :0g",
        ] {
            assert_eq!(expected(wrong), None, "{wrong}");
        }
    }
}
