//! Entrance and exit with the frame FIFO between them: what goes in comes out, in order, with the bytes that were
//! overlaid; bad packets leave no trace; the rules of AXI4-Stream hold at every clock.

use crate::bench::Bench;
use hardpath_blocks::egress::{egress, last_byte, Egress};
use hardpath_blocks::fifo::fifo;
use hardpath_blocks::index_bits;
use hardpath_blocks::ingress::{ingress, Ingress, LENGTH_BITS};
use hardpath_rtl::{Design, Instance, MemStyle, Module, ModuleId, Node};
use hardpath_testkit::Random;
use std::collections::VecDeque;

const LONGEST: usize = 9216;
const SHORTEST: usize = 14;
/// Clocks of the stand-in for a program.
const LATENCY: u32 = 7;

#[derive(Clone)]
struct Config {
    beat_bytes: u32,
    credits: u32,
    shortest: usize,
    overlays: Vec<(i32, u32)>,
    output_bits: u32,
    drops: bool,
    class: Option<u64>,
    has_index: bool,
}

/// What must come of a packet.
struct Outcome {
    outputs: u64,
    forwarded: bool,
    destination: u64,
    data: Vec<u8>,
}

impl Config {
    fn frame_depth(&self) -> u32 {
        (LONGEST as u32 / self.beat_bytes + self.credits + 16).next_power_of_two()
    }

    /// The stand-in for a program: the outputs are what the packet begins with. It is forwarded when bit 1 or 2 of byte 0 is
    /// set, bits 5:4 are its class, bytes 2 to 5 its index. Overlay k is written when bit k of byte 1 is set, with bytes 0
    /// to 7 inverted, over and over. What there is not of the packet is zeros.
    fn outcome(&self, packet: &[u8]) -> Outcome {
        let mut data = packet.to_vec();
        let mut first = [0; 8];
        let count = packet.len().min(8);
        first[..count].copy_from_slice(&packet[..count]);
        for (number, (offset, bytes)) in self.overlays.iter().enumerate() {
            if first[1] >> number & 1 == 1 {
                for at in 0..*bytes as usize {
                    if let Some(byte) = data.get_mut(*offset as usize + at) {
                        *byte = !first[at % 8];
                    }
                }
            }
        }
        let word = u64::from_le_bytes(first);
        let class = self.class.unwrap_or(word >> 4 & 3);
        let index = match self.has_index {
            true => word >> 16 & 0xffff_ffff,
            false => 0,
        };
        Outcome {
            outputs: word & ones(self.output_bits as usize),
            forwarded: !self.drops || word & 6 != 0,
            destination: class << 32 | index,
            data,
        }
    }
}

