//! What a branch has found out holds behind it.
//!
//! ```text
//! block1: v2 = eq v0, v1; branch v2, block2, block3      (v1 is 5)
//! block2: v3 = add v0, v4        →    block2: v3 = add v5, v4      (v5 is 5)
//! ```
//!
//! A choice that it decides is what was chosen: behind `branch v2`, what is `select v2, v6, v7` is `v6`.

use hardpath_ir::graph::Graph;
use hardpath_ir::{Bits, Block, Op, Program, Terminator, Value};
use std::collections::HashMap;

type Known = HashMap<Value, Bits>;

/// Puts constants in place of what is known behind branches. Gives whether something changed.
pub fn use_branches(program: &mut Program) -> bool {
    let graph = Graph::new(program, &program.order);
    let dominators = graph.dominators();
    let order = program.order.clone();
    let mut ways: HashMap<Block, Vec<(Block, Value, bool)>> = HashMap::new();
    let mut edges: HashMap<Block, u32> = HashMap::new();
    for &block in &order {
        let terminator = &program.blocks[block].terminator;
        for target in terminator.targets() {
            *edges.entry(target.block).or_default() += 1;
        }
        if let Terminator::Branch { cond, yes, no } = terminator {
            ways.entry(yes.block)
                .or_default()
                .push((block, *cond, true));
            ways.entry(no.block)
                .or_default()
                .push((block, *cond, false));
        }
    }
    let mut known: Vec<Known> = Vec::new();
    let mut changed = false;
    for (node, &block) in order.iter().enumerate() {
        let above = dominators.immediate(node).filter(|above| *above < node);
        let mut here = above.map(|above| known[above].clone()).unwrap_or_default();
        if let (Some(1), Some([(_, cond, is)])) =
            (edges.get(&block), ways.get(&block).map(|w| &w[..]))
        {
            learn(program, *cond, *is, &mut here);
        }
        changed |= replace(program, block, &here);
        known.push(here);
    }
    changed
}

fn learn(program: &Program, value: Value, is: bool, known: &mut Known) {
    if program.as_const(value).is_some() {
        return;
    }
    known.insert(value, Bits::from_u64(is.into(), 1));
    let Some(data) = program.def_inst(value) else {
        return;
    };
    let equal = match data.op {
        Op::And if is => {
            return data
                .args
                .iter()
                .for_each(|arg| learn(program, *arg, true, known))
        }
        Op::Or if !is => {
            return data
                .args
                .iter()
                .for_each(|arg| learn(program, *arg, false, known))
        }
        Op::Not => return learn(program, data.args[0], !is, known),
        Op::Eq => is,
        Op::Ne => !is,
        _ => return,
    };
    for (one, other) in [(0, 1), (1, 0)] {
        let (one, other) = (data.args[one], data.args[other]);
        if let Some(bits) = program.as_const(other).filter(|_| equal) {
            known.insert(one, bits.clone());
        }
    }
}

fn replace(program: &mut Program, block: Block, known: &Known) -> bool {
    if known.is_empty() {
        return false;
    }
    let mut constants: HashMap<Value, Value> = HashMap::new();
    let mut new = Vec::new();
    let mut chosen = false;
    let mut resolve = |program: &mut Program, value: Value| -> Value {
        let value = decided(program, value, known);
        let Some(bits) = known.get(&value) else {
            return value;
        };
        *constants.entry(value).or_insert_with(|| {
            let width = bits.width();
            let inst = program.make_inst(Op::Const(bits.clone()), Vec::new(), &[width], None);
            new.push(inst);
            program.insts[inst].results[0]
        })
    };
    for inst in program.blocks[block].insts.clone() {
        for place in 0..program.insts[inst].args.len() {
            let arg = program.insts[inst].args[place];
            let new = resolve(program, arg);
            chosen |= new != arg;
            program.insts[inst].args[place] = new;
        }
    }
    let mut terminator = program.blocks[block].terminator.clone();
    for value in terminator.uses_mut() {
        let new = resolve(program, *value);
        chosen |= new != *value;
        *value = new;
    }
    program.blocks[block].terminator = terminator;
    program.blocks[block].insts.splice(0..0, new);
    chosen
}

/// What a value is where choices are known.
fn decided(program: &Program, mut value: Value, known: &Known) -> Value {
    while let Some(data) = program.def_inst(value).filter(|data| data.op == Op::Select) {
        let Some(bits) = known.get(&data.args[0]) else {
            break;
        };
        value = match bits.is_zero() {
            true => data.args[2],
            false => data.args[1],
        };
    }
    value
}
