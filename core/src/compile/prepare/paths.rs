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
use super::ends::{copy_insts, renamed, targets_mut, ValueNames};
use super::{known, size, tidy};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Block, Op, Phase, Program, Terminator};
use std::collections::{BTreeSet, HashMap};

/// Programs with more operations are not tried.
const MOST_OPERATIONS: usize = 600;
/// More copies are not tried.
const MOST_TRIALS: usize = 48;
/// A packet must have so many operations less to do.
const LEAST_GAIN: f64 = 0.75;
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
    let most = operations(program) * 8 / 5 + 24;
    let mut cost = cost(program);
    let mut trials = 0;
    let mut tried: BTreeSet<(Block, Block)> = BTreeSet::new();
    while trials < MOST_TRIALS {
        let Some((from, meeting)) = candidate(program, &tried) else {
            break;
        };
        tried.insert((from, meeting));
        trials += 1;
        let mut copy = program.clone();
        copy_tail(&mut copy, from, meeting);
        tidy(&mut copy)?;
        if without.keeps(Saving::Known) && known::use_branches(&mut copy) {
            tidy(&mut copy)?;
            known::use_branches(&mut copy);
            tidy(&mut copy)?;
        }
        let new = self::cost(&copy);
        if new + LEAST_GAIN <= cost && operations(&copy) <= most {
            *program = copy;
            cost = new;
        }
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
    let meetings = program.order.iter().filter(|block| !is_end(block));
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
fn copy_tail(program: &mut Program, from: Block, meeting: Block) {
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
        let copy = program.add_block();
        blocks.insert(block, copy);
        program.blocks[copy].place = program.blocks[block].place;
        for param in program.blocks[block].params.clone() {
            let width = program.width(param);
            let new = program.add_param(copy, width);
            program.values[new].name = program.values[param].name.clone();
            values.insert(param, new);
        }
        copy_insts(program, block, copy, &mut values);
    }
    for &block in &tail {
        let mut terminator = renamed(&program.blocks[block].terminator, &values);
        for target in targets_mut(&mut terminator) {
            target.block = blocks[&target.block];
        }
        program.blocks[blocks[&block]].terminator = terminator;
    }
    let mut terminator = program.blocks[from].terminator.clone();
    for target in targets_mut(&mut terminator) {
        if target.block == meeting {
            target.block = blocks[&meeting];
        }
    }
    program.blocks[from].terminator = terminator;
}

/// Operations of a block that the core has to do.
fn block_operations(program: &Program, block: Block) -> usize {
    let data = &program.blocks[block];
    let insts = data.insts.iter().map(|inst| {
        let inst = &program.insts[*inst];
        match inst.op {
            Op::Const(_) | Op::Slice { .. } | Op::ZExt | Op::Input(_) => 0,
            Op::Concat => inst.args.len() - 1,
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

/// What a packet has to do on average, when branches go either way.
fn cost(program: &Program) -> f64 {
    let mut behind: HashMap<Block, f64> = HashMap::new();
    let drops = |block: Block| match &program.blocks[block].terminator {
        Terminator::Emit(emit) => {
            let known = program.as_const(emit.forwarded);
            known.is_some_and(|bits| bits.is_zero())
        }
        _ => false,
    };
    for &block in program.order.iter().rev() {
        let own = block_operations(program, block) as f64;
        let rest = match &program.blocks[block].terminator {
            Terminator::Jump(target) => behind[&target.block],
            Terminator::Branch { yes, no, .. } => {
                let likely = match (drops(yes.block), drops(no.block)) {
                    (true, false) => DROPPED,
                    (false, true) => 1.0 - DROPPED,
                    _ => 0.5,
                };
                1.0 + likely * behind[&yes.block] + (1.0 - likely) * behind[&no.block]
            }
            _ => 1.0,
        };
        behind.insert(block, own + rest);
    }
    program.order.first().map_or(0.0, |entry| behind[entry])
}
