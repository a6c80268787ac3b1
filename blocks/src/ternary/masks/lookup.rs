//! Lookups: all banks at once, and the entry of highest priority. What is compared and joined is written down as LUTs of six inputs take it.

use super::digest::Rows;
use super::shape::{Place, Shape};
use super::PRIORITY_BITS;
use crate::index_bits;
use crate::ternary::Table;
use hardpath_rtl::{MemStyle, Module, Node};

/// A bank gets a mask: a strobe, the bank, and the mask.
pub(super) struct NewMask {
    pub(super) happens: Node,
    pub(super) bank: Node,
    pub(super) mask: Node,
}

/// A row that is written; all from registers. `happens`: a strobe.
pub(super) struct Written {
    pub(super) happens: Node,
    pub(super) place: Place,
    pub(super) row: Node,
}

/// What banks are told.
pub(super) struct Banks<'a> {
    pub(super) written: &'a Written,
    pub(super) new_mask: &'a NewMask,
    /// The sweep, and its word.
    pub(super) sweep: (Node, Node),
}

/// Bits of a row that are compared in a LUT, each with one of the key and one of the mask.
const COMPARED: u32 = 2;
/// Of these, so many before there is a register.
const COMPARED_AT_ONCE: usize = 3;

/// Clocks of the choice among so many banks, of two halves each.
pub(super) fn choice_clocks(banks: u32) -> u32 {
    index_bits(u64::from(2 * banks))
}

impl Table<'_> {
    /// Whether an entry matches, and the number of the one that wins, in the stage before A.
    pub(super) fn looked_up(&mut self, shape: Shape, key: Node, banks: &Banks) -> (Node, Node) {
        let registers = self.config.registers;
        let m = &mut self.m;
        let masks = masks(m, shape, banks.new_mask);
        let write = RowWrite::of(m, shape, banks);
        m.section("The key, as it goes beside its rows");
        let mut keys = vec![key];
        for stage in 1..=2 + usize::from(registers) {
            let later = m.delay(format!("key_{stage}"), keys[stage - 1]);
            keys.push(later);
        }
        let asked = keys[keys.len() - 1];
        let mut found = Vec::new();
        for (bank, mask) in masks.into_iter().enumerate() {
            m.section(format!(
                "Bank {bank}: the rows of the key's bits that count"
            ));
            let name = format!("bank_{bank}");
            let rows = Rows::of(m, shape, keys[0], Some(mask)).delay(m, &format!("{name}_row"));
            let ranks = [0, 1].map(|half| {
                let name = format!("{name}_{half}");
                let enable = write.enables[2 * bank + half];
                let row = write.memory(m, shape, &name, (rows.0[half], enable));
                let row = match registers {
                    true => m.delay(format!("{name}_word"), row),
                    false => row,
                };
                matched(m, shape, &name, (asked, mask), row)
            });
            found.extend(ranks);
        }
        choice(m, shape, found)
    }
}

/// The masks of all banks, in registers.
fn masks(m: &mut Module, shape: Shape, new: &NewMask) -> Vec<Node> {
    m.section("The masks of the banks");
    let mut masks = Vec::new();
    for bank in 0..shape.banks() {
        let is_it = m.eq_const(new.bank, u64::from(bank));
        let gets = m.and(&[new.happens, is_it]);
        let gets = m.delay_reset(format!("bank_{bank}_gets_mask"), gets);
        masks.push(m.hold(format!("bank_{bank}_mask"), gets, new.mask));
    }
    masks
}

/// What is written to rows, for all memories.
struct RowWrite {
    index: Node,
    row: Node,
    /// By bank and half.
    enables: Vec<Node>,
}

