//! The tables of longest prefixes, and those of fields that match each in its own way. They are read by packets and changed by
//! the host; every lookup has a copy.

use super::Lower;
use hardpath_blocks::lpm::Lpm;
use hardpath_blocks::ternary::Ternary;
use hardpath_rtl::Node;
use hardpath_state::table::Table;
use hardpath_state::ternary_of;

impl Lower<'_> {
    /// The key of a packet or of the host, in the stage before the table.
    pub(super) fn start_matched_key(&mut self, number: usize, port: usize) {
        let key_bits = self.decl(number).key_bytes * 8;
        let key = match self.port(number, port).key {
            Some(key) => self.node(key),
            None => self.m.zero(key_bits),
        };
        let host = self.host_here(number);
        let host_key = self.question().host_key;
        let host_key = self.m.slice(host_key, 0, key_bits);
        let chosen = self.m.mux(host, host_key, key);
        let base = self.ports.built[number].ports[port].key;
        self.set_base(base, chosen);
    }

    /// Makes the table. The key comes through a wire.
    pub(super) fn start_matched(&mut self, number: usize) {
        let question = self.question();
        let started = question.map_start;
        let started = started.expect("a design with such tables is told of commands");
        let start = self.selected(number, started);
        let decl = self.decl(number);
        let registers = self.access(number).registers_keys;
        let table = match decl.is_ternary() {
            true => {
                let (module_name, name) = self.instance_name(number, "_entries");
                let config = Ternary {
                    name: module_name,
                    ..ternary_of(decl, registers)
                };
                let place = (&mut *self.design, &mut self.m);
                let config = (&config, decl.key_bytes);
                Table::ternary(place, name, config, &question, start)
            }
            false => {
                let (module_name, name) = self.instance_name(number, "_prefixes");
                let search = self.access(number).search;
                let config = Lpm {
                    name: module_name,
                    map: decl.name.clone(),
                    key_bytes: decl.key_bytes,
                    max_entries: decl.max_entries,
                    registers,
                    search: search.expect("prefixes are searched"),
                    bounded: false,
                };
                let place = (&mut *self.design, &mut self.m);
                Table::trie(place, name, &config, &question, start)
            }
        };
        self.ports.built[number].table = Some(table);
    }

    /// Every copy of the selected table is ready for the host's operation; other maps always are.
    pub(super) fn tables_are_prepared(&mut self) -> Node {
        let mut all = vec![self.m.one()];
        for number in 0..self.plan.len() {
            let ready = match &self.ports.built[number].table {
                Some(table) if self.decl(number).is_matched() => table.prepared(),
                _ => continue,
            };
            let one = self.m.one();
            let selected = self.selected(number, one);
            let other = self.m.not(selected);
            all.push(self.m.or(&[ready, other]));
        }
        self.m.and(&all)
    }
}
