//! Random designs: the simulator and an obvious evaluator give the same outputs, state and broken assertions at every
//! clock.

mod generator;
mod reference;

use fastrand::Rng;
use hardpath_rtl::{borrow, check, spread, Direction};
use hardpath_rtlsim::{SimError, Simulator};
use reference::{from_limbs, Reference};

/// Designs in a plain run; `HARDPATH_RTLSIM_DESIGNS` asks for another number.
const DESIGNS: u64 = 1000;

#[test]
fn simulator_agrees_with_the_reference() {
    let designs = match std::env::var("HARDPATH_RTLSIM_DESIGNS") {
        Ok(number) => number.parse().expect("a number of designs"),
        Err(_) => DESIGNS,
    };
    for seed in 0..designs {
        compare(seed, 120, 60, Variant::Plain);
    }
}

#[test]
fn simulator_agrees_with_two_clocks() {
    for seed in 3_000_000..3_000_400 {
        compare(seed, 120, 80, Variant::TwoClocks);
    }
}

#[test]
fn simulator_agrees_on_large_designs() {
    for seed in 1_000_000..1_000_012 {
        compare(seed, 1000, 100, Variant::Plain);
    }
}

/// Copies of registers, and what they are led through, change nothing.
#[test]
fn a_design_with_spread_loads_does_the_same() {
    for seed in 2_000_000..2_000_100 {
        compare(seed, 120, 60, Variant::Spread(40));
    }
}

/// A word is less than another where their difference borrows.
#[test]
fn a_design_with_borrows_does_the_same() {
    for seed in 4_000_000..4_000_200 {
        compare(seed, 120, 60, Variant::Borrows(4));
    }
}

/// What is special about a design.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    Plain,
    /// Loads above this are spread in the design that is simulated.
    Spread(u32),
    /// Orders of words of so many bits and more are borrows in the design that is simulated.
    Borrows(u32),
    TwoClocks,
}

fn compare(seed: u64, nodes: usize, clocks: u64, variant: Variant) {
    let mut design = generator::design(seed, nodes);
    if variant == Variant::TwoClocks {
        generator::with_two_clocks(&mut design, &mut Rng::with_seed(seed));
    }
    let mut simulated = design.clone();
    match variant {
        Variant::Spread(most) => spread::spread(&mut simulated, most),
        Variant::Borrows(least) => borrow::by_borrow(&mut simulated, least),
        Variant::Plain | Variant::TwoClocks => {}
    }
    if matches!(variant, Variant::Spread(_) | Variant::Borrows(_)) {
        // Some of these designs have memories that a tool would refuse.
        if check::check(&design).is_ok() {
            assert_eq!(check::check(&simulated), Ok(()), "seed {seed}");
        }
    }
    let mut simulator =
        Simulator::new(&simulated).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut reference = Reference::new(&design);
    let mut rng = Rng::with_seed(!seed);
    let names = design.modules[design.top()].clocks.values();
    let pins: Vec<_> = names
        .map(|clock| {
            let reset = simulator.input(&clock.reset).unwrap();
            (simulator.clock(&clock.name).unwrap(), reset)
        })
        .collect();
    for clock in 0..clocks {
        let mut edges = Vec::new();
        for (index, (pin, reset)) in pins.iter().enumerate() {
            reference.resets[index] = rng.u8(..24) == 0;
            reference.edges[index] = pins.len() == 1 || rng.u8(..3) != 0;
            simulator.set_u64(*reset, u64::from(reference.resets[index]));
            edges.extend(Some(*pin).filter(|_| reference.edges[index]));
        }
        for port in &design.modules[design.top()].ports {
            if port.direction == Direction::Input && (clock == 0 || rng.u8(..4) != 0) {
                let limbs = generator::limbs(&mut rng, port.width);
                simulator.set(simulator.input(&port.name).unwrap(), &limbs);
                reference
                    .inputs
                    .insert(port.name.clone(), from_limbs(&limbs));
            }
        }
        let result = match edges.len() == pins.len() {
            true => simulator.step(),
            false => simulator.step_on(&edges),
        };
        reference.step();
        match (result, reference.broken.is_empty()) {
            (Ok(()), true) => {}
            (
                Err(SimError::Assertion {
                    name, clock: at, ..
                }),
                false,
            ) => {
                assert!(
                    reference.broken.contains(&name),
                    "seed {seed}, clock {clock}: {name}"
                );
                assert_eq!(at, clock);
            }
            (result, _) => {
                panic!(
                    "seed {seed}, clock {clock}: {result:?}, expected {:?}",
                    reference.broken
                )
            }
        }
        for (name, expected) in &reference.outputs {
            let got = simulator.get(simulator.output(name).unwrap());
            assert_eq!(
                from_limbs(got),
                *expected,
                "seed {seed}, clock {clock}, output {name}"
            );
        }
        if clock % 16 == 0 && !matches!(variant, Variant::Spread(_)) {
            for (name, expected) in reference.states() {
                if let Some(got) = simulator.peek(&name) {
                    assert_eq!(
                        from_limbs(&got),
                        expected,
                        "seed {seed}, clock {clock}, {name}"
                    );
                }
            }
        }
    }
    assert_eq!(simulator.clock_count(), clocks);
}
