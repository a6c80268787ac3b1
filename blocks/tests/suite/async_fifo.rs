//! The FIFO between two clocks, at many ratios and phases: order, room, latency, rate, resets, and that it says when it is misused.

use crate::bench::Bench;
use hardpath_blocks::async_fifo::async_fifo;
use hardpath_rtl::MemStyle;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// Two clocks: at which times they have their edges. A clock can stand still for a while.
struct Clocks {
    periods: [u64; 2],
    next: [u64; 2],
}

const NAMES: [&str; 2] = ["write_clk", "read_clk"];
const BOTH: [&str; 2] = NAMES;

impl Clocks {
    fn new(periods: [u64; 2], phase: u64) -> Clocks {
        Clocks {
            periods,
            next: [0, phase],
        }
    }

    /// Which clocks have the next edge.
    fn step(&mut self) -> [bool; 2] {
        let now = self.next[0].min(self.next[1]);
        let edges = self.next.map(|next| next == now);
        for (next, (edge, period)) in self.next.iter_mut().zip(edges.iter().zip(self.periods)) {
            *next += if *edge { period } else { 0 };
        }
        edges
    }

    /// A clock has no edges for so long.
    fn stop(&mut self, clock: usize, time: u64) {
        self.next[clock] += time;
    }
}

/// What the contract says.
struct Model {
    depth: usize,
    /// Words with the number of edges of the reading clock since they were pushed.
    stored: VecDeque<(u64, u32)>,
    /// Edges of the writing clock since each pop that made room.
    popped: VecDeque<u32>,
}

impl Model {
    fn new(depth: u32) -> Model {
        Model {
            depth: depth as usize,
            stored: VecDeque::new(),
            popped: VecDeque::new(),
        }
    }

    /// Room must be seen: even with what is popped and may be on its way.
    fn must_be_ready(&self) -> bool {
        let on_the_way = self.popped.iter().filter(|edges| **edges < 3).count();
        self.stored.len() + on_the_way < self.depth
    }

    fn must_be_valid(&self) -> bool {
        self.stored.front().is_some_and(|(_, edges)| *edges >= 4)
    }

    fn clock(&mut self, edges: [bool; 2], push: Option<u64>, pop: bool) {
        if edges[0] {
            self.popped.iter_mut().for_each(|edges| *edges += 1);
            self.popped.retain(|edges| *edges < 3);
        }
        if edges[1] {
            self.stored.iter_mut().for_each(|(_, edges)| *edges += 1);
        }
        if pop {
            self.stored.pop_front();
            self.popped.push_back(0);
        }
        self.stored.extend(push.map(|word| (word, 0)));
    }
}

/// One step. `push`, `pop`: whether the sides want to; they do at their edges, where they may. Gives what has been pushed and popped.
fn step(
    bench: &mut Bench,
    model: &mut Model,
    edges: [bool; 2],
    (push, pop): (Option<u64>, bool),
) -> (bool, bool) {
    // What the outputs are is only known after a step: one without edges looks at them.
    bench.set("push", 0);
    bench.set("pop", 0);
    bench.step_on(&[]);
    let (ready, valid) = (bench.get("ready") == 1, bench.get("valid") == 1);
    assert!(ready || !model.must_be_ready(), "there is room");
    assert!(model.stored.len() <= model.depth + 1);
    assert!(valid || !model.must_be_valid(), "a word must have come");
    if valid {
        let head = model.stored.front().expect("valid only with a word").0;
        assert_eq!(bench.get("data_out"), head);
    }
    let push = push.filter(|_| ready && edges[0]);
    let pop = pop && valid && edges[1];
    bench.set("push", push.is_some().into());
    bench.set("data_in", push.unwrap_or(0x2a));
    bench.set("pop", pop.into());
    let names = NAMES.iter().zip(edges).filter(|(_, edge)| *edge);
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    bench.step_on(&names);
    model.clock(edges, push, pop);
    (push.is_some(), pop)
}

/// 1:1, 3:2, 7:5 and the other way around, and far apart.
const PERIODS: [[u64; 2]; 8] = [
    [2, 2],
    [3, 2],
    [2, 3],
    [7, 5],
    [5, 7],
    [1, 17],
    [17, 1],
    [1000, 1001],
];

