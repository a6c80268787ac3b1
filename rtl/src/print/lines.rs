//! Lines of text: filled to a width, and safe as comments.

use crate::{Clock, Module, NodeData};
use std::collections::BTreeMap;

/// Characters in a line, as far as that can be kept.
pub const COLUMNS: usize = 100;

/// Items with commas between them, in lines of at most `columns` characters.
pub fn fill(items: &[String], columns: usize) -> Vec<String> {
    fill_separated(items, ",", columns)
}

/// Items with a sign behind each but the last, likewise.
pub fn fill_separated(items: &[String], sign: &str, columns: usize) -> Vec<String> {
    let mut signed: Vec<String> = items.iter().map(|item| format!("{item}{sign}")).collect();
    if let (Some(last), Some(item)) = (signed.last_mut(), items.last()) {
        last.clone_from(item);
    }
    fill_items(&signed, columns)
}

/// Items with spaces between them, likewise.
pub fn fill_items(items: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + item.len() <= columns => {
                line.push(' ');
                line.push_str(item);
            }
            _ => lines.push(item.clone()),
        }
    }
    lines
}

/// Items by clock, in the order of the clocks.
pub fn by_clock<T>(items: Vec<(Clock, T)>) -> BTreeMap<Clock, Vec<T>> {
    let mut all: BTreeMap<Clock, Vec<T>> = BTreeMap::new();
    for (clock, item) in items {
        all.entry(clock).or_default().push(item);
    }
    all
}

/// The inputs of a module's clocks: clock, reset, what stands beside it as a comment.
pub fn clocks(module: &Module) -> impl Iterator<Item = (String, String, String)> + '_ {
    let clocks = module.clocks.iter();
    clocks.map(|(id, clock)| {
        let doc = match id {
            Clock::FIRST => "Synchronous, active high.".to_string(),
            _ => format!("Synchronous to {}, active high.", clock.name),
        };
        (clock.name.clone(), clock.reset.clone(), doc)
    })
}

/// A heading across the page; `sign` begins it (`-- `). The text is safe in a comment.
pub fn heading(sign: &str, heading: &str) -> String {
    let start = format!("  {sign}{heading} ");
    let dashes = "-".repeat(80usize.saturating_sub(start.len()));
    format!("{start}{dashes}").trim_end().to_string()
}

/// A comment behind the line where there is room, else above; `sign` begins comments (`--`).
pub fn with_comment(mut lines: Vec<String>, sign: &str, note: &str) -> Vec<String> {
    match lines.as_mut_slice() {
        _ if note.is_empty() => {}
        [line] if line.len() + note.len() + 5 <= COLUMNS + 10 => {
            line.push_str(&format!("  {sign} {note}"));
        }
        _ => lines.insert(0, format!("  {sign} {note}")),
    }
    lines
}

/// Lines of statements, and the condition under which they are executed.
pub type Guarded = (Option<String>, Vec<String>);

/// Statements with their conditions, in order; neighbours with the same condition share it, as `guarded` writes it.
pub fn grouped(
    statements: Vec<Guarded>,
    guarded: impl Fn(Option<String>, Vec<String>) -> Vec<String>,
) -> Vec<String> {
    let mut groups: Vec<Guarded> = Vec::new();
    for (condition, lines) in statements {
        match groups.last_mut() {
            Some((last, group)) if *last == condition => group.extend(lines),
            _ => groups.push((condition, lines)),
        }
    }
    let groups = groups.into_iter();
    groups
        .flat_map(|(condition, lines)| guarded(condition, lines))
        .collect()
}

/// The groups of a section that have lines, each with an empty line behind it, under the section's heading.
pub fn section(out: &mut Vec<String>, heading: Option<String>, mut groups: Vec<Vec<String>>) {
    groups.retain(|group| !group.is_empty());
    if groups.is_empty() {
        return;
    }
    for mut group in heading.map(|line| vec![line]).into_iter().chain(groups) {
        out.append(&mut group);
        out.push(String::new());
    }
}

/// A constant, with what it is called behind it where its comment is one word: `3'd2 /* FULL */`.
pub fn called(data: &NodeData, constant: String) -> String {
    let is_word = |text: &&String| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match data.comment.as_ref().filter(is_word) {
        Some(name) => format!("{constant} /* {name} */"),
        None => constant,
    }
}

/// Text that is safe behind `//`: one line, and no word in front that a tool takes for an instruction.
pub fn comment(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = line.trim_end();
    let first = line
        .split_whitespace()
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    let tools = [
        "verilator",
        "synopsys",
        "synthesis",
        "pragma",
        "xilinx",
        "cadence",
        "ambit",
        "vcs",
    ];
    match tools.iter().any(|tool| first.starts_with(tool)) {
        true => format!("- {line}"),
        false => line.trim_end_matches('\\').to_string(),
    }
}
