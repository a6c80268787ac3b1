//! What the core does: rows of operations, one for each lane.
//!
//! **Threads.** The core works on several packets, one a thread. A thread has one row at a time between fetch and its results, so
//! every row sees all results of the row before, whatever they take: a load and a taken branch cost what an addition costs.
//! Lanes are kept busy by the rows of other threads.
//!
//! **A row.** All registers, predicates and bytes that a row reads are as they were before it. Its operations take effect in the
//! order of the lanes, up to and including the first branch, jump or exit that is taken: what stands in later lanes then does not
//! happen. So a row is a piece of sequential code whose values do not depend on each other.
//!
//! **Registers** have 64 bits. Each lane has a bank of its own, which it alone writes; every lane reads all banks. A new packet
//! finds zeros in all of them. **Predicates** are single bits; number 0 is always 1.
//! An operation happens when its [`Guard`] holds.
//!
//! **Operands** are fields: any bits of a register, in another order of bytes, extended with zeros or with the sign; or numbers.
//! **Memory** is that of the program IR ([`hardpath_ir::Op`]): bytes outside of packet and stack read 0 and vanish when they are written.
//!
//! **Buffers** ([`Buffer`]) take what does not fit into two operands: long keys and values, a third operand, and what a packet's end
//! says. Each is an array of words of 64 bits, which [`Action::Put`] writes two at a time; an operation in the same row that reads the
//! buffer sees what earlier lanes have put there.

use hardpath_ir::structure::Memory;
use hardpath_ir::{AtomicOp, Input};

/// Predicates of a thread, the constant one among them.
pub const PREDICATES: u8 = 16;
/// Bits of an operation's own constant.
pub const IMMEDIATE_BITS: u32 = 64;
/// Bits of an offset that an access has in itself, and of its sign.
pub const OFFSET_BITS: u32 = 18;
/// The most bytes of one access.
pub const ACCESS_BYTES: u8 = 8;
/// The most registers of a bank.
pub const MOST_REGISTERS: u8 = 64;
/// The most lanes.
pub const MOST_LANES: u8 = 8;

/// A register: written `r0.5`, number 5 in the bank of lane 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg {
    /// The lane that writes it.
    pub bank: u8,
    /// Its number in the bank.
    pub index: u8,
}

/// A predicate: written `p3`. `p0` is 1; what is written to it vanishes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pred(pub u8);

/// A predicate, or that it is not 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard<P = Pred> {
    /// Whose bit.
    pub pred: P,
    /// It holds when the bit is 0.
    pub negated: bool,
}

/// Bits of a register as an operand of up to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field<R = Reg> {
    /// Whose bits.
    pub reg: R,
    /// The lowest one.
    pub lo: u8,
    /// How many, 1 to 64 − `lo`.
    pub width: u8,
    /// The bytes of the field in the other order; its width is whole bytes then.
    pub swapped: bool,
    /// Above it stand copies of its highest bit (behind the swap), else zeros.
    pub signed: bool,
}

impl<R> Field<R> {
    /// All of a register.
    pub fn whole(reg: R) -> Field<R> {
        Field {
            reg,
            lo: 0,
            width: 64,
            swapped: false,
            signed: false,
        }
    }
}

/// What an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand<R = Reg> {
    /// Bits of a register.
    Field(Field<R>),
    /// A number.
    Number(u64),
}

/// Two operands to one result, over 64 bits; [`Action::Compute`] keeps the low ones. As [`hardpath_ir::Op`] has them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compute {
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// Bits that both have.
    And,
    /// Bits that one has.
    Or,
    /// Bits in which they differ.
    Xor,
    /// `a` up by `b` bits; zeros from 64 on.
    Shl,
    /// `a` down by `b` bits; zeros from 64 on.
    LShr,
    /// `a` down by `b` bits with copies of its bit 63.
    AShr,
    /// The low half of the product.
    Mul,
    /// 0 when `b` is.
    UDiv,
    /// `a` when `b` is 0.
    URem,
    /// Rounds to zero; 0 when `b` is; the most negative number by −1 is itself.
    SDiv,
    /// With the sign of `a`; `a` when `b` is 0.
    SRem,
}

