//! `--cut-through`: packets that leave before all of them is in, good and bad ones, with pauses and backpressure; and programs that cannot
//! have it, each with its line.

use crate::common::{compile_source, hardpath, judge, made, object, path};
use crate::packets::{checksum, write_made, Numbers};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const L2L3: [&str; 3] = [
    "programs/p4/l2l3.p4",
    "--entries",
    "programs/p4/l2l3.entries",
];

fn run(arguments: &[&str]) -> Value {
    let run = hardpath(arguments);
    assert_eq!(run.status, 0, "{arguments:?}: {}{}", run.stdout, run.stderr);
    run.json()
}

fn capture(name: &str, count: u32, make: impl Fn(&mut Numbers) -> Vec<u8>) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join(name);
    write_made(&file, count, make);
    (place, file)
}

/// An Ethernet frame of that length.
fn frame(numbers: &mut Numbers, to: [u8; 6], ether_type: u16, length: usize) -> Vec<u8> {
    let mut frame = to.to_vec();
    frame.extend([2, 0, 0, 0, 0, 0x0a]);
    frame.extend(ether_type.to_be_bytes());
    frame.extend((14..length).map(|_| numbers.next() as u8));
    frame
}

/// IPv4 to a network behind the router, with a checksum that is right.
fn routed(numbers: &mut Numbers, length: usize) -> Vec<u8> {
    let mut frame = frame(numbers, [2, 0, 0, 0, 0, 1], 0x0800, length);
    let to = numbers.pick(&[[10, 0, 1, 10], [10, 0, 2, 11], [8, 8, 8, 8], [192, 0, 2, 1]]);
    let mut header = vec![0x45, 0];
    header.extend((length as u16 - 14).to_be_bytes());
    header.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 3, 7]);
    header.extend(to);
    let sum = checksum(&header);
    header[10..12].copy_from_slice(&sum);
    frame[14..34].copy_from_slice(&header);
    frame
}

/// Of all kinds that the router knows and does not know, of every length.
fn mixed(numbers: &mut Numbers) -> Vec<u8> {
    let length = match numbers.below(4) {
        0 => 60 + numbers.below(10),
        1 => 1500 + numbers.below(19),
        _ => 60 + numbers.below(600),
    };
    match numbers.below(4) {
        0 => {
            let length = numbers.pick(&[9, 13, 9217, 9300, 17, 64]);
            let station = numbers.below(5) as u8 + 9;
            frame(numbers, [2, 0, 0, 0, 0, station], 0x0806, length)
        }
        1 => frame(numbers, [2, 0, 0, 0, 0, 0x0b], 0x86dd, length),
        _ => routed(numbers, length),
    }
}

const HARD: [&str; 7] = [
    "--cut-through",
    "--bad",
    "3",
    "--pace",
    "random:5",
    "--backpressure",
    "7",
];

/// Good and bad frames against the judge, and what is said of it.
fn is_right(program: &[&str], capture: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["check"];
    arguments.extend(program);
    arguments.extend(["--json", "--pcap", path(capture)]);
    arguments.extend(HARD);
    arguments.extend(more);
    let answer = run(&arguments);
    for key in ["mismatches", "map_mismatches"] {
        assert_eq!(answer[key], 0, "{answer}");
    }
    for key in ["marked", "packets"] {
        assert!(answer[key].as_u64() > Some(20), "{key}: {answer}");
    }
    let warnings = answer["warnings"].as_array().unwrap();
    let codes = warnings.iter().map(|warning| &warning["code"]);
    assert!(codes.clone().any(|code| code == "cut-through"), "{answer}");
    answer
}

#[test]
fn a_firewall_with_bad_frames_and_stalls() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("flows.pcapng");
    let traffic = [
        "traffic",
        "-o",
        path(&file),
        "--packets",
        "1500",
        "--flows",
        "40",
        "--size",
        "imix",
        "--both-directions",
        "--json",
    ];
    assert_eq!(hardpath(&traffic).status, 0);
    let object = object("firewall");
    let firewall = [&object, "--maps", "programs/firewall.maps.json"];
    for bus in ["512", "64"] {
        is_right(&firewall, &file, &["--against", judge(), "--bus", bus]);
    }
}

