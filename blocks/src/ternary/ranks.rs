//! Of the entries that match the one of highest rank wins.
//!
//! Ranks of valid entries are the numbers from 0 on, each once. Those of others mean nothing.

use super::asked::{Asked, Entry};
use super::prepare::Prepared;
use super::{Table, RANK_BITS_A_CLOCK, UNDISTURBED};
use crate::matching::highest::highest;
use crate::matching::scan::{Found, Read};
use hardpath_rtl::{Module, Node};

/// So many entries share a copy of what their ranks depend on.
const ENTRIES_A_COPY: u32 = 16;

/// The host's entry among the others; from registers.
pub(super) struct Order {
    /// One bit for each entry: it goes before the host's, if it is valid.
    before: Node,
    /// How many go behind it: its rank.
    rank: Node,
}

impl Table<'_> {
    /// Compares the priorities in the scan. The entry's number is not known yet, but whether it was met: of equal priority those go
    /// before it that come first. An update that replaces changes no ranks, so its number does not matter.
    pub(super) fn order(
        &mut self,
        asked: &Asked,
        read: &Read,
        (stored, present): (Entry, Node),
        found: &Found,
    ) -> Order {
        let m = &mut self.m;
        let command = &asked.command;
        let compared = m.delay_reset("compared", read.compares);
        let present = m.delay("present", present);
        let higher = m.ult(asked.entry.priority, stored.priority);
        let higher = m.delay("higher_priority", higher);
        let equal = m.eq(stored.priority, asked.entry.priority);
        let equal = m.delay("equal_priority", equal);
        let met = m.mux(command.is_delete, found.exists, found.has_room);
        let not_met = m.not(met);
        let first = m.and(&[equal, not_met]);
        let goes_before = m.or(&[higher, first]);
        let behind = m.not(goes_before);

        let (before_reg, before) = m.reg("goes_before", self.entries.0);
        let before_next = shifted_in(m, before, goes_before);
        m.set_next_when(before_reg, compared, before_next);

        let (rank_reg, rank) = m.reg("host_rank", self.entries.bits());
        let counts = m.and(&[present, behind, compared]);
        let none = m.zero(self.entries.bits());
        let more = m.add_const(rank, 1);
        let rank_next = m.mux(command.begins, none, more);
        let rank_changes = m.or(&[command.begins, counts]);
        m.set_next_when(rank_reg, rank_changes, rank_next);
        Order { before, rank }
    }

    /// The bits of all ranks, the highest first. They change in the clock in which the valid bits do, `changes`.
    pub(super) fn ranks(&mut self, changes: Node, prepared: &Prepared) -> Vec<Node> {
        let m = &mut self.m;
        m.section("Ranks of the entries");
        let Order { before, rank } = prepared.order;
        let one_hot = prepared.one_hot;
        let is_delete = prepared.command.is_delete;
        let copies = self.entries.0.div_ceil(ENTRIES_A_COPY);
        let down = m.delay_copies("ranks_go_down", is_delete, copies as usize);
        let moves = m.or(&[is_delete, prepared.absent]);
        let moves = m.and(&[changes, moves]);
        let affected = m.or(&[before, one_hot]);
        let mut ranks: Vec<Node> = (0..self.entries.0)
            .map(|entry| {
                let (reg, held) = m.reg(format!("rank_{entry}"), self.entries.bits());
                let is_new = m.bit(one_hot, entry);
                let down = down[(entry / ENTRIES_A_COPY) as usize];
                let beside = one_beside(m, held, down);
                let next = m.mux(is_new, rank, beside);
                let is_affected = m.bit(affected, entry);
                let takes = m.and(&[moves, is_affected]);
                m.set_next_when(reg, takes, next);
                held
            })
            .collect();
        ranks.reverse();
        let bits = (0..self.entries.bits()).rev();
        bits.map(|bit| {
            let of_all: Vec<Node> = ranks.iter().map(|rank| m.bit(*rank, bit)).collect();
            let of_all = m.concat(&of_all);
            m.name(of_all, format!("rank_bit_{bit}"))
        })
        .collect()
    }

    /// The one bit that is left when all ranks have been looked at. `stage`: the one after R before that of `matching`.
    pub(super) fn best(&mut self, stage: u32, mut matching: Node, ranks: &[Node]) -> Node {
        for (clock, bits) in (1..).zip(ranks.chunks(RANK_BITS_A_CLOCK as usize)) {
            let m = &mut self.m;
            m.section(format!("Stage R + {}: higher ranks win", stage + clock));
            let mut bits = bits.to_vec();
            for late in UNDISTURBED..clock {
                let names = (0..).map(|bit| format!("late_{clock}_{bit}_{late}"));
                let later = bits.iter().zip(names);
                bits = later.map(|(bit, name)| m.delay(name, *bit)).collect();
            }
            matching = highest(m, matching, &bits);
            matching = m.delay(format!("best_{clock}"), matching);
        }
        matching
    }
}

/// Shifts a bit in at the top: when all are in, the first one is the lowest.
fn shifted_in(m: &mut Module, bits: Node, bit: Node) -> Node {
    match m.width(bits) {
        1 => bit,
        width => {
            let others = m.slice(bits, 1, width - 1);
            m.concat(&[bit, others])
        }
    }
}

/// A number plus or minus one. A bit changes where all lower ones are 1, or 0; there are few, and a carry chain would be more.
fn one_beside(m: &mut Module, number: Node, down: Node) -> Node {
    let mut bits: Vec<Node> = Vec::new();
    let mut carries = Vec::new();
    for place in 0..m.width(number) {
        let bit = m.bit(number, place);
        bits.push(match carries.is_empty() {
            true => m.not(bit),
            false => {
                let carry = m.and(&carries);
                m.xor(&[bit, carry])
            }
        });
        carries.push(m.xor(&[bit, down]));
    }
    bits.reverse();
    m.concat(&bits)
}