#[test]
fn words_come_out_in_order_at_every_ratio_and_phase() {
    let mut fulls = 0;
    for style in [MemStyle::Distributed, MemStyle::Block] {
        for (width, depth) in [(1, 2), (9, 4), (64, 16)] {
            let mut random = Random::new(u64::from(width * depth));
            for periods in PERIODS {
                for phase in [0, 1, periods[1] / 2] {
                    let mut bench = Bench::of(async_fifo("fifo", width, depth, style));
                    let mut model = Model::new(depth);
                    let mut clocks = Clocks::new(periods, phase);
                    for part in 0..24 {
                        // Seldom, often, always; and now and then a clock stands still.
                        let (pushes, pops) = (1 + part % 4, 1 + part / 4 % 4);
                        if part % 5 == 4 {
                            clocks.stop(random.below(2) as usize, 40 * periods[0].max(periods[1]));
                        }
                        for _ in 0..60 {
                            let edges = clocks.step();
                            let word = random.next() & u64::MAX >> (64 - width);
                            let push = (random.below(4) < pushes).then_some(word);
                            let pop = random.below(4) < pops;
                            step(&mut bench, &mut model, edges, (push, pop));
                            fulls += usize::from(model.stored.len() > depth as usize);
                        }
                    }
                }
            }
        }
    }
    assert!(fulls > 1000, "it was full {fulls} times");
}

/// Fills it while nobody reads, empties it while nobody writes, in every order of the two clocks.
#[test]
fn full_and_empty_from_each_to_the_other() {
    for order in 0..16u32 {
        let mut bench = Bench::of(async_fifo("fifo", 8, 4, MemStyle::Distributed));
        let mut model = Model::new(4);
        let mut number = 0;
        for round in 0..12 {
            // Two bits say how the round goes: are both clocks there, and which one comes first?
            let bits = order >> (round % 2 * 2);
            let (both, read_first) = (bits & 1 == 1, bits & 2 == 2);
            let mut pushed = 0;
            for turn in 0..20 {
                let first = (turn % 2 == 1) != read_first;
                let edges = if both { [true; 2] } else { [!first, first] };
                let (push, _) = step(&mut bench, &mut model, edges, (Some(number), false));
                number += u64::from(push);
                pushed += u32::from(push);
            }
            assert_eq!(
                pushed, 5,
                "{order:04b}, round {round}: four, and one in the output"
            );
            let mut popped = 0;
            for turn in 0..24 {
                let first = (turn % 2 == 1) != read_first;
                let edges = if both { [true; 2] } else { [!first, first] };
                popped += u32::from(step(&mut bench, &mut model, edges, (None, true)).1);
            }
            assert_eq!((popped, model.stored.len()), (5, 0));
        }
    }
}

#[test]
fn one_word_passes_in_each_clock_of_the_slower_side() {
    for periods in PERIODS {
        let mut bench = Bench::of(async_fifo("fifo", 16, 8, MemStyle::Block));
        let mut model = Model::new(8);
        let mut clocks = Clocks::new(periods, 1);
        let slower = usize::from(periods[1] > periods[0]);
        let (mut number, mut passed, mut slow_edges) = (0, 0, 0);
        while slow_edges < 300 {
            let edges = clocks.step();
            let (push, pop) = step(&mut bench, &mut model, edges, (Some(number), true));
            number += u64::from(push);
            slow_edges += u32::from(edges[slower]);
            passed += u32::from(pop && slow_edges > 100);
        }
        assert!(passed.abs_diff(200) <= 1, "{periods:?}: {passed} of 200");
    }
}

#[test]
fn both_resets_together_empty_it() {
    for last in [0, 1] {
        let mut bench = Bench::of(async_fifo("fifo", 8, 4, MemStyle::Distributed));
        let mut model = Model::new(4);
        for number in 0..23 {
            step(
                &mut bench,
                &mut model,
                [true; 2],
                (Some(number), number > 9),
            );
        }
        // One side begins and the other one ends first.
        let resets = ["write_rst", "read_rst"];
        bench.set("push", 0);
        bench.set("pop", 0);
        bench.set(resets[last], 1);
        bench.step_on(&[NAMES[last]]);
        bench.set(resets[1 - last], 1);
        for clocks in [&BOTH[..1], &BOTH[1..], &BOTH, &BOTH] {
            bench.step_on(clocks);
        }
        bench.set(resets[last], 0);
        bench.step_on(&[NAMES[last]]);
        bench.set(resets[1 - last], 0);
        let mut fresh = Model::new(4);
        for number in 100..140 {
            let pop = number % 3 == 0;
            step(&mut bench, &mut fresh, [true; 2], (Some(number), pop));
        }
    }
}

#[test]
fn misuse_is_noticed() {
    let fifo = || Bench::of(async_fifo("fifo", 4, 2, MemStyle::Distributed));
    let mut bench = fifo();
    bench.set("pop", 1);
    bench.step_on(&["write_clk"]);
    let error = bench.try_step_on(&["read_clk"]).unwrap_err();
    assert!(error.to_string().contains("no_underflow"), "{error}");
    let mut bench = fifo();
    bench.set("push", 1);
    bench.step_on(&["write_clk"]);
    bench.step_on(&["write_clk"]);
    let error = bench.try_step_on(&["write_clk"]).unwrap_err();
    assert!(error.to_string().contains("no_overflow"), "{error}");
}
