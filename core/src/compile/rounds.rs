//! Software pipelining: what a round of a loop begins with happens at the end of the round before, beside what is done there.
//!
//! ```text
//!         branch label1                           t1 = load packet[t0] 1
//! label1: t1 = load packet[t0] 1                  branch label1
//!         store stack[0] 1, t1            label1: store stack[0] 1, t1
//!         branch label1              →            t1 = load packet[t0] 1
//!                                                 branch label1
//! ```
//!
//! What happens at the beginning of a round happens on every way into it, once, and with the same operands: so it can stand in front of
//! the jumps there ([`Place::Ends`]). Where control goes on to them by several ways it can stand in front of these, when nothing behind
//! changes what it reads or needs what it overwrites ([`Place::Fork`]). What is the same in all rounds is not done again. How much of a
//! round moves is tried out.

use super::allocate::allocate;
use super::coalesce::make_in_place;
use super::code::{Code, Label, Pred, Reg, Step};
use super::effects::{goes, is_silent, takes, Effects};
use super::forward::take_written;
use super::live::{live, written_again, Live, Set};
use super::moves::between;
use super::savings::Without;
use super::schedule_all;
use crate::image::Machine;
use std::collections::{HashMap, HashSet};

/// Longer programs stay as they are.
const MOST_STEPS: usize = 4096;
/// Chains of more operations are not moved.
const MOST_LEVELS: usize = 12;
/// A row of a loop counts as so many elsewhere.
const ROUNDS: usize = 8;
/// A program does not grow by more rows for one loop.
const MOST_GROWTH: usize = 8;

/// Moves what makes loops shorter.
pub fn overlap(code: &mut Code, machine: &Machine, without: Without) {
    let steps: usize = code
        .order
        .iter()
        .map(|label| code.blocks[*label].len())
        .sum();
    if steps > MOST_STEPS {
        return;
    }
    for head in code.order.clone() {
        let Some(inner) = innermost(code, head) else {
            continue;
        };
        let Some(now) = cost(code, &inner.blocks, machine, without) else {
            return;
        };
        let first = first(code, head);
        let mut best = (now.whole, None);
        for place in [Place::Ends, Place::Fork] {
            for levels in 1..=MOST_LEVELS {
                // There is no more that could move.
                if !first.iter().any(|(_, level)| level + 1 == levels) {
                    break;
                }
                let chosen = first.iter().filter(|(_, level)| *level < levels);
                let chosen = chosen.map(|(index, _)| *index).collect();
                let Some((trial, blocks)) = moved(code, &inner, chosen, place) else {
                    break;
                };
                let grows = |cost: &Cost| cost.rows > now.rows + MOST_GROWTH;
                match cost(&trial, &blocks, machine, without) {
                    Some(cost) if cost.whole < best.0 && !grows(&cost) => {
                        best = (cost.whole, Some(trial));
                    }
                    _ => {}
                }
            }
        }
        if let Some(better) = best.1 {
            *code = better;
        }
    }
}

struct Cost {
    rows: usize,
    whole: usize,
}

/// Rows, of which those of some blocks count more. `None`: there are not enough registers.
fn cost(code: &Code, blocks: &HashSet<Label>, machine: &Machine, without: Without) -> Option<Cost> {
    let (traces, banks) = schedule_all(code, machine, without);
    allocate(&traces, &banks, machine, &HashSet::new()).ok()?;
    let rows = traces.iter().map(|trace| trace.rows.len()).sum();
    let inside = traces.iter().filter(|trace| blocks.contains(&trace.label));
    let inside: usize = inside.map(|trace| trace.rows.len()).sum();
    let whole = rows + (ROUNDS - 1) * inside;
    Some(Cost { rows, whole })
}

/// A loop that has no other one inside and no entrance but its head.
struct Inner {
    head: Label,
    blocks: HashSet<Label>,
}

impl Inner {
    /// Control may go from a step to another block of the loop, or to its head again.
    fn keeps(&self, step: &Step) -> bool {
        goes(step).is_some_and(|to| self.blocks.contains(&to))
    }
}

