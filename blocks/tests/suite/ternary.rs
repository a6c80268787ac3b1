//! Tables of several fields beside a model: a lookup a clock while the host inserts, replaces and deletes entries.

use crate::answers::{BAD_INDEX, DONE, EXISTS, FULL, MISSING};
use crate::ternary_bench::{table, Entry, Operation, Run};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_blocks::ternary::Match;
use Match::{Exact, Prefix, Range};

/// A field of so many bits.
const fn ternary(bits: u32) -> (Match, u32) {
    (Match::Ternary, bits)
}

#[test]
fn lookups_and_the_hosts_changes() {
    let flow = [ternary(32), ternary(32), (Range, 16), (Exact, 8)];
    let all_kinds = [
        (Prefix, 32),
        ternary(3),
        (Range, 4),
        (Range, 16),
        (Exact, 12),
    ];
    let narrow = [ternary(2), (Range, 3)];
    let odd = [(Range, 9), (Range, 10), (Prefix, 1), (Exact, 1), (Range, 1)];
    let wide = [
        (Prefix, 64),
        (Prefix, 64),
        (Range, 33),
        (Range, 64),
        ternary(7),
    ];
    let mut answers = [0; 6];
    for (number, (fields, entries, registers, operations)) in [
        (&flow[..], 64, true, 600),
        (&all_kinds, 33, false, 200),
        (&all_kinds, 7, true, 200),
        (&narrow, 64, false, 600),
        (&narrow, 4, true, 200),
        (&odd, 20, true, 200),
        (&wide, 12, false, 120),
        (&[(Exact, 5)], 17, false, 150),
        (&[(Range, 12)], 9, true, 200),
        (&[ternary(10)], 1, false, 60),
        (&[ternary(10)], 2, true, 100),
        // Their rows are in block RAM, and their ranks have more bits than are looked at in three clocks.
        (&flow, 65, false, 300),
        (&all_kinds, 129, true, 300),
        (&narrow, 300, false, 400),
    ]
    .into_iter()
    .enumerate()
    {
        let mut run = Run::new(fields, entries, registers, number as u64);
        for _ in 0..operations {
            run.random_host();
            let count = run.random.below(40) as u32;
            run.packets(count);
        }
        assert!(run.hits > 100, "{} hits", run.hits);
        assert!(entries == 1 || run.choices > 100);
        let answers = run.answers.iter().zip(&mut answers);
        answers.for_each(|(of_run, all)| *all += of_run);
        for slot in 0..entries {
            run.dump(slot);
        }
    }
    assert!(answers.iter().all(|count| *count > 20), "{answers:?}");
}

/// Without packets that are chosen at random: what is around is counted through.
#[test]
fn every_range_of_a_narrow_and_a_wide_field() {
    for bits in [4, 10] {
        let mut run = Run::new(&[(Range, bits)], 2, false, 1);
        let last = (1 << bits) - 1;
        let ends = [0, 1, 2, last / 2, last / 2 + 1, last - 1, last];
        for low in ends {
            for high in ends {
                let entry = Entry::new(&[(low, high)], 3);
                let expected = if low > high { BAD_INDEX } else { DONE };
                assert_eq!(run.update(&entry).0, expected);
                (0..=last).for_each(|value| run.step(Some(&vec![value])));
                assert_eq!(run.delete(&entry).0, expected);
            }
        }
        assert!(run.hits > 100);
    }
}

#[test]
fn every_mask_of_a_prefix_and_of_bits() {
    for field in [(Prefix, 5), ternary(5)] {
        let mut run = Run::new(&[field], 1, true, 1);
        let mut entries = 0;
        for mask in 0..32 {
            let entry = Entry::new(&[(0b10110, mask)], 0);
            let (answer, _) = run.update(&entry);
            (0..32).for_each(|value| run.step(Some(&vec![value])));
            assert_eq!(run.delete(&entry).0, answer);
            entries += u32::from(answer == DONE);
        }
        assert_eq!(entries, if field.0 == Prefix { 6 } else { 32 });
    }
}

/// All match all keys, and go in and out in several orders: of equal priority the lowest number wins.
#[test]
fn full_tables_of_entries_that_all_match() {
    for (entries, distinct) in [(64, 1), (64, 3), (64, 64), (5, 2), (2, 1), (100, 64)] {
        let mut run = Run::new(&[ternary(7)], entries, true, distinct);
        let all: Vec<Entry> = (0..u64::from(entries) + 1)
            .map(|number| Entry::new(&[(0, number)], number * 37 % 64 % distinct))
            .collect();
        for entry in &all[..entries as usize] {
            assert_eq!(run.update(entry).0, DONE);
            run.step(Some(&vec![0]));
        }
        assert_eq!(run.update(&all[entries as usize]), (FULL, None));
        for _ in 0..3 * entries {
            let number = run.random.below(all.len() as u64) as usize;
            let other = run.random.below(all.len() as u64) as usize;
            run.delete(&all[number]);
            run.step(Some(&vec![0]));
            run.update(&all[other]);
            run.step(Some(&vec![0]));
        }
        for entry in all.iter().rev() {
            run.delete(entry);
            run.step(Some(&vec![0]));
        }
        assert_eq!(run.entries, vec![None; entries as usize]);
        assert!(run.choices > 100);
    }
}

