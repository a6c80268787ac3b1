//! Functions of the program's own: calls, returns and `bpf_loop`.

use std::rc::Rc;

use hardpath_ir::{Bits, Op};
use hardpath_kernel::xdp::STACK_BYTES;

use super::agenda::{Caller, Instance, Invocation, Point, Round};
use super::calls::EINVAL;
use super::loops::LoopId;
use super::stack::MAX_FRAMES;
use super::state::{AbstractValue, Operand, Saved, State};
use super::{Layout, Lifter};

/// `-E2BIG`.
const E2BIG: u64 = (-7i64) as u64;
/// The most rounds of a `bpf_loop` (`BPF_MAX_LOOPS` in the kernel's `include/linux/bpf.h`).
const MAX_ROUNDS: u64 = 1 << 23;

impl Lifter<'_> {
    /// A call of the bpf function at a slot; control goes there.
    pub(super) fn call_function(&mut self, target: i64) {
        let instance = self.current.clone();
        let Some(next) = self.block_behind() else {
            return;
        };
        let caller = Caller {
            instance,
            next,
            round: None,
        };
        let prefix = caller.instance.inner_prefix(0);
        let Some(callee) = self.invoke(target, caller, prefix) else {
            self.after_call(AbstractValue::Reported);
            return;
        };
        self.save_registers(next, AbstractValue::Uninitialised);
        self.enter_function(&callee);
        self.jump_to(callee.entry(), self.state.clone());
    }

    /// The block behind the call that ends the current one.
    pub(super) fn block_behind(&self) -> Option<usize> {
        let flow = &self.current.invocation.flow;
        let successors = flow.blocks[self.current.block()].end.successors();
        successors.first().copied()
    }

    /// A run of the function at a slot. `None`: it cannot be, and the user has been told.
    fn invoke(&mut self, target: i64, caller: Caller, prefix: Vec<u32>) -> Option<Rc<Invocation>> {
        let code = caller.instance.invocation.code;
        let Some(start) = usize::try_from(target)
            .ok()
            .filter(|start| *start < self.codes[code].insns.len())
        else {
            self.refuse(
                "bad-instruction",
                format!("the instruction calls instruction {target}, which does not exist"),
                "the kernel would not load this program either; compile it again",
            );
            return None;
        };
        self.has_calls = true;
        let invocation = caller.instance.invocation.clone();
        let same = |other: &Invocation| other.code == code && other.start == start;
        if invocation.chain().any(same) {
            let name = self.function_name(code, start);
            self.refuse(
                "recursion",
                format!("{name} calls itself, directly or through other functions"),
                "write a loop with a constant bound instead; hardware has no room for an unknown number of calls",
            );
            return None;
        }
        if invocation.chain().count() as u32 >= MAX_FRAMES {
            self.refuse(
                "call-depth",
                format!("functions call each other more than {MAX_FRAMES} deep"),
                "the kernel would not load this program either; inline some of them (static __always_inline)",
            );
            return None;
        }
        let stack = self.frame(code, start, &invocation)?;
        let flow = self.flow_with_loops(code, start);
        let callee = Invocation::new(code, start, flow, Some(caller), stack, prefix);
        Some(Rc::new(callee))
    }

    /// Top and bottom of the stack of a function that another one calls.
    fn frame(&mut self, code: usize, start: usize, caller: &Invocation) -> Option<(u32, u32)> {
        let top = match self.layout {
            Layout::Separate => caller.top + STACK_BYTES,
            Layout::Packed(_) => caller.bottom,
        };
        self.window(code, start, top)
    }

    /// Top and bottom of the stack of a function whose stack ends at `top`.
    pub(super) fn window(&mut self, code: usize, start: usize, top: u32) -> Option<(u32, u32)> {
        let bytes = match &self.layout {
            Layout::Separate => STACK_BYTES,
            Layout::Packed(depths) => depths.get(&(code, start)).copied().unwrap_or(0),
        };
        match top.checked_sub(bytes.next_multiple_of(8)) {
            Some(bottom) => Some((top, bottom)),
            None => {
                self.refuse(
                    "stack-bounds",
                    format!(
                        "{} needs {bytes} bytes of stack where its callers leave {top}",
                        self.function_name(code, start)
                    ),
                    "the functions that are under way share 512 bytes of stack; make arrays on the stack smaller",
                );
                None
            }
        }
    }

    /// Keeps `r6` to `r9` for the caller.
    fn save_registers(&mut self, next: usize, context: AbstractValue) {
        let live = self.current.invocation.flow.blocks[next].live_in;
        let mut registers = [AbstractValue::Uninitialised; 4];
        for (place, saved) in registers.iter_mut().enumerate() {
            if live >> (place + 6) & 1 == 1 {
                *saved = self.state.registers[place + 6];
            }
        }
        self.state.callers.push(Saved {
            registers,
            context,
            round: Operand::Const(0),
        });
    }

    /// What a function finds: its arguments, and a stack of zeros.
    pub(super) fn enter_function(&mut self, callee: &Invocation) {
        self.set_register(0, AbstractValue::Uninitialised);
        for register in 6..10 {
            self.set_register(register, AbstractValue::Uninitialised);
        }
        let top = Operand::Const(u64::from(callee.top));
        self.set_register(10, AbstractValue::Stack(top));
        if let Some((offset, bytes)) = self.state.stack.not_zero_within(callee.bottom, callee.top) {
            if let Layout::Packed(_) = self.layout {
                let zeros = self.builder.wide_constant(Bits::zero(bytes * 8));
                let place = self.builder.value(Operand::Const(u64::from(offset)), 64);
                self.builder.effect(Op::StackStore, vec![place, zeros], &[]);
            }
            self.state.stack.clear(offset, bytes);
        }
    }

    /// The end of a function that was called.
    pub(super) fn return_to(&mut self, caller: &Caller) {
        let result = self.register(0);
        let (top, bottom) = (self.current.invocation.top, self.current.invocation.bottom);
        self.state.stack.leave(bottom, top);
        for register in 0..10 {
            self.set_register(register, AbstractValue::Uninitialised);
        }
        let Some(round) = caller.round else {
            let state = self.state_behind(caller, result);
            self.jump_to(caller.instance.successor(caller.next), state);
            return;
        };
        let stop = match result {
            AbstractValue::Scalar(result) => {
                self.builder.compare(Op::Ne, result, Operand::Const(0), 64)
            }
            AbstractValue::Reported => self.unknown_bit(),
            other => {
                self.refuse(
                    "callback-result",
                    format!("the callback of bpf_loop returns {}", other.description()),
                    "return 0 to go on and 1 to stop",
                );
                self.unknown_bit()
            }
        };
        let (builder, index) = (&mut self.builder, self.state.round());
        let done = builder.binary(Op::Add, index, Operand::Const(1), 32);
        let result = builder.zext(done, 32, 64);
        let stopped = self.state_behind(caller, AbstractValue::Scalar(result));
        let next_round = Round {
            index: round.index + u32::from(!round.is_kept),
            ..round
        };
        let mut state = self.state.clone();
        if let Some(saved) = state.callers.last_mut() {
            saved.round = done;
        }
        self.branch_to(
            stop,
            (caller.instance.successor(caller.next), stopped),
            (caller.instance.before_round(caller.next, next_round), state),
        );
    }

    /// What the caller finds behind its call.
    fn state_behind(&self, caller: &Caller, result: AbstractValue) -> State {
        let mut state = self.state.clone();
        if let Some(saved) = state.callers.pop() {
            state.registers[6..10].copy_from_slice(&saved.registers);
        }
        let top = u64::from(caller.instance.invocation.top);
        state.registers[10] = AbstractValue::Stack(Operand::Const(top));
        state.registers[0] = result;
        state
    }

    /// `bpf_loop` in the kernel's `kernel/bpf/bpf_iter.c`.
    pub(super) fn bpf_loop(&mut self) {
        let Some((count, function, context, flags)) = self.loop_arguments() else {
            self.after_call(AbstractValue::Reported);
            return;
        };
        let Some(next) = self.block_behind() else {
            return;
        };
        let builder = &mut self.builder;
        let has_flags = builder.compare(Op::Ne, flags, Operand::Const(0), 64);
        let too_many = builder.compare(Op::Ult, Operand::Const(MAX_ROUNDS), count, 32);
        let fails = builder.binary(Op::Or, has_flags, too_many, 1);
        let (invalid, too_big) = (Operand::Const(EINVAL), Operand::Const(E2BIG));
        let error = builder.select(has_flags, invalid, too_big, 64);
        self.after_call(AbstractValue::Scalar(error));
        let failed = self.state.clone();
        self.save_registers(next, context);
        for register in 0..10 {
            self.set_register(register, AbstractValue::Uninitialised);
        }
        let id = LoopId {
            code: self.current.invocation.code,
            slot: self.slot as usize,
            is_call: true,
        };
        let round = Round {
            index: 0,
            is_kept: self.loops.keeps(id),
            count,
            function,
        };
        self.branch_to(
            fails,
            (self.current.successor(next), failed),
            (self.current.before_round(next, round), self.state.clone()),
        );
    }

    /// Count (32 bits), function, context and flags (64 bits).
    fn loop_arguments(&mut self) -> Option<(Operand, usize, AbstractValue, Operand)> {
        let count = self.scalar(1)?;
        let count = self.builder.low(count, 32);
        let function = match self.usable(2)? {
            AbstractValue::Function(slot) => slot as usize,
            other => {
                self.refuse(
                    "unknown-callback",
                    format!("bpf_loop is to call {}", other.description()),
                    "name the function in the call itself",
                );
                return None;
            }
        };
        let context = self.register(3);
        let flags = self.scalar(4)?;
        Some((count, function, context, flags))
    }

    /// In front of a round of a `bpf_loop`: either there is one more, or the loop is done.
    pub(super) fn lift_round(&mut self, next: usize, round: Round) {
        let caller = Caller {
            instance: self.call_of_round(),
            next,
            round: Some(round),
        };
        let index = self.state.round();
        let more = self.builder.compare(Op::Ult, index, round.count, 32);
        let index = self.builder.zext(index, 32, 64);
        let finished = self.state_behind(&caller, AbstractValue::Scalar(index));
        let behind = caller.instance.successor(next);
        if more == Operand::Const(0) {
            self.jump_to(behind, finished);
            return;
        }
        let mut prefix = self.current.key.clone();
        // The last number was 0 for this place in front of the round.
        prefix.pop();
        prefix.push(1);
        let Some(callee) = self.invoke(round.function as i64, caller, prefix) else {
            let mut failed = finished;
            failed.registers[0] = AbstractValue::Reported;
            self.jump_to(behind, failed);
            return;
        };
        let context = self.state.callers.last().map(|saved| saved.context);
        self.set_register(1, AbstractValue::Scalar(index));
        self.set_register(2, context.unwrap_or(AbstractValue::Uninitialised));
        self.enter_function(&callee);
        self.branch_to(
            more,
            (callee.entry(), self.state.clone()),
            (behind, finished),
        );
    }

    /// The instance of the block that the current `bpf_loop` ends.
    fn call_of_round(&self) -> Instance {
        let mut instance = self.current.clone();
        if let Point::Round { block, .. } = instance.point {
            instance.point = Point::Block(block);
            instance.key.truncate(instance.key.len() - 2);
        }
        instance
    }
}
