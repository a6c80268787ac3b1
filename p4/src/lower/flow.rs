//! Where control goes, and what variables are when ways meet.

use super::exclusion::Past;
use super::kept::Read;
use super::node::Node;
use super::{ir, Lower, Made};
use hardpath_ir::{Target, Terminator};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Beside variables: what of a packet is known, by these numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Slot {
    /// What a body returns, or the error that a parser ends with.
    Result,
    /// Up to where the packet was read, in bytes, 16 bits.
    Cursor,
    /// Where the packet begins, in bytes from where it came in, 16 bits with a sign.
    Begin,
    /// The packet goes on, 1 bit.
    Forwarded,
    /// Which way, 2 bits.
    Class,
    /// The number of the port or queue, 32 bits.
    Index,
    /// Nothing of the packet is changed, 1 bit.
    AsItCame,
    /// A checksum was wrong, 1 bit.
    ChecksumFailed,
    /// The last parser has rejected the packet, 1 bit.
    Rejected,
    /// What a function of the architecture has left, 8 bits.
    Noted,
    /// The packet is cut, 1 bit, behind so many bytes, 32 bits.
    Truncate,
    /// What an object of an extern holds while a packet is there.
    Object(usize),
    /// A header that was emitted: whether it was, and its bytes.
    Out(usize),
    /// A variable.
    Variable(usize),
    /// What a header was when it was read.
    Read(usize),
}

/// What all of them are, on one way.
#[derive(Clone, Default)]
pub(super) struct Env {
    nodes: BTreeMap<Slot, Rc<Node>>,
    /// What is behind it, where tables share a memory.
    pub past: Past,
    /// The headers that were read.
    pub read: Read,
}

impl Env {
    pub fn get(&self, variable: usize) -> Option<Rc<Node>> {
        self.slot(Slot::Variable(variable))
    }

    pub fn set(&mut self, variable: usize, node: Node) {
        self.put(Slot::Variable(variable), node);
    }

    pub fn slot(&self, slot: Slot) -> Option<Rc<Node>> {
        self.nodes.get(&slot).cloned()
    }

    pub fn put(&mut self, slot: Slot, node: Node) {
        self.nodes.insert(slot, Rc::new(node));
    }

    pub fn take(&mut self, slot: Slot) -> Option<Rc<Node>> {
        self.nodes.remove(&slot)
    }

    /// Headers that were emitted, in their order.
    pub fn emitted(&self) -> Vec<usize> {
        let slots = self.nodes.keys().filter_map(|slot| match slot {
            Slot::Out(number) => Some(*number),
            _ => None,
        });
        slots.collect()
    }
}

/// A way that ends in a block, and what is known there.
pub(super) struct Edge {
    block: ir::Block,
    env: Env,
}

impl Edge {
    /// Where it ends, and what is behind it.
    pub fn end(&self) -> (ir::Block, &Past) {
        (self.block, &self.env.past)
    }
}

/// What a parameter is on one way.
#[derive(PartialEq, Eq, Hash)]
enum Same {
    Value(ir::Value),
    Constant(ir::Bits),
}

/// Parameters of a block that ways lead to, by their width and what they are on all ways.
type Params = HashMap<(u32, Vec<Same>), ir::Value>;

/// Ways that leave a call before its end.
#[derive(Default)]
pub(super) struct Frame {
    pub returns: Vec<Edge>,
    pub exits: Vec<Edge>,
    pub rejects: Vec<Edge>,
    pub breaks: Vec<Edge>,
    pub continues: Vec<Edge>,
}

