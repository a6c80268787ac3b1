//! What is known when a program is compiled (§18.1): expressions to values with their types.

use super::{Declarer, Entity};
use crate::ast::{self, Binary, ExpressionKind, TypeKind, Unary};
use crate::operators;
use crate::source::Span;
use crate::types::{RecordKind, Type};
use crate::value::{self, Value};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A value with its type. `None`: an error was told.
type Known = Option<(Type, Value)>;

impl<'a> Declarer<'a> {
    /// The value of an expression, as one of this type.
    pub(super) fn constant_of(&mut self, of: &'a ast::Expression, to: &Type) -> Option<Value> {
        let (from, value) = self.constant(of, Some(to))?;
        self.becomes(value, &from, to, of.span)
    }

    /// The value as the compiler casts it by itself; told where it does not.
    fn becomes(&mut self, value: Value, from: &Type, to: &Type, span: Span) -> Option<Value> {
        if !operators::implicit(&self.told.types, from, to) {
            let (from, to) = (self.told.types.text(from), self.told.types.text(to));
            let message = format!("{to} is wanted, this is {from}");
            let error = self.sources.error("p4-type", span, message);
            self.errors
                .push(error.help(format!("`({to})` in front casts, where that is allowed")));
            return None;
        }
        Some(self.recast(value, from, to))
    }

    /// The same value in a type to which the compiler casts by itself.
    fn recast(&self, value: Value, from: &Type, to: &Type) -> Value {
        match (value, from) {
            (Value::Parts(values), Type::Tuple(from)) => {
                let all = values.into_iter().zip(from).enumerate();
                let all = all.map(|(at, (value, from))| match self.told.types.part(to, at) {
                    Some(to) => self.recast(value, from, to),
                    None => value,
                });
                Value::Parts(all.collect())
            }
            (Value::Number(number), _) => Value::Number(value::in_type(number, to)),
            (value, _) => value,
        }
    }

