//! Tables and actions, value sets, and the headers that packets from and to the control plane have.

use super::annotations::{find, tokens, Fields};
use super::message::Message;
use super::symbols::{parts, Kind};
use super::types::padded;
use super::{Maker, Thing};
use crate::ast::{Annotation, AnnotationBody, Direction, ExpressionKind as Written};
use crate::design::{evaluate, Known};
use crate::lexer::TokenKind;
use crate::source::Span;
use crate::typed::{self, ActionCall, Expression};
use crate::types::{RecordKind, Type};
use crate::value::Value;
use num_bigint::BigInt;

/// The size of a table that says none.
const SIZE: i64 = 1024;

const MATCH_FIELD: Fields = Fields::new(3, 9, Some(6));

/// Kinds of matches that P4Info has numbers for.
const MATCHES: [(&str, (u32, &str)); 5] = [
    ("exact", (2, "EXACT")),
    ("lpm", (3, "LPM")),
    ("ternary", (4, "TERNARY")),
    ("range", (5, "RANGE")),
    ("optional", (6, "OPTIONAL")),
];

impl<'a> Maker<'a> {
    /// `Table`.
    pub(super) fn table(&mut self, number: usize, thing: &Thing) -> Message {
        let program = self.program;
        let place = &self.design.tables[number];
        let table = &program.tables[place.table];
        let message = Message::new().message(1, "preamble", self.preamble(thing, &[]));
        let message = self.keys(message, table);
        let message = self.table_actions(message, place.object, table);
        let size = table.size.as_ref();
        let size = size.and_then(|size| self.known_number(place.object, size));
        let size = size.filter(|size| *size != 0).unwrap_or(SIZE);
        let message = message
            .number(8, "size", size)
            .flag(10, "is_const_table", table.entries_are_constant)
            .flag(11, "has_initial_entries", !table.entries.is_empty());
        self.table_objects(message, number, table)
    }

    fn keys(&mut self, mut message: Message, table: &typed::Table) -> Message {
        let of: Vec<(&[Annotation], Span)> = table
            .keys
            .iter()
            .map(|key| (key.annotations.as_slice(), key.value.span))
            .collect();
        let numbers = parts(&of, self.sources, &mut self.errors);
        for (key, id) in table.keys.iter().zip(numbers) {
            // It goes into the choice of a member, and into no entry.
            if key.kind == "selector" {
                continue;
            }
            let name = self.key_name(key);
            let Some(name) = name else {
                let text = "the control plane has no name for this key";
                let help = "give it one: `@name(\"…\")` behind the kind of the match";
                self.refuse::<()>(key.value.span, text, help);
                continue;
            };
            let field = Message::new()
                .number(1, "id", id)
                .text_of(2, "name", &name)
                .number(4, "bitwidth", self.width(&key.value.of));
            let mut field = with_match(field, &key.kind);
            if let Some(name) = self.type_name(&key.value.of) {
                field = field.message(8, "type_name", name);
            }
            let field = self.annotated(field, &key.annotations, MATCH_FIELD, &[]);
            message = message.message(2, "match_fields", field);
        }
        message
    }

    /// The actions of a table, with the one that is done when nothing matches.
    fn table_actions(
        &mut self,
        mut message: Message,
        object: usize,
        table: &typed::Table,
    ) -> Message {
        for one in &table.actions {
            let reference = self.action_reference(object, one.action, &one.annotations);
            message = message.message(3, "action_refs", reference);
        }
        let default = match &table.default {
            Some(call) => {
                let one = table.actions.get(call.action);
                one.map(|one| (one.action, Some(call)))
            }
            None => self.no_action().map(|number| (number, None)),
        };
        let Some((number, call)) = default else {
            return message;
        };
        let id = self
            .symbols
            .id(Kind::Action, &self.action_name(object, number));
        // A table that says nothing of it does nothing, which is no action of its entries then.
        if table.actions.iter().all(|one| one.action != number) {
            let reference = Message::new().number(1, "id", id);
            let reference = reference.member(3, "scope", (2, "DEFAULT_ONLY"));
            let reference = reference.chosen_text(2, "annotations", "@defaultonly");
            message = message.message(3, "action_refs", reference);
        }
        if table.default_is_constant {
            message = message.number(4, "const_default_action_id", id);
        }
        let mut first = Message::new().number(1, "action_id", id);
        for argument in self.arguments(object, number, call) {
            first = first.message(4, "arguments", argument);
        }
        message.message(5, "initial_default_action", first)
    }

