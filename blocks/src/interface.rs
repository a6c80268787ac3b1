//! The contract of every generated top: ports and stream conventions. The address map of its host port is that of
//! `hardpath_registers`.
//!
//! Ports (one clock `clk`, synchronous active-high reset `rst`):
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `s_axis_tdata/tkeep/tvalid/tready/tlast` | bus, bus/8, 1, 1, 1 | packets in; byte 0 in bits 7:0; `tkeep` is all ones but on the last beat, where it is packed from bit 0 (raw programs: 0 for an empty packet) |
//! | `s_axis_tuser` | 25 | bit 0: the MAC marks the frame bad (looked at on the last beat); bits 8:1 ingress port; bits 24:9 queue (both looked at on the first beat) |
//! | `time_ns` | 64 | only with `has_time`: the time, taken on the packet's first beat |
//! | `random` | 32 | only with `has_random`: a random number, taken on the packet's first beat |
//! | `egress_ifindex` | 32 | only with `has_egress`: the interface that the packet is about to leave by (the `m_axis_tdest` of a design that redirected it), taken on the packet's first beat |
//! | `m_axis_tdata/tkeep/tvalid/tready/tlast` | | packets out, same conventions; only verdicts PASS, TX, REDIRECT |
//! | `m_axis_tuser` | 3 (raw: 64) | the verdict (`enum xdp_action`), on every beat; raw: `r0` |
//! | | 9 with `has_metadata` | bits 8:3: how many 4-byte words of metadata (`bpf_xdp_adjust_meta`) come before the packet's first byte, in the same beats; on every beat |
//! | | one more with `repeats` | the highest bit: the same packet, which is broadcast, comes once more behind this one; on every beat |
//! | `m_axis_tdest` | 32 | with REDIRECT the destination, else 0; on every beat: an ifindex, or with bits 31:30 = 2 the number of a CPU, = 3 of an AF_XDP socket (the key of a CPU or socket map). Raw: 0 |
//! | `verdict_valid`, `verdict` | 1, 3 | one strobe for each packet that entered the program, in order, DROP and ABORTED included; for a packet that is sent on no later than its last beat |
//! | `verdict_sent` | 1 | only with `repeats`: with the strobe, whether the packet comes out (a broadcast to nobody does not); the strobe comes no later than the last beat of the first copy |
//! | `lru_MAP_*` | | only of a design with a journal, for each LRU map: see [`Journal`] |
//! | `s_axil_*` | 16-bit address, 32-bit data | the host port, AXI4-Lite |

use crate::hash::{buckets, Evicts, Hash, SLOTS, WAYS};
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
/// | `NAME_packet` | 1 | strobe: the next packet is at its commit; every packet that enters the program passes once |
/// | `NAME_host` | 1 | strobe: an operation of the host on this map is at its commit |
/// | `NAME_put` | 1 | strobe: a key comes in; together with the strobe of whose it is, or behind it and before the next one |
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
    /// Clocks that the commits of one packet take.
    pub clocks: u32,
}

signals! {
    /// What a [`Journal`] tells; the ports have its name in front of theirs.
    pub struct JournalOut {
        packet: one "strobe: the next packet is at its commit",
        host: one "strobe: an operation of the host is",
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
            key: self.key_bytes * 8,
        }
    }

    /// The bucket, in each way of a hash table, of a key in memory order that is not foreign.
    pub fn buckets(&self, key: &[u8]) -> [u64; WAYS as usize] {
        let stored = self.stored.cut(key);
        let mut limbs = vec![0; stored.len().div_ceil(8)];
        for (index, byte) in stored.iter().enumerate() {
            limbs[index / 8] |= u64::from(*byte) << (8 * (index % 8));
        }
        buckets(&limbs, self.stored.stored(), self.max_entries)
    }

    /// The slots of a hash table in which a key, in memory order, may stand; of an LRU map those whose key can be forgotten for
    /// it come first, and are so many.
    pub fn places(&self, key: &[u8]) -> (Vec<u32>, usize) {
        let rows = Hash::rows(self.max_entries);
        let buckets = self.buckets(key);
        let of_place = |place: u32| place * rows + buckets[(place / SLOTS) as usize] as u32;
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
    pub values: Vec<Bank>,
}

/// A memory of values, addressed by the entry's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Name of the top module.
    pub top: String,
    /// One of [`BUS_BITS`].
    pub bus_bits: u32,
    /// A raw program: memory in, 64 bits out.
    pub raw: bool,
    pub has_time: bool,
    pub has_random: bool,
    /// The program reads `egress_ifindex`.
    pub has_egress: bool,
    /// The program reads `ingress_ifindex` or `rx_queue_index`, or broadcasts: the port table exists.
    pub has_port_table: bool,
    /// The program may put metadata in front of a packet.
    pub has_metadata: bool,
    /// The program may broadcast packets: one packet in, several out.
    pub repeats: bool,
    /// In the order of MAP_SELECT.
    pub maps: Vec<MapPort>,
    pub design_id: u32,
}

/// The widths that a packet stream may have.
pub const BUS_BITS: [u32; 4] = [64, 128, 256, 512];
/// Bits of a verdict (`enum xdp_action`).
pub const VERDICT_BITS: u32 = 3;
/// Bits of the number of metadata words: at most 252 bytes.
pub const METADATA_WORD_BITS: u32 = 6;

impl Interface {
    /// What a driver must know.
    pub fn design(&self) -> Design {
        Design {
            name: self.top.clone(),
            design_id: self.design_id,
            has_port_table: self.has_port_table,
            maps: self.maps.iter().map(|port| port.map.clone()).collect(),
        }
    }

    /// Width of `m_axis_tuser`.
    pub fn output_user_bits(&self) -> u32 {
        match (self.raw, self.has_metadata) {
            (true, _) => 64,
            (false, true) => VERDICT_BITS + METADATA_WORD_BITS + u32::from(self.repeats),
            (false, false) => VERDICT_BITS + u32::from(self.repeats),
        }
    }
}
