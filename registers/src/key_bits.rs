//! Which bits of a map's keys are stored.
//!
//! Bits that are the same constants in every access of a program are neither stored nor compared. The host may put in a key
//! that has other bits there: a *foreign* key. The program cannot see it, but it counts against `max_entries`. So the host keeps
//! it, and a table only counts it ([`Map::stored`](crate::Map::stored) says how).

/// The bits of a map's keys, in memory order: bit `b` is bit `b % 8` of byte `b / 8`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyBits {
    /// Ones: bits that are the same in all keys of the program.
    constant: Vec<u8>,
    /// Their values; zeros elsewhere.
    values: Vec<u8>,
}

impl KeyBits {
    /// Keys of so many bytes whose bits all vary.
    pub fn all_vary(key_bytes: u32) -> KeyBits {
        let none = vec![0; key_bytes as usize];
        KeyBits {
            constant: none.clone(),
            values: none,
        }
    }

    /// Those that are constant, and their values. A key keeps a bit: where all of them are constant, its first one counts as
    /// one that varies.
    ///
    /// # Panics
    /// When the two are not equally long.
    pub fn new(mut constant: Vec<u8>, values: &[u8]) -> KeyBits {
        assert_eq!(constant.len(), values.len(), "bytes of one key");
        if constant.iter().all(|byte| *byte == u8::MAX) {
            constant[0] &= !1;
        }
        let values = constant.iter().zip(values);
        KeyBits {
            values: values.map(|(constant, value)| constant & value).collect(),
            constant,
        }
    }

    /// Ones: bits that are constant.
    pub fn constant(&self) -> &[u8] {
        &self.constant
    }

    /// The values of the constant bits; zeros elsewhere.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// All bits of a key.
    pub fn bits(&self) -> u32 {
        self.constant.len() as u32 * 8
    }

    /// Bits of a key that are stored: at least one.
    pub fn stored(&self) -> u32 {
        let constant: u32 = self.constant.iter().map(|byte| byte.count_ones()).sum();
        self.bits() - constant
    }

    /// Some bits are constant, so there are foreign keys.
    pub fn has_foreign(&self) -> bool {
        self.stored() < self.bits()
    }

    /// The program never asks for a key, because it has other bits where the program's are constant.
    pub fn is_foreign(&self, key: &[u8]) -> bool {
        let bytes = key.iter().zip(&self.constant).zip(&self.values);
        bytes
            .into_iter()
            .any(|((byte, constant), value)| byte & constant != *value)
    }

    /// The bits that are stored, from the lowest on.
    pub fn stored_places(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bits()).filter(|place| !bit(&self.constant, *place))
    }

    /// What a table has of a key.
    pub fn cut(&self, key: &[u8]) -> Vec<u8> {
        let mut stored = vec![0; self.stored().div_ceil(8) as usize];
        for (to, from) in (0..).zip(self.stored_places()) {
            stored[to / 8] |= u8::from(bit(key, from)) << (to % 8);
        }
        stored
    }

    /// The key of which a table has that. What stands above its bits does not matter.
    pub fn whole(&self, stored: &[u8]) -> Vec<u8> {
        let mut key = self.values.clone();
        for (from, to) in (0..).zip(self.stored_places()) {
            key[to as usize / 8] |= u8::from(bit(stored, from)) << (to % 8);
        }
        key
    }

    /// Neighbours that are all stored or all constant, from the lowest on: where they begin, how many, and whether they are
    /// stored.
    pub fn runs(&self) -> Vec<(u32, u32, bool)> {
        let mut runs: Vec<(u32, u32, bool)> = Vec::new();
        for place in 0..self.bits() {
            let is_stored = !bit(&self.constant, place);
            match runs.last_mut() {
                Some((_, count, same)) if *same == is_stored => *count += 1,
                _ => runs.push((place, 1, is_stored)),
            }
        }
        runs
    }
}

fn bit(bytes: &[u8], place: u32) -> bool {
    bytes[place as usize / 8] >> (place % 8) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A protocol of 17 or 6 in 16 bits between an address and padding.
    fn flow() -> KeyBits {
        let constant = vec![0, 0, 0, 0, 0b1110_1000, 0xff, 0xff, 0xff];
        KeyBits::new(constant, &[9, 9, 9, 9, 0xff, 0, 0, 0x80])
    }

    #[test]
    fn a_key_is_cut_and_made_whole() {
        let bits = flow();
        assert_eq!((bits.bits(), bits.stored()), (64, 36));
        assert_eq!(bits.values(), [0, 0, 0, 0, 0b1110_1000, 0, 0, 0x80]);
        let key = [0x12, 0x34, 0x56, 0x78, 0b1111_1010, 0, 0, 0x80];
        assert!(!bits.is_foreign(&key));
        let stored = bits.cut(&key);
        // Bits 0, 1, 2 and 4 of the fifth byte.
        assert_eq!(stored, [0x12, 0x34, 0x56, 0x78, 0b1010]);
        assert_eq!(bits.whole(&stored), key);
        for place in 0..64 {
            let mut other = key;
            other[place / 8] ^= 1 << (place % 8);
            let is_stored = bits.stored_places().any(|stored| stored == place as u32);
            assert_eq!(bits.is_foreign(&other), !is_stored, "bit {place}");
        }
    }

    #[test]
    fn a_key_keeps_a_bit() {
        let bits = KeyBits::new(vec![0xff; 4], &[1, 0, 0, 7]);
        assert_eq!((bits.stored(), bits.values()), (1, &[0, 0, 0, 7][..]));
        assert_eq!(bits.whole(&[1]), [1, 0, 0, 7]);
        assert!(!bits.is_foreign(&[0, 0, 0, 7]));
        assert!(bits.is_foreign(&[0, 0, 0, 6]));
    }

    #[test]
    fn keys_of_which_all_bits_vary_stay_as_they_are() {
        let bits = KeyBits::all_vary(3);
        assert!(!bits.has_foreign() && !bits.is_foreign(&[1, 2, 3]));
        assert_eq!(bits.cut(&[1, 2, 3]), [1, 2, 3]);
        assert_eq!(bits.whole(&[1, 2, 3]), [1, 2, 3]);
    }
}
