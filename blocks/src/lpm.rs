//! Longest prefix match: one lookup a clock, whatever the prefixes.
//!
//! A lookup is one of a ternary CAM built of RAM. The key's bits are cut into chunks. Each chunk addresses a memory whose
//! word has a bit for each entry: the entry can match a key with these bits in this place. One more memory is addressed
//! by the key's own length and says which entries are not longer. The AND of all words are the entries that match (the
//! construction is known from FPGA TCAMs: Jiang, "Scalable Ternary Content Addressable Memory Implementation Using FPGAs",
//! ANCS 2013).
//!
//! Prefixes that match the same key have different lengths. The longest is found bit by bit, from the top of the lengths:
//! where an entry that still matches has a 1, all with a 0 are out. What remains is one bit, and its number the entry.
//!
//! **Changing an entry.** Only the host changes entries, one operation at a time. A new entry has a bit in every word of
//! every chunk, so all rows are gone through, reading and writing in turns, while packets go on: the entry is not valid
//! yet, and its bits do not count. All this happens before the host's slot enters the pipeline (`prepared`). The slot
//! then makes the entry valid, or takes it away, in one clock and in its place among the packets.

mod decide;
mod longest;
mod prepare;
mod rows;
mod scan;

use crate::answer::{answer_constant, Answer, ANSWER_BITS};
use crate::index_bits;
use crate::may::May;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};
use prepare::Prepared;

signals! {
    /// Into a table. Stage R is the one in which `key` stands in registers; A = R + [`Lpm::clocks`].
    pub struct LpmIn {
        slot: all LpmSlotIn,
        host: all LpmHostIn,
    }
}

signals! {
    /// What passes the table: packets, and in their place the host.
    pub struct LpmSlotIn {
        /// The host's, in its slot.
        key: one "stage R",
        host_r: one "stage R: this slot is a host operation on this map",
    }
}

signals! {
    /// The host's registers, and the sweep. From `start` on the registers stand still until the operation is over.
    pub struct LpmHostIn {
        clear: one "the sweep after reset",
        clear_index: one "",
        start: one "a host command for this map begins",
        host_command: one "stands still from then on",
        host_may: one "",
        host_slot: one "",
        host_key: one "",
    }
}

signals! {
    /// Out of a table.
    pub struct LpmOut {
        /// From this clock to the next `start`.
        prepared: one "the host's slot may come",
        hit: one "stage A",
        /// For the host's update, delete and dump the entry that is meant.
        entry: one "stage A",
        host_c: one "stage A: this slot is the host's",
        write_value: one "stage A: the value of entry is to be written",
        host_answer: one "an answer",
        host_key_out: one "the key that a dump found",
    }
}

/// What a table must know.
pub struct Lpm {
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Bytes of a key: 4 of length (little endian), then the data; the first bit is the highest of the first byte.
    pub key_bytes: u32,
    pub max_entries: u32,
    /// What is read from the memories stands in registers before it is joined: a clock more, where memories are slow.
    pub registers: bool,
    /// Bits of the lengths that the search for the longest looks at in one clock, at least one.
    pub bits_a_clock: u32,
}

/// Bits of the length in front of a key's data.
const LENGTH_FIELD: u32 = 32;
/// A chunk has at most this many bits: a block RAM has 512 rows where its words are widest.
const MOST_CHUNK_BITS: u32 = 9;

/// Entries times bits of data at most: so many registers and bits of a row there are in the order of.
const MOST_ENTRY_BITS: u32 = 1 << 18;
/// Entries at most: more would not be searched in a clock.
const MOST_ENTRIES: u32 = 4096;

impl Lpm {
    /// The memory of the keys.
    pub const KEY_MEMORY: &str = "keys";

    /// Bits of a key's data.
    pub fn data_bits(key_bytes: u32) -> u32 {
        (key_bytes - LENGTH_FIELD / 8) * 8
    }

