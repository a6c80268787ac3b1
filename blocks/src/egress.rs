//! Where packets go out: the read side of the frame FIFO and the rewriter that overlays bytes.

mod beside;
mod overlay;

use crate::axi::{FateOut, StreamOut};
use crate::cut_through::{frames_there, EndIn};
use crate::index_bits;
use crate::ingress::LENGTH_BITS;
use crate::moves::{Moves, MovesIn};
use crate::output_stage::lanes;
use hardpath_packet::{CLASS_BITS, INDEX_BITS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node, Reg};

pub(crate) use beside::{whole_destination, Beside};
pub(crate) use overlay::{rewritten, Lanes};

/// What the exit must know.
pub struct Egress {
    /// Name of the module.
    pub name: String,
    /// Bytes of a beat: a power of two.
    pub beat_bytes: u32,
    /// Words of the frame FIFO: a power of two.
    pub frame_depth: u32,
    /// Runs of packet bytes that the program may write: (offset, bytes). They do not overlap. Only a packet that is
    /// moved has bytes at negative offsets.
    pub overlays: Vec<(i32, u32)>,
    /// Bits of the program's outputs together.
    pub output_bits: u32,
    /// Some packets are not forwarded.
    pub drops: bool,
    /// The class of destination that all packets have; `None`: it is told for each.
    pub class: Option<u64>,
    /// Packets have an index beside the class.
    pub has_index: bool,
    /// Packets may have no bytes.
    pub may_be_empty: bool,
    /// Packets may be sent several times ([`crate::repeater::repeater`], [`crate::copier::copier`]).
    pub repeats: bool,
    /// Copies have outputs of their own.
    pub copies: bool,
    /// Packets come before their end is known, which is told apart ([`crate::cut_through`]). They are not sent several times, and end
    /// where they did when they came in.
    pub cut_through: bool,
    /// Whether a slot is its packet's last one is found a clock early, into a register, and not compared where all that takes the next
    /// result follows: fewer levels, and a register more for each copy of that. Of an exit that moves, where ends are not told apart.
    pub end_early: bool,
}

/// Bits of `m_axis_tdest`: class and index.
pub const DESTINATION_BITS: u32 = CLASS_BITS + INDEX_BITS;

signals! {
    /// What the program says of a packet; so it waits for the exit.
    pub struct PacketResult {
        result_forwarded: maybe "it goes on; always, if this is not there",
        sent: all SentResult,
        /// Where packets are broadcast; not of an exit.
        broadcast: some Broadcast,
        /// Further packets, by number; not of an exit.
        copy: labelled CopyResult,
        /// Only where packets are moved, and their end is known.
        result_length: maybe "bytes, as it came in",
        /// Only where they are not, and their end is known.
        result_last_byte: maybe "the number of its last byte; 0 if it has none",
        /// Only where packets may be empty, and their end is known.
        result_empty: maybe "it has no bytes",
        /// By offset ([`offset_name`]).
        overlay: labelled Overlay,
    }
}

signals! {
    /// How a packet leaves.
    pub struct SentResult {
        result_outputs: maybe "the program's outputs, the first in the lowest bits",
        result_class: maybe "the class of its destination",
        result_index: maybe "the index beside it",
        moves: all MovesIn,
    }
}

signals! {
    /// A further packet that leaves.
    pub struct CopyResult {
        when: one "it leaves",
        sent: all SentResult,
    }
}

signals! {
    /// Which tables a packet is broadcast to, by table.
    pub struct Broadcast {
        result_each: several "it goes to each in that table",
        result_not_back: several "but not to the interface where it came in",
    }
}

signals! {
    /// Bytes that the program wrote.
    pub struct Overlay {
        enable: one "the program wrote these bytes",
        data: one "byte 0 in bits 7:0",
    }
}

signals! {
    /// Of a packet that may be sent several times ([`crate::repeater::repeater`]).
    pub struct RepeatIn {
        result_again: one "it comes once more: its frames stay",
        result_nobody: one "nobody gets it",
        /// Where copies have outputs of their own.
        result_fate_outputs: maybe "the outputs of the packet itself",
    }
}

