//! Map operations that exclude each other become one (dataflow phase).
//!
//! ```text
//! v4, v5 = map.lookup flows, v2, if v0          v8 = select v0, v2, v3
//! v6, v7 = map.lookup flows, v3, if v1     →    v9 = or v0, v1
//!                                               v4, v5 = map.lookup flows, v8, if v9
//! ```
//!
//! A port of a map's memory serves one operation for each packet. A program that looks up the same map in four branches
//! needs one port, not four, when no packet takes two of the branches: when the guards are disjoint
//! ([`crate::conditions`]).
//!
//! Two operations may be merged when no chain of dependences leads from the first to the second: through values, or
//! through effects on the same map of which one writes what the other touches and whose guards are not disjoint. The
//! region is then sorted anew. The dataflow phase is the place for it, because in control flow the operations stand in
//! different blocks, and which blocks exclude each other after joins is what guards say.
//!
//! The results of an operation that does not happen are 0, so each old result is the new one behind its old guard,
//! unless it is used as an address only: then nobody looks when the guard is 0.

mod order;

use crate::conditions::{are_disjoint, Literals};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Inst, InstData, Op, Phase, Program, Value};
use order::Dependences;
use std::collections::HashMap;

/// In any other phase than dataflow the pass does nothing.
pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    if program.phase != Phase::Dataflow {
        return Ok(false);
    }
    let mut guards = Guards::default();
    let mut changed = false;
    while let Some((first, second, dependences)) = find_pair(program, &mut guards) {
        if let Some(merged) = merge(program, first, second) {
            order::sort(program, dependences, [first, second], merged);
        }
        changed = true;
    }
    Ok(changed)
}

/// Answers about pairs of guards, remembered.
#[derive(Default)]
pub struct Guards {
    disjoint: HashMap<(Value, Value), bool>,
}

impl Guards {
    pub fn are_disjoint(&mut self, program: &Program, a: Option<Value>, b: Option<Value>) -> bool {
        let (Some(a), Some(b)) = (a, b) else {
            return false;
        };
        *self
            .disjoint
            .entry((a.min(b), a.max(b)))
            .or_insert_with(|| are_disjoint(program, a, b))
    }
}

fn find_pair(program: &Program, guards: &mut Guards) -> Option<(Inst, Inst, Dependences)> {
    let region = program.region();
    type Kind = (Op, Vec<u32>);
    let mut kinds: Vec<(Kind, Vec<Inst>)> = Vec::new();
    for &inst in &program.blocks[region].insts {
        let data = &program.insts[inst];
        if data.op.map().is_none() || data.guard.is_none() {
            continue;
        }
        let values = data.args.iter().chain(&data.results);
        let widths = values.map(|&value| program.width(value)).collect();
        let kind = (data.op.clone(), widths);
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, insts)) => insts.push(inst),
            None => kinds.push((kind, vec![inst])),
        }
    }
    kinds.retain(|(_, insts)| insts.len() > 1);
    if kinds.is_empty() {
        return None;
    }
    let dependences = Dependences::new(program, guards);
    for (_, insts) in &kinds {
        for (index, &first) in insts.iter().enumerate() {
            for &second in &insts[index + 1..] {
                let (a, b) = (program.insts[first].guard, program.insts[second].guard);
                if chooses_pointer(program, first, second)
                    || chooses_late(program, &dependences, first, second)
                {
                    continue;
                }
                if guards.are_disjoint(program, a, b) && !dependences.leads(first, second) {
                    return Some((first, second, dependences));
                }
            }
        }
    }
    None
}

/// One of both would go through a pointer that may come from several lookups, which costs more than it gives.
fn chooses_pointer(program: &Program, first: Inst, second: Inst) -> bool {
    let (a, b) = (&program.insts[first], &program.insts[second]);
    let by_entry = matches!(a.op, Op::MapLoad(_) | Op::MapStore(_) | Op::MapAtomic(..));
    let has_keys = a.op.map().is_some_and(|map| !program.maps[map].is_array());
    by_entry && has_keys && a.args[0] != b.args[0]
}

/// One of both would write at an index that follows from what the map holds, where both indexes are known earlier.
fn chooses_late(program: &Program, dependences: &Dependences, first: Inst, second: Inst) -> bool {
    let (a, b) = (&program.insts[first], &program.insts[second]);
    let same = |x, y| {
        x == y
            || program
                .as_const(x)
                .is_some_and(|x| Some(x) == program.as_const(y))
    };
    let Some(map) =
        a.op.map()
            .filter(|_| a.op.writes() && !same(a.args[0], b.args[0]))
    else {
        return false;
    };
    let reads = |value| dependences.reads_for(program, value, map);
    a.guard.is_some_and(reads) && !reads(a.args[0]) && !reads(b.args[0])
}

