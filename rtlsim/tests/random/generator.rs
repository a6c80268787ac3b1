//! Random designs: every kind of node, register, memory port and instance, of random widths.

use fastrand::Rng;
use hardpath_rtl::*;

/// A design made from a seed.
///
/// `nodes`: about how many operations the top has at most.
pub fn design(seed: u64, nodes: usize) -> Design {
    let mut rng = Rng::with_seed(seed);
    let mut design = Design::new();
    let callees = [0, 0, 1, 2, 3][rng.usize(..5)];
    for index in 0..=callees {
        let last = index == callees;
        let nodes = if last {
            rng.usize(5..nodes)
        } else {
            rng.usize(3..25)
        };
        let name = format!("m{index}");
        let module = Generator::module(&mut rng, &design, name, nodes);
        design.add(module);
    }
    design
}

/// Gives every module a second clock, and what is in it one of both. What belongs to different clocks may meet in logic: `check`
/// would refuse such a design, but what it does is clear.
pub fn with_two_clocks(design: &mut Design, rng: &mut Rng) {
    for module in design.modules.values_mut() {
        let other = module.clock("other", "other_rst");
        let mut any = || [Clock::FIRST, other][usize::from(rng.bool())];
        module.regs.values_mut().for_each(|reg| reg.clock = any());
        for mem in module.mems.values_mut() {
            let clock = any();
            mem.writes.iter_mut().for_each(|write| write.clock = clock);
            mem.reads.iter_mut().for_each(|read| read.clock = any());
        }
        for instance in module.instances.values_mut() {
            instance.clocks = vec![any(), any()];
        }
        module.asserts.iter_mut().for_each(|it| it.clock = any());
    }
}

/// A number of `width` bits: any, small, or near the ends of its range.
pub fn limbs(rng: &mut Rng, width: u32) -> Vec<u64> {
    let count = width.div_ceil(64) as usize;
    let mut limbs: Vec<u64> = match rng.u8(..8) {
        0 => vec![0; count],
        1 => vec![u64::MAX; count],
        2 => {
            let mut limbs = vec![0; count];
            limbs[0] = rng.u64(..80);
            limbs
        }
        3 => {
            let mut limbs = vec![u64::MAX; count];
            limbs[0] -= rng.u64(..4);
            limbs
        }
        4 => {
            let mut limbs = vec![0; count];
            let bit = rng.u32(..width);
            limbs[bit as usize / 64] = 1 << (bit % 64);
            limbs
        }
        _ => (0..count).map(|_| rng.u64(..)).collect(),
    };
    if !width.is_multiple_of(64) {
        limbs[count - 1] &= (1 << (width % 64)) - 1;
    }
    limbs
}

fn width(rng: &mut Rng) -> u32 {
    const EDGES: [u32; 16] = [
        7, 8, 9, 16, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 192, 512,
    ];
    match rng.u8(..12) {
        0..=2 => 1,
        3..=4 => rng.u32(2..17),
        5..=6 => rng.u32(17..65),
        7..=9 => EDGES[rng.usize(..EDGES.len())],
        _ => rng.u32(65..601),
    }
}

struct Generator<'r> {
    rng: &'r mut Rng,
    module: Module,
    /// What may be an argument, and which of the undriven wires it depends on (a bit for each).
    pool: Vec<(Node, u64)>,
    wires: Vec<Node>,
}

