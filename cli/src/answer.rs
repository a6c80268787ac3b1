//! What a command gives back, and how it is printed: text for people, or one JSON object for scripts. Warnings and
//! notes stand beside it: on standard error, so that the answer can be piped on, and under `warnings` in JSON.

use crate::messages::{self, MessageFormat};
use hardpath_diagnostic::Diagnostic;
use hardpath_diagnostic::Severity;
use serde_json::{json, Value};
use std::io::Write;
use std::process::ExitCode;

/// The answer of a command that ran to its end.
#[derive(Debug)]
pub struct Answer {
    /// One object; its keys are fixed.
    pub json: Value,
    pub text: String,
    pub status: Status,
    /// What is to be said beside it, none of them an error.
    pub warnings: Vec<Diagnostic>,
}

/// The exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Good = 0,
    /// A comparison failed.
    Differs = 1,
    /// Wrong usage or unreadable input.
    Input = 2,
    /// A program that hardpath refuses.
    Refused = 3,
    /// A defect of hardpath.
    Defect = 4,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl Status {
    /// A defect comes first: what else is wrong may follow from it. Then unreadable input, for the same reason.
    pub fn of_errors(errors: &[Diagnostic]) -> Status {
        match errors.iter().map(|error| error.severity).max() {
            Some(Severity::Refused) => Status::Refused,
            Some(Severity::Input) => Status::Input,
            // Nobody stops without an error.
            Some(Severity::Defect | Severity::Note | Severity::Warning) | None => Status::Defect,
        }
    }
}

impl Answer {
    pub fn good(json: Value, text: impl Into<String>) -> Answer {
        Answer::new(Status::Good, json, text)
    }

    pub fn new(status: Status, json: Value, text: impl Into<String>) -> Answer {
        Answer {
            json,
            text: text.into(),
            status,
            warnings: Vec::new(),
        }
    }

    /// The same answer with more to be said beside it. What is there already is not said twice.
    pub fn with_warnings(mut self, warnings: impl IntoIterator<Item = Diagnostic>) -> Answer {
        for warning in warnings {
            debug_assert!(
                !warning.severity.is_error(),
                "errors are no part of an answer"
            );
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self
    }

    pub fn print(&self, json: bool, format: MessageFormat) {
        if json {
            let mut object = self.json.clone();
            object["warnings"] = self.warnings.iter().map(messages::object).collect();
            print_text(&format!("{object}\n"));
            return;
        }
        print_text(&self.text);
        messages::print(&self.warnings, format);
    }
}

/// Prints to standard output. A reader that has gone away is no error.
pub fn print_text(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Why there is no answer; what was to be said beside it may be among the errors. All of them on standard error; where the answer
/// was to be JSON, one object on standard output: the first error, all of them under `errors` when there are several, and the rest
/// under `warnings`.
pub fn print_errors(diagnostics: &[Diagnostic], json: bool, format: MessageFormat) {
    if !json {
        return messages::print(diagnostics, format);
    }
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity.is_error();
    let (errors, warnings): (Vec<_>, Vec<_>) = diagnostics.iter().partition(is_error);
    let list =
        |list: &[&Diagnostic]| -> Value { list.iter().copied().map(messages::object).collect() };
    let mut object = json!({
        "error": errors.first().copied().map(messages::object),
        "warnings": list(&warnings),
    });
    if errors.len() > 1 {
        object["errors"] = list(&errors);
    }
    print_text(&format!("{object}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_error_decides_the_status() {
        let note = || Diagnostic::note("n", "o");
        let refused = || Diagnostic::refused("c", "d");
        let input = || Diagnostic::input("a", "b");
        let defect = || Diagnostic::defect("e", "f");
        assert_eq!(Status::of_errors(&[note(), refused()]), Status::Refused);
        assert_eq!(Status::of_errors(&[refused(), input()]), Status::Input);
        let all = [refused(), input(), defect(), note()];
        assert_eq!(Status::of_errors(&all), Status::Defect);
    }

    #[test]
    fn a_warning_is_said_once() {
        let warning = || Diagnostic::warning("a", "b");
        let answer = Answer::good(json!({}), "").with_warnings([warning(), warning()]);
        let answer = answer.with_warnings([warning(), warning().at("c")]);
        assert_eq!(answer.warnings, [warning(), warning().at("c")]);
    }
}
