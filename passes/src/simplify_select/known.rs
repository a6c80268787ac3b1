//! What a condition decides inside the values that only matter when it holds.

use crate::conditions::Literals;
use crate::rewrite::Rewriter;
use hardpath_ir::{Inst, Op, Value};

/// Selects inside selects are looked into so deeply.
const MOST_DEPTH: u32 = 6;

pub fn simplify(rewriter: &mut Rewriter, op: &Op, args: &[Value], bit: bool) -> Option<Value> {
    match op {
        Op::Select => {
            let when_yes = Literals::of(rewriter.program, args[0], true);
            let when_no = Literals::of(rewriter.program, args[0], false);
            let yes = assume(rewriter, &when_yes, args[1], MOST_DEPTH);
            let no = assume(rewriter, &when_no, args[2], MOST_DEPTH);
            if yes.is_none() && no.is_none() {
                return None;
            }
            let (yes, no) = (yes.unwrap_or(args[1]), no.unwrap_or(args[2]));
            Some(rewriter.select(args[0], yes, no))
        }
        Op::And | Op::Or if bit => {
            for (one, other) in [(args[0], args[1]), (args[1], args[0])] {
                let literals = Literals::of(rewriter.program, one, *op == Op::And);
                if let Some(value) = assume(rewriter, &literals, other, MOST_DEPTH) {
                    return Some(rewriter.binary(op.clone(), one, value));
                }
            }
            None
        }
        _ => None,
    }
}

/// Arguments of an effect, simplified for the case that it happens.
pub fn simplify_effect(rewriter: &mut Rewriter, inst: Inst) {
    let Some(guard) = rewriter.program.insts[inst].guard else {
        return;
    };
    let given = Literals::of(rewriter.program, guard, true);
    for (index, arg) in rewriter.program.insts[inst]
        .args
        .clone()
        .into_iter()
        .enumerate()
    {
        if let Some(value) = assume(rewriter, &given, arg, MOST_DEPTH) {
            rewriter.program.insts[inst].args[index] = value;
            rewriter.mark_changed();
        }
    }
}

/// A simpler value that is the same whenever the literals hold. Anything but a part of the value itself is built only
/// where the value has no other use.
fn assume(rewriter: &mut Rewriter, given: &Literals, value: Value, depth: u32) -> Option<Value> {
    if depth == 0 || rewriter.as_const(value).is_some() {
        return None;
    }
    if rewriter.width(value) == 1 {
        if let Some(bit) = given.decide(rewriter.program, value) {
            return Some(rewriter.constant_u64(u64::from(bit), 1));
        }
    }
    let op = rewriter.op(value)?.clone();
    let args = rewriter.args(value).to_vec();
    let once = rewriter.is_used_once(value);
    match op {
        Op::Select => {
            match given.decide(rewriter.program, args[0]) {
                Some(bit) => {
                    let arm = args[if bit { 1 } else { 2 }];
                    return Some(assume(rewriter, given, arm, depth - 1).unwrap_or(arm));
                }
                None if !once => return None,
                None => {}
            }
            let yes = assume(rewriter, given, args[1], depth - 1);
            let no = assume(rewriter, given, args[2], depth - 1);
            (yes.is_some() || no.is_some())
                .then(|| rewriter.select(args[0], yes.unwrap_or(args[1]), no.unwrap_or(args[2])))
        }
        Op::And | Op::Or if rewriter.width(value) == 1 => {
            let neutral = op == Op::And;
            for (one, other) in [(args[0], args[1]), (args[1], args[0])] {
                if given.decide(rewriter.program, one) == Some(neutral) {
                    return Some(assume(rewriter, given, other, depth - 1).unwrap_or(other));
                }
            }
            if !once {
                return None;
            }
            let a = assume(rewriter, given, args[0], depth - 1);
            let b = assume(rewriter, given, args[1], depth - 1);
            (a.is_some() || b.is_some())
                .then(|| rewriter.binary(op, a.unwrap_or(args[0]), b.unwrap_or(args[1])))
        }
        Op::Not if once => {
            let inner = assume(rewriter, given, args[0], depth - 1)?;
            Some(rewriter.not(inner))
        }
        // Wiring costs nothing to do again.
        Op::ZExt | Op::SExt | Op::Slice { .. } | Op::Concat => {
            let new: Vec<Option<Value>> = args
                .iter()
                .map(|&arg| assume(rewriter, given, arg, depth - 1))
                .collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let args = args.iter().zip(new).map(|(&old, new)| new.unwrap_or(old));
            let args = args.collect();
            let width = rewriter.width(value);
            Some(rewriter.build(op, args, width))
        }
        _ => None,
    }
}
