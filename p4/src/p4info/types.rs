//! Types as P4Info has them (P4Runtime, "User-defined types"): a type that has a name is described once, in `type_info`, and referred to by it.

use super::annotations::{find, number_of, tokens, Fields};
use super::message::Message;
use super::Maker;
use crate::ast::Annotation;
use crate::design::{joined, name_of};
use crate::lexer::TokenKind;
use crate::types::{RecordKind, Type};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// The annotation that says which other type the control plane sees.
const TRANSLATION: &str = "p4runtime_translation";

/// What was described: by the number and the name of its list, and its name.
#[derive(Default)]
pub(super) struct Described(BTreeMap<(u32, &'static str), BTreeMap<String, Message>>);

/// What the control plane sees instead of a type.
enum Translated {
    Bits(u32),
    Text,
}

impl Maker<'_> {
    /// A type, `P4DataTypeSpec`; it is described if it has a name.
    pub(super) fn type_spec(&mut self, of: &Type) -> Message {
        let spec = Message::new();
        let named = |name: &str| Message::new().text_of(1, "name", name);
        let types = &self.program.types;
        match of {
            Type::Bit(_) | Type::Int(_) | Type::Varbit(_) => {
                spec.message(1, "bitstring", bitstring(of))
            }
            Type::Bool => spec.message(2, "bool", Message::new()),
            Type::Tuple(parts) => {
                let mut tuple = Message::new();
                for part in parts {
                    tuple = tuple.message(1, "members", self.type_spec(part));
                }
                spec.message(3, "tuple", tuple)
            }
            Type::Record(number) => {
                let record = &types.records[*number];
                let (place, field) = match record.kind {
                    RecordKind::Struct => (4, "struct"),
                    RecordKind::Header => (5, "header"),
                    RecordKind::Union => (6, "header_union"),
                };
                spec.message(place, field, named(&self.record(*number)))
            }
            Type::Stack(inner, size) => {
                let Type::Record(number) = **inner else {
                    return spec;
                };
                let name = self.record(number);
                let (place, field, own) = match types.records[number].kind {
                    RecordKind::Union => (8, "header_union_stack", "header_union"),
                    _ => (7, "header_stack", "header"),
                };
                let stack = Message::new().message(1, own, named(&name));
                spec.message(place, field, stack.number(2, "size", *size))
            }
            Type::Enum(number) => {
                let name = self.enumeration(*number);
                match types.enums[*number].below {
                    None => spec.message(9, "enum", named(&name)),
                    Some(_) => spec.message(11, "serializable_enum", named(&name)),
                }
            }
            Type::Error => {
                self.error_type();
                spec.message(10, "error", Message::new())
            }
            Type::New(number) => {
                let name = self.new_type(*number);
                spec.message(12, "new_type", named(&name))
            }
            _ => spec,
        }
    }

    /// The name that a value's type has for the control plane, `P4NamedType`: that of what `type` declares. Other types are described too.
    pub(super) fn type_name(&mut self, of: &Type) -> Option<Message> {
        self.type_spec(of);
        match of {
            Type::New(number) => {
                let name = &self.program.types.news[*number].name;
                Some(Message::new().text_of(1, "name", name))
            }
            _ => None,
        }
    }

    /// Bits of a value as the control plane writes it; 0 for one that is a text.
    pub(super) fn width(&mut self, of: &Type) -> u32 {
        if let Type::New(number) = of {
            match self.translated(*number) {
                Some((_, Translated::Bits(width))) => return width,
                Some((_, Translated::Text)) => return 0,
                None => {}
            }
        }
        self.program.types.bits(of).unwrap_or(0) as u32
    }

    /// All that was described.
    pub(super) fn type_info(&mut self) -> Message {
        let mut info = Message::new();
        for ((number, list), all) in std::mem::take(&mut self.described.0) {
            for (name, message) in all {
                let entry = match list {
                    // There is only one.
                    "error" => message,
                    _ => Message::new()
                        .text_of(1, "key", &name)
                        .message(2, "value", message),
                };
                info = info.message(number, list, entry);
            }
        }
        info
    }

    fn describe(&mut self, number: u32, list: &'static str, name: &str, message: Message) {
        let all = self.described.0.entry((number, list)).or_default();
        all.insert(name.to_owned(), message);
    }

    /// What the control plane calls a record; one that is given types and has no `@name` has their names behind its own.
    pub(super) fn record_name(&self, number: usize) -> String {
        let record = &self.program.types.records[number];
        let mut name = name_of(&record.annotations, &record.name);
        if find(&record.annotations, "name").is_some() {
            return joined("", &name);
        }
        for of in &record.given {
            let text = self.program.types.text(of);
            name.push('_');
            name.extend(text.chars().filter(|c| c.is_alphanumeric() || *c == '_'));
        }
        name
    }

    /// Describes a record; gives its name.
    fn record(&mut self, number: usize) -> String {
        let program = self.program;
        let record = &program.types.records[number];
        let name = self.record_name(number);
        let (place, list) = match record.kind {
            RecordKind::Struct => (1, "structs"),
            RecordKind::Header => (2, "headers"),
            RecordKind::Union => (3, "header_unions"),
        };
        let described = self.described.0.get(&(place, list));
        if described.is_some_and(|all| all.contains_key(&name)) {
            return name;
        }
        let mut message = Message::new();
        if record.kind == RecordKind::Header {
            for field in self.flat(number) {
                let member = Message::new().text_of(1, "name", &field.name);
                let member = member.message(2, "type_spec", bitstring(&self.bare(&field.of)));
                message = message.message(1, "members", member);
            }
        } else {
            for field in &record.fields {
                let own = name_of(&field.annotations, &field.name);
                let member = Message::new().text_of(1, "name", &own);
                let spec = self.type_spec(&field.of);
                message = message.message(
                    1,
                    "members",
                    match (record.kind, &field.of) {
                        (RecordKind::Union, Type::Record(inner)) => {
                            let name = self.record_name(*inner);
                            member.message(2, "header", Message::new().text_of(1, "name", &name))
                        }
                        _ => member.message(2, "type_spec", spec),
                    },
                );
            }
        }
        self.describe(place, list, &name, message);
        name
    }

    /// The bits that a type is made of.
    fn bare(&self, of: &Type) -> Type {
        let types = &self.program.types;
        match of {
            Type::New(number) => self.bare(&types.news[*number].below),
            Type::Enum(number) => types.enums[*number].below.clone().unwrap_or(Type::Bit(0)),
            Type::Bool => Type::Bit(1),
            of => of.clone(),
        }
    }

    fn enumeration(&mut self, number: usize) -> String {
        let program = self.program;
        let of = &program.types.enums[number];
        let Some(below) = &of.below else {
            let mut message = Message::new();
            for (name, _) in &of.members {
                message = message.message(1, "members", Message::new().text_of(1, "name", name));
            }
            self.describe(4, "enums", &of.name, message);
            return of.name.clone();
        };
        let width = program.types.bits(below).unwrap_or(0) as u32;
        let underlying = Message::new().number(1, "bitwidth", width);
        let mut message = Message::new().message(1, "underlying_type", underlying);
        for (name, value) in &of.members {
            let member = Message::new().text_of(1, "name", name);
            let value = value.clone().unwrap_or_default();
            message = message.message(
                2,
                "members",
                member.bytes_of(2, "value", padded(&value, width)),
            );
        }
        self.describe(6, "serializable_enums", &of.name, message);
        of.name.clone()
    }

    fn error_type(&mut self) {
        let mut message = Message::new();
        for name in &self.program.types.errors {
            message = message.chosen_text(1, "members", name);
        }
        self.describe(5, "error", "", message);
    }

    fn new_type(&mut self, number: usize) -> String {
        let program = self.program;
        let new = &program.types.news[number];
        let mut below = &new.below;
        while let Type::New(number) = below {
            below = &program.types.news[*number].below;
        }
        let message = match self.translated(number) {
            None => {
                let spec = self.type_spec(below);
                Message::new().message(1, "original_type", spec)
            }
            Some((uri, to)) => {
                let translated = Message::new().text_of(1, "uri", &uri);
                let translated = match to {
                    Translated::Bits(width) => {
                        translated.chosen_number(2, "sdn_bitwidth", width.into())
                    }
                    Translated::Text => translated.message(3, "sdn_string", Message::new()),
                };
                Message::new().message(2, "translated_type", translated)
            }
        };
        let fields = Fields::new(3, 4, None);
        let message = self.annotated(message, &new.annotations, fields, &[TRANSLATION]);
        self.describe(7, "new_types", &new.name, message);
        new.name.clone()
    }

    /// What `@p4runtime_translation("…", bit<32>)` says of a type; a number alone is the width.
    fn translated(&mut self, number: usize) -> Option<(String, Translated)> {
        let new = &self.program.types.news[number];
        let annotation = find(&new.annotations, TRANSLATION)?;
        let said = match tokens(annotation) {
            [uri, comma, to @ ..] if comma.is_sign(",") => match &uri.kind {
                TokenKind::Text(uri) => Some((uri.clone(), to)),
                _ => None,
            },
            _ => None,
        };
        let width = |token| number_of(token).and_then(|number| u32::try_from(number).ok());
        let found = said.and_then(|(uri, to)| {
            let to = match to {
                [word] if word.is_word("string") => Translated::Text,
                [number] => Translated::Bits(width(number)?),
                [word, _, number, _] if word.is_word("bit") => Translated::Bits(width(number)?),
                _ => return None,
            };
            Some((uri, to))
        });
        if found.is_none() {
            let message = format!("`@{TRANSLATION}` says a text and a type");
            let help = "for example `(\"port\", bit<32>)`, or `string` instead of the type";
            self.refuse::<()>(annotation.name.span, message, help);
        }
        found
    }

    /// The fields of a header, those of structs in it by themselves.
    pub(super) fn flat(&self, number: usize) -> Vec<Flat> {
        let mut all = Vec::new();
        self.flatten(number, "", &[], &mut all);
        all
    }

    fn flatten(&self, number: usize, around: &str, outer: &[Annotation], all: &mut Vec<Flat>) {
        for field in &self.program.types.records[number].fields {
            // What is said of a field goes before what is said of the struct that it is in.
            let mut annotations = field.annotations.clone();
            let more = outer.iter();
            annotations.extend(
                more.filter(|one| find(&field.annotations, &one.name.text).is_none())
                    .cloned(),
            );
            let own = name_of(&field.annotations, &field.name);
            match &field.of {
                Type::Record(inner) => {
                    let name = format!("{around}{}.", field.name);
                    self.flatten(*inner, &name, &annotations, all);
                }
                of => all.push(Flat {
                    name: match around {
                        "" => own,
                        around => format!("{around}{}", field.name),
                    },
                    of: of.clone(),
                    annotations,
                    span: field.span,
                }),
            }
        }
    }
}

/// A field of a header.
pub(super) struct Flat {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) annotations: Vec<Annotation>,
    pub(super) span: crate::source::Span,
}

/// Bits, `P4BitstringLikeTypeSpec`.
fn bitstring(of: &Type) -> Message {
    let width = |width: &u32| Message::new().number(1, "bitwidth", *width);
    match of {
        Type::Int(bits) => Message::new().message(2, "int", width(bits)),
        Type::Varbit(bits) => {
            let varbit = Message::new().number(1, "max_bitwidth", *bits);
            Message::new().message(3, "varbit", varbit)
        }
        Type::Bit(bits) => Message::new().message(1, "bit", width(bits)),
        _ => Message::new(),
    }
}

/// The bytes of a number, the highest first, as many as its width needs.
pub(super) fn padded(value: &BigInt, width: u32) -> Vec<u8> {
    let value = crate::value::wrap(value.clone(), width, false);
    let (_, bytes) = value.to_bytes_be();
    let wanted = width.div_ceil(8) as usize;
    let mut padded = vec![0; wanted.saturating_sub(bytes.len())];
    // A zero has a byte of its own even where no byte is wanted.
    padded.extend(bytes.iter().skip(bytes.len().saturating_sub(wanted)));
    padded
}
