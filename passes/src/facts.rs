//! Known bits and ranges: what holds for a value whatever the packet.
//!
//! One walk from definitions to uses. For each value of at most [`MOST_BITS`] bits it knows which bits are always 0,
//! which are always 1, and the smallest and largest value (unsigned); the two views sharpen each other. Known bits
//! alone lose a bit with every addition of a chain; ranges do not.

use cranelift_entity::SecondaryMap;
use hardpath_ir::{Block, Input, InstData, Op, Program, Value};

/// Wider values are not followed (sums must not overflow 128 bits).
pub const MOST_BITS: u32 = 120;

/// What is known of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits of the value.
    pub width: u32,
    /// Bits that are always 0.
    pub zeros: u128,
    /// Bits that are always 1.
    pub ones: u128,
    /// The smallest that it can be, without sign.
    pub min: u128,
    /// The largest that it can be, without sign.
    pub max: u128,
}

/// The low `width` bits.
pub fn mask(width: u32) -> u128 {
    match width {
        0 => 0,
        128.. => u128::MAX,
        _ => u128::MAX >> (128 - width),
    }
}

/// How many bits a number needs.
pub fn bit_length(value: u128) -> u32 {
    128 - value.leading_zeros()
}

impl Facts {
    /// Of a value of which only the width is known.
    pub fn unknown(width: u32) -> Facts {
        Facts {
            width,
            zeros: 0,
            ones: 0,
            min: 0,
            max: mask(width),
        }
    }

    /// Of a value that is always this one.
    pub fn constant(value: u128, width: u32) -> Facts {
        Facts {
            width,
            zeros: !value & mask(width),
            ones: value,
            min: value,
            max: value,
        }
    }

    fn bits(width: u32, zeros: u128, ones: u128) -> Facts {
        Facts {
            zeros: zeros & mask(width),
            ones: ones & mask(width),
            ..Facts::unknown(width)
        }
        .sharpened()
    }

    fn range(width: u32, min: u128, max: u128) -> Facts {
        Facts {
            min,
            max,
            ..Facts::unknown(width)
        }
        .sharpened()
    }

    fn bit(known: Option<bool>) -> Facts {
        match known {
            Some(bit) => Facts::constant(u128::from(bit), 1),
            None => Facts::unknown(1),
        }
    }

    /// Both are true of the same value.
    fn and(self, other: Facts) -> Facts {
        Facts {
            width: self.width,
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        }
        .sharpened()
    }

