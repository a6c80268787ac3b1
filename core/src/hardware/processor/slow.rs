//! Operations that take as long as they take: divisions, and those on many bytes.
//!
//! They stand in a queue, and one after the other is done. What reads and writes many bytes does so through the lanes: it brings its thread
//! back with rows of its own, each a load of up to 8 bytes ([`layout::FETCH`]) or a store, in which the thread does not go on, and
//! with a last one, which has the answer.

mod walk;

use super::asks::AskOut;
use super::{computes, is, Processor};
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::part;
use crate::hardware::packets::intake::REACH_BITS;
use crate::hardware::quotient::{quotient, QuotientIn};
use crate::hardware::shift::upto;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, MemStyle, Module, Node};
use walk::walk;

/// The most bytes of a copy.
pub const MOST_COPIED: u32 = 4096;

signals! {
    /// Into the unit.
    pub struct SlowIn {
        ask: all AskOut,
        thread_9: one "stage 9: the row's thread",
        enters: one "a packet gets a thread",
        enters_thread: one "which one",
        enters_reach: one "how far its memory reaches behind its first byte",
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
    }
}

/// An operation of a row is one of this unit.
pub(super) fn is_slow(m: &mut Module, word: Node) -> Node {
    let many = is(m, word, &[Opcode::Checksum, Opcode::Copy, Opcode::Clear]);
    let divides = divides(m, word);
    m.or(&[many, divides])
}

fn divides(m: &mut Module, word: Node) -> Node {
    computes(m, word, |op| QuotientIn::kind(op).is_some())
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
        ask: AskOut::widths(config),
        thread_9: thread,
        enters: 1,
        enters_thread: thread,
        enters_reach: REACH_BITS,
        value_puts: 1,
        value_put_data: 64,
        loaded: 64,
        room: 1,
        brought_ready: 1,
    });
    m.section("Operations");
    let (head, waits, pop) = queue(design, &mut m, config, &inputs);
    m.section("Division");
    let divided = divide(design, &mut m, config, &head);
    m.section("Many bytes");
    let out = walk(&mut m, config, &inputs, &head, &divided);
    m.drive(pop, out.over);
    let outputs = SlowOut {
        waits,
        brought_valid: out.valid,
        brought_thread: head.thread,
        brought_stays: out.stays,
        brought_lane: out.lane,
        brought_word: out.word,
    };
    m.into_block(inputs, outputs)
}

/// The operation that is being done.
struct Head {
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
    let ask = &inputs.ask;
    let low = m.delay("low", ask.ask_low);
    let (a, b, last, lane) = (ask.ask_a, ask.ask_b, ask.ask_last, ask.ask_lane);
    let waits = ask.ask_slow;
    let comes = m.delay_reset("comes", waits);
    let thread = m.delay("thread_10", inputs.thread_9);
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
    let is = divides(m, head.low);
    let kind = |m: &mut Module, holds: fn((u64, u64)) -> bool| {
        computes(m, head.low, |op| QuotientIn::kind(op).is_some_and(holds))
    };
    let is_signed = kind(m, |(signed, _)| signed == 1);
    let is_remainder = kind(m, |(_, rest)| rest == 1);
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
    let width = part(m, head.low, layout::WIDTH);
    let mask = upto(m, width);
    let cut = m.and(&[out.result, mask]);
    Divided {
        done: m.delay_reset("is_divided", out.done),
        result: m.hold("divided", out.done, cut),
        is,
    }
}
