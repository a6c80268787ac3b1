//! Values that are known when a program is compiled, and what operators make of them (§8).

use crate::ast::{Binary, Unary};
use crate::types::Type;
use num_bigint::{BigInt, Sign};

/// A value; its type stands beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a `bool`.
    Bool(bool),
    /// Of a `bit`, an `int` or a `varbit`: the number itself, in the range of its type.
    Number(BigInt),
    /// Of a `string`.
    Text(String),
    /// Of an enum, of `error` or `match_kind`: the number of the member. A serializable enum has its value as a number.
    Member(usize),
    /// Of a tuple, a list, a struct, a stack, or of a header that is valid: its parts.
    Parts(Vec<Value>),
    /// `{#}`: a header or a union that is not valid.
    Invalid,
}

/// Bits that a shift to the left may make of an `int`.
pub const MOST_BITS: u32 = 1 << 16;

/// A literal (§6.4.3): its value, and its width and whether it is signed, where it says so.
///
/// # Errors
/// What is wrong with it.
pub fn literal(text: &str) -> Result<(BigInt, Option<(u32, bool)>), String> {
    let text: String = text.chars().filter(|&c| c != '_').collect();
    // `w` and `s` are no digits of any base.
    let (width, digits) = match text.find(['w', 's']) {
        None => (None, text.as_str()),
        Some(at) => {
            let width = text[..at].parse().ok();
            let width = width.filter(|width| *width <= MOST_BITS);
            let width = width.ok_or_else(|| format!("a literal has at most {MOST_BITS} bits"))?;
            if width == 0 && &text[at..=at] == "s" {
                return Err("a signed number has at least one bit".into());
            }
            (Some((width, &text[at..=at] == "s")), &text[at + 1..])
        }
    };
    let (base, digits) = match digits.get(..2).unwrap_or("") {
        "0x" | "0X" => (16, &digits[2..]),
        "0b" | "0B" => (2, &digits[2..]),
        "0o" | "0O" => (8, &digits[2..]),
        "0d" | "0D" => (10, &digits[2..]),
        _ => (10, digits),
    };
    let value = BigInt::parse_bytes(digits.as_bytes(), base);
    let value = value.ok_or_else(|| format!("{text} is no number of base {base}"))?;
    if value.bits() > MOST_BITS.into() {
        return Err(format!("a number has at most {MOST_BITS} bits"));
    }
    Ok(match width {
        Some((bits, is_signed)) => (wrap(value, bits, is_signed), width),
        None => (value, None),
    })
}

/// The number that has the same last bits and is in range (§8.5, §8.6).
pub fn wrap(value: BigInt, width: u32, is_signed: bool) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let mut value = value % &modulus;
    if value.sign() == Sign::Minus {
        value += &modulus;
    }
    if is_signed && width > 0 && value.bit(u64::from(width) - 1) {
        value -= modulus;
    }
    value
}

/// The number as its type holds it; an `int` holds all.
pub fn in_type(value: BigInt, of: &Type) -> BigInt {
    match of {
        Type::Bit(width) => wrap(value, *width, false),
        Type::Int(width) => wrap(value, *width, true),
        _ => value,
    }
}

/// Whether its type holds the number.
pub fn fits(value: &BigInt, of: &Type) -> bool {
    in_type(value.clone(), of) == *value
}

/// What an operator in front makes of a number of this type.
pub fn unary(operator: Unary, value: BigInt, of: &Type) -> BigInt {
    match operator {
        Unary::Minus => in_type(-value, of),
        Unary::Complement => in_type(-value - 1, of),
        Unary::Plus | Unary::Not => value,
    }
}

/// What an operator makes of two numbers; `of` is the type of the left one, and of the result.
///
/// # Errors
/// A division by zero or of negative numbers, a shift by a negative number or by too many bits.
pub fn arithmetic(
    operator: Binary,
    left: &BigInt,
    right: &BigInt,
    of: &Type,
) -> Result<BigInt, String> {
    let exact = match operator {
        Binary::Multiply => left * right,
        Binary::Add | Binary::AddSaturating => left + right,
        Binary::Subtract | Binary::SubtractSaturating => left - right,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::Divide | Binary::Modulo => return divide(operator, left, right),
        Binary::ShiftLeft | Binary::ShiftRight => return shift(operator, left, right, of),
        _ => return Err("this is no operator of numbers".into()),
    };
    Ok(match operator {
        Binary::AddSaturating | Binary::SubtractSaturating => saturate(exact, of),
        _ => in_type(exact, of),
    })
}

/// §8.8: of numbers that are not negative only.
fn divide(operator: Binary, left: &BigInt, right: &BigInt) -> Result<BigInt, String> {
    if right.sign() == Sign::NoSign {
        return Err("division by zero".into());
    }
    if left.sign() == Sign::Minus || right.sign() == Sign::Minus {
        return Err("negative numbers are not divided".into());
    }
    Ok(match operator {
        Binary::Divide => left / right,
        _ => left % right,
    })
}

/// §8.5: a shift by the width or more leaves the sign, or nothing.
fn shift(operator: Binary, left: &BigInt, right: &BigInt, of: &Type) -> Result<BigInt, String> {
    if right.sign() == Sign::Minus {
        return Err("a shift by a negative number".into());
    }
    let distance = u32::try_from(right).unwrap_or(u32::MAX).min(2 * MOST_BITS);
    if operator == Binary::ShiftRight {
        return Ok(left >> distance);
    }
    let result = match of {
        Type::Bit(width) | Type::Int(width) if distance >= *width => BigInt::from(0),
        _ => left << distance,
    };
    match result.bits() > MOST_BITS.into() {
        true => Err(format!("a number has at most {MOST_BITS} bits")),
        false => Ok(in_type(result, of)),
    }
}

/// §8.5: the nearest number that the type has.
fn saturate(value: BigInt, of: &Type) -> BigInt {
    let (least, most) = match of {
        Type::Bit(width) => (BigInt::from(0), (BigInt::from(1) << *width) - 1),
        Type::Int(width) if *width > 0 => {
            let half = BigInt::from(1) << (width - 1);
            (-&half, half - 1)
        }
        _ => return value,
    };
    value.clamp(least, most)
}

/// What a comparison says of two numbers; `None`: it is none.
pub fn compare(operator: Binary, left: &BigInt, right: &BigInt) -> Option<bool> {
    Some(match operator {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessOrEqual => left <= right,
        Binary::Greater => left > right,
        Binary::GreaterOrEqual => left >= right,
        _ => return None,
    })
}

/// The bits `high` to `low` of a number (§8.5).
pub fn slice(value: &BigInt, high: u32, low: u32) -> BigInt {
    wrap(value >> low, high - low + 1, false)
}
