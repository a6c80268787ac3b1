//! The contract of every generated top: ports and stream conventions. The address map of its host port is that of
//! `hardpath_registers`.
//!
//! Ports (one clock `clk`, synchronous active-high reset `rst`):
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `s_axis_tdata/tkeep/tvalid/tready/tlast` | bus, bus/8, 1, 1, 1 | packets in; byte 0 in bits 7:0; `tkeep` is all ones but on the last beat, where it is packed from bit 0 (0 for an empty packet, where the program takes these) |
//! | `s_axis_tuser` | 25 + inputs | bit 0: the MAC marks the frame bad (looked at on the last beat); bits 8:1 ingress port; bits 24:9 queue; above them the inputs that the program declares, the first in the lowest bits (all three looked at on the first beat) |
//! | `time_ns` | 64 | only with `has_time`: the time, taken on the packet's first beat |
//! | `random` | 32 | only with `has_random`: a random number, taken on the packet's first beat |
//! | `egress` | 32 | only with `has_egress`: the interface that the packet is about to leave by, taken on the packet's first beat |
//! | `m_axis_tdata/tkeep/tvalid/tready/tlast` | | packets out, same conventions; only those that are forwarded |
//! | `m_axis_tdest` | 34 | on every beat: bits 33:32 the class of the destination (0 the port where the packet came in, 1 a port, 2 a host queue), bits 31:0 the number of that port or queue |
//! | `m_axis_tuser` | outputs | on every beat: the outputs that the program declares, the first in the lowest bits; a zero where it has none |
//! | | one more with `repeats` | the highest bit: a further copy of the same packet comes behind this one; on every beat |
//! | | one more with `ahead_bytes` | the highest bit: the frame was found bad when it had entered the program (marked bad, or too long); on the last beat |
//! | `fate_valid`, `fate` | 1, outputs + 1 | one strobe for each packet that entered the program, in order, those that are not forwarded included, with the outputs as in `m_axis_tuser`, and in the highest bit whether the packet comes out; for a packet that does no later than its last beat, or that of its first copy |
//! | `lru_MAP_*` | | only of a design with a journal, for each LRU map: see [`Journal`] |
//! | `s_axil_*` | 16-bit address, 32-bit data | the host port, AXI4-Lite |

use crate::axi::USER_IN_BITS;
use crate::hash::{buckets, Evicts, Hash, SLOTS, WAYS};
use hardpath_packet::{outcomes, Output, OwnInput, Packet};
use hardpath_registers::{Design, Map};
use hardpath_rtl::signals;
use std::ops::{Deref, DerefMut};

pub use hardpath_registers::{command, register, MAGIC, VERSION};

/// A map of a design: what the host sees of it, and what only a simulation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapPort {
    /// Reads as a part of this one.
    pub map: Map,
    /// Only of an LRU map, in a design with a journal.
    pub journal: Option<Journal>,
    /// Where the contents stand; `None`: nobody says.
    pub storage: Option<Storage>,
    /// The table in which it stands, where that is a larger one; `None`: one of its own sizes.
    pub room: Option<Room>,
}

/// The sizes of a table in which a smaller map stands: its keys and values are the first bytes of those of the table, and the others are
/// zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// As of a map.
    pub key_bytes: u32,
    /// As of a map.
    pub value_bytes: u32,
    /// As of a map.
    pub max_entries: u32,
}

impl Deref for MapPort {
    type Target = Map;

    fn deref(&self) -> &Map {
        &self.map
    }
}

impl DerefMut for MapPort {
    fn deref_mut(&mut self) -> &mut Map {
        &mut self.map
    }
}

