//! What hardpath tells a user beside its answer, or in its place: a stable code, what is the matter, where, and what to
//! do next. An error is why there is no answer; warnings and notes stand beside one.

use std::fmt;

/// How grave it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// What a user may not expect, and may well want: nothing is wrong with it.
    Note,
    /// The answer is right, but it will disappoint, or says less than was asked for.
    Warning,
    /// There is no answer.
    Error(Class),
}

impl Severity {
    /// As it is written in front of a message and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error(_) => "error",
        }
    }
}

/// Why hardpath stops; decides the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Wrong usage or unreadable input: exit status 2.
    Input,
    /// A program that hardpath does not compile: exit status 3.
    Refused,
    /// Nothing that a user did: hardpath or its design is wrong. Exit status 4.
    Defect,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable, in kebab case, one of [`crate::codes::CODES`]: scripts may depend on it. Examples: `not-an-elf`,
    /// `unsupported-helper`.
    pub code: &'static str,
    /// One sentence that says what is the matter, with the names and numbers that count.
    pub message: String,
    /// Where: file, section, instruction, source line, as far as known. Example:
    /// `firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))`.
    pub place: Option<String>,
    /// What the user can do next.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            place: None,
            help: None,
        }
    }

    /// An error of class [`Class::Input`].
    pub fn input(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error(Class::Input), code, message)
    }

    /// An error of class [`Class::Refused`].
    pub fn refused(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error(Class::Refused), code, message)
    }

    /// An error of class [`Class::Defect`].
    pub fn defect(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error(Class::Defect), code, message)
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    pub fn note(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, message)
    }

    pub fn at(mut self, place: impl Into<String>) -> Diagnostic {
        self.place = Some(place.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Of an error; warnings and notes have none.
    pub fn class(&self) -> Option<Class> {
        match self.severity {
            Severity::Error(class) => Some(class),
            Severity::Warning | Severity::Note => None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}[{}]: {}",
            self.severity.name(),
            self.code,
            self.message
        )?;
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
