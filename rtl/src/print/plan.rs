//! Prettify: which nodes are live, which of them become signals, and what everything is called.
//!
//! A node becomes a signal when it has a name, when the language wants one (the operand of a part select, a memory
//! word, an instance's output), when it is used twice, or when its text would be long. All others are printed inside
//! the expression that uses them.

use super::names::{Names, PublicNames};
use super::rewrite::Legal;
use crate::uses::Live;
use crate::{Clock, Design, Direction, Instance, Mem, Module, ModuleId, Node, NodeOp, Reg};
use cranelift_entity::{entity_impl, PrimaryMap, SecondaryMap};
use std::collections::HashSet;

/// Something with a name in the text that holds bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);
entity_impl!(Signal, "signal");

#[derive(Clone, Debug)]
pub struct SignalData {
    pub name: String,
    pub width: u32,
    pub kind: SignalKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A clock, a reset or an input port.
    Input,
    /// An output port; driven by a node or, when that has a signal of its own, by that signal.
    Output,
    /// A net that a node drives.
    Wire,
    /// An output of an instance that nobody reads.
    UnusedOutput,
    Register(Reg),
    /// The register behind a synchronous read port.
    ReadData(Mem, u32),
}

/// Everything that the printer must know of a module beside the module.
pub struct Plan {
    pub signals: PrimaryMap<Signal, SignalData>,
    /// The inputs of each clock and its reset.
    pub clocks: PrimaryMap<Clock, (Signal, Signal)>,
    /// By port index.
    pub ports: Vec<Signal>,
    /// The signal that holds a node's value, when there is one.
    pub nodes: SecondaryMap<Node, Option<Signal>>,
    /// Live registers.
    pub regs: SecondaryMap<Reg, Option<Signal>>,
    /// Names of live memories.
    pub mems: SecondaryMap<Mem, Option<String>>,
    /// Names of their types, where a language has types.
    pub mem_types: SecondaryMap<Mem, String>,
    pub instances: SecondaryMap<Instance, String>,
    /// By assertion.
    pub asserts: Vec<String>,
    pub live: SecondaryMap<Node, bool>,
    /// For each instance its outputs that nobody reads: port index and signal.
    pub unused_outputs: Vec<(Instance, u32, Signal)>,
}

/// Characters up to which an expression is printed inside another one.
const INLINE: usize = 64;
/// Longest chain of conditions that is printed as one statement.
const CHAIN: u32 = 48;

/// Bits of the widest sum, and the most places where it is written, that stands where it is used.
const FEW_BITS: u32 = 8;
const FEW_USES: u32 = 3;

/// Who uses a node (the last one found; it is the only one where that matters).
#[derive(Clone, Debug)]
enum Consumer {
    Nobody,
    Argument(Node, usize),
    /// A statement of its own, which can take several lines; with the name that the node would get.
    Statement(String),
    /// A place within a line.
    Place(String),
}

pub fn plan(design: &Design, id: ModuleId, legal: &Legal, public: &PublicNames) -> Plan {
    let module = &legal.module;
    let mut signals = PrimaryMap::new();
    let (clocks, ports) = border(
        &mut signals,
        module,
        (&public.clocks[id], &public.ports[id]),
    );
    let mut names = Names::new(legal.language);
    names.reserve(&public.modules[id]);
    signals
        .values()
        .for_each(|signal| names.reserve(&signal.name));
    let mut planner = Planner {
        design,
        legal,
        module,
        names,
        live_reads: HashSet::new(),
        uses: SecondaryMap::new(),
        consumers: SecondaryMap::with_default(Consumer::Nobody),
        wanted: SecondaryMap::new(),
        lengths: SecondaryMap::new(),
        chains: SecondaryMap::new(),
        plan: Plan {
            signals,
            clocks,
            ports,
            nodes: SecondaryMap::new(),
            regs: SecondaryMap::new(),
            mems: SecondaryMap::new(),
            mem_types: SecondaryMap::new(),
            instances: SecondaryMap::new(),
            asserts: Vec::new(),
            live: SecondaryMap::new(),
            unused_outputs: Vec::new(),
        },
    };
    planner.find_live_nodes();
    planner.count_uses();
    planner.choose_signals();
    planner.name_signals();
    planner.plan
}

