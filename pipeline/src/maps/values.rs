//! The memories behind the values of maps.

use super::Lower;
use crate::lower::identifier;
use crate::plan::Class;
use crate::schedule::value_entries;
use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::port_name;
use hardpath_ir::{Inst, MapKind};
use hardpath_rtl::Node;

impl Lower<'_> {
    /// The write's index is known only at the commit: that of a new entry, or of one of several ports.
    fn own_write_index(&self, number: usize) -> bool {
        let access = self.access(number);
        let hash = access.has_keys(self.program);
        access.ports.len() > 1 && access.is_written() || hash && !self.only_host_inserts(number)
    }

    /// The ports through which values are written; with an own index for the host the first one is always among them.
    fn writers(&self, number: usize) -> Vec<usize> {
        let access = self.access(number);
        let hash = access.has_keys(self.program);
        let own = self.own_write_index(number);
        let writes = |port: &usize| {
            let data = &access.ports[*port];
            data.store.is_some() || data.update.is_some() || hash && own && *port == 0
        };
        (0..access.ports.len()).filter(writes).collect()
    }

    /// A port's entry at the commit stage is what its update decided, else what was found.
    fn placed_by_table(&self, number: usize, port: usize) -> bool {
        port == 0 || self.port(number, port).update.is_some()
    }

    pub(super) fn demand_for_values(&mut self, number: usize, port: usize) {
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
            self.demand_low(index, width, at.address);
            if own_index {
                self.demand_low(index, width, commit);
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
        let (access, decl) = (self.access(number), self.decl(number));
        let stages = self.stages_of(number);
        let hash = access.has_keys(self.program);
        let index_width = self.index_width(access.map);
        let writers = self.writers(number);
        let presence = match decl.kind {
            MapKind::DevMap => Presence::Devices,
            MapKind::CpuMap => Presence::Cpus,
            MapKind::XskMap => Presence::Sockets,
            _ => Presence::Always,
        };
        let (module_name, name) = self.instance_name(number, "_values");
        let first = stages.ports[0];
        let config = Array {
            name: module_name,
            map: decl.name.clone(),
            depth: value_entries(self.program, access.map),
            value_bits: decl.value_bytes * 8,
            presence,
            reads: stages
                .ports
                .iter()
                .map(|port| stages.commit - port.address)
                .collect(),
            writers: writers.len() as u32,
            own_write_index: self.own_write_index(number),
            forward: matches!(access.values, Class::Fused { .. } | Class::Interlock { .. }),
            host_commit_after: self.value_commit(number, 0) - first.address,
            host: if hash {
                HostAddress::Follows
            } else {
                HostAddress::Key
            },
        };
        let word_bits = config.word_bits();
        let host = self.question();
        let clear_index = self.clear_index(index_width);
        let host_value = self.m.slice(host.host_value, 0, config.value_bits);
        let mut wires = vec![(0, "host_a", self.m.wire(1, format!("{name}_host_a")))];
        let mut named = vec![("host_a".to_string(), wires[0].2)];
        for port in 0..access.ports.len() {
            let wire = self
                .m
                .wire(index_width, format!("{name}_read_index_{port}"));
            wires.push((port, "read_index", wire));
            named.push((format!("read_index_{port}"), wire));
        }
        for (writer, port) in writers.iter().enumerate() {
            let mut signals = vec![("write", 1), ("write_word", word_bits)];
            if config.own_write_index {
                signals.push(("write_index", index_width));
            }
            for (signal, bits) in signals {
                let signal_name = port_name(signal, writer as u32);
                let wire = self.m.wire(bits, format!("{name}_{signal_name}"));
                wires.push((*port, signal, wire));
                named.push((signal_name, wire));
            }
        }
        if hash {
            let wire = self.m.wire(1, format!("{name}_host_write_ok"));
            wires.push((0, "host_write_ok", wire));
            named.push(("host_write_ok".into(), wire));
        }
        let mut inputs = vec![
            ("clear", host.clear),
            ("clear_index", clear_index),
            ("host_value", host_value),
        ];
        if !hash {
            inputs.push(("host_command", host.host_command));
            inputs.push(("host_flags", host.host_flags));
            inputs.push(("host_index", host.host_index));
        }
        inputs.extend(named.iter().map(|(name, wire)| (name.as_str(), *wire)));
        let id = self.design.add(array(&config));
        let instance = self.m.instance(&self.design.modules[id], id, name, &inputs);
        self.ports.built[number].values = Some((id, instance));
        self.ports.built[number].value_memory = config.first_memory();
        self.ports.built[number].value_wires = wires;
        if presence.is_stored() {
            self.ports.built[number].in_range = self.in_range(number, config.depth);
        }
    }

    /// A port's address enters the memory.
    pub(super) fn enter_values(&mut self, number: usize, port: usize) {
        let built = self.ports.built[number].clone();
        let hash = self.access(number).has_keys(self.program);
        let width = self.index_width(self.access(number).map);
        self.drive_wires(&built.value_wires, port, |lower, signal| match signal {
            "host_a" => Some(lower.host_here(number)),
            "read_index" if hash => Some(lower.base_node(built.ports[port].index)),
            "read_index" => Some(match lower.port(number, port).key {
                Some(index) => lower.node_low(index, width),
                None => lower.m.zero(width),
            }),
            _ => None,
        });
    }

    /// Whether a device map's key is one of its indexes, in the stage in which the word comes.
    fn in_range(&mut self, number: usize, depth: u32) -> Option<Node> {
        let decl = self.decl(number);
        let lookup = self.port(number, 0).lookup?;
        let key = self.node(self.program.insts[lookup].args[0]);
        let limit = self.m.constant(u64::from(decl.max_entries), 32);
        let mut inside = self.m.ult(key, limit);
        for clock in 1..=Array::read_clocks(depth) {
            inside = self.m.delay(
                format!("{}_in_range_{clock}", identifier(&decl.name)),
                inside,
            );
        }
        Some(inside)
    }

    pub(super) fn values_answer(&mut self, number: usize, port: usize) {
        let (id, instance) = self.ports.built[number]
            .values
            .expect("the memory is started");
        let decl = self.decl(number);
        let value_bits = decl.value_bytes * 8;
        let own = self.port(number, port);
        let presence = decl.kind.has_slots();
        if own.loads.is_empty() && (own.lookup.is_none() || !presence) {
            return;
        }
        let mut word = self.m.instance_output(
            &self.design.modules[id],
            instance,
            &format!("read_word_{port}"),
        );
        if presence {
            if let Some(lookup) = own.lookup {
                let present = self.m.bit(word, value_bits);
                let inside = self.ports.built[number]
                    .in_range
                    .expect("made with the memory");
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
        let own = self.port(number, port);
        let built = self.ports.built[number].clone();
        let bases = built.ports[port];
        let hash = self.access(number).has_keys(self.program);
        let table_writes =
            (hash && self.placed_by_table(number, port)).then(|| self.base_node(bases.write_value));
        let width = self.index_width(self.access(number).map);
        self.drive_wires(&built.value_wires, port, |lower, signal| match signal {
            "host_write_ok" => Some(table_writes.expect("the first port of a table")),
            "write_index" => Some(match (hash, own.key) {
                (true, _) if lower.placed_by_table(number, port) => {
                    lower.base_node(bases.commit_index)
                }
                (true, _) => lower.base_node(bases.index),
                (false, Some(index)) => lower.node_low(index, width),
                (false, None) => lower.m.zero(width),
            }),
            "write" => {
                let stores = own.store.map(|store| lower.happens(store));
                // Behind an entrance, an empty slot has the signals of the packet at the head of the segment FIFO.
                let updates = own.update.and(table_writes).map(|writes| {
                    let valid = lower.valid;
                    lower.m.and(&[writes, valid])
                });
                let either: Vec<Node> = stores.into_iter().chain(updates).collect();
                Some(match either.as_slice() {
                    [] => lower.m.zero(1),
                    either => lower.m.or(either),
                })
            }
            "write_word" => {
                let stored = own.store.map(|store| lower.program.insts[store].args[2]);
                let put = own.update.map(|update| lower.program.insts[update].args[1]);
                Some(match (put, stored) {
                    (Some(put), Some(stored)) => {
                        let (put, stored) = (lower.node(put), lower.node(stored));
                        lower.m.mux(table_writes.expect("a table"), put, stored)
                    }
                    (Some(word), None) | (None, Some(word)) => lower.node(word),
                    (None, None) => lower.m.zero(lower.decl(number).value_bytes * 8),
                })
            }
            _ => None,
        });
    }

    /// This slot of the present stage is a packet that executes the instruction.
    pub(super) fn happens(&mut self, inst: Inst) -> Node {
        let guard = self.condition(self.program.insts[inst].guard);
        let valid = self.valid;
        self.m.and(&[guard, valid])
    }
}
