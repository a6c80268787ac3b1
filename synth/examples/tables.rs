//! What blocks that find a table's entries take by themselves, and how deep they are: `cargo run --profile ci -p hardpath-synth --example
//! tables -- WAY:BITS:ENTRIES ...`, with the bits of a key. Ways: `host` is an exact table that only the host writes, with its hash functions
//! and values of 36 bits; `packets` one that packets write, too, without its values; `cam` compares with all keys; `any` has entries with any
//! masks, `masks` with 16 different ones. Without blocks it takes those of `docs/p4.md`, whose tool asks for them by `--json`, a line each, and for the text that
//! is synthesized by `--print`.

mod common;

use hardpath_blocks::cuckoo::{cuckoo, Cuckoo};
use hardpath_blocks::hash::{hash_function, hash_table, Evicts, Functions, Hash, HashPort};
use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::{verilog, Design, Direction, Module, ModuleId, Port};
use std::process::ExitCode;

const USUAL: [&str; 10] = [
    "host:72:1024",
    "host:288:1024",
    "host:288:1024:registers",
    "packets:72:1024",
    "packets:288:1024",
    "packets:288:1024:registers",
    "cam:72:1024",
    "any:128:512",
    "any:72:2048",
    "masks:72:2048",
];
const VALUE_BITS: u32 = 36;

fn main() -> ExitCode {
    let mut blocks: Vec<String> = std::env::args().skip(1).collect();
    let mut asked = |option: &str| {
        let all = blocks.len();
        blocks.retain(|word| word != option);
        blocks.len() < all
    };
    let (is_printed, is_json) = (asked("--print"), asked("--json"));
    if blocks.is_empty() {
        blocks = USUAL.map(String::from).into();
    }
    let mut designs = Vec::new();
    for block in &blocks {
        let Some((top, design)) = named(block) else {
            eprintln!("there is no block {block}: take host:BITS:ENTRIES, packets:…, cam:…, any:… or masks:…, as in {}", USUAL[0]);
            return ExitCode::from(2);
        };
        designs.push((block, top, design));
    }
    if !is_printed && !is_json {
        common::head(&format!("{:<26}", "block"));
    }
    for (block, top, design) in designs {
        if is_printed {
            print!("{}", text(design));
        } else if is_json {
            println!("{}", json(top, design));
        } else {
            common::row(&format!("{block:<26}"), top, design);
        }
    }
    ExitCode::SUCCESS
}

/// The figures for a tool.
fn json(top: &str, design: Design) -> serde_json::Value {
    let report = common::measured(top, &common::checked(design));
    serde_json::json!({
        "lut": report.lut,
        "ff": report.ff,
        "ff_in_memories": report.ff_in_memories,
        "bram36": report.bram36,
        "levels": report.depth.levels,
    })
}

/// What is synthesized.
fn text(design: Design) -> String {
    let files = verilog::print(&common::checked(design)).expect("no foreign modules");
    files.into_iter().map(|(_, text)| text).collect()
}

/// A block and the name of its top.
fn named(block: &str) -> Option<(&'static str, Design)> {
    let mut parts = block.split(':');
    let (way, bits, entries) = (parts.next()?, parts.next()?, parts.next()?);
    let (bits, entries) = (bits.parse().ok()?, entries.parse().ok()?);
    let registers = match (way, parts.next()) {
        (_, None) => false,
        ("host" | "packets", Some("registers")) => true,
        _ => return None,
    };
    match way {
        "host" => Some(("around", of_host(entries, (bits, VALUE_BITS), registers))),
        "packets" => Some(("around", of_packets(entries, bits, registers))),
        "cam" => Some(("rules", of_rules(entries, (Match::Exact, bits), None))),
        "any" => Some(("rules", of_rules(entries, (Match::Ternary, bits), None))),
        "masks" => Some(("rules", of_rules(entries, (Match::Ternary, bits), Some(16)))),
        _ => None,
    }
}

fn of_rules(entries: u32, field: (Match, u32), masks: Option<u32>) -> Design {
    let mut design = Design::new();
    design.add(ternary(&Ternary {
        name: "rules".into(),
        map: "rules".into(),
        fields: vec![field],
        entries,
        masks,
        registers: false,
    }));
    design
}

fn of_host(max_entries: u32, (key_bits, value_bits): (u32, u32), registers: bool) -> Design {
    let config = Cuckoo {
        name: "entries".into(),
        map: "map".into(),
        key_bits,
        value_bits,
        max_entries,
        registers,
    };
    let mut design = Design::new();
    let table = design.add(cuckoo(&config));
    let functions = config.functions();
    around(&mut design, table, functions);
    design
}

fn of_packets(max_entries: u32, key_bits: u32, registers: bool) -> Design {
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
        registers,
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
