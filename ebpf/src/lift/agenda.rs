//! What is to be lifted next: blocks of functions, once for each call and for each round of the loops around them.
//!
//! The IR has no loops and no functions, so each block is lifted as often as it may run: an [`Instance`] for each
//! path of calls that leads to its function, and each round of the loops that it is in. Paths that meet in the same
//! instance are joined; so there is no instance for each path.
//!
//! An instance's key says where it stands among all: the places of the blocks on the way to it, from the program's
//! beginning inwards, each loop's place followed by the round. Keys are compared number by number. Every edge goes
//! to an instance with a larger key: forward in a function, to the next round of a loop, into a function that is
//! called (whose keys begin with the caller's), and back to behind the call. So whoever takes the instance with the
//! smallest key has seen all edges to it.
//!
//! A loop that stays a loop ([`super::loops`]) has one round, number 0, for all of them. There alone an edge goes back, to the
//! key of the loop's head.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hardpath_ir::{Block, Terminator};

use super::builder::Builder;
use super::flow::Flow;
use super::join::Edge;
use super::loops::LoopId;
use super::state::Operand;

/// A function that runs, called from one place.
pub struct Invocation {
    /// Index of the program that it belongs to; others than the first one are reached by tail calls.
    pub code: usize,
    /// Its first slot.
    pub start: usize,
    pub flow: Rc<Flow>,
    /// The heads of its loops that stay loops.
    pub kept: BTreeSet<usize>,
    /// `None`: the program itself.
    pub caller: Option<Caller>,
    /// Where its stack ends (what `r10` points to) and begins.
    pub top: u32,
    pub bottom: u32,
    /// What its keys begin with.
    prefix: Vec<u32>,
}

/// Where a function returns to.
#[derive(Clone)]
pub struct Caller {
    /// The block with the call, which is its last instruction.
    pub instance: Instance,
    /// The block behind the call.
    pub next: usize,
    /// The function is run by `bpf_loop`.
    pub round: Option<Round>,
}

/// One round of a `bpf_loop`.
#[derive(Clone, Copy)]
pub struct Round {
    /// The number of the round; 0 where the loop stays a loop.
    pub index: u32,
    /// It does.
    pub is_kept: bool,
    /// How many there may be, 32 bits.
    pub count: Operand,
    /// First slot of the function that is run.
    pub function: usize,
}

/// Something that is lifted once.
#[derive(Clone)]
pub struct Instance {
    pub invocation: Rc<Invocation>,
    pub point: Point,
    /// The round of each loop around it in its function, the outermost first.
    rounds: Vec<u32>,
    pub key: Vec<u32>,
}

#[derive(Clone)]
pub enum Point {
    /// A block of the invocation's flow.
    Block(usize),
    /// In front of a round of a `bpf_loop` in that block; goes on behind it.
    Round {
        block: usize,
        next: usize,
        round: Round,
    },
}

/// A loop that is being written out.
pub struct OpenLoop {
    /// Rounds so far.
    pub rounds: u32,
    pub code: usize,
    /// The loop's first instruction.
    pub slot: usize,
    /// What the keys of everything in it begin with.
    pub prefix: Vec<u32>,
}

impl Invocation {
    pub fn new(
        code: usize,
        start: usize,
        (flow, kept): (Rc<Flow>, BTreeSet<usize>),
        caller: Option<Caller>,
        stack: (u32, u32),
        prefix: Vec<u32>,
    ) -> Invocation {
        Invocation {
            code,
            start,
            flow,
            kept,
            caller,
            top: stack.0,
            bottom: stack.1,
            prefix,
        }
    }

    /// Its first block.
    pub fn entry(self: &Rc<Invocation>) -> Instance {
        let rounds = vec![0; self.flow.nesting.loops[0].len()];
        self.instance(0, rounds)
    }

    fn instance(self: &Rc<Invocation>, block: usize, rounds: Vec<u32>) -> Instance {
        let nesting = &self.flow.nesting;
        let mut key = self.prefix.clone();
        for (head, round) in nesting.loops[block].iter().zip(&rounds) {
            key.extend([nesting.position[*head], *round]);
        }
        key.push(nesting.position[block]);
        Instance {
            invocation: self.clone(),
            point: Point::Block(block),
            rounds,
            key,
        }
    }

    /// The functions that are under way, this one first.
    pub fn chain(&self) -> impl Iterator<Item = &Invocation> + Clone {
        std::iter::successors(Some(self), |invocation| {
            let caller = invocation.caller.as_ref()?;
            Some(&*caller.instance.invocation)
        })
    }
}

impl Instance {
    /// The block that it is, or that the `bpf_loop` is in.
    pub fn block(&self) -> usize {
        match self.point {
            Point::Block(block) | Point::Round { block, .. } => block,
        }
    }

    /// A block that this one goes to, in the right round of every loop.
    pub fn successor(&self, next: usize) -> Instance {
        let loops = &self.invocation.flow.nesting.loops;
        let (here, there) = (&loops[self.block()], &loops[next]);
        let common = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        let mut rounds = self.rounds[..common].to_vec();
        let is_head = there.last() == Some(&next);
        if is_head && common == there.len() && !self.invocation.kept.contains(&next) {
            // Back to the head of a loop around both.
            if let Some(round) = rounds.last_mut() {
                *round += 1;
            }
        }
        rounds.resize(there.len(), 0);
        self.invocation.instance(next, rounds)
    }

    /// In front of a round of the `bpf_loop` that ends this block.
    pub fn before_round(&self, next: usize, round: Round) -> Instance {
        let mut key = self.key.clone();
        key.extend([round.index, 0]);
        Instance {
            invocation: self.invocation.clone(),
            point: Point::Round {
                block: self.block(),
                next,
                round,
            },
            rounds: self.rounds.clone(),
            key,
        }
    }

