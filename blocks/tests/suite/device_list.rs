//! The device list: what each packet sees is the map at its place in the order of packets and changes; keys are sorted;
//! a change that the map did not take leaves no trace.

use crate::answers::{DONE, FULL, MISSING};
use crate::bench::Bench;
use hardpath_blocks::device_list::{device_list, DeviceList};
use hardpath_blocks::interface::command;
use hardpath_testkit::Random;
use std::collections::{BTreeMap, VecDeque};

const MAX_INSIDE: usize = 12;

/// Where the host's operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Host {
    Idle,
    /// The command has begun.
    Prepares,
    /// The next list is made, and the operation waits for its slot.
    Ready,
    /// Clocks until the map has answered.
    Inside(u64),
}

/// An operation, and what the map answers.
#[derive(Clone, Copy, Debug)]
struct Operation {
    command: u32,
    key: u32,
    device: u32,
    answer: u64,
}

/// The list between a host, an entrance and an exit that do at random what their contracts allow.
struct Traffic {
    bench: Bench,
    random: Random,
    entries: usize,
    map: BTreeMap<u32, u32>,
    host: Host,
    operation: Operation,
    /// The list that each packet inside must see, the oldest first.
    inside: VecDeque<Vec<u32>>,
    /// What the exit must get for what it asked in the clock before.
    asked: Option<u32>,
    changes: u32,
    /// Changes that the map did not take.
    refused: u32,
    devices_read: u32,
}

impl Traffic {
    fn new(entries: u32, value_bits: u32) -> Traffic {
        let config = DeviceList {
            name: "devices".into(),
            map: "ports".into(),
            entries,
            flight_bits: 4,
            value_bits,
        };
        Traffic {
            bench: Bench::of(device_list(&config)),
            random: Random::new(u64::from(entries * value_bits)),
            entries: entries as usize,
            map: BTreeMap::new(),
            host: Host::Idle,
            operation: Operation {
                command: command::LOOKUP,
                key: 0,
                device: 0,
                answer: DONE,
            },
            inside: VecDeque::new(),
            asked: None,
            changes: 0,
            refused: 0,
            devices_read: 0,
        }
    }

    /// A random operation; few keys, so that they meet.
    fn next_operation(&mut self) -> Operation {
        let commands = [
            command::UPDATE,
            command::UPDATE,
            command::UPDATE,
            command::DELETE,
            command::LOOKUP,
            command::DUMP,
        ];
        let command = *self.random.pick(&commands);
        let spread = *self.random.pick(&[1, 0x0101_0101, 0x8000_0001]);
        let key = (self.random.below(2 * self.entries as u64) as u32).wrapping_mul(spread);
        let known = self.map.contains_key(&key);
        let device = self.random.below(5) as u32;
        let full = self.map.len() == self.entries;
        let answer = match command {
            command::UPDATE if full && !known && device != 0 => FULL,
            command::DELETE if !known => MISSING,
            _ => DONE,
        };
        Operation {
            command,
            key,
            device,
            answer,
        }
    }

    fn list(&self) -> Vec<u32> {
        self.map.values().copied().collect()
    }

    /// One clock; `busy` of four say how often packets enter, `hurry` of four how often they leave.
    fn step(&mut self, busy: u64, hurry: u64) {
        let inject = self.host == Host::Ready && self.random.below(3) == 0;
        let done = self.host == Host::Inside(0);
        let starts = self.host == Host::Idle && self.random.below(8) == 0;
        if starts {
            self.operation = self.next_operation();
        }
        let Operation {
            command,
            key,
            device,
            answer,
        } = self.operation;
        let held = inject || matches!(self.host, Host::Inside(_));
        let is_change = command == command::UPDATE || command == command::DELETE;
        let room = self.inside.len() < MAX_INSIDE;
        // A command that changes nothing closes the entrance for its own slot only.
        let blocked = inject || (held && is_change);
        let enters = !blocked && room && self.random.below(4) < busy;
        let leaves = !self.inside.is_empty() && self.random.below(4) < hurry;
        let head = self.inside.front().cloned();
        let ask = head.as_ref().filter(|list| !list.is_empty()).map(|list| {
            let place = self.random.below(list.len() as u64);
            (place, list[place as usize])
        });
        let ask = ask.filter(|_| self.random.below(2) == 0);

        let bench = &mut self.bench;
        bench.set("selected", 1);
        bench.set("map_start", starts.into());
        bench.set("inject", inject.into());
        bench.set("map_done", done.into());
        bench.set("map_answer", if done { answer } else { DONE });
        // Registers of the host: the new command stands there from the clock after the strobe on.
        if !starts {
            bench.set("host_command", command.into());
            bench.set("host_key", key.into());
            bench.set("host_value", device.into());
        }
        bench.set("in_flight", self.inside.len() as u64);
        bench.set("packet_left", leaves.into());
        bench.set("read", ask.is_some().into());
        bench.set("index", ask.map_or(0, |(place, _)| place));
        bench.step();

        if let Some(list) = &head {
            assert_eq!(
                bench.get("count"),
                list.len() as u64,
                "{:?}",
                self.operation
            );
        }
        if let Some(device) = self.asked {
            assert_eq!(bench.get("device"), u64::from(device));
            self.devices_read += 1;
        }
        if let Some((_, device)) = ask {
            self.asked = Some(device);
        }
        assert_eq!(
            bench.get("hold") == 1,
            held && is_change && !inject,
            "the entrance is held behind a change, until it is over"
        );
        let prepared = bench.get("prepared") == 1;

        if done && is_change {
            match answer {
                DONE if command == command::UPDATE && device != 0 => {
                    self.map.insert(key, device);
                    self.changes += 1;
                }
                DONE => {
                    self.map.remove(&key);
                    self.changes += 1;
                }
                _ => self.refused += 1,
            }
        }
        if leaves {
            self.inside.pop_front();
        }
        if enters {
            self.inside.push_back(self.list());
        }
        self.host = match self.host {
            Host::Idle if starts => Host::Prepares,
            Host::Prepares if prepared => Host::Ready,
            Host::Ready if inject => Host::Inside(self.random.below(9)),
            Host::Inside(0) => Host::Idle,
            Host::Inside(left) => Host::Inside(left - 1),
            same => same,
        };
    }
}

#[test]
fn packets_see_the_map_at_their_place() {
    for (entries, value_bits) in [(1, 32), (2, 64), (5, 32), (16, 64), (100, 32)] {
        let mut traffic = Traffic::new(entries, value_bits);
        for phase in 0..12 {
            // From seldom to always.
            let (busy, hurry) = (phase % 4 + 1, phase / 3 + 1);
            for _ in 0..2500 {
                traffic.step(busy, hurry);
            }
        }
        assert!(traffic.changes > 100, "{entries}: {}", traffic.changes);
        assert!(
            traffic.devices_read > 2000,
            "{entries}: {}",
            traffic.devices_read
        );
        if entries < 16 {
            assert!(traffic.refused > 20, "{entries}: {}", traffic.refused);
        }
    }
}
