//! A hash table with several ports, driven packet by packet beside a model.

use crate::answers::{DONE, EXISTS, FULL, MISSING, REFUSED};
use crate::bench::Bench;
use crate::hash_bench::{last_read, Change};
use hardpath_blocks::hash::{buckets, hash_function, hash_table, Hash, HashPort, SLOTS, WAYS};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_rtl::signals::numbered;
use hardpath_rtl::{Design, Module, Node};
use std::collections::{BTreeMap, VecDeque};

/// Clocks of a packet whose signals all enter in clock 0.
pub struct Times {
    /// Stage R of each port.
    reads: Vec<u64>,
    /// The commit stage of each port.
    commits: Vec<u64>,
    /// All results are seen in this clock.
    end: u64,
    /// Packets are so many clocks apart.
    pub apart: u64,
    /// From a key to its answer.
    answer_clocks: u64,
}

impl Times {
    pub fn of(config: &Hash) -> Times {
        let ports = &config.ports;
        let answer_clocks = u64::from(Hash::answer_clocks(config.registers));
        let before = |port: &HashPort| answer_clocks + u64::from(port.commit_after - port.slot);
        let base = 1 + ports.iter().map(before).max().expect("a port");
        let commits = ports.iter().map(|port| base + u64::from(port.slot));
        let reads = ports.iter().map(|port| base - before(port));
        let apart = ports.iter().map(|port| 1 + u64::from(port.slot)).max();
        let apart = apart.expect("a port");
        Times {
            reads: reads.collect(),
            commits: commits.collect(),
            end: base + apart,
            apart,
            answer_clocks,
        }
    }
}

/// The signals of the data plane at a port's commit stage.
fn changes_of(port: &HashPort) -> Vec<&'static str> {
    let mut names = Vec::new();
    if port.updates {
        names.push("update");
        if port.may.is_none() {
            names.extend(["only_create", "only_replace", "may_nothing"]);
        }
    }
    if port.deletes {
        names.push("remove");
    }
    names
}

/// The table with a copy of the functions for each port. Everything enters in clock 0, is delayed to its stage, and
/// comes out in the clock of the end.
fn design(config: &Hash) -> Design {
    let times = Times::of(config);
    let mut design = Design::new();
    let table_id = design.add(hash_table(config));
    let function_ids: Vec<_> = (0..config.ports.len())
        .map(|port| {
            design.add(hash_function(
                &format!("functions_{port}"),
                config.functions(),
                port,
            ))
        })
        .collect();
    let table = &design.modules[table_id];
    let mut m = Module::new("around", "");
    let delayed = |m: &mut Module, name: &str, node: Node, clocks: u64| {
        (0..clocks).fold(node, |node, clock| {
            m.delay_reset(format!("{name}_after_{clock}"), node)
        })
    };
    let entry_bits = Hash::entry_bits(config.max_entries);
    let host = m.input("host", 1, "");
    let host_key = m.input("host_key", config.key_bits, "");
    let host_slot = m.input("host_slot", 32, "");
    let host_command = m.input("host_command", 3, "");
    let dump = m.eq_const(host_command, u64::from(command::DUMP));
    let low_slot = m.slice(host_slot, 0, entry_bits);
    let mut inputs: Vec<(String, Node)> = vec![
        ("host_command".into(), host_command),
        ("host_slot".into(), host_slot),
    ];
    for (name, width) in [
        ("host_may", May::BITS),
        ("clear", 1),
        ("clear_index", Hash::row_bits(config.max_entries)),
    ] {
        inputs.push((name.into(), m.input(name, width, "")));
    }
    for (number, port) in config.ports.iter().enumerate() {
        let name = |wish: &str| numbered(wish, number as u32 as usize);
        let key_name = format!("key_of_{number}");
        let key = m.input(key_name.clone(), config.key_bits, "");
        let key = delayed(&mut m, &key_name, key, times.reads[number] - 1);
        let mut given = vec![("key", key)];
        if number == 0 {
            let is_host = delayed(&mut m, "host", host, times.reads[0] - 1);
            inputs.push(("host_r".into(), m.delay_reset("host_r", is_host)));
            given.extend([
                ("host", is_host),
                ("host_key", host_key),
                ("host_dump", dump),
                ("host_slot", low_slot),
            ]);
        }
        let called = format!("functions_{number}");
        let (function_id, function) = (function_ids[number], &design.modules[function_ids[number]]);
        let functions = m.instance(function, function_id, &called, &given);
        for (signal, out) in [("key", "key_out"), ("rows", "rows")] {
            let node = m.instance_output(function, functions, out);
            let node = m.delay(format!("{signal}_{number}_r"), node);
            inputs.push((name(signal), node));
        }
        for signal in changes_of(port) {
            let wish = format!("{signal}_of_{number}");
            let node = m.input(wish.clone(), 1, "");
            let node = delayed(&mut m, &wish, node, times.commits[number]);
            inputs.push((name(signal), node));
        }
    }
    let inputs: Vec<(&str, Node)> = inputs
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = m.instance(table, table_id, "table", &inputs);
    let changes = config.ports.iter().any(|port| port.updates || port.deletes);
    for (number, port) in config.ports.iter().enumerate() {
        let (found, commit) = (
            times.reads[number] + times.answer_clocks,
            times.commits[number],
        );
        let mut outputs = vec![("hit", found), ("entry", found)];
        if number == 0 || port.updates {
            outputs.extend([("write_value", commit), ("entry_c", commit)]);
        }
        for (signal, clock) in outputs {
            let node =
                m.instance_output(table, instance, &numbered(signal, number as u32 as usize));
            let name = format!("{signal}_of_{number}");
            let node = delayed(&mut m, &name, node, times.end - clock);
            m.output(name, node, "");
        }
        if changes {
            let node = m.instance_output(table, instance, "answer");
            let name = format!("answer_of_{number}");
            let node = delayed(&mut m, &name, node, times.end - commit);
            m.output(name, node, "");
        }
    }
    for signal in ["host_c", "host_found"] {
        let node = m.instance_output(table, instance, signal);
        let node = delayed(&mut m, signal, node, times.end - times.commits[0]);
        m.output(signal, node, "");
    }
    for signal in ["host_answer", "host_key_out", "host_entry"] {
        let node = m.instance_output(table, instance, signal);
        m.output(signal, node, "");
    }
    design.add(m);
    design
}

