//! Runs packets through a program in any engine, with the same result type.

use crate::arguments::{EngineName, ProgramArguments, RunArguments};
use crate::load::Loaded;
use crate::packets::Packet;
use crate::progress::Progress;
use hardpath_blocks::interface::Interface;
use hardpath_ir::interpreter::{PacketContext, Prepared};
use hardpath_ir::maps::{Entries, Image, Maps};
use hardpath_ir::{verdict, Diagnostic, Program, MAX_PACKET_BYTES};
use hardpath_rtl::Design;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{self, PacketIn, PacketOut, RunOptions};
use hardpath_testbed::statistics::Statistics;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};

/// What a run gave.
pub struct Ran {
    /// For each packet; `None`: it did not enter the program.
    pub outcomes: Vec<Option<PacketOut>>,
    /// Contents of the maps after the last packet.
    pub maps: Image,
    /// Of the interpreter, which has no clock: only `packets`, `verdicts` and `dropped`.
    pub statistics: Statistics,
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
    let mut maps = Maps::new(&loaded.program.maps);
    maps.load(image)?;
    if arguments.engine == EngineName::Interpreter {
        return Ok(interpret(&loaded.program, maps, packets));
    }
    let pace = arguments.pace.parse().map_err(one)?;
    let compiled = loaded.compile(program)?;
    let mut dut = start(arguments.engine, &compiled.design).map_err(one)?;
    let progress = Progress::new("packets", packets.len());
    let options = RunOptions {
        pace,
        backpressure: arguments.backpressure,
        clock_mhz: program.clock,
        progress: Some(&|done| progress.set(done)),
        ..RunOptions::default()
    };
    let image = with_first_contents(&loaded.program, image);
    drive(dut.as_mut(), &compiled.interface, &image, packets, &options).map_err(one)
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
    host::reset(dut, interface)?;
    let mut host = Host::new(dut, interface)?;
    host.identify(dut)?;
    if let (true, Some(first)) = (interface.has_port_table, packets.first()) {
        host.set_port(dut, PORT, first.context.ingress_ifindex, 0)?;
    }
    host.load_image(dut, image)?;
    drop(host);
    let packets_in: Vec<PacketIn> = packets.iter().map(packet_in).collect();
    let result = run::run(dut, interface, &packets_in, options)?;
    Ok(Ran {
        outcomes: result.outcomes,
        maps: Host::new(dut, interface)?.dump_image(dut)?,
        statistics: result.statistics,
    })
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
        packets: packets.len() as u64,
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
            statistics.dropped += 1;
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
    let sent_on = !nowhere
        && matches!(
            outcome.verdict,
            verdict::PASS | verdict::TX | verdict::REDIRECT
        );
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

/// The lengths that the hardware takes in: an Ethernet header to the longest frame.
pub fn enters(packet: &Packet) -> bool {
    (14..=MAX_PACKET_BYTES as usize).contains(&packet.data.len())
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
