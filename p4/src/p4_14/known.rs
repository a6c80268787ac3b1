//! What a program declares, by its names.

use super::primitives;
use super::tree::{
    Action, Calculation, Call, Control, FieldList, HeaderType, Instance, Profile, Program,
    Selector, State, Stateful, Table, ValueSet,
};
use crate::ast::Name;
use crate::source::Sources;
use hardpath_diagnostic::{suggest, Diagnostic};
use std::collections::BTreeMap;

/// Things of one kind.
pub(super) struct All<'a, T> {
    kind: &'static str,
    by_name: BTreeMap<&'a str, &'a T>,
}

impl<'a, T> All<'a, T> {
    pub(super) fn get(&self, name: &str) -> Option<&'a T> {
        self.by_name.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.by_name.keys().copied()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The error that there is none of this name.
    pub(super) fn unknown(&self, sources: &Sources, name: &Name) -> Diagnostic {
        let message = format!("there is no {} `{}`", self.kind, name.text);
        let error = sources.error("p4-name", name.span, message);
        or_meant(error, &name.text, self.names())
    }
}

/// An error about a name, with the one that may have been meant.
pub(super) fn or_meant<'n>(
    error: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    match suggest::nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// All of them.
pub(super) struct Known<'a> {
    pub types: All<'a, HeaderType>,
    pub instances: All<'a, Instance>,
    pub lists: All<'a, FieldList>,
    pub calculations: All<'a, Calculation>,
    pub value_sets: All<'a, ValueSet>,
    pub states: All<'a, State>,
    pub counters: All<'a, Stateful>,
    pub meters: All<'a, Stateful>,
    pub registers: All<'a, Stateful>,
    pub actions: All<'a, Action>,
    pub profiles: All<'a, Profile>,
    pub selectors: All<'a, Selector>,
    pub tables: All<'a, Table>,
    pub controls: All<'a, Control>,
}

/// Looks all declarations of a program through; what is declared twice is told.
pub(super) fn known<'a>(
    sources: &Sources,
    program: &'a Program,
    errors: &mut Vec<Diagnostic>,
) -> Known<'a> {
    macro_rules! all {
        ($kind:literal, $field:ident) => {
            by_name(
                sources,
                $kind,
                program.$field.iter().map(|one| (&one.name, one)),
                errors,
            )
        };
    }
    let known = Known {
        types: all!("header type", types),
        instances: all!("header or metadata", instances),
        lists: all!("field list", lists),
        calculations: all!("field list calculation", calculations),
        value_sets: all!("value set", value_sets),
        states: all!("parser state", states),
        counters: all!("counter", counters),
        meters: all!("meter", meters),
        registers: all!("register", registers),
        actions: all!("action", actions),
        profiles: all!("action profile", profiles),
        selectors: all!("action selector", selectors),
        tables: all!("table", tables),
        controls: all!("control", controls),
    };
    let exceptions = program.exceptions.iter().map(|one| (&one.name, one));
    by_name(sources, "parser exception", exceptions, errors);
    for state in &program.states {
        if known.controls.has(&state.name.text) {
            let message = format!("`{}` is a control, too (§4.2)", state.name.text);
            errors.push(sources.error("p4-name", state.name.span, message));
        }
    }
    known
}

fn by_name<'a, T>(
    sources: &Sources,
    kind: &'static str,
    all: impl Iterator<Item = (&'a Name, &'a T)>,
    errors: &mut Vec<Diagnostic>,
) -> All<'a, T> {
    let mut by_name = BTreeMap::new();
    for (name, one) in all {
        if by_name.insert(name.text.as_str(), one).is_some() {
            let message = format!("there is a {kind} `{}` already", name.text);
            errors.push(sources.error("p4-name", name.span, message));
        }
    }
    All { kind, by_name }
}

/// Makes an action of each primitive one that a table names (§11: actions in the list may be primitive).
pub(super) fn name_primitives(program: &mut Program) {
    let of_tables = program.tables.iter().flat_map(|table| {
        let default = table.default.iter().map(|default| &default.action);
        table.actions.iter().chain(default)
    });
    let of_profiles = program.profiles.iter().flat_map(|profile| &profile.actions);
    let mut made: Vec<Action> = Vec::new();
    for name in of_tables.chain(of_profiles) {
        let is_known = |action: &Action| action.name.text == name.text;
        let is_new = !program.actions.iter().chain(&made).any(is_known);
        if is_new && primitives::takes_nothing(&name.text) {
            let call = Call {
                name: name.clone(),
                arguments: Vec::new(),
            };
            made.push(Action {
                name: name.clone(),
                parameters: Vec::new(),
                calls: vec![call],
            });
        }
    }
    program.actions.extend(made);
}
