//! A core in the native simulator, and what packets take in it.

use super::setting::Ready;
use super::wrong;
use hardpath_core::hardware::processor::{processor, Built, Processor};
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{Core, MOST_ROWS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::{Prepared, MOST_STEPS};
use hardpath_ir::maps::{self, Entries, Maps};
use hardpath_ir::Program;
use hardpath_packet::{outcome, outcomes, Fate, Output, Packet, Ports};
use hardpath_registers::{Event, Events, Stall};
use hardpath_rtl::Design;
use hardpath_session::Session;
use hardpath_testbed::host::Host;
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{self, RunOptions};
use hardpath_testbed::statistics::Statistics;

/// The clock that the core is built for.
pub const CLOCK_MHZ: f64 = 250.0;
/// Packets come in at these interfaces: port 0 is that inside, port 1 that outside.
pub const INSIDE: u32 = 1;
pub const OUTSIDE: u32 = 2;

/// A core for all programs that are measured in it.
pub struct Bench {
    pub config: Processor,
    built: Built,
    native: Native,
}

/// Packets, and what the maps hold when they come.
pub struct Work {
    pub packets: Vec<Packet>,
    pub contents: maps::Image,
    pub pace: Pace,
}

/// What packets took.
pub struct Measured {
    pub statistics: Statistics,
    /// Clocks by what became of them, while packets came.
    pub events: Events,
    pub fates: Vec<Fate>,
    /// What the maps hold behind the last packet.
    pub maps: maps::Image,
}

impl Measured {
    /// Clocks for a packet: all from the first beat in to the last packet that leaves or ends, shared among the packets.
    pub fn clocks(&self) -> f64 {
        self.statistics.clocks as f64 / self.fates.len() as f64
    }

    /// How often an event happens for a packet.
    pub fn of(&self, event: Event) -> f64 {
        self.events.of(event) as f64 / self.fates.len() as f64
    }

    /// The reasons why no row begins, the most frequent first, in clocks for a packet.
    pub fn stalls(&self) -> String {
        let mut stalls = Stall::ALL.map(|stall| (self.of(Event::Stall(stall)), stall));
        stalls.sort_by(|one, other| other.0.total_cmp(&one.0));
        let told = stalls.iter().filter(|(clocks, _)| *clocks >= 0.05);
        let told: Vec<String> = told
            .map(|(clocks, stall)| format!("{} {clocks:.1}", stall.name()))
            .collect();
        told.join(", ")
    }
}

impl Bench {
    /// A core with slots for these programs.
    ///
    /// # Errors
    /// The simulator fails.
    pub fn new(images: &[&Image], threads: u8) -> Result<Bench, Vec<Diagnostic>> {
        let machine = Machine::with_lanes(4);
        let mut config = Processor::new("core", &machine, threads);
        config.outputs.clone_from(&images[0].outputs);
        let mut images = images.to_vec();
        images.sort_by_key(|image| {
            let maps = image.maps.values();
            let bytes = maps.map(|map| (map.key_bytes + map.value_bytes) * map.max_entries);
            std::cmp::Reverse(bytes.sum::<u32>())
        });
        images.iter().for_each(|image| config.widen(image));
        let built = processor(&config);
        let native = Native::new(&built.design).map_err(|error| vec![error])?;
        Ok(Bench {
            config,
            built,
            native,
        })
    }

    pub fn design(&self) -> &Design {
        &self.built.design
    }

    /// Runs packets through a program that has just been loaded, and compares their fates and the maps with the interpreter's.
    ///
    /// # Errors
    /// The core breaks a rule; it does something else than the interpreter.
    pub fn run(&mut self, ready: &Ready, work: &Work) -> Result<Measured, Vec<Diagnostic>> {
        let (program, image) = (&ready.subject.program, &ready.image);
        let one = |error: Diagnostic| vec![error];
        self.built.starts_with(&self.config, image)?;
        let interface = &self.built.interface;
        let contents = with_first_contents(program, &work.contents);
        let options = RunOptions {
            pace: work.pace,
            clock_mhz: CLOCK_MHZ,
            ..RunOptions::default()
        };
        let dut = &mut self.native;
        Session::begin(dut, interface, &ports(), &contents, |_| {}).map_err(one)?;
        let mut host = Host::new(dut, interface).map_err(one)?;
        let before = host.events(dut).map_err(one)?;
        let ran = run::run(dut, interface, &work.packets, &options).map_err(one)?;
        let after = host.events(dut).map_err(one)?;
        let fates: Option<Vec<Fate>> = ran.outcomes.into_iter().collect();
        let fates = fates.ok_or_else(|| wrong("a packet did not enter".into()))?;
        let maps = hardpath_session::maps(dut, interface, 0).map_err(one)?;
        let events = after.since(&before);
        let (expected, expected_maps) = interpreted(program, work)?;
        if expected != fates || !same(&expected_maps, &maps) {
            return Err(wrong(format!(
                "{}: the core differs from the interpreter",
                program.name
            )));
        }
        Ok(Measured {
            statistics: ran.statistics,
            events,
            fates,
            maps,
        })
    }
}

/// What the interpreter of the program says: fates, and maps behind them.
///
/// # Errors
/// Contents that the maps do not take; a program without end.
pub fn interpreted(
    program: &Program,
    work: &Work,
) -> Result<(Vec<Fate>, maps::Image), Vec<Diagnostic>> {
    let mut maps = Maps::new(&program.maps);
    maps.load(&with_first_contents(program, &work.contents))?;
    let mut prepared = Prepared::new(program);
    let ports = ports();
    let fates = work.packets.iter().map(|packet| {
        let sideband = ports.sideband(packet);
        prepared
            .run_within(MOST_STEPS, &mut maps, &packet.data, &sideband)
            .map_err(|error| wrong(error.to_string()))
    });
    let fates = fates.collect::<Result<_, _>>()?;
    Ok((fates, maps.image()))
}

/// Rows of each packet.
///
/// # Errors
/// As [`interpreted`].
pub fn rows_of(image: &Image, program: &Program, work: &Work) -> Result<Vec<u64>, Vec<Diagnostic>> {
    let mut maps = Maps::new(&image.maps);
    maps.load(&with_first_contents(program, &work.contents))?;
    let mut core = Core::new(image);
    let ports = ports();
    let rows = work.packets.iter().map(|packet| {
        let ran = core.run(MOST_ROWS, &mut maps, &packet.data, &ports.sideband(packet));
        let ran = ran.map_err(|error| wrong(error.to_string()))?;
        Ok(ran.rows)
    });
    rows.collect()
}

fn ports() -> Ports {
    Ports::of_interfaces([INSIDE, OUTSIDE])
}

/// What a packet is counted as: `drop`, `tx`.
pub fn counted_as(outputs: &[Output], fate: &Fate) -> String {
    let place = outcome(outputs, &fate.outputs, !fate.copies.is_empty());
    outcomes(outputs)[place].clone()
}

/// The hardware's maps are zeros after reset; what an object's `.data` holds is written by the host, as a loader does.
fn with_first_contents(program: &Program, contents: &maps::Image) -> maps::Image {
    let mut all = contents.clone();
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

/// The same entries; a map that is not there has none.
fn same(one: &maps::Image, other: &maps::Image) -> bool {
    let names = one.keys().chain(other.keys());
    let entries = |image: &maps::Image, name: &String| image.get(name).cloned().unwrap_or_default();
    let mut names = names.map(|name| entries(one, name) == entries(other, name));
    names.all(|is_same| is_same)
}
