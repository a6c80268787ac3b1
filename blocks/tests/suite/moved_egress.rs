//! The exit for packets that were moved, alone: what leaves is the packet's memory from where it begins to where it
//! ends, in as many clocks as it has beats, at every width, with every kind of move, with and without backpressure.

use crate::bench::Bench;
use crate::random::Random;
use hardpath_blocks::egress::{offset_name, Egress};
use hardpath_blocks::index_bits;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::Moves;
use hardpath_rtl::signals::Signals;

const DEPTH: u32 = 1 << 11;
const HEADROOM: i32 = 216;

struct Case {
    beat: usize,
    moves: Moves,
    overlays: Vec<(i32, u32)>,
}

/// A packet with its result.
struct Packet {
    data: Vec<u8>,
    verdict: u64,
    head: i32,
    meta: i32,
    end: i32,
    keep: i32,
    /// One for each overlay.
    written: Vec<Option<Vec<u8>>>,
}

fn moves(heads: Option<&[i32]>, metas: Option<&[i32]>, has_end: bool, grows: bool) -> Moves {
    Moves {
        heads: heads.map(<[i32]>::to_vec),
        metas: metas.map(<[i32]>::to_vec),
        has_end,
        grows,
    }
}

fn cases() -> Vec<Case> {
    let none: Option<&[i32]> = Some(&[0]);
    let kinds = [
        moves(Some(&[-20, 0]), none, false, false),
        moves(Some(&[-4]), none, false, false),
        moves(Some(&[0, 20]), none, false, false),
        moves(Some(&[34]), none, true, false),
        moves(Some(&[-50, -20, 0, 14, 20]), none, true, false),
        moves(none, none, true, false),
        moves(none, none, true, true),
        moves(none, Some(&[0, 4]), false, false),
        moves(Some(&[-100, 3]), None, true, true),
        moves(None, none, true, true),
        moves(None, None, true, true),
    ];
    let widths = [8, 16, 32, 64];
    let pairs = kinds
        .iter()
        .flat_map(|kind| widths.map(|beat| (beat, kind.clone())));
    pairs
        .map(|(beat, moves)| Case {
            beat,
            moves,
            overlays: vec![(-216, 3), (-60, 40), (-20, 20), (0, 14), (30, 7), (60, 30)],
        })
        .collect()
}

impl Case {
    fn packet(&self, random: &mut Random) -> Packet {
        let length = 60 + random.below(140) as i32;
        let data = (0..length).map(|_| random.next() as u8).collect();
        let head = match &self.moves.heads {
            Some(heads) => *random.pick(heads),
            None => random.below(HEADROOM as u64 + 40) as i32 - HEADROOM,
        };
        let meta = match &self.moves.metas {
            Some(metas) => *random.pick(metas),
            None => 4 * random.below(10) as i32,
        };
        let meta = meta.min((head + HEADROOM) / 4 * 4);
        let (mut end, mut keep) = (length, length);
        if self.moves.has_end {
            end = head + 14 + random.below(200) as i32;
            keep = match self.moves.grows {
                true => (head + 14 + random.below(100) as i32).min(end).min(length),
                false => end,
            };
            if !self.moves.grows {
                end = end.min(length.max(head + 14));
            }
        }
        let verdict = *random.pick(&[1, 2, 3, 2]);
        let written = self.overlays.iter().map(|(_, bytes)| {
            let bytes = (0..*bytes).map(|_| random.next() as u8).collect();
            (random.below(2) == 0).then_some(bytes)
        });
        Packet {
            data,
            verdict,
            head,
            meta,
            end,
            keep,
            written: written.collect(),
        }
    }

