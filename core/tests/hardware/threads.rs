//! Threads: packets with random programs beside a model that knows where each of them is.

use crate::bench::Bench;
use hardpath_core::hardware::threads::{threads, Threads};
use hardpath_testkit::Random;
use std::collections::VecDeque;

const CLOCKS: u64 = 20_000;
const FIRST_ROW: u64 = 5;
const ROW_BITS: u32 = 8;

/// A packet in its thread.
#[derive(Clone)]
struct Packet {
    /// Its next row; `None`: it is over.
    next: Option<u64>,
    /// It has had no row.
    fresh: bool,
    /// The clock from which on it can be chosen; `None`: a row is under way, or it waits.
    ready: Option<u64>,
    waits: bool,
    /// It waits, and is over then.
    last: bool,
    /// What it has read is not so any more.
    stale: bool,
    rows: u64,
    /// The clock from which on it can leave.
    over: Option<u64>,
}

/// A row under way.
struct Row {
    decided_at: u64,
    thread: usize,
    brought: bool,
}

struct Model {
    config: Threads,
    threads: Vec<Option<Packet>>,
    oldest: usize,
    youngest: usize,
    under_way: VecDeque<Row>,
    /// Clocks from which on a thread becomes ready, or done, once nothing is held.
    coming: Vec<(u64, usize, bool)>,
    /// The thread that is picked.
    picked: Option<usize>,
    turn: usize,
    /// What `fetched` must be in the next clock.
    fetched: Option<u64>,
    left: u64,
}

impl Model {
    fn inside(&self) -> usize {
        self.threads.iter().flatten().count()
    }

    /// The row that is decided in this clock becomes what chance wants; gives what the ports take: goes, row, ends, waits.
    fn decide(&mut self, random: &mut Random, clock: u64) -> [u64; 4] {
        let due = self
            .under_way
            .front()
            .is_some_and(|row| row.decided_at == clock);
        let Some(row) = due.then(|| self.under_way.pop_front()).flatten() else {
            return [random.below(2), random.below(200), 0, 0];
        };
        let packet = self.threads[row.thread].as_mut().expect("it has a packet");
        let due = clock + u64::from(self.config.ready_after);
        if row.brought {
            self.coming.push((due, row.thread, packet.last));
            packet.last = false;
            return [
                random.below(2),
                random.below(200),
                random.below(2),
                random.below(2),
            ];
        }
        let goes = random.below(3) == 0;
        let ends = packet.rows > random.below(8);
        let waits = random.below(4) == 0;
        let target = random.below(200);
        let at = packet.next.expect("it goes on");
        packet.next = (!ends).then_some(if goes {
            target
        } else {
            (at + 1) % (1 << ROW_BITS)
        });
        packet.waits = waits;
        packet.last = ends && waits;
        if !waits {
            self.coming.push((due, row.thread, ends));
        }
        [goes.into(), target, ends.into(), waits.into()]
    }

    /// An answer comes for a thread that waits.
    fn answer(&mut self, thread: usize, clock: u64) {
        let packet = self.threads[thread].as_mut().expect("it has a packet");
        packet.waits = false;
        self.coming.push((clock, thread, packet.last));
        packet.last = false;
    }

    /// A bit for each of some threads, none of which is the oldest.
    fn some_are_stale(&self, random: &mut Random) -> u64 {
        let all = 0..self.threads.len();
        let younger =
            all.filter(|thread| *thread != self.oldest && self.threads[*thread].is_some());
        younger.map(|thread| random.below(2) << thread).sum()
    }

    /// The first thread from the turn on that is ready, and does not begin again.
    fn pick(&mut self, clock: u64) {
        let count = self.threads.len();
        let mut in_turn = (0..count).map(|place| (self.turn + place) % count);
        self.picked = in_turn.find(|thread| {
            let packet = self.threads[*thread].as_ref();
            packet.is_some_and(|packet| {
                !packet.stale && packet.ready.is_some_and(|ready| ready <= clock)
            })
        });
        if let Some(thread) = self.picked {
            let packet = self.threads[thread].as_mut().expect("it has a packet");
            packet.ready = None;
            self.turn = (thread + 1) % count;
        }
    }

    /// Packets that begin again: stale ones that are ready or over, or become it in this clock.
    fn restart(&mut self, clock: u64) -> u64 {
        let mut restarts = 0;
        for (thread, packet) in self.threads.iter_mut().enumerate() {
            let Some(packet) = packet.as_mut().filter(|packet| packet.stale) else {
                continue;
            };
            let here = |at: Option<u64>| at.is_some_and(|at| at <= clock + 1);
            if here(packet.ready) || here(packet.over) {
                restarts |= 1 << thread;
                packet.next = Some(FIRST_ROW);
                packet.fresh = true;
                packet.stale = false;
                packet.over = None;
                packet.ready = Some(clock + 1);
            }
        }
        restarts
    }

    fn mark(&mut self, stale: u64) {
        for (thread, packet) in self.threads.iter_mut().enumerate() {
            if let Some(packet) = packet.as_mut().filter(|_| stale >> thread & 1 == 1) {
                packet.stale = true;
            }
        }
    }

    /// What is not held in this clock.
    fn come(&mut self, clock: u64) {
        let coming = std::mem::take(&mut self.coming);
        for (due, thread, ends) in coming {
            let packet = self.threads[thread].as_mut().expect("it has a packet");
            match ends {
                _ if due > clock => self.coming.push((due, thread, ends)),
                true => packet.over = Some(clock + 1 + u64::from(self.config.done_after)),
                false => packet.ready = Some(clock + 1),
            }
        }
    }
}

