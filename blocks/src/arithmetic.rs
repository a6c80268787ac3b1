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

/// A module with the ports `a`, `b` and `sum`: `sum = a + b`, or `a - b`, modulo 2^width, which is printed as gates.
pub fn adder(name: &str, width: u32, subtracts: bool) -> Module {
    let what = if subtracts { "a - b" } else { "a + b" };
    let mut m = Module::new(
        name,
        format!(
            "sum = {what}, modulo 2^{width}, as logic without a carry chain: a carry-select adder."
        ),
    );
    let (a, b) = (m.input("a", width, ""), m.input("b", width, ""));
    let sum = match subtracts {
        true => m.sub_as_logic(a, b),
        false => m.add_as_logic(a, b),
    };
    m.output("sum", sum, "");
    m
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
