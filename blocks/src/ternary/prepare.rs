//! The host's side of a table: which entry an operation means, whether it can be done, what goes before it, and the new
//! entry's bits in all rows, while packets go on.

use super::asked::{Asked, Entry};
use super::ranks::Order;
use super::{Table, TernaryHostIn, PRIORITY_BITS};
use crate::matching::asked::Command;
use crate::matching::decision::{decides, operation_answer, Decision};
use crate::matching::entries::write_keys;
use crate::matching::scan::{Found, Read, Reading};
use crate::matching::sweep::{make_ready, Rows};
use hardpath_rtl::{MemStyle, Node};

/// What the preparation of a host operation found out; stands still until the slot is over.
pub(super) struct Prepared {
    /// The host's slot may come.
    pub(super) ready: Node,
    pub(super) command: Command,
    pub(super) decision: Decision,
    /// A bit for each entry: the one that is meant.
    pub(super) one_hot: Node,
    pub(super) rows: Rows,
    pub(super) entry: Entry,
    /// The entry was not there.
    pub(super) absent: Node,
    pub(super) order: Order,
    /// The dumped entry.
    pub(super) stored: Entry,
}

impl Table<'_> {
    pub(super) fn prepare(&mut self, host: &TernaryHostIn, host_1: Node) -> Prepared {
        let asked = self.asked(host);
        let command = &asked.command;
        let m = &mut self.m;
        m.section("Preparation: all entries are looked at, one a clock");
        let word_bits = self.fields.word_bits();
        let keys = m.mem("keys", word_bits, self.entries.0, MemStyle::Auto);
        let reads = (command, command.begins_change(m));
        let reading = Reading::of(m, (self.entries, None), reads, host.host_slot);
        let read = reading.read(m, keys, word_bits);
        let present = m.bit(read.word, word_bits - 1);
        let stored = self.stored(read.word);
        let found = self.found(&asked, &read, (stored, present));
        let order = self.order(&asked, &read, (stored, present), &found);
        let m = &mut self.m;
        let decides = decides(m, reading.ends);
        let absent = m.not(found.exists);
        let wishes = (command, &asked.wishes);
        let answer = operation_answer(m, wishes, &found, (absent, present), asked.no_entry);
        let decision = Decision::of(
            m,
            self.entries,
            (command, host.host_slot),
            (decides, &found),
            answer,
        );
        let one_hot = decision.one_hot(m, self.entries);
        let inserts = m.and(&[command.is_update, absent]);
        let (ready, rows) = make_ready(
            m,
            self.fields.row_bits(),
            (command, host.start),
            decides,
            (inserts, decision.fine),
        );
        let entry = self.word(&asked.entry);
        let clear = (host.clear, host.clear_index);
        let decided = (command, &decision);
        write_keys(&mut self.m, keys, host_1, clear, decided, entry);
        Prepared {
            ready,
            command: asked.command,
            decision,
            one_hot,
            rows,
            entry: asked.entry,
            absent,
            order,
            stored,
        }
    }

    /// An entry in the memory of the keys: priority, mask, key.
    pub(super) fn word(&mut self, entry: &Entry) -> Node {
        let mut parts = vec![entry.priority];
        parts.extend(self.fields.stored_masks(&mut self.m, entry.mask));
        parts.push(entry.key);
        self.m.concat(&parts)
    }

    /// The entry in a word.
    pub(super) fn stored(&mut self, word: Node) -> Entry {
        let m = &mut self.m;
        let priority_at = self.fields.word_bits() - 1 - PRIORITY_BITS;
        Entry {
            key: m.slice(word, 0, self.key_bits),
            mask: self.fields.whole_mask(m, word, self.key_bits),
            priority: m.slice(word, priority_at, PRIORITY_BITS),
        }
    }

    /// Compares each entry with the host's.
    fn found(&mut self, asked: &Asked, read: &Read, (stored, present): (Entry, Node)) -> Found {
        let m = &mut self.m;
        let entry = &asked.entry;
        let same = [
            present,
            m.eq(stored.key, entry.key),
            m.eq(stored.mask, entry.mask),
            m.eq(stored.priority, entry.priority),
        ];
        let begins = asked.command.begins;
        Found::of(m, self.entries, begins, read, (present, &same))
    }
}
