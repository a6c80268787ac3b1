//! The rules of a design, and their check.
//!
//! **Design.** It has a module. Modules have different names. An instance's module stands before the instantiating
//! one, so there is no recursion.
//!
//! **Names.** Every name is `[A-Za-z_][A-Za-z0-9_]*`. Names of modules and ports go into the text as they are: they
//! are no reserved words (of SystemVerilog, or of C++, which Verilator writes), and the ports of a module are different from one
//! another and from its clocks (`clk`) and resets (`rst`). All other names are wishes that a printer makes unique.
//!
//! **Clocks.** A module has at least one. What belongs to a clock names one of the module's, and an instance gives each clock of its
//! module one of the parent's. All writes of a memory have the same. Values of different clocks meet nowhere (see
//! [`crate::domains`]).
//!
//! **Foreign modules** have inputs and, for each output, the node that stands for it, whose arguments are inputs. In the text they
//! are called like no module of the design, in any case, and a name means one text. The top is not foreign.
//!
//! **Widths.** Every width is at least 1.
//!
//! | operation | arguments | result |
//! |---|---|---|
//! | `Input`, `Reg`, `MemRead`, `InstanceOutput` | none | the width of what they read |
//! | `Foreign` | inputs | the width of its port |
//! | `Const` | none; ⌈width/64⌉ limbs, no bit above the width | any |
//! | `Wire`, `Not` | 1 | the argument's width |
//! | `And`, `Or`, `Xor` | 2 or more of one width | that width |
//! | `Add`, `Sub`, `Mul` | 2 of one width | that width |
//! | `Shl`, `LShr`, `AShr` | 2; the second of any width | the first one's width |
//! | `Eq`, `Ne`, `Ult`, `Ule`, `Slt`, `Sle` | 2 of one width | 1 |
//! | `Mux` | 1 bit, then 2 of one width | that width |
//! | `Slice` | 1 with at least lo + width bits | any |
//! | `Concat` | 1 or more | the sum of the widths |
//! | `ZExt`, `SExt` | 1 | at least the argument's width |
//! | `ReduceOr`, `ReduceAnd`, `ReduceXor` | 1 | 1 |
//!
//! **Order.** Arguments are made before the node that uses them, but a `Wire`'s.
//!
//! **Drivers.** Each wire has one argument, each register one `next` of its width, each input of an instance one
//! node of the port's width. Enables have 1 bit. A reset value has as many limbs as the register needs and no bit above
//! its width.
//!
//! **Memories.** At least one word. An address has at least ⌈log₂ depth⌉ bits (and at least 1); more are allowed. Data has the
//! memory's width. At most two write ports for `Block` and `Ultra`, at most one for `Distributed` (what the hardware
//! has); no asynchronous read of `Block` and `Ultra`. Two ports must not write one word at one edge: that cannot be seen here, the
//! printed text asserts it in simulation.
//!
//! **No combinational loop**, also across instances (see [`crate::dependence`]).
//!
//! **Assertions** have 1 bit.

mod foreign;
mod nodes;

use crate::dependence::{self, Dependences};
use crate::print::names;
use crate::{domains, verilog};
use crate::{Clock, Design, Direction, MemStyle, Module, ModuleId, Node, NodeOp};
use nodes::check_limbs;
use std::collections::HashSet;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("module {module}: {message}")]
pub struct CheckError {
    /// Name of the module.
    pub module: String,
    /// What is wrong, with the names and widths that matter.
    pub message: String,
}

