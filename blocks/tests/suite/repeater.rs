//! The repeater: who gets a packet, how often, in which order and when, with exits of any speed.

use crate::bench::Bench;
use hardpath_blocks::repeater::{repeater, Repeater};
use hardpath_rtl::signals::Signals;
use hardpath_rtl::{Design, Module};
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// The bits of an index into each list.
const LISTS: [u32; 2] = [3, 5];

/// What the exit gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Given {
    /// The destination, and whether the packet comes again.
    Copy(u64, bool),
    Nobody,
}

/// A result at the head of the FIFO.
struct Packet {
    /// The list that it goes to.
    each: Option<usize>,
    /// By list: not to where it came in. Of a list that it does not go to this means nothing.
    not_back: [bool; 2],
    /// Where it goes if it goes to no list.
    index: u64,
    ingress: u64,
    /// What the exit must get for it.
    expected: VecDeque<Given>,
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
    /// Packets that go to no list have an index.
    has_index: bool,
}

/// The repeater, and an exit that takes what is there when it is `ready`.
fn with_exit(has_index: bool) -> Design {
    let config = Repeater {
        name: "repeater".into(),
        lists: LISTS.to_vec(),
        has_index,
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
    fn new(lists: [Vec<u64>; 2], has_index: bool, seed: u64) -> Stage {
        Stage {
            bench: Bench::new(&with_exit(has_index)),
            random: Random::new(seed),
            lists,
            shown: [0; 2],
            packets: VecDeque::new(),
            has_index,
        }
    }

    fn single(&mut self, index: u64) {
        self.packets.push_back(Packet {
            each: None,
            not_back: [0; 2].map(|_| self.random.below(2) == 0),
            index,
            ingress: index,
            expected: VecDeque::from([Given::Copy(index, false)]),
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
        let mut not_back = [0; 2].map(|_| self.random.below(2) == 0);
        not_back[list] = excludes;
        self.packets.push_back(Packet {
            each: Some(list),
            not_back,
            index: self.random.below(6),
            ingress,
            expected,
            clocks: 0,
        });
    }

    /// One clock, with the oldest packet at the head when `present`. Gives what the exit took.
    fn step(&mut self, present: bool, ready: bool) -> Option<Given> {
        let bench = &mut self.bench;
        let head = self.packets.front_mut().filter(|_| present);
        bench.set("result_valid", head.is_some().into());
        if let Some(packet) = &head {
            for (list, not_back) in packet.not_back.into_iter().enumerate() {
                let each = packet.each == Some(list);
                bench.set(&format!("each_{list}"), each.into());
                bench.set(&format!("not_back_{list}"), not_back.into());
            }
            if self.has_index {
                bench.set("result_index", packet.index);
            }
            bench.set("ingress", packet.ingress);
        }
        for (number, list) in self.lists.iter().enumerate() {
            bench.set(&format!("count_{number}"), list.len() as u64);
            bench.set(&format!("device_{number}"), self.shown[number]);
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
        if packet.each.is_some() {
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
        // Without an index, where a packet goes that goes to no list means nothing.
        let given = match (given, packet.each) {
            (Given::Copy(_, again), None) if !self.has_index => Given::Copy(packet.index, again),
            (given, _) => given,
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
    LISTS.map(|bits| {
        let length = random.below((1 << bits) + 1);
        (0..length).map(|_| random.below(6)).collect()
    })
}

#[test]
fn each_packet_goes_where_it_must() {
    let mut random = Random::new(1);
    for round in 0..60 {
        let lists = some_lists(&mut random);
        let mut stage = Stage::new(lists, round % 3 > 0, round);
        for _ in 0..40 {
            let ingress = random.below(6);
            match random.below(5) {
                0 | 1 => stage.single(random.below(4)),
                2 => stage.single(random.next() & 0xffff_ffff),
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
        let mut stage = Stage::new([vec![9], list], true, devices);
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
