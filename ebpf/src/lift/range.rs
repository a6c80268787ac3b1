//! Bounds of numbers: the smallest and the largest that a value may be, unsigned and signed.

/// Bounds of a value of `width` bits (1 to 64). Both pairs hold at once. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub width: u32,
    pub low: u64,
    pub high: u64,
    pub signed_low: i64,
    pub signed_high: i64,
}

impl Range {
    /// Any number of that width.
    pub fn full(width: u32) -> Range {
        Range {
            width,
            low: 0,
            high: mask(width),
            signed_low: i64::MIN >> (64 - width),
            signed_high: i64::MAX >> (64 - width),
        }
    }

    /// One number.
    pub fn exactly(number: u64, width: u32) -> Range {
        Range::unsigned(number & mask(width), number & mask(width), width)
    }

    /// From `low` to `high`, both included; `low <= high`.
    pub fn unsigned(low: u64, high: u64, width: u32) -> Range {
        let full = Range::full(width);
        Range { low, high, ..full }.settled().unwrap_or(full)
    }

    /// From `low` to `high` as signed numbers; `low <= high`.
    pub fn signed(low: i64, high: i64, width: u32) -> Range {
        let full = Range::full(width);
        let bounds = Range {
            signed_low: low,
            signed_high: high,
            ..full
        };
        bounds.settled().unwrap_or(full)
    }

    pub fn is_full(&self) -> bool {
        *self == Range::full(self.width)
    }

