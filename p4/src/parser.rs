//! Tokens to a tree, by recursive descent after the grammar in the specification's appendix.
//!
//! `T x;` and `x.f();`, `(T) x` and `(x)`, `f<T>(x)` and `a < b` can be told apart only by who knows which names are types (§6.4.1), so the
//! parser keeps what is declared in each scope, and no more of it. A declaration or a statement that is wrong is skipped, and the next
//! one is read, so that all errors are told at once.

mod advice;
mod declarations;
mod expressions;
mod statements;
mod types;

use crate::ast::{Annotation, AnnotationBody, Expression, Name, Program};
use crate::cursor::Cursor;
use crate::lexer::{Token, TokenKind};
use crate::source::{Sources, Span, MOST_ERRORS};
use hardpath_diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// So deep things may stand in each other.
const MOST_DEEP: u32 = 200;
/// So deep an expression may be: operators, members and indices that stand behind each other make it deeper, too.
const MOST_CHAINED: u32 = 500;
/// For each token of a program so many may be read in vain: things that are tried in each other would take for ever.
const MOST_TRIED: usize = 20;

/// Words that no name can be (§6.4.2).
pub(crate) const RESERVED: [&str; 45] = [
    "abstract",
    "action",
    "bit",
    "bool",
    "break",
    "const",
    "continue",
    "control",
    "default",
    "else",
    "enum",
    "error",
    "exit",
    "extern",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "in",
    "inout",
    "int",
    "match_kind",
    "out",
    "package",
    "parser",
    "return",
    "select",
    "string",
    "struct",
    "switch",
    "table",
    "this",
    "transition",
    "true",
    "tuple",
    "typedef",
    "value_set",
    "varbit",
    "void",
    "_",
    "__reserved_1",
    "__reserved_2",
    "__reserved_3",
    "__reserved_4",
];

/// The program that the tokens are.
///
/// # Errors
/// `p4-syntax`: whatever is not as the grammar has it.
pub fn program(sources: &Sources, tokens: &[Token]) -> Result<Program, Vec<Diagnostic>> {
    let mut parser = Parser {
        sources,
        tokens,
        at: 0,
        scopes: vec![BTreeMap::new()],
        errors: Vec::new(),
        trying: 0,
        may_try: 1000 + MOST_TRIED * tokens.len(),
        is_lost: false,
        deep: 0,
        chain: 0,
        in_width: false,
    };
    let mut declarations = Vec::new();
    while !parser.is_over() {
        if !parser.take(";") {
            declarations.extend(parser.unless_lost(Parser::top).ok().flatten());
        }
    }
    match parser.errors.is_empty() {
        true => Ok(Program { declarations }),
        false => Err(parser.errors),
    }
}

/// What stands here is not what the grammar has here; an error says so already.
struct Lost;

type Parsed<T> = Result<T, Lost>;

struct Parser<'a> {
    sources: &'a Sources,
    tokens: &'a [Token],
    at: usize,
    /// Names that are declared, the outermost scope first; whether they are types.
    scopes: Vec<BTreeMap<String, bool>>,
    errors: Vec<Diagnostic>,
    /// What goes wrong is taken back, and not told.
    trying: u32,
    /// Tokens that may still be read in vain.
    may_try: usize,
    /// It was told that nothing more is understood.
    is_lost: bool,
    deep: u32,
    /// So deep is what was read of the expression that is being read.
    chain: u32,
    /// A `>` ends what is read: it is the width of a type.
    in_width: bool,
}

impl Cursor for Parser<'_> {
    fn tokens(&self) -> &[Token] {
        self.tokens
    }

    fn at(&self) -> usize {
        self.at
    }

    fn go_on(&mut self) {
        self.at += 1;
    }
}

