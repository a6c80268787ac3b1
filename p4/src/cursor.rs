//! What parsers of both versions ask of tokens: which comes next, and to take it.

use crate::lexer::{Token, TokenKind};
use crate::source::Span;

/// A place in tokens, with what goes from there.
pub(crate) trait Cursor {
    /// All of them.
    fn tokens(&self) -> &[Token];

    /// How many were taken.
    fn at(&self) -> usize;

    /// The next one is taken.
    fn go_on(&mut self);

    /// There are no more.
    fn is_over(&self) -> bool {
        self.at() >= self.tokens().len()
    }

    /// A token that was not taken yet, behind so many others.
    fn ahead(&self, count: usize) -> Option<&Token> {
        self.tokens().get(self.at() + count)
    }

    fn is_sign_ahead(&self, count: usize, sign: &str) -> bool {
        self.ahead(count).is_some_and(|token| token.is_sign(sign))
    }

    fn is_sign(&self, sign: &str) -> bool {
        self.is_sign_ahead(0, sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.ahead(0).is_some_and(|token| token.is_word(word))
    }

    /// Where the next token is, or the last one ends.
    fn here(&self) -> Span {
        match (self.ahead(0), self.tokens().last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span {
                start: last.span.end,
                ..last.span
            },
            (None, None) => Span::default(),
        }
    }

    /// From a token to the one that was taken last.
    fn since(&self, first: Span) -> Span {
        match self.at().checked_sub(1) {
            Some(last) => first.to(self.tokens()[last].span),
            None => first,
        }
    }

    /// Takes a sign if it is the next token.
    fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.go_on();
        }
        found
    }

    /// Takes a word if it is the next token.
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.go_on();
        }
        found
    }

    /// The message where something else was expected.
    fn unexpected(&self, expected: &str) -> String {
        match self.ahead(0).map(|token| (&token.kind, token)) {
            None => format!("{expected} is expected, and the program ends"),
            Some((TokenKind::Wrong(what), _)) => format!("this is no part of P4: {what}"),
            Some((_, token)) => {
                format!("{expected} is expected, and there is `{}`", token.text())
            }
        }
    }
}
