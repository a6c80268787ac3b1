//! Random programs as rows of a core, beside the kernel and the interpreter.

use hardpath_core::compile::savings::{Saving, Without};
use hardpath_fuzz::cores::Cores;
use hardpath_fuzz::features::LOOP_OF_DATA;
use hardpath_fuzz::session::subject;
use hardpath_fuzz::{
    case, run, run_on, trial, Features, FuzzOptions, Judge, Outcome, Subject, Target, TrialOptions,
};
use hardpath_kernel::MapType;
use std::sync::LazyLock;

const LANES: [u8; 4] = [1, 2, 4, 8];

/// Those of all tests.
static CORES: LazyLock<Cores> = LazyLock::new(Cores::default);

fn on(lanes: u8) -> Target {
    let without = Without::NOTHING;
    Target::Core { lanes, without }
}

fn by(judge: Judge, lanes: u8) -> TrialOptions<'static> {
    TrialOptions {
        judge,
        target: on(lanes),
        verilator: false,
        cores: &CORES,
    }
}

fn options(judge: Judge, lanes: u8) -> FuzzOptions {
    FuzzOptions {
        programs: 100,
        packets: 20,
        seed: u64::from(lanes) * 1000,
        threads: 2,
        judge,
        target: on(lanes),
        verilator_every: 0,
        features: Features::for_cores(),
        cases: None,
        keep_refused: false,
    }
}

/// The kernel where it can be asked. With HARDPATH_REQUIRE_KERNEL=1 it must be.
fn judge() -> Judge {
    let nothing = FuzzOptions {
        programs: 1,
        packets: 0,
        seed: 1,
        ..options(Judge::Kernel, 4)
    };
    match run(&nothing, &|_| ()) {
        Err(error) if error.code == "kernel-unavailable" => {
            let required = std::env::var("HARDPATH_REQUIRE_KERNEL").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            Judge::Interpreter
        }
        _ => Judge::Kernel,
    }
}

#[test]
fn rows_do_what_the_kernel_does() {
    let judge = judge();
    let mut features = std::collections::BTreeMap::new();
    let is_full = std::env::var_os("HARDPATH_FULL").is_some();
    let mut all = 0;
    for lanes in LANES {
        // A twentieth of those of `make campaign`, others than they; a tenth under `HARDPATH_FULL`.
        let programs = match (lanes, is_full) {
            (4, true) => 300,
            (4, false) => 148,
            (_, true) => 100,
            (_, false) => 52,
        };
        all += programs;
        let options = FuzzOptions {
            programs,
            ..options(judge, lanes)
        };
        let report = run_on(&CORES, &options, &|_| ()).unwrap();
        assert_eq!(report.failures, [], "{lanes} lanes");
        let programs = u64::from(programs);
        assert_eq!((report.programs, report.of_ir), (programs, programs / 4));
        assert!(report.compiled * 10 >= report.programs * 8, "{report:?}");
        assert!(report.with_host * 4 >= report.programs, "{report:?}");
        for (name, count) in report.features {
            *features.entry(name).or_insert(0) += count;
        }
    }
    // A quarter over many programs.
    let loops = features.get(LOOP_OF_DATA).copied().unwrap_or(0);
    assert!(loops * 5 >= u64::from(all), "{loops} of {all}");
    for wanted in [
        "loop",
        "bpf_loop",
        "hash",
        "lru_hash",
        "function call",
        "map update",
    ] {
        let count = features.get(wanted).copied().unwrap_or(0);
        assert!(count >= 3, "{wanted}: {features:?}");
    }
}

/// Each of what makes rows few left out alone, and all of it.
#[test]
fn rows_without_savings_do_what_the_kernel_does() {
    let judge = judge();
    let alone = Saving::ALL.map(Without::from);
    let all = Without::from_iter(Saving::ALL);
    for (number, without) in (0_u64..).zip(alone.into_iter().chain([all])) {
        let lanes = LANES[number as usize % LANES.len()];
        let options = FuzzOptions {
            programs: 5,
            seed: 70_000 + 100 * number,
            target: Target::Core { lanes, without },
            ..options(judge, lanes)
        };
        let report = run_on(&CORES, &options, &|_| ()).unwrap();
        assert_eq!(report.failures, [], "{without:?}, {lanes} lanes");
        assert!(report.compiled * 4 >= report.programs * 3, "{report:?}");
    }
}

/// On one core, whose model is built once. Of other cores `make campaign` runs programs in Verilator.
#[test]
fn some_do_so_in_verilator() {
    if hardpath_testbed::verilator::find().is_err() {
        let required = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some();
        assert!(!required, "there is no Verilator");
        eprintln!("not tested, there is no Verilator");
        return;
    }
    let options = TrialOptions {
        verilator: true,
        ..by(judge(), 2)
    };
    let mut in_verilator = 0;
    for seed in 60_000.. {
        let mut subject = subject(seed, 0, 20, Features::for_cores());
        if !has_one_small_hash(&subject) {
            continue;
        }
        subject.hardware.bus_bits = 512;
        subject.hardware.own_core = false;
        let outcome = trial::run(&subject, options).unwrap();
        assert!(
            !matches!(outcome, Outcome::Failed(_)),
            "{seed}: {outcome:?}"
        );
        if let Outcome::Same { built, .. } = outcome {
            in_verilator += u32::from(built.in_verilator);
        }
        if in_verilator == 8 {
            break;
        }
    }
}

/// And no other map: so all have the same core.
fn has_one_small_hash(subject: &Subject) -> bool {
    let [map] = subject.code.maps.as_slice() else {
        return false;
    };
    let is_small = map.key_bytes <= 24 && map.value_bytes <= 64 && map.max_entries <= 64;
    map.map_type == MapType::Hash as u32 && is_small
}

#[test]
fn every_failure_of_the_past_is_none_in_rows() {
    let judge = judge();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut subject = case::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        // As they were found.
        subject.hardware.own_core = true;
        for lanes in LANES {
            let outcome = trial::run(&subject, by(judge, lanes)).unwrap();
            assert!(
                matches!(outcome, Outcome::Same { .. } | Outcome::Refused { .. }),
                "{}: {outcome:?}",
                path.display()
            );
        }
    }
}
