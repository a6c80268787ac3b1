//! Comparing what a run gave with what is right.
//!
//! Compared are, for each packet, the program's outputs, where its copies go and their bytes, and at the end every map as a set
//! of (key, value).
//! The bytes of a dropped packet are nobody's business.

use crate::judges::Who;
use hardpath_ir::count::counted;
use hardpath_ir::maps::{Entries, Image};
use hardpath_ir::Output;
use hardpath_kernel::xdp;
use hardpath_packet::{Class, Copy, Fate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One thing that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// An output of the program, as a reader is told.
    Output {
        /// Of the output; `output N`, from 0, where the program declares none.
        name: String,
        /// The right value, with its name if it has one: `pass (2)`.
        expected: String,
        /// The value that came, likewise.
        got: String,
    },
    /// Both go on, to different places; as a reader is told.
    Destination {
        /// Where all copies should go: `ifindex 5`, `ifindexes 5, 7`, `no interface`.
        expected: String,
        /// Where they go, likewise.
        got: String,
    },
    /// The bytes of a copy, behind its metadata.
    Packet {
        /// Those that should leave.
        expected: Vec<u8>,
        /// Those that left.
        got: Vec<u8>,
    },
    /// The metadata in front of a copy's bytes.
    Metadata {
        /// What should stand there; as long as the right fate says.
        expected: Vec<u8>,
        /// What stands in so many bytes.
        got: Vec<u8>,
    },
    /// The packet never came out; it should have with this output.
    Lost {
        /// The right value of the first output, with its name if it has one.
        expected: String,
    },
    /// An LRU map forgets, or keeps, what it may not.
    Forgets {
        /// Its name.
        map: String,
        /// What it does, with the map for a subject: `forgets 00 07, whose place may not be taken`.
        why: String,
    },
    /// An entry of a map; `None`: there is no such entry.
    Entry {
        /// Its full name.
        map: String,
        /// In memory order.
        key: Vec<u8>,
        /// The right value, in memory order.
        expected: Option<Vec<u8>>,
        /// The value that came, likewise.
        got: Option<Vec<u8>>,
    },
}

/// Whose answer differs from what is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The design, or whatever ran as engine.
    Engine,
    /// The interpreter differs from the judge: an error in hardpath's understanding of the program.
    Interpreter,
}

/// A difference and where it showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Whose answer is wrong.
    pub side: Side,
    /// The name of the judge beside the interpreter; empty where there was none.
    pub judge: &'static str,
    /// The capture's name; empty: all of them together (maps).
    pub capture: String,
    /// Number of the packet in its capture, from 1; `None` for maps, which are compared at the end.
    pub packet: Option<u64>,
    /// Of a packet the first one that was found.
    pub difference: Difference,
}

/// Totals over all captures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Packets that were compared.
    pub packets: u64,
    /// Packets that the judge ran; of the others the interpreter said what is right.
    pub judged: u64,
    /// Packets of the engine that differ from what is right.
    pub mismatches: u64,
    /// Maps whose entries were compared, empty ones included.
    pub maps_compared: u64,
    /// Map entries of the engine that differ from what is right.
    pub map_mismatches: u64,
    /// Packets and map entries of the interpreter that differ from the judge's.
    pub interpreter_mismatches: u64,
    /// Who judged beside the interpreter.
    pub judge: Option<Who>,
    /// What the program says of each packet.
    pub outputs: Vec<Output>,
    /// Why the judge was not asked about some packets, and how many.
    pub objections: BTreeMap<String, u64>,
    /// How many keys LRU maps have forgotten, by the map's name.
    pub forgotten: BTreeMap<String, u64>,
    /// The first mismatches, at most [`Comparison::KEPT`].
    pub first: Vec<Mismatch>,
}

impl Comparison {
    /// So many mismatches are kept to be shown.
    pub const KEPT: usize = 10;

