//! One program and its packets through every layer: the kernel, the interpreter on the program as lifted and after
//! each phase of compilation, and the hardware in the native simulator.

use crate::code::Code;
use crate::features;
use crate::hardware::{self, host_events, Engine, Hardware};
use crate::names::give_names;
use crate::packets::ports;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{verifier, Program};
use hardpath_oracle::compare::{compare_maps, compare_packet};
use hardpath_oracle::{Asked, Expected, ExpectedMaps, Form, JudgeOptions, KernelJudge, Reference};
use hardpath_packet::{Fate, Packet, Sideband};
use hardpath_pipeline::{Compiled, Hazard, Options};
use hardpath_testbed::host::{HostAnswer, HostOperation};
use hardpath_testbed::watch::Entered;
use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A program, what its maps hold at first, and packets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    pub code: Code,
    pub image: Image,
    pub packets: Vec<Packet>,
    pub hardware: Hardware,
}

/// Who says what is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    Kernel,
    /// The program as lifted, where the kernel cannot be asked.
    Interpreter,
}

/// Who runs a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrialOptions {
    pub judge: Judge,
    /// The hardware runs in Verilator, too.
    pub verilator: bool,
}

/// Where a program went another way than it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// The program as lifted differs from the kernel.
    Lifted,
    /// After the passes on control flow.
    ControlFlow,
    /// As one region, with whole map words.
    Dataflow,
    /// With stages.
    Scheduled,
    /// The compiler panicked or gave an error that is none of the program's.
    Compiler,
    /// The design breaks the rules of the hardware IR.
    Design,
    /// The design in the native simulator.
    Native,
    /// The same with operations of the host between packets.
    Host,
    /// The design in Verilator.
    Verilator,
}

impl Layer {
    /// For file names and answers.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Lifted => "lifted",
            Layer::ControlFlow => "control-flow",
            Layer::Dataflow => "dataflow",
            Layer::Scheduled => "scheduled",
            Layer::Compiler => "compiler",
            Layer::Design => "design",
            Layer::Native => "native",
            Layer::Host => "host",
            Layer::Verilator => "verilator",
        }
    }
}

/// Something is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub layer: Layer,
    /// Index of the packet that shows it first; `None`: seen at the end, or no packet's fault.
    pub packet: Option<usize>,
    /// What was expected and what came.
    pub text: String,
}

/// What became of a subject.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The kernel does not take the program.
    Rejected(Diagnostic),
    /// Hardpath does not build it; as far as it came all was right.
    Refused {
        reason: Diagnostic,
        judged: Judged,
    },
    /// The same everywhere.
    Same {
        built: Built,
        judged: Judged,
    },
    Failed(Failure),
}

/// What the kernel had to do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Judged {
    /// Packets that it ran.
    pub packets: u64,
    /// It was wrong at first: see [`hardpath_oracle::asking`].
    pub again: bool,
}

/// What became hardware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// Of the map that is the hardest to keep serial.
    pub hazard: Hazard,
    /// See [`crate::features`].
    pub features: BTreeSet<&'static str>,
}

/// Runs a subject through every layer and stops at the first that fails.
///
/// # Errors
/// The kernel cannot be asked at all, or breaks off.
pub fn run(subject: &Subject, options: TrialOptions) -> Result<Outcome, Diagnostic> {
    let object = subject.code.object();
    let Some(image) = object.programs.first() else {
        return Err(Diagnostic::input("no-program", "there is no program"));
    };
    let start = |form| {
        let options = JudgeOptions {
            image: subject.image.clone(),
            form,
            ..JudgeOptions::default()
        };
        KernelJudge::start(&object, image, &options)
    };
    let mut kernel = match options.judge {
        Judge::Interpreter => None,
        Judge::Kernel => match start(Form::AsItIs) {
            Ok(kernel) => Some(kernel),
            Err(reason) if reason.code.starts_with("kernel-rejects") => {
                return Ok(Outcome::Rejected(reason));
            }
            Err(error) => return Err(error),
        },
    };
    let mut lifted = match caught(|| hardpath_ebpf::lift(&object, image)) {
        Ok(Ok(program)) => program,
        Ok(Err(errors)) => return Ok(refused(errors, Judged::default())),
        Err(panic) => return Ok(Outcome::Failed(panic)),
    };
    give_names(&mut lifted);
    let forms = Forms::of(&lifted);
    if let Some(errors) = forms.unanswerable() {
        return Ok(refused(errors.clone(), Judged::default()));
    }
    let image = used_maps(&lifted, &subject.image);
    let question = |form| {
        let kernel = match form {
            Form::AsItIs => kernel.take(),
            Form::Restrained => Some(start(form)?),
        };
        Answers::of(kernel, &lifted, &image, &subject.packets)
    };
    let Asked {
        answer: answers,
        again,
    } = hardpath_oracle::ask(question, Answers::disagreements)?;
    if let Some(failure) = answers.disagreement() {
        return Ok(Outcome::Failed(failure));
    }
    let judged = Judged {
        packets: answers.judged_by_kernel(),
        again,
    };
    let trial = Trial {
        subject,
        options,
        image,
        lifted,
        expected: answers.packets,
        expected_maps: answers.maps.image,
    };
    match trial.compile(forms) {
        Ok(built) => Ok(Outcome::Same { built, judged }),
        Err(Stop::Failed(failure)) => Ok(Outcome::Failed(failure)),
        Err(Stop::Refused(errors)) => Ok(refused(errors, judged)),
    }
}

