//! The text of constants, which are limbs of 64 bits, least significant first.

use crate::print::constant::{is_ones, is_zero};

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
        return hexadecimal_text(limbs[0], width);
    }
    format!("{{{}}}", side_by_side(limbs, width).join(", "))
}

/// A constant of at most 64 bits, in hexadecimal.
pub fn hexadecimal_text(limb: u64, width: u32) -> String {
    format!("{width}'h{}", hexadecimal(limb, width))
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
}