/// Entrance, frame FIFO, a stand-in for a program, result FIFO, exit.
fn design(config: &Config) -> Design {
    let mut design = Design::new();
    let (bus, beat) = (config.beat_bytes * 8, config.beat_bytes);
    let frame_bits = index_bits(u64::from(config.frame_depth()));
    let entrance_id = design.add(ingress(&Ingress {
        name: "entrance".into(),
        beat_bytes: beat,
        window_beats: 8u32.div_ceil(beat),
        frame_depth: config.frame_depth(),
        credits: config.credits,
        shortest: config.shortest as u32,
        longest: LONGEST as u32,
        has_time: true,
        has_random: true,
        has_egress: false,
        has_sum: false,
        has_port: true,
        own_bits: 0,
        has_own: false,
        tells_flight: false,
        clears_window: false,
        ahead: None,
    }));
    let exit_id = design.add(egress(&Egress {
        name: "leave".into(),
        beat_bytes: beat,
        frame_depth: config.frame_depth(),
        overlays: config.overlays.clone(),
        output_bits: config.output_bits,
        drops: config.drops,
        class: config.class,
        has_index: config.has_index,
        may_be_empty: config.shortest == 0,
        repeats: false,
        copies: false,
        cut_through: false,
        end_early: false,
    }));
    let fifo_id = design.add(fifo("results", LENGTH_BITS + 64, config.credits));
    let mut m = Module::new("both", "");
    let widths = [
        ("s_axis_tdata", bus),
        ("s_axis_tkeep", beat),
        ("s_axis_tvalid", 1),
        ("s_axis_tlast", 1),
        ("s_axis_tuser", 25),
        ("time_ns", 64),
        ("random", 32),
        ("hold", 1),
        ("running", 1),
    ];
    let mut inputs: Vec<(&str, Node)> = widths
        .iter()
        .map(|(name, width)| (*name, m.input(*name, *width, "")))
        .collect();
    let tready = m.input("m_axis_tready", 1, "");
    let left = m.wire(1, "left");
    let pointer = m.wire(frame_bits, "pointer");
    inputs.extend([("packet_left", left), ("frame_read_pointer", pointer)]);
    let entrance = m.instance(
        &design.modules[entrance_id],
        entrance_id,
        "entrance",
        &inputs,
    );
    let get = |m: &mut Module, design: &Design, id: ModuleId, instance: Instance, port: &str| {
        m.instance_output(&design.modules[id], instance, port)
    };
    let of = |m: &mut Module, port: &str| get(m, &design, entrance_id, entrance, port);
    let write = of(&mut m, "frame_write");
    let address = of(&mut m, "frame_write_address");
    let data = of(&mut m, "frame_write_data");
    let frames = m.mem("frames", bus, config.frame_depth(), MemStyle::Block);
    m.mem_write(frames, address, data, write);
    let read = m.wire(1, "read");
    let frame = m.mem_read_sync(frames, pointer, read);

    let mut valid = of(&mut m, "packet_valid");
    let window = of(&mut m, "window");
    let length = of(&mut m, "packet_length");
    let low = m.slice(window, 0, 64);
    // The program sees zeros behind the end of what there is.
    let eight = m.constant(8, LENGTH_BITS);
    let short = m.ult(length, eight);
    let ones = m.constant(u64::MAX, 64);
    let count = m.slice(length, 0, 3);
    let zeros = m.zero(3);
    let bits = m.concat(&[count, zeros]);
    let above = m.shift(hardpath_rtl::NodeOp::Shl, ones, bits);
    let within = m.not(above);
    let masked = m.and(&[low, within]);
    let first = m.mux(short, masked, low);
    let mut held = m.concat(&[length, first]);
    for clock in 0..LATENCY {
        valid = m.delay_reset(format!("valid_{clock}"), valid);
        held = m.delay(format!("held_{clock}"), held);
    }
    let pop = m.wire(1, "pop");
    let inputs = [("push", valid), ("data_in", held), ("pop", pop)];
    let results = m.instance(&design.modules[fifo_id], fifo_id, "results", &inputs);
    let result_valid = get(&mut m, &design, fifo_id, results, "valid");
    let result = get(&mut m, &design, fifo_id, results, "data_out");
    let length = m.slice(result, 64, LENGTH_BITS);
    let (last, empty) = last_byte(&mut m, length);
    let mut inputs = vec![
        ("result_valid".to_string(), result_valid),
        ("result_last_byte".to_string(), last),
        ("frame_read_data".to_string(), frame),
        ("m_axis_tready".to_string(), tready),
    ];
    if config.drops {
        let two = m.slice(result, 1, 2);
        let forwarded = m.reduce_or(two);
        inputs.push(("result_forwarded".to_string(), forwarded));
    }
    if config.output_bits > 0 {
        let outputs = m.slice(result, 0, config.output_bits);
        inputs.push(("result_outputs".to_string(), outputs));
    }
    if config.class.is_none() {
        inputs.push(("result_class".to_string(), m.slice(result, 4, 2)));
    }
    if config.has_index {
        inputs.push(("result_index".to_string(), m.slice(result, 16, 32)));
    }
    if config.shortest == 0 {
        inputs.push(("result_empty".to_string(), empty));
    }
    let eight_bytes = m.slice(result, 0, 64);
    let inverted = m.not(eight_bytes);
    for (number, (offset, bytes)) in config.overlays.iter().enumerate() {
        inputs.push((
            format!("overlay_{offset}_enable"),
            m.bit(result, 8 + number as u32),
        ));
        let repeated = vec![inverted; bytes.div_ceil(8) as usize];
        let repeated = m.concat(&repeated);
        inputs.push((
            format!("overlay_{offset}_data"),
            m.slice(repeated, 0, bytes * 8),
        ));
    }
    let inputs: Vec<(&str, Node)> = inputs
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let exit = m.instance(&design.modules[exit_id], exit_id, "leave", &inputs);
    for (wire, port) in [
        (pop, "result_pop"),
        (pointer, "frame_read_pointer"),
        (read, "frame_read"),
    ] {
        let node = get(&mut m, &design, exit_id, exit, port);
        m.drive(wire, node);
    }
    m.drive(left, pop);
    let outputs = ["tdata", "tkeep", "tvalid", "tlast", "tuser", "tdest"];
    for port in outputs.map(|port| format!("m_axis_{port}")) {
        let node = get(&mut m, &design, exit_id, exit, &port);
        m.output(port, node, "");
    }
    for port in ["fate_valid", "fate"] {
        let node = get(&mut m, &design, exit_id, exit, port);
        m.output(port, node, "");
    }
    let seen = [
        "s_axis_tready",
        "packet_valid",
        "packet_length",
        "packet_time_ns",
        "packet_random",
        "early_port",
        "early_queue",
        "dropped_bad",
        "dropped_length",
    ];
    for port in seen {
        let node = of(&mut m, port);
        m.output(port, node, "");
    }
    design.add(m);
    design
}

