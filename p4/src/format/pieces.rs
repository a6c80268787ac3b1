//! A text to pieces: tokens, and what the compiler passes over and a reader does not.

use crate::lexer::{tokens, TokenKind};
use crate::source::{Sources, Span, MOST_ERRORS};
use hardpath_diagnostic::Diagnostic;

/// What a piece is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Number,
    Text,
    Sign,
    /// A character that no token begins with: annotations may have it in their parentheses.
    Wrong,
    /// `// …`.
    LineComment,
    /// `/* … */`.
    BlockComment,
    /// A line that begins with `#`, with those in which it goes on.
    Directive,
    /// `@pragma …`: it ends with its line (§20.1).
    Pragma,
}

/// What a `<` or `>` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Angle {
    /// An operator, or no such sign at all.
    No,
    Open,
    Close,
}

/// A piece.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    pub kind: Kind,
    /// As it is written.
    pub text: &'a str,
    pub span: Span,
    /// Line ends between it and the piece before.
    pub newlines: usize,
    /// Nothing stands between it and the piece before.
    pub adjoins: bool,
    /// Blanks between them in the same line; a tab is more than one.
    pub blanks: usize,
    /// Columns in front of it, if it is a comment that may have several lines.
    pub column: usize,
    pub angle: Angle,
}

impl Piece<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Sign)
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::LineComment | Kind::BlockComment)
    }

    /// The parser sees it.
    pub fn counts(&self) -> bool {
        !self.is_comment() && self.kind != Kind::Directive
    }
}

/// All pieces of a file.
pub(super) fn pieces(sources: &Sources, file: u32) -> Result<Vec<Piece<'_>>, Vec<Diagnostic>> {
    let mut scanner = Scanner {
        sources,
        file,
        text: &sources.file(file).text,
        at: 0,
        newlines: 0,
        adjoins: false,
        blanks: 0,
        begins_line: true,
        all: Vec::new(),
        errors: Vec::new(),
    };
    while scanner.at < scanner.text.len() && scanner.errors.len() < MOST_ERRORS {
        scanner.next();
    }
    match scanner.errors.is_empty() {
        true => Ok(scanner.all),
        false => Err(scanner.errors),
    }
}

/// Columns of blanks, or of whatever stands in front of something in its line.
pub(super) fn columns(text: &str) -> usize {
    text.chars().fold(0, |column, character| match character {
        '\t' => (column / super::INDENT + 1) * super::INDENT,
        _ => column + 1,
    })
}

