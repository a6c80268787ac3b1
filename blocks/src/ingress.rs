//! Where packets come in: framing, length, the packet window, the write side of the frame FIFO, and credits.

mod bytes;
mod place;

use crate::axi::{SidebandIn, StreamIn, USER_IN_BITS};
use crate::cut_through::{Ahead, EndOut};
use crate::{index_bits, packet_sum};
use bytes::wrong_length;
pub use bytes::{assert_packed, length};
use hardpath_rtl::signals::{Block, Signals};
use hardpath_rtl::{signals, Module, Node};
use place::Place;

/// What the entrance must know.
pub struct Ingress {
    /// Name of the module.
    pub name: String,
    /// Bytes of a beat: a power of two.
    pub beat_bytes: u32,
    /// Beats at the front of a packet that the program can read (at least 1).
    pub window_beats: u32,
    /// Words of the frame FIFO: a power of two that holds the longest packet and what is in flight.
    pub frame_depth: u32,
    /// Packets that may be behind the entrance at once.
    pub credits: u32,
    /// The shortest packet that is taken, in bytes.
    pub shortest: u32,
    /// The longest packet that is taken, in bytes.
    pub longest: u32,
    /// The time is kept for the program.
    pub has_time: bool,
    /// A random number is kept for the program.
    pub has_random: bool,
    /// The interface that the packet is about to leave by is kept for the program.
    pub has_egress: bool,
    /// Port and queue are kept for the program.
    pub has_port: bool,
    /// Bits of the program's own inputs in `s_axis_tuser`.
    pub own_bits: u32,
    /// They are kept for the program.
    pub has_own: bool,
    /// The sum of all its words is made for the program.
    pub has_sum: bool,
    /// The number of packets inside is given out.
    pub tells_flight: bool,
    /// What the window has behind the packet's end is zeros; else it is of no meaning.
    pub clears_window: bool,
    /// Packets enter before all of them is in ([`crate::cut_through`]); `None`: when they are in.
    pub ahead: Option<Ahead>,
}

impl Ingress {
    /// Bits of the address of a frame.
    pub fn frame_bits(&self) -> u32 {
        index_bits(u64::from(self.frame_depth))
    }

    /// Credits and frame words that are kept back.
    pub fn margin(&self) -> u32 {
        let for_sum = match self.has_sum {
            true => packet_sum::clocks_before(self.beat_bytes),
            false => 0,
        };
        MARGIN + for_sum
    }

    /// Beats of the longest packet.
    fn most_beats(&self) -> u32 {
        self.longest.div_ceil(self.beat_bytes)
    }
}

/// Bits of a packet's length in bytes.
pub const LENGTH_BITS: u32 = 14;
/// Credits and frame words that are kept back at least: a beat is counted four clocks after it was taken, and `tready` is a register behind
/// the counters. With a sum of the packet it is later.
pub const MARGIN: u32 = 6;

signals! {
    /// Into the entrance.
    pub struct IngressIn {
        stream: all StreamIn,
        sideband: all SidebandIn,
        hold: one "take nothing in: a host operation needs a free slot",
        running: one "memories are cleared",
        packet_left: one "a packet has left: its credit comes back",
        frame_read_pointer: one "first frame still needed",
    }
}

signals! {
    /// Out of the entrance.
    pub struct IngressOut {
        /// The beat that is offered is taken.
        s_axis_tready: one "",
        early: some EarlyOut,
        frame: all FrameWrite,
        packet_valid: one "a packet enters the program in this clock",
        window: one "its first bytes; byte 0 in bits 7:0",
        packet_length: one "its length in bytes",
        /// With [`Ingress::has_sum`].
        packet_sum: maybe "the sum of its words of 16 bits, first byte on top, as numbers",
        drawn: all DrawnOut,
        dropped_bad: one "a frame that the MAC marked bad was dropped, or ends that entered before",
        dropped_length: one "a frame of wrong length was dropped, or ends that entered before",
        /// With [`Ingress::ahead`].
        end: some EndOut,
        /// With [`Ingress::tells_flight`].
        in_flight: maybe "packets behind the entrance",
    }
}

signals! {
    /// With [`Ingress::has_port`].
    pub struct EarlyOut {
        early_port: one "ingress port, one clock before packet_valid",
        early_queue: one "queue, likewise",
    }
}

signals! {
    /// The write port of the frame FIFO.
    pub struct FrameWrite {
        /// A beat is written to the frame FIFO.
        frame_write: one "",
        /// Where it is written.
        frame_write_address: one "",
        /// The beat.
        frame_write_data: one "",
    }
}

