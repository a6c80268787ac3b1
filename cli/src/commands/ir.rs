//! `hardpath ir`: a program's intermediate form, after the step that is asked for.

use crate::answer::Answer;
use crate::arguments::IrArguments;
use crate::load::{load, Loaded};
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::Program;
use hardpath_pipeline::passes;
use serde_json::json;

/// Where a program can be looked at, beside behind a pass.
const STEPS: [&str; 4] = ["lift", "control-flow", "dataflow", "scheduled"];

pub fn run(arguments: &IrArguments) -> Result<Answer, Vec<Diagnostic>> {
    let loaded = load(&arguments.program)?;
    let program = after(arguments, &loaded)?;
    let text = program.to_string();
    let object = json!({
        "program": loaded.image.name,
        "section": loaded.image.section,
        "after": arguments.after,
        "ir": text,
    });
    Ok(Answer::good(object, text).with_warnings(loaded.warnings))
}

fn after(arguments: &IrArguments, loaded: &Loaded) -> Result<Program, Vec<Diagnostic>> {
    let mut program = loaded.program.clone();
    match arguments.after.as_str() {
        "lift" => {}
        "control-flow" => {
            hardpath_passes::optimize_control_flow(&mut program).map_err(one)?;
        }
        "dataflow" => {
            hardpath_passes::optimize_control_flow(&mut program).map_err(one)?;
            program = hardpath_pipeline::dataflow(&program)?;
        }
        "scheduled" => return Ok(loaded.compile(&arguments.program)?.scheduled),
        name => {
            let pass = passes::find(name).ok_or_else(|| vec![unknown(name)])?;
            pass.run(&mut program)?;
        }
    }
    Ok(program)
}

fn unknown(name: &str) -> Diagnostic {
    let passes: Vec<&str> = passes::all().into_iter().map(|pass| pass.name).collect();
    Diagnostic::input("unknown-step", format!("there is no step `{name}`")).help(format!(
        "{}the steps are {}; the passes are {}",
        suggest::meant(name, STEPS.iter().chain(&passes).copied()),
        STEPS.join(", "),
        passes.join(", ")
    ))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
