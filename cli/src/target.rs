//! What programs become. A target is a file here and a line in [`TARGETS`]: it makes hardware of a program, and tells what became
//! of it; everything behind it (engines, judges, the folder of a design, synthesis) is the same for all targets.

pub mod core;
mod pipeline;

use self::core::Processor;
use crate::arguments::{EngineName, HardwareArguments, ProcessorArguments, TargetArguments};
use crate::core_file;
use crate::size;
use crate::source::Loaded;
use hardpath_blocks::interface::Interface;
use hardpath_core::compile::savings as of_cores;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Phase, Program};
use hardpath_pipeline::savings::{Saving, Without};
use hardpath_pipeline::technology::{self, Technology, TECHNOLOGIES};
use hardpath_pipeline::Promise;
use hardpath_rtl::Design;
use serde_json::Value;
use std::path::Path;

/// A kind of hardware that programs become.
pub trait Target: Sync {
    /// As `--target` has it.
    fn name(&self) -> &'static str;
    /// Whether a program with loops stays as it is; other targets get its rounds written out.
    fn takes_loops(&self) -> bool;
    /// The forms of a program on its way to hardware, behind the passes on control flow, for `hardpath ir --after`. The last one is
    /// [`Target::last_form`].
    fn forms(&self) -> &'static [&'static str];
    /// A program in one of these forms but the last one, from control flow to which no pass was applied.
    ///
    /// # Errors
    /// What keeps the program from getting there.
    fn form(&self, name: &str, program: Program) -> Result<Program, Vec<Diagnostic>>;
    /// A program in the last one, from what its source gives.
    ///
    /// # Errors
    /// Everything that keeps the program from becoming what it becomes in the end.
    fn last_form(&self, loaded: &Loaded, asked: &Asked) -> Result<Program, Vec<Diagnostic>>;
    /// A program as hardware.
    ///
    /// # Errors
    /// Everything that keeps the program from becoming hardware, each with its place.
    fn compile(&self, program: Program, asked: &Asked) -> Result<Hardware, Vec<Diagnostic>>;
    /// What keeps a program from becoming hardware of any clock. For a part of a program, whose other part its source refuses: all
    /// that is said of the part holds for the whole.
    fn refusals(&self, part: Program, asked: &Asked) -> Vec<Diagnostic>;
}

/// All of them, the usual one first.
pub const TARGETS: [&dyn Target; 2] = [&pipeline::Pipeline, &core::Core];

/// The family of FPGAs that hardware is for when nobody says.
pub fn usual_family() -> &'static Technology {
    TECHNOLOGIES[0]
}

/// The kind of hardware that `--target` names.
#[derive(Clone)]
pub struct Kind {
    pub target: &'static dyn Target,
    /// Of a target that is a processor.
    pub processor: Option<Processor>,
}

/// What is asked of hardware.
#[derive(Clone)]
pub struct Asked {
    pub kind: Kind,
    /// The family of FPGAs that it is for.
    pub family: &'static Technology,
    pub clock_mhz: f64,
    /// Width of the packet streams.
    pub bus_bits: u32,
    /// What is not done to make the design small.
    pub without: Without,
    /// A design that is larger than every card is none too large.
    pub force: bool,
    /// LRU maps tell what they take in and forget. The rest of the design is the same.
    pub journal: bool,
    /// Packets leave before all of them is in.
    pub cut_through: bool,
    /// What is to be said of how it was asked.
    pub notes: Vec<Diagnostic>,
}

/// A program as hardware.
pub struct Hardware {
    pub design: Design,
    pub interface: Interface,
    pub clock_mhz: f64,
    /// The family of FPGAs, by its name.
    pub family: &'static str,
    pub promise: Promise,
    /// The modules that hold a map's memory with all that is around it.
    pub map_modules: Vec<String>,
    /// The program in the target's last form.
    pub form: Program,
    /// Of a core's program that was compiled for it.
    pub operations_per_row: Option<f64>,
    pub told: Told,
    pub warnings: Vec<Diagnostic>,
}

/// What a target tells of its hardware.
pub struct Told {
    /// The answer of `hardpath compile --json`, but for what is the same for all targets.
    pub json: Value,
    /// For people, behind a line that names the program.
    pub text: String,
    /// The README's figures and maps, in Markdown; empty, or with a blank line behind.
    pub markdown: String,
}

impl Kind {
    /// Of a command that runs what it makes itself.
    ///
    /// # Errors
    /// `option-needs-core`, `unknown-saving`.
    pub fn of(arguments: &TargetArguments) -> Result<Kind, Diagnostic> {
        let kind = Kind::named(&arguments.target, &arguments.processor)?;
        match kind.processor.is_some() || arguments.without.is_empty() {
            true => kind.without(&arguments.without),
            false => Err(needs_core(&["--without"])),
        }
    }

    /// # Errors
    /// `option-needs-core`.
    fn named(name: &str, arguments: &ProcessorArguments) -> Result<Kind, Diagnostic> {
        let mut targets = TARGETS.into_iter();
        let target = targets.find(|target| target.name() == name);
        let given = arguments.given();
        let processor = match name == core::Core.name() {
            true => Some(Processor::new(arguments.lanes, arguments.threads)),
            false if given.is_empty() => None,
            false => return Err(needs_core(&given)),
        };
        Ok(Kind {
            target: target.unwrap_or(TARGETS[0]),
            processor,
        })
    }

