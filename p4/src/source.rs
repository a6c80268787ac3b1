//! The files of a program, and places in them.

use hardpath_diagnostic::{Diagnostic, Place};

/// More errors than anybody reads of one program.
pub(crate) const MOST_ERRORS: usize = 100;

/// From one character of a file up to another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Which file, in the order in which they were read.
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Span {
    /// From the begin of this one to the end of another one of the same file; this one where that is of another file.
    pub fn to(self, last: Span) -> Span {
        match self.file == last.file && last.end >= self.end {
            true => Span {
                end: last.end,
                ..self
            },
            false => self,
        }
    }
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// As the user or an `#include` named it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// All files of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Takes up a file; gives its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(SourceFile {
            name: name.into(),
            text: text.into(),
        });
        self.files.len() as u32 - 1
    }

    /// A file, by its number.
    pub fn file(&self, number: u32) -> &SourceFile {
        &self.files[number as usize]
    }

    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let text = &self.file(span.file).text;
        text.get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// File, line and column of where a span begins.
    pub fn place(&self, span: Span) -> Place {
        let file = self.file(span.file);
        let before = file.text.get(..span.start as usize).unwrap_or(&file.text);
        let line = before.matches('\n').count() + 1;
        let of_line = before.rsplit('\n').next().unwrap_or("");
        Place::of_file(&file.name).position(line as u32, of_line.chars().count() as u32 + 1)
    }

    /// What is right, and is not done.
    pub fn refusal(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::refused("p4-unsupported", message).at(self.place(span))
    }

    /// An error at a place.
    pub fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::input(code, message).at(self.place(span))
    }
}
