//! The program of a core's test bench: it looks up a key from the packet in each slot, adds to what it finds, puts in what is missing, and
//! marks the packet with what was there. Slots that forget are left out: what they hold after many packets is nobody's promise.

use hardpath_core::hardware::processor::Processor as Core;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{parse, Find, MapDecl, Program};
use std::fmt::Write;

/// Bytes of the packet that keys are made of, each slot's from another one on: tables of the same size have their keys in different places
/// then.
const KEY_BYTES: usize = 8;
/// Where marks stand in the packet, a byte for a slot.
const MARKS: usize = 8;
/// Keys and marks that the shortest packets have room for.
const PLACES: usize = 6;

/// # Errors
/// None that a user can do something about.
pub fn program(core: &Core) -> Result<Program, Vec<Diagnostic>> {
    let text = text(core);
    let parsed = parse::parse(&text);
    let mut program = parsed.map_err(|error| {
        let error = Diagnostic::defect("internal-error", format!("{error}\n{text}"));
        vec![error]
    })?;
    program.outputs.clone_from(&core.outputs);
    Ok(program)
}

/// Of a slot with number `n` the blocks 3n (looks up), 3n + 1 (finds) and 3n + 2 (misses).
fn text(core: &Core) -> String {
    let slots: Vec<&MapDecl> = core.slots.iter().filter(|slot| !slot.forgets).collect();
    let mut text = String::from("program \"demonstration\" control-flow\n\n");
    for output in &core.outputs {
        let _ = writeln!(text, "output \"{}\" {}", output.name, output.width);
    }
    text.push('\n');
    for slot in &slots {
        let in_place = match slot.in_place && slot.find != Find::Array {
            true => " in-place",
            false => "",
        };
        let broadcast = if slot.broadcast { " broadcast" } else { "" };
        let _ = writeln!(
            text,
            "map @{} {} key {} value {} entries {}{in_place}{broadcast} as \"{}\"",
            slot.name, slot.find, slot.key_bytes, slot.value_bytes, slot.max_entries, slot.outside
        );
    }
    let _ = write!(
        text,
        "\nblock0:\n    v0:64 = const 0\n    v1:{} \"key\" = packet.load v0\n    v2:32 = const 0\n    v3:2 \"may\" = const 3\n",
        8 * KEY_BYTES
    );
    for (number, slot) in slots.iter().enumerate() {
        looks_up(&mut text, number, slot);
    }
    ends(&mut text, core, slots.len());
    text
}

fn looks_up(text: &mut String, number: usize, slot: &MapDecl) {
    let (block, first) = (3 * number, 100 + 20 * number);
    if number > 0 {
        let _ = writeln!(text, "block{block}:");
    }
    let name = &slot.name;
    let key_bits = slot.key_bytes * 8;
    let v = |offset: usize| format!("v{}", first + offset);
    let line = |text: &mut String, words: String| {
        let _ = writeln!(text, "    {words}");
    };
    line(text, format!("{}:64 = const {}", v(13), number % PLACES));
    let key = v(14);
    line(
        text,
        format!("{key}:{} = packet.load {}", 8 * KEY_BYTES, v(13)),
    );
    match slot.find {
        // Few of them, most below the last entry.
        Find::Array | Find::Slots => {
            let bits = (32 - (slot.max_entries - 1).leading_zeros()).clamp(1, 6);
            line(text, format!("{}:{bits} = slice {key}, 0", v(0)));
            line(text, format!("{}:32 = zext {}", v(1), v(0)));
        }
        // All bits of the data, up to eight bytes of it.
        Find::Prefix => {
            let data = key_bits - 32;
            let bits = data.min(64);
            line(text, format!("{}:{bits} = slice {key}, 0", v(0)));
            let shown = format!(
                "{}:{data} = {} {}",
                v(2),
                if bits < data { "zext" } else { "slice" },
                v(0)
            );
            line(
                text,
                if bits < data {
                    shown
                } else {
                    format!("{shown}, 0")
                },
            );
            line(text, format!("{}:32 = const {data}", v(3)));
            line(
                text,
                format!("{}:{key_bits} = concat {}, {}", v(1), v(2), v(3)),
            );
        }
        Find::Exact | Find::Ternary => match key_bits {
            1..=64 => line(text, format!("{}:{key_bits} = slice {key}, 0", v(1))),
            _ => line(text, format!("{}:{key_bits} = zext {key}", v(1))),
        },
    }
    line(
        text,
        format!("{}:1, {}:32 = map.lookup @{name} {}", v(4), v(5), v(1)),
    );
    let (finds, misses, next) = (block + 1, block + 2, block + 3);
    line(
        text,
        format!("branch {}, block{finds}, block{misses}", v(4)),
    );
    let _ = writeln!(text, "block{finds}:");
    let bits = slot.value_bytes.min(8) * 8;
    line(
        text,
        format!("{}:{bits} = map.load @{name} {}, v2", v(6), v(5)),
    );
    if slot.packets_write && slot.find != Find::Prefix {
        line(text, format!("{}:{bits} = const 1", v(7)));
        line(text, format!("{}:{bits} = add {}, {}", v(8), v(6), v(7)));
        line(text, format!("map.store @{name} {}, v2, {}", v(5), v(8)));
    }
    line(
        text,
        format!("{}:64 = const {}", v(9), MARKS + number % PLACES),
    );
    line(text, format!("{}:8 = slice {}, 0", v(10), v(6)));
    line(text, format!("packet.store {}, {}", v(9), v(10)));
    line(text, format!("jump block{next}"));
    let _ = writeln!(text, "block{misses}:");
    if slot.packets_write && slot.find == Find::Exact {
        let value_bits = slot.value_bytes * 8;
        match value_bits {
            1..=64 => line(text, format!("{}:{value_bits} = slice {key}, 0", v(11))),
            _ => line(text, format!("{}:{value_bits} = zext {key}", v(11))),
        }
        line(
            text,
            format!("{}:3 = map.update @{name} {}, {}, v3", v(12), v(1), v(11)),
        );
    }
    line(text, format!("jump block{next}"));
}

fn ends(text: &mut String, core: &Core, slots: usize) {
    if slots > 0 {
        let _ = writeln!(text, "block{}:", 3 * slots);
    }
    let _ = writeln!(text, "    v50:1 \"forwarded\" = slice v1, 0");
    let mut outputs = Vec::new();
    for (number, output) in core.outputs.iter().enumerate() {
        let value = 60 + 3 * number;
        let width = output.width;
        let _ = writeln!(text, "    v{value}:{width} = const 2");
        let _ = writeln!(text, "    v{}:{width} = const 1", value + 1);
        let _ = writeln!(
            text,
            "    v{}:{width} = select v50, v{value}, v{}",
            value + 2,
            value + 1
        );
        outputs.push(format!("v{}", value + 2));
    }
    let with = match outputs.is_empty() {
        true => String::new(),
        false => format!(" with {}", outputs.join(", ")),
    };
    let _ = writeln!(text, "    emit v50{with}");
}
