//! Random structured programs: loops in loops with bounds that hold, functions that call others, whole operations.

use super::{adapt, emit, empty, inputs, of_width, operations, store, Shape};
use crate::Random;
use hardpath_ir::structure::{Bound, Function, Memory, Whole};
use hardpath_ir::{Bits, Block, Op, Phase, Program, Target, Terminator, Value};

/// What blocks have of their own, between branches and loops.
const SHAPE: Shape = Shape {
    operations: 3,
    divisions: false,
    memory: true,
    maps: false,
    logic: false,
    keep_all: false,
};

/// Widths of what goes round, into functions and out of them.
const WIDTHS: [u32; 5] = [1, 8, 16, 33, 64];

/// A program in the structured phase. Every run of it comes to an end.
pub fn structured(random: &mut Random) -> Program {
    let mut program = empty(random);
    program.phase = Phase::Structured;
    let mut maker = Maker {
        program: &mut program,
        random,
        function: None,
        callable: Vec::new(),
        may_end: true,
    };
    for number in 0..maker.random.below(3) {
        maker.function(number);
    }
    let entry = maker.program.make_block();
    maker.start(entry);
    let mut values = inputs(maker.program, entry, maker.random);
    let end = maker.statements(entry, &mut values, 0);
    for _ in 0..2 {
        store(maker.program, end, maker.random, &values);
    }
    emit(maker.program, end, maker.random, &values);
    program
}

struct Maker<'a> {
    program: &'a mut Program,
    random: &'a mut Random,
    /// Whose blocks are made.
    function: Option<Function>,
    /// With whether the program may end in it.
    callable: Vec<(Function, bool)>,
    /// Whether program or function may end here: not in a loop that says exactly how often it goes round.
    may_end: bool,
}

