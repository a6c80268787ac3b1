//! Maps as hardware: a table of keys, the memory of their values, the host's side of both, and the sweep after reset.
//!
//! There are two ways to a map.
//!
//! * **Fixed latency** ([`table`], [`values`]): the blocks stand in the module of whoever uses them. What they take comes through
//!   wires that are driven in the clock for which a port says it, and what they give stands in registers a known number of
//!   clocks later. Who schedules its accesses chooses these clocks, carries what it needs between them, and keeps apart what
//!   the classes of hazards want apart.
//! * **Requests** ([`served`]): a module that takes a request a clock and answers in order, whatever the latency and the kind of the
//!   map is. Nobody has to keep anything apart.

#![warn(missing_docs)]

pub mod served;
pub mod sizes;
pub mod table;
pub mod values;

use hardpath_blocks::ternary::{Match, Ternary};
use hardpath_ir::{MapDecl, Match as By};

/// The block of a table of fields, without a name.
pub fn ternary_of(decl: &MapDecl, registers: bool) -> Ternary {
    Ternary {
        name: String::new(),
        map: decl.name.clone(),
        fields: ternary_fields(decl),
        entries: decl.max_entries,
        masks: decl.most_masks,
        registers,
    }
}

/// The fields of a table's keys, as the block takes them.
pub fn ternary_fields(decl: &MapDecl) -> Vec<(Match, u32)> {
    let fields = decl.fields.iter();
    fields
        .map(|field| {
            let by = match field.by {
                By::Exact => Match::Exact,
                By::Prefix => Match::Prefix,
                By::Ternary => Match::Ternary,
                By::Range => Match::Range,
            };
            (by, field.bits)
        })
        .collect()
}
