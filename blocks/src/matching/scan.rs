//! Looking for the host's entry: all are read, one a clock.

use super::asked::Command;
use super::entries::Entries;
use hardpath_rtl::{Mem, Module, Node};

/// The entry that is being read.
pub(crate) struct Reading {
    scans: Node,
    /// It is the last one.
    pub(crate) ends: Node,
    address: Node,
}

/// The entry that was read.
pub(crate) struct Read {
    /// There is one to compare.
    pub(crate) compares: Node,
    /// Which.
    pub(crate) index: Node,
    /// Its word, which stands still after the last one: what a dump asked for.
    pub(crate) word: Node,
}

/// What going through the entries finds; all from registers.
pub(crate) struct Found {
    /// Whether the host's entry is there, and where.
    pub(crate) exists: Node,
    pub(crate) found: Node,
    /// Whether an entry is free, and the first one.
    pub(crate) has_room: Node,
    pub(crate) vacant: Node,
}

impl Reading {
    /// Counts through the entries, of which so many are used, or all; a dump reads its slot alone. `begins_scan`: for what begins then,
    /// two clocks after the start.
    pub(crate) fn of(
        m: &mut Module,
        (entries, most): (Entries, Option<Node>),
        (command, begins_scan): (&Command, Node),
        host_slot: Node,
    ) -> Reading {
        let index_bits = entries.bits() + 1;
        let (index_reg, index) = m.reg("index", index_bits);
        let (scans_reg, scans) = m.reg_reset("scans", 1, 0);
        let low_slot = m.resize(host_slot, index_bits);
        let zero = m.zero(index_bits);
        let first = m.mux(command.is_dump, low_slot, zero);
        let more = m.add_const(index, 1);
        let index_next = m.mux(command.begins, first, more);
        m.set_next(index_reg, index_next);
        let at_end = match most {
            Some(most) => {
                let most = m.slice(most, 0, index_bits);
                m.eq(more, most)
            }
            None => m.eq_const(index, u64::from(entries.0) - 1),
        };
        let ends = m.or(&[at_end, command.is_dump]);
        let ends = m.and(&[scans, ends]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[scans, goes_on]);
        let scans_next = m.or(&[begins_scan, goes_on]);
        m.set_next(scans_reg, scans_next);
        Reading {
            scans,
            ends,
            address: m.slice(index, 0, entries.bits()),
        }
    }

    /// Reads it from the memory of the keys.
    pub(crate) fn read(&self, m: &mut Module, keys: Mem, word_bits: u32) -> Read {
        let one = m.one();
        let word = m.mem_read_sync(keys, self.address, one);
        let read = m.delay_reset("read", self.scans);
        let index_1 = m.delay("index_1", self.address);
        // A register between the memory and the compare.
        let (stored_reg, stored_word) = m.reg("stored_word", word_bits);
        m.set_next_when(stored_reg, read, word);
        Read {
            compares: m.delay_reset("compares", read),
            index: m.delay("index_2", index_1),
            word: stored_word,
        }
    }
}

impl Found {
    /// `present`: the entry that was read exists. `same`: all that must hold for it to be the host's.
    pub(crate) fn of(
        m: &mut Module,
        entries: Entries,
        begins: Node,
        read: &Read,
        (present, same): (Node, &[Node]),
    ) -> Found {
        let same = m.and(same);
        let same = m.and(&[same, read.compares]);
        let absent = m.not(present);
        let vacant = m.and(&[absent, read.compares]);
        let same = m.delay_reset("same", same);
        let vacant = m.delay_reset("vacant", vacant);
        let index = m.delay("index_3", read.index);
        let exists = seen_since(m, "exists", begins, same);
        let has_room = seen_since(m, "has_room", begins, vacant);
        let (found_reg, found) = m.reg("found_entry", entries.bits());
        m.set_next_when(found_reg, same, index);
        let (vacant_reg, vacant_entry) = m.reg("vacant_entry", entries.bits());
        let first_vacant = m.not(has_room);
        let takes_vacant = m.and(&[vacant, first_vacant]);
        m.set_next_when(vacant_reg, takes_vacant, index);
        Found {
            exists,
            found,
            has_room,
            vacant: vacant_entry,
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
