//! Brings the nodes of a module into an order in which arguments come before what uses them; else they stay as they are.

use crate::{Module, Node, NodeData, NodeOp};
use cranelift_entity::{PrimaryMap, SecondaryMap};

/// Renumbers a module's nodes.
pub fn renumber(module: &mut Module) {
    let mut new: SecondaryMap<Node, Option<Node>> = SecondaryMap::new();
    let mut nodes: PrimaryMap<Node, NodeData> = PrimaryMap::new();
    for root in module.nodes.keys() {
        let mut open = vec![root];
        while let Some(node) = open.last().copied() {
            if new[node].is_some() {
                open.pop();
                continue;
            }
            let data = &module.nodes[node];
            let before = open.len();
            if data.op != NodeOp::Wire {
                open.extend(data.args.iter().filter(|arg| new[**arg].is_none()));
            }
            if open.len() == before {
                new[node] = Some(nodes.push(data.clone()));
                open.pop();
            }
        }
    }
    let place = |node: Node| new[node].expect("every node has a place");
    for data in nodes.values_mut() {
        data.args.iter_mut().for_each(|arg| *arg = place(*arg));
    }
    module.nodes = nodes;
    module.for_each_root(|root| *root = place(*root));
}
