//! What programs with state reach: packets a clock for one flow and for many, stages, and that they are right under traffic
//! that is made to collide. All with 64-byte packets back to back, at 250 MHz and 512 bits.

use crate::common::{compile_source, hardpath, judge, path};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// A program of ours with its map file and a place for captures.
struct Subject {
    name: &'static str,
    object: PathBuf,
    place: TempDir,
}

impl Subject {
    /// `None`: there is no clang, and there need not be.
    fn new(name: &'static str) -> Option<Subject> {
        let (place, object) = compile_source("programs", name)?;
        Some(Subject {
            name,
            object,
            place,
        })
    }

    fn traffic(&self, arguments: &[&str]) -> PathBuf {
        let file = self.place.path().join(format!(
            "{}.pcapng",
            arguments.join("-").replace(['/', ':'], "_")
        ));
        let mut all = vec!["traffic", "-o", path(&file), "--size", "64"];
        all.extend(arguments);
        let run = hardpath(&all);
        assert_eq!(run.status, 0, "{}", run.stderr);
        file
    }

    fn run(&self, command: &str, capture: &std::path::Path, more: &[&str]) -> Value {
        let maps = format!("programs/{}.maps.json", self.name);
        let mut all = vec![
            command,
            path(&self.object),
            "--json",
            "--pcap",
            path(capture),
        ];
        if !more.contains(&"--maps") {
            all.extend(["--maps", &maps]);
        }
        all.extend(more);
        let run = hardpath(&all);
        assert_eq!(run.status, 0, "{} {more:?}: {}", self.name, run.stdout);
        run.json()
    }

    /// Compares with the judge and gives the packets a clock.
    fn rate(&self, capture: &std::path::Path) -> f64 {
        self.run("check", capture, &["--against", judge()]);
        let answer = self.run("sim", capture, &[]);
        answer["packets_per_clock"].as_f64().expect("a number")
    }

    fn compiled(&self) -> Value {
        let folder = self.place.path().join("design");
        let run = hardpath(&["compile", path(&self.object), "-o", path(&folder), "--json"]);
        assert_eq!(run.status, 0, "{}", run.stdout);
        run.json()
    }
}

const ONE_FLOW: [&str; 4] = ["--packets", "5000", "--flows", "1"];
const ZIPF: [&str; 6] = [
    "--packets",
    "60000",
    "--flows",
    "50000",
    "--distribution",
    "zipf",
];

#[test]
fn meters() {
    for (name, one, many) in [("leaky_bucket", 0.32, 0.93), ("token_bucket", 0.14, 0.75)] {
        let Some(subject) = Subject::new(name) else {
            return;
        };
        let rate = subject.rate(&subject.traffic(&ONE_FLOW));
        assert!(rate >= one, "{name}, one flow: {rate}");
        let rate = subject.rate(&subject.traffic(&ZIPF));
        assert!(rate >= many, "{name}, many flows: {rate}");
        // The report names the way that the window follows from.
        let compiled = subject.compiled();
        let maps = compiled["maps"].as_array().expect("a list");
        let reason = maps
            .iter()
            .filter(|map| map["hazard"] == "interlock")
            .map(|map| map["reason"].as_str().expect("a text"))
            .next()
            .expect("its buckets wait");
        assert!(reason.contains(&format!("{name}.c:")), "{reason}");
    }
}

const NAT: [&str; 3] = ["--both-directions", "--nat", "203.0.113.1:1024"];

#[test]
fn address_translation() {
    let Some(subject) = Subject::new("nat") else {
        return;
    };
    // Every packet opens a binding.
    let new = subject.traffic(&[
        "--packets",
        "15000",
        "--flows",
        "15000",
        "--distribution",
        "uniform",
    ]);
    let rate = subject.rate(&new);
    assert!(rate >= 0.95, "new flows: {rate}");

    // A first run makes the bindings, a second one uses them.
    let mut flows = vec!["--packets", "30000", "--flows", "10000"];
    flows.extend(NAT);
    let flows = subject.traffic(&flows);
    let opened = subject.place.path().join("opened.json");
    subject.run("sim", &flows, &["--maps-out", path(&opened)]);
    let answer = subject.run("sim", &flows, &["--maps", path(&opened)]);
    let rate = answer["packets_per_clock"].as_f64().expect("a number");
    assert!(rate >= 0.95, "bindings made: {rate}");
}

/// Few flows back to back, both directions interleaved, bindings that are made while their answers come in, broken headers,
/// gaps and backpressure: no packet and no binding differs. `HARDPATH_FULL=1`: more than 100,000 packets.
#[test]
fn no_wrong_binding() {
    let Some(subject) = Subject::new("nat") else {
        return;
    };
    let packets = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => "12000",
        None => "3000",
    };
    let judge = judge();
    for (number, flows) in ["1", "2", "7", "300", "40000"].into_iter().enumerate() {
        for hostile in [false, true] {
            let seed = number.to_string();
            let mut arguments = vec![
                "--packets",
                packets,
                "--flows",
                flows,
                "--proto",
                "mixed",
                "--seed",
                &seed,
            ];
            arguments.extend(NAT);
            if hostile {
                arguments.push("--hostile");
            }
            let capture = subject.traffic(&arguments);
            let pace = format!("random:{number}");
            let more: &[&str] = match hostile {
                true => &["--against", judge, "--pace", &pace, "--backpressure", "3"],
                false => &["--against", judge],
            };
            let answer = subject.run("check", &capture, more);
            assert_eq!(answer["mismatches"], 0);
            assert_eq!(answer["map_mismatches"], 0);
        }
    }
}

#[test]
fn stages() {
    for (name, most) in [
        ("nat", 36),
        ("suricata_like", 28),
        ("leaky_bucket", 12),
        ("token_bucket", 16),
        ("rate_limit", 14),
        ("load_balancer", 16),
        ("syn_filter", 12),
        ("ipip_encap", 28),
        ("ipip_decap", 16),
        ("vxlan_encap", 28),
        ("acl", 40),
        ("flood", 12),
    ] {
        let Some(subject) = Subject::new(name) else {
            return;
        };
        let compiled = subject.compiled();
        let stages = compiled["stages"].as_u64().expect("a number");
        assert!(stages <= most, "{name}: {stages}");
    }
}
