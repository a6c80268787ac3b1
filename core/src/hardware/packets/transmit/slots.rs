//! The way of slots: which unit is read, what is a zero in it, how it is turned, and the beat.

use super::super::bytes::{chosen, turned_down_in_part};
use super::job::Job;
use super::{GivenBack, ReadOut, Transmit, FRONT_BYTES, LINE_BYTES, OFFSET_BITS};
use hardpath_blocks::axi::FateOut;
use hardpath_blocks::output_stage::Beat;
use hardpath_rtl::{Module, Node, NodeOp};

/// What all that moves knows.
pub(super) struct Way<'a> {
    pub m: &'a mut Module,
    pub config: &'a Transmit,
    /// Everything moves in this clock; a register.
    pub moves: Node,
}

/// A slot, beside its unit.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// It forms a beat.
    emits: Node,
    last: Node,
    last_lane: Node,
    empty: Node,
    job: Node,
    turn: Node,
    /// Bytes of the beat that stand in front, and the beat's number, as far as such beats go.
    fronts: Node,
    beat: Node,
    /// Its unit's part of the line.
    part: Option<Node>,
    zeros: Zeros,
}

/// The bits of the turn from this one on are those of the first step.
const FIRST_STEP: u32 = 4;

/// Which bytes of a unit are zeros.
#[derive(Clone, Copy)]
struct Zeros {
    /// The unit is none of the packet's.
    outside: Node,
    /// A bit for each byte: it is, if no store has written it. Bytes stand as the first step turns them.
    unsure: Node,
}

