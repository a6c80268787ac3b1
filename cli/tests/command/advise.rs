//! A program's pipeline and a core with it, side by side.

use crate::common::{compile, hardpath, object, path, root, Run};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn advise(file: &str, options: &[&str]) -> Run {
    hardpath(&[&["advise", file, "--json"], options].concat())
}

fn good(file: &str, options: &[&str]) -> Value {
    let run = advise(file, options);
    assert_eq!(run.status, 0, "{file} {options:?}: {}", run.stdout);
    run.json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

const FIREWALL: [&str; 2] = ["--maps", "programs/firewall.maps.json"];

#[test]
fn each_side_has_its_programs() {
    let answer = good(&object("firewall"), &FIREWALL);
    assert_eq!(answer["take"], "pipeline", "{answer}");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.starts_with("only it keeps up"), "{reason}");
    let (pipeline, core) = (&answer["pipeline"], &answer["core"]);
    assert!(number(&pipeline["many_flows"]["mpps"]) > 240.0, "{answer}");
    let (many, one) = (&core["many_flows"], &core["one_flow"]);
    assert!((1.0..60.0).contains(&number(&many["mpps"])), "{answer}");
    assert!((1.0..60.0).contains(&number(&one["mpps"])), "{answer}");
    assert_eq!(many["keeps_up"], false);
    // The same packets come to the same on both sides.
    assert_eq!(pipeline["verdicts"], core["verdicts"]);
    assert_eq!(core["verdicts"]["XDP_REDIRECT"], 4000);
    assert!(number(&pipeline["latency"]["clocks"]) < number(&core["latency"]["clocks"]));

    // A slower line: the core keeps up, and changes its program.
    let answer = good(&object("listing1"), &["--line", "10G"]);
    assert_eq!(answer["take"], "core", "{answer}");
    assert_eq!(answer["core"]["many_flows"]["keeps_up"], true);
    assert_eq!(answer["pipeline"]["many_flows"]["keeps_up"], true);
    // 64 bytes, and 24 around them, at 10 Gbit/s.
    let needed = number(&answer["traffic"]["needed_mpps"]);
    assert!((14.20..14.21).contains(&needed), "{needed}");
}

#[test]
fn the_answer_has_both_sides() {
    let answer = good(
        &object("listing1"),
        &["--lanes", "2", "--threads", "16", "--bus", "128"],
    );
    for key in [
        "program", "traffic", "pipeline", "core", "take", "reason", "warnings",
    ] {
        assert!(answer.get(key).is_some(), "{key}: {answer}");
    }
    assert_eq!(answer["traffic"]["line_mbit"], 25_000);
    assert_eq!(answer["traffic"]["maps"], "filled");
    let (pipeline, core) = (&answer["pipeline"], &answer["core"]);
    for side in [pipeline, core] {
        assert_eq!(
            (&side["takes"], &side["refused"]),
            (&true.into(), &Value::Null)
        );
        assert_eq!(side["clock_mhz"], 250.0);
        for part in ["lut", "ff", "bram36", "uram", "dsp"] {
            assert!(side["estimate"][part].is_number(), "{part}: {side}");
        }
        for flows in ["one_flow", "many_flows"] {
            let rate = &side[flows];
            let per_clock = number(&rate["packets_per_clock"]);
            assert!(
                (number(&rate["mpps"]) - 250.0 * per_clock).abs() < 1e-6,
                "{rate}"
            );
            assert!(number(&rate["clocks_per_packet"]) >= 1.0, "{rate}");
        }
        let latency = &side["latency"];
        assert_eq!(number(&latency["ns"]), number(&latency["clocks"]) * 4.0);
    }
    assert_eq!(pipeline["change"]["by"], "build");
    let change = &core["change"];
    assert_eq!(change["by"], "load");
    assert!(number(&change["clocks"]) > 20.0, "{change}");
    assert_eq!(number(&change["us"]), number(&change["clocks"]) / 250.0);
    assert_eq!((&core["lanes"], &core["threads"]), (&2.into(), &16.into()));
    // What the other commands say.
    let file = object("listing1");
    let rows = hardpath(&[
        "compile", &file, "--target", "core", "--lanes", "2", "--json",
    ])
    .json();
    for key in ["rows", "operations"] {
        assert_eq!(core[key], rows[key], "{key}");
    }
    let compiled = hardpath(&["compile", &file, "--bus", "128", "--json"]).json();
    assert_eq!(pipeline["stages"], compiled["stages"]);
    assert_eq!(pipeline["estimate"], compiled["estimate"]);
}

