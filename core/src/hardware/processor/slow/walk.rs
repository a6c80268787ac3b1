//! Many bytes: first all are read, then all are written, each with rows of their thread.

use super::super::answer::{answer_word, put};
use super::super::{is, part_of_last, Processor, FETCH};
use super::{Divided, Head, SlowIn, MOST_COPIED};
use crate::encode::layout::{self, kind, Opcode};
use crate::hardware::decode::part;
use crate::hardware::packets::intake::REACH_BITS;
use hardpath_blocks::index_bits;
use hardpath_rtl::{MemStyle, Module, Node};

/// Offsets from here on, and below its opposite, mean no byte of any memory.
const FAR: u64 = 1 << 16;
/// Bits of an offset in a row.
const OFFSET_BITS: u32 = layout::MEMORY_OFFSET.width as u32;

/// What is offered.
pub(super) struct Walked {
    pub valid: Node,
    pub stays: Node,
    pub lane: Option<Node>,
    pub word: Node,
    /// The operation is over.
    pub over: Node,
}

/// What is done to the bytes.
struct Kinds {
    sums: Node,
    copies: Node,
    clears: Node,
}

pub(super) fn walk(
    m: &mut Module,
    config: &Processor,
    inputs: &SlowIn,
    head: &Head,
    divided: &Divided,
) -> Walked {
    let [sums, copies, clears] =
        [Opcode::Checksum, Opcode::Copy, Opcode::Clear].map(|opcode| is(m, head.low, &[opcode]));
    let asks = m.mux(copies, head.value, head.b);
    // It stands for some clocks, so what follows the first of them can know its kind out of registers.
    let kinds = Kinds {
        sums: m.delay("sums", sums),
        copies: m.delay("copies", copies),
        clears: m.delay("clears", clears),
    };
    let extent = Extent::new(m, config, (inputs, head), (asks, &kinds));
    let steps = Steps::new(m, config, head, (&kinds, &extent));
    m.section("Bytes that were read");
    let copied = copied(m, inputs, (&kinds, &steps));
    let sum = sum(m, inputs, &steps);
    m.section("What is offered");
    let (done_reg, done) = m.reg_reset("walked", 1, 0);
    // A row in every second clock, so that few stores are on their way, and what they store is read meanwhile.
    let pauses = m.or(&[steps.issued, steps.turns]);
    let pause = m.delay_reset("pause", pauses);
    let not_pause = m.not(pause);
    let reads = m.not(steps.writes);
    let may = m.or(&[reads, inputs.room]);
    let offers = m.and(&[steps.walks, steps.some_left, not_pause, may]);
    let issued = m.and(&[offers, inputs.brought_ready]);
    m.drive(steps.issued, issued);
    // The sum is complete two clocks behind the last word.
    let ended = m.delay_reset("ended", steps.ends);
    let ended = m.delay_reset("ended_late", ended);
    let over = m.and(&[done, inputs.brought_ready]);
    let waits = m.not(over);
    let waits = m.and(&[done, waits]);
    let next = m.or(&[waits, ended, divided.done]);
    m.set_next(done_reg, next);
    let row = row(m, head, (&kinds, &steps), copied);
    let sum = m.zext(sum, 64);
    let value = m.mux(divided.is, divided.result, sum);
    let has_to = m.or(&[divided.is, kinds.sums]);
    let answer = answer_word(m, head.low, (has_to, value));
    Walked {
        valid: m.or(&[offers, done]),
        stays: m.not(done),
        lane: head.lane.map(|lane| m.gate(done, lane)),
        word: m.mux(done, answer, row),
        over,
    }
}

/// Where bytes begin that are read, and those that are written, and how many there are; a clock behind the operation's first one.
struct Extent {
    from: Node,
    into: Node,
    count: Node,
}