    /// The loop whose head this is, if it stays a loop.
    pub fn kept_loop(&self) -> Option<LoopId> {
        let Invocation {
            code, flow, kept, ..
        } = &*self.invocation;
        match &self.point {
            Point::Block(block) => kept.contains(block).then(|| LoopId {
                code: *code,
                slot: flow.blocks[*block].start,
                is_call: false,
            }),
            Point::Round { block, round, .. } => round.is_kept.then(|| LoopId {
                code: *code,
                slot: flow.blocks[*block].last_slot(),
                is_call: true,
            }),
        }
    }

    /// The same without what tells several ways there apart: a loop that stays a loop has one head.
    pub fn into_head(mut self) -> Instance {
        if let Point::Block(block) = self.point {
            self.key = self.invocation.instance(block, self.rounds.clone()).key;
        }
        self
    }

    /// The loops around it that stay loops, the innermost first.
    pub fn kept_loops(&self) -> Vec<LoopId> {
        let invocation = &self.invocation;
        let mut around: Vec<LoopId> = Vec::new();
        if let Point::Round { .. } = self.point {
            around.extend(self.kept_loop());
        }
        for head in invocation.flow.nesting.loops[self.block()].iter().rev() {
            let head = invocation.instance(*head, Vec::new());
            around.extend(head.kept_loop());
        }
        if let Some(caller) = &invocation.caller {
            around.extend(match caller.round {
                Some(round) => caller
                    .instance
                    .before_round(caller.next, round)
                    .kept_loops(),
                None => caller.instance.kept_loops(),
            });
        }
        around
    }

    /// Numbers that the loop whose head this is compares with, and those beside them.
    pub fn compared_numbers(&self) -> Vec<i64> {
        let numbers = match &self.point {
            Point::Block(head) => self.invocation.flow.compared_in(*head),
            Point::Round { round, .. } => match round.count {
                Operand::Const(count) => vec![count as i64],
                Operand::Value(_) => Vec::new(),
            },
        };
        let beside = |number: i64| [number.saturating_sub(1), number, number.saturating_add(1)];
        let mut all: Vec<i64> = numbers.into_iter().chain([0]).flat_map(beside).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What the keys of a function that this block calls begin with. `branch` tells several such functions apart.
    pub fn inner_prefix(&self, branch: u32) -> Vec<u32> {
        let mut prefix = self.key.clone();
        prefix.push(branch);
        prefix
    }

    /// Whether it is in a loop or in a function that was called.
    pub fn is_copy(&self) -> bool {
        !self.rounds.is_empty()
            || self.invocation.caller.is_some()
            || matches!(self.point, Point::Round { .. })
    }

    /// Of the loops that this is in, the one with the most rounds so far. `None`: it is in none.
    pub fn longest_loop(&self) -> Option<OpenLoop> {
        let mut all = Vec::new();
        self.collect_loops(&mut all);
        all.into_iter().max_by_key(|open| open.rounds)
    }

    fn collect_loops(&self, all: &mut Vec<OpenLoop>) {
        let flow = &self.invocation.flow;
        let code = self.invocation.code;
        let heads = &flow.nesting.loops[self.block()];
        for (depth, (head, round)) in heads.iter().zip(&self.rounds).enumerate() {
            let length = self.invocation.prefix.len() + 2 * depth + 1;
            all.push(OpenLoop {
                rounds: *round,
                code,
                slot: flow.blocks[*head].start,
                prefix: self.key[..length].to_vec(),
            });
        }
        if let Point::Round { block, round, .. } = &self.point {
            let length = self.key.len() - 2;
            let steps = &flow.blocks[*block].steps;
            all.push(OpenLoop {
                rounds: round.index,
                code,
                slot: steps.last().map_or(0, |step| step.slot),
                prefix: self.key[..length].to_vec(),
            });
        }
        if let Some(caller) = &self.invocation.caller {
            match caller.round {
                Some(round) => caller
                    .instance
                    .before_round(caller.next, round)
                    .collect_loops(all),
                None => caller.instance.collect_loops(all),
            }
        }
    }
}

/// An instance that something leads to.
pub struct Pending {
    pub instance: Instance,
    /// The IR block that it begins with.
    pub block: Block,
    /// The ways that lead there.
    pub edges: Vec<Edge>,
}

/// The instances that have not been lifted yet, by key.
#[derive(Default)]
pub struct Agenda {
    pending: BTreeMap<Vec<u32>, Pending>,
}

impl Agenda {
    /// The entry for an instance.
    pub fn entry(&mut self, builder: &mut Builder, instance: Instance) -> &mut Pending {
        self.pending
            .entry(instance.key.clone())
            .or_insert_with(|| Pending {
                instance,
                block: builder.program.add_block(),
                edges: Vec::new(),
            })
    }

    /// The first one in order; everything that leads to it has been lifted.
    pub fn next(&mut self) -> Option<Pending> {
        self.pending.pop_first().map(|(_, pending)| pending)
    }

    /// Leaves out all whose keys begin in one way.
    pub fn abandon(&mut self, prefix: &[u32]) {
        self.pending.retain(|key, _| !key.starts_with(prefix));
    }
}

/// Puts an edge's arguments into the terminator that it is part of.
pub fn set_arguments(builder: &mut Builder, edge: Edge) {
    use super::join::Side;
    let terminator = &mut builder.program.blocks[edge.from].terminator;
    let target = match (terminator, edge.side) {
        (Terminator::Jump(target), Side::Jump) => target,
        (Terminator::Branch { yes, .. }, Side::Yes) => yes,
        (Terminator::Branch { no, .. }, Side::No) => no,
        _ => return,
    };
    target.args = edge.args;
}
