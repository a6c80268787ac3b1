//! What the host does in the middle of traffic.

use super::scenario::Scenario;
use super::{may_be_changed, sorts, Step};
use crate::contents::{value, Random};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapId;
use hardpath_ir::May;
use hardpath_packet::Packet;
use hardpath_registers::{command, register};
use hardpath_testbed::bench::script::Line;

/// Keys of each map that the host works with.
const KEYS: usize = 4;

/// Every command on every map, with packets right in front of it and right behind it; registers that keep what they are
/// given, and accesses that are refused.
pub fn works(scenario: &mut Scenario, steps: &[Step]) -> Result<(), Diagnostic> {
    scenario.say("the host works in the middle of traffic");
    let mut packets = Packets {
        sorts: sorts(steps),
        next: 0,
    };
    let mut random = Random(7);
    for map in scenario.map_ids() {
        if may_be_changed(scenario.decl(map)) {
            for key in keys(scenario, map, &mut random) {
                with_key(scenario, map, &key, &mut packets, &mut random);
            }
        }
        scenario.play()?;
    }
    scenario.say("registers that keep what they are given, and accesses that are refused");
    registers(scenario);
    scenario.counters()
}

/// Packets of all sorts in turn.
struct Packets<'a> {
    sorts: Vec<&'a Packet>,
    next: usize,
}

impl Packets<'_> {
    fn some(&mut self) -> Vec<Packet> {
        let count = self.sorts.len();
        self.next += 3;
        let some = (0..3.min(count)).map(|index| self.sorts[(self.next + index) % count].clone());
        some.collect()
    }
}

/// Keys that are in the map, and a new one.
fn keys(scenario: &Scenario, map: MapId, random: &mut Random) -> Vec<Vec<u8>> {
    let decl = scenario.decl(map);
    if decl.is_indexed() {
        let count = decl.max_entries;
        let some = [0, 1, count / 2, count - 1, count].into_iter();
        let mut keys: Vec<Vec<u8>> = some.map(|index| index.to_le_bytes().to_vec()).collect();
        keys.dedup();
        return keys;
    }
    let image = scenario.maps().image();
    let entries = image.get(&decl.name).into_iter().flatten();
    let mut keys: Vec<Vec<u8>> = entries.map(|(key, _)| key.clone()).collect();
    // Spread over all of them.
    while keys.len() > KEYS {
        let at = random.below(keys.len() as u32) as usize;
        keys.swap_remove(at);
    }
    if !decl.is_prefix() {
        let other: Vec<u8> = (0..decl.key_bytes).map(|_| random.next() as u8).collect();
        keys.push(decl.entry_key(&other, || false));
    }
    keys
}

/// All that can be done with a key; what the map held is in it again at the end.
fn with_key(
    scenario: &mut Scenario,
    map: MapId,
    key: &[u8],
    packets: &mut Packets,
    random: &mut Random,
) {
    let decl = scenario.decl(map);
    let before = scenario.maps().get(map, key).map(<[u8]>::to_vec);
    let other = value(decl, &[], random);
    let again = value(decl, &[], random);
    for packet in packets.some() {
        scenario.back_to_back(&packet);
    }
    scenario.lookup(map, key.to_vec(), &packets.some());
    if before.is_some() {
        scenario.delete(map, key.to_vec(), &[]);
    }
    scenario.update(
        map,
        key.to_vec(),
        other.clone(),
        May::REPLACE,
        &packets.some(),
    );
    scenario.lookup(map, key.to_vec(), &[]);
    scenario.update(
        map,
        key.to_vec(),
        other.clone(),
        May::CREATE,
        &packets.some(),
    );
    scenario.update(map, key.to_vec(), again.clone(), May::CREATE, &[]);
    scenario.lookup(map, key.to_vec(), &[]);
    scenario.update(map, key.to_vec(), other.clone(), May::NOTHING, &[]);
    scenario.update(map, key.to_vec(), other, May::REPLACE, &packets.some());
    scenario.lookup(map, key.to_vec(), &[]);
    scenario.update(map, key.to_vec(), again, May::PUT, &packets.some());
    scenario.delete(map, key.to_vec(), &packets.some());
    scenario.lookup(map, key.to_vec(), &packets.some());
    scenario.delete(map, key.to_vec(), &[]);
    if let Some(before) = before {
        scenario.update(map, key.to_vec(), before, May::PUT, &packets.some());
        scenario.lookup(map, key.to_vec(), &[]);
    }
}

fn registers(scenario: &mut Scenario) {
    for (address, data) in [
        (register::MAP_MAY, 2),
        (register::MAP_SLOT, 0x5a3c_698d),
        (register::MAP_SELECT, 0x0f1e_2d3c),
        (register::KEY, 0x1234_5678),
        (register::VALUE, 0x9abc_def0),
    ] {
        scenario.write(address, data);
        scenario.read(address, data);
        // A part of a word is not written.
        for strobes in [0b0111, 0b1110, 0] {
            scenario.add(Line::RefusedWrite {
                address,
                data: !data,
                strobes,
            });
        }
        scenario.read(address, data);
    }
    // A processor may have more slots than its program has maps.
    let behind = match scenario.is_processor() {
        true => 0xff,
        false => scenario.interface.maps.len() as u32,
    };
    scenario.fails(behind, command::LOOKUP);
    scenario.fails(0, command::NEXT + 1);
    scenario.fails(0, 0);
    for address in [
        register::MAGIC,
        register::STATUS,
        register::PACKETS_IN,
        register::MAP_HANDLE,
        0x0300,
        0x0fff & !3,
        0xfffc,
    ] {
        scenario.add(Line::RefusedWrite {
            address,
            data: 1,
            strobes: 0xf,
        });
    }
    for address in [0x0300, 0x0ffc, 0xfffc] {
        scenario.add(Line::RefusedRead { address });
    }
}
