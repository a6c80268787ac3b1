//! The packet memory beside one of bytes: loads, stores, lines and reads at all alignments, around the end of the ring, and when each
//! is seen.

use crate::bench::{numbered, Bench};
use hardpath_core::hardware::packets::memory::{
    memory, Memory, LOAD_CLOCKS, READ_CLOCKS, READ_LATER, STORE_CLOCKS,
};
use hardpath_core::hardware::packets::Ring;
use hardpath_testkit::Random;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Access {
    address: usize,
    first: usize,
    end: usize,
    data: u64,
}

fn access(random: &mut Random, bytes: usize, near: Option<usize>) -> Access {
    let address = match near {
        Some(near) => (near + random.below(24) as usize + bytes - 12) % bytes,
        None => random.below(bytes as u64) as usize,
    };
    let first = match random.below(2) {
        0 => 0,
        _ => random.below(9) as usize,
    };
    let end = match random.below(2) {
        0 => 8,
        _ => first + random.below(9 - first as u64) as usize,
    };
    Access {
        address,
        first,
        end,
        data: random.next(),
    }
}

fn whole_line(index: usize) -> Access {
    Access {
        address: index * 64,
        first: 0,
        end: 64,
        data: 0,
    }
}

/// What the memory holds when everything is written that it was given.
struct Model {
    bytes: Vec<u8>,
    written: Vec<bool>,
    /// When each byte was last given a value, by clock.
    changed: Vec<u64>,
}

impl Model {
    fn new(config: &Memory) -> Model {
        let bytes = config.ring.lines as usize * 64;
        Model {
            bytes: vec![0; bytes],
            written: vec![false; bytes],
            changed: vec![0; bytes],
        }
    }

    fn store(&mut self, store: &Access, clock: u64) {
        for byte in store.first..store.end {
            let at = (store.address + byte) % self.bytes.len();
            self.bytes[at] = store.data.to_le_bytes()[byte];
            self.written[at] = true;
            self.changed[at] = clock;
        }
    }

    fn line(&mut self, line: usize, data: &[u8], clock: u64) {
        self.bytes[line * 64..][..64].copy_from_slice(data);
        self.written[line * 64..][..64].fill(false);
        self.changed[line * 64..][..64].fill(clock);
    }

    fn load(&self, load: &Access) -> u64 {
        let byte = |byte: usize| match (load.first..load.end).contains(&byte) {
            true => self.bytes[(load.address + byte) % self.bytes.len()],
            false => 0,
        };
        u64::from_le_bytes(std::array::from_fn(byte))
    }

    /// Whether a load sees bytes that are all older than so many clocks.
    fn is_settled(&self, load: &Access, clock: u64, clocks: u32) -> bool {
        let mut bytes = load.first..load.end;
        bytes.all(|byte| {
            let changed = self.changed[(load.address + byte) % self.bytes.len()];
            changed == 0 || changed + u64::from(clocks) <= clock
        })
    }
}

fn set_store(bench: &mut Bench, number: usize, store: Option<Access>, random: &mut Random) {
    bench.set(&numbered("store_valid", number), store.is_some().into());
    let store = store.unwrap_or(access(random, 64, None));
    bench.set(&numbered("store_address", number), store.address as u64);
    bench.set(&numbered("store_first", number), store.first as u64);
    bench.set(&numbered("store_end", number), store.end as u64);
    bench.set(&numbered("store_data", number), store.data);
}

struct Run {
    config: Memory,
    /// Of eight clocks, so many have stores, and so many a line.
    stores: u64,
    lines: u64,
    /// Stores of a row are near each other.
    near: bool,
    clocks: u64,
}

