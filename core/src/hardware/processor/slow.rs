//! Operations that take as long as they take: divisions, and those on many bytes.
//!
//! They stand in a queue, and one after the other is done. What reads and writes many bytes does so through the lanes: it brings its thread
//! back with rows of its own, each a load of up to 8 bytes ([`layout::FETCH`]) or a store, in which the thread does not go on, and
//! with a last one, which has the answer.

use super::puts::{Lane, Shared};
use super::{is, Processor, Settings, FETCH};
use crate::encode::layout::{self, kind, Bits, Opcode};
use crate::hardware::lanes::CUT_STAGE;
use crate::hardware::packets::intake::REACH_BITS;
use crate::hardware::packets::LENGTH_BITS;
use crate::hardware::quotient::{quotient, QuotientIn};
use crate::hardware::shift::{later, upto};
use crate::isa::Compute;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};

/// The most bytes of a copy.
pub const MOST_COPIED: u32 = 1024;
/// Offsets from here on, and below its opposite, mean no byte of any memory.
const FAR: u64 = 1 << 16;
/// Bits of an offset in a row.
const OFFSET_BITS: u32 = 18;

signals! {
    /// What a lane does.
    pub struct SlowLaneIn {
        word: one "stage 0",
        a: one "stage 6",
        b: one "stage 6",
        active: one "stage 9",
    }
}

signals! {
    /// Into the unit.
    pub struct SlowIn {
        settings: all Settings,
        lanes: numbered SlowLaneIn,
        thread_9: one "stage 9: the row's thread",
        enters: one "a packet gets a thread",
        enters_thread: one "which one",
        enters_length: one "its length in bytes",
        value_puts: one "stage 10: word 0 of the value buffer is written",
        value_put_data: one "stage 10: what it becomes",
        loaded: one "what the first load of a row gave",
        room: one "stores may come",
        brought_ready: one "the thread that is offered is brought back",
    }
}

signals! {
    /// Out of the unit.
    pub struct SlowOut {
        waits: one "stage 9: the thread waits for an answer",
        brought_valid: one "a thread is offered",
        brought_thread: one "which one",
        brought_stays: one "it does not go on behind this row",
        brought_lane: maybe "of the row: the lane of its operation",
        brought_word: one "of the row: its operation",
        idle: one "nothing is done, and nothing waits",
    }
}

/// An operation of a row is one of this unit.
pub(super) fn is_slow(m: &mut Module, word: Node) -> Node {
    let many = is(m, word, &[Opcode::Checksum, Opcode::Copy, Opcode::Clear]);
    let divides = divides(m, word);
    m.or(&[many, divides])
}

fn divides(m: &mut Module, word: Node) -> Node {
    let computes = is(m, word, &[Opcode::Compute]);
    let code = m.slice(
        word,
        layout::COMPUTE.lo.into(),
        layout::COMPUTE.width.into(),
    );
    let any = one_of(m, code, |op| QuotientIn::kind(op).is_some());
    m.and(&[computes, any])
}

/// The code is that of a computation for which something holds.
fn one_of(m: &mut Module, code: Node, holds: impl Fn(Compute) -> bool) -> Node {
    let codes = (0..).zip(layout::COMPUTES).filter(|(_, op)| holds(*op));
    let hits: Vec<Node> = codes.map(|(number, _)| m.eq_const(code, number)).collect();
    m.or(&hits)
}

