//! Which types a call or an object is given, where nobody wrote them (§8.24): those that make parameters and arguments fit.

use super::Checker;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, ObjectType, Parameter};
use crate::types::{ObjectKind, Type};
use std::collections::BTreeMap;

/// Types that parameters stand for. One that is asked for and not known is [`Type::Any`].
pub(super) type Given = BTreeMap<usize, Type>;

impl<'a> Checker<'a> {
    /// Finds out what parameters stand for, so that one type becomes the other one; where it cannot, nothing is said.
    pub(super) fn unify(&mut self, given: &mut Given, wants: &Type, is: &Type) {
        match (wants, is) {
            (_, Type::Any | Type::Wrong) => {}
            (Type::Parameter(number), _) => {
                if let Some(known) = given.get_mut(number) {
                    // An `int` goes with any width.
                    let has_width = matches!(is, Type::Bit(_) | Type::Int(_));
                    if *known == Type::Any || (*known == Type::Integer && has_width) {
                        *known = is.clone();
                    }
                }
            }
            (Type::Record(one), Type::Record(other)) => {
                let records = &self.types().records;
                let (one, other) = (&records[*one], &records[*other]);
                if one.span == other.span {
                    let pairs = one.given.iter().cloned().zip(other.given.clone());
                    for (one, other) in pairs.collect::<Vec<_>>() {
                        self.unify(given, &one, &other);
                    }
                }
            }
            (Type::Object(one, first), Type::Object(other, second)) => {
                if one == other {
                    for (one, other) in first.iter().zip(second) {
                        self.unify(given, one, other);
                    }
                } else {
                    for (wants, is) in self.like(*one, first, *other, second) {
                        self.unify(given, &wants, &is);
                    }
                }
            }
            (Type::Tuple(one), Type::Tuple(other)) => {
                for (one, other) in one.iter().zip(other) {
                    self.unify(given, one, other);
                }
            }
            (Type::Stack(one, _), Type::Stack(other, _)) | (Type::List(one), Type::List(other)) => {
                self.unify(given, one, other);
            }
            (Type::List(one), Type::Tuple(others)) => {
                for other in others {
                    self.unify(given, one, other);
                }
            }
            _ => {}
        }
    }

    /// Types of the parameters of two parsers or controls, side by side.
    fn like(
        &mut self,
        one: usize,
        first: &[Type],
        other: usize,
        second: &[Type],
    ) -> Vec<(Type, Type)> {
        let types = |all: &mut Self, number: usize, given: &[Type]| {
            let object = all.told.objects[number].clone();
            let given: Given = object
                .types
                .into_iter()
                .zip(given.iter().cloned())
                .collect();
            let span = object.span;
            let parameters = object.parameters.iter();
            let types: Vec<Type> = parameters
                .map(|one| all.with(&one.of, &given, span))
                .collect();
            types
        };
        let (one, other) = (types(self, one, first), types(self, other, second));
        one.into_iter().zip(other).collect()
    }

    /// A type with what its parameters stand for.
    pub(super) fn with(&mut self, of: &Type, given: &Given, span: Span) -> Type {
        if given.is_empty() {
            return of.clone();
        }
        let all = |all: &mut Self, parts: &[Type]| {
            parts
                .iter()
                .map(|part| all.with(part, given, span))
                .collect::<Vec<Type>>()
        };
        match of {
            // One that is not known yet stays.
            Type::Parameter(number) => match given.get(number) {
                Some(Type::Any) | None => of.clone(),
                Some(known) => known.clone(),
            },
            Type::Stack(inner, size) => Type::Stack(Box::new(self.with(inner, given, span)), *size),
            Type::List(inner) => Type::List(Box::new(self.with(inner, given, span))),
            Type::Tuple(parts) => Type::Tuple(all(self, parts)),
            Type::Object(number, parts) => Type::Object(*number, all(self, parts)),
            Type::Record(number) => {
                let before = self.types().records[*number].given.clone();
                if before.is_empty() {
                    return of.clone();
                }
                let after = all(self, &before);
                if after == before {
                    return of.clone();
                }
                match self.made_by.get(number).copied() {
                    Some(declaration) => self.made_of(declaration, after, span),
                    None => of.clone(),
                }
            }
            _ => of.clone(),
        }
    }

    /// Whether a type still has something in it that is not known.
    pub(super) fn is_open(&self, of: &Type, given: &Given) -> bool {
        self.types().contains(of, &|of| match of {
            Type::Any => true,
            Type::Parameter(number) => given.get(number) == Some(&Type::Any),
            _ => false,
        })
    }

