//! Tables that make room for new keys: every insert succeeds, the table stays consistent however close packets are, and
//! who goes is who was not used.

use crate::answers::{DONE, MISSING};
use crate::bench::Bench;
use crate::hash_bench::{design, displaces_late};
use hardpath_blocks::hash::{buckets, Evicts, Hash, HashPort, SLOTS, WAYS};
use hardpath_testkit::Random;
use std::collections::{BTreeMap, VecDeque};

const KEY_BITS: u32 = 32;

/// A key in a slot, and its age.
#[derive(Clone, Debug)]
struct Held {
    key: u64,
    age: u64,
}

/// A packet on its way to the commit.
#[derive(Clone, Copy)]
struct Packet {
    key: u64,
    updates: bool,
    deletes: bool,
    /// What the table answered: the entry in which the key is.
    found: Option<u64>,
}

struct Run {
    bench: Bench,
    max_entries: u32,
    evicts: Evicts,
    commit_after: u32,
    /// From the key to the answer of its lookup.
    clocks: usize,
    random: Random,
    /// By entry.
    slots: BTreeMap<u64, Held>,
    on_the_way: VecDeque<Option<Packet>>,
    evictions: u64,
    /// Packets can lose a key that they have found, and say so.
    displaces_late: bool,
    displaced: u64,
    most: usize,
}

