//! What common cards have, to say how much of one a design takes.
//!
//! From the vendors' data sheets (DS965, DS962, DS963, UG1352, DS180): the whole device, before anything that a shell takes.

use serde::Serialize;

/// Parts of an FPGA: what a design takes, or what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Look-up tables, as [`crate::area`] counts them.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 36 kbit; one of 18 kbit counts 0.5.
    pub bram36: f64,
    /// UltraRAM blocks.
    pub uram: u64,
    /// DSP slices.
    pub dsp: u64,
}

/// Their names, in the order of [`Resources::numbers`].
pub const NAMES: [&str; 5] = ["LUT", "FF", "BRAM36", "UltraRAM", "DSP"];

impl Resources {
    /// Each part, in the order of [`NAMES`].
    pub fn numbers(&self) -> [f64; 5] {
        let [lut, ff, uram, dsp] = [self.lut, self.ff, self.uram, self.dsp].map(|n| n as f64);
        [lut, ff, self.bram36, uram, dsp]
    }
}

/// A card and what its FPGA holds.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// As its maker sells it; cards with the same device share a line.
    pub name: &'static str,
    /// The whole device.
    pub has: Resources,
}

/// Cards with network ports.
pub const CARDS: [Card; 5] = [
    Card {
        name: "Alveo U50",
        has: Resources {
            lut: 872_000,
            ff: 1_743_000,
            bram36: 1_344.0,
            uram: 640,
            dsp: 5_952,
        },
    },
    Card {
        name: "Alveo U200",
        has: Resources {
            lut: 1_182_000,
            ff: 2_364_000,
            bram36: 2_160.0,
            uram: 960,
            dsp: 6_840,
        },
    },
    Card {
        name: "Alveo U250",
        has: Resources {
            lut: 1_728_000,
            ff: 3_456_000,
            bram36: 2_688.0,
            uram: 1_280,
            dsp: 12_288,
        },
    },
    Card {
        name: "Alveo U280, U55C",
        has: Resources {
            lut: 1_304_000,
            ff: 2_607_000,
            bram36: 2_016.0,
            uram: 960,
            dsp: 9_024,
        },
    },
    Card {
        name: "NetFPGA-SUME",
        has: Resources {
            lut: 433_200,
            ff: 866_400,
            bram36: 1_470.0,
            uram: 0,
            dsp: 3_600,
        },
    },
];

impl Card {
    /// Percent of the card for each of [`NAMES`]; 0 of what it has not.
    pub fn shares(&self, used: &Resources) -> [f64; 5] {
        let (used, has) = (used.numbers(), self.has.numbers());
        std::array::from_fn(|part| match has[part] {
            0.0 => 0.0,
            has => 100.0 * used[part] / has,
        })
    }

    /// Whether a design fits, as far as numbers tell: what is full cannot be routed.
    pub fn holds(&self, used: &Resources) -> bool {
        let both = used.numbers().into_iter().zip(self.has.numbers());
        both.into_iter().all(|(used, has)| used <= has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_holds_what_is_no_larger() {
        let [u50, .., sume] = CARDS;
        assert!(u50.holds(&u50.has) && !sume.holds(&u50.has));
        let ultra = Resources {
            uram: 1,
            ..Resources::default()
        };
        assert!(u50.holds(&ultra) && !sume.holds(&ultra));
        assert_eq!(sume.shares(&ultra)[3], 0.0);
        assert_eq!(u50.shares(&u50.has), [100.0; 5]);
    }
}
