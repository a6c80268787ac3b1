//! Copies of a node: the way back to a register, which is copied, too, so that tools cannot merge them again.
//!
//! Of logic one argument is enough to tell a copy from the original: the one whose way to a register is the shortest. The
//! others are shared, but for small gates, which tools put into the LUTs behind them: there the others would drive what the
//! gate drove. Ways lead through borders of modules, which get ports for them.

use super::Ports;
use crate::dependence::{self, Dependences};
use crate::print::constant;
use crate::{
    Design, Direction, InstanceData, Module, ModuleId, Node, NodeData, NodeOp, Port, RegData,
};
use cranelift_entity::SecondaryMap;
use std::collections::HashMap;

/// The longest way that is copied.
const FARTHEST: u32 = 30;
/// Of a gate of so many arguments all are copied whose ways are shorter than this.
const SMALL: usize = 3;
const NEAR: u32 = 4;
/// Values of so many bits are compared with whole copies.
const MOST_COMPARED: u32 = 16;
/// The cost of what cannot be copied.
pub const NEVER: u32 = u32::MAX / 2;

/// How many operations stand between a node and the register that its copy would begin at.
pub struct Costs(SecondaryMap<ModuleId, SecondaryMap<Node, u32>>);

impl Costs {
    /// Of all nodes of a design.
    pub fn of(design: &Design, known: &Dependences) -> Costs {
        let mut inputs: Ports<u32> = Ports::new();
        let mut outputs: Ports<u32> = Ports::new();
        for (id, module) in design.modules.iter() {
            let outside = if id == design.top() { NEVER } else { 1 };
            inputs[id] = vec![outside; module.ports.len()];
            outputs[id] = vec![1; module.ports.len()];
        }
        let mut costs = Costs(SecondaryMap::new());
        loop {
            let before = (inputs.clone(), outputs.clone());
            for (id, module) in design.modules.iter() {
                costs.0[id] = costs_in(design, id, known, (&inputs[id], &outputs));
                for (index, port) in module.ports.iter().enumerate() {
                    if let Direction::Output(node) = port.direction {
                        outputs[id][index] = further(costs.0[id][node]);
                    }
                }
                for instance in module.instances.values() {
                    for (port, node) in &instance.inputs {
                        let input = &mut inputs[instance.module][*port as usize];
                        *input = (*input).max(further(costs.0[id][*node]));
                    }
                }
            }
            if before == (inputs.clone(), outputs.clone()) {
                return costs;
            }
        }
    }

    /// Of one node.
    pub fn get(&self, id: ModuleId, node: Node) -> u32 {
        self.0[id][node]
    }
}

/// One operation more. What is farther than any way would lead through one instance into another of the same module, again and
/// again.
fn further(cost: u32) -> u32 {
    match cost {
        0..FARTHEST => cost + 1,
        _ => NEVER,
    }
}

fn costs_in(
    design: &Design,
    id: ModuleId,
    known: &Dependences,
    (inputs, outputs): (&[u32], &Ports<u32>),
) -> SecondaryMap<Node, u32> {
    let module = &design.modules[id];
    let mut costs: SecondaryMap<Node, u32> = SecondaryMap::new();
    let order = dependence::evaluation_order(design, id, known).expect("a design without loops");
    for node in order {
        let data = &module.nodes[node];
        let args = data.args.iter().map(|arg| costs[*arg]);
        costs[node] = match data.op {
            // Copies of a synchronizer could settle to different values.
            NodeOp::Reg(reg) if module.regs[reg].is_synchronizer => NEVER,
            NodeOp::Reg(reg) if belongs_to_a_block(module, &module.regs[reg]) => NEVER,
            NodeOp::Reg(_) => 0,
            NodeOp::Foreign(_) => NEVER,
            // There is no text in which it could have another port.
            NodeOp::Input(_) if module.foreign.is_some() => NEVER,
            NodeOp::Input(port) => inputs[port as usize],
            NodeOp::InstanceOutput(instance, port) => {
                outputs[module.instances[instance].module][port as usize]
            }
            NodeOp::Const(_) | NodeOp::MemRead(..) => NEVER,
            _ if is_wiring(&data.op) => args.max().unwrap_or(NEVER),
            _ => further(args.min().unwrap_or(NEVER)),
        };
    }
    costs
}

/// A memory's or a multiplier's own register: only one can be in the block.
fn belongs_to_a_block(module: &Module, reg: &RegData) -> bool {
    let mut next = reg.next;
    while let Some(node) = next {
        let data = &module.nodes[node];
        match data.op {
            NodeOp::MemRead(..) | NodeOp::Mul => return true,
            // A column is like the others.
            NodeOp::Wire | NodeOp::Slice { .. } | NodeOp::Concat => {
                next = data.args.first().copied();
            }
            _ => return false,
        }
    }
    false
}

/// No logic: what is behind it loads what is in front of it.
pub fn is_wiring(op: &NodeOp) -> bool {
    use NodeOp::{Concat, Not, SExt, Slice, Wire, ZExt};
    matches!(op, Wire | Not | Slice { .. } | Concat | ZExt | SExt)
}

