//! Lowering of maps: their memories as instances beside the stages, the host's way to them, and the entrances of
//! hazard windows.

use crate::implication::implies;
use crate::lower::{identifier, Lower};
use crate::plan::{Access, Class};
use crate::schedule::{value_entries, AccessStages};
use crate::segments::{BaseId, Segment};
use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::hash::{hash_function, hash_table, Hash};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::interlock::{interlock, Interlock};
use hardpath_ir::{Inst, MapId, MapKind, Op, Value};
use hardpath_rtl::{Instance, ModuleId, Node};

/// Bits of a tag that stands for a key at a window's entrance.
const TAG_BITS: u32 = 24;
/// Bits of a positive errno.
const ERRNO_BITS: u32 = 5;

/// The host's side and the memories that are being built.
#[derive(Default)]
pub(crate) struct MapPorts {
    host: Option<HostPorts>,
    built: Vec<Built>,
}

/// Signals from the host port; all but `slot` stand still during an operation.
#[derive(Clone, Copy)]
struct HostPorts {
    select: Node,
    command: Node,
    flags: Node,
    slot: Node,
    index: Node,
    key: Node,
    value: Node,
    clear: Node,
    clear_index: Node,
}

/// The memories of one access as far as they exist.
#[derive(Clone, Default)]
struct Built {
    /// Base values that carry the access's own signals from stage to stage.
    key: BaseId,
    rows: BaseId,
    index: BaseId,
    write_value: BaseId,
    commit_index: BaseId,
    table: Option<(ModuleId, Instance)>,
    values: Option<(ModuleId, Instance)>,
    table_wires: Vec<(&'static str, Node)>,
    value_wires: Vec<(&'static str, Node)>,
    in_range: Option<Node>,
    /// What an update or delete gave, from the commit stage on.
    errno: BaseId,
}

impl Lower<'_> {
    fn decl(&self, map: MapId) -> &hardpath_ir::MapDecl {
        &self.program.maps[map]
    }

    fn stages_of(&self, index: usize) -> AccessStages {
        self.schedule.accesses[index]
    }

    fn index_width(&self, map: MapId) -> u32 {
        index_bits(u64::from(value_entries(self.program, map)))
    }

    /// Bits that are really there of a map operation's result.
    pub(crate) fn map_result_width(&self, op: &Op, number: usize, width: u32) -> u32 {
        match op {
            Op::MapLookup(map) if number == 1 => self.index_width(*map).min(width),
            _ => width,
        }
    }

    /// Adds the bases of signals that belong to no value of the program.
    pub(crate) fn find_map_bases(&mut self) {
        for (number, access) in self.plan.iter().enumerate() {
            let mut built = Built::default();
            if access.is_hash(self.program) {
                let stages = self.stages_of(number);
                let decl = self.decl(access.map).clone();
                let name = identifier(&decl.name);
                let rows = hardpath_blocks::hash::WAYS * Hash::row_bits(decl.max_entries);
                let entry = Hash::entry_bits(decl.max_entries);
                let s = &mut self.segments;
                let (before, answer) = (stages.table - 1, stages.table + 2);
                built.key = s.add_base(format!("{name}_key"), decl.key_bytes * 8, before);
                built.rows = s.add_base(format!("{name}_rows"), rows, before);
                built.index = s.add_base(format!("{name}_index"), entry, answer);
                let commit = stages.table_commit;
                built.write_value = s.add_base(format!("{name}_write_value"), 1, commit);
                built.commit_index = s.add_base(format!("{name}_commit_index"), entry, commit);
                built.errno = s.add_base(format!("{name}_errno"), ERRNO_BITS, commit);
            }
            self.ports.built.push(built);
        }
    }

    /// Marks what the accesses use, and where.
    pub(crate) fn demand_for_maps(&mut self) {
        for (number, access) in self.plan.iter().enumerate() {
            let stages = self.stages_of(number);
            let built = self.ports.built[number].clone();
            let insts = |i: hardpath_ir::Inst| &self.program.insts[i];
            let whole = |lower: &mut Lower, base: BaseId, stage: u32| {
                let width = lower.segments.bases[base].width;
                lower.segments.demand_bits(base, 0, width, stage);
            };
            if access.is_hash(self.program) {
                if let Some(key) = access.key(self.program) {
                    self.segments.demand(key, stages.table - 1);
                }
                whole(self, built.key, stages.table);
                whole(self, built.rows, stages.table);
                whole(self, built.index, stages.address);
                whole(self, built.write_value, stages.commit);
                if access.is_structural() {
                    whole(self, built.commit_index, stages.commit);
                }
            } else {
                for index in self.read_indexes(access) {
                    self.demand_low(index, self.index_width(access.map), stages.address);
                }
                if let Some(lookup) = access.lookup {
                    self.segments.demand(insts(lookup).args[0], stages.address);
                }
            }
            if let Some(guard) = self.entrance_guard(access) {
                self.segments.demand(guard, stages.table);
            }
            if let Some(store) = access.store {
                self.segments.demand(insts(store).args[2], stages.commit);
                if let Some(guard) = insts(store).guard {
                    self.segments.demand(guard, stages.commit);
                }
            }
            if let Some(update) = access.update {
                self.segments.demand(insts(update).args[1], stages.commit);
                self.segments
                    .demand(insts(update).args[2], stages.table_commit);
            }
            for change in [access.update, access.delete].into_iter().flatten() {
                if let Some(guard) = insts(change).guard {
                    self.segments.demand(guard, stages.table_commit);
                }
            }
        }
    }

    /// The entries that an array access reads; the written one comes first.
    fn read_indexes(&self, access: &Access) -> Vec<Value> {
        let mut indexes: Vec<Value> = Vec::new();
        if let Some(store) = access.store {
            indexes.push(self.program.insts[store].args[0]);
        }
        if let Some(lookup) = access.lookup {
            indexes.push(self.program.insts[lookup].args[0]);
            return indexes;
        }
        for load in &access.loads {
            let index = self.program.insts[*load].args[0];
            if !indexes.contains(&index) {
                indexes.push(index);
            }
        }
        indexes
    }

    fn demand_low(&mut self, value: Value, bits: u32, stage: u32) {
        let mut at = 0;
        for segment in self.segments.of(value).to_vec() {
            if at >= bits {
                break;
            }
            match segment {
                Segment::Bits { base, lo, len, .. } => {
                    self.segments
                        .demand_bits(base, lo, len.min(bits - at), stage);
                }
                Segment::Repeat { base, bit, .. } => self.segments.demand_bits(base, bit, 1, stage),
                Segment::Const(_) => {}
            }
            at += segment.width();
        }
    }

    /// The low bits of a value as they stand in the present stage.
    fn node_low(&mut self, value: Value, bits: u32) -> Node {
        let mut parts = Vec::new();
        let mut at = 0;
        for segment in self.segments.of(value).to_vec() {
            if at >= bits {
                break;
            }
            let len = segment.width().min(bits - at);
            let node = match segment {
                Segment::Const(constant) => {
                    let low = constant.slice(0, len);
                    self.m.constant_limbs(low.limbs(), len)
                }
                Segment::Bits {
                    base, lo, inverted, ..
                } => {
                    let node = self.base_bits(base, lo, len);
                    if inverted {
                        self.m.not(node)
                    } else {
                        node
                    }
                }
                Segment::Repeat {
                    base,
                    bit,
                    inverted,
                    ..
                } => {
                    let node = self.base_bits(base, bit, 1);
                    let node = if inverted { self.m.not(node) } else { node };
                    self.m.sext(node, len)
                }
            };
            parts.push(node);
            at += len;
        }
        parts.reverse();
        let node = self.m.concat(&parts);
        self.m.resize(node, bits)
    }

    pub(crate) fn make_map_ports(&mut self) {
        if self.program.maps.is_empty() {
            return;
        }
        let (key_bits, value_bits) = host_widths(self.program);
        let select_bits = index_bits(self.program.maps.len() as u64);
        let deepest = self
            .program
            .maps
            .keys()
            .map(|map| clear_words(self.program, map))
            .max();
        let clear_bits = index_bits(u64::from(deepest.unwrap_or(1)));
        let m = &mut self.m;
        self.host = Some(m.input("host_inject", 1, "this slot is the host's operation"));
        self.ports.host = Some(HostPorts {
            select: m.input(
                "map_select",
                select_bits,
                "stands still during an operation",
            ),
            command: m.input("host_command", 3, ""),
            flags: m.input("host_flags", 32, ""),
            slot: m.input("host_slot", 32, ""),
            index: m.input("host_index", 32, ""),
            key: m.input("host_key", key_bits, ""),
            value: m.input("host_value", value_bits, ""),
            clear: m.input("clear", 1, "the sweep after reset"),
            clear_index: m.input("clear_index", clear_bits, ""),
        });
    }

    fn host_ports(&self) -> HostPorts {
        self.ports.host.expect("a design with maps has a host port")
    }

    /// This slot of the present stage is a host operation on the map.
    fn host_here(&mut self, map: MapId) -> Node {
        let host = self.host.expect("a design with maps has host slots");
        self.selected(map, host)
    }

    fn selected(&mut self, map: MapId, host: Node) -> Node {
        let ports = self.host_ports();
        let number = u64::from(map.as_u32());
        let chosen = self.m.eq_const(ports.select, number);
        self.m.and(&[host, chosen])
    }

    fn clear_index(&mut self, bits: u32) -> Node {
        let ports = self.host_ports();
        self.m.resize(ports.clear_index, bits)
    }

    /// A module's name that no other one has: different maps may have names that differ in signs only.
    fn unique_module(&self, wish: String) -> String {
        let mut name = wish.clone();
        let mut number = 2;
        while self.design.find(&name).is_some() {
            name = format!("{wish}_{number}");
            number += 1;
        }
        name
    }

    fn instance_name(&self, number: usize, what: &str) -> (String, String) {
        let map = self.plan[number].map;
        let name = identifier(&self.decl(map).name);
        let copies: Vec<usize> = (0..self.plan.len())
            .filter(|other| self.plan[*other].map == map)
            .collect();
        let copy = match copies.len() {
            1 => String::new(),
            _ => format!("_{}", copies.iter().position(|c| *c == number).unwrap_or(0)),
        };
        (
            self.unique_module(format!("{}_map_{name}{copy}{what}", self.prefix)),
            format!("map_{name}{copy}{what}"),
        )
    }

    /// Makes the answers of memories stand as base values in the stage in which they come.
    pub(crate) fn maps_before_operations(&mut self, stage: u32) {
        for number in 0..self.plan.len() {
            let access = &self.plan[number];
            let stages = self.stages_of(number);
            if access.is_hash(self.program) {
                if stage == stages.table {
                    self.start_table(number);
                }
                if stage == stages.table + 2 {
                    self.table_answers(number);
                }
            }
            let clocks = Array::read_clocks(value_entries(self.program, access.map));
            if self.ports.built[number].values.is_some() && stage == stages.address + clocks {
                self.values_answer(number);
            }
            for (change, answered) in self.used_answers(number) {
                if stage == answered {
                    self.change_answers(number, change);
                }
            }
        }
    }

    /// Starts memories whose addresses are there now, and commits.
    pub(crate) fn maps_after_operations(&mut self, stage: u32) {
        for number in 0..self.plan.len() {
            let access = &self.plan[number];
            let stages = self.stages_of(number);
            let hash = access.is_hash(self.program);
            if hash && stage + 1 == stages.table {
                self.start_hash(number);
            }
            if hash && stage == stages.table_commit {
                self.commit_table(number);
            }
            if stage == stages.address {
                self.start_values(number);
            }
            if stage == stages.commit {
                self.commit_values(number);
            }
        }
    }

    fn start_hash(&mut self, number: usize) {
        let access = &self.plan[number];
        let decl = self.decl(access.map).clone();
        let key_bits = decl.key_bytes * 8;
        let (module_name, name) = self.instance_name(number, "_hash");
        let module = hash_function(&module_name, &decl.name, key_bits, decl.max_entries);
        let key = match access.key(self.program) {
            Some(key) => self.node(key),
            None => self.m.zero(key_bits),
        };
        let host = self.host_here(access.map);
        let ports = self.host_ports();
        let host_key = self.m.slice(ports.key, 0, key_bits);
        let is_dump = self.m.eq_const(ports.command, u64::from(command::DUMP));
        let dump = self.m.delay(format!("{name}_dumps"), is_dump);
        let slot = self
            .m
            .slice(ports.slot, 0, Hash::entry_bits(decl.max_entries));
        let id = self.design.add(module);
        let module = &self.design.modules[id];
        let instance = self.m.instance(
            module,
            id,
            name,
            &[
                ("key", key),
                ("host", host),
                ("host_key", host_key),
                ("host_dump", dump),
                ("host_slot", slot),
            ],
        );
        let key = self.m.instance_output(module, instance, "key_out");
        let rows = self.m.instance_output(module, instance, "rows");
        let built = self.ports.built[number].clone();
        self.set_base(built.key, key);
        self.set_base(built.rows, rows);
    }

    fn start_table(&mut self, number: usize) {
        let access = &self.plan[number];
        let decl = self.decl(access.map).clone();
        let stages = self.stages_of(number);
        let (module_name, name) = self.instance_name(number, "_keys");
        let module = hash_table(&Hash {
            name: module_name,
            map: decl.name.clone(),
            key_bits: decl.key_bytes * 8,
            max_entries: decl.max_entries,
            commit_after: stages.table_commit - stages.table - 2,
            updates: access.update.is_some(),
            deletes: access.delete.is_some(),
            forward: access.is_structural() && matches!(access.class, Class::Fused { .. }),
        });
        let built = self.ports.built[number].clone();
        let key = self.base_node(built.key);
        let rows = self.base_node(built.rows);
        let host = self.host_here(access.map);
        let clear_index = self.clear_index(Hash::row_bits(decl.max_entries));
        let ports = self.host_ports();
        let host_flags = match decl.kind {
            MapKind::DevMapHash => self.device_flags(&ports),
            _ => ports.flags,
        };
        let mut wires = Vec::new();
        if access.update.is_some() {
            for port in ["update", "no_exist", "must_exist", "bad_flags"] {
                wires.push((port, self.m.wire(1, format!("{name}_{port}"))));
            }
        }
        if access.delete.is_some() {
            wires.push(("remove", self.m.wire(1, format!("{name}_remove"))));
        }
        let mut inputs = vec![
            ("key", key),
            ("rows", rows),
            ("host_r", host),
            ("clear", ports.clear),
            ("clear_index", clear_index),
            ("host_command", ports.command),
            ("host_flags", host_flags),
            ("host_slot", ports.slot),
        ];
        inputs.extend(&wires);
        let id = self.design.add(module);
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

    fn table_output(&mut self, number: usize, port: &str) -> Node {
        let (id, instance) = self.ports.built[number]
            .table
            .expect("the table is started");
        self.m
            .instance_output(&self.design.modules[id], instance, port)
    }

    fn table_answers(&mut self, number: usize) {
        let access = &self.plan[number];
        let hit = self.table_output(number, "hit");
        let entry = self.table_output(number, "entry");
        if let Some(lookup) = access.lookup {
            let results = self.program.insts[lookup].results.clone();
            for (result, node) in results.into_iter().zip([hit, entry]) {
                let base = self.result_base(result);
                self.set_base(base, node);
            }
        }
        let index = if access.is_structural() {
            entry
        } else {
            // Only the host inserts: its new entry is known in this stage.
            let host = self.table_output(number, "host_c");
            let placed = self.table_output(number, "entry_c");
            self.m.mux(host, placed, entry)
        };
        let base = self.ports.built[number].index;
        self.set_base(base, index);
    }

    fn commit_table(&mut self, number: usize) {
        let access = &self.plan[number];
        for (port, wire) in self.ports.built[number].table_wires.clone() {
            let node = if port == "remove" {
                let delete = access.delete.expect("the port exists");
                let guard = self.condition(self.program.insts[delete].guard);
                self.m.and(&[guard, self.valid])
            } else {
                let update = access.update.expect("the port exists");
                let data = &self.program.insts[update];
                let flags = self.node(data.args[2]);
                match port {
                    "update" => {
                        let guard = self.condition(data.guard);
                        self.m.and(&[guard, self.valid])
                    }
                    "no_exist" => self.m.eq_const(flags, 1),
                    "must_exist" => self.m.eq_const(flags, 2),
                    _ => {
                        let two = self.m.constant(2, 64);
                        self.m.ult(two, flags)
                    }
                }
            };
            self.m.drive(wire, node);
        }
        let write = self.table_output(number, "write_value");
        let index = self.table_output(number, "entry_c");
        let built = self.ports.built[number].clone();
        self.set_base(built.write_value, write);
        self.set_base(built.commit_index, index);
        if !self.used_answers(number).is_empty() {
            let errno = self.table_output(number, "errno");
            self.set_base(built.errno, errno);
        }
    }

    /// Carries what an update or delete gives to the stage in which it is asked for. Called when all other uses are
    /// known.
    pub(crate) fn demand_for_answers(&mut self) {
        for number in 0..self.plan.len() {
            for (_, answered) in self.used_answers(number) {
                let errno = self.ports.built[number].errno;
                self.segments.demand_bits(errno, 0, ERRNO_BITS, answered);
            }
        }
    }

    /// An access's update and delete, when somebody looks at what they give, and the stages from which on.
    fn used_answers(&self, number: usize) -> Vec<(Inst, u32)> {
        let access = &self.plan[number];
        let mut used = Vec::new();
        for change in [access.update, access.delete].into_iter().flatten() {
            let result = self.program.insts[change].results[0];
            let base = &self.segments.bases[self.result_base(result)];
            if base.last_use.iter().any(Option::is_some) {
                used.push((change, base.stage));
            }
        }
        used
    }

    /// The return value of an update or delete: 0 or a negative errno.
    fn change_answers(&mut self, number: usize, change: Inst) {
        let errno = self.base_node(self.ports.built[number].errno);
        let base = self.result_base(self.program.insts[change].results[0]);
        let zero = self.m.zero(6);
        let wide = self.m.zext(errno, 6);
        let negative = self.m.sub(zero, wide);
        let result = self.m.sext(negative, 64);
        self.set_base(base, result);
    }

    fn start_values(&mut self, number: usize) {
        let access = &self.plan[number];
        let decl = self.decl(access.map).clone();
        let stages = self.stages_of(number);
        let hash = access.is_hash(self.program);
        let index_width = self.index_width(access.map);
        let mut indexes = if hash {
            vec![self.base_node(self.ports.built[number].index)]
        } else {
            let values = self.read_indexes(access);
            values
                .into_iter()
                .map(|value| self.node_low(value, index_width))
                .collect()
        };
        if indexes.is_empty() {
            indexes.push(self.m.zero(index_width));
        }
        let written = access.store.is_some() || access.update.is_some();
        let presence = match decl.kind {
            MapKind::DevMap => Presence::Devices,
            MapKind::CpuMap => Presence::Cpus,
            MapKind::XskMap => Presence::Sockets,
            _ => Presence::Always,
        };
        let (module_name, name) = self.instance_name(number, "_values");
        let config = Array {
            name: module_name,
            map: decl.name.clone(),
            depth: value_entries(self.program, access.map),
            value_bits: decl.value_bytes * 8,
            presence,
            reads: indexes.len() as u32,
            written,
            own_write_index: access.is_structural(),
            forward: matches!(access.class, Class::Fused { .. }),
            commit_after: stages.commit - stages.address,
            host: if hash {
                HostAddress::Follows
            } else {
                HostAddress::Key
            },
        };
        let word_bits = config.word_bits();
        let host = self.host_here(access.map);
        let ports = self.host_ports();
        let clear_index = self.clear_index(index_width);
        let host_value = self.m.slice(ports.value, 0, config.value_bits);
        let mut wires = Vec::new();
        if written {
            wires.push(("write", self.m.wire(1, format!("{name}_write"))));
            wires.push((
                "write_word",
                self.m.wire(word_bits, format!("{name}_write_word")),
            ));
        }
        if config.own_write_index {
            wires.push((
                "write_index",
                self.m.wire(index_width, format!("{name}_write_index")),
            ));
        }
        if hash {
            wires.push((
                "host_write_ok",
                self.m.wire(1, format!("{name}_host_write_ok")),
            ));
        }
        let names: Vec<String> = (0..indexes.len())
            .map(|k| format!("read_index_{k}"))
            .collect();
        let mut inputs = vec![
            ("host_a", host),
            ("clear", ports.clear),
            ("clear_index", clear_index),
            ("host_value", host_value),
        ];
        if !hash {
            inputs.push(("host_command", ports.command));
            inputs.push(("host_flags", ports.flags));
            inputs.push(("host_index", ports.index));
        }
        inputs.extend(
            names
                .iter()
                .map(String::as_str)
                .zip(indexes.iter().copied()),
        );
        inputs.extend(&wires);
        let id = self.design.add(array(&config));
        let instance = self.m.instance(&self.design.modules[id], id, name, &inputs);
        self.ports.built[number].values = Some((id, instance));
        self.ports.built[number].value_wires = wires;
        if presence.is_stored() {
            self.ports.built[number].in_range = self.in_range(access, &decl, &config);
        }
    }

    /// Whether a device map's key is one of its indexes, in the stage in which the word comes.
    fn in_range(
        &mut self,
        access: &Access,
        decl: &hardpath_ir::MapDecl,
        config: &Array,
    ) -> Option<Node> {
        let lookup = access.lookup?;
        let key = self.node(self.program.insts[lookup].args[0]);
        let depth = self.m.constant(u64::from(decl.max_entries), 32);
        let mut inside = self.m.ult(key, depth);
        for clock in 1..=Array::read_clocks(config.depth) {
            inside = self.m.delay(
                format!("{}_in_range_{clock}", identifier(&decl.name)),
                inside,
            );
        }
        Some(inside)
    }

    fn values_answer(&mut self, number: usize) {
        let access = &self.plan[number];
        let (id, instance) = self.ports.built[number]
            .values
            .expect("the memory is started");
        let decl = self.decl(access.map).clone();
        let value_bits = decl.value_bytes * 8;
        if decl.kind.has_slots() {
            let Some(lookup) = access.lookup else {
                return;
            };
            let word = self
                .m
                .instance_output(&self.design.modules[id], instance, "read_word_0");
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
            let value = self.m.slice(word, 0, value_bits);
            for load in access.loads.clone() {
                let base = self.result_base(self.program.insts[load].results[0]);
                self.set_base(base, value);
            }
            return;
        }
        let indexes = self.read_indexes(access);
        for load in access.loads.clone() {
            let data = &self.program.insts[load];
            let port = if access.is_hash(self.program) {
                0
            } else {
                indexes
                    .iter()
                    .position(|index| *index == data.args[0])
                    .expect("read there")
            };
            let port = format!("read_word_{port}");
            let word = self
                .m
                .instance_output(&self.design.modules[id], instance, &port);
            let base = self.result_base(data.results[0]);
            self.set_base(base, word);
        }
    }

    fn commit_values(&mut self, number: usize) {
        let access = &self.plan[number];
        let built = self.ports.built[number].clone();
        let table_writes = access
            .is_hash(self.program)
            .then(|| self.base_node(built.write_value));
        // Behind an entrance, an empty slot has the signals of the packet at the head of the segment FIFO.
        let update_writes = table_writes.map(|writes| self.m.and(&[writes, self.valid]));
        let store = access.store.map(|store| {
            let data = &self.program.insts[store];
            let guard = self.condition(data.guard);
            let write = self.m.and(&[guard, self.valid]);
            (write, self.node(data.args[2]))
        });
        for (port, wire) in built.value_wires {
            let node = match port {
                "host_write_ok" => table_writes.expect("a hash table"),
                "write_index" => self.base_node(built.commit_index),
                "write" => match (access.update, store) {
                    (Some(_), Some((write, _))) => {
                        self.m.or(&[update_writes.expect("a hash table"), write])
                    }
                    (Some(_), None) => update_writes.expect("a hash table"),
                    (None, Some((write, _))) => write,
                    (None, None) => unreachable!("written by one of them"),
                },
                _ => match (access.update, store) {
                    (Some(update), Some((_, word))) => {
                        let value = self.node(self.program.insts[update].args[1]);
                        self.m.mux(table_writes.expect("a hash table"), value, word)
                    }
                    (Some(update), None) => self.node(self.program.insts[update].args[1]),
                    (None, Some((_, word))) => word,
                    (None, None) => unreachable!("written by one of them"),
                },
            };
            self.m.drive(wire, node);
        }
    }

    /// The condition under which a packet needs the map at all, when that can be told before the window.
    fn entrance_guard(&self, access: &Access) -> Option<Value> {
        if !matches!(access.class, Class::Interlock { .. }) || !access.is_hash(self.program) {
            return None;
        }
        let guard = self.program.insts[access.lookup?].guard?;
        let covered = [access.update, access.delete, access.store]
            .into_iter()
            .flatten()
            .all(|inst| {
                self.program.insts[inst]
                    .guard
                    .is_some_and(|other| implies(self.program, other, guard))
            });
        covered.then_some(guard)
    }

    /// One map's part of the entrance at a stage; the result is 1 when the head must wait.
    pub(crate) fn interlock(
        &mut self,
        stage: u32,
        number: usize,
        head_packet: Node,
        head_host: Node,
        enter: Node,
    ) -> Node {
        let access = &self.plan[number];
        let name = identifier(&self.decl(access.map).name);
        let host = self.selected(access.map, head_host);
        let tag = if access.is_hash(self.program) {
            let rows = self.base_node(self.ports.built[number].rows);
            let bits = self.m.width(rows).min(TAG_BITS);
            self.m.slice(rows, 0, bits)
        } else {
            let bits = self.index_width(access.map).min(TAG_BITS);
            let key = access
                .key(self.program)
                .expect("a written array has an index");
            let index = self.node_low(key, bits);
            let host_index = self.host_ports().index;
            let host_index = self.m.slice(host_index, 0, bits);
            self.m.mux(host, host_index, index)
        };
        let guard = self.entrance_guard(access);
        let needs = self.condition(guard);
        let packet = self.m.and(&[head_packet, needs]);
        let uses = self.m.or(&[packet, host]);
        let module = interlock(&Interlock {
            name: self.unique_module(format!("{}_interlock_{name}", self.prefix)),
            tag_bits: self.m.width(tag),
            window: self.schedule.window(access, number),
            waits_for_all: access.is_hash(self.program),
        });
        let mut inputs = vec![("head_uses", uses), ("head_tag", tag), ("enter", enter)];
        if access.is_hash(self.program) {
            // The host's dump means a slot, whatever its key is: its key and its value are read at different stages.
            let command = self.host_ports().command;
            let dump = self.m.eq_const(command, u64::from(command::DUMP));
            inputs.push(("head_waits_for_all", self.m.and(&[host, dump])));
        }
        let id = self.design.add(module);
        let module = &self.design.modules[id];
        let instance = self
            .m
            .instance(module, id, format!("interlock_{name}_{stage}"), &inputs);
        self.m.instance_output(module, instance, "blocks")
    }

    /// Joins the answers of all maps to the host.
    pub(crate) fn finish_maps(&mut self) {
        let Some(ports) = self.ports.host else {
            return;
        };
        let (key_bits, value_bits) = host_widths(self.program);
        // The operation is over when its slot has left the last stage: a slot that is still on its way would be taken
        // for the next operation, and hold a place in a segment FIFO that nobody counts.
        let leaves = self.host.expect("a design with maps has host slots");
        let done = self.m.delay_reset("host_left", leaves);
        self.m
            .output("map_done", done, "strobe: the host's operation is over");
        let mut errno_terms = Vec::new();
        let mut value_terms = Vec::new();
        let mut key_terms = Vec::new();
        for map in self.program.maps.keys() {
            // Of several copies the one that commits last speaks.
            let number = (0..self.plan.len())
                .filter(|number| self.plan[*number].map == map)
                .max_by_key(|number| self.stages_of(*number).commit)
                .expect("every map has an access");
            let (id, instance) = self.ports.built[number].values.expect("built");
            let module = &self.design.modules[id];
            let value = self.m.instance_output(module, instance, "host_result");
            let (errno, key) = if self.plan[number].is_hash(self.program) {
                (
                    self.table_output(number, "host_errno"),
                    self.table_output(number, "host_key_out"),
                )
            } else {
                (
                    self.m.instance_output(module, instance, "host_errno"),
                    ports.index,
                )
            };
            let chosen = self.m.eq_const(ports.select, u64::from(map.as_u32()));
            for (terms, node, bits) in [
                (&mut errno_terms, errno, 5),
                (&mut value_terms, value, value_bits),
                (&mut key_terms, key, key_bits),
            ] {
                let mask = self.m.sext(chosen, bits);
                let wide = self.m.resize(node, bits);
                terms.push(self.m.and(&[mask, wide]));
            }
        }
        for (name, terms, doc) in [
            ("map_errno", errno_terms, "of the operation"),
            ("map_value", value_terms, "what a lookup or dump found"),
            ("map_key", key_terms, "what a dump found"),
        ] {
            let node = self.m.or(&terms);
            self.m.output(name, node, doc);
        }
    }
}

/// Bits of the widest key and value, at least 32.
pub fn host_widths(program: &hardpath_ir::Program) -> (u32, u32) {
    let widest = |bytes: fn(&hardpath_ir::MapDecl) -> u32| {
        program
            .maps
            .values()
            .map(|map| bytes(map) * 8)
            .max()
            .unwrap_or(0)
            .max(32)
    };
    (widest(|map| map.key_bytes), widest(|map| map.value_bytes))
}

/// Words that the sweep after reset clears in a map's memories.
pub fn clear_words(program: &hardpath_ir::Program, map: MapId) -> u32 {
    value_entries(program, map)
}
