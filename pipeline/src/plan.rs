//! Which memories each map becomes, and how it stays serial.
//!
//! A map that the data plane does not write can have as many copies as it has readers, each at the stage where its
//! reader needs it. A map that is written is one, with a port for each key that one packet needs, and one commit.
//! An array of which every access has its own few constant indexes is cut into banks, each a map of its own.

use crate::banks::banks;
use crate::clock;
use crate::delay::Timing;
use crate::key_bits::KnownBits;
use crate::limits;
use crate::ports::{ports, take_turns, Port};
use crate::recurrence::{self, Way};
use crate::refuse::refusal;
use hardpath_blocks::hash::Evicts;
use hardpath_blocks::key_bits::KeyBits;
use hardpath_blocks::lpm::Search;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Find, Inst, MapId, Program, Value};

/// One copy or bank of a map with all that the program does to it.
#[derive(Clone, Debug)]
pub struct Access {
    /// The map of the program that it is a copy or a bank of.
    pub map: MapId,
    /// A bank of an array: the indexes that it holds.
    pub bank: Option<Vec<u32>>,
    /// At least one. The host uses the first.
    pub ports: Vec<Port>,
    /// What a hash table stores of its keys; of other maps all that they have. The same in all copies.
    pub stored: KeyBits,
    /// How the keys of a map with keys stay serial.
    pub keys: Class,
    /// How the values stay serial.
    pub values: Class,
    /// What a table reads stands in registers before it is compared: [`Hash::registers`], [`Lpm::registers`].
    pub registers_keys: bool,
    /// Registers stand on both sides of the memory of its values.
    pub registers_values: bool,
    /// Of a table of prefixes: how the longest is found.
    pub search: Option<Search>,
}

