//! One program and its packets through every layer: the kernel, the interpreter on the program as lifted and after
//! each phase of compilation, and the hardware in the native simulator, or the rows of a core in their interpreter and on the processor.

mod answers;
mod forms;
mod hosted;
mod layers;
mod rows;
mod told;

use crate::code::Code;
use crate::cores::Cores;
use crate::engines::Engines;
use crate::hardware::{Hardware, Made};
use crate::names::give_names;
use answers::{Answers, Question};
use forms::Forms;
use hardpath_blocks::hash::Hash;
use hardpath_core::compile::savings::Without;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ebpf::{Object, ObjectMap, ProgramImage};
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_oracle::{Asked, Form, JudgeOptions, KernelJudge};
use hardpath_packet::Packet;
use hardpath_pipeline::{Compiled, Hazard};
use hardpath_rtl::Design;
use layers::Trial;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{catch_unwind, AssertUnwindSafe};
use told::SPARE;

/// A program, what its maps hold at first, and packets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The program, with all maps that it names.
    pub code: Code,
    /// What its maps hold before the first packet, where that differs from fresh ones.
    pub image: Image,
    /// In the order in which they run.
    pub packets: Vec<Packet>,
    /// What the design is compiled for, and how packets come and go.
    pub hardware: Hardware,
}

/// Who says what is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// The running Linux kernel, for each packet that it takes.
    Kernel,
    /// The program as lifted, where the kernel cannot be asked.
    Interpreter,
}

/// What programs become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A design, in a simulator.
    Pipeline,
    /// Rows of a core with so many lanes, in their interpreter.
    Core {
        /// 1, 2, 4 or 8.
        lanes: u8,
        /// What the compiler does not do to make rows few.
        without: Without,
    },
}

/// Who runs a subject.
#[derive(Clone, Copy)]
pub struct TrialOptions<'a> {
    /// Whose answers the layers are compared with.
    pub judge: Judge,
    /// What the program becomes.
    pub target: Target,
    /// The hardware runs in Verilator, too.
    pub verilator: bool,
    /// What cores there are already, where programs become rows.
    pub cores: &'a Cores,
}

/// Where a program went another way than it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// The program as lifted differs from the kernel.
    Lifted,
    /// With a depth it does something else than give packets up.
    Depth,
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
    /// As rows are made of it.
    Prepared,
    /// As the rows of a core.
    Rows,
    /// The rows as a file or as a text, and back.
    Image,
}

impl Layer {
    /// For file names and answers.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Lifted => "lifted",
            Layer::Depth => "depth",
            Layer::ControlFlow => "control-flow",
            Layer::Dataflow => "dataflow",
            Layer::Scheduled => "scheduled",
            Layer::Compiler => "compiler",
            Layer::Design => "design",
            Layer::Native => "native",
            Layer::Host => "host",
            Layer::Verilator => "verilator",
            Layer::Prepared => "prepared",
            Layer::Rows => "rows",
            Layer::Image => "image",
        }
    }
}

/// Something is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The first one that goes wrong.
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
        /// The first of the compiler's refusals.
        reason: Diagnostic,
        /// What the kernel ran before that.
        judged: Judged,
    },
    /// The same everywhere.
    Same {
        /// What became hardware.
        built: Built,
        /// What the kernel ran of the packets.
        judged: Judged,
    },
    /// A layer goes wrong; those behind it were not tried.
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

/// What became hardware, or rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// Of the map that is the hardest to keep serial; of rows none.
    pub hazard: Hazard,
    /// See [`crate::features`].
    pub features: BTreeSet<&'static str>,
    /// What it became ran in Verilator, too.
    pub in_verilator: bool,
    /// It ran once more, with operations of the host in traffic.
    pub with_host: bool,
}

