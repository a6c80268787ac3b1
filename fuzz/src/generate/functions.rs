//! Functions of the program's own, and calls of them.

use super::state::Holds;
use super::Generator;
use crate::code::{Unit, PSEUDO_FUNC};
use crate::encode::{self, helper, Operand};
use hardpath_ebpf::Insn;

/// A function that statements can call.
pub struct Function {
    /// Jump targets count from the function's own first unit.
    units: Vec<Unit>,
    /// The calls in it: unit and function.
    calls: Vec<(usize, usize)>,
    /// Its first argument is the context.
    takes_context: bool,
    /// Numbers that it takes, behind the context.
    numbers: u8,
    /// `bpf_loop` runs it, nobody else.
    is_callback: bool,
}

/// Bytes of stack that a function uses at most: two of them and the program share 512.
pub const FUNCTION_STACK: i16 = 128;
/// Bytes that a program with functions uses at most.
pub const PROGRAM_STACK: i16 = 256;

impl Generator {
    /// Writes the functions, before the program itself.
    pub(super) fn declare_functions(&mut self) {
        for _ in 0..self.random.between(1, 2) {
            let function = self.function();
            self.functions.push(function);
        }
        self.most_stack = PROGRAM_STACK;
    }

    fn function(&mut self) -> Function {
        let takes_context = self.random.percent(40);
        let numbers = self.random.between(1, 3) as u8;
        self.begin();
        self.state.set(1, Holds::Nothing, false);
        let first = 1 + u8::from(takes_context);
        if takes_context {
            self.state.set(1, Holds::Context, false);
        }
        for register in first..first + numbers {
            self.state.set(register, Holds::Number, true);
        }
        self.in_function = true;
        self.most_stack = FUNCTION_STACK;
        self.branches = self.random.between(0, 3) as u32;
        let end = self.label();
        let exit = self.label();
        self.open = vec![end];
        self.exits = vec![exit];
        if takes_context && self.random.percent(50) {
            self.check_bounds();
        }
        let statements = self.random.between(1, 12);
        self.statements(statements, 0);
        self.bind(end);
        self.open.clear();
        self.set_verdict();
        self.bind(exit);
        self.emit(encode::exit());
        self.in_function = false;
        Function {
            units: std::mem::take(&mut self.units),
            calls: std::mem::take(&mut self.calls),
            takes_context,
            numbers,
            is_callback: false,
        }
    }

    /// Functions that `bpf_loop` runs, round by round.
    pub(super) fn declare_callbacks(&mut self) {
        for _ in 0..self.random.between(1, 2) {
            let callback = self.callback();
            self.callbacks.push(self.functions.len());
            self.functions.push(callback);
        }
        self.most_stack = PROGRAM_STACK;
    }

    /// What a round does: `r1` is its number, `r2` what the program hands to all of them, a pointer to 8 bytes of its stack
    /// that is used at once. It returns 0 to go on and 1 to stop.
    fn callback(&mut self) -> Function {
        self.begin();
        self.set_varied(1, true);
        self.emit(encode::load(3, 2, 0, 8));
        self.set_varied(3, true);
        let op = self.random.one_of([encode::ADD, encode::XOR, encode::SUB]);
        self.emit(encode::alu(op, true, 3, Operand::Register(1)));
        self.emit(encode::store(2, 0, 8, Operand::Register(3)));
        (self.in_function, self.most_stack) = (true, FUNCTION_STACK);
        self.branches = self.random.between(0, 2) as u32;
        let (end, exit) = (self.label(), self.label());
        self.open = vec![end];
        self.exits = vec![exit];
        let statements = self.random.between(0, 5);
        // No path leaves with another verdict than 0 and 1: statements only go to the end.
        self.in_callback = true;
        self.statements(statements, 0);
        self.in_callback = false;
        self.bind(end);
        self.open.clear();
        if self.random.percent(50) {
            self.set_number(0, 0);
        } else {
            let number = self.number();
            if number != 0 {
                self.copy(0, number);
            }
            let mask = Operand::Number(self.random.one_of([1, 2, 4, 0x10]));
            self.emit(encode::alu(encode::AND, true, 0, mask));
            let stops = self.label();
            self.emit(encode::branch(encode::JEQ, true, 0, Operand::Number(0)));
            self.jumps_to(stops);
            self.set_number(0, 1);
            self.bind(stops);
        }
        self.bind(exit);
        self.emit(encode::exit());
        self.in_function = false;
        Function {
            units: std::mem::take(&mut self.units),
            calls: std::mem::take(&mut self.calls),
            takes_context: false,
            numbers: 0,
            is_callback: true,
        }
    }

