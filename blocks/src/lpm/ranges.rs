//! Many prefixes: a search among ranges.
//!
//! Prefixes cut all keys into ranges that have the same longest prefix, at most two more with each prefix. Where such a range begins
//! stands in a list in order, with what is found there; a lookup searches the last begin that is not behind the key, up to four bits of its
//! place at a time, so that each level of the search is a read of up to fifteen memories and as many compares ([`search`]). Few words of a
//! level stand in LUTs, and are read and compared in one clock. That is memory, where the rows
//! of the other way are logic for each entry. The list has two copies: packets search in one while an operation of the host writes the
//! other ([`pass`]), and the host's slot exchanges them in one clock.
//!
//! (The search among the ends of prefixes is known from Lampson, Srinivasan and Varghese, "IP Lookups Using Multiway and Multicolumn
//! Search", INFOCOM 1998.)
//!
//! What packets look up is as long as prefixes can be; a shorter key of the host is found by the look at all entries ([`covering`]).

mod covering;
mod pass;
mod search;

use super::{length_bits, Lpm, LpmHostIn, LpmIn, LpmOut, LpmSlotIn, Table};
use crate::answer::{answer_constant, Answer};
use crate::array::LUT_RAM_WORDS;
use crate::index_bits;
use crate::matching::answer::{later_host, Answered};
use crate::matching::asked::Command;
use crate::matching::decision::{decides, operation_answer, Decision};
use crate::matching::entries::{changes, write_keys};
use crate::matching::sweep::ready_after;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Module, Node};
use pass::Change;
pub(super) use search::clocks;

/// Bits of a place that one level of the search finds at most: more take fewer clocks, and more compares. Of many places there are many
/// levels.
const MOST_DIGIT_BITS: u32 = 3;
const MOST_OF_MANY: u32 = 4;
/// So many places are many.
const MANY_PLACES: u32 = 1 << 13;

/// How large the lists are.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    data_bits: u32,
    length_bits: u32,
    entries: u32,
}

impl Shape {
    pub(super) fn new(key_bytes: u32, entries: u32) -> Shape {
        Shape {
            data_bits: Lpm::data_bits(key_bytes),
            length_bits: length_bits(key_bytes),
            entries,
        }
    }

    /// Places at most, from 1 on; at 0 the list begins, and so do the keys.
    fn places(self) -> u32 {
        2 * self.entries
    }

    /// Bits of a place.
    fn place_bits(self) -> u32 {
        index_bits(u64::from(self.places()) + 1)
    }

    /// Bits that tell places but 0 from each other.
    fn address_bits(self) -> u32 {
        index_bits(u64::from(self.places()))
    }

    /// Levels of the search; 0 is the last one.
    pub(super) fn levels(self) -> u32 {
        let most = match self.places() >= MANY_PLACES {
            true => MOST_OF_MANY,
            false => MOST_DIGIT_BITS,
        };
        self.place_bits().div_ceil(most)
    }

    /// Bits of a place that a level finds: nearly the same in all, the lowest have more.
    fn digit_bits(self, level: u32) -> u32 {
        let (each, more) = (
            self.place_bits() / self.levels(),
            self.place_bits() % self.levels(),
        );
        each + u32::from(level < more)
    }

    /// Bits of a place that are found behind a level.
    fn bits_behind(self, level: u32) -> u32 {
        (0..level).map(|behind| self.digit_bits(behind)).sum()
    }

    /// Digits of a level but 0, which begin in its rows: those that there are.
    fn digits(self, level: u32) -> impl Iterator<Item = u32> {
        (1..1 << self.digit_bits(level)).filter(move |digit| self.rows(level, *digit) > 0)
    }

    /// Places of a level with this digit there and zeros behind it.
    fn rows(self, level: u32, digit: u32) -> u32 {
        let first = u64::from(digit) << self.bits_behind(level);
        match u64::from(self.places()).checked_sub(first) {
            Some(more) => (more >> self.bits_behind(level + 1)) as u32 + 1,
            None => 0,
        }
    }

    /// A level's words of both lists are few: they stand in LUTs, and are read in the clock of the compare. Not where there is one level,
    /// since the host needs two clocks.
    fn is_near(self, level: u32) -> bool {
        let words = self
            .digits(level)
            .map(|digit| 2 << self.row_bits(level, digit));
        self.levels() > 1 && words.max().is_none_or(|words| words <= LUT_RAM_WORDS)
    }

    /// Bits of the address of such a place in one of the two lists.
    fn row_bits(self, level: u32, digit: u32) -> u32 {
        self.rows(level, digit).next_power_of_two().trailing_zeros()
    }

    /// Bits of memory for both lists: begins for the search, what is found, and all of it for the pass.
    pub(super) fn memory_bits(self) -> u64 {
        let found = self.found_bits() + self.searched_bits();
        2 * u64::from(self.places()) * u64::from(2 * self.data_bits + found)
    }

    /// Bits of what is found in a range, as the pass has it.
    fn found_bits(self) -> u32 {
        self.searched_bits() + self.length_bits
    }

    /// The same without the length, which the search does not need.
    fn searched_bits(self) -> u32 {
        1 + Lpm::entry_bits(self.entries)
    }

