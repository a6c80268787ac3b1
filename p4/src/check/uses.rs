//! Where a program reads and writes what: variables, and the fields of structs, headers and unions by their types, in whatever order it
//! comes to them. What it asks for is seldom meant to be there where nobody gives it, and the other way round.

use crate::ast::Direction;
use crate::source::Span;
use crate::typed::{
    Block, Call, Callee, Expression, ExpressionKind, Function, Parameter, Part, Program, Set,
    Statement, StatementKind, Table, Transition, VariableKind,
};
use crate::types::{RecordKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// What is read and written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// A field, of a record's type; a stack with all its headers.
    Field(usize, usize),
    /// A variable or a parameter.
    Variable(usize),
}

/// What becomes of one, in the order of the walk.
#[derive(Default)]
pub(super) struct Uses {
    /// Reads of itself.
    pub read: Vec<Span>,
    /// It is read, perhaps with all around it.
    pub is_read: bool,
    /// Writes of itself.
    pub written: Vec<Span>,
    /// It is written, perhaps with all around it; a header: it is made valid.
    pub is_written: bool,
    /// Of a header: reads and writes of its fields.
    pub fields: Vec<Span>,
    /// Of a header: where it is taken from packets.
    pub extracted: Vec<Span>,
    /// Of a header: it is put into packets.
    pub is_emitted: bool,
    /// Of a header: somebody makes it invalid.
    pub is_taken_out: bool,
}

/// All of a program.
pub(super) struct AllUses {
    pub by_place: BTreeMap<Place, Uses>,
    /// Tables that are applied.
    pub applied: BTreeSet<usize>,
    /// What an architecture refuses, where that depends on values: the statement, and what is asked.
    pub refused: Vec<(Span, Vec<Place>)>,
}

impl AllUses {
    pub fn of(program: &Program) -> AllUses {
        let mut walk = Walk {
            program,
            uses: AllUses {
                by_place: BTreeMap::new(),
                applied: BTreeSet::new(),
                refused: Vec::new(),
            },
            noted: Vec::new(),
        };
        for (number, variable) in program.variables.iter().enumerate() {
            // Whoever calls gives it a value.
            let is_out = variable.kind == VariableKind::Parameter(Direction::Out);
            if variable.kind != VariableKind::Local && !is_out {
                walk.at(Place::Variable(number)).is_written = true;
            }
        }
        program.blocks.iter().for_each(|one| walk.block(one));
        program.functions.iter().for_each(|one| walk.function(one));
        program.tables.iter().for_each(|one| walk.table(one));
        let made = program.instances.iter();
        let arguments = made.flat_map(|one| one.arguments.iter().flatten());
        arguments.for_each(|one| walk.value(one));
        walk.uses
    }
}

/// What is done with something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Read,
    Write,
    /// It goes in and comes out again.
    Both,
    Emit,
}

struct Walk<'a> {
    program: &'a Program,
    uses: AllUses,
    /// All that was come to.
    noted: Vec<Place>,
}

