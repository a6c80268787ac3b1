//! The contents of maps, with the kernel's meaning of lookup, update and delete.
//!
//! Return values are those of the kernel's `kernel/bpf/arraymap.c`, `hashtab.c` and `devmap.c`: 0 or a negative
//! errno. A per-CPU array has one copy, that of CPU 0.
//!
//! What a program holds after a lookup is an *entry*. Arrays and per-CPU arrays are written in place and their
//! entry is the index. A hash map replaces the element when a key is updated: an entry from an earlier lookup goes
//! on to the old element, whose value no lookup finds any more. Such dead elements can be read until the next
//! packet begins ([`Maps::begin_packet`]).

use crate::{Diagnostic, MapDecl, MapId, MapKind};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The entries of one map, key → value, both in memory order. As input to a run: what differs from a fresh map.
/// As output: every entry that exists (all of an array; of a devmap those that are set).
pub type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// The contents of several maps, by full ELF name.
pub type Image = BTreeMap<String, Entries>;

/// Flags of an update (`include/uapi/linux/bpf.h`).
pub mod flag {
    pub const ANY: u64 = 0;
    /// Only a key that is not there.
    pub const NOEXIST: u64 = 1;
    /// Only a key that is there.
    pub const EXIST: u64 = 2;
    /// Needs a spin lock in the value, which hardpath does not know.
    pub const LOCK: u64 = 4;
}

/// Return values of update and delete.
pub mod errno {
    pub const ENOENT: i64 = -2;
    pub const E2BIG: i64 = -7;
    pub const EEXIST: i64 = -17;
    pub const EINVAL: i64 = -22;
}

/// The contents of all maps of a program.
#[derive(Clone, Debug)]
pub struct Maps {
    maps: PrimaryMap<MapId, Contents>,
    /// What was written since [`Maps::watch_changes`].
    written: Option<Written>,
    /// The keys that were not found since [`Maps::watch_misses`].
    missed: Option<BTreeSet<(MapId, Vec<u8>)>>,
}

/// An entry as it is after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub map: MapId,
    pub key: Vec<u8>,
    /// `None`: there is no such entry any more.
    pub value: Option<Vec<u8>>,
}

/// What may have changed: by key, or through an entry that a lookup gave.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Written {
    keys: BTreeSet<(MapId, Vec<u8>)>,
    entries: BTreeSet<(MapId, u32)>,
}

impl Maps {
    /// Fresh maps: arrays of zeros (or of their initial value), empty hash and device maps.
    pub fn new(decls: &PrimaryMap<MapId, MapDecl>) -> Maps {
        Maps {
            maps: decls.values().map(Contents::new).collect(),
            written: None,
            missed: None,
        }
    }

    /// From now on remembers what is written, for [`Maps::take_changes`].
    pub fn watch_changes(&mut self) {
        self.written = Some(Written::default());
    }

