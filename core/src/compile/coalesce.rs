//! A value that is moved into a parameter is made there, where nobody needs the parameter's old value any more.
//!
//! ```text
//! t5 = add t1, 1        t1 = add t1, 1
//! …                  →  …
//! t1 = move t5          branch label1
//! branch label1
//! ```

use super::code::{Code, Reg, Regs, Step};
use super::live::{before, live, written_again, Live, Set};
use crate::isa::{Action, Operand};
use std::collections::{HashMap, HashSet};

/// Takes out moves whose source can be their target.
pub fn make_in_place(code: &mut Code) {
    // Each round takes out one move of every parameter, and what is made in place may be moved on itself.
    loop {
        let widths = widths(code);
        let moves = moves(code, &widths);
        let apart = apart(code, &moves, &widths);
        let mut touched: HashSet<Reg> = HashSet::new();
        let mut places: HashMap<Reg, Reg> = HashMap::new();
        for pair in moves {
            let is_free = !touched.contains(&pair.from) && !touched.contains(&pair.to);
            if is_free && !apart.contains(&pair) {
                touched.extend([pair.from, pair.to]);
                places.insert(pair.from, pair.to);
            }
        }
        if places.is_empty() {
            return;
        }
        rename(code, &places, &widths);
    }
}

/// A move of all of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pair {
    from: Reg,
    to: Reg,
}

/// Above so many bits there are zeros in a register that is made at one place, and never under a guard.
type Widths = HashMap<Reg, u8>;

fn widths(code: &Code) -> Widths {
    let again = written_again(code);
    let mut widths = Widths::new();
    let steps = code.order.iter().flat_map(|label| &code.blocks[*label]);
    for step in steps.filter(|step| step.op.guard.is_none()) {
        let width = width(&step.op.action);
        let writes = step.touched().writes.into_iter();
        widths.extend(
            writes
                .filter(|reg| !again.has(*reg))
                .map(|reg| (reg, width)),
        );
    }
    widths
}

/// All moves of what is made at one place, in their order.
fn moves(code: &Code, widths: &Widths) -> Vec<Pair> {
    let steps = code.order.iter().flat_map(|label| &code.blocks[*label]);
    let mut seen = HashSet::new();
    let moves = steps.filter_map(|step| pair(step, widths));
    moves.filter(|pair| seen.insert(*pair)).collect()
}

/// All of a register into another one; what cuts something off is no such move.
fn pair(step: &Step, widths: &Widths) -> Option<Pair> {
    match step.op.action {
        Action::Move {
            a: Operand::Field(field),
            to,
        } if field.lo == 0 && !field.swapped && !field.signed && field.reg != to => {
            let from = field.reg;
            let is_all = widths.get(&from).is_some_and(|width| *width <= field.width);
            (is_all && step.op.guard.is_none()).then_some(Pair { from, to })
        }
        _ => None,
    }
}

/// Above these bits of its result an operation leaves zeros.
fn width<P, T>(action: &Action<Reg, P, T>) -> u8 {
    let of = |operand: &Operand<Reg>| match operand {
        Operand::Field(field) if field.signed => 64,
        Operand::Field(field) => field.width,
        Operand::Number(number) => (u64::BITS - number.leading_zeros()) as u8,
    };
    match action {
        Action::Compute { width, .. } => *width,
        Action::Load { bytes, .. } | Action::MapLoad { bytes, .. } => 8 * bytes,
        Action::Move { a, .. } => of(a),
        Action::Select { a, b, .. } => of(a).max(of(b)),
        Action::Insert {
            into, lo, width, ..
        } => of(into).max(lo + width),
        _ => 64,
    }
}

/// Those of which one is written while the other is needed.
fn apart(code: &Code, moves: &[Pair], widths: &Widths) -> HashSet<Pair> {
    let live: Live = live(code);
    let mut others: HashMap<Reg, Vec<(Reg, Pair)>> = HashMap::new();
    for &pair in moves {
        let Pair { from, to } = pair;
        others.entry(from).or_default().push((to, pair));
        others.entry(to).or_default().push((from, pair));
    }
    let mut apart = HashSet::new();
    for &label in &code.order {
        let mut needed = Set::default();
        for step in code.blocks[label].iter().rev() {
            let own = pair(step, widths);
            // Behind the step, also where it leads.
            for reg in step.touched().writes {
                for (other, pair) in others.get(&reg).into_iter().flatten() {
                    if needed.has(*other) && own != Some(*pair) {
                        apart.insert(*pair);
                    }
                }
            }
            before(step, &mut needed, &live);
        }
    }
    apart
}

/// Everywhere; what is moved to itself then is gone.
fn rename(code: &mut Code, places: &HashMap<Reg, Reg>, widths: &Widths) {
    let is_gone = |step: &Step| {
        pair(step, widths).is_some_and(|pair| places.get(&pair.from) == Some(&pair.to))
    };
    let mut names = Regs(|reg, _| places.get(&reg).copied().unwrap_or(reg));
    for &label in &code.order {
        let steps = &mut code.blocks[label];
        steps.retain(|step| !is_gone(step));
        for step in steps {
            step.op = step.op.rename(&mut names);
        }
    }
}
