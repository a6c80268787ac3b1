//! `hardpath realworld`: the XDP programs of the Linux kernel, of Debian's libxdp and our own, each compiled with every
//! compiler, scheduled, simulated and compared with the kernel.
//!
//! Each step is a run of this command in a process of its own with a time limit, so that no program can stop the rest.

mod builds;
mod measure;
mod report;
mod steps;
mod targets;

use crate::answer::{Answer, Status};
use crate::arguments::RealworldArguments;
use crate::files;
use crate::progress::Progress;
use builds::Compiler;
use hardpath_diagnostic::{suggest, Diagnostic};
use measure::Traffic;
use report::{Row, RowStatus};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread::available_parallelism;
use targets::{Excluded, Target};

/// What all programs have in common.
pub struct Setting {
    /// Sources and packages, as `tools/realworld-sources` leaves them.
    sources: PathBuf,
    /// Our own programs and their map files.
    programs: PathBuf,
    /// Map files for programs of others, `NAME.maps.json`.
    maps: PathBuf,
    /// Objects, map files and captures that are made on the way.
    work: PathBuf,
    traffic: Traffic,
    /// Neither simulate nor compare.
    compile_only: bool,
    with_synthesis: bool,
    time_limit: std::time::Duration,
}

pub fn run(arguments: &RealworldArguments) -> Result<Answer, Vec<Diagnostic>> {
    let setting = prepare(arguments).map_err(|error| vec![error])?;
    let compilers = builds::compilers(&arguments.compiler).map_err(|error| vec![error])?;
    let (targets, excluded) = targets::find(&setting).map_err(|error| vec![error])?;
    let targets = chosen(targets, &arguments.only).map_err(|error| vec![error])?;
    let rows = run_all(&setting, &targets, &compilers);
    write(arguments, &rows, &excluded, &compilers).map_err(|error| vec![error])?;
    Ok(answer(&rows, &excluded))
}

fn prepare(arguments: &RealworldArguments) -> Result<Setting, Diagnostic> {
    let work = arguments.sources.join("work");
    files::create_folder(&work)?;
    Ok(Setting {
        traffic: Traffic::make(&work, arguments.captures.as_deref())?,
        sources: arguments.sources.clone(),
        programs: arguments.programs.clone(),
        maps: arguments.maps.clone(),
        work,
        compile_only: arguments.compile_only,
        with_synthesis: arguments.synth,
        time_limit: std::time::Duration::from_secs(arguments.time_limit),
    })
}

/// The targets with one of the names; all when there are no names.
fn chosen(targets: Vec<Target>, names: &[String]) -> Result<Vec<Target>, Diagnostic> {
    for name in names {
        if !targets.iter().any(|target| target.name == *name) {
            let known: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            let message = format!("there is no program `{name}` to run");
            // All of them: nobody who has not read the list can know what there is to choose.
            let meant = suggest::meant(name, known.iter().copied());
            return Err(Diagnostic::input("unknown-target", message)
                .help(format!("{meant}choose from: {}", known.join(", "))));
        }
    }
    let is_chosen = |target: &Target| names.is_empty() || names.contains(&target.name);
    Ok(targets.into_iter().filter(is_chosen).collect())
}

/// All programs of all targets with all compilers, on all processors; the rows in the order of the targets.
fn run_all(setting: &Setting, targets: &[Target], compilers: &[Compiler]) -> Vec<Row> {
    let jobs: Vec<(&Target, Option<&Compiler>)> = targets
        .iter()
        .flat_map(|target| match target.is_ready_made() {
            true => vec![(target, None)],
            false => compilers
                .iter()
                .map(|compiler| (target, Some(compiler)))
                .collect(),
        })
        .collect();
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(vec![Vec::new(); jobs.len()]);
    let done = AtomicUsize::new(0);
    let progress = Progress::new("objects", jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((target, compiler)) = jobs.get(number) else {
                    break;
                };
                let of_object = measure::object(setting, target, *compiler);
                // A worker that panicked has left no half-written rows behind.
                rows.lock().unwrap_or_else(|broken| broken.into_inner())[number] = of_object;
                progress.set(done.fetch_add(1, Ordering::Relaxed) + 1);
            });
        }
    });
    let rows = rows.into_inner();
    rows.unwrap_or_else(|broken| broken.into_inner()).concat()
}

fn write(
    arguments: &RealworldArguments,
    rows: &[Row],
    excluded: &[Excluded],
    compilers: &[Compiler],
) -> Result<(), Diagnostic> {
    if let Some(path) = &arguments.out {
        files::write_text(path, &report::json_text(rows))?;
    }
    if let Some(path) = &arguments.docs {
        files::write_text(path, &report::markdown(rows, excluded, compilers))?;
    }
    Ok(())
}

fn answer(rows: &[Row], excluded: &[Excluded]) -> Answer {
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    let mismatches = count(RowStatus::Mismatch);
    let json = json!({
        "programs": rows.len(),
        "ok": count(RowStatus::Ok),
        "refused": count(RowStatus::Refused),
        "mismatch": mismatches,
        "excluded": excluded.len(),
        "rows": rows.iter().map(Row::json).collect::<Vec<_>>(),
    });
    let status = match mismatches {
        0 => Status::Good,
        _ => Status::Differs,
    };
    Answer::new(status, json, report::text(rows, excluded))
}
