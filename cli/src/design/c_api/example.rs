//! What the README of a design says of its C, with an example for the first table.

use super::model::{Actions, Model, Table};
use super::{Source, RUNTIME};
use std::fmt::Write;

/// The row of the README's list of files; empty where there is no C.
pub fn row(source: &Source) -> String {
    let top = source.top;
    match source.model() {
        None => String::new(),
        Some(_) => format!(
            "| `{top}_api.h`, `{top}_api.c`, `{RUNTIME}.h`, `{RUNTIME}.c` | functions in C for tables, registers, counters and meters: \
             \"Functions for drivers\" |\n"
        ),
    }
}

/// The part of the README; empty where there is no C.
pub fn readme(source: &Source) -> String {
    let Some(model) = source.model() else {
        return String::new();
    };
    let (top, prefix) = (source.top, &model.prefix);
    format!(
        "\n## Functions for drivers\n\n\
         `{top}_api.h` and `{top}_api.c` have functions in C for all that the control plane of the program changes, with a struct for \
         each key and each action: entries, default actions, registers, counters, meters, action profiles. `{RUNTIME}.h` and \
         `{RUNTIME}.c` are what all designs have in common. It is plain C99, without libraries, memory of its own or floating point, \
         for a kernel, a process or bare metal; a driver says how a word is read and written:\n\n\
         ```c\n{}```\n\n\
         `cc -std=c99 -c driver.c {top}_api.c {RUNTIME}.c` compiles it. `{prefix}_begin` stands behind every reset: it writes the default \
         actions and entries that the program says, because tables come out of reset with nothing. Each function waits for its end, with \
         a limit of polls; the one with `_start` behind its name does not: `hardpath_poll(&dev.device)` carries out what was started, a \
         command at a time and without waiting, and calls back. Nothing locks: one thread at a time uses a device. What is refused \
         leaves a table as it was; `hardpath_text` says what is wrong.\n",
        example(&model)
    )
}

fn example(model: &Model) -> String {
    let prefix = &model.prefix;
    let header = "static int get(void *bar, uint32_t address, uint32_t *data)\n{\n    \
                  *data = ((volatile uint32_t *)bar)[address / 4];\n    return 0;\n}\n\n\
                  static int set(void *bar, uint32_t address, uint32_t data)\n{\n    \
                  ((volatile uint32_t *)bar)[address / 4] = data;\n    return 0;\n}\n";
    let mut text = format!(
        "#include \"{}_api.h\"\n\n{header}\nint bring_up(struct {prefix} *dev, void *bar)\n{{\n    \
         struct hardpath_bus bus = {{ get, set, bar }};\n",
        model.design.name
    );
    let mut tables = model.tables.iter();
    let with_entries = |table: &&Table| {
        let has_entries = table.entries.as_ref();
        has_entries.is_some_and(|entries| entries.profile.is_none())
    };
    let table = tables.find(with_entries);
    let of_table = table.and_then(|table| Some((table, table.actions.as_ref()?)));
    if let Some((table, actions)) = of_table {
        text.push_str(&structs(table, actions));
    }
    let _ = write!(
        text,
        "    int status = {prefix}_open(dev, &bus);\n    if (!status)\n        status = {prefix}_begin(dev);\n"
    );
    if let Some((table, _)) = of_table {
        let stem = &table.stem;
        let _ = write!(
            text,
            "    if (!status)\n        status = {stem}_add(dev, &key, &action);\n"
        );
    }
    text.push_str("    return status;\n}\n");
    text
}

/// A key and an action of a table, with a number in each field.
fn structs(table: &Table, actions: &Actions) -> String {
    let stem = &table.stem;
    let entries = table.entries.as_ref();
    let members = entries.into_iter().flat_map(|entries| &entries.key);
    let exact = members.filter(|member| member.more.is_none() && member.of.field.bits.width <= 64);
    let fields: Vec<String> = exact
        .map(|member| format!(".{} = 1", member.name))
        .collect();
    let fields = match fields.is_empty() {
        true => String::from("0"),
        false => fields.join(", "),
    };
    let mut text = format!("    struct {stem}_key key = {{ {fields} }};\n");
    let mut all = actions.all.iter();
    let Some(action) =
        all.find(|action| action.of.scope != hardpath_p4::lower::layout::Scope::Default)
    else {
        return text;
    };
    let given = action.parameters.iter();
    let given = given.filter(|(_, field)| field.bits.width <= 64);
    let given: Vec<String> = given
        .map(|(name, _)| format!(", .args.{}.{name} = 1", action.member))
        .collect();
    let _ = writeln!(
        text,
        "    struct {stem}_action action = {{ .id = {}{} }};",
        action.constant,
        given.concat()
    );
    text
}
