//! What each saving of the compiler gains in area: `docs/area.md`.
//!
//! ```text
//! make bench-area
//! ```
//!
//! Objects on the command line, as [`common`] reads them. With `--docs FILE` first, the page goes there. Ten syntheses
//! for each program, some of designs that are far larger than they need be: minutes for each program.

mod common;

use common::Given;
use hardpath_diagnostic::Diagnostic;
use hardpath_pipeline::savings::{Saving, Without};
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::verilog;
use hardpath_synth::area::Area;
use std::process::ExitCode;

const INTRODUCTION: &str = "# What the compiler saves

`make bench-area` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup -nowidelut`) without its maps. The tables are about the compute pipeline (`TOP_pipeline`); below each stands
what becomes of the whole design, whose ports, FIFOs and host port are the same in all rows. *All* is what
`hardpath compile` makes. In the rows below one saving is left out (`hardpath compile --without NAME`). *Naive schedule*:
one operation a stage, on the full width, and everything that ever came up carried to the end; synthesis still makes shift
registers of what waits. *Naive*: all of it in flip-flops, so that there are many of them and fewer LUTs. All of these
designs are right; tests compare them with the kernel. Yosys' mapper is uneven: the same gates with other names around them
can come out a fifth smaller or larger, so small differences mean nothing.

* *pruning*: a stage carries only the bits that a later stage uses, and the packet waits in block RAM. Without it
  all values and the packet's window go on to the last stage, and out of the design, so that synthesis keeps them.
* *chaining*: operations that fit one clock share a stage.
* *conditions*: guards that say things twice, selects under conditions that are known, and chains of selects are simplified.
* *narrowing*: operations run on the bits that are neither known nor ignored. Synthesis finds constant bits by itself, too;
  what it does not find are widths that follow from ranges, and that narrow operations need fewer stages.
* *srl*: values that wait for several stages do so in registers without reset, which synthesis turns into shift registers
  (SRL, counted among the LUTs). Without it every register has a reset.
* *reassociation*: chains of additions and logic become trees, which are not smaller but faster, so that fewer stages do.
";

/// The first row, and the last two.
const COMPARED: [&str; 3] = ["all", "naive schedule", "naive"];

fn main() -> ExitCode {
    common::run(INTRODUCTION, page)
}

/// A table for each program, and the sums of all.
fn page(programs: &[Given]) -> Result<String, String> {
    let mut page = String::new();
    // The rows of [`COMPARED`].
    let (mut of_pipelines, mut of_designs) = ([Area::default(); 3], [Area::default(); 3]);
    let mut say = |text: String| {
        print!("{text}");
        page.push_str(&text);
    };
    for given in programs {
        say(format!(
            "\n## {}\n\n| | stages | LUT | | of these SRL | FF | |\n|---|--:|--:|--:|--:|--:|--:|\n",
            given.title()
        ));
        let failed = |title: &str, errors: Vec<Diagnostic>| {
            let first = errors.first().map_or("", |error| error.message.as_str());
            format!("{}, {title}: {first}", given.title())
        };
        let mut pipelines = Vec::new();
        let mut designs = Vec::new();
        for (title, without) in rows() {
            let compiled = compile(given, &without).map_err(|errors| failed(&title, errors))?;
            let pipeline = format!("{}_pipeline", compiled.interface.top);
            let area = measure(&compiled, &pipeline).map_err(|errors| failed(&title, errors))?;
            pipelines.push(area);
            say(row(&title, compiled.report.stages, area, pipelines[0]));
            designs.push(compiled);
        }
        let whole = |design: &Compiled| {
            let area = measure(design, &design.interface.top);
            area.map_err(|errors| failed("all of it", errors))
        };
        let compared = [0, designs.len() - 2, designs.len() - 1];
        let mut wholes = [Area::default(); 3];
        for (area, index) in wholes.iter_mut().zip(compared) {
            *area = whole(&designs[index])?;
        }
        say(in_all("The whole design without maps", wholes));
        for (sums, areas) in [
            (&mut of_pipelines, compared.map(|index| pipelines[index])),
            (&mut of_designs, wholes),
        ] {
            for (sum, area) in sums.iter_mut().zip(areas) {
                sum.lut += area.lut;
                sum.ff += area.ff;
            }
        }
    }
    say("\n## All of these programs\n".to_string());
    say(in_all("The pipelines", of_pipelines));
    say(in_all("The whole designs without maps", of_designs));
    Ok(page)
}

/// The rows of a program's table, and what is left out for each.
fn rows() -> Vec<(String, Without)> {
    let mut rows = vec![(COMPARED[0].to_string(), Without::new())];
    rows.extend(
        Saving::ALL
            .iter()
            .map(|saving| (format!("without {}", saving.name()), [*saving].into())),
    );
    let schedule = Saving::ALL.into_iter();
    let schedule = schedule.filter(|saving| *saving != Saving::Srl);
    rows.push((COMPARED[1].to_string(), schedule.collect()));
    rows.push((COMPARED[2].to_string(), Saving::ALL.into()));
    rows
}

fn compile(given: &Given, without: &Without) -> Result<Compiled, Vec<Diagnostic>> {
    given.compile(&Options {
        without: without.clone(),
        ..Options::default()
    })
}

/// The area of a module of a design, without maps.
fn measure(compiled: &Compiled, top: &str) -> Result<Area, Vec<Diagnostic>> {
    let options = hardpath_synth::Options {
        map_modules: compiled.map_modules(),
        ..hardpath_synth::Options::default()
    };
    let sources = verilog::print(&compiled.design).expect("it has no foreign modules");
    hardpath_synth::area_without_maps(&sources, top, &options).map_err(|error| vec![error])
}

fn row(title: &str, stages: u32, area: Area, all: Area) -> String {
    format!(
        "| {title} | {stages} | {} | {} | {} | {} | {} |\n",
        area.lut,
        times(area.lut, all.lut),
        area.srl,
        area.ff,
        times(area.ff, all.ff),
    )
}

/// Something as it is in the rows of [`COMPARED`], as a sentence.
fn in_all(what: &str, areas: [Area; 3]) -> String {
    let all = areas[0];
    let others = COMPARED.iter().zip(areas).skip(1).map(|(name, area)| {
        let (lut, ff) = (times(area.lut, all.lut), times(area.ff, all.ff));
        format!(
            "; {name}: {} LUT ({lut}) and {} FF ({ff})",
            area.lut, area.ff
        )
    });
    let others: String = others.collect();
    format!("\n{what}: {} LUT and {} FF{others}.\n", all.lut, all.ff)
}

/// How many times as much, if it is another number.
fn times(this: u64, all: u64) -> String {
    match this == all {
        true => String::new(),
        false => format!("× {:.2}", this as f64 / all.max(1) as f64),
    }
}
