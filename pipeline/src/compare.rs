//! Compares with constants, as logic: whether `x` reaches a constant is asked bit run by bit run.
//!
//! `x >= 0b0001_0000_0100` is `|x[11:9] || x[8] && (|x[7:3] || x[2])`. A subtraction in a carry chain would tear the
//! surrounding logic apart, and a tool maps each part for itself.

use crate::technology::Technology;
use hardpath_ir::{Bits, Op, Program, Value};
use hardpath_rtl::{Module, Node};

/// Wider ones are shorter in a carry chain.
const MOST_BITS: u32 = 32;

/// Whether the other argument reaches a bound, or does not.
pub struct ConstantCompare {
    /// The constant is the first argument.
    pub constant_first: bool,
    /// Runs of equal bits of the bound, from the top: bit, and how many. Zeros at the end do not count.
    runs: Vec<(bool, u32)>,
    reaches: bool,
}

/// An unsigned compare with a constant that is built as logic.
pub fn constant_compare(program: &Program, op: &Op, args: &[Value]) -> Option<ConstantCompare> {
    let width = program.width(args[0]);
    if width > MOST_BITS || !matches!(op, Op::Ult | Op::Ule) {
        return None;
    }
    let constant = |place: usize| program.as_const(args[place]).and_then(Bits::as_u64);
    let strict = u64::from(*op == Op::Ult);
    // c <= x: x reaches c. c < x: it reaches c + 1. x < c: it does not reach c. x <= c: it does not reach c + 1.
    let (bound, constant_first, reaches) = match (constant(0), constant(1)) {
        (Some(c), None) => (c + strict, true, true),
        (None, Some(c)) => (c + 1 - strict, false, false),
        _ => return None,
    };
    if bound == 0 || bound >> width != 0 {
        return None;
    }
    let mut runs: Vec<(bool, u32)> = Vec::new();
    for bit in (bound.trailing_zeros()..width).rev() {
        let one = bound >> bit & 1 == 1;
        match runs.last_mut() {
            Some((last, count)) if *last == one => *count += 1,
            _ => runs.push((one, 1)),
        }
    }
    Some(ConstantCompare {
        constant_first,
        runs,
        reaches,
    })
}

impl ConstantCompare {
    /// Levels of logic for an argument of so many bits.
    pub fn levels(&self, technology: &Technology, width: u32) -> f64 {
        let spread = technology.tree(f64::from(width.max(2)));
        spread.max(0.5) + 0.7 * technology.gate * (self.runs.len() as f64).log2().ceil()
    }

    /// The compare's result.
    pub fn build(&self, m: &mut Module, x: Node) -> Node {
        let mut high = m.width(x);
        let mut parts = Vec::new();
        for (one, count) in &self.runs {
            high -= count;
            let bits = m.slice(x, high, *count);
            parts.push(match one {
                true => Part {
                    more: None,
                    reached: Some(m.reduce_and(bits)),
                },
                false => Part {
                    more: Some(m.reduce_or(bits)),
                    reached: None,
                },
            });
        }
        let whole = Part::joined(m, &parts);
        let reached = whole.reached.expect("a bound above 0 has a one");
        match self.reaches {
            true => reached,
            false => m.not(reached),
        }
    }
}

/// Some of the bits, beside those of the bound.
#[derive(Clone, Copy)]
struct Part {
    /// They are more. `None`: they cannot be.
    more: Option<Node>,
    /// They are as much or more. `None`: they always are.
    reached: Option<Node>,
}

impl Part {
    /// Parts beside each other, the most significant first, as a tree.
    fn joined(m: &mut Module, parts: &[Part]) -> Part {
        let [high, low] = match parts {
            [part] => return *part,
            parts => {
                let (high, low) = parts.split_at(parts.len() / 2);
                [high, low].map(|half| Part::joined(m, half))
            }
        };
        Part {
            more: low
                .more
                .map_or(high.more, |low| Part::over(m, high, Some(low))),
            reached: Part::over(m, high, low.reached),
        }
    }

    /// The high part is more, or it is as much and the lower part says so. `None`: it always does.
    fn over(m: &mut Module, high: Part, low: Option<Node>) -> Option<Node> {
        let both: Vec<Node> = high.reached.into_iter().chain(low).collect();
        let both = match both.as_slice() {
            [] => return None,
            both => m.and(both),
        };
        Some(match high.more {
            Some(more) => m.or(&[more, both]),
            None => both,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the runs say, bit by bit.
    fn reached(compare: &ConstantCompare, x: u64, width: u32) -> bool {
        let mut high = width;
        for (at, (one, count)) in compare.runs.iter().enumerate() {
            high -= count;
            let bits = x >> high & ((1 << count) - 1);
            let last = at + 1 == compare.runs.len();
            match one {
                true if bits != (1 << count) - 1 => return false,
                true if last => return true,
                false if bits != 0 => return true,
                _ => {}
            }
        }
        unreachable!("the last run is of ones")
    }

    #[test]
    fn every_constant_of_six_bits() {
        const WIDTH: u32 = 6;
        let mut built = 0;
        for op in [Op::Ult, Op::Ule] {
            for c in 0..1u64 << WIDTH {
                for first in [false, true] {
                    let mut program = Program::new("test");
                    let block = program.add_block();
                    let x = program.add_param(block, WIDTH);
                    let constant = program.append_const(block, Bits::from_u64(c, WIDTH));
                    let args = if first { [constant, x] } else { [x, constant] };
                    let Some(compare) = constant_compare(&program, &op, &args) else {
                        continue;
                    };
                    built += 1;
                    assert_eq!(compare.constant_first, first);
                    for x in 0..1 << WIDTH {
                        let (a, b) = if first { (c, x) } else { (x, c) };
                        let expected = if op == Op::Ult { a < b } else { a <= b };
                        let found = reached(&compare, x, WIDTH) == compare.reaches;
                        assert_eq!(found, expected, "{op:?} {a} {b}");
                    }
                }
            }
        }
        assert!(built > 200, "{built}");
    }
}
