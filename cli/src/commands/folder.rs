//! The folder of a design, as `hardpath compile -o DIR` writes it, read again.

use crate::files::read_text;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_synth::wrapper::WrappedPort;
use std::path::Path;

/// What the folder's one file list is called after.
pub fn top(folder: &Path) -> Result<String, Diagnostic> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut lists = paths.filter(|path| path.extension().is_some_and(|end| end == "f"));
    let list = match (lists.next(), lists.next()) {
        (Some(list), None) => list,
        _ => {
            return Err(no_design(
                folder,
                "it has not exactly one file list (TOP.f)",
            ))
        }
    };
    let top = list.file_stem().and_then(|stem| stem.to_str());
    top.map(String::from)
        .ok_or_else(|| no_design(folder, "the name of its file list is no text"))
}

fn no_design(folder: &Path, why: &str) -> Diagnostic {
    Diagnostic::input("no-design", format!("this is no folder of a design: {why}"))
        .at(Place::of_file(folder.display()))
        .help("give a folder that `hardpath compile -o DIR` wrote, or an object and -o DIR")
}

/// The clock in the folder's constraints.
pub fn clock_mhz(folder: &Path, top: &str) -> Result<f64, Diagnostic> {
    let text = read_text(&folder.join(format!("{top}.xdc")))?;
    let mut words = text
        .split_whitespace()
        .skip_while(|word| *word != "-period");
    let period: Option<f64> = words.nth(1).and_then(|word| word.parse().ok());
    match period {
        Some(period) if period > 0.0 => Ok(1000.0 / period),
        _ => Err(no_design(folder, "its constraints name no period")),
    }
}

/// The sources in the order of the file list: names and texts.
pub fn sources(folder: &Path, top: &str) -> Result<Vec<(String, String)>, Diagnostic> {
    let list = read_text(&folder.join(format!("{top}.f")))?;
    let names = list.lines().map(str::trim).filter(|name| !name.is_empty());
    let read = |name: &str| {
        if !name.ends_with(".sv") {
            return Err(no_design(
                folder,
                &format!("its file list names {name}, and this flow reads SystemVerilog only"),
            ));
        }
        Ok((name.to_string(), read_text(&folder.join(name))?))
    };
    names.map(read).collect()
}

/// The ports of the top module but clock and reset, from the lines that the printer gives them.
pub fn ports(
    folder: &Path,
    sources: &[(String, String)],
    top: &str,
) -> Result<Vec<WrappedPort>, Diagnostic> {
    let file = format!("{top}.sv");
    let text = sources.iter().find(|(name, _)| *name == file);
    let lines = text.map_or("", |(_, text)| text).lines();
    let heads = lines
        .skip_while(|line| !line.starts_with(&format!("module {top} ")))
        .take_while(|line| !line.starts_with(");"));
    let ports: Vec<WrappedPort> = heads
        .filter_map(port)
        .filter(|port| port.name != "clk" && port.name != "rst")
        .collect();
    match ports.is_empty() {
        true => Err(no_design(
            folder,
            &format!("{file} has no ports as hardpath writes them"),
        )),
        false => Ok(ports),
    }
}

/// `input  wire [63:0] name,  // comment`
fn port(line: &str) -> Option<WrappedPort> {
    let code = line.split("//").next().unwrap_or_default();
    let mut words = code.split_whitespace();
    let is_input = match (words.next()?, words.next()?) {
        ("input", "wire") => true,
        ("output", "wire") => false,
        _ => return None,
    };
    let mut name = words.next()?;
    let mut bits = 1;
    if let Some(range) = name.strip_prefix('[') {
        bits = range.strip_suffix(":0]")?.parse::<u32>().ok()? + 1;
        name = words.next()?;
    }
    Some(WrappedPort {
        name: name.trim_end_matches(',').to_string(),
        bits,
        is_input,
    })
}
