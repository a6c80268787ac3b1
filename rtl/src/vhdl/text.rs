//! Lines of text: the entity, declarations in columns, assignments that are broken where they are long.

use super::expression::{Arms, Expression};
use crate::print::lines::{self, COLUMNS};
use crate::{Direction, Module};

/// Comment, context clause and entity of a module.
pub fn header<'a>(
    module: &Module,
    name: &str,
    (clocks, ports): (impl Iterator<Item = &'a (String, String)>, &[String]),
    package: &str,
) -> Vec<String> {
    let doc = module.doc.lines();
    let mut lines: Vec<String> = doc
        .map(|line| format!("-- {}", comment(line)).trim_end().to_string())
        .collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    for line in [
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "use ieee.numeric_std.all;",
    ] {
        lines.push(line.to_string());
    }
    lines.push(format!("use work.{package}.all;"));
    lines.push(String::new());
    lines.push(format!("entity {name} is"));
    lines.push("  port (".to_string());
    let mut rows = Vec::new();
    for ((clk, rst), (.., doc)) in clocks.zip(lines::clocks(module)) {
        rows.push((clk.clone(), "in ", 1, String::new()));
        rows.push((rst.clone(), "in ", 1, comment(&doc)));
    }
    for (port, name) in module.ports.iter().zip(ports) {
        let direction = match port.direction {
            Direction::Input => "in ",
            Direction::Output(_) => "out",
        };
        rows.push((name.clone(), direction, port.width, comment(&port.doc)));
    }
    let names = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let types = rows.iter().map(|row| type_name(row.2).len());
    let types = types.max().unwrap_or(0) + 1;
    let count = rows.len();
    for (index, (name, direction, width, doc)) in rows.into_iter().enumerate() {
        let semicolon = if index + 1 < count { ";" } else { "" };
        let of_type = format!("{}{semicolon}", type_name(width));
        let doc = match doc.is_empty() {
            true => String::new(),
            false => format!("  -- {doc}"),
        };
        let line = format!("    {name:names$} : {direction} {of_type:types$}{doc}");
        lines.push(line.trim_end().to_string());
    }
    lines.push("  );".to_string());
    lines.push(format!("end entity {name};"));
    lines.push(String::new());
    lines
}

/// `std_logic`, or `std_logic_vector(7 downto 0)`.
pub fn type_name(width: u32) -> String {
    match width {
        1 => "std_logic".to_string(),
        _ => format!("std_logic_vector({} downto 0)", width - 1),
    }
}

/// A heading across the page.
pub fn heading(heading: &str) -> String {
    lines::heading("-- ", &comment(heading))
}

/// Signals in columns: name, type with first value and semicolon, comment.
pub fn declarations(rows: Vec<(String, String, String)>) -> Vec<String> {
    let names = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let commented = rows.iter().filter(|row| !row.2.is_empty());
    let types = commented.map(|row| row.1.len()).max().unwrap_or(0);
    let rows = rows.into_iter();
    rows.map(|(name, of_type, note)| match note.is_empty() {
        true => format!("  signal {name:names$} : {of_type}"),
        false => format!(
            "  signal {name:names$} : {of_type:types$}  -- {}",
            comment(&note)
        ),
    })
    .collect()
}

/// A concurrent assignment, broken when it is too long or chooses between more than two values.
pub fn concurrent(target: &str, arms: &Arms) -> Vec<String> {
    if let [(_, only)] = arms.as_slice() {
        return assignment(target, "<=", only);
    }
    let choices: Vec<String> = arms
        .iter()
        .map(|(condition, value)| match condition {
            Some(condition) => format!("{} when {} else", value.text, condition.text),
            None => format!("{};", value.text),
        })
        .collect();
    let single = format!("  {target} <= {}", choices.join(" "));
    if single.len() <= COLUMNS && choices.len() == 2 {
        return vec![single];
    }
    let mut lines = vec![format!("  {target} <=")];
    lines.extend(choices.iter().map(|line| format!("    {line}")));
    lines
}

