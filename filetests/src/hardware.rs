//! Runs a program as hardware under hostile traffic and compares every packet, every answer to the host and all maps
//! with the interpreter, which does one thing after another.
//!
//! What the host does in the middle of traffic has a place in the order: the pipeline's slot that carries it. The
//! registers of the entrance say where that was.

use crate::case::read;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, KeyMove, Maps};
use hardpath_ir::{Answer, MapId, Program};
use hardpath_oracle::compare::compare_packet;
use hardpath_oracle::forgetting::{Forgetting, LruMap};
use hardpath_packet::{Packet, Port, Ports};
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, Compiled, Options};
use hardpath_rtl::check::check;
use hardpath_testbed::contents;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host, HostAnswer, HostOperation};
use hardpath_testbed::journal::Journals;
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::{Pace, Pacer};
use hardpath_testbed::run::{enters, run, HostEvent, RunOptions, RunResult};
use hardpath_testbed::stream::Source;
use hardpath_testbed::watch::{Entered, Watched};

/// A program in hardware.
pub struct Hardware {
    pub program: Program,
    pub compiled: Compiled,
    /// The longest that an operation of the host took in traffic, in clocks.
    pub longest_operation: u64,
    /// Keys that LRU maps forgot before the last reset.
    forgotten: u64,
    native: Native,
    forgetting: Forgetting,
}

/// How traffic comes and goes.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub pace: Pace,
    pub backpressure: Option<u64>,
}

/// All manners of traffic.
pub const MANNERS: [Manner; 3] = [
    Manner {
        pace: Pace::BackToBack,
        backpressure: None,
    },
    Manner {
        pace: Pace::Random(5),
        backpressure: Some(7),
    },
    Manner {
        pace: Pace::BackToBack,
        backpressure: Some(9),
    },
];

impl Hardware {
    pub fn new(text: &str, bus_bits: u32) -> Hardware {
        Hardware::at(text, bus_bits, 250.0)
    }

    pub fn at(text: &str, bus_bits: u32, clock_mhz: f64) -> Hardware {
        Hardware::of(read(text), bus_bits, clock_mhz).unwrap_or_else(|errors| {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", list.join("\n"))
        })
    }

    /// Compiles, checks and resets.
    pub fn of(
        program: Program,
        bus_bits: u32,
        clock_mhz: f64,
    ) -> Result<Hardware, Vec<Diagnostic>> {
        let options = Options {
            clock_mhz,
            bus_bits,
            // At slow clocks sums and compares as carry chains have their turn.
            technology: if clock_mhz < 100.0 {
                &ECP5
            } else {
                &ULTRASCALE_PLUS
            },
            journal: true,
            ..Options::default()
        };
        let compiled = compile(program.clone(), &options)?;
        if let Err(errors) = check(&compiled.design) {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{program}", list.join("\n"));
        }
        Ok(Hardware::with(program, compiled))
    }

    /// What was compiled before, perhaps changed since.
    pub fn with(program: Program, compiled: Compiled) -> Hardware {
        let native =
            Native::new(&compiled.design).unwrap_or_else(|error| panic!("{error}\n{program}"));
        let mut hardware = Hardware {
            program,
            compiled,
            longest_operation: 0,
            forgotten: 0,
            native,
            forgetting: Forgetting::default(),
        };
        hardware.reset();
        hardware
    }

    pub fn reset(&mut self) {
        host::reset(&mut self.native, &self.compiled.interface)
            .unwrap_or_else(|error| panic!("{error}"));
        self.forgotten = self.forgotten();
        self.forgetting = Forgetting::new(lru_maps(&self.compiled.interface));
        if self.interface().has_port_table {
            let interface = self.compiled.interface.clone();
            let mut host = Host::new(&mut self.native, &interface).expect("the ports");
            for (number, port) in (0..).zip(Hardware::ports().0) {
                host.set_port(&mut self.native, number, port.interface, port.first_queue)
                    .expect("a port");
            }
        }
    }

    /// What the port table says.
    pub fn ports() -> Ports {
        let port = |number: u32| Port {
            interface: 0x100 + 3 * number,
            first_queue: 16 * number,
        };
        Ports((0..16).map(port).collect())
    }

