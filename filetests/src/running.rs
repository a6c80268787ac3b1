//! A design in the native simulator under hostile traffic: every packet, every answer to the host and all maps are compared with the
//! interpreter, which does one thing after another.
//!
//! What the host does in the middle of traffic has a place in the order: the slot that carries it, of a pipeline, and of a processor
//! the time at which no packet is inside. The registers of the entrance say where that was.

use hardpath_blocks::interface::Interface;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::Program;
use hardpath_packet::{Packet, Port, Ports};
use hardpath_rtl::check::check;
use hardpath_rtl::Design;
use hardpath_session::{interrupt, mixed, tell, Model, Session};
use hardpath_testbed::contents;
use hardpath_testbed::host::{Event, Host, HostOperation};
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{run, HostEvent, RunOptions, RunResult};
use hardpath_testbed::watch::Watched;

/// A program in hardware of any kind, beside its interpreter.
pub struct Running {
    /// What the interpreter runs: the program as it was before it was compiled.
    pub program: Program,
    /// The longest that an operation of the host took in traffic, in clocks.
    pub longest_operation: u64,
    /// Clocks without any progress after which it counts as hung. `None`: as many as programs of its kind may take.
    pub patience: Option<u64>,
    /// What each [`Running::check`] took.
    pub took: Vec<Took>,
    interface: Interface,
    /// What the program became, for whoever looks at a failure.
    shown: String,
    /// Keys that LRU maps forgot before the last reset.
    forgotten: u64,
    native: Native,
    model: Model,
}

/// What became of the clocks of one run of traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Took {
    /// All of them.
    pub clocks: u64,
    /// Packets that began again: of a processor.
    pub reruns: u64,
}

/// How traffic comes and goes.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How packets come in.
    pub pace: Pace,
    /// Seed: outputs that are not ready in about 30 % of the clocks. `None`: they always are.
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

/// # Panics
/// The design breaks a rule.
pub fn valid(design: &Design, program: &Program) {
    if let Err(errors) = check(design) {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\n{program}", list.join("\n"));
    }
}

impl Running {
    /// A design of the program, perhaps changed since, and reset; `shown`: what the program became, for whoever looks at a failure.
    ///
    /// # Panics
    /// The simulator does not take the design, or it does not become ready.
    pub fn new(program: Program, design: &Design, interface: Interface, shown: String) -> Running {
        let native = Native::new(design).unwrap_or_else(|error| panic!("{error}\n{program}"));
        let mut running = Running {
            program,
            longest_operation: 0,
            patience: None,
            took: Vec::new(),
            interface,
            shown,
            forgotten: 0,
            native,
            model: Model::default(),
        };
        running.reset();
        running
    }

    /// Resets the design and writes its port table: all maps are empty, and the model begins anew.
    ///
    /// # Panics
    /// The design does not become ready, or does not take the port table.
    pub fn reset(&mut self) {
        let interface = &self.interface;
        let none = Image::new();
        Session::begin(
            &mut self.native,
            interface,
            &Running::ports(),
            &none,
            |_| {},
        )
        .unwrap_or_else(|error| panic!("{error}"));
        self.forgotten = self.forgotten();
        self.model = Model::new(&mut Maps::new(&self.program.maps), interface);
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
        let interface = self.interface.clone();
        let mut host = Host::new(&mut self.native, &interface).expect("the ports");
        host.load_image(&mut self.native, image)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.program));
    }

    /// Keys that LRU maps forgot.
    pub fn forgotten(&self) -> u64 {
        self.forgotten + self.model.forgotten()
    }

    /// Of the design: its ports and maps.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Does host operations with no traffic, on the model, too.
    pub fn prepare(&mut self, maps: &mut Maps, operations: &[HostOperation]) {
        let interface = &self.interface;
        tell(maps, interface);
        let mut watched = Watched::new(&mut self.native, interface).expect("the ports");
        let mut host = Host::new(&mut watched, interface).expect("the ports");
        for operation in operations {
            let answer = host
                .perform(&mut watched, operation.clone())
                .unwrap_or_else(|error| panic!("{error}"));
            let moves = watched.journals.take_host(operation);
            let both = (operation, &answer);
            self.model
                .operation(maps, (&self.program, interface), both, &moves)
                .unwrap_or_else(|wrong| panic!("{}\n{}", wrong.text, self.program));
        }
    }

    /// Sends packets with host operations between them and compares all that can be seen with the interpreter.
    pub fn check(
        &mut self,
        maps: &mut Maps,
        packets: &[Packet],
        events: &[HostEvent],
        manner: Manner,
    ) -> RunResult {
        let interface = &self.interface;
        tell(maps, interface);
        let options = RunOptions {
            pace: manner.pace,
            backpressure: manner.backpressure,
            host: events,
            watchdog_clocks: self.patience,
            ..RunOptions::default()
        };
        let mixed = mixed(&mut self.native, interface, packets, &options)
            .unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program));
        self.longest_operation = self.longest_operation.max(mixed.longest_operation);
        let traffic = (&Running::ports(), packets, events);
        self.model
            .follow_all(maps, (&self.program, interface), traffic, &mixed)
            .unwrap_or_else(|wrong| {
                let packet = wrong.packet.map(|number| &packets[number].data);
                let shown = packet.map(|data| &data[..data.len().min(64)]);
                panic!(
                    "packet {:?} {shown:02x?}, {manner:?}: {}\n{}\n{}",
                    wrong.packet, wrong.text, self.program, self.shown,
                )
            });
        self.compare_maps(maps);
        let took = Took {
            clocks: mixed.result.simulated_clocks,
            reruns: self.reruns(),
        };
        self.took.push(took);
        mixed.result
    }

    /// Packets that began again since the last reset.
    fn reruns(&mut self) -> u64 {
        if self.interface.program.is_empty() {
            return 0;
        }
        let mut host = Host::new(&mut self.native, &self.interface).expect("the ports");
        let events = host.events(&mut self.native);
        let events = events.unwrap_or_else(|error| panic!("{error}\n{}", self.program));
        events.of(Event::Reruns)
    }

    /// Sends packets, and leaves it to the caller to judge what comes out.
    pub fn send(&mut self, packets: &[Packet], manner: Manner) -> RunResult {
        let options = RunOptions {
            pace: manner.pace,
            backpressure: manner.backpressure,
            ..RunOptions::default()
        };
        run(&mut self.native, &self.interface, packets, &options)
            .unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program))
    }

    /// The slots of a hash table that hold a key.
    pub fn slots(&self, map: usize) -> Vec<(u32, Vec<u8>)> {
        let port = &self.interface.maps[map];
        contents::slots(&self.native, port).expect("the engine can look")
    }

    /// Reads all maps through the host port; the memories hold the same, where they can be read.
    pub fn dump(&mut self) -> Image {
        let interface = self.interface.clone();
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
        interrupt(&mut self.native, &self.interface, packets, clocks)
            .unwrap_or_else(|error| panic!("{error}"));
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
            self.shown
        );
    }
}