    /// Clocks of a pass at most.
    pub(super) fn pass_clocks(self) -> u32 {
        pass::CLOCKS_A_RANGE * (self.places() + 3) + 8
    }
}

/// What is found in a range, as it stands in the lists: whether there is a prefix, its entry, its length; zeros where there is none.
#[derive(Clone, Copy)]
pub(super) struct Prefixed {
    has: Node,
    entry: Node,
    length: Node,
}

impl Prefixed {
    fn word(self, m: &mut Module) -> Node {
        m.concat(&[self.has, self.entry, self.length])
    }

    fn of_word(m: &mut Module, word: Node, shape: Shape) -> Prefixed {
        let (entry_bits, length_bits) = (Lpm::entry_bits(shape.entries), shape.length_bits);
        Prefixed {
            has: m.bit(word, entry_bits + length_bits),
            entry: m.slice(word, length_bits, entry_bits),
            length: m.slice(word, 0, length_bits),
        }
    }
}

/// The two lists, beside their memories.
pub(super) struct Lists {
    /// Which one packets search in.
    bank: Node,
    /// Of each list how many places it has behind 0.
    counts: [Node; 2],
    /// Of each list what is found at 0, without the length.
    first: [Node; 2],
    /// What is written to the memories of the search and of what is found.
    put: Put,
}

/// A place that the pass writes to the list that is not searched.
#[derive(Clone, Copy)]
pub(super) struct Put {
    enable: Node,
    bank: Node,
    place: Node,
    begin: Node,
    found: Node,
}

impl Table<'_> {
    pub(super) fn shape(&self) -> Shape {
        Shape::new(self.config.key_bytes, self.entries.0)
    }

    /// Builds the table with this search.
    /// `apart`: see [`super::Search::Ranges`].
    pub(super) fn build_ranges(mut self, apart: bool) -> Block<LpmIn, LpmOut> {
        let inputs = self.inputs();
        let LpmSlotIn { key, host_r } = inputs.slot;
        let host_1 = self.m.delay_reset("host_1", host_r);
        let prepared = self.prepare_ranges(&inputs.host, (host_r, host_1));
        let Prepared {
            command,
            decision,
            lists,
            ..
        } = &prepared;
        let bits = self.data(key);
        let key = self.m.concat(&bits);
        let found = self.search(key, lists, apart);
        let m = &mut self.m;
        m.section("The entry's number");
        let host = later_host(m, host_1, self.clocks);
        let hit = m.mux(host, decision.fine, found.0);
        let decided = (command, decision);
        let answer = Answered::from(m, (host, self.clocks), host, (hit, found.1), decided);
        let outputs = answer.into_lpm(prepared.ready, prepared.key);
        self.m.into_block(inputs, outputs)
    }

    /// The host's side: which entry an operation means, whether it can be done, and the list with its change.
    fn prepare_ranges(&mut self, host: &LpmHostIn, (host_r, host_1): (Node, Node)) -> Prepared {
        let (asked, shape) = (self.asked(host), self.shape());
        let command = &asked.command;
        let look = self.look(host, &asked, command.begins);
        let mut found = self.found(&asked, &look);
        let covering = self.covering(&asked, &look);
        let m = &mut self.m;
        // A lookup means the longest prefix that is not longer than its key.
        let looks_up = command.is_lookup;
        found.exists = m.mux(looks_up, covering.has, found.exists);
        found.found = m.mux(looks_up, covering.entry, found.found);
        let decides = decides(m, look.ends);
        let absent = m.not(found.exists);
        let wishes = (command, &asked.wishes);
        let present = (absent, look.present);
        let answer = operation_answer(m, wishes, &found, present, asked.too_long);
        let missed = m.or(&[absent, asked.too_long]);
        let missed = m.and(&[looks_up, missed]);
        let missing = answer_constant(m, Answer::Missing);
        let answer = m.mux(missed, missing, answer);
        let meant = (command, host.host_slot);
        let decision = Decision::of(m, self.entries, meant, (decides, &found), answer);
        let inserts = m.and(&[command.is_update, absent]);
        let changes_list = m.or(&[inserts, command.is_delete]);
        let changes = changes(m, host_r, (command, &decision));
        let exchanges = m.and(&[changes, changes_list]);
        let change = Change {
            is_insertion: inserts,
            entry: decision.entry,
            covering,
            exchanges,
            clear: host.clear,
        };
        let readiness = (command, host.start);
        let needed = (changes_list, decision.fine);
        let never = m.zero(1);
        let clear = (host.clear, host.clear_index);
        write_keys(
            m,
            look.keys,
            host_1,
            clear,
            (command, &decision),
            host.host_key,
        );
        let prefix = &asked.prefix;
        let (ready, lists) = ready_after(m, readiness, decides, (needed, never), |m, begins| {
            pass::pass(m, shape, prefix, &change, begins)
        });
        Prepared {
            ready,
            command: asked.command,
            decision,
            lists,
            key: look.stored,
        }
    }
}

/// What the preparation of a host operation found out; stands still until the slot is over.
struct Prepared {
    ready: Node,
    command: Command,
    decision: Decision,
    lists: Lists,
    /// The key in the dumped entry.
    key: Node,
}
