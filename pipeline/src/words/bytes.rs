//! Parts of words: bytes read and replaced at constant and at variable offsets.

use super::Words;
use hardpath_ir::{Bits, Op, Value};

impl Words<'_> {
    /// `width` bits of a word from a byte offset; 0 behind its end.
    pub fn part(&mut self, word: Value, offset: Value, width: u32) -> Value {
        let offset = self.rebuild.now(offset);
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

    /// A word with some of its bytes replaced.
    pub fn inserted(&mut self, word: Value, offset: Value, value: Value) -> Value {
        let offset = self.rebuild.now(offset);
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
