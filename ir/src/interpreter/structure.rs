//! Calls, and loops with their bounds: what happens between two blocks of a structured program.
//!
//! No function calls itself, so each value has one place, whoever calls. A block with calls is cut behind each of them. An edge
//! that enters, repeats or leaves a loop whose bound is known goes through a step that counts.

use super::prepare::{cost, Edge, End, PreparedBlock, Slot, Step};
use super::Prepared;
use crate::graph::Graph;
use crate::structure::Bound;
use crate::{Block, Op, Program};
use cranelift_entity::SecondaryMap;

/// The most steps that [`Prepared::run`] lets a structured program take.
pub const MOST_STEPS: u64 = 1 << 22;

/// Why a run has no outcome.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// It was stopped, because it takes more steps than it may; perhaps it never ends.
    #[error("the run has not ended within {most} steps")]
    Steps {
        /// So many it may take: see [`Prepared::run_within`].
        most: u64,
    },
    /// Either `times` is one more than the bound allows, or the loop was left too early.
    #[error("{head}: control went back {times} times, and the loop says `{bound}`")]
    Bound {
        /// The head of the loop.
        head: Block,
        /// What the program says of the loop.
        bound: Bound,
        /// How often control went back to the head since it came in from outside.
        times: u32,
    },
}

/// What a step between two blocks does.
#[derive(Clone, Debug)]
pub(super) enum StructuredEnd {
    /// Goes on at an edge into a function; later, with these results, at the block `back`.
    Call {
        edge: Edge,
        back: usize,
        results: Vec<Slot>,
        /// What is counted when the program ends in the function.
        leaves: Vec<Count>,
    },
    /// Goes on behind the last call, with these values.
    Return(Vec<Slot>),
    /// Counts, then goes on.
    Count { counts: Vec<Count>, edge: Edge },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Enter(usize),
    Back(usize),
    Leave(usize),
}

/// Where a call goes on.
#[derive(Clone, Debug)]
pub(super) struct Return {
    back: usize,
    results: Vec<Slot>,
    leaves: Vec<Count>,
}

/// A loop with a known bound, and how often control went back since it came in.
#[derive(Clone, Debug)]
pub(super) struct LoopState {
    head: Block,
    bound: Bound,
    times: u32,
}

impl LoopState {
    fn count(&mut self, count: Count) -> Result<(), RunError> {
        let holds = match (count, self.bound) {
            (Count::Enter(_), _) => {
                self.times = 0;
                true
            }
            (Count::Back(_), bound) => {
                self.times = self.times.saturating_add(1);
                bound.most().is_none_or(|most| self.times <= most)
            }
            (Count::Leave(_), Bound::Exactly(times)) => self.times == times,
            (Count::Leave(_), _) => true,
        };
        match holds {
            true => Ok(()),
            false => Err(RunError::Bound {
                head: self.head,
                bound: self.bound,
                times: self.times,
            }),
        }
    }
}

impl Prepared {
    /// Does a step between two blocks; gives the next block.
    pub(super) fn structured(&mut self, end: &StructuredEnd) -> Result<usize, RunError> {
        Ok(match end {
            StructuredEnd::Call {
                edge,
                back,
                results,
                leaves,
            } => {
                self.calls.push(Return {
                    back: *back,
                    results: results.clone(),
                    leaves: leaves.clone(),
                });
                self.follow(edge)
            }
            StructuredEnd::Return(values) => {
                let call = self
                    .calls
                    .pop()
                    .expect("a verified program returns only to a call");
                for (&from, &to) in values.iter().zip(&call.results) {
                    self.copy(from, to);
                }
                call.back
            }
            StructuredEnd::Count { counts, edge } => {
                self.count(counts)?;
                self.follow(edge)
            }
        })
    }

    /// The program ends in a function: all loops are left from which it was called.
    pub(super) fn leave_calls(&mut self) -> Result<(), RunError> {
        while let Some(call) = self.calls.pop() {
            self.count(&call.leaves)?;
        }
        Ok(())
    }

    fn count(&mut self, counts: &[Count]) -> Result<(), RunError> {
        for &count in counts {
            let (Count::Enter(index) | Count::Back(index) | Count::Leave(index)) = count;
            self.loops[index].count(count)?;
        }
        Ok(())
    }

    /// Goes along an edge; gives where it leads.
    fn follow(&mut self, edge: &Edge) -> usize {
        for &(from, to) in &edge.copies {
            self.copy(from, to);
        }
        if edge.block < self.listed {
            self.way.push(edge.block);
        }
        edge.block
    }

    /// Adds what only a structured program has to the blocks, which have been laid out as if there were no calls.
    pub(super) fn add_structure(
        &mut self,
        program: &Program,
        indices: &SecondaryMap<Block, usize>,
    ) {
        for index in 0..self.listed {
            self.copy_side_by_side(index);
        }
        // For each block, what is counted when program or function end there.
        let mut leaves = Vec::new();
        for (_, order) in program.orders() {
            self.add_counts(program, order, &mut leaves);
        }
        for (block, leaves) in program.all_blocks().zip(&leaves) {
            self.cut_at_calls(program, block, leaves, indices);
        }
    }

