//! What stands beside an answer: on standard error for people, under `warnings` for scripts, and never an exit status of
//! its own. A defect has one.

use crate::common::{compile, hardpath, object, path, run_of, Run};
use crate::packets::{write_made, Numbers};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// The codes of an answer's warnings, each of which has all its parts.
pub fn codes(object: &Value) -> Vec<String> {
    let warnings = object["warnings"].as_array().expect("warnings");
    for warning in warnings {
        for key in ["severity", "code", "message", "place", "help"] {
            assert!(warning.get(key).is_some(), "{key} is missing: {warning}");
        }
        let severity = warning["severity"].as_str().unwrap();
        assert!(["note", "warning"].contains(&severity), "{warning}");
    }
    let code = |warning: &Value| warning["code"].as_str().unwrap().to_owned();
    warnings.iter().map(code).collect()
}

/// A comparison, for which nobody needs the kernel.
fn check(object: &str, capture: &Path, more: &[&str]) -> Run {
    let mut arguments = vec!["check", object, "--pcap", path(capture)];
    arguments.extend(["--engine", "interpreter", "--against", "interpreter"]);
    arguments.extend(more);
    hardpath(&arguments)
}

#[test]
fn every_answer_has_a_list_of_warnings() {
    for arguments in [
        &["ir", "programs/prebuilt/listing1.o"][..],
        &["compile", "programs/prebuilt/listing1.o"],
        &["explain", "loop"],
        &["supported"],
    ] {
        let run = hardpath(&[arguments, &["--json"]].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.json()["warnings"].is_array(), "{}", run.stdout);
    }
    let failed = hardpath(&["ir", "no/such.o", "--json"]);
    assert_eq!(failed.error(2, "cannot-read")["severity"], "error");
    assert_eq!(codes(&failed.json()), [""; 0]);
}

#[test]
fn a_comparison_of_nothing() {
    let place = tempfile::tempdir().unwrap();
    let capture = place.path().join("empty.pcap");
    write_made(&capture, 0, |_| Vec::new());
    let listing1 = object("listing1");
    let run = check(&listing1, &capture, &["--json"]);
    assert_eq!(
        (run.status, codes(&run.json())),
        (0, vec!["no-packets".into()])
    );
    let run = check(&listing1, &capture, &[]);
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.starts_with("warning[no-packets]: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with("more: hardpath explain no-packets\n"));
    assert!(
        !run.stdout.contains("warning") && !run.stdout.contains("same"),
        "{}",
        run.stdout
    );
    let sim = hardpath(&["sim", &listing1, "--pcap", path(&capture), "--json"]);
    assert_eq!(
        (sim.status, codes(&sim.json())),
        (0, vec!["no-packets".into()])
    );
}

#[test]
fn runts_and_giants_are_no_packets() {
    let place = tempfile::tempdir().unwrap();
    let capture = place.path().join("lengths.pcap");
    let number = std::cell::Cell::new(0);
    write_made(&capture, 6, |_| {
        number.set(number.get() + 1);
        vec![0; [13, 14, 9216, 9217, 0, 60][number.get() - 1]]
    });
    let listing1 = object("listing1");
    let run = check(&listing1, &capture, &["--json"]);
    let answer = run.json();
    assert_eq!(
        (run.status, codes(&answer)),
        (0, vec!["packets-not-taken-in".into()])
    );
    assert_eq!(
        (&answer["packets"], &answer["not_taken_in"]),
        (&3.into(), &3.into())
    );
    let text = check(&listing1, &capture, &[]);
    assert!(
        text.stdout.contains("not taken in             3\n"),
        "{}",
        text.stdout
    );
    assert!(
        text.stderr.contains("3 of 6 packets (50 %)"),
        "{}",
        text.stderr
    );
    for engine in ["interpreter", "native"] {
        let arguments = [
            "sim",
            &listing1,
            "--pcap",
            path(&capture),
            "--engine",
            engine,
        ];
        let answer = hardpath(&[&arguments[..], &["--json"]].concat()).json();
        assert_eq!(
            (&answer["packets"], &answer["not_taken_in"]),
            (&3.into(), &3.into())
        );
        assert_eq!(codes(&answer), ["packets-not-taken-in"]);
    }
}

#[test]
fn what_a_depth_leaves_out_is_said() {
    let Some((place, object)) = compile("deep") else {
        return;
    };
    let capture = place.path().join("deep.pcap");
    write_made(&capture, 100, |numbers: &mut Numbers| {
        let mut packet = vec![1; 800];
        let there = if numbers.below(10) < 8 { 700u16 } else { 20 };
        packet[14..16].copy_from_slice(&there.to_le_bytes());
        packet
    });
    let run = check(path(&object), &capture, &["--depth", "64", "--json"]);
    let answer = run.json();
    assert_eq!(
        (run.status, codes(&answer)),
        (0, vec!["packets-too-deep".into()])
    );
    let left_out = answer["too_deep"].as_u64().unwrap();
    assert!((60..100).contains(&left_out), "{answer}");
    assert_eq!(answer["packets"], 100 - left_out);
    let message = answer["warnings"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with(&format!("{left_out} of 100 packets ({left_out} %)")),
        "{message}"
    );
}

/// What the printed text makes of yosys is hardpath's fault.
#[test]
fn a_defect_is_no_refusal() {
    let place = tempfile::tempdir().unwrap();
    let yosys = place.path().join("yosys");
    fs::write(&yosys, "#!/bin/sh\necho no such wire >&2\nexit 1\n").unwrap();
    fs::set_permissions(&yosys, fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(["synth", &object("listing1"), "--json"])
        .env("HARDPATH_YOSYS", yosys)
        .current_dir(crate::common::root())
        .output()
        .unwrap();
    let error = run_of(output).error(4, "yosys-failed");
    assert!(
        error["message"].as_str().unwrap().contains("no such wire"),
        "{error}"
    );
}
