//! And, or, xor, not.

use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

/// A mask with more runs of equal bits than this stays a mask.
const MOST_RUNS: usize = 16;

pub fn binary(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let width = rewriter.width(a);
    if a == b {
        return Some(match op {
            Op::Xor => rewriter.constant(Bits::zero(width)),
            _ => a,
        });
    }
    if *op == Op::Xor && rewriter.as_const(b).is_some_and(Bits::is_ones) {
        return Some(rewriter.not(a));
    }
    if let Some(value) = piecewise(rewriter, op, a, b) {
        return Some(value);
    }
    for (x, y) in [(a, b), (b, a)] {
        if rewriter
            .match_op(x, &Op::Not)
            .is_some_and(|args| args[0] == y)
        {
            return Some(match op {
                Op::And => rewriter.constant(Bits::zero(width)),
                _ => rewriter.constant(Bits::ones(width)),
            });
        }
        if let Some(value) = absorb(rewriter, op, x, y) {
            return Some(value);
        }
    }
    if *op == Op::Xor {
        let (x, y) = (
            rewriter.match_op(a, &Op::Not),
            rewriter.match_op(b, &Op::Not),
        );
        if let (Some(x), Some(y)) = (x, y) {
            return Some(rewriter.binary(Op::Xor, x[0], y[0]));
        }
    }
    // (x op K) op L → x op (K op L)
    let outer = rewriter.as_const(b)?.clone();
    let inner = rewriter.match_op(a, op)?;
    let bits = rewriter.as_const(inner[1])?.clone();
    let bits = match op {
        Op::And => bits.and(&outer),
        Op::Or => bits.or(&outer),
        _ => bits.xor(&outer),
    };
    let constant = rewriter.constant(bits);
    Some(rewriter.binary(op.clone(), inner[0], constant))
}

/// `a & (a | b)`, `a & (!a | b)`, `a & (a & b)` and their duals.
fn absorb(rewriter: &mut Rewriter, op: &Op, a: Value, other: Value) -> Option<Value> {
    let dual = match op {
        Op::And => Op::Or,
        Op::Or => Op::And,
        _ => {
            // a ^ (a ^ b) → b
            let args = rewriter.match_op(other, &Op::Xor)?;
            let index = args.iter().position(|&arg| arg == a)?;
            return Some(args[1 - index]);
        }
    };
    if let Some(args) = rewriter.match_op(other, op) {
        if args.contains(&a) {
            return Some(other);
        }
        if args.iter().any(|&arg| are_inverse(rewriter, arg, a)) {
            let width = rewriter.width(a);
            return Some(rewriter.constant(match op {
                Op::And => Bits::zero(width),
                _ => Bits::ones(width),
            }));
        }
    }
    let args = rewriter.match_op(other, &dual)?;
    if args.contains(&a) {
        return Some(a);
    }
    let index = args.iter().position(|&arg| are_inverse(rewriter, arg, a))?;
    Some(rewriter.binary(op.clone(), a, args[1 - index]))
}

/// Whether one value is the `not` of the other.
pub fn are_inverse(rewriter: &Rewriter, a: Value, b: Value) -> bool {
    let is_not = |x: Value, y: Value| rewriter.op(x) == Some(&Op::Not) && rewriter.args(x)[0] == y;
    is_not(a, b) || is_not(b, a)
}

/// Takes out the bits that wiring decides.
fn piecewise(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let runs = |value: Value| {
        let all = pieces::pieces_of(rewriter.program, value);
        match op {
            Op::Xor => all,
            _ => pieces::split_constant_runs(&all, MOST_RUNS),
        }
    };
    let aligned = pieces::align(&runs(a), &runs(b));
    let decided: Vec<Option<Piece>> = aligned.iter().map(|(x, y)| decide(op, x, y)).collect();
    if decided.iter().all(Option::is_none) {
        return None;
    }
    let mut out: Vec<Piece> = Vec::new();
    let mut index = 0;
    while index < aligned.len() {
        if let Some(piece) = &decided[index] {
            pieces::push(&mut out, piece.clone());
            index += 1;
            continue;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while index < aligned.len() && decided[index].is_none() {
            pieces::push(&mut left, aligned[index].0.clone());
            pieces::push(&mut right, aligned[index].1.clone());
            index += 1;
        }
        let x = pieces::assemble(rewriter, &left);
        let y = pieces::assemble(rewriter, &right);
        let value = rewriter.binary(op.clone(), x, y);
        for piece in pieces::pieces_of(rewriter.program, value) {
            pieces::push(&mut out, piece);
        }
    }
    Some(pieces::assemble(rewriter, &out))
}

fn decide(op: &Op, x: &Piece, y: &Piece) -> Option<Piece> {
    if let (Piece::Const(x), Piece::Const(y)) = (x, y) {
        return Some(Piece::Const(match op {
            Op::And => x.and(y),
            Op::Or => x.or(y),
            _ => x.xor(y),
        }));
    }
    if x == y {
        return Some(match op {
            Op::Xor => Piece::Const(Bits::zero(x.width())),
            _ => x.clone(),
        });
    }
    for (x, y) in [(x, y), (y, x)] {
        match op {
            Op::And if x.is_zero() => return Some(x.clone()),
            Op::And if x.is_ones() => return Some(y.clone()),
            Op::Or if x.is_zero() => return Some(y.clone()),
            Op::Or if x.is_ones() => return Some(x.clone()),
            Op::Xor if x.is_zero() => return Some(y.clone()),
            _ => {}
        }
    }
    None
}

pub fn not(rewriter: &mut Rewriter, a: Value) -> Option<Value> {
    let op = rewriter.op(a)?.clone();
    let args = rewriter.args(a).to_vec();
    let once = rewriter.is_used_once(a);
    match op {
        Op::Not => return Some(args[0]),
        Op::Eq if once => return Some(rewriter.build_plain(Op::Ne, args, 1)),
        Op::Ne if once => return Some(rewriter.build_plain(Op::Eq, args, 1)),
        Op::Ult if once => return Some(rewriter.build_plain(Op::Ule, vec![args[1], args[0]], 1)),
        Op::Ule if once => return Some(rewriter.build_plain(Op::Ult, vec![args[1], args[0]], 1)),
        Op::Slt if once => return Some(rewriter.build_plain(Op::Sle, vec![args[1], args[0]], 1)),
        Op::Sle if once => return Some(rewriter.build_plain(Op::Slt, vec![args[1], args[0]], 1)),
        _ => {}
    }
    let all = pieces::pieces_of(rewriter.program, a);
    if !all.iter().any(|piece| piece.as_const().is_some()) {
        return None;
    }
    let mut out: Vec<Piece> = Vec::new();
    let mut run: Vec<Piece> = Vec::new();
    for piece in all.into_iter().map(Some).chain([None]) {
        if let Some(Piece::Part { .. }) = piece {
            pieces::push(&mut run, piece?);
            continue;
        }
        if !run.is_empty() {
            let value = pieces::assemble(rewriter, &std::mem::take(&mut run));
            let inverted = rewriter.not(value);
            for part in pieces::pieces_of(rewriter.program, inverted) {
                pieces::push(&mut out, part);
            }
        }
        if let Some(Piece::Const(bits)) = piece {
            pieces::push(&mut out, Piece::Const(bits.not()));
        }
    }
    Some(pieces::assemble(rewriter, &out))
}
