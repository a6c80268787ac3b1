//! Input that is wrong in every way that can happen: an error with code, place and remedy, the right exit status, no
//! panic, and no output that is only half there.

use crate::common::{hardpath, object, path, root, Run};
use hardpath_testkit::Random;
use std::fs;
use std::path::Path;

#[test]
fn wrong_usage() {
    for arguments in [
        &["compile", "--json"][..],
        &["compile", "a.o", "--bus", "96", "--json"],
        &["compile", "a.o", "--clock", "fast", "--json"],
        &["compile", "a.o", "--max-entries", "flows", "--json"],
        &["sim", "a.o", "--json"],
        &["sim", "a.o", "--pcap", "a", "--engine", "abacus", "--json"],
        &["sim", "a.o", "--pcap", "a", "--time", "noon", "--json"],
        &["transpile", "--json"],
    ] {
        hardpath(arguments).error(2, "usage");
    }
    let run = hardpath(&["compile"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("Usage: hardpath compile"),
        "{}",
        run.stderr
    );
}

#[test]
fn help_is_an_answer() {
    for arguments in [&["--help"][..], &["check", "--help"], &["--version"]] {
        let run = hardpath(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("hardpath"));
    }
}

#[test]
fn help_names_what_an_option_takes() {
    let help = hardpath(&["compile", "-h"]).stdout;
    let bus = help.lines().find(|line| line.contains("--bus")).unwrap();
    assert!(bus.contains("64, 128, 256 or 512"), "{bus}");
}

#[test]
fn object_that_cannot_be_read() {
    let missing = hardpath(&["ir", "no/such.o", "--json"]);
    assert_eq!(missing.error(2, "cannot-read")["place"], "no/such.o");
    hardpath(&["ir", "README.md", "--json"]).error(2, "not-an-elf");
    let own_binary = env!("CARGO_BIN_EXE_hardpath");
    let other_machine = hardpath(&["ir", own_binary, "--json"]);
    assert_eq!(other_machine.status, 2);
    other_machine.json();
}

#[test]
fn errors_for_people_are_on_standard_error() {
    let run = hardpath(&["ir", "no/such.o"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with("error[cannot-read]: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("\n--> no/such.o\n"), "{}", run.stderr);
}

#[test]
fn missing_program() {
    let run = hardpath(&[
        "ir",
        &object("firewall"),
        "--program",
        "fireplace",
        "--json",
    ]);
    let error = run.error(2, "unknown-program");
    assert!(
        error["help"].as_str().unwrap().contains("firewall"),
        "{error}"
    );
}

/// A status that a broken object may lead to, one JSON object, no panic (checked by [`hardpath`]).
fn survives(file: &Path) -> Run {
    let run = hardpath(&["ir", path(file), "--json"]);
    assert!(
        [0, 2, 3].contains(&run.status),
        "{} {}",
        run.status,
        run.stdout
    );
    run.json();
    run
}

#[test]
fn truncated_objects() {
    let bytes = fs::read(root().join(object("firewall"))).unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("cut.o");
    for length in (0..bytes.len()).step_by(bytes.len() / 40) {
        fs::write(&file, &bytes[..length]).unwrap();
        assert_ne!(survives(&file).status, 0, "{length} bytes");
    }
}

#[test]
fn mutated_objects() {
    let bytes = fs::read(root().join(object("firewall"))).unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("mutated.o");
    let mut random = Random::new(1);
    for _ in 0..120 {
        let mut mutated = bytes.clone();
        for _ in 0..3 {
            let at = random.below(mutated.len() as u64) as usize;
            mutated[at] = random.next() as u8;
        }
        fs::write(&file, &mutated).unwrap();
        survives(&file);
    }
}

fn sim_with_maps(maps: &str) -> Run {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("maps.json");
    fs::write(&file, maps).unwrap();
    hardpath(&[
        "sim",
        &object("firewall"),
        "--pcap",
        "programs/firewall.pcap",
        "--engine",
        "interpreter",
        "--maps",
        path(&file),
        "--json",
    ])
}

#[test]
fn map_files() {
    let four = r#"["0x00","0x00","0x00","0x00"]"#;
    for maps in [
        String::from("flows: none"),
        String::from("[]"),
        String::from(r#"{"floes":[]}"#),
        format!(r#"{{"ports":[{{"key":["0x00"],"value":{four}}}]}}"#),
        format!(r#"{{"ports":[{{"key":{four},"value":["0x00"]}}]}}"#),
        format!(r#"{{"ports":[{{"key":["0x09","0x00","0x00","0x00"],"value":{four}}}]}}"#),
        format!(r#"{{"ports":[{{"key":["0xzz","0x00","0x00","0x00"],"value":{four}}}]}}"#),
    ] {
        let run = sim_with_maps(&maps);
        assert_eq!(run.status, 2, "{maps}: {}", run.stdout);
        let error = run.json()["error"].clone();
        assert!(
            error["place"].as_str().unwrap().contains("maps.json"),
            "{maps}: {error}"
        );
    }
}

#[test]
fn several_errors_at_once() {
    let entry = r#"{"key":["0x00"],"value":["0x00"]}"#;
    let run = sim_with_maps(&format!(r#"{{"ports":[{entry}],"flows":[{entry}]}}"#));
    assert_eq!(run.status, 2);
    let object = run.json();
    let errors = object["errors"].as_array().unwrap();
    assert!(errors.len() >= 2, "{object}");
    assert_eq!(errors[0], object["error"]);
}

/// A little-endian pcap file with one packet record.
fn pcap(link_type: u32, captured: u32, original: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    bytes.extend([2, 0, 4, 0]);
    for word in [0, 0, 65535, link_type, 1, 2, captured, original] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(data);
    bytes
}

fn sim_with_capture(bytes: &[u8]) -> Run {
    let place = tempfile::tempdir().unwrap();
    let (file, out) = (
        place.path().join("in.pcap"),
        place.path().join("out.pcapng"),
    );
    fs::write(&file, bytes).unwrap();
    let run = hardpath(&[
        "sim",
        &object("listing1"),
        "--pcap",
        path(&file),
        "--engine",
        "interpreter",
        "--out",
        path(&out),
        "--json",
    ]);
    assert_eq!(
        out.exists(),
        run.status == 0,
        "output only when all is well"
    );
    run
}

#[test]
fn captures() {
    assert_eq!(sim_with_capture(&pcap(1, 60, 60, &[0; 60])).status, 0);
    sim_with_capture(&pcap(1, 60, 60, &[0; 20])).error(2, "capture-truncated");
    sim_with_capture(&pcap(1, 40, 60, &[0; 40])).error(2, "packet-cut");
    sim_with_capture(&pcap(113, 60, 60, &[0; 60])).error(2, "capture-link-type");
    sim_with_capture(b"no capture at all, but long enough to be one").error(2, "not-a-capture");
    sim_with_capture(b"").error(2, "not-a-capture");
}

#[test]
fn outputs_that_cannot_be_written() {
    let run = hardpath(&["traffic", "--packets", "1", "-o", "/proc/no/such", "--json"]);
    run.error(2, "cannot-write");
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("mine"), "").unwrap();
    let run = hardpath(&[
        "compile",
        &object("listing1"),
        "-o",
        path(place.path()),
        "--json",
    ]);
    run.error(2, "folder-in-use");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    // The design of another program is one that somebody made.
    let folder = place.path().join("design");
    let compile = |name: &str| hardpath(&["compile", &object(name), "-o", path(&folder), "--json"]);
    assert_eq!(compile("listing1").status, 0);
    assert_eq!(compile("listing1").status, 0);
    let error = compile("reflector").error(2, "folder-in-use");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("of another program"), "{message}");
}

/// What somebody who sees the command for the first time gets wrong: the help names the way on.
#[test]
fn first_steps_that_go_wrong() {
    let firewall = object("firewall");
    let place = tempfile::tempdir().unwrap();
    let empty = place.path().join("empty.o");
    fs::write(&empty, "").unwrap();
    let folder = path(place.path());
    let pcap = "programs/firewall.pcap";
    for (arguments, code, way_on) in [
        (
            &["compile", "programs"][..],
            "cannot-read",
            "that is a folder",
        ),
        (
            &["compile", "programs/prebuilt/firewal.o"],
            "cannot-read",
            "did you mean programs/prebuilt/firewall.o?",
        ),
        (
            &["compile", "programs/firewall.c"],
            "not-an-elf",
            "-c programs/firewall.c -o programs/firewall.o",
        ),
        (&["compile", path(&empty)], "not-an-elf", "clang"),
        (
            &["compile", &firewall, &object("listing1")],
            "usage",
            "one program at a time",
        ),
        (
            &["compile", &firewall, "--btf", "no/such"],
            "cannot-read",
            "name of the file",
        ),
        (
            &["sim", &firewall, pcap],
            "usage",
            "--pcap programs/firewall.pcap",
        ),
        (
            &["sim", &firewall, "--pcap", pcap, "maps.json"],
            "usage",
            "--maps maps.json",
        ),
        (
            &["sim", &firewall, "--pcap", "programs/firewal.pcap"],
            "capture-unreadable",
            "did you mean programs/firewall.pcap?",
        ),
        (
            &["sim", &firewall, "--pcap", "programs"],
            "capture-unreadable",
            "file",
        ),
        (
            &[
                "sim",
                &firewall,
                "--pcap",
                pcap,
                "--maps",
                "programs/firewall.map.json",
            ],
            "map-file-unreadable",
            "did you mean programs/firewall.maps.json?",
        ),
        (
            &["sim", &firewall, "--pcap", pcap, "--maps", "programs"],
            "map-file-unreadable",
            "that is a folder",
        ),
        (
            &["sim", &firewall, "--pcap", pcap, "--out", folder],
            "cannot-write",
            "the name that the file",
        ),
        (
            &["sim", &firewall, "--pcap", pcap, "--maps-out", folder],
            "map-file-unwritable",
            "the name that the file",
        ),
        (
            &["synth", &firewall, "--netlist", folder],
            "cannot-write",
            "the name that the file",
        ),
        (&["pass", "dce", &firewall], "not-text", "`hardpath ir`"),
    ] {
        let all = [arguments, &["--json"]].concat();
        let error = hardpath(&all).error(2, code);
        let help = error["help"].as_str().unwrap_or_default();
        assert!(help.contains(way_on), "{arguments:?}: {error}");
    }
    let unused = ["synth", &firewall, "--flow", "vivado", "--no-parts", "-o"];
    let design = place.path().join("design");
    let answer = hardpath(&[&unused[..], &[path(&design), "--json"]].concat()).json();
    let codes: Vec<_> = answer["warnings"].as_array().unwrap().iter().collect();
    assert!(
        codes.iter().any(|note| note["code"] == "option-unused"),
        "{answer}"
    );
}

#[test]
fn traffic_that_cannot_be_made() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out.pcapng");
    for arguments in [
        &["--size", "13"][..],
        &["--size", "9217"],
        &["--size", "100:50"],
        &["--size", "big"],
        &["--flows", "0"],
        &["--distribution", "zipf", "--zipf", "-1"],
    ] {
        let mut all = vec!["traffic", "--packets", "5", "--json", "-o", path(&out)];
        all.extend(arguments);
        let run = hardpath(&all);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stdout);
        run.json();
        assert!(!out.exists());
    }
}

#[test]
fn passes_and_steps() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("bad.ir");
    fs::write(&file, "this is no program").unwrap();
    let unknown = hardpath(&["pass", "make-it-fast", path(&file), "--json"]);
    let help = unknown.error(2, "unknown-pass")["help"].clone();
    assert!(help.as_str().unwrap().contains("dce"), "{help}");
    let run = hardpath(&["pass", "dce", path(&file), "--json"]);
    assert_eq!(run.status, 2, "{}", run.stdout);
    let place = run.json()["error"]["place"].clone();
    assert!(place.as_str().unwrap().contains("bad.ir"), "{place}");
    for (name, header, code) in [
        ("cse", "structured", "wrong-phase"),
        ("words", "control-flow", "wrong-phase"),
        ("predicate", "control-flow", "pass-order"),
    ] {
        let body = "v1:64 = const 0\npacket.store v1, v0\njump block1\nblock1:\nv9000:1 = const 1\nemit v9000 with v0\n";
        let text = format!(
            "program \"p\" {header}\noutput \"verdict\" 32\nblock0:\nv0:32 = const 2\n{body}"
        );
        fs::write(&file, text).unwrap();
        let run = hardpath(&["pass", name, path(&file), "--json"]);
        let error = run.error(2, code);
        assert!(
            error["place"].as_str().unwrap().contains("bad.ir"),
            "{error}"
        );
        assert!(
            error["help"]
                .as_str()
                .is_some_and(|help| help.contains('`')),
            "{error}"
        );
    }
    hardpath(&["ir", &object("listing1"), "--after", "lunch", "--json"]).error(2, "unknown-step");
}

#[test]
fn instruction_tests() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("tests.json");
    for text in [
        "{}",
        r#"[{"name":"a"}]"#,
        r#"[{"name":"a","insns":"9","mem":"","result":"0x0"}]"#,
        r#"[{"name":"a","insns":"9500000000000000","mem":"","result":"0"}]"#,
    ] {
        fs::write(&file, text).unwrap();
        let run = hardpath(&["isa", path(&file), "--engine", "interpreter", "--json"]);
        run.error(2, "not-isa-tests");
    }
}
