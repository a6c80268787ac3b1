//! `hardpath p4info`: what the control plane sees of a P4 program.

use crate::answer::Answer;
use crate::arguments::P4infoArguments;
use crate::files::NewFile;
use crate::source::p4::Read;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_p4::p4info::p4info;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &P4infoArguments) -> Result<Answer, Vec<Diagnostic>> {
    let read = Read::of(&arguments.file, &arguments.p4)?;
    let info = p4info(&read.program, &read.sources, &read.design)?;
    let text = info.text();
    let json = json!({ "p4info": text });
    let Some(path) = &arguments.output else {
        return Ok(Answer::good(json, text));
    };
    let is_binary = path.extension().is_some_and(|ending| ending == "bin");
    let bytes = if is_binary {
        info.bytes()
    } else {
        text.into_bytes()
    };
    write(path, &bytes).map_err(|error| vec![error])?;
    Ok(Answer::good(json, format!("{} written\n", path.display())))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes).map_err(|error| {
        Diagnostic::input("cannot-write", error.to_string()).at(Place::of_file(path.display()))
    })?;
    file.put_in_place()
}
