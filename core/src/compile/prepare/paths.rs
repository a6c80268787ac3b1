//! Ways that meet go on for themselves where that makes them shorter.
//!
//! ```text
//! block1: branch v1, block2, block3
//! block2: jump block4(4)                     block2: v4 = packet.load 4; emit …
//! block3: jump block4(3)               →     block3: v5 = packet.load 3; emit …
//! block4(v2): v3 = packet.load v2; emit …
//! ```
//!
//! Everything behind the place where they meet is copied for one of them, and made simpler by what is known there. It stays so when a packet
//! has less to do on average, while the program has room to grow.

use super::super::savings::{Saving, Without};
use super::ends::{self, copy_insts, renamed, targets_mut, ValueNames};
use super::{is_part, known, size, tidy};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Block, Op, Phase, Program, Terminator};
use std::collections::{BTreeSet, HashMap};

/// Programs with more operations are not tried.
const MOST_OPERATIONS: usize = 600;
/// More copies are not tried.
const MOST_TRIALS: usize = 48;
/// A packet must have so many operations less to do.
const LEAST_GAIN: f64 = 0.75;
/// Or one that goes this way so many.
const LEAST_GAIN_THERE: f64 = 1.5;
/// For each of those that it has less to do there, the program may have so many more.
const MOST_FOR_GAIN: f64 = 2.0;
/// No more blocks are made where no ways are to meet.
const MOST_IN_TREE: usize = 24;
/// How likely a way is that ends at once with the packet dropped.
const DROPPED: f64 = 0.1;

/// In the control-flow phase; in another one it does nothing.
///
/// # Errors
/// What a pass refuses.
pub fn separate(program: &mut Program, without: Without) -> Result<(), Vec<Diagnostic>> {
    if program.phase != Phase::ControlFlow || size(program) > MOST_OPERATIONS {
        return Ok(());
    }
    while ends::share(program) {
        tidy(program)?;
    }
    let most = operations(program) * 8 / 5 + 24;
    let mut now = cost(program);
    let mut trials = 0;
    let mut tried: BTreeSet<(Block, Block)> = BTreeSet::new();
    while trials < MOST_TRIALS {
        let Some((from, meeting)) = candidate(program, &tried) else {
            break;
        };
        tried.insert((from, meeting));
        for copy_behind in [copy_tail, copy_tree] {
            trials += 1;
            let mut copy = program.clone();
            if !copy_behind(&mut copy, from, meeting) {
                continue;
            }
            simplify(&mut copy, without)?;
            let new = cost(&copy);
            let there = likely(program, from, meeting);
            let (before, behind) = (operations(program), operations(&copy));
            let growth = behind as f64 - before as f64;
            let gain = now - new;
            let gain_there = gain / there;
            let is_worth = gain >= LEAST_GAIN || gain_there >= LEAST_GAIN_THERE;
            let pays = there > 0.0 && is_worth && growth <= MOST_FOR_GAIN * gain_there;
            if pays && behind <= most {
                *program = copy;
                now = new;
                break;
            }
        }
    }
    Ok(())
}

/// Uses what is known, and has ends that are the same once.
fn simplify(program: &mut Program, without: Without) -> Result<(), Vec<Diagnostic>> {
    tidy(program)?;
    if without.keeps(Saving::Known) && known::use_branches(program) {
        tidy(program)?;
        known::use_branches(program);
        tidy(program)?;
    }
    while ends::share(program) {
        tidy(program)?;
    }
    Ok(())
}

/// A block and one that it leads to by one of several ways.
fn candidate(program: &Program, tried: &BTreeSet<(Block, Block)>) -> Option<(Block, Block)> {
    let mut ways: HashMap<Block, Vec<Block>> = HashMap::new();
    for &block in &program.order {
        for target in program.blocks[block].terminator.targets() {
            ways.entry(target.block).or_default().push(block);
        }
    }
    let is_end = |block: &Block| matches!(program.blocks[*block].terminator, Terminator::Emit(_));
    // The shorter the tail, the less is copied.
    let meetings = program.order.iter().rev().filter(|block| !is_end(block));
    let mut pairs = meetings.flat_map(|block| {
        let from = ways.get(block).cloned().unwrap_or_default();
        let several = from.len() > 1;
        from.into_iter()
            .filter(move |_| several)
            .map(move |from| (from, *block))
    });
    pairs.find(|pair| !tried.contains(pair))
}

/// Copies everything from a block on for the ways from one other block.
fn copy_tail(program: &mut Program, from: Block, meeting: Block) -> bool {
    let mut reached = BTreeSet::from([meeting]);
    for &block in &program.order {
        if reached.contains(&block) {
            let targets = program.blocks[block].terminator.targets();
            reached.extend(targets.into_iter().map(|target| target.block));
        }
    }
    let tail: Vec<Block> = program
        .order
        .iter()
        .copied()
        .filter(|block| reached.contains(block))
        .collect();
    let mut blocks: HashMap<Block, Block> = HashMap::new();
    let mut values = ValueNames::new();
    for &block in &tail {
        let copy = copy_block(program, block, &mut values);
        blocks.insert(block, copy);
    }
    for &block in &tail {
        let mut terminator = renamed(&program.blocks[block].terminator, &values);
        for target in targets_mut(&mut terminator) {
            target.block = blocks[&target.block];
        }
        program.blocks[blocks[&block]].terminator = terminator;
    }
    lead(program, from, (meeting, blocks[&meeting]));
    true
}

