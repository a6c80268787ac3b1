//! The few constants that a value can be: `ihl * 4 + 14`, or 14, 18 and 22 for a header behind VLAN tags.
//!
//! Sets go through parameters, selects, arithmetic and wiring; where an operation is not followed, its known bits
//! and its range may still leave few possibilities. A set may be too large, never too small.

use crate::facts::{FactMap, Facts};
use cranelift_entity::SecondaryMap;
use hardpath_ir::eval::eval_pure;
use hardpath_ir::{Bits, Block, InstData, Op, Program, Value, ValueDef};
use std::collections::BTreeSet;

/// The largest set that is followed.
pub const MOST_VALUES: usize = 256;
/// Combinations of arguments that are tried for one operation.
const MOST_COMBINATIONS: usize = 4096;
const MOST_DEPTH: u32 = 256;

#[derive(Clone, Debug, Default)]
enum Known {
    #[default]
    NotYet,
    Many,
    Few(Vec<u64>),
}

/// The few values that a value can have, found when they are asked for.
pub struct ValueSets {
    facts: FactMap,
    predecessors: SecondaryMap<Block, Vec<Block>>,
    known: SecondaryMap<Value, Known>,
}

impl ValueSets {
    /// Nothing is found yet but the facts.
    pub fn new(program: &Program) -> ValueSets {
        ValueSets {
            facts: FactMap::new(program),
            predecessors: program.predecessors(),
            known: SecondaryMap::new(),
        }
    }

    /// The sorted set of numbers that a value of at most 64 bits can be, when there are at most [`MOST_VALUES`].
    pub fn of(&mut self, program: &Program, value: Value) -> Option<Vec<u64>> {
        self.find(program, value, 0)
    }

    fn find(&mut self, program: &Program, value: Value, depth: u32) -> Option<Vec<u64>> {
        if program.width(value) > 64 {
            return None;
        }
        match &self.known[value] {
            Known::Few(set) => return Some(set.clone()),
            Known::Many => return None,
            Known::NotYet => {}
        }
        let by_facts = self.facts.get_new(program, value).and_then(possibilities);
        let by_maker = if depth > MOST_DEPTH || by_facts.as_ref().is_some_and(|set| set.len() == 1)
        {
            None
        } else {
            match program.values[value].def {
                ValueDef::Param(block, index) => self.of_param(program, block, index, depth),
                ValueDef::Result(inst, _) => {
                    self.of_inst(program, &program.insts[inst], program.width(value), depth)
                }
            }
        };
        let set = match (by_facts, by_maker) {
            (Some(a), Some(b)) => Some(a.into_iter().filter(|x| b.contains(x)).collect()),
            (a, b) => a.or(b),
        };
        self.known[value] = set.clone().map_or(Known::Many, Known::Few);
        set
    }

    fn of_param(
        &mut self,
        program: &Program,
        block: Block,
        index: u32,
        depth: u32,
    ) -> Option<Vec<u64>> {
        let mut joined = BTreeSet::new();
        for from in self.predecessors[block].clone() {
            for target in program.blocks[from].terminator.targets() {
                if target.block == block {
                    let arg = *target.args.get(index as usize)?;
                    joined.extend(self.find(program, arg, depth + 1)?);
                }
            }
        }
        limited(joined)
    }

    fn of_inst(
        &mut self,
        program: &Program,
        inst: &InstData,
        width: u32,
        depth: u32,
    ) -> Option<Vec<u64>> {
        if !inst.op.is_pure() || matches!(inst.op, Op::Input(_)) {
            return None;
        }
        if inst.op == Op::Select {
            let mut joined = BTreeSet::new();
            for &arg in &inst.args[1..] {
                joined.extend(self.find(program, arg, depth + 1)?);
            }
            return limited(joined);
        }
        let mut sets = Vec::with_capacity(inst.args.len());
        for &arg in &inst.args {
            let set = self.find(program, arg, depth + 1)?;
            let width = program.width(arg);
            let bits: Vec<Bits> = set.into_iter().map(|x| Bits::from_u64(x, width)).collect();
            sets.push(bits);
        }
        let combinations = sets
            .iter()
            .try_fold(1usize, |product, set| product.checked_mul(set.len()))?;
        if combinations > MOST_COMBINATIONS {
            return None;
        }
        let mut results = BTreeSet::new();
        for number in 0..combinations {
            let mut rest = number;
            let args: Vec<Bits> = sets
                .iter()
                .map(|set| {
                    let one = set[rest % set.len()].clone();
                    rest /= set.len();
                    one
                })
                .collect();
            results.insert(eval_pure(&inst.op, &args, width)?.as_u64()?);
            if results.len() > MOST_VALUES {
                return None;
            }
        }
        limited(results)
    }
}

fn limited(set: BTreeSet<u64>) -> Option<Vec<u64>> {
    (!set.is_empty() && set.len() <= MOST_VALUES).then(|| set.into_iter().collect())
}

/// Every number that the facts allow, when there are few.
fn possibilities(facts: Facts) -> Option<Vec<u64>> {
    if facts.width > 64 {
        return None;
    }
    let allowed = |x: u128| {
        x & facts.zeros == 0 && x & facts.ones == facts.ones && x >= facts.min && x <= facts.max
    };
    if facts.max - facts.min < MOST_VALUES as u128 {
        let range = facts.min..=facts.max;
        return Some(range.filter(|&x| allowed(x)).map(|x| x as u64).collect());
    }
    let unknown: Vec<u32> = (0..facts.width)
        .filter(|&bit| facts.known() >> bit & 1 == 0)
        .collect();
    if unknown.len() > MOST_VALUES.ilog2() as usize {
        return None;
    }
    let all = (0..1u32 << unknown.len()).map(|choice| {
        let bits = unknown.iter().enumerate();
        bits.fold(facts.ones, |x, (index, &bit)| {
            x | u128::from(choice >> index & 1) << bit
        })
    });
    let mut set: Vec<u64> = all.filter(|&x| allowed(x)).map(|x| x as u64).collect();
    set.sort_unstable();
    Some(set)
}
