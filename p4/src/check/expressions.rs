//! Expressions (§8) with their types. What the compiler knows it computes at once.

use super::literals::{made, parts_of};
use super::Checker;
use crate::ast::{self, Binary, Unary};
use crate::fold;
use crate::operators;
use crate::source::Span;
use crate::typed::{Callee, Expression, ExpressionKind, VariableKind};
use crate::types::Type;
use crate::value::Value;

/// An expression. `None`: an error was told.
type Found = Option<Expression>;

impl<'a> Checker<'a> {
    /// The value of an expression, which must be known, as one of this type.
    pub(super) fn known_of(&mut self, of: &'a ast::Expression, to: &Type) -> Option<Value> {
        let known = self.known(of, Some(to))?;
        self.convert(known, to)?.known().cloned()
    }

    /// An expression that must be known.
    pub(super) fn known(&mut self, of: &'a ast::Expression, wanted: Option<&Type>) -> Found {
        let found = self.expression(of, wanted)?;
        match found.known() {
            Some(_) => Some(found),
            None => self.unknown(of.span),
        }
    }

    pub(super) fn unknown<T>(&mut self, span: Span) -> Option<T> {
        let message = "this is not known when the program is compiled";
        self.refuse("p4-constant", span, message)
    }

    /// Whether it is known once the object around it is made.
    pub(super) fn is_made(&self, of: &Expression) -> bool {
        match &of.kind {
            ExpressionKind::Value(_) | ExpressionKind::Object(_) => true,
            ExpressionKind::Variable(number) => {
                matches!(
                    self.told.variables[*number].kind,
                    VariableKind::Made | VariableKind::Parameter(ast::Direction::None)
                )
            }
            ExpressionKind::Unary(_, one)
            | ExpressionKind::Cast(one)
            | ExpressionKind::Field(one, _)
            | ExpressionKind::Slice(one, ..) => self.is_made(one),
            ExpressionKind::Binary(_, one, other) | ExpressionKind::Index(one, other) => {
                self.is_made(one) && self.is_made(other)
            }
            ExpressionKind::Choice(one, other, third) => {
                self.is_made(one) && self.is_made(other) && self.is_made(third)
            }
            ExpressionKind::Parts(parts) | ExpressionKind::PartsIn(parts, _) => {
                parts.iter().all(|part| self.is_made(part))
            }
            // What an extern makes of what is known.
            ExpressionKind::Call(call) => match call.callee {
                Callee::Function(number) => {
                    let mut given = call.arguments.iter().flatten();
                    self.told.functions[number].body.is_none() && given.all(|one| self.is_made(one))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// An expression as one of this type.
    pub(super) fn value_of(&mut self, of: &'a ast::Expression, to: &Type) -> Found {
        let found = self.expression(of, Some(to))?;
        self.convert(found, to)
    }

    /// The value as the compiler casts it by itself; told where it does not.
    pub(super) fn convert(&mut self, from: Expression, to: &Type) -> Found {
        if from.of == *to || *to == Type::Any {
            return Some(from);
        }
        if *to == Type::Wrong || from.of == Type::Wrong {
            return None;
        }
        if let (Type::Object(..), Type::Object(..)) = (&from.of, to) {
            return self.convert_object(from, to);
        }
        // §8.12.2: only what stands in braces becomes a struct.
        let is_braces = matches!(
            from.kind,
            ExpressionKind::Parts(_) | ExpressionKind::Value(_)
        );
        let is_tuple = matches!(from.of, Type::Tuple(_)) && !matches!(to, Type::Tuple(_));
        if !self.becomes(&from.of, to) || (is_tuple && !is_braces) {
            let (is, wanted) = (self.types().text(&from.of), self.types().text(to));
            let message = format!("{wanted} is wanted, this is {is}");
            let error = self.sources.error("p4-type", from.span, message);
            self.errors
                .push(match operators::cast(self.types(), &from.of, to) {
                    _ if self.way_out(&from.of, to).is_some() => {
                        error.help(self.way_out(&from.of, to).unwrap_or_default())
                    }
                    Ok(()) => error.help(format!("`({wanted})` in front casts")),
                    Err(_) => error,
                });
            return None;
        }
        self.recast(from, to)
    }

    /// Whether the compiler casts by itself: as [`operators::implicit`] has it, and fields of a struct without a name to those of the
    /// same names.
    fn becomes(&self, from: &Type, to: &Type) -> bool {
        let types = self.types();
        match (from, to) {
            (Type::Record(one), Type::Record(other)) if types.records[*one].name.is_empty() => {
                let (one, other) = (&types.records[*one], &types.records[*other]);
                one.fields.len() == other.fields.len()
                    && one.fields.iter().all(|field| {
                        let mut fields = other.fields.iter();
                        fields
                            .find(|other| other.name == field.name)
                            .is_some_and(|other| self.becomes(&field.of, &other.of))
                    })
            }
            // A number that has no width becomes whatever holds numbers.
            (Type::Integer, Type::New(number)) => self.becomes(from, &types.news[*number].below),
            (Type::Tuple(parts), Type::Tuple(others)) => {
                let mut both = parts.iter().zip(others);
                parts.len() == others.len() && both.all(|(one, other)| self.becomes(one, other))
            }
            _ => operators::implicit(types, from, to),
        }
    }

    /// The same value in a type to which it can be cast.
    fn recast(&mut self, from: Expression, to: &Type) -> Found {
        let span = from.span;
        match (from.kind, &from.of) {
            // What is in braces gets the types that are wanted, part by part.
            (ExpressionKind::Parts(parts), Type::Record(one)) => {
                let names: Vec<String> = self.types().records[*one]
                    .fields
                    .iter()
                    .map(|field| field.name.clone())
                    .collect();
                let Type::Record(other) = to else { return None };
                let fields = self.types().records[*other].fields.clone();
                let mut placed = Vec::new();
                for field in &fields {
                    let at = names.iter().position(|name| *name == field.name)?;
                    placed.push(self.convert(parts[at].clone(), &field.of)?);
                }
                Some(parts_of(placed, to.clone(), span))
            }
            (ExpressionKind::Parts(parts), _) => {
                let mut placed = Vec::new();
                for (at, part) in parts.into_iter().enumerate() {
                    let of = self.types().part(to, at)?.clone();
                    placed.push(self.convert(part, &of)?);
                }
                Some(parts_of(placed, to.clone(), span))
            }
            (ExpressionKind::Value(value), of) => {
                let value = match (value, of, to) {
                    (Value::Parts(values), Type::Record(one), Type::Record(other)) => {
                        let types = self.types();
                        let from = &types.records[*one].fields;
                        let to = &types.records[*other].fields;
                        let places = to
                            .iter()
                            .map(|to| from.iter().position(|from| from.name == to.name));
                        let placed: Option<Vec<Value>> =
                            places.map(|at| values.get(at?).cloned()).collect();
                        Value::Parts(placed?)
                    }
                    (value, ..) => value,
                };
                self.doubt_cast(&value, of, to, span);
                match fold::cast(self.types(), value, to) {
                    Ok(value) => Some(made(value, to.clone(), span)),
                    Err(why) => self.refuse("p4-type", span, why),
                }
            }
            (kind, of) => Some(Expression {
                kind: ExpressionKind::Cast(Box::new(Expression {
                    kind,
                    of: of.clone(),
                    span,
                })),
                of: to.clone(),
                span,
            }),
        }
    }

    /// An expression with its type; `wanted` is what it is for, which braces need to know.
    pub(super) fn expression(&mut self, of: &'a ast::Expression, wanted: Option<&Type>) -> Found {
        use ast::ExpressionKind as Written;
        let span = of.span;
        match &of.kind {
            Written::Number(text) => self.literal(text, span),
            Written::Text(text) => Some(made(Value::Text(text.clone()), Type::Text, span)),
            Written::Bool(value) => Some(made(Value::Bool(*value), Type::Bool, span)),
            Written::Path(path) => self.path(path, span),
            Written::This => self.this(span),
            Written::OfType(of, name) => self.of_type(of, name, span),
            Written::Member(of, name) => self.member(of, name, span),
            Written::Index(of, index) => self.index(of, index, span),
            Written::Slice(of, high, low) => self.slice(of, high, low, span),
            Written::Part(of, low, width) => self.part(of, low, width, span),
            Written::Unary(operator, of) => self.unary(*operator, of, span),
            Written::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            Written::Cast(to, of) => self.cast(to, of, span),
            Written::Choice(condition, yes, no) => self.choice(condition, yes, no, wanted, span),
            Written::List(parts, rest) => self.list(parts, *rest, wanted, span),
            Written::Record(fields, rest) => self.fields(fields, *rest, wanted, span),
            Written::Invalid => self.invalid(wanted, span),
            Written::Rest => self.rest(wanted, span),
            Written::Call(callee, types, arguments) => self.call(callee, types, arguments, span),
            Written::Construct(of, arguments) => self.construct(of, arguments, span),
            Written::Any => self.refuse("p4-type", span, "`_` stands for nothing here"),
            Written::Default => self.refuse("p4-type", span, "`default` stands for nothing here"),
            Written::Tuple(_) => self.refuse(
                "p4-type",
                span,
                "several values in parentheses are a set; a tuple has braces",
            ),
        }
    }

    fn choice(
        &mut self,
        condition: &'a ast::Expression,
        yes: &'a ast::Expression,
        no: &'a ast::Expression,
        wanted: Option<&Type>,
        span: Span,
    ) -> Found {
        let condition = self.value_of(condition, &Type::Bool);
        let (yes, no) = (self.expression(yes, wanted), self.expression(no, wanted));
        let (condition, yes, no) = (condition?, yes?, no?);
        let Some(mut both) = operators::common(self.types(), &yes.of, &no.of) else {
            let (yes, no) = (self.types().text(&yes.of), self.types().text(&no.of));
            let message = format!("both sides of `:` have one type, not {yes} and {no}");
            return self.refuse("p4-type", span, message);
        };
        if let (Some(wanted), Type::Integer | Type::Tuple(_)) = (wanted, &both) {
            both = wanted.clone();
        }
        if both == Type::Integer && condition.known().is_none() {
            let message = "which of two `int` it is must be known when the program is compiled";
            return self.refuse("p4-type", span, message);
        }
        let (yes, no) = (self.convert(yes, &both)?, self.convert(no, &both)?);
        Some(match condition.known() {
            Some(Value::Bool(true)) => Expression { span, ..yes },
            Some(_) => Expression { span, ..no },
            None => Expression {
                kind: ExpressionKind::Choice(Box::new(condition), Box::new(yes), Box::new(no)),
                of: both,
                span,
            },
        })
    }

    fn unary(&mut self, operator: Unary, of: &'a ast::Expression, span: Span) -> Found {
        let inner = self.expression(of, None)?;
        let gives = match operators::unary(self.types(), operator, &inner.of) {
            Ok(gives) => gives,
            Err(why) => return self.refuse("p4-type", span, why),
        };
        let kind = match inner.kind {
            ExpressionKind::Value(value) => {
                ExpressionKind::Value(fold::unary(operator, value, &gives))
            }
            _ => ExpressionKind::Unary(operator, Box::new(inner)),
        };
        Some(Expression {
            kind,
            of: gives,
            span,
        })
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &'a ast::Expression,
        right: &'a ast::Expression,
        span: Span,
    ) -> Found {
        // What is in braces is of the type of the other side.
        let compares = matches!(operator, Binary::Equal | Binary::NotEqual);
        let (left, right) = match compares && is_braces(left) && !is_braces(right) {
            true => {
                let right = self.expression(right, None);
                let of = right.as_ref().map(|right| right.of.clone());
                let left = of.and_then(|of| self.value_of(left, &of));
                (left, right)
            }
            false => {
                let left = self.expression(left, None);
                let of = left.as_ref().map(|left| left.of.clone());
                let right = match (compares && is_braces(right), of) {
                    (true, Some(of)) => self.value_of(right, &of),
                    _ => self.expression(right, None),
                };
                (left, right)
            }
        };
        self.operate(operator, left?, right?, span)
    }

    /// Tells what an operator does not take, of what its types alone do not say.
    fn may_operate(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Option<()> {
        let is_negative = |of: &Expression| matches!(of.known(), Some(Value::Number(number)) if number.sign() == num_bigint::Sign::Minus);
        match operator {
            // §8.10.2: by how much an `int` is shifted must be known.
            Binary::ShiftLeft | Binary::ShiftRight
                if left.of == Type::Integer && right.known().is_none() =>
            {
                let message = "an `int` is shifted only by what is known; `32w1` has a width";
                self.refuse("p4-type", span, message)
            }
            // §8.9: there is none of what is negative, before an `int` gets a width as well.
            Binary::Divide | Binary::Modulo if is_negative(left) || is_negative(right) => {
                self.refuse("p4-constant", span, "nothing negative is divided")
            }
            // §8.14: of which struct braces are is not known between two of them.
            Binary::Equal | Binary::NotEqual
                if self.is_unnamed(&left.of) && self.is_unnamed(&right.of) =>
            {
                let message = "of which struct these fields are is not known";
                self.refuse("p4-type", span, message)
            }
            _ => Some(()),
        }
    }

    /// Fields that are of no struct yet.
    pub(super) fn is_unnamed(&self, of: &Type) -> bool {
        matches!(of, Type::Record(number) if self.types().records[*number].name.is_empty())
    }

    /// An operator between two that are known to be right themselves.
    pub(super) fn operate(
        &mut self,
        operator: Binary,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Found {
        if matches!(operator, Binary::Mask | Binary::Range) {
            let message = format!("`{}` stands only in a set of values", operator.sign());
            return self.refuse("p4-type", span, message);
        }
        self.may_operate(operator, &left, &right, span)?;
        let (both, gives) = match operators::binary(self.types(), operator, &left.of, &right.of) {
            Ok(types) => types,
            Err(why) => {
                let error = self.sources.error("p4-type", span, why);
                self.errors
                    .push(match self.other_operator(operator, &left, &right) {
                        Some(help) => error.help(help),
                        None => error,
                    });
                return None;
            }
        };
        if both == Type::Wrong {
            return None;
        }
        let is_alone = matches!(
            operator,
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Concat
        );
        let right_is = match is_alone {
            true => self
                .types()
                .below_enum(&right.of)
                .unwrap_or(&right.of)
                .clone(),
            false => both.clone(),
        };
        let (left, right) = (self.convert(left, &both)?, self.convert(right, &right_is)?);
        if is_alone && operator != Binary::Concat {
            self.distance(&right, span)?;
        }
        if let (Binary::Divide | Binary::Modulo, Some(Value::Number(by))) =
            (operator, right.known())
        {
            if by.sign() == num_bigint::Sign::NoSign {
                return self.refuse("p4-constant", span, "division by zero");
            }
        }
        let width = self.types().bits(&right_is).unwrap_or(0) as u32;
        let kind = match (left.kind, right.kind) {
            (ExpressionKind::Value(left), ExpressionKind::Value(right)) => {
                match fold::binary(operator, left, right, &both, width) {
                    Ok(value) => ExpressionKind::Value(value),
                    Err(why) => return self.refuse("p4-constant", span, why),
                }
            }
            (one, other) => {
                let left = Expression {
                    kind: one,
                    of: both,
                    span: left.span,
                };
                let right = Expression {
                    kind: other,
                    of: right_is,
                    span: right.span,
                };
                ExpressionKind::Binary(operator, Box::new(left), Box::new(right))
            }
        };
        Some(Expression {
            kind,
            of: gives,
            span,
        })
    }

    /// §8.5: a shift goes by what is not signed, or by what is known and not negative.
    fn distance(&mut self, by: &Expression, span: Span) -> Option<()> {
        match by.known() {
            Some(Value::Number(by)) if by.sign() == num_bigint::Sign::Minus => {
                self.refuse("p4-constant", span, "a shift by a negative number")
            }
            None if matches!(by.of, Type::Int(_)) => self.refuse(
                "p4-type",
                by.span,
                "a shift goes by a bit<W>, which has no sign",
            ),
            _ => Some(()),
        }
    }

    fn cast(&mut self, to: &'a ast::Type, of: &'a ast::Expression, span: Span) -> Found {
        let to = self.type_of(to);
        let from = self.expression(of, Some(&to))?;
        if to == Type::Wrong || from.of == Type::Wrong {
            return None;
        }
        if from.of == to {
            return Some(Expression { span, ..from });
        }
        let fits = self.becomes(&from.of, &to);
        if let (false, Err(why)) = (fits, operators::cast(self.types(), &from.of, &to)) {
            return self.refuse("p4-type", span, why);
        }
        let from = Expression { span, ..from };
        self.recast(from, &to)
    }

    /// A part of a tuple, a stack or a list.
    fn index(&mut self, of: &'a ast::Expression, index: &'a ast::Expression, span: Span) -> Found {
        let (of, index) = (self.expression(of, None), self.expression(index, None));
        let (of, index) = (of?, index?);
        if of.of == Type::Wrong {
            return None;
        }
        let is_indexed = matches!(of.of, Type::Stack(..) | Type::Tuple(_) | Type::List(_));
        if !is_indexed {
            let message = format!("{} has no parts by number", self.types().text(&of.of));
            return self.refuse("p4-type", span, message);
        }
        let below = self.types().below_enum(&index.of).unwrap_or(&index.of);
        if !matches!(below, Type::Bit(_) | Type::Int(_) | Type::Integer) {
            return self.refuse("p4-type", index.span, "an index is a number");
        }
        let Some(known) = index.known() else {
            let Type::Stack(part, _) = &of.of else {
                return self.unknown(index.span);
            };
            return Some(Expression {
                of: part.as_ref().clone(),
                kind: ExpressionKind::Index(Box::new(of), Box::new(index)),
                span,
            });
        };
        let at = fold::index(known);
        let part = at.and_then(|at| self.types().part(&of.of, at).cloned());
        let (Some(at), Some(part)) = (at, part) else {
            let shown = match known {
                Value::Number(number) => number.to_string(),
                _ => "of this number".into(),
            };
            let message = format!("{} has no part {shown}", self.types().text(&of.of));
            return self.refuse("p4-type", index.span, message);
        };
        if let ExpressionKind::Value(Value::Parts(parts)) = &of.kind {
            return match parts.get(at) {
                Some(value) => Some(made(value.clone(), part, span)),
                None => {
                    let message = format!("{} has no part {at}", self.types().text(&of.of));
                    self.refuse("p4-type", index.span, message)
                }
            };
        }
        Some(Expression {
            kind: ExpressionKind::Index(Box::new(of), Box::new(index)),
            of: part,
            span,
        })
    }
}

/// It needs to know what it is for.
fn is_braces(of: &ast::Expression) -> bool {
    use ast::ExpressionKind as Written;
    matches!(
        of.kind,
        Written::List(..) | Written::Record(..) | Written::Invalid | Written::Rest
    )
}
