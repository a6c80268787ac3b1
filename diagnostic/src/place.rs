//! Where something is.

use std::fmt;

/// Where something is, from the outside inwards, as far as known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// The file as the user named it; empty when there is none, or where it is read does not know it.
    pub file: String,
    /// What of it, in the words of its kind: `section xdp, instruction 41`, `map flows`, `packet 3`. Empty: the file, or what the
    /// line says.
    pub unit: String,
    /// In a text file: the line, from 1; 0 when unknown.
    pub line: u32,
    /// The character in that line, from 1; 0 when unknown.
    pub column: u32,
    /// What it was compiled from.
    pub source: Option<Source>,
}

/// A line of the source that something was compiled from, as debug information has it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Source {
    /// As debug information names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 when unknown.
    pub column: u32,
    /// The text of the line; empty when unknown.
    pub text: String,
}

/// A place beside the one of a message, and why it is to be looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where else to look.
    pub place: Place,
    /// Why.
    pub text: String,
}

impl Source {
    /// A line of a file, from 1.
    pub fn new(file: impl Into<String>, line: u32) -> Source {
        Source {
            file: file.into(),
            line,
            ..Source::default()
        }
    }

    /// With the text of the line.
    pub fn text(mut self, text: impl Into<String>) -> Source {
        self.text = text.into();
        self
    }

    /// With the character in it, from 1.
    pub fn column(mut self, column: u32) -> Source {
        self.column = column;
        self
    }
}

impl Place {
    /// A whole file.
    pub fn of_file(file: impl fmt::Display) -> Place {
        Place::default().in_file(file)
    }

    /// What of a file that is named later, or of what is in none.
    pub fn in_unit(unit: impl Into<String>) -> Place {
        Place::default().unit(unit)
    }

    /// In this file.
    pub fn in_file(mut self, file: impl fmt::Display) -> Place {
        self.file = file.to_string();
        self
    }

    /// What of the file, in place of what was said.
    pub fn unit(mut self, unit: impl Into<String>) -> Place {
        self.unit = unit.into();
        self
    }

    /// Something in what this place says.
    pub fn within(mut self, unit: impl fmt::Display) -> Place {
        self.unit = match self.unit.is_empty() {
            true => unit.to_string(),
            false => format!("{}, {unit}", self.unit),
        };
        self
    }

    /// Both from 1; 0 when unknown.
    pub fn position(mut self, line: u32, column: u32) -> Place {
        (self.line, self.column) = (line, column);
        self
    }

    /// With the line that it was compiled from.
    pub fn compiled_from(mut self, source: Source) -> Place {
        self.source = Some(source);
        self
    }
}

impl From<String> for Place {
    /// A text names what it is about, [`Place::unit`].
    fn from(unit: String) -> Place {
        Place::in_unit(unit)
    }
}

impl From<&str> for Place {
    /// As from a `String`.
    fn from(unit: &str) -> Place {
        Place::in_unit(unit)
    }
}

impl fmt::Display for Place {
    /// In one line: `firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))`, `loop.hir:3:7`,
    /// `maps.json: map flows`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match (self.file.is_empty(), self.line, self.column) {
            (_, 0, _) => {}
            (true, line, 0) => write!(f, "line {line}")?,
            (true, line, column) => write!(f, "line {line}, column {column}")?,
            (false, line, 0) => write!(f, ":{line}")?,
            (false, line, column) => write!(f, ":{line}:{column}")?,
        }
        if !self.unit.is_empty() {
            let is_first = self.file.is_empty() && self.line == 0;
            write!(f, "{}{}", if is_first { "" } else { ": " }, self.unit)?;
        }
        match &self.source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Source {
    /// In one line: `firewall.c:88: if (iph->ihl != 5)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.text.trim() {
            "" => Ok(()),
            text => write!(f, ": {text}"),
        }
    }
}
