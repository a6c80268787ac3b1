//! Quotients and remainders, one at a time.
//!
//! Long division: a bit of the quotient each clock, behind two clocks that make negative operands positive and in front of one that
//! gives the result its sign. Numbers by zero need no case of their own but one: what is left is the number itself, and the quotient, which
//! would be ones, is kept from the result.

use crate::isa::Compute;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// A division.
    pub struct QuotientIn {
        start: one "takes the other inputs; not while busy",
        a: one "what is divided",
        b: one "what it is divided by",
        is_signed: one "they are numbers with a sign",
        is_remainder: one "the remainder is wanted, not the quotient",
        /// Whose it is; comes back with the result.
        tag: one "",
    }
}

signals! {
    /// What comes of it.
    pub struct QuotientOut {
        busy: one "a division is going on, or its result stands",
        done: one "the result stands, for one clock",
        /// Quotient or remainder.
        result: one "",
        /// That of the division.
        tag_out: one "",
    }
}

/// Clocks from `start` to `done`.
pub const QUOTIENT_CLOCKS: u32 = 68;

impl QuotientIn<u64> {
    /// The ports `is_signed` and `is_remainder` for a computation; `None`: it is no division.
    pub fn kind(op: Compute) -> Option<(u64, u64)> {
        match op {
            Compute::UDiv => Some((0, 0)),
            Compute::URem => Some((0, 1)),
            Compute::SDiv => Some((1, 0)),
            Compute::SRem => Some((1, 1)),
            _ => None,
        }
    }
}

/// A divider. `tag_bits`: of what comes back with a result.
pub fn quotient(name: &str, tag_bits: u32) -> Block<QuotientIn, QuotientOut> {
    let mut m = Module::new(
        name,
        format!(
            "Divider of 64 bits, one division at a time.\n\
             The result of a division that starts in clock t stands in clock t + {QUOTIENT_CLOCKS}, with done; the next one starts\n\
             later. By zero the quotient is 0 and the remainder what was divided. Quotients round to zero, remainders have the sign of\n\
             what was divided; the most negative number by -1 is itself."
        ),
    );
    let inputs = m.inputs(QuotientIn {
        start: 1,
        a: 64,
        b: 64,
        is_signed: 1,
        is_remainder: 1,
        tag: tag_bits,
    });
    let steps = Steps::new(&mut m, inputs.start);
    m.section("What is divided how");
    let how = How::new(&mut m, &inputs, &steps);
    m.section("Division");
    let result = divide(&mut m, &inputs, &steps, &how);
    let outputs = QuotientOut {
        busy: steps.busy,
        done: steps.done,
        result,
        tag_out: m.hold("tag_reg", inputs.start, inputs.tag),
    };
    m.into_block(inputs, outputs)
}

/// Which clock of a division it is: each one bit.
struct Steps {
    busy: Node,
    /// The first operand becomes positive, then the second one.
    first: Node,
    second: Node,
    /// The same as `second`, for half of those that ask.
    begins: Node,
    /// A clock before the result gets its sign.
    before_last: Node,
    done: Node,
}

impl Steps {
    fn new(m: &mut Module, start: Node) -> Steps {
        m.section("Clocks of a division");
        let bits = index_bits(u64::from(QUOTIENT_CLOCKS) + 1);
        let (count_reg, count) = m.reg_reset("step", bits, 0);
        // 0 while nothing is to do.
        let next = m.add_const(count, 1);
        let one = m.constant(1, bits);
        let zero = m.zero(bits);
        let busy = m.reduce_or(count);
        m.name(busy, "is_busy");
        let done = m.eq_const(count, QUOTIENT_CLOCKS.into());
        let over = m.mux(done, zero, next);
        let going = m.mux(busy, over, zero);
        let all = m.mux(start, one, going);
        m.set_next(count_reg, all);
        let idle = m.not(busy);
        let not_start = m.not(start);
        let sound = m.or(&[idle, not_start]);
        m.assert(
            "starts_when_idle",
            sound,
            "a division was started during another one",
        );
        let first = m.delay("is_first", start);
        let second = m.delay_copies("is_second", first, 2);
        Steps {
            busy,
            first,
            second: second[0],
            begins: second[1],
            before_last: m.eq_const(count, u64::from(QUOTIENT_CLOCKS) - 2),
            done,
        }
    }
}

