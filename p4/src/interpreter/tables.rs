//! Tables: what they hold, and what they find (§14.2).

use super::calls::Passed;
use super::data::{self, Data};
use super::{Found, Machine, Meter, Run};
use crate::ast::Direction;
use crate::design::{evaluate, Design, Known};
use crate::meters::Colour;
use crate::source::{Sources, Span};
use crate::typed::{self, ActionCall, Expression, Program, Set};
use crate::types::Type;
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;

/// What a key must be.
#[derive(Clone, PartialEq, Debug)]
pub enum Match {
    /// Anything.
    Any,
    /// This.
    Value(Data),
    /// These bits of it.
    Masked {
        /// The bits.
        value: BigInt,
        /// Those that count.
        mask: BigInt,
    },
    /// In between, both included.
    Range {
        /// The least.
        low: BigInt,
        /// The most.
        high: BigInt,
    },
}

impl Match {
    /// Whether a key is that.
    pub fn takes(&self, key: &Data) -> bool {
        match self {
            Match::Any => true,
            Match::Value(value) => value.equals(key),
            Match::Masked { value, mask } => value & mask == key.to_number() & mask,
            Match::Range { low, high } => {
                let key = key.to_number();
                *low <= key && key <= *high
            }
        }
    }

    /// Bits that it looks at, by which a longer prefix wins.
    fn length(&self) -> u64 {
        match self {
            Match::Any => 0,
            Match::Masked { mask, .. } => mask.magnitude().count_ones(),
            _ => u64::MAX,
        }
    }
}

/// What an entry of a table with an action profile names in place of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// A member, by its number.
    Member(u64),
    /// A group, by its number.
    Group(u64),
}

impl std::fmt::Display for Through {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Through::Member(number) => write!(f, "the member {number}"),
            Through::Group(number) => write!(f, "the group {number}"),
        }
    }
}

/// An entry of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Entry {
    /// For each key of the table.
    pub keys: Vec<Match>,
    /// The larger one wins; of equal ones the one that was there first.
    pub priority: BigInt,
    /// The place of its action in the table's list.
    pub action: usize,
    /// What the action is given.
    pub arguments: Vec<Data>,
    /// Where its action stands, if not here.
    pub through: Option<Through>,
    /// Nobody takes it away.
    pub is_constant: bool,
    /// Packets and bytes that it was found by.
    pub count: (u64, u64),
    /// What its table's meter has of it.
    pub meter: Meter,
    /// When it was last found, or put there, in nanoseconds.
    pub last_found: u64,
}

/// What a table holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableState {
    /// Its entries.
    pub entries: Vec<Entry>,
    /// What is done when none is found; `None`: nothing.
    pub default: Option<(usize, Vec<Data>)>,
    /// The longest prefix wins.
    by_prefix: Option<usize>,
}

/// Tables as the program begins, in the order of the design, with the entries that it has itself.
///
/// # Errors
/// `p4-constant`: an entry of the program is not known before the first packet.
pub fn first_tables(
    program: &Program,
    sources: &Sources,
    design: &Design,
) -> Result<Vec<TableState>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut tables = Vec::new();
    for place in &design.tables {
        let table = &program.tables[place.table];
        let mut evaluator = Evaluator {
            program,
            sources,
            made: &design.objects[place.object].made,
            errors: &mut errors,
        };
        tables.push(TableState {
            default: table
                .default
                .as_ref()
                .and_then(|call| evaluator.action(call)),
            entries: evaluator.entries(table),
            by_prefix: table.prefix().filter(|_| !table.takes_priorities()),
        });
    }
    match errors.is_empty() {
        true => Ok(tables),
        false => Err(errors),
    }
}

/// A direct counter is called where no entry of its table was found.
pub const NOT_ITS_TABLE: &str = "only actions of the table that has this counter make it count";

impl<'p> Machine<'p> {
    /// What a table holds, by its place in the design; to be changed.
    pub fn table_mut(&mut self, table: usize) -> &mut TableState {
        &mut self.tables[table]
    }

    /// What a table holds.
    pub fn table(&self, table: usize) -> &TableState {
        &self.tables[table]
    }