    /// The most entries that a table of such keys can have.
    pub fn most_entries(key_bytes: u32) -> u32 {
        (MOST_ENTRY_BITS / Lpm::data_bits(key_bytes)).min(MOST_ENTRIES)
    }

    /// Bits that number the entries.
    pub fn entry_bits(max_entries: u32) -> u32 {
        index_bits(u64::from(max_entries))
    }

    /// Clocks from the stage of the key, R, to that of the answer.
    pub fn clocks(key_bytes: u32, registers: bool, bits_a_clock: u32) -> u32 {
        2 + u32::from(registers) + length_bits(key_bytes).div_ceil(bits_a_clock) + 1
    }

    /// Words that are joined for a lookup, each with a bit for each entry: those of the chunks, of the length, of the
    /// valid entries, and whether the length is possible.
    pub fn words(key_bytes: u32) -> u32 {
        chunks(key_bytes).len() as u32 + 3
    }

    /// Clocks that preparing an operation of the host may take.
    pub fn prepare_clocks(key_bytes: u32, max_entries: u32) -> u32 {
        let rows = chunks(key_bytes).iter().map(|chunk| 1 << chunk.bits).max();
        max_entries + 2 * rows.unwrap_or(1) + 16
    }

    /// Bits of memory.
    pub fn memory_bits(key_bytes: u32, max_entries: u32) -> u64 {
        let rows: u64 = chunks(key_bytes).iter().map(|chunk| 1 << chunk.bits).sum();
        let lengths = 1 << length_bits(key_bytes);
        u64::from(max_entries) * (rows + lengths + 1 + u64::from(key_bytes) * 8)
    }
}

/// A part of the data that addresses a memory: `bits` bits from bit `first` of the prefix on.
#[derive(Clone, Copy)]
struct Chunk {
    first: u32,
    bits: u32,
}

/// The data in chunks of nearly the same size.
fn chunks(key_bytes: u32) -> Vec<Chunk> {
    let data_bits = Lpm::data_bits(key_bytes);
    let count = data_bits.div_ceil(MOST_CHUNK_BITS);
    let mut first = 0;
    (0..count)
        .map(|number| {
            let end = data_bits * (number + 1) / count;
            let chunk = Chunk {
                first,
                bits: end - first,
            };
            first = end;
            chunk
        })
        .collect()
}

/// Bits of a length from 0 to all bits of the data.
fn length_bits(key_bytes: u32) -> u32 {
    index_bits(u64::from(Lpm::data_bits(key_bytes)) + 1)
}

/// The table.
///
/// No packet may stand in the three stages around the host's slot.
pub fn lpm(config: &Lpm) -> Block<LpmIn, LpmOut> {
    Table::new(config).build()
}

struct Table<'a> {
    config: &'a Lpm,
    m: Module,
    entries: u32,
    entry_bits: u32,
    data_bits: u32,
    length_bits: u32,
    key_bits: u32,
    /// [`Lpm::clocks`].
    clocks: u32,
}

