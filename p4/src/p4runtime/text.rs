//! The text form of Protocol Buffers: fields with their values, each with its place. What they mean, a schema would say; here nobody asks
//! for one.
//!
//! ```text
//! updates { type: INSERT entity { table_entry { table_id: 33554433 match { field_id: 1 exact { value: "\n\001" } } } } }
//! ```

use hardpath_diagnostic::{Diagnostic, Place};

/// A field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Line and column, from 1.
    pub at: (u32, u32),
    /// What stands there.
    pub value: Value,
    /// Where that begins.
    pub value_at: (u32, u32),
}

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number that is not negative.
    Number(u64),
    /// A name: of a member of an enum, `true`, `false`. Numbers that are no such numbers are here, too.
    Word(String),
    /// A text, or bytes.
    Bytes(Vec<u8>),
    /// A message.
    Message(Vec<Field>),
}

/// Messages within messages.
const DEEPEST: usize = 32;

/// Reads a message.
///
/// # Errors
/// `p4-commands`: the first thing that is wrong.
pub fn read(file: &str, text: &str) -> Result<Vec<Field>, Diagnostic> {
    let mut reader = Reader {
        file,
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        at: (1, 1),
    };
    let fields = reader.message(None, 0)?;
    Ok(fields)
}

/// A text that begins as such a message does: with a name, and a colon or an opening bracket.
pub fn looks_so(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let lines = lines.by_ref();
    let mut all = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = all.next() else {
        return false;
    };
    let behind = first.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let next = behind.trim_start().chars().next();
    // What opens may stand in the next line.
    let next = next.or_else(|| all.next().and_then(|line| line.chars().next()));
    behind.len() < first.len() && matches!(next, Some(':' | '{' | '<'))
}

struct Reader<'t> {
    file: &'t str,
    rest: &'t str,
    at: (u32, u32),
}

impl<'t> Reader<'t> {
    fn wrong<T>(&self, at: (u32, u32), message: impl Into<String>) -> Result<T, Diagnostic> {
        let place = Place::of_file(self.file).position(at.0, at.1);
        Err(Diagnostic::input("p4-commands", message).at(place))
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn step(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        self.at = match next {
            '\n' => (self.at.0 + 1, 1),
            _ => (self.at.0, self.at.1 + 1),
        };
        Some(next)
    }

    fn skip(&mut self) {
        while let Some(next) = self.peek() {
            if next == '#' {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.step();
                }
            } else if !next.is_whitespace() {
                return;
            }
            self.step();
        }
    }

    /// Takes a character, if it comes.
    fn takes(&mut self, wanted: char) -> bool {
        self.skip();
        let comes = self.peek() == Some(wanted);
        if comes {
            self.step();
        }
        comes
    }