impl Maker<'_> {
    /// The block comes next in the order.
    fn start(&mut self, block: Block) {
        match self.function {
            Some(function) => self.program.functions[function].order.push(block),
            None => self.program.order.push(block),
        }
    }

    fn function(&mut self, number: u64) {
        let results: Vec<u32> = self.widths(3);
        let function = self.program.add_function(format!("f{number}"), &results);
        self.function = Some(function);
        self.may_end = self.random.below(2) == 0;
        let entry = self.program.make_block();
        self.start(entry);
        let mut values: Vec<Value> = (0..1 + self.random.below(3))
            .map(|_| {
                let width = *self.random.pick(&WIDTHS);
                self.program.add_param(entry, width)
            })
            .collect();
        let end = self.statements(entry, &mut values, 1);
        self.give_back(end, &results, &values);
        self.function = None;
        self.callable.push((function, self.may_end));
        self.may_end = true;
    }

    fn widths(&mut self, below: u64) -> Vec<u32> {
        let count = self.random.below(below);
        (0..count).map(|_| *self.random.pick(&WIDTHS)).collect()
    }

    fn arguments(&mut self, block: Block, widths: &[u32], values: &[Value]) -> Vec<Value> {
        let one = |width: &u32| of_width(self.program, block, self.random, values, *width);
        widths.iter().map(one).collect()
    }

    fn give_back(&mut self, block: Block, results: &[u32], values: &[Value]) {
        let args = self.arguments(block, results, values);
        self.program.blocks[block].terminator = Terminator::Return(args);
    }

    fn constant(&mut self, block: Block, value: u64, width: u32) -> Value {
        self.program
            .append_const(block, Bits::from_u64(value, width))
    }

    /// Some statements from this block on; gives the block in which they end. `values` are those known there.
    fn statements(&mut self, block: Block, values: &mut Vec<Value>, depth: u32) -> Block {
        let mut block = block;
        for _ in 0..1 + self.random.below(3) {
            operations(self.program, block, self.random, SHAPE, values);
            match self.random.below(6) {
                0 | 1 if depth < 3 => block = self.repeat(block, values, depth),
                2 if depth < 3 => block = self.choose(block, values, depth),
                3 => self.call(block, values),
                4 | 5 => self.whole(block, values),
                _ => {}
            }
        }
        block
    }

    fn call(&mut self, block: Block, values: &mut Vec<Value>) {
        let mut callable = self.callable.clone();
        callable.retain(|(_, may_end)| self.may_end || !may_end);
        if callable.is_empty() {
            return;
        }
        let (function, _) = *self.random.pick(&callable);
        let params = self.program.parameters(function).to_vec();
        let widths: Vec<u32> = params
            .iter()
            .map(|param| self.program.width(*param))
            .collect();
        let args = self.arguments(block, &widths, values);
        let results = self.program.functions[function].results.clone();
        let inst = self
            .program
            .append(block, Op::Call(function), args, &results, None);
        values.extend(&self.program.insts[inst].results);
    }

    fn offset(&mut self, block: Block, values: &[Value]) -> Value {
        if self.random.below(2) == 0 {
            // At the beginning, or where single loads and stores of the stack are.
            let offset = self.random.below(40) + self.random.below(2) * 470;
            return self.constant(block, offset, 64);
        }
        let low = of_width(self.program, block, self.random, values, 3);
        self.program.append1(block, Op::ZExt, vec![low], 64, None)
    }

    fn whole(&mut self, block: Block, values: &mut Vec<Value>) {
        let memories = [Memory::Stack, Memory::Packet];
        let up_to = 1 + self.random.below(7) as u32;
        let (from, to) = (*self.random.pick(&memories), *self.random.pick(&memories));
        let first = self.offset(block, values);
        let length = match self.random.below(3) {
            0 => {
                let length = u64::from(up_to) + 1 - self.random.below(3);
                self.constant(block, length, 16)
            }
            1 => {
                let low = of_width(self.program, block, self.random, values, 3);
                self.program.append1(block, Op::ZExt, vec![low], 16, None)
            }
            _ => of_width(self.program, block, self.random, values, 16),
        };
        if self.random.below(2) == 0 {
            let seed = of_width(self.program, block, self.random, values, 32);
            let op = Op::Whole(Whole::Checksum {
                memory: from,
                up_to,
            });
            let args = vec![first, length, seed];
            values.push(self.program.append1(block, op, args, 16, None));
        } else {
            let second = self.offset(block, values);
            let op = Op::Whole(Whole::Copy { from, to, up_to });
            self.program
                .append(block, op, vec![first, second, length], &[], None);
        }
    }

    /// A branch whose sides join again, or end.
    fn choose(&mut self, block: Block, values: &mut Vec<Value>, depth: u32) -> Block {
        let cond = of_width(self.program, block, self.random, values, 1);
        let sides = [self.program.make_block(), self.program.make_block()];
        let join = self.program.make_block();
        let widths = self.widths(3);
        self.branch(block, cond, (sides[0], Vec::new()), (sides[1], Vec::new()));
        for (number, side) in sides.into_iter().enumerate() {
            self.start(side);
            let mut here = values.clone();
            let end = self.statements(side, &mut here, depth + 1);
            match (number, self.random.below(8)) {
                (1, 0) if self.may_end => emit(self.program, end, self.random, &here),
                (1, 1) if self.function.is_some() && self.may_end => {
                    let function = self.function.expect("there is one");
                    let results = self.program.functions[function].results.clone();
                    self.give_back(end, &results, &here);
                }
                _ => {
                    let args = self.arguments(end, &widths, &here);
                    self.jump(end, join, args);
                }
            }
        }
        self.start(join);
        values.extend(
            widths
                .iter()
                .map(|width| self.program.add_param(join, *width)),
        );
        join
    }

    fn jump(&mut self, from: Block, block: Block, args: Vec<Value>) {
        self.program.blocks[from].terminator = Terminator::Jump(Target { block, args });
    }

    fn branch(
        &mut self,
        from: Block,
        cond: Value,
        yes: (Block, Vec<Value>),
        no: (Block, Vec<Value>),
    ) {
        let target = |(block, args)| Target { block, args };
        self.program.blocks[from].terminator = Terminator::Branch {
            cond,
            yes: target(yes),
            no: target(no),
        };
    }

    /// A loop that tests at its end, or at its beginning; with ways out in the middle, where its bound allows that.
    fn repeat(&mut self, block: Block, values: &mut Vec<Value>, depth: u32) -> Block {
        let most = self.random.below(3) as u32;
        let is_exact = self.random.below(2) == 0;
        let may_end = self.may_end;
        self.may_end &= !is_exact;
        let tests_first = self.random.below(2) == 0;
        let (head, exit) = (self.program.make_block(), self.program.make_block());
        let widths = self.widths(4);
        let mut args = vec![self.constant(block, 0, 8)];
        args.extend(self.arguments(block, &widths, values));
        self.jump(block, head, args);
        self.start(head);
        self.program.blocks[head].bound = Some(match is_exact {
            true => Bound::Exactly(most),
            false => Bound::UpTo(most),
        });
        let count = self.program.add_param(head, 8);
        let carried: Vec<Value> = widths
            .iter()
            .map(|width| self.program.add_param(head, *width))
            .collect();
        values.extend(&carried);
        let mut here = values.clone();
        let mut at = self.middle(head, &mut here, depth);
        let limit = self.constant(at, u64::from(most), 8);
        let mut goes_on = self
            .program
            .append1(at, Op::Ult, vec![count, limit], 1, None);
        if !is_exact && self.random.below(2) == 0 {
            let data = of_width(self.program, at, self.random, &here, 1);
            goes_on = self
                .program
                .append1(at, Op::And, vec![goes_on, data], 1, None);
        }
        // What is known at the way out.
        let known = here.clone();
        let mut others = Vec::new();
        let out = match tests_first {
            true => {
                let body = self.program.make_block();
                let out = self.arguments(at, &widths, &here);
                self.branch(at, goes_on, (body, Vec::new()), (exit, out));
                self.start(body);
                at = self.middle(body, &mut here, depth);
                if !is_exact && self.random.below(2) == 0 {
                    at = self.way_out(at, exit, &widths, &here, &mut others);
                }
                None
            }
            false => Some(self.arguments(at, &widths, &here)),
        };
        let next = self.next_round(at, count, &carried, &here);
        match out {
            None => self.jump(at, head, next),
            Some(out) => self.branch(at, goes_on, (head, next), (exit, out)),
        }
        self.may_end = may_end;
        for block in others {
            self.start(block);
            emit(self.program, block, self.random, &known);
        }
        self.start(exit);
        *values = known;
        values.extend(
            widths
                .iter()
                .map(|width| self.program.add_param(exit, *width)),
        );
        exit
    }

    fn middle(&mut self, block: Block, values: &mut Vec<Value>, depth: u32) -> Block {
        match self.random.below(2) {
            0 => self.statements(block, values, depth + 1),
            _ => {
                operations(self.program, block, self.random, SHAPE, values);
                block
            }
        }
    }

    /// Leaves the loop, or the program, in the middle of a round; gives the block that goes on.
    fn way_out(
        &mut self,
        block: Block,
        exit: Block,
        widths: &[u32],
        values: &[Value],
        others: &mut Vec<Block>,
    ) -> Block {
        let rest = self.program.make_block();
        let cond = of_width(self.program, block, self.random, values, 1);
        let out = match self.random.below(3) {
            0 if self.may_end => {
                let ends = self.program.make_block();
                others.push(ends);
                (ends, Vec::new())
            }
            _ => (exit, self.arguments(block, widths, values)),
        };
        self.branch(block, cond, out, (rest, Vec::new()));
        self.start(rest);
        rest
    }

    /// What the head gets: the count, and what is carried, sometimes in another order.
    fn next_round(
        &mut self,
        block: Block,
        count: Value,
        carried: &[Value],
        values: &[Value],
    ) -> Vec<Value> {
        let one = self.constant(block, 1, 8);
        let mut next = vec![self
            .program
            .append1(block, Op::Add, vec![count, one], 8, None)];
        let turned = self.random.below(2) == 0;
        for (index, &value) in carried.iter().enumerate() {
            let width = self.program.width(value);
            let other = carried[(index + 1) % carried.len()];
            next.push(match turned {
                true => adapt(self.program, block, self.random, other, width),
                false => of_width(self.program, block, self.random, values, width),
            });
        }
        next
    }
}
