//! Moves of head, tail and metadata: random sequences of them, with loads and stores between, against the kernel.

use crate::assembly::*;
use crate::judge::{Numbers, CONTEXT};
use crate::lifted::program_agrees;
use hardpath_ebpf::{Insn, Object};
use hardpath_ir::maps::Image;
use hardpath_packet::Sideband;

const ADJUST_HEAD: i32 = 44;
const ADJUST_META: i32 = 54;
const ADJUST_TAIL: i32 = 65;
const GET_BUFF_LEN: i32 = 188;
const LOAD_BYTES: i32 = 189;
const STORE_BYTES: i32 = 190;

/// What is kept in r9: a sum of everything that was seen.
fn note(from: u8) -> Vec<Insn> {
    [multiply(9, 31), add_register(9, from)].concat()
}

/// r6 = a field of the context that points to the beginning of something, r3 = one that points to its end. What
/// follows may touch `bytes` bytes of it, and is left out where they are not there.
fn guarded(begin: i16, end: i16, bytes: i32, then: Vec<Insn>) -> Vec<Insn> {
    let skipped = then.len() as i16;
    [
        load(WORD, 6, 8, begin),
        load(WORD, 3, 8, end),
        copy(2, 6),
        add(2, bytes),
        jump_register(ABOVE, 2, 3, skipped),
        then,
    ]
    .concat()
}

/// The amounts that helpers are called with: small ones, and those at the kernel's limits.
fn amount(numbers: &mut Numbers, helper: i32) -> i32 {
    let small = numbers.below(81) as i32 - 40;
    let around = numbers.below(5) as i32 - 2;
    match (numbers.below(8), helper) {
        (0, _) => -216 + around,
        (1, ADJUST_TAIL) => 3456 + around,
        (1, ADJUST_META) => -252 + around,
        (2, _) => 50 + around,
        (3, ADJUST_TAIL) => small.abs(),
        (4, _) => numbers.below(1 << 32) as i32,
        (5, _) => 216 + around,
        (_, ADJUST_META) => -4 * (small / 5).abs(),
        _ => small,
    }
}

fn step(numbers: &mut Numbers) -> Vec<Insn> {
    let helper = [ADJUST_HEAD, ADJUST_TAIL, ADJUST_META][numbers.below(3) as usize];
    let place = numbers.below(60) as i32;
    match numbers.below(11) {
        0..=4 => [
            copy(1, 8),
            set(2, amount(numbers, helper)),
            call(helper),
            note(0),
        ]
        .concat(),
        // By an amount that the packet says.
        5 => {
            let size = numbers.below(2) as i32;
            let amount = [
                load(BYTE, 7, 6, place as i16),
                and(7, 60 >> size),
                multiply(7, [-1, 1, -4, 4][numbers.below(4) as usize]),
            ];
            let then = [
                amount.concat(),
                copy(2, 7),
                copy(1, 8),
                call(helper),
                note(0),
            ];
            guarded(0, 4, place + 1, then.concat())
        }
        6 => {
            let then = [load(DOUBLE, 7, 6, place as i16), note(7)].concat();
            guarded(0, 4, place + 8, then)
        }
        7 => guarded(0, 4, place + 8, store(DOUBLE, 6, place as i16, 9)),
        8 => {
            let place = (place % 4) * 4;
            let then = [load(WORD, 7, 6, place as i16), note(7)].concat();
            let then = [then, store(WORD, 6, place as i16, 9)].concat();
            guarded(8, 0, place + 4, then)
        }
        // What lies between pointers from before a move, asked behind it.
        9 => {
            let subtract = [subtract_register, subtract_half][numbers.below(2) as usize];
            [
                load(WORD, 6, 8, 4 * numbers.below(3) as i16),
                load(WORD, 7, 8, 4 * numbers.below(3) as i16),
                copy(1, 8),
                set(2, amount(numbers, helper)),
                call(helper),
                note(0),
                add(7, place),
                set(3, 1),
                jump_register(ABOVE, 7, 6, 1),
                set(3, 2),
                note(3),
                subtract(7, 6),
                note(7),
            ]
            .concat()
        }
        _ => {
            let copying = [LOAD_BYTES, STORE_BYTES][numbers.below(2) as usize];
            [
                store(DOUBLE, 10, -8, 9),
                copy(1, 8),
                set(2, place),
                copy(3, 10),
                add(3, -8),
                set(4, 1 + numbers.below(8) as i32),
                call(copying),
                note(0),
                load(DOUBLE, 7, 10, -8),
                note(7),
                copy(1, 8),
                call(GET_BUFF_LEN),
                note(0),
            ]
            .concat()
        }
    }
}

fn random_moves(seed: u64) -> Object {
    let numbers = &mut Numbers(seed);
    let mut parts = vec![copy(8, 1), set(9, 1)];
    for _ in 0..2 + numbers.below(7) {
        parts.push(step(numbers));
    }
    parts.extend([
        guarded(0, 4, 8, store(DOUBLE, 6, 0, 9)),
        set(0, 2 + numbers.below(2) as i32),
        exit(),
    ]);
    object(Vec::new(), &parts)
}

/// Packets of many lengths, those at the limits too.
pub fn packets_of_many_lengths(seed: u64) -> Vec<(Vec<u8>, Sideband)> {
    let mut numbers = Numbers(seed);
    let mut packet = || {
        let length = match numbers.below(6) {
            0 => 14 + numbers.below(4),
            1 => 3516 + numbers.below(5),
            2 => 14 + numbers.below(3507),
            _ => 14 + numbers.below(120),
        };
        let bytes = (0..length).map(|_| numbers.below(256) as u8);
        (bytes.collect(), CONTEXT)
    };
    (0..40).map(|_| packet()).collect()
}

#[test]
fn random_sequences_of_moves() {
    for seed in 0..400 {
        let object = random_moves(seed);
        let image = Image::new();
        program_agrees(
            &object,
            &object.programs[0],
            &image,
            &packets_of_many_lengths(seed),
        );
    }
}
