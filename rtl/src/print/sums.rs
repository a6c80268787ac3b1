//! Sums as logic: carry-select adders.
//!
//! Each group of bits makes its sum without and with a carry from below; the carries into the groups, from what all
//! groups below would do, choose. Tools keep this shape; parallel prefixes they make smaller and slower.

use crate::{Module, Node};

/// `a + b`, or `a - b` as `a + !b + 1`, modulo 2^width.
pub fn carry_select(m: &mut Module, a: Node, b: Node, subtracts: bool) -> Node {
    let width = m.width(a);
    let b = if subtracts { m.not(b) } else { b };
    let first = m.constant(u64::from(subtracts), 1);
    let group_bits = if width > 32 { 4 } else { 5 };
    let mut groups: Vec<(Node, Node)> = Vec::new();
    let mut sums = Vec::new();
    let mut low = 0;
    while low < width {
        let bits = group_bits.min(width - low);
        let (part_a, part_b) = (m.slice(a, low, bits), m.slice(b, low, bits));
        let carry = carry_into(m, &groups, first);
        let (zero, one) = (m.zero(1), m.one());
        let sum = match groups.is_empty() {
            true => {
                let name = format!("carry_from_{low}");
                let (sum, out) = ripple(m, part_a, part_b, first, &name, low);
                groups.push((out, out));
                sum
            }
            false => {
                let name = format!("carry_from_{low}_without");
                let (without, out_without) = ripple(m, part_a, part_b, zero, &name, low);
                let name = format!("carry_from_{low}_with");
                let (with, out_with) = ripple(m, part_a, part_b, one, &name, low);
                groups.push((out_without, out_with));
                m.mux(carry, with, without)
            }
        };
        sums.push(sum);
        low += bits;
    }
    sums.reverse();
    m.concat(&sums)
}

/// The carry into the group above the given ones (each: its carry out without and with a carry into it).
fn carry_into(m: &mut Module, groups: &[(Node, Node)], first: Node) -> Node {
    let mut terms = Vec::new();
    let mut passing: Vec<Node> = Vec::new();
    for (without, with) in groups.iter().rev() {
        let mut term = passing.clone();
        term.push(*without);
        terms.push(m.and(&term));
        passing.push(*with);
    }
    match terms.is_empty() {
        true => first,
        false => m.or(&terms),
    }
}

/// A sum bit by bit, and the carry out. `name` is that of the carries, `low` the place of the first bit.
fn ripple(m: &mut Module, a: Node, b: Node, carry: Node, name: &str, low: u32) -> (Node, Node) {
    let mut carry = carry;
    let mut carries = Vec::new();
    for place in 0..m.width(a) {
        carries.push(carry);
        let (bit_a, bit_b) = (m.bit(a, place), m.bit(b, place));
        let both = m.and(&[bit_a, bit_b]);
        let either = m.or(&[bit_a, bit_b]);
        let through = m.and(&[either, carry]);
        carry = m.or(&[both, through]);
        carry = m.alias(carry, format!("{name}_to_{}", low + place + 1));
    }
    carries.reverse();
    let carries = m.concat(&carries);
    (m.xor(&[a, b, carries]), carry)
}
