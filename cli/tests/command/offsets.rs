//! Accesses and moves that depend on the packet's bytes, in hardware of every width against the kernel: tags, header
//! lengths, extension headers and options, read and written; heads and tails moved by what the packet says. The
//! programs are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::{write_made, Numbers};

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

#[test]
fn accesses_and_moves_that_depend_on_the_packet() {
    let Some((place, object)) = compile("offsets") else {
        return;
    };
    let capture = place.path().join("shaped.pcap");
    write_made(&capture, 800, packet);
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
