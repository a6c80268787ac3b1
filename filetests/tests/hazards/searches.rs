//! The host goes through the entries of a map beside traffic that puts others in and takes them out: each that stays is found, and
//! what is found was there.

use crate::case;
use hardpath_filetests::hardware::{Hardware, MANNERS};
use hardpath_filetests::traffic::{packets, Keys};
use hardpath_ir::maps::Maps;
use hardpath_testbed::host::{HostOperation, May};
use hardpath_testbed::run::HostEvent;
use hardpath_testkit::Random;

/// Keys that no packet has.
const STAYING: [u32; 5] = [0x5000, 0x5001, 0x7fff_0000, 0x8000_0001, 0xffff_ffff];

fn update(map: usize, key: Vec<u8>, value_bytes: u32) -> HostOperation {
    HostOperation::Update {
        map,
        key,
        value: vec![0x5a; value_bytes as usize],
        may: May::PUT,
    }
}

#[test]
fn what_stays_is_found_beside_traffic() {
    let mut random = Random::new(41);
    for text in [
        case("hash_everything", &[("ENTRIES", "16")]),
        case("look_or_change", &[]),
        case("expiry", &[("ENTRIES", "16")]),
    ] {
        let mut hardware = Hardware::new(&text, 512);
        let interface = hardware.interface().clone();
        let map = interface.maps.iter().position(|map| map.kind == "exact");
        let map = map.expect("a hash table");
        let port = interface.maps[map].clone();
        for manner in MANNERS {
            let mut maps = Maps::new(&hardware.program.maps);
            hardware.reset();
            let key = |number: u32| {
                let mut key = vec![0; port.key_bytes as usize];
                let bytes = number.to_le_bytes();
                let count = bytes.len().min(key.len());
                key[..count].copy_from_slice(&bytes[..count]);
                port.stored.whole(&port.stored.cut(&key))
            };
            let fill: Vec<HostOperation> = STAYING
                .iter()
                .map(|number| update(map, key(*number), port.value_bytes))
                .collect();
            hardware.prepare(&mut maps, &fill);
            let mut slots = hardware.slots(map);
            slots.sort();
            assert_eq!(slots.len(), STAYING.len());
            // From behind each to the next one, again and again.
            let from = std::iter::once(0).chain(slots.iter().map(|(slot, _)| slot + 1));
            let from: Vec<u32> = from.collect();
            let sent = packets(&mut random, 3000, Keys::Of(9));
            let beside = (0..30).map(|number| HostEvent {
                after_packets: 20 + 60 * number,
                operation: HostOperation::Next {
                    map,
                    slot: from[number % from.len()],
                },
            });
            let beside: Vec<HostEvent> = beside.collect();
            let result = hardware.check(&mut maps, &sent, &beside, manner);
            for (number, answer) in result.host_answers.iter().enumerate() {
                let number = number % from.len();
                let staying = slots.get(number);
                if let Some((slot, key)) = staying {
                    assert!(
                        answer.answer.is_done() && answer.slot <= *slot,
                        "{answer:?}"
                    );
                    assert_eq!(answer.slot == *slot, answer.key == *key, "{answer:?}");
                }
            }
        }
    }
}

/// A row of a hash table is eight slots, which are passed over in one trip through the pipeline.
#[test]
fn empty_rows_cost_a_trip_each() {
    let mut hardware = Hardware::new(&case("hash_everything", &[("ENTRIES", "300")]), 512);
    let mut maps = Maps::new(&hardware.program.maps);
    let slots = u64::from(hardware.interface().maps[0].slots);
    let sent = packets(&mut Random::new(3), 1, Keys::One);
    let operation = HostOperation::Next { map: 0, slot: 1 };
    let search = HostEvent {
        after_packets: 0,
        operation,
    };
    let result = hardware.check(&mut maps, &sent, &[search], MANNERS[0]);
    let stages = u64::from(hardware.compiled.report.stages);
    let [trips, longest] = [slots / 8 + 4, hardware.longest_operation];
    assert!(
        longest <= trips * (2 * stages + 16),
        "{longest} clocks for {slots} slots, {stages} stages, {:?}",
        result.host_answers
    );
    assert!(longest >= slots / 8 * stages);
}
