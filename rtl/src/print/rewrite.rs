//! Legalize: a copy of a module in which every node can be printed as it is.
//!
//! * Memories have a depth and addresses of exactly the bits that the depth needs; what lies outside is masked. Those that say so
//!   are divided into banks. A write port has an enable of one bit.
//! * Comparisons that are constant are constants (tools warn of them), shifts by more than the width too, and a
//!   variable shift amount has as many bits as the language takes.
//! * No extension, slice or concatenation that changes nothing; slices look through unnamed concatenations and
//!   extensions; concatenations are flat; a negated comparison is the opposite comparison.
//! * Nothing refers to an unnamed wire. A named register, input or memory word is an unnamed one behind a wire of
//!   that name.

use super::{constant, fold, Language};
use crate::check::address_bits;
use crate::dependence::{self, Dependences};
use crate::{Assert, Attributes, Design, Mem, MemStyle, Module, ModuleId, Node, NodeOp, RegData};
use cranelift_entity::SecondaryMap;
use std::collections::HashMap;

/// A module ready to be planned and printed.
pub struct Legal {
    pub language: &'static Language,
    pub module: Module,
    /// Of its memories.
    pub attributes: Attributes,
    /// For each node the number of the original node where it belongs in the text.
    pub anchor: SecondaryMap<Node, u32>,
    /// Words of a memory as it is printed: at least its depth.
    pub depth: SecondaryMap<Mem, u32>,
    /// Every node after those that it depends on (an instance's outputs depend on nothing here).
    pub order: Vec<Node>,
}

/// Makes the copy. The design has passed [`crate::check::check`].
pub fn legalize(design: &Design, id: ModuleId, language: &'static Language) -> Legal {
    let module = design.modules[id].clone();
    let mut anchor = SecondaryMap::new();
    for node in module.nodes.keys() {
        anchor[node] = node.as_u32();
    }
    let mut legal = Legal {
        language,
        module,
        attributes: design.attributes,
        anchor,
        depth: SecondaryMap::new(),
        order: Vec::new(),
    };
    legal.separate_names();
    legal.merge_reads();
    for mem in legal.module.mems.keys().collect::<Vec<_>>() {
        legal.memory(mem);
        legal.divide(mem);
    }
    let order = legal.evaluation_order(design, id);
    let mut uses = legal.module.count_uses();
    for node in order {
        legal.simplify(node, &mut uses);
    }
    legal.unify_wires();
    legal.skip_unnamed_wires();
    legal.order = legal.evaluation_order(design, id);
    legal
}

impl Legal {
    fn evaluation_order(&self, design: &Design, id: ModuleId) -> Vec<Node> {
        // Nothing is known of the callees, so their outputs count as sources.
        let callees = Dependences::new();
        dependence::evaluation_order_of(design, &self.module, &callees)
            .unwrap_or_else(|_| panic!("module {} was checked for loops", design.modules[id].name))
    }

    pub(super) fn push(&mut self, like: Node, op: NodeOp, args: Vec<Node>, width: u32) -> Node {
        let section = self.module.nodes[like].section;
        let node = self.module.push_in(section, op, args, width);
        self.anchor[node] = self.anchor[like];
        node
    }

    pub(super) fn constant(&mut self, like: Node, value: u64, width: u32) -> Node {
        let limbs = constant::resize(&[value], width);
        self.push(like, NodeOp::Const(limbs), Vec::new(), width)
    }

    pub(super) fn width(&self, node: Node) -> u32 {
        self.module.nodes[node].width
    }

    pub(super) fn set(&mut self, node: Node, op: NodeOp, args: Vec<Node>) {
        let data = &mut self.module.nodes[node];
        data.op = op;
        data.args = args;
    }

    fn set_constant(&mut self, node: Node, limbs: &[u64]) {
        let limbs = constant::resize(limbs, self.width(node));
        self.set(node, NodeOp::Const(limbs), Vec::new());
    }

    /// Gives named leaves (registers, inputs) with a second name a wire for it.
    fn separate_names(&mut self) {
        for node in self.module.nodes.keys().collect::<Vec<_>>() {
            let data = &self.module.nodes[node];
            let own = match data.op {
                NodeOp::Reg(reg) => &self.module.regs[reg].name,
                NodeOp::Input(port) => &self.module.ports[port as usize].name,
                _ => continue,
            };
            match &data.name {
                Some(name) if name != own => {
                    let op = data.op.clone();
                    let width = data.width;
                    let leaf = self.push(node, op, Vec::new(), width);
                    self.set(node, NodeOp::Wire, vec![leaf]);
                }
                _ => self.module.nodes[node].name = None,
            }
        }
    }

