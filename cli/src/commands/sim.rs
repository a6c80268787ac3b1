//! `hardpath sim`: packets through a program's hardware, clock by clock.

use crate::answer::{Answer, Status};
use crate::arguments::{EngineName, SimArguments};
use crate::coverage::Coverage;
use crate::engine::{self, Ran, Setting};
use crate::loads::{Happened, Loads};
use crate::outputs::{self, SentOn};
use crate::packets::{self, RunPacket};
use crate::promise;
use crate::row_clocks::RowClocks;
use crate::size::Size;
use crate::source::p4::Listener;
use crate::source::{self, Loaded};
use crate::table::facts;
use crate::target;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_oracle::{Comparison, KernelJudge, Reference};
use hardpath_session::Judging;
use hardpath_testbed::run::Event;
use hardpath_testbed::statistics::Statistics;
use serde_json::{json, Value};
use std::fmt::Write;

pub fn run(arguments: &SimArguments) -> Result<Answer, Vec<Diagnostic>> {
    let (program, run) = (&arguments.program, &arguments.run);
    let one = |error: Diagnostic| vec![error];
    let mut asked = target::asked(&program.hardware).map_err(one)?;
    let engine = asked.kind.engine(run.engine).map_err(one)?;
    let has_clock = engine.is_hardware();
    if arguments.bench.is_some() && !has_clock {
        return Err(vec![no_ports()]);
    }
    let mut loaded = source::load(program, &asked)?;
    if has_clock {
        loaded = loaded.for_target(asked.kind.target)?;
    }
    let loads = Loads::read(run, program, &loaded, (&mut asked, engine))?;
    let image = outputs::read_maps(run, &loaded)?;
    let packets = packets::open(run, &loaded.program)?.with_giants(asked.cut_through);
    let setting = Setting {
        loaded: &loaded,
        asked: &asked,
        run,
        engine,
        image: &image,
        loads: &loads.events,
        bench: arguments.bench.as_deref(),
        journal: None,
    };
    let mut sent_on = SentOn::create(run).map_err(one)?;
    let mut coverage = Coverage::of(&loaded.program.limits);
    let mut happened = Happened::default();
    let mut beside = match loads.programs.is_empty() {
        true => None,
        false => Some(judging(arguments, &loaded.program, &image)?),
    };
    let mut listener = listener(arguments, &loaded)?;
    let mut ran = engine::run(&setting, packets, |event| match event {
        Event::Packet {
            packet,
            outcome,
            moves,
        } => {
            coverage.add(&packet, outcome.is_some());
            happened.packet();
            if let Some(listening) = listener.as_mut().filter(|_| outcome.is_some()) {
                // What the reference interpreter does not do, it says nothing of from here on.
                if listening.run(packet.data(), &packet.sideband).is_err() {
                    listener = None;
                }
            }
            sent_on.packet(&packet, outcome.as_ref())?;
            match &mut beside {
                Some(judging) if outcome.is_some() => judging.packet(packet, outcome, moves),
                _ => Ok(()),
            }
        }
        Event::Loaded(done) => {
            let number = happened.loaded(done);
            let judging = beside.as_mut().expect("there are programs to load");
            judging.goes_on(|maps| {
                let program = &loads.programs[number].loaded.program;
                first(interpreter(program, &loads.image(number, maps)))
            })
        }
        Event::Host(_) | Event::HostMoved(_) => Ok(()),
    })?;
    let comparison = match beside {
        Some(judging) => {
            let maps = ran.maps().map_err(one)?;
            Some(judging.finish(&maps).map_err(one)?)
        }
        None => None,
    };
    // Nobody waits for what nobody asked for: reading all maps can take longer than the packets.
    if run.maps_out.is_some() {
        let maps = ran.maps().map_err(one)?;
        let last = loads.programs.last().map(|last| &last.loaded.program);
        outputs::write_maps(run, last.unwrap_or(&loaded.program), &maps).map_err(one)?;
    }
    sent_on.finish().map_err(one)?;
    let (statistics, simulated) = (&ran.statistics, ran.simulated_clocks());
    let mut object = json(statistics, simulated);
    // What a processor does in a second depends on the rows that packets take.
    let promised = asked.kind.processor.is_none();
    let promises = ran.hardware().filter(|_| promised);
    object["promise"] = json!(promises.map(|hardware| &hardware.promise));
    object["estimate"] = Value::Null;
    let row_clocks = row_clocks(&ran);
    let more = match &row_clocks {
        Some(clocks) => {
            clocks.put_into(&mut object);
            clocks.lines()
        }
        None => Vec::new(),
    };
    let mut text = match ran.hardware() {
        Some(hardware) => text((statistics, more), hardware.clock_mhz, engine),
        None => text_without_clock(statistics, engine, more),
    };
    let mut warnings: &[Diagnostic] = &[];
    if let Some(hardware) = ran.hardware() {
        let size = Size::of(&hardware.design, hardware.family);
        object["estimate"] = size.json();
        text.push('\n');
        if promised {
            let _ = writeln!(text, "{}", promise::sentence(&hardware.promise));
        }
        let sentence = size.sentence().unwrap_or_default();
        let _ = writeln!(text, "{sentence}");
        warnings = &hardware.warnings;
    }
    let mut status = Status::Good;
    if let Some(comparison) = &comparison {
        object["loads"] = loads.json(&happened);
        object["mismatches"] = json!(comparison.mismatches);
        object["map_mismatches"] = json!(comparison.map_mismatches);
        text.push_str(&loaded_text(&loads.text(&happened), comparison));
        if !comparison.is_clean() {
            status = Status::Differs;
        }
    }
    if let Some(heard) = loaded.meaning.as_ref().map(|meaning| meaning.heard()) {
        object["messages"] = heard.json();
        text.push_str(&heard.text());
    }
    Ok(Answer::new(status, object, text)
        .with_warnings(loaded.warnings_with(warnings))
        .with_warnings(coverage.warnings()))
}

