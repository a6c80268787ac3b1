//! Random requests of all sorts and operations of the host, however they come and wait, beside the judge.

use super::ask::{config, Ask, Asker, Handle, Judge, Reply};
use crate::bench::Bench;
use crate::kinds::Shape;
use crate::torture::Pace;
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_ir::{Answer as Said, May};
use hardpath_testkit::Random;
use std::collections::{BTreeMap, VecDeque};

/// What was taken and must be answered.
struct Owed {
    ask: Ask,
    reply: Reply,
    /// A lookup that finds an entry: its key, and its number in the interpreter.
    finds: Option<(u64, u32)>,
}

struct Course<'a> {
    asker: Asker<'a>,
    bench: Bench,
    judge: Judge,
    random: Random,
    handles: Vec<Handle>,
    waits: Option<Ask>,
    owed: VecDeque<Owed>,
    host: Option<Ask>,
    answered: BTreeMap<u32, u32>,
    operations: u32,
}

/// `keys`: so many different ones are asked for. Gives how many requests of each command were answered.
pub fn course(shape: &Shape, seed: u64, keys: u64, pace: &Pace) -> BTreeMap<u32, u32> {
    let mut course = Course {
        asker: Asker {
            shape,
            keys,
            changes: pace.changes,
        },
        bench: Bench::new(&config(shape)),
        judge: Judge::new(shape),
        random: Random::new(seed),
        handles: Vec::new(),
        waits: None,
        owed: VecDeque::new(),
        host: None,
        answered: BTreeMap::new(),
        operations: 0,
    };
    for _ in 0..pace.clocks {
        course.clock(pace);
    }
    course.finish();
    let operations = course.operations;
    assert!(operations > 5, "{shape:?}: {operations} of the host");
    course.answered
}

impl Course<'_> {
    fn clock(&mut self, pace: &Pace) {
        if self.waits.is_none() && self.random.below(pace.requests) == 0 {
            self.ask();
        }
        let starts = self.host.is_none() && self.random.below(pace.host) == 0;
        if starts {
            let ask = self.asker.operation(&mut self.random);
            self.bench.wide_operation(&ask);
            self.host = Some(ask);
        }
        let takes = self.random.below(pace.answers) == 0;
        self.bench.set("request_valid", self.waits.is_some().into());
        self.bench.set("host_start", starts.into());
        self.bench.set("response_ready", takes.into());
        self.bench.step();
        self.settle(takes);
    }

    fn ask(&mut self) {
        let (random, judge) = (&mut self.random, &self.judge);
        let ask = self.asker.request(random, judge, &self.handles);
        self.bench.wide_request(&ask);
        self.waits = Some(ask);
    }

    /// What happened in the clock.
    fn settle(&mut self, takes: bool) {
        if self.bench.get("request_ready") == 1 {
            if let Some(ask) = self.waits.take() {
                self.take(ask);
            }
        }
        if takes && self.bench.get("response_valid") == 1 {
            self.answer();
        }
        // Its place is behind all that was taken.
        if self.bench.get("host_done") == 1 {
            let ask = self.host.take().expect("the host asked");
            self.operate(&ask);
        }
    }

    fn take(&mut self, ask: Ask) {
        let mut reply = self.judge.reply(&ask);
        if !self.bench.has_whole_values() && ask.command == LOOKUP {
            reply.value = None;
        }
        let finds = match ask.command {
            LOOKUP => self.judge.entry(ask.key).map(|entry| (ask.key, entry)),
            _ => None,
        };
        self.forget_dead(ask.command);
        self.owed.push_back(Owed { ask, reply, finds });
    }

    /// After a change: what its key does not find any more is not accessed.
    fn forget_dead(&mut self, command: u32) {
        if ![UPDATE, DELETE].contains(&command) {
            return;
        }
        let judge = &mut self.judge;
        self.handles.retain(|handle| judge.is_alive(handle));
        for owed in &mut self.owed {
            let finds = owed.finds;
            owed.finds = finds.filter(|(key, entry)| judge.entry(*key) == Some(*entry));
        }
    }

    fn answer(&mut self) {
        let Owed { ask, reply, finds } = self.owed.pop_front().expect("somebody asked");
        let said = self.bench.wide_response(&ask, self.asker.shape.value_bytes);
        assert_eq!(said, reply, "{:?}: {ask:x?}", self.asker.shape);
        *self.answered.entry(ask.command).or_default() += 1;
        let entry = self.bench.get("response_entry") as u32;
        if (ask.command, reply.said) == (LOOKUP, Said::Missing) {
            assert_eq!(entry, 0, "{ask:x?}");
        }
        let Some((key, judged)) = finds else {
            return;
        };
        let handle = Handle { key, judged, entry };
        if !self.handles.contains(&handle) {
            let same = |other: &&Handle| other.judged == judged || other.entry == entry;
            let shape = self.asker.shape;
            let other = self.handles.iter().find(same);
            let agrees = other.is_none_or(|other| (other.judged, other.entry) == (judged, entry));
            assert!(agrees, "{shape:?}: {handle:?} and {other:?}");
            self.handles.push(handle);
        }
    }

    fn operate(&mut self, ask: &Ask) {
        let (said, key) = self
            .bench
            .wide_host_reply(ask, self.asker.shape.value_bytes);
        let shape = self.asker.shape;
        if ask.command == DUMP {
            let entries = self.judge.entries();
            let found = said.value.map(|value| (key, value));
            let fine = found.is_none_or(|found| entries.contains(&found));
            assert!(fine, "{shape:?}: dump of {}", ask.slot);
        } else {
            let reply = self.judge.reply(ask);
            let same = (said.said, said.value) == (reply.said, reply.value);
            assert!(same, "{shape:?}, host: {ask:x?}");
        }
        self.forget_dead(ask.command);
        self.operations += 1;
        let judge = &mut self.judge;
        let stale = |ask: &Ask| ask.handle.judged != u32::MAX && !judge.is_alive(&ask.handle);
        if self.waits.as_ref().is_some_and(stale) {
            self.ask();
        }
    }

    /// Lets out what is inside, and compares everything.
    fn finish(&mut self) {
        self.bench.set("host_start", 0);
        self.bench.set("response_ready", 1);
        let mut left = 20_000;
        while self.waits.is_some() || !self.owed.is_empty() || self.host.is_some() {
            self.bench.set("request_valid", self.waits.is_some().into());
            self.bench.step();
            self.settle(true);
            left -= 1;
            assert!(left > 0, "{:?}: somebody waits for ever", self.asker.shape);
        }
        self.bench.set("request_valid", 0);
        let found = dump(&mut self.bench, self.asker.shape);
        assert_eq!(found, self.judge.entries(), "{:?}", self.asker.shape);
    }
}

/// Everything that is in the map, as a dump finds it.
pub fn dump(bench: &mut Bench, shape: &Shape) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    for slot in 0..shape.config().slots() {
        let ask = Ask {
            command: DUMP,
            may: May::PUT,
            slot: slot.into(),
            key: 0,
            value: vec![0; shape.value_bytes as usize],
            handle: Handle {
                key: 0,
                judged: 0,
                entry: 0,
            },
            offset: 0,
            bytes: 1,
            word: 0,
            expected: 0,
        };
        let (reply, key) = bench.wide_operate(&ask, shape.value_bytes);
        found.extend(reply.value.map(|value| (key, value)));
    }
    found.sort_unstable();
    found
}
