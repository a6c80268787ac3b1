//! IR → IR: one file a pass, plain functions, and one list that says in which order they run and why.

#![deny(missing_docs)]

mod array_lookup;
mod arrival;
mod bounds;
mod bytes_to_values;
mod conditions;
mod constant;
mod cse;
mod dce;
mod demanded;
mod depth;
mod dominators;
mod exhaustive;
mod expand_mul_div;
pub mod facts;
mod fold;
mod forward_map_values;
mod merge_map_ops;
mod merge_packet_loads;
mod narrow;
mod pieces;
mod pipelines;
mod reassociate;
mod rewrite;
mod simplify_select;
mod tree;
pub mod value_set;

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;

pub use array_lookup::run as array_lookup;
pub use conditions::{are_disjoint, implies, never_together, Literal};
pub use constant::constant_verdict;
pub use depth::limit_depth;
pub use pipelines::{
    optimize_control_flow, optimize_control_flow_without, optimize_dataflow,
    optimize_dataflow_without, Omitted,
};

/// A pass: a name for the command line, what it does in one line, and the function.
pub struct Pass {
    /// For the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Gives whether the program changed.
    pub run: fn(&mut Program) -> Result<bool, Diagnostic>,
}

/// Every pass, in alphabetical order.
pub fn all() -> &'static [Pass] {
    &[
        Pass {
            name: "array_lookup",
            summary: "make compares of lookups in arrays",
            run: array_lookup::run,
        },
        Pass {
            name: "bounds",
            summary: "take constants out of sums that are compared",
            run: bounds::run,
        },
        Pass {
            name: "bytes_to_values",
            summary: "make values of stack and packet bytes (control flow)",
            run: bytes_to_values::run,
        },
        Pass {
            name: "cse",
            summary: "compute the same thing once",
            run: cse::run,
        },
        Pass {
            name: "dce",
            summary: "remove what nobody needs and join blocks",
            run: dce::run,
        },
        Pass {
            name: "expand_mul_div",
            summary: "make divisions and wide products of what hardware has",
            run: expand_mul_div::run,
        },
        Pass {
            name: "fold",
            summary: "compute constants and simplify single operations",
            run: fold::run,
        },
        Pass {
            name: "forward_map_values",
            summary: "take from a map what is known to be there, drop stores that are overwritten",
            run: forward_map_values::run,
        },
        Pass {
            name: "merge_map_ops",
            summary: "make one of map operations that exclude each other (dataflow)",
            run: merge_map_ops::run,
        },
        Pass {
            name: "merge_packet_loads",
            summary: "read packet bytes that are used side by side as one field",
            run: merge_packet_loads::run,
        },
        Pass {
            name: "narrow",
            summary: "run every operation at the width that matters",
            run: narrow::run,
        },
        Pass {
            name: "reassociate",
            summary: "make trees of chains of additions and logic",
            run: reassociate::run,
        },
        Pass {
            name: "simplify_select",
            summary: "simplify selects and conditions",
            run: simplify_select::run,
        },
    ]
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    all().iter().find(|pass| pass.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(all().iter().all(|pass| find(pass.name).is_some()));
        assert!(find("no such pass").is_none());
    }
}
