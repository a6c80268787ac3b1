//! Longest prefix match: one lookup a clock, whatever the prefixes.
//!
//! A lookup is one of a ternary CAM built of RAM (`matching`, with all that the host does): each chunk of the key's bits
//! addresses a memory whose word says which entries can match. One more memory is addressed by the key's own length and says
//! which entries are not longer.
//!
//! Prefixes that match the same key have different lengths, and the longest wins. What remains is one bit, and its number the
//! entry.
//!
//! That is logic for each entry. Many prefixes are found by a search in memory ([`Search::Ranges`], [`ranges`]).

mod longest;
mod prepare;
mod ranges;
mod rows;

use crate::index_bits;
use crate::matching;
use crate::matching::answer::Answered;
use crate::matching::entries::{changes, Entries};
use crate::may::May;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};
use prepare::Prepared;
use ranges::Shape;

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
        /// The word that the sweep clears.
        clear_index: one "",
        start: one "a host command for this map begins",
        host_command: one "stands still from then on",
        /// What an update may do ([`May`]).
        host_may: one "",
        /// The entry that a dump reads.
        host_slot: one "",
        /// The key that the host means, byte 0 in bits 7:0.
        host_key: one "",
        /// With [`Lpm::bounded`]; stands still while there are prefixes.
        most: maybe "so many entries are used of those that there are, at least 1",
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
        host_answer: one "a clock later",
        host_slot_out: one "likewise: the entry that it is of",
        host_key_out: one "the key that a dump found",
    }
}

/// What a table must know.
pub struct Lpm {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Bytes of a key: 4 of length (little endian), then the data; the first bit is the highest of the first byte.
    pub key_bytes: u32,
    /// The most entries that it holds.
    pub max_entries: u32,
    /// What is read from the memories stands in registers before it is joined: a clock more, where memories are slow.
    pub registers: bool,
    /// How the longest is found.
    pub search: Search,
    /// It uses fewer entries than it has when it is told so ([`LpmHostIn::most`]).
    pub bounded: bool,
}

/// How the longest prefix is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Among rows with a bit for each entry: logic for each entry, few clocks, keys of any length.
    Rows {
        /// Bits of the lengths that are looked at in one clock, at least one.
        bits_a_clock: u32,
    },
    /// In a list of ranges, in memory: logic for each bit of the key, more clocks. What packets look up has all bits: their keys' lengths
    /// are not looked at.
    Ranges {
        /// What is found is chosen in a clock of its own, behind the last compare.
        apart: bool,
    },
}

/// Bits of the length in front of a key's data.
const LENGTH_FIELD: u32 = 32;

/// A chunk has at most this many bits: a block RAM has 512 rows where its words are widest.
const MOST_CHUNK_BITS: u32 = 9;

/// Entries times bits of data at most: so many registers and bits of a row there are in the order of.
const MOST_ENTRY_BITS: u32 = 1 << 18;

impl Lpm {
    /// Entries at most that are found by rows: more would not be searched in a clock.
    pub const MOST_IN_ROWS: u32 = 4096;
    /// Entries at most in a list of ranges: a change goes through all of them.
    pub const MOST_IN_RANGES: u32 = 1 << 16;
    /// The memory of the keys.
    pub const KEY_MEMORY: &str = "keys";

    /// Bits of a key's data.
    pub fn data_bits(key_bytes: u32) -> u32 {
        (key_bytes - LENGTH_FIELD / 8) * 8
    }

    /// The most entries that a table of such keys can have.
    pub fn most_entries(key_bytes: u32, search: Search) -> u32 {
        match search {
            Search::Rows { .. } => {
                (MOST_ENTRY_BITS / Lpm::data_bits(key_bytes)).min(Lpm::MOST_IN_ROWS)
            }
            Search::Ranges { .. } => Lpm::MOST_IN_RANGES,
        }
    }

    /// Bits that number the entries.
    pub fn entry_bits(max_entries: u32) -> u32 {
        index_bits(u64::from(max_entries))
    }

    /// Clocks from the stage of the key, R, to that of the answer.
    pub fn clocks(key_bytes: u32, max_entries: u32, registers: bool, search: Search) -> u32 {
        match search {
            Search::Rows { bits_a_clock } => {
                2 + u32::from(registers) + length_bits(key_bytes).div_ceil(bits_a_clock) + 1
            }
            Search::Ranges { apart } => {
                ranges::clocks(Shape::new(key_bytes, max_entries), registers, apart)
            }
        }
    }

    /// Words that are joined for a lookup among rows, each with a bit for each entry: those of the chunks, of the length, of the
    /// valid entries, and whether the length is possible.
    pub fn words(key_bytes: u32) -> u32 {
        chunks(key_bytes).len() as u32 + 3
    }

