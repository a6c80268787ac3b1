//! How well a full table keeps the keys that come again, beside caches without places that forget the key used longest ago
//! (LRU) or any key. All have as many keys; compared is where the table's hit rate lies between theirs.

use crate::bench::Bench;
use crate::hash_bench::design;
use hardpath_blocks::hash::{buckets, Evicts, Hash, HashPort};
use hardpath_rtl::{Design, Module, Reg};
use hardpath_testkit::Random;
use std::collections::{BTreeMap, HashMap, VecDeque};

const ENTRIES: u32 = 512;
const LOOKUPS: usize = 60_000;
const KEY_BITS: u32 = 32;

/// Keys with Zipf's distribution of exponent 1, twice as many as places.
fn zipf(random: &mut Random) -> Vec<u64> {
    let mut sums = Vec::new();
    let mut sum = 0.0;
    for rank in 1..=2 * ENTRIES {
        sum += 1.0 / f64::from(rank);
        sums.push(sum);
    }
    let mut key = || {
        let at = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
        spread(sums.partition_point(|sum| *sum <= at) as u64)
    };
    (0..LOOKUPS).map(|_| key()).collect()
}

/// Half of the lookups are of new keys, the others of a hot set a quarter as large as the table.
fn flood(random: &mut Random) -> Vec<u64> {
    let hot = u64::from(ENTRIES / 4);
    let key = |number: usize| match random.below(2) {
        0 => spread(1_000_000 + number as u64),
        _ => spread(random.below(hot)),
    };
    (0..LOOKUPS).map(key).collect()
}

/// Numbers as keys that look like addresses.
fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b1) & 0xffff_ffff
}

/// Hits in the second half of the lookups, in percent, and the average number of keys there.
struct Rate {
    hits: f64,
    keys: f64,
}

fn config(evicts: Evicts) -> Hash {
    let commit_after = match evicts {
        Evicts::FirstBucket => 3,
        _ => 0,
    };
    Hash {
        name: "keys".into(),
        map: "map".into(),
        key_bits: KEY_BITS,
        max_entries: ENTRIES,
        ports: vec![HashPort {
            commit_after,
            updates: true,
            may: None,
            deletes: false,
            slot: 0,
        }],
        forward: true,
        registers: false,
        evicts,
        foreign: false,
        bounded: false,
        holds: 0,
    }
}

/// A packet a clock looks its key up and puts it in; an interlock keeps packets of one bucket apart.
fn table(config: &Hash, design: &Design, keys: &[u64]) -> Rate {
    let mut bench = Bench::new(design);
    bench.reset(2);
    let inside = 2 + Hash::answer_clocks(config.registers) + config.ports[0].commit_after;
    let mut recent: VecDeque<Option<u64>> = VecDeque::new();
    let mut rest = keys.iter().copied().peekable();
    let (mut live, mut seen) = (0_u64, 0_usize);
    let mut rate = Rate {
        hits: 0.0,
        keys: 0.0,
    };
    while seen < keys.len() {
        let bucket = |key: u64| buckets(&[key], KEY_BITS, ENTRIES)[0];
        let waits = |key: &u64| {
            let mut inside = recent.iter().flatten();
            config.evicts == Evicts::FirstBucket
                && inside.any(|older| bucket(*older) == bucket(*key))
        };
        let key = rest.next_if(|key| !waits(key));
        bench.set("key", key.unwrap_or(0));
        bench.set("update", key.is_some().into());
        bench.set("uses", key.is_some().into());
        bench.step();
        recent.push_back(key);
        let commits = match recent.len() >= inside as usize {
            true => recent.pop_front().flatten(),
            false => None,
        };
        if commits.is_none() {
            continue;
        }
        let put = bench.get("puts");
        live += put - bench.get("forgets");
        seen += 1;
        if seen > keys.len() / 2 {
            rate.hits += 1.0 - put as f64;
            rate.keys += live as f64;
        }
    }
    let half = (keys.len() - keys.len() / 2) as f64;
    Rate {
        hits: 100.0 * rate.hits / half,
        keys: rate.keys / half,
    }
}

/// A cache of so many keys that forgets the one used longest ago.
fn lru(size: usize, keys: &[u64]) -> f64 {
    let mut last: HashMap<u64, usize> = HashMap::new();
    let mut order: BTreeMap<usize, u64> = BTreeMap::new();
    let mut hits = 0;
    for (now, key) in keys.iter().enumerate() {
        if let Some(before) = last.insert(*key, now) {
            order.remove(&before);
            hits += usize::from(now >= keys.len() / 2);
        } else if order.len() >= size {
            let (_, oldest) = order.pop_first().expect("it is full");
            last.remove(&oldest);
        }
        order.insert(now, *key);
    }
    100.0 * hits as f64 / (keys.len() - keys.len() / 2) as f64
}

