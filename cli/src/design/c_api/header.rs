//! `NAME_api.h`: types and functions of a design.

use super::functions::{self, Function};
use super::model::{Actions, Entries, Held, Model, Profile};
use super::names::in_comment;
use super::{buffer_bytes, RUNTIME};
use hardpath_ir::count::counted;
use hardpath_p4::lower::layout::Scope;
use std::fmt::Write;

/// The text of the header.
pub fn text(top: &str, model: &Model) -> String {
    let prefix = &model.prefix;
    let guard = format!("{}_API_H", prefix.to_uppercase());
    let mut text = format!(
        "/*\n \
         * Tables, registers, counters and meters of the design {top} for its driver. Made by hardpath.\n \
         *\n \
         * Every function gives HARDPATH_OK, or what is wrong ({RUNTIME}.h). One of NAME waits for its end; NAME_start gives\n \
         * HARDPATH_OK when it has taken the operation, which hardpath_poll(&dev->device) then carries out, behind all that were\n \
         * started before: `op` and all that is written to, and lists of members, must stay until `done` is called; keys, actions\n \
         * and rates are taken at the start. `done` may be NULL.\n \
         *\n \
         * Numbers of up to 64 bits are unsigned, those of signed types in two's complement of their width; wider ones are bytes\n \
         * in network order. What is beyond a width is refused.\n \
         */\n\
         #ifndef {guard}\n#define {guard}\n\n#include \"{RUNTIME}.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    text.push_str(&device(model));
    for profile in &model.profiles {
        text.push_str(&actions(
            &profile.actions,
            &profile.members.layout.owner.name,
        ));
    }
    for table in &model.tables {
        if let Some(entries) = &table.entries {
            text.push_str(&key(entries));
        }
        if let Some(all) = &table.actions {
            text.push_str(&actions(all, table.name));
        }
    }
    for set in &model.sets {
        text.push_str(&key(set));
    }
    for register in &model.registers {
        let name = in_comment(&register.array.held.layout.owner.name);
        let _ = write!(
            text,
            "/* A cell of the register {name}. */\nstruct {}_cell {{\n",
            register.array.stem
        );
        members(&mut text, "    ", &register.fields);
        text.push_str("};\n\n");
    }
    for group in functions::all(model) {
        let _ = writeln!(text, "/* {}. */\n", group.title);
        for function in &group.functions {
            text.push_str(&declaration(function, prefix));
        }
    }
    for table in &model.expanded {
        text.push_str(&expanded(table));
    }
    text.push_str("#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// Why entries of a table have no functions.
fn expanded(table: &str) -> String {
    format!(
        "/* Entries of the table {} have no functions: its ranges are expanded, so an entry is several of the map, one for each\n            prefix (README.md). Nothing here knows which members of an action profile they name. With @hardpath_range(\"compare\") in\n            front of the table they have functions. */\n\n",
        in_comment(table)
    )
}

fn declaration(function: &Function, prefix: &str) -> String {
    let comment = match function.comment {
        "" => String::new(),
        comment => format!("/* {comment} */\n"),
    };
    let (head, start) = (function.head(prefix), function.start_head(prefix));
    format!("{comment}{head};\n{start};\n\n")
}

/// The device, an operation, and how a design is opened.
fn device(model: &Model) -> String {
    let prefix = &model.prefix;
    let (key, value) = buffer_bytes(model.design);
    let mut text = format!(
        "/* The design, and what its driver knows of it from one reset to the next. `device.most_polls` may be set. */\n\
         struct {prefix} {{\n    struct hardpath_device device;\n"
    );
    for entries in model.entries() {
        if let Some(meter) = &entries.meter {
            let _ = writeln!(
                text,
                "    uint32_t {}[{}];",
                taken(entries),
                words(&meter.rates)
            );
        }
        if entries.held.layout.key.share.is_some() {
            let _ = writeln!(text, "    uint32_t {};", held(entries));
        }
    }
    for (number, profile) in model.profiles.iter().enumerate() {
        let words = words(&profile.members);
        let [places, members, groups] = of_profile(profile, number);
        let _ = writeln!(text, "    uint32_t {members}[{words}];");
        if profile.groups.is_some() {
            let _ = writeln!(text, "    uint32_t {groups}[{words}];");
            let _ = writeln!(text, "    struct hardpath_places {places};");
        }
    }
    let _ = write!(
        text,
        "}};\n\n/* An operation on its way. */\nstruct {prefix}_op {{\n    struct hardpath_op op;\n    uint8_t key[{key}];\n    \
         uint8_t value[{value}];\n    uint8_t row[{value}];\n}};\n\n\
         /* Makes sure that the design stands behind the bus, waits until its reset is over, and looks whether its tables have their\n   \
         sizes. Writes nothing. Then: {prefix}_begin, or {prefix}_resume. */\n\
         int {prefix}_open(struct {prefix} *dev, const struct hardpath_bus *bus);\n\n"
    );
    text
}

/// Words of bits for the cells of a map.
fn words(held: &Held) -> u32 {
    held.map.max_entries.div_ceil(32)
}

/// Where a device has which cells of a meter are taken.
pub fn taken(entries: &Entries) -> String {
    format!("taken_{}", entries.held.place())
}

/// Where a device has how many entries a table has that shares its memory.
pub fn held(entries: &Entries) -> String {
    format!("held_{}", entries.held.place())
}

/// Where a device has what it knows of a profile: where groups are written, which members and which groups are there.
pub fn of_profile(_: &Profile, number: usize) -> [String; 3] {
    ["places", "members", "groups"].map(|what| format!("{what}_{number}"))
}

/// The struct of a key.
fn key(entries: &Entries) -> String {
    let layout = entries.held.layout;
    let mut text = format!(
        "/* A key of {}: {}. */\nstruct {}_key {{\n",
        in_comment(&layout.owner.name),
        counted(entries.held.most(), "entry"),
        entries.stem
    );
    for member in &entries.key {
        let width = member.of.field.bits.width;
        let p4 = in_comment(&member.of.field.named.name);
        let kind = &member.of.kind;
        let bits = counted(width, "bit");
        let comment = format!("{p4}: {bits}, {kind}");
        member_line(&mut text, "    ", (&member.name, width), &comment);
        let Some(more) = &member.more else { continue };
        match kind.as_str() {
            "lpm" => member_line(
                &mut text,
                "    ",
                (more, 32),
                "so many bits from the highest on; those behind are 0",
            ),
            "optional" => member_line(
                &mut text,
                "    ",
                (more, 1),
                "1: the same as in the packet; 0: anything, and the value is 0",
            ),
            "range" => member_line(&mut text, "    ", (more, width), "the highest value"),
            _ => member_line(
                &mut text,
                "    ",
                (more, width),
                "ones: bits that count; the others of the value are 0",
            ),
        }
    }
    if layout.key.has_masks && !layout.key.priority_is_length {
        text.push_str(
            "    int32_t priority; /* of several entries that match the highest one wins */\n",
        );
    } else if entries.key.is_empty() {
        text.push_str("    uint8_t nothing; /* its fields have no bits */\n");
    }
    text.push_str("};\n\n");
    text
}

/// The actions of a table or a profile: which, and what they are given.
fn actions(actions: &Actions, name: &str) -> String {
    let stem = &actions.stem;
    let name = in_comment(name);
    let mut text = format!("/* Actions of {name}. */\nenum {stem}_actions {{\n");
    for action in &actions.all {
        let p4 = in_comment(&action.of.named.name);
        let only = match action.of.scope {
            Scope::Anywhere => "",
            Scope::Entries => ", in entries only",
            Scope::Default => ", as the default only",
        };
        let _ = writeln!(text, "    {}, /* {p4}{only} */", action.constant);
    }
    let _ = write!(
        text,
        "    {} /* a default that does nothing */\n}};\n\nstruct {stem}_action {{\n    enum {stem}_actions id;\n",
        actions.nothing
    );
    let with = |action: &&super::model::Named| !action.parameters.is_empty();
    if actions.all.iter().any(|action| with(&action)) {
        text.push_str("    union {\n");
        for action in actions.all.iter().filter(with) {
            text.push_str("        struct {\n");
            members(&mut text, "            ", &action.parameters);
            let _ = writeln!(text, "        }} {};", action.member);
        }
        text.push_str("    } args;\n");
    }
    text.push_str("};\n\n");
    text
}

fn members(
    text: &mut String,
    indent: &str,
    fields: &[(String, &hardpath_p4::lower::layout::Field)],
) {
    for (name, field) in fields {
        let width = field.bits.width;
        let comment = format!(
            "{}: {}",
            in_comment(&field.named.name),
            counted(width, "bit")
        );
        member_line(text, indent, (name, width), &comment);
    }
    if fields.is_empty() {
        let _ = writeln!(text, "{indent}uint8_t nothing; /* it has no bits */");
    }
}

fn member_line(text: &mut String, indent: &str, (name, width): (&str, u32), comment: &str) {
    let declared = match width {
        0..=8 => format!("uint8_t {name}"),
        9..=16 => format!("uint16_t {name}"),
        17..=32 => format!("uint32_t {name}"),
        33..=64 => format!("uint64_t {name}"),
        _ => format!("uint8_t {name}[{}]", width.div_ceil(8)),
    };
    let _ = writeln!(text, "{indent}{declared}; /* {comment} */");
}
