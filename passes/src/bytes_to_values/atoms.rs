//! The atoms of a memory: the longest runs of bytes that no access divides.

use super::Access;
use std::collections::BTreeSet;

/// A run of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    pub start: u64,
    pub bytes: u64,
}

/// What an access finds at one place, from its first byte up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The atom of that number, whole.
    Atom(usize),
    /// So many bytes that do not exist.
    Outside(u64),
}

pub struct Atoms {
    atoms: Vec<Atom>,
    size: u64,
}

impl Atoms {
    /// `before_zero` bytes lie before the place where a packet begins; no atom has bytes on both sides.
    pub fn new<'a>(
        accesses: impl Iterator<Item = &'a Access>,
        size: u64,
        before_zero: u64,
    ) -> Atoms {
        let mut cuts = BTreeSet::from([before_zero]);
        let mut touched: Vec<(u64, u64)> = Vec::new();
        for access in accesses {
            for &offset in &access.offsets {
                for (start, end) in runs_inside(offset, access.bytes, size) {
                    cuts.insert(start);
                    cuts.insert(end);
                    touched.push((start, end));
                }
            }
        }
        touched.sort_unstable();
        let mut atoms = Vec::new();
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let mut reach = 0;
        let mut next = touched.iter().peekable();
        for pair in cuts.windows(2) {
            while let Some((_, end)) = next.next_if(|(start, _)| *start <= pair[0]) {
                reach = reach.max(*end);
            }
            if reach >= pair[1] {
                atoms.push(Atom {
                    start: pair[0],
                    bytes: pair[1] - pair[0],
                });
            }
        }
        Atoms { atoms, size }
    }

    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    pub fn get(&self, index: usize) -> Atom {
        self.atoms[index]
    }

    /// The atoms at `offset .. offset + bytes` (modulo 2^64), which must have been among the accesses.
    pub fn at(&self, offset: u64, bytes: u64) -> Vec<Found> {
        let mut found = Vec::new();
        let mut done = 0;
        while done < bytes {
            let here = offset.wrapping_add(done);
            if here >= self.size {
                // Up to the end of the access, or to the place where offsets begin again at 0.
                let outside = (bytes - done).min(here.wrapping_neg());
                found.push(Found::Outside(outside));
                done += outside;
                continue;
            }
            let index = self.atoms.partition_point(|atom| atom.start < here);
            found.push(Found::Atom(index));
            done += self.atoms[index].bytes;
        }
        found
    }
}

/// The parts of `offset .. offset + bytes` (modulo 2^64) that exist.
fn runs_inside(offset: u64, bytes: u64, size: u64) -> Vec<(u64, u64)> {
    let mut runs = Vec::new();
    if offset < size {
        runs.push((offset, offset.saturating_add(bytes).min(size)));
    } else if offset.checked_add(bytes).is_none() {
        let wrapped = offset.wrapping_add(bytes).min(size);
        if wrapped > 0 {
            runs.push((0, wrapped));
        }
    }
    runs
}
