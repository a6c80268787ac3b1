//! Conditions: tests stay tests until a branch asks them; only what is asked as a predicate or as data becomes one.

use super::super::code::{Op, Pred, Reg};
use super::super::savings::Saving;
use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::interpreter::low;
use crate::isa::{Action, Combine, Condition, Field, Guard, Into, Operand, Operation, Test};
use hardpath_ir::Input;
use std::rc::Rc;

/// A condition that has more owners than its value and another condition may be asked for by several.
const MOST_OWNERS: usize = 2;

/// A value of one bit.
#[derive(Clone, Debug)]
pub enum Bool {
    /// Known.
    Known(bool),
    /// What registers are to each other.
    Test(Test<Reg>),
    /// A predicate.
    Is(Guard<Pred>),
    /// The opposite.
    Not(Rc<Bool>),
    /// Both.
    And(Rc<Bool>, Rc<Bool>),
    /// One of two.
    Or(Rc<Bool>, Rc<Bool>),
    /// One of two, and not both.
    Xor(Rc<Bool>, Rc<Bool>),
}

/// The constant one.
pub const ALWAYS: Guard<Pred> = Guard {
    pred: Pred::ONE,
    negated: false,
};

/// The opposite.
pub fn opposite(guard: Guard<Pred>) -> Guard<Pred> {
    Guard {
        negated: !guard.negated,
        ..guard
    }
}

/// The opposite, without a `Not` where that is to be had.
pub fn not(one: &Rc<Bool>) -> Rc<Bool> {
    Rc::new(match &**one {
        Bool::Known(known) => Bool::Known(!known),
        Bool::Test(test) => Bool::Test(Test {
            condition: test.condition.inverse(),
            ..*test
        }),
        Bool::Is(guard) => Bool::Is(opposite(*guard)),
        Bool::Not(inner) => return inner.clone(),
        _ => Bool::Not(one.clone()),
    })
}

/// Both.
pub fn and(a: &Rc<Bool>, b: &Rc<Bool>) -> Rc<Bool> {
    match (&**a, &**b) {
        (Bool::Known(false), _) | (_, Bool::Known(true)) => a.clone(),
        (Bool::Known(true), _) | (_, Bool::Known(false)) => b.clone(),
        _ => Rc::new(Bool::And(a.clone(), b.clone())),
    }
}

/// One of two.
pub fn or(a: &Rc<Bool>, b: &Rc<Bool>) -> Rc<Bool> {
    match (&**a, &**b) {
        (Bool::Known(true), _) | (_, Bool::Known(false)) => a.clone(),
        (Bool::Known(false), _) | (_, Bool::Known(true)) => b.clone(),
        _ => Rc::new(Bool::Or(a.clone(), b.clone())),
    }
}

/// One of two, and not both.
pub fn xor(a: &Rc<Bool>, b: &Rc<Bool>) -> Rc<Bool> {
    match (&**a, &**b) {
        (Bool::Known(false), _) => b.clone(),
        (_, Bool::Known(false)) => a.clone(),
        (Bool::Known(true), _) => not(b),
        (_, Bool::Known(true)) => not(a),
        _ => Rc::new(Bool::Xor(a.clone(), b.clone())),
    }
}

/// The first of two where a condition holds, else the second; what both have in common is asked once.
pub fn choice(cond: &Rc<Bool>, yes: &Rc<Bool>, no: &Rc<Bool>) -> Rc<Bool> {
    let neither = not(cond);
    if let Some(rest) = beside(yes, no, true) {
        return or(&and(cond, &rest), no);
    }
    if let Some(rest) = beside(no, yes, true) {
        return or(&and(&neither, &rest), yes);
    }
    if let Some(rest) = beside(yes, no, false) {
        return and(&or(&neither, &rest), no);
    }
    if let Some(rest) = beside(no, yes, false) {
        return and(&or(cond, &rest), yes);
    }
    or(&and(cond, yes), &and(&neither, no))
}

