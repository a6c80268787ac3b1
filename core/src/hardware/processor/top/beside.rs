//! Answers of maps beside the rows: a register is written by a lane whose row writes none, and a predicate is told to the thread's next row.

use super::super::FETCH;
use super::Loops;
use super::Top;
use crate::hardware::lanes::{BesideIn, OPERAND_STAGE};
use crate::hardware::pick::{bit_at, one_hot};
use crate::hardware::shift::later_from_reset;
use crate::hardware::threads::ThreadsOut;
use crate::isa::PREDICATES;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Clocks that an answer waits for a lane until a gap is wanted, and clocks between two gaps; a power of two.
const PATIENCE_BITS: u32 = 2;

/// What answers tell of predicates.
pub(super) struct Told {
    /// Of each thread, which predicate it is, and what it becomes.
    mem: Mem,
    /// The stage in which predicates are read: the row's thread has been told.
    is_told: Node,
}

impl Told {
    /// The predicates of this thread with what it was told.
    pub(super) fn put(&self, m: &mut Module, thread: Node, word: Node) -> Node {
        let told = m.mem_read_async(self.mem, thread);
        let value = m.bit(told, 0);
        let index = m.slice(told, 1, m.width(told) - 1);
        let bits = (0..u32::from(PREDICATES)).rev().map(|bit| {
            let old = m.bit(word, bit);
            let here = m.eq_const(index, bit.into());
            let here = m.and(&[here, self.is_told]);
            m.mux(here, value, old)
        });
        let bits: Vec<Node> = bits.collect();
        m.concat(&bits)
    }
}

impl Top<'_> {
    /// The answer that is offered, for the lanes.
    pub(super) fn beside(&mut self, loops: &Loops) -> BesideIn {
        let (m, answer) = (&mut *self.m, &loops.answer);
        let wants = m.and(&[answer.answer_valid, answer.answer_writes]);
        let lanes = 0..u64::from(self.config.shape.lanes);
        let beside_wants = lanes.map(|number| match answer.answer_lane {
            Some(lane) => {
                let here = m.eq_const(lane, number);
                m.and(&[here, wants])
            }
            None => wants,
        });
        BesideIn {
            beside_wants: beside_wants.collect(),
            beside_thread: answer.answer_thread,
            beside_to: answer.answer_to,
            beside_value: answer.answer_value,
        }
    }

    /// Whether it is taken in this clock; and if it waits too long, a gap among the rows. `goes`: a lane writes it.
    pub(super) fn answered(&mut self, goes: Node, loops: &Loops) {
        let (m, answer) = (&mut *self.m, &loops.answer);
        let nowhere = m.not(answer.answer_writes);
        let at_once = m.and(&[answer.answer_valid, nowhere]);
        let answered = m.or(&[goes, at_once]);
        m.drive(loops.answered, answered);
        let taken = m.not(answered);
        let waits = m.and(&[answer.answer_valid, taken]);
        let (reg, count) = m.reg_reset("answer_waits", PATIENCE_BITS, 0);
        let more = m.add_const(count, 1);
        let next = m.gate(waits, more);
        m.set_next(reg, next);
        let long = m.eq_const(count, (1 << PATIENCE_BITS) - 1);
        let gap = m.and(&[waits, long]);
        // The choice of a thread has its whole clock.
        let gap = m.delay_reset("wants_gap", gap);
        m.drive(loops.gap, gap);
    }

    /// What answers tell of predicates, until the thread's next row knows.
    pub(super) fn told(&mut self, threads: &ThreadsOut, loops: &Loops) -> Told {
        let (m, answer) = (&mut *self.m, &loops.answer);
        let count = u32::from(self.config.shape.threads);
        let word = m.concat(&[answer.answer_hit, answer.answer_is_hit]);
        let width = m.width(word);
        let mem = m.mem("told", width, count, MemStyle::Distributed);
        let tells = m.and(&[loops.answered, answer.answer_tells]);
        m.mem_write(mem, answer.answer_thread, word, tells);
        let set = one_hot(m, count, tells, answer.answer_thread);
        let not_brought = m.not(threads.chosen.brought);
        let begins = m.and(&[threads.chosen.chosen, not_brought]);
        let begins = m.delay_reset("own_row_begins", begins);
        let thread = m.delay("own_row_of", threads.chosen.thread);
        let clear = one_hot(m, count, begins, thread);
        let (reg, told) = m.reg_reset("is_told", count, 0);
        let stays = m.not(clear);
        let kept = m.and(&[told, stays]);
        let next = m.or(&[kept, set]);
        m.set_next(reg, next);
        let is_told = bit_at(m, told, thread);
        let is_told = m.and(&[is_told, begins]);
        let until = FETCH + OPERAND_STAGE - 2 - 1;
        Told {
            mem,
            is_told: later_from_reset(m, "row_is_told", is_told, until),
        }
    }
}
