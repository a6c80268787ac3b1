//! `hardpath compile --target core`: a program to rows of operations.

use super::{dropped_calls, dropped_calls_json};
use crate::answer::Answer;
use crate::arguments::CompileArguments;
use crate::design::layouts;
use crate::files::write_folder;
use crate::source::Loaded;
use crate::table::{facts, rows};
use crate::target::core::{self, Processor};
use crate::target::Asked;
use hardpath_core::compile::Compiled;
use hardpath_core::hardware::processor::fit;
use hardpath_core::text;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use serde_json::{json, Value};
use std::path::Path;

/// How the files are called behind the program's name: what a loader takes, and the same as a text.
const IMAGE: &str = "hpi";
const LISTING: &str = "hps";

pub fn run(
    arguments: &CompileArguments,
    loaded: &Loaded,
    (asked, processor): (&Asked, &Processor),
) -> Result<Answer, Vec<Diagnostic>> {
    let compiled = core::rows(loaded, asked)?;
    let words = compiled.image.words().map_err(one)?.len();
    let slots = match &processor.built {
        Some(core) => Some(fit::fit(core, &compiled.image, &[])?),
        None => None,
    };
    let slots = slots.as_deref();
    let files = match &arguments.output {
        Some(folder) => write(&compiled, folder).map_err(one)?,
        None => Vec::new(),
    };
    let object = json(loaded, processor, &compiled, slots, (words, &files));
    let mut text = format!(
        "{} ({}) as rows of a core:\n\n{}",
        loaded.program.name,
        loaded.described,
        report(processor, &compiled, slots, words)
    );
    text.push_str(&dropped_calls(&loaded.dropped_calls));
    if let [image, listing] = files.as_slice() {
        text.push_str(&format!(
            "\nthe program in {image}, its rows with the lines of the source in {listing}\n"
        ));
    }
    Ok(Answer::good(object, text).with_warnings(loaded.warnings.clone()))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

/// Writes image and listing; gives the files, with their folder.
fn write(compiled: &Compiled, folder: &Path) -> Result<Vec<String>, Diagnostic> {
    let image = &compiled.image;
    let name = file_name(&image.name);
    let listing = text::print(image, Some(&compiled.origins));
    let files = [
        (format!("{name}.{IMAGE}"), image.to_bytes()?),
        (format!("{name}.{LISTING}"), listing.into_bytes()),
    ];
    write_folder(folder, &files, &files[0].0)?;
    let names = files.iter();
    Ok(names
        .map(|(name, _)| folder.join(name).display().to_string())
        .collect())
}

/// A program in text form may have any name.
fn file_name(program: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = program
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    match name.is_empty() {
        true => String::from("program"),
        false => name,
    }
}

fn json(
    loaded: &Loaded,
    processor: &Processor,
    compiled: &Compiled,
    slots: Option<&[u8]>,
    (words, files): (usize, &[String]),
) -> Value {
    let image = &compiled.image;
    let maps = image.maps.values().enumerate().map(|(number, map)| {
        let mut object = json!({
            "slot": slots.map(|slots| slots[number]),
            "name": map.name,
            "kind": map.outside,
            "key_bytes": map.key_bytes,
            "value_bytes": map.value_bytes,
            "entries": map.max_entries,
        });
        layouts::tell(&mut object, &loaded.layouts, &map.name);
        object
    });
    json!({
        "target": "core",
        "program": loaded.program.name,
        "section": loaded.section,
        "instructions": loaded.instructions,
        "rows": image.rows.len(),
        "operations": image.operations(),
        "operations_per_row": per_row(compiled),
        "lanes": image.lanes,
        "threads": processor.threads,
        "registers": image.registers,
        "stack_bytes": image.stack,
        "program_words": words,
        "fits": slots.map(|_| true),
        "maps": maps.collect::<Vec<Value>>(),
        "files": files,
        "dropped_calls": dropped_calls_json(&loaded.dropped_calls),
    })
}

/// To two places.
fn per_row(compiled: &Compiled) -> f64 {
    (compiled.image.operations_per_row() * 100.0).round() / 100.0
}

fn report(
    processor: &Processor,
    compiled: &Compiled,
    slots: Option<&[u8]>,
    words: usize,
) -> String {
    let image = &compiled.image;
    let mut text = facts(&[
        (
            "core",
            format!(
                "{}, {}",
                counted(image.lanes, "lane"),
                counted(processor.threads, "thread")
            ),
        ),
        (
            "rows",
            format!(
                "{} of {}",
                grouped(image.rows.len() as u64),
                grouped(processor.machine.rows.into())
            ),
        ),
        (
            "operations",
            format!(
                "{}, {:.2} a row",
                grouped(image.operations() as u64),
                per_row(compiled)
            ),
        ),
        ("program memory", counted(words, "word")),
        ("registers", format!("{} a lane", image.registers)),
        (
            "stack",
            format!("{} of {} bytes", image.stack, processor.machine.stack),
        ),
    ]);
    if let (Some(core), Some(_)) = (&processor.built, slots) {
        text.push_str(&format!("\n  it fits core {}\n", core.name));
    }
    if image.maps.is_empty() {
        return text;
    }
    let maps = image.maps.values().enumerate().map(|(number, map)| {
        let slot = slots.map(|slots| slots[number].to_string());
        let columns = vec![
            map.name.clone(),
            map.outside.clone(),
            map.key_bytes.to_string(),
            map.value_bytes.to_string(),
            grouped(map.max_entries.into()),
        ];
        columns.into_iter().chain(slot).collect()
    });
    let maps: Vec<Vec<String>> = maps.collect();
    text.push('\n');
    let heads = ["map", "type", "key B", "value B", "entries", "slot"];
    let heads = match slots {
        Some(_) => &heads[..],
        None => &heads[..heads.len() - 1],
    };
    text + &rows(heads, &maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("nat_egress"), "nat_egress");
        assert_eq!(file_name("../a b"), "___a_b");
        assert_eq!(file_name(""), "program");
    }
}
