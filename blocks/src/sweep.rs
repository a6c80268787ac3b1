//! The sweep after reset, which clears memories word by word.

use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// What the memories see of it.
pub struct Sweep {
    /// It is over.
    pub running: Node,
    /// It goes on: a word is cleared in this clock.
    pub clear: Node,
    /// The word that is cleared.
    pub index: Node,
}

/// The value that the host writes, in a register that is 0 from reset to the end of the sweep: what is written then.
pub fn zero_in_sweep(m: &mut Module, clear: Node, host_value: Node) -> Node {
    let running = m.not(clear);
    let next = m.gate(running, host_value);
    m.delay_reset("host_value_or_zero", next)
}

/// Goes through so many words.
pub fn sweep(m: &mut Module, words: u32) -> Sweep {
    let (over_reg, over) = m.reg_reset("sweep_over", 1, 0);
    // A clock later: it reaches all memories, so there may be copies of it.
    let running = m.delay_reset("running", over);
    let (index_reg, index) = m.reg_reset("clear_count", index_bits(u64::from(words)), 0);
    let clear = m.not(running);
    let at_end = m.eq_const(index, u64::from(words) - 1);
    let before_end = m.not(at_end);
    let goes_on = m.and(&[clear, before_end]);
    let next = m.add_const(index, 1);
    m.set_next_when(index_reg, goes_on, next);
    let one = m.one();
    m.set_next_when(over_reg, at_end, one);
    Sweep {
        running,
        clear,
        index,
    }
}
