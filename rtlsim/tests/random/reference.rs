//! A slow and obvious evaluator: what the comments in `hardpath_rtl` say, word for word, on big integers.
//! A node's value is found by walking its arguments through the hierarchy; nothing is flattened or reordered.

use hardpath_rtl::{Clock, Design, Direction, Instance, Mem, ModuleId, Node, NodeOp, Reg};
use num_bigint::BigUint;
use std::collections::HashMap;

pub type Number = BigUint;

/// One module of the hierarchy with its state.
struct Occurrence {
    module: ModuleId,
    /// Index of the parent, and the instance there.
    parent: Option<(usize, Instance)>,
    children: HashMap<Instance, usize>,
    /// Hierarchical name with a dot behind it.
    prefix: String,
    /// By clock of the module: the top's.
    clocks: Vec<usize>,
    registers: HashMap<Reg, Number>,
    memories: HashMap<Mem, Vec<Number>>,
    /// Outputs of the synchronous read ports.
    reads: HashMap<(Mem, u32), Number>,
}

pub struct Reference<'a> {
    design: &'a Design,
    /// The top is the first.
    occurrences: Vec<Occurrence>,
    pub inputs: HashMap<String, Number>,
    /// Of the next step, by clock: the resets, and which clocks have an edge.
    pub resets: Vec<bool>,
    pub edges: Vec<bool>,
    /// As they were before the edge of the last step.
    pub outputs: HashMap<String, Number>,
    /// Assertions that were 0 then, by hierarchical name.
    pub broken: Vec<String>,
}

/// Values of nodes in the present clock.
type Known = HashMap<(usize, Node), Number>;

