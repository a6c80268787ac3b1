//! A table of several fields beside a model.

use crate::answers::{BAD_INDEX, DONE, EXISTS, FULL, MISSING, REFUSED};
use crate::bench::Bench;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_blocks::ternary::{ternary, Match, Ternary, PRIORITIES_OF_MASKS};
use hardpath_testkit::Random;
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

/// The value of each field.
pub type Key = Vec<u64>;

/// For each field the value and the mask; of a range the bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub fields: Vec<(u64, u64)>,
    pub priority: u64,
}

impl Entry {
    pub fn new(fields: &[(u64, u64)], priority: u64) -> Entry {
        Entry {
            fields: fields.to_vec(),
            priority,
        }
    }
}

pub fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// A table of any masks.
pub fn table(fields: &[(Match, u32)], entries: u32, registers: bool) -> Ternary {
    Ternary {
        name: "entries".into(),
        map: "rules".into(),
        fields: fields.to_vec(),
        entries,
        masks: None,
        registers,
    }
}

/// A host operation: its code and what it is about. Flags are those of an update, the slot that of a dump.
#[derive(Clone, Debug)]
pub struct Operation {
    pub code: u32,
    pub entry: Entry,
    pub may: May,
    pub slot: u32,
}

pub struct Run {
    pub config: Ternary,
    bench: Bench,
    pub random: Random,
    pub entries: Vec<Option<Entry>>,
    /// By the clock in which the key was in stage R: the entry that is right.
    due: VecDeque<(u64, Option<usize>)>,
    clock: u64,
    pub hits: u64,
    /// Lookups that more than one entry matched.
    pub choices: u64,
    /// How often each answer was given.
    pub answers: [u32; 6],
    /// What all packets have, in place of keys near those of entries.
    pub constant_key: Option<Key>,
    /// The one clock behind the begin of an operation in which a packet comes.
    pub only: Option<u32>,
    /// Clocks since an operation began.
    since: u32,
    /// No packets come while an operation is prepared.
    pub is_quiet: bool,
    /// Clocks until the last operation was prepared.
    waited: u32,
    /// Of the operations since this was 0: the clocks of the longest one.
    pub longest: u32,
    /// When places began to be written meanwhile.
    written: Vec<u32>,
}

impl Run {
    pub fn new(fields: &[(Match, u32)], entries: u32, registers: bool, seed: u64) -> Run {
        Run::of(table(fields, entries, registers), seed)
    }

    pub fn of(config: Ternary, seed: u64) -> Run {
        let mut run = Run {
            bench: Bench::of(ternary(&config)),
            random: Random::new(seed),
            entries: Vec::new(),
            due: VecDeque::new(),
            clock: 0,
            hits: 0,
            choices: 0,
            answers: [0; 6],
            constant_key: None,
            only: None,
            since: 0,
            is_quiet: false,
            waited: 0,
            written: Vec::new(),
            longest: 0,
            config,
        };
        run.restart();
        run
    }

    /// Reset, whatever is on its way, and the sweep.
    pub fn restart(&mut self) {
        for strobe in ["start", "host_r"] {
            self.bench.set(strobe, 0);
        }
        self.bench.reset(2);
        self.entries = vec![None; self.config.entries as usize];
        self.due.clear();
        self.bench.set("clear", 1);
        for entry in 0..self.config.entries {
            self.bench.set("clear_index", entry.into());
            self.step(None);
        }
        self.bench.set("clear", 0);
    }

    fn clocks(&self) -> u32 {
        self.config.clocks()
    }

    /// All values of the fields as the bits of one port.
    fn packed(&self, values: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let bits = self.config.key_bits();
        let mut limbs = vec![0; bits.div_ceil(64) as usize];
        let mut at = 0;
        for (value, (_, bits)) in values.into_iter().zip(&self.config.fields) {
            for bit in (0..*bits).filter(|bit| value >> bit & 1 == 1) {
                limbs[(at + bit) as usize / 64] |= 1 << ((at + bit) % 64);
            }
            at += bits;
        }
        limbs
    }

    /// The entry as the table stores it; `None`: it is none.
    fn stored(&self, entry: &Entry) -> Option<Entry> {
        let fields = entry.fields.iter().zip(&self.config.fields);
        let fields = fields.map(|((value, mask), (kind, bits))| {
            let all = ones(*bits);
            match kind {
                Match::Exact => Some((*value, all)),
                Match::Prefix => {
                    let is_prefix = (0..*bits).any(|some| *mask == all & !(all >> some));
                    let is_prefix = is_prefix || *mask == all;
                    is_prefix.then_some((value & mask, *mask))
                }
                Match::Ternary => Some((value & mask, *mask)),
                Match::Range => (value <= mask).then_some((*value, *mask)),
            }
        });
        let fields = fields.collect::<Option<_>>()?;
        let any = self.config.masks.is_none();
        let priority = entry.priority;
        (any || PRIORITIES_OF_MASKS.contains(&(priority as u32)))
            .then_some(Entry { fields, priority })
    }

