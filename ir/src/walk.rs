//! Ways through a program that passes need: instructions in order, uses, predecessors, replacing values.

use crate::{Block, Inst, Program, Value};
use cranelift_entity::SecondaryMap;
use std::collections::HashMap;

impl Program {
    /// Every live instruction with its block, in order.
    pub fn insts_in_order(&self) -> impl Iterator<Item = (Block, Inst)> + '_ {
        self.all_blocks().flat_map(|block| {
            let insts = &self.blocks[block].insts;
            insts.iter().map(move |&inst| (block, inst))
        })
    }

    /// How often each value is used by live instructions (as argument or guard) and terminators.
    pub fn use_counts(&self) -> SecondaryMap<Value, u32> {
        let mut counts = SecondaryMap::with_capacity(self.values.len());
        self.for_each_use(|value| counts[value] += 1);
        counts
    }

    /// Calls `visit` with every use by a live instruction or terminator, in order.
    pub fn for_each_use(&self, mut visit: impl FnMut(Value)) {
        for block in self.all_blocks() {
            for &inst in &self.blocks[block].insts {
                self.insts[inst].uses().for_each(&mut visit);
            }
            self.blocks[block]
                .terminator
                .uses()
                .into_iter()
                .for_each(&mut visit);
        }
    }

    /// Replaces every use by a live instruction or terminator with what `replace` gives for it.
    pub fn rewrite_uses(&mut self, mut replace: impl FnMut(Value) -> Value) {
        let blocks: Vec<Block> = self.all_blocks().collect();
        for block in blocks {
            for &inst in &self.blocks[block].insts {
                for value in self.insts[inst].uses_mut() {
                    *value = replace(*value);
                }
            }
            for value in self.blocks[block].terminator.uses_mut() {
                *value = replace(*value);
            }
        }
    }

    /// Replaces every use of `old` with `new`. For many values at once use [`Program::replace_all`].
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        self.rewrite_uses(|value| if value == old { new } else { value });
    }

    /// Replaces every use of a key with its value, following chains (a → b, b → c makes a into c; a chain must not
    /// close to a ring).
    pub fn replace_all(&mut self, replacements: &HashMap<Value, Value>) {
        self.rewrite_uses(|mut value| {
            while let Some(&next) = replacements.get(&value) {
                value = next;
            }
            value
        });
    }

    /// The blocks that jump to each block, in order; one that does so twice stands there twice.
    pub fn predecessors(&self) -> SecondaryMap<Block, Vec<Block>> {
        let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in self.all_blocks() {
            for target in self.blocks[block].terminator.targets() {
                predecessors[target.block].push(block);
            }
        }
        predecessors
    }

    /// Names a value, when it has no name yet.
    pub fn name_value(&mut self, value: Value, name: &str) {
        let data = &mut self.values[value];
        if data.name.is_none() && !name.is_empty() {
            data.name = Some(name.to_string());
        }
    }
}

impl crate::InstData {
    /// Arguments, then the guard.
    pub fn uses(&self) -> impl Iterator<Item = Value> + '_ {
        self.args.iter().copied().chain(self.guard)
    }

    /// The same uses, to be rewritten in place.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Value> + '_ {
        self.args.iter_mut().chain(self.guard.as_mut())
    }
}
