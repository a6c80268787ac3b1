//! Values as sums: a number, and unknowns with factors, modulo 2^width.
//!
//! An unknown is the result of an operation that no sum tells. Two of them are the same when one operation has made them of the same
//! sums, so that a length that is computed at two places goes away where one is taken from the other.

use hardpath_ir::eval::eval_pure;
use hardpath_ir::{Bits, Op, Value};
use std::collections::{BTreeMap, HashMap};

/// The widest value that is followed.
pub const MOST_BITS: u32 = 64;

/// A number that nobody knows, by its place among all.
pub type Unknown = u32;

/// A sum modulo 2^width.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Form {
    pub width: u32,
    pub number: u64,
    /// Factors, none of them 0.
    pub unknowns: BTreeMap<Unknown, u64>,
}

/// What an unknown is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Source {
    Value(Value),
    Made(Op, Vec<Form>, u32),
}

/// All unknowns.
#[derive(Default)]
pub struct Unknowns {
    numbers: HashMap<Source, Unknown>,
    sources: Vec<(Source, u32)>,
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (MOST_BITS - width)
}

impl Form {
    pub fn number(number: u64, width: u32) -> Form {
        Form {
            width,
            number: number & mask(width),
            unknowns: BTreeMap::new(),
        }
    }

    pub fn known(&self) -> Option<u64> {
        self.unknowns.is_empty().then_some(self.number)
    }

    /// `self + factor · other`.
    pub fn plus(&self, other: &Form, factor: u64) -> Form {
        let mut sum = self.clone();
        sum.number = sum.number.wrapping_add(other.number.wrapping_mul(factor));
        for (unknown, own) in &other.unknowns {
            let at = sum.unknowns.entry(*unknown).or_default();
            *at = at.wrapping_add(own.wrapping_mul(factor));
        }
        sum.cut(self.width)
    }

    /// The lowest bits.
    fn cut(mut self, width: u32) -> Form {
        self.width = width;
        self.number &= mask(width);
        self.unknowns.retain(|_, factor| {
            *factor &= mask(width);
            *factor != 0
        });
        self
    }

    /// The same with what is known of some unknowns.
    pub fn with(&self, facts: &BTreeMap<Unknown, bool>) -> Form {
        let mut form = self.clone();
        for (unknown, factor) in &self.unknowns {
            if let Some(fact) = facts.get(unknown) {
                form.unknowns.remove(unknown);
                form.number = form.number.wrapping_add(factor * u64::from(*fact));
            }
        }
        form.cut(self.width)
    }
}

impl Unknowns {
    /// A value of which nothing is known.
    pub fn value(&mut self, value: Value, width: u32) -> Form {
        self.unknown(Source::Value(value), width)
    }

    fn unknown(&mut self, source: Source, width: u32) -> Form {
        let next = self.sources.len() as Unknown;
        let unknown = *self.numbers.entry(source.clone()).or_insert(next);
        if unknown == next {
            self.sources.push((source, width));
        }
        Form {
            width,
            number: 0,
            unknowns: BTreeMap::from([(unknown, 1)]),
        }
    }

    /// A condition that decides one of which nothing is known: itself, or a part of it. What has more bits than one is no condition, also
    /// where only its lowest bit counts.
    pub fn decisive(&self, form: &Form) -> Option<Unknown> {
        let mut bits = form.unknowns.keys().filter(|one| self.is_bit(**one));
        let unknown = *bits.next()?;
        if let (Source::Made(Op::And | Op::Or, args, 1), _) = &self.sources[unknown as usize] {
            if let Some(part) = args.iter().find_map(|arg| self.decisive(arg)) {
                return Some(part);
            }
        }
        Some(unknown)
    }

    /// What is known of the one unknown that a condition is, or is the opposite of, where the condition is this.
    pub fn fact(&self, condition: &Form, is: bool) -> Option<(Unknown, bool)> {
        let mut unknowns = condition.unknowns.keys();
        let (unknown, None) = (*unknowns.next()?, unknowns.next()) else {
            return None;
        };
        self.is_bit(unknown)
            .then_some((unknown, is != (condition.number == 1)))
    }

