//! What the pure operations compute.
//!
//! The interpreter and constant folding both come here, so they cannot differ.

use crate::{Bits, Op};

/// The result of a pure operation, `width` bits wide. `None` for an input and for effects.
///
/// The widths must be as the verifier demands: it panics or gives nonsense where they are not.
pub fn eval_pure(op: &Op, args: &[Bits], width: u32) -> Option<Bits> {
    let compare = |result: bool| Bits::from_u64(u64::from(result), 1);
    Some(match op {
        Op::Const(bits) => bits.clone(),
        Op::Add => args[0].add(&args[1]),
        Op::Sub => args[0].sub(&args[1]),
        Op::Mul => args[0].mul(&args[1]),
        Op::UDiv => args[0].udiv(&args[1]),
        Op::URem => args[0].urem(&args[1]),
        Op::SDiv => args[0].sdiv(&args[1]),
        Op::SRem => args[0].srem(&args[1]),
        Op::And => args[0].and(&args[1]),
        Op::Or => args[0].or(&args[1]),
        Op::Xor => args[0].xor(&args[1]),
        Op::Not => args[0].not(),
        Op::Shl => args[0].shl(args[1].saturating_u64()),
        Op::LShr => args[0].lshr(args[1].saturating_u64()),
        Op::AShr => args[0].ashr(args[1].saturating_u64()),
        Op::Eq => compare(args[0] == args[1]),
        Op::Ne => compare(args[0] != args[1]),
        Op::Ult => compare(args[0].ult(&args[1])),
        Op::Ule => compare(args[0].ule(&args[1])),
        Op::Slt => compare(args[0].slt(&args[1])),
        Op::Sle => compare(args[0].sle(&args[1])),
        Op::Select => args[if args[0].is_zero() { 2 } else { 1 }].clone(),
        Op::Slice { lo } => args[0].slice(*lo, width),
        Op::Concat => Bits::concat(args),
        Op::ZExt => args[0].zext(width),
        Op::SExt => args[0].sext(width),
        Op::Input(_)
        | Op::StackLoad
        | Op::StackStore
        | Op::PacketLoad
        | Op::PacketStore
        | Op::PacketClear
        | Op::MapLookup(_)
        | Op::MapLoad(_)
        | Op::MapStore(_)
        | Op::MapAtomic(..)
        | Op::MapUpdate(_)
        | Op::MapDelete(_)
        | Op::Call(_)
        | Op::Whole(_) => return None,
    })
}

/// [`eval_pure`] for an operation whose result and arguments all have at most 64 bits. `arg_width` is the width of
/// the first argument. Operations with more than three arguments, `Concat` and `Const` are not done here: `None`.
pub fn eval_u64(op: &Op, args: [u64; 3], arg_width: u32, width: u32) -> Option<u64> {
    let [a, b, c] = args;
    let mask = u64::MAX >> (64 - width);
    let signed = |value: u64| (value << (64 - arg_width)) as i64 >> (64 - arg_width);
    let result = match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(0),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => 0,
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u64,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Shl if b >= u64::from(width) => 0,
        Op::Shl => a << b,
        Op::LShr if b >= u64::from(width) => 0,
        Op::LShr => a >> b,
        Op::AShr => (signed(a) >> b.min(63)) as u64,
        Op::Eq => u64::from(a == b),
        Op::Ne => u64::from(a != b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Slt => u64::from(signed(a) < signed(b)),
        Op::Sle => u64::from(signed(a) <= signed(b)),
        Op::Select if a == 0 => c,
        Op::Select => b,
        Op::Slice { lo } => a >> lo,
        Op::ZExt => a,
        Op::SExt => signed(a) as u64,
        _ => return None,
    };
    Some(result & mask)
}