signals! {
    /// What came with the packet.
    pub struct DrawnOut {
        /// With [`Ingress::has_time`]: the time of its first beat.
        packet_time_ns: maybe "",
        /// With [`Ingress::has_random`]: the random number of its first beat.
        packet_random: maybe "",
        /// With [`Ingress::has_egress`]: the interface that it is about to leave by.
        packet_egress: maybe "",
        /// With [`Ingress::has_own`]: the program's own inputs.
        packet_own: maybe "",
    }
}

/// What the module's header says of when packets enter the program.
fn when_they_enter(config: &Ingress) -> String {
    let (shortest, longest) = (config.shortest, config.longest);
    match config.ahead {
        None => format!(
            "When the last beat is in and the packet is good, packet_valid is 1 for one clock with its window, length\n\
             and side inputs. Packets that the MAC marks bad, or outside {shortest} to {longest} bytes, leave no trace but a strobe."
        ),
        Some(ahead) => format!(
            "When the first {} bytes are in, or all of a good packet that is shorter, packet_valid is 1 for one clock with\n\
             its window, side inputs, and length as far as it is known. What ends before that and is marked bad by the MAC,\n\
             or shorter than {shortest} bytes, leaves no trace but a strobe. For each packet that entered, end_known is 1 for\n\
             one clock when its end is in, with its length, and whether it was marked bad or goes on behind {longest} bytes.",
            ahead.beats * config.beat_bytes
        ),
    }
}

/// Beats are registered once; the clock after, the last beat of a good packet makes `packet_valid`: the window,
/// the length and the side inputs then stand in registers for exactly one clock (the next packet may overwrite
/// them in the clock after). A packet is only announced when all of it is in the frame FIFO, or, with [`Ingress::ahead`], so many beats.
pub fn ingress(config: &Ingress) -> Block<IngressIn, IngressOut> {
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Entrance: AXI4-Stream in, {} bytes a beat.\n\
             Stores each frame in the frame FIFO and keeps the first {} bytes of the packet in the window.\n\
             {}\n\
             tready is 0 while no credit, too little room or a host operation waits; it is a register.",
            config.beat_bytes,
            config.window_beats * config.beat_bytes,
            when_they_enter(config)
        ),
    );
    let inputs = m.inputs(IngressIn {
        stream: StreamIn::of_beats(config.beat_bytes, config.own_bits),
        sideband: SidebandIn::of(config.has_time, config.has_random, config.has_egress),
        hold: 1,
        running: 1,
        packet_left: 1,
        frame_read_pointer: config.frame_bits(),
    });
    let mut entrance = Entrance { m, config };
    entrance.m.section("Input registers");
    let (ready_reg, ready) = entrance.m.reg_reset("ready", 1, 0);
    let beat = entrance.take_in(&inputs, ready);
    let frame = entrance.judge(&beat);
    let enters = entrance.enters(&beat, &frame);
    let (write, write_pointer) = entrance.frame_fifo(&beat, &frame, &enters);
    let window = entrance.window(&beat, &frame);
    let m = &mut entrance.m;
    let packet_valid = m.delay_reset("packet_valid_reg", enters.now);
    let packet_length = m.hold("packet_length_reg", enters.keeps, frame.length);
    let packet_sum = beat
        .sum
        .map(|sum| packet_sum::of_packet(m, sum, beat.valid, beat.last));
    let drawn = beat
        .drawn
        .map(&mut |name, _, node| m.hold(format!("{name}_reg"), enters.keeps, node));
    let bad_strobe = m.and(&[enters.judged, enters.bad]);
    let dropped_bad = m.delay_reset("dropped_bad_reg", bad_strobe);
    let not_bad = m.not(enters.bad);
    let length_strobe = m.and(&[enters.judged, frame.wrong_length, not_bad]);
    let dropped_length = m.delay_reset("dropped_length_reg", length_strobe);
    let end = entrance.end(&frame, &enters, write_pointer);
    let (goes_on, in_flight) = entrance.credits(&inputs, packet_valid, write_pointer);
    let mut m = entrance.m;
    m.set_next(ready_reg, goes_on);
    let outputs = IngressOut {
        s_axis_tready: ready,
        early: beat.early,
        frame: write,
        packet_valid,
        window,
        packet_length,
        packet_sum,
        drawn,
        dropped_bad,
        dropped_length,
        end,
        in_flight: config.tells_flight.then_some(in_flight),
    };
    m.into_block(inputs, outputs)
}