impl RowWrite {
    fn of(m: &mut Module, shape: Shape, banks: &Banks) -> RowWrite {
        m.section("The row that is written");
        let written = banks.written;
        let (clear, clear_index) = banks.sweep;
        let index = m.resize(clear_index, shape.index_bits());
        let index = m.mux(clear, index, written.place.index);
        // Of a row that is swept all else may stay.
        let last = shape.row_bits() - 1;
        let is_there = m.bit(written.row, last);
        let running = m.not(clear);
        let is_there = m.and(&[is_there, running]);
        let rest = m.slice(written.row, 0, last);
        let row = m.concat(&[is_there, rest]);
        let mut enables = Vec::new();
        for bank in 0..shape.banks() {
            let is_bank = m.eq_const(written.place.bank, u64::from(bank));
            for half in 0..2 {
                let is_half = m.eq_const(written.place.half, half);
                let here = m.and(&[written.happens, is_bank, is_half]);
                let enable = m.or(&[here, clear]);
                enables.push(m.delay_reset(format!("writes_{bank}_{half}"), enable));
            }
        }
        RowWrite {
            index: m.delay("written_index", index),
            row: m.delay("written_row", row),
            enables,
        }
    }

    /// The rows of a half. Gives what stands in the one at an index, a clock later.
    fn memory(
        &self,
        m: &mut Module,
        shape: Shape,
        name: &str,
        (index, enable): (Node, Node),
    ) -> Node {
        let style = match super::in_lut_ram(shape.entries) {
            true => MemStyle::Distributed,
            false => MemStyle::Block,
        };
        let memory = m.mem(
            format!("{name}_rows"),
            shape.row_bits(),
            shape.rows(),
            style,
        );
        let one = m.one();
        let row = m.mem_read_sync(memory, index, one);
        m.mem_write(memory, self.index, self.row, enable);
        row
    }
}

/// Whether what stands in a row is of the key, two clocks later; below that its priority, and below that its number, each bit the other way
/// round. So the larger one wins.
fn matched(m: &mut Module, shape: Shape, name: &str, (key, mask): (Node, Node), row: Node) -> Node {
    let stored = m.slice(row, 0, shape.key_bits);
    let is_there = m.bit(row, shape.row_bits() - 1);
    let mut same = vec![is_there];
    for first in (0..shape.key_bits).step_by(COMPARED as usize) {
        let bits = COMPARED.min(shape.key_bits - first);
        let [key, mask, stored] = [key, mask, stored].map(|of| m.slice(of, first, bits));
        let counted = m.and(&[key, mask]);
        same.push(m.eq(counted, stored));
    }
    // A register behind some bits each: so there is one LUT for two of them, and none is built twice for less depth.
    let parts = same
        .chunks(COMPARED_AT_ONCE)
        .enumerate()
        .map(|(number, part)| {
            let same = m.and(part);
            m.delay(format!("{name}_same_{number}"), same)
        });
    let parts: Vec<Node> = parts.collect();
    let matches = m.and(&parts);
    let number = m.slice(row, shape.key_bits, shape.number_bits());
    let number = m.not(number);
    let priority = m.slice(row, shape.key_bits + shape.number_bits(), PRIORITY_BITS);
    let rank = m.concat(&[priority, number]);
    let rank = m.delay(format!("{name}_rank_1"), rank);
    let rank = m.concat(&[matches, rank]);
    m.delay(format!("{name}_rank_2"), rank)
}

/// Of all that match the one that wins: two a clock become one.
fn choice(m: &mut Module, shape: Shape, mut found: Vec<Node>) -> (Node, Node) {
    let mut clock = 0;
    while found.len() > 1 {
        clock += 1;
        m.section(format!("Choice, clock {clock}"));
        let mut better = Vec::new();
        for (pair, of) in found.chunks(2).enumerate() {
            let rank = match of {
                [one, other] => {
                    let second = m.ult(*one, *other);
                    m.mux(second, *other, *one)
                }
                _ => of[0],
            };
            better.push(m.delay(format!("rank_{clock}_{pair}"), rank));
        }
        found = better;
    }
    debug_assert_eq!(clock, choice_clocks(shape.banks()));
    let rank = found[0];
    let number = m.slice(rank, 0, shape.number_bits());
    let hit = m.bit(rank, m.width(rank) - 1);
    (hit, m.not(number))
}
