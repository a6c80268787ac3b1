//! All entries by their numbers, the masks of the banks, and how both are read for an operation.
//!
//! A read goes through registers: number them from the one that has the number of the entry. Its word is behind 1 and stands in 2, where the rows
//! of its key are found out; these, and all of the entry, stand in 3.

use super::clearing::Clearing;
use super::control::Wires;
use super::digest::Rows;
use super::lookup::Written;
use super::next::Options;
use super::path::Moved;
use super::shape::{Place, Shape};
use super::PRIORITY_BITS;
use crate::matching::asked::Command;
use crate::matching::runs::{late, runs};
use crate::ternary::asked::{Asked, Entry};
use crate::ternary::{Table, TernaryHostIn};
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Bits of a priority above those that are stored.
const HIGH_BITS: u32 = super::super::PRIORITY_BITS - PRIORITY_BITS;

/// Clocks from the number of the last bank until all are compared.
const COMPARE_LATE: u32 = 4;

/// The memories.
pub(super) struct Store {
    pub(super) shape: Shape,
    /// By number: see [`Shape::entry_bits`].
    entries: Mem,
    /// By bank.
    pub(super) masks: Mem,
    /// By bank: the number of its mask.
    pub(super) numbers: Mem,
}

/// An entry that comes or goes in the host's slot, or its row is to be cleared. `happens`: a strobe.
pub(super) struct SlotChange {
    pub(super) happens: Node,
    pub(super) comes: Node,
    pub(super) number: Node,
    pub(super) place: Place,
    pub(super) priority: Node,
    pub(super) key: Node,
}

/// A row that is cleared, without its entry: a strobe, and the place.
pub(super) struct Cleared {
    pub(super) happens: Node,
    pub(super) place: Place,
}

/// What was read.
pub(super) struct Read {
    /// Strobes in the third register: an entry of a scan, and one that was read alone.
    pub(super) scans: Node,
    pub(super) loads: Node,
    /// The entry stands still until another one is read.
    pub(super) is_there: Node,
    pub(super) number: Node,
    pub(super) bank: Node,
    pub(super) half: Node,
    pub(super) priority: Node,
    pub(super) key: Node,
    /// The rows of its key.
    pub(super) rows: Rows,
    /// The rows of the host's key, from the operation's begin on.
    pub(super) own_rows: Rows,
}

impl Table<'_> {
    /// What the host asks for. Priorities have fewer bits here; what has none is no entry.
    pub(super) fn asked_of_masks(&mut self, host: &TernaryHostIn) -> Asked {
        let mut asked = self.asked(host);
        let m = &mut self.m;
        let low = PRIORITY_BITS - 1;
        let high = m.slice(host.host_priority, low, HIGH_BITS + 1);
        // Around the middle: a one and zeros, or the opposite.
        let above = m.eq_const(high, 1 << HIGH_BITS);
        let below = m.eq_const(high, (1 << HIGH_BITS) - 1);
        let fits = m.or(&[above, below]);
        let wrong = m.not(fits);
        let wrong = m.delay("host_priority_is_wrong", wrong);
        asked.no_entry = m.or(&[asked.no_entry, wrong]);
        let sign = m.bit(host.host_priority, HIGH_BITS + PRIORITY_BITS - 1);
        let rest = m.slice(host.host_priority, 0, low);
        asked.entry.priority = m.concat(&[sign, rest]);
        asked
    }
}

impl Store {
    pub(super) fn new(m: &mut Module, shape: Shape) -> Store {
        m.section("All entries, and the masks of the banks");
        let banks = shape.banks();
        Store {
            shape,
            entries: m.mem("entries", shape.entry_bits(), shape.entries, MemStyle::Auto),
            masks: m.mem("masks", shape.key_bits, banks, MemStyle::Distributed),
            numbers: m.mem(
                "mask_numbers",
                shape.mask_number_bits(),
                banks,
                MemStyle::Distributed,
            ),
        }
    }

    /// All writes of entries and rows.
    pub(super) fn write(
        &self,
        m: &mut Module,
        host: &TernaryHostIn,
        (moved, slot): (&Moved, &SlotChange),
        cleared: &Cleared,
    ) -> Written {
        m.section("What is written");
        let place = Place::mux(m, slot.happens, slot.place, moved.to);
        let number = m.mux(slot.happens, slot.number, moved.number);
        let priority = m.mux(slot.happens, slot.priority, moved.priority);
        let key = m.mux(slot.happens, slot.key, moved.key);
        let moves = m.not(slot.happens);
        let is_there = m.or(&[moves, slot.comes]);

        let running = m.not(host.clear);
        let stays = m.and(&[is_there, running]);
        let entry = m.concat(&[stays, place.bank, place.half, priority, key]);
        let changes = m.or(&[slot.happens, moved.happens]);
        let enable = m.or(&[changes, host.clear]);
        let cleared_number = m.resize(host.clear_index, self.shape.number_bits());
        let address = m.mux(host.clear, cleared_number, number);
        m.mem_write(self.entries, address, entry, enable);

        let clears = cleared.happens;
        let is_row = m.not(clears);
        let is_row = m.and(&[is_there, is_row]);
        let row = m.concat(&[is_row, priority, number, key]);
        let place = Place::mux(m, clears, cleared.place, place);
        let happens = m.or(&[changes, clears]);
        Written {
            happens,
            place,
            row,
        }
    }
}

