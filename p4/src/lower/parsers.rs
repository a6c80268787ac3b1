//! Parsers (§13). A state becomes a block for each place that stacks have come to at least when it begins: so parsers that go round a stack
//! are written out, and end where the stack does. Others become a block for each place in the packet, to a depth, where that is known, so
//! that all that is read stands at a fixed place; or else for each time that they have gone back.

use super::flow::{Edge, Slot};
use super::node::Node;
use super::{ir, Lower, Made};
use crate::loops::{self, Bound, Loops};
use crate::source::Span;
use crate::typed::{Set, State, Target, Transition};
use crate::types::Type;
use std::collections::BTreeMap;

/// Blocks that a parser may become.
const MOST_NODES: usize = 20_000;

/// A state, with what the parser has moved on so far. In their order, each comes before those that it leads to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Here {
    /// Of those that it goes round with.
    round: usize,
    /// What bounds it is how often it has gone back: where it is in the packet is not known, or of no use.
    is_counted: bool,
    /// How far stacks have moved in sum, where in the packet it is, or how often it has gone back: what bounds it.
    step: u32,
    /// Among those of one step.
    place: usize,
    state: usize,
    /// Where each stack stands at least, of those that bound it.
    stacks: Vec<u32>,
}

/// A parser while it becomes blocks.
struct Walk<'p> {
    loops: &'p Loops,
    /// How many items each stack has, of those that bound it.
    sizes: Vec<u32>,
    /// States that are still to be written.
    open: BTreeMap<Here, Vec<Edge>>,
    accepted: Vec<Edge>,
}

impl<'p> Lower<'p> {
    /// A parser, from its state `start`.
    pub(super) fn states(&mut self, block: usize) -> Made<()> {
        let states = &self.program.blocks[block].states;
        let (mut walk, start) = self.walk(block);
        let begin = self.leave();
        walk.open.entry(start).or_default().extend(begin);
        let mut nodes = 0;
        while let Some((here, incoming)) = walk.open.pop_first() {
            let state = &states[here.state];
            nodes += 1;
            if nodes > MOST_NODES {
                let message = "this parser has too many ways";
                return self.refuse_with(state.span, message, "look less deep: --depth 64");
            }
            self.meet(incoming);
            self.statements(&state.statements)?;
            self.transition(state, &here, &mut walk)?;
        }
        self.meet(walk.accepted);
        Ok(())
    }

    /// A parser before its first state.
    fn walk(&mut self, block: usize) -> (Walk<'p>, Here) {
        let loops = &self.design.loops[block];
        let (mut sizes, mut stacks) = (Vec::new(), Vec::new());
        let bounding = match loops.bound {
            Bound::Stacks => &loops.stacks[..],
            // Where packets say how often it goes round, stacks would only multiply that.
            Bound::Place | Bound::Count => &[],
        };
        for path in bounding {
            let mut node = self.variable(path.0).as_ref().clone();
            for step in &path.1 {
                node = node.parts().get(*step).cloned().unwrap_or(Node::Void);
            }
            let (size, next) = match &node {
                Node::Stack(next, items) => (items.len() as u32, self.constant(*next)),
                _ => (u32::MAX, None),
            };
            sizes.push(size);
            let next = next.and_then(|next| u32::try_from(next).ok());
            stacks.push(next.unwrap_or(0));
        }
        let walk = Walk {
            loops,
            sizes,
            open: BTreeMap::new(),
            accepted: Vec::new(),
        };
        let first = loops::start(&self.program.blocks[block].states);
        let start = walk.here(first, stacks, 0, self.read_so_far());
        (walk, start)
    }

    /// How far it has read, in bytes, where that is known.
    fn read_so_far(&mut self) -> Option<u32> {
        let (cursor, begin) = (self.slot(Slot::Cursor), self.slot(Slot::Begin));
        let read = self.op(ir::Op::Sub, &[cursor, begin], 16);
        self.constant(read)
            .and_then(|read| u32::try_from(read).ok())
    }

