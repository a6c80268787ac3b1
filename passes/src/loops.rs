//! What passes that change blocks owe to loops and functions.

use hardpath_ir::graph::Graph;
use hardpath_ir::structure::{Bound, Function};
use hardpath_ir::{Block, Program, Terminator};

/// Gives each order of blocks to `change`, that of the program first, and puts in its place what that gives.
pub fn change_orders(
    program: &mut Program,
    mut change: impl FnMut(&mut Program, Vec<Block>) -> Vec<Block>,
) {
    let order = std::mem::take(&mut program.order);
    program.order = change(program, order);
    let functions: Vec<Function> = program.functions.keys().collect();
    for function in functions {
        let order = std::mem::take(&mut program.functions[function].order);
        program.functions[function].order = change(program, order);
    }
}

/// Whether program or function end there.
pub fn leaves_program(end: &Terminator) -> bool {
    matches!(end, Terminator::Emit { .. } | Terminator::Return(_))
}

/// Puts right what is said of loops where branches have gone, in an order of blocks that control can come to: a block to which
/// nothing goes back is no head any more, and of a loop without a way out no bound is known. (Where its bound was true, nothing
/// comes to such a loop.)
pub fn settle_bounds(program: &mut Program, order: &[Block]) {
    let is_head = |block: &Block| program.blocks[*block].bound.is_some();
    if !order.iter().any(is_head) {
        return;
    }
    let graph = Graph::new(program, order);
    let nesting = graph.nesting();
    let leaves = |node: usize, head: usize| {
        let successors = &graph.successors[node];
        let goes = |to: &usize| !nesting.loops[*to].contains(&head);
        let ends = leaves_program(&program.blocks[order[node]].terminator);
        nesting.loops[node].contains(&head) && (ends || successors.iter().any(goes))
    };
    let mut settled = Vec::new();
    for (head, &block) in order.iter().enumerate() {
        match program.blocks[block].bound {
            Some(_) if !nesting.loops[head].contains(&head) => settled.push((block, None)),
            Some(Bound::Exactly(_) | Bound::UpTo(_))
                if !(0..order.len()).any(|node| leaves(node, head)) =>
            {
                settled.push((block, Some(Bound::Unknown)));
            }
            _ => {}
        }
    }
    for (block, bound) in settled {
        program.blocks[block].bound = bound;
    }
}
