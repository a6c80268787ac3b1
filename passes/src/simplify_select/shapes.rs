//! Selects whose arms have something in common, and conditions with a common part.

use crate::fold::are_inverse;
use crate::rewrite::Rewriter;
use hardpath_ir::{Op, Value};

pub fn simplify(rewriter: &mut Rewriter, op: &Op, args: &[Value], bit: bool) -> Option<Value> {
    match op {
        Op::Select => nested(rewriter, args[0], args[1], args[2])
            .or_else(|| same_operation(rewriter, args[0], args[1], args[2])),
        Op::And | Op::Or if bit => factor(rewriter, op, args[0], args[1])
            .or_else(|| two_constants(rewriter, op, args))
            .or_else(|| two_part_order(rewriter, op, args)),
        _ => None,
    }
}

/// One value in two arms needs one select.
fn nested(rewriter: &mut Rewriter, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let inner = |rewriter: &Rewriter, value: Value| {
        let args = rewriter.match_op(value, &Op::Select)?;
        rewriter.is_used_once(value).then_some(args)
    };
    if let Some(args) = inner(rewriter, no) {
        // c ? x : (d ? x : y) → c | d ? x : y
        if args[1] == yes {
            let either = rewriter.binary(Op::Or, condition, args[0]);
            return Some(rewriter.select(either, yes, args[2]));
        }
        // c ? x : (d ? y : x) → !c & d ? y : x
        if args[2] == yes {
            let not = rewriter.not(condition);
            let both = rewriter.binary(Op::And, not, args[0]);
            return Some(rewriter.select(both, args[1], yes));
        }
    }
    if let Some(args) = inner(rewriter, yes) {
        // c ? (d ? x : y) : y → c & d ? x : y
        if args[2] == no {
            let both = rewriter.binary(Op::And, condition, args[0]);
            return Some(rewriter.select(both, args[1], no));
        }
        // c ? (d ? x : y) : x → c & !d ? y : x
        if args[1] == no {
            let not = rewriter.not(args[0]);
            let both = rewriter.binary(Op::And, condition, not);
            return Some(rewriter.select(both, args[2], no));
        }
    }
    None
}

/// `c ? x + y : x + z` needs one adder: `x + (c ? y : z)`.
fn same_operation(
    rewriter: &mut Rewriter,
    condition: Value,
    yes: Value,
    no: Value,
) -> Option<Value> {
    let op = rewriter.op(yes)?.clone();
    let worth = matches!(
        op,
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem
    );
    if !worth || !rewriter.is_used_once(yes) || !rewriter.is_used_once(no) {
        return None;
    }
    let x = rewriter.args(yes).to_vec();
    let y = rewriter.match_op(no, &op)?;
    let commutes = matches!(op, Op::Add | Op::Mul);
    let shared = [(0, 0), (1, 1), (0, 1), (1, 0)]
        .into_iter()
        .find(|&(i, j)| x[i] == y[j] && (i == j || commutes));
    let (first, second) = match shared {
        Some((i, j)) => {
            let other = rewriter.select(condition, x[1 - i], y[1 - j]);
            if i == 0 {
                (x[0], other)
            } else {
                (other, x[1])
            }
        }
        // Two dividers are dearer than two selects.
        None if !matches!(op, Op::Add | Op::Sub) => {
            let first = rewriter.select(condition, x[0], y[0]);
            (first, rewriter.select(condition, x[1], y[1]))
        }
        None => return None,
    };
    Some(rewriter.binary(op, first, second))
}

/// `(g & x) | (g & y)` → `g & (x | y)`, `(c & x) | (!c & y)` → `c ? x : y`, and the duals of the first.
fn factor(rewriter: &mut Rewriter, op: &Op, a: Value, b: Value) -> Option<Value> {
    let dual = match op {
        Op::And => Op::Or,
        _ => Op::And,
    };
    if !rewriter.is_used_once(a) || !rewriter.is_used_once(b) {
        return None;
    }
    let (x, y) = (rewriter.match_op(a, &dual)?, rewriter.match_op(b, &dual)?);
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let (p, q) = (x[1 - i], y[1 - j]);
        if x[i] == y[j] {
            let inner = rewriter.binary(op.clone(), p, q);
            return Some(rewriter.binary(dual, x[i], inner));
        }
        if *op == Op::Or && are_inverse(rewriter, x[i], y[j]) {
            return Some(rewriter.select(x[i], p, q));
        }
    }
    None
}

/// `x == K | x == L`, where K and L differ in one bit, does not look at that bit.
fn two_constants(rewriter: &mut Rewriter, op: &Op, args: &[Value]) -> Option<Value> {
    let compare = match op {
        Op::Or => Op::Eq,
        _ => Op::Ne,
    };
    if !args.iter().all(|&arg| rewriter.is_used_once(arg)) {
        return None;
    }
    let (x, y) = (
        rewriter.match_op(args[0], &compare)?,
        rewriter.match_op(args[1], &compare)?,
    );
    let (first, second) = (rewriter.as_const(x[1])?, rewriter.as_const(y[1])?);
    if x[0] != y[0] || first.xor(second).count_ones() != 1 {
        return None;
    }
    let mask = rewriter.constant(first.xor(second).not());
    let value = rewriter.binary(Op::And, x[0], mask);
    let constant = rewriter.binary(Op::And, x[1], mask);
    Some(rewriter.compare(compare, value, constant))
}

/// `a < b | (a == b & c < d)` is one compare of `a, c` with `b, d`.
fn two_part_order(rewriter: &mut Rewriter, op: &Op, args: &[Value]) -> Option<Value> {
    if *op != Op::Or || !args.iter().all(|&arg| rewriter.is_used_once(arg)) {
        return None;
    }
    let [(high, both), (other_high, other_both)] = [(args[0], args[1]), (args[1], args[0])];
    let (high, both) = match rewriter.op(high) {
        Some(Op::Ult) => (high, both),
        _ => (other_high, other_both),
    };
    let order = rewriter.match_op(high, &Op::Ult)?;
    let both = rewriter.match_op(both, &Op::And)?;
    for (equal, low) in [(both[0], both[1]), (both[1], both[0])] {
        let Some(equal) = rewriter.match_op(equal, &Op::Eq) else {
            continue;
        };
        let same = equal == order || (equal[0] == order[1] && equal[1] == order[0]);
        let compare = match rewriter.op(low) {
            Some(op @ (Op::Ult | Op::Ule)) => op.clone(),
            _ => continue,
        };
        if !same || !rewriter.is_used_once(low) {
            continue;
        }
        let low = rewriter.args(low).to_vec();
        let width = rewriter.width(order[0]) + rewriter.width(low[0]);
        let a = rewriter.build(Op::Concat, vec![order[0], low[0]], width);
        let b = rewriter.build(Op::Concat, vec![order[1], low[1]], width);
        return Some(rewriter.compare(compare, a, b));
    }
    None
}
