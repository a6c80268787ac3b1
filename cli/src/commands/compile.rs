//! `hardpath compile`: a program to SystemVerilog or VHDL.

use crate::answer::Answer;
use crate::arguments::{CompileArguments, HdlName};
use crate::design::{self, file_list_name, Sources};
use crate::files::write_folder;
use crate::load::{load, Loaded};
use crate::promise;
use crate::size::Size;
use crate::table::{facts, rows};
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::EventCall;
use hardpath_ir::count::{counted, grouped};
use hardpath_pipeline::{Compiled, Report};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

pub fn run(arguments: &CompileArguments) -> Result<Answer, Vec<Diagnostic>> {
    let loaded = load(&arguments.program)?;
    let compiled = loaded.compile(&arguments.program)?;
    let files = match &arguments.output {
        Some(folder) => {
            write(&loaded, &compiled, arguments.hdl, folder).map_err(|error| vec![error])?
        }
        None => Vec::new(),
    };
    let mut object = json!(compiled.report);
    let size = Size::of(&compiled.design, compiled.report.technology);
    object["estimate"] = size.json();
    object["program"] = json!(loaded.image.name);
    object["section"] = json!(loaded.image.section);
    object["instructions"] = json!(loaded.image.insns.len());
    object["files"] = json!(files);
    let dropped = loaded.dropped_calls();
    object["dropped_calls"] = dropped
        .iter()
        .map(|call| json!({"helper": call.helper, "place": call.place.to_string()}))
        .collect();
    object["hdl"] = json!(arguments.hdl.name());
    let mut text = summary(&loaded, &compiled.report);
    let _ = writeln!(text, "\n{}", promise::sentence(&compiled.report));
    if let Some(sentence) = size.sentence() {
        let _ = writeln!(text, "{sentence}");
    }
    text.push_str(&dropped_calls(&dropped));
    if let Some(folder) = &arguments.output {
        text.push_str(&format!(
            "\n{} files in {}; top module {}, start with README.md\n",
            files.len(),
            folder.display(),
            design::top_name(&compiled, arguments.hdl)
        ));
    }
    Ok(Answer::good(object, text).with_warnings(loaded.warnings_with(Some(&compiled.report))))
}

/// What `--drop-events` left out.
fn dropped_calls(calls: &[EventCall]) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = calls
        .iter()
        .map(|call| format!("  {} at {}\n", call.helper, call.place))
        .collect();
    format!(
        "\n{} calls do nothing, for nobody gets what they tell (--drop-events):\n\n{}",
        calls.len(),
        lines.concat()
    )
}

/// The files written, with their folder.
pub fn write(
    loaded: &Loaded,
    compiled: &Compiled,
    hdl: HdlName,
    folder: &Path,
) -> Result<Vec<String>, Diagnostic> {
    let source = Path::new(&loaded.object.file);
    let source = source.file_name().unwrap_or(source.as_os_str());
    let mut origin = format!(
        "{}, program {}",
        source.to_string_lossy(),
        loaded.image.name
    );
    let dropped = loaded.dropped_calls();
    let dropped: BTreeSet<&str> = dropped.iter().map(|call| call.helper.as_str()).collect();
    if !dropped.is_empty() {
        let names: Vec<&str> = dropped.into_iter().collect();
        origin.push_str(&format!("; its calls of {} do nothing", names.join(", ")));
    }
    if !loaded.set.is_empty() {
        origin.push_str(&format!("; with {}", loaded.set.join(", ")));
    }
    let sources = Sources::of(compiled, hdl)?;
    let marker = file_list_name(&sources.top);
    let files = design::files(compiled, sources, &origin, &loaded.program)?;
    write_folder(folder, &files, &marker)?;
    Ok(files
        .iter()
        .map(|(name, _)| folder.join(name).display().to_string())
        .collect())
}

fn summary(loaded: &Loaded, report: &Report) -> String {
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
    let mut text = format!(
        "{} (section {}, {}) as hardware:\n\n",
        loaded.image.name,
        loaded.image.section,
        counted(loaded.image.insns.len(), "instruction")
    );
    text.push_str(&facts(&[
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
    ]));
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
