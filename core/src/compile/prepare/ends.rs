//! Ends of programs for themselves.
//!
//! ```text
//! block1: branch v1, block9(v2), block2        block1: branch v1, block10, block2
//! block2: branch v3, block9(v4), block3        block2: branch v3, block11, block3
//! block9(v5): emit v6 with v5             →    block10: emit v6 with v2
//!                                              block11: emit v6 with v4
//! ```
//!
//! What is said of a packet is a constant then, which an exit has in itself. Where it is chosen by a condition in front of the end, a branch
//! goes to two ends.

use super::size;
use hardpath_ir::{Bits, Block, Emit, Inst, Op, Program, Target, Terminator, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A block with more operations is not made again.
const MOST_COPIED: usize = 12;
/// A program with so many more operations than it had is large enough.
const MOST_GROWTH: usize = 4;
/// So many conditions in a row decide of an end.
const MOST_SPLIT: usize = 3;

/// Gives each way to an end one of its own, and splits ends that a condition decides.
pub fn separate(program: &mut Program) {
    let limit = MOST_GROWTH * size(program) + 64;
    for block in program.order.clone() {
        if size(program) < limit {
            copy_for_ways(program, block);
        }
    }
    let mut open = program.order.clone();
    let mut splits: HashMap<Block, usize> = HashMap::new();
    while let Some(block) = open.pop() {
        let depth = splits.get(&block).copied().unwrap_or(0);
        if depth == MOST_SPLIT || size(program) > limit {
            continue;
        }
        for new in split(program, block).into_iter().flatten() {
            splits.insert(new, depth + 1);
            open.push(new);
        }
    }
}

/// Ends that do and say the same become one. Gives whether something changed.
pub fn share(program: &mut Program) -> bool {
    let mut known: BTreeMap<String, Block> = BTreeMap::new();
    let mut same: HashMap<Block, Block> = HashMap::new();
    for block in program.order.clone() {
        let data = &program.blocks[block];
        if !data.params.is_empty() || !matches!(data.terminator, Terminator::Emit(_)) {
            continue;
        }
        let kept = *known.entry(text(program, block)).or_insert(block);
        if kept != block {
            same.insert(block, kept);
        }
    }
    if same.is_empty() {
        return false;
    }
    for block in program.order.clone() {
        let mut terminator = program.blocks[block].terminator.clone();
        for target in targets_mut(&mut terminator) {
            target.block = *same.get(&target.block).unwrap_or(&target.block);
        }
        program.blocks[block].terminator = terminator;
    }
    // Behind all that leads there.
    program.order.retain(|block| !same.contains_key(block));
    let kept: BTreeSet<Block> = same.values().copied().collect();
    program.order.retain(|block| !kept.contains(block));
    program.order.extend(kept);
    true
}

/// What a block does and says, with its own values by their places in it.
fn text(program: &Program, block: Block) -> String {
    let data = &program.blocks[block];
    let mut names: HashMap<Value, usize> = HashMap::new();
    let name = |names: &HashMap<Value, usize>, value: &Value| match names.get(value) {
        Some(own) => format!("own {own}"),
        None => format!("{value:?}"),
    };
    let mut text = String::new();
    for inst in &data.insts {
        let inst = &program.insts[*inst];
        let args: Vec<String> = inst.args.iter().map(|arg| name(&names, arg)).collect();
        let widths = inst.results.iter().map(|value| program.width(*value));
        let widths: Vec<u32> = widths.collect();
        text += &format!("{:?} {args:?} {widths:?}\n", inst.op);
        for value in &inst.results {
            names.insert(*value, names.len());
        }
    }
    let mut terminator = data.terminator.clone();
    let said: Vec<String> = terminator
        .uses_mut()
        .into_iter()
        .map(|value| name(&names, value))
        .collect();
    // The names are looked at apart, the rest as it is.
    let shape = match &data.terminator {
        Terminator::Emit(emit) => {
            let mut emit = emit.clone();
            for value in emit.uses_mut() {
                *value = Value::from_u32(0);
            }
            format!("{emit:?}")
        }
        other => format!("{other:?}"),
    };
    text + &format!("{shape} {said:?}")
}

/// An argument, where constants of one number are the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Argument {
    Known(Vec<u64>, u32),
    Value(Value),
}

fn copy_for_ways(program: &mut Program, block: Block) {
    let data = &program.blocks[block];
    let costs = |inst: &&Inst| !matches!(program.insts[**inst].op, Op::Const(_));
    let count = data.insts.iter().filter(costs).count();
    if !matches!(data.terminator, Terminator::Emit(_)) || count > MOST_COPIED {
        return;
    }
    let mut copies: BTreeMap<Vec<Argument>, Block> = BTreeMap::new();
    for from in program.order.clone() {
        let mut terminator = program.blocks[from].terminator.clone();
        for target in targets_mut(&mut terminator) {
            if target.block != block {
                continue;
            }
            let key = target.args.iter().map(|arg| match program.as_const(*arg) {
                Some(bits) => Argument::Known(bits.limbs().to_vec(), bits.width()),
                None => Argument::Value(*arg),
            });
            let key: Vec<Argument> = key.collect();
            let copy = match copies.get(&key) {
                Some(copy) => *copy,
                // The first way keeps the block, when that has no parameters to set.
                None if copies.is_empty() && target.args.is_empty() => block,
                None => copy_with(program, block, &target.args),
            };
            copies.insert(key, copy);
            target.block = copy;
            target.args.clear();
        }
        program.blocks[from].terminator = terminator;
    }
    if !program.blocks[block].params.is_empty() && !copies.is_empty() {
        program.order.retain(|other| *other != block);
    }
}

