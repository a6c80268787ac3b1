//! Characters to tokens (§6.3 and §6.4 of the specification).

use crate::source::Span;

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a keyword; `_` is one, too.
    Word(String),
    /// A literal as it is written: `10`, `8w0xFF`, `4s-` without its sign, `2w0b11`.
    Number(String),
    /// What stands between quotes, with escapes resolved.
    Text(String),
    /// An operator or another sign. `>` is always alone: whether two of them shift or close depends on where they stand.
    Sign(&'static str),
    /// A character that no token begins with, an unfinished comment or text: what is wrong.
    Wrong(String),
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where; for what a macro stands for, where that is used.
    pub span: Span,
    /// It is the first one of its line.
    pub begins_line: bool,
    /// Nothing stands between the token before and this one.
    pub adjoins: bool,
}

impl Token {
    /// It is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, TokenKind::Word(text) if text == word)
    }

    /// It is this sign.
    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(&self.kind, TokenKind::Sign(text) if *text == sign)
    }

    /// As it is written, for messages.
    pub fn text(&self) -> String {
        match &self.kind {
            TokenKind::Word(text) | TokenKind::Number(text) => text.clone(),
            TokenKind::Text(text) => format!("{text:?}"),
            TokenKind::Sign(sign) => (*sign).to_owned(),
            TokenKind::Wrong(what) => what.clone(),
        }
    }
}

/// Signs, the longest first.
const SIGNS: [&str; 53] = [
    "|+|=", "|-|=", "&&&", "<<=", "...", "|+|", "|-|", "{#}", "==", "!=", "<=", ">=", "&&", "||",
    "<<", "++", "..", "+:", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##", "(", ")", "{",
    "}", "[", "]", "<", ">", ";", ":", ",", ".", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~",
    "!", "?", "@", "#",
];

/// All tokens of a file.
pub fn tokens(file: u32, text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        begins_line: true,
        adjoins: false,
        tokens: Vec::new(),
    };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.tokens
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    at: usize,
    begins_line: bool,
    adjoins: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().expect("there is more");
        if first == '\n' {
            self.at += 1;
            (self.begins_line, self.adjoins) = (true, false);
        } else if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
            self.adjoins = false;
        } else if let Some(length) = continued(rest) {
            self.at += length;
            self.adjoins = false;
        } else if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
            self.adjoins = false;
        } else if rest.starts_with("/*") {
            self.comment();
        } else if first == '"' {
            self.quoted();
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = run_of_letters(rest).to_owned();
            let length = word.len();
            self.push(TokenKind::Word(word), length);
        } else if first.is_ascii_digit() {
            let number = run_of_letters(rest).to_owned();
            let length = number.len();
            self.push(TokenKind::Number(number), length);
        } else {
            self.sign(first);
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let span = Span {
            file: self.file,
            start: self.at as u32,
            end: (self.at + length) as u32,
        };
        self.tokens.push(Token {
            kind,
            span,
            begins_line: self.begins_line,
            adjoins: self.adjoins,
        });
        self.at += length;
        (self.begins_line, self.adjoins) = (false, true);
    }

    fn comment(&mut self) {
        let rest = self.rest();
        match rest[2..].find("*/") {
            Some(length) => {
                self.begins_line |= rest[2..2 + length].contains('\n');
                self.at += length + 4;
                self.adjoins = false;
            }
            None => {
                let whole = rest.len();
                self.push(TokenKind::Wrong("a comment that does not end".into()), 2);
                self.at += whole - 2;
            }
        }
    }

    fn quoted(&mut self) {
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((place, character)) = characters.next() {
            match character {
                '"' => return self.push(TokenKind::Text(text), place + 1),
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, '\n')) | None => {}
                    Some((_, other)) => text.push(other),
                },
                other => text.push(other),
            }
        }
        let whole = self.rest().len();
        self.push(TokenKind::Wrong("a string that does not end".into()), 1);
        self.at += whole - 1;
    }

    fn sign(&mut self, first: char) {
        let rest = self.rest();
        match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            Some(sign) => self.push(TokenKind::Sign(sign), sign.len()),
            None => {
                let what = format!("the character {first:?}");
                self.push(TokenKind::Wrong(what), first.len_utf8());
            }
        }
    }
}

/// Bytes of a backslash and the end of a line, which goes on in the next one.
fn continued(text: &str) -> Option<usize> {
    let ends = ["\\\n", "\\\r\n"];
    let end = ends.into_iter().find(|end| text.starts_with(end))?;
    Some(end.len())
}

/// Letters, digits and underscores: a word, or a number with its width and base.
fn run_of_letters(text: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let end = text.find(|character| !is_part(character));
    &text[..end.unwrap_or(text.len())]
}
