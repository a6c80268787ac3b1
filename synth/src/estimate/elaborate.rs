//! From modules to gates, flip-flops and blocks: everything that the outputs of the top need, as one network.
//!
//! Modules are entered where their outputs are asked for, and what nobody asks for is not there. Tools find registers that
//! never change and registers that always hold the same, and so does this: it looks at the network, notes what stands for
//! what, and builds it anew with that known, a few times.

mod memories;
mod registers;

use super::fabric::Fabric;
use super::gates::{self, Number};
use super::graph::Signal;
use hardpath_rtl::{Design, Direction, Instance, Mem, Module, ModuleId, Node, NodeOp, Reg};
use memories::Memory;
use registers::{BitName, Fact};
use std::collections::{HashMap, HashSet};

/// The network, and what the outputs of the top need.
pub struct Elaborated {
    pub fabric: Fabric,
    pub outputs: Vec<Signal>,
}

/// How often the network is built with what the last one has shown.
const ROUNDS: usize = 3;

/// A design as [`hardpath_rtl::verilog::as_printed`] gives it.
pub fn elaborate(design: &Design) -> Elaborated {
    let mut facts = HashMap::new();
    let mut frames = vec![Frame::new(design, design.top(), None)];
    let mut round = 1;
    loop {
        let mut elaborator = Elaborator::new(design, &facts, frames);
        let outputs = elaborator.run();
        let news = elaborator.news();
        if round == ROUNDS || news.is_empty() {
            return Elaborated {
                fabric: elaborator.fabric,
                outputs,
            };
        }
        frames = elaborator.frames;
        frames.iter_mut().for_each(Frame::forget);
        facts.extend(news);
        round += 1;
    }
}

/// An instance of a module. Its number is the same in every round.
struct Frame {
    module: ModuleId,
    /// The frame that it stands in, and what it is there.
    parent: Option<(usize, Instance)>,
    children: HashMap<Instance, usize>,
    /// By node.
    values: Vec<Option<Number>>,
    /// The first of the flip-flops of each register that was asked for.
    registers: HashMap<Reg, usize>,
    memories: HashMap<Mem, usize>,
}

impl Frame {
    fn new(design: &Design, module: ModuleId, parent: Option<(usize, Instance)>) -> Frame {
        Frame {
            module,
            parent,
            children: HashMap::new(),
            values: vec![None; design.modules[module].nodes.len()],
            registers: HashMap::new(),
            memories: HashMap::new(),
        }
    }

    fn forget(&mut self) {
        self.values.fill(None);
        self.registers.clear();
        self.memories.clear();
    }

    fn value(&self, node: Node) -> Option<&[Signal]> {
        self.values[node.as_u32() as usize].as_deref()
    }
}

struct Elaborator<'a> {
    design: &'a Design,
    facts: &'a HashMap<BitName, Fact>,
    fabric: Fabric,
    /// The first one is the top.
    frames: Vec<Frame>,
    memories: Vec<Memory>,
    /// The implicit input of every module.
    reset: Signal,
    waiting: Vec<Waiting>,
    /// The first flip-flop of each register that was asked for.
    asked: Vec<(usize, Reg, usize)>,
    /// Foreign modules that were asked for. What is in them is unknown, and not counted.
    boxes: HashSet<usize>,
}

/// What is to be connected.
enum Waiting {
    Register(usize, Reg),
    Memory(usize, Mem),
    /// A foreign module: all its inputs are needed.
    Inputs(usize),
}

