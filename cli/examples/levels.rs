//! The synthesized size and depth of whole programs, beside what the compiler estimated: `docs/levels.md`.
//!
//! ```text
//! make levels
//! ```
//!
//! Objects on the command line; `OBJECT@128` compiles with `--depth 128`. With `--docs FILE` first, the table goes there.
//! Minutes for each program.

use hardpath_ebpf::LoadOptions;
use hardpath_ir::Diagnostic;
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::verilog;
use hardpath_synth::SynthReport;
use std::path::Path;
use std::process::ExitCode;

const INTRODUCTION: &str = "# Levels and area

`make levels` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup`). *Levels* are LUTs of the longest path from register to register, as `hardpath synth` counts
them; a clock of 250 MHz has room for 9. *Estimate* is what `hardpath compile` says of the deepest stage of the program
alone, from the delay model in [pipeline/src/delay.rs](../pipeline/src/delay.rs), which `make calibrate` measures.
*LUT without maps* leaves out the memories of the maps with all that is around them.

";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut docs = None;
    if arguments.len() > 1 && arguments[0] == "--docs" {
        docs = Some(arguments.remove(1));
        arguments.remove(0);
    }
    let head = "| program | stages | estimate | levels | LUT | without maps | FF | without maps | BRAM36 | DSP | longest path |\n\
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
    let mut table = String::from(head);
    print!("{head}");
    for argument in &arguments {
        let row = row(argument);
        print!("{row}");
        table.push_str(&row);
    }
    match docs.map(|file| std::fs::write(file, format!("{INTRODUCTION}{table}"))) {
        Some(Err(error)) => {
            eprintln!("the table cannot be written: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// One program, as a line of the table.
fn row(argument: &str) -> String {
    let (file, depth) = match argument.split_once('@') {
        Some((file, depth)) => (file, depth.parse().ok()),
        None => (argument, None),
    };
    let name = Path::new(file).file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let (compiled, report) = match synthesize(file, depth) {
        Ok(all) => all,
        Err(errors) => {
            return format!(
                "| {name} | - | - | - | - | - | - | - | - | - | {} |\n",
                errors[0].message.lines().next().unwrap_or_default()
            );
        }
    };
    let ends = |step: Option<&hardpath_synth::PathStep>| {
        step.map(|step| step.name.clone()).unwrap_or_default()
    };
    format!(
        "| {name}{} | {} | {:.1} | {} | {} | {} | {} | {} | {} | {} | `{}` … `{}` |\n",
        depth
            .map(|depth| format!(" `--depth {depth}`"))
            .unwrap_or_default(),
        compiled.report.stages,
        compiled.report.levels,
        report.levels,
        report.lut,
        report.lut_without_maps,
        report.ff,
        report.ff_without_maps,
        report.bram36,
        report.dsp,
        ends(report.critical_path.first()),
        ends(report.critical_path.last()),
    )
}

fn synthesize(file: &str, depth: Option<u32>) -> Result<(Compiled, SynthReport), Vec<Diagnostic>> {
    let bytes = std::fs::read(file)
        .map_err(|error| vec![Diagnostic::input("cannot-read", format!("{file}: {error}"))])?;
    let object = hardpath_ebpf::load(&bytes, file, &LoadOptions::default())?;
    let image = object.choose(None).map_err(|error| vec![error])?.clone();
    let mut program = hardpath_ebpf::lift(&object, &image)?;
    if let Some(depth) = depth {
        hardpath_passes::limit_depth(&mut program, depth).map_err(|error| vec![error])?;
    }
    let compiled = hardpath_pipeline::compile(program, &Options::default())?;
    let prefix = format!("{}_map_", compiled.interface.top);
    let modules = compiled.design.modules.values();
    let options = hardpath_synth::Options {
        map_modules: modules
            .filter(|module| module.name.starts_with(&prefix))
            .map(|module| module.name.clone())
            .collect(),
        ..hardpath_synth::Options::default()
    };
    let report = hardpath_synth::yosys(
        &verilog::print(&compiled.design),
        &compiled.interface.top,
        &options,
    );
    Ok((compiled, report.map_err(|error| vec![error])?))
}
