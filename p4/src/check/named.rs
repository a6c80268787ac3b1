//! Types as they are written, to types.

use super::{Checker, Entity};
use crate::ast::{self, DeclarationKind, TypeKind};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind};
use crate::types::{ObjectKind, Type};
use crate::value::Value;

/// More bits than any field has, and entries of a stack that anybody has.
const MOST: u32 = 1 << 16;
/// For messages.
pub(super) const TOO_MUCH: &str =
    "this type has more than 65,536 parts, or more than 100 that stand in each other";
/// So deep types may be made in each other: one that takes types can ask for larger and larger ones.
const MOST_DEEP: u32 = 50;

impl<'a> Checker<'a> {
    /// The type that is written here.
    pub(super) fn type_of(&mut self, of: &'a ast::Type) -> Type {
        let found = self.any_type_of(of);
        if self.told.types.extent(&found).is_too_much() {
            self.error("p4-type", of.span, TOO_MUCH);
            return Type::Wrong;
        }
        found
    }

    fn any_type_of(&mut self, of: &'a ast::Type) -> Type {
        match &of.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Error => Type::Error,
            TypeKind::MatchKind => Type::MatchKind,
            TypeKind::Text => Type::Text,
            TypeKind::Integer => Type::Integer,
            TypeKind::Void => Type::Void,
            TypeKind::Any => Type::Any,
            TypeKind::Bit(None) => Type::Bit(1),
            TypeKind::Bit(Some(width)) => self.width(width).map_or(Type::Wrong, Type::Bit),
            TypeKind::Int(width) => match self.width(width) {
                // §7.1.6.3: there is at least the sign.
                Some(0) => {
                    let message = "a signed number has at least one bit";
                    self.error("p4-type", width.span, message);
                    Type::Wrong
                }
                known => known.map_or(Type::Wrong, Type::Int),
            },
            TypeKind::Varbit(width) => self.width(width).map_or(Type::Wrong, Type::Varbit),
            TypeKind::Named(path, given) => self.named(path, given, of.span),
            TypeKind::Stack(inner, size) => self.stack(inner, size),
            TypeKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.part_of_tuple(part));
                let parts: Vec<Type> = parts.collect();
                match parts.contains(&Type::Wrong) {
                    true => Type::Wrong,
                    false => Type::Tuple(parts),
                }
            }
            TypeKind::List(inner) => Type::List(Box::new(self.type_of(inner))),
        }
    }

    /// The type of a part of a tuple, which may be known to the compiler only.
    fn part_of_tuple(&mut self, of: &'a ast::Type) -> Type {
        let part = self.type_of(of);
        if matches!(part, Type::Void | Type::Object(..)) {
            let text = self.told.types.text(&part);
            self.error("p4-type", of.span, format!("a tuple has no {text} in it"));
            return Type::Wrong;
        }
        part
    }

    fn width(&mut self, width: &'a ast::Expression) -> Option<u32> {
        let bits = self.number(width)?;
        let found = u32::try_from(&bits).ok().filter(|bits| *bits <= MOST);
        if found.is_none() {
            let message = format!("a width is from 0 to {MOST} bits, not {bits}");
            self.error("p4-type", width.span, message);
        }
        found
    }

    /// How many there are of something: at least one.
    fn size(&mut self, size: &'a ast::Expression, what: &str) -> Option<u32> {
        let known = self.known(size, None)?;
        self.count(&known, what)
    }

    /// The same, of a number that is known.
    pub(super) fn count(&mut self, size: &Expression, what: &str) -> Option<u32> {
        let Some(Value::Number(number)) = size.known() else {
            return self.no_number(size);
        };
        let found = u32::try_from(number).ok();
        let most = if what == "a stack" { MOST } else { u32::MAX };
        let found = found.filter(|entries| (1..=most).contains(entries));
        if found.is_none() {
            let message = format!("{what} has from 1 to {most} entries, not {number}");
            self.error("p4-type", size.span, message);
        }
        found
    }

    /// A whole number that is known.
    fn number(&mut self, of: &'a ast::Expression) -> Option<num_bigint::BigInt> {
        let known = self.known(of, None)?;
        match known.kind {
            ExpressionKind::Value(Value::Number(number)) => Some(number),
            _ => self.no_number(&known),
        }
    }

    fn no_number<T>(&mut self, of: &Expression) -> Option<T> {
        let text = self.types().text(&of.of);
        let message = format!("a number is wanted, this is {text}");
        self.refuse("p4-type", of.span, message)
    }

    /// Of headers, unions, and whatever else is stored (§7.2.3), and of objects where these are made.
    fn stack(&mut self, inner: &'a ast::Type, size: &'a ast::Expression) -> Type {
        let of = self.type_of(inner);
        let size = self.size(size, "a stack");
        if matches!(of, Type::Void | Type::Text | Type::Any) {
            let text = self.told.types.text(&of);
            self.error(
                "p4-type",
                inner.span,
                format!("there is no stack of {text}"),
            );
            return Type::Wrong;
        }
        match (of, size) {
            (Type::Wrong, _) | (_, None) => Type::Wrong,
            (of, Some(size)) => Type::Stack(Box::new(of), size),
        }
    }

    fn named(&mut self, path: &'a ast::Path, given: &'a [ast::Type], span: Span) -> Type {
        let given: Vec<Type> = given.iter().map(|of| self.type_of(of)).collect();
        let Some(entity) = self.look_up(path, super::unknown::Wanted::Type) else {
            return Type::Wrong;
        };
        let wants = match &entity {
            Entity::Type(_) => 0,
            Entity::Generic(declaration) => parameters_of(declaration).len(),
            Entity::Object(number) => self.told.types.objects[*number].parameters,
            Entity::Wrong => return Type::Wrong,
            _ => {
                let message = format!("`{}` is {}, no type", path.name.text, entity.phrase());
                self.error("p4-name", path.name.span, message);
                return Type::Wrong;
            }
        };
        // Whoever makes an object may leave it to the compiler which types it takes.
        let is_left_out = matches!(entity, Entity::Object(_)) && given.is_empty();
        if given.len() != wants && !is_left_out {
            let name = &path.name.text;
            let message = format!("`{name}` takes {wants} types, not {}", given.len());
            self.error("p4-type", span, message);
            return Type::Wrong;
        }
        if !self.may_be_given(&entity, &given, path.name.span) {
            return Type::Wrong;
        }
        match entity {
            Entity::Type(of) => of,
            Entity::Generic(declaration) => self.made_of(declaration, given, span),
            Entity::Object(number) => Type::Object(number, given),
            _ => unreachable!("told above"),
        }
    }

    /// §7.2.12: whether what takes types takes these: a record what it can have in it, and an extern no parsers and controls, which it
    /// cannot call (§26), and nothing that has itself in it.
    fn may_be_given(&mut self, entity: &Entity<'a>, given: &[Type], span: Span) -> bool {
        let (name, declared) = match entity {
            Entity::Generic(declaration) => match &declaration.kind {
                DeclarationKind::Header(name, ..)
                | DeclarationKind::Union(name, ..)
                | DeclarationKind::Struct(name, ..) => (name.text.clone(), Some(name.span)),
                _ => return true,
            },
            Entity::Object(number) => (self.told.objects[*number].name.clone(), None),
            _ => return true,
        };
        let types = self.types();
        let is_extern = match entity {
            Entity::Object(number) => types.objects[*number].kind == ObjectKind::Extern,
            _ => false,
        };
        let is_itself = |of: &Type| match (of, entity) {
            (Type::Object(number, _), Entity::Object(own)) => number == own,
            _ => false,
        };
        let is_nothing = |of: &Type| match of {
            Type::Void | Type::Any => declared.is_some(),
            Type::Object(number, _) => {
                declared.is_some()
                    || (is_extern && types.objects[*number].kind != ObjectKind::Extern)
            }
            _ => false,
        };
        let message = match given {
            _ if given.iter().any(|of| types.contains(of, &is_itself)) => {
                format!("`{name}` is given itself")
            }
            _ if given.iter().any(is_nothing) => {
                let texts: Vec<String> = given.iter().map(|of| types.text(of)).collect();
                format!("`{name}` takes types of values, not {}", texts.join(", "))
            }
            _ => return true,
        };
        self.refuse::<()>("p4-type", span, message).is_some()
    }

    /// What a record that takes types is for these; made once.
    pub(super) fn made_of(
        &mut self,
        declaration: &'a ast::Declaration,
        given: Vec<Type>,
        span: Span,
    ) -> Type {
        if given.contains(&Type::Wrong) {
            return Type::Wrong;
        }
        let at = declaration.span;
        let key = (at.file, at.start, format!("{given:?}"));
        if let Some(made) = self.made.get(&key) {
            return made.clone();
        }
        if self.deep >= MOST_DEEP {
            self.error("p4-type", span, "types are made in each other without end");
            return Type::Wrong;
        }
        self.deep += 1;
        let made = self.outside(|all| {
            for (name, of) in parameters_of(declaration).iter().zip(&given) {
                all.name(name, Entity::Type(of.clone()));
            }
            all.record_of(declaration, given.clone())
        });
        self.deep -= 1;
        self.made.insert(key, made.clone());
        made
    }
}

/// Types that a record takes.
pub(super) fn parameters_of(declaration: &ast::Declaration) -> &[ast::Name] {
    match &declaration.kind {
        DeclarationKind::Header(_, types, _)
        | DeclarationKind::Union(_, types, _)
        | DeclarationKind::Struct(_, types, _) => types,
        _ => &[],
    }
}
