//! Compiled programs with loops, calls, callbacks and tail calls: the interpreter over the lifted program against the
//! kernel over the object as it is.

use crate::judge::{Numbers, CONTEXT};
use crate::lifted::program_agrees;
use hardpath_ebpf::{load, LoadOptions, Object};
use hardpath_ir::maps::Image;
use hardpath_packet::Sideband;

fn object(name: &str, options: &LoadOptions) -> Object {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ebpf/tests/data");
    let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
    load(&bytes, name, options).unwrap()
}

/// Every program of an object that the kernel takes, over packets that reach its corners.
fn all_agree(name: &str, options: &LoadOptions) {
    let object = object(name, options);
    assert!(!object.programs.is_empty());
    for program in &object.programs {
        program_agrees(&object, program, &Image::new(), &packets());
    }
}

fn packets() -> Vec<(Vec<u8>, Sideband)> {
    let mut numbers = Numbers(5);
    let kinds: [fn(&mut Numbers, &mut [u8]); 5] =
        [any_bytes, small_bytes, vlan_tags, ipv6_extensions, ipv4];
    (0..300)
        .map(|number| {
            let mut packet = vec![0; 14 + numbers.below(110) as usize];
            kinds[number % kinds.len()](&mut numbers, &mut packet);
            if numbers.below(4) == 0 && packet.len() >= 12 {
                // From and to the same address.
                packet.copy_within(0..6, 6);
            }
            (packet, CONTEXT)
        })
        .collect()
}

fn any_bytes(numbers: &mut Numbers, packet: &mut [u8]) {
    packet.fill_with(|| numbers.below(256) as u8);
}

fn small_bytes(numbers: &mut Numbers, packet: &mut [u8]) {
    packet.fill_with(|| numbers.below(9) as u8);
}

fn put(packet: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = packet.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn vlan_tags(numbers: &mut Numbers, packet: &mut [u8]) {
    any_bytes(numbers, packet);
    let tags = numbers.below(6) as usize;
    for tag in 0..tags {
        let kind = [[0x81, 0x00], [0x88, 0xa8]][numbers.below(2) as usize];
        put(packet, 12 + 4 * tag, &kind);
    }
    let kind = [[0x08, 0x00], [0x08, 0x06]][numbers.below(2) as usize];
    put(packet, 12 + 4 * tags, &kind);
}

fn ipv6_extensions(numbers: &mut Numbers, packet: &mut [u8]) {
    any_bytes(numbers, packet);
    put(packet, 12, &[0x86, 0xdd]);
    let mut kind = || [0, 43, 60, 60, 17][numbers.below(5) as usize];
    let kinds: [u8; 8] = std::array::from_fn(|_| kind());
    put(packet, 20, &kinds[..1]);
    let mut at = 54;
    for next in &kinds[1..] {
        let length = numbers.below(8).saturating_sub(5) as u8;
        put(packet, at, &[*next, length]);
        at += 8 * (usize::from(length) + 1);
    }
}

fn ipv4(numbers: &mut Numbers, packet: &mut [u8]) {
    any_bytes(numbers, packet);
    let first = [0x45, 0x45, 0x45, 0x46][numbers.below(4) as usize];
    put(packet, 12, &[8, 0, first]);
    put(packet, 23, &[[17, 17, 6][numbers.below(3) as usize]]);
    put(packet, 36, &[0, 52 + numbers.below(2) as u8]);
}

#[test]
fn loops() {
    for name in ["loops_o1.o", "loops_o2.o"] {
        all_agree(name, &LoadOptions::default());
    }
}

#[test]
fn calls_and_callbacks() {
    for name in ["calls_o1.o", "calls_o2.o"] {
        all_agree(name, &LoadOptions::default());
    }
}

#[test]
fn values_of_different_kinds() {
    all_agree("mixed.o", &LoadOptions::default());
}

#[test]
fn tail_calls() {
    all_agree("tails.o", &LoadOptions::default());
    let entry = |index, program: &str| (("steps".to_string(), index), program.to_string());
    let options = LoadOptions {
        prog_array: [
            entry(0, "second"),
            entry(2, "again"),
            entry(3, "xdp/second"),
        ]
        .into(),
        ..LoadOptions::default()
    };
    all_agree("tails.o", &options);
}
