//! A job made ready: what is the same in all its slots, in registers or in a memory.

use super::slots::Way;
use super::{JobIn, TransmitIn, FRONT_BYTES, OFFSET_BITS};
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// Jobs that can be between their first slot and their last beat, or have their front here.
const JOBS: u32 = 8;
/// Bits of their number.
const JOB_BITS: u32 = JOBS.trailing_zeros();

/// A job, ready.
pub(super) struct Job {
    /// There is one.
    pub valid: Node,
    pub forwarded: Node,
    pub lines: Node,
    pub front_lines: Node,
    pub again: Option<Node>,
    pub fate_outputs: Option<Node>,
    /// Where its words stand.
    pub number: Node,
    /// The byte of a unit that is lane 0.
    pub turn: Node,
    pub zeros: Node,
    pub front_length: Node,
    /// The last beat, its last lane, and whether it has none.
    pub last_beat: Node,
    pub last_lane: Node,
    pub empty: Node,
    pub last_slot: Node,
    /// The first unit, and where it stands in the ring, for the clock in which the job is taken.
    pub first_unit: Node,
    pub first_place: Node,
    /// Wires: another job is taken; the job is over.
    pub takes: Node,
    pub done: Node,
    words: Words,
}

/// What beats need of their jobs.
struct Words {
    fronts: Mem,
    mem: Mem,
    parts: Vec<Node>,
}

/// What a beat gets of its job.
pub(super) struct OfJob {
    pub front: Node,
    pub class: Node,
    pub index: Node,
    pub outputs: Option<Node>,
    pub again: Option<Node>,
}

/// Where what leaves begins and ends, in units.
struct Span {
    turn: Node,
    first_unit: Node,
    last_beat: Node,
    last_lane: Node,
    empty: Node,
    last_slot: Node,
}

impl Job {
    /// `takes` and `done` are driven by [`Way::walk`].
    pub fn new(way: &mut Way, inputs: &TransmitIn) -> Job {
        let given = &inputs.job;
        let span = Span::of(way, given);
        let m = &mut *way.m;
        let (takes, done) = (m.wire(1, "takes_job"), m.wire(1, "done"));
        let is_taken = m.and(&[takes, given.job_valid]);
        let (number_reg, next_number) = m.reg_reset("next_job", JOB_BITS, 0);
        let after = m.add_const(next_number, 1);
        m.set_next_when(number_reg, is_taken, after);
        let words = Words::new(m, inputs, (next_number, is_taken));
        let valid = m.hold_reset("job_valid_reg", takes, given.job_valid);
        let fate_outputs = given.job_fate_outputs.or(given.job_outputs);
        let place = first_place(m, given.job_line, span.first_unit);
        let mut hold = |name: &str, node: Node| m.hold(format!("job_{name}_reg"), takes, node);
        Job {
            valid,
            forwarded: hold("forwarded", given.job_forwarded),
            lines: hold("lines", given.job_lines),
            front_lines: hold("front_lines", given.job_front_lines),
            again: given.job_again.map(|node| hold("again", node)),
            fate_outputs: fate_outputs.map(|node| hold("fate_outputs", node)),
            number: hold("number", next_number),
            turn: hold("turn", span.turn),
            zeros: hold("zeros", given.job_zeros),
            front_length: hold("front_length", given.job_front_length),
            last_beat: hold("last_beat", span.last_beat),
            last_lane: hold("last_lane", span.last_lane),
            empty: hold("empty", span.empty),
            last_slot: hold("last_slot", span.last_slot),
            first_unit: span.first_unit,
            first_place: place,
            takes,
            done,
            words,
        }
    }

