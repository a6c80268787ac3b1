//! Hashes and checksums over values, as logic.

use super::{ir, Deparse, Lower};
use crate::interpreter::hashes;
use num_bigint::BigInt;

/// How bytes become a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Algorithm {
    Identity,
    OnesComplement,
    Random,
    Crc16,
    Crc32,
    Xor16,
}

impl Algorithm {
    /// By the name that architectures have for it; `None`: it is not known.
    pub fn of(name: &str) -> Option<Algorithm> {
        Some(match name.to_ascii_lowercase().as_str() {
            "identity" => Algorithm::Identity,
            "csum16" | "ones_complement16" => Algorithm::OnesComplement,
            "random" => Algorithm::Random,
            "crc16" | "crc16_custom" => Algorithm::Crc16,
            // What a target chooses itself (PSA and PNA) is this one.
            "crc32" | "crc32_custom" | "target_default" => Algorithm::Crc32,
            "xor16" => Algorithm::Xor16,
            _ => return None,
        })
    }

    /// Bits of its result, where that is of a fixed size.
    pub fn width(self) -> u32 {
        match self {
            Algorithm::Crc32 | Algorithm::Random => 32,
            _ => 16,
        }
    }
}

/// A checksum over bytes.
#[derive(Clone, Copy)]
pub(super) enum Checksum {
    /// That of RFC 1071: the complement of this sum of 17 bits, of which the highest is still to be added to the others.
    Ones(ir::Value),
    Other(ir::Value),
}

