//! The host port's address map, as a C header and as JSON.

use super::layouts;
use crate::target::Hardware;
use hardpath_blocks::axi::USER_IN_BITS;
use hardpath_ir::count::counted;
use hardpath_p4::lower::layout::Layout;
use hardpath_packet::{outcomes, Output, OwnInput};
use hardpath_registers::{field, Answer, Map, COMMANDS, MAGIC, REGISTERS, VERSION};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;

pub fn c_header(hardware: &Hardware, known: &[Layout]) -> String {
    let interface = &hardware.interface;
    let prefix = macro_name(&interface.top);
    let outcomes = outcomes(&interface.outputs);
    let mut lines = Lines::default();
    lines.add(format!(
        "/* Host registers of the design {}. Made by hardpath. */",
        interface.top
    ));
    lines.add(format!("#ifndef {prefix}_H\n#define {prefix}_H\n"));
    lines.define(&prefix, "MAGIC", format!("0x{MAGIC:08x}"), "");
    let version = format!("0x{:08x}", VERSION);
    lines.define(&prefix, "VERSION", version, "");
    lines.define(
        &prefix,
        "DESIGN_ID",
        format!("0x{:08x}", interface.design_id),
        "",
    );
    lines.add(
        "\n/* Byte offsets. 64-bit counters: read the low word first, it latches the high one. */"
            .into(),
    );
    for register in REGISTERS
        .iter()
        .filter(|register| register.is_there(interface.has_port_table))
    {
        let comment = format!(
            "{}, {}: {}",
            register.access.letters(),
            counted(register.bits, "bit"),
            register.meaning_with(&outcomes)
        );
        lines.define(
            &prefix,
            &format!("REG_{}", register.name),
            format!("0x{:04x}", register.offset),
            &comment,
        );
    }
    lines.add("\n/* Commands for MAP_COMMAND. */".into());
    for (name, number, meaning) in COMMANDS {
        lines.define(
            &prefix,
            &format!("COMMAND_{name}"),
            number.to_string(),
            meaning,
        );
    }
    lines.add("\n/* What a command comes to, in bits 2:0 of MAP_STATUS. */".into());
    for answer in Answer::ALL {
        lines.define(
            &prefix,
            &format!("ANSWER_{}", answer.name()),
            answer.code().to_string(),
            &answer.to_string(),
        );
    }
    lines.add("\n/* What an update may do, for MAP_MAY. */".into());
    for field in [field::MAY_CREATE, field::MAY_REPLACE] {
        lines.define(
            &prefix,
            field.name,
            format!("0x{:x}", field.mask()),
            field.meaning,
        );
    }
    if !interface.maps.is_empty() {
        lines.add("\n/* Maps, for MAP_SELECT. */".into());
    }
    for (index, map) in interface.maps.iter().enumerate() {
        let name = lines.map_name(&map.name);
        let comment = format!("{}, {}", map.kind, counted(map.max_entries, "entry"));
        lines.define(&prefix, &name, index.to_string(), &comment);
        lines.define(
            &prefix,
            &format!("{name}_KEY_BYTES"),
            map.key_bytes.to_string(),
            "",
        );
        lines.define(
            &prefix,
            &format!("{name}_VALUE_BYTES"),
            map.value_bytes.to_string(),
            "",
        );
        lines.define(
            &prefix,
            &format!("{name}_SLOTS"),
            map.slots.to_string(),
            "slots of a dump",
        );
        if map.stored.has_foreign() {
            lines.foreign(&prefix, &name, map);
        }
        let all = layouts::of_map(known, &map.name);
        let is_shared = all.len() > 1;
        for layout in all {
            let name = match is_shared {
                true => lines.map_name(&layout.owner.name),
                false => name.clone(),
            };
            lines.layout(&prefix, &name, layout);
        }
    }
    lines.add("\n#endif".into());
    lines.text
}

/// What stands behind the name of each map.
const OF_MAPS: [&str; 6] = [
    "",
    "_KEY_BYTES",
    "_VALUE_BYTES",
    "_SLOTS",
    "_KEY_MASK",
    "_KEY_CONSTANTS",
];

#[derive(Default)]
struct Lines {
    text: String,
    /// Constants of maps and layouts: names of P4 may become the same one.
    names: BTreeSet<String>,
}

