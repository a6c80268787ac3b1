//! `hardpath synth --flow vivado` and `--flow quartus`: the folder of a design through a vendor's tool.

use super::compile;
use super::folder::{clock_mhz, top};
use crate::answer::{Answer, Status};
use crate::arguments::{HdlName, SynthArguments};
use crate::source;
use crate::table::facts;
use crate::target;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::grouped;
use hardpath_synth::project::{self, ProjectReport, Vendor};
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(arguments: &SynthArguments, vendor: Vendor) -> Result<Answer, Vec<Diagnostic>> {
    let (folder, warnings) = folder(arguments)?;
    let one = |error: Diagnostic| vec![error];
    let top = top(&folder).map_err(one)?;
    let clock_mhz = clock_mhz(&folder, &top).map_err(one)?;
    let part = arguments.part.as_deref().unwrap_or(vendor.default_part());
    let report = project::run(vendor, &folder, &top, part).map_err(one)?;
    let fmax_mhz = report
        .slack_ns
        .map(|slack| 1000.0 / (1000.0 / clock_mhz - slack));
    let mut object = json!(report);
    object["folder"] = json!(folder);
    object["clock_mhz"] = json!(clock_mhz);
    object["fmax_mhz"] = json!(fmax_mhz);
    let text = match report.ran {
        true => measured(&report, clock_mhz, fmax_mhz),
        false => to_be_run(&report, &folder),
    };
    let mut answer = Answer::good(object, text).with_warnings(warnings);
    if report.slack_ns.is_some_and(|slack| slack < 0.0) {
        answer.status = Status::Differs;
    }
    Ok(answer)
}

/// The folder of the design: the one that was given, or a new one for the object that was given, with what is to be said
/// of that.
fn folder(arguments: &SynthArguments) -> Result<(PathBuf, Vec<Diagnostic>), Vec<Diagnostic>> {
    let given = &arguments.program.file;
    let asked = target::asked(&arguments.program.hardware).map_err(|error| vec![error])?;
    match (given.is_dir(), &arguments.output) {
        (true, None) => Ok((given.clone(), asked.notes)),
        (true, Some(_)) => Err(vec![Diagnostic::input(
            "synth-output",
            "the folder of a design is used where it is",
        )
        .help("leave -o out, or give an object instead of the folder")]),
        (false, None) => Err(vec![Diagnostic::input(
            "synth-output",
            "this flow needs a folder for the design and its scripts",
        )
        .help("give one with -o DIR, or give a folder that `hardpath compile` wrote")]),
        (false, Some(output)) => {
            let loaded = source::load(&arguments.program, &asked)?.for_target(asked.kind.target)?;
            let hardware = target::compile(&loaded, &asked)?;
            let name = compile::source_name(given);
            compile::write(&loaded, &hardware, HdlName::Verilog, (&name, output))
                .map_err(|error| vec![error])?;
            Ok((output.clone(), loaded.warnings_with(&hardware.warnings)))
        }
    }
}

fn to_be_run(report: &ProjectReport, folder: &Path) -> String {
    format!(
        "{} is not installed here (not in PATH), so nothing was synthesized.\n\
         The design and its scripts are in {}. Where the tool is:\n\n    cd {}\n    {}\n",
        report.command[0],
        folder.display(),
        folder.display(),
        report.command.join(" ")
    )
}

fn measured(report: &ProjectReport, clock_mhz: f64, fmax_mhz: Option<f64>) -> String {
    let number = |value: Option<u64>| value.map_or("-".into(), grouped);
    let (logic, ram) = match report.flow.as_str() {
        "vivado" => ("LUT", "BRAM36"),
        _ => ("ALM", "M20K"),
    };
    let clock = match (fmax_mhz, report.slack_ns) {
        (Some(fmax), Some(slack)) => format!(
            "{fmax:.1} MHz after routing, {clock_mhz:.1} MHz were asked for: {}",
            if slack < 0.0 { "MISSED" } else { "met" }
        ),
        _ => String::from("not in the reports"),
    };
    facts(&[
        ("flow", format!("{} for {}", report.flow, report.part)),
        (logic, number(report.logic)),
        ("FF", number(report.ff)),
        (ram, report.ram.map_or("-".into(), |ram| ram.to_string())),
        ("UltraRAM", number(report.uram)),
        ("DSP", number(report.dsp)),
        ("clock", clock),
    ])
}
