//! Compares.
//!
//! Canonical forms: `x < K` and `K <= x` against a constant (unsigned and signed), no compare of bits that wiring
//! decides, and for equality the parts in the order of the values that they come from: a byte-swapped field compared
//! with a constant becomes the field itself compared with the swapped constant.

use super::logic::are_inverse;
use super::select::is_constant_select;
use crate::pieces::{self, Piece};
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

/// The inverse compare when that is computed anyway: a `not` costs less than a comparator.
pub fn of_inverse(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let (inverse, args) = match op {
        Op::Eq => (Op::Ne, vec![a, b]),
        Op::Ne => (Op::Eq, vec![a, b]),
        Op::Ult => (Op::Ule, vec![b, a]),
        Op::Ule => (Op::Ult, vec![b, a]),
        Op::Slt => (Op::Sle, vec![b, a]),
        _ => (Op::Slt, vec![b, a]),
    };
    let known = rewriter.find_used(inverse, args, 1)?;
    let not = rewriter.build_plain(Op::Not, vec![known], 1);
    Some(not)
}

pub fn equality(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let equal = *op == Op::Eq;
    if a == b {
        return Some(rewriter.constant_u64(u64::from(equal), 1));
    }
    if rewriter.width(a) == 1 {
        let same = match rewriter.as_const(b) {
            Some(bits) if bits.is_zero() => rewriter.not(a),
            Some(_) => a,
            None => {
                let different = rewriter.binary(Op::Xor, a, b);
                rewriter.not(different)
            }
        };
        return Some(if equal { same } else { rewriter.not(same) });
    }
    if are_inverse(rewriter, a, b) {
        return Some(rewriter.constant_u64(u64::from(!equal), 1));
    }
    if let Some(value) = equal_pieces(rewriter, op, a, b) {
        return Some(value);
    }
    match rewriter.as_const(b).cloned() {
        Some(bits) => equal_to_constant(rewriter, op, a, &bits),
        None => {
            // x + y == x + z, x ^ y == x ^ z, !x == !y, …: without what both share.
            for shared in [Op::Add, Op::Xor, Op::Sub, Op::Not] {
                let (x, y) = (rewriter.match_op(a, &shared), rewriter.match_op(b, &shared));
                let (Some(x), Some(y)) = (x, y) else {
                    continue;
                };
                if shared == Op::Not {
                    return Some(rewriter.compare(op.clone(), x[0], y[0]));
                }
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if x[i] == y[j] && (shared != Op::Sub || i == j) {
                        return Some(rewriter.compare(op.clone(), x[1 - i], y[1 - j]));
                    }
                }
            }
            // x + y == x
            for (sum, other) in [(a, b), (b, a)] {
                for add in [Op::Add, Op::Xor] {
                    if let Some(args) = rewriter.match_op(sum, &add) {
                        if let Some(index) = args.iter().position(|&arg| arg == other) {
                            let zero = Bits::zero(rewriter.width(other));
                            let zero = rewriter.constant(zero);
                            return Some(rewriter.compare(op.clone(), args[1 - index], zero));
                        }
                    }
                }
            }
            None
        }
    }
}

