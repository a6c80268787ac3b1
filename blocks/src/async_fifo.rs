//! A FIFO between two clocks.

use crate::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Clock, Mem, MemStyle, Module, Node};

signals! {
    /// Into the side that writes.
    pub struct AsyncFifoWrite {
        push: one "takes data_in; only while ready",
        /// The word that comes in with `push`.
        data_in: one "",
    }
}

signals! {
    /// Into the side that reads.
    pub struct AsyncFifoRead {
        pop: one "takes data_out; only while valid",
    }
}

signals! {
    /// Into a FIFO between two clocks.
    pub struct AsyncFifoIn {
        write: all AsyncFifoWrite,
        read: all AsyncFifoRead,
    }
}

signals! {
    /// Out of the side that writes.
    pub struct AsyncFifoRoom {
        ready: one "there is room for a word",
    }
}

signals! {
    /// Out of the side that reads.
    pub struct AsyncFifoHead {
        valid: one "data_out is the oldest word",
        /// The oldest word.
        data_out: one "",
    }
}

signals! {
    /// Out of a FIFO between two clocks.
    pub struct AsyncFifoOut {
        write: all AsyncFifoRoom,
        read: all AsyncFifoHead,
    }
}

/// A FIFO of `depth` words (a power of two) of `width` bits, written with its first clock and read with its second one. `style`:
/// `Distributed` or `Block`, whose words are read into a register of their own either way.
///
/// The contract stands in the module's header.
pub fn async_fifo(
    name: &str,
    width: u32,
    depth: u32,
    style: MemStyle,
) -> Block<AsyncFifoIn, AsyncFifoOut> {
    assert!(depth.is_power_of_two() && depth >= 2);
    assert!(matches!(style, MemStyle::Distributed | MemStyle::Block));
    let mut m = Module::new(name, contract(width, depth));
    m.is_crossing = true;
    m.clocks[Clock::FIRST].name = "write_clk".to_string();
    m.clocks[Clock::FIRST].reset = "write_rst".to_string();
    let reading = m.clock("read_clk", "read_rst");
    let write = m.inputs(AsyncFifoWrite {
        push: 1,
        data_in: width,
    });
    m.on(reading);
    let read = m.inputs(AsyncFifoRead { pop: 1 });
    let bits = index_bits(u64::from(depth));

    m.section("Write side");
    m.on(Clock::FIRST);
    let words = m.mem("words", width, depth, style);
    let written = Pointer::new(&mut m, "write", bits, write.push);
    let index = m.slice(written.number, 0, bits);
    m.mem_write(words, index, write.data_in, write.push);

    m.section("Read side");
    m.on(reading);
    let (head, taken) = read_side(&mut m, words, read.pop, written.gray);

    m.section("Room");
    m.on(Clock::FIRST);
    let ready = room(&mut m, write.push, written.gray, taken);
    let room = m.outputs(AsyncFifoRoom { ready });
    let inputs = AsyncFifoIn { write, read };
    let outputs = AsyncFifoOut {
        write: room,
        read: head,
    };
    m.into_block_as_declared(inputs, outputs)
}

/// The oldest word goes into the output's register when that is free. Gives the output, and how many words were taken, in Gray
/// code. `written`: how many there were, as the other side says it.
fn read_side(m: &mut Module, words: Mem, pop: Node, written: Node) -> (AsyncFifoHead, Node) {
    let bits = m.width(written) - 1;
    let (head_valid_reg, valid) = m.reg_reset("head_valid", 1, 0);
    let load = m.wire(1, "load");
    let taken = Pointer::new(m, "read", bits, load);
    let written_seen = m.synchronize("write_gray_seen", written);
    let some_stored = m.ne(written_seen, taken.gray);
    let not_valid = m.not(valid);
    let head_is_free = m.or(&[not_valid, pop]);
    let loads = m.and(&[some_stored, head_is_free]);
    m.drive(load, loads);
    let index = m.slice(taken.number, 0, bits);
    let data_out = m.mem_read_sync(words, index, load);
    let not_popped = m.not(pop);
    let stays = m.and(&[valid, not_popped]);
    let next_valid = m.or(&[load, stays]);
    m.set_next(head_valid_reg, next_valid);
    let pops_nothing = m.and(&[pop, not_valid]);
    let is_sound = m.not(pops_nothing);
    m.assert(
        "no_underflow",
        is_sound,
        "FIFO underflow: a word was popped from an empty FIFO",
    );
    let head = m.outputs(AsyncFifoHead { valid, data_out });
    (head, taken.gray)
}

