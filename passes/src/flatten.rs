//! From the structured phase to control flow, when nothing keeps the program from it.
//!
//! [`crate::inline`], [`crate::expand`] and [`crate::unroll`] leave a program that has no functions, whole operations and loops
//! any more; this pass says so. It refuses what they have not been asked to remove.

use crate::copies::tidy;
use crate::limits::too_deep;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Op, Phase, Program};

/// # Errors
/// A function, whole operation or loop is left.
pub fn run(program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
    let order = program.order.clone();
    // A loop that nothing leads to is none.
    let order = tidy(program, &order).ok_or_else(|| vec![too_deep(program, &order)])?;
    let errors = left(program);
    if !errors.is_empty() {
        return Err(errors);
    }
    program.order = order;
    program.phase = Phase::ControlFlow;
    Ok(true)
}

/// What keeps the program from being control flow, each with its place.
fn left(program: &Program) -> Vec<Diagnostic> {
    let refuse = |what: String, place, pass: &str| {
        Diagnostic::refused("structured-program", format!("{what} is left"))
            .at(place)
            .help(format!("the pass `{pass}` removes it"))
    };
    let mut errors = Vec::new();
    for data in program.functions.values() {
        let place = data.order.first().map(|block| program.block_place(*block));
        let what = format!("the function {}", data.name);
        errors.push(refuse(what, place.unwrap_or_default(), "inline"));
    }
    for &block in &program.order {
        if program.blocks[block].bound.is_some() {
            let place = program.block_place(block);
            errors.push(refuse(String::from("a loop"), place, "unroll"));
        }
        for &inst in &program.blocks[block].insts {
            if let Op::Whole(_) = program.insts[inst].op {
                let place = program.inst_place(block, inst);
                errors.push(refuse(String::from("a whole operation"), place, "expand"));
            }
        }
    }
    errors
}