    fn is_bit(&self, unknown: Unknown) -> bool {
        self.sources[unknown as usize].1 == 1
    }

    /// What a pure operation makes of these sums. `Op::Select` is not for this.
    pub fn made(&mut self, op: &Op, args: Vec<Form>, width: u32) -> Form {
        let known: Option<Vec<Bits>> = args
            .iter()
            .map(|arg| Some(Bits::from_u64(arg.known()?, arg.width)))
            .collect();
        if let Some(bits) = known.and_then(|args| eval_pure(op, &args, width)) {
            return Form::number(bits.low_u64(), width);
        }
        match self.sum(op, &args, width) {
            Some(form) => form,
            None => self.unknown(Source::Made(op.clone(), args, width), width),
        }
    }

    fn sum(&self, op: &Op, args: &[Form], width: u32) -> Option<Form> {
        match op {
            Op::Add => Some(args[0].plus(&args[1], 1)),
            Op::Sub => Some(args[0].plus(&args[1], u64::MAX)),
            Op::Mul => match (args[0].known(), args[1].known()) {
                (Some(factor), _) => Some(Form::number(0, width).plus(&args[1], factor)),
                (_, Some(factor)) => Some(Form::number(0, width).plus(&args[0], factor)),
                _ => None,
            },
            Op::Shl => {
                let factor = 1u64.checked_shl(args[1].known()?.try_into().ok()?)?;
                Some(Form::number(0, width).plus(&args[0], factor))
            }
            Op::ZExt => self.extended(&args[0], width),
            // The low bits of one unknown are an unknown of their own, which can be extended again.
            Op::Slice { lo: 0 } => {
                let mut unknowns = args[0].unknowns.keys();
                let fits = unknowns.all(|unknown| self.sources[*unknown as usize].1 <= width);
                fits.then(|| args[0].clone().cut(width))
            }
            Op::Slice { lo } => self.divided(&args[0], *lo, width),
            Op::Concat => {
                let mut sum = Form::number(0, width);
                let mut place = 0;
                for arg in args.iter().rev() {
                    sum = sum.plus(&self.extended(arg, width)?, 1u64.checked_shl(place)?);
                    place += arg.width;
                }
                Some(sum)
            }
            Op::And | Op::Or if args[0] == args[1] => Some(args[0].clone()),
            Op::And => Self::masked(args, 0, mask(width)),
            Op::Or => Self::masked(args, mask(width), 0),
            // One bit is its sum with another one.
            Op::Xor if width == 1 => Some(args[0].plus(&args[1], 1)),
            Op::Not if width == 1 => Some(args[0].plus(&Form::number(1, 1), 1)),
            Op::Eq | Op::Ule | Op::Sle if args[0] == args[1] => Some(Form::number(1, 1)),
            Op::Ne | Op::Ult | Op::Slt if args[0] == args[1] => Some(Form::number(0, 1)),
            _ => None,
        }
    }

    /// A known side that decides, or one that leaves the other.
    fn masked(args: &[Form], decides: u64, leaves: u64) -> Option<Form> {
        for (one, other) in [(&args[0], &args[1]), (&args[1], &args[0])] {
            if one.known() == Some(decides) {
                return Some(one.clone());
            }
            if one.known() == Some(leaves) {
                return Some(other.clone());
            }
        }
        None
    }

    /// The most that a sum can be if it is not cut; `None`: it is cut.
    fn most(&self, form: &Form) -> Option<u64> {
        let mut most = form.number;
        for (unknown, factor) in &form.unknowns {
            let (_, width) = self.sources[*unknown as usize];
            most = most.checked_add(mask(width).checked_mul(*factor)?)?;
        }
        (most <= mask(form.width)).then_some(most)
    }

    /// With zeros in front, if the sum has not been cut.
    fn extended(&self, form: &Form, width: u32) -> Option<Form> {
        self.most(form)?;
        Some(Form {
            width,
            ..form.clone()
        })
    }