/// Loads are asked for where the contract says what they see.
fn run(run: &Run, seed: u64) -> u64 {
    let config = &run.config;
    let mut random = Random::new(seed);
    let (mut bench, mut model) = (Bench::of(memory(config)), Model::new(config));
    let bytes = model.bytes.len();
    let mut room: VecDeque<bool> = vec![true; config.flight as usize].into();
    // Lines that were taken and are not known to be written.
    let mut line: Option<(usize, Vec<u8>)> = None;
    let mut lines_in_flight: Vec<usize> = Vec::new();
    let mut loads: Vec<VecDeque<Option<u64>>> = vec![VecDeque::new(); config.loads as usize];
    let mut read: VecDeque<Option<(Vec<u8>, u64)>> = VecDeque::new();
    let (mut checked, mut waited) = (0, 0);
    for clock in 1..=run.clocks {
        if line.is_none() && random.below(8) < run.lines {
            let index = random.below(config.ring.lines.into()) as usize;
            let data: Vec<u8> = (0..64).map(|_| random.next() as u8).collect();
            let all = whole_line(index);
            // A packet's lines come in when no store of an older packet can still wait.
            let settled = model.is_settled(&all, clock, config.most_store_clocks());
            line = settled.then_some((index, data));
        }
        bench.set("line_valid", line.is_some().into());
        let zeros = line.as_ref().is_some_and(|(index, _)| index % 3 == 0);
        bench.set("line_zeros", zeros.into());
        if let Some((index, data)) = &line {
            bench.set("line_index", *index as u64);
            bench.set_bytes("line_data", data);
        }
        // What the memory says of room is heard as late as the contract allows.
        let may_store = room.front().copied().unwrap_or(true) && random.below(8) < run.stores;
        let about = random.below(bytes as u64) as usize;
        let mut given = Vec::new();
        for number in 0..config.stores as usize {
            let is_there = may_store && random.below(4) > 0;
            let store = access(&mut random, bytes, run.near.then_some(about));
            // Nobody stores into a line that comes in.
            let busy = |at: usize| {
                let at = at % bytes / 64;
                line.as_ref().is_some_and(|(index, _)| *index == at)
                    || lines_in_flight.contains(&at)
            };
            let is_free = !busy(store.address) && !busy(store.address + 7);
            let store = (is_there && is_free).then_some(store);
            set_store(&mut bench, number, store, &mut random);
            given.extend(store);
        }
        for (number, expected) in loads.iter_mut().enumerate() {
            let load = access(&mut random, bytes, (number % 2 == 0).then_some(about));
            bench.set(&numbered("load_address", number), load.address as u64);
            bench.set(&numbered("load_first", number), load.first as u64);
            bench.set(&numbered("load_end", number), load.end as u64);
            let settled = model.is_settled(&load, clock, config.most_store_clocks());
            let lines = lines_in_flight.iter();
            let touches = |line: &&usize| {
                let last = load.address + 7;
                **line == load.address / 64 || **line == last % bytes / 64
            };
            let quiet = lines.filter(touches).count() == 0;
            expected.push_back((settled && quiet).then(|| model.load(&load)));
        }
        let reads = random.below(4) > 0;
        let index = random.below(config.ring.lines.into()) as usize;
        bench.set("read", reads.into());
        bench.set("read_index", index as u64);
        if reads {
            let all = whole_line(index);
            let clocks = config.most_store_clocks() + READ_LATER;
            let settled =
                model.is_settled(&all, clock, clocks) && !lines_in_flight.contains(&index);
            read.push_back(settled.then(|| {
                let written = model.written[index * 64..][..64].iter().rev();
                let written = written.fold(0, |sum, bit| sum << 1 | u64::from(*bit));
                (model.bytes[index * 64..][..64].to_vec(), written)
            }));
        } else if let Some(last) = read.back().cloned() {
            read.push_back(last);
        } else {
            read.push_back(None);
        }
        bench.step();
        room.push_back(bench.get("room") == 1);
        if room.len() > config.flight as usize {
            room.pop_front();
        }
        for store in &given {
            model.store(store, clock);
        }
        if bench.get("line_ready") == 1 {
            lines_in_flight.clear();
            if let Some((index, data)) = line.take() {
                let data = if zeros { vec![0; 64] } else { data };
                model.line(index, &data, clock);
                lines_in_flight.push(index);
            }
        } else {
            waited += 1;
        }
        for (number, expected) in loads.iter_mut().enumerate() {
            if expected.len() > LOAD_CLOCKS as usize {
                if let Some(Some(value)) = expected.pop_front() {
                    let data = bench.get(&numbered("load_data", number));
                    assert_eq!(data, value, "load {number} at clock {clock}");
                    checked += 1;
                }
            }
        }
        if read.len() > READ_CLOCKS as usize {
            if let Some(Some((data, written))) = read.pop_front() {
                assert_eq!(bench.get_bytes("read_data"), data, "read at clock {clock}");
                assert_eq!(bench.get("read_written"), written, "at clock {clock}");
                checked += 1;
            }
        }
    }
    assert!(checked > run.clocks / 4, "only {checked} were checked");
    waited
}

