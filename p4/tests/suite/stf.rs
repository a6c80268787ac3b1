//! Our own tests of programs, packets in and packets out: by the reference interpreter, and by what the programs become.

use hardpath_p4::commands::Command;
use hardpath_p4::design::{design, Design};
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{self, lower, Deparse};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Verdict};
use hardpath_p4::source::Sources;
use hardpath_p4::stf;
use hardpath_p4::typed::Program;
use hardpath_testkit::scripts::paired;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/stf")
}

/// Programs, each with its tests.
fn all() -> Vec<(String, Vec<String>)> {
    paired(&folder(), "p4", "stf")
}

struct Read {
    program: Program,
    sources: Sources,
    design: Design,
}

fn read(name: &str) -> Read {
    let path = folder().join(format!("{name}.p4"));
    let read = hardpath_p4::load(&path, None, &Options::default());
    let (program, sources) = read.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    let design = design(&program, &sources).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    Read {
        program,
        sources,
        design,
    }
}

fn commands(test: &str) -> Vec<Command> {
    let text = std::fs::read_to_string(folder().join(format!("{test}.stf"))).unwrap();
    stf::read(test, &text).unwrap_or_else(|errors| panic!("{test}: {errors:#?}"))
}

/// What must be known of tests that are refused, and why.
const REFUSED: [(&str, &str); 7] = [
    ("v1-clone-egress", "copies of packets"),
    ("v1-clone-ingress", "copies of packets"),
    ("v1-clone-without-session", "copies of packets"),
    ("v1-drop-and-clone", "copies of packets"),
    ("v1-multicast", "copies of packets"),
    ("v1-recirculate", "recirculate"),
    ("v1-resubmit", "resubmit"),
];

fn told(test: &str, verdict: Result<Verdict, Vec<hardpath_diagnostic::Diagnostic>>) -> usize {
    let refused = REFUSED.iter().find(|(name, _)| *name == test);
    match (
        verdict.unwrap_or_else(|errors| panic!("{test}: {errors:#?}")),
        refused,
    ) {
        (Verdict::Passed, None) => 1,
        (Verdict::Refused(error), Some((_, why))) => {
            assert!(error.message.contains(why), "{test}: {error}");
            0
        }
        (other, _) => panic!("{test}: {other:#?}"),
    }
}

#[test]
fn every_program_says_what_it_tries() {
    for (name, tests) in all() {
        let text = std::fs::read_to_string(folder().join(format!("{name}.p4"))).unwrap();
        assert!(text.starts_with("// Section"), "{name}");
        assert!(!tests.is_empty(), "{name} has no test");
    }
}

#[test]
fn the_interpreter_gives_what_the_specification_says() {
    let mut passed = 0;
    for (name, tests) in all() {
        let Read {
            program,
            sources,
            design,
        } = read(&name);
        for test in tests {
            let verdict = runner::interpret(&program, &sources, &design, &commands(&test));
            passed += told(&test, verdict);
        }
    }
    assert!(passed >= 320, "{passed}");
}

/// Loops that packets decide, and copies of packets.
const NOT_LOWERED: [(&str, &str); 7] = [
    ("v1-clone-egress", "`clone`"),
    ("v1-clone-ingress", "`clone`"),
    ("v1-clone-without-session", "`clone`"),
    ("v1-drop-and-clone", "`clone`"),
    ("v1-multicast", "multicast"),
    ("v1-recirculate", "recirculate"),
    ("v1-resubmit", "resubmit"),
];

#[test]
fn what_programs_become_gives_the_same() {
    for deparse in [Deparse::Front, Deparse::Memory] {
        all_become_the_same(deparse);
    }
}

fn all_become_the_same(deparse: Deparse) {
    let mut passed = 0;
    for (name, tests) in all() {
        let Read {
            program,
            sources,
            design,
        } = read(&name);
        let refused = NOT_LOWERED.iter().find(|(other, _)| *other == name);
        let lowered = match (lower(&program, &sources, &design, deparse), refused) {
            (Ok(lowered), None) => lowered,
            (Err(errors), Some((_, why))) => {
                assert!(
                    errors.iter().any(|error| error.message.contains(why)),
                    "{name}: {errors:#?}"
                );
                continue;
            }
            (Err(errors), None) => panic!("{name}: {errors:#?}"),
            (Ok(_), Some(_)) if name == "v1-multicast" => continue,
            (Ok(_), Some(_)) => panic!("{name} is not refused any more"),
        };
        let right = hardpath_ir::verifier::verify(&lowered.program);
        right.unwrap_or_else(|errors| panic!("{name}: {errors:#?}\n{}", lowered.program));
        for test in tests {
            passed += told(&test, run(&program, &sources, &design, &lowered, &test));
        }
    }
    assert!(passed >= 315, "{passed}");
}

