//! The contents of one map.

use super::ternary::{as_stored, Ternary};
use super::Entries;
use crate::{Answer, MapDecl, May};
use std::collections::{BTreeMap, HashMap};

/// One map.
#[derive(Clone, Debug)]
pub struct Contents {
    pub decl: MapDecl,
    pub store: Store,
}

#[derive(Clone, Debug)]
pub enum Store {
    /// An array: all values, one after the other.
    Array(Vec<u8>),
    /// By exact key or prefix.
    Keyed(Box<Keyed>),
    /// The values that are set. The entry of slot `i` is `i + 1`.
    Slots(Vec<Option<Vec<u8>>>),
    Ternary(Ternary),
}

impl Contents {
    pub fn new(decl: &MapDecl) -> Contents {
        let entries = decl.max_entries as usize;
        let store = if decl.is_array() {
            let mut values = vec![0; entries * decl.value_bytes as usize];
            if let Some(initial) = &decl.initial {
                for (to, from) in values.iter_mut().zip(initial) {
                    *to = *from;
                }
            }
            Store::Array(values)
        } else if decl.has_slots() {
            Store::Slots(vec![None; entries])
        } else if decl.is_ternary() {
            Store::Ternary(Ternary::new(decl))
        } else {
            Store::Keyed(Box::new(Keyed::new(decl)))
        };
        Contents {
            decl: decl.clone(),
            store,
        }
    }

    /// A table that forgets keeps its keys until they are deleted, and has room for so many.
    pub fn forget_as_told(&mut self, slots: u32) {
        if let (Store::Keyed(keyed), true) = (&mut self.store, self.decl.forgets) {
            keyed.forgets_as_told = true;
            self.decl.max_entries = slots;
        }
    }

    /// The index that a key means; `None` when it is outside.
    pub fn index(&self, key: &[u8]) -> Option<u32> {
        let index = u32::from_le_bytes(key.try_into().ok()?);
        (index < self.decl.max_entries).then_some(index)
    }

    /// Whether there can be an entry under a key: an index inside the map, a prefix that is not longer than the data.
    pub fn can_hold(&self, key: &[u8]) -> bool {
        match &self.store {
            Store::Keyed(keyed) => {
                !keyed.by_prefix || prefix_length(key) <= longest_prefix(key.len())
            }
            Store::Array(_) | Store::Slots(_) => self.index(key).is_some(),
            Store::Ternary(_) => as_stored(&self.decl, key).is_some(),
        }
    }

    /// The entry that a lookup finds.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        match &self.store {
            Store::Array(_) => self.index(key),
            Store::Keyed(keyed) => keyed.find(key),
            Store::Slots(slots) => {
                let index = self.index(key)?;
                slots[index as usize].as_ref().map(|_| index + 1)
            }
            Store::Ternary(ternary) => ternary.find(&self.decl, key),
        }
    }

    /// The entry of this very key, or of this very prefix.
    pub fn exact(&self, key: &[u8]) -> Option<u32> {
        match &self.store {
            Store::Keyed(keyed) => keyed.exact(key),
            Store::Array(_) | Store::Slots(_) => self.find(key),
            Store::Ternary(ternary) => ternary.exact(&self.decl, key),
        }
    }

    /// The key of an entry that a program can write and that lookups find.
    pub fn key_of(&self, entry: u32) -> Option<Vec<u8>> {
        match &self.store {
            Store::Array(_) => Some(entry.to_le_bytes().to_vec()),
            Store::Keyed(keyed) => keyed.live_key(entry).map(<[u8]>::to_vec),
            Store::Slots(_) => None,
            Store::Ternary(ternary) => ternary.key(entry).map(<[u8]>::to_vec),
        }
    }

    /// A key as the map holds it: of a prefix the bits behind it are those that came with the entry.
    pub fn as_held(&self, key: Vec<u8>) -> Vec<u8> {
        if let Store::Ternary(_) = &self.store {
            return as_stored(&self.decl, &key).unwrap_or(key);
        }
        let Store::Keyed(keyed) = &self.store else {
            return key;
        };
        let held = (keyed.exact(&key)).and_then(|entry| keyed.live_key(entry));
        held.map_or(key, <[u8]>::to_vec)
    }

    /// The answer, and the key that a full table forgot.
    pub fn update(&mut self, key: &[u8], value: &[u8], may: May) -> (Answer, Option<Vec<u8>>) {
        if !self.can_hold(key) {
            return (Answer::BadIndex, None);
        }
        if may == May::NOTHING {
            return (Answer::Refused, None);
        }
        match self.exact(key).is_some() {
            true if !may.replace => return (Answer::Exists, None),
            false if !may.create => return (Answer::Missing, None),
            _ => {}
        }
        let index = self.index(key);
        match &mut self.store {
            Store::Keyed(keyed) => return keyed.put(key, value, self.decl.max_entries),
            Store::Array(values) => {
                let start = index.expect("it can hold the key") as usize * value.len();
                values[start..start + value.len()].copy_from_slice(value);
            }
            Store::Slots(slots) => {
                let slot = &mut slots[index.expect("it can hold the key") as usize];
                *slot = (first_word(value) != 0).then(|| value.to_vec());
            }
            Store::Ternary(ternary) => {
                if !ternary.put(&self.decl, key, value) {
                    return (Answer::Full, None);
                }
            }
        }
        (Answer::Done, None)
    }

    pub fn delete(&mut self, key: &[u8]) -> Answer {
        if !self.can_hold(key) {
            return Answer::BadIndex;
        }
        let index = self.index(key);
        match &mut self.store {
            Store::Array(_) => Answer::Refused,
            Store::Keyed(keyed) => keyed.delete(key),
            Store::Slots(slots) => {
                slots[index.expect("it can hold the key") as usize] = None;
                Answer::Done
            }
            Store::Ternary(ternary) => match ternary.remove(&self.decl, key) {
                true => Answer::Done,
                false => Answer::Missing,
            },
        }
    }

    pub fn entries(&self) -> Entries {
        let bytes = self.decl.value_bytes as usize;
        let index_key = |index: usize| (index as u32).to_le_bytes().to_vec();
        match &self.store {
            Store::Array(values) => values
                .chunks_exact(bytes)
                .enumerate()
                .map(|(index, value)| (index_key(index), value.to_vec()))
                .collect(),
            Store::Keyed(keyed) => keyed.entries(),
            Store::Slots(slots) => slots
                .iter()
                .enumerate()
                .filter_map(|(index, slot)| Some((index_key(index), slot.clone()?)))
                .collect(),
            Store::Ternary(ternary) => ternary.entries().cloned().collect(),
        }
    }
}

