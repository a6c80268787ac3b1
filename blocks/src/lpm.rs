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

mod prepare;

use crate::errno::{errno_constant, ENOENT, ERRNO_BITS};
use crate::index_bits;
use hardpath_rtl::{MemStyle, Module, Node};
use prepare::Prepared;

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

/// The table. Stage R is the one in which `key` stands in registers; A = R + [`Lpm::clocks`].
///
/// Ports: `key`, `host_r` (R: the slot is a host operation on this map, `key` its key) → `hit`, `entry` (A, from registers;
/// for the host's update, delete and dump the entry that is meant). `host_c`, `write_value`: at A, as those of
/// [`crate::hash::hash_table`]. `start`: a host command for this map begins; the host's registers stand still from then on
/// until it is over. `prepared`: its slot may come, from this clock to the next `start`. `clear`, `clear_index`: the sweep
/// after reset. `host_errno`, `host_key_out`: from registers after A.
///
/// No packet may stand in the three stages around the host's slot.
pub fn lpm(config: &Lpm) -> Module {
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
                     on; the slot makes the change in one clock, in its place among the packets.\n\
                     Errors as the kernel's trie_update_elem: EINVAL 22, EEXIST 17, ENOENT 2, ENOSPC 28.",
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

    fn build(mut self) -> Module {
        let key = self.m.input("key", self.key_bits, "stage R");
        let host_r = self.m.input(
            "host_r",
            1,
            "stage R: this slot is a host operation on this map",
        );
        let clear = self.m.input("clear", 1, "the sweep after reset");
        let clear_index = self.m.input("clear_index", self.entry_bits, "");
        let host_1 = self.m.delay_reset("host_1", host_r);
        let prepared = self.prepare(host_1, clear, clear_index);

        self.m.section("Valid entries");
        let fine = self.m.eq_const(prepared.errno, 0);
        let appears = self.m.and(&[host_1, prepared.is_update, fine]);
        let vanishes = self.m.and(&[host_1, prepared.is_delete, fine]);
        let (valid_reg, valid) = self.m.reg_reset("valid", self.entries, 0);
        let others = self.m.not(prepared.one_hot);
        let without = self.m.and(&[valid, others]);
        let added = self.m.gate(appears, prepared.one_hot);
        let valid_next = self.m.or(&[without, added]);
        let changes = self.m.or(&[appears, vanishes]);
        self.m.set_next_when(valid_reg, changes, valid_next);

        self.m.section("Stage R: the rows are read");
        let mut words = self.chunk_words(key, &prepared);
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
        let mut matching = self.m.delay("matching", matching);

        let lengths = self.length_registers(&prepared);
        let a_clock = self.config.bits_a_clock as usize;
        for (clock, bits) in (1..).zip(lengths.chunks(a_clock)) {
            self.m
                .section(format!("Stage R + {}: longer ones win", stage + clock));
            for ones in bits {
                let long = self.m.and(&[matching, *ones]);
                let some = self.m.reduce_or(long);
                let none = self.m.not(some);
                let all = self.m.sext(none, self.entries);
                let stays = self.m.or(&[*ones, all]);
                matching = self.m.and(&[matching, stays]);
            }
            matching = self.m.delay(format!("longest_{clock}"), matching);
        }

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
        let entry = self.m.mux(means, prepared.entry, found);
        let hit = self.m.delay("hit", hit);
        let entry = self.m.delay("entry", entry);
        let host_c = self.m.delay_reset(format!("host_{clocks}"), host);
        self.m.output("hit", hit, "stage A");
        self.m.output("entry", entry, "stage A");
        self.m
            .output("host_c", host_c, "stage A: this slot is the host's");
        let write_value = self.m.and(&[host_c, prepared.is_update, fine]);
        self.m.output(
            "write_value",
            write_value,
            "stage A: the value of entry is to be written",
        );
        let missed = self.m.not(hit);
        let missed = self.m.and(&[missed, prepared.is_lookup]);
        let enoent = errno_constant(&mut self.m, ENOENT);
        let errno = self.m.mux(missed, enoent, prepared.errno);
        let (errno_reg, errno_held) = self.m.reg("host_errno_reg", ERRNO_BITS);
        self.m.set_next_when(errno_reg, host_c, errno);
        self.m
            .output("host_errno", errno_held, "0 or a positive errno");
        self.m
            .output("host_key_out", prepared.key, "the key that a dump found");
        self.m
    }

    /// Bit `number` of the prefix in a key.
    fn prefix_bit(&mut self, key: Node, number: u32) -> Node {
        let byte = number / 8;
        self.m.bit(key, LENGTH_FIELD + 8 * byte + 7 - number % 8)
    }

    /// The words of all chunks and of the length at the key, in stage R + 1; the host's sweep writes them.
    fn chunk_words(&mut self, key: Node, prepared: &Prepared) -> Vec<Node> {
        let sweep = &prepared.row;
        let mut words = Vec::new();
        for (number, chunk) in chunks(self.config.key_bytes).into_iter().enumerate() {
            let bits: Vec<Node> = (0..chunk.bits)
                .map(|bit| self.prefix_bit(key, chunk.first + bit))
                .collect();
            let address = self.m.concat(&bits);
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
            let matches = self.m.not(differs);
            let name = format!("chunk_{number}");
            words.push(self.swept_memory(&name, address, chunk.bits, matches, prepared));
        }
        let length = self.m.slice(key, 0, self.length_bits);
        let row = self.m.slice(sweep.row, 0, self.length_bits);
        let fits = self.m.ule(sweep.length, row);
        words.push(self.swept_memory("not_longer", length, self.length_bits, fits, prepared));
        words
    }

    /// A memory of one word of all entries' bits for each row. The sweep sets the prepared entry's bit to `bit`.
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
        let others = self.m.not(prepared.one_hot);
        let kept = self.m.and(&[before, others]);
        let set = self.m.gate(bit, prepared.one_hot);
        let after = self.m.or(&[kept, set]);
        self.m.mem_write(memory, row, after, write);
        word
    }

    /// A register for each bit of the lengths, the highest first, with that bit of every entry.
    fn length_registers(&mut self, prepared: &Prepared) -> Vec<Node> {
        self.m.section("Lengths of the prefixes");
        let others = self.m.not(prepared.one_hot);
        (0..self.length_bits)
            .rev()
            .map(|bit| {
                let (reg, ones) = self.m.reg(format!("length_bit_{bit}"), self.entries);
                let kept = self.m.and(&[ones, others]);
                let one = self.m.bit(prepared.row.length, bit);
                let set = self.m.gate(one, prepared.one_hot);
                let next = self.m.or(&[kept, set]);
                self.m.set_next_when(reg, prepared.row.write, next);
                ones
            })
            .collect()
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