impl Parser<'_> {
    fn expect(&mut self, sign: &str) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false => self.lost(&format!("`{sign}`")),
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.take_word(word) {
            true => Ok(()),
            false => self.lost(&format!("`{word}`")),
        }
    }

    // ---- Errors

    /// What stands here is not what was expected.
    fn lost<T>(&mut self, expected: &str) -> Parsed<T> {
        if self.is_quiet() {
            return Err(Lost);
        }
        if let Some(unclosed) = self.unclosed() {
            let message = match unclosed.word.as_str() {
                "" => "`}` is missing: the program ends".to_owned(),
                word => format!("`}}` is missing in front of `{word}`"),
            };
            let error = self.sources.error("p4-syntax", self.here(), message);
            let brace = self.sources.place(unclosed.brace);
            let error = error.label(brace, "what begins here does not end");
            self.errors.push(match unclosed.word.as_str() {
                "action" | "table" => {
                    error.help("close it; actions and tables stand in front of `apply`")
                }
                _ => error,
            });
            // What follows would be read as part of it.
            self.is_lost = true;
            return Err(Lost);
        }
        let message = self.unexpected(expected);
        let error = self.sources.error("p4-syntax", self.gap(expected), message);
        let error = self.advised(error, expected);
        self.errors.push(error);
        Err(Lost)
    }

    /// Nothing more is told, or nothing yet.
    fn is_quiet(&self) -> bool {
        self.trying > 0 || self.is_lost || self.errors.len() >= MOST_ERRORS
    }

    fn wrong<T>(&mut self, span: Span, message: String) -> Parsed<T> {
        if !self.is_quiet() {
            let error = self.sources.error("p4-syntax", span, message);
            self.errors.push(error);
        }
        Err(Lost)
    }

    /// Goes on behind a declaration or statement that is wrong: behind its semicolon, or the brace that ends it.
    fn skip(&mut self, begin: usize) {
        let mut deep = 0u32;
        // What was read of it may have opened braces.
        for token in &self.tokens[begin..self.at.min(self.tokens.len())] {
            deep = depth(deep, token);
        }
        while let Some(token) = self.ahead(0) {
            let before = deep;
            if before == 0 && token.is_sign("}") && self.at > begin {
                return;
            }
            deep = depth(deep, token);
            let ends = token.is_sign(";") || token.is_sign("}");
            self.at += 1;
            if deep == 0 && ends {
                return;
            }
        }
    }

    /// Reads something; where it is wrong it is told and left out. What is only tried is wrong as a whole.
    fn unless_lost<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<Option<T>> {
        let begin = self.at;
        match read(self) {
            Ok(what) => Ok(Some(what)),
            Err(Lost) if self.trying > 0 => Err(Lost),
            Err(Lost) => {
                self.skip(begin);
                Ok(None)
            }
        }
    }

    /// Tries something: what it gives, or nothing was read.
    fn tried<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        if self.may_try == 0 {
            return None;
        }
        let (at, deep) = (self.at, self.deep);
        self.trying += 1;
        let result = read(self).ok();
        self.trying -= 1;
        if result.is_none() {
            let read = 1 + self.at.saturating_sub(at);
            self.may_try = self.may_try.saturating_sub(read);
            (self.at, self.deep) = (at, deep);
        }
        result
    }

    /// What was read of this expression stands in one more.
    fn chained(&mut self) -> Parsed<()> {
        self.chain += 1;
        match self.chain > MOST_CHAINED {
            true => {
                let message = format!("this expression is more than {MOST_CHAINED} deep");
                self.wrong(self.here(), message)
            }
            false => Ok(()),
        }
    }

    /// Reads something in which a `>` does, or does not, end what is read.
    fn width_or_not<T>(
        &mut self,
        in_width: bool,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = std::mem::replace(&mut self.in_width, in_width);
        let result = read(self);
        self.in_width = before;
        result
    }

    /// Reads something that stands in something else.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.deep >= MOST_DEEP {
            let message = format!("this is nested more than {MOST_DEEP} deep");
            let lost = self.wrong(self.here(), message);
            // Nothing behind it would be understood, also where it was only tried.
            self.at = self.tokens.len();
            self.is_lost |= self.trying == 0;
            return lost;
        }
        self.deep += 1;
        let result = read(self);
        self.deep -= 1;
        result
    }

    // ---- Scopes

    /// Reads something that has a scope of its own.
    fn scope<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(BTreeMap::new());
        let result = read(self);
        self.scopes.pop();
        result
    }

    fn declare(&mut self, name: &Name, is_type: bool) {
        let scope = self.scopes.last_mut().expect("there is the outermost one");
        scope.insert(name.text.clone(), is_type);
    }

    fn is_type_name(&self, name: &str) -> bool {
        let mut scopes = self.scopes.iter().rev();
        scopes
            .find_map(|scope| scope.get(name))
            .is_some_and(|is_type| *is_type)
    }

    // ---- Names, lists and annotations

    fn is_name(&self, count: usize) -> bool {
        match self.ahead(count).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => !RESERVED.contains(&word.as_str()),
            _ => false,
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.ahead(0).cloned() {
            Some(Token {
                kind: TokenKind::Word(text),
                span,
                ..
            }) if self.is_name(0) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            Some(Token {
                kind: TokenKind::Word(text),
                span,
                ..
            }) => self.wrong(span, format!("`{text}` is a word of P4 and can be no name")),
            _ => self.lost("a name"),
        }
    }

    /// `x =`.
    fn is_key(&self) -> bool {
        self.is_name(0) && self.is_sign_ahead(1, "=")
    }

    /// `x = e`.
    fn key_and_value(&mut self) -> Parsed<(Name, Expression)> {
        let key = self.name()?;
        self.expect("=")?;
        Ok((key, self.expression()?))
    }

    /// Things with commas between them, up to a sign, which is taken. A comma may stand behind the last one.
    fn list<T>(
        &mut self,
        end: &str,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        loop {
            if self.take(end) {
                return Ok(all);
            }
            all.push(read(self)?);
            if !self.take(",") {
                self.expect(end)?;
                return Ok(all);
            }
        }
    }

    /// `<A, B>`, if it is there: parameters that are types.
    fn type_parameters(&mut self) -> Parsed<Vec<Name>> {
        if !self.take("<") {
            return Ok(Vec::new());
        }
        let names = self.list(">", Self::name)?;
        for name in &names {
            self.declare(name, true);
        }
        Ok(names)
    }

    fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut all = Vec::new();
        while self.take("@") {
            let span = self.here();
            let Some(TokenKind::Word(text)) = self.ahead(0).map(|token| &token.kind) else {
                return self.lost("the name of an annotation");
            };
            let text = text.clone();
            self.at += 1;
            let (name, body) = match text.as_str() {
                "pragma" => self.pragma()?,
                _ => (Name { text, span }, self.annotation_body()?),
            };
            all.push(Annotation { name, body });
        }
        Ok(all)
    }

    /// Behind `@pragma`: a name, and all that stands in its line (§20.1).
    fn pragma(&mut self) -> Parsed<(Name, AnnotationBody)> {
        let name = self.name()?;
        let begin = self.at;
        while self.ahead(0).is_some_and(|token| !token.begins_line) {
            self.at += 1;
        }
        let said = self.tokens[begin..self.at].to_vec();
        Ok((name, AnnotationBody::Unstructured(said)))
    }

    fn annotation_body(&mut self) -> Parsed<AnnotationBody> {
        if self.take("(") {
            return Ok(AnnotationBody::Unstructured(self.balanced()?));
        }
        if !self.take("[") {
            return Ok(AnnotationBody::Empty);
        }
        Ok(match self.is_key() {
            true => AnnotationBody::KeyValues(self.list("]", Self::key_and_value)?),
            false => AnnotationBody::Expressions(self.list("]", Self::expression)?),
        })
    }

    /// All tokens up to the parenthesis that closes, which is taken.
    fn balanced(&mut self) -> Parsed<Vec<Token>> {
        let (begin, mut deep) = (self.at, 1);
        while let Some(token) = self.ahead(0) {
            match &token.kind {
                TokenKind::Sign("(") => deep += 1,
                TokenKind::Sign(")") => deep -= 1,
                _ => {}
            }
            self.at += 1;
            if deep == 0 {
                return Ok(self.tokens[begin..self.at - 1].to_vec());
            }
        }
        self.lost("`)`")
    }
}

fn depth(deep: u32, token: &Token) -> u32 {
    match &token.kind {
        TokenKind::Sign("{") => deep + 1,
        TokenKind::Sign("}") => deep.saturating_sub(1),
        _ => deep,
    }
}
