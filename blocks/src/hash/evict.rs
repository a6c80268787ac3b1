//! Making room in a full table.
//!
//! Every slot has an age from 0 to 3. A key that was just put in has 2; one that a packet finds has 0. A new key that needs
//! room takes the slot of the oldest key among its candidates, the first of several; the other candidates grow older by as much
//! as that one had to, so that the next one that goes has 3 again (re-reference interval prediction: Jaleel and others, "High
//! Performance Cache Replacement Using Re-Reference Interval Prediction", ISCA 2010, within a key's buckets). Keys
//! that come once, as in a flood of new ones, go before those that were found again.
//!
//! What holds: an insert always succeeds. Below `max_entries` a key only goes when all eight slots of the new one are taken.
//! From `max_entries` on a new key takes the place of another one when one of its slots is taken. When none is, nobody
//! can go in constant time, and the table has one key more: `max_entries` is what it surely holds, its slots are the most.
//! Nobody goes whose key another port of the same packet has found or put in.
//!
//! The ages are read with the buckets and written a clock after the commit, so that what packets close by do counts for
//! the next time only. Who is older than whom is compared together with the keys; who goes is decided at the commit, where it
//! is known which slots are taken and which ones the packet itself holds.
//!
//! Where packets commit later than their lookup is answered, an older packet may take away a key that one behind it has found.
//! Either the one behind is told ([`Evicts::Candidates`]: `displaced`), and runs again; or the candidates are the slots
//! of the first way only ([`Evicts::FirstBucket`]). Its bucket is the packet's tag at the window's entrance, so that
//! nobody loses a key that a packet in the window has found. A new key without a neighbour in its first bucket goes to
//! a free slot, so that table has at most one key more for each bucket.

use super::forward::{Commit, Found};
use super::places::decode;
use super::{SLOTS, WAYS};
use crate::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Who must make room for a new key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evicts {
    /// A new key that finds no room is refused.
    Nobody,
    /// Any key of its buckets. Where packets commit later than their lookup is answered, a packet that is told that its key was
    /// `displaced` must not commit.
    Candidates,
    /// A key of its bucket in the first way. Packets with the same first bucket must be kept apart.
    FirstBucket,
}

/// Bits of an age.
const AGE_BITS: u32 = 2;
/// The age of a key that goes.
const OLDEST: u64 = 3;
/// The age of a key that was put in.
const NEW: u64 = 2;

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

/// The ages of one copy of the keys.
pub(super) struct Ages {
    memories: Vec<Mem>,
    read: Vec<Node>,
}

/// A packet's candidates on its way to the commit.
#[derive(Clone)]
pub(super) struct Ranked {
    ages: Vec<Node>,
    /// For each pair of candidates, (0, 1), (0, 2), …, (1, 2), …: the first one goes before the second.
    before: Vec<Node>,
}

/// Whom a packet would take the place of.
#[derive(Clone)]
pub(super) struct Victim {
    /// By place, one-hot.
    pub at: Vec<Node>,
    /// There is one.
    pub some: Node,
}

/// What a commit does to the ages.
pub(super) struct Touch {
    /// The slot in which the packet's key is.
    pub place: Node,
    /// It was found there.
    pub found: Node,
    /// It was put there.
    pub put: Node,
    /// Another key had to go.
    pub displaces: Node,
}

impl Ages {
    /// Stage R: reads the ages of all candidates.
    pub fn read(
        m: &mut Module,
        name: impl Fn(String) -> String,
        evicts: Evicts,
        rows_in: Node,
        rows: u32,
    ) -> Ages {
        let row_bits = index_bits(u64::from(rows));
        let one = m.one();
        let mut ages = Ages {
            memories: Vec::new(),
            read: Vec::new(),
        };
        for place in 0..evicts.places() {
            let row = m.slice(rows_in, place / SLOTS * row_bits, row_bits);
            let memory = m.mem(
                name(format!("ages_{place}")),
                AGE_BITS,
                rows,
                MemStyle::Auto,
            );
            ages.read.push(m.mem_read_sync(memory, row, one));
            ages.memories.push(memory);
        }
        ages
    }

    /// Where the keys stand in registers before they are compared, so do the ages.
    pub fn wait_for_compare(self, m: &mut Module, name: impl Fn(String) -> String) -> Ages {
        let ages = self.read.iter().enumerate();
        let ages = ages.map(|(place, age)| m.delay(name(format!("age_{place}")), *age));
        Ages {
            read: ages.collect(),
            ..self
        }
    }

    /// The stage of the compare: who goes before whom stands in registers a clock later.
    pub fn rank(&self, m: &mut Module, name: impl Fn(String) -> String) -> Ranked {
        let ranked = Ranked {
            ages: self.read.clone(),
            before: pairs(self.read.len())
                .map(|(one, other)| m.ule(self.read[other], self.read[one]))
                .collect(),
        };
        ranked.wait(m, name, "2nd")
    }