impl Lower<'_> {
    /// The sum of RFC 1071 of a number of whole bytes, not complemented, in 16 bits.
    pub(super) fn ones_sum(&mut self, bits: ir::Value) -> ir::Value {
        let words = self.words(bits);
        self.ones_sum_of(&words)
    }

    /// Words of 16 bits, the lowest first. The last byte, which is the lowest, is filled with zeros.
    pub(super) fn words(&mut self, bits: ir::Value) -> Vec<ir::Value> {
        let width = self.ir.width(bits);
        let filled = width.div_ceil(16) * 16;
        let bits = match filled - width {
            0 => bits,
            more => {
                let zeros = self.number(0u32, more);
                self.concat(&[bits, zeros])
            }
        };
        (0..filled / 16)
            .map(|at| self.slice(bits, at * 16, 16))
            .collect()
    }

    /// The same of several words of 16 bits.
    pub(super) fn ones_sum_of(&mut self, words: &[ir::Value]) -> ir::Value {
        let once = self.folded_once(words);
        self.folded_twice(once)
    }

    /// Their sum, of which what is above 16 bits was added to them once: 17 bits.
    pub(super) fn folded_once(&mut self, words: &[ir::Value]) -> ir::Value {
        let sum = self.sum_of(words);
        self.fold_high(sum)
    }

    /// … and once more: 16 bits.
    pub(super) fn folded_twice(&mut self, once: ir::Value) -> ir::Value {
        let twice = self.fold_high(once);
        self.slice(twice, 0, 16)
    }

    /// What is above 16 bits, added to them: 17 bits.
    fn fold_high(&mut self, sum: ir::Value) -> ir::Value {
        let width = self.ir.width(sum);
        let low = self.slice(sum, 0, 16);
        let high = self.slice(sum, 16, width - 16);
        let (low, high) = (self.zext(low, 17), self.zext(high, 17));
        self.op(ir::Op::Add, &[low, high], 17)
    }

    /// Whether a sum that was [folded once](Self::folded_once) is the complement of 16 bits, folded for the last time.
    ///
    /// That is a sum of `s` and a carry `c`, of which only the compare is wanted, so it needs no carry chain. Let it be the sum `k`: then bit
    /// `i` was carried into just where `s` and `k` differ there, and out of where `s` is 1 and `k` is 0. So both must say the same:
    ///
    /// ```text
    /// s + c = k   is   s ^ k = (s & ~k) << 1 | c        here ~k is given
    /// ```
    pub(super) fn is_complement(&mut self, once: ir::Value, is: ir::Value) -> ir::Value {
        let sum = self.slice(once, 0, 16);
        let carry = self.slice(once, 16, 1);
        let out = self.op(ir::Op::And, &[sum, is], 16);
        let out = self.slice(out, 0, 15);
        let carried = self.concat(&[out, carry]);
        let same = self.op(ir::Op::Xor, &[sum, is], 16);
        let differs = self.not(same);
        self.equal(differs, carried)
    }

    /// The sum of words of 16 bits as numbers, in as many bits as it needs, and one more than a word at least.
    pub(super) fn sum_of(&mut self, words: &[ir::Value]) -> ir::Value {
        let wide = 16 + (usize::BITS - words.len().leading_zeros());
        let mut level: Vec<ir::Value> = words.iter().map(|word| self.zext(*word, wide)).collect();
        // Side by side, so that sums are as deep as the logarithm of their number.
        while level.len() > 1 {
            let pairs = level.chunks(2);
            level = pairs
                .map(|pair| match pair {
                    [one, other] => self.op(ir::Op::Add, &[*one, *other], wide),
                    _ => pair[0],
                })
                .collect();
        }
        match level.first() {
            Some(sum) => *sum,
            None => self.number(0u32, 17),
        }
    }

    /// A hash of a number of whole bytes.
    pub(super) fn hash(&mut self, algorithm: Algorithm, bits: ir::Value) -> ir::Value {
        match algorithm {
            Algorithm::Identity => bits,
            Algorithm::OnesComplement => {
                let sum = self.ones_sum(bits);
                self.not(sum)
            }
            Algorithm::Random => self.input(ir::Input::Random, 32),
            Algorithm::Xor16 => {
                let none = self.number(0u32, 16);
                let words = self.words(bits).into_iter();
                words.fold(none, |sum, word| self.op(ir::Op::Xor, &[sum, word], 16))
            }
            crc => {
                let nothing = self.number(0u32, crc.width());
                self.crc_behind(crc, nothing, bits)
            }
        }
    }

    /// A CRC of whole bytes behind others, whose CRC is given; that of none is zero.
    pub(super) fn crc_behind(
        &mut self,
        crc: Algorithm,
        before: ir::Value,
        bits: ir::Value,
    ) -> ir::Value {
        let is_wide = crc == Algorithm::Crc32;
        if self.constant(before) == Some(BigInt::from(0)) {
            return self.linear(bits, crc.width(), |bytes| match is_wide {
                true => BigInt::from(hashes::crc32(bytes)),
                false => BigInt::from(hashes::crc16(bytes)),
            });
        }
        let all = self.concat(&[before, bits]);
        self.linear(all, crc.width(), |bytes| match is_wide {
            true => {
                let (before, bytes) = bytes.split_at(4);
                let before = before
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | u32::from(*byte));
                BigInt::from(hashes::crc32_behind(before, bytes))
            }
            false => {
                let (before, bytes) = bytes.split_at(2);
                let before = u16::from_be_bytes([before[0], before[1]]);
                BigInt::from(hashes::crc16_behind(before, bytes))
            }
        })
    }

    /// What is a sum modulo 2 of bits: what each of them changes is found by asking.
    fn linear(&mut self, bits: ir::Value, width: u32, of: impl Fn(&[u8]) -> BigInt) -> ir::Value {
        let count = self.ir.width(bits) as usize;
        let mut bytes = vec![0u8; count / 8];
        let nothing = of(&bytes);
        let mut changes: Vec<BigInt> = Vec::new();
        for at in 0..count {
            // Bit 0 of the number is the last one of the last byte.
            let byte = count / 8 - 1 - at / 8;
            bytes[byte] ^= 1 << (at % 8);
            changes.push(of(&bytes) ^ &nothing);
            bytes[byte] ^= 1 << (at % 8);
        }
        match self.deparse {
            Deparse::Front => {
                let changes = self.sums_by_masks(bits, width, &changes);
                let nothing = self.number(nothing, width);
                self.op(ir::Op::Xor, &[changes, nothing], width)
            }
            Deparse::Memory => self.sums_by_pairs(bits, width, nothing, &changes),
        }
    }

    /// `begin` and what the bits that are 1 change together, for a processor: each two of them say how far a constant is moved down, of
    /// which every fourth bit counts then, for 16 bits of the result at once.
    fn sums_by_pairs(
        &mut self,
        bits: ir::Value,
        width: u32,
        begin: BigInt,
        changes: &[BigInt],
    ) -> ir::Value {
        // What each value of a pair changes, inverted: a constant with zeros on top would make words of different widths, whose sums are
        // cut to pieces. The first pair has what it all begins with, and what so many inversions make.
        let ones = (BigInt::from(1) << width) - 1;
        let mut first = match changes.len() / 2 % 2 {
            0 => begin,
            _ => begin ^ &ones,
        };
        let pairs: Vec<[BigInt; 4]> = changes
            .chunks(2)
            .map(|pair| {
                let none = &ones ^ std::mem::take(&mut first);
                let (one, other) = (&none ^ &pair[0], &none ^ &pair[1]);
                let both = &one ^ &pair[1];
                [none, one, other, both]
            })
            .collect();
        let mut result: Vec<ir::Value> = Vec::new();
        for lo in (0..width).step_by(16) {
            let outs = lo..width.min(lo + 16);
            let mut sum = self.number(0u32, 64);
            for (at, pair) in (0..).step_by(2).zip(&pairs) {
                let mut table = BigInt::from(0);
                for (out, place) in outs.clone().zip((0..).step_by(4)) {
                    for (value, changed) in (0..).zip(pair) {
                        table.set_bit(place + value, changed.bit(out.into()));
                    }
                }
                let table = self.number(table, 64);
                let pair = self.slice(bits, at, 2);
                let picked = self.op(ir::Op::LShr, &[table, pair], 64);
                sum = self.op(ir::Op::Xor, &[sum, picked], 64);
            }
            let places = outs.map(|out| 4 * (out - lo));
            result.extend(places.map(|place| self.slice(sum, place, 1)));
        }
        result.reverse();
        self.concat(&result)
    }

    /// The same for hardware of its own: a sum of bits for each bit of the result.
    fn sums_by_masks(&mut self, bits: ir::Value, width: u32, changes: &[BigInt]) -> ir::Value {
        let mut masks = vec![BigInt::from(0); width as usize];
        for (at, changed) in changes.iter().enumerate() {
            for (out, mask) in masks.iter_mut().enumerate() {
                if changed.bit(out as u64) {
                    mask.set_bit(at as u64, true);
                }
            }
        }
        // Words of a size that every target has.
        let count = changes.len() as u32;
        let words: Vec<(u32, ir::Value)> = (0..count)
            .step_by(64)
            .map(|lo| (lo, self.slice(bits, lo, (count - lo).min(64))))
            .collect();
        let mut result: Vec<ir::Value> = Vec::new();
        for mask in masks {
            let mut sum = self.number(0u32, 64);
            for (lo, word) in &words {
                let width = self.ir.width(*word);
                let part = crate::value::wrap(&mask >> *lo, width, false);
                if part != BigInt::from(0) {
                    let part = self.number(part, width);
                    let taken = self.op(ir::Op::And, &[*word, part], width);
                    let taken = self.zext(taken, 64);
                    sum = self.op(ir::Op::Xor, &[sum, taken], 64);
                }
            }
            result.push(self.parity(sum));
        }
        result.reverse();
        self.concat(&result)
    }

    /// The sum modulo 2 of 64 bits.
    fn parity(&mut self, bits: ir::Value) -> ir::Value {
        let mut bits = bits;
        while self.ir.width(bits) > 8 {
            let half = self.ir.width(bits) / 2;
            let (low, high) = (self.slice(bits, 0, half), self.slice(bits, half, half));
            bits = self.op(ir::Op::Xor, &[low, high], half);
        }
        for by in [4u32, 2, 1] {
            let by = self.number(by, 8);
            let moved = self.op(ir::Op::LShr, &[bits, by], 8);
            bits = self.op(ir::Op::Xor, &[bits, moved], 8);
        }
        self.slice(bits, 0, 1)
    }
}
