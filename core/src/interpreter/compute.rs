//! What operands and results are, as numbers.

use crate::isa::{Compute, Field};

/// The low bits.
pub fn low(value: u64, width: u8) -> u64 {
    match width {
        0 => 0,
        1..=63 => value & ((1 << width) - 1),
        _ => value,
    }
}

/// A field of a register's contents.
pub fn field<R>(register: u64, field: &Field<R>) -> u64 {
    let bits = low(register >> field.lo, field.width);
    let ordered = match field.swapped {
        true => bits.swap_bytes() >> (64 - u32::from(field.width)),
        false => bits,
    };
    match field.signed {
        true => {
            let above = 64 - u32::from(field.width);
            ((ordered << above) as i64 >> above) as u64
        }
        false => ordered,
    }
}

/// All 64 bits of a result.
pub fn compute(op: Compute, a: u64, b: u64) -> u64 {
    let (signed_a, signed_b) = (a as i64, b as i64);
    let distance = b.min(64) as u32;
    match op {
        Compute::Add => a.wrapping_add(b),
        Compute::Sub => a.wrapping_sub(b),
        Compute::And => a & b,
        Compute::Or => a | b,
        Compute::Xor => a ^ b,
        Compute::Shl => a.checked_shl(distance).unwrap_or(0),
        Compute::LShr => a.checked_shr(distance).unwrap_or(0),
        Compute::AShr => (signed_a >> distance.min(63)) as u64,
        Compute::Mul => a.wrapping_mul(b),
        Compute::UDiv => a.checked_div(b).unwrap_or(0),
        Compute::URem => a.checked_rem(b).unwrap_or(a),
        Compute::SDiv if b == 0 => 0,
        Compute::SDiv => signed_a.wrapping_div(signed_b) as u64,
        Compute::SRem if b == 0 => a,
        Compute::SRem => signed_a.wrapping_rem(signed_b) as u64,
    }
}
