//! Values that are too long for registers: a memory that the host reads and writes by words, and a map by 16 bytes.
//!
//! A map takes them from there for an update, and puts them there for a lookup, while its operation is under way. What a host writes goes
//! there whichever map is selected; what it reads comes from there where that map has long values.

use super::channels::Write;
use super::operation::Operation;
use super::registers::Readable;
use super::HostPort;
use crate::counters::choose;
use crate::index_bits;
use hardpath_registers::register;
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// Bytes that a map takes or puts in a clock.
pub const LONG_BYTES: u32 = 16;

/// Clocks from [`LongIn::long_row`] to [`HostOut::long_bytes`](super::HostOut::long_bytes).
pub const LONG_CLOCKS: u32 = 2;

/// Memories beside each other, of one word of the bus each.
const WORDS: u32 = LONG_BYTES / 4;

/// Maps with long values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Long {
    /// Their numbers.
    pub maps: Vec<u32>,
    /// Of the longest value.
    pub value_bytes: u32,
}

signals! {
    /// What a map with long values does to the memory of them. While no operation of it is under way, zeros.
    pub struct LongIn {
        long_row: one "16 bytes of the value: the number of those that are wanted or given",
        long_gives: one "strobe: they are given",
        long_given: one "these",
    }
}

impl Long {
    /// 16 bytes each.
    fn rows(&self) -> u32 {
        self.value_bytes.div_ceil(LONG_BYTES)
    }

    /// Bits of a row's number.
    pub fn row_bits(&self) -> u32 {
        index_bits(self.rows().max(2).into())
    }
}

impl LongIn<u32> {
    /// In bits.
    pub fn of(long: &Long) -> LongIn<u32> {
        LongIn {
            long_row: long.row_bits(),
            long_gives: 1,
            long_given: 8 * LONG_BYTES,
        }
    }
}

/// What the memory says.
pub(super) struct LongValues {
    /// The selected map has long values.
    pub(super) selected: Node,
    /// What an address means.
    pub(super) readable: Readable,
    /// For the map.
    pub(super) bytes: Node,
}

impl HostPort<'_> {
    pub(super) fn long_values(
        &mut self,
        write: &Write,
        operation: &Operation,
        read_word: Node,
    ) -> Option<LongValues> {
        let (long, map) = self.config.long.as_ref().zip(self.inputs.long.as_ref())?;
        let m = &mut self.m;
        m.section("Long values");
        let of_maps = long.maps.iter();
        let of_maps = of_maps.map(|number| m.eq_const(operation.map_select, u64::from(*number)));
        let of_maps: Vec<Node> = of_maps.collect();
        let selected = m.or(&of_maps);
        let selected = m.delay("selects_long", selected);
        let busy = m.not(operation.still);
        let (written, write_word) = place_of(m, "writes_long", long, write.word);
        let (read, read_word) = place_of(m, "reads_long", long, read_word);
        let [row_written, row_read] =
            [write_word, read_word].map(|word| m.slice(word, 2, long.row_bits()));
        self.places.push(written);
        let by_bus = m.and(&[operation.map_write, written]);
        let to = m.mux(busy, map.long_row, row_written);
        let from = m.mux(busy, map.long_row, row_read);
        let lane = m.slice(write_word, 0, 2);
        let one = m.one();
        let words = (0..WORDS).map(|number| {
            let memory = m.mem(
                format!("long_{number}"),
                32,
                long.rows().max(2),
                MemStyle::Auto,
            );
            let mine = m.eq_const(lane, number.into());
            let mine = m.and(&[by_bus, mine]);
            let given = m.slice(map.long_given, 32 * number, 32);
            let data = m.mux(busy, given, write.data);
            let writes = m.or(&[mine, map.long_gives]);
            m.mem_write(memory, to, data, writes);
            m.mem_read_sync(memory, from, one)
        });
        let words: Vec<Node> = words.collect();
        let lane = m.slice(read_word, 0, 2);
        let word = choose(m, &words, lane);
        let here = m.and(&[read, selected]);
        let words: Vec<Node> = words.into_iter().rev().collect();
        let bytes = m.concat(&words);
        Some(LongValues {
            selected,
            readable: (m.delay("reads_long_value", here), m.name(word, "long_word")),
            bytes: m.delay("long_bytes", bytes),
        })
    }
}

/// Whether a word of the bus is one of the longest value, and which.
fn place_of(m: &mut Module, name: &str, long: &Long, word: Node) -> (Node, Node) {
    let from_first = m.sub_const(word, u64::from(register::VALUE / 4));
    let words = u64::from(long.rows() * WORDS);
    let limit = m.constant(words, m.width(word));
    let there = m.ult(from_first, limit);
    (m.name(there, name), from_first)
}