    /// Of packets of a program with these outputs.
    pub fn new(judge: Option<Who>, outputs: &[Output]) -> Comparison {
        Comparison {
            judge,
            outputs: outputs.to_vec(),
            ..Comparison::default()
        }
    }

    fn judge_name(&self) -> &'static str {
        self.judge.as_ref().map_or("", |judge| judge.name)
    }

    /// Whether everything was as it should be.
    pub fn is_clean(&self) -> bool {
        self.mismatches == 0 && self.map_mismatches == 0 && self.interpreter_mismatches == 0
    }

    /// Counts one packet and compares it. `got` is `None` when the packet never came out. `packet` counts from 1.
    pub fn packet(
        &mut self,
        capture: &str,
        packet: u64,
        expected: &crate::Expected,
        got: Option<&Fate>,
    ) {
        self.packets += 1;
        self.judged += u64::from(expected.judged);
        if let Some(objection) = &expected.objection {
            *self.objections.entry(objection.clone()).or_default() += 1;
        }
        let judge = self.judge_name();
        let mut keep = |side, difference| {
            if self.first.len() < Comparison::KEPT {
                self.first.push(Mismatch {
                    side,
                    judge,
                    capture: capture.to_string(),
                    packet: Some(packet),
                    difference,
                });
            }
        };
        if let Some(difference) = &expected.disagreement {
            self.interpreter_mismatches += 1;
            keep(Side::Interpreter, difference.clone());
        }
        let illegal = expected.illegal.first().map(|illegal| Difference::Forgets {
            map: illegal.map.clone(),
            why: illegal.why.clone(),
        });
        if let Some(difference) =
            illegal.or_else(|| compare_packet(&expected.fate, got, &self.outputs))
        {
            self.mismatches += 1;
            keep(Side::Engine, difference);
        }
    }

    /// Counts what is wrong with what LRU maps forget before the first packet.
    pub fn forgets(&mut self, illegal: Vec<crate::Illegal>) {
        self.map_mismatches += illegal.len() as u64;
        let room = Comparison::KEPT.saturating_sub(self.first.len());
        let judge = self.judge_name();
        let mismatches = illegal.into_iter().map(|illegal| Mismatch {
            side: Side::Engine,
            judge,
            capture: String::new(),
            packet: None,
            difference: Difference::Forgets {
                map: illegal.map,
                why: illegal.why,
            },
        });
        self.first.extend(mismatches.take(room));
    }

    /// Compares all maps at the end of the captures.
    pub fn maps(&mut self, expected: &crate::ExpectedMaps, got: &Image) {
        let differences = compare_maps(&expected.image, got);
        self.maps_compared += map_names(&expected.image, got).len() as u64;
        self.map_mismatches += differences.len() as u64;
        self.interpreter_mismatches += expected.disagreements.len() as u64;
        let interpreter = expected.disagreements.iter().cloned();
        let interpreter = interpreter.map(|difference| (Side::Interpreter, difference));
        let engine = differences.into_iter().map(|found| (Side::Engine, found));
        for (side, difference) in interpreter.chain(engine) {
            if self.first.len() >= Comparison::KEPT {
                return;
            }
            self.first.push(Mismatch {
                side,
                judge: self.judge_name(),
                capture: String::new(),
                packet: None,
                difference,
            });
        }
    }
}

/// The first difference between what is right for a packet and what a run gave. `outputs`: what the program declares.
pub fn compare_packet(
    expected: &Fate,
    got: Option<&Fate>,
    outputs: &[Output],
) -> Option<Difference> {
    let lost = || Difference::Lost {
        expected: said(outputs.first(), expected.outputs.first()),
    };
    let Some(got) = got else {
        return Some(lost());
    };
    if let Some(difference) = compare_outputs(&expected.outputs, &got.outputs, outputs) {
        return Some(difference);
    }
    let ways = |fate: &Fate| -> Vec<_> {
        let copies = fate.copies.iter();
        copies.map(|copy| (copy.class, copy.index)).collect()
    };
    let (right, given) = (ways(expected), ways(got));
    // Too few copies with the same ways are a packet that was lost.
    if right != given && !right.starts_with(&given) {
        let [expected, got] = [expected, got].map(|fate| describe_all(&fate.copies, outputs));
        return Some(Difference::Destination { expected, got });
    }
    if right.len() > given.len() {
        return Some(lost());
    }
    let metadata = outputs
        .iter()
        .position(|output| output.name == xdp::METADATA);
    let mut copies = expected.copies.iter().zip(&got.copies);
    copies.find_map(|(expected, got)| compare_copies(expected, got, outputs, metadata))
}