signals! {
    /// Into the exit.
    pub struct EgressIn {
        result_valid: one "a packet's result waits",
        result: all PacketResult,
        repeat: some RepeatIn,
        /// With [`Egress::cut_through`].
        end: some EndIn,
        frame_read_data: one "the frame read in the clock before",
        /// The beat that is offered is taken.
        m_axis_tready: one "",
    }
}

signals! {
    /// Out of the exit.
    pub struct EgressOut {
        result_pop: one "the result is used up",
        /// With [`Egress::cut_through`].
        end_pop: maybe "the end is used up",
        frame: all FrameRead,
        stream: all StreamOut,
        fate: all FateOut,
    }
}

signals! {
    /// The read port of the frame FIFO.
    pub struct FrameRead {
        frame_read: one "read enable of the frame FIFO",
        frame_read_pointer: one "first frame still needed",
        /// `None`: it is the pointer.
        frame_read_address: maybe "the frame that is read",
    }
}

impl Egress {
    /// Bits of `m_axis_tuser`.
    pub fn user_bits(&self) -> u32 {
        self.output_bits.max(1) + u32::from(self.repeats || self.cut_through)
    }

    /// Bits of `fate`.
    pub fn fate_bits(&self) -> u32 {
        self.output_bits + 1
    }

    /// The widths of a result. `moves`: how packets are moved.
    pub fn result_widths(&self, moves: Option<&Moves>) -> PacketResult<u32> {
        let overlay = |(offset, bytes): &(i32, u32)| {
            let widths = Overlay {
                enable: 1,
                data: bytes * 8,
            };
            (offset_name(*offset), widths)
        };
        let known = !self.cut_through;
        PacketResult {
            result_forwarded: self.drops.then_some(1),
            sent: self.sent_widths(moves),
            copy: Vec::new(),
            broadcast: None,
            result_length: (moves.is_some() && known).then_some(LENGTH_BITS),
            result_last_byte: (moves.is_none() && known).then_some(LENGTH_BITS),
            result_empty: (moves.is_none() && known && self.may_be_empty).then_some(1),
            overlay: self.overlays.iter().map(overlay).collect(),
        }
    }

    fn sent_widths(&self, moves: Option<&Moves>) -> SentResult<u32> {
        SentResult {
            result_outputs: (self.output_bits > 0).then_some(self.output_bits),
            result_class: self.class.is_none().then_some(CLASS_BITS),
            result_index: self.has_index.then_some(INDEX_BITS),
            moves: moves.map_or_else(MovesIn::nowhere, Moves::widths),
        }
    }

    /// The widths of what is told of the end of a packet, with [`Egress::cut_through`].
    pub fn end_widths(&self, moves: Option<&Moves>) -> EndIn<u32> {
        let is_moved = moves.is_some();
        EndIn {
            end_valid: 1,
            end_bad: 1,
            end_length: is_moved.then_some(LENGTH_BITS),
            end_last_byte: (!is_moved).then_some(LENGTH_BITS),
            end_empty: (!is_moved && self.may_be_empty).then_some(1),
            frames_behind: index_bits(u64::from(self.frame_depth)),
        }
    }

    /// What the module's header says of gaps inside packets.
    pub(crate) fn says_of_gaps(&self) -> &'static str {
        match self.cut_through {
            false => "there is no gap inside a packet while\ntready is 1.",
            true => {
                "there is no gap inside a packet while\n\
                 tready is 1, unless its beats or its end come in late. A packet whose end is marked bad leaves with the\n\
                 highest bit of tuser on its last beat."
            }
        }
    }

    pub(crate) fn input_widths(&self, moves: Option<&Moves>) -> EgressIn<u32> {
        EgressIn {
            result_valid: 1,
            result: self.result_widths(moves),
            repeat: self.repeats.then_some(RepeatIn {
                result_again: 1,
                result_nobody: 1,
                result_fate_outputs: (self.copies && self.output_bits > 0)
                    .then_some(self.output_bits),
            }),
            end: self.cut_through.then(|| self.end_widths(moves)),
            frame_read_data: self.beat_bytes * 8,
            m_axis_tready: 1,
        }
    }
}

