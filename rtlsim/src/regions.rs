//! Which stores, with all that only they need, are skipped in clocks in which nothing comes of them.
//!
//! A store with a guard keeps the old value in most clocks: a register behind an address decoder, the write port
//! of a memory. The operations that only such stores need form a *region*: a branch skips it while its condition
//! is 0. There are two levels:
//!
//! ```text
//! if write {                      a factor that the guards of many stores have in common
//!     a = select(a_hit, x, a)     too little for a branch: the old value is stored again
//!     if b_hit { ... }            all stores with one guard
//! }
//! ```
//!
//! A branch that the processor does not foresee costs as much as some dozens of operations, so a region must hold
//! enough of them. Stores to memories come after everything else, in their order; regions of their own hold them, and
//! loads from memories are never moved there.

use crate::code::{Code, Limb, Op, Store};
use cranelift_entity::{entity_impl, EntityRef, PrimaryMap, SecondaryMap};
use std::collections::{BTreeMap, HashMap};

/// A part of the clock that is executed under a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(u32);
entity_impl!(Region, "region");

/// The stores in their regions, and where each operation belongs.
pub struct Regions {
    /// The first one is the whole clock.
    pub tree: PrimaryMap<Region, RegionData>,
    /// Without guards.
    pub stores: Vec<(Region, Store)>,
    pub late_stores: Vec<(Region, Store)>,
    /// The innermost region that holds all uses of an operation.
    pub owner: SecondaryMap<Limb, Option<Region>>,
}

#[derive(Clone, Copy)]
pub struct RegionData {
    /// The region around it; its own for the whole clock.
    pub parent: Region,
    /// `None`: the whole clock.
    pub condition: Option<Limb>,
    /// Holds stores to memories.
    late: bool,
}

/// Operations and stores that a region must hold at least.
const MIN_STEPS: u32 = 20;
/// Factors of a guard that are looked at.
const MAX_FACTORS: usize = 8;

/// Puts the stores into regions; guards become selects where no region of their own stands for them.
pub fn plan(code: &mut Code) -> Regions {
    let stores = std::mem::take(&mut code.stores);
    let late_stores = std::mem::take(&mut code.late_stores);
    let mut regions = Regions {
        tree: PrimaryMap::new(),
        stores: Vec::new(),
        late_stores: Vec::new(),
        owner: SecondaryMap::new(),
    };
    let whole = Region::new(0);
    regions.open(whole, None, false);
    regions.stores = regions.propose(code, stores);
    regions.late_stores = regions.propose_late(late_stores);
    regions.assign_owners(code);
    regions.dissolve_small_ones(code);
    regions.resolve_guards(code);
    regions.assign_owners(code);
    regions
}

impl Regions {
    fn open(&mut self, parent: Region, condition: Option<Limb>, late: bool) -> Region {
        self.tree.push(RegionData {
            parent,
            condition,
            late,
        })
    }

    /// A region for each guard, within one for its most common factor.
    fn propose(&mut self, code: &Code, stores: Vec<Store>) -> Vec<(Region, Store)> {
        let mut guards: BTreeMap<Limb, u32> = BTreeMap::new();
        for guard in stores.iter().filter_map(|store| store.guard) {
            *guards.entry(guard).or_default() += 1;
        }
        // How many guards have a factor, and how many stores stand behind them.
        let mut weights: HashMap<Limb, (u32, u32)> = HashMap::new();
        for (guard, count) in &guards {
            for factor in factors(code, *guard) {
                let weight = weights.entry(factor).or_default();
                weight.0 += 1;
                weight.1 += count;
            }
        }
        let whole = Region::new(0);
        let mut outer: HashMap<Limb, Region> = HashMap::new();
        let mut inner: HashMap<Limb, Region> = HashMap::new();
        for guard in guards.keys() {
            let common = factors(code, *guard)
                .into_iter()
                .filter(|factor| factor != guard && weights[factor].0 > 1)
                .max_by_key(|factor| (weights[factor].1, factor.index()));
            let parent = match common {
                Some(factor) => *outer
                    .entry(factor)
                    .or_insert_with(|| self.open(whole, Some(factor), false)),
                None => whole,
            };
            inner.insert(*guard, self.open(parent, Some(*guard), false));
        }
        let region = |store: &Store| store.guard.map_or(whole, |guard| inner[&guard]);
        stores
            .into_iter()
            .map(|store| (region(&store), store))
            .collect()
    }

    /// A region for each run of stores with one guard: stores to one memory must keep their order.
    fn propose_late(&mut self, stores: Vec<Store>) -> Vec<(Region, Store)> {
        let whole = Region::new(0);
        let mut last = (None, whole);
        let mut placed = Vec::new();
        for store in stores {
            if store.guard != last.0 {
                last = (store.guard, self.open(whole, store.guard, true));
            }
            placed.push((last.1, store));
        }
        placed
    }

