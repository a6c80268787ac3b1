//! Random programs of the IR as rows, beside the interpreter of the IR.

use crate::{is_refused, is_refused_without};
use hardpath_core::compile::savings::{Saving, Without};
use hardpath_ir::Program;
use hardpath_testkit::programs::{control_flow, structured, Shape};
use hardpath_testkit::Random;

const PROGRAMS: u64 = 300;

fn seed() -> u64 {
    std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"))
}

fn check(make: impl Fn(&mut Random) -> Program, most_refused: u64) {
    for lanes in [1, 2, 4, 8] {
        let mut refused = 0;
        for number in 0..PROGRAMS {
            let mut random = Random::new(seed() * 7_000_003 + number * 10 + u64::from(lanes));
            let program = make(&mut random);
            let what = format!("program {number} on {lanes} lanes");
            refused += u64::from(is_refused(&program, lanes, &mut random, &what));
        }
        assert!(
            refused <= most_refused,
            "{refused} refused on {lanes} lanes"
        );
    }
}

#[test]
fn computing() {
    let shape = Shape {
        operations: 12,
        divisions: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), PROGRAMS / 2);
}

#[test]
fn conditions() {
    let shape = Shape {
        operations: 20,
        logic: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), 0);
}

#[test]
fn memory_and_maps() {
    let shape = Shape {
        operations: 15,
        memory: true,
        maps: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), PROGRAMS / 2);
}

#[test]
fn loops() {
    check(structured, PROGRAMS / 2);
}

/// Each of what makes rows few left out alone, and any of it.
#[test]
fn without_savings() {
    let shape = Shape {
        operations: 20,
        logic: true,
        memory: true,
        maps: true,
        ..Shape::default()
    };
    let mut refused = 0;
    for number in 0..PROGRAMS {
        let mut random = Random::new(seed() * 9_000_001 + number);
        let without = match Saving::ALL.get(number as usize / 6) {
            Some(saving) => Without::from(*saving),
            None => {
                let some = Saving::ALL.into_iter().filter(|_| random.below(2) == 0);
                some.collect()
            }
        };
        let lanes = [1, 2, 4, 8][random.below(4) as usize];
        let program = match number % 3 {
            0 => structured(&mut random),
            _ => control_flow(&mut random, shape),
        };
        let what = format!("program {number} on {lanes} lanes without {without:?}");
        refused += u64::from(is_refused_without(
            without,
            &program,
            lanes,
            &mut random,
            &what,
        ));
    }
    assert!(refused <= PROGRAMS / 2, "{refused} refused");
}
