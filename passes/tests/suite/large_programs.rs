//! Large programs stay affordable.

use hardpath_testkit::programs::{dataflow, Shape};
use hardpath_testkit::{assert_same, assert_valid, Random};
use std::time::{Duration, Instant};

/// Generous: a slow machine with other work on it must not fail.
const LIMIT: Duration = Duration::from_secs(20);

fn check(shape: Shape, seed: u64, least: usize) {
    let mut random = Random::new(seed);
    let mut before = dataflow(&mut random, shape);
    while before.insts_in_order().count() < shape.operations as usize / 2 {
        before = dataflow(&mut random, shape);
    }
    let start = Instant::now();
    let mut after = before.clone();
    hardpath_passes::optimize_dataflow(&mut after).expect("nothing to refuse");
    let passed = start.elapsed();
    let count = after.insts_in_order().count();
    println!("{count} instructions after {passed:?}");
    assert!(count >= least, "{count}");
    assert_valid(&after, "optimized");
    assert_same(&before, &after, &mut random, 20, "large");
    assert!(passed < LIMIT, "{passed:?}");
}

#[test]
fn three_thousand_operations() {
    let shape = Shape {
        operations: 3000,
        keep_all: true,
        ..Shape::default()
    };
    check(shape, 4, 2000);
}

#[test]
fn many_divisions() {
    let shape = Shape {
        operations: 2000,
        divisions: true,
        keep_all: true,
        ..Shape::default()
    };
    check(shape, 7, 5000);
}
