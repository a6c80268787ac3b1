//! The copier: which copies leave, in which order, with what of their own and when, with exits of any speed; and the exits
//! behind it, whose fates tell of the packet itself.

use crate::bench::Bench;
use hardpath_blocks::copier::{copier, Copier};
use hardpath_blocks::egress::{egress, Egress, EgressIn, PacketResult, RepeatIn, SentResult};
use hardpath_blocks::ingress::LENGTH_BITS;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::{FrontIn, Fronts, Moves, MovesIn};
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, Module};
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// Names of ports, and what stands there.
type Values = Vec<(String, Vec<u64>)>;

/// A result at the head of the FIFO.
struct Packet {
    /// Whether the packet itself leaves, and each copy.
    wanted: Vec<bool>,
    /// How they leave.
    sent: Vec<Values>,
}

impl Packet {
    /// What the exit must be given: which one, and whether another one follows. `None`: it is for nobody.
    fn given(&self) -> VecDeque<Option<(usize, bool)>> {
        let wanted = self.wanted.iter().enumerate();
        let leave: Vec<usize> = wanted
            .filter_map(|(number, wanted)| wanted.then_some(number))
            .collect();
        let Some(last) = leave.last() else {
            return VecDeque::from([None]);
        };
        let given = leave.iter().map(|number| Some((*number, number != last)));
        given.collect()
    }

    fn show(&self, bench: &mut Bench) {
        bench.set("forwarded", self.wanted[0].into());
        for (number, values) in self.sent.iter().enumerate() {
            let prefix = match number {
                0 => String::new(),
                _ => format!("copy_{number}_"),
            };
            if number > 0 {
                bench.set(&format!("{prefix}when"), self.wanted[number].into());
            }
            for (name, value) in values {
                bench.set_wide(&format!("{prefix}{name}"), value);
            }
        }
    }
}

/// All that a copy can have of its own, with as many bytes in front.
fn everything(front: u32) -> SentResult<u32> {
    SentResult {
        result_outputs: Some(9),
        result_class: Some(2),
        result_index: Some(32),
        moves: MovesIn {
            result_from: Some(16),
            result_end: None,
            result_keep: None,
            front: Some(FrontIn {
                result_front: front * 8,
                result_front_length: Some(16),
            }),
        },
    }
}

/// The index alone, and nothing.
fn little(result_index: Option<u32>) -> SentResult<u32> {
    SentResult {
        result_outputs: None,
        result_class: None,
        result_index,
        moves: MovesIn::nowhere(),
    }
}

struct Stage {
    bench: Bench,
    random: Random,
    /// Names and widths of what a copy has of its own.
    parts: Vec<(String, u32)>,
    copies: usize,
}

impl Stage {
    fn new(sent: SentResult<u32>, copies: usize, seed: u64) -> Stage {
        let mut parts = Vec::new();
        sent.clone()
            .map(&mut |name, _, width| parts.push((name.to_owned(), width)));
        Stage {
            bench: Bench::of(copier(&Copier {
                name: "copier".into(),
                sent,
                copies,
            })),
            random: Random::new(seed),
            parts,
            copies,
        }
    }

    /// Each leaves in `often` of eight packets.
    fn packet(&mut self, often: u64) -> Packet {
        let random = &mut self.random;
        let wanted = (0..=self.copies).map(|_| random.below(8) < often).collect();
        let sent = (0..=self.copies).map(|_| {
            let value = |random: &mut Random, width: u32| {
                let mut limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.next()).collect();
                if let (Some(last), 1..) = (limbs.last_mut(), width % 64) {
                    *last &= (1 << (width % 64)) - 1;
                }
                limbs
            };
            let values = self.parts.iter();
            values
                .map(|(name, width)| (name.clone(), value(random, *width)))
                .collect()
        });
        Packet {
            wanted,
            sent: sent.collect(),
        }
    }

    /// A clock in which nothing is at the head.
    fn absent(&mut self) {
        let junk = self.packet(4);
        junk.show(&mut self.bench);
        self.bench.set("result_valid", 0);
        self.bench.set("taken", 0);
        self.bench.step();
        assert_eq!(self.bench.get("pop"), 0);
    }

    /// Until the exit has got the packet, which is given in every clock; the clocks that this takes.
    fn deliver(&mut self, packet: &Packet, ready_in_8: u64) -> u64 {
        let mut given = packet.given();
        packet.show(&mut self.bench);
        let mut clocks = 0;
        while let Some(expected) = given.front() {
            let ready = self.random.below(8) < ready_in_8;
            let bench = &mut self.bench;
            bench.set("result_valid", 1);
            bench.set("taken", ready.into());
            bench.step();
            assert_eq!(bench.get("nobody") == 1, expected.is_none());
            let again = expected.is_some_and(|(_, again)| again);
            assert_eq!(bench.get("again") == 1, again);
            if let Some((number, _)) = expected {
                for (name, value) in &packet.sent[*number] {
                    let port = format!("given_packet_{name}");
                    assert_eq!(&bench.get_wide(&port), value, "{name} of {number}");
                }
            }
            assert_eq!(bench.get("pop") == 1, ready && !again);
            if ready {
                given.pop_front();
            }
            clocks += 1;
            assert!(clocks < 10_000, "it hangs");
        }
        clocks
    }
}