/// The loop of a head.
fn innermost(code: &Code, head: Label) -> Option<Inner> {
    if head == code.order[0] {
        return None;
    }
    let ways = |label: Label| code.blocks[label].iter().filter_map(goes);
    let mut from: HashMap<Label, Vec<Label>> = HashMap::new();
    for &label in &code.order {
        for to in ways(label) {
            from.entry(to).or_default().push(label);
        }
    }
    let reach = |next: &dyn Fn(Label) -> Vec<Label>| {
        let mut reached: HashSet<Label> = HashSet::new();
        let mut open = next(head);
        while let Some(label) = open.pop() {
            if reached.insert(label) && label != head {
                open.extend(next(label));
            }
        }
        reached
    };
    let behind = reach(&|label| ways(label).collect());
    let before = reach(&|label| from.get(&label).cloned().unwrap_or_default());
    let blocks: HashSet<Label> = behind.intersection(&before).copied().collect();
    if !blocks.contains(&head) {
        return None;
    }
    let others = || blocks.iter().copied().filter(|label| *label != head);
    let has_entrance = others().any(|label| from[&label].iter().any(|from| !blocks.contains(from)));
    // Blocks that lead to nothing but the head and blocks like them.
    let mut done: HashSet<Label> = HashSet::from([head]);
    loop {
        let more: Vec<Label> = others()
            .filter(|label| !done.contains(label))
            .filter(|label| ways(*label).all(|to| done.contains(&to) || !blocks.contains(&to)))
            .collect();
        if more.is_empty() {
            break;
        }
        done.extend(more);
    }
    (done.len() == blocks.len() && !has_entrance).then_some(Inner { head, blocks })
}

/// Where that happens which belongs to the next round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// In front of each jump to the next round.
    Ends,
    /// In the loop's first block, in front of the first branch that stays in the loop.
    Fork,
}

/// A program whose loop does the chosen steps of its next round, and the loop's blocks. `None`: none of them can move there.
fn moved(
    code: &Code,
    inner: &Inner,
    mut chosen: Vec<usize>,
    place: Place,
) -> Option<(Code, HashSet<Label>)> {
    let head = inner.head;
    let same = same(code, inner, &chosen);
    let fork = fork(code, inner);
    if place == Place::Fork {
        chosen = movable(code, inner, fork?, &chosen, &same);
    }
    if chosen.is_empty() {
        return None;
    }
    let steps = &code.blocks[head];
    let again = chosen.iter().filter(|index| !same.contains(index));
    let again: Vec<Step> = again.map(|index| steps[*index].clone()).collect();
    let once: Vec<Step> = chosen.iter().map(|index| steps[*index].clone()).collect();
    let mut made = code.clone();
    let mut rest: Vec<Step> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if place == Place::Fork && Some(index) == fork {
            rest.extend(again.iter().cloned());
        }
        if !chosen.contains(&index) {
            rest.push(step.clone());
        }
    }
    made.blocks[head] = rest;
    let mut blocks = inner.blocks.clone();
    for &label in &code.order {
        let stays = inner.blocks.contains(&label);
        match (stays, place) {
            (true, Place::Fork) => {}
            (true, Place::Ends) => in_front(&mut made, label, head, &again, Some(&mut blocks)),
            (false, _) => in_front(&mut made, label, head, &once, None),
        }
    }
    let mut takes = false;
    for &label in &blocks {
        takes |= take_written(&mut made, label);
    }
    if takes {
        make_in_place(&mut made);
    }
    Some((made, blocks))
}

/// Puts steps in front of all branches of a block that lead to a loop's head.
fn in_front(
    code: &mut Code,
    label: Label,
    head: Label,
    all: &[Step],
    mut blocks: Option<&mut HashSet<Label>>,
) {
    let mut index = 0;
    while index < code.blocks[label].len() {
        let step = &code.blocks[label][index];
        if goes(step) != Some(head) {
            index += 1;
            continue;
        }
        if step.always_leaves() {
            code.blocks[label].splice(index..index, all.iter().cloned());
            return;
        }
        let mut step = step.clone();
        let way = between(code, label, &mut step);
        code.blocks[label][index] = step;
        code.blocks[way].splice(0..0, all.iter().cloned());
        if let Some(blocks) = blocks.as_deref_mut() {
            blocks.insert(way);
        }
        index += 1;
    }
}

