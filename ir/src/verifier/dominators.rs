//! Which block dominates which: every path from the entry to the second goes through the first.
//!
//! Control flow is acyclic and the order is topological, so one pass finds each block's immediate dominator: the
//! nearest common ancestor, in the tree built so far, of its predecessors (Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm"). The tree is then numbered so that a subtree is a range, and a query is two compares.

use crate::{Block, Program};
use cranelift_entity::SecondaryMap;

pub(super) struct Dominators {
    position: SecondaryMap<Block, usize>,
    /// For each position in the order: the range of numbers of its subtree. `None`: not reachable.
    subtree: Vec<Option<(usize, usize)>>,
}

impl Dominators {
    pub(super) fn new(program: &Program) -> Dominators {
        let count = program.order.len();
        let mut position = SecondaryMap::new();
        for (index, &block) in program.order.iter().enumerate() {
            position[block] = index;
        }
        // Positions of immediate dominators; the entry is its own.
        let mut parent: Vec<Option<usize>> = vec![None; count];
        parent[0] = Some(0);
        for index in 0..count {
            // An edge backwards is reported elsewhere and ignored here.
            let Some(from) = parent[index].map(|_| index) else {
                continue;
            };
            for target in program.blocks[program.order[index]].terminator.targets() {
                let to = position[target.block];
                if to > from {
                    parent[to] = Some(match parent[to] {
                        Some(other) => common(&parent, other, from),
                        None => from,
                    });
                }
            }
        }
        let mut size = vec![1; count];
        for index in (1..count).rev() {
            if let Some(up) = parent[index] {
                size[up] += size[index];
            }
        }
        let mut subtree: Vec<Option<(usize, usize)>> = vec![None; count];
        // The next number to give away inside each subtree.
        let mut next = vec![0; count];
        for index in 0..count {
            let Some(up) = parent[index] else { continue };
            let start = if index == 0 { 0 } else { next[up] };
            if index != 0 {
                next[up] += size[index];
            }
            next[index] = start + 1;
            subtree[index] = Some((start, start + size[index]));
        }
        Dominators { position, subtree }
    }

    /// Nothing reaches an unreachable block, so everything that comes earlier counts as dominating it.
    pub(super) fn dominates(&self, upper: Block, lower: Block) -> bool {
        let (upper, lower) = (self.position[upper], self.position[lower]);
        match (self.subtree[upper], self.subtree[lower]) {
            (Some((start, end)), Some((number, _))) => (start..end).contains(&number),
            (_, None) => upper <= lower,
            (None, Some(_)) => false,
        }
    }
}

fn common(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        // The later of the two is not the ancestor of the other.
        let later = a.max(b);
        let up = parent[later].unwrap_or(0);
        if a == later {
            a = up;
        } else {
            b = up;
        }
    }
    a
}
