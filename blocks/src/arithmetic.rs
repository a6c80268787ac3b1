//! Sums and compares as plain logic, without carry chains.
//!
//! Synthesis tools map the logic between registers and carry chains piece by piece, and give each piece as many levels
//! as the deepest piece of the design needs. So the LUTs in front of a short carry chain and behind it become a long row
//! of small ones. Built of gates, the whole way from register to register is one piece, which tools make as flat as it
//! can be. For chains that stand alone between registers, `+` and `<` are smaller.

use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// Two numbers of one width.
    pub struct OperandsIn {
        a: one "",
        b: one "",
    }
}

signals! {
    /// The result of an adder.
    pub struct SumOut { sum: one "" }
}

signals! {
    /// The result of a comparer.
    pub struct HoldsOut { holds: one "" }
}

/// `sum = a + b`, or `a - b`, modulo 2^width, which is printed as gates.
pub fn adder(name: &str, width: u32, subtracts: bool) -> Block<OperandsIn, SumOut> {
    let what = if subtracts { "a - b" } else { "a + b" };
    let mut m = Module::new(
        name,
        format!(
            "sum = {what}, modulo 2^{width}, as logic without a carry chain: a carry-select adder."
        ),
    );
    let inputs = m.inputs(OperandsIn { a: width, b: width });
    let OperandsIn { a, b } = inputs;
    let sum = match subtracts {
        true => m.sub_as_logic(a, b),
        false => m.add_as_logic(a, b),
    };
    m.into_block(inputs, SumOut { sum })
}

/// `a < b` or `a <= b`, unsigned, which is printed as gates.
pub fn comparer(name: &str, width: u32, or_equal: bool) -> Block<OperandsIn, HoldsOut> {
    let what = if or_equal { "a <= b" } else { "a < b" };
    let mut m = Module::new(
        name,
        format!("holds = {what}, unsigned, as logic without a carry chain: a tree over the bits."),
    );
    let inputs = m.inputs(OperandsIn { a: width, b: width });
    let OperandsIn { a, b } = inputs;
    let result = match or_equal {
        true => m.ule_as_logic(a, b),
        false => m.ult_as_logic(a, b),
    };
    m.into_block(inputs, HoldsOut { holds: result })
}

/// Numbers in two's complement as unsigned ones that compare alike.
pub fn without_signs(m: &mut Module, a: Node, b: Node) -> (Node, Node) {
    let top = m.width(a) - 1;
    let (sign_a, sign_b) = (m.bit(a, top), m.bit(b, top));
    // The sign says the contrary of what a bit of its place says.
    if top == 0 {
        return (sign_b, sign_a);
    }
    let (rest_a, rest_b) = (m.slice(a, 0, top), m.slice(b, 0, top));
    (m.concat(&[sign_b, rest_a]), m.concat(&[sign_a, rest_b]))
}
