//! The host's side of a table: which entry an operation means, whether it can be done, and the new entry's bits in all
//! rows, while packets go on.

use super::{chunks, Lpm, LpmHostIn, Table, LENGTH_FIELD};
use crate::matching::asked::{Command, Wishes};
use crate::matching::decision::{decides, operation_answer, Decision};
use crate::matching::entries::write_keys;
use crate::matching::scan::{Found, Read, Reading};
use crate::matching::sweep::{make_ready, Rows};
use hardpath_rtl::{Mem, MemStyle, Node};

/// What the preparation of a host operation found out; stands still until the slot is over.
pub(super) struct Prepared {
    /// The host's slot may come.
    pub(super) ready: Node,
    pub(super) command: Command,
    pub(super) decision: Decision,
    /// A bit for each entry: the one that is meant.
    pub(super) one_hot: Node,
    pub(super) rows: Rows,
    pub(super) prefix: Prefix,
    /// The key in the dumped entry.
    pub(super) key: Node,
}

/// What the host's registers say; a clock after they do, but for the key's parts.
pub(super) struct Asked {
    pub(super) command: Command,
    pub(super) wishes: Wishes,
    pub(super) too_long: Node,
    length_field: Node,
    pub(super) prefix: Prefix,
}

/// The look at all entries.
pub(super) struct Look {
    pub(super) keys: Mem,
    /// The last one is being read.
    pub(super) ends: Node,
    pub(super) read: Read,
    /// The key that was read, and whether it is one.
    pub(super) stored: Node,
    pub(super) present: Node,
}

/// The host's prefix.
pub(super) struct Prefix {
    pub(super) length: Node,
    /// One bit for each bit of the data, first bit of the prefix first: it counts.
    pub(super) counts: Vec<Node>,
    pub(super) data: Vec<Node>,
}

impl Table<'_> {
    /// The host's side: which entry an operation means, and whether it can be done.
    pub(super) fn prepare(&mut self, host: &LpmHostIn, host_1: Node) -> Prepared {
        let asked = self.asked(host);
        let command = &asked.command;
        let begins = command.begins_change(&mut self.m);
        let look = self.look(host, &asked, begins);
        let found = self.found(&asked, &look);
        let m = &mut self.m;
        let decides = decides(m, look.ends);
        let absent = m.not(found.exists);
        let wishes = (command, &asked.wishes);
        let present = (absent, look.present);
        let answer = operation_answer(m, wishes, &found, present, asked.too_long);
        let decision = Decision::of(
            m,
            self.entries,
            (command, host.host_slot),
            (decides, &found),
            answer,
        );
        let one_hot = decision.one_hot(m, self.entries);
        let inserts = m.and(&[command.is_update, absent]);
        let chunk_bits = chunks(self.config.key_bytes).into_iter().map(|c| c.bits);
        let row_bits = chunk_bits.max().unwrap_or(1).max(self.length_bits);
        let (ready, rows) = make_ready(
            m,
            row_bits,
            (command, host.start),
            decides,
            (inserts, decision.fine),
        );
        let clear = (host.clear, host.clear_index);
        write_keys(
            m,
            look.keys,
            host_1,
            clear,
            (command, &decision),
            host.host_key,
        );
        Prepared {
            ready,
            command: asked.command,
            decision,
            one_hot,
            rows,
            prefix: asked.prefix,
            key: look.stored,
        }
    }

    pub(super) fn asked(&mut self, host: &LpmHostIn) -> Asked {
        let m = &mut self.m;
        let command = Command::of(m, host.host_command, host.start);
        let length_field = m.slice(host.host_key, 0, LENGTH_FIELD);
        let longest = m.constant(u64::from(self.data_bits), LENGTH_FIELD);
        let too_long = m.ult(longest, length_field);
        let too_long = m.delay("host_key_too_long", too_long);
        let length = m.slice(length_field, 0, self.length_bits);
        let wishes = Wishes::of(m, host.host_may, host.host_slot, self.entries.0);
        Asked {
            command,
            wishes,
            too_long,
            length_field,
            prefix: self.prefix(host.host_key, length),
        }
    }

    fn prefix(&mut self, host_key: Node, length: Node) -> Prefix {
        let counts = self.counts(length).into_iter().enumerate();
        let names = |number| format!("host_bit_{number}_counts");
        let counts = counts.map(|(number, counts)| self.m.delay(names(number), counts));
        Prefix {
            length,
            counts: counts.collect(),
            data: self.data(host_key),
        }
    }

    /// One bit for each bit of the data, first bit of the prefix first: one of so many counts.
    pub(super) fn counts(&mut self, length: Node) -> Vec<Node> {
        let bits = (0..self.data_bits).map(|number| {
            let place = self.m.constant(u64::from(number), self.length_bits);
            self.m.ult(place, length)
        });
        bits.collect()
    }

    /// Looks at all entries, one a clock, from `begins` on.
    pub(super) fn look(&mut self, host: &LpmHostIn, asked: &Asked, begins: Node) -> Look {
        let m = &mut self.m;
        m.section("Preparation: all entries are looked at, one a clock");
        let word_bits = self.key_bits + 1;
        let keys = m.mem(Lpm::KEY_MEMORY, word_bits, self.entries.0, MemStyle::Auto);
        let reads = (&asked.command, begins);
        let reading = Reading::of(m, (self.entries, host.most), reads, host.host_slot);
        let read = reading.read(m, keys, word_bits);
        Look {
            keys,
            ends: reading.ends,
            stored: m.slice(read.word, 0, self.key_bits),
            present: m.bit(read.word, self.key_bits),
            read,
        }
    }

    /// Compares the prefix in each entry with the host's.
    pub(super) fn found(&mut self, asked: &Asked, look: &Look) -> Found {
        let m = &mut self.m;
        let stored_length = m.slice(look.stored, 0, LENGTH_FIELD);
        let mut same = vec![look.present, m.eq(stored_length, asked.length_field)];
        same.extend(self.same_bits(look.stored, &asked.prefix, &asked.prefix.counts));
        let begins = asked.command.begins;
        let found = (look.present, &same[..]);
        Found::of(&mut self.m, self.entries, begins, &look.read, found)
    }

    /// For each bit of the data: it is the same in an entry and in the host's prefix, or does not count.
    pub(super) fn same_bits(
        &mut self,
        stored: Node,
        prefix: &Prefix,
        counts: &[Node],
    ) -> Vec<Node> {
        let stored = self.data(stored).into_iter();
        let all = stored.zip(&prefix.data).zip(counts);
        all.map(|((bit, own), counts)| {
            let other = self.m.xor(&[bit, *own]);
            let differs = self.m.and(&[other, *counts]);
            self.m.not(differs)
        })
        .collect()
    }
}
