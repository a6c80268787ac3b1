//! What the fuzzer makes, and a short run of it.

use hardpath_fuzz::cores::Cores;
use hardpath_fuzz::session::subject;
use hardpath_fuzz::{
    case, run, trial, Features, FuzzOptions, Judge, Outcome, Target, TrialOptions,
};
use std::collections::BTreeSet;

/// The kernel where it can be asked. With HARDPATH_REQUIRE_KERNEL=1 it must be.
fn judge() -> Judge {
    match trial::run(
        &subject(1, 0, 0, Features::default()),
        by(Judge::Kernel, &Cores::default()),
    ) {
        Err(error) if error.code == "kernel-unavailable" => {
            let required = std::env::var("HARDPATH_REQUIRE_KERNEL").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            eprintln!("note: the interpreter judges, {}", error.message);
            Judge::Interpreter
        }
        _ => Judge::Kernel,
    }
}

fn by(judge: Judge, cores: &Cores) -> TrialOptions<'_> {
    TrialOptions {
        judge,
        target: Target::Pipeline,
        verilator: false,
        cores,
    }
}

#[test]
fn a_short_run_finds_nothing() {
    let options = FuzzOptions {
        programs: 120,
        packets: 20,
        seed: 1,
        threads: 2,
        judge: judge(),
        target: Target::Pipeline,
        verilator_every: 0,
        features: Features::default(),
        cases: None,
        keep_refused: false,
    };
    let report = run(&options, &|_| ()).unwrap();
    assert_eq!(report.failures, []);
    assert_eq!(
        (report.programs, report.compiled + report.refused),
        (120, 120)
    );
    assert!(report.compiled * 10 >= report.programs * 8, "{report:?}");
    assert!(report.rejected_by_kernel <= 12, "{report:?}");
    // Now and then a run is longer.
    assert!(report.packets > report.compiled * 20, "{report:?}");
    assert_eq!(report.hazards.values().sum::<u64>(), report.compiled);
    // Over many programs it is more than 30; a hundred have five more or less.
    assert!(report.hazard_percent() >= 20, "{:?}", report.hazards);
    let wanted = [
        "hash",
        "array",
        "lru_hash",
        "percpu_hash",
        "map update",
        "map delete",
        "time",
        "function call",
        "loop",
        "adjust_head",
    ];
    for feature in wanted {
        let count = report.features.get(feature).copied().unwrap_or(0);
        assert!(count >= 3, "{feature}: {:?}", report.features);
    }
}

/// Programs that nobody has tried before. The seed is in the message when they differ: `hardpath fuzz --seed N` runs
/// them again.
#[test]
fn a_run_of_a_fresh_seed_finds_nothing() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = now.unwrap().as_micros() as u64 % 1_000_000_000_000;
    println!("seed {seed}");
    let options = FuzzOptions {
        programs: 40,
        packets: 20,
        seed,
        threads: 2,
        judge: judge(),
        target: Target::Pipeline,
        verilator_every: 0,
        features: Features::default(),
        cases: None,
        keep_refused: false,
    };
    let report = run(&options, &|_| ()).unwrap();
    assert_eq!(report.failures, [], "seed {seed}");
    assert_eq!(report.programs, 40, "seed {seed}");
}

