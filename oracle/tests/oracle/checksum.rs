//! `bpf_csum_diff` and copies against the kernel: sizes, places and seeds, with bytes and sums at their extremes.

use crate::assembly::*;
use crate::judge::{Numbers, CONTEXT};
use crate::lifted::program_agrees;
use hardpath_ebpf::{Insn, Object};
use hardpath_ir::maps::Image;
use hardpath_packet::Sideband;

const CSUM_DIFF: i32 = 28;
const LOAD_BYTES: i32 = 189;
const STORE_BYTES: i32 = 190;

/// Sets a pointer and a size: nothing, a part of the packet (r6) or of the stack, where the packet was copied to.
fn area(numbers: &mut Numbers, pointer: u8, size: u8, place: &str) -> Vec<Insn> {
    let bytes = match place {
        "ragged" => numbers.below(17) as i32,
        _ => 4 * numbers.below(6) as i32,
    };
    let start = numbers.below(8) as i32;
    match place {
        "none" => [set(pointer, 0), set(size, 0)].concat(),
        "packet" | "ragged" => [copy(pointer, 6), add(pointer, start), set(size, bytes)].concat(),
        "stack" => [
            copy(pointer, 10),
            add(pointer, -32 + start),
            set(size, bytes),
        ]
        .concat(),
        // As many bytes as the packet says.
        _ => [
            copy(pointer, 6),
            add(pointer, start),
            load(BYTE, size, 6, 0),
            and(size, 0x1c),
        ]
        .concat(),
    }
}

fn sums(numbers: &mut Numbers, places: [&str; 2]) -> Object {
    let seed = match numbers.below(4) {
        0 => set(5, 0),
        1 => set(5, -1),
        2 => load(WORD, 5, 6, 8),
        _ => set(5, numbers.below(1 << 32) as i32),
    };
    let copies = (0..4).flat_map(|word| {
        let copied = [
            load(DOUBLE, 1, 6, word * 8),
            store(DOUBLE, 10, -32 + word * 8, 1),
        ];
        copied.concat()
    });
    object(
        Vec::new(),
        &[
            packet_in_r6(48),
            copies.collect(),
            area(numbers, 1, 2, places[0]),
            area(numbers, 3, 4, places[1]),
            seed,
            call(CSUM_DIFF),
            store(DOUBLE, 6, 0, 0),
            set(0, 3),
            exit(),
        ],
    )
}

/// Bytes that are often all zeros or all ones, so that sums are 0 in every one of its forms.
fn packets(numbers: &mut Numbers) -> Vec<(Vec<u8>, Sideband)> {
    let mut packet = || {
        let kinds = [
            [0, 0, 0, 0],
            [0xff; 4],
            [0xff, 0, 0xff, 0xff],
            [0x01, 0x80, 0xfe, 0x7f],
        ];
        let kind = kinds[numbers.below(4) as usize];
        let odds = 1 + numbers.below(8);
        let mut byte = |place: usize| match numbers.below(odds) {
            0 => kind[place % 4],
            1 => 0,
            2 => 0xff,
            _ => numbers.below(256) as u8,
        };
        let bytes = (0..50).map(&mut byte).collect();
        (bytes, CONTEXT)
    };
    (0..60).map(|_| packet()).collect()
}

/// Copies of as many bytes as the packet says, from and to where it says.
#[test]
fn copies_of_variable_length() {
    for helper in [LOAD_BYTES, STORE_BYTES] {
        let object = object(
            Vec::new(),
            &[
                copy(7, 1),
                packet_in_r6(40),
                store_imm(DOUBLE, 10, -32, 0x1234_5678),
                store_imm(DOUBLE, 10, -24, -1),
                store_imm(DOUBLE, 10, -16, 0),
                load(BYTE, 4, 6, 0),
                and(4, 0xf),
                add(4, 1),
                load(BYTE, 2, 6, 1),
                and(2, 0x3c),
                copy(1, 7),
                copy(3, 10),
                add(3, -32),
                call(helper),
                load(DOUBLE, 1, 10, -32),
                load(DOUBLE, 2, 10, -24),
                load(WORD, 6, 7, 0),
                load(WORD, 3, 7, 4),
                copy(4, 6),
                add(4, 40),
                jump_register(ABOVE, 4, 3, 3),
                store(DOUBLE, 6, 8, 1),
                store(DOUBLE, 6, 16, 2),
                store(DOUBLE, 6, 24, 0),
                set(0, 2),
                exit(),
            ],
        );
        let mut numbers = Numbers(3);
        let packets: Vec<_> = (0..400)
            .map(|_| {
                let length = 40 + numbers.below(50);
                let bytes = (0..length).map(|_| numbers.below(256) as u8);
                (bytes.collect(), CONTEXT)
            })
            .collect();
        program_agrees(&object, &object.programs[0], &Image::new(), &packets);
    }
}

#[test]
fn differences_of_checksums() {
    let places = ["none", "packet", "stack", "variable", "ragged"];
    for seed in 0..12 {
        for from in places {
            for to in places {
                let numbers = &mut Numbers(seed);
                let object = sums(numbers, [from, to]);
                let packets = packets(numbers);
                program_agrees(&object, &object.programs[0], &Image::new(), &packets);
            }
        }
    }
}
