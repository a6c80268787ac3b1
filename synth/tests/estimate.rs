//! Estimates of small designs beside what a real yosys needs, and what they are by hand. Without yosys the comparison says so
//! and passes, unless `HARDPATH_REQUIRE_TOOLS` is 1.

use hardpath_blocks::lpm::{lpm, Lpm, Search};
use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::{verilog, Design, MemStyle, Module, Node};
use hardpath_synth::cards::Resources;
use hardpath_synth::estimate::estimate;
use hardpath_synth::{yosys, Options, SynthReport};

fn design(module: Module) -> Design {
    let mut design = Design::new();
    design.add(module);
    design
}

fn resources(module: Module) -> Resources {
    let estimate = estimate(&design(module));
    assert!(!estimate.is_rough);
    estimate.resources
}

/// A value a clock later, without a reset.
fn later(m: &mut Module, name: &str, value: Node) -> Node {
    let (reg, held) = m.reg(name, m.width(value));
    m.set_next(reg, value);
    held
}

#[test]
fn registers_that_wait_are_shift_registers() {
    let mut m = Module::new("top", "");
    let mut value = m.input("a", 8, "");
    for clock in 0..40 {
        value = later(&mut m, &format!("a_{clock}"), value);
    }
    m.output("q", value, "");
    // 40 flip-flops are two LUTs of at most 32.
    let used = resources(m);
    assert_eq!((used.lut, used.ff), (16, 0));
}

#[test]
fn what_nobody_needs_or_never_changes_is_not_there() {
    let mut m = Module::new("top", "");
    let a = m.input("a", 8, "");
    let twice = [later(&mut m, "first", a), later(&mut m, "second", a)];
    later(&mut m, "unused", a);
    let zero = m.zero(8);
    let never = later(&mut m, "never", zero);
    let differ = m.xor(&twice);
    let all = m.or(&[twice[0], differ, never]);
    m.output("q", all, "");
    let used = resources(m);
    assert_eq!((used.lut, used.ff), (0, 8));
}

/// A choice between something and what a register holds is its enable, one with a constant its reset.
#[test]
fn flip_flops_choose_for_themselves() {
    let mut m = Module::new("top", "");
    let (a, takes, clears) = (
        m.input("a", 8, ""),
        m.input("takes", 1, ""),
        m.input("clears", 1, ""),
    );
    let (reg, held) = m.reg("held", 8);
    let zero = m.zero(8);
    let kept = m.mux(takes, a, held);
    let next = m.mux(clears, zero, kept);
    m.set_next(reg, next);
    m.output("q", held, "");
    let used = resources(m);
    assert_eq!((used.lut, used.ff), (0, 8));
}

/// Something of everything.
fn mixed() -> Module {
    let mut m = Module::new("top", "");
    let index = m.input("index", 10, "");
    let data = m.input("data", 72, "");
    let write = m.input("write", 1, "");
    let index = later(&mut m, "index_1", index);
    let data = later(&mut m, "data_1", data);
    let write = later(&mut m, "write_1", write);

    let block = m.mem("block", 72, 1024, MemStyle::Block);
    m.mem_write(block, index, data, write);
    let one = m.one();
    let word = m.mem_read_sync(block, index, one);
    let small = m.mem("small", 20, 64, MemStyle::Distributed);
    let (low_index, low_data) = (m.slice(index, 0, 6), m.slice(data, 0, 20));
    m.mem_write(small, low_index, low_data, write);
    let other_index = m.slice(index, 4, 6);
    let read = m.mem_read_async(small, other_index);
    let read = later(&mut m, "read", read);

    let (count_reg, count) = m.reg_reset("count", 24, 0);
    let more = m.add_const(count, 3);
    m.set_next_when(count_reg, write, more);
    let parts: Vec<Node> = (0..8).map(|part| m.slice(word, 9 * part, 9)).collect();
    let select: Vec<Node> = (0..3).map(|bit| m.bit(count, bit)).collect();
    let mut row = parts;
    for select in select {
        row = row
            .chunks(2)
            .map(|pair| m.mux(select, pair[1], pair[0]))
            .collect();
    }
    let chosen = later(&mut m, "chosen", row[0]);
    let (low, high) = (m.slice(word, 0, 32), m.slice(word, 32, 32));
    let sum = m.add(low, high);
    let sum = later(&mut m, "sum", sum);
    let less = m.ult(low, high);
    let less = later(&mut m, "less", less);
    let mut waits = m.slice(data, 0, 30);
    for clock in 0..9 {
        waits = later(&mut m, &format!("waits_{clock}"), waits);
    }
    for (name, value) in [
        ("read_out", read),
        ("chosen_out", chosen),
        ("sum_out", sum),
        ("less_out", less),
        ("waits_out", waits),
    ] {
        m.output(name, value, "");
    }
    m
}

