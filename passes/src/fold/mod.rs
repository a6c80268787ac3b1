//! Constant folding and algebraic simplification, one operation at a time.
//!
//! ```text
//! v1 = and v0, 0xffff:64              v1 = slice v0, 0 : 16
//! v2 = shl v1, 8:64              →    …
//! v5 = or v3, v4                      v5 = concat v8, v9      (the two share no bit)
//! v6 = eq v5, 0x8000:64               v6 = eq v7, 0x0080:16   (v7: the two bytes as they lie in the packet)
//! ```
//!
//! The rules look at an operation, its arguments and what makes those; they need no analysis of the whole program
//! (that is [`crate::narrow`]'s business). They lean on wiring ([`crate::pieces`]): masks, shifts by constants and
//! or-ing of disjoint parts become slices and concatenations, and logic, selects and compares drop the bits that
//! wiring decides. No rule makes logic deeper, and a rule that would double logic asks first whether the value has
//! one use only.
//!
//! The same rules run whenever a pass builds an operation ([`Rewriter::build`]).

mod arithmetic;
mod compare;
mod logic;
mod select;
mod shift;
mod wiring;

pub use logic::are_inverse;
pub use shift::shift_by;

use crate::pieces::Form;
use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Inst, Op, Program, Value};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    struct OnlyTheRules;
    impl Visitor for OnlyTheRules {
        fn visit(&mut self, _rewriter: &mut Rewriter, _inst: Inst) -> bool {
            false
        }
    }
    Ok(rewrite(program, Rules::Fold, &mut OnlyTheRules))
}

/// A simpler value for a pure operation over values in their final form; not all arguments are constants.
pub fn simplify(rewriter: &mut Rewriter, op: &Op, args: &[Value], width: u32) -> Option<Value> {
    match (op, args) {
        (Op::Add, &[a, b]) => arithmetic::add(rewriter, a, b),
        (Op::Sub, &[a, b]) => arithmetic::sub(rewriter, a, b),
        (Op::Mul, &[a, b]) => arithmetic::mul(rewriter, a, b),
        (Op::UDiv | Op::URem | Op::SDiv | Op::SRem, &[a, b]) => {
            arithmetic::divide(rewriter, op, a, b)
        }
        (Op::And | Op::Or | Op::Xor, &[a, b]) => logic::binary(rewriter, op, a, b),
        (Op::Not, &[a]) => logic::not(rewriter, a),
        (Op::Shl | Op::LShr | Op::AShr, &[a, b]) => shift::shift(rewriter, op, a, b),
        (Op::Eq | Op::Ne, &[a, b]) => compare::equality(rewriter, op, a, b)
            .or_else(|| compare::of_inverse(rewriter, op, a, b)),
        (Op::Ult | Op::Ule, &[a, b]) => compare::unsigned(rewriter, op, a, b)
            .or_else(|| compare::of_inverse(rewriter, op, a, b)),
        (Op::Slt | Op::Sle, &[a, b]) => {
            compare::signed(rewriter, op, a, b).or_else(|| compare::of_inverse(rewriter, op, a, b))
        }
        (Op::Select, &[condition, yes, no]) => select::select(rewriter, condition, yes, no),
        (Op::Slice { lo }, &[a]) => wiring::slice(rewriter, a, *lo, width),
        (Op::Concat, _) => wiring::concat(rewriter, args, width),
        (Op::ZExt, &[a]) => wiring::zext(rewriter, a, width),
        (Op::SExt, &[a]) => wiring::sext(rewriter, a, width),
        _ => None,
    }
}

/// Builds a planned form, unless it is the very operation that was to be simplified.
fn finish(
    rewriter: &mut Rewriter,
    op: &Op,
    args: &[Value],
    width: u32,
    form: Form,
) -> Option<Value> {
    match form {
        Form::Value(value) => Some(value),
        Form::Inst(new_op, new_args) if new_op == *op && new_args == args => None,
        Form::Inst(new_op, new_args) => Some(rewriter.build_plain(new_op, new_args, width)),
    }
}
