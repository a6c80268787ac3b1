//! `hardpath p4fmt`: P4 sources in their usual form.

use crate::answer::{Answer, Status};
use crate::arguments::P4fmtArguments;
use crate::files;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_p4::format::format;
use serde_json::json;
use std::io::Read;
use std::path::Path;

pub fn run(arguments: &P4fmtArguments) -> Result<Answer, Vec<Diagnostic>> {
    if let [only] = &arguments.files[..] {
        if only.as_os_str() == "-" {
            return standard_input(arguments.check);
        }
    }
    let (mut errors, mut changed) = (Vec::new(), Vec::new());
    // All are looked at before the first one is written.
    for file in &arguments.files {
        match one(file) {
            Ok(Some(text)) => changed.push((file, text)),
            Ok(None) => {}
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if !arguments.check {
        for (file, text) in &changed {
            files::write_text(file, text).map_err(|error| vec![error])?;
        }
    }
    let names: Vec<String> = changed
        .iter()
        .map(|(file, _)| file.display().to_string())
        .collect();
    let text: String = match (arguments.check, names.is_empty()) {
        (true, false) => names
            .iter()
            .map(|name| format!("{name} is not in its usual form\n"))
            .collect(),
        (true, true) => format!(
            "{}, all in their usual form\n",
            counted(arguments.files.len(), "file")
        ),
        (false, _) => format!(
            "{} written, of {}\n",
            counted(names.len(), "file"),
            arguments.files.len()
        ),
    };
    let status = match arguments.check && !names.is_empty() {
        true => Status::Differs,
        false => Status::Good,
    };
    let json = json!({ "files": arguments.files.len(), "changed": names });
    Ok(Answer::new(status, json, text))
}

/// The usual form of a file; `None`: it has it.
fn one(file: &Path) -> Result<Option<String>, Vec<Diagnostic>> {
    let text = files::read_text(file).map_err(|error| vec![error])?;
    let formatted = format(&file.display().to_string(), &text)?;
    Ok((formatted != text).then_some(formatted))
}

fn standard_input(check: bool) -> Result<Answer, Vec<Diagnostic>> {
    let mut bytes = Vec::new();
    let name = Path::new("-");
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| {
        let message = format!("standard input cannot be read: {error}");
        vec![Diagnostic::input("cannot-read", message)]
    })?;
    let before = files::text_of(bytes, name).map_err(|error| vec![error])?;
    let formatted = format("standard input", &before)?;
    let changed = formatted != before;
    let status = match check && changed {
        true => Status::Differs,
        false => Status::Good,
    };
    let json = json!({ "files": 1, "changed": if changed { vec!["-"] } else { Vec::new() }, "text": formatted });
    let text = if check { String::new() } else { formatted };
    Ok(Answer::new(status, json, text))
}
