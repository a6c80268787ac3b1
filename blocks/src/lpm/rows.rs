//! Stages R and R + 1: the rows of the chunks are read for a packet's key; the host's sweep writes them.

use super::prepare::Prepared;
use super::{chunks, Chunk, Table, LENGTH_FIELD};
use crate::matching::rows::{row_matches, Column, EntryBit};
use hardpath_rtl::{MemStyle, Node};

impl Table<'_> {
    /// The entries that match the key, one bit each, and the stage after R in which they stand in a register.
    pub(super) fn matching(&mut self, key: Node, valid: Node, prepared: &Prepared) -> (u32, Node) {
        self.m.section("Stage R: the rows are read");
        let mut words = self.chunk_words(key, prepared);
        let length = self.m.slice(key, 0, LENGTH_FIELD);
        let longest = self.m.constant(u64::from(self.data_bits), LENGTH_FIELD);
        let possible = self.m.ule(length, longest);
        let mut possible = self.m.delay("length_is_possible", possible);
        let mut stage = 1;
        if self.config.registers {
            self.m.section("Stage R + 1: the rows, into registers");
            for (number, word) in words.iter_mut().enumerate() {
                *word = self.m.delay(format!("row_{number}"), *word);
            }
            possible = self.m.delay("length_is_possible_2", possible);
            stage = 2;
        }
        let (now, then) = (stage, stage + 1);
        self.m.section(format!(
            "Stage R + {now}: the entries that match, in a register in R + {then}"
        ));
        words.push(valid);
        words.push(self.m.sext(possible, self.entries.0));
        let matching = self.m.and(&words);
        (stage, self.m.delay("matching", matching))
    }

    /// The words of all chunks and of the length at the key, in stage R + 1.
    fn chunk_words(&mut self, key: Node, prepared: &Prepared) -> Vec<Node> {
        let column = Column {
            entries: self.entries,
            style: MemStyle::Auto,
            rows: prepared.rows,
            one_hot: prepared.one_hot,
        };
        let mut words = Vec::new();
        for (number, chunk) in chunks(self.config.key_bytes).into_iter().enumerate() {
            let bits: Vec<Node> = (0..chunk.bits)
                .map(|bit| self.prefix_bit(key, chunk.first + bit))
                .collect();
            let address = self.m.concat(&bits);
            let matches = self.chunk_matches(chunk, prepared);
            let name = format!("chunk_{number}");
            words.push(column.memory(&mut self.m, &name, address, matches));
        }
        let m = &mut self.m;
        let length = m.slice(key, 0, self.length_bits);
        let row = m.slice(prepared.rows.row, 0, self.length_bits);
        let fits = m.ule(prepared.prefix.length, row);
        words.push(column.memory(m, "not_longer", length, fits));
        words
    }

    /// Keys with the bits of the sweep's row in the place of a chunk can match the prepared entry.
    fn chunk_matches(&mut self, chunk: Chunk, prepared: &Prepared) -> Node {
        let bits = (0..chunk.bits).map(|bit| {
            let place = (chunk.first + bit) as usize;
            EntryBit {
                // The first bit of the prefix is the highest of the row's number.
                of_row: chunk.bits - 1 - bit,
                value: prepared.prefix.data[place],
                counts: prepared.prefix.counts[place],
            }
        });
        row_matches(&mut self.m, prepared.rows.row, bits)
    }
}
