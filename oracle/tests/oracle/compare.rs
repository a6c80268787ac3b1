//! Comparing outcomes and maps, and how a difference is told.

use crate::judge::{double, word};
use hardpath_ir::maps::Image;
use hardpath_ir::Output;
use hardpath_kernel::xdp::{self, ABORTED, DROP, PASS, REDIRECT, TX};
use hardpath_oracle::compare::{compare_maps, compare_packet};
use hardpath_oracle::{Comparison, Difference, Expected, ExpectedMaps, Who};
use hardpath_packet::{Copy, Fate};

/// What XDP programs say of their packets.
fn outputs() -> [Output; 2] {
    let mut verdict = Output::new(xdp::VERDICT, 3);
    verdict.values = xdp::NAMES.map(String::from).into();
    [verdict, Output::new(xdp::METADATA, 6)]
}

fn leaves(verdict: u64, destination: u32, data: &[u8]) -> Fate {
    let (class, index) = xdp::way(verdict, destination);
    Fate::leaves(Copy {
        class,
        index,
        outputs: vec![verdict, 0],
        data: data.to_vec(),
    })
}

fn ends(verdict: u64) -> Fate {
    Fate::ends(&[verdict, 0])
}

fn kernel() -> Who {
    Who {
        name: "the kernel",
        version: Some("6.18".into()),
    }
}

fn difference(expected: &Fate, got: &Fate) -> Option<String> {
    compare_packet(expected, Some(got), &outputs()).map(|difference| difference.to_string())
}

#[test]
fn metadata_is_compared() {
    let with = |metadata: [u8; 4], words: u64| {
        let mut fate = leaves(PASS, 0, &[&metadata[..], &[5]].concat());
        fate.outputs[1] = words;
        fate.copies[0].outputs[1] = words;
        fate
    };
    let right = with([1, 2, 3, 4], 1);
    let found = difference(&right, &with([1, 2, 3, 5], 1));
    assert_eq!(
        found.unwrap(),
        "metadata: expected 01 02 03 04, got 01 02 03 05"
    );
    let found = difference(&right, &with([1, 2, 3, 4], 0));
    assert_eq!(found.unwrap(), "metadata: expected 1, got 0");
    assert_eq!(difference(&right, &right), None);
}

#[test]
fn the_same_is_the_same() {
    let cases = [
        (ends(DROP), ends(DROP)),
        (ends(ABORTED), ends(ABORTED)),
        (leaves(PASS, 1, &[1]), leaves(PASS, 2, &[1])),
        (leaves(REDIRECT, 7, &[1]), leaves(REDIRECT, 7, &[1])),
    ];
    for (expected, got) in cases {
        assert_eq!(difference(&expected, &got), None, "{expected:?} {got:?}");
    }
}

#[test]
fn every_copy_is_compared() {
    let copies = |destinations: &[u32], data: &[u8]| {
        let one = leaves(REDIRECT, 0, data);
        Fate::leaves_for(&one.copies[0], destinations)
    };
    let right = copies(&[3, 5], &[1]);
    assert_eq!(difference(&right, &right), None);
    let cases = [
        (
            copies(&[3], &[1]),
            "packet: expected XDP_REDIRECT (4), got nothing came out",
        ),
        (
            copies(&[], &[1]),
            "packet: expected XDP_REDIRECT (4), got nothing came out",
        ),
        (
            copies(&[3, 5, 7], &[1]),
            "destination: expected ifindexes 3, 5, got ifindexes 3, 5, 7",
        ),
        (
            copies(&[5, 3], &[1]),
            "destination: expected ifindexes 3, 5, got ifindexes 5, 3",
        ),
    ];
    for (got, told) in cases {
        assert_eq!(difference(&right, &got).as_deref(), Some(told));
    }
    let mut second = right.clone();
    second.copies[1].data[0] = 2;
    let told = "byte 0: expected 1 byte: [01], got 1 byte: [02]";
    assert_eq!(difference(&right, &second).as_deref(), Some(told));
    let once = leaves(PASS, 0, &[1]);
    let twice = Fate::leaves_for(&once.copies[0], &[0, 0]);
    assert!(difference(&once, &twice).is_some());
    let dropped_and_sent = leaves(DROP, 0, &[1]);
    assert!(difference(&ends(DROP), &dropped_and_sent).is_some());
}

