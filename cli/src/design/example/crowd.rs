//! Hash tables with keys that stand in each other's way.
//!
//! A new key goes to the emptiest of its buckets, so a few keys at random all end in the first way. Here they are chosen so
//! that they share buckets ([`super::kin`]), and come and go ([`super::churn`]): packets put them in where they carry the
//! bytes of a key, else the host does. A small table is then filled.

use super::churn::Churn;
use super::kin::Kin;
use super::scenario::Scenario;
use super::{answer, may_be_changed, sorts, Step, PORTS};
use crate::contents::{value, Random};
use hardpath_blocks::hash::{SLOTS, WAYS};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapId;
use hardpath_ir::May;
use hardpath_packet::Packet;
use std::collections::BTreeMap;

/// Sets of keys that share buckets, and keys that are tried for each.
const FAMILIES: usize = 2;
const TRIES: usize = 500;
/// Packets that are tried for each entry of a table that is filled.
const FILL_TRIES: usize = 6;
/// Keys that only the host puts in.
const OF_ALL_BITS: usize = 24;
/// Keys that the table does not store.
const FOREIGN: usize = 4;
/// Places of a row, in all ways, and rows that a family is made for at most.
const PLACES: usize = (WAYS * SLOTS) as usize;
const MOST_ROWS: usize = 4;
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
        if decl.is_exact() && may_be_changed(decl) && !decl.broadcast {
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
    packet: Packet,
    key: Vec<u8>,
    /// The packet puts its key in.
    writes: bool,
    /// Bytes of the packet, and the bytes of the key that they become.
    copies: Vec<(usize, usize)>,
}

/// Of all packets the one with the most bytes of a key of the map.
fn carrier(scenario: &mut Scenario, sorts: &[&Packet], map: MapId) -> Option<Carrier> {
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
struct Keys {
    map: MapId,
    key_bytes: u32,
    /// What the table stores of them.
    stored: KeyBits,
    carrier: Option<Carrier>,
    random: Random,
}

/// A key, and a packet that asks for it.
pub type Carried = (Vec<u8>, Option<Packet>);

impl Keys {
    /// Packets put keys in.
    fn writes(&self) -> bool {
        self.carrier.as_ref().is_some_and(|carrier| carrier.writes)
    }

    /// The bytes of a key that may be chosen.
    fn free(&self) -> Vec<usize> {
        match &self.carrier {
            Some(carrier) => carrier.copies.iter().map(|(_, index)| *index).collect(),
            None => (0..self.key_bytes as usize).collect(),
        }
    }

    /// Any key that the table stores.
    fn any(&mut self) -> Vec<u8> {
        let key = self.any_at_all();
        self.stored.whole(&self.stored.cut(&key))
    }

    /// Any key; of those that the table does not store the host keeps books.
    fn any_at_all(&mut self) -> Vec<u8> {
        let mut key = match &self.carrier {
            Some(carrier) => carrier.key.clone(),
            None => vec![0; self.key_bytes as usize],
        };
        for index in self.free() {
            key[index] = self.random.next() as u8;
        }
        key
    }

    /// The key with its packet, if that really asks for it or puts it in, and if the map has it not.
    fn carried(&self, scenario: &mut Scenario, key: Vec<u8>) -> Option<Carried> {
        let packet = self.carrier.as_ref().map(|carrier| {
            let mut packet = carrier.packet.clone();
            for (at, index) in &carrier.copies {
                packet.data[*at] = key[*index];
            }
            packet
        });
        let writes = self.writes();
        let asks = packet.as_ref().is_none_or(|packet| {
            let maps = scenario.maps().clone();
            let keys = scenario.keys_of(packet, maps);
            keys.get(&(self.map, key.clone())) == Some(&writes)
        });
        (asks && scenario.maps().get(self.map, &key).is_none()).then_some((key, packet))
    }
}

fn crowd(scenario: &mut Scenario, sorts: &[&Packet], map: MapId) -> Result<(), Diagnostic> {
    let mut keys = Keys {
        map,
        key_bytes: scenario.port(map).key_bytes,
        stored: scenario.port(map).stored.clone(),
        carrier: carrier(scenario, sorts, map),
        random: Random(3),
    };
    // Where entries move, they make room for each other.
    let families = match scenario.decl(map).entries_may_move() {
        true => 0,
        false => FAMILIES,
    };
    for _ in 0..families {
        let first = keys.any();
        let kin = Kin::new(scenario.port(map), first, &keys.free());
        let mut family = BTreeMap::new();
        for _ in 0..TRIES {
            let key = kin.key(&mut keys.random);
            if family.len() < 4 * kin.rows().min(MOST_ROWS) * PLACES {
                family.extend(keys.carried(scenario, key));
            }
        }
        Churn::new(scenario, map, family.into_iter().collect(), keys.writes()).all()?;
    }
    of_all_bits(scenario, map)?;
    let decl = scenario.decl(map);
    match (decl.max_entries <= SMALL, decl.forgets) {
        (true, false) => fill(scenario, map, &mut keys),
        (true, true) => fill_most(scenario, map, &mut keys)?,
        (false, _) => {}
    }
    Ok(())
}

/// Keys whose bits are all random, which no packet may carry: the host puts them in and sees where they stand.
fn of_all_bits(scenario: &mut Scenario, map: MapId) -> Result<(), Diagnostic> {
    let mut keys = Keys {
        map,
        key_bytes: scenario.port(map).key_bytes,
        stored: scenario.port(map).stored.clone(),
        carrier: None,
        random: Random(9),
    };
    let has_foreign = keys.stored.has_foreign();
    let mut some: Vec<Carried> = (0..OF_ALL_BITS).map(|_| (keys.any(), None)).collect();
    if has_foreign {
        some.extend((0..FOREIGN).map(|_| (keys.any_at_all(), None)));
    }
    put(scenario, map, &some);
    for (slot, key) in scenario.slots(map)?.into_iter().flatten() {
        if some.iter().any(|(other, _)| *other == key) {
            scenario.dump(map, slot, Some(&key), &[]);
        }
    }
    for (key, _) in some {
        scenario.delete(map, key.clone(), &[]);
        scenario.lookup(map, key, &[]);
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
            scenario.update(map, key.clone(), value, May::PUT, &[]);
        }
    }
}

