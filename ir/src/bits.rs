//! Bit vectors of any width from 1 up, as constants and as the interpreter's values.
//!
//! The operations mean what the operations of the same name at [`crate::Op`] mean. Those of two operands panic when
//! the widths differ: the verifier has made sure that they do not.

use smallvec::SmallVec;

/// A bit vector: `width` bits in little-endian 64-bit limbs. Bits above the width are always 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    limbs: SmallVec<[u64; 2]>,
}

impl Bits {
    /// All bits 0.
    pub fn zero(width: u32) -> Bits {
        assert!(width > 0, "a bit vector has at least one bit");
        Bits {
            width,
            limbs: SmallVec::from_elem(0, width.div_ceil(64) as usize),
        }
    }

    /// All bits 1.
    pub fn ones(width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        bits.limbs.iter_mut().for_each(|limb| *limb = u64::MAX);
        bits.trim();
        bits
    }

    /// The low `width` bits of `value`, extended with zeros.
    pub fn from_u64(value: u64, width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        bits.limbs[0] = value;
        bits.trim();
        bits
    }

    /// From limbs, least significant first; what does not fit the width is cut off.
    pub fn from_limbs(limbs: &[u64], width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        for (to, from) in bits.limbs.iter_mut().zip(limbs) {
            *to = *from;
        }
        bits.trim();
        bits
    }

    /// From bytes, byte 0 in the least significant place.
    pub fn from_bytes(bytes: &[u8]) -> Bits {
        let mut bits = Bits::zero(bytes.len() as u32 * 8);
        for (i, byte) in bytes.iter().enumerate() {
            bits.limbs[i / 8] |= u64::from(*byte) << (i % 8 * 8);
        }
        bits
    }

    /// From hexadecimal digits without prefix. `None`: another character, no digit, or more than `width` bits.
    pub fn parse_hex(digits: &str, width: u32) -> Option<Bits> {
        let mut bits = Bits::zero(width);
        for (i, digit) in digits.chars().rev().enumerate() {
            let digit = digit.to_digit(16)?;
            for j in 0..4 {
                if digit >> j & 1 == 1 {
                    let index = u32::try_from(i * 4).ok()? + j;
                    if index >= width {
                        return None;
                    }
                    bits.set_bit(index, true);
                }
            }
        }
        (!digits.is_empty()).then_some(bits)
    }

    /// The bytes, least significant first; the last one is filled up with zeros.
    pub fn to_bytes(&self) -> Vec<u8> {
        (0..self.width.div_ceil(8) as usize)
            .map(|i| (self.limbs[i / 8] >> (i % 8 * 8)) as u8)
            .collect()
    }

