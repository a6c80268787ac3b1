//! Beats become lines, and a packet's last one its verdict.

use super::super::{LENGTH_BITS, LINE_BYTES};
use super::{inside, limits_of, Intake, IntakeIn, DRAWN};
use hardpath_blocks::axi::StreamIn;
use hardpath_blocks::index_bits;
use hardpath_blocks::ingress::{assert_packed, length};
use hardpath_rtl::{Module, Node, Reg};

/// A line made of beats, for one clock.
pub(super) struct Line {
    pub valid: Node,
    /// It is the last one of its packet.
    pub last: Node,
    /// It has bytes; only a last one may have none.
    pub some: Node,
    /// Of its packet's program.
    pub bank: Node,
    pub data: Node,
}

/// What becomes of a packet, and what came with it.
#[derive(Clone)]
pub(super) struct Verdict {
    /// It stands here.
    pub valid: Node,
    pub good: Node,
    pub length: Node,
    /// Where stands what came with its first beat ([`DRAWN`]).
    pub drawn_at: Node,
}

/// What is known of beats.
pub(super) struct Beats {
    pub line: Line,
    pub verdict: Verdict,
    pub dropped_bad: Node,
    pub dropped_length: Node,
    /// A packet has begun, or is on its way to lines and verdicts.
    pub waits: Node,
    /// A packet's first beat is taken, and where that is kept which comes with it.
    pub draws: (Node, Node),
    ready: (Reg, Node),
    /// A packet goes on behind the clock.
    inside_next: Node,
}

impl Verdict {
    /// All but whether it is there.
    pub fn parts(&self) -> Vec<Node> {
        vec![self.good, self.length, self.drawn_at]
    }

    /// Of parts in this order.
    pub fn of(valid: Node, parts: &[Node]) -> Verdict {
        Verdict {
            valid,
            good: parts[0],
            length: parts[1],
            drawn_at: parts[2],
        }
    }
}

impl Beats {
    /// Drives `tready`, a register: there is room for what may come until it is seen. Packets begin only while `running`, but go on.
    /// Gives whether lines wait, too.
    pub fn room(&self, m: &mut Module, pop: Node, depth: u32, running: Node) -> (Node, Node) {
        let bits = index_bits(depth.into()) + 1;
        let used = inside(m, "lines", bits, (self.line.valid, pop));
        // A line is counted two clocks behind its beat, and `tready` is seen one later.
        let limit = m.constant(u64::from(depth) - 4, bits);
        let room = m.ult(used, limit);
        let goes_on = m.or(&[running, self.inside_next]);
        let next = m.and(&[room, goes_on]);
        let (reg, ready) = self.ready;
        m.set_next(reg, next);
        (ready, m.reduce_or(used))
    }
}

/// The way of beats.
pub(super) fn beats(m: &mut Module, config: &Intake, inputs: &IntakeIn) -> Beats {
    let ready = m.reg_reset("ready", 1, 0);
    let StreamIn {
        s_axis_tkeep: keep,
        s_axis_tvalid,
        s_axis_tlast: last,
        s_axis_tuser: user,
        ..
    } = inputs.stream;
    let accept = m.and(&[s_axis_tvalid, ready.1]);
    m.name(accept, "accept");
    assert_packed(m, accept, keep, last);
    let (first_reg, first) = m.reg_reset("expect_first", 1, 1);
    let first_next = m.mux(accept, last, first);
    m.set_next(first_reg, first_next);
    let inside_next = m.not(first_next);
    let beat_valid = m.delay_reset("beat_valid", accept);
    // What is not taken stands here, too, but is no beat: registers of a whole beat need no enable.
    let beat_last = m.delay("beat_last", last);
    let beat_keep = m.delay("beat_keep", keep);
    let bad = m.bit(user, 0);
    let beat_bad = m.delay("beat_bad", bad);
    let takes = m.and(&[accept, first]);
    let bank = m.hold("beat_bank", takes, inputs.bank);
    let line = line(
        m,
        config,
        inputs,
        (accept, beat_keep),
        (beat_valid, beat_last, bank),
    );
    let ends = m.and(&[beat_valid, beat_last]);
    let drawn_at = drawn_at(m, takes, ends);
    let judged = judged(
        m,
        config,
        inputs,
        (beat_valid, beat_last, bank),
        (beat_keep, beat_bad),
    );
    // In the clock of its last beat a packet is only here by what came before.
    let inside = m.not(first);
    let waits = m.or(&[inside, inside_next, beat_valid, judged.waits]);
    Beats {
        line,
        verdict: Verdict {
            valid: judged.valid,
            good: judged.good,
            length: judged.length,
            drawn_at: drawn_at.1,
        },
        dropped_bad: judged.dropped_bad,
        dropped_length: judged.dropped_length,
        waits,
        draws: (takes, drawn_at.0),
        ready,
        inside_next,
    }
}