#[derive(Clone, Debug)]
struct Packet {
    data: Vec<u8>,
    bad: bool,
    port: u64,
    queue: u64,
    /// The last beat has no bytes, when the bytes fill all beats before it.
    ends_apart: bool,
}

impl Packet {
    /// On a bus of so many bytes.
    fn beats(&self, beat: usize) -> usize {
        let beats = self.data.len().div_ceil(beat).max(1);
        let fills = self.data.len() == beats * beat;
        beats + usize::from(self.ends_apart && fills)
    }
}

/// How often things happen, in eighths.
#[derive(Clone, Copy, Debug)]
struct Manner {
    offered: u64,
    ready: u64,
    held: u64,
}

/// What stands beside a packet, as it was when its first beat was taken.
#[derive(PartialEq, Eq, Debug)]
struct Drawn {
    length: u64,
    time: u64,
    random: u64,
    port: u64,
    queue: u64,
}

struct Run<'a> {
    config: &'a Config,
    bench: Bench,
    random: Random,
    clock: u64,
    expected: VecDeque<Outcome>,
    /// Outputs, and whether it is forwarded.
    fates: VecDeque<(u64, bool)>,
    drawn: VecDeque<Drawn>,
    bad: u64,
    wrong_length: u64,
    inside: u64,
    out: Vec<u8>,
    /// What was offered and not taken.
    kept: Option<Vec<Vec<u64>>>,
    /// In the middle of a packet at the exit.
    amid: bool,
    hold_since: Option<u64>,
    last_ports: (u64, u64),
}

