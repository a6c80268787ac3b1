//! Programs with known hazards, under traffic that is made to break them.

use crate::harness::{colliding, events, only_on, operation, packets, Hardware, Keys, MANNERS};
use crate::programs as make;
use crate::random::Random;
use hardpath_ir::maps::Maps;
use hardpath_packet::Fate;
use hardpath_pipeline::Hazard;

/// Packets of one run.
const PACKETS: usize = 1500;

/// One key, two keys, few and many, in bursts; back to back, with gaps, with backpressure; the host works beside it.
fn torture(text: &str, seed: u64) -> Hardware {
    let mut hardware = Hardware::new(text, 512);
    torture_design(&mut hardware, seed, PACKETS);
    hardware
}

pub fn torture_design(hardware: &mut Hardware, seed: u64, count: usize) {
    let mut kinds = vec![
        Keys::One,
        Keys::Two,
        Keys::Of(9),
        Keys::Of(3000),
        Keys::Bursts,
    ];
    kinds.extend(colliding(hardware.interface()));
    torture_with(hardware, seed, count, &kinds);
}

/// Traffic with these keys in all manners.
pub fn torture_with(hardware: &mut Hardware, seed: u64, count: usize, kinds: &[Keys]) {
    let mut random = Random::new(seed);
    let interface = hardware.interface().clone();
    for &keys in kinds {
        for manner in MANNERS {
            hardware.reset();
            let mut maps = Maps::new(&hardware.program.maps);
            if !interface.maps.is_empty() {
                let mut before: Vec<_> = (0..20)
                    .map(|_| operation(&mut random, &interface))
                    .collect();
                for operation in &mut before {
                    only_on(&keys, operation);
                }
                hardware.prepare(&mut maps, &before);
            }
            let sent = packets(&mut random, count, keys);
            let mut beside = match interface.maps.is_empty() {
                true => Vec::new(),
                false => events(&mut random, &interface, count, count / 20),
            };
            for event in &mut beside {
                only_on(&keys, &mut event.operation);
            }
            hardware.check(&mut maps, &sent, &beside, manner);
        }
    }
}

#[test]
fn words_that_are_read_and_written_in_one_stage() {
    for entries in [1, 5, 64, 100] {
        for text in [
            make::double(entries),
            make::maximum(entries),
            make::conditional_store(entries),
            make::halves(entries),
            make::one_of_three(entries),
            make::first_that_matches("array", entries),
            make::two_entries(entries),
        ] {
            let hardware = torture(&text, 1);
            assert_eq!(hardware.hazard("state"), "fused", "{text}");
        }
    }
}

#[test]
fn words_that_take_longer_than_a_clock() {
    for entries in [1, 5, 100] {
        for text in [make::long_arithmetic(entries), make::product(entries)] {
            let hardware = torture(&text, 2);
            assert_eq!(hardware.hazard("state"), "interlock", "{text}");
        }
    }
}

/// How a hash is kept in order when the new word is computed in one clock, or takes longer.
fn class(late: bool) -> &'static str {
    if late {
        "interlock"
    } else {
        "fused"
    }
}

#[test]
fn values_of_a_hash() {
    for entries in [1, 16, 100] {
        let hardware = torture(&make::first_that_matches("hash", entries), 3);
        assert_eq!(hardware.hazard("state"), "fused");
    }
    for late in [false, true] {
        for entries in [1, 16, 100] {
            let hardware = torture(&make::hash_values(entries, late), 3);
            assert_eq!(hardware.hazard("flows"), class(late));
        }
    }
}

#[test]
fn keys_that_come_and_go() {
    for entries in [1, 3, 16, 100] {
        for late in [false, true] {
            let hardware = torture(&make::hash_everything(entries, late), 4);
            assert_eq!(hardware.hazard("flows"), class(late));
        }
        let hardware = torture(&make::expiry(entries), 4);
        assert_eq!(hardware.hazard("flows"), "interlock");
        torture(&make::hash_blind(entries), 4);
    }
    torture(&make::stale_pointer(), 5);
    torture(&make::deleted_pointer(), 5);
    torture(&make::three_ways(), 6);
}

/// Keys that stand in registers before they are compared, as an ECP5 has them at its usual clock.
#[test]
fn keys_out_of_slow_memories() {
    let mut programs = vec![
        make::expiry(16),
        make::hash_blind(16),
        make::stale_pointer(),
        make::deleted_pointer(),
        make::three_ways(),
        make::values_behind_an_entrance(),
        make::look_or_change(),
        make::churn_behind_a_window(),
    ];
    for late in [false, true] {
        programs.extend([1, 3, 100].map(|entries| make::hash_everything(entries, late)));
        programs.push(make::two_hashes([late, !late]));
    }
    for (seed, text) in programs.iter().enumerate() {
        let mut hardware = Hardware::at(text, 512, 75.0);
        let modules = &hardware.compiled.design.modules;
        let mut registers = modules.values().flat_map(|module| module.regs.values());
        assert!(
            registers.any(|register| register.name == "word_0"),
            "{text}"
        );
        torture_design(&mut hardware, seed as u64, PACKETS);
    }
}

