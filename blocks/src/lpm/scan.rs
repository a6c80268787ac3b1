//! Looking for the host's key: all entries are read, one a clock.

use super::prepare::Asked;
use super::{Lpm, LpmHostIn, Table, LENGTH_FIELD};
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// What going through the entries finds; all from registers.
pub(super) struct Scan {
    /// The memory of the keys, which the host's slot writes.
    pub(super) keys: Mem,
    /// The last entry is being read.
    pub(super) ends: Node,
    /// The entry that was read last: its key, and whether it exists.
    pub(super) stored: Node,
    pub(super) present: Node,
    /// Whether the host's key is there, and where.
    pub(super) exists: Node,
    pub(super) found: Node,
    /// Whether an entry is free, and the first one.
    pub(super) has_room: Node,
    pub(super) vacant: Node,
}

/// The entry that is being read.
struct Reading {
    scans: Node,
    ends: Node,
    address: Node,
}

/// What the entry that was read is to the host.
struct Compared {
    index: Node,
    same: Node,
    vacant: Node,
    stored: Node,
    present: Node,
}

impl Table<'_> {
    pub(super) fn scan(&mut self, host: &LpmHostIn, asked: &Asked) -> Scan {
        let m = &mut self.m;
        m.section("Preparation: all entries are looked at, one a clock");
        let (width, entries) = (self.key_bits + 1, self.entries);
        let keys = m.mem(Lpm::KEY_MEMORY, width, entries, MemStyle::Auto);
        let reading = self.reading(host, asked);
        let compared = self.compared(keys, &reading, asked);
        let Compared {
            index,
            same,
            vacant,
            ..
        } = compared;
        let m = &mut self.m;
        let exists = seen_since(m, "exists", asked.begins, same);
        let has_room = seen_since(m, "has_room", asked.begins, vacant);
        let (found_reg, found) = m.reg("found_entry", self.entry_bits);
        m.set_next_when(found_reg, same, index);
        let (vacant_reg, vacant_entry) = m.reg("vacant_entry", self.entry_bits);
        let first_vacant = m.not(has_room);
        let takes_vacant = m.and(&[vacant, first_vacant]);
        m.set_next_when(vacant_reg, takes_vacant, index);
        Scan {
            keys,
            ends: reading.ends,
            stored: compared.stored,
            present: compared.present,
            exists,
            found,
            has_room,
            vacant: vacant_entry,
        }
    }

    /// Counts through the entries; a dump reads its slot alone.
    fn reading(&mut self, host: &LpmHostIn, asked: &Asked) -> Reading {
        let m = &mut self.m;
        let index_bits = self.entry_bits + 1;
        let (index_reg, index) = m.reg("index", index_bits);
        let (scans_reg, scans) = m.reg_reset("scans", 1, 0);
        let low_slot = m.resize(host.host_slot, index_bits);
        let zero = m.zero(index_bits);
        let first = m.mux(asked.is_dump, low_slot, zero);
        let more = m.add_const(index, 1);
        let index_next = m.mux(asked.begins, first, more);
        m.set_next(index_reg, index_next);
        let at_end = m.eq_const(index, u64::from(self.entries) - 1);
        let ends = m.or(&[at_end, asked.is_dump]);
        let ends = m.and(&[scans, ends]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[scans, goes_on]);
        let looks = m.not(asked.is_lookup);
        let begins_scan = m.and(&[asked.begins, looks]);
        let scans_next = m.or(&[begins_scan, goes_on]);
        m.set_next(scans_reg, scans_next);
        Reading {
            scans,
            ends,
            address: m.slice(index, 0, self.entry_bits),
        }
    }

    /// Compares the prefix in each entry with the host's.
    fn compared(&mut self, keys: Mem, reading: &Reading, asked: &Asked) -> Compared {
        let m = &mut self.m;
        let one = m.one();
        let word = m.mem_read_sync(keys, reading.address, one);
        let read = m.delay_reset("read", reading.scans);
        let index_1 = m.delay("index_1", reading.address);
        // A register between the memory and the compare; it keeps the word that a dump asked for.
        let (stored_reg, stored_word) = m.reg("stored_word", self.key_bits + 1);
        m.set_next_when(stored_reg, read, word);
        let compares = m.delay_reset("compares", read);
        let index_2 = m.delay("index_2", index_1);
        let stored = m.slice(stored_word, 0, self.key_bits);
        let present = m.bit(stored_word, self.key_bits);
        let stored_length = m.slice(stored, 0, LENGTH_FIELD);
        let mut same = vec![present, m.eq(stored_length, asked.length_field)];
        for (number, counts) in asked.counts.iter().enumerate() {
            let bit = self.prefix_bit(stored, number as u32);
            let other = self.m.xor(&[bit, asked.data[number]]);
            let differs = self.m.and(&[other, *counts]);
            same.push(self.m.not(differs));
        }
        let m = &mut self.m;
        let same = m.and(&same);
        let same = m.and(&[same, compares]);
        let absent = m.not(present);
        let vacant = m.and(&[absent, compares]);
        let same = m.delay_reset("same", same);
        let vacant = m.delay_reset("vacant", vacant);
        Compared {
            index: m.delay("index_3", index_2),
            same,
            vacant,
            stored,
            present,
        }
    }
}

/// A flag: `seen` since the operation began.
fn seen_since(m: &mut Module, name: &str, begins: Node, seen: Node) -> Node {
    let (reg, node) = m.reg_reset(name, 1, 0);
    let idle = m.not(begins);
    let kept = m.or(&[node, seen]);
    let next = m.and(&[kept, idle]);
    m.set_next(reg, next);
    node
}
