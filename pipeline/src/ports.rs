//! The ports of a map's memories, and what can share one.
//!
//! A port is a key (of an array: an index) with all that a program does under it: one lookup, loads of what it found,
//! at most one store, one update and one delete. Each port is served once for each packet.
//!
//! A map that is written has one commit, so its ports are worth sharing: two ports that no packet needs together
//! become one whose key is chosen.
//!
//! ```text
//! v4, v5 = map.lookup @m v2 if v0            v8 = select v0, v2, v3
//! v6 = map.update @m v3, v7, v9 if v1   →    v4, v5 = map.lookup @m v8 if v0
//!                                            v6 = map.update @m v8, v7, v9 if v1
//! ```

use crate::implication::implies;
use crate::region;
use hardpath_ir::{Inst, MapId, Op, Program, Value, ValueDef};
use hardpath_passes::are_disjoint;
use std::collections::HashSet;

/// A port.
#[derive(Clone, Debug, Default)]
pub struct Port {
    /// The key, or an array's index. Absent only for a map that the program does not use.
    pub key: Option<Value>,
    /// Looks the key up; an array has none.
    pub lookup: Option<Inst>,
    /// Loads of whole words.
    pub loads: Vec<Inst>,
    /// Writes a whole word.
    pub store: Option<Inst>,
    /// Puts the key in with a value, or gives it another one.
    pub update: Option<Inst>,
    /// Takes the key out.
    pub delete: Option<Inst>,
    /// The condition under which a packet looks at what the lookup gives; absent: always.
    pub needs: Option<Value>,
    /// Commits of one packet that can happen together take their turns: the clock in which this port has its own,
    /// counted from the commit stage.
    pub slot: u32,
}

impl Port {
    /// Every instruction of the port.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        let ends = [self.lookup, self.store, self.update, self.delete];
        self.loads.iter().copied().chain(ends.into_iter().flatten())
    }

    /// The instructions that write.
    pub fn writers(&self) -> impl Iterator<Item = Inst> + '_ {
        [self.store, self.update, self.delete].into_iter().flatten()
    }

    /// The instructions that insert or remove keys.
    pub fn changes(&self) -> impl Iterator<Item = Inst> + '_ {
        [self.update, self.delete].into_iter().flatten()
    }
}

/// The ports of a map of a program in whole words, in program order of their first instruction.
pub fn ports(program: &Program, map: MapId) -> Vec<Port> {
    let by_key = !program.maps[map].is_array();
    let mut ports: Vec<Port> = Vec::new();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if data.op.map() != Some(map) {
            continue;
        }
        let first = data.args[0];
        match data.op {
            Op::MapLookup(_) => ports.push(Port {
                key: Some(first),
                lookup: Some(*inst),
                needs: data.guard,
                ..Port::default()
            }),
            Op::MapLoad(_) | Op::MapStore(_) => {
                let found = |port: &Port| match (by_key, port.lookup) {
                    (true, Some(lookup)) => program.insts[lookup].results[1] == first,
                    (true, None) => false,
                    (false, _) => port.key == Some(first),
                };
                match data.op {
                    Op::MapStore(_) => {
                        let fits = |port: &Port| found(port) && port.store.is_none();
                        place_for(&mut ports, first, fits).store = Some(*inst);
                    }
                    _ => place_for(&mut ports, first, found).loads.push(*inst),
                }
            }
            Op::MapUpdate(_) => {
                let fits = |port: &Port| {
                    port.update.is_none() && can_share(program, port, port.delete, *inst)
                };
                place_for(&mut ports, first, fits).update = Some(*inst);
            }
            _ => {
                let fits = |port: &Port| {
                    port.delete.is_none() && can_share(program, port, port.update, *inst)
                };
                place_for(&mut ports, first, fits).delete = Some(*inst);
            }
        }
    }
    if ports.is_empty() {
        ports.push(Port::default());
    }
    ports
}

/// The first port that fits, or else a new one of that key.
fn place_for(ports: &mut Vec<Port>, key: Value, fits: impl Fn(&Port) -> bool) -> &mut Port {
    let place = ports.iter().position(fits).unwrap_or_else(|| {
        ports.push(Port {
            key: Some(key),
            ..Port::default()
        });
        ports.len() - 1
    });
    &mut ports[place]
}

/// Whether an update or delete can have the port of its key, in the clock of the port's `other` change, if that has one.
fn can_share(program: &Program, port: &Port, other: Option<Inst>, inst: Inst) -> bool {
    let is_free = |other: Inst| apart(program, other, inst) && can_move_up(program, other, inst);
    port.key == Some(program.insts[inst].args[0]) && other.is_none_or(is_free)
}

