//! Headers, unions, structs, enums, `type`, errors and kinds of matches (§7.1 and §7.2).

use super::named::{parameters_of, TOO_MUCH};
use super::{Checker, Entity};
use crate::ast::{self, DeclarationKind};
use crate::types::{Enum, Extent, Field, New, Record, RecordKind, Type, Types};
use crate::value::Value;
use num_bigint::BigInt;

impl<'a> Checker<'a> {
    /// A header, a union or a struct. One that takes types is looked at with its parameters as they are.
    pub(super) fn record(&mut self, declaration: &'a ast::Declaration, name: &'a ast::Name) {
        let parameters = parameters_of(declaration);
        if parameters.is_empty() {
            let of = self.record_of(declaration, Vec::new());
            self.name(name, Entity::Type(of));
            return;
        }
        let before = self.errors.len();
        self.scope(|all| {
            let given = all.type_parameters(parameters);
            let given = given.into_iter().map(Type::Parameter).collect();
            all.record_of(declaration, given)
        });
        let entity = match self.errors.len() == before {
            true => Entity::Generic(declaration),
            false => Entity::Type(Type::Wrong),
        };
        self.name(name, entity);
    }

    /// Parameters that are types, in this scope; gives their numbers.
    pub(super) fn type_parameters(&mut self, names: &'a [ast::Name]) -> Vec<usize> {
        let mut numbers = Vec::new();
        for name in names {
            let number = self.told.types.parameters.len();
            self.told.types.parameters.push(name.text.clone());
            self.name(name, Entity::Type(Type::Parameter(number)));
            numbers.push(number);
        }
        numbers
    }

    /// The record, in whose scope its parameters stand for what it is given.
    pub(super) fn record_of(
        &mut self,
        declaration: &'a ast::Declaration,
        given: Vec<Type>,
    ) -> Type {
        let (kind, name, written) = match &declaration.kind {
            DeclarationKind::Header(name, _, fields) => (RecordKind::Header, name, fields),
            DeclarationKind::Union(name, _, fields) => (RecordKind::Union, name, fields),
            DeclarationKind::Struct(name, _, fields) => (RecordKind::Struct, name, fields),
            _ => return Type::Wrong,
        };
        let mut fields: Vec<Field> = Vec::new();
        for field in written {
            self.annotations(&field.annotations);
            let of = self.field(kind, field);
            if fields.iter().any(|other| other.name == field.name.text) {
                let message = format!("`{}` has two fields `{}`", name.text, field.name.text);
                self.error("p4-name", field.name.span, message);
                continue;
            }
            fields.push(Field {
                name: field.name.text.clone(),
                of,
                annotations: field.annotations.clone(),
                span: field.name.span,
            });
        }
        // What has something wrong in it is wrong, and no more is said of it.
        if fields.iter().any(|field| field.of == Type::Wrong) {
            return Type::Wrong;
        }
        let types = &self.told.types;
        let extent = Extent::around(fields.iter().map(|field| types.extent(&field.of)));
        if extent.is_too_much() {
            self.error("p4-type", name.span, TOO_MUCH);
            return Type::Wrong;
        }
        let number = self.told.types.records.len();
        if !given.is_empty() {
            self.made_by.insert(number, declaration);
        }
        self.told.types.records.push(Record {
            kind,
            name: name.text.clone(),
            given,
            fields,
            extent,
            annotations: declaration.annotations.clone(),
            span: name.span,
        });
        Type::Record(number)
    }

    /// A field, whose type must be one that the record can have (§7.2.8).
    fn field(&mut self, kind: RecordKind, field: &'a ast::Field) -> Type {
        let of = self.type_of(&field.of);
        let types = &self.told.types;
        let is_good = match kind {
            RecordKind::Header => goes_into_headers(types, &of),
            RecordKind::Union => {
                types.is_record(&of, RecordKind::Header)
                    || matches!(of, Type::Parameter(_) | Type::Wrong)
            }
            RecordKind::Struct => !matches!(
                of,
                Type::Void | Type::Object(..) | Type::Integer | Type::MatchKind | Type::Text
            ),
        };
        if is_good {
            return of;
        }
        let text = types.text(&of);
        let message = format!("a {} has no field of type {text}", kind.keyword());
        let error = self.sources.error("p4-type", field.of.span, message);
        let is_part = matches!(of, Type::Record(_) | Type::Stack(..));
        self.errors
            .push(match is_part && kind == RecordKind::Header {
                true => error.help("headers stand side by side in a `struct`"),
                false => error,
            });
        Type::Wrong
    }

    /// §7.2.1: with a type below it, every member has a value of that type.
    pub(super) fn enumeration(
        &mut self,
        below: Option<&'a ast::Type>,
        name: &'a ast::Name,
        members: &'a [(ast::Name, Option<ast::Expression>)],
    ) {
        let of = below.map(|below| self.below_enum(below));
        let known = self.scope(|all| all.enum_members(of.as_ref(), name, members));
        let number = self.told.types.enums.len();
        self.told.types.enums.push(Enum {
            name: name.text.clone(),
            below: of,
            members: known,
            span: name.span,
        });
        self.name(name, Entity::Type(Type::Enum(number)));
    }

