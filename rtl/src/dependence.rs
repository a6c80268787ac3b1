//! What depends on what within one clock: which inputs an output follows without a register between, and an order
//! in which nodes can be evaluated.
//!
//! Registers, synchronous memory reads and constants depend on nothing. An asynchronous read depends on its address.
//! An instance's output depends on those inputs of the instance that the callee's output depends on; so modules
//! are looked at callees first and no module has to be flattened.

use crate::{Design, Direction, InstanceData, Module, ModuleId, Node, NodeOp};
use cranelift_entity::SecondaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Which inputs each output of a module depends on combinationally, by port index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependence {
    /// By the output's index in `ports`: the indices of those inputs.
    pub outputs: BTreeMap<u32, BTreeSet<u32>>,
}

/// The dependences of the modules of a design that were looked at so far.
pub type Dependences = SecondaryMap<ModuleId, Dependence>;

/// A combinational loop: nodes that depend on one another, each on the next and the last one on the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop(pub Vec<Node>);

/// The dependences of all modules, or the first module with a loop. Needs a design that passes the other checks.
pub fn dependences(design: &Design) -> Result<Dependences, (ModuleId, Loop)> {
    let mut known = Dependences::new();
    for id in design.modules.keys() {
        known[id] = module_dependence(design, id, &known).map_err(|found| (id, found))?;
    }
    Ok(known)
}

/// The dependence of one module, when those of its callees are known.
pub fn module_dependence(
    design: &Design,
    id: ModuleId,
    known: &Dependences,
) -> Result<Dependence, Loop> {
    let module = &design.modules[id];
    let limbs = module.ports.len().div_ceil(64);
    let mut inputs_of: SecondaryMap<Node, Vec<u64>> = SecondaryMap::new();
    for node in evaluation_order(design, id, known)? {
        let mut set = vec![0; limbs];
        if let NodeOp::Input(port) = module.nodes[node].op {
            set[port as usize / 64] |= 1 << (port % 64);
        }
        for arg in combinational_arguments(design, module, node, known) {
            for (to, from) in set.iter_mut().zip(&inputs_of[arg]) {
                *to |= from;
            }
        }
        inputs_of[node] = set;
    }
    let mut dependence = Dependence::default();
    for (index, port) in module.ports.iter().enumerate() {
        if let Direction::Output(node) = port.direction {
            let set = &inputs_of[node];
            let inputs = (0..module.ports.len() as u32)
                .filter(|input| set[*input as usize / 64] >> (input % 64) & 1 == 1)
                .collect();
            dependence.outputs.insert(index as u32, inputs);
        }
    }
    Ok(dependence)
}

/// All nodes of a module, each after the nodes that it depends on within one clock.
pub fn evaluation_order(
    design: &Design,
    id: ModuleId,
    known: &Dependences,
) -> Result<Vec<Node>, Loop> {
    evaluation_order_of(design, &design.modules[id], known)
}

/// The same for a module that stands outside of the design.
pub fn evaluation_order_of(
    design: &Design,
    module: &Module,
    known: &Dependences,
) -> Result<Vec<Node>, Loop> {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut states: SecondaryMap<Node, State> = SecondaryMap::new();
    let mut order = Vec::with_capacity(module.nodes.len());
    // Depth first with a stack of its own: chains may be longer than the thread's stack.
    let mut stack: Vec<(Node, std::vec::IntoIter<Node>)> = Vec::new();
    let arguments = |node| combinational_arguments(design, module, node, known).into_iter();
    for root in module.nodes.keys() {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        stack.push((root, arguments(root)));
        while let Some((node, left)) = stack.last_mut() {
            let node = *node;
            let Some(arg) = left.next() else {
                states[node] = State::Done;
                order.push(node);
                stack.pop();
                continue;
            };
            match states[arg] {
                State::Done => {}
                State::New => {
                    states[arg] = State::Open;
                    stack.push((arg, arguments(arg)));
                }
                State::Open => {
                    let path = stack.iter().map(|(node, _)| *node);
                    return Err(Loop(path.skip_while(|node| *node != arg).collect()));
                }
            }
        }
    }
    Ok(order)
}

/// The nodes that a node's value follows within one clock.
pub fn combinational_arguments(
    design: &Design,
    module: &Module,
    node: Node,
    known: &Dependences,
) -> Vec<Node> {
    let data = &module.nodes[node];
    match data.op {
        NodeOp::MemRead(mem, port) => {
            let read = &module.mems[mem].reads[port as usize];
            match read.enable {
                Some(_) => Vec::new(),
                None => vec![read.address],
            }
        }
        NodeOp::InstanceOutput(instance, port) => {
            let instance = &module.instances[instance];
            debug_assert!(design.modules.is_valid(instance.module));
            known[instance.module]
                .outputs
                .get(&port)
                .into_iter()
                .flatten()
                .filter_map(|input| instance_input(instance, *input))
                .collect()
        }
        _ => data.args.clone(),
    }
}

/// The node that drives an input of an instance.
fn instance_input(instance: &InstanceData, port: u32) -> Option<Node> {
    instance
        .inputs
        .iter()
        .find(|(index, _)| *index == port)
        .map(|(_, node)| *node)
}