impl Read {
    pub(super) fn of(m: &mut Module, store: &Store, asked: &Asked, wires: &Wires) -> Read {
        m.section("Preparation: an entry is read");
        let shape = store.shape;
        let scanned = m.gate(wires.scans, wires.scan_number);
        let loaded = m.gate(wires.loads, wires.load_number);
        let number = m.or(&[scanned, loaded]);
        let number_0 = m.delay("read_number_0", number);
        let one = m.one();
        let word = m.mem_read_sync(store.entries, number_0, one);
        let number_1 = m.delay("read_number_1", number_0);
        let number_2 = m.delay("read_number_2", number_1);
        let word_2 = m.delay("read_word_2", word);
        let later = |m: &mut Module, name: &str, strobe: Node| {
            (0..4).fold(strobe, |strobe, register| {
                m.delay_reset(format!("{name}_{register}"), strobe)
            })
        };
        let scans = later(m, "read_scans", wires.scans);
        let loads = later(m, "read_loads", wires.loads);
        let some = m.or(&[wires.scans, wires.loads]);
        let some = (0..3).fold(some, |some, register| {
            m.delay_reset(format!("read_some_{register}"), some)
        });
        let word_3 = m.hold("read_word_3", some, word_2);
        let own = begins(m, &asked.command);
        let key_2 = m.slice(word_2, 0, shape.key_bits);
        let key = m.mux(own, asked.entry.key, key_2);
        let rows = Rows::of(m, shape, key, None).delay(m, "read_row_3");
        let own = m.delay_reset("own_rows_are_there", own);
        let own_rows = rows.hold(m, "own_row", own);
        let (low, half) = (shape.key_bits, shape.key_bits + PRIORITY_BITS);
        Read {
            scans,
            loads,
            is_there: m.bit(word_3, shape.entry_bits() - 1),
            number: m.hold("read_number_3", some, number_2),
            bank: m.slice(word_3, half + 1, shape.bank_bits()),
            half: m.bit(word_3, half),
            priority: m.slice(word_3, low, PRIORITY_BITS),
            key: m.slice(word_3, 0, shape.key_bits),
            rows,
            own_rows,
        }
    }

    /// What a dump gives of it.
    pub(super) fn as_entry(&self, m: &mut Module, mask: Node) -> Entry {
        let low = PRIORITY_BITS - 1;
        let sign = m.bit(self.priority, low);
        let rest = m.slice(self.priority, 0, low);
        let opposite = m.not(sign);
        let middle = m.sext(opposite, HIGH_BITS);
        Entry {
            key: self.key,
            mask,
            priority: m.concat(&[sign, middle, rest]),
        }
    }
}

/// A change begins, a clock later: nothing is read yet.
fn begins(m: &mut Module, command: &Command) -> Node {
    let begins = command.begins_change(m);
    m.delay_reset("change_begins", begins)
}

/// The masks of all banks beside one.
pub(super) struct Compared {
    /// A bit for each bank that has it, but for the one that is cleared.
    pub(super) same: Node,
    /// Strobe: they are known.
    pub(super) done: Node,
    /// The mask of the entry that was read last, as it is stored.
    pub(super) word: Node,
}

impl Store {
    /// Goes through all banks, from `begins` on, for the host's mask, or for that of the bank that is cleared. `bank`: that of the entry that was
    /// read.
    pub(super) fn compare(
        &self,
        m: &mut Module,
        (asked, bank): (&Asked, Node),
        begins: Node,
        clearing: &Clearing,
    ) -> Compared {
        m.section("Preparation: the masks of the banks");
        let shape = self.shape;
        let bits = shape.bank_bits();
        let (number_reg, number) = m.reg("bank_compared", bits);
        let zero = m.zero(bits);
        let more = m.add_const(number, 1);
        let next = m.mux(begins, zero, more);
        m.set_next(number_reg, next);
        let last = m.eq_const(number, u64::from(shape.banks()) - 1);
        let (runs, ends) = runs(m, "compares_masks", begins, last);
        let other = m.mux(clearing.on, clearing.bank, bank);
        let address = m.mux(runs, number, other);
        let word = m.mem_read_async(self.masks, address);
        let word = m.delay("mask_of_bank", word);
        let wanted = m.mux(clearing.on, word, asked.entry.mask);
        let wanted = m.hold("mask_wanted", begins, wanted);
        let same = m.eq(word, wanted);
        let same = m.delay("has_the_mask", same);
        let number = m.delay("bank_compared_1", number);
        let is_cleared = m.eq(number, clearing.bank);
        let is_cleared = m.and(&[is_cleared, clearing.on]);
        let is_other = m.not(is_cleared);
        let is_other = m.delay("is_not_cleared", is_other);
        let one_hot = shape.one_hot(m, number);
        let one_hot = m.delay("bank_compared_2", one_hot);
        let compares = m.delay_reset("compares_masks_1", runs);
        let compares = m.delay_reset("compares_masks_2", compares);
        let (same_reg, banks) = m.reg("has_mask", shape.banks());
        let rest = m.not(one_hot);
        let rest = m.and(&[banks, rest]);
        let has = m.and(&[same, is_other]);
        let new = m.gate(has, one_hot);
        let banks_next = m.or(&[rest, new]);
        m.set_next_when(same_reg, compares, banks_next);
        Compared {
            same: banks,
            done: late(m, "masks_compared", ends, COMPARE_LATE),
            word,
        }
    }

    /// A free bank gets the host's mask, and the number of that: of a bank that has it already, or a free one.
    pub(super) fn allocate(
        &self,
        m: &mut Module,
        asked: &Asked,
        allocates: Node,
        options: &Options,
    ) {
        m.mem_write(self.masks, options.new_bank, asked.entry.mask, allocates);
        let number = m.mem_read_async(self.numbers, options.mask_bank);
        let number = m.mux(options.of_mask, number, options.mask_number);
        m.mem_write(self.numbers, options.new_bank, number, allocates);
    }
}