impl Way<'_> {
    /// Bits of the number of a byte in a unit.
    pub fn lane_bits(&self) -> u32 {
        self.config.beat_bytes.trailing_zeros()
    }

    /// Bits of the number of a unit, in two's complement.
    pub fn unit_bits(&self) -> u32 {
        OFFSET_BITS - self.lane_bits()
    }

    /// Bits of the number of a unit in its line.
    fn part_bits(&self) -> u32 {
        (LINE_BYTES / self.config.beat_bytes).trailing_zeros()
    }

    fn hold(&mut self, name: &str, node: Node) -> Node {
        self.m.hold(name, self.moves, node)
    }

    /// A slot a clock, as long as there is a job. Gives the slot behind the read with its turns, and what is read.
    pub fn walk(&mut self, job: &Job) -> ((Slot, Vec<Node>), ReadOut) {
        let (moves, unit_bits, part_bits) = (self.moves, self.unit_bits(), self.part_bits());
        let m = &mut *self.m;
        let active = m.and(&[job.valid, moves]);
        let (slot_reg, slot) = m.reg_reset("slot", unit_bits, 0);
        let is_last = m.eq(slot, job.last_slot);
        let forgotten = m.not(job.forwarded);
        let finishes = m.or(&[forgotten, is_last]);
        let done = m.and(&[active, finishes]);
        m.drive(job.done, done);
        let free = m.not(job.valid);
        let takes = m.or(&[free, done]);
        m.drive(job.takes, takes);
        let steps = m.or(&[takes, active]);
        let counts = |m: &mut Module, name: &str, from: Node| {
            let (reg, count) = m.reg(name, m.width(from));
            let next = m.add_const(count, 1);
            let next = m.mux(takes, from, next);
            m.set_next_when(reg, steps, next);
            count
        };
        let unit = counts(m, "unit", job.first_unit);
        let place = counts(m, "place", job.first_place);
        let first = m.zero(unit_bits);
        let after = m.add_const(slot, 1);
        let next = m.mux(done, first, after);
        m.set_next_when(slot_reg, active, next);
        let read = ReadOut {
            read: moves,
            read_index: m.slice(place, part_bits, self.config.ring.line_bits()),
        };
        let has_beat = m.ule(slot, job.last_beat);
        let emits = m.and(&[job.valid, job.forwarded, has_beat]);
        let zeros = self.zeros(job, unit);
        let slot = Slot {
            emits,
            last: self.m.eq(slot, job.last_beat),
            last_lane: job.last_lane,
            empty: job.empty,
            job: job.number,
            turn: job.turn,
            fronts: self.fronts(job, slot),
            beat: self.m.slice(slot, 0, part_bits.max(1)),
            part: (part_bits > 0).then(|| self.m.slice(place, 0, part_bits)),
            zeros,
        };
        let turns = self.turns("read", job.turn);
        ((self.later("read", slot), turns), read)
    }

    /// A slot a stage later.
    fn later(&mut self, stage: &str, slot: Slot) -> Slot {
        let moves = self.moves;
        let m = &mut *self.m;
        let mut hold = |name: &str, node: Node| m.hold(format!("{stage}_{name}"), moves, node);
        let zeros = slot.zeros;
        let later = Slot {
            emits: slot.emits,
            last: hold("last", slot.last),
            last_lane: hold("last_lane", slot.last_lane),
            empty: hold("empty", slot.empty),
            job: hold("job", slot.job),
            turn: hold("turn", slot.turn),
            fronts: hold("fronts", slot.fronts),
            beat: hold("beat", slot.beat),
            part: slot.part.map(|part| hold("part", part)),
            zeros: Zeros {
                outside: hold("outside", zeros.outside),
                unsure: hold("unsure", zeros.unsure),
            },
        };
        let emits = m.hold_reset(format!("{stage}_emits"), moves, slot.emits);
        Slot { emits, ..later }
    }

    /// Which bytes of a unit are zeros, but for those that are written.
    fn zeros(&mut self, job: &Job, unit: Node) -> Zeros {
        let (lane_bits, unit_bits, part_bits) =
            (self.lane_bits(), self.unit_bits(), self.part_bits());
        let m = &mut *self.m;
        let zeros_unit = m.slice(job.zeros, lane_bits, unit_bits);
        // Counted from the packet's first line: what is before it is above all others.
        let line = m.slice(unit, part_bits, unit_bits - part_bits);
        let bits = m.width(line).max(m.width(job.lines)) + 1;
        let line = m.sext(line, bits);
        let front = m.zext(job.front_lines, bits);
        let line = m.add(line, front);
        let lines = m.zext(job.lines, bits);
        let beyond = m.compare(NodeOp::Slt, zeros_unit, unit);
        let partly = m.eq(zeros_unit, unit);
        let first = m.slice(job.zeros, 0, lane_bits);
        Zeros {
            outside: m.ule(lines, line),
            unsure: self.unsure(job.turn, (beyond, partly, first)),
        }
    }

    /// A bit for each byte, as the first step turns them: in all of a unit, or in part from a first byte on. The step moves groups of
    /// bytes, so a group is compared as a whole, with where its bytes come from.
    fn unsure(&mut self, turn: Node, (beyond, partly, first): (Node, Node, Node)) -> Node {
        let (lane_bits, beat_bytes) = (self.lane_bits(), self.config.beat_bytes);
        let m = &mut *self.m;
        let low_bits = lane_bits.min(FIRST_STEP);
        let high_bits = lane_bits - low_bits;
        let first_low = m.slice(first, 0, low_bits);
        let from_lane = (0..beat_bytes.min(1 << FIRST_STEP)).map(|lane| {
            let number = m.constant(lane.into(), low_bits);
            m.ule(first_low, number)
        });
        let from_lane: Vec<Node> = from_lane.collect();
        let groups = (0..1 << high_bits).rev().map(|group: u64| {
            let (mut whole, mut in_part) = (beyond, partly);
            if high_bits > 0 {
                let [first, turn] = [first, turn].map(|node| m.slice(node, low_bits, high_bits));
                let from = m.add_const(turn, group);
                let behind = m.ult(first, from);
                let behind = m.and(&[partly, behind]);
                whole = m.or(&[beyond, behind]);
                let same = m.eq(first, from);
                in_part = m.and(&[partly, same]);
            }
            let lanes = from_lane.iter().rev().map(|from_lane| {
                let behind = m.and(&[in_part, *from_lane]);
                m.or(&[whole, behind])
            });
            let lanes: Vec<Node> = lanes.collect();
            m.concat(&lanes)
        });
        let groups: Vec<Node> = groups.collect();
        m.concat(&groups)
    }

    /// How many bytes of a slot's beat stand in front.
    fn fronts(&mut self, job: &Job, slot: Node) -> Node {
        let (lane_bits, beat) = (self.lane_bits(), self.config.beat_bytes);
        let m = &mut *self.m;
        let length = m.zext(job.front_length, OFFSET_BITS);
        let whole = m.slice(length, lane_bits, OFFSET_BITS - lane_bits);
        let rest = m.slice(length, 0, lane_bits);
        let rest = m.zext(rest, lane_bits + 1);
        let all = m.constant(beat.into(), lane_bits + 1);
        let before = m.ult(slot, whole);
        let at = m.eq(slot, whole);
        let some = m.gate(at, rest);
        m.mux(before, all, some)
    }

    /// Copies of the number of bytes by which a slot's unit is turned, a stage later than the number.
    fn turns(&mut self, stage: &str, turn: Node) -> Vec<Node> {
        let name = format!("{stage}_turned_by");
        self.m.hold_copies(&name, self.moves, turn, 8)
    }

    /// The unit out of the line that was read, with its zeros, and turned: in three steps, with registers between them. Both come two stages
    /// later. `turns`: beside the slot.
    pub fn unit(
        &mut self,
        (slot, turns): (Slot, Vec<Node>),
        (data, written): (Node, Node),
    ) -> (Slot, Node) {
        let beat = self.config.beat_bytes;
        let m = &mut *self.m;
        let of_part = |m: &mut Module, word: Node, bits: u32| match slot.part {
            None => word,
            Some(part) => {
                let units = (0..LINE_BYTES / beat).map(|unit| m.slice(word, unit * bits, bits));
                let units: Vec<Node> = units.collect();
                chosen(m, &units, part)
            }
        };
        let data = of_part(m, data, beat * 8);
        let written = of_part(m, written, beat);
        let data = turned_down_in_part(m, (data, 8), &turns, FIRST_STEP);
        let written = turned_down_in_part(m, (written, 1), &turns, FIRST_STEP);
        let (zeros, all) = (slot.zeros, m.width(written));
        let outside = m.sext(zeros.outside, all);
        let not_written = m.not(written);
        let unwritten = m.and(&[zeros.unsure, not_written]);
        let is_zero = m.or(&[outside, unwritten]);
        // A choice of zeros is what tools make the reset of registers of, which costs no LUT.
        let none = m.zero(8);
        let bytes = (0..beat).rev().map(|lane| {
            let is_zero = m.bit(is_zero, lane);
            let byte = m.slice(data, lane * 8, 8);
            m.mux(is_zero, none, byte)
        });
        let bytes: Vec<Node> = bytes.collect();
        let unit = m.concat(&bytes);
        let unit = self.hold("unit_bytes", unit);
        let turns = self.turns("unit", slot.turn);
        let slot = self.later("unit", slot);
        let turned = turned_down_in_part(self.m, (unit, 8), &turns, 2);
        let turned = self.hold("turned_bytes", turned);
        let turns = self.turns("turned", slot.turn);
        let slot = self.later("turned", slot);
        (slot, turned_down_in_part(self.m, (turned, 8), &turns, 0))
    }

    /// The beat of a slot, a stage later: when the next slot's unit is there.
    pub fn beat(&mut self, job: &Job, slot: Slot, next: Node) -> Beat {
        let this = self.hold("this_bytes", next);
        let slot = self.later("beat", slot);
        let beat = self.config.beat_bytes;
        let m = &mut *self.m;
        let words = job.of(m, slot.job);
        let front = match FRONT_BYTES / beat {
            1 => words.front,
            parts => {
                let parts: Vec<Node> = (0..parts)
                    .map(|part| m.slice(words.front, part * beat * 8, beat * 8))
                    .collect();
                chosen(m, &parts, slot.beat)
            }
        };
        let mut bytes = Vec::new();
        for lane in (0..beat).rev() {
            let most = m.constant((beat - 1 - lane).into(), m.width(slot.turn));
            let is_this = m.ule(slot.turn, most);
            let number = m.constant(lane.into(), m.width(slot.fronts));
            let is_front = m.ult(number, slot.fronts);
            let [front, this, next] = [front, this, next].map(|data| m.slice(data, lane * 8, 8));
            let inside = m.mux(is_this, this, next);
            bytes.push(m.mux(is_front, front, inside));
        }
        let outputs = words.outputs.unwrap_or_else(|| m.zero(1));
        let user = match words.again {
            Some(again) => m.concat(&[again, outputs]),
            None => outputs,
        };
        Beat {
            valid: slot.emits,
            data: m.concat(&bytes),
            last: slot.last,
            count: slot.last_lane,
            empty: Some(slot.empty),
            user,
            destination: Some(m.concat(&[words.class, words.index])),
        }
    }

    /// Lines that are read, or not wanted.
    pub fn given_back(&mut self, job: &Job) -> GivenBack {
        let m = &mut *self.m;
        let over = match job.again {
            Some(again) => {
                let last = m.not(again);
                m.and(&[job.done, last])
            }
            None => job.done,
        };
        GivenBack {
            given_back: m.delay_reset("given_back_reg", over),
            given_lines: m.delay("given_lines_reg", job.lines),
        }
    }

    /// The strobe of a packet's first job.
    pub fn fate(&mut self, job: &Job) -> FateOut {
        let m = &mut *self.m;
        let mut strobes = job.done;
        if let Some(again) = job.again {
            let repeating = m.hold_reset("repeating", job.done, again);
            let is_first = m.not(repeating);
            strobes = m.and(&[job.done, is_first]);
        }
        let parts = std::iter::once(job.forwarded).chain(job.fate_outputs);
        let parts: Vec<Node> = parts.collect();
        let fate = m.concat(&parts);
        FateOut {
            fate_valid: m.delay_reset("fate_valid_reg", strobes),
            fate: m.delay("fate_reg", fate),
        }
    }
}
