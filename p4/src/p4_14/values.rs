//! Expressions with types: P4_14 widens and cuts as it needs to (§15.7 of version 1.0.5), P4_16 only where a cast says so.
//!
//! An expression is evaluated with the width of its widest part, or of what it is stored into where that is wider, so that nothing is lost
//! on the way; each part is extended after its own sign. A constant needs no more bits than it has.

use super::translator::{Scope, Told, Translator};
use super::tree::{Binary, Expression, ExpressionKind, Reference, Unary};
use crate::ast::Name;
use crate::source::Span;
use num_bigint::{BigInt, Sign};

/// More bits than any number has.
const MOST_BITS: u32 = 1 << 16;

/// `bit<W>` or `int<W>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub width: u32,
    pub signed: bool,
}

impl Word {
    pub(super) fn bits(width: u32) -> Word {
        Word {
            width,
            signed: false,
        }
    }

    pub(super) fn text(self) -> String {
        match self.signed {
            true => format!("int<{}>", self.width),
            false => format!("bit<{}>", self.width),
        }
    }

    fn most(self) -> BigInt {
        (BigInt::from(1) << (self.width - u32::from(self.signed))) - 1
    }

    fn least(self) -> BigInt {
        match self.signed {
            true => -(BigInt::from(1) << (self.width - 1)),
            false => BigInt::from(0),
        }
    }
}

/// An expression of P4_16.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub text: String,
    /// It can stand beside an operator.
    pub is_closed: bool,
}

impl Text {
    pub(super) fn closed(text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            is_closed: true,
        }
    }

    pub(super) fn open(text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            is_closed: false,
        }
    }

    /// Beside an operator.
    pub(super) fn part(&self) -> String {
        match self.is_closed {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Constant {
        value: BigInt,
        width: Option<u32>,
        hexadecimal: bool,
    },
    Bits(Text, Word),
    /// A parameter of an action whose type is still looked for.
    Free(String),
}

impl Value {
    pub(super) fn number(value: impl Into<BigInt>) -> Value {
        Value::Constant {
            value: value.into(),
            width: None,
            hexadecimal: false,
        }
    }

    /// Its bits: those that a constant needs; `None`: as many as are wanted.
    pub(super) fn width(&self) -> Option<u32> {
        match self {
            Value::Constant { value, width, .. } => {
                // The two's complement of what is negative needs one more.
                let needs = value.bits() as u32 + u32::from(value.sign() == Sign::Minus);
                Some(width.unwrap_or(needs).max(1))
            }
            Value::Bits(_, word) => Some(word.width),
            Value::Free(_) => None,
        }
    }
}

/// What stands around a part of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// The width of the widest part of all, or of what takes the expression where that is wider.
    width: u32,
    /// The width of the widest part of all: so many bits a complement has.
    own: u32,
    /// What takes the expression is signed; `None`: nothing takes it.
    signed: Option<bool>,
}

impl Around {
    pub(super) fn of(own: u32, want: Option<Word>) -> Around {
        Around {
            width: want.map_or(own, |want| want.width.max(own)),
            own,
            signed: want.map(|want| want.signed),
        }
    }
}

/// A constant.
///
/// # Errors
/// Where it is none, or has no value.
pub(super) fn constant(value: &Expression) -> Result<BigInt, (Span, String)> {
    match &value.kind {
        ExpressionKind::Number(number) => Ok(number.value.clone()),
        ExpressionKind::Unary(Unary::Minus, value) => Ok(-constant(value)?),
        ExpressionKind::Unary(Unary::Complement, value) => Ok(!constant(value)?),
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            folded(*operator, &left, &right).map_err(|message| (value.span, message.to_owned()))
        }
        _ => Err((value.span, "this is no constant".into())),
    }
}

fn folded(operator: Binary, left: &BigInt, right: &BigInt) -> Result<BigInt, &'static str> {
    let shift = u32::try_from(right)
        .ok()
        .filter(|shift| *shift <= MOST_BITS);
    let too_far = "no constant is shifted so far";
    let zero = BigInt::from(0);
    let result = match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide | Binary::Modulo if *right == zero => return Err("this divides by zero"),
        Binary::Divide => left / right,
        Binary::Modulo => left % right,
        Binary::ShiftLeft => left << shift.ok_or(too_far)?,
        Binary::ShiftRight => left >> shift.ok_or(too_far)?,
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        _ => return Err("this is no number"),
    };
    match result.bits() <= u64::from(MOST_BITS) {
        true => Ok(result),
        false => Err("this constant is too large"),
    }
}

