//! Sums, products and compares.

use super::*;

type Compare = fn(&mut Code, Limb, Limb) -> Limb;

impl Lowering<'_> {
    pub(super) fn add(&mut self, a: Signal, b: Signal, width: u32) -> Limbs {
        let (a, b) = (self.limbs(a), self.limbs(b));
        let mut carry = self.code.constant(0);
        let mut result = Limbs::new();
        for (a, b) in a.iter().zip(&b) {
            let sum = self.code.add(*a, *b);
            let total = self.code.add(sum, carry);
            let first = self.code.ult(sum, *a);
            let second = self.code.ult(total, sum);
            carry = self.code.or(first, second);
            result.push(total);
        }
        self.trim(&mut result, width);
        result
    }

    pub(super) fn sub(&mut self, a: Signal, b: Signal, width: u32) -> Limbs {
        let (a, b) = (self.limbs(a), self.limbs(b));
        let mut borrow = self.code.constant(0);
        let mut result = Limbs::new();
        for (a, b) in a.iter().zip(&b) {
            let difference = self.code.sub(*a, *b);
            let total = self.code.sub(difference, borrow);
            let first = self.code.ult(*a, *b);
            let second = self.code.ult(difference, borrow);
            borrow = self.code.or(first, second);
            result.push(total);
        }
        self.trim(&mut result, width);
        result
    }

    /// Schoolbook: every limb of `a` times every limb of `b`, as far as the width reaches.
    pub(super) fn mul(&mut self, a: Signal, b: Signal, width: u32) -> Limbs {
        let (a, b) = (self.limbs(a), self.limbs(b));
        let zero = self.code.constant(0);
        let mut result: Limbs = SmallVec::from_elem(zero, a.len());
        for i in 0..a.len() {
            let mut carry = zero;
            for j in 0..b.len() - i {
                let low = self.code.mul(a[i], b[j]);
                let high = self.code.mul_high(a[i], b[j]);
                let sum = self.code.add(result[i + j], low);
                let first = self.code.ult(sum, low);
                let total = self.code.add(sum, carry);
                let second = self.code.ult(total, carry);
                let carries = self.code.add(first, second);
                result[i + j] = total;
                carry = self.code.add(high, carries);
            }
        }
        self.trim(&mut result, width);
        result
    }

    pub(super) fn equal(&mut self, op: &NodeOp, a: Signal, b: Signal) -> Limbs {
        let (a, b) = (self.limbs(a), self.limbs(b));
        let (left, right) = match a.len() {
            1 => (a[0], b[0]),
            _ => {
                let differences: Limbs = a
                    .iter()
                    .zip(&b)
                    .map(|(a, b)| self.code.xor(*a, *b))
                    .collect();
                (self.fold(&differences, Code::or), self.code.constant(0))
            }
        };
        let result = match op {
            NodeOp::Eq => self.code.eq(left, right),
            _ => self.code.ne(left, right),
        };
        SmallVec::from_slice(&[result])
    }

    /// From the lowest limb up: less there, or equal there and less below.
    pub(super) fn less(&mut self, op: &NodeOp, a: Signal, b: Signal) -> Limbs {
        let signed = matches!(op, NodeOp::Slt | NodeOp::Sle);
        let or_equal = matches!(op, NodeOp::Ule | NodeOp::Sle);
        // The sign comes to bit 63.
        let unused = match signed {
            true => 63 - (self.width(a) - 1) % 64,
            false => 0,
        };
        let (a, b) = (self.limbs(a), self.limbs(b));
        let top = a.len() - 1;
        let mut result = self.code.constant(u64::from(or_equal));
        for i in 0..=top {
            let (mut a, mut b) = (a[i], b[i]);
            if i == top {
                a = self.code.shl_by(a, unused);
                b = self.code.shl_by(b, unused);
            }
            let (strict, lax): (Compare, Compare) = match signed && i == top {
                true => (Code::slt, Code::sle),
                false => (Code::ult, Code::ule),
            };
            result = match self.code.as_const(result) {
                Some(0) => strict(&mut self.code, a, b),
                Some(_) => lax(&mut self.code, a, b),
                None => {
                    let less = strict(&mut self.code, a, b);
                    let equal = self.code.eq(a, b);
                    let below = self.code.and(equal, result);
                    self.code.or(less, below)
                }
            };
        }
        SmallVec::from_slice(&[result])
    }

    /// One bit: whether all bits are 1.
    pub(super) fn all_ones(&mut self, a: Signal) -> Limbs {
        let width = self.width(a);
        let mut limbs = self.limbs(a);
        let top = limbs.pop().expect("a signal has limbs");
        let ones = self.code.constant(mask((width - 1) % 64 + 1));
        let mut result = self.code.eq(top, ones);
        if !limbs.is_empty() {
            let below = self.fold(&limbs, Code::and);
            let ones = self.code.constant(u64::MAX);
            let full = self.code.eq(below, ones);
            result = self.code.and(result, full);
        }
        SmallVec::from_slice(&[result])
    }
}
