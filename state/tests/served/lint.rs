//! What other tools say of the printed text of each kind: nothing.

use crate::accesses::ask::config as with_entries;
use crate::bench::design;
use crate::kinds::Shape;
use crate::{installed, shapes};
use hardpath_ir::Find;
use hardpath_rtl::{verilog, vhdl};
use hardpath_state::served::Served;

/// One of each kind, and with keys and values of many words where they may have them; each without entries and with them.
fn narrow_and_wide() -> Vec<Served> {
    let wide = |find: Find, key_bytes: u32| Shape {
        key_bytes,
        value_bytes: 24,
        ..Shape::new(find, 20, false)
    };
    let mut all = shapes();
    all.extend([
        wide(Find::Exact, 37),
        wide(Find::Array, 4),
        wide(Find::Prefix, 20),
    ]);
    let in_rooms = all.iter().filter(|shape| shape.find != Find::Ternary);
    let in_rooms = in_rooms.map(|shape| Shape {
        room: Some((shape.decl().entry_key_bytes(), shape.max_entries)),
        ..*shape
    });
    all.extend(in_rooms.collect::<Vec<Shape>>());
    let both = |shape: &Shape| [shape.config(), with_entries(shape)];
    let folded = [(70, 1), (100, 30)].map(|(value_bytes, entries)| Shape {
        value_bytes,
        folded: true,
        ..Shape::new(Find::Array, entries, true)
    });
    let folded = folded.iter().map(with_entries);
    all.iter().flat_map(both).chain(folded).collect()
}

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for config in narrow_and_wide() {
        let files = verilog::print(&design(&config)).expect("it has no foreign modules");
        let directory = installed::write_files(&format!("lint-{}", config.name), &files);
        verilator.lint(&directory, &config.name, &files);
    }
}

#[test]
fn ghdl_analyses_everything() {
    let Some(ghdl) = installed::ghdl() else {
        return;
    };
    for config in narrow_and_wide() {
        let files = vhdl::print(&design(&config)).expect("it has no foreign modules");
        let directory = installed::write_files(&format!("ghdl-{}", config.name), &files);
        ghdl.analyse(&directory, &files);
    }
}