/// Runs a subject through every layer and stops at the first that fails.
///
/// # Errors
/// The kernel cannot be asked at all, or breaks off.
pub fn run(subject: &Subject, options: TrialOptions) -> Result<Outcome, Diagnostic> {
    let subject = &options.target.subject(subject);
    let object = subject.code.object();
    let Some(image) = object.programs.first() else {
        return Err(Diagnostic::input("no-program", "there is no program"));
    };
    let mut kernel = match start(subject, &object, options.judge, Form::AsItIs) {
        Ok(kernel) => kernel,
        Err(reason) if reason.code.starts_with("kernel-rejects") => {
            return Ok(Outcome::Rejected(reason));
        }
        // It takes the program, but not the copy that would be judged.
        Err(reason) if reason.code == "kernel-patch-failed" => {
            let text = reason.to_string();
            return Ok(Outcome::Failed(failure(Layer::Lifted, None, text)));
        }
        Err(error) => return Err(error),
    };
    let mut lifted = match caught(|| options.target.lift(&object, image)) {
        Ok(Ok(program)) => program,
        Ok(Err(errors)) => return Ok(refused(errors, Judged::default())),
        Err(panic) => return Ok(Outcome::Failed(panic)),
    };
    give_names(&mut lifted);
    let meaning = match limited(&lifted, subject.hardware.depth) {
        Ok(meaning) => meaning,
        Err(Stop::Failed(failure)) => return Ok(Outcome::Failed(failure)),
        Err(Stop::Refused(errors)) => return Ok(refused(errors, Judged::default())),
    };
    let forms = match options.target {
        Target::Pipeline => Forms::of(&meaning),
        Target::Core { .. } => Forms::without_loops(&object, image),
    };
    if let Some(errors) = forms.unanswerable() {
        return Ok(refused(errors.clone(), Judged::default()));
    }
    let image = used_maps(&lifted, &subject.image);
    let question = Question {
        subject,
        lifted: &lifted,
        image: &image,
    };
    let ask = |form| {
        let kernel = match form {
            Form::AsItIs => kernel.take(),
            Form::Restrained => start(subject, &object, options.judge, form)?,
        };
        Answers::of(&question, kernel)
    };
    let Asked { answer, again } = hardpath_oracle::ask(ask, Answers::disagreements)?;
    if let Some(failure) = answer.disagreement() {
        return Ok(Outcome::Failed(failure));
    }
    let judged = Judged {
        packets: answer.judged_by_kernel(),
        again,
    };
    let expected = match answer.limited(&question, &meaning) {
        Ok(expected) => expected,
        Err(failure) => return Ok(Outcome::Failed(failure)),
    };
    // Where a design forgets, the kernel runs once more and follows it. It knows no depth.
    let kernel_for_design = || match options.judge {
        Judge::Kernel if subject.hardware.depth.is_none() => {
            let slots = forgetful(subject, Hash::entries);
            let form = if again {
                Form::Restrained
            } else {
                Form::AsItIs
            };
            kernel_with(subject, &object, form, slots)
        }
        _ => Ok(None),
    };
    let trial = Trial {
        subject: subject.clone(),
        verilator: options.verilator,
        in_hardware: with_first_contents(&lifted, &image),
        image,
        lifted,
        meaning,
        expected,
    };
    let built = match options.target {
        Target::Pipeline => trial.compile(forms, &kernel_for_design),
        Target::Core { lanes, without } => {
            trial.in_rows(lanes, without, options.cores, &kernel_for_design)
        }
    };
    match built {
        Ok(built) => Ok(Outcome::Same { built, judged }),
        Err(Stop::Failed(failure)) => Ok(Outcome::Failed(failure)),
        Err(Stop::Refused(errors)) => Ok(refused(errors, judged)),
    }
}

/// Runs a program of the IR, in its control-flow phase, and its packets through every layer behind lifting; the interpreter
/// judges. Maps are empty at first.
pub fn run_program(program: &Program, packets: &[Packet], hardware: Hardware) -> Outcome {
    let options = TrialOptions {
        judge: Judge::Interpreter,
        target: Target::Pipeline,
        verilator: false,
        cores: &Cores::default(),
    };
    run_program_in(options, program, packets, hardware)
}

/// The same for any target, which may take programs with loops.
pub fn run_program_in(
    options: TrialOptions,
    program: &Program,
    packets: &[Packet],
    hardware: Hardware,
) -> Outcome {
    let subject = Subject {
        code: Code::default(),
        image: Image::new(),
        packets: packets.to_vec(),
        hardware,
    };
    let judged = Judged::default();
    let image = Image::new();
    let question = Question {
        subject: &subject,
        lifted: program,
        image: &image,
    };
    let target = options.target;
    let forms = match target {
        Target::Pipeline => Forms::of(program),
        Target::Core { .. } => Forms::none(),
    };
    if let Some(errors) = forms.unanswerable() {
        return refused(errors.clone(), judged);
    }
    let expected = match Answers::of(&question, None) {
        Ok(answers) => answers.limited(&question, program),
        Err(error) => return refused(vec![error], judged),
    };
    let expected = match expected {
        Ok(expected) => expected,
        Err(failure) => return Outcome::Failed(failure),
    };
    let trial = Trial {
        subject: subject.clone(),
        verilator: options.verilator,
        in_hardware: with_first_contents(program, &image),
        image: image.clone(),
        lifted: program.clone(),
        meaning: program.clone(),
        expected,
    };
    let built = match target {
        Target::Pipeline => trial.compile(forms, &|| Ok(None)),
        Target::Core { lanes, without } => {
            trial.in_rows(lanes, without, options.cores, &|| Ok(None))
        }
    };
    match built {
        Ok(built) => Outcome::Same { built, judged },
        Err(Stop::Failed(failure)) => Outcome::Failed(failure),
        Err(Stop::Refused(errors)) => refused(errors, judged),
    }
}

