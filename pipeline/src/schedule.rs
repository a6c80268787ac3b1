//! Scheduling: every operation gets a stage; within a stage operations are chained until the clock is used up.
//!
//! Everything is placed as soon as its arguments are there. Maps put further conditions on the stages of their
//! accesses (a memory's word comes a fixed number of stages after its index; a fused write must happen in the stage
//! in which the word arrives; a window has one entrance and one commit). These conditions only ever push an access
//! later, so the schedule is found by repetition: place everything, find the conditions that do not hold, move the
//! accesses that they concern, and start again until all hold.
//!
//! Then the entrances of the hazard windows are moved as late as the commits allow: a window's length is what one
//! flow pays.

use crate::delay::{self, budget, levels};
use crate::plan::{Access, Class};
use crate::refuse::refusal;
use cranelift_entity::SecondaryMap;
use hardpath_blocks::array::Array;
use hardpath_blocks::hash::Hash;
use hardpath_ir::{Diagnostic, Inst, MapId, Op, Program, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// When a value is there: in this stage, after so many levels of logic behind the stage's registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    pub stage: u32,
    pub levels: f64,
}

/// The stages of one access. All numbers count from the first stage, 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessStages {
    /// Hash maps: the stage in which key and rows stand in registers (the hash is computed in the stage before).
    pub table: u32,
    /// Hash maps: the commit stage of the keys.
    pub table_commit: u32,
    /// The address stage of the values.
    pub address: u32,
    /// The stage in which a value is written.
    pub commit: u32,
}

/// A schedule.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub times: SecondaryMap<Value, Time>,
    /// The stage of each effect (of pure operations: that of their result).
    pub stage_of: HashMap<Inst, u32>,
    /// For each access of the plan.
    pub accesses: Vec<AccessStages>,
    /// The stage at whose end the result of a packet is complete.
    pub emit: u32,
    /// Number of stages, those of late commits included.
    pub stages: u32,
}

impl Schedule {
    /// The stages with a hazard window's entrance in front of them, with the accesses that wait there.
    pub fn gates(&self, plan: &[Access]) -> Vec<(u32, Vec<usize>)> {
        let mut gates: Vec<(u32, Vec<usize>)> = Vec::new();
        for (index, access) in plan.iter().enumerate() {
            if let Some(stage) = self.entrance(access, index) {
                match gates.iter_mut().find(|(other, _)| *other == stage) {
                    Some((_, all)) => all.push(index),
                    None => gates.push((stage, vec![index])),
                }
            }
        }
        gates.sort();
        gates
    }

    fn entrance(&self, access: &Access, index: usize) -> Option<u32> {
        entrance(access, &self.accesses[index])
    }

    /// Clocks between a window's entrance and its commit.
    pub fn window(&self, access: &Access, index: usize) -> u32 {
        match self.entrance(access, index) {
            Some(entrance) => {
                let stages = &self.accesses[index];
                // A value that no packet reads may be written later than its key.
                let unread = access.is_structural() && access.loads.is_empty();
                let commit = if unread {
                    stages.table_commit
                } else {
                    stages.commit
                };
                commit - entrance
            }
            None => 0,
        }
    }
}

fn entrance(access: &Access, stages: &AccessStages) -> Option<u32> {
    match access.class {
        Class::Interlock { .. } if stages.table > 0 => Some(stages.table),
        Class::Interlock { .. } => Some(stages.address),
        _ => None,
    }
}

/// The earliest stages that the conditions found so far leave to an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    table: u32,
    address: u32,
    commit: u32,
}

