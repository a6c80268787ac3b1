//! `hardpath p4info`: what the control plane sees of a P4 program, and the entries that the program itself has.

use crate::answer::Answer;
use crate::arguments::P4infoArguments;
use crate::files;
use crate::source::p4::Read;
use hardpath_diagnostic::Diagnostic;
use hardpath_p4::p4info::{initial_entries, p4info, Message};
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &P4infoArguments) -> Result<Answer, Vec<Diagnostic>> {
    let read = Read::of(&arguments.file, &arguments.p4)?;
    let info = p4info(&read.program, &read.sources, &read.design)?;
    let mut json = json!({ "p4info": info.text() });
    let mut text = info.text();
    if let Some(path) = &arguments.output {
        text = write(path, &info)?;
    }
    if let Some(path) = &arguments.entries {
        let entries = initial_entries(&read.program, &read.sources, &read.design)?;
        json["entries"] = json!(entries.text());
        let told = match path.as_os_str() == "-" {
            true => entries.text(),
            false => write(path, &entries)?,
        };
        // Who asks for entries alone gets no description.
        match arguments.output {
            Some(_) => text.push_str(&told),
            None => text = told,
        }
    }
    Ok(Answer::good(json, text))
}

/// In the form that the name's ending says; gives what is to be told of it.
fn write(path: &Path, message: &Message) -> Result<String, Vec<Diagnostic>> {
    let is_binary = path.extension().is_some_and(|ending| ending == "bin");
    let bytes = match is_binary {
        true => message.bytes(),
        false => message.text().into_bytes(),
    };
    files::write_bytes(path, &bytes).map_err(|error| vec![error])?;
    Ok(format!("{} written\n", path.display()))
}
