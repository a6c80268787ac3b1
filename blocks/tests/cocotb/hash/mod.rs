//! Hash tables behind their functions: keys of 16 to 104 bits, forwarding or not, one or several ports, eviction.

use crate::Case;
use hardpath_blocks::hash::{hash_function, hash_table, Evicts, Hash, HashPort};
use hardpath_blocks::interface::command;
use hardpath_rtl::signals::numbered;
use hardpath_rtl::{Design, Direction, Module, Node};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let port = |commit_after, slot| HashPort {
        commit_after,
        updates: true,
        may: None,
        deletes: true,
        slot,
    };
    let forwards = Hash {
        foreign: true,
        ..table(32, 20, vec![port(0, 0)])
    };
    let only_updates = HashPort {
        deletes: false,
        ..port(1, 0)
    };
    let only_looks_up = HashPort::default();
    let turns = Hash {
        forward: false,
        registers: true,
        foreign: true,
        ..table(104, 11, vec![only_updates, port(3, 1), only_looks_up])
    };
    let candidates = Hash {
        registers: true,
        evicts: Evicts::Candidates,
        ..table(64, 12, vec![port(0, 0)])
    };
    let first_bucket = Hash {
        evicts: Evicts::FirstBucket,
        ..table(16, 9, vec![port(2, 0)])
    };
    [forwards, turns, candidates, first_bucket].map(case).into()
}

fn table(key_bits: u32, max_entries: u32, ports: Vec<HashPort>) -> Hash {
    Hash {
        name: "keys".into(),
        map: "map".into(),
        key_bits,
        max_entries,
        ports,
        forward: true,
        registers: false,
        evicts: Evicts::Nobody,
        foreign: false,
        bounded: false,
        holds: 0,
    }
}

/// The table; in front of each port the functions and registers. `key` and `host` come a clock before stage R.
fn case(config: Hash) -> Case {
    let (key_bits, max_entries) = (config.key_bits, config.max_entries);
    let mut design = Design::new();
    let table: Module = hash_table(&config).into();
    let table_id = design.add(table.clone());
    let mut m = Module::new("block", "");
    let host = m.input("host", 1, "");
    let host_key = m.input("host_key", key_bits, "");
    let host_command = m.input("host_command", 3, "");
    let host_slot = m.input("host_slot", 32, "");
    let host_dump = m.eq_const(host_command, u64::from(command::DUMP));
    let low_slot = m.slice(host_slot, 0, Hash::entry_bits(max_entries));
    let host_r = m.delay_reset("host_in_r", host);
    let mut inputs: Vec<(String, Node)> = vec![
        ("host_r".into(), host_r),
        ("host_command".into(), host_command),
        ("host_slot".into(), host_slot),
    ];
    for number in 0..config.ports.len() as u32 {
        let key = m.input(numbered("key", number as usize), key_bits, "");
        let mut given = vec![("key", key)];
        if number == 0 {
            given.extend([
                ("host", host),
                ("host_key", host_key),
                ("host_dump", host_dump),
                ("host_slot", low_slot),
            ]);
        }
        let name = format!("functions_{number}");
        let function: Module = hash_function(&name, config.functions(), number as usize).into();
        let function_id = design.add(function.clone());
        let instance = m.instance(&function, function_id, name, &given);
        for (signal, out) in [("key", "key_out"), ("rows", "rows")] {
            let node = m.instance_output(&function, instance, out);
            m.output(numbered(out, number as usize), node, "");
            let node = m.delay(format!("{signal}_{number}_in_r"), node);
            inputs.push((numbered(signal, number as usize), node));
        }
    }
    for port in &table.ports {
        let given = inputs.iter().any(|(name, _)| *name == port.name);
        if port.direction == Direction::Input && !given {
            let node = m.input(port.name.clone(), port.width, "");
            inputs.push((port.name.clone(), node));
        }
    }
    let inputs: Vec<(&str, Node)> = (inputs.iter())
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = m.instance(&table, table_id, "table", &inputs);
    for port in &table.ports {
        if port.direction != Direction::Input {
            let node = m.instance_output(&table, instance, &port.name);
            m.output(port.name.as_str(), node, "");
        }
    }
    let port = |port: &HashPort| {
        json!({
            "commit_after": port.commit_after,
            "updates": port.updates,
            "deletes": port.deletes,
            "slot": port.slot,
        })
    };
    let parameters = json!({
        "key_bits": key_bits,
        "max_entries": max_entries,
        "ports": config.ports.iter().map(port).collect::<Vec<_>>(),
        "forward": config.forward,
        "registers": config.registers,
        "evicts": format!("{:?}", config.evicts),
        "foreign": config.foreign,
    });
    design.add(m);
    Case {
        modules: design.modules.values().cloned().collect(),
        parameters,
    }
}