    /// §14.2.2.
    pub(super) fn apply_table(&mut self, table: usize, span: Span) -> Run<Data> {
        self.step(span)?;
        let program = self.program;
        let of = &program.tables[table];
        let Some(place) = self.design.table(self.this, table) else {
            return self.refuse(span, "this table is not made before packets come");
        };
        let keys: Vec<Data> = of
            .keys
            .iter()
            .map(|key| self.expression(&key.value))
            .collect::<Run<_>>()?;
        let entry = self.tables[place].find(&keys);
        let chosen = match entry {
            Some(entry) => {
                let entry = &self.tables[place].entries[entry];
                match entry.through {
                    None => Some((entry.action, entry.arguments.clone())),
                    Some(through) => self.action_through(place, of, &through, &keys)?,
                }
            }
            None => self.tables[place].default.clone(),
        };
        let counter = self.design.direct_counter(program, place);
        if let Some(entry) = entry {
            self.tables[place].entries[entry].last_found = self.time;
        }
        if let (Some(entry), Some((_, true))) = (entry, counter) {
            self.count_entry(place, entry, self.packet_bytes() as u64);
        }
        let Some((action, arguments)) = chosen else {
            return Ok(Data::Applied(entry.is_some(), None));
        };
        let colour = match self.design.direct_meter(program, place) {
            Some((meter, true)) => {
                let tokens = self.tokens_of(meter, self.packet_bytes() as u64);
                self.meter_found(place, entry, tokens, None)
            }
            _ => Colour::Green,
        };
        self.looked_up = keys;
        let before = self.found.replace(Found {
            table: place,
            entry,
            colour,
        });
        let result = self.run_action(of, action, arguments);
        self.found = before;
        result?;
        Ok(Data::Applied(entry.is_some(), Some(action)))
    }

    /// An action with what the table's list and the entry give it.
    fn run_action(&mut self, table: &typed::Table, action: usize, data: Vec<Data>) -> Run<Data> {
        let program = self.program;
        let listed = &table.actions[action];
        let function = &program.functions[listed.action];
        let parameters = &function.parameters;
        let mut passed = Passed {
            values: parameters
                .iter()
                .map(|one| data::zero(&program.types, &one.of))
                .collect(),
            places: vec![None; parameters.len()],
            given: vec![false; parameters.len()],
            types: parameters.iter().map(|one| one.of.clone()).collect(),
        };
        let mut data = data.into_iter();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.direction == Direction::None {
                if let Some(value) = data.next() {
                    passed.values[at] = value;
                }
            } else if let Some(Some(argument)) = listed.bound.get(at) {
                self.pass(parameter, argument, at, &mut passed)?;
            }
        }
        let body = function.body.as_ref().expect("actions have one");
        self.bound(parameters, passed, |all| all.body(body))
    }

    /// PSA, section "Direct Counter": only actions of the table that has it make it count, for the entry that was found.
    pub(super) fn count_found(&mut self, counter: usize, bytes: u64, span: Span) -> Run<Data> {
        let of = |table| self.design.direct_counter(self.program, table);
        match self.found {
            Some(Found { table, entry, .. }) if of(table) == Some((counter, false)) => {
                if let Some(entry) = entry {
                    self.count_entry(table, entry, bytes);
                }
                Ok(Data::Void)
            }
            _ => self.refuse(span, NOT_ITS_TABLE),
        }
    }

    fn count_entry(&mut self, table: usize, entry: usize, bytes: u64) {
        let count = &mut self.tables[table].entries[entry].count;
        count.0 += 1;
        count.1 += bytes;
    }

    /// What a value set holds, by its parser and its place; to be changed.
    pub fn value_set_mut(&mut self, parser: usize, set: usize) -> &mut Vec<Vec<Match>> {
        self.value_sets.entry((parser, set)).or_default()
    }
}

impl TableState {
    /// The entry that these keys find.
    fn find(&self, keys: &[Data]) -> Option<usize> {
        let takes = |entry: &&Entry| {
            let mut pairs = entry.keys.iter().zip(keys);
            pairs.all(|(one, key)| one.takes(key))
        };
        let mut best: Option<usize> = None;
        for (at, entry) in self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| takes(entry))
        {
            let better = match best.map(|best| &self.entries[best]) {
                None => true,
                Some(best) => match self.by_prefix {
                    Some(key) => entry.keys[key].length() > best.keys[key].length(),
                    None => entry.priority > best.priority,
                },
            };
            if better {
                best = Some(at);
            }
        }
        best
    }
}