/// Hardware does not tell what a P4 program says beside its packets: the reference interpreter runs them, too. It knows nothing of maps and
/// programs that the command line brings.
fn listener<'l>(
    arguments: &SimArguments,
    loaded: &'l Loaded,
) -> Result<Option<Listener<'l>>, Vec<Diagnostic>> {
    let meaning = loaded.meaning.as_ref();
    let meaning = meaning.filter(|meaning| meaning.speaks());
    match arguments.run.unknown_to_reference() {
        None => meaning.map(|meaning| meaning.judge()).transpose(),
        Some(_) => Ok(None),
    }
}

/// What rows took, where rows ran.
fn row_clocks(ran: &Ran) -> Option<RowClocks> {
    if let Some(counts) = ran.rows() {
        return Some(RowClocks::interpreted(&counts));
    }
    let operations = ran.hardware()?.operations_per_row?;
    let packets = ran.statistics.packets;
    Some(RowClocks::counted(packets, ran.events?, operations))
}

type Interpreted = Result<Reference<'static>, Vec<Diagnostic>>;

/// Where programs are loaded, the interpreter says of each packet what is right.
fn judging(
    arguments: &SimArguments,
    program: &Program,
    image: &Image,
) -> Result<Judging<'static, RunPacket>, Vec<Diagnostic>> {
    let captures = arguments.run.pcap.iter();
    let captures = captures.map(|path| path.display().to_string());
    Ok(Judging::new(
        interpreter(program, image)?,
        captures.collect(),
    ))
}

fn interpreter(program: &Program, image: &Image) -> Interpreted {
    Reference::new(program, image, None::<KernelJudge>)
}

/// The first error, of which the consumer of a run has room for one.
fn first(reference: Interpreted) -> Result<Reference<'static>, Diagnostic> {
    reference.map_err(|mut errors| errors.remove(0))
}

