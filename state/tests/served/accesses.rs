//! Accesses through entries: every answer, in order, and in the end everything that is in the map.

pub mod ask;
mod course;
mod wide;

use crate::bench::Bench;
use crate::kinds::Shape;
use crate::torture::Pace;
use ask::{config, Ask, Handle, Judge};
use course::{course, dump};
use hardpath_blocks::interface::command::{DELETE, LOOKUP, UPDATE};
use hardpath_ir::{Find, May};
use hardpath_state::served::through_entry;
use hardpath_testkit::Random;
use std::collections::BTreeMap;

/// Bytes of a value, entries, and whether there are registers: both sorts of memory, and all that lanes can be like.
const SIZES: [(u32, u32, bool); 9] = [
    (1, 8, false),
    (3, 100, true),
    (8, 8, true),
    (8, 100, false),
    (9, 100, true),
    (12, 30, false),
    (16, 100, true),
    (24, 8, true),
    (64, 100, false),
];

fn shapes(shape: Shape) -> impl Iterator<Item = Shape> {
    SIZES.into_iter().map(move |size| sized(shape, size))
}

fn sized(shape: Shape, (value_bytes, max_entries, registers): (u32, u32, bool)) -> Shape {
    Shape {
        // A slot is set by four bytes.
        value_bytes: match shape.find {
            Find::Slots => value_bytes.max(4),
            _ => value_bytes,
        },
        max_entries: match shape.find {
            Find::Ternary => max_entries.min(20),
            _ => max_entries,
        },
        registers,
        ..shape
    }
}

/// With few keys and many, back to back, with gaps, and with answers that wait. All commands must be met.
fn in_all_ways(shapes: impl Iterator<Item = Shape>, keys: [u64; 3], changes: u64, clocks: u32) {
    for (seed, shape) in shapes.enumerate() {
        let mut answered = BTreeMap::new();
        let paces = [(1, 1), (3, 1), (1, 4)];
        for ((requests, answers), keys) in paces.into_iter().zip(keys) {
            let pace = Pace {
                requests,
                answers,
                host: if changes < 10 { 900 } else { 200 },
                changes,
                clocks,
            };
            for (command, times) in course(&shape, seed as u64, keys, &pace) {
                *answered.entry(command).or_insert(0) += times;
            }
        }
        let mut commands: Vec<u32> =
            (through_entry::READ..=through_entry::COMPARE_EXCHANGE).collect();
        if shape.find == Find::Slots {
            commands.truncate(1);
        }
        let updates = (!shape.folded).then_some(UPDATE);
        let by_key = [LOOKUP, DELETE].into_iter().chain(updates);
        for command in by_key.chain(commands) {
            let times = answered.get(&command).copied().unwrap_or(0);
            assert!(times > 20, "{shape:?}: command {command} {times} times");
        }
    }
}

#[test]
fn entries_of_a_hash_table() {
    let shape = Shape::new(Find::Exact, 1, false);
    in_all_ways(shapes(shape), [1, 40, 3], 20, 6000);
}

#[test]
fn entries_of_a_map_that_evicts() {
    // With fewer keys than places none has to go.
    let shape = Shape::forgetful(1, false);
    in_all_ways(shapes(shape), [1, 3, 2], 20, 3000);
}

#[test]
fn entries_of_an_array() {
    let shape = Shape::new(Find::Array, 1, false);
    in_all_ways(shapes(shape), [1, 40, 3], 20, 6000);
}

#[test]
fn entries_of_an_array_of_one() {
    let shape = Shape::new(Find::Array, 1, false);
    let sizes = [(5, 1, false), (20, 1, true)];
    in_all_ways(
        sizes.into_iter().map(|size| sized(shape, size)),
        [1, 1, 1],
        20,
        3000,
    );
}

/// Values of whole pairs of rows, of one row more, and of a part of a row; one or many of them, in both sorts of memory.
#[test]
fn entries_of_an_array_in_rows() {
    let shape = Shape {
        folded: true,
        ..Shape::new(Find::Array, 1, false)
    };
    let sizes = [
        (16, 100, true),
        (17, 5, false),
        (24, 8, true),
        (70, 1, false),
        (72, 30, true),
        (100, 3, false),
        (185, 20, true),
        (1000, 4, false),
    ];
    let shapes = sizes.into_iter().map(|size| sized(shape, size));
    in_all_ways(shapes, [1, 40, 3], 12, 6000);
}

#[test]
fn entries_of_slots() {
    let shape = Shape::new(Find::Slots, 1, false);
    in_all_ways(shapes(shape), [1, 40, 3], 5, 12_000);
}

#[test]
fn entries_of_a_trie() {
    let shape = Shape::new(Find::Prefix, 1, false);
    in_all_ways(shapes(shape), [1, 40, 3], 1, 60_000);
}

#[test]
fn entries_with_masks() {
    let shape = Shape::new(Find::Ternary, 1, false);
    in_all_ways(shapes(shape), [1, 40, 3], 2, 20_000);
}

