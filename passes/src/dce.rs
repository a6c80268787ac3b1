//! Dead code: instructions and parameters that nobody needs, blocks that nobody reaches, blocks that need not be
//! blocks.
//!
//! ```text
//! block0():                              block0():
//!   v1 = add v0, v0                        emit v5 with v6
//!   jump block1(v0)              →
//! block1(v2):
//!   emit v5 with v6
//! ```
//!
//! An effect that only reads (a load, a lookup) is dead when its results are; one that writes never is. A parameter
//! is live when its value is needed, and only then are the arguments for it.
//!
//! The head of a loop stays a block of its own, and a function keeps its parameters.

use crate::loops::{change_orders, settle_bounds};
use crate::rewrite::{retain_params, targets_mut};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Block, Program, Target, Terminator, Value, ValueDef};
use std::collections::HashMap;

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut changed = thread_jumps(program);
    // After threading: two ways may have become one.
    changed |= fold_branches(program);
    changed |= remove_unreachable_blocks(program);
    changed |= merge_blocks(program);
    changed |= remove_dead_values(program);
    Ok(changed)
}

/// A branch on a constant, or with two equal targets, is a jump.
fn fold_branches(program: &mut Program) -> bool {
    let mut changed = false;
    for block in program.all_blocks().collect::<Vec<_>>() {
        let Terminator::Branch { cond, yes, no } = &program.blocks[block].terminator else {
            continue;
        };
        let target = match program.as_const(*cond) {
            Some(bits) if bits.is_zero() => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => continue,
        };
        program.blocks[block].terminator = Terminator::Jump(target.clone());
        changed = true;
    }
    changed
}

/// A jump to a block that only jumps on goes where that one goes.
fn thread_jumps(program: &mut Program) -> bool {
    let uses = program.use_counts();
    let mut through: HashMap<Block, (Vec<Value>, Target)> = HashMap::new();
    let behind_entries = program.orders().flat_map(|(_, order)| order.iter().skip(1));
    for &block in behind_entries {
        let data = &program.blocks[block];
        if data.bound.is_some() {
            continue;
        }
        let Terminator::Jump(target) = &data.terminator else {
            continue;
        };
        let only_passed_on = data.params.iter().all(|param| {
            let passed = target.args.iter().filter(|arg| *arg == param).count();
            uses[*param] as usize == passed
        });
        if data.insts.is_empty() && only_passed_on {
            through.insert(block, (data.params.clone(), target.clone()));
        }
    }
    if through.is_empty() {
        return false;
    }
    let mut changed = false;
    for block in program.all_blocks().collect::<Vec<_>>() {
        let mut terminator =
            std::mem::replace(&mut program.blocks[block].terminator, Terminator::None);
        for target in targets_mut(&mut terminator) {
            while let Some((params, next)) = through.get(&target.block) {
                let given = std::mem::take(&mut target.args);
                let pass = |arg: &Value| match params.iter().position(|param| param == arg) {
                    Some(index) => given[index],
                    None => *arg,
                };
                target.args = next.args.iter().map(pass).collect();
                target.block = next.block;
                changed = true;
            }
        }
        program.blocks[block].terminator = terminator;
    }
    changed
}

fn remove_unreachable_blocks(program: &mut Program) -> bool {
    let mut reached: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut changed = false;
    change_orders(program, |program, before| {
        let mut order = Vec::with_capacity(before.len());
        for (index, &block) in before.iter().enumerate() {
            if index == 0 || reached[block] {
                order.push(block);
                for target in program.blocks[block].terminator.targets() {
                    reached[target.block] = true;
                }
            }
        }
        changed |= order.len() != before.len();
        settle_bounds(program, &order);
        order
    });
    changed
}

/// A block whose only way in is a jump becomes part of the block that jumps.
fn merge_blocks(program: &mut Program) -> bool {
    let predecessors = program.predecessors();
    let mut became: HashMap<Value, Value> = HashMap::new();
    let mut merged_into: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let behind_entries = program.orders().flat_map(|(_, order)| order.iter().skip(1));
    for block in behind_entries.copied().collect::<Vec<_>>() {
        let [from] = predecessors[block][..] else {
            continue;
        };
        let mut into = from;
        while let Some(further) = merged_into[into] {
            into = further;
        }
        let Terminator::Jump(target) = &program.blocks[into].terminator else {
            continue;
        };
        if target.block != block {
            continue;
        }
        let args = target.args.clone();
        let params = std::mem::take(&mut program.blocks[block].params);
        became.extend(params.into_iter().zip(args));
        let insts = std::mem::take(&mut program.blocks[block].insts);
        program.blocks[into].insts.extend(insts);
        program.blocks[into].terminator =
            std::mem::replace(&mut program.blocks[block].terminator, Terminator::None);
        merged_into[block] = Some(into);
    }
    let mut changed = false;
    change_orders(program, |_, mut order| {
        let before = order.len();
        order.retain(|&block| merged_into[block].is_none());
        changed |= order.len() != before;
        order
    });
    program.replace_all(&became);
    changed
}

fn remove_dead_values(program: &mut Program) -> bool {
    let predecessors = program.predecessors();
    let mut live: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut work: Vec<Value> = Vec::new();
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        if data.op.writes() {
            work.extend(data.uses());
        }
    }
    for block in program.all_blocks() {
        match &program.blocks[block].terminator {
            Terminator::Branch { cond, .. } => work.push(*cond),
            terminator @ (Terminator::Emit(_) | Terminator::Return(_)) => {
                work.extend(terminator.uses());
            }
            _ => {}
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value], true) {
            continue;
        }
        match program.values[value].def {
            ValueDef::Result(inst, _) => work.extend(program.insts[inst].uses()),
            ValueDef::Param(block, index) => {
                for &from in &predecessors[block] {
                    for target in program.blocks[from].terminator.targets() {
                        if target.block == block {
                            work.push(target.args[index as usize]);
                        }
                    }
                }
            }
        }
    }
    // Every call gives all arguments.
    for function in program.functions.keys() {
        for &param in program.parameters(function) {
            live[param] = true;
        }
    }
    let mut changed = false;
    for block in program.all_blocks().collect::<Vec<_>>() {
        let mut insts = std::mem::take(&mut program.blocks[block].insts);
        let before = insts.len();
        insts.retain(|&inst| {
            let data = &program.insts[inst];
            data.op.writes() || data.results.iter().any(|&result| live[result])
        });
        changed |= insts.len() != before;
        program.blocks[block].insts = insts;
        let keep: Vec<bool> = program.blocks[block]
            .params
            .iter()
            .map(|&param| live[param])
            .collect();
        if keep.contains(&false) {
            let mut incoming = predecessors[block].clone();
            incoming.dedup();
            retain_params(program, block, &incoming, &keep);
            changed = true;
        }
    }
    changed
}
