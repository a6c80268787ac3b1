//! The text of constants, which are limbs of 64 bits, least significant first.

use crate::print::constant::{is_ones, is_zero, resize, slice};

/// A constant of one bit, or of several where the type is known from the place: an assignment, a comparison, a
/// concatenation. Long ones are concatenations (see [`parts`]).
pub fn text(limbs: &[u64], width: u32) -> String {
    if width == 1 {
        return if is_zero(limbs) { "'0'" } else { "'1'" }.to_string();
    }
    if width > 64 && is_zero(limbs) {
        return format!("zeros({width})");
    }
    if width > 64 && is_ones(limbs, width) {
        return format!("repeat('1', {width})");
    }
    let parts = parts(limbs, width);
    match parts.len() {
        1 => parts.concat(),
        _ => format!("({})", parts.join(" & ")),
    }
}

/// Literals side by side, the first one most significant.
pub fn parts(limbs: &[u64], width: u32) -> Vec<String> {
    if !width.is_multiple_of(4) && width < 16 {
        return vec![binary(limbs[0], width)];
    }
    let mut parts = Vec::new();
    let odd = width % 4;
    let mut end = width;
    if odd != 0 {
        end -= odd;
        parts.push(binary(slice(limbs, end, odd)[0], odd));
    }
    let mut zeros = 0;
    while end > 0 {
        let bits = match end % 64 {
            0 => 64,
            rest => rest,
        };
        end -= bits;
        let limb = slice(limbs, end, bits)[0];
        if limb == 0 && width > 64 {
            zeros += bits;
            continue;
        }
        flush(&mut parts, &mut zeros);
        parts.push(hexadecimal(limb, bits));
    }
    flush(&mut parts, &mut zeros);
    parts
}

fn flush(parts: &mut Vec<String>, zeros: &mut u32) {
    match *zeros {
        0 => {}
        1..=64 => parts.push(hexadecimal(0, *zeros)),
        _ => parts.push(format!("zeros({zeros})")),
    }
    *zeros = 0;
}

/// The value of a signal or a whole assignment, where `others` is allowed.
pub fn assigned(limbs: &[u64], width: u32) -> String {
    match width {
        2.. if is_zero(limbs) => "(others => '0')".to_string(),
        9.. if is_ones(limbs, width) => "(others => '1')".to_string(),
        _ => text(limbs, width),
    }
}

/// A constant that VHDL can take as a number (31 bits).
pub fn natural(limbs: &[u64]) -> Option<String> {
    let small = limbs[0] < 1 << 31 && is_zero(&limbs[1..]);
    small.then(|| limbs[0].to_string())
}

/// A constant that VHDL can take as a number with a sign.
pub fn integer(limbs: &[u64], width: u32) -> Option<String> {
    let sign = slice(limbs, width - 1, 1)[0];
    if sign == 0 {
        return natural(limbs);
    }
    let ones = vec![u64::MAX; limbs.len()];
    let inverted: Vec<u64> = limbs.iter().zip(&ones).map(|(a, b)| a ^ b).collect();
    let inverted = resize(&inverted, width);
    // The smallest integer cannot be written: a minus is an operator.
    let small = inverted[0] < (1 << 31) - 1 && is_zero(&inverted[1..]);
    small.then(|| format!("-{}", inverted[0] + 1))
}

fn binary(value: u64, width: u32) -> String {
    format!("\"{value:0width$b}\"", width = width as usize)
}

/// All digits of the width, in groups of four where there are more than eight.
fn hexadecimal(value: u64, width: u32) -> String {
    let digits = format!("{value:0count$x}", count = width as usize / 4);
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len() > 8 && (digits.len() - index).is_multiple_of(4) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    format!("x\"{grouped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(text(&[1], 1), "'1'");
        assert_eq!(text(&[6], 7), "\"0000110\"");
        assert_eq!(text(&[0x800], 16), "x\"0800\"");
        assert_eq!(text(&[0x1_0000_0002], 33), "(\"1\" & x\"00000002\")");
        assert_eq!(text(&[0x1234_5678_9abc], 48), "x\"1234_5678_9abc\"");
        assert_eq!(text(&[0, 0], 128), "zeros(128)");
        assert_eq!(text(&[u64::MAX, 3], 66), "repeat('1', 66)");
        assert_eq!(
            text(&[0, 5, 0, 0], 200),
            "(zeros(72) & x\"0000_0000_0000_0005\" & x\"0000_0000_0000_0000\")"
        );
        assert_eq!(assigned(&[0], 8), "(others => '0')");
        assert_eq!(assigned(&[255], 8), "x\"ff\"");
    }

    #[test]
    fn numbers() {
        assert_eq!(natural(&[7, 0]), Some("7".to_string()));
        assert_eq!(natural(&[1 << 31]), None);
        assert_eq!(natural(&[0, 1]), None);
        assert_eq!(integer(&[0xff], 8), Some("-1".to_string()));
        assert_eq!(integer(&[0x80], 8), Some("-128".to_string()));
        assert_eq!(integer(&[0x7f], 8), Some("127".to_string()));
        assert_eq!(integer(&[1 << 31], 32), None);
        assert_eq!(integer(&[u64::MAX, 0xf], 68), Some("-1".to_string()));
    }
}