    /// One node for each read port and each output of an instance; the others become wires.
    fn merge_reads(&mut self) {
        let mut first: HashMap<NodeOp, Node> = HashMap::new();
        for node in self.module.nodes.keys().collect::<Vec<_>>() {
            let op = self.module.nodes[node].op.clone();
            if matches!(op, NodeOp::MemRead(..) | NodeOp::InstanceOutput(..)) {
                match first.get(&op) {
                    Some(first) => self.set(node, NodeOp::Wire, vec![*first]),
                    None => {
                        first.insert(op, node);
                    }
                }
            }
        }
    }

    /// Gives a memory addresses of the right width, and masks what lies outside.
    fn memory(&mut self, mem: Mem) {
        self.split_writes(mem);
        let data = self.module.mems[mem].clone();
        let bits = address_bits(data.depth);
        let full = 1 << bits;
        let depth = if pads_to_power_of_two(data.style, data.depth, data.width) {
            full
        } else {
            data.depth.max(self.language.fewest_words)
        };
        self.depth[mem] = depth;
        for (index, write) in data.writes.iter().enumerate() {
            let mut enable = write.enable;
            if self.width(write.address) > bits || data.depth != full {
                let in_range = self.in_range(write.address, data.depth);
                enable = match constant::is_one_bit_true(&self.module, enable) {
                    true => in_range,
                    false => self.push(in_range, NodeOp::And, vec![enable, in_range], 1),
                };
                if data.writes.len() > 1 {
                    let name = format!("{}_write{index}", data.name);
                    self.module.nodes[enable].name = Some(name);
                }
            }
            let address = self.low_bits(write.address, bits);
            let write = &mut self.module.mems[mem].writes[index];
            write.enable = enable;
            write.address = address;
        }
        for (index, read) in data.reads.iter().enumerate() {
            let address = self.low_bits(read.address, bits);
            self.module.mems[mem].reads[index].address = address;
            // Words that were added are never written, so they read as zeros.
            if self.width(read.address) > bits || depth != full {
                let in_range = self.in_range(read.address, data.depth);
                self.mask_read(mem, index as u32, in_range);
            }
        }
        self.assert_one_writer(mem);
    }

    /// `address < depth`.
    fn in_range(&mut self, address: Node, depth: u32) -> Node {
        let width = self.width(address);
        if depth.is_power_of_two() {
            let bits = depth.trailing_zeros();
            let high_width = width - bits;
            let high = self.push(
                address,
                NodeOp::Slice { lo: bits },
                vec![address],
                high_width,
            );
            if high_width == 1 {
                return self.push(address, NodeOp::Not, vec![high], 1);
            }
            let zero = self.constant(address, 0, high_width);
            return self.push(address, NodeOp::Eq, vec![high, zero], 1);
        }
        let limit = self.constant(address, u64::from(depth), width);
        self.push(address, NodeOp::Ult, vec![address, limit], 1)
    }

    fn low_bits(&mut self, node: Node, bits: u32) -> Node {
        match self.width(node) == bits {
            true => node,
            false => self.push(node, NodeOp::Slice { lo: 0 }, vec![node], bits),
        }
    }

    /// Makes a read port give zeros when its address was not in range.
    fn mask_read(&mut self, mem: Mem, port: u32, in_range: Node) {
        let data = &self.module.mems[mem];
        let (width, section) = (data.width, data.section);
        let clock = data.reads[port as usize].clock;
        let valid = match data.reads[port as usize].enable {
            None => in_range,
            Some(enable) => {
                let always = constant::is_one_bit_true(&self.module, enable);
                let reg = self.module.regs.push(RegData {
                    name: format!("{}_in_range", self.module.mems[mem].name),
                    width: 1,
                    next: Some(in_range),
                    enable: if always { None } else { Some(enable) },
                    reset: None,
                    is_apart: false,
                    is_synchronizer: false,
                    clock,
                    comment: None,
                    section,
                });
                self.push(in_range, NodeOp::Reg(reg), Vec::new(), 1)
            }
        };
        for node in self.module.nodes.keys().collect::<Vec<_>>() {
            if self.module.nodes[node].op == NodeOp::MemRead(mem, port) {
                let word = self.push(node, NodeOp::MemRead(mem, port), Vec::new(), width);
                let zero = self.constant(node, 0, width);
                self.set(node, NodeOp::Mux, vec![valid, word, zero]);
            }
        }
    }

