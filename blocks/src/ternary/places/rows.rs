//! Stages R and R + 1: the rows of the chunks are read for a packet's key; the group that is written writes its part of them.

use super::shape::{Shape, LANES};
use super::write::Group;
use crate::ternary::rows::chunk_matches;
use crate::ternary::Table;
use hardpath_rtl::{MemStyle, Module, Node};

/// A block RAM has so many write enables, each of nine bits.
const GROUPS_OF_A_MEMORY: usize = 8;

impl Table<'_> {
    /// The places whose entries match the key, one bit each in the order of a row, and the stage after R in which they stand in a register.
    pub(super) fn matching_places(
        &mut self,
        shape: Shape,
        key: Node,
        valid: Node,
        group: &Group,
    ) -> (u32, Node) {
        self.m.section("Stage R: the rows are read");
        let words = self.place_words(shape, key, group);
        let (stage, matching) = self.all_match(words, valid, "places");
        (stage + 1, matching)
    }

    /// The words of all chunks at the key, in stage R + 1.
    fn place_words(&mut self, shape: Shape, key: Node, group: &Group) -> Vec<Node> {
        let m = &mut self.m;
        let chunks = self.fields.chunks();
        let row_copies = m.delay_copies("write_row_1", group.rows.row, chunks.len());
        let writes = m.delay_reset("write_sweeps_1", group.rows.write);
        let enables = group.lines(m, shape, "writes_group", writes);
        let mut words = Vec::new();
        for ((number, chunk), row) in chunks.iter().enumerate().zip(row_copies) {
            let name = format!("chunk_{number}");
            let lanes = group.lanes.iter().rev();
            let bits: Vec<Node> = lanes
                .map(|entry| chunk_matches(m, chunk, row, entry))
                .collect();
            debug_assert_eq!(bits.len(), LANES as usize);
            let bits = m.concat(&bits);
            let bits = m.delay(format!("{name}_bits"), bits);
            // Of a memory with fewer rows each is written several times.
            let row = m.slice(row, 0, chunk.bits());
            let row = m.delay(format!("{name}_row"), row);
            let address = chunk.of(m, key);
            let mut parts = Vec::new();
            for (part, enables) in enables.chunks(GROUPS_OF_A_MEMORY).enumerate() {
                let name = format!("{name}_{part}");
                let written = (row, bits, enables);
                parts.push(part_of_rows(m, &name, chunk.bits(), address, written));
            }
            parts.reverse();
            words.push(m.concat(&parts));
        }
        words
    }
}

/// A memory of some groups of all rows, of as many as a block RAM has write enables. Gives what stands in the row at the address, a clock
/// later.
fn part_of_rows(
    m: &mut Module,
    name: &str,
    address_bits: u32,
    address: Node,
    (row, bits, enables): (Node, Node, &[Node]),
) -> Node {
    let width = enables.len() as u32 * LANES;
    let memory = m.mem(name, width, 1 << address_bits, MemStyle::Block);
    let one = m.one();
    let word = m.mem_read_sync(memory, address, one);
    let all = m.concat(&vec![bits; enables.len()]);
    let enables: Vec<Node> = enables.iter().rev().copied().collect();
    let enables = m.concat(&enables);
    m.mem_write(memory, row, all, enables);
    word
}
