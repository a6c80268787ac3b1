//! What tables of whole keys cost, and how deep they are, with their hash functions: `cargo run --profile ci -p hardpath-synth --example exact`,
//! with entries, bits of a key and of a value behind `--`, as in `1024x72+36`. `host` is a table that only the host writes, with its values;
//! `packets` one that packets write, without them.

mod common;

use hardpath_blocks::cuckoo::{cuckoo, Cuckoo};
use hardpath_blocks::hash::{hash_function, hash_table, Evicts, Functions, Hash, HashPort};
use hardpath_rtl::{Design, Direction, Module, ModuleId, Port};

fn main() {
    let usual = ["1024x72+36", "1024x288+36"].map(String::from);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if wanted.is_empty() {
        &usual[..]
    } else {
        &wanted
    };
    common::head("written by  size        ");
    for size in sizes {
        let parts = size.split_once('x').zip(size.split_once('+'));
        let ((entries, _), (_, value)) = parts.expect("such as 1024x72+36");
        let key = &size[entries.len() + 1..size.len() - value.len() - 1];
        let number = |text: &str| -> u32 { text.parse().expect("a number") };
        let (entries, key_bits, value_bits) = (number(entries), number(key), number(value));
        let designs = [
            ("host", of_host(entries, key_bits, value_bits)),
            ("packets", of_packets(entries, key_bits)),
        ];
        for (who, design) in designs {
            common::row(&format!("{who:<10}  {size:<12}"), "around", design);
        }
    }
}

fn of_host(max_entries: u32, key_bits: u32, value_bits: u32) -> Design {
    let config = Cuckoo {
        name: "entries".into(),
        map: "map".into(),
        key_bits,
        value_bits,
        max_entries,
        registers: false,
    };
    let mut design = Design::new();
    let table = design.add(cuckoo(&config));
    let functions = config.functions();
    around(&mut design, table, functions);
    design
}

fn of_packets(max_entries: u32, key_bits: u32) -> Design {
    let config = Hash {
        name: "entries".into(),
        map: "map".into(),
        key_bits,
        max_entries,
        ports: vec![HashPort {
            updates: true,
            deletes: true,
            ..HashPort::default()
        }],
        forward: true,
        registers: false,
        evicts: Evicts::Nobody,
        foreign: false,
        bounded: false,
        holds: 0,
    };
    let mut design = Design::new();
    let table = design.add(hash_table(&config));
    around(&mut design, table, config.functions());
    design
}

/// The functions, a register, the table; all else comes from ports.
fn around(design: &mut Design, table: ModuleId, functions: Functions) {
    let function = design.add(hash_function("functions", functions, 0));
    let (function_module, table_module) = (&design.modules[function], &design.modules[table]);
    let mut m = Module::new("around", "");
    let port = |m: &mut Module, name: &str, width: u32| m.input(name, width, "");
    let mut inputs = Vec::new();
    for input in ports(function_module, true) {
        let name = input.name.as_str();
        // What the host means comes from the table where that has moving entries.
        if name == "host_key" && has_meant(table_module) {
            inputs.push((name, m.wire(input.width, "meant")));
            continue;
        }
        inputs.push((name, port(&mut m, &format!("function_{name}"), input.width)));
    }
    let meant = inputs
        .iter()
        .find(|(name, _)| *name == "host_key")
        .map(|(_, node)| *node);
    let instance = m.instance(function_module, function, "functions", &inputs);
    let key = m.instance_output(function_module, instance, "key_out");
    let rows = m.instance_output(function_module, instance, "rows");
    let mut inputs = Vec::new();
    for input in ports(table_module, true) {
        let node = match input.name.as_str() {
            "key" => m.delay("key_r", key),
            "rows" => m.delay("rows_r", rows),
            name => port(&mut m, name, input.width),
        };
        inputs.push((input.name.as_str(), node));
    }
    let instance = m.instance(table_module, table, "entries", &inputs);
    for output in ports(table_module, false) {
        let node = m.instance_output(table_module, instance, &output.name);
        match (output.name.as_str(), meant) {
            ("key_meant", Some(wire)) => m.drive(wire, node),
            (name, _) => m.output(name, node, ""),
        }
    }
    design.add(m);
}

/// The inputs of a module, or its outputs.
fn ports(module: &Module, inputs: bool) -> impl Iterator<Item = &Port> {
    let ports = module.ports.iter();
    ports.filter(move |port| (port.direction == Direction::Input) == inputs)
}

fn has_meant(table: &Module) -> bool {
    ports(table, false).any(|output| output.name == "key_meant")
}
