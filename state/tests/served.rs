//! A map that is asked by requests, beside a model: every answer, in order, whatever waits; the host in between.

use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_rtl::check::check;
use hardpath_rtl::Design;
use hardpath_rtlsim::Simulator;
use hardpath_state::served::{served, Served};
use std::collections::{BTreeMap, VecDeque};

const ENOENT: u64 = 2;
const E2BIG: u64 = 7;
const EEXIST: u64 = 17;
const EINVAL: u64 = 22;

/// splitmix64: tests are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) % limit
    }
}

#[derive(Clone, Copy, Debug)]
struct Request {
    command: u32,
    flags: u64,
    key: u64,
    value: u64,
}

/// The kernel's hash map.
struct Model {
    max_entries: usize,
    map: BTreeMap<u64, u64>,
}

impl Model {
    /// The errno, and the value of a lookup that finds it.
    fn answer(&mut self, request: Request) -> (u64, Option<u64>) {
        let there = self.map.get(&request.key).copied();
        match (request.command, request.flags, there) {
            (LOOKUP, _, Some(value)) => (0, Some(value)),
            (DELETE, _, Some(_)) => {
                self.map.remove(&request.key);
                (0, None)
            }
            (LOOKUP | DELETE, _, None) => (ENOENT, None),
            (_, 3.., _) => (EINVAL, None),
            (_, 1, Some(_)) => (EEXIST, None),
            (_, 2, None) => (ENOENT, None),
            (_, _, None) if self.map.len() == self.max_entries => (E2BIG, None),
            _ => {
                self.map.insert(request.key, request.value);
                (0, None)
            }
        }
    }
}

struct Bench {
    simulator: Simulator,
}

impl Bench {
    fn new(config: &Served) -> Bench {
        let mut design = Design::new();
        let block = served(&mut design, config);
        design.add(block);
        assert_eq!(check(&design), Ok(()));
        let simulator = Simulator::new(&design).expect("it simulates");
        let mut bench = Bench { simulator };
        bench.set("rst", 1);
        bench.step();
        bench.set("rst", 0);
        bench
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.simulator.input(name).expect("a port");
        self.simulator.set_u64(port, value);
    }

    /// What stood on a port before the last clock edge.
    fn get(&mut self, name: &str) -> u64 {
        let port = self.simulator.output(name).expect("a port");
        self.simulator.get_u64(port)
    }

    fn step(&mut self) {
        self.simulator.step().expect("no assertion fails");
    }

    fn ask(&mut self, side: &str, request: Request) {
        self.set(&format!("{side}_command"), request.command.into());
        self.set(&format!("{side}_flags"), request.flags);
        self.set(&format!("{side}_key"), request.key);
        self.set(&format!("{side}_value"), request.value);
    }
}

fn config(max_entries: u32, registers: bool, evicts: bool) -> Served {
    Served {
        name: "served".into(),
        map: "m".into(),
        key_bits: 32,
        value_bits: 40,
        max_entries,
        evicts,
        registers,
        registers_values: registers,
    }
}

fn request(random: &mut Random, keys: u64) -> Request {
    Request {
        command: [LOOKUP, UPDATE, UPDATE, DELETE][random.below(4) as usize],
        flags: [0, 0, 0, 1, 2, 3][random.below(6) as usize],
        key: random.below(keys) * 0x0101_0101,
        value: random.below(1 << 32) << 8 | random.below(256),
    }
}

/// How requests come and answers go: one clock in so many.
struct Pace {
    requests: u64,
    answers: u64,
    host: u64,
}

/// What a table that is under way owes.
#[derive(Default)]
struct Owed {
    answers: VecDeque<(Request, (u64, Option<u64>))>,
    host: Option<(Request, (u64, Option<u64>))>,
}

