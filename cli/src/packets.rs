//! The packets of a run: those of all captures, one after the other, with what enters beside their bytes.

use crate::arguments::{RunArguments, TimeSource};
use crate::progress::Progress;
use hardpath_diagnostic::{suggest, Diagnostic, Place};
use hardpath_ir::{Limits, Program};
use hardpath_packet::{OwnInput, Packet, Sideband};
use hardpath_session::Judged;
use hardpath_testbed::capture::{self, Captured};
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

/// A packet of a run and where it came from.
pub struct RunPacket {
    /// Index into the captures on the command line.
    pub capture: usize,
    /// In its capture, from 1, as Wireshark counts.
    pub number: usize,
    /// Of the capture, whatever the program sees as time.
    pub captured_ns: u64,
    pub sideband: Sideband,
    /// The program takes packets of its length, marked bad or not.
    enters: bool,
    /// So many bytes are the program's.
    counted: usize,
    /// As it enters a design.
    into_design: Packet,
}

/// The ingress port that packets come in at; the port table says which interface that is.
pub const PORT: u8 = 0;

impl RunPacket {
    /// `takes_giants`: the hardware begins with a packet before it knows that this one is too long, and sends as much as it may have.
    pub fn new(
        (capture, number): (usize, usize),
        captured: Captured,
        (sideband, bad): (Sideband, bool),
        (limits, takes_giants): (&Limits, bool),
    ) -> RunPacket {
        let (shortest, longest) = (limits.shortest as usize, limits.longest as usize);
        let length = captured.data.len();
        RunPacket {
            capture,
            number,
            enters: length >= shortest && (length <= longest || takes_giants),
            counted: length.min(longest),
            captured_ns: captured.time_ns,
            sideband,
            into_design: Packet {
                data: captured.data,
                port: PORT,
                queue: sideband.queue as u16,
                time_ns: sideband.time_ns,
                random: sideband.random,
                egress: sideband.egress,
                own: sideband.own,
                bad,
            },
        }
    }

    /// The bytes that are the program's.
    pub fn data(&self) -> &[u8] {
        &self.into_design.data[..self.counted]
    }

    /// The length is one that the hardware takes in.
    pub fn enters(&self) -> bool {
        self.enters
    }

    /// The MAC marks it bad at its end.
    pub fn is_bad(&self) -> bool {
        self.into_design.bad
    }
}

impl Judged for RunPacket {
    fn data(&self) -> &[u8] {
        self.data()
    }

    fn sideband(&self) -> Sideband {
        self.sideband
    }

    fn place(&self) -> (usize, u64) {
        (self.capture, self.number as u64)
    }
}

impl Borrow<Packet> for RunPacket {
    fn borrow(&self) -> &Packet {
        &self.into_design
    }
}

/// Reads all captures, and shows how far it has come. Ends with the first thing that is wrong.
pub struct Packets<'a> {
    arguments: &'a RunArguments,
    /// The program's.
    limits: Limits,
    /// See [`RunPacket::new`].
    takes_giants: bool,
    /// The program's own inputs, which all packets have alike.
    own: u64,
    /// Index of the capture that is being read, or comes next.
    capture: usize,
    reader: Option<capture::Reader<BufReader<File>>>,
    /// Packets that were read of this capture, and of all.
    number: usize,
    count: usize,
    /// Bytes of the captures before this one.
    bytes_before: u64,
    progress: Progress,
}

/// Begins to read. What is wrong with the program's own `inputs`, the captures' names and headers is reported at once, of all of
/// them.
pub fn open<'a>(
    arguments: &'a RunArguments,
    program: &Program,
) -> Result<Packets<'a>, Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = (arguments.pcap.iter())
        .filter(|path| can_be_opened_twice(path))
        .filter_map(|path| capture::open(path).err())
        .collect();
    let (own, wrong) = own(arguments, &program.inputs);
    errors.extend(wrong);
    if !errors.is_empty() {
        return Err(errors);
    }
    let sizes = arguments.pcap.iter().map(|path| match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata.len()),
        _ => None,
    });
    Ok(Packets {
        arguments,
        own,
        limits: program.limits,
        takes_giants: false,
        capture: 0,
        reader: None,
        number: 0,
        count: 0,
        bytes_before: 0,
        progress: Progress::through("packets", sizes.sum(), arguments.progress),
    })
}