/// What yosys makes of a design; `None`: it is not installed.
fn measured(design: &Design) -> Option<SynthReport> {
    if hardpath_synth::tool::YOSYS.find().is_err() {
        let wanted = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!wanted, "yosys is required, but it is not installed");
        println!("note: yosys is not installed, so nothing is compared");
        return None;
    }
    let options = Options {
        parts: false,
        ..Options::default()
    };
    let top = &design.modules[design.top()].name;
    let files = verilog::print(design).expect("it has no foreign modules");
    let report = yosys(&files, top, &options);
    Some(report.unwrap_or_else(|error| panic!("{error}")))
}

/// Holds LUTs within 25 % and flip-flops within 10 % of what yosys makes of the design, and block RAMs to what it does.
/// Gives what yosys says of it, where that is installed.
fn is_as_large_as_yosys_makes_it(design: &Design) -> Option<SynthReport> {
    let estimated = estimate(design).resources;
    let report = measured(design)?;
    let measured = report.resources();
    let ratio = |estimated: u64, measured: u64| estimated as f64 / measured as f64;
    assert!(
        (0.75..=1.25).contains(&ratio(estimated.lut, measured.lut)),
        "{estimated:?} {measured:?}"
    );
    assert!(
        (0.9..=1.1).contains(&ratio(estimated.ff, measured.ff)),
        "{estimated:?} {measured:?}"
    );
    assert_eq!(estimated.bram36, measured.bram36);
    Some(report)
}

#[test]
fn a_small_design_is_as_large_as_yosys_makes_it() {
    let design = design(mixed());
    assert_eq!(estimate(&design).resources.bram36, 2.0);
    is_as_large_as_yosys_makes_it(&design);
}

/// Its longest way asks of all entries, several times in one clock: wide LUTs would make it shorter, and are not there.
#[test]
fn a_table_of_prefixes_is_as_large_as_yosys_makes_it() {
    let table = lpm(&Lpm {
        name: "prefixes".to_string(),
        map: "prefixes".to_string(),
        key_bytes: 8,
        max_entries: 64,
        registers: false,
        search: Search::Rows { bits_a_clock: 2 },
        bounded: false,
    });
    is_as_large_as_yosys_makes_it(&design(table.module));
}

/// The table that the block's page has figures of.
#[test]
fn a_table_of_several_fields_is_as_large_and_deep_as_it_says() {
    let table = ternary(&Ternary {
        name: "rules".to_string(),
        map: "rules".to_string(),
        fields: vec![
            (Match::Ternary, 32),
            (Match::Ternary, 32),
            (Match::Range, 16),
            (Match::Exact, 8),
        ],
        entries: 64,
        masks: None,
        registers: false,
    });
    let Some(report) = is_as_large_as_yosys_makes_it(&design(table.module)) else {
        return;
    };
    assert!((5500..6300).contains(&report.lut), "{} LUTs", report.lut);
    assert_eq!(report.bram36, 0.0);
    let levels = report.depth.levels.number();
    assert!(levels <= 6.0, "{levels} levels");
    let fanout = report.max_fanout.map_or(0, |net| net.loads);
    assert!(fanout <= 256, "{fanout} loads");
}
