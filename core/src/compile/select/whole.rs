//! Results of which passes keep only the bits that change, made whole again.
//!
//! For hardware, narrow operations are better: `x + 54` is a sum of the bits above the lowest one, beside that bit. Here both take one
//! operation, but the parts must be put together behind it.

use super::super::code::Reg;
use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::interpreter::low;
use crate::isa::{Compute, Operand};

/// What a register was made of.
#[derive(Clone, Copy, Debug)]
pub struct Computed {
    /// Which operation.
    pub op: Compute,
    /// Bits of the result.
    pub width: u8,
    /// The first operand.
    pub a: Operand<Reg>,
    /// The second one.
    pub b: Operand<Reg>,
}

/// A number added to pieces; the sum has `width` bits.
pub struct Sum {
    /// The first operand, of at most so many bits.
    pub base: Pieces,
    /// What is added.
    pub number: u64,
    /// How many bits count.
    pub width: u32,
}

impl Sum {
    /// No bits are lost, so that more of them would be zeros.
    pub fn is_exact(&self) -> bool {
        let most = match pieces::width(&self.base) {
            64.. => u64::MAX,
            bits => low(u64::MAX, bits as u8),
        };
        let sum = u128::from(most) + u128::from(self.number);
        sum >> self.width == 0
    }
}

impl Select<'_> {
    /// All of a register that an operation has made, and how.
    fn made_by(&self, piece: &Piece) -> Option<Computed> {
        let Piece::Field(field) = piece else {
            return None;
        };
        let computed = *self.computed.get(&field.reg)?;
        (field.lo == 0 && field.width == computed.width && !field.swapped).then_some(computed)
    }

    /// Pieces as a sum: the highest but for zeros is one, and what stands below goes on with its operand.
    pub(super) fn as_sum(&self, all: &[Piece]) -> Option<Sum> {
        let above = all.iter().rev().take_while(|piece| piece.is_zero()).count();
        let (top, below) = all[..all.len() - above].split_last()?;
        let computed = self.made_by(top)?;
        let (Compute::Add, Operand::Field(field), Operand::Number(number)) =
            (computed.op, computed.a, computed.b)
        else {
            return None;
        };
        let shift = pieces::width(below);
        let width = shift + u32::from(computed.width);
        if field.signed || field.width > computed.width || width > 64 {
            return None;
        }
        let mut base = below.to_vec();
        pieces::push(&mut base, Piece::Field(field));
        let number = low(number, computed.width) << shift;
        Some(Sum {
            base,
            number,
            width,
        })
    }

    /// Pieces as the low bits of one operand, under the rest of it.
    fn as_low_bits(&self, all: &[Piece]) -> Option<Computed> {
        let (lowest, above) = all.split_first()?;
        let computed = self.made_by(lowest)?;
        if !matches!(computed.op, Compute::Or | Compute::Xor) || above.is_empty() {
            return None;
        }
        let width = pieces::width(all);
        let fits = |operand: &Operand<Reg>| match operand {
            Operand::Field(field) => !field.signed && field.width <= computed.width,
            Operand::Number(number) => *number == low(*number, computed.width),
        };
        [(computed.a, computed.b), (computed.b, computed.a)]
            .into_iter()
            .find_map(|(a, b)| {
                let Operand::Field(field) = a else {
                    return None;
                };
                if field.signed || field.width != computed.width || !fits(&b) {
                    return None;
                }
                let mut whole = vec![Piece::Field(field)];
                above
                    .iter()
                    .for_each(|piece| pieces::push(&mut whole, *piece));
                let [Piece::Field(field)] = whole[..] else {
                    return None;
                };
                let (width, a) = (width as u8, Operand::Field(field));
                Some(Computed {
                    width,
                    a,
                    b,
                    ..computed
                })
            })
    }

    /// Pieces that one operation makes whole, without zeros above; a register that holds them.
    pub(super) fn made_whole(&mut self, all: &[Piece]) -> Option<Reg> {
        if all.len() < 2 {
            return None;
        }
        let computed = match self.as_low_bits(all) {
            Some(computed) => computed,
            None => {
                let sum = self.as_sum(all)?;
                let one = sum.base.iter().filter(|piece| !piece.is_zero()).count();
                if one != 1 {
                    return None;
                }
                Computed {
                    op: Compute::Add,
                    width: sum.width as u8,
                    a: self.operand(&sum.base),
                    b: Operand::Number(sum.number),
                }
            }
        };
        let Computed { op, width, a, b } = computed;
        let made = self.compute(op, width, a, b);
        match made[..] {
            [Piece::Field(field)] => Some(field.reg),
            _ => unreachable!("a result is one register"),
        }
    }
}