    /// What stands in the words of a job.
    pub fn of(&self, m: &mut Module, number: Node) -> OfJob {
        let word = m.mem_read_async(self.words.mem, number);
        let mut at = m.width(word);
        let parts = self.words.parts.iter().map(|part| {
            let bits = m.width(*part);
            at -= bits;
            m.slice(word, at, bits)
        });
        let parts: Vec<Node> = parts.collect();
        let has_outputs = self.fate_outputs.is_some();
        OfJob {
            front: m.mem_read_async(self.words.fronts, number),
            class: parts[0],
            index: parts[1],
            outputs: has_outputs.then(|| parts[2]),
            again: self.again.map(|_| parts[parts.len() - 1]),
        }
    }
}

impl Words {
    fn new(m: &mut Module, inputs: &TransmitIn, (number, write): (Node, Node)) -> Words {
        let (given, front) = (&inputs.job, &inputs.front);
        let fronts = m.mem("fronts", FRONT_BYTES * 8, JOBS, MemStyle::Distributed);
        // As jobs are, but earlier.
        let (at_reg, at) = m.reg_reset("next_front", JOB_BITS, 0);
        let next = m.add_const(at, 1);
        m.set_next_when(at_reg, front.front_comes, next);
        m.mem_write(fronts, at, front.front, front.front_comes);
        let parts = [given.job_class, given.job_index];
        let parts = parts.into_iter().chain(given.job_outputs);
        let parts: Vec<Node> = parts.chain(given.job_again).collect();
        let word = m.concat(&parts);
        let mem = m.mem("jobs", m.width(word), JOBS, MemStyle::Distributed);
        m.mem_write(mem, number, word, write);
        Words { fronts, mem, parts }
    }
}

impl Span {
    fn of(way: &mut Way, given: &JobIn) -> Span {
        let (lane_bits, unit_bits) = (way.lane_bits(), way.unit_bits());
        let m = &mut *way.m;
        let front = m.zext(given.job_front_length, OFFSET_BITS);
        let first = m.sub(given.job_from, front);
        m.name(first, "first");
        let not_first = m.not(first);
        // The number of the last byte that leaves; −1 when there is none, which is known before.
        let last_byte = m.add(given.job_end, not_first);
        m.name(last_byte, "last_byte");
        let inside = m.ne(given.job_from, given.job_end);
        let in_front = m.reduce_or(given.job_front_length);
        let some = m.or(&[inside, in_front]);
        let empty = m.not(some);
        let before_end = m.add_const(given.job_end, 0xffff);
        let last_unit = m.slice(before_end, lane_bits, unit_bits);
        let first_unit = m.slice(first, lane_bits, unit_bits);
        let last_slot = m.sub(last_unit, first_unit);
        let last_beat = m.slice(last_byte, lane_bits, unit_bits);
        in_order(m, given);
        Span {
            turn: m.slice(first, 0, lane_bits),
            first_unit,
            last_beat: m.gate(some, last_beat),
            last_lane: m.slice(last_byte, 0, lane_bits),
            empty,
            last_slot: m.gate(some, last_slot),
        }
    }
}

/// Where a packet's first unit that is read stands in the ring: the number of its line, and below it that of the unit in the line.
fn first_place(m: &mut Module, line: Node, unit: Node) -> Node {
    let in_line = super::LINE_BYTES.trailing_zeros() - (OFFSET_BITS - m.width(unit));
    let place = match in_line {
        0 => line,
        bits => {
            let zeros = m.zero(bits);
            m.concat(&[line, zeros])
        }
    };
    let bits = m.width(place);
    let unit = match bits > m.width(unit) {
        true => m.sext(unit, bits),
        false => m.slice(unit, 0, bits),
    };
    m.add(place, unit)
}

/// Asserts that a job ends where it begins, or behind.
fn in_order(m: &mut Module, given: &JobIn) {
    let before = m.compare(hardpath_rtl::NodeOp::Slt, given.job_end, given.job_from);
    let backwards = m.and(&[given.job_valid, given.job_forwarded, before]);
    let sound = m.not(backwards);
    m.assert("job_in_order", sound, "a packet ends before it begins");
}
