//! The replay FIFO: order, words that come again, when nothing is in between, its latency, and that it says when it is
//! misused.

use crate::bench::Bench;
use hardpath_blocks::replay_fifo::replay_fifo;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// What one clock asks for.
#[derive(Clone, Copy, Default)]
struct Asks {
    push: Option<u64>,
    pop: bool,
    retire: bool,
    rewind: bool,
}

/// What the contract says. A word is on the output from two clocks after its push and after the last rewind on.
#[derive(Default)]
struct Model {
    /// With the clock of the push; the oldest that is not retired in front.
    words: VecDeque<(u64, u64)>,
    /// So many of them were popped.
    popped: usize,
    clock: u64,
    shows_from: u64,
}

impl Model {
    fn head(&self) -> Option<u64> {
        let (pushed, word) = *self.words.get(self.popped)?;
        (self.clock >= self.shows_from && self.clock >= pushed + 2).then_some(word)
    }

    fn step(&mut self, bench: &mut Bench, asks: Asks) {
        bench.set("push", asks.push.is_some().into());
        bench.set("data_in", asks.push.unwrap_or(0x55));
        bench.set("pop", asks.pop.into());
        bench.set("retire", asks.retire.into());
        bench.set("rewind", asks.rewind.into());
        bench.step();
        let head = self.head();
        assert_eq!(bench.get("valid") == 1, head.is_some(), "{}", self.clock);
        if let Some(head) = head {
            assert_eq!(bench.get("data_out"), head, "clock {}", self.clock);
        }
        assert_eq!(bench.get("idle") == 1, self.popped == 0, "{}", self.clock);
        self.popped += usize::from(asks.pop);
        if asks.retire {
            self.words.pop_front();
            self.popped -= 1;
        }
        if asks.rewind {
            self.popped = 0;
            self.shows_from = self.clock + 2;
        }
        self.words.extend(asks.push.map(|word| (self.clock, word)));
        self.clock += 1;
    }
}

#[test]
fn random_pushes_pops_and_rewinds() {
    for depth in [2, 4, 8, 16, 32, 64] {
        for width in [1, 9, 64] {
            let mut bench = Bench::of(replay_fifo("words", width, depth));
            let mut model = Model::default();
            let mut random = Random::new(u64::from(depth * width));
            let (mut came_again, mut was_full) = (0, 0);
            for phase in 0..128 {
                // Seldom, often, always.
                let (pushes, pops) = (1 + phase % 4, 1 + phase / 4 % 4);
                let (retires, rewinds) = (1 + phase / 16 % 4, phase / 64);
                for _ in 0..80 {
                    let room = model.words.len() < depth as usize;
                    was_full += u32::from(!room);
                    let mask = u64::MAX >> (64 - width);
                    let push = (room && random.below(4) < pushes).then(|| random.next() & mask);
                    let rewind = random.below(24) < rewinds;
                    if rewind {
                        came_again += model.popped;
                    }
                    model.step(
                        &mut bench,
                        Asks {
                            push,
                            pop: !rewind && model.head().is_some() && random.below(4) < pops,
                            retire: !rewind && model.popped > 0 && random.below(4) < retires,
                            rewind,
                        },
                    );
                }
            }
            assert!(came_again > 100, "depth {depth}: {came_again}");
            assert!(was_full > 200, "depth {depth}: {was_full}");
        }
    }
}

/// As a window uses it: a word is retired some clocks after its pop, and nothing waits.
#[test]
fn one_word_a_clock_passes() {
    for clocks_inside in [1, 3, 6] {
        let mut bench = Bench::of(replay_fifo("words", 32, 16));
        let mut model = Model::default();
        let mut popped = 0;
        for clock in 0..200 {
            let pop = clock >= 2;
            let retire = popped >= clocks_inside;
            let push = Some(clock);
            model.step(
                &mut bench,
                Asks {
                    push,
                    pop,
                    retire,
                    rewind: false,
                },
            );
            popped += u64::from(pop);
        }
        assert_eq!(popped, 198);
    }
}

/// The same words as often as they are asked for, also when the FIFO is full of them.
#[test]
fn a_full_fifo_comes_again() {
    for depth in [2, 8, 64] {
        let mut bench = Bench::of(replay_fifo("words", 16, depth));
        let mut model = Model::default();
        let step = |bench: &mut Bench, model: &mut Model, asks| model.step(bench, asks);
        for word in 0..u64::from(depth) {
            let push = Some(word + 100);
            let asks = Asks {
                push,
                ..Asks::default()
            };
            step(&mut bench, &mut model, asks);
        }
        step(&mut bench, &mut model, Asks::default());
        for _ in 0..3 {
            for word in 0..u64::from(depth) {
                assert_eq!(model.head(), Some(word + 100));
                let pop = Asks {
                    pop: true,
                    ..Asks::default()
                };
                step(&mut bench, &mut model, pop);
            }
            let rewind = Asks {
                rewind: true,
                ..Asks::default()
            };
            step(&mut bench, &mut model, rewind);
            step(&mut bench, &mut model, Asks::default());
        }
    }
}

#[test]
fn misuse_is_noticed() {
    let mut bench = Bench::of(replay_fifo("words", 4, 2));
    bench.set("pop", 1);
    assert!(bench.step_fails().contains("no_underflow"));
    // A word that was popped and not retired still takes its place.
    let mut bench = Bench::of(replay_fifo("words", 4, 2));
    bench.set("push", 1);
    bench.step();
    bench.step();
    bench.set("push", 0);
    bench.set("pop", 1);
    bench.step();
    bench.set("pop", 0);
    bench.set("push", 1);
    assert!(bench.step_fails().contains("no_overflow"));
    let mut bench = Bench::of(replay_fifo("words", 4, 2));
    bench.set("retire", 1);
    assert!(bench.step_fails().contains("retires_popped"));
    for other in ["pop", "retire"] {
        let mut bench = Bench::of(replay_fifo("words", 4, 4));
        bench.set("push", 1);
        bench.step();
        bench.step();
        bench.set("pop", 1);
        bench.step();
        bench.set("pop", 0);
        bench.set(other, 1);
        bench.set("rewind", 1);
        assert!(bench.step_fails().contains("rewinds_alone"));
    }
}
