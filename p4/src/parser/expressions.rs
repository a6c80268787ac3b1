//! Expressions (§8), sets of values (§8.16) among them.

use super::{Parsed, Parser};
use crate::ast::{Argument, Binary, Expression, ExpressionKind, Path, Type, TypeKind, Unary};
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::source::Span;

/// Operators between two expressions by how tightly they bind, the loosest first (§8.2, and the grammar). `>>` is two signs.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[
        ("++", Binary::Concat),
        ("+", Binary::Add),
        ("-", Binary::Subtract),
        ("|+|", Binary::AddSaturating),
        ("|-|", Binary::SubtractSaturating),
    ],
    &[
        ("*", Binary::Multiply),
        ("/", Binary::Divide),
        ("%", Binary::Modulo),
    ],
];

const UNARY: [(&str, Unary); 4] = [
    ("!", Unary::Not),
    ("~", Unary::Complement),
    ("-", Unary::Minus),
    ("+", Unary::Plus),
];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.apart(|parser| parser.nested(Self::choice))
    }

    /// Reads an expression that is not made deeper by what stands beside it.
    fn apart(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Expression>) -> Parsed<Expression> {
        let before = std::mem::take(&mut self.chain);
        let read = read(self);
        let read = read.and_then(|read| self.chained().map(|()| read));
        self.chain = before.max(self.chain);
        read
    }

    fn choice(&mut self) -> Parsed<Expression> {
        let span = self.here();
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        let parts = [condition, yes, no].map(Box::new);
        let [condition, yes, no] = parts;
        Ok(self.made(span, ExpressionKind::Choice(condition, yes, no)))
    }

    fn made(&self, begin: Span, kind: ExpressionKind) -> Expression {
        Expression {
            kind,
            span: self.since(begin),
        }
    }

    /// `>>`, and no `>>=`.
    fn is_shift_right(&self) -> bool {
        let next = self.ahead(1);
        self.is_sign(">") && next.is_some_and(|next| next.adjoins && next.is_sign(">"))
    }

    fn operator(&mut self, level: usize) -> Option<Binary> {
        for (sign, operator) in LEVELS[level] {
            let found = match *sign {
                ">>" | ">" | ">=" if self.in_width => false,
                ">>" => self.is_shift_right(),
                ">" => self.is_sign(">") && !self.is_shift_right(),
                sign => self.is_sign(sign),
            };
            if found {
                self.at += if *sign == ">>" { 2 } else { 1 };
                return Some(*operator);
            }
        }
        None
    }

    fn binary(&mut self, level: usize) -> Parsed<Expression> {
        if level == LEVELS.len() {
            return self.prefixed();
        }
        let span = self.here();
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            self.chained()?;
            let right = self.binary(level + 1)?;
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = self.made(span, kind);
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Parsed<Expression> {
        let span = self.here();
        if let Some((_, operator)) = UNARY.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.at += 1;
            let of = Box::new(self.nested(Self::prefixed)?);
            return Ok(self.made(span, ExpressionKind::Unary(*operator, of)));
        }
        if self.is_sign("(") && self.begins_type(1) {
            let of = self.tried(|parser| {
                parser.expect("(")?;
                let of = parser.of_type()?;
                parser.expect(")")?;
                match parser.begins_expression() {
                    true => Ok(of),
                    false => parser.lost("an expression"),
                }
            });
            if let Some(of) = of {
                let value = Box::new(self.nested(Self::prefixed)?);
                return Ok(self.made(span, ExpressionKind::Cast(Box::new(of), value)));
            }
        }
        let single = self.single()?;
        self.postfixed(span, single)
    }

    /// An expression begins here: what is in parentheses in front of it is a type.
    fn begins_expression(&self) -> bool {
        match self.ahead(0).map(|token| &token.kind) {
            Some(TokenKind::Number(_) | TokenKind::Text(_)) => true,
            Some(TokenKind::Word(word)) => {
                self.is_name(0) || ["true", "false", "this", "error"].contains(&word.as_str())
            }
            Some(TokenKind::Sign(sign)) => {
                ["(", "{", "{#}", "!", "~", "-", "+", "."].contains(sign)
            }
            _ => false,
        }
    }

    /// What stands in front of all operators.
    pub(super) fn single(&mut self) -> Parsed<Expression> {
        let span = self.here();
        let Some(token) = self.ahead(0).cloned() else {
            return self.lost("an expression");
        };
        let literal = match &token.kind {
            TokenKind::Number(text) => Some(ExpressionKind::Number(text.clone())),
            TokenKind::Text(text) => Some(ExpressionKind::Text(text.clone())),
            TokenKind::Word(word) => match word.as_str() {
                "true" => Some(ExpressionKind::Bool(true)),
                "false" => Some(ExpressionKind::Bool(false)),
                "this" => Some(ExpressionKind::This),
                "default" => Some(ExpressionKind::Default),
                "_" => Some(ExpressionKind::Any),
                _ => None,
            },
            TokenKind::Sign("{#}") => Some(ExpressionKind::Invalid),
            TokenKind::Sign("...") => Some(ExpressionKind::Rest),
            _ => None,
        };
        if let Some(kind) = literal {
            self.at += 1;
            return Ok(self.made(span, kind));
        }
        if self.take("(") {
            let inner = self.width_or_not(false, Self::expression)?;
            self.expect(")")?;
            return Ok(Expression {
                span: self.since(span),
                ..inner
            });
        }
        if self.take("{") {
            return self.width_or_not(false, |parser| parser.braces(span));
        }
        if self.begins_type(0) {
            let of = self.of_type()?;
            return self.behind_type(span, of);
        }
        let from_top = self.take(".");
        if !self.is_name(0) {
            return self.lost("an expression");
        }
        let name = self.name()?;
        Ok(self.made(span, ExpressionKind::Path(Path { from_top, name })))
    }

    /// `T(…)`, `T.x`, or a name that happens to be a type.
    fn behind_type(&mut self, span: Span, of: Type) -> Parsed<Expression> {
        if self.take("(") {
            let arguments = self.arguments()?;
            let kind = ExpressionKind::Construct(Box::new(of), arguments);
            return Ok(self.made(span, kind));
        }
        if self.take(".") {
            let name = self.name()?;
            return Ok(self.made(span, ExpressionKind::OfType(Box::new(of), name)));
        }
        match of.kind {
            TypeKind::Named(path, types) if types.is_empty() => {
                Ok(self.made(span, ExpressionKind::Path(path)))
            }
            _ => self.lost("`(` or `.` behind a type"),
        }
    }

    fn postfixed(&mut self, span: Span, first: Expression) -> Parsed<Expression> {
        let mut whole = first;
        loop {
            if self.take(".") {
                let name = self.name()?;
                whole = self.made(span, ExpressionKind::Member(Box::new(whole), name));
                self.chained()?;
            } else if self.take("[") {
                whole = self.index(span, whole)?;
                self.chained()?;
            } else if self.take("(") {
                let arguments = self.arguments()?;
                let kind = ExpressionKind::Call(Box::new(whole), Vec::new(), arguments);
                whole = self.made(span, kind);
                self.chained()?;
            } else if let Some(types) = self.types_of_call() {
                let arguments = self.arguments()?;
                let kind = ExpressionKind::Call(Box::new(whole), types, arguments);
                whole = self.made(span, kind);
            } else {
                return Ok(whole);
            }
        }
    }

    /// `<T>(`, where it is that and no comparison.
    fn types_of_call(&mut self) -> Option<Vec<Type>> {
        let any = self.ahead(1).is_some_and(|token| token.is_word("_"));
        if !self.is_sign("<") || !(any || self.begins_type(1)) {
            return None;
        }
        self.tried(|parser| {
            parser.expect("<")?;
            let types = parser.list(">", Self::type_argument)?;
            parser.expect("(")?;
            Ok(types)
        })
    }

    fn index(&mut self, span: Span, of: Expression) -> Parsed<Expression> {
        self.width_or_not(false, |parser| parser.unguarded_index(span, of))
    }

    fn unguarded_index(&mut self, span: Span, of: Expression) -> Parsed<Expression> {
        let first = Box::new(self.expression()?);
        let of = Box::new(of);
        let kind = if self.take(":") {
            ExpressionKind::Slice(of, first, Box::new(self.expression()?))
        } else if self.take("+:") {
            ExpressionKind::Part(of, first, Box::new(self.expression()?))
        } else {
            ExpressionKind::Index(of, first)
        };
        self.expect("]")?;
        Ok(self.made(span, kind))
    }

    /// Behind the opening parenthesis, with the closing one.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.width_or_not(false, |parser| parser.list(")", Self::argument))
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let (name, value) = match self.is_key() {
            true => {
                let (name, value) = self.key_and_value()?;
                (Some(name), value)
            }
            false => (None, self.expression()?),
        };
        Ok(Argument { name, value })
    }

    /// Behind the opening brace, with the closing one.
    fn braces(&mut self, span: Span) -> Parsed<Expression> {
        let is_record = self.is_key();
        let (mut fields, mut values, mut rest) = (Vec::new(), Vec::new(), false);
        while !self.take("}") {
            if self.take("...") {
                rest = true;
            } else if is_record {
                fields.push(self.key_and_value()?);
            } else {
                values.push(self.expression()?);
            }
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
            if rest {
                return self.lost("`}` behind `...`");
            }
        }
        let kind = match is_record {
            true => ExpressionKind::Record(fields, rest),
            false => ExpressionKind::List(values, rest),
        };
        Ok(self.made(span, kind))
    }

    /// A set of values: several in parentheses, or one.
    pub(super) fn set(&mut self) -> Parsed<Expression> {
        let span = self.here();
        let tuple = self.tried(|parser| {
            parser.expect("(")?;
            let sets = parser.list(")", Self::single_set)?;
            match parser.is_sign(":") {
                true => Ok(sets),
                false => parser.lost("`:`"),
            }
        });
        match tuple {
            Some(mut sets) if sets.len() == 1 => {
                let only = sets.pop().expect("there is one");
                Ok(Expression {
                    span: self.since(span),
                    ..only
                })
            }
            Some(sets) => Ok(self.made(span, ExpressionKind::Tuple(sets))),
            None => self.single_set(),
        }
    }

    /// A value, `a &&& b`, `a .. b`, `default`, `_`.
    pub(super) fn single_set(&mut self) -> Parsed<Expression> {
        let span = self.here();
        let first = self.expression()?;
        for (sign, operator) in [("&&&", Binary::Mask), ("..", Binary::Range)] {
            if self.take(sign) {
                let second = Box::new(self.expression()?);
                let kind = ExpressionKind::Binary(operator, Box::new(first), second);
                return Ok(self.made(span, kind));
            }
        }
        Ok(first)
    }

    /// A name with what stands behind it: a place that can be assigned to, or a call.
    pub(super) fn place(&mut self) -> Parsed<Expression> {
        self.apart(|parser| {
            let span = parser.here();
            let first = parser.single()?;
            parser.postfixed(span, first)
        })
    }
}
