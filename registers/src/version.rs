//! Versions of the register map: major in the high half of the word, minor in the low one.
//!
//! A design says the oldest version that serves it. A driver of another major version would do harm; one of the same and of no
//! smaller minor version knows all that the design may ask of it.

use crate::address_map::field;

/// The version of the designs of today, and the newest one that this crate speaks: commands end in an
/// [`Answer`](crate::Answer), updates say what they [`May`](crate::May) do, and the host keeps the foreign keys of maps
/// ([`Map::stored`](crate::Map::stored)).
pub const VERSION: u32 = 0x0003_0000;

/// Whether a driver of a version knows all that a design of another one asks for.
pub fn serves(driver: u32, design: u32) -> bool {
    field::MAJOR.of(driver) == field::MAJOR.of(design)
        && field::MINOR.of(driver) >= field::MINOR.of(design)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_same_and_the_minor_one_no_smaller() {
        assert!(serves(0x0001_0002, 0x0001_0001));
        assert!(!serves(0x0001_0001, 0x0001_0002));
        assert!(!serves(0x0002_0000, 0x0001_0000));
        assert!(serves(VERSION, VERSION));
        assert!(!serves(VERSION, 0x0002_0000));
    }
}
