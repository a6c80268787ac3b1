//! The toy design under each engine: what comes of packets, host operations and failed assertions.

use crate::toy::{toy, Flaw, MAP_ENTRIES};
use crate::{packet, verilator};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::{Class, Copy, Fate, Packet};
use hardpath_registers::register;
use hardpath_testbed::bench::player::Player;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Answer, Host, HostOperation, May};
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{run, HostEvent, RunOptions};

const DROP: u64 = 1;
const PASS: u64 = 2;
const REDIRECT: u64 = 4;

/// Runs `test` with the native engine and, where it is installed, with Verilator.
fn each_engine(bus_bits: u32, flaw: Flaw, test: impl Fn(&mut dyn Dut, &Interface)) {
    let (design, interface) = toy(bus_bits, flaw);
    let mut native = Native::new(&design).unwrap();
    host::reset(&mut native, &interface).unwrap();
    test(&mut native, &interface);
    if let Some(mut verilator) = verilator(&design) {
        host::reset(&mut verilator, &interface).unwrap();
        test(&mut verilator, &interface);
    }
}

/// What the toy design must do, said in software.
fn expected(packet: &Packet) -> Option<Fate> {
    if packet.bad || !(14..=9216).contains(&packet.data.len()) {
        return None;
    }
    let verdict = match packet.data[0] & 7 {
        known @ 0..=4 => u64::from(known),
        6 => DROP,
        _ => 0,
    };
    let sum = (packet.time_ns as u32)
        .wrapping_add(packet.random)
        .wrapping_add(u32::from(packet.port) + u32::from(packet.queue));
    if verdict < PASS {
        return Some(Fate::ends(&[verdict]));
    }
    let (class, index) = match verdict {
        REDIRECT => (Class::Port, sum),
        _ => (Class::SamePort, 0),
    };
    Some(Fate::leaves(Copy {
        class,
        index,
        outputs: vec![verdict],
        data: packet.data.clone(),
    }))
}

/// All verdicts and lengths around every boundary, with bad, too short and too long packets between.
fn mixed_packets() -> Vec<Packet> {
    let lengths = [
        14, 15, 60, 63, 64, 65, 127, 128, 129, 200, 1514, 9216, 9217, 13, 1, 512, 513,
    ];
    let mut packets: Vec<Packet> = (0..150u32)
        .map(|i| packet(i as u8, lengths[i as usize % lengths.len()], i))
        .collect();
    for index in [5, 6, 40, 99] {
        packets[index].bad = true;
    }
    packets
}

#[test]
fn packets_go_through_at_every_pace() {
    for bus_bits in [64, 128, 256, 512] {
        each_engine(bus_bits, Flaw::None, |dut, interface| {
            let packets = mixed_packets();
            let expected: Vec<_> = packets.iter().map(expected).collect();
            let line = Pace::Line { megabits: 10_000 };
            for pace in [Pace::BackToBack, Pace::Random(3), line] {
                for backpressure in [None, Some(11)] {
                    let options = RunOptions {
                        pace,
                        backpressure,
                        ..RunOptions::default()
                    };
                    let result = run(dut, interface, &packets, &options).unwrap();
                    assert_eq!(result.outcomes, expected, "{pace:?} {backpressure:?}");
                    let statistics = &result.statistics;
                    assert_eq!(statistics.packets + statistics.not_taken_in, 150);
                    let dropped = expected.iter().filter(|outcome| outcome.is_none()).count();
                    assert_eq!(statistics.not_taken_in, dropped as u64);
                    assert_eq!(
                        statistics.verdicts.values().sum::<u64>(),
                        150 - dropped as u64
                    );
                }
            }
        });
    }
}

#[test]
fn figures_of_small_packets() {
    each_engine(512, Flaw::None, |dut, interface| {
        let packets: Vec<_> = (0..500).map(|i| packet(2, 64, i)).collect();
        let result = run(dut, interface, &packets, &RunOptions::default()).unwrap();
        let statistics = result.statistics;
        assert_eq!(statistics.beats, 500);
        assert_eq!(statistics.packets_per_clock, 1.0);
        assert_eq!(statistics.mpps, 250.0);
        // Written at one clock's end, out at the next clock.
        assert_eq!(statistics.latency_clocks.min, Some(1));
        assert_eq!(statistics.latency_clocks.max, Some(1));
        assert_eq!(statistics.clocks, 501);
        assert_eq!(statistics.stall_clocks, 0);
        assert_eq!(statistics.verdicts["PASS"], 500);
        assert_eq!(statistics.verdicts["DROP"], 0);
    });
}

