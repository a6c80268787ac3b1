//! How the keys and values of a P4 program's tables are laid out, in the README, the JSON and the C header of its design.

use hardpath_p4::idle::{KEPT_BITS, LONGEST, UNIT_BITS};
use hardpath_p4::lower::layout::{
    Bits, Field, Holds, Key, Layout, Named, Order, Scope, LENGTH_BYTES, PRIORITY_OFFSET,
};
use hardpath_packet::bits_text;
use serde_json::{json, Value};
use std::fmt::Write;

/// Bytes of a priority.
const PRIORITY_BYTES: u32 = 4;

/// The layouts of the map of that name: several where tables share it.
pub fn of_map<'a>(layouts: &'a [Layout], map: &str) -> Vec<&'a Layout> {
    let all = layouts.iter();
    all.filter(|layout| layout.map == map).collect()
}

/// Adds what is known of a map to what a script is told of it.
pub fn tell(object: &mut Value, layouts: &[Layout], map: &str) {
    match of_map(layouts, map).as_slice() {
        [] => {}
        [layout] => object["layout"] = json(layout),
        several => {
            let all = several.iter().map(|layout| json(layout));
            object["layouts"] = all.collect();
        }
    }
}

fn word(holds: Holds) -> &'static str {
    match holds {
        Holds::Entries => "entries",
        Holds::Default => "default action",
        Holds::Register => "register",
        Holds::Counter => "counter",
        Holds::Meter => "meter",
        Holds::Rates => "meter's rates",
        Holds::Members => "members of an action profile",
        Holds::Groups => "groups of an action selector",
        Holds::Slots => "members of groups",
        Holds::ValueSet => "value set",
    }
}

/// What stands in a map, for people.
fn described(layout: &Layout) -> String {
    let name = &layout.owner.name;
    match layout.holds {
        Holds::Entries => format!("entries of the table {name}"),
        Holds::Default => format!("default action of the table {name}"),
        Holds::Register => format!("cells of the register {name}"),
        Holds::Counter => format!("cells of the counter {name}"),
        Holds::Meter => format!("buckets of the meter {name}, written by packets"),
        Holds::Rates => format!("rates of the meter {name}"),
        Holds::Members => format!("members of the action profile {name}"),
        Holds::Groups => format!("groups of the action selector {name}"),
        Holds::Slots => format!("members of the groups of the action selector {name}"),
        Holds::ValueSet => format!("values of the value set {name}"),
    }
}

fn order(key: &Key) -> &'static str {
    match key.order {
        Order::Little => "little",
        Order::Big => "big",
    }
}

/// A layout as the address map has it.
fn json(layout: &Layout) -> Value {
    let key = &layout.key;
    let fields = key.fields.iter().map(|one| {
        let mut field = field_json(&one.field);
        field["match"] = json!(one.kind);
        if one.expanded {
            field["expanded"] = json!(true);
        }
        field
    });
    let fill = key.fill();
    let mut key_json = json!({
        "byte": key.first,
        "bytes": key.bytes,
        "order": order(key),
        "fields": fields.collect::<Vec<Value>>(),
        "unused": {"lo": fill.lo, "width": fill.width},
    });
    if let Some(fixed) = key.fixed {
        key_json["prefix_length"] =
            json!({"byte": 0, "bytes": LENGTH_BYTES, "order": "little", "plus": fixed});
    }
    if key.has_masks {
        key_json["masks"] =
            json!({"byte": key.masks_at(), "bytes": key.bytes, "order": order(key)});
        key_json["priority"] = json!({
            "byte": key.priority_at(),
            "is_prefix_length": key.priority_is_length,
            "bytes": PRIORITY_BYTES,
            "order": "little",
            "plus": PRIORITY_OFFSET,
        });
    }
    if let Some(share) = &key.share {
        key_json["table"] = json!({
            "lo": share.bits.lo,
            "width": share.bits.width,
            "number": share.number,
            "most_entries": share.most,
        });
    }
    let actions = layout.actions.iter().enumerate().map(|(number, action)| {
        let parameters = action.parameters.iter().map(field_json);
        let mut object = named_json(&action.named);
        object["number"] = json!(number);
        object["parameters"] = parameters.collect();
        match action.scope {
            Scope::Anywhere => {}
            Scope::Entries => object["only"] = json!("entries"),
            Scope::Default => object["only"] = json!("default action"),
        }
        object
    });
    let fields = layout.fields.iter().map(field_json);
    let mut value = json!({"order": "little", "fields": fields.collect::<Vec<Value>>()});
    if !layout.actions.is_empty() {
        value["actions"] = actions.collect();
    }
    let mut object = named_json(&layout.owner);
    object["holds"] = json!(word(layout.holds));
    object["key"] = key_json;
    object["value"] = value;
    for (what, name) in [
        ("action_profile", &layout.profile),
        ("meter", &layout.meter),
        ("counter", &layout.counter),
    ] {
        if let Some(name) = name {
            object[what] = json!(name);
        }
    }
    object
}

