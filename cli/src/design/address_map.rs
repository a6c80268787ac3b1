//! The host port's address map, as a C header and as JSON. The numbers are those of `blocks::interface`.

use crate::target::Hardware;
use hardpath_blocks::interface::{command, register, Interface, MapPort, MAGIC};
use hardpath_ir::count::counted;
use serde_json::json;
use std::fmt::Write;

/// A register of the host port.
pub struct Register {
    pub name: &'static str,
    pub offset: u32,
    pub bits: u32,
    pub access: &'static str,
    pub meaning: &'static str,
}

const fn register(
    name: &'static str,
    offset: u32,
    bits: u32,
    access: &'static str,
    meaning: &'static str,
) -> Register {
    Register {
        name,
        offset,
        bits,
        access,
        meaning,
    }
}

/// Every register, by rising offset.
pub const REGISTERS: [Register; 20] = [
    register(
        "MAGIC",
        register::MAGIC,
        32,
        "R",
        "identification: the letters HPTH",
    ),
    register(
        "VERSION",
        register::VERSION,
        32,
        "R",
        "version of the register map, major in the high half; 2: the host keeps foreign keys",
    ),
    register(
        "DESIGN_ID",
        register::DESIGN_ID,
        32,
        "R",
        "a hash of the program",
    ),
    register(
        "STATUS",
        register::STATUS,
        32,
        "R",
        "bit 0: reset has cleared all maps, packets are taken in",
    ),
    register(
        "PACKETS_IN",
        register::PACKETS_IN,
        64,
        "R",
        "packets that entered the program",
    ),
    register(
        "DROPPED_BAD",
        register::DROPPED_BAD,
        64,
        "R",
        "frames that the MAC marked bad",
    ),
    register(
        "DROPPED_LENGTH",
        register::DROPPED_LENGTH,
        64,
        "R",
        "frames shorter than 14 or longer than 9,216 bytes",
    ),
    register(
        "ABORTED",
        register::VERDICTS,
        64,
        "R",
        "packets of verdict XDP_ABORTED",
    ),
    register(
        "DROP",
        register::VERDICTS + 8,
        64,
        "R",
        "packets of verdict XDP_DROP",
    ),
    register(
        "PASS",
        register::VERDICTS + 16,
        64,
        "R",
        "packets of verdict XDP_PASS",
    ),
    register(
        "TX",
        register::VERDICTS + 24,
        64,
        "R",
        "packets of verdict XDP_TX",
    ),
    register(
        "REDIRECT",
        register::VERDICTS + 32,
        64,
        "R",
        "packets of verdict XDP_REDIRECT",
    ),
    register(
        "PORT_TABLE",
        register::PORT_TABLE,
        32,
        "RW",
        "16 entries of two words, 8 bytes apart: ifindex, number added to the queue",
    ),
    register(
        "MAP_SELECT",
        register::MAP_SELECT,
        32,
        "RW",
        "the map that a command is for",
    ),
    register(
        "MAP_COMMAND",
        register::MAP_COMMAND,
        32,
        "W",
        "starts a command",
    ),
    register(
        "MAP_STATUS",
        register::MAP_STATUS,
        32,
        "R",
        "bit 31: busy; bits 15:0: 0 or an errno",
    ),
    register(
        "MAP_FLAGS",
        register::MAP_FLAGS,
        32,
        "RW",
        "of an update: 0 any, 1 BPF_NOEXIST, 2 BPF_EXIST",
    ),
    register(
        "MAP_SLOT",
        register::MAP_SLOT,
        32,
        "RW",
        "the slot that a dump reads",
    ),
    register(
        "KEY",
        register::KEY,
        32,
        "RW",
        "key, as 32-bit words in memory order",
    ),
    register(
        "VALUE",
        register::VALUE,
        32,
        "RW",
        "value, as 32-bit words in memory order",
    ),
];

/// The commands of MAP_COMMAND.
pub const COMMANDS: [(&str, u32, &str); 4] = [
    ("LOOKUP", command::LOOKUP, "KEY -> VALUE, or ENOENT"),
    ("UPDATE", command::UPDATE, "KEY, VALUE, MAP_FLAGS"),
    ("DELETE", command::DELETE, "KEY"),
    (
        "DUMP",
        command::DUMP,
        "slot MAP_SLOT -> KEY, VALUE; ENOENT: empty, EINVAL: behind the last slot",
    ),
];

/// Registers that only designs with a port table have.
fn exists(register: &Register, interface: &Interface) -> bool {
    interface.has_port_table || register.offset != register::PORT_TABLE
}

pub fn c_header(hardware: &Hardware) -> String {
    let interface = &hardware.interface;
    let prefix = macro_name(&interface.top);
    let mut lines = Lines(String::new());
    lines.add(format!(
        "/* Host registers of the design {}. Made by hardpath. */",
        interface.top
    ));
    lines.add(format!("#ifndef {prefix}_H\n#define {prefix}_H\n"));
    lines.define(&prefix, "MAGIC", format!("0x{MAGIC:08x}"), "");
    let version = format!("0x{:08x}", interface.version());
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
        .filter(|register| exists(register, interface))
    {
        let comment = format!(
            "{}, {}: {}",
            register.access,
            counted(register.bits, "bit"),
            register.meaning
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
    if !interface.maps.is_empty() {
        lines.add("\n/* Maps, for MAP_SELECT. */".into());
    }
    for (index, map) in interface.maps.iter().enumerate() {
        let name = format!("MAP_{}", macro_name(&map.name));
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
    }
    lines.add("\n#endif".into());
    lines.0
}

struct Lines(String);

impl Lines {
    fn add(&mut self, line: String) {
        self.0.push_str(&line);
        self.0.push('\n');
    }

    fn define(&mut self, prefix: &str, name: &str, value: String, comment: &str) {
        let mut line = format!("#define {:40} {value}", format!("{prefix}_{name}"));
        if !comment.is_empty() {
            let _ = write!(line, " /* {comment} */");
        }
        self.add(line);
    }

    /// Which keys of a map are not stored.
    fn foreign(&mut self, prefix: &str, name: &str, map: &MapPort) {
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

pub fn json(hardware: &Hardware) -> String {
    let interface = &hardware.interface;
    let registers: Vec<_> = REGISTERS
        .iter()
        .filter(|register| exists(register, interface))
        .map(|register| {
            json!({
                "name": register.name,
                "offset": register.offset,
                "bits": register.bits,
                "access": register.access,
                "meaning": register.meaning,
            })
        })
        .collect();
    let commands: serde_json::Map<_, _> = COMMANDS
        .iter()
        .map(|(name, number, _)| ((*name).to_owned(), json!(number)))
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
            object
        })
        .collect();
    let object = json!({
        "top": interface.top,
        "magic": MAGIC,
        "version": interface.version(),
        "design_id": interface.design_id,
        "bus_bits": interface.bus_bits,
        "registers": registers,
        "commands": commands,
        "maps": maps,
    });
    format!("{object:#}\n")
}
