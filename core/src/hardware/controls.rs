//! What the lanes' ports take for an operation: what a decoder gives them, as numbers.

use super::alu::AluControlIn;
use super::lanes::{EffectIn, LaneIn, LateIn, SourceIn};
use super::operand::FieldIn;
use super::predicates::{Change, GuardIn};
use super::Shape;
use crate::isa::{Action, Combine, Field, Guard, Operand, Operation, Pred, Reg, Test};

/// The parts of an action that lanes know.
#[derive(Default)]
struct Parts {
    a: Option<Operand>,
    b: Option<Operand>,
    control: Option<AluControlIn<u64>>,
    /// Where the result goes.
    to: Option<Reg>,
    /// What a selection goes by, and the predicates of a combination.
    first: Option<Guard>,
    second: Option<Guard>,
    combine: Option<Combine>,
    selects: bool,
    leaves: bool,
    tests: bool,
    /// How the two predicates change.
    change: Option<(Change, Pred, Pred)>,
}

impl LaneIn<u64> {
    /// Of a lane without an operation.
    pub fn none(shape: &Shape) -> LaneIn<u64> {
        lane(shape, None, &Parts::default())
    }

    /// Of an operation, but for what other units say of it.
    pub fn of(shape: &Shape, operation: &Operation) -> LaneIn<u64> {
        lane(shape, operation.guard, &Parts::of(&operation.action))
    }
}

fn lane(shape: &Shape, guard: Option<Guard>, parts: &Parts) -> LaneIn<u64> {
    let operands = [("a", parts.a), ("b", parts.b)];
    let sources = operands.map(|(label, operand)| (label.to_string(), source(shape, operand)));
    let nowhere = (Change::Keep, Pred(0), Pred(0));
    let (change, yes, no) = parts.change.unwrap_or(nowhere);
    LaneIn {
        operand: sources.into(),
        guard: GuardIn::of(guard, parts.first, parts.second, parts.combine),
        control: parts.control.clone().unwrap_or(AluControlIn::of_move()),
        selects: parts.selects.into(),
        effect: EffectIn {
            writes: parts.to.is_some().into(),
            to: parts.to.map_or(0, |to| to.index.into()),
            leaves: parts.leaves.into(),
            tests: parts.tests.into(),
            change: change as u64,
            yes: yes.0.into(),
            no: no.0.into(),
            combines: parts.combine.is_some().into(),
        },
        late: LateIn {
            late: 0,
            late_value: 0,
        },
    }
}

fn source(shape: &Shape, operand: Option<Operand>) -> SourceIn<u64> {
    let field = match operand {
        Some(Operand::Field(field)) => Some(field),
        _ => None,
    };
    let whole = Field::whole(Reg { bank: 0, index: 0 });
    let bits = field.unwrap_or(whole);
    SourceIn {
        bank: shape.bank_bits().map(|_| bits.reg.bank.into()),
        index: bits.reg.index.into(),
        is_field: field.is_some().into(),
        field: FieldIn::of(&bits),
        number: match operand {
            Some(Operand::Number(number)) => number,
            _ => 0,
        },
    }
}

impl Parts {
    fn of(action: &Action) -> Parts {
        match *action {
            Action::Move { a, to } => Parts::made(Some(a), None, Some(to)),
            Action::Compute {
                op,
                width,
                a,
                b,
                to,
            } => Parts {
                control: AluControlIn::of_compute(op, width),
                ..Parts::made(Some(a), Some(b), Some(to))
            },
            Action::Insert {
                a,
                into,
                lo,
                width,
                to,
            } => Parts {
                control: Some(AluControlIn::of_insert(lo, width)),
                ..Parts::made(Some(a), Some(into), Some(to))
            },
            Action::Select { when, a, b, to } => Parts {
                first: Some(when),
                selects: true,
                ..Parts::made(Some(a), Some(b), Some(to))
            },
            Action::Compare {
                test,
                into,
                yes,
                no,
            } => Parts {
                change: Some((into.into(), yes, no)),
                ..Parts::test(&test)
            },
            Action::Combine { op, a, b, to } => Parts {
                first: Some(a),
                second: Some(b),
                combine: Some(op),
                change: Some((Change::Set, to, Pred(0))),
                ..Parts::default()
            },
            Action::Branch { when, .. } => Parts::leave(when.as_ref(), None),
            Action::Indirect { a } => Parts::leave(None, Some(a)),
            Action::Exit { when, index, .. } => Parts::leave(when.as_ref(), index),
            _ => Parts::of_others(action),
        }
    }

    /// Of what other units do: they take the operands, and give the result.
    fn of_others(action: &Action) -> Parts {
        let base = |base: Option<Field>| base.map(Operand::Field);
        match *action {
            Action::Load { base: at, to, .. } => Parts::made(base(at), None, Some(to)),
            Action::Store {
                base: at, value, ..
            } => Parts::made(base(at), Some(value), None),
            Action::Clear { from } => Parts::made(Some(from), None, None),
            Action::Put { a, b, .. } => Parts::made(Some(a), b, None),
            Action::Lookup { a, b, to, .. }
            | Action::Update { a, b, to, .. }
            | Action::Delete { a, b, to, .. } => Parts::made(a, b, to),
            Action::MapLoad { entry, to, .. } => Parts::made(Some(entry), None, Some(to)),
            Action::MapStore { entry, value, .. } => Parts::made(Some(entry), Some(value), None),
            Action::Atomic {
                entry, value, to, ..
            } => Parts::made(Some(entry), Some(value), to),
            Action::Checksum { a, b, to, .. } => Parts::made(Some(a), Some(b), Some(to)),
            Action::Copy { a, b, .. } => Parts::made(Some(a), Some(b), None),
            _ => Parts::default(),
        }
    }

    fn made(a: Option<Operand>, b: Option<Operand>, to: Option<Reg>) -> Parts {
        Parts {
            a,
            b,
            to,
            ..Parts::default()
        }
    }

    fn test(test: &Test) -> Parts {
        Parts {
            control: Some(AluControlIn::of_test(test.condition)),
            tests: true,
            ..Parts::made(Some(test.a), Some(test.b), None)
        }
    }

    fn leave(when: Option<&Test>, a: Option<Operand>) -> Parts {
        let parts = match when {
            Some(test) => Parts::test(test),
            None => Parts::made(a, None, None),
        };
        Parts {
            leaves: true,
            ..parts
        }
    }
}
