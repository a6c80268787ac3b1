//! How deep a design is, for people: LUT6 levels, the paths that have the most, and the nets that drive the most.

use crate::table::rows;
use hardpath_ir::count::{counted, grouped};
use hardpath_synth::fanout::{Fanout, MANY};
use hardpath_synth::levels::{Levels, PathStep, WorstPath};
use hardpath_synth::SynthReport;

/// The lines among the figures of the design.
pub fn lines(report: &SynthReport) -> Vec<(&'static str, String)> {
    let depth = &report.depth;
    let within = match depth.ends_within_one_level {
        0 => String::new(),
        ends => format!(
            "; {} of a path within one level of it",
            counted(ends as u64, "end")
        ),
    };
    let mut lines = vec![
        (
            "LUT6 levels",
            format!("{} from register to register{within}", depth.levels),
        ),
        (
            "",
            format!(
                "{} at the ports: {} behind inputs, {} in front of outputs",
                depth.ports_levels, depth.inputs_levels, depth.outputs_levels
            ),
        ),
    ];
    if let Some(widest) = &report.max_fanout {
        lines.push(("max fan-out", fanout(widest)));
    }
    lines
}

/// The net, its driver, and what it drives.
fn fanout(net: &Fanout) -> String {
    format!(
        "{} loads ({}): {}, from {}",
        grouped(net.loads as u64),
        kinds(net),
        signal(&net.net),
        net.driver
    )
}

/// The `worst` longest paths, cell by cell, and a line for each of those that are known.
pub fn paths(report: &SynthReport, worst: usize) -> String {
    let paths = &report.depth.worst_paths;
    let mut text = String::from("\nThe longest path from register to register:\n\n");
    if let Some(longest) = paths.first() {
        text.push_str(&cells(&longest.cells));
    }
    if worst <= 1 {
        return text;
    }
    let told = &paths[..paths.len().min(worst)];
    text.push_str(
        "\nThe worst paths, one for each word at which they end (bits: those within one level):\n\n",
    );
    let lines: Vec<Vec<String>> = told.iter().enumerate().map(line).collect();
    let heads = ["", "levels", "bits", "from", "to"];
    text.push_str(&rows(&heads, &lines));
    for (index, path) in told.iter().enumerate().skip(1) {
        text.push_str(&titled(&format!("{}.", index + 1), path));
    }
    if let Some(path) = &report.depth.ports_path {
        text.push_str(&titled("At the ports:", path));
    }
    if !report.wide_nets.is_empty() {
        let nets: Vec<Vec<String>> = report.wide_nets.iter().map(wide).collect();
        text.push_str(&format!(
            "\nNets with more than {MANY} loads, clock and reset aside:\n\n"
        ));
        text.push_str(&rows(&["loads", "driver", "net", "pins of"], &nets));
    }
    text
}

fn line((index, path): (usize, &WorstPath)) -> Vec<String> {
    vec![
        (index + 1).to_string(),
        path.levels.to_string(),
        path.ends.to_string(),
        signal(&path.begin).to_owned(),
        signal(&path.end).to_owned(),
    ]
}

fn titled(title: &str, path: &WorstPath) -> String {
    format!(
        "\n{title} {} levels, {} to {}\n\n{}",
        path.levels,
        signal(&path.begin),
        signal(&path.end),
        cells(&path.cells)
    )
}

/// A line for each cell, and one for a whole carry chain.
fn cells(cells: &[PathStep]) -> String {
    let mut before = Levels::ZERO;
    let chains = cells.chunk_by(|a, b| a.cell == b.cell && matches!(&*b.pin, "CI" | "CIN"));
    let steps: Vec<Vec<String>> = chains
        .filter_map(|chain| Some((chain.first()?, chain.last()?, chain.len())))
        .map(|(first, last, length)| {
            let adds = last.level.less(before);
            before = last.level;
            let cell = match length {
                1 => first.cell.clone(),
                _ => format!("{} x {length}", first.cell),
            };
            vec![
                last.level.to_string(),
                format!("+{adds}"),
                cell,
                first.pin.clone(),
                last.loads.map_or_else(String::new, |n| grouped(n as u64)),
                meaning(first),
            ]
        })
        .collect();
    rows(&["level", "", "cell", "pin", "loads", "signal"], &steps)
}

/// The signal; for logic without a name the signals that come together in it.
fn meaning(step: &PathStep) -> String {
    match step.with.is_empty() {
        true => signal(&step.name).to_owned(),
        false => format!("{} with {}", signal(&step.name), step.with.join(", ")),
    }
}

fn wide(net: &Fanout) -> Vec<String> {
    vec![
        grouped(net.loads as u64),
        net.driver.clone(),
        signal(&net.net).to_owned(),
        kinds(net),
    ]
}

fn kinds(net: &Fanout) -> String {
    let kinds = net.pins.numbers();
    let kinds = kinds.iter().filter(|(_, pins)| *pins > 0);
    let kinds: Vec<String> = kinds
        .map(|(kind, pins)| format!("{kind} {}", grouped(*pins as u64)))
        .collect();
    kinds.join(", ")
}

/// Logic that the tool made for itself has a name that says nothing.
fn signal(name: &str) -> &str {
    if name.starts_with('$') {
        "-"
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_chain_is_a_line() {
        let step = |cell: &str, pin: &str, tenths| PathStep {
            name: format!("of_{cell}"),
            cell: cell.into(),
            pin: pin.into(),
            level: Levels::tenths(tenths),
            ..PathStep::default()
        };
        let path = [
            step("FDRE", "Q", 0),
            step("CARRY8", "S", 10),
            step("CARRY8", "CI", 11),
            step("CARRY8", "CI", 12),
            step("LUT2", "I0", 22),
            step("FDRE", "D", 22),
        ];
        let text = cells(&path);
        let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "0.0  +0.0  FDRE        Q           of_FDRE",
                "1.2  +1.2  CARRY8 x 3  S           of_CARRY8",
                "2.2  +1.0  LUT2        I0          of_LUT2",
                "2.2  +0.0  FDRE        D           of_FDRE",
            ]
        );
    }
}
