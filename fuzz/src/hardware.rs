//! How designs are built and driven.

use crate::packets::ports;
use crate::random::Random;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_packet::{Fate, Packet};
use hardpath_pipeline::Compiled;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host, HostAnswer, HostOperation};
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{self, HostEvent, RunOptions};
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use hardpath_testbed::watch::{Entered, Watched};

/// How the hardware is built and driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// One of `hardpath_blocks::interface::BUS_BITS`.
    pub bus_bits: u32,
    pub clock_mhz: u32,
    /// Seed of random gaps between and inside packets.
    pub gaps: Option<u64>,
    /// Seed of outputs that are not ready.
    pub backpressure: Option<u64>,
    /// Seed of what the host does to the maps in the middle of traffic, in a run of its own.
    pub host: Option<u64>,
}

/// The clock when nothing else is said.
pub const USUAL_CLOCK_MHZ: u32 = 250;

impl Hardware {
    /// A random one; `number` goes through the widths of the streams.
    pub fn generate(number: u64, random: &mut Random) -> Hardware {
        let some_seed =
            |random: &mut Random, percent| random.percent(percent).then(|| random.bits64() >> 32);
        Hardware {
            // Half of the designs have the widest one.
            bus_bits: [512, 64, 512, 128, 512, 256][(number % 6) as usize],
            clock_mhz: match random.percent(50) {
                true => USUAL_CLOCK_MHZ,
                false => random.between(100, 400) as u32,
            },
            gaps: some_seed(random, 25),
            backpressure: some_seed(random, 25),
            host: some_seed(random, 30),
        }
    }

    fn run_options<'a>(&self, events: &'a [HostEvent]) -> RunOptions<'a> {
        RunOptions {
            pace: self.gaps.map_or(Pace::BackToBack, Pace::Random),
            backpressure: self.backpressure,
            clock_mhz: f64::from(self.clock_mhz),
            host: events,
            ..RunOptions::default()
        }
    }
}

/// The simulator that a design runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    Native,
    Verilator,
}

/// What came of all packets, and what the maps hold then.
pub type Driven = (Vec<Option<Fate>>, Image);

/// Everything through the design's own ports: maps in, packets through, maps out.
///
/// # Errors
/// The design breaks a rule or hangs; the engine cannot be built.
pub fn drive(
    compiled: &Compiled,
    hardware: &Hardware,
    image: &Image,
    packets: &[Packet],
    engine: Engine,
) -> Result<Driven, Diagnostic> {
    let mut dut: Box<dyn Dut> = match engine {
        Engine::Native => Box::new(Native::new(&compiled.design)?),
        Engine::Verilator => {
            let options = VerilatorOptions {
                cxx_optimization: 0,
                ..VerilatorOptions::default()
            };
            Box::new(Verilator::new(&compiled.design, &options)?)
        }
    };
    let interface = &compiled.interface;
    prepare(dut.as_mut(), interface, image)?;
    let options = hardware.run_options(&[]);
    let result = run::run(dut.as_mut(), interface, packets, &options)?;
    let maps = Host::new(dut.as_mut(), interface)?.dump_image(dut.as_mut())?;
    Ok((result.outcomes, maps))
}

/// Packets and the host's operations, in the order in which they entered the pipeline.
pub struct Mixed {
    pub order: Vec<Entered>,
    pub outcomes: Vec<Option<Fate>>,
    pub answers: Vec<HostAnswer>,
    pub maps: Image,
}

/// Packets with operations of the host in the middle of them.
///
/// # Errors
/// As for [`drive`].
pub fn drive_mixed(
    compiled: &Compiled,
    hardware: &Hardware,
    image: &Image,
    packets: &[Packet],
    events: &[HostEvent],
) -> Result<Mixed, Diagnostic> {
    let interface = &compiled.interface;
    let mut native = Native::new(&compiled.design)?;
    prepare(&mut native, interface, image)?;
    let mut watched = Watched::new(&mut native, interface)?;
    let options = hardware.run_options(events);
    let result = run::run(&mut watched, interface, packets, &options)?;
    let order = watched.order;
    let maps = Host::new(&mut native, interface)?.dump_image(&mut native)?;
    Ok(Mixed {
        order,
        outcomes: result.outcomes,
        answers: result.host_answers,
        maps,
    })
}

fn prepare(dut: &mut dyn Dut, interface: &Interface, image: &Image) -> Result<(), Diagnostic> {
    host::reset(dut, interface)?;
    let mut host = Host::new(dut, interface)?;
    host.identify(dut)?;
    if interface.has_port_table {
        for (number, port) in (0..).zip(ports().0) {
            host.set_port(dut, number, port.interface, port.first_queue)?;
        }
    }
    host.load_image(dut, image)
}

/// What the host does to maps while packets run: mostly to keys that are `known` to be used.
pub fn host_events(
    interface: &Interface,
    known: &Image,
    packets: usize,
    seed: u64,
) -> Vec<HostEvent> {
    if interface.maps.is_empty() {
        return Vec::new();
    }
    let mut random = Random::new(seed, 2);
    let mut places: Vec<usize> = (0..random.between(1, 12))
        .map(|_| random.below(packets))
        .collect();
    places.sort_unstable();
    let events = places.into_iter().map(|after_packets| HostEvent {
        after_packets,
        operation: operation(interface, known, &mut random),
    });
    events.collect()
}

/// Maps of redirect targets, as [`hardpath_ir::MapKind::name`] calls them.
const TARGETS: [&str; 4] = ["devmap", "devmap_hash", "cpumap", "xskmap"];

fn operation(interface: &Interface, known: &Image, random: &mut Random) -> HostOperation {
    let map = random.below(interface.maps.len());
    let port = &interface.maps[map];
    let keys: Vec<&Vec<u8>> = (known.get(&port.name).into_iter())
        .flat_map(|entries| entries.keys())
        .collect();
    let key = match random.pick(&keys) {
        Some(key) if random.percent(80) => key.clone(),
        _ => {
            let mut key = vec![0; port.key_bytes as usize];
            if let Some(first) = key.first_mut() {
                *first = random.below(16) as u8;
            }
            if port.stored.has_foreign() && random.percent(50) {
                let bit = random.below(key.len() * 8);
                key[bit / 8] ^= 1 << (bit % 8);
            }
            key
        }
    };
    let mask = random.one_of([0xff, 0x0f, 0x00]);
    let value = (0..port.value_bytes)
        .map(|_| random.byte() & mask)
        .collect();
    // What a map of redirect targets takes depends on the machine that judges.
    let is_target = TARGETS.contains(&port.kind.as_str());
    match random.weighted(&[30, 50, 20]) {
        0 | 1 if is_target => HostOperation::Lookup { map, key },
        0 => HostOperation::Lookup { map, key },
        1 => HostOperation::Update {
            map,
            key,
            value,
            flags: random.one_of([0, 0, 0, 1, 2]),
        },
        _ => HostOperation::Delete { map, key },
    }
}
