//! How often loops go round: bounds of loops that count.
//!
//! ```text
//! block1(v1:16, v2:16) loop unknown:         block1(v1:16, v2:16) loop exactly 3:
//!     v3:16 = add v1, 2                          v3:16 = add v1, 2
//!     v4:1 = ult v3, 8                 →         v4:1 = ult v3, 8
//!     branch v4, block1(v3, …), block2           branch v4, block1(v3, …), block2
//! ```
//!
//! A *counter* is a parameter of the head to which every way back adds a step, of which bounds are known. A *test* is a branch that stands on
//! every way from the head back to it, of which one side leaves the loop, and which compares the counter, or the counter and a
//! constant, with what the loop does not change. Where the counter cannot wrap around before the test fails, the distance and
//! the step say how often it holds at most: so often control goes back. Start and limit may be known by bounds only
//! ([`spans`]); where both are constants, and nothing but the test leaves the loop, the number is exact.
//!
//! Outer loops come first, since the bounds of their counters are known inside. What is known of a bound already stays.

mod spans;

use crate::copies::predecessors;
use crate::loops::leaves_program;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::graph::{Dominators, Graph, Nesting};
use hardpath_ir::structure::Bound;
use hardpath_ir::{Block, Inst, Op, Program, Terminator, Value, ValueDef};
use spans::{Compare, Span, Spans};
use std::cell::Cell;
use std::collections::HashMap;

/// How far a limit is looked at.
const DEPTH: u32 = 6;
/// How far what is added to a counter, and how much of it.
const CHAIN: u32 = 24;
const MOST_VALUES: u32 = 200;

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let orders: Vec<Vec<Block>> = program.orders().map(|(_, order)| order.to_vec()).collect();
    let mut changed = false;
    for order in orders {
        for (block, bound) in bounds(program, &order) {
            program.blocks[block].bound = Some(bound);
            changed = true;
        }
    }
    Ok(changed)
}

/// The bounds that can be found of loops without one.
fn bounds(program: &Program, order: &[Block]) -> Vec<(Block, Bound)> {
    let is_unknown = |block: &Block| program.blocks[*block].bound == Some(Bound::Unknown);
    if !order.iter().any(is_unknown) {
        return Vec::new();
    }
    let graph = Graph::new(program, order);
    let nesting = graph.nesting();
    if nesting.too_deep.is_some() {
        return Vec::new();
    }
    let dominators = graph.dominators();
    let predecessors = predecessors(program, order);
    let homes = homes(program, order);
    let mut spans = Spans::new(&predecessors);
    let mut found = Vec::new();
    for (head, &block) in order.iter().enumerate() {
        if program.blocks[block].bound.is_none() || !dominators.is_reached(head) {
            continue;
        }
        let nodes = (0..order.len()).filter(|node| nesting.loops[*node].contains(&head));
        let around = Loop {
            program,
            order,
            graph: &graph,
            nesting: &nesting,
            dominators: &dominators,
            predecessors: &predecessors[block],
            homes: &homes,
            head,
            nodes: nodes.collect(),
            looked: Cell::new(0),
        };
        spans.learn(program, order, &graph, &dominators, head);
        if let Some(bound) = around.bound(&mut spans) {
            if is_unknown(&block) {
                found.push((block, bound));
            }
        }
    }
    found
}

/// The node that each instruction stands in.
fn homes(program: &Program, order: &[Block]) -> HashMap<Inst, usize> {
    let blocks = order.iter().enumerate();
    let insts = blocks.flat_map(|(node, block)| {
        let insts = program.blocks[*block].insts.iter();
        insts.map(move |inst| (*inst, node))
    });
    insts.collect()
}

/// A loop; nodes are places in the order.
struct Loop<'a> {
    program: &'a Program,
    order: &'a [Block],
    graph: &'a Graph,
    nesting: &'a Nesting,
    dominators: &'a Dominators,
    /// Of the head.
    predecessors: &'a [Block],
    homes: &'a HashMap<Inst, usize>,
    head: usize,
    nodes: Vec<usize>,
    /// Values looked at for one question.
    looked: Cell<u32>,
}

/// A parameter of the head to which every way back adds a step.
#[derive(Clone, Copy)]
struct Counter {
    param: Value,
    /// So many low bits count. The others are as they come in, or zeros where the parameter is narrow.
    bits: u32,
    /// The shortest and the longest.
    step: (i128, i128),
    start: Span,
    /// All other bits are zeros in every round.
    is_narrow: bool,
}

