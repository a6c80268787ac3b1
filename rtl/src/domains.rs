//! Which clock every value belongs to, and that those of different clocks do not meet in logic.
//!
//! A value belongs to the clock of what it comes from: a register, a port, a memory's read port, an instance's output. Constants
//! belong to none and go everywhere. Two clocks must not meet:
//!
//! * an operation's arguments belong to one clock;
//! * what a register takes, its enable, what a memory's port and an assertion read belong to their clock;
//! * an output belongs to the clock of its port, and an input of an instance to the one that the port's clock is here.
//!
//! In a module that is a crossing ([`crate::Module::is_crossing`]) there are two ways from one clock to another. A *synchronizer*
//! ([`crate::RegData::is_synchronizer`]) takes a register of another clock, with no logic between, which could show what the register
//! never held. It may be unsettled at the next edge, so nothing but another synchronizer of its clock reads it. And a *memory* can be
//! read with another clock than it is written with.

use crate::{Clock, Design, Direction, MemData, Module, ModuleId, Node, NodeOp, Reg};
use cranelift_entity::SecondaryMap;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Domain {
    /// A constant.
    #[default]
    Any,
    /// A register, port, memory's read port or instance's output of that clock, or logic of these.
    Of(Clock),
    /// A synchronizer of that clock that reads another one.
    Unsettled(Clock),
}

/// The domains of a module's nodes, and all that breaks the rules. `order`: all nodes, each after those that it follows; everything
/// else of the module was checked. `describe`: how a message shows a node.
pub fn check(
    design: &Design,
    id: ModuleId,
    order: &[Node],
    describe: impl Fn(Node) -> String,
) -> (SecondaryMap<Node, Domain>, Vec<String>) {
    let module = &design.modules[id];
    let mut checker = Checker {
        design,
        module,
        describe,
        domains: SecondaryMap::new(),
        messages: Vec::new(),
    };
    for node in order {
        checker.domains[*node] = checker.domain(*node);
    }
    checker.registers();
    checker.memories();
    checker.borders();
    (checker.domains, checker.messages)
}

struct Checker<'a, D> {
    design: &'a Design,
    module: &'a Module,
    describe: D,
    domains: SecondaryMap<Node, Domain>,
    messages: Vec<String>,
}

