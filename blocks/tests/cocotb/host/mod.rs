//! Host ports for one and several maps, with and without a port table and maps that are made ready.

use crate::Case;
use hardpath_blocks::host::{host, Host};
use hardpath_registers::{COMMANDS, REGISTERS, VERSION};
use serde_json::{json, Map};

pub fn cases() -> Vec<Case> {
    let addresses = REGISTERS.map(|one| (one.name.to_owned(), json!(one.offset)));
    let commands = COMMANDS.map(|(name, number, _)| (name.to_owned(), json!(number)));
    let case = |maps, key_bits, value_bits, slot_bits, has_port_table, prepares, clear_words| {
        let config = Host {
            name: "block".into(),
            design_id: 0x1234_5678,
            maps,
            key_bits,
            value_bits,
            long: None,
            slot_bits,
            has_port_table,
            prepares,
            repeats: false,
            found_at_once: false,
            clear_words,
            events: 0,
        };
        let parameters = json!({
            "addresses": Map::from_iter(addresses.clone()),
            "commands": Map::from_iter(commands.clone()),
            "version": VERSION,
            "design_id": config.design_id,
            "maps": maps,
            "key_bits": key_bits,
            "value_bits": value_bits,
            "slot_bits": slot_bits,
            "has_port_table": has_port_table,
            "prepares": prepares,
            "clear_words": clear_words,
        });
        Case::new(host(&config), parameters)
    };
    vec![
        case(1, 32, 32, 1, false, false, 30),
        case(3, 104, 80, 10, true, true, 50),
        case(9, 64, 260, 31, true, false, 32),
    ]
}
