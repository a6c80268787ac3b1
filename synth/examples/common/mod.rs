//! A block alone, as yosys makes it, beside the estimate.

use hardpath_rtl::{check, spread::spread, verilog, Design};
use hardpath_synth::estimate::estimate;
use hardpath_synth::{yosys, Options, SynthReport};

/// Pins that a register may drive, as in designs.
const MOST_LOADS: u32 = 200;

/// What stands above the figures of [`row`], behind `what` it is.
pub fn head(what: &str) {
    println!("{what}     LUT      FF   BRAM  levels  ports  estimated LUT      FF   BRAM");
}

/// A line of figures behind `what` it is, and the deepest paths.
pub fn row(what: &str, top: &str, design: Design) {
    let design = checked(design);
    let estimated = estimate(&design).resources;
    let report = measured(top, &design);
    println!(
        "{what}  {:>6}  {:>6}  {:>5}  {:>6}  {:>5}  {:>13}  {:>6}  {:>5}",
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

/// Ready to be printed.
pub fn checked(mut design: Design) -> Design {
    spread(&mut design, MOST_LOADS);
    check::check(&design).expect("a design that is sound");
    design
}

/// By yosys.
pub fn measured(top: &str, design: &Design) -> SynthReport {
    let files = verilog::print(design).expect("no foreign modules");
    let options = Options {
        parts: false,
        ..Options::default()
    };
    yosys(&files, top, &options).unwrap_or_else(|error| panic!("{error}"))
}
