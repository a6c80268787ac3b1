//! Tables of few masks, each a hash table.

use crate::answers::{BAD_INDEX, DONE, FULL};
use crate::ternary_bench::{ones, table, Entry, Operation, Run};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_blocks::ternary::{Match, Ternary};
use hardpath_testkit::Random;
use Match::{Exact, Prefix};

/// The priority that P4's zero becomes.
const MIDDLE: u64 = 1 << 31;

const fn ternary(bits: u32) -> (Match, u32) {
    (Match::Ternary, bits)
}

fn of(fields: &[(Match, u32)], entries: u32, masks: u32, registers: bool) -> Ternary {
    Ternary {
        masks: Some(masks),
        ..table(fields, entries, registers)
    }
}

/// Masks that are drawn, each once.
fn some_masks(random: &mut Random, fields: &[(Match, u32)], count: usize) -> Vec<Vec<u64>> {
    let mut masks: Vec<Vec<u64>> = Vec::new();
    while masks.len() < count {
        let mask = fields.iter().map(|(kind, bits)| match kind {
            Exact => ones(*bits),
            Prefix => ones(*bits) & !(ones(*bits) >> random.below(u64::from(*bits))),
            _ => random.next() & ones(*bits),
        });
        let mask: Vec<u64> = mask.collect();
        if !masks.contains(&mask) {
            masks.push(mask);
        }
    }
    masks
}

/// An entry of one of some masks: often one that is there, or one beside it.
fn some_entry(run: &mut Run, masks: &[Vec<u64>]) -> Entry {
    let number = run.random.below(run.entries.len() as u64) as usize;
    let known = run.entries[number].clone();
    let mask = run.random.pick(masks).clone();
    let random = &mut run.random;
    let priorities = [
        MIDDLE - 1,
        MIDDLE,
        MIDDLE + 1,
        MIDDLE + 77,
        MIDDLE + (1 << 23) - 1,
    ];
    let priority = *random.pick(&priorities);
    match (known, random.below(6)) {
        (Some(known), 0 | 1) => known,
        (Some(known), 2) => Entry { priority, ..known },
        _ => {
            let masks = mask.iter().zip(&run.config.fields);
            let fields = masks.map(|(mask, (_, bits))| (random.next() & ones(*bits), *mask));
            Entry::new(&fields.collect::<Vec<_>>(), priority)
        }
    }
}

#[test]
fn random_operations_in_traffic() {
    let mixed = [(Prefix, 9), ternary(4), (Exact, 3)];
    for (number, (fields, entries, masks, registers, operations)) in [
        (&[ternary(10)][..], 20, 3, false, 500),
        (&mixed, 64, 5, true, 400),
        (&[ternary(14)], 130, 16, false, 400),
        (&[(Exact, 8)], 9, 1, false, 200),
        (&[ternary(30), ternary(42)], 1, 2, true, 60),
    ]
    .into_iter()
    .enumerate()
    {
        let mut run = Run::of(of(fields, entries, masks, registers), 7 + number as u64);
        let possible = if fields.iter().all(|(kind, _)| *kind == Exact) {
            1
        } else {
            masks + 2
        };
        let pool = some_masks(&mut run.random, fields, possible as usize);
        for _ in 0..operations {
            let entry = some_entry(&mut run, &pool);
            let code = *run.random.pick(&[
                command::UPDATE,
                command::UPDATE,
                command::UPDATE,
                command::DELETE,
                command::LOOKUP,
                command::DUMP,
            ]);
            let may = May::ALL[[3, 3, 3, 1, 2][run.random.below(5) as usize]];
            let slot = run.random.below(u64::from(entries) + 2) as u32;
            run.host(&Operation {
                code,
                entry,
                may,
                slot,
            });
            let count = run.random.below(30) as u32;
            run.packets(count);
        }
        assert!(run.hits > 500, "{} hits", run.hits);
        for slot in 0..entries {
            run.dump(slot);
        }
    }
}

/// Fills a table and looks at all that it has.
fn fill(bits: u32, entries: u32, split: &[u32], seed: u64) {
    let fields = [ternary(bits / 2), ternary(bits - bits / 2)];
    let mut run = Run::of(of(&fields, entries, 16, false), seed);
    run.is_quiet = true;
    let pool = some_masks(&mut Random::new(seed), &fields, 17);
    let mut left: Vec<u32> = split.to_vec();
    assert_eq!(left.iter().sum::<u32>(), entries);
    let mut number = 0;
    while left.iter().any(|left| *left > 0) {
        let mask = run.random.below(left.len() as u64) as usize;
        if left[mask] == 0 {
            continue;
        }
        left[mask] -= 1;
        // Any priority, and a key of its own.
        let priority = MIDDLE + run.random.below(1 << 23);
        let values = pool[mask]
            .iter()
            .map(|mask| (run.random.next() & ones(bits / 2 + 1), *mask));
        let values: Vec<(u64, u64)> = values.collect();
        let entry = Entry::new(&values, priority);
        if run.entries.iter().flatten().any(|old| {
            old.fields
                .iter()
                .zip(&values)
                .all(|(old, new)| old.1 == new.1 && old.0 == new.0 & new.1)
        }) {
            left[mask] += 1;
            continue;
        }
        assert_eq!(run.update(&entry).0, DONE, "entry {number} of mask {mask}");
        number += 1;
    }
    let before = run.hits;
    run.packets(2 * entries);
    assert!(run.hits - before > u64::from(entries));
    let other = Entry::new(&[(0, pool[16][0]), (0, pool[16][1])], MIDDLE);
    assert_eq!(run.update(&other).0, FULL);
}

