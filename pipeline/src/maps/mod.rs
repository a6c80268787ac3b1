//! Lowering of maps: their memories as instances beside the stages, the host's way to them, and the entrances of
//! hazard windows.

mod entrance;
mod host;
mod journal;
mod matched;
mod parts;
mod storage;
mod tables;
mod values;
mod windows;

use crate::lower::{identifier, Lower};
use crate::plan::Access;
use crate::ports::Port;
use crate::schedule::{answer_clocks, read_clocks, AccessStages, PortStages};
use crate::segments::{BaseId, Segment};
use crate::sizes::slots;
use hardpath_blocks::answer::ANSWER_BITS;
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::hash::Hash;
use hardpath_blocks::host::MapQuestion;
use hardpath_blocks::index_bits;
use hardpath_ir::{MapDecl, MapId, Op, Value};
use hardpath_rtl::Node;
use hardpath_state::table::Table;
use hardpath_state::values::Values;
use std::collections::HashMap;

pub(crate) use windows::Replay;

/// Bits of a tag that stands for a key at a window's entrance.
pub(crate) const TAG_BITS: u32 = 24;

/// The host's side and the memories that are being built.
#[derive(Default)]
pub(crate) struct MapPorts {
    host: Option<MapQuestion>,
    /// Whether the host means each map.
    meant: HashMap<MapId, Node>,
    built: Vec<Built>,
}

/// The memories of one access as far as they exist.
#[derive(Clone, Default)]
struct Built {
    ports: Vec<BuiltPort>,
    /// Only of a map with keys.
    table: Option<Table>,
    /// Of a table that has the values, a wire: the key that the host's slot looks up.
    key_meant: Option<Node>,
    values: Option<Values>,
    /// Of a map of slots: the key of the lookup has one.
    in_range: Option<Node>,
}

/// Base values that carry a port's own signals from stage to stage; only of maps with keys.
#[derive(Clone, Copy, Default)]
struct BuiltPort {
    key: BaseId,
    /// The buckets of a hash table; a trie has none, and this is its key.
    rows: BaseId,
    /// The entry whose value is read; of a table that has the values the value.
    index: BaseId,
    /// An update succeeded: its value is to be written.
    write_value: BaseId,
    /// The entry of an update.
    commit_index: BaseId,
    /// What an update or delete gave, from the commit stage on.
    answer: BaseId,
}

