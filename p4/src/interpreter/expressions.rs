//! Expressions (§8), from left to right.

use super::data::{self, Data};
use super::places::{sliced, zero_like};
use super::{Machine, Run};
use crate::ast::Binary;
use crate::fold;
use crate::typed::{Expression, ExpressionKind};
use crate::types::Type;
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn expression(&mut self, of: &Expression) -> Run<Data> {
        let program = self.program;
        Ok(match &of.kind {
            ExpressionKind::Value(value) => data::from_value(&program.types, value, &of.of),
            ExpressionKind::Variable(number) => self.variables[*number].clone(),
            ExpressionKind::Object(number) => self.object(*number, of)?,
            ExpressionKind::This => Data::Object(self.method_of),
            ExpressionKind::Field(inner, at) => match self.expression(inner)? {
                Data::Object(object) => {
                    let inner = self.design.inner_object(object, *at);
                    inner.map_or(Data::Void, Data::Object)
                }
                whole => whole.parts().get(*at).cloned().unwrap_or(Data::Void),
            },
            ExpressionKind::Index(inner, at) => {
                let whole = self.expression(inner)?;
                let at = usize::try_from(self.expression(at)?.to_number()).unwrap_or(usize::MAX);
                match whole.parts().get(at) {
                    Some(part) => part.clone(),
                    None => zero_like(&whole),
                }
            }
            ExpressionKind::Slice(inner, high, low) => {
                sliced(&self.expression(inner)?, *high, *low)
            }
            ExpressionKind::Part(inner, low, width) => {
                let whole = self.expression(inner)?;
                let low = u32::try_from(self.expression(low)?.to_number()).unwrap_or(u32::MAX / 2);
                sliced(&whole, low.saturating_add(width - 1), low)
            }
            ExpressionKind::Next(_) | ExpressionKind::Last(_) => {
                let place = self.place(of)?;
                self.read(&place)
            }
            ExpressionKind::LastIndex(inner) => match self.expression(inner)? {
                Data::Stack(next, _) if next > 0 => Data::number(next - 1),
                _ => return self.reject("StackOutOfBounds"),
            },
            ExpressionKind::Unary(operator, inner) => {
                let value = self.expression(inner)?.to_value();
                let of = self.program.types.number_type(&of.of);
                data::from_value(&program.types, &fold::unary(*operator, value, of), of)
            }
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            ExpressionKind::Cast(inner) => {
                let value = self.expression(inner)?;
                self.cast(value, &of.of)
            }
            ExpressionKind::Choice(condition, yes, no) => {
                match self.expression(condition)? == Data::Bool(true) {
                    true => self.expression(yes)?,
                    false => self.expression(no)?,
                }
            }
            ExpressionKind::Parts(parts) => {
                let parts: Vec<Data> = parts
                    .iter()
                    .map(|part| self.expression(part))
                    .collect::<Run<_>>()?;
                data::parts_of(&program.types, &of.of, parts)
            }
            ExpressionKind::PartsIn(parts, order) => {
                let mut made = vec![Data::Void; parts.len()];
                let others = (0..parts.len()).filter(|at| !order.contains(at));
                for at in order.iter().copied().chain(others) {
                    made[at] = self.expression(&parts[at])?;
                }
                data::parts_of(&program.types, &of.of, made)
            }
            ExpressionKind::Call(call) => self.call(call, of)?,
            ExpressionKind::Apply(table) => self.apply_table(*table, of.span)?,
            ExpressionKind::Hit(inner) => match self.expression(inner)? {
                Data::Applied(hit, _) => Data::Bool(hit),
                _ => Data::Bool(false),
            },
            ExpressionKind::Miss(inner) => match self.expression(inner)? {
                Data::Applied(hit, _) => Data::Bool(!hit),
                _ => Data::Bool(true),
            },
            ExpressionKind::Ignored => Data::Void,
        })
    }

    /// The object that the running one has made there, or that was made outside of everything.
    fn object(&self, number: usize, of: &Expression) -> Run<Data> {
        match self.design.made_at(number, self.this) {
            Some(object) => Ok(Data::Object(object)),
            None => self.refuse(of.span, "this object is not made before packets come"),
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expression, right: &Expression) -> Run<Data> {
        let first = self.expression(left)?;
        // §8.4: the right side of these is not looked at where the left one says it all.
        match (operator, &first) {
            (Binary::And, Data::Bool(false)) | (Binary::Or, Data::Bool(true)) => return Ok(first),
            _ => {}
        }
        let second = self.expression(right)?;
        match operator {
            Binary::Equal => return Ok(Data::Bool(first.equals(&second))),
            Binary::NotEqual => return Ok(Data::Bool(!first.equals(&second))),
            _ => {}
        }
        let of = self.program.types.number_type(&left.of);
        let width = self.program.types.bits(&right.of).unwrap_or(0) as u32;
        let found = fold::binary(operator, first.to_value(), second.to_value(), of, width);
        // A division by zero is left open (§8.8).
        Ok(match found.unwrap_or(Value::Number(0.into())) {
            Value::Bool(value) => Data::Bool(value),
            Value::Number(number) => Data::Number(number),
            Value::Text(text) => Data::Text(text),
            _ => Data::Void,
        })
    }

    /// The same value in another type (§8.11).
    fn cast(&self, value: Data, to: &Type) -> Data {
        let types = &self.program.types;
        match (&value, to) {
            (_, Type::New(number)) => self.cast(value, &types.news[*number].below),
            (Data::Struct(parts), to) => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(at, part)| match types.part(to, at) {
                    Some(of) => self.cast(part.clone(), of),
                    None => part.clone(),
                });
                data::parts_of(types, to, parts.collect())
            }
            (Data::Bool(_) | Data::Number(_), _) => {
                let cast = fold::cast(types, value.to_value(), to);
                cast.map_or(value, |cast| data::from_value(types, &cast, to))
            }
            _ => value,
        }
    }
}