#[test]
fn two_windows() {
    for late in [false, true] {
        torture(&make::chained_hashes(late), 7);
        for text in [make::errno_is_key(late), make::answer_at_the_gate(late)] {
            let hardware = torture(&text, 7);
            assert_eq!(hardware.hazard("first"), class(late));
            assert_eq!(hardware.hazard("second"), class(late));
        }
    }
    for late in [[false, false], [false, true], [true, false], [true, true]] {
        let hardware = torture(&make::two_hashes(late), 7);
        assert_eq!(hardware.hazard("first"), class(late[0]));
        assert_eq!(hardware.hazard("second"), class(late[1]));
    }
}

#[test]
fn parts_on_both_sides_of_an_entrance() {
    let hardware = torture(&make::values_behind_an_entrance(), 12);
    assert_eq!(hardware.hazard("first"), "fused");
    assert_eq!(hardware.hazard("third"), "interlock");
    let hardware = torture(&make::silent(), 13);
    assert_eq!(hardware.hazard("flows"), "interlock");
    let hardware = torture(&make::look_or_change(), 14);
    assert_eq!(hardware.hazard("flows"), "interlock");
    let mut hardware = Hardware::new(&make::churn_behind_a_window(), 512);
    assert_eq!(hardware.hazard("second"), "fused");
    // A dump must meet a slot that has just changed.
    torture_design(&mut hardware, 15, 4 * PACKETS);
}

#[test]
fn memories_around_a_window() {
    for late in [false, true] {
        let hardware = torture(&make::around_a_window(late), 8);
        assert_eq!(hardware.hazard("before"), "fused");
        assert_eq!(hardware.hazard("flows"), class(late));
        assert_eq!(hardware.hazard("after"), "fused");
        assert_eq!(hardware.hazard("ports"), "none");
        torture(&make::same_answer_twice(late), 9);
    }
}

#[test]
fn arrays_and_devices() {
    torture(&make::array_update(), 10);
    torture(&make::destinations(), 11);
}

/// Packets of every length, on both buses, with frames that are dropped between them.
#[test]
fn long_and_short_packets() {
    for bus_bits in [64, 128, 256, 512] {
        let mut hardware = Hardware::new(&make::two_hashes([false, true]), bus_bits);
        let mut random = Random::new(16);
        let interface = hardware.interface().clone();
        for manner in MANNERS {
            hardware.reset();
            let mut maps = Maps::new(&hardware.program.maps);
            let mut sent = packets(&mut random, 400, Keys::Of(5));
            for packet in &mut sent {
                let length = match random.below(8) {
                    0 => 24 + random.below(9193),
                    1 => 9217 + random.below(100),
                    2 => random.below(14),
                    _ => 24 + random.below(200),
                };
                packet.data.resize(length as usize, 0x3c);
                packet.bad = random.below(10) == 0;
            }
            let beside = events(&mut random, &interface, sent.len(), 40);
            hardware.check(&mut maps, &sent, &beside, manner);
        }
    }
}

#[test]
fn sizes_of_keys_values_and_tables() {
    for (key_bytes, value_bytes, entries) in [
        (1, 1, 1),
        (2, 3, 2),
        (3, 2, 300),
        (5, 7, 5),
        (8, 8, 8),
        (16, 33, 63),
        (64, 1024, 4),
        (13, 4, 65_536),
    ] {
        let mut hardware = Hardware::new(&make::sizes(key_bytes, value_bytes, entries), 512);
        let mut random = Random::new(19);
        let interface = hardware.interface().clone();
        let mut maps = Maps::new(&hardware.program.maps);
        for keys in [Keys::One, Keys::Of(200)] {
            let sent = packets(&mut random, 600, keys);
            let beside = events(&mut random, &interface, sent.len(), 20);
            hardware.check(&mut maps, &sent, &beside, MANNERS[0]);
        }
    }
}

#[test]
fn a_reset_forgets_packets_and_maps() {
    for late in [false, true] {
        let mut hardware = Hardware::new(&make::two_hashes([late, true]), 512);
        let mut random = Random::new(17);
        let interface = hardware.interface().clone();
        for round in 0..30 {
            let sent = packets(&mut random, 200, Keys::Of(3));
            hardware.interrupt(&sent, 20 + round * 3);
            let mut maps = Maps::new(&hardware.program.maps);
            hardware.compare_maps(&maps);
            let beside = events(&mut random, &interface, sent.len(), 10);
            hardware.check(&mut maps, &sent, &beside, MANNERS[round as usize % 3]);
        }
    }
}