/// What bad frames did to a map stays: they are counted, and without `--cut-through` they are not.
#[test]
fn effects_of_bad_frames_stand() {
    let (place, file) = capture("frames.pcap", 400, |numbers| {
        let length = 100 + numbers.below(1000);
        frame(numbers, [2, 0, 0, 0, 0, 1], 0x0800, length)
    });
    let listing1 = object("listing1");
    let answer = is_right(&[&listing1], &file, &["--against", judge()]);
    assert_eq!(answer["packets"], 400, "{answer}");
    let counts = place.path().join("counts.json");
    let counted = |more: &[&str]| {
        let mut arguments = vec![
            "sim",
            &listing1,
            "--json",
            "--pcap",
            path(&file),
            "--bad",
            "3",
        ];
        arguments.extend(["--maps-out", path(&counts)]);
        arguments.extend(more);
        let answer = run(&arguments);
        let text = fs::read_to_string(&counts).unwrap();
        let maps: Value = serde_json::from_str(&text).unwrap();
        let all = maps.to_string();
        (answer, all)
    };
    let (stored, of_good) = counted(&[]);
    let (cut, of_all) = counted(&["--cut-through"]);
    let number = |answer: &Value, key: &str| answer[key].as_u64().unwrap();
    assert_eq!(number(&cut, "packets"), 400, "{cut}");
    assert_eq!(number(&cut, "not_taken_in"), 0, "{cut}");
    assert_eq!(number(&stored, "marked"), 0, "{stored}");
    assert_eq!(number(&stored, "packets") + number(&cut, "marked"), 400);
    assert!(number(&cut, "marked") > 20, "{cut}");
    let bytes = |count: u64| {
        let bytes = count.to_le_bytes().map(|byte| format!("\"0x{byte:02x}\""));
        bytes.join(",")
    };
    assert!(of_all.contains(&bytes(400)), "{of_all}");
    assert!(
        of_good.contains(&bytes(number(&stored, "packets"))),
        "{of_good}"
    );
}

#[test]
fn a_router_with_bad_frames_and_stalls() {
    let (_place, file) = capture("mixed.pcap", 600, mixed);
    for bus in ["512", "128"] {
        let answer = is_right(&L2L3, &file, &["--bus", bus]);
        // What is found bad in time leaves no trace.
        assert!(answer["dropped_bad"].as_u64() > Some(10), "{answer}");
    }
}

/// The printed text, too, under `HARDPATH_FULL=1`.
#[test]
fn verilator_says_the_same() {
    if std::env::var_os("HARDPATH_FULL").is_none() {
        return;
    }
    let (_place, file) = capture("mixed.pcap", 600, mixed);
    is_right(&L2L3, &file, &["--engine", "verilator"]);
}

/// What the router may take, without the beats where a packet is stored first.
const CLOCKS: u64 = 28;

/// From the first beat in to the first beat out at 512 bits and 250 MHz: with cut-through as many clocks at any length, but for the second of the
/// beats that the program wants to know; without it one more for each beat. In its own size, and with tables of 4,096, 16,384 and 1,024 entries.
#[test]
fn latency_does_not_grow_with_the_length() {
    latency_of_router(L2L3);
    let place = tempfile::tempdir().unwrap();
    if let Some(large) = made("l2l3:4096:16384:1024", place.path()) {
        latency_of_router([path(&large), L2L3[1], L2L3[2]]);
    }
}

fn latency_of_router(router: [&str; 3]) {
    let latency = |length: usize, more: &[&str]| {
        let (_place, file) = capture("one.pcap", 3, |numbers| {
            let mut frame = routed(numbers, length);
            frame[..6].copy_from_slice(&[2, 0, 0, 0, 0, 0x0b]);
            frame
        });
        let mut arguments = vec!["sim"];
        arguments.extend(router);
        arguments.extend(["--json", "--pcap", path(&file), "--pace", "1G"]);
        arguments.extend(more);
        let answer = run(&arguments);
        let clocks = &answer["latency_clocks"];
        assert_eq!(clocks["min"], clocks["max"], "{answer}");
        clocks["max"].as_u64().expect("a packet leaves")
    };
    let mut all = Vec::new();
    for length in [64, 65, 128, 256, 512, 1024, 1518] {
        let beats = (length as u64).div_ceil(64);
        let (cut, stored) = (latency(length, &["--cut-through"]), latency(length, &[]));
        assert!(cut <= CLOCKS, "{cut} clocks at {length} bytes");
        let most = CLOCKS + beats;
        assert!(stored <= most, "{stored} clocks at {length} bytes");
        all.push((length, cut, stored));
    }
    let last = all.last().expect("lengths");
    let longer = all.iter().filter(|(length, ..)| *length > 128);
    for (length, cut, _) in longer {
        assert_eq!(*cut, last.1, "{length}: {all:?}");
    }
}

