//! Blocks into traces: long pieces of code that are entered at their beginning only, and left at many places.

use super::code::{Code, Label, Op, Pred, Reg, Step};
use super::effects::{goes, is_silent};
use super::guards;
use super::live::{before, live, Set};
use super::savings::{Saving, Without};
use crate::isa::{Action, Guard, Test};
use cranelift_entity::SecondaryMap;

/// A loop is longer than what stands behind it.
const ROUNDS: usize = 1 << 16;

/// Makes blocks as long as they can be, and takes out what nobody needs.
pub fn form(code: &mut Code, without: Without) {
    sweep(code);
    if without.keeps(Saving::Exits) {
        exits(code);
    }
    if without.keeps(Saving::Traces) {
        turn(code);
        join(code);
        while without.keeps(Saving::Choices) && guards::guard_short_ways(code) {
            sweep(code);
            join(code);
        }
    }
    sweep(code);
}

/// Takes out what stands behind the end of a block, blocks that nothing leads to, and operations whose results nobody reads.
fn sweep(code: &mut Code) {
    for &label in &code.order {
        let steps = &mut code.blocks[label];
        let last = steps.iter().position(Step::always_leaves);
        steps.truncate(last.map_or(steps.len(), |last| last + 1));
    }
    let mut reached: SecondaryMap<Label, bool> = SecondaryMap::new();
    let mut open = vec![code.order[0]];
    while let Some(label) = open.pop() {
        if !std::mem::replace(&mut reached[label], true) {
            open.extend(code.blocks[label].iter().filter_map(goes));
        }
    }
    code.order.retain(|label| reached[*label]);
    loop {
        let live = live(code);
        let mut changed = false;
        for &label in &code.order {
            let mut set = Set::default();
            let mut kept = Vec::new();
            for step in code.blocks[label].iter().rev() {
                let touched = step.touched();
                let computes = !touched.writes.is_empty() || !touched.decides.is_empty();
                if computes && !set.is_written_by(&touched) && is_silent(&step.op.action) {
                    changed = true;
                    continue;
                }
                before(step, &mut set, &live);
                kept.push(step.clone());
            }
            kept.reverse();
            code.blocks[label] = kept;
        }
        if !changed {
            break;
        }
    }
}

/// A branch to nothing but an exit is that exit.
fn exits(code: &mut Code) {
    for label in code.order.clone() {
        for place in 0..code.blocks[label].len() {
            let step = &code.blocks[label][place];
            let (Action::Branch { when, to }, guard) = (step.op.action, step.op.guard) else {
                continue;
            };
            let exit = match &code.blocks[to][..] {
                [exit] if exit.always_leaves() && goes(exit).is_none() => exit.op.action,
                _ => continue,
            };
            if let Some(action) = under(exit, when) {
                code.blocks[label][place].op = Op { guard, action };
            }
        }
    }
    sweep(code);
}

/// Where a block ends with a branch and a jump, the way that goes on longer is the jump: it can become part of the block.
pub fn turn(code: &mut Code) {
    let ways = ways(code);
    let length = lengths(code);
    for label in code.order.clone() {
        let steps = &code.blocks[label];
        let [.., branch, last] = &steps[..] else {
            continue;
        };
        let Action::Branch { when, to } = branch.op.action else {
            continue;
        };
        let conditional = when.is_some() != branch.op.guard.is_some();
        let there = goes(last).map(|other| (ways[other] == 1, length[other]));
        let here = (ways[to] == 1, length[to]);
        if !conditional || !last.always_leaves() || there.is_some_and(|there| there >= here) {
            continue;
        }
        let (guard, when) = opposite(branch.op.guard, when);
        let Some(action) = under(last.op.action, when) else {
            continue;
        };
        let leaving = Step {
            op: Op { guard, action },
            ..last.clone()
        };
        let on = Step {
            op: Op {
                guard: None,
                action: Action::Branch { when: None, to },
            },
            ..branch.clone()
        };
        let end = steps.len() - 2;
        code.blocks[label].truncate(end);
        code.blocks[label].extend([leaving, on]);
    }
}

fn opposite(guard: Option<Guard<Pred>>, when: Option<Test<Reg>>) -> Conditions {
    let guard = guard.map(|guard| Guard {
        negated: !guard.negated,
        ..guard
    });
    let when = when.map(|test| Test {
        condition: test.condition.inverse(),
        ..test
    });
    (guard, when)
}

/// A guard and a test, of which a branch that is not always taken has one.
type Conditions = (Option<Guard<Pred>>, Option<Test<Reg>>);

/// A jump or an exit under a test; `None`: it has no room for one.
fn under(
    action: Action<Reg, Pred, Label>,
    when: Option<Test<Reg>>,
) -> Option<Action<Reg, Pred, Label>> {
    match action {
        Action::Branch { to, .. } => Some(Action::Branch { when, to }),
        // An exit asks or has an index.
        Action::Exit { index: Some(_), .. } if when.is_some() => None,
        Action::Exit { index, ending, .. } => Some(Action::Exit {
            when,
            index,
            ending,
        }),
        _ => None,
    }
}

/// How many branches lead to each block.
pub fn ways(code: &Code) -> SecondaryMap<Label, u32> {
    let mut ways: SecondaryMap<Label, u32> = SecondaryMap::new();
    for &label in &code.order {
        for to in code.blocks[label].iter().filter_map(goes) {
            ways[to] += 1;
        }
    }
    ways
}

/// How many steps there are at most from each block on; what goes round goes on long.
fn lengths(code: &Code) -> SecondaryMap<Label, usize> {
    let mut length: SecondaryMap<Label, usize> = SecondaryMap::new();
    let mut is_done: SecondaryMap<Label, bool> = SecondaryMap::new();
    for &label in code.order.iter().rev() {
        let steps = &code.blocks[label];
        let behind = steps.iter().filter_map(goes).map(|to| match is_done[to] {
            true => length[to],
            false => ROUNDS,
        });
        length[label] = steps.len() + behind.max().unwrap_or(0);
        is_done[label] = true;
    }
    length
}

/// Puts a block behind the only one that leads there, in place of the jump.
fn join(code: &mut Code) {
    let ways = ways(code);
    let mut gone: SecondaryMap<Label, bool> = SecondaryMap::new();
    for label in code.order.clone() {
        if gone[label] {
            continue;
        }
        while let Some(last) = code.blocks[label].last() {
            let Some(to) = goes(last).filter(|_| last.always_leaves()) else {
                break;
            };
            if ways[to] != 1 || to == label || to == code.order[0] {
                break;
            }
            code.blocks[label].pop();
            let steps = std::mem::take(&mut code.blocks[to]);
            code.blocks[label].extend(steps);
            gone[to] = true;
        }
    }
    code.order.retain(|label| !gone[*label]);
}