impl Generator<'_> {
    fn module(rng: &mut Rng, design: &Design, name: String, nodes: usize) -> Module {
        let mut generator = Generator {
            rng,
            module: Module::new(name, ""),
            pool: Vec::new(),
            wires: Vec::new(),
        };
        generator.leaves();
        for _ in 0..nodes {
            generator.grow(design);
        }
        generator.drive();
        generator.outputs();
        generator.module
    }

    fn push(&mut self, op: NodeOp, args: &[Node], width: u32) -> Node {
        let waits = args.iter().fold(0, |all, arg| all | self.waits(*arg));
        let node = self.module.nodes.push(NodeData {
            op,
            args: args.to_vec(),
            width,
            name: None,
            comment: None,
            section: None,
        });
        self.pool.push((node, waits));
        node
    }

    /// The undriven wires that a node depends on.
    fn waits(&self, node: Node) -> u64 {
        let found = self.pool.iter().find(|(other, _)| *other == node);
        found.expect("every node is in the pool").1
    }

    /// Inputs, registers, memories with synchronous ports, undriven wires.
    fn leaves(&mut self) {
        for index in 0..self.rng.usize(1..6) {
            let width = width(self.rng);
            let node = self.module.input(format!("in{index}"), width, "");
            self.pool.push((node, 0));
        }
        for index in 0..self.rng.usize(..12) {
            // Equal widths now and then, so that registers can feed each other.
            let width = [width(self.rng), 24][usize::from(self.rng.u8(..3) == 0)];
            let (reg, node) = self.module.reg(format!("reg{index}"), width);
            if self.rng.bool() {
                self.module.regs[reg].reset = Some(limbs(self.rng, width));
            }
            self.pool.push((node, 0));
        }
        for index in 0..self.rng.usize(..5) {
            let width = width(self.rng);
            let node = self.module.wire(width, format!("wire{index}"));
            self.pool.push((node, 1 << index));
            self.wires.push(node);
        }
        for index in 0..self.rng.usize(..4) {
            let width = width(self.rng);
            let depth = [1, 2, 3, 4, 7, 8, 16, 33, 64][self.rng.usize(..9)];
            let mem = self
                .module
                .mem(format!("mem{index}"), width, depth, MemStyle::Auto);
            for _ in 0..self.rng.usize(1..3) {
                let address = self.any();
                let enable = self.of_width(1);
                if self.rng.bool() {
                    let node = self.module.mem_read_sync(mem, address, enable);
                    self.pool.push((node, 0));
                }
            }
        }
    }

    fn any(&mut self) -> Node {
        // Mostly recent nodes: deep logic.
        let count = self.pool.len();
        let from = if self.rng.bool() {
            0
        } else {
            count.saturating_sub(12)
        };
        self.pool[self.rng.usize(from..count)].0
    }

    /// A node of that width: one that exists, or a constant, or another one made to fit.
    fn of_width(&mut self, width: u32) -> Node {
        if self.rng.u8(..12) == 0 {
            let limbs = limbs(self.rng, width);
            return self.push(NodeOp::Const(limbs), &[], width);
        }
        let fitting: Vec<Node> = self
            .pool
            .iter()
            .map(|(node, _)| *node)
            .filter(|node| self.module.width(*node) == width)
            .collect();
        if !fitting.is_empty() && self.rng.u8(..6) != 0 {
            return fitting[self.rng.usize(..fitting.len())];
        }
        let from = self.any();
        let has = self.module.width(from);
        if has == width {
            return from;
        }
        if has > width {
            let lo = match self.rng.bool() {
                true => self.rng.u32(..=(has - width)),
                false => self.rng.u32(..=(has - width)) / 8 * 8,
            };
            return self.push(NodeOp::Slice { lo }, &[from], width);
        }
        match self.rng.u8(..3) {
            0 => self.push(NodeOp::ZExt, &[from], width),
            1 => self.push(NodeOp::SExt, &[from], width),
            _ => {
                let rest = self.of_width(width - has);
                self.push(NodeOp::Concat, &[from, rest], width)
            }
        }
    }

    /// One more operation.
    fn grow(&mut self, design: &Design) {
        let width = width(self.rng);
        match self.rng.u8(..27) {
            0 => {
                let a = self.any();
                self.push(NodeOp::Not, &[a], self.module.width(a));
            }
            kind @ 1..=3 => {
                let op = [NodeOp::And, NodeOp::Or, NodeOp::Xor][usize::from(kind) - 1].clone();
                let first = self.any();
                let width = self.module.width(first);
                let mut args = vec![first];
                for _ in 0..self.rng.usize(1..4) {
                    args.push(self.of_width(width));
                }
                self.push(op, &args, width);
            }
            kind @ 4..=6 => {
                let op = [NodeOp::Add, NodeOp::Sub, NodeOp::Mul][usize::from(kind) - 4].clone();
                let a = self.any();
                let width = self.module.width(a);
                let b = self.of_width(width);
                self.push(op, &[a, b], width);
            }
            kind @ 7..=9 => {
                let op = [NodeOp::Shl, NodeOp::LShr, NodeOp::AShr][usize::from(kind) - 7].clone();
                let a = self.any();
                let width = self.module.width(a);
                let enough = width.next_power_of_two().trailing_zeros();
                let amount = match self.rng.u8(..4) {
                    0 => self.any(),
                    1 => self.of_width(enough + 1),
                    _ => self.of_width(enough.max(1)),
                };
                self.push(op, &[a, amount], width);
            }
            kind @ 10..=15 => {
                let op = [
                    NodeOp::Eq,
                    NodeOp::Ne,
                    NodeOp::Ult,
                    NodeOp::Ule,
                    NodeOp::Slt,
                    NodeOp::Sle,
                ][usize::from(kind) - 10]
                    .clone();
                let a = self.any();
                let b = self.of_width(self.module.width(a));
                self.push(op, &[a, b], 1);
            }
            16 | 17 => {
                let select = self.of_width(1);
                let yes = self.any();
                let width = self.module.width(yes);
                let no = self.of_width(width);
                self.push(NodeOp::Mux, &[select, yes, no], width);
            }
            18 => {
                self.of_width(width);
            }
            19 => {
                let args: Vec<Node> = (0..self.rng.usize(2..6)).map(|_| self.any()).collect();
                let width = args.iter().map(|arg| self.module.width(*arg)).sum();
                if width <= 1000 {
                    self.push(NodeOp::Concat, &args, width);
                }
            }
            20 => {
                let a = self.any();
                let lo = self.rng.u32(..self.module.width(a));
                let width = self.rng.u32(1..=self.module.width(a) - lo);
                self.push(NodeOp::Slice { lo }, &[a], width);
            }
            kind @ 21..=23 => {
                let ops = [NodeOp::ReduceOr, NodeOp::ReduceAnd, NodeOp::ReduceXor];
                let a = self.any();
                self.push(ops[usize::from(kind) - 21].clone(), &[a], 1);
            }
            24 => self.asynchronous_read(),
            25 => self.neighbours(),
            _ => self.instance(design),
        }
    }

    /// Two slices of one node side by side, mostly in their old order.
    fn neighbours(&mut self) {
        let from = self.any();
        let width = self.module.width(from);
        if width < 3 {
            return;
        }
        let start = self.rng.u32(..width - 2);
        let middle = self.rng.u32(start + 1..width - 1);
        let end = self.rng.u32(middle + 1..width);
        let low = self.push(NodeOp::Slice { lo: start }, &[from], middle - start);
        let high = self.push(NodeOp::Slice { lo: middle }, &[from], end - middle);
        let pieces = if self.rng.u8(..4) == 0 {
            [low, high]
        } else {
            [high, low]
        };
        self.push(NodeOp::Concat, &pieces, end - start);
    }

    fn asynchronous_read(&mut self) {
        let count = self.module.mems.len();
        if count == 0 {
            return;
        }
        let mem = self
            .module
            .mems
            .keys()
            .nth(self.rng.usize(..count))
            .unwrap();
        let address = self.address(mem);
        let waits = self.waits(address);
        let node = self.module.mem_read_async(mem, address);
        self.pool.push((node, waits));
    }

    /// An address that is mostly within the memory.
    fn address(&mut self, mem: Mem) -> Node {
        let depth = self.module.mems[mem].depth;
        let bits = depth.next_power_of_two().trailing_zeros().max(1);
        match self.rng.u8(..4) {
            0 => self.any(),
            1 => self.of_width(bits + 1),
            _ => self.of_width(bits),
        }
    }

    fn instance(&mut self, design: &Design) {
        let count = design.modules.len();
        if count == 0 {
            return;
        }
        let id = design.modules.keys().nth(self.rng.usize(..count)).unwrap();
        let callee = &design.modules[id];
        let mut inputs = Vec::new();
        let mut waits = 0;
        for (index, port) in callee.ports.iter().enumerate() {
            if port.direction == Direction::Input {
                let node = self.of_width(port.width);
                waits |= self.waits(node);
                inputs.push((index as u32, node));
            }
        }
        let name = format!("u{}", self.module.instances.len());
        let instance = self.module.instances.push(InstanceData {
            module: id,
            name,
            clocks: vec![Clock::FIRST],
            inputs,
            comment: None,
            section: None,
        });
        for port in callee
            .ports
            .iter()
            .filter(|port| port.direction != Direction::Input)
        {
            let node = self.module.instance_output(callee, instance, &port.name);
            self.pool.push((node, waits));
        }
    }

    /// Drives wires, registers and the write ports of memories, and adds assertions.
    fn drive(&mut self) {
        // A wire only depends on wires behind it: no loops.
        for index in 0..self.wires.len() {
            let wire = self.wires[index];
            let width = self.module.width(wire);
            let allowed = !((1u64 << (index + 1)) - 1);
            let fitting: Vec<Node> = self
                .pool
                .iter()
                .filter(|(node, waits)| waits & !allowed == 0 && self.module.width(*node) == width)
                .map(|(node, _)| *node)
                .collect();
            let driver = match fitting.len() {
                0 => {
                    let input = self.module.nodes.keys().next().unwrap();
                    let has = self.module.width(input);
                    match has >= width {
                        true => self.push(NodeOp::Slice { lo: 0 }, &[input], width),
                        false => self.push(NodeOp::SExt, &[input], width),
                    }
                }
                count => fitting[self.rng.usize(..count)],
            };
            self.module.drive(wire, driver);
        }
        for reg in self.module.regs.keys().collect::<Vec<_>>() {
            let width = self.module.regs[reg].width;
            let same: Vec<Node> = self
                .module
                .nodes
                .iter()
                .filter(|(_, data)| matches!(data.op, NodeOp::Reg(_)) && data.width == width)
                .map(|(node, _)| node)
                .collect();
            let next = match self.rng.u8(..3) {
                0 => same[self.rng.usize(..same.len())],
                _ => self.of_width(width),
            };
            match self.rng.u8(..3) {
                0 => {
                    let enable = self.of_width(1);
                    self.module.set_next_when(reg, enable, next);
                }
                _ => self.module.set_next(reg, next),
            }
        }
        for mem in self.module.mems.keys().collect::<Vec<_>>() {
            for _ in 0..self.rng.usize(..3) {
                let address = self.address(mem);
                let data = self.of_width(self.module.mems[mem].width);
                let width = self.module.mems[mem].width;
                let parts: Vec<u32> = (1..=width)
                    .filter(|parts| width.is_multiple_of(*parts))
                    .collect();
                let parts = match self.rng.bool() {
                    true => parts[self.rng.usize(..parts.len())],
                    false => 1,
                };
                let enable = self.of_width(parts);
                self.module.mem_write(mem, address, data, enable);
            }
        }
        for index in 0..self.rng.usize(..3) {
            let condition = self.of_width(1);
            self.module
                .assert(format!("assert{index}"), condition, "a message");
        }
    }

    /// Every node that nobody uses is an output.
    fn outputs(&mut self) {
        let mut used = std::collections::HashSet::new();
        for data in self.module.nodes.values() {
            used.extend(data.args.iter().copied());
        }
        let mut count = 0;
        for index in 0..self.pool.len() {
            let node = self.pool[index].0;
            if !used.contains(&node) || self.rng.u8(..20) == 0 {
                self.module.output(format!("out{count}"), node, "");
                count += 1;
            }
        }
        if count == 0 {
            let node = self.any();
            self.module.output("out0", node, "");
        }
    }
}
