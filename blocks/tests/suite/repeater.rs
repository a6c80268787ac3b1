//! The repeater: who gets a packet, how often, in which order and when, with exits of any speed.

use crate::bench::Bench;
use crate::random::Random;
use hardpath_blocks::repeater::{repeater, Repeater};
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, Module};
use std::collections::VecDeque;

const EXCLUDE_BIT: u32 = 28;
/// What the destination is for a broadcast to each list, and the bits of an index into it.
const LISTS: [(u32, u32); 2] = [(0x8000_0000, 3), (0x8000_0001, 5)];
const REDIRECT: u64 = 4;

/// What the exit gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Given {
    /// The destination, and whether the packet comes again.
    Copy(u64, bool),
    Nobody,
}

/// A result at the head of the FIFO.
struct Packet {
    verdict: u64,
    destination: u64,
    ingress: u64,
    /// What the exit must get for it.
    expected: VecDeque<Given>,
    is_broadcast: bool,
    /// Clocks for which it has been at the head.
    clocks: u64,
}

struct Stage {
    bench: Bench,
    random: Random,
    lists: [Vec<u64>; 2],
    /// The device that each list shows: it comes a clock after it is asked for.
    shown: [u64; 2],
    packets: VecDeque<Packet>,
}

/// The repeater, and an exit that takes what is there when it is `ready`.
fn with_exit() -> Design {
    let config = Repeater {
        name: "repeater".into(),
        lists: LISTS.to_vec(),
        exclude_bit: EXCLUDE_BIT,
    };
    let block = repeater(&config);
    let (mut design, mut m) = (Design::new(), Module::new("top", ""));
    let ready = m.input("ready", 1, "");
    let taken = m.wire(1, "taken");
    let (module, widths) = (&block.module, block.inputs());
    let inputs = widths.clone().map(&mut |name, _, node| match name {
        "taken" => taken,
        _ => m.input(name, module.width(node), ""),
    });
    let placed = block.place(&mut design, &mut m, "repeater", inputs);
    let out = m.outputs(placed.out);
    let takes = m.and(&[out.valid, ready]);
    m.drive(taken, takes);
    design.add(m);
    design
}

impl Stage {
    fn new(lists: [Vec<u64>; 2], seed: u64) -> Stage {
        Stage {
            bench: Bench::new(&with_exit()),
            random: Random::new(seed),
            lists,
            shown: [0; 2],
            packets: VecDeque::new(),
        }
    }

    fn single(&mut self, verdict: u64, destination: u64) {
        self.packets.push_back(Packet {
            verdict,
            destination,
            ingress: 1,
            expected: VecDeque::from([Given::Copy(destination, false)]),
            is_broadcast: false,
            clocks: 0,
        });
    }

    fn broadcast(&mut self, list: usize, ingress: u64, excludes: bool) {
        let all = self.lists[list].iter().copied();
        let devices: Vec<u64> = all
            .filter(|device| !excludes || *device != ingress)
            .collect();
        let copies = devices.iter().enumerate();
        let mut expected: VecDeque<Given> = copies
            .map(|(place, device)| Given::Copy(*device, place + 1 < devices.len()))
            .collect();
        if expected.is_empty() {
            expected.push_back(Given::Nobody);
        }
        self.packets.push_back(Packet {
            verdict: REDIRECT,
            destination: u64::from(LISTS[list].0) | u64::from(excludes) << EXCLUDE_BIT,
            ingress,
            expected,
            is_broadcast: true,
            clocks: 0,
        });
    }

    /// One clock, with the oldest packet at the head when `present`. Gives what the exit took.
    fn step(&mut self, present: bool, ready: bool) -> Option<Given> {
        let bench = &mut self.bench;
        let head = self.packets.front_mut().filter(|_| present);
        bench.set("result_valid", head.is_some().into());
        if let Some(packet) = &head {
            bench.set("result_verdict", packet.verdict);
            bench.set("result_destination", packet.destination);
            bench.set("ingress_ifindex", packet.ingress);
        }
        for (number, list) in self.lists.iter().enumerate() {
            bench.set(&format!("count_{number}"), list.len() as u64);
            bench.set(&format!("ifindex_{number}"), self.shown[number]);
        }
        bench.set("ready", ready.into());
        bench.step();
        for number in 0..self.lists.len() {
            if bench.get(&format!("read_{number}")) == 1 {
                let index = bench.get(&format!("index_{number}")) as usize;
                self.shown[number] = self.lists[number][index];
            }
        }
        let is_valid = bench.get("valid") == 1;
        let Some(packet) = head else {
            assert!(!is_valid, "nothing is given while nothing is at the head");
            assert_eq!(bench.get("pop"), 0);
            return None;
        };
        packet.clocks += 1;
        if packet.is_broadcast {
            let is_copy = is_valid && bench.get("nobody") == 0;
            assert!(
                !is_copy || packet.clocks > 2,
                "a device cannot be known yet"
            );
        } else {
            assert!(is_valid, "a packet for one destination never waits");
        }
        if !is_valid {
            assert_eq!(bench.get("pop"), 0);
            return None;
        }
        let given = match bench.get("nobody") {
            1 => Given::Nobody,
            _ => Given::Copy(bench.get("destination"), bench.get("again") == 1),
        };
        assert_eq!(Some(&given), packet.expected.front());
        let is_last = packet.expected.len() == 1;
        assert_eq!(bench.get("pop") == 1, ready && is_last);
        if !ready {
            return None;
        }
        packet.expected.pop_front();
        if is_last {
            self.packets.pop_front();
        }
        Some(given)
    }
}

fn some_lists(random: &mut Random) -> [Vec<u64>; 2] {
    LISTS.map(|(_, bits)| {
        let length = random.below((1 << bits) + 1);
        (0..length).map(|_| random.below(6)).collect()
    })
}

#[test]
fn each_packet_goes_where_it_must() {
    let mut random = Random::new(1);
    for round in 0..60 {
        let lists = some_lists(&mut random);
        let mut stage = Stage::new(lists, round);
        for _ in 0..40 {
            let ingress = random.below(6);
            match random.below(5) {
                0 => stage.single(2, random.below(4)),
                // Looks like a broadcast, but is not redirected.
                1 => stage.single(3, u64::from(LISTS[0].0)),
                2 => stage.single(REDIRECT, random.below(1 << 28)),
                kind => stage.broadcast(kind as usize - 3, ingress, random.below(2) == 0),
            }
        }
        let (mut taken, mut clocks) = (0, 0);
        let (often_there, often_ready) = (1 + round % 4, 1 + round / 4 % 4);
        while !stage.packets.is_empty() {
            // A result that is at the head stays there.
            let begun = stage.packets[0].clocks > 0;
            let present = begun || stage.random.below(4) < often_there;
            let ready = stage.random.below(4) < often_ready;
            taken += u32::from(stage.step(present, ready).is_some());
            clocks += 1;
            assert!(clocks < 100_000, "round {round} does not end");
        }
        assert!(taken >= 40);
    }
}

/// Two clocks until the first copy, then one a clock.
#[test]
fn copies_follow_without_a_gap() {
    for devices in [1, 2, 7, 31] {
        let list: Vec<u64> = (1..=devices).collect();
        let mut stage = Stage::new([vec![9], list], devices);
        for _ in 0..3 {
            stage.broadcast(1, 77, true);
        }
        for _ in 0..3 {
            for clock in 0..devices + 2 {
                let given = stage.step(true, true);
                assert_eq!(given.is_some(), clock >= 2, "{devices} devices, {clock}");
            }
        }
        assert!(stage.packets.is_empty());
    }
}
