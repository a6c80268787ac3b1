//! `hardpath pass`: one pass on the text form of a program.

use crate::answer::Answer;
use crate::arguments::PassArguments;
use crate::files::read_text;
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::{parse, verifier, Program};
use hardpath_pipeline::passes;
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &PassArguments) -> Result<Answer, Vec<Diagnostic>> {
    let pass = passes::find(&arguments.name).ok_or_else(|| vec![unknown(&arguments.name)])?;
    let mut program = read(&arguments.file)?;
    pass.run(&mut program)
        .map_err(|errors| in_file(errors, &arguments.file))?;
    verify(&program, &arguments.file)?;
    let text = program.to_string();
    Ok(Answer::good(json!({ "pass": pass.name, "ir": text }), text))
}

/// Reads a program in text form and checks it.
fn read(path: &Path) -> Result<Program, Vec<Diagnostic>> {
    let text = read_text(path).map_err(|error| vec![error])?;
    let program = parse::parse(&text).map_err(|error| vec![error.in_file(path.display())])?;
    verify(&program, path)?;
    Ok(program)
}

fn verify(program: &Program, path: &Path) -> Result<(), Vec<Diagnostic>> {
    let errors = verifier::verify(program).err().unwrap_or_default();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(in_file(errors, path)),
    }
}

fn in_file(errors: Vec<impl Into<Diagnostic>>, path: &Path) -> Vec<Diagnostic> {
    let errors = errors.into_iter().map(Into::into);
    errors
        .map(|error: Diagnostic| error.in_file(path.display()))
        .collect()
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
