//! Shifts.

use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

pub fn shift(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let width = rewriter.width(a);
    if let Some(bits) = rewriter.as_const(b) {
        let distance = bits.saturating_u64().min(u64::from(width)) as u32;
        return Some(shift_by(rewriter, op, a, distance));
    }
    if rewriter
        .as_const(a)
        .is_some_and(|bits| bits.is_zero() || (*op == Op::AShr && bits.is_ones()))
    {
        return Some(a);
    }
    // The distance has any width: zeros at its top are not needed.
    let distance = pieces::pieces_of(rewriter.program, b);
    let zeros = distance.last()?.as_const()?.leading_zeros();
    if zeros == 0 {
        return None;
    }
    let narrow = rewriter.width(b) - zeros;
    let low = pieces::assemble(rewriter, &pieces::cut(&distance, 0, narrow));
    Some(rewriter.build(op.clone(), vec![a, low], width))
}

/// A shift by a known distance is wiring.
pub fn shift_by(rewriter: &mut Rewriter, op: &Op, a: Value, distance: u32) -> Value {
    let width = rewriter.width(a);
    if distance == 0 {
        return a;
    }
    let distance = distance.min(width);
    let rest = width - distance;
    if *op == Op::AShr {
        let from = distance.min(width - 1);
        let kept = rewriter.slice(a, from, width - from);
        return rewriter.build(Op::SExt, vec![kept], width);
    }
    if rest == 0 {
        return rewriter.constant(Bits::zero(width));
    }
    let all = pieces::pieces_of(rewriter.program, a);
    let zeros = Piece::Const(Bits::zero(distance));
    let mut out = Vec::new();
    let kept = match op {
        Op::Shl => {
            pieces::push(&mut out, zeros.clone());
            pieces::cut(&all, 0, rest)
        }
        _ => pieces::cut(&all, distance, rest),
    };
    for piece in kept {
        pieces::push(&mut out, piece);
    }
    if *op == Op::LShr {
        pieces::push(&mut out, zeros);
    }
    pieces::assemble(rewriter, &out)
}
