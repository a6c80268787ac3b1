//! Tables for people.

use comfy_table::{presets, CellAlignment, Table};

/// Lines of a name and what it is, the names in one column.
pub fn facts(lines: &[(&str, String)]) -> String {
    let width = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    lines
        .iter()
        .map(|(name, fact)| format!("  {name:width$}  {fact}\n"))
        .collect()
}

/// Rows under headings; columns whose cells are all numbers stand to the right.
pub fn rows(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_header(headings.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((2, 0));
        let is_number = |cell: &String| cell.chars().next().is_some_and(|c| c.is_ascii_digit());
        if rows.iter().filter_map(|row| row.get(index)).all(is_number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let text = rows(&["map", "entries"], &[vec!["flows".into(), "5".into()]]);
        assert_eq!(text, "  map    entries\n  flows        5\n");
        assert_eq!(
            facts(&[("a", "1".into()), ("long", "2".into())]),
            "  a     1\n  long  2\n"
        );
    }
}