impl Target {
    /// The subject as this target has it: a core follows headers however deep they lie.
    fn subject(self, subject: &Subject) -> Subject {
        let mut subject = subject.clone();
        if self != Target::Pipeline {
            subject.hardware.depth = None;
        }
        subject
    }

    fn lift(self, object: &Object, image: &ProgramImage) -> Result<Program, Vec<Diagnostic>> {
        match self {
            Target::Pipeline => hardpath_ebpf::lift(object, image),
            Target::Core { .. } => {
                hardpath_ebpf::lift_structured(object, image).map(|lifted| lifted.program)
            }
        }
    }
}

/// A subject with its design and what that must do, by the interpreter alone: for those who change the design.
pub struct Ready {
    trial: Trial,
    /// The design that the subject's program becomes, unchanged.
    pub compiled: Compiled,
}

impl Ready {
    /// `None`: it is refused, or fails as it is.
    pub fn of(subject: &Subject) -> Option<Ready> {
        let object = subject.code.object();
        let mut lifted = hardpath_ebpf::lift(&object, object.programs.first()?).ok()?;
        give_names(&mut lifted);
        let meaning = limited(&lifted, subject.hardware.depth).ok()?;
        if Forms::of(&meaning).end.is_err() {
            return None;
        }
        let image = used_maps(&lifted, &subject.image);
        let question = Question {
            subject,
            lifted: &lifted,
            image: &image,
        };
        let answers = Answers::of(&question, None).ok()?;
        let expected = answers.limited(&question, &meaning).ok()?;
        let trial = Trial {
            subject: subject.clone(),
            verilator: false,
            in_hardware: with_first_contents(&lifted, &image),
            image,
            lifted,
            meaning,
            expected,
        };
        let compiled = trial.design().ok()?;
        Some(Ready { trial, compiled })
    }

    /// How another design in the place of its own fails, in the native simulator, as a run of the fuzzer would see it.
    pub fn failure_of(&self, design: Design) -> Option<Failure> {
        let compiled = Compiled {
            design,
            ..self.compiled.clone()
        };
        let engines = Engines::default();
        let made = Made::of(&compiled, &engines);
        self.trial.in_simulator(made).err()
    }
}

/// The kernel with the program, or none where the interpreter judges.
fn start(
    subject: &Subject,
    object: &Object,
    judge: Judge,
    form: Form,
) -> Result<Option<KernelJudge>, Diagnostic> {
    match judge {
        Judge::Interpreter => Ok(None),
        Judge::Kernel => {
            let plain = forgetful(subject, |entries| entries + SPARE);
            kernel_with(subject, object, form, plain)
        }
    }
}

/// The kernel, where the `plain` maps are hash tables of so many entries.
fn kernel_with(
    subject: &Subject,
    object: &Object,
    form: Form,
    plain: BTreeMap<String, u32>,
) -> Result<Option<KernelJudge>, Diagnostic> {
    let options = JudgeOptions {
        image: subject.image.clone(),
        plain,
        form,
        ..JudgeOptions::default()
    };
    KernelJudge::start(object, &object.programs[0], &options).map(Some)
}

/// A program with an LRU map of fewer entries comes to forget keys.
const REMEMBERS_ALL: u32 = 1024;

impl Subject {
    /// Whether its LRU maps come to forget keys: then the judges forget what whoever runs the packets says.
    pub fn forgets(&self) -> bool {
        let mut maps = self.code.maps.iter();
        maps.any(|map| is_lru(map) && map.max_entries < REMEMBERS_ALL)
    }
}

fn is_lru(map: &ObjectMap) -> bool {
    map.kind().is_some_and(|kind| kind.is_lru())
}

/// The LRU maps of a subject that forgets, with the number of keys that `entries` makes of theirs.
fn forgetful(subject: &Subject, entries: impl Fn(u32) -> u32) -> BTreeMap<String, u32> {
    let maps = subject.code.maps.iter().filter(|map| is_lru(map));
    let maps = maps.filter(|_| subject.forgets());
    maps.map(|map| (map.name.clone(), entries(map.max_entries)))
        .collect()
}

/// The program with its headers followed to a depth and no further.
fn limited(lifted: &Program, depth: Option<u32>) -> Result<Program, Stop> {
    let mut program = lifted.clone();
    let Some(depth) = depth else {
        return Ok(program);
    };
    flatten(caught(|| {
        hardpath_passes::limit_depth(&mut program, depth).map_err(|error| vec![error])
    }))?;
    Ok(program)
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

/// The hardware's maps are zeros after reset: what an object's `.data` holds is written by the host.
fn with_first_contents(program: &Program, image: &Image) -> Image {
    let mut all = image.clone();
    for decl in program.maps.values() {
        if let Some(initial) = &decl.initial {
            let entries = all.entry(decl.name.clone()).or_default();
            let key = vec![0; decl.key_bytes as usize];
            entries.entry(key).or_insert_with(|| initial.clone());
        }
    }
    all
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