/// Some bits of a node of a module, in its copy of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wanted {
    pub id: ModuleId,
    pub node: Node,
    pub lo: u32,
    pub width: u32,
    pub number: usize,
}

/// Makes copies, each once.
pub struct Copier<'a> {
    pub design: &'a mut Design,
    pub costs: &'a Costs,
    made: HashMap<Wanted, Node>,
    /// Numbers in the names of the ports that were made beside others.
    ports_made: HashMap<(ModuleId, u32), u32>,
}

impl Copier<'_> {
    pub fn new<'a>(design: &'a mut Design, costs: &'a Costs) -> Copier<'a> {
        Copier {
            design,
            costs,
            made: HashMap::new(),
            ports_made: HashMap::new(),
        }
    }

    /// A copy of some bits of a node.
    pub fn copy(&mut self, wanted: Wanted) -> Node {
        if let Some(made) = self.made.get(&wanted) {
            return *made;
        }
        let Wanted {
            id,
            node,
            lo,
            width,
            number,
        } = wanted;
        let data = self.design.modules[id].nodes[node].clone();
        let part = |node: Node, lo: u32, width: u32| Wanted {
            node,
            lo,
            width,
            ..wanted
        };
        let copy = match data.op {
            NodeOp::Reg(reg) => {
                self.register(wanted, &data, self.design.modules[id].regs[reg].clone())
            }
            NodeOp::Input(port) => self.input(wanted, &data, port),
            NodeOp::InstanceOutput(instance, port) => {
                let callee = self.design.modules[id].instances[instance].module;
                let port = self.output(callee, port, wanted);
                self.push(
                    id,
                    NodeOp::InstanceOutput(instance, port),
                    vec![],
                    (width, &data),
                )
            }
            NodeOp::Const(_) | NodeOp::MemRead(..) => self.slice(id, node, lo, width),
            NodeOp::Wire => self.copy(part(data.args[0], lo, width)),
            NodeOp::Slice { lo: from } => self.copy(part(data.args[0], from + lo, width)),
            NodeOp::Not => {
                let arg = self.copy(part(data.args[0], lo, width));
                self.push(id, NodeOp::Not, vec![arg], (width, &data))
            }
            NodeOp::Concat | NodeOp::ZExt | NodeOp::SExt => match self.within(wanted, &data) {
                Some(inside) => self.copy(inside),
                None => {
                    let whole = self.wiring(wanted, &data);
                    self.slice(id, whole, lo, width)
                }
            },
            NodeOp::And | NodeOp::Or | NodeOp::Xor => self.bitwise(wanted, &data),
            _ => {
                let whole = Wanted {
                    lo: 0,
                    width: data.width,
                    ..wanted
                };
                let copied = self.logic(whole, &data, number);
                self.slice(id, copied, lo, width)
            }
        };
        self.made.insert(wanted, copy);
        copy
    }

    fn push(
        &mut self,
        id: ModuleId,
        op: NodeOp,
        args: Vec<Node>,
        (width, like): (u32, &NodeData),
    ) -> Node {
        self.design.modules[id].push_in(like.section, op, args, width)
    }

    pub fn slice(&mut self, id: ModuleId, node: Node, lo: u32, width: u32) -> Node {
        let section = self.design.modules[id].nodes[node].section;
        let slice = self.design.modules[id].slice(node, lo, width);
        if slice != node {
            self.design.modules[id].nodes[slice].section = section;
        }
        slice
    }

    fn register(&mut self, wanted: Wanted, data: &NodeData, reg: RegData) -> Node {
        let Wanted { id, lo, width, .. } = wanted;
        let next = reg.next.map(|next| self.slice(id, next, lo, width));
        let module = &mut self.design.modules[id];
        let NodeOp::Reg(original) = data.op else {
            panic!("a register is copied");
        };
        module.regs[original].is_apart = true;
        let copy = module.regs.push(RegData {
            name: format!("{}_copy", reg.name),
            width,
            next,
            reset: reg
                .reset
                .as_ref()
                .map(|limbs| constant::slice(limbs, lo, width)),
            is_apart: true,
            comment: None,
            ..reg
        });
        self.push(id, NodeOp::Reg(copy), vec![], (width, data))
    }

    /// Another input for a part of one; whoever places the module connects it to a copy.
    fn input(&mut self, wanted: Wanted, data: &NodeData, port: u32) -> Node {
        let Wanted { id, width, .. } = wanted;
        let index = self.port(id, port, width, Direction::Input);
        let parents: Vec<ModuleId> = self.design.modules.keys().collect();
        for parent in parents {
            let module = &self.design.modules[parent];
            let is_placed = |data: &InstanceData| data.module == id;
            let instances = module.instances.iter().filter(|(_, data)| is_placed(data));
            for instance in instances.map(|(instance, _)| instance).collect::<Vec<_>>() {
                let inputs = &self.design.modules[parent].instances[instance].inputs;
                let given = inputs.iter().find(|(to, _)| *to == port);
                let node = given.expect("every input is connected").1;
                let node = self.copy(Wanted {
                    id: parent,
                    node,
                    ..wanted
                });
                let inputs = &mut self.design.modules[parent].instances[instance].inputs;
                inputs.push((index, node));
            }
        }
        self.push(id, NodeOp::Input(index), vec![], (width, data))
    }

    /// Another output for a part of one.
    fn output(&mut self, callee: ModuleId, port: u32, wanted: Wanted) -> u32 {
        let Direction::Output(node) = self.design.modules[callee].ports[port as usize].direction
        else {
            panic!("an output is read");
        };
        let node = self.copy(Wanted {
            id: callee,
            node,
            ..wanted
        });
        self.port(callee, port, wanted.width, Direction::Output(node))
    }

    fn port(&mut self, id: ModuleId, like: u32, width: u32, direction: Direction) -> u32 {
        let ports = &mut self.design.modules[id].ports;
        let (first, clock) = (&ports[like as usize].name, ports[like as usize].clock);
        let number = self.ports_made.entry((id, like)).or_insert(0);
        let name = loop {
            *number += 1;
            let name = format!("{first}_copy_{number}");
            if ports.iter().all(|port| port.name != name) {
                break name;
            }
        };
        let doc = format!("the same as {first}, for other loads");
        ports.push(Port {
            name,
            width,
            direction,
            clock,
            doc,
        });
        ports.len() as u32 - 1
    }

    /// The bits of the one argument of wiring that some bits of it come from.
    fn within(&self, wanted: Wanted, data: &NodeData) -> Option<Wanted> {
        let module = &self.design.modules[wanted.id];
        let mut first = 0;
        // The last argument has the lowest bits.
        for node in data.args.iter().rev().copied() {
            let end = first + module.width(node);
            if first <= wanted.lo && wanted.lo + wanted.width <= end {
                let lo = wanted.lo - first;
                return Some(Wanted { node, lo, ..wanted });
            }
            first = end;
        }
        None
    }

    /// All of a node that is wiring of several parts.
    fn wiring(&mut self, wanted: Wanted, data: &NodeData) -> Node {
        let id = wanted.id;
        let mut args = Vec::new();
        for arg in &data.args {
            let width = self.design.modules[id].width(*arg);
            args.push(self.copy(Wanted {
                node: *arg,
                lo: 0,
                width,
                ..wanted
            }));
        }
        self.push(id, data.op.clone(), args, (data.width, data))
    }

    /// The arguments of logic that are copied with so many bits of it.
    fn copied(&self, id: ModuleId, data: &NodeData, width: u32) -> Vec<usize> {
        let cost = |index: &usize| self.costs.get(id, data.args[*index]);
        let nearest = (0..data.args.len()).min_by_key(cost);
        let nearest = nearest.expect("logic has arguments");
        // What a LUT behind it takes in whole would drive the others from there.
        let is_small =
            width == 1 && data.args.len() <= SMALL && matches!(data.op, NodeOp::And | NodeOp::Or);
        let is_copied = |index: &usize| *index == nearest || (is_small && cost(index) < NEAR);
        (0..data.args.len()).filter(is_copied).collect()
    }

    /// Some bits of what has a bit for each bit of its arguments: no more of those are copied.
    fn bitwise(&mut self, wanted: Wanted, data: &NodeData) -> Node {
        let Wanted { id, lo, width, .. } = wanted;
        let copied = self.copied(id, data, width);
        let mut args = Vec::new();
        for (index, node) in data.args.iter().copied().enumerate() {
            args.push(match copied.contains(&index) {
                true => self.copy(Wanted { node, ..wanted }),
                false => self.slice(id, node, lo, width),
            });
        }
        let node = self.push(id, data.op.clone(), args, (width, data));
        let name = data.name.as_ref().map(|name| format!("{name}_copy"));
        self.design.modules[id].nodes[node].name = name;
        node
    }

    /// All bits of other logic.
    fn logic(&mut self, wanted: Wanted, data: &NodeData, number: usize) -> Node {
        let id = wanted.id;
        let mut args = data.args.clone();
        for index in self.copied(id, data, data.width) {
            args[index] = self.argument(data.args[index], wanted, data.width, number);
        }
        let node = self.push(id, data.op.clone(), args, (data.width, data));
        let name = data.name.as_ref().map(|name| format!("{name}_copy"));
        self.design.modules[id].nodes[node].name = name;
        node
    }

    /// A copy of an argument of logic of so many bits, as far as it must be one.
    fn argument(&mut self, arg: Node, wanted: Wanted, of_width: u32, number: usize) -> Node {
        let id = wanted.id;
        let width = self.design.modules[id].width(arg);
        // Of many bits that make one, one that differs has to be enough.
        let bits = match of_width {
            1 if width > MOST_COMPARED => 1,
            _ => width,
        };
        let copy = self.copy(Wanted {
            id,
            node: arg,
            lo: 0,
            width: bits,
            number,
        });
        if bits == width {
            return copy;
        }
        let rest = self.slice(id, arg, bits, width - bits);
        let like = self.design.modules[id].nodes[arg].clone();
        self.push(id, NodeOp::Concat, vec![rest, copy], (width, &like))
    }
}