/// Schedules a program with its plan.
///
/// # Errors
/// An operation that does not fit a clock; windows that would have to be merged.
pub fn schedule(
    program: &Program,
    plan: &[Access],
    clock_mhz: f64,
) -> Result<Schedule, Vec<Diagnostic>> {
    let scheduler = Scheduler::new(program, plan, clock_mhz);
    scheduler.check_operations()?;
    let mut bounds = vec![Bounds::default(); plan.len()];
    let mut best = scheduler.settle(&mut bounds).map_err(|error| vec![error])?;
    for (index, access) in plan.iter().enumerate() {
        if !matches!(access.class, Class::Interlock { .. }) {
            continue;
        }
        loop {
            let mut later = bounds.clone();
            if best.accesses[index].table > 0 {
                later[index].table = best.accesses[index].table + 1;
            } else {
                later[index].address = best.accesses[index].address + 1;
            }
            let Ok(next) = scheduler.settle(&mut later) else {
                break;
            };
            let commits = |schedule: &Schedule| -> Vec<u32> {
                schedule
                    .accesses
                    .iter()
                    .map(|stages| stages.commit)
                    .collect()
            };
            if commits(&next) != commits(&best) || next.emit != best.emit {
                break;
            }
            best = next;
            bounds = later;
        }
    }
    Ok(best)
}

struct Scheduler<'a> {
    program: &'a Program,
    plan: &'a [Access],
    budget: f64,
    clock_mhz: f64,
    /// The access that an instruction belongs to.
    access_of: HashMap<Inst, usize>,
    /// For each access: the instructions that depend on what it reads.
    depends: Vec<HashSet<Inst>>,
}

