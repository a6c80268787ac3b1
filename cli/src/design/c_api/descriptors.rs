//! `NAME_api.c`: where everything stands, as the runtime reads it, and the functions.

use super::functions;
use super::header::{held, of_profile, taken};
use super::model::{Actions, Array, Entries, Held, Meter, Model, Profile, Table};
use hardpath_ir::maps::Image;
use hardpath_p4::lower::layout::{Bits, Field, Scope};
use hardpath_registers::Map;
use std::fmt::Write;

/// The text of the source. `first`: what maps hold by the program alone.
pub fn text(top: &str, model: &Model, first: &Image) -> String {
    let prefix = &model.prefix;
    let mut text = format!(
        "/* Functions of the design {top} for its driver: see {top}_api.h. Made by hardpath. */\n#include \"{top}_api.h\"\n"
    );
    for (number, map) in model.design.maps.iter().enumerate() {
        text.push_str(&map_text(number, map));
    }
    for (number, profile) in model.profiles.iter().enumerate() {
        text.push_str(&profile_text(model, number, profile));
    }
    for meter in meters(model) {
        text.push_str(&meter_text(meter));
    }
    for table in &model.tables {
        text.push_str(&table_text(model, table));
    }
    for set in &model.sets {
        text.push_str(&entries_text(model, set, None));
    }
    for register in &model.registers {
        let fields = fields(
            &format!("struct {}_cell", register.array.stem),
            "",
            &register.fields,
        );
        text.push_str(&array_text(&register.array, &fields));
    }
    for counter in &model.counters {
        text.push_str(&array_text(counter, &count_fields(counter)));
    }
    text.push_str(&design_text(model, first));
    for group in functions::all(model) {
        for function in &group.functions {
            text.push_str(&function.bodies(prefix));
        }
    }
    text
}

/// Entries before the first packet of which the design stores the key: map, key, value.
fn first_entries<'a>(
    model: &'a Model,
    first: &'a Image,
) -> impl Iterator<Item = (usize, &'a Map, &'a Vec<u8>, &'a Vec<u8>)> {
    let maps = model.design.maps.iter().enumerate();
    maps.flat_map(move |(number, map)| {
        let entries = first.get(&map.name).into_iter().flatten();
        let stored = entries.filter(move |(key, _)| !map.stored.is_foreign(key));
        stored.map(move |(key, value)| (number, map, key, value))
    })
}

fn meters<'m>(model: &'m Model) -> impl Iterator<Item = Meter<'m>> {
    let of_entries = model.entries().filter_map(|entries| entries.meter);
    of_entries.chain(model.meters.iter().filter_map(|array| array.meter))
}

fn bits(bits: Option<Bits>) -> String {
    let Bits { lo, width } = bits.unwrap_or(Bits { lo: 0, width: 0 });
    format!("{{ {lo}, {width} }}")
}

fn bytes(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
    format!("(const uint8_t[]){{ {} }}", bytes.join(", "))
}

/// A pointer to an array at file scope, and how many it has.
fn list(kind: &str, items: &[String]) -> String {
    match items {
        [] => String::from("NULL, 0"),
        items => format!("({kind}[]){{ {} }}, {}", items.join(", "), items.len()),
    }
}

fn map_text(number: usize, map: &Map) -> String {
    let name = super::names::in_comment(&map.name);
    let (mask, constants) = match map.stored.has_foreign() {
        true => (bytes(map.stored.constant()), bytes(map.stored.values())),
        false => (String::from("NULL"), String::from("NULL")),
    };
    let Map {
        select,
        key_bytes,
        value_bytes,
        slots,
        ..
    } = map;
    format!(
        "\n/* {name} */\nstatic const struct hardpath_map map_{number} = {{ {select}, {key_bytes}, {value_bytes}, {slots}, {mask}, \
         {constants} }};\n"
    )
}

/// Fields of a struct that stand in a value.
fn fields(of: &str, path: &str, fields: &[(String, &Field)]) -> String {
    let fields = fields.iter().map(|(name, field)| {
        let bits = bits(Some(field.bits));
        format!("\n    {{ {bits}, HARDPATH_PLACE({of}, {path}{name}), HARDPATH_EXACT, 0, 0 }}")
    });
    let fields: Vec<String> = fields.collect();
    list("const struct hardpath_field", &fields)
}

