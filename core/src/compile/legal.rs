//! What has no room in an operation's word goes by way of registers and buffers.

use super::code::{Code, Op, Pred, Step};
use crate::encode::fits;
use crate::isa::{exit, Action, Buffer, Ending, Operand};

/// Afterwards every operation has room, and no guard is one that always holds.
pub fn make_legal(code: &mut Code) {
    for label in code.order.clone() {
        let mut made = Vec::new();
        for mut step in std::mem::take(&mut code.blocks[label]) {
            if let Some(guard) = step.op.guard.filter(|guard| guard.pred == Pred::ONE) {
                if guard.negated {
                    continue;
                }
                step.op.guard = None;
            }
            if fits(&step.op).is_err() {
                made.extend(in_front(code, &mut step));
            }
            debug_assert_eq!(fits(&step.op), Ok(()), "{:?}", step.op);
            made.push(step);
        }
        code.blocks[label] = made;
    }
}

/// What must stand in front of an operation, which is changed to go by it.
fn in_front(code: &mut Code, step: &mut Step) -> Vec<Step> {
    let mut made = Vec::new();
    let origin = step.origin;
    let mut push = |action| {
        made.push(Step::new(
            Op {
                guard: None,
                action,
            },
            origin,
        ))
    };
    if let Action::Exit { ending, .. } | Action::Send { ending } = &mut step.op.action {
        if let Some(outputs) = ending.outputs.filter(|outputs| outputs >> 32 != 0) {
            let (buffer, at) = (Buffer::Exit, exit::OUTPUTS);
            let (a, b) = (Operand::Number(outputs), None);
            push(Action::Put { buffer, at, a, b });
            *ending = Ending {
                outputs: None,
                ..*ending
            };
        }
    }
    // The second operand first: the first one may have room then.
    for which in [Which::Second, Which::First] {
        if fits(&step.op).is_ok() {
            break;
        }
        let Some(operand) = operand(&mut step.op.action, which) else {
            continue;
        };
        if let Operand::Number(number) = *operand {
            let to = code.reg();
            let a = Operand::Number(number);
            push(Action::Move { a, to });
            *operand = Operand::Field(crate::isa::Field::whole(to));
        }
    }
    made
}

#[derive(Clone, Copy)]
enum Which {
    First,
    Second,
}

type Number = Operand<super::code::Reg>;

/// One of the operands that can be a number.
fn operand(
    action: &mut Action<super::code::Reg, Pred, super::code::Label>,
    which: Which,
) -> Option<&mut Number> {
    let (first, second) = match action {
        Action::Move { a, .. } | Action::Clear { from: a } | Action::Indirect { a } => {
            (Some(a), None)
        }
        Action::Compute { a, b, .. }
        | Action::Insert { a, into: b, .. }
        | Action::Select { a, b, .. }
        | Action::Checksum { a, b, .. }
        | Action::Copy { a, b, .. } => (Some(a), Some(b)),
        Action::Compare { test, .. }
        | Action::Branch {
            when: Some(test), ..
        }
        | Action::Exit {
            when: Some(test), ..
        } => (Some(&mut test.a), Some(&mut test.b)),
        Action::Put { a, b, .. } => (Some(a), b.as_mut()),
        Action::Store { value, .. } => (None, Some(value)),
        Action::Lookup { a, b, .. } | Action::Update { a, b, .. } | Action::Delete { a, b, .. } => {
            (a.as_mut(), b.as_mut())
        }
        Action::MapLoad { entry, .. } => (Some(entry), None),
        Action::MapStore { entry, value, .. } | Action::Atomic { entry, value, .. } => {
            (Some(entry), Some(value))
        }
        Action::Exit { index, .. } => (index.as_mut(), None),
        Action::Load { .. }
        | Action::Combine { .. }
        | Action::Branch { when: None, .. }
        | Action::Input { .. }
        | Action::Send { .. } => (None, None),
    };
    match which {
        Which::First => first,
        Which::Second => second,
    }
}
