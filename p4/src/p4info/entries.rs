//! The entries that a program has, as a control plane would write them: `p4.v1.WriteRequest`. What such an entry does not say of a key matches
//! everything, and is left out.

use super::message::Message;
use super::symbols::{parts, Kind};
use super::types::padded;
use super::{Maker, Thing, What};
use crate::source::Span;
use crate::typed::{self, Expression, Key, Set};
use crate::types::Type;
use crate::value::Value;
use num_bigint::BigInt;

/// What an entry says of a key: the number and the name of the field for its kind, and what stands there.
type Matched = (u32, &'static str, Message);
/// Where something has no form, and why.
type Refused = (Span, String);

impl Maker<'_> {
    /// `WriteRequest`, with one update for each entry.
    pub(super) fn write_request(&mut self, things: &[Thing]) -> Message {
        let program = self.program;
        let mut request = Message::new();
        for thing in things {
            let What::Table(number) = thing.what else {
                continue;
            };
            let place = &self.design.tables[number];
            let table = &program.tables[place.table];
            let id = self.symbols.id(Kind::Table, &place.name);
            let priorities = self.priorities(place.object, table);
            for (entry, priority) in table.entries.iter().zip(priorities) {
                let message = Message::new()
                    .number(1, "table_id", id)
                    .number(4, "priority", priority)
                    .flag(
                        13,
                        "is_const",
                        table.entries_are_constant || entry.is_constant,
                    );
                let message = self.entry_keys(message, place.object, table, entry);
                let message = self.entry_action(message, place.object, table, entry);
                let entity = Message::new().message(2, "table_entry", message);
                let update = Message::new().member(1, "type", (1, "INSERT"));
                request = request.message(4, "updates", update.message(2, "entity", entity));
            }
        }
        request
    }

    fn entry_action(
        &mut self,
        message: Message,
        object: usize,
        table: &typed::Table,
        entry: &typed::Entry,
    ) -> Message {
        let Some(one) = table.actions.get(entry.action.action) else {
            return message;
        };
        let name = self.action_name(object, one.action);
        let id = self.symbols.id(Kind::Action, &name);
        let mut action = Message::new().number(1, "action_id", id);
        for argument in self.arguments(object, one.action, Some(&entry.action)) {
            action = action.message(4, "params", argument);
        }
        message.message(3, "action", Message::new().message(1, "action", action))
    }

    fn entry_keys(
        &mut self,
        mut message: Message,
        object: usize,
        table: &typed::Table,
        entry: &typed::Entry,
    ) -> Message {
        let of: Vec<_> = table
            .keys
            .iter()
            .map(|key| (key.annotations.as_slice(), key.value.span))
            .collect();
        // What is wrong with them is told with the table.
        let numbers = parts(&of, self.sources, &mut Vec::new());
        for ((key, set), id) in table.keys.iter().zip(&entry.keys).zip(numbers) {
            if let Set::All = set {
                continue;
            }
            let field = Message::new().number(1, "field_id", id);
            match self.matched(object, key, set) {
                Ok(Some((number, kind, values))) => {
                    message = message.message(2, "match", field.message(number, kind, values));
                }
                Ok(None) => {}
                Err((span, text)) => {
                    let help = "let the control plane write this entry";
                    self.refuse::<()>(span, text, help);
                }
            }
        }
        message
    }

    /// What an entry says of a key, if it says anything.
    fn matched(&mut self, object: usize, key: &Key, set: &Set) -> Result<Option<Matched>, Refused> {
        let width = self.value_width(&key.value.of);
        let ones = (BigInt::from(1) << width) - 1;
        let number = |of: &Expression| self.written(object, of);
        let value = |number: &BigInt| Message::new().bytes_of(1, "value", padded(number, width));
        let kind = key.kind.as_str();
        Ok(Some(match (kind, set) {
            ("exact", Set::One(one)) => (2, "exact", value(&number(one)?)),
            ("optional", Set::One(one)) => (7, "optional", value(&number(one)?)),
            ("lpm", Set::One(one)) => {
                let prefix = value(&number(one)?).number(2, "prefix_len", width);
                (4, "lpm", prefix)
            }
            ("lpm", Set::Mask(one, mask)) => {
                let (one, mask_of) = (number(one)?, number(mask)?);
                let free = mask_of.trailing_zeros().unwrap_or(width.into());
                let length = u64::from(width).saturating_sub(free);
                if mask_of != (&ones >> free) << free {
                    return Err((
                        mask.span,
                        "the mask of a prefix begins with ones".to_owned(),
                    ));
                }
                if length == 0 {
                    return Ok(None);
                }
                let prefix = value(&(one & mask_of));
                (4, "lpm", prefix.number(2, "prefix_len", length as i64))
            }
            ("ternary", Set::One(one)) => {
                let mask = padded(&ones, width);
                (3, "ternary", value(&number(one)?).bytes_of(2, "mask", mask))
            }
            ("ternary", Set::Mask(one, mask)) => {
                let (one, mask) = (number(one)?, number(mask)?);
                if mask == BigInt::from(0) {
                    return Ok(None);
                }
                // P4Runtime wants zeros where the mask has them.
                let bits = padded(&mask, width);
                (3, "ternary", value(&(one & mask)).bytes_of(2, "mask", bits))
            }
            ("range", Set::One(one)) => {
                let bytes = padded(&number(one)?, width);
                let low = Message::new().bytes_of(1, "low", bytes.clone());
                (6, "range", low.bytes_of(2, "high", bytes))
            }
            ("range", Set::Range(low, high)) => {
                let (low, high) = (number(low)?, number(high)?);
                if low == BigInt::from(0) && high == ones {
                    return Ok(None);
                }
                let range = Message::new().bytes_of(1, "low", padded(&low, width));
                (6, "range", range.bytes_of(2, "high", padded(&high, width)))
            }
            _ => {
                let text = format!("P4Runtime has no form of this entry for a key of kind {kind}");
                return Err((key.value.span, text));
            }
        }))
    }

    /// The number of a value.
    fn written(&self, object: usize, of: &Expression) -> Result<BigInt, Refused> {
        match (self.known_value(object, of), &of.of) {
            (Some(Value::Number(number)), _) => Ok(number),
            (Some(Value::Bool(value)), _) => Ok(BigInt::from(u8::from(value))),
            _ => {
                let of_type = self.program.types.text(&of.of);
                Err((
                    of.span,
                    format!("P4Runtime has no form of a value of type {of_type}"),
                ))
            }
        }
    }

    /// Bits of a value that the program knows: those that the control plane writes, or its own where that writes a text.
    pub(super) fn value_width(&mut self, of: &Type) -> u32 {
        match self.width(of) {
            0 => self.program.types.bits(of).unwrap_or(0) as u32,
            width => width,
        }
    }

    /// Priorities of a table's entries; 0 where its keys have none. The larger one wins in P4Runtime, whatever the table says.
    fn priorities(&self, object: usize, table: &typed::Table) -> Vec<i64> {
        let count = table.entries.len() as i64;
        if !table.takes_priorities() {
            return vec![0; table.entries.len()];
        }
        // Those that never change match in their order (§14.2.1.4).
        if table.entries_are_constant {
            return (1..=count).rev().collect();
        }
        let property = |name: &str| self.known_value(object, &table.property(name)?.value);
        let largest_wins = property("largest_priority_wins") != Some(Value::Bool(false));
        let number = |value: Option<Value>| match value {
            Some(Value::Number(number)) => i64::try_from(number).ok(),
            _ => None,
        };
        let delta = number(property("priority_delta")).unwrap_or(1);
        let has_priorities = table.entries.iter().any(|entry| entry.priority.is_some());
        let mut priority = match (has_priorities, largest_wins) {
            (false, true) => (count - 1).saturating_mul(delta).saturating_add(1),
            _ => 1,
        };
        let mut all = Vec::new();
        for (at, entry) in table.entries.iter().enumerate() {
            let said = entry.priority.as_ref();
            if let Some(said) = number(said.and_then(|said| self.known_value(object, said))) {
                priority = said;
            } else if at > 0 {
                let step = if largest_wins { -delta } else { delta };
                priority = priority.saturating_add(step);
            }
            all.push(priority);
        }
        if !largest_wins {
            let largest = all.iter().copied().max().unwrap_or(0);
            all.iter_mut()
                .for_each(|one| *one = largest.saturating_sub(*one).saturating_add(1));
        }
        all
    }
}