    /// A processor whose compiler leaves these out; another kind of hardware as it is.
    ///
    /// # Errors
    /// `unknown-saving`.
    fn without(mut self, names: &[String]) -> Result<Kind, Diagnostic> {
        if let Some(processor) = &mut self.processor {
            let all = of_cores::Saving::ALL.map(|saving| (saving.name(), saving));
            processor.without = savings(names, "rows few", &all)?;
        }
        Ok(self)
    }

    /// What runs a program: what the command line names, or what is usual.
    ///
    /// # Errors
    /// `option-needs-core`: this kind has no such engine.
    pub fn engine(&self, named: Option<EngineName>) -> Result<EngineName, Diagnostic> {
        match named.unwrap_or(EngineName::Native) {
            EngineName::Rows if self.processor.is_none() => Err(needs_core(&["--engine rows"])),
            engine => Ok(engine),
        }
    }
}

impl Asked {
    /// It is for the core that a file describes.
    ///
    /// # Errors
    /// `option-needs-core`; those of [`core_file::read`].
    pub fn fit(&mut self, file: &Path) -> Result<(), Diagnostic> {
        let Some(before) = &self.kind.processor else {
            return Err(needs_core(&["--fit"]));
        };
        let processor = Processor {
            without: before.without,
            ..core_file::read(file)?
        };
        if let Some(built) = &processor.built {
            self.bus_bits = built.bus_bits;
        }
        self.kind.processor = Some(processor);
        Ok(())
    }
}

/// What the command line asks of hardware.
///
/// # Errors
/// `two-families`, `option-needs-core`.
pub fn asked(arguments: &HardwareArguments) -> Result<Asked, Diagnostic> {
    asked_or(arguments, TECHNOLOGIES[0])
}

/// The same; for this family of FPGAs when the command line names none.
pub fn asked_or(
    arguments: &HardwareArguments,
    usual: &'static Technology,
) -> Result<Asked, Diagnostic> {
    let word = arguments.target.as_str();
    if arguments.core.is_some() && word != core::Core.name() {
        return Err(needs_core(&["--core"]));
    }
    // Families stood behind --target once, and still do in scripts.
    let behind_target = technology::find(word);
    let mut notes = Vec::new();
    if let Some(family) = behind_target {
        match arguments.family {
            Some(other) if other.name != family.name => return Err(two_families(family, other)),
            _ => notes.push(family_as_target(family)),
        }
    }
    let family = arguments.family.or(behind_target).unwrap_or(usual);
    let mut kind = Kind::named(word, &arguments.processor)?;
    if let Some(file) = &arguments.core {
        kind.processor = Some(core_file::read(file)?);
    }
    if arguments.cut_through && kind.processor.is_some() {
        return Err(needs_pipeline());
    }
    let built = kind.processor.as_ref();
    let built = built.and_then(|processor| processor.built.as_ref());
    let bus_bits = built.map_or(arguments.bus, |built| built.bus_bits);
    let without = match kind.processor {
        Some(_) => Without::new(),
        None => {
            let all = Saving::ALL.map(|saving| (saving.name(), saving));
            savings(&arguments.without, "designs small", &all)?
        }
    };
    Ok(Asked {
        kind: kind.without(&arguments.without)?,
        family,
        clock_mhz: arguments.clock.unwrap_or(family.usual_clock_mhz),
        bus_bits,
        without,
        force: arguments.force,
        journal: false,
        cut_through: arguments.cut_through,
        notes,
    })
}

/// What is left out, of what a target's compiler does.
///
/// # Errors
/// `unknown-saving`.
fn savings<S: Copy, A: FromIterator<S>>(
    names: &[String],
    what: &str,
    all: &[(&str, S)],
) -> Result<A, Diagnostic> {
    let one = |name: &String| {
        let found = all.iter().find(|(other, _)| other == name);
        found.map(|(_, saving)| *saving).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let message = format!("nothing that makes {what} is called {name}");
            let error = Diagnostic::input("unknown-saving", message);
            error.help(format!("what can be left out: {}", names.join(", ")))
        })
    };
    names.iter().map(one).collect()
}

pub fn needs_core(options: &[&str]) -> Diagnostic {
    let (verb, it) = match options.len() {
        1 => ("says", "it"),
        _ => ("say", "them"),
    };
    let options = options.join(" and ");
    let message = format!("{options} {verb} something of a core, and none is asked for");
    Diagnostic::input("option-needs-core", message)
        .help(format!("add --target core, or leave {it} out"))
}

/// A core's programs read packets at any place, and run for as long as they like.
fn needs_pipeline() -> Diagnostic {
    let message = "--cut-through is for a pipeline: a core gives a packet to its program, which may read all of it, when all of it is in its memory";
    Diagnostic::input("cut-through-core", message).help("leave out --cut-through, or --target core")
}