/// The number that a value, or the length that a key with a prefix, begins with.
pub fn first_word(value: &[u8]) -> u32 {
    value.first_chunk().copied().map_or(0, u32::from_le_bytes)
}

/// A table of exact keys or of prefixes.
#[derive(Clone, Debug)]
pub struct Keyed {
    by_prefix: bool,
    /// Has a use for every entry; see `forgets_as_told`.
    forgets: bool,
    in_place: bool,
    key_bytes: usize,
    value_bytes: usize,
    /// Key, without the bits behind a prefix → entry, from 1.
    handles: HashMap<Box<[u8]>, u32>,
    /// The value of entry `e` starts at `(e - 1) * value_bytes`.
    values: Vec<u8>,
    /// The key of entry `e`, as it was given, starts at `(e - 1) * key_bytes`.
    keys: Vec<u8>,
    /// Elements that were replaced or deleted by this packet.
    dead: Vec<u32>,
    /// Elements that may be used again.
    free: Vec<u32>,
    /// Of prefixes: how many there are of each length.
    lengths: BTreeMap<u32, u32>,
    /// Of a table that forgets: when each entry was last used, and which entry that was, oldest first.
    last_use: Vec<u64>,
    uses: BTreeMap<u64, u32>,
    /// It forgets nothing by itself.
    forgets_as_told: bool,
}

