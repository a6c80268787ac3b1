//! What a lane computes of two operands.
//!
//! One subtractor does differences, sums and orders: what it borrows says which is less. One LUT6 for each bit then
//! chooses among the sum, and, or, exclusive or, either operand and zeros: the *plain* result, which also says whether operands are
//! equal or share bits. Beside it one shifter turns `a` around, up by a number of bits; all shifts and `Insert` are that, and a choice
//! for each bit of what it gives or the plain result, by where the bit stands: below `turn`, or above `top`.
//!
//! | operation | plain | bits up to `top` and from `turn` on | up to `top` and below `turn` | above `top` |
//! |---|---|---|---|---|
//! | sums, logic, moves | | plain | plain | 0 |
//! | insert, up | `b`, 0 | turned | plain | plain |
//! | down | 0 | 0 | turned | 0 |
//! | down, of a negative number | 0 | 1 | turned | 0 |
//!
//! Down by n is around by 64 − n; down by nothing is as up by nothing.

use super::shift::{around, two_steps, upto};
use crate::isa::{Compute, Condition};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node, NodeOp};

/// The plain results, by their numbers on the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// What the adder gives.
    Sum,
    /// Bits that both have.
    And,
    /// Bits that one has.
    Or,
    /// Bits in which they differ.
    Xor,
    /// The first operand.
    A,
    /// The second one.
    B,
    /// No bit.
    Zero,
}

/// What the shifter is for, by the numbers on the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nothing.
    None,
    /// `Insert`: up by the constant.
    Insert,
    /// `Shl`: up by the second operand.
    Up,
    /// `LShr`.
    Down,
    /// `AShr`.
    DownSigned,
}

/// Bits of a [`Plain`] and of a [`Turn`].
const KIND_BITS: u32 = 3;

signals! {
    /// What is done to the operands.
    pub struct AluControlIn {
        /// A [`Plain`].
        plain: one "stage 0",
        subtract: one "stage 0: the sum is a - b",
        /// A [`Turn`].
        turn: one "stage 0",
        /// Of an insertion the lowest bit that changes.
        turn_by: one "stage 0",
        /// The highest bit that the operation may change, of an insertion and of others.
        top: one "stage 0",
        test: all TestIn,
    }
}

signals! {
    /// A condition. It holds when one of the first two does, or, inverted, when none does.
    pub struct TestIn {
        test_less: one "stage 0: of a difference: a is less than b",
        test_zero: one "stage 0: the plain result is zeros",
        test_inverted: one "stage 0",
        test_signed: one "stage 0: less as numbers with a sign",
    }
}

signals! {
    /// Operands, and what is done to them.
    pub struct AluIn {
        a: one "stage 0",
        b: one "stage 0",
        control: all AluControlIn,
    }
}

signals! {
    /// What comes of it.
    pub struct AluOut {
        result: one "stage 3",
        outcome: one "stage 2: the condition holds",
    }
}

impl AluControlIn<u32> {
    /// In bits.
    pub fn widths() -> AluControlIn<u32> {
        AluControlIn {
            plain: KIND_BITS,
            subtract: 1,
            turn: KIND_BITS,
            turn_by: 6,
            top: 6,
            test: TestIn {
                test_less: 1,
                test_zero: 1,
                test_inverted: 1,
                test_signed: 1,
            },
        }
    }
}

impl AluControlIn<u64> {
    fn plainly(plain: Plain) -> AluControlIn<u64> {
        AluControlIn {
            plain: plain as u64,
            subtract: 0,
            turn: Turn::None as u64,
            turn_by: 0,
            top: 63,
            test: TestIn {
                test_less: 0,
                test_zero: 0,
                test_inverted: 0,
                test_signed: 0,
            },
        }
    }

    /// What the ports take for [`Action::Move`](crate::isa::Action::Move), and for a selection ([`super::lanes`] lets it take the
    /// second operand).
    pub fn of_move() -> AluControlIn<u64> {
        AluControlIn::plainly(Plain::A)
    }

    /// What they take for [`Action::Insert`](crate::isa::Action::Insert): the first operand goes into the second one.
    pub fn of_insert(lo: u8, width: u8) -> AluControlIn<u64> {
        AluControlIn {
            turn: Turn::Insert as u64,
            turn_by: lo.into(),
            top: u64::from(lo) + u64::from(width) - 1,
            ..AluControlIn::plainly(Plain::B)
        }
    }

