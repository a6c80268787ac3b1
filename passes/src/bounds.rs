//! A compare with a sum of a constant is a compare without the sum.
//!
//! ```text
//! v2 = add v1, 1
//! v3 = ult v0, v2     →     v3 = ule v0, v1
//!
//! v2 = add v1, 20           v4 = sub v0, 20
//! v3 = ult v0, v2     →     v3 = slt v4, v1
//! ```
//!
//! Where [`crate::facts`] show that the sum cannot overflow. Bounds of packets are such sums: `data + n + 20 > data_end`, where the
//! packet's length is known long before `n`. So the second form is made only where the sum has no other use and `v0` is an input of
//! the program; then the difference is early, too. It can be negative: it has a bit more, and a sign.

use crate::facts::{bit_length, mask, FactMap};
use crate::pieces::{self, Piece};
use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Inst, Op, Program, Value};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut pass = Bounds(FactMap::new(program));
    Ok(rewrite(program, Rules::Fold, &mut pass))
}

struct Bounds(FactMap);

/// A value that is `x + K`, with bits below it.
struct Sum {
    /// The same bits without the constant.
    without: Vec<Piece>,
    x: Value,
    /// The largest value of `x`.
    most: u128,
    sum: Value,
    constant: Bits,
    /// Bits below the sum.
    low: u32,
}

impl Visitor for Bounds {
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        let op = data.op.clone();
        if !matches!(op, Op::Ult | Op::Ule) {
            return false;
        }
        let (result, args) = (data.results[0], [data.args[0], data.args[1]]);
        let value = self
            .successor(rewriter, &op, args)
            .or_else(|| self.earlier(rewriter, &op, args));
        match value {
            Some(value) => rewriter.replace(result, value),
            None => return false,
        }
        true
    }
}

impl Bounds {
    /// `a < x + 1` and `x + 1 <= a`.
    fn successor(
        &mut self,
        rewriter: &mut Rewriter,
        op: &Op,
        mut args: [Value; 2],
    ) -> Option<Value> {
        let (other, side) = match op {
            Op::Ult => (Op::Ule, 1),
            _ => (Op::Ult, 0),
        };
        let sum = self.sum(rewriter, args[side])?;
        if sum.low > 0 || sum.constant != Bits::from_u64(1, sum.constant.width()) {
            return None;
        }
        args[side] = pieces::assemble(rewriter, &sum.without);
        Some(rewriter.compare(other, args[0], args[1]))
    }

    /// The constant on the side that is there earlier.
    fn earlier(&mut self, rewriter: &mut Rewriter, op: &Op, args: [Value; 2]) -> Option<Value> {
        let signed = match op {
            Op::Ult => Op::Slt,
            _ => Op::Sle,
        };
        let (side, sum) = match self.sum(rewriter, args[0]) {
            Some(sum) => (0, sum),
            None => (1, self.sum(rewriter, args[1])?),
        };
        let early = args[1 - side];
        let is_early = is_input(rewriter, early) && !is_input(rewriter, sum.x);
        if !is_early || !rewriter.is_used_once(sum.sum) || !rewriter.is_used_once(args[side]) {
            return None;
        }
        let most = self.0.get_new(rewriter.program, early)?.max;
        let most_without = mask(sum.low) | sum.most << sum.low;
        let constant = u128::from(sum.constant.as_u64()?) << sum.low.min(64);
        let constant = u64::try_from(constant).ok()?;
        let width = bit_length(most.max(most_without).max(u128::from(constant))) + 1;
        let constant = rewriter.constant_u64(constant, width);
        let early = rewriter.resize(early, width);
        let without = pieces::assemble(rewriter, &sum.without);
        let mut new = [rewriter.resize(without, width); 2];
        new[1 - side] = rewriter.binary(Op::Sub, early, constant);
        Some(rewriter.compare(signed, new[0], new[1]))
    }

    /// A sum that cannot overflow, with wires below and zeros above it.
    fn sum(&mut self, rewriter: &Rewriter, value: Value) -> Option<Sum> {
        let mut all = pieces::pieces_of(rewriter.program, value);
        let mut low = 0;
        for place in 0..all.len() {
            let Piece::Part {
                value: sum,
                lo: 0,
                width,
            } = all[place]
            else {
                low += all[place].width();
                continue;
            };
            let args = rewriter.match_op(sum, &Op::Add);
            let Some(args) = args.filter(|_| rewriter.width(sum) == width) else {
                low += width;
                continue;
            };
            let constant = rewriter.as_const(args[1])?.clone();
            let above_are_zeros = all[place + 1..].iter().all(Piece::is_zero);
            let most = self.0.get_new(rewriter.program, args[0])?.max;
            let added = constant.as_u64()?;
            if !above_are_zeros || most + u128::from(added) > mask(width) {
                return None;
            }
            let x = args[0];
            all[place] = Piece::Part {
                value: x,
                lo: 0,
                width,
            };
            return Some(Sum {
                without: all,
                x,
                most,
                sum,
                constant,
                low,
            });
        }
        None
    }
}

/// Wires of an input of the program: there before everything else.
fn is_input(rewriter: &Rewriter, value: Value) -> bool {
    let all = pieces::pieces_of(rewriter.program, value);
    all.iter().all(|piece| match piece {
        Piece::Const(_) => true,
        Piece::Part { value, .. } => matches!(rewriter.op(*value), Some(Op::Input(_))),
    })
}
