//! `make campaign`: random programs on cores of all sizes beside the kernel, and a page of what came of them.
//!
//! 3,000 programs on a core of 4 lanes, 1,000 on each other size. A tenth of them runs among the tests (`fuzz/tests/rows.rs`).

use hardpath_core::compile::savings::Without;
use hardpath_fuzz::features::LOOP_OF_DATA;
use hardpath_fuzz::{run, Features, FuzzOptions, FuzzReport, Judge, Target, VERILATOR_EVERY};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

/// Lanes, and programs.
const SIZES: [(u8, u32); 4] = [(4, 3000), (1, 1000), (2, 1000), (8, 1000)];
const PACKETS: u32 = 40;
/// The seeds of a size begin at so many times its lanes.
const SEEDS: u64 = 1_000_000;

const HEAD: &str = "# Random programs on cores

`make campaign` wrote this page, all of it with one build: programs drawn by seed, each run by the kernel (`BPF_PROG_TEST_RUN`), the
interpreter of the IR, that of rows, and the core's hardware in the native simulator with 32 packets inside, packets back to back. *Of the IR*:
programs that no instruction set comes to, which the kernel cannot be asked about. *In Verilator*: of every tenth
program the printed SystemVerilog, too. *Refused*: with a reason, before anything runs. *Differ*:
a packet or a map that is another one in any of them. `hardpath fuzz --target core --lanes N --seed S --programs 1` repeats a program.

| lanes | first seed | programs | of the IR | with loops whose rounds depend on data | run as rows | in Verilator | refused | packets | asked of the kernel | differ |
|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|---|
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let docs = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--docs"), Some(path)) => PathBuf::from(path),
        _ => {
            eprintln!("campaign --docs FILE");
            return ExitCode::FAILURE;
        }
    };
    let mut page = HEAD.to_owned();
    let mut differ = 0;
    for (lanes, programs) in SIZES {
        let seed = SEEDS * u64::from(lanes);
        let options = FuzzOptions {
            programs,
            packets: PACKETS,
            seed,
            threads: available_parallelism().map_or(1, usize::from),
            judge: Judge::Kernel,
            target: Target::Core {
                lanes,
                without: Without::NOTHING,
            },
            verilator_every: VERILATOR_EVERY,
            features: Features::for_cores(),
            cases: Some("fuzz-failures".into()),
            keep_refused: false,
        };
        let report = match run(&options, &|_| ()) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        differ += report.failures.len();
        row(&mut page, (lanes, seed), &report);
        eprintln!(
            "{lanes} lanes: {programs} programs, {} differ",
            report.failures.len()
        );
    }
    if let Err(error) = std::fs::write(&docs, page) {
        eprintln!("{}: {error}", docs.display());
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::from(differ > 0))
}

fn row(page: &mut String, (lanes, seed): (u8, u64), report: &FuzzReport) {
    let loops = report.features.get(LOOP_OF_DATA).copied().unwrap_or(0);
    let reasons = report.refusals.iter();
    let reasons: Vec<String> = reasons
        .map(|(code, count)| format!("{code} {count}"))
        .collect();
    let differ = match report.seeds_failed().as_slice() {
        [] => "0".to_owned(),
        seeds => format!("**{}**: {seeds:?}", seeds.len()),
    };
    let _ = writeln!(
        page,
        "| {lanes} | {seed} | {} | {} | {loops} | {} | {} | {} | {} | {} | {differ} |",
        report.programs,
        report.of_ir,
        report.compiled,
        report.in_verilator,
        reasons.join(", "),
        report.packets,
        report.judged_by_kernel,
    );
}
