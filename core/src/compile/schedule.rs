//! Steps into rows: list scheduling, row by row, the longest chains first.
//!
//! A row's operations take effect in the order of its lanes up to the first branch that is taken, so a branch and what stands behind it
//! share a row when the lanes have their order. Registers of several definitions have one bank, which their definitions' lanes must
//! be.

use super::code::{Pred, Reg, Step, Touched};
use super::effects::{goes, takes, After, Takes};
use super::live::Live;
use super::order::{order, Order};
use super::savings::{Saving, Without};
use super::waiting::Waiting;
use crate::image::Machine;
use std::collections::{HashMap, HashSet};

/// A row before registers have places.
pub type Row = Vec<Option<Step>>;

/// The lane of each register's definitions.
pub type Banks = HashMap<Reg, u8>;

/// More assignments of a row's operations to lanes are not compared.
const MOST_ASSIGNMENTS: usize = 64;

/// Behind the last lane no branch has room, which what is moved into a parameter often stands in front of.
const LAST_LANE: i32 = 64;

/// Two of one bank cannot be written in one row.
const SAME_LANE: i32 = 24;

/// With so many predicates in use, only the next step in the program's order makes another.
const MANY_PREDICATES: usize = 11;

/// Registers of several definitions, each with others.
pub type Params = HashMap<Reg, HashSet<Reg>>;

/// What scheduling knows beside the trace.
pub struct Context<'a> {
    /// For which core.
    pub machine: &'a Machine,
    /// What blocks need.
    pub live: &'a Live,
    /// Of registers that are written at several places: what else of them is written in the same blocks.
    pub params: &'a Params,
    /// The program sends copies of its packets.
    pub sends: bool,
    /// What is left out.
    pub without: Without,
}

/// Rows for a trace, whose last step always leaves. `needed`: what is needed in front of it.
pub fn schedule(
    steps: Vec<Step>,
    context: &Context,
    needed: &super::live::Set,
    banks: &mut Banks,
) -> Vec<Row> {
    let order = order(&steps, context);
    let mut load = vec![0_i32; context.machine.lanes.into()];
    let busy: HashSet<Reg> = needed
        .regs()
        .filter(|reg| banks.contains_key(reg))
        .collect();
    for reg in &busy {
        load[usize::from(banks[reg])] += 1;
    }
    let mut uses: HashMap<Reg, usize> = HashMap::new();
    let mut last: HashMap<Reg, usize> = HashMap::new();
    let mut asks: HashMap<Pred, usize> = HashMap::new();
    let touched: Vec<Touched> = steps.iter().map(Step::touched).collect();
    for (index, (step, touched)) in std::iter::zip(&steps, &touched).enumerate() {
        for reg in &touched.reads {
            *uses.entry(*reg).or_default() += 1;
            last.insert(*reg, index);
        }
        for pred in &touched.asks {
            *asks.entry(*pred).or_default() += 1;
        }
        let there = goes(step).map(|label| &context.live[label]);
        // What is needed elsewhere stays.
        for reg in there.into_iter().flat_map(|there| there.regs()) {
            *uses.entry(reg).or_default() += 1;
            last.insert(reg, index);
        }
        for pred in there.into_iter().flat_map(|there| there.preds()) {
            *asks.entry(pred).or_default() += 1;
        }
    }
    let preds = needed.preds().collect();
    let mut scheduler = Scheduler {
        context,
        order,
        place: vec![None; steps.len()],
        steps,
        touched,
        banks,
        load,
        busy,
        uses,
        last,
        preds,
        asks,
    };
    let assigned = scheduler.run();
    scheduler.rows(&assigned)
}

struct Scheduler<'a> {
    context: &'a Context<'a>,
    steps: Vec<Step>,
    touched: Vec<Touched>,
    order: Order,
    /// The row of each step.
    place: Vec<Option<usize>>,
    banks: &'a mut Banks,
    /// How many registers of each bank are in use.
    load: Vec<i32>,
    /// Those.
    busy: HashSet<Reg>,
    /// How often each is still read, or needed elsewhere.
    uses: HashMap<Reg, usize>,
    /// The last step that does.
    last: HashMap<Reg, usize>,
    /// Predicates in use.
    preds: HashSet<Pred>,
    asks: HashMap<Pred, usize>,
}