/// Signals of the clocks with their resets, and of the ports. `clocks`, `ports`: what they are called.
fn border(
    signals: &mut PrimaryMap<Signal, SignalData>,
    module: &Module,
    (clocks, ports): (&PrimaryMap<Clock, (String, String)>, &[String]),
) -> (PrimaryMap<Clock, (Signal, Signal)>, Vec<Signal>) {
    let mut input = |name: &str, width| {
        signals.push(SignalData {
            name: name.to_string(),
            width,
            kind: SignalKind::Input,
        })
    };
    let clocks = clocks.values();
    let clocks = clocks.map(|(clk, rst)| (input(clk, 1), input(rst, 1)));
    let clocks = clocks.collect();
    let ports = module.ports.iter().zip(ports).map(|(port, name)| {
        signals.push(SignalData {
            name: name.clone(),
            width: port.width,
            kind: match port.direction {
                Direction::Input => SignalKind::Input,
                Direction::Output(_) => SignalKind::Output,
            },
        })
    });
    (clocks, ports.collect())
}

struct Planner<'a> {
    design: &'a Design,
    legal: &'a Legal,
    module: &'a Module,
    names: Names,
    live_reads: HashSet<(Mem, u32)>,
    uses: SecondaryMap<Node, u32>,
    consumers: SecondaryMap<Node, Consumer>,
    /// Becomes a signal.
    wanted: SecondaryMap<Node, bool>,
    /// Estimated characters of a node inside an expression.
    lengths: SecondaryMap<Node, usize>,
    /// Number of conditions in a chain that starts here.
    chains: SecondaryMap<Node, u32>,
    plan: Plan,
}

