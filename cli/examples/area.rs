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
use hardpath_ir::Diagnostic;
use hardpath_pipeline::savings::{Saving, Without};
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::verilog;
use hardpath_synth::area::Area;
use std::process::ExitCode;

const INTRODUCTION: &str = "# What the compiler saves

`make bench-area` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup`) without its maps. The tables are about the compute pipeline (`TOP_pipeline`); below each stands
what becomes of the whole design, whose ports, FIFOs and host port are the same in all rows. *All* is what
`hardpath compile` makes. In the rows below one saving is left out (`hardpath compile --without NAME`), in the last one all
are (*naive*): one operation a stage, on the full width, and everything that ever came up carried to the end in
flip-flops. All of these designs are right; tests compare them with the kernel. Yosys' mapper is uneven: the same gates with other names around them can come out a fifth smaller or larger,
so small differences mean nothing.

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

fn main() -> ExitCode {
    common::run(INTRODUCTION, page)
}

/// A table for each program.
fn page(programs: &[Given]) -> Result<String, String> {
    let mut page = String::new();
    let mut say = |text: String| {
        print!("{text}");
        page.push_str(&text);
    };
    for given in programs {
        say(format!(
            "## {}\n\n| | stages | LUT | | of these SRL | FF | |\n|---|--:|--:|--:|--:|--:|--:|\n",
            given.title()
        ));
        let failed = |title: &str, errors: Vec<Diagnostic>| {
            let first = errors.first().map_or("", |error| error.message.as_str());
            format!("{}, {title}: {first}", given.title())
        };
        let mut all = None;
        let mut designs = Vec::new();
        for (title, without) in rows() {
            let compiled = compile(given, &without).map_err(|errors| failed(&title, errors))?;
            let pipeline = format!("{}_pipeline", compiled.interface.top);
            let area = measure(&compiled, &pipeline).map_err(|errors| failed(&title, errors))?;
            let all = *all.get_or_insert(area);
            say(row(&title, compiled.report.stages, area, all));
            designs.push(compiled);
        }
        let [all, naive] = [0, designs.len() - 1].map(|index| {
            let design = &designs[index];
            measure(design, &design.interface.top).map_err(|errors| failed("all of it", errors))
        });
        say(in_all(all?, naive?));
    }
    Ok(page)
}

/// The rows of a program's table, and what is left out for each.
fn rows() -> Vec<(String, Without)> {
    let mut rows = vec![("all".to_string(), Without::new())];
    rows.extend(
        Saving::ALL
            .iter()
            .map(|saving| (format!("without {}", saving.name()), [*saving].into())),
    );
    rows.push(("naive".to_string(), Saving::ALL.into()));
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
    let sources = verilog::print(&compiled.design);
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

/// The whole design with all savings and without any.
fn in_all(all: Area, naive: Area) -> String {
    format!(
        "\nThe whole design without maps: {} LUT and {} FF; naive {} LUT ({}) and {} FF ({}).\n\n",
        all.lut,
        all.ff,
        naive.lut,
        times(naive.lut, all.lut),
        naive.ff,
        times(naive.ff, all.ff),
    )
}

/// How many times as much, if it is another number.
fn times(this: u64, all: u64) -> String {
    match this == all {
        true => String::new(),
        false => format!("× {:.2}", this as f64 / all.max(1) as f64),
    }
}
