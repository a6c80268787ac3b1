//! Where packets go out whose head or tail the program may have moved: the exit with a realigner.
//!
//! The exit works on the packet's bytes at absolute offsets: 0 is where the packet began when it came in, bytes before
//! that are headroom. A *beat* of them is a whole bus width, number 0 begins at offset 0. A packet that begins at
//! `first` and leaves takes one *slot* for each beat that it has on its way out; each slot reads one beat of frames,
//! overlays the bytes that the program wrote, and forms one beat out of two neighbouring ones:
//!
//! ```text
//! beats        |  −1 (overlays only)  |  0 (frame)           |  1 (frame)
//! first = −20                    [=======][=====================…         leaves in slots 0, 1, …
//! ```
//!
//! * A packet that begins at or before offset 0 reads, in slot 0, the beat *behind* the one in which it begins: that one
//!   is headroom and has no frame. So one that fits in a beat takes one clock, wherever it begins.
//! * A packet that begins behind offset 0 reads the beat in which it begins first, and its beats are formed a clock
//!   later, from that slot's beat and the next one's, whosever that is. Its last slot may only bring bytes along.
//! * Where the end of a packet is told apart ([`crate::cut_through`]), a slot waits until it is sure that it is not the last one: until the
//!   next beat is there, or, of a packet that begins behind offset 0, the one behind that. So what a slot takes from the next one's beat
//!   is there, too, when no slot follows at once; and what it takes from the one before is kept until then.

mod front;
mod realign;
mod span;
mod walk;

use crate::egress::{
    fate_strobe, offset_name, rewritten, sent_to_someone, whole_destination, Beside, Egress,
    EgressIn, EgressOut, Lanes,
};
use crate::moves::{Distance, Moves, Ways, OFFSET_BITS};
use crate::output_stage::{Beat, OutputStage};
use front::FrontBeat;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Module, Node, NodeOp};
use realign::{Realign, MOST_WIRED};
use std::collections::BTreeSet;
use walk::Frames;

/// What follows a slot on its way: one value for each stage of registers.
#[derive(Clone)]
struct Slot {
    valid: Node,
    last: Node,
    /// Forms a beat.
    emits: Node,
    /// The last lane of the last beat.
    count: Node,
    /// Wired: a bit for each distance. Shifted: whether it begins behind offset 0, and the distance.
    distance: Node,
    beside: Beside,
    front: Option<FrontBeat>,
    /// It is the last one of a packet that leaves with the mark of a bad frame.
    bad: Option<Node>,
}

impl Slot {
    /// The same one clock of the exit later.
    fn delayed(&self, m: &mut Module, prefix: &str, advance: Node) -> Slot {
        let mut held = |name: &str, node: Node| m.hold(format!("{prefix}_{name}"), advance, node);
        let (last, emits) = (held("last", self.last), held("emits", self.emits));
        let (count, distance) = (held("count", self.count), held("distance", self.distance));
        let front = self.front.map(|front| FrontBeat {
            lanes: held("front_lanes", front.lanes),
            data: held("front", front.data),
        });
        let bad = self.bad.map(|bad| held("bad", bad));
        let beside = self.beside.held(m, prefix, advance);
        Slot {
            valid: m.hold_reset(format!("{prefix}_valid"), advance, self.valid),
            last,
            emits,
            count,
            distance,
            beside,
            front,
            bad,
        }
    }
}

/// A result made ready: everything that is the same in all its slots, in registers.
struct Ready {
    valid: Node,
    /// A result waits to be made ready.
    result_valid: Node,
    sent_on: Node,
    /// The same of the packet that is taken: not in a register yet.
    takes_sent_on: Node,
    beside: Beside,
    /// Bytes and length.
    front: Option<(Node, Node)>,
    keep: Option<Node>,
    tail: Tail,
    /// It begins behind offset 0.
    is_behind: Node,
    distance: Node,
    /// Offset, bytes, enable, data.
    overlays: Vec<(i32, u32, Node, Node)>,
}

/// Where what leaves of a packet begins.
struct Begin {
    /// Its first byte.
    first: Node,
    /// It begins behind offset 0.
    is_behind: Node,
    /// The first byte, where that is not behind offset 0 with almost a beat more.
    rounded: Node,
    /// The number of the beat that slot 0 reads.
    number: Node,
}