    /// What they take for [`Action::Compute`](crate::isa::Action::Compute). `None`: products and quotients are not made here.
    pub fn of_compute(op: Compute, width: u8) -> Option<AluControlIn<u64>> {
        let (plain, turn) = match op {
            Compute::Add | Compute::Sub => (Plain::Sum, Turn::None),
            Compute::And => (Plain::And, Turn::None),
            Compute::Or => (Plain::Or, Turn::None),
            Compute::Xor => (Plain::Xor, Turn::None),
            Compute::Shl => (Plain::Zero, Turn::Up),
            Compute::LShr => (Plain::Zero, Turn::Down),
            Compute::AShr => (Plain::Zero, Turn::DownSigned),
            Compute::Mul | Compute::UDiv | Compute::URem | Compute::SDiv | Compute::SRem => {
                return None
            }
        };
        Some(AluControlIn {
            subtract: (op == Compute::Sub).into(),
            turn: turn as u64,
            top: u64::from(width) - 1,
            ..AluControlIn::plainly(plain)
        })
    }

    /// What they take for a condition.
    pub fn of_test(condition: Condition) -> AluControlIn<u64> {
        use Condition::*;
        let shares = matches!(condition, Any | Disjoint);
        let is_less = matches!(condition, Ult | Uge | Ule | Ugt | Slt | Sge | Sle | Sgt);
        let is_strict = matches!(condition, Ult | Uge | Slt | Sge);
        AluControlIn {
            subtract: (!shares).into(),
            test: TestIn {
                test_less: is_less.into(),
                test_zero: (!is_strict).into(),
                test_inverted: matches!(condition, Ne | Any | Uge | Ugt | Sge | Sgt).into(),
                test_signed: matches!(condition, Slt | Sge | Sle | Sgt).into(),
            },
            ..AluControlIn::plainly(if shares { Plain::And } else { Plain::Sum })
        }
    }
}

/// Stages from the operands to the result.
pub const ALU_CLOCKS: u32 = 3;

/// The arithmetic of a lane.
pub fn alu(name: &str) -> Block<AluIn, AluOut> {
    let mut m = Module::new(
        name,
        "Arithmetic of a lane: sums, logic, choices, shifts, insertions, and conditions.\n\
         Operands and what is done with them belong to stage 0; the outcome of a condition stands in a register in stage 2, the\n\
         result in stage 3. One operation a clock. Bits of the result above top are zeros, or of an insertion those of b.",
    );
    let inputs = m.inputs(AluIn {
        a: 64,
        b: 64,
        control: AluControlIn::widths(),
    });
    m.section("Stage 0: the sum, and the plain result");
    let sum = Sum::new(&mut m, &inputs);
    let plain = plain(&mut m, &inputs, sum.sum);
    let plain = m.delay("plain_1", plain);
    m.section("Stage 0: how far around");
    let way = Way::new(&mut m, &inputs);
    m.section("Stage 1: the condition");
    let outcome = outcome(&mut m, &inputs.control.test, &sum, plain);
    m.section("Stages 0 to 2: turned, and put together");
    let result = way.finish(&mut m, plain);
    m.into_block(inputs, AluOut { result, outcome })
}

/// What the adder gives.
struct Sum {
    sum: Node,
    /// Stage 1: of a difference: `a` is less than `b`, with the sign that the test goes by.
    less: Node,
}

impl Sum {
    fn new(m: &mut Module, inputs: &AluIn) -> Sum {
        let control = &inputs.control;
        // A sum is a difference as well: `a + b` is `a − ~b − 1`. The bit below asks for the 1, the one above takes what is borrowed.
        let adds = m.not(control.subtract);
        let inverted = m.sext(adds, 64);
        let b = m.xor(&[inputs.b, inverted]);
        let zero = m.zero(1);
        let a = m.concat(&[zero, inputs.a, zero]);
        let b = m.concat(&[zero, b, adds]);
        let all = m.sub(a, b);
        let sum = m.slice(all, 1, 64);
        m.name(sum, "sum");
        let borrow = m.bit(all, 65);
        let signs = m.xor(&[inputs.a, inputs.b]);
        let signs = m.bit(signs, 63);
        let signs = m.and(&[signs, control.test.test_signed]);
        let borrow = m.delay("borrow", borrow);
        let signs = m.delay("signs_differ", signs);
        let less = m.xor(&[borrow, signs]);
        Sum { sum, less }
    }
}

/// The plain result: of each bit one LUT.
fn plain(m: &mut Module, inputs: &AluIn, sum: Node) -> Node {
    let AluIn { a, b, control } = inputs;
    let both = m.and(&[*a, *b]);
    let either = m.or(&[*a, *b]);
    let differ = m.xor(&[*a, *b]);
    let zero = m.zero(64);
    let results = [sum, both, either, differ, *a, *b, zero, zero];
    hardpath_blocks::counters::choose(m, &results, control.plain)
}

/// Stage 1: whether the condition holds.
fn outcome(m: &mut Module, test: &TestIn, sum: &Sum, plain: Node) -> Node {
    let wants_less = m.delay("test_less_1", test.test_less);
    let wants_zero = m.delay("test_zero_1", test.test_zero);
    let inverted = m.delay("test_inverted_1", test.test_inverted);
    let some = m.reduce_or(plain);
    let none = m.not(some);
    let less = m.and(&[wants_less, sum.less]);
    let zero = m.and(&[wants_zero, none]);
    let either = m.or(&[less, zero]);
    let outcome = m.xor(&[either, inverted]);
    m.delay("outcome", outcome)
}

