//! What of a program packets can come to: the control plane sees tables that are applied and actions that are called, and nothing of what
//! only stands there.

use crate::design::{Design, Known};
use crate::source::Span;
use crate::typed::{
    Callee, Expression, ExpressionKind, FunctionKind, Part, Program, Statement, StatementKind,
    Transition,
};
use crate::types::{ObjectKind, Type};
use crate::value::Value;
use std::collections::BTreeSet;

/// What packets can come to.
#[derive(Default)]
pub(super) struct Reached {
    /// Parsers and controls of `main`, by their places in the design, each with those that it applies behind it.
    pub(super) roots: Vec<Vec<usize>>,
    /// Tables: the control, and the place in the program.
    pub(super) tables: BTreeSet<(usize, usize)>,
    /// Actions that are called, or that such a table has: the control in which that is done, and the place in the program.
    pub(super) actions: BTreeSet<(usize, usize)>,
    /// Actions that a table has: those that are only called get all that they are given from the program.
    pub(super) of_tables: BTreeSet<usize>,
    /// Value sets: the parser, and the place in the program.
    pub(super) value_sets: BTreeSet<(usize, usize)>,
    /// Calls of functions that are declared only: which, with the types that they are given.
    pub(super) calls: Vec<(usize, Vec<Type>, Span)>,
}

/// Goes through all that `main` is made of.
pub(super) fn reached(program: &Program, design: &Design) -> Reached {
    let mut walk = Walk {
        program,
        design,
        reached: Reached::default(),
        seen: BTreeSet::new(),
        functions: BTreeSet::new(),
        object: 0,
        in_body: false,
    };
    // Packages may be in packages: first all that stands in the first one.
    let mut packages = std::collections::VecDeque::from([design.main]);
    let mut roots = Vec::new();
    while let Some(package) = packages.pop_front() {
        for argument in design.objects[package].arguments.iter().flatten() {
            let Known::Object(number) = argument else {
                continue;
            };
            match design.objects[*number].kind {
                ObjectKind::Package => packages.push_back(*number),
                ObjectKind::Parser | ObjectKind::Control => roots.push(*number),
                ObjectKind::Extern => {}
            }
        }
    }
    let mut listed = BTreeSet::new();
    for root in roots {
        walk.block(root);
        let mut blocks = Vec::new();
        walk.list(root, &mut listed, &mut blocks);
        walk.reached.roots.push(blocks);
    }
    walk.reached
}

impl Reached {
    /// All parsers and controls.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.roots.iter().flatten().copied()
    }
}

struct Walk<'a> {
    program: &'a Program,
    design: &'a Design,
    reached: Reached,
    seen: BTreeSet<usize>,
    /// Bodies that were gone through, for this object.
    functions: BTreeSet<(usize, usize)>,
    /// Where we are.
    object: usize,
    /// In a function or an action.
    in_body: bool,
}

impl Walk<'_> {
    fn block(&mut self, number: usize) {
        let object = &self.design.objects[number];
        let (true, Some(block)) = (self.seen.insert(number), object.block) else {
            return;
        };
        let block = &self.program.blocks[block];
        let before = std::mem::replace(&mut self.object, number);
        self.statements(&block.locals);
        self.statements(&block.apply);
        for state in &block.states {
            self.statements(&state.statements);
            if let Transition::Select { values, cases } = &state.next {
                values.iter().for_each(|value| self.expression(value));
                for (sets, _) in cases {
                    sets.iter().for_each(|set| self.set(set));
                }
            }
        }
        self.object = before;
    }

    /// A parser or control that was gone through, and those that it makes, in the order of the program.
    fn list(&self, number: usize, listed: &mut BTreeSet<usize>, blocks: &mut Vec<usize>) {
        if !self.seen.contains(&number) || !listed.insert(number) {
            return;
        }
        blocks.push(number);
        let object = &self.design.objects[number];
        let block = object.block.map(|block| &self.program.blocks[block]);
        for instance in block.iter().flat_map(|block| &block.instances) {
            if let Some(inner) = object.inner.get(instance) {
                self.list(*inner, listed, blocks);
            }
        }
    }

    fn set(&mut self, set: &crate::typed::Set) {
        if let crate::typed::Set::Named(number) = set {
            self.reached.value_sets.insert((self.object, *number));
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|one| self.statement(one));
    }

    fn statement(&mut self, statement: &Statement) {
        if let StatementKind::If(condition, yes, no) = &statement.kind {
            match condition.known() {
                Some(Value::Bool(true)) => return self.statements(yes),
                Some(Value::Bool(false)) => return self.statements(no),
                _ => {}
            }
        }
        for part in statement.parts() {
            match part {
                Part::Value(value) => self.expression(value),
                Part::Body(body) => self.statements(body),
            }
        }
    }

    fn expression(&mut self, of: &Expression) {
        of.parts()
            .into_iter()
            .for_each(|part| self.expression(part));
        match &of.kind {
            ExpressionKind::Apply(table) => self.table(*table),
            ExpressionKind::Call(call) => self.call(&call.callee, &call.types, of.span),
            _ => {}
        }
    }

    fn call(&mut self, callee: &Callee, types: &[Type], span: Span) {
        match callee {
            Callee::Function(number) => {
                let function = &self.program.functions[*number];
                if function.body.is_none() {
                    self.reached.calls.push((*number, types.to_vec(), span));
                    return;
                }
                if function.kind == FunctionKind::Action && !self.in_body {
                    self.reached.actions.insert((self.object, *number));
                }
                self.body(*number);
            }
            Callee::Apply(of) => {
                if let Some(number) = named(self.design, self.object, of) {
                    self.block(number);
                }
            }
            Callee::Method(of, _)
            | Callee::IsValid(of)
            | Callee::SetValid(of, _)
            | Callee::Push(of, _)
            | Callee::Pop(of, _) => self.expression(of),
        }
    }

    /// What is done in a function or an action; actions that an action calls are part of it.
    fn body(&mut self, number: usize) {
        if !self.functions.insert((self.object, number)) {
            return;
        }
        let before = std::mem::replace(&mut self.in_body, true);
        if let Some(body) = &self.program.functions[number].body {
            self.statements(body);
        }
        self.in_body = before;
    }

    fn table(&mut self, number: usize) {
        if !self.reached.tables.insert((self.object, number)) {
            return;
        }
        let table = &self.program.tables[number];
        table
            .keys
            .iter()
            .for_each(|key| self.expression(&key.value));
        for action in &table.actions {
            self.reached.actions.insert((self.object, action.action));
            self.reached.of_tables.insert(action.action);
            self.body(action.action);
        }
    }
}

/// The parser, control or extern that an expression of an object's body names.
pub(super) fn named(design: &Design, around: usize, of: &Expression) -> Option<usize> {
    let object = &design.objects[around];
    match &of.kind {
        ExpressionKind::Object(number) => object.inner.get(number).copied().or_else(|| {
            // One that is made outside of everything.
            let mut objects = design.objects.iter();
            objects.position(|object| object.instance == *number)
        }),
        ExpressionKind::Variable(number) => match object.made.get(number) {
            Some(Known::Object(number)) => Some(*number),
            _ => None,
        },
        _ => None,
    }
}
