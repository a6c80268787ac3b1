//! A short way around which control may go, and which meets it again, becomes operations under a guard.
//!
//! ```text
//! label1: branch label3 if q1             label1: (!q1) store packet[0] 1, t2
//!         branch label2              →            branch label3
//! label2: store packet[0] 1, t2
//!         branch label3
//! ```

use super::code::{Code, Label, Op, Pred, Reg, Step};
use super::effects::{goes, is_silent, takes};
use super::live::{live, Live};
use super::regions::ways;
use super::select::opposite;
use crate::isa::{Action, Guard, Into};
use cranelift_entity::SecondaryMap;

/// More operations do not wait for a guard.
const MOST_GUARDED: usize = 3;
/// More are not done for nothing.
const MOST_DONE: usize = 4;

/// Gives whether something changed. Blocks that nothing leads to any more stay in the order.
pub fn guard_short_ways(code: &mut Code) -> bool {
    let ways = ways(code);
    let live = live(code);
    let mut changed = false;
    for label in code.order.clone() {
        let found = around(code, label).or_else(|| beside(code, label, &ways));
        if let Some(way) = found.filter(|way| ways[way.meeting] == 2) {
            changed |= guard(code, label, way, &live);
        }
    }
    changed
}

/// A block's end of which control leaves out some when it branches.
struct Way {
    /// How many steps of the block stand before the branch.
    branch: usize,
    /// What is done on the short way.
    steps: Vec<Step>,
    /// Where it meets the other one.
    meeting: Label,
    /// The branch leads around the short way.
    is_around: bool,
}

/// The short way stands behind the branch.
fn around(code: &Code, label: Label) -> Option<Way> {
    let (last, steps) = code.blocks[label].split_last()?;
    let meeting = goes(last).filter(|_| last.always_leaves())?;
    let branch = steps.iter().rposition(Step::leaves)?;
    (goes(&steps[branch]) == Some(meeting)).then(|| Way {
        branch,
        steps: steps[branch + 1..].to_vec(),
        meeting,
        is_around: true,
    })
}

/// The branch leads to the short way, which nothing else leads to.
fn beside(code: &Code, label: Label, ways: &SecondaryMap<Label, u32>) -> Option<Way> {
    let [steps @ .., branch, last] = &code.blocks[label][..] else {
        return None;
    };
    let meeting = goes(last).filter(|_| last.always_leaves())?;
    let short = goes(branch).filter(|short| ways[*short] == 1 && *short != label)?;
    let (end, inner) = code.blocks[short].split_last()?;
    let is_short = end.always_leaves() && goes(end) == Some(meeting);
    is_short.then(|| Way {
        branch: steps.len(),
        steps: inner.to_vec(),
        meeting,
        is_around: false,
    })
}

/// Does what a short way does in the block where it begins, when that can be.
fn guard(code: &mut Code, label: Label, way: Way, live: &Live) -> bool {
    let there = &live[way.meeting];
    let needs = |step: &Step| !is_silent(&step.op.action) || there.is_written_by(&step.touched());
    let guarded = way.steps.iter().filter(|step| needs(step)).count();
    let fits = way.steps.iter().all(|step| match needs(step) {
        true => can_wait(step),
        false => step.op.guard.is_none() && !is_slow(step),
    });
    // What only the guarded ones write is nothing that others could read.
    let writes = way.steps.iter().filter(|step| needs(step));
    let mut own = writes.flat_map(|step| step.touched().writes);
    let is_read = |reg: Reg| {
        let mut steps = way.steps.iter();
        steps.any(|step| step.touched().reads.contains(&reg))
    };
    let fits = fits && !own.any(|reg| !there.has(reg) && is_read(reg));
    if !fits || guarded > MOST_GUARDED || way.steps.len() > MOST_DONE {
        return false;
    }
    let mut block = code.blocks[label].clone();
    let jump = block.pop();
    let branch = block[way.branch].clone();
    block.truncate(way.branch);
    let Some(asked) = asked(code, &branch, &mut block) else {
        return false;
    };
    let guard = match way.is_around {
        true => opposite(asked),
        false => asked,
    };
    for mut step in way.steps {
        if needs(&step) {
            step.op.guard = Some(guard);
        }
        block.push(step);
    }
    block.extend(jump);
    code.blocks[label] = block;
    true
}

/// The guard under which a branch is taken; of one that compares, a predicate is made in front of it. `None`: it does both.
fn asked(code: &mut Code, branch: &Step, block: &mut Vec<Step>) -> Option<Guard<Pred>> {
    let Action::Branch { when, .. } = branch.op.action else {
        return None;
    };
    let Some(test) = when else {
        return branch.op.guard;
    };
    if branch.op.guard.is_some() {
        return None;
    }
    let (yes, guard) = (code.pred(), None);
    let action = Action::Compare {
        test,
        into: Into::Set,
        yes,
        no: Pred::ONE,
    };
    block.push(Step::new(Op { guard, action }, branch.origin));
    Some(Guard {
        pred: yes,
        negated: false,
    })
}

/// It can have a guard, and has none.
fn can_wait(step: &Step) -> bool {
    let action = &step.op.action;
    let is_one = matches!(
        action,
        Action::Move { .. }
            | Action::Compute { .. }
            | Action::Insert { .. }
            | Action::Select { .. }
            | Action::Load { .. }
            | Action::MapLoad { .. }
            | Action::Store { .. }
            | Action::MapStore { .. }
            | Action::Atomic { .. }
    );
    is_one && step.op.guard.is_none() && !is_slow(step)
}

fn is_slow(step: &Step) -> bool {
    takes(&step.op.action).slow > 0
}
