//! Synthesized designs keep the depth that the delay model promises, and their size, which is about the one estimated. What
//! `synth` says of a design is what an independent count says of its netlist.

use crate::common::{compile, hardpath, judge, object, path, root, Run};
use hardpath_pipeline::technology::{AGILEX, ECP5, SERIES_7, ULTRASCALE_PLUS};
use hardpath_synth::fanout::MANY;
use hardpath_synth::levels::weights;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// LUT6 levels that a clock of 250 MHz has room for on UltraScale+.
const MOST_LEVELS: f64 = 9.0;
/// A few LUTs more than listing1 needs with streams of 512 bits.
const MOST_LUTS: u64 = 1450;

/// What is said of listing1, which is synthesized once for all tests.
pub struct Synthesized {
    pub run: Run,
    netlist: PathBuf,
}

/// `None`: there is no yosys, and need not be.
pub fn listing1() -> Option<&'static Synthesized> {
    static LISTING1: OnceLock<Synthesized> = OnceLock::new();
    let synthesized = LISTING1.get_or_init(|| {
        let netlist = Path::new(env!("CARGO_TARGET_TMPDIR")).join("listing1-netlist.json");
        let run = hardpath(&[
            "synth",
            &object("listing1"),
            "--no-parts",
            "--netlist",
            path(&netlist),
            "--json",
        ]);
        Synthesized { run, netlist }
    });
    let report = synthesized.run.json();
    if report["error"]["code"] == "yosys-missing" {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "{report}"
        );
        eprintln!("not tested, there is no yosys: tools/setup");
        return None;
    }
    assert_eq!(synthesized.run.status, 0, "{}", synthesized.run.stdout);
    Some(synthesized)
}

#[test]
fn small_programs_keep_their_depth_and_size() {
    let Some(synthesized) = listing1() else {
        return;
    };
    let report = synthesized.run.json();
    let levels = report["levels"].as_f64().expect("a number");
    assert!(levels > 0.0 && levels <= MOST_LEVELS, "{report:#}");
    let luts = report["lut"].as_u64().expect("a number");
    assert!(luts <= MOST_LUTS, "{luts} LUTs");
    let estimate = &hardpath(&["compile", &object("listing1"), "--json"]).json()["estimate"];
    for part in ["lut", "ff", "bram36"] {
        let (estimated, measured) = (&estimate[part], &report[part]);
        let ratio = estimated.as_f64().unwrap() / measured.as_f64().unwrap();
        assert!(
            (0.75..=1.25).contains(&ratio),
            "{part}: {estimated}, not {measured}"
        );
    }
}

/// An exit that moves packets anywhere: its enables, the distance, the words that wait in front of it and behind it.
#[test]
fn no_net_has_more_loads_than_a_placer_likes() {
    let Some((_place, object)) = compile("wide") else {
        return;
    };
    if listing1().is_none() {
        return;
    }
    let arguments = ["--program", "anywhere", "--no-parts", "--json"];
    let report = hardpath(&[&["synth", path(&object)], &arguments[..]].concat()).json();
    assert!(report["lut"].as_u64() > Some(3_000), "{report:#}");
    assert_eq!(report["wide_nets"], json!([]));
    let most = report["max_fanout"]["loads"].as_u64().expect("a number");
    assert!((64..=MANY as u64).contains(&most), "{most} loads");
}

