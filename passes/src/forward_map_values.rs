//! Map memory within one packet: what was just stored need not be loaded, what was loaded need not be loaded again,
//! what is overwritten at once need not be stored.
//!
//! ```text
//! map.store counters, v0, 0:32, v1       …
//! v2 = map.load counters, v0, 0:32   →   …                                (v2 is v1)
//! map.store counters, v0, 0:32, v3       map.store counters, v0, 0:32, v3
//! ```
//!
//! Within one block only, and only for the same entry, offset, width and guard: then nothing must be known about which
//! entries may be the same. Any other write to the map ends what was known about it; a lookup too is forgotten when keys
//! change. (Packets that follow one another are the pipeline's business: hazards.)

use crate::rewrite::{rewrite, Rewriter, Rules, Visitor};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Block, Inst, MapId, Op, Program, Value};
use std::collections::{HashMap, HashSet};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let dead = overwritten_stores(program);
    let mut forwarding = Forwarding {
        dead,
        words: HashMap::new(),
        lookups: HashMap::new(),
    };
    Ok(rewrite(program, Rules::ShareOnly, &mut forwarding))
}

/// Where in a map: entry, offset, width, and the guard under which it was touched.
type Word = (Value, Value, u32, Option<Value>);

/// Stores that are overwritten in their block before anything could see them.
fn overwritten_stores(program: &Program) -> HashSet<Inst> {
    let mut dead = HashSet::new();
    for &block in &program.order {
        // From the end: the words that will be overwritten, unseen.
        let mut overwritten: HashMap<MapId, HashSet<Word>> = HashMap::new();
        for &inst in program.blocks[block].insts.iter().rev() {
            let data = &program.insts[inst];
            match data.op {
                Op::MapStore(map) => {
                    let width = program.width(data.args[2]);
                    let word = (data.args[0], data.args[1], width, data.guard);
                    if !overwritten.entry(map).or_default().insert(word) {
                        dead.insert(inst);
                    }
                }
                Op::MapLookup(_) => {}
                _ => {
                    if let Some(map) = data.op.map() {
                        overwritten.remove(&map);
                    }
                }
            }
        }
    }
    dead
}

struct Forwarding {
    dead: HashSet<Inst>,
    /// What words of each map hold.
    words: HashMap<MapId, HashMap<Word, Value>>,
    lookups: HashMap<MapId, HashMap<(Value, Option<Value>), Inst>>,
}

impl Visitor for Forwarding {
    fn enter_block(&mut self, _rewriter: &mut Rewriter, _block: Block) {
        self.words.clear();
        self.lookups.clear();
    }

    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let data = &rewriter.program.insts[inst];
        let guard = data.guard;
        match data.op {
            Op::MapStore(_) if self.dead.contains(&inst) => {
                rewriter.mark_changed();
                true
            }
            Op::MapStore(map) => {
                let width = rewriter.program.width(data.args[2]);
                let word = (data.args[0], data.args[1], width, guard);
                let words = self.words.entry(map).or_default();
                words.clear();
                // The results of a load that does not happen are 0; a store's operand need not be.
                if guard.is_none() {
                    words.insert(word, data.args[2]);
                }
                false
            }
            Op::MapLoad(map) => {
                let result = data.results[0];
                let width = rewriter.program.width(result);
                let word = (data.args[0], data.args[1], width, guard);
                let words = self.words.entry(map).or_default();
                if let Some(&value) = words.get(&word) {
                    rewriter.replace(result, value);
                    return true;
                }
                words.insert(word, result);
                false
            }
            Op::MapLookup(map) => {
                let lookups = self.lookups.entry(map).or_default();
                let key = (data.args[0], guard);
                let Some(&earlier) = lookups.get(&key) else {
                    lookups.insert(key, inst);
                    return false;
                };
                let results = data.results.clone();
                let same = rewriter.program.insts[earlier].results.clone();
                for (result, same) in results.into_iter().zip(same) {
                    rewriter.replace(result, same);
                }
                true
            }
            Op::MapUpdate(map) | Op::MapDelete(map) => {
                self.words.remove(&map);
                self.lookups.remove(&map);
                false
            }
            Op::MapAtomic(map, _) => {
                self.words.remove(&map);
                false
            }
            _ => false,
        }
    }
}
