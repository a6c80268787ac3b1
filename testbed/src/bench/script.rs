//! The lines of a test bench, made one by one: see the table in [`super`].

use super::{hexadecimal, optional_inputs};
use crate::stream::{low_ones, JUNK};
use hardpath_blocks::egress::DESTINATION_BITS;
use hardpath_blocks::interface::Interface;
use hardpath_packet::{Fate, Packet, INDEX_BITS};
use std::fmt::Write;

/// A line of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// `#`
    Comment(String),
    /// `W`
    Write {
        /// Byte address of the register, 16 bits.
        address: u32,
        /// The word that is written.
        data: u32,
    },
    /// `E`: a write that the design refuses.
    RefusedWrite {
        /// Byte address, 16 bits; there need not be a register.
        address: u32,
        /// The word, of which only some bytes are written.
        data: u32,
        /// A bit for each byte of the word, the lowest for bits 7:0.
        strobes: u32,
    },
    /// `R`: until the register holds that.
    Await {
        /// Byte address of the register, 16 bits.
        address: u32,
        /// The word that it must come to hold.
        data: u32,
    },
    /// `C`: once.
    Read {
        /// Byte address of the register, 16 bits.
        address: u32,
        /// The word that it must hold.
        data: u32,
    },
    /// `F`: a read that the design refuses.
    RefusedRead {
        /// Byte address, 16 bits; there need not be a register.
        address: u32,
    },
    /// `S`
    BeatIn(BeatIn),
    /// `M`
    BeatOut(BeatOut),
    /// `V`: in limbs.
    Fate(Vec<u64>),
    /// `G`: clocks in which the driver does nothing.
    Gap(u32),
    /// `P`: clocks in which the sink is not ready, from now on.
    Stall(u32),
    /// `X`: reset for so many clocks.
    Reset(u32),
    /// `Q`: waits until so many beats and strobes came out, counted from the first one.
    Quiet {
        /// Beats of `m_axis`.
        beats: u32,
        /// Strobes of `fate_valid`.
        fates: u32,
    },
}

/// A beat of `s_axis`, with the inputs beside it; `data` in limbs, least significant first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeatIn {
    /// `tuser`, in limbs: see [`hardpath_blocks::interface`].
    pub user: [u64; 2],
    /// `tlast`: the packet ends here.
    pub last: bool,
    /// `tkeep`: a bit for each byte of the bus, packed from bit 0.
    pub keep: u64,
    /// `tdata`, as wide as the bus; bytes that do not count are junk.
    pub data: Vec<u64>,
    /// Nanoseconds. Like the two behind it, it counts on the first beat only, and where the design has the input.
    pub time_ns: u64,
    /// The random number that the program sees.
    pub random: u32,
    /// Interface that the packet is about to leave by.
    pub egress: u32,
}

/// A beat of `m_axis`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeatOut {
    /// Class and index.
    pub destination: u64,
    /// In limbs.
    pub user: Vec<u64>,
    /// `tlast`: the packet ends here.
    pub last: bool,
    /// `tkeep`: a bit for each byte of the bus, packed from bit 0.
    pub keep: u64,
    /// `tdata` in limbs, as wide as the bus.
    pub data: Vec<u64>,
}

impl Line {
    /// With the newline.
    pub fn text(&self, interface: &Interface) -> String {
        let bus = interface.bus_bits;
        let mut text = String::new();
        let mut beat = |first: &[(&[u64], u32)], keep: u64, data: &[u64]| {
            for (value, width) in first {
                hexadecimal(&mut text, value, *width);
                text.push(' ');
            }
            hexadecimal(&mut text, &[keep], bus / 8);
            text.push(' ');
            hexadecimal(&mut text, data, bus);
        };
        match self {
            Line::Comment(words) => format!("# {words}\n"),
            Line::Write { address, data } => format!("W {address:04x} {data:08x}\n"),
            Line::RefusedWrite {
                address,
                data,
                strobes,
            } => format!("E {address:04x} {data:08x} {strobes:x}\n"),
            Line::Await { address, data } => format!("R {address:04x} {data:08x}\n"),
            Line::Read { address, data } => format!("C {address:04x} {data:08x}\n"),
            Line::RefusedRead { address } => format!("F {address:04x}\n"),
            Line::BeatIn(taken) => {
                let (user_bits, last) = (interface.input_user_bits(), [taken.last.into()]);
                let first = [(&taken.user[..], user_bits), (&last[..], 1)];
                beat(&first, taken.keep, &taken.data);
                for (name, width) in optional_inputs(interface) {
                    text.push(' ');
                    hexadecimal(&mut text, &[taken.beside(name)], width);
                }
                format!("S {text}\n")
            }
            Line::BeatOut(given) => {
                let (destination, last) = ([given.destination], [given.last.into()]);
                let first = [
                    (&destination[..], DESTINATION_BITS),
                    (&given.user[..], interface.output_user_bits()),
                    (&last[..], 1),
                ];
                beat(&first, given.keep, &given.data);
                format!("M {text}\n")
            }
            Line::Fate(fate) => {
                hexadecimal(&mut text, fate, interface.fate_bits());
                format!("V {text}\n")
            }
            Line::Gap(clocks) => format!("G {clocks:08x}\n"),
            Line::Stall(clocks) => format!("P {clocks:08x}\n"),
            Line::Reset(clocks) => format!("X {clocks:08x}\n"),
            Line::Quiet { beats, fates } => format!("Q {beats:08x} {fates:08x}\n"),
        }
    }
}

