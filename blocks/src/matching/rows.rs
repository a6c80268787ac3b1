//! The memories of the chunks: read for a packet's key, written by the host's sweep.

use super::entries::Entries;
use super::sweep::Rows;
use hardpath_rtl::{MemStyle, Module, Node};

/// A bit of a prepared entry, beside the one of the row that stands for the same place of a key.
pub(crate) struct EntryBit {
    /// Which bit of the row's number.
    pub(crate) of_row: u32,
    pub(crate) value: Node,
    /// Whether keys must have the value in this place.
    pub(crate) counts: Node,
}

/// Where keys with the bits of the row in the place of a chunk differ from the prepared entry, a bit for each.
pub(crate) fn row_differences(
    m: &mut Module,
    row: Node,
    bits: impl IntoIterator<Item = EntryBit>,
) -> Vec<Node> {
    let mut differ = Vec::new();
    for bit in bits {
        let row_bit = m.bit(row, bit.of_row);
        let other = m.xor(&[bit.value, row_bit]);
        differ.push(m.and(&[other, bit.counts]));
    }
    differ
}

/// Such keys can match the entry.
pub(crate) fn row_matches(
    m: &mut Module,
    row: Node,
    bits: impl IntoIterator<Item = EntryBit>,
) -> Node {
    let differ = row_differences(m, row, bits);
    let differs = m.or(&differ);
    m.not(differs)
}

/// What a sweep does in every memory.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) entries: Entries,
    pub(crate) style: MemStyle,
    pub(crate) rows: Rows,
    /// The entry whose bits are set.
    pub(crate) one_hot: Node,
}

impl Column {
    /// A memory of one word of all entries' bits for each row. The sweep sets the prepared entry's bit to `bit`, which depends on
    /// the row only: it is known in the turn that reads and used in the one that writes. Gives the word at the address, a clock
    /// later.
    pub(crate) fn memory(self, m: &mut Module, name: &str, address: Node, bit: Node) -> Node {
        let Column { rows, one_hot, .. } = self;
        let address_bits = m.width(address);
        let memory = m.mem(name, self.entries.0, 1 << address_bits, self.style);
        let one = m.one();
        let word = m.mem_read_sync(memory, address, one);
        let row = m.slice(rows.row, 0, address_bits);
        // Of a memory with fewer rows the first turn is the one that writes.
        let high = m.width(rows.row) - address_bits;
        let write = if high == 0 {
            rows.write
        } else {
            let beyond = m.slice(rows.row, address_bits, high);
            let inside = m.eq_const(beyond, 0);
            m.and(&[rows.write, inside])
        };
        let before = m.mem_read_sync(memory, row, one);
        let bit = m.delay(format!("{name}_sets"), bit);
        let others = m.not(one_hot);
        let kept = m.and(&[before, others]);
        let set = m.gate(bit, one_hot);
        let after = m.or(&[kept, set]);
        m.mem_write(memory, row, after, write);
        word
    }
}