#[test]
fn the_same_entry_is_replaced_and_comes_again() {
    let mut run = Run::new(&[ternary(8), (Exact, 4)], 3, false, 1);
    let first = Entry::new(&[(0x30, 0xf0), (5, 0)], 7);
    assert_eq!(run.update(&first), (DONE, Some(0)));
    // Bits that do not count, and the mask of an exact field, make no other entry of it.
    let same = Entry::new(&[(0x3c, 0xf0), (5, 9)], 7);
    assert_eq!(run.update(&same), (DONE, Some(0)));
    assert_eq!(
        run.of_entry(command::UPDATE, &same, May::CREATE),
        (EXISTS, None)
    );
    assert_eq!(
        run.of_entry(command::UPDATE, &same, May::REPLACE),
        (DONE, Some(0))
    );
    // Each of these is another one.
    let others = [
        Entry::new(&[(0x30, 0xf0), (5, 0)], 8),
        Entry::new(&[(0x30, 0xf8), (5, 0)], 7),
        Entry::new(&[(0x20, 0xf0), (5, 0)], 7),
        Entry::new(&[(0x30, 0xf0), (4, 0)], 7),
    ];
    for other in &others {
        let (answer, _) = run.of_entry(command::UPDATE, other, May::REPLACE);
        assert_eq!(answer, MISSING);
        assert_eq!(run.delete(other).0, MISSING);
    }
    assert_eq!(run.update(&others[0]), (DONE, Some(1)));
    assert_eq!(run.update(&others[1]), (DONE, Some(2)));
    assert_eq!(run.update(&others[2]), (FULL, None));
    assert_eq!(run.delete(&others[0]), (DONE, Some(1)));
    assert_eq!(run.delete(&first), (DONE, Some(0)));
    assert_eq!(run.update(&others[2]), (DONE, Some(0)));
    assert_eq!(run.update(&first), (DONE, Some(1)));
    run.packets(50);
    let dumps: Vec<u64> = [0, 1, 2, 3, 4, u32::MAX].map(|slot| run.dump(slot)).into();
    assert_eq!(dumps, [0, 0, 0, 4, 4, 4]);
}

/// Also while a command is prepared, in any of its clocks.
#[test]
fn a_reset_empties_the_table() {
    let mut run = Run::new(&[ternary(4), (Range, 12)], 6, false, 1);
    for clocks in [0, 1, 2, 5, 9, 12, 14, 20, 30, 31] {
        for number in 0..4 {
            let entry = Entry::new(&[(number, 3), (0, 4095)], number);
            assert_eq!(run.update(&entry), (DONE, Some(number as usize)));
        }
        run.begin(&Operation {
            code: command::UPDATE,
            entry: Entry::new(&[(0, 0), (0, 4095)], 9),
            may: May::PUT,
            slot: 0,
        });
        run.packets(clocks);
        run.restart();
        let hits = run.hits;
        run.packets(40);
        assert_eq!(run.hits, hits);
        (0..6).for_each(|slot| assert_eq!(run.dump(slot), MISSING));
    }
}

#[test]
fn the_sizes_are_known() {
    let fields = [
        ternary(32),
        ternary(32),
        (Range, 16),
        (Exact, 8),
        (Range, 5),
    ];
    // A rank has six bits, two a clock; then the number.
    let of = |entries: u32, registers: bool| table(&fields, entries, registers);
    assert_eq!(of(64, false).clocks(), 2 + 3 + 1);
    assert_eq!(of(64, true).clocks(), 3 + 3 + 1);
    assert_eq!(of(1, false).clocks(), 2 + 1 + 1);
    assert_eq!(of(64, false).key_bits(), 93);
    // Fifteen chunks of at most five bits, a narrow and a wide range, the valid entries.
    assert_eq!(of(64, false).words(), 15 + 1 + 1 + 1);
    // With more entries eight, of at most nine.
    assert_eq!(of(65, false).words(), 8 + 1 + 1 + 1);
    assert_eq!(of(65, false).prepare_clocks(), 65 + 2 * 512 + 16);
    assert_eq!(of(1024, false).clocks(), 2 + 5 + 1);
    assert_eq!(of(64, false).prepare_clocks(), 64 + 2 * 32 + 16);
    // Twelve of the chunks have five bits.
    let rows = 12 * 32 + 3 * 16 + 32;
    let word = 93 + 93 - 8 + 32 + 1;
    assert_eq!(of(64, false).memory_bits(), 64 * (rows + word));
}
