//! Multiplication.
//!
//! A constant is written with digits −1, 0 and 1, no two neighbours non-zero (canonical signed digits): that has the
//! fewest non-zero ones. With at most [`MOST_DIGITS`] of them the product is shifts, additions and subtractions.
//!
//! Otherwise one factor is cut into pieces of 24 bits, the other into pieces of 17, which is the unsigned size of the
//! multiplier in a DSP block (25 × 18 signed or larger). Products of pieces that lie above the result are left out.

use super::Expansion;
use crate::fold::shift_by;
use crate::rewrite::Rewriter;
use crate::tree::{self, Term};
use hardpath_ir::{Bits, Op, Value};

const MOST_DIGITS: usize = 3;
/// Bits of the factors of what is left, the longer one first.
pub const PIECES: [u32; 2] = [LONG_PIECE, SHORT_PIECE];
const LONG_PIECE: u32 = 24;
const SHORT_PIECE: u32 = 17;

impl Expansion {
    /// A product that does not fit one DSP block, made of others; `None` when it fits.
    pub fn multiply_wide(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Option<Value> {
        if let Some(value) = self.multiply_by_digits(rewriter, a, b) {
            return Some(value);
        }
        let (bits_a, bits_b) = (self.active_bits(rewriter, a), self.active_bits(rewriter, b));
        let (long, short) = (bits_a.max(bits_b), bits_a.min(bits_b));
        if long <= LONG_PIECE && short <= SHORT_PIECE {
            return None;
        }
        Some(self.multiply_pieces(rewriter, (a, bits_a), (b, bits_b)))
    }

    pub fn multiply(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Value {
        match self.multiply_wide(rewriter, a, b) {
            Some(value) => value,
            None => rewriter.binary(Op::Mul, a, b),
        }
    }

    fn multiply_by_digits(&mut self, rewriter: &mut Rewriter, a: Value, b: Value) -> Option<Value> {
        let bits = rewriter.as_const(b)?.clone();
        let width = bits.width();
        let digits = signed_digits(&bits);
        if digits.len() > MOST_DIGITS {
            return None;
        }
        let mut sums = [Vec::new(), Vec::new()];
        for (place, negative) in digits {
            let value = shift_by(rewriter, &Op::Shl, a, place);
            let max = self
                .facts
                .get_new(rewriter.program, value)
                .map_or(u128::MAX, |facts| facts.max);
            sums[usize::from(negative)].push(Term { value, max });
        }
        let [plus, minus] = sums;
        let mut join = |rewriter: &mut Rewriter, terms: &[Term]| match terms {
            [] => rewriter.constant(Bits::zero(width)),
            _ => tree::build_sum(rewriter, &mut self.arrivals, terms, width).value,
        };
        let plus = join(rewriter, &plus);
        let minus = join(rewriter, &minus);
        Some(rewriter.binary(Op::Sub, plus, minus))
    }

    fn multiply_pieces(
        &mut self,
        rewriter: &mut Rewriter,
        (a, bits_a): (Value, u32),
        (b, bits_b): (Value, u32),
    ) -> Value {
        let width = rewriter.width(a);
        let count = |long: u32, short: u32| long.div_ceil(LONG_PIECE) * short.div_ceil(SHORT_PIECE);
        let ((long, long_bits), (short, short_bits)) =
            if count(bits_a, bits_b) <= count(bits_b, bits_a) {
                ((a, bits_a), (b, bits_b))
            } else {
                ((b, bits_b), (a, bits_a))
            };
        let mut terms = Vec::new();
        for at_long in (0..long_bits).step_by(LONG_PIECE as usize) {
            for at_short in (0..short_bits).step_by(SHORT_PIECE as usize) {
                let at = at_long + at_short;
                if at >= width {
                    continue;
                }
                let long_width = LONG_PIECE.min(long_bits - at_long);
                let short_width = SHORT_PIECE.min(short_bits - at_short);
                let product_width = (long_width + short_width).min(width - at);
                let x = rewriter.slice(long, at_long, long_width);
                let y = rewriter.slice(short, at_short, short_width);
                let x = rewriter.resize(x, product_width);
                let y = rewriter.resize(y, product_width);
                let product = match self.multiply_by_digits(rewriter, x, y) {
                    Some(product) => product,
                    None => rewriter.binary(Op::Mul, x, y),
                };
                let extended = rewriter.resize(product, width);
                let value = shift_by(rewriter, &Op::Shl, extended, at);
                let max = match at + product_width {
                    0..=120 => ((1 << product_width) - 1) << at,
                    _ => u128::MAX,
                };
                terms.push(Term { value, max });
            }
        }
        tree::build_sum(rewriter, &mut self.arrivals, &terms, width).value
    }
}

/// Places of the non-zero signed digits of a number modulo 2^width, and whether they are negative.
fn signed_digits(bits: &Bits) -> Vec<(u32, bool)> {
    let width = bits.width();
    let mut digits = Vec::new();
    let mut carry = false;
    for place in 0..width {
        let bit = bits.bit(place);
        let next = place + 1 < width && bits.bit(place + 1);
        match (bit, carry) {
            (false, false) | (true, true) => {}
            // A run of ones begins (or goes on over a zero): −1 here, +1 above its end.
            _ if next => {
                digits.push((place, true));
                carry = true;
            }
            _ => {
                digits.push((place, false));
                carry = false;
            }
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_add_up() {
        for number in 0..1u64 << 10 {
            let digits = signed_digits(&Bits::from_u64(number, 10));
            let sum = digits.iter().fold(0i64, |sum, &(place, negative)| {
                sum + if negative { -(1 << place) } else { 1 << place }
            });
            assert_eq!(sum.rem_euclid(1 << 10), number as i64);
            assert!(digits.windows(2).all(|pair| pair[1].0 > pair[0].0 + 1));
        }
    }
}
