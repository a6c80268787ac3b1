//! Operations move towards their users, where fewer bits wait for them there.
//!
//! The scheduler places everything as early as it can be. What is needed late would then wait in registers from stage to
//! stage, and share the clock of operations that somebody is in a hurry for:
//!
//! ```text
//! before: stage 3  d = a - b; s = d + 1        d and s, of 32 bits each, wait until stage 6 uses both
//! after:  stage 3  d = a - b                   d waits
//!         stage 6  s = d + 1
//! ```
//!
//! The accesses of maps, the entrances and the number of stages stay where they are. From the last operation to the first, each
//! takes the stage with the fewest bits in registers, and of those the one in which its way becomes least deep. A carry chain
//! goes where the clock becomes short only for more than a few bits: what stands before and behind it is mapped apart.

use super::{latest, read_clocks, Schedule, Time};
use crate::delay::{is_wiring, Timing};
use crate::plan::{Access, Gate};
use crate::ports::Port;
use crate::segments::{Base, BaseId, Segment, Segments};
use cranelift_entity::SecondaryMap;
use hardpath_ir::{Inst, Op, Program, Value};
use std::collections::HashMap;

/// Beyond this share of a clock a level in front of a carry chain, or behind it, is worth [`LEVEL_BITS`].
const CALM: f64 = 2.0 / 3.0;

/// So many bits in a register are paid for a level less where it matters.
pub const LEVEL_BITS: f64 = 48.0;

/// Moves the operations of a schedule. The bits that wait in registers then, over all stages.
pub fn move_later(program: &Program, plan: &[Access], schedule: &mut Schedule) -> u32 {
    let mut later = Later::new(program, plan, schedule);
    later.ask_for_maps();
    later.ask_for_exit();
    let fixed = later.asked.clone();
    let stages = later.choose();
    let waiting = later.all_waiting(&stages);
    let levels = apply(program, schedule, &stages);
    let limit = schedule.levels;
    let of_fixed = fixed.iter().map(|(value, until)| {
        let time = schedule.times[*value];
        let behind = limit - until.levels;
        match time.stage == until.stage {
            true => time.levels + behind,
            false => behind,
        }
    });
    let deepest = of_fixed.fold(levels, f64::max);
    debug_assert!(deepest <= limit + 1e-6, "{deepest} levels in {limit}");
    schedule.levels = deepest.min(limit);
    waiting
}

struct Later<'a> {
    program: &'a Program,
    plan: &'a [Access],
    schedule: &'a Schedule,
    timing: Timing,
    /// No stage becomes deeper.
    limit: f64,
    /// With the uses that are known for good: those of maps and exit, and of operations that have their stage.
    segments: Segments,
    /// With the uses of all operations where they stood.
    before: Segments,
    base_of: HashMap<Value, BaseId>,
    /// When a value must be there; `None`: nobody has asked yet.
    until: SecondaryMap<Value, Option<Time>>,
    /// What maps and exit ask for.
    asked: Vec<(Value, Time)>,
}

impl<'a> Later<'a> {
    fn new(program: &'a Program, plan: &'a [Access], schedule: &'a Schedule) -> Later<'a> {
        let (segments, base_of) = Segments::of_results(program, |_, inst, number| {
            let result = program.insts[inst].results[number];
            let stage = schedule.times[result].stage;
            (result.to_string(), program.width(result), stage)
        });
        let mut later = Later {
            program,
            plan,
            schedule,
            timing: schedule.timing,
            limit: schedule.levels,
            before: segments.clone(),
            segments,
            base_of,
            until: SecondaryMap::new(),
            asked: Vec::new(),
        };
        for inst in later.operations() {
            let stage = schedule.stage_of[&inst];
            for arg in &program.insts[inst].args {
                later.before.demand(*arg, stage);
            }
        }
        later
    }

    /// What has a stage of its own choice, in order.
    fn operations(&self) -> impl DoubleEndedIterator<Item = Inst> + 'a {
        let program = self.program;
        let insts = program.blocks[program.region()].insts.iter().copied();
        insts.filter(|inst| {
            let op = &program.insts[*inst].op;
            op.is_pure() && !is_wiring(op)
        })
    }

    /// A value must be there in a stage, with so many levels to go.
    fn ask(&mut self, value: Value, stage: u32, behind: f64) {
        // What comes in is there at once.
        let levels = (self.limit - behind).max(0.0);
        self.asked.push((value, Time { stage, levels }));
        self.need(value, Time { stage, levels });
        self.segments.demand(value, stage);
    }

