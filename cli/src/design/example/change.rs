//! Maps that can go back to what they held before a try.

use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::May;
use hardpath_ir::{MapId, Program};
use std::collections::BTreeMap;

/// What the host does to an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub map: MapId,
    pub key: Vec<u8>,
    /// `None`: it is deleted.
    pub value: Option<Vec<u8>>,
}

/// The maps, and beside them the entries that they held when the last packet was kept.
pub struct Twin<'a> {
    program: &'a Program,
    pub maps: Maps,
    /// Those of arrays only from when they were written.
    kept: BTreeMap<(MapId, Vec<u8>), Vec<u8>>,
}

impl Twin<'_> {
    pub fn new<'a>(program: &'a Program, image: &Image) -> Twin<'a> {
        let mut maps = Maps::new(&program.maps);
        let mut kept = BTreeMap::new();
        for (map, decl) in &program.maps {
            for (key, value) in image.get(&decl.name).into_iter().flatten() {
                if maps.update(map, key, value, May::PUT).is_done() {
                    kept.insert((map, key.clone()), value.clone());
                }
            }
        }
        maps.watch_keys();
        Twin {
            program,
            maps,
            kept,
        }
    }

    /// A try begins.
    pub fn begin(&mut self) {
        self.maps.take_keys();
        self.maps.watch_changes();
    }

    /// False: the map does not take it.
    pub fn change(&mut self, change: &Change) -> bool {
        let answer = match &change.value {
            Some(value) => self.maps.update(change.map, &change.key, value, May::PUT),
            None => self.maps.delete(change.map, &change.key),
        };
        answer.is_done()
    }

    /// The try is over and stays.
    pub fn keep(&mut self) {
        for change in self.maps.take_changes() {
            let place = (change.map, change.key);
            match change.value {
                Some(value) => self.kept.insert(place, value),
                None => self.kept.remove(&place),
            };
        }
    }

    /// The try is over and leaves nothing.
    pub fn take_back(&mut self) {
        for change in self.maps.take_changes() {
            let decl = &self.program.maps[change.map];
            let place = (change.map, change.key);
            let old = match self.kept.get(&place) {
                Some(value) => Some(value.clone()),
                None if decl.is_array() => {
                    let is_first = place.1.iter().all(|byte| *byte == 0);
                    let initial = decl.initial.clone().filter(|_| is_first);
                    Some(initial.unwrap_or_else(|| vec![0; decl.value_bytes as usize]))
                }
                None => None,
            };
            match old {
                Some(value) => self.maps.update(place.0, &place.1, &value, May::PUT),
                None => self.maps.delete(place.0, &place.1),
            };
        }
    }

    /// The entries that were put in or written.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (MapId, &[u8], &[u8])> {
        let entries = self.kept.iter();
        entries.map(|((map, key), value)| (*map, key.as_slice(), value.as_slice()))
    }
}