/// `extended((low bits of the parameter + more) modulo 2^bits)`.
#[derive(Clone, Copy)]
struct Linear {
    bits: u32,
    /// From the least to the most.
    more: (i128, i128),
}

/// How the counter compares with the limit as long as the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stays {
    Below,
    AtMost,
    Above,
    AtLeast,
    Apart,
}

/// A compare of something that counts with a limit, whose true side stays in the loop.
struct Test {
    counted: Value,
    stays: Stays,
    limit: Span,
    is_signed: bool,
    /// Nothing else ends the loop.
    is_exact: bool,
}

impl Loop<'_> {
    fn contains(&self, node: usize) -> bool {
        self.nesting.loops[node].contains(&self.head)
    }

    /// The bound that the tightest of all tests gives; what it says of counters is noted.
    fn bound(&self, spans: &mut Spans) -> Option<Bound> {
        let counters: Vec<Counter> = self.program.blocks[self.order[self.head]]
            .params
            .iter()
            .enumerate()
            .filter_map(|(index, &param)| self.counter(index, param, spans))
            .collect();
        let goes_back = |from: &&usize| self.graph.successors[**from].contains(&self.head);
        let ways_back: Vec<usize> = self.nodes.iter().filter(goes_back).copied().collect();
        let tests = self.nodes.iter().filter(|node| {
            let mut ways_back = ways_back.iter();
            ways_back.all(|from| self.dominators.dominates(**node, *from))
        });
        let tests: Vec<Test> = tests.flat_map(|node| self.tests(*node, spans)).collect();
        let mut best: Option<(u32, bool)> = None;
        for test in &tests {
            for counter in &counters {
                let Some((times, is_exact)) = self.times(counter, test, spans) else {
                    continue;
                };
                let is_exact = is_exact && test.is_exact;
                if best.is_none_or(|(least, _)| times < least) {
                    best = Some((times, is_exact));
                }
            }
        }
        let (times, is_exact) = best?;
        let is_whole = |counter: &Counter| {
            counter.is_narrow || counter.bits == self.program.width(counter.param)
        };
        for counter in counters.into_iter().filter(is_whole) {
            if let Some(span) = counter.reach(times) {
                spans.know(counter.param, span);
            }
        }
        Some(match is_exact {
            true => Bound::Exactly(times),
            false => Bound::UpTo(times),
        })
    }

    fn counter(&self, index: usize, param: Value, spans: &Spans) -> Option<Counter> {
        let width = self.program.width(param);
        if width > u64::BITS {
            return None;
        }
        self.looked.set(0);
        let head = self.order[self.head];
        let (mut start, mut step): (Option<Span>, Option<Linear>) = (None, None);
        for &from in self.predecessors {
            let is_back = self
                .graph
                .node(from)
                .is_some_and(|node| self.contains(node));
            for target in self.program.blocks[from].terminator.targets() {
                if target.block != head {
                    continue;
                }
                let given = target.args[index];
                if is_back {
                    let linear = self.linear(given, param, width, spans, CHAIN)?;
                    step = match step {
                        Some(other) => Some(other.hull(linear)?),
                        None => Some(linear),
                    };
                } else {
                    let span = spans.of(self.program, given);
                    start = Some(start.map_or(span, |all| all.hull(span)));
                }
            }
        }
        let (start, step) = (start?, step?);
        let is_narrow = step.bits < width && start.high <= mask(step.bits);
        let start = match start.high <= mask(step.bits) {
            true => start,
            false => start.low_bits(step.bits),
        };
        (step.more.0 > 0 || step.more.1 < 0).then_some(Counter {
            param,
            bits: step.bits,
            step: step.more,
            start,
            is_narrow,
        })
    }

    /// A value of at most 64 bits as the counter and some more; `bits`: so many the parameter has, above which are zeros.
    fn linear(
        &self,
        value: Value,
        param: Value,
        bits: u32,
        spans: &Spans,
        depth: u32,
    ) -> Option<Linear> {
        if value == param {
            return Some(Linear { bits, more: (0, 0) });
        }
        let depth = depth.checked_sub(1)?;
        self.looked.set(self.looked.get() + 1);
        if self.looked.get() > MOST_VALUES {
            return None;
        }
        let program = self.program;
        let width = program.width(value);
        let inner = |value: Value| self.linear(value, param, bits, spans, depth);
        let inst = match program.values[value].def {
            ValueDef::Result(inst, _) => &program.insts[inst],
            ValueDef::Param(block, number) => {
                if !self.is_made_inside(value) || program.blocks[block].bound.is_some() {
                    return None;
                }
                let given = spans.given(program, block, number as usize);
                return hull(given.into_iter().map(inner));
            }
        };
        match inst.op {
            Op::Slice { lo: 0 } => Some(inner(inst.args[0])?.low_bits(width)),
            Op::ZExt => inner(inst.args[0]),
            Op::Select => hull([inner(inst.args[1]), inner(inst.args[2])].into_iter()),
            Op::Add | Op::Sub => {
                let (a, b) = (inst.args[0], inst.args[1]);
                let more = |value: Value| spans.of(program, value).shortest(width);
                let (linear, more) = match (inner(a), &inst.op) {
                    (Some(linear), Op::Add) => (linear, more(b)),
                    (Some(linear), _) => {
                        let (low, high) = more(b);
                        (linear, (-high, -low))
                    }
                    (None, Op::Add) => (inner(b)?, more(a)),
                    _ => return None,
                };
                // Above the bits that count there would be a carry.
                (linear.bits == width).then_some(Linear {
                    bits: linear.bits,
                    more: (linear.more.0 + more.0, linear.more.1 + more.1),
                })
            }
            _ => None,
        }
    }

    /// The tests that end a node of every round.
    fn tests(&self, node: usize, spans: &Spans) -> Vec<Test> {
        let Terminator::Branch { cond, .. } = self.program.blocks[self.order[node]].terminator
        else {
            return Vec::new();
        };
        let sides = &self.graph.successors[node];
        let stays: Vec<bool> = sides.iter().map(|side| self.contains(*side)).collect();
        // In an inner loop it would hold more often.
        let is_in_round = self.nesting.loops[node].last() == Some(&self.head);
        let ([true, false] | [false, true], true) = (&stays[..], is_in_round) else {
            return Vec::new();
        };
        let (compares, is_all) = spans::compares(self.program, cond, stays[0]);
        let is_exact = is_all && self.is_only_way_out(node);
        let tests = compares.iter();
        tests
            .filter_map(|compare| self.test(compare, is_exact, spans))
            .collect()
    }

    fn test(&self, compare: &Compare, is_exact: bool, spans: &Spans) -> Option<Test> {
        let (counted, limit, stays) = match (compare.a, compare.b) {
            (a, b) if self.is_invariant(b, DEPTH) => (a, b, compare.relation()),
            (a, b) if self.is_invariant(a, DEPTH) => (b, a, compare.mirrored_relation()),
            _ => return None,
        };
        let limit = compare.limit(spans.of(self.program, limit))?;
        Some(Test {
            counted,
            stays,
            limit,
            is_signed: compare.is_signed,
            is_exact,
        })
    }

    fn is_made_inside(&self, value: Value) -> bool {
        let node = match self.program.values[value].def {
            ValueDef::Result(inst, _) => self.homes.get(&inst).copied(),
            ValueDef::Param(block, _) => self.graph.node(block),
        };
        node.is_some_and(|node| self.contains(node))
    }

    /// Whether a value is the same in each round: made outside, or computed of what is.
    fn is_invariant(&self, value: Value, depth: u32) -> bool {
        if !self.is_made_inside(value) {
            return true;
        }
        match self.program.def_inst(value) {
            Some(inst) if inst.op.is_pure() && depth > 0 => {
                let mut args = inst.args.iter();
                args.all(|arg| self.is_invariant(*arg, depth - 1))
            }
            _ => false,
        }
    }

    fn is_only_way_out(&self, test: usize) -> bool {
        self.nodes.iter().all(|&node| {
            let block = &self.program.blocks[self.order[node]];
            let calls = |inst: &Inst| matches!(self.program.insts[*inst].op, Op::Call(_));
            let stays = self.graph.successors[node]
                .iter()
                .all(|to| self.contains(*to));
            (node == test || stays)
                && !leaves_program(&block.terminator)
                && !block.insts.iter().any(calls)
        })
    }

    /// How often a test holds at most, and whether it does so exactly.
    fn times(&self, counter: &Counter, test: &Test, spans: &Spans) -> Option<(u32, bool)> {
        let width = self.program.width(test.counted);
        let bits = match counter.is_narrow {
            true => counter.bits,
            false => self.program.width(counter.param),
        };
        self.looked.set(0);
        let linear = self.linear(test.counted, counter.param, bits, spans, CHAIN)?;
        if linear.bits > counter.bits {
            return None;
        }
        let bits = linear.bits;
        let start = match counter.start.high <= mask(bits) {
            true => counter.start,
            false => counter.start.low_bits(bits),
        };
        let is_signed = test.is_signed && bits == width;
        // A number with zeros above is the same with a sign.
        let limit = match test.is_signed {
            true => test.limit.signed(width),
            false => test.limit.unsigned(),
        };
        let all = match is_signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, i128::from(mask(bits))),
        };
        let start = start.moved(linear.more, bits, is_signed)?;
        let way = Way {
            start,
            step: counter.step,
            spread: linear.more.1 - linear.more.0,
        };
        let times = way.rounds(test.stays, limit, all)?;
        let is_exact = start.0 == start.1
            && limit.0 == limit.1
            && counter.step.0 == counter.step.1
            && way.spread == 0;
        Some((u32::try_from(times).ok()?, is_exact))
    }
}