fn run(
    program: &Program,
    sources: &Sources,
    design: &Design,
    lowered: &lower::Lowered,
    test: &str,
) -> Result<Verdict, Vec<hardpath_diagnostic::Diagnostic>> {
    let device = interpreter(lowered);
    let mut running = Running::new(device, lowered, program, sources, design)?;
    runner::run(&mut running, program, sources, design, &commands(test))
}

/// A test that expects something else fails.
#[test]
fn a_wrong_packet_is_told() {
    let Read {
        program,
        sources,
        design,
    } = read("bit-add-wrap");
    let wrong = stf::read("wrong", "packet 1 fe0600\nexpect 0 fe0600 $\nexpect 0 00\n").unwrap();
    let verdict = runner::interpret(&program, &sources, &design, &wrong);
    match verdict.unwrap() {
        Verdict::Failed(errors) => {
            assert_eq!(errors.len(), 2, "{errors:#?}");
            let help = errors[0].help.as_deref().unwrap();
            assert!(
                help.starts_with("expected was fe0600$: byte 1 is "),
                "{help}"
            );
        }
        other => panic!("{other:?}"),
    }
    // It came out somewhere else.
    let wrong = stf::read("wrong", "packet 1 fe0600\nexpect 5\n").unwrap();
    let verdict = runner::interpret(&program, &sources, &design, &wrong);
    match verdict.unwrap() {
        Verdict::Failed(errors) => {
            let help = errors[0].help.as_deref().unwrap();
            assert!(help.starts_with("out of port 0 came fe04"), "{help}");
        }
        other => panic!("{other:?}"),
    }
}

/// Each entry that is wrong is told, and no packet is missed behind them.
#[test]
fn all_wrong_entries_are_told() {
    let Read {
        program,
        sources,
        design,
    } = read("table-entries-exact");
    let text = "add t h.a:1 sett(value:0x33)\nadd u h.a:2 set(value:1)\nadd t h.a:9 set(value:1)\npacket 0 09\n\
                expect 7\nadd t h.a:8 set(val:1)\n";
    let wrong = stf::read("wrong", text).unwrap();
    let errors = runner::interpret(&program, &sources, &design, &wrong).unwrap_err();
    let lines: Vec<u32> = errors
        .iter()
        .map(|error| error.place.as_ref().unwrap().line)
        .collect();
    assert_eq!(lines, [1, 2, 6], "{errors:#?}");
}

/// Of a table without priorities, an entry of the program is the same as one that is added with its keys.
#[test]
fn an_entry_of_the_program_is_not_added_again() {
    let Read {
        program,
        sources,
        design,
    } = read("table-entries-exact");
    let again = stf::read("again", "add t h.a:1 set(value:0x33)\n").unwrap();
    let errors = runner::interpret(&program, &sources, &design, &again).unwrap_err();
    assert!(errors[0].message.contains("already"), "{errors:#?}");
}

/// What a program says beside its packets.
#[test]
fn messages_are_told() {
    let Read {
        program,
        sources,
        design,
    } = read("v1-messages");
    let commands = commands("v1-messages");
    let mut machine = hardpath_p4::interpreter::Machine::new(&program, &sources, &design).unwrap();
    let ran = runner::run_told(&mut machine, &program, &sources, &design, &commands);
    let (verdict, messages) = ran.unwrap();
    assert_eq!(verdict, Verdict::Passed);
    let told: Vec<String> = messages
        .iter()
        .map(|(packet, message)| {
            let line = message.place.line;
            format!("{packet} {line} {}: {}", message.said.kind(), message.said)
        })
        .collect();
    assert_eq!(
        told,
        [
            "1 27 log: a = 5, r = 7, {}",
            "1 31 digest: digest learnt_t { a: 5, known: true }",
            "2 27 log: a = 200, r = 7, {}",
            "2 28 assert: `assert` does not hold",
            "2 31 digest: digest learnt_t { a: 200, known: false }",
        ]
    );
    let lowered = lower::lower(&program, &sources, &design, lower::Deparse::Front).unwrap();
    let lines: Vec<u32> = lowered
        .unheard
        .iter()
        .filter_map(|one| one.place.as_ref())
        .map(|place| place.line)
        .collect();
    assert_eq!(lines, [27, 28, 29, 31]);
    assert!(lowered.warnings.is_empty());
}

/// `no_packet` fails by what has left beside what was expected before it.
#[test]
fn what_leaves_where_nothing_was_to_is_told() {
    let Read {
        program,
        sources,
        design,
    } = read("bit-add-wrap");
    let run = |test: &str| {
        let commands = stf::read("test", test).unwrap();
        runner::interpret(&program, &sources, &design, &commands).unwrap()
    };
    match run("packet 1 fe0600\nno_packet\n") {
        Verdict::Failed(errors) => {
            let [error] = &errors[..] else {
                panic!("{errors:#?}");
            };
            assert_eq!(error.place.as_ref().unwrap().line, 2);
            assert!(error.message.contains("out of port 0 came fe"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    let expected = "packet 1 fe0600\nexpect 0\nno_packet\n";
    assert!(matches!(run(expected), Verdict::Passed));
}
