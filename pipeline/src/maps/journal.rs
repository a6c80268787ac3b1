//! What LRU maps tell of the keys that come and go, for those who compare a design with something that must forget the same.

use crate::lower::{identifier, Lower};
use hardpath_blocks::interface::{Journal, JournalOut};
use hardpath_rtl::signals::Signals;

impl Lower<'_> {
    /// The outputs of a map's journal, in the stage in which it commits. Of several copies one speaks.
    pub(super) fn keep_journal(&mut self, number: usize) {
        if !self.keeps_journal || !self.speakers().contains(&number) {
            return;
        }
        let map = self.plan[number].map;
        let evicts = self.access(number).evicts(self.program);
        let label = self.journal_label(&self.decl(number).name);
        let table = self.hash_out(number);
        let moves = table.moves.as_ref().expect("of a table that evicts");
        let write = table.keys[0].write.as_ref().expect("of the first port");
        let told = JournalOut {
            packet: self.valid,
            host: table.host_c,
            put: moves.puts,
            removed: moves.removes_key,
            forgot: moves.forgets,
            slot: write.entry_c,
            key: moves.key_c,
        };
        let name = format!("lru_{label}");
        let held = told.map(&mut |signal, _, node| {
            let register = format!("{name}_{signal}_reg");
            match self.m.width(node) {
                1 => self.m.delay_reset(register, node),
                _ => self.m.delay(register, node),
            }
        });
        self.journal_ports.push((label, held));
        let clocks = self.access(number).slots();
        let journal = Journal {
            name,
            evicts,
            clocks,
        };
        self.journals.insert(map, journal);
    }

    /// The map's name as it stands in the names of ports, another one for each map.
    fn journal_label(&self, map: &str) -> String {
        let wish = identifier(map);
        let taken = |name: &String| self.journal_ports.iter().any(|(other, _)| other == name);
        let mut name = wish.clone();
        let mut number = 2;
        while taken(&name) {
            name = format!("{wish}_{number}");
            number += 1;
        }
        name
    }
}
