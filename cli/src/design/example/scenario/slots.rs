//! Slots of maps: what stands in them, and the search for the next one that holds an entry.

use super::{found, number, Scenario};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapId;
use hardpath_packet::Packet;
use hardpath_registers::{register, Answer, HostAnswer, HostOperation};
use hardpath_testbed::contents;

/// Slots of each hash table that are dumped at the end.
const DUMPS: usize = 64;
/// Slots that a search looks into before it comes to the key, and the most where keys are slots.
const SEARCHED: u32 = 20;
const LONGEST: u32 = 64;

/// Slots that hold a key.
pub type Slots = Vec<(u32, Vec<u8>)>;

impl Scenario<'_> {
    /// A dump of a slot that holds the key, or nothing.
    pub fn dump(&mut self, map: MapId, slot: u32, key: Option<&[u8]>, behind: &[Packet]) {
        let behind_last = slot >= self.port(map).slots;
        let value = key
            .and_then(|key| self.maps.get(map, key))
            .map(<[u8]>::to_vec);
        let answer = match behind_last {
            true => HostAnswer::of(Answer::BadIndex),
            false => found(key, value),
        };
        let is_there = answer.answer.is_done();
        let map = number(map);
        self.operate(HostOperation::Dump { map, slot }, &answer, behind);
        if is_there {
            self.read(register::MAP_HANDLE, slot);
        }
    }

    /// A search from a slot on, which finds this entry, or nothing.
    pub fn next(&mut self, map: MapId, slot: u32, found: Option<(u32, &[u8])>) {
        let answer = match found {
            Some((slot, key)) => HostAnswer {
                slot,
                key: key.to_vec(),
                value: self
                    .maps
                    .get(map, key)
                    .map(<[u8]>::to_vec)
                    .unwrap_or_default(),
                ..HostAnswer::default()
            },
            None => HostAnswer::of(Answer::Missing),
        };
        let map = number(map);
        self.operate(HostOperation::Next { map, slot }, &answer, &[]);
        if let Some((found, _)) = found {
            self.read(register::MAP_SLOT, found + 1);
        }
    }

    /// Where the keys of a hash table stand, which is the design's own business; `None`: nobody says.
    pub fn slots(&mut self, map: MapId) -> Result<Option<Slots>, Diagnostic> {
        self.settle()?;
        Ok(contents::slots(self.player.dut(), self.port(map)))
    }

    /// Slots with a key and without one, the last one and the one behind it.
    pub fn dump_some(&mut self, map: MapId) -> Result<(), Diagnostic> {
        let decl = self.decl(map);
        let port = self.port(map);
        self.dump(map, port.slots, None, &[]);
        if decl.is_indexed() {
            for slot in [0, 1, port.slots / 2, port.slots - 1] {
                if slot < port.slots {
                    self.dump(map, slot, Some(&slot.to_le_bytes()), &[]);
                }
            }
            self.find_some_indexes(map, port.slots);
            return Ok(());
        }
        if !decl.is_exact() {
            return Ok(());
        }
        let Some(slots) = self.slots(map)? else {
            return Ok(());
        };
        for (slot, key) in slots.iter().step_by(slots.len().div_ceil(DUMPS).max(1)) {
            self.dump(map, *slot, Some(key), &[]);
        }
        let empty = (0..port.slots).filter(|slot| !slots.iter().any(|(taken, _)| taken == slot));
        let empty: Vec<u32> = empty.take(2).collect();
        for slot in empty {
            self.dump(map, slot, None, &[]);
        }
        self.find_some(map, slots);
        Ok(())
    }

    /// Searches that begin some slots before a key, at it, or behind the last one; none is long. `slots`: those that hold a key.
    fn find_some(&mut self, map: MapId, mut slots: Slots) {
        slots.sort();
        let ends = [slots.first(), slots.get(slots.len() / 2), slots.last()];
        let ends: Vec<u32> = ends.into_iter().flatten().map(|(slot, _)| *slot).collect();
        let last = self.port(map).slots - 1;
        let far = [last, last.saturating_sub(SEARCHED)];
        let before = ends.iter().map(|slot| slot.saturating_sub(SEARCHED));
        let mut all: Vec<u32> = before.chain(ends.iter().copied()).chain(far).collect();
        all.push(last + 1);
        all.sort();
        all.dedup();
        for from in all {
            let found = slots.iter().find(|(slot, _)| *slot >= from);
            self.next(map, from, found.map(|(slot, key)| (*slot, &key[..])));
        }
    }

    /// The same in a map whose keys are its slots.
    fn find_some_indexes(&mut self, map: MapId, slots: u32) {
        let last = slots - 1;
        for from in [0, last.saturating_sub(SEARCHED), last, slots] {
            let is_there = |slot: &u32| self.maps.get(map, &slot.to_le_bytes()).is_some();
            match (from..slots.min(from + LONGEST)).find(is_there) {
                Some(slot) => self.next(map, from, Some((slot, &slot.to_le_bytes()))),
                None if from + LONGEST >= slots => self.next(map, from, None),
                // It would take too long.
                None => {}
            }
        }
    }
}
