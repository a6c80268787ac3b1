//! Whether a packet can apply two tables that share a memory.
//!
//! Each way knows the conditions that it was taken by, and which of these tables were applied on it under which. Two of them exclude
//! each other where all conditions of both cannot hold together:
//!
//! ```text
//! if (c) { v4.apply(); } else { v6.apply(); }              no way has both
//! if (v4) { a.apply(); }   if (v6) { b.apply(); }          v4 and v6 are parameters of the block behind a parser,
//!                                                          and no way into it gives ones to both
//! ```
//!
//! Values stand for the whole packet, since nothing is written that goes round: what a value was once, it is.

use super::flow::Edge;
use super::sharing::Group;
use super::{ir, Lower, Made};
use crate::source::Span;
use hardpath_ir::{Op, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// A condition, and what it is.
pub(super) type Literal = (ir::Value, bool);
/// Conditions that hold together.
pub(super) type Literals = BTreeSet<Literal>;

/// Ways that are looked at for two tables; behind these they count as such that meet.
const MOST_WAYS: u32 = 10_000;

/// What a way has behind it.
#[derive(Clone, Default)]
pub(super) struct Past {
    holds: Literals,
    /// Tables that share a memory, where they were applied, and what held there.
    applied: BTreeMap<usize, (Span, Literals)>,
}

impl Past {
    /// A condition has become known.
    pub fn learn(&mut self, condition: ir::Value, is: bool) {
        self.holds.insert((condition, is));
    }

    /// Where several ways meet, what holds on all of them holds, and what was applied on one may have been.
    pub fn joined<'p>(mut all: impl Iterator<Item = &'p Past>) -> Past {
        let mut joined = all.next().cloned().unwrap_or_default();
        for past in all {
            joined.holds.retain(|literal| past.holds.contains(literal));
            for (table, (span, holds)) in &past.applied {
                let before = joined.applied.entry(*table);
                let (_, before) = before.or_insert_with(|| (*span, holds.clone()));
                before.retain(|literal| holds.contains(literal));
            }
        }
        joined
    }
}

impl Lower<'_> {
    /// Keeps what is known at the ends of ways that meet.
    pub(super) fn keep_known(&mut self, edges: &[Edge]) {
        if !self.groups.is_empty() {
            let ends = edges.iter().map(Edge::end);
            self.known_at
                .extend(ends.map(|(block, past)| (block, past.holds.clone())));
        }
    }

    /// A table is applied that may share its memory.
    ///
    /// # Errors
    /// A packet can have applied another one of that memory.
    pub(super) fn applied_with(&mut self, table: usize, span: Span) -> Made<()> {
        let Some(group) = Group::of(&self.groups, table).filter(|_| !self.dead) else {
            return Ok(());
        };
        let past = &self.env.past;
        let now = past.holds.clone();
        let others = group.tables.iter().filter(|other| **other != table);
        let mut others = others.filter_map(|other| Some((*other, past.applied.get(other)?)));
        let meets = others.find(|(_, (_, then))| {
            let both = then.union(&now).copied().collect();
            !self.is_impossible(both, &mut { MOST_WAYS })
        });
        if let Some((other, (place, _))) = meets {
            let names = [table, other].map(|one| self.own_name(one));
            let message = format!(
                "a packet can apply both `{}` and `{}`, which share the memory `{}`",
                names[0], names[1], group.name
            );
            let place = self.sources.place(*place);
            let help = "apply them where no packet comes to both, as in `if` and `else`, or let each have a memory of its own";
            return self.refuse_beside(
                span,
                message,
                (place, "the other one is applied here"),
                help,
            );
        }
        let applied = self.env.past.applied.entry(table);
        applied
            .and_modify(|(_, before)| before.retain(|literal| now.contains(literal)))
            .or_insert((span, now));
        Ok(())
    }

    /// Whether no packet has all of these.
    fn is_impossible(&self, literals: Literals, ways: &mut u32) -> bool {
        let mut all = Literals::new();
        for literal in literals {
            if !self.spread(literal, &mut all) {
                return true;
            }
        }
        if self.contradict(&all) {
            return true;
        }
        let params = all.iter().filter_map(|(value, _)| self.param_of(*value));
        let Some(last) = params.map(|(block, _)| block).max() else {
            return false;
        };
        if *ways == 0 {
            return false;
        }
        *ways -= 1;
        // Each way into the block gives its parameters something, and has its own conditions.
        let ends = self.ends_at(last);
        !ends.is_empty()
            && ends.into_iter().all(|(from, args)| {
                let here = all.iter().map(|(value, is)| match self.param_of(*value) {
                    Some((block, at)) if block == last => (args[at], *is),
                    _ => (*value, *is),
                });
                let known = self.known_at.get(&from).into_iter().flatten().copied();
                self.is_impossible(here.chain(known).collect(), ways)
            })
    }

    /// Adds a condition with what it is made of. `false`: it is a constant that is something else.
    fn spread(&self, (value, is): Literal, all: &mut Literals) -> bool {
        if let Some(bits) = self.ir.as_const(value) {
            return bits.is_zero() != is;
        }
        if let Some(inst) = self.ir.def_inst(value) {
            let args = &inst.args;
            match (&inst.op, is) {
                (Op::Not, _) => return self.spread((args[0], !is), all),
                (Op::And, true) | (Op::Or, false) => {
                    return args.iter().all(|arg| self.spread((*arg, is), all));
                }
                _ => {}
            }
        }
        all.insert((value, is));
        true
    }

    /// One is true and false, or a number is two constants.
    fn contradict(&self, all: &Literals) -> bool {
        let mut numbers: BTreeMap<ir::Value, &ir::Bits> = BTreeMap::new();
        all.iter().any(|(value, is)| {
            if *is && all.contains(&(*value, false)) {
                return true;
            }
            let Some((number, constant)) = self.equality(*value).filter(|_| *is) else {
                return false;
            };
            *numbers.entry(number).or_insert(constant) != constant
        })
    }

    /// A number that is compared with a constant.
    fn equality(&self, value: ir::Value) -> Option<(ir::Value, &ir::Bits)> {
        let inst = self.ir.def_inst(value).filter(|inst| inst.op == Op::Eq)?;
        let (one, other) = (inst.args[0], inst.args[1]);
        let constant = |value| self.ir.as_const(value);
        constant(other)
            .map(|bits| (one, bits))
            .or_else(|| Some((other, constant(one)?)))
    }

    fn param_of(&self, value: ir::Value) -> Option<(ir::Block, usize)> {
        match self.ir.values[value].def {
            ValueDef::Param(block, at) if block != self.entry => Some((block, at as usize)),
            _ => None,
        }
    }

    /// Blocks that lead to this one, with what they give it.
    fn ends_at(&self, block: ir::Block) -> Vec<(ir::Block, &[ir::Value])> {
        let mut ends = Vec::new();
        for (from, data) in self.ir.blocks.iter() {
            for target in data.terminator.targets() {
                if target.block == block {
                    ends.push((from, &target.args[..]));
                }
            }
        }
        ends
    }
}
