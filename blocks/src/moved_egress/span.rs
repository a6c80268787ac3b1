//! Where what leaves of a packet begins and ends.

use super::{Begin, Exit, Tail};
use crate::cut_through::EndIn;
use crate::egress::{EgressIn, PacketResult};
use crate::ingress::LENGTH_BITS;
use crate::moves::OFFSET_BITS;
use hardpath_rtl::Node;

impl Exit<'_> {
    /// The lowest offset at which a packet may begin.
    pub(super) fn lowest(&self) -> i32 {
        let firsts = self.moves.firsts.as_ref();
        firsts.map_or(i32::MIN, |firsts| firsts[0])
    }

    /// The first byte.
    pub(super) fn first(&mut self, result: &PacketResult) -> Node {
        let m = &mut *self.m;
        match (result.sent.moves.result_from, self.moves.firsts.as_deref()) {
            (Some(from), _) => from,
            (None, Some([one])) => m.constant(*one as u64 & 0xffff, OFFSET_BITS),
            (None, _) => m.zero(OFFSET_BITS),
        }
    }

    /// What follows from the first byte.
    pub(super) fn begin(&mut self, first: Node) -> Begin {
        let m = &mut *self.m;
        let zero = m.zero(OFFSET_BITS);
        let is_behind = match (self.ways.before, self.ways.behind) {
            (true, true) => {
                // Above 0: as logic, because sums follow.
                let negative = m.bit(first, OFFSET_BITS - 1);
                let positive = m.not(negative);
                let other = m.reduce_or(first);
                m.and(&[positive, other])
            }
            (_, behind) => m.constant(behind.into(), 1),
        };
        let last_lane = m.constant(u64::from(self.beat - 1), OFFSET_BITS);
        let round = m.mux(is_behind, zero, last_lane);
        let rounded = m.add(first, round);
        Begin {
            first,
            is_behind,
            rounded,
            number: m.slice(rounded, self.lane_bits, self.number_bits),
        }
    }

    /// The end of a packet that came with its result.
    pub(super) fn tail(&mut self, result: &PacketResult, begin: &Begin, take: Node) -> Tail {
        let length = result.result_length.expect("of an exit that moves");
        let end = match result.sent.moves.result_end {
            Some(end) => end,
            None => self.m.zext(length, OFFSET_BITS),
        };
        self.held_tail(length, end, begin, (take, None))
    }

    /// The end of a packet that is told apart: it comes with the result, or later. `valid`: a packet is ready; `take`: the next result is
    /// taken. Gives whether an end is taken, too.
    pub(super) fn tail_apart(
        &mut self,
        inputs: &EgressIn,
        end: &EndIn,
        begin: &Begin,
        (valid, take): (Node, Node),
    ) -> (Tail, Node) {
        let m = &mut *self.m;
        let (known_reg, known) = m.reg_reset("ready_end_known", 1, 0);
        let open = m.not(known);
        let waits = m.and(&[valid, open]);
        let wants = m.mux(take, inputs.result_valid, waits);
        let takes_end = m.and(&[end.end_valid, wants]);
        m.name(takes_end, "takes_end");
        let stays = m.not(take);
        let still = m.and(&[known, stays]);
        let known_next = m.or(&[takes_end, still]);
        m.set_next(known_reg, known_next);
        let first = match m.as_const(begin.first) {
            Some(_) => begin.first,
            None => {
                let held = m.hold("ready_first", take, begin.first);
                m.mux(take, begin.first, held)
            }
        };
        let bad = m.hold("ready_bad", takes_end, end.end_bad);
        let length = end.end_length.expect("of an exit that moves");
        let end = m.zext(length, OFFSET_BITS);
        let begin = self.begin(first);
        let told = Some((known, bad));
        let tail = self.held_tail(length, end, &begin, (takes_end, told));
        (tail, takes_end)
    }

    fn held_tail(
        &mut self,
        length: Node,
        end: Node,
        begin: &Begin,
        (enable, told): (Node, Option<(Node, Node)>),
    ) -> Tail {
        let frames = self.frames(length);
        let m = &mut *self.m;
        let not_first = m.not(begin.first);
        let last_byte = m.add(end, not_first);
        m.name(last_byte, "last_byte");
        let last_out = m.slice(last_byte, self.lane_bits, self.number_bits);
        let count = m.slice(last_byte, 0, self.lane_bits);
        let last_slot = if self.ways.behind {
            let before_end = m.add_const(end, 0xffff);
            let last_number = m.slice(before_end, self.lane_bits, self.number_bits);
            // Of one that begins behind offset 0 nothing is rounded, so these need not wait for the sum that does.
            let first_number = m.slice(begin.first, self.lane_bits, self.number_bits);
            let slots = m.sub(last_number, first_number);
            m.mux(begin.is_behind, slots, last_out)
        } else {
            last_out
        };
        let mut held = |name: &str, node: Node| m.hold(format!("ready_{name}"), enable, node);
        Tail {
            told,
            takes_last_slot: last_slot,
            frames: held("frames", frames),
            last_out: held("last_out", last_out),
            last_slot: held("last_slot", last_slot),
            count: held("count", count),
        }
    }

    /// How many frames the packet has in the frame FIFO.
    fn frames(&mut self, length: Node) -> Node {
        let m = &mut *self.m;
        let one = m.constant(1, LENGTH_BITS);
        let before_length = m.sub(length, one);
        let frames_bits = LENGTH_BITS - self.lane_bits;
        let frames = m.slice(before_length, self.lane_bits, frames_bits);
        let frames = m.zext(frames, frames_bits + 1);
        m.add_const(frames, 1)
    }
}
