//! Ranges as prefixes: a key with masks can be in a range when an entry is several *rows*, each with one of the few prefixes that together
//! are the range (V. Srinivasan et al., "Fast and Scalable Layer Four Switching", SIGCOMM 1998).
//!
//! ```text
//! 4 bits, 1 to 14:   0001  001*  01**  10**  110*  1110
//! ```
//!
//! A range of `w` bits is at most `2w - 2` prefixes. Of several keys each prefix of one stands with each of the others.

use crate::interpreter::Match;
use num_bigint::{BigInt, Sign};

/// Prefixes of the range of so many bits that has the most.
pub fn most_prefixes(width: u32) -> u64 {
    (2 * u64::from(width)).saturating_sub(2).max(1)
}

/// What a key of so many bits has to be, as prefixes: those of a range from below, all others as they are.
pub(super) fn prefixes(key: &Match, width: u32) -> Vec<Match> {
    let masked = |value: BigInt, mask: BigInt| Match::Masked { value, mask };
    match key {
        Match::Any => vec![masked(BigInt::from(0), BigInt::from(0))],
        Match::Value(value) => vec![masked(value.to_number(), ones(width.into()))],
        Match::Masked { .. } => vec![key.clone()],
        Match::Range { low, high } => {
            let parts = unsigned(low, high, width).into_iter();
            parts
                .flat_map(|(low, high)| of_range(low, &high, width))
                .collect()
        }
    }
}

fn ones(width: u64) -> BigInt {
    (BigInt::from(1) << width) - 1
}

/// A range of numbers that may have a sign, as ranges of their bits.
fn unsigned(low: &BigInt, high: &BigInt, width: u32) -> Vec<(BigInt, BigInt)> {
    let turned = |number: &BigInt| number + (BigInt::from(1) << width);
    let is_negative = |number: &BigInt| number.sign() == Sign::Minus;
    match (is_negative(low), is_negative(high)) {
        (false, _) => vec![(low.clone(), high.clone())],
        (true, true) => vec![(turned(low), turned(high))],
        (true, false) => vec![
            (turned(low), ones(width.into())),
            (BigInt::from(0), high.clone()),
        ],
    }
}

/// From the lowest value on the largest block that begins there and does not go beyond the highest one.
fn of_range(mut low: BigInt, high: &BigInt, width: u32) -> Vec<Match> {
    let mut prefixes = Vec::new();
    while low <= *high {
        let left: BigInt = high - &low + 1;
        let begins = low.trailing_zeros().unwrap_or(width.into());
        let free = begins.min(left.bits() - 1);
        let mask = ones(width.into()) - ones(free);
        let next = &low + (BigInt::from(1) << free);
        prefixes.push(Match::Masked { value: low, mask });
        low = next;
    }
    prefixes
}

/// How many these would be of all keys together.
pub(super) fn product(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(1, |all, one| all.saturating_mul(one))
}

/// How many prefixes a key has.
pub(super) fn count(key: &Match, width: u32) -> u64 {
    match key {
        Match::Range { .. } => prefixes(key, width).len() as u64,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i64, high: i64) -> Match {
        let [low, high] = [low, high].map(BigInt::from);
        Match::Range { low, high }
    }

    /// Each value of some bits is in the range when one prefix has it, and none has it twice.
    #[test]
    fn prefixes_are_the_range_and_no_fewer_would_do() {
        for width in 1..=6u32 {
            let end = 1i64 << width;
            let mut most = 0;
            for low in 0..end {
                for high in low..end {
                    let all = prefixes(&range(low, high), width);
                    for value in 0..end {
                        let having = all.iter().filter(|one| match one {
                            Match::Masked { value: of, mask } => BigInt::from(value) & mask == *of,
                            _ => false,
                        });
                        let wanted = usize::from((low..=high).contains(&value));
                        assert_eq!(having.count(), wanted, "{low} to {high}: {value}");
                    }
                    most = most.max(all.len() as u64);
                }
            }
            assert_eq!(most, most_prefixes(width), "of {width} bits");
        }
    }

    #[test]
    fn the_ends_of_a_range_are_in_it() {
        assert_eq!(count(&range(0, 65_535), 16), 1);
        assert_eq!(count(&range(1024, 65_535), 16), 6);
        assert_eq!(count(&range(1, 65_534), 16), 30);
        assert_eq!(count(&range(80, 80), 16), 1);
        assert_eq!(count(&range(5, 4), 16), 0);
    }

    #[test]
    fn numbers_with_a_sign_are_those_of_their_bits() {
        let all = prefixes(&range(-2, 1), 8);
        let masked = |value: u32, mask: u32| {
            let [value, mask] = [value, mask].map(BigInt::from);
            Match::Masked { value, mask }
        };
        assert_eq!(all, [masked(0xfe, 0xfe), masked(0, 0xfe)]);
    }
}
