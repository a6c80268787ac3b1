//! Value memories in LUT RAM and block RAM, with and without forwarding, several reads and writers, words in parts.

use crate::Case;
use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let two_writers = Array {
        writers: 2,
        own_write_index: true,
        ..memory(5, 40, &[1, 1])
    };
    let follows = Array {
        writers: 3,
        own_write_index: true,
        host: HostAddress::Follows,
        ..memory(100, 24, &[2, 4])
    };
    let late = Array {
        forward: false,
        ..memory(70, 64, &[6, 3])
    };
    let slots = Array {
        presence: Presence::NotZero,
        writers: 0,
        forward: false,
        ..memory(64, 64, &[3])
    };
    let narrow_slots = Array {
        presence: Presence::NotZero,
        writers: 0,
        forward: false,
        ..memory(65, 32, &[2])
    };
    let registers = Array {
        registers: true,
        ..memory(300, 48, &[3, 5])
    };
    let read_late = Array {
        forward: false,
        registers: true,
        ..memory(100, 32, &[4])
    };
    let parts = Array {
        parts: vec![7, 33],
        ..memory(90, 40, &[2, 2])
    };
    // More than one register for each index: parts of the word that are forwarded, and parts that change, overlap.
    let wide_parts = Array {
        parts: vec![150, 1, 99],
        registers: true,
        ..memory(90, 250, &[3, 5])
    };
    [
        parts,
        wide_parts,
        two_writers,
        follows,
        late,
        slots,
        narrow_slots,
        registers,
        read_late,
    ]
    .map(case)
    .into()
}

fn memory(depth: u32, value_bits: u32, reads: &[u32]) -> Array {
    Array {
        name: "block".into(),
        map: "map".into(),
        depth,
        value_bits,
        presence: Presence::Always,
        reads: reads.into(),
        writers: 1,
        parts: Vec::new(),
        host_alone: false,
        first_is_the_hosts: false,
        own_write_index: false,
        forward: true,
        registers: false,
        host_commit_after: reads[0],
        host: HostAddress::Key,
    }
}

fn case(config: Array) -> Case {
    let parameters = json!({
        "depth": config.depth,
        "value_bits": config.value_bits,
        "presence": format!("{:?}", config.presence),
        "reads": config.reads,
        "writers": config.writers,
        "parts": config.parts,
        "own_write_index": config.own_write_index,
        "forward": config.forward,
        "clocks": config.clocks(),
        "host": format!("{:?}", config.host),
    });
    Case::new(array(&config), parameters)
}
