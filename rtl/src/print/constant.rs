//! Constants of any width as limbs of 64 bits, least significant first.

use crate::{Module, Node, NodeOp};

/// Limbs for a width: more zeros, or high bits cut off.
pub fn resize(limbs: &[u64], width: u32) -> Vec<u64> {
    let mut all = vec![0; width.div_ceil(64) as usize];
    for (to, from) in all.iter_mut().zip(limbs) {
        *to = *from;
    }
    if let (Some(last), false) = (all.last_mut(), width.is_multiple_of(64)) {
        *last &= u64::MAX >> (64 - width % 64);
    }
    all
}

/// `width` bits from bit `lo` on.
pub fn slice(limbs: &[u64], lo: u32, width: u32) -> Vec<u64> {
    let limb = |index: u32| limbs.get(index as usize).copied().unwrap_or(0);
    let shifted: Vec<u64> = (0..width.div_ceil(64))
        .map(|i| {
            let at = lo + 64 * i;
            match at % 64 {
                0 => limb(at / 64),
                shift => limb(at / 64) >> shift | limb(at / 64 + 1) << (64 - shift),
            }
        })
        .collect();
    resize(&shifted, width)
}

/// `high` above `low`, which has `low_width` bits; `width` bits together.
pub fn concat(high: &[u64], low: &[u64], low_width: u32, width: u32) -> Vec<u64> {
    let mut all = resize(low, width);
    for (i, limb) in high.iter().enumerate() {
        let at = low_width as usize / 64 + i;
        let shift = low_width % 64;
        if let Some(to) = all.get_mut(at) {
            *to |= limb << shift;
        }
        if let (Some(to), true) = (all.get_mut(at + 1), shift != 0) {
            *to |= limb >> (64 - shift);
        }
    }
    resize(&all, width)
}

/// Copies of the sign bit above.
pub fn sign_extend(limbs: &[u64], from: u32, to: u32) -> Vec<u64> {
    let sign = limbs[(from - 1) as usize / 64] >> ((from - 1) % 64) & 1;
    if sign == 0 {
        return resize(limbs, to);
    }
    let ones = vec![u64::MAX; to.div_ceil(64) as usize];
    concat(&ones, limbs, from, to)
}

pub fn is_zero(limbs: &[u64]) -> bool {
    limbs.iter().all(|limb| *limb == 0)
}

pub fn is_ones(limbs: &[u64], width: u32) -> bool {
    limbs == resize(&vec![u64::MAX; limbs.len()], width)
}

/// A constant 1 of one bit.
pub fn is_one_bit_true(module: &Module, node: Node) -> bool {
    module.width(node) == 1 && module.as_const(node) == Some(&[1])
}

/// The result of a comparison with itself, or with the smallest or largest number where that decides it.
pub fn compare_with_limit(module: &Module, op: &NodeOp, args: &[Node]) -> Option<bool> {
    let signed = match op {
        NodeOp::Ult | NodeOp::Ule => false,
        NodeOp::Slt | NodeOp::Sle => true,
        _ => return None,
    };
    if args[0] == args[1] {
        return Some(matches!(op, NodeOp::Ule | NodeOp::Sle));
    }
    let width = module.width(args[0]);
    // With the sign bit flipped, signed order is unsigned order.
    let limbs = |node| {
        module.as_const(node).map(|limbs| {
            let mut limbs = limbs.to_vec();
            if signed {
                limbs[(width - 1) as usize / 64] ^= 1 << ((width - 1) % 64);
            }
            limbs
        })
    };
    let strict = matches!(op, NodeOp::Ult | NodeOp::Slt);
    let (left, right) = (limbs(args[0]), limbs(args[1]));
    if let (Some(left), Some(right)) = (&left, &right) {
        let order = left.iter().rev().cmp(right.iter().rev());
        return Some(if strict { order.is_lt() } else { order.is_le() });
    }
    match strict {
        true if right.as_ref().is_some_and(|b| is_zero(b)) => Some(false),
        true if left.as_ref().is_some_and(|a| is_ones(a, width)) => Some(false),
        false if left.as_ref().is_some_and(|a| is_zero(a)) => Some(true),
        false if right.as_ref().is_some_and(|b| is_ones(b, width)) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_and_joins() {
        let limbs = [0x1122_3344_5566_7788, 0x99aa_bbcc_ddee_ff00];
        assert_eq!(slice(&limbs, 56, 16), [0x0011]);
        assert_eq!(slice(&limbs, 64, 64), [limbs[1]]);
        assert_eq!(concat(&[0xab], &[0xcd], 8, 16), [0xabcd]);
        assert_eq!(concat(&[3], &[0], 63, 65), [1 << 63, 1]);
        assert_eq!(sign_extend(&[0x80], 8, 72), [0xffff_ffff_ffff_ff80, 0xff]);
        assert_eq!(sign_extend(&[0x40], 8, 72), [0x40, 0]);
        assert_eq!(sign_extend(&[1], 1, 64), [u64::MAX]);
    }
}