/// How accesses of different packets are kept in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// The data plane only reads.
    ReadOnly,
    /// One stage from what is read to what is written, with forwarding.
    Fused {
        /// Nobody but the adder sees the word.
        adds: bool,
    },
    /// The key is held while the packet is in the window.
    Interlock {
        /// Why it is not fused, for the report: `a value decides whether a key is inserted or removed`.
        reason: String,
    },
    /// Packets go ahead; one that read what an older one commits afterwards is run again, with all behind it.
    Replay {
        /// Why packets do not wait instead, for the report: `one packet may write 2 of its entries`.
        reason: String,
    },
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
        let decl = &program.maps[self.map];
        decl.is_exact() || decl.is_matched()
    }

    /// The table has the values, too.
    pub fn has_values_beside(&self, program: &Program) -> bool {
        program.maps[self.map].entries_may_move()
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

    /// Whom a full LRU map forgets for a new key: any key of its buckets. Where packets are run again that read too early,
    /// one that has found a key that goes is among them. Behind an interlock nobody runs again, so there it is a key that has
    /// the same tag at the window's entrance.
    pub fn evicts(&self, program: &Program) -> Evicts {
        match (program.maps[self.map].forgets, &self.keys) {
            (false, _) => Evicts::Nobody,
            (true, Class::Interlock { .. }) => Evicts::FirstBucket,
            (true, _) => Evicts::Candidates,
        }
    }

    /// A packet can lose a key that it has found to one before it, and must run again.
    pub fn displaces(&self, program: &Program) -> bool {
        program.maps[self.map].forgets && matches!(self.keys, Class::Replay { .. })
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

/// Refuses changes of maps that are the host's alone, one for each map.
pub fn forbidden_writes(program: &Program) -> Vec<Diagnostic> {
    let mut seen: Vec<MapId> = Vec::new();
    let mut errors = Vec::new();
    for inst in &program.blocks[program.region()].insts {
        let op = &program.insts[*inst].op;
        let Some(map) = op.map().filter(|map| op.writes() && !seen.contains(map)) else {
            continue;
        };
        let decl = &program.maps[map];
        let (code, message, help) = match decl.find {
            _ if !decl.packets_write => (
                "host-only-write",
                format!(
                    "the program writes to {}, which only the host does",
                    decl.name
                ),
                "let the host fill the map",
            ),
            Find::Prefix if op.changes_keys() => (
                "trie-write",
                format!("the program updates or deletes prefixes of {}", decl.name),
                "let the host change the prefixes, and keep what the program inserts in a hash map",
            ),
            _ => continue,
        };
        seen.push(map);
        errors.push(refusal(program, *inst, code, message, help));
    }
    errors
}

/// Decides for every map of a program whose map accesses are whole words.
///
/// # Errors
/// Programs whose maps cannot stay serial with what the pipeline has.
pub fn plan(program: &Program, timing: Timing) -> Result<Vec<Access>, Vec<Diagnostic>> {
    let mut accesses = Vec::new();
    let mut errors = Vec::new();
    let mut known = KnownBits::new(program);
    for map in program.maps.keys() {
        match plan_map(program, map, timing, &mut known) {
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
    timing: Timing,
    known: &mut KnownBits,
) -> Result<Vec<Access>, Diagnostic> {
    let decl = &program.maps[map];
    let ports = ports(program, map);
    let stored = known.stored(map, &ports);
    let key_bits = stored.stored();
    let is_whole = decl.is_prefix() && known.keys_are_whole(map, &ports);
    let search = decl.is_prefix().then(|| timing.search(decl, is_whole));
    if let Some(error) = search.and_then(|search| limits::prefixes(decl, search)) {
        return Err(error);
    }
    let of = |ports: Vec<Port>, bank: Option<Vec<u32>>| Access {
        map,
        bank,
        ports,
        stored: stored.clone(),
        keys: Class::ReadOnly,
        values: Class::ReadOnly,
        registers_keys: timing.registers_keys(decl, key_bits, search),
        registers_values: timing.registers_values(decl),
        search,
    };
    let writer = ports.iter().flat_map(|port| port.writers()).next();
    if writer.is_none() {
        // A copy for each reader.
        return Ok(ports.into_iter().map(|port| of(vec![port], None)).collect());
    }
    let parts = match decl.is_array() {
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
        classify(program, &mut access, timing);
        if let (true, Some(inst)) = (decl.is_matched(), writer) {
            if let Some(levels) = value_too_late(program, &access, timing) {
                let what = format!("the new value of {}", decl.name);
                return Err(clock::refuse(program, inst, timing, &what, levels));
            }
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
            "a value of {name} is written together with other lookups of that map, or waits for another map"
        ),
        "only count in the values of a trie; keep other state in an array, with its index as the trie's value",
    )
}

/// The levels of the way from the values to what is stored, if it is nothing but the clock that keeps it out of one
/// stage.
fn value_too_late(program: &Program, access: &Access, timing: Timing) -> Option<f64> {
    if access.ports.len() > 1 || !matches!(access.values, Class::Interlock { .. }) {
        return None;
    }
    let (words, stored) = (words(program, access), stored(program, access));
    let way = Way::longest(program, timing.technology, &words, &stored);
    let write_back = timing.technology.around_maps.write_back;
    (way.levels.is_finite()).then_some(way.levels + write_back)
}

/// What is read of the values.
fn words(program: &Program, access: &Access) -> Vec<Value> {
    let results = |inst: Inst| program.insts[inst].results.iter().copied();
    access.loads().flat_map(results).collect()
}

/// What is stored, and whether it is.
fn stored(program: &Program, access: &Access) -> Vec<Value> {
    let mut stored: Vec<Value> = Vec::new();
    for port in &access.ports {
        if let Some(store) = port.store {
            stored.push(program.insts[store].args[2]);
            stored.extend(program.insts[store].guard);
        }
        stored.extend(port.update.map(|update| program.insts[update].args[1]));
    }
    stored
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
fn classify(program: &Program, access: &mut Access, timing: Timing) {
    let flows = Flows::of(program, access);
    if let Some(reason) = needs_replay(program, access, timing, &flows) {
        access.replay(&reason);
        return;
    }
    let late_keys = late_keys(program, access, timing, &flows);
    let late_values = late_value(program, timing, &flows);
    let several = access.ports.len() > 1;
    match (late_keys, late_values, several) {
        (Some(reason), _, true) | (None, Some(reason), true) => access.replay(&reason),
        (Some(reason), _, false) => {
            access.keys = Class::Interlock {
                reason: reason.clone(),
            };
            access.values = Class::Interlock { reason };
        }
        (None, late, _) => {
            if !flows.changes.is_empty() {
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

/// What flows between a map and a program that writes there.
struct Flows {
    /// What is read of the values.
    words: Vec<Value>,
    /// What lookups give.
    answers: Vec<Value>,
    keys: Vec<Value>,
    /// Updates and deletes, and what they give.
    changes: Vec<Inst>,
    given: Vec<Value>,
    /// What decides on these.
    decisions: Vec<Value>,
    /// What is stored, and whether it is.
    stored: Vec<Value>,
}

impl Flows {
    fn of(program: &Program, access: &Access) -> Flows {
        let results = |inst: Inst| program.insts[inst].results.iter().copied();
        let ports = || access.ports.iter();
        let changes: Vec<Inst> = ports().flat_map(|port| port.changes()).collect();
        let decides = |inst: &Inst| {
            let data = &program.insts[*inst];
            data.args.get(2).copied().into_iter().chain(data.guard)
        };
        Flows {
            words: words(program, access),
            answers: ports()
                .filter_map(|port| port.lookup)
                .flat_map(results)
                .collect(),
            keys: ports().filter_map(|port| port.key).collect(),
            given: changes.iter().flat_map(|inst| results(*inst)).collect(),
            decisions: changes.iter().flat_map(decides).collect(),
            stored: stored(program, access),
            changes,
        }
    }

    /// All that comes from the map.
    fn out(&self) -> Vec<Value> {
        [&self.words[..], &self.answers, &self.given].concat()
    }
}

/// Why packets must run again that read too early: no other class has several of a packet's reads or writes behind each other.
fn needs_replay(
    program: &Program,
    access: &Access,
    timing: Timing,
    flows: &Flows,
) -> Option<String> {
    let chain = Way::longest(program, timing.technology, &flows.out(), &flows.keys);
    if chain.exists() {
        let lines = chain.lines(program);
        return Some(format!(
            "one of its keys follows from what it gives for another{lines}"
        ));
    }
    let turns = access.slots();
    (turns > 1).then(|| format!("one packet may write {turns} of its entries"))
}

/// Why an insert or delete is not decided in the clock in which the table answers.
fn late_keys(program: &Program, access: &Access, timing: Timing, flows: &Flows) -> Option<String> {
    let way = |from: &[Value]| Way::longest(program, timing.technology, from, &flows.decisions);
    let by_value = way(&flows.words);
    if by_value.exists() {
        let lines = by_value.lines(program);
        return Some(format!(
            "a value decides whether a key is inserted or removed{lines}"
        ));
    }
    if way(&flows.given).exists() {
        return Some("what an update or delete gives decides on another".to_string());
    }
    let deciding = way(&flows.answers);
    let room = timing.budget() - timing.technology.hash_commit(access.ports.len());
    (!flows.changes.is_empty() && deciding.levels > room)
        .then(|| too_long(program, "deciding on an insert or delete", &deciding, room))
}

/// Why the new value is not there in the clock in which the old one comes.
fn late_value(program: &Program, timing: Timing, flows: &Flows) -> Option<String> {
    let technology = timing.technology;
    let storing = Way::longest(program, technology, &flows.words, &flows.stored);
    let room = timing.budget() - technology.around_maps.write_back;
    (storing.levels > room).then(|| too_long(program, "the new value", &storing, room))
}

/// What takes so long for one clock, which has room for so many levels.
fn too_long(program: &Program, what: &str, way: &Way, room: f64) -> String {
    let (levels, lines) = (way.levels, way.lines(program));
    match levels.is_finite() {
        true => format!(
            "{what} takes {levels:.1} levels of logic, where one clock leaves {room:.1}{lines}"
        ),
        false => format!("{what} waits for an access to another map{lines}"),
    }
}

/// Whether all that the program does to the values is one addition whose result nobody sees.
fn only_adds(program: &Program, access: &Access) -> bool {
    match access.ports.as_slice() {
        [port] if port.changes().next().is_none() => port
            .store
            .is_some_and(|store| recurrence::only_adds(program, port, store)),
        _ => false,
    }
}
