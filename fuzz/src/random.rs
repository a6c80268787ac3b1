//! Random numbers of the kinds that programs and packets are made of; the same seed gives the same numbers.

use hardpath_testkit::Random as Numbers;

pub struct Random(Numbers);

impl Random {
    /// `stream` tells generators of one seed apart.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mixed = seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Random(Numbers::new(mixed))
    }

    pub fn bits64(&mut self) -> u64 {
        self.0.next()
    }

    pub fn bits32(&mut self) -> u32 {
        (self.0.next() >> 32) as u32
    }

    pub fn byte(&mut self) -> u8 {
        self.bits32() as u8
    }

    /// 0 to `limit` − 1; 0 when `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit {
            0 => 0,
            _ => self.0.below(limit as u64) as usize,
        }
    }

    /// Both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True in that many of 100 cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.0.below(100) < u64::from(percent)
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        match choices {
            [] => None,
            _ => Some(choices[self.below(choices.len())]),
        }
    }

    /// One of several constants.
    pub fn one_of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    /// The index of a choice; each is taken as often as its weight says.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let sum: u32 = weights.iter().sum();
        let mut rest = self.below(sum as usize) as u32;
        for (index, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return index;
            }
            rest -= weight;
        }
        0
    }

    /// A number of a kind that programs use: small, near zero from below, a power of two, a mask, the ends of a
    /// range, or any.
    pub fn interesting(&mut self) -> u64 {
        let bit = self.below(64) as u32;
        match self.below(10) {
            0 | 1 => self.below(4) as u64,
            2 => self.below(300) as u64,
            3 => (self.below(4) as u64).wrapping_neg(),
            4 => 1 << bit,
            5 => (1 << bit) - 1,
            6 => !0 << bit,
            7 => self.one_of([
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0xffff,
                0x7fff_ffff,
                0x8000_0000,
                0xffff_ffff,
                i64::MAX as u64,
                i64::MIN as u64,
            ]),
            8 => u64::from(self.bits32()),
            _ => self.bits64(),
        }
    }
}
