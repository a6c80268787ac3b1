//! Nets with many loads, spread over copies.
//!
//! What drives many pins is slow, however few levels it has: it must reach all of them. So a node with too many loads becomes
//! several, which share them:
//!
//! ```text
//!     busy ─► stop ─► 600 enables      busy        ─► stop        ─► 200 enables
//!                                      busy_copy   ─► stop_copy   ─► 200 enables
//!                                      busy_copy_2 ─► stop_copy_2 ─► 200 enables
//! ```
//!
//! Logic that is the same would be merged again by any tool, so each copy comes from a register of its own
//! ([`copies`]), which tools leave alone ([`crate::RegData::is_apart`]). Before, wide choices and registers are cut into parts whose loads
//! can be shared. Loads behind the ports of instances count, and copies lead through them. Loads are those of the hardware IR
//! ([`loads`]); what a tool makes of them is a little different, so the limit here is below the one that is meant.
//!
//! What comes from the ports of the top or straight out of a memory cannot be copied, and stays as it is. Wide memories of LUTs are
//! cut into [`columns`], and so are shifts ([`shifts`]).

mod columns;
mod copies;
mod loads;
mod shifts;
mod users;

use crate::dependence::{self, Dependences};
use crate::print::constant;
use crate::{Design, Mem, Module, ModuleId, Node, NodeOp, Reg, RegData};
use copies::{Copier, Costs, Wanted, NEVER};
use cranelift_entity::SecondaryMap;
use loads::{Loads, Narrow, Pins};
use std::collections::{HashMap, HashSet};
use users::User;

/// Wider values are only copied in parts.
const WIDEST_COPY: u32 = 64;
/// Each sweep comes nearer, in three to seven. A loop of wide registers can need copies for its copies, and would never end.
const SWEEPS: usize = 10;
/// Neither does it become so many times as large.
const GROWTH: usize = 2;

/// By port.
type Ports<T> = SecondaryMap<ModuleId, Vec<T>>;

/// Spreads the loads of a whole design, where a bit has more than `most`.
pub fn spread(design: &mut Design, most: u32) {
    let limit = GROWTH * size(design);
    for _ in 0..SWEEPS {
        if size(design) > limit || !sweep(design, most) {
            return;
        }
    }
}

fn size(design: &Design) -> usize {
    let modules = design.modules.values();
    modules.map(|module| module.nodes.len()).sum()
}

/// Spreads what can be spread at once. Whether there was something.
fn sweep(design: &mut Design, most: u32) -> bool {
    let known = dependence::dependences(design).expect("a design without loops");
    let (loads, inside, outside) = all_loads(design, &known);
    let is_hot = |id: ModuleId, node: Node| loads[id][node].iter().any(|pins| *pins > most);
    let mut hot: Vec<(ModuleId, Vec<Node>, Narrow)> = Vec::new();
    let own = design.modules.iter();
    for (id, module) in own.filter(|(_, module)| module.foreign.is_none()) {
        let order = dependence::evaluation_order(design, id, &known).expect("no loops");
        let narrow = Narrow::of(module, &order);
        // Those that are behind others come first.
        let nodes = order.into_iter().rev().filter(|node| is_hot(id, *node));
        hot.push((id, nodes.collect(), narrow));
    }
    hot.retain(|(_, nodes, _)| !nodes.is_empty());
    if hot.is_empty() {
        return false;
    }
    let costs = Costs::of(design, &known);
    let readers = |(id, nodes, narrow): (ModuleId, Vec<Node>, Narrow)| {
        let mut readers: HashMap<Node, Vec<User>> = HashMap::new();
        for (user, node) in users::users(&design.modules[id]) {
            readers.entry(node).or_default().push(user);
        }
        (id, nodes, narrow, readers)
    };
    let hot: Vec<_> = hot.into_iter().map(readers).collect();
    let mut copier = Copier::new(design, &costs);
    let mut has_changed = false;
    for (id, nodes, narrow, readers) in hot {
        let mut spreader = Spreader {
            copier: &mut copier,
            id,
            loads: &loads[id],
            narrow,
            most,
            ports: (&inside, &outside),
            touched: HashSet::new(),
            cut: HashSet::new(),
        };
        for node in nodes {
            spreader.spread(node, readers.get(&node).map_or(&[], Vec::as_slice));
        }
        has_changed |= !spreader.touched.is_empty();
    }
    for module in design.modules.values_mut() {
        crate::order::renumber(module);
    }
    has_changed
}