    /// Clocks that preparing an operation of the host may take.
    pub fn prepare_clocks(key_bytes: u32, max_entries: u32, search: Search) -> u32 {
        let rows = chunks(key_bytes).iter().map(|chunk| 1 << chunk.bits).max();
        let work = match search {
            Search::Rows { .. } => 2 * rows.unwrap_or(1),
            Search::Ranges { .. } => Shape::new(key_bytes, max_entries).pass_clocks(),
        };
        max_entries + work + 16
    }

    /// Bits of memory.
    pub fn memory_bits(key_bytes: u32, max_entries: u32, search: Search) -> u64 {
        let keys = u64::from(max_entries) * (1 + u64::from(key_bytes) * 8);
        keys + match search {
            Search::Rows { .. } => {
                let rows: u64 = chunks(key_bytes).iter().map(|chunk| 1 << chunk.bits).sum();
                let lengths = 1 << length_bits(key_bytes);
                u64::from(max_entries) * (rows + lengths)
            }
            Search::Ranges { .. } => Shape::new(key_bytes, max_entries).memory_bits(),
        }
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
    let chunks = matching::chunks(Lpm::data_bits(key_bytes), MOST_CHUNK_BITS).into_iter();
    chunks.map(|(first, bits)| Chunk { first, bits }).collect()
}

/// Bits of a length from 0 to all bits of the data.
fn length_bits(key_bytes: u32) -> u32 {
    index_bits(u64::from(Lpm::data_bits(key_bytes)) + 1)
}

/// The table.
///
/// No packet may stand in the three stages around the host's slot.
pub fn lpm(config: &Lpm) -> Block<LpmIn, LpmOut> {
    let table = Table::new(config);
    match config.search {
        Search::Rows { bits_a_clock } => table.build(bits_a_clock),
        Search::Ranges { apart } => table.build_ranges(apart),
    }
}

impl Answered {
    /// With what the preparation gives: whether the host's slot may come, and the key that a dump found.
    fn into_lpm(self, prepared: Node, host_key_out: Node) -> LpmOut {
        LpmOut {
            prepared,
            hit: self.hit,
            entry: self.entry,
            host_c: self.host_c,
            write_value: self.write_value,
            host_answer: self.host_answer,
            host_slot_out: self.host_slot,
            host_key_out,
        }
    }
}

struct Table<'a> {
    config: &'a Lpm,
    m: Module,
    entries: Entries,
    data_bits: u32,
    length_bits: u32,
    key_bits: u32,
    /// [`Lpm::clocks`].
    clocks: u32,
}

impl Table<'_> {
    fn new(config: &Lpm) -> Table<'_> {
        let data_bits = Lpm::data_bits(config.key_bytes);
        let Lpm {
            key_bytes,
            max_entries,
            registers,
            search,
            ..
        } = *config;
        let clocks = Lpm::clocks(key_bytes, max_entries, registers, search);
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
            entries: Entries(config.max_entries),
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
                clear_index: self.entries.bits(),
                start: 1,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_key: self.key_bits,
                most: self.config.bounded.then_some(32),
            },
        })
    }

    fn build(mut self, bits_a_clock: u32) -> Block<LpmIn, LpmOut> {
        let inputs = self.inputs();
        let LpmSlotIn { key, host_r } = inputs.slot;
        let host_1 = self.m.delay_reset("host_1", host_r);
        let prepared = self.prepare(&inputs.host, host_1);
        let decided = (&prepared.command, &prepared.decision);
        let changes = changes(&mut self.m, host_r, decided);
        let meant = (&prepared.command, prepared.one_hot);
        let valid = self.entries.valid(&mut self.m, changes, meant);
        let (stage, matching) = self.matching(key, valid, &prepared);
        let lengths = self.length_registers(&prepared);
        let matching = self.longest(stage, (matching, bits_a_clock), &lengths);
        let outputs = self.answers(host_1, matching, &prepared);
        self.m.into_block(inputs, outputs)
    }

    /// Stage A.
    fn answers(&mut self, host_1: Node, longest: Node, prepared: &Prepared) -> LpmOut {
        let m = &mut self.m;
        let answer = Answered::of(
            m,
            self.entries,
            (host_1, self.clocks),
            longest,
            (&prepared.command, &prepared.decision),
        );
        answer.into_lpm(prepared.ready, prepared.key)
    }

    /// The data of a key, first bit of the prefix first.
    fn data(&mut self, key: Node) -> Vec<Node> {
        let bits = 0..self.data_bits;
        bits.map(|number| self.prefix_bit(key, number)).collect()
    }

    /// Bit `number` of the prefix in a key.
    fn prefix_bit(&mut self, key: Node, number: u32) -> Node {
        let byte = number / 8;
        self.m.bit(key, LENGTH_FIELD + 8 * byte + 7 - number % 8)
    }
}
