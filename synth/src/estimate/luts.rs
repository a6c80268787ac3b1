//! How many LUTs a network of gates takes.
//!
//! This is how tools map: a *cut* of a gate is a set of at most six signals that decide it, so one LUT can stand for all
//! gates between (S. Chatterjee, A. Mishchenko et al., "Reducing structural bias in technology mapping", 2005; "priority
//! cuts", 2007). Cuts of a gate are joined from those of its inputs, and the few best are kept.
//!
//! 1. The cuts by which each gate is there the soonest give the depth of the network.
//! 2. Gates that have time take the cut with the least *flow*: LUTs, each divided by how many use it.
//! 3. Then the cut that adds the fewest LUTs to those that are there, counted by taking it out and in again.
//!
//! As in yosys' `abc -luts 2:2,3,6:5` a LUT of two inputs costs 2, of three 3, of more 5.

use super::graph::{Graph, Signal};

/// Inputs of a LUT. Those of seven to nine inputs are several of the device: designs are measured without them, too (`-nowidelut`).
const INPUTS: usize = 6;
/// Levels by which tools miss the least depth, as seen on whole designs: so much deeper, and smaller, may the network be.
const SPARE_DEPTH: u16 = 1;
/// Cuts that are kept of a gate.
const KEPT: usize = 8;
/// What a LUT of so many inputs costs.
const COST: [u32; INPUTS + 1] = [0, 2, 2, 3, 5, 5, 5];

/// LUTs for the roots, which are what registers, memories and outputs take.
pub fn count(graph: &Graph, roots: &[Signal]) -> u64 {
    let mut mapper = Mapper::new(graph, roots);
    mapper.pass(Goal::Depth);
    mapper.cover();
    for goal in [Goal::Flow, Goal::Area] {
        mapper.pass(goal);
        mapper.cover();
    }
    mapper.luts() + inverters(graph, roots)
}

/// A LUT gives a signal or its negation; whoever wants both, or the negation of what is no gate, takes one more.
fn inverters(graph: &Graph, roots: &[Signal]) -> u64 {
    let mut sorted = roots.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let is_gate = |signal: &Signal| graph.gates[signal.gate()].is_some();
    let negated = sorted.iter().enumerate().filter(|(place, signal)| {
        let has_both = *place > 0 && sorted[place - 1] == signal.not();
        signal.is_negated() && !signal.is_constant() && (has_both || !is_gate(signal))
    });
    negated.count() as u64
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Depth,
    Flow,
    Area,
}

#[derive(Clone, Copy)]
struct Cut {
    /// In ascending order.
    inputs: [u32; INPUTS],
    count: u8,
    /// LUTs on the longest way to an input.
    depth: u16,
    /// A bit for each input's number modulo 64: cuts that have few bits in common cannot be joined.
    bits: u64,
    /// Of all inputs.
    flow: f32,
}

impl Cut {
    fn of(gate: u32) -> Cut {
        let mut inputs = [0; INPUTS];
        inputs[0] = gate;
        Cut {
            inputs,
            count: 1,
            depth: 0,
            bits: 1 << (gate % 64),
            flow: 0.0,
        }
    }

    fn inputs(&self) -> &[u32] {
        &self.inputs[..usize::from(self.count)]
    }

    /// Both together, if a LUT has so many inputs.
    fn joined(&self, other: &Cut) -> Option<Cut> {
        let bits = self.bits | other.bits;
        if bits.count_ones() as usize > INPUTS {
            return None;
        }
        let (a, b) = (self.inputs(), other.inputs());
        let mut inputs = [0; INPUTS];
        let (mut i, mut j, mut count) = (0, 0, 0);
        while i < a.len() || j < b.len() {
            if count == INPUTS {
                return None;
            }
            let next = match (a.get(i), b.get(j)) {
                (Some(a), Some(b)) => *a.min(b),
                (Some(one), None) | (None, Some(one)) => *one,
                (None, None) => break,
            };
            i += usize::from(a.get(i) == Some(&next));
            j += usize::from(b.get(j) == Some(&next));
            inputs[count] = next;
            count += 1;
        }
        Some(Cut {
            inputs,
            count: count as u8,
            bits,
            depth: self.depth.max(other.depth),
            flow: self.flow + other.flow,
        })
    }

    /// What is better has less of it.
    fn rank(&self, goal: Goal) -> u64 {
        rank(goal, self.depth, self.flow, self.count)
    }

    fn is_within(&self, other: &Cut) -> bool {
        self.bits & !other.bits == 0
            && self.count <= other.count
            && self.inputs().iter().all(|one| other.inputs().contains(one))
    }
}

fn rank(goal: Goal, depth: u16, flow: f32, count: u8) -> u64 {
    let (depth, count) = (u64::from(depth), u64::from(count));
    let flow = flow + COST[count as usize] as f32;
    // Of numbers that are not negative the bits are in the order of the numbers.
    let flow = u64::from(flow.to_bits());
    match goal {
        Goal::Depth => depth << 40 | flow << 8 | count,
        Goal::Flow | Goal::Area => flow << 24 | depth << 8 | count,
    }
}