/// The loads of all nodes, of the inputs of all modules, and of their outputs.
fn all_loads(
    design: &Design,
    known: &Dependences,
) -> (SecondaryMap<ModuleId, Loads>, Ports<Pins>, Ports<Pins>) {
    let (mut inside, mut outside) = (Ports::new(), Ports::new());
    for (id, module) in design.modules.iter() {
        let ports = |pins: u32| {
            module
                .ports
                .iter()
                .map(|p| vec![pins; p.width as usize])
                .collect()
        };
        outside[id] = ports(if id == design.top() { 0 } else { 1 });
        // An output of the top is a load of none, but what drives it lives.
        inside[id] = ports(0);
        let loads = loads::loads(design, id, known, (&inside, &outside));
        for (node, data) in module.nodes.iter() {
            if let NodeOp::Input(port) = data.op {
                inside[id][port as usize].clone_from(&loads[node]);
            }
        }
    }
    let mut all: SecondaryMap<ModuleId, Loads> = SecondaryMap::new();
    for (id, module) in design.modules.iter().rev() {
        let loads = loads::loads(design, id, known, (&inside, &outside));
        for (node, data) in module.nodes.iter() {
            if let NodeOp::InstanceOutput(instance, port) = data.op {
                let outside = &mut outside[module.instances[instance].module][port as usize];
                let pins = outside.iter_mut().zip(&loads[node]);
                pins.for_each(|(most, pins)| *most = (*most).max(*pins));
            }
        }
        all[id] = loads;
    }
    (all, inside, outside)
}

/// One module in one sweep.
struct Spreader<'a, 'b> {
    copier: &'a mut Copier<'b>,
    id: ModuleId,
    loads: &'a Loads,
    narrow: Narrow,
    most: u32,
    ports: (&'a Ports<Pins>, &'a Ports<Pins>),
    /// Nodes that were changed or spread in this sweep: what is in front of them waits for the next one.
    touched: HashSet<Node>,
    /// Registers that are in parts since this sweep.
    cut: HashSet<Reg>,
}

impl Spreader<'_, '_> {
    fn spread(&mut self, node: Node, readers: &[User]) {
        let behind = |user: &User| match user {
            User::Argument(reader, _) => self.touched.contains(reader),
            User::Next(reg) | User::Enable(reg) => self.cut.contains(reg),
            User::Memory(..) | User::Instance(..) | User::Output(_) => false,
        };
        if self.touched.contains(&node) || readers.iter().any(behind) {
            return;
        }
        let own = &self.loads[node];
        let hot: Vec<usize> = (0..own.len()).filter(|bit| own[*bit] > self.most).collect();
        let mut weights = Vec::new();
        for user in readers {
            let pins = self.pins(*user, own.len());
            let weight = hot.iter().map(|bit| pins[*bit]).max().unwrap_or(0);
            if weight > 0 {
                weights.push((*user, weight));
            }
        }
        let can_copy = self.copier.costs.get(self.id, node) < NEVER;
        let cut = weights.iter().filter(|(_, weight)| *weight > self.most);
        let cut = cut.filter(|(user, _)| can_copy || self.is_shift(*user));
        let cut: Vec<User> = cut.map(|(user, _)| *user).collect();
        let cuts = cut.into_iter().filter(|user| self.cut(node, *user));
        // All of them, not only the first.
        if cuts.count() > 0 {
            self.touched.insert(node);
            return;
        }
        if can_copy && self.share(node, &weights) {
            self.touched.insert(node);
        }
    }