/// Steps that can stand at the beginning of a block, and how many others of them each stands behind.
fn first(code: &Code, head: Label) -> Vec<(usize, usize)> {
    let live = live(code);
    let again = written_again(code);
    let mut versions: HashMap<Reg, u32> = HashMap::new();
    let mut stays = Set::default();
    let mut staying: Vec<Effects> = Vec::new();
    let mut levels: HashMap<Reg, usize> = HashMap::new();
    let mut pred_levels: HashMap<Pred, usize> = HashMap::new();
    let mut found = Vec::new();
    for (index, step) in code.blocks[head].iter().enumerate() {
        let touched = step.touched();
        let effects = Effects::of(step, |reg| versions.get(&reg).copied().unwrap_or(0));
        for reg in &touched.writes {
            *versions.entry(*reg).or_default() += 1;
        }
        let moves = is_free(step)
            && !again.is_written_by(&touched)
            && !live[head].is_written_by(&touched)
            && !stays.is_read_by(&touched)
            && staying.iter().all(|other| other.orders(&effects).is_none());
        if !moves {
            stays.add_written(&touched);
            staying.push(effects);
            continue;
        }
        let by_regs = touched.reads.iter().filter_map(|reg| levels.get(reg));
        let by_preds = touched.asks.iter().filter_map(|pred| pred_levels.get(pred));
        let level = by_regs.chain(by_preds).map(|level| level + 1).max();
        let level = level.unwrap_or(0);
        levels.extend(touched.writes.iter().map(|reg| (*reg, level)));
        pred_levels.extend(touched.decides.iter().map(|(pred, _)| (*pred, level)));
        found.push((index, level));
    }
    found
}

/// Nobody but those who read its result see that it happens, or when.
fn is_free(step: &Step) -> bool {
    let action = &step.op.action;
    step.op.guard.is_none() && is_silent(action) && takes(action).slow == 0
}

/// What is the same in all rounds, of the chosen steps of a loop's head.
fn same(code: &Code, inner: &Inner, chosen: &[usize]) -> HashSet<usize> {
    let mut same: HashSet<usize> = HashSet::new();
    for &index in chosen {
        let mut changed = Set::default();
        let mut effects = Vec::new();
        for &label in &inner.blocks {
            for (place, step) in code.blocks[label].iter().enumerate() {
                if label != inner.head || !same.contains(&place) {
                    changed.add_written(&step.touched());
                    effects.push(Effects::of(step, |_| 0));
                }
            }
        }
        let step = &code.blocks[inner.head][index];
        let own = Effects::of(step, |_| 1);
        let is_changed = changed.is_read_by(&step.touched())
            || effects.iter().any(|other| other.orders(&own).is_some());
        if !is_changed {
            same.insert(index);
        }
    }
    same
}

/// The first branch of a loop's head that stays in the loop, when its last step is not that.
fn fork(code: &Code, inner: &Inner) -> Option<usize> {
    let steps = &code.blocks[inner.head];
    let fork = steps.iter().position(|step| inner.keeps(step))?;
    (fork + 1 < steps.len()).then_some(fork)
}

/// Of the chosen steps those that can happen in front of the fork.
fn movable(
    code: &Code,
    inner: &Inner,
    fork: usize,
    chosen: &[usize],
    same: &HashSet<usize>,
) -> Vec<usize> {
    let live: Live = live(code);
    let steps = &code.blocks[inner.head];
    // Behind the last branch that stays in the loop stands only what happens when control leaves it.
    let last = steps.iter().rposition(|step| inner.keeps(step));
    let last = last.unwrap_or(fork);
    let out: Vec<&Step> = steps[last + 1..].iter().collect();
    let mut behind: Vec<&Step> = steps[fork..=last].iter().collect();
    let others = inner.blocks.iter().filter(|label| **label != inner.head);
    behind.extend(others.flat_map(|label| &code.blocks[*label]));
    let leaving = behind.iter().chain(&out).filter_map(|step| goes(step));
    let outside: Vec<Label> = leaving.filter(|to| !inner.blocks.contains(to)).collect();
    let mut chosen: Vec<usize> = chosen
        .iter()
        .copied()
        .filter(|index| *index < fork)
        .collect();
    loop {
        let fits = |index: &usize| {
            if same.contains(index) {
                return true;
            }
            let step = &steps[*index];
            let touched = step.touched();
            let effects = Effects::of(step, |_| 1);
            // What reads what stays stays, too.
            let mut stays = Set::default();
            let before = (0..*index).filter(|before| !chosen.contains(before));
            before.for_each(|before| stays.add_written(&steps[before].touched()));
            let is_needed = outside
                .iter()
                .any(|label| live[*label].is_written_by(&touched));
            let meets = behind.iter().any(|other| {
                let mut written = Set::default();
                written.add_written(&other.touched());
                written.is_read_by(&touched) || Effects::of(other, |_| 0).orders(&effects).is_some()
            });
            let mut own = Set::default();
            own.add_written(&touched);
            let mut later = behind.iter().chain(&out);
            let is_read = later.any(|other| own.is_read_by(&other.touched()));
            !is_needed && !meets && !is_read && !stays.is_read_by(&touched)
        };
        let kept: Vec<usize> = chosen.iter().copied().filter(fits).collect();
        if kept == chosen {
            return chosen;
        }
        chosen = kept;
    }
}
