//! Moves into the parameters of blocks become steps (out of SSA form).
//!
//! All moves of a branch happen at once. In front of a branch that may not be taken they stand only where nobody sees them on the way
//! on; else on a block of their own between the two.

use super::code::{operand_reg, Code, Label, Op, Reg, Step};
use super::live::{before, live, Live, Set};
use crate::isa::{Action, Field, Operand};
use hardpath_ir::PlaceId;

/// More are not made in front of a branch that may not be taken.
const MOST_AHEAD: usize = 2;

type Move = (Reg, Operand<Reg>);

/// Afterwards no step has moves.
pub fn make_moves(code: &mut Code) {
    let live = live(code);
    for label in code.order.clone() {
        let steps = std::mem::take(&mut code.blocks[label]);
        let behind = needed_behind(&steps, &live);
        let mut made = Vec::new();
        for (mut step, behind) in steps.into_iter().zip(behind) {
            let moves = std::mem::take(&mut step.moves);
            if moves.is_empty() {
                made.push(step);
                continue;
            }
            let origin = step.origin;
            if step.always_leaves() || is_unseen(&step, &moves, &behind) {
                made.extend(one_by_one(code, moves, origin));
            } else {
                let between = between(code, label, &mut step);
                let moved = one_by_one(code, moves, origin);
                code.blocks[between].splice(0..0, moved);
            }
            made.push(step);
        }
        code.blocks[label] = made;
    }
}

/// What is needed behind each step when control stays in the block.
pub(super) fn needed_behind(steps: &[Step], live: &Live) -> Vec<Set> {
    let mut set = Set::default();
    let mut all = Vec::new();
    for step in steps.iter().rev() {
        all.push(set.clone());
        before(step, &mut set, live);
    }
    all.reverse();
    all
}

fn is_unseen(step: &Step, moves: &[Move], behind: &Set) -> bool {
    let reads = step.touched().reads;
    let seen = |reg: &Reg| behind.has(*reg) || reads.contains(reg);
    moves.len() <= MOST_AHEAD && !moves.iter().any(|(to, _)| seen(to))
}

/// A block between a branch of this one and where it goes, which ends with a jump there. The branch's moves are the jump's now.
pub(super) fn between(code: &mut Code, label: Label, step: &mut Step) -> Label {
    let Action::Branch { to, .. } = &mut step.op.action else {
        unreachable!("only branches have moves")
    };
    let between = code.blocks.push(Vec::new());
    let action = Action::Branch {
        when: None,
        to: std::mem::replace(to, between),
    };
    let guard = None;
    let mut jump = Step::new(Op { guard, action }, step.origin);
    jump.moves = std::mem::take(&mut step.moves);
    code.blocks[between].push(jump);
    let here = code.order.iter().position(|other| *other == label);
    let here = here.expect("it is one of them");
    code.order.insert(here + 1, between);
    between
}

/// Moves that happen at once, one after the other: first those to what nobody reads any more, and where they go in a circle by way of
/// a further register.
fn one_by_one(code: &mut Code, mut moves: Vec<Move>, origin: Option<PlaceId>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut step = |to: Reg, a: Operand<Reg>| {
        let action = Action::Move { a, to };
        let guard = None;
        steps.push(Step::new(Op { guard, action }, origin));
    };
    while !moves.is_empty() {
        let is_read = |to: Reg, but: usize| {
            let others = moves.iter().enumerate().filter(|(index, _)| *index != but);
            let mut reads = others.filter_map(|(_, (_, from))| operand_reg(from));
            reads.any(|reg| reg == to)
        };
        let free = (0..moves.len()).find(|&index| !is_read(moves[index].0, index));
        match free {
            Some(index) => {
                let (to, from) = moves.swap_remove(index);
                step(to, from);
            }
            None => {
                let (circle, saved) = (moves[0].0, code.reg());
                step(saved, Operand::Field(Field::whole(circle)));
                for (_, from) in &mut moves {
                    if let Operand::Field(field) = from {
                        if field.reg == circle {
                            field.reg = saved;
                        }
                    }
                }
            }
        }
    }
    steps
}
