//! The pipeline: a stage for every few operations, packets one behind the other.

use super::{in_control_flow, Asked, Hardware, Target, Told};
use crate::source::Loaded;
use crate::table::{facts, rows};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::Program;
use hardpath_pipeline::{Compiled, Options, Report};
use serde_json::json;
use std::fmt::Write;

pub struct Pipeline;

impl Target for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn takes_loops(&self) -> bool {
        false
    }

    fn forms(&self) -> &'static [&'static str] {
        &["dataflow", "scheduled"]
    }

    /// Only that of hardware that is none too large.
    fn last_form(&self, loaded: &Loaded, asked: &Asked) -> Result<Program, Vec<Diagnostic>> {
        Ok(super::compile(loaded, asked)?.form)
    }

    /// Only the dataflow form.
    fn form(&self, _: &str, mut program: Program) -> Result<Program, Vec<Diagnostic>> {
        in_control_flow(&program, "the pipeline").map_err(one)?;
        hardpath_passes::optimize_control_flow(&mut program).map_err(one)?;
        hardpath_pipeline::dataflow(&program)
    }

    fn compile(&self, program: Program, asked: &Asked) -> Result<Hardware, Vec<Diagnostic>> {
        in_control_flow(&program, "the pipeline").map_err(one)?;
        let compiled = hardpath_pipeline::compile(program, &options(asked))?;
        Ok(hardware(compiled))
    }

    fn refusals(&self, part: Program, asked: &Asked) -> Vec<Diagnostic> {
        hardpath_pipeline::refusals(part, &options(asked))
    }
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

fn options(asked: &Asked) -> Options {
    Options {
        clock_mhz: asked.clock_mhz,
        bus_bits: asked.bus_bits,
        technology: asked.family,
        without: asked.without.clone(),
        journal: asked.journal,
        cut_through: asked.cut_through,
        tries_clocks: true,
    }
}

fn hardware(compiled: Compiled) -> Hardware {
    let map_modules = compiled.map_modules();
    let Compiled {
        design,
        interface,
        report,
        scheduled,
    } = compiled;
    Hardware {
        design,
        interface,
        clock_mhz: report.clock_mhz,
        family: report.technology,
        map_modules,
        form: scheduled,
        operations_per_row: None,
        told: Told {
            json: json!(report),
            text: text(&report),
            markdown: figures(&report) + &maps(&report),
        },
        promise: report.promise,
        warnings: report.warnings,
    }
}

/// The answer for people.
fn text(report: &Report) -> String {
    let nanoseconds = f64::from(report.latency_clocks) * 1000.0 / report.clock_mhz;
    let clocks = counted(report.latency_clocks, "clock");
    let mut latency = format!("{clocks} = {nanoseconds:.0} ns");
    if report.result_stages < report.stages {
        // Otherwise a few clocks of latency would stand beside many stages without a word.
        latency.push_str(&format!(
            "; a packet leaves after {}, the others only write maps",
            counted(report.result_stages, "stage")
        ));
    }
    let mut lines = vec![
        (
            "pipeline",
            format!(
                "{} at {} MHz ({})",
                counted(report.stages, "stage"),
                report.clock_mhz,
                report.technology
            ),
        ),
        ("latency", latency),
        (
            "packet streams",
            format!("{} bits a clock", report.bus_bits),
        ),
        (
            "packet window",
            format!("the first {}", counted(report.window_bytes, "byte")),
        ),
        ("pipeline registers", counted(report.register_bits, "bit")),
        (
            "estimated levels",
            format!(
                "{:.1} in the deepest stage, by the delay model; `hardpath synth` measures the LUT6 levels of all of it",
                report.levels
            ),
        ),
    ];
    if let Some(bytes) = report.ahead_bytes {
        let line = format!("packets enter with their first {}", counted(bytes, "byte"));
        lines.insert(2, ("cut-through", line));
    }
    let mut text = facts(&lines);
    if report.maps.is_empty() {
        return text;
    }
    let map_rows: Vec<Vec<String>> = report
        .maps
        .iter()
        .map(|map| {
            vec![
                map.name.clone(),
                map.kind.clone(),
                map.key_bytes.to_string(),
                map.value_bytes.to_string(),
                grouped(u64::from(map.max_entries)),
                map.hazard.name().to_string(),
                map.window.to_string(),
                map.reason.clone(),
            ]
        })
        .collect();
    text.push('\n');
    text.push_str(&rows(
        &[
            "map", "type", "key B", "value B", "entries", "hazard", "window", "why",
        ],
        &map_rows,
    ));
    text
}

/// Of the README.
fn figures(report: &Report) -> String {
    let ahead = report.ahead_bytes.map(|bytes| {
        format!("| cut-through: bytes with which a packet enters the program before all of it is in | {bytes} |\n")
    });
    format!(
        "## Figures\n\n\
         | | |\n|---|---|\n\
         | clock that it was scheduled for | {} MHz |\n\
         | packet streams | {} bits |\n\
         | stages of the compute pipeline | {} |\n\
         | latency of a packet of one beat in an idle design | {} |\n\
         {}\
         | bytes at the front of a packet that the program can see | {} |\n\
         | flip-flops between these stages, without those of maps, streams and host port | {} |\n\n",
        report.clock_mhz,
        report.bus_bits,
        report.stages,
        counted(report.latency_clocks, "clock"),
        ahead.unwrap_or_default(),
        report.window_bytes,
        grouped(report.register_bits),
    )
}

/// Of the README; empty where there are no maps.
fn maps(report: &Report) -> String {
    if report.maps.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "## Maps\n\nHow each map stays serial although many packets are in flight:\n\n\
         | map | type | key | value | entries | hazard | window | why |\n|---|---|---|---|---|---|---|---|\n",
    );
    for map in &report.maps {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} B | {} B | {} | {} | {} | {} |",
            map.name,
            map.kind,
            map.key_bytes,
            map.value_bytes,
            grouped(u64::from(map.max_entries)),
            map.hazard.name(),
            map.window,
            map.reason,
        );
    }
    text.push_str(
        "\n`none`: the data plane only reads, or only adds. `fused`: what a packet writes is forwarded to the packets \
         behind it, so that one enters in every clock, with the same key, too. `interlock`: a packet waits while an \
         older one with the same key is inside the window, given in clocks. `replay`: a packet that read what an older \
         one in the window writes afterwards is run again, with all behind it.\n\n",
    );
    text
}
