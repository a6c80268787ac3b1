//! The FIFO in front of a window whose packets may have to run again.

use crate::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module};

signals! {
    /// Into the FIFO.
    pub struct ReplayFifoIn {
        push: one "takes data_in",
        data_in: one "",
        pop: one "takes data_out; only while valid, not in the clock of a rewind",
        retire: one "the oldest popped word is done with",
        rewind: one "brings the popped words out again; not in the clock of a retire",
    }
}

signals! {
    /// Out of the FIFO.
    pub struct ReplayFifoOut {
        valid: one "data_out is the oldest word that has not been popped",
        data_out: one "",
        idle: one "no word is popped and not retired",
    }
}

/// A FIFO of `depth` words (a power of two) of `width` bits in LUT RAM that keeps a word until it is retired.
///
/// `retire`: the oldest word that was popped is done with. `rewind`: all words that were popped and not retired come out
/// again, the oldest first. A word pushed in clock *t* is on the output from clock *t* + 2 at the earliest; one word a clock passes. After a
/// rewind in clock *t* the first word is on the output from clock *t* + 2 on. Whoever pushes knows that there is room.
pub fn replay_fifo(name: &str, width: u32, depth: u32) -> Block<ReplayFifoIn, ReplayFifoOut> {
    assert!(depth.is_power_of_two() && depth >= 2);
    let mut m = Module::new(
        name,
        format!(
            "FIFO, {depth} x {width} bits, that keeps a word until it is retired.\n\
             A rewind brings all words out again that were popped and not retired, in their order.\n\
             There is no full signal: the producer holds a credit for every word that it pushes."
        ),
    );
    let inputs = m.inputs(ReplayFifoIn {
        push: 1,
        data_in: width,
        pop: 1,
        retire: 1,
        rewind: 1,
    });
    let ReplayFifoIn {
        push,
        data_in,
        pop,
        retire,
        rewind,
    } = inputs;

    // One bit more than an address needs: a pointer that is a whole round ahead differs in it.
    let bits = index_bits(u64::from(depth));
    m.section("Storage");
    let words = m.mem("words", width, depth, MemStyle::Distributed);
    let (write_reg, write) = m.reg_reset("write_pointer", bits + 1, 0);
    let (read_reg, read) = m.reg_reset("read_pointer", bits + 1, 0);
    let (popped_reg, popped) = m.reg_reset("popped_pointer", bits + 1, 0);
    let (retired_reg, retired) = m.reg_reset("retired_pointer", bits + 1, 0);
    let (valid_reg, valid) = m.reg_reset("head_valid", 1, 0);
    let (head_reg, head) = m.reg("head", width);

    let some_stored = m.ne(read, write);
    let not_valid = m.not(valid);
    let head_free = m.or(&[not_valid, pop]);
    let load = m.and(&[some_stored, head_free]);
    m.name(load, "load");

    let address = m.slice(write, 0, bits);
    m.mem_write(words, address, data_in, push);
    let next = m.add_const(write, 1);
    m.set_next_when(write_reg, push, next);
    let address = m.slice(read, 0, bits);
    let word = m.mem_read_async(words, address);
    let next = m.add_const(read, 1);
    let ahead = m.mux(load, next, read);
    let next_read = m.mux(rewind, retired, ahead);
    m.set_next(read_reg, next_read);
    m.set_next_when(head_reg, load, word);
    let next = m.add_const(popped, 1);
    let ahead = m.mux(pop, next, popped);
    let next_popped = m.mux(rewind, retired, ahead);
    m.set_next(popped_reg, next_popped);
    let next = m.add_const(retired, 1);
    m.set_next_when(retired_reg, retire, next);

    let keep = m.not(pop);
    let kept = m.and(&[valid, keep]);
    let filled = m.or(&[load, kept]);
    let forward = m.not(rewind);
    let next_valid = m.and(&[filled, forward]);
    m.set_next(valid_reg, next_valid);

    let used = m.sub(write, retired);
    let full = m.bit(used, bits);
    let push_when_full = m.and(&[push, full]);
    let fits = m.not(push_when_full);
    m.assert(
        "no_overflow",
        fits,
        "FIFO overflow: a word was pushed without a credit",
    );
    let pop_when_empty = m.and(&[pop, not_valid]);
    let sound = m.not(pop_when_empty);
    m.assert(
        "no_underflow",
        sound,
        "FIFO underflow: a word was popped from an empty FIFO",
    );
    let idle = m.eq(popped, retired);
    let retire_when_idle = m.and(&[retire, idle]);
    let known = m.not(retire_when_idle);
    m.assert(
        "retires_popped",
        known,
        "a word was retired that had not been popped",
    );
    let moves = m.or(&[pop, retire]);
    let moves_and_rewinds = m.and(&[moves, rewind]);
    let alone = m.not(moves_and_rewinds);
    m.assert(
        "rewinds_alone",
        alone,
        "a word was popped or retired in the clock of a rewind",
    );

    let outputs = ReplayFifoOut {
        valid,
        data_out: head,
        idle,
    };
    m.into_block(inputs, outputs)
}
