//! A program as selection takes it: without functions, and without loops where that is no loss.

mod choices;
mod ends;
mod known;
mod limits;
mod loads;
mod paths;
mod stores;
mod sums;

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Phase, Program};

/// A program may become so many times as long when its loops are written out.
const MOST_GROWTH: usize = 2;
/// However long it is now, it may become so long.
const SMALL: usize = 256;

/// In the structured phase, or in control flow with the passes done that serve the core.
///
/// # Errors
/// What a pass refuses.
pub fn prepare(program: &Program) -> Result<Program, Vec<Diagnostic>> {
    let mut prepared = program.clone();
    if prepared.phase == Phase::Structured {
        run("inline", &mut prepared)?;
        let before = size(&prepared);
        let mut flat = prepared.clone();
        let flattened = hardpath_passes::lower_structured(&mut flat).is_ok();
        if flattened && size(&flat) <= SMALL.max(MOST_GROWTH * before) {
            prepared = flat;
        }
    }
    tidy(&mut prepared)?;
    ends::separate(&mut prepared);
    tidy(&mut prepared)?;
    if known::use_branches(&mut prepared) {
        tidy(&mut prepared)?;
    }
    paths::separate(&mut prepared)?;
    ends::separate(&mut prepared);
    tidy(&mut prepared)?;
    if choices::choose(&mut prepared) {
        tidy(&mut prepared)?;
    }
    if sums::add_in_place(&mut prepared) {
        tidy(&mut prepared)?;
    }
    if stores::merge(&mut prepared) {
        tidy(&mut prepared)?;
    }
    if loads::widen(&mut prepared) {
        tidy(&mut prepared)?;
    }
    limits::narrow(&mut prepared);
    debug_assert_eq!(hardpath_ir::verifier::verify(&prepared).err(), None);
    Ok(prepared)
}

/// What the phase allows.
fn tidy(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    match program.phase {
        Phase::ControlFlow => {
            hardpath_passes::optimize_in_memory(program).map_err(|error| vec![error])
        }
        _ => {
            run("fold", program)?;
            run("dce", program)
        }
    }
}

fn run(pass: &str, program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    let pass = hardpath_passes::find(pass).expect("it is in the list");
    pass.run(program).map(|_| ())
}

fn size(program: &Program) -> usize {
    let blocks = program.order.iter();
    blocks
        .map(|block| program.blocks[*block].insts.len() + 1)
        .sum()
}