    /// The innermost region around two regions.
    fn common(&self, mut a: Region, mut b: Region) -> Region {
        while a != b {
            // A region is younger than those around it.
            if a > b {
                a = self.tree[a].parent;
            } else {
                b = self.tree[b].parent;
            }
        }
        a
    }

    fn assign_owners(&mut self, code: &Code) {
        let mut owner: SecondaryMap<Limb, Option<Region>> = SecondaryMap::new();
        let mut uses: Vec<(Region, Limb)> = Vec::new();
        for (region, store) in self.stores.iter().chain(&self.late_stores) {
            uses.push((*region, store.value));
            uses.extend(store.at.map(|at| (*region, at)));
            uses.extend(store.guard.map(|guard| (self.tree[*region].parent, guard)));
        }
        let whole = Region::new(0);
        for store in code.calls.iter().flat_map(|call| &call.stores) {
            uses.push((whole, store.value));
        }
        for data in self.tree.values() {
            uses.extend(data.condition.map(|condition| (data.parent, condition)));
        }
        for (region, limb) in uses {
            owner[limb] = Some(owner[limb].map_or(region, |other| self.common(region, other)));
        }
        // Users come behind their arguments, so all uses of a limb are known when it is reached.
        for (limb, op) in code.ops.iter().rev() {
            let Some(mut region) = owner[limb] else {
                continue;
            };
            if matches!(op, Op::LoadAt { .. }) && self.tree[region].late {
                region = Region::new(0);
                owner[limb] = Some(region);
            }
            for arg in op.args() {
                owner[arg] = Some(owner[arg].map_or(region, |other| self.common(region, other)));
            }
        }
        self.owner = owner;
    }

    /// Gives the stores of regions that are not worth a branch to the regions around them.
    fn dissolve_small_ones(&mut self, code: &Code) {
        let mut steps: SecondaryMap<Region, u32> = SecondaryMap::new();
        for limb in code.ops.keys().filter(|limb| !code.is_remade(*limb)) {
            if let Some(region) = self.owner[limb] {
                steps[region] += 1;
            }
        }
        for (region, _) in self.stores.iter().chain(&self.late_stores) {
            steps[*region] += 1;
        }
        // Inner regions first; what they hold counts for the region around them.
        let mut stays: SecondaryMap<Region, bool> = SecondaryMap::new();
        for region in self.tree.keys().skip(1).rev() {
            stays[region] = steps[region] >= MIN_STEPS;
            let parent = self.tree[region].parent;
            let own = steps[region];
            steps[parent] += own;
        }
        let mut target: SecondaryMap<Region, Region> = SecondaryMap::with_default(Region::new(0));
        for region in self.tree.keys().skip(1) {
            let parent = target[self.tree[region].parent];
            self.tree[region].parent = parent;
            target[region] = if stays[region] { region } else { parent };
        }
        for (region, _) in self.stores.iter_mut().chain(&mut self.late_stores) {
            *region = target[*region];
        }
        // What is left of a dissolved region must not ask for its condition.
        for region in self.tree.keys().skip(1) {
            if !stays[region] {
                self.tree[region].condition = None;
            }
        }
    }

    fn resolve_guards(&mut self, code: &mut Code) {
        for (region, store) in self.stores.iter_mut().chain(&mut self.late_stores) {
            let Some(guard) = store.guard.take() else {
                continue;
            };
            if self.tree[*region].condition == Some(guard) {
                continue;
            }
            match (store.at, code.ops[store.value]) {
                (Some(at), _) => {
                    let elsewhere = code.constant(u64::from(store.otherwise));
                    store.at = Some(code.select(guard, at, elsewhere));
                }
                // One select for the address in place of one for each limb.
                (
                    None,
                    Op::LoadAt {
                        at,
                        offset,
                        bytes,
                        bits,
                    },
                ) if (bytes, bits) == (store.bytes, store.bits) && offset <= store.otherwise => {
                    let elsewhere = code.constant(u64::from(store.otherwise - offset));
                    let at = code.select(guard, at, elsewhere);
                    store.value = code.load_at(at, offset, bytes, bits.into());
                }
                (None, _) => {
                    let old = code.load(store.otherwise, store.bytes, store.bits.into());
                    store.value = code.select(guard, store.value, old);
                }
            }
        }
    }
}

/// What must all be 1 for a guard to be 1.
fn factors(code: &Code, guard: Limb) -> Vec<Limb> {
    let mut factors = vec![guard];
    let mut next = 0;
    while next < factors.len() && factors.len() < MAX_FACTORS {
        match code.ops[factors[next]] {
            Op::And(a, b) if code.is_bool(a) && code.is_bool(b) => {
                factors.swap_remove(next);
                factors.extend([a, b]);
            }
            _ => next += 1,
        }
    }
    factors
}
