//! The FIFO in front of a window whose packets may have to run again.

use crate::fifo::is_used_well;
use crate::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

signals! {
    /// Into the FIFO.
    pub struct ReplayFifoIn {
        push: one "takes data_in",
        /// The word that comes in with `push`.
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
        /// The oldest word that has not been popped.
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
        pop,
        retire,
        rewind,
        ..
    } = inputs;

    let pointers = pointers(&mut m, &inputs, depth);
    let (valid, data_out) = store(&mut m, &inputs, &pointers, depth);
    let idle = m.eq(pointers.popped, pointers.retired);
    let used = m.sub(pointers.write, pointers.retired);
    is_used_well(&mut m, (push, used), (pop, valid));
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
        data_out,
        idle,
    };
    m.into_block(inputs, outputs)
}

/// Where words are. One bit more than an address needs: a pointer that is a whole round ahead differs in it.
struct Pointers {
    /// Behind the youngest word.
    write: Node,
    /// The word that becomes the head next.
    read: Node,
    /// The word that is popped next, and the one that is retired next.
    popped: Node,
    retired: Node,
    /// A wire: the next word becomes the head.
    load: Node,
}

fn pointers(m: &mut Module, inputs: &ReplayFifoIn, depth: u32) -> Pointers {
    let bits = index_bits(u64::from(depth)) + 1;
    m.section("Storage");
    let load = m.wire(1, "load");
    let (write_reg, write) = m.reg_reset("write_pointer", bits, 0);
    let (read_reg, read) = m.reg_reset("read_pointer", bits, 0);
    let (popped_reg, popped) = m.reg_reset("popped_pointer", bits, 0);
    let (retired_reg, retired) = m.reg_reset("retired_pointer", bits, 0);
    let next = m.add_const(write, 1);
    m.set_next_when(write_reg, inputs.push, next);
    for (reg, pointer, step) in [(read_reg, read, load), (popped_reg, popped, inputs.pop)] {
        let next = m.add_const(pointer, 1);
        let ahead = m.mux(step, next, pointer);
        let next = m.mux(inputs.rewind, retired, ahead);
        m.set_next(reg, next);
    }
    let next = m.add_const(retired, 1);
    m.set_next_when(retired_reg, inputs.retire, next);
    Pointers {
        write,
        read,
        popped,
        retired,
        load,
    }
}

/// The words, and the head in registers: whether there is one, and it.
fn store(m: &mut Module, inputs: &ReplayFifoIn, pointers: &Pointers, depth: u32) -> (Node, Node) {
    let bits = index_bits(u64::from(depth));
    let width = m.width(inputs.data_in);
    let words = m.mem("words", width, depth, MemStyle::Distributed);
    let (valid_reg, valid) = m.reg_reset("head_valid", 1, 0);
    let (head_reg, head) = m.reg("head", width);
    let some_stored = m.ne(pointers.read, pointers.write);
    let not_valid = m.not(valid);
    let head_free = m.or(&[not_valid, inputs.pop]);
    let load = m.and(&[some_stored, head_free]);
    m.drive(pointers.load, load);
    let address = m.slice(pointers.write, 0, bits);
    m.mem_write(words, address, inputs.data_in, inputs.push);
    let address = m.slice(pointers.read, 0, bits);
    let word = m.mem_read_async(words, address);
    m.set_next_when(head_reg, load, word);
    let keep = m.not(inputs.pop);
    let kept = m.and(&[valid, keep]);
    let filled = m.or(&[load, kept]);
    let forward = m.not(inputs.rewind);
    let next_valid = m.and(&[filled, forward]);
    m.set_next(valid_reg, next_valid);
    (valid, head)
}
