//! What a module's nodes are read by, and which of them are read at all.

use crate::{Direction, Mem, Module, Node, NodeOp, Reg};
use cranelift_entity::SecondaryMap;
use std::collections::HashSet;

impl Module {
    /// Every reference to a node that is no node's argument.
    pub(crate) fn for_each_root(&mut self, mut visit: impl FnMut(&mut Node)) {
        for port in &mut self.ports {
            if let Direction::Output(node) = &mut port.direction {
                visit(node);
            }
        }
        for reg in self.regs.values_mut() {
            reg.next
                .iter_mut()
                .chain(&mut reg.enable)
                .for_each(&mut visit);
        }
        for mem in self.mems.values_mut() {
            for write in &mut mem.writes {
                visit(&mut write.address);
                visit(&mut write.data);
                visit(&mut write.enable);
            }
            for read in &mut mem.reads {
                visit(&mut read.address);
                read.enable.iter_mut().for_each(&mut visit);
                read.zero.iter_mut().for_each(&mut visit);
            }
        }
        for instance in self.instances.values_mut() {
            instance.inputs.iter_mut().for_each(|(_, node)| visit(node));
        }
        for assert in &mut self.asserts {
            visit(&mut assert.condition);
        }
    }

    /// How often each node is an argument, or read by what is no node.
    pub fn count_uses(&mut self) -> SecondaryMap<Node, u32> {
        let mut uses: SecondaryMap<Node, u32> = SecondaryMap::new();
        for data in self.nodes.values() {
            data.args.iter().for_each(|arg| uses[*arg] += 1);
        }
        self.for_each_root(|root| uses[*root] += 1);
        uses
    }
}

/// What is reached from outputs, instances and some other nodes. Registers and memories that nobody reads are dead, even when
/// they feed themselves.
pub(crate) struct Live {
    pub nodes: SecondaryMap<Node, bool>,
    pub regs: SecondaryMap<Reg, bool>,
    pub mems: SecondaryMap<Mem, bool>,
    /// Read ports, by their index in the memory.
    pub reads: HashSet<(Mem, u32)>,
}

impl Live {
    pub fn of(module: &Module, others: impl IntoIterator<Item = Node>) -> Live {
        let mut live = Live {
            nodes: SecondaryMap::new(),
            regs: SecondaryMap::new(),
            mems: SecondaryMap::new(),
            reads: HashSet::new(),
        };
        let mut left: Vec<Node> = others.into_iter().collect();
        left.extend(module.ports.iter().filter_map(|port| match port.direction {
            Direction::Output(node) => Some(node),
            Direction::Input => None,
        }));
        for instance in module.instances.values() {
            left.extend(instance.inputs.iter().map(|(_, node)| *node));
        }
        while let Some(node) = left.pop() {
            if std::mem::replace(&mut live.nodes[node], true) {
                continue;
            }
            left.extend(&module.nodes[node].args);
            live.follow(module, node, &mut left);
        }
        live
    }

    /// What a register or a word of a memory comes from.
    fn follow(&mut self, module: &Module, node: Node, left: &mut Vec<Node>) {
        match module.nodes[node].op {
            NodeOp::Reg(reg) if !self.regs[reg] => {
                self.regs[reg] = true;
                left.extend(module.regs[reg].next);
                left.extend(module.regs[reg].enable);
            }
            NodeOp::MemRead(mem, port) => {
                self.reads.insert((mem, port));
                let read = &module.mems[mem].reads[port as usize];
                left.push(read.address);
                left.extend(read.enable);
                left.extend(read.zero);
                if !std::mem::replace(&mut self.mems[mem], true) {
                    for write in &module.mems[mem].writes {
                        left.extend([write.address, write.data, write.enable]);
                    }
                }
            }
            _ => {}
        }
    }
}
