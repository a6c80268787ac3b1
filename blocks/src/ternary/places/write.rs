//! Writing places: an entry comes to one, or goes.
//!
//! A place is written in four steps, while packets go on: the order takes the entry's number; the nine entries of the place's group are read into
//! registers, the *lanes*; all rows of the group are written, one a clock, from what the lanes hold (of an entry that goes they may stay); and
//! in one clock the valid bits of the group become what the order says. Neighbours of the place get what they have. Rows and valid bits of a
//! group are written by the same line: with each row the valid bits get what they have, the place's own being 0 until the end, and with the
//! valid bits a row gets what it has.
//!
//! To move, an entry comes to the new place, and then goes from the old one. The last write of an operation makes all but the last
//! step, which the host's slot makes.

use super::reader::{Memories, Reader, Reason, Tag};
use super::shape::{Shape, LANES};
use super::{Change, Move};
use crate::matching::runs::{late, runs};
use crate::matching::sweep::Rows;
use crate::ternary::asked::Entry;
use crate::ternary::TernaryHostIn;
use hardpath_rtl::{Module, Node};

/// Clocks from the change of a valid bit until no packet that saw it as before is on its way to the order.
const IN_FLIGHT: u32 = 10;
/// Clocks from the last read of a lane until it stands there.
const TO_LANES: u32 = 6;
/// Clocks from the last row until a packet that reads it as it was has met the old valid bits, if these change then.
const TO_ROWS: u32 = 5;
/// Bits of the group's number that are decoded at once.
const DECODED_BITS: u32 = 4;

/// What is written; from registers.
pub(super) struct Write {
    place: Node,
    group: Node,
    /// By lane: it is the place's.
    lane: Node,
    comes: Node,
    number: Node,
    /// The last one of an operation.
    is_last: Node,
    /// A strobe: the order is written.
    first: Node,
}

/// The group that is being written.
pub(super) struct Group {
    /// The rows' sweep.
    pub(super) rows: Rows,
    /// The entries, of which keys and masks are meant.
    pub(super) lanes: Vec<Entry>,
    /// The valid bits of the lanes: which of them are there, in the clock of the lines.
    valid: Node,
    /// Lines of the low and the high bits of the group's number.
    low: Vec<Node>,
    high: Vec<Node>,
    /// Strobes: an operation is ready for its slot, and a move is done.
    pub(super) ready: Node,
    pub(super) moved: Node,
    /// Strobe: the group is written; two clocks in front of the lines it is for the row.
    writes: Node,
}

impl Write {
    /// Begins where an entry moves, `again` for its second half, or where the operation's own entry comes or goes.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        moves: &Move,
        again: Node,
        (last, place): (Change, Node),
    ) -> Write {
        m.section("Preparation: a place is written");
        let begins = m.or(&[moves.begins, again, last.happens]);
        let from = m.hold("move_from", moves.begins, moves.from);
        let number = m.hold("move_number", moves.begins, moves.number);
        let chosen = |m: &mut Module, name: &str, of: [Node; 3]| {
            let next = m.mux(last.happens, of[2], of[0]);
            let next = m.mux(again, of[1], next);
            m.hold(name, begins, next)
        };
        let (yes, no) = (m.one(), m.zero(1));
        let place = chosen(m, "write_place", [moves.to, from, place]);
        let number = chosen(m, "write_number", [moves.number, number, last.number]);
        let comes = chosen(m, "write_comes", [yes, no, last.comes]);
        let is_last = chosen(m, "write_is_last", [no, no, yes]);
        let first = m.delay_reset("write_begins", begins);
        let group = shape.group_of(m, place);
        let lane = shape.lane_of(m, place);
        Write {
            lane: m.delay("write_lane", lane),
            group: m.delay("write_group", group),
            place,
            comes,
            number,
            is_last,
            first,
        }
    }

    /// Whether an entry stands in a place, and which; the sweep takes all away.
    pub(super) fn order(&self, m: &mut Module, memories: Memories, host: &TernaryHostIn) {
        let enable = m.or(&[self.first, host.clear]);
        let address = m.mux(host.clear, host.clear_index, self.place);
        let running = m.not(host.clear);
        let comes = m.and(&[self.comes, running]);
        let word = m.concat(&[comes, self.number]);
        m.mem_write(memories.order, address, word, enable);
    }
}