/// A number of a type; what does not fit wraps.
pub(super) fn literal(value: &BigInt, word: Word, hexadecimal: bool) -> String {
    let all = BigInt::from(1) << word.width;
    let mut wrapped = value % &all;
    if wrapped.sign() == Sign::Minus {
        wrapped += &all;
    }
    let Word { width, signed } = word;
    if signed && wrapped > word.most() {
        // No literal of a signed type has its sign bit set.
        return format!("({}){width}w{wrapped}", word.text());
    }
    let letter = if signed { 's' } else { 'w' };
    match hexadecimal {
        true => format!("{width}{letter}0x{wrapped:x}"),
        false => format!("{width}{letter}{wrapped}"),
    }
}

impl Translator<'_> {
    /// An expression; `want` is what it is stored into.
    pub(super) fn value(
        &mut self,
        value: &Expression,
        want: Option<Word>,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let around = Around::of(self.widest(value, scope), want);
        self.part(value, around, scope)
    }

    /// The width of the widest part of an expression; how far something is shifted is none.
    pub(super) fn widest(&mut self, value: &Expression, scope: &Scope) -> u32 {
        match &value.kind {
            ExpressionKind::Unary(_, inner) => self.widest(inner, scope),
            ExpressionKind::Binary(Binary::ShiftLeft | Binary::ShiftRight, left, _) => {
                self.widest(left, scope)
            }
            ExpressionKind::Binary(_, left, right) => {
                self.widest(left, scope).max(self.widest(right, scope))
            }
            ExpressionKind::Field(reference, field) if !self.is_validity(reference, field) => {
                // What is wrong is told when it is read.
                let errors = self.errors.len();
                let place = self.place(reference, field, scope);
                self.errors.truncate(errors);
                place.map_or(0, |place| place.word.width)
            }
            ExpressionKind::Named(reference) => {
                let parameter = scope.parameters.get(&reference.name.text);
                parameter
                    .and_then(|(_, word)| *word)
                    .map_or(0, |word| word.width)
            }
            ExpressionKind::Number(number) => {
                let value = Value::Constant {
                    value: number.value.clone(),
                    width: number.width,
                    hexadecimal: false,
                };
                value.width().unwrap_or(0)
            }
            ExpressionKind::Current(_, width) => {
                let width = constant(width).ok();
                width
                    .and_then(|width| u32::try_from(&width).ok())
                    .unwrap_or(0)
                    .min(MOST_BITS)
            }
            _ => 0,
        }
    }

    /// `header.valid`, where that is no field.
    pub(super) fn is_validity(&self, reference: &Reference, field: &Name) -> bool {
        let held = self.headers.held.get(&reference.name.text);
        let layout = held.and_then(|held| self.headers.layouts.get(&held.of));
        field.text == "valid" && layout.is_some_and(|layout| layout.field("valid").is_none())
    }

    pub(super) fn part(
        &mut self,
        value: &Expression,
        around: Around,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        match &value.kind {
            ExpressionKind::Number(number) => Ok(Value::Constant {
                value: number.value.clone(),
                width: number.width,
                hexadecimal: number.hexadecimal,
            }),
            ExpressionKind::Named(reference) if reference.index.is_none() => {
                match scope.parameters.get(&reference.name.text) {
                    Some((text, Some(word))) => Ok(Value::Bits(Text::closed(text), *word)),
                    Some((_, None)) => Ok(Value::Free(reference.name.text.clone())),
                    None => self.no_value(value, scope),
                }
            }
            ExpressionKind::Field(reference, field) if self.is_validity(reference, field) => {
                let header = self.header(reference, scope)?;
                let text = format!("(bit<1>){}", header.validity());
                Ok(Value::Bits(Text::closed(text), Word::bits(1)))
            }
            ExpressionKind::Field(reference, field) => {
                let place = self.place(reference, field, scope)?;
                match place.is_rest {
                    true => self.error(value.span, "no value has a length that varies"),
                    false => Ok(Value::Bits(Text::closed(place.text), place.word)),
                }
            }
            ExpressionKind::Current(offset, width) => {
                self.current(value.span, offset, width, scope)
            }
            ExpressionKind::Unary(operator, inner) => {
                let inner_around = match operator {
                    Unary::Complement => Around {
                        width: around.own,
                        ..around
                    },
                    _ => around,
                };
                let inner = self.part(inner, inner_around, scope)?;
                self.unary(value.span, *operator, inner, inner_around, scope)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.part(left, around, scope)?;
                let right = self.part(right, around, scope)?;
                self.between(value.span, *operator, left, right, around, scope)
            }
            _ => self.no_value(value, scope),
        }
    }

    fn no_value<T>(&mut self, value: &Expression, scope: &Scope) -> Result<T, Told> {
        if let ExpressionKind::Named(reference) = &value.kind {
            let name = &reference.name;
            if !self.headers.held.contains_key(&name.text) {
                let parameters = scope.parameters.keys().map(String::as_str);
                let message = format!("nothing is called `{}`", name.text);
                return self.error_or_meant("p4-name", name, message, parameters);
            }
            return self.error(
                value.span,
                format!("`{}` is no value: `header.field` is", name.text),
            );
        }
        self.error(value.span, "this is no value")
    }

    /// Bits of the packet that are not extracted yet (§4.4).
    fn current(
        &mut self,
        span: Span,
        offset: &Expression,
        width: &Expression,
        scope: &Scope,
    ) -> Result<Value, Told> {
        if !scope.is_parser {
            return self.error(span, "`current` stands in parsers only (§4.4)");
        }
        let offset = self.number(offset, 0, MOST_BITS, "the offset of `current`")?;
        let width = self.number(width, 1, MOST_BITS, "the width of `current`")?;
        let all = offset.saturating_add(width);
        let text = match offset {
            0 => format!("packet.lookahead<bit<{width}>>()"),
            _ => format!("(packet.lookahead<bit<{all}>>())[{}:0]", width - 1),
        };
        Ok(Value::Bits(Text::closed(text), Word::bits(width)))
    }

    fn unary(
        &mut self,
        span: Span,
        operator: Unary,
        value: Value,
        around: Around,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let sign = match operator {
            Unary::Not => return self.error(span, "a condition is no value"),
            Unary::Complement => '~',
            Unary::Minus => '-',
        };
        if let Value::Constant { value, width, .. } = &value {
            let value = match operator {
                Unary::Minus => -value,
                _ => !value,
            };
            return Ok(Value::Constant {
                value,
                width: *width,
                hexadecimal: false,
            });
        }
        let word = common(&[&value], around);
        let text = format!("{sign}{}", self.cast(&value, word, scope).part());
        Ok(Value::Bits(Text::closed(text), word))
    }

    /// Two values and what is between them, of what a primitive action is given.
    pub(super) fn binary(
        &mut self,
        span: Span,
        operator: Binary,
        left: Value,
        right: Value,
        want: Option<Word>,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let own = left.width().max(right.width()).unwrap_or(0);
        let own = match operator {
            Binary::ShiftLeft | Binary::ShiftRight => left.width().unwrap_or(0),
            _ => own,
        };
        self.between(span, operator, left, right, Around::of(own, want), scope)
    }

    /// The same, as a part of an expression.
    fn between(
        &mut self,
        span: Span,
        operator: Binary,
        left: Value,
        right: Value,
        around: Around,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        if let (Value::Constant { value: left, .. }, Value::Constant { value: right, .. }) =
            (&left, &right)
        {
            return match folded(operator, left, right) {
                Ok(value) => Ok(Value::number(value)),
                Err(message) => self.error(span, message),
            };
        }
        match operator {
            Binary::ShiftLeft | Binary::ShiftRight => {
                let word = common(&[&left], around);
                let shifted = self.cast(&left, word, scope).part();
                let by = self.amount(span, &right, scope)?;
                let text = format!("{shifted} {} {by}", operator.sign());
                Ok(Value::Bits(Text::open(text), word))
            }
            Binary::Divide | Binary::Modulo => {
                self.divided(span, operator, &left, &right, around, scope)
            }
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor => {
                let word = common(&[&left, &right], around);
                let left = self.cast(&left, word, scope).part();
                let right = self.cast(&right, word, scope).part();
                let text = format!("{left} {} {right}", operator.sign());
                Ok(Value::Bits(Text::open(text), word))
            }
            _ => self.error(span, "a condition is no value"),
        }
    }

    /// How far something is shifted.
    fn amount(&mut self, span: Span, by: &Value, scope: &mut Scope) -> Result<String, Told> {
        match by {
            Value::Constant { value, .. } if value.sign() == Sign::Minus => {
                self.error(span, "nothing is shifted by less than nothing (§9.1)")
            }
            Value::Constant { value, .. } => Ok(value.to_string()),
            Value::Bits(_, word) => Ok(self.cast(by, Word::bits(word.width), scope).part()),
            Value::Free(_) => Ok(self.cast(by, Word::bits(8), scope).part()),
        }
    }

    /// P4_16 divides constants only; by a power of two there is another way.
    fn divided(
        &mut self,
        span: Span,
        operator: Binary,
        left: &Value,
        right: &Value,
        around: Around,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let word = common(&[left], around);
        let power = match right {
            Value::Constant { value, .. } if value.sign() == Sign::Plus && !word.signed => {
                let zeros = value.trailing_zeros().unwrap_or(0);
                (BigInt::from(1) << zeros == *value).then_some(zeros)
            }
            _ => None,
        };
        let Some(power) = power else {
            return self.error(span, "P4_16 divides by powers of two only");
        };
        let left = self.cast(left, word, scope).part();
        let text = match operator {
            Binary::Divide => format!("{left} >> {power}"),
            _ => {
                let mask = (BigInt::from(1) << power) - 1;
                format!("{left} & {}", literal(&mask, word, true))
            }
        };
        Ok(Value::Bits(Text::open(text), word))
    }

    /// A value as one of another type: extended after its own sign, or cut.
    pub(super) fn cast(&mut self, value: &Value, to: Word, scope: &mut Scope) -> Text {
        match value {
            Value::Constant {
                value, hexadecimal, ..
            } => Text::closed(literal(value, to, *hexadecimal)),
            Value::Free(name) => {
                scope.want(name, to);
                Text::closed(name.clone())
            }
            Value::Bits(text, from) if *from == to => text.clone(),
            Value::Bits(text, from) => {
                let mut cast = text.part();
                if from.width != to.width {
                    let extended = Word {
                        width: to.width,
                        ..*from
                    };
                    cast = format!("({}){cast}", extended.text());
                }
                if from.signed != to.signed {
                    cast = format!("({}){cast}", to.text());
                }
                Text::closed(cast)
            }
        }
    }

    /// A value as it is stored into a field: where that saturates and is narrower, as much as goes into it.
    pub(super) fn stored(
        &mut self,
        value: &Value,
        to: Word,
        saturating: bool,
        scope: &mut Scope,
    ) -> Text {
        match value {
            Value::Constant {
                value, hexadecimal, ..
            } if saturating => {
                let value = value.clone().min(to.most()).max(to.least());
                Text::closed(literal(&value, to, *hexadecimal))
            }
            Value::Bits(text, from) if saturating && from.width > to.width => {
                let part = text.part();
                let cut = self.cast(value, to, scope).text;
                let most = literal(&to.most(), *from, false);
                let mut text = format!(
                    "{part} > {most} ? {} : {cut}",
                    literal(&to.most(), to, false)
                );
                if from.signed {
                    let least = literal(&to.least(), *from, false);
                    let stored = literal(&to.least(), to, false);
                    text = format!("{part} < {least} ? {stored} : ({text})");
                }
                Text::open(text)
            }
            _ => self.cast(value, to, scope),
        }
    }
}

/// The type in which parts of an expression meet: as wide as all that is around them.
pub(super) fn common(values: &[&Value], around: Around) -> Word {
    let widths = values.iter().filter_map(|value| value.width());
    let widest = widths.max().unwrap_or(0).max(around.width);
    let mut signs = values.iter().filter_map(|value| match value {
        Value::Bits(_, word) => Some(word.signed),
        _ => None,
    });
    // Constants and parameters go with what they meet.
    let signed = match signs.next() {
        Some(first) => first && signs.all(|signed| signed),
        None => {
            let is_negative = |value: &&Value| matches!(value, Value::Constant { value, .. } if value.sign() == Sign::Minus);
            around.signed.unwrap_or(values.iter().any(is_negative))
        }
    };
    let width = if widest == 0 { 8 } else { widest };
    Word { width, signed }
}
