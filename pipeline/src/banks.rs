//! Banks: an array whose accesses have few constant indexes is cut into parts that never meet.
//!
//! A program that counts under several constant indexes (`stats[RX]`, later `stats[DROP]`) writes several entries for one
//! packet. Each index, or group of indexes among which one access chooses, gets a memory of its own; then the writes
//! need not take turns.

use crate::ports::Port;
use hardpath_ir::{Bits, MapId, Op, Program, Value};
use std::collections::BTreeSet;

/// An index that may be more constants than this is not followed.
const MOST_CONSTANTS: usize = 16;

/// Groups the ports of an array by the indexes that they can have. One group without a list of indexes means the whole
/// array. The host reaches indexes that no group has in the first one, so that one lists them all.
pub fn banks(
    program: &Program,
    map: MapId,
    ports: Vec<Port>,
) -> Vec<(Vec<Port>, Option<Vec<u32>>)> {
    let entries = program.maps[map].max_entries;
    let mut groups: Vec<(Vec<Port>, BTreeSet<u32>)> = Vec::new();
    for port in &ports {
        let mut constants = BTreeSet::new();
        let known = port
            .key
            .is_some_and(|key| collect(program, key, &mut constants));
        if !known {
            return vec![(ports, None)];
        }
        constants.retain(|index| *index < entries);
        let (meeting, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(_, others)| !others.is_disjoint(&constants));
        let mut group = (Vec::new(), constants);
        for (ports, others) in meeting {
            group.0.extend(ports);
            group.1.extend(others);
        }
        group.0.push(port.clone());
        groups = apart;
        groups.push(group);
    }
    if groups.len() < 2 {
        return vec![(ports, None)];
    }
    // What nobody of the program reaches still is there for the host.
    let used: BTreeSet<u32> = groups
        .iter()
        .flat_map(|(_, all)| all.iter().copied())
        .collect();
    if used.len() < entries as usize {
        groups.push((
            vec![Port::default()],
            (0..entries).filter(|index| !used.contains(index)).collect(),
        ));
    }
    groups
        .into_iter()
        .map(|(ports, indexes)| (ports, Some(indexes.into_iter().collect())))
        .collect()
}

/// Adds the constants that an index chooses among; gives whether that is all that it can be.
fn collect(program: &Program, value: Value, all: &mut BTreeSet<u32>) -> bool {
    if let Some(number) = program.as_const(value).and_then(Bits::as_u64) {
        all.insert(number as u32);
        return all.len() <= MOST_CONSTANTS;
    }
    let Some(data) = program.def_inst(value) else {
        return false;
    };
    match data.op {
        Op::Select => collect(program, data.args[1], all) && collect(program, data.args[2], all),
        Op::ZExt if collect(program, data.args[0], all) => true,
        // Few bits are few numbers.
        _ if program.width(value) <= 2 => {
            all.extend(0..1u32 << program.width(value));
            true
        }
        _ => false,
    }
}