/// Adds a cut to the few best, in their order, unless it is no better than one of them in every way.
fn insert(cuts: &mut Vec<Cut>, cut: Cut, goal: Goal) {
    let rank = cut.rank(goal);
    let place = cuts
        .iter()
        .take_while(|known| known.rank(goal) <= rank)
        .count();
    if place == KEPT || cuts[..place].iter().any(|known| known.is_within(&cut)) {
        return;
    }
    let mut number = 0;
    cuts.retain(|known| {
        number += 1;
        number <= place || !cut.is_within(known)
    });
    cuts.insert(place, cut);
    cuts.truncate(KEPT);
}

const NEVER: u16 = u16::MAX;

struct Mapper<'a> {
    graph: &'a Graph,
    /// The gates that the roots need, callees first.
    live: Vec<u32>,
    /// Gates among the roots.
    roots: Vec<u32>,
    /// How many gates or roots use a gate.
    fanout: Vec<u32>,
    /// By gate: the cut that its LUT has.
    best: Vec<Cut>,
    flow: Vec<f32>,
    depth: Vec<u16>,
    required: Vec<u16>,
    /// How many LUTs and roots use the LUT of a gate; 0: there is none.
    uses: Vec<u32>,
}

impl Mapper<'_> {
    fn new<'a>(graph: &'a Graph, roots: &[Signal]) -> Mapper<'a> {
        let count = graph.gates.len();
        let mut fanout = vec![0; count];
        let is_gate = |gate: usize| graph.gates[gate].is_some();
        let mut roots: Vec<u32> = roots.iter().map(|root| root.gate() as u32).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.retain(|root| is_gate(*root as usize));
        for root in &roots {
            fanout[*root as usize] += 1;
        }
        // Inputs were made before what they go into.
        for gate in (0..count).rev() {
            if let (Some(inputs), true) = (graph.gates[gate], fanout[gate] > 0) {
                inputs.iter().for_each(|input| fanout[input.gate()] += 1);
            }
        }
        let live = (0..count).filter(|gate| fanout[*gate] > 0 && is_gate(*gate));
        Mapper {
            graph,
            live: live.map(|gate| gate as u32).collect(),
            roots,
            best: vec![Cut::of(0); count],
            flow: vec![0.0; count],
            depth: vec![0; count],
            required: vec![NEVER; count],
            uses: fanout.clone(),
            fanout,
        }
    }

    /// Chooses a cut for every gate.
    fn pass(&mut self, goal: Goal) {
        let mut sets: Vec<Vec<Cut>> = vec![Vec::new(); self.graph.gates.len()];
        let mut waiting = self.fanout.clone();
        for place in 0..self.live.len() {
            let gate = self.live[place] as usize;
            let inputs = self.graph.gates[gate].expect("a gate").map(Signal::gate);
            for input in inputs {
                if sets[input].is_empty() {
                    sets[input].push(self.alone(input as u32));
                }
            }
            let required = match goal {
                Goal::Depth => NEVER,
                Goal::Flow | Goal::Area => self.required[gate],
            };
            let mut cuts = self.joined(&sets[inputs[0]], &sets[inputs[1]], goal, required);
            for input in inputs {
                waiting[input] -= 1;
                if waiting[input] == 0 {
                    sets[input] = Vec::new();
                }
            }
            self.choose(gate, &mut cuts, goal);
            cuts.push(self.alone(gate as u32));
            sets[gate] = cuts;
        }
    }

    /// The cut that is the signal itself.
    fn alone(&self, gate: u32) -> Cut {
        Cut {
            depth: self.depth[gate as usize],
            flow: self.flow[gate as usize],
            ..Cut::of(gate)
        }
    }

    /// The few best cuts of a gate with such inputs, of those that are in time. The best one is the first.
    fn joined(&self, first: &[Cut], second: &[Cut], goal: Goal, required: u16) -> Vec<Cut> {
        let mut cuts: Vec<Cut> = Vec::with_capacity(KEPT + 1);
        for a in first {
            for b in second {
                let depth = a.depth.max(b.depth);
                // Together they are no better than each of them.
                let least = rank(goal, depth, a.flow.max(b.flow), a.count.max(b.count));
                let is_worse = |worst: &Cut| worst.rank(goal) <= least;
                if depth >= required || cuts.get(KEPT - 1).is_some_and(is_worse) {
                    continue;
                }
                let Some(mut cut) = a.joined(b) else { continue };
                if a.bits & b.bits != 0 {
                    self.weigh(&mut cut);
                }
                insert(&mut cuts, cut, goal);
            }
        }
        cuts
    }

    /// Sets depth and flow.
    fn weigh(&self, cut: &mut Cut) {
        let (mut depth, mut flow) = (0, 0.0);
        for input in cut.inputs() {
            flow += self.flow[*input as usize];
            depth = depth.max(self.depth[*input as usize]);
        }
        (cut.depth, cut.flow) = (depth, flow);
    }

    /// Takes the best of the cuts for the gate.
    fn choose(&mut self, gate: usize, cuts: &mut Vec<Cut>, goal: Goal) {
        if goal != Goal::Depth {
            // What was taken before is in time still.
            let mut before = self.best[gate];
            self.weigh(&mut before);
            insert(cuts, before, goal);
            if cuts.is_empty() {
                cuts.push(before);
            }
        }
        let best = match goal {
            Goal::Area if self.uses[gate] > 0 => self.smallest(gate, cuts),
            _ => cuts[0],
        };
        self.best[gate] = best;
        self.depth[gate] = best.depth + 1;
        let flow = best.flow + COST[usize::from(best.count)] as f32;
        self.flow[gate] = flow / self.uses[gate].max(1) as f32;
    }

    /// The cut that adds the least to the LUTs that are there. The gate's LUT is one of them.
    fn smallest(&mut self, gate: usize, cuts: &[Cut]) -> Cut {
        let now = self.best[gate];
        self.release(&now);
        let mut best = (u32::MAX, cuts[0]);
        for cut in cuts {
            let area = self.use_cut(cut);
            self.release(cut);
            if area < best.0 {
                best = (area, *cut);
            }
        }
        self.use_cut(&best.1);
        best.1
    }

    /// The cost of a LUT, and of those that only it needs, which are there from now on.
    fn use_cut(&mut self, cut: &Cut) -> u32 {
        let mut area = 0;
        let mut new = vec![*cut];
        while let Some(cut) = new.pop() {
            area += COST[usize::from(cut.count)];
            for input in cut.inputs() {
                let input = *input as usize;
                self.uses[input] += 1;
                if self.uses[input] == 1 && self.graph.gates[input].is_some() {
                    new.push(self.best[input]);
                }
            }
        }
        area
    }

    fn release(&mut self, cut: &Cut) {
        let mut old = vec![*cut];
        while let Some(cut) = old.pop() {
            for input in cut.inputs() {
                let input = *input as usize;
                self.uses[input] -= 1;
                if self.uses[input] == 0 && self.graph.gates[input].is_some() {
                    old.push(self.best[input]);
                }
            }
        }
    }

    /// Finds which gates get a LUT, and when each must be there so that the slowest root is not slower.
    fn cover(&mut self) {
        let depths = self.roots.iter().map(|root| self.depth[*root as usize]);
        let most = depths.max().unwrap_or(0) + SPARE_DEPTH;
        self.required.fill(NEVER);
        self.uses.fill(0);
        for root in &self.roots {
            self.uses[*root as usize] += 1;
            self.required[*root as usize] = most;
        }
        for gate in self.live.iter().rev() {
            let gate = *gate as usize;
            if self.uses[gate] == 0 {
                continue;
            }
            let sooner = self.required[gate] - 1;
            for input in self.best[gate].inputs() {
                let input = *input as usize;
                self.uses[input] += 1;
                self.required[input] = self.required[input].min(sooner);
            }
        }
    }

    fn luts(&self) -> u64 {
        let live = self.live.iter().map(|gate| *gate as usize);
        live.filter(|gate| self.uses[*gate] > 0).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_inputs_are_one_lut() {
        let mut graph = Graph::new();
        let inputs = graph.leaves(36);
        let six = graph.all(&inputs[..6]);
        let parity = graph.parity(&inputs[..6]);
        assert_eq!(count(&graph, &[six]), 1);
        assert_eq!(count(&graph, &[six, parity, six]), 2);
        let all = graph.all(&inputs);
        assert!((7..=12).contains(&count(&graph, &[all])));
        assert_eq!(count(&graph, &[]), 0);
    }

    #[test]
    fn negations_cost_only_where_nothing_takes_them_in() {
        let mut graph = Graph::new();
        let inputs = graph.leaves(2);
        let both = graph.and(inputs[0], inputs[1]);
        assert_eq!(count(&graph, &[both.not()]), 1);
        assert_eq!(count(&graph, &[both, both.not()]), 2);
        assert_eq!(count(&graph, &[inputs[0]]), 0);
        assert_eq!(count(&graph, &[inputs[0].not(), inputs[0].not()]), 1);
        assert_eq!(count(&graph, &[super::super::graph::ONE]), 0);
    }

    /// A choice between four signals is a LUT, between sixteen five.
    #[test]
    fn choices() {
        for (items, luts) in [(4, 1), (16, 5)] {
            let mut graph = Graph::new();
            let number = graph.leaves(4);
            let items = graph.leaves(items);
            let chosen = graph.choose(&number, &items);
            assert_eq!(count(&graph, &[chosen]), luts);
        }
    }
}
