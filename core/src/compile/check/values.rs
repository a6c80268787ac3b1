//! Values by their numbers: what is computed alike of the same has one number, whoever computes it.

use crate::isa::{self, Buffer, Guard, Operand, Operation, Test};
use std::collections::HashMap;

/// A value's number.
pub type Id = u32;

/// A value of one bit, or its opposite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit {
    /// Whose.
    pub id: Id,
    /// It is 1 when that is 0.
    pub negated: bool,
}

/// An operation on values. Where it writes, and where it goes, is no part of it.
pub type Op = Operation<Id, Bit, ()>;

/// A guard and an outcome.
pub type Term = (Bit, Id);

/// How a value comes about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Nobody else has it.
    Own(u32),
    /// What stands in a register when the block is entered.
    Entry(isa::Reg),
    /// What stands in a predicate then.
    EntryBit(isa::Pred),
    /// What stands in a word of [`Buffer::Exit`] then.
    EntryWord(u16),
    /// A bit that is 1.
    One,
    /// An operand that is more than a register.
    Operand(Operand<Id>),
    /// The outcome of a comparison.
    Test(Test<Id>),
    /// One of two registers' values.
    Chosen(Bit, Id, Id),
    /// One of two bits.
    ChosenBit(Bit, Bit, Bit),
    /// The first bit, until one of these guards holds while its outcome is not the other number: [`isa::Into::And`] (`false`) makes it 0,
    /// [`isa::Into::Or`] (`true`) 1. In which order is all the same.
    Gathered(bool, Bit, Vec<Term>),
    /// That an operation was done: with these words of buffers, and behind these others that it may meet.
    Did(Box<Op>, Vec<(u16, Id)>, Vec<Id>),
    /// What an operation gives beside its effect: the number tells several results apart.
    Of(Id, u8),
}

/// All values of a block.
#[derive(Default)]
pub struct Values {
    numbers: HashMap<Value, Id>,
    /// The values that are [`Value::Gathered`], with its parts.
    gathered: HashMap<Id, (bool, Bit, Vec<Term>)>,
    own: u32,
}

impl Values {
    /// The number of a value.
    pub fn of(&mut self, value: Value) -> Id {
        let next = self.numbers.len() as Id;
        *self.numbers.entry(value).or_insert(next)
    }

    /// A value that is no other one.
    pub fn own(&mut self) -> Id {
        self.own += 1;
        self.of(Value::Own(self.own))
    }

    /// A bit that comes about so.
    pub fn bit(&mut self, value: Value) -> Bit {
        let id = self.of(value);
        let negated = false;
        Bit { id, negated }
    }

    /// The bit that is 1.
    pub fn one(&mut self) -> Bit {
        self.bit(Value::One)
    }

    /// The bit that a guard asks; without one it is 1.
    pub fn guard(&mut self, guard: Option<Guard<Bit>>) -> Bit {
        match guard {
            Some(Guard { pred, negated }) => Bit {
                negated: pred.negated != negated,
                ..pred
            },
            None => self.one(),
        }
    }

    /// An operand's value.
    pub fn operand(&mut self, operand: Operand<Id>) -> Id {
        match operand {
            Operand::Field(field) if field == isa::Field::whole(field.reg) => field.reg,
            _ => self.of(Value::Operand(operand)),
        }
    }

    /// `new` where the guard holds.
    pub fn chosen(
        &mut self,
        guard: Option<Guard<Bit>>,
        new: Id,
        old: impl Fn(&mut Self) -> Id,
    ) -> Id {
        if guard.is_none() {
            return new;
        }
        let (when, old) = (self.guard(guard), old(self));
        self.of(Value::Chosen(when, new, old))
    }

    /// A bit into which an outcome goes by [`isa::Into::And`] or, where `or`, by [`isa::Into::Or`].
    pub fn gathered(&mut self, or: bool, old: Bit, term: Term) -> Bit {
        let known = self.gathered.get(&old.id).filter(|_| !old.negated);
        let (first, mut terms) = match known {
            Some((other, first, terms)) if *other == or => (*first, terms.clone()),
            _ => (old, Vec::new()),
        };
        terms.push(term);
        terms.sort_unstable();
        terms.dedup();
        let bit = self.bit(Value::Gathered(or, first, terms.clone()));
        self.gathered.insert(bit.id, (or, first, terms));
        bit
    }

    /// What stands in a buffer's word when the block is entered. Only of [`Buffer::Exit`] both sides agree then.
    pub fn entry_word(&mut self, buffer: Buffer, at: u16) -> Id {
        match buffer {
            Buffer::Exit => self.of(Value::EntryWord(at)),
            _ => self.own(),
        }
    }
}
