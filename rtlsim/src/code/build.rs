//! Making operations: one method each, which folds constants and trivial cases.

use super::*;

impl Code {
    fn make(&mut self, op: Op, bits: u32) -> Limb {
        if let Some(limb) = self.known.get(&op) {
            return *limb;
        }
        let limb = self.ops.push(op);
        self.bits.push(bits.min(64) as u8);
        self.known.insert(op, limb);
        limb
    }

    fn width(&self, limb: Limb) -> u32 {
        u32::from(self.bits[limb])
    }

    /// Both constants, or the operands in an order that makes equal operations the same: constants second.
    fn ordered(&self, a: Limb, b: Limb) -> (Limb, Limb) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    fn both(&self, a: Limb, b: Limb) -> Option<(u64, u64)> {
        Some((self.as_const(a)?, self.as_const(b)?))
    }

    pub fn constant(&mut self, value: u64) -> Limb {
        self.make(Op::Const(value), 64 - value.leading_zeros())
    }

    /// `bits` bits at a fixed offset of the arena, in `bytes` bytes whose other bits are 0.
    pub fn load(&mut self, offset: u32, bytes: u8, bits: u32) -> Limb {
        let bits8 = bits as u8;
        self.make(
            Op::Load {
                offset,
                bytes,
                bits: bits8,
            },
            bits,
        )
    }

    pub fn load_at(&mut self, at: Limb, offset: u32, bytes: u8, bits: u32) -> Limb {
        let bits8 = bits as u8;
        self.make(
            Op::LoadAt {
                at,
                offset,
                bytes,
                bits: bits8,
            },
            bits,
        )
    }

