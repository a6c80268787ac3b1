//! IR → IR: one file a pass, plain functions, and one list that says in which order they run and why.

#![deny(missing_docs)]

mod array_lookup;
mod arrival;
mod begins;
mod bounds;
mod bytes_to_values;
mod conditions;
mod constant;
mod copies;
mod count_rounds;
mod cse;
mod dce;
mod demanded;
mod depth;
mod exhaustive;
mod expand;
mod expand_mul_div;
pub mod facts;
mod flatten;
mod fold;
mod forward_map_values;
mod inline;
mod limits;
mod loops;
mod merge_map_ops;
mod merge_packet_loads;
mod narrow;
mod phases;
mod pieces;
mod pipelines;
mod reaching;
mod reassociate;
mod rewrite;
mod simplify_select;
mod tree;
mod unroll;
pub mod value_set;

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Phase, Program};

pub use array_lookup::run as array_lookup;
pub use conditions::{are_disjoint, implies, never_together, Literal};
pub use constant::{constant_fate, ConstantFate};
pub use depth::{limit_depth, TOO_DEEP};
pub use expand_mul_div::PIECES;
pub use limits::MOST_INSTRUCTIONS;
pub use pipelines::{
    lower_structured, optimize_control_flow, optimize_control_flow_without, optimize_dataflow,
    optimize_dataflow_without, optimize_in_memory, Omitted,
};

/// A pass: a name for the command line, what it does in one line, and the function.
pub struct Pass {
    /// For the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The phases in which it may run.
    pub phases: &'static [Phase],
    /// Gives whether the program changed. [`Pass::run`] asks for the phase first.
    pub step: fn(&mut Program) -> Result<bool, Vec<Diagnostic>>,
}

impl Pass {
    /// Runs the pass on a program that the verifier has nothing to say of; gives whether it changed.
    ///
    /// # Errors
    /// The program is in a phase that the pass is not for, or the pass refuses it.
    pub fn run(&self, program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
        phases::check(self.name, self.phases, program).map_err(|error| vec![error])?;
        (self.step)(program)
    }
}

/// Of passes that remove what only a structured program has.
const STRUCTURED: &[Phase] = &[Phase::Structured];
/// Of passes that take each block before its successors, and give no stages to what they make.
const UNSCHEDULED: &[Phase] = &[Phase::ControlFlow, Phase::Dataflow];

/// Every pass, in alphabetical order.
pub fn all() -> &'static [Pass] {
    &[
        Pass {
            name: "array_lookup",
            summary: "make compares of lookups in arrays",
            phases: UNSCHEDULED,
            step: |program| several(array_lookup::run(program)),
        },
        Pass {
            name: "begins",
            summary: "find where packets with bytes in front begin (control flow)",
            phases: &[Phase::ControlFlow],
            step: |program| several(begins::run(program)),
        },
        Pass {
            name: "bounds",
            summary: "take constants out of sums that are compared",
            phases: UNSCHEDULED,
            step: |program| several(bounds::run(program)),
        },
        Pass {
            name: "bytes_to_values",
            summary: "make values of stack and packet bytes (control flow)",
            phases: &[Phase::ControlFlow],
            step: |program| several(bytes_to_values::run(program)),
        },
        Pass {
            name: "count_rounds",
            summary: "find bounds of loops that count (structured)",
            phases: STRUCTURED,
            step: |program| several(count_rounds::run(program)),
        },
        Pass {
            name: "cse",
            summary: "compute the same thing once",
            phases: UNSCHEDULED,
            step: |program| several(cse::run(program)),
        },
        Pass {
            name: "dce",
            summary: "remove what nobody needs and join blocks",
            phases: &[
                Phase::Structured,
                Phase::ControlFlow,
                Phase::Dataflow,
                Phase::Scheduled,
            ],
            step: |program| several(dce::run(program)),
        },
        Pass {
            name: "expand",
            summary: "make loads, stores and sums of whole operations (structured)",
            phases: STRUCTURED,
            step: expand::run,
        },
        Pass {
            name: "expand_mul_div",
            summary: "make divisions and wide products of what hardware has",
            phases: UNSCHEDULED,
            step: |program| several(expand_mul_div::run(program)),
        },
        Pass {
            name: "flatten",
            summary: "make control flow of a program without loops, calls and whole operations (structured)",
            phases: STRUCTURED,
            step: flatten::run,
        },
        Pass {
            name: "fold",
            summary: "compute constants and simplify single operations",
            phases: &[Phase::Structured, Phase::ControlFlow, Phase::Dataflow],
            step: |program| several(fold::run(program)),
        },
        Pass {
            name: "forward_map_values",
            summary: "take from a map what is known to be there, drop stores that are overwritten",
            phases: UNSCHEDULED,
            step: |program| several(forward_map_values::run(program)),
        },
        Pass {
            name: "inline",
            summary: "put functions in place of their calls (structured)",
            phases: STRUCTURED,
            step: inline::run,
        },
        Pass {
            name: "merge_map_ops",
            summary: "make one of map operations that exclude each other (dataflow)",
            phases: &[Phase::Dataflow],
            step: |program| several(merge_map_ops::run(program)),
        },
        Pass {
            name: "merge_packet_loads",
            summary: "read packet bytes that are used side by side as one field",
            phases: UNSCHEDULED,
            step: |program| several(merge_packet_loads::run(program)),
        },
        Pass {
            name: "narrow",
            summary: "run every operation at the width that matters",
            phases: UNSCHEDULED,
            step: |program| several(narrow::run(program)),
        },
        Pass {
            name: "reassociate",
            summary: "make trees of chains of additions and logic",
            phases: UNSCHEDULED,
            step: |program| several(reassociate::run(program)),
        },
        Pass {
            name: "simplify_select",
            summary: "simplify selects and conditions",
            phases: UNSCHEDULED,
            step: |program| several(simplify_select::run(program)),
        },
        Pass {
            name: "unroll",
            summary: "write out loops whose bound is known (structured)",
            phases: STRUCTURED,
            step: unroll::run,
        },
    ]
}

/// A refusal as the only one of several.
fn several(result: Result<bool, Diagnostic>) -> Result<bool, Vec<Diagnostic>> {
    result.map_err(|error| vec![error])
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
