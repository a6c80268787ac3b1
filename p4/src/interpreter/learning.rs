//! Entries that packets add (PNA, section "Add-on-miss tables").

use super::calls::Passed;
use super::data::Data;
use super::{Entry, Found, Machine, Match, Run};
use crate::ast::Direction;
use crate::design::{evaluate, name_of, Known};
use crate::lower::USUAL;
use crate::source::Span;
use crate::typed::{Program, Table};
use crate::value::{in_type, Value};
use num_bigint::BigInt;

/// An entry is added where nothing was looked for.
pub const NOT_LEARNING: &str =
    "entries are added in the default action of a table that has `add_on_miss = true`";

/// Whether packets may add entries to a table.
pub fn learns(table: &Table) -> bool {
    let property = table.property("add_on_miss");
    property.and_then(|one| one.value.known()) == Some(&Value::Bool(true))
}

/// The place of an action in a table's list, by its own name or that for the control plane.
pub fn learned_action(program: &Program, table: &Table, name: &str) -> Option<usize> {
    table.actions.iter().position(|listed| {
        let function = &program.functions[listed.action];
        function.name == name || name_of(&function.annotations, &function.name) == name
    })
}

impl Machine<'_> {
    /// Whether the entry was made: not where there is one already, or no room.
    pub(super) fn add_entry(&mut self, passed: &Passed, span: Span) -> Run<Data> {
        let Some(Found { table: place, .. }) = self.found else {
            return self.refuse(span, NOT_LEARNING);
        };
        let program = self.program;
        let table = &program.tables[self.design.tables[place].table];
        if !learns(table) {
            return self.refuse(span, NOT_LEARNING);
        }
        let Data::Text(name) = &passed.values[0] else {
            return self.refuse(span, "the name of the action is a text");
        };
        let Some(action) = learned_action(program, table, name) else {
            return self.refuse(
                span,
                format!("table `{}` has no action `{name}`", table.name),
            );
        };
        let arguments = match &passed.values[1] {
            Data::Struct(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let parameters = &program.functions[table.actions[action].action].parameters;
        let data = parameters
            .iter()
            .filter(|one| one.direction == Direction::None);
        let types: Vec<_> = data.map(|one| program.types.number_type(&one.of)).collect();
        if types.len() != arguments.len() {
            return self.refuse(span, format!("`{name}` has other parameters than these"));
        }
        let arguments = arguments
            .into_iter()
            .zip(types)
            .map(|(data, of)| match data {
                Data::Number(number) => Data::Number(in_type(number, of)),
                other => other,
            });
        let arguments = arguments.collect();
        let keys: Vec<Match> = self.looked_up.iter().cloned().map(Match::Value).collect();
        let made = &self.design.objects[self.design.tables[place].object].made;
        let room = table
            .size
            .as_ref()
            .and_then(|size| match evaluate(program, size, made) {
                Ok(Known::Value(value)) => crate::fold::index(&value),
                _ => None,
            });
        let room = room.unwrap_or(USUAL as usize);
        let entries = &mut self.tables[place].entries;
        if entries.len() >= room || entries.iter().any(|entry| entry.keys == keys) {
            return Ok(Data::Bool(false));
        }
        entries.push(Entry {
            keys,
            priority: BigInt::from(0),
            action,
            arguments,
            last_found: self.time,
            ..Entry::default()
        });
        Ok(Data::Bool(true))
    }
}