    /// Where a jump gives a loop's head its own parameters in another order, all are read before the first is written.
    fn copy_side_by_side(&mut self, index: usize) {
        let mut blocks = std::mem::take(&mut self.blocks);
        for edge in edges(&mut blocks[index].end) {
            let mut written = edge.copies.iter().enumerate();
            let overlaps = written.any(|(place, (_, to))| {
                let mut later = edge.copies[place + 1..].iter();
                later.any(|(from, _)| from.at == to.at)
            });
            if overlaps {
                let given = std::mem::take(&mut edge.copies);
                let between: Vec<Slot> = given
                    .iter()
                    .map(|(_, to)| self.make_slot(to.width))
                    .collect();
                let pairs = || given.iter().zip(&between);
                edge.copies
                    .extend(pairs().map(|((from, _), between)| (*from, *between)));
                edge.copies
                    .extend(pairs().map(|((_, to), between)| (*between, *to)));
            }
        }
        self.blocks = blocks;
    }

    /// Counts at the edges of loops with known bounds. `leaves` has the blocks in front of these.
    fn add_counts(&mut self, program: &Program, order: &[Block], leaves: &mut Vec<Vec<Count>>) {
        let first = leaves.len();
        let graph = Graph::new(program, order);
        let nesting = graph.nesting();
        let mut states: Vec<Option<usize>> = vec![None; order.len()];
        for (node, &block) in order.iter().enumerate() {
            if let Some(bound) = program.blocks[block].bound.filter(|b| b.most().is_some()) {
                states[node] = Some(self.loops.len());
                self.loops.push(LoopState {
                    head: block,
                    bound,
                    times: 0,
                });
            }
        }
        // What is counted on the way from a node: to another one, or out of the program or function.
        let counts = |from: usize, to: Option<usize>| -> Vec<Count> {
            let around = &nesting.loops[from];
            let left = around
                .iter()
                .filter(|head| to.is_none_or(|to| !nesting.loops[to].contains(head)));
            let left = left.filter_map(|head| states[*head]).map(Count::Leave);
            let head = to.and_then(|to| Some((states[to]?, around.contains(&to))));
            let head = head.map(|(state, inside)| match inside {
                true => Count::Back(state),
                false => Count::Enter(state),
            });
            left.chain(head).collect()
        };
        for node in 0..order.len() {
            let mut end = std::mem::replace(
                &mut self.blocks[first + node].end,
                End::Structured(StructuredEnd::Return(Vec::new())),
            );
            leaves.push(counts(node, None));
            if graph.successors[node].is_empty() {
                let counts = counts(node, None);
                if !counts.is_empty() {
                    let block = self.add_between(end);
                    let edge = Edge {
                        block,
                        copies: Vec::new(),
                    };
                    end = End::Structured(StructuredEnd::Count { counts, edge });
                }
            }
            for edge in edges(&mut end) {
                // An edge that has been made above leads to no block of the program.
                let to = edge.block.checked_sub(first).filter(|to| *to < order.len());
                let counts = to.map_or(Vec::new(), |to| counts(node, Some(to)));
                if !counts.is_empty() {
                    let edge_on = std::mem::replace(
                        edge,
                        Edge {
                            block: self.blocks.len(),
                            copies: Vec::new(),
                        },
                    );
                    self.add_between(End::Structured(StructuredEnd::Count {
                        counts,
                        edge: edge_on,
                    }));
                }
            }
            self.blocks[first + node].end = end;
        }
    }

    /// Cuts a block behind each of its calls.
    fn cut_at_calls(
        &mut self,
        program: &Program,
        block: Block,
        leaves: &[Count],
        indices: &SecondaryMap<Block, usize>,
    ) {
        let index = indices[block];
        let mut at = index;
        let mut steps: Vec<Step> = Vec::new();
        let mut steps_cost = 0;
        for &inst in &program.blocks[block].insts {
            let data = &program.insts[inst];
            steps_cost += cost(program, inst);
            let Op::Call(function) = data.op else {
                steps.extend(self.step(program, inst));
                continue;
            };
            let params = program.parameters(function).iter();
            let pairs = params.zip(&data.args);
            let edge = Edge {
                block: indices[program.functions[function].order[0]],
                copies: pairs
                    .map(|(to, from)| (self.slots[*from], self.slots[*to]))
                    .collect(),
            };
            let results = data
                .results
                .iter()
                .map(|result| self.slots[*result])
                .collect();
            let back = self.blocks.len();
            let call = End::Structured(StructuredEnd::Call {
                edge,
                back,
                results,
                leaves: leaves.to_vec(),
            });
            let end = std::mem::replace(&mut self.blocks[at].end, call);
            // The call is the block's end.
            self.blocks[at].cost = std::mem::take(&mut steps_cost);
            self.blocks[at].steps = std::mem::take(&mut steps);
            at = self.add_between(end);
        }
        if at != index {
            self.blocks[at].cost = steps_cost + 1;
            self.blocks[at].steps = steps;
        }
    }

    /// A block that is none of the program, and costs nothing.
    fn add_between(&mut self, end: End) -> usize {
        self.blocks.push(PreparedBlock {
            steps: Vec::new(),
            end,
            cost: 0,
        });
        self.blocks.len() - 1
    }
}

/// The edges of an end that lead to blocks of the same program or function.
fn edges(end: &mut End) -> Vec<&mut Edge> {
    match end {
        End::Jump(edge) => vec![edge],
        End::Branch { yes, no, .. } => vec![yes, no],
        End::Emit(_) | End::Structured(_) => Vec::new(),
    }
}
