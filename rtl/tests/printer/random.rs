//! Random modules, and a slow but plain interpreter of modules that says what they must do.

use hardpath_rtl::dependence::{evaluation_order, Dependences};
use hardpath_rtl::{Design, Direction, MemStyle, Module, ModuleId, Node, NodeOp};
use hardpath_testkit::Random;
use std::collections::HashMap;

/// Of the inputs.
pub const WIDTHS: [u32; 8] = [1, 1, 2, 7, 8, 33, 64, 100];

/// A module with every kind of node, registers and memories.
pub fn module(name: &str, seed: u64) -> Module {
    let mut random = Random::new(seed);
    let mut m = Module::new(name, "A random module.");
    let mut nodes: Vec<Node> = Vec::new();
    for (index, width) in WIDTHS.iter().enumerate() {
        nodes.push(m.input(format!("in{index}"), *width, ""));
    }
    let mut regs = Vec::new();
    for index in 0..6 {
        let width = *random.pick(&WIDTHS);
        let (reg, node) = match random.below(2) {
            0 => m.reg(format!("reg{index}"), width),
            _ => {
                let value = random.next() & (u64::MAX >> (64 - width.min(64)));
                m.reg_reset(format!("reg{index}"), width, value)
            }
        };
        regs.push(reg);
        nodes.push(node);
    }
    let mut mems = Vec::new();
    let styles = [
        (MemStyle::Block, 2),
        (MemStyle::Ultra, 2),
        (MemStyle::Distributed, 1),
        (MemStyle::Registers, 1),
        (MemStyle::Auto, 1),
    ];
    for (index, (style, ports)) in styles.into_iter().enumerate() {
        let depth = *random.pick(&[1, 2, 3, 8, 100, 1030]);
        let width = *random.pick(&WIDTHS);
        let mem = m.mem(format!("mem{index}"), width, depth, style);
        if matches!(style, MemStyle::Block | MemStyle::Ultra) && random.below(2) == 0 {
            m.mems[mem].bank_words = Some(2 << random.below(8));
        }
        mems.push((mem, depth));
        for _ in 0..ports {
            let address = address(&mut m, &mut random, &nodes, depth);
            let enable = pick(&mut m, &mut random, &nodes, 1);
            nodes.push(match style {
                MemStyle::Block | MemStyle::Ultra => m.mem_read_sync(mem, address, enable),
                _ => m.mem_read_async(mem, address),
            });
        }
    }
    for index in 0..50 {
        if index % 20 == 10 {
            m.section(format!("Part {index}"));
        }
        let node = operation(&mut m, &mut random, &nodes);
        if random.below(6) == 0 {
            m.name(node, format!("named{}", random.below(12)));
        }
        nodes.push(node);
    }
    for reg in regs {
        let width = m.regs[reg].width;
        let next = pick(&mut m, &mut random, &nodes, width);
        match random.below(2) {
            0 => m.set_next(reg, next),
            _ => {
                let enable = pick(&mut m, &mut random, &nodes, 1);
                m.set_next_when(reg, enable, next);
            }
        }
    }
    for (mem, depth) in mems {
        let address = address(&mut m, &mut random, &nodes, depth);
        let width = m.mems[mem].width;
        let data = pick(&mut m, &mut random, &nodes, width);
        let parts: Vec<u32> = (1..=width)
            .filter(|parts| width.is_multiple_of(*parts))
            .collect();
        let parts = *random.pick(&parts);
        // Of an input: GHDL 2.0 does not synthesize a part that is never written.
        let enable = m.slice(nodes[WIDTHS.len() - 1], 0, parts);
        m.mem_write(mem, address, data, enable);
    }
    for index in 0..8 {
        let node = nodes[nodes.len() - 1 - random.below(40) as usize];
        m.output(format!("out{index}"), node, "");
    }
    m
}

