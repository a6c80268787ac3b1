//! A first look, for designs that are too large for a closer one: modules are looked at once each and word by word.
//!
//! What it says of LUTs can be half as much again as what tools need, or half of it.

use super::gates::multiplier_blocks;
use super::memories::{kind, lut_ram_luts, Kind};
use super::Estimate;
use crate::cards::Resources;
use hardpath_rtl::{Design, MemData, Module, ModuleId, Node, NodeOp, Reg};
use std::collections::{HashMap, HashSet};

/// Flip-flops in a row that a LUT stands for, and the fewest that are one.
const SHIFT_REGISTER: (u64, u64) = (32, 3);

/// Numbers, parts of a LUT included.
#[derive(Clone, Copy, Default)]
struct Cost {
    lut: f64,
    ff: f64,
    bram18: f64,
    uram: f64,
    dsp: f64,
}

impl Cost {
    fn add(&mut self, other: Cost, times: f64) {
        self.lut += times * other.lut;
        self.ff += times * other.ff;
        self.bram18 += times * other.bram18;
        self.uram += times * other.uram;
        self.dsp += times * other.dsp;
    }
}

pub fn estimate(design: &Design) -> Estimate {
    // Callees come first.
    let mut costs: HashMap<ModuleId, Cost> = HashMap::new();
    for (id, module) in &design.modules {
        let mut cost = of_module(module);
        for instance in module.instances.values() {
            cost.add(costs[&instance.module], 1.0);
        }
        costs.insert(id, cost);
    }
    let all = costs[&design.top()];
    Estimate {
        resources: Resources {
            lut: all.lut as u64,
            ff: all.ff as u64,
            bram36: all.bram18 / 2.0,
            uram: all.uram as u64,
            dsp: all.dsp as u64,
        },
        is_rough: true,
    }
}

fn of_module(module: &Module) -> Cost {
    let mut cost = Cost::default();
    for node in module.nodes.keys() {
        cost.add(of_node(module, node), 1.0);
    }
    for memory in module.mems.values() {
        cost.add(of_memory(memory), 1.0);
    }
    cost.add(of_registers(module), 1.0);
    cost
}

/// A gate is a part of a LUT: others share it.
fn of_node(module: &Module, node: Node) -> Cost {
    let data = &module.nodes[node];
    let width = |node: &Node| f64::from(module.nodes[*node].width);
    let bits = f64::from(data.width);
    let args = data.args.as_slice();
    let is_constant = |node: &Node| module.as_const(*node).is_some();
    let has_constant = args.iter().any(is_constant);
    let lut = match data.op {
        NodeOp::And | NodeOp::Or | NodeOp::Xor if has_constant => 0.0,
        NodeOp::And | NodeOp::Or | NodeOp::Xor => bits * (args.len() - 1) as f64 * 0.25,
        NodeOp::Mux if has_constant => bits * 0.25,
        NodeOp::Mux => bits * 0.5,
        NodeOp::Add | NodeOp::Sub if has_constant => bits * 0.2,
        NodeOp::Add | NodeOp::Sub => bits,
        NodeOp::Shl | NodeOp::LShr | NodeOp::AShr if is_constant(&args[1]) => 0.0,
        NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => bits * width(&args[1]).min(7.0) * 0.5,
        NodeOp::Eq | NodeOp::Ne if has_constant => width(&args[0]) / 5.0,
        NodeOp::Eq | NodeOp::Ne => width(&args[0]) / 2.5,
        NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
            width(&args[0]) * if has_constant { 0.5 } else { 1.0 }
        }
        NodeOp::ReduceOr | NodeOp::ReduceAnd => width(&args[0]) / 5.0,
        NodeOp::ReduceXor => width(&args[0]) / 4.0,
        _ => 0.0,
    };
    let dsp = match data.op {
        NodeOp::Mul => multiplier_blocks(data.width, data.width, data.width) as f64,
        _ => 0.0,
    };
    Cost {
        lut,
        dsp,
        ..Cost::default()
    }
}

fn of_memory(memory: &MemData) -> Cost {
    let bits = f64::from(memory.width);
    let kind = kind(memory);
    let copies = memory.reads.len().max(1) as f64;
    let banks = f64::from(kind.banks(memory.depth));
    let mut cost = Cost {
        // Banks have a choice between them.
        lut: bits * (banks - 1.0) / 3.0 * copies,
        ..Cost::default()
    };
    let all = banks * copies;
    match kind {
        Kind::FlipFlops => {
            cost.ff = bits * f64::from(memory.depth);
            cost.lut = cost.ff / 3.0 * copies;
        }
        Kind::LutRam { .. } => cost.lut += lut_ram_luts(memory) as f64 * all,
        Kind::BlockRam { halves, .. } => cost.bram18 = halves as f64 * all,
        Kind::UltraRam { blocks, .. } => cost.uram = blocks as f64 * all,
    }
    cost
}

/// Registers that take what another one holds, which nobody else looks at, are a row.
fn of_registers(module: &Module) -> Cost {
    let mut uses: HashMap<Node, u32> = HashMap::new();
    for data in module.nodes.values() {
        data.args
            .iter()
            .for_each(|arg| *uses.entry(*arg).or_default() += 1);
    }
    let mut readers: HashMap<Reg, u32> = HashMap::new();
    for (node, data) in &module.nodes {
        if let NodeOp::Reg(reg) = data.op {
            let count = readers.entry(reg).or_default();
            *count += uses.get(&node).copied().unwrap_or(0);
        }
    }
    for data in module.regs.values() {
        if let Some(reg) = data.next.and_then(|next| held(module, next)) {
            // A name or a part of it on the way is no look at it.
            let on_the_way = data
                .next
                .is_some_and(|next| !matches!(module.nodes[next].op, NodeOp::Reg(_)));
            if let Some(count) = readers.get_mut(&reg) {
                *count = count.saturating_sub(u32::from(on_the_way));
            }
        }
    }
    let mut before: HashMap<Reg, Reg> = HashMap::new();
    let mut has_next: HashSet<Reg> = HashSet::new();
    for (reg, data) in &module.regs {
        let Some(front) = data.next.and_then(|next| held(module, next)) else {
            continue;
        };
        let is_row = readers.get(&front).copied().unwrap_or(0) == 0
            && data.reset.is_none()
            && module.regs[front].reset.is_none()
            && data.enable == module.regs[front].enable
            && front != reg
            && has_next.insert(front);
        if is_row {
            before.insert(reg, front);
        }
    }
    let mut cost = Cost::default();
    let (most, fewest) = SHIFT_REGISTER;
    for (reg, data) in &module.regs {
        if has_next.contains(&reg) {
            continue;
        }
        let mut count = 1;
        let mut at = reg;
        while let Some(front) = before.get(&at) {
            count += 1;
            at = *front;
        }
        let bits = f64::from(data.width);
        match count >= fewest {
            true => cost.lut += bits * count.div_ceil(most) as f64,
            false => cost.ff += bits * count as f64,
        }
    }
    cost
}

/// The register that a node is, or is a part of.
fn held(module: &Module, mut node: Node) -> Option<Reg> {
    loop {
        let data = &module.nodes[node];
        match data.op {
            NodeOp::Reg(reg) => return Some(reg),
            NodeOp::Wire | NodeOp::Slice { .. } => node = *data.args.first()?,
            _ => return None,
        }
    }
}
