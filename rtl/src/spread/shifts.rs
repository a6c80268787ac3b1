//! Shifts by a value. One of a value is made of choices, one for each bit of the second, the highest first: choices can be cut into
//! parts. One of a constant is a decoder, and divided as it is.
//!
//! ```text
//!     x >> by      a = by[1] ? x >> 2 : x
//!                  by[0] ? a >> 1 : a
//! ```

use crate::{Module, Node, NodeData, NodeOp};

/// Whether the second argument says how far.
pub fn is_shift(op: &NodeOp) -> bool {
    matches!(op, NodeOp::Shl | NodeOp::LShr | NodeOp::AShr)
}

/// Makes a shift of choices.
pub fn unfold(module: &mut Module, shift: Node) {
    let data = module.nodes[shift].clone();
    let (mut value, by, section) = (data.args[0], data.args[1], data.section);
    let bits = module.width(by);
    // Bits that shift everything out, or just leave the sign.
    let near = bits.min(data.width.next_power_of_two().trailing_zeros());
    let mut choices = Vec::new();
    if near < bits {
        let far = module.push_in(section, NodeOp::Slice { lo: near }, vec![by], bits - near);
        let far = module.push_in(section, NodeOp::ReduceOr, vec![far], 1);
        choices.push((far, data.width));
    }
    for bit in (0..near).rev() {
        let (of, lo) = place(module, by, bit);
        let chosen = module.push_in(section, NodeOp::Slice { lo }, vec![of], 1);
        choices.push((chosen, 1 << bit));
    }
    for (chosen, distance) in choices {
        let distance = distance.min(data.width);
        let moved = moved(module, &data, value, distance);
        let args = vec![chosen, moved, value];
        value = module.push_in(section, NodeOp::Mux, args, data.width);
    }
    let whole = &mut module.nodes[shift];
    (whole.op, whole.args) = (NodeOp::Wire, vec![value]);
}

/// Divides a shift of a constant, which decodes a number: so many bits of the result come from a shift of their own.
pub fn divide(module: &mut Module, shift: Node, bits: u32) {
    let data = module.nodes[shift].clone();
    let mut parts = Vec::new();
    for lo in (0..data.width).step_by(bits as usize) {
        let mut part = data.clone();
        (part.name, part.comment) = (None, None);
        let part = module.nodes.push(part);
        let width = bits.min(data.width - lo);
        parts.push(module.push_in(data.section, NodeOp::Slice { lo }, vec![part], width));
    }
    parts.reverse();
    let whole = &mut module.nodes[shift];
    (whole.op, whole.args) = (NodeOp::Concat, parts);
}

/// A value, shifted by so many bits, of which it has at least as many.
fn moved(module: &mut Module, data: &NodeData, value: Node, distance: u32) -> Node {
    let mut push = |op, args, width| module.push_in(data.section, op, args, width);
    let (width, stay) = (data.width, data.width - distance);
    if data.op == NodeOp::AShr {
        let lo = distance.min(width - 1);
        let rest = push(NodeOp::Slice { lo }, vec![value], width - lo);
        return push(NodeOp::SExt, vec![rest], width);
    }
    let zeros = vec![0; distance.div_ceil(64) as usize];
    let zeros = push(NodeOp::Const(zeros), Vec::new(), distance);
    if stay == 0 {
        return zeros;
    }
    let lo = if data.op == NodeOp::Shl { 0 } else { distance };
    let rest = push(NodeOp::Slice { lo }, vec![value], stay);
    let args = match data.op {
        NodeOp::Shl => vec![rest, zeros],
        _ => vec![zeros, rest],
    };
    push(NodeOp::Concat, args, width)
}

/// Where a bit comes from: of what wiring puts together, the part, which copies can be made of.
fn place(module: &Module, node: Node, bit: u32) -> (Node, u32) {
    let data = &module.nodes[node];
    match data.op {
        NodeOp::Wire => place(module, data.args[0], bit),
        NodeOp::Slice { lo } => place(module, data.args[0], lo + bit),
        NodeOp::Concat => {
            let mut lo = bit;
            for part in data.args.iter().rev() {
                let width = module.width(*part);
                if lo < width {
                    return place(module, *part, lo);
                }
                lo -= width;
            }
            (node, bit)
        }
        _ => (node, bit),
    }
}
