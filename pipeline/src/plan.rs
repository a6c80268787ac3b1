//! Which memories each map becomes, and how it stays serial.
//!
//! A map that the data plane does not write can have as many copies as it has readers, each at the stage where its
//! reader needs it. A map that is written has one copy of its keys and one commit stage.

use crate::delay::{self, is_wiring};
use crate::refuse::refusal;
use hardpath_ir::{Diagnostic, Inst, MapId, Op, Program, Value, ValueDef};
use std::collections::{BTreeMap, HashMap, HashSet};

/// One copy of a map with all that the program does to it.
#[derive(Clone, Debug)]
pub struct Access {
    pub map: MapId,
    pub class: Class,
    /// The lookup (hash and device maps).
    pub lookup: Option<Inst>,
    /// Loads of whole words, one for each entry.
    pub loads: Vec<Inst>,
    pub store: Option<Inst>,
    pub update: Option<Inst>,
    pub delete: Option<Inst>,
}

/// How accesses of different packets are kept in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// The data plane only reads.
    ReadOnly,
    /// One stage from the word to the new word, with forwarding. `adds`: nobody but the adder sees the word.
    Fused { adds: bool },
    /// The key is held while the packet is in the window.
    Interlock { reason: String },
}

impl Access {
    /// The key that the packet holds in a window: of the lookup, update or delete, or the entry of an array.
    pub fn key(&self, program: &Program) -> Option<Value> {
        let first = self.lookup.or(self.update).or(self.delete);
        match first {
            Some(inst) => Some(program.insts[inst].args[0]),
            None => {
                let inst = self.loads.first().copied().or(self.store)?;
                Some(program.insts[inst].args[0])
            }
        }
    }

    pub fn is_hash(&self, program: &Program) -> bool {
        program.maps[self.map].kind.is_hash()
    }

    /// The data plane inserts or removes keys.
    pub fn is_structural(&self) -> bool {
        self.update.is_some() || self.delete.is_some()
    }

    /// Every instruction of the access.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        let ends = [self.lookup, self.store, self.update, self.delete];
        self.loads.iter().copied().chain(ends.into_iter().flatten())
    }
}