impl<'a> Run<'a> {
    fn new(config: &'a Config, seed: u64) -> Run<'a> {
        Run::with(config, seed, Bench::new(&design(config)))
    }

    fn with(config: &'a Config, seed: u64, mut bench: Bench) -> Run<'a> {
        bench.set("running", 1);
        bench.set("hold", 0);
        Run {
            config,
            bench,
            random: Random::new(seed),
            clock: 0,
            expected: VecDeque::new(),
            fates: VecDeque::new(),
            drawn: VecDeque::new(),
            bad: 0,
            wrong_length: 0,
            inside: 0,
            out: Vec::new(),
            kept: None,
            amid: false,
            hold_since: None,
            last_ports: (0, 0),
        }
    }

    /// Sends packets and waits until all are out.
    fn send(&mut self, packets: &[Packet], manner: Manner) {
        let beat = self.config.beat_bytes as usize;
        for packet in packets {
            let beats = packet.beats(beat);
            let mut first = (0, 0);
            for number in 0..beats {
                while self.random.below(8) >= manner.offered {
                    self.bench.set("s_axis_tvalid", 0);
                    self.step(manner);
                }
                self.offer(packet, number, beats);
                for waited in 0.. {
                    assert!(waited < 40_000, "nothing is taken any more");
                    let (time, random) = (self.random.next(), self.random.next() & 0xffff_ffff);
                    self.bench.set("time_ns", time);
                    self.bench.set("random", random);
                    self.step(manner);
                    if self.bench.get("s_axis_tready") == 1 {
                        if number == 0 {
                            first = (time, random);
                        }
                        break;
                    }
                }
            }
            self.took(packet, first);
        }
        self.bench.set("s_axis_tvalid", 0);
        let mut waited = 0;
        while !self.fates.is_empty() || !self.expected.is_empty() {
            self.step(manner);
            waited += 1;
            assert!(waited < 40_000, "nothing comes out any more");
        }
        for _ in 0..40 {
            self.step(manner);
        }
        assert!(
            self.fates.is_empty()
                && self.expected.is_empty()
                && self.drawn.is_empty()
                && !self.amid
        );
        assert_eq!(
            (self.bad, self.wrong_length, self.inside),
            (0, 0, 0),
            "bad, of wrong length, inside"
        );
    }

    fn offer(&mut self, packet: &Packet, number: usize, beats: usize) {
        let beat = self.config.beat_bytes as usize;
        let part = &packet.data[number * beat..packet.data.len().min((number + 1) * beat)];
        let mut bytes: Vec<u8> = (0..beat).map(|_| self.random.next() as u8).collect();
        bytes[..part.len()].copy_from_slice(part);
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("8 bytes")))
            .collect();
        self.bench.set_wide("s_axis_tdata", &limbs);
        self.bench.set("s_axis_tkeep", ones(part.len()));
        self.bench
            .set("s_axis_tlast", u64::from(number + 1 == beats));
        let junk = self.random.next() & 0x1ff_ffff;
        let bad = if number + 1 == beats {
            u64::from(packet.bad)
        } else {
            junk & 1
        };
        let beside = if number == 0 {
            packet.port << 1 | packet.queue << 9
        } else {
            junk & !1
        };
        self.bench.set("s_axis_tuser", bad | beside);
        self.bench.set("s_axis_tvalid", 1);
    }

    /// The last beat of a packet was taken in the last clock.
    fn took(&mut self, packet: &Packet, (time, random): (u64, u64)) {
        if !(self.config.shortest..=LONGEST).contains(&packet.data.len()) {
            // A frame that is both counts as bad.
            if packet.bad {
                self.bad += 1;
            } else {
                self.wrong_length += 1;
            }
            return;
        }
        if packet.bad {
            self.bad += 1;
            return;
        }
        let outcome = self.config.outcome(&packet.data);
        self.drawn.push_back(Drawn {
            length: packet.data.len() as u64,
            time,
            random,
            port: packet.port,
            queue: packet.queue,
        });
        self.fates.push_back((outcome.outputs, outcome.forwarded));
        if outcome.forwarded {
            self.expected.push_back(outcome);
        }
    }

    fn step(&mut self, manner: Manner) {
        let ready = self.random.below(8) < manner.ready;
        self.bench.set("m_axis_tready", ready.into());
        if self.clock.is_multiple_of(64) {
            let hold = self.random.below(8) < manner.held;
            self.bench.set("hold", hold.into());
            self.hold_since = hold.then_some(self.hold_since.unwrap_or(self.clock));
        }
        self.bench.step();
        self.see_strobes();
        self.see_exit(ready);
        self.clock += 1;
    }

    fn see_strobes(&mut self) {
        if self.bench.get("packet_valid") == 1 {
            let held_for = self.hold_since.map_or(0, |since| self.clock - since);
            assert!(
                held_for < 3,
                "a packet enters {held_for} clocks after the hold"
            );
            let drawn = Drawn {
                length: self.bench.get("packet_length"),
                time: self.bench.get("packet_time_ns"),
                random: self.bench.get("packet_random"),
                port: self.last_ports.0,
                queue: self.last_ports.1,
            };
            assert_eq!(Some(drawn), self.drawn.pop_front());
            self.inside += 1;
            assert!(
                self.inside <= u64::from(self.config.credits),
                "more packets inside than credits"
            );
        }
        // Port and queue come one clock before the packet.
        self.last_ports = (self.bench.get("early_port"), self.bench.get("early_queue"));
        if self.bench.get("dropped_bad") == 1 {
            self.bad = self.bad.checked_sub(1).expect("a bad frame was sent");
        }
        if self.bench.get("dropped_length") == 1 {
            self.wrong_length = self
                .wrong_length
                .checked_sub(1)
                .expect("such a frame was sent");
        }
        if self.bench.get("fate_valid") == 1 {
            self.inside -= 1;
            let (outputs, sent) = self.fates.pop_front().expect("a fate for each packet");
            let mut fate = self.bench.get_wide("fate");
            fate.resize(2, 0);
            let bits = self.config.output_bits;
            let together = u128::from(sent) << bits | u128::from(outputs);
            assert_eq!(u128::from(fate[0]) | u128::from(fate[1]) << 64, together);
        }
    }