/// Beats side by side, with zeros where there are no bytes.
fn line(
    m: &mut Module,
    config: &Intake,
    inputs: &IntakeIn,
    (accept, beat_keep): (Node, Node),
    (valid, last, bank): (Node, Node, Node),
) -> Line {
    let beats = LINE_BYTES / config.beat_bytes;
    // A choice of zeros is what tools make the reset of registers of, which costs no LUT.
    let zeros = m.zero(8);
    let bytes = (0..config.beat_bytes).rev().map(|lane| {
        let is_kept = m.bit(inputs.stream.s_axis_tkeep, lane);
        let byte = m.slice(inputs.stream.s_axis_tdata, 8 * lane, 8);
        m.mux(is_kept, byte, zeros)
    });
    let bytes: Vec<Node> = bytes.collect();
    let data = m.concat(&bytes);
    let some = m.bit(beat_keep, 0);
    if beats == 1 {
        let data = m.delay("beat_data", data);
        return Line {
            valid,
            last,
            some,
            bank,
            data,
        };
    }
    // Where the beat that is offered goes, and where the one went that stands here.
    let bits = index_bits(beats.into());
    let (slot_reg, slot) = m.reg_reset("slot", bits, 0);
    let next = m.add_const(slot, 1);
    let zero = m.zero(bits);
    let next = m.mux(inputs.stream.s_axis_tlast, zero, next);
    m.set_next_when(slot_reg, accept, next);
    let begins = m.eq(slot, zero);
    let mut parts = Vec::new();
    for number in (0..beats).rev() {
        let here = m.eq_const(slot, number.into());
        let bytes = m.gate(here, data);
        let changes = m.or(&[here, begins]);
        let changes = m.and(&[accept, changes]);
        parts.push(m.hold(format!("line_beat_{number}"), changes, bytes));
    }
    let was_first = m.hold("beat_begins_line", accept, begins);
    let is_full = m.reduce_and(slot);
    let was_last = m.hold("beat_ends_line", accept, is_full);
    let ends = m.or(&[last, was_last]);
    let not_first = m.not(was_first);
    Line {
        valid: m.and(&[valid, ends]),
        last,
        some: m.or(&[some, not_first]),
        bank,
        data: m.concat(&parts),
    }
}

/// Where what comes with a packet's first beat is kept, for the packet whose beat is taken, and beside its verdict.
fn drawn_at(m: &mut Module, takes: Node, ends: Node) -> (Node, Node) {
    let (reg, next) = m.reg_reset("next_drawn", index_bits(DRAWN.into()), 0);
    let after = m.add_const(next, 1);
    m.set_next_when(reg, takes, after);
    let drawn = m.hold("drawn_at", takes, next);
    // A packet's verdict stands behind its last beat, when the next packet may be here.
    (next, m.hold("judged_drawn_at", ends, drawn))
}

/// A verdict, for one clock.
struct Judged {
    valid: Node,
    good: Node,
    length: Node,
    dropped_bad: Node,
    dropped_length: Node,
    /// It is on its way.
    waits: Node,
}

/// The length, in a register; and a clock later whether the packet is taken.
fn judged(
    m: &mut Module,
    config: &Intake,
    inputs: &IntakeIn,
    (beat, last, bank): (Node, Node, Node),
    (keep, bad): (Node, Node),
) -> Judged {
    let number_bits = LENGTH_BITS - config.beat_bytes.trailing_zeros();
    let (number_reg, number) = m.reg_reset("beat_number", number_bits, 0);
    let (many_reg, many) = m.reg_reset("too_many_beats", 1, 0);
    let zero = m.zero(number_bits);
    let next = m.add_const(number, 1);
    let next = m.mux(last, zero, next);
    m.set_next_when(number_reg, beat, next);
    // The number begins again in a packet that is far too long.
    let wraps = m.reduce_and(number);
    let reached = m.or(&[many, wraps]);
    let goes_on = m.not(last);
    let many_next = m.and(&[goes_on, reached]);
    m.set_next_when(many_reg, beat, many_next);

    let ends = m.and(&[beat, last]);
    let length = length(m, number, keep);
    let valid = m.delay_reset("judged", ends);
    let length = m.hold("judged_length", ends, length);
    let bad = m.hold("judged_bad", ends, bad);
    let bank = m.hold("judged_bank", ends, bank);
    let limits = limits_of(m, inputs, bank);
    let many = m.hold("judged_too_many", ends, reached);
    let over = m.ult(limits.longest, length);
    let under = m.ult(length, limits.shortest);
    let wrong = m.or(&[over, under, many]);
    let right = m.not(wrong);
    let not_bad = m.not(bad);
    let bad_strobe = m.and(&[valid, bad]);
    let length_strobe = m.and(&[valid, wrong, not_bad]);
    Judged {
        valid,
        good: m.and(&[right, not_bad]),
        length,
        dropped_bad: m.delay_reset("dropped_bad_reg", bad_strobe),
        dropped_length: m.delay_reset("dropped_length_reg", length_strobe),
        waits: valid,
    }
}