/// An assignment within a process; choices are `if` statements. What would keep its value is not assigned.
pub fn sequential(target: &str, sign: &str, arms: &Arms) -> Vec<String> {
    let keeps = |value: &Expression| sign == "<=" && value.text == target;
    let mut lines = Vec::new();
    for (index, (condition, value)) in arms.iter().enumerate() {
        let is_last = index + 1 == arms.len();
        match condition {
            Some(condition) if index == 0 => lines.push(format!("  if {} then", condition.text)),
            Some(condition) => lines.push(format!("  elsif {} then", condition.text)),
            None if index == 0 => return assignment(target, sign, value),
            None if keeps(value) => break,
            None => lines.push("  else".to_string()),
        }
        if keeps(value) && !is_last {
            lines.push("    null;".to_string());
            continue;
        }
        let body = assignment(target, sign, value);
        lines.extend(body.into_iter().map(|line| format!("  {line}")));
    }
    lines.push("  end if;".to_string());
    lines
}

/// `target sign expression;` indented by two.
fn assignment(target: &str, sign: &str, expression: &Expression) -> Vec<String> {
    let single = format!("  {target} {sign} {};", expression.text);
    if single.len() <= COLUMNS || expression.lines.len() < 2 {
        return vec![single];
    }
    let mut lines = vec![format!("  {target} {sign}")];
    lines.extend(expression.lines.iter().map(|line| format!("    {line}")));
    if let Some(last) = lines.last_mut() {
        last.push(';');
    }
    lines
}

/// Statements under a condition; indented by two more than they come when there is one.
pub fn guarded(condition: Option<String>, lines: Vec<String>) -> Vec<String> {
    let Some(condition) = condition else {
        return lines;
    };
    let mut all = vec![format!("  if {condition} then")];
    all.extend(lines.iter().map(|line| format!("  {line}")));
    all.push("  end if;".to_string());
    all
}

/// A clocked process around statements that are indented by two; nothing when there are none.
pub fn clocked(clk: &str, declarations: &[String], body: &[String]) -> Vec<String> {
    if body.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("  process ({clk})")];
    lines.extend(declarations.iter().map(|line| format!("  {line}")));
    lines.push("  begin".to_string());
    lines.push(format!("    if rising_edge({clk}) then"));
    lines.extend(body.iter().map(|line| format!("    {line}")));
    lines.push("    end if;".to_string());
    lines.push("  end process;".to_string());
    lines
}

/// An instance with its generics and connections in columns.
pub fn instance(
    entity: &str,
    name: &str,
    generics: &[(String, String)],
    connections: &[(String, String)],
) -> Vec<String> {
    let mut lines = vec![format!("  {name} : entity work.{entity}")];
    if !generics.is_empty() {
        lines.push("    generic map (".to_string());
        lines.extend(named(generics));
        lines.push("    )".to_string());
    }
    lines.push("    port map (".to_string());
    lines.extend(named(connections));
    lines.push("    );".to_string());
    lines
}

/// What is connected by name, in columns.
fn named(connections: &[(String, String)]) -> Vec<String> {
    let width = connections.iter().map(|(port, _)| port.len());
    let width = width.max().unwrap_or(0);
    let mut lines = Vec::new();
    for (index, (port, text)) in connections.iter().enumerate() {
        let comma = if index + 1 < connections.len() {
            ","
        } else {
            ""
        };
        lines.push(format!("      {port:width$} => {text}{comma}"));
    }
    lines
}

/// Behind the line where there is room, else above.
pub fn with_comment(lines: Vec<String>, note: Option<&str>) -> Vec<String> {
    lines::with_comment(lines, "--", &note.map(comment).unwrap_or_default())
}

/// Text that is safe behind `--`. VHDL is written in Latin-1, not in UTF-8.
pub fn comment(text: &str) -> String {
    lines::comment(&plain(text))
}

/// A string literal.
pub fn string(text: &str) -> String {
    let text = plain(text).replace('"', "\"\"");
    let safe = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    format!("\"{}\"", safe.collect::<String>())
}

fn plain(text: &str) -> String {
    let ascii = |c: char| if c.is_ascii() { c } else { '?' };
    text.chars().map(ascii).collect()
}