/// A cache of so many keys that forgets any of them.
fn at_random(size: usize, keys: &[u64], random: &mut Random) -> f64 {
    let mut held: Vec<u64> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut hits = 0;
    for (now, key) in keys.iter().enumerate() {
        if places.contains_key(key) {
            hits += usize::from(now >= keys.len() / 2);
        } else if held.len() < size {
            places.insert(*key, held.len());
            held.push(*key);
        } else {
            let place = random.below(size as u64) as usize;
            places.remove(&std::mem::replace(&mut held[place], *key));
            places.insert(*key, place);
        }
    }
    100.0 * hits as f64 / (keys.len() - keys.len() / 2) as f64
}

/// What a design gains over forgetting at random, in points, and as a part of what LRU gains.
fn gain(what: &str, config: &Hash, design: &Design, keys: &[u64]) -> (f64, f64) {
    let rate = table(config, design, keys);
    let size = rate.keys.round() as usize;
    let lru = lru(size, keys);
    let random = at_random(size, keys, &mut Random::new(5));
    let gain = rate.hits - random;
    let part = gain / (lru - random);
    println!(
        "{what}: {:.2} % hits with {size} keys; LRU {lru:.2}, at random {random:.2}: {:.0} % of the way",
        rate.hits,
        100.0 * part
    );
    (gain, part)
}

fn loads() -> [(&'static str, Vec<u64>); 2] {
    [
        ("Zipf", zipf(&mut Random::new(11))),
        ("flood", flood(&mut Random::new(12))),
    ]
}

/// With eight candidates a table is at least 40 % of the way from forgetting at random to LRU, with two not more than half a
/// point worse than at random.
#[test]
fn keys_that_come_again_stay() {
    for (load, keys) in loads() {
        let eight = config(Evicts::Candidates);
        let (_, part) = gain(&format!("{load}, eight"), &eight, &design(&eight), &keys);
        assert!(part >= 0.4, "{load}: {part}");
        let two = config(Evicts::FirstBucket);
        let (points, _) = gain(&format!("{load}, two"), &two, &design(&two), &keys);
        assert!(points >= -0.5, "{load}: {points}");
    }
}

/// A table that forgets any of its candidates does not pass for one that keeps what comes again.
#[test]
fn forgetting_at_random_shows() {
    for (load, keys) in loads() {
        let config = config(Evicts::Candidates);
        let mut design = design(&config);
        let mut compares = 0;
        for module in design.modules.values_mut() {
            compares += compare_noise(module);
        }
        assert_eq!(compares, 28, "pairs of candidates");
        let (_, part) = gain(&format!("{load}, any of eight"), &config, &design, &keys);
        assert!(part < 0.4, "{load}: {part}");
    }
}

/// Who is older than whom is noise: who goes is anyone of the candidates. Gives the number of compares.
fn compare_noise(module: &mut Module) -> usize {
    let pair = |name: &str| {
        let (one, other) = name
            .strip_prefix("place_")?
            .strip_suffix("_2nd")?
            .split_once("_before_")?;
        Some((one.parse::<u32>().ok()?, other.parse::<u32>().ok()?))
    };
    let compares: Vec<(Reg, (u32, u32))> = (module.regs.iter())
        .filter_map(|(reg, data)| Some((reg, pair(&data.name)?)))
        .collect();
    if compares.is_empty() {
        return 0;
    }
    // xorshift32 (Marsaglia, "Xorshift RNGs").
    let (reg, noise) = module.reg_reset("noise", 32, 0x1234_5678);
    let mut next = noise;
    for (left, bits) in [(true, 13), (false, 17), (true, 5)] {
        let zeros = module.zero(bits);
        let shifted = match left {
            true => {
                let low = module.slice(next, 0, 32 - bits);
                module.concat(&[low, zeros])
            }
            false => {
                let high = module.slice(next, bits, 32 - bits);
                module.concat(&[zeros, high])
            }
        };
        next = module.xor(&[next, shifted]);
    }
    module.set_next(reg, next);
    for (reg, (one, other)) in &compares {
        let of_one = module.slice(noise, 4 * one, 4);
        let of_other = module.slice(noise, 4 * other, 4);
        let before = module.ule(of_other, of_one);
        module.regs[*reg].next = Some(before);
    }
    compares.len()
}
