//! `hardpath p4check`: what is wrong with P4 sources.

use crate::answer::Answer;
use crate::arguments::P4checkArguments;
use crate::source::p4;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_p4::design::design;
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &P4checkArguments) -> Result<Answer, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for file in &arguments.files {
        errors.extend(check(file, arguments).err().unwrap_or_default());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let count = arguments.files.len();
    let json = json!({ "files": count, "errors": [] });
    Ok(Answer::good(
        json,
        format!("{}: no errors\n", counted(count, "file")),
    ))
}

fn check(file: &Path, arguments: &P4checkArguments) -> Result<(), Vec<Diagnostic>> {
    let (program, sources) = p4::checked(file, &arguments.p4)?;
    // A part of a program makes no objects.
    let mut top = program.top.iter();
    match top.any(|number| program.instances[*number].name == "main") {
        true => design(&program, &sources).map(|_| ()),
        false => Ok(()),
    }
}
