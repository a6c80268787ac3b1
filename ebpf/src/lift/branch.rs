//! Conditions and branches.

use std::rc::Rc;

use hardpath_ir::Op;

use super::Kind;

use super::state::{AbstractValue, MapPointer, Operand};
use super::Lifter;
use crate::decode::{Condition, Source};

/// What a branch depends on.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// 1 bit.
    bit: Operand,
    /// Taken when the bit is 0.
    inverted: bool,
    /// The bit is a lookup's hit, and both sides know it.
    is_hit: bool,
}

impl Decision {
    fn plain(bit: Operand) -> Decision {
        Decision {
            bit,
            inverted: false,
            is_hit: false,
        }
    }
}

impl Lifter<'_> {
    /// The condition of a branch. After an error it is any.
    pub(super) fn decide(
        &mut self,
        condition: Condition,
        wide: bool,
        dst: u8,
        source: Source,
    ) -> Option<Decision> {
        let operands = self.operand(dst).zip(self.source(source, wide));
        let (a, b) = operands?;
        if let (AbstractValue::Scalar(a), AbstractValue::Scalar(b)) = (a, b) {
            let width = if wide { 64 } else { 32 };
            let bit = self.compare_scalars(condition, a, b, width);
            return Some(Decision::plain(bit));
        }
        // Compilers also ask whether the low half of a pointer is zero: no pointer has such an address.
        let is_null_check = matches!(condition, Condition::Eq | Condition::Ne);
        if wide || is_null_check && b == AbstractValue::Scalar(Operand::Const(0)) {
            let zero = AbstractValue::Scalar(Operand::Const(0));
            let decided = match (a, b) {
                (pointer, other) if other == zero => self.compare_to_null(condition, pointer),
                (other, pointer) if other == zero => {
                    self.compare_to_null(mirrored(condition), pointer)
                }
                _ => self
                    .distance(a, b)
                    .and_then(|(a, b)| self.compare_offsets(condition, a, b))
                    .map(Decision::plain),
            };
            if decided.is_some() {
                return decided;
            }
        }
        if !wide {
            let decided = self
                .packet_distance(a, b)
                .and_then(|(a, b)| self.compare_offsets(condition, a, b));
            if let Some(bit) = decided {
                return Some(Decision::plain(bit));
            }
        }
        let both = format!("{} is compared with {}", a.description(), b.description());
        if a.is_old_packet() || b.is_old_packet() {
            self.refuse_old_packet(both);
            return None;
        }
        self.refuse(
            "pointer-compare",
            both,
            "pointers into the same memory may be compared, and any pointer with NULL",
        );
        None
    }

    /// Ends the block with a branch. A condition that is known leaves one way only.
    pub(super) fn branch(&mut self, decision: Option<Decision>, taken: usize, not_taken: usize) {
        let decision = decision.unwrap_or_else(|| Decision::plain(self.unknown_bit()));
        let (yes, no) = if decision.inverted {
            (not_taken, taken)
        } else {
            (taken, not_taken)
        };
        let sides = [(yes, true), (no, false)].map(|(next, is_yes)| {
            let mut state = self.state.clone();
            if let (true, Operand::Value(hit)) = (decision.is_hit, decision.bit) {
                Rc::make_mut(&mut state.decided).insert(hit, is_yes);
            }
            (self.current.successor(next), state)
        });
        let [yes, no] = sides;
        self.branch_to(decision.bit, yes, no);
    }

    /// A condition after an error: both ways are walked for the errors there, and there will be no program.
    pub(super) fn unknown_bit(&mut self) -> Operand {
        self.has_undecided = true;
        let length = self.builder.packet_length();
        self.builder.low(length, 1)
    }

    fn compare_scalars(
        &mut self,
        condition: Condition,
        a: Operand,
        b: Operand,
        width: u32,
    ) -> Operand {
        let a = self.builder.low(a, width);
        let b = self.builder.low(b, width);
        let builder = &mut self.builder;
        match condition {
            Condition::Eq => builder.compare(Op::Eq, a, b, width),
            Condition::Ne => builder.compare(Op::Ne, a, b, width),
            Condition::Set => {
                let common = builder.binary(Op::And, a, b, width);
                builder.compare(Op::Ne, common, Operand::Const(0), width)
            }
            Condition::UGt => builder.compare(Op::Ult, b, a, width),
            Condition::UGe => builder.compare(Op::Ule, b, a, width),
            Condition::ULt => builder.compare(Op::Ult, a, b, width),
            Condition::ULe => builder.compare(Op::Ule, a, b, width),
            Condition::SGt => builder.compare(Op::Slt, b, a, width),
            Condition::SGe => builder.compare(Op::Sle, b, a, width),
            Condition::SLt => builder.compare(Op::Slt, a, b, width),
            Condition::SLe => builder.compare(Op::Sle, a, b, width),
        }
    }

    /// Compares the offsets of two pointers into one memory. Addresses compare unsigned; offsets may lie before the
    /// memory, so they compare signed unless both are known not to.
    fn compare_offsets(&mut self, condition: Condition, a: Operand, b: Operand) -> Option<Operand> {
        let unsigned = self.builder.bits_needed(a) < 64 && self.builder.bits_needed(b) < 64;
        let condition = match (condition, unsigned) {
            (Condition::Set, _) => return None,
            (Condition::UGt | Condition::SGt, true) => Condition::UGt,
            (Condition::UGe | Condition::SGe, true) => Condition::UGe,
            (Condition::ULt | Condition::SLt, true) => Condition::ULt,
            (Condition::ULe | Condition::SLe, true) => Condition::ULe,
            (Condition::UGt, false) => Condition::SGt,
            (Condition::UGe, false) => Condition::SGe,
            (Condition::ULt, false) => Condition::SLt,
            (Condition::ULe, false) => Condition::SLe,
            (other, _) => other,
        };
        Some(self.compare_scalars(condition, a, b, 64))
    }

    /// Whether one offset into a memory is not above another.
    pub(super) fn offset_at_most(&mut self, a: Operand, b: Operand) -> Operand {
        let compared = self.compare_offsets(Condition::ULe, a, b);
        compared.expect("offsets can be compared")
    }

    /// A pointer compared with 0 (on the right-hand side).
    fn compare_to_null(
        &mut self,
        condition: Condition,
        pointer: AbstractValue,
    ) -> Option<Decision> {
        let is_equal = match condition {
            Condition::Eq | Condition::ULe => true,
            Condition::Ne | Condition::UGt => false,
            // Any address is at or above 0.
            Condition::UGe => return Some(Decision::plain(Operand::Const(1))),
            Condition::ULt => return Some(Decision::plain(Operand::Const(0))),
            _ => return None,
        };
        match pointer {
            AbstractValue::MapValue(pointer) => Some(Decision {
                bit: self.known_hit(pointer),
                inverted: is_equal,
                is_hit: true,
            }),
            AbstractValue::Packet(Operand::Const(0)) if self.kind == Kind::Raw => {
                let length = self.builder.packet_length();
                let empty = self.builder.compare(Op::Eq, length, Operand::Const(0), 64);
                Some(Decision {
                    bit: empty,
                    inverted: !is_equal,
                    is_hit: false,
                })
            }
            pointer if pointer.is_pointer() => {
                Some(Decision::plain(Operand::Const(u64::from(!is_equal))))
            }
            _ => None,
        }
    }

    fn known_hit(&self, pointer: MapPointer) -> Operand {
        match self.state.hit(pointer) {
            Some(hit) => Operand::Const(u64::from(hit)),
            None => pointer.hit,
        }
    }
}

/// The condition with its operands exchanged.
fn mirrored(condition: Condition) -> Condition {
    match condition {
        Condition::UGt => Condition::ULt,
        Condition::UGe => Condition::ULe,
        Condition::ULt => Condition::UGt,
        Condition::ULe => Condition::UGe,
        Condition::SGt => Condition::SLt,
        Condition::SGe => Condition::SLe,
        Condition::SLt => Condition::SGt,
        Condition::SLe => Condition::SGe,
        other => other,
    }
}