/// The ports that tell what an LRU map takes in and forgets, in the order of its commits; all outputs, from registers.
///
/// | port | width | meaning |
/// |---|---|---|
/// | `NAME_packet` | 1 | strobe: the next packet's turn begins or ends ([`Turns`]); every packet that enters the program has one |
/// | `NAME_host` | 1 | strobe: an operation of the host on this map, other than a dump, is at its commit |
/// | `NAME_put` | 1 | strobe: a key comes in; in the turn of whose it is, the host's in the clock of its strobe |
/// | `NAME_removed` | 1 | strobe, likewise: a key is deleted |
/// | `NAME_forgot` | 1 | with `NAME_put`: another key had the slot, and is forgotten |
/// | `NAME_slot` | | with `NAME_put` and `NAME_removed`: the slot, as in a dump |
/// | `NAME_key` | the key's | with both: the key |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// `NAME`, as in the table above: `lru_MAP`.
    pub name: String,
    /// Whose key can be forgotten for a new one.
    pub evicts: Evicts,
    /// Where a packet's turn begins or ends.
    pub turns: Turns,
}

/// What the strobe `NAME_packet` of a [`Journal`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// The next packet is at its commit: what it does to keys comes in this clock and those behind it, so many in all.
    Begin {
        /// Clocks that the commits of one packet take.
        clocks: u32,
    },
    /// The oldest packet leaves: what came since the one before, and is not the host's, is its.
    End,
}

signals! {
    /// What a [`Journal`] tells; the ports have its name in front of theirs.
    pub struct JournalOut {
        packet: one "strobe: the next packet's turn begins or ends",
        host: one "strobe: an operation of the host is, other than a dump",
        put: one "strobe: a key comes in",
        removed: one "strobe: a key is deleted",
        forgot: one "with put: another key had the slot",
        slot: one "with put and removed",
        key: one "with put and removed",
    }
}

impl MapPort {
    /// Bits of a slot's number.
    pub fn slot_bits(&self) -> u32 {
        crate::index_bits(u64::from(self.slots))
    }

    /// Bits of what a journal tells.
    pub fn journal_widths(&self) -> JournalOut<u32> {
        JournalOut {
            packet: 1,
            host: 1,
            put: 1,
            removed: 1,
            forgot: 1,
            slot: self.slot_bits(),
            key: self.table().key_bytes * 8,
        }
    }

    /// The sizes of the table in which it stands.
    pub fn table(&self) -> Room {
        self.room.unwrap_or(Room {
            key_bytes: self.key_bytes,
            value_bytes: self.value_bytes,
            max_entries: self.max_entries,
        })
    }

    /// Bits of a key as it stands in the table.
    pub fn table_key_bits(&self) -> u32 {
        match self.room {
            Some(room) => room.key_bytes * 8,
            None => self.stored.stored(),
        }
    }

    /// The bucket, in each way of a hash table, of a key in memory order that is not foreign.
    pub fn buckets(&self, key: &[u8]) -> [u64; WAYS as usize] {
        let stored = self.stored.cut(key);
        // What a wide key is folded to depends on how wide the table's keys are.
        let key_bits = self.table_key_bits();
        let mut limbs = vec![0; key_bits.div_ceil(64) as usize];
        for (index, byte) in stored.iter().enumerate() {
            limbs[index / 8] |= u64::from(*byte) << (8 * (index % 8));
        }
        buckets(&limbs, key_bits, self.table().max_entries)
    }

    /// The slots of a hash table in which a key, in memory order, may stand; of an LRU map those whose key can be forgotten for
    /// it come first, and are so many.
    pub fn places(&self, key: &[u8]) -> (Vec<u32>, usize) {
        let max_entries = self.table().max_entries;
        let rows = Hash::rows(max_entries);
        let buckets = self.buckets(key);
        let of_place = |place: u32| {
            let entry = place * rows + buckets[(place / SLOTS) as usize] as u32;
            Hash::slot(max_entries, entry)
        };
        let forgotten = self
            .journal
            .as_ref()
            .map_or(0, |journal| journal.evicts.places());
        (
            (0..WAYS * SLOTS).map(of_place).collect(),
            forgotten as usize,
        )
    }
}

