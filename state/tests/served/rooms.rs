//! Maps in rooms that are larger than they are, one after the other.

use crate::bench::Bench;
use crate::kinds::Shape;
use crate::torture::{torture_in, Pace};
use hardpath_ir::{Answer as Said, Find};
use std::collections::BTreeSet;

/// Three maps, each in a room that the one before has left: it is empty then. Gives what requests were answered.
fn in_turn(room: (u32, u32), shapes: [Shape; 3], host: u64, clocks: u32) -> BTreeSet<Said> {
    let shapes = shapes.map(|shape| Shape {
        room: Some(room),
        ..shape
    });
    let mut bench = Bench::new(&shapes[0].config());
    let mut met = BTreeSet::new();
    for (seed, shape) in (1..).zip(&shapes) {
        let pace = Pace {
            requests: 1,
            answers: 1 + seed % 2,
            host,
            changes: 75,
            clocks,
        };
        let (used, more) = torture_in(bench, shape, seed, 40, &pace);
        met.extend(more);
        bench = used;
        bench.set("clears", 1);
        bench.step();
        bench.set("clears", 0);
        bench.step();
        assert_eq!(bench.get("swept"), 0, "it is swept");
    }
    met
}

#[test]
fn hash_tables_stand_in_a_larger_room() {
    let shape = |key_bytes, entries, registers| Shape {
        key_bytes,
        ..Shape::new(Find::Exact, entries, registers)
    };
    for registers in [false, true] {
        let shapes = [
            shape(4, 8, registers),
            shape(6, 30, registers),
            shape(4, 1, registers),
        ];
        let met = in_turn((6, 30), shapes, 60, 6000);
        let all = [
            Said::Done,
            Said::Missing,
            Said::Exists,
            Said::Refused,
            Said::Full,
        ];
        assert_eq!(met, BTreeSet::from(all));
    }
}

#[test]
fn arrays_and_slots_stand_in_a_larger_room() {
    for find in [Find::Array, Find::Slots] {
        let shape = |entries| Shape::new(find, entries, true);
        let met = in_turn((4, 100), [shape(5), shape(100), shape(64)], 60, 6000);
        let all = [
            Said::Done,
            Said::Missing,
            Said::Exists,
            Said::Refused,
            Said::BadIndex,
        ];
        assert_eq!(met, BTreeSet::from(all), "{find:?}");
    }
}

#[test]
fn tries_stand_in_a_larger_room() {
    let shape = |key_bytes, entries| Shape {
        key_bytes,
        ..Shape::new(Find::Prefix, entries, true)
    };
    let met = in_turn(
        (8, 40),
        [shape(6, 6), shape(8, 40), shape(6, 1)],
        600,
        60_000,
    );
    assert!(
        met.contains(&Said::Full) && met.contains(&Said::BadIndex),
        "{met:?}"
    );
}
