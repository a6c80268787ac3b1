//! A hash table with its hash functions, driven slot by slot beside a model.

use crate::answers::{BAD_INDEX, DONE, EXISTS, FULL, MISSING, REFUSED};
use crate::bench::Bench;
use hardpath_blocks::hash::{hash_function, hash_table, Evicts, Hash, HashPort, WAYS};
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_rtl::{Design, Module, Node};
use std::collections::{BTreeMap, VecDeque};

/// A key: limbs, least significant first.
pub type Key = Vec<u64>;

/// What a packet does to its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Nothing,
    Update { may: May },
    Delete,
}

/// The functions, a register, the table. What belongs to the commit stage comes in with the key and is delayed here.
pub fn design(config: &Hash) -> Design {
    let mut design = Design::new();
    let entry_bits = Hash::entry_bits(config.max_entries);
    let function_id = design.add(hash_function("functions", config.functions(), 0));
    let table_id = design.add(hash_table(config));
    let (function, table) = (&design.modules[function_id], &design.modules[table_id]);
    let mut m = Module::new("around", "");
    let key = m.input("key", config.key_bits, "");
    let host = m.input("host", 1, "");
    let host_key = m.input("host_key", config.key_bits, "");
    let host_command = m.input("host_command", 3, "");
    let host_may = m.input("host_may", May::BITS, "");
    let host_slot = m.input("host_slot", 32, "");
    let clear = m.input("clear", 1, "");
    let clear_index = m.input("clear_index", Hash::row_bits(config.max_entries), "");
    let dump = m.eq_const(host_command, u64::from(command::DUMP));
    let low_slot = m.slice(host_slot, 0, entry_bits);
    let inputs = [
        ("key", key),
        ("host", host),
        ("host_key", host_key),
        ("host_dump", dump),
        ("host_slot", low_slot),
    ];
    let functions = m.instance(function, function_id, "functions", &inputs);
    let key_out = m.instance_output(function, functions, "key_out");
    let rows = m.instance_output(function, functions, "rows");
    m.output("rows_now", rows, "combinational");
    let key_r = m.delay("key_r", key_out);
    let rows_r = m.delay("rows_r", rows);
    let host_r = m.delay_reset("host_r", host);
    let mut inputs: Vec<(&str, Node)> = vec![
        ("key", key_r),
        ("rows", rows_r),
        ("host_r", host_r),
        ("clear", clear),
        ("clear_index", clear_index),
        ("host_command", host_command),
        ("host_may", host_may),
        ("host_slot", host_slot),
    ];
    if config.foreign {
        inputs.push(("host_foreign", m.input("host_foreign", 1, "")));
    }
    // A packet that has lost its key to another one does not commit.
    let displaced = displaces_late(config).then(|| m.wire(1, "displaced_wire"));
    let mut late = Vec::new();
    if config.ports[0].updates {
        late.push("update");
        if config.ports[0].may.is_none() {
            late.extend(["only_create", "only_replace", "may_nothing"]);
        }
    }
    if config.ports[0].deletes {
        late.push("remove");
    }
    if config.evicts != Evicts::Nobody {
        late.push("uses");
    }
    for name in late {
        let mut node = m.input(name, 1, "");
        let answer_clocks = Hash::answer_clocks(config.registers);
        for clock in 0..1 + answer_clocks + config.ports[0].commit_after {
            node = m.delay_reset(format!("{name}_{clock}"), node);
        }
        if let Some(displaced) = displaced {
            let stays = m.not(displaced);
            node = m.and(&[node, stays]);
        }
        inputs.push((name, node));
    }
    let instance = m.instance(table, table_id, "table", &inputs);
    let mut outputs = vec![
        "hit",
        "entry",
        "write_value",
        "entry_c",
        "host_found",
        "host_c",
        "host_answer",
        "host_key_out",
        "host_entry",
    ];
    if config.ports[0].updates || config.ports[0].deletes {
        outputs.push("answer");
    }
    if config.evicts != Evicts::Nobody {
        outputs.extend(["puts", "removes_key", "forgets", "key_c"]);
    }
    if let Some(wire) = displaced {
        outputs.push("displaced");
        let node = m.instance_output(table, instance, "displaced");
        m.drive(wire, node);
    }
    for name in outputs {
        let node = m.instance_output(table, instance, name);
        m.output(name, node, "");
    }
    design.add(m);
    design
}

/// Whether a packet's key can be taken from it between answer and commit.
pub fn displaces_late(config: &Hash) -> bool {
    config.evicts == Evicts::Candidates && config.ports[0].commit_after > 0
}

