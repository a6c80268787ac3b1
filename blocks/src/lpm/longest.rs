//! Of the entries that match the longest one wins.

use super::prepare::Prepared;
use super::Table;
use crate::matching::highest::highest;
use hardpath_rtl::Node;

impl Table<'_> {
    /// A register for each bit of the lengths, the highest first, with that bit of every entry.
    pub(super) fn length_registers(&mut self, prepared: &Prepared) -> Vec<Node> {
        self.m.section("Lengths of the prefixes");
        let one_hot = prepared.one_hot;
        let others = self.m.not(one_hot);
        (0..self.length_bits)
            .rev()
            .map(|bit| {
                let (reg, ones) = self.m.reg(format!("length_bit_{bit}"), self.entries.0);
                let kept = self.m.and(&[ones, others]);
                let one = self.m.bit(prepared.prefix.length, bit);
                let set = self.m.gate(one, one_hot);
                let next = self.m.or(&[kept, set]);
                self.m.set_next_when(reg, prepared.rows.write, next);
                ones
            })
            .collect()
    }

    /// The one bit that is left when all lengths have been looked at. `stage`: the one after R before that of `matching`.
    pub(super) fn longest(
        &mut self,
        stage: u32,
        (mut matching, bits_a_clock): (Node, u32),
        lengths: &[Node],
    ) -> Node {
        for (clock, bits) in (1..).zip(lengths.chunks(bits_a_clock as usize)) {
            let m = &mut self.m;
            m.section(format!("Stage R + {}: longer ones win", stage + clock));
            matching = highest(m, matching, bits);
            matching = m.delay(format!("longest_{clock}"), matching);
        }
        matching
    }
}