impl Extent {
    fn new(
        m: &mut Module,
        config: &Processor,
        (inputs, head): (&SlowIn, &Head),
        (asks, kinds): (Node, &Kinds),
    ) -> Extent {
        let threads = u32::from(config.shape.threads);
        let mem = m.mem("reach", REACH_BITS, threads, MemStyle::Distributed);
        m.mem_write(
            mem,
            inputs.enters_thread,
            inputs.enters_reach,
            inputs.enters,
        );
        let reach = m.mem_read_async(mem, head.thread);
        let reach = m.delay("reach_of_head", reach);
        let from = clipped(m, "from", head.a);
        let asked = m.slice(asks, 0, layout::UP_TO.width.into());
        let most = part_of_last(m, head.last, layout::UP_TO);
        let less = m.ult(asked, most);
        let asked = m.mux(less, asked, most);
        let asked = m.delay("bytes_asked", asked);
        // From a place in the packet to where it ends; nothing where that is in front.
        let reach = m.zext(reach, OFFSET_BITS);
        let to_end = m.sub(reach, from);
        let negative = m.bit(to_end, OFFSET_BITS - 1);
        let some = m.not(negative);
        let to_end = m.gate(some, to_end);
        let asked = m.zext(asked, OFFSET_BITS);
        Extent {
            from,
            into: clipped(m, "into", head.b),
            count: m.mux(kinds.clears, to_end, asked),
        }
    }
}

/// An offset, or one that means no byte in place of one that a row has no room for; in registers.
fn clipped(m: &mut Module, name: &str, address: Node) -> Node {
    let above = m.slice(address, 16, 48);
    let any = m.reduce_or(above);
    let all = m.reduce_and(above);
    let not_all = m.not(all);
    let far = m.and(&[any, not_all]);
    let near = m.slice(address, 0, OFFSET_BITS);
    let away = m.constant(FAR, OFFSET_BITS);
    let at = m.mux(far, away, near);
    m.delay(format!("{name}_at"), at)
}

/// The course of an operation.
struct Steps {
    /// Bytes are read or written; they are written.
    walks: Node,
    writes: Node,
    /// Strobes: it begins; all is read and will be written; it ends.
    starts: Node,
    turns: Node,
    ends: Node,
    /// A wire: the row is brought back.
    issued: Node,
    /// What a row has read comes in this clock.
    arrives: Node,
    /// Where the next row's bytes are, and how many; there are some.
    at: Node,
    bytes: Node,
    some_left: Node,
}

impl Steps {
    fn new(
        m: &mut Module,
        config: &Processor,
        head: &Head,
        (kinds, extent): (&Kinds, &Extent),
    ) -> Steps {
        let (writes_reg, writes) = m.reg_reset("writes", 1, 0);
        let (left_reg, left) = m.reg("left", OFFSET_BITS);
        let (at_reg, at) = m.reg("at", OFFSET_BITS);
        let (walks_reg, walks) = m.reg_reset("walks", 1, 0);
        let issued = m.wire(1, "issued");
        // A store of bytes that were read has a number of 32 bits.
        let stores_some = m.and(&[kinds.copies, writes]);
        let [eight, four] = [8, 4].map(|bytes| m.constant(bytes, OFFSET_BITS));
        let step = m.mux(stores_some, four, eight);
        let is_last = m.ule(left, step);
        let bytes = m.mux(is_last, left, step);
        let some_left = m.reduce_or(left);
        let none_left = m.not(some_left);
        let reads = m.not(writes);
        let fetches = m.and(&[issued, reads]);
        let (arrives, coming) = on_way(m, fetches, FETCH + config.lanes().late_stage());
        let all_read = m.not(coming);
        let over = m.and(&[walks, none_left]);
        let read_over = m.and(&[over, reads, all_read]);
        let turns = m.and(&[read_over, kinds.copies]);
        let not_copies = m.not(kinds.copies);
        let read_ends = m.and(&[read_over, not_copies]);
        let write_ends = m.and(&[over, writes]);
        let ends = m.or(&[read_ends, write_ends]);
        let begins = m.delay_reset("begins", head.begins);
        let many = m.or(&[kinds.sums, kinds.copies, kinds.clears]);
        let starts = m.and(&[begins, many]);
        let goes_on = m.not(ends);
        let first_write = m.and(&[starts, kinds.clears]);
        let stays = m.and(&[writes, goes_on]);
        let next = m.or(&[first_write, turns, stays]);
        m.set_next(writes_reg, next);
        let stays = m.and(&[walks, goes_on]);
        let next = m.or(&[starts, stays]);
        m.set_next(walks_reg, next);
        let begins_part = m.or(&[starts, turns]);
        let changes = m.or(&[begins_part, issued]);
        let rest = m.sub(left, bytes);
        let next = m.mux(begins_part, extent.count, rest);
        m.set_next_when(left_reg, changes, next);
        let first = m.mux(turns, extent.into, extent.from);
        let behind = m.add(at, bytes);
        let next = m.mux(begins_part, first, behind);
        m.set_next_when(at_reg, changes, next);
        Steps {
            walks,
            writes,
            starts,
            turns,
            ends,
            issued,
            arrives,
            at,
            bytes,
            some_left,
        }
    }
}

