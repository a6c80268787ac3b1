//! Entrance, frame FIFO and both exits where packets leave before all of them is in: what a packet becomes, and its mark, for every
//! length, good and bad, with pauses on both sides; that its latency does not grow with its length; and that it has no gaps.

use crate::bench::Bench;
use hardpath_blocks::cut_through::{Ahead, EndIn};
use hardpath_blocks::egress::{egress, last_byte, Egress};
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::ingress::{ingress, Ingress, IngressOut};
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::{Fronts, Moves};
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, MemStyle, Module, Node};
use hardpath_testkit::Random;
use std::collections::{BTreeSet, HashMap, VecDeque};

const SHORTEST: usize = 14;
const OUTPUT_BITS: u32 = 3;

#[derive(Clone)]
struct Config {
    beat: usize,
    ahead: usize,
    longest: usize,
    /// Clocks of the stand-in for a program.
    latency: u32,
    overlays: Vec<(i32, u32)>,
    /// Where packets begin, with nothing in front, by bits 1:0 of byte 2; empty: they are not moved.
    starts: Vec<i32>,
    /// Bytes in front, by bits 3:2 of byte 2.
    fronts: Vec<u32>,
}

/// What becomes of a packet.
struct Outcome {
    outputs: u64,
    forwarded: bool,
    class: u64,
    data: Vec<u8>,
    marked: bool,
    /// Its source pauses for a clock in front of its end.
    pauses: bool,
    /// The clock that took its first beat.
    begun: u64,
}

impl Config {
    fn depth(&self) -> u32 {
        (self.longest.div_ceil(self.beat) as u32 + 48).next_power_of_two()
    }

    fn moves(&self) -> Option<Moves> {
        let firsts: BTreeSet<i32> = (self.starts.iter())
            .flat_map(|start| self.fronts.iter().map(move |front| start - *front as i32))
            .collect();
        let most = self.fronts.iter().copied().max().unwrap_or(0);
        (!firsts.is_empty()).then(|| Moves {
            firsts: Some(firsts.into_iter().collect()),
            has_end: false,
            grows: false,
            front: (most > 0).then_some(Fronts {
                bytes: most,
                length: (self.fronts.len() == 1).then_some(most),
            }),
        })
    }

    fn entrance(&self) -> Ingress {
        Ingress {
            name: "entrance".into(),
            beat_bytes: self.beat as u32,
            window_beats: 8u32.div_ceil(self.beat as u32),
            frame_depth: self.depth(),
            credits: 32,
            shortest: SHORTEST as u32,
            longest: self.longest as u32,
            has_time: true,
            has_random: false,
            has_egress: false,
            has_sum: false,
            has_port: false,
            own_bits: 0,
            has_own: false,
            tells_flight: false,
            clears_window: false,
            ahead: Some(Ahead {
                beats: self.ahead as u32,
            }),
        }
    }

    fn exit(&self) -> Egress {
        Egress {
            name: "leave".into(),
            beat_bytes: self.beat as u32,
            frame_depth: self.depth(),
            overlays: self.overlays.clone(),
            output_bits: OUTPUT_BITS,
            drops: true,
            class: None,
            has_index: false,
            may_be_empty: false,
            repeats: false,
            copies: false,
            cut_through: true,
            end_early: false,
        }
    }

    /// The stand-in for a program: its outputs are the lowest bits of byte 0, it forwards when bit 1 or 2 of that is set, to the class in
    /// bits 5:4; overlay k is written when bit k of byte 1 is set, with bytes 0 to 7 inverted, over and over; in front stand these bytes.
    fn outcome(&self, packet: &[u8]) -> Outcome {
        let first: [u8; 8] = packet[..8].try_into().expect("8 bytes");
        let mut data = packet[..packet.len().min(self.longest)].to_vec();
        let end = data.len() as i32;
        let start = match self.starts.len() {
            0 => 0,
            count => self.starts[first[2] as usize & 3 & (count - 1)],
        };
        let mut headroom = vec![0; 256];
        for (number, (offset, bytes)) in self.overlays.iter().enumerate() {
            if first[1] >> number & 1 == 1 {
                for at in 0..*bytes as i32 {
                    let (place, byte) = (offset + at, !first[at as usize % 8]);
                    if place < 0 {
                        headroom[(256 + place) as usize] = byte;
                    } else if place < end {
                        data[place as usize] = byte;
                    }
                }
            }
        }
        let front = self.fronts[(first[2] >> 2) as usize & (self.fronts.len() - 1)];
        let mut out: Vec<u8> = (0..front as usize).map(|at| first[at % 8]).collect();
        let memory = headroom.iter().chain(&data);
        out.extend(memory.skip((256 + start) as usize));
        Outcome {
            outputs: u64::from(first[0] & 7),
            forwarded: first[0] & 6 != 0,
            class: u64::from(first[0] >> 4 & 3),
            data: out,
            marked: false,
            pauses: false,
            begun: 0,
        }
    }
}

