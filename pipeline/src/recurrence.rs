//! Recurrences: the way from what a packet reads of a map to what it writes there.

use crate::delay::is_wiring;
use crate::ports::Port;
use crate::technology::Technology;
use hardpath_ir::{Inst, InstData, MapId, Op, Program, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// The longest way from some values to others.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Levels of logic; 0 when there is no way (one of wiring counts as a little more). What goes through another map
    /// takes for ever.
    pub levels: f64,
    /// The instructions on the way, in order.
    pub insts: Vec<Inst>,
}

/// What an instruction cannot do without. A read of a map is done in any case: its guard only says whether somebody
/// looks at what it gives.
pub fn needs(data: &InstData) -> impl Iterator<Item = Value> + '_ {
    let is_read = matches!(data.op, Op::MapLookup(_) | Op::MapLoad(_));
    let guard = data.guard.filter(|_| !is_read);
    data.args.iter().copied().chain(guard)
}

/// When values are there that follow from others, in levels of logic.
pub struct Arrivals<'a> {
    program: &'a Program,
    technology: &'a Technology,
    of: HashMap<Value, f64>,
}

impl<'a> Arrivals<'a> {
    /// Behind some values, which are there after so many levels. What follows must be told in order ([`Arrivals::arrive`]).
    pub fn behind(
        program: &'a Program,
        technology: &'a Technology,
        sources: &[Value],
        levels: f64,
    ) -> Arrivals<'a> {
        Arrivals {
            program,
            technology,
            of: sources.iter().map(|value| (*value, levels)).collect(),
        }
    }

    /// `None`: the value does not follow from the others.
    pub fn at(&self, value: Value) -> Option<f64> {
        self.of.get(&value).copied()
    }

    /// The one of some values that comes last, of those that follow.
    pub fn last(&self, values: impl Iterator<Item = Value>) -> Option<(Value, f64)> {
        values
            .filter_map(|value| Some((value, self.at(value)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Levels of a pure operation.
    pub fn cost(&self, inst: Inst) -> f64 {
        let data = &self.program.insts[inst];
        let width = self.program.width(data.results[0]);
        self.technology
            .levels(self.program, &data.op, &data.args, width)
    }

    /// Says that a value is there after so many levels.
    pub fn arrive(&mut self, value: Value, levels: f64) {
        self.of.insert(value, levels);
    }
}

/// The pure operations between what is read of a map and what is written there.
pub fn of_map(program: &Program, map: MapId) -> HashSet<Inst> {
    let insts = &program.blocks[program.region()].insts;
    let is_of_map = |data: &InstData| data.op.map() == Some(map);
    let mut all = HashSet::new();
    let (mut after, mut before): (HashSet<Value>, HashSet<Value>) = Default::default();
    for inst in insts {
        let data = &program.insts[*inst];
        let reads = is_of_map(data) && matches!(data.op, Op::MapLoad(_) | Op::MapLookup(_));
        if reads || data.op.is_pure() && data.args.iter().any(|arg| after.contains(arg)) {
            after.extend(&data.results);
        }
    }
    for inst in insts.iter().rev() {
        let data = &program.insts[*inst];
        if is_of_map(data) && data.op.writes() {
            before.extend(data.args.iter().chain(&data.guard));
        } else if data.op.is_pure() && data.results.iter().any(|value| before.contains(value)) {
            before.extend(&data.args);
            if data.results.iter().any(|value| after.contains(value)) {
                all.insert(*inst);
            }
        }
    }
    all
}

impl Way {
    /// The longest way from one of the sources to one of the ends.
    pub fn longest(
        program: &Program,
        technology: &Technology,
        sources: &[Value],
        ends: &[Value],
    ) -> Way {
        const WIRE: f64 = 0.01;
        let mut arrivals = Arrivals::behind(program, technology, sources, WIRE);
        let mut before: HashMap<Value, (Inst, Value)> = HashMap::new();
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            let Some((from, latest)) = arrivals.last(needs(data)) else {
                continue;
            };
            for result in &data.results {
                if arrivals.at(*result).is_some() {
                    continue;
                }
                let cost = match data.op.is_pure() {
                    true => arrivals.cost(*inst),
                    false => f64::INFINITY,
                };
                arrivals.arrive(*result, latest + cost);
                before.insert(*result, (*inst, from));
            }
        }
        let Some((mut value, levels)) = arrivals.last(ends.iter().copied()) else {
            return Way::default();
        };
        let mut insts = Vec::new();
        while let Some((inst, from)) = before.get(&value) {
            insts.push(*inst);
            value = *from;
        }
        insts.reverse();
        Way { levels, insts }
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.levels > 0.0
    }

    /// The source lines that the way goes through, or the instructions where there are no lines; behind `: `, or
    /// nothing.
    pub fn lines(&self, program: &Program) -> String {
        const MOST: usize = 6;
        let mut all: Vec<String> = Vec::new();
        for inst in &self.insts {
            let Some(place) = program.insts[*inst].place else {
                continue;
            };
            let place = &program.places[place];
            let text = match (place.line, place.source.is_empty()) {
                (0, _) => format!("instruction {}", place.slot),
                (line, true) => format!("{}:{line}", place.file),
                (line, false) => format!("{}:{line} ({})", place.file, place.source.trim()),
            };
            if !all.contains(&text) {
                all.push(text);
            }
        }
        if all.is_empty() {
            return String::new();
        }
        if all.len() > MOST {
            let last = all.split_off(all.len() - MOST / 2);
            all.truncate(MOST / 2);
            all.push("…".into());
            all.extend(last);
        }
        format!(": {}", all.join(", "))
    }
}

/// Whether the packet does nothing but add to the word, and nobody else sees it.
pub fn only_adds(program: &Program, port: &Port, store: Inst) -> bool {
    let mut from_word: HashSet<Value> = HashSet::new();
    for load in &port.loads {
        from_word.extend(&program.insts[*load].results);
    }
    let mut readers: HashSet<Inst> = HashSet::new();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        let uses = data.args.iter().chain(data.guard.iter());
        if uses.into_iter().all(|value| !from_word.contains(value)) {
            continue;
        }
        readers.insert(*inst);
        if !data.op.is_pure() {
            continue;
        }
        if !is_wiring(&data.op) && !matches!(data.op, Op::Add | Op::Sub | Op::Select) {
            return false;
        }
        from_word.extend(&data.results);
    }
    !seen_outside(program, store, &readers)
}

/// Whether anything that follows from the word reaches more than the store.
fn seen_outside(program: &Program, store: Inst, readers: &HashSet<Inst>) -> bool {
    // Walk back from the store: every reader must lie on a way to it and on no other way out.
    let mut needed: HashSet<Inst> = HashSet::new();
    let mut todo = vec![program.insts[store].args[2]];
    while let Some(value) = todo.pop() {
        if let ValueDef::Result(inst, _) = program.values[value].def {
            if readers.contains(&inst) && needed.insert(inst) {
                todo.extend(&program.insts[inst].args);
            }
        }
    }
    let inside = |inst: &Inst| needed.contains(inst) || *inst == store;
    let region = &program.blocks[program.region()];
    let leaks_inst = region
        .insts
        .iter()
        .any(|user| !inside(user) && readers.contains(user));
    let leaks_end = region.terminator.uses().into_iter().any(|value| {
        matches!(program.values[value].def, ValueDef::Result(inst, _) if readers.contains(&inst))
    });
    let guarded = program.insts[store].guard.is_some_and(|guard| {
        matches!(program.values[guard].def, ValueDef::Result(inst, _) if readers.contains(&inst))
    });
    leaks_inst || leaks_end || guarded
}