fn count_fields(counter: &Array) -> String {
    let fields = ["packets", "bytes"].map(|name| {
        let bits = bits(counter.held.field(name));
        format!("\n    {{ {bits}, HARDPATH_PLACE(struct hardpath_count, {name}), HARDPATH_EXACT, 0, 0 }}")
    });
    list("const struct hardpath_field", &fields)
}

/// A row of actions in a map.
fn row_text(name: &str, actions: &Actions, held: &Held) -> String {
    let of = format!("struct {}_action", actions.stem);
    let all = actions.all.iter().zip(&held.layout.actions);
    let all = all.map(|(action, here)| {
        let parameters = action.parameters.iter().map(|(name, field)| {
            // Of the map: those of a default action stand at other bits than those of entries.
            let mut all = here.parameters.iter();
            let same = all.find(|one| one.named.name == field.named.name);
            (name.clone(), same.unwrap_or(field))
        });
        let parameters: Vec<(String, &Field)> = parameters.collect();
        let fields = fields(&of, &format!("args.{}.", action.member), &parameters);
        let scope = match here.scope {
            Scope::Anywhere => "HARDPATH_ANYWHERE",
            Scope::Entries => "HARDPATH_ENTRIES_ONLY",
            Scope::Default => "HARDPATH_DEFAULT_ONLY",
        };
        format!("\n    {{ {{ {fields} }}, {scope} }}")
    });
    let all: Vec<String> = all.collect();
    format!(
        "\nstatic const struct hardpath_row {name} = {{\n    {}, HARDPATH_PLACE({of}, id), {}\n}};\n",
        bits(held.field("action")),
        list("const struct hardpath_action", &all)
    )
}

fn profile_text(model: &Model, number: usize, profile: &Profile) -> String {
    let row = format!("row_{}", profile.members.number);
    let mut text = row_text(&row, &profile.actions, &profile.members);
    let members = profile.members;
    let tables = model
        .tables
        .iter()
        .filter_map(|table| table.entries.as_ref());
    let tables = tables.filter(|entries| entries.profile == Some(number));
    let tables: Vec<String> = tables
        .map(|entries| format!("&table_{}", entries.held.place()))
        .collect();
    for table in &tables {
        let table = table.trim_start_matches('&');
        let _ = write!(text, "\nstatic const struct hardpath_table {table};\n");
    }
    let (groups, slots) = match &profile.groups {
        Some((groups, slots)) => (
            format!("&map_{}", groups.number),
            format!("&map_{}", slots.number),
        ),
        None => (String::from("NULL"), String::from("NULL")),
    };
    let of_groups = |name| profile.groups.and_then(|(groups, _)| groups.field(name));
    let slot = profile.groups.and_then(|(_, slots)| slots.field("member"));
    let largest = profile
        .groups
        .and_then(|(groups, _)| groups.layout.largest_group);
    let prefix = &model.prefix;
    let [places, taken, taken_groups] = of_profile(profile, number);
    let place = |name: String, is_there: bool| match is_there {
        true => format!("offsetof(struct {prefix}, {name})"),
        false => String::from("0"),
    };
    let has_groups = profile.groups.is_some();
    let _ = write!(
        text,
        "\nstatic const struct hardpath_profile profile_{number} = {{\n    &map_{}, {groups}, {slots}, &{row}, {}, {},\n    {}, {}, \
         {},\n    {}, {}, {},\n    {}\n}};\n",
        members.number,
        members.map.max_entries,
        largest.unwrap_or(members.map.max_entries),
        bits(of_groups("begin")),
        bits(of_groups("count")),
        bits(slot),
        place(places, has_groups),
        place(taken, true),
        place(taken_groups, has_groups),
        list("const struct hardpath_table *const ", &tables)
    );
    text
}