    fn word(&mut self) -> &'t str {
        self.skip();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        for _ in word.chars() {
            self.step();
        }
        word
    }

    /// Fields up to what closes; `None`: up to the end.
    fn message(&mut self, closes: Option<char>, deep: usize) -> Result<Vec<Field>, Diagnostic> {
        let mut fields = Vec::new();
        loop {
            self.skip();
            match (self.peek(), closes) {
                (None, None) => return Ok(fields),
                (None, Some(closes)) => {
                    return self.wrong(self.at, format!("`{closes}` is missing"));
                }
                (Some(next), Some(closes)) if next == closes => {
                    self.step();
                    return Ok(fields);
                }
                _ => self.field(&mut fields, deep)?,
            }
            if !self.takes(',') {
                self.takes(';');
            }
        }
    }

    /// A field, or several of one name: `name: [1, 2]`.
    fn field(&mut self, fields: &mut Vec<Field>, deep: usize) -> Result<(), Diagnostic> {
        self.skip();
        let at = self.at;
        let name = self.word();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            let found = self.peek().map_or("the end".into(), |c| format!("`{c}`"));
            return self.wrong(
                at,
                format!("the name of a field is expected, and there is {found}"),
            );
        }
        let colon = self.takes(':');
        if colon && self.takes('[') {
            while !self.takes(']') {
                self.value(name, at, fields, deep)?;
                self.takes(',');
            }
            return Ok(());
        }
        self.skip();
        if !colon && !matches!(self.peek(), Some('{' | '<')) {
            return self.wrong(self.at, format!("`:` is expected behind `{name}`"));
        }
        self.value(name, at, fields, deep)
    }

    fn value(
        &mut self,
        name: &str,
        at: (u32, u32),
        fields: &mut Vec<Field>,
        deep: usize,
    ) -> Result<(), Diagnostic> {
        self.skip();
        let value_at = self.at;
        let value = match self.peek() {
            Some('{' | '<') if deep == DEEPEST => {
                return self.wrong(value_at, "messages are too deep in each other");
            }
            Some('{') => {
                self.step();
                Value::Message(self.message(Some('}'), deep + 1)?)
            }
            Some('<') => {
                self.step();
                Value::Message(self.message(Some('>'), deep + 1)?)
            }
            Some('"' | '\'') => Value::Bytes(self.texts()?),
            _ => match self.word() {
                "" => return self.wrong(value_at, format!("a value of `{name}` is expected")),
                word => number(word).map_or_else(|| Value::Word(word.into()), Value::Number),
            },
        };
        fields.push(Field {
            name: name.into(),
            at,
            value,
            value_at,
        });
        Ok(())
    }

    /// Texts that stand one behind the other are one.
    fn texts(&mut self) -> Result<Vec<u8>, Diagnostic> {
        let mut bytes = Vec::new();
        loop {
            self.skip();
            let begin = self.at;
            let Some(quote) = self.peek().filter(|next| matches!(next, '"' | '\'')) else {
                return Ok(bytes);
            };
            self.step();
            loop {
                let at = self.at;
                match self.step() {
                    None | Some('\n') => return self.wrong(begin, "this text does not end"),
                    Some(next) if next == quote => break,
                    Some('\\') => bytes.extend(self.escaped(at)?),
                    Some(next) => bytes.extend(next.to_string().bytes()),
                }
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self, at: (u32, u32)) -> Result<Vec<u8>, Diagnostic> {
        let Some(next) = self.step() else {
            return self.wrong(at, "this text does not end");
        };
        let byte = match next {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '\'' | '"' | '?' => next as u8,
            '0'..='7' => {
                let mut value = next.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    match self.peek().and_then(|next| next.to_digit(8)) {
                        Some(digit) => {
                            value = value * 8 + digit;
                            self.step();
                        }
                        None => break,
                    }
                }
                match u8::try_from(value) {
                    Ok(byte) => byte,
                    Err(_) => return self.wrong(at, "a byte is \\377 at the most"),
                }
            }
            'x' | 'X' => {
                let mut digits = Vec::new();
                while digits.len() < 2 {
                    match self.peek().and_then(|next| next.to_digit(16)) {
                        Some(digit) => digits.push(digit as u8),
                        None => break,
                    }
                    self.step();
                }
                match digits[..] {
                    [] => return self.wrong(at, "digits are expected behind `\\x`"),
                    _ => digits.iter().fold(0, |byte, digit| byte << 4 | digit),
                }
            }
            _ => return self.wrong(at, format!("`\\{next}` stands for nothing")),
        };
        Ok(vec![byte])
    }
}

fn number(word: &str) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    match word.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        _ => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let text = "a: 0x10, b: \"\\001x\\x0A\" '\\n' # c\nd { e: [1, 2]; f: INSERT } g < h: 010 >";
        let fields = read("f", text).unwrap();
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "d", "g"]);
        assert_eq!(fields[0].value, Value::Number(16));
        assert_eq!(fields[1].value, Value::Bytes(b"\x01x\n\n".to_vec()));
        let Value::Message(inner) = &fields[2].value else {
            panic!("{fields:#?}");
        };
        assert_eq!(inner[1].value, Value::Number(2));
        assert_eq!(inner[2].value, Value::Word("INSERT".into()));
        assert_eq!((fields[2].at, inner[2].at), ((2, 1), (2, 16)));
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, at) in [
            ("a {\n b: 1", "f:2:6"),
            ("a 1", "f:1:3"),
            ("a: \"x", "f:1:4"),
            ("a: \"\\q\"", "f:1:5"),
            ("}", "f:1:1"),
            ("a: ", "f:1:4"),
        ] {
            assert_eq!(read("f", text).unwrap_err().place_text(), at, "{text}");
        }
        assert!(read("f", &"a {".repeat(1000)).is_err());
    }

    #[test]
    fn it_is_told_from_command_lines() {
        for text in [
            "updates {",
            "# c\n\nupdates\n{",
            "device_id: 1",
            "updates <",
        ] {
            assert!(looks_so(text), "{text}");
        }
        for text in ["", "table_add a b c => d", "# updates {\nregister_reset a"] {
            assert!(!looks_so(text), "{text}");
        }
    }
}
