//! Control flow as a graph: which block leads to which, what stands on every way to what, and what lies on a cycle.
//!
//! Nodes are numbers and node 0 is the entry, so that a graph of blocks, of functions or of machine instructions is the
//! same thing. Graphs may have cycles, with one entry or several, and nodes that nothing leads to.

mod dominators;
mod nesting;

pub use dominators::Dominators;
pub use nesting::{Nesting, MAX_DEPTH};

use crate::{Block, Program};
use cranelift_entity::SecondaryMap;

/// Some blocks of a program as a graph: a node's number is the block's place among them.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Where each node leads to, in the order of the terminator; a target twice stands there twice.
    pub successors: Vec<Vec<usize>>,
    position: SecondaryMap<Block, Option<u32>>,
}

impl Graph {
    /// Of these blocks, the entry first. What leads elsewhere is left out.
    pub fn new(program: &Program, blocks: &[Block]) -> Graph {
        let mut position = SecondaryMap::new();
        for (index, &block) in blocks.iter().enumerate() {
            position[block] = Some(index as u32);
        }
        let successors = blocks.iter().map(|&block| {
            let targets = program.blocks[block].terminator.targets();
            let inside = targets.into_iter().filter_map(|to| position[to.block]);
            inside.map(|index: u32| index as usize).collect()
        });
        Graph {
            successors: successors.collect(),
            position,
        }
    }

    /// The number of a block; `None`: it is not one of them.
    pub fn node(&self, block: Block) -> Option<usize> {
        self.position[block].map(|index| index as usize)
    }

    /// Which block is on every way to which other.
    pub fn dominators(&self) -> Dominators {
        Dominators::new(&self.successors)
    }

    /// The loops, and an order for them.
    pub fn nesting(&self) -> Nesting {
        Nesting::new(&self.successors)
    }
}