    /// Without its lowest bits, if these are zeros in all parts.
    fn divided(&self, form: &Form, by: u32, width: u32) -> Option<Form> {
        self.most(form)?;
        let low = mask(by);
        let mut divided = form.clone();
        let parts = std::iter::once(&mut divided.number).chain(divided.unknowns.values_mut());
        for part in parts {
            if *part & low != 0 {
                return None;
            }
            *part >>= by;
        }
        Some(divided.cut(width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;

    fn unknown(all: &mut Unknowns, number: usize, width: u32) -> Form {
        all.value(Value::new(number), width)
    }

    #[test]
    fn what_is_added_can_be_taken_away() {
        let mut all = Unknowns::default();
        let x = unknown(&mut all, 1, 8);
        let wide = all.made(&Op::ZExt, vec![x], 16);
        let more = all.made(&Op::Add, vec![wide.clone(), Form::number(20, 16)], 16);
        let rest = all.made(&Op::Sub, vec![Form::number(0, 16), wide], 16);
        assert_eq!(all.made(&Op::Add, vec![more, rest], 16).known(), Some(20));
    }

    #[test]
    fn a_sum_that_may_be_cut_is_no_longer_one_when_it_is_extended() {
        let mut all = Unknowns::default();
        let x = unknown(&mut all, 1, 8);
        let sum = all.made(&Op::Add, vec![x.clone(), Form::number(1, 8)], 8);
        let wide = all.made(&Op::ZExt, vec![sum], 16);
        let x = all.made(&Op::ZExt, vec![x], 16);
        let difference = all.made(&Op::Sub, vec![wide, x], 16);
        assert_eq!(difference.known(), None, "255 + 1 is 0");
    }

    #[test]
    fn bits_side_by_side_are_a_sum() {
        let mut all = Unknowns::default();
        let x = unknown(&mut all, 1, 4);
        let words = all.made(&Op::Concat, vec![x.clone(), Form::number(0, 2)], 6);
        let bytes = all.made(&Op::Slice { lo: 2 }, vec![words], 4);
        assert_eq!(bytes, x);
        let odd = all.made(&Op::Concat, vec![x.clone(), Form::number(1, 2)], 6);
        assert_ne!(all.made(&Op::Slice { lo: 2 }, vec![odd], 4), x);
    }

    #[test]
    fn low_bits_are_the_same_at_all_widths() {
        let mut all = Unknowns::default();
        let byte = unknown(&mut all, 1, 8);
        let low = all.made(&Op::Slice { lo: 0 }, vec![byte], 4);
        let [short, long] = [6, 16].map(|width| {
            let low = all.made(&Op::ZExt, vec![low.clone()], width);
            all.made(&Op::Shl, vec![low, Form::number(2, width)], width)
        });
        assert_eq!(all.made(&Op::ZExt, vec![short], 16), long);
    }

    #[test]
    fn the_lowest_bit_of_a_number_is_no_fact_of_the_number() {
        let mut all = Unknowns::default();
        let number = unknown(&mut all, 1, 4);
        let words = all.made(&Op::Concat, vec![number, Form::number(0, 3)], 7);
        let lowest = all.made(&Op::Slice { lo: 3 }, vec![words], 1);
        assert_eq!(lowest.known(), None);
        assert_eq!(all.decisive(&lowest), None);
        assert_eq!(all.fact(&lowest, false), None);
        let bit = unknown(&mut all, 2, 1);
        let of_bit = all.decisive(&bit).expect("it is a condition");
        let opposite = all.made(&Op::Not, vec![bit], 1);
        assert_eq!(all.fact(&opposite, false), Some((of_bit, true)));
    }

    #[test]
    fn the_same_operation_of_the_same_is_the_same() {
        let mut all = Unknowns::default();
        let (x, y) = (unknown(&mut all, 1, 8), unknown(&mut all, 2, 8));
        let one = all.made(&Op::Ult, vec![x.clone(), y.clone()], 1);
        assert_eq!(all.made(&Op::Ult, vec![x.clone(), y.clone()], 1), one);
        assert_ne!(all.made(&Op::Ult, vec![y, x], 1), one);
        let not = all.made(&Op::Not, vec![one.clone()], 1);
        let both = all.made(&Op::Xor, vec![one, not], 1);
        assert_eq!(both.known(), Some(1));
    }
}
