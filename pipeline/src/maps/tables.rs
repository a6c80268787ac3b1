//! The tables behind maps with keys: hash functions, lookups, and the commit of inserted and removed keys.

use super::Lower;
use crate::plan::Class;
use hardpath_blocks::answer::ANSWER_BITS;
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::hash::{Hash, HashFunctionHostIn, HashPort, HashTableOut, HashUpdateIn};
use hardpath_blocks::interface::command;
use hardpath_blocks::key_bits::{self, KeyBits};
use hardpath_blocks::may::UpdateMay;
use hardpath_ir::{Bits, Inst, May, Op, Value};
use hardpath_rtl::Node;
use hardpath_state::table::{functions, Table};

impl Lower<'_> {
    pub(super) fn demand_for_table(&mut self, number: usize, port: usize) {
        let built = self.ports.built[number].ports[port];
        let own = self.port(number, port);
        let at = self.port_stages(number, port);
        match (own.key, self.decl(number).is_exact()) {
            (Some(key), true) => self.demand_stored(number, key, at.table - 1),
            (key, _) => self.demand_all(key, at.table - 1),
        }
        self.demand_whole(built.key, at.table);
        self.demand_whole(built.rows, at.table);
        self.demand_whole(built.index, at.address);
        let commit = self.table_commit(number, port);
        for change in own.changes() {
            let data = &self.program.insts[change];
            self.demand_all(data.guard, commit);
            self.demand_all(data.args.get(2).copied(), commit);
        }
        if self.decl(number).forgets && self.access(number).is_structural() {
            self.demand_all(self.needs_by(number, port, commit), commit);
        }
    }

    /// The hash function of a port, in the stage before the table.
    pub(super) fn start_hash(&mut self, number: usize, port: usize) {
        let stored = self.access(number).stored.clone();
        let what = match self.access(number).ports.len() {
            1 => "_hash".to_string(),
            _ => format!("_hash_{port}"),
        };
        let (module_name, name) = self.instance_name(number, &what);
        let key = match self.port(number, port).key {
            Some(key) => self.stored_node(&stored, key),
            None => self.m.zero(stored.stored()),
        };
        // The host's key goes through the first port.
        let host = (port == 0).then(|| self.asked_of_functions(number, &name));
        let (hash, cuckoo);
        let config = match self.has_values_beside(number) {
            true => {
                cuckoo = self.cuckoo_config(number, String::new());
                cuckoo.functions()
            }
            false => {
                hash = self.table_config(number, String::new());
                hash.functions()
            }
        };
        let place = (&mut *self.design, &mut self.m);
        let hash = functions(place, (&module_name, name), config, port, key, host);
        let built = self.ports.built[number].ports[port];
        self.set_base(built.key, hash.key_out);
        self.set_base(built.rows, hash.rows);
    }

    /// What the host asks of the hash functions. `name`: of their instance.
    fn asked_of_functions(&mut self, number: usize, name: &str) -> HashFunctionHostIn {
        let question = self.question();
        let is_dump = (self.m).eq_const(question.host_command, u64::from(command::DUMP));
        let host_dump = self.m.delay(format!("{name}_dumps"), is_dump);
        let host = self.host_here(number);
        let max_entries = self.decl(number).max_entries;
        if self.has_values_beside(number) {
            let row_bits = Cuckoo::row_bits(max_entries);
            let place_bits = Cuckoo::entry_bits(max_entries) - row_bits;
            // The table, which is made later, says which key is meant.
            let key_bits = self.plan[number].stored.stored();
            let host_key = self.m.wire(key_bits, format!("{name}_key_meant"));
            self.ports.built[number].key_meant = Some(host_key);
            return HashFunctionHostIn {
                host,
                host_key,
                host_dump,
                host_slot: self.m.slice(question.host_slot, place_bits, row_bits),
            };
        }
        let stored = &self.plan[number].stored;
        let host_key = self.m.slice(question.host_key, 0, stored.bits());
        let host_key = key_bits::cut(&mut self.m, stored, host_key);
        let slot_bits = Hash::entry_bits(max_entries);
        let slot = self.m.slice(question.host_slot, 0, slot_bits);
        HashFunctionHostIn {
            host,
            host_key,
            host_dump,
            host_slot: Hash::entry_of(&mut self.m, max_entries, slot),
        }
    }

    /// Demands what a table stores of a key.
    fn demand_stored(&mut self, number: usize, key: Value, stage: u32) {
        let runs = self.access(number).stored.runs().into_iter();
        for (lo, bits, _) in runs.filter(|run| run.2) {
            self.demand_bits(key, (lo, bits), stage);
        }
    }

    /// What a table stores of a key, as it stands in the present stage.
    fn stored_node(&mut self, stored: &KeyBits, key: Value) -> Node {
        let runs = stored.runs().into_iter().filter(|run| run.2);
        let mut parts: Vec<Node> = runs
            .map(|(lo, bits, _)| self.node_bits(key, lo, bits))
            .collect();
        parts.reverse();
        self.m.concat(&parts)
    }

    /// Makes the table. What later stages give comes through wires.
    pub(super) fn start_table(&mut self, number: usize) {
        let (module_name, name) = self.instance_name(number, "_keys");
        if self.has_values_beside(number) {
            let config = self.cuckoo_config(number, module_name);
            let question = self.question();
            let place = (&mut *self.design, &mut self.m);
            let table = Table::cuckoo(place, name, &config, &question);
            let out = table.cuckoo_out().expect("it is one");
            let wire = self.ports.built[number].key_meant;
            let wire = wire.expect("the functions stand in front of the table");
            self.m.drive(wire, out.key_meant);
            self.ports.built[number].table = Some(table);
            return;
        }
        let config = self.table_config(number, module_name);
        let question = self.question();
        let stored = &self.plan[number].stored;
        let place = (&mut *self.design, &mut self.m);
        let table = Table::hash(place, name, &config, &question, Some(stored));
        self.ports.built[number].table = Some(table);
    }

    fn cuckoo_config(&self, number: usize, name: String) -> Cuckoo {
        let (access, decl) = (self.access(number), self.decl(number));
        Cuckoo {
            name,
            map: decl.name.clone(),
            key_bits: access.stored.stored(),
            value_bits: decl.value_bytes * 8,
            max_entries: decl.max_entries,
            registers: access.registers_keys,
        }
    }

    fn table_config(&self, number: usize, name: String) -> Hash {
        let (access, decl) = (self.access(number), self.decl(number));
        let port = |port: usize| HashPort {
            commit_after: self.table_commit(number, port)
                - self.port_stages(number, port).table
                - Hash::answer_clocks(access.registers_keys),
            updates: access.ports[port].update.is_some(),
            may: access.ports[port].update.and_then(|update| {
                let may = self.program.as_const(self.program.insts[update].args[2]);
                may.map(|bits| May::from_bits(Bits::low_u64(bits) as u32))
            }),
            deletes: access.ports[port].delete.is_some(),
            slot: access.ports[port].slot,
        };
        Hash {
            name,
            map: decl.name.clone(),
            key_bits: access.stored.stored(),
            max_entries: decl.max_entries,
            ports: (0..access.ports.len()).map(port).collect(),
            forward: matches!(access.keys, Class::Fused { .. } | Class::Interlock { .. }),
            registers: access.registers_keys,
            evicts: access.evicts(self.program),
            foreign: access.stored.has_foreign(),
            bounded: false,
            holds: 0,
        }
    }

    /// A port's key enters the table.
    pub(super) fn enter_table(&mut self, number: usize, port: usize) {
        let bases = self.ports.built[number].ports[port];
        let (host_r, key, rows) = match self.table(number) {
            Table::Hash { slot, .. } => {
                let own = &slot.keys[port];
                (slot.host_r, own.key, Some(own.rows))
            }
            Table::Cuckoo { slot, .. } => (slot.host_r, slot.key, Some(slot.rows)),
            Table::Trie { slot, .. } => (slot.host_r, slot.key, None),
            Table::Ternary { slot, .. } => (slot.host_r, slot.key, None),
        };
        if port == 0 {
            let host = self.host_here(number);
            self.m.drive(host_r, host);
        }
        // A key has bits behind its fields where these fill no bytes.
        let node = self.base_node(bases.key);
        let node = self.m.resize(node, self.m.width(key));
        self.m.drive(key, node);
        if let Some(rows) = rows {
            let node = self.base_node(bases.rows);
            self.m.drive(rows, node);
        }
    }

    fn table(&self, number: usize) -> &Table {
        let table = self.ports.built[number].table.as_ref();
        table.expect("the table is started")
    }

    /// What a hash table gives.
    pub(super) fn hash_out(&self, number: usize) -> &HashTableOut {
        self.table(number).hash_out()
    }

    pub(super) fn table_answers(&mut self, number: usize, port: usize) {
        let (hit, entry) = self.table(number).answer(port);
        if let Some(lookup) = self.port(number, port).lookup {
            let results = self.program.insts[lookup].results.clone();
            for (result, node) in results.into_iter().zip([hit, entry]) {
                let base = self.result_base(result);
                self.set_base(base, node);
            }
        }
        if let Some(out) = self.table(number).cuckoo_out() {
            let value = out.value;
            let base = self.ports.built[number].ports[port].index;
            return self.set_base(base, value);
        }
        let matched = self.decl(number).is_matched();
        let index = if port == 0 && self.only_host_inserts(number) && !matched {
            // The host's new entry is known in this stage.
            let (_, placed) = self.table(number).write(0);
            let host = self.hash_out(number).host_c;
            self.m.mux(host, placed, entry)
        } else {
            entry
        };
        let base = self.ports.built[number].ports[port].index;
        self.set_base(base, index);
    }

    pub(super) fn commit_table(&mut self, number: usize, port: usize) {
        if self.has_values_beside(number) {
            return;
        }
        let own = self.port(number, port);
        let bases = self.ports.built[number].ports[port];
        if let Table::Hash { slot, .. } = self.table(number) {
            let wires = slot.keys[port].clone();
            if let Some(wire) = wires.uses {
                let uses = self.uses(number, port);
                self.m.drive(wire, uses);
            }
            if let Some((wires, update)) = wires.update.zip(own.update) {
                self.commit_update(&wires, update);
            }
            if let Some((wire, delete)) = wires.remove.zip(own.delete) {
                let removes = self.happens(delete);
                self.m.drive(wire, removes);
            }
        }
        if port == 0 || own.update.is_some() {
            let (write, index) = self.table(number).write(port);
            self.set_base(bases.write_value, write);
            self.set_base(bases.commit_index, index);
        }
        let mut used = self.used_answers(number).into_iter();
        if used.any(|(of, _, _)| of == port) {
            let answer = self.hash_out(number).answer;
            self.set_base(
                bases.answer,
                answer.expect("of a table that packets change"),
            );
        }
    }

    /// A packet's update, in the port's commit stage.
    fn commit_update(&mut self, wires: &HashUpdateIn, update: Inst) {
        let updates = self.happens(update);
        self.m.drive(wires.update, updates);
        let Some(wires) = &wires.may else {
            return;
        };
        let may = self.node(self.program.insts[update].args[2]);
        let may = UpdateMay::of(&mut self.m, may);
        self.m.drive(wires.only_create, may.only_create);
        self.m.drive(wires.only_replace, may.only_replace);
        self.m.drive(wires.may_nothing, may.nothing);
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
                let answer = self.ports.built[number].ports[port].answer;
                self.segments.demand_bits(answer, 0, ANSWER_BITS, answered);
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

    /// The answer to an update or delete.
    pub(super) fn change_answers(&mut self, number: usize, port: usize, change: Inst) {
        debug_assert!(!matches!(self.program.insts[change].op, Op::MapLookup(_)));
        let answer = self.base_node(self.ports.built[number].ports[port].answer);
        let base = self.result_base(self.program.insts[change].results[0]);
        self.set_base(base, answer);
    }
}