fn meter_text(meter: Meter) -> String {
    let field = |name| bits(meter.rates.field(name));
    let buckets = meter.buckets.map(|held| format!("&map_{}", held.number));
    format!(
        "\nstatic const struct hardpath_meter meter_{0} = {{\n    &map_{0}, {1}, {2}, {3},\n    {{ {4}, {5} }}, {{ {6}, {7} }}\n}};\n",
        meter.rates.number,
        buckets.unwrap_or_else(|| String::from("NULL")),
        meter.rates.map.max_entries,
        field("is_set"),
        field("committed_cost"),
        field("peak_cost"),
        field("committed_burst"),
        field("peak_burst")
    )
}

fn table_text(model: &Model, table: &Table) -> String {
    let mut text = String::new();
    for held in [
        table.entries.as_ref().map(|entries| entries.held),
        table.default,
    ] {
        let has_row = held.filter(|held| !held.layout.actions.is_empty());
        if let (Some(held), Some(actions)) = (has_row, &table.actions) {
            let name = format!("row_{}", held.place());
            text.push_str(&row_text(&name, actions, &held));
        }
    }
    if let Some(entries) = &table.entries {
        text.push_str(&entries_text(model, entries, table.actions.as_ref()));
    }
    if let Some(default) = &table.default {
        let _ = write!(
            text,
            "\nstatic const struct hardpath_cells cells_{0} = {{ &map_{0}, 1, {{ NULL, 0 }}, &row_{0} }};\n",
            default.number
        );
    }
    text
}

fn key_fields(entries: &Entries) -> String {
    let of = format!("struct {}_key", entries.stem);
    let fields = entries.key.iter().map(|member| {
        let matches = match member.of.kind.as_str() {
            "lpm" => "HARDPATH_LPM",
            "ternary" => "HARDPATH_TERNARY",
            "range" => "HARDPATH_RANGE",
            "optional" => "HARDPATH_OPTIONAL",
            _ => "HARDPATH_EXACT",
        };
        let more = match &member.more {
            Some(more) => format!("HARDPATH_PLACE({of}, {more})"),
            None => String::from("0, 0"),
        };
        let bits = bits(Some(member.of.field.bits));
        let name = &member.name;
        format!("\n    {{ {bits}, HARDPATH_PLACE({of}, {name}), {matches}, {more} }}")
    });
    let fields: Vec<String> = fields.collect();
    list("const struct hardpath_field", &fields)
}

fn entries_text(model: &Model, entries: &Entries, actions: Option<&Actions>) -> String {
    let share = share_text(model, entries);
    let held = entries.held;
    let key = &held.layout.key;
    let finds = match (key.fixed, key.has_masks) {
        (Some(_), _) => "HARDPATH_BY_PREFIX",
        (None, true) => "HARDPATH_BY_MASKS",
        (None, false) => "HARDPATH_BY_KEY",
    };
    let priority = match (key.has_masks, key.priority_is_length) {
        (true, false) => format!("(uint32_t)offsetof(struct {}_key, priority)", entries.stem),
        (true, true) => String::from("HARDPATH_LENGTH"),
        (false, _) => String::from("0"),
    };
    let has_row = actions.is_some() && !held.layout.actions.is_empty();
    let row = match has_row {
        true => format!("&row_{}", held.place()),
        false => String::from("NULL"),
    };
    let or_null = |text: Option<String>| text.unwrap_or_else(|| String::from("NULL"));
    let action = held.layout.fields.iter();
    let mut behind =
        action.filter(|field| ["action", "member"].contains(&field.named.name.as_str()));
    let front = behind.next().map_or(0, |field| field.bits.lo / 8);
    let counts = entries.counts;
    let counted = |name| counts.map_or(held.field(name), |counts| counts.field(name));
    let taken = entries.meter.map(|_| {
        let name = taken(entries);
        format!("offsetof(struct {}, {name})", model.prefix)
    });
    let kept = match held.layout.kept.as_slice() {
        [] => String::from("NULL, 0"),
        kept => format!("{}, {}", bytes(&kept.concat()), kept.len()),
    };
    format!(
        "\nstatic const struct hardpath_table table_{15} = {{\n    &map_{0}, {finds}, {1}, {2}, {3}, {4}, {{ {5} }}, {priority}, {front},\n    \
         {16}, {6}, {7}, {8}, {14}, {row}, {9}, {10}, {11}, {12}, {13}, {kept}, {share}\n}};\n",
        held.number,
        key.first,
        key.bytes,
        key.fixed.unwrap_or(0),
        bits(Some(key.fill())),
        key_fields(entries),
        bits(counted("packets")),
        bits(counted("bytes")),
        bits(held.field("meter_cell")),
        bits(held.field("member")),
        bits(held.field("is_group")),
        or_null(entries.profile.map(|number| format!("&profile_{number}"))),
        or_null(entries.meter.map(|meter| format!("&meter_{}", meter.rates.number))),
        taken.unwrap_or_else(|| String::from("0")),
        bits(held.field("is_there")),
        held.place(),
        or_null(counts.map(|counts| format!("&map_{}", counts.number))),
    )
}