    /// An action in the list of a table, `ActionRef`.
    fn action_reference(&mut self, object: usize, number: usize, said: &[Annotation]) -> Message {
        let name = self.action_name(object, number);
        let (only_table, only_default) = (find(said, "tableonly"), find(said, "defaultonly"));
        let scope = match (only_table, only_default) {
            (Some(_), None) => (1, "TABLE_ONLY"),
            (None, Some(_)) => (2, "DEFAULT_ONLY"),
            (None, None) => (0, "TABLE_AND_DEFAULT"),
            (Some(_), Some(annotation)) => {
                let text = "an action is for entries only or for the default only";
                let help = "leave one of the annotations out";
                self.refuse::<()>(annotation.name.span, text, help);
                (0, "TABLE_AND_DEFAULT")
            }
        };
        let id = self.symbols.id(Kind::Action, &name);
        let reference = Message::new().number(1, "id", id).member(3, "scope", scope);
        self.annotated(reference, said, Fields::new(2, 4, None), &[])
    }

    /// What an action is given, each with as many bytes as the parameter has.
    pub(super) fn arguments(
        &mut self,
        object: usize,
        number: usize,
        call: Option<&ActionCall>,
    ) -> Vec<Message> {
        let Some(call) = call else {
            return Vec::new();
        };
        let parameters = self.given(number);
        let numbers = self.parameter_numbers(number, &mut Vec::new());
        let given = parameters.iter().zip(numbers);
        let mut messages = Vec::new();
        for ((parameter, id), argument) in given.zip(&call.arguments) {
            let value = self.known_value(object, argument);
            let number = match value {
                Some(Value::Number(number)) => number,
                Some(Value::Bool(value)) => BigInt::from(u8::from(value)),
                _ => continue,
            };
            let width = self.value_width(&parameter.of);
            let value = padded(&number, width);
            messages.push(
                Message::new()
                    .number(2, "param_id", id)
                    .bytes_of(3, "value", value),
            );
        }
        messages
    }

