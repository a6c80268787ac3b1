//! Packets and contents of maps that take a program both ways at its branches.
//!
//! Nothing is known about the program but its IR. It runs in the interpreter, packet after packet; what shows something new
//! ([`super::ways`]) is kept, and the next tries are made from what was kept: the answer to a packet, the same packet once
//! more, other bytes, lengths, times and ports, other entries of maps under keys that the program asks for. Where a
//! compare was not seen equal yet, its left side is looked for in the packet, beside it and in the maps, and replaced by its
//! right side, or by one more or less (Aschermann et al., REDQUEEN, NDSS 2019).
//!
//! A try that shows nothing is taken back, so that the maps hold at each packet what the packets that were kept left in
//! them. All is drawn from a seed and ends after a number of operations, not of seconds, so that it can be repeated.

use super::change::{Change, Twin};
use super::ways::{Probes, Seen, Sides};
use super::{may_be_changed, sideband_of, PORTS};
use crate::contents::{can_be_put_in, stored_key, value, Random};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Image;
use hardpath_ir::{MapId, Program};
use hardpath_packet::{OwnInput, Packet};
use hardpath_packet::{MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use hardpath_testbed::capture::Captured;
use std::collections::{BTreeSet, HashSet};

/// Packets that are kept whatever they show, and those that are kept for a new way at a branch.
const MOST: usize = 240;
const MOST_FOR_BRANCHES: usize = 320;
/// Longer packets are kept for a new way at a branch only.
const LONG: usize = 400;
/// Instructions of all tries together: about half a second.
const INSTRUCTIONS: usize = 12_000_000;
/// What a try costs beside its instructions, in these.
const OVERHEAD: usize = 400;
/// So far into a packet values are looked for and bytes are changed.
const FRONT: usize = 96;

/// A packet that is kept, behind the changes of maps that it needs.
#[derive(Clone)]
pub struct Step {
    pub changes: Vec<Change>,
    pub packet: Packet,
    /// Its way through the program, to tell bursts of one sort from those of another.
    pub way: u64,
    /// As it left, if it did.
    pub out: Vec<u8>,
}

/// What was found.
pub struct Explored {
    pub steps: Vec<Step>,
    /// Ways at branches that were taken, and twice the branches.
    pub ways: (usize, usize),
}

/// Explores a program whose maps hold an image at first. `captured`: the seeds, as values of maps are made of them.
pub fn explore(
    program: &Program,
    image: &Image,
    (seeds, captured): (&[Packet], &[Captured]),
    seed: u64,
) -> Explored {
    let mut explorer = Explorer {
        program,
        prepared: Prepared::new(program),
        probes: Probes::of(program),
        twin: Twin::new(program, image),
        seen: HashSet::new(),
        missed: BTreeSet::new(),
        steps: Vec::new(),
        sides: Vec::new(),
        captured,
        random: Random(seed),
        left: INSTRUCTIONS,
    };
    for packet in seeds {
        for port in 0..PORTS.min(2) {
            let port = port as u8;
            explorer.attempt(
                Vec::new(),
                Packet {
                    port,
                    ..packet.clone()
                },
            );
        }
    }
    while explorer.left > 0 && !explorer.steps.is_empty() {
        let (changes, packet) = explorer.variation();
        explorer.attempt(changes, packet);
    }
    let taken = explorer.seen.iter().filter(|seen| seen.is_branch).count();
    Explored {
        ways: (taken, 2 * explorer.probes.branches()),
        steps: explorer.steps,
    }
}

struct Explorer<'a> {
    program: &'a Program,
    prepared: Prepared,
    probes: Probes,
    twin: Twin<'a>,
    seen: HashSet<Seen>,
    /// Keys that were asked for and not found.
    missed: BTreeSet<(MapId, Vec<u8>)>,
    steps: Vec<Step>,
    /// For each step the compares that it leaves open.
    sides: Vec<Vec<Sides>>,
    captured: &'a [Captured],
    random: Random,
    /// Instructions.
    left: usize,
}