/// What stands beside `part` in `whole`, as one of two or, with it, as both; all of it beside the constant.
fn beside(whole: &Rc<Bool>, part: &Rc<Bool>, is_or: bool) -> Option<Rc<Bool>> {
    if let Bool::Known(known) = **part {
        return (known != is_or).then(|| whole.clone());
    }
    let (a, b) = match &**whole {
        Bool::Known(known) if *known == is_or => return Some(whole.clone()),
        Bool::Or(a, b) if is_or => (a, b),
        Bool::And(a, b) if !is_or => (a, b),
        _ => return None,
    };
    match (is_same(a, part), is_same(b, part)) {
        (true, _) => Some(b.clone()),
        (_, true) => Some(a.clone()),
        _ => None,
    }
}

fn is_same(one: &Rc<Bool>, other: &Rc<Bool>) -> bool {
    match (&**one, &**other) {
        (Bool::Test(a), Bool::Test(b)) => a == b,
        (Bool::Is(a), Bool::Is(b)) => a == b,
        _ => Rc::ptr_eq(one, other),
    }
}

/// What must all hold for a condition to hold. What others may ask for, too, stays whole.
fn all_of(one: &Rc<Bool>, all: &mut Vec<Rc<Bool>>) {
    let inner = |one: &Rc<Bool>, all: &mut Vec<Rc<Bool>>| match Rc::strong_count(one) {
        ..=MOST_OWNERS => all_of(one, all),
        _ => all.push(one.clone()),
    };
    match &**one {
        Bool::And(a, b) => {
            inner(a, all);
            inner(b, all);
        }
        Bool::Not(either) => match &**either {
            Bool::Or(a, b) => {
                all_of(&not(a), all);
                all_of(&not(b), all);
            }
            _ => all.push(one.clone()),
        },
        _ => all.push(one.clone()),
    }
}

