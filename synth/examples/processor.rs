//! What the parts of the packet processor cost, and how deep they are: `cargo run --profile ci -p hardpath-synth --example processor`,
//! with the names of parts behind `--`, or without for all of them.

use hardpath_core::hardware::alu::alu;
use hardpath_core::hardware::lanes::{lanes, Lanes};
use hardpath_core::hardware::operand::operand;
use hardpath_core::hardware::predicates::{cut, guards, updates};
use hardpath_core::hardware::product::product;
use hardpath_core::hardware::quotient::quotient;
use hardpath_core::hardware::registers::{registers, Storage};
use hardpath_core::hardware::Shape;
use hardpath_rtl::{check, verilog, Design, Module};
use hardpath_synth::{yosys, Options, SynthReport};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("part                  LUT      FF  carry  BRAM  DSP  levels  ports  most loads");
    for (name, design) in parts() {
        if wanted.is_empty() || wanted.contains(&name) {
            row(&name, &measure(&design));
        }
    }
}

/// The parts, those of a core with four lanes where that matters.
fn parts() -> Vec<(String, Design)> {
    let mut parts = register_files();
    let mut add = |name: &str, module: Module| parts.push((name.to_string(), alone(module)));
    add("guards", guards("guards", 4).into());
    add("cut", cut("cut", 4).into());
    add("updates", updates("updates", 4).into());
    add("operand", operand("field").into());
    add("alu", alu("alu").into());
    add("product", product("multiplier").into());
    add("quotient", quotient("divider", 4).into());
    for count in [1, 2, 4, 8] {
        let shape = Shape::with_lanes(count);
        let design = lanes("lanes", &Lanes { shape, wait: 1 });
        parts.push((format!("lanes-{count}"), design));
    }
    parts
}

fn register_files() -> Vec<(String, Design)> {
    let block = Shape::with_lanes(4);
    let distributed = Shape {
        storage: Storage::Distributed,
        ..block.clone()
    };
    let small = Shape {
        threads: 8,
        registers: 8,
        ..distributed.clone()
    };
    let shapes = [
        ("registers", block),
        ("registers-lut", distributed),
        ("registers-lut-8x8", small),
    ];
    let parts = shapes.into_iter().map(|(name, shape)| {
        let module = registers("registers", &shape).into();
        (name.to_string(), alone(module))
    });
    parts.collect()
}

fn alone(module: Module) -> Design {
    let mut design = Design::new();
    design.add(module);
    design
}

fn measure(design: &Design) -> SynthReport {
    check::check(design).expect("a design that is sound");
    let files = verilog::print(design).expect("no foreign modules");
    let top = &design.modules[design.top()].name;
    let options = Options {
        parts: false,
        ..Options::default()
    };
    yosys(&files, top, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn row(name: &str, report: &SynthReport) {
    let most = report.max_fanout.as_ref();
    let loads = most.map_or(String::new(), |most| {
        format!("{} ({})", most.loads, most.net)
    });
    println!(
        "{name:18} {:>6}  {:>6}  {:>5}  {:>4}  {:>3}  {:>6}  {:>5}  {loads}",
        report.lut,
        report.ff,
        report.carry,
        report.bram36,
        report.dsp,
        report.depth.levels.to_string(),
        report.depth.ports_levels.to_string(),
    );
}
