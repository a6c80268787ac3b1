//! What is read where ways meet, and every way comes from one place, is read at that place: it is there when it is asked for.
//!
//! ```text
//! block1: branch v1, block2, block3        block1: v2 = map.load 8; branch v1, block2, block3
//! block2: …; jump block4              →    block2: …; jump block4
//! block3: …; jump block4                   block3: …; jump block4
//! block4: v2 = map.load 8 …                block4: …
//! ```
//!
//! Only values of maps: what is read of the packet may lie behind its end.

use super::super::uses::ways;
use hardpath_ir::graph::Graph;
use hardpath_ir::{Block, Inst, Op, Program, Value, ValueDef};
use std::collections::HashSet;

/// More blocks between the two places are not looked at.
const MOST_BETWEEN: usize = 12;

/// Gives whether something changed.
pub fn read_early(program: &mut Program) -> bool {
    let graph = Graph::new(program, &program.order);
    let dominators = graph.dominators();
    let ways = ways(program);
    let mut changed = false;
    for (node, meeting) in program.order.clone().into_iter().enumerate() {
        let above = dominators.immediate(node).filter(|above| *above < node);
        let Some(above) = above.map(|above| program.order[above]) else {
            continue;
        };
        if ways[meeting] < 2 || program.blocks[meeting].bound.is_some() {
            continue;
        }
        let Some(between) = between(program, above, meeting) else {
            continue;
        };
        for inst in movable(program, meeting, &between) {
            program.blocks[meeting].insts.retain(|other| *other != inst);
            program.blocks[above].insts.push(inst);
            changed = true;
        }
    }
    changed
}

/// The blocks on all ways from one block to another. `None`: some lead elsewhere, or round.
fn between(program: &Program, above: Block, meeting: Block) -> Option<HashSet<Block>> {
    let mut between = HashSet::new();
    let mut open = vec![above];
    while let Some(block) = open.pop() {
        let targets = program.blocks[block].terminator.targets();
        if targets.is_empty() {
            return None;
        }
        for target in targets.iter().map(|target| target.block) {
            if target == above || program.blocks[target].bound.is_some() {
                return None;
            }
            if target != meeting && between.insert(target) {
                open.push(target);
            }
        }
        if between.len() > MOST_BETWEEN {
            return None;
        }
    }
    Some(between)
}

/// Loads from maps that nothing before them changes, with the constants that they need.
fn movable(program: &Program, meeting: Block, between: &HashSet<Block>) -> Vec<Inst> {
    let data = &program.blocks[meeting];
    let mut changed: HashSet<_> = between
        .iter()
        .flat_map(|block| &program.blocks[*block].insts)
        .filter_map(|inst| written(program, *inst))
        .collect();
    let here: HashSet<Inst> = data.insts.iter().copied().collect();
    let mut moved: Vec<Inst> = Vec::new();
    for &inst in &data.insts {
        changed.extend(written(program, inst));
        let Op::MapLoad(map) = program.insts[inst].op else {
            continue;
        };
        // A constant of the block itself goes, too.
        let own = |value: &Value| match program.values[*value].def {
            ValueDef::Result(from, _) => here.contains(&from).then_some(from),
            ValueDef::Param(..) => None,
        };
        let args = &program.insts[inst].args;
        let is_param = args.iter().any(|arg| data.params.contains(arg));
        let needs: Vec<Inst> = args.iter().filter_map(own).collect();
        let known = |inst: &Inst| matches!(program.insts[*inst].op, Op::Const(_));
        if is_param || changed.contains(&map) || !needs.iter().all(known) {
            continue;
        }
        for inst in needs.into_iter().chain([inst]) {
            if !moved.contains(&inst) {
                moved.push(inst);
            }
        }
    }
    moved
}

/// The map that an instruction may change.
fn written(program: &Program, inst: Inst) -> Option<hardpath_ir::MapId> {
    let op = &program.insts[inst].op;
    op.map().filter(|_| op.writes())
}
