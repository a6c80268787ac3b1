//! Tables that make room for new keys: every insert succeeds, the table stays consistent however close packets are, and
//! who goes is who was not used.

use crate::bench::Bench;
use crate::hash_bench::design;
use crate::random::Random;
use hardpath_blocks::hash::{buckets, Hash, HashPort, SLOTS, WAYS};
use std::collections::{BTreeMap, VecDeque};

const KEY_BITS: u32 = 32;

/// A key in a slot, and whether it was used.
#[derive(Clone, Debug)]
struct Held {
    key: u64,
    used: bool,
}

struct Run {
    bench: Bench,
    max_entries: u32,
    random: Random,
    /// By entry.
    slots: BTreeMap<u64, Held>,
    /// Packets on their way: key, and what is done: updates, deletes.
    on_the_way: VecDeque<Option<(u64, bool, bool)>>,
    evictions: u64,
    most: usize,
}

/// Clocks from the key to its commit.
const CLOCKS: usize = 3;

impl Run {
    fn new(max_entries: u32) -> Run {
        let mut bench = Bench::new(&design(&Hash {
            name: "keys".into(),
            map: "map".into(),
            key_bits: KEY_BITS,
            max_entries,
            ports: vec![HashPort {
                updates: true,
                deletes: true,
                ..HashPort::default()
            }],
            forward: true,
            evicts: true,
        }));
        bench.reset(2);
        Run {
            bench,
            max_entries,
            random: Random::new(max_entries.into()),
            slots: BTreeMap::new(),
            on_the_way: VecDeque::new(),
            evictions: 0,
            most: 0,
        }
    }

    /// The entries in which a key may lie, in the order in which the table looks at them.
    fn candidates(&self, key: u64) -> Vec<u64> {
        let rows = u64::from(Hash::rows(self.max_entries));
        let buckets = buckets(&[key], KEY_BITS, self.max_entries);
        (0..u64::from(WAYS * SLOTS))
            .map(|place| place * rows + buckets[(place / u64::from(SLOTS)) as usize])
            .collect()
    }

    fn place_of(&self, key: u64) -> Option<u64> {
        let mut candidates = self.candidates(key).into_iter();
        candidates.find(|entry| self.slots.get(entry).is_some_and(|held| held.key == key))
    }

    fn step(&mut self, packet: Option<(u64, bool, bool)>) -> Option<(u64, bool, bool)> {
        let (key, updates, deletes) = packet.unwrap_or((self.random.next() & 0xff, false, false));
        self.bench.set("key", key);
        self.bench.set("update", updates.into());
        self.bench.set("remove", deletes.into());
        self.bench.set("uses", packet.is_some().into());
        self.bench.step();
        self.on_the_way.push_back(packet);
        match self.on_the_way.len() > CLOCKS {
            true => self.on_the_way.pop_front().flatten(),
            false => None,
        }
    }

    /// Looks at the packet that commits, and does in the model what the table did. Gives the entry that a new key got.
    fn commit(&mut self, key: u64, updates: bool, deletes: bool) -> Option<u64> {
        let place = self.place_of(key);
        let hit = self.bench.get("hit") == 1;
        assert_eq!(hit, place.is_some(), "key {key:#x}");
        if let Some(place) = place {
            assert_eq!(self.bench.get("entry"), place, "key {key:#x}");
        }
        let errno = self.bench.get("errno");
        assert_eq!(self.bench.get("write_value") == 1, updates);
        let entry = self.bench.get("entry_c");
        if updates {
            assert_eq!(errno, 0, "an insert finds room");
            assert!(self.candidates(key).contains(&entry));
        }
        if deletes {
            assert_eq!(errno, if hit { 0 } else { 2 });
        }
        self.most = self.most.max(self.slots.len());
        match place {
            Some(place) if deletes => {
                self.slots.remove(&place);
            }
            Some(place) => {
                assert!(!updates || entry == place, "an entry does not move");
                if let Some(held) = self.slots.get_mut(&place) {
                    held.used = true;
                }
            }
            None if updates => {
                let new = Held { key, used: true };
                self.evictions += u64::from(self.slots.insert(entry, new).is_some());
                return Some(entry);
            }
            None => {}
        }
        None
    }

    fn packet(&mut self, packet: Option<(u64, bool, bool)>) {
        if let Some((key, updates, deletes)) = self.step(packet) {
            self.commit(key, updates, deletes);
        }
    }

    /// One packet alone; the entry that a new key gets is the one that the rule says.
    fn alone(&mut self, key: u64, updates: bool) {
        let mut candidates = self.candidates(key);
        let present = self.place_of(key).is_some();
        let before = self.slots.clone();
        let mut packet = Some((key, updates, false));
        for _ in 0..2 * CLOCKS {
            let Some((key, updates, deletes)) = self.step(packet.take()) else {
                continue;
            };
            let Some(entry) = self.commit(key, updates, deletes) else {
                continue;
            };
            assert!(!present);
            let full = before.len() >= self.max_entries as usize;
            candidates.retain(|candidate| before.contains_key(candidate));
            let all_taken = candidates.len() == (WAYS * SLOTS) as usize;
            if candidates.is_empty() || !(full || all_taken) {
                assert!(!before.contains_key(&entry), "nobody needs to go");
                continue;
            }
            let unused = |entry: &&u64| !before[*entry].used;
            let victim = candidates.iter().find(unused);
            let all_used = victim.is_none();
            assert_eq!(Some(&entry), victim.or(candidates.first()));
            if all_used {
                for other in self.candidates(key).iter().filter(|other| **other != entry) {
                    if let Some(held) = self.slots.get_mut(other) {
                        held.used = false;
                    }
                }
            }
        }
    }
}

const SIZES: [u32; 6] = [7, 16, 33, 64, 100, 256];

/// Who goes: never a used key as long as there is an unused one among those whose place the new one can take.
#[test]
fn the_unused_go_first() {
    for max_entries in SIZES {
        let mut run = Run::new(max_entries);
        let keys = u64::from(max_entries) * 3;
        for _ in 0..3000 {
            let key = run.random.below(keys) * 0x0001_0003;
            let updates = run.random.below(3) > 0;
            run.alone(key, updates);
        }
        assert!(run.evictions > 300, "{} evictions", run.evictions);
        assert!(run.most >= max_entries as usize, "{} keys", run.most);
        assert!(run.most <= Hash::entries(max_entries) as usize);
    }
}

/// Packets in every clock: a key that had to go is not found any more, even by the packet right behind.
#[test]
fn close_packets_see_who_is_gone() {
    for max_entries in SIZES {
        let mut run = Run::new(max_entries);
        for phase in 0..40 {
            let keys = [3, 20, u64::from(max_entries) * 3][phase % 3];
            for _ in 0..300 {
                let key = run.random.below(keys) * 0x0001_0003;
                let packet = match run.random.below(10) {
                    0 => None,
                    1 => Some((key, false, true)),
                    2..=5 => Some((key, false, false)),
                    _ => Some((key, true, false)),
                };
                run.packet(packet);
            }
        }
        assert!(run.evictions > 100, "{} evictions", run.evictions);
    }
}
