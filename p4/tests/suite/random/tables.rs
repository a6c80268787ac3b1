//! Random tables, and entries for them.

use super::program::{Direction, Generator};
use super::types::Type;
use hardpath_p4::design::Design;
use hardpath_p4::interpreter::{Data, Entry, Match};
use hardpath_p4::typed::{self, Program};
use hardpath_p4::types;
use hardpath_testkit::Random;
use num_bigint::BigInt;

impl Generator {
    pub fn table(&mut self) {
        let name = self.name("table");
        let applies = std::mem::replace(&mut self.applies, false);
        let mut listed = Vec::new();
        let mut names = Vec::new();
        // Those that an entry can name: with nothing bound.
        let mut plain = vec![("NoAction".to_owned(), Vec::new())];
        for action in self.actions.clone() {
            if self.below(4) == 0 {
                continue;
            }
            let (bound, data): (Vec<_>, Vec<_>) = action
                .parameters
                .iter()
                .cloned()
                .partition(|(direction, _)| *direction != Direction::None);
            let Some(bound_text) = self.arguments(&bound, 1) else {
                continue;
            };
            match bound.is_empty() {
                true => {
                    listed.push(action.name.clone());
                    plain.push((action.name.clone(), data));
                }
                false => listed.push(format!("{}({bound_text})", action.name)),
            }
            names.push(action.name.clone());
        }
        listed.push("NoAction".into());
        names.push("NoAction".into());
        let keys = self.keys();
        self.line(&format!("table {name} {{"));
        self.indent += 1;
        if !keys.is_empty() {
            self.line("key = {");
            for (at, (expression, kind, _)) in keys.iter().enumerate() {
                self.line(&format!("    {expression} : {kind} @name(\"k{at}\");"));
            }
            self.line("}");
        }
        if let (Some(direct), false) = (self.direct.clone(), keys.is_empty()) {
            self.direct = None;
            self.line(&format!("counters = {direct};"));
        }
        self.line(&format!("actions = {{ {}; }}", listed.join("; ")));
        if self.below(2) == 0 {
            let action = self.action_with_data(&plain);
            let constant = if self.below(2) == 0 { "const " } else { "" };
            self.line(&format!("{constant}default_action = {action};"));
        }
        if !keys.is_empty() && self.below(3) == 0 {
            self.entries(&keys, &plain);
        }
        self.indent -= 1;
        self.line("}");
        self.applies = applies;
        self.tables.push(name.clone());
        self.with_actions.push((name, names));
    }

    fn action_with_data(&mut self, plain: &[(String, Vec<(Direction, Type)>)]) -> String {
        let (action, data) = self.random.pick(plain).clone();
        let values: Vec<String> = data.iter().map(|(_, of)| self.literal(of)).collect();
        format!("{action}({})", values.join(", "))
    }

    fn keys(&mut self) -> Vec<(String, &'static str, Type)> {
        let style = self.below(3);
        let mut keys = Vec::new();
        for at in 0..self.below(4) {
            let kind = match (style, at) {
                (1, 0) => "lpm",
                (2, _) => *self
                    .random
                    .pick(&["ternary", "exact", "ternary", "range", "optional"]),
                _ => "exact",
            };
            let of = match (kind, self.below(6)) {
                ("exact", 0) => Type::Bool,
                ("exact", 1) => Type::Int(3),
                ("exact", 2) => Type::Code,
                ("exact", 3) => Type::Kind,
                ("exact", _) => Type::Bit(1 + self.below(3) as u32),
                _ => Type::Bit(2 + self.below(16) as u32),
            };
            keys.push((self.expression(&of, 2), kind, of));
        }
        keys
    }