/// A block like another one, at the end of the order, without its terminator. What it has and gives gets names.
fn copy_block(program: &mut Program, block: Block, values: &mut ValueNames) -> Block {
    let copy = program.add_block();
    program.blocks[copy].place = program.blocks[block].place;
    for param in program.blocks[block].params.clone() {
        let width = program.width(param);
        let new = program.add_param(copy, width);
        program.values[new].name = program.values[param].name.clone();
        values.insert(param, new);
    }
    copy_insts(program, block, copy, values);
    copy
}

/// From this block control goes to another one in place of one.
fn lead(program: &mut Program, from: Block, (old, new): (Block, Block)) {
    let mut terminator = program.blocks[from].terminator.clone();
    for target in targets_mut(&mut terminator) {
        if target.block == old {
            target.block = new;
        }
    }
    program.blocks[from].terminator = terminator;
}

/// The same, and no ways meet in the copy. Only where few blocks come of it; gives whether they do.
fn copy_tree(program: &mut Program, from: Block, meeting: Block) -> bool {
    let mut made = 0;
    let names = ValueNames::new();
    let Some(copy) = copy_ways(program, meeting, names, &mut made) else {
        return false;
    };
    lead(program, from, (meeting, copy));
    true
}

/// A copy of a block, and for each of its ways a copy of what stands there.
fn copy_ways(
    program: &mut Program,
    block: Block,
    mut values: ValueNames,
    made: &mut usize,
) -> Option<Block> {
    *made += 1;
    if *made > MOST_IN_TREE || program.blocks[block].bound.is_some() {
        return None;
    }
    let copy = copy_block(program, block, &mut values);
    let mut terminator = renamed(&program.blocks[block].terminator, &values);
    for target in targets_mut(&mut terminator) {
        target.block = copy_ways(program, target.block, values.clone(), made)?;
    }
    program.blocks[copy].terminator = terminator;
    Some(copy)
}

/// Operations of a block that the core has to do.
fn block_operations(program: &Program, block: Block) -> usize {
    let data = &program.blocks[block];
    let insts = data.insts.iter().map(|inst| {
        let inst = &program.insts[*inst];
        match inst.op {
            Op::Input(_) => 0,
            Op::Concat => inst.args.len() - 1,
            _ if is_part(&inst.op) => 0,
            _ => 1,
        }
    });
    let moved = data
        .terminator
        .targets()
        .into_iter()
        .map(|target| target.args.len())
        .max();
    insts.sum::<usize>() + moved.unwrap_or(0)
}

fn operations(program: &Program) -> usize {
    let blocks = program.order.iter();
    blocks
        .map(|block| block_operations(program, *block) + 1)
        .sum()
}

/// How likely the first of a branch's ways is.
fn first_way(program: &Program, yes: Block, no: Block) -> f64 {
    let drops = |block: Block| match &program.blocks[block].terminator {
        Terminator::Emit(emit) => {
            let known = program.as_const(emit.forwarded);
            known.is_some_and(|bits| bits.is_zero())
        }
        _ => false,
    };
    match (drops(yes), drops(no)) {
        (true, false) => DROPPED,
        (false, true) => 1.0 - DROPPED,
        _ => 0.5,
    }
}

/// How likely a packet goes from one block to another.
fn likely(program: &Program, from: Block, to: Block) -> f64 {
    let mut reached: HashMap<Block, f64> = HashMap::new();
    reached.extend(program.order.first().map(|entry| (*entry, 1.0)));
    for &block in &program.order {
        let here = reached.get(&block).copied().unwrap_or(0.0);
        let ways = match &program.blocks[block].terminator {
            Terminator::Jump(target) => vec![(target.block, here)],
            Terminator::Branch { yes, no, .. } => {
                let first = first_way(program, yes.block, no.block);
                vec![(yes.block, here * first), (no.block, here * (1.0 - first))]
            }
            _ => Vec::new(),
        };
        if block == from {
            let there = ways.iter().filter(|(block, _)| *block == to);
            return there.map(|(_, likely)| likely).sum();
        }
        for (block, likely) in ways {
            *reached.entry(block).or_default() += likely;
        }
    }
    0.0
}

/// What a packet has to do on average, when branches go either way.
fn cost(program: &Program) -> f64 {
    let mut behind: HashMap<Block, f64> = HashMap::new();
    for &block in program.order.iter().rev() {
        let own = block_operations(program, block) as f64;
        let rest = match &program.blocks[block].terminator {
            Terminator::Jump(target) => behind[&target.block],
            Terminator::Branch { yes, no, .. } => {
                let likely = first_way(program, yes.block, no.block);
                1.0 + likely * behind[&yes.block] + (1.0 - likely) * behind[&no.block]
            }
            _ => 1.0,
        };
        behind.insert(block, own + rest);
    }
    program.order.first().map_or(0.0, |entry| behind[entry])
}