impl<'a> Lower<'a> {
    fn decl(&self, number: usize) -> &'a MapDecl {
        &self.program.maps[self.plan[number].map]
    }

    fn access(&self, number: usize) -> &'a Access {
        &self.plan[number]
    }

    /// The table has the values, too.
    fn has_values_beside(&self, number: usize) -> bool {
        self.plan[number].has_values_beside(self.program)
    }

    fn port(&self, number: usize, port: usize) -> &'a Port {
        &self.plan[number].ports[port]
    }

    fn stages_of(&self, number: usize) -> &'a AccessStages {
        &self.schedule.accesses[number]
    }

    fn port_stages(&self, number: usize, port: usize) -> PortStages {
        self.schedule.accesses[number].ports[port]
    }

    /// The stage in which a port's key is inserted or removed.
    fn table_commit(&self, number: usize, port: usize) -> u32 {
        self.stages_of(number).table_commit + self.access(number).ports[port].slot
    }

    /// The stage in which a port's value is written.
    fn value_commit(&self, number: usize, port: usize) -> u32 {
        self.stages_of(number).commit + self.access(number).ports[port].slot
    }

    /// The table commits only what the host changes, in the stage of its answer.
    fn only_host_inserts(&self, number: usize) -> bool {
        let stages = self.stages_of(number);
        !self.access(number).is_structural()
            && stages.table_commit == stages.ports[0].table + self.answer_clocks(number)
    }

    /// Clocks that the table of a map with keys takes to answer.
    fn answer_clocks(&self, number: usize) -> u32 {
        answer_clocks(self.program, &self.plan[number])
    }

    fn index_width(&self, map: MapId) -> u32 {
        index_bits(u64::from(slots(&self.program.maps[map])))
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
        for number in 0..self.plan.len() {
            let mut built = Built::default();
            for port in 0..self.access(number).ports.len() {
                let bases = match self.access(number).has_keys(self.program) {
                    true => self.bases_of_port(number, port),
                    false => BuiltPort::default(),
                };
                built.ports.push(bases);
            }
            self.ports.built.push(built);
        }
    }

    fn bases_of_port(&mut self, number: usize, port: usize) -> BuiltPort {
        let decl = self.decl(number);
        let mut name = identifier(&decl.name);
        if port > 0 {
            name.push_str(&format!("_{port}"));
        }
        let table = self.port_stages(number, port).table;
        let commit = self.table_commit(number, port);
        let answer = table + self.answer_clocks(number);
        let map = self.plan[number].map;
        let beside = self.plan[number].has_values_beside(self.program);
        let entry = self.index_width(map);
        let key_bits = self.plan[number].stored.stored();
        let s = &mut self.segments;
        let key = s.add_base(format!("{name}_key"), key_bits, table - 1);
        let rows = match decl.is_matched() {
            true => key,
            false => {
                let bits = match beside {
                    true => hardpath_blocks::cuckoo::WAYS * Cuckoo::row_bits(decl.max_entries),
                    false => hardpath_blocks::hash::WAYS * Hash::row_bits(decl.max_entries),
                };
                s.add_base(format!("{name}_rows"), bits, table - 1)
            }
        };
        BuiltPort {
            key,
            rows,
            index: match beside {
                true => s.add_base(format!("{name}_value"), decl.value_bytes * 8, answer),
                false => s.add_base(format!("{name}_index"), entry, answer),
            },
            write_value: s.add_base(format!("{name}_write_value"), 1, commit),
            commit_index: s.add_base(format!("{name}_commit_index"), entry, commit),
            answer: s.add_base(format!("{name}_answer"), ANSWER_BITS, commit),
        }
    }

    /// Marks what the accesses use, and where.
    pub(crate) fn demand_for_maps(&mut self) {
        for number in 0..self.plan.len() {
            for port in 0..self.access(number).ports.len() {
                if self.access(number).has_keys(self.program) {
                    self.demand_for_table(number, port);
                }
                self.demand_for_values(number, port);
            }
            self.demand_for_windows(number);
        }
    }

    fn demand_whole(&mut self, base: BaseId, stage: u32) {
        let width = self.segments.bases[base].width;
        self.segments.demand_bits(base, 0, width, stage);
    }

    fn demand_all(&mut self, values: impl IntoIterator<Item = Value>, stage: u32) {
        for value in values {
            self.segments.demand(value, stage);
        }
    }

    fn demand_low(&mut self, value: Value, bits: u32, stage: u32) {
        self.demand_bits(value, (0, bits), stage);
    }

    /// `first`, `bits`: which of the value's.
    fn demand_bits(&mut self, value: Value, (first, bits): (u32, u32), stage: u32) {
        let mut at = 0;
        for segment in self.segments.of(value).to_vec() {
            let (begin, end) = (at.max(first), (at + segment.width()).min(first + bits));
            if begin < end {
                match segment {
                    Segment::Bits { base, lo, .. } => {
                        let lo = lo + begin - at;
                        self.segments.demand_bits(base, lo, end - begin, stage);
                    }
                    Segment::Repeat { base, bit, .. } => {
                        self.segments.demand_bits(base, bit, 1, stage);
                    }
                    Segment::Const(_) => {}
                }
            }
            at += segment.width();
        }
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
        let name = identifier(&self.decl(number).name);
        let copies: Vec<usize> = (0..self.plan.len())
            .filter(|other| self.plan[*other].map == map)
            .collect();
        let copy = match copies.len() {
            1 => String::new(),
            _ => format!("_{}", copies.iter().position(|c| *c == number).unwrap_or(0)),
        };
        let module = self.unique_module(format!("{}_map_{name}{copy}{what}", self.prefix));
        let instance = module[self.prefix.len() + 1..].to_string();
        (module, instance)
    }

    /// Makes the answers of memories stand as base values in the stage in which they come.
    pub(crate) fn maps_before_operations(&mut self, stage: u32) {
        for number in 0..self.plan.len() {
            let hash = self.access(number).has_keys(self.program);
            let first = self
                .stages_of(number)
                .first(self.access(number), self.program);
            if hash && stage == first {
                match self.decl(number).is_matched() {
                    true => self.start_matched(number),
                    false => self.start_table(number),
                }
            }
            let clocks = read_clocks(self.program, self.access(number));
            for port in 0..self.access(number).ports.len() {
                let at = self.port_stages(number, port);
                if hash && stage == at.table {
                    self.enter_table(number, port);
                }
                if hash && stage == at.table + self.answer_clocks(number) {
                    self.table_answers(number, port);
                }
                if stage == at.address + clocks {
                    self.values_answer(number, port);
                }
            }
            for (port, change, answered) in self.used_answers(number) {
                if stage == answered {
                    self.change_answers(number, port, change);
                }
            }
        }
    }

    /// Starts memories whose addresses are there now, and commits.
    pub(crate) fn maps_after_operations(&mut self, stage: u32) {
        for number in 0..self.plan.len() {
            let ports = self.access(number).ports.len();
            let hash = self.access(number).has_keys(self.program);
            for port in 0..ports {
                if hash && stage + 1 == self.port_stages(number, port).table {
                    match self.decl(number).is_matched() {
                        true => self.start_matched_key(number, port),
                        false => self.start_hash(number, port),
                    }
                }
            }
            for port in 0..ports {
                if hash && stage == self.table_commit(number, port) {
                    self.commit_table(number, port);
                }
            }
            if self.decl(number).forgets && stage == self.journal_stage(number) {
                self.keep_journal(number);
            }
            if self.has_values_beside(number) {
                continue;
            }
            let addresses = self.stages_of(number).ports.iter().map(|port| port.address);
            if Some(stage) == addresses.min() {
                self.start_values(number);
            }
            for port in 0..ports {
                if stage == self.port_stages(number, port).address {
                    self.enter_values(number, port);
                }
                if stage == self.value_commit(number, port) {
                    self.commit_values(number, port);
                }
            }
        }
    }
}
