//! How a program may move packets: what the exit of [`crate::moved_egress`] must be able to do.

use hardpath_rtl::signals;
use std::collections::BTreeSet;

/// How a program may move packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Where a packet may begin; `None`: anywhere in headroom and packet.
    pub heads: Option<Vec<i32>>,
    /// How many bytes of metadata may be in front of it, multiples of 4; `None`: up to 252. Always 0: `[0]`.
    pub metas: Option<Vec<i32>>,
    /// The end may be another one than the length that came in.
    pub has_end: bool,
    /// The tail may have grown: bytes at or behind `result_keep` that no overlay writes are zeros.
    pub grows: bool,
}

impl Moves {
    /// Where what leaves may begin, metadata included, in order.
    pub fn firsts(&self) -> Option<Vec<i32>> {
        let (heads, metas) = (self.heads.as_ref()?, self.metas.as_ref()?);
        let pairs = heads
            .iter()
            .flat_map(|head| metas.iter().map(move |meta| head - meta));
        Some(pairs.collect::<BTreeSet<i32>>().into_iter().collect())
    }

    /// Whether packets may leave with metadata.
    pub fn has_metadata(&self) -> bool {
        self.metas.as_deref() != Some(&[0])
    }

    /// Clocks from the result to the first beat that the exit takes more than one without moves.
    pub fn more_clocks(&self) -> u32 {
        3 + u32::from(self.ways().behind)
    }

    pub(crate) fn ways(&self) -> Ways {
        match self.firsts() {
            Some(firsts) => Ways {
                before: firsts.iter().any(|first| *first <= 0),
                behind: firsts.iter().any(|first| *first > 0),
            },
            None => Ways {
                before: true,
                behind: true,
            },
        }
    }

    /// The inputs beside those of an exit without moves, with their widths.
    pub fn widths(&self) -> MovesIn<u32> {
        let is_variable =
            |set: &Option<Vec<i32>>| set.as_ref().is_none_or(|numbers| numbers.len() > 1);
        MovesIn {
            result_head: is_variable(&self.heads).then_some(OFFSET_BITS),
            result_meta: is_variable(&self.metas).then_some(META_BITS),
            result_end: self.has_end.then_some(OFFSET_BITS),
            result_keep: self.grows.then_some(OFFSET_BITS),
        }
    }
}

signals! {
    /// Where a packet begins and ends that was moved; what is always the same is not there.
    pub struct MovesIn {
        result_head: maybe "where the packet begins, in two's complement",
        result_meta: maybe "bytes of metadata",
        /// Signed: a packet may end before the place where it began.
        result_end: maybe "behind the packet's last byte",
        result_keep: maybe "what came in is zeros from here",
    }
}

impl<T> MovesIn<T> {
    /// Of a packet that is not moved.
    pub fn nowhere() -> MovesIn<T> {
        MovesIn {
            result_head: None,
            result_meta: None,
            result_end: None,
            result_keep: None,
        }
    }
}

/// On which side of offset 0 what leaves may begin.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    /// At or before it.
    pub before: bool,
    pub behind: bool,
}

/// Bits of an offset.
pub(crate) const OFFSET_BITS: u32 = 16;
/// Bits of the number of metadata bytes.
pub(crate) const META_BITS: u32 = 8;

/// By how many bytes two neighbouring beats are shifted to form one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Distance {
    pub is_behind: bool,
    pub bytes: u32,
}

impl Distance {
    /// For what begins at `first`: 1 to a whole beat when that is not behind offset 0, else 0 to less than a beat.
    pub fn of(first: i32, beat: u32) -> Distance {
        let is_behind = first > 0;
        let rest = |offset: i32| offset.rem_euclid(beat as i32) as u32;
        Distance {
            is_behind,
            bytes: if is_behind {
                rest(first)
            } else {
                rest(first - 1) + 1
            },
        }
    }
}