    /// What leaves: metadata and packet; `None`: it is dropped.
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
        let out = (packet.head - packet.meta..packet.end).map(byte).collect();
        (packet.verdict > 1).then_some(out)
    }

    /// Clocks that it takes at full rate.
    fn clocks(&self, packet: &Packet) -> u64 {
        let beat = self.beat as i32;
        let first = packet.head - packet.meta;
        if packet.verdict < 2 {
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
}

/// Sends packets through and gives the clocks from the first result to the last beat.
fn run(case: &Case, packets: &[Packet], random: &mut Random, ready_in_8: u64) -> u64 {
    let mut bench = Bench::of(moved_egress(
        &Egress {
            name: "leave".into(),
            beat_bytes: case.beat as u32,
            frame_depth: DEPTH,
            overlays: case.overlays.clone(),
            verdict_bits: 3,
            has_destination: false,
            repeats: false,
        },
        &case.moves,
    ));
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
    let ports = case.moves.widths().names();
    let expected: Vec<(Vec<u8>, i32, u64)> = packets
        .iter()
        .filter_map(|packet| Some((case.leaves(packet)?, packet.meta, packet.verdict)))
        .collect();
    let (mut given, mut done, mut out, mut clock) = (0, 0, Vec::new(), 0);
    let mut begun = None;
    while done < expected.len() || given < packets.len() {
        assert!(clock < 100_000, "it hangs");
        let present = packets
            .get(given)
            .filter(|_| ready_in_8 == 8 || random.below(4) > 0);
        bench.set("result_valid", present.is_some().into());
        if let Some(packet) = present {
            begun.get_or_insert(clock);
            bench.set("result_verdict", packet.verdict);
            bench.set("result_length", packet.data.len() as u64);
            for port in &ports {
                let value = match port.as_str() {
                    "result_head" => packet.head,
                    "result_meta" => packet.meta,
                    "result_end" => packet.end,
                    _ => packet.keep,
                };
                let bits = if *port == "result_meta" { 0xff } else { 0xffff };
                bench.set(port, value as u64 & bits);
            }
            for ((offset, bytes), written) in case.overlays.iter().zip(&packet.written) {
                let name = offset_name(*offset);
                bench.set(&format!("overlay_{name}_enable"), written.is_some().into());
                let mut data = written.clone().unwrap_or(vec![0x77; *bytes as usize]);
                data.resize(data.len().next_multiple_of(8), 0);
                bench.set_wide(&format!("overlay_{name}_data"), &limbs(&data));
            }
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
        if ready && bench.get("m_axis_tvalid") == 1 {
            let (bytes, meta, verdict) = &expected[done];
            let left = bytes.len() - out.len();
            let count = left.min(case.beat);
            let keep = u64::MAX >> (64 - count);
            assert_eq!(bench.get("m_axis_tkeep"), keep, "{left} bytes left");
            assert_eq!(bench.get("m_axis_tlast"), u64::from(left <= case.beat));
            let words = *meta as u64 / 4;
            assert_eq!(bench.get("m_axis_tuser"), words << 3 | verdict);
            let data = bench.get_wide("m_axis_tdata");
            let data = data.iter().flat_map(|limb| limb.to_le_bytes());
            out.extend(data.take(count));
            if out.len() == bytes.len() {
                assert_eq!(&out, bytes, "packet {done}, {:?}", case.moves);
                out.clear();
                done += 1;
            }
        }
        clock += 1;
    }
    clock - begun.unwrap_or(0)
}

fn limbs(bytes: &[u8]) -> Vec<u64> {
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
            let clocks = run(case, &packets, &mut random, ready_in_8);
            let needed: u64 = packets.iter().map(|packet| case.clocks(packet)).sum();
            if ready_in_8 == 8 {
                assert!(clocks <= needed + 8, "{clocks} for {needed}");
            }
        }
    }
}

/// 60 bytes that become 64 or 40 take one clock, 64 that become 84 take two.
#[test]
fn clocks_of_short_packets() {
    for (head, length, each) in [(-4, 60, 1), (20, 60, 1), (-20, 64, 2)] {
        let case = Case {
            beat: 64,
            moves: moves(Some(&[head, 0]), Some(&[0]), false, false),
            overlays: vec![(-60, 60)],
        };
        let mut random = Random::new(9);
        let packets: Vec<Packet> = (0..300)
            .map(|_| Packet {
                data: (0..length).map(|_| random.next() as u8).collect(),
                verdict: 3,
                head,
                meta: 0,
                end: length,
                keep: length,
                written: vec![Some(vec![5; 60])],
            })
            .collect();
        let clocks = run(&case, &packets, &mut random, 8);
        assert!(clocks <= 300 * each + 8, "{head}: {clocks} clocks");
    }
}