fn loaded_text(loads: &str, comparison: &Comparison) -> String {
    let mut text = format!("\n{loads}");
    match comparison.is_clean() {
        true => text.push_str(
            "  each packet became what its program makes of it, and the maps hold what they should\n",
        ),
        false => {
            let _ = writeln!(
                text,
                "  {} and {} differ from what the interpreter says",
                counted(comparison.mismatches, "packet"),
                counted(comparison.map_mismatches, "map entry")
            );
        }
    }
    for mismatch in &comparison.first {
        let _ = writeln!(text, "  {mismatch}");
    }
    text
}

fn no_ports() -> Diagnostic {
    let message = "the interpreter has no ports that a test bench could drive";
    Diagnostic::input("bench-needs-hardware", message)
        .help("leave out --engine interpreter, or --bench")
}

/// The interpreter has no clock: what is counted in clocks or beats is null.
fn json(statistics: &Statistics, simulated_clocks: Option<u64>) -> Value {
    let mut object = json!(statistics);
    object["simulated_clocks"] = json!(simulated_clocks);
    if simulated_clocks.is_none() {
        for key in [
            "beats",
            "clocks",
            "packets_per_clock",
            "mpps",
            "stall_clocks",
        ] {
            object[key] = Value::Null;
        }
    }
    object
}

type Lines = Vec<(&'static str, String)>;

fn text((statistics, more): (&Statistics, Lines), clock_mhz: f64, engine: EngineName) -> String {
    let latency = &statistics.latency_clocks;
    let mut lines = vec![
        ("engine", engine.name().to_owned()),
        (
            "packets in",
            format!(
                "{} in {}",
                grouped(statistics.packets),
                counted(statistics.beats, "beat")
            ),
        ),
        (
            "clocks",
            format!(
                "{} ({} in which a beat had to wait)",
                grouped(statistics.clocks),
                grouped(statistics.stall_clocks)
            ),
        ),
        ("throughput", throughput(statistics, clock_mhz)),
    ];
    if let (Some(min), Some(median), Some(max)) = (latency.min, latency.median, latency.max) {
        let nanoseconds = median as f64 * 1000.0 / clock_mhz;
        lines.push((
            "latency",
            format!(
                "{} = {nanoseconds:.0} ns (median; {min} to {})",
                counted(median, "clock"),
                counted(max, "clock")
            ),
        ));
    }
    lines.extend(more);
    lines.extend(verdict_lines(statistics));
    facts(&lines)
}

/// A long packet takes several clocks, one for each beat, whatever the program does.
fn throughput(statistics: &Statistics, clock_mhz: f64) -> String {
    let mut text = format!(
        "{:.3} packets a clock = {:.1} Mpps at {clock_mhz} MHz",
        statistics.packets_per_clock, statistics.mpps
    );
    if statistics.beats > statistics.packets {
        let beats = statistics.beats as f64 / statistics.clocks.max(1) as f64;
        let _ = write!(text, " ({beats:.3} beats a clock)");
    }
    text
}

fn text_without_clock(statistics: &Statistics, engine: EngineName, more: Lines) -> String {
    let mut lines = vec![
        ("engine", engine.name().to_owned()),
        ("packets in", grouped(statistics.packets)),
    ];
    lines.extend(more);
    lines.extend(verdict_lines(statistics));
    facts(&lines)
}

fn verdict_lines(statistics: &Statistics) -> Vec<(&str, String)> {
    let mut lines: Vec<(&str, String)> = statistics
        .verdicts
        .iter()
        .filter(|(_, packets)| **packets > 0)
        .map(|(name, packets)| {
            let path = statistics.paths.get(name);
            let clocks = path.and_then(|path| path.clocks_per_packet);
            let clocks = clocks.map(|clocks| format!(", {clocks:.2} clocks each"));
            (
                name.as_str(),
                grouped(*packets) + &clocks.unwrap_or_default(),
            )
        })
        .collect();
    if statistics.marked > 0 {
        lines.push(("with an error mark", grouped(statistics.marked)));
    }
    if statistics.not_taken_in > 0 {
        let count = grouped(statistics.not_taken_in);
        lines.push((
            "not taken in",
            format!("{count} (too short for the program, longer than 9,216 bytes, or marked bad)"),
        ));
    }
    lines
}
