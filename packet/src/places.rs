//! Where fields stand that lie side by side, the first one in the lowest bits.

/// Each field with the lowest of its bits among those of all.
pub(crate) fn places<T>(all: &[T], width: fn(&T) -> u32) -> impl Iterator<Item = (u32, &T)> {
    let mut next: u32 = 0;
    all.iter().map(move |field| {
        let lo = next;
        next = next.saturating_add(width(field));
        (lo, field)
    })
}

/// `bit 3`, or `bits 5:3`. `width`: at least 1.
pub fn bits_text(lo: u32, width: u32) -> String {
    match width {
        1 => format!("bit {lo}"),
        _ => format!("bits {}:{lo}", lo + width - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_side_by_side() {
        let found: Vec<(u32, &u32)> = places(&[3, 1, 8], |width| *width).collect();
        assert_eq!(found, [(0, &3), (3, &1), (4, &8)]);
        assert_eq!(
            (bits_text(3, 1), bits_text(4, 8)),
            ("bit 3".into(), "bits 11:4".into())
        );
    }
}
