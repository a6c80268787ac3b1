//! Division.
//!
//! **By a constant d**, for dividends below 2^n: with m = ceil(2^p / d) and e = m·d − 2^p, floor(x·m / 2^p) is
//! floor(x / d) for all x when e ≤ 2^(p−n) (Granlund and Montgomery, "Division by Invariant Integers using
//! Multiplication", 1994). p = n + ceil(log2 d) always does; the smallest p that does gives the shortest multiplier.
//!
//! **By a value b**, one dividend bit after the other, from the top: r is the remainder so far, t = 2r + bit; when
//! t ≥ b the quotient's bit is 1 and r = t − b, else r = t. The compare is the subtraction's borrow. r < b, so r has as
//! many bits as b; with b = 0 it has not, and the result is chosen at the end.

use super::Expansion;
use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Value};

pub struct Division {
    pub quotient: Value,
    pub remainder: Value,
}

impl Expansion {
    pub fn divide(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Division {
        match rewriter.as_const(b).cloned() {
            Some(divisor) => self.divide_by_constant(rewriter, a, b, &divisor),
            None => self.divide_by_value(rewriter, a, b),
        }
    }

    pub fn divide_signed(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Division {
        let width = rewriter.width(a);
        let (sign_a, size_a) = absolute(rewriter, a);
        let (sign_b, size_b) = absolute(rewriter, b);
        let sizes = self.divide(rewriter, size_a, size_b);
        let zero = rewriter.constant(Bits::zero(width));
        let minus_quotient = rewriter.binary(Op::Sub, zero, sizes.quotient);
        let minus_remainder = rewriter.binary(Op::Sub, zero, sizes.remainder);
        let negative = rewriter.binary(Op::Xor, sign_a, sign_b);
        Division {
            quotient: rewriter.select(negative, minus_quotient, sizes.quotient),
            remainder: rewriter.select(sign_a, minus_remainder, sizes.remainder),
        }
    }

    fn divide_by_constant(
        &mut self,
        rewriter: &mut Rewriter,
        a: Value,
        b: Value,
        divisor: &Bits,
    ) -> Division {
        let width = rewriter.width(a);
        if divisor.is_zero() || divisor.count_ones() == 1 {
            // The rules know these.
            return Division {
                quotient: rewriter.binary(Op::UDiv, a, b),
                remainder: rewriter.binary(Op::URem, a, b),
            };
        }
        let n = self.active_bits(rewriter, a);
        let dividend = rewriter.slice(a, 0, n);
        let (multiplier, shift) = reciprocal(divisor, n);
        let multiplier_bits = multiplier.width();
        let product_bits = n + multiplier_bits;
        let factor = rewriter.constant(multiplier.zext(product_bits));
        let wide = rewriter.resize(dividend, product_bits);
        let product = self.multiply(rewriter, wide, factor);
        let quotient = if shift < product_bits {
            let high = rewriter.slice(product, shift, product_bits - shift);
            rewriter.resize(high, width)
        } else {
            rewriter.constant(Bits::zero(width))
        };
        // The remainder is smaller than the divisor: its bits are those of the difference modulo 2^bits.
        let bits = (width - divisor.leading_zeros()).min(width);
        let low_dividend = rewriter.slice(a, 0, bits);
        let low_quotient = rewriter.slice(quotient, 0, bits);
        let low_divisor = rewriter.constant(divisor.trunc(bits));
        let back = self.multiply(rewriter, low_quotient, low_divisor);
        let difference = rewriter.binary(Op::Sub, low_dividend, back);
        Division {
            quotient,
            remainder: rewriter.resize(difference, width),
        }
    }

    fn divide_by_value(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Division {
        let width = rewriter.width(a);
        let n = self.active_bits(rewriter, a);
        let divisor_bits = self.active_bits(rewriter, b);
        let divisor = rewriter.slice(b, 0, divisor_bits);
        let mut quotient_bits = Vec::with_capacity(n as usize);
        let mut remainder: Option<Value> = None;
        for index in (0..n).rev() {
            let bit = rewriter.slice(a, index, 1);
            let trial = match remainder {
                Some(value) => {
                    let bits = rewriter.width(value) + 1;
                    rewriter.build(Op::Concat, vec![value, bit], bits)
                }
                None => bit,
            };
            let trial_bits = rewriter.width(trial);
            let bits = trial_bits.max(divisor_bits) + 1;
            let wide_trial = rewriter.resize(trial, bits);
            let wide_divisor = rewriter.resize(divisor, bits);
            let difference = rewriter.binary(Op::Sub, wide_trial, wide_divisor);
            let borrow = rewriter.slice(difference, bits - 1, 1);
            let kept = trial_bits.min(divisor_bits);
            let unchanged = rewriter.slice(trial, 0, kept);
            let reduced = rewriter.slice(difference, 0, kept);
            remainder = Some(rewriter.select(borrow, unchanged, reduced));
            quotient_bits.push(rewriter.not(borrow));
        }
        let quotient = rewriter.build(Op::Concat, quotient_bits, n);
        let quotient = rewriter.resize(quotient, width);
        let remainder = remainder.map_or(a, |value| rewriter.resize(value, width));
        let zero = rewriter.constant(Bits::zero(width));
        let by_zero = rewriter.compare(Op::Eq, b, zero);
        Division {
            quotient: rewriter.select(by_zero, zero, quotient),
            remainder: rewriter.select(by_zero, a, remainder),
        }
    }
}

/// Sign bit and absolute value (as unsigned; the most negative number has one).
fn absolute(rewriter: &mut Rewriter, value: Value) -> (Value, Value) {
    let width = rewriter.width(value);
    let sign = rewriter.slice(value, width - 1, 1);
    let zero = rewriter.constant(Bits::zero(width));
    let minus = rewriter.binary(Op::Sub, zero, value);
    (sign, rewriter.select(sign, minus, value))
}

/// The shortest multiplier, and the shift, that divide every number below 2^n by `divisor`.
fn reciprocal(divisor: &Bits, n: u32) -> (Bits, u32) {
    let divisor_bits = divisor.width() - divisor.leading_zeros();
    let width = 2 * n + 2 * divisor_bits + 4;
    let divisor = divisor.zext(divisor.width().max(width)).trunc(width);
    let one = Bits::from_u64(1, width);
    let power = |exponent: u32| one.shl(u64::from(exponent));
    let last = n + divisor_bits;
    let first = n.min(divisor_bits);
    for shift in first..=last {
        let numerator = power(shift).add(&divisor).sub(&one);
        let multiplier = numerator.udiv(&divisor);
        let error = multiplier.mul(&divisor).sub(&power(shift));
        // error · 2^n ≤ 2^shift
        if shift == last || error.shl(u64::from(n)).ule(&power(shift)) {
            let bits = (width - multiplier.leading_zeros()).max(1);
            return (multiplier.trunc(bits), shift);
        }
    }
    (one, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_exact() {
        for n in 1..=9u32 {
            for divisor in 2..(1u64 << n) {
                let bits = Bits::from_u64(divisor, 16);
                let (multiplier, shift) = reciprocal(&bits, n);
                let multiplier = multiplier.as_u64().expect("small");
                for x in 0..1u64 << n {
                    assert_eq!((x * multiplier) >> shift, x / divisor, "{x} / {divisor}");
                }
            }
        }
    }
}
