//! What is known of the programs: for scripts, for people, and for the docs.

use super::builds::Compiler;
use super::targets::{Excluded, Origin, Target};
use crate::table;
use crate::target::core::Processor;
use hardpath_ir::count::{counted, grouped};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One program as one compiler makes it.
#[derive(Clone, Debug)]
pub struct Row {
    pub origin: Origin,
    /// The source's name, and the function's where there are several.
    pub program: String,
    pub compiler: String,
    pub status: RowStatus,
    /// `kernel` or `interpreter`; `None`: nothing was compared.
    pub judge: Option<&'static str>,
    /// Instruction slots.
    pub slots: Option<usize>,
    pub stages: Option<u64>,
    /// LUT6 levels from register to register; `None`: not synthesized.
    pub lut_levels: Option<f64>,
    /// Of each map that has one.
    pub hazards: Vec<Hazard>,
    /// Packets a clock, 64 bytes each, back to back.
    pub ppc_one_flow: Option<f64>,
    pub ppc_many_flows: Option<f64>,
    /// As a core has it.
    pub core: CoreRows,
    /// Compared, all contents of maps together.
    pub packets: u64,
    pub mismatches: u64,
    /// Why it is refused, or the first mismatch.
    pub reason: Option<String>,
    /// Why the kernel was not asked.
    pub note: Option<String>,
    /// What the command line said beside the sizes of maps, and that the kernel was asked again.
    pub options: Vec<String>,
}

/// Of the core that rows are made for.
pub const CORE_LANES: u8 = Processor::USUAL_LANES;

/// A program as rows of a core with [`CORE_LANES`].
#[derive(Clone, Debug, Default)]
pub struct CoreRows {
    /// `None`: it becomes none.
    pub rows: Option<u64>,
    /// Why it becomes none.
    pub reason: Option<String>,
    /// Compared with the judge, all contents of maps together.
    pub packets: u64,
    /// Packets and entries of maps that differ.
    pub mismatches: u64,
    /// Why the processor does not run them: then it was their interpreter.
    pub interpreted: Option<String>,
}

impl CoreRows {
    fn status(&self) -> Option<RowStatus> {
        match self {
            CoreRows { rows: None, .. } => Some(RowStatus::Refused),
            CoreRows { packets: 0, .. } => None,
            CoreRows { mismatches: 0, .. } => Some(RowStatus::Ok),
            _ => Some(RowStatus::Mismatch),
        }
    }

    /// `31 ok`, `31 ok, interpreted`
    fn cell(&self) -> String {
        let rows = self.rows.map(|rows| rows.to_string());
        let status = self.status().map(|status| status.name().to_owned());
        let words: Vec<String> = rows.into_iter().chain(status).collect();
        let how = self.interpreted.as_ref().map_or("", |_| ", interpreted");
        words.join(" ") + how
    }

