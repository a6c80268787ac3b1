//! Building modules: short methods that make nodes, with widths checked at once and trivial cases folded.
//!
//! Here stand designs, modules with their clocks and ports, wires, instances and assertions; operations, registers and memories
//! have files of their own.

mod logic;
mod memories;
mod registers;

use crate::*;

impl Design {
    /// A design without modules.
    pub fn new() -> Design {
        Design::default()
    }

    /// Adds a module; it may be instantiated by those added later. The last one added is the top.
    pub fn add(&mut self, module: impl Into<Module>) -> ModuleId {
        let module = module.into();
        debug_assert!(
            self.modules.values().all(|other| other.name != module.name),
            "module {} added twice",
            module.name
        );
        self.modules.push(module)
    }

    /// The module of that name, when there is one.
    pub fn find(&self, name: &str) -> Option<ModuleId> {
        self.modules
            .iter()
            .find(|(_, module)| module.name == name)
            .map(|(id, _)| id)
    }

    /// The top module.
    pub fn top(&self) -> ModuleId {
        self.modules
            .keys()
            .next_back()
            .expect("a design has a module")
    }
}

impl Module {
    /// A module without ports, with the clock `clk` and its reset `rst`. `doc`: its contract, which stands above it.
    pub fn new(name: impl Into<String>, doc: impl Into<String>) -> Module {
        let mut clocks = PrimaryMap::new();
        clocks.push(ClockData::new("clk", "rst"));
        Module {
            name: name.into(),
            doc: doc.into(),
            clocks,
            ports: Vec::new(),
            nodes: PrimaryMap::new(),
            regs: PrimaryMap::new(),
            mems: PrimaryMap::new(),
            instances: PrimaryMap::new(),
            sections: PrimaryMap::new(),
            asserts: Vec::new(),
            is_crossing: false,
            foreign: None,
            current_clock: Clock::FIRST,
        }
    }

    /// Another clock, with the names of its input and of its reset's.
    pub fn clock(&mut self, name: impl Into<String>, reset: impl Into<String>) -> Clock {
        self.clocks.push(ClockData::new(name, reset))
    }

    /// What is made from here on (ports, registers, ports of memories, instances, assertions) belongs to that clock.
    pub fn on(&mut self, clock: Clock) {
        assert!(self.clocks.is_valid(clock), "a clock of the module");
        self.current_clock = clock;
    }

    /// Starts a part of the module's text under a heading.
    pub fn section(&mut self, heading: impl Into<String>) {
        self.sections.push(heading.into());
    }

    fn current_section(&self) -> Option<Section> {
        self.sections.keys().next_back()
    }

    pub(crate) fn push(&mut self, op: NodeOp, args: Vec<Node>, width: u32) -> Node {
        self.push_in(self.current_section(), op, args, width)
    }

    /// A node without a name, under a heading.
    pub(crate) fn push_in(
        &mut self,
        section: Option<Section>,
        op: NodeOp,
        args: Vec<Node>,
        width: u32,
    ) -> Node {
        assert!(width > 0, "a node has at least one bit");
        self.nodes.push(NodeData {
            op,
            args,
            width,
            name: None,
            comment: None,
            section,
        })
    }

    /// Width of a node in bits.
    pub fn width(&self, node: Node) -> u32 {
        self.nodes[node].width
    }

    /// Names a node: it becomes a signal of that name in the text.
    pub fn name(&mut self, node: Node, name: impl Into<String>) -> Node {
        self.nodes[node].name = Some(name.into());
        node
    }

    /// Names a node through a wire of its own, so that other names of the same node stay.
    pub fn alias(&mut self, node: Node, name: impl Into<String>) -> Node {
        let wire = self.wire(self.width(node), name);
        self.drive(wire, node);
        wire
    }

    /// What stands above or behind a node's signal; a word behind a constant.
    pub fn comment(&mut self, node: Node, comment: impl Into<String>) -> Node {
        self.nodes[node].comment = Some(comment.into());
        node
    }

