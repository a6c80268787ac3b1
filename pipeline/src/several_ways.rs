//! A value that comes by several paths is chosen once.
//!
//! ```text
//! v3 = and (sext v1), v0         v5 = or v1, v2
//! v4 = select v2, v0, 0     →    v6 = select v5, v0, 0
//! v5 = or v3, v4
//! ```
//!
//! Predicated programs are full of it: a word of a map that two paths read, or one that has been there all the time. What is
//! computed with the word then stands behind one choice, and can move in front of it ([`crate::shorten`]). Before map words are
//! whole the pattern says which path writes where, so this comes after them.

use crate::region::Rebuild;
use hardpath_ir::{Op, Program, Value};

/// Joins such paths; whether there was something to do.
pub fn join(program: &mut Program) -> bool {
    let uses = program.use_counts();
    let mut has_changed = false;
    let (mut rebuild, insts) = Rebuild::start(program);
    for inst in insts {
        let data = rebuild.program.insts[inst].clone();
        let joined = match (&data.op, data.args.as_slice()) {
            (Op::Or, &[a, b]) if uses[a] == 1 && uses[b] == 1 => one_value(&mut rebuild, a, b),
            _ => None,
        };
        match joined {
            Some(value) => {
                rebuild.rename(data.results[0], value);
                has_changed = true;
            }
            None => rebuild.keep(inst),
        }
    }
    rebuild.finish();
    has_changed
}

fn one_value(rebuild: &mut Rebuild, a: Value, b: Value) -> Option<Value> {
    let (first, x) = gated(rebuild.program, rebuild.now(a));
    let (second, y) = gated(rebuild.program, rebuild.now(b));
    let bits = rebuild.width(x);
    if x != y || bits == 1 || first.is_empty() || second.is_empty() {
        return None;
    }
    let all = |rebuild: &mut Rebuild, conditions: Vec<Value>| {
        let conditions = conditions.into_iter();
        conditions.reduce(|all, one| rebuild.op(Op::And, vec![all, one], 1))
    };
    let (first, second) = (all(rebuild, first)?, all(rebuild, second)?);
    let some = rebuild.op(Op::Or, vec![first, second], 1);
    let zeros = rebuild.zeros(bits);
    Some(rebuild.op(Op::Select, vec![some, x, zeros], bits))
}

/// A value that is zero but under these conditions, without them.
fn gated(program: &Program, value: Value) -> (Vec<Value>, Value) {
    let (mut conditions, mut inner) = (Vec::new(), value);
    while let Some((condition, some)) = gate(program, inner) {
        conditions.push(condition);
        inner = some;
    }
    (conditions, inner)
}

/// The condition of a value that is zero without it, and the value.
fn gate(program: &Program, value: Value) -> Option<(Value, Value)> {
    let data = program.def_inst(value)?;
    let repeated = |value: Value| {
        let data = program.def_inst(value)?;
        let bit = *data.args.first()?;
        (data.op == Op::SExt && program.width(bit) == 1).then_some(bit)
    };
    match (&data.op, data.args.as_slice()) {
        (Op::Select, &[condition, some, zero]) => {
            let is_zero = program.as_const(zero).is_some_and(|bits| bits.is_zero());
            is_zero.then_some((condition, some))
        }
        (Op::And, &[a, b]) => match (repeated(a), repeated(b)) {
            (Some(condition), _) => Some((condition, b)),
            (None, Some(condition)) => Some((condition, a)),
            (None, None) => None,
        },
        _ => None,
    }
}
