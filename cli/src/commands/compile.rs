//! `hardpath compile`: a program to SystemVerilog or VHDL, or to rows of a core.

mod rows;

use crate::answer::Answer;
use crate::arguments::{CompileArguments, HdlName};
use crate::design::{self, file_list_name, Language, Origin, Sources};
use crate::files::write_folder;
use crate::promise;
use crate::size::Size;
use crate::source::{self, Loaded};
use crate::target::{self, Hardware};
use crate::ways;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::EventCall;
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

pub fn run(arguments: &CompileArguments) -> Result<Answer, Vec<Diagnostic>> {
    let mut asked = target::asked(&arguments.program.hardware).map_err(one)?;
    if let Some(file) = &arguments.fit {
        asked.fit(file).map_err(one)?;
    }
    let loaded = source::load(&arguments.program, &asked)?.for_target(asked.kind.target)?;
    if let Some(processor) = &asked.kind.processor {
        return rows::run(arguments, &loaded, (&asked, processor));
    }
    let hardware = target::compile(&loaded, &asked)?;
    let files = match &arguments.output {
        Some(folder) => {
            let name = source_name(&arguments.program.file);
            write(&loaded, &hardware, arguments.hdl, (&name, folder)).map_err(one)?
        }
        None => Vec::new(),
    };
    let size = Size::of(&hardware.design, hardware.family);
    let (tables, ways_text) = ways::told(&loaded.ways);
    let mut object = json(arguments, &loaded, &hardware, &size, &files);
    object["tables"] = tables;
    let (shared, shared_text) = ways::told_of_shared(&loaded.shared, &hardware.form);
    object["shared_memories"] = shared;
    let mut text = format!(
        "{} ({}) as hardware:\n\n{}",
        loaded.program.name, loaded.described, hardware.told.text
    );
    let _ = writeln!(text, "\n{}", promise::sentence(&hardware.promise));
    if let Some(sentence) = size.sentence() {
        let _ = writeln!(text, "{sentence}");
    }
    text.push_str(&ways_text);
    text.push_str(&shared_text);
    text.push_str(&dropped_calls(&loaded.dropped_calls));
    if let Some(folder) = &arguments.output {
        text.push_str(&format!(
            "\n{} files in {}; top module {}, start with README.md\n",
            files.len(),
            folder.display(),
            design::top_name(&hardware, arguments.hdl)
        ));
    }
    Ok(Answer::good(object, text).with_warnings(loaded.warnings_with(&hardware.warnings)))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

/// What the target tells, and what is the same for all of them.
fn json(
    arguments: &CompileArguments,
    loaded: &Loaded,
    hardware: &Hardware,
    size: &Size,
    files: &[String],
) -> Value {
    let mut object = hardware.told.json.clone();
    object["estimate"] = size.json();
    object["program"] = json!(loaded.program.name);
    object["section"] = json!(loaded.section);
    object["instructions"] = json!(loaded.instructions);
    object["files"] = json!(files);
    object["dropped_calls"] = dropped_calls_json(&loaded.dropped_calls);
    object["hdl"] = json!(arguments.hdl.name());
    object
}

fn dropped_calls_json(calls: &[EventCall]) -> Value {
    let calls = calls.iter();
    calls
        .map(|call| json!({"helper": call.helper, "place": call.place.to_string()}))
        .collect()
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

/// The name of a program's file, without the folders that it lies in.
pub fn source_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Writes the folder of a design, made from the file of that name; gives the files written, with their folder.
pub fn write(
    loaded: &Loaded,
    hardware: &Hardware,
    hdl: HdlName,
    (file, folder): (&str, &Path),
) -> Result<Vec<String>, Diagnostic> {
    let mut text = format!("{file}, program {}", loaded.program.name);
    let dropped = loaded.dropped_calls.iter();
    let dropped: BTreeSet<&str> = dropped.map(|call| call.helper.as_str()).collect();
    if !dropped.is_empty() {
        let names: Vec<&str> = dropped.into_iter().collect();
        text.push_str(&format!("; its calls of {} do nothing", names.join(", ")));
    }
    if !loaded.set.is_empty() {
        text.push_str(&format!("; with {}", loaded.set.join(", ")));
    }
    let sources = Sources::of(hardware, hdl)?;
    let marker = file_list_name(&sources.top);
    let top = sources.top.clone();
    let language = match loaded.meaning {
        Some(_) => Language::P4,
        None => Language::Xdp,
    };
    let origin = Origin {
        text,
        language,
        layouts: &loaded.layouts,
        first: &loaded.first,
    };
    let mut files = design::files(hardware, sources, &origin, &loaded.program)?;
    let beside = loaded.beside.iter();
    files.extend(beside.map(|(ending, bytes)| (format!("{top}.{ending}"), bytes.clone())));
    write_folder(folder, &files, &marker)?;
    Ok(files
        .iter()
        .map(|(name, _)| folder.join(name).display().to_string())
        .collect())
}
