//! Keys that only the host writes: every operation beside a model, with a packet in every clock in which one may be there; tables that are
//! filled to the last entry; and how many keys move for one that comes.

use crate::answers::{BAD_INDEX, DONE, EXISTS, FULL, MISSING, REFUSED};
use crate::around_cuckoo::around;
use crate::bench::Bench;
use hardpath_blocks::cuckoo::{Cuckoo, AGAIN, MOST_MOVES};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_testkit::Random;
use std::collections::{BTreeMap, VecDeque};

type Limbs = Vec<u64>;

fn config(max_entries: u32, key_bits: u32, registers: bool) -> Cuckoo {
    Cuckoo {
        name: "cuckoo".into(),
        map: "map".into(),
        key_bits,
        value_bits: 36,
        max_entries,
        registers,
    }
}

struct Run {
    bench: Bench,
    config: Cuckoo,
    model: BTreeMap<Limbs, u64>,
    /// Of the slots inside, the oldest first: what a packet must find.
    inside: VecDeque<Option<Option<u64>>>,
    random: Random,
    /// Keys that packets ask for.
    asked: Vec<Limbs>,
    hits: u64,
    /// Slots that the last operation took.
    slots: u32,
}

impl Run {
    fn new(config: Cuckoo, seed: u64) -> Run {
        let mut bench = Bench::new(&around(&config));
        bench.set("clear", 1);
        for row in 0..Cuckoo::rows(config.max_entries) {
            bench.set("clear_index", u64::from(row));
            bench.step();
        }
        bench.set("clear", 0);
        let clocks = 1 + Cuckoo::answer_clocks(config.registers);
        Run {
            bench,
            model: BTreeMap::new(),
            inside: vec![None; clocks as usize].into(),
            random: Random::new(seed),
            asked: Vec::new(),
            config,
            hits: 0,
            slots: 0,
        }
    }

    fn key(&mut self) -> Limbs {
        let bits = self.config.key_bits;
        let limbs = (0..bits.div_ceil(64)).map(|_| self.random.next());
        let mut key: Limbs = limbs.collect();
        if !bits.is_multiple_of(64) {
            *key.last_mut().unwrap() &= (1 << (bits % 64)) - 1;
        }
        key
    }

    /// A clock with what enters in it; what comes out in it is compared.
    fn step(&mut self, enters: Option<Option<u64>>) {
        self.inside.push_back(enters);
        self.bench.step();
        let comes = self.inside.pop_front().unwrap();
        if let Some(expected) = comes {
            let hit = self.bench.get("hit") == 1;
            assert_eq!(hit, expected.is_some(), "whether a key is found");
            if let Some(value) = expected {
                assert_eq!(self.bench.get("value"), value);
                self.hits += 1;
            }
        }
    }

    fn idle(&mut self) {
        self.step(None);
    }

    fn packets(&mut self, count: u32) {
        for _ in 0..count {
            let key = match self.random.below(4) {
                0 => self.key(),
                _ if self.asked.is_empty() => self.key(),
                _ => self.random.pick(&self.asked).clone(),
            };
            self.bench.set_wide("key", &key);
            let expected = self.model.get(&key).copied();
            self.step(Some(expected));
        }
    }

    /// Lets an operation of the host through: its answer. Packets stand in every slot but the three behind its own.
    fn operation(&mut self, code: u32, key: &Limbs, value: u64, may: May, slot: u32) -> u64 {
        self.bench.set_wide("host_key", key);
        self.bench.set("host_value", value);
        self.bench.set("host_command", u64::from(code));
        self.bench.set("host_may", u64::from(may.bits()));
        self.bench.set("host_slot", u64::from(slot));
        self.packets(2);
        self.slots = 0;
        loop {
            self.slots += 1;
            assert!(self.slots < MOST_MOVES + 3, "it comes to an end");
            self.bench.set("host", 1);
            self.step(None);
            self.bench.set("host", 0);
            for _ in 0..3 {
                self.idle();
            }
            // What was there is still there, and found, whichever key moves.
            match code {
                command::UPDATE if self.slots == 1 => self.note(key, value, may),
                command::DELETE if self.slots == 1 => {
                    self.model.remove(key);
                    self.asked.retain(|asked| asked != key);
                }
                _ => {}
            }
            let behind = self.inside.len() as u32;
            self.packets(behind);
            let answer = self.bench.get("host_answer");
            if answer != AGAIN {
                return answer;
            }
        }
    }

    /// What an update does to the model. From its first slot on it is seen.
    fn note(&mut self, key: &Limbs, value: u64, may: May) {
        let there = self.model.contains_key(key);
        let room = self.model.len() < self.config.max_entries as usize;
        if there && may.replace || !there && may.create && room {
            self.model.insert(key.clone(), value);
        }
    }

    fn update(&mut self, key: &Limbs, may: May) -> u64 {
        let there = self.model.contains_key(key);
        let full = self.model.len() == self.config.max_entries as usize;
        let value = self.random.below(1 << 36);
        let answer = self.operation(command::UPDATE, key, value, may, 0);
        let expected = match (there, may) {
            (_, May::NOTHING) => REFUSED,
            (true, May::CREATE) => EXISTS,
            (false, May::REPLACE) => MISSING,
            (false, _) if full => FULL,
            _ => DONE,
        };
        assert_eq!(answer, expected, "{} entries", self.model.len());
        if answer == DONE && !there {
            self.asked.push(key.clone());
        }
        answer
    }

    fn delete(&mut self, key: &Limbs) {
        let there = self.model.contains_key(key);
        let answer = self.operation(command::DELETE, key, 0, May::NOTHING, 0);
        assert_eq!(answer, [MISSING, DONE][usize::from(there)]);
    }

