//! Bits that are cut out of numbers: `e[high:low]`, `e[low +: width]` (§8.7).

use super::Checker;
use crate::ast;
use crate::fold;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind};
use crate::types::Type;
use crate::value::{self, Value};

/// An expression. `None`: an error was told.
type Found = Option<Expression>;

impl<'a> Checker<'a> {
    pub(super) fn slice(
        &mut self,
        of: &'a ast::Expression,
        high: &'a ast::Expression,
        low: &'a ast::Expression,
        span: Span,
    ) -> Found {
        let of = self.expression(of, None);
        let (high, low) = (self.known(high, None), self.known(low, None));
        let (of, high, low) = (of?, high?, low?);
        let width = self.cut_from(&of, span)?;
        let numbers = [&high, &low].map(|one| one.known().and_then(fold::index));
        let shown = [&high, &low].map(|one| match one.known() {
            Some(Value::Number(number)) => number.to_string(),
            _ => self.types().text(&one.of),
        });
        let [Some(high), Some(low)] = numbers else {
            let message = match (&shown[0], &shown[1]) {
                (high, low) if high.parse::<i64>().is_ok() && low.parse::<i64>().is_ok() => {
                    format!("{} has no bits {high} to {low}", self.types().text(&of.of))
                }
                _ => "bits are cut out of numbers, at numbers".into(),
            };
            return self.refuse("p4-type", span, message);
        };
        if low > high && low < width {
            let message = "the higher bit stands in front";
            let error = self.sources.error("p4-type", span, message);
            self.errors
                .push(error.help(format!("write `[{low}:{high}]`")));
            return None;
        }
        if low > high || high >= width {
            let message = format!("{} has no bits {high} to {low}", self.types().text(&of.of));
            return self.refuse("p4-type", span, message);
        }
        let (high, low) = (high as u32, low as u32);
        let kind = match of.kind {
            ExpressionKind::Value(value) => ExpressionKind::Value(fold::slice(value, high, low)),
            _ => ExpressionKind::Slice(Box::new(of), high, low),
        };
        Some(Expression {
            kind,
            of: Type::Bit(high - low + 1),
            span,
        })
    }

    /// So many bits something has to cut out of.
    fn cut_from(&mut self, of: &Expression, span: Span) -> Option<usize> {
        let inner = self.types().below_enum(&of.of).unwrap_or(&of.of);
        match inner {
            Type::Bit(width) | Type::Int(width) => Some(*width as usize),
            Type::Integer => Some(value::MOST_BITS as usize),
            Type::Wrong => None,
            _ => {
                let message = format!("no bits are cut out of {}", self.types().text(&of.of));
                self.refuse("p4-type", span, message)
            }
        }
    }

    /// `e[low +: width]`.
    pub(super) fn part(
        &mut self,
        of: &'a ast::Expression,
        low: &'a ast::Expression,
        width: &'a ast::Expression,
        span: Span,
    ) -> Found {
        let of = self.expression(of, None);
        let (low, width) = (self.expression(low, None), self.known(width, None));
        let (of, low, width) = (of?, low?, width?);
        let whole = self.cut_from(&of, span)?;
        let wide = width
            .known()
            .and_then(fold::index)
            .filter(|wide| (1..=whole).contains(wide));
        let Some(wide) = wide else {
            let message = format!("{} has no part of this width", self.types().text(&of.of));
            return self.refuse("p4-type", width.span, message);
        };
        if let Some(at) = low.known() {
            let Some(at) = fold::index(at).filter(|at| at + wide <= whole) else {
                let message = format!("{} has no part there", self.types().text(&of.of));
                return self.refuse("p4-type", low.span, message);
            };
            let (high, low) = ((at + wide - 1) as u32, at as u32);
            let kind = match of.kind {
                ExpressionKind::Value(value) => {
                    ExpressionKind::Value(fold::slice(value, high, low))
                }
                _ => ExpressionKind::Slice(Box::new(of), high, low),
            };
            return Some(Expression {
                kind,
                of: Type::Bit(wide as u32),
                span,
            });
        }
        if !matches!(low.of, Type::Bit(_)) {
            return self.refuse("p4-type", low.span, "where a part begins is a bit<W>");
        }
        Some(Expression {
            kind: ExpressionKind::Part(Box::new(of), Box::new(low), wide as u32),
            of: Type::Bit(wide as u32),
            span,
        })
    }
}
