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
use hardpath_diagnostic::Diagnostic;
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::verilog;
use hardpath_synth::area::Area;
use hardpath_synth::cards::{Card, Resources, CARDS, NAMES};
use hardpath_synth::estimate;
use hardpath_synth::levels::PathStep;
use hardpath_synth::SynthReport;
use std::process::ExitCode;

const INTRODUCTION: &str = "# Levels and area

`make levels` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup -nowidelut`). Everything counts, maps included, unless a column says otherwise.

## How levels are counted

*Levels* are LUT6 levels of the longest path from register to register, as `hardpath synth` counts them on the mapped netlist
([synth/src/levels.rs](../synth/src/levels.rs)); a clock of 250 MHz has room for 9. A LUT is 1, a carry chain 1 to enter and
0.1 for each further carry cell, a `MUXF` 0.5, the read of a LUT RAM 1. A path out of a block RAM without output register begins at
2.5, out of an UltraRAM at 4, and at 0 where the memory has its output register. A DSP without registers costs 4; a path out of one
with registers begins at 1.5. Wide LUTs are left out (`-nowidelut`): yosys' LUTs of seven to nine inputs are several of the
device with multiplexers between them. The count knows neither fan-out nor distance.
Yosys lets all logic be as deep as the deepest logic of the design, to save LUTs, and does not know what memories cost: one deep way
makes others look deep, above all those out of memories.
*Ports* is the same for the longest path that begins or ends at a port of the design; what stands outside comes on top.
*Near* are the registers at which a path ends that has at most one level less than the longest.
*Max fan-out* are the loads of the net that has the most: pins of LUTs, flip-flops, carry cells, DSPs and memories; clock and
synchronous reset do not count.
`hardpath synth --worst 20` shows the worst paths cell by cell.

*Estimate* is no measurement: it is what `hardpath compile` says of the deepest stage of the program alone (`levels` in its report),
from the delay model in [pipeline/src/delay.rs](../pipeline/src/delay.rs), which `make calibrate` measures.
*Estimated* LUTs, flip-flops, block RAMs and UltraRAMs are those that `hardpath compile` and `sim` tell in an instant, without yosys
([synth/src/estimate.rs](../synth/src/estimate.rs)); a test holds them within 25 % of what stands beside them here.

UltraRAMs are counted as the device has them: 4096 words of 72 bits and two ports each, for each memory. Larger memories stand in the
text as banks of that size, and LUTs join what the banks say; vendors' tools could also put UltraRAMs behind each other in
cascades, which need none.

*Without maps* leaves out the memories of the maps with all that is around them. Options behind a program's name
make maps smaller that take the tool too long, or say what the object leaves open.

";

fn main() -> ExitCode {
    common::run(INTRODUCTION, table)
}

/// The columns of the table of figures, and the line below.
const HEAD: &str = "\
| program | stages | estimate | levels | ports | near | max fan-out | LUT | estimated LUT | without maps | FF | estimated FF | without maps | BRAM36 | estimated BRAM36 | UltraRAM | estimated UltraRAM | DSP | longest path |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
";
const FIGURES: usize = 17;

/// The card of the second table.
const CARD: &str = "Alveo U50";

/// The figures of all programs, and their shares of a card.
fn table(programs: &[Given]) -> Result<String, String> {
    let card = CARDS.iter().find(|card| card.name == CARD);
    let card = card.ok_or("there is no such card")?;
    let mut table = format!("## What programs take\n\n{HEAD}");
    print!("{table}");
    let mut shares = share_head();
    for given in programs {
        let (row, resources) = row(given);
        print!("{row}");
        table.push_str(&row);
        shares.push_str(&share(given, card, resources.as_ref()));
    }
    print!("{shares}");
    Ok(table + &shares)
}

fn share_head() -> String {
    let names = NAMES.join(" | ");
    format!(
        "\n## Their share of an {CARD}\n\nIn percent, maps included; the whole device, before anything that a shell takes.\n\n\
         | program | {names} |\n|---|{}\n",
        "--:|".repeat(NAMES.len())
    )
}

fn share(given: &Given, card: &Card, resources: Option<&Resources>) -> String {
    let shares = match resources {
        Some(resources) => card
            .shares(resources)
            .map(|percent| format!("{percent:.2}")),
        None => NAMES.map(|_| "-".into()),
    };
    format!("| {} | {} |\n", given.title(), shares.join(" | "))
}

/// One program, as a line of the table, and what it takes.
fn row(given: &Given) -> (String, Option<Resources>) {
    let title = given.title();
    let (compiled, report, rest) = match synthesize(given) {
        Ok(all) => all,
        Err(errors) => {
            let reason = errors[0].message.lines().next().unwrap_or_default();
            let cells = " - |".repeat(FIGURES);
            return (format!("| {title} |{cells} {reason} |\n"), None);
        }
    };
    let ends = |step: Option<&PathStep>| step.map(|step| step.name.clone()).unwrap_or_default();
    let estimated = estimate::estimate(&compiled.design).resources;
    let (depth, path) = (&report.depth, &report.depth.critical_path);
    let figures: [String; FIGURES] = [
        compiled.report.stages.to_string(),
        format!("{:.1}", compiled.report.levels),
        depth.levels.to_string(),
        depth.ports_levels.to_string(),
        depth.ends_within_one_level.to_string(),
        report
            .max_fanout
            .as_ref()
            .map_or(0, |net| net.loads)
            .to_string(),
        report.lut.to_string(),
        estimated.lut.to_string(),
        rest.lut.to_string(),
        report.ff.to_string(),
        estimated.ff.to_string(),
        rest.ff.to_string(),
        report.bram36.to_string(),
        estimated.bram36.to_string(),
        report.uram.to_string(),
        estimated.uram.to_string(),
        report.dsp.to_string(),
    ];
    let (begin, end) = (ends(path.first()), ends(path.last()));
    let row = format!(
        "| {title} | {} | `{begin}` … `{end}` |\n",
        figures.join(" | ")
    );
    (row, Some(report.resources()))
}

/// A program's design, its report, and its area without maps.
fn synthesize(given: &Given) -> Result<(Compiled, SynthReport, Area), Vec<Diagnostic>> {
    let compiled = given.compile(&Options::default())?;
    let options = hardpath_synth::Options {
        map_modules: compiled.map_modules(),
        parts: false,
        ..hardpath_synth::Options::default()
    };
    let (files, top) = (
        verilog::print(&compiled.design).expect("it has no foreign modules"),
        &compiled.interface.top,
    );
    let report = hardpath_synth::yosys(&files, top, &options);
    let rest = hardpath_synth::area_without_maps(&files, top, &options);
    match (report, rest) {
        (Ok(report), Ok(rest)) => Ok((compiled, report, rest)),
        (Err(error), _) | (_, Err(error)) => Err(vec![error]),
    }
}
