//! Bounds of values, from how they are computed and from the branches in front of a loop.

use super::{mask, mirrored, Stays};
use cranelift_entity::SecondaryMap;
use hardpath_ir::graph::{Dominators, Graph};
use hardpath_ir::{Block, InstData, Op, Program, Terminator, Value, ValueDef};
use std::collections::HashMap;

/// From the lowest to the highest number that a value may be, without signs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub low: u64,
    pub high: u64,
}

impl Span {
    fn full(bits: u32) -> Span {
        Span {
            low: 0,
            high: mask(bits),
        }
    }

    pub fn exactly(number: u64) -> Span {
        Span {
            low: number,
            high: number,
        }
    }

    pub fn hull(self, other: Span) -> Span {
        Span {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// What is in both; one of them, should that be nothing.
    fn meet(self, other: Span) -> Span {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        match low <= high {
            true => Span { low, high },
            false => self,
        }
    }

    pub fn low_bits(self, bits: u32) -> Span {
        match self.low == self.high {
            true => Span::exactly(self.low & mask(bits)),
            false if self.high <= mask(bits) => self,
            false => Span::full(bits),
        }
    }

    /// Plus a number, modulo 2^bits. `None`: some sums wrap around and others do not.
    pub fn plus(self, number: u64, bits: u32) -> Option<Span> {
        let low = self.low.wrapping_add(number) & mask(bits);
        let high = self.high.wrapping_add(number) & mask(bits);
        (low <= high && high - low == self.high - self.low).then_some(Span { low, high })
    }

    /// The same modulo 2^bits, as near to zero as can be.
    pub fn shortest(self, bits: u32) -> (i128, i128) {
        let half = 1i128 << (bits - 1);
        match self.unsigned() {
            (low, high) if low >= half => (low - 2 * half, high - 2 * half),
            unsigned => unsigned,
        }
    }

    /// As numbers of so many bits, plus some more. `None`: some sums may wrap around and others do not.
    pub fn moved(self, more: (i128, i128), bits: u32, is_signed: bool) -> Option<(i128, i128)> {
        if more.0 == more.1 {
            let number = more.0.rem_euclid(1 << bits) as u64;
            let sum = self.plus(number, bits)?;
            return Some(match is_signed {
                true => sum.signed(bits),
                false => sum.unsigned(),
            });
        }
        let (start, least, most) = match is_signed {
            true => (
                self.signed(bits),
                -(1i128 << (bits - 1)),
                (1i128 << (bits - 1)) - 1,
            ),
            false => (self.unsigned(), 0, i128::from(mask(bits))),
        };
        let sum = (start.0 + more.0, start.1 + more.1);
        (sum.0 >= least && sum.1 <= most).then_some(sum)
    }

    pub fn unsigned(self) -> (i128, i128) {
        (i128::from(self.low), i128::from(self.high))
    }

    /// As numbers of so many bits with a sign.
    pub fn signed(self, bits: u32) -> (i128, i128) {
        let half = 1i128 << (bits - 1);
        let (low, high) = self.unsigned();
        match (low >= half, high >= half) {
            (false, false) => (low, high),
            (true, true) => (low - 2 * half, high - 2 * half),
            _ => (-half, half - 1),
        }
    }
}

/// A compare that holds.
pub struct Compare {
    pub a: Value,
    pub b: Value,
    relation: Stays,
    pub is_signed: bool,
    /// What is compared with the constant are the bits from here on.
    shift: u32,
    /// `a` and `b` are equal; the relation is for the bits above `shift`.
    is_equal: bool,
}

impl Compare {
    /// How `a` stands to `b`.
    pub fn relation(&self) -> Stays {
        self.relation
    }

    /// How `b` stands to `a`.
    pub fn mirrored_relation(&self) -> Stays {
        match self.is_equal {
            true => self.relation,
            false => mirrored(self.relation),
        }
    }

    /// The bounds of the other side, as those of the whole of what is compared.
    pub fn limit(&self, limit: Span) -> Option<Span> {
        match (self.is_equal, self.shift) {
            (false, 0) => Some(limit),
            // No bit above is set: below the lowest of them.
            (true, shift) if limit == Span::exactly(0) && shift < 64 => {
                Some(Span::exactly(1 << shift))
            }
            // The compare of a part with a constant, which has been looked at.
            (false, shift) if limit.low == limit.high => {
                let limit = limit.low.checked_mul(1u64.checked_shl(shift)?)?;
                Some(Span::exactly(limit))
            }
            _ => None,
        }
    }
}

/// Compares that are all true when a condition is `holds`, and whether that is all that the condition says.
pub fn compares(program: &Program, condition: Value, holds: bool) -> (Vec<Compare>, bool) {
    let mut all = Vec::new();
    let mut is_all = true;
    let mut work = vec![(condition, holds)];
    while let Some((condition, holds)) = work.pop() {
        let inst = program.def_inst(condition);
        match inst.map(|inst| (&inst.op, &inst.args[..], holds)) {
            Some((Op::Not, [inner], _)) => work.push((*inner, !holds)),
            Some((Op::And, [a, b], true) | (Op::Or, [a, b], false))
                if all.len() < MOST_COMPARES =>
            {
                work.extend([(*b, holds), (*a, holds)]);
            }
            _ => match compare(program, condition, holds) {
                Some(compare) => all.push(compare),
                None => is_all = false,
            },
        }
    }
    let is_all = is_all && all.len() == 1;
    (all, is_all)
}

/// A condition as a compare that is true when the condition is `holds`.
fn compare(program: &Program, condition: Value, holds: bool) -> Option<Compare> {
    let inst = program.def_inst(condition)?;
    let [a, b] = inst.args[..] else {
        return None;
    };
    if program.width(a) > u64::BITS {
        return None;
    }
    let is_signed = matches!(inst.op, Op::Slt | Op::Sle);
    let (relation, is_equal) = match (&inst.op, holds) {
        (Op::Ult | Op::Slt, true) => (Stays::Below, false),
        (Op::Ule | Op::Sle, true) => (Stays::AtMost, false),
        (Op::Ult | Op::Slt, false) => (Stays::AtLeast, false),
        (Op::Ule | Op::Sle, false) => (Stays::Above, false),
        (Op::Ne, true) | (Op::Eq, false) => (Stays::Apart, false),
        (Op::Eq, true) | (Op::Ne, false) => (Stays::Below, true),
        _ => return None,
    };
    let plain = Compare {
        a,
        b,
        relation,
        is_signed,
        shift: 0,
        is_equal,
    };
    Some(of_high_bits(program, plain.a, plain.b, &plain).unwrap_or(plain))
}

/// The compare of a value's highest bits, as one of the whole value: `x[..4] < 3` is `x < 48`.
fn of_high_bits(program: &Program, a: Value, b: Value, plain: &Compare) -> Option<Compare> {
    let high_bits = |value: Value| {
        let inst = program.def_inst(value)?;
        match inst.op {
            Op::Slice { lo } if lo > 0 => {
                let whole = program.width(inst.args[0]);
                let is_top = lo + program.width(value) == whole && whole <= u64::BITS;
                is_top.then(|| (inst.args[0], lo))
            }
            _ => None,
        }
    };
    let (whole, shift, other, relation) = match (high_bits(a), high_bits(b)) {
        (Some((whole, shift)), None) => (whole, shift, b, plain.relation),
        (None, Some((whole, shift))) if !plain.is_equal => {
            (whole, shift, a, mirrored(plain.relation))
        }
        _ => return None,
    };
    program.as_const(other)?;
    // Other relations would need the number that follows.
    let is_good = matches!(relation, Stays::Below | Stays::AtLeast) && !plain.is_signed;
    is_good.then_some(Compare {
        a: whole,
        b: other,
        relation,
        is_signed: false,
        shift,
        is_equal: plain.is_equal,
    })
}

/// How far bounds are looked for in what a value was computed from.
const DEPTH: u32 = 6;
/// So many branches in front of a loop are looked at.
const MOST_BRANCHES: usize = 64;
/// So many ways into a block.
const MOST_WAYS: usize = 4;
/// So many parts of a condition.
const MOST_COMPARES: usize = 8;

pub struct Spans<'a> {
    /// Which blocks lead to each.
    predecessors: &'a SecondaryMap<Block, Vec<Block>>,
    /// Of counters, in their loops.
    known: HashMap<Value, Span>,
    /// From branches in front of the loop that is looked at.
    learned: Vec<(Value, Span)>,
}

impl<'a> Spans<'a> {
    pub fn new(predecessors: &'a SecondaryMap<Block, Vec<Block>>) -> Spans<'a> {
        Spans {
            predecessors,
            known: HashMap::new(),
            learned: Vec::new(),
        }
    }

    /// Notes the bounds of a loop's counter.
    pub fn know(&mut self, counter: Value, span: Span) {
        self.known.insert(counter, span);
    }

    /// Learns from the branches through which every way to a head goes.
    pub fn learn(
        &mut self,
        program: &Program,
        order: &[Block],
        graph: &Graph,
        dominators: &Dominators,
        head: usize,
    ) {
        self.learned.clear();
        let mut below = head;
        let mut above = Vec::new();
        while let Some(node) = dominators.immediate(below) {
            above.push(node);
            below = node;
        }
        // Ways back come in with what held before.
        let mut entries = vec![0; order.len()];
        for (from, targets) in graph.successors.iter().enumerate() {
            for to in targets.iter().filter(|to| **to > from) {
                entries[*to] += 1;
            }
        }
        for node in above.into_iter().take(MOST_BRANCHES).rev() {
            let Terminator::Branch { cond, .. } = program.blocks[order[node]].terminator else {
                continue;
            };
            for (side, holds) in graph.successors[node].iter().zip([true, false]) {
                if entries[*side] == 1 && dominators.dominates(*side, head) {
                    self.learn_from(program, cond, holds);
                }
            }
        }
    }

    fn learn_from(&mut self, program: &Program, condition: Value, holds: bool) {
        for compare in compares(program, condition, holds).0 {
            self.learn_compare(program, &compare);
        }
    }

    fn learn_compare(&mut self, program: &Program, compare: &Compare) {
        for (value, other, relation) in [
            (compare.a, compare.b, compare.relation),
            (compare.b, compare.a, compare.mirrored_relation()),
        ] {
            let before = self.of(program, value);
            let width = program.width(value);
            if compare.is_equal && compare.shift == 0 {
                let equal = self.of(program, other);
                self.learn_of(program, value, equal);
                continue;
            }
            let limit = match compare.limit(self.of(program, other)) {
                Some(limit) if value == compare.a || compare.shift == 0 => limit,
                _ => continue,
            };
            let is_positive = |span: Span| span.high <= mask(width) >> 1;
            if compare.is_signed && !(is_positive(before) && is_positive(limit)) {
                continue;
            }
            let full = Span::full(width);
            let learned = match relation {
                Stays::Below => match limit.high.checked_sub(1) {
                    Some(high) => Span { high, ..full },
                    None => continue,
                },
                Stays::AtMost => Span {
                    high: limit.high,
                    ..full
                },
                Stays::AtLeast => Span {
                    low: limit.low,
                    ..full
                },
                Stays::Above => match limit.low.checked_add(1) {
                    Some(low) => Span { low, ..full },
                    None => continue,
                },
                Stays::Apart => continue,
            };
            self.learn_of(program, value, learned.meet(before));
        }
    }

    /// Notes the bounds of a value, and of those that it is moved or extended from.
    fn learn_of(&mut self, program: &Program, value: Value, span: Span) {
        let (mut value, mut span) = (value, span);
        loop {
            self.learned.push((value, span));
            let Some(inst) = program.def_inst(value) else {
                return;
            };
            let number = |number: usize| program.as_const(*inst.args.get(number)?)?.as_u64();
            let width = program.width(value);
            let moved = match (&inst.op, number(0), number(1)) {
                (Op::ZExt, ..) => Some((inst.args[0], span)),
                (Op::Add, _, Some(number)) => {
                    let moved = span.plus(number.wrapping_neg(), width);
                    moved.map(|span| (inst.args[0], span))
                }
                (Op::Add, Some(number), _) => {
                    let moved = span.plus(number.wrapping_neg(), width);
                    moved.map(|span| (inst.args[1], span))
                }
                (Op::Sub, _, Some(number)) => {
                    span.plus(number, width).map(|span| (inst.args[0], span))
                }
                _ => None,
            };
            match moved {
                Some(moved) => (value, span) = moved,
                None => return,
            }
        }
    }

    /// What a block's parameter is given.
    pub fn given(&self, program: &Program, block: Block, number: usize) -> Vec<Value> {
        let mut from = self.predecessors[block].clone();
        from.dedup();
        let targets = from.into_iter().flat_map(|from| {
            let targets = program.blocks[from].terminator.targets();
            let here = targets.into_iter().filter(|target| target.block == block);
            here.map(|target| target.args[number]).collect::<Vec<_>>()
        });
        targets.collect()
    }

    /// The bounds of a value of at most 64 bits.
    pub fn of(&self, program: &Program, value: Value) -> Span {
        self.within(program, value, DEPTH)
    }

    fn within(&self, program: &Program, value: Value, depth: u32) -> Span {
        let width = program.width(value);
        if width > u64::BITS {
            return Span::full(u64::BITS);
        }
        let known = self.known.get(&value).copied();
        let mut span = known.unwrap_or_else(|| self.computed(program, value, depth));
        for (other, learned) in &self.learned {
            if same(program, *other, value, 4) {
                span = span.meet(*learned);
            }
        }
        span
    }

    fn computed(&self, program: &Program, value: Value, depth: u32) -> Span {
        let width = program.width(value);
        let full = Span::full(width);
        let Some(depth) = depth.checked_sub(1) else {
            return full;
        };
        let inst = match program.values[value].def {
            ValueDef::Result(inst, _) => &program.insts[inst],
            // A loop's head is given what the loop makes.
            ValueDef::Param(block, _) if program.blocks[block].bound.is_some() => return full,
            ValueDef::Param(block, number) => {
                let given = self.given(program, block, number as usize);
                if given.len() > MOST_WAYS {
                    return full;
                }
                let depth = depth.saturating_sub(1);
                let spans = given.into_iter();
                let spans = spans.map(|value| self.within(program, value, depth));
                return spans.reduce(Span::hull).unwrap_or(full);
            }
        };
        let narrow = inst.args.iter().all(|arg| program.width(*arg) <= u64::BITS);
        if !inst.op.is_pure() || !narrow {
            return full;
        }
        result(program, inst, width, &|number: usize| {
            self.within(program, inst.args[number], depth)
        })
    }
}

/// The bounds of a pure operation's result, from those of its arguments by their place.
fn result(program: &Program, inst: &InstData, width: u32, of: &dyn Fn(usize) -> Span) -> Span {
    let full = Span::full(width);
    let fits = |low: Option<u64>, high: Option<u64>| match (low, high) {
        (Some(low), Some(high)) if low <= high && high <= full.high => Span { low, high },
        _ => full,
    };
    match &inst.op {
        Op::Const(bits) => bits.as_u64().map_or(full, Span::exactly),
        Op::ZExt => of(0),
        Op::SExt if of(0).high <= mask(program.width(inst.args[0])) >> 1 => of(0),
        Op::Slice { lo } => {
            let Span { low, high } = of(0);
            fits(low.checked_shr(*lo), high.checked_shr(*lo))
        }
        Op::LShr => {
            let (a, by) = (of(0), of(1));
            let shifted = |number: u64, by: u64| {
                let by = u32::try_from(by).ok();
                by.and_then(|by| number.checked_shr(by)).or(Some(0))
            };
            fits(shifted(a.low, by.high), shifted(a.high, by.low))
        }
        Op::And => fits(Some(0), Some(of(0).high.min(of(1).high))),
        Op::Or | Op::Xor => {
            let most = of(0).high | of(1).high;
            fits(Some(0), Some(mask(u64::BITS - most.leading_zeros())))
        }
        Op::Add => {
            let (a, b) = (of(0), of(1));
            fits(a.low.checked_add(b.low), a.high.checked_add(b.high))
        }
        Op::Sub => {
            let (a, b) = (of(0), of(1));
            fits(a.low.checked_sub(b.high), a.high.checked_sub(b.low))
        }
        Op::Mul => {
            let (a, b) = (of(0), of(1));
            fits(a.low.checked_mul(b.low), a.high.checked_mul(b.high))
        }
        Op::UDiv => fits(Some(0), Some(of(0).high / of(1).low.max(1))),
        Op::URem if of(1).low > 0 => fits(Some(0), Some(of(0).high.min(of(1).high - 1))),
        Op::URem => fits(Some(0), Some(of(0).high)),
        Op::Select => of(1).hull(of(2)),
        _ => full,
    }
}

/// Whether two values are computed in the same way from the same values.
fn same(program: &Program, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    if depth == 0 || program.width(a) != program.width(b) {
        return false;
    }
    let (Some(x), Some(y)) = (program.def_inst(a), program.def_inst(b)) else {
        return false;
    };
    let args = || std::iter::zip(&x.args, &y.args);
    x.op.is_pure()
        && x.op == y.op
        && x.args.len() == y.args.len()
        && args().all(|(a, b)| same(program, *a, *b, depth - 1))
}
