//! LRU maps that are full: what they forget is nobody's promise, everything else is compared.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::write_made;
use serde_json::Value;
use std::cell::Cell;
use std::path::Path;

/// Checks that a run is clean, and gives its answer.
fn clean(object: &str, capture: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["check", object, "--pcap", path(capture), "--json"];
    arguments.extend(["--against", judge()]);
    arguments.extend(more);
    let run = hardpath(&arguments);
    let answer = run.json();
    assert_eq!(
        (run.status, &answer["mismatches"], &answer["map_mismatches"]),
        (0, &0.into(), &0.into()),
        "{answer}"
    );
    answer
}

/// One key in a packet, in hardware and in the interpreter.
#[test]
fn a_rate_limiter_forgets_sources() {
    let place = tempfile::tempdir().unwrap();
    let capture = place.path().join("many.pcapng");
    let made = hardpath(&[
        "traffic",
        "--packets",
        "6000",
        "--flows",
        "5000",
        "--distribution",
        "zipf",
        "--seed",
        "3",
        "-o",
        path(&capture),
    ]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let Some((_place, object)) = crate::common::compile_source("programs", "rate_limit") else {
        return;
    };
    let maps = [
        "--maps",
        "programs/rate_limit.maps.json",
        "--max-entries",
        "sources=256",
    ];
    for engine in ["native", "interpreter"] {
        let answer = clean(
            path(&object),
            &capture,
            &[&maps[..], &["--engine", engine]].concat(),
        );
        let forgotten = answer["forgotten"]["sources"].as_u64();
        assert!(forgotten > Some(1000), "{answer}");
    }
}

/// Several keys in a packet, in a window that is replayed: a thousand seconds through a map with a hundred entries. What is new
/// stays new however full the map is.
#[test]
fn a_full_map_in_a_replayed_window_takes_new_keys() {
    let Some((place, object)) = compile("two_memories") else {
        return;
    };
    let capture = place.path().join("seconds.pcap");
    let number = Cell::new(0_u16);
    write_made(&capture, 1000, |numbers| {
        let mut packet = vec![0; 60];
        number.set(number.get() + 1);
        let station = match numbers.pick(&[0, 1, 2]) {
            0 => number.get(),
            _ => u16::from(numbers.pick(&[1_u8, 2, 3, 4, 5, 6, 7, 8])),
        };
        packet[10..12].copy_from_slice(&station.to_be_bytes());
        packet
    });
    // Two seconds from packet to packet, and several packets in one second.
    for step in ["0:2000000000", "0:300000000"] {
        let answer = clean(path(&object), &capture, &["--time", step]);
        assert!(answer["forgotten"]["seen"].as_u64() > Some(100), "{answer}");
    }
}