    /// Goes on with a target.
    fn goes(&mut self, target: Target, here: &Here, walk: &mut Walk<'_>) {
        let state = match target {
            Target::Accept => return walk.accepted.extend(self.leave()),
            Target::Reject => return self.reject("NoError"),
            Target::State(state) => state,
        };
        let is_back = walk.loops.is_back(here.state, state);
        if is_back {
            self.is_before(self.design.depth);
        }
        let Some(stacks) = walk.behind(here) else {
            // No packet comes here: the stack was full before.
            return self.reject("StackOutOfBounds");
        };
        let before = if here.is_counted { here.step } else { 0 };
        let back = before + u32::from(is_back);
        if back > self.design.depth {
            return self.reject("ParserTimeout");
        }
        let next = walk.here(
            state,
            stacks,
            back,
            self.read_so_far().filter(|_| !here.is_counted),
        );
        walk.open.entry(next).or_default().extend(self.leave());
    }

    fn transition(&mut self, state: &State, here: &Here, walk: &mut Walk<'_>) -> Made<()> {
        if self.dead {
            return Ok(());
        }
        let (values, cases) = match &state.next {
            Transition::To(target) => {
                self.goes(*target, here, walk);
                return Ok(());
            }
            Transition::Select { values, cases } => (values, cases),
        };
        let mut nodes = Vec::new();
        for value in values {
            nodes.push((self.expression(value)?, value.of.clone()));
        }
        for (sets, target) in cases {
            let takes = self.takes_all(sets, &nodes, state.span)?;
            match self.ir.as_const(takes).map(|bits| bits.is_zero()) {
                Some(true) => continue,
                Some(false) => {
                    self.goes(*target, here, walk);
                    return Ok(());
                }
                None => {}
            }
            let (yes, no) = self.fork(takes);
            self.meet(vec![yes]);
            self.goes(*target, here, walk);
            self.meet(vec![no]);
        }
        self.reject("NoMatch");
        Ok(())
    }

    fn takes_all(&mut self, sets: &[Set], nodes: &[(Node, Type)], span: Span) -> Made<ir::Value> {
        if let [Set::Named(number)] = sets {
            return self.set_has(*number, nodes, span);
        }
        let mut all = self.number(1u32, 1);
        for (set, (node, of)) in sets.iter().zip(nodes) {
            let takes = self.takes(set, node, of, span)?;
            all = self.and(all, takes);
        }
        Ok(all)
    }

    /// §8.16.
    pub(super) fn takes(
        &mut self,
        set: &Set,
        node: &Node,
        of: &Type,
        span: Span,
    ) -> Made<ir::Value> {
        Ok(match set {
            Set::All => self.number(1u32, 1),
            Set::One(one) => {
                let one = self.expression(one)?;
                self.same(node, &one)
            }
            Set::Mask(one, mask) => {
                let (one, mask) = (self.value(one)?, self.value(mask)?);
                self.masked(node, of, one, mask)
            }
            Set::Range(low, high) => {
                let (low, high) = (self.value(low)?, self.value(high)?);
                self.between(node, of, low, high)
            }
            Set::Named(number) => {
                return self.set_has(*number, &[(node.clone(), of.clone())], span);
            }
        })
    }

    /// §13.11: whether the control plane has put these values into a set.
    fn set_has(&mut self, number: usize, nodes: &[(Node, Type)], span: Span) -> Made<ir::Value> {
        let program = self.program;
        let set = &program.value_sets[number];
        let mut pieces = Vec::new();
        for (node, of) in nodes {
            let width = self.width(of);
            if width == 0 {
                return self.refuse(span, "what a value set holds has bits");
            }
            pieces.push(self.bits(node, width));
        }
        pieces.reverse();
        let key = self.concat(&pieces);
        let bytes = self.ir.width(key).div_ceil(8);
        let key = self.zext(key, bytes * 8);
        let map = match self.value_sets.get(&(self.this, number)) {
            Some(map) => *map,
            None => {
                let design = self.design;
                let object = &design.objects[self.this];
                let size = crate::design::evaluate(program, &set.size, &object.made);
                let size = match size {
                    Ok(crate::design::Known::Value(value)) => crate::fold::index(&value),
                    _ => None,
                };
                let own = crate::design::name_of(&set.annotations, &set.name);
                let name = crate::design::joined(&object.name, &own);
                let entries = size.unwrap_or(1).clamp(1, 1 << 16) as u32;
                let mut decl =
                    hardpath_ir::MapDecl::new(&name, hardpath_ir::Find::Exact, (bytes, 1), entries);
                decl.packets_write = false;
                decl.outside = "value set".into();
                let map = self.ir.maps.push(decl);
                self.value_sets.insert((self.this, number), map);
                map
            }
        };
        Ok(self.effect(ir::Op::MapLookup(map), &[key], &[1, 32])[0])
    }

