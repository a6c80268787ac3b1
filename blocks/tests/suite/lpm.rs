//! Longest prefix match beside a model: a lookup a clock while the host inserts, replaces and deletes prefixes.

use crate::answers::{BAD_INDEX, DONE, EXISTS, FULL, MISSING, REFUSED};
use crate::bench::Bench;
use hardpath_blocks::interface::command;
use hardpath_blocks::lpm::{lpm, Lpm, Search};
use hardpath_blocks::may::May;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// `struct bpf_lpm_trie_key` in memory order.
type Key = Vec<u8>;

fn config(data_bytes: u32, max_entries: u32, registers: bool, search: Search) -> Lpm {
    Lpm {
        name: "prefixes".into(),
        map: "routes".into(),
        key_bytes: 4 + data_bytes,
        max_entries,
        registers,
        search,
        bounded: false,
    }
}

fn length(key: &Key) -> u32 {
    u32::from_le_bytes(*key.first_chunk().unwrap())
}

fn bit(key: &Key, number: u32) -> bool {
    key[4 + number as usize / 8] >> (7 - number % 8) & 1 == 1
}

/// Whether a key begins with the prefix of an entry.
fn covers(entry: &Key, key: &Key) -> bool {
    length(entry) <= length(key) && (0..length(entry)).all(|n| bit(entry, n) == bit(key, n))
}

fn limbs(key: &Key) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    key.chunks(8).map(word).collect()
}

struct Run {
    config: Lpm,
    bench: Bench,
    random: Random,
    entries: Vec<Option<Key>>,
    /// By the clock in which the key was in stage R: the entry that is right.
    due: VecDeque<(u64, Option<usize>)>,
    clock: u64,
    hits: u64,
}

impl Run {
    fn new(config: Lpm, seed: u64) -> Run {
        let mut bench = Bench::of(lpm(&config));
        bench.reset(2);
        Run {
            bench,
            random: Random::new(seed),
            entries: vec![None; config.max_entries as usize],
            due: VecDeque::new(),
            clock: 0,
            hits: 0,
            config,
        }
    }

    fn data_bits(&self) -> u32 {
        Lpm::data_bits(self.config.key_bytes)
    }

    fn clocks(&self) -> u32 {
        let Lpm {
            key_bytes,
            max_entries,
            registers,
            search,
            ..
        } = self.config;
        Lpm::clocks(key_bytes, max_entries, registers, search)
    }