    /// A value stays where it is, and is used in a stage.
    fn keep(&mut self, value: Value, stage: u32) {
        let now = self.schedule.times[value];
        self.need(value, now);
        self.segments.demand(value, stage.max(now.stage));
    }

    fn need(&mut self, value: Value, time: Time) {
        let earlier = match self.until[value] {
            Some(other) if is_before(other, time) => other,
            _ => time,
        };
        self.until[value] = Some(earlier);
    }

    fn ask_for_maps(&mut self) {
        let (program, plan) = (self.program, self.plan);
        for (number, access) in plan.iter().enumerate() {
            for (place, port) in access.ports.iter().enumerate() {
                self.ask_for_key(number, place, port);
                self.ask_for_writes(number, port);
                let stages = &self.schedule.accesses[number];
                let commit = stages.commit.max(stages.table_commit);
                // Whether these are known inside a window decides what happens there.
                let lookup = port.lookup.and_then(|inst| program.insts[inst].guard);
                for value in port.needs.into_iter().chain(lookup) {
                    let entrance = self.schedule.entrances[number].unwrap_or(0);
                    self.keep(value, entrance.max(commit.saturating_sub(1)));
                }
            }
        }
    }

    /// The key of a table, the index of an array.
    fn ask_for_key(&mut self, number: usize, place: usize, port: &Port) {
        let (Some(key), access) = (port.key, &self.plan[number]) else {
            return;
        };
        let map = &self.program.maps[access.map];
        let at = self.schedule.accesses[number].ports[place];
        if access.has_keys(self.program) {
            let levels = self.timing.key_enters(map, access.stored.stored());
            return self.ask(key, at.table - 1, levels);
        }
        let word = at.address + read_clocks(self.program, access);
        let read = self.timing.index_enters(map);
        match access.gate() {
            Some(Gate::Values) if port.lookup.is_none() => self.ask(key, at.address - 1, 0.0),
            None | Some(Gate::Values) => self.ask(key, at.address, read),
            Some(_) => self.keep(key, word),
        }
        if access.is_written() {
            self.segments
                .demand(key, self.schedule.accesses[number].commit);
        }
    }

    /// What is written, whether it is, and how.
    fn ask_for_writes(&mut self, number: usize, port: &Port) {
        let (program, access) = (self.program, &self.plan[number]);
        let stages = &self.schedule.accesses[number];
        let technology = self.timing.technology;
        let (commit, keys) = (stages.commit + port.slot, stages.table_commit + port.slot);
        let write_back = technology.around_maps.write_back;
        if let Some(store) = port.store {
            let data = &program.insts[store];
            self.ask(data.args[2], commit, write_back);
            if let Some(guard) = data.guard {
                self.ask(guard, commit, technology.write_guard(access.ports.len()));
            }
        }
        let into_keys = technology.hash_commit(access.ports.len());
        for inst in port.changes() {
            let data = &program.insts[inst];
            let flags = data.args.get(2).copied();
            for value in flags.into_iter().chain(data.guard) {
                self.ask(value, keys, into_keys);
            }
            if matches!(data.op, Op::MapUpdate(_)) {
                // The value of an update may be written after its key, but it is there with it.
                match self.schedule.stage_of[&inst] {
                    stage if stage < commit => self.ask(data.args[1], stage, 0.0),
                    _ => self.ask(data.args[1], commit, write_back),
                }
                self.segments.demand(data.args[1], commit);
            }
        }
    }

    /// What leaves with the packet.
    fn ask_for_exit(&mut self) {
        for value in super::leaving(self.program) {
            self.ask(value, self.schedule.emit, super::INTO_RESULT);
        }
    }

    /// The stage of every operation.
    fn choose(&mut self) -> HashMap<Inst, u32> {
        let program = self.program;
        let mut stages = HashMap::new();
        for inst in program.blocks[program.region()].insts.iter().rev() {
            let data = &program.insts[*inst];
            let until = data.results.first().and_then(|result| self.until[*result]);
            if !data.op.is_pure() {
                continue;
            }
            if is_wiring(&data.op) {
                let args = until
                    .into_iter()
                    .flat_map(|time| data.args.iter().map(move |arg| (*arg, time)));
                args.for_each(|(arg, time)| self.need(arg, time));
                continue;
            }
            let (stage, behind) = self.best_stage(*inst, until);
            stages.insert(*inst, stage);
            let cost = self.cost(*inst);
            let levels = (self.limit - behind - cost).max(0.0);
            for arg in &data.args {
                self.need(*arg, Time { stage, levels });
                self.segments.demand(*arg, stage);
            }
        }
        stages
    }