/// Whether there is room for a word, as far as the other side's news say. `written`, `taken`: how many words, in Gray code.
fn room(m: &mut Module, push: Node, written: Node, taken: Node) -> Node {
    let taken_seen = m.synchronize("read_gray_seen", taken);
    let ready = is_below_depth(m, written, taken_seen);
    let not_ready = m.not(ready);
    let pushes_too_much = m.and(&[push, not_ready]);
    let fits = m.not(pushes_too_much);
    m.assert(
        "no_overflow",
        fits,
        "FIFO overflow: a word was pushed into a full FIFO",
    );
    ready
}

fn contract(width: u32, depth: u32) -> String {
    format!(
        "FIFO between two clocks, {depth} x {width} bits, with its output in registers.\n\
         The clocks have any frequencies and phases, and may stop. push and data_in belong to write_clk, as ready does;\n\
         pop belongs to read_clk, as valid and data_out do.\n\
         A word that is pushed is at the output after at most four edges of read_clk, when those before it have been popped; what is\n\
         popped makes room after at most three edges of write_clk. {depth} words fit, and one more in the output; ready says less\n\
         than that while news of a pop is on its way, never more. One word passes in each clock of the slower side (a FIFO of fewer\n\
         than 8 words may wait for news).\n\
         What crosses are two counters in Gray code, one bit of which changes at a time, through two flip-flops each. Constrain the paths\n\
         from write_gray and read_gray into the first of them to less than a period of the source's clock (datapath only), so that\n\
         no two changes are seen at once.\n\
         Resets: each side has its own, synchronous to its clock, and both sides are reset together: both resets are 1 at once for\n\
         at least three edges of each clock. From the first edge with a reset until both have ended, valid and ready mean nothing, and\n\
         nothing may be pushed or popped. No reset is needed at the start."
    )
}

/// How many words a side has moved, modulo twice the depth: full and empty differ.
struct Pointer {
    number: Node,
    /// The same in Gray code, in a register, for the other side.
    gray: Node,
}

impl Pointer {
    /// `bits`: of an index. `moves`: one word more.
    fn new(m: &mut Module, name: &str, bits: u32, moves: Node) -> Pointer {
        let (number_reg, number) = m.reg_reset(format!("{name}_pointer"), bits + 1, 0);
        let (gray_reg, gray) = m.reg_reset(format!("{name}_gray"), bits + 1, 0);
        let next = m.add_const(number, 1);
        m.name(next, format!("{name}_next"));
        m.set_next_when(number_reg, moves, next);
        let high = m.slice(next, 1, bits);
        let half = m.zext(high, bits + 1);
        let next_gray = m.xor(&[next, half]);
        m.set_next_when(gray_reg, moves, next_gray);
        Pointer { number, gray }
    }
}

/// Whether less than all words are in use. A full FIFO has written its depth more than was taken: in Gray code the two upper bits
/// differ, and the others are the same.
fn is_below_depth(m: &mut Module, written: Node, taken: Node) -> Node {
    let bits = m.width(written);
    let upper = m.slice(taken, bits - 2, 2);
    let opposite = m.not(upper);
    let full_at = match bits {
        2 => opposite,
        _ => {
            let lower = m.slice(taken, 0, bits - 2);
            m.concat(&[opposite, lower])
        }
    };
    m.ne(written, full_at)
}
