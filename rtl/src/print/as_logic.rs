//! Legalize: sums and compares that are to be logic become gates.

use super::{compares::beyond, sums::carry_select};
use crate::{Module, Node, NodeOp};
use cranelift_entity::SecondaryMap;

/// Replaces the operations whose names end in `AsLogic`. `anchor`: where nodes belong in the text.
pub fn expand(module: &mut Module, anchor: &mut SecondaryMap<Node, u32>) {
    for node in module.nodes.keys().collect::<Vec<_>>() {
        let [a, b] = module.nodes[node].args[..] else {
            continue;
        };
        let first_new = module.nodes.len();
        let gates = match module.nodes[node].op {
            NodeOp::AddAsLogic => carry_select(module, a, b, false),
            NodeOp::SubAsLogic => carry_select(module, a, b, true),
            NodeOp::UltAsLogic => beyond(module, b, a).0,
            NodeOp::UleAsLogic => beyond(module, b, a).1,
            _ => continue,
        };
        let (place, section) = (anchor[node], module.nodes[node].section);
        for new in module.nodes.keys().skip(first_new).collect::<Vec<_>>() {
            anchor[new] = place;
            module.nodes[new].section = section;
        }
        module.nodes[node].op = NodeOp::Wire;
        module.nodes[node].args = vec![gates];
    }
}