fn named_json(named: &Named) -> Value {
    let mut object = json!({"name": named.name});
    if let Some(id) = named.id {
        object["id"] = json!(id);
    }
    object
}

fn field_json(field: &Field) -> Value {
    let mut object = named_json(&field.named);
    object["lo"] = json!(field.bits.lo);
    object["width"] = json!(field.bits.width);
    object
}

/// Constants of a layout behind those of its map, `(name, number, comment)`: names begin with a word of what they are of.
pub fn constants(layout: &Layout) -> Vec<(String, u32, &'static str)> {
    let key = &layout.key;
    let mut all = Vec::new();
    let mut place = |name: String, bits: Bits| {
        all.push((format!("{name}_LO"), bits.lo, ""));
        all.push((format!("{name}_WIDTH"), bits.width, ""));
    };
    for one in &key.fields {
        place(format!("KEY_{}", one.field.named.name), one.field.bits);
    }
    for field in &layout.fields {
        place(format!("VALUE_{}", field.named.name), field.bits);
    }
    for action in &layout.actions {
        for parameter in &action.parameters {
            let name = format!("VALUE_{}_{}", action.named.name, parameter.named.name);
            place(name, parameter.bits);
        }
    }
    let mut more = |name: &str, number: u32, comment: &'static str| {
        all.push((name.to_owned(), number, comment));
    };
    for (number, action) in layout.actions.iter().enumerate() {
        more(&format!("ACTION_{}", action.named.name), number as u32, "");
    }
    if let Some(fixed) = key.fixed {
        let comment = "4 bytes, little endian: this number and the bits of the prefix";
        more("KEY_PREFIX_LENGTH_PLUS", fixed, comment);
        more("KEY_PREFIX_LENGTH_BYTE", 0, "");
        let comment = "from here on the fields are one number, big endian";
        more("KEY_FIELDS_BYTE", key.first, comment);
        more("KEY_FIELDS_BYTES", key.bytes, "");
    }
    if let Some(share) = &key.share {
        let comment = "the number of the table, which the key has above its fields";
        more("KEY_TABLE", share.number, comment);
        more("KEY_TABLE_LO", share.bits.lo, "");
        more("KEY_TABLE_WIDTH", share.bits.width, "");
        more("MOST_ENTRIES", share.most, "");
    }
    if key.has_masks {
        more("KEY_MASKS_BYTE", key.masks_at(), "");
        more("KEY_PRIORITY_BYTE", key.priority_at(), "");
    }
    all
}

/// The comment above these.
pub fn comment(layout: &Layout) -> String {
    // A name of P4 may end the comment.
    let described = described(layout).replace("*/", "* /");
    format!("{described}: bits of the numbers that key and value are (README.md)")
}

/// The README's part on the maps of a P4 program.
pub fn readme(layouts: &[&Layout]) -> String {
    if layouts.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Keys and values\n\n\
         What stands in KEY and VALUE for each map of the P4 program; in the `.json` file under `layout`, in the `.h` file as \
         constants. A VALUE is one number whose lowest byte is byte 0: bit *n* is bit *n* mod 8 of byte *n* / 8. The fields of a KEY are a number, too, in the \
         order of bytes that is said with it. Fields stand side by side, without regard to bytes; bits of no field are 0. A field \
         that is signed is in two's complement. A number of an action that the table does not have does nothing.\n",
    );
    for layout in layouts {
        text.push_str(&section(layout));
    }
    text
}

fn section(layout: &Layout) -> String {
    let mut text = format!(
        "\n### `{}`: {}{}\n\n",
        layout.map,
        described(layout),
        id(&layout.owner)
    );
    text.push_str(&key_text(layout));
    text.push_str("| VALUE | field | bits | width | P4Info id |\n|---|---|---|---|---|\n");
    for field in &layout.fields {
        row(&mut text, "all", field);
    }
    for (number, action) in layout.actions.iter().enumerate() {
        let what = format!(
            "action {number}: `{}`{}",
            action.named.name,
            id(&action.named)
        );
        if action.parameters.is_empty() {
            let _ = writeln!(text, "| {what} | no parameters | | | |");
        }
        for parameter in &action.parameters {
            row(&mut text, &what, parameter);
        }
    }
    if layout.holds == Holds::Rates
        || layout
            .fields
            .iter()
            .any(|field| field.named.name == "is_set")
    {
        text.push_str(RATES);
    }
    if layout.keeps_times() {
        text.push_str(&times());
    }
    if layout.holds == Holds::ValueSet {
        text.push_str("\nVALUE is 1: what is in the set has an entry, what is not has none.\n");
    }
    text
}

/// What an entry is whose ranges are expanded.
const EXPANDED: &str = "An entry is several KEYs here: a range that is expanded is a prefix in each of them, the highest bits in the field and ones for \
     them in the mask, and all KEYs have the same VALUE and priority. Together they are the range, and none has what another one has. A packet finds one of them, \
     so UPDATE of one after the other changes an entry for each packet once; while an entry comes or goes, packets find a part of it. Look whether \
     there are as many free entries before the first one is written.\n\n";