/// Of several ways to make a value.
fn hull(all: impl Iterator<Item = Option<Linear>>) -> Option<Linear> {
    let mut hull: Option<Linear> = None;
    for linear in all {
        let linear = linear?;
        hull = match hull {
            Some(hull) => Some(hull.hull(linear)?),
            None => Some(linear),
        };
    }
    hull
}

/// What is compared with a limit, round after round.
struct Way {
    /// In the first round.
    start: (i128, i128),
    /// From round to round, but for the spread.
    step: (i128, i128),
    /// How far it may be off, in each round anew.
    spread: i128,
}

impl Way {
    /// How often a test holds before it fails, at most; everything stays within `all`.
    fn rounds(&self, stays: Stays, limit: (i128, i128), all: (i128, i128)) -> Option<i128> {
        if self.step.1 < 0 {
            let turned = |(low, high): (i128, i128)| (-high, -low);
            let way = Way {
                start: turned(self.start),
                step: turned(self.step),
                spread: self.spread,
            };
            return way.rounds(mirrored(stays), turned(limit), turned(all));
        }
        let (start, step) = (self.start, self.step);
        let is_even = step.0 == step.1 && self.spread == 0;
        // The first number that fails.
        let end = match stays {
            Stays::Below => limit.1,
            Stays::AtMost => limit.1 + 1,
            Stays::Apart if is_even && step.0 == 1 && start.1 <= limit.0 => limit.1,
            Stays::Apart if is_even && start.0 == start.1 && limit.0 == limit.1 => {
                let distance = limit.0 - start.0;
                let is_met = step.0 > 0 && distance >= 0 && distance % step.0 == 0;
                return is_met.then(|| distance / step.0);
            }
            _ => return None,
        };
        // One step behind the last number that passes.
        let furthest = (end - 1 + self.spread + step.1).max(start.1);
        if step.0 <= 0 || furthest > all.1 {
            return None;
        }
        Some(((end - start.0).max(0) + step.0 - 1) / step.0)
    }
}