impl Lower<'_> {
    /// Before anything has happened.
    pub(super) fn begin(&mut self) {
        for (slot, width) in [
            (Slot::Cursor, 16),
            (Slot::Begin, 16),
            (Slot::Forwarded, 1),
            (Slot::Class, 2),
            (Slot::Index, 32),
            (Slot::AsItCame, 1),
            (Slot::ChecksumFailed, 1),
            (Slot::Rejected, 1),
            (Slot::Noted, 8),
        ] {
            let zero = self.number(0u32, width);
            self.env.put(slot, Node::Bits(zero));
        }
        let (cuts, length) = (self.number(0u32, 1), self.number(0u32, 32));
        let truncate = Node::Parts(vec![Node::Bits(cuts), Node::Bits(length)]);
        self.env.put(Slot::Truncate, truncate);
    }

    /// A value of one of these slots.
    pub(super) fn slot(&mut self, slot: Slot) -> ir::Value {
        match self.env.slot(slot).as_deref() {
            Some(Node::Bits(value)) => *value,
            _ => self.number(0u32, 1),
        }
    }

    pub(super) fn put(&mut self, slot: Slot, value: ir::Value) {
        self.env.put(slot, Node::Bits(value));
    }

    /// The way that is being written ends here, to go on where it is put.
    pub(super) fn leave(&mut self) -> Option<Edge> {
        let edge = (!self.dead).then(|| Edge {
            block: self.block,
            env: self.env.clone(),
        });
        self.dead = true;
        self.block = self.ir.make_block();
        edge
    }

    /// Goes on where all of these ways meet.
    pub(super) fn meet(&mut self, mut edges: Vec<Edge>) {
        match edges.len() {
            0 => {
                self.dead = true;
                self.block = self.ir.make_block();
            }
            1 => {
                let edge = edges.pop().expect("there is one");
                self.dead = false;
                self.block = edge.block;
                self.env = edge.env;
            }
            _ => self.join(edges),
        }
    }

    fn join(&mut self, edges: Vec<Edge>) {
        let joined = self.ir.make_block();
        let mut args: Vec<Vec<ir::Value>> = edges.iter().map(|_| Vec::new()).collect();
        self.keep_known(&edges);
        let mut env = Env {
            past: Past::joined(edges.iter().map(|edge| &edge.env.past)),
            read: Read::joined(edges.iter().map(|edge| &edge.env.read)),
            ..Env::default()
        };
        let mut slots: Vec<Slot> = edges
            .iter()
            .flat_map(|edge| edge.env.nodes.keys().copied())
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots.retain(|slot| match slot {
            Slot::Read(place) => env.read.knows(*place),
            _ => true,
        });
        let mut params = Params::new();
        let mut edges = edges;
        for slot in slots {
            // What one way has not come to is zero there.
            let shape = edges
                .iter()
                .find_map(|edge| edge.env.slot(slot))
                .expect("one has it");
            let nodes: Vec<Rc<Node>> = edges
                .iter_mut()
                .map(|edge| match edge.env.slot(slot) {
                    Some(node) => node,
                    None => Rc::new(self.zero_like_in(&shape, edge.block)),
                })
                .collect();
            let node = match nodes.iter().all(|node| Self::is_same(node, &nodes[0])) {
                true => nodes[0].clone(),
                false => Rc::new(self.joined(joined, &nodes, (&mut args, &mut params))),
            };
            env.nodes.insert(slot, node);
        }
        for (edge, args) in edges.into_iter().zip(args) {
            let target = Target {
                block: joined,
                args,
            };
            self.ir.blocks[edge.block].terminator = Terminator::Jump(target);
        }
        self.dead = false;
        self.block = joined;
        self.env = env;
    }

    /// One tree of several, with parameters of the block where they differ.
    fn joined(
        &mut self,
        block: ir::Block,
        nodes: &[Rc<Node>],
        (args, params): (&mut [Vec<ir::Value>], &mut Params),
    ) -> Node {
        let mut all: Vec<Vec<ir::Value>> = Vec::new();
        for node in nodes {
            let mut leaves = Vec::new();
            node.leaves(&mut leaves);
            all.push(leaves);
        }
        let mut result = nodes[0].as_ref().clone();
        let count = all[0].len();
        // Trees of a variable have one shape; lists may be of different lengths only where nobody reads them.
        if all.iter().any(|leaves| leaves.len() != count) {
            return result;
        }
        let mut leaves = Vec::new();
        result.leaves_mut(&mut leaves);
        for (at, leaf) in leaves.into_iter().enumerate() {
            let differs = all
                .iter()
                .any(|values| !self.is_same_value(values[at], *leaf));
            if differs {
                let column: Vec<ir::Value> = all.iter().map(|values| values[at]).collect();
                *leaf = self.param(block, column, args, params);
            }
        }
        // A constant of one way is not known on another one.
        self.rooted(block, &mut result);
        result
    }

    /// A parameter of a block that ways lead to, for what it is on each of them: one for all that are the same on each.
    fn param(
        &mut self,
        block: ir::Block,
        column: Vec<ir::Value>,
        args: &mut [Vec<ir::Value>],
        params: &mut Params,
    ) -> ir::Value {
        let same = column.iter().map(|value| match self.ir.as_const(*value) {
            Some(bits) => Same::Constant(bits.clone()),
            None => Same::Value(*value),
        });
        let width = self.ir.width(column[0]);
        *params.entry((width, same.collect())).or_insert_with(|| {
            for (value, args) in column.iter().zip(args) {
                args.push(*value);
            }
            self.ir.add_param(block, width)
        })
    }

    pub(super) fn is_same_value(&self, one: ir::Value, other: ir::Value) -> bool {
        one == other
            || match (self.ir.as_const(one), self.ir.as_const(other)) {
                (Some(one), Some(other)) => one == other,
                _ => false,
            }
    }

    /// Constants are made anew in a block that ways lead to.
    fn rooted(&mut self, block: ir::Block, node: &mut Node) {
        let mut leaves = Vec::new();
        node.leaves_mut(&mut leaves);
        for leaf in leaves {
            if let Some(bits) = self.ir.as_const(*leaf).cloned() {
                *leaf = self.ir.append_const(block, bits);
            }
        }
    }

    fn zero_like_in(&mut self, shape: &Node, block: ir::Block) -> Node {
        let mut node = shape.clone();
        let mut leaves = Vec::new();
        node.leaves_mut(&mut leaves);
        for leaf in leaves {
            let width = self.ir.width(*leaf);
            *leaf = self.ir.append_const(block, ir::Bits::zero(width));
        }
        node
    }

    /// Two ways, of which a condition takes one.
    pub(super) fn branch(
        &mut self,
        condition: ir::Value,
        yes: impl FnOnce(&mut Self) -> Made<()>,
        no: impl FnOnce(&mut Self) -> Made<()>,
    ) -> Made<()> {
        if let Some(bits) = self.ir.as_const(condition) {
            return match bits.is_zero() {
                true => no(self),
                false => yes(self),
            };
        }
        if self.dead {
            return Ok(());
        }
        let (first, second) = self.fork(condition);
        self.meet(vec![first]);
        yes(self)?;
        let first = self.leave();
        self.meet(vec![second]);
        no(self)?;
        let second = self.leave();
        self.meet(first.into_iter().chain(second).collect());
        Ok(())
    }

    /// Two ways from here.
    pub(super) fn fork(&mut self, condition: ir::Value) -> (Edge, Edge) {
        let (yes, no) = (self.ir.make_block(), self.ir.make_block());
        let to = |block| Target {
            block,
            args: Vec::new(),
        };
        self.ir.blocks[self.block].terminator = Terminator::Branch {
            cond: condition,
            yes: to(yes),
            no: to(no),
        };
        let edge = |block, is| {
            let mut env = self.env.clone();
            if !self.groups.is_empty() {
                env.past.learn(condition, is);
            }
            Edge { block, env }
        };
        (edge(yes, true), edge(no, false))
    }

    /// Leaves the way that is written if a condition holds, to where `keep` puts it.
    pub(super) fn leave_if(
        &mut self,
        condition: ir::Value,
        prepare: impl FnOnce(&mut Self),
        keep: impl FnOnce(&mut Frame) -> &mut Vec<Edge>,
    ) {
        match self.ir.as_const(condition).map(|bits| bits.is_zero()) {
            Some(true) => return,
            Some(false) => {
                prepare(self);
                let edge = self.leave();
                let frame = self.frames.last_mut().expect("there is one");
                keep(frame).extend(edge);
                return;
            }
            None if self.dead => return,
            None => {}
        }
        let (first, second) = self.fork(condition);
        self.meet(vec![first]);
        prepare(self);
        let edge = self.leave();
        let frame = self.frames.last_mut().expect("there is one");
        keep(frame).extend(edge);
        self.meet(vec![second]);
    }

    /// Orders blocks: each before those that it leads to.
    pub(super) fn order_blocks(&mut self) {
        let mut order = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut stack = vec![(self.entry, 0)];
        seen.insert(self.entry);
        while let Some((block, at)) = stack.pop() {
            let targets = self.ir.blocks[block].terminator.targets();
            let next = targets.get(at).map(|target| target.block);
            match next {
                Some(next) => {
                    stack.push((block, at + 1));
                    if seen.insert(next) {
                        stack.push((next, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        self.ir.order = order;
    }
}
