//! Keys of a hash table that come and go, in packets back to back and by the host, a few clocks apart.

use super::crowd::{ask, Carried};
use super::scenario::Scenario;
use crate::contents::{value, Random};
use hardpath_blocks::hash::{SLOTS, WAYS};
use hardpath_blocks::interface::MapPort;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapId;
use hardpath_ir::May;
use hardpath_packet::Packet;
use std::collections::{BTreeMap, BTreeSet};

const ROUNDS: usize = 12;
/// Packets of a round, and those right behind an operation of the host.
const BURST: usize = 24;
const BEHIND: usize = 4;
/// Keys that the host deletes in a round, and those that it puts in where packets do not.
const DELETES: usize = 6;
const UPDATES: usize = 4;
/// Keys that a packet just asked for: so long they are on their way.
const RECENT: usize = 4;

/// The keys of a family, and where they stand.
pub struct Churn<'s, 'a> {
    scenario: &'s mut Scenario<'a>,
    map: MapId,
    keys: Vec<Carried>,
    /// Packets put their keys in.
    writes: bool,
    table: Table<'a>,
    recent: Vec<usize>,
    due: Option<Due>,
    /// What was due already: a place, clocks, and whether it was the same key.
    done: BTreeSet<(u32, usize, bool)>,
    random: Random,
    packets: u64,
}

/// A packet that must come so many packets behind what changed a slot.
#[derive(Clone, Copy)]
struct Due {
    packets: usize,
    slot: u32,
    /// The key that came or went; `None`: a new one that could have that slot.
    at: Option<usize>,
}

impl<'s, 'a> Churn<'s, 'a> {
    pub fn new(
        scenario: &'s mut Scenario<'a>,
        map: MapId,
        keys: Vec<Carried>,
        writes: bool,
    ) -> Churn<'s, 'a> {
        Churn {
            map,
            keys,
            writes,
            table: Table {
                port: scenario.port(map),
                slots: BTreeMap::new(),
            },
            recent: Vec::new(),
            due: None,
            done: BTreeSet::new(),
            random: Random(5),
            packets: 0,
            scenario,
        }
    }

    pub fn all(&mut self) -> Result<(), Diagnostic> {
        if self.keys.is_empty() {
            return Ok(());
        }
        self.make_room_here();
        if !self.look()? {
            return Ok(());
        }
        let others = self.others();
        for _ in 0..ROUNDS {
            self.make_room(&others);
            self.round();
            self.look()?;
        }
        for at in (0..self.keys.len())
            .filter(|at| self.is_present(*at))
            .collect::<Vec<_>>()
        {
            let key = self.keys[at].0.clone();
            let slot = self.table.slots[&key];
            let behind = self.behind();
            self.scenario.dump(self.map, slot, Some(&key), &behind);
        }
        self.look()?;
        let is_present = |key: &Vec<u8>| self.scenario.maps().get(self.map, key).is_some();
        let present: Vec<Carried> = self
            .keys
            .iter()
            .filter(|(key, _)| is_present(key))
            .cloned()
            .collect();
        ask(self.scenario, present.iter());
        for (key, _) in &present {
            self.scenario.lookup(self.map, key.clone(), &[]);
        }
        for (key, _) in &present {
            self.scenario.delete(self.map, key.clone(), &[]);
        }
        // A key that stood in two places is still there.
        for (key, _) in &self.keys {
            self.scenario.lookup(self.map, key.clone(), &[]);
        }
        Ok(())
    }

    /// Finds out where all keys stand; false: the engine does not say.
    fn look(&mut self) -> Result<bool, Diagnostic> {
        let slots = self.scenario.slots(self.map)?;
        let is_known = slots.is_some();
        self.table.slots = slots
            .into_iter()
            .flatten()
            .map(|(slot, key)| (key, slot))
            .collect();
        Ok(is_known)
    }

    fn round(&mut self) {
        for _ in 0..DELETES {
            let Some(at) = self.any(true) else { continue };
            let key = self.keys[at].0.clone();
            let slot = self.table.slots.remove(&key);
            self.changed(at, slot);
            let behind = self.behind();
            self.scenario.delete(self.map, key, &behind);
        }
        for _ in 0..if self.writes { 1 } else { UPDATES } {
            let Some(at) = self.any(false) else { continue };
            let key = self.keys[at].0.clone();
            let slot = self.table.put(&key);
            if slot.is_some() {
                self.changed(at, slot);
                let value = value(self.scenario.decl(self.map), &[], &mut self.random);
                let behind = self.behind();
                self.scenario
                    .update(self.map, key, value, May::PUT, &behind);
            }
        }
        for _ in 0..BURST {
            if let Some(packet) = self.packet() {
                self.scenario.back_to_back(&packet);
            }
        }
    }

