//! The exit for packets that were moved, alone: what leaves is the packet's memory from where it begins to where it
//! ends, in as many clocks as it has beats, at every width, with every kind of move, with and without backpressure.

use crate::bench::Bench;
use hardpath_blocks::egress::{offset_name, Egress};
use hardpath_blocks::index_bits;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::{Fronts, Moves};
use hardpath_rtl::signals::Signals;
use hardpath_testkit::Random;
use std::collections::BTreeSet;

const DEPTH: u32 = 1 << 11;
const HEADROOM: i32 = 216;

struct Case {
    beat: usize,
    moves: Moves,
    /// Where the packet itself begins, with nothing in front; `None`: anywhere.
    starts: Option<Vec<i32>>,
    /// So many bytes may be in front.
    fronts: Vec<u32>,
    overlays: Vec<(i32, u32)>,
    /// What the exit is told of a packet.
    told: Told,
}

#[derive(Clone, Copy)]
struct Told {
    output_bits: u32,
    drops: bool,
    class: Option<u64>,
    has_index: bool,
}

const TOLD: [Told; 3] = [
    Told {
        output_bits: 3,
        drops: true,
        class: None,
        has_index: false,
    },
    Told {
        output_bits: 0,
        drops: true,
        class: Some(2),
        has_index: true,
    },
    Told {
        output_bits: 60,
        drops: false,
        class: None,
        has_index: true,
    },
];

/// A packet with its result.
struct Packet {
    data: Vec<u8>,
    outputs: u64,
    forwarded: bool,
    class: u64,
    index: u64,
    /// Where it begins, with nothing in front.
    start: i32,
    /// What is put in front, and behind it what must not be seen.
    front: Vec<u8>,
    front_length: u32,
    end: i32,
    keep: i32,
    /// One for each overlay.
    written: Vec<Option<Vec<u8>>>,
}

/// A way in which packets are moved, without the bus.
#[derive(Clone)]
struct Kind {
    starts: Option<Vec<i32>>,
    fronts: Vec<u32>,
    has_end: bool,
    grows: bool,
}

fn moves(starts: Option<&[i32]>, has_end: bool, grows: bool) -> Kind {
    Kind {
        starts: starts.map(<[i32]>::to_vec),
        fronts: vec![0],
        has_end,
        grows,
    }
}

fn kinds() -> Vec<Kind> {
    let fronts = |fronts: &[u32], kind: Kind| Kind {
        fronts: fronts.to_vec(),
        ..kind
    };
    let any: Vec<u32> = (0..=100).collect();
    vec![
        moves(Some(&[-20, 0]), false, false),
        moves(Some(&[-4]), false, false),
        moves(Some(&[0, 20]), false, false),
        moves(Some(&[34]), true, false),
        moves(Some(&[-50, -20, 0, 14, 20]), true, false),
        moves(Some(&[0]), true, false),
        moves(Some(&[0]), true, true),
        moves(Some(&[-4, 0]), false, false),
        moves(Some(&[-200, -150, -104, -100, -49, -5, -1, 3]), true, true),
        moves(None, true, false),
        moves(None, true, true),
        // Always as many bytes in front: before offset 0, at it, on both sides, behind it.
        fronts(&[4], moves(Some(&[0]), false, false)),
        fronts(&[34], moves(Some(&[34]), true, false)),
        fronts(&[20], moves(Some(&[0, 14, 30]), false, false)),
        fronts(&[14], moves(Some(&[34, 40]), true, false)),
        // More than any beat.
        fronts(&[80], moves(Some(&[-20, 0, 20]), true, true)),
        // Told for each packet, few and many, from none on.
        fronts(&[0, 4], moves(Some(&[0]), false, false)),
        fronts(&[0, 8, 70], moves(Some(&[38]), true, false)),
        fronts(&[4, 40, 130], moves(Some(&[0, 14, 40]), true, true)),
        fronts(&any, moves(Some(&[-50, -20, 0, 14, 20]), false, false)),
        fronts(&any, moves(None, true, true)),
    ]
}