    /// There may be an entry of this mask.
    fn has_mask(&self, entry: &Entry) -> bool {
        let mask =
            |entry: &Entry| -> Vec<u64> { entry.fields.iter().map(|(_, mask)| *mask).collect() };
        let masks: BTreeSet<Vec<u64>> = self.entries.iter().flatten().map(mask).collect();
        let most = self.config.masks.map_or(usize::MAX, |most| most as usize);
        masks.len() < most || masks.contains(&mask(entry))
    }

    fn matches(&self, entry: &Entry, key: &Key) -> bool {
        let fields = entry.fields.iter().zip(key).zip(&self.config.fields);
        fields.fold(true, |so_far, (((value, mask), key), (kind, _))| {
            so_far
                && match kind {
                    Match::Range => (value..=mask).contains(&key),
                    _ => key & mask == *value,
                }
        })
    }

    /// The entry that wins, and how many match.
    fn best(&self, key: &Key) -> (Option<usize>, usize) {
        let entries = self.entries.iter().enumerate();
        let matching: Vec<(u64, Reverse<usize>)> = entries
            .filter_map(|(number, entry)| {
                let entry = entry.as_ref()?;
                let matches = self.matches(entry, key);
                matches.then_some((entry.priority, Reverse(number)))
            })
            .collect();
        let best = matching.iter().max().map(|(_, number)| number.0);
        (best, matching.len())
    }

    /// One clock with a packet in stage R, or without.
    pub fn step(&mut self, packet: Option<&Key>) {
        if let Some(key) = packet {
            let bits = self.packed(key.iter().copied());
            self.bench.set_wide("key", &bits);
            let (best, matching) = self.best(key);
            self.choices += u64::from(matching > 1);
            self.due.push_back((self.clock, best));
        }
        self.bench.step();
        self.check();
        self.clock += 1;
        self.since += 1;
    }

    fn check(&mut self) {
        let clocks = u64::from(self.clocks());
        let is_due = |due: &&(u64, _)| due.0 + clocks == self.clock;
        if let Some((_, expected)) = self.due.front().filter(is_due).copied() {
            self.due.pop_front();
            let hit = self.bench.get("hit") == 1;
            let entry = self.bench.get("entry") as usize;
            assert_eq!(hit.then_some(entry), expected, "clock {}", self.clock);
            self.hits += u64::from(hit);
        }
    }

    pub fn packets(&mut self, count: u32) {
        for _ in 0..count {
            if self.only.is_some_and(|only| only != self.since) {
                self.step(None);
                continue;
            }
            let key = match &self.constant_key {
                Some(key) => key.clone(),
                None => self.some_key(),
            };
            self.step(Some(&key));
        }
    }

    /// Clocks that the last operation took, with its slot and its answer.
    pub fn last_clocks(&self) -> u32 {
        self.since
    }

    /// Of a table with places: how many others moved for the last operation, which put an entry in, and the most clocks in which one came to
    /// its place.
    pub fn others_moved(&self) -> (u32, u32) {
        let gaps = |pair: &[u32]| pair[1] - pair[0];
        let [moves @ .., last] = self.written.as_slice() else {
            panic!("a place is written");
        };
        // Of each that moves two places are written, the new one first, and the operation's own one.
        assert_eq!(moves.len() % 2, 0);
        let clocks = moves.chunks(2).map(gaps).chain([self.waited - last]);
        (moves.len() as u32 / 2, clocks.max().expect("the last one"))
    }

    /// A command begins. Packets go on.
    pub fn begin(&mut self, operation: &Operation) {
        let Operation {
            code,
            entry,
            may,
            slot,
        } = operation;
        let (values, masks): (Vec<u64>, Vec<u64>) = entry.fields.iter().copied().unzip();
        let (values, masks) = (self.packed(values), self.packed(masks));
        self.bench.set("host_command", (*code).into());
        self.bench.set("host_may", may.bits().into());
        self.bench.set("host_slot", (*slot).into());
        self.bench.set_wide("host_key", &values);
        self.bench.set_wide("host_mask", &masks);
        self.bench.set("host_priority", entry.priority);
        self.bench.set("start", 1);
        self.since = 0;
        self.packets(1);
        self.bench.set("start", 0);
    }

