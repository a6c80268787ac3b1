//! What operators make of values with their types (§8): what the compiler does, and who runs programs.

use crate::ast::{Binary, Unary};
use crate::types::{Type, Types};
use crate::value::{self, Value};

/// What an operator in front makes of a value; `of` is the type of both.
pub fn unary(operator: Unary, value: Value, of: &Type) -> Value {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::Number(number) => Value::Number(value::unary(operator, number, of)),
        other => other,
    }
}

/// What an operator makes of two values, `of` being the type of the left one (and of both, but for shifts and `++`), `right_bits` the
/// width of the right one.
///
/// # Errors
/// It has no value: a division by zero and the like.
pub fn binary(
    operator: Binary,
    left: Value,
    right: Value,
    of: &Type,
    right_bits: u32,
) -> Result<Value, String> {
    Ok(match (operator, left, right) {
        (Binary::And, Value::Bool(a), Value::Bool(b)) => Value::Bool(a && b),
        (Binary::Or, Value::Bool(a), Value::Bool(b)) => Value::Bool(a || b),
        (Binary::Concat, Value::Text(a), Value::Text(b)) => Value::Text(a + &b),
        (Binary::Concat, Value::Number(a), Value::Number(b)) => {
            let low = value::wrap(b, right_bits, false);
            Value::Number((a << right_bits) + low)
        }
        (operator, Value::Number(a), Value::Number(b)) => match value::compare(operator, &a, &b) {
            Some(answer) => Value::Bool(answer),
            None => Value::Number(value::arithmetic(operator, &a, &b, of)?),
        },
        (Binary::NotEqual, a, b) => Value::Bool(a != b),
        (_, a, b) => Value::Bool(a == b),
    })
}

/// The same value in another type, to which it can be cast (§8.11).
///
/// # Errors
/// It cannot: a number that is no `bool`.
pub fn cast(types: &Types, value: Value, to: &Type) -> Result<Value, String> {
    let inner = match to {
        Type::New(number) => return cast(types, value, &types.news[*number].below),
        Type::Enum(_) => types.below_enum(to).unwrap_or(to),
        _ => to,
    };
    Ok(match (value, inner) {
        (Value::Bool(value), Type::Bit(_)) => Value::Number(u32::from(value).into()),
        (Value::Number(number), Type::Bool) => match u8::try_from(&number) {
            Ok(0) => Value::Bool(false),
            Ok(1) => Value::Bool(true),
            _ => return Err(format!("{number} is no bool")),
        },
        (Value::Number(number), to) => Value::Number(value::in_type(number, to)),
        (Value::Parts(parts), to) => {
            let parts = parts.into_iter().enumerate();
            let parts = parts.map(|(at, part)| match types.part(to, at) {
                Some(to) => cast(types, part, to),
                None => Ok(part),
            });
            Value::Parts(parts.collect::<Result<_, _>>()?)
        }
        (value, _) => value,
    })
}

/// The bits `high` to `low` of a number.
pub fn slice(value: Value, high: u32, low: u32) -> Value {
    match value {
        Value::Number(number) => Value::Number(value::slice(&number, high, low)),
        other => other,
    }
}

/// A number that is small enough, from a value.
pub fn index(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => usize::try_from(number).ok(),
        _ => None,
    }
}