/// What stands still during a division, and what the chain that changes signs does in a clock: known a clock before.
struct How {
    is_remainder: Node,
    /// It takes the remainder.
    takes_left: Node,
    /// It takes the divisor; else the number.
    takes_divisor: Node,
    flips: Node,
}

impl How {
    fn new(m: &mut Module, inputs: &QuotientIn, steps: &Steps) -> How {
        let start = inputs.start;
        let mut sign = |name: &str, value| {
            let sign = m.bit(value, 63);
            let sign = m.and(&[sign, inputs.is_signed]);
            (sign, m.hold(name, start, sign))
        };
        let (a_comes, a_negative) = sign("a_negative", inputs.a);
        let (_, b_negative) = sign("b_negative", inputs.b);
        let is_remainder = m.hold("is_remainder_reg", start, inputs.is_remainder);
        let differ = m.xor(&[a_negative, b_negative]);
        let negative = m.mux(is_remainder, a_negative, differ);
        let first = m.and(&[start, a_comes]);
        let second = m.and(&[steps.first, b_negative]);
        let last = m.and(&[steps.before_last, negative]);
        let flips = m.or(&[first, second, last]);
        let takes_left = m.and(&[steps.before_last, is_remainder]);
        How {
            is_remainder,
            takes_left: m.delay("takes_left", takes_left),
            takes_divisor: m.delay("takes_divisor", steps.first),
            flips: m.delay("flips", flips),
        }
    }
}

/// Remainder and quotient move up together: what leaves the number below enters the remainder, and a bit of the quotient takes its place.
fn divide(m: &mut Module, inputs: &QuotientIn, steps: &Steps, how: &How) -> Node {
    let (left_reg, left) = m.reg("left", 64);
    let (number_reg, number) = m.reg("number", 64);
    let (divisor_reg, divisor) = m.reg("divisor", 64);

    // One chain changes signs: of the number, then of the divisor, then of what is asked for.
    let operand = m.mux(how.takes_divisor, divisor, number);
    let value = m.mux(how.takes_left, left, operand);
    let signed = negated_when(m, how.flips, value);
    m.name(signed, "with_sign");

    let highest = m.bit(number, 63);
    let tried = m.concat(&[left, highest]);
    let wide = m.zext(divisor, 65);
    let (tried_wide, wide) = (m.zext(tried, 66), m.zext(wide, 66));
    let difference = m.sub(tried_wide, wide);
    let fits_not = m.bit(difference, 65);
    let fits = m.not(fits_not);
    let difference = m.slice(difference, 0, 64);
    let tried = m.slice(tried, 0, 64);
    let stays = m.mux(fits_not, tried, difference);
    let zero = m.zero(64);
    let stays = m.mux(steps.begins, zero, stays);
    m.set_next(left_reg, stays);

    let rest = m.slice(number, 0, 63);
    let moved = m.concat(&[rest, fits]);
    let moved = m.mux(steps.first, signed, moved);
    let moved = m.mux(inputs.start, inputs.a, moved);
    let goes = m.not(steps.second);
    m.set_next_when(number_reg, goes, moved);

    let changed = m.mux(inputs.start, inputs.b, signed);
    let changes = m.or(&[inputs.start, steps.second]);
    m.set_next_when(divisor_reg, changes, changed);

    let some = m.reduce_or(divisor);
    let some = m.delay("divisor_some", some);
    let none = m.not(some);
    let not_remainder = m.not(how.is_remainder);
    let is_zero = m.and(&[none, not_remainder]);
    let result = m.mux(is_zero, zero, signed);
    m.delay("result_reg", result)
}

/// The value, or 0 minus it.
fn negated_when(m: &mut Module, flips: Node, value: Node) -> Node {
    let inverted = m.sext(flips, 64);
    let value = m.xor(&[value, inverted]);
    let carry = m.zext(flips, 64);
    m.add(value, carry)
}