/// Decides for every map of a program whose map accesses are whole words.
///
/// # Errors
/// Programs whose maps cannot stay serial with what the pipeline has.
pub fn plan(program: &Program, clock_mhz: f64) -> Result<Vec<Access>, Vec<Diagnostic>> {
    let mut by_map: BTreeMap<MapId, Vec<Inst>> = BTreeMap::new();
    for map in program.maps.keys() {
        by_map.insert(map, Vec::new());
    }
    for inst in &program.blocks[program.region()].insts {
        if let Some(map) = program.insts[*inst].op.map() {
            by_map.entry(map).or_default().push(*inst);
        }
    }
    let mut accesses = Vec::new();
    let mut errors = Vec::new();
    for (map, insts) in by_map {
        match plan_map(program, map, &insts, clock_mhz) {
            Ok(found) => accesses.extend(found),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(accesses)
    } else {
        Err(errors)
    }
}

fn plan_map(
    program: &Program,
    map: MapId,
    insts: &[Inst],
    clock_mhz: f64,
) -> Result<Vec<Access>, Diagnostic> {
    let name = &program.maps[map].name;
    let op = |inst: &Inst| &program.insts[*inst].op;
    let of = |wanted: fn(&Op) -> bool| -> Vec<Inst> {
        insts
            .iter()
            .copied()
            .filter(|inst| wanted(op(inst)))
            .collect()
    };
    let lookups = of(|op| matches!(op, Op::MapLookup(_)));
    let loads = of(|op| matches!(op, Op::MapLoad(_)));
    let store = of(|op| matches!(op, Op::MapStore(_))).first().copied();
    let update = of(|op| matches!(op, Op::MapUpdate(_))).first().copied();
    let delete = of(|op| matches!(op, Op::MapDelete(_))).first().copied();
    let empty = Access {
        map,
        class: Class::ReadOnly,
        lookup: None,
        loads: Vec::new(),
        store: None,
        update: None,
        delete: None,
    };

    if !program.maps[map].kind.is_writable_by_program() && (store.or(update).or(delete)).is_some() {
        let inst = store.or(update).or(delete).expect("one of them");
        return Err(refusal(
            program,
            inst,
            "devmap-write",
            format!("the program writes to device map {name}"),
            "device maps are filled by the host; the kernel does not let programs write them either",
        ));
    }
    if store.or(update).or(delete).is_none() {
        // A copy for each reader.
        let by_lookup = !program.maps[map].kind.is_array();
        let mut copies = Vec::new();
        if by_lookup {
            for lookup in &lookups {
                let entry = program.insts[*lookup].results[1];
                copies.push(Access {
                    lookup: Some(*lookup),
                    loads: loads
                        .iter()
                        .copied()
                        .filter(|load| program.insts[*load].args[0] == entry)
                        .collect(),
                    ..empty.clone()
                });
            }
            let served: usize = copies.iter().map(|copy| copy.loads.len()).sum();
            if served < loads.len() {
                let stray = loads
                    .iter()
                    .find(|load| !copies.iter().any(|copy| copy.loads.contains(load)))
                    .expect("a load that no lookup gives the entry of");
                return Err(chosen_entry(program, *stray, name));
            }
        } else {
            for load in &loads {
                copies.push(Access {
                    loads: vec![*load],
                    ..empty.clone()
                });
            }
        }
        if copies.is_empty() {
            copies.push(empty);
        }
        return Ok(copies);
    }

    let mut access = Access {
        lookup: lookups.first().copied(),
        loads,
        store,
        update,
        delete,
        ..empty
    };
    let kind = program.maps[map].kind;
    if kind.is_hash() {
        if let Some(second) = lookups.get(1) {
            return Err(refusal(
                program,
                *second,
                "several-keys",
                format!("one packet looks up several keys of map {name}, which it also writes"),
                "look up one key that is chosen before, or keep what is written in a map of its own",
            ));
        }
        let entry = access.lookup.map(|lookup| program.insts[lookup].results[1]);
        for inst in access.loads.iter().chain(access.store.iter()) {
            if Some(program.insts[*inst].args[0]) != entry {
                return Err(chosen_entry(program, *inst, name));
            }
        }
        if let (Some(update), Some(delete)) = (access.update, access.delete) {
            let guards = (program.insts[update].guard, program.insts[delete].guard);
            let apart = matches!(guards, (Some(a), Some(b)) if hardpath_passes::are_disjoint(program, a, b));
            if !apart {
                return Err(refusal(
                    program,
                    delete,
                    "several-writes",
                    format!("one packet may both update and delete an entry of map {name}"),
                    "do one of the two, on ways of the program that exclude each other",
                ));
            }
        }
        let key = access.key(program);
        for inst in [access.lookup, access.update, access.delete]
            .into_iter()
            .flatten()
        {
            if Some(program.insts[inst].args[0]) != key {
                return Err(refusal(
                    program,
                    inst,
                    "hazard-replay",
                    format!(
                        "map {name} is written with another key than the one that is looked up; \
                         keeping such packets in order needs squash and replay"
                    ),
                    "use one key for the lookup and the update, for example by ordering its parts",
                ));
            }
        }
    }
    if access.is_structural() {
        access.class = structural_class(program, &access, clock_mhz);
        return Ok(vec![access]);
    }
    let store = access.store.expect("written without update or delete");
    let budget = delay::budget(clock_mhz);
    let (length, adds) = recurrence(program, &access, store);
    access.class = if length + delay::map::WRITE_BACK <= budget {
        Class::Fused { adds }
    } else {
        // The packet holds one key in the window: that of what it reads and writes.
        let written = program.insts[store].args[0];
        let other = access
            .loads
            .iter()
            .find(|load| program.insts[**load].args[0] != written);
        if let Some(other) = other {
            return Err(refusal(
                program,
                *other,
                "several-keys",
                format!(
                    "one packet reads another entry of map {name} than it writes, and computes what it writes for \
                     longer than a clock"
                ),
                "read one entry that is chosen before, or ask for a lower clock (--clock)",
            ));
        }
        Class::Interlock {
            reason: format!(
                "the new value takes {length:.1} levels of logic, more than the {:.1} of one clock",
                budget - delay::map::WRITE_BACK
            ),
        }
    };
    Ok(vec![access])
}

/// Takes the guards from lookups at whose stage nobody asks for them: the memory is read in any case, and what it
/// gives is only looked at behind conditions that include the guard.
pub fn drop_hints(program: &mut Program, plan: &[Access]) {
    for access in plan {
        if let (Some(lookup), false) = (
            access.lookup,
            matches!(access.class, Class::Interlock { .. }),
        ) {
            program.insts[lookup].guard = None;
        }
    }
}

/// How a hash map stays serial whose keys the data plane inserts or removes. What decides on the change must be there
/// in the stage in which the lookup's answer comes, and a value's new word in the stage in which the word comes: then
/// the memories forward, and nothing waits.
fn structural_class(program: &Program, access: &Access, clock_mhz: f64) -> Class {
    let budget = delay::budget(clock_mhz);
    let results = |inst: Inst| program.insts[inst].results.iter().copied();
    let answers: Vec<Value> = access.lookup.into_iter().flat_map(results).collect();
    let words: Vec<Value> = access
        .loads
        .iter()
        .flat_map(|load| results(*load))
        .collect();
    let changes: Vec<Inst> = [access.update, access.delete]
        .into_iter()
        .flatten()
        .collect();
    let given: Vec<Value> = changes.iter().flat_map(|inst| results(*inst)).collect();
    let decisions: Vec<Value> = changes
        .iter()
        .flat_map(|inst| {
            let data = &program.insts[*inst];
            data.args.get(2).copied().into_iter().chain(data.guard)
        })
        .collect();
    let mut stored: Vec<Value> = Vec::new();
    if let Some(store) = access.store {
        let data = &program.insts[store];
        stored.extend([data.args[2]].into_iter().chain(data.guard));
    }
    if let Some(update) = access.update {
        stored.push(program.insts[update].args[1]);
    }
    let deciding = path(program, &answers, &decisions) + delay::map::HASH_COMMIT;
    let storing = path(program, &words, &stored) + delay::map::WRITE_BACK;
    let reason = if path(program, &words, &decisions) > 0.0 {
        "a value decides whether a key is inserted or removed".to_string()
    } else if path(program, &given, &stored).max(path(program, &given, &decisions)) > 0.0 {
        "what an update or delete gives decides what is written".to_string()
    } else if deciding > budget {
        format!("deciding on an insert or delete takes {deciding:.1} levels of logic, more than the {budget:.1} of one clock")
    } else if storing > budget {
        format!("the new value takes {storing:.1} levels of logic, more than the {budget:.1} of one clock")
    } else {
        return Class::Fused { adds: false };
    };
    Class::Interlock { reason }
}

/// Levels of the longest way from one of the sources to one of the ends; 0 when there is none (a way of wiring counts
/// as a little more). What goes through another map takes for ever.
fn path(program: &Program, sources: &[Value], ends: &[Value]) -> f64 {
    const WIRE: f64 = 0.01;
    let mut arrival: HashMap<Value, f64> = sources.iter().map(|value| (*value, WIRE)).collect();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        let uses = data.args.iter().chain(data.guard.iter());
        let Some(latest) = uses
            .filter_map(|value| arrival.get(value))
            .copied()
            .reduce(f64::max)
        else {
            continue;
        };
        for result in &data.results {
            let cost = if data.op.is_pure() {
                delay::levels(program, &data.op, &data.args, program.width(*result))
            } else {
                f64::INFINITY
            };
            arrival.entry(*result).or_insert(latest + cost);
        }
    }
    ends.iter()
        .filter_map(|end| arrival.get(end))
        .copied()
        .fold(0.0, f64::max)
}