fn mirrored(stays: Stays) -> Stays {
    match stays {
        Stays::Below => Stays::Above,
        Stays::AtMost => Stays::AtLeast,
        Stays::Above => Stays::Below,
        Stays::AtLeast => Stays::AtMost,
        Stays::Apart => Stays::Apart,
    }
}

impl Linear {
    fn low_bits(self, bits: u32) -> Linear {
        Linear {
            bits: bits.min(self.bits),
            ..self
        }
    }

    fn hull(self, other: Linear) -> Option<Linear> {
        (self.bits == other.bits).then_some(Linear {
            bits: self.bits,
            more: (self.more.0.min(other.more.0), self.more.1.max(other.more.1)),
        })
    }
}

impl Counter {
    /// What the parameter may be when control goes back so often at most. `None`: it may wrap around.
    fn reach(&self, times: u32) -> Option<Span> {
        let times = i128::from(times);
        let low = i128::from(self.start.low) + (self.step.0 * times).min(0);
        let high = i128::from(self.start.high) + (self.step.1 * times).max(0);
        let is_inside = low >= 0 && high <= i128::from(mask(self.bits));
        is_inside.then_some(Span {
            low: low as u64,
            high: high as u64,
        })
    }
}

/// The largest number of so many bits, at most 64.
fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}
