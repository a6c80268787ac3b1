//! One line of the text form, cut into words, strings and signs, and read from left to right.

use crate::syntax::is_word_character;
use crate::Bits;
use hardpath_diagnostic::{Diagnostic, Place};

/// A place in the text, both numbers from 1.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    line: u32,
    /// In characters.
    column: u32,
    code: &'static str,
}

impl Position {
    /// The first character of a line.
    pub fn start_of(line: u32, form: &Form) -> Position {
        let code = form.code;
        let column = 1;
        Position { line, column, code }
    }

    /// An error there.
    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::input(self.code, message).at(Place::default().position(self.line, self.column))
    }
}

/// What texts have apart that are read in this way.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The code of its errors.
    pub code: &'static str,
    /// Its signs.
    pub signs: &'static str,
}

impl Form {
    /// Of the program IR.
    pub const IR: Form = Form {
        code: "ir-syntax",
        signs: ":=,()@",
    };
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// Letters, digits, `_`, `.` and `-`.
    Word(String),
    /// A string, without its quotes.
    Text(String),
    Sign(char),
}

/// The tokens of a line and how far they have been read.
pub struct Line {
    tokens: Vec<(Token, Position)>,
    next: usize,
    end: Position,
}

impl Line {
    /// Cuts a line, which has this number from 1, into tokens.
    pub fn new(number: u32, text: &str, form: &Form) -> Result<Line, Diagnostic> {
        let characters: Vec<char> = text.chars().collect();
        let position = |index: usize| Position {
            line: number,
            column: index as u32 + 1,
            code: form.code,
        };
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(&character) = characters.get(at) {
            let start = at;
            at += 1;
            let token = match character {
                ';' => break,
                _ if character.is_whitespace() => continue,
                '"' => {
                    let (text, behind) = string(&characters, at, position)?;
                    at = behind;
                    Token::Text(text)
                }
                _ if form.signs.contains(character) => Token::Sign(character),
                _ if is_word_character(character) => {
                    while at < characters.len() && is_word_character(characters[at]) {
                        at += 1;
                    }
                    Token::Word(characters[start..at].iter().collect())
                }
                _ => {
                    return Err(position(start).error(format!("`{character}` has no meaning here")))
                }
            };
            tokens.push((token, position(start)));
        }
        Ok(Line {
            tokens,
            next: 0,
            end: position(characters.len()),
        })
    }

    /// Everything has been read.
    pub fn at_end(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// The next token is a string.
    pub fn at_string(&self) -> bool {
        matches!(self.peek(), Some(Token::Text(_)))
    }

    /// Of the next token, or the line's end.
    pub fn position(&self) -> Position {
        self.tokens.get(self.next).map_or(self.end, |(_, p)| *p)
    }

    /// An error unless everything has been read.
    pub fn finish(&self) -> Result<(), Diagnostic> {
        match self.peek() {
            Some(_) => Err(self.expected("the end of the line")),
            None => Ok(()),
        }
    }

    /// Reads a word if it is this one.
    pub fn take_keyword(&mut self, keyword: &str) -> bool {
        self.take(|token| matches!(token, Token::Word(word) if word == keyword))
    }

    /// Reads this word.
    pub fn keyword(&mut self, keyword: &str) -> Result<(), Diagnostic> {
        if self.take_keyword(keyword) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{keyword}`")))
        }
    }

    /// Reads a sign if it is this one.
    pub fn take_sign(&mut self, sign: char) -> bool {
        self.take(|token| *token == Token::Sign(sign))
    }

    /// Reads this sign.
    pub fn sign(&mut self, sign: char) -> Result<(), Diagnostic> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{sign}`")))
        }
    }

