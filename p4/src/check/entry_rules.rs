//! What holds for a table as a whole: the order of its properties, its entries with their priorities, and what its actions are given
//! (§14.2.1).

use super::{Checker, Entity};
use crate::ast::{self, PropertyValue};
use crate::source::Span;
use crate::typed::{ActionCall, Callee, Entry, Expression, ExpressionKind, Set};
use crate::types::Type;
use crate::value::Value;
use num_bigint::{BigInt, Sign};
use std::collections::BTreeSet;

/// The largest priority that control planes have.
const MOST_PRIORITY: i32 = i32::MAX;

impl<'a> Checker<'a> {
    /// §14.2.1.3, §14.2.1.4: the default and the entries stand behind what they are made of.
    pub(super) fn order(&mut self, properties: &[ast::Property]) {
        let place = |is_it: &dyn Fn(&ast::Property) -> bool| properties.iter().position(is_it);
        let key = place(&|one| matches!(one.value, PropertyValue::Key(_)));
        let actions = place(&|one| matches!(one.value, PropertyValue::Actions(_)));
        for (at, property) in properties.iter().enumerate() {
            let needs = match &property.value {
                PropertyValue::Entries(_) => [key, actions],
                PropertyValue::Value(_) if property.name.text == "default_action" => {
                    [actions, None]
                }
                _ => continue,
            };
            if let Some(later) = needs.into_iter().flatten().find(|needs| *needs > at) {
                let message = format!(
                    "`{}` stands behind `{}`",
                    property.name.text, properties[later].name.text
                );
                self.error("p4-statement", property.name.span, message);
            }
        }
    }

    /// §14.2.1.3: a table that says no default does `NoAction`, which is given nothing.
    pub(super) fn no_action(&mut self, properties: &[ast::Property]) {
        let mut names = properties.iter().map(|one| one.name.text.as_str());
        let Some((entity, span)) = self.scopes[0].get("NoAction") else {
            return;
        };
        let is_good = match entity {
            Entity::Action(number) => self.told.functions[*number].parameters.is_empty(),
            _ => false,
        };
        if !is_good && !names.any(|name| name == "default_action") {
            let message = "tables without a default do this: it is an action without parameters";
            self.error("p4-type", *span, message);
        }
    }

    /// §20.3.2: whether an action may be the default, or stand in an entry.
    pub(super) fn may_stand(&mut self, table: usize, call: &ActionCall, unless: &str) {
        let table = &self.told.tables[table];
        let action = &table.actions[call.action];
        if !action.annotations.iter().any(|one| one.name.text == unless) {
            return;
        }
        let name = &self.told.functions[action.action].name;
        let message = match unless {
            "defaultonly" => format!("`{name}` is only a default of this table"),
            _ => format!("`{name}` is no default of this table"),
        };
        self.error("p4-statement", call.span, message);
    }

    /// §14.2.1.3: what the list gives an action already is written as it stands there, or not at all.
    pub(super) fn same_again(
        &mut self,
        table: usize,
        place: usize,
        passed: &[Option<Expression>],
    ) -> Option<()> {
        let bound = &self.told.tables[table].actions[place].bound;
        for (listed, again) in bound.iter().zip(passed) {
            let (Some(listed), Some(again)) = (listed, again) else {
                continue;
            };
            if !is_same(listed, again) {
                let first = self.sources.place(listed.span);
                let message = "the list of actions gives something else here";
                let error = self.sources.error("p4-type", again.span, message);
                self.errors.push(error.label(first, "this"));
                return None;
            }
        }
        Some(())
    }

