//! How designs are built and driven.

use crate::engines::Engines;
use crate::packets::ports;
use crate::random::Random;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, KeyMove};
use hardpath_ir::May;
use hardpath_packet::{outcome, Fate, Output, Packet};
use hardpath_pipeline::technology::{self, TECHNOLOGIES};
use hardpath_pipeline::{Compiled, Options};
use hardpath_rtl::Design;
use hardpath_session::{interrupt, maps, mixed, Mixed, Session};
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{Counters, HostOperation};
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{HostEvent, RunOptions};

/// How the hardware is built and driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// One of `hardpath_blocks::interface::BUS_BITS`.
    pub bus_bits: u32,
    /// The clock that the compiler is asked for.
    pub clock_mhz: u32,
    /// The family of FPGAs that it is for, as [`hardpath_pipeline::technology::Technology::name`] calls it.
    pub family: &'static str,
    /// Headers of variable length are followed so many bytes (one of [`DEPTHS`]) and no further.
    pub depth: Option<u32>,
    /// Seed of random gaps between and inside packets.
    pub gaps: Option<u64>,
    /// Seed of outputs that are not ready.
    pub backpressure: Option<u64>,
    /// Packets run for so many clocks, and a reset ends that, before the run begins.
    pub reset: Option<u32>,
    /// Seed of what the host does to the maps in the middle of traffic, in a run of its own.
    pub host: Option<u64>,
    /// A core is built for the program alone. Else it is one that takes many ([`cores`](crate::cores)).
    pub own_core: bool,
}

/// The clock when nothing else is said.
pub const USUAL_CLOCK_MHZ: u32 = 250;
/// The family when nothing else is said.
pub const USUAL_FAMILY: &str = TECHNOLOGIES[0].name;
/// Of so many programs one asks for a core of its own.
const OWN_CORE_EVERY: u64 = 11;
/// Bytes that [`Hardware::depth`] can be.
pub const DEPTHS: [u32; 3] = [64, 128, 256];

impl Hardware {
    /// A random one; `number` goes through the widths of the streams.
    pub fn generate(number: u64, random: &mut Random) -> Hardware {
        let some_seed =
            |random: &mut Random, percent| random.percent(percent).then(|| random.bits64() >> 32);
        // Half of the designs have the widest bus.
        let bus_bits = [512, 64, 512, 128, 512, 256][(number % 6) as usize];
        let clock_mhz = match random.percent(50) {
            true => USUAL_CLOCK_MHZ,
            false => random.between(100, 400) as u32,
        };
        let (gaps, backpressure) = (some_seed(random, 25), some_seed(random, 25));
        let host = some_seed(random, 50);
        let technology = match random.percent(75) {
            true => TECHNOLOGIES[0],
            false => TECHNOLOGIES[random.below(TECHNOLOGIES.len())],
        };
        let usual = technology.usual_clock_mhz as usize;
        Hardware {
            bus_bits,
            clock_mhz: match technology.name == USUAL_FAMILY {
                true => clock_mhz,
                false => random.between(usual / 3, usual) as u32,
            },
            family: technology.name,
            depth: random.percent(12).then(|| random.one_of(DEPTHS)),
            gaps,
            backpressure,
            reset: random.percent(15).then(|| random.between(1, 400) as u32),
            host,
            own_core: number.is_multiple_of(OWN_CORE_EVERY),
        }
    }

    /// What the compiler is asked for; `journal`: LRU maps tell what they forget.
    pub fn compile_options(&self, journal: bool) -> Options {
        Options {
            bus_bits: self.bus_bits,
            clock_mhz: f64::from(self.clock_mhz),
            technology: technology::find(self.family).unwrap_or(TECHNOLOGIES[0]),
            journal,
            ..Options::default()
        }
    }

    /// How packets run through it, with these operations of the host in the middle of them.
    pub fn run_options<'a>(&self, events: &'a [HostEvent]) -> RunOptions<'a> {
        RunOptions {
            pace: self.gaps.map_or(Pace::BackToBack, Pace::Random),
            backpressure: self.backpressure,
            clock_mhz: f64::from(self.clock_mhz),
            host: events,
            ..RunOptions::default()
        }
    }
}

