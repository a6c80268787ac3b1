//! Conditions over few others, seen as truth tables.
//!
//! The cone of a condition is grown from its arguments: logic inside it is opened as long as at most six leaves remain
//! (what one look-up table holds). A table is 64 bits: bit m is the condition's value when leaf i is bit i of m.

use crate::rewrite::Rewriter;
use hardpath_ir::{Op, Value};
use std::collections::HashMap;

const MOST_LEAVES: usize = 6;
/// Nodes inside a cone, at most.
const MOST_NODES: usize = 24;

/// Table of leaf i.
const LEAF: [u64; MOST_LEAVES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

pub fn simplify(rewriter: &mut Rewriter, op: &Op, args: &[Value]) -> Option<Value> {
    let cone = Cone::grow(rewriter, args);
    if cone.leaves.len() < 2 && cone.inner.is_empty() {
        return None;
    }
    let care = cone.care(rewriter);
    let mut tables: HashMap<Value, u64> = HashMap::new();
    for (index, &leaf) in cone.leaves.iter().enumerate() {
        tables.insert(leaf, LEAF[index]);
    }
    let table = apply(rewriter, op, args, &mut tables);
    if table & care == 0 {
        return Some(rewriter.constant_u64(0, 1));
    }
    if !table & care == 0 {
        return Some(rewriter.constant_u64(1, 1));
    }
    for (index, &leaf) in cone.leaves.iter().enumerate() {
        if (table ^ LEAF[index]) & care == 0 {
            return Some(leaf);
        }
        if (table ^ !LEAF[index]) & care == 0 {
            return Some(rewriter.not(leaf));
        }
    }
    cone.without_a_leaf(rewriter, op, args, table, care)
}

struct Cone {
    leaves: Vec<Value>,
    /// Logic inside, without the root.
    inner: Vec<Value>,
}

impl Cone {
    fn grow(rewriter: &Rewriter, args: &[Value]) -> Cone {
        let mut cone = Cone {
            leaves: Vec::new(),
            inner: Vec::new(),
        };
        for &arg in args {
            cone.add_leaf(rewriter, arg);
        }
        while cone.inner.len() < MOST_NODES {
            // The leaf that brings the fewest new ones.
            let open = cone
                .leaves
                .iter()
                .filter_map(|&leaf| {
                    let args = logic_args(rewriter, leaf)?;
                    let new = args.iter().filter(|&&arg| {
                        !cone.leaves.contains(&arg) && rewriter.as_const(arg).is_none()
                    });
                    Some((new.count(), leaf))
                })
                .min();
            let Some((new, leaf)) = open else {
                break;
            };
            if cone.leaves.len() - 1 + new > MOST_LEAVES {
                break;
            }
            cone.leaves.retain(|&other| other != leaf);
            cone.inner.push(leaf);
            for arg in logic_args(rewriter, leaf).unwrap_or_default() {
                cone.add_leaf(rewriter, arg);
            }
        }
        cone
    }

    fn add_leaf(&mut self, rewriter: &Rewriter, value: Value) {
        let known = self.leaves.contains(&value) || self.inner.contains(&value);
        if !known && rewriter.as_const(value).is_none() {
            self.leaves.push(value);
        }
    }

    /// Rows that can happen: no value equals two constants.
    fn care(&self, rewriter: &Rewriter) -> u64 {
        let mut care = u64::MAX;
        for (i, &a) in self.leaves.iter().enumerate() {
            for (j, &b) in self.leaves.iter().enumerate().skip(i + 1) {
                let equality = |value: Value| {
                    [Op::Eq, Op::Ne].into_iter().find_map(|op| {
                        let args = rewriter.match_op(value, &op)?;
                        rewriter.as_const(args[1])?;
                        Some((op == Op::Eq, args[0], args[1]))
                    })
                };
                let (Some((equal_a, x, k)), Some((equal_b, y, l))) = (equality(a), equality(b))
                else {
                    continue;
                };
                if x != y {
                    continue;
                }
                let holds = |equal: bool, index: usize| match equal {
                    true => LEAF[index],
                    false => !LEAF[index],
                };
                let (p, q) = (holds(equal_a, i), holds(equal_b, j));
                care &= match rewriter.as_const(k) == rewriter.as_const(l) {
                    true => !(p ^ q),
                    false => !(p & q),
                };
            }
        }
        care
    }

    /// The same logic with one leaf fixed, when no row that can happen shows a difference.
    fn without_a_leaf(
        &self,
        rewriter: &mut Rewriter,
        op: &Op,
        args: &[Value],
        table: u64,
        care: u64,
    ) -> Option<Value> {
        for (index, &leaf) in self.leaves.iter().enumerate() {
            let step = 1 << index;
            let when_one = table & LEAF[index];
            let when_zero = table & !LEAF[index];
            let fixed = [
                (false, when_zero | when_zero << step),
                (true, when_one | when_one >> step),
            ];
            for (bit, fixed) in fixed {
                if (fixed ^ table) & care != 0 {
                    continue;
                }
                let constant = rewriter.constant_u64(u64::from(bit), 1);
                let mut became = HashMap::from([(leaf, constant)]);
                if !self.may_rebuild(rewriter, leaf, args) {
                    continue;
                }
                let args: Vec<Value> = args
                    .iter()
                    .map(|&arg| self.rebuild(rewriter, arg, &mut became))
                    .collect();
                return Some(rewriter.build(op.clone(), args, 1));
            }
        }
        None
    }

    /// Logic that depends on the leaf is made again: it must have no other use.
    fn may_rebuild(&self, rewriter: &Rewriter, leaf: Value, args: &[Value]) -> bool {
        let mut depends: HashMap<Value, bool> = HashMap::from([(leaf, true)]);
        args.iter().for_each(|&arg| {
            self.depends(rewriter, arg, &mut depends);
        });
        self.inner.iter().all(|&node| {
            !depends.get(&node).copied().unwrap_or(false) || rewriter.is_used_once(node)
        })
    }

    fn depends(&self, rewriter: &Rewriter, value: Value, known: &mut HashMap<Value, bool>) -> bool {
        if let Some(&answer) = known.get(&value) {
            return answer;
        }
        let mut answer = false;
        if self.inner.contains(&value) {
            for arg in rewriter.args(value).to_vec() {
                answer |= self.depends(rewriter, arg, known);
            }
        }
        known.insert(value, answer);
        answer
    }

    fn rebuild(
        &self,
        rewriter: &mut Rewriter,
        value: Value,
        became: &mut HashMap<Value, Value>,
    ) -> Value {
        if let Some(&new) = became.get(&value) {
            return new;
        }
        let mut new = value;
        if self.inner.contains(&value) {
            if let Some(op) = rewriter.op(value).cloned() {
                let old = rewriter.args(value).to_vec();
                let args: Vec<Value> = old
                    .iter()
                    .map(|&arg| self.rebuild(rewriter, arg, became))
                    .collect();
                if args != old {
                    new = rewriter.build(op, args, 1);
                }
            }
        }
        became.insert(value, new);
        new
    }
}

/// The arguments of 1-bit logic.
fn logic_args(rewriter: &Rewriter, value: Value) -> Option<Vec<Value>> {
    let op = rewriter.op(value)?;
    let is_logic = matches!(op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Select);
    is_logic.then(|| rewriter.args(value).to_vec())
}

fn table_of(rewriter: &Rewriter, value: Value, tables: &mut HashMap<Value, u64>) -> u64 {
    if let Some(&table) = tables.get(&value) {
        return table;
    }
    if let Some(bits) = rewriter.as_const(value) {
        return if bits.is_zero() { 0 } else { u64::MAX };
    }
    let table = match rewriter.op(value).cloned() {
        Some(op) => {
            let args = rewriter.args(value).to_vec();
            apply(rewriter, &op, &args, tables)
        }
        None => 0,
    };
    tables.insert(value, table);
    table
}

fn apply(rewriter: &Rewriter, op: &Op, args: &[Value], tables: &mut HashMap<Value, u64>) -> u64 {
    let args: Vec<u64> = args
        .iter()
        .map(|&arg| table_of(rewriter, arg, tables))
        .collect();
    match op {
        Op::And => args[0] & args[1],
        Op::Or => args[0] | args[1],
        Op::Xor => args[0] ^ args[1],
        Op::Not => !args[0],
        _ => (args[0] & args[1]) | (!args[0] & args[2]),
    }
}
