//! Tables whose places are priorities, beside the same model: moves, and what packets see of them.

use crate::answers::{DONE, FULL};
use crate::ternary_bench::{ones, Entry, Run};
use hardpath_blocks::ternary::Match;
use hardpath_testkit::Random;
use Match::{Exact, Prefix, Range};

const fn ternary(bits: u32) -> (Match, u32) {
    (Match::Ternary, bits)
}

/// Of groups that are whole, miss lanes or stand alone; of blocks likewise; of chunks of several sizes.
#[test]
fn tables_of_many_shapes() {
    let narrow = [ternary(2), (Range, 3)];
    let all_kinds = [ternary(11), (Exact, 4), (Range, 9), (Prefix, 8)];
    let wide = [(Prefix, 64), ternary(64)];
    let one = [ternary(1)];
    for (number, (fields, entries, registers, operations)) in [
        (&narrow[..], 65, false, 600),
        (&narrow, 72, true, 400),
        (&all_kinds, 73, false, 150),
        (&one, 81, true, 200),
        (&narrow, 128, false, 500),
        (&all_kinds, 145, true, 150),
        (&wide, 130, false, 60),
    ]
    .into_iter()
    .enumerate()
    {
        let mut run = Run::new(fields, entries, registers, 100 + number as u64);
        for _ in 0..operations {
            run.random_host();
            let count = run.random.below(40) as u32;
            run.packets(count);
        }
        assert!(run.choices > 100, "{} choices", run.choices);
        for slot in 0..entries {
            run.dump(slot);
        }
    }
}

/// As large as they can be, and 72 bits: some operations, and a packet in every clock of them.
#[test]
fn large_tables() {
    for (fields, entries) in [
        (&[ternary(32), ternary(40)][..], 2048),
        (&[ternary(7)], 4096),
    ] {
        let mut run = Run::new(fields, entries, true, 1);
        for _ in 0..40 {
            run.random_host();
        }
        assert!(run.hits > 1000, "{} hits", run.hits);
    }
}

/// The same key in every clock, for each key: while entries go, come in order and in between, and all others move for them.
#[test]
fn a_packet_in_every_clock_of_an_operation() {
    let entries = 65;
    for key in 0..8 {
        let mut run = Run::new(&[ternary(3)], entries, key % 2 == 0, 1);
        run.constant_key = Some(vec![key]);
        let entry = |number: u64| Entry::new(&[(number & 7, number >> 3 & 7)], number * 29 % 66);
        for number in 0..u64::from(entries) {
            assert_eq!(run.update(&entry(number)).0, DONE);
        }
        assert_eq!(run.update(&entry(65)), (FULL, None));
        // One goes, and a new one belongs to another end of the table, so nearly all move.
        let coming = [1000, 0, 500, 30, u64::from(u32::MAX)];
        for (gone, come) in [0, 1, 2, 40, 64].into_iter().zip(coming) {
            assert_eq!(run.delete(&entry(gone)).0, DONE);
            let come = Entry::new(&[(gone & 7, 5)], come);
            assert_eq!(run.update(&come).0, DONE);
            assert_eq!(run.update(&come).0, DONE);
        }
        assert!(run.hits > 1000 && run.choices > 1000);
    }
}

/// In which order entries come, and how many others move for one while the table becomes half full, 90 % and full.
#[test]
fn how_many_move() {
    let entries = 512;
    let mut random = Random::new(3);
    let any = |_: u64| random.next() >> 32;
    let any: Vec<u64> = (0..entries).map(any).collect();
    let few: Vec<u64> = any.iter().map(|priority| priority % 4).collect();
    for (name, priorities, bits, most) in [
        ("any", any, 5, [10, 20, 60]),
        ("rising", (0..entries).collect(), 5, [1, 10, 80]),
        ("falling", (0..entries).rev().collect(), 5, [1, 10, 80]),
        // All keys differ, so that none is replaced.
        ("of four", few, 9, [20, 30, 80]),
    ] {
        let mut run = Run::new(&[ternary(bits)], entries as u32, false, 1);
        let mut moves = Vec::new();
        for (number, priority) in (0..).zip(priorities) {
            let entry = Entry::new(&[(number & ones(bits), ones(bits))], priority);
            assert_eq!(run.update(&entry).0, DONE);
            let (moved, clocks) = run.others_moved();
            // A place is written in so many clocks; to move takes an entry that and the place that it leaves, which has no rows: 600.
            let most = (1 << bits) + 45;
            assert!(clocks <= most, "{clocks} clocks");
            moves.push(moved);
        }
        let mut from = 0;
        let parts = [(50, most[0]), (90, most[1]), (100, most[2])].map(|(percent, most)| {
            let to = moves.len() * percent / 100;
            let part = &moves[from..to];
            from = to;
            let mean = part.iter().sum::<u32>() as usize / part.len();
            assert!(mean <= most, "{name}: {mean} moves up to {percent} %");
            (mean, part.iter().max().copied())
        });
        println!("{name}: {parts:?}");
    }
}