fn config(lines: u32, loads: u32, stores: u32) -> Memory {
    Memory {
        ring: Ring { lines },
        loads,
        stores,
        ..Memory::default()
    }
}

#[test]
fn loads_see_what_stores_and_lines_have_written() {
    for (seed, (lines, loads, stores)) in
        [(512, 2, 2), (16, 1, 1), (16, 2, 2), (32, 4, 4), (16, 1, 3)]
            .into_iter()
            .enumerate()
    {
        for (stores_in_8, lines_in_8, near) in
            [(1, 1, true), (8, 8, true), (8, 3, false), (0, 8, true)]
        {
            let parts = Run {
                config: config(lines, loads, stores),
                stores: stores_in_8,
                lines: lines_in_8,
                near,
                clocks: 6000,
            };
            let waited = run(&parts, seed as u64);
            assert!(stores_in_8 > 0 || waited == 0, "lines wait for stores only");
        }
    }
}

/// A store of the data's byte 0, and of nothing else, into an empty memory.
fn store_at(bench: &mut Bench, stores: &[(u64, u64)]) {
    for number in 0..2 {
        let store = stores.get(number);
        bench.set(&numbered("store_valid", number), store.is_some().into());
        let (address, byte) = store.copied().unwrap_or_default();
        bench.set(&numbered("store_address", number), address);
        bench.set(&numbered("store_first", number), 0);
        bench.set(&numbered("store_end", number), 1);
        bench.set(&numbered("store_data", number), byte);
    }
}

/// Clocks from a row of stores, behind rows that share no bank, to the first load that sees its last store.
fn clocks_to_see(rows: &[[(u64, u64); 2]]) -> u32 {
    let mut bench = Bench::of(memory(&Memory::default()));
    let [_, (address, byte)] = rows[rows.len() - 1];
    bench.set("load_first", 0);
    bench.set("load_end", 1);
    bench.set("load_address", address);
    for row in rows {
        store_at(&mut bench, row);
        bench.step();
    }
    store_at(&mut bench, &[]);
    for clocks in 0..100 {
        bench.step();
        if bench.get("load_data") == byte {
            // The load was asked for this long before; the first step here is a clock behind the last row.
            return clocks + 1 - LOAD_CLOCKS;
        }
    }
    panic!("the store is never seen");
}

#[test]
fn a_store_is_seen_when_the_contract_says() {
    assert_eq!(clocks_to_see(&[[(0, 1), (64 + 8, 2)]]), STORE_CLOCKS);
    // The same word, the same line in other banks, across the end of a line: together.
    assert_eq!(clocks_to_see(&[[(0, 1), (5, 2)]]), STORE_CLOCKS);
    assert_eq!(clocks_to_see(&[[(3, 1), (60, 2)]]), STORE_CLOCKS);
    // Two words of a bank.
    assert_eq!(clocks_to_see(&[[(0, 1), (64, 2)]]), STORE_CLOCKS + 1);
    let rows: Vec<[(u64, u64); 2]> = (0..10)
        .map(|row| [(128 * row, 1), (128 * row + 64, 2)])
        .collect();
    assert_eq!(clocks_to_see(&rows), STORE_CLOCKS + 10);
    assert!(Memory::default().most_store_clocks() >= STORE_CLOCKS + 10);
}

#[test]
fn misuse_is_noticed() {
    let mut bench = Bench::of(memory(&Memory::default()));
    for _ in 0..32 {
        store_at(&mut bench, &[(0, 1), (64, 2)]);
        bench.step();
    }
    assert!(bench.step_fails().contains("rows_fit"));
    let mut bench = Bench::of(memory(&Memory::default()));
    store_at(&mut bench, &[(0, 1)]);
    bench.set("store_first", 2);
    assert!(bench.step_fails().contains("store_bounds"));
}
