//! Programs that hardpath refuses: the reason, the source line and the way out, exit status 3, and nothing written.
//! They are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::write_made;
use std::path::PathBuf;
use tempfile::TempDir;

fn object() -> Option<(TempDir, PathBuf)> {
    compile("refused")
}

/// The program is refused with this code, in a place that holds `source`.
fn is_refused(program: &str, code: &str, source: &str) {
    let Some((place, object)) = object() else {
        return;
    };
    let output = place.path().join("design");
    let arguments = [
        "compile",
        path(&object),
        "--program",
        program,
        "-o",
        path(&output),
        "--json",
    ];
    let error = hardpath(&arguments).error(3, code);
    let at = error["place"].as_str().unwrap();
    assert!(
        at.contains("refused.o: section xdp, instruction "),
        "{error}"
    );
    assert!(at.contains("refused.c:") && at.contains(source), "{error}");
    assert!(error["help"].is_string(), "{error}");
    assert!(!output.exists());
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        1,
        "only the object is there"
    );
}

#[test]
fn helper() {
    is_refused(
        "unsupported_helper",
        "unsupported-helper",
        "bpf_fib_lookup(ctx, 0, 0, 0)",
    );
}

#[test]
fn map() {
    is_refused(
        "unsupported_map",
        "unsupported-map",
        "bpf_map_lookup_elem(&sockets",
    );
}

#[test]
fn relocation() {
    is_refused(
        "unsupported_relocation",
        "unresolved-symbol",
        "LINUX_KERNEL_VERSION",
    );
}

/// The codes and places of all errors of a program, when it is compiled.
fn all_errors(name: &str, program: &str) -> Vec<(String, String)> {
    let Some((_place, object)) = compile(name) else {
        return Vec::new();
    };
    let run = hardpath(&["compile", path(&object), "--program", program, "--json"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    let answer = run.json();
    let one = [answer["error"].clone()];
    let errors = answer["errors"].as_array().map_or(&one[..], |all| all);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    (errors.iter())
        .map(|error| (text(&error["code"]), text(&error["place"])))
        .collect()
}

/// One error for each call, and none for what is done with what it gives.
#[test]
fn kernel_functions() {
    let cases = [
        (
            "time",
            "unsupported-kfunc",
            &["bpf_xdp_metadata_rx_timestamp"][..],
        ),
        (
            "slice",
            "unsupported-kfunc",
            &["bpf_dynptr_from_xdp", "bpf_dynptr_slice"],
        ),
        ("library", "unresolved-symbol", &["hash("]),
    ];
    for (program, code, calls) in cases {
        let errors = all_errors("kfunc", program);
        assert!(
            errors.is_empty() || errors.len() == calls.len(),
            "{errors:?}"
        );
        for ((found, place), call) in errors.iter().zip(calls) {
            assert_eq!(found, code);
            assert!(place.contains(call), "{place}");
        }
    }
}

/// A kernel variable is an address that is not there, and one error.
#[test]
fn kernel_variables() {
    let errors = all_errors("refused", "unsupported_relocation");
    let codes: Vec<&str> = errors.iter().map(|(code, _)| code.as_str()).collect();
    assert!(
        codes.is_empty() || codes == ["unresolved-symbol"],
        "{codes:?}"
    );
}

/// Not what there is, but what to do instead.
#[test]
fn helpers_have_advice() {
    let Some((_place, object)) = object() else {
        return;
    };
    let arguments = [
        "ir",
        path(&object),
        "--program",
        "unsupported_helper",
        "--json",
    ];
    let error = hardpath(&arguments).error(3, "unsupported-helper");
    let help = error["help"].as_str().unwrap();
    assert!(
        help.contains("LPM trie") && help.contains("hardpath supported"),
        "{help}"
    );
    assert!(!help.contains("map_lookup_elem"), "{help}");
}

#[test]
fn loop_back() {
    is_refused("loop", "loop", "");
}

/// What the pipeline refuses has its place in the same form.
#[test]
fn old_pointer() {
    is_refused("old_pointer", "old-pointer", "return *count");
}

#[test]
fn size_that_is_left_open() {
    let Some((_place, object)) = object() else {
        return;
    };
    let arguments = [
        "ir",
        path(&object),
        "--program",
        "map_without_size",
        "--json",
    ];
    let error = hardpath(&arguments).json()["error"].clone();
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .contains("--max-entries open_size="),
        "{error}"
    );
    let mut with_size = arguments.to_vec();
    with_size.extend(["--max-entries", "open_size=8"]);
    let run = hardpath(&with_size);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn choice_between_programs() {
    let Some((_place, object)) = object() else {
        return;
    };
    let error = hardpath(&["ir", path(&object), "--json"]).error(2, "several-programs");
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .contains("unsupported_helper"),
        "{error}"
    );
}

/// What the passes and the pipeline refuse stands where what lifting refuses does.
#[test]
fn places_name_the_section() {
    for (code, place) in all_errors("deep", "deep") {
        assert_eq!(code, "variable-offset");
        assert!(
            place.contains("deep.o: section xdp, instruction "),
            "{place}"
        );
        assert!(
            place.contains("(deep.c:") && !place.contains("deep.c:0"),
            "{place}"
        );
    }
}

/// What cannot be lifted does not hide what the pipeline would refuse of the rest.
#[test]
fn refusals_of_all_parts_come_together() {
    let errors = all_errors("together", "two_reasons");
    let found: Vec<(&str, bool)> = (errors.iter())
        .map(|(code, place)| (code.as_str(), place.contains("together.c:")))
        .collect();
    let wanted = [("unsupported-helper", true), ("old-pointer", true)];
    assert!(found.is_empty() || found == wanted, "{errors:?}");
}

/// One error for one reason, whatever takes too long, and a clock that works.
#[test]
fn a_clock_that_is_too_fast() {
    let object = crate::common::object("firewall");
    let compiled = |clock: &str| hardpath(&["compile", &object, "--clock", clock, "--json"]);
    let error = compiled("900").error(3, "clock-too-fast");
    let help = error["help"].as_str().unwrap();
    let clock = help.split("at most ").nth(1).unwrap();
    let clock = clock.split(' ').next().unwrap();
    assert_eq!(compiled(clock).status, 0, "{help}");
    let next = (clock.parse::<u32>().unwrap() + 1).to_string();
    compiled(&next).error(3, "clock-too-fast");
}

/// Which update of which map it is, and where.
#[test]
fn an_update_that_decides_on_another_entry() {
    let Some((_place, object)) = compile("together") else {
        return;
    };
    let arguments = [
        "compile",
        path(&object),
        "--program",
        "room_decides",
        "--json",
    ];
    let error = hardpath(&arguments).error(3, "lookup-after-update");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("map counts") && message.contains("(line "),
        "{error}"
    );
}

