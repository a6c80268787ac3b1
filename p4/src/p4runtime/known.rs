//! What a description of a program (P4Info) says of tables, actions, counters and registers, by their numbers.

use crate::p4info::Message;
use crate::typed::needs_priorities;
use std::collections::BTreeMap;

/// All that entries name.
#[derive(Default)]
pub struct Known {
    /// Tables.
    pub tables: BTreeMap<u64, Table>,
    /// Actions.
    pub actions: BTreeMap<u64, Action>,
    /// Counters that are arrays.
    pub counters: BTreeMap<u64, String>,
    /// Meters that are arrays.
    pub meters: BTreeMap<u64, String>,
    /// Action profiles.
    pub profiles: BTreeMap<u64, String>,
    /// Registers, with the bits of a cell.
    pub registers: BTreeMap<u64, (String, Option<u32>)>,
    /// Value sets.
    pub value_sets: BTreeMap<u64, ValueSet>,
}

/// A value set.
pub struct ValueSet {
    /// Its whole name.
    pub name: String,
    /// What a value is made of.
    pub keys: Vec<Part>,
    /// How many values it holds.
    pub size: u64,
}

/// A table.
pub struct Table {
    /// Its whole name.
    pub name: String,
    /// Its keys, in their order.
    pub keys: Vec<Part>,
    /// Numbers of the actions that it has.
    pub actions: Vec<u64>,
    /// The control plane is told of entries that are idle.
    pub notifies: bool,
}

impl Table {
    /// Which entry wins is a matter of priorities.
    pub fn takes_priorities(&self) -> bool {
        self.keys.iter().any(|key| needs_priorities(&key.kind))
    }
}

/// An action.
pub struct Action {
    /// Its whole name.
    pub name: String,
    /// What it is given, in the order of its parameters.
    pub parameters: Vec<Part>,
}

/// A key of a table or a parameter of an action.
pub struct Part {
    /// Its number there.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// How many bits it has; 0: it is no number.
    pub width: u32,
    /// Of a key: `exact`, `lpm`, `ternary`, `range`, `optional`.
    pub kind: String,
}

impl Known {
    /// Reads a description.
    pub fn of(info: &Message) -> Known {
        let tables = info.messages("tables").map(|table| {
            let actions = table.messages("action_refs").filter_map(id);
            let known = Table {
                name: name(table),
                keys: table.messages("match_fields").map(part).collect(),
                actions: actions.collect(),
                notifies: table.member_of("idle_timeout_behavior") == Some("NOTIFY_CONTROL"),
            };
            (preamble_id(table), known)
        });
        let actions = info.messages("actions").map(|action| {
            let known = Action {
                name: name(action),
                parameters: action.messages("params").map(part).collect(),
            };
            (preamble_id(action), known)
        });
        let arrays = |kind: &str| -> BTreeMap<u64, String> {
            let all = info.messages(kind);
            all.map(|one| (preamble_id(one), name(one))).collect()
        };
        let registers = info.messages("registers").map(|register| {
            let mut specs = register.messages("type_spec");
            let bits = specs.next().and_then(|spec| {
                let bits = spec.messages("bitstring").next()?;
                let mut widths = ["bit", "int"].into_iter();
                widths.find_map(|kind| bits.messages(kind).next()?.number_of("bitwidth"))
            });
            let bits = bits.and_then(|bits| u32::try_from(bits).ok());
            (preamble_id(register), (name(register), bits))
        });
        let value_sets = info.messages("value_sets").map(|set| {
            let size = set
                .number_of("size")
                .and_then(|size| u64::try_from(size).ok());
            let known = ValueSet {
                name: name(set),
                keys: set.messages("match").map(part).collect(),
                size: size.unwrap_or(0),
            };
            (preamble_id(set), known)
        });
        Known {
            tables: tables.collect(),
            actions: actions.collect(),
            counters: arrays("counters"),
            meters: arrays("meters"),
            profiles: arrays("action_profiles"),
            registers: registers.collect(),
            value_sets: value_sets.collect(),
        }
    }
}

fn id(message: &Message) -> Option<u64> {
    u64::try_from(message.number_of("id")?).ok()
}

fn preamble_id(message: &Message) -> u64 {
    message.messages("preamble").find_map(id).unwrap_or(0)
}

fn name(message: &Message) -> String {
    let mut names = message.messages("preamble");
    let name = names.find_map(|preamble| preamble.string_of("name"));
    name.unwrap_or_default().to_owned()
}

fn part(message: &Message) -> Part {
    let width = message.number_of("bitwidth").unwrap_or(0);
    Part {
        id: id(message).unwrap_or(0),
        name: message.string_of("name").unwrap_or_default().to_owned(),
        width: u32::try_from(width).unwrap_or(0),
        kind: message
            .member_of("match_type")
            .unwrap_or_default()
            .to_lowercase(),
    }
}
