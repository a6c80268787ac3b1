//! In which order the passes run, and why.

use crate::{
    array_lookup, begins, bounds, bytes_to_values, cse, dce, expand_mul_div, fold,
    forward_map_values, merge_map_ops, merge_packet_loads, narrow, reassociate, simplify_select,
};
use crate::{count_rounds, expand, flatten, inline, phases, unroll};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{verifier, Phase, Program};

/// The clean-up passes run until nothing changes, but not more often than this: each round does less, and the last
/// few bits are not worth the time.
const MOST_ROUNDS: u32 = 8;

const MOST_EXPANSIONS: u32 = 3;

/// What is left out of the passes, to see what it gains: it makes designs smaller, and no program right or wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Operations keep the width that the front end gave them.
    pub narrow: bool,
    /// Chains stay chains.
    pub reassociate: bool,
    /// Guards and selects stay as they are.
    pub simplify_select: bool,
}

/// From the structured phase to control flow: what every target needs that has no loops of its own. A program in the
/// control-flow phase stays as it is.
///
/// # Errors
/// Loops whose bound is unknown, and what would be too large.
pub fn lower_structured(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    if program.phase == Phase::ControlFlow {
        return Ok(());
    }
    let phases = [Phase::Structured, Phase::ControlFlow];
    phases::check("lower_structured", &phases, program).map_err(|error| vec![error])?;
    // First: what is in a function may be in a loop of the caller.
    run_several(program, inline::run)?;
    // Before the loops: what is in one is made once, and copied.
    run_several(program, expand::run)?;
    // Where arguments of functions are known.
    run(program, count_rounds::run).map_err(|error| vec![error])?;
    run_several(program, unroll::run)?;
    run_several(program, flatten::run)?;
    Ok(())
}

/// Passes on a program in the control-flow phase, as it comes from a front end.
///
/// # Errors
/// What a pass refuses.
pub fn optimize_control_flow(program: &mut Program) -> Result<(), Diagnostic> {
    optimize_control_flow_without(program, Omitted::default())
}

/// The same with passes left out.
///
/// # Errors
/// What a pass refuses.
pub fn optimize_control_flow_without(
    program: &mut Program,
    omitted: Omitted,
) -> Result<(), Diagnostic> {
    phases::check("optimize_control_flow", &[Phase::ControlFlow], program)?;
    // Lengths that are read and written are computed in the same way here; which of them come together is no longer seen when ways have
    // become selects.
    run(program, begins::run)?;
    // Offsets into stack and packet become constants where they are; dead branches are gone before their accesses
    // count.
    run(program, fold::run)?;
    run(program, dce::run)?;
    // An array's lookup is a compare: its key can be narrowed, and its entry is known to be an index.
    run(program, array_lookup::run)?;
    run(program, dce::run)?;
    // Before everything that looks at values: what went through memory hides what it is.
    run(program, bytes_to_values::run)?;
    run(program, dce::run)?;
    clean_up(program, omitted)?;
    // Only now is seen which bytes are read together.
    if run(program, merge_packet_loads::run)? {
        clean_up(program, omitted)?;
    }
    Ok(())
}

/// Passes on a program in the control-flow phase for a target that has memories of its own for packet and stack: accesses stay
/// accesses, but for a stack whose offsets are all known.
///
/// # Errors
/// What a pass refuses.
pub fn optimize_in_memory(program: &mut Program) -> Result<(), Diagnostic> {
    phases::check("optimize_in_memory", &[Phase::ControlFlow], program)?;
    run(program, fold::run)?;
    run(program, dce::run)?;
    run(program, array_lookup::run)?;
    run(program, dce::run)?;
    // A stack with an offset that nobody knows stays one.
    let mut promoted = program.clone();
    if bytes_to_values::promote_stack(&mut promoted).is_ok() {
        *program = promoted;
    }
    run(program, dce::run)?;
    clean_up(program, Omitted::default())
}

/// Passes on a program in the dataflow phase.
///
/// # Errors
/// What a pass refuses.
pub fn optimize_dataflow(program: &mut Program) -> Result<(), Diagnostic> {
    optimize_dataflow_without(program, Omitted::default())
}

/// The same with passes left out.
///
/// # Errors
/// What a pass refuses.
pub fn optimize_dataflow_without(
    program: &mut Program,
    omitted: Omitted,
) -> Result<(), Diagnostic> {
    phases::check("optimize_dataflow", &[Phase::Dataflow], program)?;
    // Guards first say much twice; tidy ones are what merge_map_ops reads.
    clean_up(program, omitted)?;
    if run(program, merge_map_ops::run)? {
        clean_up(program, omitted)?;
    }
    // Last: it needs final widths, and what it makes no longer looks like a division. Once more where cleaning up has
    // joined products again.
    for _ in 0..MOST_EXPANSIONS {
        if !run(program, expand_mul_div::run)? {
            break;
        }
        clean_up(program, omitted)?;
    }
    Ok(())
}

/// Makes everything simpler and narrower until nothing changes.
fn clean_up(program: &mut Program, omitted: Omitted) -> Result<(), Diagnostic> {
    for _ in 0..MOST_ROUNDS {
        // Local rules make the shapes that the other passes look for; they share equal values as they go.
        let mut changed = run(program, fold::run)?;
        // Dead users make a value look as if it were used twice: away with them before every pass that asks.
        changed |= run(program, dce::run)?;
        // Before the selects: the range of a value that is chosen is lost when the choice has become logic.
        changed |= run(program, bounds::run)?;
        changed |= run(program, dce::run)?;
        if !omitted.simplify_select {
            changed |= run(program, simplify_select::run)?;
            changed |= run(program, dce::run)?;
        }
        // After the selects: an arm that is gone no longer widens the result.
        if !omitted.narrow {
            changed |= run(program, narrow::run)?;
            changed |= run(program, dce::run)?;
        }
        // After narrowing: whether a sum can overflow is seen at its true width, and widths decide the tree.
        if !omitted.reassociate {
            changed |= run(program, reassociate::run)?;
        }
        changed |= run(program, cse::run)?;
        // Behind cse, because it compares entries and offsets by name.
        changed |= run(program, forward_map_values::run)?;
        changed |= run(program, dce::run)?;
        if !changed {
            break;
        }
    }
    Ok(())
}

/// Runs a pass, and in debug builds the verifier after it.
fn run(
    program: &mut Program,
    pass: fn(&mut Program) -> Result<bool, Diagnostic>,
) -> Result<bool, Diagnostic> {
    let changed = pass(program)?;
    match check(program, changed).into_iter().next() {
        Some(first) => Err(first),
        None => Ok(changed),
    }
}

/// The same for a pass that may refuse several things.
fn run_several(
    program: &mut Program,
    pass: fn(&mut Program) -> Result<bool, Vec<Diagnostic>>,
) -> Result<bool, Vec<Diagnostic>> {
    let changed = pass(program)?;
    let errors = check(program, changed);
    match errors.is_empty() {
        true => Ok(changed),
        false => Err(errors),
    }
}

/// In debug builds, what the verifier says behind a pass that has changed something.
fn check(program: &Program, changed: bool) -> Vec<Diagnostic> {
    match cfg!(debug_assertions) && changed {
        true => verifier::verify(program).err().unwrap_or_default(),
        false => Vec::new(),
    }
    .into_iter()
    .map(Diagnostic::from)
    .collect()
}