fn equal_to_constant(rewriter: &mut Rewriter, op: &Op, a: Value, bits: &Bits) -> Option<Value> {
    let equal = *op == Op::Eq;
    let width = rewriter.width(a);
    let maker = rewriter.op(a)?.clone();
    let args = rewriter.args(a).to_vec();
    let second = args.get(1).and_then(|&arg| rewriter.as_const(arg).cloned());
    match (maker, second) {
        (Op::Add, Some(offset)) => {
            let constant = rewriter.constant(bits.sub(&offset));
            Some(rewriter.compare(op.clone(), args[0], constant))
        }
        (Op::Sub, Some(offset)) => {
            let constant = rewriter.constant(bits.add(&offset));
            Some(rewriter.compare(op.clone(), args[0], constant))
        }
        (Op::Xor, Some(mask)) => {
            let constant = rewriter.constant(bits.xor(&mask));
            Some(rewriter.compare(op.clone(), args[0], constant))
        }
        (Op::Sub, None) if bits.is_zero() => Some(rewriter.compare(op.clone(), args[0], args[1])),
        (Op::Xor, None) if bits.is_zero() => Some(rewriter.compare(op.clone(), args[0], args[1])),
        (Op::Sub, None) => {
            // K − x == L → x == K − L
            let from = rewriter.as_const(args[0])?.sub(bits);
            let constant = rewriter.constant(from);
            Some(rewriter.compare(op.clone(), args[1], constant))
        }
        (Op::Not, _) => {
            let constant = rewriter.constant(bits.not());
            Some(rewriter.compare(op.clone(), args[0], constant))
        }
        (Op::SExt, _) => {
            let inner = rewriter.width(args[0]);
            let low = bits.trunc(inner);
            if low.sext(width) != *bits {
                return Some(rewriter.constant_u64(u64::from(!equal), 1));
            }
            let constant = rewriter.constant(low);
            Some(rewriter.compare(op.clone(), args[0], constant))
        }
        (Op::Select, _) => {
            if let Some((condition, yes, no)) = is_constant_select(rewriter, a) {
                let outcome = |arm: &Bits| (arm == bits) == equal;
                return Some(match (outcome(&yes), outcome(&no)) {
                    (true, true) => rewriter.constant_u64(1, 1),
                    (false, false) => rewriter.constant_u64(0, 1),
                    (true, false) => condition,
                    (false, true) => rewriter.not(condition),
                });
            }
            let constant = rewriter.constant(bits.clone());
            let decided = |arm: &Bits| u64::from((arm == bits) == equal);
            let arm = |index: usize| rewriter.as_const(args[index]).cloned();
            let (yes, no) = match (arm(1), arm(2)) {
                (Some(yes), None) => {
                    let yes = rewriter.constant_u64(decided(&yes), 1);
                    (yes, rewriter.compare(op.clone(), args[2], constant))
                }
                (None, Some(no)) => {
                    let yes = rewriter.compare(op.clone(), args[1], constant);
                    (yes, rewriter.constant_u64(decided(&no), 1))
                }
                _ => return None,
            };
            Some(rewriter.select(args[0], yes, no))
        }
        _ => None,
    }
}

/// Drops bits that are equal anyway, finds those that differ anyway, and puts the rest in canonical order.
fn equal_pieces(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let aligned = pieces::align(
        &pieces::pieces_of(rewriter.program, a),
        &pieces::pieces_of(rewriter.program, b),
    );
    let before = aligned.len();
    let mut rest: Vec<(Piece, Piece)> = Vec::with_capacity(before);
    for (x, y) in aligned {
        if x == y {
            continue;
        }
        if x.as_const().is_some() && y.as_const().is_some() {
            return Some(rewriter.constant_u64(u64::from(*op == Op::Ne), 1));
        }
        rest.push((x, y));
    }
    let key = |pair: &(Piece, Piece)| {
        let part = |piece: &Piece| match piece {
            Piece::Part { value, lo, .. } => Some((*value, *lo)),
            Piece::Const(_) => None,
        };
        let (x, y) = (part(&pair.0), part(&pair.1));
        (x.or(y), y)
    };
    let sorted = rest.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1]));
    if rest.len() == before && sorted {
        return None;
    }
    rest.sort_by_key(key);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (x, y) in rest {
        pieces::push(&mut left, x);
        pieces::push(&mut right, y);
    }
    if left.is_empty() {
        return Some(rewriter.constant_u64(u64::from(*op == Op::Eq), 1));
    }
    let x = pieces::assemble(rewriter, &left);
    let y = pieces::assemble(rewriter, &right);
    Some(rewriter.compare(op.clone(), x, y))
}

