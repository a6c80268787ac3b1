//! What random modules get at their inputs, clock by clock, and what they must then show at their outputs.

use crate::random;
use hardpath_rtl::{Design, Direction};
use hardpath_testkit::Random;

pub const CLOCKS: usize = 150;

pub struct Recording {
    /// Bits of all inputs together: `rst` is bit 0, then come the inputs of the modules, which have the same ones.
    pub input_bits: u32,
    /// Name and width of every module's outputs, as `random3_out0`.
    pub outputs: Vec<(String, u32)>,
    /// For each clock the inputs, least significant bit first.
    pub stimuli: Vec<Vec<bool>>,
    /// For each clock every output in hexadecimal digits.
    pub expected: Vec<String>,
}

/// Runs the modules in the interpreter.
pub fn record(designs: &[Design]) -> Recording {
    let first = &designs[0].modules[designs[0].top()];
    let inputs = |port: &&hardpath_rtl::Port| port.direction == Direction::Input;
    let widths: Vec<u32> = first.ports.iter().filter(inputs).map(|p| p.width).collect();
    let mut outputs = Vec::new();
    for design in designs {
        let module = &design.modules[design.top()];
        let driven = module.ports.iter().filter(|port| !inputs(port));
        outputs.extend(driven.map(|port| (format!("{}_{}", module.name, port.name), port.width)));
    }
    let mut interpreters: Vec<random::Interpreter> = designs
        .iter()
        .map(|design| random::Interpreter::new(design, design.top()))
        .collect();
    let mut random = Random::new(99);
    let mut stimuli = Vec::new();
    let mut expected = Vec::new();
    for clock in 0..CLOCKS {
        let reset = clock > 20 && random.below(20) == 0;
        let inputs = widths.iter().map(|width| random::bits(&mut random, *width));
        let inputs: Vec<Vec<bool>> = inputs.collect();
        let mut bits = vec![reset];
        inputs.iter().for_each(|input| bits.extend(input));
        stimuli.push(bits);
        for interpreter in &mut interpreters {
            let values = interpreter.clock(&inputs, reset);
            expected.extend(values.iter().map(|bits| random::hexadecimal(bits)));
        }
    }
    Recording {
        input_bits: 1 + widths.iter().sum::<u32>(),
        outputs,
        stimuli,
        expected,
    }
}

impl Recording {
    /// Compares what a simulator showed: in each clock every output.
    pub fn compare<'a>(&self, found: impl Iterator<Item = &'a str>, log: &str) {
        let found: Vec<&str> = found.collect();
        assert_eq!(found.len(), self.expected.len(), "{log}");
        for (index, (found, expected)) in found.iter().zip(&self.expected).enumerate() {
            let clock = index / self.outputs.len();
            let (output, _) = &self.outputs[index % self.outputs.len()];
            assert_eq!(
                &found.to_ascii_lowercase(),
                expected,
                "{output} in clock {clock}"
            );
        }
    }
}