fn address(m: &mut Module, random: &mut Random, nodes: &[Node], depth: u32) -> Node {
    let bits = hardpath_rtl::check::address_bits(depth);
    let width = bits + random.pick(&[0, 0, 1, 40]);
    let any = pick(m, random, nodes, bits.min(8));
    // Mostly low addresses, so that what is written is read again.
    let low = m.resize(any, width);
    let other = pick(m, random, nodes, width);
    let select = pick(m, random, nodes, 1);
    m.mux(select, low, other)
}

/// A node of a width: an old one, cut or extended.
fn pick(m: &mut Module, random: &mut Random, nodes: &[Node], width: u32) -> Node {
    let node = *random.pick(nodes);
    let own = m.width(node);
    match random.below(12) {
        0 => {
            let value = random.next() >> random.below(64);
            m.constant_limbs(&[value, random.next()], width)
        }
        1 if own < width => m.sext(node, width),
        2 if own > width => {
            let lo = random.below(u64::from(own - width)) as u32;
            m.slice(node, lo, width)
        }
        _ => m.resize(node, width),
    }
}

fn operation(m: &mut Module, random: &mut Random, nodes: &[Node]) -> Node {
    let width = *random.pick(&WIDTHS);
    let a = pick(m, random, nodes, width);
    let b = pick(m, random, nodes, width);
    let bit = pick(m, random, nodes, 1);
    match random.below(22) {
        0 => m.and(&[a, b]),
        1 => m.or(&[a, b]),
        2 => m.xor(&[a, b]),
        3 => m.add(a, b),
        4 => m.sub(a, b),
        5 => m.mul(a, b),
        6 => m.not(a),
        7..=9 => {
            let amount_width = *random.pick(&[3, 7, 40]);
            let amount = pick(m, random, nodes, amount_width);
            let op = random
                .pick(&[NodeOp::Shl, NodeOp::LShr, NodeOp::AShr])
                .clone();
            m.shift(op, a, amount)
        }
        10..=12 => {
            let ops = [
                NodeOp::Eq,
                NodeOp::Ne,
                NodeOp::Ult,
                NodeOp::Ule,
                NodeOp::Slt,
                NodeOp::Sle,
            ];
            m.compare(random.pick(&ops).clone(), a, b)
        }
        13..=15 => m.mux(bit, a, b),
        16 => m.concat(&[bit, a, b]),
        17 => m.sext(a, width + 5),
        18 => m.zext(a, width + 5),
        19 => m.reduce_or(a),
        20 => m.reduce_and(a),
        _ => m.reduce_xor(a),
    }
}

type Bits = Vec<bool>;

/// Often all zeros or all ones, where carries and signs matter.
pub fn bits(random: &mut Random, width: u32) -> Bits {
    match random.below(4) {
        0 => vec![random.below(2) == 1; width as usize],
        _ => (0..width).map(|_| random.below(2) == 1).collect(),
    }
}

/// The state of a module without instances, and what it does in a clock.
pub struct Interpreter<'a> {
    design: &'a Design,
    id: ModuleId,
    regs: Vec<Bits>,
    mems: Vec<Vec<Bits>>,
    read_data: HashMap<(usize, usize), Bits>,
    order: Vec<Node>,
}