    /// The only number there is.
    pub fn single(&self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Every number of both.
    pub fn hull(self, other: Range) -> Range {
        Range {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            signed_low: self.signed_low.min(other.signed_low),
            signed_high: self.signed_high.max(other.signed_high),
        }
    }

    /// At least as wide: the bounds go on to the next of some numbers, or as far as they can.
    pub fn widened(self, steps: &[i64]) -> Range {
        let full = Range::full(self.width);
        let unsigned = || steps.iter().map(|step| *step as u64 & mask(self.width));
        let signed = || steps.iter().copied();
        let is_inside = |step: &i64| (full.signed_low..=full.signed_high).contains(step);
        let widened = Range {
            width: self.width,
            low: unsigned()
                .filter(|step| *step <= self.low)
                .max()
                .unwrap_or(0),
            high: unsigned()
                .filter(|step| *step >= self.high)
                .min()
                .unwrap_or(full.high),
            signed_low: signed()
                .filter(|step| *step <= self.signed_low && is_inside(step))
                .max()
                .unwrap_or(full.signed_low),
            signed_high: signed()
                .filter(|step| *step >= self.signed_high && is_inside(step))
                .min()
                .unwrap_or(full.signed_high),
        };
        widened.settled().unwrap_or(full)
    }

    /// The numbers that are in both; `None` when there are none.
    pub fn meet(self, other: Range) -> Option<Range> {
        let bounds = Range {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            signed_low: self.signed_low.max(other.signed_low),
            signed_high: self.signed_high.min(other.signed_high),
        };
        bounds.settled()
    }

    /// Lets each pair of bounds tighten the other one. `None`: no number is inside.
    fn settled(mut self) -> Option<Range> {
        // Once from signed to unsigned and back is enough: each step only uses a pair that lies in one half.
        for _ in 0..2 {
            let top = 1u64 << (self.width - 1);
            if (self.low >= top) == (self.high >= top) {
                self.signed_low = self.signed_low.max(self.sign_extended(self.low));
                self.signed_high = self.signed_high.min(self.sign_extended(self.high));
            }
            if (self.signed_low < 0) == (self.signed_high < 0) {
                self.low = self.low.max(self.signed_low as u64 & mask(self.width));
                self.high = self.high.min(self.signed_high as u64 & mask(self.width));
            }
        }
        let is_empty = self.low > self.high || self.signed_low > self.signed_high;
        (!is_empty).then_some(self)
    }

    fn sign_extended(&self, number: u64) -> i64 {
        (number << (64 - self.width)) as i64 >> (64 - self.width)
    }

    /// Without one number, where that is at a bound. `None`: no number is left.
    pub fn without(self, number: u64) -> Option<Range> {
        let mut rest = self;
        if rest.low == number {
            rest.low = rest.low.checked_add(1)?;
        }
        if rest.high == number {
            rest.high = rest.high.checked_sub(1)?;
        }
        let signed = self.sign_extended(number);
        if rest.signed_low == signed {
            rest.signed_low = rest.signed_low.checked_add(1)?;
        }
        if rest.signed_high == signed {
            rest.signed_high = rest.signed_high.checked_sub(1)?;
        }
        rest.settled()
    }

    /// What `x < self` (or `x <= self`, when not strictly) says about x. `None`: there is no such x.
    pub fn at_most(self, strictly: bool) -> Option<Range> {
        let high = self.high.checked_sub(u64::from(strictly))?;
        Some(Range::unsigned(0, high, self.width))
    }

    /// What `x > self` (or `x >= self`) says about x.
    pub fn at_least(self, strictly: bool) -> Option<Range> {
        let low = self.low.checked_add(u64::from(strictly))?;
        (low <= mask(self.width)).then(|| Range::unsigned(low, mask(self.width), self.width))
    }

    /// [`Range::at_most`] of signed numbers.
    pub fn signed_at_most(self, strictly: bool) -> Option<Range> {
        let full = Range::full(self.width);
        let high = self.signed_high.checked_sub(i64::from(strictly))?;
        (high >= full.signed_low).then(|| Range::signed(full.signed_low, high, self.width))
    }

    /// [`Range::at_least`] of signed numbers.
    pub fn signed_at_least(self, strictly: bool) -> Option<Range> {
        let full = Range::full(self.width);
        let low = self.signed_low.checked_add(i64::from(strictly))?;
        (low <= full.signed_high).then(|| Range::signed(low, full.signed_high, self.width))
    }

    /// Bounds from unsigned ones in 128 bits and signed ones, each only where nothing wraps around.
    fn from_exact(unsigned: (i128, i128), signed: (i128, i128), width: u32) -> Range {
        let full = Range::full(width);
        let mut bounds = full;
        if unsigned.0 >= 0 && unsigned.1 <= i128::from(full.high) {
            (bounds.low, bounds.high) = (unsigned.0 as u64, unsigned.1 as u64);
        }
        if signed.0 >= i128::from(full.signed_low) && signed.1 <= i128::from(full.signed_high) {
            (bounds.signed_low, bounds.signed_high) = (signed.0 as i64, signed.1 as i64);
        }
        bounds.settled().unwrap_or(full)
    }

    fn exact(&self) -> ((i128, i128), (i128, i128)) {
        (
            (i128::from(self.low), i128::from(self.high)),
            (i128::from(self.signed_low), i128::from(self.signed_high)),
        )
    }

    pub fn add(self, other: Range) -> Range {
        let ((low, high), (signed_low, signed_high)) = self.exact();
        let (unsigned, signed) = other.exact();
        let sum = Range::from_exact(
            (low + unsigned.0, high + unsigned.1),
            (signed_low + signed.0, signed_high + signed.1),
            self.width,
        );
        match (self.single(), other.single()) {
            (_, Some(number)) => self.turned(number).meet(sum).unwrap_or(sum),
            (Some(number), _) => other.turned(number).meet(sum).unwrap_or(sum),
            _ => sum,
        }
    }

    /// Plus one number, where either none of the sums wraps around or all do.
    fn turned(self, number: u64) -> Range {
        let low = self.low.wrapping_add(number) & mask(self.width);
        let high = self.high.wrapping_add(number) & mask(self.width);
        if low <= high && self.high - self.low < mask(self.width) {
            Range::unsigned(low, high, self.width)
        } else {
            Range::full(self.width)
        }
    }

    pub fn sub(self, other: Range) -> Range {
        let ((low, high), (signed_low, signed_high)) = self.exact();
        let (unsigned, signed) = other.exact();
        let difference = Range::from_exact(
            (low - unsigned.1, high - unsigned.0),
            (signed_low - signed.1, signed_high - signed.0),
            self.width,
        );
        match other.single() {
            Some(number) => {
                let turned = self.turned(number.wrapping_neg());
                turned.meet(difference).unwrap_or(difference)
            }
            None => difference,
        }
    }

    pub fn mul(self, other: Range) -> Range {
        let product = u128::from(self.high) * u128::from(other.high);
        match u64::try_from(product) {
            Ok(high) if high <= mask(self.width) => {
                Range::unsigned(self.low * other.low, high, self.width)
            }
            _ => Range::full(self.width),
        }
    }

    pub fn and(self, other: Range) -> Range {
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            return Range::exactly(a & b, self.width);
        }
        match (self.single(), other.single()) {
            (_, Some(bits)) => self.masked(bits),
            (Some(bits), _) => other.masked(bits),
            _ => Range::unsigned(0, self.high.min(other.high), self.width),
        }
    }

