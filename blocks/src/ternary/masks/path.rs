//! The way that entries make for one that is to be placed: each has the row that it leaves, and goes to that of the next one, the last to
//! a free one. The last goes first.

use super::control::MOST_MOVES;
use super::shape::{Place, Shape};
use super::store::Read;
use crate::index_bits;
use hardpath_rtl::{MemStyle, Module, Node};

/// An entry that moves: a strobe, where to, and what is written there.
pub(super) struct Moved {
    pub(super) happens: Node,
    pub(super) to: Place,
    pub(super) number: Node,
    pub(super) priority: Node,
    pub(super) key: Node,
}

/// What happens to a way; strobes.
pub(super) struct Steps {
    /// Another entry joins it: the one that was read.
    pub(super) joins: Node,
    /// It is forgotten.
    pub(super) forgets: Node,
    /// It ends in this free row. Its entries move after the second strobe.
    pub(super) ends: Node,
    pub(super) free: Place,
    pub(super) begins: Node,
    /// An entry that moves was read.
    pub(super) moves: Node,
}

/// A way.
pub(super) struct Path {
    /// Nobody is on it.
    pub(super) is_empty: Node,
    pub(super) is_full: Node,
    /// Strobe: the next one is to be read, and its number.
    pub(super) reads: Node,
    pub(super) number: Node,
    /// Strobe: all have moved, and `target` is the row that is left.
    pub(super) done: Node,
    pub(super) target: Place,
    pub(super) moved: Moved,
}

impl Path {
    pub(super) fn of(m: &mut Module, shape: Shape, steps: &Steps, read: &Read) -> Path {
        m.section("Preparation: the way that entries make");
        let bits = index_bits(u64::from(MOST_MOVES) + 1);
        let (depth_reg, depth) = m.reg("on_way", bits);
        let is_empty = m.eq_const(depth, 0);
        let moves_1 = m.delay_reset("way_moved", steps.moves);
        let next = m.or(&[steps.begins, moves_1]);
        let some = m.not(is_empty);
        let reads = m.and(&[next, some]);
        let more = m.add_const(depth, 1);
        let fewer = m.sub_const(depth, 1);
        let zero = m.zero(bits);
        let changed = m.mux(reads, fewer, more);
        let changed = m.mux(steps.forgets, zero, changed);
        let changes = m.or(&[reads, steps.joins, steps.forgets]);
        m.set_next_when(depth_reg, changes, changed);

        let word_bits = shape.number_bits() + shape.place_bits();
        let memory = m.mem("way", word_bits, MOST_MOVES, MemStyle::Distributed);
        let address_bits = index_bits(u64::from(MOST_MOVES));
        let place = Place {
            bank: read.bank,
            half: read.half,
            index: read.rows.of_half(m, read.half),
        };
        let place = place.word(m);
        let word = m.concat(&[read.number, place]);
        let end = m.resize(depth, address_bits);
        m.mem_write(memory, end, word, steps.joins);
        let last = m.resize(fewer, address_bits);
        let word = m.mem_read_async(memory, last);
        let left = Place::of_word(m, shape, word);
        let left = Place::hold(m, "left", reads, left);
        let target = Place::mux(m, steps.ends, steps.free, left);
        let settles = m.or(&[steps.ends, steps.moves]);
        let target = Place::hold(m, "target", settles, target);
        Path {
            is_empty,
            is_full: m.eq_const(depth, u64::from(MOST_MOVES)),
            reads,
            number: m.slice(word, shape.place_bits(), shape.number_bits()),
            done: m.and(&[next, is_empty]),
            target,
            moved: Moved {
                happens: steps.moves,
                to: target,
                number: read.number,
                priority: read.priority,
                key: read.key,
            },
        }
    }
}
