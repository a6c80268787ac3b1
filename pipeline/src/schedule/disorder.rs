//! Why windows cannot be brought into an order.
//!
//! All accesses of the window that is replayed commit in its last stage, and what an update or delete gives is known behind
//! that. So no access of the window can wait for it, but for a write that has a later turn: whether that leaves time is the
//! clock's business.

use crate::clock::Misfit;
use crate::plan::{Access, Gate};
use crate::recurrence::needs;
use crate::refuse::{needs_result, refusal};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Inst, Program, Value};
use std::collections::{HashMap, HashSet};

/// An update or delete of the replayed window, and the first access of the window that waits for what it gives.
pub fn needs_commit(program: &Program, plan: &[Access]) -> Option<(Inst, Inst)> {
    let replayed = |access: &&Access| access.gate() == Some(Gate::Replay);
    let ports = plan
        .iter()
        .filter(replayed)
        .flat_map(|access| &access.ports);
    let turns = ports.flat_map(|port| port.insts().map(|inst| (inst, port.slot)));
    let members: HashMap<Inst, u32> = turns.collect();
    let insts = &program.blocks[program.region()].insts;
    let all = insts.iter().filter(|inst| members.contains_key(inst));
    let mut changes = all.filter(|inst| program.insts[**inst].op.changes_keys());
    changes.find_map(|change| Some((*change, waits_for(program, *change, &members)?)))
}

/// `members`: the accesses of the window, with their turns.
fn waits_for(program: &Program, change: Inst, members: &HashMap<Inst, u32>) -> Option<Inst> {
    let mut known: HashSet<Value> = program.insts[change].results.iter().copied().collect();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if !needs(data).any(|value| known.contains(&value)) {
            continue;
        }
        let in_time = |turn: &u32| {
            let by_key = known.contains(&data.args[0]);
            members[&change] < *turn && data.op.writes() && !by_key
        };
        if members.get(inst).is_some_and(|turn| !in_time(turn)) {
            return Some(*inst);
        }
        known.extend(&data.results);
    }
    None
}

/// What to say. `waits`: an access that waits for a commit of its own window.
pub fn misfit(program: &Program, plan: &[Access], waits: Option<(Inst, Inst)>) -> Misfit {
    if let Some(pair) = waits {
        return Misfit::Refused(vec![needs_result(program, &[pair])]);
    }
    let gated: Vec<&Access> = plan
        .iter()
        .filter(|access| access.gate().is_some())
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for access in &gated {
        let name = program.maps[access.map].name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let message = match names.as_slice() {
        [name] => format!("the accesses of map {name} cannot be brought into an order"),
        names => format!(
            "the accesses of maps {} cannot be brought into an order",
            in_a_row(names)
        ),
    };
    let help = "read all of them before writing any, or keep what belongs together in one map";
    let insts: Vec<Inst> = gated.iter().flat_map(|access| access.insts()).collect();
    let placed = insts
        .iter()
        .find(|inst| program.insts[**inst].place.is_some());
    Misfit::Disordered(match placed.or(insts.first()) {
        Some(inst) => refusal(program, *inst, "merged-windows", message, help),
        None => Diagnostic::refused("merged-windows", message).help(help),
    })
}

/// `a, b and c`.
fn in_a_row(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}