impl Interpreter<'_> {
    pub fn new(design: &Design, id: ModuleId) -> Interpreter<'_> {
        let module = &design.modules[id];
        let limbs_to_bits = |limbs: &[u64], width: u32| -> Bits {
            (0..width)
                .map(|i| limbs[i as usize / 64] >> (i % 64) & 1 == 1)
                .collect()
        };
        let regs = module.regs.values();
        let mems = module.mems.values();
        Interpreter {
            design,
            id,
            regs: regs
                .map(|reg| match &reg.reset {
                    Some(reset) => limbs_to_bits(reset, reg.width),
                    None => vec![false; reg.width as usize],
                })
                .collect(),
            mems: mems
                .map(|mem| vec![vec![false; mem.width as usize]; mem.depth as usize])
                .collect(),
            read_data: HashMap::new(),
            order: evaluation_order(design, id, &Dependences::new()).expect("no loop"),
        }
    }

    /// The outputs in this clock, in the order of the ports; then the clock edge.
    pub fn clock(&mut self, inputs: &[Bits], reset: bool) -> Vec<Bits> {
        let module = &self.design.modules[self.id];
        let mut values: HashMap<Node, Bits> = HashMap::new();
        for node in &self.order {
            let value = self.evaluate(module, *node, inputs, &values);
            values.insert(*node, value);
        }
        let word = |mem: usize, address: &Bits| -> Option<usize> {
            let index = number(address)?;
            (index < self.mems[mem].len()).then_some(index)
        };
        for (index, mem) in module.mems.values().enumerate() {
            for (port, read) in mem.reads.iter().enumerate() {
                if read.enable.is_some_and(|enable| values[&enable][0]) {
                    let data = match word(index, &values[&read.address]) {
                        Some(at) => self.mems[index][at].clone(),
                        None => vec![false; mem.width as usize],
                    };
                    self.read_data.insert((index, port), data);
                }
            }
        }
        for (index, mem) in module.mems.values().enumerate() {
            for write in &mem.writes {
                let at = number(&values[&write.address]);
                let Some(at) = at.filter(|at| *at < self.mems[index].len()) else {
                    continue;
                };
                let (enable, data) = (&values[&write.enable], &values[&write.data]);
                let part = data.len() / enable.len();
                for (bit, value) in data.iter().enumerate() {
                    if enable[bit / part] {
                        self.mems[index][at][bit] = *value;
                    }
                }
            }
        }
        for (index, reg) in module.regs.values().enumerate() {
            if let (true, Some(limbs)) = (reset, &reg.reset) {
                let bit = |i: usize| limbs[i / 64] >> (i % 64) & 1 == 1;
                self.regs[index] = (0..reg.width as usize).map(bit).collect();
            } else if reg.enable.is_none_or(|enable| values[&enable][0]) {
                self.regs[index] = values[&reg.next.expect("driven")].clone();
            }
        }
        let outputs = module.ports.iter().filter_map(|port| match port.direction {
            Direction::Output(node) => Some(values[&node].clone()),
            Direction::Input => None,
        });
        outputs.collect()
    }

    fn evaluate(
        &self,
        module: &Module,
        node: Node,
        inputs: &[Bits],
        values: &HashMap<Node, Bits>,
    ) -> Bits {
        let data = &module.nodes[node];
        let width = data.width as usize;
        let args: Vec<&Bits> = data.args.iter().map(|arg| &values[arg]).collect();
        let zip = |f: fn(bool, bool) -> bool| -> Bits {
            let mut result = args[0].clone();
            for arg in &args[1..] {
                for (to, from) in result.iter_mut().zip(*arg) {
                    *to = f(*to, *from);
                }
            }
            result
        };
        match &data.op {
            NodeOp::Input(port) => {
                let before = module.ports.iter().take(*port as usize);
                let index = before
                    .filter(|port| port.direction == Direction::Input)
                    .count();
                inputs[index].clone()
            }
            NodeOp::Const(limbs) => (0..width)
                .map(|i| limbs[i / 64] >> (i % 64) & 1 == 1)
                .collect(),
            NodeOp::Reg(reg) => self.regs[reg.as_u32() as usize].clone(),
            NodeOp::MemRead(mem, port) => {
                let index = mem.as_u32() as usize;
                let zeros = vec![false; width];
                let read = &module.mems[*mem].reads[*port as usize];
                match read.enable {
                    Some(_) => {
                        let known = self.read_data.get(&(index, *port as usize));
                        known.cloned().unwrap_or(zeros)
                    }
                    None => number(&values[&read.address])
                        .and_then(|at| self.mems[index].get(at).cloned())
                        .unwrap_or(zeros),
                }
            }
            NodeOp::InstanceOutput(..) => panic!("random modules have no instances"),
            NodeOp::Wire => args[0].clone(),
            NodeOp::Not => args[0].iter().map(|bit| !bit).collect(),
            NodeOp::And => zip(|a, b| a & b),
            NodeOp::Or => zip(|a, b| a | b),
            NodeOp::Xor => zip(|a, b| a ^ b),
            NodeOp::Add => add(args[0], args[1], false),
            NodeOp::Sub => {
                let inverted: Bits = args[1].iter().map(|bit| !bit).collect();
                add(args[0], &inverted, true)
            }
            NodeOp::Mul => {
                let mut sum = vec![false; width];
                for (shift, _) in args[1].iter().enumerate().filter(|(_, bit)| **bit) {
                    let mut addend = vec![false; shift];
                    addend.extend(&args[0][..width - shift]);
                    sum = add(&sum, &addend, false);
                }
                sum
            }
            NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => {
                let by = number(args[1]).unwrap_or(usize::MAX).min(width);
                let sign = data.op == NodeOp::AShr && args[0][width - 1];
                let fill = vec![sign; by];
                match data.op {
                    NodeOp::Shl => [&fill[..], &args[0][..width - by]].concat(),
                    _ => [&args[0][by..], &fill[..]].concat(),
                }
            }
            NodeOp::Eq => vec![args[0] == args[1]],
            NodeOp::Ne => vec![args[0] != args[1]],
            NodeOp::Ult => vec![order(args[0], args[1], false).is_lt()],
            NodeOp::Ule => vec![order(args[0], args[1], false).is_le()],
            NodeOp::Slt => vec![order(args[0], args[1], true).is_lt()],
            NodeOp::Sle => vec![order(args[0], args[1], true).is_le()],
            NodeOp::Mux => args[if args[0][0] { 1 } else { 2 }].clone(),
            NodeOp::Slice { lo } => args[0][*lo as usize..*lo as usize + width].to_vec(),
            NodeOp::Concat => args
                .iter()
                .rev()
                .flat_map(|arg| arg.iter().copied())
                .collect(),
            NodeOp::ZExt | NodeOp::SExt => {
                let fill = data.op == NodeOp::SExt && args[0][args[0].len() - 1];
                let mut all = args[0].clone();
                all.resize(width, fill);
                all
            }
            NodeOp::ReduceOr => vec![args[0].iter().any(|bit| *bit)],
            NodeOp::ReduceAnd => vec![args[0].iter().all(|bit| *bit)],
            NodeOp::Foreign(_) => unreachable!("no foreign modules here"),
            NodeOp::ReduceXor => vec![args[0].iter().filter(|bit| **bit).count() % 2 == 1],
        }
    }
}