    /// Every entry that was written since [`Maps::watch_changes`], as it is now; ends the watch. An entry may be
    /// the same as before.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let Some(Written { mut keys, entries }) = self.written.take() else {
            return Vec::new();
        };
        for (map, entry) in entries {
            match &self.maps[map].store {
                Store::Array(_) => {
                    keys.insert((map, entry.to_le_bytes().to_vec()));
                }
                // A dead element's key was written by the update or delete.
                Store::Hash(hash) => {
                    let live = |key: &&[u8]| hash.handles.get(*key) == Some(&entry);
                    let key = hash.key(entry, self.maps[map].decl.key_bytes).filter(live);
                    keys.extend(key.map(|key| (map, key.to_vec())));
                }
                Store::Device(_) => {}
            }
        }
        // An array has no entry there to write or remove.
        keys.retain(|(map, key)| {
            let contents = &self.maps[*map];
            matches!(contents.store, Store::Hash(_)) || contents.index(key).is_some()
        });
        keys.into_iter()
            .map(|(map, key)| Change {
                map,
                value: self.get(map, &key).map(<[u8]>::to_vec),
                key,
            })
            .collect()
    }

    /// From now on remembers the keys that a program looks up and does not find, for [`Maps::take_misses`].
    pub fn watch_misses(&mut self) {
        self.missed = Some(BTreeSet::new());
    }

    /// The keys that programs did not find since [`Maps::watch_misses`]; ends the watch.
    pub fn take_misses(&mut self) -> BTreeSet<(MapId, Vec<u8>)> {
        self.missed.take().unwrap_or_default()
    }

    /// [`Maps::lookup`] by a program.
    pub(crate) fn look_up(&mut self, map: MapId, key: &[u8]) -> Option<u32> {
        let found = self.lookup(map, key);
        if let (None, Some(missed)) = (found, &mut self.missed) {
            missed.insert((map, key.to_vec()));
        }
        found
    }

    /// Puts the image's entries in. Reports every unknown map, wrong key or value size, key outside an array and
    /// hash map with too many entries; then nothing has been changed.
    pub fn load(&mut self, image: &Image) -> Result<(), Vec<Diagnostic>> {
        let ids: BTreeMap<&str, MapId> = self
            .maps
            .iter()
            .map(|(id, contents)| (contents.decl.name.as_str(), id))
            .collect();
        let mut errors = Vec::new();
        let mut accepted = Vec::new();
        for (name, entries) in image {
            match ids.get(name.as_str()) {
                Some(id) => {
                    errors.extend(self.maps[*id].check(entries));
                    accepted.push((*id, entries));
                }
                None => {
                    let names: Vec<&str> = ids.keys().copied().collect();
                    let known = if names.is_empty() {
                        String::from("the program has no maps")
                    } else {
                        format!("the program's maps are: {}", names.join(", "))
                    };
                    errors.push(
                        Diagnostic::input("unknown-map", format!("there is no map `{name}`"))
                            .at(format!("map {name}"))
                            .help(known),
                    );
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        for (id, entries) in accepted {
            for (key, value) in entries {
                self.update(id, key, value, flag::ANY);
            }
        }
        Ok(())
    }

    /// All entries that exist, sorted.
    pub fn image(&self) -> Image {
        self.maps
            .values()
            .map(|contents| (contents.decl.name.clone(), contents.entries()))
            .collect()
    }

    /// Forgets the dead elements: no entry of an earlier packet may be used any more.
    pub fn begin_packet(&mut self) {
        for contents in self.maps.values_mut() {
            if let Store::Hash(hash) = &mut contents.store {
                hash.free.append(&mut hash.dead);
            }
        }
    }

    /// `bpf_map_lookup_elem`: the entry, or `None` for a miss.
    pub fn lookup(&self, map: MapId, key: &[u8]) -> Option<u32> {
        let contents = &self.maps[map];
        match &contents.store {
            Store::Array(_) => contents.index(key),
            Store::Hash(hash) => hash.handles.get(key).copied(),
            Store::Device(slots) => {
                let index = contents.index(key)?;
                slots[index as usize].as_ref().map(|_| index + 1)
            }
        }
    }

    /// The value of an entry; `None` when it is not one of this map.
    pub fn value(&self, map: MapId, entry: u32) -> Option<&[u8]> {
        let contents = &self.maps[map];
        let bytes = contents.decl.value_bytes as usize;
        let cell = |values, index| <[u8]>::get(values, index * bytes..(index + 1) * bytes);
        match &contents.store {
            Store::Array(values) => cell(values, entry as usize),
            Store::Hash(hash) => cell(&hash.values, entry.checked_sub(1)? as usize),
            Store::Device(slots) => slots.get(entry.checked_sub(1)? as usize)?.as_deref(),
        }
    }

    /// The value of an entry, to be written in place. `None` also for a devmap, which a program cannot write.
    pub fn value_mut(&mut self, map: MapId, entry: u32) -> Option<&mut [u8]> {
        if let Some(written) = &mut self.written {
            written.entries.insert((map, entry));
        }
        let contents = &mut self.maps[map];
        let bytes = contents.decl.value_bytes as usize;
        let (values, index) = match &mut contents.store {
            Store::Array(values) => (values, entry as usize),
            Store::Hash(hash) => (&mut hash.values, entry.checked_sub(1)? as usize),
            Store::Device(_) => return None,
        };
        values.get_mut(index * bytes..(index + 1) * bytes)
    }

    /// The value under a key, as the host reads it.
    pub fn get(&self, map: MapId, key: &[u8]) -> Option<&[u8]> {
        self.value(map, self.lookup(map, key)?)
    }

    /// `bpf_map_update_elem`: 0 or a negative errno. Key and value have the map's sizes.
    pub fn update(&mut self, map: MapId, key: &[u8], value: &[u8], flags: u64) -> i64 {
        if let Some(written) = &mut self.written {
            written.keys.insert((map, key.to_vec()));
        }
        let contents = &mut self.maps[map];
        let index = contents.index(key);
        let bytes = contents.decl.value_bytes as usize;
        let max_entries = contents.decl.max_entries;
        match &mut contents.store {
            // array_map_update_elem
            Store::Array(values) => {
                if flags & !flag::LOCK > flag::EXIST {
                    return errno::EINVAL;
                }
                let Some(index) = index else {
                    return errno::E2BIG;
                };
                if flags & flag::NOEXIST != 0 {
                    return errno::EEXIST;
                }
                if flags & flag::LOCK != 0 {
                    return errno::EINVAL;
                }
                let start = index as usize * bytes;
                values[start..start + bytes].copy_from_slice(value);
                0
            }
            // htab_map_update_elem
            Store::Hash(hash) => {
                if flags > flag::EXIST {
                    return errno::EINVAL;
                }
                hash.update(key, value, flags, max_entries)
            }
            // __dev_map_update_elem
            Store::Device(slots) => {
                if flags > flag::EXIST {
                    return errno::EINVAL;
                }
                let Some(index) = index else {
                    return errno::E2BIG;
                };
                if flags == flag::NOEXIST {
                    return errno::EEXIST;
                }
                let (ifindex, program) = value.split_at(4);
                let set = ifindex.iter().any(|byte| *byte != 0);
                // A program without a device. File descriptors are signed; 0 and below mean none.
                if !set && program.len() == 4 && i32::from_le_bytes(four(program)) > 0 {
                    return errno::EINVAL;
                }
                slots[index as usize] = set.then(|| value.to_vec());
                0
            }
        }
    }

    /// `bpf_map_delete_elem`: 0 or a negative errno.
    pub fn delete(&mut self, map: MapId, key: &[u8]) -> i64 {
        if let Some(written) = &mut self.written {
            written.keys.insert((map, key.to_vec()));
        }
        let contents = &mut self.maps[map];
        let index = contents.index(key);
        match &mut contents.store {
            Store::Array(_) => errno::EINVAL,
            Store::Hash(hash) => match hash.handles.remove(key) {
                Some(handle) => {
                    hash.dead.push(handle);
                    0
                }
                None => errno::ENOENT,
            },
            Store::Device(slots) => match index {
                Some(index) => {
                    slots[index as usize] = None;
                    0
                }
                None => errno::EINVAL,
            },
        }
    }
}

/// One map.
#[derive(Clone, Debug)]
struct Contents {
    decl: MapDecl,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// Array and per-CPU array: all values, one after the other.
    Array(Vec<u8>),
    Hash(HashStore),
    /// The values that are set. The entry of slot `i` is `i + 1`.
    Device(Vec<Option<Vec<u8>>>),
}

#[derive(Clone, Debug, Default)]
struct HashStore {
    /// Key → entry, from 1.
    handles: HashMap<Box<[u8]>, u32>,
    /// The value of entry `e` starts at `(e - 1) * value_bytes`.
    values: Vec<u8>,
    /// The key of entry `e` starts at `(e - 1) * key_bytes`.
    keys: Vec<u8>,
    /// Elements that were replaced or deleted by this packet.
    dead: Vec<u32>,
    /// Elements that may be used again.
    free: Vec<u32>,
}

impl HashStore {
    /// The key of an entry, live or dead.
    fn key(&self, entry: u32, key_bytes: u32) -> Option<&[u8]> {
        let (index, bytes) = (entry.checked_sub(1)? as usize, key_bytes as usize);
        self.keys.get(index * bytes..(index + 1) * bytes)
    }

    fn update(&mut self, key: &[u8], value: &[u8], flags: u64, max_entries: u32) -> i64 {
        let old = self.handles.get(key).copied();
        match (old, flags) {
            (Some(_), flag::NOEXIST) => return errno::EEXIST,
            (None, flag::EXIST) => return errno::ENOENT,
            (None, _) if self.handles.len() >= max_entries as usize => return errno::E2BIG,
            _ => {}
        }
        let handle = match self.free.pop() {
            Some(handle) => {
                let start = (handle as usize - 1) * value.len();
                self.values[start..start + value.len()].copy_from_slice(value);
                let start = (handle as usize - 1) * key.len();
                self.keys[start..start + key.len()].copy_from_slice(key);
                handle
            }
            None => {
                self.values.extend_from_slice(value);
                self.keys.extend_from_slice(key);
                (self.values.len() / value.len()) as u32
            }
        };
        match self.handles.get_mut(key) {
            Some(place) => *place = handle,
            None => {
                self.handles.insert(key.into(), handle);
            }
        }
        self.dead.extend(old);
        0
    }
}

impl Contents {
    fn new(decl: &MapDecl) -> Contents {
        let entries = decl.max_entries as usize;
        let store = match decl.kind {
            MapKind::Array | MapKind::PerCpuArray => {
                let mut values = vec![0; entries * decl.value_bytes as usize];
                if let Some(initial) = &decl.initial {
                    for (to, from) in values.iter_mut().zip(initial) {
                        *to = *from;
                    }
                }
                Store::Array(values)
            }
            MapKind::Hash => Store::Hash(HashStore::default()),
            MapKind::DevMap => Store::Device(vec![None; entries]),
        };
        Contents {
            decl: decl.clone(),
            store,
        }
    }

    /// The index that a key means; `None` when it is outside.
    fn index(&self, key: &[u8]) -> Option<u32> {
        let index = u32::from_le_bytes(key.try_into().ok()?);
        (index < self.decl.max_entries).then_some(index)
    }

    fn entries(&self) -> Entries {
        let bytes = self.decl.value_bytes as usize;
        let index_key = |index: usize| (index as u32).to_le_bytes().to_vec();
        match &self.store {
            Store::Array(values) => values
                .chunks_exact(bytes)
                .enumerate()
                .map(|(index, value)| (index_key(index), value.to_vec()))
                .collect(),
            Store::Hash(hash) => hash
                .handles
                .iter()
                .map(|(key, handle)| {
                    let start = (*handle as usize - 1) * bytes;
                    (key.to_vec(), hash.values[start..start + bytes].to_vec())
                })
                .collect(),
            Store::Device(slots) => slots
                .iter()
                .enumerate()
                .filter_map(|(index, slot)| Some((index_key(index), slot.clone()?)))
                .collect(),
        }
    }

    /// What is wrong with entries that are to be put in.
    fn check(&self, entries: &Entries) -> Vec<Diagnostic> {
        let decl = &self.decl;
        let place = format!("map {}", decl.name);
        let mut errors = Vec::new();
        let mut report = |code, message| {
            errors.push(Diagnostic::input(code, message).at(place.clone()));
        };
        for (key, value) in entries {
            let shown = hex(key);
            if key.len() != decl.key_bytes as usize {
                report(
                    "map-key-size",
                    format!(
                        "key {shown} has {} bytes, the map's keys have {}",
                        key.len(),
                        decl.key_bytes
                    ),
                );
            } else if decl.kind != MapKind::Hash && self.index(key).is_none() {
                report(
                    "map-key-range",
                    format!(
                        "key {shown} is outside the map, which has {} entries",
                        decl.max_entries
                    ),
                );
            }
            if value.len() != decl.value_bytes as usize {
                report(
                    "map-value-size",
                    format!(
                        "the value of key {shown} has {} bytes, the map's values have {}",
                        value.len(),
                        decl.value_bytes
                    ),
                );
            }
        }
        if let Store::Hash(hash) = &self.store {
            let fresh = |key: &&Vec<u8>| !hash.handles.contains_key(key.as_slice());
            let count = hash.handles.len() + entries.keys().filter(fresh).count();
            if count > decl.max_entries as usize {
                report(
                    "map-too-many-entries",
                    format!(
                        "{count} entries do not fit the map, which has room for {}",
                        decl.max_entries
                    ),
                );
            }
        }
        errors
    }
}

/// The first four bytes, zeros where there are none.
fn four(bytes: &[u8]) -> [u8; 4] {
    let mut word = [0; 4];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    word
}

/// Bytes in memory order, as a reader of a map dump sees them.
fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}
