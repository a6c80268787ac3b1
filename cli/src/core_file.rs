//! The files that say what a core is: `core.json`, which `hardpath core` leaves beside a core's design, and the list of its slots that
//! it is made from.

use crate::files;
use crate::target::core::Processor;
use hardpath_blocks::interface::BUS_BITS;
use hardpath_core::hardware::packets::Ring;
use hardpath_core::hardware::processor::Processor as Core;
use hardpath_core::image::{Machine, LANES};
use hardpath_diagnostic::suggest;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::tables::table;
use hardpath_ir::{Find, MapDecl};
use hardpath_kernel::MapType;
use hardpath_packet::{Output, OwnInput};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The form that is written, and the only one that is read.
const VERSION: u32 = 1;
/// What the file of a core is called in its folder.
pub const NAME: &str = "core.json";
/// As many as an operation can name.
const MOST_SLOTS: usize = 32;

/// A core, as a file.
#[derive(Serialize, Deserialize)]
struct CoreFile {
    hardpath_core: u32,
    name: String,
    lanes: u8,
    registers: u8,
    threads: u8,
    bus_bits: u32,
    rows: u32,
    stack_bytes: u32,
    packet_lines: u32,
    most_rows: u32,
    outputs: Vec<OutputFile>,
    slots: Vec<Slot>,
    /// What a load must begin with; says whether this is the core that the rest describes.
    identity: u32,
}

#[derive(Serialize, Deserialize)]
struct OutputFile {
    name: String,
    width: u32,
    values: Vec<String>,
}

/// A slot, or several of the same kind.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slot {
    kind: String,
    #[serde(default = "index_bytes")]
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
    /// Packets are broadcast to what it names.
    #[serde(default, skip_serializing_if = "is_false")]
    broadcast: bool,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: u32,
}

fn index_bytes() -> u32 {
    4
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// As text, for `core.json`.
pub fn write(core: &Core) -> String {
    let slots = core.slots.iter().map(|slot| Slot {
        kind: slot.outside.clone(),
        key_bytes: slot.key_bytes,
        value_bytes: slot.value_bytes,
        entries: slot.max_entries,
        broadcast: slot.broadcast,
        count: 1,
    });
    let outputs = core.outputs.iter().map(|output| OutputFile {
        name: output.name.clone(),
        width: output.width,
        values: output.values.clone(),
    });
    let file = CoreFile {
        hardpath_core: VERSION,
        name: core.name.clone(),
        lanes: core.machine.lanes,
        registers: core.machine.registers,
        threads: core.threads(),
        bus_bits: core.bus_bits,
        rows: core.machine.rows,
        stack_bytes: core.machine.stack,
        packet_lines: core.ring.lines,
        most_rows: core.most_rows,
        outputs: outputs.collect(),
        slots: slots.collect(),
        identity: core.identity(),
    };
    let text = serde_json::to_string_pretty(&file).expect("it has a form");
    text + "\n"
}

/// The core that a file describes.
///
/// # Errors
/// `core-file`: it is none, of another version, or altered; `core-slots`.
pub fn read(path: &Path) -> Result<Processor, Diagnostic> {
    let text = files::read_text(path)?;
    let broken = |message: String| {
        let error = Diagnostic::input("core-file", message).at(Place::of_file(path.display()));
        error.help("give the core.json of a folder that `hardpath core` wrote")
    };
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| broken(format!("the file is no JSON: {error}")))?;
    match value
        .get("hardpath_core")
        .and_then(serde_json::Value::as_u64)
    {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) => {
            let message =
                format!("the file has version {version} of the form, and {VERSION} is read");
            return Err(broken(message));
        }
        None => return Err(broken("the file describes no core".into())),
    }
    let file: CoreFile = serde_json::from_value(value)
        .map_err(|error| broken(format!("the file describes no core: {error}")))?;
    let is_known = LANES.contains(&file.lanes)
        && BUS_BITS.contains(&file.bus_bits)
        && (1..=64).contains(&file.threads)
        && file.threads.is_power_of_two()
        && (16..=1 << 16).contains(&file.packet_lines)
        && file.packet_lines.is_power_of_two()
        && (1..=4096).contains(&file.rows);
    if !is_known {
        return Err(broken("the file describes a core that there is not".into()));
    }
    let machine = Machine {
        rows: file.rows,
        registers: file.registers,
        stack: file.stack_bytes,
        ..Machine::with_lanes(file.lanes)
    };
    let slots = slots(&file.slots).map_err(|errors| {
        let first = errors.into_iter().next();
        first.map_or(broken("the file has no such slots".into()), |error| {
            error.in_file(path.display())
        })
    })?;
    let core = Core {
        bus_bits: file.bus_bits,
        ring: Ring {
            lines: file.packet_lines,
        },
        most_rows: file.most_rows,
        outputs: file
            .outputs
            .into_iter()
            .map(|output| Output {
                name: output.name,
                width: output.width,
                values: output.values,
            })
            .collect(),
        inputs: Vec::<OwnInput>::new(),
        slots,
        ..Core::new(&file.name, &machine, file.threads)
    };
    if core.identity() != file.identity {
        let message = "the file was altered, or is of another version of hardpath: its core would not be the one that was built";
        return Err(broken(message.into()));
    }
    Ok(Processor {
        machine,
        threads: file.threads,
        built: Some(Box::new(core)),
        ..Processor::new(None, None)
    })
}

