//! Runs packets through a program in any engine, with the same result types.

use crate::arguments::{EngineName, RunArguments};
use crate::files::NewFile;
use crate::packets::RunPacket;
use crate::progress::Progress;
use crate::source::Loaded;
use crate::target::{self, Asked, Hardware};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::{Prepared, MOST_STEPS};
use hardpath_ir::maps::{Entries, Image, Maps};
use hardpath_ir::Program;
use hardpath_oracle::LruMap;
use hardpath_packet::{outcome as counted_as, outcomes, Fate, Ports};
use hardpath_rtl::Design;
use hardpath_session::journals::{self, Slots};
use hardpath_session::{maps, RowCounts, Rows, Session};
use hardpath_testbed::bench::Recorder;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{Events, Host, HostOperation};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{Event, LoadEvent, RunOptions};
use hardpath_testbed::statistics::Statistics;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use std::path::Path;

/// What runs, and how.
pub struct Setting<'a> {
    pub loaded: &'a Loaded,
    pub asked: &'a Asked,
    pub run: &'a RunArguments,
    /// What the command line names, or what is usual.
    pub engine: EngineName,
    /// What the maps hold at first.
    pub image: &'a Image,
    /// Where to write the run for a test bench ([`hardpath_testbed::bench`]).
    pub bench: Option<&'a Path>,
    /// Programs that are loaded during the run.
    pub loads: &'a [LoadEvent],
    /// Somebody wants to know which keys LRU maps forget: it is told first what these maps are.
    pub journal: Option<&'a dyn Fn(Vec<LruMap>)>,
}

/// A run that is over.
pub struct Ran {
    /// Of interpreters, which have no clock: only `packets`, `verdicts` and `not_taken_in`.
    pub statistics: Statistics,
    /// What a core counted from the first packet on; `None`: no core ran, or the run was written for a test bench.
    pub events: Option<Events>,
    engine: Engine,
}

/// Who has the maps.
enum Engine {
    Interpreter(Maps),
    Rows {
        maps: Maps,
        counts: RowCounts,
    },
    Hardware {
        dut: Box<dyn Dut>,
        hardware: Box<Hardware>,
    },
}

impl Ran {
    /// Contents of the maps after the last packet.
    pub fn maps(&mut self) -> Result<Image, Diagnostic> {
        match &mut self.engine {
            Engine::Interpreter(maps) | Engine::Rows { maps, .. } => Ok(maps.image()),
            Engine::Hardware { dut, hardware } => maps(dut.as_mut(), &hardware.interface, 0),
        }
    }

    /// What ran. `None`: an interpreter.
    pub fn hardware(&self) -> Option<&Hardware> {
        match &self.engine {
            Engine::Interpreter(_) | Engine::Rows { .. } => None,
            Engine::Hardware { hardware, .. } => Some(hardware),
        }
    }

    /// What the packets took, where rows ran.
    pub fn rows(&self) -> Option<RowCounts> {
        match &self.engine {
            Engine::Rows { counts, .. } => Some(*counts),
            Engine::Interpreter(_) | Engine::Hardware { .. } => None,
        }
    }

    /// Every clock that the hardware was simulated for: reset, writing maps, packets, and reading maps.
    pub fn simulated_clocks(&self) -> Option<u64> {
        match &self.engine {
            Engine::Interpreter(_) | Engine::Rows { .. } => None,
            Engine::Hardware { dut, .. } => Some(dut.clocks()),
        }
    }
}