    /// Any word.
    pub fn word(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A word that `meaning` knows.
    pub fn one_of<T>(
        &mut self,
        what: &str,
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Diagnostic> {
        let known = match self.peek() {
            Some(Token::Word(word)) => meaning(word),
            _ => None,
        };
        let known = known.ok_or_else(|| self.expected(what))?;
        self.next += 1;
        Ok(known)
    }

    /// Reads a string if there is one.
    pub fn take_string(&mut self) -> Option<String> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.next += 1;
                Some(text)
            }
            _ => None,
        }
    }

    /// A string, which the message calls `what`.
    pub fn string(&mut self, what: &str) -> Result<String, Diagnostic> {
        let error = self.expected(what);
        self.take_string().ok_or(error)
    }

    /// `@name` or `@"name"`, of a map or function.
    pub fn map_name(&mut self) -> Result<String, Diagnostic> {
        self.sign('@')?;
        match self.take_string() {
            Some(name) => Ok(name),
            None => self.word("a map's name"),
        }
    }

    /// Whether the next token is `prefix` and a number: `v3`, `block0`.
    pub fn at_numbered(&self, prefix: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(word)) if numbered(word, prefix).is_some())
    }

    /// Reads `prefix` and a number, if that is what comes next.
    pub fn take_numbered(&mut self, prefix: &str) -> Option<(u32, Position)> {
        let position = self.position();
        let number = match self.peek() {
            Some(Token::Word(word)) => numbered(word, prefix)?,
            _ => return None,
        };
        self.next += 1;
        Some((number, position))
    }

    /// `prefix` and a number, which the message calls `what`.
    pub fn numbered(&mut self, prefix: &str, what: &str) -> Result<(u32, Position), Diagnostic> {
        let error = self.expected(what);
        self.take_numbered(prefix).ok_or(error)
    }

    /// A number of at most 32 bits, decimal or with `0x`.
    pub fn number(&mut self) -> Result<u32, Diagnostic> {
        self.one_of("a number of at most 32 bits", |word| {
            match word.strip_prefix("0x") {
                Some(digits) => Bits::parse_hex(digits, 32)?.as_u64()?.try_into().ok(),
                None => decimal(word)?.try_into().ok(),
            }
        })
    }

    /// A constant of `width` bits, hexadecimal with `0x`, or decimal of at most 64 bits.
    pub fn constant(&mut self, width: u32) -> Result<Bits, Diagnostic> {
        self.one_of(
            &format!("a number of at most {width} bits"),
            |word| match word.strip_prefix("0x") {
                Some(digits) => Bits::parse_hex(digits, width),
                None => {
                    let value = decimal(word)?;
                    let bits = Bits::from_u64(value, width);
                    (bits.low_u64() == value).then_some(bits)
                }
            },
        )
    }

    /// `"00ff"`: bytes as hexadecimal digits.
    pub fn hex_bytes(&mut self) -> Result<Vec<u8>, Diagnostic> {
        let error = self.expected("bytes as pairs of hexadecimal digits, in quotes");
        let digits: Option<Vec<u32>> = match self.take_string() {
            Some(text) => text.chars().map(|digit| digit.to_digit(16)).collect(),
            None => None,
        };
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(digits
                .chunks_exact(2)
                .map(|pair| (pair[0] * 16 + pair[1]) as u8)
                .collect()),
            _ => Err(error),
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn take(&mut self, accept: impl Fn(&Token) -> bool) -> bool {
        let taken = self.peek().is_some_and(accept);
        self.next += usize::from(taken);
        taken
    }

    /// The error that something else stands here.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(Token::Word(word)) => format!("found `{word}`"),
            Some(Token::Text(text)) => format!("found the string {text:?}"),
            Some(Token::Sign(sign)) => format!("found `{sign}`"),
            None => String::from("the line ends"),
        };
        self.position().error(format!("expected {what}, {found}"))
    }
}

/// The number behind a prefix, written without leading zeros.
fn numbered(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let number: u32 = decimal(digits)?.try_into().ok()?;
    // The highest number is no index.
    (number != u32::MAX && (digits == "0" || !digits.starts_with('0'))).then_some(number)
}

fn decimal(digits: &str) -> Option<u64> {
    let all_digits = digits.chars().all(|digit| digit.is_ascii_digit());
    all_digits.then(|| digits.parse().ok()).flatten()
}

/// The string whose first character is at `at`, and the index behind its closing quote.
fn string(
    characters: &[char],
    mut at: usize,
    position: impl Fn(usize) -> Position,
) -> Result<(String, usize), Diagnostic> {
    let start = at - 1;
    let mut text = String::new();
    loop {
        let Some(&character) = characters.get(at) else {
            return Err(position(start).error("the string does not end on its line"));
        };
        at += 1;
        match character {
            '"' => return Ok((text, at)),
            '\\' => {
                let (escaped, behind) = escape(characters, at)
                    .ok_or_else(|| position(at - 1).error("there is no such escape"))?;
                text.push(escaped);
                at = behind;
            }
            _ => text.push(character),
        }
    }
}

/// What stands behind a backslash: `"`, `\`, `n`, `t` or `u{…}`.
fn escape(characters: &[char], at: usize) -> Option<(char, usize)> {
    let escaped = match characters.get(at)? {
        'n' => '\n',
        't' => '\t',
        '"' => '"',
        '\\' => '\\',
        'u' if characters.get(at + 1) == Some(&'{') => {
            let length = characters[at + 2..].iter().position(|c| *c == '}')?;
            let digits: String = characters[at + 2..at + 2 + length].iter().collect();
            let code = Bits::parse_hex(&digits, 32)?.as_u64()?;
            let character = char::from_u32(u32::try_from(code).ok()?)?;
            return Some((character, at + 3 + length));
        }
        _ => return None,
    };
    Some((escaped, at + 1))
}
