//! Values that are read or written through a pointer whose memory may belong to another entry by then.
//!
//! ```text
//! v1, v2 = map.lookup @m v0
//! v5 = map.update @m v0, v3, v4      the element that v2 is leaves the map
//! v8 = map.update @m v6, v7, v4      a new element takes its memory
//! v9 = map.load @m v2, 0             refused
//! ```
//!
//! After one change a judge does what the interpreter does: the element that left keeps its value. A later update may
//! take its memory for what it puts in, be it of the same key or of another one: the element that an update replaces
//! may be the spare one of the next update, and one that was deleted the first of a free list. So there
//! is no answer that all judges and tables agree on. Where an update writes the old element itself
//! ([`hardpath_ir::MapDecl::in_place`]), only a delete lets it go.
//!
//! An access is refused when four things can happen to one packet in this order: a lookup that gives what the access goes
//! through, a change that may let that element go, an update, and the access. Lookups behind the changes are fine,
//! and so are changes on ways that exclude each other.

use crate::refuse::{refusal, short_place};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Answer, Bits, Inst, MapId, May, Op, Program, Value, ValueDef};
use hardpath_passes::{are_disjoint, never_together, Literal};
use std::collections::{HashMap, HashSet};

/// A pointer is taken apart into so many ways to lookups; with more of them, any lookup counts.
const MOST_WAYS: usize = 64;

/// Checks a program in the dataflow phase, before accesses become whole words; gives a refusal for each map and pointer.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (map, decl) in program.maps.iter() {
        let region = program.blocks[program.region()].insts.iter();
        let ops = region.map(|inst| &program.insts[*inst].op);
        let changes = ops.filter(|op| op.map() == Some(map) && op.changes_keys());
        if !decl.is_array() && changes.count() > 1 {
            errors.extend(Search::new(program, map).all());
        }
    }
    errors
}

/// Something that the program does to the map, with its place in the order.
#[derive(Clone, Copy)]
struct Step {
    inst: Inst,
    at: usize,
}

/// A lookup that may have given a pointer, and the conditions of that.
type Way = (Step, Vec<Literal>);

struct Search {
    /// A copy, in which questions become values.
    program: Program,
    map: MapId,
    lookups: Vec<Step>,
    changes: Vec<Step>,
    /// Loads, stores and atomics.
    accesses: Vec<Step>,
    disjoint: HashMap<(Value, Value), bool>,
    /// Of updates and deletes: the condition that they succeed.
    succeeds: HashMap<Inst, Value>,
}

impl Search {
    fn new(program: &Program, map: MapId) -> Search {
        let (mut lookups, mut changes, mut accesses) = (Vec::new(), Vec::new(), Vec::new());
        for (at, inst) in program.blocks[program.region()].insts.iter().enumerate() {
            let op = &program.insts[*inst].op;
            let all = match op {
                _ if op.map() != Some(map) => continue,
                Op::MapLookup(_) => &mut lookups,
                op if op.changes_keys() => &mut changes,
                _ => &mut accesses,
            };
            all.push(Step { inst: *inst, at });
        }
        Search {
            program: program.clone(),
            map,
            lookups,
            changes,
            accesses,
            disjoint: HashMap::new(),
            succeeds: HashMap::new(),
        }
    }

