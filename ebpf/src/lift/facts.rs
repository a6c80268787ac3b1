//! What is known of numbers: bounds from how they are computed, and from the branches on the way.
//!
//! A value's bounds where it is made hold wherever it is used. What a branch says holds on one side only; it is kept
//! in the state that goes there.

use std::collections::BTreeMap;
use std::rc::Rc;

use hardpath_ir::{InstData, Op, Value};

use super::builder::Builder;
use super::range::{mask, Range};
use super::state::Operand;

/// Bounds of values that branches have given.
#[derive(Clone, Default, Debug)]
pub struct Facts(Rc<BTreeMap<Value, Range>>);

/// How far bounds are looked for in what a value was computed from.
const DEPTH: u32 = 5;
/// So many different offsets may an access to the packet have (`MOST_VALUES` of the passes).
const FEW_OFFSETS: u64 = 256;
/// More facts than this are sorted out at the beginning of a block.
const MANY_FACTS: usize = 64;

impl Facts {
    /// Keeps what is known on all of several paths.
    pub fn join(builder: &Builder, all: &[&Facts]) -> Facts {
        let Some((first, others)) = all.split_first() else {
            return Facts::default();
        };
        if others.iter().all(|other| Rc::ptr_eq(&first.0, &other.0)) {
            return (*first).clone();
        }
        let mut joined = BTreeMap::new();
        for (value, range) in first.0.iter() {
            let range = others.iter().fold(*range, |hull, facts| {
                hull.hull(builder.bounds(facts, *value, 0))
            });
            let plain = builder.bounds(&Facts::default(), *value, 0);
            if plain.meet(range).is_some_and(|narrower| narrower != plain) {
                joined.insert(*value, range);
            }
        }
        Facts(Rc::new(joined))
    }

    /// Forgets, when there are many facts, those of values that nothing near `roots` comes from.
    pub fn keep_reachable(&mut self, builder: &Builder, roots: Vec<Operand>) {
        if self.0.len() <= MANY_FACTS {
            return;
        }
        let mut kept = BTreeMap::new();
        let mut level: Vec<Value> = roots.into_iter().filter_map(value_of).collect();
        for _ in 0..DEPTH {
            let mut below = Vec::new();
            for value in level {
                if let Some(range) = self.0.get(&value) {
                    kept.insert(value, *range);
                }
                if let Some(inst) = builder.program.def_inst(value) {
                    below.extend(inst.args.iter().filter(|_| inst.op.is_pure()).copied());
                }
            }
            below.sort_unstable();
            below.dedup();
            level = below;
        }
        self.0 = Rc::new(kept);
    }
}

fn value_of(operand: Operand) -> Option<Value> {
    match operand {
        Operand::Value(value) => Some(value),
        Operand::Const(_) => None,
    }
}

impl Builder {
    /// The bounds of an operand of 1 to 64 bits here.
    pub fn range(&self, operand: Operand, width: u32) -> Range {
        self.range_in(&self.facts, operand, width)
    }

    /// The bounds where other facts hold.
    pub fn range_in(&self, facts: &Facts, operand: Operand, width: u32) -> Range {
        match operand {
            Operand::Const(number) => Range::exactly(number, width),
            Operand::Value(value) => self.bounds(facts, value, DEPTH),
        }
    }

    fn bounds(&self, facts: &Facts, value: Value, depth: u32) -> Range {
        let width = self.program.width(value);
        if width > 64 {
            return Range::full(64);
        }
        let mut range = match self.known_bounds.get(&value) {
            Some(range) => *range,
            None => Range::full(width),
        };
        if let Some(learned) = facts.0.get(&value) {
            range = range.meet(*learned).unwrap_or(range);
        }
        if depth > 0 && range.single().is_none() {
            if let Some(inst) = self.program.def_inst(value) {
                let computed = self.result_bounds(facts, inst, width, depth - 1);
                range = range.meet(computed).unwrap_or(range);
            }
        }
        range
    }

    /// An offset into the packet, for an access.
    pub fn packet_place(&mut self, offset: Operand) -> Value {
        let place = self.bounded(offset);
        self.value(place, 64)
    }

