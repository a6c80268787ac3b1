//! Chains become trees.
//!
//! ```text
//! v5 = add v0, v1           v8 = add v0, v1
//! v6 = add v5, v2     →     v9 = add v2, v3
//! v7 = add v6, v3           v7 = add v8, v9
//! ```
//!
//! A chain is a tree of one operation (`and`, `or`, `xor`, or `add` and `sub` together) whose inner values have no
//! other use. Its terms are collected, constants are merged, equal terms dropped or cancelled, and the rest is joined
//! in order of arrival ([`crate::tree`]).
//!
//! Sums are modulo 2^w at the width of the root. A sum at a smaller width that is extended with zeros belongs to the
//! chain only when [`crate::facts`] show that it cannot overflow; so an Internet checksum, narrowed or not, is one
//! chain. Subtracted terms form a tree of their own and are subtracted at the end.

use crate::arrival::{cost, Arrival, Arrivals};
use crate::facts::{mask, FactMap};
use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use crate::tree::{self, Term};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Inst, Op, Program, Value};
use std::collections::HashSet;

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut pass = Reassociation {
        inner: inner_values(program),
        facts: FactMap::new(program),
        arrivals: Arrivals::default(),
    };
    Ok(rewrite(program, Rules::Fold, &mut pass))
}

struct Reassociation {
    /// Values that belong to a larger chain.
    inner: SecondaryMap<Value, bool>,
    facts: FactMap,
    arrivals: Arrivals,
}

/// Values whose only use is in the same kind of operation.
fn inner_values(program: &Program) -> SecondaryMap<Value, bool> {
    let uses = program.use_counts();
    let mut inner: SecondaryMap<Value, bool> = SecondaryMap::new();
    let facts = FactMap::new(program);
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        let is_sum = matches!(data.op, Op::Add | Op::Sub);
        if !is_sum && !matches!(data.op, Op::And | Op::Or | Op::Xor) {
            continue;
        }
        for &arg in &data.args {
            let mut value = arg;
            let mut once = uses[value] == 1;
            let mut extended = false;
            while let Some(from) = program
                .def_inst(value)
                .filter(|from| is_sum && from.op == Op::ZExt)
            {
                value = from.args[0];
                once &= uses[value] == 1;
                extended = true;
            }
            let Some(from) = program.def_inst(value) else {
                continue;
            };
            let same = match from.op {
                Op::Add if is_sum => {
                    !extended || {
                        let max = |index: usize| facts.get(from.args[index]).map(|x| x.max);
                        cannot_overflow(max(0), max(1), program.width(value))
                    }
                }
                Op::Sub => is_sum && !extended,
                _ => from.op == data.op,
            };
            inner[value] |= once && same;
        }
    }
    inner
}

fn cannot_overflow(a: Option<u128>, b: Option<u128>, width: u32) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a + b <= mask(width))
}

impl Visitor for Reassociation {
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        let op = data.op.clone();
        let Some(&result) = data.results.first() else {
            return false;
        };
        if self.inner[result] {
            return false;
        }
        let value = match op {
            Op::Add | Op::Sub => self.sum(rewriter, inst, result),
            Op::And | Op::Or | Op::Xor => self.logic(rewriter, &op, inst, result),
            _ => None,
        };
        match value {
            Some(value) => rewriter.replace(result, value),
            None => return false,
        }
        true
    }
}

/// The terms of a sum. A value that is narrower than the sum stands for its extension with zeros.
struct Sum {
    added: Vec<Value>,
    subtracted: Vec<Value>,
    constant: Bits,
    constants: u32,
}

impl Reassociation {
    fn sum(&mut self, rewriter: &mut Rewriter, root: Inst, result: Value) -> Option<Value> {
        let width = rewriter.width(result);
        let mut sum = Sum {
            added: Vec::new(),
            subtracted: Vec::new(),
            constant: Bits::zero(width),
            constants: 0,
        };
        let data = &rewriter.program.insts[root];
        let (args, op) = (data.args.clone(), data.op.clone());
        let level = cost(&op, width);
        let left = self.collect_sum(rewriter, args[0], true, width, &mut sum);
        let right = self.collect_sum(rewriter, args[1], op == Op::Add, width, &mut sum);
        let now = left.max(right) + level;
        let count = sum.added.len() + sum.subtracted.len() + sum.constants.min(1) as usize;
        if count < 3 && sum.constants < 2 {
            return None;
        }
        let mut times: Vec<Arrival> = Vec::with_capacity(count);
        for &value in sum.added.iter().chain(&sum.subtracted) {
            times.push(self.arrivals.get(rewriter.program, value));
        }
        times.extend((sum.constants > 0).then_some(0));
        if tree::estimate(&op, width, &times) >= now && sum.constants < 2 {
            return None;
        }
        Some(self.build_sum(rewriter, sum, width))
    }

    fn build_sum(&mut self, rewriter: &mut Rewriter, sum: Sum, width: u32) -> Value {
        let Sum {
            mut added,
            mut subtracted,
            constant,
            ..
        } = sum;
        if !constant.is_zero() {
            let negative = constant.neg();
            let subtract = negative.ult(&constant);
            let bits = if subtract { negative } else { constant };
            let value = rewriter.constant(bits);
            if subtract {
                subtracted.push(value);
            } else {
                added.push(value);
            }
        }
        let mut join = |rewriter: &mut Rewriter, values: Vec<Value>| {
            let terms: Vec<Term> = values
                .into_iter()
                .map(|narrow| {
                    let known = self.facts.get_new(rewriter.program, narrow);
                    let max = known.map_or(mask(width), |facts| facts.max);
                    let value = rewriter.resize(narrow, width);
                    Term { value, max }
                })
                .collect();
            tree::build_sum(rewriter, &mut self.arrivals, &terms, width).value
        };
        let plus = (!added.is_empty()).then(|| join(rewriter, added));
        let minus = (!subtracted.is_empty()).then(|| join(rewriter, subtracted));
        match (plus, minus) {
            (Some(plus), Some(minus)) => rewriter.binary(Op::Sub, plus, minus),
            (Some(plus), None) => plus,
            (None, minus) => {
                let zero = rewriter.constant(Bits::zero(width));
                match minus {
                    Some(minus) => rewriter.binary(Op::Sub, zero, minus),
                    None => zero,
                }
            }
        }
    }