#[test]
fn each_copy_leaves_once_and_in_order() {
    for copies in 1..=5 {
        for (kind, sent) in [everything(20), little(Some(32)), little(None)]
            .into_iter()
            .enumerate()
        {
            let mut stage = Stage::new(sent, copies, copies as u64 * 8 + kind as u64);
            for round in 0..300 {
                let packet = stage.packet(round % 9);
                for _ in 0..stage.random.below(3) {
                    stage.absent();
                }
                stage.deliver(&packet, 1 + round / 9 % 8);
            }
        }
    }
}

/// A clock for each that leaves, and one for a packet of which none does.
#[test]
fn copies_follow_without_a_gap() {
    let mut stage = Stage::new(everything(8), 3, 5);
    for which in 0..16 {
        let packet = Packet {
            wanted: (0..4).map(|number| which >> number & 1 == 1).collect(),
            ..stage.packet(8)
        };
        for _ in 0..2 {
            let leave = packet.wanted.iter().filter(|wanted| **wanted).count();
            assert_eq!(stage.deliver(&packet, 8), leave.max(1) as u64);
        }
    }
}

#[test]
fn a_reset_forgets_which_have_left() {
    let mut stage = Stage::new(everything(8), 4, 6);
    for taken in 0..5 {
        let packet = stage.packet(8);
        packet.show(&mut stage.bench);
        stage.bench.set("result_valid", 1);
        stage.bench.set("taken", 1);
        for _ in 0..taken {
            stage.bench.step();
        }
        stage.bench.set("result_valid", 0);
        stage.bench.set("taken", 0);
        stage.bench.reset(1);
        let packet = stage.packet(8);
        assert_eq!(stage.deliver(&packet, 8), 5);
    }
}

#[test]
fn an_exit_takes_only_what_is_there() {
    let mut stage = Stage::new(little(Some(32)), 2, 7);
    stage.absent();
    stage.bench.set("taken", 1);
    let error = stage.bench.step_fails();
    assert!(
        error.contains("the exit took a packet that was not there"),
        "{error}"
    );
}

const BEAT: usize = 16;
const DEPTH: usize = 1 << 10;
const FRONT: u32 = 24;
const OUTPUT_BITS: u32 = 9;

fn exit() -> Egress {
    Egress {
        name: "leave".into(),
        beat_bytes: BEAT as u32,
        frame_depth: DEPTH as u32,
        overlays: Vec::new(),
        output_bits: OUTPUT_BITS,
        drops: false,
        class: None,
        has_index: true,
        may_be_empty: false,
        repeats: true,
        copies: true,
        cut_through: false,
        end_early: true,
    }
}

/// The copier with an exit behind it.
fn with_exit(moves: Option<&Moves>, copies: usize) -> Design {
    let (mut design, mut m) = (Design::new(), Module::new("top", ""));
    let config = exit();
    let block = copier(&Copier {
        name: "copier".into(),
        sent: config.result_widths(moves).sent,
        copies,
    });
    let taken = m.wire(1, "taken");
    let module = &block.module;
    let inputs = block.inputs().clone().map(&mut |name, _, node| match name {
        "taken" => taken,
        _ => m.input(name, module.width(node), ""),
    });
    let own_outputs = inputs.sent.result_outputs;
    let result_valid = inputs.result_valid;
    let copied = block.place(&mut design, &mut m, "copier", inputs).out;
    let mut length = |name: &str, is_there: bool| is_there.then(|| m.input(name, LENGTH_BITS, ""));
    let result = PacketResult {
        result_forwarded: None,
        sent: copied.sent().clone(),
        broadcast: None,
        copy: Vec::new(),
        result_length: length("result_length", moves.is_some()),
        result_last_byte: length("result_last_byte", moves.is_none()),
        result_empty: None,
        overlay: Vec::new(),
    };
    let inputs = EgressIn {
        result_valid,
        result,
        repeat: Some(RepeatIn {
            result_again: copied.again,
            result_nobody: copied.nobody,
            result_fate_outputs: own_outputs,
        }),
        end: None,
        frame_read_data: m.input("frame_read_data", BEAT as u32 * 8, ""),
        m_axis_tready: m.input("m_axis_tready", 1, ""),
    };
    let block = match moves {
        None => egress(&config),
        Some(moves) => moved_egress(&config, moves),
    };
    let out = block.place(&mut design, &mut m, "leave", inputs).out;
    m.drive(taken, out.result_pop);
    m.outputs(out.frame);
    m.outputs(out.stream);
    m.outputs(out.fate);
    m.output("pop", copied.pop, "");
    design.add(m);
    design
}

/// What leaves of a packet or a copy, and with what beside it.
#[derive(PartialEq, Eq, Debug)]
struct Leaves {
    data: Vec<u8>,
    user: u64,
    destination: u64,
}

/// A packet through copier and exit.
struct Whole {
    packet: Packet,
    data: Vec<u8>,
    leaves: Vec<Leaves>,
    fate: u64,
}

