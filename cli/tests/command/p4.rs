//! P4 sources: their tests in hardware, their folder, and what is wrong with them.

use crate::common::{hardpath, path, root};
use hardpath_testkit::parallel;
use hardpath_testkit::scripts::paired;
use std::fs;

/// Programs of `tests/stf`, each with its tests.
fn programs() -> Vec<(String, Vec<String>)> {
    paired(&root().join("tests/stf"), "p4", "stf")
}

/// What hardware refuses: copies of packets, loops that packets decide; a pipeline checksums over payloads, a core arithmetic of more
/// than 64 bits.
const REFUSED: [&str; 14] = [
    "for-several",
    "int-wide",
    "parser-loop",
    "v1-checksum-payload",
    "v1-clone-egress",
    "v1-clone-ingress",
    "v1-clone-without-session",
    "v1-drop-and-clone",
    "v1-multicast",
    "v1-recirculate",
    "v1-resubmit",
    "wide-divide",
    "wide-modulo",
    "wide-multiply",
];

/// Runs tests of every so manieth program on hardware; gives how many passed.
fn pass(every: usize, options: &[&str]) -> u64 {
    let programs: Vec<_> = programs().into_iter().step_by(every).collect();
    let passed = parallel::map(programs.len(), |at| {
        let (name, tests) = &programs[at];
        let program = format!("tests/stf/{name}.p4");
        let tests: Vec<String> = tests
            .iter()
            .map(|test| format!("tests/stf/{test}.stf"))
            .collect();
        let mut arguments = vec!["stf", "--json", program.as_str()];
        arguments.extend(tests.iter().map(String::as_str));
        arguments.extend(options);
        let run = hardpath(&arguments);
        let told = run.json();
        assert_eq!(told["failed"], 0, "{name}: {told:#}");
        if told["refused"] != 0 {
            assert!(REFUSED.contains(&name.as_str()), "{name}: {told:#}");
            assert_eq!(run.status, 3, "{told:#}");
        }
        told["passed"].as_u64().expect("a number")
    });
    passed.into_iter().sum()
}

/// `HARDPATH_FULL` takes all programs.
fn step(every: usize) -> usize {
    match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 1,
        None => every,
    }
}

#[test]
fn tests_of_p4_pass_in_pipelines() {
    assert!(pass(1, &[]) >= 318);
}

#[test]
fn programs_that_write_their_headers_back_take_a_packet_a_clock() {
    // The tunnel puts 28 bytes in front of a packet of 60, which then leaves in two beats.
    for (name, beats) in [("l2l3", 1.0), ("firewall", 1.0), ("tunnel", 2.0)] {
        let folder = tempfile::tempdir().expect("a folder");
        let program = format!("programs/p4/{name}.p4");
        let out = path(folder.path());
        let told = hardpath(&["compile", "--json", program.as_str(), "-o", out]).json();
        let clock = told["clock_mhz"].as_f64().expect("a clock") * 1e6;
        assert_eq!(
            told["promise"]["any_traffic_pps"],
            clock / beats,
            "{name}: {told:#}"
        );
        assert_eq!(told["promise"]["slowest_map"], serde_json::Value::Null);
    }
}

#[test]
fn tests_of_p4_pass_on_cores() {
    let every = step(4);
    let passed = pass(every, &["--target", "core"]);
    assert!(passed >= 310 / every as u64, "{passed}");
}

#[test]
fn rows_of_cores_pass_tests_of_p4() {
    let every = step(4);
    let passed = pass(every, &["--target", "core", "--engine", "rows"]);
    assert!(passed >= 310 / every as u64, "{passed}");
}

/// The printed text of some.
#[test]
fn tests_of_p4_pass_in_verilator() {
    let every = step(41);
    let passed = pass(every, &["--engine", "verilator", "--bus", "128"]);
    assert!(passed >= 300 / every as u64, "{passed}");
}

#[test]
fn a_design_of_p4_has_its_p4info_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let program = "tests/stf/table-action-arguments.p4";
    let run = hardpath(&["compile", program, "-o", path(&folder)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for ending in [".sv", ".f", ".p4info.txtpb", ".p4info.bin"] {
        assert!(names.iter().any(|name| name.ends_with(ending)), "{names:?}");
    }
    let info = hardpath(&["p4info", program]).stdout;
    let text = names.iter().find(|name| name.ends_with(".txtpb")).unwrap();
    assert_eq!(fs::read_to_string(folder.join(text)).unwrap(), info);
    assert!(info.contains("tables {"), "{info}");
}

#[test]
fn wrong_sources_are_told_with_their_places() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("wrong.p4");
    fs::write(
        &file,
        "#include <core.p4>\nheader h { bit<8> a; }\nconst bit<8> X = Y;\nbit<8> f() { }\n",
    )
    .unwrap();
    let run = hardpath(&["p4check", "--json", path(&file)]);
    assert_eq!(run.status, 2);
    let errors = &run.json()["errors"];
    assert_eq!(errors.as_array().map(Vec::len), Some(2), "{errors:#}");
    fs::write(&file, "#include <core.p4>\nheader h { bit<8> a; }\n").unwrap();
    assert_eq!(hardpath(&["p4check", path(&file)]).status, 0);
    let run = hardpath(&["compile", "--json", path(&file)]);
    run.error(2, "p4-instance");
    let object = hardpath(&[
        "compile",
        "--json",
        "programs/prebuilt/firewall.o",
        "-I",
        ".",
    ]);
    object.error(2, "option-needs-p4");
}

#[test]
fn sources_are_given_their_usual_form() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ugly.p4");
    fs::write(&file, "header  h{bit<8>a;\n}\n").unwrap();
    assert_eq!(hardpath(&["p4fmt", "--check", path(&file)]).status, 1);
    assert_eq!(hardpath(&["p4fmt", path(&file)]).status, 0);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "header h {\n    bit<8> a;\n}\n"
    );
    assert_eq!(hardpath(&["p4fmt", "--check", path(&file)]).status, 0);
}