/// A strobe so many clocks later, and whether there is one on the way or here.
fn on_way(m: &mut Module, strobe: Node, clocks: u32) -> (Node, Node) {
    let mut all = vec![strobe];
    let mut last = strobe;
    for clock in 0..clocks {
        last = m.delay_reset(format!("fetch_{clock}"), last);
        all.push(last);
    }
    (last, m.or(&all))
}

/// 32 bits of what was read, for the row that is written next; of what is cleared zeros.
fn copied(m: &mut Module, inputs: &SlowIn, (kinds, steps): (&Kinds, &Steps)) -> Node {
    let mut count = |name: &str, counts: Node, resets: Node, bits: u32| {
        let (reg, node) = m.reg(name, bits);
        let next = m.add_const(node, 1);
        let zero = m.zero(bits);
        let next = m.mux(resets, zero, next);
        let changes = m.or(&[counts, resets]);
        m.set_next_when(reg, changes, next);
        node
    };
    let bits = index_bits(u64::from(MOST_COPIED / 8));
    let written = count("word_read", steps.arrives, steps.starts, bits);
    let half = count("half_written", steps.issued, steps.turns, bits + 1);
    let buffer = m.mem("bytes", 64, MOST_COPIED / 8, MemStyle::Block);
    m.mem_write(buffer, written, inputs.loaded, steps.arrives);
    let number = m.slice(half, 1, bits);
    let one = m.one();
    let word = m.mem_read_sync(buffer, number, one);
    let is_high = m.bit(half, 0);
    let (low, high) = (m.slice(word, 0, 32), m.slice(word, 32, 32));
    let data = m.mux(is_high, high, low);
    m.gate(kinds.copies, data)
}

/// The ones' complement sum of RFC 1071 over what was read.
fn sum(m: &mut Module, inputs: &SlowIn, steps: &Steps) -> Node {
    let words = (0..4).map(|part| {
        let part = m.slice(inputs.loaded, part * 16, 16);
        m.zext(part, 19)
    });
    let words: Vec<Node> = words.collect();
    let pairs = [m.add(words[0], words[1]), m.add(words[2], words[3])];
    let four = m.add(pairs[0], pairs[1]);
    let four = m.delay("sum_of_words", four);
    let arrived = m.delay_reset("words_arrived", steps.arrives);
    let (reg, sum) = m.reg("sum", 17);
    let wide = m.zext(sum, 19);
    let both = m.add(wide, four);
    let (low, high) = (m.slice(both, 0, 16), m.slice(both, 16, 3));
    let (low, high) = (m.zext(low, 17), m.zext(high, 17));
    let folded = m.add(low, high);
    let zero = m.zero(17);
    let next = m.mux(steps.starts, zero, folded);
    let changes = m.or(&[steps.starts, arrived]);
    m.set_next_when(reg, changes, next);
    let (low, high) = (m.slice(sum, 0, 16), m.slice(sum, 16, 1));
    let high = m.zext(high, 16);
    m.add(low, high)
}

/// A row that reads or writes: its one operation.
fn row(m: &mut Module, head: &Head, (kinds, steps): (&Kinds, &Steps), data: Node) -> Node {
    let read = part(m, head.low, layout::MEMORY);
    let written = part(m, head.low, layout::COPY_INTO);
    // The packet is what is cleared.
    let written = m.or(&[written, kinds.clears]);
    let fetch = m.constant(layout::FETCH, layout::OPCODE.width.into());
    let store = m.constant(Opcode::Store as u64, layout::OPCODE.width.into());
    let number = m.constant(kind::NUMBER, layout::B_KIND.width.into());
    let less_one = m.sub_const(steps.bytes, 1);
    let parts = [
        (layout::OPCODE, m.mux(steps.writes, store, fetch)),
        (layout::B_KIND, m.gate(steps.writes, number)),
        (layout::MEMORY, m.mux(steps.writes, written, read)),
        (layout::B_NUMBER, data),
        (layout::MEMORY_OFFSET, steps.at),
        (
            layout::BYTES,
            m.slice(less_one, 0, layout::BYTES.width.into()),
        ),
    ];
    let nothing = m.zero(128);
    parts
        .into_iter()
        .fold(nothing, |word, (bits, node)| put(m, word, bits, node))
}
