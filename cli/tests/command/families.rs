//! `--target` names the kind of hardware, `--family` the FPGAs that it is for.

use crate::common::{hardpath, object, path};
use serde_json::Value;
use std::fs;

fn compile(options: &[&str]) -> crate::common::Run {
    let object = object("listing1");
    hardpath(&[&["compile", &object, "--json"], options].concat())
}

fn codes(answer: &Value) -> Vec<&str> {
    let warnings = answer["warnings"].as_array().unwrap();
    let codes = warnings.iter().map(|warning| warning["code"].as_str());
    codes.map(|code| code.unwrap()).collect()
}

#[test]
fn a_family_behind_target_is_understood_with_a_note() {
    let old = compile(&["--target", "ecp5"]);
    assert_eq!(old.status, 0, "{}", old.stdout);
    let old = old.json();
    assert_eq!(codes(&old)[0], "family-as-target");
    let note = &old["warnings"][0];
    assert_eq!(note["kind"], "note");
    assert!(note["help"].as_str().unwrap().contains("--family ecp5"));
    let new = compile(&["--target", "pipeline", "--family", "ecp5"]).json();
    assert_eq!(new["clock_mhz"], 75.0);
    assert!(!codes(&new).contains(&"family-as-target"));
    // Nothing but the note is different.
    let without_warnings = |mut answer: Value| {
        answer["warnings"].take();
        answer
    };
    assert_eq!(without_warnings(old), without_warnings(new));
}

#[test]
fn families_that_disagree() {
    let error = compile(&["--target", "7-series", "--family", "ecp5"]).error(2, "two-families");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("7-series") && message.contains("ecp5"));
    let same = compile(&["--target", "ecp5", "--family", "ecp5"]);
    assert_eq!(
        (same.status, codes(&same.json())[0]),
        (0, "family-as-target")
    );
}

#[test]
fn names_that_are_nothing() {
    for (options, meant) in [
        (["--target", "pipline"], "pipeline"),
        (["--family", "ultrascale"], "ultrascale+"),
    ] {
        let error = compile(&options).error(2, "usage");
        let all = format!("{} {}", error["message"], error["help"]);
        assert!(all.contains(meant), "{all}");
    }
}

/// The folder of a design has no program any more, and the note is said all the same.
#[test]
fn notes_stand_beside_the_folder_of_a_design_too() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let folder = crate::common::path(&folder);
    assert_eq!(compile(&["-o", folder]).status, 0);
    let run = hardpath(&[
        "synth",
        folder,
        "--flow",
        "vivado",
        "--target",
        "ultrascale+",
        "--json",
    ]);
    assert_eq!(codes(&run.json()), ["family-as-target"]);
}

/// Which of its buckets a packet changes is known late, and behind LUTs of four inputs nothing else waits for that.
#[test]
fn buckets_are_chosen_last_where_luts_are_small() {
    for (family, last) in [("ultrascale+", false), ("ecp5", true)] {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("design");
        let given = ["compile", "tests/stf/v1-meter.p4", "--family", family];
        let run = hardpath(&[&given[..], &["-o", path(&out)]].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        for meter in ["by_byte", "by_packet"] {
            let memory = out.join(format!("v1_meter_map_I_{meter}_values.sv"));
            let text = fs::read_to_string(memory).unwrap();
            let parts = ["changes_0,", "changes_1,"];
            assert!(
                parts.iter().all(|part| text.contains(part) == last),
                "{family}, {meter}"
            );
        }
    }
}
