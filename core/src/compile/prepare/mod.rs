//! A program as selection takes it: without functions, and without loops where that is no loss.

mod choices;
mod early;
mod ends;
mod jumps;
mod known;
mod limits;
mod loads;
mod parts;
mod paths;
mod stores;
mod sums;

use super::savings::{Saving, Without};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Op, Phase, Program};

/// A program may become so many times as long when its loops are written out.
const MOST_GROWTH: usize = 2;
/// However long it is now, it may become so long.
const SMALL: usize = 256;

/// In the structured phase, or in control flow with the passes done that serve the core.
///
/// # Errors
/// What a pass refuses.
pub fn prepare(program: &Program, without: Without) -> Result<Program, Vec<Diagnostic>> {
    let mut prepared = program.clone();
    if prepared.phase == Phase::Structured {
        run("inline", &mut prepared)?;
        write_out(&mut prepared, without);
    }
    parts::write_in_parts(&mut prepared);
    tidy(&mut prepared)?;
    let separates = without.keeps(Saving::Ends);
    if separates {
        ends::separate(&mut prepared);
        tidy(&mut prepared)?;
    }
    if without.keeps(Saving::Known) && known::use_branches(&mut prepared) {
        tidy(&mut prepared)?;
    }
    if without.keeps(Saving::Paths) {
        while jumps::follow_constants(&mut prepared) {
            tidy(&mut prepared)?;
        }
        paths::separate(&mut prepared, without)?;
    }
    if separates {
        ends::separate(&mut prepared);
        tidy(&mut prepared)?;
    }
    let cuts = without.keeps(Saving::Fields);
    let steps: [(bool, Step); 7] = [
        (without.keeps(Saving::Choices), choices::choose),
        (without.keeps(Saving::Sums), sums::add_in_place),
        (without.keeps(Saving::Stores), stores::merge),
        (without.keeps(Saving::Loads) && cuts, loads::widen),
        (without.keeps(Saving::Loads), loads::reuse),
        (without.keeps(Saving::Early), early::read_early),
        // Of what is loaded at once now.
        (without.keeps(Saving::Stores) && cuts, stores::merge),
    ];
    for (kept, step) in steps {
        if kept && step(&mut prepared) {
            tidy(&mut prepared)?;
        }
    }
    limits::narrow(&mut prepared);
    debug_assert_eq!(hardpath_ir::verifier::verify(&prepared).err(), None);
    Ok(prepared)
}

/// What changes a program, and says whether it has.
type Step = fn(&mut Program) -> bool;

/// Brings a program without functions into control flow, unless its loops make it too long or are to stay.
fn write_out(program: &mut Program, without: Without) {
    let before = size(program);
    let has_loops = (program.order.iter()).any(|block| program.blocks[*block].bound.is_some());
    if has_loops && without.contains(Saving::Loops) {
        return;
    }
    let mut flat = program.clone();
    let flattened = hardpath_passes::lower_structured(&mut flat).is_ok();
    if flattened && size(&flat) <= SMALL.max(MOST_GROWTH * before) {
        *program = flat;
    }
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

/// It is part of what uses its result, and takes no operation of its own.
fn is_part(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Slice { .. } | Op::ZExt)
}

fn size(program: &Program) -> usize {
    let blocks = program.order.iter();
    blocks
        .map(|block| program.blocks[*block].insts.len() + 1)
        .sum()
}
