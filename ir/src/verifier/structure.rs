//! The rules of the structured phase: loops, functions, whole operations.

use super::{At, Check};
use crate::graph::{Graph, Nesting, MAX_DEPTH};
use crate::structure::{Function, MAX_RANGE};
use crate::{Block, InstData, Op, Phase, Program, Terminator};
use std::collections::HashSet;

impl Check<'_> {
    /// Rules 13 to 15.
    pub(super) fn structure(&mut self) {
        let program = self.program;
        let is_structured = program.phase == Phase::Structured;
        if let Some(function) = program.functions.keys().next().filter(|_| !is_structured) {
            self.error(
                14,
                At::Function(function),
                "only a structured program has functions",
            );
        }
        for (function, order) in program.orders() {
            self.loops(order);
            self.returns(function, order);
        }
        self.names();
        self.recursion();
        for (block, inst) in program.insts_in_order() {
            let data = &program.insts[inst];
            let alone = || vec![String::from("only a structured program has this")];
            let (rule, messages) = match data.op {
                Op::Call(_) if !is_structured => (14, alone()),
                Op::Whole(_) if !is_structured => (15, alone()),
                Op::Call(function) => (14, call_errors(program, data, function)),
                Op::Whole(whole) if !(1..=MAX_RANGE).contains(&whole.up_to()) => {
                    let bytes = whole.up_to();
                    (
                        15,
                        vec![format!("{bytes} is not between 1 and {MAX_RANGE} bytes")],
                    )
                }
                _ => continue,
            };
            for message in messages {
                self.error(rule, At::Inst(block, inst), message);
            }
        }
    }

    /// Rule 1, for the function that an operation calls.
    pub(super) fn callee_exists(&mut self, place: At, op: &Op) {
        if let Op::Call(function) = *op {
            let data = self.program.functions.get(function);
            match data.map(|data| data.order.first()) {
                None => self.error(1, place, format!("{function} does not exist")),
                Some(entry) if !entry.is_some_and(|block| self.program.blocks.is_valid(*block)) => {
                    self.error(1, place, format!("{function} has no entry"));
                }
                Some(_) => {}
            }
        }
    }

    /// Rules 1 and 2, for where the blocks of one order go.
    pub(super) fn targets_are_inside(&mut self, order: &[Block]) {
        let program = self.program;
        let inside: HashSet<Block> = order.iter().copied().collect();
        for &block in order
            .iter()
            .filter(|block| program.blocks.is_valid(**block))
        {
            for target in program.blocks[block].terminator.targets() {
                if !inside.contains(&target.block) {
                    let place = At::End(block);
                    self.error(1, place, format!("{} is not in the order", target.block));
                }
            }
        }
    }

    /// Rule 13.
    fn loops(&mut self, order: &[Block]) {
        let program = self.program;
        if program.phase != Phase::Structured {
            for &block in order
                .iter()
                .filter(|block| program.blocks[**block].bound.is_some())
            {
                self.error(13, At::Block(block), "only a structured program has loops");
            }
            return;
        }
        let graph = Graph::new(program, order);
        let dominators = graph.dominators();
        let mut gone_back = vec![false; order.len()];
        for (from, targets) in graph.successors.iter().enumerate() {
            for &to in targets.iter().filter(|to| **to <= from) {
                gone_back[to] = true;
                // What nothing leads to goes nowhere.
                let is_entry_only = dominators.dominates(to, from) || !dominators.is_reached(from);
                let place = At::End(order[from]);
                let head = order[to];
                if to == 0 {
                    self.error(13, place, format!("it goes back to {head}, the entry"));
                } else if program.blocks[head].bound.is_none() {
                    let message = format!("it goes back to {head}, which is no head of a loop");
                    self.error(13, place, message);
                } else if !is_entry_only {
                    let message = format!(
                        "it goes back to {head}, but not every path to here goes through that"
                    );
                    self.error(13, place, message);
                }
            }
        }
        let nesting = graph.nesting();
        if let Some(node) = nesting.too_deep {
            let message = format!("loops are nested more than {MAX_DEPTH} deep");
            self.error(13, At::Block(order[node]), message);
            return;
        }
        for (node, &block) in order.iter().enumerate() {
            let Some(bound) = program.blocks[block].bound else {
                continue;
            };
            if !gone_back[node] {
                let message = "it is a loop's head, and nothing goes back to it";
                self.error(13, At::Block(block), message);
            } else if bound.most().is_some()
                && dominators.is_reached(node)
                && !has_way_out(program, order, &graph, &nesting, node)
            {
                let message = "the loop has a bound, and no way out";
                self.error(13, At::Block(block), message);
            }
        }
    }

    /// Rule 14: how a function ends.
    fn returns(&mut self, function: Option<Function>, order: &[Block]) {
        let program = self.program;
        if let Some(function) = function.filter(|_| order.is_empty()) {
            self.error(14, At::Function(function), "the function has no block");
        }
        for &block in order {
            let Terminator::Return(values) = &program.blocks[block].terminator else {
                continue;
            };
            let place = At::End(block);
            let Some(function) = function else {
                self.error(14, place, "only a function returns");
                continue;
            };
            let results = &program.functions[function].results;
            if results.len() != values.len() {
                let message = format!(
                    "it returns {} values, the function has {} results",
                    values.len(),
                    results.len()
                );
                self.error(14, place, message);
            }
            for (&value, &width) in std::iter::zip(values, results) {
                self.width(14, place, "the result", value, width);
            }
        }
    }

    /// Rule 14: names.
    fn names(&mut self) {
        let program = self.program;
        let mut names = HashSet::new();
        for (function, data) in &program.functions {
            if data.name.is_empty() {
                self.error(14, At::Function(function), "the function has no name");
            }
            if !names.insert(&data.name) {
                self.error(14, At::Function(function), "two functions have this name");
            }
        }
    }

    /// Rule 14: no recursion.
    fn recursion(&mut self) {
        let program = self.program;
        let calls: Vec<Vec<usize>> = program
            .functions
            .values()
            .map(|data| callees(program, &data.order))
            .collect();
        // The program calls them all, so that all are looked at; it is no function, so nothing calls it.
        let mut graph = vec![(1..=calls.len()).collect::<Vec<usize>>()];
        graph.extend(
            calls
                .iter()
                .map(|called| called.iter().map(|to| to + 1).collect()),
        );
        let nesting = Nesting::new(&graph);
        for (index, function) in program.functions.keys().enumerate() {
            if nesting.loops[index + 1].first() == Some(&(index + 1)) {
                let message = "the function calls itself, directly or through others";
                self.error(14, At::Function(function), message);
            }
        }
    }
}