/// The entry that a dump says it was done on: where there is none, the last of the empty places in its row behind each other.
pub fn last_read(entry: u64, max_entries: u32, is_taken: impl Fn(u64) -> bool) -> u64 {
    let row_bits = Hash::row_bits(max_entries);
    let behind =
        (entry + (1 << row_bits)..u64::from(Hash::entries(max_entries))).step_by(1 << row_bits);
    match is_taken(entry) {
        true => entry,
        false => behind
            .take_while(|entry| !is_taken(*entry))
            .last()
            .unwrap_or(entry),
    }
}

/// An answer that a slot must give.
#[derive(Clone, Debug)]
struct Due {
    /// The clock in which the slot was set.
    clock: u64,
    key: Key,
    host: Option<u32>,
    /// The host's key is not this one, but a foreign one that has its bits: what the host is answered.
    foreign: Option<u64>,
    hit: bool,
    answer: u64,
    /// The value of the key is written: the slot that the table names must be free or the key's own.
    writes: bool,
    removes: bool,
}

/// The table beside a model. Slots are checked when they come to their stages.
pub struct Table {
    pub config: Hash,
    pub bench: Bench,
    /// Key to entry.
    pub model: BTreeMap<Key, u64>,
    /// Entry to key.
    entries: BTreeMap<u64, Key>,
    /// What the keys are when all that was set has been committed.
    ahead: BTreeMap<Key, ()>,
    /// Places that foreign keys have.
    pub foreign: usize,
    /// What the host is answered in the next clock.
    at_host: Option<u64>,
    /// The slot of what the host did.
    host_slot: Option<u64>,
    at_hit: VecDeque<Due>,
    at_commit: VecDeque<Due>,
    pub clock: u64,
    /// Inserts below `max_entries` that found no room.
    pub failures: u64,
    /// Whether such a failure is a failure of the test.
    pub may_fail: bool,
}

impl Table {
    pub fn new(config: Hash) -> Table {
        Table {
            bench: Bench::new(&design(&config)),
            config,
            model: BTreeMap::new(),
            entries: BTreeMap::new(),
            ahead: BTreeMap::new(),
            foreign: 0,
            at_host: None,
            host_slot: None,
            at_hit: VecDeque::new(),
            at_commit: VecDeque::new(),
            clock: 0,
            failures: 0,
            may_fail: false,
        }
    }

    /// Clocks for which a key must be alone: from R to C.
    pub fn window(&self) -> u64 {
        self.answer_clocks() + u64::from(self.config.ports[0].commit_after)
    }

    /// Clocks from a key to its answer.
    fn answer_clocks(&self) -> u64 {
        Hash::answer_clocks(self.config.registers).into()
    }

    /// All slots of the table.
    pub fn slots(&self) -> u32 {
        Hash::entries(self.config.max_entries)
    }

    fn set_change(&mut self, change: Change) {
        if self.config.ports[0].updates {
            let may = match change {
                Change::Update { may } => Some(may),
                _ => None,
            };
            self.bench.set("update", may.is_some().into());
            if let (Some(known), Some(may)) = (self.config.ports[0].may, may) {
                assert_eq!(may, known);
            }
            if self.config.ports[0].may.is_none() {
                self.bench
                    .set("only_create", (may == Some(May::CREATE)).into());
                self.bench
                    .set("only_replace", (may == Some(May::REPLACE)).into());
                self.bench
                    .set("may_nothing", (may == Some(May::NOTHING)).into());
            }
        }
        if self.config.ports[0].deletes {
            self.bench.set("remove", (change == Change::Delete).into());
        }
    }

    pub fn idle(&mut self) {
        self.bench.set("host", 0);
        self.set_change(Change::Nothing);
        self.step();
    }

    /// What the change gives.
    fn answer(&self, key: &Key, change: Change) -> (bool, u64, bool, bool) {
        let hit = self.ahead.contains_key(key);
        let full = self.ahead.len() + self.foreign >= self.config.max_entries as usize;
        let (answer, writes, removes) = match change {
            Change::Nothing => (if hit { DONE } else { MISSING }, false, false),
            Change::Update { may } if may == May::NOTHING => (REFUSED, false, false),
            Change::Update { may } if hit && !may.replace => (EXISTS, false, false),
            Change::Update { may } if !hit && !may.create => (MISSING, false, false),
            Change::Update { .. } if !hit && full => (FULL, false, false),
            Change::Update { .. } => (DONE, true, false),
            Change::Delete if hit => (DONE, false, true),
            Change::Delete => (MISSING, false, false),
        };
        (hit, answer, writes, removes)
    }

