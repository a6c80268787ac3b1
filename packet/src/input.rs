//! What a program asks of whoever brings it packets, beside what every packet has.

use crate::places::places;

/// An input that a program declares: a number that comes with each packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnInput {
    /// What it is called, in texts and in the contract of a design; an identifier.
    pub name: String,
    /// Width in bits.
    pub width: u32,
}

/// All of a program's own inputs have at most so many bits together.
pub const MAX_OWN_BITS: u32 = 64;

impl OwnInput {
    /// Bits of all of them.
    pub fn bits(all: &[OwnInput]) -> u32 {
        all.iter()
            .fold(0, |bits, input| bits.saturating_add(input.width))
    }

    /// Whether a number has no more bits.
    pub fn holds(&self, value: u64) -> bool {
        value.checked_shr(self.width).unwrap_or(0) == 0
    }

    /// Each with the lowest of its bits among those of all.
    pub fn places(all: &[OwnInput]) -> impl Iterator<Item = (u32, &OwnInput)> {
        places(all, |input| input.width)
    }

    /// The one of that name, with the lowest of its bits among those of all.
    pub fn find<'a>(all: &'a [OwnInput], name: &str) -> Option<(u32, &'a OwnInput)> {
        OwnInput::places(all).find(|(_, input)| input.name == name)
    }

    /// The name of the one with so many bits from bit `lo` of all on; `None`: there is none.
    pub fn name(all: &[OwnInput], lo: u8, width: u8) -> Option<&str> {
        let is_it =
            |(at, input): &(u32, &OwnInput)| (*at, input.width) == (lo.into(), width.into());
        let found = OwnInput::places(all).find(is_it);
        found.map(|(_, input)| input.name.as_str())
    }
}
