//! Hash tables: lookups, updates and deletes under the rule that equal keys are kept apart, against a model; the host
//! beside them; no slot is ever shared; dumps give exactly what is there.

use crate::hash_bench::{config, Change, Key, Table};
use hardpath_blocks::hash::{buckets, Hash, HashPort};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_testkit::Random;

fn random_change(random: &mut Random, inserts: u64) -> Change {
    match random.below(8) {
        0 => Change::Nothing,
        1 => Change::Update {
            may: May::from_bits(random.below(4) as u32),
        },
        what if what < 2 + inserts => Change::Update {
            may: *random.pick(&[May::PUT, May::CREATE]),
        },
        _ => Change::Delete,
    }
}

/// Keys of that width with some of their low bits set.
fn key(width: u32, number: u64) -> Key {
    let mut limbs = vec![0; width.div_ceil(64) as usize];
    limbs[0] = number & (u64::MAX >> (64 - width.min(64)));
    if let Some(last) = limbs.get_mut(1) {
        // The same bits once more, high up.
        *last = number;
        let keep = width - 64;
        *last &= if keep >= 64 {
            u64::MAX
        } else {
            (1 << keep) - 1
        };
    }
    limbs
}

/// Packets as close as their keys allow, from a pool of keys, with the host between.
fn torture(config: Hash, pool: u64, slots: usize, seed: u64) -> Table {
    let width = config.key_bits;
    let mut table = Table::new(config);
    table.may_fail = true;
    let mut random = Random::new(seed);
    let mut last_use = std::collections::HashMap::new();
    for number in 0..slots {
        let inserts = [5, 1, 3][number / 300 % 3];
        let chosen = key(width, random.below(pool));
        let window = table.window();
        let apart = !table.config.forward;
        let waits = apart
            && last_use
                .get(&chosen)
                .is_some_and(|clock: &u64| table.clock - clock <= window);
        if waits || random.below(20) == 0 {
            table.idle();
            continue;
        }
        if random.below(25) == 0 {
            let command = *random.pick(&[
                command::LOOKUP,
                command::UPDATE,
                command::UPDATE,
                command::DELETE,
            ]);
            let may = May::from_bits(random.below(4) as u32);
            match table.config.foreign && random.below(2) == 0 {
                true if command == command::DELETE && table.foreign == 0 => continue,
                true => table.host_foreign(command, &chosen, may),
                false => table.host(command, &chosen, may),
            }
            last_use.insert(chosen, table.clock - 3);
            // One operation of the host at a time.
            for _ in 0..window {
                table.idle();
            }
            continue;
        }
        let change = random_change(&mut random, inserts);
        last_use.insert(chosen.clone(), table.clock);
        table.packet(&chosen, change);
    }
    table.compare();
    table
}

#[test]
fn packets_and_the_host_change_keys() {
    for max_entries in [1, 2, 3, 4, 8, 15, 16, 17, 64, 100] {
        for (commit_after, registers) in [(0, false), (1, false), (5, false), (0, true), (4, true)]
        {
            let config = Hash {
                registers,
                ..config(max_entries, 32, commit_after)
            };
            let pool = u64::from(max_entries) * 2 + 2;
            let table = torture(
                config,
                pool,
                2500,
                u64::from(max_entries) * 10 + u64::from(commit_after),
            );
            assert_eq!(table.failures, 0, "{max_entries} entries");
        }
    }
}

/// A table that forwards: one key at every clock.
#[test]
fn nothing_waits_with_forwarding() {
    for max_entries in [1, 2, 3, 8, 16, 64] {
        for pool in [1, 2, 4, u64::from(max_entries) * 2 + 1] {
            for registers in [false, true] {
                let config = Hash {
                    forward: true,
                    registers,
                    ..config(max_entries, 32, 0)
                };
                let table = torture(config, pool, 2500, u64::from(max_entries) * 100 + pool);
                assert_eq!(table.failures, 0, "{max_entries} entries");
            }
        }
    }
    for key_bits in [8, 65, 104] {
        let config = Hash {
            forward: true,
            ..config(20, key_bits, 0)
        };
        torture(config, 45, 1500, u64::from(key_bits));
    }
}

/// Keys that the table does not store count, and are nowhere: neither their bits nor what the host's update may do changes anything.
#[test]
fn foreign_keys_have_places() {
    for max_entries in [1, 2, 5, 16, 40] {
        for (commit_after, forward, registers) in
            [(0, true, false), (0, true, true), (3, false, false)]
        {
            let config = Hash {
                forward,
                registers,
                foreign: true,
                ..config(max_entries, 32, commit_after)
            };
            let pool = u64::from(max_entries) + 2;
            let mut table = torture(config, pool, 4000, u64::from(max_entries) + 50);
            assert_eq!(table.failures, 0, "{max_entries} entries");
            // All places, of both sorts: one more of neither, and a reset takes both back.
            while table.model.len() + table.foreign < max_entries as usize {
                table.host_foreign(command::UPDATE, &key(32, 7), May::PUT);
                table.settle();
            }
            table.host_foreign(command::UPDATE, &key(32, 8), May::PUT);
            table.packet(&key(32, 5000), Change::Update { may: May::PUT });
            table.compare();
            assert!(!table.model.contains_key(&key(32, 5000)));
            table.clear();
            for number in 0..u64::from(max_entries) {
                table.packet(&key(32, 100 + number), Change::Update { may: May::CREATE });
            }
            table.host_foreign(command::UPDATE, &key(32, 1), May::PUT);
            table.compare();
            assert_eq!(table.model.len(), max_entries as usize);
        }
    }
}