#[test]
fn entries_of_three_hundred_bytes() {
    for find in [Find::Exact, Find::Array] {
        let shape = sized(Shape::new(find, 1, false), (300, 20, true));
        in_all_ways([shape].into_iter(), [1, 3, 20], 20, 3000);
    }
}

fn ask(command: u32, key: u64, value: Vec<u8>) -> Ask {
    Ask {
        command,
        may: May::PUT,
        slot: 0,
        key,
        value,
        handle: Handle {
            key,
            judged: 0,
            entry: 0,
        },
        offset: 0,
        bytes: 8,
        word: 0,
        expected: 0,
    }
}

/// Each command on bytes that lie in every way in a value, and around its ends.
#[test]
fn all_offsets_and_lengths() {
    let mut random = Random::new(5);
    let sizes = [3, 8, 12, 16, 24].map(|bytes| (false, bytes));
    for (folded, value_bytes) in sizes
        .into_iter()
        .chain([16, 21, 24].map(|bytes| (true, bytes)))
    {
        let shape = Shape {
            folded,
            ..sized(Shape::new(Find::Array, 1, false), (value_bytes, 8, false))
        };
        let mut bench = Bench::new(&config(&shape));
        let mut judge = Judge::new(&shape);
        for offset in -9..value_bytes as i32 + 9 {
            for bytes in 1..=8 {
                for command in through_entry::READ..=through_entry::COMPARE_EXCHANGE {
                    let mut access = ask(command, 0, vec![]);
                    (access.offset, access.bytes, access.word) =
                        (offset as u32, bytes, random.next());
                    access.expected = match random.below(2) {
                        0 => random.next(),
                        _ => judge.word(0, access.offset, bytes),
                    };
                    let (reply, _) = bench.wide_ask(&access, value_bytes);
                    assert_eq!(reply, judge.reply(&access), "{value_bytes}: {access:x?}");
                }
            }
        }
        assert_eq!(dump(&mut bench, &shape), judge.entries());
    }
}

/// Each sum has the one before, across two of the value's words; what is taken is only held up for the clock in which it is written.
#[test]
fn an_atomic_is_done_every_second_clock() {
    for find in [Find::Exact, Find::Array] {
        let shape = sized(Shape::new(find, 1, false), (16, 100, true));
        let config = config(&shape);
        let mut bench = Bench::new(&config);
        bench.wide_ask(&ask(UPDATE, 7, vec![0; 16]), 16);
        let (_, entry) = bench.wide_ask(&ask(LOOKUP, 7, vec![]), 16);
        let mut add = ask(through_entry::ADD, 0, vec![]);
        add.handle.entry = entry;
        (add.offset, add.bytes, add.word) = (5, 6, 0x0000_4321_8765_4321);
        bench.wide_request(&add);
        bench.set("request_valid", 1);
        let mut answers = 0;
        for clock in 0..300 {
            bench.step();
            assert_eq!(bench.get("request_ready"), 1 - clock % 2);
            if bench.get("response_valid") == 1 {
                let sum = add.word.wrapping_mul(answers) & 0xffff_ffff_ffff;
                assert_eq!(bench.get("response_word"), sum, "answer {answers}");
                answers += 1;
            }
        }
        assert_eq!(answers, (300 - u64::from(config.clocks()) - 1) / 2);
    }
}

/// What is written through the handle of an entry that is gone goes there, and nowhere else.
#[test]
fn a_handle_of_a_deleted_entry_corrupts_nothing() {
    for shape in [
        Shape::new(Find::Exact, 30, false),
        Shape::new(Find::Prefix, 30, false),
        Shape::new(Find::Ternary, 20, false),
    ] {
        let shape = Shape {
            value_bytes: 10,
            ..shape
        };
        let key = |number: u64| match shape.find {
            Find::Prefix => number << 32 | 16,
            Find::Ternary => 0xff00 | number,
            _ => number,
        };
        let mut bench = Bench::new(&config(&shape));
        let mut judge = Judge::new(&shape);
        for number in 0..16 {
            let update = ask(UPDATE, key(number), vec![number as u8; 10]);
            assert_eq!(bench.wide_ask(&update, 10).0, judge.reply(&update));
        }
        for number in [3, 8] {
            let (_, entry) = bench.wide_ask(&ask(LOOKUP, key(number), vec![]), 10);
            let delete = ask(DELETE, key(number), vec![]);
            assert_eq!(bench.wide_ask(&delete, 10).0, judge.reply(&delete));
            let mut write = ask(through_entry::WRITE, 0, vec![]);
            (write.handle.entry, write.offset, write.word) = (entry, 1, 0x1122_3344_5566_7788);
            bench.wide_ask(&write, 10);
            write.command = through_entry::READ;
            let (reply, _) = bench.wide_ask(&write, 10);
            assert_eq!(reply.word, Some(0x1122_3344_5566_7788), "{shape:?}");
        }
        assert_eq!(dump(&mut bench, &shape), judge.entries(), "{shape:?}");
    }
}
