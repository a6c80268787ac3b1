//! What hardpath tells a user when it cannot go on: a stable code, what is wrong, where, and what to do next.

use std::fmt;

/// Why hardpath stops; decides the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Wrong usage or unreadable input: exit status 2.
    Input,
    /// A program that hardpath does not compile: exit status 3.
    Refused,
}

/// One error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub class: Class,
    /// Stable, in kebab case: scripts may depend on it. Examples: `not-an-elf`, `unsupported-helper`.
    pub code: &'static str,
    /// One sentence that says what is wrong, with the names and numbers that matter.
    pub message: String,
    /// Where: file, section, instruction, source line, as far as known. Example:
    /// `firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))`.
    pub place: Option<String>,
    /// What the user can do next.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn input(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            class: Class::Input,
            code,
            message: message.into(),
            place: None,
            help: None,
        }
    }

    pub fn refused(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            class: Class::Refused,
            ..Diagnostic::input(code, message)
        }
    }

    pub fn at(mut self, place: impl Into<String>) -> Diagnostic {
        self.place = Some(place.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n  --> {place}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
