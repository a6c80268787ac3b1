//! Types (§7).

use super::{Parsed, Parser, MOST_DEEP};
use crate::ast::{Expression, Path, Type, TypeKind};
use crate::cursor::Cursor;
use crate::lexer::TokenKind;

/// Words that a type can begin with.
const WORDS: [&str; 10] = [
    "bool",
    "error",
    "match_kind",
    "string",
    "int",
    "bit",
    "varbit",
    "void",
    "tuple",
    "list",
];

impl Parser<'_> {
    /// A type begins here, as far as one token says.
    pub(super) fn begins_type(&self, count: usize) -> bool {
        match self.ahead(count).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) if word == "list" => {
                self.ahead(count + 1).is_some_and(|next| next.is_sign("<"))
            }
            Some(TokenKind::Word(word)) if WORDS.contains(&word.as_str()) => true,
            Some(TokenKind::Word(word)) => self.is_type_name(word),
            Some(TokenKind::Sign(".")) => match self.ahead(count + 1).map(|token| &token.kind) {
                Some(TokenKind::Word(word)) => self.scopes[0].get(word) == Some(&true),
                _ => false,
            },
            _ => false,
        }
    }

    pub(super) fn of_type(&mut self) -> Parsed<Type> {
        self.nested(Self::unnested_type)
    }

    /// A type, or `_`.
    pub(super) fn type_argument(&mut self) -> Parsed<Type> {
        let span = self.here();
        match self.take_word("_") {
            true => Ok(Type {
                kind: TypeKind::Any,
                span,
            }),
            false => self.of_type(),
        }
    }

    fn unnested_type(&mut self) -> Parsed<Type> {
        let span = self.here();
        let word = match self.ahead(0).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => word.clone(),
            _ => String::new(),
        };
        // `list` is a name elsewhere.
        let is_base = WORDS.contains(&word.as_str()) && self.begins_type(0);
        let kind = match is_base {
            true => {
                self.at += 1;
                self.base(&word)?
            }
            false => {
                let from_top = self.take(".");
                if !self.is_name(0) {
                    return self.lost("a type");
                }
                let name = self.name()?;
                let path = Path { from_top, name };
                let types = match self.take("<") {
                    true => self.list(">", Self::type_argument)?,
                    false => Vec::new(),
                };
                TypeKind::Named(path, types)
            }
        };
        let mut whole = Type {
            kind,
            span: self.since(span),
        };
        let mut deep = 0;
        while self.take("[") {
            deep += 1;
            if deep > MOST_DEEP {
                return self.wrong(span, format!("this type is more than {MOST_DEEP} deep"));
            }
            let size = Box::new(self.expression()?);
            self.expect("]")?;
            whole = Type {
                kind: TypeKind::Stack(Box::new(whole), size),
                span: self.since(span),
            };
        }
        Ok(whole)
    }

    fn base(&mut self, word: &str) -> Parsed<TypeKind> {
        Ok(match word {
            "bool" => TypeKind::Bool,
            "error" => TypeKind::Error,
            "match_kind" => TypeKind::MatchKind,
            "string" => TypeKind::Text,
            "void" => TypeKind::Void,
            "int" => match self.width()? {
                Some(width) => TypeKind::Int(width),
                None => TypeKind::Integer,
            },
            "bit" => TypeKind::Bit(self.width()?),
            "varbit" => match self.width()? {
                Some(width) => TypeKind::Varbit(width),
                None => return self.lost("`<` and the most bits of a varbit"),
            },
            "tuple" => {
                self.expect("<")?;
                TypeKind::Tuple(self.list(">", Self::type_argument)?)
            }
            _ => {
                self.expect("<")?;
                let of = self.type_argument()?;
                self.expect(">")?;
                TypeKind::List(Box::new(of))
            }
        })
    }

    /// `<8>`, `<W + 1>`, `<(A > B ? A : B)>`.
    fn width(&mut self) -> Parsed<Option<Box<Expression>>> {
        if !self.take("<") {
            return Ok(None);
        }
        let width = self.width_or_not(true, Self::expression)?;
        self.expect(">")?;
        Ok(Some(Box::new(width)))
    }
}
