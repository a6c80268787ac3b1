//! The simple test format: packets that go in and have to come out, and what a control plane does in between.
//!
//! ```text
//! add ipv4_lpm hdr.ipv4.dst:10.0.1.0/24 forward(port:2)   # a comment
//! add acl 10 meta.src:0x0a****** "hdr.h[0].$valid$":1 drop() = first
//! packet 1 0000 0a000102
//! expect 2 0000 0a****02 $
//! check_counter acl_hits($first) packets == 0
//! ```
//!
//! One command a line, its first word in any case; `#` begins a comment. What is said of a packet that has to come out is what it begins
//! with, and all of it where `$` follows. Lines in the form of [`crate::entries`] can stand among the others: the format itself has none
//! for registers, copies, and keys that are ranges.

use crate::commands::{
    lines, short, Argument, Call, Cell, Check, Command, CommandKind, Comparison, Entry, Expected,
    Key, Number, Priority, Wrong,
};
use crate::entries;
use hardpath_diagnostic::{suggest, Diagnostic};

/// Reads a test. `file`: its name, for messages.
///
/// # Errors
/// `p4-commands`: everything that is wrong with it, a line at most once.
pub fn read(file: &str, text: &str) -> Result<Vec<Command>, Vec<Diagnostic>> {
    lines(file, text, line)
}

/// Each command of the format itself, and how it is written.
pub const COMMANDS: [(&str, &str); 11] = [
    ("packet", "PORT HEX…"),
    (
        "expect",
        "PORT [HEX…, with * for a digit that does not count] [$]",
    ),
    ("no_packet", ""),
    ("wait", "[TIME, in ns, us, ms or s: 5ms]"),
    ("remove", "all"),
    (
        "add",
        "TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= LABEL]",
    ),
    ("setdefault", "TABLE ACTION(PARAMETER:VALUE, …)"),
    (
        "check_counter",
        "COUNTER(INDEX or $LABEL) [packets|bytes ==|!=|<|<=|>|>= NUMBER]",
    ),
    ("set_timeout", "TABLE(ENTRY or $LABEL) TIME"),
    ("expect_idle", "TABLE(ENTRY or $LABEL)"),
    ("no_idle", ""),
];

/// Units of times, in nanoseconds.
const UNITS: [(&str, u64); 4] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];

/// Reads a line.
fn line(text: &str) -> Result<CommandKind, Wrong> {
    let words = entries::words(text);
    let (column, word) = words[0];
    let mut own = COMMANDS.into_iter();
    let Some(form) = own.find(|(name, _)| name.eq_ignore_ascii_case(word)) else {
        return match entries::form(word) {
            Some(form) => entries::run(form, &words),
            None => Err(unknown(column, word)),
        };
    };
    let read = match form.0 {
        "packet" | "expect" => packet(form.0, &words),
        _ => tokens(text).and_then(|tokens| Tokens { tokens, at: 1 }.command(form.0)),
    };
    read.map_err(|wrong| match wrong.help {
        Some(_) => wrong,
        None => {
            let written = format!("{} {}", form.0, form.1);
            wrong.help(format!("it is written `{}`", written.trim_end()))
        }
    })
}

fn unknown(column: u32, word: &str) -> Wrong {
    let all = COMMANDS.iter().chain(&entries::COMMANDS);
    let names = all.map(|(name, _)| *name);
    let help = suggest::known(&word.to_lowercase(), names, "commands are", "");
    Wrong::new(column, format!("`{}` is no command", short(word))).help(help)
}

/// A packet that goes in or has to come out.
fn packet(command: &str, words: &[(u32, &str)]) -> Result<CommandKind, Wrong> {
    let Some((column, port)) = words.get(1) else {
        return Err(Wrong::new(after(words[0]), "the port is missing"));
    };
    let is_decimal = port.bytes().all(|digit| digit.is_ascii_digit());
    let Some(port) = port.parse().ok().filter(|_| is_decimal) else {
        let message = format!("a port is expected, and there is `{}`", short(port));
        return Err(Wrong::new(*column, message));
    };
    let digits = Digits::read(&words[2..], command == "expect")?;
    if command == "expect" {
        let packet = (!words[2..].is_empty()).then(|| digits.expected());
        return match packet {
            Some(packet) if packet.is_exact && digits.values.len() % 2 == 1 => {
                Err(digits.odd(words))
            }
            packet => Ok(CommandKind::Expect { port, packet }),
        };
    }
    if digits.values.is_empty() {
        let message = "a packet has at least one byte";
        return Err(Wrong::new(after(words[1]), message));
    }
    match digits.values.len() % 2 {
        0 => Ok(CommandKind::Packet {
            port,
            bytes: digits.expected().bytes,
        }),
        _ => Err(digits.odd(words)),
    }
}

