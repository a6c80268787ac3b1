//! What must come before what in a dataflow region.

use super::Guards;
use cranelift_entity::SecondaryMap;
use hardpath_ir::{Inst, MapId, Op, Program, Value, ValueDef};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For each instruction those that must come before it.
pub struct Dependences {
    /// Because it uses their results.
    values: SecondaryMap<Inst, Vec<Inst>>,
    /// Because the order of their effects matters.
    effects: SecondaryMap<Inst, Vec<Inst>>,
}

impl Dependences {
    pub fn new(program: &Program, guards: &mut Guards) -> Dependences {
        let region = program.region();
        let mut effects: SecondaryMap<Inst, Vec<Inst>> = SecondaryMap::new();
        let mut seen: Vec<Inst> = Vec::new();
        for &inst in &program.blocks[region].insts {
            let data = &program.insts[inst];
            if data.op.is_pure() {
                continue;
            }
            for &earlier in &seen {
                let other = &program.insts[earlier];
                if conflict(&other.op, &data.op)
                    && !guards.are_disjoint(program, other.guard, data.guard)
                {
                    effects[inst].push(earlier);
                }
            }
            seen.push(inst);
        }
        let values = makers(program);
        Dependences { values, effects }
    }

    /// Whether `last` must come after `first`.
    pub fn leads(&self, first: Inst, last: Inst) -> bool {
        let mut seen: SecondaryMap<Inst, bool> = SecondaryMap::new();
        let mut work = vec![last];
        while let Some(inst) = work.pop() {
            if inst == first {
                return true;
            }
            if !std::mem::replace(&mut seen[inst], true) {
                work.extend(&self.values[inst]);
                work.extend(&self.effects[inst]);
            }
        }
        false
    }

    /// Whether a value follows from what is read of a map.
    pub fn reads_for(&self, program: &Program, value: Value, map: MapId) -> bool {
        let mut seen: SecondaryMap<Inst, bool> = SecondaryMap::new();
        let made_by = |value: Value| match program.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        };
        let mut work: Vec<Inst> = made_by(value).into_iter().collect();
        while let Some(inst) = work.pop() {
            if program.insts[inst].op.map() == Some(map) {
                return true;
            }
            if !std::mem::replace(&mut seen[inst], true) {
                work.extend(&self.values[inst]);
            }
        }
        false
    }
}

/// The instructions whose results each instruction uses.
fn makers(program: &Program) -> SecondaryMap<Inst, Vec<Inst>> {
    let mut makers: SecondaryMap<Inst, Vec<Inst>> = SecondaryMap::new();
    for &inst in &program.blocks[program.region()].insts {
        for value in program.insts[inst].uses() {
            if let ValueDef::Result(from, _) = program.values[value].def {
                makers[inst].push(from);
            }
        }
    }
    makers
}

/// Whether the order of two effects that both happen matters.
fn conflict(a: &Op, b: &Op) -> bool {
    if !a.writes() && !b.writes() {
        return false;
    }
    match (a.map(), b.map()) {
        (Some(x), Some(y)) if x != y => false,
        (Some(_), Some(_)) => {
            // A lookup depends on which keys there are, not on what their values hold.
            let is_lookup = |op: &Op| matches!(op, Op::MapLookup(_));
            let is_value_write = |op: &Op| matches!(op, Op::MapStore(_) | Op::MapAtomic(..));
            !(is_lookup(a) && is_value_write(b) || is_value_write(a) && is_lookup(b))
        }
        (None, None) => {
            let is_stack = |op: &Op| matches!(op, Op::StackLoad | Op::StackStore);
            is_stack(a) == is_stack(b)
        }
        _ => false,
    }
}

/// Sorts the region after two effects have become one: as it is now, as far as dependences allow. `dependences` are
/// those from before; the order of effects is the one that held then, the new effect has the place of both.
pub fn sort(program: &mut Program, dependences: Dependences, old: [Inst; 2], merged: Inst) {
    let region = program.region();
    let mut before = makers(program);
    let new_name = |inst: Inst| if old.contains(&inst) { merged } else { inst };
    for inst in program.blocks[region].insts.iter().chain(&old) {
        let to = new_name(*inst);
        let from = dependences.effects[*inst]
            .iter()
            .map(|&from| new_name(from));
        before[to].extend(from.filter(|&from| from != to));
    }
    let insts = std::mem::take(&mut program.blocks[region].insts);
    let mut after: SecondaryMap<Inst, Vec<Inst>> = SecondaryMap::new();
    let mut missing: SecondaryMap<Inst, usize> = SecondaryMap::new();
    let mut place: SecondaryMap<Inst, usize> = SecondaryMap::new();
    let mut ready = BinaryHeap::new();
    for (index, &inst) in insts.iter().enumerate() {
        place[inst] = index;
        missing[inst] = before[inst].len();
        for &from in &before[inst] {
            after[from].push(inst);
        }
        if missing[inst] == 0 {
            ready.push(Reverse(index));
        }
    }
    let mut sorted = Vec::with_capacity(insts.len());
    while let Some(Reverse(index)) = ready.pop() {
        let inst = insts[index];
        sorted.push(inst);
        for &next in &after[inst] {
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.push(Reverse(place[next]));
            }
        }
    }
    debug_assert_eq!(sorted.len(), insts.len(), "a cycle of dependences");
    program.blocks[region].insts = sorted;
}
