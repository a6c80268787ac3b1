//! Many programs, one after another on a few threads.

use crate::case;
use crate::cores::Cores;
use crate::flows;
use crate::generate::{generate, Features};
use crate::hardware::Hardware;
use crate::ir_programs;
use crate::minimize::{minimize, Scope};
use crate::packets;
use crate::random::Random;
use crate::trial::{self, Built, Failure, Judge, Layer, Outcome, Subject, Target, TrialOptions};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_pipeline::Hazard;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

/// What to run.
#[derive(Clone, Debug)]
pub struct FuzzOptions {
    /// How many; each has a seed of its own.
    pub programs: u32,
    /// Packets for each program.
    pub packets: u32,
    /// Of the first program; program `i` has seed `seed + i`.
    pub seed: u64,
    /// Programs that run at the same time.
    pub threads: usize,
    /// Who says what is right, of all programs.
    pub judge: Judge,
    /// What the programs become.
    pub target: Target,
    /// Every so many programs one runs in Verilator, too; 0: none.
    pub verilator_every: u32,
    /// How many of the programs use what.
    pub features: Features,
    /// Where failing programs are written, made small.
    pub cases: Option<PathBuf>,
    /// Programs that are refused are written there, too, made small.
    pub keep_refused: bool,
}

/// A program that failed.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedProgram {
    /// What the program was made from, before it was made small.
    pub seed: u64,
    /// How the small subject fails.
    pub failure: Failure,
    /// The small subject.
    pub subject: Subject,
    /// The case file, where one was written.
    pub case: Option<PathBuf>,
}

/// A program about which the kernel was wrong when it was asked first ([`hardpath_oracle::asking`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedAgain {
    /// What the program was made from, before it was made small.
    pub seed: u64,
    /// The case file of the small subject, where one was written.
    pub case: Option<PathBuf>,
}

/// What came of all programs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FuzzReport {
    /// Programs that the kernel took, as many as were asked for.
    pub programs: u64,
    /// Those among them that are programs of the IR, of which the kernel knows nothing.
    pub of_ir: u64,
    /// Programs that became hardware or rows, also those that failed there.
    pub compiled: u64,
    /// Programs that hardpath refuses.
    pub refused: u64,
    /// How many programs were refused for which reason (the code of the diagnostic).
    pub refusals: BTreeMap<&'static str, u64>,
    /// How many of the compiled programs are kept serial how.
    pub hazards: BTreeMap<Hazard, u64>,
    /// How many of the compiled programs have which feature.
    pub features: BTreeMap<&'static str, u64>,
    /// Programs that the kernel did not take; each was replaced by another one of the same seed.
    pub rejected_by_kernel: u64,
    /// Packets that went through all layers.
    pub packets: u64,
    /// Packets that the kernel ran, of programs without failure, those that are refused included.
    pub judged_by_kernel: u64,
    /// Programs without failure that ran in Verilator, too.
    pub in_verilator: u64,
    /// Programs without failure that ran once more with the host in the middle of traffic. Those without maps, in which it
    /// has nothing to do, are counted, too.
    pub with_host: u64,
    /// In the order of their seeds.
    pub failures: Vec<FailedProgram>,
    /// Programs about which the kernel was wrong at first, likewise.
    pub asked_again: Vec<AskedAgain>,
}

impl FuzzReport {
    /// Counts what a program that is right ran as.
    fn ran_as(&mut self, built: &Built) {
        self.in_verilator = u64::from(built.in_verilator);
        self.with_host = u64::from(built.with_host);
    }

    /// The seeds of [`FuzzReport::failures`], in ascending order.
    pub fn seeds_failed(&self) -> Vec<u64> {
        self.failures.iter().map(|failed| failed.seed).collect()
    }

    /// Of 100 compiled programs so many in which packets wait for others or run again.
    pub fn hazard_percent(&self) -> u64 {
        let of = |hazard| self.hazards.get(&hazard).copied().unwrap_or(0);
        let hard = of(Hazard::Interlock) + of(Hazard::Replay);
        (hard * 100).checked_div(self.compiled).unwrap_or(0)
    }

