//! Runs packets through a program in any engine, with the same result type.

use crate::arguments::{EngineName, ProgramArguments, RunArguments};
use crate::load::Loaded;
use crate::packets::Packet;
use crate::progress::Progress;
use hardpath_blocks::interface::Interface;
use hardpath_ir::interpreter::{PacketContext, Prepared};
use hardpath_ir::maps::{Entries, Image, Maps};
use hardpath_ir::{verdict, Diagnostic, Program, MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use hardpath_pipeline::{Compiled, Report};
use hardpath_rtl::Design;
use hardpath_testbed::bench::Recorder;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host, HostOperation};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{self, PacketIn, PacketOut, RunOptions, RunResult};
use hardpath_testbed::statistics::Statistics;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};

/// What a run gave.
pub struct Ran {
    /// For each packet; `None`: it did not enter the program.
    pub outcomes: Vec<Option<PacketOut>>,
    /// Contents of the maps after the last packet.
    pub maps: Image,
    /// Of the interpreter, which has no clock: only `packets`, `verdicts` and `not_taken_in`.
    pub statistics: Statistics,
    /// Of the hardware; `None`: the interpreter ran.
    pub report: Option<Report>,
}

/// The ingress port that packets come in at; the port table says which interface that is.
const PORT: u8 = 0;

/// Runs the packets in the engine that the command line names. `image` is what the maps hold at first.
pub fn run(
    loaded: &Loaded,
    program: &ProgramArguments,
    arguments: &RunArguments,
    packets: &[Packet],
    image: &Image,
) -> Result<Ran, Vec<Diagnostic>> {
    if arguments.engine == EngineName::Interpreter {
        let mut maps = Maps::new(&loaded.program.maps);
        maps.load(image)?;
        return Ok(interpret(&loaded.program, maps, packets));
    }
    let (ran, report) = in_hardware(loaded, program, arguments, packets, image, drive)?;
    Ok(with_report(ran, report))
}

/// The same in hardware; also gives the run as the text that a test bench plays (see [`hardpath_testbed::bench`]).
pub fn run_recorded(
    loaded: &Loaded,
    program: &ProgramArguments,
    arguments: &RunArguments,
    packets: &[Packet],
    image: &Image,
) -> Result<(Ran, String), Vec<Diagnostic>> {
    let ((ran, text), report) =
        in_hardware(loaded, program, arguments, packets, image, drive_recorded)?;
    Ok((with_report(ran, report), text))
}

fn with_report(ran: Ran, report: Report) -> Ran {
    Ran {
        report: Some(report),
        ..ran
    }
}

/// What drives a design: the design, its interface, the first contents of its maps, and the packets.
type Drive<T> =
    fn(&mut dyn Dut, &Interface, &Image, &[Packet], &RunOptions) -> Result<T, Diagnostic>;

fn in_hardware<T>(
    loaded: &Loaded,
    program: &ProgramArguments,
    arguments: &RunArguments,
    packets: &[Packet],
    image: &Image,
    drive: Drive<T>,
) -> Result<(T, Report), Vec<Diagnostic>> {
    // Says what is wrong with the contents.
    Maps::new(&loaded.program.maps).load(image)?;
    let pace = arguments.pace.parse().map_err(one)?;
    let compiled = loaded.compile(program)?;
    let mut dut = start(arguments.engine, &compiled.design).map_err(one)?;
    let progress = Progress::new("packets", packets.len());
    let options = RunOptions {
        pace,
        backpressure: arguments.backpressure,
        clock_mhz: compiled.report.clock_mhz,
        progress: Some(&|done| progress.set(done)),
        ..RunOptions::default()
    };
    let image = with_first_contents(&loaded.program, image);
    let driven = drive(dut.as_mut(), &compiled.interface, &image, packets, &options);
    Ok((driven.map_err(one)?, compiled.report))
}

/// A run in the native engine, as the text that a test bench plays.
pub fn record(
    program: &Program,
    compiled: &Compiled,
    image: &Image,
    packets: &[Packet],
) -> Result<String, Diagnostic> {
    let image = with_first_contents(program, image);
    let mut maps = Maps::new(&program.maps);
    maps.load(&image).map_err(|mut errors| errors.remove(0))?;
    // Which entries are worth a look afterwards, the interpreter says sooner than a dump of all slots.
    let after = interpret(program, maps, packets).maps;
    let mut dut = Native::new(&compiled.design)?;
    let mut recorder = Recorder::new(&mut dut, &compiled.interface)?;
    let options = RunOptions::default();
    send(
        &mut recorder,
        &compiled.interface,
        &image,
        packets,
        &options,
    )?;
    look_up(&mut recorder, &compiled.interface, &after)?;
    Ok(recorder.text())
}

/// A design in an engine that simulates hardware.
pub fn start(engine: EngineName, design: &Design) -> Result<Box<dyn Dut>, Diagnostic> {
    match engine {
        EngineName::Verilator => {
            // Most runs are shorter than a C++ compiler that optimizes.
            let options = VerilatorOptions {
                cxx_optimization: 1,
                ..VerilatorOptions::default()
            };
            Ok(Box::new(Verilator::new(design, &options)?))
        }
        EngineName::Native | EngineName::Interpreter => Ok(Box::new(Native::new(design)?)),
    }
}

