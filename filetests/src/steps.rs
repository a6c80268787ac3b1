//! The steps of `; run:`. Each takes the program that the one before it gave; the last ones give text.
//!
//! | step | what it gives |
//! |---|---|
//! | the name of a pass | the program behind it |
//! | `lower_structured`, `optimize_control_flow`, `optimize_dataflow` | the program behind all passes of that phase |
//! | `shorten`, `several_ways` | the program behind that step of the pipeline |
//! | `report` | each map's hazard and why, or what is refused |
//! | `schedule` | the scheduled program, compiled from the one before it |
//! | `verilog`, `vhdl` | the module `pipeline` of the design, as printed |
//!
//! Where the result is a program in another form, it must do what the first one did: [`assert_same`].

use crate::case::{valid, Case};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use hardpath_pipeline::technology::ULTRASCALE_PLUS;
use hardpath_pipeline::{compile, dataflow, passes, several_ways, shorten, Options};
use hardpath_rtl::print::PrintError;
use hardpath_rtl::{verilog, vhdl, Design};
use hardpath_testkit::{assert_same, Random};

/// Packets on which the last program is compared with the first.
const PACKETS: u32 = 50;

/// What the steps of a case make of its program.
///
/// # Panics
/// There is no step of a name, a step breaks a rule of the IR, or changes what the program does.
pub fn run(case: &Case, steps: &str) -> String {
    let before = case.program();
    let mut program = before.clone();
    for step in steps.split_whitespace() {
        match step_of(step, program) {
            Ok(Made::Program(after)) => program = *after,
            Ok(Made::Text(text)) => return text,
            Err(errors) => return errors.iter().map(|error| format!("{error}\n")).collect(),
        }
        valid(&program);
    }
    assert_same(&before, &program, &mut Random::new(1), PACKETS, &case.name);
    program.to_string()
}

enum Made {
    Program(Box<Program>),
    Text(String),
}

fn step_of(step: &str, mut program: Program) -> Result<Made, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    match step {
        "optimize_control_flow" => {
            hardpath_passes::optimize_control_flow(&mut program).map_err(one)?
        }
        "optimize_dataflow" => hardpath_passes::optimize_dataflow(&mut program).map_err(one)?,
        "lower_structured" => hardpath_passes::lower_structured(&mut program)?,
        "shorten" => {
            program = dataflow(&program)?;
            shorten::shorten(&mut program, &ULTRASCALE_PLUS);
        }
        "several_ways" => {
            several_ways::join(&mut program);
        }
        "report" => return report(program).map(Made::Text),
        "schedule" => {
            let compiled = compile(program, &Options::default())?;
            return Ok(Made::Text(compiled.scheduled.to_string()));
        }
        "verilog" => return printed(program, verilog::print).map(Made::Text),
        "vhdl" => return printed(program, vhdl::print).map(Made::Text),
        _ => {
            let pass =
                passes::find(step).unwrap_or_else(|| panic!("there is no step or pass {step}"));
            pass.run(&mut program)?;
        }
    }
    Ok(Made::Program(Box::new(program)))
}

/// Each map's hazard.
fn report(program: Program) -> Result<String, Vec<Diagnostic>> {
    let compiled = compile(program, &Options::default())?;
    let maps = compiled.report.maps.iter().map(|map| {
        let hazard = format!("{:?}", map.hazard).to_lowercase();
        format!("{}: {hazard}, {}\n", map.name, map.reason)
    });
    Ok(maps.collect())
}

type Printer = fn(&Design) -> Result<Vec<(String, String)>, PrintError>;

/// The module that is made for the program, without those that it shares with others.
fn printed(program: Program, printer: Printer) -> Result<String, Vec<Diagnostic>> {
    let compiled = compile(program, &Options::default())?;
    let files = printer(&compiled.design).expect("every part has a text");
    let is_pipeline = |(name, _): &(String, String)| name.contains("_pipeline.");
    let file = files.into_iter().find(is_pipeline);
    Ok(file.expect("every design has a pipeline").1)
}
