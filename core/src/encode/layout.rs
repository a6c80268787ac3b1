//! Which bits of an operation's word say what. The hardware's decoder is made from the same names.
//!
//! ```text
//! 127         96 95          64 63          32 31        20 19  14 13 12 11 10 9   5 4    0
//! ┌─────────────┬──────────────┬──────────────┬────────────┬──────┬─────┬─────┬─────┬──────┐
//! │ last word   │ operand b    │ operand a    │ the rest   │ to   │ b:  │ a:  │guard│opcode│
//! └─────────────┴──────────────┴──────────────┴────────────┴──────┴─────┴─────┴─────┴──────┘
//! ```
//!
//! * A slot without an operation is all zeros; no opcode is 0. **Bits that an operation does not name are 0.**
//! * The **destination** has no bank: an operation writes the bank of its lane.
//! * An **operand** is absent, a field ([`field`]), or a number, as its kind says ([`kind`]). A number of `b` stands in [`B_NUMBER`],
//!   and has 64 bits with the last word. Where an operation needs the last word for something else
//!   ([`Opcode::has_last_word`]), it has 32 bits. A number of `a` stands in [`A_NUMBER`] and has 32 bits, but 64 where there is no `b`:
//!   then its upper half stands in the word of `b`. 32 bits are extended with zeros, or with ones ([`kind::NEGATIVE`]; the number's
//!   bit 31 is 1 then).
//! * There is **one way to write** an operation: a number that has a form of 32 bits stands there in that form, and a guard that
//!   always holds is that of `p0`.
//! * Words in which nothing stands are all zeros, and an image leaves them out ([`crate::image`]).

use crate::isa::{Action, Buffer, Combine, Compute, Condition, Into};
use hardpath_ir::structure::Memory;
use hardpath_ir::{AtomicOp, Input};

/// Bits of a word, side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// The lowest one.
    pub lo: u8,
    /// How many, 1 to 64.
    pub width: u8,
}

impl Bits {
    /// Bits `hi` to `lo`.
    const fn of(hi: u8, lo: u8) -> Bits {
        Bits {
            lo,
            width: hi - lo + 1,
        }
    }

    /// Ones at these bits.
    pub const fn mask(self) -> u128 {
        (u128::MAX >> (128 - self.width as u32)) << self.lo
    }

    /// What stands there.
    pub const fn get(self, word: u128) -> u64 {
        ((word & self.mask()) >> self.lo) as u64
    }

    /// A value at these bits, and zeros; what of the value is above them is left out.
    pub const fn put(self, value: u64) -> u128 {
        ((value as u128) << self.lo) & self.mask()
    }

    /// The largest value that has room.
    pub const fn most(self) -> u64 {
        u64::MAX >> (64 - self.width as u32)
    }
}

/// Words of 32 bits that an operation has.
pub const WORDS: usize = 4;
/// The most rows of a program: as many as a branch can name.
pub const MOST_ROWS: u32 = 1 << TARGET.width;
/// The most maps of a program.
pub const MOST_MAPS: u8 = 1 << MAP.width;

/// What an operation does: an [`Opcode`].
pub const OPCODE: Bits = Bits::of(4, 0);
/// The predicate of the guard.
pub const GUARD: Bits = Bits::of(8, 5);
/// It holds when the predicate is 0.
pub const GUARD_NEGATED: Bits = Bits::of(9, 9);
/// What operand `a` is: one of [`kind`].
pub const A_KIND: Bits = Bits::of(11, 10);
/// What operand `b` is.
pub const B_KIND: Bits = Bits::of(13, 12);
/// The number of the destination in the lane's bank.
pub const TO: Bits = Bits::of(19, 14);
/// There is a destination; of operations that can do without.
pub const HAS_TO: Bits = Bits::of(20, 20);

/// Operand `a` as a field.
pub const A_FIELD: Bits = Bits::of(54, 32);
/// Operand `a` as a number.
pub const A_NUMBER: Bits = Bits::of(63, 32);
/// Operand `b` as a field.
pub const B_FIELD: Bits = Bits::of(86, 64);
/// Operand `b` as a number, or the upper half of `a`.
pub const B_NUMBER: Bits = Bits::of(95, 64);
/// The upper half of a number `b`, or what is below here of an operation that needs it.
pub const LAST: Bits = Bits::of(127, 96);

/// [`Action::Compute`]: one of [`COMPUTES`].
pub const COMPUTE: Bits = Bits::of(23, 20);
/// [`Action::Compute`], [`Action::Insert`]: the width less 1.
pub const WIDTH: Bits = Bits::of(31, 26);
/// [`Action::Insert`]: the lowest bit.
pub const INSERT_LO: Bits = Bits::of(25, 20);
/// [`Action::Select`]: the predicate that decides.
pub const WHEN: Bits = Bits::of(23, 20);
/// [`Action::Select`]: it decides the other way round.
pub const WHEN_NEGATED: Bits = Bits::of(24, 24);