#[test]
fn people_get_a_table() {
    let run = hardpath(&["advise", &object("listing1"), "--line", "10G"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for part in [
        "listing1 (section xdp, ",
        "4,000 packets of 64 bytes in ",
        "\n  rate, one flow    ",
        "\n  another program   a build with the vendor's tool  ",
        "\nTake the core: it keeps up with the line, which brings 14.2 Mpps, ",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
}

#[test]
fn captures_and_a_core_that_is_built() {
    let place = tempfile::tempdir().unwrap();
    let (capture, folder) = (place.path().join("one.pcapng"), place.path().join("core"));
    let traffic = [
        "traffic",
        "--packets",
        "50",
        "--flows",
        "1",
        "--size",
        "1000",
        "-o",
    ];
    assert_eq!(
        hardpath(&[&traffic[..], &[path(&capture)]].concat()).status,
        0
    );
    let slots = place.path().join("slots.json");
    fs::write(
        &slots,
        r#"[{"kind": "array", "value_bytes": 8, "entries": 1024}]"#,
    )
    .unwrap();
    let build = [
        "core",
        "--lanes",
        "2",
        "--maps",
        path(&slots),
        "-o",
        path(&folder),
    ];
    assert_eq!(hardpath(&build).status, 0);
    let core = folder.join("core.json");
    let options = ["--pcap", path(&capture), "--core", path(&core)];
    let answer = good(&object("listing1"), &options);
    let traffic = &answer["traffic"];
    assert_eq!(
        (&traffic["packets"], &traffic["flows"]),
        (&50.into(), &1.into())
    );
    assert_eq!(traffic["captured"], true);
    assert_eq!(answer["core"]["lanes"], 2);
    // A packet is 16 beats, and takes no less.
    for side in ["pipeline", "core"] {
        let rate = &answer[side]["one_flow"]["packets_per_clock"];
        assert!(
            (0.01..=1.0 / 16.0).contains(&number(rate)),
            "{side}: {rate}"
        );
    }
    // The firewall does not fit it.
    let options = [&FIREWALL[..], &["--core", path(&core)]].concat();
    let answer = good(&object("firewall"), &options);
    assert_eq!(
        (&answer["core"]["takes"], &answer["take"]),
        (&false.into(), &"pipeline".into())
    );
    assert_eq!(answer["core"]["refused"][0]["code"], "core-lacks");
    assert_eq!(answer["reason"], "a core does not take the program");
}

/// Walks over options to the end of the packet, each of which says how long it is: only the data bound the rounds.
const WALK: &str = r#"program "walk" structured

output "verdict" 3 values "XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"

block0:
    v0:64 = const 14
    v1:64 = const 1
    v2:16 = input length
    v3:64 "end" = zext v2
    jump block1(v0, v1)

block1(v5:64 "at", v6:64 "options") loop unknown:
    v7:1 = ult v5, v3
    branch v7, block2, block3

block2:
    v8:8 = packet.load v5
    v9:64 = zext v8
    v10:64 = add v9, v1
    v11:64 = add v5, v10
    v12:64 = add v6, v1
    jump block1(v11, v12)

block3:
    v14:1 = slice v6, 0
    v15:3 = const 2
    emit v14 with v15
"#;

#[test]
fn what_one_side_refuses_the_other_takes() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("walk.hir");
    fs::write(&file, WALK).unwrap();
    let answer = good(path(&file), &[]);
    assert_eq!(answer["take"], "core", "{answer}");
    let (pipeline, core) = (&answer["pipeline"], &answer["core"]);
    assert_eq!(pipeline["takes"], false);
    let refused = &pipeline["refused"][0];
    assert_eq!(refused["code"], "program-too-large", "{refused}");
    assert!(refused["help"].is_string(), "{refused}");
    assert_eq!(core["takes"], true);
    let run = hardpath(&["advise", path(&file)]);
    assert!(
        run.stdout.contains("\nno pipeline: program-too-large: "),
        "{}",
        run.stdout
    );
}

#[test]
fn what_both_refuse_is_refused() {
    let Some((_place, object)) = compile("refused") else {
        return;
    };
    let run = advise(path(&object), &["--program", "unsupported_helper"]);
    run.error(3, "unsupported-helper");
    // It is the same for both, and said once.
    assert!(run.json().get("errors").is_none(), "{}", run.stdout);
}

fn file(text: &str) -> (TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, text).unwrap();
    let name = path(&file).to_owned();
    (place, name)
}

#[test]
fn bad_input() {
    let listing1 = object("listing1");
    let (_place, nothing) = file("nothing");
    for (options, code) in [
        (&["--line", "back-to-back"][..], "unknown-pace"),
        (&["--line", "fast"], "unknown-pace"),
        (&["--pcap", &nothing], "not-a-capture"),
        (&["--maps", &nothing], "map-file-form"),
        (&["--core", &nothing], "core-file"),
        (&["--program", "other"], "unknown-program"),
        (&["--lanes", "3"], "usage"),
        (&["--target", "core"], "usage"),
        (&["--core", &nothing, "--lanes", "2"], "usage"),
    ] {
        advise(&listing1, options).error(2, code);
    }
    advise("programs/none.o", &[]).error(2, "cannot-read");
    let place = tempfile::tempdir().unwrap();
    let empty = place.path().join("empty.pcapng");
    let some = root().join("programs/firewall.pcap");
    // Its header alone.
    fs::write(&empty, &fs::read(some).unwrap()[..24]).unwrap();
    advise(&listing1, &["--pcap", path(&empty)]).error(2, "no-packets");
}

/// The estimates of both sides beside what yosys makes of them, under `HARDPATH_FULL=1`.
#[test]
fn estimates_are_within_a_quarter() {
    if std::env::var_os("HARDPATH_FULL").is_none() {
        return;
    }
    let file = object("listing1");
    let answer = good(&file, &["--lanes", "2"]);
    for (side, options) in [
        ("pipeline", &[][..]),
        ("core", &["--target", "core", "--lanes", "2"]),
    ] {
        let synth = ["synth", &file, "--no-parts", "--json"];
        let run = hardpath(&[&synth[..], options].concat());
        assert_eq!(run.status, 0, "{}", run.stdout);
        let measured = run.json();
        for part in ["lut", "ff", "bram36"] {
            let (said, is) = (&answer[side]["estimate"][part], &measured[part]);
            let ratio = number(said) / number(is);
            assert!(
                (0.75..=1.25).contains(&ratio),
                "{side}, {part}: {said}, not {is}"
            );
        }
    }
}