pub fn unsigned(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let strict = *op == Op::Ult;
    if a == b {
        return Some(rewriter.constant_u64(u64::from(!strict), 1));
    }
    if rewriter.width(a) == 1 {
        let not = rewriter.not(a);
        let op = if strict { Op::And } else { Op::Or };
        return Some(rewriter.binary(op, not, b));
    }
    if let Some(value) = unsigned_pieces(rewriter, op, a, b) {
        return Some(value);
    }
    if let Some(bits) = rewriter.as_const(b).cloned() {
        let one = Bits::from_u64(1, bits.width());
        if !strict {
            if bits.is_ones() {
                return Some(rewriter.constant_u64(1, 1));
            }
            let limit = rewriter.constant(bits.add(&one));
            return Some(rewriter.compare(Op::Ult, a, limit));
        }
        if bits.is_zero() {
            return Some(rewriter.constant_u64(0, 1));
        }
        if bits == one {
            let zero = rewriter.constant(Bits::zero(bits.width()));
            return Some(rewriter.compare(Op::Eq, a, zero));
        }
        if bits.is_ones() {
            return Some(rewriter.compare(Op::Ne, a, b));
        }
    }
    if let Some(bits) = rewriter.as_const(a).cloned() {
        let one = Bits::from_u64(1, bits.width());
        if strict {
            if bits.is_ones() {
                return Some(rewriter.constant_u64(0, 1));
            }
            let limit = rewriter.constant(bits.add(&one));
            return Some(rewriter.compare(Op::Ule, limit, b));
        }
        if bits.is_zero() {
            return Some(rewriter.constant_u64(1, 1));
        }
        if bits == one {
            let zero = rewriter.constant(Bits::zero(bits.width()));
            return Some(rewriter.compare(Op::Ne, b, zero));
        }
        if bits.is_ones() {
            return Some(rewriter.compare(Op::Eq, a, b));
        }
    }
    None
}

/// How many bits at the bottom do not matter: `x < y·2ⁿ` and `x·2ⁿ <= y` do not look at the low `n` bits of the other side, nor do
/// `x·2ⁿ + 2ⁿ − 1 < y` and `x <= y·2ⁿ + 2ⁿ − 1`.
fn idle_bits(op: &Op, (x, y): &(Piece, Piece)) -> u32 {
    let run = |piece: &Piece, ones: bool| {
        let bits = piece.as_const()?;
        let bits = if ones { bits.not() } else { bits.clone() };
        Some(bits.trailing_zeros())
    };
    let strict = *op == Op::Ult;
    let (x, y) = (run(x, strict), run(y, !strict));
    x.max(y).unwrap_or(0)
}

