//! Stages R and R + 1: the rows of the chunks are read for a packet's key; the host's sweep writes them.

use super::prepare::Prepared;
use super::{chunks, Chunk, Table, LENGTH_FIELD};
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
        words.push(self.m.sext(possible, self.entries));
        let matching = self.m.and(&words);
        (stage, self.m.delay("matching", matching))
    }

    /// The words of all chunks and of the length at the key, in stage R + 1.
    fn chunk_words(&mut self, key: Node, prepared: &Prepared) -> Vec<Node> {
        let sweep = &prepared.row;
        let mut words = Vec::new();
        for (number, chunk) in chunks(self.config.key_bytes).into_iter().enumerate() {
            let bits: Vec<Node> = (0..chunk.bits)
                .map(|bit| self.prefix_bit(key, chunk.first + bit))
                .collect();
            let address = self.m.concat(&bits);
            let matches = self.row_matches(chunk, prepared);
            let name = format!("chunk_{number}");
            words.push(self.swept_memory(&name, address, chunk.bits, matches, prepared));
        }
        let length = self.m.slice(key, 0, self.length_bits);
        let row = self.m.slice(sweep.row, 0, self.length_bits);
        let fits = self.m.ule(sweep.length, row);
        words.push(self.swept_memory("not_longer", length, self.length_bits, fits, prepared));
        words
    }

    /// Keys with the bits of the sweep's row in the place of a chunk can match the prepared entry.
    fn row_matches(&mut self, chunk: Chunk, prepared: &Prepared) -> Node {
        let sweep = &prepared.row;
        let differ: Vec<Node> = (0..chunk.bits)
            .map(|bit| {
                let place = (chunk.first + bit) as usize;
                // The first bit of the prefix is the highest of the row's number.
                let row_bit = self.m.bit(sweep.row, chunk.bits - 1 - bit);
                let other = self.m.xor(&[sweep.data[place], row_bit]);
                self.m.and(&[other, sweep.counts[place]])
            })
            .collect();
        let differs = self.m.or(&differ);
        self.m.not(differs)
    }

    /// A memory of one word of all entries' bits for each row. The sweep sets the prepared entry's bit to `bit`, which depends on
    /// the row only: it is known in the turn that reads and used in the one that writes.
    fn swept_memory(
        &mut self,
        name: &str,
        address: Node,
        address_bits: u32,
        bit: Node,
        prepared: &Prepared,
    ) -> Node {
        let sweep = &prepared.row;
        let memory = self
            .m
            .mem(name, self.entries, 1 << address_bits, MemStyle::Auto);
        let one = self.m.one();
        let word = self.m.mem_read_sync(memory, address, one);
        let row = self.m.slice(sweep.row, 0, address_bits);
        // Of a memory with fewer rows the first turn is the one that writes.
        let high = self.m.width(sweep.row) - address_bits;
        let write = if high == 0 {
            sweep.write
        } else {
            let beyond = self.m.slice(sweep.row, address_bits, high);
            let inside = self.m.eq_const(beyond, 0);
            self.m.and(&[sweep.write, inside])
        };
        let before = self.m.mem_read_sync(memory, row, one);
        let bit = self.m.delay(format!("{name}_sets"), bit);
        let others = self.m.not(prepared.one_hot);
        let kept = self.m.and(&[before, others]);
        let set = self.m.gate(bit, prepared.one_hot);
        let after = self.m.or(&[kept, set]);
        self.m.mem_write(memory, row, after, write);
        word
    }
}
