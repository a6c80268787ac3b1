//! The contents of tables, and the meaning of lookup, update and delete.
//!
//! An operation answers, in this order: [`Answer::BadIndex`], when no entry can have the key; [`Answer::Refused`] to an update
//! that may neither create nor replace, and to every delete of an array; [`Answer::Exists`] and [`Answer::Missing`], when it
//! may not do what it would have to; [`Answer::Full`].
//!
//! What a program holds after a lookup is an *entry*. The entry of an array is its index. A table that is not updated in place
//! ([`MapDecl::in_place`]) replaces the element when a key is updated: an entry from an earlier
//! lookup goes on to the old element, whose value no lookup finds any more. Such dead elements can be read until the
//! next packet begins ([`Maps::begin_packet`]). Their memory may go to what a later update of the same packet
//! puts in; programs that read or write a dead element behind one mean nothing, and are not built.
//!
//! A key with a prefix is 32 bits of prefix length, little endian, then the data, whose first
//! bit is the highest one of the first byte. A lookup finds the longest prefix of at most its own length. Keys that
//! differ behind their prefix are the same; the entry has the bytes of the last update.
//!
//! An entry of a ternary table has a longer key than what is looked up ([`MapDecl::entry_key_bytes`]): the fields, their masks and
//! the priority. Entries are the same when all that counts of these is.
//!
//! A full table that forgets makes room for a new key by forgetting the one that was used (looked up by a program, inserted or
//! updated) the longest time ago. Judges and hardware are not as exact; which entry goes is outside hardpath's promise. A table that
//! forgets as it is told ([`Maps::forget_as_told`]) keeps every key until somebody takes it out.

mod check;
mod store;
mod ternary;

use crate::{Answer, MapDecl, MapId, May};
use cranelift_entity::PrimaryMap;
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use store::{Contents, Store};

/// The entries of one map, key → value, both in memory order. As input to a run: what differs from a fresh map.
/// As output: every entry that exists (all of an array; of slots those that are set).
pub type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// The contents of several maps, by name.
pub type Image = BTreeMap<String, Entries>;

/// A key that came to or went from a slot of a map that forgets, as whoever holds the map tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyMove {
    /// The map, which [forgets](MapDecl::forgets).
    pub map: MapId,
    /// In memory order.
    pub key: Vec<u8>,
    /// Whoever holds the map numbers its places, from 0.
    pub slot: u32,
    /// Whether it came or went.
    pub what: Move,
}

/// What became of a key and its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// It came into the slot.
    Put {
        /// Another key had the slot, and is gone.
        forgets: bool,
    },
    /// It was deleted.
    Removed,
}

/// The contents of all maps of a program.
#[derive(Clone, Debug)]
pub struct Maps {
    maps: PrimaryMap<MapId, Contents>,
    /// What was written since [`Maps::watch_changes`].
    written: Option<Written>,
    /// What was written since [`Maps::watch_to_undo`], as it was before.
    before: Option<BTreeMap<Place, Option<Vec<u8>>>>,
    /// The keys that were not found since [`Maps::watch_misses`].
    missed: Option<BTreeSet<Place>>,
    /// What happened to the keys of tables that forget since [`Maps::watch_keys`].
    keys: Option<Vec<KeyEvent>>,
    /// Keys that go when others come in ([`Maps::forget_for`]): for which, and which.
    goes: VecDeque<(Place, Vec<u8>)>,
}

/// A map and a key of it.
type Place = (MapId, Vec<u8>);

/// Something that happened to a key of a table that forgets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyEvent {
    /// The table, which [forgets](MapDecl::forgets).
    pub map: MapId,
    /// In memory order, as it was looked up or written.
    pub key: Vec<u8>,
    /// What was done to it, or what came of that.
    pub what: KeyChange,
}

/// What happens to a key of a table that forgets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyChange {
    /// It was there, and was found or written.
    Used,
    /// A lookup or delete did not find it.
    Missed,
    /// It came in.
    Put,
    /// It was deleted.
    Removed,
    /// It had to go for the key of the event behind this one.
    Forgot,
}

/// An entry as it is after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The map of the entry.
    pub map: MapId,
    /// In memory order, as the map holds it ([`MapDecl::entry_key_bytes`]).
    pub key: Vec<u8>,
    /// `None`: there is no such entry any more.
    pub value: Option<Vec<u8>>,
}

/// What may have changed: by key, or through an entry that a lookup gave.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Written {
    keys: BTreeSet<Place>,
    entries: BTreeSet<(MapId, u32)>,
}

impl Maps {
    /// Fresh maps: arrays of zeros (or of their initial value), others empty.
    pub fn new(decls: &PrimaryMap<MapId, MapDecl>) -> Maps {
        Maps {
            maps: decls.values().map(Contents::new).collect(),
            written: None,
            before: None,
            missed: None,
            keys: None,
            goes: VecDeque::new(),
        }
    }

    /// From now on a table that forgets holds up to so many keys and forgets none by itself: whoever knows which ones go deletes them.
    pub fn forget_as_told(&mut self, map: MapId, slots: u32) {
        self.maps[map].forget_as_told(slots);
    }