/// Everything through the design's own ports: maps in, packets through, maps out.
fn drive(
    dut: &mut dyn Dut,
    interface: &Interface,
    image: &Image,
    packets: &[Packet],
    options: &RunOptions,
) -> Result<Ran, Diagnostic> {
    let result = send(dut, interface, image, packets, options)?;
    Ok(Ran {
        outcomes: result.outcomes,
        maps: Host::new(dut, interface)?.dump_image(dut)?,
        statistics: result.statistics,
        report: None,
    })
}

/// Entries of each map that are looked up at the end of a recorded run.
const LOOKUPS: usize = 32;

/// The same, recorded. A dump of all maps would take longer than the packets: what is recorded in its place are
/// lookups of the first entries that are not zero.
fn drive_recorded(
    dut: &mut dyn Dut,
    interface: &Interface,
    image: &Image,
    packets: &[Packet],
    options: &RunOptions,
) -> Result<(Ran, String), Diagnostic> {
    let mut recorder = Recorder::new(dut, interface)?;
    let result = send(&mut recorder, interface, image, packets, options)?;
    recorder.pause(true);
    let maps = Host::new(&mut recorder, interface)?.dump_image(&mut recorder)?;
    recorder.pause(false);
    look_up(&mut recorder, interface, &maps)?;
    let ran = Ran {
        outcomes: result.outcomes,
        maps,
        statistics: result.statistics,
        report: None,
    };
    Ok((ran, recorder.text()))
}

/// Maps in, packets through.
fn send(
    dut: &mut dyn Dut,
    interface: &Interface,
    image: &Image,
    packets: &[Packet],
    options: &RunOptions,
) -> Result<RunResult, Diagnostic> {
    host::reset(dut, interface)?;
    let mut host = Host::new(dut, interface)?;
    host.identify(dut)?;
    if let (true, Some(first)) = (interface.has_port_table, packets.first()) {
        host.set_port(dut, PORT, first.context.ingress_ifindex, 0)?;
    }
    host.load_image(dut, image)?;
    drop(host);
    let packets_in: Vec<PacketIn> = packets.iter().map(packet_in).collect();
    run::run(dut, interface, &packets_in, options)
}

fn look_up(dut: &mut dyn Dut, interface: &Interface, maps: &Image) -> Result<(), Diagnostic> {
    let mut host = Host::new(dut, interface)?;
    for (map, port) in interface.maps.iter().enumerate() {
        let entries = maps.get(&port.name).into_iter().flatten();
        let used = entries.filter(|(_, value)| value.iter().any(|byte| *byte != 0));
        for (key, _) in used.take(LOOKUPS) {
            let key = key.clone();
            host.perform(dut, HostOperation::Lookup { map, key })?;
        }
    }
    Ok(())
}

fn packet_in(packet: &Packet) -> PacketIn {
    PacketIn {
        data: packet.data.clone(),
        port: PORT,
        queue: packet.context.rx_queue_index as u16,
        time_ns: packet.context.time_ns,
        random: packet.context.random,
        egress_ifindex: packet.context.egress_ifindex,
        bad: false,
    }
}

/// The hardware's maps are zeros after reset; what an object's `.data` holds is written by the host, as a loader does.
fn with_first_contents(program: &Program, image: &Image) -> Image {
    let mut all = image.clone();
    for decl in program.maps.values() {
        if let Some(initial) = &decl.initial {
            let entries: &mut Entries = all.entry(decl.name.clone()).or_default();
            entries
                .entry(vec![0; decl.key_bytes as usize])
                .or_insert_with(|| initial.clone());
        }
    }
    all
}

fn interpret(program: &Program, mut maps: Maps, packets: &[Packet]) -> Ran {
    let mut prepared = Prepared::new(program);
    let progress = Progress::new("packets", packets.len());
    let mut statistics = Statistics {
        packets: packets.iter().filter(|packet| enters(packet)).count() as u64,
        ..Statistics::default()
    };
    for known in verdict::ABORTED..=verdict::REDIRECT {
        statistics.verdicts.insert(verdict::name(known).into(), 0);
    }
    let mut outcomes = Vec::with_capacity(packets.len());
    for (index, packet) in packets.iter().enumerate() {
        if index.is_multiple_of(1024) {
            progress.set(index);
        }
        if !enters(packet) {
            statistics.not_taken_in += 1;
            outcomes.push(None);
            continue;
        }
        let outcome = interpret_one(&mut prepared, &mut maps, &packet.data, &packet.context);
        *statistics
            .verdicts
            .entry(verdict::name(outcome.verdict).into())
            .or_default() += 1;
        outcomes.push(Some(outcome));
    }
    Ran {
        outcomes,
        maps: maps.image(),
        statistics,
        report: None,
    }
}

fn interpret_one(
    prepared: &mut Prepared,
    maps: &mut Maps,
    packet: &[u8],
    context: &PacketContext,
) -> PacketOut {
    let outcome = prepared.run(maps, packet, context);
    let nowhere = outcome.broadcast.as_ref().is_some_and(Vec::is_empty);
    let sent_on = !nowhere && verdict::leaves(outcome.verdict);
    PacketOut {
        verdict: if outcome.verdict > verdict::REDIRECT {
            verdict::ABORTED
        } else {
            outcome.verdict
        },
        destination: outcome.destination,
        broadcast: outcome.broadcast,
        metadata: match sent_on {
            true => outcome.metadata,
            false => Vec::new(),
        },
        data: sent_on.then_some(outcome.packet),
    }
}

/// The lengths that the hardware takes in.
pub fn enters(packet: &Packet) -> bool {
    (MIN_PACKET_BYTES as usize..=MAX_PACKET_BYTES as usize).contains(&packet.data.len())
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
