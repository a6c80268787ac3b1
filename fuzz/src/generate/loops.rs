//! Loops whose number of rounds the kernel's verifier can count.
//!
//! Every round begins with the same kinds of values in the registers: pointers stay where they are inside a loop, and
//! a register with a number keeps one.

use super::state::Holds;
use super::Generator;
use crate::code::{GOTO, GOTOL};
use crate::encode::{self, Operand};
use hardpath_ebpf::Insn;

/// How a loop counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Count {
    Up,
    Down,
    /// Up to a number that only the packet knows.
    UpTo(u8),
}

impl Generator {
    pub(super) fn counted_loop(&mut self) {
        if self.in_loop || self.branches == 0 {
            return;
        }
        let is_number = |holds| matches!(holds, Holds::Number | Holds::Nothing);
        let mut free = self.state.registers_with(is_number);
        free.retain(|register| *register >= 6);
        let Some(counter) = free.pop() else {
            return;
        };
        self.branches -= 1;
        let rounds = self.random.between(2, 5) as i32;
        let kind = match self.wants_loop {
            true => 1,
            false => self.random.below(3),
        };
        let count = match (kind, free.pop()) {
            (0, _) => Count::Up,
            (1, Some(limit)) => {
                self.wants_loop = false;
                let number = self.masked_number(3, &[counter]);
                if number != limit {
                    self.copy(limit, number);
                }
                Count::UpTo(limit)
            }
            _ => Count::Down,
        };
        self.set_number(counter, if count == Count::Down { rounds } else { 0 });
        self.frozen = vec![counter];
        if let Count::UpTo(limit) = count {
            self.frozen.push(limit);
        }
        self.in_loop = true;
        self.loop_calls = self.may_call() && self.random.percent(25);
        if self.loop_calls {
            (0..6).for_each(|register| self.set(register, Holds::Nothing));
        }
        self.rounds(counter, count, rounds);
        self.in_loop = false;
        self.frozen.clear();
    }

    fn rounds(&mut self, counter: u8, count: Count, rounds: i32) {
        let head = self.units.len();
        let at_head = self.state.clone();
        let end = self.label();
        if let Count::UpTo(limit) = count {
            self.emit(encode::branch(
                encode::JGE,
                true,
                counter,
                Operand::Register(limit),
            ));
            self.jumps_to(end);
        }
        self.open.push(end);
        let length = self.random.between(1, 5);
        self.statements(length, 2);
        self.open.pop();
        if self.live {
            for register in at_head.registers_with(|holds| holds == Holds::Number) {
                if self.holds(register) != Holds::Number {
                    self.set_number(register, 1);
                }
            }
            let step = if count == Count::Down { -1 } else { 1 };
            self.emit(encode::alu(
                encode::ADD,
                true,
                counter,
                Operand::Number(step),
            ));
            match count {
                Count::Up => self.emit(encode::branch(
                    encode::JLT,
                    true,
                    counter,
                    Operand::Number(rounds),
                )),
                Count::Down => {
                    self.emit(encode::branch(
                        encode::JNE,
                        true,
                        counter,
                        Operand::Number(0),
                    ));
                }
                Count::UpTo(_) => {
                    let code = if self.random.percent(20) { GOTOL } else { GOTO };
                    self.emit(Insn {
                        code,
                        ..Insn::default()
                    });
                    self.live = false;
                }
            }
            let jump = self.units.len() - 1;
            self.units[jump].target = Some(head);
        }
        self.bind(end);
    }

    /// Whether a call loses nothing that is needed later: no pointer stands in `r0` to `r5`, and the context is kept
    /// elsewhere, where there is one.
    pub(super) fn may_call(&self) -> bool {
        let is_pointer = |holds| !matches!(holds, Holds::Number | Holds::Nothing);
        let pointers = self.state.registers_with(is_pointer);
        match self.in_loop {
            true => pointers.iter().all(|register| *register >= 6),
            false => self.context_lasts(),
        }
    }
}