/// A packet, or a host operation with other packets' keys at the ports behind the first.
#[derive(Clone, Debug)]
struct Packet {
    clock: u64,
    keys: Vec<u64>,
    changes: Vec<Change>,
    host: bool,
}

pub struct Table {
    pub config: Hash,
    times: Times,
    bench: Bench,
    /// Key to entry.
    pub model: BTreeMap<u64, u64>,
    due: VecDeque<Packet>,
    /// What was changed lately: the key and the clock of the commit.
    changed: VecDeque<(u64, u64)>,
    clock: u64,
    /// From this clock on the next packet may come.
    next: u64,
    host_over: u64,
    /// Of each port: inserts, overwrites, removals, refusals.
    pub seen: Vec<[u32; 4]>,
    /// Packets of which two ports changed one key.
    pub met: u32,
}

impl Table {
    pub fn new(config: Hash) -> Table {
        Table {
            bench: Bench::new(&design(&config)),
            times: Times::of(&config),
            model: BTreeMap::new(),
            due: VecDeque::new(),
            changed: VecDeque::new(),
            clock: 0,
            next: 0,
            host_over: 0,
            seen: vec![[0; 4]; config.ports.len()],
            met: 0,
            config,
        }
    }

    /// Whether the contract lets a packet with these keys in now: a lookup sees every older commit of its key. With
    /// forwarding those that are there a clock after the lookup's, without it those of the clocks before.
    fn may_enter(&self, keys: &[u64]) -> bool {
        let sees = |(port, key): (usize, &u64)| {
            let read = self.clock + self.times.reads[port];
            self.changed.iter().all(|(changed, commit)| {
                changed != key
                    || match self.config.forward {
                        true => *commit <= read + 1,
                        false => *commit < read,
                    }
            })
        };
        self.clock >= self.next && keys.iter().enumerate().all(sees)
    }

    pub fn idle(&mut self) {
        self.bench.set("host", 0);
        self.set_changes(&vec![Change::Nothing; self.config.ports.len()]);
        self.step();
    }

