//! What tables of many prefixes cost, and how deep they are: `cargo run --profile ci -p hardpath-synth --example prefixes`, with entries and bits
//! of a key behind `--`, as in `1024x32`.

use hardpath_blocks::lpm::{lpm, Lpm, Search};
use hardpath_rtl::{check, spread::spread, verilog, Design};
use hardpath_synth::estimate::estimate;
use hardpath_synth::{yosys, Options};

/// Pins that a register may drive, as in designs.
const MOST_LOADS: u32 = 200;

fn main() {
    let usual = ["256x32", "1024x32", "16384x32"].map(String::from);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if wanted.is_empty() {
        &usual[..]
    } else {
        &wanted
    };
    println!(
        "entries  bits  clocks     LUT      FF   BRAM  levels  ports  estimated LUT      FF   BRAM"
    );
    for size in sizes {
        let (entries, bits) = size.split_once('x').expect("such as 1024x32");
        let number = |text: &str| -> u32 { text.parse().expect("a number") };
        row(number(entries), number(bits));
    }
}

fn row(max_entries: u32, bits: u32) {
    let search = Search::Ranges { apart: false };
    let key_bytes = 4 + bits / 8;
    let mut design = Design::new();
    design.add(lpm(&Lpm {
        name: "routes".into(),
        map: "routes".into(),
        key_bytes,
        max_entries,
        registers: false,
        search,
        bounded: false,
    }));
    spread(&mut design, MOST_LOADS);
    check::check(&design).expect("a design that is sound");
    let estimated = estimate(&design).resources;
    let files = verilog::print(&design).expect("no foreign modules");
    let options = Options {
        parts: false,
        ..Options::default()
    };
    let report = yosys(&files, "routes", &options).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{max_entries:>7}  {bits:>4}  {:>6}  {:>6}  {:>6}  {:>5}  {:>6}  {:>5}  {:>13}  {:>6}  {:>5}",
        Lpm::clocks(key_bytes, max_entries, false, search),
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