#[test]
fn every_failure_of_the_past_is_gone() {
    let judge = judge();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut subject = case::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for bus_bits in [64, 128, 256, 512] {
            subject.hardware.bus_bits = bus_bits;
            let outcome = trial::run(&subject, by(judge, &Cores::default())).unwrap();
            assert!(
                matches!(outcome, Outcome::Same { .. } | Outcome::Refused { .. }),
                "{}: {outcome:?}",
                path.display()
            );
        }
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn a_seed_gives_the_same_subject_and_another_seed_another_one() {
    let features = Features::default();
    for seed in 0..20 {
        assert_eq!(subject(seed, 0, 5, features), subject(seed, 0, 5, features));
        assert_ne!(
            subject(seed, 0, 5, features),
            subject(seed + 1, 0, 5, features)
        );
        assert_ne!(subject(seed, 0, 5, features), subject(seed, 1, 5, features));
    }
}

/// There are programs that use a pointer behind two changes of its map. They are refused before anybody is asked what it
/// gives: the kernel and the interpreter would differ.
#[test]
fn pointers_that_have_no_right_answer_are_tried() {
    let is_refused = |seed: &u64| {
        let subject = subject(*seed, 0, 10, Features::default());
        let object = subject.code.object();
        let Ok(mut program) = hardpath_ebpf::lift(&object, &object.programs[0]) else {
            return false;
        };
        hardpath_passes::optimize_control_flow(&mut program).is_ok()
            && hardpath_pipeline::dataflow(&program)
                .is_err_and(|errors| errors[0].code == "old-pointer")
    };
    let seed = (0..3000).find(is_refused).expect("one of them is refused");
    match trial::run(
        &subject(seed, 0, 10, Features::default()),
        by(judge(), &Cores::default()),
    )
    .unwrap()
    {
        Outcome::Refused { reason, .. } => assert_eq!(reason.code, "old-pointer"),
        other => panic!("seed {seed}: {other:?}"),
    }
}

#[test]
fn cases_are_read_as_they_were_written() {
    let features = Features {
        maps_percent: 70,
        machines_percent: 50,
        moves_percent: 0,
        reach_percent: 50,
        loops_percent: 0,
    };
    for seed in 0..200 {
        let subject = subject(seed, 0, 3, features);
        let text = case::print(&subject, "what differs\nin two lines");
        assert_eq!(case::parse(&text).unwrap(), subject, "{text}");
    }
}

/// What cases of the past look like: without what later ones can say.
#[test]
fn short_lines_are_read() {
    let subject = case::parse(
        "hardware 64\nmap m type 2 key 4 value 8 entries 1\n\
         insn 1821000000000000 0000000000000000 value m\n\
         insn b700000002000000\ninsn 9500000000000000\n",
    );
    let subject = subject.unwrap();
    assert_eq!(subject.hardware.depth, None);
    assert_eq!(subject.hardware.family, "ultrascale+");
    assert_eq!(subject.code.maps[0].initial, None);
    let text = case::print(&subject, "");
    assert_eq!(case::parse(&text).unwrap(), subject, "{text}");
}

#[test]
fn a_malformed_case_is_an_error_with_its_line() {
    let exit = "insn 9500000000000000\n";
    for (text, place) in [
        ("hardware 64\nnonsense\n", Some("line 2")),
        ("hardware 64\ninsn 95\n", Some("line 2")),
        ("hardware 64\ninsn b7000000000000\n", Some("line 2")),
        (
            "hardware 64\npacket port 9 queue 0 time 0 random 0 00\n",
            Some("line 2"),
        ),
        ("hardware 64 family none\n", Some("line 1")),
        ("hardware 64 depth 5\n", Some("line 1")),
        ("hardware 64\ntail programs 0 0\n", None),
        (exit, None),
        ("hardware 64\ninsn 0500050000000000\n", None),
    ] {
        let error = case::parse(text).unwrap_err();
        assert_eq!(error.code, "malformed-case", "{text}");
        assert_eq!(error.place_text(), place.unwrap_or_default(), "{text}");
    }
}

/// What is rare comes up, too, within a few hundred programs.
#[test]
fn programs_have_every_feature() {
    let mut missing = BTreeSet::from([
        "hash",
        "array",
        "percpu_hash",
        "percpu_array",
        "lru_hash",
        "lru_percpu_hash",
        "lpm_trie",
        "devmap",
        "devmap_hash",
        "cpumap",
        "xskmap",
        "long key",
        "long value",
        "large table",
        "key in the packet",
        "key in a value",
        "old pointer",
        "spin lock",
        "BPF_F_LOCK",
        "global variable",
        "constant variable",
        "tail call",
        "function call",
        "bpf_loop",
        "loop",
        "check_mtu",
        "perf event",
        "ring buffer",
        "depth",
        "reset in traffic",
        "7-series",
        "ecp5",
        "agilex",
        "other clock",
        "runt",
        "giant",
        "bad frame",
        "long run",
    ]);
    for seed in 0..400 {
        let subject = subject(seed, 0, 20, Features::default());
        let object = subject.code.object();
        if let Ok(lifted) = hardpath_ebpf::lift(&object, &object.programs[0]) {
            for feature in hardpath_fuzz::features::of(&subject, &lifted) {
                missing.remove(feature);
            }
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

/// Among the programs of a run are some whose LRU maps forget keys: the judges follow the design.
#[test]
fn full_maps_forget() {
    let forgets = |seed: &u64| {
        let subject = subject(*seed, 0, 60, Features::default());
        subject.forgets()
            && match trial::run(&subject, by(Judge::Interpreter, &Cores::default())).unwrap() {
                Outcome::Same { built, .. } => built.features.contains("lru forgets"),
                Outcome::Failed(failure) => panic!("seed {seed}: {failure:?}"),
                _ => false,
            }
    };
    assert!((0..300).any(|seed| forgets(&seed)));
}

#[test]
fn programs_have_the_whole_instruction_set() {
    let mut codes = BTreeSet::new();
    let mut helpers = BTreeSet::new();
    let mut backwards = 0;
    for seed in 0..1000 {
        let code = subject(seed, 0, 0, Features::default()).code;
        for (index, unit) in code.units.iter().enumerate() {
            codes.insert((
                unit.insn.code,
                unit.insn.off.min(1) * i16::from(is_alu(unit.insn.code)),
            ));
            if unit.insn.code == 0x85 && unit.insn.src == 0 {
                helpers.insert(unit.insn.imm);
            }
            backwards += u32::from(unit.target.is_some_and(|target| target <= index));
        }
    }
    assert_eq!(
        helpers,
        BTreeSet::from([
            1, 2, 3, 5, 7, 8, 12, 23, 25, 28, 44, 51, 54, 65, 93, 94, 118, 125, 130, 131, 132, 133,
            160, 163, 181, 188, 189, 190, 208
        ])
    );
    assert!(backwards > 100, "{backwards}");
    let mut missing = Vec::new();
    for class in [0x04, 0x07] {
        for op in (0x00..=0xc0)
            .step_by(16)
            .filter(|op| *op != 0x80 && *op != 0xd0)
        {
            for source in [0x00, 0x08] {
                let signed: &[i16] = match op {
                    0x30 | 0x90 => &[0, 1],
                    _ => &[0],
                };
                missing.extend(signed.iter().map(|off| (class | op | source, *off)));
            }
        }
    }
    for class in [0x05, 0x06] {
        for condition in [
            0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0,
        ] {
            missing.extend([(class | condition, 0), (class | condition | 0x08, 0)]);
        }
    }
    for size in [0x00, 0x08, 0x10, 0x18] {
        missing.extend([(0x61 | size, 0), (0x62 | size, 0), (0x63 | size, 0)]);
    }
    // Sign-extending loads, moves and swaps, negation, jumps, atomics, 64-bit immediates.
    for code in [
        0x81, 0x89, 0x91, 0x84, 0x87, 0xd4, 0xd7, 0xdc, 0x05, 0x06, 0xc3, 0xdb, 0x18, 0x95,
    ] {
        missing.push((code, 0));
    }
    missing.extend([(0xbc, 1), (0xbf, 1)]);
    missing.retain(|wanted| !codes.contains(wanted));
    assert_eq!(missing, []);
}

fn is_alu(code: u8) -> bool {
    matches!(code & 7, 4 | 7)
}