    fn see_exit(&mut self, ready: bool) {
        let valid = self.bench.get("m_axis_tvalid") == 1;
        let ports = ["tdata", "tkeep", "tlast", "tuser", "tdest"];
        if !valid {
            assert!(self.kept.is_none(), "a beat that was offered went away");
            return;
        }
        let now: Vec<Vec<u64>> = ports
            .iter()
            .map(|port| self.bench.get_wide(&format!("m_axis_{port}")))
            .collect();
        if let Some(kept) = &self.kept {
            assert_eq!(kept, &now, "a beat that was offered changed");
        }
        if !ready {
            self.kept = Some(now);
            return;
        }
        self.kept = None;
        let outcome = self.expected.front().expect("something was sent");
        let data = &outcome.data;
        assert_eq!(
            (now[3][0], now[4][0]),
            (outcome.outputs, outcome.destination)
        );
        let beat = self.config.beat_bytes as usize;
        let left = data.len() - self.out.len();
        let count = left.min(beat);
        assert_eq!(now[1][0], ones(count), "tkeep with {left} bytes left");
        assert_eq!(
            now[2][0],
            u64::from(left <= beat),
            "tlast with {left} bytes left"
        );
        self.out.extend(
            now[0]
                .iter()
                .flat_map(|limb| limb.to_le_bytes())
                .take(count),
        );
        self.amid = left > beat;
        if !self.amid {
            assert_eq!(&self.out, data);
            self.out.clear();
            self.expected.pop_front();
        }
    }
}

fn ones(count: usize) -> u64 {
    if count == 0 {
        0
    } else {
        u64::MAX >> (64 - count)
    }
}

fn packet(random: &mut Random, length: usize) -> Packet {
    let mut data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
    // Mostly such that are forwarded.
    if let Some(first) = data.first_mut() {
        *first = *random.pick(&[0, 1, 2, 2, 3, 4, 4, 2]) | *first & 0xf8;
    }
    Packet {
        data,
        bad: random.below(12) == 0,
        port: random.below(256),
        queue: random.below(65536),
        ends_apart: random.below(4) == 0,
    }
}

const MANNERS: [Manner; 4] = [
    Manner {
        offered: 8,
        ready: 8,
        held: 0,
    },
    Manner {
        offered: 3,
        ready: 8,
        held: 1,
    },
    Manner {
        offered: 8,
        ready: 3,
        held: 0,
    },
    Manner {
        offered: 5,
        ready: 5,
        held: 2,
    },
];

/// An exit with all that can be told of a packet.
fn told(beat_bytes: u32, credits: u32, overlays: &[(i32, u32)]) -> Config {
    Config {
        beat_bytes,
        credits,
        shortest: SHORTEST,
        overlays: overlays.to_vec(),
        output_bits: 3,
        drops: true,
        class: None,
        has_index: true,
    }
}

/// An exit for packets of any length that all leave, in the same way.
fn fixed(beat_bytes: u32, credits: u32, class: u64) -> Config {
    Config {
        shortest: 0,
        output_bits: 64,
        drops: false,
        class: Some(class),
        has_index: false,
        ..told(beat_bytes, credits, &[])
    }
}

fn configs() -> Vec<Config> {
    vec![
        // Within a beat, across a border, over three beats, the last bytes of the longest packet.
        told(64, 32, &[(0, 12), (60, 8), (70, 1), (120, 140), (9210, 6)]),
        told(8, 16, &[(0, 6), (6, 6), (13, 30), (1000, 3)]),
        told(16, 16, &[(0, 6), (12, 12), (31, 2), (9210, 6)]),
        told(32, 32, &[(6, 6), (28, 40), (9000, 1)]),
        fixed(64, 16, 0),
        fixed(8, 64, 2),
        // Without outputs; class and index.
        Config {
            output_bits: 0,
            class: Some(1),
            ..told(16, 32, &[(0, 20)])
        },
        Config {
            output_bits: 0,
            drops: true,
            ..fixed(32, 16, 2)
        },
        Config {
            output_bits: 17,
            class: None,
            ..fixed(64, 64, 0)
        },
    ]
}