impl Table<'_> {
    fn new(config: &Lpm) -> Table<'_> {
        let data_bits = Lpm::data_bits(config.key_bytes);
        let clocks = Lpm::clocks(config.key_bytes, config.registers, config.bits_a_clock);
        Table {
            clocks,
            m: Module::new(
                config.name.clone(),
                format!(
                    "Prefixes of map {}: {} x up to {data_bits} bits, found by the longest match.\n\
                     Lookup: the key belongs to stage R, hit and entry stand in registers in stage R + {clocks}.\n\
                     Only the host changes entries. Before its slot comes, the table is made ready for it, while packets go\n\
                     on; the slot makes the change in one clock, in its place among the packets.",
                    config.map, config.max_entries,
                ),
            ),
            entries: config.max_entries,
            entry_bits: Lpm::entry_bits(config.max_entries),
            data_bits,
            length_bits: length_bits(config.key_bytes),
            key_bits: config.key_bytes * 8,
            config,
        }
    }

    fn inputs(&mut self) -> LpmIn {
        self.m.inputs(LpmIn {
            slot: LpmSlotIn {
                key: self.key_bits,
                host_r: 1,
            },
            host: LpmHostIn {
                clear: 1,
                clear_index: self.entry_bits,
                start: 1,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_key: self.key_bits,
            },
        })
    }

    fn build(mut self) -> Block<LpmIn, LpmOut> {
        let inputs = self.inputs();
        let LpmSlotIn { key, host_r } = inputs.slot;
        let host_1 = self.m.delay_reset("host_1", host_r);
        let prepared = self.prepare(&inputs.host, host_1);
        let valid = self.valid_entries(host_r, &prepared);
        let (stage, matching) = self.matching(key, valid, &prepared);
        let lengths = self.length_registers(&prepared);
        let matching = self.longest(stage, matching, &lengths);
        let outputs = self.answers(host_1, matching, &prepared);
        self.m.into_block(inputs, outputs)
    }

    /// A bit for each entry that the host's slots have made valid.
    fn valid_entries(&mut self, host_r: Node, prepared: &Prepared) -> Node {
        let m = &mut self.m;
        m.section("Valid entries");
        let kind = m.or(&[prepared.is_update, prepared.is_delete]);
        let changes = m.and(&[host_r, kind, prepared.fine]);
        let changes = m.delay_reset("changes", changes);
        let (valid_reg, valid) = m.reg_reset("valid", self.entries, 0);
        let others = m.not(prepared.one_hot);
        let without = m.and(&[valid, others]);
        let added = m.gate(prepared.is_update, prepared.one_hot);
        let valid_next = m.or(&[without, added]);
        m.set_next_when(valid_reg, changes, valid_next);
        valid
    }

    /// Stage A: the entry's number, for a packet that of the longest match, for the host that which it means.
    fn answers(&mut self, host_1: Node, matching: Node, prepared: &Prepared) -> LpmOut {
        self.m.section("The entry's number");
        let clocks = self.clocks;
        let mut host = host_1;
        for clock in 2..clocks {
            host = self.m.delay_reset(format!("host_{clock}"), host);
        }
        let reads = self.m.not(prepared.is_lookup);
        let means = self.m.and(&[host, reads]);
        let hit = self.m.reduce_or(matching);
        let found = self.number(matching);
        let m = &mut self.m;
        let entry = m.mux(means, prepared.entry, found);
        let hit = m.delay("hit", hit);
        let entry = m.delay("entry", entry);
        let host_c = m.delay_reset(format!("host_{clocks}"), host);
        let write_value = m.and(&[host_c, prepared.is_update, prepared.fine]);
        let missed = m.not(hit);
        let missed = m.and(&[missed, prepared.is_lookup]);
        let missing = answer_constant(m, Answer::Missing);
        let answer = m.mux(missed, missing, prepared.answer);
        let (answer_reg, host_answer) = m.reg("host_answer_reg", ANSWER_BITS);
        m.set_next_when(answer_reg, host_c, answer);
        LpmOut {
            prepared: prepared.ready,
            hit,
            entry,
            host_c,
            write_value,
            host_answer,
            host_key_out: prepared.key,
        }
    }

    /// Bit `number` of the prefix in a key.
    fn prefix_bit(&mut self, key: Node, number: u32) -> Node {
        let byte = number / 8;
        self.m.bit(key, LENGTH_FIELD + 8 * byte + 7 - number % 8)
    }

    /// The number of the one bit that is set.
    fn number(&mut self, one_hot: Node) -> Node {
        let mut bits: Vec<Node> = (0..self.entry_bits)
            .map(|bit| {
                let with_bit: Vec<Node> = (0..self.entries)
                    .filter(|entry| entry >> bit & 1 == 1)
                    .map(|entry| self.m.bit(one_hot, entry))
                    .collect();
                match with_bit.is_empty() {
                    true => self.m.zero(1),
                    false => self.m.or(&with_bit),
                }
            })
            .collect();
        bits.reverse();
        self.m.concat(&bits)
    }
}