/// One beat a clock; a packet that does not go out costs one clock. All three registers of the way out move
/// together, when the output register is free or taken.
pub fn egress(config: &Egress) -> Block<EgressIn, EgressOut> {
    let overlays = match config.overlays.is_empty() {
        true => "",
        false => " overlays the bytes that the program wrote,",
    };
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Exit: takes a packet's result, reads its beats,{overlays} and sends them as AXI4-Stream,\n\
             {} bytes a beat. A packet that is not forwarded is forgotten in one clock.\n\
             While tvalid is 1 and tready is 0, the beat stays as it is; {}",
            config.beat_bytes,
            config.says_of_gaps()
        ),
    );
    let inputs = m.inputs(config.input_widths(None));
    let mut exit = Exit {
        m,
        config,
        lane_bits: config.beat_bytes.trailing_zeros(),
    };
    let m = &mut exit.m;
    m.section("Which frame is read");
    let out_valid = m.wire(1, "out_valid");
    let out_free = m.not(out_valid);
    let advance = m.or(&[out_free, inputs.m_axis_tready]);
    m.name(advance, "advance");
    let (slot, frame) = exit.choose_frame(&inputs, advance);
    exit.m
        .section("The frame is read; what belongs to it waits");
    let read = exit.read(&slot, &inputs, advance);
    let lanes = exit.overlays(&inputs.result, slot.number, advance);
    exit.m.section("Output registers");
    let stream = exit.send(&read, &lanes, &inputs, (advance, out_valid));
    let fate = exit.fate(&slot, &inputs);
    let outputs = EgressOut {
        result_pop: slot.pop,
        end_pop: config.cut_through.then_some(slot.pop),
        frame,
        stream,
        fate,
    };
    exit.m.into_block(inputs, outputs)
}

struct Exit<'a> {
    m: Module,
    config: &'a Egress,
    lane_bits: u32,
}

/// What happens with the packet at the head in this clock.
struct Slot {
    /// Its frame that is read.
    number: Node,
    is_last: Node,
    /// It goes on to someone.
    goes_on: Node,
    reads: Node,
    /// It is through.
    pop: Node,
}

/// A slot in the clock in which its frame has been read.
struct Read {
    valid: Node,
    last: Node,
    /// The last lane of the last beat.
    count: Node,
    empty: Option<Node>,
    /// It leaves with the mark of a bad frame.
    bad: Option<Node>,
    beside: Beside,
}

/// The end of the packet at the head, as far as it is known.
struct End {
    last_byte: Node,
    empty: Option<Node>,
    bad: Option<Node>,
    /// Whether it is known; `None`: always.
    known: Option<Node>,
}

impl End {
    fn of(inputs: &EgressIn) -> End {
        match &inputs.end {
            Some(end) => End {
                last_byte: end.end_last_byte.expect("nobody moves"),
                empty: end.end_empty,
                bad: Some(end.end_bad),
                known: Some(end.end_valid),
            },
            None => End {
                last_byte: inputs.result.result_last_byte.expect("nobody moves"),
                empty: inputs.result.result_empty,
                bad: None,
                known: None,
            },
        }
    }
}