/// Runs the packets in the engine of the setting, and tells `consumer`, in order, what becomes of each.
pub fn run(
    setting: &Setting,
    packets: impl Iterator<Item = Result<RunPacket, Diagnostic>>,
    consumer: impl FnMut(Event<RunPacket>) -> Result<(), Diagnostic>,
) -> Result<Ran, Vec<Diagnostic>> {
    let program = &setting.loaded.program;
    // Says what is wrong with the contents.
    let mut maps = Maps::new(&program.maps);
    maps.load(setting.image)?;
    match setting.engine {
        EngineName::Interpreter => {
            let mut prepared = Prepared::new(program);
            let runner = |maps: &mut Maps, packet: &RunPacket| {
                interpret_to_the_end(&mut prepared, maps, packet)
            };
            let statistics = one_by_one(setting, &mut maps, packets, runner, consumer)?;
            Ok(Ran {
                statistics,
                events: None,
                engine: Engine::Interpreter(maps),
            })
        }
        EngineName::Rows => {
            let compiled = target::core::rows(setting.loaded, setting.asked)?;
            let mut rows = Rows::new(&compiled.image);
            let runner = |maps: &mut Maps, packet: &RunPacket| {
                let ran = rows.run(maps, packet.data(), &packet.sideband);
                ran.map_err(|error| error.at(format!("packet {}", packet.number)))
            };
            let statistics = one_by_one(setting, &mut maps, packets, runner, consumer)?;
            let counts = rows.counts();
            Ok(Ran {
                statistics,
                events: None,
                engine: Engine::Rows { maps, counts },
            })
        }
        EngineName::Native | EngineName::Verilator => simulate(setting, packets, consumer),
    }
}

/// Runs the packets through hardware.
fn simulate(
    setting: &Setting,
    packets: impl Iterator<Item = Result<RunPacket, Diagnostic>>,
    consumer: impl FnMut(Event<RunPacket>) -> Result<(), Diagnostic>,
) -> Result<Ran, Vec<Diagnostic>> {
    let program = &setting.loaded.program;
    let pace = setting.run.pace.parse().map_err(one)?;
    let asked = Asked {
        journal: setting.journal.is_some(),
        ..setting.asked.clone()
    };
    let mut hardware = target::compile(setting.loaded, &asked)?;
    if let Some(journal) = setting.journal {
        journal(journals::of_design(&hardware.interface));
    }
    let options = RunOptions {
        pace,
        backpressure: setting.run.backpressure,
        clock_mhz: hardware.clock_mhz,
        loads: setting.loads,
        ..RunOptions::default()
    };
    let image = with_first_contents(program, setting.image);
    let mut dut = start(setting.engine, &hardware.design).map_err(one)?;
    let interface = &hardware.interface;
    let counts = asked.kind.processor.is_some() && setting.bench.is_none();
    let sent = match setting.bench {
        None => send(
            dut.as_mut(),
            (interface, counts),
            &image,
            packets,
            &options,
            consumer,
        ),
        Some(path) => {
            let recorded = NewFile::create(path).and_then(|file| {
                let mut recorder = Recorder::new(dut.as_mut(), interface, file)?;
                let sent = send(
                    &mut recorder,
                    (interface, counts),
                    &image,
                    packets,
                    &options,
                    consumer,
                )?;
                look_up_some(&mut recorder, interface)?;
                Ok((sent, recorder.finish()?))
            });
            recorded.and_then(|(sent, file)| file.put_in_place().map(|()| sent))
        }
    };
    let (statistics, events) = sent.map_err(one)?;
    if let Some(last) = setting.loads.last() {
        hardware.interface = last.interface.clone();
    }
    Ok(Ran {
        statistics,
        events,
        engine: Engine::Hardware {
            dut,
            hardware: Box::new(hardware),
        },
    })
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
        EngineName::Native | EngineName::Interpreter | EngineName::Rows => {
            Ok(Box::new(Native::new(design)?))
        }
    }
}

