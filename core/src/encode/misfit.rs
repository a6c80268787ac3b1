//! Why an operation has no word, or a word no operation.

use thiserror::Error;

/// Why an operation has no binary form, or why a word is none of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Misfit {
    /// There is nothing of that number.
    #[error("there is no {what} {value}: the last one is {most}")]
    Beyond {
        /// What is numbered.
        what: &'static str,
        /// The number.
        value: u64,
        /// The highest one that there is.
        most: u64,
    },
    /// There is nothing of that kind at all.
    #[error("there is no {what}")]
    None {
        /// Of which kind.
        what: &'static str,
    },
    /// A number that has to be in a range.
    #[error("{what} is {value}, and has to be {least} to {most}")]
    Outside {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        value: i64,
        /// The lowest that it may be.
        least: i64,
        /// The highest.
        most: i64,
    },
    /// A field that is none of a register of 64 bits.
    #[error("{what} has {width} bits from bit {lo} on, and there are bits 0 to 63")]
    Field {
        /// Whose field.
        what: &'static str,
        /// The lowest bit.
        lo: u8,
        /// How many.
        width: u8,
    },
    /// Only bytes can be put in another order.
    #[error("{what} has {width} bits, which are no whole bytes to be swapped")]
    Swap {
        /// Whose field.
        what: &'static str,
        /// How many bits.
        width: u8,
    },
    /// A number that has more bits than there is room for.
    #[error(
        "{what} is {value:#x}, and there is room for 32 bits, extended with zeros or with ones"
    )]
    Number {
        /// Which operand.
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// Outputs that have more bits than there is room for.
    #[error("the outputs are {value:#x}, and an ending has room for 32 bits")]
    Outputs {
        /// What they are.
        value: u64,
    },
    /// A register of another lane.
    #[error("lane {lane} cannot write bank {bank}")]
    Bank {
        /// Whose operation.
        lane: u8,
        /// Where it wants to write.
        bank: u8,
    },
    /// An operation always happens when it has no guard.
    #[error("the guard always holds, and is left out")]
    Always,
    /// An exit with a condition takes its index from the buffer.
    #[error("an exit with a condition has no index of its own")]
    IndexOfTest,
    /// An operand that there has to be.
    #[error("operand {what} is missing")]
    Missing {
        /// Which one.
        what: &'static str,
    },
    /// An operand that there must not be.
    #[error("the operation has no operand {what}")]
    Surplus {
        /// Which one.
        what: &'static str,
    },
    /// What is added to an offset is a field.
    #[error("the base of an access is no number")]
    Base,
    /// A code that has no meaning.
    #[error("{what} has no code {code}")]
    Code {
        /// What has codes.
        what: &'static str,
        /// The one that is none.
        code: u64,
    },
    /// A number that is to be written in another way.
    #[error("operand {what} is {value:#x}, which has a shorter form")]
    Longer {
        /// Which one.
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// Bits that mean nothing.
    #[error("bit {bit} means nothing in this operation, and is not 0")]
    Reserved {
        /// The lowest one.
        bit: u8,
    },
}
