//! The memories behind the values of maps.

use super::Lower;
use crate::lower::identifier;
use crate::plan::Class;
use crate::sizes::slots;
use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_ir::Inst;
use hardpath_rtl::Node;
use hardpath_state::values::{self, Values};

impl Lower<'_> {
    /// The write's index is known only at the commit: that of a new entry, or of one of several ports.
    pub(super) fn own_write_index(&self, number: usize) -> bool {
        let access = self.access(number);
        let hash = access.has_keys(self.program);
        access.ports.len() > 1 && access.is_written() || hash && !self.only_host_inserts(number)
    }

    /// The ports through which values are written; with an own index for the host the first one is always among them.
    fn writers(&self, number: usize) -> Vec<usize> {
        let access = self.access(number);
        let hash = access.has_keys(self.program);
        let own = self.own_write_index(number);
        let writes = |port: &usize| self.puts(number, *port) || hash && own && *port == 0;
        (0..access.ports.len()).filter(writes).collect()
    }

    /// Packets write through the port.
    fn puts(&self, number: usize, port: usize) -> bool {
        let port = &self.access(number).ports[port];
        port.store.is_some() || port.update.is_some()
    }

    /// A port's entry at the commit stage is what its update decided, else what was found.
    fn placed_by_table(&self, number: usize, port: usize) -> bool {
        port == 0 || self.port(number, port).update.is_some()
    }

    pub(super) fn demand_for_values(&mut self, number: usize, port: usize) {
        if self.has_values_beside(number) {
            return;
        }
        let own = self.port(number, port);
        let access = self.access(number);
        let at = self.port_stages(number, port);
        let commit = self.value_commit(number, port);
        let width = self.index_width(access.map);
        let own_index = self.own_write_index(number) && self.writers(number).contains(&port);
        if access.has_keys(self.program) {
            let built = self.ports.built[number].ports[port];
            if port == 0 || own.update.is_some() {
                self.demand_whole(built.write_value, commit);
            }
            if own_index {
                let index = match self.placed_by_table(number, port) {
                    true => built.commit_index,
                    false => built.index,
                };
                self.demand_whole(index, commit);
            }
        } else if let Some(index) = own.key {
            if self.has_indexes(number) {
                self.demand_low(index, width, at.address);
                if own_index {
                    self.demand_low(index, width, commit);
                }
            }
            if own.lookup.is_some() {
                self.segments.demand(index, at.address);
            }
        }
        if let Some(store) = own.store {
            let data = &self.program.insts[store];
            self.segments.demand(data.args[2], commit);
            self.demand_all(data.guard, commit);
        }
        if let Some(update) = own.update {
            self.segments
                .demand(self.program.insts[update].args[1], commit);
        }
    }

    /// The memory, in the stage of its first address. What later stages give comes through wires.
    pub(super) fn start_values(&mut self, number: usize) {
        let (module_name, name) = self.instance_name(number, "_values");
        let config = Array {
            parts: self.part_bits(number),
            ..self.values_config(number, module_name)
        };
        let question = self.question();
        let place = (&mut *self.design, &mut self.m);
        let values = Values::new(place, name, &config, &question);
        self.ports.built[number].values = Some(values);
        if config.presence.is_stored() {
            self.ports.built[number].in_range = self.in_range(number, config.clocks());
        }
    }

    /// The values' memory is told which entry is meant.
    pub(super) fn has_indexes(&self, number: usize) -> bool {
        self.values_config(number, String::new()).has_indexes()
    }

    /// Without its parts, of which only the memory itself is told.
    fn values_config(&self, number: usize, name: String) -> Array {
        let (access, decl) = (self.access(number), self.decl(number));
        let stages = self.stages_of(number);
        let reads = stages.ports.iter().map(|port| stages.commit - port.address);
        Array {
            name,
            map: decl.name.clone(),
            depth: slots(decl),
            value_bits: decl.value_bytes * 8,
            presence: match decl.has_slots() {
                true => Presence::NotZero,
                false => Presence::Always,
            },
            reads: reads.collect(),
            writers: self.writers(number).len() as u32,
            parts: Vec::new(),
            host_alone: false,
            first_is_the_hosts: self.writers(number).contains(&0) && !self.puts(number, 0),
            own_write_index: self.own_write_index(number),
            forward: matches!(access.values, Class::Fused { .. } | Class::Interlock { .. }),
            registers: access.registers_values,
            host_commit_after: self.value_commit(number, 0) - stages.ports[0].address,
            host: match access.has_keys(self.program) {
                true => HostAddress::Follows,
                false => HostAddress::Key,
            },
        }
    }

    pub(super) fn values(&self, number: usize) -> &Values {
        let values = self.ports.built[number].values.as_ref();
        values.expect("the memory is started")
    }

    /// A port's address enters the memory.
    pub(super) fn enter_values(&mut self, number: usize, port: usize) {
        let slot = self.values(number).slot.clone();
        if port == 0 {
            let host = self.host_here(number);
            self.m.drive(slot.host_a, host);
        }
        if let Some(wire) = slot.read_index.get(port) {
            let index = self.entry(number, port);
            self.m.drive(*wire, index);
        }
    }

    /// The entry that a port looks at: what its table found, or its index.
    fn entry(&mut self, number: usize, port: usize) -> Node {
        let width = self.index_width(self.access(number).map);
        match (
            self.access(number).has_keys(self.program),
            self.port(number, port).key,
        ) {
            (true, _) => self.base_node(self.ports.built[number].ports[port].index),
            (false, Some(index)) => self.node_low(index, width),
            (false, None) => self.m.zero(width),
        }
    }

    /// Whether a device map's key is one of its indexes, in the stage in which the word comes.
    fn in_range(&mut self, number: usize, clocks: u32) -> Option<Node> {
        let decl = self.decl(number);
        let lookup = self.port(number, 0).lookup?;
        let key = self.node(self.program.insts[lookup].args[0]);
        let name = identifier(&decl.name);
        let inside = values::in_range(&mut self.m, &name, key, decl.max_entries, clocks);
        Some(inside)
    }

    pub(super) fn values_answer(&mut self, number: usize, port: usize) {
        let decl = self.decl(number);
        let value_bits = decl.value_bytes * 8;
        let own = self.port(number, port);
        let presence = decl.has_slots();
        if own.loads.is_empty() && (own.lookup.is_none() || !presence) {
            return;
        }
        let mut word = match self.has_values_beside(number) {
            true => self.base_node(self.ports.built[number].ports[port].index),
            false => self.values(number).placed.out.read_word[port],
        };
        if presence {
            if let Some(lookup) = own.lookup {
                let present = self.m.bit(word, value_bits);
                let inside = self.ports.built[number].in_range;
                let inside = inside.expect("made with the memory");
                let hit = self.m.and(&[present, inside]);
                let results = self.program.insts[lookup].results.clone();
                let base = self.result_base(results[0]);
                self.set_base(base, hit);
                let base = self.result_base(results[1]);
                let width = self.segments.bases[base].width;
                let entry = self.m.zero(width);
                self.set_base(base, entry);
            }
            word = self.m.slice(word, 0, value_bits);
        }
        for load in &own.loads {
            let base = self.result_base(self.program.insts[*load].results[0]);
            self.set_base(base, word);
        }
    }

    pub(super) fn commit_values(&mut self, number: usize, port: usize) {
        let slot = self.values(number).slot.clone();
        let bases = self.ports.built[number].ports[port];
        let hash = self.access(number).has_keys(self.program);
        let table_writes =
            (hash && self.placed_by_table(number, port)).then(|| self.base_node(bases.write_value));
        let writers = self.writers(number);
        let writer = writers.iter().position(|writer| *writer == port);
        if let Some(wires) = writer.map(|writer| &slot.writes[writer]) {
            if let Some(wires) = &wires.put {
                let write = self.writes(number, port, table_writes);
                self.m.drive(wires.write, write);
                let parts = self.parts(number);
                let (word, changes) = match parts.as_slice() {
                    [] => (self.write_word(number, port, table_writes), Vec::new()),
                    parts => self.changed_parts(parts),
                };
                self.m.drive(wires.write_word, word);
                for (wire, changes) in wires.changes.iter().zip(changes) {
                    self.m.drive(*wire, changes);
                }
            }
            if let Some(wire) = wires.write_index {
                let index = self.write_index(number, port);
                self.m.drive(wire, index);
            }
        }
        if let (0, Some(wire)) = (port, slot.host_write_ok) {
            self.m
                .drive(wire, table_writes.expect("the first port of a table"));
        }
    }

    /// A packet writes through a port. `table_writes`: the port's update succeeds.
    fn writes(&mut self, number: usize, port: usize, table_writes: Option<Node>) -> Node {
        let own = self.port(number, port);
        let stores = own.store.map(|store| self.happens(store));
        // Behind an entrance, an empty slot has the signals of the packet at the head of the segment FIFO.
        let updates = own.update.and(table_writes).map(|writes| {
            let valid = self.valid;
            self.m.and(&[writes, valid])
        });
        let either: Vec<Node> = stores.into_iter().chain(updates).collect();
        match either.as_slice() {
            [] => self.m.zero(1),
            either => self.m.or(either),
        }
    }

    /// The word that a packet writes through a port.
    fn write_word(&mut self, number: usize, port: usize, table_writes: Option<Node>) -> Node {
        let own = self.port(number, port);
        let stored = own.store.map(|store| self.program.insts[store].args[2]);
        let put = own.update.map(|update| self.program.insts[update].args[1]);
        match (put, stored) {
            (Some(put), Some(stored)) => {
                let (put, stored) = (self.node(put), self.node(stored));
                self.m.mux(table_writes.expect("a table"), put, stored)
            }
            (Some(word), None) | (None, Some(word)) => self.node(word),
            (None, None) => self.m.zero(self.decl(number).value_bytes * 8),
        }
    }

    /// The index at which a port writes, where it is not the one that was read first.
    fn write_index(&mut self, number: usize, port: usize) -> Node {
        let has_keys = self.access(number).has_keys(self.program);
        match has_keys && self.placed_by_table(number, port) {
            true => self.base_node(self.ports.built[number].ports[port].commit_index),
            false => self.entry(number, port),
        }
    }

    /// This slot of the present stage is a packet that executes the instruction.
    pub(super) fn happens(&mut self, inst: Inst) -> Node {
        let guard = self.condition(self.program.insts[inst].guard);
        let valid = self.valid;
        self.m.and(&[guard, valid])
    }
}