/// Whether no packet does both.
fn apart(program: &Program, a: Inst, b: Inst) -> bool {
    let guards = (program.insts[a].guard, program.insts[b].guard);
    matches!(guards, (Some(a), Some(b)) if are_disjoint(program, a, b))
}

/// Gives commits that can happen together different slots, stores first, then changes in program order.
pub fn take_turns(program: &Program, ports: Vec<Port>) -> Vec<Port> {
    let mut ports = stores_apart(program, ports);
    let insts = &program.blocks[program.region()].insts;
    let place = |port: &Port| {
        let first = |inst: &Inst| port.changes().any(|change| change == *inst);
        insts.iter().position(first).map_or(0, |at| at + 1)
    };
    let mut order: Vec<usize> = (0..ports.len()).collect();
    order.sort_by_key(|number| place(&ports[*number]));
    let mut done: Vec<usize> = Vec::new();
    for number in order {
        let writers: Vec<Inst> = ports[number].writers().collect();
        if writers.is_empty() {
            continue;
        }
        let together = |other: &usize| {
            ports[*other]
                .writers()
                .any(|a| writers.iter().any(|b| !apart(program, a, *b)))
        };
        let last = done.iter().filter(|other| together(other));
        ports[number].slot = last.map(|other| ports[*other].slot + 1).max().unwrap_or(0);
        done.push(number);
    }
    ports
}

/// Stores come before all changes. Where one packet can do both, under different keys, a store gets a port of its own.
fn stores_apart(program: &Program, mut ports: Vec<Port>) -> Vec<Port> {
    for number in 0..ports.len() {
        let Some(store) = ports[number].store else {
            continue;
        };
        let others = ports
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        let meets = others
            .flat_map(|(_, port)| port.changes())
            .any(|change| !apart(program, store, change));
        if !meets {
            continue;
        }
        let port = &mut ports[number];
        let own = Port {
            key: port.key,
            update: port.update.take(),
            delete: port.delete.take(),
            ..Port::default()
        };
        if own.changes().next().is_some() {
            ports.push(own);
        }
    }
    ports
}

/// Whether the second of two changes of a map can happen where the first one stands: no change between them can happen
/// to the same packet.
fn can_move_up(program: &Program, first: Inst, second: Inst) -> bool {
    let map = program.insts[first].op.map();
    let between = program.blocks[program.region()]
        .insts
        .iter()
        .skip_while(|inst| **inst != first)
        .skip(1)
        .take_while(|inst| **inst != second);
    between
        .filter(|inst| {
            let op = &program.insts[**inst].op;
            op.map() == map && matches!(op, Op::MapUpdate(_) | Op::MapDelete(_))
        })
        .all(|inst| apart(program, *inst, second))
}

/// Makes ports of written maps with keys one when no packet needs both. Gives whether anything changed.
pub fn share(program: &mut Program) -> bool {
    let mut changed = false;
    for map in program.maps.keys().collect::<Vec<_>>() {
        while share_two(program, map) {
            changed = true;
        }
    }
    changed
}

fn share_two(program: &mut Program, map: MapId) -> bool {
    let all = ports(program, map);
    let written = all.iter().any(|port| port.writers().next().is_some());
    if program.maps[map].is_array() || !written {
        return false;
    }
    for (at, a) in all.iter().enumerate() {
        for b in &all[at + 1..] {
            if !exclusive(program, a, b) {
                continue;
            }
            let before = program.clone();
            if join(program, a, b) && region::sort(program).is_ok() {
                return true;
            }
            *program = before;
        }
    }
    false
}

/// The condition under which a packet needs a port; absent: nobody knows.
fn needed(program: &mut Program, port: &Port) -> Option<Value> {
    let mut guards = Vec::new();
    for inst in port.lookup.into_iter().chain(port.writers()) {
        guards.push(program.insts[inst].guard?);
    }
    let lookup = port.lookup.and_then(|inst| program.insts[inst].guard);
    if let Some(lookup) = lookup {
        if guards.iter().all(|guard| implies(program, *guard, lookup)) {
            return Some(lookup);
        }
    }
    let region = program.region();
    guards
        .into_iter()
        .reduce(|a, b| program.append1(region, Op::Or, vec![a, b], 1, None))
}

/// Whether no packet needs both ports.
fn exclusive(program: &Program, a: &Port, b: &Port) -> bool {
    let asks =
        |port: &Port| -> Vec<Inst> { port.lookup.into_iter().chain(port.writers()).collect() };
    let (a, b) = (asks(a), asks(b));
    a.iter().all(|x| b.iter().all(|y| apart(program, *x, *y)))
}

