//! Slices, concatenations and extensions.

use super::finish;
use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

pub fn concat(rewriter: &mut Rewriter, args: &[Value], width: u32) -> Option<Value> {
    let mut all = Vec::new();
    for &arg in args.iter().rev() {
        for piece in pieces::pieces_of(rewriter.program, arg) {
            pieces::push(&mut all, piece);
        }
    }
    let form = pieces::plan(rewriter, &all);
    finish(rewriter, &Op::Concat, args, width, form)
}

pub fn zext(rewriter: &mut Rewriter, a: Value, width: u32) -> Option<Value> {
    let from = rewriter.width(a);
    if from == width {
        return Some(a);
    }
    let mut all = pieces::pieces_of(rewriter.program, a);
    pieces::push(&mut all, Piece::Const(Bits::zero(width - from)));
    let form = pieces::plan(rewriter, &all);
    finish(rewriter, &Op::ZExt, &[a], width, form)
}

pub fn sext(rewriter: &mut Rewriter, a: Value, width: u32) -> Option<Value> {
    let from = rewriter.width(a);
    if from == width {
        return Some(a);
    }
    if let Some(inner) = rewriter.match_op(a, &Op::SExt) {
        return Some(rewriter.build(Op::SExt, vec![inner[0]], width));
    }
    let mut all = pieces::pieces_of(rewriter.program, a);
    let negative = all.last()?.as_const()?.is_negative();
    let above = if negative {
        Bits::ones(width - from)
    } else {
        Bits::zero(width - from)
    };
    pieces::push(&mut all, Piece::Const(above));
    Some(pieces::assemble(rewriter, &all))
}

pub fn slice(rewriter: &mut Rewriter, a: Value, lo: u32, width: u32) -> Option<Value> {
    if lo == 0 && width == rewriter.width(a) {
        return Some(a);
    }
    let all = pieces::pieces_of_range(rewriter.program, a, lo, width);
    if let [Piece::Part { value, lo, .. }] = all[..] {
        if value == a {
            return slice_through(rewriter, a, lo, width);
        }
    }
    let form = pieces::plan(rewriter, &all);
    finish(rewriter, &Op::Slice { lo }, &[a], width, form)
}

/// The slice of bitwise logic, as that logic on slices. Not of sums and products: their low bits are the same carry
/// chain, and whether anybody needs the rest is for [`crate::narrow`] to say.
fn slice_through(rewriter: &mut Rewriter, a: Value, lo: u32, width: u32) -> Option<Value> {
    let op = rewriter.op(a)?.clone();
    let args = rewriter.args(a).to_vec();
    let once = rewriter.is_used_once(a);
    match op {
        Op::And | Op::Or | Op::Xor => {
            let decided = args.iter().any(|&arg| {
                let part = rewriter.as_const(arg).map(|bits| bits.slice(lo, width));
                part.is_some_and(|part| part.is_zero() || (part.is_ones() && op != Op::Xor))
            });
            if !once && !decided {
                return None;
            }
            let x = rewriter.slice(args[0], lo, width);
            let y = rewriter.slice(args[1], lo, width);
            Some(rewriter.binary(op, x, y))
        }
        Op::Not if once => {
            let x = rewriter.slice(args[0], lo, width);
            Some(rewriter.not(x))
        }
        Op::Select => {
            let constant = |value: Value| rewriter.as_const(value).is_some();
            let wires = constant(args[1]) && constant(args[2]);
            if !once && !wires {
                return None;
            }
            let x = rewriter.slice(args[1], lo, width);
            let y = rewriter.slice(args[2], lo, width);
            Some(rewriter.select(args[0], x, y))
        }
        Op::SExt => {
            // What lies wholly in the extended value has been seen by `pieces_of`.
            let inner = rewriter.width(args[0]);
            let from = lo.min(inner - 1);
            let kept = rewriter.slice(args[0], from, inner - from);
            Some(rewriter.build(Op::SExt, vec![kept], width))
        }
        _ => None,
    }
}