    /// `and` with one number.
    fn masked(self, bits: u64) -> Range {
        let high = self.high.min(bits);
        // Where only the lowest bits are kept and the others do not change, the order stays.
        if bits & bits.wrapping_add(1) == 0 && self.low & !bits == self.high & !bits {
            return Range::unsigned(self.low & bits, self.high & bits, self.width);
        }
        Range::unsigned(0, high, self.width)
    }

    pub fn or(self, other: Range) -> Range {
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            return Range::exactly(a | b, self.width);
        }
        let high = ones_up_to(self.high | other.high);
        Range::unsigned(self.low.max(other.low), high, self.width)
    }

    pub fn xor(self, other: Range) -> Range {
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            return Range::exactly(a ^ b, self.width);
        }
        Range::unsigned(0, ones_up_to(self.high | other.high), self.width)
    }

    pub fn udiv(self, divisor: Range) -> Range {
        // By zero gives zero.
        let low = match divisor.low {
            0 => 0,
            _ => self.low / divisor.high,
        };
        Range::unsigned(low, self.high / divisor.low.max(1), self.width)
    }

    pub fn urem(self, divisor: Range) -> Range {
        // Modulo zero gives the dividend.
        let high = match divisor.low {
            0 => self.high,
            _ => self.high.min(divisor.high - 1),
        };
        Range::unsigned(0, high, self.width)
    }

    pub fn shl(self, distance: Range) -> Range {
        let Some(distance) = distance.single() else {
            return Range::full(self.width);
        };
        let fits = distance < 64 && self.high <= mask(self.width) >> distance;
        if fits {
            Range::unsigned(self.low << distance, self.high << distance, self.width)
        } else {
            Range::full(self.width)
        }
    }

    pub fn lshr(self, distance: Range) -> Range {
        let shifted = |number: u64, distance: u64| {
            let distance = u32::try_from(distance).ok();
            distance
                .and_then(|distance| number.checked_shr(distance))
                .unwrap_or(0)
        };
        let (low, high) = (
            shifted(self.low, distance.high),
            shifted(self.high, distance.low),
        );
        Range::unsigned(low, high, self.width)
    }

    pub fn ashr(self, distance: Range) -> Range {
        let Some(distance) = distance.single() else {
            return Range::full(self.width);
        };
        let distance = distance.min(63);
        Range::signed(
            self.signed_low >> distance,
            self.signed_high >> distance,
            self.width,
        )
    }

    pub fn zext(self, width: u32) -> Range {
        Range::unsigned(self.low, self.high, width)
    }

    pub fn sext(self, width: u32) -> Range {
        Range::signed(self.signed_low, self.signed_high, width)
    }

    /// The low `width` bits.
    pub fn truncated(self, width: u32) -> Range {
        if self.high <= mask(width) {
            return Range::unsigned(self.low, self.high, width);
        }
        let full = Range::full(width);
        if self.signed_low >= full.signed_low && self.signed_high <= full.signed_high {
            return Range::signed(self.signed_low, self.signed_high, width);
        }
        full
    }

    /// Whether `self < other` (or `<=`) always holds or never; `None`: sometimes.
    pub fn below(self, other: Range, or_equal: bool) -> Option<bool> {
        decided(
            (u128::from(self.low), u128::from(self.high)),
            (u128::from(other.low), u128::from(other.high)),
            or_equal,
        )
    }

    pub fn signed_below(self, other: Range, or_equal: bool) -> Option<bool> {
        decided(
            (self.signed_low, self.signed_high),
            (other.signed_low, other.signed_high),
            or_equal,
        )
    }

    /// Whether both are always equal or never.
    pub fn equal(self, other: Range) -> Option<bool> {
        match (self.single(), other.single()) {
            (Some(a), Some(b)) => Some(a == b),
            _ => self.meet(other).is_none().then_some(false),
        }
    }
}

