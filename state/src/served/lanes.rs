//! Bytes of a value where they lie: up to eight of them, from any offset on.
//!
//! What changes bytes reads them, computes, and writes them soon, because a request that comes next may want the same ones. So nothing is
//! shifted there. A byte of a value belongs to a *lane*, its place modulo 8, and no two bytes of an access belong to the same one. An
//! operand is turned into its lanes before the value comes, and what was there is turned back behind that. In between each lane takes its
//! byte by a mask that says where it lies, and each byte is put back by its bit of it:
//!
//! ```text
//! value   | 0 1 2 3 4 5 6 7 | 8 9 a b c d e f |      4 bytes at offset 6
//! mask    | . . . . . . x x | x x . . . . . . |
//! lanes   | 8 9 . . . . 6 7 |                        the first byte is in lane 6
//! ```
//!
//! A sum's carry goes from the lane of the first byte to the one of the last, from lane 7 on to lane 0. Hardware is no ring, so the
//! lanes are added twice: those from the first byte's on are taken from the first time, the others from the second, which is computed
//! with the first one's carry and without it, so that it need not wait. In values of up to 8 bytes no access goes around.

use hardpath_rtl::{Module, Node};

/// Bytes of an access, and lanes.
pub(super) const LANES: u32 = 8;

/// Bits of all lanes.
pub(super) const LANE_BITS: u32 = 8 * LANES;

/// Where an access lies.
pub(super) struct Place {
    /// The lane of its first byte.
    pub(super) first: Node,
    /// Eight bytes of a value: which one the first byte is in.
    row: Node,
    /// By lane: a byte of the access is in that row.
    pub(super) in_row: Vec<Node>,
    /// By lane: one is in the row behind it.
    pub(super) behind: Vec<Node>,
}

impl Place {
    /// Of so many bytes, 1 to 8, from an offset on.
    pub(super) fn new(m: &mut Module, offset: Node, bytes: Node) -> Place {
        let first = m.slice(offset, 0, 3);
        let row = m.slice(offset, 3, m.width(offset) - 3);
        let [from, bytes] = [first, bytes].map(|number| m.zext(number, 5));
        let end = m.add(from, bytes);
        let mut lanes = (Vec::new(), Vec::new());
        for lane in 0..LANES {
            let this = m.constant(lane.into(), 5);
            let begun = m.ule(from, this);
            let not_over = m.ult(this, end);
            lanes.0.push(m.and(&[begun, not_over]));
            let this = m.constant((LANES + lane).into(), 5);
            lanes.1.push(m.ult(this, end));
        }
        Place {
            first,
            row,
            in_row: lanes.0,
            behind: lanes.1,
        }
    }

    /// The same a clock later.
    pub(super) fn later(&self, m: &mut Module) -> Place {
        let mut lanes = |name: &str, bits: &[Node]| -> Vec<Node> {
            let bits = bits.iter().zip(0..);
            let bits = bits.map(|(bit, lane)| m.delay(format!("{name}_{lane}"), *bit));
            bits.collect()
        };
        let (in_row, behind) = (lanes("in_row", &self.in_row), lanes("behind", &self.behind));
        Place {
            first: m.delay("first_lane", self.first),
            row: m.delay("row", self.row),
            in_row,
            behind,
        }
    }

    /// For each byte of a value, whether the access means it. `reads`: it means any.
    pub(super) fn mask(&self, m: &mut Module, value_bytes: u32, reads: Node) -> Vec<Node> {
        let ones = m.reduce_and(self.row);
        // In front of the first row lies the last one of all offsets.
        let mut before = m.and(&[ones, reads]);
        let mut mask = Vec::new();
        for row in 0..value_bytes.div_ceil(LANES) {
            let same = m.eq_const(self.row, row.into());
            let here = m.and(&[same, reads]);
            for lane in 0..LANES.min(value_bytes - row * LANES) as usize {
                let begins = m.and(&[here, self.in_row[lane]]);
                let goes_on = m.and(&[before, self.behind[lane]]);
                mask.push(m.or(&[begins, goes_on]));
            }
            before = here;
        }
        mask
    }

    /// The lanes of the access's bytes, wherever these are; zeros in others.
    pub(super) fn only(&self, m: &mut Module, lanes: Node) -> Node {
        let both = self.in_row.iter().zip(&self.behind);
        let used: Vec<Node> = both.map(|(row, behind)| m.or(&[*row, *behind])).collect();
        gated(m, &used, lanes)
    }

    /// By lane: the first byte is in it or in a lower one.
    pub(super) fn begun(&self, m: &mut Module) -> Vec<Node> {
        let begun = |lane: u32| {
            let lane = m.constant(lane.into(), 3);
            m.ule(self.first, lane)
        };
        (0..LANES).map(begun).collect()
    }
}

/// Lanes for which a bit is set, zeros in others.
pub(super) fn gated(m: &mut Module, bits: &[Node], lanes: Node) -> Node {
    let parts = bits.iter().zip(0..).map(|(bit, lane)| {
        let byte = m.slice(lanes, 8 * lane, 8);
        m.gate(*bit, byte)
    });
    let parts: Vec<Node> = parts.collect();
    from_lowest(m, &parts)
}

/// Nodes beside each other, the first one in the lowest bits.
pub(super) fn from_lowest(m: &mut Module, parts: &[Node]) -> Node {
    let parts: Vec<Node> = parts.iter().rev().copied().collect();
    m.concat(&parts)
}

/// Which way lanes go around.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Byte 0 to the lane.
    To,
    /// The lane's to byte 0.
    Back,
}

/// Eight bytes, turned by up to seven lanes.
pub(super) fn turned(m: &mut Module, mut lanes: Node, turn: Turn, by: Node) -> Node {
    for step in 0..3 {
        let bits = match turn {
            Turn::To => LANE_BITS - (8 << step),
            Turn::Back => 8 << step,
        };
        // What stood `bits` up comes to the lowest place.
        let low = m.slice(lanes, 0, bits);
        let high = m.slice(lanes, bits, LANE_BITS - bits);
        let other = m.concat(&[low, high]);
        let turns = m.bit(by, step);
        lanes = m.mux(turns, other, lanes);
    }
    lanes
}

/// What stands in a value where the mask says, by lane; elsewhere zeros.
pub(super) fn taken(m: &mut Module, mask: &[Node], value: Node) -> Node {
    let lane = |lane: u32| {
        let places = mask.iter().zip(0..).skip(lane as usize);
        let bytes = places.step_by(LANES as usize).map(|(bit, byte)| {
            let byte = m.slice(value, 8 * byte, 8);
            m.gate(*bit, byte)
        });
        let bytes: Vec<Node> = bytes.collect();
        match bytes.is_empty() {
            true => m.zero(8),
            false => m.or(&bytes),
        }
    };
    let lanes: Vec<Node> = (0..LANES).map(lane).collect();
    from_lowest(m, &lanes)
}