impl Group {
    /// `row_bits`: of the number of a row. `changes`: the slot of an operation whose last write is ready. `again`: a wire, the second half of
    /// a move begins.
    pub(super) fn of(
        m: &mut Module,
        (shape, row_bits): (Shape, u32),
        write: &Write,
        (reads, (tag, reader)): (Reason, (&Tag, &Reader)),
        (changes, again): (Node, Node),
    ) -> Group {
        let second = m.delay_reset("write_begins_2", write.first);
        let loaded = load(m, shape, (second, write.group), reads);
        let (lanes, present) = lanes(m, (tag, reader));

        let sweeps = m.and(&[loaded, write.comes]);
        let none = m.zero(row_bits);
        let (row_reg, row) = m.reg("write_row", row_bits);
        let more = m.add_const(row, 1);
        let next = m.mux(sweeps, none, more);
        m.set_next(row_reg, next);
        let last_row = m.reduce_and(row);
        let (writes, swept) = runs(m, "write_sweeps", sweeps, last_row);
        let swept = late(m, "write_swept", swept, TO_ROWS);
        let goes = m.not(write.comes);
        let unswept = m.and(&[loaded, goes]);
        let written = m.or(&[swept, unswept]);

        let at_once = m.not(write.is_last);
        let at_once = m.and(&[written, at_once]);
        let done = late(m, "write_in_flight", at_once, IN_FLIGHT);
        let was_first = m.hold("move_comes", write.first, write.comes);
        let goes = m.not(was_first);
        let again_next = m.and(&[done, was_first]);
        m.drive(again, again_next);
        let low_bits = DECODED_BITS.min(shape.group_bits());
        let low = m.slice(write.group, 0, low_bits);
        let low = decoded(m, "write_group_low", low);
        let high = match shape.group_bits() - low_bits {
            0 => vec![m.one()],
            bits => {
                let high = m.slice(write.group, low_bits, bits);
                decoded(m, "write_group_high", high)
            }
        };
        let commits = m.or(&[at_once, changes]);
        let commits_1 = m.delay_reset("valid_change", commits);
        let before = m.not(write.lane);
        let all = m.sext(commits_1, LANES);
        let counts = m.or(&[before, all]);
        let valid = m.and(&[present, counts]);
        let writes_1 = m.delay_reset("write_sweeps_1", writes);
        let group_writes = m.or(&[writes_1, commits]);
        Group {
            rows: Rows { row, write: writes },
            lanes,
            valid: m.delay("lanes_valid", valid),
            writes: m.delay_reset("writes_group", group_writes),
            low,
            high,
            ready: m.and(&[written, write.is_last]),
            moved: m.and(&[done, goes]),
        }
    }

    /// A line for each group: it is written; from registers.
    pub(super) fn lines(&self, m: &mut Module, shape: Shape) -> Vec<Node> {
        let groups = 0..shape.groups() as usize;
        let line = |group: usize| {
            let (low, high) = (group % self.low.len(), group / self.low.len());
            let line = m.and(&[self.low[low], self.high[high], self.writes]);
            m.delay_reset(format!("writes_group_{group}"), line)
        };
        groups.map(line).collect()
    }

    /// A bit for each bit of a row: its place has an entry.
    pub(super) fn valid(&self, m: &mut Module, shape: Shape, lines: &[Node]) -> Node {
        let mut valid = Vec::new();
        for (group, line) in (0..).zip(lines) {
            let lanes = (0..LANES).filter(|lane| shape.place(group, *lane).is_some());
            let lanes: Vec<u32> = lanes.collect();
            let mut present: Vec<Node> =
                lanes.iter().map(|lane| m.bit(self.valid, *lane)).collect();
            present.reverse();
            let present = m.concat(&present);
            let bits = m.hold_reset(format!("valid_{group}"), *line, present);
            for lane in 0..LANES {
                valid.push(match lanes.iter().position(|there| *there == lane) {
                    Some(bit) => m.bit(bits, bit as u32),
                    None => m.zero(1),
                });
            }
        }
        valid.reverse();
        m.concat(&valid)
    }
}

/// Reads the nine places of a group. Gives the strobe in which the lanes have them.
fn load(m: &mut Module, shape: Shape, (begins, group): (Node, Node), reads: Reason) -> Node {
    let (lane_reg, lane) = m.reg("read_lane", 4);
    let zero = m.zero(4);
    let more = m.add_const(lane, 1);
    let next = m.mux(begins, zero, more);
    m.set_next(lane_reg, next);
    let last = m.eq_const(lane, u64::from(LANES) - 1);
    let (loads, loaded) = runs(m, "reads_lanes", begins, last);
    let place = shape.place_of(m, group, lane);
    m.drive(reads.reads, loads);
    m.drive(reads.place, place);
    late(m, "lanes_read", loaded, TO_LANES)
}

/// The lanes: what is read comes in at the last one.
fn lanes(m: &mut Module, (tag, reader): (&Tag, &Reader)) -> (Vec<Entry>, Node) {
    let here = tag.at_entry();
    let mut lanes = vec![reader.entry];
    for lane in (0..LANES).rev() {
        let behind = lanes[lanes.len() - 1];
        lanes.push(Entry {
            key: m.hold(format!("lane_{lane}_key"), here, behind.key),
            mask: match m.as_const(behind.mask) {
                Some(_) => behind.mask,
                None => m.hold(format!("lane_{lane}_mask"), here, behind.mask),
            },
            priority: behind.priority,
        });
    }
    lanes.remove(0);
    lanes.reverse();
    let (present_reg, present) = m.reg("lanes_present", LANES);
    let others = m.slice(present, 1, LANES - 1);
    let next = m.concat(&[reader.entry_present, others]);
    m.set_next_when(present_reg, here, next);
    (lanes, present)
}

/// A line for each number.
fn decoded(m: &mut Module, name: &str, number: Node) -> Vec<Node> {
    let numbers = 0..1 << m.width(number);
    let line = |value: u64| {
        let is = m.eq_const(number, value);
        m.delay(format!("{name}_{value}"), is)
    };
    numbers.map(line).collect()
}
