//! The entries of a table whose keys have several fields, each of which matches in its own way.
//!
//! The key of an entry is the fields, as many bytes of their masks, and 4 bytes of priority. It is stored as it is compared: bits
//! of a field that do not count are zeros, the mask of an exact field is ones. So entries are the same when all their bytes are.

use crate::table::{Match, FEW_MASKS_PRIORITIES, PRIORITY_BYTES};
use crate::MapDecl;
use std::collections::BTreeSet;

/// An entry: its key, and its value.
type Entry = (Vec<u8>, Vec<u8>);

/// The entries by their places. A new one comes to the lowest that is free.
#[derive(Clone, Debug)]
pub struct Ternary(Vec<Option<Entry>>);

/// The handle of the entry in a place: 0 is none's.
fn handle(place: usize) -> u32 {
    place as u32 + 1
}

impl Ternary {
    pub fn new(decl: &MapDecl) -> Ternary {
        Ternary(vec![None; decl.max_entries as usize])
    }

    /// The entry that a key finds.
    pub fn find(&self, decl: &MapDecl, key: &[u8]) -> Option<u32> {
        let places = self.0.iter().enumerate();
        let matching = places.filter_map(|(place, entry)| {
            let (other, _) = entry.as_ref()?;
            matches(decl, other, key).then(|| (priority(decl, other), place))
        });
        // Of the same priority the first one.
        let best = matching.max_by_key(|(priority, place)| (*priority, usize::MAX - place));
        best.map(|(_, place)| handle(place))
    }

    /// The entry with this very key.
    pub fn exact(&self, decl: &MapDecl, key: &[u8]) -> Option<u32> {
        let key = as_stored(decl, key)?;
        let is_it = |entry: &Option<Entry>| entry.as_ref().is_some_and(|(other, _)| *other == key);
        self.0.iter().position(is_it).map(handle)
    }

    pub fn key(&self, entry: u32) -> Option<&[u8]> {
        let (key, _) = self.0.get(entry.checked_sub(1)? as usize)?.as_ref()?;
        Some(key)
    }

    pub fn value(&self, entry: u32) -> Option<&[u8]> {
        let (_, value) = self.0.get(entry.checked_sub(1)? as usize)?.as_ref()?;
        Some(value)
    }

    pub fn value_mut(&mut self, entry: u32) -> Option<&mut [u8]> {
        let (_, value) = self.0.get_mut(entry.checked_sub(1)? as usize)?.as_mut()?;
        Some(value)
    }

    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Whether there may be an entry of this mask.
    fn has_mask(&self, decl: &MapDecl, key: &[u8]) -> bool {
        let bytes = decl.key_bytes as usize;
        let (Some(most), Some(key)) = (decl.most_masks, as_stored(decl, key)) else {
            return true;
        };
        let mut masks: BTreeSet<&[u8]> = self
            .entries()
            .map(|(key, _)| &key[bytes..2 * bytes])
            .collect();
        masks.insert(&key[bytes..2 * bytes]);
        masks.len() <= most as usize
    }

    /// Whether there was room. The key is one that an entry can have.
    pub fn put(&mut self, decl: &MapDecl, key: &[u8], value: &[u8]) -> bool {
        let old = self.exact(decl, key).map(|entry| entry as usize - 1);
        if old.is_none() && !self.has_mask(decl, key) {
            return false;
        }
        let place = old.or_else(|| self.0.iter().position(Option::is_none));
        let (Some(place), Some(key)) = (place, as_stored(decl, key)) else {
            return false;
        };
        self.0[place] = Some((key, value.to_vec()));
        true
    }

    /// Whether it was there.
    pub fn remove(&mut self, decl: &MapDecl, key: &[u8]) -> bool {
        match self.exact(decl, key) {
            Some(entry) => {
                self.0[entry as usize - 1] = None;
                true
            }
            None => false,
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().flatten()
    }
}

fn priority(decl: &MapDecl, key: &[u8]) -> u32 {
    let at = 2 * decl.key_bytes as usize;
    key[at..]
        .first_chunk()
        .copied()
        .map_or(0, u32::from_le_bytes)
}

/// Bits `lo..lo + bits` of bytes in memory order, the lowest first.
fn bits_of(bytes: &[u8], lo: u32, bits: u32) -> Vec<bool> {
    let bit = |place: u32| bytes[place as usize / 8] >> (place % 8) & 1 == 1;
    (lo..lo + bits).map(bit).collect()
}

/// Fields with their bits of a key and of a mask.
fn fields<'a>(
    decl: &'a MapDecl,
    key: &'a [u8],
    mask: &'a [u8],
) -> impl Iterator<Item = (Match, u32, Vec<bool>, Vec<bool>)> + 'a {
    let mut lo = 0;
    decl.fields.iter().map(move |field| {
        let at = lo;
        lo += field.bits;
        let [value, mask] = [key, mask].map(|bytes| bits_of(bytes, at, field.bits));
        (field.by, at, value, mask)
    })
}

/// An entry's key as it is stored; `None`: no entry can have it.
pub fn as_stored(decl: &MapDecl, key: &[u8]) -> Option<Vec<u8>> {
    let bytes = decl.key_bytes as usize;
    if key.len() != decl.entry_key_bytes() as usize {
        return None;
    }
    if decl.most_masks.is_some() && !FEW_MASKS_PRIORITIES.contains(&priority(decl, key)) {
        return None;
    }
    let mut stored = vec![0; key.len()];
    let behind = 2 * bytes..2 * bytes + PRIORITY_BYTES as usize;
    stored[behind.clone()].copy_from_slice(&key[behind]);
    for (by, at, value, mask) in fields(decl, &key[..bytes], &key[bytes..2 * bytes]) {
        let can_be = match by {
            Match::Exact | Match::Ternary => true,
            Match::Prefix => mask.windows(2).all(|two| !two[0] || two[1]),
            Match::Range => value.iter().rev().le(mask.iter().rev()),
        };
        if !can_be {
            return None;
        }
        for (number, (value, mask)) in value.into_iter().zip(mask).enumerate() {
            let (value, mask) = match by {
                Match::Exact => (value, true),
                Match::Prefix | Match::Ternary => (value && mask, mask),
                Match::Range => (value, mask),
            };
            let place = at as usize + number;
            stored[place / 8] |= u8::from(value) << (place % 8);
            stored[bytes + place / 8] |= u8::from(mask) << (place % 8);
        }
    }
    Some(stored)
}

/// Whether an entry matches what is looked up.
fn matches(decl: &MapDecl, entry: &[u8], key: &[u8]) -> bool {
    let bytes = decl.key_bytes as usize;
    fields(decl, &entry[..bytes], &entry[bytes..2 * bytes]).all(|(by, at, value, mask)| {
        let asked = bits_of(key, at, value.len() as u32);
        match by {
            Match::Range => {
                value.iter().rev().le(asked.iter().rev())
                    && asked.iter().rev().le(mask.iter().rev())
            }
            _ => (0..value.len()).all(|bit| !mask[bit] || value[bit] == asked[bit]),
        }
    })
}