    /// The keys of other hash tables.
    fn others(&self) -> BTreeSet<(MapId, Vec<u8>)> {
        let image = self.scenario.maps().image();
        let maps = self.scenario.map_ids().into_iter();
        let others = maps.filter(|map| *map != self.map && self.scenario.decl(*map).is_exact());
        let keys = others.flat_map(|map| {
            let entries = image
                .get(&self.scenario.decl(map).name)
                .into_iter()
                .flatten();
            entries.map(move |(key, _)| (map, key.clone()))
        });
        keys.collect()
    }

    /// What packets put in another table goes again when that is half full: they put in nothing where it is full.
    fn make_room(&mut self, before: &BTreeSet<(MapId, Vec<u8>)>) {
        let now = self.others();
        for (map, key) in now.difference(before) {
            let held = now.iter().filter(|(other, _)| other == map).count();
            if held > self.scenario.decl(*map).max_entries as usize / 2 {
                self.scenario.delete(*map, key.clone(), &[]);
            }
        }
    }

    /// The table takes new keys for a while.
    fn make_room_here(&mut self) {
        let decl = self.scenario.decl(self.map);
        let image = self.scenario.maps().image();
        let held = image.get(&decl.name).into_iter().flatten();
        for (key, _) in held.skip(decl.max_entries as usize / 2) {
            self.scenario.delete(self.map, key.clone(), &[]);
        }
    }

    fn behind(&mut self) -> Vec<Packet> {
        (0..BEHIND).filter_map(|_| self.packet()).collect()
    }

    fn is_present(&self, at: usize) -> bool {
        self.table.slots.contains_key(&self.keys[at].0)
    }

    /// A key that is there, or one that is not.
    fn any(&mut self, is_present: bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.keys.len())
            .filter(|at| self.is_present(*at) == is_present)
            .collect();
        (!all.is_empty()).then(|| all[self.random.below(all.len() as u32) as usize])
    }

    /// A key came or went: what could see that too late comes one, two or three packets behind.
    fn changed(&mut self, at: usize, slot: Option<u32>) {
        self.recent.push(at);
        let Some(slot) = slot else { return };
        let place = slot % (WAYS * SLOTS);
        let all = (1..RECENT).flat_map(|packets| [true, false].map(|same| (packets, same)));
        let open = all.map(|(packets, same)| (place, packets, same));
        let next = open.into_iter().find(|next| !self.done.contains(next));
        match next {
            None => self.done.retain(|(other, _, _)| *other != place),
            Some(next) => {
                self.done.insert(next);
                let (_, packets, same) = next;
                let at = same.then_some(at);
                self.due = Some(Due { packets, slot, at });
            }
        }
    }

    /// Which key is next: what is due, or one that is new, just asked for, or there.
    fn next(&mut self) -> Option<usize> {
        match self.due.take() {
            Some(due) if due.packets > 1 => {
                let packets = due.packets - 1;
                self.due = Some(Due { packets, ..due });
                return self.any(true);
            }
            Some(Due { at: Some(at), .. }) => return Some(at),
            Some(Due { slot, .. }) => {
                let meets = |at: &usize| {
                    let (key, _) = &self.keys[*at];
                    !self.is_present(*at) && self.table.port.places(key).0.contains(&slot)
                };
                return (0..self.keys.len()).find(meets).or_else(|| self.any(false));
            }
            None => {}
        }
        match (self.random.below(8), self.recent.len()) {
            (0..=3, _) => self.any(false).or_else(|| self.any(true)),
            (4..=5, 1..) => {
                let last = &self.recent[self.recent.len().saturating_sub(RECENT)..];
                Some(last[self.random.below(last.len() as u32) as usize])
            }
            _ => self.any(true),
        }
    }

    /// None whose key would find no room: what a table does then is beside its promise.
    fn packet(&mut self) -> Option<Packet> {
        let at = self.next()?;
        let (key, packet) = &self.keys[at];
        let mut packet = packet.clone()?;
        if self.writes && !self.is_present(at) {
            let slot = self.table.put(&key.clone());
            slot?;
            self.changed(at, slot);
        } else {
            self.recent.push(at);
        }
        self.packets += 1;
        packet.time_ns = packet.time_ns.wrapping_add(7 * self.packets);
        Some(packet)
    }
}

/// Where keys stand.
struct Table<'a> {
    port: &'a MapPort,
    slots: BTreeMap<Vec<u8>, u32>,
}

impl Table<'_> {
    /// Puts a new key in the emptiest of its buckets; `None`: they are full.
    fn put(&mut self, key: &[u8]) -> Option<u32> {
        let (places, _) = self.port.places(key);
        let is_free = |slot: &u32| !self.slots.values().any(|taken| taken == slot);
        let free: Vec<Option<u32>> = places
            .chunks(SLOTS as usize)
            .map(|bucket| bucket.iter().copied().find(is_free))
            .collect();
        let empty = places
            .chunks(SLOTS as usize)
            .position(|bucket| bucket.iter().all(is_free));
        let slot = match empty {
            Some(way) => free[way],
            None => (0..WAYS as usize).find_map(|way| free[way]),
        };
        self.slots.insert(key.to_vec(), slot?);
        slot
    }
}
