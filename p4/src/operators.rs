//! Which types operators take, and which type they give (§8). What is wrong is told in words, without a place.

use crate::ast::{Binary, Unary};
use crate::types::{RecordKind, Type, Types};
use crate::value::MOST_BITS;

impl Unary {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Complement => "~",
            Unary::Minus => "-",
            Unary::Plus => "+",
        }
    }
}

impl Binary {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::AddSaturating => "|+|",
            Binary::SubtractSaturating => "|-|",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::LessOrEqual => "<=",
            Binary::GreaterOrEqual => ">=",
            Binary::Less => "<",
            Binary::Greater => ">",
            Binary::NotEqual => "!=",
            Binary::Equal => "==",
            Binary::BitAnd => "&",
            Binary::BitXor => "^",
            Binary::BitOr => "|",
            Binary::Concat => "++",
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Mask => "&&&",
            Binary::Range => "..",
        }
    }
}

/// What an operator in front gives.
///
/// # Errors
/// It does not take this type.
pub fn unary(types: &Types, operator: Unary, of: &Type) -> Result<Type, String> {
    match (operator, of) {
        (_, Type::Wrong) | (Unary::Not, Type::Bool) => Ok(of.clone()),
        (Unary::Minus | Unary::Plus, Type::Integer | Type::Bit(_) | Type::Int(_)) => Ok(of.clone()),
        (Unary::Complement, Type::Bit(_) | Type::Int(_)) => Ok(of.clone()),
        (Unary::Minus | Unary::Plus | Unary::Complement, Type::Enum(number)) => {
            match &types.enums[*number].below {
                Some(below) => unary(types, operator, below),
                None => Err(format!(
                    "`{}` does not take {}",
                    operator.sign(),
                    types.text(of)
                )),
            }
        }
        _ => Err(format!(
            "`{}` does not take {}",
            operator.sign(),
            types.text(of)
        )),
    }
}

/// The type that both sides of an operator have once the compiler has cast what it casts by itself (§8.11.2): an `int` to the width of
/// the other side, a member of a serializable enum to what is below it.
pub fn common(types: &Types, left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (Type::Wrong | Type::Any, other) | (other, Type::Wrong | Type::Any) => Some(other.clone()),
        _ if left == right => Some(left.clone()),
        (Type::Integer, Type::Bit(_) | Type::Int(_)) => Some(right.clone()),
        (Type::Bit(_) | Type::Int(_), Type::Integer) => Some(left.clone()),
        (Type::Tuple(one), Type::Tuple(other)) if one.len() == other.len() => {
            let parts = one.iter().zip(other);
            let parts: Option<Vec<Type>> = parts.map(|(a, b)| common(types, a, b)).collect();
            Some(Type::Tuple(parts?))
        }
        _ => match (types.below_enum(left), types.below_enum(right)) {
            (Some(of), _) => common(types, of, right),
            (None, Some(of)) => common(types, left, of),
            (None, None) => None,
        },
    }
}

/// What an operator between two expressions works on, and what it gives. Both sides are cast to the first type, but for shifts and
/// `++`, which take each side as it is.
///
/// # Errors
/// It does not take these types.
pub fn binary(
    types: &Types,
    operator: Binary,
    left: &Type,
    right: &Type,
) -> Result<(Type, Type), String> {
    if *left == Type::Wrong || *right == Type::Wrong {
        return Ok((Type::Wrong, Type::Wrong));
    }
    let sign = operator.sign();
    let refuse = || {
        let (left, right) = (types.text(left), types.text(right));
        Err(format!("`{sign}` does not take {left} and {right}"))
    };
    let both = common(types, left, right);
    match operator {
        Binary::ShiftLeft | Binary::ShiftRight => shift(types, left, right).map_or_else(refuse, Ok),
        Binary::Concat => concat(types, left, right).map_or_else(refuse, Ok),
        Binary::And | Binary::Or if both == Some(Type::Bool) => Ok((Type::Bool, Type::Bool)),
        Binary::And | Binary::Or => refuse(),
        Binary::Equal | Binary::NotEqual => match both {
            Some(both) if is_compared(types, &both) => Ok((both, Type::Bool)),
            _ => refuse(),
        },
        _ => {
            let Some(both) = both.and_then(|both| number(types, &both)) else {
                return refuse();
            };
            let is_fixed = matches!(both, Type::Bit(_) | Type::Int(_));
            let takes = match operator {
                Binary::AddSaturating | Binary::SubtractSaturating => is_fixed,
                Binary::Divide | Binary::Modulo => matches!(both, Type::Bit(_) | Type::Integer),
                _ => is_fixed || both == Type::Integer,
            };
            let gives = match operator {
                Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => {
                    Type::Bool
                }
                _ => both.clone(),
            };
            match takes {
                true => Ok((both, gives)),
                false => refuse(),
            }
        }
    }
}