    fn set_changes(&mut self, changes: &[Change]) {
        for (number, (port, change)) in self.config.ports.iter().zip(changes).enumerate() {
            for signal in changes_of(port) {
                let set = match (signal, *change) {
                    ("update", Change::Update { .. }) => true,
                    // What may be done while nothing is updated does not count.
                    ("only_create", Change::Update { may }) => may == May::CREATE,
                    ("only_replace", Change::Update { may }) => may == May::REPLACE,
                    ("may_nothing", Change::Update { may }) => may == May::NOTHING,
                    ("only_create" | "only_replace" | "may_nothing", _) => {
                        self.clock.is_multiple_of(3)
                    }
                    ("remove", Change::Delete) => true,
                    _ => false,
                };
                self.bench.set(&format!("{signal}_of_{number}"), set.into());
            }
        }
    }

    /// Waits until the packet may come.
    pub fn packet(&mut self, keys: &[u64], changes: &[Change]) {
        while !self.may_enter(keys) {
            self.idle();
        }
        self.set_changes(changes);
        self.bench.set("host", 0);
        self.enter(keys, changes, false);
    }

    /// A host operation on the first key, when it may come.
    pub fn host(&mut self, keys: &[u64], change: Change) {
        while self.clock < self.host_over {
            self.idle();
        }
        let (code, may) = match change {
            Change::Nothing => (command::LOOKUP, May::NOTHING),
            Change::Update { may } => (command::UPDATE, may),
            Change::Delete => (command::DELETE, May::NOTHING),
        };
        self.bench.set("host_command", code.into());
        self.bench.set("host_key", keys[0]);
        self.bench.set("host_may", may.bits().into());
        self.idle();
        self.idle();
        while !self.may_enter(keys) {
            self.idle();
        }
        let mut changes = vec![Change::Nothing; keys.len()];
        self.set_changes(&changes);
        changes[0] = change;
        self.bench.set("host", 1);
        self.enter(keys, &changes, true);
        self.host_over = self.clock + self.times.end;
    }

    fn enter(&mut self, keys: &[u64], changes: &[Change], host: bool) {
        for (number, key) in keys.iter().enumerate() {
            let shown = if host && number == 0 {
                !key & 0xff
            } else {
                *key
            };
            self.bench.set(&format!("key_of_{number}"), shown);
            if changes[number] != Change::Nothing {
                let commit = self.clock + self.times.commits[number];
                self.changed.push_back((*key, commit));
            }
        }
        while self.changed.len() > 60 {
            self.changed.pop_front();
        }
        self.due.push_back(Packet {
            clock: self.clock,
            keys: keys.to_vec(),
            changes: changes.to_vec(),
            host,
        });
        self.next = self.clock + self.times.apart;
        self.step();
    }

    fn step(&mut self) {
        self.bench.step();
        let ends = |packet: &Packet| packet.clock + self.times.end == self.clock;
        if self.due.front().is_some_and(ends) {
            let packet = self.due.pop_front().expect("looked at");
            self.check(&packet);
        }
        self.clock += 1;
    }

    fn check(&mut self, packet: &Packet) {
        for (number, key) in packet.keys.iter().enumerate() {
            let entry = self.bench.get(&format!("entry_of_{number}"));
            let hit = self.bench.get(&format!("hit_of_{number}")) == 1;
            let found = hit.then_some(entry);
            let expected = self.model.get(key).copied();
            assert_eq!(found, expected, "port {number} of {packet:?}");
        }
        assert_eq!(self.bench.get("host_c"), u64::from(packet.host));
        if packet.host {
            let there = self.model.contains_key(&packet.keys[0]);
            assert_eq!(self.bench.get("host_found") == 1, there, "{packet:?}");
        }
        let mut turns: Vec<usize> = (0..packet.keys.len()).collect();
        turns.sort_by_key(|number| self.config.ports[*number].slot);
        let changes = |number: &usize| packet.changes[*number] != Change::Nothing;
        let changed: Vec<u64> = turns
            .iter()
            .filter(|number| changes(number))
            .map(|number| packet.keys[*number])
            .collect();
        let twice = |index: usize| changed[..index].contains(&changed[index]);
        self.met += u32::from((0..changed.len()).any(twice));
        for number in turns {
            self.check_commit(packet, number);
        }
    }