    fn entries(
        &mut self,
        keys: &[(String, &'static str, Type)],
        plain: &[(String, Vec<(Direction, Type)>)],
    ) {
        let has_order = keys
            .iter()
            .any(|(_, kind, _)| matches!(*kind, "ternary" | "range" | "optional"));
        // Others may be added to these.
        match !has_order && self.below(2) == 0 {
            true => self.line("entries = {"),
            false => self.line("const entries = {"),
        }
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1 + self.below(5) {
            let mut sets = Vec::new();
            for (_, kind, of) in keys {
                let width = match of {
                    Type::Bit(width) => *width,
                    _ => 0,
                };
                sets.push(match *kind {
                    "ternary" => match self.below(3) {
                        0 => "_".into(),
                        _ => {
                            let value = self.random.interesting(width);
                            let mask = self.random.interesting(width);
                            format!("{width}w{} &&& {width}w{mask}", value & mask)
                        }
                    },
                    "range" => {
                        let high = self.random.interesting(width);
                        let low = self.below(high + 1);
                        format!("{width}w{low} .. {width}w{high}")
                    }
                    "optional" if self.below(3) == 0 => "_".into(),
                    "lpm" => {
                        let length = self.below(u64::from(width) + 1) as u32;
                        let mask = ((1u64 << length) - 1) << (width - length);
                        let value = self.random.interesting(width) & mask;
                        format!("{width}w{value} &&& {width}w{mask}")
                    }
                    // Zero is written in one way.
                    _ => match of {
                        Type::Int(width) => format!("{width}s{}", self.below(3)),
                        _ => self.literal(of),
                    },
                });
            }
            let text = sets.join(", ");
            if seen.insert(text.clone()) {
                let action = self.action_with_data(plain);
                match sets.len() {
                    1 => self.line(&format!("    {text} : {action};")),
                    _ => self.line(&format!("    ({text}) : {action};")),
                }
            }
        }
        self.line("}");
    }
}

/// A value of a type that a table has.
fn data(random: &mut Random, program: &Program, of: &types::Type) -> Data {
    match of {
        types::Type::Bool => Data::Bool(random.below(2) == 1),
        types::Type::Enum(number) if program.types.enums[*number].below.is_none() => {
            Data::Member(random.below(3) as usize)
        }
        types::Type::Int(width) => {
            let wide = random.interesting((*width).min(62)) as i64;
            let half = 1i64 << ((*width).min(62) - 1);
            Data::number(if wide >= half { wide - 2 * half } else { wide })
        }
        types::Type::Bit(width) => Data::number(random.interesting((*width).min(64))),
        _ => Data::number(random.interesting(4)),
    }
}

/// An action of a table's list with arguments.
pub fn action(random: &mut Random, program: &Program, table: &typed::Table) -> (usize, Vec<Data>) {
    let at = random.below(table.actions.len() as u64) as usize;
    let function = &program.functions[table.actions[at].action];
    let own = function
        .parameters
        .iter()
        .filter(|one| one.direction == hardpath_p4::ast::Direction::None);
    (at, own.map(|one| data(random, program, &one.of)).collect())
}

/// Entries for the tables that take some, with their tables.
pub fn entries(random: &mut Random, program: &Program, design: &Design) -> Vec<(usize, Entry)> {
    let mut all: Vec<(usize, Entry)> = Vec::new();
    for (number, place) in design.tables.iter().enumerate() {
        let table = &program.tables[place.table];
        if table.entries_are_constant || table.keys.is_empty() {
            continue;
        }
        let has_order = table
            .keys
            .iter()
            .any(|key| matches!(key.kind.as_str(), "ternary" | "range" | "optional"));
        for at in 0..random.below(8) {
            let keys: Vec<Match> = table
                .keys
                .iter()
                .map(|key| pattern(random, program, key))
                .collect();
            let is_there = |(other, entry): &(usize, Entry)| *other == number && entry.keys == keys;
            if all.iter().any(is_there) {
                continue;
            }
            let (action, arguments) = action(random, program, table);
            let priority = BigInt::from(if has_order { 1 + at } else { 0 });
            let is_constant = false;
            all.push((
                number,
                Entry {
                    keys,
                    priority,
                    action,
                    arguments,
                    is_constant,
                    ..Entry::default()
                },
            ));
        }
    }
    all
}

fn pattern(random: &mut Random, program: &Program, key: &typed::Key) -> Match {
    let value = data(random, program, &key.value.of);
    let width = program.types.bits(&key.value.of).unwrap_or(1) as u32;
    match key.kind.as_str() {
        "ternary" => {
            let mask = BigInt::from(random.interesting(width));
            Match::Masked {
                value: value.to_number() & &mask,
                mask,
            }
        }
        "range" => {
            let other = data(random, program, &key.value.of).to_number();
            let (low, high) = (
                value.to_number().min(other.clone()),
                value.to_number().max(other),
            );
            Match::Range { low, high }
        }
        "optional" if random.below(3) == 0 => Match::Any,
        "lpm" => {
            let length = random.below(u64::from(width) + 1) as u32;
            let mask = ((BigInt::from(1) << length) - 1) << (width - length);
            Match::Masked {
                value: value.to_number() & &mask,
                mask,
            }
        }
        _ => Match::Value(value),
    }
}