/// Where a map's contents stand, for engines that can look into a design's memories: these are named by their paths below
/// the top (`pipeline.map_flows_values.words`). They hold what the host would be told, once no packet and no operation is
/// inside.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Storage {
    /// The keys of all entries, memory after memory: a key, and above it a bit that says whether the entry exists. Empty:
    /// an entry's number is its key.
    pub keys: Vec<String>,
    /// Above a value stands a bit that says whether the entry exists.
    pub has_presence: bool,
    /// The values, bank after bank; or as many memories as there are of keys, each beside one of them.
    pub values: Vec<Bank>,
    /// From a value to the next one are so many words of both banks, of which the first has eight bytes and the second the next eight, in
    /// turn. `None`: a value is a word.
    pub folded: Option<u32>,
}

/// A memory of values, addressed by the entry's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// The path of the memory.
    pub memory: String,
    /// The entries that are found here; `None`: all.
    pub entries: Option<Vec<u32>>,
}

impl Storage {
    /// The same one level up in the hierarchy, where the instance has that name.
    pub fn inside(mut self, instance: &str) -> Storage {
        let banks = self.values.iter_mut().map(|bank| &mut bank.memory);
        for path in self.keys.iter_mut().chain(banks) {
            *path = format!("{instance}.{path}");
        }
        self
    }
}

/// What a test bench or a driver must know of a generated design.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Interface {
    /// Name of the top module.
    pub top: String,
    /// One of [`BUS_BITS`].
    pub bus_bits: u32,
    /// The shortest and the longest packet that enter the program, in bytes.
    pub lengths: (u32, u32),
    /// What the program asks for with each packet, beside what every packet has.
    pub inputs: Vec<OwnInput>,
    /// What the program gives with each packet.
    pub outputs: Vec<Output>,
    /// The program asks for the time: the port `time_ns` exists.
    pub has_time: bool,
    /// The program asks for random numbers: the port `random` exists.
    pub has_random: bool,
    /// The program asks by which interface a packet is about to leave.
    pub has_egress: bool,
    /// The program asks for interface or queue of a packet, or broadcasts: the port table exists.
    pub has_port_table: bool,
    /// The program may broadcast packets: one packet in, several out.
    pub repeats: bool,
    /// Packets enter the program with so many bytes, in whole beats, before all of them is in ([`crate::cut_through`]); `None`: when they
    /// are in.
    pub ahead_bytes: Option<u32>,
    /// In the order of MAP_SELECT.
    pub maps: Vec<MapPort>,
    /// What the register DESIGN_ID has: a driver knows the design by it.
    pub design_id: u32,
    /// The program that is written into a processor before it takes packets, word by word; empty: the design is no processor.
    pub program: Vec<u32>,
}

/// The widths that a packet stream may have.
pub const BUS_BITS: [u32; 4] = [64, 128, 256, 512];

impl Interface {
    /// What a driver must know.
    pub fn design(&self) -> Design {
        Design {
            name: self.top.clone(),
            design_id: self.design_id,
            has_port_table: self.has_port_table,
            outcomes: outcomes(&self.outputs),
            maps: self.maps.iter().map(|port| port.map.clone()).collect(),
        }
    }

    /// Programs are loaded into it, and it has the registers of processors.
    pub fn is_processor(&self) -> bool {
        !self.program.is_empty()
    }

    /// Whether a packet of that many bytes enters the program.
    pub fn takes(&self, bytes: usize) -> bool {
        let (shortest, longest) = self.lengths;
        (shortest as usize..=longest as usize).contains(&bytes)
    }

    /// Whether a packet of that many bytes enters the program. `bad`: the MAC marks it at its end.
    pub fn enters(&self, bytes: usize, bad: bool) -> bool {
        self.is_ahead(bytes) || (!bad && self.takes(bytes))
    }

    /// Whether a packet of that many bytes enters the program before its end is in.
    pub fn is_ahead(&self, bytes: usize) -> bool {
        self.ahead_bytes.is_some_and(|ahead| bytes > ahead as usize)
    }

    /// Whether a packet that enters comes out with the mark of a bad frame, if it does.
    pub fn marks(&self, bytes: usize, bad: bool) -> bool {
        self.is_ahead(bytes) && (bad || !self.takes(bytes))
    }