impl Exit<'_> {
    fn choose_frame(&mut self, inputs: &EgressIn, advance: Node) -> (Slot, FrameRead) {
        let m = &mut self.m;
        let end = End::of(inputs);
        let number_bits = LENGTH_BITS - self.lane_bits;
        let frame_bits = index_bits(u64::from(self.config.frame_depth));
        let (number_reg, number) = m.reg_reset("frame_number", number_bits, 0);
        let (pointer_reg, pointer) = m.reg_reset("frame_read_pointer_reg", frame_bits, 0);
        let last_number = m.slice(end.last_byte, self.lane_bits, number_bits);
        let at_last = m.eq(number, last_number);
        let goes_on = sent_to_someone(m, inputs);
        m.name(goes_on, "sent_on");
        let (is_last, may_go) = match inputs.end.as_ref().zip(end.known) {
            None => (at_last, m.one()),
            Some((end, known)) => {
                let (two, _) = frames_there(m, end.frames_behind, pointer);
                let not_last = m.and(&[goes_on, two]);
                (m.and(&[at_last, known]), m.or(&[known, not_last]))
            }
        };
        m.name(is_last, "is_last");
        let forgotten = m.not(goes_on);
        let active = m.and(&[inputs.result_valid, advance, may_go]);
        let reads = m.and(&[active, goes_on]);
        m.name(reads, "reads");
        let finishes = m.or(&[forgotten, is_last]);
        let pop = m.and(&[active, finishes]);
        m.name(pop, "pop");
        let next_number = m.add_const(number, 1);
        let first_number = m.zero(number_bits);
        let number_next = m.mux(pop, first_number, next_number);
        m.set_next_when(number_reg, active, number_next);
        let again = inputs.repeat.as_ref().map(|repeat| repeat.result_again);
        let moves = (active, forgotten);
        let address = self.pointer((pointer_reg, pointer), moves, (number, last_number), again);
        let frame = FrameRead {
            frame_read: advance,
            frame_read_pointer: pointer,
            frame_read_address: address,
        };
        let slot = Slot {
            number,
            is_last,
            goes_on,
            reads,
            pop,
        };
        (slot, frame)
    }

    /// Moves to where the packet's frames begin that are still needed; gives the frame that is read, where that is another one.
    fn pointer(
        &mut self,
        (pointer_reg, pointer): (Reg, Node),
        (active, forgotten): (Node, Node),
        (number, last_number): (Node, Node),
        again: Option<Node>,
    ) -> Option<Node> {
        let m = &mut self.m;
        let frame_bits = m.width(pointer);
        let last_wide = m.resize(last_number, frame_bits);
        let none = m.zero(frame_bits);
        let skipped = m.mux(forgotten, last_wide, none);
        let past = m.add(pointer, skipped);
        let pointer_next = m.add_const(past, 1);
        let Some(again) = again else {
            m.set_next_when(pointer_reg, active, pointer_next);
            return None;
        };
        // The frames of a packet that is sent once more are read from its first one, which stays.
        let moves = m.not(again);
        let moves = m.and(&[active, moves]);
        m.set_next_when(pointer_reg, moves, pointer_next);
        let wide = m.resize(number, frame_bits);
        let further = m.gate(again, wide);
        Some(m.add(pointer, further))
    }

    /// What belongs to a frame waits for it.
    fn read(&mut self, slot: &Slot, inputs: &EgressIn, advance: Node) -> Read {
        let (m, end) = (&mut self.m, End::of(inputs));
        let valid = m.hold_reset("read_valid", advance, slot.reads);
        let last = m.hold("read_last", advance, slot.is_last);
        let low_count = m.slice(end.last_byte, 0, self.lane_bits);
        let count = m.hold("read_last_lane", advance, low_count);
        let empty = end.empty.map(|empty| match end.known {
            None => empty,
            Some(_) => m.and(&[empty, slot.is_last]),
        });
        let empty = empty.map(|empty| m.hold("read_empty", advance, empty));
        let bad = end.bad.map(|bad| m.and(&[bad, slot.is_last]));
        Read {
            valid,
            last,
            count,
            empty,
            bad: bad.map(|bad| m.hold("read_bad", advance, bad)),
            beside: Beside::of(inputs).of_beats().held(m, "read", advance),
        }
    }

    /// The bytes that the program wrote, as they meet the frame.
    fn overlays(&mut self, result: &PacketResult, number: Node, advance: Node) -> Lanes {
        let (m, beat) = (&mut self.m, self.config.beat_bytes);
        let mut lanes: Lanes = vec![Vec::new(); beat as usize];
        for ((offset, bytes), (_, given)) in self.config.overlays.iter().zip(&result.overlay) {
            let bytes = *bytes;
            let offset =
                u32::try_from(*offset).expect("a packet that is not moved has no headroom");
            let (first, last) = (offset / beat, (offset + bytes - 1) / beat);
            for frame_number in first..=last {
                let from = offset.max(frame_number * beat);
                let to = (offset + bytes).min((frame_number + 1) * beat);
                let part = m.slice(given.data, (from - offset) * 8, (to - from) * 8);
                let here = m.eq_const(number, u64::from(frame_number));
                let on = m.and(&[given.enable, here]);
                let held_on = m.hold(format!("write_{from}"), advance, on);
                let held_data = m.hold(format!("write_{from}_data"), advance, part);
                for byte in 0..to - from {
                    let value = m.slice(held_data, byte * 8, 8);
                    lanes[((from + byte) % beat) as usize].push((held_on, value));
                }
            }
        }
        lanes
    }

    fn send(
        &mut self,
        read: &Read,
        writes: &Lanes,
        inputs: &EgressIn,
        (advance, out_valid): (Node, Node),
    ) -> StreamOut {
        let m = &mut self.m;
        let rewritten = rewritten(m, writes, Some(inputs.frame_read_data));
        let mut keep = lanes(m, read.last, read.count);
        if let Some(empty) = read.empty {
            let some = m.not(empty);
            let some = m.sext(some, self.config.beat_bytes);
            keep = m.and(&[keep, some]);
        }
        let valid_out = m.hold_reset("m_axis_tvalid_reg", advance, read.valid);
        m.drive(out_valid, valid_out);
        let user = read.beside.user(m, read.bad);
        let varies = read.beside.destination(m);
        let varies = varies.map(|node| m.hold("m_axis_tdest_reg", advance, node));
        StreamOut {
            m_axis_tdata: m.hold("m_axis_tdata_reg", advance, rewritten),
            m_axis_tkeep: m.hold("m_axis_tkeep_reg", advance, keep),
            m_axis_tvalid: out_valid,
            m_axis_tlast: m.hold("m_axis_tlast_reg", advance, read.last),
            m_axis_tuser: m.hold("m_axis_tuser_reg", advance, user),
            m_axis_tdest: whole_destination(m, self.config, varies),
        }
    }

    fn fate(&mut self, slot: &Slot, inputs: &EgressIn) -> FateOut {
        let beside = Beside::of(inputs);
        fate_strobe(&mut self.m, slot.pop, &beside, slot.goes_on)
    }
}

