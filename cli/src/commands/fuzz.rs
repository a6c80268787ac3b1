//! `hardpath fuzz`: random programs, compared between kernel, interpreter and hardware.

use crate::answer::{Answer, Status};
use crate::arguments::FuzzArguments;
use crate::progress::Progress;
use crate::table::facts;
use hardpath_diagnostic::Diagnostic;
use hardpath_fuzz::{Features, FuzzOptions, FuzzReport, Judge};
use hardpath_ir::count::grouped;
use serde_json::json;
use std::fmt::Write;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(arguments: &FuzzArguments) -> Result<Answer, Vec<Diagnostic>> {
    let seed = match arguments.fresh_seed {
        true => fresh_seed(),
        false => arguments.seed,
    };
    let report = match fuzz(arguments, seed, Judge::Kernel) {
        // Where the kernel cannot be asked the interpreter stands in, and the answer says so.
        Err(error) if error.code == "kernel-unavailable" => {
            fuzz(arguments, seed, Judge::Interpreter)
        }
        result => result,
    };
    Ok(answer(seed, &report.map_err(|error| vec![error])?))
}

/// A seed that differs from run to run; small enough to be typed.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |time| time.as_micros() as u64 % 1_000_000_000_000)
}

fn fuzz(arguments: &FuzzArguments, seed: u64, judge: Judge) -> Result<FuzzReport, Diagnostic> {
    let progress = Progress::new("programs", arguments.programs as usize);
    let options = FuzzOptions {
        programs: arguments.programs,
        packets: arguments.packets,
        seed,
        threads: available_parallelism().map_or(1, usize::from),
        judge,
        verilator_every: arguments.verilator_every,
        features: Features::default(),
        cases: Some(arguments.cases.clone()),
        keep_refused: arguments.keep_refused,
    };
    hardpath_fuzz::run(&options, &|done| progress.set(done))
}

fn answer(seed: u64, report: &FuzzReport) -> Answer {
    let json = json!({
        "seed": seed,
        "programs": report.programs,
        "compiled": report.compiled,
        "refused": report.refused,
        "refusals": report.refusals,
        "hazards": report.hazards,
        "hazard_percent": report.hazard_percent(),
        "features": report.features,
        "packets": report.packets,
        "judged_by_kernel": report.judged_by_kernel,
        "asked_again": report.asked_again.iter().map(|asked| asked.seed).collect::<Vec<_>>(),
        "rejected_by_kernel": report.rejected_by_kernel,
        "with_host": report.with_host,
        "in_verilator": report.in_verilator,
        "mismatches": report.failures.len(),
        "seeds_failed": report.seeds_failed(),
    });
    let status = match report.failures.is_empty() {
        true => Status::Good,
        false => Status::Differs,
    };
    Answer::new(status, json, text(seed, report))
}

/// `name count, name count`, the most frequent first.
fn counted<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut counts: Vec<(&str, u64)> = counts.collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let words = counts.iter().map(|(name, count)| format!("{name} {count}"));
    words.collect::<Vec<String>>().join(", ")
}

fn text(seed: u64, report: &FuzzReport) -> String {
    let mut refused = grouped(report.refused);
    if !report.refusals.is_empty() {
        let reasons = counted(report.refusals.iter().map(|(code, count)| (*code, *count)));
        let _ = write!(refused, " ({reasons})");
    }
    let hazards = (report.hazards.iter()).map(|(hazard, count)| (hazard.name(), *count));
    let hazards = counted(hazards);
    let features = counted(report.features.iter().map(|(name, count)| (*name, *count)));
    let mut text = facts(&[
        ("first seed", seed.to_string()),
        ("programs", grouped(report.programs)),
        ("compiled to hardware", grouped(report.compiled)),
        ("refused", refused),
        (
            "hazards of those",
            format!(
                "{hazards}; {} % interlock or replay",
                report.hazard_percent()
            ),
        ),
        ("features of those", features),
        ("packets", grouped(report.packets)),
        ("judged by the kernel", grouped(report.judged_by_kernel)),
        (
            "asked again, and agreed",
            grouped(report.asked_again.len() as u64),
        ),
        ("with the host in traffic", grouped(report.with_host)),
        ("in Verilator, too", grouped(report.in_verilator)),
        (
            "not taken by the kernel",
            grouped(report.rejected_by_kernel),
        ),
        (
            "programs that differ",
            grouped(report.failures.len() as u64),
        ),
    ]);
    for asked in &report.asked_again {
        let _ = writeln!(
            text,
            "\n  seed {}: the kernel was wrong at first; its verifier left something out that runs",
            asked.seed
        );
        if let Some(case) = &asked.case {
            let _ = writeln!(text, "  made small in {}", case.display());
        }
    }
    for failed in &report.failures {
        let failure = &failed.failure;
        let _ = writeln!(
            text,
            "\n  seed {}, {}: {}",
            failed.seed,
            failure.layer.name(),
            failure.text
        );
        if let Some(case) = &failed.case {
            let _ = writeln!(text, "  made small in {}", case.display());
        }
    }
    text
}
