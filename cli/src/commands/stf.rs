//! `hardpath stf`: tests of a P4 program, by its meaning or in hardware.

use crate::answer::{Answer, Status};
use crate::arguments::{EngineName, StfArguments};
use crate::engine;
use crate::files;
use crate::source::p4::{Heard, Read};
use crate::source::Loaded;
use crate::target::{self, Asked, Hardware};
use hardpath_core::compile::Compiled as Rowed;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::count::counted;
use hardpath_ir::maps::Image;
use hardpath_ir::{Answer as MapAnswer, MapId, May, Program};
use hardpath_p4::commands::{Command, CommandKind};
use hardpath_p4::interpreter::Machine;
use hardpath_p4::lower::run::{refuses, Device, InMemory, Running};
use hardpath_p4::lower::Lowered;
use hardpath_p4::runner::{self, Verdict};
use hardpath_p4::stf;
use hardpath_packet::{Fate, Packet, Ports};
use hardpath_registers::register;
use hardpath_session::{Rows, Session};
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{Host, HostOperation};
use hardpath_testbed::run::RunOptions;
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &StfArguments) -> Result<Answer, Vec<Diagnostic>> {
    let asked = target::asked(&arguments.hardware).map_err(one)?;
    let engine = asked.kind.engine(arguments.engine).map_err(one)?;
    let read = Read::of(&arguments.file, &arguments.p4)?;
    let mut tests = Vec::new();
    let mut errors = Vec::new();
    for path in &arguments.tests {
        match commands(path) {
            Ok(commands) => tests.push((path.display().to_string(), commands)),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let unasked = tests
        .iter()
        .filter(|(_, commands)| !commands.iter().any(|one| one.kind.asks()));
    let warnings: Vec<Diagnostic> = unasked.map(|(name, _)| asks_nothing(name)).collect();
    let subject = Subject::of(&read, &asked, engine);
    let mut told = Told::default();
    for (name, commands) in &tests {
        match &subject {
            Err(reasons) => told.refused(name, reasons),
            Ok(subject) => match subject.run(&read, (name, commands), engine, &mut told) {
                Ok(Verdict::Passed) => told.passed += 1,
                Ok(Verdict::Failed(errors)) => told.failed(name, &errors),
                Ok(Verdict::Refused(error)) => told.refused(name, &[error]),
                Err(errors) => return Err(errors),
            },
        }
    }
    let warnings = [warnings, asked.notes].concat();
    Ok(told.answer(tests.len()).with_warnings(warnings))
}

/// A test that passes whatever a program does.
fn asks_nothing(test: &str) -> Diagnostic {
    let message = "this test asks for nothing: it passes whatever the program does";
    let warning = Diagnostic::warning("p4-commands", message).at(Place::of_file(test));
    warning.help("say what has to come out (`expect`), or that nothing does (`no_packet`)")
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

fn commands(path: &Path) -> Result<Vec<Command>, Vec<Diagnostic>> {
    let text = files::read_text(path).map_err(one)?;
    stf::read(&path.display().to_string(), &text)
}

/// What becomes of tests.
#[derive(Default)]
struct Told {
    passed: usize,
    failures: Vec<(String, String)>,
    refusals: Vec<(String, String)>,
    /// What the program says, by tests.
    messages: Vec<(String, Heard)>,
}

impl Told {
    fn failed(&mut self, test: &str, errors: &[Diagnostic]) {
        self.failures.push((test.to_owned(), text(errors)));
    }

    fn refused(&mut self, test: &str, errors: &[Diagnostic]) {
        self.refusals.push((test.to_owned(), text(errors)));
    }

    fn answer(self, tests: usize) -> Answer {
        let listed = |all: &[(String, String)], word: &str| -> String {
            let lines = all
                .iter()
                .map(|(test, why)| format!("{test}: {word}\n{why}\n"));
            lines.collect()
        };
        let named = |all: &[(String, String)], key: &str| -> Vec<serde_json::Value> {
            all.iter()
                .map(|(test, why)| json!({ "test": test, key: why }))
                .collect()
        };
        let (failed, refused) = (self.failures.len(), self.refusals.len());
        let said = self.messages.iter();
        let said = said.map(|(test, heard)| (test, heard.text()));
        let said: String = said
            .filter(|(_, text)| !text.is_empty())
            .map(|(test, text)| format!("{test}:{text}"))
            .collect();
        let messages = self.messages.iter();
        let messages = messages.map(|(test, heard)| json!({ "test": test, "said": heard.json() }));
        let messages: Vec<serde_json::Value> = messages.collect();
        let text = format!(
            "{said}{}{}{}: {} passed, {failed} failed, {refused} refused\n",
            listed(&self.failures, "failed"),
            listed(&self.refusals, "refused"),
            counted(tests, "test"),
            self.passed,
        );
        let json = json!({
            "tests": tests,
            "passed": self.passed,
            "failed": failed,
            "refused": refused,
            "failures": named(&self.failures, "differences"),
            "refusals": named(&self.refusals, "reason"),
            "messages": messages,
        });
        let status = match (failed, refused) {
            (0, 0) => Status::Good,
            (0, _) => Status::Refused,
            _ => Status::Differs,
        };
        Answer::new(status, json, text)
    }
}

fn text(errors: &[Diagnostic]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// What is tested.
enum Subject {
    /// What the program means.
    Meaning,
    Rows(Box<Lowered>, Box<Rowed>),
    Hardware(Box<Lowered>, Box<Hardware>),
}

impl Subject {
    /// # Errors
    /// What keeps the program from becoming that.
    fn of(read: &Read, asked: &Asked, engine: EngineName) -> Result<Subject, Vec<Diagnostic>> {
        if engine == EngineName::Interpreter {
            return Ok(Subject::Meaning);
        }
        let lowered = read.lowered(asked)?;
        let loaded: Loaded = read.loaded(&lowered)?.for_target(asked.kind.target)?;
        let lowered = Box::new(lowered);
        match engine {
            EngineName::Rows => {
                let rows = target::core::rows(&loaded, asked)?;
                Ok(Subject::Rows(lowered, Box::new(rows)))
            }
            _ => Ok(Subject::Hardware(
                lowered,
                Box::new(target::compile(&loaded, asked)?),
            )),
        }
    }

    /// What hardware was made of; `None`: there is none.
    fn lowered(&self) -> Option<&Lowered> {
        match self {
            Subject::Meaning => None,
            Subject::Rows(lowered, _) | Subject::Hardware(lowered, _) => Some(lowered),
        }
    }

    /// There are packets that hardware drops, and should not.
    fn may_lose(&self) -> bool {
        let lowered = self.lowered();
        lowered.is_some_and(|lowered| !lowered.warnings.is_empty())
    }

    /// Hardware does not tell what the program says.
    fn is_silent(&self) -> bool {
        let lowered = self.lowered();
        lowered.is_some_and(|lowered| !lowered.unheard.is_empty())
    }

    fn run(
        &self,
        read: &Read,
        (test, commands): (&str, &[Command]),
        engine: EngineName,
        told: &mut Told,
    ) -> Result<Verdict, Vec<Diagnostic>> {
        let (program, sources, design) = (&read.program, &read.sources, &read.design);
        let mut meant = || {
            let mut machine = Machine::new(program, sources, design)?;
            let ran = runner::run_told(&mut machine, program, sources, design, commands);
            let (verdict, messages) = ran?;
            let mut heard = Heard::default();
            for (packet, message) in messages {
                heard.add(packet, vec![message]);
            }
            told.messages.push((test.to_owned(), heard));
            Ok(verdict)
        };
        if self.may_lose() || self.is_silent() {
            // Hardware drops what its program's meaning asks for: then a test says nothing of it.
            let meant: Result<Verdict, Vec<Diagnostic>> = meant();
            if let (Verdict::Refused(refused), true) = (meant?, self.may_lose()) {
                return Ok(Verdict::Refused(refused));
            }
        }
        match self {
            Subject::Meaning => meant(),
            Subject::Rows(lowered, rowed) => {
                let mut rows = Rows::new(&rowed.image);
                let device = InMemory::new(lowered, |maps, bytes, sideband| {
                    rows.run(maps, bytes, sideband)
                });
                let mut running = Running::new(device, lowered, program, sources, design)?;
                runner::run(&mut running, program, sources, design, commands)
            }
            Subject::Hardware(lowered, hardware) => {
                let mut dut = engine::start(engine, &hardware.design).map_err(one)?;
                let device = Card::begin(dut.as_mut(), hardware, &lowered.program, commands);
                let mut running =
                    Running::new(device.map_err(one)?, lowered, program, sources, design)?;
                runner::run(&mut running, program, sources, design, commands)
            }
        }
    }
}

/// A design in an engine that simulates hardware.
struct Card<'a> {
    dut: &'a mut dyn Dut,
    hardware: &'a Hardware,
    program: &'a Program,
    /// The ports that the test names, in the order of the port table.
    ports: Vec<u32>,
}

impl<'a> Card<'a> {
    fn begin(
        dut: &'a mut dyn Dut,
        hardware: &'a Hardware,
        program: &'a Program,
        commands: &[Command],
    ) -> Result<Card<'a>, Diagnostic> {
        let mut ports: Vec<u32> = Vec::new();
        for command in commands {
            if let CommandKind::Packet { port, .. } = command.kind {
                if !ports.contains(&port) {
                    ports.push(port);
                }
            }
        }
        let table = Ports::of_interfaces(ports.iter().copied());
        let first = engine::with_first_contents(program, &Image::new());
        Session::begin(dut, &hardware.interface, &table, &first, |_| {})?;
        Ok(Card {
            dut,
            hardware,
            program,
            ports,
        })
    }

    /// The number of a table at the host port; `None`: hardware has none of it, since no packet asks for it.
    fn number(&self, map: MapId) -> Option<usize> {
        let name = &self.program.maps[map].name;
        self.hardware
            .interface
            .maps
            .iter()
            .position(|one| one.name == *name)
    }

    fn host(
        &mut self,
        operation: HostOperation,
    ) -> Result<hardpath_registers::HostAnswer, Diagnostic> {
        let mut host = Host::new(self.dut, &self.hardware.interface)?;
        host.perform(self.dut, operation)
    }
}

impl Card<'_> {
    /// The value of the entry with this very key, of a table in which a lookup finds the best entry for a packet: that one, if the last
    /// lookup found it, or all are asked.
    fn value_of_entry(&mut self, map: usize, key: &[u8]) -> Option<Vec<u8>> {
        let address = register::MAP_HANDLE;
        let handle = self.host(HostOperation::ReadRegister { address }).ok()?;
        let slot = handle.data;
        let found = self.host(HostOperation::Dump { map, slot }).ok()?;
        if found.answer == MapAnswer::Done && found.key == key {
            return Some(found.value);
        }
        let slots = self.hardware.interface.maps[map].slots;
        let mut slot = 0;
        while slot < slots {
            let next = self.host(HostOperation::Next { map, slot }).ok()?;
            if next.answer != MapAnswer::Done {
                return None;
            }
            if next.key == key {
                return Some(next.value);
            }
            slot = next.slot + 1;
        }
        None
    }
}

impl Device for Card<'_> {
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Fate, Diagnostic> {
        let number = self.ports.iter().position(|one| *one == port).unwrap_or(0);
        let packet = Packet {
            data: bytes.to_vec(),
            port: number as u8,
            time_ns: time,
            ..Packet::default()
        };
        let options = RunOptions {
            clock_mhz: self.hardware.clock_mhz,
            ..RunOptions::default()
        };
        let mut session = Session::goes_on(self.dut, &self.hardware.interface);
        let ran = session.run(&[packet], &options)?;
        match ran.outcomes.into_iter().next().flatten() {
            Some(fate) => Ok(fate),
            None => Ok(Fate::default()),
        }
    }

    fn update(&mut self, map: MapId, key: &[u8], value: &[u8]) -> Result<(), String> {
        let Some(number) = self.number(map) else {
            return Ok(());
        };
        let operation = HostOperation::Update {
            map: number,
            key: key.to_vec(),
            value: value.to_vec(),
            may: May::PUT,
        };
        match self.host(operation).map(|answer| answer.answer) {
            Ok(MapAnswer::Done) => Ok(()),
            Ok(answer) => Err(refuses(answer)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn delete(&mut self, map: MapId, key: &[u8]) {
        if let Some(map) = self.number(map) {
            // What is not there is gone already.
            let _ = self.host(HostOperation::Delete {
                map,
                key: key.to_vec(),
            });
        }
    }

    fn value(&mut self, map: MapId, key: &[u8]) -> Option<Vec<u8>> {
        let number = self.number(map)?;
        let operation = HostOperation::Lookup {
            map: number,
            key: key.to_vec(),
        };
        let answer = self.host(operation).ok()?;
        let value = (answer.answer == MapAnswer::Done).then_some(answer.value)?;
        match self.program.maps[map].is_ternary() {
            true => self.value_of_entry(number, key),
            false => Some(value),
        }
    }
}
