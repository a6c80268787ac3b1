//! Parsers (§13). A state becomes a block for each place that stacks have come to at least when it begins: so parsers that go round a stack
//! are written out, and end where the stack does. Others that go round are refused.

use super::flow::{Edge, Slot};
use super::node::Node;
use super::{ir, Lower, Made};
use crate::source::Span;
use crate::typed::{
    Block, Callee, Expression, ExpressionKind, Set, State, Statement, StatementKind, Target,
    Transition,
};
use crate::types::Type;
use std::collections::BTreeMap;

/// Rounds of a parser that no stack bounds.
const MOST_ROUNDS: u32 = 16;
/// Blocks that a parser may become.
const MOST_NODES: usize = 20_000;

/// A stack: its variable, and the fields on the way to it.
type StackPath = (usize, Vec<usize>);

/// A state, with where each stack stands at least, and how often it was come to with the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Here {
    state: usize,
    stacks: Vec<u32>,
    round: u32,
}

impl Lower<'_> {
    /// A parser, from its state `start`.
    pub(super) fn states(&mut self, block: &Block) -> Made<()> {
        let mut graph = Graph::of(self, block);
        let start = Here {
            state: block
                .states
                .iter()
                .position(|state| state.name == "start")
                .unwrap_or(0),
            stacks: graph.begin.clone(),
            round: 0,
        };
        let order = match graph.order(&start) {
            Ok(order) => order,
            Err(state) => {
                let span = block.states[state].span;
                let message = "this parser goes round, and no stack says how often";
                return self.refuse(span, message);
            }
        };
        let mut edges: BTreeMap<Here, Vec<Edge>> = BTreeMap::new();
        let begin = self.leave();
        edges.entry(start).or_default().extend(begin);
        let mut accepted: Vec<Edge> = Vec::new();
        for here in order {
            let incoming = edges.remove(&here).unwrap_or_default();
            if incoming.is_empty() {
                continue;
            }
            self.meet(incoming);
            let state = &block.states[here.state];
            self.statements(&state.statements)?;
            self.transition(state, &here, &graph, &mut edges, &mut accepted)?;
        }
        self.meet(accepted);
        Ok(())
    }

    fn transition(
        &mut self,
        state: &State,
        here: &Here,
        graph: &Graph,
        edges: &mut BTreeMap<Here, Vec<Edge>>,
        accepted: &mut Vec<Edge>,
    ) -> Made<()> {
        if self.dead {
            return Ok(());
        }
        let goes = |all: &mut Self,
                    target: Target,
                    edges: &mut BTreeMap<Here, Vec<Edge>>,
                    accepted: &mut Vec<Edge>| match target {
            Target::Accept => accepted.extend(all.leave()),
            Target::Reject => all.reject("NoError"),
            Target::State(next) => match graph.behind(here, next) {
                Some(next) => edges.entry(next).or_default().extend(all.leave()),
                // No packet comes here: the stack was full before.
                None => all.reject("StackOutOfBounds"),
            },
        };
        let (values, cases) = match &state.next {
            Transition::To(target) => {
                goes(self, *target, edges, accepted);
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
                    goes(self, *target, edges, accepted);
                    return Ok(());
                }
                None => {}
            }
            let (yes, no) = self.fork(takes);
            self.meet(vec![yes]);
            goes(self, *target, edges, accepted);
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

/// Which states a parser goes through, with where its stacks stand.
struct Graph<'a> {
    block: &'a Block,
    stacks: Vec<(StackPath, u32)>,
    /// Where they stand when the parser begins, at least.
    begin: Vec<u32>,
    /// By state: how it moves each stack.
    moves: Vec<Vec<Moved>>,
    next: BTreeMap<(Here, usize), Here>,
}

