//! Programs that tell user space something, without their events: in hardware against the kernel, where nobody listens.
//! They are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::{write_made, Numbers};

/// Any bytes: what the programs give to their helpers.
fn packet(numbers: &mut Numbers) -> Vec<u8> {
    let length = 20 + numbers.below(200);
    (0..length).map(|_| numbers.next() as u8).collect()
}

#[test]
fn answers_are_those_of_a_kernel_where_nobody_listens() {
    let Some((place, object)) = compile("events") else {
        return;
    };
    let capture = place.path().join("any.pcap");
    write_made(&capture, 600, packet);
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