    fn best(&self, key: &Key) -> Option<usize> {
        if length(key) > self.data_bits() {
            return None;
        }
        let covering = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(number, entry)| {
                let entry = entry.as_ref()?;
                covers(entry, key).then(|| (length(entry), number))
            });
        covering.max().map(|(_, number)| number)
    }

    /// A key near those that are there, of any length.
    fn key(&mut self) -> Key {
        let bits = self.data_bits();
        let length = match self.random.below(12) {
            0 => bits + 1 + self.random.below(5) as u32,
            1..=4 => bits,
            _ => self.random.below(u64::from(bits) + 1) as u32,
        };
        let mut key = length.to_le_bytes().to_vec();
        let known = match self.random.below(4) {
            0 => None,
            _ => {
                let number = self.random.below(self.entries.len() as u64) as usize;
                self.entries[number].clone()
            }
        };
        match known {
            Some(known) => key.extend(&known[4..]),
            None => key.extend((0..bits / 8).map(|_| self.random.below(4) as u8 * 0x55)),
        }
        if self.random.below(3) == 0 {
            let number = self.random.below(u64::from(bits));
            key[4 + number as usize / 8] ^= 0x80 >> (number % 8);
        }
        key
    }

    /// One clock with a packet in stage R, or without.
    fn step(&mut self, packet: Option<&Key>) {
        if let Some(key) = packet {
            self.bench.set_wide("key", &limbs(key));
            let best = self.best(key);
            self.due.push_back((self.clock, best));
        }
        self.bench.step();
        self.check();
        self.clock += 1;
    }

    fn check(&mut self) {
        let clocks = u64::from(self.clocks());
        while self
            .due
            .front()
            .is_some_and(|(at, _)| at + clocks == self.clock)
        {
            let (_, expected) = self.due.pop_front().unwrap();
            let hit = self.bench.get("hit") == 1;
            let entry = self.bench.get("entry") as usize;
            assert_eq!(hit.then_some(entry), expected, "clock {}", self.clock);
            self.hits += u64::from(hit);
        }
    }

    fn packets(&mut self, count: u32) {
        for _ in 0..count {
            let mut key = self.key();
            if matches!(self.config.search, Search::Ranges { .. }) {
                let bits = self.data_bits();
                key[..4].copy_from_slice(&bits.to_le_bytes());
            }
            self.step(Some(&key));
        }
    }

    /// Performs an operation as the host port does; packets go on until its slot comes, and behind it.
    fn host(&mut self, operation: u32, key: &Key, may: May, slot: u32) {
        self.bench.set("host_command", operation.into());
        self.bench.set("host_may", may.bits().into());
        self.bench.set("host_slot", slot.into());
        self.bench.set_wide("host_key", &limbs(key));
        self.bench.set("start", 1);
        self.packets(1);
        self.bench.set("start", 0);
        let Lpm {
            key_bytes,
            max_entries,
            search,
            ..
        } = self.config;
        let limit = Lpm::prepare_clocks(key_bytes, max_entries, search);
        let mut waited = 0;
        loop {
            self.packets(1);
            if self.bench.get("prepared") == 1 {
                break;
            }
            waited += 1;
            assert!(waited <= limit, "not prepared after {waited} clocks");
        }
        for _ in 0..3 {
            self.step(None);
        }
        let (answer, entry) = self.answer(operation, key, may, slot);
        self.bench.set_wide("key", &limbs(key));
        self.bench.set("host_r", 1);
        self.step(None);
        self.bench.set("host_r", 0);
        for _ in 0..3 {
            self.step(None);
        }
        let clocks = self.clocks();
        for clock in 4..=clocks + 1 {
            if clock == clocks + 1 {
                assert_eq!(self.bench.get("host_c"), 1);
                let writes = self.bench.get("write_value") == 1;
                assert_eq!(writes, operation == command::UPDATE && answer == DONE);
                if let Some(entry) = entry {
                    assert_eq!(self.bench.get("entry"), entry as u64);
                }
            }
            self.packets(1);
        }
        self.packets(1);
        assert_eq!(
            self.bench.get("host_answer"),
            answer,
            "operation {operation}, {may:?}, slot {slot}, {key:02x?}"
        );
        if let Some(entry) = entry {
            assert_eq!(self.bench.get("host_slot_out"), entry as u64);
        }
        if operation == command::DUMP && answer == MISSING {
            assert_eq!(self.bench.get("host_slot_out"), slot.into());
        }
        if operation == command::DUMP && answer == DONE {
            let expected = self.entries[slot as usize].clone().unwrap();
            assert_eq!(self.bench.get_wide("host_key_out"), limbs(&expected));
        }
    }

    /// What a table answers, and the entry that is meant; the model does it.
    fn answer(&mut self, operation: u32, key: &Key, may: May, slot: u32) -> (u64, Option<usize>) {
        let same = |entry: &Option<Key>| {
            let entry = entry.as_ref();
            entry.is_some_and(|entry| length(entry) == length(key) && covers(entry, key))
        };
        let exists = self.entries.iter().position(same);
        let room = self.entries.iter().position(Option::is_none);
        let too_long = length(key) > self.data_bits();
        match operation {
            command::LOOKUP => match self.best(key) {
                Some(entry) => (DONE, Some(entry)),
                None => (MISSING, None),
            },
            command::DUMP => match self.entries.get(slot as usize) {
                None => (BAD_INDEX, None),
                Some(None) => (MISSING, None),
                Some(Some(_)) => (DONE, Some(slot as usize)),
            },
            _ if too_long => (BAD_INDEX, None),
            command::DELETE => match exists {
                Some(entry) => {
                    self.entries[entry] = None;
                    (DONE, Some(entry))
                }
                None => (MISSING, None),
            },
            _ => match (exists, room) {
                _ if may == May::NOTHING => (REFUSED, None),
                (Some(_), _) if !may.replace => (EXISTS, None),
                (None, _) if !may.create => (MISSING, None),
                (None, None) => (FULL, None),
                (Some(entry), _) | (None, Some(entry)) => {
                    self.entries[entry] = Some(key.clone());
                    (DONE, Some(entry))
                }
            },
        }
    }

    fn random_host(&mut self) {
        let operation = *self.random.pick(&[
            command::UPDATE,
            command::UPDATE,
            command::UPDATE,
            command::DELETE,
            command::LOOKUP,
            command::DUMP,
        ]);
        let key = self.key();
        let may = *self.random.pick(&[
            May::PUT,
            May::PUT,
            May::PUT,
            May::PUT,
            May::CREATE,
            May::REPLACE,
            May::NOTHING,
        ]);
        let slot = match self.random.below(8) {
            0 => self.config.max_entries + self.random.below(70) as u32,
            _ => self.random.below(self.config.max_entries.into()) as u32,
        };
        self.host(operation, &key, may, slot);
    }
}

