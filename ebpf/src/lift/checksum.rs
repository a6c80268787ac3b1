//! `bpf_csum_diff`: the difference of two checksums.
//!
//! As Linux does it since 6.13 (`bpf_csum_diff` in `net/core/filter.c`, `csum_partial` in `lib/checksum.c`): sums of 32-bit
//! words in ones' complement, where a carry comes back in at the bottom, folded to 16 bits at the end. Such a sum does
//! not depend on the order in which it is made, its zero included: it is 0 only when every word is. So one wide sum that
//! is folded at its end gives the kernel's bits.

use hardpath_ir::Op;

use super::copies::MAX_COPY_BYTES;
use super::state::{AbstractValue, Operand};
use super::Lifter;

/// Bits of the words that are summed.
const WORD: u32 = 32;

/// One of the two areas.
struct Area {
    /// Its words; the last one has zeros behind the area's end. Any size is allowed.
    words: Vec<Operand>,
    /// 1 bit.
    is_empty: Operand,
}

impl Lifter<'_> {
    pub(super) fn csum_diff(&mut self) -> Option<AbstractValue> {
        let from = self.checksum_area(1, 2);
        let to = self.checksum_area(3, 4);
        let seed = self.scalar(5);
        let (from, to, seed) = (from?, to?, seed?);
        let seed = self.builder.low(seed, WORD);

        let removed = self.ones_sum(&from.words);
        let added = self.ones_sum(&[&to.words[..], &[seed]].concat());
        let not_removed = self.inverted(removed);
        let difference = self.ones_sum(&[added, not_removed]);
        let not_seed = self.inverted(seed);
        let only_removed = self.ones_sum(&[&from.words[..], &[not_seed]].concat());
        let only_removed = self.inverted(only_removed);
        let builder = &mut self.builder;
        // Without `to`, the seed is all that is added.
        let without_to = builder.select(from.is_empty, seed, only_removed, WORD);
        let with_to = builder.select(from.is_empty, added, difference, WORD);
        let sum = builder.select(to.is_empty, without_to, with_to, WORD);
        let result = self.folded(sum);
        self.builder.name(result, "checksum");
        let result = self.builder.zext(result, WORD / 2, 64);
        Some(AbstractValue::Scalar(result))
    }

    /// The words that a pointer and a size in two registers name.
    fn checksum_area(&mut self, pointer: u8, size: u8) -> Option<Area> {
        let size = self.scalar(size)?;
        let size = self.builder.low(size, WORD);
        let most = self.builder.range(size, WORD).high;
        if most > MAX_COPY_BYTES {
            self.refuse(
                "csum-length",
                format!("bpf_csum_diff sums up to {most} bytes"),
                format!("hardpath sums at most {MAX_COPY_BYTES} bytes in one call: bound the size"),
            );
            return None;
        }
        let builder = &mut self.builder;
        let is_empty = builder.compare(Op::Eq, size, Operand::Const(0), WORD);
        let bytes = most as u32;
        let mut words = Vec::new();
        if bytes > 0 {
            let address = self.usable(pointer)?;
            let contents = self.read_memory(address, bytes)?;
            for start in (0..bytes).step_by(4) {
                let count = 4.min(bytes - start);
                words.push(self.checksum_word(contents, bytes, start, count, size));
            }
        }
        Some(Area { words, is_empty })
    }

    /// Bytes of an area as a word: those that are inside a size, and zeros.
    fn checksum_word(
        &mut self,
        contents: Operand,
        bytes: u32,
        start: u32,
        count: u32,
        size: Operand,
    ) -> Operand {
        let builder = &mut self.builder;
        if let Operand::Const(_) = size {
            let word = builder.slice(contents, bytes * 8, start * 8, count * 8);
            return builder.zext(word, count * 8, WORD);
        }
        let mut word = Operand::Const(0);
        for byte in 0..count {
            let place = Operand::Const(u64::from(start + byte));
            let is_inside = builder.compare(Op::Ult, place, size, WORD);
            let found = builder.slice(contents, bytes * 8, (start + byte) * 8, 8);
            let kept = builder.select(is_inside, found, Operand::Const(0), 8);
            let kept = builder.zext(kept, 8, WORD);
            let distance = Operand::Const(u64::from(byte * 8));
            let placed = match byte {
                0 => kept,
                _ => builder.pure(Op::Shl, &[(kept, WORD), (distance, 5)], WORD),
            };
            word = builder.binary(Op::Or, word, placed, WORD);
        }
        word
    }

    /// The ones' complement sum of words.
    fn ones_sum(&mut self, words: &[Operand]) -> Operand {
        let builder = &mut self.builder;
        let mut sum = Operand::Const(0);
        for word in words {
            let word = builder.zext(*word, WORD, 64);
            sum = builder.add(sum, word);
        }
        // The carries, which may make one more.
        for _ in 0..2 {
            let low = builder.low(sum, WORD);
            let low = builder.zext(low, WORD, 64);
            let carries = builder.slice(sum, 64, WORD, WORD);
            let carries = builder.zext(carries, WORD, 64);
            sum = builder.add(low, carries);
        }
        builder.low(sum, WORD)
    }

    fn inverted(&mut self, word: Operand) -> Operand {
        let ones = Operand::Const(u64::from(u32::MAX));
        self.builder.binary(Op::Xor, word, ones, WORD)
    }

    /// `csum_from32to16`: both halves, with the carry.
    fn folded(&mut self, sum: Operand) -> Operand {
        let builder = &mut self.builder;
        let half = WORD / 2;
        let mut sum = sum;
        for _ in 0..2 {
            let low = builder.slice(sum, WORD, 0, half);
            let high = builder.slice(sum, WORD, half, half);
            let low = builder.zext(low, half, WORD);
            let high = builder.zext(high, half, WORD);
            sum = builder.binary(Op::Add, low, high, WORD);
        }
        builder.slice(sum, WORD, 0, half)
    }
}
