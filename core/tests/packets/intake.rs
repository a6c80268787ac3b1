//! The intake beside a model: which packets come to stand where in the ring, with what around them and beside them; at all widths, with
//! gaps, memories and users of any speed.

use crate::bench::Bench;
use hardpath_core::hardware::packets::intake::{intake, Intake};
use hardpath_core::hardware::packets::Ring;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, Module};
use hardpath_testkit::Random;
use std::collections::VecDeque;

#[derive(Clone, Default)]
struct Packet {
    data: Vec<u8>,
    bad: bool,
    port: u64,
    queue: u64,
    own: u64,
    time: u64,
    random: u64,
    egress: u64,
}

#[derive(Clone, Copy)]
struct Limits {
    headroom: u64,
    tail: u64,
    shortest: u64,
    longest: u64,
}

struct Setup {
    config: Intake,
    limits: Limits,
    /// In so many of eight clocks a beat is offered, the memory takes lines, a descriptor is taken.
    beats: u64,
    memory: u64,
    takes: u64,
    /// Packets stay in the ring until there are more, or in so many of eight clocks one goes.
    held: usize,
    gives: u64,
}

impl Setup {
    fn new(beat_bytes: u32, lines: u32, limits: Limits) -> Setup {
        Setup {
            config: Intake {
                ring: Ring { lines },
                beat_bytes,
                own_bits: 40,
                ..Intake::default()
            },
            limits,
            beats: 8,
            memory: 8,
            takes: 8,
            held: usize::MAX,
            gives: 8,
        }
    }

    fn lines_of(&self, packet: &Packet) -> u64 {
        let bytes = (packet.data.len() as u64).max(self.limits.tail);
        self.limits.headroom + bytes.div_ceil(64)
    }

    fn is_taken(&self, packet: &Packet) -> bool {
        let length = packet.data.len() as u64;
        let right = (self.limits.shortest..=self.limits.longest).contains(&length);
        right && !packet.bad
    }
}

fn packet(random: &mut Random, length: usize) -> Packet {
    Packet {
        data: (0..length).map(|_| random.next() as u8).collect(),
        bad: random.below(8) == 0,
        port: random.below(256),
        queue: random.below(1 << 16),
        own: random.next() & ((1 << 40) - 1),
        time: random.next(),
        random: random.next() & 0xffff_ffff,
        egress: random.next() & 0xffff_ffff,
    }
}

/// What is offered for a clock or more.
struct Beat {
    data: Vec<u8>,
    keep: u64,
    last: bool,
    user: u128,
    side: [u64; 3],
}

/// The beats of a packet; behind whole ones the last one may be empty.
fn beats(packet: &Packet, beat_bytes: usize, random: &mut Random) -> Vec<Beat> {
    let mut parts: Vec<&[u8]> = packet.data.chunks(beat_bytes).collect();
    let is_whole = packet.data.len().is_multiple_of(beat_bytes);
    if packet.data.is_empty() || is_whole && random.below(4) == 0 {
        parts.push(&[]);
    }
    let count = parts.len();
    let beat = |(number, part): (usize, &&[u8])| {
        let (is_first, last) = (number == 0, number + 1 == count);
        let mut data = part.to_vec();
        data.resize(beat_bytes, 0xee);
        let beside = u128::from(packet.port) << 1
            | u128::from(packet.queue) << 9
            | u128::from(packet.own) << 25;
        // Where nobody may look at it, all is different.
        let beside = if is_first { beside } else { !beside };
        let bad = if last {
            packet.bad
        } else {
            random.below(2) == 0
        };
        let side = [packet.time, packet.random, packet.egress];
        Beat {
            data,
            keep: u64::MAX.checked_shr(64 - part.len() as u32).unwrap_or(0),
            last,
            user: beside & ((1 << 65) - 2) | u128::from(bad),
            side: side.map(|value| if is_first { value } else { !value }),
        }
    };
    parts.iter().enumerate().map(beat).collect()
}

fn offer(bench: &mut Bench, beat: &Beat) {
    bench.set_bytes("s_axis_tdata", &beat.data);
    bench.set("s_axis_tkeep", beat.keep);
    bench.set("s_axis_tlast", beat.last.into());
    bench.set_wide(
        "s_axis_tuser",
        &[beat.user as u64, (beat.user >> 64) as u64],
    );
    for (name, value) in ["time_ns", "random", "egress"].iter().zip(beat.side) {
        bench.set(name, value);
    }
}

/// An intake whose descriptors are taken as they come while `wants` is 1.
fn with_taker(config: &Intake) -> Design {
    let (mut design, mut m) = (Design::new(), Module::new("top", ""));
    let block = intake(&mut design, config);
    let take = m.wire(1, "take");
    let module = &block.module;
    let inputs = block.inputs().clone().map(&mut |name, _, node| match name {
        "descriptor_take" => take,
        _ => m.input(name, module.width(node), ""),
    });
    let out = block.place(&mut design, &mut m, "intake", inputs).out;
    let wants = m.input("wants", 1, "");
    let takes = m.and(&[wants, out.descriptor_valid]);
    m.drive(take, takes);
    m.outputs(out);
    design.add(m);
    design
}