    fn add(&mut self, other: FuzzReport) {
        self.programs += other.programs;
        self.of_ir += other.of_ir;
        self.compiled += other.compiled;
        self.refused += other.refused;
        for (code, count) in other.refusals {
            *self.refusals.entry(code).or_default() += count;
        }
        for (hazard, count) in other.hazards {
            *self.hazards.entry(hazard).or_default() += count;
        }
        for (feature, count) in other.features {
            *self.features.entry(feature).or_default() += count;
        }
        self.rejected_by_kernel += other.rejected_by_kernel;
        self.packets += other.packets;
        self.judged_by_kernel += other.judged_by_kernel;
        self.in_verilator += other.in_verilator;
        self.with_host += other.with_host;
        self.failures.extend(other.failures);
        self.asked_again.extend(other.asked_again);
    }
}

/// Tries for a seed before it counts as one that gives no program.
const MOST_ATTEMPTS: u32 = 50;

/// Now and then a run is so many times as long.
const LONGER: u32 = 10;

/// The subject of a seed.
pub fn subject(seed: u64, attempt: u32, packets: u32, features: Features) -> Subject {
    subject_with(seed, attempt, packets, features, 0)
}

/// The same program and design, with other packets at another pace: traffic 0 is that of [`subject`].
pub fn subject_with(
    seed: u64,
    attempt: u32,
    packets: u32,
    features: Features,
    traffic: u64,
) -> Subject {
    let generated = generate(seed, attempt, features);
    let stream = u64::from(attempt) << 8 | 1;
    let mut random = Random::new(seed, stream);
    let mut hardware = Hardware::generate(seed, &mut random);
    if traffic > 0 {
        random = Random::new(seed, stream | traffic << 40);
        let pace = Hardware::generate(seed, &mut random);
        hardware.gaps = pace.gaps;
        hardware.backpressure = pace.backpressure;
        hardware.reset = pace.reset;
        hardware.host = pace.host;
    }
    let count = match random.percent(4) {
        true => packets * LONGER,
        false => packets,
    };
    let count = count as usize;
    let mut packets = match generated.flow_bytes.as_slice() {
        [] => packets::generate(&generated.code, count, &mut random),
        _ if random.percent(10) => packets::generate(&generated.code, count, &mut random),
        bytes => flows::generate(bytes, count, &mut random),
    };
    if random.percent(15) {
        packets::spoil(&mut packets, &mut random);
    }
    Subject {
        packets,
        code: generated.code,
        image: generated.image,
        hardware,
    }
}

/// Runs all programs. `progress` is called with the number of programs that are done.
///
/// # Errors
/// The kernel cannot be asked or breaks off; a case cannot be written.
pub fn run(
    options: &FuzzOptions,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<FuzzReport, Diagnostic> {
    run_on(&Cores::default(), options, progress)
}

/// One of so many programs for a core runs in Verilator, too, when nothing else is said.
pub const VERILATOR_EVERY: u32 = 10;

/// One of so many does, each time at another place among them: what comes in turn with the seeds is met, too.
fn runs_in_verilator(index: u32, every: u32) -> bool {
    every > 0 && index % every == index / every % every
}

/// The same, with cores that were built before.
///
/// # Errors
/// Those of [`run`].
pub fn run_on(
    cores: &Cores,
    options: &FuzzOptions,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<FuzzReport, Diagnostic> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let broken = AtomicBool::new(false);
    let total = Mutex::new(Ok(FuzzReport::default()));
    let work = || {
        while !broken.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= options.programs as usize {
                return;
            }
            let trial = TrialOptions {
                judge: options.judge,
                target: options.target,
                verilator: runs_in_verilator(index as u32, options.verilator_every),
                cores,
            };
            let result = run_one(options, trial, options.seed.wrapping_add(index as u64));
            let mut total = total
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            match (result, &mut *total) {
                (Ok(report), Ok(sum)) => sum.add(report),
                (Err(error), Ok(_)) => {
                    *total = Err(error);
                    broken.store(true, Ordering::Relaxed);
                }
                (_, Err(_)) => {}
            }
            drop(total);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads {
            scope.spawn(work);
        }
        work();
    });
    let mut report = total
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner())?;
    report.failures.sort_by_key(|failed| failed.seed);
    report.asked_again.sort_by_key(|asked| asked.seed);
    Ok(report)
}

