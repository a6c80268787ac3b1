//! Constants of any width as limbs of 64 bits, least significant first: arithmetic and text.

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

fn is_zero(limbs: &[u64]) -> bool {
    limbs.iter().all(|limb| *limb == 0)
}

fn is_ones(limbs: &[u64], width: u32) -> bool {
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

/// The text of a constant: small numbers in decimal, large ones in hexadecimal, wide ones in pieces.
pub fn text(limbs: &[u64], width: u32) -> String {
    if is_zero(limbs) {
        return match width {
            1 => "1'b0".to_string(),
            _ => format!("{width}'d0"),
        };
    }
    if width == 1 {
        return "1'b1".to_string();
    }
    if width > 64 && is_ones(limbs, width) {
        return format!("{{{width}{{1'b1}}}}");
    }
    if width <= 64 && limbs[0] < 100 {
        return format!("{width}'d{}", limbs[0]);
    }
    if width <= 64 {
        return format!("{width}'h{}", hexadecimal(limbs[0], width));
    }
    format!("{{{}}}", side_by_side(limbs, width).join(", "))
}

/// The pieces of a constant that is printed as a concatenation.
pub fn parts(limbs: &[u64], width: u32) -> Option<Vec<String>> {
    let whole = width <= 64 || is_zero(limbs) || is_ones(limbs, width);
    (!whole).then(|| side_by_side(limbs, width))
}

/// A constant that is meant as a number, when it is a small one.
pub fn decimal(limbs: &[u64], width: u32) -> Option<String> {
    let small = width > 1 && width <= 64 && limbs[0] < 1_000_000;
    small.then(|| format!("{width}'d{}", limbs[0]))
}

/// Limbs with the highest first, zeros joined.
fn side_by_side(limbs: &[u64], width: u32) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut zeros = 0;
    for (index, limb) in limbs.iter().enumerate().rev() {
        let bits = (width - 64 * index as u32).min(64);
        if *limb == 0 {
            zeros += bits;
            continue;
        }
        if zeros > 0 {
            parts.push(format!("{zeros}'d0"));
            zeros = 0;
        }
        parts.push(text(&[*limb], bits));
    }
    if zeros > 0 {
        parts.push(format!("{zeros}'d0"));
    }
    parts
}

/// All digits of the width, in groups of four where there are more than eight.
fn hexadecimal(value: u64, width: u32) -> String {
    let digits = format!("{value:0count$x}", count = width.div_ceil(4) as usize);
    if digits.len() <= 8 {
        return digits;
    }
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(4) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(text(&[1], 1), "1'b1");
        assert_eq!(text(&[0], 1), "1'b0");
        assert_eq!(text(&[6], 8), "8'd6");
        assert_eq!(text(&[0x800], 16), "16'h0800");
        assert_eq!(text(&[0x1234_5678_9abc], 48), "48'h1234_5678_9abc");
        assert_eq!(text(&[0, 0], 128), "128'd0");
        assert_eq!(text(&[u64::MAX, 3], 66), "{66{1'b1}}");
        assert_eq!(text(&[0, 5, 0, 0], 200), "{72'd0, 64'd5, 64'd0}");
        assert_eq!(text(&[7, 0, 1], 129), "{1'b1, 64'd0, 64'd7}");
    }

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