    fn lookup(&mut self, key: &Limbs) {
        let answer = self.operation(command::LOOKUP, key, 0, May::NOTHING, 0);
        match self.model.get(key) {
            Some(value) => {
                assert_eq!(answer, DONE);
                assert_eq!(self.bench.get("host_value_out"), *value);
            }
            None => assert_eq!(answer, MISSING),
        }
    }

    /// All that is there, as dumps find it.
    fn dump(&mut self) {
        let slots = Cuckoo::slots(self.config.max_entries);
        let mut found = BTreeMap::new();
        let mut slot = 0;
        while slot < slots {
            match self.operation(command::DUMP, &vec![0; 8], 0, May::NOTHING, slot) {
                DONE => {
                    let key = self.bench.get_wide("host_key_out");
                    assert_eq!(self.bench.get("host_slot_out"), u64::from(slot));
                    let value = self.bench.get("host_value_out");
                    assert_eq!(found.insert(key, value), None);
                    slot += 1;
                }
                MISSING => {
                    let last = self.bench.get("host_slot_out") as u32;
                    assert!((slot..slot / 4 * 4 + 4).contains(&last), "{slot} to {last}");
                    slot = last + 1;
                }
                other => panic!("answer {other}"),
            }
        }
        assert_eq!(found, self.model);
        let beyond = self.operation(command::DUMP, &vec![0; 8], 0, May::NOTHING, slots);
        assert_eq!(beyond, BAD_INDEX);
    }
}

#[test]
fn random_operations_in_traffic() {
    for (number, (entries, bits, registers)) in [
        (1, 16, false),
        (5, 72, true),
        (30, 40, false),
        (80, 288, true),
        (96, 8, false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut run = Run::new(config(entries, bits, registers), number as u64);
        let pool: Vec<Limbs> = (0..entries * 3 / 2 + 2).map(|_| run.key()).collect();
        for _ in 0..500 {
            let key = run.random.pick(&pool).clone();
            let may = May::ALL[[3, 3, 3, 1, 2, 0][run.random.below(6) as usize]];
            match run.random.below(8) {
                0..=4 => {
                    run.update(&key, may);
                }
                5 => run.delete(&key),
                _ => run.lookup(&key),
            }
            let count = run.random.below(20) as u32;
            run.packets(count);
        }
        run.dump();
        assert!(run.hits > 500, "{} hits", run.hits);
    }
}

/// Up to the last entry, at the highest load that there is, and out again; keys that count up, too.
#[test]
fn a_table_is_full_at_its_size() {
    // Half of the rows are taken.
    let mut most = 0;
    for (entries, counts_up) in [(48, false), (48, true), (96, true)] {
        let mut run = Run::new(config(entries, 48, false), u64::from(entries));
        for number in 0..entries {
            let key = match counts_up {
                true => vec![0x1000 + u64::from(number)],
                false => run.key(),
            };
            assert_eq!(run.update(&key, May::CREATE), DONE, "entry {number}");
            most = most.max(run.slots);
        }
        let key = run.key();
        assert_eq!(run.update(&key, May::PUT), FULL);
        run.dump();
        while let Some(key) = run.asked.last().cloned() {
            run.delete(&key);
        }
        run.dump();
    }
    assert!(most > 2, "several keys moved for one");
}

/// The same in software: moves for each new key, the most of them, and whether one stays in the stash.
fn moves(entries: u32, key: &mut dyn FnMut(u32) -> u64, random: &mut Random) -> (u64, u32, bool) {
    let rows = Cuckoo::rows(entries) as usize;
    let mut ways: [Vec<Option<u64>>; 3] = std::array::from_fn(|_| vec![None; rows]);
    let (mut all, mut most) = (0, 0);
    for number in 0..entries {
        let (mut held, mut from) = (key(number), random.below(3) as usize);
        let mut moved = 0;
        loop {
            let at = Cuckoo::rows_of(&[held], 48, entries);
            let free = (0..3).find(|way| ways[*way][at[*way] as usize].is_none());
            if let Some(way) = free {
                ways[way][at[way] as usize] = Some(held);
                break;
            }
            if moved == MOST_MOVES {
                return (all, MOST_MOVES, true);
            }
            let way = (from + 1 + random.below(2) as usize) % 3;
            held = ways[way][at[way] as usize].replace(held).unwrap();
            from = way;
            moved += 1;
        }
        all += u64::from(moved);
        most = most.max(moved);
    }
    (all, most, false)
}

/// Tables of powers of two are two thirds full, or a third; half and three quarters are the worst that there is.
#[test]
fn keys_move_a_little() {
    let mut random = Random::new(1);
    for (entries, average, longest) in [
        (48, 0.1, 50),
        (96, 0.1, 50),
        (1024, 0.2, 60),
        (4096, 0.2, 80),
        (1152, 0.4, 100),
    ] {
        let (mut all, mut most) = (0, 0);
        let rounds = 30;
        for round in 0..rounds {
            let mut seen = std::collections::BTreeSet::new();
            let base = random.next();
            let mut draw = Random::new(base);
            let mut key = |number: u32| match round % 3 {
                0 => (base >> 20) + u64::from(number),
                1 => (base & 0xffff_0000_0000) | u64::from(number) << 8,
                _ => loop {
                    let key = draw.next() >> 16;
                    if seen.insert(key) {
                        return key;
                    }
                },
            };
            let (moved, longest, stuck) = moves(entries, &mut key, &mut random);
            assert!(!stuck, "a key of {entries} stays in the stash");
            all += moved;
            most = most.max(longest);
        }
        let each = all as f64 / f64::from(rounds) / f64::from(entries);
        println!("{entries}: {each:.2} moves for a key, {most} at most");
        assert!(each < average && most <= longest, "{each} {most}");
    }
}