/// The character behind a word.
fn after((column, word): (u32, &str)) -> u32 {
    column + word.chars().count() as u32
}

/// The digits of a packet.
struct Digits {
    /// Nothing for one that does not count.
    values: Vec<Option<u8>>,
    is_exact: bool,
}

impl Digits {
    fn read(words: &[(u32, &str)], is_pattern: bool) -> Result<Digits, Wrong> {
        let (mut values, mut is_exact) = (Vec::new(), false);
        for (column, word) in words {
            for (at, digit) in word.chars().enumerate() {
                let column = column + at as u32;
                let value = digit.to_digit(16).map(|value| value as u8);
                match digit {
                    _ if is_exact => {
                        return Err(Wrong::new(column, "nothing can follow `$`"));
                    }
                    '*' if is_pattern => values.push(None),
                    '$' if is_pattern => is_exact = true,
                    _ if value.is_some() => values.push(value),
                    _ => {
                        let message = format!("a packet has no `{digit}`");
                        return Err(Wrong::new(column, message));
                    }
                }
            }
        }
        Ok(Digits { values, is_exact })
    }

    fn expected(&self) -> Expected {
        let pairs = self.values.chunks(2);
        let both = |pair: &[Option<u8>], of: fn(Option<u8>) -> u8| {
            let low = pair.get(1).copied().flatten();
            of(pair[0]) << 4 | of(low)
        };
        let value = |digit: Option<u8>| digit.unwrap_or(0);
        let mask = |digit: Option<u8>| digit.map_or(0, |_| 0xf);
        Expected {
            bytes: pairs.clone().map(|pair| both(pair, value)).collect(),
            mask: pairs.map(|pair| both(pair, mask)).collect(),
            is_exact: self.is_exact,
        }
    }

    fn odd(&self, words: &[(u32, &str)]) -> Wrong {
        let message = format!(
            "a byte has two digits, and the packet has {}",
            self.values.len()
        );
        Wrong::new(words[2].0, message)
    }
}

/// What the other commands are made of.
#[derive(Clone, PartialEq, Debug)]
enum Token {
    /// A name or a number.
    Word(String),
    /// What stands between quotes: a name.
    Quoted(String),
    /// A sign.
    Sign(&'static str),
}

/// Signs, the longest first.
const SIGNS: [&str; 10] = ["==", "!=", "<=", ">=", "(", ")", ",", ":", "<", ">"];

fn tokens(line: &str) -> Result<Vec<(u32, Token)>, Wrong> {
    let mut tokens = Vec::new();
    let (mut rest, mut column) = (line, 1);
    while let Some(first) = rest.chars().next() {
        let sign = SIGNS.iter().chain(&["="]);
        let sign = sign.copied().find(|sign| rest.starts_with(sign));
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '"' {
            let Some(length) = rest[1..].find('"') else {
                return Err(Wrong::new(column, "a name between quotes does not end"));
            };
            let name = rest[1..=length].to_owned();
            tokens.push((column, Token::Quoted(name)));
            length + 2
        } else if let Some(sign) = sign {
            tokens.push((column, Token::Sign(sign)));
            sign.len()
        } else {
            let length = word_length(rest);
            tokens.push((column, Token::Word(rest[..length].to_owned())));
            length
        };
        column += rest[..length].chars().count() as u32;
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Bytes of a word, which has at least one; `->` of a range belongs to it.
fn word_length(text: &str) -> usize {
    let mut before = ' ';
    let end = text.find(|character: char| {
        let ends = match character {
            '(' | ')' | ',' | ':' | '"' | '=' | '<' | '!' => true,
            '>' => before != '-',
            other => other.is_whitespace(),
        };
        let is_first = before == ' ';
        before = character;
        ends && !is_first
    });
    end.unwrap_or(text.len())
}

/// The tokens of a command, and where reading is.
struct Tokens {
    tokens: Vec<(u32, Token)>,
    at: usize,
}

impl Tokens {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(next)) if *next == sign)
    }