/// Checks every rule. Gives all that is broken, in the order of the modules.
pub fn check(design: &Design) -> Result<(), Vec<CheckError>> {
    let mut errors = Vec::new();
    if design.modules.is_empty() {
        errors.push(CheckError {
            module: String::new(),
            message: "a design has at least one module".to_string(),
        });
    }
    let mut names_seen = HashSet::new();
    let mut known = Dependences::new();
    for (id, module) in design.modules.iter() {
        let mut checker = Checker {
            design,
            id,
            module,
            messages: Vec::new(),
        };
        if !names_seen.insert(module.name.as_str()) {
            checker.error(format!("there are two modules named {}", module.name));
        }
        checker.names();
        checker.clocks();
        checker.foreign();
        checker.ports();
        checker.nodes();
        checker.registers();
        checker.memories();
        checker.instances();
        checker.assertions();
        // A loop can only be looked for where every index is good, here and in the callees.
        if checker.messages.is_empty() && errors.is_empty() {
            match checker.loops(&known) {
                Ok(found) => known[id] = found,
                Err(dependence::Loop(path)) => {
                    let path: Vec<String> =
                        path.iter().map(|node| describe(module, *node)).collect();
                    checker.error(format!("combinational loop: {}", path.join(" <- ")));
                }
            }
        }
        let module = if module.name.is_empty() {
            format!("{id}")
        } else {
            module.name.clone()
        };
        errors.extend(checker.messages.into_iter().map(|message| CheckError {
            module: module.clone(),
            message,
        }));
    }
    errors.extend(foreign::texts(design));
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// Smallest number of address bits for a memory of that depth; at least 1.
pub fn address_bits(depth: u32) -> u32 {
    depth.max(2).next_power_of_two().trailing_zeros()
}

struct Checker<'a> {
    design: &'a Design,
    id: ModuleId,
    module: &'a Module,
    messages: Vec<String>,
}