/// A program of the IR. What fails has a case in text form, with as few packets as will do.
fn run_of_ir(
    options: &FuzzOptions,
    trial: TrialOptions,
    seed: u64,
) -> Result<FuzzReport, Diagnostic> {
    let (program, subject) = ir_programs::subject(seed, options.packets);
    let run = |subject: &Subject| {
        trial::run_program_in(trial, &program, &subject.packets, subject.hardware)
    };
    let mut report = FuzzReport {
        programs: 1,
        of_ir: 1,
        ..FuzzReport::default()
    };
    let ran = run(&subject);
    if !matches!(ran, Outcome::Refused { .. }) {
        report.compiled = 1;
        report.packets = subject.packets.len() as u64;
    }
    if let Outcome::Same { built, .. } = &ran {
        report.ran_as(built);
    }
    match ran {
        Outcome::Refused { reason, .. } => {
            report.refused = 1;
            report.refusals.insert(reason.code, 1);
        }
        Outcome::Failed(failure) => {
            let mut fails = |candidate: &Subject| match run(candidate) {
                Outcome::Failed(failure) => Some(failure),
                _ => None,
            };
            let (subject, failure) = minimize(&subject, &failure, Scope::PacketsOnly, &mut fails);
            let case = options.cases.as_ref().map(|folder| {
                let path = folder.join(format!("{}_{seed}.hir", failure.layer.name()));
                let text = ir_programs::print(&program, &subject, &failure);
                write(&path, &text).map(|()| path)
            });
            report.failures = vec![FailedProgram {
                seed,
                failure,
                subject,
                case: case.transpose()?,
            }];
        }
        Outcome::Same { .. } | Outcome::Rejected(_) => {}
    }
    Ok(report)
}

/// One program: of its seed the first one that the kernel takes.
fn run_one(
    options: &FuzzOptions,
    trial: TrialOptions,
    seed: u64,
) -> Result<FuzzReport, Diagnostic> {
    if trial.target != Target::Pipeline && seed.is_multiple_of(ir_programs::EVERY) {
        return run_of_ir(options, trial, seed);
    }
    let mut report = FuzzReport::default();
    for attempt in 0..MOST_ATTEMPTS {
        let subject = subject(seed, attempt, options.packets, options.features);
        let packets = subject.packets.len() as u64;
        let mut was_asked_again = false;
        match trial::run(&subject, trial)? {
            Outcome::Rejected(_) => {
                report.rejected_by_kernel += 1;
                continue;
            }
            Outcome::Refused { reason, judged } => {
                if let (Some(folder), true) = (&options.cases, options.keep_refused) {
                    let path = folder.join(format!("refused_{}_{seed}.case", reason.code));
                    let (subject, text) = smallest_refused(&subject, &reason, trial);
                    write(&path, &case::print(&subject, &text))?;
                }
                report.refused = 1;
                report.refusals.insert(reason.code, 1);
                report.judged_by_kernel = judged.packets;
                was_asked_again = judged.again;
            }
            Outcome::Same { built, judged } => {
                report.compiled = 1;
                report.ran_as(&built);
                report.hazards.insert(built.hazard, 1);
                let features = built.features.into_iter();
                report.features = features.map(|feature| (feature, 1)).collect();
                report.packets = packets;
                report.judged_by_kernel = judged.packets;
                was_asked_again = judged.again;
            }
            Outcome::Failed(failure) => {
                report.compiled = 1;
                report.packets = packets;
                report
                    .failures
                    .push(failed(options, trial, seed, &subject, &failure)?);
            }
        }
        if was_asked_again {
            let case = keep_asked_again(options, trial, seed, &subject)?;
            report.asked_again = vec![AskedAgain { seed, case }];
        }
        report.programs = 1;
        break;
    }
    Ok(report)
}