    /// Goes on behind a sign, if that is next.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.is_sign(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// The character at which reading is.
    fn column(&self) -> u32 {
        let behind = |(column, token): &(u32, Token)| {
            let length = match token {
                Token::Word(text) => text.chars().count(),
                Token::Quoted(text) => text.chars().count() + 2,
                Token::Sign(sign) => sign.len(),
            };
            column + length as u32
        };
        let next = self.tokens.get(self.at).map(|(column, _)| *column);
        next.unwrap_or_else(|| self.tokens.last().map_or(1, behind))
    }

    fn expected(&self, what: &str) -> Wrong {
        let there = match self.peek() {
            None => "the line ends".to_owned(),
            Some(Token::Word(text)) => format!("there is `{}`", short(text)),
            Some(Token::Quoted(text)) => format!("there is `\"{}\"`", short(text)),
            Some(Token::Sign(sign)) => format!("there is `{sign}`"),
        };
        Wrong::new(self.column(), format!("{what} is expected, and {there}"))
    }

    fn sign(&mut self, sign: &str) -> Result<(), Wrong> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn name(&mut self, what: &str) -> Result<String, Wrong> {
        match self.peek() {
            Some(Token::Word(text) | Token::Quoted(text)) if !text.is_empty() => {
                let text = text.clone();
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A word as something reads it; what is wrong with it, at its place.
    fn word<T>(
        &mut self,
        what: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Wrong> {
        let column = self.column();
        let Some(Token::Word(text)) = self.peek() else {
            return Err(self.expected(what));
        };
        let result = read(text).map_err(|wrong| Wrong::new(column, wrong))?;
        self.at += 1;
        Ok(result)
    }

    fn number(&mut self) -> Result<Number, Wrong> {
        self.word("a number", |text| match Number::or_address(text)? {
            number if number.is_whole() => Ok(number),
            _ => Err(format!("`*` cannot stand in `{}` here", short(text))),
        })
    }

    /// Reads what follows the name of a command.
    fn command(mut self, command: &str) -> Result<CommandKind, Wrong> {
        let kind = match command {
            "no_packet" => CommandKind::NoPacket,
            "wait" => CommandKind::Wait {
                nanoseconds: match self.peek() {
                    None => 0,
                    Some(_) => self.time()?,
                },
            },
            "set_timeout" => {
                let (table, entry) = self.cell_of("a table")?;
                let timeout = self.time()?;
                CommandKind::SetTimeout {
                    table,
                    entry,
                    timeout,
                }
            }
            "expect_idle" => {
                let (table, entry) = self.cell_of("a table")?;
                CommandKind::ExpectIdle { table, entry }
            }
            "no_idle" => CommandKind::NoIdle,
            "remove" => {
                let all = self.name("`all`");
                if !all.is_ok_and(|word| word.eq_ignore_ascii_case("all")) {
                    self.at = 1;
                    return Err(self.expected("`all`"));
                }
                CommandKind::RemoveAll
            }
            "add" => CommandKind::AddEntry(self.entry()?),
            "setdefault" => {
                let table = self.name("a table")?;
                let action = self.call()?;
                CommandKind::SetDefault { table, action }
            }
            _ => self.check_counter()?,
        };
        match self.peek() {
            None => Ok(kind),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    fn entry(&mut self) -> Result<Entry, Wrong> {
        let table = self.name("a table")?;
        let priority = self.priority();
        let mut keys = Vec::new();
        while self.is_key() {
            let column = self.column();
            let name = Some(self.name("a key")?);
            self.sign(":")?;
            let pattern = self.word("a value", entries::pattern)?;
            keys.push(Key {
                name,
                pattern,
                column,
            });
        }
        let action = self.call()?;
        let label = match self.takes("=") {
            true => Some(self.label()?),
            false => None,
        };
        Ok(Entry {
            table,
            keys,
            action,
            priority,
            label,
        })
    }

    /// A label, with or without `$` in front of it.
    fn label(&mut self) -> Result<String, Wrong> {
        let label = self.name("a label")?;
        let label = label.strip_prefix('$').unwrap_or(&label);
        Ok(label.to_owned())
    }

    /// The next but one is a colon.
    fn is_key(&self) -> bool {
        let next = self.tokens.get(self.at + 1);
        next.is_some_and(|(_, token)| *token == Token::Sign(":"))
    }

    /// A number that is no key's name.
    fn priority(&mut self) -> Priority {
        let number = match self.peek() {
            Some(Token::Word(text)) if !self.is_key() => Number::plain(text).ok(),
            _ => None,
        };
        match number.filter(Number::is_whole) {
            Some(number) => {
                self.at += 1;
                Priority::LargerWins(number.value)
            }
            None => Priority::None,
        }
    }

    /// An action with its arguments; without any, the parentheses can be left out.
    fn call(&mut self) -> Result<Call, Wrong> {
        let action = self.name("an action")?;
        let mut arguments: Vec<Argument> = Vec::new();
        if self.takes("(") && !self.takes(")") {
            loop {
                let column = self.column();
                let name = match self.is_key() {
                    true => Some(self.name("a parameter")?),
                    false => None,
                };
                if name.is_some() {
                    self.sign(":")?;
                }
                let value = self.number()?;
                arguments.push(Argument {
                    name,
                    value,
                    column,
                });
                if !self.takes(",") {
                    break;
                }
            }
            self.sign(")")?;
        }
        let first = arguments.first().map(|argument| argument.name.is_some());
        let differs = |argument: &&Argument| Some(argument.name.is_some()) != first;
        match arguments.iter().find(differs) {
            None => Ok(Call { action, arguments }),
            Some(argument) => {
                let message = "some of the arguments have a name, and this one differs from them";
                Err(Wrong::new(argument.column, message))
            }
        }
    }

    /// A name, and a cell or an entry of it.
    fn cell_of(&mut self, what: &str) -> Result<(String, Cell), Wrong> {
        let name = self.name(what)?;
        self.sign("(")?;
        let cell = match self.peek() {
            Some(Token::Word(text)) if !text.starts_with(|first: char| first.is_ascii_digit()) => {
                Cell::Label(self.label()?)
            }
            _ => Cell::Index(self.number()?),
        };
        self.sign(")")?;
        Ok((name, cell))
    }

    /// A time, in nanoseconds.
    fn time(&mut self) -> Result<u64, Wrong> {
        self.word("a time", |text| {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let (number, unit) = text.split_at(digits);
            let units = UNITS.iter().find(|(name, _)| *name == unit);
            let (number, units) = number.parse::<u64>().ok().zip(units).ok_or_else(|| {
                format!(
                    "a time is a number with its unit (5ms), not `{}`",
                    short(text)
                )
            })?;
            let time = number.checked_mul(units.1);
            time.ok_or_else(|| format!("`{}` are more than 584 years", short(text)))
        })
    }

    fn check_counter(&mut self) -> Result<CommandKind, Wrong> {
        let (counter, cell) = self.cell_of("a counter")?;
        let check = match self.peek() {
            None => None,
            Some(_) => Some(self.check()?),
        };
        Ok(CommandKind::CheckCounter {
            counter,
            cell,
            check,
        })
    }

    fn check(&mut self) -> Result<Check, Wrong> {
        let bytes = match self.peek() {
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("bytes") => true,
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("packets") => false,
            _ => return Err(self.expected("`packets` or `bytes`")),
        };
        self.at += 1;
        let comparison = match self.peek() {
            Some(Token::Sign("==")) => Comparison::Equal,
            Some(Token::Sign("!=")) => Comparison::NotEqual,
            Some(Token::Sign("<")) => Comparison::Less,
            Some(Token::Sign("<=")) => Comparison::LessOrEqual,
            Some(Token::Sign(">")) => Comparison::Greater,
            Some(Token::Sign(">=")) => Comparison::GreaterOrEqual,
            _ => return Err(self.expected("a comparison")),
        };
        self.at += 1;
        let number = self.number()?;
        Ok(Check {
            bytes,
            comparison,
            number,
        })
    }
}
