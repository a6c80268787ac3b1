//! Programs with known hazards, under traffic that is made to break them.

use crate::harness::{events, operation, packets, read, Hardware, Keys, MANNERS};
use crate::programs as make;
use crate::random::Random;
use hardpath_ir::maps::Maps;

/// Packets of one run.
const PACKETS: usize = 1500;

/// One key, two keys, few and many, in bursts; back to back, with gaps, with backpressure; the host works beside it.
fn torture(text: &str, seed: u64) -> Hardware {
    let mut hardware = Hardware::new(text, 512);
    torture_design(&mut hardware, seed, PACKETS);
    hardware
}

fn torture_design(hardware: &mut Hardware, seed: u64, count: usize) {
    let mut random = Random::new(seed);
    let interface = hardware.interface().clone();
    let kinds = [
        Keys::One,
        Keys::Two,
        Keys::Of(9),
        Keys::Of(3000),
        Keys::Bursts,
    ];
    for keys in kinds {
        for manner in MANNERS {
            hardware.reset();
            let mut maps = Maps::new(&hardware.program.maps);
            if !interface.maps.is_empty() {
                let before: Vec<_> = (0..20)
                    .map(|_| operation(&mut random, &interface))
                    .collect();
                hardware.prepare(&mut maps, &before);
            }
            let sent = packets(&mut random, count, keys);
            let beside = match interface.maps.is_empty() {
                true => Vec::new(),
                false => events(&mut random, &interface, count, count / 20),
            };
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

#[test]
fn what_cannot_be_kept_in_order_is_refused() {
    for (text, code) in [
        (make::update_then_delete(), "several-writes"),
        (make::read_one_write_other(), "several-keys"),
    ] {
        match Hardware::of(read(&text), 512, 250.0) {
            Ok(_) => panic!("not refused\n{text}"),
            Err(errors) => assert_eq!(errors[0].code, code, "{}", errors[0]),
        }
    }
}