    /// In bits, at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// 64 bits each, least significant first. Bits above the width are 0.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|limb| *limb == 0)
    }

    /// Whether all bits are 1.
    pub fn is_ones(&self) -> bool {
        *self == Bits::ones(self.width)
    }

    /// Bit `index`, counted from the least significant one, 0. It must be below the width.
    pub fn bit(&self, index: u32) -> bool {
        self.limbs[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// Makes bit `index` 1 or 0. Panics when it is not below the width.
    pub fn set_bit(&mut self, index: u32, bit: bool) {
        assert!(index < self.width);
        let mask = 1 << (index % 64);
        if bit {
            self.limbs[index as usize / 64] |= mask;
        } else {
            self.limbs[index as usize / 64] &= !mask;
        }
    }

    /// The value, when it fits 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        self.limbs[1..]
            .iter()
            .all(|limb| *limb == 0)
            .then_some(self.limbs[0])
    }

    /// The least significant 64 bits.
    pub fn low_u64(&self) -> u64 {
        self.limbs[0]
    }

    /// The value, or `u64::MAX` when it is larger: what a shift takes as its distance.
    pub fn saturating_u64(&self) -> u64 {
        self.as_u64().unwrap_or(u64::MAX)
    }

    /// The sign bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Number of bits that are 1.
    pub fn count_ones(&self) -> u32 {
        self.limbs.iter().map(|limb| limb.count_ones()).sum()
    }

    /// Number of zeros above the highest 1; the width when there is none.
    pub fn leading_zeros(&self) -> u32 {
        let unused = self.limbs.len() as u32 * 64 - self.width;
        let mut zeros = 0;
        for limb in self.limbs.iter().rev() {
            zeros += limb.leading_zeros();
            if *limb != 0 {
                break;
            }
        }
        zeros - unused
    }

    /// Number of zeros below the lowest 1; the width when there is none.
    pub fn trailing_zeros(&self) -> u32 {
        let mut zeros = 0;
        for limb in &self.limbs {
            zeros += limb.trailing_zeros();
            if *limb != 0 {
                break;
            }
        }
        zeros.min(self.width)
    }

    /// Sum modulo 2^width.
    pub fn add(&self, other: &Bits) -> Bits {
        self.check_width(other);
        let mut result = self.clone();
        let mut carry = false;
        for (to, from) in result.limbs.iter_mut().zip(&other.limbs) {
            let (sum, over) = to.overflowing_add(*from);
            let (sum, over_too) = sum.overflowing_add(u64::from(carry));
            *to = sum;
            carry = over || over_too;
        }
        result.trim();
        result
    }

    /// Difference modulo 2^width.
    pub fn sub(&self, other: &Bits) -> Bits {
        self.check_width(other);
        let mut result = self.clone();
        let mut borrow = false;
        for (to, from) in result.limbs.iter_mut().zip(&other.limbs) {
            let (difference, under) = to.overflowing_sub(*from);
            let (difference, under_too) = difference.overflowing_sub(u64::from(borrow));
            *to = difference;
            borrow = under || under_too;
        }
        result.trim();
        result
    }

    /// Two's complement.
    pub fn neg(&self) -> Bits {
        Bits::zero(self.width).sub(self)
    }

    /// Product modulo 2^width.
    pub fn mul(&self, other: &Bits) -> Bits {
        self.check_width(other);
        let mut result = Bits::zero(self.width);
        let length = result.limbs.len();
        for (i, a) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.limbs[..length - i].iter().enumerate() {
                let to = &mut result.limbs[i + j];
                let sum = u128::from(*a) * u128::from(*b) + u128::from(*to) + carry;
                *to = sum as u64;
                carry = sum >> 64;
            }
        }
        result.trim();
        result
    }

    /// Unsigned quotient; 0 when the divisor is 0 (RFC 9669 section 4.1).
    pub fn udiv(&self, divisor: &Bits) -> Bits {
        if divisor.is_zero() {
            return Bits::zero(self.width);
        }
        self.divide(divisor).0
    }

    /// Unsigned remainder; the dividend when the divisor is 0.
    pub fn urem(&self, divisor: &Bits) -> Bits {
        if divisor.is_zero() {
            return self.clone();
        }
        self.divide(divisor).1
    }

    /// Signed quotient, rounded to zero; 0 when the divisor is 0. The most negative number by -1 gives itself.
    pub fn sdiv(&self, divisor: &Bits) -> Bits {
        let quotient = self.magnitude().udiv(&divisor.magnitude());
        if self.is_negative() != divisor.is_negative() {
            quotient.neg()
        } else {
            quotient
        }
    }

    /// Signed remainder with the dividend's sign; the dividend when the divisor is 0.
    pub fn srem(&self, divisor: &Bits) -> Bits {
        let remainder = self.magnitude().urem(&divisor.magnitude());
        if self.is_negative() {
            remainder.neg()
        } else {
            remainder
        }
    }

    /// Bit by bit: 1 where both are.
    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    /// Bit by bit: 1 where one of them is, or both.
    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    /// Bit by bit: 1 where they differ.
    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b)
    }

    /// Every bit inverted.
    pub fn not(&self) -> Bits {
        let mut result = self.clone();
        result.limbs.iter_mut().for_each(|limb| *limb = !*limb);
        result.trim();
        result
    }

    /// Shifted left; zeros come in. Too far gives 0.
    pub fn shl(&self, distance: u64) -> Bits {
        let mut result = Bits::zero(self.width);
        if distance >= u64::from(self.width) {
            return result;
        }
        let (limbs, bits) = (distance as usize / 64, distance % 64);
        for i in limbs..result.limbs.len() {
            let from = i - limbs;
            result.limbs[i] = self.limbs[from] << bits;
            if bits > 0 && from > 0 {
                result.limbs[i] |= self.limbs[from - 1] >> (64 - bits);
            }
        }
        result.trim();
        result
    }

    /// Shifted right; zeros come in. Too far gives 0.
    pub fn lshr(&self, distance: u64) -> Bits {
        if distance >= u64::from(self.width) {
            return Bits::zero(self.width);
        }
        self.window(distance as u32, self.width)
    }

    /// Shifted right; copies of the sign bit come in. Too far gives all sign bits.
    pub fn ashr(&self, distance: u64) -> Bits {
        if !self.is_negative() {
            return self.lshr(distance);
        }
        self.not().lshr(distance).not()
    }

    /// Unsigned `self < other`.
    pub fn ult(&self, other: &Bits) -> bool {
        self.check_width(other);
        self.limbs.iter().rev().lt(other.limbs.iter().rev())
    }

    /// Unsigned `self <= other`.
    pub fn ule(&self, other: &Bits) -> bool {
        !other.ult(self)
    }

    /// Signed `self < other`.
    pub fn slt(&self, other: &Bits) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    /// Signed `self <= other`.
    pub fn sle(&self, other: &Bits) -> bool {
        !other.slt(self)
    }

    /// Bits `lo + width - 1 .. lo`. Panics when they are not all inside.
    pub fn slice(&self, lo: u32, width: u32) -> Bits {
        assert!(
            u64::from(lo) + u64::from(width) <= u64::from(self.width),
            "a slice lies inside its value"
        );
        self.window(lo, width)
    }

    /// All parts side by side, the first one in the most significant place. Panics when there is none.
    pub fn concat(parts: &[Bits]) -> Bits {
        let mut result = Bits::zero(parts.iter().map(Bits::width).sum());
        let mut at = 0;
        for part in parts.iter().rev() {
            result.place(at, part);
            at += part.width;
        }
        result
    }

    /// Extended with zeros. Panics when `width` is smaller than this one's.
    pub fn zext(&self, width: u32) -> Bits {
        assert!(width >= self.width, "an extension does not cut");
        Bits::from_limbs(&self.limbs, width)
    }

    /// Extended with the sign bit. Panics when `width` is smaller than this one's.
    pub fn sext(&self, width: u32) -> Bits {
        if self.is_negative() {
            self.not().zext(width).not()
        } else {
            self.zext(width)
        }
    }

    /// The low `width` bits. Panics when there are not so many.
    pub fn trunc(&self, width: u32) -> Bits {
        self.slice(0, width)
    }

    /// Bits from `lo` up, zeros where there are none; `lo` is below the width.
    fn window(&self, lo: u32, width: u32) -> Bits {
        let mut result = Bits::zero(width);
        let (limbs, bits) = (lo as usize / 64, lo % 64);
        for (i, to) in result.limbs.iter_mut().enumerate() {
            let limb = |index: usize| self.limbs.get(index).copied().unwrap_or(0);
            *to = limb(i + limbs) >> bits;
            if bits > 0 {
                *to |= limb(i + limbs + 1) << (64 - bits);
            }
        }
        result.trim();
        result
    }

    /// Sets the zero bits from `lo` up to those of `part`.
    fn place(&mut self, lo: u32, part: &Bits) {
        let (limbs, bits) = (lo as usize / 64, lo % 64);
        for (i, from) in part.limbs.iter().enumerate() {
            self.limbs[i + limbs] |= from << bits;
            let high = if bits > 0 { from >> (64 - bits) } else { 0 };
            if high != 0 {
                self.limbs[i + limbs + 1] |= high;
            }
        }
    }

    /// Quotient and remainder, unsigned, by a divisor that is not 0.
    fn divide(&self, divisor: &Bits) -> (Bits, Bits) {
        self.check_width(divisor);
        if let (Some(a), Some(b)) = (self.as_u64(), divisor.as_u64()) {
            return (
                Bits::from_u64(a / b, self.width),
                Bits::from_u64(a % b, self.width),
            );
        }
        // One bit more, because the doubled remainder may need it before the divisor is taken off.
        let wide_divisor = divisor.zext(self.width + 1);
        let mut quotient = Bits::zero(self.width);
        let mut remainder = Bits::zero(self.width + 1);
        for index in (0..self.width - self.leading_zeros()).rev() {
            remainder = remainder.shl(1);
            remainder.set_bit(0, self.bit(index));
            if wide_divisor.ule(&remainder) {
                remainder = remainder.sub(&wide_divisor);
                quotient.set_bit(index, true);
            }
        }
        (quotient, remainder.trunc(self.width))
    }

    fn magnitude(&self) -> Bits {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    fn zip(&self, other: &Bits, function: impl Fn(u64, u64) -> u64) -> Bits {
        self.check_width(other);
        let mut result = self.clone();
        for (to, from) in result.limbs.iter_mut().zip(&other.limbs) {
            *to = function(*to, *from);
        }
        result
    }

    fn check_width(&self, other: &Bits) {
        assert_eq!(self.width, other.width, "operands of one width");
    }

    fn trim(&mut self) {
        let used = self.width % 64;
        if used != 0 {
            *self.limbs.last_mut().unwrap() &= u64::MAX >> (64 - used);
        }
    }
}

/// `0x…` without the width; `parse_hex` reads it.
impl std::fmt::LowerHex for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let top = self.limbs.iter().rposition(|limb| *limb != 0).unwrap_or(0);
        write!(f, "0x{:x}", self.limbs[top])?;
        for limb in self.limbs[..top].iter().rev() {
            write!(f, "{limb:016x}")?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// `0x…:width`.
impl std::fmt::Display for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:x}:{}", self.width)
    }
}