/// A block with arguments in place of its parameters, at the end of the order.
pub(super) fn copy_with(program: &mut Program, block: Block, args: &[Value]) -> Block {
    let copy = program.add_block();
    let data = program.blocks[block].clone();
    program.blocks[copy].place = data.place;
    let mut names = ValueNames::new();
    for (param, arg) in std::iter::zip(&data.params, args) {
        let arg = match program.as_const(*arg).cloned() {
            Some(bits) => program.append_const(copy, bits),
            None => *arg,
        };
        names.insert(*param, arg);
    }
    copy_insts(program, block, copy, &mut names);
    program.blocks[copy].terminator = renamed(&data.terminator, &names);
    copy
}

/// What values are called in a copy.
pub(super) type ValueNames = HashMap<Value, Value>;

/// Copies the instructions of a block to the end of another one; what they give gets names.
pub(super) fn copy_insts(program: &mut Program, from: Block, to: Block, names: &mut ValueNames) {
    for inst in program.blocks[from].insts.clone() {
        let data = program.insts[inst].clone();
        let args = data.args.iter().map(|arg| *names.get(arg).unwrap_or(arg));
        let args = args.collect();
        let widths = data.results.iter().map(|value| program.width(*value));
        let widths: Vec<u32> = widths.collect();
        let new = program.append(to, data.op, args, &widths, data.place);
        for (old, new) in std::iter::zip(data.results, program.insts[new].results.clone()) {
            program.values[new].name = program.values[old].name.clone();
            names.insert(old, new);
        }
    }
}

/// The end of a block by other names.
pub(super) fn renamed(terminator: &Terminator, names: &ValueNames) -> Terminator {
    let mut terminator = terminator.clone();
    for value in terminator.uses_mut() {
        *value = *names.get(value).unwrap_or(value);
    }
    terminator
}

pub(super) fn targets_mut(terminator: &mut Terminator) -> Vec<&mut Target> {
    match terminator {
        Terminator::Jump(target) => vec![target],
        Terminator::Branch { yes, no, .. } => vec![yes, no],
        _ => Vec::new(),
    }
}

/// Makes two ends of one whose outputs or way a condition decides. Gives them.
fn split(program: &mut Program, block: Block) -> Option<[Block; 2]> {
    let Terminator::Emit(emit) = program.blocks[block].terminator.clone() else {
        return None;
    };
    let mut decided = emit.packet.outputs.clone();
    decided.extend(emit.packet.to.map(|to| to.class));
    decided.push(emit.forwarded);
    let leaf = deciding(program, &decided)?;
    let [yes, no] = [true, false].map(|known| {
        let new = program.add_block();
        program.blocks[new].place = program.blocks[block].place;
        let bit = program.append_const(new, Bits::from_u64(known.into(), 1));
        let mut names = HashMap::from([(leaf, bit)]);
        let mut emit: Emit = emit.clone();
        for value in emit.uses_mut() {
            *value = specialized(program, new, *value, &mut names);
        }
        program.blocks[new].terminator = Terminator::Emit(emit);
        new
    });
    let target = |block: Block| Target {
        block,
        args: Vec::new(),
    };
    program.blocks[block].terminator = Terminator::Branch {
        cond: leaf,
        yes: target(yes),
        no: target(no),
    };
    Some([yes, no])
}

/// A bit that decides some of these values, when bits alone decide all of them.
fn deciding(program: &Program, values: &[Value]) -> Option<Value> {
    let mut open: Vec<Value> = values.to_vec();
    let mut seen = Vec::new();
    let mut leaf = None;
    while let Some(value) = open.pop() {
        if program.as_const(value).is_some() || seen.contains(&value) {
            continue;
        }
        seen.push(value);
        let data = program.def_inst(value);
        let joins = |op: &Op| {
            matches!(
                op,
                Op::Select
                    | Op::Concat
                    | Op::ZExt
                    | Op::And
                    | Op::Or
                    | Op::Xor
                    | Op::Not
                    | Op::Slice { .. }
            )
        };
        match data {
            Some(data) if joins(&data.op) && !is_cut(program, &data.op, data.args[0]) => {
                // What decides a choice comes last, and is looked at first.
                open.extend(data.args.iter().rev());
            }
            _ if program.width(value) == 1 => leaf = leaf.or(Some(value)),
            _ => return None,
        }
    }
    leaf
}

/// A bit of a number.
fn is_cut(program: &Program, op: &Op, from: Value) -> bool {
    let is_slice = matches!(op, Op::Slice { .. });
    let made = program.def_inst(from).map(|data| &data.op);
    is_slice
        && !matches!(
            made,
            Some(Op::Concat | Op::Select | Op::ZExt | Op::Const(_))
        )
}

/// A value where some have other names: what depends on them is computed once more.
fn specialized(
    program: &mut Program,
    block: Block,
    value: Value,
    names: &mut HashMap<Value, Value>,
) -> Value {
    if let Some(name) = names.get(&value) {
        return *name;
    }
    let data = match program.def_inst(value) {
        Some(data) if data.op.is_pure() && !data.args.is_empty() => data.clone(),
        _ => return value,
    };
    let args: Vec<Value> = data
        .args
        .iter()
        .map(|arg| specialized(program, block, *arg, names))
        .collect();
    let new = match args == data.args {
        true => value,
        false => {
            let width = program.width(value);
            program.append1(block, data.op, args, width, data.place)
        }
    };
    names.insert(value, new);
    new
}