/// What two operands are to each other, as numbers of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// The same.
    Eq,
    /// Not the same.
    Ne,
    /// Unsigned below.
    Ult,
    /// Unsigned not below.
    Uge,
    /// Unsigned not above.
    Ule,
    /// Unsigned above.
    Ugt,
    /// Signed below.
    Slt,
    /// Signed not below.
    Sge,
    /// Signed not above.
    Sle,
    /// Signed above.
    Sgt,
    /// They share a bit that is 1.
    Any,
    /// They share none.
    Disjoint,
}

impl Condition {
    /// Every condition, each beside its opposite.
    pub const PAIRS: [[Condition; 2]; 6] = [
        [Condition::Eq, Condition::Ne],
        [Condition::Ult, Condition::Uge],
        [Condition::Ule, Condition::Ugt],
        [Condition::Slt, Condition::Sge],
        [Condition::Sle, Condition::Sgt],
        [Condition::Any, Condition::Disjoint],
    ];

    /// What holds when this does not.
    pub fn inverse(self) -> Condition {
        let pair = Condition::PAIRS.iter().find(|pair| pair.contains(&self));
        let [one, other] = pair.expect("every condition has an opposite");
        match *one == self {
            true => *other,
            false => *one,
        }
    }

    /// The same of the operands in the other order.
    pub fn mirrored(self) -> Condition {
        match self {
            Condition::Ult => Condition::Ugt,
            Condition::Ugt => Condition::Ult,
            Condition::Ule => Condition::Uge,
            Condition::Uge => Condition::Ule,
            Condition::Slt => Condition::Sgt,
            Condition::Sgt => Condition::Slt,
            Condition::Sle => Condition::Sge,
            Condition::Sge => Condition::Sle,
            Condition::Eq | Condition::Ne | Condition::Any | Condition::Disjoint => self,
        }
    }

    /// Whether it holds.
    pub fn holds(self, a: u64, b: u64) -> bool {
        let (signed_a, signed_b) = (a as i64, b as i64);
        match self {
            Condition::Eq => a == b,
            Condition::Ne => a != b,
            Condition::Ult => a < b,
            Condition::Uge => a >= b,
            Condition::Ule => a <= b,
            Condition::Ugt => a > b,
            Condition::Slt => signed_a < signed_b,
            Condition::Sge => signed_a >= signed_b,
            Condition::Sle => signed_a <= signed_b,
            Condition::Sgt => signed_a > signed_b,
            Condition::Any => a & b != 0,
            Condition::Disjoint => a & b == 0,
        }
    }
}

/// A condition with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Test<R = Reg> {
    /// What is asked.
    pub condition: Condition,
    /// The first operand.
    pub a: Operand<R>,
    /// The second one.
    pub b: Operand<R>,
}

/// How a comparison changes its predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Into {
    /// They become the outcome and its opposite, when the guard holds.
    Set,
    /// The same, and both become 0 when the guard does not hold.
    Both,
    /// The first becomes 0 when the guard holds and the outcome is 0. Several lanes may do so at once.
    And,
    /// The first becomes 1 when the guard holds and the outcome is 1. Several lanes may do so at once.
    Or,
}

/// How two predicates make one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// One holds, and not both.
    Xor,
}

/// Words of 64 bits beside the registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffer {
    /// The key of the next map operation.
    Key,
    /// The value of the next update; in word 0 what a compare-and-exchange expects, and the length of a copy.
    Value,
    /// What an update may do (2 bits), where the operation does not say it.
    May,
    /// What becomes of the packet: see [`exit`].
    Exit,
}

/// Words of [`Buffer::Exit`].
pub mod exit {
    /// The index in bits 31:0, the class in 33:32.
    pub const WAY: u16 = 0;
    /// What leaves: from, end and zeros ([`hardpath_ir::Leaving`]) in bits 15:0, 31:16 and 47:32, the length of what is put in front in
    /// 63:48.
    pub const LEAVING: u16 = 1;
    /// Bit 0: the packet goes on. Bit 1: a broadcast leaves the interface out where the packet came in.
    pub const FLAGS: u16 = 2;
    /// From here on: all outputs of the program, the first in the lowest bits.
    pub const OUTPUTS: u16 = 4;
    /// The most words of outputs.
    pub const MOST_OUTPUTS: u16 = 12;
    /// From here on: the bytes in front.
    pub const FRONT: u16 = 16;
}

