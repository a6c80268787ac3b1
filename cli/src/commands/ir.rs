//! `hardpath ir`: a program's intermediate form, after the step that is asked for.

use crate::answer::Answer;
use crate::arguments::IrArguments;
use crate::source::{self, Loaded};
use crate::target::{self, Asked};
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::Program;
use hardpath_pipeline::passes;
use serde_json::json;

/// Where a program can be looked at whatever it becomes, beside behind a pass.
const STEPS: [&str; 2] = ["lift", "control-flow"];

pub fn run(arguments: &IrArguments) -> Result<Answer, Vec<Diagnostic>> {
    let asked = target::asked(&arguments.program.hardware).map_err(one)?;
    let loaded = match arguments.structured {
        true => source::load_structured(&arguments.program, &asked)?,
        false => source::load(&arguments.program, &asked)?,
    };
    let program = after(&arguments.after, &loaded, &asked)?;
    let text = program.to_string();
    let object = json!({
        "program": loaded.program.name,
        "section": loaded.section,
        "after": arguments.after,
        "ir": text,
    });
    Ok(Answer::good(object, text).with_warnings(loaded.warnings))
}

fn after(step: &str, loaded: &Loaded, asked: &Asked) -> Result<Program, Vec<Diagnostic>> {
    let mut program = loaded.program.clone();
    let forms = asked.kind.target.forms();
    match step {
        "lift" => {}
        "control-flow" => {
            hardpath_passes::lower_structured(&mut program)?;
            hardpath_passes::optimize_control_flow(&mut program).map_err(one)?;
        }
        last if forms.last() == Some(&last) => return asked.kind.target.last_form(loaded, asked),
        form if forms.contains(&form) => {
            hardpath_passes::lower_structured(&mut program)?;
            program = asked.kind.target.form(form, program)?;
        }
        name => {
            let pass = passes::find(name).ok_or_else(|| vec![unknown(name, forms)])?;
            pass.run(&mut program)?;
        }
    }
    Ok(program)
}

fn unknown(name: &str, forms: &[&'static str]) -> Diagnostic {
    let steps = [STEPS.as_slice(), forms].concat();
    let passes: Vec<&str> = passes::all().into_iter().map(|pass| pass.name).collect();
    Diagnostic::input("unknown-step", format!("there is no step `{name}`")).help(format!(
        "{}the steps are {}; the passes are {}",
        suggest::meant(name, steps.iter().chain(&passes).copied()),
        steps.join(", "),
        passes.join(", ")
    ))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