/// An error that is none of the program's is a failure of the compiler.
fn refused(errors: Vec<Diagnostic>, judged: Judged) -> Outcome {
    let own = |error: &&Diagnostic| error.severity == Severity::Refused;
    match errors.iter().find(own) {
        Some(reason) if errors.iter().all(|error| own(&error)) => Outcome::Refused {
            reason: reason.clone(),
            judged,
        },
        _ => {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Outcome::Failed(failure(Layer::Compiler, None, texts.join("; ")))
        }
    }
}

/// Maps that the program does not use are in no design.
fn used_maps(program: &Program, image: &Image) -> Image {
    let is_used = |name: &str| program.maps.values().any(|decl| decl.name == name);
    let used = image.iter().filter(|(name, _)| is_used(name));
    used.map(|(name, entries)| (name.clone(), entries.clone()))
        .collect()
}

/// Why a compilation ended early.
enum Stop {
    Failed(Failure),
    Refused(Vec<Diagnostic>),
}

fn failure(layer: Layer, packet: Option<usize>, text: impl Into<String>) -> Failure {
    Failure {
        layer,
        packet,
        text: text.into(),
    }
}

/// What is right for all packets, and for the maps behind the last one.
struct Answers {
    packets: Vec<Expected>,
    maps: ExpectedMaps,
}

impl Answers {
    fn of(
        kernel: Option<KernelJudge>,
        lifted: &Program,
        image: &Image,
        packets: &[Packet],
    ) -> Result<Answers, Diagnostic> {
        let questions: Vec<(&[u8], Sideband)> = packets
            .iter()
            .map(|packet| (packet.data.as_slice(), sideband(packet)))
            .collect();
        let one = |mut errors: Vec<Diagnostic>| errors.remove(0);
        let mut reference = Reference::new(lifted, image, kernel).map_err(one)?;
        Ok(Answers {
            packets: reference.run_all(&questions)?,
            maps: reference.maps()?,
        })
    }

    fn judged_by_kernel(&self) -> u64 {
        let judged = self.packets.iter().filter(|packet| packet.judged_by_kernel);
        judged.count() as u64
    }

    /// Packets and map entries in which the interpreter differs from the kernel.
    fn disagreements(&self) -> u64 {
        let packets = self.packets.iter();
        let packets = packets.filter(|packet| packet.disagreement.is_some());
        (packets.count() + self.maps.disagreements.len()) as u64
    }

    fn disagreement(&self) -> Option<Failure> {
        let mut packets = self.packets.iter().enumerate();
        let in_packets = packets.find_map(|(index, expected)| {
            let text = expected.disagreement.as_ref()?.to_string();
            Some(failure(Layer::Lifted, Some(index), text))
        });
        let in_maps = || {
            let first = self.maps.disagreements.first()?;
            Some(failure(Layer::Lifted, None, first.to_string()))
        };
        in_packets.or_else(in_maps)
    }
}

/// The program after each phase of compilation, as far as it comes without a schedule.
struct Forms {
    all: Vec<(Layer, Program)>,
    end: Result<(), Stop>,
}

impl Forms {
    fn of(lifted: &Program) -> Forms {
        let mut all = Vec::new();
        let end = Forms::make(lifted, &mut all);
        Forms { all, end }
    }

