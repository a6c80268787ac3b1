//! Random requests and operations of the host, however they come and wait, beside the judge: every answer, in order, and in the
//! end everything that is in the map.

use crate::bench::Bench;
use crate::kinds::{Answer, Asked, Judge, Shape};
use hardpath_blocks::interface::command::DUMP;
use hardpath_ir::Answer as Said;
use hardpath_testkit::Random;
use std::collections::{BTreeSet, VecDeque};

/// How requests come and answers go: one clock in so many.
pub struct Pace {
    pub requests: u64,
    pub answers: u64,
    pub host: u64,
    /// Of a hundred requests so many are updates or deletes.
    pub changes: u64,
    pub clocks: u32,
}

struct Course<'a> {
    shape: &'a Shape,
    bench: Bench,
    judge: Judge,
    random: Random,
    keys: u64,
    /// The request that waits to be taken.
    waits: Option<Asked>,
    /// What was taken and must be answered.
    owed: VecDeque<(Asked, Answer)>,
    host: Option<Asked>,
    answered: u32,
    operations: u32,
    met: BTreeSet<Said>,
}

/// `keys`: so many different ones are asked for. Gives what requests were answered: 0, and all errors.
pub fn torture(shape: &Shape, seed: u64, keys: u64, pace: &Pace) -> BTreeSet<Said> {
    let bench = Bench::new(&shape.config());
    torture_in(bench, shape, seed, keys, pace).1
}

/// The same in a bench whose map is empty, which is given back.
pub fn torture_in(
    mut bench: Bench,
    shape: &Shape,
    seed: u64,
    keys: u64,
    pace: &Pace,
) -> (Bench, BTreeSet<Said>) {
    if shape.room.is_some() {
        bench.set("key_bytes", shape.key_bytes.into());
        bench.set("most", shape.max_entries.into());
    }
    let mut course = Course {
        shape,
        bench,
        judge: Judge::new(shape),
        random: Random::new(seed),
        keys,
        waits: None,
        owed: VecDeque::new(),
        host: None,
        answered: 0,
        operations: 0,
        met: BTreeSet::new(),
    };
    for _ in 0..pace.clocks {
        course.clock(pace);
    }
    course.finish();
    let (answered, operations) = (course.answered, course.operations);
    assert!(answered > 300, "{shape:?}: {answered} answers");
    assert!(operations > 5, "{shape:?}: {operations} of the host");
    (course.bench, course.met)
}

impl Course<'_> {
    fn clock(&mut self, pace: &Pace) {
        if self.waits.is_none() && self.random.below(pace.requests) == 0 {
            let asked = (self.shape).request(&mut self.random, self.keys, pace.changes);
            self.waits = Some(asked);
            self.bench.request(&asked);
        }
        let starts = self.host.is_none() && self.random.below(pace.host) == 0;
        if starts {
            let asked = self.shape.operation(&mut self.random, self.keys);
            self.host = Some(asked);
            self.bench.operation(&asked);
        }
        let takes = self.random.below(pace.answers) == 0;
        self.bench.set("request_valid", self.waits.is_some().into());
        self.bench.set("host_start", starts.into());
        self.bench.set("response_ready", takes.into());
        self.bench.step();
        self.settle(takes);
    }

    /// What happened in the clock.
    fn settle(&mut self, takes: bool) {
        if self.bench.get("request_ready") == 1 {
            if let Some(asked) = self.waits.take() {
                let answer = self.judge.answer(&asked);
                self.owed.push_back((asked, answer));
            }
        }
        if takes && self.bench.get("response_valid") == 1 {
            let (asked, answer) = self.owed.pop_front().expect("somebody asked");
            let said = self.bench.response(&asked);
            assert_eq!(said, answer, "{:?}: {asked:x?}", self.shape);
            self.answered += 1;
            self.met.insert(said.said);
        }
        // Its place is behind all that was taken.
        if self.bench.get("host_done") == 1 {
            let asked = self.host.take().expect("the host asked");
            let (said, key) = self.bench.host_answer(&asked);
            let shape = self.shape;
            if asked.command == DUMP {
                let fine = self.judge.allows(asked.slot, key, &said);
                assert!(fine, "{shape:?}: dump of {}: {said:x?}", asked.slot);
            } else {
                let answer = self.judge.answer(&asked);
                assert_eq!(said, answer, "{shape:?}, host: {asked:x?}");
            }
            self.operations += 1;
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
            assert!(left > 0, "{:?}: somebody waits for ever", self.shape);
        }
        self.bench.set("request_valid", 0);
        let found = self.bench.dump(self.shape.config().slots());
        assert_eq!(found, self.judge.entries(), "{:?}", self.shape);
    }
}
