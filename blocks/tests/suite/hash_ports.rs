//! Hash tables with several ports: what each finds, and what the commits of one packet do, each in its turn, against a
//! model; the host between them through the first port.

use crate::hash_bench::{config, Change};
use crate::hash_ports_bench::{Table, Times};
use hardpath_blocks::hash::{Hash, HashPort};
use hardpath_blocks::may::May;
use hardpath_testkit::Random;

/// What a port may do to its key.
fn random_change(random: &mut Random, port: &HashPort, inserts: u64) -> Change {
    let may = May::ALL[[3, 3, 3, 3, 3, 3, 1, 2, 0][random.below(9) as usize]];
    let update = Change::Update {
        may: port.may.unwrap_or(may),
    };
    match random.below(8) {
        0 => Change::Nothing,
        what if what <= inserts && port.updates => update,
        _ if port.deletes => Change::Delete,
        _ if port.updates => update,
        _ => Change::Nothing,
    }
}

/// Packets as close as the contract allows, with the host between them.
fn torture(config: Hash, pool: u64, packets: usize, seed: u64) -> Table {
    let mut table = Table::new(config);
    let mut random = Random::new(seed);
    let ports = table.config.ports.clone();
    for number in 0..packets {
        let inserts = [6, 2, 4][number / 200 % 3];
        let keys: Vec<u64> = ports.iter().map(|_| random.below(pool)).collect();
        if random.below(12) == 0 {
            table.idle();
        }
        if random.below(20) == 0 {
            let any = HashPort {
                updates: true,
                deletes: true,
                ..HashPort::default()
            };
            let change = random_change(&mut random, &any, inserts);
            table.host(&keys, change);
            continue;
        }
        let mut changes: Vec<Change> = ports
            .iter()
            .map(|port| random_change(&mut random, port, inserts))
            .collect();
        // One commit a clock.
        let mut order: Vec<usize> = (0..ports.len()).collect();
        let first = random.below(ports.len() as u64) as usize;
        order.swap(0, first);
        let mut taken = Vec::new();
        for port in order {
            if changes[port] == Change::Nothing {
                continue;
            }
            if taken.contains(&ports[port].slot) {
                changes[port] = Change::Nothing;
            }
            taken.push(ports[port].slot);
        }
        table.packet(&keys, &changes);
    }
    table.compare();
    table
}

/// What ports can do: each updates, deletes, both or only looks up. What updates may do may be known before.
fn random_ports(random: &mut Random, count: usize) -> Vec<HashPort> {
    let abilities = [
        (true, true),
        (true, true),
        (true, false),
        (false, true),
        (false, false),
    ];
    (0..count)
        .map(|_| {
            let (updates, deletes) = *random.pick(&abilities);
            HashPort {
                updates,
                may: *random.pick(&[
                    None,
                    None,
                    Some(May::PUT),
                    Some(May::CREATE),
                    Some(May::REPLACE),
                    Some(May::NOTHING),
                ]),
                deletes,
                ..HashPort::default()
            }
        })
        .collect()
}

const SIZES: [u32; 6] = [1, 2, 3, 8, 20, 64];

/// One commit a packet, the table forwards: any keys in every clock.
#[test]
fn ports_that_forward_take_any_keys_in_every_clock() {
    let mut random = Random::new(11);
    for count in [1, 2, 3] {
        for max_entries in SIZES {
            for few in [true, false] {
                let ports = random_ports(&mut random, count);
                let config = Hash {
                    ports,
                    forward: true,
                    registers: random.below(2) == 1,
                    ..config(max_entries, 32, 0)
                };
                assert_eq!(Times::of(&config).apart, 1);
                let pool = if few {
                    3
                } else {
                    u64::from(max_entries) * 2 + 2
                };
                torture(config, pool, 1500, random.next());
            }
        }
    }
}

/// Commits later than the answers, and in turns; equal keys of different packets are kept apart.
#[test]
fn ports_commit_in_turns() {
    let mut random = Random::new(12);
    let mut met = 0;
    for count in [2, 3] {
        for max_entries in SIZES {
            for round in 0..4 {
                let mut ports = random_ports(&mut random, count);
                for port in &mut ports {
                    port.slot = random.below(3) as u32;
                    port.commit_after = port.slot + random.below(5) as u32;
                }
                let key_bits = *random.pick(&[16, 32, 64]);
                let config = Hash {
                    ports,
                    forward: round == 3,
                    registers: random.below(2) == 1,
                    ..config(max_entries, key_bits, 0)
                };
                let pool = u64::from(max_entries) * 2 + 2;
                met += torture(config, pool, 900, random.next()).met;
            }
        }
    }
    assert!(met > 500, "{met}");
}

/// Every turn does everything, so that every pair of changes of one key meets in one packet.
#[test]
fn three_turns_of_one_packet_on_few_keys() {
    for max_entries in [1, 2, 3, 16] {
        for commit_after in [[0, 1, 2], [4, 1, 2], [0, 5, 3], [3, 4, 5], [2, 2, 2]] {
            for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
                let ports = order
                    .iter()
                    .map(|slot| HashPort {
                        commit_after: commit_after[*slot as usize],
                        updates: true,
                        may: None,
                        deletes: true,
                        slot: *slot,
                    })
                    .collect();
                let config = Hash {
                    ports,
                    registers: max_entries % 2 == 1,
                    ..config(max_entries, 32, 0)
                };
                let seed = u64::from(max_entries * 10 + commit_after[1]);
                let table = torture(config, 4, 600, seed);
                assert!(table.met > 200, "{}", table.met);
                for (port, seen) in table.seen.iter().enumerate() {
                    assert!(seen.iter().all(|count| *count > 5), "{port}: {seen:?}");
                }
            }
        }
    }
}

/// The first turn puts the key in, the second takes it out again; then the other way round.
#[test]
fn one_packet_updates_and_deletes_its_key() {
    let turn = |slot| HashPort {
        commit_after: 2,
        updates: true,
        may: None,
        deletes: true,
        slot,
    };
    let mut table = Table::new(Hash {
        ports: vec![turn(0), turn(1)],
        ..config(1, 32, 0)
    });
    let put = Change::Update { may: May::CREATE };
    table.packet(&[7, 7], &[put, Change::Delete]);
    table.settle();
    assert!(table.model.is_empty());
    table.host(&[7, 7], Change::Nothing);
    table.packet(&[7, 7], &[put, put]);
    table.packet(&[7, 7], &[Change::Delete, put]);
    table.settle();
    assert!(table.model.contains_key(&7));
    // The table is full: the place that the first turn gives back is the second one's.
    table.packet(&[7, 9], &[Change::Delete, put]);
    table.packet(&[7, 9], &[put, Change::Delete]);
    table.compare();
    assert_eq!(table.seen, [[2, 0, 2, 1]; 2]);
}
