//! `hardpath advise`: a program's pipeline and a core with it side by side, and which to take.

mod choice;
mod report;
mod side;
mod traffic;

use crate::answer::{Answer, Status};
use crate::arguments::AdviseArguments;
use crate::contents::fill;
use crate::outputs;
use crate::source::{self, Loaded};
use crate::target::{self, Asked, TARGETS};
use choice::choose;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::Program;
use hardpath_packet::Packet;
use report::Report;
use side::Side;
use traffic::Traffic;

/// Entries of an array that are set, and the seed of what nobody gives.
const ARRAY_ENTRIES: u32 = 256;
const SEED: u64 = 1;
/// Steps of the interpreter that a packet may take with it.
const FEW_STEPS: u64 = 20_000;

/// A program as a target gets it, with what is asked of that.
pub struct Read {
    loaded: Loaded,
    asked: Asked,
}

/// One side, or why there is none.
type Refusable<T> = Result<T, Vec<Diagnostic>>;

pub fn run(arguments: &AdviseArguments) -> Result<Answer, Vec<Diagnostic>> {
    let [pipeline, core] =
        TARGETS.map(|target| read(arguments, target.name(), target.takes_loops()));
    let (pipeline, core) = (refusable(pipeline)?, refusable(core)?);
    let read = match (core.as_ref(), pipeline.as_ref()) {
        (Ok(read), _) | (_, Ok(read)) => read,
        (Err(_), Err(_)) => return Err(of_both(pipeline.err(), core.err())),
    };
    let traffic = Traffic::new(arguments, &read.loaded.program)?;
    let contents = contents(arguments, &read.loaded, &traffic)?;
    let about = (
        read.loaded.program.name.clone(),
        read.loaded.described.clone(),
    );
    let side = |read: Refusable<Read>| -> Result<Refusable<Side>, Vec<Diagnostic>> {
        match read {
            Ok(read) => refusable(Side::new(&read, &traffic, &contents.image)),
            Err(errors) => Ok(Err(errors)),
        }
    };
    let (pipeline, core) = (side(pipeline)?, side(core)?);
    let figures = |side: &Refusable<Side>| side.as_ref().ok().map(Side::figures);
    let choice = choose(
        traffic.needed_mpps,
        figures(&pipeline).as_ref(),
        figures(&core).as_ref(),
    );
    let Some(choice) = choice else {
        return Err(of_both(pipeline.err(), core.err()));
    };
    let report = Report {
        about,
        traffic: &traffic,
        maps: contents.said_by,
        pipeline: &pipeline,
        core: &core,
        choice: &choice,
    };
    let answer = Answer::good(report.json(), report.text());
    let sides = [pipeline, core];
    let warnings = sides.iter().flatten().flat_map(|side| &side.warnings);
    Ok(answer.with_warnings(warnings.cloned()))
}

fn read(arguments: &AdviseArguments, target: &str, is_core: bool) -> Result<Read, Vec<Diagnostic>> {
    let program = arguments.program(target, is_core);
    let asked = target::asked(&program.hardware).map_err(|error| vec![error])?;
    let loaded = source::load(&program, &asked)?.for_target(asked.kind.target)?;
    Ok(Read { loaded, asked })
}

/// What is refused is an answer, too; all else ends the command.
fn refusable<T>(result: Result<T, Vec<Diagnostic>>) -> Result<Refusable<T>, Vec<Diagnostic>> {
    match result {
        Ok(found) => Ok(Ok(found)),
        Err(errors) if Status::of_errors(&errors) == Status::Refused => {
            let errors = errors.into_iter();
            Ok(Err(errors.filter(|one| one.severity.is_error()).collect()))
        }
        Err(errors) => Err(errors),
    }
}

/// What both say is said once.
fn of_both(pipeline: Option<Vec<Diagnostic>>, core: Option<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let mut all = pipeline.unwrap_or_default();
    for error in core.unwrap_or_default() {
        if !all.contains(&error) {
            all.push(error);
        }
    }
    all
}

/// What maps hold, and who says so.
pub struct Contents {
    image: Image,
    said_by: SaidBy,
}

/// Who says what maps hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SaidBy {
    File,
    /// Half of the keys that the program asks for.
    Program,
    /// With such entries, the program would not come to its end soon.
    Nobody,
}

fn contents(
    arguments: &AdviseArguments,
    loaded: &Loaded,
    traffic: &Traffic,
) -> Result<Contents, Vec<Diagnostic>> {
    let run = arguments.run(Vec::new());
    if arguments.maps.is_some() {
        return Ok(Contents {
            image: outputs::read_maps(&run, loaded)?,
            said_by: SaidBy::File,
        });
    }
    let (program, ifindex) = (&loaded.program, arguments.ifindex);
    let image = fill(program, &traffic.captured, ifindex, ARRAY_ENTRIES, SEED);
    let image = outputs::completed(image, &run, loaded)?;
    match ends_soon(program, &image, traffic) {
        true => Ok(Contents {
            image,
            said_by: SaidBy::Program,
        }),
        false => Ok(Contents {
            image: outputs::completed(Image::new(), &run, loaded)?,
            said_by: SaidBy::Nobody,
        }),
    }
}

/// Whether each packet takes few steps: numbers that mean nothing can be bounds of loops.
fn ends_soon(program: &Program, image: &Image, traffic: &Traffic) -> bool {
    let mut maps = Maps::new(&program.maps);
    let mut prepared = Prepared::new(program);
    let ports = traffic.ports();
    let ends = |packet: &Packet, maps: &mut Maps, prepared: &mut Prepared| {
        let ran = prepared.run_within(FEW_STEPS, maps, &packet.data, &ports.sideband(packet));
        ran.is_ok()
    };
    let loaded = maps.load(image).is_ok();
    let mut packets = traffic.many.iter();
    loaded && packets.all(|packet| ends(packet, &mut maps, &mut prepared))
}
