//! Programs on a processor in place of a pipeline: packets in, and the host at work, beside the interpreter.

use crate::case::read;
use crate::hardware::Manner;
use crate::running::Running;
use hardpath_blocks::interface::Interface;
use hardpath_core::compile;
use hardpath_core::hardware::processor::{lacks, processor, Processor};
use hardpath_core::image::Machine;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::Program;
use hardpath_packet::Packet;
use hardpath_session::{mixed, tell, Mixed, Model, Session};
use hardpath_testbed::host::Host;
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{run, HostEvent, RunOptions, RunResult};

/// A program on a processor that is made for it.
pub struct OnCore {
    /// What the interpreter runs.
    pub program: Program,
    interface: Interface,
    native: Native,
    model: Model,
}

impl OnCore {
    /// A core of 4 lanes, with so many threads and streams of so many bits; its program is loaded.
    ///
    /// # Panics
    /// The text is no program, or no core runs it.
    pub fn new(text: &str, threads: u8, bus_bits: u32) -> OnCore {
        let program = read(text);
        let machine = Machine::with_lanes(4);
        let compiled = compile::compile(&program, &machine);
        let image = compiled
            .unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
            .image;
        assert_eq!(lacks(&image), None, "{text}");
        let config = Processor {
            bus_bits,
            ..Processor::of("core", &machine, threads, &image)
        };
        let mut built = processor(&config);
        let starts = built.starts_with(&config, &image);
        starts.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let native = Native::new(&built.design);
        let mut core = OnCore {
            program,
            interface: built.interface,
            native: native.unwrap_or_else(|error| panic!("{error}\n{text}")),
            model: Model::default(),
        };
        core.reset(&Image::new());
        core
    }

    /// Resets it, and puts entries into its maps.
    pub fn reset(&mut self, image: &Image) {
        let (native, interface) = (&mut self.native, &self.interface);
        let begun = Session::begin(native, interface, &Running::ports(), image, |_| {});
        begun.unwrap_or_else(|error| panic!("{error}\n{}", self.program));
        self.model = Model::new(&mut Maps::new(&self.program.maps), interface);
    }

    /// Sends packets, and leaves it to the caller to judge what comes out.
    pub fn send(&mut self, packets: &[Packet], manner: Manner) -> RunResult {
        let options = options(manner, &[]);
        let result = run(&mut self.native, &self.interface, packets, &options);
        result.unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program))
    }

    /// Sends packets with host operations between them and compares all that can be seen with the interpreter.
    pub fn check(
        &mut self,
        maps: &mut Maps,
        packets: &[Packet],
        events: &[HostEvent],
        manner: Manner,
    ) -> Mixed {
        tell(maps, &self.interface);
        let (native, interface) = (&mut self.native, &self.interface);
        let mixed = mixed(native, interface, packets, &options(manner, events));
        let mixed = mixed.unwrap_or_else(|error| panic!("{error}\n{manner:?}\n{}", self.program));
        let (of, traffic) = (
            (&self.program, &self.interface),
            (&Running::ports(), packets, events),
        );
        let followed = self.model.follow_all(maps, of, traffic, &mixed);
        followed.unwrap_or_else(|wrong| {
            let (packet, text) = (wrong.packet, wrong.text);
            panic!("packet {packet:?}, {manner:?}: {text}\n{}", self.program)
        });
        assert_eq!(self.dump(), maps.image(), "maps\n{}", self.program);
        mixed
    }

    /// Reads all maps through the host port.
    pub fn dump(&mut self) -> Image {
        let mut host = Host::new(&mut self.native, &self.interface).expect("the ports");
        let told = host.dump_image(&mut self.native);
        told.unwrap_or_else(|error| panic!("{error}\n{}", self.program))
    }
}

fn options(manner: Manner, host: &[HostEvent]) -> RunOptions<'_> {
    RunOptions {
        pace: manner.pace,
        backpressure: manner.backpressure,
        host,
        ..RunOptions::default()
    }
}