impl<'a> Scheduler<'a> {
    fn new(program: &'a Program, plan: &'a [Access], clock_mhz: f64) -> Scheduler<'a> {
        let mut access_of = HashMap::new();
        for (index, access) in plan.iter().enumerate() {
            for inst in access.insts() {
                access_of.insert(inst, index);
            }
        }
        let depends = plan
            .iter()
            .map(|access| dependants(program, access))
            .collect();
        Scheduler {
            program,
            plan,
            budget: budget(clock_mhz),
            clock_mhz,
            access_of,
            depends,
        }
    }

    /// Refuses operations that do not fit a clock at all.
    fn check_operations(&self) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for inst in &self.program.blocks[self.program.region()].insts {
            let data = &self.program.insts[*inst];
            if !data.op.is_pure() || data.results.is_empty() {
                continue;
            }
            let width = self.program.width(data.results[0]);
            let cost = levels(self.program, &data.op, &data.args, width);
            if cost > self.budget {
                let best = 1000.0 / (cost * delay::LEVEL_NS + delay::OVERHEAD_NS);
                errors.push(refusal(
                    self.program,
                    *inst,
                    "clock-too-fast",
                    format!(
                        "operation {:?} on {width} bits takes {cost:.1} levels of logic; a clock of {} MHz has {:.1}",
                        data.op, self.clock_mhz, self.budget
                    ),
                    &format!("ask for a clock of at most {:.0} MHz (--clock)", best.floor()),
                ));
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Repeats until every condition holds.
    fn settle(&self, bounds: &mut [Bounds]) -> Result<Schedule, Diagnostic> {
        // Each round moves some access by at least one stage; a program of n operations needs at most n stages.
        let rounds = 64 + 4 * self.program.blocks[self.program.region()].insts.len();
        for _ in 0..rounds {
            let before = bounds.to_vec();
            let schedule = self.place(bounds);
            self.separate(&schedule, bounds);
            if bounds == before.as_slice() {
                return Ok(schedule);
            }
        }
        let stuck = self
            .plan
            .iter()
            .find(|access| matches!(access.class, Class::Interlock { .. }))
            .unwrap_or(&self.plan[0]);
        let inst = stuck.insts().next();
        let message = format!(
            "map {} is written after, and read before, another map that is written too: \
             their hazard windows would have to become one",
            self.program.maps[stuck.map].name
        );
        let help = "keep what belongs together in one map";
        Err(match inst {
            Some(inst) => refusal(self.program, inst, "merged-windows", message, help),
            None => Diagnostic::refused("merged-windows", message).help(help),
        })
    }

    /// One round: everything as early as the bounds allow; raises bounds that an access itself breaks.
    fn place(&self, bounds: &mut [Bounds]) -> Schedule {
        let program = self.program;
        let mut times: SecondaryMap<Value, Time> = SecondaryMap::new();
        let mut stage_of = HashMap::new();
        let mut accesses = vec![AccessStages::default(); self.plan.len()];
        for (index, access) in self.plan.iter().enumerate() {
            accesses[index] = self.first_stages(access, &bounds[index]);
        }
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            let ready = |value: Value, cost: f64| self.after(times[value], cost);
            let stage = match self.access_of.get(inst) {
                Some(index) => {
                    let (index, access) = (*index, &self.plan[*index]);
                    let stages = &mut accesses[index];
                    let bound = &mut bounds[index];
                    match data.op {
                        Op::MapLookup(map) if program.maps[map].kind.is_hash() => {
                            self.enter_table(access, stages, bound, &ready);
                            for result in &data.results {
                                times[*result] = at(stages.table + 2);
                            }
                            stages.table
                        }
                        Op::MapLookup(map) => {
                            let clocks = Array::read_clocks(program.maps[map].max_entries);
                            let index_time = ready(data.args[0], read_cost(program, map));
                            raise(&mut bound.address, index_time.stage);
                            *stages = self.first_stages(access, bound);
                            for result in &data.results {
                                times[*result] = at(stages.address + clocks);
                            }
                            stages.address
                        }
                        Op::MapLoad(map) => {
                            if stages.table > 0 {
                                raise(&mut bound.address, stages.table + 2);
                            } else if access.lookup.is_none() {
                                let gated = matches!(access.class, Class::Interlock { .. });
                                let cost = read_cost(program, map);
                                let index_time =
                                    ready(data.args[0], if gated { 0.0 } else { cost });
                                let stage = index_time.stage + u32::from(gated);
                                raise(&mut bound.address, stage);
                            }
                            *stages = self.first_stages(access, bound);
                            times[data.results[0]] = at(stages.address + self.read_clocks(map));
                            stages.address
                        }
                        Op::MapStore(map) => {
                            // An array's entry may be written without being read.
                            let gated = matches!(access.class, Class::Interlock { .. });
                            if access.lookup.is_none() && !gated {
                                let index_time = ready(data.args[0], read_cost(program, map));
                                raise(&mut bound.address, index_time.stage);
                                *stages = self.first_stages(access, bound);
                            }
                            let last = [Some(data.args[2]), data.guard]
                                .into_iter()
                                .flatten()
                                .map(|value| ready(value, delay::map::WRITE_BACK).stage)
                                .max()
                                .unwrap_or(0);
                            self.commit(access, stages, bound, last)
                        }
                        Op::MapUpdate(_) | Op::MapDelete(_) => {
                            self.enter_table(access, stages, bound, &ready);
                            // The value of an update is only needed when it is written; the rest before.
                            let flags = data.args.get(2).into_iter();
                            let last = flags
                                .chain(data.guard.iter())
                                .map(|value| ready(*value, delay::map::HASH_COMMIT).stage)
                                .max()
                                .unwrap_or(0);
                            let value = match data.op {
                                Op::MapUpdate(_) => {
                                    ready(data.args[1], delay::map::WRITE_BACK).stage
                                }
                                _ => 0,
                            };
                            let fused = matches!(access.class, Class::Fused { .. });
                            match (value.checked_sub(stages.commit), fused) {
                                (Some(late), true) => bound.address = stages.address + late,
                                (Some(_), false) => raise(&mut bound.commit, value),
                                (None, _) => {}
                            }
                            match (last.checked_sub(stages.table_commit), fused) {
                                (Some(late), true) => bound.table = stages.table + late,
                                (Some(_), false) => raise(&mut bound.commit, last),
                                (None, _) => {}
                            }
                            *stages = self.first_stages(access, bound);
                            let stage = stages.table_commit.max(value);
                            times[data.results[0]] = at(stage + 1);
                            stage
                        }
                        _ => unreachable!("whole words leave no other access"),
                    }
                }
                None => {
                    let cost = match data.results.first() {
                        Some(result) if data.op.is_pure() => {
                            levels(program, &data.op, &data.args, program.width(*result))
                        }
                        _ => 0.0,
                    };
                    let start = latest(data.args.iter().map(|arg| times[*arg]));
                    let end = self.after(start, cost);
                    for result in &data.results {
                        times[*result] = end;
                    }
                    end.stage
                }
            };
            stage_of.insert(*inst, stage);
        }
        let region = &program.blocks[program.region()];
        let mut emit = 0;
        let ends = region.terminator.uses();
        let stores = region.insts.iter().map(|inst| &program.insts[*inst]);
        let written = stores
            .filter(|data| data.op == Op::PacketStore)
            .flat_map(|data| data.args[1..].iter().copied().chain(data.guard));
        for value in ends.into_iter().chain(written) {
            emit = emit.max(self.after(times[value], 0.6).stage);
        }
        // A packet that has left gives its credit back: it must not wait at an entrance any more.
        for (access, stages) in self.plan.iter().zip(&accesses) {
            emit = emit.max(entrance(access, stages).unwrap_or(0));
        }
        for inst in &region.insts {
            if program.insts[*inst].op == Op::PacketStore {
                stage_of.insert(*inst, emit);
            }
        }
        let last = accesses
            .iter()
            .map(|stages| stages.commit.max(stages.table_commit))
            .max()
            .unwrap_or(0);
        let computed = emit.max(last);
        Schedule {
            times,
            stage_of,
            accesses,
            emit,
            stages: computed + 1,
        }
    }

    /// When a value that is there at `time` has passed so many more levels.
    fn after(&self, time: Time, cost: f64) -> Time {
        if cost > 0.0 && time.levels + cost > self.budget {
            Time {
                stage: time.stage + 1,
                levels: cost,
            }
        } else {
            Time {
                stage: time.stage,
                levels: time.levels + cost,
            }
        }
    }

    fn read_clocks(&self, map: MapId) -> u32 {
        Array::read_clocks(value_entries(self.program, map))
    }

    /// The stages of an access that follow from its bounds.
    fn first_stages(&self, access: &Access, bounds: &Bounds) -> AccessStages {
        let hash = access.is_hash(self.program);
        let table = if hash { bounds.table.max(1) } else { 0 };
        let address = if hash {
            bounds.address.max(table + 2)
        } else {
            bounds.address
        };
        let clocks = self.read_clocks(access.map);
        let fixed = matches!(access.class, Class::ReadOnly | Class::Fused { .. });
        let commit = if fixed {
            address + clocks
        } else {
            bounds.commit.max(address + clocks)
        };
        let table_commit = match (hash, access.is_structural()) {
            (true, true) if fixed => table + 2,
            (true, true) if access.loads.is_empty() => bounds.commit.max(table + 2),
            (true, true) => commit,
            (true, false) => table + 2,
            _ => 0,
        };
        AccessStages {
            table,
            table_commit,
            address,
            commit,
        }
    }

    /// The key of a hash map and the condition for needing it go into the stage before the table.
    fn enter_table(
        &self,
        access: &Access,
        stages: &mut AccessStages,
        bound: &mut Bounds,
        ready: &dyn Fn(Value, f64) -> Time,
    ) {
        let map = &self.program.maps[access.map];
        let key = access.key(self.program).expect("a hash access has a key");
        let hashed = ready(key, delay::map::hash(map.key_bytes * 8));
        raise(&mut bound.table, hashed.stage + 1);
        if matches!(access.class, Class::Interlock { .. }) {
            if let Some(guard) = access
                .lookup
                .and_then(|inst| self.program.insts[inst].guard)
            {
                raise(&mut bound.table, ready(guard, 0.0).stage + 1);
            }
        }
        *stages = self.first_stages(access, bound);
    }

    /// Moves an access so that it can commit what is there in stage `last`.
    fn commit(
        &self,
        access: &Access,
        stages: &mut AccessStages,
        bound: &mut Bounds,
        last: u32,
    ) -> u32 {
        if last > stages.commit {
            match access.class {
                Class::Interlock { .. } => raise(&mut bound.commit, last),
                _ => bound.address = stages.address + (last - stages.commit),
            }
            *stages = self.first_stages(access, bound);
        }
        stages.commit
    }

    /// Keeps windows and memories apart from the entrances of other windows: inside a window nothing waits, and a
    /// memory's own registers cannot wait.
    fn separate(&self, schedule: &Schedule, bounds: &mut [Bounds]) {
        let spans = |index: usize| -> Vec<(u32, u32)> {
            let (access, stages) = (&self.plan[index], &schedule.accesses[index]);
            if let Some(start) = entrance(access, stages) {
                return vec![(start, stages.commit.max(stages.table_commit))];
            }
            let mut spans = vec![(stages.address, stages.commit)];
            if stages.table > 0 {
                spans.push((stages.table, stages.table_commit));
            }
            spans
        };
        for (gated, access) in self.plan.iter().enumerate() {
            let Some(gate) = entrance(access, &schedule.accesses[gated]) else {
                continue;
            };
            for other in 0..self.plan.len() {
                if other == gated {
                    continue;
                }
                for (start, end) in spans(other) {
                    if !(start < gate && gate <= end) {
                        continue;
                    }
                    // The other one starts before this entrance and ends behind it: start it at this entrance, or,
                    // when this key needs what the other one reads, move this entrance behind its end.
                    let key = access.key(self.program);
                    let needs = key.is_some_and(|key| self.needs(key, other))
                        || access.insts().any(|inst| {
                            matches!(self.program.insts[inst].op, Op::MapLookup(_))
                                && self.program.insts[inst]
                                    .guard
                                    .is_some_and(|g| self.needs(g, other))
                        });
                    let table = |stages: &AccessStages| stages.table > 0;
                    if needs {
                        let bound = &mut bounds[gated];
                        if table(&schedule.accesses[gated]) {
                            raise(&mut bound.table, end + 1);
                        } else {
                            raise(&mut bound.address, end + 1);
                        }
                    } else if table(&schedule.accesses[other])
                        && start == schedule.accesses[other].table
                    {
                        raise(&mut bounds[other].table, gate);
                    } else {
                        raise(&mut bounds[other].address, gate);
                    }
                }
            }
        }
    }

    fn needs(&self, value: Value, access: usize) -> bool {
        matches!(self.program.values[value].def, ValueDef::Result(inst, _) if self.depends[access].contains(&inst))
    }
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

/// Entries of the memory that holds a map's values.
pub fn value_entries(program: &Program, map: MapId) -> u32 {
    let decl = &program.maps[map];
    match decl.kind {
        kind if kind.is_hash() => Hash::entries(decl.max_entries),
        _ => decl.max_entries,
    }
}

fn read_cost(program: &Program, map: MapId) -> f64 {
    if Array::in_lut_ram(value_entries(program, map)) {
        delay::map::LUT_RAM_READ
    } else {
        delay::map::BLOCK_ADDRESS
    }
}

/// The instructions that use, directly or not, what an access gives.
fn dependants(program: &Program, access: &Access) -> HashSet<Inst> {
    let mut all: HashSet<Inst> = access
        .insts()
        .filter(|inst| !program.insts[*inst].results.is_empty())
        .collect();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        let uses = data.args.iter().chain(data.guard.iter());
        let found = uses.into_iter().any(|value| {
            matches!(program.values[*value].def, ValueDef::Result(def, _) if all.contains(&def))
        });
        if found {
            all.insert(*inst);
        }
    }
    all
}
