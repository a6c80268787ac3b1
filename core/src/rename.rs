//! Operations with other names for registers, predicates and places: how everybody visits what an operation reads and writes.

use crate::isa::{Action, Field, Guard, Operand, Operation, Test};

/// New names. `R`, `P`, `T` are the old ones.
pub trait Names<R, P, T> {
    /// What registers are called now.
    type Reg;
    /// What predicates are called now.
    type Pred;
    /// What places are called now.
    type Place;
    /// Of a register that is read.
    fn read(&mut self, reg: R) -> Self::Reg;
    /// Of a register that is written.
    fn write(&mut self, reg: R) -> Self::Reg;
    /// Of a predicate that is read.
    fn ask(&mut self, pred: P) -> Self::Pred;
    /// Of a predicate that is written. `keeps`: it may stay as it was.
    fn decide(&mut self, pred: P, keeps: bool) -> Self::Pred;
    /// Of a place where control may go.
    fn place(&mut self, place: T) -> Self::Place;
}

/// An operation by its new names.
type Named<N, R, P, T> = Operation<
    <N as Names<R, P, T>>::Reg,
    <N as Names<R, P, T>>::Pred,
    <N as Names<R, P, T>>::Place,
>;

impl<R: Copy, P: Copy, T: Copy> Operation<R, P, T> {
    /// The same by new names.
    pub fn rename<N: Names<R, P, T>>(&self, names: &mut N) -> Named<N, R, P, T> {
        Operation {
            guard: self.guard.map(|guard| ask(guard, names)),
            action: self.action.rename(names, self.guard.is_some()),
        }
    }
}

fn ask<R, P: Copy, T, N: Names<R, P, T>>(guard: Guard<P>, names: &mut N) -> Guard<N::Pred> {
    Guard {
        pred: names.ask(guard.pred),
        negated: guard.negated,
    }
}

fn field<R: Copy, P, T, N: Names<R, P, T>>(field: Field<R>, names: &mut N) -> Field<N::Reg> {
    Field {
        reg: names.read(field.reg),
        lo: field.lo,
        width: field.width,
        swapped: field.swapped,
        signed: field.signed,
    }
}

fn operand<R: Copy, P, T, N: Names<R, P, T>>(
    operand: Operand<R>,
    names: &mut N,
) -> Operand<N::Reg> {
    match operand {
        Operand::Field(one) => Operand::Field(field(one, names)),
        Operand::Number(number) => Operand::Number(number),
    }
}

fn test<R: Copy, P, T, N: Names<R, P, T>>(test: Test<R>, names: &mut N) -> Test<N::Reg> {
    Test {
        condition: test.condition,
        a: operand(test.a, names),
        b: operand(test.b, names),
    }
}

type NamedAction<N, R, P, T> =
    Action<<N as Names<R, P, T>>::Reg, <N as Names<R, P, T>>::Pred, <N as Names<R, P, T>>::Place>;

