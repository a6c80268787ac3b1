//! A program as a pipeline, for traffic ([`Running`]).

use crate::case::read;
use crate::running::valid;
pub use crate::running::{Manner, Running, MANNERS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, Compiled, Options};
use std::ops::{Deref, DerefMut};

/// A program in hardware.
pub struct Hardware {
    /// The design that stands in the simulator, with its ports and the report on it.
    pub compiled: Compiled,
    running: Running,
}

impl Deref for Hardware {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl DerefMut for Hardware {
    fn deref_mut(&mut self) -> &mut Running {
        &mut self.running
    }
}

impl Hardware {
    /// The program of a text, for streams of so many bits and a clock of 250 MHz.
    ///
    /// # Panics
    /// As [`Hardware::at`].
    pub fn new(text: &str, bus_bits: u32) -> Hardware {
        Hardware::at(text, bus_bits, 250.0)
    }

    /// The program of a text, for streams of so many bits and a clock of so many MHz; compiled, checked and reset.
    ///
    /// # Panics
    /// The text is no program, the program is refused, or the design breaks a rule.
    pub fn at(text: &str, bus_bits: u32, clock_mhz: f64) -> Hardware {
        Hardware::of(read(text), bus_bits, clock_mhz).unwrap_or_else(|errors| {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", list.join("\n"))
        })
    }

    /// Compiles, checks and resets.
    pub fn of(
        program: Program,
        bus_bits: u32,
        clock_mhz: f64,
    ) -> Result<Hardware, Vec<Diagnostic>> {
        let options = Options {
            clock_mhz,
            bus_bits,
            // At slow clocks sums and compares as carry chains have their turn.
            technology: if clock_mhz < 100.0 {
                &ECP5
            } else {
                &ULTRASCALE_PLUS
            },
            journal: true,
            ..Options::default()
        };
        let compiled = compile(program.clone(), &options)?;
        valid(&compiled.design, &program);
        Ok(Hardware::with(program, compiled))
    }

    /// What was compiled before, perhaps changed since.
    pub fn with(program: Program, compiled: Compiled) -> Hardware {
        let (design, interface) = (&compiled.design, compiled.interface.clone());
        let shown = compiled.scheduled.to_string();
        Hardware {
            running: Running::new(program, design, interface, shown),
            compiled,
        }
    }

    /// How a map's hazard is handled, as the report says.
    pub fn hazard(&self, map: &str) -> String {
        let report = self
            .compiled
            .report
            .maps
            .iter()
            .find(|report| report.name == map);
        format!("{:?}", report.expect("a map of that name").hazard).to_lowercase()
    }
}