/// Through the design's own ports: maps in, packets through. `counts`: of a core, what it counts meanwhile.
fn send(
    dut: &mut dyn Dut,
    (interface, counts): (&Interface, bool),
    image: &Image,
    packets: impl Iterator<Item = Result<RunPacket, Diagnostic>>,
    options: &RunOptions,
    mut consumer: impl FnMut(Event<RunPacket>) -> Result<(), Diagnostic>,
) -> Result<(Statistics, Option<Events>), Diagnostic> {
    let mut packets = packets.peekable();
    let ports = match packets.peek() {
        // All packets come in at the first port.
        Some(Ok(first)) => Ports::of_interfaces([first.sideband.ingress]),
        _ => Ports::default(),
    };
    let entries = image.values().map(Entries::len).sum();
    let progress = Progress::new("map entries", entries);
    let begun = Session::begin(dut, interface, &ports, image, |written| {
        progress.set(written)
    });
    drop(progress);
    let (mut session, filled) = begun?;
    consumer(Event::HostMoved(filled))?;
    let before = counts.then(|| session.events()).transpose()?;
    let totals = session.stream(packets, options, consumer)?;
    let after = counts.then(|| session.events()).transpose()?;
    let events = before.zip(after);
    let events = events.map(|(before, after)| after.since(&before));
    Ok((totals.statistics, events))
}

/// Entries of each map that are looked up at the end of a recorded run.
const LOOKUPS: usize = 32;

/// A dump of all maps would take a test bench longer than the packets: what is recorded in its place are lookups of the
/// first entries that are not zero.
fn look_up_some<W: std::io::Write>(
    recorder: &mut Recorder<W>,
    interface: &Interface,
) -> Result<(), Diagnostic> {
    recorder.pause(true);
    let maps = maps(recorder, interface, 0)?;
    recorder.pause(false);
    look_up(recorder, interface, &maps)
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

/// The hardware's maps are zeros after reset; what an object's `.data` holds is written by the host, as a loader does.
pub fn with_first_contents(program: &Program, image: &Image) -> Image {
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

/// Runs the packets one behind the other, without a clock. LRU maps forget as those of the interpreter do.
fn one_by_one(
    setting: &Setting,
    maps: &mut Maps,
    packets: impl Iterator<Item = Result<RunPacket, Diagnostic>>,
    mut run: impl FnMut(&mut Maps, &RunPacket) -> Result<Fate, Diagnostic>,
    mut consumer: impl FnMut(Event<RunPacket>) -> Result<(), Diagnostic>,
) -> Result<Statistics, Vec<Diagnostic>> {
    let program = &setting.loaded.program;
    let mut slots = setting.journal.map(|journal| {
        let lru = journals::of_interpreter(program);
        let slots = Slots::new(&lru, maps);
        journal(lru);
        slots
    });
    let mut statistics = Statistics::default();
    if let Some(slots) = &mut slots {
        consumer(Event::HostMoved(slots.take_first())).map_err(one)?;
    }
    let names = outcomes(&program.outputs);
    statistics.verdicts = names.iter().map(|name| (name.clone(), 0)).collect();
    for packet in packets {
        let packet = packet.map_err(one)?;
        let outcome = match packet.enters() && !packet.is_bad() {
            true => Some(run(maps, &packet).map_err(one)?),
            false => None,
        };
        match &outcome {
            Some(outcome) => {
                statistics.packets += 1;
                let sent = !outcome.copies.is_empty();
                let name = names.get(counted_as(&program.outputs, &outcome.outputs, sent));
                let name = name.cloned().unwrap_or_else(|| "other".into());
                *statistics.verdicts.entry(name).or_default() += 1;
            }
            None => statistics.not_taken_in += 1,
        }
        let moves = match &mut slots {
            Some(slots) => slots.moves(maps.take_keys()),
            None => Vec::new(),
        };
        consumer(Event::Packet {
            packet,
            outcome,
            moves,
        })
        .map_err(one)?;
    }
    Ok(statistics)
}

/// The same for programs with loops, which need not end.
fn interpret_to_the_end(
    prepared: &mut Prepared,
    maps: &mut Maps,
    packet: &RunPacket,
) -> Result<Fate, Diagnostic> {
    let fate = prepared.run_within(MOST_STEPS, maps, packet.data(), &packet.sideband);
    fate.map_err(|error| {
        Diagnostic::input("run-without-end", error.to_string())
            .at(format!("packet {}", packet.number))
            .help("give the loop the bound that it has, or a way out of it")
    })
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
