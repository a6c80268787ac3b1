//! The functions that the C of a design has: each waits for its end, or is started and tells its end.

use super::model::{Entries, Model, Profile, Table};
use super::names::in_comment;
use std::fmt::Write;

/// A function.
pub struct Function {
    pub name: String,
    /// Type and name of what it takes behind the device.
    pub parameters: Vec<(String, &'static str)>,
    /// The function of the runtime that does it.
    pub does: &'static str,
    /// The descriptor that this is given, if any, and what stands in front of the parameters, and behind them.
    pub of: Option<String>,
    pub around: [&'static str; 2],
    /// What it does.
    pub comment: &'static str,
}

/// Functions on one thing.
pub struct Group {
    /// What it is.
    pub title: String,
    pub functions: Vec<Function>,
}

/// All of them, thing by thing.
pub fn all(model: &Model) -> Vec<Group> {
    let mut groups = vec![of_design(model)];
    let profiles = model.profiles.iter().enumerate();
    groups.extend(profiles.map(|(number, profile)| of_profile(profile, number)));
    groups.extend(model.tables.iter().map(of_table));
    let sets = model.sets.iter();
    groups.extend(sets.map(|set| Group {
        title: format!("Value set {}", in_comment(&set.held.layout.owner.name)),
        functions: of_set(set),
    }));
    groups.extend(model.registers.iter().map(|register| {
        let cell = format!("struct {}_cell *", register.array.stem);
        of_array("Register", &register.array.held, &register.array.stem, cell)
    }));
    groups.extend(model.counters.iter().map(|counter| {
        let count = String::from("struct hardpath_count *");
        of_array("Counter", &counter.held, &counter.stem, count)
    }));
    groups.extend(model.meters.iter().map(|meter| {
        let index = (String::from("uint32_t "), "index");
        let of = Some(format!("meter_{}", meter.held.number));
        let name = in_comment(&meter.held.layout.owner.name);
        let cells = meter.held.map.max_entries;
        Group {
            title: format!("Meter {name}: cells 0 to {}", cells - 1),
            functions: rates(
                &meter.stem,
                index,
                ["hardpath_rates_set", "hardpath_rates_get"],
                of,
            ),
        }
    }));
    groups
}

fn of_design(model: &Model) -> Group {
    let prefix = &model.prefix;
    let function = |name: &str, does, comment| Function {
        name: format!("{prefix}_{name}"),
        parameters: Vec::new(),
        does,
        of: None,
        around: ["", ""],
        comment,
    };
    Group {
        title: String::from("The design"),
        functions: vec![
            function(
                "begin",
                "hardpath_begin",
                "Behind a reset: writes the default actions and entries that the program says. Forgets what the device knew.",
            ),
            function(
                "resume",
                "hardpath_resume",
                "Where a design has run before and this driver begins anew: finds out which cells, members and groups its entries use. \
                 Members and groups that no entry uses are free again. Writes nothing.",
            ),
        ],
    }
}

fn of_table(table: &Table) -> Group {
    let mut functions = Vec::new();
    if let Some(entries) = &table.entries {
        functions.extend(of_entries(entries));
    }
    let action = format!("struct {}_action *", table.stem);
    if let Some(default) = &table.default {
        let of = |name, does, kind, comment| Function {
            name: format!("{}_{name}", table.stem),
            parameters: vec![(kind, "action")],
            does,
            of: Some(format!("cells_{}", default.number)),
            around: [", 0", ""],
            comment,
        };
        functions.push(of(
            "default_set",
            "hardpath_cell_write",
            format!("const {action}"),
            "What is done where no entry is found.",
        ));
        functions.push(of("default_get", "hardpath_cell_read", action, ""));
    }
    Group {
        title: format!("Table {}", in_comment(table.name)),
        functions,
    }
}

/// What `read` and `next` give of an entry, and what `add` and `modify` take.
fn value(entries: &Entries) -> (String, &'static str) {
    match entries.profile {
        Some(_) => (String::from("struct hardpath_choice *"), "choice"),
        None => (format!("struct {}_action *", entries.stem), "action"),
    }
}

fn of_entries(entries: &Entries) -> Vec<Function> {
    let stem = &entries.stem;
    let key = || (format!("const struct {stem}_key *"), "key");
    let (kind, name) = value(entries);
    let constant = || (format!("const {kind}"), name);
    let table = || Some(format!("table_{}", entries.held.place()));
    let of = |name: &str, parameters, does, comment| Function {
        name: format!("{stem}_{name}"),
        parameters,
        does,
        of: table(),
        around: ["", ""],
        comment,
    };
    let mut functions = vec![
        of("add", vec![key(), constant()], "hardpath_add", "HARDPATH_EXISTS: it is there, and stays as it is."),
        of("modify", vec![key(), constant()], "hardpath_modify", "What the entry has counted, and its rates, stay."),
        of("delete", vec![key()], "hardpath_delete", ""),
        of("read", vec![key(), (kind.clone(), name)], "hardpath_read", ""),
        of(
            "next",
            vec![
                (String::from("uint32_t *"), "cursor"),
                (format!("struct {stem}_key *"), "key"),
                (kind.clone(), name),
            ],
            "hardpath_next",
            "The next entry: a cursor of 0 begins, HARDPATH_MISSING ends. One that comes or goes meanwhile may be given or not. Either pointer may be NULL.",
        ),
    ];
    if entries.has_counts {
        let count = |constant: &str| (format!("{constant}struct hardpath_count *"), "count");
        functions.push(of(
            "count_read",
            vec![key(), count("")],
            "hardpath_count_read",
            "",
        ));
        functions.push(of(
            "count_write",
            vec![key(), count("const ")],
            "hardpath_count_write",
            "Zeros clear it. What packets count meanwhile may be lost.",
        ));
    }
    if entries.meter.is_some() {
        let does = ["hardpath_entry_rates_set", "hardpath_entry_rates_get"];
        functions.extend(rates(stem, key(), does, table()));
    }
    functions
}

fn of_set(set: &Entries) -> Vec<Function> {
    let stem = &set.stem;
    let key = || (format!("const struct {stem}_key *"), "key");
    let of = |name: &str, parameters, (does, behind), comment| Function {
        name: format!("{stem}_{name}"),
        parameters,
        does,
        of: Some(format!("table_{}", set.held.number)),
        around: ["", behind],
        comment,
    };
    let next = vec![
        (String::from("uint32_t *"), "cursor"),
        (format!("struct {stem}_key *"), "key"),
    ];
    vec![
        of("add", vec![key()], ("hardpath_add", ", NULL"), ""),
        of("delete", vec![key()], ("hardpath_delete", ""), ""),
        of(
            "has",
            vec![key()],
            ("hardpath_read", ", NULL"),
            "HARDPATH_MISSING: it has not.",
        ),
        of(
            "next",
            next,
            ("hardpath_next", ", NULL"),
            "The next value: a cursor of 0 begins, HARDPATH_MISSING ends.",
        ),
    ]
}

/// Of a meter, or of an entry's.
fn rates(
    stem: &str,
    at: (String, &'static str),
    [set, get]: [&'static str; 2],
    of: Option<String>,
) -> Vec<Function> {
    let function = |name: &str, kind: &str, does, comment| Function {
        name: format!("{stem}_rates_{name}"),
        parameters: vec![
            at.clone(),
            (format!("{kind}struct hardpath_rates *"), "rates"),
        ],
        does,
        of: of.clone(),
        around: ["", ""],
        comment,
    };
    vec![
        function("set", "const ", set, "NULL: nothing is metered."),
        function("get", "", get, "HARDPATH_MISSING: nothing is metered."),
    ]
}

fn of_array(what: &str, held: &super::model::Held, stem: &str, kind: String) -> Group {
    let of = |name: &str, does, kind: String| Function {
        name: format!("{stem}_{name}"),
        parameters: vec![
            (String::from("uint32_t "), "index"),
            (
                kind,
                match what {
                    "Register" => "cell",
                    _ => "count",
                },
            ),
        ],
        does,
        of: Some(format!("cells_{}", held.number)),
        around: ["", ""],
        comment: "",
    };
    let name = in_comment(&held.layout.owner.name);
    Group {
        title: format!("{what} {name}: cells 0 to {}", held.map.max_entries - 1),
        functions: vec![
            of("read", "hardpath_cell_read", kind.clone()),
            of("write", "hardpath_cell_write", format!("const {kind}")),
        ],
    }
}

fn of_profile(profile: &Profile, number: usize) -> Group {
    let stem = &profile.stem;
    let action = format!("struct {stem}_action *");
    let constant = || (format!("const {action}"), "action");
    let word = |name| (String::from("uint32_t "), name);
    let given = |name| (String::from("uint32_t *"), name);
    let of = |name: &str, parameters, does, comment| Function {
        name: format!("{stem}_{name}"),
        parameters,
        does,
        of: Some(format!("profile_{number}")),
        around: ["", ""],
        comment,
    };
    let mut functions = vec![
        of("member_add", vec![constant(), given("member")], "hardpath_member_add", "Gives the new member's number, the first one that is free."),
        of("member_modify", vec![word("member"), constant()], "hardpath_member_modify", "In one step for all packets."),
        of("member_read", vec![word("member"), (action.clone(), "action")], "hardpath_member_read", ""),
        of("member_delete", vec![word("member")], "hardpath_member_delete", "HARDPATH_IN_USE: a group or an entry has it. Asks all of them, which takes long in large tables."),
    ];
    if profile.groups.is_some() {
        let members = || [(String::from("const uint32_t *"), "members"), word("count")];
        let [list, count] = members();
        functions.push(of(
            "group_add",
            vec![list, count, given("group")],
            "hardpath_group_add",
            "Gives the new group's number. One with a weight stands among its members so many times. The list stays until the end.",
        ));
        let [list, count] = members();
        functions.push(of(
            "group_modify",
            vec![word("group"), list, count],
            "hardpath_group_modify",
            "These members in place of those that it has, in one step for all packets. None: only where no entry has the group.",
        ));
        functions.push(of(
            "group_read",
            vec![
                word("group"),
                given("members"),
                word("room"),
                given("count"),
            ],
            "hardpath_group_read",
            "`count` may be more than `room`: then so many of them are given.",
        ));
        functions.push(of(
            "group_delete",
            vec![word("group")],
            "hardpath_group_delete",
            "HARDPATH_IN_USE: an entry has it.",
        ));
    }
    Group {
        title: format!(
            "Action profile {}: up to {} members",
            in_comment(&profile.members.layout.owner.name),
            profile.members.map.max_entries
        ),
        functions,
    }
}

impl Function {
    fn parameters(&self) -> String {
        let mut text = String::new();
        for (kind, name) in &self.parameters {
            let _ = write!(text, ", {kind}{name}");
        }
        text
    }

    /// `int NAME(…)`: waits for the end.
    pub fn head(&self, prefix: &str) -> String {
        let parameters = self.parameters();
        format!("int {}(struct {prefix} *dev{parameters})", self.name)
    }

    /// The same that tells its end.
    pub fn start_head(&self, prefix: &str) -> String {
        format!(
            "int {}_start(struct {prefix} *dev, struct {prefix}_op *op{}, hardpath_done *done, void *context)",
            self.name,
            self.parameters()
        )
    }

    /// Both.
    pub fn bodies(&self, prefix: &str) -> String {
        let names = self.parameters.iter().map(|(_, name)| format!(", {name}"));
        let names: String = names.collect();
        let of = self.of.as_ref();
        let of = of.map_or(String::new(), |of| format!(", &{of}"));
        let [before, behind] = self.around;
        let call = format!(
            "{}(&dev->device, buffers(op){of}{before}{names}{behind}",
            self.does
        );
        format!(
            "\n{}\n{{\n    return {call}, done, context);\n}}\n\n{}\n{{\n    struct {prefix}_op op;\n    \
             return hardpath_finish(&dev->device, &op.op, {}_start(dev, &op{names}, NULL, NULL));\n}}\n",
            self.start_head(prefix),
            self.head(prefix),
            self.name
        )
    }
}
