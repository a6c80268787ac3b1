//! What operations cost: measured by a flow for a family of FPGAs, beside what the scheduler's delay model says.
//!
//! ```text
//! make calibrate                          levels for UltraScale+, 7 series and ALMs, nanoseconds for ECP5
//! calibrate --family 7-series             levels, from yosys
//! calibrate --family ecp5 --routed        nanoseconds, placed and routed (a few cases)
//! ```
//!
//! Each case is a small program that goes through the whole compiler with a clock so slow that it has one stage. Its
//! compute module is synthesized between registers. A word on the command line keeps the cases whose names hold it.

use hardpath_diagnostic::Diagnostic;
use hardpath_pipeline::technology::{self, Technology, TECHNOLOGIES};
use hardpath_pipeline::Options;
use hardpath_rtl::{verilog, Design, Direction, Module, ModuleId};
use hardpath_synth::wrapper::WrappedPort;
use hardpath_synth::{Ecp5Options, Placer};
use std::process::ExitCode;

/// So slow that everything fits one stage.
const CLOCK_MHZ: f64 = 2.0;
/// What place and route aims at: as fast as it can.
const ROUTED_FOR_MHZ: f64 = 250.0;

fn main() -> ExitCode {
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut technology = TECHNOLOGIES[0];
    if wanted.len() > 1 && wanted[0] == "--family" {
        technology = technology::find(&wanted[1]).expect("a family");
        wanted.drain(..2);
    }
    let routed = wanted.first().is_some_and(|word| word == "--routed");
    if routed {
        wanted.remove(0);
    }
    println!(
        "{}, {}\n{:<34} {:>8} {:>8} {:>6} {:>6}",
        technology.title,
        if routed { "nanoseconds" } else { "levels" },
        "case",
        "measured",
        "model",
        "LUT",
        "carry"
    );
    let mut failed = false;
    for (name, text) in cases() {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        if routed && !ROUTED.contains(&name.as_str()) {
            continue;
        }
        match measure(&text, technology, routed) {
            Ok((measured, model, lut, carry)) => {
                println!("{name:<34} {measured:>8.1} {model:>8.1} {lut:>6} {carry:>6}");
            }
            Err(errors) => {
                failed = true;
                println!("{name}: {}", errors[0].message);
            }
        }
    }
    match failed {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

/// The cases that are placed and routed, which takes half a minute each.
const ROUTED: &[&str] = &[
    "add 8 x1",
    "add 16 x1",
    "add 32 x1",
    "add 64 x1",
    "add 32 x2",
    "add 32 x3",
    "ult 16 x1",
    "ult 32 x1",
    "ult 64 x1",
    "eq 32 x1",
    "eq 64 x1",
    "select x4",
    "select x12",
    "eq constant, select x3",
    "eq constant, select x6",
    "and, or x16",
    "shl 32",
    "add, ult, select 16 x2",
    "add, ult, select 32 x2",
];

/// As synthesized and as estimated: levels, or the nanoseconds of a clock; LUTs, carry cells.
fn measure(
    text: &str,
    technology: &'static Technology,
    routed: bool,
) -> Result<(f64, f64, u64, u64), Vec<Diagnostic>> {
    let program = hardpath_ir::parse::parse(text).map_err(|error| vec![error])?;
    let options = Options {
        clock_mhz: CLOCK_MHZ,
        technology,
        ..Options::default()
    };
    let compiled = hardpath_pipeline::compile(program, &options)?;
    let mut modules = compiled.design.modules.iter();
    let (compute, _) = modules
        .find(|(_, module)| module.name.ends_with("_pipeline"))
        .expect("every design has a compute module");
    let design = between_registers(compiled.design.clone(), compute);
    let (files, top) = (
        verilog::print(&design).expect("it has no foreign modules"),
        "between_registers",
    );
    let yosys = hardpath_synth::Options {
        family: technology.yosys.into(),
        map_modules: Vec::new(),
        parts: false,
        netlist: None,
    };
    let report = match routed {
        true => {
            let ports = design.modules.values().next_back().map(|top| &top.ports);
            let ports = ports.into_iter().flatten().map(|port| WrappedPort {
                name: port.name.clone(),
                bits: port.width,
                is_input: port.direction == Direction::Input,
            });
            let options = Ecp5Options {
                clock_mhz: ROUTED_FOR_MHZ,
                seed: 1,
                placer: Placer::Heap,
                ports: ports.collect(),
                yosys,
            };
            hardpath_synth::ecp5(&files, top, &options)
        }
        false => hardpath_synth::yosys(&files, top, &yosys),
    };
    let report = report.map_err(|error| vec![error])?;
    let levels = compiled.report.levels;
    let (measured, model) = match report.fmax_mhz {
        Some(fmax_mhz) => (1000.0 / fmax_mhz, 1000.0 / technology.clock_of(levels)),
        None => (report.depth.levels.number(), levels),
    };
    Ok((measured, model, report.lut, report.carry))
}

/// Another top: a module with a register at each of its ports.
fn between_registers(mut design: Design, id: ModuleId) -> Design {
    let module = &design.modules[id];
    let mut top = Module::new("between_registers", "A module between registers.");
    let inputs: Vec<(String, _)> = module
        .ports
        .iter()
        .filter(|port| port.direction == Direction::Input)
        .map(|port| {
            let outside = top.input(port.name.clone(), port.width, "");
            (
                port.name.clone(),
                top.delay(format!("{}_in", port.name), outside),
            )
        })
        .collect();
    let inputs: Vec<(&str, _)> = inputs
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = top.instance(module, id, "inside", &inputs);
    for port in &module.ports {
        if matches!(port.direction, Direction::Output(_)) {
            let inside = top.instance_output(module, instance, &port.name);
            let kept = top.delay(format!("{}_out", port.name), inside);
            top.output(port.name.clone(), kept, "");
        }
    }
    design.add(top);
    design
}

/// The text of a program of packet bytes.
#[derive(Default)]
struct Text {
    lines: Vec<String>,
    values: u32,
    bytes: u32,
}

impl Text {
    fn op(&mut self, width: u32, what: &str) -> u32 {
        let value = self.values;
        self.values += 1;
        self.lines.push(format!("    v{value}:{width} = {what}"));
        value
    }

    /// Bits of the packet that nobody else has.
    fn input(&mut self, width: u32) -> u32 {
        let offset = self.op(64, &format!("const {}", self.bytes));
        let bytes = width.div_ceil(8);
        self.bytes += bytes;
        let word = self.op(bytes * 8, &format!("packet.load v{offset}"));
        match width % 8 {
            0 => word,
            _ => self.op(width, &format!("slice v{word}, 0")),
        }
    }

    fn two(&mut self, op: &str, width: u32, a: u32, b: u32) -> u32 {
        self.op(width, &format!("{op} v{a}, v{b}"))
    }

    /// An operation on a value and an input, or a constant.
    fn with(&mut self, op: &str, width: u32, a: u32, constant: Option<u64>) -> u32 {
        let b = match constant {
            Some(constant) => self.op(width, &format!("const {constant}")),
            None => self.input(width),
        };
        let result = if is_compare(op) { 1 } else { width };
        self.two(op, result, a, b)
    }

    fn select(&mut self, width: u32, condition: u32, yes: u32, no: u32) -> u32 {
        self.op(width, &format!("select v{condition}, v{yes}, v{no}"))
    }

    /// The whole program; its result is a value of so many bits.
    fn program(mut self, result: u32, width: u32) -> String {
        let offset = self.op(64, "const 0");
        let bytes = width.div_ceil(8);
        let word = match width % 8 {
            0 => result,
            _ => self.op(bytes * 8, &format!("zext v{result}")),
        };
        self.lines
            .push(format!("    packet.store v{offset}, v{word}"));
        let verdict = self.op(64, "const 2");
        let forwarded = self.op(1, "const 1");
        self.lines
            .push(format!("    emit v{forwarded} with v{verdict}"));
        format!(
            "program \"case\" dataflow\n\nlimits shortest 0\noutput \"r0\" 64\n\nblock0:\n{}\n",
            self.lines.join("\n")
        )
    }
}

fn is_compare(op: &str) -> bool {
    ["eq", "ne", "ult", "ule", "slt", "sle"].contains(&op)
}

/// Every case by name.
fn cases() -> Vec<(String, String)> {
    let mut cases = Vec::new();
    let mut add = |name: String, text: String| cases.push((name, text));
    for width in [4, 8, 12, 16, 24, 32, 64] {
        for op in ["add", "sub", "ult", "slt", "eq"] {
            for constant in [None, Some(0x1234_5678_9abc_def5u64)] {
                let constant = constant.map(|c| c & (u64::MAX >> (64 - width)));
                let kind = if constant.is_some() { " constant" } else { "" };
                for times in [1, 2, 3] {
                    if is_compare(op) && times > 1 {
                        continue;
                    }
                    let mut text = Text::default();
                    let mut value = text.input(width);
                    for _ in 0..times {
                        // Only variables can be added twice without becoming one sum.
                        let constant = constant.filter(|_| times == 1);
                        value = text.with(op, width, value, constant);
                    }
                    let result = if is_compare(op) { 1 } else { width };
                    if times == 1 || constant.is_none() {
                        add(
                            format!("{op} {width}{kind} x{times}"),
                            text.program(value, result),
                        );
                    }
                }
            }
        }
    }
    for width in [4, 8, 16, 32, 64] {
        for op in ["shl", "lshr", "ashr"] {
            let mut text = Text::default();
            let value = text.input(width);
            let amount = text.input(width.ilog2());
            let amount = text.op(width, &format!("zext v{amount}"));
            let shifted = text.two(op, width, value, amount);
            add(format!("{op} {width}"), text.program(shifted, width));
        }
    }
    // Choices behind choices, as if-else chains make them.
    for count in [1, 2, 4, 8, 12] {
        let mut text = Text::default();
        let mut value = text.input(16);
        for _ in 0..count {
            let (condition, other) = (text.input(1), text.input(16));
            value = text.select(16, condition, other, value);
        }
        add(format!("select x{count}"), text.program(value, 16));
    }
    // A field is compared, and something is chosen: the way of header parsing.
    for count in [1, 2, 3, 4, 6] {
        let mut text = Text::default();
        let (field, mut value) = (text.input(16), text.input(16));
        for number in 0..count {
            let constant = text.op(16, &format!("const {}", 0x0800 + 37 * number));
            let same = text.two("eq", 1, field, constant);
            let other = text.input(16);
            value = text.select(16, same, other, value);
        }
        add(
            format!("eq constant, select x{count}"),
            text.program(value, 16),
        );
    }
    for count in [2, 4, 8, 16] {
        let mut text = Text::default();
        let mut value = text.input(1);
        for number in 0..count {
            let op = if number % 2 == 0 { "and" } else { "or" };
            value = text.with(op, 1, value, None);
        }
        add(format!("and, or x{count}"), text.program(value, 1));
    }
    // Operations behind each other, as in programs with variable headers and meters.
    for width in [8, 11, 16, 32, 64] {
        for times in [1, 2, 3] {
            let mut text = Text::default();
            let mut value = text.input(width);
            for _ in 0..times {
                let sum = text.with("add", width, value, None);
                let limit = text.input(width);
                let less = text.two("ult", 1, sum, limit);
                let other = text.input(width);
                value = text.select(width, less, sum, other);
            }
            add(
                format!("add, ult, select {width} x{times}"),
                text.program(value, width),
            );
        }
        let mut text = Text::default();
        let value = text.input(width);
        let less = text.with("ult", width, value, None);
        let other = text.input(width);
        let chosen = text.select(width, less, value, other);
        let sum = text.with("add", width, chosen, None);
        let same = text.with("eq", width, sum, None);
        let more = text.input(width);
        let last = text.select(width, same, sum, more);
        add(
            format!("ult, select, add, eq, select {width}"),
            text.program(last, width),
        );
    }
    for width in [8, 16, 32] {
        for op in ["xor", "and"] {
            for times in [2, 3] {
                let mut text = Text::default();
                let mut value = text.input(width);
                for _ in 0..times {
                    value = text.with("add", width, value, None);
                    value = text.with(op, width, value, None);
                }
                add(
                    format!("add, {op} {width} x{times}"),
                    text.program(value, width),
                );
            }
        }
    }
    cases
}
