//! Hash tables with keys that stand in each other's way.
//!
//! A new key goes to the emptiest of its buckets, so a few keys at random all end in the first way. Here keys are looked
//! for whose buckets are taken: one that comes to the second way needs another one in its first bucket, one that comes to the
//! third needs three, and so on. Where packets carry the bytes of a key, the packets put them in, one behind the other, and
//! ask for them again; else the host does.

use super::scenario::Scenario;
use super::{answer, may_be_changed, sorts, Step, PORTS};
use crate::contents::{value, Random};
use hardpath_blocks::hash::{SLOTS, WAYS};
use hardpath_blocks::interface::MapPort;
use hardpath_ir::maps::flag;
use hardpath_ir::{Diagnostic, MapId};
use hardpath_testbed::run::PacketIn;

/// Keys that are tried for one table.
const TRIES: u32 = 150_000;
/// So far into a packet the bytes of keys are looked for.
const FRONT: usize = 64;
/// Sorts of packets that are looked at.
const SORTS: usize = 24;
/// A table of at most so many entries is filled.
const SMALL: u32 = 512;

/// All hash tables, one after the other.
pub fn crowds(scenario: &mut Scenario, steps: &[Step]) -> Result<(), Diagnostic> {
    let sorts = sorts(steps);
    for map in scenario.map_ids() {
        let decl = scenario.decl(map);
        if decl.kind.is_hash() && may_be_changed(decl) && !decl.broadcast {
            scenario.say(&format!(
                "keys of {} that stand in each other's way",
                decl.name
            ));
            crowd(scenario, &sorts, map)?;
            scenario.play()?;
        }
    }
    Ok(())
}

/// A packet that carries a key.
struct Carrier {
    packet: PacketIn,
    key: Vec<u8>,
    /// The packet puts its key in.
    writes: bool,
    /// Bytes of the packet, and the bytes of the key that they become.
    copies: Vec<(usize, usize)>,
}

/// Of all packets the one with the most bytes of a key of the map.
fn carrier(scenario: &mut Scenario, sorts: &[&PacketIn], map: MapId) -> Option<Carrier> {
    let mut best: Option<Carrier> = None;
    let maps = scenario.maps_without(map);
    for packet in sorts.iter().take(SORTS) {
        let keys = scenario.keys_of(packet, maps.clone());
        let Some(((_, key), writes)) = keys.into_iter().find(|((other, _), _)| *other == map)
        else {
            continue;
        };
        let mut copies = Vec::new();
        for at in 0..packet.data.len().min(FRONT) {
            let mut other = (*packet).clone();
            other.data[at] ^= 1;
            let keys = scenario.keys_of(&other, maps.clone());
            let of_map = keys.keys().filter(|(other, _)| *other == map);
            for (_, changed) in of_map {
                let mut differs = (0..key.len()).filter(|index| key[*index] != changed[*index]);
                let only = (differs.next(), differs.next());
                let (Some(index), None) = only else {
                    continue;
                };
                if key[index] == packet.data[at] && changed[index] == other.data[at] {
                    copies.push((at, index));
                }
            }
        }
        let is_better = |best: &Carrier| {
            let value = |writes, copies, bytes| (writes, copies, std::cmp::Reverse(bytes));
            value(writes, copies.len(), packet.data.len())
                > value(best.writes, best.copies.len(), best.packet.data.len())
        };
        if copies.len() > 1 && best.as_ref().is_none_or(is_better) {
            best = Some(Carrier {
                packet: (*packet).clone(),
                key,
                writes,
                copies,
            });
        }
    }
    best
}

/// Makes keys for a table.
struct Keys<'a> {
    map: MapId,
    port: &'a MapPort,
    carrier: Option<Carrier>,
    random: Random,
    /// Tries that are left.
    left: u32,
}

/// A key, and a packet that asks for it.
type Carried = (Vec<u8>, Option<PacketIn>);