    pub fn and(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x & y);
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return a;
        }
        if let Some(value) = self.as_const(b) {
            let value = value & mask(self.width(a));
            if value == 0 {
                return self.constant(0);
            }
            if value == mask(self.width(a)) {
                return a;
            }
            let b = self.constant(value);
            if let Op::And(x, y) = self.ops[a] {
                if self.as_const(y).is_some() {
                    let both = self.and(y, b);
                    return self.and(x, both);
                }
            }
            return self.make(Op::And(a, b), 64 - value.leading_zeros());
        }
        self.make(Op::And(a, b), self.width(a).min(self.width(b)))
    }

    /// The low `bits` bits.
    pub fn low(&mut self, a: Limb, bits: u32) -> Limb {
        let ones = self.constant(mask(bits));
        self.and(a, ones)
    }

    pub fn or(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x | y);
        }
        let (a, b) = self.ordered(a, b);
        if a == b || self.as_const(b) == Some(0) {
            return a;
        }
        let covered = mask(self.width(a));
        if self
            .as_const(b)
            .is_some_and(|value| value & covered == covered)
        {
            return b;
        }
        self.make(Op::Or(a, b), self.width(a).max(self.width(b)))
    }

    pub fn xor(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x ^ y);
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(0);
        }
        if let Some(value) = self.as_const(b) {
            match self.ops[a] {
                _ if value == 0 => return a,
                Op::Xor(x, y) if self.as_const(y).is_some() => {
                    let both = self.xor(y, b);
                    return self.xor(x, both);
                }
                _ if value != 1 => {}
                Op::Eq(x, y) => return self.ne(x, y),
                Op::Ne(x, y) => return self.eq(x, y),
                Op::Ult(x, y) => return self.ule(y, x),
                Op::Ule(x, y) => return self.ult(y, x),
                Op::Slt(x, y) => return self.sle(y, x),
                Op::Sle(x, y) => return self.slt(y, x),
                _ => {}
            }
        }
        self.make(Op::Xor(a, b), self.width(a).max(self.width(b)))
    }

    /// The low `bits` bits inverted.
    pub fn not(&mut self, a: Limb, bits: u32) -> Limb {
        let ones = self.constant(mask(bits));
        self.xor(a, ones)
    }

    pub fn add(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x.wrapping_add(y));
        }
        let (a, b) = self.ordered(a, b);
        if self.as_const(b) == Some(0) {
            return a;
        }
        self.make(Op::Add(a, b), self.width(a).max(self.width(b)) + 1)
    }

    pub fn sub(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x.wrapping_sub(y));
        }
        if self.as_const(b) == Some(0) {
            return a;
        }
        self.make(Op::Sub(a, b), 64)
    }

    pub fn mul(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(x.wrapping_mul(y));
        }
        let (a, b) = self.ordered(a, b);
        match self.as_const(b) {
            Some(0) => b,
            Some(1) => a,
            Some(value) if value.is_power_of_two() => self.shl_by(a, value.trailing_zeros()),
            _ => self.make(Op::Mul(a, b), self.width(a) + self.width(b)),
        }
    }

    pub fn mul_high(&mut self, a: Limb, b: Limb) -> Limb {
        let bits = self.width(a) + self.width(b);
        if bits <= 64 {
            return self.constant(0);
        }
        let (a, b) = self.ordered(a, b);
        if self.as_const(b) == Some(1) {
            return self.constant(0);
        }
        self.make(Op::MulHigh(a, b), bits - 64)
    }

    pub fn shl(&mut self, a: Limb, by: Limb) -> Limb {
        match self.as_const(by) {
            Some(by) => self.shl_by(a, by as u32 & 63),
            None if self.as_const(a) == Some(0) => a,
            None => self.make(Op::Shl(a, by), 64),
        }
    }

    /// By a constant; 64 and more give 0.
    pub fn shl_by(&mut self, a: Limb, by: u32) -> Limb {
        if by == 0 {
            return a;
        }
        if by >= 64 {
            return self.constant(0);
        }
        if let Some(value) = self.as_const(a) {
            return self.constant(value << by);
        }
        let bits = self.width(a) + by;
        let by = self.constant(u64::from(by));
        self.make(Op::Shl(a, by), bits)
    }

    pub fn shr(&mut self, a: Limb, by: Limb) -> Limb {
        match self.as_const(by) {
            Some(by) => self.shr_by(a, by as u32 & 63),
            None if self.as_const(a) == Some(0) => a,
            None => self.make(Op::Shr(a, by), self.width(a)),
        }
    }

    /// By a constant; 64 and more give 0.
    pub fn shr_by(&mut self, a: Limb, by: u32) -> Limb {
        if by == 0 {
            return a;
        }
        let bits = self.width(a);
        if by >= bits {
            return self.constant(0);
        }
        if let Some(value) = self.as_const(a) {
            return self.constant(value >> by);
        }
        match self.ops[a] {
            Op::Shr(x, inner) => {
                if let Some(inner) = self.as_const(inner) {
                    return self.shr_by(x, by + inner as u32);
                }
            }
            Op::Shl(x, inner) => {
                if let Some(inner) = self.as_const(inner) {
                    let inner = inner as u32;
                    if self.width(x) + inner <= 64 {
                        return match inner > by {
                            true => self.shl_by(x, inner - by),
                            false => self.shr_by(x, by - inner),
                        };
                    }
                }
            }
            Op::Or(x, y) => {
                if self.width(x) <= by {
                    return self.shr_by(y, by);
                }
                if self.width(y) <= by {
                    return self.shr_by(x, by);
                }
            }
            _ => {}
        }
        let amount = self.constant(u64::from(by));
        self.make(Op::Shr(a, amount), bits - by)
    }

    pub fn sar(&mut self, a: Limb, by: Limb) -> Limb {
        if self.width(a) < 64 {
            return self.shr(a, by);
        }
        match self.both(a, by) {
            Some((a, by)) => self.constant(((a as i64) >> (by & 63)) as u64),
            None => self.make(Op::Sar(a, by), 64),
        }
    }

    pub fn eq(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(u64::from(x == y));
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(1);
        }
        match self.as_const(b) {
            Some(value) if value > mask(self.width(a)) => self.constant(0),
            Some(1) if self.is_bool(a) => a,
            Some(0) if self.is_bool(a) => self.not(a, 1),
            _ => self.make(Op::Eq(a, b), 1),
        }
    }

    pub fn ne(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(u64::from(x != y));
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.constant(0);
        }
        match self.as_const(b) {
            Some(value) if value > mask(self.width(a)) => self.constant(1),
            Some(1) if self.is_bool(a) => self.not(a, 1),
            Some(0) if self.is_bool(a) => a,
            _ => self.make(Op::Ne(a, b), 1),
        }
    }

    pub fn ult(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(u64::from(x < y));
        }
        match (self.as_const(a), self.as_const(b)) {
            _ if a == b => self.constant(0),
            (_, Some(0)) => self.constant(0),
            (Some(0), _) => {
                let zero = self.constant(0);
                self.ne(b, zero)
            }
            (_, Some(1)) => {
                let zero = self.constant(0);
                self.eq(a, zero)
            }
            (_, Some(value)) if value > mask(self.width(a)) => self.constant(1),
            (Some(value), _) if value >= mask(self.width(b)) => self.constant(0),
            _ => self.make(Op::Ult(a, b), 1),
        }
    }

    pub fn ule(&mut self, a: Limb, b: Limb) -> Limb {
        if let Some((x, y)) = self.both(a, b) {
            return self.constant(u64::from(x <= y));
        }
        match (self.as_const(a), self.as_const(b)) {
            _ if a == b => self.constant(1),
            (Some(0), _) => self.constant(1),
            (_, Some(0)) => self.eq(a, b),
            (_, Some(value)) if value >= mask(self.width(a)) => self.constant(1),
            (Some(value), _) if value > mask(self.width(b)) => self.constant(0),
            _ => self.make(Op::Ule(a, b), 1),
        }
    }

    pub fn slt(&mut self, a: Limb, b: Limb) -> Limb {
        match self.both(a, b) {
            Some((x, y)) => self.constant(u64::from((x as i64) < (y as i64))),
            None if a == b => self.constant(0),
            None => self.make(Op::Slt(a, b), 1),
        }
    }

    pub fn sle(&mut self, a: Limb, b: Limb) -> Limb {
        match self.both(a, b) {
            Some((x, y)) => self.constant(u64::from((x as i64) <= (y as i64))),
            None if a == b => self.constant(1),
            None => self.make(Op::Sle(a, b), 1),
        }
    }

    /// `condition` (one bit) ? `yes` : `no`.
    pub fn select(&mut self, condition: Limb, yes: Limb, no: Limb) -> Limb {
        if yes == no {
            return yes;
        }
        if let Some(condition) = self.as_const(condition) {
            return if condition & 1 == 1 { yes } else { no };
        }
        if let Op::Xor(x, one) = self.ops[condition] {
            if self.as_const(one) == Some(1) {
                return self.select(x, no, yes);
            }
        }
        if self.is_bool(yes) && self.is_bool(no) {
            match (self.as_const(yes), self.as_const(no)) {
                (Some(1), _) => return self.or(condition, no),
                (_, Some(0)) => return self.and(condition, yes),
                (Some(0), _) => {
                    let not = self.not(condition, 1);
                    return self.and(not, no);
                }
                (_, Some(1)) => {
                    let not = self.not(condition, 1);
                    return self.or(not, yes);
                }
                _ => {}
            }
        }
        let bits = self.width(yes).max(self.width(no));
        self.make(Op::Select(condition, yes, no), bits)
    }

    pub fn count(&mut self, a: Limb) -> Limb {
        match self.as_const(a) {
            Some(value) => self.constant(u64::from(value.count_ones())),
            None if self.is_bool(a) => a,
            None => self.make(Op::Count(a), 7),
        }
    }
}