#[test]
fn differences_are_told_with_place_and_values() {
    let long: Vec<u8> = (0..60).collect();
    let mut changed = long.clone();
    changed[30] = 0xff;
    let cases = [
        (
            leaves(PASS, 0, &[1]),
            ends(DROP),
            "verdict: expected XDP_PASS (2), got XDP_DROP (1)",
        ),
        (
            leaves(REDIRECT, 3, &[1]),
            leaves(REDIRECT, 4, &[1]),
            "destination: expected ifindex 3, got ifindex 4",
        ),
        (
            leaves(TX, 0, &long),
            leaves(TX, 0, &changed),
            "byte 30: expected 60 bytes: … 16 17 18 19 1a 1b 1c 1d [1e] 1f 20 21 22 23 24 25 26 …, \
             got 60 bytes: … 16 17 18 19 1a 1b 1c 1d [ff] 1f 20 21 22 23 24 25 26 …",
        ),
        (
            leaves(PASS, 0, &[1, 2, 3]),
            leaves(PASS, 0, &[1, 2]),
            "length: expected 3 bytes: 01 02 [03], got 2 bytes: 01 02 [end]",
        ),
    ];
    for (expected, got, told) in cases {
        assert_eq!(difference(&expected, &got).as_deref(), Some(told));
    }
    let lost = compare_packet(&ends(DROP), None, &outputs()).unwrap();
    assert_eq!(
        lost.to_string(),
        "packet: expected XDP_DROP (1), got nothing came out"
    );
    let lost = difference(&leaves(PASS, 0, &[1]), &ends(PASS));
    assert_eq!(
        lost.as_deref(),
        Some("packet: expected XDP_PASS (2), got nothing came out")
    );
}

#[test]
fn maps_are_compared_as_sets_of_entries() {
    let expected = Image::from([
        ("a".into(), [(word(1), word(5)), (word(2), word(6))].into()),
        ("b".into(), [].into()),
    ]);
    let got = Image::from([("a".into(), [(word(2), word(7)), (word(3), word(8))].into())]);
    assert_eq!(compare_maps(&expected, &expected), []);
    let told: Vec<String> = compare_maps(&expected, &got)
        .iter()
        .map(Difference::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "map a, key 01 00 00 00: expected 05 00 00 00, got no entry",
            "map a, key 02 00 00 00: expected 06 00 00 00, got 07 00 00 00",
            "map a, key 03 00 00 00: expected no entry, got 08 00 00 00",
        ]
    );
}

#[test]
fn totals_count_everything_and_keep_the_first_mismatches() {
    let mut comparison = Comparison::new(Some(kernel()), &outputs());
    assert!(comparison.is_clean());
    for number in 1..=20 {
        let expected = Expected {
            fate: leaves(PASS, 0, &[1]),
            judged: number > 5,
            objection: (number <= 5).then(|| "packets like these".into()),
            disagreement: None,
            illegal: Vec::new(),
        };
        let got = match number % 2 {
            0 => ends(DROP),
            _ => leaves(PASS, 0, &[1]),
        };
        comparison.packet("web.pcap", number, &expected, Some(&got));
    }
    let right = Image::from([("a".into(), [(word(1), double(5))].into())]);
    let maps = ExpectedMaps {
        image: right.clone(),
        disagreements: Vec::new(),
    };
    comparison.maps(&maps, &right);
    comparison.maps(&maps, &Image::new());
    assert_eq!(comparison.packets, 20);
    assert_eq!(comparison.judged, 15);
    assert_eq!(
        comparison.objections,
        [("packets like these".into(), 5)].into()
    );
    assert_eq!(comparison.mismatches, 10);
    assert_eq!(
        (comparison.maps_compared, comparison.map_mismatches),
        (2, 1)
    );
    assert_eq!(comparison.first.len(), Comparison::KEPT);
    assert!(!comparison.is_clean());
    let first = comparison.first[0].to_string();
    assert_eq!(
        first,
        "web.pcap, packet 2: verdict: expected XDP_PASS (2), got XDP_DROP (1)"
    );
}
