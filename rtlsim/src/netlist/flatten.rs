//! From a hierarchical design to a [`Netlist`].
//!
//! A depth-first search from the outputs and assertions back to registers, memories and inputs; each register or
//! memory that is met adds what its next value depends on. The search keeps its own stack: designs are deeper than a
//! thread's stack allows. A node that is met while its own arguments are being searched is a combinational loop.

mod foreign;

use super::legal::{check_node, has_width};
use super::*;
use cranelift_entity::{EntityRef, SecondaryMap};
use hardpath_rtl::{Clock, Design, Direction, Instance, Mem, Module, ModuleId, Node, Reg};
use std::collections::HashMap;

/// Flattens the design whose top is its last module.
pub fn flatten(design: &Design) -> Result<Netlist, SimError> {
    let Some(top) = design.modules.keys().next_back() else {
        return malformed("it has no module".into());
    };
    let mut flattener = Flattener {
        design,
        scopes: PrimaryMap::new(),
        netlist: Netlist::default(),
        registers: HashMap::new(),
        read_ports: HashMap::new(),
        memories: HashMap::new(),
        foreign: HashMap::new(),
        edges: SecondaryMap::new(),
        pending: Vec::new(),
    };
    let clocks = design.modules[top].clocks.values();
    for clock in clocks {
        let names = (clock.name.clone(), clock.reset.clone());
        flattener.netlist.clocks.push(names);
    }
    let clocks = flattener.netlist.clocks.keys().collect();
    let root = flattener.open(top, None, String::new(), clocks)?;
    flattener.run(root)?;
    Ok(flattener.netlist)
}

/// One occurrence of a module in the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Scope(u32);
entity_impl!(Scope);

struct ScopeData<'a> {
    module: &'a Module,
    parent: Option<(Scope, Instance)>,
    /// Hierarchical name with a dot behind it; empty for the top.
    prefix: String,
    clocks: PrimaryMap<Clock, ClockId>,
    children: SecondaryMap<Instance, Option<Scope>>,
    marks: SecondaryMap<Node, Mark>,
}

#[derive(Clone, Copy, Default)]
enum Mark {
    #[default]
    New,
    /// Its arguments are being searched.
    Open,
    Done(Signal),
}

/// A state or memory that was met and whose drivers are still to be searched.
enum Pending {
    Register(StateId, Scope, Reg),
    ReadPort(StateId, Scope, Mem, u32),
    Memory(MemoryId, Scope, Mem),
    Foreign(ForeignId, Scope),
}

struct Flattener<'a> {
    design: &'a Design,
    scopes: PrimaryMap<Scope, ScopeData<'a>>,
    netlist: Netlist,
    registers: HashMap<(Scope, Reg), StateId>,
    read_ports: HashMap<(Scope, Mem, u32), StateId>,
    memories: HashMap<(Scope, Mem), MemoryId>,
    foreign: HashMap<Scope, ForeignId>,
    /// The signals that say which clocks have an edge.
    edges: SecondaryMap<ClockId, Option<Signal>>,
    pending: Vec<Pending>,
}

type Place = (Scope, Node);

impl<'a> Flattener<'a> {
    fn open(
        &mut self,
        id: ModuleId,
        parent: Option<(Scope, Instance)>,
        prefix: String,
        clocks: PrimaryMap<Clock, ClockId>,
    ) -> Result<Scope, SimError> {
        let module = &self.design.modules[id];
        let scope = self.scopes.push(ScopeData {
            module,
            parent,
            prefix: prefix.clone(),
            clocks: clocks.clone(),
            children: SecondaryMap::new(),
            marks: SecondaryMap::new(),
        });
        for (instance, data) in &module.instances {
            if data.module.index() >= id.index() {
                return malformed(format!(
                    "{prefix}{}: a module comes after the modules that it instantiates",
                    data.name
                ));
            }
            let path = format!("{prefix}{}.", data.name);
            let given = data.clocks.iter();
            let given: Option<PrimaryMap<Clock, ClockId>> =
                given.map(|clock| clocks.get(*clock).copied()).collect();
            let wanted = self.design.modules[data.module].clocks.len();
            let Some(given) = given.filter(|given| given.len() == wanted) else {
                return malformed(format!("{path} its clocks are not those of its module"));
            };
            let child = self.open(data.module, Some((scope, instance)), path, given)?;
            self.scopes[scope].children[instance] = Some(child);
        }
        Ok(scope)
    }

