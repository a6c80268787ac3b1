//! Which memories each map becomes, and how it stays serial.
//!
//! A map that the data plane does not write can have as many copies as it has readers, each at the stage where its
//! reader needs it. A map that is written is one, with a port for each key that one packet needs, and one commit.
//! An array of which every access has its own few constant indexes is cut into banks, each a map of its own.

use crate::banks::banks;
use crate::delay::{self, is_wiring};
use crate::ports::{ports, take_turns, Port};
use crate::refuse::refusal;
use hardpath_ir::{Diagnostic, Inst, MapId, Op, Program, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// One copy or bank of a map with all that the program does to it.
#[derive(Clone, Debug)]
pub struct Access {
    pub map: MapId,
    /// A bank of an array: the indexes that it holds.
    pub bank: Option<Vec<u32>>,
    /// At least one. The host uses the first.
    pub ports: Vec<Port>,
    /// How the keys of a map with keys stay serial.
    pub keys: Class,
    /// How the values stay serial.
    pub values: Class,
}

/// How accesses of different packets are kept in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// The data plane only reads.
    ReadOnly,
    /// One stage from what is read to what is written, with forwarding. `adds`: nobody but the adder sees the word.
    Fused { adds: bool },
    /// The key is held while the packet is in the window.
    Interlock { reason: String },
    /// Packets go ahead; one that read what an older one commits afterwards is run again, with all behind it.
    Replay { reason: String },
}

/// Where packets wait for a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// In front of the keys.
    Keys,
    /// In front of the values.
    Values,
    /// In front of the window that all replayed accesses share.
    Replay,
}

impl Access {
    /// Entries are found in a table: by a hash of the key, or by its longest prefix.
    pub fn has_keys(&self, program: &Program) -> bool {
        let kind = program.maps[self.map].kind;
        kind.is_hash() || kind.is_trie()
    }

    /// The data plane inserts or removes keys.
    pub fn is_structural(&self) -> bool {
        self.ports
            .iter()
            .any(|port| port.changes().next().is_some())
    }

    /// The data plane writes.
    pub fn is_written(&self) -> bool {
        self.ports
            .iter()
            .any(|port| port.writers().next().is_some())
    }

    /// Values are written by the data plane.
    pub fn writes_values(&self) -> bool {
        let writes = |port: &Port| port.store.is_some() || port.update.is_some();
        self.ports.iter().any(writes)
    }

    /// Every instruction of the access.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.ports.iter().flat_map(Port::insts)
    }

    /// Loads of whole words.
    pub fn loads(&self) -> impl Iterator<Item = Inst> + '_ {
        self.ports
            .iter()
            .flat_map(|port| port.loads.iter().copied())
    }

    /// Clocks that the commits of one packet take.
    pub fn slots(&self) -> u32 {
        let writes = |port: &&Port| port.writers().next().is_some();
        let last = self.ports.iter().filter(writes).map(|port| port.slot);
        last.max().map_or(1, |slot| slot + 1)
    }

    /// Where packets wait, if they do.
    pub fn gate(&self) -> Option<Gate> {
        match (&self.keys, &self.values) {
            (Class::Replay { .. }, _) | (_, Class::Replay { .. }) => Some(Gate::Replay),
            (Class::Interlock { .. }, _) => Some(Gate::Keys),
            (_, Class::Interlock { .. }) => Some(Gate::Values),
            _ => None,
        }
    }

    /// Makes the access a part of the window that is replayed.
    pub fn replay(&mut self, reason: &str) {
        let class = Class::Replay {
            reason: reason.to_string(),
        };
        (self.keys, self.values) = (class.clone(), class);
    }
}

