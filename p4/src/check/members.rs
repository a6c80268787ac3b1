//! Names, and what stands behind a dot (§6.4, §8.15, §8.18, §8.20).

use super::literals::made;
use super::unknown::Wanted;
use super::{Checker, Entity, Place};
use crate::ast;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, VariableKind};
use crate::types::{ObjectKind, Type};
use crate::value::Value;

/// An expression. `None`: an error was told.
type Found = Option<Expression>;

impl<'a> Checker<'a> {
    pub(super) fn path(&mut self, path: &ast::Path, span: Span) -> Found {
        match self.look_up(path, Wanted::Value)? {
            Entity::Wrong | Entity::Type(Type::Wrong) => None,
            Entity::Constant(of, value) => Some(made(value, of, span)),
            Entity::Variable(number) => {
                let of = self.told.variables[number].of.clone();
                (of != Type::Wrong).then_some(Expression {
                    kind: ExpressionKind::Variable(number),
                    of,
                    span,
                })
            }
            Entity::Instance(number) => Some(Expression {
                kind: ExpressionKind::Object(number),
                of: self.told.instances[number].of.clone(),
                span,
            }),
            other => {
                let message = format!("`{}` is {}, no value", path.name.text, other.phrase());
                let error = self.sources.error("p4-name", span, message);
                self.errors.push(match other.instead(&path.name.text) {
                    Some(help) => error.help(help),
                    None => error,
                });
                None
            }
        }
    }

    pub(super) fn this(&mut self, span: Span) -> Found {
        match self.inside.this.clone() {
            Some(of) => Some(Expression {
                kind: ExpressionKind::This,
                of,
                span,
            }),
            None => self.refuse(
                "p4-name",
                span,
                "`this` is known only in what an object says of abstract methods",
            ),
        }
    }

    /// `error.X`, `E.x` of an enum.
    pub(super) fn of_type(&mut self, of: &'a ast::Type, name: &ast::Name, span: Span) -> Found {
        let is = self.type_of(of);
        let types = self.types();
        let place = |names: &[String]| names.iter().position(|other| *other == name.text);
        let found = match &is {
            Type::Wrong => return None,
            Type::Error => place(&types.errors).map(Value::Member),
            Type::MatchKind => place(&types.match_kinds).map(Value::Member),
            Type::Enum(number) => {
                let mut members = types.enums[*number].members.iter().enumerate();
                let found = members.find(|(_, (other, _))| *other == name.text);
                found.map(|(at, (_, value))| match value {
                    Some(value) => Value::Number(value.clone()),
                    None => Value::Member(at),
                })
            }
            _ => None,
        };
        match found {
            Some(value) => Some(made(value, is, span)),
            None => {
                let message = format!("{} has no `{}`", types.text(&is), name.text);
                let known: Vec<String> = match &is {
                    Type::Error => types.errors.clone(),
                    Type::MatchKind => types.match_kinds.clone(),
                    Type::Enum(number) => {
                        let members = types.enums[*number].members.iter();
                        members.map(|(member, _)| member.clone()).collect()
                    }
                    _ => Vec::new(),
                };
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                self.no_such(message, name, &known);
                None
            }
        }
    }

    /// `e.x`.
    pub(super) fn member(
        &mut self,
        of: &'a ast::Expression,
        name: &ast::Name,
        span: Span,
    ) -> Found {
        let inner = self.expression(of, None)?;
        let whole = |kind, of| Some(Expression { kind, of, span });
        if let ExpressionKind::Apply(_) = &inner.kind {
            return match name.text.as_str() {
                "hit" => whole(ExpressionKind::Hit(Box::new(inner)), Type::Bool),
                "miss" => whole(ExpressionKind::Miss(Box::new(inner)), Type::Bool),
                "action_run" => {
                    let message = "`action_run` stands only in a `switch`";
                    self.refuse("p4-statement", span, message)
                }
                _ => {
                    let message = format!("what applying a table gives has no `{}`", name.text);
                    self.no_such(message, name, &["hit", "miss", "action_run"]);
                    None
                }
            };
        }
        match &inner.of {
            Type::Wrong => None,
            Type::Stack(part, size) => {
                let part = part.as_ref().clone();
                match name.text.as_str() {
                    "size" => Some(made(Value::Number((*size).into()), Type::Bit(32), span)),
                    "next" | "last" | "lastIndex" => self.in_stack(inner, part, name, span),
                    _ => self.no_member(&inner, name),
                }
            }
            Type::Record(number) => {
                let fields = &self.types().records[*number].fields;
                let Some(at) = fields.iter().position(|field| field.name == name.text) else {
                    return self.no_member(&inner, name);
                };
                let of = fields[at].of.clone();
                match &inner.kind {
                    ExpressionKind::Value(Value::Parts(parts)) => {
                        Some(made(parts[at].clone(), of, span))
                    }
                    _ => whole(ExpressionKind::Field(Box::new(inner), at), of),
                }
            }
            Type::Object(number, given) if self.inside.place == Place::Architecture => {
                let object = self.told.objects[*number].clone();
                let names = object.types.iter().copied();
                let given = names.zip(given.iter().cloned()).collect();
                let place = object
                    .parameters
                    .iter()
                    .position(|one| one.name == name.text);
                let Some(at) = place.filter(|_| object.kind == ObjectKind::Package) else {
                    return self.no_member(&inner, name);
                };
                let of = self.with(&object.parameters[at].of, &given, span);
                whole(ExpressionKind::Field(Box::new(inner), at), of)
            }
            _ => self.no_member(&inner, name),
        }
    }

