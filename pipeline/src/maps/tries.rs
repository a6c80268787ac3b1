//! The tables of longest prefixes. They are read by packets and changed by the host; every lookup has a copy.

use super::Lower;
use hardpath_blocks::lpm::Lpm;
use hardpath_rtl::Node;
use hardpath_state::table::Table;

impl Lower<'_> {
    /// The key of a packet or of the host, in the stage before the table.
    pub(super) fn start_trie_key(&mut self, number: usize, port: usize) {
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
    pub(super) fn start_trie(&mut self, number: usize) {
        let decl = self.decl(number);
        let (module_name, name) = self.instance_name(number, "_prefixes");
        let access = self.access(number);
        let config = Lpm {
            name: module_name,
            map: decl.name.clone(),
            key_bytes: decl.key_bytes,
            max_entries: decl.max_entries,
            registers: access.registers_keys,
            bits_a_clock: access.bits_a_clock.expect("a trie has them"),
        };
        let question = self.question();
        let started = question.map_start;
        let started = started.expect("a design with tries is told of commands");
        let start = self.selected(number, started);
        let place = (&mut *self.design, &mut self.m);
        let table = Table::trie(place, name, &config, &question, start);
        self.ports.built[number].table = Some(table);
    }

    /// Every copy of the selected trie is ready for the host's operation; other maps always are.
    pub(super) fn tries_are_prepared(&mut self) -> Node {
        let mut all = vec![self.m.one()];
        for number in 0..self.plan.len() {
            if let Some(Table::Trie { placed, .. }) = &self.ports.built[number].table {
                let ready = placed.out.prepared;
                let one = self.m.one();
                let selected = self.selected(number, one);
                let other = self.m.not(selected);
                all.push(self.m.or(&[ready, other]));
            }
        }
        self.m.and(&all)
    }
}
