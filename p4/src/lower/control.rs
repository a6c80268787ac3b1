//! What entries of tables become: keys and values of the tables of the IR, in memory order.

use super::layout::{little, Key, KeyField, PRIORITY_OFFSET};
use super::tables::row_bits;
use super::{ir, prefixes, Lowered, LoweredTable};
use crate::interpreter::{Data, Entry, Match};
use crate::typed;
use num_bigint::BigInt;

/// An entry of a table of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The table.
    pub map: ir::MapId,
    /// Its key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

impl Lowered {
    /// An entry of a table as the table of the IR has it: one row, or where ranges are expanded several, of which each key is found by one;
    /// none: the table has no entries that the control plane changes.
    pub fn rows(&self, table: usize, of: &typed::Table, entry: &Entry) -> Vec<Written> {
        let Some(one) = self.entry(table, of, entry) else {
            return Vec::new();
        };
        let made = &self.tables[table];
        if !made.expands() {
            return vec![one];
        }
        let places = Key::of_table(of, made, self.program.maps[one.map].key_bytes);
        let mut all: Vec<Vec<Match>> = vec![Vec::new()];
        for (key, width, expanded) in made.matched(of, entry) {
            let ways = match expanded {
                true => prefixes::prefixes(key, width),
                false => vec![key.clone()],
            };
            let longer =
                |front: &Vec<Match>, way: &Match| [&front[..], std::slice::from_ref(way)].concat();
            let longer = all
                .iter()
                .flat_map(|front| ways.iter().map(move |way| longer(front, way)));
            all = longer.collect();
        }
        let rows = all.iter().map(|keys| Written {
            key: key(&places, keys.iter(), &entry.priority),
            ..one.clone()
        });
        rows.collect()
    }

    /// How many rows these are.
    pub fn row_count(&self, table: usize, of: &typed::Table, entry: &Entry) -> u64 {
        let Some(made) = self.tables.get(table) else {
            return 0;
        };
        let keys = made.matched(of, entry).filter(|(_, _, expanded)| *expanded);
        prefixes::product(keys.map(|(key, width, _)| prefixes::count(key, width)))
    }

    /// An entry of a table; `None`: the table has none that the control plane changes. Where ranges are expanded its key has the ranges as
    /// they are, and stands for all [`rows`](Lowered::rows).
    pub fn entry(&self, table: usize, of: &typed::Table, entry: &Entry) -> Option<Written> {
        let made = self.tables.get(table)?;
        let map = made.entries?;
        let decl = &self.program.maps[map];
        let places = Key::of_table(of, made, decl.key_bytes);
        let matched = of.matched_keys().map(|(at, _)| &entry.keys[at]);
        let key = key(&places, matched, &entry.priority);
        let mut value = vec![0; made.front_bytes() as usize];
        match made.profile {
            // Where members stand is a matter of who puts them there.
            Some(profile) => value.extend(vec![0; self.profiles[&profile].bytes() as usize]),
            None => value.extend(row(made, entry.action, &entry.arguments)),
        }
        value.resize(decl.value_bytes as usize, 0);
        made.set_time(&mut value, entry.last_found);
        if let Some(there) = made.is_there() {
            value[there.lo as usize / 8] |= 1 << (there.lo % 8);
        }
        Some(Written { map, key, value })
    }

    /// What stands in a table of places where there is no entry; `None`: of other tables, from which entries are taken.
    pub(super) fn vacant(&self, table: usize) -> Option<Vec<u8>> {
        let made = self.tables.get(table)?;
        let decl = &self.program.maps[made.entries?];
        made.is_there().map(|_| vec![0; decl.value_bytes as usize])
    }

    /// The default action of a table; `None`: it is constant.
    pub fn default(&self, table: usize, default: &(usize, Vec<Data>)) -> Option<Written> {
        let made = self.tables.get(table)?;
        Some(Written {
            map: made.default?,
            key: vec![0; 4],
            value: row(made, default.0, &default.1),
        })
    }
}

impl LoweredTable {
    /// An entry is several rows of the table of the IR.
    pub fn expands(&self) -> bool {
        self.expanded.contains(&true)
    }

    /// What an entry says of each key that is matched, the bits of the key, and whether it is expanded.
    fn matched<'e>(
        &'e self,
        of: &'e typed::Table,
        entry: &'e Entry,
    ) -> impl Iterator<Item = (&'e Match, u32, bool)> {
        of.matched_keys().map(|(at, _)| {
            let expanded = self.expanded.get(at).copied().unwrap_or(false);
            (&entry.keys[at], self.keys[at], expanded)
        })
    }
}

pub(super) fn row(made: &LoweredTable, action: usize, arguments: &[Data]) -> Vec<u8> {
    let numbers: Vec<BigInt> = arguments.iter().map(Data::to_number).collect();
    little(&made.row(action, &numbers), row_bits(made).div_ceil(8))
}

fn value_of(key: &Match) -> BigInt {
    match key {
        Match::Any => BigInt::from(0),
        Match::Value(value) => value.to_number(),
        Match::Masked { value, mask } => value & mask,
        Match::Range { low, .. } => low.clone(),
    }
}

fn ones(width: u32) -> BigInt {
    (BigInt::from(1) << width) - 1
}

fn mask_of(key: &Match, width: u32) -> BigInt {
    match key {
        Match::Any => BigInt::from(0),
        Match::Masked { mask, .. } => mask.clone(),
        _ => ones(width),
    }
}

/// What an entry says of a field, and the mask of that.
fn value_and_mask(key: &Match, place: &KeyField) -> (BigInt, BigInt) {
    let width = place.field.bits.width;
    match (key, place.kind.as_str()) {
        (Match::Range { low, high }, _) => (low.clone(), high.clone()),
        (Match::Value(value), "range") => (value.to_number(), value.to_number()),
        (Match::Any, "range") => (BigInt::from(0), ones(width)),
        (key, "exact") => (value_of(key), ones(width)),
        (key, _) => (value_of(key), mask_of(key, width)),
    }
}

/// The key of an entry; of priorities the larger one wins.
fn key<'e>(places: &Key, keys: impl Iterator<Item = &'e Match>, priority: &BigInt) -> Vec<u8> {
    let keys = keys.zip(&places.fields);
    let (values, masks): (Vec<_>, Vec<_>) =
        keys.map(|(key, place)| value_and_mask(key, place)).unzip();
    let mut key = Vec::new();
    let fields = places.fields.iter().zip(&masks);
    let mut prefixes = fields.filter(|(place, _)| place.kind == "lpm");
    let length = prefixes
        .next()
        .map_or(0, |(_, mask)| mask.magnitude().count_ones());
    if let Some(fixed) = places.fixed {
        key.extend((fixed + length as u32).to_le_bytes());
    }
    key.extend(places.in_order(&places.number(&values)));
    if places.has_masks {
        let fill = places.fill();
        let masks = places.number(&masks) + fill.of(&ones(fill.width));
        key.extend(places.in_order(&masks));
        let priority = match places.priority_is_length {
            true => BigInt::from(length),
            false => priority.clone(),
        };
        let priority = priority + BigInt::from(PRIORITY_OFFSET);
        let priority = u32::try_from(priority).unwrap_or(u32::MAX);
        key.extend(priority.to_le_bytes());
    }
    key
}