impl<D: Fn(Node) -> String> Checker<'_, D> {
    fn name(&self, clock: Clock) -> &str {
        &self.module.clocks[clock].name
    }

    fn of(&self, node: Node) -> String {
        match self.domains[node] {
            Domain::Any => "no clock".to_string(),
            Domain::Of(clock) => self.name(clock).to_string(),
            Domain::Unsettled(clock) => format!("{}, but is not settled", self.name(clock)),
        }
    }

    fn domain(&mut self, node: Node) -> Domain {
        let data = &self.module.nodes[node];
        match data.op {
            NodeOp::Const(_) => Domain::Any,
            NodeOp::Input(port) | NodeOp::Foreign(port) => {
                Domain::Of(self.module.ports[port as usize].clock)
            }
            NodeOp::Reg(reg) => match self.reads_other_clock(reg) {
                true => Domain::Unsettled(self.module.regs[reg].clock),
                false => Domain::Of(self.module.regs[reg].clock),
            },
            NodeOp::MemRead(mem, port) => {
                Domain::Of(self.module.mems[mem].reads[port as usize].clock)
            }
            NodeOp::InstanceOutput(instance, port) => {
                let instance = &self.module.instances[instance];
                let port = &self.design.modules[instance.module].ports[port as usize];
                Domain::Of(instance.clocks[port.clock.as_u32() as usize])
            }
            NodeOp::Wire => self.domains[data.args[0]],
            _ => self.joined(node),
        }
    }

    /// Of an operation.
    fn joined(&mut self, node: Node) -> Domain {
        let args = &self.module.nodes[node].args;
        let mut domain = Domain::Any;
        for arg in args {
            let of_arg = match self.domains[*arg] {
                Domain::Unsettled(clock) => {
                    let (what, read) = ((self.describe)(node), (self.describe)(*arg));
                    self.messages.push(format!(
                        "{what} reads the synchronizer {read}, which is not settled: take the one behind it"
                    ));
                    Domain::Of(clock)
                }
                settled => settled,
            };
            match (domain, of_arg) {
                (Domain::Of(one), Domain::Of(other)) if one != other => {
                    let what = (self.describe)(node);
                    let (one, other) = (self.name(one), self.name(other));
                    self.messages.push(format!(
                        "{what} is logic between the clocks {one} and {other}: bring one value over in a \
                         crossing (an asynchronous FIFO) first"
                    ));
                    return domain;
                }
                (Domain::Any, other) => domain = other,
                _ => {}
            }
        }
        domain
    }

    /// The first flip-flop of a synchronizer. What is not a good one is reported elsewhere.
    fn reads_other_clock(&self, reg: Reg) -> bool {
        let data = &self.module.regs[reg];
        let source = data
            .next
            .and_then(|next| register_behind(self.module, next));
        data.is_synchronizer
            && source.is_some_and(|source| self.module.regs[source].clock != data.clock)
    }

    /// Something of a clock reads a node.
    fn read(&mut self, what: &str, node: Node, clock: Clock) {
        match self.domains[node] {
            Domain::Any => {}
            Domain::Of(other) if other == clock => {}
            _ => {
                let (own, node, other) = (self.name(clock), (self.describe)(node), self.of(node));
                self.messages.push(format!(
                    "{what} belongs to the clock {own} and reads {node}, which belongs to {other}"
                ));
            }
        }
    }

    fn registers(&mut self) {
        let module = self.module;
        for data in module.regs.values() {
            let what = format!("register {}", data.name);
            if let Some(enable) = data.enable {
                self.read(&format!("the enable of {what}"), enable, data.clock);
            }
            let Some(next) = data.next else { continue };
            if !data.is_synchronizer {
                self.read(&what, next, data.clock);
                continue;
            }
            let Some(from) = register_behind(self.module, next) else {
                let next = (self.describe)(next);
                self.messages.push(format!(
                    "the synchronizer {} reads {next}, which is no register: logic can show what never was",
                    data.name
                ));
                continue;
            };
            let source = &module.regs[from];
            if source.clock != data.clock && self.reads_other_clock(from) {
                self.messages.push(format!(
                    "the synchronizer {} reads the synchronizer {} of another clock, which is not settled",
                    data.name, source.name
                ));
            }
            if source.clock != data.clock && !module.is_crossing {
                self.messages.push(format!(
                    "the synchronizer {} reads a register of the clock {}, and its module is no crossing",
                    data.name,
                    self.name(source.clock)
                ));
            }
            if source.clock == data.clock && !source.is_synchronizer {
                self.messages.push(format!(
                    "the synchronizer {} reads register {} of its own clock",
                    data.name, source.name
                ));
            }
            if data.enable.is_some() {
                self.messages
                    .push(format!("the synchronizer {} has an enable", data.name));
            }
        }
    }

    fn memories(&mut self) {
        let module = self.module;
        for data in module.mems.values() {
            let name = format!("memory {}", data.name);
            for write in &data.writes {
                for node in [write.address, write.data, write.enable] {
                    self.read(&format!("a write of {name}"), node, write.clock);
                }
            }
            for read in &data.reads {
                for node in [Some(read.address), read.enable].into_iter().flatten() {
                    self.read(&format!("a read of {name}"), node, read.clock);
                }
            }
            let clocks = clocks_of(data);
            if let ([one, other, ..], false) = (clocks.as_slice(), module.is_crossing) {
                self.messages.push(format!(
                    "{name} has ports of the clocks {} and {}, and its module is no crossing",
                    self.name(*one),
                    self.name(*other)
                ));
            }
        }
    }

    fn borders(&mut self) {
        let module = self.module;
        for port in &module.ports {
            if let Direction::Output(node) = port.direction {
                self.read(&format!("output {}", port.name), node, port.clock);
            }
        }
        for data in module.instances.values() {
            let callee = &self.design.modules[data.module];
            for (index, node) in &data.inputs {
                let port = &callee.ports[*index as usize];
                let what = format!("input {} of instance {}", port.name, data.name);
                self.read(&what, *node, data.clocks[port.clock.as_u32() as usize]);
            }
        }
        for assert in &module.asserts {
            let what = format!("assertion {}", assert.name);
            self.read(&what, assert.condition, assert.clock);
        }
    }
}

/// The register that a node is, behind wires.
pub(crate) fn register_behind(module: &Module, mut node: Node) -> Option<Reg> {
    loop {
        let data = &module.nodes[node];
        match data.op {
            NodeOp::Reg(reg) => return Some(reg),
            NodeOp::Wire => node = data.args[0],
            _ => return None,
        }
    }
}

/// The clocks of a memory's ports, each once.
pub fn clocks_of(data: &MemData) -> Vec<Clock> {
    let writes = data.writes.iter().map(|write| write.clock);
    let mut clocks: Vec<Clock> = writes
        .chain(data.reads.iter().map(|read| read.clock))
        .collect();
    clocks.sort_unstable();
    clocks.dedup();
    clocks
}
