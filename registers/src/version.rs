//! Versions of the register map: major in the high half of the word, minor in the low one.
//!
//! A design says the oldest version that serves it. A driver of another major version would do harm; one of the same and of no
//! smaller minor version knows all that the design may ask of it.

use crate::address_map::field;
use crate::KeyBits;

/// A design stores all keys.
pub const ALL_KEYS: u32 = 0x0001_0001;
/// The host keeps the foreign keys of maps ([`Map::stored`](crate::Map::stored)): a driver of before would lose their values.
pub const FOREIGN_KEYS: u32 = 0x0002_0000;

/// The newest version of each major one that this crate speaks.
pub const KNOWN: [u32; 2] = [ALL_KEYS, FOREIGN_KEYS];

/// Of a design with maps that store so much of their keys.
pub fn of<'a>(stored: impl IntoIterator<Item = &'a KeyBits>) -> u32 {
    match stored.into_iter().any(|keys| keys.has_foreign()) {
        true => FOREIGN_KEYS,
        false => ALL_KEYS,
    }
}

/// Whether a driver of a version knows all that a design of another one asks for.
pub fn serves(driver: u32, design: u32) -> bool {
    field::MAJOR.of(driver) == field::MAJOR.of(design)
        && field::MINOR.of(driver) >= field::MINOR.of(design)
}

/// Whether this crate knows all that a design of that version asks for.
pub fn is_known(design: u32) -> bool {
    KNOWN.iter().any(|known| serves(*known, design))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_same_and_the_minor_one_no_smaller() {
        assert!(serves(0x0001_0002, 0x0001_0001));
        assert!(!serves(0x0001_0001, 0x0001_0002));
        assert!(!serves(0x0002_0000, 0x0001_0000));
        assert!(KNOWN.iter().all(|known| is_known(*known)));
        assert!(is_known(0x0001_0000));
        assert!(![0, 0x0001_0002, 0x0002_0001, 0x0003_0000]
            .map(is_known)
            .contains(&true));
    }

    #[test]
    fn who_keeps_keys_is_in_the_version() {
        let whole = KeyBits::all_vary(4);
        let cut = KeyBits::new(vec![0x80, 0], &[0, 0]);
        assert_eq!(of([]), ALL_KEYS);
        assert_eq!(of([&whole]), ALL_KEYS);
        assert_eq!(of([&whole, &cut]), FOREIGN_KEYS);
    }
}
