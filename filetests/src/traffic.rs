//! Packets and operations of the host that are made to break programs with maps.

use hardpath_blocks::interface::{Interface, MapPort};
use hardpath_packet::Packet;
use hardpath_testbed::host::{HostOperation, May};
use hardpath_testbed::run::HostEvent;
use hardpath_testkit::Random;

/// What keys the packets carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// The key 1 alone.
    One,
    /// 1 and 2, uniformly.
    Two,
    /// So many, uniformly.
    Of(u32),
    /// Runs of one key.
    Bursts,
    /// Any of these.
    These([u32; 8]),
}

/// Keys that lie in the same bucket of every way of a hash table with keys of 4 bytes: together they fill these buckets.
/// `None` where such keys are too rare to be looked for.
pub fn colliding(interface: &Interface) -> Option<Keys> {
    let map = (interface.maps.iter())
        .find(|map| finds_exact_keys(map) && map.key_bytes == 4 && map.max_entries >= 8)?;
    let is_stored = |key: &u32| !map.stored.is_foreign(&key.to_le_bytes());
    let places = |key: u32| map.buckets(&key.to_le_bytes());
    let mut all = (1..1_000_000).filter(is_stored);
    let first = all.next()?;
    let mut keys = std::iter::once(first).chain(all.filter(|key| places(*key) == places(first)));
    let mut found = [0; 8];
    for slot in &mut found {
        *slot = keys.next()?;
    }
    Some(Keys::These(found))
}

/// Packets of 64 bytes: a key in bytes 0 to 3, a second one in bytes 4 to 7, an operand in 8 to 15, what to do in
/// byte 16.
pub fn packets(random: &mut Random, count: usize, keys: Keys) -> Vec<Packet> {
    let mut run = (0, 0);
    (0..count)
        .map(|number| {
            let mut data: Vec<u8> = (0..64).map(|_| random.next() as u8).collect();
            let mut key = || match keys {
                Keys::One => 1,
                Keys::Two => 1 + random.below(2) as u32,
                Keys::These(keys) => *random.pick(&keys),
                Keys::Of(count) => random.below(u64::from(count)) as u32,
                Keys::Bursts => {
                    if run.1 == 0 {
                        run = (random.below(6) as u32, 1 + random.below(12));
                    }
                    run.1 -= 1;
                    run.0
                }
            };
            let (first, second) = (key(), key());
            data[0..4].copy_from_slice(&first.to_le_bytes());
            data[4..8].copy_from_slice(&second.to_le_bytes());
            Packet {
                data,
                port: random.below(20) as u8 % 16,
                queue: random.below(16) as u16,
                time_ns: number as u64 * 1000 + 7,
                random: random.next() as u32,
                own: random.next(),
                egress: 0,
                bad: false,
            }
        })
        .collect()
}

/// Makes the operation one on these keys, so that no other key crowds their buckets.
pub fn only_on(keys: &Keys, operation: &mut HostOperation) {
    if let (
        Keys::These(keys),
        HostOperation::Lookup { key, .. }
        | HostOperation::Update { key, .. }
        | HostOperation::Delete { key, .. },
    ) = (keys, operation)
    {
        if key.len() == 4 {
            let chosen = keys[usize::from(key[0]) % keys.len()];
            key.copy_from_slice(&chosen.to_le_bytes());
        }
    }
}

/// Host operations spread over the traffic, on keys that the packets use, too.
pub fn events(
    random: &mut Random,
    interface: &Interface,
    packets: usize,
    count: usize,
) -> Vec<HostEvent> {
    let mut places: Vec<usize> = (0..count)
        .map(|_| random.below(packets as u64) as usize)
        .collect();
    places.sort();
    places
        .into_iter()
        .map(|after_packets| HostEvent {
            after_packets,
            operation: operation(random, interface),
        })
        .collect()
}

/// One map operation.
pub fn operation(random: &mut Random, interface: &Interface) -> HostOperation {
    let map = random.below(interface.maps.len() as u64) as usize;
    let port = &interface.maps[map];
    let mut key = vec![0; port.key_bytes as usize];
    let number = match random.below(4) {
        0 => 1,
        1 => random.below(u64::from(port.max_entries) + 3),
        _ => random.below(8),
    };
    for (to, from) in key.iter_mut().zip(number.to_le_bytes()) {
        *to = from;
    }
    if port.kind == "prefix" {
        // Lengths that fit and some that do not; data that packets have.
        let bits = u64::from(port.key_bytes - 4) * 8;
        key[0] = random.below((bits + 2).min(12)) as u8;
        key[4] = random.below(32) as u8;
    }
    if port.kind == "ternary" {
        key = ternary_key(random, number, port.key_bytes as usize);
    }
    if port.stored.has_foreign() {
        // The program's own keys, and few that differ from them in a bit, so that they come and go.
        key = port
            .stored
            .whole(&[&number.to_le_bytes()[..], &key].concat());
        let is_stored = |bit: &u32| port.stored.stored_places().any(|stored| stored == *bit);
        let mut constant = (0..port.stored.bits()).filter(|bit| !is_stored(bit));
        let ends = [constant.next(), constant.next_back()];
        if let (true, Some(bit)) = (random.below(2) == 0, random.pick(&ends)) {
            key[*bit as usize / 8] ^= 1 << (bit % 8);
        }
    }
    let mut value: Vec<u8> = (0..port.value_bytes).map(|_| random.next() as u8).collect();
    if random.below(4) == 0 {
        let count = value.len().min(4);
        value[..count].fill(0);
    }
    match random.below(7) {
        6 => HostOperation::Next {
            map,
            slot: match random.below(3) {
                // A search through a large table would take longer than the packets.
                0 => port.slots + 1 - random.below(u64::from(port.slots.min(200)) + 2) as u32,
                _ => port.slots.saturating_sub(random.below(12) as u32),
            },
        },
        0 | 1 => HostOperation::Lookup { map, key },
        2 | 3 => HostOperation::Update {
            map,
            key,
            value,
            may: *random.pick(&[
                May::PUT,
                May::PUT,
                May::PUT,
                May::CREATE,
                May::REPLACE,
                May::NOTHING,
            ]),
        },
        4 => HostOperation::Delete { map, key },
        _ => HostOperation::Dump {
            map,
            slot: match (finds_exact_keys(port), random.below(3)) {
                // Where a key lies that packets use, most likely.
                (true, 1..) => *random.pick(&port.places(&key).0),
                _ => random.below(u64::from(port.slots) + 2) as u32,
            },
        },
    }
}

/// The key of an entry of a ternary table: fields, their masks, the priority. Often what no entry can have: a range that ends
/// before it begins, a prefix with a gap.
fn ternary_key(random: &mut Random, number: u64, bytes: usize) -> Vec<u8> {
    let fields = (bytes - 4) / 2;
    let mut key: Vec<u8> = (0..bytes)
        .map(|place| match place {
            place if place < fields => *random.pick(&[0, 0, 1, 2, 3]),
            place if place < 2 * fields => *random.pick(&[0, 0xff, 0xff, 0xff, 0xf0, 0x03]),
            _ => 0,
        })
        .collect();
    key[0] = number as u8;
    if random.below(3) == 0 {
        let all = *random.pick(&[0, 0xff]);
        key[fields..2 * fields].fill(all);
    }
    key[2 * fields] = random.below(4) as u8;
    key
}

/// The map is a hash table.
fn finds_exact_keys(port: &MapPort) -> bool {
    port.kind == "exact" || port.kind.ends_with("hash")
}