/// Drops equal bits at both ends, and at the bottom those that do not matter or are known; bits that differ at the top decide.
fn unsigned_pieces(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let aligned = pieces::align(
        &pieces::pieces_of(rewriter.program, a),
        &pieces::pieces_of(rewriter.program, b),
    );
    let mut first = 0;
    let mut last = aligned.len();
    while last > 0 && aligned[last - 1].0 == aligned[last - 1].1 {
        last -= 1;
    }
    if last == 0 {
        return Some(rewriter.constant_u64(u64::from(*op == Op::Ule), 1));
    }
    if let (Piece::Const(x), Piece::Const(y)) = &aligned[last - 1] {
        return Some(rewriter.constant_u64(u64::from(x.ult(y)), 1));
    }
    while first < last && aligned[first].0 == aligned[first].1 {
        first += 1;
    }
    let (mut op, mut idle) = (op.clone(), idle_bits(op, &aligned[first]));
    if let (Piece::Const(x), Piece::Const(y)) = &aligned[first] {
        // (x, 2) < (y, 3) is x <= y, and (x, 3) < (y, 2) is x < y, as with <= in the place of <.
        op = if x.ult(y) { Op::Ule } else { Op::Ult };
        idle = aligned[first].0.width();
    }
    if idle == aligned[first].0.width() {
        (first, idle) = (first + 1, 0);
    }
    if first == last {
        return Some(rewriter.constant_u64(u64::from(op == Op::Ule), 1));
    }
    if first == 0 && idle == 0 && last == aligned.len() {
        return None;
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (x, y) in &aligned[first..last] {
        let width = x.width() - idle;
        pieces::push(&mut left, x.cut(idle, width));
        pieces::push(&mut right, y.cut(idle, width));
        idle = 0;
    }
    let x = pieces::assemble(rewriter, &left);
    let y = pieces::assemble(rewriter, &right);
    Some(rewriter.compare(op, x, y))
}

pub fn signed(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let strict = *op == Op::Slt;
    let width = rewriter.width(a);
    let unsigned_op = if strict { Op::Ult } else { Op::Ule };
    if a == b {
        return Some(rewriter.constant_u64(u64::from(!strict), 1));
    }
    if width == 1 {
        // The one bit is the sign: the order turns round.
        return Some(rewriter.compare(unsigned_op, b, a));
    }
    match (sign_of(rewriter, a), sign_of(rewriter, b)) {
        (Some(x), Some(y)) if x == y => return Some(rewriter.compare(unsigned_op, a, b)),
        (Some(x), Some(_)) => return Some(rewriter.constant_u64(u64::from(x), 1)),
        _ => {}
    }
    if let (Some(x), Some(y)) = (
        rewriter.match_op(a, &Op::SExt),
        rewriter.match_op(b, &Op::SExt),
    ) {
        if rewriter.width(x[0]) == rewriter.width(y[0]) {
            return Some(rewriter.compare(op.clone(), x[0], y[0]));
        }
    }
    let mut least = Bits::zero(width);
    least.set_bit(width - 1, true);
    let most = least.not();
    let one = Bits::from_u64(1, width);
    if let Some(bits) = rewriter.as_const(b).cloned() {
        if let Some(inner) = rewriter.match_op(a, &Op::SExt) {
            let low = bits.trunc(rewriter.width(inner[0]));
            if low.sext(width) == bits {
                let constant = rewriter.constant(low);
                return Some(rewriter.compare(op.clone(), inner[0], constant));
            }
            return Some(rewriter.constant_u64(u64::from(!bits.is_negative()), 1));
        }
        if !strict {
            if bits == most {
                return Some(rewriter.constant_u64(1, 1));
            }
            let limit = rewriter.constant(bits.add(&one));
            return Some(rewriter.compare(Op::Slt, a, limit));
        }
        if bits == least {
            return Some(rewriter.constant_u64(0, 1));
        }
        if bits.is_zero() {
            return Some(rewriter.slice(a, width - 1, 1));
        }
    }
    if let Some(bits) = rewriter.as_const(a).cloned() {
        if let Some(inner) = rewriter.match_op(b, &Op::SExt) {
            let low = bits.trunc(rewriter.width(inner[0]));
            if low.sext(width) == bits {
                let constant = rewriter.constant(low);
                return Some(rewriter.compare(op.clone(), constant, inner[0]));
            }
            return Some(rewriter.constant_u64(u64::from(bits.is_negative()), 1));
        }
        if strict {
            if bits == most {
                return Some(rewriter.constant_u64(0, 1));
            }
            let limit = rewriter.constant(bits.add(&one));
            return Some(rewriter.compare(Op::Sle, limit, b));
        }
        if bits == least {
            return Some(rewriter.constant_u64(1, 1));
        }
        if bits.is_zero() {
            let sign = rewriter.slice(b, width - 1, 1);
            return Some(rewriter.not(sign));
        }
    }
    None
}

/// The sign bit, where wiring tells it.
fn sign_of(rewriter: &Rewriter, value: Value) -> Option<bool> {
    let all = pieces::pieces_of(rewriter.program, value);
    all.last()?.as_const().map(Bits::is_negative)
}
