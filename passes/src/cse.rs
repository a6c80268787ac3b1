//! Common subexpressions: what has been computed on the way here is not computed again.
//!
//! ```text
//! v2 = add v0, v1
//! v3 = add v1, v0      →     v2 = add v0, v1
//! v4 = xor v2, v3            v4 = xor v2, v2
//! ```
//!
//! Pure operations are shared wherever the first dominates the second; the [`crate::rewrite`] walk does that by
//! itself. Reads are shared, too, where nothing can have changed what they read: packet loads before the first store,
//! lookups in a map whose keys the program never changes, loads from a map that it never writes. Effects that write
//! are never shared.

use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Block, Inst, MapId, Op, Program, Value};
use std::collections::HashMap;

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let mut reads = Reads {
        changed: SecondaryMap::new(),
        packet_written: false,
        known: HashMap::new(),
    };
    for (_, inst) in program.insts_in_order() {
        let op = &program.insts[inst].op;
        if let Some(map) = op.map() {
            let changed = &mut reads.changed[map];
            changed.keys |= matches!(op, Op::MapUpdate(_) | Op::MapDelete(_));
            changed.values |= op.writes();
        }
    }
    Ok(rewrite(program, Rules::ShareOnly, &mut reads))
}

/// What a program changes of a map.
#[derive(Clone, Copy, Default)]
struct Changed {
    keys: bool,
    values: bool,
}

/// A read: operation, arguments, width of the first result, guard.
type Key = (Op, Vec<Value>, u32, Option<Value>);

struct Reads {
    changed: SecondaryMap<MapId, Changed>,
    packet_written: bool,
    known: HashMap<Key, Vec<(Block, Inst)>>,
}

impl Visitor for Reads {
    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        let constant = match data.op {
            Op::PacketStore | Op::PacketClear => {
                self.packet_written = true;
                false
            }
            Op::PacketLoad => !self.packet_written,
            Op::MapLookup(map) => !self.changed[map].keys,
            Op::MapLoad(map) => !self.changed[map].values,
            _ => false,
        };
        if !constant {
            return false;
        }
        let width = rewriter.program.width(data.results[0]);
        let key = (data.op.clone(), data.args.clone(), width, data.guard);
        let known = self.known.entry(key).or_default();
        let here = rewriter.block();
        let earlier = known
            .iter()
            .find(|(block, _)| rewriter.dominates(*block, here));
        let Some(&(_, earlier)) = earlier else {
            known.push((here, inst));
            return false;
        };
        let results = rewriter.program.insts[inst].results.clone();
        let same = rewriter.program.insts[earlier].results.clone();
        for (result, same) in results.into_iter().zip(same) {
            rewriter.replace(result, same);
        }
        true
    }
}