/// Wide words of LUT RAM stand in columns, each in a memory of its own.
#[test]
fn words_in_columns_are_read_as_they_were_written() {
    let Some((place, object)) = compile("wide") else {
        return;
    };
    let program = ["--program", "words", "--json"];
    let folder = path(place.path()).to_string() + "/words";
    let run = hardpath(&[&["compile", path(&object), "-o", &folder], &program[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stdout);
    let values = std::fs::read_to_string(folder + "/words_map_sums_values.sv").unwrap();
    assert!(values.contains(" words_column_1 [0:31];"), "{values}");
    let packets = ["--pcap", "programs/firewall.pcap", "--against", judge()];
    let run = hardpath(&[&["check", path(&object)], &packets[..], &program].concat());
    assert_eq!(run.json()["maps_compared"], 1, "{}", run.stdout);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

/// The count that stands beside the project, by somebody who has not read it.
///
/// It knows inputs only among the ports, so it is compared with the levels behind inputs. It counts UltraRAMs as yosys packs them
/// (listing1 has none); lets shift registers begin at their output whatever their address is (here it is constant); and
/// lets the second output of a dual-port LUT RAM follow the first address, too.
#[test]
fn an_independent_count_says_the_same() {
    let script = root().join("../shared/measure/lut6_levels.py");
    let Some(synthesized) = listing1() else {
        return;
    };
    let output = Command::new("python3")
        .args([path(&script), path(&synthesized.netlist), "listing1"])
        .output()
        .expect("python3 can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let counted: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let report = synthesized.run.json();
    let pairs = [
        ("levels", "levels"),
        ("port_levels", "inputs_levels"),
        ("lut", "lut"),
        ("ff", "ff"),
        ("bram36", "bram36"),
        ("uram", "uram"),
        ("dsp", "dsp"),
    ];
    for (theirs, ours) in pairs {
        let (theirs, said) = (counted[theirs].as_f64(), report[ours].as_f64());
        assert!(theirs.is_some(), "{counted}");
        assert_eq!(said, theirs, "{ours}: {counted}");
    }
}

#[test]
fn the_worst_paths_are_told_with_names() {
    let Some(synthesized) = listing1() else {
        return;
    };
    let report = synthesized.run.json();
    let paths = report["worst_paths"].as_array().unwrap();
    assert_eq!(paths.len(), 20);
    let levels = paths.iter().map(|path| path["levels"].as_f64().unwrap());
    let levels: Vec<f64> = levels.collect();
    assert!(levels.is_sorted_by(|a, b| a >= b), "{levels:?}");
    assert_eq!(levels[0], report["levels"].as_f64().unwrap());
    assert_eq!(paths[0]["cells"], report["critical_path"]);
    // The bits of the worst word are among all that are as bad.
    let (bits, ends) = (&paths[0]["ends"], &report["ends_within_one_level"]);
    assert!(bits.as_u64() >= Some(1) && bits.as_u64() <= ends.as_u64());
    for path in paths {
        let cells = path["cells"].as_array().unwrap();
        let (begin, end) = (&cells[0], &cells[cells.len() - 1]);
        assert_eq!(
            (&path["begin"], &path["end"]),
            (&begin["name"], &end["name"])
        );
        assert!(begin["loads"].as_u64() >= Some(1), "{path}");
        assert_eq!(end["level"], path["levels"]);
    }
    let widest = &report["max_fanout"];
    assert!(widest["loads"].as_u64() > Some(16), "{widest}");
    assert!(!widest["net"].as_str().unwrap().is_empty(), "{widest}");
    let wide = report["wide_nets"].as_array().unwrap();
    assert!(wide.is_empty() || wide[0] == *widest, "{wide:?}");
    let at_ports = ["inputs_levels", "outputs_levels"].map(|key| report[key].as_f64().unwrap());
    assert_eq!(report["ports_levels"], json!(at_ports[0].max(at_ports[1])));
}

/// The memories begin where the delay model says that they do, and carry chains are as long where it has their bits.
#[test]
fn memories_cost_what_the_delay_model_says() {
    let families = [
        (&ULTRASCALE_PLUS, "RAMB36E2", Some("URAM288")),
        (&SERIES_7, "RAMB36E1", None),
        (&ECP5, "DP16KD", None),
        (&AGILEX, "MISTRAL_M10K", None),
    ];
    for (family, block_ram, ultra_ram) in families {
        let levels = |kind| weights::memory(kind).map(|levels| levels.number());
        let around = &family.around_maps;
        assert_eq!(levels(block_ram), Some(around.block_ram), "{}", family.name);
        assert_eq!(
            ultra_ram.and_then(levels),
            around.ultra_ram,
            "{}",
            family.name
        );
    }
    for (family, cell, bits) in [(&ECP5, "CCU2C", 2.0), (&AGILEX, "MISTRAL_ALUT_ARITH", 1.0)] {
        let levels = weights::carry(cell).number();
        assert_eq!(levels, bits * family.chain_bit, "{}", family.name);
    }
}