/// All blocks around the stand-in.
fn design(config: &Config) -> Design {
    let (mut design, mut m) = (Design::new(), Module::new("both", ""));
    let frame_bits = config.entrance().frame_bits();
    let mut wires = HashMap::from([
        ("packet_left", m.wire(1, "left")),
        ("frame_read_pointer", m.wire(frame_bits, "pointer")),
    ]);
    let block = ingress(&config.entrance());
    let widths = &block.module;
    let inputs = block.inputs().clone().map(&mut |name, _, node| {
        let wire = wires.get(name).copied();
        wire.unwrap_or_else(|| m.input(name, widths.width(node), ""))
    });
    let entrance = block.place(&mut design, &mut m, "entrance", inputs).out;
    let ports = [
        ("s_axis_tready", entrance.s_axis_tready),
        ("packet_valid", entrance.packet_valid),
        ("packet_length", entrance.packet_length),
        ("window", entrance.window),
        ("dropped_bad", entrance.dropped_bad),
        ("dropped_length", entrance.dropped_length),
    ];
    let time = entrance.drawn.packet_time_ns.expect("asked for");
    for (name, node) in ports.into_iter().chain([("packet_time_ns", time)]) {
        m.output(name, node, "");
    }
    let frames = m.mem(
        "frames",
        config.beat as u32 * 8,
        config.depth(),
        MemStyle::Block,
    );
    let write = &entrance.frame;
    m.mem_write(
        frames,
        write.frame_write_address,
        write.frame_write_data,
        write.frame_write,
    );
    let (address, read) = (m.wire(frame_bits, "address"), m.wire(1, "read"));
    let frame = m.mem_read_sync(frames, address, read);
    let pops = ["result_pop", "end_pop"].map(|name| m.wire(1, name));

    let (mut valid, mut first) = (entrance.packet_valid, m.slice(entrance.window, 0, 64));
    for clock in 0..config.latency {
        valid = m.delay_reset(format!("valid_{clock}"), valid);
        first = m.delay(format!("first_{clock}"), first);
    }
    let inputs = FifoIn {
        push: valid,
        data_in: first,
        pop: pops[0],
    };
    let results = fifo("results", 64, 32).place(&mut design, &mut m, "results", inputs);
    let end = ends(&mut design, &mut m, config, (&entrance, pops[1]));
    let told = Told {
        config,
        valid: results.out.valid,
        first: results.out.data_out,
        frame,
    };
    let moves = config.moves();
    let block = match &moves {
        None => egress(&config.exit()),
        Some(moves) => moved_egress(&config.exit(), moves),
    };
    let widths = &block.module;
    let mut inputs = block.inputs().clone();
    inputs = inputs.map(&mut |name, _, node| match name {
        "m_axis_tready" => m.input(name, 1, ""),
        name if name.starts_with("end_") || name == "frames_behind" => node,
        name => told.port(&mut m, name, widths.width(node)),
    });
    inputs.end = Some(end);
    let exit = block.place(&mut design, &mut m, "leave", inputs).out;
    m.drive(pops[0], exit.result_pop);
    m.drive(pops[1], exit.end_pop.expect("ends apart"));
    let pointer = exit.frame.frame_read_pointer;
    m.drive(address, exit.frame.frame_read_address.unwrap_or(pointer));
    m.drive(read, exit.frame.frame_read);
    m.drive(wires.remove("frame_read_pointer").expect("a wire"), pointer);
    m.drive(
        wires.remove("packet_left").expect("a wire"),
        exit.result_pop,
    );
    m.outputs(exit.stream);
    m.outputs(exit.fate);
    design.add(m);
    design
}