/// The slots that a file lists.
///
/// # Errors
/// `core-slots`, of each slot that there cannot be.
pub fn read_slots(path: &Path) -> Result<Vec<MapDecl>, Vec<Diagnostic>> {
    let text = files::read_text(path).map_err(|error| vec![error])?;
    let listed: Vec<Slot> = serde_json::from_str(&text).map_err(|error| {
        let message = format!("the file lists no slots: {error}");
        let error = Diagnostic::input("core-slots", message).at(Place::of_file(path.display()));
        vec![error.help(
            r#"give a list such as [{"kind": "hash", "key_bytes": 16, "value_bytes": 32, "entries": 1024}]"#,
        )]
    })?;
    slots(&listed).map_err(|errors| in_file(path, errors))
}

fn in_file(path: &Path, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let errors = errors.into_iter();
    let errors = errors.map(|error| error.in_file(path.display()));
    errors.collect()
}

fn slots(listed: &[Slot]) -> Result<Vec<MapDecl>, Vec<Diagnostic>> {
    let (mut slots, mut errors) = (Vec::new(), Vec::new());
    for (number, slot) in listed.iter().enumerate() {
        match decl(slot) {
            Ok(decl) => {
                for _ in 0..slot.count.min(MOST_SLOTS as u32 + 1) {
                    let name = format!("slot_{}", slots.len());
                    slots.push(MapDecl {
                        name,
                        ..decl.clone()
                    });
                }
            }
            Err(wrong) => errors.push(Diagnostic {
                message: format!("slot {number}: {}", wrong.message),
                place: None,
                ..wrong
            }),
        }
    }
    if slots.len() > MOST_SLOTS {
        let message = format!("a core has up to {MOST_SLOTS} slots");
        errors.push(Diagnostic::input("core-slots", message).help("list fewer"));
    }
    match errors.is_empty() {
        true => Ok(slots),
        false => Err(errors),
    }
}

/// A slot as a table; or what is wrong with it.
fn decl(slot: &Slot) -> Result<MapDecl, Diagnostic> {
    let wrong =
        |message: String, help: String| Err(Diagnostic::input("core-slots", message).help(help));
    let kinds = || MapType::ALL.iter().map(|(_, _, name)| *name);
    let Some(kind) = MapType::named(&slot.kind) else {
        let message = format!("there is no kind of map called {}", slot.kind);
        return wrong(message, suggest::meant(&slot.kind, kinds()));
    };
    let decl = table(
        kind,
        "slot",
        (slot.key_bytes, slot.value_bytes),
        slot.entries,
    );
    let decl = MapDecl {
        broadcast: slot.broadcast,
        ..decl
    };
    let key_is_right = match decl.find {
        Find::Array | Find::Slots => decl.key_bytes == 4,
        Find::Prefix => decl.key_bytes > 4,
        Find::Exact | Find::Ternary => decl.key_bytes > 0,
    };
    if !key_is_right || decl.value_bytes == 0 || decl.max_entries == 0 {
        let (key, value) = (decl.key_bytes, decl.value_bytes);
        let message = format!(
            "no {} has {key} bytes of key, {value} bytes of value and {} entries",
            slot.kind, decl.max_entries
        );
        let help = "indexes have 4 bytes, prefixes 4 bytes of length and some of data; values and entries there are some";
        return wrong(message, help.into());
    }
    if decl.broadcast {
        let message =
            "packets are not broadcast yet by a core that is built for all programs".into();
        return wrong(
            message,
            "leave broadcast out; a core that is built for one program broadcasts".into(),
        );
    }
    match hardpath_pipeline::map_is_too_large(&decl) {
        Some(error) => Err(error),
        None => Ok(decl),
    }
}
