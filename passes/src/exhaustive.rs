//! Questions about conditions, answered by trying every assignment of what they are made of.
//!
//! A condition is opened down to its *leaves*: what is not logic over single bits. With at most [`MOST_LEAVES`] leaves
//! all assignments are tried, 64 at once. Compares of one value with different constants cannot both hold. What is
//! shown so is true; what is not may be, too.

use hardpath_ir::{Op, Program, Value};
use std::collections::HashMap;

const MOST_LEAVES: usize = 14;
/// Logic that is looked through, at most.
const MOST_NODES: usize = 400;

/// Tables of the first six leaves within a word of 64 assignments.
const LEAF: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Whether no assignment makes all conditions what they are said to be.
pub fn impossible(program: &Program, conditions: &[(Value, bool)]) -> bool {
    let mut cone = Cone::default();
    for (condition, _) in conditions {
        if !cone.open(program, *condition) {
            return false;
        }
    }
    let words = 1usize << cone.leaves.len().saturating_sub(6);
    let mut values: HashMap<Value, u64> = HashMap::new();
    for word in 0..words {
        for (number, leaf) in cone.leaves.iter().enumerate() {
            let table = match number {
                0..6 => LEAF[number],
                _ if word >> (number - 6) & 1 == 1 => u64::MAX,
                _ => 0,
            };
            values.insert(*leaf, table);
        }
        for inner in &cone.inner {
            let table = evaluate(program, *inner, &values);
            values.insert(*inner, table);
        }
        let mut possible = cone.consistent(program, &values);
        for (condition, value) in conditions {
            let table = values[condition];
            possible &= if *value { table } else { !table };
        }
        if possible != 0 {
            return false;
        }
    }
    true
}

#[derive(Default)]
struct Cone {
    leaves: Vec<Value>,
    /// Logic and constants, arguments before their users.
    inner: Vec<Value>,
}

impl Cone {
    /// Adds a condition with all that it is made of. Gives whether it is small enough.
    fn open(&mut self, program: &Program, root: Value) -> bool {
        // (value, whether its arguments are there)
        let mut todo = vec![(root, false)];
        while let Some((value, ready)) = todo.pop() {
            if self.leaves.contains(&value) || self.inner.contains(&value) {
                continue;
            }
            let args = logic(program, value);
            match args {
                None => {
                    self.leaves.push(value);
                    if self.leaves.len() > MOST_LEAVES {
                        return false;
                    }
                }
                Some(_) if ready => {
                    self.inner.push(value);
                    if self.inner.len() > MOST_NODES {
                        return false;
                    }
                }
                Some(args) => {
                    todo.push((value, true));
                    todo.extend(args.iter().map(|arg| (*arg, false)));
                }
            }
        }
        true
    }

    /// The assignments in which no value equals two constants.
    fn consistent(&self, program: &Program, values: &HashMap<Value, u64>) -> u64 {
        let compare = |leaf: &Value| {
            let data = program.def_inst(*leaf)?;
            let equal = match data.op {
                Op::Eq => true,
                Op::Ne => false,
                _ => return None,
            };
            let constant = program.as_const(data.args[1])?;
            let table = values[leaf];
            Some((data.args[0], constant, if equal { table } else { !table }))
        };
        let compares: Vec<_> = self.leaves.iter().filter_map(compare).collect();
        let mut possible = u64::MAX;
        for (at, (a, x, first)) in compares.iter().enumerate() {
            for (b, y, second) in &compares[at + 1..] {
                if a == b && x != y {
                    possible &= !(first & second);
                } else if a == b {
                    possible &= !(first ^ second);
                }
            }
        }
        possible
    }
}

/// The arguments of logic over single bits; `None`: a leaf.
fn logic(program: &Program, value: Value) -> Option<Vec<Value>> {
    let data = program.def_inst(value)?;
    let bits = |args: &[Value]| args.iter().all(|arg| program.width(*arg) == 1);
    match data.op {
        Op::Const(_) => Some(Vec::new()),
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Select | Op::Eq | Op::Ne
            if bits(&data.args) && program.width(value) == 1 =>
        {
            Some(data.args.clone())
        }
        _ => None,
    }
}

fn evaluate(program: &Program, value: Value, values: &HashMap<Value, u64>) -> u64 {
    let data = program.def_inst(value).expect("logic has an instruction");
    let arg = |place: usize| values[&data.args[place]];
    match &data.op {
        Op::Const(bits) if bits.is_zero() => 0,
        Op::Const(_) => u64::MAX,
        Op::And => arg(0) & arg(1),
        Op::Or => arg(0) | arg(1),
        Op::Xor | Op::Ne => arg(0) ^ arg(1),
        Op::Eq => !(arg(0) ^ arg(1)),
        Op::Not => !arg(0),
        Op::Select => arg(0) & arg(1) | !arg(0) & arg(2),
        _ => unreachable!("not opened"),
    }
}
