//! Add, subtract, multiply, divide.
//!
//! Canonical forms: a constant stands right; `x + K` when `K` is small, `x − K` when its negative is (so that the
//! narrowing of `x` shows); low bits that are zero on one side are wires.

use crate::fold::shift::shift_by;
use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

pub fn add(rewriter: &mut Rewriter, a: Value, b: Value) -> Option<Value> {
    if rewriter.width(a) == 1 {
        return Some(rewriter.binary(Op::Xor, a, b));
    }
    if a == b {
        return Some(shift_by(rewriter, &Op::Shl, a, 1));
    }
    if let Some(bits) = rewriter.as_const(b).cloned() {
        if bits.is_zero() {
            return Some(a);
        }
        return add_constant(rewriter, a, &bits, true);
    }
    for (x, y) in [(a, b), (b, a)] {
        // (p − y) + y → p and (0 − p) + y → y − p
        if let Some(args) = rewriter.match_op(x, &Op::Sub) {
            if args[1] == y {
                return Some(args[0]);
            }
            if rewriter.as_const(args[0]).is_some_and(Bits::is_zero) {
                return Some(rewriter.binary(Op::Sub, y, args[1]));
            }
        }
    }
    low_wires(rewriter, &Op::Add, a, b)
}

pub fn sub(rewriter: &mut Rewriter, a: Value, b: Value) -> Option<Value> {
    let width = rewriter.width(a);
    if a == b {
        return Some(rewriter.constant(Bits::zero(width)));
    }
    if width == 1 {
        return Some(rewriter.binary(Op::Xor, a, b));
    }
    if let Some(bits) = rewriter.as_const(b).cloned() {
        if bits.is_zero() {
            return Some(a);
        }
        return add_constant(rewriter, a, &bits.neg(), false);
    }
    if rewriter.as_const(a).is_some_and(Bits::is_ones) {
        return Some(rewriter.not(b));
    }
    if let Some(args) = rewriter.match_op(a, &Op::Add) {
        if let Some(index) = args.iter().position(|&arg| arg == b) {
            return Some(args[1 - index]);
        }
    }
    if let Some(args) = rewriter.match_op(a, &Op::Sub) {
        if args[0] == b {
            let zero = rewriter.constant(Bits::zero(width));
            return Some(rewriter.binary(Op::Sub, zero, args[1]));
        }
    }
    if let Some(args) = rewriter.match_op(b, &Op::Sub) {
        if args[0] == a {
            return Some(args[1]);
        }
        // a − (0 − p) → a + p; 0 − (p − q) → q − p
        if rewriter.as_const(args[0]).is_some_and(Bits::is_zero) {
            return Some(rewriter.binary(Op::Add, a, args[1]));
        }
        if rewriter.as_const(a).is_some_and(Bits::is_zero) {
            return Some(rewriter.binary(Op::Sub, args[1], args[0]));
        }
    }
    if let Some(args) = rewriter.match_op(b, &Op::Add) {
        if let Some(index) = args.iter().position(|&arg| arg == a) {
            let zero = rewriter.constant(Bits::zero(width));
            return Some(rewriter.binary(Op::Sub, zero, args[1 - index]));
        }
    }
    low_wires(rewriter, &Op::Sub, a, b)
}

/// `a + offset` in canonical form; `added` tells whether it is written as an addition now.
fn add_constant(rewriter: &mut Rewriter, a: Value, offset: &Bits, added: bool) -> Option<Value> {
    let width = rewriter.width(a);
    let second = |args: &[Value]| rewriter.as_const(args[1]).cloned();
    if let Some(args) = rewriter.match_op(a, &Op::Add) {
        if let Some(inner) = second(&args) {
            let constant = rewriter.constant(inner.add(offset));
            return Some(rewriter.binary(Op::Add, args[0], constant));
        }
    }
    if let Some(args) = rewriter.match_op(a, &Op::Sub) {
        if let Some(inner) = second(&args) {
            let constant = rewriter.constant(offset.sub(&inner));
            return Some(rewriter.binary(Op::Add, args[0], constant));
        }
        // (K − x) + L → (K + L) − x
        if let Some(from) = rewriter.as_const(args[0]).cloned() {
            let constant = rewriter.constant(from.add(offset));
            return Some(rewriter.binary(Op::Sub, constant, args[1]));
        }
    }
    // !x + 1 → 0 − x
    if let Some(args) = rewriter.match_op(a, &Op::Not) {
        let minuend = rewriter.constant(offset.sub(&Bits::from_u64(1, width)));
        return Some(rewriter.binary(Op::Sub, minuend, args[0]));
    }
    let small = offset.neg();
    let as_sub = small.ult(offset);
    if as_sub == added {
        let (op, bits) = if as_sub {
            (Op::Sub, small)
        } else {
            (Op::Add, offset.clone())
        };
        let constant = rewriter.constant(bits);
        return Some(rewriter.binary(op, a, constant));
    }
    let constant = rewriter.constant(if as_sub { small } else { offset.clone() });
    let op = if as_sub { Op::Sub } else { Op::Add };
    low_wires(rewriter, &op, a, constant)
}

