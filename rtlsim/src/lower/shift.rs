//! Shifts.

use super::*;

impl Lowering<'_> {
    pub(super) fn shift(&mut self, op: &NodeOp, from: Signal, by: Signal, width: u32) -> Limbs {
        let amount = self.limbs(by);
        let constants: Option<SmallVec<[u64; 2]>> = amount
            .iter()
            .map(|limb| self.code.as_const(*limb))
            .collect();
        if let Some(amount) = constants {
            let far = amount[1..].iter().any(|limb| *limb != 0) || amount[0] >= u64::from(width);
            let by = if far { width } else { amount[0] as u32 };
            return self.shift_by(op, from, by, width);
        }
        match op {
            NodeOp::Shl => self.shift_left(from, &amount, width),
            _ => self.shift_right(op, from, &amount, width),
        }
    }

    /// By a constant, at most `width`.
    fn shift_by(&mut self, op: &NodeOp, from: Signal, by: u32, width: u32) -> Limbs {
        let limbs = self.limbs(from);
        match op {
            NodeOp::Shl => {
                let zero = self.code.constant(0);
                let mut result: Limbs = SmallVec::from_elem(zero, by as usize / 64);
                if !by.is_multiple_of(64) && result.len() < limbs.len() {
                    result.push(self.code.shl_by(limbs[0], by % 64));
                }
                while result.len() < limbs.len() {
                    let position = 64 * result.len() as u32 - by;
                    let field = self.bits_of(&limbs, position, 64);
                    result.push(field[0]);
                }
                self.trim(&mut result, width);
                result
            }
            NodeOp::LShr => {
                let mut result = self.bits_of(&limbs, by, width - by);
                let zero = self.code.constant(0);
                result.resize(limbs.len(), zero);
                result
            }
            _ => {
                let by = by.min(width - 1);
                let mut limbs = self.extend_top(from);
                let fill = self.sign_fill(from);
                limbs.push(fill);
                let count = limbs.len() - 1;
                limbs.resize(2 * count + 1, fill);
                let mut result = self.bits_of(&limbs, by, 64 * count as u32);
                self.trim(&mut result, width);
                result
            }
        }
    }

    fn shift_left(&mut self, from: Signal, amount: &[Limb], width: u32) -> Limbs {
        let mut limbs = self.limbs(from);
        let count = limbs.len();
        let zero = self.code.constant(0);
        for level in 0..levels(count) {
            let far = self.amount_bit(amount[0], 6 + level);
            for i in (0..count).rev() {
                let source = i.checked_sub(1 << level).map_or(zero, |i| limbs[i]);
                limbs[i] = self.code.select(far, source, limbs[i]);
            }
        }
        let rest = self.not_amount(amount[0]);
        for i in (0..count).rev() {
            let high = self.code.shl(limbs[i], amount[0]);
            limbs[i] = match i {
                0 => high,
                _ => {
                    let below = self.code.shr_by(limbs[i - 1], 1);
                    let low = self.code.shr(below, rest);
                    self.code.or(high, low)
                }
            };
        }
        self.beyond(&mut limbs, amount, zero);
        self.trim(&mut limbs, width);
        limbs
    }

    fn shift_right(&mut self, op: &NodeOp, from: Signal, amount: &[Limb], width: u32) -> Limbs {
        let arithmetic = *op == NodeOp::AShr;
        let (mut limbs, fill) = match arithmetic {
            true => (self.extend_top(from), self.sign_fill(from)),
            false => (self.limbs(from), self.code.constant(0)),
        };
        let count = limbs.len();
        for level in 0..levels(count) {
            let far = self.amount_bit(amount[0], 6 + level);
            for i in 0..count {
                let source = limbs.get(i + (1 << level)).copied().unwrap_or(fill);
                limbs[i] = self.code.select(far, source, limbs[i]);
            }
        }
        let rest = self.not_amount(amount[0]);
        for i in 0..count {
            limbs[i] = match (i + 1 == count, arithmetic) {
                (true, true) => self.code.sar(limbs[i], amount[0]),
                (true, false) => self.code.shr(limbs[i], amount[0]),
                (false, _) => {
                    let low = self.code.shr(limbs[i], amount[0]);
                    let above = self.code.shl_by(limbs[i + 1], 1);
                    let high = self.code.shl(above, rest);
                    self.code.or(low, high)
                }
            };
        }
        self.beyond(&mut limbs, amount, fill);
        self.trim(&mut limbs, width);
        limbs
    }

    fn amount_bit(&mut self, amount: Limb, bit: u32) -> Limb {
        let shifted = self.code.shr_by(amount, bit);
        self.code.low(shifted, 1)
    }

    /// 63 minus the amount, modulo 64.
    fn not_amount(&mut self, amount: Limb) -> Limb {
        let ones = self.code.constant(63);
        self.code.xor(amount, ones)
    }

    /// `fill` where the amount is more than the levels of the shifter reach.
    fn beyond(&mut self, limbs: &mut Limbs, amount: &[Limb], fill: Limb) {
        let reach = self.code.constant((64 << levels(limbs.len())) - 1);
        let mut far = self.code.ult(reach, amount[0]);
        if amount.len() > 1 {
            let high = self.fold(&amount[1..], Code::or);
            let zero = self.code.constant(0);
            let any = self.code.ne(high, zero);
            far = self.code.or(far, any);
        }
        for limb in limbs.iter_mut() {
            *limb = self.code.select(far, fill, *limb);
        }
    }
}

/// Bits of the amount that choose a whole limb out of `count`.
fn levels(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}
