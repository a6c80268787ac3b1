//! What all engines get: in each step the inputs, and which clocks have an edge.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

pub const STEPS: usize = 12_000;

/// Inputs with their widths, in the order of [`Step::inputs`].
pub const INPUTS: [(&str, u32); 5] = [
    ("rst", 1),
    ("far_rst", 1),
    ("push", 1),
    ("data_in", crate::design::WORD),
    ("pop", 1),
];

pub struct Step {
    /// Of `clk` and `far_clk`.
    pub edges: [bool; 2],
    pub reset: bool,
    pub far_reset: bool,
    pub push: bool,
    pub data: u64,
    pub pop: bool,
}

impl Step {
    /// The values of [`INPUTS`].
    pub fn inputs(&self) -> [u64; 5] {
        [
            self.reset.into(),
            self.far_reset.into(),
            self.push.into(),
            self.data,
            self.pop.into(),
        ]
    }
}

/// Periods of both clocks, one pair after the other; between them one of the clocks stands still.
const PERIODS: [[u64; 2]; 6] = [[2, 2], [3, 2], [2, 3], [7, 5], [5, 7], [1, 11]];

/// Steps in which the words come and go in bursts. In the middle of each pair of periods both sides are reset.
pub fn steps() -> Vec<Step> {
    let mut random = Pcg64::seed_from_u64(18);
    let mut steps = Vec::new();
    let part = STEPS / PERIODS.len();
    let mut next = [0, 1];
    for number in 0..STEPS {
        let periods = PERIODS[number / part];
        let now: u64 = next[0].min(next[1]);
        let edges = next.map(|next| next == now);
        for (next, (edge, period)) in next.iter_mut().zip(edges.iter().zip(periods)) {
            *next += if *edge { period } else { 0 };
        }
        let within = number % part;
        if within == part / 4 {
            next[usize::from(number / part % 2 == 1)] += 100;
        }
        // One side begins, the other one ends: in between are edges enough of both.
        let at = |from: usize, to: usize| (part / 2 + from..part / 2 + to).contains(&within);
        let (reset, far_reset) = (at(0, 80), at(7, 71));
        let is_quiet = at(0, 84);
        // Seldom, often, always.
        let share = |place: usize| 0.2 + 0.3 * (within / 97 % place % 4) as f64;
        let push = random.random_bool(f64::min(share(4), 1.0));
        let pop = random.random_bool(f64::min(share(7), 1.0));
        steps.push(Step {
            edges,
            reset,
            far_reset,
            push: push && !is_quiet,
            data: random.random::<u64>() & crate::design::MASK,
            pop: pop && !is_quiet,
        });
    }
    steps
}