impl Kind {
    fn case(&self, beat: usize, overlays: Vec<(i32, u32)>, told: Told) -> Case {
        let firsts = self.starts.as_ref().map(|starts| {
            let firsts = starts.iter().flat_map(|start| {
                let fronts = self.fronts.iter();
                fronts.map(move |front| start - *front as i32)
            });
            let firsts: BTreeSet<i32> = firsts.collect();
            firsts.into_iter().collect()
        });
        let front = (self.fronts != [0]).then(|| Fronts {
            bytes: *self.fronts.iter().max().expect("a length"),
            length: match self.fronts[..] {
                [one] => Some(one),
                _ => None,
            },
        });
        Case {
            beat,
            moves: Moves {
                firsts,
                has_end: self.has_end,
                grows: self.grows,
                front,
            },
            starts: self.starts.clone(),
            fronts: self.fronts.clone(),
            overlays,
            told,
        }
    }
}

fn cases() -> Vec<Case> {
    let pairs = kinds()
        .into_iter()
        .flat_map(|kind| [8, 16, 32, 64].map(|beat| (beat, kind.clone())));
    let overlays = [(-216, 3), (-60, 40), (-20, 20), (0, 14), (30, 7), (60, 30)];
    pairs
        .enumerate()
        .map(|(number, (beat, kind))| kind.case(beat, overlays.to_vec(), TOLD[number % 3]))
        .collect()
}

impl Case {
    fn packet(&self, random: &mut Random) -> Packet {
        let length = 60 + random.below(140) as i32;
        let data = (0..length).map(|_| random.next() as u8).collect();
        let start = match &self.starts {
            Some(starts) => *random.pick(starts),
            None => random.below(HEADROOM as u64 + 40) as i32 - HEADROOM,
        };
        let (mut end, mut keep) = (length, length);
        if self.moves.has_end {
            end = start + 14 + random.below(200) as i32;
            keep = match self.moves.grows {
                true => (start + 14 + random.below(100) as i32).min(end).min(length),
                false => end,
            };
            if !self.moves.grows {
                end = end.min(length.max(start + 14));
            }
        }
        let most = self.fronts.iter().max().expect("a length");
        let written = self.overlays.iter().map(|(_, bytes)| {
            let bytes = (0..*bytes).map(|_| random.next() as u8).collect();
            (random.below(2) == 0).then_some(bytes)
        });
        let written = written.collect();
        Packet {
            data,
            outputs: random.next() & ((1 << self.told.output_bits) - 1),
            forwarded: !self.told.drops || random.below(4) > 0,
            class: self.told.class.unwrap_or(random.below(4)),
            index: if self.told.has_index {
                random.next() & 0xffff_ffff
            } else {
                0
            },
            start,
            front: (0..*most).map(|_| random.next() as u8).collect(),
            front_length: *random.pick(&self.fronts),
            end,
            keep,
            written,
        }
    }

    /// What leaves: what is in front, and the packet; `None`: it is dropped.
    fn leaves(&self, packet: &Packet) -> Option<Vec<u8>> {
        let byte = |offset: i32| {
            for ((start, bytes), written) in self.overlays.iter().zip(&packet.written) {
                if let (Some(written), true) =
                    (written, (*start..start + *bytes as i32).contains(&offset))
                {
                    return written[(offset - start) as usize];
                }
            }
            match usize::try_from(offset) {
                Ok(at) if !self.moves.grows || offset < packet.keep => {
                    packet.data.get(at).copied().unwrap_or(0)
                }
                _ => 0,
            }
        };
        let mut out = packet.front[..packet.front_length as usize].to_vec();
        out.extend((packet.start..packet.end).map(byte));
        packet.forwarded.then_some(out)
    }