    fn enqueue(&mut self, key: &Key, change: Change, host: Option<u32>) {
        let (hit, answer, writes, removes) = self.answer(key, change);
        if writes {
            self.ahead.insert(key.clone(), ());
        }
        if removes {
            self.ahead.remove(key);
        }
        let due = Due {
            clock: self.clock,
            key: key.clone(),
            host,
            foreign: None,
            hit,
            answer,
            writes,
            removes,
        };
        self.at_hit.push_back(due.clone());
        self.at_commit.push_back(due);
    }

    /// A packet with that key. Without forwarding the caller keeps equal keys apart.
    pub fn packet(&mut self, key: &Key, change: Change) {
        self.bench.set_wide("key", key);
        self.bench.set("host", 0);
        self.set_change(change);
        self.enqueue(key, change, None);
        self.step();
    }

    /// The host's lookup, update or delete. Its registers stand still from two clocks before until it is over, and
    /// what comes behind it comes a clock after its answer at the earliest.
    pub fn host(&mut self, command: u32, key: &Key, may: May) {
        let change = match command {
            command::UPDATE => Change::Update { may },
            command::DELETE => Change::Delete,
            _ => Change::Nothing,
        };
        self.operate(command, (key, may), change, None);
    }

    /// The host's operation on a foreign key, of which the table has these bits: it takes a place, gives one back, or finds
    /// nothing, whatever it may do.
    pub fn host_foreign(&mut self, command: u32, key: &Key, may: May) {
        let is_full = self.ahead.len() + self.foreign >= self.config.max_entries as usize;
        let answer = match command {
            command::UPDATE if is_full => FULL,
            command::UPDATE | command::DELETE => DONE,
            _ => MISSING,
        };
        match (command, answer) {
            (command::UPDATE, DONE) => self.foreign += 1,
            (command::DELETE, _) => self.foreign -= 1,
            _ => {}
        }
        self.operate(command, (key, may), Change::Nothing, Some(answer));
    }

    /// `change`: what becomes of the key. `foreign`: the answer for a foreign one.
    fn operate(
        &mut self,
        command: u32,
        (key, may): (&Key, May),
        change: Change,
        foreign: Option<u64>,
    ) {
        if self.config.foreign {
            self.bench.set("host_foreign", foreign.is_some().into());
        }
        self.bench.set("host_command", command.into());
        self.bench.set_wide("host_key", key);
        self.bench.set("host_may", may.bits().into());
        self.idle();
        self.idle();
        self.bench.set("host", 1);
        self.set_change(Change::Nothing);
        let junk: Key = key.iter().map(|limb| !limb).collect();
        self.bench.set_wide("key", &junk);
        self.enqueue(key, change, Some(command));
        self.at_commit.back_mut().expect("just put in").foreign = foreign;
        self.step();
        for _ in 0..self.answer_clocks() {
            self.idle();
        }
    }

    /// The key in a slot, as a dump finds it. Nothing else may be inside.
    pub fn dump(&mut self, slot: u32) -> Result<Key, u64> {
        if self.config.foreign {
            self.bench.set("host_foreign", 0);
        }
        self.bench.set("host_command", command::DUMP.into());
        self.bench.set("host_slot", slot.into());
        self.idle();
        self.bench.set("host", 1);
        self.step();
        for _ in 0..self.window() + 3 {
            self.idle();
        }
        if slot < self.slots() {
            let is_taken = |entry| self.entries.contains_key(&entry);
            let last = last_read(slot.into(), self.config.max_entries, is_taken);
            assert_eq!(self.bench.get("host_entry"), last, "slot {slot}");
        }
        match self.bench.get("host_answer") {
            DONE => Ok(self.bench.get_wide("host_key_out")),
            answer => Err(answer),
        }
    }

    /// Waits until everything was committed.
    pub fn settle(&mut self) {
        for _ in 0..self.window() + 3 {
            self.idle();
        }
        assert!(self.at_hit.is_empty() && self.at_commit.is_empty());
    }

    fn step(&mut self) {
        self.bench.step();
        if let Some(answer) = self.at_host.take() {
            assert_eq!(self.bench.get("host_answer"), answer, "of a foreign key");
        }
        if let Some(slot) = self.host_slot.take() {
            assert_eq!(self.bench.get("host_entry"), slot);
        }
        let answer_clocks = self.answer_clocks();
        // Stage R is one clock behind the key.
        if self
            .at_hit
            .front()
            .is_some_and(|due| due.clock + 1 + answer_clocks == self.clock)
        {
            let due = self.at_hit.pop_front().expect("looked at");
            let hit = self.bench.get("hit") == 1;
            assert_eq!(hit, due.hit, "{due:?}");
            if hit {
                let entry = self.bench.get("entry");
                assert_eq!(self.model.get(&due.key), Some(&entry), "{due:?}");
            }
        }
        let commit_clock = |due: &Due, table: &Table| due.clock + 1 + table.window();
        if self
            .at_commit
            .front()
            .is_some_and(|due| commit_clock(due, self) == self.clock)
        {
            let due = self.at_commit.pop_front().expect("looked at");
            self.commit(&due);
        }
        self.clock += 1;
    }

