//! A small seeded generator (splitmix64): tests are the same on every machine.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1))
    }

    #[allow(clippy::should_implement_trait)] // It never ends, so it is no iterator that anybody would loop over.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 32) % limit
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    pub fn byte(&mut self) -> u8 {
        self.interesting(8) as u8
    }

    /// A number of `width` bits (at most 64) of a kind that programs use: small, mask, power of two, near the end.
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
