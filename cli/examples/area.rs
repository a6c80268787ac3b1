//! What each saving of the compiler gains in area: `docs/area.md`.
//!
//! ```text
//! make bench-area
//! ```
//!
//! Objects on the command line, as [`common`] reads them. With `--docs FILE` first, the page goes there. Eight syntheses
//! for each program, some of designs that are far larger than they need be: minutes for each program.

mod common;

use common::Given;
use hardpath_ir::Diagnostic;
use hardpath_pipeline::savings::{Saving, Without};
use hardpath_pipeline::Options;
use hardpath_rtl::verilog;
use hardpath_synth::area::Area;
use std::process::ExitCode;

const INTRODUCTION: &str = "# What the compiler saves

`make bench-area` wrote this page: each program compiled for 250 MHz and a bus of 512 bits, and synthesized with yosys
(`synth_xilinx -family xcup`) without its maps. *All* is what `hardpath compile` makes. In the rows below one saving is
left out (`hardpath compile --without NAME`), in the last one all are (*naive*): one operation a stage, on the full
width, and everything that ever came up carried to the end in flip-flops. All of these designs are right; tests compare them
with the kernel.

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
        let mut all = None;
        for (title, without) in rows() {
            let (stages, area) = measure(given, &without).map_err(|errors| {
                let first = errors.first().map_or("", |error| error.message.as_str());
                format!("{}, {title}: {first}", given.title())
            })?;
            let all = *all.get_or_insert(area);
            say(row(&title, stages, area, all));
        }
        say("\n".to_string());
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

/// Stages, and the area without maps.
fn measure(given: &Given, without: &Without) -> Result<(u32, Area), Vec<Diagnostic>> {
    let compiled = given.compile(&Options {
        without: without.clone(),
        ..Options::default()
    })?;
    let options = hardpath_synth::Options {
        map_modules: compiled.map_modules(),
        ..hardpath_synth::Options::default()
    };
    let sources = verilog::print(&compiled.design);
    let area = hardpath_synth::area_without_maps(&sources, &compiled.interface.top, &options);
    Ok((compiled.report.stages, area.map_err(|error| vec![error])?))
}

fn row(title: &str, stages: u32, area: Area, all: Area) -> String {
    let times = |this: u64, all: u64| match this == all {
        true => String::new(),
        false => format!("× {:.2}", this as f64 / all.max(1) as f64),
    };
    format!(
        "| {title} | {stages} | {} | {} | {} | {} | {} |\n",
        area.lut,
        times(area.lut, all.lut),
        area.srl,
        area.ff,
        times(area.ff, all.ff),
    )
}
