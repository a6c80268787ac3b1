//! Short ways that meet again become choices.
//!
//! ```text
//! block1: branch v1, block2, block3(v2)        block1: v4 = add v2, v3
//! block2: v4 = add v2, v3; jump block3(v4)  →          v5 = select v1, v4, v2
//!                                                      jump block3(v5)
//! ```

use super::super::uses::ways;
use super::ends::targets_mut;
use super::is_part;
use hardpath_ir::{Block, Op, Program, Target, Terminator, Value};

/// More operations do not happen for nothing.
const MOST_HOISTED: usize = 6;
/// More are not done before the second of two branches is asked with the first.
const MOST_FOLDED: usize = 2;
/// More values are not chosen.
const MOST_CHOSEN: usize = 4;

/// Gives whether something changed.
pub fn choose(program: &mut Program) -> bool {
    let mut changed = false;
    for block in program.order.clone().into_iter().rev() {
        while step(program, block) || fold_branch(program, block) {
            changed = true;
        }
    }
    changed
}

fn step(program: &mut Program, block: Block) -> bool {
    let Terminator::Branch { cond, yes, no } = program.blocks[block].terminator.clone() else {
        return false;
    };
    if program.width(cond) != 1 {
        return false;
    }
    let ways = ways(program);
    let arm = |side: &Target| {
        (ways[side.block] == 1)
            .then(|| arm(program, side))
            .flatten()
    };
    // Each side as it stands, and through its arm where it has one.
    let sides = |side: &Target| {
        let through = arm(side).map(|end| (end, Some(side.block)));
        [Some((side.clone(), None)), through]
    };
    let (yes_sides, no_sides) = (sides(&yes), sides(&no));
    let fits = |one: &Target, other: &Target| {
        let both = std::iter::zip(&one.args, &other.args);
        one.block == other.block && both.filter(|(a, b)| a != b).count() <= MOST_CHOSEN
    };
    let mut ends = no_sides.iter().flatten().flat_map(|no| {
        let yes = yes_sides.iter().flatten();
        yes.map(move |yes| (yes, no))
    });
    let found = ends.find(|(yes, no)| fits(&yes.0, &no.0));
    let Some(((yes_end, yes_arm), (no_end, no_arm))) = found else {
        return false;
    };
    let (yes_end, no_end) = (yes_end.clone(), no_end.clone());
    let hoisted: Vec<Block> = [*yes_arm, *no_arm].into_iter().flatten().collect();
    // A loop's head is entered by its own ways.
    if program.blocks[yes_end.block].bound.is_some() {
        return false;
    }
    for arm in hoisted {
        let insts = std::mem::take(&mut program.blocks[arm].insts);
        program.blocks[block].insts.extend(insts);
        program.order.retain(|other| *other != arm);
    }
    let args = std::iter::zip(yes_end.args, no_end.args).map(|(a, b)| match a == b {
        true => a,
        false => {
            let width = program.width(a);
            program.append1(block, Op::Select, vec![cond, a, b], width, None)
        }
    });
    let args = args.collect();
    program.blocks[block].terminator = Terminator::Jump(Target {
        block: yes_end.block,
        args,
    });
    true
}

/// Two branches to the same place are one.
///
/// ```text
/// block1: branch v1, block3, block2        block1: v3 = not v1
/// block2: branch v2, block9, block3   →            v4 = and v3, v2
///                                                  branch v4, block9, block3
/// ```
fn fold_branch(program: &mut Program, block: Block) -> bool {
    let Terminator::Branch { cond, yes, no } = program.blocks[block].terminator.clone() else {
        return false;
    };
    for (inner, outer, inner_is) in [(&yes, &no, true), (&no, &yes, false)] {
        let data = &program.blocks[inner.block];
        let Terminator::Branch {
            cond: second,
            yes: second_yes,
            no: second_no,
        } = data.terminator.clone()
        else {
            continue;
        };
        let free = data.params.is_empty() && data.bound.is_none() && inner.block != block;
        let is_cheap = operations(program, inner.block) <= MOST_FOLDED;
        if !free || !is_cheap || ways(program)[inner.block] != 1 || !is_free(program, inner.block) {
            continue;
        }
        let (other, second_is) = match (&second_yes == outer, &second_no == outer) {
            (true, false) => (second_no, false),
            (false, true) => (second_yes, true),
            _ => continue,
        };
        let insts = std::mem::take(&mut program.blocks[inner.block].insts);
        program.blocks[block].insts.extend(insts);
        program.order.retain(|gone| *gone != inner.block);
        let mut bit = |value: Value, is: bool| match is {
            true => value,
            false => program.append1(block, Op::Not, vec![value], 1, None),
        };
        let (first, second) = (bit(cond, inner_is), bit(second, second_is));
        let both = program.append1(block, Op::And, vec![first, second], 1, None);
        program.blocks[block].terminator = Terminator::Branch {
            cond: both,
            yes: other,
            no: outer.clone(),
        };
        return true;
    }
    false
}

/// Operations of a block, but for what is part of others.
fn operations(program: &Program, block: Block) -> usize {
    let insts = program.blocks[block].insts.iter();
    let ops = insts.map(|inst| &program.insts[*inst].op);
    ops.filter(|op| !is_part(op) && **op != Op::Concat).count()
}

/// Nobody sees that its operations happen.
fn is_free(program: &Program, block: Block) -> bool {
    let insts = program.blocks[block].insts.iter();
    let mut ops = insts.map(|inst| &program.insts[*inst].op);
    ops.all(|op| op.is_pure() && !is_slow(op) || matches!(op, Op::PacketLoad | Op::StackLoad))
}

/// Where a block leads that could happen for nothing.
fn arm(program: &Program, side: &Target) -> Option<Target> {
    let data = &program.blocks[side.block];
    let mut terminator = data.terminator.clone();
    let fits = data.params.is_empty()
        && data.bound.is_none()
        && operations(program, side.block) <= MOST_HOISTED
        && is_free(program, side.block)
        && matches!(terminator, Terminator::Jump(_));
    let target = targets_mut(&mut terminator).into_iter().next()?;
    fits.then(|| target.clone())
}

fn is_slow(op: &Op) -> bool {
    matches!(op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem)
}
