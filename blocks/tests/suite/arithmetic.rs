//! Sums and compares as logic, as they are simulated, beside what numbers say. What is printed of sums is proved in
//! [`crate::proofs`].

use crate::bench::Bench;
use crate::random::Random;
use hardpath_blocks::arithmetic;
use hardpath_rtl::Module;

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
        let results = [
            ("less", arithmetic::less(&mut m, a, b)),
            ("at_most", arithmetic::at_most(&mut m, a, b)),
            ("less_signed", arithmetic::less_signed(&mut m, a, b)),
            ("at_most_signed", arithmetic::at_most_signed(&mut m, a, b)),
        ];
        for (name, node) in results {
            m.output(name, node, "");
        }
        let mut bench = Bench::of(m);
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