impl Lines {
    fn add(&mut self, line: String) {
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn define(&mut self, prefix: &str, name: &str, value: String, comment: &str) {
        let mut line = format!("#define {:40} {value}", format!("{prefix}_{name}"));
        if !comment.is_empty() {
            let _ = write!(line, " /* {comment} */");
        }
        self.add(line);
    }

    /// What the constants of a map begin with: one that is free with all that stands behind it in the names of maps.
    fn map_name(&mut self, map: &str) -> String {
        let name = format!("MAP_{}", macro_name(map));
        let plain = std::iter::once(name.clone());
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let all = |stem: &String| OF_MAPS.map(|ending| format!("{stem}{ending}"));
        let is_free = |stem: &String| all(stem).iter().all(|name| !self.names.contains(name));
        let stem = plain.chain(numbered).find(is_free);
        let stem = stem.expect("numbers do not end");
        self.names.extend(all(&stem));
        stem
    }

    /// Where fields stand in the key and the value of a map.
    fn layout(&mut self, prefix: &str, map: &str, layout: &Layout) {
        self.add(format!("/* {} */", layouts::comment(layout)));
        for (name, number, comment) in layouts::constants(layout) {
            let name = format!("{map}_{}", macro_name(&name));
            let mut unique = name.clone();
            let mut number_of_name = 2;
            while !self.names.insert(unique.clone()) {
                unique = format!("{name}_{number_of_name}");
                number_of_name += 1;
            }
            self.define(prefix, &unique, number.to_string(), comment);
        }
    }

    /// Which keys of a map are not stored.
    fn foreign(&mut self, prefix: &str, name: &str, map: &Map) {
        self.add(
            "/* Keys with other bits under this mask are foreign: the host keeps them. UPDATE takes a place for a new one,\n   \
             DELETE gives it back, and that is all (README.md). */"
                .into(),
        );
        let bytes = |bytes: &[u8]| {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
            format!("{{ {} }}", bytes.join(", "))
        };
        let (mask, constants) = (map.stored.constant(), map.stored.values());
        self.define(prefix, &format!("{name}_KEY_MASK"), bytes(mask), "");
        let name = format!("{name}_KEY_CONSTANTS");
        self.define(prefix, &name, bytes(constants), "");
    }
}

/// `flow-table` → `FLOW_TABLE`.
fn macro_name(name: &str) -> String {
    let legal = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(legal).collect()
}

pub fn json(hardware: &Hardware, known: &[Layout]) -> String {
    let interface = &hardware.interface;
    let outcomes = outcomes(&interface.outputs);
    let registers: Vec<_> = REGISTERS
        .iter()
        .filter(|register| register.is_there(interface.has_port_table))
        .map(|register| {
            json!({
                "name": register.name,
                "offset": register.offset,
                "bits": register.bits,
                "access": register.access.letters(),
                "meaning": register.meaning_with(&outcomes),
            })
        })
        .collect();
    let commands: serde_json::Map<_, _> = COMMANDS
        .iter()
        .map(|(name, number, _)| ((*name).to_owned(), json!(number)))
        .collect();
    let answers: serde_json::Map<_, _> = Answer::ALL
        .iter()
        .map(|answer| (answer.name().to_owned(), json!(answer.code())))
        .collect();
    let maps: Vec<_> = interface
        .maps
        .iter()
        .enumerate()
        .map(|(index, map)| {
            let mut object = json!({
                "name": map.name,
                "select": index,
                "type": map.kind,
                "key_bytes": map.key_bytes,
                "value_bytes": map.value_bytes,
                "max_entries": map.max_entries,
                "slots": map.slots,
            });
            if map.stored.has_foreign() {
                object["key_mask"] = json!(map.stored.constant());
                object["key_constants"] = json!(map.stored.values());
            }
            layouts::tell(&mut object, known, &map.name);
            object
        })
        .collect();
    let bits = |name: &str, port: &str, lo: u32, width: u32| json!({"name": name, "port": port, "lo": lo, "width": width});
    let inputs = OwnInput::places(&interface.inputs);
    let inputs: Vec<_> = inputs
        .map(|(lo, input)| bits(&input.name, "s_axis_tuser", lo + USER_IN_BITS, input.width))
        .collect();
    let outputs: Vec<_> = Output::places(&interface.outputs)
        .map(|(lo, output)| bits(&output.name, "m_axis_tuser", lo, output.width))
        .collect();
    let mut object = json!({
        "top": interface.top,
        "magic": MAGIC,
        "version": VERSION,
        "design_id": interface.design_id,
        "bus_bits": interface.bus_bits,
        "registers": registers,
        "commands": commands,
        "answers": answers,
        "outcomes": outcomes,
        "inputs": inputs,
        "outputs": outputs,
        "maps": maps,
    });
    if let Some(bytes) = interface.ahead_bytes {
        let bit = interface.output_user_bits() - 1;
        object["cut_through"] = json!({
            "ahead_bytes": bytes,
            "bad": bits("bad", "m_axis_tuser", bit, 1),
        });
    }
    format!("{object:#}\n")
}
