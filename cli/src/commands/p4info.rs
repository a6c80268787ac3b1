//! `hardpath p4info`: what the control plane sees of a P4 program.

use crate::answer::Answer;
use crate::arguments::P4infoArguments;
use crate::files;
use crate::source::p4::Read;
use hardpath_diagnostic::Diagnostic;
use hardpath_p4::p4info::p4info;
use serde_json::json;

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
    files::write_bytes(path, &bytes).map_err(|error| vec![error])?;
    Ok(Answer::good(json, format!("{} written\n", path.display())))
}
