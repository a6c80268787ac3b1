//! The host's side of the maps: its signals, and its answers.

use crate::lower::{identifier, Lower};
use crate::sizes::{clear_words, host_widths, slot_bits};
use crate::slot::MapsIn;
use hardpath_blocks::answer::ANSWER_BITS;
use hardpath_blocks::host::{MapAnswer, MapQuestion};
use hardpath_blocks::sweep::zero_in_sweep;
use hardpath_rtl::Node;
use hardpath_state::table::Table;

impl Lower<'_> {
    /// The widths of the host's way to the maps; `None`: there are none.
    pub(crate) fn map_input_widths(&self) -> Option<MapsIn<u32>> {
        if self.program.maps.is_empty() {
            return None;
        }
        let (key_bits, value_bits) = host_widths(self.program.maps.values());
        let prepared = self.program.maps.values().any(|map| map.is_matched());
        let clear_words = clear_words(self.program.maps.values());
        let widths = (key_bits, value_bits);
        let question = MapQuestion::of(self.program.maps.len(), widths, clear_words, prepared);
        Some(MapsIn {
            host_inject: 1,
            question,
        })
    }

    pub(crate) fn take_host_ports(&mut self, ports: &MapsIn) {
        self.host = Some(ports.host_inject);
        let question = &ports.question;
        self.find_meant(question.map_select);
        self.ports.host = Some(MapQuestion {
            host_value: zero_in_sweep(&mut self.m, question.clear, question.host_value),
            ..question.clone()
        });
    }

    /// Which map is selected: known long before the host's slot comes, so from registers. An operation selects a map that is there.
    fn find_meant(&mut self, map_select: Node) {
        let only = self.program.maps.len() == 1;
        for (map, decl) in self.program.maps.iter() {
            let m = &mut self.m;
            let meant = match only {
                true => m.one(),
                false => {
                    let same = m.eq_const(map_select, u64::from(map.as_u32()));
                    m.delay(format!("map_{}_is_meant", identifier(&decl.name)), same)
                }
            };
            self.ports.meant.insert(map, meant);
        }
    }

    /// What the host asks.
    pub(super) fn question(&self) -> MapQuestion {
        let question = self.ports.host.clone();
        question.expect("a design with maps has a host port")
    }

    /// This slot of the present stage is a host operation on what the access holds.
    pub(super) fn host_here(&mut self, number: usize) -> Node {
        let host = self.host.expect("a design with maps has host slots");
        self.selected(number, host)
    }

    /// A host slot means what the access holds.
    pub(super) fn selected(&mut self, number: usize, host: Node) -> Node {
        let chosen = self.ports.meant[&self.plan[number].map];
        match self.in_bank(number) {
            None => self.m.and(&[host, chosen]),
            Some(inside) => self.m.and(&[host, chosen, inside]),
        }
    }

    /// The host's index is one of the access's bank, from a register. Indexes that no bank has belong to the first one.
    fn in_bank(&mut self, number: usize) -> Option<Node> {
        let (map, bank) = (self.plan[number].map, self.plan[number].bank.clone()?);
        let index = self.question().host_index;
        let mut banks: Vec<Vec<u32>> = Vec::new();
        for other in self.plan.iter().filter(|other| other.map == map) {
            let indexes = other.bank.clone().unwrap_or_default();
            if !banks.contains(&indexes) {
                banks.push(indexes);
            }
        }
        let first = banks.first() == Some(&bank);
        let listed: Vec<u32> = match first {
            true => banks.into_iter().skip(1).flatten().collect(),
            false => bank,
        };
        let same: Vec<Node> = listed
            .iter()
            .map(|constant| self.m.eq_const(index, u64::from(*constant)))
            .collect();
        let any = self.m.or(&same);
        let inside = if first { self.m.not(any) } else { any };
        let name = identifier(&self.program.maps[map].name);
        Some(
            self.m
                .delay(format!("map_{name}_{number}_has_index"), inside),
        )
    }

    /// Joins the answers of all maps to the host; and whether those that must be made ready are. `None`: there are no maps.
    pub(crate) fn finish_maps(&mut self) -> Option<(MapAnswer, Option<Node>)> {
        let question = self.ports.host.clone()?;
        // The operation is over when its slot has left the last stage: a slot that is still on its way would be taken
        // for the next operation, and hold a place in a segment FIFO that nobody counts.
        let leaves = self.host.expect("a design with maps has host slots");
        let map_done = self.m.delay_reset("host_left", leaves);
        let prepared = question.map_start.map(|_| self.tables_are_prepared());
        let answers = self.speakers().into_iter();
        let answers: Vec<[Node; 4]> = answers.map(|number| self.answer_of(number)).collect();
        let mut any = |which: usize| {
            let terms: Vec<Node> = answers.iter().map(|answer| answer[which]).collect();
            self.m.or(&terms)
        };
        let answer = MapAnswer {
            map_done,
            map_answer: any(0),
            map_value: any(1),
            map_key: any(2),
            map_slot: any(3),
        };
        Some((answer, prepared))
    }

    /// Answer, value, key and slot that an access gives the host, or zeros where another one is meant.
    fn answer_of(&mut self, number: usize) -> [Node; 4] {
        let (key_bits, value_bits) = host_widths(self.program.maps.values());
        let slot_bits = slot_bits(self.program.maps.values());
        let table = self.ports.built[number].table.clone();
        let value = match table.as_ref().and_then(Table::cuckoo_out) {
            Some(out) => out.host_value_out,
            None => self.values(number).placed.out.host_result,
        };
        let (answer, key, slot) = match table {
            Some(table) => {
                let (answer, key) = table.host_answer(&mut self.m);
                (answer, key, table.host_slot(&mut self.m))
            }
            None => {
                let index = self.question().host_index;
                let answer = self.values(number).placed.out.host_answer;
                (answer, index, index)
            }
        };
        let one = self.m.one();
        let chosen = self.selected(number, one);
        let all = [
            (answer, ANSWER_BITS),
            (value, value_bits),
            (key, key_bits),
            (slot, slot_bits),
        ];
        all.map(|(node, bits)| {
            let mask = self.m.sext(chosen, bits);
            let wide = self.m.resize(node, bits);
            self.m.and(&[mask, wide])
        })
    }

    /// Of several copies of a map or bank the one that commits last speaks.
    pub(super) fn speakers(&self) -> Vec<usize> {
        let same = |a: usize, b: usize| {
            self.plan[a].map == self.plan[b].map && self.plan[a].bank == self.plan[b].bank
        };
        let later = |a: usize, b: usize| {
            let commits = (
                self.schedule.accesses[a].commit,
                self.schedule.accesses[b].commit,
            );
            commits.1 > commits.0 || commits.1 == commits.0 && b > a
        };
        let all = 0..self.plan.len();
        all.clone()
            .filter(|number| {
                !all.clone()
                    .any(|other| same(*number, other) && later(*number, other))
            })
            .collect()
    }
}