    /// The parameters of an action that the control plane gives: those behind the ones with a direction, which the program gives; it gives all
    /// of them where it calls the action itself.
    fn given(&self, action: usize) -> &'a [typed::Parameter] {
        let parameters = &self.program.functions[action].parameters;
        if !self.reached.of_tables.contains(&action) {
            return &[];
        }
        let mut places = parameters.iter();
        let first = places.position(|one| one.direction == Direction::None);
        &parameters[first.unwrap_or(parameters.len())..]
    }

    fn parameter_numbers(
        &self,
        action: usize,
        errors: &mut Vec<hardpath_diagnostic::Diagnostic>,
    ) -> Vec<u32> {
        let of = self.given(action).iter().map(|one| {
            let span = self.program.variables[one.variable].span;
            (one.annotations.as_slice(), span)
        });
        parts(&of.collect::<Vec<_>>(), self.sources, errors)
    }

    /// `Action`.
    pub(super) fn action(&mut self, number: usize, thing: &Thing) -> Message {
        let program = self.program;
        let mut message = Message::new().message(1, "preamble", self.preamble(thing, &[]));
        let mut errors = Vec::new();
        let numbers = self.parameter_numbers(number, &mut errors);
        self.errors.extend(errors);
        for (parameter, id) in self.given(number).iter().zip(numbers) {
            let own = crate::design::name_of(&parameter.annotations, &parameter.name);
            let mut written = Message::new()
                .number(1, "id", id)
                .text_of(2, "name", &own)
                .number(4, "bitwidth", self.width(&parameter.of));
            match &parameter.of {
                Type::Enum(number) if program.types.enums[*number].below.is_none() => {
                    self.type_spec(&parameter.of);
                    let name = &program.types.enums[*number].name;
                    let name = Message::new().text_of(1, "name", name);
                    written = written.message(6, "type_name", name);
                }
                Type::Bool | Type::Bit(_) | Type::Int(_) | Type::New(_) | Type::Enum(_) => {
                    if let Some(name) = self.type_name(&parameter.of) {
                        written = written.message(6, "type_name", name);
                    }
                }
                of => {
                    let text = program.types.text(of);
                    let span = program.variables[parameter.variable].span;
                    let message = format!("the control plane writes no parameter of type {text}");
                    let help = "give an action numbers, booleans and enums";
                    self.refuse::<()>(span, message, help);
                }
            }
            let fields = Fields::new(3, 7, Some(5));
            let written = self.annotated(written, &parameter.annotations, fields, &[]);
            message = message.message(2, "params", written);
        }
        message
    }

    /// `ValueSet`: a key of one number, of the fields of a struct, or of the members of an enum.
    pub(super) fn set(&mut self, number: usize, thing: &Thing) -> Message {
        let program = self.program;
        let set = &program.value_sets[number];
        let size = match set.size.known() {
            Some(Value::Number(size)) => i64::try_from(size).unwrap_or(0),
            _ => 0,
        };
        let mut message = Message::new().message(1, "preamble", self.preamble(thing, &[]));
        message = message.number(3, "size", size);
        let field = |id: u32, width: u64| {
            let field = Message::new().number(1, "id", id);
            field.number(4, "bitwidth", width as i64)
        };
        match &set.of {
            Type::Bit(width) => {
                let only = with_match(field(1, (*width).into()), "exact");
                message = message.message(2, "match", only);
            }
            Type::Record(record) if program.types.records[*record].kind == RecordKind::Struct => {
                let fields = &program.types.records[*record].fields;
                let of: Vec<(&[Annotation], Span)> = fields
                    .iter()
                    .map(|one| (one.annotations.as_slice(), one.span))
                    .collect();
                let numbers = parts(&of, self.sources, &mut self.errors);
                for (one, id) in fields.iter().zip(numbers) {
                    let Type::Bit(width) = one.of else {
                        let text = "a value set for the control plane has fields of bit<W> only";
                        self.refuse::<()>(one.span, text, "give the field such a type");
                        continue;
                    };
                    let own = crate::design::name_of(&one.annotations, &one.name);
                    let kind = find(&one.annotations, "match").and_then(word);
                    let part = field(id, width.into()).text_of(2, "name", &own);
                    let part = with_match(part, kind.as_deref().unwrap_or("exact"));
                    let part = self.annotated(part, &one.annotations, MATCH_FIELD, &["match"]);
                    message = message.message(2, "match", part);
                }
            }
            Type::Enum(number) if program.types.enums[*number].below.is_some() => {
                let of = &program.types.enums[*number];
                let below = of.below.as_ref().and_then(|of| program.types.bits(of));
                for (id, (name, _)) in (1..).zip(&of.members) {
                    let part = field(id, below.unwrap_or(0)).text_of(2, "name", name);
                    message = message.message(2, "match", with_match(part, "exact"));
                }
            }
            of => {
                let text = program.types.text(of);
                let text = format!("the control plane writes no value set of type {text}");
                let help = "it is one of bit<W>, a struct of these, or an enum with a type";
                self.refuse::<()>(set.span, text, help);
            }
        }
        message
    }

    /// `ControllerPacketMetadata`, which has the name that the annotation says.
    pub(super) fn controller_header(&mut self, number: usize, thing: &Thing) -> Message {
        let said = crate::check::text_of(&thing.annotations, "controller_header");
        let Some(name) = said else {
            let text = "`@controller_header` says which packets have this header";
            let help = "write `@controller_header(\"packet_in\")` or `(\"packet_out\")`";
            self.refuse::<()>(thing.span, text, help);
            return Message::new();
        };
        let preamble = Message::new()
            .number(1, "id", self.symbols.id(thing.kind, &thing.name))
            .text_of(2, "name", &name)
            .text_of(3, "alias", &name);
        let preamble = self.annotated(preamble, &thing.annotations, super::PREAMBLE, &[]);
        let mut message = Message::new().message(1, "preamble", preamble);
        let fields = self.flat(number);
        let of: Vec<(&[Annotation], Span)> = fields
            .iter()
            .map(|one| (one.annotations.as_slice(), one.span))
            .collect();
        let numbers = parts(&of, self.sources, &mut self.errors);
        for (field, id) in fields.iter().zip(numbers) {
            if find(&field.annotations, "hidden").is_some() {
                continue;
            }
            let mut metadata = Message::new()
                .number(1, "id", id)
                .text_of(2, "name", &field.name)
                .number(4, "bitwidth", self.width(&field.of));
            if let Some(name) = self.type_name(&field.of) {
                metadata = metadata.message(5, "type_name", name);
            }
            let own = Fields::new(3, 6, None);
            let metadata = self.annotated(metadata, &field.annotations, own, &[]);
            message = message.message(2, "metadata", metadata);
        }
        message
    }

    /// The value of an expression, with what an object was made with.
    pub(super) fn known_value(&self, object: usize, of: &Expression) -> Option<Value> {
        match evaluate(self.program, of, &self.design.objects[object].made) {
            Ok(Known::Value(value)) => Some(value),
            _ => None,
        }
    }

    fn known_number(&self, object: usize, of: &Expression) -> Option<i64> {
        match self.known_value(object, of)? {
            Value::Number(number) => i64::try_from(number).ok(),
            _ => None,
        }
    }
}

/// How a field is matched: one of those that P4Info knows, or by the name.
fn with_match(field: Message, kind: &str) -> Message {
    match MATCHES.iter().find(|(name, _)| *name == kind) {
        Some((_, member)) => field.member(5, "match_type", *member),
        None => field.chosen_text(7, "other_match_type", kind),
    }
}

/// The only word that an annotation says.
fn word(annotation: &Annotation) -> Option<String> {
    match (tokens(annotation), &annotation.body) {
        ([token], _) => match &token.kind {
            TokenKind::Word(word) => Some(word.clone()),
            _ => None,
        },
        (_, AnnotationBody::Expressions(all)) => match &all.first()?.kind {
            Written::Path(path) => Some(path.name.text.clone()),
            _ => None,
        },
        _ => None,
    }
}