    /// Declares an input of `width` bits that belongs to the chosen clock. `doc`: what stands beside it.
    pub fn input(&mut self, name: impl Into<String>, width: u32, doc: impl Into<String>) -> Node {
        let index = self.ports.len() as u32;
        self.ports.push(Port {
            name: name.into(),
            width,
            direction: Direction::Input,
            clock: self.current_clock,
            doc: doc.into(),
        });
        self.push(NodeOp::Input(index), Vec::new(), width)
    }

    /// Declares an output that the node drives, which belongs to the chosen clock. `doc`: what stands beside it.
    pub fn output(&mut self, name: impl Into<String>, node: Node, doc: impl Into<String>) {
        self.ports.push(Port {
            name: name.into(),
            width: self.width(node),
            direction: Direction::Output(node),
            clock: self.current_clock,
            doc: doc.into(),
        });
    }

    /// A signal that is driven later with [`Module::drive`].
    pub fn wire(&mut self, width: u32, name: impl Into<String>) -> Node {
        let node = self.push(NodeOp::Wire, Vec::new(), width);
        self.name(node, name)
    }

    /// Gives a wire its value, of the same width.
    ///
    /// # Panics
    /// When it is no wire, has a value, or the widths differ.
    pub fn drive(&mut self, wire: Node, value: Node) {
        assert_eq!(self.nodes[wire].op, NodeOp::Wire);
        assert_eq!(
            self.width(wire),
            self.width(value),
            "width of a driven wire"
        );
        assert!(self.nodes[wire].args.is_empty(), "a wire is driven once");
        self.nodes[wire].args.push(value);
    }

    /// Instantiates `callee` (module `id` of the design), which has one clock. Inputs by name; gives a function from output names
    /// to nodes through [`Module::instance_output`].
    pub fn instance(
        &mut self,
        callee: &Module,
        id: ModuleId,
        name: impl Into<String>,
        inputs: &[(&str, Node)],
    ) -> Instance {
        self.instance_of_clocks(callee, id, name, &[self.current_clock], inputs)
    }

    /// The same of a module with any number of clocks. `clocks`: which clocks of this module they are, in their order.
    pub fn instance_of_clocks(
        &mut self,
        callee: &Module,
        id: ModuleId,
        name: impl Into<String>,
        clocks: &[Clock],
        inputs: &[(&str, Node)],
    ) -> Instance {
        let name = name.into();
        assert_eq!(callee.clocks.len(), clocks.len(), "clocks of {name}");
        let mut all = Vec::new();
        for (port, node) in inputs {
            let index = callee
                .ports
                .iter()
                .position(|p| p.name == *port && p.direction == Direction::Input)
                .unwrap_or_else(|| panic!("{} has no input {port}", callee.name));
            assert_eq!(
                callee.ports[index].width,
                self.width(*node),
                "width of {name}.{port}"
            );
            all.push((index as u32, *node));
        }
        let section = self.current_section();
        self.instances.push(InstanceData {
            module: id,
            name,
            clocks: clocks.to_vec(),
            inputs: all,
            comment: None,
            section,
        })
    }

    /// The node of an output of an instance of `callee`.
    pub fn instance_output(&mut self, callee: &Module, instance: Instance, port: &str) -> Node {
        let index = callee
            .ports
            .iter()
            .position(|p| p.name == port && p.direction != Direction::Input)
            .unwrap_or_else(|| panic!("{} has no output {port}", callee.name));
        self.push(
            NodeOp::InstanceOutput(instance, index as u32),
            Vec::new(),
            callee.ports[index].width,
        )
    }

    /// Something that must hold at every clock edge outside reset.
    pub fn assert(&mut self, name: impl Into<String>, condition: Node, message: impl Into<String>) {
        assert_eq!(self.width(condition), 1);
        self.asserts.push(Assert {
            name: name.into(),
            condition,
            message: message.into(),
            clock: self.current_clock,
        });
    }
}

impl ClockData {
    /// A clock with its reset.
    pub fn new(name: impl Into<String>, reset: impl Into<String>) -> ClockData {
        ClockData {
            name: name.into(),
            reset: reset.into(),
            is_port: true,
            has_reset: true,
        }
    }
}
