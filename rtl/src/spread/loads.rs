//! How many pins the bits of every node drive, as far as that can be told before a tool maps them.
//!
//! Wiring drives nothing itself: what is behind it counts. A bit of logic is a pin of each of its arguments, which is more than
//! a tool makes of it where it puts several operations into a LUT. It is less where a LUT has inputs left: then a tool puts what is
//! narrow into each LUT behind it, to save one, and all that this drives loads what stands in front. So what comes of few bits
//! counts like wiring ([`NARROW`]), and a choice as often as it is likely to be made again ([`REPEATED`]).

use super::copies::is_wiring;
use super::users::{self, Pin};
use super::Ports;
use crate::dependence::{self, Dependences};
use crate::uses::Live;
use crate::{Design, Direction, MemData, MemStyle, Module, ModuleId, Node, NodeOp, ULTRA_RAM};
use cranelift_entity::SecondaryMap;

/// A bit of logic that follows from so many bits of registers stands in each LUT behind it.
const NARROW: u32 = 3;
/// A choice between two stands in so many LUTs behind it, if there are as many.
pub const REPEATED: u32 = 3;

/// A number of so few bits, one of which is a constant, says which of several words is chosen: what chooses the constant stands in
/// each LUT of that choice.
const ENCODED: u32 = 3;

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
    let narrow = Narrow::of(module, &order);
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
            for (arg, pins) in data.args.iter().zip(pins(module, &narrow, node, &own)) {
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

/// Nodes of one bit that follow from a few bits of registers.
pub struct Narrow {
    is_narrow: SecondaryMap<Node, bool>,
    /// Pins of a node that are none of a LUT, and so cannot take in what drives them.
    fixed: SecondaryMap<Node, u32>,
}

impl Narrow {
    /// Those of a module, whose nodes are given in the order of their evaluation.
    pub fn of(module: &Module, order: &[Node]) -> Narrow {
        let mut bits: SecondaryMap<Node, u32> = SecondaryMap::new();
        let mut is_narrow = SecondaryMap::new();
        for node in order.iter().copied() {
            let data = &module.nodes[node];
            let args = data.args.iter().map(|arg| bits[*arg]);
            let of_args = args.fold(0, u32::saturating_add);
            bits[node] = match data.op {
                NodeOp::Const(_) => 0,
                NodeOp::Slice { .. } => data.width.min(of_args),
                _ if data.args.is_empty() => data.width,
                _ => of_args,
            };
            is_narrow[node] = data.width == 1 && bits[node] <= NARROW && !is_wiring(&data.op);
        }
        let fixed = fixed(module, order);
        Narrow { is_narrow, fixed }
    }
}

fn fixed(module: &Module, order: &[Node]) -> SecondaryMap<Node, u32> {
    let mut fixed: SecondaryMap<Node, u32> = SecondaryMap::new();
    for reg in module.regs.values() {
        if let (Some(enable), Some(next)) = (reg.enable, reg.next) {
            // A LUT in front of a register can take in its enable.
            fixed[enable] += if is_logic(module, next) { 0 } else { reg.width };
        }
    }
    for data in module.mems.values() {
        for (pin, node) in users::pins(data) {
            fixed[node] += memory_pin(data, pin);
        }
    }
    for node in order.iter().rev() {
        let data = &module.nodes[*node];
        if let (NodeOp::Wire | NodeOp::Not, Some(arg)) = (&data.op, data.args.first()) {
            fixed[*arg] += fixed[*node];
        }
    }
    fixed
}

/// Whether there is logic in any bit of a node.
fn is_logic(module: &Module, node: Node) -> bool {
    let data = &module.nodes[node];
    match is_wiring(&data.op) {
        true => data.args.iter().any(|arg| is_logic(module, *arg)),
        false => !data.args.is_empty(),
    }
}

/// What the bits of a node's arguments drive through it. `own`: what it drives.
pub fn pins(module: &Module, narrow: &Narrow, node: Node, own: &Pins) -> Vec<Pins> {
    let data = &module.nodes[node];
    if narrow.is_narrow[node] {
        let fixed = narrow.fixed[node].min(own[0]);
        let pins = own[0] - fixed + u32::from(fixed > 0);
        let widths = data.args.iter().map(|arg| module.width(*arg) as usize);
        return widths.map(|width| vec![pins; width]).collect();
    }
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
            let made: Pins = own.iter().map(|pins| (*pins).min(REPEATED)).collect();
            let is_encoded = (2..=ENCODED).contains(&data.width);
            let select = match (is_const(1), is_const(2)) {
                (true, true) => own.iter().copied().max().unwrap_or(0),
                (false, false) => made.iter().sum(),
                _ if is_encoded => own.iter().sum(),
                _ => made.iter().sum(),
            };
            vec![vec![select], made.clone(), made]
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
    let (width, depth) = (data.width, data.depth);
    let words = |bits: u32, words: u32| width.div_ceil(bits) * depth.div_ceil(words);
    // The device's memories, and the bits of a write enable of each.
    let (blocks, strobes) = match kind(data) {
        Kind::Luts => (words(LUT_RAM.1, LUT_RAM.0), 1),
        Kind::Ultra => (words(ULTRA_RAM.1, ULTRA_RAM.0), 9),
        Kind::Blocks => (words(BLOCK_RAM.1, BLOCK_RAM.0), 8),
    };
    match pin {
        // Of the eight LUTs of a memory one takes the address that is written.
        Pin::ReadAddress(_) if kind(data) == Kind::Luts => 7 * blocks,
        Pin::ReadEnable(_) if kind(data) == Kind::Luts => width,
        // Above the words of one column of memories the address chooses.
        Pin::ReadAddress(_) if depth > DEEPEST_BLOCK_RAM && kind(data) == Kind::Blocks => {
            blocks + width
        }
        Pin::ReadAddress(_) | Pin::ReadEnable(_) | Pin::WriteAddress(_) => blocks,
        Pin::WriteData(_) => blocks.div_ceil(width),
        // A LUT for each bank.
        Pin::WriteEnable(_) if data.bank_words.is_some() => {
            depth.div_ceil(data.bank_words.unwrap_or(depth))
        }
        Pin::WriteEnable(_) => blocks * strobes,
    }
}

/// Bits of the columns of a memory that is divided, so that each has at most so many pins at an address; `None`: it stays whole.
pub fn column(data: &MemData, most: u32) -> Option<u32> {
    // Whole bytes, for those who look into it, and no part of what the device has.
    let unit = match kind(data) {
        Kind::Luts => LUT_RAM.1 * 4,
        Kind::Blocks => BLOCK_RAM.1,
        Kind::Ultra => return None,
    };
    let pins = (0..data.reads.len()).map(|port| memory_pin(data, Pin::ReadAddress(port)));
    let count = pins.max()?.div_ceil(most);
    let bits = data.width.div_ceil(count).next_multiple_of(unit);
    (data.bank_words.is_none() && bits < data.width).then_some(bits)
}

/// What a memory becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Luts,
    Blocks,
    Ultra,
}

fn kind(data: &MemData) -> Kind {
    let is_read_at_once = data.reads.iter().any(|read| read.enable.is_none());
    match data.style {
        MemStyle::Distributed | MemStyle::Registers => Kind::Luts,
        MemStyle::Auto if is_read_at_once || data.depth <= SHALLOW => Kind::Luts,
        MemStyle::Ultra => Kind::Ultra,
        MemStyle::Auto | MemStyle::Block => Kind::Blocks,
    }
}

/// Words and bits of eight LUTs, of a block RAM where it is widest, and the words from which on tools choose among block RAMs.
const LUT_RAM: (u32, u32) = (32, 14);
const BLOCK_RAM: (u32, u32) = (512, 72);
const DEEPEST_BLOCK_RAM: u32 = 4096;
/// Tools do not take block RAMs for so few words.
const SHALLOW: u32 = 64;
