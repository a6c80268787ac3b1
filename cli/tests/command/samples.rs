//! Samples with loops whose rounds data say, on the core: as the kernel has it, on every path.

use crate::common::{compile_source, hardpath, judge, path};
use serde_json::Value;
use std::path::Path;

struct Sample {
    name: &'static str,
    /// The capture beside it, or what `hardpath traffic` makes.
    traffic: &'static [&'static str],
    /// Counters that some packet must have reached, by map and key.
    reached: &'static [(&'static str, &'static [u32])],
}

const SAMPLES: [Sample; 4] = [
    Sample {
        name: "ipv6_extensions",
        traffic: &[],
        reached: &[
            (
                "headers",
                &[0, 6, 43, 44, 50, 51, 58, 59, 60, 135, 139, 140],
            ),
            ("chains", &[0, 1, 7, 23, 24]),
            ("faults", &[0, 1, 2]),
        ],
    },
    Sample {
        name: "dns_labels",
        traffic: &[],
        reached: &[("counters", &[0, 1, 2])],
    },
    Sample {
        name: "bloom",
        traffic: &["--packets", "1000", "--flows", "200", "--proto", "mixed"],
        reached: &[("counters", &[0, 1])],
    },
    // More sources than there are places, and some more often than they may.
    Sample {
        name: "cuckoo",
        traffic: &["--packets", "700", "--flows", "320"],
        reached: &[("counters", &[0, 1, 2, 3])],
    },
];

#[test]
fn samples_with_loops_do_what_the_kernel_does() {
    let place = tempfile::tempdir().unwrap();
    for sample in &SAMPLES {
        let name = sample.name;
        let Some((_object, object)) = compile_source("programs", name) else {
            return;
        };
        let capture = match sample.traffic {
            [] => format!("programs/{name}.pcap"),
            options => {
                let capture = place.path().join(format!("{name}.pcapng"));
                let traffic = [&["traffic", "-o", path(&capture)][..], options].concat();
                assert_eq!(hardpath(&traffic).status, 0);
                path(&capture).to_owned()
            }
        };
        let maps = format!("programs/{name}.maps.json");
        let given = [
            path(&object),
            "--target",
            "core",
            "--maps",
            &maps,
            "--pcap",
            &capture,
        ];
        for engine in ["rows", "native"] {
            let check = ["check", "--engine", engine, "--against", judge(), "--json"];
            let run = hardpath(&[&check[..], &given].concat());
            assert_eq!(run.status, 0, "{name}, {engine}: {}", run.stdout);
            let answer = run.json();
            let mismatches = (&answer["mismatches"], &answer["map_mismatches"]);
            assert_eq!(mismatches, (&0.into(), &0.into()), "{name}: {answer}");
        }
        let left = place.path().join(format!("{name}.json"));
        let sim = ["sim", "--engine", "rows", "--maps-out", path(&left)];
        assert_eq!(hardpath(&[&sim[..], &given].concat()).status, 0);
        for (map, keys) in sample.reached {
            for key in *keys {
                let count = count(&left, map, *key);
                assert!(count > 0, "{name}: nothing reached {map}[{key}]");
            }
        }
    }
}

/// A counter of a map file.
fn count(file: &Path, map: &str, key: u32) -> u64 {
    let text = std::fs::read_to_string(file).unwrap();
    let maps: Value = serde_json::from_str(&text).unwrap();
    let entries = maps[map].as_array().expect("a map");
    let number = |bytes: &Value| {
        let bytes = bytes.as_array().into_iter().flatten().rev();
        bytes.fold(0, |number, byte| {
            let digits = byte.as_str().and_then(|text| text.strip_prefix("0x"));
            number << 8 | u64::from_str_radix(digits.expect("0x…"), 16).unwrap()
        })
    };
    let entry = entries
        .iter()
        .find(|entry| number(&entry["key"]) == u64::from(key));
    let entry = entry.unwrap_or_else(|| panic!("{map} has no {key}"));
    match &entry["value"] {
        Value::Null => number(&entry["values"][0]["value"]),
        value => number(value),
    }
}

/// What a pipeline says to them.
#[test]
fn what_pipelines_say_to_samples_with_loops() {
    for (name, code) in [
        ("ipv6_extensions", "variable-offset"),
        ("dns_labels", "loop"),
    ] {
        let Some((_object, object)) = compile_source("programs", name) else {
            return;
        };
        hardpath(&["compile", path(&object), "--json"]).error(3, code);
    }
}