/// The FIFO of ends.
fn ends(
    design: &mut Design,
    m: &mut Module,
    config: &Config,
    (entrance, pop): (&IngressOut, Node),
) -> EndIn {
    let end = entrance.end.as_ref().expect("ends apart");
    let is_moved = config.moves().is_some();
    let (last, _) = last_byte(m, end.end_length);
    let length = match is_moved {
        true => end.end_length,
        false => last,
    };
    let inputs = FifoIn {
        push: end.end_known,
        data_in: m.concat(&[end.end_bad, length]),
        pop,
    };
    let ends = fifo("ends", 15, 32).place(design, m, "ends", inputs).out;
    let (length, bad) = (m.slice(ends.data_out, 0, 14), m.bit(ends.data_out, 14));
    EndIn {
        end_valid: ends.valid,
        end_bad: bad,
        end_length: is_moved.then_some(length),
        end_last_byte: (!is_moved).then_some(length),
        end_empty: None,
        frames_behind: end.frames_behind,
    }
}

/// What the exit is told of the packet at the head.
struct Told<'a> {
    config: &'a Config,
    valid: Node,
    /// Its bytes 0 to 7.
    first: Node,
    frame: Node,
}

impl Told<'_> {
    fn port(&self, m: &mut Module, name: &str, width: u32) -> Node {
        let first = self.first;
        let choose = |m: &mut Module, lo: u32, numbers: &[i64]| {
            let mut chosen = m.constant(numbers[0] as u64 & 0xffff, 16);
            let bits = m.slice(first, lo, 2);
            let mask = m.constant(numbers.len() as u64 - 1, 2);
            let at = m.and(&[bits, mask]);
            for (index, number) in (1..).zip(&numbers[1..]) {
                let here = m.eq_const(at, index);
                let number = m.constant(*number as u64 & 0xffff, 16);
                chosen = m.mux(here, number, chosen);
            }
            chosen
        };
        let fronts: Vec<i64> = self
            .config
            .fronts
            .iter()
            .map(|front| i64::from(*front))
            .collect();
        match name {
            "result_valid" => self.valid,
            "frame_read_data" => self.frame,
            "result_forwarded" => {
                let two = m.slice(first, 1, 2);
                m.reduce_or(two)
            }
            "result_outputs" => m.slice(first, 0, OUTPUT_BITS),
            "result_class" => m.slice(first, 4, 2),
            "result_from" => {
                let starts = self.config.starts.iter();
                let starts: Vec<i64> = starts.map(|start| i64::from(*start)).collect();
                let (start, front) = (choose(m, 16, &starts), choose(m, 18, &fronts));
                m.sub(start, front)
            }
            "result_front_length" => choose(m, 18, &fronts),
            "result_front" => repeated(m, first, width),
            name => {
                let overlays = self.config.overlays.iter();
                let names =
                    overlays.map(|(offset, _)| hardpath_blocks::egress::offset_name(*offset));
                let names: Vec<String> = names.collect();
                let is_of = |part: &str| {
                    let whole = |offset: &String| format!("overlay_{offset}_{part}") == name;
                    names.iter().position(whole)
                };
                if let Some(number) = is_of("enable") {
                    return m.bit(first, 8 + number as u32);
                }
                assert!(is_of("data").is_some(), "{name}");
                let inverted = m.not(first);
                repeated(m, inverted, width)
            }
        }
    }
}

fn repeated(m: &mut Module, word: Node, width: u32) -> Node {
    let all = vec![word; width.div_ceil(64) as usize];
    let all = m.concat(&all);
    m.slice(all, 0, width)
}

#[derive(Clone)]
struct Packet {
    data: Vec<u8>,
    bad: bool,
    /// The last beat has no bytes, when the bytes fill all beats before it.
    ends_apart: bool,
}

/// How often things happen, in eighths.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Manner {
    offered: u64,
    ready: u64,
}

const MANNERS: [Manner; 4] = [
    FULL,
    Manner {
        offered: 3,
        ready: 8,
    },
    Manner {
        offered: 8,
        ready: 3,
    },
    Manner {
        offered: 5,
        ready: 5,
    },
];
const FULL: Manner = Manner {
    offered: 8,
    ready: 8,
};

