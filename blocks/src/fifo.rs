//! A FIFO with its output in registers.

use crate::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

signals! {
    /// Into a FIFO.
    pub struct FifoIn {
        push: one "takes data_in",
        /// The word that comes in with `push`.
        data_in: one "",
        pop: one "takes data_out; only while valid",
    }
}

signals! {
    /// Out of a FIFO.
    pub struct FifoOut {
        valid: one "data_out is the oldest word",
        /// The oldest word.
        data_out: one "",
    }
}

/// A FIFO of `depth` words (a power of two) of `width` bits in LUT RAM, read through an output register.
///
/// A word pushed in clock *t* is on the output from
/// clock *t* + 2 at the earliest; one word a clock passes. Whoever pushes knows that there is room.
pub fn fifo(name: &str, width: u32, depth: u32) -> Block<FifoIn, FifoOut> {
    assert!(depth.is_power_of_two() && depth >= 2);
    let mut m = Module::new(
        name,
        format!(
            "FIFO, {depth} x {width} bits, with its output in registers.\n\
             A word pushed in clock t can be popped from clock t + 2 on; one word a clock passes.\n\
             There is no full signal: the producer holds a credit for every word that it pushes."
        ),
    );
    let inputs = m.inputs(FifoIn {
        push: 1,
        data_in: width,
        pop: 1,
    });
    let FifoIn { push, data_in, pop } = inputs;

    let bits = index_bits(u64::from(depth));
    m.section("Storage");
    let words = m.mem("words", width, depth, MemStyle::Distributed);
    // One bit more than an index, so that full and empty differ. No count of the words: `pop` comes late, behind
    // whatever decides that the head may go, and has only clock enables to reach.
    let (write_reg, write) = m.reg_reset("write_pointer", bits + 1, 0);
    let (read_reg, read) = m.reg_reset("read_pointer", bits + 1, 0);
    let (valid_reg, valid) = m.reg_reset("head_valid", 1, 0);
    let (head_reg, head) = m.reg("head", width);

    let some_stored = m.ne(write, read);
    let not_valid = m.not(valid);
    let head_free = m.or(&[not_valid, pop]);
    let load = m.and(&[some_stored, head_free]);
    m.name(load, "load");

    let write_index = m.slice(write, 0, bits);
    m.mem_write(words, write_index, data_in, push);
    let next_write = m.add_const(write, 1);
    m.set_next_when(write_reg, push, next_write);
    let read_index = m.slice(read, 0, bits);
    let word = m.mem_read_async(words, read_index);
    let next_read = m.add_const(read, 1);
    m.set_next_when(read_reg, load, next_read);
    m.set_next_when(head_reg, load, word);

    let keep = m.not(pop);
    let kept = m.and(&[valid, keep]);
    let next_valid = m.or(&[load, kept]);
    m.set_next(valid_reg, next_valid);

    let used = m.sub(write, read);
    is_used_well(&mut m, (push, used), (pop, valid));
    let data_out = head;
    m.into_block(inputs, FifoOut { valid, data_out })
}

/// Asserts that nothing is pushed into a FIFO that holds as much as it can, or popped from one without a head. `used`: how many
/// words it holds, a power of two of them being all that it can.
pub(crate) fn is_used_well(m: &mut Module, (push, used): (Node, Node), (pop, valid): (Node, Node)) {
    let full = m.bit(used, m.width(used) - 1);
    let push_when_full = m.and(&[push, full]);
    let fits = m.not(push_when_full);
    m.assert(
        "no_overflow",
        fits,
        "FIFO overflow: a word was pushed without a credit",
    );
    let not_valid = m.not(valid);
    let pop_when_empty = m.and(&[pop, not_valid]);
    let sound = m.not(pop_when_empty);
    m.assert(
        "no_underflow",
        sound,
        "FIFO underflow: a word was popped from an empty FIFO",
    );
}
