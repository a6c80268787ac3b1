//! In which row of each half a key stands: linear functions over GF(2) with fixed random matrices (H3: Carter and Wegman, "Universal Classes
//! of Hash Functions"). All banks have the same.
//!
//! **Small**: a bit of the key and one of the mask are two inputs of a LUT, so three bits that count are folded into one, and each bit of a
//! row is the parity of some of these. Bits that often vary together, of neighbouring fields of 16, 32 or 48 bits, are folded into different
//! ones. Keys that differ in two bits of three have the same rows, and stand in the two halves, or in other banks.

use super::shape::Shape;
use crate::hash::matrix_column;
use hardpath_rtl::{Module, Node};

/// Bits of a key that become one, where at least twice as many are left as number the rows.
const MOST_FOLDED: u32 = 3;
/// Bits of a field, and how far the next such field is shifted against it.
const LONG_FIELD: u32 = 48;
const SHIFT: u32 = 12;
/// Inputs of a LUT.
const LUT_INPUTS: usize = 6;

/// The row in either half.
#[derive(Clone, Copy)]
pub(super) struct Rows(pub(super) [Node; 2]);

impl Rows {
    /// Of a key, of which bits count where the mask has ones; `None`: it has zeros in place of all others.
    pub(super) fn of(m: &mut Module, shape: Shape, key: Node, mask: Option<Node>) -> Rows {
        let folded = folded(m, shape, key, mask);
        Rows([0, 1].map(|half| digest(m, shape, &folded, half)))
    }

    pub(super) fn delay(self, m: &mut Module, name: &str) -> Rows {
        Rows([0, 1].map(|half| m.delay(format!("{name}_{half}"), self.0[half])))
    }

    pub(super) fn hold(self, m: &mut Module, name: &str, enable: Node) -> Rows {
        Rows([0, 1].map(|half| m.hold(format!("{name}_{half}"), enable, self.0[half])))
    }

    /// Of the half that is meant.
    pub(super) fn of_half(self, m: &mut Module, half: Node) -> Node {
        m.mux(half, self.0[1], self.0[0])
    }
}

/// Parities of some bits each.
fn folded(m: &mut Module, shape: Shape, key: Node, mask: Option<Node>) -> Vec<Node> {
    let folded = shape.key_bits / (2 * shape.index_bits());
    let count = shape.key_bits.div_ceil(folded.clamp(1, MOST_FOLDED));
    let mut parts: Vec<Vec<Node>> = vec![Vec::new(); count as usize];
    for bit in 0..shape.key_bits {
        let part = (bit + SHIFT * (bit / LONG_FIELD)) % count;
        let one = m.bit(key, bit);
        let counts = mask.map(|mask| m.bit(mask, bit));
        parts[part as usize].push(match counts {
            Some(counts) => m.and(&[one, counts]),
            None => one,
        });
    }
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(|part| m.xor(&part)).collect()
}

fn digest(m: &mut Module, shape: Shape, folded: &[Node], half: u32) -> Node {
    let bits = shape.index_bits();
    let columns = (0..folded.len() as u32).map(|bit| matrix_column(half, bit, bits));
    let columns: Vec<u64> = columns.collect();
    let parity = |m: &mut Module, row_bit: u32| {
        let taps = columns.iter().zip(folded);
        let taps = taps.filter(|(column, _)| *column >> row_bit & 1 == 1);
        let taps: Vec<Node> = taps.map(|(_, bit)| *bit).collect();
        let parts = taps.chunks(LUT_INPUTS).map(|part| m.xor(part));
        let parts: Vec<Node> = parts.collect();
        match parts.is_empty() {
            true => m.zero(1),
            false => m.xor(&parts),
        }
    };
    let bits: Vec<Node> = (0..bits).rev().map(|bit| parity(m, bit)).collect();
    m.concat(&bits)
}