/// What the rates of a meter are.
const RATES: &str = "\nRates are in units of 2^-15 ns: a cost is the time in which the rate gives one byte or packet, rounded, and a burst \
     is that many costs, the time in which the bucket becomes full. A rate of 0 is the largest cost and no burst. Where `is_set` is 0 nothing \
     is metered. For 1,000,000 bytes a second and 2,000 bytes at once the cost is 32,768,000, the burst 65,536,000,000. Buckets are the times at \
     which they were empty, from 2^79 on: 0 is full.\n";

/// What it says of an entry when that was last found.
fn times() -> String {
    format!(
        "\nA packet that finds an entry writes its own time into `last_found`, in units of 2^{UNIT_BITS} ns: the lowest {KEPT_BITS} bits of that. Who puts an \
         entry there, or changes it, writes the time of that moment. To tell that an entry is idle within an eighth of its timeout, look at \
         it every sixteenth of that, and take the end of the unit for the time; a timeout is at least 1 ms and at most {} s, since units begin again \
         after twice that time.\n",
        LONGEST / 1_000_000_000
    )
}

fn row(text: &mut String, what: &str, field: &Field) {
    let Bits { lo, width } = field.bits;
    let id = field.named.id.map_or(String::new(), |id| id.to_string());
    let name = &field.named.name;
    let _ = writeln!(
        text,
        "| {what} | `{name}` | {} | {width} | {id} |",
        bits_of(lo, width)
    );
}

fn bits_of(lo: u32, width: u32) -> String {
    match width {
        0 => String::from("none"),
        _ => bits_text(lo, width),
    }
}

fn id(named: &Named) -> String {
    let id = named.id.map(|id| format!(" (P4Info id {id})"));
    id.unwrap_or_default()
}

fn key_text(layout: &Layout) -> String {
    let key = &layout.key;
    if matches!(layout.holds, Holds::Default) {
        return "KEY is 4 bytes of 0.\n\n".into();
    }
    let has_keys = [Holds::Entries, Holds::ValueSet];
    if !has_keys.contains(&layout.holds) {
        return "KEY is the index, 4 bytes, little endian.\n\n".into();
    }
    let last = key.first + key.bytes - 1;
    let mut text = match (key.fixed, key.has_masks) {
        (Some(fixed), _) => {
            let others = match fixed {
                0 => String::new(),
                _ => format!(" plus {fixed}, the bits of the other fields"),
            };
            format!(
                "In KEY bytes 0 to 3 are the length of the prefix{others}, little endian; bytes {} to {last} are the fields, **big \
                 endian**: bit 0 below is the lowest one of byte {last}. Bits behind the prefix are 0.\n\n",
                key.first
            )
        }
        (None, true) => {
            let (masks, priority) = (key.masks_at(), key.priority_at());
            let what = match key.priority_is_length {
                true => "length of the prefix",
                false => "priority of P4Runtime",
            };
            format!(
                "In KEY bytes 0 to {last} are the fields, little endian; bytes {masks} to {} the masks at the same places, little endian; \
                 bytes {priority} to {} the priority, little endian, the highest one wins. hardpath itself puts 2^31 plus the \
                 {what} there. The mask of an `exact` field is all ones, that of an `lpm` field ones, then zeros, \
                 that of an `optional` field all ones or all zeros; a `range` has its lowest value in the field and its highest one in the \
                 mask. Masks of bits of no field are ones.\n\n",
                priority - 1,
                priority + PRIORITY_BYTES - 1
            )
        }
        (None, false) if layout.has_places() => format!(
            "In KEY bytes 0 to {last} are the fields, little endian: each key has a place of its own, and an entry stands there where \
             `is_there` is 1. So it comes and goes with UPDATE, and is gone where all of VALUE is 0.\n\n"
        ),
        (None, false) => match &key.share {
            Some(share) => format!(
                "In KEY bytes 0 to {last} are the fields, little endian, and above them the number of the table, since others have entries in the \
                 same map. This one may have {} entries: who puts them there counts them.\n\n",
                share.most
            ),
            None => format!("In KEY bytes 0 to {last} are the fields, little endian.\n\n"),
        },
    };
    if key.expands() {
        text.push_str(EXPANDED);
    }
    text.push_str("| KEY | field | bits | width | P4Info id |\n|---|---|---|---|---|\n");
    for one in &key.fields {
        let kind = match one.expanded {
            true => format!("{}, expanded", one.kind),
            false => one.kind.clone(),
        };
        row(&mut text, &kind, &one.field);
    }
    if let Some(share) = &key.share {
        let Bits { lo, width } = share.bits;
        let number = share.number;
        let _ = writeln!(
            text,
            "| the table: {number} | | {} | {width} | |",
            bits_of(lo, width)
        );
    }
    text.push('\n');
    text
}
