//! Primitive actions that compute something and store it into a field.

use super::super::translator::{Place, Scope, Told, Translator};
use super::super::tree::{Binary, Call, Expression, ExpressionKind};
use super::super::values::{literal, Text, Value, Word};
use num_bigint::{BigInt, Sign};

impl Translator<'_> {
    pub(super) fn destination(
        &mut self,
        argument: &Expression,
        scope: &Scope,
    ) -> Result<Place, Told> {
        match &argument.kind {
            ExpressionKind::Field(reference, field) => {
                let place = self.place(reference, field, scope)?;
                match place.is_rest {
                    true => self.error(
                        argument.span,
                        "a field of a length that varies is not changed",
                    ),
                    false => Ok(place),
                }
            }
            _ => self.error(
                argument.span,
                "this is no field that could be changed: `header.field` is",
            ),
        }
    }

    pub(super) fn assign(
        &mut self,
        to: &Place,
        value: &Value,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) {
        let value = self.stored(value, to.word, to.saturating, scope);
        lines.push(format!("{} = {};", to.text, value.text));
    }

    /// All that computes something from values, and stores it into a field.
    pub(super) fn field_changed(
        &mut self,
        name: &str,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let to = self.destination(&call.arguments[0], scope)?;
        let own = Value::Bits(Text::closed(to.text.clone()), to.word);
        let mut values = Vec::new();
        for argument in &call.arguments[1..] {
            values.push(self.value(argument, Some(to.word), scope)?);
        }
        // `add_to_field(a, b)` is `add(a, a, b)`.
        if let "add_to_field" | "subtract_from_field" = name {
            values.insert(0, own.clone());
        }
        let span = call.name.span;
        let value = match (name, &values[..]) {
            ("modify_field", [value]) => value.clone(),
            ("modify_field", [value, mask]) => self.masked(&own, value, mask, to.word, scope),
            ("modify_field_with_shift", [value, by, mask]) => {
                let value = self.binary(
                    span,
                    Binary::ShiftRight,
                    value.clone(),
                    by.clone(),
                    Some(to.word),
                    scope,
                )?;
                self.masked(&own, &value, mask, to.word, scope)
            }
            ("modify_field_conditionally", [when, value]) => {
                self.chosen(&own, when, value, to.word, scope)
            }
            ("min" | "max", [left, right]) => self.extreme(name, left, right, to.word, scope),
            ("bit_not", [value]) => {
                let value = self.cast(value, to.word, scope);
                Value::Bits(Text::closed(format!("~{}", value.part())), to.word)
            }
            ("add" | "add_to_field", [left, right]) if to.saturating => {
                self.saturated(true, left, right, to.word, scope)
            }
            ("subtract" | "subtract_from_field", [left, right]) if to.saturating => {
                self.saturated(false, left, right, to.word, scope)
            }
            (_, [left, right]) => self.combined(name, call, left, right, to.word, scope)?,
            _ => return Err(Told),
        };
        self.assign(&to, &value, scope, lines);
        Ok(())
    }

    /// Two values and an operator.
    fn combined(
        &mut self,
        name: &str,
        call: &Call,
        left: &Value,
        right: &Value,
        to: Word,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let operator = match name {
            "add" | "add_to_field" => Binary::Add,
            "subtract" | "subtract_from_field" => Binary::Subtract,
            "shift_left" => Binary::ShiftLeft,
            "shift_right" => Binary::ShiftRight,
            "bit_and" | "bit_nand" | "bit_andca" | "bit_andcb" => Binary::BitAnd,
            "bit_or" | "bit_nor" | "bit_orca" | "bit_orcb" => Binary::BitOr,
            _ => Binary::BitXor,
        };
        let mut sides = [left.clone(), right.clone()];
        let complemented = match name {
            "bit_andca" | "bit_orca" => Some(0),
            "bit_andcb" | "bit_orcb" => Some(1),
            _ => None,
        };
        if let Some(side) = complemented {
            let text = format!("~{}", self.cast(&sides[side], to, scope).part());
            sides[side] = Value::Bits(Text::closed(text), to);
        }
        let [left, right] = sides;
        let value = self.binary(call.name.span, operator, left, right, Some(to), scope)?;
        match name {
            "bit_nand" | "bit_nor" | "bit_xnor" => {
                let text = format!("~{}", self.cast(&value, to, scope).part());
                Ok(Value::Bits(Text::closed(text), to))
            }
            _ => Ok(value),
        }
    }

    /// The bits of a mask from a value, all others as they are.
    fn masked(
        &mut self,
        own: &Value,
        value: &Value,
        mask: &Value,
        to: Word,
        scope: &mut Scope,
    ) -> Value {
        let own = self.cast(own, to, scope).part();
        let value = self.cast(value, to, scope).part();
        let (mask, others) = match mask {
            Value::Constant { value, .. } => (literal(value, to, true), literal(&!value, to, true)),
            _ => {
                let mask = self.cast(mask, to, scope).part();
                (mask.clone(), format!("~{mask}"))
            }
        };
        Value::Bits(
            Text::open(format!("({own} & {others}) | ({value} & {mask})")),
            to,
        )
    }

    /// A value where something is not 0.
    fn chosen(
        &mut self,
        own: &Value,
        when: &Value,
        value: &Value,
        to: Word,
        scope: &mut Scope,
    ) -> Value {
        let word = match when {
            Value::Bits(_, word) => *word,
            // A parameter that says yes or no.
            _ => Word::bits(1),
        };
        let when = self.cast(when, word, scope).part();
        let zero = literal(&BigInt::from(0), word, false);
        let own = self.cast(own, to, scope).part();
        let value = self.cast(value, to, scope).part();
        Value::Bits(
            Text::open(format!("{when} != {zero} ? {value} : {own}")),
            to,
        )
    }

    /// The type in which two values meet what they are stored into.
    fn meeting(left: &Value, right: &Value, to: Word) -> Word {
        let widths = [left.width(), right.width(), Some(to.width)];
        Word {
            width: widths.into_iter().flatten().max().unwrap_or(to.width),
            signed: to.signed,
        }
    }

    fn extreme(
        &mut self,
        name: &str,
        left: &Value,
        right: &Value,
        to: Word,
        scope: &mut Scope,
    ) -> Value {
        let word = Self::meeting(left, right, to);
        let sign = if name == "min" { "<=" } else { ">=" };
        let left = self.cast(left, word, scope).part();
        let right = self.cast(right, word, scope).part();
        Value::Bits(
            Text::open(format!("{left} {sign} {right} ? {left} : {right}")),
            word,
        )
    }

    /// A sum or difference that goes no further than its type (§9.1.1).
    fn saturated(
        &mut self,
        is_sum: bool,
        left: &Value,
        right: &Value,
        to: Word,
        scope: &mut Scope,
    ) -> Value {
        let (mut is_sum, mut right) = (is_sum, right.clone());
        // No unsigned type has what is negative: to add -1 is to subtract 1.
        if let (false, Value::Constant { value, width, .. }) = (to.signed, &right) {
            if value.sign() == Sign::Minus {
                is_sum = !is_sum;
                right = Value::Constant {
                    value: -value,
                    width: *width,
                    hexadecimal: false,
                };
            }
        }
        let word = Self::meeting(left, &right, to);
        let sign = if is_sum { "|+|" } else { "|-|" };
        let left = self.cast(left, word, scope).part();
        let right = self.cast(&right, word, scope).part();
        Value::Bits(Text::open(format!("{left} {sign} {right}")), word)
    }
}