fn check(config: Threads, seed: u64) {
    let mut bench = Bench::of(threads("threads", &config));
    let mut random = Random::new(seed);
    let count = usize::from(config.threads);
    let mut model = Model {
        threads: vec![None; count],
        config: config.clone(),
        oldest: 0,
        youngest: 0,
        under_way: VecDeque::new(),
        coming: Vec::new(),
        picked: None,
        turn: 0,
        fetched: None,
        left: 0,
    };
    let (mut most_inside, mut idle, mut rows) = (0, 0, 0);
    for clock in 0..CLOCKS {
        let arrives = random.below(4) > 0;
        let waiting: Vec<usize> = (0..count)
            .filter(|thread| {
                model.threads[*thread]
                    .as_ref()
                    .is_some_and(|packet| packet.waits && packet.ready.is_none())
            })
            .collect();
        let brings = !waiting.is_empty() && random.below(3) == 0;
        let bring = if brings { *random.pick(&waiting) } else { 0 };
        let others: Vec<usize> = waiting
            .iter()
            .copied()
            .filter(|thread| !brings || *thread != bring)
            .collect();
        let answers = !others.is_empty() && random.below(3) == 0;
        let answered = if answers { *random.pick(&others) } else { 0 };
        if answers {
            model.answer(answered, clock);
        }
        let gap = random.below(8) == 0;
        let leaves = random.below(3) > 0;
        let [goes, row, ends, waits] = model.decide(&mut random, clock);
        let held = clock / 64 % 4 == 0 && random.below(8) > 0;
        if !held {
            model.come(clock);
        }
        let stale = match random.below(40) {
            0 => model.some_are_stale(&mut random),
            _ => 0,
        };
        for (port, value) in [
            ("packet_valid", arrives.into()),
            ("first_row", FIRST_ROW),
            ("brought_valid", brings.into()),
            ("brought_thread", bring as u64),
            ("answered", answers.into()),
            ("answered_thread", answered as u64),
            ("gap", gap.into()),
            ("goes", goes),
            ("row", row),
            ("ends", ends),
            ("waits", waits),
            ("leave_ready", leaves.into()),
            ("held", held.into()),
            ("stale", stale),
        ] {
            bench.set(port, value);
        }
        bench.step();
        if let Some(row) = model.fetched.take() {
            assert_eq!(bench.get("fetched"), row, "clock {clock}");
        }
        let is_full = model.inside() == count;
        assert_eq!(bench.get("packets"), model.inside() as u64, "clock {clock}");
        assert_eq!(bench.get("packet_ready"), u64::from(arrives && !is_full));
        let oldest = model.threads[model.oldest].as_ref();
        let done = oldest
            .is_some_and(|packet| !packet.stale && packet.over.is_some_and(|over| over <= clock));
        assert_eq!(bench.get("leave_valid"), u64::from(done), "clock {clock}");
        let chosen = bench.get("chosen") == 1;
        let begins = model.picked.filter(|_| !brings && !gap);
        assert_eq!(chosen, brings || begins.is_some(), "clock {clock}");
        assert_eq!(bench.get("brought_ready"), u64::from(brings));
        idle += u64::from(!chosen && model.inside() == count);
        if chosen {
            let thread = bench.get("thread") as usize;
            assert_eq!(Some(thread), begins.or(Some(bring)), "clock {clock}");
            let packet = model.threads[thread].as_mut().expect("it has a packet");
            if !brings {
                assert_eq!(
                    bench.get("starts"),
                    u64::from(packet.fresh),
                    "clock {clock}"
                );
                model.fetched = packet.next;
                packet.fresh = false;
                packet.rows += 1;
                rows += 1;
            }
            packet.waits = false;
            model.under_way.push_back(Row {
                decided_at: clock + u64::from(config.decided_after),
                thread,
                brought: brings,
            });
        }
        if model.picked.is_none() || begins.is_some() {
            model.pick(clock);
        }
        let restarts = model.restart(clock);
        assert_eq!(bench.get("restarts"), restarts, "clock {clock}");
        model.mark(stale);
        if done && leaves {
            model.threads[model.oldest] = None;
            model.oldest = (model.oldest + 1) % count;
            model.left += 1;
        }
        if arrives && !is_full {
            model.threads[model.youngest] = Some(Packet {
                next: Some(FIRST_ROW),
                fresh: true,
                ready: Some(clock + 1),
                waits: false,
                last: false,
                stale: false,
                rows: 0,
                over: None,
            });
            model.youngest = (model.youngest + 1) % count;
        }
        most_inside = most_inside.max(model.inside());
    }
    assert_eq!(most_inside, count);
    assert!(
        model.left > 100 && rows > 1000 && idle < CLOCKS,
        "{} {rows} {idle}",
        model.left
    );
}

#[test]
fn packets_go_through_their_threads_in_order() {
    for (threads, decided_after, ready_after, done_after) in
        [(2, 3, 0, 0), (4, 6, 2, 3), (16, 14, 2, 8), (32, 9, 5, 1)]
    {
        let config = Threads {
            threads,
            row_bits: ROW_BITS,
            decided_after,
            ready_after,
            done_after,
        };
        check(config, threads.into());
    }
}
