//! What a block needs from the way that leads there.

use super::code::{operand_reg, Code, Label, Pred, Reg, Step, Touched};
use cranelift_entity::SecondaryMap;

/// Registers and predicates, as a set of bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    regs: Vec<u64>,
    preds: Vec<u64>,
}

fn bit(words: &[u64], index: usize) -> bool {
    words
        .get(index / 64)
        .is_some_and(|word| word >> (index % 64) & 1 == 1)
}

fn set_bit(words: &mut Vec<u64>, index: usize) {
    if words.len() <= index / 64 {
        words.resize(index / 64 + 1, 0);
    }
    words[index / 64] |= 1 << (index % 64);
}

fn clear_bit(words: &mut [u64], index: usize) {
    if let Some(word) = words.get_mut(index / 64) {
        *word &= !(1 << (index % 64));
    }
}

fn join(to: &mut Vec<u64>, from: &[u64]) -> bool {
    if to.len() < from.len() {
        to.resize(from.len(), 0);
    }
    let mut changed = false;
    for (to, from) in std::iter::zip(to, from) {
        changed |= *from & !*to != 0;
        *to |= from;
    }
    changed
}

fn numbers(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(index * 64 + bit)
        })
    })
}

impl Set {
    /// Whether a register is in it.
    pub fn has(&self, reg: Reg) -> bool {
        bit(&self.regs, reg.as_u32() as usize)
    }

    /// Whether a predicate is in it.
    pub fn has_pred(&self, pred: Pred) -> bool {
        bit(&self.preds, pred.as_u32() as usize)
    }

    /// Adds a register.
    pub fn add(&mut self, reg: Reg) {
        set_bit(&mut self.regs, reg.as_u32() as usize);
    }

    /// Adds a predicate.
    pub fn add_pred(&mut self, pred: Pred) {
        set_bit(&mut self.preds, pred.as_u32() as usize);
    }

    /// Takes a register out.
    pub fn remove(&mut self, reg: Reg) {
        clear_bit(&mut self.regs, reg.as_u32() as usize);
    }

    /// Takes a predicate out.
    pub fn remove_pred(&mut self, pred: Pred) {
        clear_bit(&mut self.preds, pred.as_u32() as usize);
    }

    /// Adds what a step writes.
    pub fn add_written(&mut self, touched: &Touched) {
        touched.writes.iter().for_each(|reg| self.add(*reg));
        touched
            .decides
            .iter()
            .for_each(|(pred, _)| self.add_pred(*pred));
    }

    /// A step writes one of them.
    pub fn is_written_by(&self, touched: &Touched) -> bool {
        let mut preds = touched.decides.iter().map(|(pred, _)| *pred);
        touched.writes.iter().any(|reg| self.has(*reg)) || preds.any(|pred| self.has_pred(pred))
    }

    /// A step reads one of them, or may leave it as it was.
    pub fn is_read_by(&self, touched: &Touched) -> bool {
        let kept = touched.decides.iter().filter(|(_, keeps)| *keeps);
        let mut preds = touched.asks.iter().chain(kept.map(|(pred, _)| pred));
        touched.reads.iter().any(|reg| self.has(*reg)) || preds.any(|pred| self.has_pred(*pred))
    }

    /// Adds all of another set; gives whether that changed something.
    pub fn join(&mut self, other: &Set) -> bool {
        let regs = join(&mut self.regs, &other.regs);
        join(&mut self.preds, &other.preds) || regs
    }

    /// Its registers.
    pub fn regs(&self) -> impl Iterator<Item = Reg> + '_ {
        numbers(&self.regs).map(|number| Reg::from_u32(number as u32))
    }

    /// Its predicates.
    pub fn preds(&self) -> impl Iterator<Item = Pred> + '_ {
        numbers(&self.preds).map(|number| Pred::from_u32(number as u32))
    }
}

/// What each block needs.
pub type Live = SecondaryMap<Label, Set>;

/// Of all blocks of a program.
pub fn live(code: &Code) -> Live {
    let mut live = Live::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &label in code.order.iter().rev() {
            let mut set = Set::default();
            for step in code.blocks[label].iter().rev() {
                before(step, &mut set, &live);
            }
            changed |= live[label].join(&set);
        }
    }
    live
}

/// What is written at several places of a program.
pub fn written_again(code: &Code) -> Set {
    let (mut once, mut again) = (Set::default(), Set::default());
    for step in code.order.iter().flat_map(|label| &code.blocks[*label]) {
        let touched = step.touched();
        for reg in touched.writes {
            match once.has(reg) {
                true => again.add(reg),
                false => once.add(reg),
            }
        }
        for (pred, _) in touched.decides {
            match once.has_pred(pred) {
                true => again.add_pred(pred),
                false => once.add_pred(pred),
            }
        }
    }
    again
}

/// From what is needed behind a step to what is needed in front of it.
pub fn before(step: &Step, set: &mut Set, live: &Live) {
    let touched = step.touched();
    if step.always_leaves() {
        *set = Set::default();
    }
    if let Some(to) = touched.goes {
        let mut there = live[to].clone();
        for (reg, _) in &step.moves {
            there.remove(*reg);
        }
        set.join(&there);
    }
    // What a guard can leave as it was is still needed.
    if step.op.guard.is_none() {
        touched.writes.iter().for_each(|reg| set.remove(*reg));
    }
    for (pred, keeps) in &touched.decides {
        if !keeps {
            set.remove_pred(*pred);
        }
    }
    let moved = step.moves.iter().filter_map(|(_, from)| operand_reg(from));
    touched
        .reads
        .iter()
        .copied()
        .chain(moved)
        .for_each(|reg| set.add(reg));
    touched.asks.iter().for_each(|pred| set.add_pred(*pred));
}