    /// Performs an operation as the host port does; packets go on until its slot comes, and behind it. Gives the answer and the
    /// entry that is meant.
    pub fn host(&mut self, operation: &Operation) -> (u64, Option<usize>) {
        self.begin(operation);
        let limit = self.config.prepare_clocks();
        self.waited = 0;
        self.written.clear();
        loop {
            match self.is_quiet {
                true => self.step(None),
                false => self.packets(1),
            }
            if self.bench.get("prepared") == 1 {
                break;
            }
            self.waited += 1;
            if self.bench.register("write_begins") == Some(1) {
                self.written.push(self.waited);
            }
            let waited = self.waited;
            assert!(waited <= limit, "not prepared after {waited} clocks");
        }
        for _ in 0..3 {
            self.step(None);
        }
        let (answer, entry) = self.answer(operation);
        self.answers[answer as usize] += 1;
        let key = self.packed(operation.entry.fields.iter().map(|(value, _)| *value));
        self.bench.set_wide("key", &key);
        self.bench.set("host_r", 1);
        self.step(None);
        self.bench.set("host_r", 0);
        for _ in 0..3 {
            self.step(None);
        }
        let clocks = self.clocks();
        for clock in 4..=clocks + 1 {
            if clock == clocks + 1 {
                assert_eq!(self.bench.get("host_c"), 1);
                let writes = self.bench.get("write_value") == 1;
                let updates = operation.code == command::UPDATE && answer == DONE;
                assert_eq!(writes, updates, "{operation:?} among {:?}", self.entries);
                if let Some(entry) = entry {
                    assert_eq!(self.bench.get("entry"), entry as u64);
                }
            }
            self.packets(1);
        }
        self.packets(1);
        assert_eq!(self.bench.get("host_answer"), answer, "{operation:?}");
        if let Some(entry) = entry {
            assert_eq!(self.bench.get("host_slot_out"), entry as u64);
        }
        if operation.code == command::DUMP && answer == MISSING {
            assert_eq!(self.bench.get("host_slot_out"), operation.slot.into());
        }
        if operation.code == command::DUMP && answer == DONE {
            self.check_dump(operation.slot);
        }
        self.longest = self.longest.max(self.since);
        (answer, entry)
    }

    /// Whether all banks of a table of few masks are full of entries like this one but for their priorities.
    fn fills_rows(&self, entry: &Entry) -> bool {
        let like = |other: &&Entry| other.fields == entry.fields;
        let stand = self.entries.iter().flatten().filter(like).count();
        let banks = self.config.masks.map(|masks| masks as usize + 6);
        banks.is_some_and(|banks| stand >= 2 * banks)
    }

    fn check_dump(&mut self, slot: u32) {
        let entry = self.entries[slot as usize].clone().expect("it is there");
        let (values, masks): (Vec<u64>, Vec<u64>) = entry.fields.iter().copied().unzip();
        let (values, masks) = (self.packed(values), self.packed(masks));
        assert_eq!(self.bench.get_wide("host_key_out"), values);
        assert_eq!(self.bench.get_wide("host_mask_out"), masks);
        assert_eq!(self.bench.get("host_priority_out"), entry.priority);
    }

    /// What is to be answered, and the entry that is meant; the model does it.
    fn answer(&mut self, operation: &Operation) -> (u64, Option<usize>) {
        let (may, slot) = (operation.may, operation.slot);
        let stored = self.stored(&operation.entry);
        let exists = stored.as_ref().and_then(|stored| {
            let same = |entry: &Option<Entry>| entry.as_ref() == Some(stored);
            self.entries.iter().position(same)
        });
        let room = self.entries.iter().position(Option::is_none);
        match operation.code {
            command::LOOKUP => {
                let key = operation.entry.fields.iter().map(|(value, _)| *value);
                match self.best(&key.collect()).0 {
                    Some(entry) => (DONE, Some(entry)),
                    None => (MISSING, None),
                }
            }
            command::DUMP => match self.entries.get(slot as usize) {
                None => (BAD_INDEX, None),
                Some(None) => (MISSING, None),
                Some(Some(_)) => (DONE, Some(slot as usize)),
            },
            _ if stored.is_none() => (BAD_INDEX, None),
            command::DELETE => match exists {
                Some(entry) => {
                    self.entries[entry] = None;
                    (DONE, Some(entry))
                }
                None => (MISSING, None),
            },
            _ => match (exists, room) {
                _ if may == May::NOTHING => (REFUSED, None),
                (Some(_), _) if !may.replace => (EXISTS, None),
                (None, _) if !may.create => (MISSING, None),
                (None, None) => (FULL, None),
                (None, _) if !stored.as_ref().is_some_and(|entry| self.has_mask(entry)) => {
                    (FULL, None)
                }
                (None, _) if stored.as_ref().is_some_and(|entry| self.fills_rows(entry)) => {
                    (FULL, None)
                }
                (Some(entry), _) | (None, Some(entry)) => {
                    self.entries[entry] = stored;
                    (DONE, Some(entry))
                }
            },
        }
    }

    pub fn update(&mut self, entry: &Entry) -> (u64, Option<usize>) {
        self.of_entry(command::UPDATE, entry, May::PUT)
    }

    pub fn delete(&mut self, entry: &Entry) -> (u64, Option<usize>) {
        self.of_entry(command::DELETE, entry, May::PUT)
    }

    pub fn of_entry(&mut self, code: u32, entry: &Entry, may: May) -> (u64, Option<usize>) {
        self.host(&Operation {
            code,
            entry: entry.clone(),
            may,
            slot: 0,
        })
    }

    pub fn dump(&mut self, slot: u32) -> u64 {
        let fields = vec![(0, 0); self.config.fields.len()];
        let dump = Operation {
            code: command::DUMP,
            entry: Entry::new(&fields, 0),
            may: May::NOTHING,
            slot,
        };
        self.host(&dump).0
    }
}
