//! What hardpath tells a user beside its answer, or in its place: a stable code, what is the matter, where, and what to
//! do next. An error is why there is no answer; warnings and notes stand beside one.

#![deny(missing_docs)]

pub mod codes;
pub mod count;
pub mod file;
mod place;
pub mod suggest;

pub use place::{Label, Place, Source};

use std::fmt;

/// How grave it is, from the lightest to what must be looked at first: a defect, because what else is wrong may follow from it;
/// then what cannot be read, for the same reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// What a user may not expect, and may well want: nothing is wrong with it.
    Note,
    /// The answer is right, but it will disappoint, or says less than was asked for.
    Warning,
    /// An error: a program that hardpath does not compile. Exit status 3.
    Refused,
    /// An error: wrong usage or unreadable input. Exit status 2.
    Input,
    /// An error: nothing that a user did; hardpath or its design is wrong. Exit status 4.
    Defect,
}

impl Severity {
    /// All of them.
    pub const ALL: [Severity; 5] = [
        Severity::Note,
        Severity::Warning,
        Severity::Refused,
        Severity::Input,
        Severity::Defect,
    ];

    /// Its name, as scripts know it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Refused => "refused",
            Severity::Input => "input",
            Severity::Defect => "defect",
        }
    }

    /// As it stands in front of a message for people, to whom an error is an error: its code says which.
    pub fn title(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Refused | Severity::Input | Severity::Defect => "error",
        }
    }

    /// There is no answer.
    pub fn is_error(self) -> bool {
        self >= Severity::Refused
    }
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Stable, in kebab case, one of [`codes::CODES`]: scripts may depend on it. Examples: `not-an-elf`,
    /// `unsupported-helper`.
    pub code: &'static str,
    /// One sentence that says what is the matter, with the names and numbers that count.
    pub message: String,
    /// Where, as far as known.
    pub place: Option<Box<Place>>,
    /// What else is to be looked at, and why.
    pub labels: Vec<Label>,
    /// What the user can do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A message with nothing but a sentence; the other functions add to it.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            place: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// What cannot be read, or is no use of the command.
    pub fn input(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Input, code, message)
    }

    /// What hardpath does not compile.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Refused, code, message)
    }

    /// What no user did.
    pub fn defect(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Defect, code, message)
    }

    /// What is right and will disappoint.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// What nobody need expect.
    pub fn note(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, message)
    }

    /// At this place.
    pub fn at(mut self, place: impl Into<Place>) -> Diagnostic {
        self.place = Some(Box::new(place.into()));
        self
    }

    /// The place in one line; empty when there is none.
    pub fn place_text(&self) -> String {
        let place = self.place.as_deref();
        place.map(Place::to_string).unwrap_or_default()
    }

    /// What has no file yet is in this one.
    pub fn in_file(mut self, file: impl fmt::Display) -> Diagnostic {
        let place = self.place.get_or_insert_default();
        if place.file.is_empty() {
            place.file = file.to_string();
        }
        self
    }

    /// One more place to look at, and why.
    pub fn label(mut self, place: impl Into<Place>, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            place: place.into(),
            text: text.into(),
        });
        self
    }

    /// With what to do next.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// In plain lines; [`Place`] says how a place is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, code) = (self.severity.title(), self.code);
        write!(f, "{title}[{code}]: {}", self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n  --> {place}")?;
        }
        for label in &self.labels {
            write!(f, "\n  ::: {}: {}", label.place, label.text)?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_graver_than_what_stands_beside_an_answer() {
        let errors = Severity::ALL.map(Severity::is_error);
        assert_eq!(errors, [false, false, true, true, true]);
        assert!(Severity::ALL.is_sorted());
        let names = Severity::ALL.map(Severity::name);
        assert_eq!(names, ["note", "warning", "refused", "input", "defect"]);
    }

    #[test]
    fn lines_of_a_message() {
        let place = Place::in_unit("section xdp, instruction 41")
            .in_file("firewall.o")
            .compiled_from(Source::new("firewall.c", 88).text("  if (iph->ihl != 5)"));
        let message = Diagnostic::refused("loop", "too deep")
            .at(place)
            .label(Place::of_file("flows.json").position(3, 7), "its entries")
            .help("split it");
        assert_eq!(
            message.to_string(),
            "error[loop]: too deep\n  \
             --> firewall.o: section xdp, instruction 41 (firewall.c:88: if (iph->ihl != 5))\n  \
             ::: flows.json:3:7: its entries\n  help: split it"
        );
    }

    #[test]
    fn a_file_is_named_once() {
        let error = || Diagnostic::input("ir-syntax", "no word");
        let place = |error: Diagnostic| error.place.unwrap().to_string();
        assert_eq!(place(error().in_file("a.hir")), "a.hir");
        let at = error().at(Place::default().position(2, 5));
        assert_eq!(place(at.clone()), "line 2, column 5");
        assert_eq!(place(at.in_file("a.hir").in_file("b.hir")), "a.hir:2:5");
    }
}
