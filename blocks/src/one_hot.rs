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
