//! NEXT: dumps of one slot after the other, until one finds an entry or there is no slot.
//!
//! Each is an operation of its own with its turn among the packets, and maps see nothing but dumps. One that dumps an empty slot may
//! see that those behind it are empty, too: they are passed over. So a host gets from it what it
//! would from dumps of its own, without the bus in between.
//!
//! A table may say that an operation goes on in another slot ([`AGAIN`]): it comes again as it is.

use super::channels::Write;
use super::HostPort;
use crate::answer::{answer_constant, Answer, AGAIN};
use hardpath_registers::{command, register};
use hardpath_rtl::{Module, Node};

/// NEXT, or another operation in several slots, as far as it is under way.
pub(super) struct Walk {
    /// Strobe: the operation comes again, or the slot was empty, and the dump of another one begins.
    pub(super) goes_on: Node,
    /// What finishes is not one of several dumps, or the last of them.
    pub(super) ends: Node,
    /// What the command comes to, when it ends.
    pub(super) answer: Node,
    /// The table has the slot: MAP_SLOT moves behind what it has seen in this clock.
    advances: Node,
}

/// The command for the maps, and whether it is NEXT.
pub(super) fn as_dump(m: &mut Module, number: Node) -> (Node, Node) {
    let is_next = m.eq_const(number, u64::from(command::NEXT));
    let dump = m.constant(u64::from(command::DUMP), m.width(number));
    (m.mux(is_next, dump, number), is_next)
}

impl Walk {
    /// `walks`: the command is NEXT; `finishes`: a map has given the answer; `repeats`: some map may say that it goes on.
    pub(super) fn of(
        m: &mut Module,
        walks: Node,
        finishes: Node,
        answer: Node,
        repeats: bool,
    ) -> Walk {
        let is = |m: &mut Module, one: Answer| m.eq_const(answer, u64::from(one.code()));
        let is_empty = is(m, Answer::Missing);
        let no_slot = is(m, Answer::BadIndex);
        let mut walks_on = m.and(&[walks, is_empty]);
        let at_end = m.and(&[walks, no_slot]);
        if repeats {
            let again = m.eq_const(answer, AGAIN);
            walks_on = m.or(&[walks_on, again]);
        }
        let goes_on = m.and(&[finishes, walks_on]);
        let has_slot = m.not(no_slot);
        let advances = m.and(&[finishes, walks, has_slot]);
        let missing = answer_constant(m, Answer::Missing);
        Walk {
            goes_on: m.delay_reset("walks_on", goes_on),
            ends: m.not(walks_on),
            answer: m.mux(at_end, missing, answer),
            advances: m.delay_reset("advances", advances),
        }
    }
}

impl HostPort<'_> {
    /// MAP_SLOT. A slot that a table has is a short number: only so many bits move on, and one more behind the last slot.
    pub(super) fn slot(&mut self, write: &Write, map_write: Node, walk: &Walk) -> Node {
        let bits = (self.config.slot_bits + 1).min(32);
        let at_slot = self.at(write, "map_slot", register::MAP_SLOT);
        let m = &mut self.m;
        let written = m.and(&[map_write, at_slot]);
        let moves = m.or(&[written, walk.advances]);
        let (low_reg, low) = m.reg_reset("map_slot", bits, 0);
        let read = m.zext(self.inputs.answer.map_slot, bits);
        let given = m.slice(write.data, 0, bits);
        let before = m.mux(walk.advances, read, given);
        // One sum for both, so that a LUT for each bit is enough.
        let one_more = m.zext(walk.advances, bits);
        let next = m.add(before, one_more);
        m.set_next_when(low_reg, moves, next);
        if bits == 32 {
            return low;
        }
        let (high_reg, high) = m.reg_reset("map_slot_high", 32 - bits, 0);
        let given = m.slice(write.data, bits, 32 - bits);
        m.set_next_when(high_reg, written, given);
        m.concat(&[high, low])
    }
}