/// What follows from the end of a packet.
struct Tail {
    /// Whether it is known, and that packet leaves with the mark of a bad frame; `None`: it always is, and none does.
    told: Option<(Node, Node)>,
    /// Frames of the packet as it came in.
    frames: Node,
    /// The last slot that forms a beat, and the last slot.
    last_out: Node,
    last_slot: Node,
    /// The same of the packet that is taken: not in a register yet.
    takes_last_slot: Node,
    /// The last lane of the last beat.
    count: Node,
}

/// The exit for a program that moves packets; for the rest of the contract see [`crate::egress::egress`].
pub fn moved_egress(config: &Egress, moves: &Moves) -> Block<EgressIn, EgressOut> {
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Exit: takes a packet's result, reads its frames, overlays the bytes that the program wrote, shifts them\n\
             to where the packet begins now, and sends them as AXI4-Stream, {} bytes a beat.\n\
             A packet that is not forwarded is forgotten in one clock. While tvalid is 1 and tready is 0, the\n\
             beat stays as it is; {}",
            config.beat_bytes,
            config.says_of_gaps()
        ),
    );
    let inputs = m.inputs(config.input_widths(Some(moves)));
    let outputs = Exit::new(&mut m, config, moves).build(&inputs);
    m.into_block(inputs, outputs)
}

struct Exit<'a> {
    m: &'a mut Module,
    config: &'a Egress,
    moves: &'a Moves,
    ways: Ways,
    realign: Realign,
    beat: u32,
    lane_bits: u32,
    /// Bits of the number of a beat, in two's complement.
    number_bits: u32,
}

