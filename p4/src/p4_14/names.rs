//! What names become: P4_14 has a space of names for each kind of thing, P4_16 one for each block, with words that no name can be.

use crate::parser::RESERVED;
use std::collections::{BTreeMap, BTreeSet};

/// Names of the translation itself and of what it includes, as far as something of the program could stand in front of them.
const TAKEN: [&str; 65] = [
    "CloneType",
    "ComputeChecksum",
    "CounterType",
    "Deparser",
    "DeparserImpl",
    "Egress",
    "HashAlgorithm",
    "Ingress",
    "MeterType",
    "NoAction",
    "Parser",
    "ParserImpl",
    "V1Switch",
    "VerifyChecksum",
    "accept",
    "action_profile",
    "action_selector",
    "apply",
    "assert",
    "assume",
    "clone",
    "clone3",
    "clone_preserving_field_list",
    "computeChecksum",
    "counter",
    "digest",
    "direct_counter",
    "direct_meter",
    "egress",
    "entries",
    "exact",
    "hash",
    "hdr",
    "headers",
    "ingress",
    "key",
    "log_msg",
    "lpm",
    "main",
    "mark_to_drop",
    "meta",
    "metadata",
    "meter",
    "optional",
    "outcome",
    "packet",
    "packet_in",
    "packet_out",
    "random",
    "range",
    "recirculate_preserving_field_list",
    "register",
    "reject",
    "resubmit_preserving_field_list",
    "selector",
    "standard_metadata",
    "standard_metadata_t",
    "start",
    "state",
    "static_assert",
    "ternary",
    "truncate",
    "type",
    "update_checksum",
    "verify",
];

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Header,
    Struct,
    Digest,
    Counter,
    Meter,
    Register,
    Profile,
    ValueSet,
    Action,
    Table,
    State,
    /// A state that raises an exception.
    Raising,
    /// A state that says which control is the first one.
    First,
}

/// Names that are given out.
#[derive(Debug)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    tables: BTreeSet<String>,
    given: BTreeMap<(Kind, String), String>,
}

impl Names {
    pub(super) fn new() -> Names {
        let words = RESERVED.iter().chain(&TAKEN);
        Names {
            taken: words.map(|word| (*word).to_owned()).collect(),
            tables: BTreeSet::new(),
            given: BTreeMap::new(),
        }
    }

    /// What this is called: as in the source, unless something else is called so already.
    pub(super) fn of(&mut self, kind: Kind, name: &str) -> String {
        let key = (kind, name.to_owned());
        if let Some(given) = self.given.get(&key) {
            return given.clone();
        }
        // The state in which a parser begins is the one that may be called so.
        let given = match kind == Kind::State && name == "start" {
            true => name.to_owned(),
            false => self.fresh(name),
        };
        if kind == Kind::Table {
            self.tables.insert(given.clone());
        }
        self.given.insert(key, given.clone());
        given
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let name = unlike(wanted, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    /// What a parameter of an action is called: it must not stand in front of what its action names, and that is no table.
    pub(super) fn parameter(&self, name: &str) -> String {
        unlike(name, |name| {
            self.taken.contains(name) && !self.tables.contains(name)
        })
    }
}

/// What a field is called: it stands behind a dot, so that only the words of P4_16 are in its way.
pub(super) fn field(name: &str, others: &BTreeSet<String>) -> String {
    unlike(name, |name| {
        RESERVED.contains(&name) || others.contains(name)
    })
}

/// The name, or with the first number behind it with which it is not taken.
fn unlike(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (0..).map(|number| format!("{wanted}_{number}"));
    let mut all = std::iter::once(wanted.to_owned()).chain(numbered);
    all.find(|name| !is_taken(name))
        .expect("there is always one more")
}

/// `@name(…)`, where something is called otherwise than in the source.
pub(super) fn annotation(given: &str, name: &str) -> String {
    match given == name {
        true => String::new(),
        false => format!("@name(\"{name}\") "),
    }
}
