//! How many pins the bits of every node drive, as far as that can be told before a tool maps them.
//!
//! Wiring drives nothing itself: what is behind it counts. A bit of logic is a pin of each of its arguments, which is more than
//! a tool makes of it where it puts several operations into a LUT.

use super::users::{self, Pin};
use super::Ports;
use crate::dependence::{self, Dependences};
use crate::uses::Live;
use crate::{Design, Direction, MemData, MemStyle, Module, ModuleId, Node, NodeOp, ULTRA_RAM};
use cranelift_entity::SecondaryMap;

/// Pins by bit.
pub type Pins = Vec<u32>;
pub type Loads = SecondaryMap<Node, Pins>;

/// The loads of a module's nodes. `inside`: those of the inputs of the modules in it; `outside`: those of its own outputs.
pub fn loads(
    design: &Design,
    id: ModuleId,
    known: &Dependences,
    (inside, outside): (&Ports<Pins>, &Ports<Pins>),
) -> Loads {
    let module = &design.modules[id];
    let mut loads = Loads::new();
    for (node, data) in module.nodes.iter() {
        loads[node] = vec![0; data.width as usize];
    }
    for (index, port) in module.ports.iter().enumerate() {
        if let Direction::Output(node) = port.direction {
            add(&mut loads[node], &outside[id][index]);
        }
    }
    for instance in module.instances.values() {
        for (port, node) in &instance.inputs {
            add(&mut loads[*node], &inside[instance.module][*port as usize]);
        }
    }
    let order = dependence::evaluation_order(design, id, known).expect("a design without loops");
    let live = Live::of(module, []);
    for reg in live.regs.keys().filter(|reg| live.regs[*reg]) {
        let data = &module.regs[reg];
        if let Some(next) = data.next {
            all(&mut loads[next], 1);
        }
        if let Some(enable) = data.enable {
            all(&mut loads[enable], data.width);
        }
    }
    for (_, data) in module.mems.iter().filter(|(mem, _)| live.mems[*mem]) {
        for (pin, node) in users::pins(data) {
            all(&mut loads[node], memory_pin(data, pin));
        }
    }
    for node in order.into_iter().rev().filter(|node| live.nodes[*node]) {
        let own = std::mem::take(&mut loads[node]);
        let data = &module.nodes[node];
        if let NodeOp::Slice { lo } = data.op {
            // A word of thousands of bits is read bit by bit.
            add(&mut loads[data.args[0]][lo as usize..], &own);
        } else {
            for (arg, pins) in data.args.iter().zip(pins(module, node, &own)) {
                add(&mut loads[*arg], &pins);
            }
        }
        loads[node] = own;
    }
    loads
}

fn add(to: &mut [u32], pins: &[u32]) {
    to.iter_mut().zip(pins).for_each(|(to, pins)| *to += pins);
}

fn all(to: &mut Pins, pins: u32) {
    to.iter_mut().for_each(|to| *to += pins);
}

/// What the bits of a node's arguments drive through it. `own`: what it drives.
pub fn pins(module: &Module, node: Node, own: &Pins) -> Vec<Pins> {
    let data = &module.nodes[node];
    let widths = data.args.iter().map(|arg| module.width(*arg) as usize);
    let used = own.iter().filter(|pins| **pins > 0).count() as u32;
    let each = |pins: u32| widths.clone().map(|width| vec![pins; width]).collect();
    let bitwise: Pins = own.iter().map(|pins| u32::from(*pins > 0)).collect();
    match &data.op {
        NodeOp::Wire | NodeOp::Not => vec![own.clone(); data.args.len()],
        NodeOp::And | NodeOp::Or | NodeOp::Xor => vec![bitwise; data.args.len()],
        NodeOp::Slice { lo } => {
            let mut pins = vec![0; module.width(data.args[0]) as usize];
            pins[*lo as usize..][..own.len()].copy_from_slice(own);
            vec![pins]
        }
        NodeOp::Concat => {
            let mut end = own.len();
            let part = |width: usize| {
                end -= width;
                own[end..end + width].to_vec()
            };
            widths.map(part).collect()
        }
        NodeOp::ZExt => widths.map(|width| own[..width].to_vec()).collect(),
        NodeOp::SExt => {
            let extended = |width: usize| {
                let mut pins = own[..width].to_vec();
                pins[width - 1] += own[width..].iter().sum::<u32>();
                pins
            };
            widths.map(extended).collect()
        }
        NodeOp::Mux => {
            let is_const = |arg: usize| module.as_const(data.args[arg]).is_some();
            let select = match is_const(1) && is_const(2) {
                true => own.iter().copied().max().unwrap_or(0),
                false => used,
            };
            vec![vec![select], bitwise.clone(), bitwise]
        }
        NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => {
            vec![bitwise, vec![used; module.width(data.args[1]) as usize]]
        }
        // A bit of a sum is in the carries of those above it.
        _ => each(used.min(1)),
    }
}

/// What each bit of a node drives at a pin of a memory.
pub fn memory_pin(data: &MemData, pin: Pin) -> u32 {
    let is_lut_ram = match data.style {
        MemStyle::Distributed | MemStyle::Registers => true,
        MemStyle::Auto => data.reads.iter().any(|read| read.enable.is_none()),
        MemStyle::Block | MemStyle::Ultra => false,
    };
    let (width, depth) = (data.width, data.depth);
    let words = |bits: u32, words: u32| width.div_ceil(bits) * depth.div_ceil(words);
    // The device's memories, and the bits of a write enable of each.
    let (blocks, strobes) = match data.style {
        _ if is_lut_ram => (words(14, 32), 1),
        MemStyle::Ultra => (words(ULTRA_RAM.1, ULTRA_RAM.0), 9),
        _ => (words(72, 512), 8),
    };
    match pin {
        // Of the eight LUTs of a memory one takes the address that is written.
        Pin::ReadAddress(_) if is_lut_ram => 7 * blocks,
        Pin::ReadEnable(_) if is_lut_ram => width,
        Pin::ReadAddress(_) | Pin::ReadEnable(_) | Pin::WriteAddress(_) => blocks,
        Pin::WriteData(_) => blocks.div_ceil(width),
        Pin::WriteEnable(_) => blocks * strobes,
    }
}
