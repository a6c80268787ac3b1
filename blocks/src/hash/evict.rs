//! Making room in a full table.
//!
//! Every slot has a bit that says whether its key was used: a packet found it, or it was just put in. A new key that
//! needs room takes the slot of the first key among its candidates that was not used. When all of them were, the first
//! one goes, and the others are unused from then on: they keep their place when they are used again before the next key
//! comes (the clock algorithm of page replacement, within a key's buckets).
//!
//! What holds: an insert always succeeds. Below `max_entries` a key only goes when all eight slots of the new one are taken.
//! From `max_entries` on a new key takes the place of another one when one of its slots is taken. When none is, nobody
//! can go in constant time, and the table has one key more: `max_entries` is what it surely holds, its slots are the most.
//! A key that was used since is not forgotten before an unused one among the candidates of the same new key.
//!
//! The bits are read with the buckets and decide a clock later, so that a use in the clocks before that is not committed
//! counts for the next time only.
//!
//! Where packets commit later than their lookup is answered, the candidates are the slots of the first way only. Its
//! bucket is the packet's tag at the window's entrance, so that nobody loses a key that a packet in the window has found.
//! A new key without a neighbour in its first bucket goes there, so the table has at most one key more for each bucket.

use super::places::row_of_place;
use super::{Commit, Found, SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Who must make room for a new key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evicts {
    /// A new key that finds no room is refused.
    Nobody,
    /// Any key of its buckets. Only where a lookup is answered in the commit stage.
    Candidates,
    /// A key of its bucket in the first way. Packets with the same first bucket must be kept apart.
    FirstBucket,
}

impl Evicts {
    /// Slots of a key that can be taken from others.
    pub fn places(self) -> u32 {
        match self {
            Evicts::Nobody => 0,
            Evicts::Candidates => WAYS * SLOTS,
            Evicts::FirstBucket => SLOTS,
        }
    }
}

/// The bits of one copy of the keys.
pub struct Uses {
    memories: Vec<Mem>,
    bits: Vec<Node>,
}

/// Whom a packet would take the place of.
#[derive(Clone, Copy)]
pub struct Victim {
    /// Its place among the candidates.
    pub place: Node,
    /// All candidates had been used.
    pub all_used: Node,
}

impl Uses {
    /// Stage R: reads the bits of all candidates.
    pub fn read(
        m: &mut Module,
        name: impl Fn(String) -> String,
        evicts: Evicts,
        rows_in: Node,
        rows: u32,
    ) -> Uses {
        let row_bits = index_bits(u64::from(rows));
        let one = m.one();
        let mut uses = Uses {
            memories: Vec::new(),
            bits: Vec::new(),
        };
        for place in 0..evicts.places() {
            let row = m.slice(rows_in, place / SLOTS * row_bits, row_bits);
            let memory = m.mem(name(format!("used_at_{place}")), 1, rows, MemStyle::Auto);
            uses.bits.push(m.mem_read_sync(memory, row, one));
            uses.memories.push(memory);
        }
        uses
    }

    /// Where the keys stand in registers before they are compared, so do the bits.
    pub fn wait_for_compare(self, m: &mut Module, name: impl Fn(String) -> String) -> Uses {
        let bits = self.bits.iter().enumerate();
        let bits = bits.map(|(place, bit)| m.delay(name(format!("used_{place}")), *bit));
        Uses {
            bits: bits.collect(),
            ..self
        }
    }

    /// The stage of the compare: chooses among the slots that are taken; the choice stands in registers a clock later.
    pub fn choose(
        &self,
        m: &mut Module,
        name: impl Fn(String) -> String,
        all_taken: &[Node],
    ) -> Victim {
        let taken = &all_taken[..self.bits.len()];
        let unused: Vec<Node> = taken
            .iter()
            .zip(&self.bits)
            .map(|(taken, used)| {
                let unused = m.not(*used);
                m.and(&[*taken, unused])
            })
            .collect();
        let some_unused = m.or(&unused);
        let place_bits = index_bits(all_taken.len() as u64);
        let mut place = m.zero(place_bits);
        for (number, (unused, taken)) in unused.iter().zip(taken).enumerate().rev() {
            let fits = m.mux(some_unused, *unused, *taken);
            let this = m.constant(number as u64, place_bits);
            place = m.mux(fits, this, place);
        }
        let all_used = m.not(some_unused);
        Victim {
            place: m.delay(name("victim_2nd".into()), place),
            all_used: m.delay(name("all_used_2nd".into()), all_used),
        }
    }

    /// A victim on its way to the commit.
    pub fn wait(
        m: &mut Module,
        name: impl Fn(String) -> String,
        clock: u32,
        victim: Victim,
    ) -> Victim {
        Victim {
            place: m.delay(name(format!("victim_{clock}th")), victim.place),
            all_used: m.delay(name(format!("all_used_{clock}th")), victim.all_used),
        }
    }

    /// Commit stage: `marks`: the slot at `place` is used; `resets`: all other candidates are unused.
    pub fn write(&self, m: &mut Module, rows: Node, place: Node, marks: Node, resets: Node) {
        let row_bits = m.width(rows) / WAYS;
        for (number, memory) in self.memories.iter().enumerate() {
            let row = m.slice(rows, number as u32 / SLOTS * row_bits, row_bits);
            let here = m.eq_const(place, number as u64);
            let marked = m.and(&[here, marks]);
            let enable = m.or(&[marked, resets]);
            m.mem_write(*memory, row, here, enable);
        }
    }
}

impl Found {
    /// The same after a commit that put another key into the slot.
    pub fn unless_displaced(
        self,
        m: &mut Module,
        commit: &Commit,
        rows: Node,
        looks_up: Node,
    ) -> Found {
        let same_place = m.eq(self.place, commit.place);
        let row = row_of_place(m, rows, self.place);
        let same_row = m.eq(row, commit.row);
        let gone = m.and(&[commit.write, commit.occupy, same_place, same_row, looks_up]);
        let stays = m.not(gone);
        Found {
            hit: m.and(&[self.hit, stays]),
            ..self
        }
    }
}
