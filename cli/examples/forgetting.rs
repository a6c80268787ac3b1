//! What full LRU maps keep: `syn_filter` as hardware and in the running kernel, beside caches that forget the key used
//! longest ago, or any key.
//!
//! ```text
//! make bench-lru         (needs root)
//! ```
//!
//! Every packet is the SYN of a source. It passes when the map still knows the source, else it is dropped and the source is
//! put in: so verdicts are hits and misses. Counted is the second half of the packets.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::LoadOptions;
use hardpath_ir::maps::Image;
use hardpath_kernel::xdp;
use hardpath_oracle::{JudgeOptions, KernelJudge, Verdict};
use hardpath_packet::{Fate, Packet, Sideband};
use hardpath_pipeline::Options;
use hardpath_testbed::host::{self, Host};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{self, RunOptions};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::ExitCode;

const LOOKUPS: usize = 120_000;
const SIZES: [u32; 3] = [256, 1_000, 4_096];

fn main() -> ExitCode {
    let page = std::env::args()
        .skip_while(|argument| argument != "--docs")
        .nth(1);
    let text = match measure() {
        Ok(text) => text,
        Err(errors) => {
            for error in errors {
                eprintln!("{error}");
            }
            return ExitCode::FAILURE;
        }
    };
    let written = match page {
        Some(page) => std::fs::write(page, text),
        None => {
            print!("{text}");
            Ok(())
        }
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the page cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(HEAD);
    for entries in SIZES {
        for (load, keys) in [("Zipf", zipf(entries)), ("flood", flood(entries))] {
            let hardware = in_hardware(entries, &keys)?;
            let kernel = in_kernel(entries, &keys)?;
            for (who, kept) in [("hardpath", &hardware), ("kernel", &kernel)] {
                let lru = lru(kept.keys, &keys);
                let random = at_random(kept.keys, &keys);
                let part = 100.0 * (kept.hits - random) / (lru - random);
                text.push_str(&format!(
                    "| {entries} | {load} | {who} | {} | {:.1} | {lru:.1} | {random:.1} | {part:.0} % |\n",
                    kept.keys, kept.hits
                ));
            }
        }
    }
    text.push_str(&format!(
        "\nKernel: Linux {}.\n",
        hardpath_oracle::kernel::version()
    ));
    Ok(text)
}

const HEAD: &str = "# What full LRU maps keep

`make bench-lru` wrote this page. `syn_filter`'s map of sources has `max_entries` of the first column. Each packet looks a source
up, and puts it in where it is not. *Zipf*: sources by Zipf's law with exponent 1, twice as many as `max_entries`; *flood*: half
of the packets come from new sources, the others from a quarter of `max_entries`. *keys*: what the map holds at the end.
Beside the hits in percent stand those of a cache with as many keys that forgets the key used longest ago (*LRU*), and of one that
forgets any (*random*), and how far the map is on the way from the latter to the former; more than all of it is where keys
that come once go before those that came again. In this design eight slots are asked (see
[architecture.md](architecture.md)); where an interlock stands in front of the keys it is two, and the hits are those of *random*.

| max_entries | load | map of | keys | hits % | LRU % | random % | on the way |
|--:|---|---|--:|--:|--:|--:|--:|
";

/// Hits in percent, and the keys at the end.
struct Kept {
    hits: f64,
    keys: usize,
}

fn object(entries: u32) -> Result<hardpath_ebpf::Object, Vec<Diagnostic>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../build/programs/syn_filter.o");
    let bytes = std::fs::read(&path).map_err(|error| {
        vec![Diagnostic::input("cannot-read", error.to_string()).at(Place::of_file(path.display()))]
    })?;
    let options = LoadOptions {
        max_entries: [("sources".to_string(), entries)].into(),
        ..LoadOptions::default()
    };
    hardpath_ebpf::load(&bytes, "syn_filter.o", &options)
}

/// Any time between two SYNs is right.
fn settings() -> Image {
    let longest = [[0; 8], [0xff; 8]].concat();
    Image::from([("config".into(), [(vec![0; 4], longest)].into())])
}

fn in_hardware(entries: u32, keys: &[u32]) -> Result<Kept, Vec<Diagnostic>> {
    let object = object(entries)?;
    let image = object.choose(None).map_err(one)?;
    let program = hardpath_ebpf::lift(&object, image)?;
    let compiled = hardpath_pipeline::compile(program, &Options::default())?;
    let mut native = Native::new(&compiled.design).map_err(one)?;
    host::reset(&mut native, &compiled.interface).map_err(one)?;
    let mut host = Host::new(&mut native, &compiled.interface).map_err(one)?;
    host.load_image(&mut native, &settings()).map_err(one)?;
    let packets: Vec<Packet> = (keys.iter().enumerate())
        .map(|(number, key)| Packet {
            data: syn(*key),
            time_ns: number as u64,
            ..Packet::default()
        })
        .collect();
    let result = run::run(
        &mut native,
        &compiled.interface,
        &packets,
        &RunOptions::default(),
    );
    let outcomes = result.map_err(one)?.outcomes;
    let verdicts = outcomes.iter().flatten().map(Fate::first_output);
    let hits = hits(verdicts);
    let maps = host.dump_image(&mut native).map_err(one)?;
    Ok(Kept {
        hits,
        keys: maps["sources"].len(),
    })
}