/// Low bits to which nothing is added are wires, and a sum of values that share no bit is an or.
fn low_wires(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let width = rewriter.width(a);
    let aligned = pieces::align(
        &pieces::pieces_of(rewriter.program, a),
        &pieces::pieces_of(rewriter.program, b),
    );
    let aligned = split_low_zeros(aligned);
    let is_wire = |(x, y): &(Piece, Piece)| y.is_zero() || (*op == Op::Add && x.is_zero());
    let wires = aligned.iter().take_while(|pair| is_wire(pair)).count();
    if wires == 0 {
        return low_constants(rewriter, op, (a, b), &aligned[0]);
    }
    let mut out = Vec::new();
    let mut low = 0;
    for (x, y) in &aligned[..wires] {
        pieces::push(&mut out, if y.is_zero() { x.clone() } else { y.clone() });
        low += x.width();
    }
    if low < width {
        let x = rewriter.slice(a, low, width - low);
        let y = rewriter.slice(b, low, width - low);
        let high = rewriter.binary(op.clone(), x, y);
        for piece in pieces::pieces_of(rewriter.program, high) {
            pieces::push(&mut out, piece);
        }
    }
    Some(pieces::assemble(rewriter, &out))
}

/// Low bits that are constant on both sides: what they carry goes into a constant above them.
fn low_constants(
    rewriter: &mut Rewriter,
    op: &Op,
    (a, b): (Value, Value),
    lowest: &(Piece, Piece),
) -> Option<Value> {
    let (x, y) = (lowest.0.as_const()?, lowest.1.as_const()?);
    let (low, rest) = (x.width(), rewriter.width(a) - x.width());
    if rest == 0 {
        return None;
    }
    let (sum, carries) = match op {
        Op::Add => (x.add(y), x.add(y).ult(x)),
        _ => (x.sub(y), x.ult(y)),
    };
    let mut high = [a, b].map(|side| rewriter.slice(side, low, rest));
    if carries {
        // a + b + 1 and a − b − 1 = a − (b + 1)
        let side = match rewriter.as_const(high[1]) {
            Some(_) => 1,
            None => 0,
        };
        let constant = rewriter.as_const(high[side])?.clone();
        if side == 0 && *op == Op::Sub {
            return None;
        }
        high[side] = rewriter.constant(constant.add(&Bits::from_u64(1, rest)));
    }
    let high = rewriter.binary(op.clone(), high[0], high[1]);
    let mut out = vec![Piece::Const(sum)];
    for piece in pieces::pieces_of(rewriter.program, high) {
        pieces::push(&mut out, piece);
    }
    Some(pieces::assemble(rewriter, &out))
}

/// Cuts the first pair where zeros at the bottom of one of its constants end.
fn split_low_zeros(aligned: Vec<(Piece, Piece)>) -> Vec<(Piece, Piece)> {
    let mut out = Vec::with_capacity(aligned.len() + 1);
    for (x, y) in aligned {
        let zeros = |piece: &Piece| piece.as_const().map_or(0, Bits::trailing_zeros);
        let low = zeros(&x).max(zeros(&y)).min(x.width());
        let width = x.width();
        if low > 0 && low < width {
            out.push((x.cut(0, low), y.cut(0, low)));
            out.push((x.cut(low, width - low), y.cut(low, width - low)));
        } else {
            out.push((x, y));
        }
    }
    out
}

pub fn mul(rewriter: &mut Rewriter, a: Value, b: Value) -> Option<Value> {
    if rewriter.width(a) == 1 {
        return Some(rewriter.binary(Op::And, a, b));
    }
    let bits = rewriter.as_const(b)?.clone();
    let width = bits.width();
    if bits.is_zero() {
        return Some(b);
    }
    if bits.is_ones() {
        let zero = rewriter.constant(Bits::zero(width));
        return Some(rewriter.binary(Op::Sub, zero, a));
    }
    let zeros = bits.trailing_zeros();
    if bits.count_ones() == 1 {
        return Some(shift_by(rewriter, &Op::Shl, a, zeros));
    }
    if zeros > 0 {
        let odd = rewriter.constant(bits.lshr(u64::from(zeros)));
        let product = rewriter.binary(Op::Mul, a, odd);
        return Some(shift_by(rewriter, &Op::Shl, product, zeros));
    }
    let args = rewriter.match_op(a, &Op::Mul)?;
    let inner = rewriter.as_const(args[1])?.mul(&bits);
    let constant = rewriter.constant(inner);
    Some(rewriter.binary(Op::Mul, args[0], constant))
}

pub fn divide(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let width = rewriter.width(a);
    let quotient = matches!(op, Op::UDiv | Op::SDiv);
    if rewriter.as_const(a).is_some_and(Bits::is_zero) {
        return Some(a);
    }
    let bits = rewriter.as_const(b)?.clone();
    if bits.is_zero() {
        return Some(if quotient { b } else { a });
    }
    if bits == Bits::from_u64(1, width) && (width > 1 || matches!(op, Op::UDiv | Op::URem)) {
        return Some(if quotient {
            a
        } else {
            rewriter.constant(Bits::zero(width))
        });
    }
    if matches!(op, Op::UDiv | Op::URem) && bits.count_ones() == 1 {
        let shift = bits.trailing_zeros();
        if quotient {
            return Some(shift_by(rewriter, &Op::LShr, a, shift));
        }
        let low = rewriter.slice(a, 0, shift);
        return Some(rewriter.resize(low, width));
    }
    None
}
