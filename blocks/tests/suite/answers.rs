//! The numbers of answers, as ports have them.

use hardpath_blocks::answer::Answer;

pub const DONE: u64 = Answer::Done as u64;
pub const MISSING: u64 = Answer::Missing as u64;
pub const FULL: u64 = Answer::Full as u64;
pub const EXISTS: u64 = Answer::Exists as u64;
pub const BAD_INDEX: u64 = Answer::BadIndex as u64;
pub const REFUSED: u64 = Answer::Refused as u64;
