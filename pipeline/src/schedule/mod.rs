//! Scheduling: every operation gets a stage; within a stage operations are chained until the clock is used up.
//!
//! Everything is placed as soon as its arguments are there. Maps put further conditions on the stages of their
//! accesses (a memory's word comes a fixed number of stages after its index; a fused write must happen in the stage
//! in which the word arrives; a window has one entrance and one commit). These conditions only ever push an access
//! later, so the schedule is found by repetition: place everything, find the conditions that do not hold, move the
//! accesses that they concern, and start again until all hold.
//!
//! Then the entrances of the hazard windows are moved as late as the commits allow: a window's length is what one
//! flow pays. When all is settled, operations that somebody needs later move there ([`later`]), and the stages share what
//! there is to do as evenly as costs nothing ([`even`]).

mod access;
mod apart;
mod cost;
mod disorder;
mod even;
mod later;

pub use cost::{is_chain, Costs};
pub use even::settled;

use crate::clock::Misfit;
use crate::delay::Timing;
use crate::plan::{Access, Class, Gate};
use crate::recurrence;
use crate::savings::{Saving, Without};
use crate::sizes::slots;
use cranelift_entity::SecondaryMap;
use hardpath_blocks::array::Array;
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::hash::Hash;
use hardpath_blocks::lpm::Lpm;
use hardpath_ir::{Inst, Op, Program, Value, ValueDef};
use hardpath_state::ternary_of;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// When a value is there: in this stage, after so many levels of logic behind the stage's registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// From 0.
    pub stage: u32,
    /// 0: it stands in these registers.
    pub levels: f64,
}

/// Levels from a result to the registers of the exit.
const INTO_RESULT: f64 = 0.6;

/// The stages of one port of an access. All numbers count from the first stage, 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStages {
    /// Maps with keys: the stage in which key and rows stand in registers (the hash is computed in the stage before);
    /// the answer comes [`answer_clocks`] later.
    pub table: u32,
    /// The address stage of the values.
    pub address: u32,
}

/// The stages of one access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessStages {
    /// In the order of [`Access::ports`].
    pub ports: Vec<PortStages>,
    /// Maps with keys: the commit stage of the keys; ports commit so many clocks later as their slot says.
    pub table_commit: u32,
    /// The stage in which a value is written.
    pub commit: u32,
}

impl AccessStages {
    /// The stage of the last commit.
    pub fn last(&self, access: &Access) -> u32 {
        self.commit.max(self.table_commit) + access.slots() - 1
    }

    /// The first stage of the memories.
    pub fn first(&self, access: &Access, program: &Program) -> u32 {
        let starts = self
            .ports
            .iter()
            .map(|port| match access.has_keys(program) {
                true => port.table,
                false => port.address,
            });
        starts.min().unwrap_or(0)
    }
}

/// A schedule.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// What it was made for.
    pub timing: Timing,
    /// For each result of the program's region.
    pub times: SecondaryMap<Value, Time>,
    /// The stage of each effect (of pure operations: that of their result).
    pub stage_of: HashMap<Inst, u32>,
    /// For each access of the plan.
    pub accesses: Vec<AccessStages>,
    /// For each access of the plan: the stage in front of which packets wait.
    pub entrances: Vec<Option<u32>>,
    /// The stage at whose end the result of a packet is complete.
    pub emit: u32,
    /// Number of stages, those of late commits included.
    pub stages: u32,
    /// Levels of logic in the deepest stage.
    pub levels: f64,
    /// What operations cost.
    pub costs: Costs,
}

impl Schedule {
    /// The stages with a hazard window's entrance in front of them, with the accesses that wait there.
    pub fn gates(&self, plan: &[Access]) -> Vec<(u32, Vec<usize>)> {
        let mut gates: Vec<(u32, Vec<usize>)> = Vec::new();
        for index in 0..plan.len() {
            if let Some(stage) = self.entrances[index] {
                match gates.iter_mut().find(|(other, _)| *other == stage) {
                    Some((_, all)) => all.push(index),
                    None => gates.push((stage, vec![index])),
                }
            }
        }
        gates.sort();
        gates
    }

    /// What a packet costs the one behind it, in clocks, when that one must see what it writes. An interlock keeps them
    /// so far apart; a replay starts the second one again.
    pub fn window(&self, program: &Program, access: &Access, index: usize) -> u32 {
        let stages = &self.accesses[index];
        let first = &stages.ports[0];
        let word = first.address + read_clocks(program, access);
        let values = stages.commit.saturating_sub(word);
        let keys = stages
            .table_commit
            .saturating_sub(first.table + answer_clocks(program, access));
        match access.gate() {
            None => 0,
            Some(Gate::Values) => values.max(1),
            // A value that no packet reads may be written later than its key.
            Some(Gate::Keys) if access.loads().next().is_none() => keys.max(1),
            Some(Gate::Keys) => keys.max(values).max(1),
            Some(Gate::Replay) => {
                let entrance = self.entrances[index].unwrap_or(0);
                stages.commit - entrance
            }
        }
    }