impl BeatIn {
    /// One of the [`optional_inputs`].
    pub(super) fn beside(&self, name: &str) -> u64 {
        match name {
            "time_ns" => self.time_ns,
            "random" => self.random.into(),
            _ => self.egress.into(),
        }
    }
}

/// The text of a bench.
pub fn text(lines: &[Line], interface: &Interface) -> String {
    let mut text = String::from(super::HEAD);
    for line in lines {
        let _ = text.write_str(&line.text(interface));
    }
    text
}

/// The beats of a packet. What the contract leaves open is made hostile, as [`crate::stream::Source`] does.
pub fn beats_in(packet: &Packet, interface: &Interface) -> Vec<Line> {
    let bus_bytes = interface.bus_bits as usize / 8;
    let chunks: Vec<&[u8]> = packet.data.chunks(bus_bytes).collect();
    let beat = |(index, bytes): (usize, &&[u8])| {
        let (is_first, is_last) = (index == 0, index + 1 == chunks.len());
        let bad = match is_last {
            true => packet.bad,
            false => index % 2 == 0,
        };
        let hidden = |value: u64| if is_first { value } else { !value };
        Line::BeatIn(BeatIn {
            user: interface.input_user(packet, is_first, bad),
            last: is_last,
            keep: low_ones(bytes.len()),
            data: limbs(bytes, bus_bytes, JUNK),
            time_ns: hidden(packet.time_ns),
            random: hidden(packet.random.into()) as u32,
            egress: hidden(packet.egress.into()) as u32,
        })
    };
    chunks.iter().enumerate().map(beat).collect()
}

/// The same of a packet that is marked as a bad frame, on its last beat.
pub fn marked_beats_out(fate: &Fate, interface: &Interface) -> Vec<Line> {
    let mut lines = beats_out(fate, interface);
    let highest = interface.output_user_bits() - 1;
    if let Some(Line::BeatOut(last)) = lines.last_mut() {
        last.user[(highest / 64) as usize] |= 1 << (highest % 64);
    }
    lines
}

/// The beats that must come of a packet, copies included, and its strobe.
pub fn beats_out(fate: &Fate, interface: &Interface) -> Vec<Line> {
    let sent = (!fate.copies.is_empty(), interface.fate_bits());
    let mut lines = vec![Line::Fate(interface.pack(&fate.outputs, sent))];
    let bus_bytes = interface.bus_bits as usize / 8;
    for (number, copy) in (1..).zip(&fate.copies) {
        let again = number != fate.copies.len();
        let user = interface.pack(&copy.outputs, (again, interface.output_user_bits()));
        let beats = copy.data.len().div_ceil(bus_bytes);
        lines.extend(
            copy.data
                .chunks(bus_bytes)
                .enumerate()
                .map(|(index, bytes)| {
                    Line::BeatOut(BeatOut {
                        destination: copy.class.code() << INDEX_BITS | u64::from(copy.index),
                        user: user.clone(),
                        last: index + 1 == beats,
                        keep: low_ones(bytes.len()),
                        data: limbs(bytes, bus_bytes, 0),
                    })
                }),
        );
    }
    lines
}

/// Bytes as limbs, filled up with the bytes of `junk`.
fn limbs(bytes: &[u8], bus_bytes: usize, junk: u64) -> Vec<u64> {
    (0..bus_bytes / 8)
        .map(|index| {
            let mut word = junk.to_le_bytes();
            let part = bytes.get(index * 8..).unwrap_or_default();
            let count = part.len().min(8);
            word[..count].copy_from_slice(&part[..count]);
            u64::from_le_bytes(word)
        })
        .collect()
}
