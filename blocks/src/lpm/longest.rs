//! Of the entries that match the longest one wins.

use super::prepare::Prepared;
use super::Table;
use hardpath_rtl::{Module, Node};

impl Table<'_> {
    /// A register for each bit of the lengths, the highest first, with that bit of every entry.
    pub(super) fn length_registers(&mut self, prepared: &Prepared) -> Vec<Node> {
        self.m.section("Lengths of the prefixes");
        let others = self.m.not(prepared.one_hot);
        (0..self.length_bits)
            .rev()
            .map(|bit| {
                let (reg, ones) = self.m.reg(format!("length_bit_{bit}"), self.entries);
                let kept = self.m.and(&[ones, others]);
                let one = self.m.bit(prepared.row.length, bit);
                let set = self.m.gate(one, prepared.one_hot);
                let next = self.m.or(&[kept, set]);
                self.m.set_next_when(reg, prepared.row.write, next);
                ones
            })
            .collect()
    }

    /// The one bit that is left when all lengths have been looked at. `stage`: the one after R before that of `matching`.
    pub(super) fn longest(&mut self, stage: u32, mut matching: Node, lengths: &[Node]) -> Node {
        let a_clock = self.config.bits_a_clock as usize;
        for (clock, bits) in (1..).zip(lengths.chunks(a_clock)) {
            let m = &mut self.m;
            m.section(format!("Stage R + {}: longer ones win", stage + clock));
            for pair in bits.chunks(2) {
                matching = match *pair {
                    [high, low] => longest_of_two_bits(m, matching, (high, low)),
                    _ => {
                        let some = some_have(m, matching, pair[0]);
                        longer(m, matching, (pair[0], some))
                    }
                };
            }
            matching = m.delay(format!("longest_{clock}"), matching);
        }
        matching
    }
}

/// Those that have the longest length, as far as two bits of it tell. Whether some have the lower bit is asked for those with and
/// without the higher one at once, so two bits take little longer than one.
fn longest_of_two_bits(m: &mut Module, matching: Node, (high, low): (Node, Node)) -> Node {
    let some_high = some_have(m, matching, high);
    let both = m.and(&[high, low]);
    let some_both = some_have(m, matching, both);
    let some_low = some_have(m, matching, low);
    // Where none has the higher bit, those with the lower one are without it.
    let some_low = m.mux(some_high, some_both, some_low);
    let long = longer(m, matching, (high, some_high));
    longer(m, long, (low, some_low))
}

/// Whether some that match have a bit of the length.
fn some_have(m: &mut Module, matching: Node, ones: Node) -> Node {
    let long = m.and(&[matching, ones]);
    m.reduce_or(long)
}

/// Those with a bit of the length where some have it, otherwise all.
fn longer(m: &mut Module, matching: Node, (ones, some): (Node, Node)) -> Node {
    let none = m.not(some);
    let all = m.sext(none, m.width(matching));
    let stays = m.or(&[ones, all]);
    m.and(&[matching, stays])
}
