//! How large a program may become when loops and functions are written out.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::count::grouped;
use hardpath_ir::graph::MAX_DEPTH;
use hardpath_ir::{Block, Program};

/// The most instructions, ends of blocks among them, of a program that passes write out.
pub const MOST_INSTRUCTIONS: u64 = 1 << 18;

/// `what` would have more than that.
pub fn too_large(what: &str, instructions: u64, place: Place) -> Diagnostic {
    let (found, most) = (grouped(instructions), grouped(MOST_INSTRUCTIONS));
    let message =
        format!("{what} has {found} instructions, more than the {most} that are written out");
    Diagnostic::refused("program-too-large", message).at(place)
}

/// With functions in place of their calls, loops are nested too deep.
pub fn too_deep(program: &Program, order: &[Block]) -> Diagnostic {
    let message = format!(
        "with all functions in place of their calls, loops are nested more than {MAX_DEPTH} deep"
    );
    let place = order.first().map(|block| program.block_place(*block));
    Diagnostic::refused("loop", message)
        .at(place.unwrap_or_default())
        .help("call functions that have loops from outside of loops")
}