/// How the result is put together, by the numbers in stage 1.
#[derive(Clone, Copy)]
enum Finish {
    /// The plain result up to `top`.
    Plain,
    /// What was turned between `turn` and `top`, and the plain result around it.
    Between,
    /// What was turned below `turn`, up to `top`.
    Below,
    /// The same with ones from `turn` on.
    BelowOnes,
}

/// What stage 1 knows of the shift, in registers.
struct Way {
    /// `a`, turned by as many bits as the lowest two of `turn` say.
    turned: Node,
    /// So many bits around; in an insertion and up where the turned bits begin, and down where they end.
    turn: Node,
    top: Node,
    /// A [`Finish`].
    finish: Node,
}

impl Way {
    fn new(m: &mut Module, inputs: &AluIn) -> Way {
        let control = &inputs.control;
        let is = |m: &mut Module, turn: Turn| m.eq_const(control.turn, turn as u64);
        let (insert, none) = (is(m, Turn::Insert), is(m, Turn::None));
        let (up, signed) = (is(m, Turn::Up), is(m, Turn::DownSigned));
        let amount = m.slice(inputs.b, 0, 6);
        let high = m.slice(inputs.b, 6, 58);
        let too_far = m.reduce_or(high);
        let not_far = m.not(too_far);
        let no_bits = m.eq_const(amount, 0);
        let zero = m.zero(6);
        let back = m.sub(zero, amount);
        let by = m.mux(up, amount, back);
        let some = m.gate(not_far, by);
        let turn = m.mux(insert, control.turn_by, some);
        // Of a distance that is too far nothing of what is turned is used: who turns need not wait until it is known.
        let by = m.mux(insert, control.turn_by, by);
        let times = m.slice(by, 0, 2);
        let turned = two_steps(m, inputs.a, times, (around, 1));

        let finish = |m: &mut Module, finish: Finish| m.constant(finish as u64, 2);
        let (plainly, between) = (finish(m, Finish::Plain), finish(m, Finish::Between));
        let (below, ones) = (finish(m, Finish::Below), finish(m, Finish::BelowOnes));
        let negative = m.bit(inputs.a, 63);
        let fills = m.and(&[signed, negative]);
        let down = m.mux(fills, ones, below);
        let as_up = m.or(&[up, no_bits]);
        let near = m.mux(as_up, between, down);
        // Nothing of the number is left, but for its sign: with `turn` 0 that stands from bit 0 on.
        let far = m.mux(fills, ones, plainly);
        let shifts = m.mux(too_far, far, near);
        let inserts = m.mux(insert, between, shifts);
        let all = m.mux(none, plainly, inserts);
        Way {
            turned: m.delay("turned_1", turned),
            turn: m.delay("turn_1", turn),
            top: m.delay("top_1", control.top),
            finish: m.delay("finish_1", all),
        }
    }

    /// Stage 1 turns by up to 12 bits more, stage 2 by the rest.
    fn finish(&self, m: &mut Module, plain: Node) -> Node {
        let times = m.slice(self.turn, 2, 2);
        let turned = two_steps(m, self.turned, times, (around, 4));
        let turned = m.delay("turned_2", turned);
        let within = upto(m, self.top);
        let within = m.delay("within_2", within);
        let from = from(m, self.turn);
        let from = m.delay("from_2", from);
        let plain = m.delay("plain_2", plain);
        let finish = m.delay("finish_2", self.finish);
        let rest = m.slice(self.turn, 4, 2);
        let rest = m.delay("turn_2", rest);
        let turned = two_steps(m, turned, rest, (around, 16));
        let result = put_together(m, finish, (within, from), (turned, plain));
        m.delay("result", result)
    }
}

/// A bit for each place: whether it is at least `turn`.
fn from(m: &mut Module, turn: Node) -> Node {
    let bits = (0..64u64).rev().map(|place| {
        let place = m.constant(place, 6);
        m.compare(NodeOp::Ule, turn, place)
    });
    let bits: Vec<Node> = bits.collect();
    m.concat(&bits)
}

/// The table in this file's first lines: for each bit one LUT of its two places, turned and plain bit, and a [`Finish`].
fn put_together(
    m: &mut Module,
    finish: Node,
    (within, from): (Node, Node),
    (turned, plain): (Node, Node),
) -> Node {
    let below = m.not(from);
    let between = m.and(&[within, from]);
    let outside = m.not(between);
    let (inside, around) = (m.and(&[between, turned]), m.and(&[outside, plain]));
    let up = m.or(&[inside, around]);
    let low = m.and(&[within, below, turned]);
    let ones = m.or(&[low, between]);
    let plain = m.and(&[within, plain]);
    hardpath_blocks::counters::choose(m, &[plain, up, low, ones], finish)
}
