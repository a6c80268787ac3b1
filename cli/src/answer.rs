//! What a command gives back, and how it is printed: text for people, or one JSON object for scripts.

use hardpath_ir::diagnostic::Class;
use hardpath_ir::Diagnostic;
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
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

impl Status {
    /// Unreadable input comes first: what is refused may follow from it.
    pub fn of_errors(errors: &[Diagnostic]) -> Status {
        match errors.iter().any(|error| error.class == Class::Input) || errors.is_empty() {
            true => Status::Input,
            false => Status::Refused,
        }
    }
}

impl Answer {
    pub fn good(json: Value, text: impl Into<String>) -> Answer {
        Answer {
            json,
            text: text.into(),
            status: Status::Good,
        }
    }

    pub fn print(&self, json: bool) {
        match json {
            true => print_text(&format!("{}\n", self.json)),
            false => print_text(&self.text),
        }
    }
}

/// Prints to standard output. A reader that has gone away is no error.
pub fn print_text(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// For people all errors, on standard error; for scripts one object on standard output: the first error, and all
/// of them under `errors` when there are several.
pub fn print_errors(errors: &[Diagnostic], json: bool) {
    if json {
        let mut object = json!({ "error": errors.first().map(error_json) });
        if errors.len() > 1 {
            object["errors"] = errors.iter().map(error_json).collect();
        }
        print_text(&format!("{object}\n"));
        return;
    }
    let mut stderr = std::io::stderr().lock();
    for error in errors {
        let _ = writeln!(stderr, "{error}");
    }
    let mut codes: Vec<&str> = Vec::new();
    for error in errors {
        if !codes.contains(&error.code) {
            codes.push(error.code);
        }
    }
    for code in codes {
        let _ = writeln!(stderr, "more: hardpath explain {code}");
    }
}

fn error_json(error: &Diagnostic) -> Value {
    json!({
        "code": error.code,
        "message": error.message,
        "place": error.place,
        "help": error.help,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_input_decides_the_status() {
        let input = Diagnostic::input("a", "b");
        let refused = Diagnostic::refused("c", "d");
        assert_eq!(
            Status::of_errors(std::slice::from_ref(&refused)),
            Status::Refused
        );
        assert_eq!(Status::of_errors(&[refused, input]), Status::Input);
    }
}
