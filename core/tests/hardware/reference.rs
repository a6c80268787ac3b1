//! What the instruction set says, as functions of numbers, and numbers that show where hardware is wrong.

use hardpath_core::isa::{Compute, Field};
use hardpath_testkit::Random;

/// The low bits of a number.
pub fn low(value: u64, width: u8) -> u64 {
    match width {
        0 => 0,
        _ => value & (u64::MAX >> (64 - width)),
    }
}

/// What a field of a register is as an operand.
pub fn field<R>(field: &Field<R>, register: u64) -> u64 {
    let bits = low(register >> field.lo, field.width);
    let bits = match field.swapped {
        true => bits.swap_bytes() >> (64 - field.width),
        false => bits,
    };
    let above = 64 - field.width;
    match field.signed {
        true => ((bits << above) as i64 >> above) as u64,
        false => bits,
    }
}

/// The low bits of `a op b`.
pub fn compute(op: Compute, width: u8, a: u64, b: u64) -> u64 {
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    let (sa, sb) = (a as i64, b as i64);
    let all = match op {
        Compute::Add => a.wrapping_add(b),
        Compute::Sub => a.wrapping_sub(b),
        Compute::And => a & b,
        Compute::Or => a | b,
        Compute::Xor => a ^ b,
        Compute::Shl => a.checked_shl(by).unwrap_or(0),
        Compute::LShr => a.checked_shr(by).unwrap_or(0),
        Compute::AShr => sa.checked_shr(by).unwrap_or(sa >> 63) as u64,
        Compute::Mul => a.wrapping_mul(b),
        Compute::UDiv => a.checked_div(b).unwrap_or(0),
        Compute::URem => a.checked_rem(b).unwrap_or(a),
        Compute::SDiv if b == 0 => 0,
        Compute::SRem if b == 0 => a,
        Compute::SDiv => sa.wrapping_div(sb) as u64,
        Compute::SRem => sa.wrapping_rem(sb) as u64,
    };
    low(all, width)
}

/// `into` with the low bits of `a` in its bits from `lo` on.
pub fn insert(a: u64, into: u64, lo: u8, width: u8) -> u64 {
    let mask = low(u64::MAX, width) << lo;
    into & !mask | a << lo & mask
}

/// Any number, but more often one at whose neighbours something changes.
pub fn number(random: &mut Random) -> u64 {
    let any = random.next();
    match random.below(8) {
        0 => any % 3,
        1 => u64::MAX - any % 3,
        2 => 1 << (any % 64),
        3 => (1 << (any % 64)) - 1,
        4 => (i64::MIN as u64).wrapping_add(any % 3).wrapping_sub(1),
        5 => any % 130,
        6 => any >> (any % 64),
        _ => any,
    }
}