    fn make(lifted: &Program, all: &mut Vec<(Layer, Program)>) -> Result<(), Stop> {
        let flow = flatten(caught(|| {
            let mut program = lifted.clone();
            hardpath_passes::optimize_control_flow(&mut program).map_err(|error| vec![error])?;
            Ok(program)
        }))?;
        all.push((Layer::ControlFlow, flow.clone()));
        let region = flatten(caught(|| hardpath_pipeline::dataflow(&flow)))?;
        all.push((Layer::Dataflow, region));
        Ok(())
    }

    /// Why the program has no answer that a judge could give.
    fn unanswerable(&self) -> Option<&Vec<Diagnostic>> {
        match &self.end {
            Err(Stop::Refused(errors)) => errors
                .iter()
                .any(|error| error.code == "old-pointer")
                .then_some(errors),
            _ => None,
        }
    }
}

struct Trial<'a> {
    subject: &'a Subject,
    options: TrialOptions,
    lifted: Program,
    image: Image,
    expected: Vec<Expected>,
    expected_maps: Image,
}

impl Trial<'_> {
    fn compile(&self, forms: Forms) -> Result<Built, Stop> {
        for (layer, program) in &forms.all {
            self.interpret(program, *layer)?;
        }
        forms.end?;
        let options = Options {
            bus_bits: self.subject.hardware.bus_bits,
            clock_mhz: f64::from(self.subject.hardware.clock_mhz),
            ..Options::default()
        };
        let program = self.lifted.clone();
        let compiled = flatten(caught(|| hardpath_pipeline::compile(program, &options)))?;
        self.interpret(&compiled.scheduled, Layer::Scheduled)?;
        if let Err(errors) = hardpath_rtl::check::check(&compiled.design) {
            let text = format!("{:?}", errors.first());
            return Err(Stop::Failed(failure(Layer::Design, None, text)));
        }
        let run = |engine| {
            caught(|| self.simulate(&compiled, engine))
                .unwrap_or_else(|panic| Err(Stop::Failed(panic)))
        };
        run(Engine::Native)?;
        if let Some(seed) = self.subject.hardware.host {
            caught(|| self.simulate_with_host(&compiled, seed))
                .unwrap_or_else(|panic| Err(Stop::Failed(panic)))?;
        }
        if self.options.verilator {
            run(Engine::Verilator)?;
        }
        let hazards = compiled.report.maps.iter().map(|map| map.hazard);
        Ok(Built {
            hazard: hazards.max().unwrap_or(Hazard::None),
            features: features::of(&self.subject.code, &self.lifted),
        })
    }

    /// Runs all packets in the interpreter on a form of the program.
    fn interpret(&self, program: &Program, layer: Layer) -> Result<(), Stop> {
        let failed = |packet, text: String| Stop::Failed(failure(layer, packet, text));
        if let Err(errors) = verifier::verify(program) {
            let text = format!("the program breaks a rule: {:?}", errors.first());
            return Err(failed(None, text));
        }
        let mut maps = Maps::new(&program.maps);
        if let Err(errors) = maps.load(&self.image) {
            return Err(failed(None, format!("maps are gone: {:?}", errors.first())));
        }
        let mut prepared = Prepared::new(program);
        for (index, packet) in self.subject.packets.iter().enumerate() {
            let fate = prepared.run(&mut maps, &packet.data, &sideband(packet));
            self.compare_packet(index, layer, Some(&fate))?;
        }
        self.compare_maps(layer, &maps.image())
    }

    fn compare_packet(&self, index: usize, layer: Layer, got: Option<&Fate>) -> Result<(), Stop> {
        match compare_packet(&self.expected[index].fate, got) {
            None => Ok(()),
            Some(difference) => {
                let text = difference.to_string();
                Err(Stop::Failed(failure(layer, Some(index), text)))
            }
        }
    }

    fn compare_maps(&self, layer: Layer, image: &Image) -> Result<(), Stop> {
        match compare_maps(&self.expected_maps, image).first() {
            None => Ok(()),
            Some(difference) => {
                let text = difference.to_string();
                Err(Stop::Failed(failure(layer, None, text)))
            }
        }
    }

    fn simulate(&self, compiled: &Compiled, engine: Engine) -> Result<(), Stop> {
        let layer = match engine {
            Engine::Native => Layer::Native,
            Engine::Verilator => Layer::Verilator,
        };
        let failed = |error: Diagnostic| Stop::Failed(failure(layer, None, error.to_string()));
        let (hardware, packets) = (&self.subject.hardware, &self.subject.packets);
        let (outcomes, maps) =
            hardware::drive(compiled, hardware, &self.image, packets, engine).map_err(failed)?;
        for (index, outcome) in outcomes.iter().enumerate() {
            self.compare_packet(index, layer, outcome.as_ref())?;
        }
        self.compare_maps(layer, &maps)
    }

    /// Once more with operations of the host in the middle. The interpreter does the same in the order in which all
    /// that entered the pipeline.
    fn simulate_with_host(&self, compiled: &Compiled, seed: u64) -> Result<(), Stop> {
        let failed =
            |error: Diagnostic| Stop::Failed(failure(Layer::Host, None, error.to_string()));
        let differs = |packet, text| Stop::Failed(failure(Layer::Host, packet, text));
        let (hardware, packets) = (&self.subject.hardware, &self.subject.packets);
        let interface = &compiled.interface;
        let events = host_events(interface, &self.expected_maps, packets.len(), seed);
        if events.is_empty() {
            return Ok(());
        }
        let mixed = hardware::drive_mixed(compiled, hardware, &self.image, packets, &events)
            .map_err(failed)?;
        let mut maps = Maps::new(&self.lifted.maps);
        if let Err(errors) = maps.load(&self.image) {
            return Err(differs(None, format!("{:?}", errors.first())));
        }
        let mut prepared = Prepared::new(&self.lifted);
        let (mut next_packet, mut next_event) = (0, 0);
        for entered in &mixed.order {
            match entered {
                Entered::Packet => {
                    let packet = &packets[next_packet];
                    let expected = prepared.run(&mut maps, &packet.data, &sideband(packet));
                    let got = mixed.outcomes[next_packet].as_ref();
                    if let Some(difference) = compare_packet(&expected, got) {
                        return Err(differs(Some(next_packet), difference.to_string()));
                    }
                    next_packet += 1;
                }
                Entered::Host => {
                    let operation = &events[next_event].operation;
                    let expected = self.host_answer(&mut maps, interface, operation);
                    let answer = &mixed.answers[next_event];
                    if (expected.errno, &expected.value) != (answer.errno, &answer.value) {
                        let text = format!("{operation:?} gave {answer:?}, not {expected:?}");
                        return Err(differs(None, text));
                    }
                    next_event += 1;
                }
            }
        }
        if (next_packet, next_event) != (packets.len(), events.len()) {
            let text = format!("packets that entered: {next_packet}, operations: {next_event}");
            return Err(differs(None, text));
        }
        match compare_maps(&maps.image(), &mixed.maps).first() {
            None => Ok(()),
            Some(difference) => Err(differs(None, difference.to_string())),
        }
    }

    /// Does an operation of the host's as it should be done.
    fn host_answer(
        &self,
        maps: &mut Maps,
        interface: &Interface,
        operation: &HostOperation,
    ) -> HostAnswer {
        let id = |map: &usize| {
            let name = &interface.maps[*map].name;
            let mut all = self.lifted.maps.iter();
            all.find(|(_, decl)| decl.name == *name).map(|(id, _)| id)
        };
        let status = |status: i64| HostAnswer {
            errno: status.unsigned_abs() as u32,
            ..HostAnswer::default()
        };
        match operation {
            HostOperation::Lookup { map, key } => {
                match id(map).and_then(|map| maps.get(map, key)) {
                    Some(value) => HostAnswer {
                        value: value.to_vec(),
                        ..HostAnswer::default()
                    },
                    None => status(-2),
                }
            }
            HostOperation::Update {
                map,
                key,
                value,
                flags,
            } => id(map).map_or(status(0), |map| {
                status(maps.update(map, key, value, u64::from(*flags)))
            }),
            HostOperation::Delete { map, key } => {
                id(map).map_or(status(0), |map| status(maps.delete(map, key)))
            }
            _ => status(0),
        }
    }
}

fn sideband(packet: &Packet) -> Sideband {
    ports().sideband(packet)
}

fn flatten<T>(result: Result<Result<T, Vec<Diagnostic>>, Failure>) -> Result<T, Stop> {
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(errors)) => match refused(errors.clone(), Judged::default()) {
            Outcome::Failed(failure) => Err(Stop::Failed(failure)),
            _ => Err(Stop::Refused(errors)),
        },
        Err(panic) => Err(Stop::Failed(panic)),
    }
}

/// Does some work; a panic is a failure of the compiler.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = match (
            payload.downcast_ref::<String>(),
            payload.downcast_ref::<&str>(),
        ) {
            (Some(text), _) => text.clone(),
            (None, Some(text)) => (*text).to_string(),
            (None, None) => String::from("no message"),
        };
        failure(Layer::Compiler, None, format!("panic: {text}"))
    })
}