/// The same once more.
///
/// # Errors
/// A capture is a pipe, which gives what is in it once.
pub fn open_again<'a>(
    arguments: &'a RunArguments,
    program: &Program,
) -> Result<Packets<'a>, Vec<Diagnostic>> {
    match arguments
        .pcap
        .iter()
        .find(|path| !can_be_opened_twice(path))
    {
        None => open(arguments, program),
        Some(pipe) => Err(vec![Diagnostic::input(
            "capture-unreadable",
            "a pipe can be read only once",
        )
        .at(Place::of_file(pipe.display()))]),
    }
}

fn can_be_opened_twice(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file() || metadata.is_dir())
}

impl Packets<'_> {
    /// For hardware that packets leave before all of them is in: it takes those that are too long.
    pub fn with_giants(self, takes_giants: bool) -> Self {
        Packets {
            takes_giants,
            ..self
        }
    }

    fn read(&mut self) -> Result<Option<RunPacket>, Diagnostic> {
        loop {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                None => match self.arguments.pcap.get(self.capture) {
                    Some(path) => self.reader.insert(capture::open(path)?),
                    None => return Ok(None),
                },
            };
            let next = reader.next().transpose()?;
            let bytes = self.bytes_before + reader.bytes_read();
            if let Some(captured) = next {
                let sideband = Sideband {
                    own: self.own,
                    ..sideband(self.arguments, self.count, captured.time_ns)
                };
                let bad = (self.arguments.bad).is_some_and(|seed| is_bad(seed, self.count));
                self.number += 1;
                self.count += 1;
                self.progress.reach(self.count as u64, bytes);
                let place = (self.capture, self.number);
                let limits = (&self.limits, self.takes_giants);
                let packet = RunPacket::new(place, captured, (sideband, bad), limits);
                return Ok(Some(packet));
            }
            self.bytes_before = bytes;
            self.reader = None;
            self.capture += 1;
            self.number = 0;
        }
    }
}

impl Iterator for Packets<'_> {
    type Item = Result<RunPacket, Diagnostic>;

    fn next(&mut self) -> Option<Result<RunPacket, Diagnostic>> {
        self.read().transpose()
    }
}

fn sideband(arguments: &RunArguments, index: usize, captured_ns: u64) -> Sideband {
    Sideband {
        ingress: arguments.ifindex,
        queue: u32::from(arguments.queue),
        egress: arguments.egress_ifindex,
        time_ns: match arguments.time {
            TimeSource::Capture => captured_ns,
            TimeSource::Steps { start, step } => {
                start.wrapping_add(step.wrapping_mul(index as u64))
            }
        },
        random: random(index),
        own: 0,
    }
}

/// The program's own inputs side by side as the options say, and what is wrong with these.
fn own(arguments: &RunArguments, inputs: &[OwnInput]) -> (u64, Vec<Diagnostic>) {
    let mut own = 0;
    let mut given = BTreeSet::new();
    let mut errors = Vec::new();
    for (name, value) in &arguments.input {
        let Some((lo, input)) = OwnInput::find(inputs, name) else {
            let names = inputs.iter().map(|input| input.name.as_str());
            let message = format!("the program has no input of its own that is called `{name}`");
            errors.push(
                Diagnostic::input("unknown-input", message).help(suggest::known(
                    name,
                    names,
                    "it has",
                    "leave --input out: it has none",
                )),
            );
            continue;
        };
        if !input.holds(*value) {
            let message = format!("input `{name}` has {} bits, {value} has more", input.width);
            errors.push(Diagnostic::input("input-too-large", message));
            continue;
        }
        if !given.insert(name) {
            let message = format!("input `{name}` is given twice");
            let help = "all packets of a run have the same: give one number";
            errors.push(Diagnostic::input("input-twice", message).help(help));
        }
        own |= value << lo;
    }
    (own, errors)
}

/// Whether `--bad` marks a packet.
fn is_bad(seed: u64, index: usize) -> bool {
    mixed(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ index as u64) & 7 == 0
}

/// The packet's random number: the same in every run, so that runs can be compared.
fn random(index: usize) -> u32 {
    mixed(index as u64)
}

/// A 64-bit mix (splitmix64, from Steele, Lea and Flood, OOPSLA 2014) of a number.
fn mixed(number: u64) -> u32 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as u32
}

#[cfg(test)]
mod tests {
    use super::{is_bad, random};

    #[test]
    fn random_numbers_differ() {
        let numbers: std::collections::BTreeSet<u32> = (0..1000).map(random).collect();
        assert_eq!(numbers.len(), 1000);
        for seed in 0..4 {
            let bad = (0..1000).filter(|index| is_bad(seed, *index)).count();
            assert!((80..170).contains(&bad), "{bad} of 1000");
        }
    }
}