    /// Levels of logic in front of the words that are stored, over all of them, in the clock of the commit.
    pub fn before_stores(&self, program: &Program, plan: &[Access]) -> f64 {
        let mut sum = 0.0;
        for (access, stages) in plan.iter().zip(&self.accesses) {
            for port in &access.ports {
                let word = port.store.map(|store| program.insts[store].args[2]);
                let time = word.map(|word| self.times[word]);
                let now = time.filter(|time| time.stage == stages.commit + port.slot);
                sum += now.map_or(0.0, |time| time.levels);
            }
        }
        sum
    }

    /// The stages of the window that is replayed: its entrance and its commit.
    pub fn replayed(&self, plan: &[Access]) -> Option<(u32, u32)> {
        let index = plan
            .iter()
            .position(|access| access.gate() == Some(Gate::Replay))?;
        Some((self.entrances[index]?, self.accesses[index].commit))
    }
}

/// Where packets wait for each access.
fn entrances(program: &Program, plan: &[Access], accesses: &[AccessStages]) -> Vec<Option<u32>> {
    let replay = plan
        .iter()
        .zip(accesses)
        .filter(|(access, _)| access.gate() == Some(Gate::Replay))
        .map(|(access, stages)| stages.first(access, program))
        .min();
    plan.iter()
        .zip(accesses)
        .map(|(access, stages)| match access.gate()? {
            Gate::Keys => Some(stages.ports[0].table),
            Gate::Values => Some(stages.ports[0].address),
            Gate::Replay => replay,
        })
        .collect()
}

/// Clocks from the address stage of an access's values to the word.
pub fn read_clocks(program: &Program, access: &Access) -> u32 {
    if access.has_values_beside(program) {
        return 0;
    }
    let entries = slots(&program.maps[access.map]);
    Array::read_clocks(entries, access.registers_values)
}

/// The earliest stages that the conditions found so far leave to an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bounds {
    ports: Vec<PortStages>,
    commit: u32,
}

impl Bounds {
    fn raise_tables(&mut self, to: u32) {
        self.ports
            .iter_mut()
            .for_each(|port| raise(&mut port.table, to));
    }

    fn raise_addresses(&mut self, to: u32) {
        self.ports
            .iter_mut()
            .for_each(|port| raise(&mut port.address, to));
    }

    /// Starts all of an access no earlier than at a stage.
    fn raise_first(&mut self, hash: bool, to: u32) {
        match hash {
            true => self.raise_tables(to),
            false => self.raise_addresses(to),
        }
    }
}

/// Schedules a program with its plan. Windows that would have to overlap become one that is replayed: the plan changes.
/// All that must happen within one clock fits it ([`crate::clock::check`]). `how`: without what, and whether carry chains that nobody
/// waits for get more time than they need ([`Costs::calm`]).
///
/// # Errors
/// Windows that cannot be brought into an order, at this clock or at all.
pub fn schedule(
    program: &Program,
    plan: &mut [Access],
    timing: Timing,
    how: (&Without, bool),
) -> Result<Schedule, Misfit> {
    const MERGED: &str = "its window overlaps that of another map on which it depends";
    let mut waits = None;
    for merge in [None, Some(false), Some(true)] {
        if let Some(all) = merge {
            for access in plan.iter_mut() {
                // The host changes such a table outside of any window.
                let matched = program.maps[access.map].is_matched();
                if access.gate().is_some() || all && access.is_written() && !matched {
                    access.replay(MERGED);
                }
            }
        }
        let scheduler = Scheduler::new(program, plan, timing, how);
        if let Some(schedule) = scheduler.best() {
            return Ok(schedule);
        }
        // What waits for a commit of its own window does so in every larger window, too.
        waits = waits.or_else(|| disorder::needs_commit(program, plan));
        if waits.is_some() {
            break;
        }
    }
    Err(disorder::misfit(program, plan, waits))
}

struct Scheduler<'a> {
    program: &'a Program,
    plan: &'a [Access],
    timing: Timing,
    budget: f64,
    /// The access and port that an instruction belongs to.
    access_of: HashMap<Inst, (usize, usize)>,
    /// For each access: the instructions that depend on what it reads.
    depends: Vec<HashSet<Inst>>,
    /// The instructions that may share a stage with others. `None`: all.
    chained: Option<HashSet<Inst>>,
    costs: Costs,
    /// Levels of the deepest stage of the present round.
    deepest: Cell<f64>,
}

