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

impl Lower<'_> {
    /// The sum of RFC 1071 of a number of whole bytes, not complemented, in 16 bits.
    pub(super) fn ones_sum(&mut self, bits: ir::Value) -> ir::Value {
        let width = self.ir.width(bits);
        let filled = width.div_ceil(16) * 16;
        let bits = match filled - width {
            0 => bits,
            more => {
                let zeros = self.number(0u32, more);
                self.concat(&[bits, zeros])
            }
        };
        let words: Vec<ir::Value> = (0..filled / 16)
            .map(|at| self.slice(bits, at * 16, 16))
            .collect();
        self.ones_sum_of(&words)
    }

    /// The same of several words of 16 bits.
    pub(super) fn ones_sum_of(&mut self, words: &[ir::Value]) -> ir::Value {
        let mut folded = self.sum_of(words);
        for _ in 0..2 {
            let width = self.ir.width(folded);
            let low = self.slice(folded, 0, 16);
            let high = self.slice(folded, 16, width - 16);
            let (low, high) = (self.zext(low, 17), self.zext(high, 17));
            folded = self.op(ir::Op::Add, &[low, high], 17);
        }
        self.slice(folded, 0, 16)
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

    /// A hash by the name of its algorithm, of a number of whole bytes; `None`: it is not known.
    pub(super) fn hash(&mut self, algorithm: &str, bits: ir::Value) -> Option<ir::Value> {
        Some(match Algorithm::of(algorithm)? {
            Algorithm::Identity => bits,
            Algorithm::OnesComplement => {
                let sum = self.ones_sum(bits);
                self.not(sum)
            }
            Algorithm::Random => self.input(ir::Input::Random, 32),
            Algorithm::Xor16 => self.linear(bits, 16, |bytes| BigInt::from(hashes::xor16(bytes))),
            crc => {
                let nothing = self.number(0u32, crc.width());
                self.crc_behind(crc, nothing, bits)
            }
        })
    }

    /// A CRC of whole bytes behind others, whose CRC is given; that of none is zero.
    pub(super) fn crc_behind(
        &mut self,
        crc: Algorithm,
        before: ir::Value,
        bits: ir::Value,
    ) -> ir::Value {
        let is_wide = crc == Algorithm::Crc32;
        if self.deparse == Deparse::Memory {
            return match is_wide {
                true => {
                    let begin = self.not(before);
                    let crc = self.serial(bits, begin, 0xedb8_8320);
                    self.not(crc)
                }
                false => self.serial(bits, before, 0xa001),
            };
        }
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

    /// A CRC bit by bit, in words, as a processor does it; the polynomial has its lowest power on top.
    fn serial(&mut self, bits: ir::Value, begin: ir::Value, polynomial: u32) -> ir::Value {
        let (count, width) = (self.ir.width(bits), self.ir.width(begin));
        let (zero, one) = (self.number(0u32, width), self.number(1u32, width));
        let polynomial = self.number(polynomial, width);
        let by_one = self.number(1u32, 8);
        let mut crc = begin;
        for at in (0..count / 8).rev() {
            let byte = self.slice(bits, at * 8, 8);
            let byte = self.zext(byte, width);
            crc = self.op(ir::Op::Xor, &[crc, byte], width);
            for _ in 0..8 {
                let low = self.op(ir::Op::And, &[crc, one], width);
                let mask = self.op(ir::Op::Sub, &[zero, low], width);
                let changes = self.op(ir::Op::And, &[mask, polynomial], width);
                let moved = self.op(ir::Op::LShr, &[crc, by_one], width);
                crc = self.op(ir::Op::Xor, &[moved, changes], width);
            }
        }
        crc
    }

    /// What is a sum modulo 2 of bits: what each of them changes is found by asking.
    fn linear(&mut self, bits: ir::Value, width: u32, of: impl Fn(&[u8]) -> BigInt) -> ir::Value {
        let count = self.ir.width(bits) as usize;
        let mut bytes = vec![0u8; count / 8];
        let nothing = of(&bytes);
        let mut masks = vec![BigInt::from(0); width as usize];
        for at in 0..count {
            // Bit 0 of the number is the last one of the last byte.
            let byte = count / 8 - 1 - at / 8;
            bytes[byte] ^= 1 << (at % 8);
            let changed = of(&bytes) ^ &nothing;
            bytes[byte] ^= 1 << (at % 8);
            for (out, mask) in masks.iter_mut().enumerate() {
                if changed.bit(out as u64) {
                    mask.set_bit(at as u64, true);
                }
            }
        }
        // Words of a size that every target has.
        let count = count as u32;
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
        let changes = self.concat(&result);
        let nothing = self.number(nothing, width);
        self.op(ir::Op::Xor, &[changes, nothing], width)
    }

    /// The sum modulo 2 of 64 bits. It stays in words until its end: single bits are conditions for a processor, and sums of these no good.
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
