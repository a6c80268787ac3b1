//! Random numbers from a seed.

/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Seeds that are neighbours give numbers that have nothing to do with each other.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    /// 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// 0 to `limit` − 1; `limit` is not 0, and at most 2³².
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 32) % limit
    }

    /// One of a list, which is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// A byte of a kind that packets have.
    pub fn byte(&mut self) -> u8 {
        self.interesting(8) as u8
    }

    /// A number of `width` bits (1 to 64) of a kind that programs use: small, mask, power of two, near the end.
    pub fn interesting(&mut self, width: u32) -> u64 {
        let bit = self.below(u64::from(width));
        let value = match self.below(8) {
            0 => self.below(4),
            1 => self.below(64),
            2 => 1 << bit,
            3 => (1u64 << bit) - 1,
            4 => !0 << bit,
            5 => self.below(3).wrapping_neg(),
            6 => 0xff << (bit / 8 * 8),
            _ => self.next(),
        };
        value & (u64::MAX >> (64 - width))
    }
}
