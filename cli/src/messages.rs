//! Messages for scripts: one JSON object each. `docs/messages.schema.json` says what is in it.

use crate::render;
use clap::ValueEnum;
use hardpath_diagnostic::{Diagnostic, Place, Source};
use serde_json::{json, Value};
use std::io::Write;

/// The version of the objects: keys are added under the same one, and taken away or changed under the next.
const VERSION: u32 = 1;

/// How messages are printed on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum MessageFormat {
    /// For people, with the line that is meant
    #[default]
    Human,
    /// One JSON object a line, as docs/messages.schema.json describes it
    Json,
}

/// Prints messages on standard error.
pub fn print(diagnostics: &[Diagnostic], format: MessageFormat) {
    if format == MessageFormat::Human {
        return render::print(diagnostics);
    }
    let mut stderr = std::io::stderr().lock();
    for diagnostic in diagnostics {
        let _ = writeln!(stderr, "{}", line(diagnostic));
    }
}

/// A message that stands alone.
fn line(diagnostic: &Diagnostic) -> Value {
    let mut object = object(diagnostic);
    object["version"] = VERSION.into();
    object["rendered"] = render::plain(diagnostic).into();
    object
}

/// A message within another object.
pub fn object(diagnostic: &Diagnostic) -> Value {
    let labels = diagnostic.labels.iter().map(|label| {
        json!({
            "place": label.place.to_string(),
            "location": location(&label.place),
            "text": label.text,
        })
    });
    json!({
        "severity": diagnostic.severity.title(),
        "kind": diagnostic.severity.name(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "place": diagnostic.place.as_ref().map(|place| place.to_string()),
        "location": diagnostic.place.as_deref().map(location),
        "labels": labels.collect::<Value>(),
        "help": diagnostic.help,
    })
}

/// What is not known is null.
fn location(place: &Place) -> Value {
    let source = |source: &Source| {
        json!({
            "file": source.file,
            "line": number(source.line),
            "column": number(source.column),
            "text": text(&source.text),
        })
    };
    json!({
        "file": text(&place.file),
        "unit": text(&place.unit),
        "line": number(place.line),
        "column": number(place.column),
        "source": place.source.as_ref().map(source),
    })
}

fn text(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn number(number: u32) -> Option<u32> {
    (number != 0).then_some(number)
}