struct Entrance<'a> {
    m: Module,
    config: &'a Ingress,
}

/// A beat that is taken, on its way to the input registers.
struct Taken {
    accept: Node,
    data: Node,
    keep: Node,
    last: Node,
    user: Node,
    sideband: SidebandIn,
    /// The sum of its words.
    sum: Option<Node>,
}

/// A beat in the input registers.
struct Beat {
    valid: Node,
    data: Node,
    keep: Node,
    last: Node,
    bad: Node,
    /// The sum of its words.
    sum: Option<Node>,
    /// What came with the packet's first beat.
    drawn: DrawnOut,
    early: Option<EarlyOut>,
}

/// What is known of the frame at the present beat.
struct Frame {
    place: Place,
    /// The beat brings bytes.
    adds: Node,
    /// The last beat is here.
    ends: Node,
    /// It is, and the packet is taken.
    good: Node,
    wrong_length: Node,
    length: Node,
}

/// When a packet enters the program, and when it is judged.
struct Enters {
    /// It does with this beat.
    now: Node,
    /// What came with it is kept for it: whenever it enters, and when nobody looks.
    keeps: Node,
    /// All that can be wrong with it is known with this beat: once for each packet.
    judged: Node,
    /// Then: the MAC has marked it bad.
    bad: Node,
    /// It entered before this beat; `None`: it never does.
    before: Option<Node>,
    /// It ends, and does not enter.
    gives_up: Node,
}