/// Whether control can leave a loop, as far as the graph says.
fn has_way_out(
    program: &Program,
    order: &[Block],
    graph: &Graph,
    nesting: &Nesting,
    head: usize,
) -> bool {
    (0..order.len()).any(|node| {
        let leaves = |to: &usize| !nesting.loops[*to].contains(&head);
        let terminator = &program.blocks[order[node]].terminator;
        let ends = matches!(terminator, Terminator::Emit { .. } | Terminator::Return(_));
        nesting.loops[node].contains(&head) && (ends || graph.successors[node].iter().any(leaves))
    })
}

/// Numbers of the functions that blocks call.
fn callees(program: &Program, order: &[Block]) -> Vec<usize> {
    let insts = order.iter().flat_map(|block| &program.blocks[*block].insts);
    let called = insts.filter_map(|inst| match program.insts[*inst].op {
        Op::Call(function) => Some(function.as_u32() as usize),
        _ => None,
    });
    called.collect()
}

/// What is wrong with the widths of a call; how many there are is rule 11's.
fn call_errors(program: &Program, data: &InstData, function: Function) -> Vec<String> {
    let mut errors = Vec::new();
    let params = program.parameters(function).iter();
    for (index, (&param, &arg)) in params.zip(&data.args).enumerate() {
        let (width, expected) = (program.width(arg), program.width(param));
        if width != expected {
            let number = index + 1;
            errors.push(format!(
                "argument {number} has a width of {width}, not of {expected}"
            ));
        }
    }
    let results = program.functions[function].results.iter();
    for (index, (&expected, &result)) in results.zip(&data.results).enumerate() {
        let width = program.width(result);
        if width != expected {
            let number = index + 1;
            errors.push(format!(
                "result {number} has a width of {width}, not of {expected}"
            ));
        }
    }
    errors
}
