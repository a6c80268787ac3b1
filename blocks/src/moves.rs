//! How a program may move packets: what the exit of [`crate::moved_egress`] must be able to do.

use hardpath_rtl::signals;

/// How a program may move packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Where what leaves may begin, in order; `None`: anywhere in headroom and packet.
    pub firsts: Option<Vec<i32>>,
    /// The end may be another one than the length that came in.
    pub has_end: bool,
    /// The tail may have grown: bytes at or behind `result_keep` that no overlay writes are zeros.
    pub grows: bool,
    /// Bytes may be put in front. Then what leaves begins so many bytes before `result_from` would say without them.
    pub front: Option<Fronts>,
}

/// Bytes in front of what leaves of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fronts {
    /// The most that there may be.
    pub bytes: u32,
    /// How many there always are; `None`: it is told for each packet.
    pub length: Option<u32>,
}

impl Moves {
    /// Clocks from the result to the first beat that the exit takes more than one without moves.
    pub fn more_clocks(&self) -> u32 {
        3 + u32::from(self.ways().behind)
    }

    pub(crate) fn ways(&self) -> Ways {
        match &self.firsts {
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
        let varies = self.firsts.as_ref().is_none_or(|firsts| firsts.len() > 1);
        MovesIn {
            result_from: varies.then_some(OFFSET_BITS),
            result_end: self.has_end.then_some(OFFSET_BITS),
            result_keep: self.grows.then_some(OFFSET_BITS),
            front: self.front.map(|front| FrontIn {
                result_front: front.bytes * 8,
                result_front_length: front.length.is_none().then_some(OFFSET_BITS),
            }),
        }
    }
}

signals! {
    /// Where a packet begins and ends that was moved; what is always the same is not there.
    pub struct MovesIn {
        result_from: maybe "where what leaves begins, what is put in front included, in two's complement",
        /// Signed: a packet may end before the place where it began.
        result_end: maybe "behind the packet's last byte",
        result_keep: maybe "what came in is zeros from here",
        front: some FrontIn,
    }
}

signals! {
    /// Bytes in front of a packet.
    pub struct FrontIn {
        result_front: one "byte 0 in bits 7:0",
        result_front_length: maybe "so many of them",
    }
}

impl<T> MovesIn<T> {
    /// Of a packet that is not moved.
    pub fn nowhere() -> MovesIn<T> {
        MovesIn {
            result_from: None,
            result_end: None,
            result_keep: None,
            front: None,
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
