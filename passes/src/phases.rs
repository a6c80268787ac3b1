//! Which passes run in which phase.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Phase, Program};

/// Whether a program is in a phase that a pass is for.
///
/// # Errors
/// It is not.
pub fn check(name: &str, phases: &[Phase], program: &Program) -> Result<(), Diagnostic> {
    if phases.contains(&program.phase) {
        return Ok(());
    }
    let names: Vec<&str> = phases.iter().map(|phase| phase.name()).collect();
    let message = format!(
        "`{name}` runs on programs in the phase {}, and this one is in the phase {}",
        names.join(" or "),
        program.phase.name()
    );
    Err(Diagnostic::input("wrong-phase", message).help(way(program.phase, phases)))
}

/// How a program comes from a phase to one of others.
fn way(from: Phase, to: &[Phase]) -> &'static str {
    let wants_earlier = |earlier: &[Phase]| to.iter().all(|phase| earlier.contains(phase));
    match from {
        Phase::Structured if to.contains(&Phase::ControlFlow) => {
            "`inline`, `expand`, `unroll` and `flatten` make control flow of it"
        }
        Phase::Structured => {
            "`inline`, `expand`, `unroll` and `flatten` make control flow of it, `predicate` then dataflow"
        }
        Phase::ControlFlow if to.contains(&Phase::Dataflow) => {
            "`predicate` makes dataflow of control flow"
        }
        _ if wants_earlier(&[Phase::Structured]) => {
            "no pass leads back to loops, calls and whole operations: there is nothing to do here"
        }
        _ => "no pass leads back from here: run it on the program as it was before",
    }
}