/// What follows from the flags of an update is no such case.
#[test]
fn flags_that_follow_from_the_packet() {
    let Some((place, object)) = compile("together") else {
        return;
    };
    let capture = place.path().join("flags.pcap");
    write_made(&capture, 400, |numbers| {
        (0..60).map(|_| numbers.next() as u8).collect()
    });
    let run = hardpath(&[
        "check",
        path(&object),
        "--program",
        "flags_vary",
        "--pcap",
        path(&capture),
        "--against",
        judge(),
        "--json",
    ]);
    let answer = run.json();
    assert_eq!(run.status, 0, "{answer}");
    assert_eq!(
        (&answer["packets"], &answer["mismatches"]),
        (&400.into(), &0.into())
    );
}

/// One stage is one stage.
#[test]
fn one_is_singular() {
    let Some((place, object)) = compile("together") else {
        return;
    };
    let output = place.path().join("design");
    let run = hardpath(&[
        "compile",
        path(&object),
        "--program",
        "one_stage",
        "-o",
        path(&output),
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let mut said = vec![run.stdout, run.stderr];
    for file in std::fs::read_dir(&output).unwrap() {
        said.push(std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    let is_one = |word: &str| word.trim_start_matches(['(', '`']) == "1";
    let plurals = [
        "stages",
        "clocks",
        "entries",
        "packets",
        "instructions",
        "maps",
    ];
    for text in said {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2) {
            let noun = pair[1].trim_end_matches(|letter: char| !letter.is_alphabetic());
            assert!(!(is_one(pair[0]) && plurals.contains(&noun)), "{pair:?}");
        }
    }
}