/// What becomes of a packet, or of a further copy of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// It goes on. `None`: as [`exit::FLAGS`] says.
    pub forwarded: Option<bool>,
    /// All outputs of the program, side by side, zeros above 64 bits. `None`: as [`exit::OUTPUTS`] says.
    pub outputs: Option<u64>,
    /// Which way.
    pub way: Way,
    /// Which bytes of its memory leave. `false`: as it came in.
    pub leaving: bool,
    /// One for each destination in the map of this number.
    pub each: Option<u8>,
}

/// Which way a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// Out where it came in.
    Back,
    /// This class, and the index that the exit's operand says, else 0.
    Class(u8),
    /// As [`exit::WAY`] says.
    Buffer,
}

/// A key or value that is given in one word.
type Short<R> = Option<Operand<R>>;

/// What an operation does. `P` is what predicates are called, `R` registers, `T` places to go to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action<R = Reg, P = Pred, T = u32> {
    /// An operand into a register.
    Move {
        /// The operand.
        a: Operand<R>,
        /// Where it goes.
        to: R,
    },
    /// What enters beside the packet's bytes, extended with zeros.
    Input {
        /// What of it.
        input: Input,
        /// Where it goes.
        to: R,
    },
    /// The low `width` bits of `a op b`.
    Compute {
        /// Which operation.
        op: Compute,
        /// 1 to 64.
        width: u8,
        /// The first operand.
        a: Operand<R>,
        /// The second one.
        b: Operand<R>,
        /// Where the result goes.
        to: R,
    },
    /// `into`, with the low `width` bits of `a` in its bits from `lo` on.
    Insert {
        /// What is put in.
        a: Operand<R>,
        /// The rest.
        into: Operand<R>,
        /// The lowest bit that changes.
        lo: u8,
        /// How many, 1 to 64 − `lo`.
        width: u8,
        /// Where the result goes.
        to: R,
    },
    /// `a` when `when` holds, else `b`.
    Select {
        /// What decides.
        when: Guard<P>,
        /// One operand.
        a: Operand<R>,
        /// The other one.
        b: Operand<R>,
        /// Where the result goes.
        to: R,
    },
    /// A comparison into predicates.
    Compare {
        /// What is asked.
        test: Test<R>,
        /// How its outcome goes in.
        into: Into,
        /// What becomes the outcome.
        yes: P,
        /// What becomes its opposite, of [`Into::Set`] and [`Into::Both`].
        no: P,
    },
    /// A predicate of two.
    Combine {
        /// How.
        op: Combine,
        /// One.
        a: Guard<P>,
        /// The other one.
        b: Guard<P>,
        /// Where it goes.
        to: P,
    },
    /// Bytes of a memory, extended with zeros.
    Load {
        /// Which one.
        memory: Memory,
        /// Added to the offset; `None`: 0.
        base: Option<Field<R>>,
        /// Where they begin: [`OFFSET_BITS`].
        offset: i32,
        /// How many, 1 to 8.
        bytes: u8,
        /// Where they go.
        to: R,
    },
    /// Bytes into a memory.
    Store {
        /// Which one.
        memory: Memory,
        /// Added to the offset; `None`: 0.
        base: Option<Field<R>>,
        /// Where they begin.
        offset: i32,
        /// How many, 1 to 8.
        bytes: u8,
        /// What is written.
        value: Operand<R>,
    },
    /// [`hardpath_ir::Op::PacketClear`].
    Clear {
        /// From where on.
        from: Operand<R>,
    },
    /// Words into a buffer.
    Put {
        /// Which one.
        buffer: Buffer,
        /// The first word.
        at: u16,
        /// What goes there.
        a: Operand<R>,
        /// What goes into the word behind it.
        b: Short<R>,
    },
    /// [`hardpath_ir::Op::MapLookup`] with the key in the buffer, whose first words may be given here.
    Lookup {
        /// The map's number in the program.
        map: u8,
        /// Word 0 of the key.
        a: Short<R>,
        /// Word 1 of the key.
        b: Short<R>,
        /// Where the entry's number goes.
        to: Option<R>,
        /// Whether there is one.
        hit: P,
    },
    /// [`hardpath_ir::Op::MapUpdate`].
    Update {
        /// The map's number.
        map: u8,
        /// Word 0 of the key.
        a: Short<R>,
        /// Word 0 of the value.
        b: Short<R>,
        /// What it may do, 2 bits. `None`: as [`Buffer::May`] says.
        may: Option<u8>,
        /// Where the answer goes, 3 bits.
        to: Option<R>,
    },
    /// [`hardpath_ir::Op::MapDelete`].
    Delete {
        /// The map's number.
        map: u8,
        /// Word 0 of the key.
        a: Short<R>,
        /// Word 1 of the key.
        b: Short<R>,
        /// Where the answer goes, 3 bits.
        to: Option<R>,
    },
    /// Bytes of a value: [`hardpath_ir::Op::MapLoad`].
    MapLoad {
        /// The map's number.
        map: u8,
        /// The entry in bits 31:0; what bits 63:32 say is added to the offset.
        entry: Operand<R>,
        /// Where they begin in the value.
        offset: u32,
        /// How many, 1 to 8.
        bytes: u8,
        /// Where they go.
        to: R,
    },
    /// [`hardpath_ir::Op::MapStore`].
    MapStore {
        /// The map's number.
        map: u8,
        /// As of [`Action::MapLoad`].
        entry: Operand<R>,
        /// Where they begin in the value.
        offset: u32,
        /// How many, 1 to 8.
        bytes: u8,
        /// What is written.
        value: Operand<R>,
    },
    /// [`hardpath_ir::Op::MapAtomic`]; what is expected stands in word 0 of [`Buffer::Value`].
    Atomic {
        /// The map's number.
        map: u8,
        /// What it does.
        op: AtomicOp,
        /// As of [`Action::MapLoad`].
        entry: Operand<R>,
        /// Where the word begins in the value.
        offset: u32,
        /// Its bytes, 1 to 8.
        bytes: u8,
        /// The operand.
        value: Operand<R>,
        /// Where the old word goes.
        to: Option<R>,
    },
    /// [`hardpath_ir::structure::Whole::Checksum`] without a seed.
    Checksum {
        /// Whose bytes.
        memory: Memory,
        /// Where they begin.
        a: Operand<R>,
        /// How many; 16 bits.
        b: Operand<R>,
        /// The most that count.
        up_to: u16,
        /// Where the sum goes.
        to: R,
    },
    /// [`hardpath_ir::structure::Whole::Copy`]; the length stands in word 0 of [`Buffer::Value`].
    Copy {
        /// What is read.
        from: Memory,
        /// What is written.
        into: Memory,
        /// Where reading begins.
        a: Operand<R>,
        /// Where writing begins.
        b: Operand<R>,
        /// The most bytes.
        up_to: u16,
    },
    /// Goes on elsewhere.
    Branch {
        /// When this holds; `None`: whenever the guard does.
        when: Option<Test<R>>,
        /// The row there.
        to: T,
    },
    /// Goes on at the row that a register says.
    Indirect {
        /// Which row.
        a: Operand<R>,
    },
    /// The packet's program is over.
    Exit {
        /// When this holds; `None`: whenever the guard does.
        when: Option<Test<R>>,
        /// The index of its way, of an exit without a condition.
        index: Short<R>,
        /// What becomes of it.
        ending: Ending,
    },
    /// A further copy of the packet will leave behind it, with what stands in [`Buffer::Exit`] now and the bytes that the packet has at
    /// its end.
    Send {
        /// What becomes of it.
        ending: Ending,
    },
}

/// One lane's part of a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation<R = Reg, P = Pred, T = u32> {
    /// When it happens. Of [`Action::Compare`] by [`Into`].
    pub guard: Option<Guard<P>>,
    /// What it does.
    pub action: Action<R, P, T>,
}
