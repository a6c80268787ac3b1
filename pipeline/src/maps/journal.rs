//! What LRU maps tell of the keys that come and go, for those who compare a design with something that must forget the same.

use super::Replay;
use crate::lower::{identifier, Lower};
use hardpath_blocks::hash::Hash;
use hardpath_blocks::interface::{command, Journal, JournalOut, Turns};
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

impl Lower<'_> {
    /// The stage whose slots a map's journal counts: that of its commit. Inside of a window that is replayed a packet may pass
    /// again, so a map that only lies there is told of where the window ends, behind which every packet comes once.
    pub(super) fn journal_stage(&self, number: usize) -> u32 {
        let commit = self.stages_of(number).table_commit;
        let passes_again = |replay: &&Replay| (replay.entrance..replay.commit).contains(&commit);
        let window = self.replay.as_ref().filter(passes_again);
        window.map_or(commit, |replay| replay.commit)
    }

    /// The outputs of a map's journal. Of several copies one speaks.
    pub(super) fn keep_journal(&mut self, number: usize) {
        if !self.keeps_journal || !self.speakers().contains(&number) {
            return;
        }
        let map = self.plan[number].map;
        let evicts = self.access(number).evicts(self.program);
        let label = self.journal_label(&self.decl(number).name);
        let max_entries = self.decl(number).max_entries;
        let first = &self.hash_out(number).keys[0];
        let entry = first.write.as_ref().expect("of the first port").entry_c;
        let slot = Hash::slot_of(&mut self.m, max_entries, entry);
        let table = self.hash_out(number);
        let moves = table.moves.as_ref().expect("of a table that evicts");
        let (host, moves) = (table.host_c, moves.clone());
        let of_commit = [
            ("host", self.host_changes(host)),
            ("put", moves.puts),
            ("removed", moves.removes_key),
            ("forgot", moves.forgets),
            ("slot", slot),
            ("key", moves.key_c),
        ];
        let name = format!("lru_{label}");
        let late = self.now - self.stages_of(number).table_commit;
        let [host, put, removed, forgot, slot, key] = of_commit.map(|(signal, node)| {
            (0..late).fold(node, |node, clock| {
                self.tell_later(format!("{name}_{signal}_{clock}_reg"), node)
            })
        });
        let told = JournalOut {
            packet: self.valid,
            host,
            put,
            removed,
            forgot,
            slot,
            key,
        };
        let held =
            told.map(&mut |signal, _, node| self.tell_later(format!("{name}_{signal}_reg"), node));
        self.journal_ports.push((label, held));
        let clocks = self.access(number).slots();
        let journal = Journal {
            name,
            evicts,
            turns: Turns::Begin { clocks },
        };
        self.journals.insert(map, journal);
    }

    /// The host's slot is no dump: that changes nothing, and NEXT is many of them.
    fn host_changes(&mut self, host: Node) -> Node {
        let command = self.question().host_command;
        let is_dump = self.m.eq_const(command, u64::from(command::DUMP));
        let no_dump = self.m.not(is_dump);
        self.m.and(&[host, no_dump])
    }

    fn tell_later(&mut self, register: String, node: Node) -> Node {
        match self.m.width(node) {
            1 => self.m.delay_reset(register, node),
            _ => self.m.delay(register, node),
        }
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