    /// Two write ports must not write the same word at one edge.
    fn assert_one_writer(&mut self, mem: Mem) {
        let data = self.module.mems[mem].clone();
        for (index, first) in data.writes.iter().enumerate() {
            for second in &data.writes[index + 1..] {
                if first.part != second.part {
                    continue;
                }
                let addresses = vec![first.address, second.address];
                let same = self.push(second.address, NodeOp::Eq, addresses, 1);
                let both = vec![first.enable, second.enable, same];
                let clash = self.push(same, NodeOp::And, both, 1);
                let condition = self.push(clash, NodeOp::Not, vec![clash], 1);
                self.module.asserts.push(Assert {
                    name: format!("{}_one_writer", data.name),
                    condition,
                    message: format!("two ports write one word of {}", data.name),
                    clock: first.clock,
                });
            }
        }
    }

    /// The node behind unnamed wires.
    fn resolve(&self, mut node: Node) -> Node {
        loop {
            let data = &self.module.nodes[node];
            match (&data.op, &data.name) {
                (NodeOp::Wire, None) => node = data.args[0],
                _ => return node,
            }
        }
    }

    fn simplify(&mut self, node: Node, uses: &mut SecondaryMap<Node, u32>) {
        let mut args = std::mem::take(&mut self.module.nodes[node].args);
        if self.module.nodes[node].op != NodeOp::Wire {
            args.iter_mut().for_each(|arg| *arg = self.resolve(*arg));
        }
        self.module.nodes[node].args = args.clone();
        if let Some(limbs) = fold::constant_value(&self.module, node) {
            if self.module.nodes[node].op == NodeOp::Wire {
                // A net that never changes is not worth its name.
                self.module.nodes[node].name = None;
            }
            return self.set_constant(node, &limbs);
        }
        let width = self.width(node);
        let arg_width = args.first().map_or(0, |arg| self.width(*arg));
        match self.module.nodes[node].op.clone() {
            NodeOp::Slice { lo } => self.slice(node, args[0], lo),
            NodeOp::ZExt | NodeOp::SExt if arg_width == width => self.set(node, NodeOp::Wire, args),
            NodeOp::ReduceOr | NodeOp::ReduceAnd | NodeOp::ReduceXor if arg_width == 1 => {
                self.set(node, NodeOp::Wire, args)
            }
            NodeOp::Mux => {
                if let Some(arm) = fold::chosen_arm(&self.module, &args) {
                    self.set(node, NodeOp::Wire, vec![arm]);
                }
            }
            NodeOp::Concat => self.concat(node, &args, uses),
            op @ (NodeOp::Shl | NodeOp::LShr | NodeOp::AShr) => self.shift(node, op, &args),
            NodeOp::Not => self.negate(node, args[0], uses),
            op => {
                if let Some(result) = constant::compare_with_limit(&self.module, &op, &args) {
                    self.set_constant(node, &[u64::from(result)]);
                } else if arg_width == 1 {
                    self.order_of_bits(node, &op, &args);
                }
            }
        }
    }

    fn slice(&mut self, node: Node, arg: Node, lo: u32) {
        let width = self.width(node);
        if lo == 0 && width == self.width(arg) {
            return self.set(node, NodeOp::Wire, vec![arg]);
        }
        let data = self.module.nodes[arg].clone();
        if let NodeOp::Const(limbs) = &data.op {
            let limbs = constant::slice(limbs, lo, width);
            return self.set_constant(node, &limbs);
        }
        // A name is there to be read: only unnamed operands are looked through.
        if data.name.is_none() {
            match data.op {
                NodeOp::Slice { lo: inner } => {
                    return self.slice_of(node, data.args[0], lo + inner)
                }
                NodeOp::Concat => {
                    let mut start = data.width;
                    for part in data.args {
                        start -= self.width(part);
                        if lo >= start && lo + width <= start + self.width(part) {
                            return self.slice_of(node, part, lo - start);
                        }
                    }
                }
                NodeOp::ZExt | NodeOp::SExt if lo + width <= self.width(data.args[0]) => {
                    return self.slice_of(node, data.args[0], lo)
                }
                NodeOp::ZExt if lo >= self.width(data.args[0]) => {
                    return self.set_constant(node, &[0])
                }
                _ => {}
            }
        }
        self.set(node, NodeOp::Slice { lo }, vec![arg]);
    }

