//! The sweep after reset, which clears memories word by word.

use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// What the memories see of it.
pub struct Sweep {
    /// It is over.
    pub running: Node,
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
    let (running_reg, running) = m.reg_reset("running", 1, 0);
    let (index_reg, index) = m.reg_reset("clear_count", index_bits(u64::from(words)), 0);
    let clear = m.not(running);
    let next = m.add_const(index, 1);
    m.set_next_when(index_reg, clear, next);
    let at_end = m.eq_const(index, u64::from(words) - 1);
    let one = m.one();
    m.set_next_when(running_reg, at_end, one);
    Sweep {
        running,
        clear,
        index,
    }
}
