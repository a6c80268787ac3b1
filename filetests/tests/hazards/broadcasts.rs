//! Packets that go to all devices of a map, while the host changes the map: every packet must see the devices that the
//! map held at its place in the order.

use hardpath_filetests::core::OnCore;
use hardpath_filetests::hardware::{Hardware, Manner, MANNERS};
use hardpath_ir::maps::{Image, Maps};
use hardpath_packet::Packet;
use hardpath_testbed::host::{HostOperation, May};
use hardpath_testbed::run::HostEvent;
use hardpath_testkit::Random;

/// Byte 0 of a packet says where it goes (to all in one of the maps, with or without its own interface, to one in the
/// first map, to interface 7), byte 1 is the verdict, bytes 4 to 7 the key of the one. Some packets are written to.
fn program(entries: [u32; 2], leaves: &str) -> String {
    let [ports, others] = entries;
    format!(
        "program \"broadcasts\" control-flow
limits headroom 216
output \"verdict\" 8
map @ports slots key 4 value 8 entries {ports} broadcast
map @others exact key 4 value 4 entries {others} host-only broadcast
block0:
    v0:64 = const 0
    v1:8 \"what\" = packet.load v0
    v2:64 = const 1
    v3:8 = packet.load v2
    v4:8 \"redirects\" = const 4
    v5:64 = const 4
    v6:32 \"key\" = packet.load v5
    v7:32 = const 0
    v8:1, v9:32 = map.lookup @ports v6
    v10:32 = map.load @ports v9, v7
    v11:8 = const 0
    v12:8 = const 1
    v13:8 = const 2
    v14:8 = const 3
    v15:8 = const 4
    v20:32 = const 7
    v21:1 \"redirected\" = eq v3, v4
    v22:1 = slice v3, 1
    v23:1 \"forwarded\" = or v21, v22
    v30:1 = eq v1, v11
    v31:1 = eq v1, v12
    v32:1 = eq v1, v13
    v33:1 = eq v1, v14
    v34:1 = eq v1, v15
    v35:1 = or v30, v31
    v36:1 \"to_ports\" = and v21, v35
    v37:1 = or v32, v33
    v38:1 \"to_others\" = and v21, v37
    v39:1 \"not_back\" = or v31, v33
    v45:32 = select v8, v10, v7
    v44:32 \"one\" = select v34, v45, v20
    v46:1 = const 0
    v47:2 \"class\" = concat v46, v21
    v48:32 \"index\" = select v21, v44, v7
    v50:16 \"length\" = input length
    v51:16 = const 0
    v52:16 = const 0xffec
    v53:16 = const 9
    v54:1 = slice v6, 0
    v55:1 = slice v6, 1
    v56:16 = select v54, v52, v51
    v57:16 \"head\" = select v55, v53, v56
    branch v55, block1, block2
block1:
    packet.store v5, v44
    jump block2
block2:
    {leaves}
"
    )
}

const IN_PLACE: &str = "emit v23 to v47, v48 with v3 \
     each @ports if v36 not-back v39 each @others if v38 not-back v39";
const MOVED: &str = "emit v23 to v47, v48 with v3 from v57 end v50 zeros v50 \
     each @ports if v36 not-back v39 each @others if v38 not-back v39";

/// An interface: often one that packets come in at, sometimes none.
fn interface(random: &mut Random) -> u32 {
    match random.below(5) {
        0 => 0,
        1 => 9 + random.below(3) as u32,
        _ => 0x100 + 3 * random.below(4) as u32,
    }
}

fn operation(random: &mut Random, entries: [u32; 2]) -> HostOperation {
    let map = random.below(2) as usize;
    let key = random.below(u64::from(entries[map]) + 1) as u32;
    let key = match random.below(20) {
        // Keys are sorted as numbers.
        0 if map == 1 => u32::MAX - key,
        _ => key,
    };
    let key = key.to_le_bytes().to_vec();
    let mut value = interface(random).to_le_bytes().to_vec();
    value.resize([8, 4][map], 0);
    match random.below(10) {
        0 => HostOperation::Lookup { map, key },
        1..=3 => HostOperation::Delete { map, key },
        number => HostOperation::Update {
            map,
            key,
            value,
            may: [May::PUT, May::CREATE, May::REPLACE][(number.saturating_sub(7) as usize).min(2)],
        },
    }
}