    fn json(&self) -> Value {
        json!({
            "lanes": CORE_LANES,
            "rows": self.rows,
            "status": self.status().map(RowStatus::name),
            "packets": self.packets,
            "mismatches": self.mismatches,
            "reason": self.reason,
            "interpreted": self.interpreted,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowStatus {
    Ok,
    Refused,
    Mismatch,
}

impl RowStatus {
    fn name(self) -> &'static str {
        match self {
            RowStatus::Ok => "ok",
            RowStatus::Refused => "refused",
            RowStatus::Mismatch => "mismatch",
        }
    }
}

/// How a map keeps packets serial.
#[derive(Clone, Debug)]
pub struct Hazard {
    map: String,
    class: String,
    /// Clocks.
    window: u64,
}

/// From the maps of a compiler's report.
pub fn hazards(maps: &Value) -> Vec<Hazard> {
    let maps = maps.as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    maps.iter()
        .map(|map| Hazard {
            map: text(&map["name"]),
            class: text(&map["hazard"]),
            window: map["window"].as_u64().unwrap_or(0),
        })
        .filter(|hazard| hazard.class != "none")
        .collect()
}

impl Row {
    pub fn new(target: &Target, program: &str, compiler: &str) -> Row {
        Row {
            origin: target.origin,
            program: program.to_owned(),
            compiler: compiler.to_owned(),
            status: RowStatus::Refused,
            judge: None,
            slots: None,
            stages: None,
            lut_levels: None,
            hazards: Vec::new(),
            ppc_one_flow: None,
            ppc_many_flows: None,
            core: CoreRows::default(),
            packets: 0,
            mismatches: 0,
            reason: None,
            note: None,
            options: Vec::new(),
        }
    }

    pub fn refused(mut self, reason: String) -> Row {
        self.status = RowStatus::Refused;
        self.reason = Some(reason);
        self
    }

    pub fn json(&self) -> Value {
        let hazards: Vec<Value> = self
            .hazards
            .iter()
            .map(
                |hazard| json!({"map": hazard.map, "class": hazard.class, "window": hazard.window}),
            )
            .collect();
        json!({
            "program": self.program,
            "compiler": self.compiler,
            "status": self.status.name(),
            "judge": self.judge,
            "slots": self.slots,
            "stages": self.stages,
            "lut_levels": self.lut_levels,
            "hazards": hazards,
            "ppc_one_flow": self.ppc_one_flow,
            "ppc_many_flows": self.ppc_many_flows,
            "core": self.core.json(),
            "packets": self.packets,
            "mismatches": self.mismatches,
            "reason": self.reason.as_ref().or(self.note.as_ref()),
            "options": self.options,
        })
    }

    /// `fused 2, interlock 5`: how many maps, and of a class whose packets wait the longest window.
    fn hazard_text(&self) -> String {
        let mut classes: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
        for hazard in &self.hazards {
            let (maps, window) = classes.entry(&hazard.class).or_default();
            *maps += 1;
            *window = hazard.window.max(*window);
        }
        let words: Vec<String> = classes
            .iter()
            .map(|(class, (maps, window))| match window {
                0 => format!("{class} {maps}"),
                _ => format!("{class} {maps} ({})", counted(*window, "clock")),
            })
            .collect();
        match words.is_empty() {
            true => String::from("none"),
            false => words.join(", "),
        }
    }

    /// With what a reader must know to trust it: who judged, and with which options.
    fn status_text(&self) -> String {
        let mut remarks: Vec<&str> = self.options.iter().map(String::as_str).collect();
        if (self.status, self.judge) == (RowStatus::Ok, Some("interpreter")) {
            remarks.insert(0, "interpreter");
        }
        match remarks.is_empty() {
            true => self.status.name().to_owned(),
            false => format!("{} ({})", self.status.name(), remarks.join(", ")),
        }
    }

    fn cells(&self) -> Vec<String> {
        let number = |value: Option<u64>| value.map_or("-".into(), |value| value.to_string());
        let rate = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let is_ok = self.status == RowStatus::Ok;
        vec![
            self.program.clone(),
            self.compiler.clone(),
            number(self.slots.map(|slots| slots as u64)),
            number(self.stages),
            self.lut_levels
                .map_or("-".into(), |levels| format!("{levels:.1}")),
            if is_ok {
                self.hazard_text()
            } else {
                "-".into()
            },
            rate(self.ppc_one_flow),
            rate(self.ppc_many_flows),
            self.core.cell(),
            grouped(self.packets),
            grouped(self.mismatches),
            self.status_text(),
        ]
    }
}

const HEADINGS: [&str; 12] = [
    "program",
    "compiler",
    "slots",
    "stages",
    "levels",
    "hazards",
    "one flow",
    "many flows",
    "rows",
    "packets",
    "differ",
    "status",
];

/// The list that `build/realworld.json` is.
pub fn json_text(rows: &[Row]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row.json().to_string()).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// For a terminal.
pub fn text(rows: &[Row], excluded: &[Excluded]) -> String {
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    let mut text = table::rows(&HEADINGS, &cells);
    let reasons = rows
        .iter()
        .filter_map(|row| Some((row, row.reason.as_ref()?)));
    for (row, reason) in reasons {
        let status = row.status.name();
        let _ = write!(
            text,
            "\n  {} ({}), {status}: {reason}",
            row.program, row.compiler
        );
    }
    let _ = writeln!(text, "\n\n  {}", summary(rows));
    for one in excluded {
        let _ = writeln!(text, "  left out: {}, {}", one.name, one.reason);
    }
    text
}

fn summary(rows: &[Row]) -> String {
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    format!(
        "{} programs: {} ok, {} refused, {} with a mismatch",
        rows.len(),
        count(RowStatus::Ok),
        count(RowStatus::Refused),
        count(RowStatus::Mismatch)
    )
}

/// The page in the docs.
pub fn markdown(rows: &[Row], excluded: &[Excluded], compilers: &[Compiler]) -> String {
    let names: Vec<&str> = compilers.iter().map(|one| one.name.as_str()).collect();
    let mut text = format!(
        "# Real programs

`make realworld` wrote this page: XDP programs of the Linux kernel 6.1 (samples and selftests, from Debian's
`linux-source-6.1`), the ready-made objects of Debian's `libxdp1`, and those in [programs/](../programs), unmodified,
compiled as their own Makefiles do with {}. Each was compiled to hardware for 250 MHz, simulated clock by clock and compared
with the Linux kernel, packet by packet and map by map, over real captures, usual and hostile generated traffic, with
empty maps and with maps filled with keys that the program asks for.

*Slots* are eBPF instructions, *stages* those of the pipeline, *levels* LUT6s from register to register (`-`: not synthesized).
*One flow* and *many flows* are packets a clock, 64 bytes each, back to back. A hazard's clocks are those for which a packet
waits for an older one with the same key. *Rows* are those of the program on a core with 4 lanes, and whether fates and maps of the
same packets are the judge's there, too, with 32 packets inside; *interpreted*: the core has no unit for an operation, so their
interpreter ran the rows. *interpreter*: the kernel cannot be asked about this program. *--drop-events*: what
the program tells user space is left out. *--depth*: packets whose headers lie deeper are aborted, and not compared.
*asked again*: the kernel was wrong at first, for its verifier left something out of the program that runs.

{}.

",
        names.join(" and "),
        summary(rows)
    );
    for origin in ["hardpath", "kernel sample", "kernel selftest", "libxdp1"] {
        let of_origin: Vec<&Row> = rows
            .iter()
            .filter(|row| row.origin.name() == origin)
            .collect();
        if of_origin.is_empty() {
            continue;
        }
        let _ = writeln!(text, "## {}\n", heading(origin));
        let _ = writeln!(text, "| {} |", HEADINGS.join(" | "));
        let _ = writeln!(text, "|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|---|");
        for row in of_origin {
            let _ = writeln!(text, "| {} |", row.cells().join(" | "));
        }
        text.push('\n');
    }
    reasons(&mut text, rows, excluded);
    text
}

fn heading(origin: &str) -> &str {
    match origin {
        "hardpath" => "Our own",
        "kernel sample" => "Samples of the kernel",
        "kernel selftest" => "Selftests of the kernel",
        other => other,
    }
}

/// `PROGRAM (COMPILERS): REASON`; compilers that lead to the same reason in one line.
fn reason_lines(rows: &[Row], status: RowStatus) -> Vec<String> {
    let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| row.status == status) {
        let reason = row.reason.as_deref().unwrap_or("?");
        let known = lines
            .iter_mut()
            .find(|(program, other, _)| *program == row.program && *other == reason);
        match known {
            Some((_, _, compilers)) => compilers.push(&row.compiler),
            None => lines.push((&row.program, reason, vec![&row.compiler])),
        }
    }
    lines
        .into_iter()
        .map(|(program, reason, compilers)| {
            format!("{program} ({}): {reason}", compilers.join(", "))
        })
        .collect()
}

fn reasons(text: &mut String, rows: &[Row], excluded: &[Excluded]) {
    let sections = [
        (RowStatus::Mismatch, "Mismatches"),
        (RowStatus::Refused, "Refused"),
    ];
    for (status, heading) in sections {
        let lines = reason_lines(rows, status);
        if !lines.is_empty() {
            let _ = writeln!(text, "## {heading}\n");
            let _ = writeln!(text, "* {}\n", lines.join("\n* "));
        }
    }
    if !excluded.is_empty() {
        text.push_str("## Left out\n\nThey need the kernel around them.\n\n");
    }
    for one in excluded {
        let origin = one.origin.name();
        let _ = writeln!(text, "* `{}` ({origin}): {}", one.name, one.reason);
    }
}
