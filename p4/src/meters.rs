//! Meters of two rates and three colours (RFC 2698): the rates, as everything that meters has them.
//!
//! A bucket is counted in time, not in tokens: a token is as much time as its rate takes to give one, in units of 2^-15 ns, and a burst is
//! the time in which an empty bucket becomes full. So a packet costs a product that is known before the bucket is looked at, and no token is
//! added ever. At 1 GB/s a byte is 32,768 units, so a rate is kept to 1/65,536; the fastest rate that is taken is kept to 1 %.

use crate::typed::Function;
use crate::types::{Type, Types};
use num_bigint::BigUint;

/// Bits of a nanosecond's fraction.
pub const FRACTION: u32 = 15;
/// The time from which buckets are counted, in 2^-15 ns: in front of it lies every burst, so that 0 is a full bucket.
pub const ORIGIN: u128 = 1 << (u64::BITS + FRACTION);
/// Bits of what a byte or a packet costs.
pub const COST_BITS: u32 = 45;
/// Bits of a burst.
pub const BURST_BITS: u32 = 79;
/// The least that a token may cost: less, and the rate is wrong by more than 1 %.
const LEAST_COST: u64 = 50;

/// A bucket's rate and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// What a byte or a packet costs, in 2^-15 ns: [`COST_BITS`] bits, not 0.
    pub cost: u64,
    /// What a full bucket has, in 2^-15 ns: [`BURST_BITS`] bits.
    pub burst: u128,
}

/// Both rates of a meter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rates {
    /// The committed rate: above it packets are yellow.
    pub committed: Bucket,
    /// The peak rate: above it packets are red.
    pub peak: Bucket,
}

/// What a packet is told (RFC 2698, section 3), by the numbers of v1model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Colour {
    /// Within both rates.
    Green,
    /// Above the committed rate.
    Yellow,
    /// Above the peak rate.
    Red,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

impl Bucket {
    /// A rate in tokens a microsecond, a decimal fraction, and the tokens of a full bucket. Nothing ever passes a rate of 0.
    ///
    /// # Errors
    /// What is wrong with them: no number, too slow, too fast, too large a burst.
    pub fn new(rate: &str, burst: u64) -> Result<Bucket, String> {
        let (whole, fraction) = rate.split_once('.').unwrap_or((rate, ""));
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || digits.len() > 60 || !is_number(whole) || !is_number(fraction) {
            return Err(format!("`{rate}` is no rate"));
        }
        let tokens: BigUint = digits.parse().map_err(|_| format!("`{rate}` is no rate"))?;
        if tokens == BigUint::ZERO {
            let cost = (1 << COST_BITS) - 1;
            return Ok(Bucket { cost, burst: 0 });
        }
        // Units of a microsecond by tokens of a microsecond, to the nearest.
        let units =
            (BigUint::from(1000u32) << FRACTION) * BigUint::from(10u32).pow(fraction.len() as u32);
        let cost = (units * 2u32 + &tokens) / (tokens * 2u32);
        match u64::try_from(&cost).ok() {
            Some(cost) if cost < LEAST_COST => Err(format!(
                "a rate of {rate} a microsecond is too fast: at most {} are there",
                (1000 << FRACTION) / LEAST_COST
            )),
            Some(cost) if cost < 1 << COST_BITS => {
                let burst = u128::from(burst) * u128::from(cost);
                match burst < 1 << BURST_BITS {
                    true => Ok(Bucket { cost, burst }),
                    false => {
                        Err("this burst is larger than what comes in 500 years at its rate".into())
                    }
                }
            }
            _ => Err(format!(
                "a rate of {rate} a microsecond is too slow: one a second is the slowest"
            )),
        }
    }
}

impl Rates {
    /// The committed and the peak rate, each as [`Bucket::new`] has it.
    ///
    /// # Errors
    /// As [`Bucket::new`]; a peak rate below the committed one (RFC 2698, section 2).
    pub fn new(committed: (&str, u64), peak: (&str, u64)) -> Result<Rates, String> {
        let rates = Rates {
            committed: Bucket::new(committed.0, committed.1)?,
            peak: Bucket::new(peak.0, peak.1)?,
        };
        match rates.peak.cost <= rates.committed.cost {
            true => Ok(rates),
            false => Err(format!(
                "the peak rate ({}) is below the committed one ({})",
                peak.0, committed.0
            )),
        }
    }
}

impl Unit {
    /// By the name that an architecture has for it.
    pub fn named(name: &str) -> Option<Unit> {
        match name.to_ascii_lowercase().as_str() {
            "packets" => Some(Unit::Packets),
            "bytes" => Some(Unit::Bytes),
            _ => None,
        }
    }
}

impl Colour {
    /// By its name in PSA and PNA.
    pub fn named(name: &str) -> Option<Colour> {
        match name {
            "GREEN" => Some(Colour::Green),
            "YELLOW" => Some(Colour::Yellow),
            "RED" => Some(Colour::Red),
            _ => None,
        }
    }

    /// The member that it is of an architecture's enum of colours.
    pub fn member(self, types: &Types, of: &Type) -> Option<usize> {
        (0..3).find(|member| {
            let name = types.member_name(of, *member);
            name.and_then(Colour::named) == Some(self)
        })
    }
}

/// The place of the parameter that says which colour a packet has already, if there is one.
pub fn colour_before(function: &Function) -> Option<usize> {
    let mut parameters = function.parameters.iter();
    parameters.position(|one| one.name == "color")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_kept_to_a_hundredth() {
        for (rate, per_second) in [
            ("0.000001", 1.0),
            ("0.5", 5e5),
            ("12500", 1.25e10),
            ("3.14159", 3.14159e6),
            ("600000", 6e11),
        ] {
            let bucket = Bucket::new(rate, 10).unwrap();
            let kept = 1e9 * f64::from(1 << FRACTION) / bucket.cost as f64;
            assert!((kept / per_second - 1.0).abs() <= 0.01, "{rate}: {kept}");
            assert_eq!(bucket.burst, 10 * u128::from(bucket.cost));
        }
    }

    #[test]
    fn rates_that_do_not_fit_are_refused() {
        for (rate, burst) in [
            ("0.0000005", 1),
            ("700000", 1),
            ("", 1),
            (".", 1),
            ("1e3", 1),
            ("-1", 1),
            ("0.000001", 1 << 40),
        ] {
            assert!(Bucket::new(rate, burst).is_err(), "{rate}:{burst}");
        }
        assert!(Rates::new(("2", 1), ("1", 1)).is_err());
        assert!(Rates::new(("1", 1), ("1", 1)).is_ok());
    }
}