fn compare_copies(
    expected: &Copy,
    got: &Copy,
    outputs: &[Output],
    metadata: Option<usize>,
) -> Option<Difference> {
    if let Some(difference) = compare_outputs(&expected.outputs, &got.outputs, outputs) {
        return Some(difference);
    }
    let words = metadata.map_or(0, |place| expected.outputs[place]) as usize;
    let bytes = words * xdp::METADATA_WORD_BYTES as usize;
    let cut = |copy: &Copy| {
        let (metadata, packet) = copy.data.split_at(bytes.min(copy.data.len()));
        (metadata.to_vec(), packet.to_vec())
    };
    let (expected, got) = (cut(expected), cut(got));
    if expected.1 != got.1 {
        return Some(Difference::Packet {
            expected: expected.1,
            got: got.1,
        });
    }
    (expected.0 != got.0).then_some(Difference::Metadata {
        expected: expected.0,
        got: got.0,
    })
}

fn compare_outputs(expected: &[u64], got: &[u64], outputs: &[Output]) -> Option<Difference> {
    let most = expected.len().max(got.len());
    let differs = (0..most).find(|place| expected.get(*place) != got.get(*place))?;
    let output = outputs.get(differs);
    Some(Difference::Output {
        name: output.map_or_else(|| format!("output {differs}"), |output| output.name.clone()),
        expected: said(output, expected.get(differs)),
        got: said(output, got.get(differs)),
    })
}

/// The value of an output, with its name if it has one.
fn said(output: Option<&Output>, value: Option<&u64>) -> String {
    let Some(value) = value else {
        return String::from("nothing");
    };
    let names = output.map_or(&[][..], |output| &output.values);
    match names.get(*value as usize) {
        Some(name) => format!("{name} ({value})"),
        None => value.to_string(),
    }
}

/// Where copies go, for a reader: `ifindex 5`, `ifindexes 5, 7`, `no interface`; of programs that have no verdicts of Linux, `port 5`.
fn describe_all(copies: &[Copy], outputs: &[Output]) -> String {
    if outputs.iter().all(|output| output.name != xdp::VERDICT) {
        let ways = copies.iter().map(|copy| match copy.class {
            Class::Port | Class::HostQueue => format!("{} {}", copy.class.name(), copy.index),
            class => class.name().into(),
        });
        let ways: Vec<String> = ways.collect();
        return match ways.is_empty() {
            true => String::from("nowhere"),
            false => ways.join(", "),
        };
    }
    match copies {
        [] => String::from("no interface"),
        [only] => xdp::describe(only.class, only.index),
        _ => {
            let numbers: Vec<String> = copies.iter().map(|copy| copy.index.to_string()).collect();
            format!("ifindexes {}", numbers.join(", "))
        }
    }
}

/// Every entry that differs. A map that an image does not name is empty.
pub fn compare_maps(expected: &Image, got: &Image) -> Vec<Difference> {
    let none = Entries::new();
    let mut differences = Vec::new();
    for name in map_names(expected, got) {
        let expected = expected.get(name).unwrap_or(&none);
        let got = got.get(name).unwrap_or(&none);
        let keys: BTreeSet<&Vec<u8>> = expected.keys().chain(got.keys()).collect();
        for key in keys {
            if expected.get(key) != got.get(key) {
                differences.push(Difference::Entry {
                    map: name.clone(),
                    key: key.clone(),
                    expected: expected.get(key).cloned(),
                    got: got.get(key).cloned(),
                });
            }
        }
    }
    differences
}

