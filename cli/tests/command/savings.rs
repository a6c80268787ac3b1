//! Designs with savings left out do what the others do, and are what they say.

use crate::common::{compile, compile_source, hardpath, judge, path, root};
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

/// What makes rows few. That it is all there is, the answer to an unknown name says.
const OF_CORES: [&str; 24] = [
    "loops",
    "ends",
    "known",
    "paths",
    "choices",
    "sums",
    "stores",
    "loads",
    "early",
    "fields",
    "operands",
    "widths",
    "tests",
    "exits",
    "keys",
    "reuse",
    "meetings",
    "bounds",
    "traces",
    "rounds",
    "speculation",
    "branches",
    "order",
    "packing",
];

fn on_core(command: &str, object: &str, without: &str, more: &[&str]) -> crate::common::Run {
    let mut arguments = vec![command, object, "--target", "core", "--json"];
    if !without.is_empty() {
        arguments.extend(["--without", without]);
    }
    hardpath(&[&arguments[..], more].concat())
}

/// Rows and operations.
fn rows(program: &[&str], without: &str) -> (u64, u64) {
    let run = on_core("compile", program[0], without, &program[1..]);
    assert_eq!(run.status, 0, "without {without}: {}", run.stdout);
    let answer = run.json();
    let number = |key: &str| answer[key].as_u64().unwrap();
    (number("rows"), number("operations"))
}

/// Rows that a packet of our capture takes.
fn taken(object: &str, without: &str) -> f64 {
    let more = ["--program", "hash", "--threads", "4"];
    let capture = ["--pcap", "programs/firewall.pcap"];
    let run = on_core("sim", object, without, &[&more[..], &capture].concat());
    assert_eq!(run.status, 0, "without {without}: {}", run.stdout);
    run.json()["rows_per_packet"].as_f64().unwrap()
}

/// Each saves rows or operations of some program, or rows that packets take.
#[test]
fn every_saving_of_a_core_saves() {
    let compiled = (
        compile("savings"),
        compile_source("programs", "vxlan_encap"),
    );
    let (Some((_place, savings)), Some((_other, encap))) = compiled else {
        return;
    };
    let ours = ["firewall", "blocklist"].map(crate::common::object);
    let mut programs: Vec<Vec<&str>> = ours.iter().map(|object| vec![object.as_str()]).collect();
    programs.push(vec![path(&encap)]);
    programs
        .extend(["rounds", "known", "meets"].map(|name| vec![path(&savings), "--program", name]));
    let all: Vec<(u64, u64)> = programs.iter().map(|program| rows(program, "")).collect();
    let fewest = taken(path(&savings), "");
    for without in OF_CORES {
        let saves = programs.iter().zip(&all).any(|(program, all)| {
            let (more_rows, more_operations) = rows(program, without);
            more_rows > all.0 || more_operations > all.1
        });
        let saves = saves || taken(path(&savings), without) > fewest;
        assert!(saves, "{without} saves nothing");
    }
    let nothing = OF_CORES.join(",");
    for (program, all) in programs.iter().zip(&all).take(1) {
        let (most, operations) = rows(program, &nothing);
        let grows = most == operations && most > 2 * all.0;
        assert!(
            grows,
            "{program:?}: {most} rows, and {all:?} with all of it"
        );
    }
}

#[test]
fn rows_without_savings_as_the_kernel_has_it() {
    let Some((_place, savings)) = compile("savings") else {
        return;
    };
    let firewall = crate::common::object("firewall");
    let flows = [
        "--max-entries",
        "flows=1024",
        "--maps",
        "programs/firewall.maps.json",
    ];
    let meets = ["--program", "meets"];
    let programs = [(firewall.as_str(), &flows[..]), (path(&savings), &meets)];
    let against = ["--against", judge(), "--pcap", "programs/firewall.pcap"];
    let names = OF_CORES.iter().map(|name| name.to_string());
    for without in names.chain([OF_CORES.join(",")]) {
        for (object, more) in programs {
            // The processor runs all of these rows in `fuzz`.
            let engines = match without.contains(',') {
                true => &["rows", "native"][..],
                false => &["rows"],
            };
            for engine in engines {
                let more = [&against[..], more, &["--engine", engine]].concat();
                let run = on_core("check", object, &without, &more);
                assert_eq!(run.status, 0, "{object} without {without}: {}", run.stdout);
            }
        }
    }
}

#[test]
fn what_a_core_can_leave_out_is_said() {
    let object = "programs/prebuilt/listing1.o";
    let error = on_core("compile", object, "pruning", &[]).error(2, "unknown-saving");
    assert_eq!(
        error["help"],
        format!("what can be left out: {}", OF_CORES.join(", "))
    );
    let pipeline = ["compile", object, "--without", "fields", "--json"];
    hardpath(&pipeline).error(2, "unknown-saving");
    let fuzz = ["fuzz", "--without", "fields", "--json"];
    hardpath(&fuzz).error(2, "option-needs-core");
}
