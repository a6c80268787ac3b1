//! The simulators of a design. Each is built once, and every run has one of its own that is fresh.

use hardpath_diagnostic::Diagnostic;
use hardpath_rtl::Design;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::native::Native;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use std::sync::{Mutex, PoisonError};

/// The simulator that a design runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Compiled to machine code in this process.
    Native,
    /// Built from the SystemVerilog that is printed.
    Verilator,
}

/// Those of one design, built when they are first asked for. What ran before is in none that it gives.
#[derive(Default)]
pub struct Engines {
    native: Mutex<Option<Native>>,
}

impl Engines {
    /// A fresh one with the design, which is the same each time.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn start(&self, design: &Design, engine: Engine) -> Result<Box<dyn Dut>, Diagnostic> {
        Ok(match engine {
            Engine::Native => Box::new(self.native(design)?),
            Engine::Verilator => {
                let options = VerilatorOptions {
                    cxx_optimization: 0,
                    ..VerilatorOptions::default()
                };
                Box::new(Verilator::new(design, &options)?)
            }
        })
    }

    /// A fresh native one.
    ///
    /// # Errors
    /// As for [`Engines::start`].
    pub fn native(&self, design: &Design) -> Result<Native, Diagnostic> {
        let mut native = self.native.lock().unwrap_or_else(PoisonError::into_inner);
        match &*native {
            Some(native) => Ok(native.fresh()),
            None => Ok(native.insert(Native::new(design)?).fresh()),
        }
    }
}
