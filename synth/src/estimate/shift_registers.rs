//! Flip-flops in a row, of which only the last one is looked at, are a shift register in a LUT, if none has a reset and all have
//! one enable.

use super::fabric::{Fabric, Owner};
use super::graph::ZERO;
use super::Live;

/// Fewest flip-flops of a shift register: yosys' `xilinx_srl -minlen 3`.
const FEWEST: u64 = 3;
/// Flip-flops that a LUT stands for (`SRLC32E`).
const LUT_BITS: u64 = 32;

#[derive(Debug, Default, PartialEq)]
pub struct ShiftRegisters {
    pub luts: u64,
    /// The flip-flops that are in them.
    pub flip_flops: u64,
}

pub fn find(fabric: &Fabric, live: &Live) -> ShiftRegisters {
    let mut found = ShiftRegisters::default();
    // The one in front of each flip-flop, where both can be in a row.
    let mut before = vec![None; fabric.flip_flops.len()];
    let mut has_next = vec![false; fabric.flip_flops.len()];
    for number in &live.flip_flops {
        if let Some(front) = in_front(fabric, live, *number) {
            before[*number] = Some(front);
            has_next[front] = true;
        }
    }
    for number in &live.flip_flops {
        if has_next[*number] {
            continue;
        }
        let mut count = 1;
        let mut at = *number;
        while let Some(front) = before[at] {
            count += 1;
            at = front;
        }
        if count >= FEWEST {
            found.luts += count.div_ceil(LUT_BITS);
            found.flip_flops += count;
        }
    }
    found
}

/// The flip-flop whose output is all that this one takes, and that nobody else looks at.
fn in_front(fabric: &Fabric, live: &Live, number: usize) -> Option<usize> {
    let flip_flop = &fabric.flip_flops[number];
    let next = flip_flop.next;
    let Owner::FlipFlop(front) = fabric.owner(next.gate())? else {
        return None;
    };
    let other = &fabric.flip_flops[front];
    let is_row = front != number
        && next == other.out
        && live.uses[next.gate()] == 1
        && (flip_flop.reset, other.reset) == (ZERO, ZERO)
        && flip_flop.enable == other.enable;
    is_row.then_some(front)
}
