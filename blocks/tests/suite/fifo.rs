//! The FIFO: order, depth, one word a clock, its latency, and that it says when it is misused.

use crate::bench::Bench;
use hardpath_blocks::fifo::fifo;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// What the contract says: a word pushed in clock t can be popped from clock t + 2 on.
#[derive(Default)]
struct Model {
    stored: VecDeque<u64>,
    head: Option<u64>,
}

impl Model {
    fn clock(&mut self, push: Option<u64>, pop: bool) {
        if pop {
            self.head = None;
        }
        if self.head.is_none() {
            self.head = self.stored.pop_front();
        }
        self.stored.extend(push);
    }
}

fn step(bench: &mut Bench, model: &mut Model, push: Option<u64>, pop: bool) {
    bench.set("push", push.is_some().into());
    bench.set("data_in", push.unwrap_or(0x55));
    bench.set("pop", pop.into());
    bench.step();
    assert_eq!(bench.get("valid") == 1, model.head.is_some());
    if let Some(head) = model.head {
        assert_eq!(bench.get("data_out"), head);
    }
    model.clock(push, pop);
}

#[test]
fn random_pushes_and_pops() {
    for depth in [2, 4, 32] {
        for width in [1, 9, 64] {
            let mut bench = Bench::of(fifo("words", width, depth));
            let mut model = Model::default();
            let mut random = Random::new(u64::from(depth * width));
            for phase in 0..60 {
                // Seldom, often, always.
                let (pushes, pops) = (1 + phase % 4, 1 + phase / 4 % 4);
                for _ in 0..50 {
                    let room = model.stored.len() < depth as usize;
                    let mask = u64::MAX >> (64 - width);
                    let push = (room && random.below(4) < pushes).then(|| random.next() & mask);
                    let pop = model.head.is_some() && random.below(4) < pops;
                    step(&mut bench, &mut model, push, pop);
                }
            }
        }
    }
}

#[test]
fn holds_its_depth_and_passes_one_word_a_clock() {
    let mut bench = Bench::of(fifo("words", 16, 8));
    let mut model = Model::default();
    // The head is a register of its own: depth + 1 words fit.
    for word in 0..9 {
        step(&mut bench, &mut model, Some(word), false);
    }
    assert_eq!(model.stored.len(), 8);
    // One out, then one in and one out at every clock.
    step(&mut bench, &mut model, None, true);
    for word in 0..100 {
        step(&mut bench, &mut model, Some(word), true);
    }
    while model.head.is_some() {
        step(&mut bench, &mut model, None, true);
    }
    bench.reset(1);
    let mut fresh = Model::default();
    step(&mut bench, &mut fresh, Some(7), false);
    step(&mut bench, &mut fresh, None, false);
    step(&mut bench, &mut fresh, None, true);
    step(&mut bench, &mut fresh, None, false);
}

#[test]
fn misuse_is_noticed() {
    let mut bench = Bench::of(fifo("words", 4, 2));
    bench.set("pop", 1);
    assert!(bench.step_fails().contains("no_underflow"));
    let mut bench = Bench::of(fifo("words", 4, 2));
    bench.set("push", 1);
    for _ in 0..3 {
        bench.step();
    }
    assert!(bench.step_fails().contains("no_overflow"));
}