/// Makes the unit.
pub fn slow(design: &mut Design, config: &Processor) -> Block<SlowIn, SlowOut> {
    let name = format!("{}_slow", config.name);
    let mut m = Module::new(
        name,
        "Divisions, and operations on many bytes, one after the other.\n\
         A thread that asks for one waits. Bytes are read and written with rows of its own, up to 8 in each.",
    );
    let thread = config.thread_bits();
    let inputs = m.inputs(SlowIn {
        settings: Settings::widths(config),
        lanes: vec![
            SlowLaneIn {
                word: 128,
                a: 64,
                b: 64,
                active: 1,
            };
            config.shape.lanes.into()
        ],
        thread_9: thread,
        enters: 1,
        enters_thread: thread,
        enters_length: LENGTH_BITS,
        value_puts: 1,
        value_put_data: 64,
        loaded: 64,
        room: 1,
        brought_ready: 1,
    });
    m.section("Operations");
    let (head, waits, pop) = queue(design, &mut m, config, &inputs);
    m.section("Division");
    let quotient = divide(design, &mut m, config, &head);
    m.section("Many bytes");
    let out = walk(&mut m, config, &inputs, &head, &quotient);
    m.drive(pop, out.pop);
    let none = m.not(head.valid);
    let outputs = SlowOut {
        waits,
        brought_valid: out.valid,
        brought_thread: head.thread,
        brought_stays: out.stays,
        brought_lane: out.lane,
        brought_word: out.word,
        idle: none,
    };
    m.into_block(inputs, outputs)
}

/// The operation that is being done.
struct Head {
    valid: Node,
    /// In the first clock of it.
    begins: Node,
    thread: Node,
    lane: Option<Node>,
    low: Node,
    last: Node,
    a: Node,
    b: Node,
    /// Word 0 of the value buffer.
    value: Node,
}

fn queue(
    design: &mut Design,
    m: &mut Module,
    config: &Processor,
    inputs: &SlowIn,
) -> (Head, Node, Node) {
    let lanes: Vec<Lane> = inputs
        .lanes
        .iter()
        .map(|lane| Lane {
            word: lane.word,
            a: lane.a,
            b: lane.b,
            active: lane.active,
        })
        .collect();
    let kinds: Vec<Node> = lanes.iter().map(|lane| is_slow(m, lane.word)).collect();
    let shared = Shared::of(m, "slow", &lanes, &kinds);
    let low = shared.part(m, "low", Bits { lo: 0, width: 32 }, CUT_STAGE + 1);
    let last = shared.part(m, "last", layout::LAST, CUT_STAGE + 1);
    let [a, b] = shared.operands(m);
    let waits = shared.happens(m);
    let comes = m.delay_reset("comes", waits);
    let thread = m.delay("thread_10", inputs.thread_9);
    let lane = shared
        .pick
        .lane
        .map(|lane| later(m, "lane_10", lane, CUT_STAGE));
    let threads = u32::from(config.shape.threads);
    let mem = m.mem("value_word", 64, threads, MemStyle::Distributed);
    m.mem_write(mem, thread, inputs.value_put_data, inputs.value_puts);
    let parts: Vec<Node> = [a, b, low, last, thread].into_iter().chain(lane).collect();
    let word = m.concat(&parts);
    let width = m.width(word);
    let block = fifo(&format!("{}_slow_queue", config.name), width, threads);
    let pop = m.wire(1, "pop");
    let ports = FifoIn {
        push: comes,
        data_in: word,
        pop,
    };
    let out = block.place(design, m, "queue", ports).out;
    let mut at = width;
    let mut parts = parts.iter().map(|part| {
        let bits = m.width(*part);
        at -= bits;
        m.slice(out.data_out, at, bits)
    });
    let mut next = || parts.next().expect("a part");
    let (a, b, low, last, thread) = (next(), next(), next(), next(), next());
    let lane = lane.map(|_| next());
    let under_way = {
        let (reg, node) = m.reg_reset("under_way", 1, 0);
        let goes_on = m.not(pop);
        let stays = m.and(&[out.valid, goes_on]);
        m.set_next(reg, stays);
        node
    };
    let fresh = m.not(under_way);
    let begins = m.and(&[out.valid, fresh]);
    let head = Head {
        valid: out.valid,
        begins,
        value: m.mem_read_async(mem, thread),
        thread,
        lane,
        low,
        last,
        a,
        b,
    };
    (head, waits, pop)
}

/// Done, and what it gives.
struct Divided {
    done: Node,
    result: Node,
    /// The operation is a division.
    is: Node,
}