    /// Collects the terms below a value; gives when the value arrives as the chain stands now.
    fn collect_sum(
        &mut self,
        rewriter: &mut Rewriter,
        value: Value,
        added: bool,
        width: u32,
        sum: &mut Sum,
    ) -> Arrival {
        let mut inner = value;
        while let Some(args) = rewriter.match_op(inner, &Op::ZExt) {
            inner = args[0];
        }
        if let Some(bits) = rewriter.as_const(inner) {
            let bits = bits.zext(width);
            sum.constant = if added {
                sum.constant.add(&bits)
            } else {
                sum.constant.sub(&bits)
            };
            sum.constants += 1;
            return 0;
        }
        if self.inner[inner] && rewriter.is_used_once(inner) {
            let full = rewriter.width(inner) == width;
            let op = rewriter.op(inner).cloned();
            let args = rewriter.args(inner).to_vec();
            let below = match op {
                Some(Op::Add) => {
                    let mut max = |index: usize| {
                        let facts = self.facts.get_new(rewriter.program, args[index]);
                        facts.map(|facts| facts.max)
                    };
                    (full || cannot_overflow(max(0), max(1), rewriter.width(inner)))
                        .then_some(added)
                }
                Some(Op::Sub) if full => Some(!added),
                _ => None,
            };
            if let Some(second) = below {
                let left = self.collect_sum(rewriter, args[0], added, width, sum);
                let right = self.collect_sum(rewriter, args[1], second, width, sum);
                return left.max(right) + cost(&Op::Add, width);
            }
        }
        if added {
            sum.added.push(inner);
        } else {
            sum.subtracted.push(inner);
        }
        self.arrivals.get(rewriter.program, inner)
    }

    fn logic(
        &mut self,
        rewriter: &mut Rewriter,
        op: &Op,
        root: Inst,
        result: Value,
    ) -> Option<Value> {
        let width = rewriter.width(result);
        let mut terms = Vec::new();
        let mut now = 0;
        for arg in rewriter.program.insts[root].args.clone() {
            now = self.collect_logic(rewriter, op, arg, &mut terms).max(now);
        }
        now += cost(op, width);
        if terms.len() < 3 {
            return None;
        }
        let found = terms.len();
        let constant = merge_constants(rewriter, op, &mut terms, width);
        if let Some(decided) = drop_equal_terms(rewriter, op, &mut terms, width) {
            return Some(decided);
        }
        terms.extend(constant);
        let times: Vec<Arrival> = terms
            .iter()
            .map(|&term| self.arrivals.get(rewriter.program, term))
            .collect();
        if terms.len() == found && tree::estimate(op, width, &times) >= now {
            return None;
        }
        if terms.is_empty() {
            return Some(rewriter.constant(Bits::zero(width)));
        }
        Some(tree::build(rewriter, &mut self.arrivals, op, &terms))
    }

    fn collect_logic(
        &mut self,
        rewriter: &Rewriter,
        op: &Op,
        value: Value,
        terms: &mut Vec<Value>,
    ) -> Arrival {
        if self.inner[value] && rewriter.is_used_once(value) {
            if let Some(args) = rewriter.match_op(value, op) {
                let left = self.collect_logic(rewriter, op, args[0], terms);
                let right = self.collect_logic(rewriter, op, args[1], terms);
                return left.max(right) + cost(op, rewriter.width(value));
            }
        }
        terms.push(value);
        self.arrivals.get(rewriter.program, value)
    }
}

/// Takes the constants out; gives one for all of them unless it changes nothing.
fn merge_constants(
    rewriter: &mut Rewriter,
    op: &Op,
    terms: &mut Vec<Value>,
    width: u32,
) -> Option<Value> {
    let neutral = match op {
        Op::And => Bits::ones(width),
        _ => Bits::zero(width),
    };
    let mut merged = neutral.clone();
    terms.retain(|&term| {
        let Some(bits) = rewriter.as_const(term) else {
            return true;
        };
        merged = match op {
            Op::And => merged.and(bits),
            Op::Or => merged.or(bits),
            _ => merged.xor(bits),
        };
        false
    });
    (merged != neutral).then(|| rewriter.constant(merged))
}

/// `and`, `or`: a term counts once, and with its inverse decides. `xor`: two equal terms cancel.
fn drop_equal_terms(
    rewriter: &mut Rewriter,
    op: &Op,
    terms: &mut Vec<Value>,
    width: u32,
) -> Option<Value> {
    terms.sort();
    if *op == Op::Xor {
        let mut kept: Vec<Value> = Vec::with_capacity(terms.len());
        for &term in terms.iter() {
            if kept.last() == Some(&term) {
                kept.pop();
            } else {
                kept.push(term);
            }
        }
        *terms = kept;
        return None;
    }
    terms.dedup();
    let all: HashSet<Value> = terms.iter().copied().collect();
    let contradiction = terms.iter().any(|&term| {
        let inverse = rewriter.match_op(term, &Op::Not);
        inverse.is_some_and(|args| all.contains(&args[0]))
    });
    contradiction.then(|| match op {
        Op::And => rewriter.constant(Bits::zero(width)),
        _ => rewriter.constant(Bits::ones(width)),
    })
}