impl Planner<'_> {
    /// What is reached from outputs, instances and assertions, and the names of what it holds.
    fn find_live_nodes(&mut self) {
        let module = self.module;
        let live = Live::of(module, module.asserts.iter().map(|assert| assert.condition));
        for (reg, data) in module.regs.iter().filter(|(reg, _)| live.regs[*reg]) {
            // An output port of the same name stays what it is.
            let is_port = module.ports.iter().any(|port| port.name == data.name);
            let wish = match is_port {
                true => format!("{}_reg", data.name),
                false => data.name.clone(),
            };
            let kind = SignalKind::Register(reg);
            let signal = self.new_signal(&wish, data.width, kind);
            self.plan.regs[reg] = Some(signal);
        }
        for (mem, data) in module.mems.iter().filter(|(mem, _)| live.mems[*mem]) {
            let name = self.names.unique(&data.name);
            if self.legal.language.has_memory_types {
                self.plan.mem_types[mem] = self.names.unique(&format!("{name}_words"));
            }
            self.plan.mems[mem] = Some(name);
        }
        for (instance, data) in module.instances.iter() {
            self.plan.instances[instance] = self.names.unique(&data.name);
        }
        (self.plan.live, self.live_reads) = (live.nodes, live.reads);
    }

    fn new_signal(&mut self, wish: &str, width: u32, kind: SignalKind) -> Signal {
        let name = self.names.unique(wish);
        self.plan.signals.push(SignalData { name, width, kind })
    }

    fn use_by(&mut self, node: Node, consumer: Consumer) {
        self.uses[node] += 1;
        self.consumers[node] = consumer;
    }

    fn count_uses(&mut self) {
        let module = self.module;
        for (node, data) in module.nodes.iter() {
            if self.plan.live[node] {
                for (index, arg) in data.args.iter().enumerate() {
                    self.use_by(*arg, Consumer::Argument(node, index));
                }
            }
        }
        for port in &module.ports {
            if let Direction::Output(node) = port.direction {
                self.use_by(node, Consumer::Statement(port.name.clone()));
            }
        }
        for (reg, data) in module.regs.iter() {
            let Some(signal) = self.plan.regs[reg] else {
                continue;
            };
            let name = self.plan.signals[signal].name.clone();
            if let Some(next) = data.next {
                self.use_by(next, Consumer::Statement(format!("{name}_next")));
            }
            if let Some(enable) = data.enable {
                self.use_by(enable, Consumer::Place(format!("{name}_enable")));
            }
        }
        self.count_uses_of_memories();
        for data in module.instances.values() {
            let callee = &self.design.modules[data.module];
            for (port, node) in &data.inputs {
                let name = format!("{}_{}", data.name, callee.ports[*port as usize].name);
                self.use_by(*node, Consumer::Place(name));
            }
        }
        for assert in &module.asserts {
            let name = format!("{}_holds", assert.name);
            self.use_by(assert.condition, Consumer::Place(name));
        }
    }

    /// What the ports of live memories read.
    fn count_uses_of_memories(&mut self) {
        let module = self.module;
        for (mem, data) in module.mems.iter() {
            let Some(name) = self.plan.mems[mem].clone() else {
                continue;
            };
            for write in &data.writes {
                self.use_by(
                    write.address,
                    Consumer::Place(format!("{name}_write_address")),
                );
                self.use_by(
                    write.data,
                    Consumer::Statement(format!("{name}_write_data")),
                );
                self.use_by(write.enable, Consumer::Place(format!("{name}_write")));
            }
            for (port, read) in data.reads.iter().enumerate() {
                if !self.live_reads.contains(&(mem, port as u32)) {
                    continue;
                }
                self.use_by(read.address, Consumer::Place(format!("{name}_address")));
                if let Some(enable) = read.enable {
                    self.use_by(enable, Consumer::Place(format!("{name}_read")));
                }
                if let Some(zero) = read.zero {
                    self.use_by(zero, Consumer::Place(format!("{name}_not_meant")));
                }
            }
        }
    }

    /// Decides from the leaves upwards, because a node's length depends on which of its operands are signals.
    fn choose_signals(&mut self) {
        for node in &self.legal.order {
            for arg in self.named_operands(*node) {
                self.wanted[arg] = !self.is_leaf(arg);
            }
        }
        self.want_for_the_language();
        for node in &self.legal.order {
            if self.plan.live[*node] && !self.is_leaf(*node) {
                self.choose(*node);
            }
        }
    }

    /// Signals that only some languages need.
    fn want_for_the_language(&mut self) {
        let (language, module) = (self.legal.language, self.module);
        let is_const = |node: Node| module.as_const(node).is_some();
        if language.names_constant_addresses {
            for mem in module.mems.values() {
                let writes = mem.writes.iter().map(|write| write.address);
                for address in writes.chain(mem.reads.iter().map(|read| read.address)) {
                    self.wanted[address] |= is_const(address);
                }
            }
        }
        if !language.connects_expressions {
            for instance in module.instances.values() {
                for (_, node) in &instance.inputs {
                    let is_part = matches!(module.nodes[*node].op, NodeOp::Slice { .. });
                    self.wanted[*node] |= !is_part && !is_const(*node) && !self.is_leaf(*node);
                }
            }
        }
    }

    fn choose(&mut self, node: Node) {
        let data = &self.module.nodes[node];
        let length = self.expression_length(node);
        let has_choices = self.legal.language.has_choices_in_expressions;
        if data.op == NodeOp::Mux {
            let other = data.args[2];
            self.chains[node] = match self.is_inline(other) {
                true => self.chains[other] + 1,
                false => 1,
            };
        }
        let wanted = self.wanted[node]
            || data.name.is_some()
            || matches!(
                data.op,
                NodeOp::MemRead(..) | NodeOp::InstanceOutput(..) | NodeOp::AShr | NodeOp::Wire
            )
            || (self.uses[node] > 1 && !self.is_cheap(node, length))
            || (!self.may_be_long(node)
                && (length > INLINE || (data.op == NodeOp::Mux && !has_choices)));
        self.wanted[node] = wanted;
        self.lengths[node] = match (&data.name, wanted) {
            (Some(name), _) => name.len(),
            (None, true) => 16,
            (None, false) => length,
        };
    }

    /// Where a long expression can stand without a name.
    fn may_be_long(&self, node: Node) -> bool {
        match &self.consumers[node] {
            Consumer::Statement(_) => true,
            Consumer::Argument(user, 2) => {
                self.module.nodes[*user].op == NodeOp::Mux
                    && self.module.nodes[node].op == NodeOp::Mux
                    && self.chains[node] < CHAIN
            }
            // A wire's driver is the statement.
            Consumer::Argument(user, _) => self.module.nodes[*user].op == NodeOp::Wire,
            _ => false,
        }
    }

    /// Operands that the language wants to be plain names.
    fn named_operands(&self, node: Node) -> Vec<Node> {
        let data = &self.module.nodes[node];
        let all: &[Node] = match data.op {
            NodeOp::Slice { .. } => &data.args,
            NodeOp::SExt if self.module.width(data.args[0]) > 1 => &data.args,
            NodeOp::Slt | NodeOp::Sle => &data.args,
            NodeOp::AShr => &data.args[..1],
            _ => &[],
        };
        let keep_const = matches!(data.op, NodeOp::Slice { .. } | NodeOp::SExt);
        let wants = |arg: &Node| keep_const || self.module.as_const(*arg).is_none();
        all.iter().copied().filter(wants).collect()
    }

    /// Printed by a name that exists anyway.
    fn is_leaf(&self, node: Node) -> bool {
        matches!(
            self.module.nodes[node].op,
            NodeOp::Input(_) | NodeOp::Reg(_)
        )
    }

    fn is_inline(&self, node: Node) -> bool {
        !self.wanted[node] && !self.is_leaf(node)
    }

    /// As short as a name would be, so it may be written more than once.
    fn is_cheap(&self, node: Node, length: usize) -> bool {
        let data = &self.module.nodes[node];
        match data.op {
            NodeOp::Const(_) => length <= 24,
            NodeOp::Slice { .. } => true,
            NodeOp::Not => data.width == 1 && !self.is_inline(data.args[0]),
            NodeOp::ZExt => length <= 24,
            NodeOp::Add | NodeOp::Sub => {
                data.width <= FEW_BITS
                    && self.uses[node] <= FEW_USES
                    && self.is_leaf(data.args[0])
                    && self.module.as_const(data.args[1]).is_some()
            }
            _ => false,
        }
    }

    /// Characters of a node as an expression; a rough count is enough.
    fn expression_length(&self, node: Node) -> usize {
        let data = &self.module.nodes[node];
        let args: usize = data.args.iter().map(|arg| self.length(*arg)).sum();
        args + match &data.op {
            NodeOp::Const(limbs) => (self.legal.language.constant_text)(limbs, data.width).len(),
            NodeOp::Not | NodeOp::ReduceOr | NodeOp::ReduceAnd | NodeOp::ReduceXor => 2,
            NodeOp::Slice { .. } => 7,
            NodeOp::Concat => 2 * data.args.len(),
            NodeOp::ZExt => 9,
            NodeOp::SExt => 12 + args,
            NodeOp::Slt | NodeOp::Sle => 22,
            _ => 5 * data.args.len(),
        }
    }

    fn length(&self, node: Node) -> usize {
        match self.module.nodes[node].op {
            NodeOp::Input(port) => self.module.ports[port as usize].name.len(),
            NodeOp::Reg(reg) => self.module.regs[reg].name.len(),
            _ => self.lengths[node],
        }
    }

    fn name_signals(&mut self) {
        let module = self.module;
        self.nodes_that_are_output_ports();
        for (node, data) in module.nodes.iter() {
            match data.op {
                _ if !self.plan.live[node] => {}
                NodeOp::Input(port) => {
                    self.plan.nodes[node] = Some(self.plan.ports[port as usize]);
                }
                NodeOp::Reg(reg) => self.plan.nodes[node] = self.plan.regs[reg],
                _ => {
                    if let (Some(name), None) = (&data.name, self.plan.nodes[node]) {
                        let kind = self.kind(node);
                        self.plan.nodes[node] = Some(self.new_signal(name, data.width, kind));
                    }
                }
            }
        }
        for node in &self.legal.order {
            if self.plan.live[*node] && self.wanted[*node] && self.plan.nodes[*node].is_none() {
                let wish = self.temporary_name(*node);
                let kind = self.kind(*node);
                let width = module.width(*node);
                self.plan.nodes[*node] = Some(self.new_signal(&wish, width, kind));
            }
        }
        self.name_unused_outputs();
        for assert in &module.asserts {
            let name = self.names.unique(&assert.name);
            self.plan.asserts.push(name);
        }
    }

    fn kind(&self, node: Node) -> SignalKind {
        match self.module.nodes[node].op {
            NodeOp::MemRead(mem, port)
                if self.module.mems[mem].reads[port as usize].enable.is_some() =>
            {
                SignalKind::ReadData(mem, port)
            }
            _ => SignalKind::Wire,
        }
    }

    /// A node that drives an output port and has no other name is that port.
    fn nodes_that_are_output_ports(&mut self) {
        for (index, port) in self.module.ports.iter().enumerate() {
            let Direction::Output(node) = port.direction else {
                continue;
            };
            let name = &self.module.nodes[node].name;
            let free = name.is_none() || name.as_ref() == Some(&port.name);
            if free
                && self.wanted[node]
                && self.plan.nodes[node].is_none()
                && self.kind(node) == SignalKind::Wire
            {
                self.plan.nodes[node] = Some(self.plan.ports[index]);
            }
        }
    }

    fn name_unused_outputs(&mut self) {
        let live = self
            .module
            .nodes
            .iter()
            .filter(|(node, _)| self.plan.live[*node]);
        let read: HashSet<(Instance, u32)> = live
            .filter_map(|(_, data)| match data.op {
                NodeOp::InstanceOutput(instance, port) => Some((instance, port)),
                _ => None,
            })
            .collect();
        for (instance, data) in self.module.instances.iter() {
            let callee = &self.design.modules[data.module];
            for (index, port) in callee.ports.iter().enumerate() {
                let index = index as u32;
                if port.direction != Direction::Input && !read.contains(&(instance, index)) {
                    let wish = format!("unused_{}_{}", data.name, port.name);
                    let signal = self.new_signal(&wish, port.width, SignalKind::UnusedOutput);
                    self.plan.unused_outputs.push((instance, index, signal));
                }
            }
        }
    }

    /// A name that says where a value goes, or else what it is made of.
    fn temporary_name(&self, node: Node) -> String {
        let data = &self.module.nodes[node];
        match data.op {
            NodeOp::MemRead(mem, port) => {
                let mem_data = &self.module.mems[mem];
                let name = &mem_data.name;
                return match mem_data.reads.len() {
                    1 => format!("{name}_data"),
                    _ => format!("{name}_data{port}"),
                };
            }
            NodeOp::InstanceOutput(instance, port) => {
                let instance = &self.module.instances[instance];
                let callee = &self.design.modules[instance.module];
                return format!("{}_{}", instance.name, callee.ports[port as usize].name);
            }
            _ => {}
        }
        if self.uses[node] == 1 {
            if let Consumer::Statement(name) | Consumer::Place(name) = &self.consumers[node] {
                return name.clone();
            }
        }
        let what = match data.op {
            NodeOp::Const(_) => return format!("constant_{}", data.width),
            NodeOp::Not => "not",
            NodeOp::And => "and",
            NodeOp::Or => "or",
            NodeOp::Xor => "xor",
            NodeOp::Add => "sum",
            NodeOp::Sub => "difference",
            NodeOp::Mul => "product",
            NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => "shifted",
            NodeOp::Eq => "equals",
            NodeOp::Ne => "differs",
            NodeOp::Ult | NodeOp::Slt => "below",
            NodeOp::Ule | NodeOp::Sle => "at_most",
            NodeOp::Mux => "choice",
            NodeOp::Concat => "joined",
            NodeOp::ReduceOr => "any",
            NodeOp::ReduceAnd => "all",
            NodeOp::ReduceXor => "parity",
            _ => "value",
        };
        let operands = match data.op {
            NodeOp::Mux => &data.args[1..],
            _ => &data.args[..],
        };
        let base = operands.iter().find_map(|arg| self.base_name(*arg, 2));
        match (base, &data.op) {
            (Some(base), _) if base.len() <= 28 => format!("{base}_{what}"),
            (_, NodeOp::And) => "all_of".to_string(),
            (_, NodeOp::Or) => "any_of".to_string(),
            (_, NodeOp::Xor) => "odd_of".to_string(),
            (_, NodeOp::Not) => "inverse".to_string(),
            _ => what.to_string(),
        }
    }

    /// The name of a node, or of what it is made of first, a few operations deep.
    fn base_name(&self, node: Node, depth: u32) -> Option<String> {
        if let Some(signal) = self.plan.nodes[node] {
            return Some(self.plan.signals[signal].name.clone());
        }
        let args = self.module.nodes[node].args.iter();
        let below = depth.checked_sub(1)?;
        args.filter_map(|arg| self.base_name(*arg, below)).next()
    }
}