fn decided<T: Ord>(a: (T, T), b: (T, T), or_equal: bool) -> Option<bool> {
    if a.1 < b.0 || or_equal && a.1 == b.0 {
        Some(true)
    } else if a.0 > b.1 || !or_equal && a.0 == b.1 {
        Some(false)
    } else {
        None
    }
}

/// The largest number of `width` bits.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The smallest number of the form 2^n − 1 that is not below a number.
fn ones_up_to(number: u64) -> u64 {
    u64::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Range;
    use hardpath_ir::eval::eval_pure;
    use hardpath_ir::{Bits, Op};

    /// Every operation on every pair of ranges of 3 bits holds what it must.
    #[test]
    fn ranges_hold_every_result() {
        type Transfer = fn(Range, Range) -> Range;
        let operations: [(Op, Transfer); 11] = [
            (Op::Add, Range::add),
            (Op::Sub, Range::sub),
            (Op::Mul, Range::mul),
            (Op::And, Range::and),
            (Op::Or, Range::or),
            (Op::Xor, Range::xor),
            (Op::UDiv, Range::udiv),
            (Op::URem, Range::urem),
            (Op::Shl, Range::shl),
            (Op::LShr, Range::lshr),
            (Op::AShr, Range::ashr),
        ];
        let unsigned =
            (0..8).flat_map(|low| (low..8).map(move |high| Range::unsigned(low, high, 3)));
        let signed = (-4..4).flat_map(|low| (low..4).map(move |high| Range::signed(low, high, 3)));
        let all: Vec<Range> = unsigned.chain(signed).collect();
        for (op, transfer) in &operations {
            for a in &all {
                for b in &all {
                    let result = transfer(*a, *b);
                    for x in (0..8).filter(|x| holds(a, *x)) {
                        for y in (0..8).filter(|y| holds(b, *y)) {
                            let bits = [Bits::from_u64(x, 3), Bits::from_u64(y, 3)];
                            let exact = eval_pure(op, &bits, 3).unwrap().low_u64();
                            assert!(holds(&result, exact), "{op:?} {a:?} {b:?}: {x}, {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_agree_with_every_pair() {
        let all: Vec<Range> = (-4..4)
            .flat_map(|low| (low..4).map(move |high| Range::signed(low, high, 3)))
            .chain((0..8).flat_map(|low| (low..8).map(move |high| Range::unsigned(low, high, 3))))
            .collect();
        for a in &all {
            for b in &all {
                for x in (0..8).filter(|x| holds(a, *x)) {
                    for y in (0..8).filter(|y| holds(b, *y)) {
                        let signed = |n: u64| (n << 61) as i64;
                        let checks = [
                            (a.below(*b, false), x < y),
                            (a.below(*b, true), x <= y),
                            (a.signed_below(*b, false), signed(x) < signed(y)),
                            (a.signed_below(*b, true), signed(x) <= signed(y)),
                            (a.equal(*b), x == y),
                        ];
                        for (known, exact) in checks {
                            assert!(known.is_none_or(|known| known == exact));
                        }
                        if x == y {
                            assert!(holds(&a.meet(*b).unwrap(), x));
                        }
                        let rest = a.without(y);
                        assert!(x == y || rest.is_some_and(|rest| holds(&rest, x)));
                        assert!(holds(&a.hull(*b), x) && holds(&a.hull(*b), y));
                        assert!(holds(&a.widened(&[y as i64, signed(y) >> 61]), x));
                    }
                }
            }
        }
    }

    fn holds(range: &Range, number: u64) -> bool {
        let signed = (number << 61) as i64 >> 61;
        (range.low..=range.high).contains(&number)
            && (range.signed_low..=range.signed_high).contains(&signed)
    }
}
