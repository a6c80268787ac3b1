//! A core that is stepped by hand: packets go in and out, and the host writes a word at a time.

use crate::bench::Bench;
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::{processor, Processor};
use hardpath_core::image::{Image, Machine};
use hardpath_core::text;
use hardpath_testkit::Random;
use std::collections::VecDeque;
use std::ops::Range;

const LOAD: u64 = 0x400;
const PROGRAM: u64 = 0x800;
/// Clocks: more than anything here takes.
const PATIENCE: u32 = 200_000;

/// The answer to a write or read that there is nothing for.
pub const REFUSED: u64 = 2;

/// What came out: bytes, class and index, and outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Out {
    pub data: Vec<u8>,
    pub dest: u64,
    pub outputs: u64,
}

pub struct Core {
    pub bench: Bench,
    pub config: Processor,
    /// Beats, with the port at which they come, and whether they are the last one.
    coming: VecDeque<(Vec<u8>, u64, bool)>,
    /// Packets are not taken in each clock.
    /// The sink takes nothing.
    pub stalls: bool,
    pub slow: Option<Random>,
    leaving: Vec<u8>,
    pub out: Vec<Out>,
    /// The outputs of each packet, and above them whether it came out.
    pub fates: Vec<u64>,
    pub clocks: u64,
}

/// A load for a core of which nothing is known.
pub fn words(config: &Processor, image: &Image) -> Vec<u32> {
    let load = Load::new(config, image, Before::Unknown, false);
    load.expect("it fits").words
}

