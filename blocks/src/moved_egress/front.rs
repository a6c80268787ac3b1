//! Bytes in front: laid over the beats behind the shift, in places that count from where the packet leaves.

use super::Exit;
use crate::moves::OFFSET_BITS;
use hardpath_rtl::Node;

/// Bytes of a beat that are put in front.
#[derive(Clone, Copy)]
pub(super) struct FrontBeat {
    /// A bit for each lane.
    pub(super) lanes: Node,
    pub(super) data: Node,
}

impl Exit<'_> {
    /// What of the beat that a slot leaves with is put in front.
    pub(super) fn front_beat(&mut self, (bytes, length): (Node, Node), slot: Node) -> FrontBeat {
        let (m, beat) = (&mut *self.m, self.beat);
        let most = m.width(bytes) / 8;
        let beats = most.div_ceil(beat);
        let padded = m.zext(bytes, beats * beat * 8);
        let (mut data, mut lanes) = (Vec::new(), Vec::new());
        for number in 0..beats {
            let here = m.eq_const(slot, u64::from(number));
            let part = m.slice(padded, number * beat * 8, beat * 8);
            data.push(m.gate(here, part));
            let mut within = Vec::new();
            for place in (number * beat..(number + 1) * beat).rev() {
                within.push(match place < most {
                    true => {
                        let place = m.constant(u64::from(place), OFFSET_BITS);
                        m.ult(place, length)
                    }
                    false => m.zero(1),
                });
            }
            let within = m.concat(&within);
            lanes.push(m.gate(here, within));
        }
        FrontBeat {
            lanes: m.or(&lanes),
            data: m.or(&data),
        }
    }

    /// The bytes in front, over those that would leave in their place.
    pub(super) fn with_front(&mut self, front: Option<FrontBeat>, data: Node) -> Node {
        let Some(front) = front else {
            return data;
        };
        let m = &mut *self.m;
        let mut bytes = Vec::new();
        for lane in (0..self.beat).rev() {
            let on = m.bit(front.lanes, lane);
            let [ours, below] = [front.data, data].map(|from| m.slice(from, lane * 8, 8));
            bytes.push(m.mux(on, ours, below));
        }
        m.concat(&bytes)
    }
}
