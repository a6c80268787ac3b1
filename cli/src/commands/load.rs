//! `hardpath load`: the writes to a core's host port that load a program.

use crate::answer::Answer;
use crate::arguments::LoadArguments;
use crate::core_file;
use crate::files;
use crate::table::{facts, rows};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::image::Image;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::count::{counted, grouped};
use hardpath_registers::load::writes;
use serde_json::{json, Value};
use std::fmt::Write;
use std::path::Path;

pub fn run(arguments: &LoadArguments) -> Result<Answer, Vec<Diagnostic>> {
    if let Some(device) = &arguments.device {
        return Err(one(no_device(device)));
    }
    let core = core_file::read(&arguments.core).map_err(one)?;
    let core = core.built.expect("it is read from a file");
    let image = read(&arguments.image).map_err(one)?;
    let new = |image: &Image, path: &Path, before, hold| {
        let load = Load::new(&core, image, before, hold);
        load.map_err(|errors| {
            let errors = errors.into_iter();
            let errors = errors.map(|error| error.at(Place::of_file(path.display())));
            errors.collect::<Vec<Diagnostic>>()
        })
    };
    let running = match &arguments.keep {
        Some(path) => {
            let running = read(path).map_err(one)?;
            Some(new(&running, path, Before::Unknown, false)?)
        }
        None => None,
    };
    let before = running.as_ref().map_or(Before::Unknown, Before::Keeps);
    let load = new(&image, &arguments.image, before, arguments.hold)?;
    let writes = writes(&load.words);
    if let Some(path) = &arguments.words {
        files::write_text(path, &text_of(&writes)).map_err(one)?;
    }
    let maps = image.maps.values().zip(load.slots.iter().zip(&load.kept));
    let maps: Vec<(&str, u8, bool)> = maps
        .map(|(map, (slot, kept))| (map.name.as_str(), *slot, *kept))
        .collect();
    let file = arguments.words.as_ref();
    let file = file.map(|path| path.display().to_string());
    let object = json!({
        "program": image.name,
        "rows": image.rows.len(),
        "words": load.words.len(),
        "writes": writes.len(),
        "identity": core.identity(),
        "maps": maps.iter().map(|(name, slot, kept)| json!({
            "name": name,
            "slot": slot,
            "kept": kept,
        })).collect::<Vec<Value>>(),
        "file": file,
    });
    let mut text = facts(&[
        ("program", image.name.clone()),
        ("rows", grouped(image.rows.len() as u64)),
        (
            "load",
            format!(
                "{}, as many clocks at the least: {:.1} us at 250 MHz",
                counted(writes.len(), "write"),
                writes.len() as f64 / 250.0
            ),
        ),
    ]);
    if !maps.is_empty() {
        let shown = maps.iter().map(|(name, slot, kept)| {
            let holds = if *kept { "stays" } else { "becomes empty" };
            vec![(*name).to_owned(), slot.to_string(), holds.into()]
        });
        text.push('\n');
        text.push_str(&rows(
            &["map", "slot", "what it holds"],
            &shown.collect::<Vec<Vec<String>>>(),
        ));
    }
    if let Some(file) = file {
        let _ = writeln!(text, "\nthe writes are in {file}");
    }
    Ok(Answer::good(object, text))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

fn read(path: &Path) -> Result<Image, Diagnostic> {
    let bytes = files::read(path)?;
    Image::from_bytes(&bytes).map_err(|error| error.in_file(path.display()))
}

fn no_device(device: &str) -> Diagnostic {
    let message =
        format!("there is no device called {device}: programs are not loaded into devices yet");
    Diagnostic::refused("device-to-come", message)
        .help("write the writes to a file with --words FILE, and carry them out with the driver of your card")
}

/// A write in a line.
fn text_of(writes: &[(u32, u32)]) -> String {
    let lines = writes.iter();
    let lines = lines.map(|(address, data)| format!("{address:04x} {data:08x}\n"));
    lines.collect()
}