    /// When a new key is next put into a table that forgets as it is told, another one goes with it. Of several calls for one
    /// table each waits for those before it.
    pub fn forget_for(&mut self, map: MapId, key: Vec<u8>, goes: Vec<u8>) {
        self.goes.push_back(((map, key), goes));
    }

    /// What was to go has gone, or stays.
    pub fn end_forget_for(&mut self) {
        self.goes.clear();
    }

    /// The key that goes for a new one.
    fn make_room(&mut self, map: MapId, key: &[u8]) {
        let of_map = |((of, _), _): &(Place, Vec<u8>)| *of == map;
        let next = self.goes.iter().position(of_map);
        let next = next.filter(|next| self.goes[*next].0 .1 == key);
        if let Some((_, goes)) = next.and_then(|next| self.goes.remove(next)) {
            self.note_before(map, &goes);
            if let Some(written) = &mut self.written {
                written.keys.insert((map, goes.clone()));
            }
            self.maps[map].delete(&goes);
            self.note_key(map, &goes, KeyChange::Forgot);
        }
    }

    /// From now on remembers what happens to the keys of tables that forget, for [`Maps::take_keys`].
    pub fn watch_keys(&mut self) {
        self.keys = Some(Vec::new());
    }

    /// What happened to keys of tables that forget since [`Maps::watch_keys`] or the last call, in order; the watch goes on.
    pub fn take_keys(&mut self) -> Vec<KeyEvent> {
        self.keys.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn note_key(&mut self, map: MapId, key: &[u8], what: KeyChange) {
        if let (Some(events), true) = (&mut self.keys, self.maps[map].decl.forgets) {
            events.push(KeyEvent {
                map,
                key: key.to_vec(),
                what,
            });
        }
    }

    /// Takes the events, and says whether a full table was among those that made room: which key goes is nobody's promise.
    pub fn take_forgotten(&mut self) -> bool {
        let events = self.take_keys();
        events.iter().any(|event| event.what == KeyChange::Forgot)
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
            // A dead element's key was written by the update or delete.
            let key = self.maps[map].key_of(entry);
            keys.extend(key.map(|key| (map, key)));
        }
        // Where no entry can be, none was written or removed.
        keys.retain(|(map, key)| self.maps[*map].can_hold(key));
        let held = keys
            .into_iter()
            .map(|(map, key)| (map, self.maps[map].as_held(key)));
        let held: BTreeSet<Place> = held.collect();
        let change = |(map, key): Place| Change {
            map,
            value: self.exact(map, &key),
            key,
        };
        held.into_iter().map(change).collect()
    }

    /// The value of this very key, or of this very prefix.
    fn exact(&self, map: MapId, key: &[u8]) -> Option<Vec<u8>> {
        let entry = self.maps[map].exact(key)?;
        self.value(map, entry).map(<[u8]>::to_vec)
    }

    /// From now on remembers what entries were before they are written, for [`Maps::undo`]. Tables that forget do so as they are told.
    pub fn watch_to_undo(&mut self) {
        self.before = Some(BTreeMap::new());
    }

    /// What was written stays.
    pub fn end_watch_to_undo(&mut self) {
        self.before = None;
    }

    /// Makes all entries again what they were when [`Maps::watch_to_undo`] began; ends the watch. Gives what that undid, for
    /// [`Maps::redo`]: the entries that had become different.
    pub fn undo(&mut self) -> Vec<Change> {
        let (mut undone, mut restored) = (Vec::new(), Vec::new());
        for ((map, key), value) in self.before.take().unwrap_or_default() {
            let now = self.exact(map, &key);
            if now == value {
                continue;
            }
            undone.push(Change {
                map,
                key: self.maps[map].as_held(key.clone()),
                value: now,
            });
            restored.push(Change { map, key, value });
        }
        self.redo(&restored);
        undone
    }

    /// Makes entries what they are after changes.
    pub fn redo(&mut self, changes: &[Change]) {
        // What goes makes room for what comes.
        for change in changes.iter().filter(|change| change.value.is_none()) {
            self.delete(change.map, &change.key);
        }
        for change in changes {
            if let Some(value) = &change.value {
                self.update(change.map, &change.key, value, May::PUT);
            }
        }
    }

    fn note_before(&mut self, map: MapId, key: &[u8]) {
        if self.before.is_none() {
            return;
        }
        let key = self.maps[map].as_held(key.to_vec());
        let value = self.exact(map, &key);
        if let Some(before) = &mut self.before {
            before.entry((map, key)).or_insert(value);
        }
    }

    /// From now on remembers the keys that a program looks up and does not find, for [`Maps::take_misses`].
    pub fn watch_misses(&mut self) {
        self.missed = Some(BTreeSet::new());
    }

    /// The keys that programs did not find since [`Maps::watch_misses`]; ends the watch.
    pub fn take_misses(&mut self) -> BTreeSet<Place> {
        self.missed.take().unwrap_or_default()
    }