/// Makes one operation of two, which stands where the second one stood. Users of the first may stand before it then.
fn merge(program: &mut Program, first: Inst, second: Inst) -> Option<Inst> {
    let region = program.region();
    let (a, b) = (program.insts[first].clone(), program.insts[second].clone());
    let (guard_a, guard_b) = (a.guard?, b.guard?);
    let place = a.place.or(b.place);
    let mut made = Vec::new();
    let mut make = |program: &mut Program, op: Op, args: Vec<Value>, width: u32| {
        let inst = program.make_inst(op, args, &[width], place);
        made.push(inst);
        program.insts[inst].results[0]
    };
    let guard = make(program, Op::Or, vec![guard_a, guard_b], 1);
    let mut args = Vec::with_capacity(a.args.len());
    for (&x, &y) in a.args.iter().zip(&b.args) {
        let same =
            x == y || (program.as_const(x).is_some() && program.as_const(x) == program.as_const(y));
        args.push(if same {
            x
        } else {
            let width = program.width(x);
            make(program, Op::Select, vec![guard_a, x, y], width)
        });
    }
    let widths: Vec<u32> = a
        .results
        .iter()
        .map(|&value| program.width(value))
        .collect();
    let merged = program.make_inst(a.op.clone(), args, &widths, place);
    program.insts[merged].guard = Some(guard);
    made.push(merged);
    let mut became = HashMap::new();
    for (old, guard) in [(&a, guard_a), (&b, guard_b)] {
        for (index, &result) in old.results.iter().enumerate() {
            let new = program.insts[merged].results[index];
            if let Some(name) = program.values[result].name.clone() {
                program.name_value(new, &name);
            }
            let masked = if is_address_only(program, result, old, guard) {
                new
            } else {
                behind_guard(program, &mut made, old, new, guard)
            };
            became.insert(result, masked);
        }
    }
    let mut insts = Vec::with_capacity(program.blocks[region].insts.len() + made.len());
    for inst in std::mem::take(&mut program.blocks[region].insts) {
        if inst == second {
            insts.append(&mut made);
        } else if inst != first {
            insts.push(inst);
        }
    }
    program.blocks[region].insts = insts;
    program.replace_all(&became);
    Some(merged)
}

/// The value when the guard is 1, else 0.
fn behind_guard(
    program: &mut Program,
    made: &mut Vec<Inst>,
    old: &InstData,
    value: Value,
    guard: Value,
) -> Value {
    let width = program.width(value);
    let inst = if width == 1 {
        program.make_inst(Op::And, vec![guard, value], &[1], old.place)
    } else {
        let zero = program.make_inst(Op::Const(Bits::zero(width)), Vec::new(), &[width], None);
        made.push(zero);
        let zero = program.insts[zero].results[0];
        program.make_inst(Op::Select, vec![guard, value, zero], &[width], old.place)
    };
    made.push(inst);
    program.insts[inst].results[0]
}

/// Whether a result of `old` is only used as the entry of map accesses that do not happen when the guard is 0, or of
/// loads, whose result nobody looks at then (see [`Op::MapLoad`]).
fn is_address_only(program: &Program, result: Value, old: &InstData, guard: Value) -> bool {
    if !matches!(old.op, Op::MapLookup(_)) || result != old.results[1] {
        return false;
    }
    let region = program.region();
    if program.blocks[region].terminator.uses().contains(&result) {
        return false;
    }
    program.blocks[region].insts.iter().all(|&inst| {
        let data = &program.insts[inst];
        let uses = data.uses().filter(|&used| used == result).count();
        let as_entry = uses == 1 && data.op.map().is_some() && data.args[0] == result;
        uses == 0
            || match data.op {
                Op::MapLoad(_) => as_entry,
                Op::MapStore(_) | Op::MapAtomic(..) => {
                    let implied = data.guard.is_some_and(|other| {
                        let given = Literals::of(program, other, true);
                        [guard, old.results[0]]
                            .iter()
                            .any(|&needed| given.decide(program, needed) == Some(true))
                    });
                    as_entry && implied
                }
                _ => false,
            }
    })
}