/// Comparisons, and branches and exits with one: one of [`CONDITIONS`].
pub const CONDITION: Bits = Bits::of(31, 28);
/// [`Action::Compare`]: what becomes the outcome.
pub const YES: Bits = Bits::of(17, 14);
/// [`Action::Compare`]: what becomes its opposite.
pub const NO: Bits = Bits::of(21, 18);
/// [`Action::Compare`]: one of [`INTOS`].
pub const INTO: Bits = Bits::of(23, 22);

/// [`Action::Combine`]: where it goes.
pub const COMBINE_TO: Bits = Bits::of(17, 14);
/// [`Action::Combine`]: one predicate.
pub const COMBINE_A: Bits = Bits::of(21, 18);
/// [`Action::Combine`]: its opposite counts.
pub const COMBINE_A_NEGATED: Bits = Bits::of(22, 22);
/// [`Action::Combine`]: the other predicate.
pub const COMBINE_B: Bits = Bits::of(26, 23);
/// [`Action::Combine`]: its opposite counts.
pub const COMBINE_B_NEGATED: Bits = Bits::of(27, 27);
/// [`Action::Combine`]: one of [`COMBINES`].
pub const COMBINE: Bits = Bits::of(29, 28);

/// The memory that is read or written, or read by a copy: one of [`MEMORIES`].
pub const MEMORY: Bits = Bits::of(20, 20);
/// [`Action::Copy`]: the memory that is written.
pub const COPY_INTO: Bits = Bits::of(21, 21);
/// [`Action::Load`], [`Action::Store`]: the offset, with its sign.
pub const MEMORY_OFFSET: Bits = Bits::of(113, 96);
/// Operations on values of maps: the offset in the value.
pub const MAP_OFFSET: Bits = Bits::of(124, 96);
/// Whatever reads or writes bytes: how many, less 1.
pub const BYTES: Bits = Bits::of(127, 125);
/// [`Action::Checksum`], [`Action::Copy`]: the most bytes.
pub const UP_TO: Bits = Bits::of(111, 96);

/// [`Action::Put`]: the first word.
pub const PUT_AT: Bits = Bits::of(29, 14);
/// [`Action::Put`]: one of [`BUFFERS`].
pub const BUFFER: Bits = Bits::of(31, 30);

/// The number of a map.
pub const MAP: Bits = Bits::of(26, 21);
/// [`Action::Lookup`]: the predicate that says whether there is an entry.
pub const HIT: Bits = Bits::of(31, 28);
/// An opcode that no program has: what a unit beside the lanes brings back. Operand `a` goes into the register, if there is one.
pub const ANSWER: u64 = 31;
/// Another one: a load whose bytes go to the unit that brings it, and into no register.
pub const FETCH: u64 = 30;
/// [`Action::Update`]: what it may do.
pub const MAY: Bits = Bits::of(29, 28);
/// [`Action::Update`]: it says so itself.
pub const HAS_MAY: Bits = Bits::of(30, 30);
/// [`Action::Atomic`]: one of [`ATOMICS`].
pub const ATOMIC: Bits = Bits::of(30, 28);

/// [`Action::Input`]: one of [`INPUTS`], and behind them an own input of the program.
pub const INPUT: Bits = Bits::of(23, 21);
/// [`Action::Input`]: the lowest bit of an own input.
pub const OWN_LO: Bits = Bits::of(101, 96);
/// [`Action::Input`]: its width less 1.
pub const OWN_WIDTH: Bits = Bits::of(107, 102);

/// [`Action::Branch`]: the row.
pub const TARGET: Bits = Bits::of(27, 14);

/// Endings: 0: as the buffer says; 2: the packet does not go on; 3: it does.
pub const FORWARDED: Bits = Bits::of(15, 14);
/// Endings: the outputs stand in the last word; else in the buffer.
pub const HAS_OUTPUTS: Bits = Bits::of(16, 16);
/// Endings: 0: back; 1: as the buffer says; 4 to 7: class 0 to 3.
pub const WAY: Bits = Bits::of(19, 17);
/// Endings: one for each destination in the map of [`MAP`].
pub const HAS_EACH: Bits = Bits::of(20, 20);
/// Endings: [`crate::isa::Ending::leaving`].
pub const LEAVING: Bits = Bits::of(27, 27);
/// Endings: all outputs.
pub const OUTPUTS: Bits = LAST;

/// What an operand is.
pub mod kind {
    /// There is none.
    pub const ABSENT: u64 = 0;
    /// Bits of a register.
    pub const FIELD: u64 = 1;
    /// A number, with zeros above it.
    pub const NUMBER: u64 = 2;
    /// A number of 32 bits, with ones above it.
    pub const NEGATIVE: u64 = 3;
}

/// Bits of a field, counted from its own lowest one.
pub mod field {
    use super::Bits;

    /// The register's number in its bank.
    pub const INDEX: Bits = Bits::of(5, 0);
    /// Its bank.
    pub const BANK: Bits = Bits::of(8, 6);
    /// The lowest bit.
    pub const LO: Bits = Bits::of(14, 9);
    /// How many, less 1.
    pub const WIDTH: Bits = Bits::of(20, 15);
    /// Bytes in the other order.
    pub const SWAPPED: Bits = Bits::of(21, 21);
    /// Extended with the sign.
    pub const SIGNED: Bits = Bits::of(22, 22);
}

