//! `hardpath isa`: instruction tests of the public BPF conformance suite, in any engine.
//!
//! A test is a program over (memory, length) with the result that it must return. As hardware the memory is the packet,
//! and the result leaves beside the packet's last beat.

use crate::answer::{Answer, Status};
use crate::arguments::{EngineName, IsaArguments};
use crate::engine;
use crate::files;
use crate::progress::Progress;
use crate::target::core::Processor;
use crate::target::Kind;
use hardpath_blocks::interface::Interface;
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::{self, Processor as Core};
use hardpath_core::image::Image;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::interpreter;
use hardpath_ir::maps::Maps;
use hardpath_ir::Program;
use hardpath_packet::{Fate, Packet, Sideband};
use hardpath_pipeline::{Compiled, Options};
use hardpath_session::Rows;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host};
use hardpath_testbed::run::{self, RunOptions};
use serde::Deserialize;
use serde_json::{json, Value};
use std::fmt::Write;

/// A test as the file has it.
#[derive(Deserialize)]
struct Test {
    name: String,
    /// Hex, 8 bytes an instruction, as in an object file.
    insns: String,
    /// Hex; empty: no memory.
    mem: String,
    /// `0x…`: what the program returns.
    result: String,
}

/// A test made ready.
struct Case {
    name: String,
    /// 8 bytes an instruction.
    code: Vec<u8>,
    memory: Vec<u8>,
    expected: u64,
}

enum Outcome {
    Passed,
    Failed(String),
    Refused(Diagnostic),
}

pub fn run(arguments: &IsaArguments) -> Result<Answer, Vec<Diagnostic>> {
    let target = &arguments.target;
    let kind = Kind::of(target).map_err(|error| vec![error])?;
    let engine = kind.engine(arguments.engine).map_err(|error| vec![error])?;
    let cases = read(arguments)?;
    let progress = Progress::new("tests", cases.len());
    let mut passed = 0;
    let mut failures = Vec::new();
    let mut refusals = Vec::new();
    let mut text = String::new();
    let mut loaded = None;
    for (index, case) in cases.iter().enumerate() {
        progress.set(index);
        match run_case(case, &kind, engine, &mut loaded)? {
            Outcome::Passed => passed += 1,
            Outcome::Failed(reason) => {
                let _ = writeln!(text, "failed   {}: {reason}", case.name);
                failures.push(json!({ "name": case.name, "reason": reason }));
            }
            Outcome::Refused(error) => {
                let _ = writeln!(text, "refused  {}: {}", case.name, error.message);
                refusals.push(refusal(case, &error));
            }
        }
    }
    drop(progress);
    let _ = writeln!(
        text,
        "{passed} passed, {} failed, {} refused ({})",
        failures.len(),
        refusals.len(),
        said_of(&kind, engine)
    );
    let status = match failures.is_empty() {
        true => Status::Good,
        false => Status::Differs,
    };
    let json = json!({
        "target": kind.target.name(),
        "engine": engine.name(),
        "lanes": kind.processor.as_ref().map(|processor| processor.machine.lanes),
        "passed": passed,
        "failed": failures.len(),
        "refused": refusals.len(),
        "failures": failures,
        "refusals": refusals,
    });
    Ok(Answer::new(status, json, text))
}

/// Who ran the tests.
fn said_of(kind: &Kind, engine: EngineName) -> String {
    match (&kind.processor, engine) {
        (Some(processor), EngineName::Rows) => processor.rows(),
        _ => engine.name().to_owned(),
    }
}

fn refusal(case: &Case, error: &Diagnostic) -> Value {
    json!({
        "name": case.name,
        "code": error.code,
        "message": error.message,
        "place": error.place.as_ref().map(|place| place.to_string()),
    })
}

/// The tests that are wanted. The first one is always among them.
fn read(arguments: &IsaArguments) -> Result<Vec<Case>, Vec<Diagnostic>> {
    let place = Place::of_file(arguments.file.display());
    let text = files::read_text(&arguments.file).map_err(|error| vec![error])?;
    let tests: Vec<Test> = serde_json::from_str(&text).map_err(|error| {
        vec![Diagnostic::input(
            "not-isa-tests",
            format!("the file holds no instruction tests: {error}"),
        )
        .at(place.clone())
        .help("give a JSON array of objects with name, insns, mem and result")]
    })?;
    let cases: Result<Vec<Case>, String> = tests
        .iter()
        .step_by(arguments.every as usize)
        .map(case)
        .collect();
    cases.map_err(|reason| vec![Diagnostic::input("not-isa-tests", reason).at(place)])
}

fn case(test: &Test) -> Result<Case, String> {
    let wrong = |key: &str| format!("test {}: {key} is malformed", test.name);
    let result = test
        .result
        .strip_prefix("0x")
        .ok_or_else(|| wrong("result"))?;
    Ok(Case {
        name: test.name.clone(),
        code: hex(&test.insns).ok_or_else(|| wrong("insns"))?,
        memory: hex(&test.mem).ok_or_else(|| wrong("mem"))?,
        expected: u64::from_str_radix(result, 16).map_err(|_| wrong("result"))?,
    })
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}

