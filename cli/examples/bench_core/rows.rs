//! Rows of a program, by lanes, and without what makes them few.

use super::figures::{one_place, title, two_places};
use super::paper;
use super::programs::{Subject, OURS};
use super::setting::Setting;
use hardpath_core::compile::savings::{Saving, Without};
use hardpath_core::image::LANES;
use hardpath_diagnostic::Diagnostic;
use std::fmt::Write;

const ROWS: &str = "
## Rows

Rows of each program at 1, 2, 4 and 8 lanes, and operations in a row at 4. *hXDP, best* is with its code motion, at 4 lanes; *of hXDP's* our
rows at 4 lanes divided by that, for which the limit is 0.75; *a slot* the same of rows a slot, which counts where a program is not the paper's any
more: xdp1 and xdp2 read packets with a helper since, and the firewall is another one. Not all of hXDP's rows are right: its compiler's output
gave wrong packets for each of 11 programs when it was run. Ours are compared with the kernel, packet for packet ([realworld.md](realworld.md)).

| program | slots | 1 lane | 2 lanes | 4 lanes | 8 lanes | operations a row | rows a slot | hXDP: slots | 1 lane | 2 lanes | 4 lanes | 8 lanes | best | rows a slot | of hXDP's | a slot |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

/// # Errors
/// What keeps a program from becoming rows.
pub fn table(setting: &mut Setting) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(ROWS);
    for ready in &setting.paper {
        text.push_str(&row(&ready.subject)?);
    }
    for known in OURS {
        text.push_str(&row(&known.load(&setting.folders)?)?);
    }
    let katran = paper::rows_of("katran").expect("it is in the paper");
    let [one, two, four, eight] = katran.rows;
    let _ = writeln!(
        text,
        "| katran (2020) | - | - | - | - | - | - | - | {} | {one} | {two} | {four} | {eight} | {} | {} | - | - |",
        katran.slots,
        katran.best,
        two_places(f64::from(katran.best) / f64::from(katran.slots))
    );
    Ok(text)
}

fn row(subject: &Subject) -> Result<String, Vec<Diagnostic>> {
    let mut counts = [0; LANES.len()];
    let mut per_row = 0.0;
    for (count, lanes) in counts.iter_mut().zip(LANES) {
        let image = subject.rows(lanes, Without::NOTHING)?.image;
        *count = image.rows.len();
        if lanes == 4 {
            per_row = image.operations_per_row();
        }
    }
    let [one, two, four, eight] = counts;
    let theirs = match paper::rows_of(&subject.name) {
        None => "- | - | - | - | - | - | - | - | -".to_owned(),
        Some(theirs) => {
            let rows = theirs.rows.map(|rows| rows.to_string()).join(" | ");
            let best = f64::from(theirs.best);
            let a_slot = best / f64::from(theirs.slots);
            format!(
                "{} | {rows} | {} | {} | {} | {}",
                theirs.slots,
                theirs.best,
                two_places(a_slot),
                two_places(four as f64 / best),
                two_places(four as f64 / subject.slots as f64 / a_slot)
            )
        }
    };
    Ok(format!(
        "| {} | {} | {one} | {two} | {four} | {eight} | {} | {} | {theirs} |\n",
        title(subject),
        subject.slots,
        two_places(per_row),
        two_places(four as f64 / subject.slots as f64)
    ))
}

const SAVINGS: &str = "
## What each optimization saves

Rows at 4 lanes with one of them left out (`hardpath compile --target core --without NAME`), and in brackets by how many percent
operations become more.
";

const THEIRS: &str = "
The paper counts by how many percent of its instructions each of its optimizations makes a program shorter. Beside that the operations
that ours are fewer, in percent of those without it: *bounds* for its bounds checks, *operands* for its three operands, *exits* for its exits
with a verdict, *widths* for its loads and stores of 6 bytes. Its first one, zeroing, has no counterpart that could be left out: registers,
stack and headroom are zeros when a packet begins, and no front end says so again. hXDP first, ours behind it.

| program | zeroing | bounds | operands | exits | widths |
|---|--:|--:|--:|--:|--:|
";

/// Ours, in the paper's order behind zeroing.
const COUNTERPARTS: [Saving; 4] = [
    Saving::Bounds,
    Saving::Operands,
    Saving::Exits,
    Saving::Widths,
];

/// # Errors
/// What keeps a program from becoming rows.
pub fn savings(setting: &mut Setting) -> Result<String, Vec<Diagnostic>> {
    let subjects = setting.paper.iter().map(|ready| &ready.subject);
    let subjects: Vec<&Subject> = subjects.collect();
    let mut text = String::from(SAVINGS);
    let names: Vec<&str> = subjects.iter().map(|one| one.name.as_str()).collect();
    let _ = writeln!(text, "\n| left out | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|{}", "--:|".repeat(names.len()));
    // Of each program: rows and operations.
    let counts = |without: Without| -> Result<Vec<(usize, usize)>, Vec<Diagnostic>> {
        let rows = subjects.iter().map(|subject| {
            let image = subject.rows(4, without)?.image;
            Ok((image.rows.len(), image.operations()))
        });
        rows.collect()
    };
    let all = counts(Without::NOTHING)?;
    let mut line = |title: &str, counts: &[(usize, usize)]| {
        let cells = counts.iter().zip(&all).map(|(now, usual)| {
            let more = (now.1 as f64 / usual.1 as f64 - 1.0) * 100.0;
            match more.abs() < 0.05 {
                true => now.0.to_string(),
                false => format!("{} ({more:+.1})", now.0),
            }
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
    };
    line("nothing", &all);
    let mut alone = Vec::new();
    for saving in Saving::ALL {
        let counts = counts(saving.into())?;
        line(saving.name(), &counts);
        alone.push((saving, counts));
    }
    line("all of them", &counts(Without::from_iter(Saving::ALL))?);
    text.push_str(THEIRS);
    for (program, theirs) in paper::SAVINGS {
        let [zeroing, others @ ..] = theirs;
        let at = subjects.iter().position(|subject| subject.name == program);
        let cells = others.iter().zip(COUNTERPARTS).map(|(theirs, saving)| {
            let ours = at.and_then(|at| {
                let (_, counts) = alone.iter().find(|(other, _)| *other == saving)?;
                let (without, with) = (counts[at].1 as f64, all[at].1 as f64);
                Some(format!("{:.1}", (1.0 - with / without) * 100.0))
            });
            let ours = ours.unwrap_or_else(|| "-".into());
            format!("{} · {ours}", one_place(*theirs))
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(
            text,
            "| {program} | {} · - | {} |",
            one_place(zeroing),
            cells.join(" | ")
        );
    }
    Ok(text)
}
