//! How well tables fill. A key that finds no room below `max_entries` is the one honest difference to the kernel; here
//! it is counted.
//!
//! Measured with these functions (way by way, keys inserted until `max_entries`): see the test that prints. Random keys
//! and structured ones (counted up, in either byte order, addresses and ports of flows) in tables from 1 to 65,536
//! entries.

use crate::hash_bench::{config, Change, Key, Table};
use hardpath_blocks::hash::{buckets, Hash, SLOTS, WAYS};
use hardpath_blocks::may::May;
use hardpath_testkit::Random;
use std::collections::HashSet;

/// How keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Random,
    /// 0, 1, 2, … in memory order.
    Counted,
    /// The same in network byte order.
    CountedBig,
    /// Multiples of 256.
    Strided,
    /// Flows: two addresses and two ports that count up, and a protocol (13 bytes).
    Flows,
}

const PATTERNS: [Pattern; 5] = [
    Pattern::Random,
    Pattern::Counted,
    Pattern::CountedBig,
    Pattern::Strided,
    Pattern::Flows,
];

impl Pattern {
    fn key_bits(self) -> u32 {
        if self == Pattern::Flows {
            104
        } else {
            32
        }
    }

    /// Key number `number` of a table; `seed` makes tables differ.
    fn key(self, number: u64, seed: u64, random: &mut Random) -> Key {
        let base = Random::new(seed).next();
        match self {
            Pattern::Random => vec![random.next() & 0xffff_ffff],
            Pattern::Counted => vec![(base + number) & 0xffff_ffff],
            Pattern::CountedBig => vec![u64::from((base.wrapping_add(number) as u32).swap_bytes())],
            Pattern::Strided => vec![(base + number * 256) & 0xffff_ffff | number >> 24],
            Pattern::Flows => {
                let source =
                    (0x0a00_0000 + (base as u32 & 0xffff) + number as u32 / 64).swap_bytes();
                let target = 0xc0a8_0001u32.swap_bytes();
                let ports = u64::from((1024 + number as u16 % 64).swap_bytes()) | 0x5000 << 16;
                vec![u64::from(source) | u64::from(target) << 32, ports | 6 << 32]
            }
        }
    }
}

/// The table's rule in software: the first free slot of the emptiest of a key's buckets, the leftmost way first.
struct Soft {
    key_bits: u32,
    max_entries: u32,
    taken: Vec<u8>,
}

impl Soft {
    fn new(key_bits: u32, max_entries: u32) -> Soft {
        Soft {
            key_bits,
            max_entries,
            taken: vec![0; (Hash::rows(max_entries) * WAYS) as usize],
        }
    }

    /// The bucket that a new key went to.
    fn insert(&mut self, key: &Key) -> Option<usize> {
        let rows = Hash::rows(self.max_entries) as usize;
        let buckets = buckets(key, self.key_bits, self.max_entries);
        let places = (0..WAYS as usize).map(|way| way * rows + buckets[way] as usize);
        let best = places.min_by_key(|bucket| self.taken[*bucket])?;
        let fits = u32::from(self.taken[best]) < SLOTS;
        fits.then(|| {
            self.taken[best] += 1;
            best
        })
    }

    fn clear(&mut self) {
        self.taken.fill(0);
    }
}

fn distinct(pattern: Pattern, count: u64, seed: u64) -> Vec<Key> {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut seen = HashSet::new();
    let mut keys = Vec::new();
    let mut number = 0;
    while (keys.len() as u64) < count {
        let key = pattern.key(number, seed, &mut random);
        number += 1;
        if seen.insert(key.clone()) {
            keys.push(key);
        }
    }
    keys
}

