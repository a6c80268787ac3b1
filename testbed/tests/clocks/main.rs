//! A design with two clocks and a foreign module, in all engines: what is put in with one clock crosses to the other one, goes
//! through the foreign module there, and comes back. Native engine, Verilator and GHDL show the same outputs, word for word.

mod design;
mod ghdl;
#[allow(dead_code)]
#[path = "../../../rtl/tests/printer/installed.rs"]
mod installed;
mod stimulus;

use design::{KEY, WORD};
use hardpath_rtl::check::check;
use hardpath_rtl::{verilog, vhdl, Design};
use hardpath_testbed::dut::Dut;
use hardpath_testbed::native::Native;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use std::collections::VecDeque;
use stimulus::{Step, STEPS};

/// What the outputs show before the edges of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shown {
    ready: u64,
    valid: u64,
    data_out: u64,
    count: u64,
}

/// The outputs in the order in which they are written down.
const OUTPUTS: [(&str, u32); 4] = [
    ("ready", 1),
    ("valid", 1),
    ("data_out", WORD + design::COUNT),
    ("count", design::COUNT),
];

impl Shown {
    fn of(values: [u64; 4]) -> Shown {
        let [ready, valid, data_out, count] = values;
        Shown {
            ready,
            valid,
            data_out,
            count,
        }
    }
}

/// Plays all steps in an engine.
fn play(dut: &mut dyn Dut, steps: &[Step]) -> Vec<Shown> {
    let clocks = ["clk", "far_clk"].map(|name| dut.clock(name).expect("a clock"));
    let inputs = stimulus::INPUTS.map(|(name, _)| dut.port(name).expect("an input"));
    let outputs = OUTPUTS.map(|(name, _)| dut.port(name).expect("an output"));
    let mut shown = Vec::new();
    for step in steps {
        for (port, value) in inputs.iter().zip(step.inputs()) {
            dut.set(*port, &[value]);
        }
        let edges = clocks.iter().zip(step.edges).filter(|(_, edge)| *edge);
        let edges: Vec<_> = edges.map(|(clock, _)| *clock).collect();
        dut.step_on(&edges).expect("no assertion fails");
        shown.push(Shown::of(outputs.map(|port| dut.get(port)[0])));
    }
    shown
}

fn engines_agree(name: &str, native: &[Shown], other: &[Shown]) {
    assert_eq!(native.len(), other.len(), "{name}");
    for (number, (native, other)) in native.iter().zip(other).enumerate() {
        assert_eq!(native, other, "{name}, step {number}");
    }
}

/// What a word becomes, said in software: the foreign module turns it, changes bits by a key that goes on with each word, and
/// counts.
fn is_right(steps: &[Step], shown: &[Shown]) -> usize {
    let (mut key, mut count) = (KEY, 0u64);
    let mut inside: VecDeque<u64> = VecDeque::new();
    let mut words = 0;
    for (step, shown) in steps.iter().zip(shown) {
        let [near, far] = step.edges;
        if step.reset || step.far_reset {
            inside.clear();
            (key, count) = (KEY, 0);
            continue;
        }
        if near && step.pop && shown.valid == 1 {
            let word = inside
                .pop_front()
                .expect("only words that went in come out");
            let turned = design::turned(word, key);
            assert_eq!(shown.data_out & design::MASK, turned, "word {count}");
            assert_eq!(shown.data_out >> WORD, count, "what came before it");
            key = design::next_key(key, word);
            count = (count + 1) & ((1 << design::COUNT) - 1);
            words += 1;
        }
        if near && step.push && shown.ready == 1 {
            inside.push_back(step.data);
        }
        assert!(far || near || shown.count < 1 << design::COUNT);
    }
    words
}

fn design() -> Design {
    let design = design::there_and_back();
    assert_eq!(check(&design), Ok(()));
    design
}

#[test]
fn all_engines_show_the_same() {
    let design = design();
    let steps = stimulus::steps();
    let mut native = Native::new(&design).expect("it runs");
    let shown = play(&mut native, &steps);
    let words = is_right(&steps, &shown);
    assert!(words > STEPS / 20, "{words} words went through");
    let ready = shown.iter().filter(|shown| shown.ready == 0).count();
    let empty = shown.iter().filter(|shown| shown.valid == 0).count();
    assert!(
        ready > 100 && empty > 100,
        "full {ready}, empty {empty} times"
    );

    if installed::verilator().is_some() {
        let options = VerilatorOptions {
            cxx_optimization: 1,
            ..VerilatorOptions::default()
        };
        let mut verilator = Verilator::new(&design, &options).expect("it builds");
        engines_agree("Verilator", &shown, &play(&mut verilator, &steps));
    }
    if let Some(tool) = installed::ghdl() {
        engines_agree("GHDL", &shown, &ghdl::play(&tool, &design, &steps));
    }
}

#[test]
fn the_text_has_no_warnings() {
    let design = design();
    if let Some(tool) = installed::verilator() {
        let files = verilog::print(&design).expect("it has a text");
        let folder = installed::write_files("clocks-lint", &files);
        tool.lint(&folder, design::TOP, &files);
    }
    if let Some(tool) = installed::ghdl() {
        let files = vhdl::print(&design).expect("it has a text");
        let folder = installed::write_files("clocks-ghdl", &files);
        tool.analyse(&folder, &files);
        tool.run(&folder, &["--synth", "--std=08", "--out=none", design::TOP]);
    }
}

/// An engine says what is missing; it does not play half of a design.
#[test]
fn a_missing_text_is_said() {
    let mut design = design();
    for module in design.modules.values_mut() {
        if let Some(foreign) = &mut module.foreign {
            (foreign.verilog, foreign.model) = (None, None);
        }
    }
    let error = Verilator::new(&design, &VerilatorOptions::default()).err();
    if let Some(error) = error.filter(|error| !error.code.ends_with("-missing")) {
        assert_eq!(error.code, "no-text");
        assert!(
            error.message.contains("has no text in this language"),
            "{error}"
        );
    }
    let error = Native::new(&design).err().expect("it has no model");
    assert_eq!(error.code, "simulator-failed");
    assert!(
        error
            .message
            .contains("turn_far is of the foreign module turn, which has no model"),
        "{error}"
    );
}