    /// The same offset (64 bits), where only branches on the way here leave it few values: made so that whoever knows
    /// nothing of branches finds that in how it is computed. Few are those that an access may be at.
    fn bounded(&mut self, offset: Operand) -> Operand {
        let Operand::Value(value) = offset else {
            return offset;
        };
        let spread = |range: Range| range.signed_high.abs_diff(range.signed_low);
        let here = self.range(offset, 64);
        if spread(here) >= FEW_OFFSETS || spread(self.made_bounds(value)) < FEW_OFFSETS {
            return offset;
        }
        let bits = u64::BITS - spread(here).leading_zeros();
        let lowest = Operand::Const(here.signed_low as u64);
        let distance = self.binary(Op::Sub, offset, lowest, 64);
        // None of the bits above is ever set.
        let distance = self.slice(distance, 64, 0, bits.max(1));
        let distance = self.zext(distance, bits.max(1), 64);
        self.add(distance, lowest)
    }

    /// Notes the bounds of a value that has just been made.
    pub fn note_bounds(&mut self, value: Value) {
        let width = self.program.width(value);
        if width <= 64 {
            self.limit(value, self.bounds(&self.facts, value, 1));
            if let Some(inst) = self.program.def_inst(value) {
                let argument = |index: usize| self.made_bounds(inst.args[index]);
                let made = self.result_of(inst, width, &argument);
                self.made_bounds.insert(value, made);
            }
        }
    }

    /// The bounds of a value that follow from how it is computed alone, without what branches say.
    fn made_bounds(&self, value: Value) -> Range {
        if let Some(range) = self.made_bounds.get(&value) {
            return *range;
        }
        let width = self.program.width(value).min(64);
        match self.program.as_const(value) {
            Some(bits) => Range::exactly(bits.low_u64(), width),
            None => Range::full(width),
        }
    }

    /// Where paths meet: a parameter may be what comes along any of them.
    pub fn note_made(&mut self, parameter: Value, operands: &[Operand], width: u32) {
        let bounds = operands.iter().map(|operand| match operand {
            Operand::Const(number) => Range::exactly(*number, width),
            Operand::Value(value) => self.made_bounds(*value),
        });
        if let Some(hull) = bounds.reduce(Range::hull) {
            self.made_bounds.insert(parameter, hull);
        }
    }

    /// Notes bounds that hold wherever a value is used.
    pub fn limit(&mut self, value: Value, range: Range) {
        if !range.is_full() {
            self.known_bounds.insert(value, range);
        }
    }

    /// The bounds of an instruction's result, from those of its arguments.
    fn result_bounds(&self, facts: &Facts, inst: &InstData, width: u32, depth: u32) -> Range {
        let argument = |index: usize| self.bounds(facts, inst.args[index], depth);
        self.result_of(inst, width, &argument)
    }

    /// The same, from bounds of the arguments by their place.
    fn result_of(&self, inst: &InstData, width: u32, argument: &dyn Fn(usize) -> Range) -> Range {
        let is_narrow = |index: usize| self.program.width(inst.args[index]) <= 64;
        let full = Range::full(width);
        match &inst.op {
            Op::Const(bits) => Range::exactly(bits.low_u64(), width),
            Op::Add => argument(0).add(argument(1)),
            Op::Sub => argument(0).sub(argument(1)),
            Op::Mul => argument(0).mul(argument(1)),
            Op::And => argument(0).and(argument(1)),
            Op::Or => argument(0).or(argument(1)),
            Op::Xor => argument(0).xor(argument(1)),
            Op::UDiv => argument(0).udiv(argument(1)),
            Op::URem => argument(0).urem(argument(1)),
            Op::Shl => argument(0).shl(argument(1)),
            Op::LShr => argument(0).lshr(argument(1)),
            Op::AShr => argument(0).ashr(argument(1)),
            Op::Select => argument(1).hull(argument(2)),
            Op::ZExt if is_narrow(0) => argument(0).zext(width),
            Op::SExt if is_narrow(0) => argument(0).sext(width),
            Op::Slice { lo } if is_narrow(0) => {
                let distance = Range::exactly(u64::from(*lo), 64);
                argument(0).lshr(distance).truncated(width)
            }
            _ => full,
        }
    }

