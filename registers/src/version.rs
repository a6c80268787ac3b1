//! Versions of the register map: major in the high half of the word, minor in the low one.
//!
//! A design says which one it has. A driver of another major version would do harm. Of one major version each minor one has all
//! that smaller ones have, with the same meaning, so any driver serves it: what came later is used where the design has it.

use crate::address_map::field;

/// The version of the designs of today, and the newest one that this crate speaks. 3.0: commands end in an
/// [`Answer`](crate::Answer), updates say what they [`May`](crate::May) do, and the host keeps the foreign keys of maps
/// ([`Map::stored`](crate::Map::stored)). 3.1: [`NEXT`](crate::command::NEXT) and
/// [`MAP_HANDLE`](crate::register::MAP_HANDLE).
pub const VERSION: u32 = 0x0003_0001;

/// Whether a driver of a version serves a design of another one.
pub fn serves(driver: u32, design: u32) -> bool {
    field::MAJOR.of(driver) == field::MAJOR.of(design)
}

/// Whether a design of a version has the command NEXT, and the register MAP_HANDLE.
pub fn has_next(design: u32) -> bool {
    serves(VERSION, design) && field::MINOR.of(design) >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_same() {
        assert!(serves(0x0001_0002, 0x0001_0001));
        assert!(serves(0x0001_0001, 0x0001_0002));
        assert!(!serves(0x0002_0000, 0x0001_0000));
        assert!(serves(VERSION, VERSION));
        assert!(!serves(VERSION, 0x0002_0001));
    }

    #[test]
    fn what_came_later_is_not_in_designs_of_before() {
        assert!(has_next(VERSION) && has_next(0x0003_0007));
        assert!(!has_next(0x0003_0000) && !has_next(0x0002_0001));
    }
}