fn divide(design: &mut Design, m: &mut Module, config: &Processor, head: &Head) -> Divided {
    let word = m.zext(head.low, 128);
    let is = divides(m, word);
    let code = m.slice(
        head.low,
        layout::COMPUTE.lo.into(),
        layout::COMPUTE.width.into(),
    );
    let is_signed = one_of(m, code, |op| {
        QuotientIn::kind(op).is_some_and(|(signed, _)| signed == 1)
    });
    let is_remainder = one_of(m, code, |op| {
        QuotientIn::kind(op).is_some_and(|(_, rest)| rest == 1)
    });
    let start = m.and(&[head.begins, is]);
    let zero = m.zero(1);
    let ports = QuotientIn {
        start,
        a: head.a,
        b: head.b,
        is_signed,
        is_remainder,
        tag: zero,
    };
    let block = quotient(&format!("{}_divider", config.name), 1);
    let out = block.place(design, m, "divider", ports).out;
    let width = m.slice(
        head.low,
        layout::WIDTH.lo.into(),
        layout::WIDTH.width.into(),
    );
    let mask = upto(m, width);
    let cut = m.and(&[out.result, mask]);
    Divided {
        done: m.delay_reset("is_divided", out.done),
        result: m.hold("divided", out.done, cut),
        is,
    }
}

/// What is offered.
struct Walked {
    valid: Node,
    stays: Node,
    lane: Option<Node>,
    word: Node,
    pop: Node,
}

