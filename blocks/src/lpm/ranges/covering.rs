//! Of the entries that the host's prefix begins with the longest one: what is found without it, or by a lookup.

use super::super::prepare::{Asked, Look};
use super::{Prefixed, Table};

impl Table<'_> {
    /// The longest entry but the host's own one; of a lookup that one, too. Known when all have been looked at; stands still then.
    pub(super) fn covering(&mut self, asked: &Asked, look: &Look) -> Prefixed {
        let length_bits = self.length_bits;
        let m = &mut self.m;
        m.section("Preparation: the longest entry that covers the host's");
        let length = m.slice(look.stored, 0, length_bits);
        let shorter = m.ult(length, asked.prefix.length);
        let same = m.eq(length, asked.prefix.length);
        let same = m.and(&[same, asked.command.is_lookup]);
        let fits = m.or(&[shorter, same]);
        let mut covers = vec![look.present, look.read.compares, fits];
        let counts = self.counts(length);
        covers.extend(self.same_bits(look.stored, &asked.prefix, &counts));
        let m = &mut self.m;
        let covers = m.and(&covers);
        let covers = m.delay_reset("covers", covers);
        let length = m.delay("covers_length", length);
        let index = m.delay("covers_index", look.read.index);
        let (has_reg, has) = m.reg_reset("covered", 1, 0);
        let (longest_reg, longest) = m.reg("covered_length", length_bits);
        let (entry_reg, entry) = m.reg("covered_entry", self.entries.bits());
        let longer = m.ult(longest, length);
        let none = m.not(has);
        let better = m.or(&[none, longer]);
        let takes = m.and(&[covers, better]);
        let begins = asked.command.begins;
        let idle = m.not(begins);
        let kept = m.or(&[has, takes]);
        let has_next = m.and(&[kept, idle]);
        m.set_next(has_reg, has_next);
        m.set_next_when(longest_reg, takes, length);
        m.set_next_when(entry_reg, takes, index);
        // Of none all bits are zero.
        Prefixed {
            has,
            entry: m.gate(has, entry),
            length: m.gate(has, longest),
        }
    }
}