fn torture(config: &Served, seed: u64, keys: u64, pace: &Pace) {
    let mut bench = Bench::new(config);
    let mut random = Random(seed);
    let mut model = Model {
        max_entries: config.max_entries as usize,
        map: BTreeMap::new(),
    };
    let mut owed = Owed::default();
    let mut next = None;
    let (mut answered, mut of_host) = (0, 0);
    for _ in 0..6000 {
        let asks = next.is_some() || random.below(pace.requests) == 0;
        let asked = *next.get_or_insert_with(|| request(&mut random, keys));
        bench.ask("request", asked);
        bench.set("request_valid", asks.into());
        let starts = owed.host.is_none() && random.below(pace.host) == 0;
        bench.set("host_start", starts.into());
        let of_the_host = request(&mut random, keys);
        if starts {
            bench.ask("host", of_the_host);
        }
        let takes = random.below(pace.answers) == 0;
        bench.set("response_ready", takes.into());
        bench.step();
        match asks && bench.get("request_ready") == 1 {
            true => {
                owed.answers.push_back((asked, model.answer(asked)));
                next = None;
            }
            false if asks => next = Some(asked),
            false => next = None,
        }
        if starts {
            owed.host = Some((of_the_host, model.answer(of_the_host)));
        }
        if takes && bench.get("response_valid") == 1 {
            let (asked, (errno, value)) = owed.answers.pop_front().expect("somebody asked");
            assert_eq!(bench.get("response_errno"), errno, "{asked:?}");
            if let Some(value) = value {
                assert_eq!(bench.get("response_value"), value, "{asked:?}");
            }
            answered += 1;
        }
        if bench.get("host_done") == 1 {
            let (asked, (errno, value)) = owed.host.take().expect("the host asked");
            assert_eq!(bench.get("host_errno"), errno, "host: {asked:?}");
            if let Some(value) = value {
                assert_eq!(bench.get("host_value_out"), value, "host: {asked:?}");
            }
            of_host += 1;
        }
    }
    assert!(answered > 300, "{answered} answers");
    assert!(of_host > 5, "{of_host} operations of the host");
}

#[test]
fn every_request_sees_those_before_it() {
    for (seed, registers) in [(1, false), (2, true)] {
        for max_entries in [1, 8, 30] {
            let config = config(max_entries, registers, false);
            for (requests, answers) in [(1, 1), (3, 1), (1, 4)] {
                for keys in [1, 3, 40] {
                    let pace = Pace {
                        requests,
                        answers,
                        host: 60,
                    };
                    torture(&config, seed, keys, &pace);
                }
            }
        }
    }
}

/// One a clock, while nothing waits: from the first to the last there is no clock without a request, and none without an answer.
#[test]
fn a_request_is_taken_every_clock() {
    let mut bench = Bench::new(&config(100, true, false));
    while bench.get("request_ready") == 0 {
        bench.step();
    }
    let mut random = Random(7);
    bench.set("request_valid", 1);
    bench.set("response_ready", 1);
    let mut answers = 0;
    for clock in 0..300 {
        let asked = request(&mut random, 5);
        bench.ask("request", asked);
        bench.step();
        assert_eq!(bench.get("request_ready"), 1, "clock {clock}");
        answers += bench.get("response_valid");
    }
    let clocks = u64::from(config(100, true, false).clocks());
    assert!(answers >= 300 - clocks - 4, "{answers} answers");
}

/// A map that evicts takes every new key; a dump finds as many as went in and did not go.
#[test]
fn a_full_map_that_evicts_takes_new_keys() {
    let config = config(6, false, true);
    let mut bench = Bench::new(&config);
    bench.set("response_ready", 1);
    let mut taken = 0;
    let mut answers = 0;
    while answers < 400 {
        bench.ask(
            "request",
            Request {
                command: UPDATE,
                flags: 0,
                key: taken * 77,
                value: taken,
            },
        );
        bench.set("request_valid", (taken < 400).into());
        bench.step();
        taken += bench.get("request_ready") & u64::from(taken < 400);
        if bench.get("response_valid") == 1 {
            assert_eq!(bench.get("response_errno"), 0, "answer {answers}");
            answers += 1;
        }
    }
    let slots = hardpath_blocks::hash::Hash::entries(config.max_entries);
    let mut found = BTreeMap::new();
    for slot in 0..slots {
        bench.set("host_command", DUMP.into());
        bench.set("host_slot", slot.into());
        bench.set("host_start", 1);
        bench.step();
        bench.set("host_start", 0);
        bench.step();
        while bench.get("host_done") == 0 {
            bench.step();
        }
        match bench.get("host_errno") {
            0 => {
                let (key, value) = (bench.get("host_key_out"), bench.get("host_value_out"));
                assert_eq!(key, value * 77);
                found.insert(key, value);
            }
            errno => assert_eq!(errno, ENOENT),
        }
    }
    assert!(
        found.len() >= 6 && found.len() < slots as usize,
        "{found:?}"
    );
}
