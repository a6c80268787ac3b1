//! What operations cost where they stand: beside the levels of their logic, those of long wires and of time that is for nothing.

use super::between;
use crate::delay::{is_wiring, Timing};
use crate::plan::Access;
use hardpath_ir::{Inst, Op, Program, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// A sum of so few bits is logic.
const NARROW_SUM: u32 = 3;

/// Levels of a program's operations.
#[derive(Clone, Debug)]
pub struct Costs {
    timing: Timing,
    /// The carry chains that nobody waits for: [`beside_chain`](crate::technology::Technology::beside_chain).
    pub calm: HashSet<Inst>,
    /// The conditions of wide choices, but for those in hazard windows, of which each stage has its price:
    /// [`wide_choice`](crate::technology::Technology::wide_choice).
    wide: HashSet<Inst>,
}

impl Costs {
    /// `depends`: for each access, what depends on what it reads. `is_calm`: there are chains that nobody waits for.
    pub(super) fn new(
        program: &Program,
        plan: &[Access],
        timing: Timing,
        (depends, is_calm): (&[HashSet<Inst>], bool),
    ) -> Costs {
        let windows = || between(program, plan, depends, Access::is_written);
        Costs {
            timing,
            calm: match is_calm {
                true => calm(program, plan, depends),
                false => HashSet::new(),
            },
            wide: match timing.technology.wide_choice {
                Some((bits, _)) => &conditions(program, bits) - &windows(),
                None => HashSet::new(),
            },
        }
    }

    /// Levels of a pure operation.
    pub fn of(&self, program: &Program, inst: Inst) -> f64 {
        let (data, technology) = (&program.insts[inst], self.timing.technology);
        let width = program.width(data.results[0]);
        let mut levels = technology.levels(program, &data.op, &data.args, width);
        if self.calm.contains(&inst) {
            levels += technology.beside_chain;
        }
        if let (Some((_, wire)), true) = (technology.wide_choice, self.wide.contains(&inst)) {
            // One that takes its clock for itself has no choice behind it.
            levels += wire.min((self.timing.budget() - levels).max(0.0));
        }
        levels
    }
}

/// The carry chains that are in no window: time for them costs a stage at most.
fn calm(program: &Program, plan: &[Access], depends: &[HashSet<Inst>]) -> HashSet<Inst> {
    let is_written = |(access, depends): (&Access, _)| access.is_written().then_some(depends);
    let hasty: Vec<&HashSet<Inst>> = plan.iter().zip(depends).filter_map(is_written).collect();
    let insts = program.blocks[program.region()].insts.iter().copied();
    insts
        .filter(|inst| is_chain(program, *inst) && !hasty.iter().any(|all| all.contains(inst)))
        .collect()
}

/// The logic that says for at least so many bits which ones are chosen.
fn conditions(program: &Program, least: u32) -> HashSet<Inst> {
    let mut bits: HashMap<Inst, u32> = HashMap::new();
    let insts = program.blocks[program.region()].insts.iter();
    for data in insts.map(|inst| &program.insts[*inst]) {
        let condition = data.args.first().filter(|_| data.op == Op::Select);
        if let Some(inst) = condition.and_then(|value| without_not(program, *value)) {
            *bits.entry(inst).or_default() += program.width(data.results[0]);
        }
    }
    let wide = bits.into_iter().filter(|(inst, bits)| {
        let op = &program.insts[*inst].op;
        *bits >= least && op.is_pure() && !is_wiring(op)
    });
    wide.map(|(inst, _)| inst).collect()
}

/// What gives a value, or what it is the inverse of.
fn without_not(program: &Program, value: Value) -> Option<Inst> {
    let ValueDef::Result(inst, _) = program.values[value].def else {
        return None;
    };
    match program.insts[inst].op {
        Op::Not => without_not(program, program.insts[inst].args[0]),
        _ => Some(inst),
    }
}

/// An operation becomes a carry chain.
pub fn is_chain(program: &Program, inst: Inst) -> bool {
    let data = &program.insts[inst];
    let has_constant = data.args.iter().any(|arg| program.as_const(*arg).is_some());
    let is_wide = data.args.iter().any(|arg| program.width(*arg) > NARROW_SUM);
    match data.op {
        Op::Add | Op::Sub => is_wide,
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => is_wide && !has_constant,
        _ => false,
    }
}
