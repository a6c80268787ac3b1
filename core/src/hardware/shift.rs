//! Moving bits, in choices of four.
//!
//! A LUT6 chooses one of four, so a bit of a shifter needs a LUT for each two bits of the distance. Tools find that only when they must:
//! in a row of choices of two, the first choice of one bit is the first choice of another one as well, and what is shared looks cheap
//! as a LUT3 of its own. Here neighbours make their two choices in different orders, so nothing is shared, and each bit is one LUT.

use hardpath_rtl::{Module, Node};

/// A word moved by a number of bits that is known.
pub(super) type Moved = fn(&mut Module, Node, u32) -> Node;

/// Down; zeros come in.
pub(super) fn down(m: &mut Module, value: Node, by: u32) -> Node {
    let width = m.width(value);
    let kept = m.slice(value, by, width - by);
    m.zext(kept, width)
}

/// Up; what leaves comes in below.
pub(super) fn around(m: &mut Module, value: Node, by: u32) -> Node {
    let width = m.width(value);
    let high = m.slice(value, width - by, by);
    let low = m.slice(value, 0, width - by);
    m.concat(&[low, high])
}

/// The value moved by `by` bits times a number of two bits.
pub(super) fn two_steps(
    m: &mut Module,
    value: Node,
    times: Node,
    (moved, by): (Moved, u32),
) -> Node {
    let steps = [(m.bit(times, 0), by), (m.bit(times, 1), 2 * by)];
    let step = |m: &mut Module, value, number: usize| {
        let (goes, by) = steps[number];
        let gone = moved(m, value, by);
        m.mux(goes, gone, value)
    };
    in_both_orders(m, value, &step, 2 * by)
}

/// Two steps, the second twice as far as the first: so many bits make the first one first, as many the second one, and so on.
pub(super) fn in_both_orders(
    m: &mut Module,
    value: Node,
    step: &dyn Fn(&mut Module, Node, usize) -> Node,
    bits: u32,
) -> Node {
    let near = step(m, value, 0);
    let near_first = step(m, near, 1);
    let far = step(m, value, 1);
    let far_first = step(m, far, 0);
    in_turns(m, near_first, far_first, bits)
}

/// So many bits of the one, as many of the other, and so on.
pub(super) fn in_turns(m: &mut Module, even: Node, odd: Node, bits: u32) -> Node {
    let runs = (0..m.width(even) / bits).rev();
    let runs = runs.map(|run| match run % 2 {
        0 => m.slice(even, run * bits, bits),
        _ => m.slice(odd, run * bits, bits),
    });
    let runs: Vec<Node> = runs.collect();
    m.concat(&runs)
}

/// What the node is so many clocks later.
pub(super) fn later(m: &mut Module, name: &str, node: Node, clocks: u32) -> Node {
    (0..clocks).fold(node, |node, clock| {
        m.delay(format!("{name}_later_{clock}"), node)
    })
}

/// The same of bits that are 0 after reset.
pub(super) fn later_from_reset(m: &mut Module, name: &str, node: Node, clocks: u32) -> Node {
    (0..clocks).fold(node, |node, clock| {
        m.delay_reset(format!("{name}_later_{clock}"), node)
    })
}

/// A bit for each of 64 places: whether it is at most `top`, a number of 6 bits.
pub(super) fn upto(m: &mut Module, top: Node) -> Node {
    let bits = (0..64u64).rev().map(|place| {
        let place = m.constant(place, 6);
        m.ule(place, top)
    });
    let bits: Vec<Node> = bits.collect();
    m.concat(&bits)
}

/// `yes` in the bits where `mask` is 1, `no` in the others.
pub(super) fn select(m: &mut Module, mask: Node, yes: Node, no: Node) -> Node {
    let others = m.not(mask);
    let chosen = m.and(&[mask, yes]);
    let rest = m.and(&[others, no]);
    m.or(&[chosen, rest])
}
