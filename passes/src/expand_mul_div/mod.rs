//! Division and wide multiplication in terms of what hardware has.
//!
//! ```text
//! v1 = udiv v0, 10:32          v2 = mul (zext v0 : 67), 0x66666667:67   (in parts, see below)
//!                        →     v1 = zext (slice v2, 34) : 32
//! ```
//!
//! * Division by a constant is a multiplication by its reciprocal and a shift, exact for every dividend. (`divide`)
//! * Division by a value is restoring division: one subtraction and one select for each bit of the dividend, from the
//!   top. Quotient and remainder of the same operands are the same steps, and so are shared.
//! * Signed division divides the absolute values and sets the signs.
//! * Multiplication by a constant of few non-zero signed digits is shifts and additions; any other product wider than
//!   a DSP block is a sum of partial products of at most 24 × 17 bits. (`multiply`)
//!
//! What is left are `Mul`s that fit one DSP block each, and operations that the scheduler can put registers between.
//! The zero divisor follows RFC 9669 §4.1: the quotient is 0, the remainder the dividend.

mod divide;
mod multiply;

pub use multiply::PIECES;

use crate::arrival::Arrivals;
use crate::facts::{bit_length, FactMap};
use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Inst, Op, Program, Value};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut pass = Expansion {
        facts: FactMap::new(program),
        arrivals: Arrivals::default(),
    };
    Ok(rewrite(program, Rules::Fold, &mut pass))
}

struct Expansion {
    facts: FactMap,
    arrivals: Arrivals,
}

impl Visitor for Expansion {
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        let op = data.op.clone();
        let (Some(&a), Some(&b), Some(&result)) =
            (data.args.first(), data.args.get(1), data.results.first())
        else {
            return false;
        };
        let value = match op {
            Op::Mul => self.multiply_wide(rewriter, a, b),
            Op::UDiv => Some(self.divide(rewriter, a, b).quotient),
            Op::URem => Some(self.divide(rewriter, a, b).remainder),
            Op::SDiv => Some(self.divide_signed(rewriter, a, b).quotient),
            Op::SRem => Some(self.divide_signed(rewriter, a, b).remainder),
            _ => None,
        };
        match value {
            Some(value) => rewriter.replace(result, value),
            None => return false,
        }
        true
    }
}

impl Expansion {
    /// How many low bits of a value can be other than zero; at least 1.
    fn active_bits(&mut self, rewriter: &Rewriter, value: Value) -> u32 {
        match self.facts.get_new(rewriter.program, value) {
            Some(facts) => bit_length(facts.max).max(1),
            None => rewriter.width(value),
        }
    }
}
