//! What a design becomes on an FPGA: gates, flip-flops, and blocks (memories, carry chains, multipliers).

use super::graph::{Graph, Signal};

/// A part with a fixed cost, whose outputs are leaves of the graph.
#[derive(Default)]
pub struct Block {
    /// What it takes.
    pub roots: Vec<Signal>,
    /// LUTs that are memory.
    pub luts: u64,
    /// In halves of a block RAM.
    pub bram18: u64,
    pub uram: u64,
    pub dsp: u64,
}

/// A flip-flop: `out` becomes `next` where `enable`, and `reset_to` where `reset`, whatever the enable is.
#[derive(Clone, Copy)]
pub struct FlipFlop {
    pub out: Signal,
    pub next: Signal,
    pub enable: Signal,
    pub reset: Signal,
    pub reset_to: bool,
}

/// Whose output a leaf is.
#[derive(Clone, Copy)]
pub enum Owner {
    FlipFlop(usize),
    Block(usize),
}

#[derive(Default)]
pub struct Fabric {
    pub graph: Graph,
    pub flip_flops: Vec<FlipFlop>,
    pub blocks: Vec<Block>,
    /// First leaf of a row of leaves, how many there are, and whose they are: the first flip-flop's, or the block's. In
    /// ascending order.
    owners: Vec<(usize, usize, Owner)>,
}

impl Fabric {
    pub fn new() -> Fabric {
        Fabric {
            graph: Graph::new(),
            ..Fabric::default()
        }
    }

    /// A row of flip-flops that are connected later: the number of the first one.
    pub fn flip_flops(&mut self, count: u32) -> usize {
        use super::graph::{ONE, ZERO};
        let first = self.flip_flops.len();
        let row = (self.graph.gates.len(), count as usize);
        self.owners.push((row.0, row.1, Owner::FlipFlop(first)));
        for _ in 0..count {
            let out = self.graph.leaf();
            self.flip_flops.push(FlipFlop {
                out,
                next: out,
                enable: ONE,
                reset: ZERO,
                reset_to: false,
            });
        }
        first
    }

    pub fn outputs(&self, first: usize, count: u32) -> Vec<Signal> {
        let row = &self.flip_flops[first..][..count as usize];
        row.iter().map(|flip_flop| flip_flop.out).collect()
    }

    /// A block that is connected later, and so many outputs of it.
    pub fn block(&mut self, outputs: u32) -> (usize, Vec<Signal>) {
        let block = self.blocks.len();
        self.blocks.push(Block::default());
        let row = (self.graph.gates.len(), outputs as usize);
        self.owners.push((row.0, row.1, Owner::Block(block)));
        (block, self.graph.leaves(outputs))
    }

    /// Whose output a leaf is; `None`: a port's.
    pub fn owner(&self, leaf: usize) -> Option<Owner> {
        let place = self.owners.partition_point(|(first, ..)| *first <= leaf);
        let (first, count, owner) = *self.owners.get(place.checked_sub(1)?)?;
        let owner = match owner {
            Owner::FlipFlop(number) => Owner::FlipFlop(number + leaf - first),
            Owner::Block(block) => Owner::Block(block),
        };
        (leaf < first + count).then_some(owner)
    }
}
