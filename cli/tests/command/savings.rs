//! Designs with savings left out do what the others do, and are what they say.

use crate::common::{compile_source, hardpath, judge, path, root};
use std::path::Path;

const SAVINGS: [&str; 6] = [
    "pruning",
    "chaining",
    "conditions",
    "narrowing",
    "srl",
    "reassociation",
];

/// Each saving alone, and all.
fn left_out() -> Vec<String> {
    let mut all: Vec<String> = SAVINGS.map(String::from).to_vec();
    all.push(SAVINGS.join(","));
    all
}

#[test]
fn without_savings_as_the_kernel_has_it() {
    let judge = judge();
    let place = tempfile::tempdir().unwrap();
    let capture = place.path().join("traffic.pcapng");
    let traffic = [
        "traffic",
        "--packets",
        "400",
        "--flows",
        "20",
        "--size",
        "60:300",
        "--proto",
        "mixed",
        "--both-directions",
        "--hostile",
        "-o",
        path(&capture),
    ];
    assert_eq!(hardpath(&traffic).status, 0);
    // Large tables only make the sweep after reset long.
    let programs = [
        ("listing1", &[][..]),
        ("firewall", &["flows=1024"][..]),
        ("nat", &["to_outside=1024", "to_inside=1024"][..]),
        ("suricata_like", &["flows_v4=1024", "flows_v6=1024"][..]),
    ];
    for (program, sizes) in programs {
        let Some((_place, object)) = compile_source("programs", program) else {
            return;
        };
        let maps = format!("programs/{program}.maps.json");
        for without in left_out() {
            let mut arguments = vec![
                "check",
                path(&object),
                "--json",
                "--against",
                judge,
                "--without",
                &without,
                "--pcap",
                path(&capture),
                "--pcap",
                "programs/firewall.pcap",
                "--pace",
                "random:3",
                "--backpressure",
                "5",
            ];
            for size in sizes {
                arguments.extend(["--max-entries", size]);
            }
            if root().join(&maps).exists() {
                arguments.extend(["--maps", &maps]);
            }
            let run = hardpath(&arguments);
            assert_eq!(run.status, 0, "{program} without {without}: {}", run.stdout);
        }
    }
}

/// Stages and bits of registers between them.
fn size(object: &Path, without: &str) -> (u64, u64) {
    let mut arguments = vec!["compile", path(object), "--json"];
    if !without.is_empty() {
        arguments.extend(["--without", without]);
    }
    let run = hardpath(&arguments);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    let number = |key: &str| answer[key].as_u64().unwrap();
    (number("stages"), number("register_bits"))
}

#[test]
fn every_saving_saves() {
    let programs = ["firewall", "suricata_like"];
    let compiled = programs.map(|program| compile_source("programs", program));
    if compiled.iter().any(Option::is_none) {
        return;
    }
    let objects = compiled.iter().flatten();
    let both = |without: &str| {
        let sizes = objects.clone().map(|(_, object)| size(object, without));
        sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let (stages, bits) = both("");
    for without in left_out() {
        let (more_stages, more_bits) = both(&without);
        match without.as_str() {
            // The same registers, with a reset.
            "srl" => assert_eq!((more_stages, more_bits), (stages, bits)),
            _ => assert!(
                more_bits > bits && more_stages >= stages,
                "{without}: {more_bits}"
            ),
        }
    }
    let (_, most) = both(&SAVINGS.join(","));
    assert!(most > 4 * bits, "{most} bits instead of {bits}");
}

#[test]
fn an_unknown_saving_is_refused() {
    let run = hardpath(&[
        "compile",
        "programs/prebuilt/listing1.o",
        "--without",
        "carry",
    ]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("reassociation"), "{}", run.stderr);
}