impl Scheduler<'_> {
    /// The steps of each row, with their lanes.
    fn run(&mut self) -> Vec<Vec<(usize, u8)>> {
        let by_height = self.context.without.keeps(Saving::Order);
        let mut waiting = Waiting::new(&self.order, by_height);
        let most = match self.context.without.contains(Saving::Packing) {
            true => 1,
            false => usize::from(self.context.machine.lanes),
        };
        let mut rows = Vec::new();
        while waiting.first().is_some() {
            let row = rows.len();
            let mut chosen: Vec<usize> = Vec::new();
            let mut taken = Takes::default();
            while chosen.len() < most {
                let first = waiting.first();
                let next = waiting.free().find(|&index| {
                    (Some(index) == first || self.has_registers(index, &chosen))
                        && self.is_ready(index, row)
                        && self.has_room(&taken, index)
                        && self.has_lane(&chosen, index)
                });
                let Some(index) = next else {
                    break;
                };
                waiting.take(index);
                self.place[index] = Some(row);
                taken = sum(taken, takes(&self.steps[index].op.action));
                chosen.push(index);
            }
            assert!(!chosen.is_empty(), "a row takes at least one step");
            rows.push(self.settle(&chosen));
        }
        rows
    }

    /// A step behind which nothing waits may be in this row.
    fn is_ready(&self, index: usize, row: usize) -> bool {
        self.order.behind[index].iter().all(|(earlier, after)| {
            self.place[*earlier].is_some_and(|place| place < row || *after != After::Row)
        })
    }

    fn has_room(&self, taken: &Takes, index: usize) -> bool {
        let machine = self.context.machine;
        let all = sum(*taken, takes(&self.steps[index].op.action));
        all.loads <= machine.loads
            && all.stores <= machine.stores
            && (all.many == 0 || all.stores == 0)
            && all.maps <= machine.map_operations
            && all.puts <= machine.puts
            && all.products <= machine.products
            && all.inputs <= machine.inputs
            && all.sends <= 1
            // A thread waits for one unit at a time.
            && all.slow <= 1
            && (all.slow == 0 || all.maps == 0)
    }

    /// There are registers and predicates left for what a step makes, so that nothing must be spilled for its sake.
    fn has_registers(&self, index: usize, chosen: &[usize]) -> bool {
        let touched = &self.touched[index];
        let made = |index: &usize| self.touched[*index].decides.len();
        let preds = self.preds.len() + chosen.iter().map(made).sum::<usize>();
        let machine = self.context.machine;
        let all = usize::from(machine.lanes) * usize::from(machine.registers);
        let used = self.busy.len() + chosen.len();
        (touched.decides.is_empty() || preds < MANY_PREDICATES)
            && (touched.writes.is_empty() || used < all - all / 4 || self.ends_one(touched))
    }

    /// A register is needed no more behind a step, which gives back what its result takes.
    fn ends_one(&self, touched: &Touched) -> bool {
        touched.reads.iter().any(|reg| {
            let own = touched.reads.iter().filter(|other| *other == reg).count();
            self.uses[reg] == own
        })
    }

    fn has_lane(&self, chosen: &[usize], index: usize) -> bool {
        let all: Vec<usize> = chosen.iter().copied().chain([index]).collect();
        !self.assignments(&all, 1).is_empty()
    }

    /// The bank that a step's result must have.
    fn fixed(&self, index: usize) -> Option<u8> {
        let writes = &self.touched[index].writes;
        writes.first().and_then(|reg| self.banks.get(reg).copied())
    }

    /// Ways to give lanes to the steps of a row, in their order; not more than `most`.
    fn assignments(&self, all: &[usize], most: usize) -> Vec<Vec<u8>> {
        let before: Vec<Vec<usize>> = all
            .iter()
            .map(|index| {
                let behind = self.order.behind[*index].iter();
                let lanes = behind.filter(|(_, after)| *after == After::Lane);
                let places = lanes.filter_map(|(earlier, _)| all.iter().position(|i| i == earlier));
                places.collect()
            })
            .collect();
        let fixed: Vec<Option<u8>> = all.iter().map(|index| self.fixed(*index)).collect();
        let mut found = Vec::new();
        let mut lanes = vec![None; all.len()];
        let search = Search {
            before,
            fixed,
            lanes: self.context.machine.lanes,
            most,
        };
        search.go(0, 0, &mut lanes, &mut found);
        found
    }

    /// What speaks against a bank for a register.
    fn cost(&self, lane: u8, reg: Reg) -> i32 {
        let used = self.load[usize::from(lane)].pow(2);
        let Some(others) = self.context.params.get(&reg) else {
            return used;
        };
        let is_last = lane + 1 == self.context.machine.lanes;
        let beside = others
            .iter()
            .filter(|other| self.banks.get(other) == Some(&lane));
        used + i32::from(is_last) * LAST_LANE + beside.count() as i32 * SAME_LANE
    }

    /// How many registers of a bank are in use, beyond half of them.
    fn crowd(&self, lane: u8) -> i32 {
        let half = i32::from(self.context.machine.registers) / 2;
        (self.load[usize::from(lane)] - half).max(0)
    }

    /// Gives lanes to the steps of a row: results go to banks that are little used.
    fn settle(&mut self, all: &[usize]) -> Vec<(usize, u8)> {
        let found = self.assignments(all, MOST_ASSIGNMENTS);
        let writes: Vec<Option<Reg>> = all
            .iter()
            .map(|index| self.touched[*index].writes.first().copied())
            .collect();
        // Where a row is full, each bank gets one: the fuller it is, one that is soon done with.
        let long: Vec<i64> = std::iter::zip(all, &writes)
            .map(|(index, reg)| {
                let last = reg.and_then(|reg| self.last.get(&reg));
                last.map_or(0, |last| last.saturating_sub(*index) as i64)
            })
            .collect();
        let cost = |lanes: &Vec<u8>| -> (i32, i64) {
            let both = std::iter::zip(lanes, &writes);
            let cost = both.map(|(lane, reg)| reg.map_or(0, |reg| self.cost(*lane, reg)));
            let both = std::iter::zip(lanes, &long);
            let later = both.map(|(lane, long)| i64::from(self.crowd(*lane)) * long);
            (cost.sum(), later.sum())
        };
        let best = found.into_iter().min_by_key(|lanes| cost(lanes));
        let lanes = best.expect("the row was found to have room");
        for (reg, lane) in std::iter::zip(&writes, &lanes) {
            if let Some(reg) = reg {
                self.banks.insert(*reg, *lane);
                let begins = self.uses.contains_key(reg) && self.busy.insert(*reg);
                self.load[usize::from(*lane)] += i32::from(begins);
            }
        }
        for index in all {
            let touched = &self.touched[*index];
            for (pred, _) in &touched.decides {
                if self.asks.get(pred).is_some_and(|asks| *asks > 0) {
                    self.preds.insert(*pred);
                }
            }
            for pred in &touched.asks {
                let left = self.asks.get_mut(pred).expect("it was counted");
                *left -= 1;
                if *left == 0 {
                    self.preds.remove(pred);
                }
            }
            for reg in &touched.reads {
                let left = self.uses.get_mut(reg).expect("it was counted");
                *left -= 1;
                if *left == 0 && self.busy.remove(reg) {
                    self.load[usize::from(self.banks[reg])] -= 1;
                }
            }
        }
        std::iter::zip(all.iter().copied(), lanes).collect()
    }

    fn rows(self, assigned: &[Vec<(usize, u8)>]) -> Vec<Row> {
        let lanes = usize::from(self.context.machine.lanes);
        let mut steps: Vec<Option<Step>> = self.steps.into_iter().map(Some).collect();
        let rows = assigned.iter().map(|placed| {
            let mut row = vec![None; lanes];
            for (index, lane) in placed {
                row[usize::from(*lane)] = steps[*index].take();
            }
            row
        });
        rows.collect()
    }
}