/// A type without the enum around it.
fn number(types: &Types, of: &Type) -> Option<Type> {
    match of {
        Type::Bit(_) | Type::Int(_) | Type::Integer => Some(of.clone()),
        _ => types.below_enum(of).cloned(),
    }
}

/// By what is not signed, or by a number that the compiler knows (§8.5).
fn shift(types: &Types, left: &Type, right: &Type) -> Option<(Type, Type)> {
    let (left, right) = (number(types, left)?, number(types, right)?);
    // A right side that is signed must be known, which is looked at where it is.
    matches!(right, Type::Bit(_) | Type::Int(_) | Type::Integer).then(|| (left.clone(), left))
}

/// Of numbers that have a width; as the left one is signed, so is the result (§8.5). Of texts that the compiler knows (§8.3).
fn concat(types: &Types, left: &Type, right: &Type) -> Option<(Type, Type)> {
    if (left, right) == (&Type::Text, &Type::Text) {
        return Some((Type::Text, Type::Text));
    }
    let (left, right) = (number(types, left)?, number(types, right)?);
    let width = |of: &Type| match of {
        Type::Bit(width) | Type::Int(width) => Some(*width),
        _ => None,
    };
    let both = width(&left)?
        .checked_add(width(&right)?)
        .filter(|both| *both <= MOST_BITS)?;
    let gives = match left {
        Type::Int(_) => Type::Int(both),
        _ => Type::Bit(both),
    };
    Some((left, gives))
}

/// What `==` takes: no object, nothing whose type is not known yet (§8.26), and nothing with one of these in it.
fn is_compared(types: &Types, of: &Type) -> bool {
    !types.contains(of, &|of| {
        matches!(
            of,
            Type::Object(..) | Type::Void | Type::Text | Type::List(_) | Type::Parameter(_)
        )
    })
}

/// Whether `(to) value` is allowed (§8.11.1), and where not, why.
///
/// # Errors
/// It is not.
pub fn cast(types: &Types, from: &Type, to: &Type) -> Result<(), String> {
    let below = |of: &Type| match of {
        Type::New(number) => Some(&types.news[*number].below),
        _ => types.below_enum(of),
    };
    let is_allowed = match (from, to) {
        (Type::Wrong, _) | (_, Type::Wrong) => true,
        _ if from == to => true,
        (Type::Bit(1), Type::Bool) | (Type::Bool, Type::Bit(1)) => true,
        (Type::Integer, Type::Bool) => true,
        (Type::Bit(_), Type::Bit(_)) | (Type::Int(_), Type::Int(_)) => true,
        (Type::Bit(from), Type::Int(to)) | (Type::Int(from), Type::Bit(to)) => from == to,
        (Type::Integer, Type::Bit(_) | Type::Int(_)) => true,
        (Type::Bit(_) | Type::Int(_), Type::Integer) => true,
        (Type::Tuple(_), Type::Record(_) | Type::Stack(..) | Type::List(_)) => {
            implicit(types, from, to)
        }
        (from, to) if below(from) == Some(to) || below(to) == Some(from) => true,
        // §8.25: a type of its own is cast to and from what it is made of, and from a number without a width.
        (Type::Integer, Type::New(number)) => cast(types, from, &types.news[*number].below).is_ok(),
        (Type::New(_), _) | (_, Type::New(_)) => false,
        _ => match (below(from), below(to)) {
            (Some(from), Some(to)) => from == to,
            (Some(from), None) => cast(types, from, to).is_ok(),
            (None, Some(to)) => cast(types, from, to).is_ok(),
            (None, None) => false,
        },
    };
    match is_allowed {
        true => Ok(()),
        false => {
            let (from, to) = (types.text(from), types.text(to));
            Err(format!("{from} is not cast to {to}"))
        }
    }
}

/// Whether the compiler casts by itself (§8.11.2).
pub fn implicit(types: &Types, from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Wrong | Type::Any, _) | (_, Type::Wrong | Type::Any) => true,
        _ if from == to => true,
        // An `int` is always known to the compiler.
        (Type::Integer, Type::Bit(_) | Type::Int(_)) => true,
        (Type::Bit(_) | Type::Int(_), Type::Integer) => true,
        (Type::Enum(_), _) => {
            let below = types.below_enum(from);
            below.is_some_and(|below| implicit(types, below, to))
        }
        (Type::Tuple(parts), _) if !types.is_record(to, RecordKind::Union) => {
            let ends = matches!(to, Type::List(_)) || types.part(to, parts.len()).is_none();
            let becomes = |(at, from)| {
                types
                    .part(to, at)
                    .is_some_and(|to| implicit(types, from, to))
            };
            ends && has_parts(to) && parts.iter().enumerate().all(becomes)
        }
        _ => false,
    }
}

/// What a tuple can become.
fn has_parts(of: &Type) -> bool {
    matches!(
        of,
        Type::Tuple(_) | Type::Record(_) | Type::Stack(..) | Type::List(_)
    )
}
