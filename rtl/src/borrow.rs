//! Orders as borrows.
//!
//! What is said to be less is less where its difference borrows:
//!
//! ```text
//!     less = a < b        difference = {1'b0, a} - {1'b0, b}
//!                         less = difference[80]
//! ```
//!
//! Most tools make the same carry chain of both. yosys makes one for an order and, for about every second one, a tree of LUTs beside it that
//! says whether both are equal (`alumacc`, which orders the arguments of its carry chains): of 80 bits 90 LUTs of four inputs, and five levels.

use crate::order::renumber;
use crate::{Design, Module, Node, NodeOp};

/// Makes borrows of the orders of variables of at least so many bits.
pub fn by_borrow(design: &mut Design, least: u32) {
    let own = design.modules.values_mut();
    for module in own.filter(|module| module.foreign.is_none()) {
        let nodes: Vec<Node> = module.nodes.keys().collect();
        let mut has_changed = false;
        for node in nodes {
            has_changed |= borrow(module, node, least);
        }
        if has_changed {
            renumber(module);
        }
    }
}

/// Makes a borrow of a node, if it is such an order.
fn borrow(module: &mut Module, node: Node, least: u32) -> bool {
    let data = module.nodes[node].clone();
    // `a <= b` is `!(b < a)`.
    let (is_signed, is_inverse) = match data.op {
        NodeOp::Ult => (false, false),
        NodeOp::Ule => (false, true),
        NodeOp::Slt => (true, false),
        NodeOp::Sle => (true, true),
        _ => return false,
    };
    let (a, b) = match is_inverse {
        true => (data.args[1], data.args[0]),
        false => (data.args[0], data.args[1]),
    };
    let width = module.width(a);
    if width < least || [a, b].iter().any(|arg| module.as_const(*arg).is_some()) {
        return false;
    }
    let mut push = |op, args, width| module.push_in(data.section, op, args, width);
    let mut wider = |arg: Node| match is_signed {
        true => push(NodeOp::SExt, vec![arg], width + 1),
        false => {
            let zero = push(NodeOp::Const(vec![0]), vec![], 1);
            push(NodeOp::Concat, vec![zero, arg], width + 1)
        }
    };
    let args = vec![wider(a), wider(b)];
    let difference = push(NodeOp::Sub, args, width + 1);
    let top = NodeOp::Slice { lo: width };
    let (op, arg) = match is_inverse {
        true => (NodeOp::Not, push(top, vec![difference], 1)),
        false => (top, difference),
    };
    module.nodes[difference].name = data.name.map(|name| format!("{name}_borrow"));
    let order = &mut module.nodes[node];
    (order.op, order.args) = (op, vec![arg]);
    true
}