/// The folder's bench has frames that are bad, short and long, and is played before it is written.
#[test]
fn the_folder_says_what_the_mark_is() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let answer = run(&[
        "compile",
        &object("listing1"),
        "--cut-through",
        "--json",
        "-o",
        path(&folder),
    ]);
    assert_eq!(answer["ahead_bytes"], 64);
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let readme = text("README.md");
    assert!(readme.contains("### Cut-through"), "{readme}");
    assert!(readme.contains("Bit 3, on the last beat"), "{readme}");
    let json: Value = serde_json::from_str(&text("listing1.json")).unwrap();
    let mark = &json["cut_through"];
    assert_eq!(
        (&mark["ahead_bytes"], &mark["bad"]["lo"]),
        (&64.into(), &3.into())
    );
    // A beat with the mark and verdict TX.
    let lines = text("listing1_tb.txt");
    let marked = lines
        .lines()
        .filter(|line| line.starts_with("M 000000000 b 1"));
    assert!(marked.count() > 1, "no packet of the bench has the mark");
    let protocol = text("listing1_protocol.sv");
    assert!(protocol.contains("bytes == 32'd64"), "{protocol}");
    // Without the option nothing of it is there.
    let plain = place.path().join("plain");
    let answer = run(&["compile", &object("listing1"), "--json", "-o", path(&plain)]);
    assert!(answer["ahead_bytes"].is_null());
    let readme = fs::read_to_string(plain.join("README.md")).unwrap();
    assert!(!readme.contains("ut-through"), "{readme}");
}

/// Refused with this code, at a place that has this text.
fn refused(file: &str, code: &str, place: &str) {
    let error = hardpath(&["compile", file, "--cut-through", "--json"]).error(3, code);
    let at = error["place"].as_str().unwrap();
    assert!(at.contains(place), "{error}");
}

#[test]
fn programs_that_count_bytes_are_refused() {
    refused(
        &object("reflector"),
        "cut-through-length",
        "reflector.c:45: counter->bytes += data_end - data",
    );
    assert_eq!(hardpath(&["compile", &object("reflector")]).status, 0);
}

#[test]
fn broadcasts_are_refused() {
    if let Some((_place, object)) = compile_source("programs", "flood") {
        refused(path(&object), "cut-through-copies", "flood.c:");
    }
}

#[test]
fn tails_that_move_are_refused() {
    if let Some((_place, object)) = compile_source("cli/tests/command/data", "tails") {
        refused(
            path(&object),
            "cut-through-tail",
            "tails.c:16: if (bpf_xdp_adjust_tail(ctx, -4))",
        );
    }
}

/// A program for v1model with something in its ingress and its checksums.
fn p4(ingress: &str, checksums: &str) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("some.p4");
    let text = format!(
        "#include <core.p4>\n\
         #include <v1model.p4>\n\
         header eth_t {{ bit<48> dst; bit<48> src; bit<16> type; bit<16> sum; }}\n\
         struct headers_t {{ eth_t eth; }}\n\
         struct meta_t {{}}\n\
         parser Parse(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{\n\
             state start {{ p.extract(hdr.eth); transition accept; }}\n\
         }}\n\
         control Verify(inout headers_t hdr, inout meta_t m) {{ apply {{}} }}\n\
         control In(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{\n\
             counter(4, CounterType.bytes) bytes;\n\
             apply {{\n\
                 s.egress_spec = 1;\n\
                 {ingress}\n\
             }}\n\
         }}\n\
         control Out(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{}} }}\n\
         control Sum(inout headers_t hdr, inout meta_t m) {{ apply {{\n\
             {checksums}\n\
         }} }}\n\
         control Deparse(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr.eth); }} }}\n\
         V1Switch(Parse(), Verify(), In(), Out(), Sum(), Deparse()) main;\n"
    );
    fs::write(&file, text).unwrap();
    (place, file)
}

#[test]
fn p4_programs_are_refused_with_their_lines() {
    let payload =
        "update_checksum_with_payload(true, { hdr.eth.type }, hdr.eth.sum, HashAlgorithm.csum16);";
    for (ingress, checksums, code, line) in [
        ("bytes.count(0);", "", "cut-through-length", 14),
        (
            "hdr.eth.sum = (bit<16>)s.packet_length + 4;",
            "",
            "cut-through-length",
            14,
        ),
        (
            "if (s.packet_length > 1500) mark_to_drop(s);",
            "",
            "cut-through-length",
            14,
        ),
        ("", payload, "cut-through-payload", 19),
    ] {
        let (_place, file) = p4(ingress, checksums);
        refused(path(&file), code, &format!("some.p4:{line}"));
    }
    // The end moves in the architecture, behind all lines of the program.
    let (_place, file) = p4("truncate(20);", "");
    refused(path(&file), "cut-through-tail", "program some");
    // What is known in time is fine.
    let (_place, file) = p4("if (s.packet_length < 100) mark_to_drop(s);", "");
    let answer = run(&["compile", path(&file), "--cut-through", "--json"]);
    assert_eq!(answer["ahead_bytes"], 128);
}

#[test]
fn a_core_has_no_cut_through() {
    let listing1 = object("listing1");
    let core = [
        "compile",
        &listing1,
        "--target",
        "core",
        "--cut-through",
        "--json",
    ];
    hardpath(&core).error(2, "cut-through-core");
}
