//! Compares as logic: a tree over the bits.

use crate::{Module, Node};

/// Whether `a > b`, and whether `a >= b`.
pub fn beyond(m: &mut Module, a: Node, b: Node) -> (Node, Node) {
    let not_b = m.not(b);
    let greater = m.and(&[a, not_b]);
    let at_least = m.or(&[a, not_b]);
    if m.width(a) <= 3 {
        return tree(m, greater, at_least, 0);
    }
    let greater = m.alias(greater, "greater");
    let at_least = m.alias(at_least, "at_least");
    tree(m, greater, at_least, 0)
}

/// The same of what each bit says for itself: the upper part says "greater", or it says "at least" and the lower part
/// says "greater". `low` is the place of the first bit.
fn tree(m: &mut Module, greater: Node, at_least: Node, low: u32) -> (Node, Node) {
    let width = m.width(greater);
    if width == 1 {
        return (greater, at_least);
    }
    let half = lower_part(width);
    let mut part = |at: u32, bits: u32| (m.slice(greater, at, bits), m.slice(at_least, at, bits));
    let (high, rest) = (part(half, width - half), part(0, half));
    let (greater, at_least) = tree(m, high.0, high.1, low + half);
    let (rest_greater, rest_at_least) = tree(m, rest.0, rest.1, low);
    let tie_greater = m.and(&[at_least, rest_greater]);
    let tie_at_least = m.and(&[at_least, rest_at_least]);
    let at_least = m.or(&[greater, tie_at_least]);
    let greater = m.or(&[greater, tie_greater]);
    if width < 3 {
        return (greater, at_least);
    }
    let bits = format!("{}_to_{low}", low + width - 1);
    (
        m.alias(greater, format!("greater_{bits}")),
        m.alias(at_least, format!("at_least_{bits}")),
    )
}

/// The bits of the lower part of a compare: a power of two times three, so that the leaves fill LUTs of six inputs.
fn lower_part(width: u32) -> u32 {
    let mut part = 1;
    for next in [2, 3, 6, 12, 24, 48] {
        if next < width {
            part = next;
        }
    }
    part
}
