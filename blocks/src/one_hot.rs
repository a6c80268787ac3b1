//! Of many lines one that is 1.

use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// One-hot to number.
pub(crate) fn encode(m: &mut Module, one_hot: &[Node]) -> Node {
    let bits = index_bits(one_hot.len() as u64);
    let mut columns: Vec<Node> = (0..bits)
        .map(|bit| {
            let with_bit: Vec<Node> = (0..one_hot.len())
                .filter(|i| i >> bit & 1 == 1)
                .map(|i| one_hot[i])
                .collect();
            m.or(&with_bit)
        })
        .collect();
    columns.reverse();
    m.concat(&columns)
}

/// The number of the lowest bit that is 1.
pub(crate) fn first_one(m: &mut Module, bits: Node) -> Node {
    let width = m.width(bits);
    if width == 1 {
        return m.zero(1);
    }
    let number_bits = index_bits(u64::from(width));
    let half = 1 << (number_bits - 1);
    if half == 1 {
        let low = m.bit(bits, 0);
        return m.not(low);
    }
    let low = m.slice(bits, 0, half);
    let high = m.slice(bits, half, width - half);
    let none = m.reduce_or(low);
    let none = m.not(none);
    let of_low = first_one(m, low);
    let of_high = first_one(m, high);
    let of_high = m.resize(of_high, number_bits - 1);
    let rest = m.mux(none, of_high, of_low);
    m.concat(&[none, rest])
}
