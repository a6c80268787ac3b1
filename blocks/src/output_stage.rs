//! The last stage of an exit whose registers are many: beats wait here for `m_axis_tready`, so that it holds nothing else back.
//!
//! ```text
//! beat formed ─► LUT RAM, 4 words ─► registers of m_axis
//!                     │                    ▲
//!   moves ◄─ register ┘                    └─ m_axis_tready
//! ```
//!
//! Where `m_axis_tready` itself is the enable of all registers of an exit it has thousands of loads, and comes late: from another
//! block, through a LUT for each copy of the enable. Here the exit moves by a *register*, which can have as many copies as are needed, and
//! stops a clock late; the words take what comes until then.

use crate::axi::StreamOut;
use crate::fifo::is_used_well;
use crate::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node, Reg};

/// Words that can wait.
const DEPTH: u32 = 4;

/// A beat that leaves.
pub struct Beat {
    /// There is one.
    pub valid: Node,
    /// Its bytes.
    pub data: Node,
    /// It is the last one of its packet.
    pub last: Node,
    /// The last lane, of the last beat.
    pub count: Node,
    /// It has no bytes, where that may be; it is a last one then.
    pub empty: Option<Node>,
    /// `m_axis_tuser`.
    pub user: Node,
    /// What changes of `m_axis_tdest`.
    pub destination: Option<Node>,
}

/// The stage, whose first half is described before what it holds back, and whose second half behind that.
pub struct OutputStage {
    /// A register: all in front of the stage moves on in this clock.
    pub moves: Node,
    write: (Reg, Node),
    read: (Reg, Node),
}

impl OutputStage {
    /// Its first half.
    pub fn new(m: &mut Module) -> OutputStage {
        let bits = index_bits(u64::from(DEPTH)) + 1;
        let (write_reg, write) = m.reg_reset("leaving_write_pointer", bits, 0);
        let (read_reg, read) = m.reg_reset("leaving_read_pointer", bits, 0);
        let (moves_reg, moves) = m.reg_reset("moves", 1, 1);
        let used = m.sub(write, read);
        // One beat may come in this clock, and one in the next, before the register is seen.
        let room = m.constant(u64::from(DEPTH - 2), bits);
        let moves_next = m.ule(used, room);
        m.set_next(moves_reg, moves_next);
        OutputStage {
            moves,
            write: (write_reg, write),
            read: (read_reg, read),
        }
    }

    /// Takes a beat while the exit moves, and gives the oldest one to `m_axis`. `destination`: makes `m_axis_tdest` out of what changes
    /// of it.
    pub fn send(
        self,
        m: &mut Module,
        destination: impl FnOnce(&mut Module, Option<Node>) -> Node,
        beat: &Beat,
        tready: Node,
    ) -> StreamOut {
        m.section("Beats wait for m_axis_tready");
        let parts = [beat.last, beat.count, beat.user];
        let parts: Vec<Node> = beat
            .destination
            .into_iter()
            .chain(beat.empty)
            .chain(parts)
            .collect();
        let beside = m.concat(&parts);
        let word = m.concat(&[beside, beat.data]);
        let words = m.mem("leaving", m.width(word), DEPTH, MemStyle::Distributed);
        let push = m.and(&[beat.valid, self.moves]);
        self.store(m, words, word, push);
        let (load, valid) = self.take(m, push, tready);
        let (_, read) = self.read;
        let index = m.slice(read, 0, index_bits(u64::from(DEPTH)));
        let oldest = m.mem_read_async(words, index);
        let mut at = 0;
        let mut part = |m: &mut Module, like: Node| {
            let bits = m.width(like);
            at += bits;
            m.slice(oldest, at - bits, bits)
        };
        let data = part(m, beat.data);
        let user = part(m, beat.user);
        let count = part(m, beat.count);
        let last = part(m, beat.last);
        let empty = beat.empty.map(|node| part(m, node));
        let varies = beat.destination.map(|node| part(m, node));
        let mut keep = lanes(m, last, count);
        if let Some(empty) = empty {
            let some = m.not(empty);
            keep = m.gate(some, keep);
        }
        let varies = varies.map(|node| m.hold("m_axis_tdest_reg", load, node));
        StreamOut {
            m_axis_tdata: m.hold("m_axis_tdata_reg", load, data),
            m_axis_tkeep: m.hold("m_axis_tkeep_reg", load, keep),
            m_axis_tvalid: valid,
            m_axis_tlast: m.hold("m_axis_tlast_reg", load, last),
            m_axis_tuser: m.hold("m_axis_tuser_reg", load, user),
            m_axis_tdest: destination(m, varies),
        }
    }

    fn store(&self, m: &mut Module, words: Mem, word: Node, push: Node) {
        let (write_reg, write) = self.write;
        let index = m.slice(write, 0, index_bits(u64::from(DEPTH)));
        m.mem_write(words, index, word, push);
        let next = m.add_const(write, 1);
        m.set_next_when(write_reg, push, next);
    }

    /// The output registers take the oldest word; and whether they hold one.
    fn take(&self, m: &mut Module, push: Node, tready: Node) -> (Node, Node) {
        let ((_, write), (read_reg, read)) = (self.write, self.read);
        let (valid_reg, valid) = m.reg_reset("m_axis_tvalid_reg", 1, 0);
        let some = m.ne(write, read);
        let empty = m.not(valid);
        let free = m.or(&[empty, tready]);
        let load = m.and(&[some, free]);
        m.name(load, "load");
        let next = m.add_const(read, 1);
        m.set_next_when(read_reg, load, next);
        let blocked = m.not(tready);
        let stays = m.and(&[valid, blocked]);
        let valid_next = m.or(&[load, stays]);
        m.set_next(valid_reg, valid_next);
        let used = m.sub(write, read);
        is_used_well(m, (push, used), (load, some));
        (load, valid)
    }
}

/// `tkeep`: all lanes, of the last beat those up to the last one.
pub(crate) fn lanes(m: &mut Module, last: Node, count: Node) -> Node {
    let bits = m.width(count);
    let not_last = m.not(last);
    let mut lanes = Vec::new();
    for lane in (0..1u64 << bits).rev() {
        let lane = m.constant(lane, bits);
        let within = m.ule(lane, count);
        lanes.push(m.or(&[not_last, within]));
    }
    m.concat(&lanes)
}
