//! `hardpath fuzz`: random programs, compared between kernel, interpreter and hardware.

use crate::answer::{Answer, Status};
use crate::arguments::FuzzArguments;
use crate::progress::Progress;
use crate::table::{facts, grouped};
use hardpath_fuzz::{Features, FuzzOptions, FuzzReport, Judge};
use hardpath_ir::Diagnostic;
use serde_json::json;
use std::fmt::Write;
use std::thread::available_parallelism;

pub fn run(arguments: &FuzzArguments) -> Result<Answer, Vec<Diagnostic>> {
    let report = match fuzz(arguments, Judge::Kernel) {
        // Where the kernel cannot be asked the interpreter stands in, and the answer says so.
        Err(error) if error.code == "kernel-unavailable" => fuzz(arguments, Judge::Interpreter),
        result => result,
    };
    Ok(answer(&report.map_err(|error| vec![error])?))
}

fn fuzz(arguments: &FuzzArguments, judge: Judge) -> Result<FuzzReport, Diagnostic> {
    let progress = Progress::new("programs", arguments.programs as usize);
    let options = FuzzOptions {
        programs: arguments.programs,
        packets: arguments.packets,
        seed: arguments.seed,
        threads: available_parallelism().map_or(1, usize::from),
        judge,
        features: Features::default(),
        cases: Some(arguments.cases.clone()),
    };
    hardpath_fuzz::run(&options, &|done| progress.set(done))
}

fn answer(report: &FuzzReport) -> Answer {
    let json = json!({
        "programs": report.programs,
        "compiled": report.compiled,
        "refused": report.refused,
        "packets": report.packets,
        "judged_by_kernel": report.judged_by_kernel,
        "mismatches": report.failures.len(),
        "seeds_failed": report.seeds_failed(),
    });
    let status = match report.failures.is_empty() {
        true => Status::Good,
        false => Status::Differs,
    };
    Answer {
        json,
        text: text(report),
        status,
    }
}

fn text(report: &FuzzReport) -> String {
    let reasons: Vec<String> = report
        .refusals
        .iter()
        .map(|(code, count)| format!("{code} {count}"))
        .collect();
    let mut refused = grouped(report.refused);
    if !reasons.is_empty() {
        let _ = write!(refused, " ({})", reasons.join(", "));
    }
    let mut text = facts(&[
        ("programs", grouped(report.programs)),
        ("compiled to hardware", grouped(report.compiled)),
        ("refused", refused),
        ("packets", grouped(report.packets)),
        ("judged by the kernel", grouped(report.judged_by_kernel)),
        (
            "programs that differ",
            grouped(report.failures.len() as u64),
        ),
    ]);
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
