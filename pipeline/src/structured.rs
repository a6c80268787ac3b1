//! What a structured program has and no pipeline: every packet takes the same way through it, once.

use crate::refuse::whole;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::Bound;
use hardpath_ir::{Block, Phase, Program};

const PASSES: &str = "inline, expand, unroll and flatten make control flow of the program";

/// # Errors
/// The program is in the structured phase: each of its loops, or that.
pub fn check(program: &Program) -> Result<(), Vec<Diagnostic>> {
    if program.phase != Phase::Structured {
        return Ok(());
    }
    let heads = program.all_blocks().filter_map(|block| {
        let bound = program.blocks[block].bound?;
        Some(of_loop(program, block, bound))
    });
    let mut errors: Vec<Diagnostic> = heads.collect();
    if errors.is_empty() {
        let message =
            "a pipeline is made of control flow, and the program is in the structured phase";
        errors.push(refuse(message).at(whole(program)).help(PASSES));
    }
    Err(errors)
}

fn of_loop(program: &Program, head: Block, bound: Bound) -> Diagnostic {
    let (message, help) = match bound {
        Bound::Unknown => (
            "only the data say how often this loop goes round, and in a pipeline every round is hardware of its own",
            "bound the number of rounds with a constant, and let the loop end earlier where the data say so",
        ),
        _ => (
            "in a pipeline every round of a loop is hardware of its own, and this one has not been written out",
            PASSES,
        ),
    };
    refuse(message).at(program.block_place(head)).help(help)
}

fn refuse(message: &str) -> Diagnostic {
    Diagnostic::refused("structured-program", message)
}
