//! Random designs: the simulator and an obvious evaluator give the same outputs, state and broken assertions at every
//! clock.

mod generator;
mod reference;

use fastrand::Rng;
use hardpath_rtl::{check, spread, Direction};
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
        compare(seed, 120, 60, None);
    }
}

#[test]
fn simulator_agrees_on_large_designs() {
    for seed in 1_000_000..1_000_012 {
        compare(seed, 1000, 100, None);
    }
}

/// Copies of registers, and what they are led through, change nothing.
#[test]
fn a_design_with_spread_loads_does_the_same() {
    for seed in 2_000_000..2_000_100 {
        compare(seed, 120, 60, Some(40));
    }
}

/// `most`: loads above this are spread in the design that is simulated.
fn compare(seed: u64, nodes: usize, clocks: u64, most: Option<u32>) {
    let design = generator::design(seed, nodes);
    let mut simulated = design.clone();
    if let Some(most) = most {
        spread::spread(&mut simulated, most);
        // Some of these designs have memories that a tool would refuse.
        if check::check(&design).is_ok() {
            assert_eq!(check::check(&simulated), Ok(()), "seed {seed}");
        }
    }
    let mut simulator =
        Simulator::new(&simulated).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut reference = Reference::new(&design);
    let mut rng = Rng::with_seed(!seed);
    let reset = simulator.input("rst").unwrap();
    for clock in 0..clocks {
        reference.reset = rng.u8(..24) == 0;
        simulator.set_u64(reset, u64::from(reference.reset));
        for port in &design.modules[design.top()].ports {
            if port.direction == Direction::Input && (clock == 0 || rng.u8(..4) != 0) {
                let limbs = generator::limbs(&mut rng, port.width);
                simulator.set(simulator.input(&port.name).unwrap(), &limbs);
                reference
                    .inputs
                    .insert(port.name.clone(), from_limbs(&limbs));
            }
        }
        let result = simulator.step();
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
        if clock % 16 == 0 && most.is_none() {
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