    /// The bits of a mask are the same.
    pub(super) fn masked(
        &mut self,
        node: &Node,
        of: &Type,
        one: ir::Value,
        mask: ir::Value,
    ) -> ir::Value {
        let width = self.width(of);
        let bits = self.bits(node, width);
        let a = self.op(ir::Op::And, &[bits, mask], width);
        let b = self.op(ir::Op::And, &[one, mask], width);
        self.equal(a, b)
    }

    pub(super) fn between(
        &mut self,
        node: &Node,
        of: &Type,
        low: ir::Value,
        high: ir::Value,
    ) -> ir::Value {
        let width = self.width(of);
        let bits = self.bits(node, width);
        let op = match self.program.types.number_type(of) {
            Type::Int(_) => ir::Op::Sle,
            _ => ir::Op::Ule,
        };
        let from = self.op(op.clone(), &[low, bits], 1);
        let to = self.op(op, &[bits, high], 1);
        self.and(from, to)
    }

    /// Rejects what has been read to this depth, in bytes. Then it is known where it can be.
    fn is_before(&mut self, depth: u32) {
        let (cursor, begin) = (self.slot(Slot::Cursor), self.slot(Slot::Begin));
        let read = self.op(ir::Op::Sub, &[cursor, begin], 16);
        let end = self.number(depth, 16);
        let is_deep = self.op(ir::Op::Ule, &[end, read], 1);
        self.reject_if(is_deep, "ParserTimeout");
        let bits = u32::BITS - (depth - 1).leading_zeros();
        let read = self.slice(read, 0, bits.max(1));
        let read = self.zext(read, 16);
        let cursor = self.add(begin, read);
        self.put(Slot::Cursor, cursor);
    }

    /// The parser ends with an error.
    pub(super) fn reject(&mut self, error: &str) {
        let yes = self.number(1u32, 1);
        self.reject_if(yes, error);
    }

    pub(super) fn reject_if(&mut self, condition: ir::Value, error: &str) {
        let errors = &self.program.types.errors;
        let number = errors.iter().position(|name| name == error).unwrap_or(0);
        let width = self.width(&Type::Error);
        self.leave_if(
            condition,
            |all| {
                let number = all.number(number, width);
                all.put(Slot::Result, number);
            },
            |frame| &mut frame.rejects,
        );
    }
}

impl Walk<'_> {
    /// Where stacks stand behind a state at least; `None`: it never gets to its end.
    fn behind(&self, here: &Here) -> Option<Vec<u32>> {
        let stacks = self.sizes.iter().enumerate().map(|(at, size)| {
            let moved = self.loops.moves[here.state][at];
            let before = if moved.anywhere { 0 } else { here.stacks[at] };
            Some(before + moved.by).filter(|after| after <= size)
        });
        stacks.collect()
    }

    /// A state with where it is come to.
    fn here(&self, state: usize, stacks: Vec<u32>, back: u32, read: Option<u32>) -> Here {
        let loops = self.loops;
        let (is_counted, step, place) = match (loops.bound, read) {
            (Bound::Stacks, _) => (false, stacks.iter().sum(), loops.still[state]),
            (Bound::Place, Some(read)) => (false, read, loops.still[state]),
            (Bound::Place, None) => (true, back, loops.place(state)),
            (Bound::Count, _) => (true, back, loops.place(state)),
        };
        Here {
            round: loops.round[state],
            is_counted,
            step,
            place,
            state,
            stacks,
        }
    }
}
