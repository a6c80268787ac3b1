//! Lines of text: filled to a width, and safe as comments.

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
