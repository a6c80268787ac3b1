//! `hardpath fuzz`: random programs, compared between kernel, interpreter and hardware.

use crate::answer::{Answer, Status};
use crate::arguments::FuzzArguments;
use crate::progress::Progress;
use crate::table::facts;
use crate::target::Kind;
use hardpath_diagnostic::Diagnostic;
use hardpath_fuzz::{Features, FuzzOptions, FuzzReport, Judge, Target, VERILATOR_EVERY};
use hardpath_ir::count::{counted, grouped};
use hardpath_testbed::verilator;
use serde_json::json;
use std::fmt::Write;
use std::thread::available_parallelism;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(arguments: &FuzzArguments) -> Result<Answer, Vec<Diagnostic>> {
    let seed = match arguments.fresh_seed {
        true => fresh_seed(),
        false => arguments.seed,
    };
    let target = &arguments.target;
    let kind = Kind::of(target).map_err(|error| vec![error])?;
    let target = match &kind.processor {
        Some(processor) => Target::Core {
            lanes: processor.machine.lanes,
            without: processor.without,
        },
        None => Target::Pipeline,
    };
    let find = || verilator::find().map(|_| ());
    let (verilator_every, warning) = in_verilator(arguments.verilator_every, target, find);
    let fuzz = |judge| fuzz(arguments, (seed, target), verilator_every, judge);
    let report = match fuzz(Judge::Kernel) {
        // Where the kernel cannot be asked the interpreter stands in, and the answer says so.
        Err(error) if error.code == "kernel-unavailable" => fuzz(Judge::Interpreter),
        result => result,
    };
    let report = report.map_err(|error| vec![error])?;
    Ok(answer(seed, target, &report).with_warnings(warning))
}

/// Every how many programs one runs in Verilator. Where nobody asks for it and it is not to be found, none does, and a warning says so.
fn in_verilator(
    asked: Option<u32>,
    target: Target,
    find: impl FnOnce() -> Result<(), Diagnostic>,
) -> (u32, Option<Diagnostic>) {
    match (asked, target) {
        (Some(every), _) => (every, None),
        (None, Target::Pipeline) => (0, None),
        (None, Target::Core { .. }) => match find() {
            Ok(()) => (VERILATOR_EVERY, None),
            Err(missing) => {
                let message = "no program runs in Verilator, too: it is not installed";
                let help = missing.help.unwrap_or_default();
                let warning = Diagnostic::warning(missing.code, message)
                    .help(format!("{help}; --verilator-every 0 goes without"));
                (0, Some(warning))
            }
        },
    }
}

/// A seed that differs from run to run; small enough to be typed.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |time| time.as_micros() as u64 % 1_000_000_000_000)
}

fn fuzz(
    arguments: &FuzzArguments,
    (seed, target): (u64, Target),
    verilator_every: u32,
    judge: Judge,
) -> Result<FuzzReport, Diagnostic> {
    let progress = Progress::new("programs", arguments.programs as usize);
    let options = FuzzOptions {
        programs: arguments.programs,
        packets: arguments.packets,
        seed,
        threads: available_parallelism().map_or(1, usize::from),
        judge,
        target,
        verilator_every,
        features: match target {
            Target::Core { .. } => Features::for_cores(),
            Target::Pipeline => Features::default(),
        },
        cases: Some(arguments.cases.clone()),
        keep_refused: arguments.keep_refused,
    };
    hardpath_fuzz::run(&options, &|done| progress.set(done))
}

fn answer(seed: u64, target: Target, report: &FuzzReport) -> Answer {
    let (name, lanes) = match target {
        Target::Pipeline => ("pipeline", None),
        Target::Core { lanes, .. } => ("core", Some(lanes)),
    };
    let json = json!({
        "target": name,
        "lanes": lanes,
        "seed": seed,
        "programs": report.programs,
        "of_ir": report.of_ir,
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
    Answer::new(status, json, text(seed, target, report))
}

/// `name count, name count`, the most frequent first.
fn by_frequency<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut counts: Vec<(&str, u64)> = counts.collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let words = counts.iter().map(|(name, count)| format!("{name} {count}"));
    words.collect::<Vec<String>>().join(", ")
}

fn text(seed: u64, target: Target, report: &FuzzReport) -> String {
    let mut refused = grouped(report.refused);
    if !report.refusals.is_empty() {
        let reasons = by_frequency(report.refusals.iter().map(|(code, count)| (*code, *count)));
        let _ = write!(refused, " ({reasons})");
    }
    let hazards = (report.hazards.iter()).map(|(hazard, count)| (hazard.name(), *count));
    let hazards = by_frequency(hazards);
    let features = by_frequency(report.features.iter().map(|(name, count)| (*name, *count)));
    let compiled = grouped(report.compiled);
    let mut lines = vec![
        ("first seed", seed.to_string()),
        ("programs", grouped(report.programs)),
    ];
    if report.of_ir > 0 {
        lines.push(("of the IR", grouped(report.of_ir)));
    }
    lines.push(match target {
        Target::Pipeline => ("compiled to hardware", compiled),
        Target::Core { lanes, .. } => {
            let lanes = counted(lanes, "lane");
            (
                "compiled to rows",
                format!("{compiled}, of {lanes}, run by their interpreter and on the processor"),
            )
        }
    });
    lines.push(("refused", refused));
    if target == Target::Pipeline {
        let hazards = format!(
            "{hazards}; {} % interlock or replay",
            report.hazard_percent()
        );
        lines.push(("hazards of those", hazards));
    }
    lines.extend([
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
    let mut text = facts(&lines);
    found(&mut text, report);
    text
}

/// Single programs.
fn found(text: &mut String, report: &FuzzReport) {
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
}

#[cfg(test)]
mod tests {
    use super::{in_verilator, Target, VERILATOR_EVERY};
    use hardpath_core::compile::savings::Without;
    use hardpath_diagnostic::Diagnostic;

    #[test]
    fn a_tenth_of_what_runs_on_cores_runs_in_verilator() {
        let core = Target::Core {
            lanes: 4,
            without: Without::NOTHING,
        };
        let found = || Ok(());
        let missing =
            || Err(Diagnostic::input("verilator-missing", "there is none").help("get it"));
        assert_eq!(in_verilator(None, core, found), (VERILATOR_EVERY, None));
        assert_eq!(in_verilator(None, Target::Pipeline, found), (0, None));
        assert_eq!(in_verilator(Some(3), core, missing), (3, None));
        let (every, warning) = in_verilator(None, core, missing);
        assert_eq!(every, 0);
        let warning = warning.unwrap();
        assert_eq!(warning.code, "verilator-missing");
        assert!(warning.help.unwrap().starts_with("get it; "));
    }
}