    /// Members with their values, for which they know those in front of them.
    fn enum_members(
        &mut self,
        of: Option<&Type>,
        name: &ast::Name,
        members: &'a [(ast::Name, Option<ast::Expression>)],
    ) -> Vec<(String, Option<BigInt>)> {
        let mut known: Vec<(String, Option<BigInt>)> = Vec::new();
        for (member, value) in members {
            if known.iter().any(|(other, _)| *other == member.text) {
                let message = format!("`{}` has two members `{}`", name.text, member.text);
                self.error("p4-name", member.span, message);
                continue;
            }
            let value = match (of, value) {
                (None, None) => None,
                (Some(of), Some(value)) => {
                    let known = self.known_of(value, of);
                    match known {
                        Some(Value::Number(number)) => Some(number),
                        _ => continue,
                    }
                }
                (None, Some(value)) => {
                    let message =
                        "a member has a value only in an enum with a type: `enum bit<8> …`";
                    self.error("p4-type", value.span, message);
                    continue;
                }
                (Some(_), None) => {
                    let message = format!("`{}` has no value", member.text);
                    self.error("p4-type", member.span, message);
                    continue;
                }
            };
            if let (Some(of), Some(value)) = (of, &value) {
                let entity = Entity::Constant(of.clone(), Value::Number(value.clone()));
                self.name(member, entity);
            }
            known.push((member.text.clone(), value));
        }
        known
    }

    fn below_enum(&mut self, below: &'a ast::Type) -> Type {
        let of = self.type_of(below);
        if matches!(of, Type::Bit(_) | Type::Int(_) | Type::Wrong) {
            return of;
        }
        let text = self.told.types.text(&of);
        let message = format!("below an enum is a bit<W> or an int<W>, not {text}");
        self.error("p4-type", below.span, message);
        Type::Wrong
    }

    /// More errors, or more kinds of matches.
    pub(super) fn members(&mut self, names: &'a [ast::Name], are_errors: bool) {
        for name in names {
            // It has its place already.
            if are_errors && name.text == super::NO_ERROR && !self.no_error {
                self.no_error = true;
                continue;
            }
            let types = &mut self.told.types;
            let (list, what) = match are_errors {
                true => (&mut types.errors, "error"),
                false => (&mut types.match_kinds, "match_kind"),
            };
            if list.contains(&name.text) {
                let message = format!("{what} `{}` is declared twice", name.text);
                self.error("p4-name", name.span, message);
            } else {
                list.push(name.text.clone());
                if !are_errors {
                    let value = Value::Member(list.len() - 1);
                    self.name(name, Entity::Constant(Type::MatchKind, value));
                }
            }
        }
    }

    /// §7.6: a type that no other one is.
    pub(super) fn new_type(
        &mut self,
        of: &'a ast::Type,
        name: &'a ast::Name,
        annotations: &[ast::Annotation],
    ) {
        let below = self.type_of(of);
        let is_good = matches!(
            below,
            Type::Bool | Type::Bit(_) | Type::Int(_) | Type::New(_) | Type::Wrong
        );
        if !is_good {
            let text = self.told.types.text(&below);
            let message = format!("`type` is made of bit<W>, int<W> and bool, not of {text}");
            self.error("p4-type", of.span, message);
        }
        if below == Type::Wrong || !is_good {
            self.name(name, Entity::Type(Type::Wrong));
            return;
        }
        let extent = Extent::around([self.told.types.extent(&below)]);
        if extent.is_too_much() {
            self.error("p4-type", of.span, TOO_MUCH);
            self.name(name, Entity::Type(Type::Wrong));
            return;
        }
        let number = self.told.types.news.len();
        self.told.types.news.push(New {
            name: name.text.clone(),
            below,
            extent,
            annotations: annotations.to_vec(),
            span: name.span,
        });
        self.name(name, Entity::Type(Type::New(number)));
    }

    /// What `...` stands for (§8.26); `None`: there is none for this type.
    pub(super) fn default_of(&self, of: &Type) -> Option<Value> {
        let types = &self.told.types;
        Some(match of {
            Type::Bool => Value::Bool(false),
            Type::Bit(_) | Type::Int(_) | Type::Varbit(_) | Type::Integer => {
                Value::Number(BigInt::from(0))
            }
            Type::Text => Value::Text(String::new()),
            // `NoError`, and the first member.
            Type::Error | Type::MatchKind => Value::Member(0),
            Type::Enum(number) => match types.enums[*number].below {
                Some(_) => Value::Number(BigInt::from(0)),
                None => Value::Member(0),
            },
            Type::New(number) => self.default_of(&types.news[*number].below)?,
            Type::Tuple(parts) => {
                let parts: Option<_> = parts.iter().map(|part| self.default_of(part)).collect();
                Value::Parts(parts?)
            }
            Type::Stack(of, size) => Value::Parts(vec![self.default_of(of)?; *size as usize]),
            Type::Record(number) => {
                let record = &types.records[*number];
                match record.kind {
                    RecordKind::Header | RecordKind::Union => Value::Invalid,
                    RecordKind::Struct => {
                        let fields = record.fields.iter();
                        let fields = fields.map(|field| self.default_of(&field.of));
                        Value::Parts(fields.collect::<Option<_>>()?)
                    }
                }
            }
            _ => return None,
        })
    }
}

/// Numbers, booleans, serializable enums, and structs and stacks of these.
fn goes_into_headers(types: &Types, of: &Type) -> bool {
    match of {
        Type::Bool | Type::Bit(_) | Type::Int(_) | Type::Varbit(_) => true,
        Type::Parameter(_) | Type::Wrong => true,
        Type::Enum(number) => types.enums[*number].below.is_some(),
        Type::New(number) => goes_into_headers(types, &types.news[*number].below),
        Type::Stack(of, _) => goes_into_headers(types, of),
        Type::Record(number) => {
            let record = &types.records[*number];
            let mut fields = record.fields.iter();
            record.kind == RecordKind::Struct
                && fields.all(|field| goes_into_headers(types, &field.of))
        }
        _ => false,
    }
}