impl Entrance<'_> {
    /// The input registers. `ready`: a beat is taken.
    fn take_in(&mut self, inputs: &IngressIn, ready: Node) -> Beat {
        let m = &mut self.m;
        let stream = &inputs.stream;
        let accept = m.and(&[stream.s_axis_tvalid, ready]);
        m.name(accept, "accept");
        assert_packed(m, accept, stream.s_axis_tkeep, stream.s_axis_tlast);
        let (has_own, own_bits) = (self.config.has_own, self.config.own_bits);
        let mut taken = Taken {
            accept,
            data: stream.s_axis_tdata,
            keep: stream.s_axis_tkeep,
            last: stream.s_axis_tlast,
            user: stream.s_axis_tuser,
            sideband: inputs.sideband.clone(),
            sum: None,
        };
        if self.config.has_sum {
            taken = wait_for_sum(m, self.config.beat_bytes, taken);
        }
        let (accept, side) = (taken.accept, taken.sideband);
        let valid = m.delay_reset("beat_valid", accept);
        let data = m.hold("beat_data", accept, taken.data);
        let keep = m.hold("beat_keep", accept, taken.keep);
        let last = m.hold("beat_last", accept, taken.last);
        let bad_in = m.bit(taken.user, 0);
        let bad = m.hold("beat_bad", accept, bad_in);
        let (first_reg, first) = m.reg_reset("expect_first", 1, 1);
        m.set_next_when(first_reg, accept, taken.last);
        let takes_first = m.and(&[accept, first]);
        m.name(takes_first, "takes_first");
        let own = has_own.then(|| m.slice(taken.user, USER_IN_BITS, own_bits));
        let mut draw = |name: &str, node: Node| m.hold(name, takes_first, node);
        let drawn = DrawnOut {
            packet_time_ns: side.time_ns.map(|node| draw("drawn_time_ns", node)),
            packet_random: side.random.map(|node| draw("drawn_random", node)),
            packet_egress: side.egress.map(|node| draw("drawn_egress", node)),
            packet_own: own.map(|node| draw("drawn_own", node)),
        };
        let early = self.config.has_port.then(|| {
            let port = m.slice(taken.user, 1, 8);
            let queue = m.slice(taken.user, 9, 16);
            EarlyOut {
                early_port: m.hold("drawn_port", takes_first, port),
                early_queue: m.hold("drawn_queue", takes_first, queue),
            }
        });
        let sum = taken.sum.map(|sum| m.hold("beat_sum", accept, sum));
        Beat {
            valid,
            data,
            keep,
            last,
            bad,
            sum,
            drawn,
            early,
        }
    }

    /// Length of the frame, and whether it is taken.
    fn judge(&mut self, beat: &Beat) -> Frame {
        let (m, config) = (&mut self.m, self.config);
        m.section("Length and verdict on the frame");
        let beat_bits = index_bits(u64::from(config.most_beats()) + 2);
        let (beat_reg, beat_number) = m.reg_reset("beat_number", beat_bits, 0);
        let place = Place::of_beats(m, config, (beat_number, beat.valid, beat.last));
        let length = length(m, beat_number, beat.keep);
        // A last beat behind others may be empty (`tkeep` of zeros): it ends the packet and adds nothing to it.
        let some_bytes = m.bit(beat.keep, 0);
        let no_bytes = m.not(some_bytes);
        let only_ends = m.and(&[beat.last, no_bytes, place.behind[&0]]);
        m.name(only_ends, "only_ends");
        let adds = m.not(only_ends);
        let wrong_length = wrong_length(m, config, &place, beat.keep);
        let ends = m.and(&[beat.valid, beat.last]);
        m.name(ends, "frame_ends");
        let right_length = m.not(wrong_length);
        let not_bad = m.not(beat.bad);
        let good = m.and(&[ends, right_length, not_bad]);
        m.name(good, "good");
        let next_beat = m.add_const(beat_number, 1);
        let zero_beat = m.zero(beat_bits);
        let beat_next = m.mux(beat.last, zero_beat, next_beat);
        m.set_next_when(beat_reg, beat.valid, beat_next);
        Frame {
            place,
            adds,
            ends,
            good,
            wrong_length,
            length,
        }
    }

    /// When the packet enters: with its end, or before that.
    fn enters(&mut self, beat: &Beat, frame: &Frame) -> Enters {
        let (m, config) = (&mut self.m, self.config);
        let not_good = m.not(frame.good);
        let Some(ahead) = config.ahead else {
            return Enters {
                now: frame.good,
                keeps: frame.ends,
                judged: frame.ends,
                bad: beat.bad,
                before: None,
                gives_up: m.and(&[frame.ends, not_good]),
            };
        };
        m.section("When the packet enters the program");
        let place = &frame.place;
        let before = place.behind[&(ahead.beats - 1)];
        let not_before = m.not(before);
        let goes_on = m.not(beat.last);
        let here = place.at(m, ahead.beats - 1);
        let ahead_of_end = m.and(&[beat.valid, here, goes_on]);
        let with_end = m.and(&[frame.good, not_before]);
        let now = m.or(&[ahead_of_end, with_end]);
        m.name(now, "enters");
        // What goes on behind the longest packet ends here for everybody else.
        let (full, over) = (config.most_beats() - 1, config.most_beats());
        let not_over = m.not(place.behind[&over]);
        let comes_to_end = m.or(&[beat.last, place.behind[&full]]);
        let judged = m.and(&[beat.valid, not_over, comes_to_end]);
        m.name(judged, "judged");
        Enters {
            now,
            keeps: now,
            judged,
            bad: m.and(&[beat.last, beat.bad]),
            before: Some(before),
            gives_up: m.and(&[frame.ends, not_good, not_before]),
        }
    }

    /// The end of a packet that entered.
    fn end(&mut self, frame: &Frame, enters: &Enters, write_pointer: Node) -> Option<EndOut> {
        let (m, before) = (&mut self.m, enters.before?);
        let inside = m.or(&[before, frame.good]);
        let known = m.and(&[enters.judged, inside]);
        let longest = m.constant(u64::from(self.config.longest), LENGTH_BITS);
        let length = m.mux(frame.wrong_length, longest, frame.length);
        let bad = m.or(&[enters.bad, frame.wrong_length]);
        Some(EndOut {
            end_known: m.delay_reset("end_known_reg", known),
            end_length: m.delay("end_length_reg", length),
            end_bad: m.delay("end_bad_reg", bad),
            frames_behind: m.delay("frames_behind_reg", write_pointer),
        })
    }

    /// The write side of the frame FIFO: its port, and where the next frame goes.
    fn frame_fifo(&mut self, beat: &Beat, frame: &Frame, enters: &Enters) -> (FrameWrite, Node) {
        let (m, frame_bits) = (&mut self.m, self.config.frame_bits());
        m.section("Frame FIFO, write side");
        let (write_reg, write_pointer) = m.reg_reset("frame_write_pointer", frame_bits, 0);
        let (start_reg, start) = m.reg_reset("packet_start", frame_bits, 0);
        let has_room = m.not(frame.place.behind[&(self.config.most_beats() - 1)]);
        let write = m.and(&[beat.valid, has_room, frame.adds]);
        let after = m.add_const(write_pointer, 1);
        let gives_up = enters.gives_up;
        let stepped = m.mux(write, after, write_pointer);
        m.name(stepped, "behind_this_beat");
        let pointer_next = m.mux(gives_up, start, stepped);
        m.set_next(write_reg, pointer_next);
        let stays = match enters.before {
            None => frame.good,
            Some(_) => {
                let enters = m.not(gives_up);
                m.and(&[frame.ends, enters])
            }
        };
        m.set_next_when(start_reg, stays, stepped);
        let port = FrameWrite {
            frame_write: write,
            frame_write_address: write_pointer,
            frame_write_data: beat.data,
        };
        (port, write_pointer)
    }

    /// The packet's first bytes.
    fn window(&mut self, beat: &Beat, frame: &Frame) -> Node {
        let m = &mut self.m;
        m.section("Packet window");
        let mut parts = Vec::new();
        for index in 0..self.config.window_beats {
            let here = frame.place.at(m, index);
            let take = m.and(&[beat.valid, here]);
            let name = format!("window_{index}");
            parts.push(match self.config.clears_window {
                true => {
                    let first = frame.place.at(m, 0);
                    let begins = m.and(&[beat.valid, first]);
                    cleared_window(m, &name, (take, begins), (beat.data, beat.keep))
                }
                false => m.hold(&name, take, beat.data),
            });
        }
        parts.reverse();
        m.concat(&parts)
    }

    /// Whether beats are taken from the next clock on, and the number of packets inside.
    fn credits(
        &mut self,
        inputs: &IngressIn,
        packet_valid: Node,
        write_pointer: Node,
    ) -> (Node, Node) {
        let (m, config) = (&mut self.m, self.config);
        m.section("Credits and room");
        let credit_bits = index_bits(u64::from(config.credits) + 1);
        // Two counts and their difference: a packet leaves late in a clock, and an enable is all that it reaches.
        let mut count = |name: &str, step: Node| {
            let (reg, count) = m.reg_reset(name, credit_bits, 0);
            let next = m.add_const(count, 1);
            m.set_next_when(reg, step, next);
            count
        };
        let came = count("packets_came", packet_valid);
        let left = count("packets_left", inputs.packet_left);
        let in_flight = m.sub(came, left);
        m.name(in_flight, "in_flight");
        let limit = m.constant(u64::from(config.credits - config.margin()), credit_bits);
        let credit_left = m.ult(in_flight, limit);
        let used = m.sub(write_pointer, inputs.frame_read_pointer);
        let room_limit = m.constant(
            u64::from(config.frame_depth - config.margin()),
            config.frame_bits(),
        );
        let room_left = m.ult(used, room_limit);
        let not_held = m.not(inputs.hold);
        let goes_on = m.and(&[credit_left, room_left, not_held, inputs.running]);
        (goes_on, in_flight)
    }
}

