//! Operations of two operands.
//!
//! ```text
//! t3 = add t1, t2          t4 = t1
//!                     →    t3 = add t4, t2        (t1 is needed behind)
//! ```
//!
//! The result could have the register of `t4` then, and of `t1` where that is needed no more.

use super::code::{operand_reg, Code, Label, Op, Pred, Reg, Step};
use super::live::{live, Set};
use super::moves::needed_behind;
use super::select::commutes;
use crate::isa::{Action, Field, Operand};

/// Afterwards the first operand of a computation is needed nowhere else. Moves are steps already.
pub fn move_operands(code: &mut Code) {
    let live = live(code);
    for label in code.order.clone() {
        let steps = std::mem::take(&mut code.blocks[label]);
        let behind = needed_behind(&steps, &live);
        let mut made = Vec::new();
        for (mut step, behind) in steps.into_iter().zip(behind) {
            let origin = step.origin;
            let other = other_place(&step.op.action, &behind);
            let first = first_operand(&mut step.op.action).filter(|_| !other);
            let first = first.filter(|a| match operand_reg(a) {
                Some(reg) => behind.has(reg),
                // A number is brought into the register of the result.
                None => **a != Operand::Number(0),
            });
            if let Some(operand) = first {
                let (a, to) = (*operand, code.reg());
                *operand = Operand::Field(match a {
                    Operand::Field(field) => Field { reg: to, ..field },
                    Operand::Number(_) => Field::whole(to),
                });
                let a = match a {
                    Operand::Field(field) => Operand::Field(Field::whole(field.reg)),
                    number => number,
                };
                let action = Action::Move { a, to };
                let guard = None;
                made.push(Step::new(Op { guard, action }, origin));
            }
            made.push(step);
        }
        code.blocks[label] = made;
    }
}

/// The operand whose place the result takes; what is put into something takes its place.
fn first_operand(action: &mut Action<Reg, Pred, Label>) -> Option<&mut Operand<Reg>> {
    match action {
        Action::Compute { a, .. } | Action::Insert { into: a, .. } => Some(a),
        _ => None,
    }
}

/// The result can take the place of the second operand.
fn other_place(action: &Action<Reg, Pred, Label>, behind: &Set) -> bool {
    match action {
        Action::Compute {
            op,
            b: Operand::Field(field),
            ..
        } => commutes(*op) && *field == Field::whole(field.reg) && !behind.has(field.reg),
        _ => false,
    }
}
