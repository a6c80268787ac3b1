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

/// What must not be spilled: it carries what was.
#[derive(Default, Debug)]
pub struct Keep {
    /// Registers.
    pub regs: HashSet<Reg>,
    /// Predicates.
    pub preds: HashSet<Pred>,
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

/// Places for all of a program. `keep`: what must not be spilled.
///
/// # Errors
/// There is none for all: what must go, so that there is one for each that stays. It goes at once, because the rows are made anew then.
pub fn allocate(
    traces: &[Trace],
    banks: &Banks,
    machine: &Machine,
    keep: &Keep,
) -> Result<Places, Vec<Spill>> {
    let live = live(traces);
    let mut conflicts = Conflicts::default();
    for trace in traces {
        conflicts.of(trace, &live, banks);
    }
    let mut places = Places::default();
    let mut spills: Vec<Spill> = Vec::new();
    let mut gone: HashSet<Reg> = HashSet::new();
    for &reg in conflicts.regs.keys() {
        while !gone.contains(&reg) {
            if let Some(index) = conflicts.free(reg, &places, machine) {
                let bank = banks[&reg];
                places.regs.insert(reg, isa::Reg { bank, index });
                break;
            }
            let goes = conflicts.longest(reg, &keep.regs, &gone);
            places.regs.remove(&goes);
            gone.insert(goes);
            spills.push(Spill::Reg(goes));
        }
    }
    let mut gone: HashSet<Pred> = HashSet::new();
    for &pred in conflicts.preds.keys() {
        while !gone.contains(&pred) {
            if let Some(place) = conflicts.free_pred(pred, &places) {
                places.preds.insert(pred, place);
                break;
            }
            let goes = conflicts.longest_pred(pred, &gone);
            places.preds.remove(&goes);
            gone.insert(goes);
            spills.push(Spill::Pred(goes));
        }
    }
    match spills.is_empty() {
        true => Ok(places),
        false => Err(spills),
    }
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

    /// A number that nothing of the register's bank has that it must not share one with.
    fn free(&self, reg: Reg, places: &Places, machine: &Machine) -> Option<u8> {
        let others = self.regs[&reg].iter();
        let taken: HashSet<u8> = others
            .filter_map(|other| places.regs.get(other))
            .map(|place| place.index)
            .collect();
        (0..machine.registers).find(|index| !taken.contains(index))
    }

    fn free_pred(&self, pred: Pred, places: &Places) -> Option<isa::Pred> {
        let others = self.preds[&pred].iter();
        let taken: HashSet<u8> = others
            .filter_map(|other| places.preds.get(other))
            .map(|place| place.0)
            .collect();
        let free = (1..isa::PREDICATES).find(|index| !taken.contains(index));
        free.map(isa::Pred)
    }

    /// Of a register and those that it cannot share a place with: the one that is needed for the most rows, and stays until now.
    fn longest(&self, reg: Reg, keep: &HashSet<Reg>, gone: &HashSet<Reg>) -> Reg {
        let all = self.regs[&reg].iter().chain([&reg]);
        let free = all.filter(|reg| !keep.contains(reg) && !gone.contains(reg));
        let rows = |reg: &&Reg| self.rows.get(reg).copied().unwrap_or(0);
        *free.max_by_key(|reg| (rows(reg), **reg)).unwrap_or(&reg)
    }

    /// The same of a predicate. It may carry what was spilled, which is no use, but then nothing is.
    fn longest_pred(&self, pred: Pred, gone: &HashSet<Pred>) -> Pred {
        let all = self.preds[&pred].iter().chain([&pred]);
        let free = all.filter(|pred| !gone.contains(pred));
        let rows = |pred: &&Pred| self.pred_rows.get(pred).copied().unwrap_or(0);
        *free
            .max_by_key(|pred| (rows(pred), **pred))
            .unwrap_or(&pred)
    }
}