/// A beat that is taken, when the sum of its words is there.
fn wait_for_sum(m: &mut Module, beat_bytes: u32, mut taken: Taken) -> Taken {
    m.comment(
        taken.accept,
        "beats wait until the sums of their words are there",
    );
    taken.sum = Some(packet_sum::of_beat(m, taken.data, taken.keep));
    for clock in 0..packet_sum::clocks_before(beat_bytes) {
        let mut later = |name: &str, node: Node| m.delay(format!("waiting_{name}_{clock}"), node);
        taken.data = later("data", taken.data);
        taken.keep = later("keep", taken.keep);
        taken.last = later("last", taken.last);
        taken.user = later("user", taken.user);
        let sideband = taken.sideband;
        taken.sideband = sideband.map(&mut |name, _, node| later(name, node));
        taken.accept = m.delay_reset(format!("accept_{clock}"), taken.accept);
    }
    taken
}

/// A beat of the window that has zeros where the packet has no bytes: its first beat clears all others.
fn cleared_window(
    m: &mut Module,
    name: &str,
    (take, begins): (Node, Node),
    (data, keep): (Node, Node),
) -> Node {
    let lanes = m.width(keep);
    let mut masks = Vec::new();
    for lane in (0..lanes).rev() {
        let kept = m.bit(keep, lane);
        masks.push(m.sext(kept, 8));
    }
    let mask = m.concat(&masks);
    let bytes = m.and(&[data, mask]);
    let next = m.gate(take, bytes);
    let changes = m.or(&[take, begins]);
    let (reg, node) = m.reg(name, lanes * 8);
    m.set_next_when(reg, changes, next);
    node
}