impl Keys<'_> {
    fn next(&mut self) -> Carried {
        let random = &mut self.random;
        let Some(carrier) = &self.carrier else {
            let key = (0..self.port.key_bytes).map(|_| random.next() as u8);
            return (key.collect(), None);
        };
        let mut key = carrier.key.clone();
        let mut packet = carrier.packet.clone();
        for (at, index) in &carrier.copies {
            let byte = random.next() as u8;
            packet.data[*at] = byte;
            key[*index] = byte;
        }
        (key, Some(packet))
    }

    fn row(&self, key: &[u8], way: u32) -> u32 {
        let rows = self.port.slots / (WAYS * SLOTS);
        self.port.places(key).0[(way * SLOTS) as usize] % rows.max(1)
    }

    /// A key that the packet really asks for, in that row of a way where one is given.
    fn find(&mut self, scenario: &mut Scenario, wanted: Option<(u32, u32)>) -> Option<Carried> {
        while self.left > 0 {
            self.left -= 1;
            let (key, packet) = self.next();
            if wanted.is_some_and(|(way, row)| self.row(&key, way) != row) {
                continue;
            }
            let maps = scenario.maps().clone();
            let asks = packet.as_ref().is_none_or(|packet| {
                let keys = scenario.keys_of(packet, maps);
                keys.contains_key(&(self.map, key.clone()))
            });
            if asks && scenario.maps().get(self.map, &key).is_none() {
                return Some((key, packet));
            }
        }
        None
    }

    /// Keys to put in, in order, so that the last one stands in that row of the way.
    fn occupy(&mut self, scenario: &mut Scenario, way: u32, row: u32) -> Vec<Carried> {
        let Some(last) = self.find(scenario, Some((way, row))) else {
            return Vec::new();
        };
        self.behind_others(scenario, last, way)
    }

    /// Keys for the first ways of a key, and then the key.
    fn behind_others(&mut self, scenario: &mut Scenario, last: Carried, ways: u32) -> Vec<Carried> {
        let mut all = Vec::new();
        for way in 0..ways {
            let row = self.row(&last.0, way);
            all.extend(self.occupy(scenario, way, row));
        }
        all.push(last);
        all
    }
}

fn crowd(scenario: &mut Scenario, sorts: &[&PacketIn], map: MapId) -> Result<(), Diagnostic> {
    let carrier = carrier(scenario, sorts, map);
    let mut keys = Keys {
        map,
        port: scenario.port(map),
        carrier,
        random: Random(3),
        left: TRIES,
    };
    let mut all = Vec::new();
    // One behind the first three ways; one behind all of them, which takes the second slot of the first.
    for ways in [WAYS - 1, WAYS] {
        if let Some(last) = keys.find(scenario, None) {
            all.extend(keys.behind_others(scenario, last, ways));
        }
    }
    put(scenario, map, &all);
    scenario.dump_some(map)?;
    ask(scenario, all.iter());
    ask(scenario, all.iter().rev());
    // Every other one goes, with packets that ask for it right behind.
    for (key, packet) in all.iter().step_by(2) {
        let behind: Vec<PacketIn> = packet.iter().cloned().collect();
        scenario.delete(map, key.clone(), &behind);
    }
    for (key, _) in &all {
        scenario.lookup(map, key.clone(), &[]);
    }
    ask(scenario, all.iter());
    if scenario.decl(map).max_entries <= SMALL && !scenario.decl(map).kind.is_lru() {
        fill(scenario, map, &mut keys);
    }
    Ok(())
}

/// By packets where they do it, else by the host.
fn put(scenario: &mut Scenario, map: MapId, keys: &[Carried]) {
    let mut random = Random(5);
    for (key, packet) in keys {
        if let Some(packet) = packet {
            scenario.back_to_back(packet);
        }
        if scenario.maps().get(map, key).is_none() {
            let value = value(scenario.decl(map), &[], &mut random);
            scenario.update(map, key.clone(), value, flag::ANY, &[]);
        }
    }
}

/// All of them, and then the answers to what left.
fn ask<'a>(scenario: &mut Scenario, keys: impl Iterator<Item = &'a Carried>) {
    let packets = keys.filter_map(|(_, packet)| packet.as_ref());
    let answers: Vec<PacketIn> = packets
        .filter_map(|packet| {
            Some(PacketIn {
                data: answer(&scenario.followed(packet)?),
                port: (packet.port + 1) % PORTS as u8,
                ..packet.clone()
            })
        })
        .collect();
    for packet in &answers {
        scenario.back_to_back(packet);
    }
}

/// Until the map takes no more, and a little further; then there is room for one again.
fn fill(scenario: &mut Scenario, map: MapId, keys: &mut Keys) {
    let decl = scenario.decl(map);
    let image = scenario.maps().image();
    let held = image.get(&decl.name).map_or(0, |entries| entries.len());
    keys.left = TRIES;
    let mut more = Vec::new();
    for _ in held..decl.max_entries as usize + 3 {
        more.extend(keys.find(scenario, None));
    }
    put(scenario, map, &more);
    let Some((first, rest)) = more.split_first() else {
        return;
    };
    scenario.delete(map, first.0.clone(), &[]);
    let some: Vec<Carried> = rest.iter().rev().take(3).cloned().collect();
    put(scenario, map, &some);
    // Room for what comes.
    for (key, _) in rest.iter().take(16) {
        scenario.delete(map, key.clone(), &[]);
    }
}