impl<R: Copy, P: Copy, T: Copy> Action<R, P, T> {
    fn rename<N: Names<R, P, T>>(&self, n: &mut N, guarded: bool) -> NamedAction<N, R, P, T> {
        use crate::isa::Into::{And, Both, Or};
        match *self {
            Action::Move { a, to } => Action::Move {
                a: operand(a, n),
                to: n.write(to),
            },
            Action::Input { input, to } => Action::Input {
                input,
                to: n.write(to),
            },
            Action::Compute {
                op,
                width,
                a,
                b,
                to,
            } => Action::Compute {
                op,
                width,
                a: operand(a, n),
                b: operand(b, n),
                to: n.write(to),
            },
            Action::Insert {
                a,
                into,
                lo,
                width,
                to,
            } => Action::Insert {
                a: operand(a, n),
                into: operand(into, n),
                lo,
                width,
                to: n.write(to),
            },
            Action::Select { when, a, b, to } => Action::Select {
                when: ask(when, n),
                a: operand(a, n),
                b: operand(b, n),
                to: n.write(to),
            },
            Action::Compare {
                test: what,
                into,
                yes,
                no,
            } => {
                let keeps = matches!(into, And | Or) || guarded && into != Both;
                Action::Compare {
                    test: test(what, n),
                    into,
                    yes: n.decide(yes, keeps),
                    no: n.decide(no, keeps),
                }
            }
            Action::Combine { op, a, b, to } => Action::Combine {
                op,
                a: ask(a, n),
                b: ask(b, n),
                to: n.decide(to, guarded),
            },
            Action::Put { buffer, at, a, b } => Action::Put {
                buffer,
                at,
                a: operand(a, n),
                b: b.map(|b| operand(b, n)),
            },
            Action::Branch { when, to } => Action::Branch {
                when: when.map(|when| test(when, n)),
                to: n.place(to),
            },
            Action::Indirect { a } => Action::Indirect { a: operand(a, n) },
            Action::Exit {
                when,
                index,
                ending,
            } => Action::Exit {
                when: when.map(|when| test(when, n)),
                index: index.map(|index| operand(index, n)),
                ending,
            },
            Action::Send { ending } => Action::Send { ending },
            Action::Load { .. }
            | Action::Store { .. }
            | Action::Clear { .. }
            | Action::Checksum { .. }
            | Action::Copy { .. } => self.rename_memory(n),
            _ => self.rename_map(n, guarded),
        }
    }

    fn rename_memory<N: Names<R, P, T>>(&self, n: &mut N) -> NamedAction<N, R, P, T> {
        match *self {
            Action::Load {
                memory,
                base,
                offset,
                bytes,
                to,
            } => Action::Load {
                memory,
                base: base.map(|base| field(base, n)),
                offset,
                bytes,
                to: n.write(to),
            },
            Action::Store {
                memory,
                base,
                offset,
                bytes,
                value,
            } => Action::Store {
                memory,
                base: base.map(|base| field(base, n)),
                offset,
                bytes,
                value: operand(value, n),
            },
            Action::Clear { from } => Action::Clear {
                from: operand(from, n),
            },
            Action::Checksum {
                memory,
                a,
                b,
                up_to,
                to,
            } => Action::Checksum {
                memory,
                a: operand(a, n),
                b: operand(b, n),
                up_to,
                to: n.write(to),
            },
            Action::Copy {
                from,
                into,
                a,
                b,
                up_to,
            } => Action::Copy {
                from,
                into,
                a: operand(a, n),
                b: operand(b, n),
                up_to,
            },
            _ => unreachable!("only operations on memory come here"),
        }
    }

    fn rename_map<N: Names<R, P, T>>(&self, n: &mut N, guarded: bool) -> NamedAction<N, R, P, T> {
        match *self {
            Action::Lookup { map, a, b, to, hit } => Action::Lookup {
                map,
                a: a.map(|a| operand(a, n)),
                b: b.map(|b| operand(b, n)),
                to: to.map(|to| n.write(to)),
                hit: n.decide(hit, guarded),
            },
            Action::Update { map, a, b, may, to } => Action::Update {
                map,
                a: a.map(|a| operand(a, n)),
                b: b.map(|b| operand(b, n)),
                may,
                to: to.map(|to| n.write(to)),
            },
            Action::Delete { map, a, b, to } => Action::Delete {
                map,
                a: a.map(|a| operand(a, n)),
                b: b.map(|b| operand(b, n)),
                to: to.map(|to| n.write(to)),
            },
            Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                to,
            } => Action::MapLoad {
                map,
                entry: operand(entry, n),
                offset,
                bytes,
                to: n.write(to),
            },
            Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                value,
            } => Action::MapStore {
                map,
                entry: operand(entry, n),
                offset,
                bytes,
                value: operand(value, n),
            },
            Action::Atomic {
                map,
                op,
                entry,
                offset,
                bytes,
                value,
                to,
            } => Action::Atomic {
                map,
                op,
                entry: operand(entry, n),
                offset,
                bytes,
                value: operand(value, n),
                to: to.map(|to| n.write(to)),
            },
            _ => unreachable!("only operations on maps come here"),
        }
    }
}
