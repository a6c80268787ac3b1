//! Stages R and R + 1: the rows of the chunks are read for a packet's key; the host's sweep writes them.

use super::asked::Entry;
use super::fields::{Chunk, Field};
use super::prepare::Prepared;
use super::Table;
use crate::matching::rows::{row_differences, Column, EntryBit};
use crate::matching::sweep::Rows;
use hardpath_rtl::{MemStyle, Module, Node};

/// So many memories share a copy of the row's number.
const CHUNKS_A_COPY: usize = 4;

impl Table<'_> {
    /// The entries that match the key, one bit each, and the stage after R in which they stand in a register.
    pub(super) fn matching(&mut self, key: Node, valid: Node, prepared: &Prepared) -> (u32, Node) {
        self.m.section("Stage R: the rows are read");
        let mut words = self.chunk_words(key, prepared);
        words.extend(self.range_words(key, prepared));
        self.all_match(words, valid)
    }

    /// Where the words of all chunks and the valid bits are 1, and the stage after R that has it in front of its register.
    fn all_match(&mut self, mut words: Vec<Node>, valid: Node) -> (u32, Node) {
        let m = &mut self.m;
        let mut stage = 1;
        if self.config.registers {
            m.section("Stage R + 1: the rows, into registers");
            for (number, word) in words.iter_mut().enumerate() {
                *word = m.delay(format!("row_{number}"), *word);
            }
            stage = 2;
        }
        let (now, then) = (stage, stage + 1);
        m.section(format!(
            "Stage R + {now}: the entries that match, in a register in R + {then}"
        ));
        words.push(valid);
        let matching = m.and(&words);
        (stage, m.delay("matching", matching))
    }

    /// The words of all chunks at the key, in stage R + 1.
    fn chunk_words(&mut self, key: Node, prepared: &Prepared) -> Vec<Node> {
        let m = &mut self.m;
        let mut words = Vec::new();
        let chunks = self.fields.chunks();
        let style = match self.config.in_lut_ram() {
            true => MemStyle::Distributed,
            false => MemStyle::Auto,
        };
        let copies = row_copies(m, prepared.rows, chunks.len().div_ceil(CHUNKS_A_COPY));
        for (number, chunk) in chunks.iter().enumerate() {
            let column = Column {
                entries: self.entries,
                style,
                rows: copies[number / CHUNKS_A_COPY],
                one_hot: prepared.one_hot,
            };
            let address = chunk.of(m, key);
            let matches = chunk_matches(m, chunk, column.rows.row, &prepared.entry);
            words.push(column.memory(m, &format!("chunk_{number}"), address, matches));
        }
        words
    }
}

/// The rows, a clock later. Memories of LUTs have many pins.
fn row_copies(m: &mut Module, rows: Rows, count: usize) -> Vec<Rows> {
    let (row_bits, both) = (m.width(rows.row), m.concat(&[rows.write, rows.row]));
    let copies = m.delay_copies("write_and_row", both, count);
    let parts = |copy| Rows {
        row: m.slice(copy, 0, row_bits),
        write: m.bit(copy, row_bits),
    };
    copies.into_iter().map(parts).collect()
}

/// Keys with the bits of a row in the place of a chunk can match an entry.
fn chunk_matches(m: &mut Module, chunk: &Chunk, row: Node, entry: &Entry) -> Node {
    let differences = chunk_differences(m, chunk, row, entry);
    let differs = m.or(&differences);
    m.not(differs)
}

/// Why they cannot: one by one for bits, and one for a range.
pub(super) fn chunk_differences(
    m: &mut Module,
    chunk: &Chunk,
    row: Node,
    entry: &Entry,
) -> Vec<Node> {
    match chunk {
        Chunk::Bits(places) => bit_differences(m, places, row, entry),
        Chunk::Range(field) => {
            let matches = range_matches(m, field, row, entry);
            vec![m.not(matches)]
        }
    }
}

/// In which of these places the row differs from the entry.
fn bit_differences(m: &mut Module, places: &[u32], row: Node, entry: &Entry) -> Vec<Node> {
    let mut bits = Vec::new();
    for (of_row, place) in (0..).zip(places) {
        bits.push(EntryBit {
            of_row,
            value: m.bit(entry.key, *place),
            counts: m.bit(entry.mask, *place),
        });
    }
    row_differences(m, row, bits)
}

/// The row is in the range of the entry.
fn range_matches(m: &mut Module, field: &Field, row: Node, entry: &Entry) -> Node {
    let row = m.slice(row, 0, field.bits);
    let low = field.of(m, entry.key);
    let high = field.of(m, entry.mask);
    let from = m.ule(low, row);
    let to = m.ule(row, high);
    m.and(&[from, to])
}
