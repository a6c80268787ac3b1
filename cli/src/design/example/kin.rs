//! Keys of a hash table that share a few buckets.
//!
//! The digests of a key are linear over GF(2) in its bits. So the keys whose digests have the same high bits are one of them
//! and a linear space added to it, which elimination finds at once, however large the table is. These keys see a table of
//! very few rows: there all places get taken, and keys stand in each other's way in every clock.

use crate::contents::Random;
use hardpath_blocks::hash::{Columns, Hash, WAYS};
use hardpath_blocks::interface::MapPort;

/// Dimensions that the space has at least: of many keys a program may want only some.
const DIMENSIONS: usize = 7;

/// A first key, and what can be added to it.
pub struct Kin {
    first: Vec<u8>,
    space: Vec<Vec<u8>>,
    /// The lowest bits of the digests, which differ.
    open_bits: u32,
}

impl Kin {
    /// Keys with as few rows as the bytes of a key allow that may be chosen.
    pub fn new(port: &MapPort, first: Vec<u8>, free: &[usize]) -> Kin {
        let row_bits = Hash::row_bits(port.max_entries);
        let spaces = (1..=row_bits).map(|open_bits| Kin {
            first: first.clone(),
            space: space(port, free, open_bits),
            open_bits,
        });
        let mut spaces: Vec<Kin> = spaces.collect();
        let enough = spaces.iter().position(|kin| kin.space.len() >= DIMENSIONS);
        spaces.swap_remove(enough.unwrap_or(spaces.len() - 1))
    }

    /// One of them.
    pub fn key(&self, random: &mut Random) -> Vec<u8> {
        let mut key = self.first.clone();
        for vector in &self.space {
            if random.below(2) == 1 {
                add(&mut key, vector);
            }
        }
        key
    }

    /// Rows that each way has for them, about.
    pub fn rows(&self) -> usize {
        1 << self.open_bits
    }
}

/// What changes none of the digests' bits but the lowest: a basis.
fn space(port: &MapPort, free: &[usize], open_bits: u32) -> Vec<Vec<u8>> {
    let row_bits = Hash::row_bits(port.max_entries);
    // Digests that were met, each with its highest bit alone in front, and what makes them.
    let mut met: Vec<(u128, Vec<u8>)> = Vec::new();
    let mut space = Vec::new();
    let is_free = |bit: &usize| free.contains(&(bit / 8));
    let bits = port.stored.stored_places().map(|bit| bit as usize);
    let columns = Columns::new(port.table_key_bits(), row_bits);
    for (stored, bit) in (0..).zip(bits).filter(|(_, bit)| is_free(bit)) {
        let digests = (0..WAYS).map(|way| columns.of(way, stored));
        let mut digest = digests.fold(0u128, |joined, digest| {
            joined << (row_bits - open_bits) | u128::from(digest >> open_bits)
        });
        let mut vector = vec![0; port.key_bytes as usize];
        vector[bit / 8] = 1 << (bit % 8);
        for (other, of_other) in &met {
            if digest ^ other < digest {
                digest ^= other;
                add(&mut vector, of_other);
            }
        }
        match digest {
            0 => space.push(vector),
            _ => {
                met.push((digest, vector));
                met.sort_by_key(|(digest, _)| std::cmp::Reverse(*digest));
            }
        }
    }
    space
}

fn add(key: &mut [u8], vector: &[u8]) {
    for (to, from) in key.iter_mut().zip(vector) {
        *to ^= from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_registers::{KeyBits, Map};
    use std::collections::BTreeSet;

    #[test]
    fn keys_share_buckets() {
        for (key_bytes, max_entries, most) in [(16, 512, 4), (16, 65_536, 4), (4, 512, 8)] {
            let port = MapPort {
                map: Map {
                    key_bytes,
                    stored: KeyBits::all_vary(key_bytes),
                    max_entries,
                    name: String::from("flows"),
                    kind: String::from("hash"),
                    value_bytes: 4,
                    slots: Hash::entries(max_entries),
                    select: 0,
                },
                journal: None,
                storage: None,
                room: None,
            };
            let mut random = Random(1);
            let first = (0..key_bytes).map(|_| random.next() as u8).collect();
            let free: Vec<usize> = (0..key_bytes as usize).collect();
            let kin = Kin::new(&port, first, &free);
            let keys: BTreeSet<Vec<u8>> = (0..500).map(|_| kin.key(&mut random)).collect();
            assert!(keys.len() > 60, "{key_bytes} {max_entries}");
            for way in 0..4 {
                let rows: BTreeSet<u32> = (keys.iter())
                    .map(|key| port.places(key).0[2 * way])
                    .collect();
                assert!(rows.len() <= most, "{rows:?} {key_bytes} {max_entries}");
            }
        }
    }
}