/// Joins two ports of which no packet needs both. When it gives false, the program is left half changed.
fn join(program: &mut Program, a: &Port, b: &Port) -> bool {
    if !changes_can_meet(program, a, b) {
        return false;
    }
    let Some(key) = shared_key(program, a, b) else {
        return false;
    };
    for inst in [a, b]
        .into_iter()
        .flat_map(|port| port.lookup.into_iter().chain(port.changes()))
    {
        program.insts[inst].args[0] = key;
    }
    let picks: [fn(&Port) -> Option<Inst>; 4] = [
        |port| port.lookup,
        |port| port.store,
        |port| port.update,
        |port| port.delete,
    ];
    for pick in picks {
        if let (Some(first), Some(second)) = (pick(a), pick(b)) {
            one_of_two(program, first, second);
        }
    }
    if let (Some(first), Some(second)) = (a.loads.first(), b.loads.first()) {
        let (new, old) = (
            program.insts[*first].results[0],
            program.insts[*second].results[0],
        );
        remove(program, *second);
        program.replace_uses(old, new);
    }
    true
}

/// Whether the later of two changes of the ports can always happen where the earlier one stands.
fn changes_can_meet(program: &Program, a: &Port, b: &Port) -> bool {
    let insts = &program.blocks[program.region()].insts;
    let place = |inst: Inst| insts.iter().position(|other| *other == inst);
    a.changes().all(|x| {
        b.changes().all(|y| match place(x) < place(y) {
            true => can_move_up(program, x, y),
            false => can_move_up(program, y, x),
        })
    })
}

/// The key of the port that two become. `None`: it, or the choice, would follow from what the shared port gives.
fn shared_key(program: &mut Program, a: &Port, b: &Port) -> Option<Value> {
    let (key_a, key_b) = (a.key?, b.key?);
    let given: HashSet<Value> = a
        .insts()
        .chain(b.insts())
        .flat_map(|inst| program.insts[inst].results.clone())
        .collect();
    if key_a == key_b {
        return (!follows(program, key_a, &given)).then_some(key_a);
    }
    let (needs_a, needs_b) = (needed(program, a)?, needed(program, b)?);
    let choices = [(needs_a, key_a, key_b), (needs_b, key_b, key_a)];
    let is_early = |value: Value| !follows(program, value, &given);
    let choice = choices.into_iter().find(|choice| is_early(choice.0));
    let (condition, yes, no) = choice.filter(|(_, yes, no)| is_early(*yes) && is_early(*no))?;
    Some(select(program, condition, yes, no))
}

/// Whether a value follows, directly or not, from one of the others.
fn follows(program: &Program, value: Value, from: &HashSet<Value>) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if from.contains(&value) {
            return true;
        }
        if let ValueDef::Result(inst, _) = program.values[value].def {
            if seen.insert(inst) {
                let data = &program.insts[inst];
                todo.extend(data.args.iter().chain(&data.guard));
            }
        }
    }
    false
}

fn select(program: &mut Program, condition: Value, yes: Value, no: Value) -> Value {
    if yes == no {
        return yes;
    }
    let width = program.width(yes);
    let region = program.region();
    program.append1(region, Op::Select, vec![condition, yes, no], width, None)
}

/// Makes the first instruction do what either does. Nobody looks at the results of one that does not happen.
fn one_of_two(program: &mut Program, first: Inst, second: Inst) {
    let region = program.region();
    let place = |inst: Inst| {
        program.blocks[region]
            .insts
            .iter()
            .position(|other| *other == inst)
    };
    let (first, second) = match place(first) < place(second) {
        true => (first, second),
        false => (second, first),
    };
    let (one, two) = (program.insts[first].clone(), program.insts[second].clone());
    let guards = one.guard.zip(two.guard);
    let (Some((guard, other)), false) = (guards, first == second) else {
        return;
    };
    let mut args = one.args.clone();
    // Keys and entries are those of the port.
    for (arg, other) in args.iter_mut().zip(&two.args).skip(1) {
        *arg = select(program, guard, *arg, *other);
    }
    let either = program.append1(region, Op::Or, vec![guard, other], 1, None);
    program.insts[first].args = args;
    program.insts[first].guard = Some(either);
    remove(program, second);
    for (old, new) in two.results.iter().zip(one.results) {
        program.replace_uses(*old, new);
    }
}

fn remove(program: &mut Program, inst: Inst) {
    let region = program.region();
    program.blocks[region].insts.retain(|other| *other != inst);
}