    /// What the bits of a node drive through one of its readers.
    fn pins(&self, user: User, width: usize) -> Pins {
        let module = &self.copier.design.modules[self.id];
        let each = |pins: u32| vec![pins; width];
        match user {
            User::Argument(reader, index) => {
                loads::pins(module, &self.narrow, reader, &self.loads[reader])[index].clone()
            }
            User::Next(_) => each(1),
            User::Enable(reg) => each(module.regs[reg].width),
            User::Instance(instance, index) => {
                let data = &module.instances[instance];
                self.ports.0[data.module][data.inputs[index].0 as usize].clone()
            }
            User::Output(port) => self.ports.1[self.id][port].clone(),
            User::Memory(mem, pin) => each(loads::memory_pin(&module.mems[mem], pin)),
        }
    }

    /// The node says how far a value is shifted. Part of that is often constant, and the whole then never a copy.
    fn is_shift(&self, user: User) -> bool {
        let nodes = &self.copier.design.modules[self.id].nodes;
        matches!(user, User::Argument(reader, 1) if shifts::is_shift(&nodes[reader].op))
    }

    /// Cuts a reader of one bit into parts. Whether it could.
    fn cut(&mut self, node: Node, user: User) -> bool {
        let module = &mut self.copier.design.modules[self.id];
        match user {
            User::Enable(reg) => {
                let width = module.regs[reg].width;
                let count = width.div_ceil(self.most);
                self.cut_register(reg, width.div_ceil(count));
                true
            }
            User::Argument(reader, 0) if module.width(node) == 1 => {
                let op = module.nodes[reader].op.clone();
                if !matches!(op, NodeOp::SExt | NodeOp::Mux) || module.width(reader) == 1 {
                    return false;
                }
                let pins = self.loads[reader].iter();
                let pins = pins.map(|pins| match op {
                    NodeOp::Mux => (*pins).min(loads::REPEATED),
                    _ => *pins,
                });
                let parts = parts(pins, self.most);
                parts.len() > 1 && {
                    self.cut_node(reader, &parts);
                    self.touched.insert(reader);
                    true
                }
            }
            User::Argument(reader, 1) if shifts::is_shift(&module.nodes[reader].op) => {
                if module.as_const(module.nodes[reader].args[0]).is_none() {
                    shifts::unfold(module, reader);
                } else if module.width(reader) > self.most {
                    shifts::divide(module, reader, self.most * 3 / 4);
                } else {
                    return false;
                }
                self.touched.insert(reader);
                true
            }
            User::Memory(mem, _) => self.cut_memory(mem),
            _ => false,
        }
    }

    /// Makes a memory of columns, each of which has as many pins at a net as a copy can drive. Whether it could.
    fn cut_memory(&mut self, mem: Mem) -> bool {
        let full = self.full();
        let module = &mut self.copier.design.modules[self.id];
        let writes = &module.mems[mem].writes;
        // An enable for each part has few pins, and a column would have to end where a part does.
        if writes.iter().any(|write| module.width(write.enable) > 1) {
            return false;
        }
        let Some(bits) = loads::column(&module.mems[mem], full) else {
            return false;
        };
        let read = columns::cut(module, mem, bits);
        self.touched.extend(read);
        true
    }

    /// What copies get: what comes with other copies has room.
    fn full(&self) -> u32 {
        self.most * 3 / 4
    }

    /// Makes an extension or a choice of parts of so many bits, from bit 0 on.
    fn cut_node(&mut self, reader: Node, parts: &[u32]) {
        let id = self.id;
        let data = self.copier.design.modules[id].nodes[reader].clone();
        let (mut lo, mut nodes) = (0, Vec::new());
        for width in parts {
            let mut args = vec![data.args[0]];
            for arm in &data.args[1..] {
                args.push(self.copier.slice(id, *arm, lo, *width));
            }
            let mut part = data.clone();
            (part.args, part.width) = (args, *width);
            (part.name, part.comment) = (None, None);
            nodes.push(self.copier.design.modules[id].nodes.push(part));
            lo += width;
        }
        nodes.reverse();
        let whole = &mut self.copier.design.modules[id].nodes[reader];
        (whole.op, whole.args) = (NodeOp::Concat, nodes);
    }

