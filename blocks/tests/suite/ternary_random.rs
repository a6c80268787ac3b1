//! Keys, entries and operations near those that a table holds.

use crate::ternary_bench::{ones, Entry, Key, Operation, Run};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_blocks::ternary::Match;

impl Run {
    fn known(&mut self) -> Option<Entry> {
        let number = self.random.below(self.entries.len() as u64) as usize;
        self.entries[number].clone()
    }

    /// A value at or next to another one, at an end, or any.
    fn near(&mut self, value: u64, bits: u32) -> u64 {
        let all = ones(bits);
        let one = 1 << self.random.below(bits.into());
        let any = self.random.next();
        let (below, above) = (value.wrapping_sub(1), value.wrapping_add(1));
        let candidates = [value, value, value, below, above, value ^ one, 0, all, any];
        all & *self.random.pick(&candidates)
    }

    /// A key near the entries that are there.
    pub fn some_key(&mut self) -> Key {
        let near = self.known();
        let mut key = Key::new();
        for (number, (_, bits)) in self.config.fields.clone().into_iter().enumerate() {
            let (value, mask) = near.as_ref().map_or((0, 0), |near| near.fields[number]);
            let any = self.random.next() & ones(bits);
            let ends = match self.config.fields[number].0 {
                Match::Range => [value, mask],
                _ => [value, value | any & !mask],
            };
            let end = *self.random.pick(&ends);
            let is_near = self.random.below(4) > 0;
            key.push(match is_near {
                true => end,
                false => self.near(end, bits),
            });
        }
        key
    }

    /// An entry near those that are there: they overlap, and often it is one of them.
    pub fn some_entry(&mut self) -> Entry {
        let known = self.known();
        if let Some(known) = known.clone().filter(|_| self.random.below(4) == 0) {
            return known;
        }
        let mut entry = Entry::new(&[], 0);
        for (number, (kind, bits)) in self.config.fields.clone().into_iter().enumerate() {
            let (value, mask) = known.as_ref().map_or((0, 0), |known| known.fields[number]);
            let all = ones(bits);
            let value = self.near(value, bits);
            let other = self.near(mask, bits);
            let prefix = all & !(all >> self.random.below(u64::from(bits)));
            let mask = match kind {
                Match::Exact => self.random.next() & all,
                Match::Prefix => *self.random.pick(&[prefix, prefix, prefix, all, 0, other]),
                Match::Ternary => *self.random.pick(&[mask, mask, all, 0, other]),
                Match::Range => *self.random.pick(&[value, value.max(other), all, other]),
            };
            entry.fields.push((value, mask));
        }
        let any = self.random.next() & ones(32);
        let priority = known.map_or(0, |known| known.priority);
        let above = (priority + 1) & ones(32);
        let choices = [priority, priority, above, 0, 1, ones(32), 1 << 31, any];
        entry.priority = *self.random.pick(&choices);
        entry
    }

    pub fn random_host(&mut self) {
        let code = *self.random.pick(&[
            command::UPDATE,
            command::UPDATE,
            command::UPDATE,
            command::UPDATE,
            command::DELETE,
            command::LOOKUP,
            command::DUMP,
        ]);
        let operation = Operation {
            code,
            entry: self.some_entry(),
            may: May::ALL[[3, 3, 3, 3, 3, 1, 2, 0][self.random.below(8) as usize]],
            slot: match self.random.below(8) {
                0 => self.config.entries + self.random.below(70) as u32,
                _ => self.random.below(self.config.entries.into()) as u32,
            },
        };
        self.host(&operation);
    }
}
