//! What other tools say of the printed text of tables of several fields: nothing.

use crate::installed;
use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::{verilog, vhdl, Design};

type Fields = Vec<(Match, u32)>;

/// With fields of all kinds, and where a whole port, most of its bits or a memory is missing.
fn designs() -> Vec<(String, Design)> {
    let flow: Fields = vec![
        (Match::Ternary, 32),
        (Match::Prefix, 128),
        (Match::Range, 16),
        (Match::Exact, 8),
        (Match::Range, 3),
    ];
    let few: Vec<(Fields, u32, u32)> = vec![
        (
            vec![(Match::Prefix, 20), (Match::Exact, 9), (Match::Ternary, 4)],
            300,
            16,
        ),
        (vec![(Match::Exact, 1)], 1, 1),
    ];
    let shapes: Vec<(Fields, u32, bool)> = vec![
        (flow.clone(), 64, true),
        (flow, 5, false),
        (vec![(Match::Exact, 12)], 1, false),
        (vec![(Match::Range, 16)], 3, true),
        (vec![(Match::Range, 1), (Match::Prefix, 1)], 2, false),
        (vec![(Match::Ternary, 20), (Match::Exact, 9)], 75, true),
        (vec![(Match::Prefix, 3)], 128, false),
    ];
    let any = shapes
        .into_iter()
        .map(|(fields, entries, registers)| (fields, entries, registers, None));
    let few = few
        .into_iter()
        .map(|(fields, entries, masks)| (fields, entries, true, Some(masks)));
    let design = |(number, (fields, entries, registers, masks))| {
        let name = format!("rules_{number}");
        let mut design = Design::new();
        design.add(ternary(&Ternary {
            name: name.clone(),
            map: "rules".into(),
            fields,
            entries,
            masks,
            registers,
        }));
        (name, design)
    };
    any.chain(few).enumerate().map(design).collect()
}

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for (name, design) in designs() {
        let files = verilog::print(&design).expect("it has no foreign modules");
        let directory = installed::write_files(&format!("lint-{name}"), &files);
        verilator.lint(&directory, &name, &files);
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