    /// Clocks that it takes at full rate.
    fn clocks(&self, packet: &Packet) -> u64 {
        let beat = self.beat as i32;
        let first = packet.first();
        if !packet.forwarded {
            return 1;
        }
        let beats = (packet.end - first + beat - 1) / beat;
        let touched = (packet.end - 1).div_euclid(beat) - first.div_euclid(beat) + 1;
        if first > 0 {
            touched as u64
        } else {
            beats as u64
        }
    }

    fn exit(&self) -> Egress {
        Egress {
            name: "leave".into(),
            beat_bytes: self.beat as u32,
            frame_depth: DEPTH,
            overlays: self.overlays.clone(),
            output_bits: self.told.output_bits,
            drops: self.told.drops,
            class: self.told.class,
            has_index: self.told.has_index,
            may_be_empty: false,
            repeats: false,
            copies: false,
            cut_through: false,
            end_early: false,
        }
    }

    /// Gives a packet's result to the exit.
    fn give(&self, packet: &Packet, bench: &mut Bench) {
        bench.set("result_length", packet.data.len() as u64);
        if self.told.drops {
            bench.set("result_forwarded", packet.forwarded.into());
        }
        if self.told.output_bits > 0 {
            bench.set("result_outputs", packet.outputs);
        }
        if self.told.class.is_none() {
            bench.set("result_class", packet.class);
        }
        if self.told.has_index {
            bench.set("result_index", packet.index);
        }
        for port in self.moves.widths().names() {
            let value = match port.as_str() {
                "result_from" => packet.first(),
                "result_end" => packet.end,
                "result_keep" => packet.keep,
                "result_front_length" => packet.front_length as i32,
                "result_front" => {
                    bench.set_wide("result_front", &limbs(&packet.front));
                    continue;
                }
                _ => panic!("{port}"),
            };
            bench.set(&port, value as u64 & 0xffff);
        }
        for ((offset, bytes), written) in self.overlays.iter().zip(&packet.written) {
            let name = offset_name(*offset);
            bench.set(&format!("overlay_{name}_enable"), written.is_some().into());
            let data = written.clone().unwrap_or(vec![0x77; *bytes as usize]);
            bench.set_wide(&format!("overlay_{name}_data"), &limbs(&data));
        }
    }
}

impl Packet {
    /// Where what leaves begins.
    fn first(&self) -> i32 {
        self.start - self.front_length as i32
    }
}

/// Sends packets through and gives the clocks from the first result to the last beat.
fn run(
    case: &Case,
    packets: &[Packet],
    random: &mut Random,
    (ready_in_8, end_early): (u64, bool),
) -> u64 {
    let exit = Egress {
        end_early,
        ..case.exit()
    };
    let mut bench = Bench::of(moved_egress(&exit, &case.moves));
    // Frames of packets that are gone stay: what is not the packet's must not be seen.
    let mut memory = vec![vec![0xee; case.beat]; DEPTH as usize];
    let mut write = 0;
    for packet in packets {
        for frame in packet.data.chunks(case.beat) {
            memory[write % DEPTH as usize][..frame.len()].copy_from_slice(frame);
            write += 1;
        }
    }
    assert!(write < DEPTH as usize, "all packets fit");
    // By packet.
    let expected: Vec<Option<Vec<u8>>> = packets.iter().map(|packet| case.leaves(packet)).collect();
    let next_from = |done: usize| {
        let behind = expected[done..].iter().position(Option::is_some);
        behind.map_or(packets.len(), |further| done + further)
    };
    let (mut given, mut done, mut told, mut out, mut clock) = (0, next_from(0), 0, Vec::new(), 0);
    let mut begun = None;
    while done < packets.len() || told < packets.len() {
        assert!(clock < 100_000, "it hangs");
        let present = packets
            .get(given)
            .filter(|_| ready_in_8 == 8 || random.below(4) > 0);
        bench.set("result_valid", present.is_some().into());
        if let Some(packet) = present {
            begun.get_or_insert(clock);
            case.give(packet, &mut bench);
        }
        let ready = random.below(8) < ready_in_8;
        bench.set("m_axis_tready", ready.into());
        bench.step();
        if bench.get("result_pop") == 1 {
            assert!(present.is_some());
            given += 1;
        }
        if bench.get("frame_read") == 1 {
            let address = bench.get("frame_read_address") as usize;
            assert!(address < 1 << index_bits(DEPTH.into()));
            bench.set_wide("frame_read_data", &limbs(&memory[address]));
        }
        if bench.get("fate_valid") == 1 {
            let packet = &packets[told];
            let sent = u64::from(packet.forwarded) << case.told.output_bits;
            assert_eq!(bench.get("fate"), sent | packet.outputs, "packet {told}");
            told += 1;
        }
        if ready && bench.get("m_axis_tvalid") == 1 {
            let (packet, bytes) = (&packets[done], expected[done].as_ref().expect("it leaves"));
            let left = bytes.len() - out.len();
            let count = left.min(case.beat);
            let keep = u64::MAX >> (64 - count);
            assert_eq!(bench.get("m_axis_tkeep"), keep, "{left} bytes left");
            assert_eq!(bench.get("m_axis_tlast"), u64::from(left <= case.beat));
            assert_eq!(bench.get("m_axis_tuser"), packet.outputs);
            let destination = packet.class << 32 | packet.index;
            assert_eq!(bench.get("m_axis_tdest"), destination);
            let data = bench.get_wide("m_axis_tdata");
            let data = data.iter().flat_map(|limb| limb.to_le_bytes());
            out.extend(data.take(count));
            if out.len() == bytes.len() {
                assert_eq!(&out, bytes, "packet {done}, {:?}", case.moves);
                assert!(told > done, "a fate comes no later than the last beat");
                out.clear();
                done = next_from(done + 1);
            }
        }
        clock += 1;
    }
    clock - begun.unwrap_or(0)
}

