//! The arithmetic of a lane: every operation, every width, one a clock.

use crate::bench::Bench;
use crate::reference::{compute, insert, number};
use hardpath_core::hardware::alu::{alu, AluControlIn, ALU_CLOCKS};
use hardpath_core::isa::{Compute, Condition};
use hardpath_rtl::signals::Signals;
use hardpath_testkit::Random;
use std::collections::VecDeque;

pub const COMPUTES: [Compute; 8] = [
    Compute::Add,
    Compute::Sub,
    Compute::And,
    Compute::Or,
    Compute::Xor,
    Compute::Shl,
    Compute::LShr,
    Compute::AShr,
];
pub const CONDITIONS: [Condition; 8] = [
    Condition::Eq,
    Condition::Ne,
    Condition::Ult,
    Condition::Ule,
    Condition::Slt,
    Condition::Sle,
    Condition::Any,
    Condition::Disjoint,
];

/// One operation, what comes of it, and its condition's outcome.
struct Case {
    control: AluControlIn<u64>,
    a: u64,
    b: u64,
    result: Option<u64>,
    outcome: Option<bool>,
}

/// Gives the cases to the hardware one a clock.
fn check(cases: impl Iterator<Item = Case>) {
    let mut bench = Bench::of(alu("alu"));
    let mut results: VecDeque<Option<u64>> = [None; ALU_CLOCKS as usize].into();
    let mut outcomes: VecDeque<Option<bool>> = [None; 2].into();
    for case in cases {
        bench.set("a", case.a);
        bench.set("b", case.b);
        case.control
            .map(&mut |name, _, value| bench.set(name, value));
        bench.step();
        if let Some(want) = results.pop_front().unwrap() {
            assert_eq!(bench.get("result"), want);
        }
        if let Some(want) = outcomes.pop_front().unwrap() {
            assert_eq!(bench.get("outcome") == 1, want);
        }
        results.push_back(case.result);
        outcomes.push_back(case.outcome);
    }
}

#[test]
fn every_computation_in_every_width() {
    let mut random = Random::new(2);
    let mut cases = Vec::new();
    for op in COMPUTES {
        for width in 1..=64 {
            for _ in 0..60 {
                let (a, b) = (number(&mut random), number(&mut random));
                cases.push(Case {
                    control: AluControlIn::of_compute(op, width).unwrap(),
                    a,
                    b,
                    result: Some(compute(op, width, a, b)),
                    outcome: None,
                });
            }
        }
    }
    check(cases.into_iter());
}

#[test]
fn every_distance_of_shifts() {
    let mut random = Random::new(3);
    let mut cases = Vec::new();
    for op in [Compute::Shl, Compute::LShr, Compute::AShr] {
        for by in (0..=130).chain([255, 256, 1 << 32, 1 << 63, u64::MAX]) {
            for width in [64, 32, 1, 64] {
                let a = random.next() | 1 << 63;
                for a in [a, a >> 1] {
                    cases.push(Case {
                        control: AluControlIn::of_compute(op, width).unwrap(),
                        a,
                        b: by,
                        result: Some(compute(op, width, a, by)),
                        outcome: None,
                    });
                }
            }
        }
    }
    check(cases.into_iter());
}

#[test]
fn every_insertion_and_moves_between_them() {
    let mut random = Random::new(4);
    let mut cases = Vec::new();
    for lo in 0..64 {
        for width in 1..=64 - lo {
            for moves in [false, false, true] {
                let (a, b) = (number(&mut random), number(&mut random));
                let (control, result) = match moves {
                    true => (AluControlIn::of_move(), a),
                    false => (AluControlIn::of_insert(lo, width), insert(a, b, lo, width)),
                };
                cases.push(Case {
                    control,
                    a,
                    b,
                    result: Some(result),
                    outcome: None,
                });
            }
        }
    }
    check(cases.into_iter());
}

#[test]
fn every_condition() {
    let mut random = Random::new(5);
    let mut cases = Vec::new();
    for _ in 0..2000 {
        for condition in CONDITIONS {
            let a = number(&mut random);
            let b = match random.below(4) {
                0 => a,
                1 => a.wrapping_add(random.below(3)).wrapping_sub(1),
                2 => !a,
                _ => number(&mut random),
            };
            cases.push(Case {
                control: AluControlIn::of_test(condition),
                a,
                b,
                result: None,
                outcome: Some(condition.holds(a, b)),
            });
        }
    }
    check(cases.into_iter());
}