/// The number that bits mean, when it fits.
fn number(bits: &Bits) -> Option<usize> {
    match bits.iter().rposition(|bit| *bit) {
        Some(top) if top >= 63 => None,
        _ => Some(
            bits.iter()
                .rev()
                .fold(0, |all, bit| 2 * all + usize::from(*bit)),
        ),
    }
}

fn add(a: &Bits, b: &Bits, mut carry: bool) -> Bits {
    let mut sum = Vec::new();
    for (a, b) in a.iter().zip(b) {
        sum.push(a ^ b ^ carry);
        carry = (a & b) | (carry & (a | b));
    }
    sum
}

fn order(a: &Bits, b: &Bits, signed: bool) -> std::cmp::Ordering {
    let key = |bits: &Bits| -> Bits {
        let mut bits: Bits = bits.iter().rev().copied().collect();
        bits[0] ^= signed;
        bits
    };
    key(a).cmp(&key(b))
}

/// Hexadecimal digits of bits, as Verilog's `%h` prints them.
pub fn hexadecimal(bits: &[bool]) -> String {
    let digits = bits.chunks(4).map(|chunk| {
        let value = chunk
            .iter()
            .rev()
            .fold(0, |all, bit| 2 * all + u32::from(*bit));
        char::from_digit(value, 16).unwrap_or('?')
    });
    digits.collect::<Vec<char>>().into_iter().rev().collect()
}