    /// `bpf_loop`, with a word of the stack for all rounds.
    pub(super) fn run_callback(&mut self) {
        let slot = -8 * self.random.between(1, 8) as i16;
        let Some(callback) = self.random.pick(&self.callbacks.clone()) else {
            return;
        };
        if !self.keep_context() || !self.may_write_stack(slot, 8) {
            return;
        }
        let number = self.number();
        self.emit(encode::store(10, slot, 8, Operand::Register(number)));
        self.state.write_stack(slot, 8, true);
        if self.random.percent(40) {
            let rounds = self.masked_number(3, &[]);
            self.copy(1, rounds);
        } else {
            let rounds = self.random.between(0, 5) as i32;
            self.set_number(1, rounds);
        }
        self.stack_argument(3, slot);
        let flags = i32::from(self.random.percent(5));
        self.set_number(4, flags);
        self.calls.push((self.units.len(), callback));
        self.units.push(Unit::from(Insn {
            code: 0x18,
            dst: 2,
            src: PSEUDO_FUNC,
            ..Insn::default()
        }));
        self.call(helper::LOOP, Holds::Number);
    }

    pub(super) fn call_function(&mut self) {
        if self.functions.is_empty() {
            return;
        }
        let plain = (0..self.functions.len()).filter(|index| !self.functions[*index].is_callback);
        let plain: Vec<usize> = plain.collect();
        let Some(index) = self.random.pick(&plain) else {
            return;
        };
        let (takes_context, numbers) = {
            let function = &self.functions[index];
            (function.takes_context, function.numbers)
        };
        if self.in_loop && (takes_context || !self.loop_calls) || !self.may_call() {
            return;
        }
        let first = 1 + u8::from(takes_context);
        let arguments: Vec<u8> = (first..first + numbers).collect();
        for register in &arguments {
            let mut numbers = self.state.registers_with(|holds| holds == Holds::Number);
            // What was set for an earlier argument may be an argument once more.
            numbers.retain(|number| *number >= *register || arguments.contains(number));
            match self.random.pick(&numbers) {
                Some(number) if number != *register => self.copy(*register, number),
                Some(_) => {}
                None => self.set_some_number(*register),
            }
        }
        if takes_context {
            match self.lasting_context() {
                Some(context) => self.copy(1, context),
                None => return,
            }
        }
        self.calls.push((self.units.len(), index));
        self.emit(Insn {
            src: 1,
            ..encode::call(0)
        });
        self.state.call(Holds::Number);
    }

    /// The context in a register that calls leave alone.
    fn lasting_context(&self) -> Option<u8> {
        let contexts = self.state.registers_with(|holds| holds == Holds::Context);
        contexts.into_iter().find(|register| *register >= 6)
    }

    /// Puts the functions behind the program and lets the calls go there.
    pub(super) fn link(&self, mut units: Vec<Unit>, calls: &[(usize, usize)]) -> Vec<Unit> {
        let mut starts = Vec::new();
        let mut all_calls = calls.to_vec();
        for function in &self.functions {
            let start = units.len();
            starts.push(start);
            all_calls.extend(
                function
                    .calls
                    .iter()
                    .map(|(unit, callee)| (start + unit, *callee)),
            );
            units.extend(function.units.iter().cloned().map(|mut unit| {
                unit.target = unit.target.map(|target| start + target);
                unit
            }));
        }
        for (unit, callee) in all_calls {
            units[unit].target = starts.get(callee).copied();
        }
        units
    }
}
