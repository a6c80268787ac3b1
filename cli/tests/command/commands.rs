//! Every command does its work and says it in the fixed keys.

use crate::common::{captures, hardpath, object, path, root, run_of};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn keys(object: &Value) -> BTreeSet<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn has_keys(object: &Value, wanted: &[&str]) {
    let keys = keys(object);
    for key in wanted {
        assert!(keys.contains(key), "{key} is missing: {object}");
    }
}

const SIM_KEYS: [&str; 9] = [
    "packets",
    "beats",
    "clocks",
    "packets_per_clock",
    "mpps",
    "latency_clocks",
    "verdicts",
    "stall_clocks",
    "not_taken_in",
];

#[test]
fn traffic_is_the_same_for_the_same_seed() {
    let place = tempfile::tempdir().unwrap();
    let make = |name: &str, seed: &str| {
        let file = place.path().join(name);
        let run = hardpath(&[
            "traffic",
            "--packets",
            "300",
            "--flows",
            "20",
            "--distribution",
            "zipf",
            "--zipf",
            "1.2",
            "--size",
            "imix",
            "--proto",
            "mixed",
            "--both-directions",
            "--seed",
            seed,
            "-o",
            path(&file),
            "--json",
        ]);
        assert_eq!(run.status, 0, "{}", run.stdout);
        assert_eq!(run.json()["packets"], 300);
        fs::read(file).unwrap()
    };
    assert_eq!(make("a", "7"), make("b", "7"));
    assert_ne!(make("a", "7"), make("c", "8"));
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        3,
        "nothing else is left"
    );
}

#[test]
fn ir_is_text_that_a_pass_reads() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("listing1.ir");
    let lifted = hardpath(&["ir", &object("listing1")]);
    assert_eq!(lifted.status, 0, "{}", lifted.stderr);
    fs::write(&file, &lifted.stdout).unwrap();
    let cleaned = hardpath(&["pass", "dce", path(&file)]);
    assert_eq!(cleaned.status, 0, "{}", cleaned.stderr);
    fs::write(&file, &cleaned.stdout).unwrap();
    let again = hardpath(&["pass", "dce", path(&file), "--json"]).json();
    assert_eq!(again["ir"], cleaned.stdout, "nothing is left to remove");
    assert_eq!(again["pass"], "dce");
}

/// From a loop to the scheduled form's front: one pass at a time, each reading what the one before has printed.
#[test]
fn passes_lead_from_loops_to_whole_words() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("loop.ir");
    let text = "program \"p\" structured\noutput \"verdict\" 32\nmap @m array key 4 value 8 entries 4\nblock0:\nv0:32 = const 0\nv1:32 = const 1\n\
        jump block1(v0)\nblock1(v2:32) loop exactly 2:\nv3:1, v4:32 = map.lookup @m v2\nv5:32 = map.atomic add @m v4, v0, v1\n\
        v6:32 = call @next v2\nv7:32 = const 3\nv8:1 = ult v6, v7\nbranch v8, block1(v6), block2\nblock2:\nv9000:1 = const 1\nemit v9000 with v5\n\
        function @next returns 32\nblock3(v9:32):\nv10:32 = const 1\nv11:32 = add v9, v10\nreturn v11\n";
    fs::write(&file, text).unwrap();
    for name in [
        "inline",
        "expand",
        "unroll",
        "flatten",
        "fold",
        "dce",
        "bytes_to_values",
        "predicate",
        "words",
        "ports",
        "moves",
        "cse",
    ] {
        let run = hardpath(&["pass", name, path(&file)]);
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        fs::write(&file, &run.stdout).unwrap();
    }
    let words = fs::read_to_string(&file).unwrap();
    assert!(
        words.starts_with("program \"p\" dataflow\n\noutput \"verdict\" 32"),
        "{words}"
    );
    assert_eq!(words.matches("map.store @m").count(), 3, "{words}");
}

#[test]
fn ir_after_each_step() {
    for step in ["lift", "control-flow", "dataflow", "dce"] {
        let run = hardpath(&["ir", &object("firewall"), "--after", step, "--json"]);
        assert_eq!(run.status, 0, "{step}: {}", run.stdout);
        assert_eq!(run.json()["after"], step);
        assert_eq!(run.json()["program"], "firewall");
    }
}