/// Rows as text.
pub fn rows(text: &str) -> Image {
    text::parse(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

impl Core {
    /// One for programs like this one, with so many threads.
    pub fn new(image: &Image, threads: u8) -> Core {
        let machine = Machine::with_lanes(image.lanes);
        let config = Processor {
            most_rows: 64,
            ..Processor::of("core", &machine, threads, image)
        };
        Core::of(config)
    }

    /// This one.
    pub fn of(config: Processor) -> Core {
        let mut bench = Bench::new(&processor(&config).design);
        for name in ["s_axil_bready", "s_axil_rready"] {
            bench.set(name, 1);
        }
        Core {
            bench,
            config,
            coming: VecDeque::new(),
            stalls: false,
            slow: None,
            leaving: Vec::new(),
            out: Vec::new(),
            fates: Vec::new(),
            clocks: 0,
        }
    }

    /// The same, with the program running.
    pub fn with(image: &Image, threads: u8) -> Core {
        let mut core = Core::new(image, threads);
        let load = Load::new(&core.config, image, Before::Reset, false);
        let words = load.expect("it fits").words;
        core.load(&words);
        assert_eq!(core.status(), 8);
        core
    }

    /// A clock, with the streams.
    pub fn step(&mut self) {
        self.clocks += 1;
        let bench = &mut self.bench;
        bench.set("s_axis_tvalid", (!self.coming.is_empty()).into());
        if let Some((beat, port, last)) = self.coming.front() {
            bench.set("s_axis_tuser", port << 1);
            bench.set_bytes("s_axis_tdata", beat);
            bench.set("s_axis_tkeep", u64::MAX >> (64 - beat.len()));
            bench.set("s_axis_tlast", (*last).into());
        }
        let slow = self.slow.as_mut();
        let ready = !self.stalls && slow.is_none_or(|random| random.below(3) > 0);
        bench.set("m_axis_tready", ready.into());
        bench.step();
        if bench.get("s_axis_tready") == 1 {
            self.coming.pop_front();
        }
        if bench.get("fate_valid") == 1 {
            self.fates.push(bench.get("fate"));
        }
        if ready && bench.get("m_axis_tvalid") == 1 {
            let count = bench.get("m_axis_tkeep").count_ones() as usize;
            let bytes = bench.get_bytes("m_axis_tdata");
            self.leaving.extend(&bytes[..count]);
            if bench.get("m_axis_tlast") == 1 {
                self.out.push(Out {
                    data: std::mem::take(&mut self.leaving),
                    dest: bench.get("m_axis_tdest"),
                    outputs: bench.get("m_axis_tuser"),
                });
            }
        }
    }

    /// A packet waits to come in.
    pub fn send(&mut self, packet: &[u8]) {
        self.send_at(0, packet);
    }

    /// The same, at a port.
    pub fn send_at(&mut self, port: u64, packet: &[u8]) {
        let count = packet.len().div_ceil(64);
        self.send_beats(port, packet, 0..count);
    }

    /// Some beats of it.
    pub fn send_some(&mut self, packet: &[u8], which: Range<usize>) {
        self.send_beats(0, packet, which);
    }

    fn send_beats(&mut self, port: u64, packet: &[u8], which: Range<usize>) {
        let last = packet.len().div_ceil(64) - 1;
        let beats = packet.chunks(64).enumerate();
        let beats = beats.filter(|(number, _)| which.contains(number));
        let beats = beats.map(|(number, beat)| (beat.to_vec(), port, number == last));
        self.coming.extend(beats);
    }

    /// Until so many packets have a fate; gives the clocks.
    pub fn until_fates(&mut self, count: usize) -> u64 {
        let before = self.clocks;
        for _ in 0..PATIENCE {
            if self.fates.len() >= count && self.leaving.is_empty() {
                // The last beats may stand behind the fate.
                (0..64).for_each(|_| self.step());
                return self.clocks - before;
            }
            self.step();
        }
        panic!("only {} of {count} packets have a fate", self.fates.len());
    }

    fn until(&mut self, port: &str) {
        for _ in 0..PATIENCE {
            self.step();
            if self.bench.get(port) == 1 {
                return;
            }
        }
        panic!("{port} never comes");
    }

    /// Writes a register; gives what it is answered.
    pub fn write(&mut self, address: u64, data: u64) -> u64 {
        for (port, value) in [
            ("s_axil_awaddr", address),
            ("s_axil_wdata", data),
            ("s_axil_wstrb", 15),
            ("s_axil_awvalid", 1),
            ("s_axil_wvalid", 1),
        ] {
            self.bench.set(port, value);
        }
        self.until("s_axil_awready");
        self.bench.set("s_axil_awvalid", 0);
        self.bench.set("s_axil_wvalid", 0);
        self.until("s_axil_bvalid");
        self.bench.get("s_axil_bresp")
    }

    /// Reads a register: what stands there, and what it is answered.
    pub fn read(&mut self, address: u64) -> (u64, u64) {
        self.bench.set("s_axil_araddr", address);
        self.bench.set("s_axil_arvalid", 1);
        self.until("s_axil_arready");
        self.bench.set("s_axil_arvalid", 0);
        self.until("s_axil_rvalid");
        let data = self.bench.get("s_axil_rdata");
        (data, self.bench.get("s_axil_rresp"))
    }

    /// How a load goes.
    pub fn status(&mut self) -> u64 {
        (0..40).for_each(|_| self.step());
        self.read(LOAD).0 & 0xf
    }

    /// Begins a load.
    pub fn begin(&mut self) {
        assert_eq!(self.write(LOAD, 0), 0);
    }

    /// Writes words of a load, one in each clock.
    pub fn words(&mut self, words: &[u32]) {
        for (port, value) in [
            ("s_axil_wstrb", 15),
            ("s_axil_awvalid", 1),
            ("s_axil_wvalid", 1),
        ] {
            self.bench.set(port, value);
        }
        for (number, word) in words.iter().enumerate() {
            let address = PROGRAM + 4 * (number as u64 % 256);
            self.bench.set("s_axil_awaddr", address);
            self.bench.set("s_axil_wdata", (*word).into());
            self.step();
            assert_eq!(self.bench.get("s_axil_awready"), 1, "word {number} waits");
        }
        self.bench.set("s_axil_awvalid", 0);
        self.bench.set("s_axil_wvalid", 0);
        self.step();
    }

    /// A whole load.
    pub fn load(&mut self, words: &[u32]) {
        self.begin();
        self.words(words);
    }
}