struct Scanner<'a> {
    sources: &'a Sources,
    file: u32,
    text: &'a str,
    at: usize,
    newlines: usize,
    adjoins: bool,
    blanks: usize,
    /// No token stands between the begin of this line and here.
    begins_line: bool,
    all: Vec<Piece<'a>>,
    errors: Vec<Diagnostic>,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().expect("there is more");
        if first == '\n' {
            self.at += 1;
            self.newlines += 1;
            self.blanks = 0;
            (self.adjoins, self.begins_line) = (false, true);
        } else if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
            self.blanks += if first == '\t' { 2 } else { 1 };
            self.adjoins = false;
        } else if let Some(end) = continued(rest) {
            self.at += end;
            self.adjoins = false;
        } else if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.push(Kind::LineComment, rest[..end].trim_end().len());
            self.adjoins = false;
        } else if rest.starts_with("/*") {
            self.comment(rest);
        } else if first == '#' && self.begins_line {
            self.push(Kind::Directive, line_of(rest, false));
        } else if is_pragma(rest) {
            self.push(Kind::Pragma, line_of(rest, true));
            self.begins_line = false;
        } else {
            self.tokens(rest);
            self.begins_line = false;
        }
    }

    fn span(&self, length: usize) -> Span {
        Span {
            file: self.file,
            start: self.at as u32,
            end: (self.at + length) as u32,
        }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let column = match kind {
            Kind::BlockComment => {
                let before = &self.text[..self.at];
                let line = before.rfind('\n').map_or(0, |end| end + 1);
                columns(&before[line..])
            }
            _ => 0,
        };
        self.all.push(Piece {
            kind,
            text: &self.text[self.at..self.at + length],
            span: self.span(length),
            newlines: self.newlines,
            adjoins: self.adjoins,
            blanks: self.blanks,
            column,
            angle: Angle::No,
        });
        self.at += length;
        (self.newlines, self.adjoins, self.blanks) = (0, true, 0);
    }

    fn wrong(&mut self, length: usize, message: &str) {
        let message = format!("this is no part of P4: {message}");
        let error = self
            .sources
            .error("p4-syntax", self.span(length.min(1)), message);
        self.errors.push(error);
        self.at += length;
    }

    fn comment(&mut self, rest: &str) {
        match rest[2..].find("*/") {
            Some(end) => {
                self.begins_line |= rest[..end + 2].contains('\n');
                self.push(Kind::BlockComment, end + 4);
                self.adjoins = false;
            }
            None => self.wrong(rest.len(), "a comment that does not end"),
        }
    }

    /// A text, or tokens up to whatever may be something else.
    fn tokens(&mut self, rest: &str) {
        let end = match rest.starts_with('"') {
            true => end_of_text(rest).unwrap_or(rest.len()),
            false => {
                let mut characters = rest.char_indices().skip(1);
                let is_other = |(at, character): &(usize, char)| match character {
                    '/' => rest[at + 1..].starts_with(['/', '*']),
                    _ => ['\n', '"', '@', '\\'].contains(character),
                };
                characters.find(is_other).map_or(rest.len(), |(at, _)| at)
            }
        };
        let (begin, stretch) = (self.at, &rest[..end]);
        for token in tokens(self.file, stretch) {
            let kind = match &token.kind {
                TokenKind::Word(_) => Kind::Word,
                TokenKind::Number(_) => Kind::Number,
                TokenKind::Text(_) => Kind::Text,
                TokenKind::Sign(_) => Kind::Sign,
                TokenKind::Wrong(_) if stretch.starts_with('"') => {
                    return self.wrong(rest.len(), "a string that does not end");
                }
                TokenKind::Wrong(_) => Kind::Wrong,
            };
            let blanks = stretch[self.at - begin..token.span.start as usize].chars();
            self.blanks += blanks
                .map(|blank| if blank == '\t' { 2 } else { 1 })
                .sum::<usize>();
            self.at = begin + token.span.start as usize;
            self.adjoins = match token.span.start {
                0 => self.adjoins,
                _ => token.adjoins,
            };
            self.push(kind, (token.span.end - token.span.start) as usize);
        }
        // Blanks may stand behind the last one.
        self.adjoins &= self.at == begin + end;
        let blanks = stretch[self.at - begin..].chars();
        self.blanks += blanks
            .map(|blank| if blank == '\t' { 2 } else { 1 })
            .sum::<usize>();
        self.at = begin + end;
    }
}

/// Bytes of a backslash and the line end behind it, or the end of the text.
fn continued(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('\\')?;
    let ends = ["\n", "\r\n"];
    let end = ends.into_iter().find(|end| behind.starts_with(end));
    match end {
        Some(end) => Some(1 + end.len()),
        None => behind.trim_end().is_empty().then_some(text.len()),
    }
}

fn is_pragma(text: &str) -> bool {
    let Some(behind) = text.strip_prefix('@') else {
        return false;
    };
    let behind = behind
        .trim_start_matches([' ', '\t'])
        .strip_prefix("pragma");
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    behind.is_some_and(|behind| !behind.starts_with(is_part))
}

fn end_of_text(text: &str) -> Option<usize> {
    let mut escaped = false;
    let end = text[1..].find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    })?;
    Some(end + 2)
}

/// Bytes of a line, without blanks at its end, and with those in which it goes on, as strings may.
fn line_of(text: &str, has_strings: bool) -> usize {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().expect("there is more");
        at += match first {
            '\n' => break,
            '\\' => continued(rest).unwrap_or(1),
            '"' => {
                // In what is only told, as behind #error, it need not end.
                let line = rest.find('\n').filter(|_| !has_strings);
                end_of_text(&rest[..line.unwrap_or(rest.len())]).unwrap_or(1)
            }
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                break;
            }
            '/' if rest.starts_with("/*") => {
                let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
                if rest[..end].contains('\n') {
                    at += end;
                    break;
                }
                end
            }
            other => other.len_utf8(),
        };
    }
    // It may go on in a line in which nothing stands: then it does not.
    let mut line = text[..at].trim_end();
    while let Some(before) = line.strip_suffix('\\') {
        if continued(&text[before.len()..]).is_none() {
            break;
        }
        line = before.trim_end();
    }
    line.len()
}