struct Run<'a> {
    config: &'a Config,
    bench: Bench,
    random: Random,
    clock: u64,
    expected: VecDeque<Outcome>,
    fates: VecDeque<(u64, bool)>,
    /// Length as the program sees it, and time.
    entering: VecDeque<(u64, u64)>,
    bad: u64,
    wrong_length: u64,
    out: Vec<u8>,
    held: Option<Vec<Vec<u64>>>,
    most_clocks: u64,
}

impl<'a> Run<'a> {
    fn new(config: &'a Config, seed: u64, mut bench: Bench) -> Run<'a> {
        bench.set("running", 1);
        bench.set("hold", 0);
        Run {
            config,
            bench,
            random: Random::new(seed),
            clock: 0,
            expected: VecDeque::new(),
            fates: VecDeque::new(),
            entering: VecDeque::new(),
            bad: 0,
            wrong_length: 0,
            out: Vec::new(),
            held: None,
            most_clocks: 0,
        }
    }

    /// Sends packets and waits until all are out.
    fn send(&mut self, packets: &[Packet], manner: Manner) {
        for packet in packets {
            let beats = self.beats(packet);
            for number in 0..beats {
                while self.random.below(8) >= manner.offered {
                    self.bench.set("s_axis_tvalid", 0);
                    self.step(manner);
                }
                self.offer(packet, number, beats);
                let mut waited = 0;
                loop {
                    let time = self.random.next();
                    self.bench.set("time_ns", time);
                    if self.step(manner) {
                        // What is known of a packet before all of it is in must be right for all that it may become.
                        self.took(packet, number, time);
                        break;
                    }
                    waited += 1;
                    assert!(waited < 40_000, "nothing is taken any more");
                }
            }
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
        assert!(self.entering.is_empty() && self.out.is_empty());
        assert_eq!(
            (self.bad, self.wrong_length),
            (0, 0),
            "bad, of wrong length"
        );
    }

    fn beats(&self, packet: &Packet) -> usize {
        let beats = packet.data.len().div_ceil(self.config.beat);
        let fills = packet.data.len() == beats * self.config.beat;
        beats + usize::from(packet.ends_apart && fills)
    }

    fn offer(&mut self, packet: &Packet, number: usize, beats: usize) {
        let beat = self.config.beat;
        let part = &packet.data[number * beat..packet.data.len().min((number + 1) * beat)];
        let mut bytes: Vec<u8> = (0..beat).map(|_| self.random.next() as u8).collect();
        bytes[..part.len()].copy_from_slice(part);
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("8 bytes")))
            .collect();
        self.bench.set_wide("s_axis_tdata", &limbs);
        self.bench.set("s_axis_tkeep", ones(part.len()));
        let is_last = number + 1 == beats;
        self.bench.set("s_axis_tlast", is_last.into());
        let bad = match is_last {
            true => packet.bad.into(),
            false => self.random.below(2),
        };
        self.bench.set("s_axis_tuser", bad);
        self.bench.set("s_axis_tvalid", 1);
    }

    /// Beat `number` of a packet was taken in the last clock.
    fn took(&mut self, packet: &Packet, number: usize, time: u64) {
        let config = self.config;
        let (length, beats, most) = (
            packet.data.len(),
            self.beats(packet),
            config.longest.div_ceil(config.beat),
        );
        if number == 0 {
            let is_ahead = beats > config.ahead;
            let too_long = length > config.longest;
            let right = length >= SHORTEST && !too_long;
            // What goes on behind the longest packet has ended before a mark could come.
            match packet.bad && beats <= most + 1 {
                true => self.bad += 1,
                false => self.wrong_length += u64::from(!right),
            }
            if is_ahead || (right && !packet.bad) {
                let outcome = Outcome {
                    marked: is_ahead && (packet.bad || too_long),
                    pauses: too_long || length.is_multiple_of(config.beat) && packet.ends_apart,
                    begun: self.clock - 1,
                    ..config.outcome(&packet.data)
                };
                let seen = match is_ahead {
                    true => config.ahead * config.beat,
                    false => length,
                };
                self.entering.push_back((seen as u64, time));
                self.fates.push_back((outcome.outputs, outcome.forwarded));
                if outcome.forwarded {
                    self.expected.push_back(outcome);
                }
            }
        }
    }