impl<'a> Scheduler<'a> {
    fn new(
        program: &'a Program,
        plan: &'a [Access],
        timing: Timing,
        (without, is_calm): (&Without, bool),
    ) -> Scheduler<'a> {
        let mut access_of = HashMap::new();
        for (index, access) in plan.iter().enumerate() {
            for (number, port) in access.ports.iter().enumerate() {
                for inst in port.insts() {
                    access_of.insert(inst, (index, number));
                }
            }
        }
        let asks = plan
            .iter()
            .filter(|access| access.gate() == Some(Gate::Keys));
        let asked = asks
            .flat_map(|access| access.ports.iter().filter_map(|port| port.lookup))
            .collect();
        let depends: Vec<HashSet<Inst>> = plan
            .iter()
            .map(|access| dependants(program, access, &asked))
            .collect();
        let chained = match without.contains(&Saving::Chaining) {
            true => Some(between(program, plan, &depends, is_fused)),
            false => None,
        };
        Scheduler {
            program,
            plan,
            timing,
            budget: timing.budget(),
            access_of,
            costs: Costs::new(program, plan, timing, (&depends, is_calm)),
            depends,
            chained,
            deepest: Cell::new(0.0),
        }
    }

    /// The schedule with the latest entrances that the commits allow. `None`: there is none.
    fn best(&self) -> Option<Schedule> {
        let mut bounds: Vec<Bounds> = self
            .plan
            .iter()
            .map(|access| Bounds {
                ports: vec![PortStages::default(); access.ports.len()],
                commit: 0,
            })
            .collect();
        let mut best = self.settle(&mut bounds)?;
        for (index, access) in self.plan.iter().enumerate() {
            let Some(gate) = access.gate() else {
                continue;
            };
            let by_table =
                gate == Gate::Keys || gate == Gate::Replay && access.has_keys(self.program);
            for port in 0..access.ports.len() {
                loop {
                    let mut later = bounds.clone();
                    let (now, bound) = (
                        &best.accesses[index].ports[port],
                        &mut later[index].ports[port],
                    );
                    match by_table {
                        true => bound.table = now.table + 1,
                        false => bound.address = now.address + 1,
                    }
                    let Some(next) = self.settle(&mut later) else {
                        break;
                    };
                    let ends = |schedule: &Schedule| -> Vec<(u32, u32)> {
                        let ends = schedule.accesses.iter();
                        ends.map(|stages| (stages.commit, stages.table_commit))
                            .collect()
                    };
                    if ends(&next) != ends(&best) || next.emit != best.emit {
                        break;
                    }
                    best = next;
                    bounds = later;
                }
            }
        }
        Some(best)
    }

    /// Repeats until every condition holds.
    fn settle(&self, bounds: &mut [Bounds]) -> Option<Schedule> {
        // Each round moves some access by at least one stage; a program of n operations needs at most n stages.
        let rounds = 64
            + 4 * self.program.blocks[self.program.region()]
                .insts
                .len()
                .min(500);
        for _ in 0..rounds {
            let before = bounds.to_vec();
            let schedule = self.place(bounds);
            self.separate(&schedule, bounds);
            if bounds == before.as_slice() {
                return Some(schedule);
            }
        }
        None
    }

    /// One round: everything as early as the bounds allow; raises bounds that an access itself breaks.
    fn place(&self, bounds: &mut [Bounds]) -> Schedule {
        let program = self.program;
        self.deepest.set(0.0);
        let mut times: SecondaryMap<Value, Time> = SecondaryMap::new();
        let mut stage_of = HashMap::new();
        let mut accesses: Vec<AccessStages> = (0..self.plan.len())
            .map(|index| self.first_stages(index, bounds))
            .collect();
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            let stage = match self.access_of.get(inst) {
                Some((index, port)) => {
                    self.place_access(*inst, *index, *port, bounds, &mut accesses, &mut times)
                }
                None => {
                    let cost = match data.op.is_pure() {
                        true => self.costs.of(program, *inst),
                        false => 0.0,
                    };
                    let mut start = latest(data.args.iter().map(|arg| times[*arg]));
                    let alone = self.chained.as_ref().is_some_and(|all| !all.contains(inst));
                    if alone && cost > 0.0 && start.levels > 0.0 {
                        start = at(start.stage + 1);
                    }
                    let end = self.after(start, cost);
                    for result in &data.results {
                        times[*result] = end;
                    }
                    end.stage
                }
            };
            stage_of.insert(*inst, stage);
        }
        self.commit_together(&mut accesses, bounds);
        let region = &program.blocks[program.region()];
        let mut emit = 0;
        for value in leaving(program) {
            emit = emit.max(self.after(times[value], INTO_RESULT).stage);
        }
        // A packet that has left gives its credit back: it must not wait at an entrance any more, nor be run again.
        let entrances = entrances(program, self.plan, &accesses);
        emit = emit.max(entrances.iter().flatten().copied().max().unwrap_or(0));
        for (access, stages) in self.plan.iter().zip(&accesses) {
            if access.gate() == Some(Gate::Replay) {
                emit = emit.max(stages.commit);
            }
        }
        for inst in &region.insts {
            if program.insts[*inst].op == Op::PacketStore {
                stage_of.insert(*inst, emit);
            }
        }
        let last = self.plan.iter().zip(&accesses);
        let last = last
            .map(|(access, stages)| stages.last(access))
            .max()
            .unwrap_or(0);
        Schedule {
            timing: self.timing,
            times,
            stage_of,
            accesses,
            entrances,
            emit,
            stages: emit.max(last) + 1,
            levels: self.deepest.get(),
            costs: self.costs.clone(),
        }
    }

    /// When a value that is there at `time` has passed so many more levels.
    fn after(&self, time: Time, cost: f64) -> Time {
        let late = cost > 0.0 && time.levels + cost > self.budget;
        let end = match late {
            true => Time {
                stage: time.stage + 1,
                levels: cost,
            },
            false => Time {
                stage: time.stage,
                levels: time.levels + cost,
            },
        };
        self.deepest.set(self.deepest.get().max(end.levels));
        end
    }
}