/// A run of packets through a design.
pub struct Driven {
    /// Of each packet; `None`: it did not enter.
    pub outcomes: Vec<Option<Fate>>,
    /// What each of them moved in LRU maps with journals.
    pub moves: Vec<Vec<KeyMove>>,
    /// What filling the maps moved there.
    pub filled: Vec<KeyMove>,
    /// What the maps hold at the end.
    pub maps: Image,
    /// What the design has counted.
    pub counters: Counters,
}

/// Hardware that was made of a subject.
#[derive(Clone, Copy)]
pub struct Made<'a> {
    /// All modules.
    pub design: &'a Design,
    /// What a driver must know.
    pub interface: &'a Interface,
    /// Those of this design.
    pub engines: &'a Engines,
}

impl<'a> Made<'a> {
    /// A pipeline.
    pub fn of(compiled: &'a Compiled, engines: &'a Engines) -> Made<'a> {
        Made {
            design: &compiled.design,
            interface: &compiled.interface,
            engines,
        }
    }
}

/// Everything through the design's own ports, in an engine that was started with the design: maps in, packets through, maps out.
///
/// # Errors
/// The design breaks a rule or hangs.
pub fn drive_in(
    dut: &mut dyn Dut,
    made: Made,
    hardware: &Hardware,
    image: &Image,
    packets: &[Packet],
) -> Result<Driven, Diagnostic> {
    let interface = made.interface;
    let ports = ports();
    if let Some(clocks) = hardware.reset {
        Session::begin(dut, interface, &ports, image, |_| {})?;
        interrupt(dut, interface, packets, clocks)?;
    }
    let (mut session, filled) = Session::begin(dut, interface, &ports, image, |_| {})?;
    let ran = session.run(packets, &hardware.run_options(&[]))?;
    Ok(Driven {
        outcomes: ran.outcomes,
        moves: ran.moves,
        filled,
        counters: session.counters()?,
        maps: session.maps(MOST_READ)?,
    })
}

/// What a design must have counted when these packets came to that.
pub fn counted(packets: &[Packet], fates: &[Option<Fate>], outputs: &[Output]) -> Counters {
    let mut counters = Counters::default();
    for (packet, fate) in packets.iter().zip(fates) {
        match fate {
            Some(fate) => {
                counters.packets_in += 1;
                let sent = !fate.copies.is_empty();
                counters.outcomes[outcome(outputs, &fate.outputs, sent)] += 1;
            }
            // What is bad may be of a wrong length as well.
            None if packet.bad => counters.dropped_bad += 1,
            None => counters.dropped_length += 1,
        }
    }
    counters
}

/// Most slots of maps that are read through the host's port, which tries it, where the engine can look for itself.
const MOST_READ: u32 = 2048;

/// Packets with operations of the host in the middle of them: the run, what filling the maps moved in LRU maps with journals, and
/// what the maps hold at the end.
///
/// # Errors
/// As for [`drive_in`]; the engine cannot be built.
pub fn drive_mixed(
    made: Made,
    hardware: &Hardware,
    image: &Image,
    packets: &[Packet],
    events: &[HostEvent],
) -> Result<(Mixed, Vec<KeyMove>, Image), Diagnostic> {
    let interface = made.interface;
    let mut native = made.engines.native(made.design)?;
    let (_, filled) = Session::begin(&mut native, interface, &ports(), image, |_| {})?;
    let mixed = mixed(
        &mut native,
        interface,
        packets,
        &hardware.run_options(events),
    )?;
    let maps = maps(&mut native, interface, MOST_READ)?;
    Ok((mixed, filled, maps))
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
    let mut places: Vec<usize> = (0..random.between(4, 24))
        .map(|_| random.below(packets))
        .collect();
    places.sort_unstable();
    let events = places.into_iter().map(|after_packets| HostEvent {
        after_packets,
        operation: operation(interface, known, &mut random),
    });
    events.collect()
}

/// Maps of redirect targets, as [`hardpath_kernel::MapType::name`] calls them.
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
            may: random.one_of([May::PUT, May::PUT, May::PUT, May::CREATE, May::REPLACE]),
        },
        _ => HostOperation::Delete { map, key },
    }
}
