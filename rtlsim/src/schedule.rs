//! The order of a clock's operations, cut into chunks that become functions.
//!
//! Operations stand in the order in which a depth-first walk from the stores needs them, so most values are used soon
//! after they are made; those of a region stand together. A value that a later chunk uses goes through a scratch place
//! in the arena; what [`Code::is_remade`] is simply made again. Cranelift's time grows faster than a
//! function's length: hence chunks.

use crate::code::{Code, Limb, Op, Store};
use crate::regions::{Region, Regions};
use crate::SimError;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::HashSet;

/// Steps that become one function.
pub type Chunk = Vec<(Region, Step)>;

/// The chunks, in order of execution.
pub struct Schedule {
    pub chunks: Vec<Chunk>,
    /// Calls of models, in order: how many chunks are executed before, and the index in [`Code::calls`].
    pub calls: Vec<(usize, usize)>,
    /// Offsets of the values that later chunks use.
    pub scratch: SecondaryMap<Limb, Option<u32>>,
    /// End of the arena.
    pub end: u32,
}

/// What is done in a region.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Compute(Limb),
    Store(Store),
    /// A model is called, by the index in [`Code::calls`]. It stands between chunks, in none of them.
    Call(usize),
}

/// Steps in a chunk.
const CHUNK: usize = 1000;

/// Orders the operations; scratch places begin at `end`.
pub fn schedule(code: &Code, regions: &Regions, end: u32) -> Result<Schedule, SimError> {
    let (chunks, calls) = divide(order(code, regions));
    let mut home: SecondaryMap<Limb, u32> = SecondaryMap::new();
    let mut scratch: SecondaryMap<Limb, Option<u32>> = SecondaryMap::new();
    let mut end = u64::from(end);
    for (chunk, steps) in (0..).zip(&chunks) {
        for (region, step) in steps {
            let mut used = |limb: Limb| {
                if !code.is_remade(limb) && home[limb] != chunk && scratch[limb].is_none() {
                    scratch[limb] = Some(end as u32);
                    end += 8;
                }
            };
            // A chunk that begins within a region asks for its conditions again.
            let mut around = *region;
            while let Some(condition) = regions.tree[around].condition {
                used(condition);
                around = regions.tree[around].parent;
            }
            match step {
                Step::Compute(limb) => {
                    code.ops[*limb].args().into_iter().for_each(&mut used);
                    home[*limb] = chunk;
                }
                Step::Store(store) => {
                    used(store.value);
                    store.at.into_iter().for_each(used);
                }
                Step::Call(_) => unreachable!("calls stand between chunks"),
            }
        }
    }
    if end >= 1 << 31 {
        return Err(SimError::TooLarge("more than 2 GB of state".into()));
    }
    Ok(Schedule {
        chunks,
        calls,
        scratch,
        end: end as u32,
    })
}

/// Steps as chunks, and the calls between them.
fn divide(steps: Vec<(Region, Step)>) -> (Vec<Chunk>, Vec<(usize, usize)>) {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut calls = Vec::new();
    let mut is_open = false;
    for step in steps {
        if let (_, Step::Call(call)) = step {
            calls.push((chunks.len(), call));
            is_open = false;
            continue;
        }
        match chunks
            .last_mut()
            .filter(|chunk| is_open && chunk.len() < CHUNK)
        {
            Some(chunk) => chunk.push(step),
            None => chunks.push(vec![step]),
        }
        is_open = true;
    }
    (chunks, calls)
}

fn order(code: &Code, regions: &Regions) -> Vec<(Region, Step)> {
    let mut walk = Walk {
        code,
        regions,
        done: SecondaryMap::new(),
        lists: SecondaryMap::new(),
    };
    let whole = Region::new(0);
    for (number, call) in code.calls.iter().enumerate() {
        for store in &call.stores {
            walk.need(store.value);
            walk.lists[whole].push((whole, Step::Store(*store)));
        }
        walk.lists[whole].push((whole, Step::Call(number)));
    }
    walk.region(whole, &contents(regions, &regions.stores));
    // All loads from memories, before the first store to one.
    let late = contents(regions, &regions.late_stores);
    for (region, store) in &regions.late_stores {
        let condition = regions.tree[*region].condition;
        let around = regions.tree[regions.tree[*region].parent].condition;
        let values = [Some(store.value), store.at, condition, around];
        for limb in walk.loads(values.into_iter().flatten()) {
            walk.need(limb);
        }
    }
    walk.region(whole, &late);
    std::mem::take(&mut walk.lists[whole])
}

/// What a region holds directly.
#[derive(Clone, Copy)]
enum Content {
    Store(Store),
    Region(Region),
}

/// The contents of each region; a region stands where its first store stands.
fn contents(regions: &Regions, stores: &[(Region, Store)]) -> SecondaryMap<Region, Vec<Content>> {
    let mut contents: SecondaryMap<Region, Vec<Content>> = SecondaryMap::new();
    let mut placed: SecondaryMap<Region, bool> = SecondaryMap::new();
    for (region, store) in stores {
        let mut inner = *region;
        while regions.tree[inner].condition.is_some() && !placed[inner] {
            placed[inner] = true;
            let parent = regions.tree[inner].parent;
            contents[parent].push(Content::Region(inner));
            inner = parent;
        }
        contents[*region].push(Content::Store(*store));
    }
    contents
}

struct Walk<'a> {
    code: &'a Code,
    regions: &'a Regions,
    done: SecondaryMap<Limb, bool>,
    /// The steps of each region so far, with those of finished regions within it.
    lists: SecondaryMap<Region, Vec<(Region, Step)>>,
}

impl Walk<'_> {
    fn region(&mut self, region: Region, contents: &SecondaryMap<Region, Vec<Content>>) {
        for content in &contents[region] {
            match *content {
                Content::Store(store) => {
                    self.need(store.value);
                    store.at.into_iter().for_each(|at| self.need(at));
                    self.lists[region].push((region, Step::Store(store)));
                }
                Content::Region(inner) => {
                    let condition = self.regions.tree[inner].condition;
                    condition
                        .into_iter()
                        .for_each(|condition| self.need(condition));
                    self.region(inner, contents);
                    let steps = std::mem::take(&mut self.lists[inner]);
                    self.lists[region].extend(steps);
                }
            }
        }
    }

    /// Puts a limb and what it needs into the lists of the regions where they belong, once.
    fn need(&mut self, root: Limb) {
        let mut stack = vec![(root, false)];
        while let Some((limb, ready)) = stack.pop() {
            if self.done[limb] || self.code.is_remade(limb) {
                continue;
            }
            if ready {
                self.done[limb] = true;
                let region = self.regions.owner[limb].expect("what is needed has an owner");
                self.lists[region].push((region, Step::Compute(limb)));
            } else {
                stack.push((limb, true));
                let args = self.code.ops[limb].args();
                stack.extend(args.into_iter().rev().map(|arg| (arg, false)));
            }
        }
    }

    /// The loads from memories that the limbs need and that are not in the lists yet.
    fn loads(&self, limbs: impl Iterator<Item = Limb>) -> Vec<Limb> {
        let mut seen: HashSet<Limb> = HashSet::new();
        let mut stack: Vec<Limb> = limbs.collect();
        let mut loads = Vec::new();
        while let Some(limb) = stack.pop() {
            if self.done[limb] || !seen.insert(limb) {
                continue;
            }
            let op = self.code.ops[limb];
            if matches!(op, Op::LoadAt { .. }) {
                loads.push(limb);
            } else {
                stack.extend(op.args());
            }
        }
        loads
    }
}
