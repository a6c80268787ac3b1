//! Sums and compares as logic, as they are simulated, beside what numbers say. What is printed is proved in
//! [`crate::proofs`].

use crate::bench::Bench;
use crate::random::Random;
use hardpath_blocks::arithmetic;
use hardpath_rtl::{Design, Module};

/// All pairs of short numbers; of long ones random pairs, neighbours, and the ends.
fn pairs(width: u32, random: &mut Random) -> Vec<(u64, u64)> {
    let most = u64::MAX >> (64 - width);
    if width <= 4 {
        let all = 0..=most;
        return all.flat_map(|a| (0..=most).map(move |b| (a, b))).collect();
    }
    let mut pairs = vec![
        (0, 0),
        (0, most),
        (most, 0),
        (most, most),
        (most, 1),
        (1, most),
    ];
    for _ in 0..200 {
        let (a, b) = (random.next() & most, random.next() & most);
        // A long carry, and numbers that differ in one bit.
        let place = random.below(u64::from(width)) as u32;
        pairs.extend([
            (a, b),
            (a, a),
            (a, a ^ 1 << place),
            (a, !a & most),
            (a, (!a & most) ^ 1 << place),
        ]);
    }
    pairs
}

const WIDTHS: [u32; 18] = [
    1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 17, 24, 32, 33, 48, 63, 64,
];

#[test]
fn sums_and_differences() {
    let mut random = Random::new(1);
    for width in WIDTHS {
        let most = u64::MAX >> (64 - width);
        for subtracts in [false, true] {
            let mut bench = Bench::of(arithmetic::adder("adder", width, subtracts));
            for (a, b) in pairs(width, &mut random) {
                bench.set("a", a);
                bench.set("b", b);
                bench.step();
                let expected = match subtracts {
                    true => a.wrapping_sub(b) & most,
                    false => a.wrapping_add(b) & most,
                };
                assert_eq!(
                    bench.get("sum"),
                    expected,
                    "{width} bits: {a:#x}, {b:#x}, {subtracts}"
                );
            }
        }
    }
}

#[test]
fn compares() {
    let mut random = Random::new(2);
    for width in WIDTHS {
        let mut m = Module::new("compares", "");
        let (a, b) = (m.input("a", width, ""), m.input("b", width, ""));
        let (signed_a, signed_b) = arithmetic::without_signs(&mut m, a, b);
        let mut design = Design::new();
        for or_equal in [false, true] {
            let name = if or_equal { "at_most" } else { "less" };
            let id = design.add(arithmetic::comparer(name, width, or_equal));
            let comparer = &design.modules[id];
            for (output, a, b) in [
                (name.to_string(), a, b),
                (format!("{name}_signed"), signed_a, signed_b),
            ] {
                let instance =
                    m.instance(comparer, id, format!("u_{output}"), &[("a", a), ("b", b)]);
                let result = m.instance_output(comparer, instance, "holds");
                m.output(output, result, "");
            }
        }
        design.add(m);
        let mut bench = Bench::new(&design);
        for (a, b) in pairs(width, &mut random) {
            bench.set("a", a);
            bench.set("b", b);
            bench.step();
            let signed = |x: u64| (x << (64 - width)) as i64 >> (64 - width);
            let expected = [
                ("less", a < b),
                ("at_most", a <= b),
                ("less_signed", signed(a) < signed(b)),
                ("at_most_signed", signed(a) <= signed(b)),
            ];
            for (name, expected) in expected {
                assert_eq!(
                    bench.get(name),
                    u64::from(expected),
                    "{width} bits: {name} {a:#x}, {b:#x}"
                );
            }
        }
    }
}