/// A run of an intake.
struct Run<'a> {
    setup: &'a Setup,
    bench: Bench,
    random: Random,
    ring: Vec<[u8; 64]>,
    /// Packets in the ring, each with the line behind its last one.
    inside: VecDeque<u64>,
    /// The first line of the next packet.
    first_line: u64,
    dropped: [u64; 2],
    /// The clocks in which a descriptor was taken.
    told: Vec<u64>,
}

impl<'a> Run<'a> {
    fn new(setup: &'a Setup, seed: u64) -> Run<'a> {
        let mut bench = Bench::new(&with_taker(&setup.config));
        let limits = setup.limits;
        bench.set("headroom_lines", limits.headroom);
        bench.set("tail", limits.tail);
        bench.set("shortest", limits.shortest);
        bench.set("longest", limits.longest);
        bench.set("running", 1);
        Run {
            setup,
            bench,
            random: Random::new(seed),
            ring: vec![[0xaa; 64]; setup.config.ring.lines as usize],
            inside: VecDeque::new(),
            first_line: 0,
            dropped: [0; 2],
            told: Vec::new(),
        }
    }

    /// Sends packets, and compares what comes of them.
    fn send(&mut self, packets: &[Packet]) {
        let beat_bytes = self.setup.config.beat_bytes as usize;
        let mut all: VecDeque<Beat> = VecDeque::new();
        for packet in packets {
            all.extend(beats(packet, beat_bytes, &mut self.random));
        }
        let good = packets.iter().filter(|packet| self.setup.is_taken(packet));
        let mut expected: VecDeque<&Packet> = good.collect();
        let bad = packets.iter().filter(|packet| packet.bad).count() as u64;
        let wrong = (packets.len() - expected.len()) as u64 - bad;
        let (mut offers, mut clocks) = (false, 0_u64);
        while !all.is_empty() || !expected.is_empty() || self.dropped != [bad, wrong] {
            offers |= !all.is_empty() && self.random.below(8) < self.setup.beats;
            self.bench.set("s_axis_tvalid", offers.into());
            if let Some(beat) = all.front() {
                offer(&mut self.bench, beat);
            }
            let accepts = self.clock(&mut expected, clocks);
            if offers && accepts {
                all.pop_front();
                offers = false;
            }
            clocks += 1;
            assert!(clocks < 3_000_000, "it hangs");
        }
        self.dropped = [0; 2];
    }

    /// One clock. Whether a beat is taken.
    fn clock(&mut self, expected: &mut VecDeque<&Packet>, clock: u64) -> bool {
        let ready = self.random.below(8) < self.setup.memory;
        self.bench.set("line_ready", ready.into());
        let gives = !self.inside.is_empty()
            && (self.inside.len() > self.setup.held || self.random.below(8) < self.setup.gives);
        let given = if gives { self.inside.pop_front() } else { None };
        self.bench.set("given_back", given.is_some().into());
        self.bench.set("given_lines", given.unwrap_or(77));
        let wants = self.random.below(8) < self.setup.takes;
        self.bench.set("wants", wants.into());
        self.bench.step();
        let bench = &mut self.bench;
        self.dropped[0] += bench.get("dropped_bad");
        self.dropped[1] += bench.get("dropped_length");
        if wants && bench.get("descriptor_valid") == 1 {
            let packet = expected.pop_front().expect("a packet was sent");
            self.check(packet);
            self.told.push(clock);
        }
        let bench = &mut self.bench;
        if ready && bench.get("line_valid") == 1 {
            let index = bench.get("line_index") as usize;
            self.ring[index] = match bench.get("line_zeros") {
                1 => [0; 64],
                _ => bench.get_bytes("line_data").try_into().unwrap(),
            };
        }
        bench.get("s_axis_tready") == 1
    }

    /// Compares a packet with what the descriptor and the ring say.
    fn check(&mut self, packet: &Packet) {
        let (lines, limits) = (self.ring.len() as u64, self.setup.limits);
        let first = self.first_line;
        let body = (first + limits.headroom) % lines;
        let count = self.setup.lines_of(packet);
        let bench = &mut self.bench;
        assert_eq!(bench.get("packet_line"), body);
        assert_eq!(bench.get("packet_lines"), count);
        assert_eq!(bench.get("packet_length"), packet.data.len() as u64);
        assert_eq!(bench.get("packet_port"), packet.port);
        assert_eq!(bench.get("packet_queue"), packet.queue);
        assert_eq!(bench.get("packet_time_ns"), packet.time);
        assert_eq!(bench.get("packet_random"), packet.random & 0xffff_ffff);
        assert_eq!(bench.get("packet_egress"), packet.egress & 0xffff_ffff);
        assert_eq!(bench.get("packet_own"), packet.own);
        for line in 0..count {
            let mut bytes = [0; 64];
            if let Some(at) = line.checked_sub(limits.headroom) {
                let rest = packet.data.iter().skip(at as usize * 64);
                bytes
                    .iter_mut()
                    .zip(rest)
                    .for_each(|(to, from)| *to = *from);
            }
            let index = ((first + line) % lines) as usize;
            assert_eq!(
                self.ring[index],
                bytes,
                "line {line} of {}",
                packet.data.len()
            );
        }
        self.first_line = (first + count) % lines;
        self.inside.push_back(count);
    }
}

fn limits(headroom: u64, tail: u64, shortest: u64, longest: u64) -> Limits {
    Limits {
        headroom,
        tail,
        shortest,
        longest,
    }
}

#[test]
fn packets_stand_in_the_ring_as_they_came() {
    let mut seed = 0;
    for beat_bytes in [8, 16, 32, 64] {
        for (limits, lines) in [
            (limits(0, 0, 0, 1500), 64),
            (limits(4, 0, 14, 1518), 32),
            (limits(1, 700, 14, 200), 16),
            (limits(4, 1800, 60, 9216), 512),
        ] {
            for (beats, memory, takes, held) in
                [(8, 8, 8, 99), (3, 8, 8, 99), (8, 3, 2, 2), (8, 7, 8, 0)]
            {
                seed += 1;
                let setup = Setup {
                    beats,
                    memory,
                    takes,
                    held,
                    gives: 1,
                    ..Setup::new(beat_bytes, lines, limits)
                };
                let mut random = Random::new(seed);
                let packets: Vec<Packet> = (0..60)
                    .map(|_| {
                        let most = [70, 300, limits.longest + 100][random.below(3) as usize];
                        let length = random.below(most) as usize;
                        packet(&mut random, length)
                    })
                    .collect();
                Run::new(&setup, seed).send(&packets);
            }
        }
    }
}

#[test]
fn all_lengths_are_right() {
    for beat_bytes in [8, 64] {
        let setup = Setup::new(beat_bytes, 512, limits(4, 0, 1, 9216));
        let mut random = Random::new(beat_bytes.into());
        let short = 0..200;
        let long = (200..9300).step_by(337);
        let about = [9215, 9216, 9217, 16320, 16384, 16385, 16500, 40000];
        let packets: Vec<Packet> = short
            .chain(long)
            .chain(about)
            .map(|length| Packet {
                bad: false,
                ..packet(&mut random, length)
            })
            .collect();
        Run::new(&setup, 5).send(&packets);
    }
}

/// Clocks between descriptors of packets of this length that come without gaps.
fn clocks_each(beat_bytes: u32, headroom: u64, length: usize) -> f64 {
    let setup = Setup::new(beat_bytes, 512, limits(headroom, 0, 14, 9216));
    let mut random = Random::new(1);
    let packets: Vec<Packet> = (0..200)
        .map(|_| Packet {
            bad: false,
            ..packet(&mut random, length)
        })
        .collect();
    let mut run = Run::new(&setup, 1);
    run.send(&packets);
    let last = run.told.len() - 1;
    (run.told[last] - run.told[20]) as f64 / (last - 20) as f64
}

#[test]
fn a_packet_takes_a_clock_for_each_line() {
    // A whole last beat may have an empty one behind it, in one of four packets.
    assert!(clocks_each(64, 0, 60) < 1.01);
    assert!(clocks_each(64, 0, 250) < 4.02);
    assert!(clocks_each(64, 4, 60) < 5.02);
    assert!(clocks_each(8, 0, 60) < 8.02);
    assert!(clocks_each(16, 4, 250) < 16.05);
}

#[test]
fn what_is_asked_for_can_change_between_packets() {
    let setup = Setup::new(64, 64, limits(3, 0, 14, 1500));
    let mut run = Run::new(&setup, 3);
    let mut random = Random::new(3);
    let packets: Vec<Packet> = (0..20).map(|_| packet(&mut random, 100)).collect();
    run.send(&packets);
    run.bench.set("running", 0);
    let changed = Setup::new(64, 64, limits(1, 512, 14, 1500));
    let mut expected = VecDeque::new();
    for clock in 0..40 {
        run.bench.set("s_axis_tvalid", 0);
        run.clock(&mut expected, clock);
    }
    assert_eq!(run.bench.get("idle"), 1);
    run.bench.set("headroom_lines", 1);
    run.bench.set("tail", 512);
    for clock in 0..3 {
        run.clock(&mut expected, clock);
    }
    run.bench.set("running", 1);
    run.setup = &changed;
    run.send(&packets);
}