/// The number of the last byte of a packet of this length, and whether it has none, for the exit that counts frames
/// by them. In front of the result FIFO this costs the exit nothing.
pub fn last_byte(m: &mut Module, length: Node) -> (Node, Node) {
    let nothing = m.zero(LENGTH_BITS);
    let empty = m.eq(length, nothing);
    let one = m.constant(1, LENGTH_BITS);
    let less_one = m.sub(length, one);
    (m.mux(empty, nothing, less_one), empty)
}

/// The strobe of a packet's fate, when the last slot of its first copy has been read.
pub(crate) fn fate_strobe(m: &mut Module, done: Node, beside: &Beside, sent: Node) -> FateOut {
    let mut strobes = done;
    if let Some(again) = beside.again {
        let (repeating_reg, repeating) = m.reg_reset("repeating", 1, 0);
        m.set_next_when(repeating_reg, done, again);
        let is_first = m.not(repeating);
        strobes = m.and(&[done, is_first]);
    }
    let fate = beside.fate(m, sent);
    FateOut {
        fate_valid: m.delay_reset("fate_valid_reg", strobes),
        fate: m.delay("fate_reg", fate),
    }
}

/// Whether a packet goes on: if it is forwarded, and if it is broadcast to someone.
pub(crate) fn sent_to_someone(m: &mut Module, inputs: &EgressIn) -> Node {
    let forwarded = inputs.result.result_forwarded;
    let forwarded = forwarded.unwrap_or_else(|| m.one());
    match &inputs.repeat {
        Some(repeat) => {
            let someone = m.not(repeat.result_nobody);
            m.and(&[forwarded, someone])
        }
        None => forwarded,
    }
}

/// An offset in a name: `12`, `m20` for −20.
pub fn offset_name(offset: i32) -> String {
    match offset {
        0.. => offset.to_string(),
        _ => format!("m{}", offset.unsigned_abs()),
    }
}