fn limbs(bytes: &[u8]) -> Vec<u64> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let chunks = bytes.chunks(8);
    chunks
        .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("8 bytes")))
        .collect()
}

#[test]
fn every_move_at_every_width() {
    for (seed, case) in cases().iter().enumerate() {
        let mut random = Random::new(seed as u64);
        for ready_in_8 in [8, 3] {
            let packets: Vec<Packet> = (0..60).map(|_| case.packet(&mut random)).collect();
            let needed: u64 = packets.iter().map(|packet| case.clocks(packet)).sum();
            for end_early in [false, true] {
                let clocks = run(case, &packets, &mut random, (ready_in_8, end_early));
                if ready_in_8 == 8 {
                    assert!(clocks <= needed + 8, "{clocks} for {needed}");
                }
            }
        }
    }
}

/// 60 bytes that become 64 or 40 take one clock, 64 that become 84 take two; all the same whether the program writes the bytes
/// that they gain or has them put in front.
#[test]
fn clocks_of_short_packets() {
    for (starts, front, length, each) in [
        ([-4, 0], 0, 60, 1),
        ([20, 0], 0, 60, 1),
        ([-20, 0], 0, 64, 2),
        ([0, 1], 4, 60, 1),
        ([20, 0], 24, 60, 1),
        ([0, 1], 20, 64, 2),
    ] {
        let start = starts[0];
        let kind = Kind {
            fronts: vec![front],
            ..moves(Some(&starts), false, false)
        };
        let case = kind.case(64, vec![(-60, 60)], TOLD[0]);
        let mut random = Random::new(9);
        let packets: Vec<Packet> = (0..300)
            .map(|_| Packet {
                data: (0..length).map(|_| random.next() as u8).collect(),
                outputs: 3,
                forwarded: true,
                class: 1,
                index: 0,
                start,
                front: vec![7; front as usize],
                front_length: front,
                end: length,
                keep: length,
                written: vec![Some(vec![5; 60])],
            })
            .collect();
        for end_early in [false, true] {
            let clocks = run(&case, &packets, &mut random, (8, end_early));
            assert!(
                clocks <= 300 * each + 8,
                "{start}, {front}: {clocks} clocks"
            );
        }
    }
}