impl Keyed {
    fn new(decl: &MapDecl) -> Keyed {
        Keyed {
            by_prefix: decl.is_prefix(),
            forgets: decl.forgets,
            in_place: decl.in_place,
            key_bytes: decl.key_bytes as usize,
            value_bytes: decl.value_bytes as usize,
            handles: HashMap::new(),
            values: Vec::new(),
            keys: Vec::new(),
            dead: Vec::new(),
            free: Vec::new(),
            lengths: BTreeMap::new(),
            last_use: Vec::new(),
            uses: BTreeMap::new(),
            forgets_as_told: false,
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// The value of an entry, live or dead.
    pub fn value(&self, entry: u32) -> Option<&[u8]> {
        let index = entry.checked_sub(1)? as usize;
        self.values
            .get(index * self.value_bytes..(index + 1) * self.value_bytes)
    }

    pub fn value_mut(&mut self, entry: u32) -> Option<&mut [u8]> {
        let index = entry.checked_sub(1)? as usize;
        self.values
            .get_mut(index * self.value_bytes..(index + 1) * self.value_bytes)
    }

    /// The key of an entry that lookups find.
    pub fn live_key(&self, entry: u32) -> Option<&[u8]> {
        let index = entry.checked_sub(1)? as usize;
        let key = self
            .keys
            .get(index * self.key_bytes..(index + 1) * self.key_bytes)?;
        (self.exact(key) == Some(entry)).then_some(key)
    }

    /// The entry of this very key, or of this very prefix.
    pub fn exact(&self, key: &[u8]) -> Option<u32> {
        if !self.by_prefix {
            return self.handles.get(key).copied();
        }
        self.handles
            .get(prefix(key, prefix_length(key)).as_slice())
            .copied()
    }

    fn find(&self, key: &[u8]) -> Option<u32> {
        if !self.by_prefix {
            return self.handles.get(key).copied();
        }
        let length = prefix_length(key);
        if length > longest_prefix(self.key_bytes) {
            return None;
        }
        let lengths = self.lengths.range(..=length).rev();
        lengths
            .filter_map(|(length, _)| self.handles.get(prefix(key, *length).as_slice()))
            .next()
            .copied()
    }

    pub fn note_use(&mut self, entry: u32) {
        if !self.forgets || self.forgets_as_told {
            return;
        }
        let index = entry as usize - 1;
        if index >= self.last_use.len() {
            self.last_use.resize(index + 1, 0);
        }
        self.uses.remove(&self.last_use[index]);
        let now = self.uses.last_key_value().map_or(1, |(time, _)| time + 1);
        self.uses.insert(now, entry);
        self.last_use[index] = now;
    }

    fn forget_use(&mut self, entry: u32) {
        let index = entry as usize - 1;
        if let Some(time) = self.last_use.get_mut(index) {
            self.uses.remove(&std::mem::take(time));
        }
    }

    /// Dead elements may be used again.
    pub fn bury(&mut self) {
        self.free.append(&mut self.dead);
    }

    /// Puts a value in: the answer, and the key that had to go.
    fn put(&mut self, key: &[u8], value: &[u8], max_entries: u32) -> (Answer, Option<Vec<u8>>) {
        let old = self.exact(key);
        let full = self.handles.len() >= max_entries as usize;
        let mut forgotten = None;
        if old.is_none() && full {
            if !self.forgets || self.forgets_as_told {
                return (Answer::Full, None);
            }
            forgotten = self.forget_oldest();
        }
        let entry = match old {
            Some(entry) if self.in_place => entry,
            _ => self.insert(key, old),
        };
        if let Some(to) = self.value_mut(entry) {
            to.copy_from_slice(value);
        }
        self.note_use(entry);
        (Answer::Done, forgotten)
    }

    /// A new element for a key, in the place of the old one.
    fn insert(&mut self, key: &[u8], old: Option<u32>) -> u32 {
        let entry = match self.free.pop() {
            Some(entry) => {
                let start = (entry as usize - 1) * self.key_bytes;
                self.keys[start..start + self.key_bytes].copy_from_slice(key);
                entry
            }
            None => {
                self.values.resize(self.values.len() + self.value_bytes, 0);
                self.keys.extend_from_slice(key);
                (self.keys.len() / self.key_bytes) as u32
            }
        };
        if let Some(old) = old {
            self.forget_use(old);
            self.dead.push(old);
        } else if self.by_prefix {
            *self.lengths.entry(prefix_length(key)).or_default() += 1;
        }
        let key = match self.by_prefix {
            true => prefix(key, prefix_length(key)).into(),
            false => Box::from(key),
        };
        self.handles.insert(key, entry);
        entry
    }

    fn delete(&mut self, key: &[u8]) -> Answer {
        let by_prefix = self.by_prefix;
        let removed = match by_prefix {
            true => self
                .handles
                .remove(prefix(key, prefix_length(key)).as_slice()),
            false => self.handles.remove(key),
        };
        let Some(entry) = removed else {
            return Answer::Missing;
        };
        if let Some(count) = self
            .lengths
            .get_mut(&prefix_length(key))
            .filter(|_| by_prefix)
        {
            *count -= 1;
            if *count == 0 {
                self.lengths.remove(&prefix_length(key));
            }
        }
        self.forget_use(entry);
        self.dead.push(entry);
        Answer::Done
    }

    fn forget_oldest(&mut self) -> Option<Vec<u8>> {
        let (_, &entry) = self.uses.first_key_value()?;
        let key = self.live_key(entry)?.to_vec();
        self.delete(&key);
        Some(key)
    }

    fn entries(&self) -> Entries {
        let entry = |entry: &u32| {
            let key = self.live_key(*entry)?;
            Some((key.to_vec(), self.value(*entry)?.to_vec()))
        };
        self.handles.values().filter_map(entry).collect()
    }
}

/// The prefix length that a key with a prefix begins with.
pub fn prefix_length(key: &[u8]) -> u32 {
    first_word(key)
}

/// The longest prefix of keys that have so many bytes, in bits.
pub fn longest_prefix(key_bytes: usize) -> u32 {
    (key_bytes as u32 - 4) * 8
}

/// A key with a length of at most its own and zeros behind it.
fn prefix(key: &[u8], length: u32) -> Vec<u8> {
    let mut prefix = key.to_vec();
    prefix[..4].copy_from_slice(&length.to_le_bytes());
    for (index, byte) in prefix[4..].iter_mut().enumerate() {
        let bits = length.saturating_sub(8 * index as u32).min(8);
        *byte &= !(0xff_u32 >> bits) as u8;
    }
    prefix
}
