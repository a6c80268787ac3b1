//! The core: a processor that runs the program, row by row.

use super::{Asked, Hardware, Target, Told};
use crate::source::Loaded;
use hardpath_core::compile::savings::Without;
use hardpath_core::compile::{self, Compiled};
use hardpath_core::hardware::packets::transmit::FRONT_BYTES;
use hardpath_core::hardware::processor::keeps::{loses, HELD};
use hardpath_core::hardware::processor::{self, Built};
use hardpath_core::image::{Image, Machine, Origins};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_ir::{Phase, Program, Terminator};
use hardpath_pipeline::delay::Timing;

pub struct Core;

/// The core that is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Processor {
    /// What programs have to know of it.
    pub machine: Machine,
    /// Packets that it works on at a time. No program depends on that.
    pub threads: u8,
    /// It is built already. Otherwise it is built for the programs that run.
    pub built: Option<Box<processor::Processor>>,
    /// What its compiler does not do to make rows few.
    pub without: Without,
}

impl Processor {
    pub const USUAL_LANES: u8 = 4;
    pub const USUAL_THREADS: u8 = 32;

    pub fn new(lanes: Option<u8>, threads: Option<u8>) -> Processor {
        Processor {
            machine: Machine::with_lanes(lanes.unwrap_or(Processor::USUAL_LANES)),
            threads: threads.unwrap_or(Processor::USUAL_THREADS),
            built: None,
            without: Without::NOTHING,
        }
    }

    /// A program as rows for it.
    ///
    /// # Errors
    /// Everything that keeps the program from becoming rows, each with its place.
    pub fn compile(&self, program: &Program) -> Result<Compiled, Vec<Diagnostic>> {
        compile::compile_without(program, &self.machine, self.without)
    }

    /// What runs programs until the hardware is there.
    pub fn rows(&self) -> String {
        let lanes = counted(self.machine.lanes, "lane");
        format!("rows of a core with {lanes}, run by their interpreter")
    }
}

impl Target for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn takes_loops(&self) -> bool {
        true
    }

    /// That of which rows are made.
    fn forms(&self) -> &'static [&'static str] {
        &["prepared"]
    }

    fn last_form(&self, loaded: &Loaded, asked: &Asked) -> Result<Program, Vec<Diagnostic>> {
        Ok(rows(loaded, asked)?.program)
    }

    /// None in front of the last one.
    fn form(&self, _: &str, program: Program) -> Result<Program, Vec<Diagnostic>> {
        Ok(program)
    }

    fn compile(&self, program: Program, asked: &Asked) -> Result<Hardware, Vec<Diagnostic>> {
        let compiled = processor_of(asked).compile(&program)?;
        hardware(compiled, asked)
    }

    fn refusals(&self, part: Program, asked: &Asked) -> Vec<Diagnostic> {
        let rows = processor_of(asked).compile(&part);
        rows.err().unwrap_or_default()
    }
}

/// A program as rows. What was to be said of the program stands in front of the errors.
///
/// # Errors
/// Everything that keeps the program from becoming rows, each with its place; `wrong-phase`.
pub fn rows(loaded: &Loaded, asked: &Asked) -> Result<Compiled, Vec<Diagnostic>> {
    let program = &loaded.program;
    if program.phase != Phase::Structured {
        super::in_control_flow(program, "the core").map_err(|error| vec![error])?;
    }
    let rows = processor_of(asked).compile(program);
    rows.map_err(|errors| [loaded.warnings.clone(), errors].concat())
}

/// The same for a core that is there, which has all units that the program needs.
///
/// # Errors
/// Those of [`rows`]; `core-unit-missing`, `map-too-large`.
pub fn image(loaded: &Loaded, asked: &Asked) -> Result<Image, Vec<Diagnostic>> {
    let compiled = rows(loaded, asked)?;
    all_there(&compiled)?;
    Ok(compiled.image)
}

fn processor_of(asked: &Asked) -> Processor {
    let processor = asked.kind.processor.clone();
    processor.unwrap_or_else(|| Processor::new(None, None))
}

/// The core that a program runs on: the one that is built, or one that has what the program asks for.
pub fn core_for(image: &Image, asked: &Asked) -> processor::Processor {
    let processor = processor_of(asked);
    if let Some(built) = processor.built {
        return *built;
    }
    let name = hardpath_pipeline::lower::module_name(&image.name);
    processor::Processor {
        bus_bits: asked.bus_bits,
        journal: asked.journal,
        ..processor::Processor::of(&name, &processor.machine, processor.threads, image)
    }
}

