//! Copies of blocks, and what is to be put right behind passes that copy or cut them.

use cranelift_entity::SecondaryMap;
use hardpath_ir::graph::Graph;
use hardpath_ir::{Block, Inst, Program, Terminator, Value, ValueDef};
use std::collections::HashMap;

/// What blocks and values have become in a copy.
pub struct Copies {
    pub blocks: HashMap<Block, Block>,
    pub values: HashMap<Value, Value>,
}

impl Copies {
    /// Everything is its own copy.
    pub fn none() -> Copies {
        Copies {
            blocks: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// The copy of a block; the block itself when it has none.
    pub fn block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    /// The copy of a value; the value itself when it has none.
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
}

/// Changes a program, or leaves it as it was.
///
/// # Errors
/// Those of the change.
pub fn all_or_nothing<E>(
    program: &mut Program,
    change: impl FnOnce(&mut Program) -> Result<bool, E>,
) -> Result<bool, E> {
    let mut changed = program.clone();
    let result = change(&mut changed)?;
    *program = changed;
    Ok(result)
}

/// Copies blocks with all that is in them. What they use of each other is that of the copies; what they use of other blocks
/// stays. The new blocks stand in no order yet.
pub fn copy_blocks(program: &mut Program, blocks: &[Block]) -> Copies {
    let mut copies = Copies::none();
    for &block in blocks {
        let copy = program.make_block();
        copies.blocks.insert(block, copy);
        program.blocks[copy].place = program.blocks[block].place;
        program.blocks[copy].bound = program.blocks[block].bound;
        for param in program.blocks[block].params.clone() {
            let width = program.width(param);
            let new = program.add_param(copy, width);
            keep_name(program, &mut copies, param, new);
        }
        for inst in program.blocks[block].insts.clone() {
            let data = program.insts[inst].clone();
            let widths: Vec<u32> = data.results.iter().map(|r| program.width(*r)).collect();
            let new = program.append(copy, data.op, data.args, &widths, data.place);
            program.insts[new].guard = data.guard;
            for (index, result) in data.results.into_iter().enumerate() {
                let copied = program.insts[new].results[index];
                keep_name(program, &mut copies, result, copied);
            }
        }
        program.blocks[copy].terminator = program.blocks[block].terminator.clone();
    }
    for &block in blocks {
        let copy = copies.block(block);
        for inst in program.blocks[copy].insts.clone() {
            for value in program.insts[inst].uses_mut() {
                *value = copies.value(*value);
            }
        }
        let terminator = &mut program.blocks[copy].terminator;
        for value in terminator.uses_mut() {
            *value = copies.value(*value);
        }
        for target in crate::rewrite::targets_mut(terminator) {
            target.block = copies.block(target.block);
        }
    }
    copies
}

fn keep_name(program: &mut Program, copies: &mut Copies, old: Value, new: Value) {
    program.values[new].name = program.values[old].name.clone();
    copies.values.insert(old, new);
}

/// Cuts a block behind an instruction, which goes away: its results become parameters of the block that goes on. Gives that block,
/// which has the rest of the instructions and the end; `block` has no end any more.
pub fn cut(program: &mut Program, block: Block, inst: Inst) -> Block {
    let rest = program.make_block();
    program.blocks[rest].place = program.insts[inst].place;
    let insts = &mut program.blocks[block].insts;
    let at = insts.iter().position(|other| *other == inst);
    let mut behind = insts.split_off(at.unwrap_or(insts.len()));
    program.blocks[rest].insts = behind.split_off(1.min(behind.len()));
    program.blocks[rest].terminator =
        std::mem::replace(&mut program.blocks[block].terminator, Terminator::None);
    let results = std::mem::take(&mut program.insts[inst].results);
    for (index, &result) in results.iter().enumerate() {
        program.values[result].def = ValueDef::Param(rest, index as u32);
    }
    program.blocks[rest].params = results;
    rest
}

/// The blocks of an order that jump to each of them, in order; one that does so twice stands there twice.
pub fn predecessors(program: &Program, order: &[Block]) -> SecondaryMap<Block, Vec<Block>> {
    let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &block in order {
        for target in program.blocks[block].terminator.targets() {
            predecessors[target.block].push(block);
        }
    }
    predecessors
}

/// The blocks that control can come to, in an order in which each stands before all that it leads to, but for the heads of
/// loops that it is in; loops stand without gaps. Blocks to which nothing goes back any more are no heads. `None`: loops
/// are nested too deep.
pub fn tidy(program: &mut Program, order: &[Block]) -> Option<Vec<Block>> {
    let graph = Graph::new(program, order);
    let dominators = graph.dominators();
    let nesting = graph.nesting();
    if nesting.too_deep.is_some() {
        return None;
    }
    let mut nodes: Vec<usize> = (0..order.len())
        .filter(|node| dominators.is_reached(*node))
        .collect();
    nodes.sort_by_key(|node| nesting.position[*node]);
    for &node in &nodes {
        if !nesting.loops[node].contains(&node) {
            program.blocks[order[node]].bound = None;
        }
    }
    Some(nodes.into_iter().map(|node| order[node]).collect())
}
