//! What finds no place is kept on the stack, above the program's own bytes; a predicate in a register.

use super::code::{Code, Label, Op, Pred, Reg, Regs, Step, Touched};
use crate::isa::{Action, Condition, Field, Guard, Into, Operand, Test};
use crate::rename::Names;
use hardpath_ir::structure::Memory;
use hardpath_ir::PlaceId;
use std::collections::HashSet;

/// New names for one predicate, where it is read and where it is written.
struct Renamed {
    old: Pred,
    read: Pred,
    written: Pred,
}

impl Names<Reg, Pred, Label> for Renamed {
    type Reg = Reg;
    type Pred = Pred;
    type Place = Label;

    fn read(&mut self, reg: Reg) -> Reg {
        reg
    }

    fn write(&mut self, reg: Reg) -> Reg {
        reg
    }

    fn ask(&mut self, pred: Pred) -> Pred {
        match pred == self.old {
            true => self.read,
            false => pred,
        }
    }

    fn decide(&mut self, pred: Pred, _: bool) -> Pred {
        match pred == self.old {
            true => self.written,
            false => pred,
        }
    }

    fn place(&mut self, place: Label) -> Label {
        place
    }
}

/// Keeps a register on the stack at this offset. `keep` learns of the registers that carry it.
pub fn spill_register(code: &mut Code, reg: Reg, offset: i32, keep: &mut HashSet<Reg>) {
    let memory = Memory::Stack;
    let base = None;
    let store = |from: Reg, guard, origin| {
        let value = Operand::Field(Field::whole(from));
        let action = Action::Store {
            memory,
            base,
            offset,
            bytes: 8,
            value,
        };
        Step::new(Op { guard, action }, origin)
    };
    for label in code.order.clone() {
        let mut made = Vec::new();
        for step in std::mem::take(&mut code.blocks[label]) {
            let touched = step.touched();
            let (reads, writes) = (touched.reads.contains(&reg), touched.writes.contains(&reg));
            if !reads && !writes {
                made.push(step);
                continue;
            }
            let (read, written) = (code.reg(), code.reg());
            keep.extend([read, written]);
            if reads {
                let action = Action::Load {
                    memory,
                    base,
                    offset,
                    bytes: 8,
                    to: read,
                };
                let guard = None;
                made.push(Step::new(Op { guard, action }, step.origin));
            }
            let op = step
                .op
                .rename(&mut Regs(|one, is_written| match is_written {
                    _ if one != reg => one,
                    true => written,
                    false => read,
                }));
            made.push(Step { op, ..step.clone() });
            if writes {
                made.push(store(written, step.op.guard, step.origin));
            }
        }
        code.blocks[label] = made;
    }
}

/// Keeps a predicate in a register.
pub fn spill_predicate(code: &mut Code, pred: Pred) {
    let reg = code.reg();
    for label in code.order.clone() {
        let mut made = Vec::new();
        for step in std::mem::take(&mut code.blocks[label]) {
            let touched = step.touched();
            let mut names = Renamed {
                old: pred,
                read: pred,
                written: pred,
            };
            if touched.asks.contains(&pred) || keeps(&touched, pred) {
                names.read = code.pred();
                made.push(fetch(reg, names.read, step.origin));
            }
            let decides = touched.decides.iter().any(|(other, _)| *other == pred);
            if decides {
                names.written = match keeps(&touched, pred) {
                    true => names.read,
                    false => code.pred(),
                };
            }
            let op = step.op.rename(&mut names);
            let origin = step.origin;
            made.push(Step { op, ..step });
            if decides {
                made.push(store(names.written, reg, origin));
            }
        }
        code.blocks[label] = made;
    }
}

fn keeps(touched: &Touched, pred: Pred) -> bool {
    touched.decides.contains(&(pred, true))
}

fn fetch(reg: Reg, yes: Pred, origin: Option<PlaceId>) -> Step {
    let action = Action::Compare {
        test: Test {
            condition: Condition::Ne,
            a: Operand::Field(Field {
                width: 1,
                ..Field::whole(reg)
            }),
            b: Operand::Number(0),
        },
        into: Into::Set,
        yes,
        no: Pred::ONE,
    };
    let guard = None;
    Step::new(Op { guard, action }, origin)
}

fn store(pred: Pred, to: Reg, origin: Option<PlaceId>) -> Step {
    let when = Guard {
        pred,
        negated: false,
    };
    let (a, b) = (Operand::Number(1), Operand::Number(0));
    let action = Action::Select { when, a, b, to };
    let guard = None;
    Step::new(Op { guard, action }, origin)
}
