//! Building modules: short methods that make nodes, with widths checked at once and trivial cases folded.

use crate::*;

impl Design {
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
        assert!(width > 0, "a node has at least one bit");
        let section = self.current_section();
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

    /// The constant that a node is, least significant limb first.
    pub fn as_const(&self, node: Node) -> Option<&[u64]> {
        match &self.nodes[node].op {
            NodeOp::Const(limbs) => Some(limbs),
            _ => None,
        }
    }

    fn is_zero(&self, node: Node) -> bool {
        self.as_const(node)
            .is_some_and(|limbs| limbs.iter().all(|limb| *limb == 0))
    }

    fn is_ones(&self, node: Node) -> bool {
        let width = self.width(node);
        self.as_const(node).is_some_and(|limbs| {
            limbs.iter().enumerate().all(|(i, limb)| {
                let bits = (width - 64 * i as u32).min(64);
                *limb == u64::MAX >> (64 - bits)
            })
        })
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

    pub fn constant(&mut self, value: u64, width: u32) -> Node {
        self.constant_limbs(&[value], width)
    }

    pub fn constant_limbs(&mut self, limbs: &[u64], width: u32) -> Node {
        let mut all = vec![0; width.div_ceil(64) as usize];
        for (to, from) in all.iter_mut().zip(limbs) {
            *to = *from;
        }
        if !width.is_multiple_of(64) {
            *all.last_mut().unwrap() &= u64::MAX >> (64 - width % 64);
        }
        self.push(NodeOp::Const(all), Vec::new(), width)
    }

    pub fn zero(&mut self, width: u32) -> Node {
        self.constant(0, width)
    }

    /// One bit of constant 1.
    pub fn one(&mut self) -> Node {
        self.constant(1, 1)
    }

    pub fn not(&mut self, a: Node) -> Node {
        if let NodeOp::Not = self.nodes[a].op {
            return self.nodes[a].args[0];
        }
        if self.is_zero(a) {
            let width = self.width(a);
            return self.constant_limbs(&vec![u64::MAX; width.div_ceil(64) as usize], width);
        }
        if self.is_ones(a) {
            return self.zero(self.width(a));
        }
        self.push(NodeOp::Not, vec![a], self.width(a))
    }

    fn same_width(&self, args: &[Node]) -> u32 {
        let width = self.width(args[0]);
        for arg in args {
            assert_eq!(self.width(*arg), width, "arguments of one width");
        }
        width
    }

    /// And of any number of nodes (at least one).
    pub fn and(&mut self, args: &[Node]) -> Node {
        let width = self.same_width(args);
        if let Some(zero) = args.iter().find(|arg| self.is_zero(**arg)) {
            return *zero;
        }
        let mut left: Vec<Node> = Vec::new();
        for arg in args {
            if !self.is_ones(*arg) && !left.contains(arg) {
                left.push(*arg);
            }
        }
        match left.len() {
            0 => args[0],
            1 => left[0],
            _ => self.push(NodeOp::And, left, width),
        }
    }

    /// Or of any number of nodes (at least one).
    pub fn or(&mut self, args: &[Node]) -> Node {
        let width = self.same_width(args);
        if let Some(ones) = args.iter().find(|arg| self.is_ones(**arg)) {
            return *ones;
        }
        let mut left: Vec<Node> = Vec::new();
        for arg in args {
            if !self.is_zero(*arg) && !left.contains(arg) {
                left.push(*arg);
            }
        }
        match left.len() {
            0 => args[0],
            1 => left[0],
            _ => self.push(NodeOp::Or, left, width),
        }
    }

    pub fn xor(&mut self, args: &[Node]) -> Node {
        let width = self.same_width(args);
        match args.len() {
            1 => args[0],
            _ => self.push(NodeOp::Xor, args.to_vec(), width),
        }
    }

    /// A two-operand operation whose result has the operands' width.
    fn binary(&mut self, op: NodeOp, a: Node, b: Node) -> Node {
        let width = self.same_width(&[a, b]);
        self.push(op, vec![a, b], width)
    }

    pub fn add(&mut self, a: Node, b: Node) -> Node {
        if self.is_zero(a) {
            return b;
        }
        if self.is_zero(b) {
            return a;
        }
        self.binary(NodeOp::Add, a, b)
    }

    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        if self.is_zero(b) {
            return a;
        }
        self.binary(NodeOp::Sub, a, b)
    }

    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        self.binary(NodeOp::Mul, a, b)
    }

    /// A shift: `Shl`, `LShr` or `AShr`.
    pub fn shift(&mut self, op: NodeOp, a: Node, by: Node) -> Node {
        assert!(matches!(op, NodeOp::Shl | NodeOp::LShr | NodeOp::AShr));
        self.push(op, vec![a, by], self.width(a))
    }

    /// A compare, as [`NodeOp`] has them.
    pub fn compare(&mut self, op: NodeOp, a: Node, b: Node) -> Node {
        self.same_width(&[a, b]);
        self.push(op, vec![a, b], 1)
    }

    pub fn eq(&mut self, a: Node, b: Node) -> Node {
        if self.width(a) == 1 && self.is_ones(b) {
            return a;
        }
        if self.width(a) == 1 && self.is_zero(b) {
            return self.not(a);
        }
        self.compare(NodeOp::Eq, a, b)
    }

    pub fn ne(&mut self, a: Node, b: Node) -> Node {
        self.compare(NodeOp::Ne, a, b)
    }

    pub fn ult(&mut self, a: Node, b: Node) -> Node {
        if self.is_above(b, a) {
            return self.one();
        }
        self.compare(NodeOp::Ult, a, b)
    }

    /// A constant that is more than an extended value can be.
    fn is_above(&self, constant: Node, value: Node) -> bool {
        let data = &self.nodes[value];
        let Some(limbs) = self.as_const(constant) else {
            return false;
        };
        data.op == NodeOp::ZExt && {
            let bits = self.width(data.args[0]);
            let at_least = |(i, limb): (usize, &u64)| match bits.checked_sub(64 * i as u32) {
                None => *limb != 0,
                Some(above) => above < 64 && limb >> above != 0,
            };
            limbs.iter().enumerate().any(at_least)
        }
    }

    pub fn ule(&mut self, a: Node, b: Node) -> Node {
        self.compare(NodeOp::Ule, a, b)
    }

    /// `a == value`.
    pub fn eq_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.eq(a, value)
    }

    /// `a + value`, modulo 2^width.
    pub fn add_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.add(a, value)
    }

    /// `a - value`, modulo 2^width.
    pub fn sub_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.sub(a, value)
    }

    pub fn mux(&mut self, select: Node, yes: Node, no: Node) -> Node {
        assert_eq!(self.width(select), 1, "a mux is selected by one bit");
        let width = self.same_width(&[yes, no]);
        if yes == no || self.is_ones(select) {
            return yes;
        }
        if self.is_zero(select) {
            return no;
        }
        self.push(NodeOp::Mux, vec![select, yes, no], width)
    }

    pub fn slice(&mut self, a: Node, lo: u32, width: u32) -> Node {
        assert!(
            lo + width <= self.width(a),
            "slice {lo}+{width} of {}",
            self.width(a)
        );
        if width == self.width(a) {
            return a;
        }
        if let Some(limbs) = self.as_const(a) {
            let shifted: Vec<u64> = (0..width.div_ceil(64))
                .map(|i| {
                    let at = lo + 64 * i;
                    let limb = |n: u32| limbs.get(n as usize).copied().unwrap_or(0);
                    let low = limb(at / 64) >> (at % 64);
                    match at % 64 {
                        0 => low,
                        shift => low | limb(at / 64 + 1) << (64 - shift),
                    }
                })
                .collect();
            return self.constant_limbs(&shifted, width);
        }
        if let NodeOp::Slice { lo: inner } = self.nodes[a].op {
            let from = self.nodes[a].args[0];
            return self.slice(from, inner + lo, width);
        }
        self.push(NodeOp::Slice { lo }, vec![a], width)
    }

    pub fn bit(&mut self, a: Node, index: u32) -> Node {
        self.slice(a, index, 1)
    }

    /// Side by side, the first one most significant.
    pub fn concat(&mut self, args: &[Node]) -> Node {
        match args.len() {
            1 => args[0],
            _ => {
                let width = args.iter().map(|arg| self.width(*arg)).sum();
                self.push(NodeOp::Concat, args.to_vec(), width)
            }
        }
    }

    /// Extends with zeros, or cuts off high bits.
    pub fn resize(&mut self, a: Node, width: u32) -> Node {
        if width < self.width(a) {
            self.slice(a, 0, width)
        } else {
            self.zext(a, width)
        }
    }

    pub fn zext(&mut self, a: Node, width: u32) -> Node {
        if width == self.width(a) {
            return a;
        }
        assert!(width > self.width(a));
        if let Some(limbs) = self.as_const(a) {
            let limbs = limbs.to_vec();
            return self.constant_limbs(&limbs, width);
        }
        self.push(NodeOp::ZExt, vec![a], width)
    }

    pub fn sext(&mut self, a: Node, width: u32) -> Node {
        if width == self.width(a) {
            return a;
        }
        assert!(width > self.width(a));
        self.push(NodeOp::SExt, vec![a], width)
    }

    /// The value where `on`, of one bit, is set; else zeros.
    pub fn gate(&mut self, on: Node, value: Node) -> Node {
        let mask = self.sext(on, self.width(value));
        self.and(&[mask, value])
    }

    pub fn reduce_or(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceOr, vec![a], 1),
        }
    }

    pub fn reduce_and(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceAnd, vec![a], 1),
        }
    }

    pub fn reduce_xor(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceXor, vec![a], 1),
        }
    }

    /// A register without reset that is driven later with [`Module::set_next`].
    pub fn reg(&mut self, name: impl Into<String>, width: u32) -> (Reg, Node) {
        self.make_reg(name, width, None)
    }

    /// A register that reset sets to `value` (at most 64 bits of it).
    pub fn reg_reset(&mut self, name: impl Into<String>, width: u32, value: u64) -> (Reg, Node) {
        let mut limbs = vec![0; width.div_ceil(64) as usize];
        limbs[0] = value;
        self.make_reg(name, width, Some(limbs))
    }

    fn make_reg(
        &mut self,
        name: impl Into<String>,
        width: u32,
        reset: Option<Vec<u64>>,
    ) -> (Reg, Node) {
        let section = self.current_section();
        let reg = self.regs.push(RegData {
            name: name.into(),
            width,
            next: None,
            enable: None,
            reset,
            is_apart: false,
            is_synchronizer: false,
            clock: self.current_clock,
            comment: None,
            section,
        });
        let node = self.push(NodeOp::Reg(reg), Vec::new(), width);
        (reg, node)
    }

    pub fn set_next(&mut self, reg: Reg, next: Node) {
        assert_eq!(
            self.regs[reg].width,
            self.width(next),
            "next value of {}",
            self.regs[reg].name
        );
        assert!(
            self.regs[reg].next.is_none(),
            "{} is driven once",
            self.regs[reg].name
        );
        self.regs[reg].next = Some(next);
    }

    pub fn set_next_when(&mut self, reg: Reg, enable: Node, next: Node) {
        assert_eq!(self.width(enable), 1);
        self.set_next(reg, next);
        self.regs[reg].enable = Some(enable);
    }

    /// A register that takes `next` at every clock, without reset: one clock of delay.
    pub fn delay(&mut self, name: impl Into<String>, next: Node) -> Node {
        let (reg, node) = self.reg(name, self.width(next));
        self.set_next(reg, next);
        node
    }

    /// The same, reset to zero.
    pub fn delay_reset(&mut self, name: impl Into<String>, next: Node) -> Node {
        let (reg, node) = self.reg_reset(name, self.width(next), 0);
        self.set_next(reg, next);
        node
    }

    /// A register that takes `next` where `enable` says so, else keeps what it holds.
    pub fn hold(&mut self, name: impl Into<String>, enable: Node, next: Node) -> Node {
        let (reg, node) = self.reg(name, self.width(next));
        self.set_next_when(reg, enable, next);
        node
    }

    /// The same, 0 after reset.
    pub fn hold_reset(&mut self, name: impl Into<String>, enable: Node, next: Node) -> Node {
        let (reg, node) = self.reg_reset(name, self.width(next), 0);
        self.set_next_when(reg, enable, next);
        node
    }

    /// A value of another clock, in this one: two flip-flops in a row, in which it settles. `from`: a register of the other clock,
    /// of which at most one bit changes at an edge. Only in a module that is a crossing ([`Module::is_crossing`]).
    pub fn synchronize(&mut self, name: &str, from: Node) -> Node {
        let mut value = from;
        for stage in 0..2 {
            let (reg, settled) = self.reg(format!("{name}_{stage}"), self.width(from));
            self.regs[reg].is_synchronizer = true;
            self.set_next(reg, value);
            value = settled;
        }
        value
    }

    /// [`Module::delay`], `count` times: copies that tools do not merge. Those that read a register of many loads share them.
    pub fn delay_copies(&mut self, name: &str, next: Node, count: usize) -> Vec<Node> {
        let copies = (0..count).map(|index| {
            let (reg, copy) = self.reg(format!("{name}_{index}"), self.width(next));
            self.regs[reg].is_apart = true;
            self.set_next(reg, next);
            copy
        });
        copies.collect()
    }

    pub fn mem(&mut self, name: impl Into<String>, width: u32, depth: u32, style: MemStyle) -> Mem {
        let section = self.current_section();
        self.mems.push(MemData {
            name: name.into(),
            width,
            depth,
            style,
            bank_words: None,
            writes: Vec::new(),
            reads: Vec::new(),
            comment: None,
            section,
        })
    }

    pub fn mem_write(&mut self, mem: Mem, address: Node, data: Node, enable: Node) {
        assert_eq!(
            self.mems[mem].width,
            self.width(data),
            "data written to {}",
            self.mems[mem].name
        );
        assert_eq!(self.width(enable), 1);
        self.mems[mem].writes.push(MemWrite {
            address,
            data,
            enable,
            clock: self.current_clock,
        });
    }

    /// A synchronous read: the data stands on the result one clock later. See [`MemReadPort`].
    pub fn mem_read_sync(&mut self, mem: Mem, address: Node, enable: Node) -> Node {
        assert_eq!(self.width(enable), 1);
        self.mem_read(mem, address, Some(enable))
    }

    pub fn mem_read_async(&mut self, mem: Mem, address: Node) -> Node {
        self.mem_read(mem, address, None)
    }

    fn mem_read(&mut self, mem: Mem, address: Node, enable: Option<Node>) -> Node {
        let port = self.mems[mem].reads.len() as u32;
        self.mems[mem].reads.push(MemReadPort {
            address,
            enable,
            zero: None,
            clock: self.current_clock,
        });
        let width = self.mems[mem].width;
        self.push(NodeOp::MemRead(mem, port), Vec::new(), width)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compare_that_cannot_fail_is_a_constant() {
        let mut m = Module::new("m", "");
        for (bits, width, limit, always) in [
            (1, 32, [2, 0], true),
            (1, 32, [1, 0], false),
            (64, 128, [u64::MAX, 0], false),
            (64, 128, [0, 1], true),
            (65, 128, [0, 1], false),
            (65, 128, [0, 2], true),
        ] {
            let narrow = m.input("a", bits, "");
            let wide = m.zext(narrow, width);
            let limit = m.constant_limbs(&limit, width);
            let below = m.ult(wide, limit);
            assert_eq!(m.as_const(below).is_some(), always, "{bits} bits");
        }
    }
}
