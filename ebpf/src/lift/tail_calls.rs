//! Tail calls: another program of the object goes on in place of the one that runs.

use std::rc::Rc;

use hardpath_ir::{Block, Op, Target, Terminator, Value};

use super::agenda::Invocation;
use super::state::{AbstractValue, Operand};
use super::Lifter;
use crate::map_decls::PROG_ARRAY;

/// More in a row fail (`MAX_TAIL_CALL_CNT` in the kernel's `include/linux/bpf.h`).
const MAX_TAIL_CALLS: u32 = 33;

impl Lifter<'_> {
    /// `bpf_tail_call(ctx, array, index)`. Where the entry is empty the program goes on behind the call.
    pub(super) fn tail_call(&mut self) {
        if self.go_to_programs().is_none() {
            self.after_call(AbstractValue::Reported);
            return;
        }
        let block = self.builder.block;
        if self.builder.program.blocks[block].terminator == Terminator::None {
            self.after_call(AbstractValue::Unusable(
                "the result of a tail call that failed, which is not the same everywhere",
            ));
        }
    }

    /// Branches to the programs of the array's entries. `None`: refused.
    fn go_to_programs(&mut self) -> Option<()> {
        let (map, index) = self.tail_call_arguments()?;
        let Some(calls) = self.state.tail_calls else {
            self.refuse(
                "tail-call-count",
                "there are several ways here, with different numbers of tail calls",
                "make tail calls from the program itself, not from a bpf function that also returns",
            );
            return None;
        };
        if calls >= MAX_TAIL_CALLS {
            return Some(());
        }
        let entries: Vec<(u32, usize)> = self
            .tail_calls
            .iter()
            .filter(|entry| entry.map == map)
            .map(|entry| (entry.index, entry.code))
            .collect();
        if entries.is_empty() {
            self.looked.empty_arrays.insert(map);
        }
        for (branch, (entry, code)) in entries.into_iter().enumerate() {
            let wanted = Operand::Const(u64::from(entry));
            let is_wanted = self.builder.compare(Op::Eq, index, wanted, 32);
            if is_wanted == Operand::Const(0) {
                continue;
            }
            let program = self.program_in_place(code, branch as u32)?;
            let Operand::Value(cond) = is_wanted else {
                self.enter_program(&program);
                self.jump_to(program.entry(), self.state.clone());
                return Some(());
            };
            let [going, staying] = self.split(cond);
            let mut state = self.state.clone();
            self.builder.learn(&mut state.facts, cond, false);
            self.begin_block(going);
            self.enter_program(&program);
            self.jump_to(program.entry(), self.state.clone());
            self.state = state;
            self.builder.facts = self.state.facts.clone();
            self.begin_block(staying);
        }
        Some(())
    }

    /// Ends the IR block with a branch to two new ones.
    pub(super) fn split(&mut self, cond: Value) -> [Block; 2] {
        let from = self.builder.block;
        let blocks = [(), ()].map(|()| self.builder.program.add_block());
        let [yes, no] = blocks.map(|block| Target {
            block,
            args: Vec::new(),
        });
        self.builder.program.blocks[from].terminator = Terminator::Branch { cond, yes, no };
        blocks
    }

    /// Goes on in an IR block.
    pub(super) fn begin_block(&mut self, block: Block) {
        self.builder.block = block;
        self.order.push(block);
        self.place_block();
    }

    /// The array and the index (32 bits).
    fn tail_call_arguments(&mut self) -> Option<(usize, Operand)> {
        if self.usable(1)? != AbstractValue::Context(0) {
            self.refuse(
                "bad-address",
                "bpf_tail_call is not given the program's context",
                "pass the struct xdp_md pointer that the program was called with",
            );
            return None;
        }
        let map = match self.usable(2)? {
            AbstractValue::Map(map) if self.maps[map].map_type == PROG_ARRAY => map,
            other => {
                self.refuse(
                    "unknown-map-argument",
                    format!(
                        "bpf_tail_call takes a program array in r2, which holds {}",
                        other.description()
                    ),
                    "name the program array in the call itself",
                );
                return None;
            }
        };
        let index = self.scalar(3)?;
        Some((map, self.builder.low(index, 32)))
    }

    /// A run of a program in place of the function that runs now.
    fn program_in_place(&mut self, code: usize, branch: u32) -> Option<Rc<Invocation>> {
        self.has_calls = true;
        let replaced = self.current.invocation.clone();
        let stack = self.window(code, 0, replaced.top)?;
        let flow = self.flow_with_loops(code, 0);
        let prefix = self.current.inner_prefix(branch);
        let caller = replaced.caller.clone();
        Some(Rc::new(Invocation::new(
            code, 0, flow, caller, stack, prefix,
        )))
    }

    /// What a program finds: the context, and a stack of zeros.
    fn enter_program(&mut self, program: &Invocation) {
        let (top, bottom) = (self.current.invocation.top, self.current.invocation.bottom);
        self.state.stack.leave(bottom, top);
        self.state.tail_calls = self.state.tail_calls.map(|calls| calls + 1);
        for register in 0..10 {
            self.set_register(register, AbstractValue::Uninitialised);
        }
        self.set_register(1, AbstractValue::Context(0));
        self.enter_function(program);
    }
}
