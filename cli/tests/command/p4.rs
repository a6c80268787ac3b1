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
/// than 64 bits, but products.
const REFUSED: [&str; 13] = [
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

/// The packets of a test, as a capture.
fn capture(test: &str) -> Vec<u8> {
    let text = fs::read_to_string(root().join(test)).unwrap();
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    let packets = text.lines().filter_map(|line| line.strip_prefix("packet "));
    for packet in packets {
        let (_, digits) = packet.split_once(' ').unwrap();
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
        let text = |pair: &[u8]| String::from_utf8(pair.to_vec()).unwrap();
        let data = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(&text(pair), 16).unwrap());
        let data: Vec<u8> = data.collect();
        for word in [1, 0, data.len() as u32, data.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(data);
    }
    bytes
}

/// What `check` says of one of our programs, with its entries and the packets of its tests.
fn checked(name: &str, options: &[&str]) -> crate::common::Run {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("packets.pcap");
    fs::write(&file, capture(&format!("programs/p4/{name}.stf"))).unwrap();
    let program = format!("programs/p4/{name}.p4");
    let entries = format!("programs/p4/{name}.entries");
    let given = ["check", &program, "--entries", &entries, "--json"];
    let packets = ["--pcap", path(&file)];
    hardpath(&[&given[..], &packets, options].concat())
}

#[test]
fn hardware_is_compared_with_the_meaning_of_the_source() {
    // Who is compared, and how many packets find entries and leave.
    for (name, leave) in [("firewall", 20), ("l2l3", 16), ("tunnel", 10)] {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("out.pcapng");
        let run = checked(name, &["--out", path(&out), "--backpressure", "3"]);
        let told = run.json();
        assert_eq!(run.status, 0, "{name}: {told:#}");
        assert_eq!(told["judge"], "the P4 reference interpreter", "{told:#}");
        assert_eq!(told["against"], "interpreter");
        assert!(told["packets"].as_u64() >= Some(29), "{told:#}");
        assert!(told["maps_compared"].as_u64() >= Some(4), "{told:#}");
        let sent = hardpath(&[
            "sim",
            &format!("programs/p4/{name}.p4"),
            "--json",
            "--pcap",
            path(&out),
        ]);
        assert!(
            sent.json()["packets"].as_u64() >= Some(leave),
            "{name}: {}",
            sent.stdout
        );
    }
}

#[test]
fn a_core_is_compared_with_the_meaning_of_the_source() {
    for name in ["firewall", "l2l3", "tunnel"] {
        for engine in ["native", "rows"] {
            let run = checked(name, &["--target", "core", "--engine", engine]);
            let told = run.json();
            assert_eq!(run.status, 0, "{name}, {engine}: {told:#}");
            assert_eq!(told["judge"], "the P4 reference interpreter", "{told:#}");
        }
    }
}

/// What a program has itself, written for a control plane, and entries of that form in hardware.
#[test]
fn entries_of_p4runtime_are_written_and_read() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("entries.txtpb");
    let program = "programs/p4/firewall.p4";
    let own = hardpath(&["p4info", program, "--entries", "-"]);
    assert_eq!(own.status, 0, "{}", own.stderr);
    assert_eq!(own.stdout.matches("is_const: true").count(), 3);
    // Those are the program's own; one more makes hosts reachable.
    let info = hardpath(&["p4info", program]).stdout;
    let id = |name: &str| {
        let before = info.split(&format!("name: \"{name}\"")).next().unwrap();
        before.rsplit("id: ").next().unwrap().trim().to_owned()
    };
    let (table, action) = (id("Receive.hosts"), id("Receive.send"));
    let entry = format!(
        "updates {{\n  type: INSERT\n  entity {{ table_entry {{\n    table_id: {table}\n    match {{ field_id: 1 lpm {{ value: \"\\n\\000\\000\\000\" prefix_len: 8 }} }}\n    \
         action {{ action {{ action_id: {action} params {{ param_id: 1 value: \"\\t\" }} }} }}\n  }} }}\n}}\n"
    );
    fs::write(&file, own.stdout + &entry).unwrap();
    let packets = place.path().join("packets.pcap");
    fs::write(&packets, capture("programs/p4/firewall.stf")).unwrap();
    let arguments = ["--json", "--entries", path(&file), "--pcap", path(&packets)];
    let run = hardpath(&[&["check", program][..], &arguments].concat());
    assert_eq!(run.status, 0, "{}", run.stdout);
    let run = hardpath(&[&["sim", program][..], &arguments].concat());
    let told = run.json();
    assert!(told["verdicts"]["forwarded"].as_u64() > Some(0), "{told:#}");
    let wrong = fs::read_to_string(&file)
        .unwrap()
        .replace("lpm {", "exact {");
    fs::write(&file, wrong).unwrap();
    let run = hardpath(&[&["sim", program][..], &arguments].concat());
    let error = run.error(2, "p4-commands");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("is lpm, not exact"),
        "{error:#}"
    );
}

/// What a program says beside its packets, which hardware does not tell.
#[test]
fn messages_are_told_beside_hardware() {
    for options in [&[][..], &["--engine", "interpreter"]] {
        let test = [
            "stf",
            "--json",
            "tests/stf/v1-messages.p4",
            "tests/stf/v1-messages.stf",
        ];
        let run = hardpath(&[&test[..], options].concat());
        let told = run.json();
        assert_eq!(run.status, 0, "{told:#}");
        let said = &told["messages"][0]["said"];
        assert_eq!(said[0]["text"], "a = 5, r = 7, {}", "{told:#}");
        assert_eq!(said[3]["kind"], "assert", "{told:#}");
        assert_eq!(said[4]["fields"][1]["value"], "false", "{told:#}");
    }
}

#[test]
fn judges_that_know_no_p4_are_refused() {
    checked("l2l3", &["--against", "kernel"]).error(2, "kernel-needs-object");
    let place = tempfile::tempdir().unwrap();
    let maps = place.path().join("maps.json");
    fs::write(&maps, "{}").unwrap();
    let run = checked("l2l3", &["--maps", path(&maps)]);
    let told = run.json();
    assert_eq!(run.status, 0, "{told:#}");
    let mut warnings = told["warnings"].as_array().unwrap().iter();
    assert!(warnings.any(|one| one["code"] == "p4-judge"), "{told:#}");
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

#[test]
fn a_test_that_asks_for_nothing_is_a_warning() {
    let place = tempfile::tempdir().unwrap();
    let test = place.path().join("idle.stf");
    fs::write(&test, "packet 1 fe0600\n").unwrap();
    let program = "tests/stf/bit-add-wrap.p4";
    let arguments = ["stf", "--engine", "interpreter", "--json", program];
    let run = hardpath(&[&arguments[..], &[path(&test)]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let warnings = run.json()["warnings"].clone();
    assert_eq!(warnings[0]["code"], "p4-commands", "{warnings:#}");
    fs::write(&test, "packet 1 fe0600\nno_packet\n").unwrap();
    assert_eq!(
        hardpath(&[&arguments[..], &[path(&test)]].concat()).status,
        1
    );
}
