//! Maps that are asked by requests, beside the interpreter's: every answer, in order, whatever waits; the host in between.

mod accesses;
mod bench;
// The tools are found by the tests of the printers; not all of them are needed here.
#[allow(dead_code)]
#[path = "../../../rtl/tests/printer/installed.rs"]
mod installed;
mod kinds;
mod lint;
mod rooms;
mod torture;

use bench::Bench;
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_ir::{Answer as Said, Find, May};
use hardpath_testkit::Random;
use kinds::{Answer, Asked, Judge, Shape};
use std::collections::{BTreeMap, BTreeSet};
use torture::{torture, Pace};

/// One of each kind that is a module of its own.
fn shapes() -> Vec<Shape> {
    let kinds = Find::ALL.map(|(_, find)| find).into_iter();
    kinds
        .map(|find| Shape::new(find, if find == Find::Ternary { 60 } else { 100 }, true))
        .chain([Shape::forgetful(100, true)])
        .collect()
}

/// In all sizes and paces; with tables small enough to be full and large enough for each sort of memory. `errors`: those that
/// requests meet then.
fn in_all_ways(find: Find, sizes: &[u32], errors: &[Said]) {
    let mut met = BTreeSet::new();
    for (seed, registers) in [(1, false), (2, true)] {
        for max_entries in sizes {
            let shape = Shape::new(find, *max_entries, registers);
            for (requests, answers) in [(1, 1), (3, 1), (1, 4)] {
                for keys in [1, 3, 40] {
                    let pace = Pace {
                        requests,
                        answers,
                        host: 60,
                        changes: 75,
                        clocks: 6000,
                    };
                    met.extend(torture(&shape, seed, keys, &pace));
                }
            }
        }
    }
    assert_eq!(met, answers(errors), "{find:?}");
}

/// Success, and errors.
fn answers(errors: &[Said]) -> BTreeSet<Said> {
    errors.iter().copied().chain([Said::Done]).collect()
}

#[test]
fn every_request_of_a_hash_table_sees_those_before_it() {
    let errors = [Said::Missing, Said::Full, Said::Exists, Said::Refused];
    in_all_ways(Find::Exact, &[1, 8, 30], &errors);
}

#[test]
fn every_request_of_an_array_sees_those_before_it() {
    let errors = [Said::Missing, Said::BadIndex, Said::Exists, Said::Refused];
    in_all_ways(Find::Array, &[1, 5, 100], &errors);
}

#[test]
fn every_request_of_slots_sees_those_before_it() {
    let errors = [Said::Missing, Said::BadIndex, Said::Exists, Said::Refused];
    in_all_ways(Find::Slots, &[1, 5, 100], &errors);
}

/// The kinds whose new entries take many clocks to prepare, at three paces with few keys and with many: all errors are met.
fn in_slow_ways(find: Find, sizes: &[(u64, u32, bool)], host: [u64; 3], clocks: u32) {
    let mut met = BTreeSet::new();
    for (seed, max_entries, registers) in sizes {
        let shape = Shape::new(find, *max_entries, *registers);
        let paces = [(1, 1, 2), (3, 1, 60), (1, 4, 1)];
        for ((requests, answers, changes), host) in paces.into_iter().zip(host) {
            for keys in [2, 40] {
                let pace = Pace {
                    requests,
                    answers,
                    host,
                    changes,
                    clocks,
                };
                met.extend(torture(&shape, *seed, keys, &pace));
            }
        }
    }
    let errors = [
        Said::Missing,
        Said::Exists,
        Said::Refused,
        Said::BadIndex,
        Said::Full,
    ];
    assert_eq!(met, answers(&errors));
}

/// Preparing a new prefix takes some six hundred clocks.
#[test]
fn every_request_of_a_trie_sees_those_before_it() {
    let sizes = [(1, 1, false), (2, 6, true), (3, 100, true)];
    in_slow_ways(Find::Prefix, &sizes, [3000, 600, 600], 150_000);
}

#[test]
fn every_request_of_entries_with_masks_sees_those_before_it() {
    let sizes = [
        (1, 1, false),
        (2, 6, true),
        (3, 60, false),
        // The places of entries are their priorities.
        (4, 100, true),
    ];
    in_slow_ways(Find::Ternary, &sizes, [900, 300, 300], 90_000);
}

/// One a clock, while nothing waits: from the first to the last there is no clock without a request, and none without an answer. All
/// that a kind does at one a clock, on few keys.
#[test]
fn a_request_is_taken_every_clock() {
    for shape in shapes() {
        let config = shape.config();
        let mut bench = Bench::new(&config);
        assert!(bench.steps_until_ready(1000), "{shape:?}");
        let mut random = Random::new(7);
        bench.set("request_valid", 1);
        bench.set("response_ready", 1);
        let changes = match shape.find {
            Find::Slots | Find::Prefix | Find::Ternary => 0,
            _ => 75,
        };
        let mut answers = 0;
        for clock in 0..300 {
            bench.request(&shape.request(&mut random, 5, changes));
            bench.step();
            assert_eq!(bench.get("request_ready"), 1, "{shape:?}: clock {clock}");
            answers += bench.get("response_valid");
        }
        let clocks = u64::from(config.clocks());
        assert!(answers >= 300 - clocks - 4, "{shape:?}: {answers} answers");
    }
}

