//! Selects.

use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

pub fn select(rewriter: &mut Rewriter, condition: Value, yes: Value, no: Value) -> Option<Value> {
    if let Some(bits) = rewriter.as_const(condition) {
        return Some(if bits.is_zero() { no } else { yes });
    }
    if yes == no {
        return Some(yes);
    }
    if let Some(args) = rewriter.match_op(condition, &Op::Not) {
        return Some(rewriter.select(args[0], no, yes));
    }
    if rewriter.width(yes) == 1 {
        return select_bit(rewriter, condition, yes, no);
    }
    let constant = |value: Value| rewriter.as_const(value);
    if let (Some(x), Some(y)) = (constant(yes), constant(no)) {
        if (x.is_ones() && y.is_zero()) || (x.is_zero() && y.is_ones()) {
            let width = rewriter.width(yes);
            let bit = if x.is_ones() {
                condition
            } else {
                rewriter.not(condition)
            };
            return Some(rewriter.build(Op::SExt, vec![bit], width));
        }
    }
    // select(x == K, K, x) → x and select(x == y, x, y) → y
    if let Some(args) = rewriter.match_op(condition, &Op::Eq) {
        if args.contains(&yes) && args.contains(&no) {
            return Some(no);
        }
    }
    if let Some(args) = rewriter.match_op(condition, &Op::Ne) {
        if args.contains(&yes) && args.contains(&no) {
            return Some(yes);
        }
    }
    common_bits(rewriter, condition, yes, no)
}

/// Selects of one bit with a constant or the condition itself are and/or.
fn select_bit(rewriter: &mut Rewriter, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let constant = |value: Value| rewriter.as_const(value).map(|bits| !bits.is_zero());
    match (constant(yes), constant(no)) {
        (Some(true), Some(false)) => return Some(condition),
        (Some(false), Some(true)) => return Some(rewriter.not(condition)),
        (Some(true), _) => return Some(rewriter.binary(Op::Or, condition, no)),
        (_, Some(false)) => return Some(rewriter.binary(Op::And, condition, yes)),
        (Some(false), _) => {
            let inverse = rewriter.not(condition);
            return Some(rewriter.binary(Op::And, inverse, no));
        }
        (_, Some(true)) => {
            let inverse = rewriter.not(condition);
            return Some(rewriter.binary(Op::Or, inverse, yes));
        }
        _ => {}
    }
    if yes == condition {
        return Some(rewriter.binary(Op::Or, condition, no));
    }
    if no == condition {
        return Some(rewriter.binary(Op::And, condition, yes));
    }
    if super::logic::are_inverse(rewriter, yes, no) {
        // c ? x : !x is the exclusive-nor.
        let different = rewriter.binary(Op::Xor, condition, no);
        return Some(different);
    }
    None
}

/// Bits that are the same on both sides are not selected.
fn common_bits(rewriter: &mut Rewriter, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let aligned = pieces::align(
        &pieces::pieces_of(rewriter.program, yes),
        &pieces::pieces_of(rewriter.program, no),
    );
    let mut parts: Vec<(Piece, Piece)> = Vec::new();
    for (x, y) in aligned {
        match (&x, &y) {
            (Piece::Const(left), Piece::Const(right)) if left != right => {
                // Constants that differ in the middle only: the same bits at both ends are wires.
                let difference = left.xor(right);
                let (low, high) = (difference.trailing_zeros(), difference.leading_zeros());
                let middle = difference.width() - low - high;
                for (from, width) in [(0, low), (low, middle), (low + middle, high)] {
                    if width > 0 {
                        parts.push((x.cut(from, width), y.cut(from, width)));
                    }
                }
            }
            _ => parts.push((x, y)),
        }
    }
    if !parts.iter().any(|(x, y)| x == y) {
        return None;
    }
    let mut out: Vec<Piece> = Vec::new();
    let mut index = 0;
    while index < parts.len() {
        if parts[index].0 == parts[index].1 {
            pieces::push(&mut out, parts[index].0.clone());
            index += 1;
            continue;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while index < parts.len() && parts[index].0 != parts[index].1 {
            pieces::push(&mut left, parts[index].0.clone());
            pieces::push(&mut right, parts[index].1.clone());
            index += 1;
        }
        let x = pieces::assemble(rewriter, &left);
        let y = pieces::assemble(rewriter, &right);
        let value = rewriter.select(condition, x, y);
        for piece in pieces::pieces_of(rewriter.program, value) {
            pieces::push(&mut out, piece);
        }
    }
    Some(pieces::assemble(rewriter, &out))
}

/// Whether a select of these arms would be decided by the condition alone.
pub fn is_constant_select(rewriter: &Rewriter, value: Value) -> Option<(Value, Bits, Bits)> {
    let args = rewriter.match_op(value, &Op::Select)?;
    let yes = rewriter.as_const(args[1])?.clone();
    let no = rewriter.as_const(args[2])?.clone();
    Some((args[0], yes, no))
}
