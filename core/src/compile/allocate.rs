//! Places for registers and predicates, behind scheduling: the lane of its definition is a register's bank, what is left is its number.
//!
//! Two of one bank have different numbers when one is written while the other is needed. A row reads before it writes, so what a row
//! reads for the last time and what it writes can share a place.

use super::code::{Label, Pred, Reg, Step};
use super::effects::goes;
use super::live::{Live, Set};
use super::schedule::{Banks, Row};
use crate::image::Machine;
use crate::isa;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

/// A block in rows.
pub struct Trace {
    /// The block.
    pub label: Label,
    /// Its rows; control leaves in the last one.
    pub rows: Vec<Row>,
}

/// Where registers and predicates are.
#[derive(Default, Debug)]
pub struct Places {
    /// Of each register.
    pub regs: HashMap<Reg, isa::Reg>,
    /// Of each predicate but the constant one.
    pub preds: HashMap<Pred, isa::Pred>,
}

/// What has no place and must go to memory.
#[derive(Debug)]
pub enum Spill {
    /// A register.
    Reg(Reg),
    /// A predicate.
    Pred(Pred),
}

/// What is written while what is needed.
#[derive(Default)]
struct Conflicts {
    regs: BTreeMap<Reg, HashSet<Reg>>,
    preds: BTreeMap<Pred, HashSet<Pred>>,
    /// In how many rows each register is needed, or predicate.
    rows: HashMap<Reg, u32>,
    pred_rows: HashMap<Pred, u32>,
}

/// Places for all of a program. `keep`: registers that must not be spilled, because they carry what was.
///
/// # Errors
/// There is none for all: what must go, so that there is one for each that stays. With less of it gone the rows may become others, and
/// more of it stay.
pub fn allocate(
    traces: &[Trace],
    banks: &Banks,
    machine: &Machine,
    keep: &HashSet<Reg>,
) -> Result<Places, Vec<Spill>> {
    let live = live(traces);
    let mut conflicts = Conflicts::default();
    for trace in traces {
        conflicts.of(trace, &live, banks);
    }
    let (regs, gone) = number(&conflicts.regs, 0..machine.registers, &conflicts.rows, keep);
    let mut spills: Vec<Spill> = gone.into_iter().map(Spill::Reg).collect();
    // A predicate may carry what was spilled, which is no use to spill again, but then nothing is.
    let (preds, gone) = number(
        &conflicts.preds,
        1..isa::PREDICATES,
        &conflicts.pred_rows,
        &HashSet::new(),
    );
    spills.extend(gone.into_iter().map(Spill::Pred));
    if !spills.is_empty() {
        return Err(spills);
    }
    let place = |(reg, index): (Reg, u8)| {
        (
            reg,
            isa::Reg {
                bank: banks[&reg],
                index,
            },
        )
    };
    Ok(Places {
        regs: regs.into_iter().map(place).collect(),
        preds: preds
            .into_iter()
            .map(|(pred, index)| (pred, isa::Pred(index)))
            .collect(),
    })
}

/// Numbers, two of which are others where they must be `apart`; and what goes because there is none left for all: each time the one that is
/// needed for the most rows.
fn number<T: Copy + Ord + Hash>(
    apart: &BTreeMap<T, HashSet<T>>,
    numbers: Range<u8>,
    rows: &HashMap<T, u32>,
    keep: &HashSet<T>,
) -> (HashMap<T, u8>, Vec<T>) {
    let mut given: HashMap<T, u8> = HashMap::new();
    let mut gone: Vec<T> = Vec::new();
    for (&one, others) in apart {
        while !gone.contains(&one) {
            let taken: HashSet<u8> = others
                .iter()
                .filter_map(|other| given.get(other).copied())
                .collect();
            if let Some(free) = numbers.clone().find(|number| !taken.contains(number)) {
                given.insert(one, free);
                break;
            }
            let all = others.iter().chain([&one]);
            let may_go = all.filter(|one| !keep.contains(one) && !gone.contains(one));
            let longest = may_go.max_by_key(|one| (rows.get(one).copied().unwrap_or(0), **one));
            let goes = *longest.unwrap_or(&one);
            given.remove(&goes);
            gone.push(goes);
        }
    }
    (given, gone)
}

/// What each trace needs from the way that leads there.
fn live(traces: &[Trace]) -> Live {
    let mut live = Live::new();
    let mut changed = true;
    while changed {
        changed = false;
        for trace in traces.iter().rev() {
            let mut set = Set::default();
            for row in trace.rows.iter().rev() {
                walk(row, &mut set, &live, |_, _| {});
            }
            changed |= live[trace.label].join(&set);
        }
    }
    live
}

/// From what is needed behind a row to what is needed in front of it; `written` hears of every operation, with what is needed when it
/// writes.
fn walk(row: &Row, set: &mut Set, live: &Live, mut written: impl FnMut(&Step, &Set)) {
    let steps: Vec<&Step> = row.iter().flatten().collect();
    for step in steps.iter().rev() {
        if step.always_leaves() {
            *set = Set::default();
        }
        if let Some(to) = goes(step) {
            set.join(&live[to]);
        }
        written(step, set);
        let touched = step.touched();
        if step.op.guard.is_none() {
            touched.writes.iter().for_each(|reg| set.remove(*reg));
        }
        for (pred, keeps) in touched.decides {
            if !keeps {
                set.remove_pred(pred);
            }
        }
    }
    for step in steps {
        let touched = step.touched();
        touched.reads.iter().for_each(|reg| set.add(*reg));
        touched.asks.iter().for_each(|pred| set.add_pred(*pred));
    }
}

impl Conflicts {
    fn of(&mut self, trace: &Trace, live: &Live, banks: &Banks) {
        let mut set = Set::default();
        for row in trace.rows.iter().rev() {
            let mut decided: Vec<Pred> = Vec::new();
            walk(row, &mut set, live, |step, needed| {
                let touched = step.touched();
                for reg in touched.writes {
                    self.regs.entry(reg).or_default();
                    for other in needed.regs() {
                        self.apart(reg, other, banks);
                    }
                }
                for (pred, _) in touched.decides {
                    self.preds.entry(pred).or_default();
                    for other in needed.preds().chain(decided.iter().copied()) {
                        self.preds_apart(pred, other);
                    }
                    decided.push(pred);
                }
            });
            set.regs()
                .for_each(|reg| *self.rows.entry(reg).or_default() += 1);
            set.preds()
                .for_each(|pred| *self.pred_rows.entry(pred).or_default() += 1);
        }
    }

    fn apart(&mut self, one: Reg, other: Reg, banks: &Banks) {
        if one != other && banks.get(&one) == banks.get(&other) {
            self.regs.entry(one).or_default().insert(other);
            self.regs.entry(other).or_default().insert(one);
        }
    }

    fn preds_apart(&mut self, one: Pred, other: Pred) {
        if one != other {
            self.preds.entry(one).or_default().insert(other);
            self.preds.entry(other).or_default().insert(one);
        }
    }
}
