//! Programs with known hazards, under traffic that is made to break them.

use crate::{case, word};
use hardpath_filetests::hardware::{Hardware, MANNERS};
use hardpath_filetests::torture::{torture, PACKETS};
use hardpath_filetests::traffic::{colliding, events, packets, Keys};
use hardpath_ir::maps::Maps;
use hardpath_packet::Fate;
use hardpath_testbed::host::HostOperation;
use hardpath_testbed::run::HostEvent;
use hardpath_testkit::Random;

/// Keys that stand in registers before they are compared, as an ECP5 has them at its usual clock.
#[test]
fn keys_out_of_slow_memories() {
    let mut programs = vec![
        case("expiry", &[("ENTRIES", "16")]),
        case("hash_blind", &[("ENTRIES", "16")]),
        case("stale_pointer", &[]),
        case("stale_pointer", &[("CHANGED", "delete_flows")]),
        case("three_ways", &[]),
        case("values_behind_an_entrance", &[]),
        case("look_or_change", &[]),
        case("churn_behind_a_window", &[]),
    ];
    for late in [false, true] {
        programs.extend([1, 3, 100].map(|entries| {
            case(
                "hash_everything",
                &[("ENTRIES", &entries.to_string()), ("WORD", word(late))],
            )
        }));
        programs.push(case(
            "two_hashes",
            &[("FIRST", word(late)), ("SECOND", word(!late))],
        ));
    }
    for (seed, text) in programs.iter().enumerate() {
        let mut hardware = Hardware::at(text, 512, 75.0);
        let modules = &hardware.compiled.design.modules;
        let mut registers = modules.values().flat_map(|module| module.regs.values());
        assert!(
            registers.any(|register| register.name == "word_0"),
            "{text}"
        );
        torture(&mut hardware, seed as u64, PACKETS);
    }
}

/// Packets of every length, on both buses, with frames that are dropped between them.
#[test]
fn long_and_short_packets() {
    for bus_bits in [64, 128, 256, 512] {
        let mut hardware = Hardware::new(
            &case("two_hashes", &[("FIRST", "soon"), ("SECOND", "late")]),
            bus_bits,
        );
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

/// Keys and values of any size: the key has the packet's key in its lowest and highest bytes, the value the operand.
/// A hit counts in the value's last byte.
pub fn sizes(key_bytes: u32, value_bytes: u32, entries: u32) -> String {
    let key = match key_bytes {
        1..4 => format!("    v20:{0} = slice v1, 0", key_bytes * 8),
        4 => "    v20:32 = add v1, v8".to_string(),
        5..8 => format!("    v20:{0} = zext v1", key_bytes * 8),
        8 => "    v20:64 = concat v1, v1".to_string(),
        _ => format!(
            "    v21:{0} = const 0\n    v20:{1} = concat v1, v21, v1",
            (key_bytes - 8) * 8,
            key_bytes * 8
        ),
    };
    let value = match value_bytes {
        1..8 => format!("    v22:{0} = slice v3, 0", value_bytes * 8),
        8 => "    v22:64 = add v3, v12".to_string(),
        _ => format!(
            "    v23:{0} = const 0\n    v22:{1} = concat v3, v23",
            (value_bytes - 8) * 8,
            value_bytes * 8
        ),
    };
    let front = include_str!("../../cases/hazards/front.part");
    format!(
        "program \"sizes\" control-flow\noutput \"verdict\" 32
map @flows exact key {key_bytes} value {value_bytes} entries {entries}
{front}
{key}
{value}
    v24:1, v25:32 = map.lookup @flows v20
    branch v24, block1, block2
block1:
    v26:32 = const {last}
    v27:8 = map.load @flows v25, v26
    v28:8 = const 1
    v29:8 = add v27, v28
    map.store @flows v25, v26, v29
    packet.store v10, v27
    v9000:1 = const 1
    emit v9000 with v9
block2:
    v30:2 = slice v5, 0
    v31:2 = const 0
    v32:1 = eq v30, v31
    branch v32, block3, block4
block3:
    v301:2 = const 1
    v302:3 = map.update @flows v20, v22, v301
    v33:64 = zext v302
    packet.store v10, v33
    v9001:1 = const 1
    emit v9001 with v9
block4:
    v9002:1 = const 1
    emit v9002 with v8
",
        last = value_bytes - 1
    )
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
        let mut hardware = Hardware::new(&sizes(key_bytes, value_bytes, entries), 512);
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
        let mut hardware = Hardware::new(
            &case("two_hashes", &[("FIRST", word(late)), ("SECOND", "late")]),
            512,
        );
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
        (case("double", &[("ENTRIES", "4")]), 0),
        (
            case("hash_everything", &[("ENTRIES", "16"), ("WORD", "soon")]),
            0,
        ),
        (
            case("hash_everything", &[("ENTRIES", "16"), ("WORD", "late")]),
            8,
        ),
        (
            case("two_hashes", &[("FIRST", "late"), ("SECOND", "late")]),
            16,
        ),
    ] {
        let mut hardware = Hardware::new(&text, 512);
        let mut random = Random::new(18);
        let interface = hardware.interface().clone();
        for manner in MANNERS {
            let mut maps = Maps::new(&hardware.program.maps);
            hardware.reset();
            let sent = packets(&mut random, 4000, Keys::One);
            let mut beside = events(&mut random, &interface, sent.len(), 200);
            // One that looks into many slots takes as often as long.
            let searches =
                |event: &HostEvent| matches!(event.operation, HostOperation::Next { .. });
            beside.retain(|event| !searches(event));
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
        (case("long_arithmetic", &[("ENTRIES", "64")]), 512),
        (case("product", &[("ENTRIES", "5")]), 512),
        (
            case("hash_values", &[("ENTRIES", "64"), ("WORD", "late")]),
            128,
        ),
        (
            case("hash_everything", &[("ENTRIES", "64"), ("WORD", "late")]),
            512,
        ),
        (case("forgetful", &[("ENTRIES", "64")]), 512),
        (case("chained_hashes", &[("WORD", "late")]), 512),
        (
            case("two_hashes", &[("FIRST", "late"), ("SECOND", "late")]),
            512,
        ),
        (case("around_a_window", &[("WORD", "late")]), 64),
        (case("update_then_delete", &[]), 512),
        (case("update_one_delete_other", &[]), 512),
        (case("read_one_write_other", &[]), 512),
        (case("three_ways", &[]), 512),
        (case("double", &[("ENTRIES", "64")]), 256),
        (case("silent", &[]), 512),
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

/// A full map that forgets keys takes every new one, and nobody sees the value of another key: also where the decision
/// comes long after the lookup.
#[test]
fn full_maps_that_forget() {
    for entries in [2, 10, 64, 300] {
        let text = case("forgetful", &[("ENTRIES", &entries.to_string())]);
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
