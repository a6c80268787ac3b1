//! Parts of words: bytes read and replaced at constant and at variable offsets.
//!
//! Where an offset is one of a few constants, each of them is treated on its own: compilers make one counter of two
//! that are counted on different ways (`record + offset`). What is stored at each place then follows only from what
//! is there, and other bytes of the word stay what they are:
//!
//! ```text
//! v1 = select v0, 8, 16               v3 = slice word, 64        (the bytes at 8)
//! v2 = map.load @m v9, v1        →    v4 = add v3, 1
//! v3 = add v2, 1                      v5 = select v0, v4, v3
//! map.store @m v9, v1, v3             … and the same at 16
//! ```

use super::chosen::Term;
use super::Words;
use hardpath_ir::{Bits, MapId, Op, Program, Value};
use hardpath_passes::value_set::ValueSets;
use std::collections::HashMap;

/// An offset that may be more constants than this shifts the word.
const MOST_OFFSETS: usize = 8;

/// The constants that the offsets of map accesses can be, where they are several but few.
pub fn offsets(program: &Program) -> HashMap<Value, Vec<u64>> {
    let mut sets = ValueSets::new(program);
    let mut all = HashMap::new();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if !matches!(
            data.op,
            Op::MapLoad(_) | Op::MapStore(_) | Op::MapAtomic(..)
        ) {
            continue;
        }
        let offset = data.args[1];
        match sets.of(program, offset) {
            Some(set) if (2..=MOST_OFFSETS).contains(&set.len()) => {
                all.insert(offset, set);
            }
            _ => {}
        }
    }
    all
}

impl Words<'_> {
    /// The offsets that an access of so many bits may have, each with the condition that it is this one (absent:
    /// always). Several when they are few constants that all lie within the value.
    pub fn offsets_of(
        &mut self,
        map: MapId,
        offset: Value,
        width: u32,
    ) -> Vec<(Value, Option<Value>)> {
        let now = self.rebuild.now(offset);
        let bits = u64::from(self.rebuild.program.maps[map].value_bytes) * 8;
        let inside = |at: &u64| at * 8 + u64::from(width) <= bits;
        let few = match self.offsets.get(&offset) {
            Some(set) if set.iter().all(inside) => set.clone(),
            _ => return vec![(now, None)],
        };
        let mut all = Vec::new();
        for at in few {
            let constant = self.rebuild.constant(at, 32);
            let is = match self.offset_is.get(&(now, at)) {
                Some(is) => *is,
                None => self.rebuild.op(Op::Eq, vec![now, constant], 1),
            };
            self.offset_is.insert((now, at), is);
            all.push((constant, Some(is)));
        }
        all
    }

    /// A value, when of the offsets that an access may have it is number `this`.
    pub fn given_offset(
        &mut self,
        value: Value,
        offsets: &[(Value, Option<Value>)],
        this: usize,
    ) -> Value {
        let terms: Vec<Term> = offsets
            .iter()
            .enumerate()
            .filter_map(|(number, (_, is))| Some(((*is)?, number == this)))
            .collect();
        self.given_terms(value, &terms)
    }

    /// `width` bits of a word from a byte offset; 0 behind its end.
    pub fn part(&mut self, map: MapId, word: Value, offset: Value, width: u32) -> Value {
        let mut chosen = None;
        for (at, is) in self.offsets_of(map, offset, width) {
            let part = self.part_at(word, at, width);
            chosen = Some(match chosen {
                None => part,
                Some(other) => self.rebuild.select(is, part, other),
            });
        }
        chosen.expect("an access has an offset")
    }

    fn part_at(&mut self, word: Value, offset: Value, width: u32) -> Value {
        let word_bits = self.rebuild.width(word);
        match self.constant_offset(offset) {
            Some(bytes) if bytes * 8 + u64::from(width) <= u64::from(word_bits) => {
                self.rebuild.slice(word, bytes as u32 * 8, width)
            }
            _ => {
                let bits = self.bit_offset(offset);
                let shifted = self.rebuild.op(Op::LShr, vec![word, bits], word_bits);
                self.rebuild.resize(shifted, width)
            }
        }
    }

    fn constant_offset(&self, offset: Value) -> Option<u64> {
        self.rebuild.program.as_const(offset).and_then(Bits::as_u64)
    }

    /// A byte offset as a number of bits, 35 bits wide: it cannot overflow.
    fn bit_offset(&mut self, offset: Value) -> Value {
        let zeros = self.rebuild.constant(0, 3);
        self.rebuild.op(Op::Concat, vec![offset, zeros], 35)
    }

    /// A word with some of its bytes replaced, at an offset of this region.
    pub fn inserted(&mut self, word: Value, offset: Value, value: Value) -> Value {
        let word_bits = self.rebuild.width(word);
        let width = self.rebuild.width(value);
        match self.constant_offset(offset) {
            Some(bytes) if bytes * 8 + u64::from(width) <= u64::from(word_bits) => {
                let lo = bytes as u32 * 8;
                let mut parts = Vec::new();
                if lo + width < word_bits {
                    parts.push(self.rebuild.slice(word, lo + width, word_bits - lo - width));
                }
                parts.push(value);
                if lo > 0 {
                    parts.push(self.rebuild.slice(word, 0, lo));
                }
                if parts.len() == 1 {
                    return value;
                }
                self.rebuild.op(Op::Concat, parts, word_bits)
            }
            _ => {
                let bits = self.bit_offset(offset);
                let ones = self
                    .rebuild
                    .program
                    .append_const(self.rebuild.program.region(), Bits::ones(width));
                let ones = self.rebuild.resize(ones, word_bits);
                let value = self.rebuild.resize(value, word_bits);
                let mask = self.rebuild.op(Op::Shl, vec![ones, bits], word_bits);
                let value = self.rebuild.op(Op::Shl, vec![value, bits], word_bits);
                let keep = self.rebuild.op(Op::Not, vec![mask], word_bits);
                let kept = self.rebuild.op(Op::And, vec![word, keep], word_bits);
                self.rebuild.op(Op::Or, vec![kept, value], word_bits)
            }
        }
    }
}
