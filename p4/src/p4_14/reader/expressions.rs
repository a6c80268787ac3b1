//! Expressions (§1.5.1, §2.3, §12).
//!
//! Arithmetic binds closer than comparisons: `a & 1 == 1` cannot be anything else, as there is no arithmetic on conditions.

use super::super::tree::{Binary, Expression, ExpressionKind, Index, Number, Reference, Unary};
use super::{Parsed, Reader};
use crate::ast::Name;
use crate::cursor::Cursor;
use crate::lexer::{Token, TokenKind};
use num_bigint::BigInt;

/// More bits than any number has.
pub(super) const MOST_BITS: u32 = 1 << 16;

/// How close a comparison binds: behind `not`, whatever binds closer belongs to it.
const COMPARISON: u32 = 3;

impl Reader<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.binary(0)
    }

    /// An expression of operators that bind closer than this.
    fn binary(&mut self, above: u32) -> Parsed<Expression> {
        let first = self.here();
        let mut left = self.nested(Self::unary)?;
        let mut height = self.height;
        while let Some((operator, level, tokens)) = self.operator() {
            if level <= above {
                break;
            }
            self.at += tokens;
            let right = self.nested(|reader| reader.binary(level))?;
            left = Expression {
                kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
                span: self.since(first),
            };
            // A long chain is as deep as what stands in parentheses.
            height = height.max(self.height) + 1;
            if height > super::MOST_DEEP {
                let message = format!("more than {} operators on end", super::MOST_DEEP);
                return self.wrong(first, message);
            }
        }
        self.height = height;
        Ok(left)
    }

    /// The operator that is next, how close it binds, and its tokens.
    fn operator(&self) -> Option<(Binary, u32, usize)> {
        let token = self.ahead(0)?;
        if token.is_sign(">")
            && self
                .ahead(1)
                .is_some_and(|next| next.is_sign(">") && next.adjoins)
        {
            return Some((Binary::ShiftRight, 7, 2));
        }
        let (operator, level) = match &token.kind {
            TokenKind::Word(word) => match word.as_str() {
                "or" => (Binary::Or, 1),
                "and" => (Binary::And, 2),
                _ => return None,
            },
            TokenKind::Sign(sign) => match *sign {
                "||" => (Binary::Or, 1),
                "&&" => (Binary::And, 2),
                "==" => (Binary::Equal, COMPARISON),
                "!=" => (Binary::NotEqual, COMPARISON),
                "<" => (Binary::Less, COMPARISON),
                "<=" => (Binary::LessOrEqual, COMPARISON),
                ">" => (Binary::Greater, COMPARISON),
                ">=" => (Binary::GreaterOrEqual, COMPARISON),
                "|" => (Binary::BitOr, 4),
                "^" => (Binary::BitXor, 5),
                "&" => (Binary::BitAnd, 6),
                "<<" => (Binary::ShiftLeft, 7),
                "+" => (Binary::Add, 8),
                "-" => (Binary::Subtract, 8),
                "*" => (Binary::Multiply, 9),
                "/" => (Binary::Divide, 9),
                "%" => (Binary::Modulo, 9),
                _ => return None,
            },
            _ => return None,
        };
        Some((operator, level, 1))
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let first = self.here();
        if self.take("+") {
            return self.nested(Self::unary);
        }
        let operator = if self.take("-") {
            Unary::Minus
        } else if self.take("~") {
            Unary::Complement
        } else if self.take("!") || self.take_word("not") {
            Unary::Not
        } else {
            return self.atom();
        };
        let value = match operator {
            Unary::Not => self.nested(|reader| reader.binary(COMPARISON - 1))?,
            _ => self.nested(Self::unary)?,
        };
        self.height += 1;
        Ok(Expression {
            kind: ExpressionKind::Unary(operator, Box::new(value)),
            span: self.since(first),
        })
    }

    pub(super) fn atom(&mut self) -> Parsed<Expression> {
        let first = self.here();
        if self.take("(") {
            let value = self.nested(Self::expression)?;
            self.expect(")")?;
            return Ok(value);
        }
        self.height = 1;
        let kind = match self.ahead(0).map(|token| token.kind.clone()) {
            Some(TokenKind::Number(text)) => ExpressionKind::Number(self.number(&text)?),
            Some(TokenKind::Word(word)) => match word.as_str() {
                "true" | "false" => {
                    self.at += 1;
                    ExpressionKind::Bool(word == "true")
                }
                "valid" if self.is_sign_ahead(1, "(") => {
                    self.at += 2;
                    let header = self.nested(Self::reference)?;
                    // A field is valid as its header is.
                    if self.take(".") {
                        self.name()?;
                    }
                    self.expect(")")?;
                    ExpressionKind::Valid(header)
                }
                "current" if self.is_sign_ahead(1, "(") => {
                    self.at += 2;
                    let offset = self.nested(Self::expression)?;
                    self.expect(",")?;
                    let width = self.nested(Self::expression)?;
                    self.expect(")")?;
                    ExpressionKind::Current(Box::new(offset), Box::new(width))
                }
                _ => {
                    let reference = self.nested(Self::reference)?;
                    match self.take(".") {
                        true => ExpressionKind::Field(reference, self.name()?),
                        false => ExpressionKind::Named(reference),
                    }
                }
            },
            _ => return self.lost("an expression"),
        };
        Ok(Expression {
            kind,
            span: self.since(first),
        })
    }

    /// `name`, `name[3]`, `name[next]`, `name[last]`.
    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        let name = self.name()?;
        let mut index = None;
        if self.take("[") {
            index = Some(if self.take_key("next", "]") {
                Index::Next
            } else if self.take_key("last", "]") {
                Index::Last
            } else {
                let value = self.nested(Self::expression)?;
                self.expect("]")?;
                Index::At(Box::new(value))
            });
        }
        Ok(Reference { name, index })
    }

    /// `header.field`.
    pub(super) fn field(&mut self) -> Parsed<Expression> {
        let value = self.unary()?;
        match &value.kind {
            ExpressionKind::Field(..) => Ok(value),
            _ => self.wrong(value.span, "this is no field: `header.field` is".into()),
        }
    }

    /// A number, with its width before an apostrophe where it is given (§1.5.1).
    fn number(&mut self, text: &str) -> Parsed<Number> {
        let first = self.here();
        self.at += 1;
        let mut number = match parsed(text) {
            Some(number) => number,
            None => return self.wrong(first, format!("`{text}` is no number")),
        };
        // The lexer of P4_16 knows no apostrophes.
        let apostrophe = TokenKind::Wrong(format!("the character {:?}", '\''));
        if self.ahead(0).is_some_and(|token| token.kind == apostrophe) {
            let width = u32::try_from(&number.value).ok();
            let Some(width) = width.filter(|width| *width <= MOST_BITS) else {
                let message = format!("numbers have at most {MOST_BITS} bits");
                return self.wrong(first, message);
            };
            self.at += 1;
            let Some(TokenKind::Number(text)) = self.ahead(0).map(|token| token.kind.clone())
            else {
                return self.lost("a number");
            };
            number = match parsed(&text) {
                Some(number) => number,
                None => return self.wrong(self.here(), format!("`{text}` is no number")),
            };
            self.at += 1;
            // No bits at all are as many as it needs.
            number.width = (width > 0).then_some(width);
        }
        if number.value.bits() > u64::from(MOST_BITS) {
            return self.wrong(first, format!("numbers have at most {MOST_BITS} bits"));
        }
        Ok(number)
    }

    /// Names behind a pragma.
    pub(super) fn names_of(said: &[Token]) -> Vec<Name> {
        let names = said.iter().filter_map(|token| match &token.kind {
            TokenKind::Word(text) => Some(Name {
                text: text.clone(),
                span: token.span,
            }),
            _ => None,
        });
        names.collect()
    }
}

/// A number, also one with its width as P4_16 has it.
fn parsed(text: &str) -> Option<Number> {
    let lower = text.to_ascii_lowercase().replace('_', "");
    if let Some((width, rest)) = lower.split_once('w') {
        let width = width
            .parse()
            .ok()
            .filter(|width| (1..=MOST_BITS).contains(width))?;
        let number = parsed(rest).filter(|number| number.width.is_none())?;
        return Some(Number {
            width: Some(width),
            ..number
        });
    }
    let (digits, base) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        (None, None) => (lower.as_str(), 10),
    };
    // Decimal digits take time in the square of their number.
    if digits.len() > MOST_BITS as usize / 3 {
        return None;
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), base)?;
    Some(Number {
        value,
        width: None,
        hexadecimal: base == 16,
    })
}
