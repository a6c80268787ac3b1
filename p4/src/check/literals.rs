//! Numbers, and what stands in braces (§6.4.3, §8.12, §8.26).

use super::Checker;
use crate::ast;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind};
use crate::types::{RecordKind, Type};
use crate::value::{self, Value};
use std::collections::BTreeMap;

/// An expression. `None`: an error was told.
type Found = Option<Expression>;

impl<'a> Checker<'a> {
    pub(super) fn literal(&mut self, text: &str, span: Span) -> Found {
        match value::literal(text) {
            Ok((number, width)) => {
                let of = match width {
                    None => Type::Integer,
                    Some((width, false)) => Type::Bit(width),
                    Some((width, true)) => Type::Int(width),
                };
                if let Some((_, digits)) = text.split_once(['w', 's']) {
                    let written = value::literal(digits).map(|(number, _)| number);
                    self.doubt_number(&written.unwrap_or_default(), &of, span);
                }
                Some(made(Value::Number(number), of, span))
            }
            Err(why) => self.refuse("p4-type", span, why),
        }
    }

    /// `{#}`.
    pub(super) fn invalid(&mut self, wanted: Option<&Type>, span: Span) -> Found {
        match wanted {
            Some(of)
                if self.types().is_record(of, RecordKind::Header)
                    || self.types().is_record(of, RecordKind::Union) =>
            {
                Some(made(Value::Invalid, of.clone(), span))
            }
            _ => self.refuse("p4-type", span, "`{#}` stands only for a header or a union"),
        }
    }

    /// `...` alone.
    pub(super) fn rest(&mut self, wanted: Option<&Type>, span: Span) -> Found {
        match wanted.map(|of| (of, self.default_of(of))) {
            Some((of, Some(value))) => Some(made(value, of.clone(), span)),
            _ => self.refuse("p4-type", span, "`...` stands for nothing here"),
        }
    }

    /// `{a, b}`: a tuple, or what it is for.
    pub(super) fn list(
        &mut self,
        parts: &'a [ast::Expression],
        rest: bool,
        wanted: Option<&Type>,
        span: Span,
    ) -> Found {
        let mut known = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let wanted = wanted.and_then(|of| self.types().part(of, at).cloned());
            known.push(self.expression(part, wanted.as_ref()));
        }
        let mut known: Vec<Expression> = known.into_iter().collect::<Option<_>>()?;
        if rest && wanted.is_none() {
            return self.refuse("p4-type", span, "`...` stands for nothing here");
        }
        // A list has no end of its own.
        let whole = wanted.filter(|of| rest && !matches!(of, Type::List(_)));
        while let Some(next) = whole.and_then(|of| self.types().part(of, known.len()).cloned()) {
            let Some(value) = self.default_of(&next) else {
                return self.refuse("p4-type", span, "`...` stands for nothing here");
            };
            known.push(made(value, next, span));
        }
        let of = Type::Tuple(known.iter().map(|part| part.of.clone()).collect());
        Some(parts_of(known, of, span))
    }

    /// `{x = a, y = b}`: of a struct or a header.
    pub(super) fn fields(
        &mut self,
        written: &'a [(ast::Name, ast::Expression)],
        rest: bool,
        wanted: Option<&Type>,
        span: Span,
    ) -> Found {
        let number = match wanted {
            Some(Type::Record(number))
                if !self
                    .types()
                    .is_record(&Type::Record(*number), RecordKind::Union) =>
            {
                *number
            }
            Some(of) => {
                let message = format!("{} is wanted, these are fields", self.types().text(of));
                return self.refuse("p4-type", span, message);
            }
            None => return self.unnamed(written, rest, span),
        };
        let record = self.types().records[number].clone();
        let given = self.by_name(written);
        let mut known = Vec::new();
        for field in &record.fields {
            known.push(match given.get(field.name.as_str()) {
                Some(value) => self.value_of(value, &field.of),
                None if rest => match self.default_of(&field.of) {
                    Some(value) => Some(made(value, field.of.clone(), span)),
                    None => self.refuse("p4-type", span, "`...` stands for nothing here"),
                },
                None => {
                    let message = format!("`{}` of `{}` is missing", field.name, record.name);
                    self.refuse("p4-type", span, message)
                }
            });
        }
        for (name, _) in written {
            if !record.fields.iter().any(|field| field.name == name.text) {
                let message = format!("`{}` has no field `{}`", record.name, name.text);
                self.error("p4-name", name.span, message);
            }
        }
        let known: Vec<Expression> = known.into_iter().collect::<Option<_>>()?;
        let whole = parts_of(known, Type::Record(number), span);
        let place = |name: &str| record.fields.iter().position(|field| field.name == name);
        let order: Option<Vec<usize>> = written.iter().map(|(name, _)| place(&name.text)).collect();
        Some(match (whole.kind, order) {
            // They happen in the order in which they are written.
            (ExpressionKind::Parts(parts), Some(order)) if !order.is_sorted() => Expression {
                kind: ExpressionKind::PartsIn(parts, order),
                ..whole
            },
            (kind, _) => Expression { kind, ..whole },
        })
    }

    /// Fields of a struct that has no name, for which the first one to want it decides; until then they are a tuple.
    fn unnamed(
        &mut self,
        written: &'a [(ast::Name, ast::Expression)],
        rest: bool,
        span: Span,
    ) -> Found {
        if rest {
            let message = "of which struct these are fields is not known here";
            return self.refuse("p4-type", span, message);
        }
        self.by_name(written);
        let known: Vec<_> = written
            .iter()
            .map(|(_, value)| self.expression(value, None))
            .collect();
        let known: Vec<Expression> = known.into_iter().collect::<Option<_>>()?;
        let fields = written
            .iter()
            .zip(&known)
            .map(|((name, _), value)| crate::types::Field {
                name: name.text.clone(),
                of: value.of.clone(),
                annotations: Vec::new(),
                span: name.span,
            });
        let fields: Vec<_> = fields.collect();
        let types = &mut self.told.types;
        let extent =
            crate::types::Extent::around(fields.iter().map(|field| types.extent(&field.of)));
        let number = types.records.len();
        types.records.push(crate::types::Record {
            kind: RecordKind::Struct,
            name: String::new(),
            given: Vec::new(),
            fields,
            extent,
            annotations: Vec::new(),
            span,
        });
        Some(parts_of(known, Type::Record(number), span))
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
}

/// A value with its type.
pub(super) fn made(value: Value, of: Type, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Value(value),
        of,
        span,
    }
}

/// All parts of something: a value, where all of them are.
pub(super) fn parts_of(parts: Vec<Expression>, of: Type, span: Span) -> Expression {
    let known: Option<Vec<Value>> = parts.iter().map(|part| part.known().cloned()).collect();
    let kind = match known {
        Some(values) => ExpressionKind::Value(Value::Parts(values)),
        None => ExpressionKind::Parts(parts),
    };
    Expression { kind, of, span }
}
