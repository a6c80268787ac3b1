//! Sums and compares as plain logic, without carry chains.
//!
//! Synthesis tools map the logic between registers and carry chains piece by piece, and give each piece as many levels
//! as the deepest piece of the design needs. So the LUTs in front of a short carry chain and behind it become a long row
//! of small ones. Built of gates, the whole way from register to register is one piece, which tools make as flat as it
//! can be. For chains that stand alone between registers, `+` and `<` are smaller.

use hardpath_rtl::{Module, Node};

/// `a < b`, unsigned.
pub fn less(m: &mut Module, a: Node, b: Node) -> Node {
    beyond(m, b, a).0
}

/// `a <= b`, unsigned.
pub fn at_most(m: &mut Module, a: Node, b: Node) -> Node {
    beyond(m, b, a).1
}

/// `a < b`, two's complement.
pub fn less_signed(m: &mut Module, a: Node, b: Node) -> Node {
    let (a, b) = swap_signs(m, a, b);
    less(m, a, b)
}

/// `a <= b`, two's complement.
pub fn at_most_signed(m: &mut Module, a: Node, b: Node) -> Node {
    let (a, b) = swap_signs(m, a, b);
    at_most(m, a, b)
}

/// A module with the ports `a`, `b` and `sum`: `sum = a + b`, or `a - b`, modulo 2^width. In the text it is
/// [`carry_select_adder`]; simulation adds.
pub fn adder(name: &str, width: u32, subtracts: bool) -> Module {
    let gates = carry_select_adder(name, width, subtracts);
    let mut m = Module::new(name, gates.doc.clone());
    let (a, b) = (m.input("a", width, ""), m.input("b", width, ""));
    let sum = if subtracts { m.sub(a, b) } else { m.add(a, b) };
    m.output("sum", sum, "");
    m.in_text = Some(Box::new(gates));
    m
}

/// The adder in gates.
///
/// Carry select: each group of bits makes its sum without and with a carry from below; the carries into the groups,
/// from what all groups below would do, choose. Tools keep this shape; parallel prefixes they make smaller and slower.
pub fn carry_select_adder(name: &str, width: u32, subtracts: bool) -> Module {
    let what = if subtracts { "a - b" } else { "a + b" };
    let mut m = Module::new(
        name,
        format!(
            "sum = {what}, modulo 2^{width}, as logic without a carry chain: a carry-select adder."
        ),
    );
    let a = m.input("a", width, "");
    let mut b = m.input("b", width, "");
    if subtracts {
        b = m.not(b);
    }
    let first = m.constant(u64::from(subtracts), 1);
    let group_bits = if width > 32 { 4 } else { 5 };
    let mut groups: Vec<(Node, Node)> = Vec::new();
    let mut sums = Vec::new();
    let mut low = 0;
    while low < width {
        let bits = group_bits.min(width - low);
        let (part_a, part_b) = (m.slice(a, low, bits), m.slice(b, low, bits));
        let carry = carry_into(&mut m, &groups, first);
        let (zero, one) = (m.zero(1), m.one());
        let sum = match groups.is_empty() {
            true => {
                let (sum, out) = ripple(
                    &mut m,
                    part_a,
                    part_b,
                    first,
                    &format!("carry_from_{low}"),
                    low,
                );
                groups.push((out, out));
                sum
            }
            false => {
                let (without, out_without) = ripple(
                    &mut m,
                    part_a,
                    part_b,
                    zero,
                    &format!("carry_from_{low}_without"),
                    low,
                );
                let (with, out_with) = ripple(
                    &mut m,
                    part_a,
                    part_b,
                    one,
                    &format!("carry_from_{low}_with"),
                    low,
                );
                groups.push((out_without, out_with));
                m.mux(carry, with, without)
            }
        };
        sums.push(sum);
        low += bits;
    }
    sums.reverse();
    let sum = m.concat(&sums);
    m.output("sum", sum, "");
    m
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

/// The sign says the contrary of what a bit of its place says.
fn swap_signs(m: &mut Module, a: Node, b: Node) -> (Node, Node) {
    let top = m.width(a) - 1;
    if top == 0 {
        return (b, a);
    }
    let (sign_a, sign_b) = (m.bit(a, top), m.bit(b, top));
    let (rest_a, rest_b) = (m.slice(a, 0, top), m.slice(b, 0, top));
    (m.concat(&[sign_b, rest_a]), m.concat(&[sign_a, rest_b]))
}

/// Whether `a > b` and whether `a >= b`: a tree over the bits. A pair of neighbours says "greater" when its upper half
/// does, or when that one says "at least" and the lower half "greater".
fn beyond(m: &mut Module, a: Node, b: Node) -> (Node, Node) {
    let width = m.width(a);
    if width == 1 {
        let (not_a, not_b) = (m.not(a), m.not(b));
        let below = m.and(&[not_a, b]);
        return (m.and(&[a, not_b]), m.not(below));
    }
    let low = lower_part(width);
    let part = |m: &mut Module, x: Node, at: u32, bits: u32| m.slice(x, at, bits);
    let (a_high, b_high) = (part(m, a, low, width - low), part(m, b, low, width - low));
    let (a_low, b_low) = (part(m, a, 0, low), part(m, b, 0, low));
    let (greater, at_least) = beyond(m, a_high, b_high);
    let (rest_greater, rest_at_least) = beyond(m, a_low, b_low);
    let tie_greater = m.and(&[at_least, rest_greater]);
    let tie_at_least = m.and(&[at_least, rest_at_least]);
    (
        m.or(&[greater, tie_greater]),
        m.or(&[greater, tie_at_least]),
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