fn packets(random: &mut Random, count: usize) -> Vec<Packet> {
    (0..count)
        .map(|_| {
            let length = match random.below(4) {
                0 => 14 + random.below(400),
                _ => 60 + random.below(10),
            };
            let mut data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            data[0] = random.below(6) as u8;
            data[1] = *random.pick(&[4, 4, 4, 4, 2, 1]);
            data[4..8].copy_from_slice(&(random.below(9) as u32).to_le_bytes());
            Packet {
                data,
                port: random.below(4) as u8,
                ..Packet::default()
            }
        })
        .collect()
}

/// What the host does in the middle of so many packets.
fn events(random: &mut Random, packets: usize, entries: [u32; 2]) -> Vec<HostEvent> {
    let mut places: Vec<usize> = (0..60)
        .map(|_| random.below(packets as u64) as usize)
        .collect();
    places.sort_unstable();
    let events = places.into_iter().map(|after_packets| HostEvent {
        after_packets,
        operation: operation(random, entries),
    });
    events.collect()
}

fn torture(bus_bits: u32, entries: [u32; 2], leaves: &str, seed: u64) {
    let mut random = Random::new(seed);
    let mut hardware = Hardware::new(&program(entries, leaves), bus_bits);
    for Manner { pace, backpressure } in MANNERS {
        hardware.reset();
        let mut maps = Maps::new(&hardware.program.maps);
        let before: Vec<HostOperation> = (0..entries[0].min(9))
            .map(|_| operation(&mut random, entries))
            .collect();
        hardware.prepare(&mut maps, &before);
        const PACKETS: usize = 600;
        let sent = packets(&mut random, PACKETS);
        let events = events(&mut random, PACKETS, entries);
        let result = hardware.check(&mut maps, &sent, &events, Manner { pace, backpressure });
        let broadcasts = result.outcomes.iter().flatten();
        let sizes: Vec<usize> = broadcasts
            .filter(|fate| fate.outputs == [4] && fate.copies.len() != 1)
            .map(|fate| fate.copies.len())
            .collect();
        assert!(sizes.len() > 20, "{} broadcasts", sizes.len());
        if entries[0] > 2 {
            assert!(sizes.contains(&2) && sizes.iter().any(|size| *size > 2));
        }
    }
}

#[test]
fn every_packet_sees_the_devices_of_its_time() {
    for (bus_bits, seed) in [(512, 1), (256, 2), (128, 3), (64, 4)] {
        torture(bus_bits, [6, 5], IN_PLACE, seed);
    }
}

#[test]
fn moved_packets_go_to_all_devices() {
    for (bus_bits, seed) in [(512, 5), (256, 6), (128, 7), (64, 8)] {
        torture(bus_bits, [6, 5], MOVED, seed);
    }
}

#[test]
fn lists_of_one_and_of_many() {
    torture(512, [1, 1], IN_PLACE, 9);
    torture(512, [200, 300], IN_PLACE, 10);
    torture(64, [64, 2], MOVED, 11);
}

#[test]
fn a_processor_broadcasts_as_well() {
    for (threads, bus_bits, leaves, entries) in [
        (32, 512, IN_PLACE, [6, 5]),
        (2, 64, MOVED, [6, 5]),
        (16, 256, MOVED, [200, 300]),
    ] {
        let mut random = Random::new(threads.into());
        let mut core = OnCore::new(&program(entries, leaves), threads, bus_bits);
        for manner in MANNERS {
            const PACKETS: usize = 300;
            core.reset(&Image::new());
            let mut maps = Maps::new(&core.program.maps);
            let sent = packets(&mut random, PACKETS);
            let events = events(&mut random, PACKETS, entries);
            let mixed = core.check(&mut maps, &sent, &events, manner);
            let fates = mixed.result.outcomes.iter().flatten();
            let many = fates.filter(|fate| fate.copies.len() > 1).count();
            assert!(many > 20, "{many} packets left several times");
        }
    }
}
