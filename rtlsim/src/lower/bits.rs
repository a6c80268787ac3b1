//! Slices, concatenations, extensions: moving bits to other places.

use super::*;

impl Lowering<'_> {
    /// `width` bits from bit `lo` on, as limbs.
    pub(super) fn bits_of(&mut self, from: &[Limb], lo: u32, width: u32) -> Limbs {
        (0..width.div_ceil(64))
            .map(|i| self.field(from, lo + 64 * i, (width - 64 * i).min(64)))
            .collect()
    }

    /// At most 64 bits from bit `lo` on. Bits behind the last limb are 0.
    fn field(&mut self, from: &[Limb], lo: u32, width: u32) -> Limb {
        let (index, shift) = (lo as usize / 64, lo % 64);
        let Some(&low) = from.get(index) else {
            return self.code.constant(0);
        };
        if shift + width > 64 {
            if let Some(&high) = from.get(index + 1) {
                if let Some(limb) = self.load_across(low, high, shift, width) {
                    return limb;
                }
                let low = self.code.shr_by(low, shift);
                let high = self.code.shl_by(high, 64 - shift);
                let both = self.code.or(low, high);
                return self.code.low(both, width);
            }
        }
        if let Some(limb) = self.load_within(low, shift, width) {
            return limb;
        }
        let shifted = self.code.shr_by(low, shift);
        self.code.low(shifted, width)
    }

    /// Whole bytes of a limb in memory: a smaller load in place of load, shift and mask.
    fn load_within(&mut self, limb: Limb, shift: u32, width: u32) -> Option<Limb> {
        let code::Op::Load { offset, bits, .. } = self.code.ops[limb] else {
            return None;
        };
        let exact = shift.is_multiple_of(8) && matches!(width, 8 | 16 | 32);
        let smaller = shift + width <= u32::from(bits) && width < u32::from(bits);
        (exact && smaller).then(|| self.code.load(offset + shift / 8, (width / 8) as u8, width))
    }

    /// A field that two neighbours in memory share: one load that is not aligned.
    fn load_across(&mut self, low: Limb, high: Limb, shift: u32, width: u32) -> Option<Limb> {
        let (
            code::Op::Load {
                offset, bytes: 8, ..
            },
            code::Op::Load {
                offset: next,
                bytes: 8,
                bits,
            },
        ) = (self.code.ops[low], self.code.ops[high])
        else {
            return None;
        };
        if next != offset + 8 || shift % 8 + width > 64 {
            return None;
        }
        let at = offset + shift / 8;
        if shift.is_multiple_of(8) && matches!(width, 8 | 16 | 32) {
            return Some(self.code.load(at, (width / 8) as u8, width));
        }
        let known = (64 + u32::from(bits) - shift / 8 * 8).min(64);
        let loaded = self.code.load(at, 8, known);
        let shifted = self.code.shr_by(loaded, shift % 8);
        Some(self.code.low(shifted, width))
    }

    /// Side by side, the first one most significant.
    pub(super) fn concat(&mut self, args: &[Signal], width: u32) -> Limbs {
        let zero = self.code.constant(0);
        let mut result: Limbs = SmallVec::from_elem(zero, width.div_ceil(64) as usize);
        let mut at = 0;
        for arg in args.iter().rev() {
            let from = self.limbs(*arg);
            let end = at + self.width(*arg);
            // One field for each limb of the result that the piece touches.
            let mut first = at;
            while first < end {
                let last = (first / 64 * 64 + 64).min(end);
                let field = self.field(&from, first - at, last - first);
                let placed = self.code.shl_by(field, first % 64);
                let limb = &mut result[first as usize / 64];
                *limb = self.code.or(*limb, placed);
                first = last;
            }
            at = end;
        }
        result
    }

    pub(super) fn sign_extend(&mut self, from: Signal, width: u32) -> Limbs {
        let mut limbs = self.extend_top(from);
        let fill = self.sign_fill(from);
        limbs.resize(width.div_ceil(64) as usize, fill);
        self.trim(&mut limbs, width);
        limbs
    }

    /// The limbs with the highest one sign-extended to 64 bits.
    pub(super) fn extend_top(&mut self, from: Signal) -> Limbs {
        let mut limbs = self.limbs(from);
        let unused = 63 - (self.width(from) - 1) % 64;
        let by = self.code.constant(u64::from(unused));
        let top = limbs.last_mut().expect("a signal has limbs");
        let high = self.code.shl_by(*top, unused);
        *top = self.code.sar(high, by);
        limbs
    }

    /// 64 copies of the highest bit.
    pub(super) fn sign_fill(&mut self, from: Signal) -> Limb {
        let top = *self.values[from].last().expect("a signal has limbs");
        let sign = self.code.shr_by(top, (self.width(from) - 1) % 64);
        let zero = self.code.constant(0);
        self.code.sub(zero, sign)
    }
}
