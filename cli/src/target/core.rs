//! The core: a processor that runs the program, row by row. The compiler is there; the hardware comes later.

use super::{Asked, Hardware, Target};
use crate::source::Loaded;
use hardpath_core::compile::{self, Compiled};
use hardpath_core::image::Machine;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_ir::{Phase, Program};

const TO_COME: &str = "the processor that runs the rows is not there";

pub struct Core;

/// The core that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Processor {
    /// What programs have to know of it.
    pub machine: Machine,
    /// Packets that it works on at a time. No program depends on that.
    pub threads: u32,
}

impl Processor {
    pub const USUAL_LANES: u8 = 4;
    pub const USUAL_THREADS: u32 = 16;

    pub fn new(lanes: Option<u8>, threads: Option<u32>) -> Processor {
        Processor {
            machine: Machine::with_lanes(lanes.unwrap_or(Processor::USUAL_LANES)),
            threads: threads.unwrap_or(Processor::USUAL_THREADS),
        }
    }

    /// What runs programs until the hardware is there.
    pub fn rows(&self) -> String {
        let lanes = counted(self.machine.lanes, "lane");
        format!("rows of a core with {lanes}, run by their interpreter")
    }
}

impl Target for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn takes_loops(&self) -> bool {
        true
    }

    fn to_come(&self) -> Option<&'static str> {
        Some(TO_COME)
    }

    /// That of which rows are made.
    fn forms(&self) -> &'static [&'static str] {
        &["prepared"]
    }

    fn last_form(&self, loaded: &Loaded, asked: &Asked) -> Result<Program, Vec<Diagnostic>> {
        Ok(rows(loaded, asked)?.program)
    }

    /// None in front of the last one.
    fn form(&self, _: &str, program: Program) -> Result<Program, Vec<Diagnostic>> {
        Ok(program)
    }

    fn compile(&self, _: Program, _: &Asked) -> Result<Hardware, Vec<Diagnostic>> {
        Err(vec![super::to_come(self, TO_COME)])
    }

    fn refusals(&self, part: Program, asked: &Asked) -> Vec<Diagnostic> {
        let rows = compile::compile(&part, &machine(asked));
        rows.err().unwrap_or_default()
    }
}

/// A program as rows. What was to be said of the program stands in front of the errors.
///
/// # Errors
/// Everything that keeps the program from becoming rows, each with its place; `wrong-phase`.
pub fn rows(loaded: &Loaded, asked: &Asked) -> Result<Compiled, Vec<Diagnostic>> {
    let program = &loaded.program;
    if program.phase != Phase::Structured {
        super::in_control_flow(program, "the core").map_err(|error| vec![error])?;
    }
    let rows = compile::compile(program, &machine(asked));
    rows.map_err(|errors| [loaded.warnings.clone(), errors].concat())
}

fn machine(asked: &Asked) -> Machine {
    let processor = asked.kind.processor.clone();
    processor
        .unwrap_or_else(|| Processor::new(None, None))
        .machine
}