/// What entries of the program say, with what their control was made with.
struct Evaluator<'a> {
    program: &'a Program,
    sources: &'a Sources,
    made: &'a std::collections::BTreeMap<usize, Known>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Evaluator<'_> {
    fn value(&mut self, of: &Expression) -> Option<Data> {
        let program = self.program;
        match evaluate(program, of, self.made) {
            Ok(Known::Value(value)) => Some(data::from_value(&program.types, &value, &of.of)),
            _ => {
                let message = "this is not known before the first packet";
                let error = self.sources.error("p4-constant", of.span, message);
                self.errors.push(error);
                None
            }
        }
    }

    fn action(&mut self, call: &ActionCall) -> Option<(usize, Vec<Data>)> {
        let arguments = call.arguments.iter().map(|argument| self.value(argument));
        let arguments: Vec<_> = arguments.collect();
        Some((call.action, arguments.into_iter().collect::<Option<_>>()?))
    }

    /// §14.2.1.4: those without a priority come one behind the other.
    fn entries(&mut self, table: &typed::Table) -> Vec<Entry> {
        let largest_wins = self.flag(table, "largest_priority_wins");
        let delta = self.delta(table);
        let has_priorities = table.entries.iter().any(|entry| entry.priority.is_some());
        // Where keys or prefixes alone decide there are no priorities, so one that is added is the same as one of the program.
        let has_order = has_priorities || table.takes_priorities();
        let count = table.entries.len();
        let mut priority = match (has_priorities, largest_wins) {
            (false, true) => BigInt::from(count) * &delta - &delta + 1,
            _ => BigInt::from(1),
        };
        let mut made = Vec::new();
        for (at, entry) in table.entries.iter().enumerate() {
            if let Some(written) = entry.priority.as_ref().and_then(|one| self.value(one)) {
                priority = written.to_number();
            } else if at > 0 {
                match largest_wins {
                    true => priority -= &delta,
                    false => priority += &delta,
                }
            }
            let keys: Vec<_> = entry
                .keys
                .iter()
                .zip(&table.keys)
                .map(|(set, key)| self.key(set, key))
                .collect();
            let keys: Option<Vec<Match>> = keys.into_iter().collect();
            if let (Some(keys), Some((action, arguments))) = (keys, self.action(&entry.action)) {
                made.push(Entry {
                    keys,
                    priority: match (has_order, largest_wins) {
                        (false, _) => BigInt::from(0),
                        (true, true) => priority.clone(),
                        (true, false) => -priority.clone(),
                    },
                    action,
                    arguments,
                    is_constant: table.entries_are_constant || entry.is_constant,
                    ..Entry::default()
                });
            }
        }
        made
    }

    fn property(&mut self, table: &typed::Table, name: &str) -> Option<Data> {
        self.value(&table.property(name)?.value)
    }

    /// A property that is true unless the table says otherwise.
    fn flag(&mut self, table: &typed::Table, name: &str) -> bool {
        self.property(table, name) != Some(Data::Bool(false))
    }

    fn delta(&mut self, table: &typed::Table) -> BigInt {
        let written = self.property(table, "priority_delta");
        written.map_or_else(|| BigInt::from(1), |delta| delta.to_number())
    }

    fn key(&mut self, set: &Set, key: &typed::Key) -> Option<Match> {
        Some(match set {
            Set::All | Set::Named(_) => Match::Any,
            Set::One(one) => {
                let value = self.value(one)?;
                match key.kind.as_str() {
                    "lpm" | "ternary" => whole(&self.program.types, value, &key.value.of),
                    _ => Match::Value(value),
                }
            }
            Set::Mask(one, mask) => Match::Masked {
                value: self.value(one)?.to_number(),
                mask: self.value(mask)?.to_number(),
            },
            Set::Range(low, high) => Match::Range {
                low: self.value(low)?.to_number(),
                high: self.value(high)?.to_number(),
            },
        })
    }
}

/// One value of a key with a mask: all its bits count.
fn whole(types: &crate::types::Types, value: Data, of: &Type) -> Match {
    match (&value, types.bits(of)) {
        (Data::Number(number), Some(width)) => Match::Masked {
            value: number.clone(),
            mask: fold_mask(width),
        },
        _ => Match::Value(value),
    }
}

/// So many bits.
pub(super) fn fold_mask(width: u64) -> BigInt {
    (BigInt::from(1) << width) - 1
}
