//! Two neighbouring beats become one.

use super::{Begin, Exit};
use crate::moves::Distance;
use hardpath_rtl::{Node, NodeOp};

/// So many different distances are wired; more of them are shifted.
pub(super) const MOST_WIRED: usize = 8;

/// How the exit finds the distance.
pub(super) enum Realign {
    /// One of a few.
    Wired(Vec<Distance>),
    Shifted,
}

impl Exit<'_> {
    /// By how much beats are shifted: see [`Slot`].
    pub(super) fn distance(&mut self, begin: &Begin) -> Node {
        let m = &mut *self.m;
        match &self.realign {
            Realign::Wired(all) => {
                let firsts = self.moves.firsts.clone().unwrap_or_default();
                let mut bits: Vec<Node> = Vec::new();
                for distance in all {
                    let with_it: Vec<Node> = firsts
                        .iter()
                        .filter(|first| Distance::of(**first, self.beat) == *distance)
                        .map(|at| m.eq_const(begin.first, *at as u64 & 0xffff))
                        .collect();
                    bits.push(m.or(&with_it));
                }
                bits.reverse();
                m.concat(&bits)
            }
            Realign::Shifted => {
                let lanes = m.slice(begin.rounded, 0, self.lane_bits);
                let lanes = m.zext(lanes, self.lane_bits + 1);
                let not_behind = m.not(begin.is_behind);
                let one_more = m.zext(not_behind, self.lane_bits + 1);
                let bytes = m.add(lanes, one_more);
                m.concat(&[begin.is_behind, bytes])
            }
        }
    }

    /// A beat out of two neighbouring ones, `(low, high)`: those of what begins not behind offset 0, and of the rest.
    pub(super) fn realigned(
        &mut self,
        distance: Node,
        before: Option<(Node, Node)>,
        behind: Option<(Node, Node)>,
    ) -> Node {
        let m = &mut *self.m;
        let bits = self.beat * 8;
        let mut pair = |pair: Option<(Node, Node)>| pair.map(|(low, high)| m.concat(&[high, low]));
        let (before, behind) = (pair(before), pair(behind));
        match &self.realign {
            Realign::Wired(all) => {
                let mut choices = Vec::new();
                for (index, distance_of) in all.iter().enumerate() {
                    let pair = if distance_of.is_behind {
                        behind
                    } else {
                        before
                    };
                    let pair = pair.expect("a pair for each way");
                    let part = m.slice(pair, distance_of.bytes * 8, bits);
                    choices.push((m.bit(distance, index as u32), part));
                }
                match choices[..] {
                    [(_, only)] => only,
                    [(on, one), (_, other)] => m.mux(on, one, other),
                    _ => {
                        let mut terms = Vec::new();
                        for (on, part) in choices {
                            terms.push(m.gate(on, part));
                        }
                        m.or(&terms)
                    }
                }
            }
            Realign::Shifted => {
                let is_behind = m.bit(distance, self.lane_bits + 1);
                let bytes = m.slice(distance, 0, self.lane_bits + 1);
                let pair = match (before, behind) {
                    (Some(before), Some(behind)) => m.mux(is_behind, behind, before),
                    (one, other) => one.or(other).expect("a pair for one way"),
                };
                let zeros = m.zero(3);
                let by = m.concat(&[bytes, zeros]);
                let shifted = m.shift(NodeOp::LShr, pair, by);
                m.slice(shifted, 0, bits)
            }
        }
    }
}