/// As many entries as there is room for, however they are spread over the masks.
#[test]
fn any_split_fits() {
    let full = std::env::var_os("HARDPATH_FULL").is_some();
    let (bits, entries) = if full { (72, 2048) } else { (40, 256) };
    let mut skewed = vec![1; 16];
    skewed[3] = entries - 15;
    let mut halves = vec![1; 16];
    // As many as possible that need two banks.
    for mask in &mut halves[..5] {
        *mask = (entries - 11) / 5;
    }
    halves[0] += entries - halves.iter().sum::<u32>();
    for (seed, split) in [vec![entries], vec![entries / 16; 16], skewed, halves]
        .iter()
        .enumerate()
    {
        fill(bits, entries, split, 40 + seed as u64);
    }
}

/// One mask more than there may be is refused, until another one is gone; so is a priority that has too many bits.
#[test]
fn a_mask_too_many() {
    let mut run = Run::of(of(&[ternary(8)], 20, 3, false), 5);
    let of = |mask: u64, value: u64| Entry::new(&[(value & mask, mask)], MIDDLE);
    for mask in [0xf0, 0x0f, 0xff] {
        assert_eq!(run.update(&of(mask, 0x35)).0, DONE);
    }
    assert_eq!(run.update(&of(0x3c, 0x35)).0, FULL);
    assert_eq!(run.update(&of(0x0f, 0x36)).0, DONE);
    assert_eq!(run.delete(&of(0x0f, 0x35)).0, DONE);
    assert_eq!(run.update(&of(0x3c, 0x35)).0, FULL);
    assert_eq!(run.delete(&of(0x0f, 0x36)).0, DONE);
    assert_eq!(run.update(&of(0x3c, 0x35)).0, DONE);
    for priority in [MIDDLE + (1 << 23), MIDDLE - (1 << 23) - 1, 0] {
        let entry = Entry {
            priority,
            ..of(0xff, 1)
        };
        assert_eq!(run.update(&entry).0, BAD_INDEX);
    }
    run.packets(300);
}

/// Where entries that went have left few in many banks, these are put together for another mask.
#[test]
fn a_bank_is_cleared_for_another_mask() {
    let mut run = Run::of(of(&[ternary(8)], 40, 3, false), 6);
    let of = |mask: u64, priority: u64| Entry::new(&[(0x55 & mask, mask)], MIDDLE + priority);
    // Of the same key and mask two stand in a bank: these take nine banks, which are all.
    for (mask, count) in [(0xf0, 9), (0x0f, 7)] {
        for priority in 0..count {
            assert_eq!(run.update(&of(mask, priority)).0, DONE);
        }
    }
    for (mask, count) in [(0xf0, 9), (0x0f, 7)] {
        for priority in (1..count).step_by(2) {
            assert_eq!(run.delete(&of(mask, priority)).0, DONE);
        }
    }
    assert_eq!(run.update(&of(0xff, 0)).0, DONE);
    for _ in 0..40 {
        run.dump(3);
        run.packets(20);
    }
}

/// Of one key and mask two entries stand in a bank. One more than all banks hold is refused, and its own banks are not cleared in vain.
#[test]
fn entries_of_one_key_fill_all_banks() {
    let (entries, banks) = (256, 22);
    let mut run = Run::of(of(&[ternary(8)], entries, 16, false), 8);
    run.is_quiet = true;
    let of = |priority| Entry::new(&[(0x50, 0xf0)], MIDDLE + priority);
    for priority in 0..2 * banks {
        assert_eq!(run.update(&of(priority)).0, DONE, "{priority}");
    }
    let before = run.entries.clone();
    assert_eq!(run.update(&of(1000)).0, FULL);
    // Four ways of 17 entries, and a look at each bank.
    let scans = 4 * 17 + banks as u32;
    let clocks = run.last_clocks();
    assert!(clocks < (scans + 2) * (entries + 40), "{clocks} clocks");
    assert_eq!(run.entries, before);
    run.packets(100);
}
