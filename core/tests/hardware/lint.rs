//! What other tools say of the printed text: nothing.

use crate::installed;
use hardpath_core::hardware::lanes::{lanes, Lanes};
use hardpath_core::hardware::product::product;
use hardpath_core::hardware::quotient::quotient;
use hardpath_core::hardware::registers::Storage;
use hardpath_core::hardware::Shape;
use hardpath_rtl::{verilog, vhdl, Design, Module};

fn designs() -> Vec<(&'static str, Design)> {
    let distributed = Shape {
        storage: Storage::Distributed,
        ..Shape::with_lanes(1)
    };
    let shapes = [
        ("one_lane", distributed),
        ("four_lanes", Shape::with_lanes(4)),
    ];
    let lanes = shapes.map(|(name, shape)| (name, lanes(name, &Lanes { shape, wait: 1 })));
    let alone = |module: Module| {
        let mut design = Design::new();
        design.add(module);
        design
    };
    let others = [
        ("multiplier", alone(product("multiplier").into())),
        ("divider", alone(quotient("divider", 4).into())),
    ];
    lanes.into_iter().chain(others).collect()
}

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for (name, design) in designs() {
        let files = verilog::print(&design).expect("it has no foreign modules");
        let directory = installed::write_files(&format!("lint-{name}"), &files);
        verilator.lint(&directory, name, &files);
    }
}

#[test]
fn ghdl_analyses_everything() {
    let Some(ghdl) = installed::ghdl() else {
        return;
    };
    for (name, design) in designs() {
        let files = vhdl::print(&design).expect("it has no foreign modules");
        let directory = installed::write_files(&format!("ghdl-{name}"), &files);
        ghdl.analyse(&directory, &files);
    }
}
