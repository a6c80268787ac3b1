//! Accesses and moves that depend on the packet's bytes, in hardware of every width against the kernel: tags, header
//! lengths, extension headers and options, read and written; heads and tails moved by what the packet says. The
//! programs are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use std::path::Path;

/// Numbers that look random and are the same in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % limit
    }

    fn pick(&mut self, from: &[u8]) -> u8 {
        from[self.below(from.len())]
    }
}

/// Random bytes, shaped so that the programs go far: VLAN tags and IPv4 options, IPv6 extension headers, TCP options.
fn packet(numbers: &mut Numbers) -> Vec<u8> {
    let length = [60, 64, 90, 60 + numbers.below(140)][numbers.below(4)];
    let mut packet: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
    packet[13] = numbers.below(5) as u8;
    match numbers.below(4) {
        0 => {
            let mut at = 12;
            for _ in 0..numbers.below(4) {
                packet[at..at + 2].copy_from_slice(&[0x81, 0]);
                at += 4;
            }
            packet[at..at + 2].copy_from_slice(&[8, 0]);
            packet[at + 2] = 0x40 | (4 + numbers.below(12) as u8);
        }
        1 => {
            packet[20] = numbers.pick(&[0, 43, 60, 6]);
            let mut at = 54;
            while at + 1 < length {
                packet[at] = numbers.pick(&[0, 43, 60, 17]);
                packet[at + 1] &= 3;
                at += 8 * (usize::from(packet[at + 1]) + 1);
            }
        }
        2 => {
            (packet[14], packet[23], packet[46]) = (0x45, 6, numbers.pick(&[0x50, 0x80, 0xf0]));
            let mut at = 54;
            while at + 1 < length {
                packet[at] = numbers.pick(&[1, 1, 2, 3, 4, 8]);
                packet[at + 1] = numbers.pick(&[2, 3, 4, 10]);
                at += match packet[at] {
                    1 => 1,
                    _ => usize::from(packet[at + 1]),
                };
            }
        }
        _ => {}
    }
    packet
}

/// A capture (pcap) of such packets.
fn write_capture(file: &Path, count: u32) {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    let mut numbers = Numbers(1);
    for second in 0..count {
        let packet = packet(&mut numbers);
        let length = packet.len() as u32;
        for word in [second, 0, length, length] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(packet);
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn accesses_and_moves_that_depend_on_the_packet() {
    let Some((place, object)) = compile("offsets") else {
        return;
    };
    let capture = place.path().join("shaped.pcap");
    write_capture(&capture, 800);
    let judge = judge();
    for program in ["vlan", "extensions", "options", "moves", "any_move"] {
        for bus in ["64", "128", "256", "512"] {
            let arguments = [
                "check",
                path(&object),
                "--program",
                program,
                "--against",
                judge,
                "--pcap",
                path(&capture),
                "--bus",
                bus,
                "--pace",
                "random:3",
                "--backpressure",
                "5",
                "--json",
            ];
            let run = hardpath(&arguments);
            assert_eq!(run.status, 0, "{program}, {bus}: {:#}", run.json());
        }
    }
}
