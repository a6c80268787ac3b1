//! What is put together where ways meet is put together on each way: several values that are moved there become one.
//!
//! ```text
//! block1: … jump block3 (t5 = t1, t6 = t2)          block1: … t7 = insert t1, t2; jump block3
//! block2: … jump block3 (t5 = t3, t6 = t4)     →    block2: … t7 = insert t3, t4; jump block3
//! block3: t7 = insert t5, t6 …                      block3: …
//! ```

use super::code::{operand_reg, Code, Label, Op, Reg, Step};
use super::effects::goes;
use super::moves::between;
use crate::interpreter::low;
use crate::isa::{Action, Compute, Field, Operand};
use std::collections::{HashMap, HashSet};

/// A branch: its block, and where it stands there.
type Way = (Label, usize);

/// Before moves are steps.
pub fn put_together_before(code: &mut Code) {
    for label in code.order.clone() {
        while let Some(found) = find(code, label) {
            put(code, label, found);
        }
    }
}

/// An operation that can be done on each way.
struct Found {
    /// In its block.
    at: usize,
    /// The parameters that nobody else reads.
    own: HashSet<Reg>,
    /// On each way, with what the parameters become there.
    on_ways: Vec<(Way, Step)>,
}

fn find(code: &Code, label: Label) -> Option<Found> {
    let ways = ways(code, label);
    if ways.len() < 2 || ways.iter().any(|way| way.0 == label) {
        return None;
    }
    let params: HashSet<Reg> = ways
        .iter()
        .flat_map(|way| &step(code, *way).moves)
        .map(|(to, _)| *to)
        .collect();
    let uses = uses(code);
    let steps = &code.blocks[label];
    let own_regs: HashSet<Reg> = steps
        .iter()
        .flat_map(|step| step.touched().writes)
        .collect();
    (0..steps.len()).find_map(|at| {
        let reads = reads(&steps[at].op)?;
        if reads.iter().any(|reg| own_regs.contains(reg)) {
            return None;
        }
        let mut own = HashSet::new();
        for reg in &reads {
            let here = reads.iter().filter(|other| *other == reg).count();
            if params.contains(reg) && uses.get(reg) == Some(&here) {
                own.insert(*reg);
            }
        }
        if own.len() < 2 {
            return None;
        }
        let on_ways = ways.iter().map(|way| {
            let moves = &step(code, *way).moves;
            let made = with(&steps[at], |reg| {
                let found = moves.iter().find(|(to, _)| *to == reg);
                match found {
                    Some((_, from)) => Some(*from),
                    None if params.contains(&reg) => None,
                    None => Some(Operand::Field(Field::whole(reg))),
                }
            })?;
            Some((*way, made))
        });
        let on_ways: Option<Vec<(Way, Step)>> = on_ways.collect();
        Some(Found {
            at,
            own,
            on_ways: on_ways?,
        })
    })
}

fn step(code: &Code, way: Way) -> &Step {
    &code.blocks[way.0][way.1]
}

/// All branches to a block.
fn ways(code: &Code, label: Label) -> Vec<Way> {
    let blocks = code.order.iter().flat_map(|from| {
        let steps = code.blocks[*from].iter().enumerate();
        steps.map(move |(at, step)| ((*from, at), step))
    });
    let leading = blocks.filter(|(_, step)| goes(step) == Some(label));
    leading.map(|(way, _)| way).collect()
}

/// How often registers are read.
fn uses(code: &Code) -> HashMap<Reg, usize> {
    let mut uses = HashMap::new();
    for step in code.order.iter().flat_map(|label| &code.blocks[*label]) {
        let moved = step.moves.iter().filter_map(|(_, from)| operand_reg(from));
        for reg in step.touched().reads.into_iter().chain(moved) {
            *uses.entry(reg).or_default() += 1;
        }
    }
    uses
}

/// What an operation reads that costs no more elsewhere; `None`: it is another one.
fn reads(op: &Op) -> Option<Vec<Reg>> {
    let operands = match (&op.guard, &op.action) {
        (None, Action::Insert { a, into, .. }) => [a, into],
        (None, Action::Compute { op, a, b, .. }) if is_quick(*op) => [a, b],
        _ => return None,
    };
    Some(operands.into_iter().filter_map(operand_reg).collect())
}

fn is_quick(op: Compute) -> bool {
    use Compute::{Mul, SDiv, SRem, UDiv, URem};
    !matches!(op, Mul | UDiv | URem | SDiv | SRem)
}

/// The step where registers are others' bits, or numbers. `None`: it has no word for that.
fn with(step: &Step, new: impl Fn(Reg) -> Option<Operand<Reg>>) -> Option<Step> {
    let mut step = step.clone();
    let operands = match &mut step.op.action {
        Action::Insert { a, into, .. } => [a, into],
        Action::Compute { a, b, .. } => [a, b],
        _ => return None,
    };
    for operand in operands {
        if let Operand::Field(field) = operand {
            *operand = bits_of(field, &new(field.reg)?)?;
        }
    }
    Some(step)
}

/// Bits of a register in which an operand stands.
fn bits_of(outer: &Field<Reg>, inner: &Operand<Reg>) -> Option<Operand<Reg>> {
    let is_plain = !outer.swapped && !outer.signed;
    match inner {
        Operand::Number(number) if is_plain => {
            Some(Operand::Number(low(number >> outer.lo, outer.width)))
        }
        Operand::Number(_) => None,
        Operand::Field(inner) if inner.swapped || inner.signed => {
            let all = match inner.signed {
                true => outer.width == 64,
                false => outer.width >= inner.width,
            };
            (is_plain && outer.lo == 0 && all).then_some(Operand::Field(*inner))
        }
        Operand::Field(inner) if outer.lo >= inner.width => is_plain.then_some(Operand::Number(0)),
        Operand::Field(inner) => {
            let width = outer.width.min(inner.width - outer.lo);
            let fits = is_plain || width == outer.width;
            fits.then_some(Operand::Field(Field {
                lo: inner.lo + outer.lo,
                width,
                reg: inner.reg,
                ..*outer
            }))
        }
    }
}

/// Does the operation on each way, and not where they meet.
fn put(code: &mut Code, label: Label, found: Found) {
    let gone = code.blocks[label].remove(found.at);
    let to = gone.touched().writes[0];
    // From the last one of a block on, so that the others stay where they are.
    let mut on_ways = found.on_ways;
    on_ways.sort_by_key(|(way, _)| std::cmp::Reverse(way.1));
    for ((from, at), made) in on_ways {
        let (from, at) = match code.blocks[from][at].always_leaves() {
            true => (from, at),
            false => {
                let mut branch = code.blocks[from][at].clone();
                let new = between(code, from, &mut branch);
                code.blocks[from][at] = branch;
                (new, 0)
            }
        };
        let branch = &mut code.blocks[from][at];
        branch.moves.retain(|(param, _)| !found.own.contains(param));
        let reads_old = |(_, from): &(Reg, Operand<Reg>)| operand_reg(from) == Some(to);
        let mut made = made;
        if branch.moves.iter().any(reads_old) {
            let new = code.reg();
            write_to(&mut made, new);
            let moved = (to, Operand::Field(Field::whole(new)));
            code.blocks[from][at].moves.push(moved);
        }
        code.blocks[from].insert(at, made);
    }
}

fn write_to(step: &mut Step, new: Reg) {
    if let Action::Insert { to, .. } | Action::Compute { to, .. } = &mut step.op.action {
        *to = new;
    }
}