fn in_kernel(entries: u32, keys: &[u32]) -> Result<Kept, Vec<Diagnostic>> {
    let object = object(entries)?;
    let image = object.choose(None).map_err(one)?;
    let options = JudgeOptions {
        image: settings(),
        tight: true,
        ..JudgeOptions::default()
    };
    let mut judge = KernelJudge::start(&object, image, &options).map_err(one)?;
    let context = |number: usize| Sideband {
        ingress: 1,
        time_ns: number as u64,
        ..Sideband::default()
    };
    let packets: Vec<(Vec<u8>, Sideband)> = (keys.iter().enumerate())
        .map(|(number, key)| (syn(*key), context(number)))
        .collect();
    let outcomes = judge.run_all(&packets).map_err(one)?;
    let verdicts = outcomes.iter().map(|outcome| match outcome {
        Verdict::Judged(outcome) => outcome.first_output(),
        Verdict::CannotJudge(_) => xdp::ABORTED,
    });
    let hits = hits(verdicts);
    let maps = judge.image().map_err(one)?;
    Ok(Kept {
        hits,
        keys: maps["sources"].len(),
    })
}

fn hits(verdicts: impl Iterator<Item = u64>) -> f64 {
    let passed = verdicts.skip(LOOKUPS / 2).filter(|one| *one == xdp::PASS);
    100.0 * passed.count() as f64 / (LOOKUPS / 2) as f64
}

/// The SYN of a source: Ethernet, IPv4, TCP.
fn syn(source: u32) -> Vec<u8> {
    let mut frame = vec![0; 60];
    frame[12..14].copy_from_slice(&[0x08, 0x00]);
    frame[14] = 0x45;
    frame[17] = 40;
    frame[22] = 64;
    frame[23] = 6;
    frame[26..30].copy_from_slice(&source.to_be_bytes());
    frame[30..34].copy_from_slice(&[192, 0, 2, 1]);
    frame[46] = 0x50;
    frame[47] = 0x02;
    frame
}

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Numbers as addresses.
fn address(number: u64) -> u32 {
    0x0a00_0000 + number as u32
}

fn zipf(entries: u32) -> Vec<u32> {
    let mut random = Random(11);
    let mut sum = 0.0;
    let mut sums = Vec::new();
    for rank in 1..=2 * entries {
        sum += 1.0 / f64::from(rank);
        sums.push(sum);
    }
    let mut key = || {
        let at = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
        address(sums.partition_point(|sum| *sum <= at) as u64)
    };
    (0..LOOKUPS).map(|_| key()).collect()
}

fn flood(entries: u32) -> Vec<u32> {
    let mut random = Random(12);
    let hot = u64::from(entries / 4);
    let key = |number: usize| match random.below(2) {
        0 => address(1_000_000 + number as u64),
        _ => address(random.below(hot)),
    };
    (0..LOOKUPS).map(key).collect()
}

fn lru(size: usize, keys: &[u32]) -> f64 {
    let mut last: HashMap<u32, usize> = HashMap::new();
    let mut order: BTreeMap<usize, u32> = BTreeMap::new();
    let mut hits = 0;
    for (now, key) in keys.iter().enumerate() {
        if let Some(before) = last.insert(*key, now) {
            order.remove(&before);
            hits += usize::from(now >= LOOKUPS / 2);
        } else if order.len() >= size {
            if let Some((_, oldest)) = order.pop_first() {
                last.remove(&oldest);
            }
        }
        order.insert(now, *key);
    }
    100.0 * hits as f64 / (LOOKUPS / 2) as f64
}

fn at_random(size: usize, keys: &[u32]) -> f64 {
    let mut random = Random(5);
    let mut held: Vec<u32> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut hits = 0;
    for (now, key) in keys.iter().enumerate() {
        if places.contains_key(key) {
            hits += usize::from(now >= LOOKUPS / 2);
        } else if held.len() < size {
            places.insert(*key, held.len());
            held.push(*key);
        } else {
            let place = random.below(size as u64) as usize;
            places.remove(&std::mem::replace(&mut held[place], *key));
            places.insert(*key, place);
        }
    }
    100.0 * hits as f64 / (LOOKUPS / 2) as f64
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