    /// Gives whether the beat that is offered is taken.
    fn step(&mut self, manner: Manner) -> bool {
        let ready = self.random.below(8) < manner.ready;
        self.bench.set("m_axis_tready", ready.into());
        self.bench.step();
        self.clock += 1;
        if self.bench.get("packet_valid") == 1 {
            let seen = (
                self.bench.get("packet_length"),
                self.bench.get("packet_time_ns"),
            );
            assert_eq!(Some(seen), self.entering.pop_front());
        }
        for (port, count) in [
            ("dropped_bad", &mut self.bad),
            ("dropped_length", &mut self.wrong_length),
        ] {
            *count = count.checked_sub(self.bench.get(port)).expect(port);
        }
        if self.bench.get("fate_valid") == 1 {
            let (outputs, sent) = self.fates.pop_front().expect("a fate for each packet");
            let fate = u64::from(sent) << OUTPUT_BITS | outputs;
            assert_eq!(self.bench.get("fate"), fate);
        }
        self.see_exit(ready, manner);
        self.bench.get("s_axis_tready") == 1
    }

    fn see_exit(&mut self, ready: bool, manner: Manner) {
        if self.bench.get("m_axis_tvalid") == 0 {
            assert!(self.held.is_none(), "a beat that was offered went away");
            let pauses = self.expected.front().is_none_or(|outcome| outcome.pauses);
            let may = manner != FULL || self.out.is_empty() || pauses;
            assert!(may, "a gap inside a packet");
            return;
        }
        let ports = ["tdata", "tkeep", "tlast", "tuser", "tdest"];
        let ports = ports.map(|port| format!("m_axis_{port}"));
        let now: Vec<Vec<u64>> = ports.iter().map(|port| self.bench.get_wide(port)).collect();
        if let Some(held) = &self.held {
            assert_eq!(held, &now, "a beat that was offered changed");
        }
        self.held = (!ready).then(|| now.clone());
        if !ready {
            return;
        }
        let outcome = self.expected.front().expect("something was sent");
        let left = outcome.data.len() - self.out.len();
        let (count, is_last) = (left.min(self.config.beat), left <= self.config.beat);
        if self.out.is_empty() {
            self.most_clocks = self.most_clocks.max(self.clock - 1 - outcome.begun);
        }
        let user = u64::from(outcome.marked && is_last) << OUTPUT_BITS | outcome.outputs;
        let beside = (now[1][0], now[2][0], now[3][0], now[4][0]);
        let wanted = (ones(count), u64::from(is_last), user, outcome.class << 32);
        assert_eq!(
            beside, wanted,
            "keep, last, user, dest with {left} bytes left"
        );
        let bytes = now[0].iter().flat_map(|limb| limb.to_le_bytes());
        self.out.extend(bytes.take(count));
        if is_last {
            assert_eq!(self.out, outcome.data);
            self.out.clear();
            self.expected.pop_front();
        }
    }
}

fn ones(count: usize) -> u64 {
    match count {
        0 => 0,
        _ => u64::MAX >> (64 - count),
    }
}

fn packet(random: &mut Random, length: usize) -> Packet {
    let mut data: Vec<u8> = (0..length.max(8)).map(|_| random.next() as u8).collect();
    // Mostly such that are forwarded.
    data[0] = *random.pick(&[0, 1, 2, 2, 3, 4, 4, 2]) | data[0] & 0xf8;
    Packet {
        data,
        bad: random.below(5) == 0,
        ends_apart: random.below(4) == 0,
    }
}

fn configs() -> Vec<Config> {
    let plain = |beat, ahead, latency, overlays: &[(i32, u32)]| Config {
        beat,
        ahead,
        longest: 700,
        latency,
        overlays: overlays.to_vec(),
        starts: Vec::new(),
        fronts: vec![0],
    };
    let moved = |config: Config, starts: &[i32], fronts: &[u32]| Config {
        starts: starts.to_vec(),
        fronts: fronts.to_vec(),
        ..config
    };
    let overlays = [(-20, 20), (0, 12), (60, 8), (70, 1), (120, 140)];
    vec![
        plain(64, 1, 7, &overlays[1..]),
        plain(64, 2, 1, &overlays[1..2]),
        plain(8, 2, 9, &[(0, 6), (6, 6), (13, 30)]),
        plain(16, 3, 0, &[]),
        plain(32, 1, 20, &[(28, 40)]),
        // At offset 0 and in front of it; behind it; on both sides; in any number of beats.
        moved(plain(64, 1, 7, &overlays), &[-20, 0], &[0]),
        moved(plain(16, 1, 0, &overlays[..2]), &[-20, 0], &[0]),
        moved(plain(64, 1, 5, &overlays[1..]), &[12], &[0]),
        moved(plain(8, 3, 0, &overlays[1..2]), &[4, 12], &[0]),
        moved(plain(64, 2, 3, &overlays), &[-20, 0, 4, 12], &[0]),
        moved(plain(8, 2, 1, &overlays), &[-20, 0, 4, 12], &[0]),
        // Bytes in front: always as many, and told for each.
        moved(plain(64, 1, 9, &overlays[1..]), &[14], &[34]),
        moved(plain(16, 2, 2, &overlays[1..]), &[0, 12], &[0, 8, 14, 70]),
        moved(plain(32, 1, 0, &[]), &[0, 12, 14, 3], &[2, 14]),
    ]
}