/// The hardware filled to its last entry, with new keys back to back.
#[test]
fn tables_fill_to_their_last_entry() {
    for max_entries in [
        1, 2, 4, 5, 8, 13, 16, 32, 33, 64, 100, 128, 256, 1000, 1024, 4096, 10_000,
    ] {
        for pattern in PATTERNS {
            let mut table = Table::new(config(max_entries, pattern.key_bits(), 1));
            table.may_fail = true;
            let rounds = (2000 / u64::from(max_entries)).clamp(1, 6);
            for round in 0..rounds {
                let keys = distinct(pattern, u64::from(max_entries) + 3, round);
                for key in &keys {
                    table.packet(key, Change::Update { may: May::CREATE });
                }
                table.settle();
                let what = format!("{max_entries} entries, {pattern:?}, round {round}");
                assert_eq!(table.failures, 0, "{what}");
                assert_eq!(table.model.len(), max_entries as usize, "{what}");
                for key in &keys {
                    table.packet(key, Change::Nothing);
                }
                table.settle();
                if max_entries <= 256 {
                    table.compare();
                }
                table.clear();
            }
        }
    }
}

/// Fills of one kind, in software.
struct Statistics {
    tables: u64,
    inserts: u64,
    /// Inserts that found no room.
    failed: u64,
    tables_with_failure: u64,
}

fn fill(soft: &mut Soft, pattern: Pattern, max_entries: u32, tables: u64) -> Statistics {
    let mut statistics = Statistics {
        tables,
        inserts: 0,
        failed: 0,
        tables_with_failure: 0,
    };
    for seed in 0..tables {
        soft.clear();
        let keys = distinct(pattern, max_entries.into(), seed + 1000);
        let failed = keys.iter().filter(|key| soft.insert(key).is_none()).count() as u64;
        statistics.inserts += keys.len() as u64;
        statistics.failed += failed;
        statistics.tables_with_failure += u64::from(failed > 0);
    }
    statistics
}

/// A full table in which old keys make room for new ones, over and over. Gives (inserts, failures).
fn churn(soft: &mut Soft, max_entries: u32, inserts: u64) -> (u64, u64) {
    soft.clear();
    let mut random = Random::new(77);
    let mut present: Vec<usize> = Vec::new();
    let mut failed = 0;
    for _ in 0..inserts + u64::from(max_entries) {
        if present.len() == max_entries as usize {
            let place = random.below(u64::from(max_entries)) as usize;
            let bucket = present.swap_remove(place);
            soft.taken[bucket] -= 1;
        }
        match soft.insert(&vec![random.next() & 0xffff_ffff]) {
            Some(bucket) => present.push(bucket),
            None => failed += 1,
        }
    }
    (inserts, failed)
}

/// What the documentation says about capacity. `HARDPATH_FULL=1` fills enough tables for figures, and
/// `--nocapture` shows them.
#[test]
fn capacity_in_figures() {
    let full = std::env::var_os("HARDPATH_FULL").is_some();
    println!("entries   keys        tables   inserts      failed   tables with a failure");
    for max_entries in [
        1, 4, 8, 16, 32, 48, 96, 128, 256, 768, 1024, 3072, 16_384, 65_536,
    ] {
        for pattern in PATTERNS {
            let mut soft = Soft::new(pattern.key_bits(), max_entries);
            let budget = if full { 20_000_000 } else { 100_000 };
            let tables =
                (budget / u64::from(max_entries)).clamp(1, if full { 1_000_000 } else { 2000 });
            let found = fill(&mut soft, pattern, max_entries, tables);
            println!(
                "{max_entries:7}   {:10} {:7} {:9} {:11} {:8}",
                format!("{pattern:?}"),
                found.tables,
                found.inserts,
                found.failed,
                found.tables_with_failure
            );
            // One in a million at most.
            assert!(
                found.failed * 1_000_000 <= found.inserts,
                "{max_entries} entries, {pattern:?}: {}",
                found.failed
            );
        }
        let mut soft = Soft::new(32, max_entries);
        let (inserts, failed) = churn(
            &mut soft,
            max_entries,
            if full { 30_000_000 } else { 200_000 },
        );
        println!("{max_entries:7}   kept full           {inserts:9} {failed:11}");
        assert!(
            failed * 1_000_000 <= inserts,
            "{max_entries} entries, kept full: {failed}"
        );
    }
}