/// A search for lanes.
struct Search {
    /// Of each operation: those of the row that stand in lanes before it.
    before: Vec<Vec<usize>>,
    fixed: Vec<Option<u8>>,
    lanes: u8,
    most: usize,
}

impl Search {
    /// Fills lanes from the first on: each with an operation whose predecessors have one, or with none.
    fn go(&self, lane: u8, done: usize, lanes: &mut Vec<Option<u8>>, found: &mut Vec<Vec<u8>>) {
        if done == lanes.len() {
            found.push(lanes.iter().map(|lane| lane.unwrap_or(0)).collect());
            return;
        }
        let left = usize::from(self.lanes - lane);
        if left < lanes.len() - done {
            return;
        }
        for index in 0..lanes.len() {
            let fits = lanes[index].is_none()
                && self.fixed[index].is_none_or(|fixed| fixed == lane)
                && self.before[index]
                    .iter()
                    .all(|other| lanes[*other].is_some());
            if fits {
                lanes[index] = Some(lane);
                self.go(lane + 1, done + 1, lanes, found);
                lanes[index] = None;
                if found.len() >= self.most {
                    return;
                }
            }
        }
        if left > lanes.len() - done {
            self.go(lane + 1, done, lanes, found);
        }
    }
}

fn sum(one: Takes, other: Takes) -> Takes {
    Takes {
        loads: one.loads + other.loads,
        stores: one.stores + other.stores,
        maps: one.maps + other.maps,
        puts: one.puts + other.puts,
        products: one.products + other.products,
        inputs: one.inputs + other.inputs,
        slow: one.slow + other.slow,
        many: one.many + other.many,
        sends: one.sends + other.sends,
    }
}