    /// What entries are all together, once the whole table is known.
    pub(super) fn entries_fit(&mut self, number: usize, properties: &[ast::Property]) {
        let order = self.priority_properties(number);
        let mut written = properties.iter().filter_map(|one| match &one.value {
            PropertyValue::Entries(entries) => Some(entries),
            _ => None,
        });
        let Some(written) = written.next().filter(|written| !written.is_empty()) else {
            return;
        };
        let key = properties.iter().find_map(|one| match &one.value {
            PropertyValue::Key(keys) if !keys.is_empty() => Some((one.name.span, keys.len())),
            _ => None,
        });
        let Some((key, count)) = key else {
            // §14.2.1.4.
            let table = &self.told.tables[number];
            let message = format!("table `{}` has no key, so it has no entries", table.name);
            return self.error("p4-type", table.span, message);
        };
        let kinds = self.told.tables[number].keys.iter();
        let kinds: Vec<(String, Type)> = kinds
            .map(|key| (key.kind.clone(), key.value.of.clone()))
            .collect();
        // Where something was wrong, there is nothing to compare.
        if kinds.len() != count || self.told.tables[number].entries.len() != written.len() {
            return;
        }
        let entries = std::mem::take(&mut self.told.tables[number].entries);
        for entry in &entries {
            for (set, (kind, of)) in entry.keys.iter().zip(&kinds) {
                self.matches(set, kind, of);
            }
        }
        let says_itself = kinds
            .iter()
            .all(|(kind, _)| kind == "exact" || kind == "lpm");
        if kinds.iter().all(|(kind, _)| kind == "exact") {
            self.entries_once(&entries);
        }
        self.priorities(number, &entries, order, says_itself.then_some(key));
        self.told.tables[number].entries = entries;
    }

    /// §14.2.1.1: which sets a kind of match has.
    fn matches(&mut self, set: &Set, kind: &str, of: &Type) {
        let fits = match (kind, set) {
            ("optional", Set::Mask(..) | Set::Range(..)) => false,
            ("lpm" | "ternary", Set::Range(..)) | ("range", Set::Mask(..)) => false,
            ("lpm", Set::Mask(_, mask)) => {
                let width = self.types().bits(of).unwrap_or(0);
                match mask.known() {
                    Some(Value::Number(mask)) => is_prefix(mask, width),
                    _ => true,
                }
            }
            _ => true,
        };
        let (Set::One(first) | Set::Mask(first, _) | Set::Range(first, _)) = set else {
            return;
        };
        if !fits {
            let message = match (kind, set) {
                ("lpm", Set::Mask(..)) => "the mask of an lpm key is ones in front of zeros".into(),
                (_, Set::Mask(..)) => format!("`{kind}` has no masks"),
                _ => format!("`{kind}` has no ranges"),
            };
            self.error("p4-type", first.span, message);
        }
    }

    /// §14.2.1.4.1: entries with exact keys never stand twice.
    fn entries_once(&mut self, entries: &[Entry]) {
        let known = |entry: &Entry| -> Option<Vec<Value>> {
            let keys = entry.keys.iter();
            keys.map(|set| match set {
                Set::One(value) => value.known().cloned(),
                _ => None,
            })
            .collect()
        };
        let mut seen = BTreeSet::new();
        for entry in entries {
            let Some(key) = known(entry) else { continue };
            if !seen.insert(format!("{key:?}")) {
                self.error("p4-name", entry.span, "this entry stands here twice");
            }
        }
    }

    /// §14.2.1.4.1. With `needs_none`, where the key stands, the key itself says which entry wins.
    fn priorities(
        &mut self,
        number: usize,
        entries: &[Entry],
        (delta, largest_wins): (BigInt, bool),
        needs_none: Option<Span>,
    ) {
        let Some(first) = entries.iter().find_map(|one| one.priority.as_ref()) else {
            return;
        };
        let table = &self.told.tables[number];
        let table_span = table.span;
        if table.entries_are_constant {
            let message =
                "`const entries` win in the order in which they stand: none has a priority";
            return self.error("p4-statement", first.span, message);
        }
        if let Some(key) = needs_none {
            let place = self.sources.place(first.span);
            let message = "which entry wins is said by this key: none has a priority";
            let error = self.sources.error("p4-statement", key, message);
            self.errors.push(error.label(place, "the first priority"));
            return;
        }
        if entries[0].priority.is_none() {
            let message = "the first entry has no priority, and others have one";
            return self.error("p4-statement", entries[0].span, message);
        }
        let mut at = BigInt::from(0);
        for entry in entries {
            match entry.priority.as_ref().map(Expression::known) {
                Some(Some(Value::Number(said))) => at = said.clone(),
                _ if largest_wins => at -= &delta,
                _ => at += &delta,
            }
            if at.sign() == Sign::Minus || at > BigInt::from(MOST_PRIORITY) {
                let message =
                    format!("an entry has priority {at}, which is not from 0 to {MOST_PRIORITY}");
                let place = self.sources.place(entry.span);
                let error = self.sources.error("p4-constant", table_span, message);
                self.errors.push(error.label(place, "this entry"));
                return;
            }
        }
    }

