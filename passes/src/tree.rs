//! Builds one value from many with an operation whose order does not matter, as a tree that is ready early.
//!
//! The two terms that arrive first are joined first (as in Huffman's construction), narrow ones before wide ones. So
//! a chain of n additions becomes log2(n) levels, and a late term passes one addition only.

use crate::arrival::{cost, Arrival, Arrivals};
use crate::facts::{bit_length, mask};
use crate::rewrite::Rewriter;
use hardpath_ir::{Op, Value};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A term of a sum: `max` is the largest number that it can be; all bits set when that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    pub value: Value,
    pub max: u128,
}

/// The terms joined with `op`, which is `And`, `Or`, `Xor`, `Add` or `Mul`; at least one term.
pub fn build(rewriter: &mut Rewriter, arrivals: &mut Arrivals, op: &Op, terms: &[Value]) -> Value {
    let mut heap: BinaryHeap<Reverse<(Arrival, Value)>> = terms
        .iter()
        .map(|&term| Reverse((arrivals.get(rewriter.program, term), term)))
        .collect();
    loop {
        let Some(Reverse((_, first))) = heap.pop() else {
            return terms[0];
        };
        let Some(Reverse((_, second))) = heap.pop() else {
            return first;
        };
        let joined = rewriter.binary(op.clone(), first, second);
        heap.push(Reverse((arrivals.get(rewriter.program, joined), joined)));
    }
}

/// The sum of the terms modulo 2^width, each addition only as wide as its terms need. At least one term; all have
/// `width` bits.
pub fn build_sum(
    rewriter: &mut Rewriter,
    arrivals: &mut Arrivals,
    terms: &[Term],
    width: u32,
) -> Term {
    let key = |arrivals: &mut Arrivals, rewriter: &Rewriter, term: Term| {
        let arrival = arrivals.get(rewriter.program, term.value);
        Reverse((arrival, bit_length(term.max), term.value, term.max))
    };
    let mut heap = BinaryHeap::new();
    for &term in terms {
        heap.push(key(arrivals, rewriter, term));
    }
    loop {
        let Some(Reverse((_, _, first, first_max))) = heap.pop() else {
            return terms[0];
        };
        let Some(Reverse((_, _, second, second_max))) = heap.pop() else {
            return Term {
                value: first,
                max: first_max,
            };
        };
        // Saturated: nothing is known.
        let max = first_max.saturating_add(second_max).min(mask(width));
        let needed = match max {
            u128::MAX => width,
            _ => bit_length(max).clamp(1, width),
        };
        let x = rewriter.slice(first, 0, needed);
        let y = rewriter.slice(second, 0, needed);
        let sum = rewriter.binary(Op::Add, x, y);
        let value = rewriter.resize(sum, width);
        heap.push(key(arrivals, rewriter, Term { value, max }));
    }
}

/// How late a chain or tree would be that joins terms arriving at these times.
pub fn estimate(op: &Op, width: u32, arrivals: &[Arrival]) -> Arrival {
    let mut heap: BinaryHeap<Reverse<Arrival>> = arrivals.iter().copied().map(Reverse).collect();
    loop {
        let first = heap.pop().map_or(0, |Reverse(arrival)| arrival);
        let Some(Reverse(second)) = heap.pop() else {
            return first;
        };
        heap.push(Reverse(first.max(second) + cost(op, width)));
    }
}
