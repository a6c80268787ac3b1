//! The synthesized size and depth of whole programs, beside what the compiler estimated: `docs/levels.md`.
//!
//! ```text
//! make levels
//! ```
//!
//! Objects on the command line, as [`common`] reads them. With `--docs FILE` first, the table goes there. Minutes for
//! each program.

mod common;

use common::Given;
use hardpath_ir::Diagnostic;
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::verilog;
use hardpath_synth::area::Area;
use hardpath_synth::estimate;
use hardpath_synth::SynthReport;
use std::process::ExitCode;

const INTRODUCTION: &str = "# Levels and area

`make levels` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup`). *Levels* are LUTs of the longest path from register to register, as `hardpath synth` counts
them; a clock of 250 MHz has room for 9. *Estimate* is what `hardpath compile` says of the deepest stage of the program
alone, from the delay model in [pipeline/src/delay.rs](../pipeline/src/delay.rs), which `make calibrate` measures.
*Estimated* LUTs, flip-flops and block RAMs are those that `hardpath compile` and `sim` tell in an instant, without yosys
([synth/src/estimate.rs](../synth/src/estimate.rs)); a test holds them within 25 % of what stands beside them here.
*Without maps* leaves out the memories of the maps with all that is around them. Options behind a program's name
make maps smaller that take the tool too long, or say what the object leaves open.

";

fn main() -> ExitCode {
    common::run(INTRODUCTION, table)
}

fn table(programs: &[Given]) -> Result<String, String> {
    let head = "| program | stages | estimate | levels | LUT | estimated LUT | without maps | FF | estimated FF | without maps | BRAM36 | estimated BRAM36 | UltraRAM | DSP | longest path |\n\
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
    let mut table = String::from(head);
    print!("{head}");
    for given in programs {
        let row = row(given);
        print!("{row}");
        table.push_str(&row);
    }
    Ok(table)
}

/// One program, as a line of the table.
fn row(given: &Given) -> String {
    let title = given.title();
    let (compiled, report, rest) = match synthesize(given) {
        Ok(all) => all,
        Err(errors) => {
            let reason = errors[0].message.lines().next().unwrap_or_default();
            let cells = " - |".repeat(13);
            return format!("| {title} |{cells} {reason} |\n");
        }
    };
    let ends = |step: Option<&hardpath_synth::PathStep>| {
        step.map(|step| step.name.clone()).unwrap_or_default()
    };
    let estimated = estimate::estimate(&compiled.design).resources;
    format!(
        "| {title} | {} | {:.1} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | `{}` … `{}` |\n",
        compiled.report.stages,
        compiled.report.levels,
        report.levels,
        report.lut,
        estimated.lut,
        rest.lut,
        report.ff,
        estimated.ff,
        rest.ff,
        report.bram36,
        estimated.bram36,
        report.uram,
        report.dsp,
        ends(report.critical_path.first()),
        ends(report.critical_path.last()),
    )
}

/// A program's design, its report, and its area without maps.
fn synthesize(given: &Given) -> Result<(Compiled, SynthReport, Area), Vec<Diagnostic>> {
    let compiled = given.compile(&Options::default())?;
    let options = hardpath_synth::Options {
        map_modules: compiled.map_modules(),
        parts: false,
        ..hardpath_synth::Options::default()
    };
    let (files, top) = (verilog::print(&compiled.design), &compiled.interface.top);
    let report = hardpath_synth::yosys(&files, top, &options);
    let rest = hardpath_synth::area_without_maps(&files, top, &options);
    match (report, rest) {
        (Ok(report), Ok(rest)) => Ok((compiled, report, rest)),
        (Err(error), _) | (_, Err(error)) => Err(vec![error]),
    }
}