    fn no_member(&mut self, of: &Expression, name: &ast::Name) -> Found {
        let message = format!("{} has no `{}`", self.types().text(&of.of), name.text);
        let methods = self.methods_of(&of.of);
        if let Some(method) = methods.iter().find(|one| **one == name.text) {
            let error = self.sources.error("p4-name", name.span, message);
            let help = format!("it is a method: `{method}()`");
            self.errors.push(error.help(help));
            return None;
        }
        let known: Vec<String> = match &of.of {
            Type::Record(number) => {
                let fields = self.types().records[*number].fields.iter();
                fields.map(|field| field.name.clone()).collect()
            }
            Type::Stack(..) => ["next", "last", "lastIndex", "size"]
                .map(str::to_owned)
                .into(),
            _ => Vec::new(),
        };
        let called = methods.iter().map(|one| format!("{one}()"));
        let known: Vec<String> = known.into_iter().chain(called).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        self.no_such(message, name, &known);
        None
    }

    /// §8.18: these are of parsers only.
    fn in_stack(&mut self, of: Expression, part: Type, name: &ast::Name, span: Span) -> Found {
        if self.inside.place != Place::Parser {
            let message = format!("`{}` of a stack stands only in a parser", name.text);
            return self.refuse("p4-statement", name.span, message);
        }
        let inner = Box::new(of);
        let (kind, of) = match name.text.as_str() {
            "next" => (ExpressionKind::Next(inner), part),
            "last" => (ExpressionKind::Last(inner), part),
            _ => (ExpressionKind::LastIndex(inner), Type::Bit(32)),
        };
        Some(Expression { kind, of, span })
    }

    /// Told, where nothing can be written to this.
    pub(super) fn writable(&mut self, of: &Expression) -> Option<()> {
        match &of.kind {
            ExpressionKind::Variable(number) => {
                let variable = &self.told.variables[*number];
                let (what, help) = match variable.kind {
                    VariableKind::Local => return Some(()),
                    VariableKind::Parameter(ast::Direction::Out | ast::Direction::InOut) => {
                        return Some(());
                    }
                    VariableKind::Parameter(ast::Direction::In) => (
                        "an `in` parameter",
                        "what is changed is `inout`; or copy it into a variable",
                    ),
                    VariableKind::Parameter(ast::Direction::None) => (
                        "a parameter without a direction",
                        self.undirected(&variable.of),
                    ),
                    VariableKind::Made => ("what an object is made with", ""),
                    VariableKind::Each => ("the variable of the loop", ""),
                };
                self.not_written(*number, what, help, of.span);
                None
            }
            ExpressionKind::Field(inner, _)
            | ExpressionKind::Slice(inner, ..)
            | ExpressionKind::Part(inner, ..)
            | ExpressionKind::Next(inner)
            | ExpressionKind::Last(inner) => self.writable(inner),
            ExpressionKind::Index(inner, _) if matches!(inner.of, Type::Stack(..)) => {
                self.writable(inner)
            }
            ExpressionKind::Index(inner, _) if matches!(inner.of, Type::Tuple(_)) => {
                self.writable(inner)
            }
            ExpressionKind::Ignored => Some(()),
            ExpressionKind::Value(_) => {
                let message = "this is a constant: nothing is written to it";
                self.refuse("p4-statement", of.span, message)
            }
            _ => self.refuse("p4-statement", of.span, "nothing can be written to this"),
        }
    }
}
