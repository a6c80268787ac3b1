//! Every pass keeps the meaning of random programs: the interpreter runs them before and after.

mod support;

use hardpath_ir::Program;
use support::generator::{control_flow, dataflow, Shape};
use support::random::Random;
use support::{assert_same, assert_valid};

/// Programs for each pass and phase.
const PROGRAMS: u64 = 1500;

/// Set to run other programs than usual: `SEED=7 cargo test -p hardpath-passes`.
fn seed() -> u64 {
    std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"))
}

/// Runs passes one after the other, each checked, over many random programs.
fn check(passes: &[&str], make: fn(&mut Random, Shape) -> Program, shape: Shape, programs: u64) {
    for number in 0..programs {
        let mut random = Random::new(seed() * 1_000_003 + number);
        let operations = 1 + number % shape.operations;
        let shape = Shape {
            operations,
            ..shape
        };
        let before = make(&mut random, shape);
        assert_valid(&before, "generated");
        let mut after = before.clone();
        for name in passes {
            let what = format!("program {number}, pass {name}");
            let pass = hardpath_passes::find(name).expect("a pass");
            (pass.run)(&mut after).expect("nothing to refuse");
            assert_valid(&after, &format!("{what}\nbefore:\n{before}\n"));
            assert_same(&before, &after, &mut random, 12, &what);
        }
    }
}

const SHAPE: Shape = Shape {
    operations: 24,
    divisions: true,
    memory: false,
};

fn check_both(passes: &[&str]) {
    check(passes, dataflow, SHAPE, PROGRAMS);
    check(passes, control_flow, SHAPE, PROGRAMS);
}

#[test]
fn fold() {
    check_both(&["fold"]);
}

#[test]
fn dce() {
    check_both(&["dce"]);
}

#[test]
fn narrow() {
    check_both(&["narrow"]);
}

#[test]
fn reassociate() {
    check_both(&["reassociate", "dce", "reassociate"]);
}

#[test]
fn bytes_to_values() {
    let shape = Shape {
        memory: true,
        ..SHAPE
    };
    check(&["bytes_to_values"], control_flow, shape, 2 * PROGRAMS);
}

#[test]
fn fold_and_narrow_in_turn() {
    check_both(&["narrow", "dce", "fold", "dce", "reassociate", "narrow", "fold"]);
}
