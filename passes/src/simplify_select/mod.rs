//! Selects and conditions.
//!
//! ```text
//! v5 = select v0, v1, v2                       v5 = select v0, v1, v2
//! v6 = select v0, v5, v3                 →     v6 = select v0, v1, v3
//! v7 = or (and v0, v8), (and !v0, v8)          v7 = v8
//! ```
//!
//! Four ideas, from the most local to the widest:
//!
//! * `known`: inside an arm of a select the condition is known; inside `a & b`, `b` may assume `a`; an effect's arguments
//!   may assume its guard. What that decides is replaced.
//! * `shapes`: arms that are the same, or the same operation; two equalities that differ in one bit.
//! * `truth_table`: a condition over at most six others is compared with every constant and every one of them, and
//!   tried without each one. This finds guards that say things twice, however they say it. Equalities of one value
//!   with two constants are never both true; the table does not care about such rows.
//! * `chains`: a priority chain `c1 ? v1 : c2 ? v2 : …` becomes a tree of selects, ready after log2(n) levels.

mod chains;
mod known;
mod shapes;
mod truth_table;

use crate::arrival::Arrivals;
use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Inst, Op, Program, Value};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut pass = Simplification {
        inner: chains::inner_selects(program),
        arrivals: Arrivals::default(),
    };
    Ok(rewrite(program, Rules::Fold, &mut pass))
}

struct Simplification {
    /// Selects that are the else-arm of another one and nothing else.
    inner: SecondaryMap<Value, bool>,
    arrivals: Arrivals,
}

impl Visitor for Simplification {
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        if !data.op.is_pure() && data.guard.is_some() {
            known::simplify_effect(rewriter, inst);
            return false;
        }
        if !matches!(data.op, Op::Select | Op::And | Op::Or | Op::Xor) {
            return false;
        }
        let (op, args, result) = (data.op.clone(), data.args.clone(), data.results[0]);
        let bit = rewriter.width(result) == 1;
        let mut value = known::simplify(rewriter, &op, &args, bit)
            .or_else(|| shapes::simplify(rewriter, &op, &args, bit));
        if value.is_none() && bit {
            value = truth_table::simplify(rewriter, &op, &args);
        }
        if value.is_none() && op == Op::Select && !self.inner[result] {
            value = chains::balance(rewriter, &mut self.arrivals, &args);
        }
        match value {
            Some(value) => rewriter.replace(result, value),
            None => return false,
        }
        true
    }
}
