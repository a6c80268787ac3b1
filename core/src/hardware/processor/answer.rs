//! What a unit brings back, as an operation ([`layout::ANSWER`]).

use crate::encode::layout::{self, kind, Bits};
use crate::hardware::decode::part;
use hardpath_rtl::{Module, Node};

/// The answer to an operation, of which `low` is the lowest word: it goes where that says. `to`: whether it goes into a register, and what.
pub(super) fn answer_word(m: &mut Module, low: Node, (has_to, value): (Node, Node)) -> Node {
    let opcode = m.constant(layout::ANSWER, layout::OPCODE.width.into());
    let number = m.constant(kind::NUMBER, layout::A_KIND.width.into());
    let parts = [
        (layout::OPCODE, opcode),
        (layout::A_KIND, number),
        (layout::HAS_TO, has_to),
        (layout::TO, part(m, low, layout::TO)),
        (layout::A_NUMBER, m.slice(value, 0, 32)),
        (layout::B_NUMBER, m.slice(value, 32, 32)),
    ];
    let nothing = m.zero(128);
    parts
        .into_iter()
        .fold(nothing, |word, (bits, node)| put(m, word, bits, node))
}

/// The word with a node at these bits.
pub(super) fn put(m: &mut Module, word: Node, bits: Bits, node: Node) -> Node {
    let (lo, width, all) = (u32::from(bits.lo), u32::from(bits.width), m.width(word));
    let mut parts = Vec::new();
    if lo + width < all {
        parts.push(m.slice(word, lo + width, all - lo - width));
    }
    parts.push(node);
    if lo > 0 {
        parts.push(m.slice(word, 0, lo));
    }
    m.concat(&parts)
}
