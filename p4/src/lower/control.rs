//! What entries of tables become: keys and values of the tables of the IR, in memory order.

use super::tables::{find_of, row_bits, COUNT_BYTES};
use super::{ir, Lowered, LoweredTable};
use crate::interpreter::{Data, Entry, Match};
use crate::typed;
use hardpath_ir::Find;
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
        let key = match find_of(&kinds(of)).ok()? {
            Find::Prefix => prefix_key(made, of, entry, decl.key_bytes),
            Find::Ternary => ternary_key(made, of, entry, decl.key_bytes),
            _ => {
                let numbers: Vec<BigInt> = entry.keys.iter().map(value_of).collect();
                bytes(&side_by_side(&numbers, &made.keys), decl.key_bytes)
            }
        };
        let mut value = vec![0; if made.counts { COUNT_BYTES as usize } else { 0 }];
        value.extend(row(made, entry.action, &entry.arguments));
        Some(Written { map, key, value })
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

fn kinds(of: &typed::Table) -> Vec<&str> {
    of.keys.iter().map(|key| key.kind.as_str()).collect()
}

fn row(made: &LoweredTable, action: usize, arguments: &[Data]) -> Vec<u8> {
    let numbers: Vec<BigInt> = arguments.iter().map(Data::to_number).collect();
    bytes(&made.row(action, &numbers), row_bits(made).div_ceil(8))
}

/// The last byte of a number first.
fn bytes(number: &BigInt, count: u32) -> Vec<u8> {
    let (_, mut bytes) = number.to_bytes_le();
    bytes.resize(count as usize, 0);
    bytes
}

/// The first one in the lowest bits.
fn side_by_side(numbers: &[BigInt], widths: &[u32]) -> BigInt {
    let mut all = BigInt::from(0);
    let mut lo = 0;
    for (number, width) in numbers.iter().zip(widths) {
        all += crate::value::wrap(number.clone(), *width, false) << lo;
        lo += width;
    }
    all
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

/// A length, and the fields that must be the same with the prefix behind them, the first bit on top.
fn prefix_key(made: &LoweredTable, of: &typed::Table, entry: &Entry, key_bytes: u32) -> Vec<u8> {
    let last = of.prefix().unwrap_or(0);
    let order = (0..made.keys.len()).filter(|at| *at != last).chain([last]);
    let (mut data, mut width) = (BigInt::from(0), 0);
    for at in order {
        let wide = made.keys[at];
        data = (data << wide) + crate::value::wrap(value_of(&entry.keys[at]), wide, false);
        width += wide;
    }
    let mask = mask_of(&entry.keys[last], made.keys[last]);
    let length = width - made.keys[last] + mask.magnitude().count_ones() as u32;
    let data_bytes = key_bytes - 4;
    data <<= data_bytes * 8 - width;
    let mut key = length.to_le_bytes().to_vec();
    let mut data = bytes(&data, data_bytes);
    data.reverse();
    key.extend(data);
    key
}

/// Fields, their masks, and a priority, of which the larger one wins.
fn ternary_key(made: &LoweredTable, of: &typed::Table, entry: &Entry, key_bytes: u32) -> Vec<u8> {
    let mut values = Vec::new();
    let mut masks = Vec::new();
    for ((key, kind), width) in entry.keys.iter().zip(&of.keys).zip(&made.keys) {
        let (value, mask) = match (key, kind.kind.as_str()) {
            (Match::Range { low, high }, _) => (low.clone(), high.clone()),
            (Match::Value(value), "range") => (value.to_number(), value.to_number()),
            (Match::Any, "range") => (BigInt::from(0), ones(*width)),
            (key, "exact") => (value_of(key), ones(*width)),
            (key, _) => (value_of(key), mask_of(key, *width)),
        };
        values.push(value);
        masks.push(mask);
    }
    let filled: u32 = made.keys.iter().sum();
    let mut mask = side_by_side(&masks, &made.keys);
    mask += ones(key_bytes * 8 - filled) << filled;
    let mut key = bytes(&side_by_side(&values, &made.keys), key_bytes);
    key.extend(bytes(&mask, key_bytes));
    let middle = BigInt::from(1u32 << 31);
    let priority = u32::try_from(&entry.priority + middle).unwrap_or(u32::MAX);
    key.extend(priority.to_le_bytes());
    key
}