    /// What follows for numbers from a condition (1 bit) that holds or not.
    pub fn learn(&self, facts: &mut Facts, condition: Value, holds: bool) {
        self.learn_within(facts, condition, holds, DEPTH);
    }

    fn learn_within(&self, facts: &mut Facts, condition: Value, holds: bool, depth: u32) {
        let (Some(inst), Some(depth)) = (self.program.def_inst(condition), depth.checked_sub(1))
        else {
            return;
        };
        let [a, b] = inst.args[..] else {
            return;
        };
        match (&inst.op, holds) {
            (Op::And, true) | (Op::Or, false) => {
                self.learn_within(facts, a, holds, depth);
                self.learn_within(facts, b, holds, depth);
                return;
            }
            (Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle, _) => {}
            _ => return,
        }
        if self.program.width(a) > 64 {
            return;
        }
        let (of_a, of_b) = (self.bounds(facts, a, depth), self.bounds(facts, b, depth));
        let (for_a, for_b) = match (&inst.op, holds) {
            (Op::Eq, true) | (Op::Ne, false) => (Some(of_b), Some(of_a)),
            (Op::Eq, false) | (Op::Ne, true) => (
                of_b.single().and_then(|number| of_a.without(number)),
                of_a.single().and_then(|number| of_b.without(number)),
            ),
            // a < b and a <= b.
            (Op::Ult, true) => (of_b.at_most(true), of_a.at_least(true)),
            (Op::Ule, true) => (of_b.at_most(false), of_a.at_least(false)),
            // a >= b and a > b.
            (Op::Ult, false) => (of_b.at_least(false), of_a.at_most(false)),
            (Op::Ule, false) => (of_b.at_least(true), of_a.at_most(true)),
            (Op::Slt, true) => (of_b.signed_at_most(true), of_a.signed_at_least(true)),
            (Op::Sle, true) => (of_b.signed_at_most(false), of_a.signed_at_least(false)),
            (Op::Slt, false) => (of_b.signed_at_least(false), of_a.signed_at_most(false)),
            _ => (of_b.signed_at_least(true), of_a.signed_at_most(true)),
        };
        if let Some(range) = for_a {
            self.narrow(facts, a, range, depth);
        }
        if let Some(range) = for_b {
            self.narrow(facts, b, range, depth);
        }
    }