fn chosen_entry(program: &Program, inst: Inst, name: &str) -> Diagnostic {
    refusal(
        program,
        inst,
        "chosen-entry",
        format!(
            "an access to map {name} goes through a pointer that may come from several lookups"
        ),
        "choose the key before one lookup instead of choosing among pointers",
    )
}

/// The levels of logic from a loaded word to the stored word or its guard, and whether the packet does nothing but
/// add to the word.
fn recurrence(program: &Program, access: &Access, store: Inst) -> (f64, bool) {
    let mut arrival: HashMap<Value, f64> = HashMap::new();
    for load in &access.loads {
        arrival.insert(program.insts[*load].results[0], 0.0);
    }
    let mut readers: HashSet<Inst> = HashSet::new();
    let mut only_arithmetic = true;
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        let latest = data
            .args
            .iter()
            .chain(data.guard.iter())
            .filter_map(|arg| arrival.get(arg))
            .copied()
            .reduce(f64::max);
        let Some(latest) = latest else {
            continue;
        };
        readers.insert(*inst);
        if !data.op.is_pure() {
            if *inst != store {
                // What another map does with it comes back a stage later at best: no fused loop.
                for result in &data.results {
                    arrival.insert(*result, f64::INFINITY);
                }
            }
            continue;
        }
        let width = program.width(data.results[0]);
        only_arithmetic &= is_wiring(&data.op) || matches!(data.op, Op::Add | Op::Sub | Op::Select);
        let time = latest + delay::levels(program, &data.op, &data.args, width);
        arrival.insert(data.results[0], time);
    }
    let data = &program.insts[store];
    let length = [Some(data.args[2]), data.guard]
        .into_iter()
        .flatten()
        .filter_map(|value| arrival.get(&value))
        .copied()
        .fold(0.0, f64::max);
    let adds = only_arithmetic && !seen_outside(program, store, &readers);
    (length, adds)
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