    /// Puts entries into the maps, through the host port.
    pub fn load(&mut self, image: &Image) {
        let interface = self.compiled.interface.clone();
        let mut host = Host::new(&mut self.native, &interface).expect("the ports");
        host.load_image(&mut self.native, image)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.program));
    }

    /// Keys that LRU maps forgot.
    pub fn forgotten(&self) -> u64 {
        self.forgotten + self.forgetting.forgotten().values().sum::<u64>()
    }

    pub fn interface(&self) -> &Interface {
        &self.compiled.interface
    }

    /// How a map's hazard is handled, as the report says.
    pub fn hazard(&self, map: &str) -> String {
        let report = self
            .compiled
            .report
            .maps
            .iter()
            .find(|report| report.name == map);
        format!("{:?}", report.expect("a map of that name").hazard).to_lowercase()
    }

    /// Does host operations with no traffic, on the model, too.
    pub fn prepare(&mut self, maps: &mut Maps, operations: &[HostOperation]) {
        let interface = self.compiled.interface.clone();
        self.tell(maps);
        let mut watched = Watched::new(&mut self.native, &interface).expect("the ports");
        let mut host = Host::new(&mut watched, &interface).expect("the ports");
        for operation in operations {
            let answer = host
                .perform(&mut watched, operation.clone())
                .unwrap_or_else(|error| panic!("{error}"));
            let moves = take_host(&mut watched.journals, operation);
            follow(&mut self.forgetting, maps, &moves, |maps| {
                compare_answer(maps, &interface, &self.program, operation, &answer)
            });
        }
    }

    /// The model's LRU maps forget what the design reports, and nothing else.
    fn tell(&self, maps: &mut Maps) {
        for told in lru_maps(&self.compiled.interface) {
            maps.forget_as_told(told.map, told.slots);
        }
        maps.watch_keys();
    }

    /// Sends packets with host operations between them and compares all that can be seen with the interpreter.
    pub fn check(
        &mut self,
        maps: &mut Maps,
        packets: &[Packet],
        events: &[HostEvent],
        manner: Manner,
    ) -> RunResult {
        let interface = self.compiled.interface.clone();
        self.tell(maps);
        let mut watched = Watched::new(&mut self.native, &interface).expect("the ports");
        let options = RunOptions {
            pace: manner.pace,
            backpressure: manner.backpressure,
            host: events,
            ..RunOptions::default()
        };
        let result = run(&mut watched, &interface, packets, &options)
            .unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program));
        self.longest_operation = self.longest_operation.max(watched.longest_operation);
        let mut interpreter = Prepared::new(&self.program);
        let mut entering =
            (0..packets.len()).filter(|number| enters(&packets[*number], &interface));
        let mut commands =
            (0..events.len()).filter(|number| reaches_maps(&events[*number], &interface));
        for entered in &watched.order {
            match entered {
                Entered::Packet => {
                    let number = entering.next().expect("as many packets as went in");
                    let packet = &packets[number];
                    let sideband = Hardware::ports().sideband(packet);
                    let moves = watched.journals.take_packet();
                    let expected = follow(&mut self.forgetting, maps, &moves, |maps| {
                        interpreter.run(maps, &packet.data, &sideband)
                    });
                    let got = result.outcomes[number].as_ref().expect("it entered");
                    assert_eq!(
                        compare_packet(&expected, Some(got)),
                        None,
                        "packet {number} {:02x?}, {manner:?}\n{}\n{}",
                        &packet.data[..packet.data.len().min(64)],
                        self.program,
                        self.compiled.scheduled,
                    );
                }
                Entered::Host => {
                    let number = commands.next().expect("as many operations as went in");
                    let operation = &events[number].operation;
                    let answer = &result.host_answers[number];
                    let moves = take_host(&mut watched.journals, operation);
                    follow(&mut self.forgetting, maps, &moves, |maps| {
                        compare_answer(maps, &interface, &self.program, operation, answer)
                    });
                }
            }
        }
        assert!(entering.next().is_none(), "every packet entered");
        assert!(commands.next().is_none(), "every host operation entered");
        self.compare_maps(maps);
        result
    }

    /// Sends packets, and leaves it to the caller to judge what comes out.
    pub fn send(&mut self, packets: &[Packet], manner: Manner) -> RunResult {
        let options = RunOptions {
            pace: manner.pace,
            backpressure: manner.backpressure,
            ..RunOptions::default()
        };
        run(
            &mut self.native,
            &self.compiled.interface,
            packets,
            &options,
        )
        .unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program))
    }

    /// Reads all maps through the host port; the memories hold the same, where they can be read.
    pub fn dump(&mut self) -> Image {
        let interface = self.compiled.interface.clone();
        let mut host = Host::new(&mut self.native, &interface).expect("the ports");
        let told = host.dump_image(&mut self.native);
        let told = told.unwrap_or_else(|error| panic!("{error}\n{}", self.program));
        let seen = contents::read(&self.native, &interface);
        // Memories of masks and priorities do not show what a dump does.
        let shown = interface.maps.iter().all(|map| map.storage.is_some());
        let expected = shown.then(|| told.clone());
        assert_eq!(seen, Ok(expected), "{}", self.program);
        told
    }

    /// Sends packets for so many clocks, then resets in the middle of it.
    pub fn interrupt(&mut self, packets: &[Packet], clocks: u32) {
        let interface = self.compiled.interface.clone();
        let pacer = Pacer::new(Pace::BackToBack, 250.0);
        let packets = packets.iter().map(Ok);
        let mut source =
            Source::new(&mut self.native, &interface, packets, pacer).expect("the ports");
        for _ in 0..clocks {
            source.drive(&mut self.native);
            self.native.step().unwrap_or_else(|error| panic!("{error}"));
            let taken = source.observe(&mut self.native);
            if taken.is_some_and(|taken| taken.is_last) {
                source.advance().expect("packets in memory");
            }
        }
        self.reset();
    }

    /// Compares all maps with the model.
    pub fn compare_maps(&mut self, maps: &Maps) {
        let found = self.dump();
        assert_eq!(
            found,
            maps.image(),
            "maps\n{}\n{}",
            self.program,
            self.compiled.scheduled
        );
    }
}

