//! What programs become. A target is a file here and a line in [`TARGETS`]: it makes hardware of a program, and tells what became
//! of it; everything behind it (engines, judges, the folder of a design, synthesis) is the same for all targets.

mod pipeline;

use crate::arguments::HardwareArguments;
use crate::size;
use crate::source::Loaded;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Phase, Program};
use hardpath_pipeline::savings::Without;
use hardpath_pipeline::technology::{self, Technology, TECHNOLOGIES};
use hardpath_pipeline::Promise;
use hardpath_rtl::Design;
use serde_json::Value;

/// A kind of hardware that programs become.
pub trait Target: Sync {
    /// As `--target` has it.
    fn name(&self) -> &'static str;
    /// The forms of a program on its way to hardware, behind the passes on control flow, for `hardpath ir --after`. The last one is
    /// [`Hardware::form`].
    fn forms(&self) -> &'static [&'static str];
    /// A program in one of these forms but the last one, from control flow to which no pass was applied.
    ///
    /// # Errors
    /// What keeps the program from getting there.
    fn form(&self, name: &str, program: Program) -> Result<Program, Vec<Diagnostic>>;
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
pub const TARGETS: [&dyn Target; 1] = [&pipeline::Pipeline];

/// Names that `--target` takes and that are nothing yet, with what they will be.
pub const TO_COME: [(&str, &str); 1] = [("core", "a packet processor that runs the program")];

/// What is asked of hardware.
#[derive(Clone)]
pub struct Asked {
    pub target: &'static dyn Target,
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

/// What the command line asks of hardware.
///
/// # Errors
/// `target-to-come`, `two-families`.
pub fn asked(arguments: &HardwareArguments) -> Result<Asked, Diagnostic> {
    asked_or(arguments, TECHNOLOGIES[0])
}

/// The same; for this family of FPGAs when the command line names none.
pub fn asked_or(
    arguments: &HardwareArguments,
    usual: &'static Technology,
) -> Result<Asked, Diagnostic> {
    let word = arguments.target.as_str();
    if let Some((name, what)) = TO_COME.iter().find(|(name, _)| *name == word) {
        return Err(to_come(name, what));
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
    let named = TARGETS.into_iter().find(|target| target.name() == word);
    let family = arguments.family.or(behind_target).unwrap_or(usual);
    Ok(Asked {
        target: named.unwrap_or(TARGETS[0]),
        family,
        clock_mhz: arguments.clock.unwrap_or(family.usual_clock_mhz),
        bus_bits: arguments.bus,
        without: arguments.without.iter().copied().collect(),
        force: arguments.force,
        journal: false,
        notes,
    })
}

fn to_come(name: &str, what: &str) -> Diagnostic {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name()).collect();
    let message = format!("there is no target `{name}` yet: it will be {what}");
    Diagnostic::refused("target-to-come", message)
        .help(format!("use --target {}", names.join(" or --target ")))
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
    if program.phase == Phase::Structured {
        hardpath_passes::lower_structured(&mut program)?;
    }
    let compiled = asked.target.compile(program, asked);
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
            assert_eq!(asked.target.name(), "pipeline", "{options:?}");
        }
    }

    #[test]
    fn what_cannot_be_asked_for() {
        for (options, code) in [
            (&["--target", "core"][..], "target-to-come"),
            (&["--target", "ecp5", "--family", "agilex"], "two-families"),
        ] {
            let error = asked_by(options).err();
            assert_eq!(error.map(|error| error.code), Some(code));
        }
    }

    #[test]
    fn a_word_means_one_thing() {
        let targets = TARGETS.iter().map(|target| target.name());
        let to_come = TO_COME.iter().map(|(name, _)| *name);
        let families = TECHNOLOGIES.iter().map(|family| family.name);
        let mut names: Vec<&str> = targets.chain(to_come).chain(families).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