impl Run {
    fn new(max_entries: u32, commit_after: u32, registers: bool, evicts: Evicts) -> Run {
        let config = Hash {
            name: "keys".into(),
            map: "map".into(),
            key_bits: KEY_BITS,
            max_entries,
            ports: vec![HashPort {
                commit_after,
                updates: true,
                may: None,
                deletes: true,
                slot: 0,
            }],
            forward: evicts == Evicts::FirstBucket || commit_after == 0,
            registers,
            evicts,
            foreign: false,
            bounded: false,
            holds: 0,
        };
        let mut bench = Bench::new(&design(&config));
        bench.reset(2);
        Run {
            bench,
            displaces_late: displaces_late(&config),
            max_entries,
            evicts,
            commit_after,
            clocks: 1 + Hash::answer_clocks(registers) as usize,
            random: Random::new(max_entries.into()),
            slots: BTreeMap::new(),
            on_the_way: VecDeque::new(),
            evictions: 0,
            displaced: 0,
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

    /// Those of a new key whose keys may have to go.
    fn victims(&self, key: u64) -> Vec<u64> {
        let mut candidates = self.candidates(key);
        candidates.truncate(self.evicts.places() as usize);
        candidates
    }

    /// As an entrance does: packets that could take each other's place are kept apart, or at least those with the same key.
    fn must_wait(&self, key: u64) -> bool {
        let tag = |key: u64| match self.evicts {
            Evicts::FirstBucket => self.candidates(key)[0],
            _ => key,
        };
        self.commit_after > 0
            && (self.on_the_way.iter().flatten()).any(|older| tag(older.key) == tag(key))
    }

    fn step(&mut self, packet: Option<(u64, bool, bool)>) -> Option<Packet> {
        let (key, updates, deletes) = packet.unwrap_or((self.random.next() & 0xff, false, false));
        self.bench.set("key", key);
        self.bench.set("update", updates.into());
        self.bench.set("remove", deletes.into());
        self.bench.set("uses", packet.is_some().into());
        self.bench.step();
        self.on_the_way.push_back(packet.map(|_| Packet {
            key,
            updates,
            deletes,
            found: None,
        }));
        let found = (self.bench.get("hit") == 1).then(|| self.bench.get("entry"));
        let answered = self.on_the_way.iter_mut().rev().nth(self.clocks);
        if let Some(Some(packet)) = answered {
            packet.found = found;
        }
        match self.on_the_way.len() > self.clocks + self.commit_after as usize {
            true => self.on_the_way.pop_front().flatten(),
            false => None,
        }
    }

    /// Looks at the packet that commits, and does in the model what the table did. Gives the entry that a new key got.
    fn commit(&mut self, packet: Packet) -> Option<u64> {
        let Packet {
            key,
            updates,
            deletes,
            found,
        } = packet;
        let place = self.place_of(key);
        if self.displaces_late {
            let displaced = found.is_some() && place != found;
            assert_eq!(self.bench.get("displaced") == 1, displaced, "key {key:#x}");
            if displaced {
                assert_eq!(place, None);
                assert_eq!(self.bench.get("puts") | self.bench.get("removes_key"), 0);
                self.displaced += 1;
                return None;
            }
        }
        assert_eq!(found, place, "key {key:#x}");
        let hit = found.is_some();
        let answer = self.bench.get("answer");
        assert_eq!(self.bench.get("write_value") == 1, updates);
        let entry = self.bench.get("entry_c");
        if updates {
            assert_eq!(answer, DONE, "an insert finds room");
            assert!(self.candidates(key).contains(&entry));
        }
        if deletes {
            assert_eq!(answer, if hit { DONE } else { MISSING });
        }
        self.most = self.most.max(self.slots.len());
        let puts = updates && !hit;
        assert_eq!(self.bench.get("puts") == 1, puts);
        assert_eq!(self.bench.get("removes_key") == 1, deletes && hit);
        let taken = self.slots.contains_key(&entry);
        assert_eq!(self.bench.get("forgets") == 1, puts && taken);
        if puts {
            assert_eq!(self.bench.get("key_c"), key);
        }
        match place {
            Some(place) if deletes => {
                self.slots.remove(&place);
            }
            Some(place) => {
                assert!(!updates || entry == place, "an entry does not move");
                if let Some(held) = self.slots.get_mut(&place) {
                    held.age = 0;
                }
            }
            None if updates => {
                let new = Held { key, age: 2 };
                self.evictions += u64::from(self.slots.insert(entry, new).is_some());
                return Some(entry);
            }
            None => {}
        }
        None
    }

    fn packet(&mut self, packet: Option<(u64, bool, bool)>) {
        while packet.is_some_and(|(key, ..)| self.must_wait(key)) {
            if let Some(done) = self.step(None) {
                self.commit(done);
            }
        }
        if let Some(done) = self.step(packet) {
            self.commit(done);
        }
    }

    /// One packet alone; the entry that a new key gets is the one that the rule says.
    fn alone(&mut self, key: u64, updates: bool) {
        let all_taken = |held: &BTreeMap<u64, Held>, candidates: &[u64]| {
            candidates.iter().all(|entry| held.contains_key(entry))
        };
        let mut candidates = self.victims(key);
        let present = self.place_of(key).is_some();
        let before = self.slots.clone();
        let mut packet = Some((key, updates, false));
        for _ in 0..2 * (self.clocks + self.commit_after as usize) {
            let Some(done) = self.step(packet.take()) else {
                continue;
            };
            let Some(entry) = self.commit(done) else {
                continue;
            };
            assert!(!present);
            let full = before.len() >= self.max_entries as usize;
            candidates.retain(|candidate| before.contains_key(candidate));
            let all_taken = all_taken(&before, &self.candidates(key));
            if candidates.is_empty() || !(full || all_taken) {
                assert!(!before.contains_key(&entry), "nobody needs to go");
                continue;
            }
            let gone = before[&entry].age;
            let oldest = candidates
                .iter()
                .map(|candidate| before[candidate].age)
                .max();
            assert_eq!(Some(gone), oldest);
            let first = candidates.iter().find(|one| before[*one].age == gone);
            assert_eq!(Some(&entry), first);
            for other in self.victims(key).iter().filter(|other| **other != entry) {
                if let Some(held) = self.slots.get_mut(other) {
                    held.age = (held.age + 3 - gone).min(3);
                }
            }
        }
    }
}

/// Tables of all sizes, without and with registers behind the memories, of which packets wait for their commit or do not.
fn runs() -> impl Iterator<Item = Run> {
    use Evicts::{Candidates, FirstBucket};
    let ways = [
        (0, false, Candidates),
        (1, false, FirstBucket),
        (4, false, FirstBucket),
        (1, false, Candidates),
        (5, false, Candidates),
        (0, true, Candidates),
        (3, true, FirstBucket),
        (3, true, Candidates),
    ];
    let runs = move |entries| {
        ways.map(|(after, registers, evicts)| Run::new(entries, after, registers, evicts))
    };
    [7, 16, 33, 64, 100, 256].into_iter().flat_map(runs)
}

/// Who goes: the oldest of those whose place the new one can take.
#[test]
fn the_oldest_go_first() {
    for mut run in runs() {
        let max_entries = run.max_entries;
        let keys = u64::from(max_entries) * 3;
        for _ in 0..3000 {
            let key = run.random.below(keys) * 0x0001_0003;
            let updates = run.random.below(3) > 0;
            run.alone(key, updates);
        }
        assert!(run.evictions > 300, "{} evictions", run.evictions);
        assert!(run.most >= max_entries as usize, "{} keys", run.most);
        let most = match run.evicts {
            Evicts::FirstBucket => max_entries + Hash::rows(max_entries),
            _ => Hash::entries(max_entries),
        };
        assert!(run.most <= most as usize, "{} keys", run.most);
    }
}

/// Packets in every clock: a key that had to go is not found any more, even by the packet right behind.
#[test]
fn close_packets_see_who_is_gone() {
    for mut run in runs() {
        for phase in 0..40 {
            let keys = [3, 20, u64::from(run.max_entries) * 3][phase % 3];
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
        if run.displaces_late && run.commit_after > 1 {
            assert!(run.displaced > 0, "nobody was displaced");
        }
    }
}