impl<'a> Elaborator<'a> {
    fn new(
        design: &'a Design,
        facts: &'a HashMap<BitName, Fact>,
        frames: Vec<Frame>,
    ) -> Elaborator<'a> {
        let mut fabric = Fabric::new();
        let reset = fabric.graph.leaf();
        Elaborator {
            design,
            facts,
            fabric,
            frames,
            memories: Vec::new(),
            reset,
            waiting: Vec::new(),
            asked: Vec::new(),
            boxes: HashSet::new(),
        }
    }

    /// Everything that the top's outputs need; gives these, and the inputs of foreign modules.
    fn run(&mut self) -> Vec<Signal> {
        let mut outputs = Vec::new();
        for port in &self.module(0).ports {
            if let Direction::Output(node) = port.direction {
                outputs.extend(self.value(0, node));
            }
        }
        while let Some(waiting) = self.waiting.pop() {
            match waiting {
                Waiting::Register(frame, reg) => self.connect_register(frame, reg),
                Waiting::Memory(frame, mem) => self.connect_memory(frame, mem),
                Waiting::Inputs(frame) => {
                    for (node, data) in &self.module(frame).nodes {
                        if matches!(data.op, NodeOp::Input(_)) {
                            outputs.extend(self.value(frame, node));
                        }
                    }
                }
            }
        }
        outputs
    }

    fn module(&self, frame: usize) -> &'a Module {
        &self.design.modules[self.frames[frame].module]
    }

    /// The signals of a node.
    fn value(&mut self, frame: usize, node: Node) -> Number {
        // Not by recursion: chains of nodes are as long as programs.
        let mut stack = vec![(frame, node)];
        while let Some(&(frame, node)) = stack.last() {
            if self.frames[frame].value(node).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.add_needs(frame, node, &mut stack);
            if stack.len() == before {
                let value = self.compute(frame, node);
                self.frames[frame].values[node.as_u32() as usize] = Some(value);
                stack.pop();
            }
        }
        self.known(frame, node).to_vec()
    }

    /// The same of one bit.
    fn bit(&mut self, frame: usize, node: Node) -> Signal {
        self.value(frame, node)[0]
    }

    fn known(&self, frame: usize, node: Node) -> &[Signal] {
        let value = self.frames[frame].value(node);
        value.expect("nodes are asked for after those that they need")
    }

    /// Adds what must be known before the node, and is not.
    fn add_needs(&mut self, frame: usize, node: Node, stack: &mut Vec<(usize, Node)>) {
        let module = self.module(frame);
        let data = &module.nodes[node];
        let first = stack.len();
        match data.op {
            NodeOp::Input(_) | NodeOp::InstanceOutput(..) => {
                stack.extend(self.behind(frame, node));
            }
            NodeOp::MemRead(mem, port) => {
                let read = &module.mems[mem].reads[port as usize];
                if read.enable.is_none() {
                    stack.push((frame, read.address));
                }
            }
            _ => stack.extend(data.args.iter().map(|arg| (frame, *arg))),
        }
        let mut place = first;
        while let Some(&(frame, node)) = stack.get(place) {
            match self.frames[frame].value(node) {
                Some(_) => drop(stack.swap_remove(place)),
                None => place += 1,
            }
        }
    }

    /// What an input is in the module around, or an output in the module inside; `None`: an input of the top.
    fn behind(&mut self, frame: usize, node: Node) -> Option<(usize, Node)> {
        match self.module(frame).nodes[node].op {
            NodeOp::Input(port) => {
                let (parent, instance) = self.frames[frame].parent?;
                let inputs = &self.module(parent).instances[instance].inputs;
                let input = inputs.iter().find(|(input, _)| *input == port);
                Some((parent, input.expect("every input is connected").1))
            }
            NodeOp::InstanceOutput(instance, port) => {
                let child = self.child(frame, instance);
                match self.module(child).ports[port as usize].direction {
                    Direction::Output(node) => Some((child, node)),
                    Direction::Input => None,
                }
            }
            _ => None,
        }
    }

    fn child(&mut self, frame: usize, instance: Instance) -> usize {
        if let Some(child) = self.frames[frame].children.get(&instance) {
            return *child;
        }
        let module = self.module(frame).instances[instance].module;
        let child = self.frames.len();
        self.frames
            .push(Frame::new(self.design, module, Some((frame, instance))));
        self.frames[frame].children.insert(instance, child);
        child
    }

    fn compute(&mut self, frame: usize, node: Node) -> Number {
        let data = &self.module(frame).nodes[node];
        match &data.op {
            NodeOp::Input(_) | NodeOp::InstanceOutput(..) => match self.behind(frame, node) {
                Some((frame, node)) => self.known(frame, node).to_vec(),
                None => self.fabric.graph.leaves(data.width),
            },
            NodeOp::Const(limbs) => (0..data.width)
                .map(|bit| Signal::constant(limbs[bit as usize / 64] >> (bit % 64) & 1 == 1))
                .collect(),
            NodeOp::Reg(reg) => self.register(frame, *reg),
            NodeOp::MemRead(mem, port) => self.read(frame, *mem, *port as usize),
            NodeOp::Foreign(_) => {
                if self.boxes.insert(frame) {
                    self.waiting.push(Waiting::Inputs(frame));
                }
                self.fabric.graph.leaves(data.width)
            }
            op => {
                let frame = &self.frames[frame];
                let args: Vec<&[Signal]> = data
                    .args
                    .iter()
                    .map(|arg| frame.value(*arg).expect("arguments are known"))
                    .collect();
                gates::operation(&mut self.fabric, op, &args, data.width as usize)
            }
        }
    }
}