    fn run(&mut self, root: Scope) -> Result<(), SimError> {
        for port in &self.scopes[root].module.ports {
            match port.direction {
                Direction::Input => self.netlist.inputs.push((port.name.clone(), port.width)),
                Direction::Output(node) => {
                    let signal = self.resolve((root, node))?;
                    let what = || format!("output {}", port.name);
                    has_width(&self.netlist, signal, port.width, what)?;
                    self.netlist.outputs.push((port.name.clone(), signal));
                }
            }
        }
        for scope in self.scopes.keys() {
            let module = self.scopes[scope].module;
            for assert in &module.asserts {
                let condition = self.resolve((scope, assert.condition))?;
                let name = format!("{}{}", self.scopes[scope].prefix, assert.name);
                has_width(&self.netlist, condition, 1, || format!("assertion {name}"))?;
                self.netlist.assertions.push(Assertion {
                    name,
                    message: assert.message.clone(),
                    condition,
                    clock: self.clock(scope, assert.clock)?,
                });
            }
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Register(state, scope, reg) => self.drive_register(state, scope, reg)?,
                Pending::ReadPort(state, scope, mem, port) => {
                    self.drive_read_port(state, scope, mem, port)?
                }
                Pending::Memory(memory, scope, mem) => self.drive_memory(memory, scope, mem)?,
                Pending::Foreign(foreign, scope) => self.drive_foreign(foreign, scope)?,
            }
        }
        Ok(())
    }

    /// What a clock of a module is in the top.
    fn clock(&self, scope: Scope, clock: Clock) -> Result<ClockId, SimError> {
        let ScopeData { clocks, prefix, .. } = &self.scopes[scope];
        match clocks.get(clock) {
            Some(clock) => Ok(*clock),
            None => malformed(format!("{prefix}: it has no {clock}")),
        }
    }

    /// An enable that is 1 only where the clock has an edge; `None`: it always is.
    fn at_edge(&mut self, clock: ClockId, enable: Option<Signal>) -> Option<Signal> {
        if self.netlist.clocks.len() == 1 {
            return enable;
        }
        let edge = match self.edges[clock] {
            Some(edge) => edge,
            None => {
                let edge = self.netlist.push(Op::Edge(clock), &[], 1);
                *self.edges[clock].insert(edge)
            }
        };
        Some(match enable {
            Some(enable) => self.netlist.push(Op::Pure(NodeOp::And), &[enable, edge], 1),
            None => edge,
        })
    }

    fn drive_register(&mut self, state: StateId, scope: Scope, reg: Reg) -> Result<(), SimError> {
        let data = &self.scopes[scope].module.regs[reg];
        let name = self.netlist.states[state].name.clone();
        let Some(next) = data.next else {
            return malformed(format!("register {name} is not driven"));
        };
        let next = self.resolve((scope, next))?;
        has_width(&self.netlist, next, data.width, || {
            format!("the next value of {name}")
        })?;
        let enable = match data.enable {
            Some(enable) => {
                Some(self.one_bit((scope, enable), || format!("the enable of {name}"))?)
            }
            None => None,
        };
        let enable = self.at_edge(self.netlist.states[state].clock, enable);
        self.netlist.states[state].update = Update::Register { next, enable };
        Ok(())
    }

    fn drive_read_port(
        &mut self,
        state: StateId,
        scope: Scope,
        mem: Mem,
        port: u32,
    ) -> Result<(), SimError> {
        let data = &self.scopes[scope].module.mems[mem];
        let read = &data.reads[port as usize];
        let enable = read.enable.expect("a synchronous port");
        let name = self.netlist.states[state].name.clone();
        let memory = self.memory(scope, mem);
        let address = self.resolve((scope, read.address))?;
        let enable = self.one_bit((scope, enable), || format!("the enable of {name}"))?;
        let clock = self.netlist.states[state].clock;
        let enable = self.at_edge(clock, Some(enable)).unwrap_or(enable);
        self.netlist.states[state].update = Update::Read {
            memory,
            address,
            enable,
        };
        Ok(())
    }

    fn drive_memory(&mut self, memory: MemoryId, scope: Scope, mem: Mem) -> Result<(), SimError> {
        let data = &self.scopes[scope].module.mems[mem];
        let name = self.netlist.memories[memory].name.clone();
        for write in &data.writes {
            let address = self.resolve((scope, write.address))?;
            let value = self.resolve((scope, write.data))?;
            has_width(&self.netlist, value, data.width, || {
                format!("data written to {name}")
            })?;
            let enable = self.resolve((scope, write.enable))?;
            let (value, enable) = match self.netlist.signals[enable].width {
                1 => (value, enable),
                parts if data.width.is_multiple_of(parts) => {
                    self.written_in_parts((memory, address), value, enable)
                }
                _ => return malformed(format!("{name}: parts of a word are equal")),
            };
            let clock = self.clock(scope, write.clock)?;
            let enable = self.at_edge(clock, Some(enable)).unwrap_or(enable);
            self.netlist.memories[memory].writes.push(Write {
                address,
                data: value,
                enable,
            });
        }
        Ok(())
    }

    /// The whole word of a write that has an enable for each part of it, and whether there is any: other parts keep what they have.
    fn written_in_parts(
        &mut self,
        (memory, address): (MemoryId, Signal),
        value: Signal,
        enable: Signal,
    ) -> (Signal, Signal) {
        let netlist = &mut self.netlist;
        let (width, parts) = (netlist.signals[value].width, netlist.signals[enable].width);
        let masks: Vec<Signal> = (0..parts)
            .rev()
            .map(|part| {
                let bit = netlist.slice(enable, part, 1);
                netlist.push(Op::Pure(NodeOp::SExt), &[bit], width / parts)
            })
            .collect();
        let mask = netlist.push(Op::Pure(NodeOp::Concat), &masks, width);
        let old = netlist.push(Op::Read(memory), &[address], width);
        // Three operations a limb, where a choice bit by bit would be four.
        let differs = netlist.push(Op::Pure(NodeOp::Xor), &[old, value], width);
        let changes = netlist.push(Op::Pure(NodeOp::And), &[differs, mask], width);
        let word = netlist.push(Op::Pure(NodeOp::Xor), &[old, changes], width);
        let any = netlist.push(Op::Pure(NodeOp::ReduceOr), &[enable], 1);
        (word, any)
    }

    fn one_bit(&mut self, place: Place, what: impl Fn() -> String) -> Result<Signal, SimError> {
        let signal = self.resolve(place)?;
        has_width(&self.netlist, signal, 1, what)?;
        Ok(signal)
    }

    /// The signal of a node, with all that it depends on.
    fn resolve(&mut self, root: Place) -> Result<Signal, SimError> {
        let mut stack = vec![root];
        while let Some(&(scope, node)) = stack.last() {
            if !self.scopes[scope].module.nodes.is_valid(node) {
                let prefix = &self.scopes[scope].prefix;
                return malformed(format!("{prefix}{node:?}: no such node"));
            }
            match self.scopes[scope].marks[node] {
                Mark::Done(_) => {
                    stack.pop();
                }
                Mark::New => {
                    self.scopes[scope].marks[node] = Mark::Open;
                    for dependency in self.dependencies(scope, node)? {
                        let (scope, node) = dependency;
                        match self.scopes[scope].marks.get(node) {
                            Some(Mark::Open) => return Err(self.loop_error(&stack, dependency)),
                            Some(Mark::Done(_)) => {}
                            _ => stack.push(dependency),
                        }
                    }
                }
                Mark::Open => {
                    let signal = self.build(scope, node)?;
                    self.scopes[scope].marks[node] = Mark::Done(signal);
                    stack.pop();
                }
            }
        }
        Ok(self.done(root))
    }

    fn done(&self, (scope, node): Place) -> Signal {
        match self.scopes[scope].marks[node] {
            Mark::Done(signal) => signal,
            _ => unreachable!("arguments are resolved before their users"),
        }
    }

    /// The nodes that a node's value is computed from in the same clock.
    fn dependencies(&self, scope: Scope, node: Node) -> Result<SmallVec<[Place; 4]>, SimError> {
        let ScopeData {
            module,
            parent,
            prefix,
            children,
            ..
        } = &self.scopes[scope];
        let data = &module.nodes[node];
        let mut places = SmallVec::new();
        match data.op {
            NodeOp::Input(port) => {
                if let Some((above, instance)) = parent {
                    let inputs = &self.scopes[*above].module.instances[*instance].inputs;
                    match inputs.iter().find(|(index, _)| *index == port) {
                        Some((_, driver)) => places.push((*above, *driver)),
                        None => {
                            return malformed(format!("{prefix}: input {port} is not connected"))
                        }
                    }
                }
            }
            NodeOp::InstanceOutput(instance, port) => {
                let child = children.get(instance).copied().flatten();
                let Some(child) = child else {
                    return malformed(format!("{prefix}{instance:?}: no such instance"));
                };
                match self.scopes[child].module.ports.get(port as usize) {
                    Some(port) => match port.direction {
                        Direction::Output(driver) => places.push((child, driver)),
                        Direction::Input => {
                            return malformed(format!("{prefix}{}: not an output", port.name))
                        }
                    },
                    None => return malformed(format!("{prefix}{instance:?}: no output {port}")),
                }
            }
            NodeOp::MemRead(mem, port) => {
                let read = module
                    .mems
                    .get(mem)
                    .and_then(|mem| mem.reads.get(port as usize));
                match read {
                    None => return malformed(format!("{prefix}{mem:?}: no read port {port}")),
                    Some(read) if read.enable.is_none() => places.push((scope, read.address)),
                    Some(_) => {}
                }
            }
            NodeOp::Wire if data.args.len() != 1 => {
                let name = data.name.as_deref().unwrap_or("a wire");
                return malformed(format!("{prefix}{name} is not driven"));
            }
            _ => places.extend(data.args.iter().map(|arg| (scope, *arg))),
        }
        Ok(places)
    }

    /// Makes the signal of a node whose dependencies are resolved.
    fn build(&mut self, scope: Scope, node: Node) -> Result<Signal, SimError> {
        let module = self.scopes[scope].module;
        let data = &module.nodes[node];
        let dependencies = self.dependencies(scope, node)?;
        let args: SmallVec<[Signal; 4]> =
            dependencies.iter().map(|place| self.done(*place)).collect();
        let what = || {
            let prefix = &self.scopes[scope].prefix;
            match &data.name {
                Some(name) => format!("{prefix}{name}"),
                None => format!("{prefix}{node:?}"),
            }
        };
        let width = data.width;
        check_node(&self.netlist, data, &args, what)?;
        match &data.op {
            NodeOp::Input(_) | NodeOp::InstanceOutput(..) | NodeOp::Wire if !args.is_empty() => {
                has_width(&self.netlist, args[0], width, what)?;
                Ok(args[0])
            }
            NodeOp::Input(port) => {
                let inputs = module.ports.iter().take(*port as usize);
                let index = inputs
                    .filter(|port| port.direction == Direction::Input)
                    .count();
                match module.ports.get(*port as usize) {
                    Some(port) if port.width == width && port.direction == Direction::Input => {}
                    _ => return malformed(format!("{}: not an input of that width", what())),
                }
                Ok(self.netlist.push(Op::Input(index as u32), &[], width))
            }
            NodeOp::Foreign(port) => self.foreign_output(scope, *port, &args, width),
            NodeOp::Reg(reg) => match module.regs.get(*reg) {
                Some(data) if data.width == width => {
                    let state = self.register(scope, *reg)?;
                    Ok(self.netlist.push(Op::State(state), &[], width))
                }
                _ => malformed(format!("{}: no register of that width", what())),
            },
            NodeOp::MemRead(mem, port) => {
                if module.mems[*mem].width != width {
                    return malformed(format!("{}: not as wide as the memory", what()));
                }
                let op = match module.mems[*mem].reads[*port as usize].enable {
                    Some(_) => Op::State(self.read_port(scope, *mem, *port)?),
                    None => Op::Read(self.memory(scope, *mem)),
                };
                Ok(self.netlist.push(op, &args, width))
            }
            NodeOp::Const(limbs) => {
                let mut limbs = limbs.clone();
                limbs.resize(width.div_ceil(64) as usize, 0);
                if !width.is_multiple_of(64) {
                    limbs[width as usize / 64] &= (1 << (width % 64)) - 1;
                }
                Ok(self.netlist.constant(limbs, width))
            }
            NodeOp::Slice { lo } => Ok(self.netlist.slice(args[0], *lo, width)),
            NodeOp::Concat => Ok(self.netlist.concat(&args, width)),
            NodeOp::ZExt | NodeOp::SExt if self.netlist.signals[args[0]].width == width => {
                Ok(args[0])
            }
            op => Ok(self.netlist.push(Op::Pure(op.clone()), &args, width)),
        }
    }

    fn register(&mut self, scope: Scope, reg: Reg) -> Result<StateId, SimError> {
        if let Some(state) = self.registers.get(&(scope, reg)) {
            return Ok(*state);
        }
        let data = &self.scopes[scope].module.regs[reg];
        let clock = self.clock(scope, data.clock)?;
        let name = format!("{}{}", self.scopes[scope].prefix, data.name);
        let state = self.undriven(name, (data.width, clock), data.reset.clone());
        self.registers.insert((scope, reg), state);
        self.pending.push(Pending::Register(state, scope, reg));
        Ok(state)
    }

    fn read_port(&mut self, scope: Scope, mem: Mem, port: u32) -> Result<StateId, SimError> {
        if let Some(state) = self.read_ports.get(&(scope, mem, port)) {
            return Ok(*state);
        }
        let data = &self.scopes[scope].module.mems[mem];
        let clock = self.clock(scope, data.reads[port as usize].clock)?;
        let name = format!("{}{}.read{port}", self.scopes[scope].prefix, data.name);
        let state = self.undriven(name, (data.width, clock), None);
        self.read_ports.insert((scope, mem, port), state);
        self.pending
            .push(Pending::ReadPort(state, scope, mem, port));
        Ok(state)
    }

    /// A state whose update is filled in when the search has come to its drivers.
    fn undriven(
        &mut self,
        name: String,
        (width, clock): (u32, ClockId),
        reset: Option<Vec<u64>>,
    ) -> StateId {
        let update = Update::Register {
            next: Signal(u32::MAX),
            enable: None,
        };
        self.netlist.states.push(State {
            name,
            width,
            reset,
            clock,
            update,
        })
    }

    fn memory(&mut self, scope: Scope, mem: Mem) -> MemoryId {
        if let Some(memory) = self.memories.get(&(scope, mem)) {
            return *memory;
        }
        let data = &self.scopes[scope].module.mems[mem];
        let memory = self.netlist.memories.push(Memory {
            name: format!("{}{}", self.scopes[scope].prefix, data.name),
            width: data.width,
            depth: data.depth,
            writes: Vec::new(),
        });
        self.memories.insert((scope, mem), memory);
        self.pending.push(Pending::Memory(memory, scope, mem));
        memory
    }

    /// The loop that closes with `place`: the names of the nodes on the stack from there on.
    fn loop_error(&self, stack: &[Place], place: Place) -> SimError {
        let open: Vec<&Place> = stack
            .iter()
            .filter(|(scope, node)| matches!(self.scopes[*scope].marks[*node], Mark::Open))
            .collect();
        let start = open.iter().position(|on| **on == place).unwrap_or(0);
        let name = |(scope, node): &Place| {
            let data = &self.scopes[*scope];
            let name = data.module.nodes[*node].name.as_ref()?;
            Some(format!("{}{name}", data.prefix))
        };
        let mut names: Vec<String> = open[start..]
            .iter()
            .filter_map(|place| name(place))
            .collect();
        names.dedup();
        if names.is_empty() {
            names.push(format!(
                "an unnamed node of {}",
                self.scopes[place.0].module.name
            ));
        }
        SimError::CombinationalLoop(names.join(" <- "))
    }
}
