//! How many banks there are, and how wide what is in them is.

use super::PRIORITY_BITS;
use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// Banks beside one for each mask. A bank holds some two fifths of its rows before a mask needs another one, so of all entries five
/// masks can need a second one.
const SPARE: u32 = 6;
/// A half has at least so many rows, where there are as many entries.
const FEW_ROWS: u32 = 32;

/// How many there are of everything.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) masks: u32,
    pub(super) entries: u32,
    pub(super) key_bits: u32,
}

/// Banks of so many masks.
pub(super) fn banks(masks: u32) -> u32 {
    masks + SPARE
}

/// Rows of a half of a bank.
pub(super) fn rows(entries: u32) -> u32 {
    let quarter = entries.div_ceil(4).next_power_of_two();
    // The sweep goes through as many words as there are entries, and two at least.
    let most = 1 << entries.max(2).ilog2();
    quarter.max(FEW_ROWS.min(most))
}

impl Shape {
    pub(super) fn new(masks: u32, entries: u32, key_bits: u32) -> Shape {
        Shape {
            masks,
            entries,
            key_bits,
        }
    }

    pub(super) fn banks(self) -> u32 {
        banks(self.masks)
    }

    pub(super) fn rows(self) -> u32 {
        rows(self.entries)
    }

    /// Bits that number the banks.
    pub(super) fn bank_bits(self) -> u32 {
        index_bits(u64::from(self.banks()))
    }

    /// Bits that number the rows of a half.
    pub(super) fn index_bits(self) -> u32 {
        index_bits(u64::from(self.rows()))
    }

    /// Bits that number the entries.
    pub(super) fn number_bits(self) -> u32 {
        index_bits(u64::from(self.entries))
    }

    /// Bits that number the masks.
    pub(super) fn mask_number_bits(self) -> u32 {
        index_bits(u64::from(self.masks))
    }

    /// Bits of a place.
    pub(super) fn place_bits(self) -> u32 {
        self.bank_bits() + 1 + self.index_bits()
    }

    /// Bits of a row: whether an entry is there, its priority, its number, its key.
    pub(super) fn row_bits(self) -> u32 {
        1 + PRIORITY_BITS + self.number_bits() + self.key_bits
    }

    /// Bits of an entry by its number: whether it is there, its bank and half, its priority, its key.
    pub(super) fn entry_bits(self) -> u32 {
        1 + self.bank_bits() + 1 + PRIORITY_BITS + self.key_bits
    }

    /// A bit for each bank: the one of this number.
    pub(super) fn one_hot(self, m: &mut Module, bank: Node) -> Node {
        let bits = (0..self.banks()).rev();
        let bits: Vec<Node> = bits.map(|one| m.eq_const(bank, u64::from(one))).collect();
        m.concat(&bits)
    }
}

/// Where an entry stands: a row in a half of a bank.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) bank: Node,
    pub(super) half: Node,
    pub(super) index: Node,
}

impl Place {
    pub(super) fn word(self, m: &mut Module) -> Node {
        m.concat(&[self.bank, self.half, self.index])
    }

    pub(super) fn of_word(m: &mut Module, shape: Shape, word: Node) -> Place {
        let bits = shape.index_bits();
        Place {
            bank: m.slice(word, bits + 1, shape.bank_bits()),
            half: m.bit(word, bits),
            index: m.slice(word, 0, bits),
        }
    }

    /// One of two.
    pub(super) fn mux(m: &mut Module, first: Node, one: Place, other: Place) -> Place {
        Place {
            bank: m.mux(first, one.bank, other.bank),
            half: m.mux(first, one.half, other.half),
            index: m.mux(first, one.index, other.index),
        }
    }

    /// A register, where `enable` says so.
    pub(super) fn hold(m: &mut Module, name: &str, enable: Node, next: Place) -> Place {
        Place {
            bank: m.hold(format!("{name}_bank"), enable, next.bank),
            half: m.hold(format!("{name}_half"), enable, next.half),
            index: m.hold(format!("{name}_index"), enable, next.index),
        }
    }
}