/// The LRU maps of a design, as those who judge want them.
fn lru_maps(interface: &Interface) -> Vec<LruMap> {
    let maps = interface.maps.iter().enumerate();
    let lru = maps.filter(|(_, port)| port.journal.is_some());
    lru.map(|(number, port)| {
        let port = port.clone();
        LruMap {
            map: MapId::from_u32(number as u32),
            name: port.name.clone(),
            max_entries: port.max_entries,
            slots: port.slots,
            places: Some(Box::new(move |key| port.places(key))),
        }
    })
    .collect()
}

fn take_host(journals: &mut Journals, operation: &HostOperation) -> Vec<KeyMove> {
    match operation {
        HostOperation::Lookup { map, .. }
        | HostOperation::Update { map, .. }
        | HostOperation::Delete { map, .. }
        | HostOperation::Dump { map, .. } => journals.take_host(MapId::from_u32(*map as u32)),
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => Vec::new(),
    }
}

/// Does on the model what a packet or an operation did, after what it made LRU maps forget, if that is legal.
fn follow<R: PartialEq>(
    forgetting: &mut Forgetting,
    maps: &mut Maps,
    moves: &[KeyMove],
    run: impl FnMut(&mut Maps) -> R,
) -> R {
    let (result, followed) = forgetting.run(maps, moves, run);
    assert_eq!(followed.illegal, []);
    result
}

fn reaches_maps(event: &HostEvent, interface: &Interface) -> bool {
    match &event.operation {
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => false,
        HostOperation::Lookup { map, .. }
        | HostOperation::Update { map, .. }
        | HostOperation::Delete { map, .. }
        | HostOperation::Dump { map, .. } => *map < interface.maps.len(),
    }
}

/// Does the operation on the model and compares the answers.
fn compare_answer(
    maps: &mut Maps,
    interface: &Interface,
    program: &Program,
    operation: &HostOperation,
    answer: &HostAnswer,
) {
    let id = |map: &usize| program.maps.keys().nth(*map).expect("a map");
    match operation {
        HostOperation::Lookup { map, key } => {
            let expected = maps.get(id(map), key);
            let found = answer.answer.is_done().then_some(answer.value.as_slice());
            assert_eq!(found, expected, "{operation:?} gave {answer:?}\n{program}");
        }
        HostOperation::Update {
            map,
            key,
            value,
            may,
        } => {
            let expected = maps.update(id(map), key, value, *may);
            assert_eq!(answer.answer, expected, "{operation:?}\n{program}");
        }
        HostOperation::Delete { map, key } => {
            let expected = maps.delete(id(map), key);
            assert_eq!(answer.answer, expected, "{operation:?}\n{program}");
        }
        HostOperation::Dump { map, slot } => {
            let decl = &program.maps[id(map)];
            match decl.is_indexed() {
                false if answer.answer.is_done() => {
                    let expected = maps.held(id(map), &answer.key);
                    assert_eq!(
                        Some(answer.value.as_slice()),
                        expected,
                        "{operation:?} gave {answer:?}\n{program}"
                    );
                }
                false => {
                    let behind = *slot >= interface.maps[*map].slots;
                    assert_eq!(answer.answer, absent(behind), "{operation:?}");
                }
                true => {
                    let key = slot.to_le_bytes();
                    match maps.get(id(map), &key) {
                        None => {
                            let behind = *slot >= decl.max_entries;
                            assert_eq!(answer.answer, absent(behind), "{operation:?}");
                        }
                        Some(value) => assert_eq!(
                            (
                                answer.answer,
                                answer.key.as_slice(),
                                answer.value.as_slice()
                            ),
                            (Answer::Done, key.as_slice(), value),
                            "{operation:?}\n{program}"
                        ),
                    }
                }
            }
        }
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => {}
    }
}

/// What a dump gives of a slot without an entry. `behind`: behind the last one.
fn absent(behind: bool) -> Answer {
    match behind {
        true => Answer::BadIndex,
        false => Answer::Missing,
    }
}