/// However packets wait for each other, and however long the outputs are not ready, the host gets its answer.
#[test]
fn the_host_never_waits_long() {
    for (text, window) in [
        (make::double(4), 0),
        (make::hash_everything(16, false), 0),
        (make::hash_everything(16, true), 8),
        (make::two_hashes([true, true]), 16),
    ] {
        let mut hardware = Hardware::new(&text, 512);
        let mut random = Random::new(18);
        let interface = hardware.interface().clone();
        for manner in MANNERS {
            let mut maps = Maps::new(&hardware.program.maps);
            hardware.reset();
            let sent = packets(&mut random, 4000, Keys::One);
            let beside = events(&mut random, &interface, sent.len(), 200);
            hardware.check(&mut maps, &sent, &beside, manner);
        }
        // The hold, the stages, and the packets that wait in front of it at an entrance.
        let stages = u64::from(hardware.compiled.report.stages);
        let bound = 12 + 2 * stages + 64 * window;
        let longest = hardware.longest_operation;
        assert!(
            longest > stages && longest <= bound,
            "{longest} clocks, {stages} stages\n{text}"
        );
    }
}

/// Whatever the traffic is, no design is slower than it promises; and the promise is not a small one for all.
#[test]
fn no_traffic_is_slower_than_the_promise() {
    let mut closest: f64 = 0.0;
    for (text, bus_bits) in [
        (make::long_arithmetic(64), 512),
        (make::product(5), 512),
        (make::hash_values(64, true), 128),
        (make::hash_everything(64, true), 512),
        (make::forgetful(64), 512),
        (make::chained_hashes(true), 512),
        (make::two_hashes([true, true]), 512),
        (make::around_a_window(true), 64),
        (make::update_then_delete(), 512),
        (make::update_one_delete_other(), 512),
        (make::read_one_write_other(), 512),
        (make::three_ways(), 512),
        (make::double(64), 256),
        (make::silent(), 512),
    ] {
        let mut hardware = Hardware::new(&text, bus_bits);
        let report = hardware.compiled.report.clone();
        let promised = report.promise.any_traffic_pps / (report.clock_mhz * 1e6);
        let mut random = Random::new(3);
        let mut kinds = vec![Keys::One, Keys::Two, Keys::Of(9), Keys::Bursts];
        kinds.extend(colliding(&hardware.interface().clone()));
        for keys in kinds {
            hardware.reset();
            let mut sent = packets(&mut random, PACKETS, keys);
            for packet in &mut sent {
                packet.data.resize(60, 0);
                packet.bad = false;
            }
            let result = hardware.send(&sent, MANNERS[0]);
            let rate = result.statistics.packets_per_clock;
            // The first packets come into an empty design, the last ones leave one.
            assert!(
                rate > promised * 0.99,
                "{keys:?}: {rate}, not {promised}\n{text}"
            );
            if promised < 1.0 {
                closest = closest.max(promised / rate);
            }
            println!(
                "{keys:?} {rate:.3} {promised:.3} {:?}",
                report.promise.slowest_map
            );
        }
    }
    assert!(closest > 0.9, "the promise is too small: {closest}");
}

/// What a younger packet read is written by an older one behind it: it is run again.
#[test]
fn packets_that_are_run_again() {
    for text in [
        make::update_then_delete(),
        make::update_one_delete_other(),
        make::read_one_write_other(),
    ] {
        let hardware = torture(&text, 23);
        let hazards: Vec<Hazard> = hardware
            .compiled
            .report
            .maps
            .iter()
            .map(|map| map.hazard)
            .collect();
        assert!(hazards.contains(&Hazard::Replay), "{hazards:?}\n{text}");
    }
}

/// A full map that forgets keys takes every new one, and nobody sees the value of another key: also where the decision
/// comes long after the lookup.
#[test]
fn full_maps_that_forget() {
    for entries in [2, 10, 64, 300] {
        let text = make::forgetful(entries);
        let mut hardware = Hardware::new(&text, 512);
        assert_eq!(hardware.hazard("flows"), "interlock");
        let mut random = Random::new(41);
        for keys in [Keys::Of(3 * entries), Keys::Of(20 * entries), Keys::Bursts] {
            for manner in MANNERS {
                hardware.reset();
                let sent = packets(&mut random, 3000, keys);
                let result = hardware.send(&sent, manner);
                let mut forgotten = 0;
                let mut seen = std::collections::BTreeSet::new();
                for (sent, got) in sent.iter().zip(&result.outcomes) {
                    let got = got.as_ref().and_then(Fate::data);
                    let got = got.expect("every packet passes");
                    let word = |at: usize| &got[at..at + 8];
                    assert_eq!(word(40), [0; 8], "an update or delete failed\n{text}");
                    assert_eq!(got[32..36], sent.data[0..4], "another key's value\n{text}");
                    let new = got[36..40] == [0; 4];
                    forgotten += u32::from(new && !seen.insert(sent.data[0..4].to_vec()));
                }
                assert!(keys == Keys::Bursts || forgotten > 0, "{entries} {keys:?}");
                let held = hardware.dump();
                let keys_held = held["flows"].len() as u32;
                assert!(
                    keys == Keys::Bursts || keys_held >= entries.min(60),
                    "{keys_held}"
                );
                for (key, value) in &held["flows"] {
                    assert_eq!(value[0..4], key[..], "{text}");
                }
            }
        }
    }
}
