//! Functions of the program's own, and calls of them.

use super::state::Holds;
use super::Generator;
use crate::code::Unit;
use crate::encode;
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
        }
    }

    pub(super) fn call_function(&mut self) {
        if self.functions.is_empty() {
            return;
        }
        let index = self.random.below(self.functions.len());
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