    fn commit(&mut self, due: &Due) {
        assert_eq!(self.bench.get("host_c"), u64::from(due.host.is_some()));
        let mut writes = due.writes;
        self.at_host = due.foreign;
        let answer = if self.config.ports[0].updates || self.config.ports[0].deletes {
            self.bench.get("answer")
        } else {
            due.answer
        };
        let nothing_done = due.foreign.is_some()
            || due.host.is_none() && !due.writes && !due.removes && due.answer == MISSING;
        if answer == FULL && due.answer == DONE && self.may_fail {
            self.failures += 1;
            self.ahead.remove(&due.key);
            writes = false;
        } else if !nothing_done {
            assert_eq!(
                answer,
                due.answer,
                "{due:?} with {} of {}",
                self.model.len(),
                self.config.max_entries
            );
        }
        assert_eq!(
            self.bench.get("write_value") == 1,
            writes,
            "{due:?} with {} keys",
            self.model.len()
        );
        if due.host.is_some() {
            let found = due.hit && due.foreign.is_none();
            assert_eq!(self.bench.get("host_found") == 1, found);
        }
        let entry = self.bench.get("entry_c");
        if writes {
            match self.model.get(&due.key) {
                Some(own) => assert_eq!(*own, entry, "{due:?}: an entry does not move"),
                None => {
                    assert_eq!(
                        self.entries.get(&entry),
                        None,
                        "{due:?}: the slot is another key's"
                    );
                    assert!(entry < u64::from(self.slots()));
                    self.entries.insert(entry, due.key.clone());
                    self.model.insert(due.key.clone(), entry);
                }
            }
        }
        if due.host.is_some() && due.foreign.is_none() {
            self.host_slot = self.model.get(&due.key).copied();
        }
        if due.removes {
            let own = self.model.remove(&due.key).expect("it was there");
            assert_eq!(own, entry);
            self.entries.remove(&own);
        }
    }

    /// Dumps every slot: exactly the keys, each where it was put.
    pub fn compare(&mut self) {
        self.settle();
        for slot in 0..self.slots() {
            let found = self.dump(slot);
            let expected = self.entries.get(&u64::from(slot)).cloned().ok_or(MISSING);
            assert_eq!(found, expected, "slot {slot}");
        }
        assert_eq!(
            self.dump(self.slots()),
            Err(BAD_INDEX),
            "behind the last slot"
        );
        assert_eq!(self.dump(u32::MAX), Err(BAD_INDEX));
    }

    /// Reset and sweep.
    pub fn clear(&mut self) {
        self.bench.reset(2);
        self.bench.set("clear", 1);
        self.bench.set("host", 0);
        self.set_change(Change::Nothing);
        for row in 0..Hash::rows(self.config.max_entries) {
            self.bench.set("clear_index", row.into());
            self.bench.step();
        }
        self.bench.set("clear", 0);
        self.model.clear();
        self.entries.clear();
        self.ahead.clear();
        self.foreign = 0;
        self.at_hit.clear();
        self.at_commit.clear();
        self.failures = 0;
    }

    /// The bucket of a key in each way.
    pub fn rows_of(&mut self, key: &Key) -> Vec<u64> {
        let bits = Hash::row_bits(self.config.max_entries);
        self.bench.set_wide("key", key);
        self.idle();
        let rows = self.bench.get_wide("rows_now");
        (0..WAYS)
            .map(|way| {
                let lo = way * bits;
                let limb = |index: u32| rows.get(index as usize).copied().unwrap_or(0);
                let low = limb(lo / 64) >> (lo % 64);
                let high = if lo.is_multiple_of(64) {
                    0
                } else {
                    limb(lo / 64 + 1) << (64 - lo % 64)
                };
                (low | high) & (u64::MAX >> (64 - bits))
            })
            .collect()
    }
}

/// A table of that size that packets update and delete.
pub fn config(max_entries: u32, key_bits: u32, commit_after: u32) -> Hash {
    Hash {
        name: "keys".into(),
        map: "map".into(),
        key_bits,
        max_entries,
        ports: vec![HashPort {
            commit_after,
            updates: true,
            may: None,
            deletes: true,
            slot: 0,
        }],
        forward: false,
        registers: false,
        evicts: Evicts::Nobody,
        foreign: false,
        bounded: false,
        holds: 0,
    }
}
