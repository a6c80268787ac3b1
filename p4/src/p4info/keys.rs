//! What the control plane calls the parts of a key: their `@name`, or what they are made of (§20.3.3). P4Runtime writes `$valid$` for the
//! validity of a header, and a field can have a `@name` of its own.

use super::Maker;
use crate::ast::Binary;
use crate::design::{joined, name_of};
use crate::typed::{Callee, Expression, ExpressionKind, Key};
use crate::types::Type;
use crate::value::Value;
use num_bigint::BigInt;

impl Maker<'_> {
    /// The name of a part of a key; `None`: it is too complex and says none.
    pub(super) fn key_name(&self, key: &Key) -> Option<String> {
        let said = crate::check::text_of(&key.annotations, "name");
        said.or_else(|| self.shown(&key.value))
    }

    fn shown(&self, of: &Expression) -> Option<String> {
        Some(match &of.kind {
            ExpressionKind::Value(Value::Number(number)) => self.digits(number, of),
            ExpressionKind::Variable(number) => self.program.variables[*number].name.clone(),
            ExpressionKind::Field(record, at) => {
                let Type::Record(number) = record.of else {
                    return None;
                };
                let field = self.program.types.records[number].fields.get(*at)?;
                let own = name_of(&field.annotations, &field.name);
                match own.starts_with('.') {
                    // It stands alone, whatever it is a field of.
                    true => joined("", &own),
                    false => joined(&self.shown(record)?, &own),
                }
            }
            ExpressionKind::Index(stack, at) => {
                format!("{}[{}]", self.shown(stack)?, self.shown(at)?)
            }
            ExpressionKind::Slice(of, high, low) => {
                format!("{}[{high}:{low}]", self.shown(of)?)
            }
            ExpressionKind::LastIndex(stack) => format!("{}.lastIndex", self.shown(stack)?),
            ExpressionKind::Binary(Binary::BitAnd, one, other) => {
                format!("{} & {}", self.shown(one)?, self.shown(other)?)
            }
            ExpressionKind::Call(call) => match &call.callee {
                Callee::IsValid(header) => format!("{}.$valid$", self.shown(header)?),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// A number in the base in which it is written.
    fn digits(&self, number: &BigInt, of: &Expression) -> String {
        let written = self.sources.text(of.span).to_lowercase();
        match written {
            text if text.contains("0x") => format!("{number:#x}"),
            text if text.contains("0b") => format!("{number:#b}"),
            text if text.contains("0o") => format!("{number:#o}"),
            _ => number.to_string(),
        }
    }
}