impl Select<'_> {
    /// The predicate that a condition is, made here unless that has been done in this block.
    pub fn guard(&mut self, one: &Rc<Bool>) -> Guard<Pred> {
        let reuses = self.without.keeps(Saving::Reuse);
        let made = self.guards.get(&Rc::as_ptr(one)).filter(|_| reuses);
        if let Some((guard, _)) = made {
            return *guard;
        }
        let guard = self.make_guard(one);
        // The condition is kept, so that its address stays its own.
        self.guards.insert(Rc::as_ptr(one), (guard, one.clone()));
        guard
    }

    fn make_guard(&mut self, one: &Rc<Bool>) -> Guard<Pred> {
        match &**one {
            Bool::Known(known) => Guard {
                negated: !known,
                ..ALWAYS
            },
            Bool::Is(guard) => *guard,
            Bool::Not(inner) => opposite(self.guard(inner)),
            Bool::Test(test) => self.compare(*test, None),
            Bool::And(a, b) => match (&**a, &**b) {
                (Bool::Test(_), _) | (_, Bool::Test(_)) => self.gathered(one),
                _ => self.combine(Combine::And, a, b),
            },
            Bool::Or(a, b) => match (&**a, &**b) {
                (Bool::Test(_), _) | (_, Bool::Test(_)) => {
                    let neither = and(&not(a), &not(b));
                    opposite(self.guard(&neither))
                }
                _ => self.combine(Combine::Or, a, b),
            },
            Bool::Xor(a, b) => self.combine(Combine::Xor, a, b),
        }
    }

    /// Many conditions at once: one makes a predicate, into which the other tests go side by side.
    fn gathered(&mut self, one: &Rc<Bool>) -> Guard<Pred> {
        let mut all = Vec::new();
        all_of(one, &mut all);
        let is_test = |one: &Rc<Bool>| matches!(**one, Bool::Test(_));
        let (tests, others): (Vec<Rc<Bool>>, Vec<Rc<Bool>>) = all.into_iter().partition(is_test);
        let others = others
            .into_iter()
            .reduce(|all, one| Rc::new(Bool::And(all, one)));
        let guard = others.map(|others| self.guard(&others));
        let mut tests = tests.iter().map(|test| match **test {
            Bool::Test(test) => test,
            _ => unreachable!("they are tests"),
        });
        let first = tests.next().expect("one of them is a test");
        let all = self.compare(first, guard);
        for test in tests {
            self.compare_into(test, None, Into::And, all.pred);
        }
        all
    }

    fn combine(&mut self, op: Combine, a: &Rc<Bool>, b: &Rc<Bool>) -> Guard<Pred> {
        let (a, b, to) = (self.guard(a), self.guard(b), self.code.pred());
        self.emit(Action::Combine { op, a, b, to });
        Guard {
            pred: to,
            negated: false,
        }
    }

    /// The outcome of a test, and that a guard holds.
    fn compare(&mut self, test: Test<Reg>, guard: Option<Guard<Pred>>) -> Guard<Pred> {
        let yes = self.code.pred();
        let into = match guard {
            Some(_) => Into::Both,
            None => Into::Set,
        };
        self.compare_into(test, guard, into, yes);
        Guard {
            pred: yes,
            negated: false,
        }
    }

    fn compare_into(&mut self, test: Test<Reg>, guard: Option<Guard<Pred>>, into: Into, yes: Pred) {
        let no = Pred::ONE;
        let action = Action::Compare {
            test,
            into,
            yes,
            no,
        };
        self.emit_op(Operation { guard, action });
    }

    /// A condition as data.
    pub fn bit(&mut self, one: &Rc<Bool>) -> Piece {
        if let Bool::Known(known) = **one {
            return Piece::Number(known.into(), 1);
        }
        let when = self.guard(one);
        let to = self.code.reg();
        let (a, b) = (Operand::Number(1), Operand::Number(0));
        self.emit(Action::Select { when, a, b, to });
        Piece::of(to, 1)
    }

    /// A value of one bit that stands in a register, as a condition.
    pub fn is_one(&mut self, pieces: &Pieces) -> Rc<Bool> {
        Rc::new(match pieces::number(pieces) {
            Some(number) => Bool::Known(number == 1),
            None => Bool::Test(Test {
                condition: Condition::Ne,
                a: self.operand(pieces),
                b: Operand::Number(0),
            }),
        })
    }

    /// A comparison of values that are equally wide.
    pub fn test(&mut self, condition: Condition, a: &Pieces, b: &Pieces) -> Rc<Bool> {
        if let (Some(_), None) = (pieces::number(a), pieces::number(b)) {
            return self.test(condition.mirrored(), b, a);
        }
        match condition {
            Condition::Eq => self.same(a, b),
            Condition::Ne => {
                let same = self.same(a, b);
                not(&same)
            }
            _ if pieces::width(a) <= 64 => {
                let (a, b) = match condition {
                    Condition::Slt | Condition::Sle | Condition::Sgt | Condition::Sge => {
                        (self.signed_operand(a), self.signed_operand(b))
                    }
                    _ => (self.operand(a), self.operand(b)),
                };
                if let Some(known) = self.by_length(condition, &a, &b) {
                    return Rc::new(Bool::Known(known));
                }
                Rc::new(Bool::Test(Test { condition, a, b }))
            }
            _ => self.wide_order(condition, a, b),
        }
    }

    /// Whether a number is beyond all lengths that packets have, or below.
    fn by_length(&self, condition: Condition, a: &Operand<Reg>, b: &Operand<Reg>) -> Option<bool> {
        let (Operand::Field(field), Operand::Number(number)) = (a, b) else {
            return None;
        };
        if self.without.contains(Saving::Bounds) {
            return None;
        }
        let is_length = self.inputs.contains(&(Input::Length, field.reg));
        let bits = u32::BITS - self.program.limits.longest.leading_zeros();
        let whole = u32::from(field.lo + field.width) >= bits;
        if !is_length || field.swapped || !whole {
            return None;
        }
        let limits = self.program.limits;
        let (least, most) = (limits.shortest >> field.lo, limits.longest >> field.lo);
        let (at_least, at_most) = (
            condition.holds(least.into(), *number),
            condition.holds(most.into(), *number),
        );
        let is_order = matches!(
            condition,
            Condition::Ult | Condition::Uge | Condition::Ule | Condition::Ugt
        );
        (is_order && at_least == at_most).then_some(at_least)
    }

    /// By the highest words, and where they are the same by the rest.
    fn wide_order(&mut self, condition: Condition, a: &Pieces, b: &Pieces) -> Rc<Bool> {
        let below = (pieces::width(a) - 1) / 64 * 64;
        let high = |all: &Pieces| pieces::slice(all, below, pieces::width(all) - below);
        let low = |all: &Pieces| pieces::slice(all, 0, below);
        let (strict, rest) = match condition {
            Condition::Ult | Condition::Ule => (Condition::Ult, condition),
            Condition::Ugt | Condition::Uge => (Condition::Ugt, condition),
            Condition::Slt => (Condition::Slt, Condition::Ult),
            Condition::Sle => (Condition::Slt, Condition::Ule),
            Condition::Sgt => (Condition::Sgt, Condition::Ugt),
            Condition::Sge => (Condition::Sgt, Condition::Uge),
            _ => unreachable!("it is an order"),
        };
        let decided = self.test(strict, &high(a), &high(b));
        let same = self.same(&high(a), &high(b));
        let rest = self.test(rest, &low(a), &low(b));
        or(&decided, &and(&same, &rest))
    }

    fn same(&mut self, a: &Pieces, b: &Pieces) -> Rc<Bool> {
        if pieces::is_zero(b) {
            if let Some(masked) = self.no_bits(a) {
                return masked;
            }
        }
        let is_number = b.iter().all(|piece| matches!(piece, Piece::Number(..)));
        if is_number && a.len() > 1 || pieces::width(a) > 64 {
            return self.same_by_parts(a, b);
        }
        let (a, b) = (self.operand(a), self.operand(b));
        let condition = Condition::Eq;
        Rc::new(Bool::Test(Test { condition, a, b }))
    }

    /// Piece for piece, where the second side is a number; else word for word.
    fn same_by_parts(&mut self, a: &Pieces, b: &Pieces) -> Rc<Bool> {
        let is_number = b.iter().all(|piece| matches!(piece, Piece::Number(..)));
        let widths: Vec<u32> = match is_number {
            true => a.iter().map(|piece| piece.width().into()).collect(),
            false => {
                let all = pieces::width(a);
                (0..all.div_ceil(64))
                    .map(|word| (all - word * 64).min(64))
                    .collect()
            }
        };
        let mut at = 0;
        let mut all = Rc::new(Bool::Known(true));
        for width in widths {
            let (one, other) = (pieces::slice(a, at, width), pieces::slice(b, at, width));
            at += width;
            let part = match (pieces::number(&one), pieces::number(&other)) {
                (Some(one), Some(other)) => Rc::new(Bool::Known(one == other)),
                _ => {
                    let (a, b) = (self.operand(&one), self.operand(&other));
                    let condition = Condition::Eq;
                    Rc::new(Bool::Test(Test { condition, a, b }))
                }
            };
            all = and(&all, &part);
        }
        all
    }

    /// Pieces of one register in its own order, of which all bits are to be 0: a mask. `None`: they are not.
    fn no_bits(&self, all: &Pieces) -> Option<Rc<Bool>> {
        let fields: Vec<&Field<Reg>> = all
            .iter()
            .filter_map(|piece| match piece {
                Piece::Field(field) => Some(field),
                Piece::Number(..) => None,
            })
            .collect();
        let same = |field: &&Field<Reg>| field.reg == fields[0].reg && !field.swapped;
        let some_bits = all.iter().all(|piece| match piece {
            Piece::Field(_) => true,
            Piece::Number(number, _) => *number == 0,
        });
        if fields.len() < 2 || !some_bits || !fields.iter().all(same) {
            return None;
        }
        let lo = fields.iter().map(|field| field.lo).min()?;
        let end = fields.iter().map(|field| field.lo + field.width).max()?;
        let mask = fields.iter().fold(0, |mask, field| {
            mask | low(u64::MAX, field.width) << (field.lo - lo)
        });
        let field = Field {
            lo,
            width: end - lo,
            ..*fields[0]
        };
        Some(Rc::new(Bool::Test(Test {
            condition: Condition::Disjoint,
            a: Operand::Field(field),
            b: Operand::Number(mask),
        })))
    }

    /// An operation that happens in any case.
    pub fn emit(&mut self, action: Action<Reg, Pred, super::super::code::Label>) {
        self.emit_op(Op {
            guard: None,
            action,
        });
    }
}