    /// Makes a register of parts of so many bits.
    fn cut_register(&mut self, reg: Reg, bits: u32) {
        let id = self.id;
        self.cut.insert(reg);
        let data = self.copier.design.modules[id].regs[reg].clone();
        let next = data.next.expect("a register has a next value");
        let of_reg = |op: &NodeOp| *op == NodeOp::Reg(reg);
        let module = &self.copier.design.modules[id];
        let nodes = module.nodes.iter().filter(|(_, node)| of_reg(&node.op));
        let nodes: Vec<Node> = nodes.map(|(node, _)| node).collect();
        let (mut lo, mut parts) = (0, Vec::new());
        while lo < data.width {
            let width = bits.min(data.width - lo);
            let part = RegData {
                name: format!("{}_{}", data.name, lo / bits),
                width,
                next: Some(self.copier.slice(id, next, lo, width)),
                reset: data
                    .reset
                    .as_ref()
                    .map(|limbs| constant::slice(limbs, lo, width)),
                ..data.clone()
            };
            let regs = &mut self.copier.design.modules[id].regs;
            parts.push(match lo {
                0 => {
                    regs[reg] = part;
                    reg
                }
                _ => regs.push(part),
            });
            lo += width;
        }
        for node in nodes {
            self.touched.insert(node);
            let module = &mut self.copier.design.modules[id];
            let read = |part: &Reg| (NodeOp::Reg(*part), module.regs[*part].width);
            let reads: Vec<_> = parts.iter().map(read).collect();
            make_concat(module, node, reads);
        }
    }

    /// Gives some of the readers copies. Whether there was one to give.
    fn share(&mut self, node: Node, weights: &[(User, u32)]) -> bool {
        let full = self.full();
        let (mut number, mut sum) = (0, 0);
        let (movable, fixed): (Vec<_>, Vec<_>) = weights
            .iter()
            .partition(|(user, _)| self.can_move(node, *user));
        sum += fixed.iter().map(|(_, weight)| *weight).sum::<u32>();
        for (user, weight) in movable {
            if sum > 0 && sum + weight > full {
                (number, sum) = (number + 1, 0);
            }
            sum += weight;
            if number > 0 {
                self.move_to(node, user, number);
            }
        }
        number > 0
    }

    fn can_move(&self, node: Node, user: User) -> bool {
        let module = &self.copier.design.modules[self.id];
        module.width(node) <= WIDEST_COPY
            || matches!(user, User::Argument(reader, _) if matches!(module.nodes[reader].op, NodeOp::Slice { .. }))
    }

    /// Lets a reader read a copy.
    fn move_to(&mut self, node: Node, user: User, number: usize) {
        let module = &self.copier.design.modules[self.id];
        let mut wanted = Wanted {
            id: self.id,
            node,
            lo: 0,
            width: module.width(node),
            number,
        };
        if let User::Argument(reader, _) = user {
            let data = &module.nodes[reader];
            if let NodeOp::Slice { lo } = data.op {
                (wanted.lo, wanted.width) = (lo, data.width);
                let copy = self.copier.copy(wanted);
                let slice = &mut self.copier.design.modules[self.id].nodes[reader];
                (slice.op, slice.args) = (NodeOp::Wire, vec![copy]);
                return;
            }
        }
        let copy = self.copier.copy(wanted);
        user.set(&mut self.copier.design.modules[self.id], copy);
    }
}

/// Puts a node together from others of so many bits, from bit 0 on.
fn make_concat(module: &mut Module, node: Node, parts: Vec<(NodeOp, u32)>) {
    let mut args = Vec::new();
    for (op, width) in parts.into_iter().rev() {
        let mut data = module.nodes[node].clone();
        (data.op, data.width, data.name) = (op, width, None);
        args.push(module.nodes.push(data));
    }
    let whole = &mut module.nodes[node];
    (whole.op, whole.args) = (NodeOp::Concat, args);
}

/// Widths of parts, from bit 0 on, whose bits drive at most so many pins together.
fn parts(pins: impl Iterator<Item = u32>, most: u32) -> Vec<u32> {
    let (mut parts, mut sum) = (vec![0], 0);
    for pins in pins {
        if sum > 0 && sum + pins > most {
            parts.push(0);
            sum = 0;
        }
        sum += pins;
        *parts.last_mut().expect("there is a part") += 1;
    }
    parts
}