impl<'a> Exit<'a> {
    fn new(m: &'a mut Module, config: &'a Egress, moves: &'a Moves) -> Exit<'a> {
        let beat = config.beat_bytes;
        let distances = moves.firsts.as_ref().map(|firsts| {
            let all: BTreeSet<Distance> = firsts
                .iter()
                .map(|first| Distance::of(*first, beat))
                .collect();
            all.into_iter().collect::<Vec<Distance>>()
        });
        let realign = match distances {
            Some(all) if all.len() <= MOST_WIRED => Realign::Wired(all),
            _ => Realign::Shifted,
        };
        let lane_bits = beat.trailing_zeros();
        Exit {
            m,
            config,
            moves,
            ways: moves.ways(),
            realign,
            beat,
            lane_bits,
            number_bits: OFFSET_BITS - lane_bits,
        }
    }

    fn build(&mut self, inputs: &EgressIn) -> EgressOut {
        let output = OutputStage::new(self.m);
        let advance = output.moves;
        let take = self.m.wire(1, "take");
        let start = self.m.wire(self.number_bits, "start");
        let (ready, end_pop) = self.ready(inputs, take, start);
        self.m.section("Which frame is read");
        // The end of a packet is known a clock after it is taken, and no later than the frames of the next one.
        let m = &mut *self.m;
        let behind = inputs.end.as_ref();
        let behind = behind.map(|end| m.delay("frames_behind_reg", end.frames_behind));
        let frames = self.walk(&ready, (take, start), behind, advance);
        let m = &mut *self.m;
        let result_pop = m.and(&[take, ready.result_valid]);
        let fate = fate_strobe(m, frames.done, &ready.beside, ready.sent_on);
        m.section("The frame is read; what belongs to it waits");
        let zero = m.zero(self.number_bits);
        let is_first = m.eq(frames.slot, zero);
        let read = self
            .issued(&ready, &frames)
            .delayed(self.m, "read", advance);
        let is_first = self.m.hold("read_first", advance, is_first);
        let frame = self.zeros_outside(inputs.frame_read_data, frames.number, ready.keep, advance);
        let (whole, before) = self.overlaid(frame, frames.number, &ready, advance);
        self.m.section("The beat as the program left it");
        let (leaving, data) = self.form(&read, (whole, before), is_first, advance);
        let beat = self.beat(&leaving, data);
        let config = self.config;
        let whole = |m: &mut Module, varies| whole_destination(m, config, varies);
        let stream = output.send(self.m, whole, &beat, inputs.m_axis_tready);
        EgressOut {
            result_pop,
            end_pop,
            frame: frames.port,
            stream,
            fate,
        }
    }

    /// The slot whose frame is read in this clock.
    fn issued(&mut self, ready: &Ready, frames: &Frames) -> Slot {
        let (tail, m) = (&ready.tail, &mut *self.m);
        let mut emits = m.ule(frames.slot, tail.last_out);
        if let Some((known, _)) = tail.told {
            let open = m.not(known);
            emits = m.or(&[emits, open]);
        }
        let bad = tail.told.map(|(_, bad)| m.and(&[bad, frames.is_last]));
        Slot {
            valid: frames.reads,
            last: frames.is_last,
            emits,
            count: tail.count,
            distance: ready.distance,
            beside: ready.beside.of_beats(),
            front: ready.front.map(|front| self.front_beat(front, frames.slot)),
            bad,
        }
    }

    /// One beat out of a slot's and its neighbour's, and the slot that it leaves with. `before`: the beat before slot 0.
    fn form(
        &mut self,
        read: &Slot,
        (whole, before): (Node, Node),
        is_first: Node,
        advance: Node,
    ) -> (Slot, Node) {
        let m = &mut *self.m;
        let held = read.delayed(m, "beat", advance);
        let now = m.hold("beat_bytes", advance, whole);
        // The beat before the one of a slot: of the slot before, or headroom.
        let low = match self.ways.before {
            true => {
                let last = match self.config.cut_through {
                    false => now,
                    // Between two slots there may be clocks without one.
                    true => {
                        let takes = m.and(&[advance, read.valid]);
                        m.hold("last_beat_bytes", takes, whole)
                    }
                };
                let low = m.mux(is_first, before, last);
                Some(m.hold("low_bytes", advance, low))
            }
            false => None,
        };
        let (leaving, before, behind) = if self.ways.behind {
            let later = held.delayed(m, "later", advance);
            let earlier = m.hold("later_bytes", advance, now);
            let low = low.map(|low| m.hold("later_low_bytes", advance, low));
            let before = low.map(|low| (low, earlier));
            (later, before, Some((earlier, now)))
        } else {
            (held, low.map(|low| (low, now)), None)
        };
        let data = self.realigned(leaving.distance, before, behind);
        (leaving, data)
    }

    /// Takes results and makes them ready; and whether it takes the end of a packet, where that is told apart.
    fn ready(&mut self, inputs: &EgressIn, take: Node, start: Node) -> (Ready, Option<Node>) {
        let result = &inputs.result;
        self.m.section("A result is made ready");
        let first = self.first(result);
        let begin = self.begin(first);
        self.m.drive(start, begin.number);
        let distance = self.distance(&begin);
        let m = &mut *self.m;
        let goes = sent_to_someone(m, inputs);
        let beside = Beside::of(inputs).held(m, "ready", take);
        let (valid_reg, valid) = m.reg_reset("ready_valid", 1, 0);
        m.set_next_when(valid_reg, take, inputs.result_valid);
        let (tail, end_pop) = match &inputs.end {
            None => (self.tail(result, &begin, take), None),
            Some(end) => {
                let (tail, pop) = self.tail_apart(inputs, end, &begin, (valid, take));
                (tail, Some(pop))
            }
        };
        let m = &mut *self.m;
        let mut held = |name: &str, node: Node| m.hold(format!("ready_{name}"), take, node);
        let keep = result.sent.moves.result_keep;
        let keep = keep.map(|node| held("keep", node));
        let front = result.sent.moves.front.as_ref().map(|front| {
            let length = front.result_front_length;
            let length = length.map(|node| held("front_length", node));
            (held("front", front.result_front), length)
        });
        let overlays = self.config.overlays.iter().zip(&result.overlay);
        let overlays = overlays
            .map(|((offset, bytes), (label, given))| {
                let enable = held(&format!("overlay_{label}_enable"), given.enable);
                let data = held(&format!("overlay_{label}_data"), given.data);
                (*offset, *bytes, enable, data)
            })
            .collect();
        let (distance, sent_on) = (held("distance", distance), held("sent_on", goes));
        let is_behind = match self.config.cut_through && self.ways.before && self.ways.behind {
            true => held("is_behind", begin.is_behind),
            false => begin.is_behind,
        };
        let always = self.moves.front.and_then(|front| front.length);
        let front = front.map(|(bytes, length)| {
            let known = || m.constant(u64::from(always.unwrap_or(0)), OFFSET_BITS);
            (bytes, length.unwrap_or_else(known))
        });
        let ready = Ready {
            valid,
            result_valid: inputs.result_valid,
            sent_on,
            takes_sent_on: goes,
            beside,
            front,
            keep,
            tail,
            is_behind,
            distance,
            overlays,
        };
        (ready, end_pop)
    }

    /// The frame with zeros where it is headroom or a tail that has grown.
    fn zeros_outside(
        &mut self,
        frame: Node,
        number: Node,
        keep: Option<Node>,
        advance: Node,
    ) -> Node {
        let (mut frame, lowest) = (frame, self.lowest());
        let m = &mut *self.m;
        if lowest <= -(self.beat as i32) {
            let is_headroom = m.bit(number, self.number_bits - 1);
            let is_headroom = m.hold("read_headroom", advance, is_headroom);
            let is_frame = m.not(is_headroom);
            frame = m.gate(is_frame, frame);
        }
        let Some(keep) = keep else {
            return frame;
        };
        let kept_beats = m.slice(keep, self.lane_bits, self.number_bits);
        let kept_lanes = m.slice(keep, 0, self.lane_bits);
        let whole = m.compare(NodeOp::Slt, number, kept_beats);
        let partly = m.eq(number, kept_beats);
        let whole = m.hold("read_kept", advance, whole);
        let partly = m.hold("read_kept_partly", advance, partly);
        let kept_lanes = m.hold("read_kept_lanes", advance, kept_lanes);
        let mut masks = Vec::new();
        for lane in (0..self.beat).rev() {
            let lane = m.constant(u64::from(lane), self.lane_bits);
            let within = m.ult(lane, kept_lanes);
            let some = m.and(&[partly, within]);
            let kept = m.or(&[whole, some]);
            masks.push(m.sext(kept, 8));
        }
        let mask = m.concat(&masks);
        m.and(&[frame, mask])
    }

    /// A slot's beat with what the program wrote; and, for slot 0, the beat before it, which is headroom.
    fn overlaid(
        &mut self,
        frame: Node,
        number: Node,
        ready: &Ready,
        advance: Node,
    ) -> (Node, Node) {
        let beat = self.beat as i32;
        let none: Lanes = vec![Vec::new(); self.beat as usize];
        let (mut lanes, mut headroom) = (none.clone(), none);
        for (offset, bytes, enable, data) in &ready.overlays {
            let end = offset + *bytes as i32;
            for place in offset.div_euclid(beat)..=(end - 1).div_euclid(beat) {
                let (from, to) = ((*offset).max(place * beat), end.min((place + 1) * beat));
                let part = self
                    .m
                    .slice(*data, (from - offset) as u32 * 8, (to - from) as u32 * 8);
                let name = offset_name(from);
                let part = self.m.hold(format!("write_{name}_data"), advance, part);
                let write = |m: &mut Module, at: i32, lanes: &mut Lanes, name: String| {
                    let at = at as u64 & ((1 << self.number_bits) - 1);
                    let here = m.eq_const(number, at);
                    let on = m.and(&[*enable, here]);
                    let on = m.hold(&name, advance, on);
                    for byte in 0..to - from {
                        let value = m.slice(part, byte as u32 * 8, 8);
                        lanes[(from + byte).rem_euclid(beat) as usize].push((on, value));
                    }
                };
                write(self.m, place, &mut lanes, format!("write_{name}"));
                if place < 0 && self.ways.before {
                    write(self.m, place + 1, &mut headroom, format!("before_{name}"));
                }
            }
        }
        let headroom = rewritten(self.m, &headroom, None);
        (rewritten(self.m, &lanes, Some(frame)), headroom)
    }

    /// What leaves with a slot.
    fn beat(&mut self, slot: &Slot, data: Node) -> Beat {
        let data = self.with_front(slot.front, data);
        let m = &mut *self.m;
        let user = slot.beside.user(m, slot.bad);
        let destination = slot.beside.destination(m);
        Beat {
            valid: m.and(&[slot.valid, slot.emits]),
            data,
            last: slot.last,
            count: slot.count,
            empty: None,
            user,
            destination,
        }
    }
}
