//! What entries of tables become: keys and values of the tables of the IR, in memory order.

use super::layout::{little, Key, KeyField, PRIORITY_OFFSET};
use super::tables::row_bits;
use super::{ir, Lowered, LoweredTable};
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
    /// An entry of a table; `None`: the table has none that the control plane changes.
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