fn walk(
    m: &mut Module,
    config: &Processor,
    inputs: &SlowIn,
    head: &Head,
    divided: &Divided,
) -> Walked {
    let word = m.zext(head.low, 128);
    let [sums, copies, clears] =
        [Opcode::Checksum, Opcode::Copy, Opcode::Clear].map(|opcode| is(m, word, &[opcode]));
    let threads = u32::from(config.shape.threads);
    // How far a thread's packet reaches.
    let length = m.zext(inputs.enters_length, REACH_BITS);
    let beyond = m.ult(length, inputs.settings.tail);
    let reach = m.mux(beyond, inputs.settings.tail, length);
    let mem = m.mem("reach", REACH_BITS, threads, MemStyle::Distributed);
    m.mem_write(mem, inputs.enters_thread, reach, inputs.enters);
    let reach = m.mem_read_async(mem, head.thread);
    let reach = m.delay("reach_of_head", reach);
    let begins = m.delay_reset("begins", head.begins);
    // Where it begins, and how many bytes there are; a clock behind the operation's first one.
    let clipped = |m: &mut Module, name: &str, address: Node| {
        let above = m.slice(address, 16, 48);
        let any = m.reduce_or(above);
        let all = m.reduce_and(above);
        let not_all = m.not(all);
        let far = m.and(&[any, not_all]);
        let near = m.slice(address, 0, OFFSET_BITS);
        let away = m.constant(FAR, OFFSET_BITS);
        let at = m.mux(far, away, near);
        m.delay(format!("{name}_at"), at)
    };
    let from = clipped(m, "from", head.a);
    let into = clipped(m, "into", head.b);
    let asked = m.slice(head.b, 0, 16);
    let copied = m.slice(head.value, 0, 16);
    let asked = m.mux(copies, copied, asked);
    let most = part_of_last(m, head.last, layout::UP_TO);
    let less = m.ult(asked, most);
    let asked = m.mux(less, asked, most);
    let asked = m.delay("bytes_asked", asked);
    // From a place in the packet to where it ends; nothing where that is in front.
    let wide_reach = m.zext(reach, OFFSET_BITS);
    let to_end = m.sub(wide_reach, from);
    let negative = m.bit(to_end, OFFSET_BITS - 1);
    let some = m.not(negative);
    let to_end = m.gate(some, to_end);
    let asked = m.zext(asked, OFFSET_BITS);
    let count = m.mux(clears, to_end, asked);

    // First all is read, then all is written.
    let (writes_reg, writes) = m.reg_reset("writes", 1, 0);
    let (left_reg, left) = m.reg("left", OFFSET_BITS);
    let (at_reg, at) = m.reg("at", OFFSET_BITS);
    let (walks_reg, walks) = m.reg_reset("walks", 1, 0);
    let (done_reg, done) = m.reg_reset("walked", 1, 0);
    let issued = m.wire(1, "issued");
    let step = {
        // A store of bytes that were read has a number of 32 bits.
        let stores_some = m.and(&[copies, writes]);
        let eight = m.constant(8, OFFSET_BITS);
        let four = m.constant(4, OFFSET_BITS);
        m.mux(stores_some, four, eight)
    };
    let is_last = m.ule(left, step);
    let bytes = m.mux(is_last, left, step);
    let none = m.eq_const(left, 0);
    let rest = m.sub(left, bytes);
    let next_at = m.add(at, bytes);
    // What was asked for and is not there yet.
    let clocks = FETCH + config.lanes().late_stage();
    let reads = m.not(writes);
    let fetches = m.and(&[issued, reads]);
    let mut on_way = fetches;
    let mut all = Vec::new();
    for clock in 0..clocks {
        all.push(on_way);
        on_way = m.delay_reset(format!("fetch_{clock}"), on_way);
    }
    let arrives = on_way;
    all.push(arrives);
    let pending = m.or(&all);
    let all_read = m.not(pending);
    let over = m.and(&[walks, none]);
    let read_over = m.and(&[over, reads, all_read]);
    let turns = m.and(&[read_over, copies]);
    let not_copies = m.not(copies);
    let read_ends = m.and(&[read_over, not_copies]);
    let write_ends = m.and(&[over, writes]);
    let ends = m.or(&[read_ends, write_ends]);
    let starts = {
        let many = m.or(&[sums, copies, clears]);
        m.and(&[begins, many])
    };
    let first_write = m.and(&[starts, clears]);
    let stays = m.and(&[writes, walks]);
    let go_on = m.not(ends);
    let stays = m.and(&[stays, go_on]);
    let next = m.or(&[first_write, turns, stays]);
    m.set_next(writes_reg, next);
    let stays = m.and(&[walks, go_on]);
    let next = m.or(&[starts, stays]);
    m.set_next(walks_reg, next);
    let begins_part = m.or(&[starts, turns]);
    let next = m.mux(begins_part, count, rest);
    let changes = m.or(&[begins_part, issued]);
    m.set_next_when(left_reg, changes, next);
    let first_at = m.mux(turns, into, from);
    let next = m.mux(begins_part, first_at, next_at);
    m.set_next_when(at_reg, changes, next);

    // The sum, and the bytes that were read.
    let number_bits = index_bits(u64::from(MOST_COPIED / 8));
    let count_words = |m: &mut Module, name: &str, counts: Node, resets: Node, bits: u32| {
        let (reg, node) = m.reg(name, bits);
        let next = m.add_const(node, 1);
        let zero = m.zero(bits);
        let next = m.mux(resets, zero, next);
        let changes = m.or(&[counts, resets]);
        m.set_next_when(reg, changes, next);
        node
    };
    let written = count_words(m, "word_read", arrives, starts, number_bits);
    let stored = m.and(&[issued, writes]);
    let half = count_words(m, "half_written", stored, turns, number_bits + 1);
    let buffer = m.mem("bytes", 64, MOST_COPIED / 8, MemStyle::Distributed);
    m.mem_write(buffer, written, inputs.loaded, arrives);
    let number = m.slice(half, 1, number_bits);
    let word = m.mem_read_async(buffer, number);
    let high = m.bit(half, 0);
    let (low_half, high_half) = (m.slice(word, 0, 32), m.slice(word, 32, 32));
    let data = m.mux(high, high_half, low_half);
    let data = m.gate(copies, data);
    let sum = {
        let words = (0..4).map(|part| {
            let part = m.slice(inputs.loaded, part * 16, 16);
            m.zext(part, 19)
        });
        let words: Vec<Node> = words.collect();
        let pairs = [m.add(words[0], words[1]), m.add(words[2], words[3])];
        let four = m.add(pairs[0], pairs[1]);
        let four = m.delay("sum_of_words", four);
        let arrived = m.delay_reset("words_arrived", arrives);
        let (reg, sum) = m.reg("sum", 17);
        let wide = m.zext(sum, 19);
        let both = m.add(wide, four);
        let (low, high) = (m.slice(both, 0, 16), m.slice(both, 16, 3));
        let (low, high) = (m.zext(low, 17), m.zext(high, 17));
        let folded = m.add(low, high);
        let zero = m.zero(17);
        let next = m.mux(starts, zero, folded);
        let changes = m.or(&[starts, arrived]);
        m.set_next_when(reg, changes, next);
        let (low, high) = (m.slice(sum, 0, 16), m.slice(sum, 16, 1));
        let high = m.zext(high, 16);
        m.add(low, high)
    };

    // A row in every second clock, so that few stores are on their way.
    let (pause_reg, pause) = m.reg_reset("pause", 1, 0);
    m.set_next(pause_reg, issued);
    let not_pause = m.not(pause);
    let some = m.not(none);
    let may = m.or(&[reads, inputs.room]);
    let offers = m.and(&[walks, some, not_pause, may]);
    // The sum is complete two clocks behind the last word.
    let ended = m.delay_reset("ended", ends);
    let ended = m.delay_reset("ended_late", ended);
    let finished = m.or(&[ended, divided.done]);
    let answer_taken = m.wire(1, "answer_taken");
    let kept = m.not(answer_taken);
    let kept = m.and(&[done, kept]);
    let next = m.or(&[kept, finished]);
    m.set_next(done_reg, next);
    let valid = m.or(&[offers, done]);
    let takes_row = m.and(&[offers, inputs.brought_ready]);
    m.drive(issued, takes_row);
    let takes_answer = m.and(&[done, inputs.brought_ready]);
    m.drive(answer_taken, takes_answer);

    // The rows.
    let memory = m.slice(head.low, layout::MEMORY.lo.into(), 1);
    let copy_into = m.slice(head.low, layout::COPY_INTO.lo.into(), 1);
    let of_write = m.or(&[copy_into, clears]);
    let memory = m.mux(writes, of_write, memory);
    let zero3 = m.zero(3);
    let minus = m.sub_const(bytes, 1);
    let less_one = m.slice(minus, 0, 3);
    let _ = zero3;
    let fetch = m.constant(layout::FETCH, 5);
    let store = m.constant(Opcode::Store as u64, 5);
    let opcode = m.mux(writes, store, fetch);
    let absent = m.zero(2);
    let number_kind = m.constant(kind::NUMBER, 2);
    let b_kind = m.mux(writes, number_kind, absent);
    let guard = m.zero(5);
    let low = {
        let above = m.zero(11);
        let to = m.zero(6);
        m.concat(&[above, memory, to, b_kind, absent, guard, opcode])
    };
    let last = {
        let gap = m.zero(11);
        m.concat(&[less_one, gap, at])
    };
    let no_a = m.zero(32);
    let row = m.concat(&[last, data, no_a, low]);
    let to = m.slice(head.low, layout::TO.lo.into(), layout::TO.width.into());
    let wide_sum = m.zext(sum, 64);
    let value = m.mux(divided.is, divided.result, wide_sum);
    let has_to = m.or(&[divided.is, sums]);
    let answer = {
        let opcode = m.constant(layout::ANSWER, 5);
        let above = m.zero(11);
        let low = m.concat(&[above, has_to, to, absent, number_kind, guard, opcode]);
        let high = m.zero(32);
        m.concat(&[high, value, low])
    };
    let word = m.mux(done, answer, row);
    let lane = head.lane.map(|lane| m.gate(done, lane));
    Walked {
        valid,
        stays: m.not(done),
        lane,
        word,
        pop: takes_answer,
    }
}

fn part_of_last(m: &mut Module, last: Node, bits: Bits) -> Node {
    let lo = bits.lo - layout::LAST.lo;
    m.slice(last, lo.into(), bits.width.into())
}
