//! The order of a clock's operations, cut into chunks that become functions.
//!
//! Operations stand in the order in which a depth-first walk from the stores needs them, so most values are used soon
//! after they are made. A value that a later chunk uses goes through a scratch place in the arena; constants and
//! loads of the state are simply made again. Cranelift's time grows faster than a function's length: hence chunks.

use crate::code::{Code, Limb, Op, Store};
use crate::SimError;
use cranelift_entity::SecondaryMap;

/// The chunks, in order of execution.
pub struct Schedule {
    pub chunks: Vec<Vec<Step>>,
    /// Offsets of the values that later chunks use.
    pub scratch: SecondaryMap<Limb, Option<u32>>,
    /// End of the arena.
    pub end: u32,
}

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Compute(Limb),
    Store(Store),
}

/// Steps in a chunk.
const CHUNK: usize = 1000;

/// Orders the operations; scratch places begin at `end`.
pub fn schedule(code: &Code, end: u32) -> Result<Schedule, SimError> {
    let steps = order(code);
    let mut home: SecondaryMap<Limb, u32> = SecondaryMap::new();
    let mut scratch: SecondaryMap<Limb, Option<u32>> = SecondaryMap::new();
    let mut end = u64::from(end);
    for (at, step) in steps.iter().enumerate() {
        let chunk = (at / CHUNK) as u32;
        let mut used = |limb: Limb| {
            if !made_again(code, limb) && home[limb] != chunk && scratch[limb].is_none() {
                scratch[limb] = Some(end as u32);
                end += 8;
            }
        };
        match step {
            Step::Compute(limb) => {
                code.ops[*limb].args().into_iter().for_each(&mut used);
                home[*limb] = chunk;
            }
            Step::Store(store) => {
                used(store.value);
                store.at.into_iter().for_each(used);
            }
        }
    }
    if end >= 1 << 31 {
        return Err(SimError::TooLarge("more than 2 GB of state".into()));
    }
    Ok(Schedule {
        chunks: steps.chunks(CHUNK).map(<[Step]>::to_vec).collect(),
        scratch,
        end: end as u32,
    })
}

/// Whether a value is cheaper to make again than to keep.
pub fn made_again(code: &Code, limb: Limb) -> bool {
    matches!(code.ops[limb], Op::Const(_) | Op::Load { .. })
}

fn order(code: &Code) -> Vec<Step> {
    let mut walk = Walk {
        code,
        done: SecondaryMap::new(),
        steps: Vec::new(),
    };
    for store in &code.stores {
        walk.need(store.value);
        walk.steps.push(Step::Store(*store));
    }
    for store in &code.late_stores {
        walk.need(store.value);
        store.at.into_iter().for_each(|at| walk.need(at));
    }
    walk.steps
        .extend(code.late_stores.iter().copied().map(Step::Store));
    walk.steps
}

struct Walk<'a> {
    code: &'a Code,
    done: SecondaryMap<Limb, bool>,
    steps: Vec<Step>,
}

impl Walk<'_> {
    /// Puts a limb and what it needs into the list, once.
    fn need(&mut self, root: Limb) {
        let mut stack = vec![(root, false)];
        while let Some((limb, ready)) = stack.pop() {
            if self.done[limb] || made_again(self.code, limb) {
                continue;
            }
            if ready {
                self.done[limb] = true;
                self.steps.push(Step::Compute(limb));
            } else {
                stack.push((limb, true));
                let args = self.code.ops[limb].args();
                stack.extend(args.into_iter().rev().map(|arg| (arg, false)));
            }
        }
    }
}
