//! Counters of events, side by side in one LUT RAM.
//!
//! Every clock it is the turn of one counter: what happened since its last turn, which a few flip-flops hold, is added to
//! its word. So one adder does for all, and a count is seen at most one round of turns late, and a clock where there are many.

use crate::index_bits;
use hardpath_rtl::{MemStyle, Module, Node};

/// Bits of a counter.
const COUNTER_BITS: u32 = 64;

/// Of more counters what is added stands in a register first: to choose it takes long. A counter's next turn is far behind that.
const AT_ONCE: u64 = 8;

/// Adds counters to a module. `strobes`: for each counter, a power of two of them, its name and what it counts, once a
/// clock at most; `None`: nothing. `shown`: the place of the one that is looked at. Gives its count.
pub fn counters(m: &mut Module, strobes: &[Option<(String, Node)>], shown: Node) -> Node {
    assert!(strobes.len().is_power_of_two());
    let turns = strobes.len() as u64;
    let turn_bits = index_bits(turns);
    let (turn_reg, turn) = m.reg_reset("counter_turn", turn_bits, 0);
    let next_turn = m.add_const(turn, 1);
    m.set_next(turn_reg, next_turn);
    // The words begin anew in the first round after a reset.
    let (begun_reg, begun) = m.reg_reset("counters_begun", 1, 0);
    let last_turn = m.eq_const(turn, turns - 1);
    let one = m.one();
    m.set_next_when(begun_reg, last_turn, one);

    let recent_bits = index_bits(turns + 1);
    let mut recent = Vec::new();
    for (number, strobe) in strobes.iter().enumerate() {
        let Some((name, strobe)) = strobe else {
            recent.push(m.zero(recent_bits));
            continue;
        };
        let (reg, count) = m.reg_reset(format!("recent_{name}"), recent_bits, 0);
        let is_turn = m.eq_const(turn, number as u64);
        let others = m.not(is_turn);
        let before = m.gate(others, count);
        let event = m.zext(*strobe, recent_bits);
        let next = m.add(before, event);
        m.set_next(reg, next);
        recent.push(count);
    }
    let events = choose(m, &recent, turn);
    m.name(events, "recent_events");
    let memory = m.mem("counts", COUNTER_BITS, turns as u32, MemStyle::Distributed);
    let word = m.mem_read_async(memory, turn);
    let word = m.gate(begun, word);
    let (turn_added, word, events) = match turns > AT_ONCE {
        true => (
            m.delay("counter_added", turn),
            m.delay("count_before", word),
            m.delay("events_added", events),
        ),
        false => (turn, word, events),
    };
    let events = m.zext(events, COUNTER_BITS);
    let sum = m.add(word, events);
    m.mem_write(memory, turn_added, sum, one);
    let count = m.mem_read_async(memory, shown);
    // In that round the count is yet to be cleared.
    let cleared = match turns > AT_ONCE {
        true => m.delay_reset("counters_cleared", begun),
        false => begun,
    };
    m.gate(cleared, count)
}

/// Clocks until one of so many counters shows an event, at most.
pub fn latest(counters: u64) -> u64 {
    counters + u64::from(counters > AT_ONCE)
}

/// The word of that index; zeros behind the last one.
pub fn choose(m: &mut Module, words: &[Node], index: Node) -> Node {
    let width = m.width(words[0]);
    let mut level = words.to_vec();
    for bit in 0..m.width(index) {
        let odd = m.bit(index, bit);
        level = level
            .chunks(2)
            .map(|pair| {
                let beyond = m.zero(width);
                let second = pair.get(1).copied().unwrap_or(beyond);
                m.mux(odd, second, pair[0])
            })
            .collect();
    }
    level[0]
}
