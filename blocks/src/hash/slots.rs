//! Slots, as the host counts them.
//!
//! An entry's number has its place in front of its row. A slot's has it behind, so that the slots of a row are neighbours: an operation
//! that reads one of them reads all, and so a search for the next entry takes one for each row.

use super::places::{PLACES, PLACE_BITS};
use super::Hash;
use hardpath_rtl::{Module, Node};

impl Hash {
    /// The slot of an entry.
    pub fn slot(max_entries: u32, entry: u32) -> u32 {
        let rows = Hash::rows(max_entries);
        entry % rows * PLACES + entry / rows
    }

    /// The same in hardware.
    pub fn slot_of(m: &mut Module, max_entries: u32, entry: Node) -> Node {
        let row_bits = Hash::row_bits(max_entries);
        let row = m.slice(entry, 0, row_bits);
        let place = m.slice(entry, row_bits, PLACE_BITS);
        m.concat(&[row, place])
    }

    /// The entry in a slot; bits above those of a slot stay where they are.
    pub fn entry_of(m: &mut Module, max_entries: u32, slot: Node) -> Node {
        let row_bits = Hash::row_bits(max_entries);
        let place = m.slice(slot, 0, PLACE_BITS);
        let row = m.slice(slot, PLACE_BITS, row_bits);
        let entry = m.concat(&[place, row]);
        let bits = PLACE_BITS + row_bits;
        match m.width(slot) {
            width if width == bits => entry,
            width => {
                let high = m.slice(slot, bits, width - bits);
                m.concat(&[high, entry])
            }
        }
    }
}
