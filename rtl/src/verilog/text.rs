//! Lines of text: headings, declarations in columns, assignments that are broken where they are long.

use super::expression::{Expression, Level};
use crate::print::lines::{self, comment, COLUMNS};
use crate::{Direction, Module};

/// Comment, compiler directive and port list of a module.
pub fn header(module: &Module) -> Vec<String> {
    let mut lines: Vec<String> = module
        .doc
        .lines()
        .map(|line| format!("// {}", comment(line)).trim_end().to_string())
        .collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push("`default_nettype none".to_string());
    lines.push(String::new());
    lines.push(format!("module {} (", module.name));
    let mut rows = Vec::new();
    for (clk, rst, doc) in lines::clocks(module) {
        rows.push(("input  wire", String::new(), clk, String::new()));
        rows.push(("input  wire", String::new(), rst, doc));
    }
    for port in &module.ports {
        let direction = match port.direction {
            Direction::Input => "input  wire",
            Direction::Output(_) => "output wire",
        };
        rows.push((
            direction,
            range(port.width),
            port.name.clone(),
            comment(&port.doc),
        ));
    }
    let ranges = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let names = rows.iter().map(|row| row.2.len()).max().unwrap_or(0) + 1;
    let count = rows.len();
    for (index, (direction, range, name, doc)) in rows.into_iter().enumerate() {
        let comma = if index + 1 < count { "," } else { "" };
        let name = format!("{name}{comma}");
        let range = match ranges {
            0 => String::new(),
            _ => format!("{range:ranges$} "),
        };
        let doc = match doc.is_empty() {
            true => String::new(),
            false => format!("  // {doc}"),
        };
        let line = format!("    {direction} {range}{name:names$}{doc}");
        lines.push(line.trim_end().to_string());
    }
    lines.push(");".to_string());
    lines.push(String::new());
    lines
}

/// `[7:0]`, or nothing for one bit.
pub fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0]", width - 1),
    }
}

/// A heading across the page.
pub fn heading(heading: &str) -> String {
    lines::heading("// ---- ", &comment(heading))
}

/// Declarations in columns: kind, range, name with semicolon, comment.
pub fn declarations(rows: Vec<(String, String, String, String)>) -> Vec<String> {
    let ranges = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let is_commented = |row: &&(String, String, String, String)| !row.3.is_empty();
    let names = rows
        .iter()
        .filter(is_commented)
        .map(|row| row.2.len())
        .max()
        .unwrap_or(0);
    let mut lines = Vec::new();
    for (kind, range, name, note) in rows {
        let range = match ranges {
            0 => String::new(),
            _ => format!("{range:ranges$} "),
        };
        lines.push(match note.is_empty() {
            true => format!("  {kind} {range}{name}"),
            false => format!("  {kind} {range}{name:names$}  // {}", comment(&note)),
        });
    }
    lines
}

/// `head expression;`, broken when it is too long or chooses between more than three values. Indented by two.
pub fn assignment(head: &str, expression: &Expression) -> Vec<String> {
    let single = format!("  {head} {};", expression.text);
    let several = expression.level == Level::Conditional && expression.lines.len() > 3;
    if expression.lines.len() == 1 || (single.len() <= COLUMNS && !several) {
        return vec![single];
    }
    let mut lines = Vec::new();
    let (last, body) = match expression.lines.split_last() {
        Some(split) => split,
        None => return vec![single],
    };
    match body.first().map(String::as_str) {
        Some("{") => {
            lines.push(format!("  {head} {{"));
            lines.extend(body[1..].iter().map(|line| format!("  {line}")));
            lines.push(format!("  {last};"));
        }
        _ => {
            lines.push(format!("  {head}"));
            lines.extend(body.iter().map(|line| format!("    {line}")));
            lines.push(format!("    {last};"));
        }
    }
    lines
}

/// Statements under a condition; indented by two more than they come when there is one.
pub fn guarded(condition: Option<String>, lines: Vec<String>) -> Vec<String> {
    let Some(condition) = condition else {
        return lines;
    };
    let mut all = vec![format!("  if ({condition}) begin")];
    all.extend(lines.iter().map(|line| format!("  {line}")));
    all.push("  end".to_string());
    all
}

/// A clocked block around statements that are indented by two; nothing when there are none.
pub fn always(clk: &str, body: &[String]) -> Vec<String> {
    if body.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("  always @(posedge {clk}) begin")];
    lines.extend(body.iter().map(|line| format!("  {line}")));
    lines.push("  end".to_string());
    lines
}

/// An instance with its parameters and connections in columns.
pub fn instance(
    module: &str,
    name: &str,
    parameters: &[(String, String)],
    connections: &[(String, String)],
) -> Vec<String> {
    let mut lines = match parameters {
        [] => vec![format!("  {module} {name} (")],
        _ => {
            let mut lines = vec![format!("  {module} #(")];
            lines.extend(named(parameters));
            lines.push(format!("  ) {name} ("));
            lines
        }
    };
    lines.extend(named(connections));
    lines.push("  );".to_string());
    lines
}

/// What is connected by name, in columns.
fn named(connections: &[(String, String)]) -> Vec<String> {
    let width = connections.iter().map(|(port, _)| port.len()).max();
    let width = width.unwrap_or(0);
    let mut lines = Vec::new();
    for (index, (port, text)) in connections.iter().enumerate() {
        let comma = if index + 1 < connections.len() {
            ","
        } else {
            ""
        };
        lines.push(format!("      .{port:width$} ({text}){comma}"));
    }
    lines
}

/// Behind the line where there is room, else above.
pub fn with_comment(lines: Vec<String>, note: Option<&str>) -> Vec<String> {
    lines::with_comment(lines, "//", &note.map(comment).unwrap_or_default())
}

/// Text inside the format string of a system task.
pub fn string(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => safe.extend(['\\', c]),
            '%' => safe.push_str("%%"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