/// In the order of their codes.
pub const COMPUTES: [Compute; 13] = [
    Compute::Add,
    Compute::Sub,
    Compute::And,
    Compute::Or,
    Compute::Xor,
    Compute::Shl,
    Compute::LShr,
    Compute::AShr,
    Compute::Mul,
    Compute::UDiv,
    Compute::URem,
    Compute::SDiv,
    Compute::SRem,
];

/// In the order of their codes. An odd one is the opposite of the one in front of it.
pub const CONDITIONS: [Condition; 12] = [
    Condition::Eq,
    Condition::Ne,
    Condition::Ult,
    Condition::Uge,
    Condition::Ule,
    Condition::Ugt,
    Condition::Slt,
    Condition::Sge,
    Condition::Sle,
    Condition::Sgt,
    Condition::Any,
    Condition::Disjoint,
];

/// In the order of their codes.
pub const INPUTS: [Input; 6] = [
    Input::Length,
    Input::Ingress,
    Input::Queue,
    Input::Egress,
    Input::Time,
    Input::Random,
];

/// In the order of their codes.
pub const INTOS: [Into; 4] = [Into::Set, Into::Both, Into::And, Into::Or];
/// In the order of their codes.
pub const COMBINES: [Combine; 3] = [Combine::And, Combine::Or, Combine::Xor];
/// In the order of their codes.
pub const MEMORIES: [Memory; 2] = [Memory::Stack, Memory::Packet];
/// In the order of their codes.
pub const BUFFERS: [Buffer; 4] = [Buffer::Key, Buffer::Value, Buffer::May, Buffer::Exit];
/// In the order of their codes.
pub const ATOMICS: [AtomicOp; 6] = [
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Xchg,
    AtomicOp::CmpXchg,
];

/// What an operation does, as its lowest bits say it: each is an [`Action`] of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Opcode {
    Move = 1,
    Compute,
    Insert,
    Select,
    Compare,
    Combine,
    Load,
    Store,
    Clear,
    Put,
    Lookup,
    Update,
    Delete,
    MapLoad,
    MapStore,
    Atomic,
    Checksum,
    Copy,
    Branch,
    Indirect,
    Exit,
    Send,
    Input,
}

impl Opcode {
    /// All of them, the one with code 1 first.
    pub const ALL: [Opcode; 23] = [
        Opcode::Move,
        Opcode::Compute,
        Opcode::Insert,
        Opcode::Select,
        Opcode::Compare,
        Opcode::Combine,
        Opcode::Load,
        Opcode::Store,
        Opcode::Clear,
        Opcode::Put,
        Opcode::Lookup,
        Opcode::Update,
        Opcode::Delete,
        Opcode::MapLoad,
        Opcode::MapStore,
        Opcode::Atomic,
        Opcode::Checksum,
        Opcode::Copy,
        Opcode::Branch,
        Opcode::Indirect,
        Opcode::Exit,
        Opcode::Send,
        Opcode::Input,
    ];

    /// Of an action.
    pub fn of<R, P, T>(action: &Action<R, P, T>) -> Opcode {
        match action {
            Action::Move { .. } => Opcode::Move,
            Action::Compute { .. } => Opcode::Compute,
            Action::Insert { .. } => Opcode::Insert,
            Action::Select { .. } => Opcode::Select,
            Action::Compare { .. } => Opcode::Compare,
            Action::Combine { .. } => Opcode::Combine,
            Action::Load { .. } => Opcode::Load,
            Action::Store { .. } => Opcode::Store,
            Action::Clear { .. } => Opcode::Clear,
            Action::Put { .. } => Opcode::Put,
            Action::Lookup { .. } => Opcode::Lookup,
            Action::Update { .. } => Opcode::Update,
            Action::Delete { .. } => Opcode::Delete,
            Action::MapLoad { .. } => Opcode::MapLoad,
            Action::MapStore { .. } => Opcode::MapStore,
            Action::Atomic { .. } => Opcode::Atomic,
            Action::Checksum { .. } => Opcode::Checksum,
            Action::Copy { .. } => Opcode::Copy,
            Action::Branch { .. } => Opcode::Branch,
            Action::Indirect { .. } => Opcode::Indirect,
            Action::Exit { .. } => Opcode::Exit,
            Action::Send { .. } => Opcode::Send,
            Action::Input { .. } => Opcode::Input,
        }
    }

    /// Of a code.
    pub fn with_code(code: u64) -> Option<Opcode> {
        let index = usize::try_from(code).ok()?.checked_sub(1)?;
        Opcode::ALL.get(index).copied()
    }

    /// It needs [`LAST`] for something else than a number `b`, which has 32 bits then.
    pub fn has_last_word(self) -> bool {
        matches!(
            self,
            Opcode::Load
                | Opcode::Store
                | Opcode::MapLoad
                | Opcode::MapStore
                | Opcode::Atomic
                | Opcode::Checksum
                | Opcode::Copy
                | Opcode::Exit
                | Opcode::Send
                | Opcode::Input
        )
    }
}