    /// Bits in registers over all stages, with the stages that operations have now.
    fn all_waiting(&self, stages: &HashMap<Inst, u32>) -> u32 {
        let mut begins: Vec<u32> = (self.segments.bases.iter().map(|base| base.stage)).collect();
        for (inst, stage) in stages {
            for result in &self.program.insts[*inst].results {
                begins[self.base_of[result]] = *stage;
            }
        }
        let of_base = |(base, begin): (&Base, u32)| -> u32 {
            let uses = base.last_use.iter().flatten();
            uses.map(|last| last.saturating_sub(begin)).sum()
        };
        self.segments.bases.iter().zip(begins).map(of_base).sum()
    }

    fn cost(&self, inst: Inst) -> f64 {
        self.schedule.costs.of(self.program, inst)
    }

    /// The stage for an operation whose result must be there in time, and the levels behind it in that stage.
    fn best_stage(&self, inst: Inst, until: Option<Time>) -> (u32, f64) {
        let data = &self.program.insts[inst];
        let (first, cost) = (self.schedule.stage_of[&inst], self.cost(inst));
        let Some(until) = until else {
            return (first, 0.0);
        };
        let behind = |stage: u32| match stage == until.stage {
            true => self.limit - until.levels,
            false => 0.0,
        };
        let last = match cost <= until.levels {
            true => until.stage,
            false => until.stage.saturating_sub(1),
        };
        let args = latest(data.args.iter().map(|arg| self.schedule.times[*arg]));
        let depth = |stage: u32| {
            let before = if args.stage == stage {
                args.levels
            } else {
                0.0
            };
            before + cost + behind(stage)
        };
        let stages = first..=last.max(first);
        let costs = stages.map(|stage| {
            let depth = depth(stage);
            let hurry = match self.schedule.costs.calm.contains(&inst) {
                true => (depth - self.timing.budget() * CALM).max(0.0) * LEVEL_BITS,
                false => 0.0,
            };
            (f64::from(self.waiting(inst, stage)) + hurry, depth, stage)
        });
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (_, _, stage) = best.expect("there is a first");
        (stage, behind(stage))
    }

    /// Bits that wait in registers, over all stages, when an operation is done in a stage: its result, and what it needs
    /// beyond what waits anyway.
    fn waiting(&self, inst: Inst, stage: u32) -> u32 {
        let data = &self.program.insts[inst];
        let result = &self.segments.bases[self.base_of[&data.results[0]]];
        let uses = result.last_use.iter().flatten();
        let behind: u32 = uses.map(|last| last.saturating_sub(stage)).sum();
        let mut in_front = 0;
        for arg in &data.args {
            for segment in self.segments.of(*arg) {
                let (base, lo, len) = match *segment {
                    Segment::Const(_) => continue,
                    Segment::Bits { base, lo, len, .. } => (base, lo, len),
                    Segment::Repeat { base, bit, .. } => (base, bit, 1),
                };
                for bit in lo as usize..(lo + len) as usize {
                    let ends = [&self.segments, &self.before];
                    let last = ends.map(|uses| uses.bases[base].last_use[bit]);
                    let last = last.into_iter().flatten().max();
                    in_front += stage.saturating_sub(last.unwrap_or(stage));
                }
            }
        }
        behind + in_front
    }
}

fn is_before(a: Time, b: Time) -> bool {
    (a.stage, a.levels) < (b.stage, b.levels)
}

/// Gives operations their stages; the levels of the deepest of them.
fn apply(program: &Program, schedule: &mut Schedule, stages: &HashMap<Inst, u32>) -> f64 {
    let mut deepest = 0.0f64;
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if !data.op.is_pure() {
            continue;
        }
        let result = data.results[0];
        let mut time = latest(data.args.iter().map(|arg| schedule.times[*arg]));
        if let Some(stage) = stages.get(inst) {
            debug_assert!(time.stage <= *stage, "an argument comes in time");
            if time.stage < *stage {
                time = super::at(*stage);
            }
            time.levels += schedule.costs.of(program, *inst);
        }
        deepest = deepest.max(time.levels);
        schedule.times[result] = time;
        schedule.stage_of.insert(*inst, time.stage);
    }
    deepest
}