    /// The clock after the commit. All that it looks at is from the commit stage, but for the sweep after reset and its row.
    pub fn write(
        &self,
        m: &mut Module,
        rows: Node,
        ranked: &Ranked,
        touch: &Touch,
        (clear, clear_row): (Node, Node),
    ) {
        let row_bits = m.width(rows) / WAYS;
        let gone = {
            let terms: Vec<Node> = (ranked.ages.iter().enumerate())
                .map(|(number, age)| {
                    let here = m.eq_const(touch.place, number as u64);
                    m.gate(here, *age)
                })
                .collect();
            m.or(&terms)
        };
        let more = m.not(gone);
        let touched = m.or(&[touch.found, touch.put]);
        let zero = m.zero(AGE_BITS);
        let new = m.constant(NEW, AGE_BITS);
        let own = m.mux(touch.put, new, zero);
        let oldest = m.constant(OLDEST, AGE_BITS);
        let running = m.not(clear);
        for (number, memory) in self.memories.iter().enumerate() {
            let row = m.slice(rows, number as u32 / SLOTS * row_bits, row_bits);
            let here = m.eq_const(touch.place, number as u64);
            let age = m.zext(ranked.ages[number], AGE_BITS + 1);
            let wide = m.zext(more, AGE_BITS + 1);
            let sum = m.add(age, wide);
            let beyond = m.bit(sum, AGE_BITS);
            let low = m.slice(sum, 0, AGE_BITS);
            let older = m.mux(beyond, oldest, low);
            let data = m.mux(here, own, older);
            let data = m.gate(running, data);
            let own_slot = m.and(&[here, touched]);
            let enable = m.or(&[own_slot, touch.displaces, clear]);
            let address = m.mux(clear, clear_row, row);
            m.mem_write(*memory, address, data, enable);
        }
    }
}

impl Ranked {
    /// The same a clock later.
    pub fn wait(&self, m: &mut Module, name: impl Fn(String) -> String, clock: &str) -> Ranked {
        let places = self.ages.len();
        Ranked {
            ages: (self.ages.iter().enumerate())
                .map(|(place, age)| m.delay(name(format!("age_{place}_{clock}")), *age))
                .collect(),
            before: pairs(places)
                .zip(&self.before)
                .map(|((one, other), before)| {
                    m.delay(name(format!("place_{one}_before_{other}_{clock}")), *before)
                })
                .collect(),
        }
    }

    /// One of two.
    pub fn choose(&self, m: &mut Module, own: Node, other: &Ranked) -> Ranked {
        let mut each = |mine: &[Node], others: &[Node]| {
            let both = mine.iter().zip(others);
            both.map(|(mine, other)| m.mux(own, *mine, *other))
                .collect()
        };
        Ranked {
            ages: each(&self.ages, &other.ages),
            before: each(&self.before, &other.before),
        }
    }

    /// The commit stage: who goes, of the slots that are taken and that the packet does not hold itself.
    pub fn victim(&self, m: &mut Module, taken: &[Node], held: &[Node]) -> Victim {
        let places = self.ages.len();
        let can_go: Vec<Node> = (0..places)
            .map(|place| match held.get(place) {
                Some(held) => {
                    let free = m.not(*held);
                    m.and(&[taken[place], free])
                }
                None => taken[place],
            })
            .collect();
        let goes: Vec<Node> = (0..places)
            .map(|place| {
                let mut all = vec![can_go[place]];
                for (pair, (one, other)) in pairs(places).enumerate() {
                    let (rival, wins) = match place {
                        _ if place == one => (other, m.not(self.before[pair])),
                        _ if place == other => (one, self.before[pair]),
                        _ => continue,
                    };
                    let beaten = m.and(&[can_go[rival], wins]);
                    all.push(m.not(beaten));
                }
                m.and(&all)
            })
            .collect();
        let one_hot: Vec<Node> = goes
            .into_iter()
            .chain((places..(WAYS * SLOTS) as usize).map(|_| m.zero(1)))
            .collect();
        Victim {
            at: one_hot,
            some: m.or(&can_go),
        }
    }
}

/// All pairs of so many candidates, the lower one first.
fn pairs(places: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..places).flat_map(move |one| (one + 1..places).map(move |other| (one, other)))
}

impl Found {
    /// Whether a commit, which touches these places of the key, puts another one into the slot.
    pub fn displaced(self, m: &mut Module, commit: &Commit, touched: &[Node]) -> Node {
        let places = decode(m, self.place);
        let here: Vec<Node> = (places.iter().zip(touched))
            .map(|(place, touched)| m.and(&[*place, *touched]))
            .collect();
        let here = m.or(&here);
        m.and(&[self.hit, commit.occupy, here])
    }
}