#[test]
fn the_host_reads_and_writes() {
    each_engine(64, Flaw::None, |dut, interface| {
        let mut host = Host::new(dut, interface).unwrap();
        host.identify(dut).unwrap();
        host.set_port(dut, 3, 17, 1000).unwrap();
        let written = register::PORT_TABLE + 8 * 3 + 4;
        assert_eq!(host.read_register(dut, written).unwrap(), 1000);
        assert_eq!(
            host.set_port(dut, 16, 1, 0).unwrap_err().code,
            "port-out-of-range"
        );

        let entries = [(1u32, [1u8, 2, 3, 4, 5, 6]), (7, [0xff; 6])];
        let entries = entries.map(|(key, value)| (key.to_le_bytes().to_vec(), value.to_vec()));
        let image = [("table".to_string(), entries.clone().into_iter().collect())];
        host.load_image(dut, &image.clone().into()).unwrap();
        let dump = host.dump_image(dut).unwrap();
        assert_eq!(dump["table"].len(), MAP_ENTRIES as usize);
        for (key, value) in &dump["table"] {
            let given = entries.iter().find(|(given, _)| given == key);
            let expected = given.map_or(vec![0; 6], |(_, value)| value.clone());
            assert_eq!(*value, expected, "{key:?}");
        }

        let key = 7u32.to_le_bytes().to_vec();
        let lookup = HostOperation::Lookup { map: 0, key };
        assert_eq!(host.perform(dut, lookup).unwrap().value, [0xff; 6]);
        let beyond = MAP_ENTRIES.to_le_bytes().to_vec();
        let lookup = HostOperation::Lookup {
            map: 0,
            key: beyond,
        };
        assert_eq!(host.perform(dut, lookup).unwrap().answer, Answer::BadIndex);
        let short = HostOperation::Delete {
            map: 0,
            key: vec![1],
        };
        assert_eq!(host.perform(dut, short).unwrap_err().code, "map-size");
        let unknown = [("tables".to_string(), Default::default())];
        let error = host.load_image(dut, &unknown.into()).unwrap_err();
        assert_eq!(error.code, "unknown-map");
    });
}

#[test]
fn the_host_acts_in_the_middle_of_traffic() {
    each_engine(64, Flaw::None, |dut, interface| {
        let packets: Vec<_> = (0..400).map(|i| packet(6, 60, i)).collect();
        let key = 0u32.to_le_bytes().to_vec();
        let value = vec![2, 0, 0, 0, 0, 9];
        let update = HostOperation::Update {
            map: 0,
            key: key.clone(),
            value: value.clone(),
            may: May::PUT,
        };
        let events = [
            HostEvent {
                after_packets: 100,
                operation: update,
            },
            HostEvent {
                after_packets: 300,
                operation: HostOperation::Lookup { map: 0, key },
            },
        ];
        let options = RunOptions {
            backpressure: Some(5),
            host: &events,
            ..RunOptions::default()
        };
        let result = run(dut, interface, &packets, &options).unwrap();
        assert_eq!(result.host_answers.len(), 2);
        assert_eq!(result.host_answers[1].value, value);
        let verdicts: Vec<u64> = result
            .outcomes
            .iter()
            .flatten()
            .map(Fate::first_output)
            .collect();
        let turn = verdicts.iter().position(|given| *given == PASS).unwrap();
        assert!((100..200).contains(&turn), "{turn}");
        assert!(verdicts[..turn].iter().all(|given| *given == DROP));
        assert!(verdicts[turn..].iter().all(|given| *given == PASS));
    });
}

#[test]
fn a_failed_assertion_is_an_error() {
    each_engine(64, Flaw::Assertion, |dut, interface| {
        let packets = [packet(2, 60, 1), packet(7, 60, 2), packet(2, 60, 3)];
        let error = run(dut, interface, &packets, &RunOptions::default()).unwrap_err();
        assert_eq!(error.code, "assertion-failed");
        assert!(error.message.contains("no_seven"), "{error}");
    });
}

#[test]
fn another_design_is_recognized() {
    let (design, mut interface) = toy(64, Flaw::None);
    interface.design_id += 1;
    let mut dut = Native::new(&design).unwrap();
    host::reset(&mut dut, &interface).unwrap();
    let error = Host::new(&mut dut, &interface)
        .unwrap()
        .identify(&mut dut)
        .unwrap_err();
    assert_eq!(error.code, "not-this-design");
    interface.bus_bits = 512;
    let error = run(&mut dut, &interface, &[], &RunOptions::default()).unwrap_err();
    assert_eq!(error.code, "port-differs");
}

/// Keys that the host keeps go with what the design's maps hold, whoever resets it.
#[test]
fn a_reset_takes_the_hosts_keys() {
    type Reset = fn(&mut dyn Dut, &Interface) -> Result<(), Diagnostic>;
    let resets: [Reset; 2] = [
        |dut, interface| host::reset(dut, interface).map(|_| ()),
        |dut, interface| Player::new(dut, interface).map(|_| ()),
    ];
    each_engine(64, Flaw::None, |dut, interface| {
        for reset in resets {
            let update = HostOperation::Update {
                map: 0,
                key: vec![0xff; 4],
                value: vec![1; 6],
                may: May::PUT,
            };
            let answer = dut.foreign_mut().answer(update, Answer::Done).unwrap();
            let kept = dut.foreign().entries(0).count();
            assert_eq!((answer.answer, kept), (Answer::Done, 1));
            reset(dut, interface).unwrap();
            assert_eq!(dut.foreign().entries(0).count(), 0);
        }
    });
}
