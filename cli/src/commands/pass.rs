//! `hardpath pass`: one pass on the text form of a program.

use crate::answer::Answer;
use crate::arguments::PassArguments;
use crate::files;
use crate::source::text;
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_pipeline::passes;
use serde_json::json;

pub fn run(arguments: &PassArguments) -> Result<Answer, Vec<Diagnostic>> {
    let pass = passes::find(&arguments.name).ok_or_else(|| vec![unknown(&arguments.name)])?;
    let bytes = files::read(&arguments.file).map_err(|error| vec![error])?;
    let mut program = text::read(&bytes, arguments.file.display())?;
    let in_file = |error: Diagnostic| error.in_file(arguments.file.display());
    pass.run(&mut program)
        .map_err(|errors| errors.into_iter().map(in_file).collect::<Vec<_>>())?;
    text::verify(&program, arguments.file.display())?;
    let text = program.to_string();
    Ok(Answer::good(json!({ "pass": pass.name, "ir": text }), text))
}

/// Every pass with its description is the remedy for a name that does not exist.
fn unknown(name: &str) -> Diagnostic {
    let all: Vec<String> = passes::all()
        .iter()
        .map(|pass| format!("\n    {:18} {}", pass.name, pass.summary))
        .collect();
    let names = passes::all().into_iter().map(|pass| pass.name);
    let meant = suggest::meant(name, names);
    Diagnostic::input("unknown-pass", format!("there is no pass `{name}`"))
        .help(format!("{meant}the passes are:{}", all.concat()))
}