/// What leaves with the packet, and what decides on it.
fn leaving(program: &Program) -> Vec<Value> {
    let region = &program.blocks[program.region()];
    let stores = region.insts.iter().map(|inst| &program.insts[*inst]);
    let written = stores
        .filter(|data| data.op == Op::PacketStore)
        .flat_map(|data| data.args[1..].iter().copied().chain(data.guard));
    region
        .terminator
        .uses()
        .into_iter()
        .chain(written)
        .collect()
}

fn at(stage: u32) -> Time {
    Time { stage, levels: 0.0 }
}

fn raise(bound: &mut u32, to: u32) {
    *bound = (*bound).max(to);
}

fn latest(times: impl Iterator<Item = Time>) -> Time {
    times.fold(Time::default(), |a, b| match a.stage.cmp(&b.stage) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => Time {
            stage: a.stage,
            levels: a.levels.max(b.levels),
        },
    })
}

/// Clocks from the stage in which a key stands in a register to the one in which the table's answer does.
pub fn answer_clocks(program: &Program, access: &Access) -> u32 {
    let decl = &program.maps[access.map];
    match access.search {
        _ if decl.is_ternary() => ternary_of(decl, access.registers_keys).clocks(),
        Some(search) => Lpm::clocks(
            decl.key_bytes,
            decl.max_entries,
            access.registers_keys,
            search,
        ),
        None if access.has_values_beside(program) => Cuckoo::answer_clocks(access.registers_keys),
        None => Hash::answer_clocks(access.registers_keys),
    }
}

/// The instructions that use, directly or not, what an access gives. `asked`: the lookups whose guards are asked at an
/// entrance.
fn dependants(program: &Program, access: &Access, asked: &HashSet<Inst>) -> HashSet<Inst> {
    let mut all: HashSet<Inst> = access
        .insts()
        .filter(|inst| !program.insts[*inst].results.is_empty())
        .collect();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        let guard = data.guard.filter(|_| asked.contains(inst));
        let found = recurrence::needs(data).chain(guard).any(|value| {
            matches!(program.values[value].def, ValueDef::Result(def, _) if all.contains(&def))
        });
        if found {
            all.insert(*inst);
        }
    }
    all
}

/// The instructions between what a map's memory gives and what is written there, for some accesses.
fn between(
    program: &Program,
    plan: &[Access],
    depends: &[HashSet<Inst>],
    which: impl Fn(&Access) -> bool,
) -> HashSet<Inst> {
    let mut all = HashSet::new();
    for (access, depends) in plan.iter().zip(depends) {
        if !which(access) {
            continue;
        }
        let mut todo: Vec<Inst> = access.insts().collect();
        while let Some(inst) = todo.pop() {
            for value in recurrence::needs(&program.insts[inst]) {
                if let ValueDef::Result(def, _) = program.values[value].def {
                    if depends.contains(&def) && all.insert(def) {
                        todo.push(def);
                    }
                }
            }
        }
    }
    all
}

/// Both happen in one clock.
fn is_fused(access: &Access) -> bool {
    let is_fused = |class: &Class| matches!(class, Class::Fused { .. });
    is_fused(&access.keys) || is_fused(&access.values)
}