impl Checker<'_> {
    fn error(&mut self, message: String) {
        self.messages.push(message);
    }

    fn names(&mut self) {
        let module = self.module;
        let mut fixed = vec![("module", &module.name)];
        fixed.extend(module.clocks.values().map(|clock| ("clock", &clock.name)));
        fixed.extend(module.clocks.values().map(|clock| ("reset", &clock.reset)));
        fixed.extend(module.ports.iter().map(|port| ("port", &port.name)));
        let mut wishes: Vec<(&str, &String)> = Vec::new();
        wishes.extend(module.regs.values().map(|reg| ("register", &reg.name)));
        wishes.extend(module.mems.values().map(|mem| ("memory", &mem.name)));
        wishes.extend(module.instances.values().map(|i| ("instance", &i.name)));
        wishes.extend(module.asserts.iter().map(|a| ("assertion", &a.name)));
        let nodes = module.nodes.values().filter_map(|node| node.name.as_ref());
        wishes.extend(nodes.map(|name| ("node", name)));
        for (what, name) in fixed.iter().chain(&wishes) {
            if !names::is_identifier(name) {
                self.error(format!("{what} name {name:?} is no identifier"));
            }
        }
        for (what, name) in fixed {
            if verilog::LANGUAGE.is_reserved(name) {
                self.error(format!("{what} name {name} is a reserved word"));
            }
        }
        let implicit = module.clocks.values();
        let implicit = implicit.flat_map(|clock| [&clock.name, &clock.reset]);
        let mut seen: HashSet<&str> = HashSet::new();
        for name in implicit.chain(module.ports.iter().map(|port| &port.name)) {
            if !seen.insert(name) {
                self.error(format!("port {name} exists twice"));
            }
        }
    }

    fn clocks(&mut self) {
        let module = self.module;
        if module.clocks.is_empty() {
            self.error("has no clock".to_string());
        }
        for clock in module.clocks.values() {
            if module.foreign.is_none() && !(clock.is_port && clock.has_reset) {
                let name = &clock.name;
                self.error(format!(
                    "clock {name} has no port or no reset, and the module is not foreign"
                ));
            }
        }
        let mut uses = |what: &str, name: &str, clock: Clock| {
            if !module.clocks.is_valid(clock) {
                let message = format!("{what} {name} belongs to {clock}, which does not exist");
                self.messages.push(message);
            }
        };
        for port in &module.ports {
            uses("port", &port.name, port.clock);
        }
        for reg in module.regs.values() {
            uses("register", &reg.name, reg.clock);
        }
        for mem in module.mems.values() {
            let writes = mem.writes.iter().map(|write| write.clock);
            let clocks = writes.chain(mem.reads.iter().map(|read| read.clock));
            clocks.for_each(|clock| uses("memory", &mem.name, clock));
        }
        for instance in module.instances.values() {
            let clocks = instance.clocks.iter();
            clocks.for_each(|clock| uses("instance", &instance.name, *clock));
        }
        for assert in &module.asserts {
            uses("assertion", &assert.name, assert.clock);
        }
    }

    /// What the outputs depend on. On the way: that no clocks meet.
    fn loops(&mut self, known: &Dependences) -> Result<dependence::Dependence, dependence::Loop> {
        let (design, id, module) = (self.design, self.id, self.module);
        let has_one_clock = module.clocks.len() == 1;
        if !has_one_clock || module.regs.values().any(|reg| reg.is_synchronizer) {
            let order = dependence::evaluation_order(design, id, known)?;
            let show = |node| describe(module, node);
            let (_, messages) = domains::check(design, id, &order, show);
            self.messages.extend(messages);
        }
        dependence::module_dependence(design, id, known)
    }

    fn ports(&mut self) {
        for port in &self.module.ports {
            if port.width == 0 {
                self.error(format!("port {} has no bits", port.name));
            }
            if let Direction::Output(node) = port.direction {
                self.driven(&format!("output {}", port.name), node, port.width);
            }
        }
    }

    /// A node that drives something of a known width.
    fn driven(&mut self, what: &str, node: Node, width: u32) {
        match self.module.nodes.get(node) {
            None => self.error(format!("{what} is driven by {node}, which does not exist")),
            Some(data) if data.width != width => self.error(format!(
                "{what} has {width} bits, its driver {} has {}",
                describe(self.module, node),
                data.width
            )),
            Some(_) => {}
        }
    }

    fn registers(&mut self) {
        for reg in self.module.regs.values() {
            let name = format!("register {}", reg.name);
            if reg.width == 0 {
                self.error(format!("{name} has no bits"));
            }
            match reg.next {
                Some(next) => self.driven(&name, next, reg.width),
                None => self.error(format!("{name} is not driven")),
            }
            if let Some(enable) = reg.enable {
                self.driven(&format!("the enable of {name}"), enable, 1);
            }
            if let Some(Err(message)) = reg.reset.as_ref().map(|r| check_limbs(r, reg.width)) {
                self.error(format!("the reset value of {name} {message}"));
            }
        }
    }

    fn memories(&mut self) {
        for mem in self.module.mems.values() {
            let name = format!("memory {}", mem.name);
            if mem.width == 0 || mem.depth == 0 {
                self.error(format!(
                    "{name} has {} words of {} bits",
                    mem.depth, mem.width
                ));
            }
            let writes = match mem.style {
                MemStyle::Block | MemStyle::Ultra => 2,
                MemStyle::Distributed => 1,
                MemStyle::Auto | MemStyle::Registers => usize::MAX,
            };
            if mem.writes.len() > writes {
                self.error(format!(
                    "{name} ({:?}) has {} write ports, at most {writes} can be built",
                    mem.style,
                    mem.writes.len()
                ));
            }
            if mem
                .bank_words
                .is_some_and(|words| words < 2 || !words.is_power_of_two())
            {
                self.error(format!("{name} has banks of no power of two of words"));
            }
            let clock = mem.writes.first().map(|write| write.clock);
            if mem.writes.iter().any(|write| Some(write.clock) != clock) {
                self.error(format!("{name} is written with several clocks"));
            }
            for write in &mem.writes {
                self.address(&name, write.address, mem.depth);
                self.driven(&format!("written data of {name}"), write.data, mem.width);
                self.write_enable(&name, write.enable, mem.width);
                if write.part.is_some() {
                    self.error(format!(
                        "{name} has a write of a single part, which only printers make"
                    ));
                }
            }
            for read in &mem.reads {
                self.address(&name, read.address, mem.depth);
                if read.zero.is_some() {
                    self.error(format!("{name} has a read of zeros, which only banks have"));
                }
                match read.enable {
                    Some(enable) => self.driven(&format!("a read enable of {name}"), enable, 1),
                    None if matches!(mem.style, MemStyle::Block | MemStyle::Ultra) => self.error(
                        format!("{name} ({:?}) cannot be read asynchronously", mem.style),
                    ),
                    None if mem.bank_words.is_some() => self.error(format!(
                        "{name} has banks and cannot be read asynchronously"
                    )),
                    None => {}
                }
            }
        }
    }

    /// One bit, or one for each part of a word.
    fn write_enable(&mut self, name: &str, enable: Node, width: u32) {
        let data = self.module.nodes.get(enable);
        let parts = data.map_or(1, |data| data.width).max(1);
        self.driven(&format!("a write enable of {name}"), enable, parts);
        if !width.is_multiple_of(parts) {
            self.error(format!(
                "{name} has words of {width} bits, which are no {parts} equal parts"
            ));
        }
    }

    fn address(&mut self, name: &str, address: Node, depth: u32) {
        let Some(data) = self.module.nodes.get(address) else {
            self.error(format!(
                "an address of {name} is {address}, which does not exist"
            ));
            return;
        };
        if data.width < address_bits(depth) {
            self.error(format!(
                "{name} has {depth} words, its address {} has only {} bits",
                describe(self.module, address),
                data.width
            ));
        }
    }

    fn instances(&mut self) {
        for instance in self.module.instances.values() {
            let name = format!("instance {}", instance.name);
            if instance.module >= self.id {
                self.error(format!(
                    "{name} is of a module that does not stand before this one"
                ));
                continue;
            }
            let callee = &self.design.modules[instance.module];
            if instance.clocks.len() != callee.clocks.len() {
                let (given, wanted) = (instance.clocks.len(), callee.clocks.len());
                self.error(format!(
                    "{name} is given {given} clocks, its module has {wanted}"
                ));
            }
            for (index, port) in callee.ports.iter().enumerate() {
                let drivers: Vec<Node> = instance
                    .inputs
                    .iter()
                    .filter(|(input, _)| *input as usize == index)
                    .map(|(_, node)| *node)
                    .collect();
                let what = format!("input {} of {name}", port.name);
                match (port.direction, drivers.as_slice()) {
                    (Direction::Input, [node]) => self.driven(&what, *node, port.width),
                    (Direction::Input, drivers) => self.error(format!(
                        "{what} has {} drivers instead of one",
                        drivers.len()
                    )),
                    (Direction::Output(_), []) => {}
                    (Direction::Output(_), _) => {
                        self.error(format!("output {} of {name} is driven", port.name))
                    }
                }
            }
            let ports = callee.ports.len();
            if instance
                .inputs
                .iter()
                .any(|(index, _)| *index as usize >= ports)
            {
                self.error(format!(
                    "{name} drives a port that {} does not have",
                    callee.name
                ));
            }
        }
    }

    fn assertions(&mut self) {
        for assert in &self.module.asserts {
            self.driven(&format!("assertion {}", assert.name), assert.condition, 1);
        }
    }
}

/// A node as messages show it: number, operation, name.
fn describe(module: &Module, node: Node) -> String {
    let data = &module.nodes[node];
    let what = match &data.op {
        NodeOp::Input(port) | NodeOp::Foreign(port) => {
            module.ports.get(*port as usize).map(|p| p.name.as_str())
        }
        NodeOp::Reg(reg) => module.regs.get(*reg).map(|reg| reg.name.as_str()),
        NodeOp::MemRead(mem, _) => module.mems.get(*mem).map(|mem| mem.name.as_str()),
        NodeOp::InstanceOutput(instance, _) => {
            let instance = module.instances.get(*instance);
            instance.map(|instance| instance.name.as_str())
        }
        _ => None,
    };
    let op = match &data.op {
        NodeOp::Const(_) => "Const".to_string(),
        op => format!("{op:?}"),
    };
    match data.name.as_deref().or(what) {
        Some(name) => format!("{node} ({op} {name})"),
        None => format!("{node} ({op})"),
    }
}