    /// One of both is true.
    pub fn or(self, other: Facts) -> Facts {
        Facts {
            width: self.width,
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn sharpened(mut self) -> Facts {
        self.max = self.max.min(!self.zeros & mask(self.width));
        self.min = self.min.max(self.ones);
        if self.min > self.max {
            // Contradiction: the value is never computed in a run. Any fact would do; claim nothing.
            return Facts::unknown(self.width);
        }
        // The bits above the highest one in which smallest and largest differ are the same in all between.
        let same = mask(self.width) & !mask(bit_length(self.min ^ self.max));
        self.zeros |= same & !self.max;
        self.ones |= same & self.max;
        self
    }

    /// Bits that are always the same.
    pub fn known(&self) -> u128 {
        self.zeros | self.ones
    }

    /// The sign bit, when it is known.
    pub fn sign(&self) -> Option<bool> {
        let top = 1 << (self.width - 1);
        match (self.zeros & top != 0, self.ones & top != 0) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}

/// Facts of all values; `None` for those that are too wide.
pub struct FactMap {
    facts: SecondaryMap<Value, Option<Facts>>,
}

impl FactMap {
    /// Looks at each value once: those that it depends on come before it.
    pub fn new(program: &Program) -> FactMap {
        let mut map = FactMap {
            facts: SecondaryMap::with_capacity(program.values.len()),
        };
        let predecessors = program.predecessors();
        for &block in &program.order {
            for index in 0..program.blocks[block].params.len() {
                let param = program.blocks[block].params[index];
                map.facts[param] = map.of_param(program, block, index, &predecessors[block]);
            }
            for &inst in &program.blocks[block].insts {
                let data = &program.insts[inst];
                for &result in &data.results {
                    let width = program.width(result);
                    if width <= MOST_BITS {
                        let found = map.of_inst(program, data, width);
                        map.facts[result] = Some(found.unwrap_or(Facts::unknown(width)));
                    }
                }
            }
        }
        map
    }

    /// Of one value; `None` when it is too wide.
    pub fn get(&self, value: Value) -> Option<Facts> {
        self.facts[value]
    }

    /// As [`FactMap::get`], also for values that were made since.
    pub fn get_new(&mut self, program: &Program, value: Value) -> Option<Facts> {
        let width = program.width(value);
        if self.facts[value].is_none() && width <= MOST_BITS {
            let inst = program.def_inst(value)?;
            for &arg in &inst.args {
                self.get_new(program, arg);
            }
            let found = self.of_inst(program, inst, width);
            self.facts[value] = Some(found.unwrap_or(Facts::unknown(width)));
        }
        self.facts[value]
    }

    fn of_param(
        &self,
        program: &Program,
        block: Block,
        index: usize,
        predecessors: &[Block],
    ) -> Option<Facts> {
        let mut joined: Option<Facts> = None;
        for &from in predecessors {
            for target in program.blocks[from].terminator.targets() {
                if target.block == block {
                    let facts = self.facts[target.args[index]]?;
                    joined = Some(joined.map_or(facts, |other| other.or(facts)));
                }
            }
        }
        joined
    }

    fn of_inst(&self, program: &Program, inst: &InstData, width: u32) -> Option<Facts> {
        let get = |index: usize| self.facts[inst.args[index]];
        let all = mask(width);
        Some(match &inst.op {
            Op::Const(bits) => {
                let high = bits.limbs().get(1).copied().unwrap_or(0);
                Facts::constant(u128::from(high) << 64 | u128::from(bits.limbs()[0]), width)
            }
            Op::Input(Input::Sum) => {
                let words = u128::from(program.limits.longest.div_ceil(2));
                Facts::range(width, 0, (words * 0xffff).min(all))
            }
            Op::Input(Input::Length) => Facts::range(width, 0, u128::from(program.limits.longest)),
            Op::Add => {
                let (a, b) = (get(0)?, get(1)?);
                let facts = add_bits(width, (a.zeros, a.ones), (b.zeros, b.ones), false);
                if a.max + b.max <= all {
                    facts.and(Facts::range(width, a.min + b.min, a.max + b.max))
                } else {
                    facts
                }
            }
            Op::Sub => {
                let (a, b) = (get(0)?, get(1)?);
                let facts = add_bits(width, (a.zeros, a.ones), (b.ones, b.zeros), true);
                if a.min >= b.max {
                    facts.and(Facts::range(width, a.min - b.max, a.max - b.min))
                } else {
                    facts
                }
            }
            Op::Mul => {
                let (a, b) = (get(0)?, get(1)?);
                let low = |facts: Facts| (!facts.zeros).trailing_zeros();
                let facts = Facts::bits(width, mask((low(a) + low(b)).min(width)), 0);
                match a.max.checked_mul(b.max) {
                    Some(most) if most <= all => {
                        facts.and(Facts::range(width, a.min * b.min, most))
                    }
                    _ => facts,
                }
            }
            Op::UDiv => unsigned_quotient(get(0)?, get(1)?),
            Op::URem => unsigned_remainder(get(0)?, get(1)?),
            Op::SDiv | Op::SRem => {
                let (a, b) = (get(0)?, get(1)?);
                match (a.sign(), b.sign(), &inst.op) {
                    (Some(false), Some(false), Op::SDiv) => unsigned_quotient(a, b),
                    (Some(false), Some(false), _) => unsigned_remainder(a, b),
                    _ => return None,
                }
            }
            Op::And => {
                let (a, b) = (get(0)?, get(1)?);
                Facts::bits(width, a.zeros | b.zeros, a.ones & b.ones).and(Facts::range(
                    width,
                    0,
                    a.max.min(b.max),
                ))
            }
            Op::Or => {
                let (a, b) = (get(0)?, get(1)?);
                let most = mask(bit_length(a.max | b.max));
                Facts::bits(width, a.zeros & b.zeros, a.ones | b.ones).and(Facts::range(
                    width,
                    a.min.max(b.min),
                    most,
                ))
            }
            Op::Xor => {
                let (a, b) = (get(0)?, get(1)?);
                let zeros = (a.zeros & b.zeros) | (a.ones & b.ones);
                let ones = (a.zeros & b.ones) | (a.ones & b.zeros);
                Facts::bits(width, zeros, ones)
            }
            Op::Not => {
                let a = get(0)?;
                Facts::bits(width, a.ones, a.zeros).and(Facts::range(
                    width,
                    all - a.max,
                    all - a.min,
                ))
            }
            Op::Shl => {
                let (a, b) = (get(0)?, get(1)?);
                let zeros = u128::from((!a.zeros).trailing_zeros()) + b.min;
                let facts = Facts::bits(width, mask(zeros.min(u128::from(width)) as u32), 0);
                let most = u128::from(bit_length(a.max)) + b.max;
                if most < u128::from(width) {
                    facts.and(Facts::range(width, a.min << b.min, a.max << b.max))
                } else {
                    facts
                }
            }
            Op::LShr => shifted_right(get(0)?, get(1)?),
            Op::AShr if get(0)?.sign() == Some(false) => shifted_right(get(0)?, get(1)?),
            Op::Eq | Op::Ne => {
                let (a, b) = (get(0)?, get(1)?);
                let differ =
                    (a.zeros & b.ones) | (a.ones & b.zeros) != 0 || a.max < b.min || b.max < a.min;
                let same = a.min == a.max && a == b;
                let equal = inst.op == Op::Eq;
                Facts::bit((differ || same).then_some(same == equal))
            }
            Op::Ult => Facts::bit(less(get(0)?, get(1)?)),
            Op::Ule => Facts::bit(less(get(1)?, get(0)?).map(|greater| !greater)),
            Op::Slt | Op::Sle => {
                let (a, b) = (get(0)?, get(1)?);
                Facts::bit(match (a.sign(), b.sign()) {
                    (Some(x), Some(y)) if x != y => Some(x),
                    (Some(_), Some(_)) if inst.op == Op::Slt => less(a, b),
                    (Some(_), Some(_)) => less(b, a).map(|greater| !greater),
                    _ => None,
                })
            }
            Op::Select => match get(0)?.known() & 1 {
                0 => get(1)?.or(get(2)?),
                _ if get(0)?.ones & 1 == 1 => get(1)?,
                _ => get(2)?,
            },
            Op::Slice { lo } => {
                let a = get(0)?;
                let facts = Facts::bits(width, a.zeros >> lo, a.ones >> lo);
                if a.max >> lo <= all {
                    facts.and(Facts::range(width, a.min >> lo, a.max >> lo))
                } else {
                    facts
                }
            }
            Op::Concat => {
                let mut facts = Facts::constant(0, width);
                facts.zeros = 0;
                for &arg in &inst.args {
                    let part = self.facts[arg]?;
                    let by = program.width(arg);
                    facts = Facts {
                        width,
                        zeros: facts.zeros << by | part.zeros,
                        ones: facts.ones << by | part.ones,
                        min: facts.min << by | part.min,
                        max: facts.max << by | part.max,
                    };
                }
                facts.sharpened()
            }
            Op::ZExt => {
                let a = get(0)?;
                Facts {
                    width,
                    zeros: a.zeros | (all & !mask(a.width)),
                    ..a
                }
            }
            Op::SExt => {
                let a = get(0)?;
                let above = all & !mask(a.width);
                match a.sign() {
                    Some(false) => Facts {
                        width,
                        zeros: a.zeros | above,
                        ..a
                    },
                    Some(true) => Facts::bits(width, a.zeros, a.ones | above),
                    None => Facts::bits(width, a.zeros, a.ones),
                }
            }
            _ => return None,
        })
    }
}

/// Bits of a sum from the (zeros, ones) of its terms: the smallest and the largest sum have a carry wherever every sum has.
fn add_bits(width: u32, a: (u128, u128), b: (u128, u128), carry: bool) -> Facts {
    let all = mask(width);
    let carry = u128::from(carry);
    let most = (!a.0 & all) + (!b.0 & all) + carry;
    let least = a.1 + b.1 + carry;
    let carry_zero = !(most ^ a.0 ^ b.0);
    let carry_one = least ^ a.1 ^ b.1;
    let known = (a.0 | a.1) & (b.0 | b.1) & (carry_zero | carry_one) & all;
    Facts::bits(width, !most & known, least & known)
}

fn unsigned_quotient(a: Facts, b: Facts) -> Facts {
    let min = if b.min == 0 { 0 } else { a.min / b.max };
    Facts::range(a.width, min, a.max / b.min.max(1))
}

fn unsigned_remainder(a: Facts, b: Facts) -> Facts {
    let max = if b.min == 0 {
        a.max
    } else {
        a.max.min(b.max - 1)
    };
    Facts::range(a.width, 0, max)
}

fn shifted_right(a: Facts, b: Facts) -> Facts {
    let shift = |value: u128, by: u128| {
        if by >= u128::from(a.width) {
            0
        } else {
            value >> by
        }
    };
    Facts::range(a.width, shift(a.min, b.max), shift(a.max, b.min))
}

/// `a < b`, where the ranges decide it.
fn less(a: Facts, b: Facts) -> Option<bool> {
    if a.max < b.min {
        Some(true)
    } else if a.min >= b.max {
        Some(false)
    } else {
        None
    }
}