    /// So many bytes of a packet that enters are the program's: of one that is too long the first ones.
    pub fn counted_bytes(&self, bytes: usize) -> usize {
        bytes.min(self.lengths.1 as usize)
    }

    /// Width of `s_axis_tuser`.
    pub fn input_user_bits(&self) -> u32 {
        USER_IN_BITS + OwnInput::bits(&self.inputs)
    }

    /// `s_axis_tuser` on a beat, least significant limb first. `bad`: what its lowest bit says. On a packet's first beat the rest is
    /// that of the packet; on others, where nobody may look at it, the opposite.
    pub fn input_user(&self, packet: &Packet, is_first: bool, bad: bool) -> [u64; 2] {
        let beside = u128::from(packet.port) << 1
            | u128::from(packet.queue) << 9
            | u128::from(packet.own) << USER_IN_BITS;
        let beside = if is_first { beside } else { !beside };
        let mask = (1 << self.input_user_bits()) - 2;
        let user = beside & mask | u128::from(bad);
        [user as u64, (user >> 64) as u64]
    }

    /// Bits of all outputs together.
    pub fn output_bits(&self) -> u32 {
        self.outputs.iter().map(|output| output.width).sum()
    }

    /// Width of `m_axis_tuser`.
    pub fn output_user_bits(&self) -> u32 {
        self.output_bits().max(1) + u32::from(self.repeats || self.ahead_bytes.is_some())
    }

    /// Width of `fate`.
    pub fn fate_bits(&self) -> u32 {
        self.output_bits() + 1
    }

    /// The outputs out of `m_axis_tuser` or `fate`, least significant limb first.
    pub fn outputs_of(&self, limbs: &[u64]) -> Vec<u64> {
        let value = |(lo, output): (u32, &Output)| bits_of(limbs, lo, output.width);
        Output::places(&self.outputs).map(value).collect()
    }

    /// The outputs side by side as in `m_axis_tuser` and `fate`, and above them one more bit, at the highest place of a port
    /// with so many bits.
    pub fn pack(&self, outputs: &[u64], (highest, bits): (bool, u32)) -> Vec<u64> {
        let mut limbs = vec![0; bits.div_ceil(64) as usize];
        let mut put = |value: u64, lo: u32| {
            let (limb, shift) = ((lo / 64) as usize, lo % 64);
            limbs[limb] |= value << shift;
            if shift > 0 && limb + 1 < limbs.len() {
                limbs[limb + 1] |= value >> (64 - shift);
            }
        };
        for ((lo, _), value) in Output::places(&self.outputs).zip(outputs) {
            put(*value, lo);
        }
        put(highest.into(), bits - 1);
        limbs
    }
}

/// A hash of what a design is made for (FNV-1a): what DESIGN_ID has.
pub fn design_id_of(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Bits of a number in limbs, at most 64.
pub fn bits_of(limbs: &[u64], lo: u32, bits: u32) -> u64 {
    let (limb, shift) = ((lo / 64) as usize, lo % 64);
    let low = limbs.get(limb).copied().unwrap_or(0) >> shift;
    let high = match shift {
        0 => 0,
        _ => limbs.get(limb + 1).copied().unwrap_or(0) << (64 - shift),
    };
    let mask = u64::MAX >> (64 - bits.clamp(1, 64));
    (low | high) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_lie_side_by_side() {
        let port = |bits| Output::new("some", bits);
        let interface = Interface {
            outputs: vec![port(3), port(64), port(17)],
            repeats: true,
            ..Interface::default()
        };
        let outputs = [5, 0xfedc_ba98_7654_3210, 0x1_2345];
        assert_eq!(interface.output_user_bits(), 85);
        let limbs = interface.pack(&outputs, (true, 85));
        assert_eq!(interface.outputs_of(&limbs), outputs);
        assert_eq!(bits_of(&limbs, 84, 1), 1);
    }
}
