//! Programs that tell user space something, without their events: in hardware against the kernel, where nobody listens.
//! They are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use std::path::Path;

/// A capture (pcap) of packets of any bytes: what the programs give to their helpers.
fn write_capture(file: &Path, count: u32) {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    // splitmix64
    let mut state = 0u64;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    for second in 0..count {
        let length = 20 + random() as u32 % 200;
        for word in [second, 0, length, length] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend((0..length).map(|_| random() as u8));
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn answers_are_those_of_a_kernel_where_nobody_listens() {
    let Some((place, object)) = compile("events") else {
        return;
    };
    let capture = place.path().join("any.pcap");
    write_capture(&capture, 600);
    let judge = judge();
    for program in ["sample", "usual", "buffered", "large", "in_place"] {
        let mut arguments = vec!["check", path(&object), "--program", program, "--json"];
        arguments.extend([
            "--against",
            judge,
            "--pcap",
            path(&capture),
            "--drop-events",
        ]);
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{program}: {:#}", run.json());
        if judge == "kernel" {
            assert_eq!(run.json()["judged_by_kernel"], 600, "{:#}", run.json());
        }
    }
}

#[test]
fn the_report_names_what_is_left_out() {
    let Some((place, object)) = compile("events") else {
        return;
    };
    let design = place.path().join("design");
    let mut arguments = vec!["compile", path(&object), "--program", "usual", "--json"];
    arguments.extend(["--drop-events", "-o", path(&design)]);
    let answer = hardpath(&arguments).json();
    let calls = answer["dropped_calls"].as_array().unwrap();
    let helpers: Vec<&str> = calls
        .iter()
        .map(|call| call["helper"].as_str().unwrap())
        .collect();
    let expected = [
        "bpf_perf_event_output",
        "bpf_trace_printk",
        "bpf_trace_vprintk",
    ];
    assert_eq!(helpers, expected);
    let place = calls[2]["place"].as_str().unwrap();
    assert!(place.contains("four arguments"), "{answer:#}");
    let contract = std::fs::read_to_string(design.join("README.md")).unwrap();
    let expected = "calls of bpf_perf_event_output, bpf_trace_printk, bpf_trace_vprintk do nothing";
    assert!(contract.contains(expected), "{contract}");
}

#[test]
fn refusals() {
    let Some((_place, object)) = compile("events") else {
        return;
    };
    let refused = |program: &str, options: &[&str], code: &str, source: &str| {
        let arguments = ["compile", path(&object), "--program", program, "--json"];
        let error = hardpath(&[&arguments, options].concat()).error(3, code);
        assert!(error["place"].as_str().unwrap().contains(source), "{error}");
        error
    };
    let error = refused("sample", &[], "event-output", "bpf_perf_event_output");
    assert!(error["help"].as_str().unwrap().contains("--drop-events"));
    let dropping = ["--drop-events"];
    refused("printed", &dropping, "event-answer", "> 9");
    refused("read_back", &dropping, "event-read", "again = *event");
}