impl<'a> Graph<'a> {
    fn of(lower: &mut Lower, block: &'a Block) -> Graph<'a> {
        let mut paths: Vec<StackPath> = Vec::new();
        for state in &block.states {
            for statement in &state.statements {
                extracts(statement, &mut |path| {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                });
            }
        }
        let mut stacks = Vec::new();
        let mut begin = Vec::new();
        for path in paths {
            let mut node = lower.variable(path.0).as_ref().clone();
            for step in &path.1 {
                node = node.parts().get(*step).cloned().unwrap_or(Node::Void);
            }
            if let Node::Stack(next, items) = &node {
                let next = lower
                    .constant(*next)
                    .and_then(|next| u32::try_from(next).ok());
                begin.push(next.unwrap_or(0));
                stacks.push((path, items.len() as u32));
            }
        }
        let moves = block
            .states
            .iter()
            .map(|state| {
                stacks
                    .iter()
                    .map(|(path, _)| {
                        let mut by = Moved::default();
                        moved(&state.statements, path, &mut by);
                        by
                    })
                    .collect()
            })
            .collect();
        Graph {
            block,
            stacks,
            begin,
            moves,
            next: BTreeMap::new(),
        }
    }

    /// Where a state goes on.
    fn behind(&self, here: &Here, state: usize) -> Option<Here> {
        self.next.get(&(here.clone(), state)).cloned()
    }

    /// All of them, each before those that come behind it. An error is a state that goes round without end.
    fn order(&mut self, start: &Here) -> Result<Vec<Here>, usize> {
        let mut order = Vec::new();
        let mut done: std::collections::BTreeSet<Here> = Default::default();
        let mut path: Vec<(Here, Vec<usize>)> = vec![(start.clone(), self.targets(start.state))];
        while let Some((here, targets)) = path.last_mut() {
            let here = here.clone();
            let Some(target) = targets.pop() else {
                path.pop();
                if done.insert(here.clone()) {
                    order.push(here);
                }
                continue;
            };
            let Some(stacks) = self.moved(&here) else {
                // It always ends here, out of a stack.
                continue;
            };
            let mut next = Here {
                state: target,
                stacks,
                round: 0,
            };
            // One that is on the way here comes again.
            while path.iter().any(|(on_way, _)| *on_way == next) {
                next.round += 1;
            }
            if next.round > MOST_ROUNDS || done.len() > MOST_NODES {
                return Err(target);
            }
            self.next.insert((here, target), next.clone());
            if !done.contains(&next) {
                let targets = self.targets(next.state);
                path.push((next, targets));
            }
        }
        order.reverse();
        Ok(order)
    }

    fn targets(&self, state: usize) -> Vec<usize> {
        let of = |target: &Target| match target {
            Target::State(next) => Some(*next),
            _ => None,
        };
        let mut all: Vec<usize> = match &self.block.states[state].next {
            Transition::To(target) => of(target).into_iter().collect(),
            Transition::Select { cases, .. } => {
                cases.iter().filter_map(|(_, target)| of(target)).collect()
            }
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where stacks stand behind a state at least; `None`: it never gets to its end.
    fn moved(&self, here: &Here) -> Option<Vec<u32>> {
        let stacks = self.stacks.iter().enumerate().map(|(at, (_, size))| {
            let moved = self.moves[here.state][at];
            let before = if moved.anywhere { 0 } else { here.stacks[at] };
            Some(before + moved.by).filter(|after| after <= size)
        });
        stacks.collect()
    }
}

/// How far a state moves a stack.
#[derive(Clone, Copy, Default)]
struct Moved {
    /// To wherever, before that.
    anywhere: bool,
    /// So many items at least.
    by: u32,
}

impl Moved {
    const ANYWHERE: Moved = Moved {
        anywhere: true,
        by: 0,
    };
}

/// The stack that an expression is, where that is always the same one.
fn path_of(of: &Expression) -> Option<StackPath> {
    match &of.kind {
        ExpressionKind::Variable(number) => Some((*number, Vec::new())),
        ExpressionKind::Field(inner, at) => {
            let (variable, mut steps) = path_of(inner)?;
            steps.push(*at);
            Some((variable, steps))
        }
        ExpressionKind::Index(inner, at) => {
            let (variable, mut steps) = path_of(inner)?;
            steps.push(crate::fold::index(at.known()?)?);
            Some((variable, steps))
        }
        _ => None,
    }
}

/// The stack into whose `next` something is extracted.
fn next_of(of: &Expression) -> Option<StackPath> {
    match &of.kind {
        ExpressionKind::Next(inner) => path_of(inner),
        ExpressionKind::Field(inner, _) => next_of(inner),
        _ => None,
    }
}

/// All stacks into which a statement extracts.
fn extracts(statement: &Statement, found: &mut impl FnMut(StackPath)) {
    match &statement.kind {
        StatementKind::Call(call) => {
            if let ExpressionKind::Call(call) = &call.kind {
                for argument in call.arguments.iter().flatten() {
                    if let Some(path) = next_of(argument) {
                        found(path);
                    }
                }
            }
        }
        StatementKind::Block(all) => all.iter().for_each(|one| extracts(one, found)),
        StatementKind::If(_, yes, no) => yes.iter().chain(no).for_each(|one| extracts(one, found)),
        _ => {}
    }
}

/// How statements move a stack, behind what was before them.
fn moved(all: &[Statement], path: &StackPath, by: &mut Moved) {
    for statement in all {
        match &statement.kind {
            StatementKind::Call(Expression {
                kind: ExpressionKind::Call(call),
                ..
            }) => match &call.callee {
                Callee::Push(of, _) | Callee::Pop(of, _) => {
                    if path_of(of).is_none_or(|other| touches(&other, path)) {
                        *by = Moved::ANYWHERE;
                    }
                }
                _ => {
                    for argument in call.arguments.iter().flatten() {
                        if next_of(argument).as_ref() == Some(path) {
                            by.by += 1;
                        } else if path_of(argument).is_some_and(|other| touches(&other, path)) {
                            *by = Moved::ANYWHERE;
                        }
                    }
                }
            },
            StatementKind::Assign(to, _)
                if path_of(to).is_some_and(|other| touches(&other, path)) =>
            {
                *by = Moved::ANYWHERE;
            }
            StatementKind::Block(inner) => moved(inner, path, by),
            StatementKind::If(_, yes, no) => {
                let mut other = *by;
                moved(yes, path, by);
                moved(no, path, &mut other);
                by.anywhere |= other.anywhere;
                by.by = by.by.min(other.by);
            }
            _ => {}
        }
    }
}

/// What is written there can be the stack, or have it in it.
fn touches(written: &StackPath, path: &StackPath) -> bool {
    written.0 == path.0 && path.1.starts_with(&written.1)
}
