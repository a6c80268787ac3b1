//! Values as pieces of registers: what is cut out, put together, shifted or swapped costs nothing until somebody needs it whole.

use super::super::code::Reg;
use crate::interpreter::low;
use crate::isa::Field;

/// Bits of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Piece {
    /// Some of a register; never `signed`.
    Field(Field<Reg>),
    /// So many bits of a number; the rest are zeros.
    Number(u64, u8),
}

/// A value, the lowest bits first.
pub type Pieces = Vec<Piece>;

impl Piece {
    /// How many bits.
    pub fn width(&self) -> u8 {
        match *self {
            Piece::Field(field) => field.width,
            Piece::Number(_, width) => width,
        }
    }

    /// All of them are zeros.
    pub fn is_zero(&self) -> bool {
        matches!(self, Piece::Number(0, _))
    }

    /// The low bits of a register.
    pub fn of(reg: Reg, width: u8) -> Piece {
        Piece::Field(Field {
            width,
            ..Field::whole(reg)
        })
    }

    /// Some of its bits, as pieces: a swapped field can fall into several.
    fn slice(&self, lo: u8, width: u8) -> Pieces {
        let field = match *self {
            Piece::Number(number, _) => {
                return vec![Piece::Number(low(number >> lo, width), width)]
            }
            Piece::Field(field) => field,
        };
        let part = |lo: u8, width: u8, swapped: bool| {
            Piece::Field(Field {
                lo,
                width,
                swapped,
                ..field
            })
        };
        if !field.swapped {
            return vec![part(field.lo + lo, width, false)];
        }
        if lo.is_multiple_of(8) && width.is_multiple_of(8) {
            let first = field.lo + field.width - lo - width;
            return vec![part(first, width, width > 8)];
        }
        let mut pieces = Vec::new();
        let (mut at, end) = (lo, lo + width);
        while at < end {
            let next = ((at / 8 + 1) * 8).min(end);
            let byte = field.lo + field.width - 8 * (at / 8 + 1);
            pieces.push(part(byte + at % 8, next - at, false));
            at = next;
        }
        pieces
    }

    /// Both as one, when they are; `self` has the lower bits.
    fn join(&self, above: &Piece) -> Option<Piece> {
        let width = self.width() + above.width();
        if width > 64 {
            return None;
        }
        match (*self, *above) {
            (Piece::Number(low, bits), Piece::Number(high, _)) => {
                Some(Piece::Number(low | high << bits, width))
            }
            (Piece::Field(low), Piece::Field(high)) if low.reg == high.reg => {
                let is_plain = |field: &Field<Reg>| !field.swapped;
                let is_bytes = |field: &Field<Reg>| field.swapped || field.width == 8;
                let joined = |lo: u8, swapped: bool| {
                    Some(Piece::Field(Field {
                        lo,
                        width,
                        swapped,
                        ..low
                    }))
                };
                if is_plain(&low) && is_plain(&high) && low.lo + low.width == high.lo {
                    return joined(low.lo, false);
                }
                let in_order = high.lo + high.width == low.lo;
                match in_order && is_bytes(&low) && is_bytes(&high) {
                    true => joined(high.lo, true),
                    false => None,
                }
            }
            _ => None,
        }
    }
}

/// Adds a piece above all others.
pub fn push(pieces: &mut Pieces, piece: Piece) {
    if piece.width() == 0 {
        return;
    }
    match pieces.last().and_then(|last| last.join(&piece)) {
        Some(joined) => *pieces.last_mut().expect("it was joined") = joined,
        None => pieces.push(piece),
    }
}

/// Bits of them all.
pub fn width(pieces: &[Piece]) -> u32 {
    pieces.iter().map(|piece| u32::from(piece.width())).sum()
}

/// So many zeros.
pub fn zeros(mut bits: u32) -> Pieces {
    let mut all = Vec::new();
    while bits > 0 {
        let width = bits.min(64);
        all.push(Piece::Number(0, width as u8));
        bits -= width;
    }
    all
}

/// Bits `lo` to `lo + bits − 1`; zeros above the highest.
pub fn slice(pieces: &[Piece], lo: u32, bits: u32) -> Pieces {
    let mut found = Vec::new();
    let (mut at, end) = (0_u32, lo + bits);
    for piece in pieces {
        let (first, last) = (at.max(lo), (at + u32::from(piece.width())).min(end));
        if first < last {
            for part in piece.slice((first - at) as u8, (last - first) as u8) {
                push(&mut found, part);
            }
        }
        at += u32::from(piece.width());
    }
    for zero in zeros(bits - width(&found)) {
        push(&mut found, zero);
    }
    found
}

/// The number that they are; `None`: a register is among them, or bits above 64 are ones.
pub fn number(pieces: &[Piece]) -> Option<u64> {
    let mut sum = 0;
    let mut at = 0;
    for piece in pieces {
        let Piece::Number(number, bits) = *piece else {
            return None;
        };
        let is_inside = number == 0 || at + 64 - number.leading_zeros() <= 64;
        if number != 0 && is_inside {
            sum |= number << at;
        } else if number != 0 {
            return None;
        }
        at += u32::from(bits);
    }
    Some(sum)
}

/// They are all zeros.
pub fn is_zero(pieces: &[Piece]) -> bool {
    pieces.iter().all(Piece::is_zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::low;
    use hardpath_testkit::Random;

    /// The bits of pieces of registers that hold these numbers.
    fn value(pieces: &[Piece], registers: &[u64]) -> u128 {
        let (mut sum, mut at) = (0_u128, 0);
        for piece in pieces {
            let bits = match *piece {
                Piece::Number(number, _) => number,
                Piece::Field(field) => {
                    let register = registers[field.reg.as_u32() as usize];
                    let bits = low(register >> field.lo, field.width);
                    match field.swapped {
                        true => bits.swap_bytes() >> (64 - field.width),
                        false => bits,
                    }
                }
            };
            sum |= u128::from(bits) << at;
            at += u32::from(piece.width());
        }
        sum
    }

    #[test]
    fn slices_of_joined_pieces_are_slices_of_their_bits() {
        let mut random = Random::new(7);
        for _ in 0..20_000 {
            let registers = [random.next(), random.next()];
            let (mut pieces, mut expected, mut at) = (Vec::new(), 0_u128, 0_u32);
            while at < 96 {
                let bits = [1, 8, 8, 8, 16, 5][random.below(6) as usize].min(128 - at);
                let lo = match random.below(3) {
                    0 => random.below(u64::from(65 - bits)) as u8,
                    _ => (random.below(u64::from((64 - bits) / 8 + 1)) * 8) as u8,
                };
                let piece = match random.below(5) {
                    0 => Piece::Number(low(random.next(), bits as u8), bits as u8),
                    _ => Piece::Field(Field {
                        lo,
                        width: bits as u8,
                        ..Field::whole(Reg::from_u32(random.below(2) as u32))
                    }),
                };
                expected |= value(&[piece], &registers) << at;
                push(&mut pieces, piece);
                at += bits;
            }
            assert_eq!(value(&pieces, &registers), expected, "{pieces:?}");
            let lo = random.below(90) as u32;
            let bits = random.below(100).min(127 - u64::from(lo)) as u32;
            let part = slice(&pieces, lo, bits);
            let mask = (1_u128 << bits) - 1;
            assert_eq!(
                value(&part, &registers),
                expected >> lo & mask,
                "{pieces:?} {lo} {bits}"
            );
            assert_eq!(width(&part), bits);
        }
    }
}
