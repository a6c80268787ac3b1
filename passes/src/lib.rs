//! IR → IR: one file a pass, plain functions, and one list that says in which order they run and why.

mod arrival;
mod bytes_to_values;
mod dce;
mod demanded;
mod dominators;
mod facts;
mod fold;
mod narrow;
mod pieces;
mod reassociate;
mod rewrite;
mod tree;
mod value_set;

use hardpath_ir::{Diagnostic, Program};

/// A pass: a name for the command line, what it does in one line, and the function.
pub struct Pass {
    pub name: &'static str,
    pub summary: &'static str,
    /// Gives whether the program changed.
    pub run: fn(&mut Program) -> Result<bool, Diagnostic>,
}

/// Every pass, in alphabetical order.
pub fn all() -> &'static [Pass] {
    &[
        Pass {
            name: "bytes_to_values",
            summary: "make values of stack and packet bytes (control flow)",
            run: bytes_to_values::run,
        },
        Pass {
            name: "dce",
            summary: "remove what nobody needs and join blocks",
            run: dce::run,
        },
        Pass {
            name: "fold",
            summary: "compute constants and simplify single operations",
            run: fold::run,
        },
        Pass {
            name: "narrow",
            summary: "run every operation at the width that matters",
            run: narrow::run,
        },
        Pass {
            name: "reassociate",
            summary: "make trees of chains of additions and logic",
            run: reassociate::run,
        },
    ]
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    all().iter().find(|pass| pass.name == name)
}

/// Passes on a program in the control-flow phase.
pub fn optimize_control_flow(program: &mut Program) -> Result<(), Diagnostic> {
    fold::run(program)?;
    dce::run(program)?;
    Ok(())
}

/// Passes on a program in the dataflow phase.
pub fn optimize_dataflow(program: &mut Program) -> Result<(), Diagnostic> {
    fold::run(program)?;
    dce::run(program)?;
    Ok(())
}