/// Requests of a trie go on while it gets ready for what the host asks, and see the new prefix behind it.
#[test]
fn requests_go_on_while_a_trie_is_prepared() {
    let shape = Shape::new(Find::Prefix, 100, true);
    let config = shape.config();
    let mut bench = Bench::new(&config);
    assert!(bench.steps_until_ready(1000));
    let prefix = Asked {
        command: UPDATE,
        may: May::PUT,
        slot: 0,
        key: 0x00ab_0000_0008,
        value: 77,
    };
    let looked_up = Asked {
        command: LOOKUP,
        key: 0x12ab_0000_0010,
        ..prefix
    };
    bench.operation(&prefix);
    bench.request(&looked_up);
    bench.set("request_valid", 1);
    bench.set("response_ready", 1);
    bench.set("host_start", 1);
    let (mut clocks, mut stopped, mut found) = (0, 0, 0);
    loop {
        bench.step();
        bench.set("host_start", 0);
        clocks += 1;
        stopped += 1 - bench.get("request_ready");
        if bench.get("response_valid") == 1 {
            found += u32::from(bench.response(&looked_up).said == Said::Done);
        }
        if bench.get("host_done") == 1 {
            break;
        }
    }
    assert_eq!(found, 0, "before the operation's place");
    assert!(clocks > 500, "{clocks}");
    assert!(stopped < u64::from(3 * config.clocks()), "{stopped}");
    for _ in 0..config.clocks() + 4 {
        bench.step();
    }
    let answer = Answer {
        said: Said::Done,
        value: Some(77),
    };
    assert_eq!(bench.response(&looked_up), answer);
}

/// Whatever was inside: after a reset and its sweep nothing is left of it, also of what was under way.
#[test]
fn reset_clears_everything() {
    for shape in shapes() {
        let config = shape.config();
        let mut bench = Bench::new(&config);
        bench.set("response_ready", 1);
        for round in 0..4 {
            assert!(bench.steps_until_ready(1000), "{shape:?}");
            let mut random = Random::new(round);
            for _ in 0..3000 {
                let key = shape.key(&mut random, 100);
                bench.request(&Asked {
                    command: UPDATE,
                    may: May::PUT,
                    slot: 0,
                    key,
                    value: 0x0000_0001_0000_0001,
                });
                bench.set("request_valid", 1);
                bench.step();
            }
            bench.set("request_valid", 0);
            bench.reset();
            // The host's first operation may come at once.
            let found = bench.dump(config.slots());
            assert_eq!(found, Judge::new(&shape).entries(), "{shape:?}");
        }
    }
}

/// With fewer keys than places none has to go.
#[test]
fn a_map_that_evicts_is_else_a_hash_table() {
    for (seed, registers) in [(1, false), (2, true)] {
        let shape = Shape::forgetful(8, registers);
        for (requests, answers) in [(1, 1), (3, 1), (1, 4)] {
            let pace = Pace {
                requests,
                answers,
                host: 60,
                changes: 75,
                clocks: 6000,
            };
            torture(&shape, seed, 3, &pace);
        }
    }
}

/// A dump reads a slot, whatever its key is: so it must not come too close behind a request that changes what is there.
#[test]
fn a_dump_sees_what_the_last_request_did() {
    for shape in shapes() {
        let config = shape.config();
        let mut bench = Bench::new(&config);
        bench.set("response_ready", 1);
        let mut judge = Judge::new(&shape);
        let mut dump = Asked {
            command: DUMP,
            may: May::PUT,
            slot: 0,
            key: 0,
            value: 0,
        };
        let mut slot = None;
        for gap in 0..2 * (config.clocks() + 8) {
            let asked = Asked {
                command: [UPDATE, DELETE][gap as usize % 2],
                may: May::PUT,
                slot: 0,
                key: 16,
                value: u64::from(1 + gap % 3),
            };
            bench.ask(&asked);
            judge.answer(&asked);
            for _ in 0..gap / 2 {
                bench.step();
            }
            let entry = judge.entries().into_iter().find(|(key, _)| *key == 16);
            let found = match slot {
                Some(slot) => {
                    dump.slot = slot;
                    let (answer, key) = bench.operate(&dump);
                    answer.value.map(|value| (key, value))
                }
                // Where the first one went.
                None => {
                    let answers = (0..u64::from(config.slots())).map(|number| {
                        dump.slot = number;
                        let (answer, key) = bench.operate(&dump);
                        (number, answer.value.map(|value| (key, value)))
                    });
                    let mut there = answers.filter(|(_, found)| *found == entry);
                    let (number, found) = there.next().expect("it is somewhere");
                    slot = Some(number);
                    found
                }
            };
            assert_eq!(found, entry, "{shape:?}: {} clocks behind", gap / 2);
        }
    }
}

/// A map that evicts takes every new key; a dump finds as many as went in and did not go.
#[test]
fn a_full_map_that_evicts_takes_new_keys() {
    let shape = Shape::forgetful(6, false);
    let config = shape.config();
    let mut bench = Bench::new(&config);
    bench.set("response_ready", 1);
    let (mut taken, mut answers) = (0, 0);
    while answers < 400 {
        bench.request(&Asked {
            command: UPDATE,
            may: May::PUT,
            slot: 0,
            key: taken * 77,
            value: taken,
        });
        bench.set("request_valid", (taken < 400).into());
        bench.step();
        taken += bench.get("request_ready") & u64::from(taken < 400);
        if bench.get("response_valid") == 1 {
            assert_eq!(bench.get("response_answer"), 0, "answer {answers}");
            answers += 1;
        }
    }
    let found: BTreeMap<u64, u64> = bench.dump(config.slots()).into_iter().collect();
    for (key, value) in &found {
        assert_eq!(*key, value * 77);
    }
    let slots = config.slots() as usize;
    assert!(found.len() >= 6 && found.len() < slots, "{found:?}");
}
