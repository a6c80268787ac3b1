//! The fields of values that are no rows: what counters and meters hold, cells of registers, values of sets.

use super::super::externs::meters::{BUCKETS, BURSTS, COSTS, IS_SET};
use super::super::node::width_of;
use super::{Bits, Field};
use crate::types::{Type, Types};

/// What a counter has counted.
pub(super) fn pair() -> Vec<Field> {
    let word = |lo| Bits { lo, width: 64 };
    vec![
        Field::new("packets", word(0)),
        Field::new("bytes", word(64)),
    ]
}

/// The rates of a meter.
pub(super) fn rates() -> Vec<Field> {
    let names = [
        "is_set",
        "committed_cost",
        "peak_cost",
        "committed_burst",
        "peak_burst",
    ];
    let places = [&[IS_SET][..], &COSTS, &BURSTS].concat();
    placed(&names, &places)
}

/// The buckets of a meter.
pub(super) fn buckets() -> Vec<Field> {
    placed(&["committed_empty", "peak_empty"], &BUCKETS)
}

pub(super) fn placed(names: &[&str], places: &[Bits]) -> Vec<Field> {
    let fields = names.iter().zip(places);
    fields
        .map(|(name, bits)| Field::new(*name, *bits))
        .collect()
}

/// The values that a value set holds: the first one lowest.
pub(super) fn members(types: &Types, of: &Type, name: &str, fields: &mut Vec<Field>) {
    if let Type::New(number) = of {
        return members(types, &types.news[*number].below, name, fields);
    }
    let width = width_of(types, of);
    if width > 0 {
        let filled = |last: &Field| last.bits.lo + last.bits.width;
        let lo = fields.last().map_or(0, filled);
        fields.push(Field::new(name, Bits { lo, width }));
    }
    let mut at = 0;
    while let Some(part) = types.part(of, at) {
        members(types, part, &part_name(types, of, name, at), fields);
        at += 1;
    }
}

/// The parts of a cell of a register, below `top`: the first one highest.
pub(super) fn cell(types: &Types, of: &Type, name: &str, top: &mut u32, fields: &mut Vec<Field>) {
    if let Type::New(number) = of {
        return cell(types, &types.news[*number].below, name, top, fields);
    }
    let width = width_of(types, of);
    if width > 0 {
        *top -= packed_width(types, of);
        fields.push(Field::new(name, Bits { lo: *top, width }));
        return;
    }
    let mut at = 0;
    while let Some(part) = types.part(of, at) {
        cell(types, part, &part_name(types, of, name, at), top, fields);
        at += 1;
    }
}

fn part_name(types: &Types, of: &Type, name: &str, at: usize) -> String {
    match of {
        Type::Record(number) => format!("{name}.{}", types.records[*number].fields[at].name),
        _ => format!("{name}[{at}]"),
    }
}

/// Bits of all parts of a type, as a cell of a register holds them.
pub(in super::super) fn packed_width(types: &Types, of: &Type) -> u32 {
    match of {
        Type::New(number) => packed_width(types, &types.news[*number].below),
        Type::Enum(number) if types.enums[*number].below.is_none() => 32,
        Type::Error => 32,
        of => {
            let mut sum = width_of(types, of);
            let mut at = 0;
            while let Some(part) = types.part(of, at) {
                sum += packed_width(types, part);
                at += 1;
            }
            sum
        }
    }
}
