//! A lookup that begins in any clock of an operation of the host: it finds what is there before the operation's slot, or what is there behind it,
//! and the model says which. What is there before and behind is always found.

use crate::answers::DONE;
use crate::ternary_bench::{table, Entry, Run};
use hardpath_blocks::ternary::{Match, Ternary};

/// Where priorities of all tables are.
const MIDDLE: u64 = 1 << 31;

fn entry(value: u64, mask: u64, priority: u64) -> Entry {
    Entry::new(&[(value & mask, mask)], MIDDLE + priority)
}

/// The tables: entries with ranks, with places, and with few masks.
fn tables() -> [Ternary; 3] {
    let of = |entries, masks| Ternary {
        masks,
        ..table(&[(Match::Ternary, 4)], entries, false)
    };
    [of(5, None), of(65, None), of(6, Some(2))]
}

/// A table with all its entries but one, and one for which others have to move or none is free at once.
fn filled(config: Ternary) -> (Run, Entry) {
    let masks = if config.masks.is_some() {
        [0xf, 0xc]
    } else {
        [0xf, 0x3]
    };
    let entries = u64::from(config.entries);
    let mut run = Run::of(config, 3);
    for number in 0..entries - 1 {
        let mask = masks[number as usize % 2];
        // The last ones of each mask are told apart by their priorities alone, so they compete for rows.
        let one = entry(number * 3, mask, 2 * number + 1);
        assert_eq!(run.update(&one).0, DONE);
    }
    (run, entry(5, masks[0], entries))
}

/// An operation with one lookup, for each clock of it in which that can begin; some of them where there are many.
fn at_each_clock(run: &mut Run, key: u64, mut operation: impl FnMut(&mut Run, u32)) -> u32 {
    run.constant_key = Some(vec![key]);
    run.only = Some(u32::MAX);
    run.longest = 0;
    operation(run, 0);
    operation(run, 1);
    let clocks = run.longest;
    let step = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 1,
        None => 1 + clocks / 100,
    };
    for (round, clock) in (0..clocks + 2).step_by(step as usize).enumerate() {
        run.only = Some(clock);
        operation(run, round as u32);
    }
    run.only = None;
    clocks
}

#[test]
fn a_lookup_begins_in_any_clock_of_an_operation() {
    for config in tables() {
        let (mut run, new) = filled(config);
        let keys = [5, 6, 1];
        let hits = run.hits;
        for key in keys {
            // It comes and goes in turns, and others move for it.
            let clocks = at_each_clock(&mut run, key, |run, _| {
                assert_eq!(run.update(&new).0, DONE);
                assert_eq!(run.delete(&new).0, DONE);
            });
            assert!(clocks > 5);
            // Another value for one that is there: the entry stays.
            let there = run
                .entries
                .iter()
                .flatten()
                .next()
                .cloned()
                .expect("there are entries");
            at_each_clock(&mut run, key, |run, _| {
                assert_eq!(run.update(&there).0, DONE);
            });
            // It moves to another priority, below and above all others: to a packet it is there as one or the other.
            let [low, high] = [0, 1000].map(|priority| Entry {
                priority: MIDDLE + priority,
                ..new.clone()
            });
            assert_eq!(run.update(&low).0, DONE);
            at_each_clock(&mut run, key, |run, round| {
                let (from, to) = match round % 2 {
                    0 => (&low, &high),
                    _ => (&high, &low),
                };
                assert_eq!(run.delete(from).0, DONE);
                assert_eq!(run.update(to).0, DONE);
            });
            for one in [&low, &high] {
                run.delete(one);
            }
        }
        assert!(run.hits > hits + 100, "{} hits", run.hits - hits);
    }
}

/// And in all of its clocks, one behind the other.
#[test]
fn a_lookup_begins_in_every_clock_of_an_operation() {
    for config in tables() {
        let (mut run, new) = filled(config);
        for key in 0..16 {
            run.constant_key = Some(vec![key]);
            for _ in 0..2 {
                assert_eq!(run.update(&new).0, DONE);
                assert_eq!(run.update(&new).0, DONE);
                assert_eq!(run.delete(&new).0, DONE);
            }
        }
        assert!(run.hits > 1000, "{} hits", run.hits);
    }
}