fn run_case(
    case: &Case,
    kind: &Kind,
    engine: EngineName,
    loaded: &mut Option<Loaded>,
) -> Result<Outcome, Vec<Diagnostic>> {
    let lift = match kind.target.takes_loops() {
        true => hardpath_ebpf::lift_raw_structured,
        false => hardpath_ebpf::lift_raw,
    };
    let program = match lift(&case.code, &case.name) {
        Ok(program) => program,
        Err(errors) => return Ok(refused(errors)),
    };
    let result = match (engine, &kind.processor) {
        (EngineName::Rows, Some(processor)) => match processor.compile(&program) {
            Ok(compiled) => in_rows(&compiled.image, &case.memory).map(Some),
            Err(errors) => return Ok(refused(errors)),
        },
        (EngineName::Native | EngineName::Verilator, Some(processor)) => {
            let compiled = match processor.compile(&program) {
                Ok(compiled) => compiled,
                Err(errors) => return Ok(refused(errors)),
            };
            let core = match loaded {
                Some(core) => core,
                None => loaded.insert(Loaded::new(&compiled.image, processor, engine)?),
            };
            Ok(core.run(&compiled.image, &case.memory)?)
        }
        (EngineName::Native | EngineName::Verilator, None) => {
            let compiled = match hardpath_pipeline::compile(program, &Options::default()) {
                Ok(compiled) => compiled,
                Err(errors) => return Ok(refused(errors)),
            };
            simulate(&compiled, &case.memory, engine)?
        }
        _ => Ok(interpret(&program, &case.memory)),
    };
    Ok(match result {
        Ok(Some(result)) if result == case.expected => Outcome::Passed,
        Ok(Some(result)) => {
            Outcome::Failed(format!("returned {result:#x}, not {:#x}", case.expected))
        }
        Ok(None) => Outcome::Failed(String::from("nothing came out")),
        Err(error) => Outcome::Failed(error.message),
    })
}

/// A core, into which one program after the other is loaded.
struct Loaded {
    config: Core,
    interface: Interface,
    dut: Box<dyn Dut>,
}

impl Loaded {
    /// One for programs like this one.
    fn new(
        image: &Image,
        processor: &Processor,
        engine: EngineName,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        let config = Core::of("core", &processor.machine, processor.threads, image);
        let built = processor::processor(&config);
        let mut dut = engine::start(engine, &built.design).map_err(|error| vec![error])?;
        host::reset(dut.as_mut(), &built.interface).map_err(|error| vec![error])?;
        Ok(Loaded {
            config,
            interface: built.interface,
            dut,
        })
    }

    /// # Errors
    /// The program is none for this core, or the design goes wrong.
    fn run(&mut self, image: &Image, memory: &[u8]) -> Result<Option<u64>, Vec<Diagnostic>> {
        let dut = self.dut.as_mut();
        self.interface.lengths = (image.limits.shortest, image.limits.longest);
        let packet = Packet {
            data: memory.to_vec(),
            ..Packet::default()
        };
        let load = Load::new(&self.config, image, Before::Unknown, false)?;
        let loaded = Host::new(dut, &self.interface)
            .and_then(|mut host| host.load_program(dut, &load.words));
        let ran =
            loaded.and_then(|()| run::run(dut, &self.interface, &[packet], &RunOptions::default()));
        let ran = ran.map_err(|error| vec![error])?;
        Ok(ran.outcomes[0].as_ref().map(Fate::first_output))
    }
}

fn in_rows(image: &Image, memory: &[u8]) -> Result<u64, Diagnostic> {
    let mut maps = Maps::new(&image.maps);
    let fate = Rows::new(image).run(&mut maps, memory, &Sideband::default())?;
    Ok(fate.first_output())
}

/// # Errors
/// The engine does not start; inside, that the design goes wrong.
fn simulate(
    compiled: &Compiled,
    memory: &[u8],
    engine: EngineName,
) -> Result<Result<Option<u64>, Diagnostic>, Vec<Diagnostic>> {
    let mut dut = engine::start(engine, &compiled.design).map_err(|error| vec![error])?;
    let packet = Packet {
        data: memory.to_vec(),
        ..Packet::default()
    };
    let reset = host::reset(dut.as_mut(), &compiled.interface);
    let ran = reset.and_then(|_| {
        let options = RunOptions::default();
        run::run(dut.as_mut(), &compiled.interface, &[packet], &options)
    });
    Ok(ran.map(|result| result.outcomes[0].as_ref().map(Fate::first_output)))
}

fn interpret(program: &Program, memory: &[u8]) -> Option<u64> {
    let mut maps = Maps::new(&program.maps);
    Some(interpreter::run(program, &mut maps, memory, &Sideband::default()).first_output())
}

/// One reason is enough to refuse a test.
fn refused(mut errors: Vec<Diagnostic>) -> Outcome {
    match errors.is_empty() {
        true => Outcome::Failed(String::from("refused without a reason")),
        false => Outcome::Refused(errors.swap_remove(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read() {
        assert_eq!(hex("00ff"), Some(vec![0, 255]));
        for wrong in ["0", "0g", "+1", "é"] {
            assert_eq!(hex(wrong), None, "{wrong}");
        }
    }
}
