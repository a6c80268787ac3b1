//! Units that several lanes share: which lane's operation each of them serves.
//!
//! Which lanes have an operation of a kind stands in the row itself, whatever their guards say. So who is served is known in the stage of
//! the words, and what a unit needs to know of the operation comes out of them long before its operands do.

use super::decode::part;
use crate::encode::layout::Bits;
use hardpath_blocks::counters::choose;
use hardpath_blocks::index_bits;
use hardpath_rtl::{Module, Node};

/// Which lane a unit serves; in stage 0, where words are.
#[derive(Clone, Copy)]
pub(super) struct Pick {
    /// There is one.
    pub some: Node,
    /// Its number; `None`: there is one lane.
    pub lane: Option<Node>,
}

impl Pick {
    /// The lane of the operation before which there are `before` of the kind. `of_kind`: a bit for each lane.
    pub fn nth(m: &mut Module, of_kind: &[Node], before: usize) -> Pick {
        let one = m.one();
        // Whether there were exactly so many up to here.
        let mut exactly: Vec<Option<Node>> = vec![None; before + 1];
        exactly[0] = Some(one);
        let mut hits = Vec::new();
        for is in of_kind {
            let hit = match exactly[before] {
                Some(there) => m.and(&[there, *is]),
                None => m.zero(1),
            };
            hits.push(hit);
            let not = m.not(*is);
            for count in (0..=before).rev() {
                let stays = exactly[count].map(|there| m.and(&[there, not]));
                let comes = match count {
                    0 => None,
                    _ => exactly[count - 1].map(|there| m.and(&[there, *is])),
                };
                exactly[count] = match (stays, comes) {
                    (Some(stays), Some(comes)) => Some(m.or(&[stays, comes])),
                    (one, other) => one.or(other),
                };
            }
        }
        Pick {
            some: m.or(&hits),
            lane: number(m, &hits),
        }
    }

    /// What it is in a later stage.
    pub fn later(self, m: &mut Module, name: &str, clocks: u32) -> Pick {
        let mut later =
            |what: &str, node| super::shift::later(m, &format!("{name}_{what}"), node, clocks);
        Pick {
            some: later("some", self.some),
            lane: self.lane.map(|lane| later("lane", lane)),
        }
    }

    /// What the lane has of this, one for each lane.
    pub fn of(self, m: &mut Module, lanes: &[Node]) -> Node {
        match self.lane {
            Some(lane) => choose(m, lanes, lane),
            None => lanes[0],
        }
    }

    /// The same, and zeros where no lane is served.
    pub fn gated(self, m: &mut Module, lanes: &[Node]) -> Node {
        let node = self.of(m, lanes);
        m.gate(self.some, node)
    }

    /// A part of the word of the lane that is served, in a later stage than its own.
    pub fn part(self, m: &mut Module, name: &str, words: &[Node], bits: Bits, stage: u32) -> Node {
        let parts = words.iter().map(|word| part(m, *word, bits));
        let parts: Vec<Node> = parts.collect();
        let part = self.of(m, &parts);
        super::shift::later(m, name, part, stage)
    }
}

/// The number of the only bit that is 1; 0 of none. `None`: there is one bit.
fn number(m: &mut Module, hits: &[Node]) -> Option<Node> {
    if hits.len() == 1 {
        return None;
    }
    let bits = (0..index_bits(hits.len() as u64)).rev().map(|bit| {
        let ones = (0..).zip(hits).filter(|(lane, _)| lane >> bit & 1 == 1);
        let ones: Vec<Node> = ones.map(|(_, hit)| *hit).collect();
        m.or(&ones)
    });
    let bits: Vec<Node> = bits.collect();
    Some(m.concat(&bits))
}

/// So many bits: that of this number, where `on`.
pub(super) fn one_hot(m: &mut Module, bits: u32, on: Node, number: Node) -> Node {
    let bits = (0..u64::from(bits)).rev().map(|bit| {
        let is = m.eq_const(number, bit);
        m.and(&[on, is])
    });
    let bits: Vec<Node> = bits.collect();
    m.concat(&bits)
}

/// The bit of this number.
pub(super) fn bit_at(m: &mut Module, flags: Node, number: Node) -> Node {
    let bits: Vec<Node> = (0..m.width(flags)).map(|bit| m.bit(flags, bit)).collect();
    choose(m, &bits, number)
}

/// The number of the lowest bit that is 1; that of the highest one where none is.
pub(super) fn lowest(m: &mut Module, flags: Node) -> Node {
    let bits = index_bits(m.width(flags).into());
    lowest_of(m, flags, 0, bits)
}

/// Half by half, so that many flags are few levels. The number has `first` in it.
fn lowest_of(m: &mut Module, flags: Node, first: u32, bits: u32) -> Node {
    let count = m.width(flags);
    if count == 1 {
        return m.constant(first.into(), bits);
    }
    let half = count.next_power_of_two() / 2;
    let low = m.slice(flags, 0, half);
    let high = m.slice(flags, half, count - half);
    let is_low = m.reduce_or(low);
    let low = lowest_of(m, low, first, bits);
    let high = lowest_of(m, high, first + half, bits);
    m.mux(is_low, low, high)
}