/// Decides for every map of a program whose map accesses are whole words.
///
/// # Errors
/// Programs whose maps cannot stay serial with what the pipeline has.
pub fn plan(program: &Program, clock_mhz: f64) -> Result<Vec<Access>, Vec<Diagnostic>> {
    let mut accesses = Vec::new();
    let mut errors = Vec::new();
    for map in program.maps.keys() {
        match plan_map(program, map, clock_mhz) {
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

fn plan_map(program: &Program, map: MapId, clock_mhz: f64) -> Result<Vec<Access>, Diagnostic> {
    let decl = &program.maps[map];
    let ports = ports(program, map);
    let of = |ports: Vec<Port>, bank: Option<Vec<u32>>| Access {
        map,
        bank,
        ports,
        keys: Class::ReadOnly,
        values: Class::ReadOnly,
    };
    let writer = ports.iter().flat_map(|port| port.writers()).next();
    if let (false, Some(inst)) = (decl.kind.is_writable_by_program(), writer) {
        return Err(refusal(
            program,
            inst,
            "devmap-write",
            format!("the program writes to device map {}", decl.name),
            "device maps are filled by the host; the kernel does not let programs write them either",
        ));
    }
    let changes = ports.iter().flat_map(|port| port.changes()).next();
    if let (true, Some(inst)) = (decl.kind.is_trie(), changes) {
        return Err(refusal(
            program,
            inst,
            "trie-write",
            format!("the program updates or deletes prefixes of {}", decl.name),
            "let the host change the prefixes, and keep what the program inserts in a hash map",
        ));
    }
    if writer.is_none() {
        // A copy for each reader.
        return Ok(ports.into_iter().map(|port| of(vec![port], None)).collect());
    }
    let parts = match decl.kind.is_array() {
        true => banks(program, map, ports),
        false => vec![(ports, None)],
    };
    let mut accesses = Vec::new();
    for (ports, bank) in parts {
        let access = of(ports, bank);
        if !access.is_written() {
            // Of a bank that is only read each reader has a copy, too.
            let bank = access.bank;
            let copies = access.ports.into_iter();
            accesses.extend(copies.map(|port| of(vec![port], bank.clone())));
            continue;
        }
        let mut access = access;
        access.ports = take_turns(program, access.ports);
        classify(program, &mut access, clock_mhz);
        if let (true, Some(inst)) = (decl.kind.is_trie(), writer) {
            if access.ports.len() > 1 || access.gate().is_some() {
                return Err(trie_value(program, inst, &decl.name));
            }
        }
        accesses.push(access);
    }
    Ok(accesses)
}

/// What a packet does to a value of a trie must be done in one stage.
fn trie_value(program: &Program, inst: Inst, name: &str) -> Diagnostic {
    refusal(
        program,
        inst,
        "trie-write",
        format!(
            "a value of {name} is written together with other lookups of that map, or the new value takes longer than a clock"
        ),
        "only count in the values of a trie; keep other state in an array, with its index as the trie's value",
    )
}

/// Takes the guards from lookups at whose stage nobody asks for them: the memory is read in any case, and what it
/// gives is only looked at behind conditions that include the guard.
pub fn drop_hints(program: &mut Program, plan: &[Access]) {
    for access in plan {
        let asked = access.gate() == Some(Gate::Keys);
        for lookup in access.ports.iter().filter_map(|port| port.lookup) {
            if !asked {
                program.insts[lookup].guard = None;
            }
        }
    }
}

/// Chooses the classes of a map that the data plane writes.
fn classify(program: &Program, access: &mut Access, clock_mhz: f64) {
    let budget = delay::budget(clock_mhz);
    let results = |inst: Inst| program.insts[inst].results.iter().copied();
    let guards = |inst: Inst| program.insts[inst].guard;
    let words: Vec<Value> = access.loads().flat_map(results).collect();
    let answers: Vec<Value> = access
        .ports
        .iter()
        .filter_map(|port| port.lookup)
        .flat_map(results)
        .collect();
    let changes: Vec<Inst> = access
        .ports
        .iter()
        .flat_map(|port| port.changes())
        .collect();
    let given: Vec<Value> = changes.iter().flat_map(|inst| results(*inst)).collect();
    let decisions: Vec<Value> = changes
        .iter()
        .flat_map(|inst| {
            let flags = program.insts[*inst].args.get(2).copied();
            flags.into_iter().chain(guards(*inst))
        })
        .collect();
    let mut stored: Vec<Value> = Vec::new();
    for port in &access.ports {
        if let Some(store) = port.store {
            stored.push(program.insts[store].args[2]);
            stored.extend(guards(store));
        }
        stored.extend(port.update.map(|update| program.insts[update].args[1]));
    }
    let keys: Vec<Value> = access.ports.iter().filter_map(|port| port.key).collect();
    let everything: Vec<Value> = [&words, &answers, &given]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let several = access.ports.len() > 1;
    let turns = access.slots();
    let deciding =
        path(program, &answers, &decisions) + delay::map::hash_commit(access.ports.len());
    let storing = path(program, &words, &stored) + delay::map::WRITE_BACK;

    if path(program, &everything, &keys) > 0.0 {
        access.replay("one of its keys follows from what it gives for another");
        return;
    }
    if turns > 1 {
        access.replay(&format!("one packet may write {turns} of its entries"));
        return;
    }
    let late_keys = if path(program, &words, &decisions) > 0.0 {
        Some("a value decides whether a key is inserted or removed".to_string())
    } else if path(program, &given, &decisions) > 0.0 {
        Some("what an update or delete gives decides on another".to_string())
    } else if deciding > budget {
        Some(format!(
            "deciding on an insert or delete takes {deciding:.1} levels of logic, more than the {budget:.1} of one clock"
        ))
    } else {
        None
    };
    let late_values = (storing > budget).then(|| {
        format!("the new value takes {storing:.1} levels of logic, more than the {budget:.1} of one clock")
    });
    match (late_keys, late_values, several) {
        (Some(reason), _, true) | (None, Some(reason), true) => access.replay(&reason),
        (Some(reason), _, false) => {
            access.keys = Class::Interlock {
                reason: reason.clone(),
            };
            access.values = Class::Interlock { reason };
        }
        (None, late, _) => {
            if !changes.is_empty() {
                access.keys = Class::Fused { adds: false };
            }
            access.values = match late {
                Some(reason) => Class::Interlock { reason },
                None => Class::Fused {
                    adds: only_adds(program, access),
                },
            };
        }
    }
}

/// Whether all that the program does to the values is one addition whose result nobody sees.
fn only_adds(program: &Program, access: &Access) -> bool {
    match access.ports.as_slice() {
        [port] if port.changes().next().is_none() => port
            .store
            .is_some_and(|store| recurrence_adds(program, port, store)),
        _ => false,
    }
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

/// Whether the packet does nothing but add to the word, and nobody else sees it.
fn recurrence_adds(program: &Program, port: &Port, store: Inst) -> bool {
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