    /// The same, for objects that others take, whose own types the others know.
    fn is_anything(&self, of: &Type) -> bool {
        self.types()
            .contains(of, &|of| matches!(of, Type::Any | Type::Parameter(_)))
    }

    /// An object where another type of objects is wanted: a parser or a control with the same parameters (§7.2.12).
    pub(super) fn convert_object(&mut self, from: Expression, to: &Type) -> Option<Expression> {
        let (Type::Object(one, first), Type::Object(other, second)) = (&from.of, to) else {
            return None;
        };
        let (one, other) = (*one, *other);
        let fits = if one == other {
            let mut both = first.iter().zip(second);
            both.all(|(one, other)| {
                one == other || self.is_anything(one) || self.is_anything(other)
            })
        } else {
            let (is, wants) = (
                self.told.objects[one].clone(),
                self.told.objects[other].clone(),
            );
            let goes = matches!(wants.kind, ObjectKind::Parser | ObjectKind::Control);
            let own = self.own_types(&from, &is, other, second);
            let pairs = self.like(other, second, one, &own);
            let mut directions = is.parameters.iter().zip(&wants.parameters);
            let mut behind = wants.parameters.iter().skip(is.parameters.len());
            is.kind == wants.kind
                && goes
                && !wants.has_body
                && is.parameters.len() <= wants.parameters.len()
                && behind.all(|one| one.is_optional)
                && directions.all(|(one, other)| one.direction == other.direction)
                && pairs
                    .iter()
                    .all(|(wants, is)| wants == is || self.is_anything(wants) || *is == Type::Any)
        };
        if fits {
            return Some(from);
        }
        let (is, wanted) = (self.types().text(&from.of), self.types().text(to));
        let error = self.sources.error(
            "p4-type",
            from.span,
            format!("{wanted} is wanted, this is {is}"),
        );
        let help = format!(
            "its parameters are ({}), and should be ({})",
            self.shown(&self.told.objects[one].parameters),
            self.shown(&self.told.objects[other].parameters)
        );
        self.errors.push(match one == other {
            true => error,
            false => error.help(help),
        });
        None
    }

    /// Parameters, for messages.
    pub(super) fn shown(&self, parameters: &[Parameter]) -> String {
        let parameters = parameters.iter().map(|one| {
            let direction = match one.direction {
                crate::ast::Direction::None => "",
                crate::ast::Direction::In => "in ",
                crate::ast::Direction::Out => "out ",
                crate::ast::Direction::InOut => "inout ",
            };
            format!("{direction}{} {}", self.types().text(&one.of), one.name)
        });
        parameters.collect::<Vec<_>>().join(", ")
    }

    /// Types of an object that was made without them: those that make it what is wanted.
    fn own_types(
        &mut self,
        from: &Expression,
        is: &ObjectType,
        wanted: usize,
        given: &[Type],
    ) -> Vec<Type> {
        let Type::Object(number, own) = &from.of else {
            return Vec::new();
        };
        let ExpressionKind::Object(instance) = from.kind else {
            return own.clone();
        };
        if !own.contains(&Type::Any) {
            return own.clone();
        }
        let names = is.types.iter().copied();
        let mut found: Given = names.zip(own.iter().cloned()).collect();
        let parameters: Vec<Type> = is.parameters.iter().map(|one| one.of.clone()).collect();
        let pairs = self.like(wanted, given, *number, own);
        for (wants, (is, _)) in parameters.iter().zip(pairs) {
            self.unify(&mut found, wants, &is);
        }
        let own: Vec<Type> = is.types.iter().map(|name| found[name].clone()).collect();
        let block = self.block_for(*number, &own);
        let made = &mut self.told.instances[instance];
        made.of = Type::Object(*number, own.clone());
        made.block = block;
        own
    }

    /// All of these are known; told where not.
    pub(super) fn settled(
        &mut self,
        given: &Given,
        names: &[usize],
        what: &str,
        span: Span,
    ) -> Option<Vec<Type>> {
        let mut all = Vec::new();
        for number in names {
            match given.get(number) {
                Some(Type::Any) | None => {
                    let name = self.types().parameters[*number].clone();
                    let message =
                        format!("what type `{name}` of `{what}` is cannot be told from this");
                    let error = self.sources.error("p4-type", span, message);
                    self.errors
                        .push(error.help(format!("write it: `{what}<…>(…)`")));
                    return None;
                }
                Some(of) => all.push(of.clone()),
            }
        }
        Some(all)
    }
}
