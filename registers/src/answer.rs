//! What a table answers to an operation, and what an update may do.

use std::fmt;

/// What came of an operation on a table. The numbers are those of the register MAP_STATUS and of the hardware's ports, in
/// [`Answer::BITS`] bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
#[repr(u8)]
pub enum Answer {
    /// It was done.
    #[default]
    Done = 0,
    /// There is no such entry: of a lookup or delete, of an update that may not create one, and of a dump of an empty slot.
    Missing = 1,
    /// There is no room for another entry.
    Full = 2,
    /// The entry is there, and the update may not replace it.
    Exists = 3,
    /// No entry can have this key or slot: an index behind the last entry, a prefix longer than the key.
    BadIndex = 4,
    /// Nothing that this table does: an update that may neither create nor replace, a delete where every entry always exists.
    Refused = 5,
}

impl Answer {
    /// Every answer, by its number.
    pub const ALL: [Answer; 6] = [
        Answer::Done,
        Answer::Missing,
        Answer::Full,
        Answer::Exists,
        Answer::BadIndex,
        Answer::Refused,
    ];
    /// Bits of its number.
    pub const BITS: u32 = 3;

    /// Its number.
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The answer with a number.
    pub fn from_code(code: u32) -> Option<Answer> {
        Answer::ALL.get(code as usize).copied()
    }

    /// Its name, as constants of C headers and comments of hardware have it: `BAD_INDEX`.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Done => "DONE",
            Answer::Missing => "MISSING",
            Answer::Full => "FULL",
            Answer::Exists => "EXISTS",
            Answer::BadIndex => "BAD_INDEX",
            Answer::Refused => "REFUSED",
        }
    }

    /// Whether the operation was done.
    pub fn is_done(self) -> bool {
        self == Answer::Done
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Done => "done",
            Answer::Missing => "no such entry",
            Answer::Full => "the map is full",
            Answer::Exists => "the entry exists",
            Answer::BadIndex => "no entry can have this key or slot",
            Answer::Refused => "refused",
        })
    }
}

/// What an update may do. With neither it is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct May {
    /// Make an entry that is not there.
    pub create: bool,
    /// Write one that is.
    pub replace: bool,
}

impl May {
    /// Both.
    pub const PUT: May = May::of(true, true);
    /// Only an entry that is not there.
    pub const CREATE: May = May::of(true, false);
    /// Only one that is there.
    pub const REPLACE: May = May::of(false, true);
    /// Nothing.
    pub const NOTHING: May = May::of(false, false);
    /// Every one, by its bits.
    pub const ALL: [May; 4] = [May::NOTHING, May::CREATE, May::REPLACE, May::PUT];
    /// Bits of its number.
    pub const BITS: u32 = 2;

    const fn of(create: bool, replace: bool) -> May {
        May { create, replace }
    }

    /// Bit 0: may create; bit 1: may replace.
    pub fn bits(self) -> u32 {
        u32::from(self.create) | u32::from(self.replace) << 1
    }

    /// Of the two lowest bits of a number.
    pub fn from_bits(bits: u32) -> May {
        May::of(bits & 1 != 0, bits & 2 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_lists() {
        for (code, answer) in Answer::ALL.into_iter().enumerate() {
            assert_eq!(answer.code(), code as u32);
            assert_eq!(Answer::from_code(code as u32), Some(answer));
        }
        assert_eq!(Answer::from_code(6), None);
        assert!(Answer::ALL.len() <= 1 << Answer::BITS);
        for (bits, may) in May::ALL.into_iter().enumerate() {
            assert_eq!(may.bits(), bits as u32);
            assert_eq!(May::from_bits(bits as u32), may);
        }
    }
}