    /// The value of an expression and its type; `wanted` is what it is for, which braces need to know.
    pub(super) fn constant(&mut self, of: &'a ast::Expression, wanted: Option<&Type>) -> Known {
        let span = of.span;
        match &of.kind {
            ExpressionKind::Number(text) => self.literal(text, span),
            ExpressionKind::Text(text) => Some((Type::Text, Value::Text(text.clone()))),
            ExpressionKind::Bool(value) => Some((Type::Bool, Value::Bool(*value))),
            ExpressionKind::Path(path) => self.named_constant(path),
            ExpressionKind::OfType(of, name) => self.of_type(of, name),
            ExpressionKind::Member(of, name) => self.member(of, name),
            ExpressionKind::Index(of, index) => self.index(of, index),
            ExpressionKind::Slice(of, high, low) => self.slice(of, high, low, span),
            ExpressionKind::Unary(operator, of) => self.unary(*operator, of, span),
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, span)
            }
            ExpressionKind::Cast(to, of) => self.cast(to, of, span),
            ExpressionKind::Choice(condition, yes, no) => {
                let condition = self.constant_of(condition, &Type::Bool)?;
                let (yes, no) = (self.constant(yes, wanted)?, self.constant(no, wanted)?);
                match condition {
                    Value::Bool(true) => Some(yes),
                    _ => Some(no),
                }
            }
            ExpressionKind::List(parts, rest) => self.list(parts, *rest, wanted, span),
            ExpressionKind::Record(fields, rest) => self.fields(fields, *rest, wanted, span),
            ExpressionKind::Invalid => match wanted {
                Some(of) if self.is_header(of) => Some((of.clone(), Value::Invalid)),
                _ => self.refuse("p4-type", span, "`{#}` stands only for a header or a union"),
            },
            ExpressionKind::Rest => match wanted.map(|of| (of, self.default_of(of))) {
                Some((of, Some(value))) => Some((of.clone(), value)),
                _ => self.refuse("p4-type", span, "`...` stands for nothing here"),
            },
            ExpressionKind::Call(callee, _, arguments) => match &callee.kind {
                ExpressionKind::Path(path) if path.name.text == "static_assert" => {
                    self.static_assert(arguments, span)
                }
                _ => self.size_of(callee, arguments.is_empty(), span),
            },
            _ => self.unknown(span),
        }
    }

    fn refuse(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Known {
        self.error(code, span, message);
        None
    }

    fn unknown(&mut self, span: Span) -> Known {
        let message = "this is not known when the program is compiled";
        self.refuse("p4-constant", span, message)
    }

    fn is_header(&self, of: &Type) -> bool {
        let types = &self.told.types;
        types.is_record(of, RecordKind::Header) || types.is_record(of, RecordKind::Union)
    }

    fn literal(&mut self, text: &str, span: Span) -> Known {
        match value::literal(text) {
            Ok((number, width)) => {
                let of = match width {
                    None => Type::Integer,
                    Some((width, false)) => Type::Bit(width),
                    Some((width, true)) => Type::Int(width),
                };
                Some((of, Value::Number(number)))
            }
            Err(why) => self.refuse("p4-type", span, why),
        }
    }

    fn named_constant(&mut self, path: &ast::Path) -> Known {
        match self.look_up(path)? {
            // Its error was told.
            Entity::Constant(Type::Wrong, _) => None,
            Entity::Constant(of, value) => Some((of, value)),
            other => {
                let message = format!(
                    "`{}` is a {}, which is not known when the program is compiled",
                    path.name.text,
                    other.word()
                );
                self.refuse("p4-constant", path.name.span, message)
            }
        }
    }

    /// `error.X`, `E.x` of an enum.
    fn of_type(&mut self, of: &'a ast::Type, name: &ast::Name) -> Known {
        let is = self.type_of(of);
        let types = &self.told.types;
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
            Some(value) => Some((is, value)),
            None => {
                let message = format!("{} has no `{}`", types.text(&is), name.text);
                self.refuse("p4-name", name.span, message)
            }
        }
    }

    /// A field of a struct or header that is known.
    fn member(&mut self, of: &'a ast::Expression, name: &ast::Name) -> Known {
        let (is, value) = self.constant(of, None)?;
        let types = &self.told.types;
        if let (Type::Stack(_, size), "size") = (&is, name.text.as_str()) {
            return Some((Type::Bit(32), Value::Number((*size).into())));
        }
        if let (Type::Record(number), Value::Parts(parts)) = (&is, &value) {
            let fields = &types.records[*number].fields;
            if let Some(at) = fields.iter().position(|field| field.name == name.text) {
                return Some((fields[at].of.clone(), parts[at].clone()));
            }
        }
        let message = format!("{} has no `{}`", types.text(&is), name.text);
        self.refuse("p4-name", name.span, message)
    }

    /// A part of a tuple, a stack or a list that is known.
    fn index(&mut self, of: &'a ast::Expression, index: &'a ast::Expression) -> Known {
        let (is, value) = self.constant(of, None)?;
        let (_, at) = self.constant(index, None)?;
        let Value::Number(at) = at else {
            return self.refuse("p4-type", index.span, "an index is a number");
        };
        let part = match value {
            Value::Parts(parts) if !matches!(is, Type::Record(_)) => {
                usize::try_from(&at).ok().and_then(|at| {
                    let of = self.told.types.part(&is, at)?.clone();
                    Some((of, parts.into_iter().nth(at)?))
                })
            }
            _ => None,
        };
        match part {
            Some(part) => Some(part),
            None => {
                let message = format!("{} has no part {at}", self.told.types.text(&is));
                self.refuse("p4-type", index.span, message)
            }
        }
    }

    fn slice(
        &mut self,
        of: &'a ast::Expression,
        high: &'a ast::Expression,
        low: &'a ast::Expression,
        span: Span,
    ) -> Known {
        let (is, value) = self.constant(of, None)?;
        let (_, high) = self.constant(high, None)?;
        let (_, low) = self.constant(low, None)?;
        let (Value::Number(value), Value::Number(high), Value::Number(low)) = (value, high, low)
        else {
            return self.refuse("p4-type", span, "bits are cut out of numbers, at numbers");
        };
        let width = match is {
            Type::Bit(width) | Type::Int(width) => width,
            Type::Integer => value::MOST_BITS,
            _ => 0,
        };
        match (u32::try_from(&high), u32::try_from(&low)) {
            (Ok(high), Ok(low)) if low <= high && high < width => {
                let cut = value::slice(&value, high, low);
                Some((Type::Bit(high - low + 1), Value::Number(cut)))
            }
            _ => {
                let message = format!("{} has no bits {high} to {low}", self.told.types.text(&is));
                self.refuse("p4-type", span, message)
            }
        }
    }

    fn unary(&mut self, operator: Unary, of: &'a ast::Expression, span: Span) -> Known {
        let (is, value) = self.constant(of, None)?;
        let gives = match operators::unary(&self.told.types, operator, &is) {
            Ok(gives) => gives,
            Err(why) => return self.refuse("p4-type", span, why),
        };
        let value = match value {
            Value::Bool(value) => Value::Bool(!value),
            Value::Number(number) => Value::Number(value::unary(operator, number, &gives)),
            other => other,
        };
        Some((gives, value))
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &'a ast::Expression,
        right: &'a ast::Expression,
        span: Span,
    ) -> Known {
        let (left, right) = (self.constant(left, None), self.constant(right, None));
        let ((left_is, left), (right_is, right)) = (left?, right?);
        let types = &self.told.types;
        let (both, gives) = match operators::binary(types, operator, &left_is, &right_is) {
            Ok(types) => types,
            Err(why) => return self.refuse("p4-type", span, why),
        };
        let casts_right = !matches!(
            operator,
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Concat
        );
        let left = self.recast(left, &left_is, &both);
        let right = match casts_right {
            true => self.recast(right, &right_is, &both),
            false => right,
        };
        let known = match (operator, left, right) {
            (Binary::And, Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(a && b)),
            (Binary::Or, Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(a || b)),
            (Binary::Concat, Value::Number(a), Value::Number(b)) => {
                let width = self.told.types.bits(&right_is).unwrap_or(0);
                let low = value::wrap(b, width as u32, false);
                Ok(Value::Number(value::in_type((a << width) + low, &gives)))
            }
            (Binary::Mask | Binary::Range, ..) => return self.unknown(span),
            (operator, Value::Number(a), Value::Number(b)) => {
                match value::compare(operator, &a, &b) {
                    Some(answer) => Ok(Value::Bool(answer)),
                    None => value::arithmetic(operator, &a, &b, &both).map(Value::Number),
                }
            }
            (Binary::NotEqual, a, b) => Ok(Value::Bool(a != b)),
            (_, a, b) => Ok(Value::Bool(a == b)),
        };
        match known {
            Ok(value) => Some((gives, value)),
            Err(why) => self.refuse("p4-constant", span, why),
        }
    }

    fn cast(&mut self, to: &'a ast::Type, of: &'a ast::Expression, span: Span) -> Known {
        let to = self.type_of(to);
        let (from, value) = self.constant(of, Some(&to))?;
        if to == Type::Wrong {
            return None;
        }
        if let Err(why) = operators::cast(&self.told.types, &from, &to) {
            return self.refuse("p4-type", span, why);
        }
        let one = BigInt::from(1);
        let value = match (value, &to) {
            (Value::Bool(value), Type::Bit(_)) => Value::Number(u32::from(value).into()),
            (Value::Number(number), Type::Bool) if number > one || number < BigInt::from(0) => {
                return self.refuse("p4-type", span, format!("{number} is no bool"));
            }
            (Value::Number(number), Type::Bool) => Value::Bool(number == one),
            (value, _) => self.recast(value, &from, &to),
        };
        Some((to, value))
    }

    /// `{a, b}`: a tuple, or what it is for.
    fn list(
        &mut self,
        parts: &'a [ast::Expression],
        rest: bool,
        wanted: Option<&Type>,
        span: Span,
    ) -> Known {
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            let wanted = wanted.and_then(|of| self.told.types.part(of, at).cloned());
            let (is, value) = self.constant(part, wanted.as_ref())?;
            types.push(is);
            values.push(value);
        }
        // A list has no end of its own.
        let whole = wanted.filter(|of| rest && !matches!(of, Type::List(_)));
        while let Some(next) = whole.and_then(|of| self.told.types.part(of, types.len()).cloned()) {
            let Some(value) = self.default_of(&next) else {
                return self.refuse("p4-type", span, "`...` stands for nothing here");
            };
            types.push(next);
            values.push(value);
        }
        Some((Type::Tuple(types), Value::Parts(values)))
    }

    /// `{x = a, y = b}`: of a struct or a header.
    fn fields(
        &mut self,
        written: &'a [(ast::Name, ast::Expression)],
        rest: bool,
        wanted: Option<&Type>,
        span: Span,
    ) -> Known {
        let Some(Type::Record(number)) = wanted else {
            let message = "of which struct these are fields is not known here";
            return self.refuse("p4-type", span, message);
        };
        let record = self.told.types.records[*number].clone();
        let mut given = self.by_name(written);
        let mut values = Vec::new();
        for field in &record.fields {
            let value = match given.remove(field.name.as_str()) {
                Some(value) => self.constant_of(value, &field.of)?,
                None if rest => self.default_of(&field.of)?,
                None => {
                    let message = format!("`{}` of `{}` is missing", field.name, record.name);
                    return self.refuse("p4-type", span, message);
                }
            };
            values.push(value);
        }
        for (name, _) in written {
            if given.contains_key(name.text.as_str()) {
                let message = format!("`{}` has no field `{}`", record.name, name.text);
                self.error("p4-name", name.span, message);
            }
        }
        Some((Type::Record(*number), Value::Parts(values)))
    }

    /// Names with what stands for them, for fields that are told by name.
    fn by_name<'b>(
        &mut self,
        fields: &'b [(ast::Name, ast::Expression)],
    ) -> BTreeMap<&'b str, &'b ast::Expression> {
        let mut found = BTreeMap::new();
        for (name, value) in fields {
            if found.insert(name.text.as_str(), value).is_some() {
                let message = format!("`{}` is given twice", name.text);
                self.error("p4-name", name.span, message);
            }
        }
        found
    }

    /// `static_assert(condition, message)` of `core.p4`: true, or an error.
    fn static_assert(&mut self, arguments: &'a [ast::Argument], span: Span) -> Known {
        let (condition, message) = match arguments {
            [condition] => (condition, None),
            [condition, message] => (condition, Some(message)),
            _ => return self.unknown(span),
        };
        let holds = self.constant_of(&condition.value, &Type::Bool)?;
        let message = match message {
            Some(message) => self.constant_of(&message.value, &Type::Text)?,
            None => Value::Text("it does not hold".into()),
        };
        match (&holds, message) {
            (Value::Bool(false), Value::Text(text)) => {
                self.refuse("p4-constant", span, format!("static_assert: {text}"))
            }
            _ => Some((Type::Bool, holds)),
        }
    }

    /// `H.minSizeInBits()` and its like, of a type (§9.1).
    fn size_of(&mut self, callee: &'a ast::Expression, no_arguments: bool, span: Span) -> Known {
        let ExpressionKind::OfType(of, name) = &callee.kind else {
            return self.unknown(span);
        };
        let (is_most, bits) = match name.text.as_str() {
            "minSizeInBits" => (false, 1),
            "minSizeInBytes" => (false, 8),
            "maxSizeInBits" => (true, 1),
            "maxSizeInBytes" => (true, 8),
            _ => return self.unknown(span),
        };
        if !no_arguments || matches!(of.kind, TypeKind::Any) {
            return self.unknown(span);
        }
        let is = self.type_of(of);
        if is == Type::Wrong {
            return None;
        }
        let size = match is_most {
            true => self.told.types.bits(&is),
            false => self.told.types.least_bits(&is),
        };
        match size {
            Some(size) => Some((Type::Integer, Value::Number(size.div_ceil(bits).into()))),
            None => {
                let message = format!("{} has no size", self.told.types.text(&is));
                self.refuse("p4-type", span, message)
            }
        }
    }
}