#[test]
fn every_length() {
    for (number, config) in configs().into_iter().enumerate() {
        let mut run = Run::new(&config, number as u64);
        let mut random = Random::new(100 + number as u64);
        // All short ones, then steps that meet every place in a beat, then those around the longest.
        let lengths = (config.shortest..400)
            .chain((400..9100).step_by(197))
            .chain(9180..=LONGEST);
        let packets: Vec<Packet> = lengths.map(|length| packet(&mut random, length)).collect();
        for manner in MANNERS {
            run.send(&packets, manner);
        }
    }
}

#[test]
fn short_packets_at_full_rate() {
    for (number, config) in configs().into_iter().enumerate() {
        let mut run = Run::new(&config, number as u64);
        let mut random = Random::new(200 + number as u64);
        for manner in MANNERS {
            let packets: Vec<Packet> = (0..3000)
                .map(|_| {
                    let length = SHORTEST + random.below(51) as usize;
                    packet(&mut random, length)
                })
                .collect();
            run.send(&packets, manner);
        }
    }
}

/// A last beat with `tkeep` of zeros behind full ones is no part of the packet, and the next packet stands behind it.
#[test]
fn an_empty_last_beat_only_ends_the_packet() {
    for config in configs() {
        let beat = config.beat_bytes as usize;
        let mut random = Random::new(6);
        let packets: Vec<Packet> = (0..200)
            .map(|number| match number % 50 {
                0 => LONGEST,
                1 => LONGEST + beat,
                number => number % 5 * beat,
            })
            .map(|length| Packet {
                ends_apart: true,
                ..packet(&mut random, length)
            })
            .collect();
        Run::new(&config, 2).send(&packets, MANNERS[1]);
    }
}

#[test]
fn one_packet_a_clock() {
    let config = &configs()[0];
    let mut run = Run::new(config, 1);
    let mut random = Random::new(5);
    let packets: Vec<Packet> = (0..2000)
        .map(|_| Packet {
            bad: false,
            ends_apart: false,
            ..packet(&mut random, 64)
        })
        .collect();
    run.send(&packets, MANNERS[0]);
    assert!(
        run.clock < 2000 + 100,
        "{} clocks for 2000 packets",
        run.clock
    );
}

#[test]
fn runts_and_giants() {
    for (number, config) in configs().into_iter().enumerate() {
        let mut run = Run::new(&config, number as u64);
        let mut random = Random::new(300 + number as u64);
        let lengths = [
            1, 13, 14, 15, 9215, 9216, 9217, 9218, 9280, 9281, 12_000, 16_384, 16_385, 20_000,
            33_000, 66_000, 12, 64,
        ];
        for manner in MANNERS {
            let packets: Vec<Packet> = (0..60)
                .map(|_| {
                    let length = *random.pick(&lengths);
                    packet(&mut random, length)
                })
                .collect();
            run.send(&packets, manner);
        }
    }
}

#[test]
fn a_reset_in_the_middle_forgets_everything() {
    let config = &configs()[0];
    let mut run = Run::new(config, 4);
    let mut random = Random::new(8);
    for round in 0..40 {
        let length = 30 + random.below(3000) as usize;
        let cut = packet(&mut random, length);
        let beats = length.div_ceil(64);
        // Some beats of a packet, and packets that are still inside, then reset.
        for _ in 0..round % 5 {
            let whole = packet(&mut random, 64);
            run.offer(&whole, 0, 1);
            run.bench.set("m_axis_tready", round & 1);
            run.bench.step();
        }
        for number in 0..beats.min(1 + round as usize % 7) {
            run.offer(&cut, number, beats);
            run.bench.step();
        }
        run.bench.set("s_axis_tvalid", 0);
        run.bench.reset(1 + round as u32 % 3);
        run = Run::with(config, round, run.bench);
        let packets: Vec<Packet> = (0..20)
            .map(|_| {
                let length = 14 + random.below(300) as usize;
                packet(&mut random, length)
            })
            .collect();
        run.send(&packets, MANNERS[round as usize % 4]);
    }
}
