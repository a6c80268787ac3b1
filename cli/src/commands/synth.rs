//! `hardpath synth`: area and depth of a program's hardware.

use crate::answer::Answer;
use crate::arguments::{FlowName, SynthArguments};
use crate::load::load;
use crate::table::{facts, grouped, rows};
use hardpath_ir::Diagnostic;
use hardpath_pipeline::Compiled;
use hardpath_rtl::verilog;
use hardpath_synth::{Options, SynthReport};
use serde_json::json;

pub fn run(arguments: &SynthArguments) -> Result<Answer, Vec<Diagnostic>> {
    let compiled = load(&arguments.program)?.compile(&arguments.program)?;
    let sources = verilog::print(&compiled.design);
    let options = Options {
        map_modules: map_modules(&compiled),
        ..Options::default()
    };
    let report = match arguments.flow {
        FlowName::Yosys => hardpath_synth::yosys(&sources, &compiled.interface.top, &options),
    };
    let report = report.map_err(|error| vec![error])?;
    Ok(Answer::good(json!(report), text(&report)))
}

/// The modules that hold a map's memory: `TOP_map_…`, as the pipeline names them.
fn map_modules(compiled: &Compiled) -> Vec<String> {
    let prefix = format!("{}_map_", compiled.interface.top);
    let modules = compiled.design.modules.values();
    modules
        .filter(|module| module.name.starts_with(&prefix))
        .map(|module| module.name.clone())
        .collect()
}

/// Logic that the tool made for itself has a name that says nothing.
fn signal(name: &str) -> &str {
    if name.starts_with('$') {
        "-"
    } else {
        name
    }
}

fn text(report: &SynthReport) -> String {
    let with_maps =
        |all: u64, without: u64| format!("{} ({} without maps)", grouped(all), grouped(without));
    let mut text = facts(&[
        ("flow", format!("{} for {}", report.flow, report.part)),
        ("LUT", with_maps(report.lut, report.lut_without_maps)),
        ("FF", with_maps(report.ff, report.ff_without_maps)),
        ("carry", grouped(report.carry)),
        ("BRAM36", report.bram36.to_string()),
        ("UltraRAM", grouped(report.uram)),
        ("DSP", grouped(report.dsp)),
        (
            "LUT levels",
            format!("{} from register to register", report.levels),
        ),
        ("", format!("{} at the ports", report.port_levels)),
    ]);
    let path: Vec<Vec<String>> = report
        .critical_path
        .iter()
        .map(|step| {
            vec![
                step.level.to_string(),
                step.cell.clone(),
                signal(&step.name).to_owned(),
            ]
        })
        .collect();
    text.push_str("\nThe longest path from register to register:\n\n");
    text.push_str(&rows(&["level", "cell", "signal"], &path));
    text
}