    /// [`Maps::lookup`] by a program.
    pub fn look_up(&mut self, map: MapId, key: &[u8]) -> Option<u32> {
        let found = self.lookup(map, key);
        if let (None, Some(missed)) = (found, &mut self.missed) {
            missed.insert((map, key.to_vec()));
        }
        let what = match found {
            Some(_) => KeyChange::Used,
            None => KeyChange::Missed,
        };
        self.note_key(map, key, what);
        found
    }

    /// Puts the image's entries in. Reports every unknown map, wrong key or value size, key outside an array and
    /// table with too many entries; then nothing has been changed.
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
                self.update(id, key, value, May::PUT);
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
            if let Store::Keyed(keyed) = &mut contents.store {
                keyed.bury();
            }
        }
    }

    /// The entry, or `None` for a miss. A table that forgets notes the use.
    pub fn lookup(&mut self, map: MapId, key: &[u8]) -> Option<u32> {
        let contents = &mut self.maps[map];
        let entry = contents.find(key)?;
        if let Store::Keyed(keyed) = &mut contents.store {
            keyed.note_use(entry);
        }
        Some(entry)
    }

    /// The value of an entry; `None` when it is not one of this map.
    pub fn value(&self, map: MapId, entry: u32) -> Option<&[u8]> {
        let contents = &self.maps[map];
        let bytes = contents.decl.value_bytes as usize;
        match &contents.store {
            Store::Array(values) => {
                values.get(entry as usize * bytes..(entry as usize + 1) * bytes)
            }
            Store::Keyed(keyed) => keyed.value(entry),
            Store::Slots(slots) => slots.get(entry.checked_sub(1)? as usize)?.as_deref(),
            Store::Ternary(ternary) => ternary.value(entry),
        }
    }

    /// The value of an entry, to be written in place. `None` also for a map that a program cannot write.
    pub fn value_mut(&mut self, map: MapId, entry: u32) -> Option<&mut [u8]> {
        if let Some(written) = &mut self.written {
            written.entries.insert((map, entry));
        }
        if self.before.is_some() {
            // Nobody sees what is written to a dead element.
            let key = self.maps[map].key_of(entry);
            key.into_iter().for_each(|key| self.note_before(map, &key));
        }
        let contents = &mut self.maps[map];
        if !contents.decl.packets_write {
            return None;
        }
        let bytes = contents.decl.value_bytes as usize;
        match &mut contents.store {
            Store::Array(values) => {
                values.get_mut(entry as usize * bytes..(entry as usize + 1) * bytes)
            }
            Store::Keyed(keyed) => keyed.value_mut(entry),
            Store::Slots(_) => None,
            Store::Ternary(ternary) => ternary.value_mut(entry),
        }
    }

    /// The value under a key, as the host reads it.
    pub fn get(&self, map: MapId, key: &[u8]) -> Option<&[u8]> {
        self.value(map, self.maps[map].find(key)?)
    }

    /// The value of the entry with this very key ([`MapDecl::entry_key_bytes`]).
    pub fn held(&self, map: MapId, key: &[u8]) -> Option<&[u8]> {
        self.value(map, self.maps[map].exact(key)?)
    }

    /// The destinations in a table through which packets are broadcast, by ascending key; 0 is none. `None` for other tables.
    pub fn broadcast_destinations(&self, map: MapId) -> Option<Vec<u32>> {
        let contents = self.maps.get(map).filter(|one| one.decl.broadcast)?;
        let entries = contents.entries();
        let by_key: BTreeMap<u32, u32> = entries
            .iter()
            .map(|(key, value)| (store::first_word(key), store::first_word(value)))
            .collect();
        let named = |destination: &u32| *destination != 0;
        Some(by_key.into_values().filter(named).collect())
    }

    /// Puts a value in, where that may be. Key and value have the table's sizes.
    pub fn update(&mut self, map: MapId, key: &[u8], value: &[u8], may: May) -> Answer {
        self.note_before(map, key);
        let was_there = self.maps[map].find(key).is_some();
        if !was_there && may.create {
            self.make_room(map, key);
        }
        let contents = &mut self.maps[map];
        let (answer, forgotten) = contents.update(key, value, may);
        if let Some(forgotten) = &forgotten {
            self.note_key(map, forgotten, KeyChange::Forgot);
        }
        match (was_there, answer.is_done()) {
            (true, _) => self.note_key(map, key, KeyChange::Used),
            (false, true) => self.note_key(map, key, KeyChange::Put),
            (false, false) => {}
        }
        if let Some(written) = &mut self.written {
            written.keys.insert((map, key.to_vec()));
            written.keys.extend(forgotten.map(|key| (map, key)));
        }
        answer
    }

    /// Takes an entry out.
    pub fn delete(&mut self, map: MapId, key: &[u8]) -> Answer {
        self.note_before(map, key);
        if let Some(written) = &mut self.written {
            written.keys.insert((map, key.to_vec()));
        }
        let answer = self.maps[map].delete(key);
        let what = match answer.is_done() {
            true => KeyChange::Removed,
            false => KeyChange::Missed,
        };
        self.note_key(map, key, what);
        answer
    }
}