    /// `priority_delta` and `largest_priority_wins` of a table.
    fn priority_properties(&mut self, number: usize) -> (BigInt, bool) {
        let (mut delta, mut largest_wins) = (BigInt::from(1), true);
        for property in self.told.tables[number].properties.clone() {
            match (property.name.as_str(), property.value.known()) {
                ("priority_delta", Some(Value::Number(value))) if value.sign() == Sign::Plus => {
                    delta = value.clone();
                }
                ("priority_delta", _) => {
                    let message = "`priority_delta` is a number from 1";
                    self.error("p4-type", property.value.span, message);
                }
                ("largest_priority_wins", Some(Value::Bool(value))) => largest_wins = *value,
                ("largest_priority_wins", _) => {
                    let message = "`largest_priority_wins` is `true` or `false`";
                    self.error("p4-type", property.value.span, message);
                }
                _ => {}
            }
        }
        (delta, largest_wins)
    }
}

/// Ones in front of zeros, in so many bits.
fn is_prefix(mask: &BigInt, width: u64) -> bool {
    let zeros: BigInt = (BigInt::from(1) << width) - 1 - mask;
    zeros.sign() != Sign::Minus && (&zeros & (&zeros + 1)) == BigInt::from(0)
}

/// The same text, wherever it stands. Of what no list of actions has, nothing is said.
fn is_same(one: &Expression, other: &Expression) -> bool {
    use ExpressionKind as Kind;
    if one.of != other.of {
        return false;
    }
    let all = |one: &[Expression], other: &[Expression]| {
        one.len() == other.len()
            && one
                .iter()
                .zip(other)
                .all(|(one, other)| is_same(one, other))
    };
    match (&one.kind, &other.kind) {
        (Kind::Value(one), Kind::Value(other)) => one == other,
        (Kind::Variable(one), Kind::Variable(other)) => one == other,
        (Kind::Field(one, at), Kind::Field(other, there)) => at == there && is_same(one, other),
        (Kind::Index(one, at), Kind::Index(other, there)) => {
            is_same(one, other) && is_same(at, there)
        }
        (Kind::Slice(one, high, low), Kind::Slice(other, top, bottom)) => {
            (high, low) == (top, bottom) && is_same(one, other)
        }
        (Kind::Unary(operator, one), Kind::Unary(as_well, other)) => {
            operator == as_well && is_same(one, other)
        }
        (Kind::Binary(operator, a, b), Kind::Binary(as_well, c, d)) => {
            operator == as_well && is_same(a, c) && is_same(b, d)
        }
        (Kind::Cast(one), Kind::Cast(other)) => is_same(one, other),
        (
            Kind::Parts(one) | Kind::PartsIn(one, _),
            Kind::Parts(other) | Kind::PartsIn(other, _),
        ) => all(one, other),
        (Kind::Call(one), Kind::Call(other)) => {
            let given = |arguments: &[Option<Expression>]| {
                arguments.iter().flatten().cloned().collect::<Vec<_>>()
            };
            let is_called = match (&one.callee, &other.callee) {
                (Callee::Function(one), Callee::Function(other)) => one == other,
                (Callee::Method(object, one), Callee::Method(as_well, other)) => {
                    one == other && is_same(object, as_well)
                }
                _ => true,
            };
            is_called && all(&given(&one.arguments), &given(&other.arguments))
        }
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