    fn slice_of(&mut self, node: Node, arg: Node, lo: u32) {
        let arg = self.resolve(arg);
        self.slice(node, arg, lo);
    }

    /// Flattens, and joins neighbouring slices of one node.
    fn concat(&mut self, node: Node, args: &[Node], uses: &SecondaryMap<Node, u32>) {
        let mut parts: Vec<Node> = Vec::new();
        for arg in args {
            let data = self.module.nodes[*arg].clone();
            let inside = data.name.is_none() && uses[*arg] <= 1;
            match data.op {
                NodeOp::Concat if inside => data
                    .args
                    .into_iter()
                    .for_each(|part| self.join(&mut parts, part)),
                NodeOp::ZExt if inside => {
                    let pad = data.width - self.width(data.args[0]);
                    let zeros = self.constant(*arg, 0, pad);
                    self.join(&mut parts, zeros);
                    self.join(&mut parts, data.args[0]);
                }
                _ => self.join(&mut parts, *arg),
            }
        }
        match parts.as_slice() {
            [one] => self.set(node, NodeOp::Wire, vec![*one]),
            _ => self.set(node, NodeOp::Concat, parts),
        }
    }

    /// Adds a part below the others.
    fn join(&mut self, parts: &mut Vec<Node>, part: Node) {
        let part = self.resolve(part);
        let Some(above) = parts.last().copied() else {
            return parts.push(part);
        };
        let (high, low) = (
            self.module.nodes[above].clone(),
            self.module.nodes[part].clone(),
        );
        let width = high.width + low.width;
        if high.name.is_none() && low.name.is_none() {
            let joined = match (&high.op, &low.op) {
                (NodeOp::Slice { lo: from }, NodeOp::Slice { lo })
                    if high.args == low.args && *from == lo + low.width =>
                {
                    let joined =
                        self.push(part, NodeOp::Slice { lo: *lo }, low.args.clone(), width);
                    self.slice(joined, low.args[0], *lo);
                    Some(self.resolve(joined))
                }
                (NodeOp::Const(a), NodeOp::Const(b)) => {
                    let limbs = constant::concat(a, b, low.width, width);
                    Some(self.push(part, NodeOp::Const(limbs), Vec::new(), width))
                }
                _ => None,
            };
            if let Some(joined) = joined {
                parts.pop();
                return parts.push(joined);
            }
        }
        parts.push(part);
    }

    fn shift(&mut self, node: Node, op: NodeOp, args: &[Node]) {
        let (value, amount) = (args[0], args[1]);
        let width = self.width(node);
        if let Some(limbs) = self.module.as_const(amount) {
            let far = limbs[0] >= u64::from(width) || limbs[1..].iter().any(|limb| *limb != 0);
            match (far, op) {
                (false, _) if limbs[0] == 0 => self.set(node, NodeOp::Wire, vec![value]),
                (false, _) => {}
                (true, NodeOp::AShr) => {
                    let sign = self.push(node, NodeOp::Slice { lo: 0 }, vec![value], 1);
                    self.slice(sign, value, width - 1);
                    let sign = self.resolve(sign);
                    self.set(node, NodeOp::SExt, vec![sign]);
                    if width == 1 {
                        self.set(node, NodeOp::Wire, vec![sign]);
                    }
                }
                (true, _) => self.set_constant(node, &[0]),
            }
            return;
        }
        let amount_width = self.width(amount);
        let most_bits = self.language.shift_amount_bits;
        if amount_width <= most_bits {
            return;
        }
        let low = self.push(node, NodeOp::Slice { lo: 0 }, vec![amount], most_bits);
        self.slice(low, amount, 0);
        let high_width = amount_width - most_bits;
        let high_op = NodeOp::Slice { lo: most_bits };
        let high = self.push(node, high_op, vec![amount], high_width);
        self.slice(high, amount, most_bits);
        let (low, high) = (self.resolve(low), self.resolve(high));
        let far = match high_width {
            1 => high,
            _ => self.push(node, NodeOp::ReduceOr, vec![high], 1),
        };
        let near_result = self.push(node, op.clone(), vec![value, low], width);
        let far_result = match op {
            NodeOp::AShr => {
                // One less than the width gives nothing but sign bits.
                let most = self.constant(node, u64::from(width) - 1, most_bits);
                self.push(node, NodeOp::AShr, vec![value, most], width)
            }
            _ => self.constant(node, 0, width),
        };
        self.set(node, NodeOp::Mux, vec![far, far_result, near_result]);
    }