    /// Notes that a value is in a range, and what follows for what it was computed from.
    fn narrow(&self, facts: &mut Facts, value: Value, range: Range, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let before = self.bounds(facts, value, depth);
        // No number at all: this way is never taken.
        let Some(after) = before.meet(range) else {
            return;
        };
        if after == before || self.program.as_const(value).is_some() {
            return;
        }
        Rc::make_mut(&mut facts.0).insert(value, after);
        let Some(inst) = self.program.def_inst(value) else {
            return;
        };
        let width = after.width;
        let constant = |index: usize| {
            let argument = inst.args.get(index)?;
            self.program.as_const(*argument)?.as_u64()
        };
        let argument_width = inst
            .args
            .first()
            .map_or(0, |first| self.program.width(*first));
        if width == 1 && argument_width <= 64 {
            if let Some(bit) = after.single() {
                self.learn_within(facts, value, bit == 1, depth);
            }
        }
        match (&inst.op, constant(1)) {
            (Op::ZExt, _) => {
                self.narrow(facts, inst.args[0], after.truncated(argument_width), depth);
            }
            (Op::SExt, _) => {
                self.narrow(facts, inst.args[0], after.truncated(argument_width), depth);
            }
            (Op::Slice { lo: 0 }, _) if argument_width <= 64 => {
                let whole = self.bounds(facts, inst.args[0], depth);
                if whole.high <= mask(width) {
                    self.narrow(facts, inst.args[0], after.zext(argument_width), depth);
                }
            }
            (Op::Add, Some(number)) => {
                let moved = after.sub(Range::exactly(number, width));
                self.narrow(facts, inst.args[0], moved, depth);
            }
            (Op::Sub, Some(number)) => {
                let moved = after.add(Range::exactly(number, width));
                self.narrow(facts, inst.args[0], moved, depth);
            }
            (Op::LShr, Some(distance)) if (1..u64::from(width)).contains(&distance) => {
                let largest = mask(width) >> distance;
                let low = after.low.min(largest) << distance;
                let lost = mask(width) >> (u64::from(width) - distance);
                let high = after.high.min(largest) << distance | lost;
                self.narrow(
                    facts,
                    inst.args[0],
                    Range::unsigned(low, high, width),
                    depth,
                );
            }
            (Op::Shl, Some(distance)) if distance < u64::from(width) => {
                let whole = self.bounds(facts, inst.args[0], depth);
                if whole.high <= mask(width) >> distance {
                    let moved = Range::unsigned(0, after.high >> distance, width);
                    self.narrow(facts, inst.args[0], moved, depth);
                }
            }
            // None of the highest bits is set.
            (Op::And, Some(bits)) if after.single() == Some(0) && bits != 0 => {
                let below = mask(width) & !(mask(width) << bits.trailing_zeros());
                if bits | below == mask(width) {
                    let range = Range::unsigned(0, below, width);
                    self.narrow(facts, inst.args[0], range, depth);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use hardpath_ir::eval::eval_pure;
    use hardpath_ir::{Bits, Op};

    use super::{Builder, Facts, Operand};

    /// Numbers of 4 bits.
    const WIDTH: u32 = 4;

    /// What a condition on something that is computed from a number says about the number holds for each number.
    #[test]
    fn conditions_tell_the_truth() {
        let steps: Vec<(Op, Option<u64>, u32)> = [Op::Add, Op::Sub, Op::And, Op::LShr, Op::Shl]
            .into_iter()
            .flat_map(|op| (0..16).map(move |number| (op.clone(), Some(number), WIDTH)))
            .chain([
                (Op::ZExt, None, 6),
                (Op::SExt, None, 6),
                (Op::Slice { lo: 0 }, None, 3),
                (Op::Slice { lo: 1 }, None, 2),
            ])
            .collect();
        let conditions = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
        for (op, number, width) in &steps {
            for condition in &conditions {
                for bound in 0..1 << width {
                    check(op, *number, *width, condition, bound);
                }
            }
        }
    }

    fn check(op: &Op, number: Option<u64>, width: u32, condition: &Op, bound: u64) {
        let mut builder = Builder::new("test");
        let entry = builder.entry();
        let x = builder.program.add_param(entry, WIDTH);
        let mut args = vec![(Operand::Value(x), WIDTH)];
        args.extend(number.map(|number| (Operand::Const(number), WIDTH)));
        let computed = builder.pure(op.clone(), &args, width);
        for swapped in [false, true] {
            let (mut a, mut b) = (computed, Operand::Const(bound));
            if swapped {
                std::mem::swap(&mut a, &mut b);
            }
            let bit = builder.compare(condition.clone(), a, b, width);
            for value in 0..1u64 << WIDTH {
                let mut bits = vec![Bits::from_u64(value, WIDTH)];
                bits.extend(number.map(|number| Bits::from_u64(number, WIDTH)));
                let mut sides = [
                    eval_pure(op, &bits, width).unwrap(),
                    Bits::from_u64(bound, width),
                ];
                if swapped {
                    sides.reverse();
                }
                let holds = !eval_pure(condition, &sides, 1).unwrap().is_zero();
                let condition = match bit {
                    Operand::Const(known) => {
                        assert_eq!(known == 1, holds, "{op:?} {number:?} {condition:?} {bound}");
                        continue;
                    }
                    Operand::Value(condition) => condition,
                };
                let mut facts = Facts::default();
                builder.learn(&mut facts, condition, holds);
                let range = builder.range_in(&facts, Operand::Value(x), WIDTH);
                let signed = (value << 60) as i64 >> 60;
                assert!(
                    (range.low..=range.high).contains(&value)
                        && (range.signed_low..=range.signed_high).contains(&signed),
                    "{op:?} {number:?} {bound}, {holds}: {value} is not in {range:?}"
                );
            }
        }
    }
}
