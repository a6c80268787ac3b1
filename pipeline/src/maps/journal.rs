//! What LRU maps tell of the keys that come and go, for those who compare a design with something that must forget the same.

use crate::lower::{identifier, Lower};
use hardpath_blocks::interface::{Journal, JOURNAL_SIGNALS};

impl Lower<'_> {
    /// The outputs of a map's journal, in the stage in which it commits. Of several copies one speaks.
    pub(super) fn keep_journal(&mut self, number: usize) {
        if !self.keeps_journal || !self.speakers().contains(&number) {
            return;
        }
        let map = self.plan[number].map;
        let evicts = self.access(number).evicts(self.program);
        let name = self.journal_name(&self.decl(number).name);
        let packet = self.valid;
        for signal in JOURNAL_SIGNALS {
            let (node, doc) = match signal {
                "packet" => (packet, "strobe: the next packet is at its commit"),
                "host" => (
                    self.table_output(number, "host_c"),
                    "strobe: an operation of the host is",
                ),
                "put" => (self.table_output(number, "puts"), "strobe: a key comes in"),
                "removed" => (
                    self.table_output(number, "removes_key"),
                    "strobe: a key is deleted",
                ),
                "forgot" => (
                    self.table_output(number, "forgets"),
                    "with put: another key had the slot",
                ),
                "slot" => (self.table_output(number, "entry_c"), "with put and removed"),
                _ => (self.table_output(number, "key_c"), "with put and removed"),
            };
            let port = format!("{name}_{signal}");
            let held = match self.m.width(node) {
                1 => self.m.delay_reset(format!("{port}_reg"), node),
                _ => self.m.delay(format!("{port}_reg"), node),
            };
            self.m.output(port, held, doc);
        }
        let clocks = self.access(number).slots();
        let journal = Journal {
            name,
            evicts,
            clocks,
        };
        self.journals.insert(map, journal);
    }

    fn journal_name(&self, map: &str) -> String {
        let wish = format!("lru_{}", identifier(map));
        let taken = |name: &String| self.journals.values().any(|other| other.name == *name);
        let mut name = wish.clone();
        let mut number = 2;
        while taken(&name) {
            name = format!("{wish}_{number}");
            number += 1;
        }
        name
    }
}