/// A core, and the program in its interface.
fn hardware(compiled: Compiled, asked: &Asked) -> Result<Hardware, Vec<Diagnostic>> {
    let image = &compiled.image;
    all_there(&compiled)?;
    let config = core_for(image, asked);
    let mut built = processor::processor(&config);
    built.starts_with(&config, image)?;
    Ok(Hardware {
        operations_per_row: Some(image.operations_per_row()),
        ..hardware_of(&config, built, compiled.program, asked)
    })
}

/// A program needs no unit that there is not, and its maps fit a device.
fn all_there(compiled: &Compiled) -> Result<(), Vec<Diagnostic>> {
    missing(&compiled.image, &compiled.origins).map_err(|error| vec![error])?;
    keeps(&compiled.program).map_err(|error| vec![error])?;
    in_front(&compiled.program).map_err(|error| vec![error])?;
    let maps = compiled.image.maps.values();
    let errors = maps.filter_map(hardpath_pipeline::map_is_too_large);
    let errors: Vec<Diagnostic> = errors.collect();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// # Errors
/// `core-unit-missing`: more bytes are put in front of a packet than the processor keeps for that.
fn in_front(program: &Program) -> Result<(), Diagnostic> {
    for block in program.all_blocks() {
        let Terminator::Emit(emit) = &program.blocks[block].terminator else {
            continue;
        };
        let copies = emit.copies.iter().map(|copy| &copy.sent);
        for sent in std::iter::once(&emit.packet).chain(copies) {
            let front = sent.leaves.and_then(|leaves| leaves.front);
            let bytes = front.map_or(0, |front| program.width(front.bytes) / 8);
            if bytes > FRONT_BYTES {
                let message = format!(
                    "a processor puts at most {FRONT_BYTES} bytes in front of a packet, and this program up to {bytes}"
                );
                let error = Diagnostic::refused("core-unit-missing", message);
                return Err(error
                    .at(program.block_place(block))
                    .help("rows do it (--engine rows), and a pipeline (--target pipeline)"));
            }
        }
    }
    Ok(())
}

/// A core with whatever its interface says of a program.
pub fn hardware_of(
    config: &processor::Processor,
    built: Built,
    program: Program,
    asked: &Asked,
) -> Hardware {
    let Built {
        mut design,
        interface,
    } = built;
    let timing = Timing {
        technology: asked.family,
        clock_mhz: asked.clock_mhz,
    };
    hardpath_pipeline::for_family(&mut design, timing);
    let names = design.modules.values().map(|module| module.name.as_str());
    let map_modules = hardpath_pipeline::map_modules(&config.name, names);
    Hardware {
        map_modules,
        design,
        interface,
        clock_mhz: asked.clock_mhz,
        family: asked.family.name,
        promise: Default::default(),
        form: program,
        operations_per_row: None,
        told: Told {
            json: serde_json::Value::Null,
            text: String::new(),
            markdown: String::new(),
        },
        warnings: Vec::new(),
    }
}

/// # Errors
/// `core-unit-missing`: a use of an entry that the map may have forgotten for the same packet's sake; with the line.
fn keeps(program: &Program) -> Result<(), Diagnostic> {
    let Some((map, place)) = loses(program) else {
        return Ok(());
    };
    let message = format!(
        "the processor's map {} may forget an entry when the packet that has looked it up, {HELD} lookups before or more, puts in another \
         key; and it is used behind that",
        program.maps[map].name
    );
    let error = Diagnostic::refused("core-unit-missing", message).help(
        "look the key up once more behind the update; use --engine rows, which runs every program, or --target pipeline",
    );
    Err(match place {
        Some(place) => error.at(&program.places[place]),
        None => error,
    })
}

/// # Errors
/// `core-unit-missing`: an operation whose unit the processor does not have; with the line.
fn missing(image: &Image, origins: &Origins) -> Result<(), Diagnostic> {
    let Some((row, lane, what)) = processor::lacks(image) else {
        return Ok(());
    };
    let message = format!("the processor has no unit for {what}");
    let error = Diagnostic::refused("core-unit-missing", message)
        .help("use --engine rows, which runs every program, or --target pipeline");
    let lanes = origins.rows.get(row);
    let place = lanes.and_then(|lanes| lanes.get(usize::from(lane)).copied().flatten());
    Err(match place {
        Some(place) => error.at(&origins.places[place]),
        None => error,
    })
}
