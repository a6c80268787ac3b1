//! The condition of an `#if`: a constant expression in which `defined X` and `defined(X)` are 1 or 0, and names are 0.

use super::macros::Macros;
use crate::lexer::{Token, TokenKind};
use crate::source::Sources;

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[&str]; 9] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["+", "-"],
    &["*", "/", "%"],
];
/// So deep it may be nested.
const MOST_DEEP: usize = 100;

/// Whether it is true.
pub(super) fn holds(
    macros: &Macros,
    sources: &mut Sources,
    words: &[Token],
) -> Result<bool, String> {
    let mut known = Vec::new();
    let mut rest = words.iter();
    while let Some(token) = rest.next() {
        if !token.is_word("defined") {
            known.push(token.clone());
            continue;
        }
        let mut next = rest.next();
        let opened = next.is_some_and(|token| token.is_sign("("));
        if opened {
            next = rest.next();
        }
        let Some(TokenKind::Word(name)) = next.map(|token| &token.kind) else {
            return Err("defined takes a name".into());
        };
        if opened && !rest.next().is_some_and(|token| token.is_sign(")")) {
            return Err("defined( has no )".into());
        }
        known.push(Token {
            kind: TokenKind::Number(u8::from(macros.has(name)).to_string()),
            ..token.clone()
        });
    }
    let expanded = macros.expand(sources, &known);
    if let Some(error) = expanded.errors.first() {
        return Err(error.message.clone());
    }
    let mut parser = Condition {
        rest: &expanded.tokens,
        deep: 0,
    };
    let value = parser.level(0)?;
    match parser.rest.first() {
        None => Ok(value != 0),
        Some(token) => Err(format!("{} is not expected here", token.text())),
    }
}

struct Condition<'a> {
    rest: &'a [Token],
    deep: usize,
}

impl Condition<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest.first().is_some_and(|token| token.is_sign(sign));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn level(&mut self, level: usize) -> Result<i64, String> {
        let Some(signs) = LEVELS.get(level) else {
            return self.single();
        };
        let mut left = self.level(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.take(sign)) {
            let right = self.level(level + 1)?;
            left = match *sign {
                "||" => (left != 0 || right != 0).into(),
                "&&" => (left != 0 && right != 0).into(),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => (left == right).into(),
                "!=" => (left != right).into(),
                "<" => (left < right).into(),
                ">" => (left > right).into(),
                "<=" => (left <= right).into(),
                ">=" => (left >= right).into(),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                _ if right == 0 => return Err("a division by zero".into()),
                "/" => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<i64, String> {
        self.deep += 1;
        if self.deep > MOST_DEEP {
            return Err("it is nested too deep".into());
        }
        let value = self.unnested();
        self.deep -= 1;
        value
    }

    fn unnested(&mut self) -> Result<i64, String> {
        if self.take("!") {
            return Ok((self.single()? == 0).into());
        }
        if self.take("-") {
            return Ok(self.single()?.wrapping_neg());
        }
        if self.take("+") {
            return self.single();
        }
        if self.take("~") {
            return Ok(!self.single()?);
        }
        if self.take("(") {
            let value = self.level(0)?;
            return match self.take(")") {
                true => Ok(value),
                false => Err("a ) is missing".into()),
            };
        }
        let Some(token) = self.rest.first() else {
            return Err("a value is missing".into());
        };
        self.rest = &self.rest[1..];
        match &token.kind {
            TokenKind::Word(_) => Ok(0),
            TokenKind::Number(text) => number(text).ok_or(format!("{text} is no number")),
            _ => Err(format!("{} is no value", token.text())),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let based = |prefix: [&str; 2]| {
        prefix
            .into_iter()
            .find_map(|start| text.strip_prefix(start))
    };
    if let Some(digits) = based(["0x", "0X"]) {
        return i64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = based(["0b", "0B"]) {
        return i64::from_str_radix(digits, 2).ok();
    }
    text.parse().ok()
}