    /// What a port's turn does: it sees what the turns before it did.
    fn check_commit(&mut self, packet: &Packet, number: usize) {
        let (key, change) = (packet.keys[number], packet.changes[number]);
        let what = format!("port {number} of {packet:?} with {} keys", self.model.len());
        let before = self.model.get(&key).copied();
        let full = self.model.len() == self.config.max_entries as usize;
        let answer = match (change, before) {
            (Change::Update { may }, _) if may == May::NOTHING => REFUSED,
            (Change::Update { may }, Some(_)) if !may.replace => EXISTS,
            (Change::Update { may }, None) if !may.create => MISSING,
            (Change::Update { .. }, None) if full || !self.has_room(key) => FULL,
            (Change::Update { .. }, _) => DONE,
            (_, before) if before.is_none() => MISSING,
            _ => DONE,
        };
        let asks = change != Change::Nothing;
        match packet.host && number == 0 {
            true => assert_eq!(self.bench.get("host_answer"), answer, "{what}"),
            false if asks => {
                let found = self.bench.get(&format!("answer_of_{number}"));
                assert_eq!(found, answer, "{what}");
            }
            false => {}
        }
        let writes = matches!(change, Change::Update { .. }) && answer == DONE;
        if number == 0 || self.config.ports[number].updates {
            let found = self.bench.get(&format!("write_value_of_{number}")) == 1;
            assert_eq!(found, writes, "{what}");
        }
        self.seen[number][3] += u32::from(asks && answer != DONE);
        if writes {
            let entry = self.bench.get(&format!("entry_c_of_{number}"));
            match before {
                Some(own) => assert_eq!(own, entry, "{what}: an entry does not move"),
                None => {
                    let other = self.model.iter().find(|(_, of)| **of == entry);
                    assert_eq!(other, None, "{what}: the slot is another key's");
                    assert!(self.candidates(key).contains(&entry), "{what}");
                    self.model.insert(key, entry);
                }
            }
            if packet.host && number == 0 {
                assert_eq!(self.bench.get("host_entry"), entry, "{what}");
            }
            self.seen[number][usize::from(before.is_some())] += 1;
        }
        if change == Change::Delete {
            self.model.remove(&key);
            self.seen[number][2] += u32::from(answer == DONE);
        }
    }

    /// The entries in which a key may lie.
    fn candidates(&self, key: u64) -> Vec<u64> {
        let (key_bits, most) = (self.config.key_bits, self.config.max_entries);
        let row_bits = Hash::row_bits(most);
        let rows = buckets(&[key], key_bits, most);
        (0..WAYS * SLOTS)
            .map(|place| u64::from(place) << row_bits | rows[(place / SLOTS) as usize])
            .collect()
    }

    fn has_room(&self, key: u64) -> bool {
        let taken: Vec<u64> = self.model.values().copied().collect();
        let candidates = self.candidates(key);
        candidates.iter().any(|entry| !taken.contains(entry))
    }

    pub fn settle(&mut self) {
        for _ in 0..self.times.end + 2 {
            self.idle();
        }
        assert!(self.due.is_empty());
    }

    /// Dumps every slot: exactly the keys, each where it was put.
    pub fn compare(&mut self) {
        self.settle();
        let entries: BTreeMap<u64, u64> = self.model.iter().map(|(k, e)| (*e, *k)).collect();
        for slot in 0..u64::from(Hash::entries(self.config.max_entries)) {
            self.bench.set("host_command", command::DUMP.into());
            self.bench.set("host_slot", slot);
            self.idle();
            self.bench.set("host", 1);
            self.step();
            for _ in 0..self.times.end {
                self.idle();
            }
            let found = match self.bench.get("host_answer") {
                DONE => Ok(self.bench.get("host_key_out")),
                answer => Err(answer),
            };
            let is_taken = |entry| entries.contains_key(&entry);
            let last = last_read(slot, self.config.max_entries, is_taken);
            assert_eq!(self.bench.get("host_entry"), last, "slot {slot}");
            assert_eq!(
                found,
                entries.get(&slot).copied().ok_or(MISSING),
                "slot {slot}"
            );
        }
    }
}
