//! Between which clocks of a design values go: the paths that tools must be told of, because no common clock times them.
//!
//! The rules of [`crate::domains`] leave two ways, both in modules that are crossings: into the first flip-flop of a synchronizer,
//! and from the write port of a memory to a read port of another clock. Instances say which clocks of the parent these are, so it
//! is one clock there as well where both are the same. What a foreign module of several clocks does inside is not known: each of
//! its clocks counts as going to each other one.

use crate::domains::register_behind;
use crate::{Clock, Design, Module, ModuleId};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// Pairs of clocks of a module, between which a value goes from the first to the second.
pub type Crossings = BTreeSet<(Clock, Clock)>;

/// Between the clocks of the top. Needs a design that passes [`crate::check::check`].
pub fn crossings(design: &Design) -> Crossings {
    let mut known: SecondaryMap<ModuleId, Crossings> = SecondaryMap::new();
    for (id, module) in design.modules.iter() {
        let mut all = match module.foreign {
            Some(_) => of_foreign(module),
            None => own(module),
        };
        for instance in module.instances.values() {
            let here = |clock: Clock| instance.clocks[clock.as_u32() as usize];
            let inside = known[instance.module].iter();
            all.extend(inside.map(|(from, to)| (here(*from), here(*to))));
        }
        all.retain(|(from, to)| from != to);
        known[id] = all;
    }
    std::mem::take(&mut known[design.top()])
}

/// In the module itself.
fn own(module: &Module) -> Crossings {
    let mut all = Crossings::new();
    for data in module.regs.values().filter(|data| data.is_synchronizer) {
        let source = data.next.and_then(|next| register_behind(module, next));
        all.extend(source.map(|source| (module.regs[source].clock, data.clock)));
    }
    for data in module.mems.values() {
        let reads = data.reads.iter();
        if let Some(write) = data.writes.first() {
            all.extend(reads.map(|read| (write.clock, read.clock)));
        }
    }
    all
}

fn of_foreign(module: &Module) -> Crossings {
    let clocks = module.clocks.keys();
    let pairs = clocks.flat_map(|from| module.clocks.keys().map(move |to| (from, to)));
    pairs.collect()
}
