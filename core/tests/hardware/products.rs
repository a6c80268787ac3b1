//! Products and quotients.

use crate::bench::Bench;
use crate::reference::{compute, number};
use hardpath_core::hardware::product::{product, PRODUCT_CLOCKS};
use hardpath_core::hardware::quotient::{quotient, QuotientIn, QUOTIENT_CLOCKS};
use hardpath_core::isa::Compute;
use hardpath_testkit::Random;
use std::collections::VecDeque;

#[test]
fn a_product_every_clock() {
    let mut bench = Bench::of(product("product"));
    let mut random = Random::new(6);
    let mut expected: VecDeque<Option<u64>> = vec![None; PRODUCT_CLOCKS as usize].into();
    for clock in 0..20_000 {
        let (a, b) = match clock % 4 {
            0 => (1 << (clock / 4 % 64), 1 << (clock / 256 % 64)),
            1 => (random.next(), random.next()),
            _ => (number(&mut random), number(&mut random)),
        };
        bench.set("a", a);
        bench.set("b", b);
        bench.step();
        if let Some(want) = expected.pop_front().unwrap() {
            assert_eq!(bench.get("product"), want);
        }
        expected.push_back(Some(compute(Compute::Mul, 64, a, b)));
    }
}

const DIVISIONS: [Compute; 4] = [Compute::UDiv, Compute::URem, Compute::SDiv, Compute::SRem];

/// Starts a division, and waits for its result.
fn divide(bench: &mut Bench, op: Compute, a: u64, b: u64, tag: u64) {
    let (is_signed, is_remainder) = QuotientIn::kind(op).unwrap();
    bench.set("start", 1);
    bench.set("a", a);
    bench.set("b", b);
    bench.set("is_signed", is_signed);
    bench.set("is_remainder", is_remainder);
    bench.set("tag", tag);
    bench.step();
    assert_eq!(bench.get("busy"), 0);
    for (name, value) in [("start", 0), ("a", !a), ("b", !b), ("tag", !tag & 15)] {
        bench.set(name, value);
    }
    bench.set("is_signed", 1 - is_signed);
    bench.set("is_remainder", 1 - is_remainder);
    for clock in 1..=QUOTIENT_CLOCKS {
        bench.step();
        assert_eq!(bench.get("busy"), 1);
        assert_eq!(bench.get("done") == 1, clock == QUOTIENT_CLOCKS);
    }
    let got = (bench.get("result"), bench.get("tag_out"));
    assert_eq!(
        got,
        (compute(op, 64, a, b), tag),
        "{op:?} of {a:#x} by {b:#x}"
    );
}

#[test]
fn quotients_and_remainders_of_all_kinds() {
    let mut bench = Bench::of(quotient("quotient", 4));
    let mut random = Random::new(7);
    let edges = [0, 1, 2, 3, u64::MAX, 1 << 63, (1 << 63) - 1, (1 << 63) + 1];
    for op in DIVISIONS {
        for a in edges {
            for b in edges {
                divide(&mut bench, op, a, b, 3);
            }
        }
        for _ in 0..500 {
            let (a, b) = (number(&mut random), number(&mut random));
            divide(&mut bench, op, a, b, random.below(16));
            for _ in 0..random.below(3) {
                bench.step();
            }
        }
    }
}

#[test]
fn a_second_division_is_noticed() {
    let mut bench = Bench::of(quotient("quotient", 1));
    bench.set("start", 1);
    bench.step();
    assert!(bench.step_fails().contains("starts_when_idle"));
}
