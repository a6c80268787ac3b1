//! What common cards have, to say how much of one a design takes.
//!
//! From the vendors' data sheets (DS962, DS963, UG1352, DS197): the whole device, before anything that a shell takes.

use crate::SynthReport;

/// A card and what its FPGA holds.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    pub name: &'static str,
    pub lut: u64,
    pub ff: u64,
    pub bram36: u64,
    pub uram: u64,
}

/// Cards with network ports.
pub const CARDS: [Card; 5] = [
    Card {
        name: "Alveo U50",
        lut: 872_000,
        ff: 1_743_000,
        bram36: 1_344,
        uram: 640,
    },
    Card {
        name: "Alveo U200",
        lut: 1_182_000,
        ff: 2_364_000,
        bram36: 2_160,
        uram: 960,
    },
    Card {
        name: "Alveo U250",
        lut: 1_728_000,
        ff: 3_456_000,
        bram36: 2_688,
        uram: 1_280,
    },
    Card {
        name: "Alveo U280, U55C",
        lut: 1_304_000,
        ff: 2_607_000,
        bram36: 2_016,
        uram: 960,
    },
    Card {
        name: "NetFPGA-SUME",
        lut: 433_200,
        ff: 866_400,
        bram36: 1_470,
        uram: 0,
    },
];

impl Card {
    /// Percent of the card's LUTs, flip-flops, block RAMs and UltraRAMs; the last is 0 for cards without.
    pub fn shares(&self, report: &SynthReport) -> [f64; 4] {
        let percent = |used: f64, of: u64| match of {
            0 => 0.0,
            of => 100.0 * used / of as f64,
        };
        [
            percent(report.lut as f64, self.lut),
            percent(report.ff as f64, self.ff),
            percent(report.bram36, self.bram36),
            percent(report.uram as f64, self.uram),
        ]
    }
}
