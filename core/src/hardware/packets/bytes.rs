//! Bytes of words: which of them, and turned around.

use super::super::shift::{in_both_orders, select};
use hardpath_rtl::{Module, Node};

/// A bit for each of `lanes` bytes: those of a number in `first..end`. Both numbers may be as high as `lanes`.
pub(super) fn between(m: &mut Module, lanes: u32, first: Node, end: Node) -> Node {
    let mut bits = Vec::new();
    for lane in (0..lanes).rev() {
        let from = m.constant(u64::from(lane), m.width(first));
        let from = m.ule(first, from);
        let to = m.constant(u64::from(lane), m.width(end));
        let to = m.ult(to, end);
        bits.push(m.and(&[from, to]));
    }
    m.concat(&bits)
}

/// Every bit of a mask as often as a byte has bits, so that it covers bytes.
pub(super) fn widened(m: &mut Module, mask: Node) -> Node {
    let lanes: Vec<Node> = (0..m.width(mask))
        .rev()
        .map(|lane| {
            let bit = m.bit(mask, lane);
            m.sext(bit, 8)
        })
        .collect();
    m.concat(&lanes)
}

/// Turns a word of a power of two of bytes so that its byte `by` becomes byte 0, and those in front of it the last ones.
pub(super) fn turned_down(m: &mut Module, word: Node, by: Node) -> Node {
    let steps = (0..m.width(by)).step_by(2);
    steps.fold(word, |word, first| {
        turned_down_in_part(m, (word, 8), &[by], first)
    })
}

/// A part of [`turned_down`]: by as many bytes as two bits of the number say, from bit `first` on, as far as it has them. `lane_bits`: of
/// what is as much as a byte. `by`: copies of the number, which the bits of a lane take by turns, so that in a wide word none has many loads.
/// Choices stand in two orders, by turns, so that each bit is a LUT ([`super::super::shift`]).
pub(super) fn turned_down_in_part(
    m: &mut Module,
    (word, lane_bits): (Node, u32),
    by: &[Node],
    first: u32,
) -> Node {
    let width = m.width(word);
    let step = |m: &mut Module, word: Node, number: usize| {
        let stage = first + number as u32;
        let on: Vec<Node> = by.iter().rev().map(|copy| m.bit(*copy, stage)).collect();
        let on = m.concat(&on);
        let on = m.concat(&vec![on; (width / m.width(on)) as usize]);
        let low = m.slice(word, 0, lane_bits << stage);
        let high = m.slice(word, lane_bits << stage, width - (lane_bits << stage));
        let other = m.concat(&[low, high]);
        select(m, on, other, word)
    };
    let stages = m.width(by[0]);
    if first >= stages {
        return word;
    }
    if first + 1 == stages {
        return step(m, word, 0);
    }
    in_both_orders(m, word, &step, lane_bits << (first + 1))
}

/// Turns a word so that its byte 0 becomes byte `by`.
pub(super) fn turned_up(m: &mut Module, word: Node, by: Node) -> Node {
    let zero = m.zero(m.width(by));
    let down = m.sub(zero, by);
    turned_down(m, word, down)
}

/// One of a power of two of values, by its number.
pub(super) fn chosen(m: &mut Module, values: &[Node], number: Node) -> Node {
    let mut left = values.to_vec();
    for bit in 0..m.width(number) {
        let on = m.bit(number, bit);
        left = left
            .chunks(2)
            .map(|pair| m.mux(on, pair[1], pair[0]))
            .collect();
    }
    left[0]
}