fn map_names<'a>(expected: &'a Image, got: &'a Image) -> BTreeSet<&'a String> {
    expected.keys().chain(got.keys()).collect()
}

impl Difference {
    /// What differs, in a word or two.
    pub fn field(&self) -> String {
        match self {
            Difference::Output { name, .. } => name.clone(),
            Difference::Destination { .. } => "destination".into(),
            Difference::Packet { expected, got } if expected.len() != got.len() => "length".into(),
            Difference::Packet { expected, got } => {
                format!("byte {}", first_difference(expected, got))
            }
            Difference::Metadata { .. } => "metadata".into(),
            Difference::Lost { .. } => "packet".into(),
            Difference::Entry { map, key, .. } => format!("map {map}, key {}", hex(key)),
            Difference::Forgets { map, .. } => format!("map {map}"),
        }
    }

    /// The right value, for a reader.
    pub fn expected(&self) -> String {
        match self {
            Difference::Output { expected, .. } => expected.clone(),
            Difference::Destination { expected, .. } => expected.clone(),
            Difference::Packet { expected, got } => show_packet(expected, got),
            Difference::Metadata { expected, .. } => show_metadata(expected),
            Difference::Lost { expected } => expected.clone(),
            Difference::Entry { expected, .. } => show_value(expected),
            Difference::Forgets { .. } => "a key goes only when there is no room".into(),
        }
    }

    /// What the run gave, for a reader.
    pub fn got(&self) -> String {
        match self {
            Difference::Output { got, .. } => got.clone(),
            Difference::Destination { got, .. } => got.clone(),
            Difference::Packet { expected, got } => show_packet(got, expected),
            Difference::Metadata { got, .. } => show_metadata(got),
            Difference::Lost { .. } => "nothing came out".into(),
            Difference::Entry { got, .. } => show_value(got),
            Difference::Forgets { why, .. } => format!("it {why}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, got {}",
            self.field(),
            self.expected(),
            self.got()
        )
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.packet {
            Some(packet) => write!(f, "{}, packet {packet}: ", self.capture)?,
            None => write!(f, "after the last packet: ")?,
        }
        if self.side == Side::Interpreter {
            write!(f, "the interpreter differs from {}: ", self.judge)?;
        }
        self.difference.fmt(f)
    }
}

fn show_value(value: &Option<Vec<u8>>) -> String {
    match value {
        Some(value) => hex(value),
        None => "no entry".into(),
    }
}

fn show_metadata(bytes: &[u8]) -> String {
    match bytes {
        [] => "none".into(),
        bytes => hex(bytes),
    }
}

/// Bytes shown on either side of the first difference.
const AROUND: usize = 8;

/// A packet where it first differs from another one: `60 bytes, …  12 34 [56] 78 …`.
fn show_packet(packet: &[u8], other: &[u8]) -> String {
    let at = first_difference(packet, other);
    let start = at.saturating_sub(AROUND).min(packet.len());
    let end = (at + AROUND + 1).min(packet.len());
    let mut shown = format!("{}:", counted(packet.len(), "byte"));
    if start > 0 {
        shown += " …";
    }
    for (offset, byte) in packet.iter().enumerate().take(end).skip(start) {
        shown += &match offset == at {
            true => format!(" [{byte:02x}]"),
            false => format!(" {byte:02x}"),
        };
    }
    if at >= packet.len() {
        shown += " [end]";
    }
    if end < packet.len() {
        shown += " …";
    }
    shown
}

/// The offset of the first byte that differs, or that only one packet has.
fn first_difference(packet: &[u8], other: &[u8]) -> usize {
    let pairs = packet.iter().zip(other);
    let same = pairs.take_while(|(left, right)| left == right);
    same.count()
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}
