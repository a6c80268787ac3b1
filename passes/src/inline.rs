//! Functions in place of their calls.
//!
//! ```text
//! block0:                             block0:
//!     v2:16 = call @double v1             jump block3(v1)
//!     emit v1 with v2                    block3(v5:16):
//!                                 →       v6:16 = add v5, v5
//! function @double returns 16             jump block4(v6)
//! block1(v3:16):                      block4(v2:16):
//!     v4:16 = add v3, v3                  emit v1 with v2
//!     return v4
//! ```
//!
//! Functions that call none come first, so that what is put in place of a call has none any more. There is no recursion (rule 14 of
//! the IR), so it comes to an end.

use crate::copies::{all_or_nothing, copy_blocks, cut, tidy};
use crate::limits::{too_deep, too_large, MOST_INSTRUCTIONS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::Function;
use hardpath_ir::{Block, Inst, Op, Program, Target, Terminator};

/// # Errors
/// The program would be too large.
pub fn run(program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
    if program.functions.is_empty() {
        return Ok(false);
    }
    let functions = callees_first(program);
    check_size(program, &functions)?;
    all_or_nothing(program, |program| inline(program, functions))
}

fn inline(program: &mut Program, functions: Vec<Function>) -> Result<bool, Vec<Diagnostic>> {
    for function in functions {
        let order = std::mem::take(&mut program.functions[function].order);
        let order = without_calls(program, order)?;
        program.functions[function].order = order;
    }
    let order = std::mem::take(&mut program.order);
    program.order = without_calls(program, order)?;
    program.functions.clear();
    Ok(true)
}

/// The calls in some blocks.
fn calls<'a>(
    program: &'a Program,
    order: &'a [Block],
) -> impl Iterator<Item = (Block, Inst, Function)> + 'a {
    let insts = order.iter().flat_map(|&block| {
        let insts = program.blocks[block].insts.iter();
        insts.map(move |&inst| (block, inst))
    });
    insts.filter_map(|(block, inst)| match program.insts[inst].op {
        Op::Call(function) => Some((block, inst, function)),
        _ => None,
    })
}

/// The functions, each behind all that it calls.
fn callees_first(program: &Program) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    let mut left: Vec<Function> = program.functions.keys().collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|&function| {
            let order = &program.functions[function].order;
            let ready = calls(program, order).all(|(_, _, callee)| found.contains(&callee));
            if ready {
                found.push(function);
            }
            !ready
        });
        assert!(left.len() < before, "a verified program has no recursion");
    }
    found
}

/// Refuses what would be too large, before anything is made.
fn check_size(program: &Program, functions: &[Function]) -> Result<(), Vec<Diagnostic>> {
    let mut sizes = vec![0u64; program.functions.len()];
    let size = |order: &[Block], sizes: &[u64]| {
        let own: u64 = order
            .iter()
            .map(|block| program.blocks[*block].insts.len() as u64 + 1)
            .sum();
        let called = calls(program, order).map(|(_, _, callee)| sizes[callee.as_u32() as usize]);
        called.fold(own, u64::saturating_add)
    };
    for &function in functions {
        sizes[function.as_u32() as usize] = size(&program.functions[function].order, &sizes);
    }
    let whole = size(&program.order, &sizes);
    if whole <= MOST_INSTRUCTIONS {
        return Ok(());
    }
    let largest =
        calls(program, &program.order).max_by_key(|(_, _, callee)| sizes[callee.as_u32() as usize]);
    let place = largest.map(|(block, inst, _)| program.inst_place(block, inst));
    let what = "with all functions in place of their calls the program";
    Err(vec![too_large(what, whole, place.unwrap_or_default())
        .help("call large functions from fewer places")])
}

fn first_call(program: &Program, block: Block) -> Option<(Inst, Function)> {
    let blocks = [block];
    let first = calls(program, &blocks).next();
    first.map(|(_, inst, function)| (inst, function))
}

fn without_calls(program: &mut Program, order: Vec<Block>) -> Result<Vec<Block>, Vec<Diagnostic>> {
    let mut done = Vec::with_capacity(order.len());
    for block in order {
        let mut block = block;
        done.push(block);
        while let Some((inst, function)) = first_call(program, block) {
            let args = program.insts[inst].args.clone();
            let rest = cut(program, block, inst);
            let body = program.functions[function].order.clone();
            let copies = copy_blocks(program, &body);
            program.blocks[block].terminator = Terminator::Jump(Target {
                block: copies.block(body[0]),
                args,
            });
            for &of_body in &body {
                let copy = copies.block(of_body);
                done.push(copy);
                if let Terminator::Return(args) = &program.blocks[copy].terminator {
                    let args = args.clone();
                    let target = Target { block: rest, args };
                    program.blocks[copy].terminator = Terminator::Jump(target);
                }
            }
            done.push(rest);
            block = rest;
        }
    }
    // What stands behind a call that does not come back, nothing leads to.
    tidy(program, &done).ok_or_else(|| vec![too_deep(program, &done)])
}