    fn all(&mut self) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        let mut refused: HashSet<Value> = HashSet::new();
        // Accesses with the same changes in front of them have the same answer.
        let mut fine: HashSet<(Value, Option<Value>, usize)> = HashSet::new();
        for access in self.accesses.clone() {
            let data = &self.program.insts[access.inst];
            let (entry, guard) = (data.args[0], data.guard);
            let before = self.changes.iter().filter(|change| change.at < access.at);
            let before = before.count();
            if before < 2 || refused.contains(&entry) || !fine.insert((entry, guard, before)) {
                continue;
            }
            if let Some(steps) = self.recycled(access, entry) {
                refused.insert(entry);
                errors.push(self.refusal(access.inst, steps));
            }
        }
        errors
    }

    /// The lookup and the two changes because of which an access has no right answer.
    fn recycled(&mut self, access: Step, entry: Value) -> Option<[Inst; 3]> {
        for (lookup, conditions) in self.ways(entry, access.at) {
            let inside = |change: &&Step| lookup.at < change.at && change.at < access.at;
            let changes: Vec<Step> = self.changes.iter().filter(inside).copied().collect();
            for (number, first) in changes.iter().enumerate() {
                if !self.lets_go(lookup.inst, first.inst) {
                    continue;
                }
                for second in &changes[number + 1..] {
                    let steps = [lookup.inst, first.inst, second.inst];
                    if self.takes(second.inst) && self.can_happen(steps, access.inst, &conditions) {
                        return Some(steps);
                    }
                }
            }
        }
        None
    }

    /// Whether a change may take out of the map what a lookup found.
    fn lets_go(&self, lookup: Inst, change: Inst) -> bool {
        let decl = &self.program.maps[self.map];
        let data = &self.program.insts[change];
        let replaces = match data.op {
            Op::MapDelete(_) => true,
            _ => !decl.in_place && self.may(change).is_none_or(|may| may.replace),
        };
        // Different keys may have the same longest prefix.
        let key = self.program.insts[lookup].args[0];
        replaces && (decl.is_matched() || may_be_equal(&self.program, key, data.args[0]))
    }

    /// Whether a change may take memory for a new element.
    fn takes(&self, change: Inst) -> bool {
        let in_place = self.program.maps[self.map].in_place;
        let is_update = matches!(self.program.insts[change].op, Op::MapUpdate(_));
        is_update
            && match self.may(change) {
                Some(May::REPLACE) => !in_place,
                Some(may) => may.create,
                None => true,
            }
    }

    /// What an update may do, when that is constant.
    fn may(&self, update: Inst) -> Option<May> {
        let may = self.program.insts[update].args[2];
        let bits = self.program.as_const(may)?.as_u64()?;
        Some(May::from_bits(bits as u32))
    }

    /// Whether one packet may do all of this.
    fn can_happen(&mut self, steps: [Inst; 3], access: Inst, conditions: &[Literal]) -> bool {
        let [lookup, first, second] = steps;
        let guards: Vec<Value> = [lookup, first, second, access]
            .iter()
            .filter_map(|inst| self.program.insts[*inst].guard)
            .collect();
        for (number, a) in guards.iter().enumerate() {
            for b in &guards[number + 1..] {
                if self.are_disjoint(*a, *b) {
                    return false;
                }
            }
        }
        let mut all: Vec<Literal> = conditions.to_vec();
        all.extend(guards.into_iter().map(|guard| (guard, true)));
        all.push((self.program.insts[lookup].results[0], true));
        all.push((self.succeeds(first), true));
        // A table that forgets may put the value into free memory before it looks whether it may.
        if !self.program.maps[self.map].forgets {
            all.push((self.succeeds(second), true));
        }
        !never_together(&self.program, &all)
    }

    fn are_disjoint(&mut self, a: Value, b: Value) -> bool {
        let program = &self.program;
        *self
            .disjoint
            .entry((a.min(b), a.max(b)))
            .or_insert_with(|| are_disjoint(program, a, b))
    }

    fn succeeds(&mut self, change: Inst) -> Value {
        let program = &mut self.program;
        *self.succeeds.entry(change).or_insert_with(|| {
            let region = program.region();
            let result = program.insts[change].results[0];
            let zero = program.append_const(region, Bits::zero(Answer::BITS));
            program.append1(region, Op::Eq, vec![result, zero], 1, None)
        })
    }

    /// The lookups that an entry may come from.
    fn ways(&self, entry: Value, before: usize) -> Vec<Way> {
        let mut ways = Vec::new();
        if self.collect(entry, &mut Vec::new(), &mut ways).is_some() {
            return ways;
        }
        let earlier = self.lookups.iter().filter(|lookup| lookup.at < before);
        earlier.map(|lookup| (*lookup, Vec::new())).collect()
    }

    /// `None`: it may come from anywhere.
    fn collect(&self, value: Value, above: &mut Vec<Literal>, ways: &mut Vec<Way>) -> Option<()> {
        let program = &self.program;
        if program.as_const(value).is_some() {
            // The null pointer.
            return Some(());
        }
        let ValueDef::Result(inst, _) = program.values[value].def else {
            return None;
        };
        let data = &program.insts[inst];
        match data.op {
            Op::MapLookup(_) => {
                let lookup = self.lookups.iter().find(|lookup| lookup.inst == inst)?;
                ways.push((*lookup, above.clone()));
                (ways.len() <= MOST_WAYS).then_some(())
            }
            Op::Select => {
                for (arg, holds) in [(data.args[1], true), (data.args[2], false)] {
                    above.push((data.args[0], holds));
                    self.collect(arg, above, ways)?;
                    above.pop();
                }
                Some(())
            }
            // Several values behind masks of which one is set.
            Op::Or => data
                .args
                .iter()
                .try_for_each(|arg| self.collect(*arg, above, ways)),
            Op::And => {
                let condition = |mask: Value| {
                    let mask = program.def_inst(mask)?;
                    let is_mask = mask.op == Op::SExt && program.width(mask.args[0]) == 1;
                    is_mask.then(|| mask.args[0])
                };
                let (a, b) = (data.args[0], data.args[1]);
                let (condition, other) = match (condition(a), condition(b)) {
                    (Some(condition), _) => (condition, b),
                    (_, Some(condition)) => (condition, a),
                    _ => return None,
                };
                above.push((condition, true));
                self.collect(other, above, ways)?;
                above.pop();
                Some(())
            }
            _ => None,
        }
    }

    fn refusal(&self, access: Inst, [lookup, first, second]: [Inst; 3]) -> Diagnostic {
        let program = &self.program;
        let name = &program.maps[self.map].name;
        let does = match program.insts[access].op {
            Op::MapLoad(_) => "read",
            Op::MapStore(_) => "written",
            _ => "changed",
        };
        let change = |inst: Inst| match program.insts[inst].op {
            Op::MapDelete(_) => "a delete",
            _ => "an update",
        };
        let message = format!(
            "a value of map {name} is {does} through a pointer whose memory may belong to another entry by then: behind \
             the lookup{} come {}{}, which may let it go, and {}{}, which may take it",
            short_place(program, lookup),
            change(first),
            short_place(program, first),
            change(second),
            short_place(program, second),
        );
        let help = "what software does here depends on the map's type and history: use the value before the second of \
                    these changes, or look the key up again behind it";
        refusal(program, access, "old-pointer", message, help)
    }
}

/// Whether two keys may be the same: not when a constant part of them differs.
fn may_be_equal(program: &Program, a: Value, b: Value) -> bool {
    if let (Some(a), Some(b)) = (program.as_const(a), program.as_const(b)) {
        return a == b;
    }
    let parts = |value: Value| {
        let data = program.def_inst(value)?;
        (data.op == Op::Concat).then_some(&data.args)
    };
    let (Some(a), Some(b)) = (parts(a), parts(b)) else {
        return true;
    };
    let mut widths = a.iter().zip(b);
    let aligned = a.len() == b.len() && widths.all(|(a, b)| program.width(*a) == program.width(*b));
    !aligned || a.iter().zip(b).all(|(a, b)| may_be_equal(program, *a, *b))
}