fn two_families(behind_target: &Technology, family: &Technology) -> Diagnostic {
    let message = format!(
        "two families of FPGAs are asked for: {} behind --target, and {} behind --family",
        behind_target.name, family.name
    );
    Diagnostic::input("two-families", message).help(format!(
        "name one of them, behind --family: --family {}",
        family.name
    ))
}

fn family_as_target(family: &Technology) -> Diagnostic {
    let name = family.name;
    let message = format!("{name} is a family of FPGAs, and --target names the kind of hardware");
    Diagnostic::note("family-as-target", message).help(format!(
        "write --family {name}; --target {name} means the same, and may go one day"
    ))
}

/// A program as hardware, larger than every card only if that is asked for. What was to be said of the program stands in front of
/// the errors.
///
/// # Errors
/// As those of the target; `larger-than-every-card`.
pub fn compile(loaded: &Loaded, asked: &Asked) -> Result<Hardware, Vec<Diagnostic>> {
    let mut program = loaded.program.clone();
    if program.phase == Phase::Structured && !asked.kind.target.takes_loops() {
        hardpath_passes::lower_structured(&mut program)?;
    }
    let compiled = asked.kind.target.compile(program, asked);
    let sized = compiled.and_then(|mut hardware| {
        let sized = size::check(&hardware.design, hardware.family, asked.force);
        hardware
            .warnings
            .extend(sized.map_err(|error| vec![error])?);
        Ok(hardware)
    });
    sized.map_err(|errors| [loaded.warnings.clone(), errors].concat())
}

/// # Errors
/// `wrong-phase`: the program is not in control flow, where `what` begins.
pub fn in_control_flow(program: &Program, what: &str) -> Result<(), Diagnostic> {
    let phase = match program.phase {
        Phase::ControlFlow => return Ok(()),
        Phase::Structured => "structured",
        Phase::Dataflow => "dataflow",
        Phase::Scheduled => "scheduled",
    };
    let name = &program.name;
    let message =
        format!("{what} takes a program in control flow, and {name} is in the {phase} phase");
    Err(Diagnostic::input("wrong-phase", message).help(
        "give the program as `hardpath ir` prints it, after lift or after control-flow; the interpreter runs every phase",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Command, CommandLine};
    use clap::Parser;

    fn asked_by(options: &[&str]) -> Result<Asked, Diagnostic> {
        let words = ["hardpath", "compile", "a.o"].iter().chain(options);
        let Command::Compile(arguments) = CommandLine::parse_from(words).command else {
            unreachable!();
        };
        asked(&arguments.program.hardware)
    }

    #[test]
    fn a_family_is_understood_behind_target() {
        for (options, family, notes) in [
            (&[][..], "ultrascale+", 0),
            (&["--target", "pipeline"], "ultrascale+", 0),
            (&["--family", "ecp5"], "ecp5", 0),
            (&["--target", "pipeline", "--family", "ecp5"], "ecp5", 0),
            (&["--target", "ecp5"], "ecp5", 1),
            (&["--target", "ecp5", "--family", "ecp5"], "ecp5", 1),
        ] {
            let Ok(asked) = asked_by(options) else {
                panic!("{options:?}");
            };
            assert_eq!((asked.family.name, asked.notes.len()), (family, notes));
            assert_eq!(asked.clock_mhz, asked.family.usual_clock_mhz);
            assert_eq!(asked.kind.target.name(), "pipeline", "{options:?}");
        }
    }

    #[test]
    fn what_cannot_be_asked_for() {
        for (options, code) in [
            (&["--lanes", "4"][..], "option-needs-core"),
            (&["--target", "ecp5", "--threads", "2"], "option-needs-core"),
            (&["--target", "ecp5", "--family", "agilex"], "two-families"),
            (&["--target", "core", "--cut-through"], "cut-through-core"),
        ] {
            let error = asked_by(options).err();
            assert_eq!(error.map(|error| error.code), Some(code));
        }
    }

    #[test]
    fn a_core_is_asked_for() {
        let Ok(asked) = asked_by(&["--target", "core", "--lanes", "2", "--bus", "64"]) else {
            panic!("it is there");
        };
        let processor = asked.kind.processor.clone().expect("a core");
        assert_eq!((processor.machine.lanes, processor.threads), (2, 32));
        assert!(asked.kind.target.takes_loops());
        let code = |error: Diagnostic| error.code;
        for (named, engine) in [
            (None, EngineName::Native),
            (Some(EngineName::Rows), EngineName::Rows),
        ] {
            assert_eq!(asked.kind.engine(named).map_err(code), Ok(engine));
        }
        let Ok(asked) = asked_by(&[]) else {
            panic!("it is there");
        };
        assert_eq!(
            asked.kind.engine(None).map_err(code),
            Ok(EngineName::Native)
        );
        let rows = asked.kind.engine(Some(EngineName::Rows));
        assert_eq!(rows.map_err(code), Err("option-needs-core"));
    }

    #[test]
    fn a_word_means_one_thing() {
        let targets = TARGETS.iter().map(|target| target.name());
        let families = TECHNOLOGIES.iter().map(|family| family.name);
        let mut names: Vec<&str> = targets.chain(families).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
