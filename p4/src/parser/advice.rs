//! What to do where the grammar has something else: what those mean who come from other languages, and braces that are not closed.

use super::Parser;
use crate::check::foreign;
use crate::cursor::Cursor;
use crate::lexer::{Token, TokenKind};
use crate::source::Span;
use hardpath_diagnostic::Diagnostic;

/// Words that begin what stands outside of everything.
const OUTSIDE: [&str; 8] = [
    "control",
    "parser",
    "header",
    "header_union",
    "struct",
    "package",
    "extern",
    "typedef",
];
/// Words that begin what stands in a parser or a control.
const IN_BLOCKS: [&str; 3] = ["action", "table", "state"];

/// A brace that is not closed where something begins that cannot stand in it.
pub(super) struct Unclosed {
    /// The word that begins it; empty where the program ends.
    pub word: String,
    pub brace: Span,
}

impl Parser<'_> {
    /// The brace that should have been closed in front of what comes next, if that is what is wrong.
    pub(super) fn unclosed(&self) -> Option<Unclosed> {
        let next = self.ahead(0);
        let (word, may_be_open) = match next.map(|token| (&token.kind, token)) {
            None => ("", 0),
            Some((TokenKind::Word(word), token)) if token.begins_line => match word.as_str() {
                word if OUTSIDE.contains(&word) => (word, 0),
                // `state` is a name elsewhere.
                "state" if !self.is_sign_ahead(2, "{") => return None,
                word if IN_BLOCKS.contains(&word) => (word, 1),
                _ => return None,
            },
            _ => return None,
        };
        let mut open: Vec<&Token> = Vec::new();
        for token in &self.tokens[..self.at.min(self.tokens.len())] {
            if token.is_sign("{") {
                open.push(token);
            } else if token.is_sign("}") {
                open.pop();
            }
        }
        open.get(may_be_open).map(|token| Unclosed {
            word: word.to_owned(),
            brace: token.span,
        })
    }

    /// Where something is missing: behind the token before, if what comes next stands in another line.
    pub(super) fn gap(&self, expected: &str) -> Span {
        let here = self.here();
        let closes = matches!(expected, "`;`" | "`)`" | "`]`");
        let begins_line = self.ahead(0).is_some_and(|token| token.begins_line);
        match self.before(1) {
            Some(last) if closes && begins_line && last.span.file == here.file => Span {
                start: last.span.end,
                ..last.span
            },
            _ => here,
        }
    }

    fn before(&self, count: usize) -> Option<&Token> {
        self.tokens.get(self.at.checked_sub(count)?)
    }

    /// The same error with what may help.
    pub(super) fn advised(&self, error: Diagnostic, expected: &str) -> Diagnostic {
        match self.advice(expected) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    fn advice(&self, expected: &str) -> Option<String> {
        let next = self.ahead(0)?;
        match expected {
            "`apply`" => return Some("a control has a body: `apply { }`".into()),
            "`(`" if self.before(2).is_some_and(|token| token.is_word("action")) => {
                return Some("an action has parentheses also without parameters".into());
            }
            _ => {}
        }
        let of_next = self.advice_by_next(next, expected);
        of_next.or_else(|| self.advice_by_last(next, expected))
    }

    /// By what stands there.
    fn advice_by_next(&self, next: &Token, expected: &str) -> Option<String> {
        let adjoins = |sign: &str| {
            let behind = self.ahead(1);
            behind.is_some_and(|token| token.adjoins && token.is_sign(sign))
        };
        let of_condition = matches!(expected, "`)`" | "`;`");
        Some(match &next.kind {
            TokenKind::Word(word) => match word.as_str() {
                "and" if of_condition => "conditions are joined by `&&`".into(),
                "or" if of_condition => "one of several conditions: `||`".into(),
                "action" | "table" => {
                    "actions and tables stand in front of `apply`, in the control".into()
                }
                _ => return None,
            },
            TokenKind::Number(_) if expected == "a name" => match self.before(1) {
                Some(last) if last.is_sign(".") => ADDRESSES.into(),
                Some(last) if ["bit", "int", "varbit"].iter().any(|word| last.is_word(word)) => {
                    format!("a width stands in angles: `{}<{}>`", last.text(), next.text())
                }
                _ => return None,
            },
            TokenKind::Sign("=") if expected == "`)`" => "`==` compares".into(),
            TokenKind::Sign("==") if expected == ASSIGNED => "`=` assigns".into(),
            TokenKind::Sign("-") if adjoins(">") => "fields stand behind a dot".into(),
            TokenKind::Sign("-") if expected == ASSIGNED && adjoins("-") => {
                "one less is written `x = x - 1`".into()
            }
            TokenKind::Sign("++") => "one more is written `x = x + 1`".into(),
            TokenKind::Sign(",") if expected == "`;`" => "each of these ends in a semicolon".into(),
            TokenKind::Sign("[") if expected == "`;`" => {
                "there are no arrays: of headers there are stacks, `h_t[4] x;`, and what is kept stands in a `register`".into()
            }
            TokenKind::Sign(":") if expected == "`;`" => match self.before(1).map(|last| &last.kind) {
                Some(TokenKind::Number(_)) => ADDRESSES.into(),
                _ => return None,
            },
            TokenKind::Sign(";") if expected == KIND => {
                "behind a key stands how it matches: `: exact`, `: lpm`, `: ternary`".into()
            }
            TokenKind::Sign(";") if expected == ASSIGNED => {
                "what is called has parentheses: `x()`, `t.apply()`".into()
            }
            TokenKind::Sign("=") if expected == "a name" && self.before(2).is_some_and(|one| one.is_word("const")) => {
                "a constant has a type: `const bit<16> X = 1;`".into()
            }
            _ => return None,
        })
    }

    /// By what stands in front of it.
    fn advice_by_last(&self, next: &Token, expected: &str) -> Option<String> {
        let word = |count: usize| match self.before(count).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word.as_str()),
            _ => None,
        };
        if let Some(meant) = word(1).and_then(foreign) {
            return Some(format!("numbers have a width in P4: `{meant}`"));
        }
        // `(uint16_t)x` is two expressions.
        let is_cast = self.before(1).is_some_and(|last| last.is_sign(")"))
            && self.before(3).is_some_and(|last| last.is_sign("("));
        if let (Some(meant), true) = (word(2).and_then(foreign), is_cast) {
            return Some(format!("a cast says how wide: `({meant})`"));
        }
        if let (Some("inn" | "ref" | "const" | "io" | "outin" | "in_out"), "`)`") =
            (word(2), expected)
        {
            return Some("parameters are `in`, `out` or `inout`".into());
        }
        if let (Some(word), "`=`") = (word(1), expected) {
            let is_const = hardpath_diagnostic::suggest::mistyped(word, ["const"]).is_some();
            return is_const.then(|| "did you mean `const`?".into());
        }
        if next.is_word("else") && expected == "`;`" {
            return Some("also the statement in front of `else` ends with `;`".into());
        }
        if next.is_sign("{") && expected == "`;`" {
            let begin = self.word_of_line()?;
            return Some(match begin {
                "elif" | "elsif" | "elseif" => "it is written `else if`".into(),
                "while" | "do" => {
                    "there is no such loop: `for` counts, and states of a parser may repeat".into()
                }
                _ => return None,
            });
        }
        match (word(1)?, expected) {
            ("not", _) => Some("what does not hold is `!`".into()),
            ("case", _) => Some("values stand without `case`: `1: next;`".into()),
            _ => None,
        }
    }

    /// The last word of another language in this line that begins a statement.
    fn word_of_line(&self) -> Option<&str> {
        let taken = self.tokens[..self.at].iter().rev();
        for token in taken {
            if let TokenKind::Word(word) = &token.kind {
                if ["elif", "elsif", "elseif", "while", "do"].contains(&word.as_str()) {
                    return Some(word);
                }
            }
            if token.begins_line {
                return None;
            }
        }
        None
    }
}

/// What may stand behind a place that is written to.
pub(super) const ASSIGNED: &str = "`=` or a call";
/// What stands behind a key of a table.
pub(super) const KIND: &str = "`:`";
const ADDRESSES: &str = "numbers are whole, and addresses are numbers: 10.0.0.1 is `0x0a000001`, 00:00:00:00:01:02 is `0x0102`";