fn each(mut test: impl for<'a> FnMut(usize, &'a Config, Run<'a>)) {
    for (number, config) in configs().iter().enumerate() {
        let bench = Bench::new(&design(config));
        eprintln!("exit {number}");
        test(number, config, Run::new(config, number as u64, bench));
    }
}

#[test]
fn every_length_good_and_bad() {
    each(|number, config, mut run| {
        let mut random = Random::new(100 + number as u64);
        let lengths = (SHORTEST..300)
            .chain((300..650).step_by(17))
            .chain(680..=800);
        let some: Vec<Packet> = lengths.map(|length| packet(&mut random, length)).collect();
        for (turn, manner) in MANNERS.into_iter().enumerate() {
            run.send(&some[turn % 2..], manner);
        }
        let giants = [1400, 5000, 9, 12, 701, 700, 699, 1000];
        let giants = giants.map(|length| packet(&mut random, length));
        for manner in MANNERS {
            run.send(&giants, manner);
        }
        assert_eq!(config.longest, 700);
    });
}

#[test]
fn short_packets_at_full_rate() {
    each(|number, config, mut run| {
        let mut random = Random::new(200 + number as u64);
        for manner in MANNERS {
            let packets: Vec<Packet> = (0..600)
                .map(|_| {
                    let length = SHORTEST + random.below(120) as usize;
                    packet(&mut random, length)
                })
                .collect();
            let (begun, beats) = (run.clock, packets.iter().map(|packet| run.beats(packet)));
            let beats: usize = beats.sum();
            run.send(&packets, manner);
            // Without bytes in front a packet has hardly more beats than before.
            if manner == FULL && config.moves().is_none() {
                let clocks = run.clock - begun;
                assert!(clocks <= beats as u64 + 120, "{clocks} for {beats} beats");
            }
        }
    });
}

/// From the first beat in to the first beat out; of a packet of one beat as of the longest.
#[test]
fn the_latency_does_not_grow_with_the_length() {
    each(|number, config, mut run| {
        let mut random = Random::new(300 + number as u64);
        for length in [64, 65, 128, 200, 300, 500, 700] {
            let one = Packet {
                bad: false,
                ..packet(&mut random, length)
            };
            run.send(&[one], FULL);
        }
        // What the program takes; the entrance with the beats that it waits for; a FIFO; the exit, which waits for up to two more beats.
        let waits = config.ahead.max(3 + config.moves().is_some() as usize) as u64;
        let most = u64::from(config.latency) + waits + 9;
        assert!(
            run.most_clocks <= most,
            "{number}: {} > {most}",
            run.most_clocks
        );
    });
}

#[test]
fn a_reset_in_the_middle_forgets_everything() {
    each(|number, config, mut run| {
        let mut random = Random::new(400 + number as u64);
        for round in 0..12 {
            let length = 300 + random.below(900) as usize;
            let cut = packet(&mut random, length);
            let beats = run.beats(&cut);
            run.bench.set("m_axis_tready", round & 1);
            for at in 0..beats.min(1 + round as usize * 3) {
                run.offer(&cut, at, beats);
                run.bench.step();
            }
            run.bench.set("s_axis_tvalid", 0);
            run.bench.reset(1 + round as u32 % 3);
            run = Run::new(config, round, run.bench);
            let packets: Vec<Packet> = (0..10)
                .map(|_| {
                    let length = SHORTEST + random.below(300) as usize;
                    packet(&mut random, length)
                })
                .collect();
            run.send(&packets, MANNERS[round as usize % 4]);
        }
    });
}