/// The part of a memory that a table has.
fn share_text(model: &Model, entries: &Entries) -> String {
    match &entries.held.layout.key.share {
        None => format!("{}, 0, 0, 0", bits(None)),
        Some(share) => format!(
            "{}, {}, {}, offsetof(struct {}, {})",
            bits(Some(share.bits)),
            share.number,
            share.most,
            model.prefix,
            held(entries)
        ),
    }
}

fn array_text(array: &Array, fields: &str) -> String {
    format!(
        "\nstatic const struct hardpath_cells cells_{0} = {{ &map_{0}, {1}, {{ {fields} }}, NULL }};\n",
        array.held.number, array.held.map.max_entries
    )
}

/// Its memory is that of others, too.
fn shares(entries: &Entries) -> bool {
    entries.held.layout.key.share.is_some()
}

/// The design as a whole, how it is opened, and where the buffers of an operation are.
fn design_text(model: &Model, first: &Image) -> String {
    let prefix = &model.prefix;
    let design = model.design;
    let maps = (0..design.maps.len()).map(|number| format!("&map_{number}"));
    let maps: Vec<String> = maps.collect();
    let known = model
        .entries()
        .filter(|entries| entries.meter.is_some() || entries.profile.is_some() || shares(entries));
    let known: Vec<&Entries> = known.collect();
    let tables = known
        .iter()
        .map(|entries| format!("&table_{}", entries.held.place()));
    let tables: Vec<String> = tables.collect();
    let profiles = (0..model.profiles.len()).map(|number| format!("&profile_{number}"));
    let profiles: Vec<String> = profiles.collect();
    let first = first_entries(model, first).map(|(number, _, key, value)| {
        let mut known = known.iter();
        let is_in = |entries: &&&Entries| {
            entries.held.number == number && entries.held.layout.key.is_own(key)
        };
        let table = match known.find(is_in) {
            Some(entries) => format!("&table_{}", entries.held.place()),
            None => String::from("NULL"),
        };
        let (key, value) = (bytes(key), bytes(value));
        format!("\n    {{ &map_{number}, {table}, {key}, {value} }}")
    });
    let first: Vec<String> = first.collect();
    format!(
        "\nstatic const struct hardpath_design design = {{\n    0x{:08x}, {}, sizeof(struct {prefix}),\n    {},\n    {},\n    {},\n    {}\n}};\n\n\
         static struct hardpath_op *buffers(struct {prefix}_op *op)\n{{\n    op->op.key = op->key;\n    op->op.value = op->value;\n    \
         op->op.row = op->row;\n    return &op->op;\n}}\n\n\
         int {prefix}_open(struct {prefix} *dev, const struct hardpath_bus *bus)\n{{\n    struct {prefix}_op op;\n    \
         return hardpath_open(&dev->device, buffers(&op), bus, &design);\n}}\n",
        design.design_id,
        u32::from(design.has_port_table),
        list("const struct hardpath_map *const ", &maps),
        list("const struct hardpath_table *const ", &tables),
        list("const struct hardpath_profile *const ", &profiles),
        list("const struct hardpath_first", &first)
    )
}