fn whole(random: &mut Random, moves: Option<&Moves>, copies: usize) -> Whole {
    let length = 40 + random.below(60);
    let data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
    let wanted: Vec<bool> = (0..=copies).map(|_| random.below(2) == 0).collect();
    let (mut sent, mut ways, mut own_outputs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..=copies {
        let outputs = random.next() & ((1 << OUTPUT_BITS) - 1);
        let (class, index) = (random.below(4), random.next() & 0xffff_ffff);
        let mut values = vec![
            ("result_outputs".to_string(), vec![outputs]),
            ("result_class".to_string(), vec![class]),
            ("result_index".to_string(), vec![index]),
        ];
        let (mut start, mut front) = (0, Vec::new());
        if moves.is_some() {
            start = *random.pick(&[0, 3, 30]);
            let front_length = random.below(u64::from(FRONT) + 1);
            front = (0..FRONT).map(|_| random.next() as u8).collect();
            let limbs = front.chunks(8);
            let limbs = limbs.map(|chunk: &[u8]| u64::from_le_bytes(chunk.try_into().unwrap()));
            values.push(("result_front".to_string(), limbs.collect()));
            front.truncate(front_length as usize);
            values.push(("result_front_length".to_string(), vec![front_length]));
            let from = (start as u64).wrapping_sub(front_length) & 0xffff;
            values.push(("result_from".to_string(), vec![from]));
        }
        front.extend(&data[start..]);
        sent.push(values);
        ways.push((front, class << 32 | index));
        own_outputs.push(outputs);
    }
    let packet = Packet { wanted, sent };
    let given = packet.given();
    let leaves = given.iter().flatten().map(|(number, again)| Leaves {
        data: ways[*number].0.clone(),
        user: u64::from(*again) << OUTPUT_BITS | own_outputs[*number],
        destination: ways[*number].1,
    });
    let leaves: Vec<Leaves> = leaves.collect();
    // Whatever the first copy is: the packet's own.
    let fate = u64::from(!leaves.is_empty()) << OUTPUT_BITS | own_outputs[0];
    Whole {
        packet,
        data,
        leaves,
        fate,
    }
}

#[test]
fn exits_send_copies_and_tell_of_the_packet() {
    let moves = Moves {
        firsts: None,
        has_end: false,
        grows: false,
        front: Some(Fronts {
            bytes: FRONT,
            length: None,
        }),
    };
    for (seed, (moves, ready_in_8)) in [(None, 8), (None, 3), (Some(&moves), 8), (Some(&moves), 3)]
        .into_iter()
        .enumerate()
    {
        let mut random = Random::new(seed as u64);
        let mut bench = Bench::new(&with_exit(moves, 3));
        let all: Vec<Whole> = (0..100).map(|_| whole(&mut random, moves, 3)).collect();
        let frames = all.iter().flat_map(|one| one.data.chunks(BEAT));
        let frames: Vec<[u64; 2]> = frames
            .map(|frame| {
                let mut bytes = [0xee; BEAT];
                bytes[..frame.len()].copy_from_slice(frame);
                let (low, high) = bytes.split_at(8);
                [low, high].map(|half| u64::from_le_bytes(half.try_into().unwrap()))
            })
            .collect();
        assert!(frames.len() < DEPTH, "all packets fit");
        let mut expected = all.iter().flat_map(|one| &one.leaves).peekable();
        let mut fates = all.iter().map(|one| one.fate).peekable();
        let (mut given, mut out, mut clocks) = (0, Vec::new(), 0);
        while given < all.len() || expected.peek().is_some() || fates.peek().is_some() {
            let present = all.get(given);
            bench.set("result_valid", present.is_some().into());
            if let Some(one) = present {
                one.packet.show(&mut bench);
                match moves {
                    Some(_) => bench.set("result_length", one.data.len() as u64),
                    None => bench.set("result_last_byte", one.data.len() as u64 - 1),
                }
            }
            let ready = random.below(8) < ready_in_8;
            bench.set("m_axis_tready", ready.into());
            bench.step();
            given += bench.get("pop") as usize;
            if bench.get("frame_read") == 1 {
                let address = bench.get("frame_read_address") as usize;
                let frame = frames.get(address).unwrap_or(&[0x5555; 2]);
                bench.set_wide("frame_read_data", frame);
            }
            if bench.get("fate_valid") == 1 {
                assert_eq!(Some(bench.get("fate")), fates.next());
            }
            if ready && bench.get("m_axis_tvalid") == 1 {
                let data = bench.get_wide("m_axis_tdata");
                let data = data.iter().flat_map(|limb| limb.to_le_bytes());
                out.extend(data.take(bench.get("m_axis_tkeep").count_ones() as usize));
                if bench.get("m_axis_tlast") == 1 {
                    let leaves = Leaves {
                        data: std::mem::take(&mut out),
                        user: bench.get("m_axis_tuser"),
                        destination: bench.get("m_axis_tdest"),
                    };
                    assert_eq!(Some(&leaves), expected.next());
                }
            }
            clocks += 1;
            assert!(clocks < 20_000, "it hangs");
        }
    }
}