impl Walk<'_> {
    fn at(&mut self, place: Place) -> &mut Uses {
        self.uses.by_place.entry(place).or_default()
    }

    fn block(&mut self, block: &Block) {
        self.statements(&block.locals);
        self.statements(&block.apply);
        for state in &block.states {
            self.statements(&state.statements);
            if let Transition::Select { values, cases } = &state.next {
                values.iter().for_each(|value| self.value(value));
                let sets = cases.iter().flat_map(|(sets, _)| sets);
                sets.for_each(|set| self.set(set));
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.statements(function.body.as_deref().unwrap_or_default());
        // What the control plane gives an action comes whole.
        for parameter in function.data_parameters() {
            self.parts(&parameter.of, Does::Write);
        }
    }

    fn table(&mut self, table: &Table) {
        table.keys.iter().for_each(|key| self.value(&key.value));
        for listed in &table.actions {
            let parameters = &self.program.functions[listed.action].parameters;
            for (parameter, bound) in parameters.iter().zip(&listed.bound) {
                if let Some(bound) = bound {
                    self.given(bound, parameter, true);
                }
            }
        }
        let entries = table.entries.iter();
        let sets = entries.clone().flat_map(|entry| &entry.keys);
        sets.for_each(|set| self.set(set));
        let calls = entries.map(|entry| &entry.action).chain(&table.default);
        let arguments = calls.flat_map(|call| &call.arguments);
        arguments.for_each(|argument| self.value(argument));
        table
            .properties
            .iter()
            .for_each(|one| self.value(&one.value));
    }

    fn set(&mut self, set: &Set) {
        match set {
            Set::All | Set::Named(_) => {}
            Set::One(one) => self.value(one),
            Set::Mask(one, other) | Set::Range(one, other) => {
                self.value(one);
                self.value(other);
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|one| self.statement(one));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign(left, right) => {
                self.value(right);
                return self.place(left, Does::Write);
            }
            StatementKind::Update(left, _, right) => {
                self.value(right);
                return self.place(left, Does::Both);
            }
            StatementKind::If(condition, yes, no) => {
                let before = self.noted.len();
                self.value(condition);
                if let Some(span) = self.refuses(yes) {
                    let asked = self.noted[before..].to_vec();
                    self.uses.refused.push((span, asked));
                }
                self.statements(yes);
                return self.statements(no);
            }
            StatementKind::Declare(variable, Some(_))
            | StatementKind::ForRange { variable, .. }
            | StatementKind::ForEach { variable, .. } => {
                self.at(Place::Variable(*variable)).is_written = true;
            }
            _ => {}
        }
        for part in statement.parts() {
            match part {
                Part::Value(value) => self.value(value),
                Part::Body(body) => self.statements(body),
            }
        }
    }

    /// Where one of these statements refuses what there is no hardware for.
    fn refuses(&self, statements: &[Statement]) -> Option<Span> {
        statements.iter().find_map(|statement| {
            let of = match &statement.kind {
                StatementKind::Call(of) => of,
                StatementKind::Block(inner) => return self.refuses(inner),
                _ => return None,
            };
            let ExpressionKind::Call(call) = &of.kind else {
                return None;
            };
            let Callee::Function(number) = call.callee else {
                return None;
            };
            let is_it = self.program.functions[number].name == "hardpath_refuse";
            is_it.then_some(of.span)
        })
    }

    /// Its value is asked for.
    fn value(&mut self, of: &Expression) {
        match &of.kind {
            ExpressionKind::Variable(_)
            | ExpressionKind::Field(..)
            | ExpressionKind::Index(..)
            | ExpressionKind::Slice(..)
            | ExpressionKind::Part(..)
            | ExpressionKind::Next(_)
            | ExpressionKind::Last(_) => self.place(of, Does::Read),
            ExpressionKind::LastIndex(inner) => self.way(inner),
            ExpressionKind::Value(_) => self.parts(&of.of, Does::Write),
            ExpressionKind::Apply(table) => {
                self.uses.applied.insert(*table);
            }
            ExpressionKind::Call(call) => {
                self.call(call);
                self.parts(&of.of, Does::Write);
            }
            _ => {
                of.parts().into_iter().for_each(|part| self.value(part));
                if let ExpressionKind::Parts(_) | ExpressionKind::PartsIn(..) = &of.kind {
                    self.parts(&of.of, Does::Write);
                }
            }
        }
    }

    /// Something is done with what an expression names.
    fn place(&mut self, of: &Expression, does: Does) {
        let inner = match &of.kind {
            ExpressionKind::Index(inner, at) | ExpressionKind::Part(inner, at, _) => {
                self.value(at);
                inner
            }
            ExpressionKind::Slice(inner, ..)
            | ExpressionKind::Next(inner)
            | ExpressionKind::Last(inner) => inner,
            ExpressionKind::Variable(_) | ExpressionKind::Field(..) => {
                self.note(of, does);
                return self.parts(&of.of, does);
            }
            ExpressionKind::Ignored => return,
            _ => return self.value(of),
        };
        self.place(inner, does);
    }

    /// The same of itself, and not of what is in it.
    fn note(&mut self, of: &Expression, does: Does) {
        if let ExpressionKind::Field(inner, _) = &of.kind {
            let own = self.of_header(inner);
            if let Some(header) = own.and_then(named) {
                self.at(header).fields.push(of.span);
            }
            self.way(inner);
        }
        let Some(place) = named(of) else { return };
        self.noted.push(place);
        let uses = self.at(place);
        if does == Does::Emit {
            uses.is_emitted = true;
        }
        if matches!(does, Does::Read | Does::Both | Does::Emit) {
            uses.read.push(of.span);
            uses.is_read = true;
        }
        if matches!(does, Does::Write | Does::Both) {
            uses.written.push(of.span);
            uses.is_written = true;
        }
    }

    /// It, if it is a header.
    fn of_header<'e>(&self, of: &'e Expression) -> Option<&'e Expression> {
        let is_header = self.program.types.is_record(&of.of, RecordKind::Header);
        is_header.then_some(of)
    }

    /// It stands on the way to what is used.
    fn way(&mut self, of: &Expression) {
        match &of.kind {
            ExpressionKind::Variable(_) => {}
            ExpressionKind::Field(inner, _)
            | ExpressionKind::Next(inner)
            | ExpressionKind::Last(inner) => self.way(inner),
            ExpressionKind::Index(inner, at) => {
                self.value(at);
                self.way(inner);
            }
            _ => self.value(of),
        }
    }

    /// The same is done with all parts of a type.
    fn parts(&mut self, of: &Type, does: Does) {
        match of {
            Type::Record(number) => {
                let fields = &self.program.types.records[*number].fields;
                for (at, field) in fields.iter().enumerate() {
                    let uses = self.at(Place::Field(*number, at));
                    uses.is_read |= does != Does::Write;
                    uses.is_written |= matches!(does, Does::Write | Does::Both);
                    uses.is_emitted |= does == Does::Emit;
                    self.parts(&field.of, does);
                }
            }
            Type::Stack(of, _) | Type::List(of) => self.parts(of, does),
            Type::Tuple(all) => all.iter().for_each(|of| self.parts(of, does)),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let program = self.program;
        let (parameters, is_own): (&[Parameter], bool) = match &call.callee {
            Callee::Function(number) => {
                let called = program.called(*number);
                // What takes types is looked at without them.
                let is_own = called.body.is_some() && called.types.is_empty();
                (&program.functions[*number].parameters, is_own)
            }
            Callee::Method(_, number) => {
                let method = &program.functions[*number];
                self.packet(method, call);
                (&method.parameters, false)
            }
            Callee::Apply(of) => match &of.of {
                Type::Object(number, _) => {
                    let object = &program.objects[*number];
                    (&object.parameters, true)
                }
                _ => (&[], true),
            },
            Callee::IsValid(of) | Callee::Pop(of, _) | Callee::Push(of, _) => {
                return self.way(of);
            }
            Callee::SetValid(of, is_valid) => {
                self.way(of);
                if let Some(place) = named(of) {
                    let uses = self.at(place);
                    uses.is_written |= is_valid;
                    uses.is_taken_out |= !is_valid;
                }
                return;
            }
        };
        for (at, argument) in call.in_order() {
            match parameters.get(at) {
                Some(parameter) => self.given(argument, parameter, is_own),
                None => self.value(argument),
            }
        }
    }

    /// What methods of packets do with headers, beside what their parameters say.
    fn packet(&mut self, method: &Function, call: &Call) {
        let Some(Some(header)) = call.arguments.first() else {
            return;
        };
        match method.own_name() {
            "emit" => self.place(header, Does::Emit),
            "extract" => {
                if let Some(place) = named(header) {
                    self.at(place).extracted.push(header.span);
                }
            }
            _ => {}
        }
    }

    /// A parameter is given something. `is_own`: what is done with its parts is seen where it is called.
    fn given(&mut self, argument: &Expression, parameter: &Parameter, is_own: bool) {
        let does = match parameter.direction {
            Direction::Out => Does::Write,
            Direction::InOut => Does::Both,
            Direction::In | Direction::None => Does::Read,
        };
        let types = &self.program.types;
        let is_struct = types.is_record(&argument.of, RecordKind::Struct);
        match named(argument) {
            Some(_) if is_own && is_struct => self.note(argument, does),
            Some(_) => self.place(argument, does),
            None => self.value(argument),
        }
        // A header that is handed on has another name there.
        if is_own && !is_struct {
            self.place(argument, Does::Emit);
        }
    }
}

/// The field or variable that an expression names, or names a part of.
pub(super) fn named(of: &Expression) -> Option<Place> {
    match &of.kind {
        ExpressionKind::Variable(number) => Some(Place::Variable(*number)),
        ExpressionKind::Field(inner, at) => match &inner.of {
            Type::Record(number) => Some(Place::Field(*number, *at)),
            _ => None,
        },
        ExpressionKind::Index(inner, _)
        | ExpressionKind::Next(inner)
        | ExpressionKind::Last(inner)
        | ExpressionKind::Slice(inner, ..)
        | ExpressionKind::Part(inner, ..) => named(inner),
        _ => None,
    }
}