impl<'a> Reference<'a> {
    pub fn new(design: &'a Design) -> Reference<'a> {
        let clocks = design.modules[design.top()].clocks.len();
        let mut reference = Reference {
            design,
            occurrences: Vec::new(),
            inputs: HashMap::new(),
            resets: vec![false; clocks],
            edges: vec![true; clocks],
            outputs: HashMap::new(),
            broken: Vec::new(),
        };
        let clocks = (0..clocks).collect();
        reference.open(design.top(), None, String::new(), clocks);
        reference
    }

    fn open(
        &mut self,
        id: ModuleId,
        parent: Option<(usize, Instance)>,
        prefix: String,
        clocks: Vec<usize>,
    ) -> usize {
        let module = &self.design.modules[id];
        let index = self.occurrences.len();
        let initial = |reset: &Option<Vec<u64>>| match reset {
            Some(limbs) => from_limbs(limbs),
            None => number(0),
        };
        self.occurrences.push(Occurrence {
            module: id,
            parent,
            children: HashMap::new(),
            prefix: prefix.clone(),
            clocks: clocks.clone(),
            registers: module
                .regs
                .iter()
                .map(|(reg, data)| (reg, initial(&data.reset)))
                .collect(),
            memories: module
                .mems
                .iter()
                .map(|(mem, data)| (mem, vec![number(0); data.depth as usize]))
                .collect(),
            reads: HashMap::new(),
        });
        for (instance, data) in &module.instances {
            let path = format!("{prefix}{}.", data.name);
            let given = data.clocks.iter();
            let given = given.map(|clock| clocks[clock.as_u32() as usize]).collect();
            let child = self.open(data.module, Some((index, instance)), path, given);
            self.occurrences[index].children.insert(instance, child);
        }
        index
    }

    /// The present value of each register and each word of a memory, with its hierarchical name.
    pub fn states(&self) -> Vec<(String, Number)> {
        let mut states = Vec::new();
        for occurrence in &self.occurrences {
            let module = &self.design.modules[occurrence.module];
            for (reg, value) in &occurrence.registers {
                let name = format!("{}{}", occurrence.prefix, module.regs[*reg].name);
                states.push((name, value.clone()));
            }
            for (mem, words) in &occurrence.memories {
                for (index, word) in words.iter().enumerate() {
                    let name = &module.mems[*mem].name;
                    let name = format!("{}{name}[{index}]", occurrence.prefix);
                    states.push((name, word.clone()));
                }
            }
        }
        states
    }

    pub fn step(&mut self) {
        let mut known = Known::new();
        self.outputs.clear();
        for port in &self.design.modules[self.design.top()].ports {
            if let Direction::Output(node) = port.direction {
                let value = self.value(&mut known, 0, node);
                self.outputs.insert(port.name.clone(), value);
            }
        }
        self.broken.clear();
        let mut registers = Vec::new();
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        for (at, occurrence) in self.occurrences.iter().enumerate() {
            let module = &self.design.modules[occurrence.module];
            let of_top = |clock: Clock| occurrence.clocks[clock.as_u32() as usize];
            let has_edge = |clock: Clock| self.edges[of_top(clock)];
            for assert in module.asserts.iter().filter(|it| has_edge(it.clock)) {
                let is_reset = self.resets[of_top(assert.clock)];
                if !is_reset && self.value(&mut known, at, assert.condition) == number(0) {
                    self.broken
                        .push(format!("{}{}", occurrence.prefix, assert.name));
                }
            }
            for (reg, data) in module.regs.iter().filter(|(_, data)| has_edge(data.clock)) {
                let next = self.value(&mut known, at, data.next.unwrap());
                let enabled = match data.enable {
                    Some(enable) => self.value(&mut known, at, enable) == number(1),
                    None => true,
                };
                if let (true, Some(reset)) = (self.resets[of_top(data.clock)], &data.reset) {
                    registers.push((at, reg, from_limbs(reset)));
                } else if enabled {
                    registers.push((at, reg, next));
                }
            }
            for (mem, data) in &module.mems {
                for (port, read) in data.reads.iter().enumerate() {
                    let Some(enable) = read.enable.filter(|_| has_edge(read.clock)) else {
                        continue;
                    };
                    if self.value(&mut known, at, enable) == number(1) {
                        let address = self.value(&mut known, at, read.address);
                        reads.push((at, (mem, port as u32), self.word(at, mem, &address)));
                    }
                }
                for write in data.writes.iter().filter(|it| has_edge(it.clock)) {
                    let enable = self.value(&mut known, at, write.enable);
                    if enable != number(0) {
                        let address = self.value(&mut known, at, write.address);
                        let value = self.value(&mut known, at, write.data);
                        let parts = module.nodes[write.enable].width;
                        let old = self.word(at, mem, &address);
                        let word = parts_of((&enable, parts), &value, &old, data.width);
                        writes.push((at, mem, address, word));
                    }
                }
            }
        }
        for (at, reg, value) in registers {
            self.occurrences[at].registers.insert(reg, value);
        }
        for (at, port, value) in reads {
            self.occurrences[at].reads.insert(port, value);
        }
        for (at, mem, address, value) in writes {
            let words = self.occurrences[at].memories.get_mut(&mem).unwrap();
            if address < number(words.len() as u64) {
                words[u64::try_from(address).unwrap() as usize] = value;
            }
        }
    }

    fn word(&self, at: usize, mem: Mem, address: &Number) -> Number {
        let words = &self.occurrences[at].memories[&mem];
        match usize::try_from(address) {
            Ok(address) if address < words.len() => words[address].clone(),
            _ => number(0),
        }
    }

    fn value(&self, known: &mut Known, at: usize, node: Node) -> Number {
        if let Some(value) = known.get(&(at, node)) {
            return value.clone();
        }
        let value = self.compute(known, at, node);
        let width = self.design.modules[self.occurrences[at].module].nodes[node].width;
        assert!(value < modulus(width), "the reference keeps to the width");
        known.insert((at, node), value.clone());
        value
    }

    fn compute(&self, known: &mut Known, at: usize, node: Node) -> Number {
        let occurrence = &self.occurrences[at];
        let module = &self.design.modules[occurrence.module];
        let data = &module.nodes[node];
        let width = data.width;
        match &data.op {
            NodeOp::Input(port) => {
                return match occurrence.parent {
                    None => self.inputs[&module.ports[*port as usize].name].clone(),
                    Some((above, instance)) => {
                        let parent = &self.design.modules[self.occurrences[above].module];
                        let inputs = &parent.instances[instance].inputs;
                        let (_, driver) = inputs.iter().find(|(index, _)| index == port).unwrap();
                        self.value(known, above, *driver)
                    }
                }
            }
            NodeOp::Const(limbs) => return from_limbs(limbs),
            NodeOp::Reg(reg) => return occurrence.registers[reg].clone(),
            NodeOp::MemRead(mem, port) => {
                let read = &module.mems[*mem].reads[*port as usize];
                return match read.enable {
                    Some(_) => {
                        let output = occurrence.reads.get(&(*mem, *port));
                        output.cloned().unwrap_or(number(0))
                    }
                    None => {
                        let address = self.value(known, at, read.address);
                        self.word(at, *mem, &address)
                    }
                };
            }
            NodeOp::InstanceOutput(instance, port) => {
                let child = occurrence.children[instance];
                let callee = &self.design.modules[self.occurrences[child].module];
                return match callee.ports[*port as usize].direction {
                    Direction::Output(node) => self.value(known, child, node),
                    Direction::Input => panic!("an input read as an output"),
                };
            }
            _ => {}
        }
        let args: Vec<Number> = data
            .args
            .iter()
            .map(|arg| self.value(known, at, *arg))
            .collect();
        let widths: Vec<u32> = data
            .args
            .iter()
            .map(|arg| module.nodes[*arg].width)
            .collect();
        pure(&data.op, &args, &widths, width)
    }
}

/// What an operation computes from its arguments.
fn pure(op: &NodeOp, args: &[Number], widths: &[u32], width: u32) -> Number {
    let a = &args[0];
    let b = args.get(1);
    let two = || (a.clone(), b.unwrap().clone());
    let signed = |value: &Number| (value + modulus(widths[0] - 1)) % modulus(widths[0]);
    match op {
        NodeOp::Wire => a.clone(),
        NodeOp::Not => ones(width) - a,
        NodeOp::And => args[1..].iter().fold(a.clone(), |all, arg| all & arg),
        NodeOp::Or => args[1..].iter().fold(a.clone(), |all, arg| all | arg),
        NodeOp::Xor => args[1..].iter().fold(a.clone(), |all, arg| all ^ arg),
        NodeOp::Add => (two().0 + two().1) % modulus(width),
        NodeOp::Sub => (two().0 + modulus(width) - two().1) % modulus(width),
        NodeOp::Mul => (two().0 * two().1) % modulus(width),
        NodeOp::Shl => match shift_amount(b, width) {
            Some(amount) => (a << amount) % modulus(width),
            None => number(0),
        },
        NodeOp::LShr => match shift_amount(b, width) {
            Some(amount) => a >> amount,
            None => number(0),
        },
        NodeOp::AShr => {
            let amount = shift_amount(b, width).unwrap_or(width);
            match a.bit(u64::from(width) - 1) {
                true => (a >> amount) + (ones(amount) << (width - amount)),
                false => a >> amount,
            }
        }
        NodeOp::Eq => truth(two().0 == two().1),
        NodeOp::Ne => truth(two().0 != two().1),
        NodeOp::Ult => truth(two().0 < two().1),
        NodeOp::Ule => truth(two().0 <= two().1),
        NodeOp::Slt => truth(signed(&two().0) < signed(&two().1)),
        NodeOp::Sle => truth(signed(&two().0) <= signed(&two().1)),
        NodeOp::Mux if *a == number(1) => args[1].clone(),
        NodeOp::Mux => args[2].clone(),
        NodeOp::Slice { lo } => (a >> lo) % modulus(width),
        NodeOp::Concat => {
            let pieces = args.iter().zip(widths);
            pieces.fold(number(0), |all, (piece, width)| (all << width) | piece)
        }
        NodeOp::ZExt => a.clone(),
        NodeOp::SExt => match a.bit(u64::from(widths[0]) - 1) {
            true => a + modulus(width) - modulus(widths[0]),
            false => a.clone(),
        },
        NodeOp::ReduceOr => truth(*a != number(0)),
        NodeOp::ReduceAnd => truth(*a == ones(widths[0])),
        NodeOp::Foreign(_) => unreachable!("no foreign modules here"),
        NodeOp::ReduceXor => truth(a.count_ones() % 2 == 1),
        NodeOp::Input(_)
        | NodeOp::Const(_)
        | NodeOp::Reg(_)
        | NodeOp::MemRead(..)
        | NodeOp::InstanceOutput(..) => unreachable!("computed by the caller"),
    }
}

/// `None`: as far as the width or farther.
fn shift_amount(amount: Option<&Number>, width: u32) -> Option<u32> {
    let amount = u32::try_from(amount.unwrap()).ok()?;
    (amount < width).then_some(amount)
}

pub fn from_limbs(limbs: &[u64]) -> Number {
    let digits = limbs
        .iter()
        .flat_map(|limb| [*limb as u32, (*limb >> 32) as u32]);
    Number::new(digits.collect())
}

/// A word of which the parts are written whose enable is 1.
fn parts_of((enable, parts): (&Number, u32), value: &Number, old: &Number, width: u32) -> Number {
    let mut word = number(0);
    for bit in 0..width {
        let is_new = enable.bit(u64::from(bit / (width / parts)));
        let from = if is_new { value } else { old };
        word.set_bit(bit.into(), from.bit(bit.into()));
    }
    word
}

fn number(value: u64) -> Number {
    Number::from(value)
}

fn modulus(width: u32) -> Number {
    number(1) << width
}

fn ones(width: u32) -> Number {
    modulus(width) - 1u32
}

fn truth(value: bool) -> Number {
    number(u64::from(value))
}
