//! From slot to slot of a packet, and from packet to packet.

use super::{Exit, Ready};
use crate::cut_through::frames_there;
use crate::egress::FrameRead;
use crate::index_bits;
use hardpath_rtl::Node;

/// The way through a packet's frames.
pub(super) struct Frames {
    pub(super) slot: Node,
    /// The number of the beat that the slot reads.
    pub(super) number: Node,
    pub(super) reads: Node,
    pub(super) is_last: Node,
    /// The packet is through.
    pub(super) done: Node,
    pub(super) port: FrameRead,
}

/// Where a slot reads.
struct Place {
    /// The number of its beat.
    number: Node,
    address: Node,
    /// The address of the packet's first frame.
    base: Node,
}

impl Exit<'_> {
    /// `take`, a wire: the next result is taken; `start`: where it begins.
    /// `behind`: where frames come in that belong to packets whose end is not known.
    pub(super) fn walk(
        &mut self,
        ready: &Ready,
        (take, start): (Node, Node),
        behind: Option<Node>,
        advance: Node,
    ) -> Frames {
        let frame_bits = index_bits(u64::from(self.config.frame_depth));
        let m = &mut *self.m;
        let (number_reg, number) = m.reg("beat_number", self.number_bits);
        let (base_reg, base) = m.reg_reset("frame_read_pointer_reg", frame_bits, 0);
        let distance = match self.number_bits < frame_bits {
            true => m.sext(number, frame_bits),
            false => m.slice(number, 0, frame_bits),
        };
        let address = m.add(base, distance);
        let (slot_reg, slot) = m.reg_reset("slot", self.number_bits, 0);
        let told = ready.tail.told.map(|(known, _)| known);
        let early = (self.config.end_early && told.is_none()).then(|| m.reg("finishes", 1));
        let mut is_last_slot = match early {
            // Which holds for what goes nowhere, too.
            Some((_, finishes)) => finishes,
            None => m.eq(slot, ready.tail.last_slot),
        };
        let mut is_last = m.eq(slot, ready.tail.last_out);
        let mut may_go = m.one();
        if let Some((known, behind)) = told.zip(behind) {
            let place = Place {
                number,
                address,
                base,
            };
            let not_last = self.is_not_last(ready, behind, &place);
            let m = &mut *self.m;
            may_go = m.or(&[known, not_last]);
            is_last_slot = m.and(&[is_last_slot, known]);
            is_last = m.and(&[is_last, known]);
        }
        let m = &mut *self.m;
        let active = m.and(&[ready.valid, advance, may_go]);
        let reads = m.and(&[active, ready.sent_on]);
        let finishes = match early {
            Some(_) => is_last_slot,
            None => {
                let forgotten = m.not(ready.sent_on);
                m.or(&[forgotten, is_last_slot])
            }
        };
        let done = m.and(&[active, finishes]);
        m.name(done, "done");
        let free = m.not(ready.valid);
        let takes = m.or(&[free, done]);
        m.drive(take, takes);
        let next_slot = m.add_const(slot, 1);
        let first_slot = m.zero(self.number_bits);
        let slot_next = m.mux(done, first_slot, next_slot);
        m.set_next_when(slot_reg, active, slot_next);
        let next_number = m.add_const(number, 1);
        let number_next = m.mux(take, start, next_number);
        let moves = m.or(&[take, active]);
        m.set_next_when(number_reg, moves, number_next);
        if let Some((finishes_reg, _)) = early {
            let takes_last = self.takes_last(ready);
            let m = &mut *self.m;
            let next_is_last = m.eq(next_slot, ready.tail.last_slot);
            let next = m.mux(take, takes_last, next_is_last);
            m.set_next_when(finishes_reg, moves, next);
        }
        let m = &mut *self.m;
        let frames = m.resize(ready.tail.frames, frame_bits);
        let next_base = m.add(base, frames);
        let base_moves = match ready.beside.again {
            Some(again) => {
                let last = m.not(again);
                m.and(&[done, last])
            }
            None => done,
        };
        m.set_next_when(base_reg, base_moves, next_base);
        Frames {
            slot,
            number,
            reads,
            is_last,
            done,
            port: FrameRead {
                frame_read: advance,
                frame_read_pointer: base,
                frame_read_address: Some(address),
            },
        }
    }

    /// Frames are there that say that a slot of a packet that is sent on is not its last one.
    fn is_not_last(&mut self, ready: &Ready, behind: Node, place: &Place) -> Node {
        let lowest = self.lowest();
        let m = &mut *self.m;
        let (two, three) = frames_there(m, behind, place.address);
        let enough = m.mux(ready.is_behind, three, two);
        // A beat of headroom has no frame, but those behind it must follow without a gap.
        let enough = match lowest <= -(self.beat as i32) {
            true => {
                let is_headroom = m.bit(place.number, self.number_bits - 1);
                let (two, _) = frames_there(m, behind, place.base);
                m.mux(is_headroom, two, enough)
            }
            false => enough,
        };
        m.and(&[ready.sent_on, enough])
    }

    /// The packet that is taken is through with its first slot.
    fn takes_last(&mut self, ready: &Ready) -> Node {
        let m = &mut *self.m;
        let goes_nowhere = m.not(ready.takes_sent_on);
        let has_one = m.eq_const(ready.tail.takes_last_slot, 0);
        m.or(&[goes_nowhere, has_one])
    }
}