/// Writes the case of a program about which the kernel was wrong at first, made small.
fn keep_asked_again(
    options: &FuzzOptions,
    trial: TrialOptions,
    seed: u64,
    subject: &Subject,
) -> Result<Option<PathBuf>, Diagnostic> {
    let Some(folder) = &options.cases else {
        return Ok(None);
    };
    let path = folder.join(format!("asked-again_{seed}.case"));
    let comment = format!("Seed {seed}: the kernel's verifier leaves something out that runs.");
    let small = smallest_asked_again(subject, trial);
    write(&path, &case::print(&small, &comment))?;
    Ok(Some(path))
}

/// The smallest program about which the kernel is wrong at first.
fn smallest_asked_again(subject: &Subject, options: TrialOptions) -> Subject {
    let as_failure = Failure {
        layer: Layer::Lifted,
        packet: None,
        text: String::new(),
    };
    let mut is_wrong = |candidate: &Subject| match trial::run(candidate, options) {
        Ok(Outcome::Same { judged, .. } | Outcome::Refused { judged, .. }) if judged.again => {
            Some(as_failure.clone())
        }
        _ => None,
    };
    minimize(subject, &as_failure, scope(options.judge), &mut is_wrong).0
}

fn failed(
    options: &FuzzOptions,
    trial: TrialOptions,
    seed: u64,
    subject: &Subject,
    failure: &Failure,
) -> Result<FailedProgram, Diagnostic> {
    let scope = scope(options.judge);
    let mut fails = |candidate: &Subject| match trial::run(candidate, trial) {
        Ok(Outcome::Failed(failure)) => Some(failure),
        _ => None,
    };
    let (subject, failure) = minimize(subject, failure, scope, &mut fails);
    let case = match &options.cases {
        Some(folder) => Some(write_case(folder, seed, &subject, &failure)?),
        None => None,
    };
    Ok(FailedProgram {
        seed,
        failure,
        subject,
        case,
    })
}

/// The smallest program that is refused for the same reason, and what is said about it.
fn smallest_refused(
    subject: &Subject,
    reason: &Diagnostic,
    options: TrialOptions,
) -> (Subject, String) {
    let as_failure = |reason: &Diagnostic| Failure {
        layer: Layer::Compiler,
        packet: None,
        text: reason.to_string(),
    };
    let mut refuses = |candidate: &Subject| match trial::run(candidate, options) {
        Ok(Outcome::Refused { reason: other, .. }) if other.code == reason.code => {
            Some(as_failure(&other))
        }
        _ => None,
    };
    let scope = scope(options.judge);
    let (subject, failure) = minimize(subject, &as_failure(reason), scope, &mut refuses);
    (subject, failure.text)
}

/// What may be made smaller: where nobody says which other programs are any, the program stays.
fn scope(judge: Judge) -> Scope {
    match judge {
        Judge::Kernel => Scope::Everything,
        Judge::Interpreter => Scope::PacketsOnly,
    }
}

fn write_case(
    folder: &Path,
    seed: u64,
    subject: &Subject,
    failure: &Failure,
) -> Result<PathBuf, Diagnostic> {
    let path = folder.join(format!("{}_{seed}.case", failure.layer.name()));
    let packet = match failure.packet {
        Some(packet) => format!("packet {}", packet + 1),
        None => String::from("no packet alone"),
    };
    let layer = failure.layer.name();
    let comment = format!("Seed {seed}, layer {layer}, {packet}: {}", failure.text);
    write(&path, &case::print(subject, &comment))?;
    Ok(path)
}

fn write(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| {
            Diagnostic::input("cannot-write", format!("a case cannot be written: {error}"))
                .at(Place::of_file(path.display()))
        })
}
