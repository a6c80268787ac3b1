//! What can be written to.

use super::node::Node;
use super::{ir, Lower, Made};
use crate::typed::{Expression, ExpressionKind};

/// A place in a variable.
#[derive(Clone)]
pub(super) struct Place {
    variable: Option<usize>,
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Part(usize),
    /// An element that is known only when a packet comes.
    Index(ir::Value),
    /// `next` of a stack, which stands at this number.
    Next(ir::Value),
    Slice(u32, u32),
    /// From a bit on that is known only when a packet comes.
    From(ir::Value, u32),
}

impl Place {
    /// The variable, and the parts on the way: none of them is known only when a packet comes.
    pub(super) fn fixed(
        &self,
        known: impl Fn(ir::Value) -> Option<usize>,
    ) -> Option<(usize, Vec<usize>)> {
        let part = |step: &Step| match step {
            Step::Part(at) => Some(*at),
            Step::Index(at) | Step::Next(at) => known(*at),
            Step::Slice(..) | Step::From(..) => None,
        };
        let steps = self.steps.iter().map(part).collect::<Option<_>>()?;
        Some((self.variable?, steps))
    }
}

impl Lower<'_> {
    pub(super) fn place(&mut self, of: &Expression) -> Made<Place> {
        let (mut inner, step) = match &of.kind {
            ExpressionKind::Variable(number) => {
                return Ok(Place {
                    variable: Some(*number),
                    steps: Vec::new(),
                });
            }
            ExpressionKind::Field(inner, at) => (self.place(inner)?, Step::Part(*at)),
            ExpressionKind::Index(inner, at) => {
                let place = self.place(inner)?;
                let index = self.expression(at)?;
                match self.known(&index) {
                    Some(at) => (place, Step::Part(usize::try_from(at).unwrap_or(usize::MAX))),
                    None => {
                        let width = self.width(&at.of);
                        (place, Step::Index(self.bits(&index, width)))
                    }
                }
            }
            ExpressionKind::Slice(inner, high, low) => {
                (self.place(inner)?, Step::Slice(*high, *low))
            }
            ExpressionKind::Part(inner, low, width) => {
                let place = self.place(inner)?;
                let low = self.expression(low)?;
                (place, Step::From(self.bits(&low, 32), *width))
            }
            ExpressionKind::Next(inner) => {
                let place = self.place(inner)?;
                let Node::Stack(next, items) = self.read(&place) else {
                    return self.refuse(of.span, "this is no stack");
                };
                let size = self.number(items.len(), 32);
                let is_over = self.op(ir::Op::Ule, &[size, next], 1);
                self.reject_if(is_over, "StackOutOfBounds");
                (place, Step::Next(next))
            }
            ExpressionKind::Last(inner) => {
                let place = self.place(inner)?;
                let last = self.last_index(&place)?;
                (place, Step::Index(last))
            }
            _ => {
                return Ok(Place {
                    variable: None,
                    steps: Vec::new(),
                });
            }
        };
        inner.steps.push(step);
        Ok(inner)
    }

    /// The number of the last element of a stack that was read.
    pub(super) fn last_index(&mut self, place: &Place) -> Made<ir::Value> {
        let Node::Stack(next, _) = self.read(place) else {
            return Ok(self.number(0u32, 32));
        };
        let is_empty = self.is(next, 0);
        self.reject_if(is_empty, "StackOutOfBounds");
        let one = self.number(1u32, 32);
        Ok(self.op(ir::Op::Sub, &[next, one], 32))
    }

    /// What stands there.
    pub(super) fn read(&mut self, place: &Place) -> Node {
        let Some(variable) = place.variable else {
            return Node::Void;
        };
        let mut whole = self.variable(variable).as_ref().clone();
        for step in &place.steps {
            whole = match step {
                Step::Part(at) => match whole.parts().get(*at) {
                    Some(part) => part.clone(),
                    None => self.nothing_like(&whole),
                },
                Step::Index(at) | Step::Next(at) => self.element(&whole, *at),
                Step::Slice(high, low) => {
                    let bits = self.bits(&whole, *high + 1);
                    Node::Bits(self.slice(bits, *low, high - low + 1))
                }
                Step::From(low, width) => {
                    let bits = self.bits(&whole, *width);
                    Node::Bits(self.cut_from(bits, *low, *width))
                }
            };
        }
        whole
    }

    /// So many bits from a place on.
    pub(super) fn cut_from(&mut self, bits: ir::Value, low: ir::Value, width: u32) -> ir::Value {
        let whole = self.ir.width(bits);
        let shifted = self.op(ir::Op::LShr, &[bits, low], whole);
        self.slice(shifted, 0, width)
    }

    /// An element by a number that is known only when a packet comes; one that is not there is nothing.
    pub(super) fn element(&mut self, whole: &Node, at: ir::Value) -> Node {
        let mut found = self.nothing_like(whole);
        for (number, part) in whole.parts().to_vec().into_iter().enumerate() {
            let is_it = self.is(at, number as u64);
            found = self.choose(is_it, &part, &found);
        }
        found
    }

    /// One of two trees of the same shape.
    pub(super) fn choose(&mut self, condition: ir::Value, yes: &Node, no: &Node) -> Node {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        yes.leaves(&mut first);
        no.leaves(&mut second);
        if let (Node::Integer(_), Node::Bits(value)) | (Node::Bits(value), Node::Integer(_)) =
            (yes, no)
        {
            let width = self.ir.width(*value);
            let (one, other) = (self.bits(yes, width), self.bits(no, width));
            return Node::Bits(self.select(condition, one, other));
        }
        let mut result = yes.clone();
        if first.len() != second.len() {
            return result;
        }
        let values: Vec<ir::Value> = first
            .into_iter()
            .zip(second)
            .map(|(one, other)| self.select(condition, one, other))
            .collect();
        let mut leaves = Vec::new();
        result.leaves_mut(&mut leaves);
        for (leaf, value) in leaves.into_iter().zip(values) {
            *leaf = value;
        }
        result
    }

    /// Like the first element, with nothing in it.
    pub(super) fn nothing_like(&mut self, stack: &Node) -> Node {
        let Some(mut node) = stack.parts().first().cloned() else {
            return Node::Void;
        };
        let mut count = Vec::new();
        node.leaves(&mut count);
        let zeros: Vec<ir::Value> = count
            .into_iter()
            .map(|leaf| {
                let width = self.ir.width(leaf);
                self.number(0u32, width)
            })
            .collect();
        let mut leaves = Vec::new();
        node.leaves_mut(&mut leaves);
        for (leaf, zero) in leaves.into_iter().zip(zeros) {
            *leaf = zero;
        }
        node
    }

    /// Writes what stands there.
    pub(super) fn write(&mut self, place: &Place, node: Node) {
        let Some(variable) = place.variable else {
            return;
        };
        let whole = self.variable(variable);
        let stored = self.stored(&whole, &place.steps, node);
        self.env.set(variable, stored);
    }

    fn stored(&mut self, whole: &Node, steps: &[Step], node: Node) -> Node {
        let Some((step, behind)) = steps.split_first() else {
            return node;
        };
        match step {
            Step::Slice(high, low) => {
                let bits = self.bits(whole, high + 1);
                let width = self.ir.width(bits);
                // Bits of bits.
                let part = Node::Bits(self.slice(bits, *low, high - low + 1));
                let node = self.stored(&part, behind, node);
                let put = self.bits(&node, high - low + 1);
                let put = self.zext(put, high - low + 1);
                let mut parts = Vec::new();
                if high + 1 < width {
                    parts.push(self.slice(bits, high + 1, width - high - 1));
                }
                parts.push(put);
                if *low > 0 {
                    parts.push(self.slice(bits, 0, *low));
                }
                Node::Bits(self.concat(&parts))
            }
            Step::From(low, wide) => {
                let bits = self.bits(whole, *wide);
                let width = self.ir.width(bits);
                let part = Node::Bits(self.cut_from(bits, *low, *wide));
                let node = self.stored(&part, behind, node);
                let put = self.bits(&node, *wide);
                let (put, ones) = (
                    self.zext(put, width),
                    self.number((num_bigint::BigInt::from(1) << *wide) - 1, width),
                );
                let put = self.op(ir::Op::Shl, &[put, *low], width);
                let mask = self.op(ir::Op::Shl, &[ones, *low], width);
                let keeps = self.not(mask);
                let kept = self.op(ir::Op::And, &[bits, keeps], width);
                Node::Bits(self.op(ir::Op::Or, &[kept, put], width))
            }
            Step::Part(at) => self.stored_part(whole, *at, behind, node, None),
            Step::Index(at) | Step::Next(at) => {
                if let Some(known) = self.constant(*at) {
                    let at = usize::try_from(known).unwrap_or(usize::MAX);
                    return self.stored_part(whole, at, behind, node, None);
                }
                let mut result = whole.clone();
                for number in 0..whole.parts().len() {
                    let is_it = self.is(*at, number as u64);
                    result = self.stored_part(&result, number, behind, node.clone(), Some(is_it));
                }
                result
            }
        }
    }

    fn stored_part(
        &mut self,
        whole: &Node,
        at: usize,
        behind: &[Step],
        node: Node,
        when: Option<ir::Value>,
    ) -> Node {
        let mut result = whole.clone();
        let Some(before) = whole.parts().get(at).cloned() else {
            return result;
        };
        let mut after = self.stored(&before, behind, node);
        // What is written to a header that is not valid changes nothing (§8.17).
        let valid = match whole {
            Node::Header(valid, _) => Some(*valid),
            _ => None,
        };
        for condition in [valid, when].into_iter().flatten() {
            after = self.choose(condition, &after, &before);
        }
        if let Node::Union(_) = whole {
            // A whole header that is put there takes the place of all others, valid or not.
            let taken = match (&after, behind.is_empty()) {
                (_, true) => when.unwrap_or_else(|| self.number(1u32, 1)),
                (Node::Header(valid, _), false) => *valid,
                _ => self.number(0u32, 1),
            };
            for (other, header) in result.parts_mut().iter_mut().enumerate() {
                if let (true, Node::Header(valid, fields)) = (other != at, &*header) {
                    let none = self.number(0u32, 1);
                    let kept = self.select(taken, none, *valid);
                    *header = Node::Header(kept, fields.clone());
                }
            }
        }
        if let Some(part) = result.parts_mut().get_mut(at) {
            *part = after;
        }
        result
    }

    /// Behind an extract into `next`, that is the one behind it.
    pub(super) fn advance_next(&mut self, place: &Place) {
        let next = place
            .steps
            .iter()
            .rposition(|step| matches!(step, Step::Next(_)));
        let (Some(last), true) = (next, place.variable.is_some()) else {
            return;
        };
        let stack = Place {
            variable: place.variable,
            steps: place.steps[..last].to_vec(),
        };
        if let (Node::Stack(_, items), Step::Next(at)) = (self.read(&stack), &place.steps[last]) {
            let one = self.number(1u32, 32);
            let next = self.add(*at, one);
            self.write(&stack, Node::Stack(next, items));
        }
    }
}
