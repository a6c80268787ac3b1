//! What tables with masks cost, and how deep they are: `cargo run --profile ci -p hardpath-synth --example ternary`, with entries and bits of
//! a key behind `--`, as in `2048x72`, and with few masks as in `2048x72/16`.

use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::{check, spread::spread, verilog, Design};
use hardpath_synth::estimate::estimate;
use hardpath_synth::{yosys, Options};

/// Pins that a register may drive, as in designs.
const MOST_LOADS: u32 = 200;

fn main() {
    let usual = ["128x104", "512x128", "2048x72", "2048x72/16"].map(String::from);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if wanted.is_empty() {
        &usual[..]
    } else {
        &wanted
    };
    println!("entries  bits     LUT      FF   BRAM  levels  ports  estimated LUT      FF   BRAM");
    for size in sizes {
        let (size, masks) = match size.split_once('/') {
            Some((size, masks)) => (size, Some(masks.parse().expect("masks"))),
            None => (size.as_str(), None),
        };
        let (entries, bits) = size.split_once('x').expect("such as 2048x72");
        let (entries, bits) = (entries.parse(), bits.parse());
        row(entries.expect("entries"), bits.expect("bits"), masks);
    }
}

fn row(entries: u32, bits: u32, masks: Option<u32>) {
    let mut design = Design::new();
    design.add(ternary(&Ternary {
        name: "rules".into(),
        map: "rules".into(),
        fields: vec![(Match::Ternary, bits)],
        entries,
        masks,
        registers: false,
    }));
    spread(&mut design, MOST_LOADS);
    check::check(&design).expect("a design that is sound");
    let estimated = estimate(&design).resources;
    let files = verilog::print(&design).expect("no foreign modules");
    let options = Options {
        parts: false,
        ..Options::default()
    };
    let report = yosys(&files, "rules", &options).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{entries:>7}  {bits:>4}  {:>6}  {:>6}  {:>5}  {:>6}  {:>5}  {:>13}  {:>6}  {:>5}",
        report.lut,
        report.ff,
        report.bram36,
        report.depth.levels.to_string(),
        report.depth.ports_levels.to_string(),
        estimated.lut,
        estimated.ff,
        estimated.bram36,
    );
    for path in &report.depth.worst_paths {
        println!("         {} to {}: {}", path.begin, path.end, path.levels);
    }
}
