//! Where places stand in the rows of the chunks.
//!
//! A write enable of a block RAM is one for nine bits, so the places of a row stand in groups of nine. The first eight lanes of all groups
//! are the low places, in order; the ninth lanes are those behind them. So the group and the lane of a place need no division.

use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// Places of a group.
pub(super) const LANES: u32 = 9;
/// Bits that number the lanes but the last.
const LANE_BITS: u32 = 3;

/// How many places there are.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// At least 64, so that no group but the last misses a lane below its ninth.
    pub(super) places: u32,
}

impl Shape {
    pub(super) fn groups(self) -> u32 {
        self.places.div_ceil(LANES)
    }

    /// Bits that number the places.
    pub(super) fn bits(self) -> u32 {
        index_bits(u64::from(self.places))
    }

    /// Bits that number them and one behind the last.
    pub(super) fn end_bits(self) -> u32 {
        index_bits(u64::from(self.places) + 1)
    }

    pub(super) fn group_bits(self) -> u32 {
        index_bits(u64::from(self.groups()))
    }

    /// Places in the lanes but the last.
    fn low_places(self) -> u32 {
        self.groups() << LANE_BITS
    }

    /// The place in a lane of a group, if there is one.
    pub(super) fn place(self, group: u32, lane: u32) -> Option<u32> {
        let place = match lane < LANES - 1 {
            true => (group << LANE_BITS) + lane,
            false => self.low_places() + group,
        };
        (place < self.places).then_some(place)
    }

    /// The bit of a row that stands for a place.
    pub(super) fn bit_of(self, place: u32) -> u32 {
        match place.checked_sub(self.low_places()) {
            None => (place >> LANE_BITS) * LANES + place % (LANES - 1),
            Some(group) => group * LANES + LANES - 1,
        }
    }

    /// Whether a place is a low one.
    fn is_low(self, m: &mut Module, place: Node) -> Node {
        let low_places = m.constant(u64::from(self.low_places()), m.width(place));
        m.ult(place, low_places)
    }

    /// The group of a place.
    pub(super) fn group_of(self, m: &mut Module, place: Node) -> Node {
        let bits = m.width(place);
        let is_low = self.is_low(m, place);
        let of_low = m.slice(place, LANE_BITS, bits - LANE_BITS);
        let of_low = m.resize(of_low, self.group_bits());
        let behind = m.sub_const(place, u64::from(self.low_places()));
        let behind = m.resize(behind, self.group_bits());
        m.mux(is_low, of_low, behind)
    }

    /// The lane of a place, a bit for each.
    pub(super) fn lane_of(self, m: &mut Module, place: Node) -> Node {
        let is_low = self.is_low(m, place);
        let number = m.slice(place, 0, LANE_BITS);
        let mut lanes = vec![m.not(is_low)];
        for lane in (0..LANES - 1).rev() {
            let here = m.eq_const(number, u64::from(lane));
            lanes.push(m.and(&[is_low, here]));
        }
        m.concat(&lanes)
    }

    /// The place in a lane, of four bits, of a group.
    pub(super) fn place_of(self, m: &mut Module, group: Node, lane: Node) -> Node {
        let low_lane = m.slice(lane, 0, LANE_BITS);
        let is_last = m.bit(lane, LANE_BITS);
        let low = m.concat(&[group, low_lane]);
        let low = m.resize(low, self.bits());
        let group = m.resize(group, self.bits());
        let last = m.add_const(group, u64::from(self.low_places()));
        m.mux(is_last, last, low)
    }
}
