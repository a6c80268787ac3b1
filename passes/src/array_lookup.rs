//! A lookup in an array is a compare.
//!
//! ```text
//! v1, v2 = map.lookup counters, v0     →     v1 = ult v0, 256:32
//!                                            v2 = v0
//! ```
//!
//! An array's entry is its index. Where the key is out of range, the entry is that key and not 0; no lowered program can tell,
//! because none touches a value before it has looked at the hit bit.

use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Inst, Op, Program};

/// Runs the pass; gives whether the program changed.
///
/// # Errors
/// None.
pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    struct Lookups;
    impl Visitor for Lookups {
        fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
            let data = &rewriter.program.insts[inst];
            let Op::MapLookup(map) = data.op else {
                return false;
            };
            let decl = &rewriter.program.maps[map];
            if !decl.is_array() {
                return false;
            }
            let (key, guard) = (data.args[0], data.guard);
            let (hit, entry) = (data.results[0], data.results[1]);
            let entries = Bits::from_u64(u64::from(decl.max_entries), 33);
            // 33 bits: there may be 2^32 − 1 entries, but a compare must not wrap.
            let wide_key = rewriter.resize(key, 33);
            let limit = rewriter.constant(entries);
            let mut is_hit = rewriter.compare(Op::Ult, wide_key, limit);
            if let Some(guard) = guard {
                is_hit = rewriter.binary(Op::And, guard, is_hit);
            }
            let index = rewriter.resize(key, 32);
            rewriter.replace(hit, is_hit);
            rewriter.replace(entry, index);
            true
        }
    }
    Ok(rewrite(program, Rules::Fold, &mut Lookups))
}
