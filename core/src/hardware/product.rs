//! Products: the low half of 64 by 64 bits.
//!
//! The operands are cut into parts that a DSP block multiplies (26 by 17 bits without a sign, on UltraScale; other devices have
//! multipliers of 27 by 27 or 18 by 18, and tools put these together). Products of parts that lie wholly above bit 63 are not made: eight
//! of twelve are. Those that lie side by side are one number, so five additions are left.

use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// Two numbers.
    pub struct ProductIn {
        a: one "stage 0",
        b: one "stage 0",
    }
}

signals! {
    /// What they make.
    pub struct ProductOut {
        product: one "stage 6: the low 64 bits",
    }
}

/// Stages from the operands to the product.
pub const PRODUCT_CLOCKS: u32 = 6;

/// Bits of a part of the first operand, and of the second.
const PART_BITS: (u32, u32) = (26, 17);

/// A multiplier.
pub fn product(name: &str) -> Block<ProductIn, ProductOut> {
    let mut m = Module::new(
        name,
        "Product: the low 64 bits of 64 by 64.\n\
         Operands belong to stage 0, the product stands in registers in stage 6; one product a clock.",
    );
    let inputs = m.inputs(ProductIn { a: 64, b: 64 });
    m.section("Stages 0 to 2: products of parts");
    let a = m.delay("a_1", inputs.a);
    let b = m.delay("b_1", inputs.b);
    let mut part = |i: u32, j: u32| partial(&mut m, (a, b), (i, j));
    let ([low, middle], [high, above]) = ([part(0, 0), part(0, 1)], [part(1, 1), part(1, 2)]);
    let (near, far) = ([part(0, 2), part(1, 0)], [part(0, 3), part(2, 0)]);
    m.section("Stages 3 to 5: sums");
    let low = join(&mut m, low, high);
    let middle = join(&mut m, middle, above);
    let first = sum(&mut m, "sum_low", low, middle);
    let near = sum(&mut m, "sum_near", near[0], near[1]);
    let far = sum(&mut m, "sum_far", far[0], far[1]);
    let second = sum(&mut m, "sum_high", near, far);
    let first = Part {
        bits: m.delay("sum_low_5", first.bits),
        lo: first.lo,
    };
    let product = sum(&mut m, "product", first, second).bits;
    m.into_block(inputs, ProductOut { product })
}

/// Bits of the product from `lo` to its end, or to where nothing of them is above.
#[derive(Clone, Copy)]
struct Part {
    bits: Node,
    lo: u32,
}

/// The product of two parts, in stage 3: in registers in front of the multiplication, in it and behind it, as DSP blocks have them.
fn partial(m: &mut Module, (a, b): (Node, Node), (i, j): (u32, u32)) -> Part {
    let from = (i * PART_BITS.0, j * PART_BITS.1);
    let lo = from.0 + from.1;
    // Bits that count for nothing below bit 64 are left out.
    let bits = (PART_BITS.0 + PART_BITS.1).min(64 - lo);
    let (a_bits, b_bits) = (PART_BITS.0.min(64 - from.0), PART_BITS.1.min(64 - from.1));
    let a = m.slice(a, from.0, a_bits.min(bits));
    let b = m.slice(b, from.1, b_bits.min(bits));
    let (a, b) = (m.zext(a, bits), m.zext(b, bits));
    let product = m.mul(a, b);
    let product = m.delay(format!("product_{i}_{j}_2"), product);
    Part {
        bits: m.delay(format!("product_{i}_{j}_3"), product),
        lo,
    }
}

/// Two parts of which the second begins where the first ends.
fn join(m: &mut Module, low: Part, high: Part) -> Part {
    assert_eq!(low.lo + m.width(low.bits), high.lo);
    Part {
        bits: m.concat(&[high.bits, low.bits]),
        lo: low.lo,
    }
}

/// Of two parts that go up to bit 63, a clock later. What only one of them has needs no adder.
fn sum(m: &mut Module, name: &str, one: Part, other: Part) -> Part {
    let (low, high) = match one.lo < other.lo {
        true => (one, other),
        false => (other, one),
    };
    let below = high.lo - low.lo;
    let left = m.slice(low.bits, below, m.width(low.bits) - below);
    let sum = m.add(left, high.bits);
    let alone = m.slice(low.bits, 0, below);
    let bits = m.concat(&[sum, alone]);
    Part {
        bits: m.delay(name, bits),
        lo: low.lo,
    }
}
