//! Which numbers belong to entries, and the lowest one that is free.

use super::shape::Shape;
use super::Change;
use crate::index_bits;
use crate::matching::asked::Command;
use crate::matching::runs::{flag, runs};
use crate::one_hot::first_one;
use crate::ternary::TernaryHostIn;
use hardpath_rtl::{Mem, MemStyle, Module, Node, NodeOp};

/// Numbers that are looked at in a clock.
const WORD_BITS: u32 = 32;
/// Bits that number those of a word.
const LOW_BITS: u32 = 5;

/// What is found of the numbers; from registers.
pub(super) struct Numbers {
    used: Mem,
    /// Strobe: all else is known.
    pub(super) known: Node,
    /// Whether a number is free, and the lowest one.
    pub(super) has_room: Node,
    pub(super) vacant: Node,
    /// There is an entry of the number that a dump asks for.
    pub(super) dumped: Node,
}

impl Numbers {
    /// Looks through all, from `begins` on. `slot`: the number that a dump asks for.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        (command, begins): (&Command, Node),
        slot: Node,
    ) -> Numbers {
        m.section("Preparation: which numbers are used");
        let words = shape.places.div_ceil(WORD_BITS);
        let index_width = index_bits(u64::from(words));
        let used = m.mem("used", WORD_BITS, words, MemStyle::Distributed);
        let (index_reg, index) = m.reg("used_index", index_width);
        let more = m.add_const(index, 1);
        let zero = m.zero(index_width);
        let next = m.mux(begins, zero, more);
        m.set_next(index_reg, next);
        let last = m.eq_const(index, u64::from(words) - 1);
        let (looks, ends) = runs(m, "looks_at_used", begins, last);

        let slot_bits = m.resize(slot, LOW_BITS + index_width);
        let word_of_slot = m.slice(slot_bits, LOW_BITS, index_width);
        let address = m.mux(command.is_dump, word_of_slot, index);
        let word = m.mem_read_async(used, address);
        let word = m.delay("used_word", word);
        let index = m.delay("used_index_1", index);
        let looks = m.delay_reset("looks_at_used_1", looks);
        let free = m.not(word);
        let first = first_one(m, free);
        let number = m.concat(&[index, first]);
        let inside = below(m, number, shape.places);
        let some = m.reduce_or(free);
        let found = m.and(&[looks, some, inside]);
        let has_room = flag(m, "has_room", command.begins, found);
        let is_first = m.not(has_room);
        let takes = m.and(&[found, is_first]);
        let number = m.resize(number, shape.bits());
        let vacant = m.hold("vacant_number", takes, number);
        let low = m.slice(slot_bits, 0, LOW_BITS);
        let at_slot = m.shift(NodeOp::LShr, word, low);
        let at_slot = m.bit(at_slot, 0);
        let known = m.delay_reset("used_ended_1", ends);
        Numbers {
            used,
            known: m.delay_reset("used_ended_2", known),
            has_room,
            vacant,
            dumped: m.hold("dumped_is_there", looks, at_slot),
        }
    }

    /// The sweep, and an entry that comes or goes.
    pub(super) fn write(&self, m: &mut Module, host: &TernaryHostIn, change: Change) {
        let index_width = m.width(change.number).max(LOW_BITS + 1) - LOW_BITS;
        let number = m.resize(change.number, LOW_BITS + index_width);
        let low = m.slice(number, 0, LOW_BITS);
        let one = m.constant(1, WORD_BITS);
        let place = m.shift(NodeOp::Shl, one, low);
        let place = m.gate(change.happens, place);
        let all = m.sext(host.clear, WORD_BITS);
        let enable = m.or(&[place, all]);
        let high = m.slice(number, LOW_BITS, index_width);
        let cleared = m.resize(host.clear_index, index_width);
        let address = m.mux(host.clear, cleared, high);
        let running = m.not(host.clear);
        let is_used = m.and(&[change.comes, running]);
        let word = m.sext(is_used, WORD_BITS);
        m.mem_write(self.used, address, word, enable);
    }
}

/// A number is below a limit.
fn below(m: &mut Module, number: Node, limit: u32) -> Node {
    let bits = m.width(number);
    match u64::from(limit) >> bits {
        0 => {
            let limit = m.constant(u64::from(limit), bits);
            m.ult(number, limit)
        }
        _ => m.one(),
    }
}