/// Where a value that a compare had was found.
enum Place {
    Bytes(usize, Vec<u8>),
    Length(u64),
    Time(u64),
    Port(u8),
    Random(u32),
    /// All inputs of the program's own.
    Own(u64),
    Value(Change),
}

impl Explorer<'_> {
    /// Keeps the packet when it shows something new, else takes it back.
    fn attempt(&mut self, changes: Vec<Change>, packet: Packet) {
        let fits =
            (MIN_PACKET_BYTES as usize..=MAX_PACKET_BYTES as usize).contains(&packet.data.len());
        if !fits {
            return;
        }
        self.twin.begin();
        let all_done = changes.iter().all(|change| self.twin.change(change));
        self.twin.maps.watch_misses();
        let sideband = sideband_of(&packet);
        let fate = (self.prepared).run(&mut self.twin.maps, &packet.data, &sideband);
        let said = fate.first_output();
        let blocks = &self.program.blocks;
        let run = self.prepared.way().iter();
        let cost: usize = run
            .map(|at| blocks[self.program.order[*at]].insts.len())
            .sum();
        self.left = self.left.saturating_sub(cost + OVERHEAD);
        let out = self.prepared.left_behind();
        let fate = 2 * said.min(8) as u8 + u8::from(out != packet.data);
        let shown = self.probes.seen(&self.prepared, fate);
        let most = self.steps.len() >= MOST || packet.data.len() > LONG;
        let is_new = |seen: &&Seen| !self.seen.contains(seen) && (seen.is_branch || !most);
        let keeps = all_done
            && self.steps.len() < MOST_FOR_BRANCHES
            && shown.iter().any(|seen| is_new(&seen))
            && !self.twin.maps.take_forgotten();
        let missed = self.twin.maps.take_misses();
        if !keeps {
            self.twin.take_back();
            return;
        }
        self.twin.keep();
        self.missed.extend(missed);
        self.seen.extend(shown);
        self.sides
            .push(self.probes.open_compares(&self.prepared, &self.seen));
        let way = self.prepared.way().iter().fold(0u64, |hash, block| {
            (hash.rotate_left(5) ^ *block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        self.steps.push(Step {
            changes,
            packet,
            way,
            out,
        });
    }

    /// Something like one of the packets that were kept.
    fn variation(&mut self) -> (Vec<Change>, Packet) {
        let count = self.steps.len() as u32;
        // Those that came last know the way best.
        let at = match self.random.below(3) {
            0 => count - 1 - self.random.below(count.min(8)),
            _ => self.random.below(count),
        } as usize;
        let mut packet = self.steps[at].packet.clone();
        let latest = self.steps.last().map_or(0, |step| step.packet.time_ns);
        packet.time_ns = latest.wrapping_add(u64::from(self.random.below(2000)));
        let mut changes = Vec::new();
        match self.random.below(16) {
            0 => {}
            1 => packet.data = answer(&packet.data),
            2 => packet.data = answer(&self.steps[at].out),
            3 => self.change_bytes(&mut packet),
            4 => self.change_beside(&mut packet),
            5 => packet.data.resize(self.length(), 0),
            6 => changes.extend(self.missed_entry()),
            7 => changes.extend(self.other_entry()),
            8 => {
                changes.extend(self.other_entry());
                self.change_beside(&mut packet);
            }
            9 => {
                let other = self.random.below(count) as usize;
                let from = self.random.below(FRONT as u32) as usize;
                let other = &self.steps[other].packet.data;
                for (to, from) in packet.data.iter_mut().zip(other).skip(from).take(8) {
                    *to = *from;
                }
            }
            _ => self.meet(at, &mut packet, &mut changes),
        }
        // What one packet leaves the next one of its flow finds, from the other side, too.
        if self.random.below(8) == 0 {
            packet.port = self.random.below(PORTS) as u8;
        }
        (changes, packet)
    }

    /// Has an open compare meet its other side.
    fn meet(&mut self, at: usize, packet: &mut Packet, changes: &mut Vec<Change>) {
        let sides = &self.sides[at];
        if sides.is_empty() {
            return self.change_bytes(packet);
        }
        let sides = sides[self.random.below(sides.len() as u32) as usize];
        let (from, to) = match self.random.below(2) {
            0 => (sides.left, sides.right),
            _ => (sides.right, sides.left),
        };
        let wanted = match self.random.below(7) {
            3 | 4 => to ^ 1 << self.random.below(8 * sides.bytes.clamp(1, 8)),
            0 => to.wrapping_add(1),
            1 => to.wrapping_sub(1),
            2 => {
                to ^ (1 + u64::from(self.random.below(255))) << (8 * self.random.below(sides.bytes))
            }
            _ => to,
        };
        let mut places = self.places(packet, from, wanted, sides.bytes);
        if places.is_empty() {
            // Not found as it is: put it anywhere.
            let bytes = of_width(wanted, sides.bytes, self.random.below(2) == 0);
            let at = self.random.below(FRONT as u32) as usize;
            places.push(Place::Bytes(at, bytes));
        }
        let place = places.swap_remove(self.random.below(places.len() as u32) as usize);
        match place {
            Place::Bytes(at, bytes) => {
                for (to, from) in packet.data.iter_mut().skip(at).zip(bytes) {
                    *to = from;
                }
            }
            Place::Length(length) if length <= u64::from(MAX_PACKET_BYTES) => {
                packet.data.resize(length as usize, 0);
            }
            Place::Length(_) => {}
            Place::Time(time) => packet.time_ns = time,
            Place::Port(port) => packet.port = port,
            Place::Random(random) => packet.random = random,
            Place::Own(own) => packet.own = own,
            Place::Value(change) => changes.push(change),
        }
    }

    /// Wherever `from` comes from, so that it may become `to`.
    fn places(&mut self, packet: &Packet, from: u64, to: u64, bytes: u32) -> Vec<Place> {
        let mut places = Vec::new();
        let difference = to.wrapping_sub(from);
        let used = 8 - (from | to).leading_zeros() / 8;
        let widths = [1, 2, 4, 8].into_iter();
        for width in widths.filter(|width| (used.max(1)..=bytes.max(1)).contains(width)) {
            for is_big in [false, true] {
                let (old, new) = (of_width(from, width, is_big), of_width(to, width, is_big));
                let front = &packet.data[..packet.data.len().min(FRONT)];
                for at in found(front, &old) {
                    places.push(Place::Bytes(at, new.clone()));
                }
                for (map, key, value) in self.twin.entries() {
                    if !may_be_changed(&self.program.maps[map]) {
                        continue;
                    }
                    for at in found(value, &old).filter(|at| at.is_multiple_of(width as usize)) {
                        let mut value = value.to_vec();
                        value[at..at + new.len()].copy_from_slice(&new);
                        places.push(Place::Value(Change {
                            map,
                            key: key.to_vec(),
                            value: Some(value),
                        }));
                    }
                }
            }
        }
        // What is computed from a length or a time differs as they do.
        let length = packet.data.len() as u64;
        for scale in [0, from.trailing_zeros().min(63)] {
            places.push(Place::Length(
                length.wrapping_add(((difference as i64) >> scale) as u64),
            ));
        }
        places.push(Place::Time(packet.time_ns.wrapping_add(difference)));
        let wanted = (0..PORTS as u8).find(|port| u64::from(super::port(*port).interface) == to);
        places.extend(wanted.map(Place::Port));
        places.push(Place::Random(to as u32));
        for (lo, input) in OwnInput::places(&self.program.inputs) {
            let mask = u64::MAX >> (64 - input.width);
            if input.holds(to) && packet.own >> lo & mask == from & mask {
                places.push(Place::Own(packet.own & !(mask << lo) | to << lo));
            }
        }
        places
    }

    fn change_bytes(&mut self, packet: &mut Packet) {
        let front = packet.data.len().min(FRONT) as u32;
        for _ in 0..=self.random.below(3) {
            let byte = &mut packet.data[self.random.below(front) as usize];
            *byte = match self.random.below(4) {
                0 => *byte ^ 1 << self.random.below(8),
                1 => 0,
                2 => 0xff,
                _ => self.random.next() as u8,
            };
        }
    }

    fn change_beside(&mut self, packet: &mut Packet) {
        match self
            .random
            .below(5 + u32::from(!self.program.inputs.is_empty()))
        {
            5 => {
                packet.own = match self.random.below(3) {
                    0 => 0,
                    1 => self.random.next(),
                    _ => packet.own ^ 1 << self.random.below(64),
                }
            }
            0 => packet.port = self.random.below(PORTS) as u8,
            1 => packet.queue = self.random.below(16) as u16,
            2 => packet.random = self.random.next() as u32,
            3 => packet.egress = 1 + self.random.below(PORTS),
            _ => {
                let step = 1u64 << self.random.below(40);
                packet.time_ns = match self.random.below(4) {
                    0 => packet.time_ns.wrapping_sub(step),
                    _ => packet.time_ns.wrapping_add(step),
                };
            }
        }
    }

    fn length(&mut self) -> usize {
        match self.random.below(4) {
            0 => MIN_PACKET_BYTES as usize + self.random.below(4) as usize,
            1 | 2 => MIN_PACKET_BYTES as usize + self.random.below(80) as usize,
            _ => MIN_PACKET_BYTES as usize + self.random.below(600) as usize,
        }
    }

    /// An entry under a key that the program asked for.
    fn missed_entry(&mut self) -> Option<Change> {
        let count = self.missed.len() as u32;
        let at = self.random.below(count.max(1)) as usize;
        let (map, key) = self.missed.iter().nth(at)?.clone();
        let decl = &self.program.maps[map];
        if !can_be_put_in(decl, &key) || !may_be_changed(decl) {
            return None;
        }
        Some(Change {
            map,
            key: stored_key(decl, key, &mut self.random),
            value: Some(value(decl, self.captured, &mut self.random)),
        })
    }

    /// Another value of an entry, or none.
    fn other_entry(&mut self) -> Option<Change> {
        let entries = self.twin.entries().len() as u32;
        let at = self.random.below(entries.max(1)) as usize;
        let (map, key, _) = self.twin.entries().nth(at)?;
        let key = key.to_vec();
        let decl = &self.program.maps[map];
        if !may_be_changed(decl) {
            return None;
        }
        let goes = !decl.is_array() && self.random.below(2) == 0;
        Some(Change {
            map,
            key,
            value: (!goes).then(|| value(decl, self.captured, &mut self.random)),
        })
    }
}

/// The lowest bytes of a value, in one order or the other.
fn of_width(value: u64, bytes: u32, is_big: bool) -> Vec<u8> {
    let mut all = value.to_le_bytes()[..bytes.clamp(1, 8) as usize].to_vec();
    if is_big {
        all.reverse();
    }
    all
}

/// Where a pattern stands.
fn found<'a>(bytes: &'a [u8], pattern: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let windows = bytes.windows(pattern.len()).enumerate();
    windows
        .filter(move |(_, window)| *window == pattern)
        .map(|(at, _)| at)
}

/// The packet with its two ends exchanged: addresses of Ethernet, IPv4 and IPv6, and the ports behind them.
pub fn answer(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let mut swap = |first: usize, second: usize, bytes: usize| {
        if second + bytes <= packet.len() {
            for index in 0..bytes {
                packet.swap(first + index, second + index);
            }
        }
    };
    swap(0, 6, 6);
    let byte = |at: usize| -> usize { packet.get(at).copied().unwrap_or(0).into() };
    let mut ip = 14;
    while matches!((byte(ip - 2), byte(ip - 1)), (0x81, 0) | (0x88, 0xa8)) {
        ip += 4;
    }
    let (addresses, length, ports) = match (byte(ip - 2), byte(ip - 1)) {
        (0x08, 0x00) => (ip + 12, 4, ip + (byte(ip) & 15) * 4),
        (0x86, 0xdd) => (ip + 8, 16, ip + 40),
        _ => return packet,
    };
    let mut swap = |first: usize, second: usize, bytes: usize| {
        if second + bytes <= packet.len() {
            for index in 0..bytes {
                packet.swap(first + index, second + index);
            }
        }
    };
    swap(addresses, addresses + length, length);
    swap(ports, ports + 2, 2);
    packet
}