#[test]
fn interpreter_runs_the_firewall() {
    let place = tempfile::tempdir().unwrap();
    let (out, maps) = (
        place.path().join("out.pcapng"),
        place.path().join("maps.json"),
    );
    let run = hardpath(&[
        "sim",
        &object("firewall"),
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        "programs/firewall.maps.json",
        "--engine",
        "interpreter",
        "--out",
        path(&out),
        "--maps-out",
        path(&maps),
        "--json",
    ]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    has_keys(&answer, &SIM_KEYS);
    let verdicts = &answer["verdicts"];
    let count = |name: &str| verdicts[name].as_u64().unwrap();
    assert_eq!(answer["packets"], 2020);
    assert_eq!(count("XDP_PASS"), 20, "ARP: {verdicts}");
    assert!(
        count("XDP_REDIRECT") > 1400 && count("XDP_DROP") > 400,
        "{verdicts}"
    );

    // The flows that were opened are in the map file, and the file can be read back.
    let written: Value = serde_json::from_str(&fs::read_to_string(&maps).unwrap()).unwrap();
    assert_eq!(written["flows"].as_array().unwrap().len(), 280);
    let known = hardpath(&[
        "sim",
        &object("firewall"),
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        path(&maps),
        "--engine",
        "interpreter",
        "--json",
    ])
    .json();
    let redirected = known["verdicts"]["XDP_REDIRECT"].as_u64().unwrap();
    assert_eq!(
        redirected,
        count("XDP_REDIRECT") + 20,
        "early answers are let in now"
    );

    // The output capture is a capture, of the packets that were sent on.
    let again = hardpath(&[
        "sim",
        &object("listing1"),
        "--pcap",
        path(&out),
        "--engine",
        "interpreter",
        "--json",
    ]);
    let sent_on = count("XDP_PASS") + count("XDP_REDIRECT");
    assert_eq!(again.json()["verdicts"]["XDP_TX"], sent_on);
}

#[test]
fn from_outside_nothing_gets_in() {
    let run = hardpath(&[
        "sim",
        &object("firewall"),
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        "programs/firewall.maps.json",
        "--engine",
        "interpreter",
        "--ifindex",
        "2",
        "--json",
    ]);
    let verdicts = &run.json()["verdicts"];
    assert_eq!(verdicts["XDP_REDIRECT"], 0);
    assert_eq!(verdicts["XDP_DROP"], 2000);
}

#[test]
fn interpreter_passes_every_instruction_test() {
    let file = root().join("../shared/conformance/bpf_isa.json");
    let run = hardpath(&["isa", path(&file), "--engine", "interpreter", "--json"]);
    let answer = run.json();
    has_keys(
        &answer,
        &["passed", "failed", "refused", "failures", "refusals"],
    );
    assert_eq!(answer["failures"], Value::Array(Vec::new()));
    assert_eq!(answer["passed"], 313, "{}", answer["refusals"]);
    assert_eq!(run.status, 0);
    let some = hardpath(&[
        "isa",
        path(&file),
        "--engine",
        "interpreter",
        "--every",
        "10",
        "--json",
    ]);
    assert_eq!(some.json()["passed"], 32);
}

#[test]
fn a_failed_instruction_test_is_a_failure() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("tests.json");
    // exit at once: r0 is 0.
    let text =
        r#"[{"name":"wrong","insns":"b7000000000000009500000000000000","mem":"","result":"0x1"}]"#;
    fs::write(&file, text).unwrap();
    let run = hardpath(&["isa", path(&file), "--engine", "interpreter", "--json"]);
    assert_eq!(run.status, 1);
    assert_eq!(run.json()["failures"][0]["name"], "wrong");
}

#[test]
fn check_against_the_interpreter() {
    let run = hardpath(&[
        "check",
        &object("blocklist"),
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        "programs/blocklist.maps.json",
        "--engine",
        "interpreter",
        "--against",
        "interpreter",
        "--json",
    ]);
    let answer = run.json();
    has_keys(
        &answer,
        &[
            "packets",
            "judged_by_kernel",
            "mismatches",
            "maps_compared",
            "map_mismatches",
            "engine",
            "against",
            "kernel",
        ],
    );
    assert_eq!(run.status, 0);
    assert_eq!(answer["packets"], 2020);
    assert_eq!(answer["mismatches"], 0);
    assert_eq!(answer["maps_compared"], 2);
    assert_eq!(answer["judged_by_kernel"], 0);
    assert_eq!(answer["kernel"], Value::Null);
}

/// The interpreter against the kernel, over every capture and program. As root only; nobody else may ask the kernel.
#[test]
fn check_against_the_kernel() {
    let captures = captures();
    for program in [
        "listing1",
        "firewall",
        "reflector",
        "blocklist",
        "redirector",
    ] {
        let object = object(program);
        let maps = format!("programs/{program}.maps.json");
        let mut arguments = vec!["check", &object, "--engine", "interpreter", "--json"];
        if root().join(&maps).exists() {
            arguments.extend(["--maps", &maps]);
        }
        for capture in &captures {
            arguments.extend(["--pcap", capture]);
        }
        let run = hardpath(&arguments);
        let answer = run.json();
        if answer["error"]["code"] == "kernel-unavailable" {
            assert_eq!(run.status, 2);
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_KERNEL").is_none(),
                "{answer}"
            );
            eprintln!("not compared: {answer}");
            return;
        }
        assert_eq!(run.status, 0, "{program}: {answer}");
        let judged = answer["judged_by_kernel"].as_u64().unwrap();
        assert!(
            judged + 100 > answer["packets"].as_u64().unwrap(),
            "{program}: {answer}"
        );
        assert!(answer["kernel"].is_string());
    }
}

/// Whoever may not ask the kernel is told so, and does not get the interpreter's word for the kernel's.
#[test]
fn kernel_that_may_not_be_asked() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65534;
    let place = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for file in [
        env!("CARGO_BIN_EXE_hardpath"),
        &object("listing1"),
        "programs/firewall.pcap",
    ] {
        let from = root().join(file);
        let to = place.path().join(from.file_name().unwrap());
        // By a process of its own: what another test starts meanwhile would keep a file open that is written here, and
        // such a file cannot be run.
        let copied = Command::new("cp").args([&from, &to]).status().unwrap();
        assert!(copied.success(), "{}", to.display());
        files.push(to);
    }
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(&files[0]);
    command.current_dir(place.path());
    command.args([
        "check",
        path(&files[1]),
        "--engine",
        "interpreter",
        "--json",
        "--pcap",
        path(&files[2]),
    ]);
    // Only root can become somebody else; everybody else may not ask the kernel anyway.
    if hardpath_is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let run = run_of(command.output().unwrap());
    let error = run.error(2, "kernel-unavailable");
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .contains("--against interpreter"),
        "{error}"
    );
}

fn hardpath_is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").unwrap().uid() == 0
}