#[test]
fn widths_of_keys() {
    for key_bits in [8, 16, 24, 64, 65, 104, 128, 136, 288, 512, 1032] {
        torture(config(20, key_bits, 2), 45, 1200, u64::from(key_bits));
    }
}

#[test]
fn only_updates_or_only_deletes() {
    for (updates, deletes) in [(true, false), (false, true)] {
        let mut table = Table::new(Hash {
            ports: vec![HashPort {
                updates,
                may: Some(May::PUT),
                deletes,
                commit_after: 2,
                slot: 0,
            }],
            ..config(10, 32, 1)
        });
        let mut random = Random::new(4);
        for number in 0..2000 {
            let key = key(32, random.below(16));
            let change = match number % 9 {
                0 => Change::Nothing,
                _ if deletes => Change::Delete,
                _ => Change::Update { may: May::PUT },
            };
            if number % 7 == 0 {
                let command = if deletes {
                    command::UPDATE
                } else {
                    command::DELETE
                };
                table.host(command, &key, May::PUT);
            } else {
                table.packet(&key, change);
            }
            for _ in 0..table.window() {
                table.idle();
            }
        }
        table.compare();
    }
}

#[test]
fn only_the_host_changes_keys() {
    for registers in [false, true] {
        only_the_host(registers);
    }
}

fn only_the_host(registers: bool) {
    let mut table = Table::new(Hash {
        ports: vec![HashPort::default()],
        registers,
        ..config(30, 40, 0)
    });
    let mut random = Random::new(2);
    for _ in 0..3000 {
        let key = key(40, random.below(50));
        if random.below(6) == 0 {
            let command = *random.pick(&[
                command::LOOKUP,
                command::UPDATE,
                command::UPDATE,
                command::DELETE,
            ]);
            let may = May::from_bits(random.below(4) as u32);
            table.host(command, &key, may);
        } else {
            // Back to back, also with one key.
            table.packet(&key, Change::Nothing);
        }
    }
    table.compare();
}

#[test]
fn one_key_comes_and_goes() {
    let mut table = Table::new(config(1, 16, 3));
    let one = key(16, 0x1234);
    for number in 0..400 {
        let change = match number % 4 {
            0 | 1 => Change::Update { may: May::PUT },
            2 => Change::Delete,
            _ => Change::Nothing,
        };
        table.packet(&one, change);
        for _ in 0..table.window() {
            table.idle();
        }
    }
    table.compare();
}

/// New keys one behind the other into the same buckets: each must get a slot of its own.
#[test]
fn colliding_keys_back_to_back() {
    for commit_after in [0, 2, 6] {
        let (key_bits, max_entries) = (32, 64);
        let mut table = Table::new(config(max_entries, key_bits, commit_after));
        let mut by_rows: std::collections::BTreeMap<u64, Vec<Key>> =
            std::collections::BTreeMap::new();
        for number in 0..600 {
            let key = key(32, number * 0x9e37_79b9);
            let rows = buckets(&key, key_bits, max_entries);
            by_rows.entry(rows[0]).or_default().push(key);
        }
        for keys in by_rows.values() {
            let keys = &keys[..keys.len().min(20)];
            for key in keys {
                table.packet(key, Change::Update { may: May::CREATE });
            }
            table.settle();
            for key in keys {
                table.packet(key, Change::Delete);
            }
            table.settle();
            assert!(table.model.is_empty());
        }
        table.compare();
    }
}

/// The count is exact when inserts come behind each other at the limit.
#[test]
fn the_last_place_is_given_once() {
    for max_entries in [1, 2, 5, 16] {
        let mut table = Table::new(config(max_entries, 32, 4));
        for number in 0..u64::from(max_entries) + 12 {
            table.packet(&key(32, number + 1), Change::Update { may: May::PUT });
        }
        table.settle();
        assert_eq!(table.model.len(), max_entries as usize);
        // A delete makes room for exactly the one behind it.
        table.packet(&key(32, 1), Change::Delete);
        table.packet(&key(32, 1000), Change::Update { may: May::PUT });
        table.packet(&key(32, 1001), Change::Update { may: May::PUT });
        table.compare();
        assert!(table.model.contains_key(&key(32, 1000)));
        table.clear();
        table.compare();
        table.packet(&key(32, 7), Change::Update { may: May::CREATE });
        table.compare();
        assert_eq!(table.model.len(), 1);
    }
}

#[test]
fn the_functions_are_the_same_in_software() {
    for (max_entries, key_bits) in [(1, 8), (64, 32), (1000, 104), (65_536, 512), (100, 65)] {
        let mut table = Table::new(config(max_entries, key_bits, 0));
        let mut random = Random::new(6);
        for _ in 0..300 {
            let mut key: Key = (0..key_bits.div_ceil(64)).map(|_| random.next()).collect();
            if let (Some(last), false) = (key.last_mut(), key_bits.is_multiple_of(64)) {
                *last &= (1 << (key_bits % 64)) - 1;
            }
            assert_eq!(table.rows_of(&key), buckets(&key, key_bits, max_entries));
        }
    }
}
