//! The tables behind maps with keys: hash functions, lookups, and the commit of inserted and removed keys.

use super::host::HostPorts;
use super::Lower;
use crate::plan::Class;
use hardpath_blocks::errno::ERRNO_BITS;
use hardpath_blocks::hash::{hash_function, hash_table, Evicts, Hash, HashFunctionIn, HashPort};
use hardpath_blocks::interface::command;
use hardpath_blocks::port_name;
use hardpath_ir::{Inst, MapKind, Op};
use hardpath_rtl::Node;

impl Lower<'_> {
    pub(super) fn demand_for_table(&mut self, number: usize, port: usize) {
        let built = self.ports.built[number].ports[port];
        let own = self.port(number, port);
        let at = self.port_stages(number, port);
        self.demand_all(own.key, at.table - 1);
        self.demand_whole(built.key, at.table);
        self.demand_whole(built.rows, at.table);
        self.demand_whole(built.index, at.address);
        let commit = self.table_commit(number, port);
        for change in own.changes() {
            let data = &self.program.insts[change];
            self.demand_all(data.guard, commit);
            self.demand_all(data.args.get(2).copied(), commit);
        }
        if self.decl(number).kind.is_lru() && self.access(number).is_structural() {
            self.demand_all(self.needs_by(number, port, commit), commit);
        }
    }

    /// The hash function of a port, in the stage before the table.
    pub(super) fn start_hash(&mut self, number: usize, port: usize) {
        let decl = self.decl(number);
        let key_bits = decl.key_bytes * 8;
        let what = match self.access(number).ports.len() {
            1 => "_hash".to_string(),
            _ => format!("_hash_{port}"),
        };
        let (module_name, name) = self.instance_name(number, &what);
        let function = hash_function(&module_name, &decl.name, key_bits, decl.max_entries);
        let key = match self.port(number, port).key {
            Some(key) => self.node(key),
            None => self.m.zero(key_bits),
        };
        let ports = self.host_ports();
        // The host's key goes through the first port.
        let (host, dump) = if port == 0 {
            let is_dump = self.m.eq_const(ports.command, u64::from(command::DUMP));
            let dump = self.m.delay(format!("{name}_dumps"), is_dump);
            (self.host_here(number), dump)
        } else {
            (self.m.zero(1), self.m.zero(1))
        };
        let host_key = self.m.slice(ports.key, 0, key_bits);
        let slot = self
            .m
            .slice(ports.slot, 0, Hash::entry_bits(decl.max_entries));
        let inputs = HashFunctionIn {
            key,
            host,
            host_key,
            host_dump: dump,
            host_slot: slot,
        };
        let hash = function.place(self.design, &mut self.m, name, inputs).out;
        let built = self.ports.built[number].ports[port];
        self.set_base(built.key, hash.key_out);
        self.set_base(built.rows, hash.rows);
    }

    /// Makes the table. What later stages give comes through wires.
    pub(super) fn start_table(&mut self, number: usize) {
        let (access, decl) = (self.access(number), self.decl(number));
        let key_bits = decl.key_bytes * 8;
        let (module_name, name) = self.instance_name(number, "_keys");
        let config = Hash {
            name: module_name,
            map: decl.name.clone(),
            key_bits,
            max_entries: decl.max_entries,
            ports: (0..access.ports.len())
                .map(|port| HashPort {
                    commit_after: self.table_commit(number, port)
                        - self.port_stages(number, port).table
                        - Hash::answer_clocks(access.registers_keys),
                    updates: access.ports[port].update.is_some(),
                    deletes: access.ports[port].delete.is_some(),
                    slot: access.ports[port].slot,
                })
                .collect(),
            forward: matches!(access.keys, Class::Fused { .. } | Class::Interlock { .. }),
            registers: access.registers_keys,
            evicts: access.evicts(self.program),
        };
        let rows_bits = hardpath_blocks::hash::WAYS * Hash::row_bits(decl.max_entries);
        let clear_index = self.clear_index(Hash::row_bits(decl.max_entries));
        let host = self.host_ports();
        let host_flags = match decl.kind {
            MapKind::DevMapHash => self.device_flags(&host),
            _ => host.flags,
        };
        let mut wires = vec![(0, "host_r", self.m.wire(1, format!("{name}_host_r")))];
        let evicts = access.evicts(self.program) != Evicts::Nobody;
        for (number, port) in access.ports.iter().enumerate() {
            let mut wire = |signal: &'static str, bits: u32| {
                let called = port_name(&format!("{name}_{signal}"), number as u32);
                wires.push((number, signal, self.m.wire(bits, called)));
            };
            wire("key", key_bits);
            wire("rows", rows_bits);
            if evicts {
                wire("uses", 1);
            }
            if port.update.is_some() {
                for signal in ["update", "no_exist", "must_exist", "bad_flags"] {
                    wire(signal, 1);
                }
            }
            if port.delete.is_some() {
                wire("remove", 1);
            }
        }
        let named: Vec<(String, Node)> = wires
            .iter()
            .map(|(port, signal, wire)| (port_name(signal, *port as u32), *wire))
            .collect();
        let mut inputs = vec![
            ("clear", host.clear),
            ("clear_index", clear_index),
            ("host_command", host.command),
            ("host_flags", host_flags),
            ("host_slot", host.slot),
        ];
        inputs.extend(named.iter().map(|(name, wire)| (name.as_str(), *wire)));
        let id = self.design.add(hash_table(&config));
        let instance = self.m.instance(&self.design.modules[id], id, name, &inputs);
        self.ports.built[number].table = Some((id, instance));
        self.ports.built[number].table_wires = wires;
    }

    /// The flags of the host's update as a hash table takes them, so that it answers as `__dev_map_hash_update_elem`
    /// does: BPF_EXIST does not ask for the key, and a value without ifindex is EINVAL.
    fn device_flags(&mut self, ports: &HostPorts) -> Node {
        let must_exist = self.m.eq_const(ports.flags, 2);
        let any = self.m.zero(32);
        let flags = self.m.mux(must_exist, any, ports.flags);
        let ifindex = self.m.slice(ports.value, 0, 32);
        let no_device = self.m.eq_const(ifindex, 0);
        let invalid = self.m.constant(3, 32);
        self.m.mux(no_device, invalid, flags)
    }

    /// A port's key enters the table.
    pub(super) fn enter_table(&mut self, number: usize, port: usize) {
        let built = self.ports.built[number].clone();
        let bases = built.ports[port];
        self.drive_wires(&built.table_wires, port, |lower, signal| match signal {
            "key" => Some(lower.base_node(bases.key)),
            "rows" => Some(lower.base_node(bases.rows)),
            "host_r" => Some(lower.host_here(number)),
            _ => None,
        });
    }

    pub(super) fn table_output(&mut self, number: usize, signal: &str) -> Node {
        let (id, instance) = self.ports.built[number]
            .table
            .expect("the table is started");
        self.m
            .instance_output(&self.design.modules[id], instance, signal)
    }

    pub(super) fn table_answers(&mut self, number: usize, port: usize) {
        let hit = self.table_output(number, &port_name("hit", port as u32));
        let entry = self.table_output(number, &port_name("entry", port as u32));
        if let Some(lookup) = self.port(number, port).lookup {
            let results = self.program.insts[lookup].results.clone();
            for (result, node) in results.into_iter().zip([hit, entry]) {
                let base = self.result_base(result);
                self.set_base(base, node);
            }
        }
        let trie = self.decl(number).kind.is_trie();
        let index = if port == 0 && self.only_host_inserts(number) && !trie {
            // The host's new entry is known in this stage.
            let host = self.table_output(number, "host_c");
            let placed = self.table_output(number, "entry_c");
            self.m.mux(host, placed, entry)
        } else {
            entry
        };
        let base = self.ports.built[number].ports[port].index;
        self.set_base(base, index);
    }

    pub(super) fn commit_table(&mut self, number: usize, port: usize) {
        let own = self.port(number, port);
        let built = self.ports.built[number].clone();
        self.drive_wires(&built.table_wires, port, |lower, signal| {
            if signal == "remove" {
                let delete = own.delete.expect("the port exists");
                let guard = lower.condition(lower.program.insts[delete].guard);
                return Some(lower.m.and(&[guard, lower.valid]));
            }
            if signal == "uses" {
                return Some(lower.uses(number, port));
            }
            if !matches!(signal, "update" | "no_exist" | "must_exist" | "bad_flags") {
                return None;
            }
            let update = own.update.expect("the port exists");
            let data = &lower.program.insts[update];
            let flags = lower.node(data.args[2]);
            Some(match signal {
                "update" => {
                    let guard = lower.condition(data.guard);
                    lower.m.and(&[guard, lower.valid])
                }
                "no_exist" => lower.m.eq_const(flags, 1),
                "must_exist" => lower.m.eq_const(flags, 2),
                _ => {
                    let two = lower.m.constant(2, 64);
                    lower.m.ult(two, flags)
                }
            })
        });
        let bases = built.ports[port];
        if port == 0 || own.update.is_some() {
            let write = self.table_output(number, &port_name("write_value", port as u32));
            // A trie's answer to the host is the entry that is meant.
            let entry = match self.decl(number).kind.is_trie() {
                true => "entry",
                false => "entry_c",
            };
            let index = self.table_output(number, &port_name(entry, port as u32));
            self.set_base(bases.write_value, write);
            self.set_base(bases.commit_index, index);
        }
        if self
            .used_answers(number)
            .iter()
            .any(|(of, _, _)| *of == port)
        {
            let errno = self.table_output(number, "errno");
            self.set_base(bases.errno, errno);
        }
    }

    /// A packet looks up a port's key, in the port's commit stage.
    fn uses(&mut self, number: usize, port: usize) -> Node {
        // Copies that are only read must stay the same, whatever each of them is asked.
        if !self.access(number).is_structural() {
            return self.m.zero(1);
        }
        let needs = self.needs_by(number, port, self.table_commit(number, port));
        let needs = self.condition(needs);
        self.m.and(&[needs, self.valid])
    }

    /// Carries what an update or delete gives to the stage in which it is asked for. Called when all other uses are
    /// known.
    pub(crate) fn demand_for_answers(&mut self) {
        for number in 0..self.plan.len() {
            for (port, _, answered) in self.used_answers(number) {
                let errno = self.ports.built[number].ports[port].errno;
                self.segments.demand_bits(errno, 0, ERRNO_BITS, answered);
            }
        }
    }

    /// Updates and deletes at whose answer somebody looks: port, instruction, and the stage from which on.
    pub(super) fn used_answers(&self, number: usize) -> Vec<(usize, Inst, u32)> {
        let mut used = Vec::new();
        for (port, own) in self.access(number).ports.iter().enumerate() {
            for change in own.changes() {
                let result = self.program.insts[change].results[0];
                let base = &self.segments.bases[self.result_base(result)];
                if base.last_use.iter().any(Option::is_some) {
                    used.push((port, change, base.stage));
                }
            }
        }
        used
    }

    /// The return value of an update or delete: 0 or a negative errno.
    pub(super) fn change_answers(&mut self, number: usize, port: usize, change: Inst) {
        debug_assert!(!matches!(self.program.insts[change].op, Op::MapLookup(_)));
        let errno = self.base_node(self.ports.built[number].ports[port].errno);
        let base = self.result_base(self.program.insts[change].results[0]);
        let zero = self.m.zero(6);
        let wide = self.m.zext(errno, 6);
        let negative = self.m.sub(zero, wide);
        let result = self.m.sext(negative, 64);
        self.set_base(base, result);
    }
}