/// All of them, and then the answers to what left.
pub fn ask<'a>(scenario: &mut Scenario, keys: impl Iterator<Item = &'a Carried>) {
    let packets = keys.filter_map(|(_, packet)| packet.as_ref());
    let answers: Vec<Packet> = packets
        .filter_map(|packet| {
            Some(Packet {
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

/// How many entries a map has.
fn held(scenario: &Scenario, map: MapId) -> usize {
    let image = scenario.maps().image();
    let entries = image.get(&scenario.decl(map).name);
    entries.map_or(0, |entries| entries.len())
}

/// The host puts so many keys in that all ways have some, looks what stands where, and takes them out again: a full map would
/// forget what packets still ask for.
fn fill_most(scenario: &mut Scenario, map: MapId, keys: &mut Keys) -> Result<(), Diagnostic> {
    let (room, held) = (scenario.decl(map).max_entries as usize, held(scenario, map));
    let wanted = (room * 3 / 4).saturating_sub(held);
    keys.carrier = None;
    let more: BTreeMap<_, _> = (0..wanted)
        .filter_map(|_| {
            let key = keys.any();
            keys.carried(scenario, key)
        })
        .collect();
    let more: Vec<Carried> = more.into_iter().collect();
    put(scenario, map, &more);
    scenario.dump_some(map)?;
    for (key, _) in more {
        scenario.delete(map, key, &[]);
    }
    Ok(())
}

/// Until the map takes no more, and a little further; then there is room for one again.
fn fill(scenario: &mut Scenario, map: MapId, keys: &mut Keys) {
    let (room, held) = (scenario.decl(map).max_entries as usize, held(scenario, map));
    let wanted = room + 3 - held;
    let mut more = BTreeMap::new();
    for tries in 0..2 * FILL_TRIES * wanted {
        if more.len() == wanted {
            break;
        }
        // Where few packets put keys in the host does the rest.
        if tries == FILL_TRIES * wanted {
            keys.carrier = None;
        }
        let key = match keys.carrier {
            Some(_) => keys.any(),
            None => keys.any_at_all(),
        };
        more.extend(keys.carried(scenario, key));
    }
    let more: Vec<Carried> = more.into_iter().collect();
    put(scenario, map, &more);
    let Some((first, rest)) = more.split_first() else {
        return;
    };
    scenario.delete(map, first.0.clone(), &[]);
    let some: Vec<Carried> = rest.iter().rev().take(3).cloned().collect();
    put(scenario, map, &some);
    ask(scenario, rest.iter().rev().skip(3));
    // Room for what comes.
    for (key, _) in rest.iter().take(16) {
        scenario.delete(map, key.clone(), &[]);
    }
}
