//! The program of one clock as straight-line operations on limbs of 64 bits.
//!
//! Every operation is pure: it reads the state as it was before the clock edge. Equal operations are one; constants
//! are folded and masks that change nothing are left out as the operations are made ([`build`]). What the clock does
//! to memory is a list of [`Store`]s; all of them happen after the loads that they would disturb.

mod build;

use crate::netlist::ForeignId;
use cranelift_entity::{entity_impl, PrimaryMap};
use std::collections::HashMap;

/// The result of an operation: at most 64 bits, zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limb(u32);
entity_impl!(Limb, "l");

/// An operation. Amounts of shifts are taken modulo 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Const(u64),
    /// `bytes` (1, 2, 4, 8) at a fixed place of the arena; only the low `bits` bits can be 1.
    Load {
        offset: u32,
        bytes: u8,
        bits: u8,
    },
    /// The same at a computed place: `offset` is added to the value of the limb.
    LoadAt {
        at: Limb,
        offset: u32,
        bytes: u8,
        bits: u8,
    },
    And(Limb, Limb),
    Or(Limb, Limb),
    Xor(Limb, Limb),
    Add(Limb, Limb),
    Sub(Limb, Limb),
    Mul(Limb, Limb),
    /// High half of the 128-bit product.
    MulHigh(Limb, Limb),
    Shl(Limb, Limb),
    Shr(Limb, Limb),
    /// Arithmetic: the sign is bit 63.
    Sar(Limb, Limb),
    /// Compares give one bit.
    Eq(Limb, Limb),
    Ne(Limb, Limb),
    Ult(Limb, Limb),
    Ule(Limb, Limb),
    Slt(Limb, Limb),
    Sle(Limb, Limb),
    /// One bit ? second : third.
    Select(Limb, Limb, Limb),
    /// Number of ones.
    Count(Limb),
}

/// A write to the arena.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// Added to `offset` when present.
    pub at: Option<Limb>,
    pub offset: u32,
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    /// How many low bits of the place can be 1.
    pub bits: u8,
    pub value: Limb,
    /// One bit; 0: the place keeps what it has.
    pub guard: Option<Limb>,
    /// A place of the arena: for a fixed place, where its old content can be read before the clock edge; for a
    /// computed one, what may be written in its stead.
    pub otherwise: u32,
}

/// Operations and stores of one clock.
#[derive(Default)]
pub struct Code {
    pub ops: PrimaryMap<Limb, Op>,
    /// How many low bits of each limb can be 1.
    bits: PrimaryMap<Limb, u8>,
    known: HashMap<Op, Limb>,
    /// To places that no operation reads in the same clock.
    pub stores: Vec<Store>,
    /// To memories, in order, after every operation.
    pub late_stores: Vec<Store>,
    /// In order, before all other stores. What a call reads does not depend on a later one.
    pub calls: Vec<Call>,
}

/// A question to the model of a foreign module: what is on an output?
pub struct Call {
    pub foreign: ForeignId,
    /// The output's number.
    pub output: u32,
    /// What the model must see before, in all steps and without guards.
    pub stores: Vec<Store>,
}

impl Op {
    /// The limbs that an operation reads.
    pub fn args(&self) -> smallvec::SmallVec<[Limb; 3]> {
        use smallvec::smallvec;
        match *self {
            Op::Const(_) | Op::Load { .. } => smallvec![],
            Op::LoadAt { at, .. } => smallvec![at],
            Op::Count(a) => smallvec![a],
            Op::And(a, b)
            | Op::Or(a, b)
            | Op::Xor(a, b)
            | Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Mul(a, b)
            | Op::MulHigh(a, b)
            | Op::Shl(a, b)
            | Op::Shr(a, b)
            | Op::Sar(a, b)
            | Op::Eq(a, b)
            | Op::Ne(a, b)
            | Op::Ult(a, b)
            | Op::Ule(a, b)
            | Op::Slt(a, b)
            | Op::Sle(a, b) => smallvec![a, b],
            Op::Select(a, b, c) => smallvec![a, b, c],
        }
    }
}

impl Code {
    /// Whether a limb is kept as a truth value: one bit.
    pub fn is_bool(&self, limb: Limb) -> bool {
        self.bits[limb] <= 1
    }

    /// Whether a limb is cheaper to make again than to keep: a constant, a load of the state, or one simple
    /// operation on such a load and a constant.
    pub fn is_remade(&self, limb: Limb) -> bool {
        let is_leaf = |limb: Limb| matches!(self.ops[limb], Op::Const(_) | Op::Load { .. });
        match self.ops[limb] {
            Op::And(a, b)
            | Op::Xor(a, b)
            | Op::Shl(a, b)
            | Op::Shr(a, b)
            | Op::Eq(a, b)
            | Op::Ne(a, b)
            | Op::Ult(a, b) => is_leaf(a) && self.as_const(b).is_some(),
            _ => is_leaf(limb),
        }
    }

    /// The constant that a limb is.
    pub fn as_const(&self, limb: Limb) -> Option<u64> {
        match self.ops[limb] {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }
}

/// The low `bits` bits (at most 64) as a mask.
pub fn mask(bits: u32) -> u64 {
    match bits {
        0 => 0,
        _ => u64::MAX >> (64 - bits.min(64)),
    }
}