    /// `a < b` of one bit is `!a && b`.
    fn order_of_bits(&mut self, node: Node, op: &NodeOp, args: &[Node]) {
        let result = match op {
            NodeOp::Ult => NodeOp::And,
            NodeOp::Ule => NodeOp::Or,
            _ => return,
        };
        let not = match self.module.nodes[args[0]].op {
            NodeOp::Not => self.module.nodes[args[0]].args[0],
            _ => self.push(node, NodeOp::Not, vec![args[0]], 1),
        };
        self.set(node, result, vec![not, args[1]]);
    }

    /// `!(a == b)` is `a != b`, and so on.
    fn negate(&mut self, node: Node, arg: Node, uses: &SecondaryMap<Node, u32>) {
        let data = self.module.nodes[arg].clone();
        if data.name.is_some() || uses[arg] > 1 {
            return;
        }
        let (op, swap) = match data.op {
            NodeOp::ReduceOr => {
                let zero = self.constant(node, 0, self.width(data.args[0]));
                return self.set(node, NodeOp::Eq, vec![data.args[0], zero]);
            }
            NodeOp::Eq => (NodeOp::Ne, false),
            NodeOp::Ne => (NodeOp::Eq, false),
            NodeOp::Ult => (NodeOp::Ule, true),
            NodeOp::Ule => (NodeOp::Ult, true),
            NodeOp::Slt => (NodeOp::Sle, true),
            NodeOp::Sle => (NodeOp::Slt, true),
            _ => return,
        };
        let mut args = data.args;
        if swap {
            args.reverse();
        }
        self.set(node, op, args);
    }

    /// A wire and what drives it want the same name: then they are one signal.
    fn unify_wires(&mut self) {
        let mut into: SecondaryMap<Node, Option<Node>> = SecondaryMap::new();
        for (wire, data) in self.module.nodes.iter() {
            if data.op == NodeOp::Wire && data.name.is_some() {
                let driver = self.resolve(data.args[0]);
                let leaf = matches!(
                    self.module.nodes[driver].op,
                    NodeOp::Reg(_) | NodeOp::Input(_)
                );
                if self.module.nodes[driver].name == data.name && !leaf && into[driver].is_none() {
                    into[driver] = Some(wire);
                }
            }
        }
        for driver in self.module.nodes.keys().collect::<Vec<_>>() {
            if into[driver].is_some() {
                self.module.nodes[driver].name = None;
            }
        }
        let mut is_unified: SecondaryMap<Node, bool> = SecondaryMap::new();
        for (driver, wire) in into.iter() {
            if let Some(wire) = *wire {
                is_unified[wire] = true;
                self.module.nodes[wire].args[0] = driver;
            }
        }
        let redirect = |node: Node| into[node].unwrap_or(node);
        for (node, data) in self.module.nodes.iter_mut() {
            if !is_unified[node] {
                data.args.iter_mut().for_each(|arg| *arg = redirect(*arg));
            }
        }
        self.module.for_each_root(|root| *root = redirect(*root));
    }

    fn skip_unnamed_wires(&mut self) {
        let mut behind: SecondaryMap<Node, Node> = SecondaryMap::with_default(Node::from_u32(0));
        for node in self.module.nodes.keys() {
            behind[node] = self.resolve(node);
        }
        for data in self.module.nodes.values_mut() {
            data.args.iter_mut().for_each(|arg| *arg = behind[*arg]);
        }
        self.module.for_each_root(|root| *root = behind[*root]);
    }
}

/// Whether a memory gets words up to a power of two, so that reads need no range check: where that is cheap.
fn pads_to_power_of_two(style: MemStyle, depth: u32, width: u32) -> bool {
    let full = 1u64 << address_bits(depth);
    let little = full <= u64::from(depth) + u64::from(depth) / 8;
    let one_primitive = match style {
        // Half a block RAM: 18 kbit.
        MemStyle::Auto | MemStyle::Block | MemStyle::Ultra => full * u64::from(width) <= 18 * 1024,
        // A LUT holds 64 bits.
        MemStyle::Distributed => full <= 64,
        MemStyle::Registers => false,
    };
    little || one_primitive
}
