//! The lines `; packet:`, `; entry:` and `; holds:`: packets one after the other, with what must become of them.
//!
//! A packet's bytes are hex digits, which may be divided by `_`; `..N` fills up with zeros to N bytes. Behind `=>` stands the
//! verdict (`aborted`, `drop`, `pass`, `tx`, `redirect`, or a number), where the copies go, and the bytes that leave; without
//! bytes the packet leaves as it came in, or nothing leaves.

use crate::case::Case;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::verdict;
use hardpath_ir::Program;
use hardpath_packet::{Copy, Fate, Packet};

/// A packet and what must become of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub packet: Packet,
    pub fate: Fate,
}

/// The packets of a case.
///
/// # Panics
/// A line has no meaning.
pub fn of(case: &Case) -> Vec<Expected> {
    let lines = case.lines("packet");
    lines
        .map(|line| expected(line).unwrap_or_else(|| wrong(case, line)))
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

fn expected(line: &str) -> Option<Expected> {
    let (packet, fate) = line.split_once(" => ")?;
    let packet = packet_of(packet)?;
    let fate = fate_of(fate, &packet)?;
    Some(Expected { packet, fate })
}

fn packet_of(text: &str) -> Option<Packet> {
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
            _ => return None,
        }
    }
    Some(packet)
}

fn fate_of(text: &str, packet: &Packet) -> Option<Fate> {
    let mut words = text.split_whitespace().peekable();
    let verdict = match words.next()? {
        "aborted" => verdict::ABORTED,
        "drop" => verdict::DROP,
        "pass" => verdict::PASS,
        "tx" => verdict::TX,
        "redirect" => verdict::REDIRECT,
        number => number.parse().ok()?,
    };
    let mut destinations = Vec::new();
    if words.next_if_eq(&"to").is_some() {
        while let Some(number) = words.peek().and_then(|word| word.parse().ok()) {
            destinations.push(number);
            words.next();
        }
    } else if verdict::leaves(verdict) {
        destinations.push(0);
    }
    let copy = Copy {
        data: match words.next() {
            Some(data) => bytes(data.strip_prefix(':')?)?,
            None => packet.data.clone(),
        },
        ..Copy::default()
    };
    words
        .next()
        .is_none()
        .then(|| Fate::leaves_for(verdict, &destinations, &copy))
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
        let one = expected("01_02..4 port 1 time 7 => redirect to 3 5 :0102").unwrap();
        assert_eq!(one.packet.data, [1, 2, 0, 0]);
        assert_eq!((one.packet.port, one.packet.time_ns), (1, 7));
        assert_eq!(one.fate.destinations(), [3, 5]);
        assert_eq!(one.fate.data(), Some(&[1, 2][..]));
        let as_it_came = expected("0102 => tx").unwrap();
        assert_eq!(as_it_came.fate.data(), Some(&[1, 2][..]));
        assert_eq!(
            expected("01 => drop").unwrap().fate,
            Fate::ends(verdict::DROP)
        );
        for wrong in [
            "01",
            "0 => drop",
            "01 => fall",
            "01 port => drop",
            "01 => pass 02",
            "01 => pass :0g",
        ] {
            assert_eq!(expected(wrong), None, "{wrong}");
        }
    }
}
