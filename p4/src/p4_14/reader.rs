//! Tokens to the tree, by recursive descent after the grammar in the specification's appendix (§15.5 of version 1.0.5). What is wrong is
//! skipped up to its end, so that all errors are told at once.
//!
//! Hardly a word is reserved (§15.6): a table may be called `exact`, an action `mask`. So words are asked for only where they can stand.

mod behaviour;
mod expressions;
mod objects;

use super::tree::{Expression, Program};
use crate::ast::Name;
use crate::cursor::Cursor;
use crate::lexer::{Token, TokenKind};
use crate::source::{Sources, Span, MOST_ERRORS};
use hardpath_diagnostic::Diagnostic;

/// So deep things may stand in each other.
const MOST_DEEP: u32 = 50;

/// The program that the tokens are.
///
/// # Errors
/// `p4-syntax`: whatever is not as the grammar has it; `p4-14`: declarations of later versions.
pub(super) fn program(sources: &Sources, tokens: &[Token]) -> Result<Program, Vec<Diagnostic>> {
    let mut reader = Reader {
        sources,
        tokens,
        at: 0,
        deep: 0,
        height: 0,
        errors: Vec::new(),
        program: Program::default(),
        pragmas: Vec::new(),
    };
    while !reader.is_over() {
        let begin = reader.at;
        if reader.declaration().is_err() {
            reader.skip(begin);
        }
    }
    match reader.errors.is_empty() {
        true => Ok(reader.program),
        false => Err(reader.errors),
    }
}

/// What stands here is not what the grammar has here; an error says so already.
struct Lost;

type Parsed<T> = Result<T, Lost>;

struct Reader<'a> {
    sources: &'a Sources,
    tokens: &'a [Token],
    at: usize,
    deep: u32,
    /// How deep the expression is that was read last.
    height: u32,
    errors: Vec<Diagnostic>,
    program: Program,
    /// Those in front of the next declaration: a name, and what stands behind it in its line.
    pragmas: Vec<(String, Vec<Token>)>,
}

impl Cursor for Reader<'_> {
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

impl Reader<'_> {
    fn declaration(&mut self) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.take("@") {
            return self.pragma();
        }
        // `const` stands in front of nothing but default actions.
        let Some(word) = self.word_ahead(0) else {
            return self.lost("a declaration");
        };
        let word = word.to_owned();
        let first = self.here();
        self.at += 1;
        match word.as_str() {
            "header_type" => self.header_type(),
            "header" => self.instance(false),
            "metadata" => self.instance(true),
            "field_list" => self.field_list(),
            "field_list_calculation" => self.calculation(),
            "calculated_field" => self.calculated_field(),
            "parser_value_set" => self.value_set(),
            "parser" => self.state(),
            "parser_exception" => self.exception(),
            "counter" => self.counter(),
            "meter" => self.meter(),
            "register" => self.register(),
            "action" => self.action(),
            "action_profile" => self.profile(),
            "action_selector" => self.selector(),
            "table" => self.table(),
            "control" => self.control(),
            "extern_type" | "extern" | "blackbox_type" | "blackbox" | "primitive_action" => {
                let message = format!("{word} is not of P4_14 1.0, and is not translated");
                let error = self.sources.error("p4-14", first, message);
                self.tell(error.help("write what it does with actions, registers and counters"));
                Err(Lost)
            }
            _ => {
                self.at -= 1;
                self.lost("a declaration")
            }
        }?;
        self.pragmas.clear();
        Ok(())
    }

    /// `@pragma name …`, up to the end of its line.
    fn pragma(&mut self) -> Parsed<()> {
        if !self.take_word("pragma") {
            return self.lost("`pragma`");
        }
        let name = self.name()?.text;
        let begin = self.at;
        while self.ahead(0).is_some_and(|token| !token.begins_line) {
            self.at += 1;
        }
        let said = self.tokens[begin..self.at].to_vec();
        self.pragmas.push((name, said));
        Ok(())
    }

    fn pragma_of(&self, name: &str) -> Option<&[Token]> {
        let mut all = self.pragmas.iter();
        let found = all.find(|(known, _)| known == name);
        found.map(|(_, said)| &said[..])
    }

    // ---- Tokens

    fn word_ahead(&self, count: usize) -> Option<&str> {
        match self.ahead(count).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Takes a word that stands in front of a sign: elsewhere it is a name.
    fn take_key(&mut self, word: &str, sign: &str) -> bool {
        let found = self.is_word(word) && self.is_sign_ahead(1, sign);
        self.at += 2 * usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false => self.lost(&format!("`{sign}`")),
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        let Some(text) = self.word_ahead(0) else {
            return self.lost("a name");
        };
        let text = text.to_owned();
        let span = self.here();
        self.at += 1;
        Ok(Name { text, span })
    }

    /// `name;`
    fn name_alone(&mut self) -> Parsed<Name> {
        let name = self.name()?;
        self.expect(";")?;
        Ok(name)
    }

    /// `expression;`
    fn expression_alone(&mut self) -> Parsed<Expression> {
        let value = self.expression()?;
        self.expect(";")?;
        Ok(value)
    }

    /// What stands in braces, as long as there is more.
    fn braces(&mut self, mut read: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect("{")?;
        while !self.take("}") {
            read(self)?;
        }
        Ok(())
    }

    /// Things with commas between them, up to a sign, which is taken.
    fn list<T>(
        &mut self,
        end: &str,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        if self.take(end) {
            return Ok(all);
        }
        loop {
            all.push(read(self)?);
            if !self.take(",") {
                self.expect(end)?;
                return Ok(all);
            }
        }
    }

    /// Reads something that stands in something else.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.deep >= MOST_DEEP {
            let message = format!("this is nested more than {MOST_DEEP} deep");
            return self.wrong(self.here(), message);
        }
        self.deep += 1;
        let result = read(self);
        self.deep -= 1;
        result
    }

    // ---- Errors

    fn tell(&mut self, error: Diagnostic) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
    }

    fn lost<T>(&mut self, expected: &str) -> Parsed<T> {
        let message = self.unexpected(expected);
        self.wrong(self.here(), message)
    }

    fn wrong<T>(&mut self, span: Span, message: String) -> Parsed<T> {
        let error = self.sources.error("p4-syntax", span, message);
        self.tell(error);
        Err(Lost)
    }

    /// Goes on behind a declaration that is wrong: behind the brace that ends it, or its semicolon where it has no braces.
    fn skip(&mut self, begin: usize) {
        self.deep = 0;
        self.pragmas.clear();
        let (mut place, mut deep) = (begin, 0u32);
        while let Some(token) = self.tokens.get(place) {
            place += 1;
            match &token.kind {
                TokenKind::Sign("{") => deep += 1,
                TokenKind::Sign("}") => deep = deep.saturating_sub(1),
                _ => {}
            }
            let ends = token.is_sign("}") || token.is_sign(";");
            // What is behind the error may still be a part of it.
            if deep == 0 && ends && place > self.at {
                break;
            }
        }
        self.at = place.max(self.at + usize::from(place == begin));
    }
}
