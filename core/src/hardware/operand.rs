//! An operand: bits of a register, or a number.
//!
//! A field goes down to bit 0 in two steps: by bits within a byte, then by whole bytes. Between them the bytes may be put in the other
//! order, of all 64 bits: a field of n bytes from byte k on then begins at byte 8 − n − k, and the second step goes by that. So swapped
//! bytes cost no step of their own. There are four choices of four in a row, each a LUT6 for each bit; the last one has room for what is
//! above the field, and for the number. Each has a stage of its own: latency costs a core with many threads nothing, and tools find
//! LUTs of six inputs only where registers leave them nothing else.

use super::shift::{down, in_turns, later, select, two_steps, upto};
use crate::isa::Field;
use hardpath_blocks::counters::choose;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// Which bits of a register: a [`Field`](crate::isa::Field) in hardware.
    pub struct FieldIn {
        /// The lowest bit.
        field_lo: one "stage 0",
        /// Bits of the field, less one. Of what is no field 63.
        field_top: one "stage 0",
        field_swapped: one "stage 0: bytes in the other order",
        field_signed: one "stage 0: copies of the highest bit above, else zeros",
    }
}

impl FieldIn<u32> {
    /// In bits.
    pub fn widths() -> FieldIn<u32> {
        FieldIn {
            field_lo: 6,
            field_top: 6,
            field_swapped: 1,
            field_signed: 1,
        }
    }
}

impl FieldIn<u64> {
    /// What the ports take for a field.
    pub fn of<R>(field: &Field<R>) -> FieldIn<u64> {
        FieldIn {
            field_lo: field.lo.into(),
            field_top: u64::from(field.width) - 1,
            field_swapped: field.swapped.into(),
            field_signed: field.signed.into(),
        }
    }
}

signals! {
    /// What becomes an operand.
    pub struct OperandIn {
        field: all FieldIn,
        value: one "stage 1: the register; zeros where a number is meant",
        number: one "stage 4: the number; zeros where a register is meant",
    }
}

signals! {
    /// The operand.
    pub struct OperandOut {
        operand: one "stage 5",
    }
}

/// Stages from the register's value to the operand.
pub const OPERAND_CLOCKS: u32 = 4;

/// Bits of a register as an operand.
pub fn operand(name: &str) -> Block<OperandIn, OperandOut> {
    let mut m = Module::new(
        name,
        "Operand: bits of a register moved down to bit 0, or a number.\n\
         Stage 0 has the field, stage 1 the register's value, stage 4 the number; the operand stands in registers in stage 5.\n\
         Register or number: the other one is zeros. A field whose bytes are swapped is whole bytes, and ends within the register.",
    );
    let inputs = m.inputs(OperandIn {
        field: FieldIn::widths(),
        value: 64,
        number: 64,
    });
    m.section("Stage 0: how far");
    let way = Way::new(&mut m, &inputs.field);
    m.section("Stage 1: down by up to three bits");
    let times = m.slice(way.bits, 0, 2);
    let value = two_steps(&mut m, inputs.value, times, (down, 1));
    let value = m.delay("value_2", value);
    m.section("Stage 2: down by four bits, and the order of bytes");
    let half = m.bit(way.bits, 2);
    let half = m.delay("half_2", half);
    let swapped = m.delay("swapped_2", way.swapped);
    let value = half_and_swap(&mut m, value, half, swapped);
    let value = m.delay("value_3", value);
    m.section("Stage 3: down by up to three bytes");
    let bytes = later(&mut m, "bytes", way.bytes, 2);
    let times = m.slice(bytes, 0, 2);
    let value = two_steps(&mut m, value, times, (down, 8));
    let value = m.delay("value_4", value);
    m.section("Stage 4: down by four bytes, and what is above");
    let far = m.bit(bytes, 2);
    let far = m.delay("far_4", far);
    let gone = down(&mut m, value, 32);
    let value = m.mux(far, gone, value);
    let field = way.extend(&mut m, inputs.value, value);
    let operand = m.or(&[field, inputs.number]);
    let operand = m.delay("operand_5", operand);
    m.into_block(inputs, OperandOut { operand })
}

/// What stage 1 knows of the field, in registers.
struct Way {
    /// Bits to go within a byte.
    bits: Node,
    swapped: Node,
    /// Bytes to go, behind the swap.
    bytes: Node,
    top: Node,
    /// Where the highest bit of the field stands in the register.
    sign_at: Node,
    signed: Node,
}

impl Way {
    fn new(m: &mut Module, field: &FieldIn) -> Way {
        let bits = m.slice(field.field_lo, 0, 3);
        let first_byte = m.slice(field.field_lo, 3, 3);
        let more_bytes = m.slice(field.field_top, 3, 3);
        // 8 − n − k, modulo 8, where n is one more than the number here.
        let last_byte = m.add(first_byte, more_bytes);
        let behind = m.not(last_byte);
        let bytes = m.mux(field.field_swapped, behind, first_byte);
        // The highest bit behind a swap is that of the field's first byte.
        let seven = m.constant(7, 6);
        let highest = m.mux(field.field_swapped, seven, field.field_top);
        let sign_at = m.add(field.field_lo, highest);
        Way {
            bits: m.delay("bits", bits),
            swapped: m.delay("swapped", field.field_swapped),
            bytes: m.delay("bytes", bytes),
            top: m.delay("top", field.field_top),
            sign_at: m.delay("sign_at", sign_at),
            signed: m.delay("signed", field.field_signed),
        }
    }

    /// Stage 4: puts zeros or copies of the highest bit above the field. That bit comes from the register's value of stage 1, in three
    /// choices of four beside the others.
    fn extend(&self, m: &mut Module, value: Node, field: Node) -> Node {
        let top = later(m, "top", self.top, 2);
        let mask = upto(m, top);
        let mask = m.delay("mask_4", mask);
        let mut bits: Vec<Node> = (0..64).map(|bit| m.bit(value, bit)).collect();
        let mut sign_at = self.sign_at;
        for stage in 2..5 {
            let at = m.slice(sign_at, 2 * (stage - 2), 2);
            bits = bits.chunks(4).map(|four| choose(m, four, at)).collect();
            if stage < 4 {
                bits.reverse();
                let left = m.concat(&bits);
                let left = m.delay(format!("sign_among_{stage}"), left);
                bits = (0..m.width(left)).map(|bit| m.bit(left, bit)).collect();
                sign_at = m.delay(format!("sign_at_{stage}"), sign_at);
            }
        }
        let signed = later(m, "signed", self.signed, 2);
        let sign = m.and(&[bits[0], signed]);
        let sign = m.delay("sign_4", sign);
        let above = m.sext(sign, 64);
        select(m, mask, field, above)
    }
}

/// Down by four bits, and the bytes in the other order: half of the bits do the one first, half the other ([`super::shift`]).
fn half_and_swap(m: &mut Module, value: Node, half: Node, swapped: Node) -> Node {
    let swap = |m: &mut Module, value| {
        let bytes: Vec<Node> = (0..8).map(|byte| m.slice(value, 8 * byte, 8)).collect();
        let reversed = m.concat(&bytes);
        m.mux(swapped, reversed, value)
    };
    let gone = down(m, value, 4);
    let halved = m.mux(half, gone, value);
    let swapped_last = swap(m, halved);
    let near = swap(m, value);
    let far = swap(m, gone);
    let swapped_first = m.mux(half, far, near);
    in_turns(m, swapped_last, swapped_first, 32)
}
