//! From the command line to a lifted program.

use crate::arguments::ProgramArguments;
use crate::files;
use crate::notes;
use crate::size;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ebpf::{EventCall, LoadOptions, Object, ProgramImage, SectionContents};
use hardpath_ir::Program;
use hardpath_pipeline::technology::{Technology, TECHNOLOGIES};
use hardpath_pipeline::{Compiled, Options, Report};
use std::collections::BTreeSet;

/// An object, the program chosen from it, and what that program means.
pub struct Loaded {
    pub object: Object,
    pub image: ProgramImage,
    /// As lifted, in the control-flow phase.
    pub program: Program,
    /// What the command line says of constants: `limit=100`, `.rodata of FILE`.
    pub set: Vec<String>,
    /// What is to be said of object and program, whatever becomes of them.
    pub warnings: Vec<Diagnostic>,
}

pub fn load(arguments: &ProgramArguments) -> Result<Loaded, Vec<Diagnostic>> {
    let bytes = files::read(&arguments.object).map_err(|error| vec![error])?;
    let sections = arguments.rodata.iter().map(|(section, path)| {
        Ok(SectionContents {
            section: section.clone(),
            origin: path.display().to_string(),
            bytes: files::read(path)?,
        })
    });
    let sections = sections.collect::<Result<_, _>>();
    let options = LoadOptions {
        program: arguments.program.clone(),
        max_entries: arguments.max_entries.iter().cloned().collect(),
        btf: arguments.btf.clone(),
        prog_array: arguments.prog_array.iter().cloned().collect(),
        drop_events: arguments.drop_events,
        as_xdp: arguments.as_xdp,
        sections: sections.map_err(|error| vec![error])?,
        globals: arguments.set.clone(),
    };
    let name = arguments.object.display().to_string();
    let object = hardpath_ebpf::load(&bytes, &name, &options)?;
    let image = object
        .choose(arguments.program.as_deref())
        .map_err(|error| vec![error])?
        .clone();
    let lifted = hardpath_ebpf::lift_noting(&object, &image)
        .map_err(|errors| with_refusals_of_part(errors, &object, &image, arguments))?;
    let warnings = notes::of(&object, &image, &lifted);
    let mut program = lifted.program;
    if let Some(depth) = arguments.depth {
        hardpath_passes::limit_depth(&mut program, depth).map_err(|error| vec![error])?;
    }
    Ok(Loaded {
        object,
        image,
        program,
        set: set_by(arguments),
        warnings,
    })
}

fn set_by(arguments: &ProgramArguments) -> Vec<String> {
    let sections = arguments.rodata.iter();
    let sections = sections.map(|(section, file)| format!("{section} of {}", file.display()));
    let values = arguments.set.iter();
    sections
        .chain(values.map(|(name, value)| format!("{name}={value}")))
        .map(|said| said.replace(char::is_control, " "))
        .collect()
}

/// What cannot be lifted must not hide what the compiler would refuse next, as far as the rest shows it.
fn with_refusals_of_part(
    mut errors: Vec<Diagnostic>,
    object: &Object,
    image: &ProgramImage,
    arguments: &ProgramArguments,
) -> Vec<Diagnostic> {
    if errors
        .iter()
        .all(|error| error.severity == Severity::Refused)
    {
        let part = hardpath_ebpf::lift_in_part(object, image);
        let options = pipeline_options(arguments);
        errors.extend(part.map_or(Vec::new(), |part| {
            hardpath_pipeline::refusals(part, &options)
        }));
    }
    errors
}

pub fn pipeline_options(arguments: &ProgramArguments) -> Options {
    options_or(TECHNOLOGIES[0], arguments)
}

/// As the arguments say; for this family of FPGAs when they name none.
pub fn options_or(usual: &'static Technology, arguments: &ProgramArguments) -> Options {
    let technology = arguments.target.unwrap_or(usual);
    Options {
        clock_mhz: arguments.clock.unwrap_or(technology.usual_clock_mhz),
        bus_bits: arguments.bus,
        technology,
        without: arguments.without.iter().copied().collect(),
        journal: false,
        tries_clocks: true,
    }
}

impl Loaded {
    /// The calls that do nothing in hardware; all others do what they do in the kernel.
    pub fn dropped_calls(&self) -> Vec<EventCall> {
        hardpath_ebpf::event_calls(&self.object, &self.image)
    }

    /// The maps that the program has: those that it can come to with the constants as they are. The report, map files and
    /// the judge go by them.
    pub fn map_names(&self) -> BTreeSet<String> {
        let maps = self.program.maps.values();
        maps.map(|map| map.name.clone()).collect()
    }

    /// The program as hardware.
    pub fn compile(&self, arguments: &ProgramArguments) -> Result<Compiled, Vec<Diagnostic>> {
        self.compile_for(&pipeline_options(arguments), arguments.force)
    }

    /// The same hardware, whose LRU maps tell what they forget.
    pub fn compile_with_journal(
        &self,
        arguments: &ProgramArguments,
    ) -> Result<Compiled, Vec<Diagnostic>> {
        let options = Options {
            journal: true,
            ..pipeline_options(arguments)
        };
        self.compile_for(&options, arguments.force)
    }

    /// The same for given options, larger than every card only with `force`. What was to be said of the program stands in
    /// front of the errors.
    pub fn compile_for(&self, options: &Options, force: bool) -> Result<Compiled, Vec<Diagnostic>> {
        let compiled = hardpath_pipeline::compile(self.program.clone(), options);
        let sized = compiled.and_then(|mut compiled| {
            let sized = size::check(&compiled.design, compiled.report.technology, force);
            compiled
                .report
                .warnings
                .extend(sized.map_err(|error| vec![error])?);
            Ok(compiled)
        });
        sized.map_err(|errors| [self.warnings.clone(), errors].concat())
    }

    /// What is to be said beside an answer: of the program, and of the hardware where it became some.
    pub fn warnings_with(&self, report: Option<&Report>) -> Vec<Diagnostic> {
        let of_hardware = report.into_iter().flat_map(|report| &report.warnings);
        self.warnings.iter().chain(of_hardware).cloned().collect()
    }
}