/// Operations of the host, and packets between them; then all entries as they should be.
fn operations(config: Lpm, count: u32) {
    let (data_bytes, entries) = (config.key_bytes - 4, config.max_entries);
    let mut run = Run::new(config, data_bytes.into());
    for _ in 0..count {
        run.random_host();
        let count = run.random.below(40) as u32;
        run.packets(count);
    }
    assert!(run.hits > 100, "{} hits", run.hits);
    for slot in 0..entries {
        let key = vec![0; 4 + data_bytes as usize];
        run.host(command::DUMP, &key, May::NOTHING, slot);
    }
}

#[test]
fn lookups_and_the_hosts_changes() {
    for (data_bytes, entries, registers, bits_a_clock, count) in [
        (1, 1, false, 4, 40),
        (1, 5, true, 2, 60),
        (4, 2, true, 4, 60),
        (4, 33, false, 1, 120),
        (8, 70, true, 1, 120),
        (16, 12, false, 3, 60),
        (20, 3, true, 8, 30),
    ] {
        let search = Search::Rows { bits_a_clock };
        operations(config(data_bytes, entries, registers, search), count);
    }
}

/// The same found in a list of ranges, with lists of all numbers of levels that are full or nearly empty at their ends.
#[test]
fn lookups_in_ranges_and_the_hosts_changes() {
    for (data_bytes, entries, registers, count) in [
        (1, 1, false, 60),
        (1, 2, true, 60),
        (1, 5, true, 120),
        (2, 7, false, 200),
        (1, 8, false, 300),
        (4, 2, true, 60),
        (4, 33, false, 300),
        (4, 32, true, 300),
        (8, 70, true, 200),
        (4, 150, false, 300),
        (16, 12, false, 100),
    ] {
        for apart in [false, true] {
            let search = Search::Ranges { apart };
            operations(config(data_bytes, entries, registers, search), count);
        }
    }
}

#[test]
fn the_largest_tables_are_known() {
    let rows = |bits_a_clock| Search::Rows { bits_a_clock };
    assert_eq!(Lpm::most_entries(8, rows(1)), 4096);
    assert_eq!(Lpm::most_entries(20, rows(1)), 2048);
    let ranges = |apart| Search::Ranges { apart };
    assert_eq!(Lpm::most_entries(20, ranges(false)), 65536);
    // A length has six bits; then the number.
    assert_eq!(Lpm::clocks(8, 4096, false, rows(1)), 2 + 6 + 1);
    assert_eq!(Lpm::clocks(8, 4096, true, rows(4)), 3 + 2 + 1);
    // Four levels find one of 32,769 places, of which the first two stand in LUTs.
    assert_eq!(Lpm::clocks(8, 16_384, false, ranges(false)), 2 + 2 * 2);
    assert_eq!(Lpm::clocks(8, 16_384, true, ranges(true)), 2 + 2 * 3 + 1);
}
