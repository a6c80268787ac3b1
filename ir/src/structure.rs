//! What only the structured phase has: loops with what is known of their bounds, functions, whole operations.

use crate::{Block, BlockData, Inst, Program, Terminator, Value};
use cranelift_entity::entity_impl;
use hardpath_diagnostic::Place;
use std::fmt;

/// A function of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(u32);
entity_impl!(Function, "function");

/// A function: blocks of its own, with parameters and results. It has no recursion, directly or through others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionData {
    /// Unique among the functions of the program, and not empty.
    pub name: String,
    /// Widths of what it gives back, in bits.
    pub results: Vec<u32>,
    /// Its blocks. The first one is its entry, whose parameters are those of the function.
    pub order: Vec<Block>,
}

/// What is known of a loop: how often control goes back to its head, each time that it has come in from outside. So the head
/// runs once more than this says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// So often, before it leaves.
    Exactly(u32),
    /// Not more often.
    UpTo(u32),
    /// As often as the data say.
    Unknown,
}

impl Bound {
    /// The most times that control goes back; `None`: nobody knows.
    pub fn most(self) -> Option<u32> {
        match self {
            Bound::Exactly(times) | Bound::UpTo(times) => Some(times),
            Bound::Unknown => None,
        }
    }
}

impl fmt::Display for Bound {
    /// As in the text form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Exactly(times) => write!(f, "exactly {times}"),
            Bound::UpTo(times) => write!(f, "up-to {times}"),
            Bound::Unknown => write!(f, "unknown"),
        }
    }
}

/// Bytes that a program reads and writes for itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// [`Limits::stack`](crate::Limits::stack) bytes from offset 0 on, zeros at first.
    Stack,
    /// The packet's memory, which may begin before offset 0: see [`Op::PacketLoad`](crate::Op::PacketLoad).
    Packet,
}

/// An operation over a range of bytes whose length only the run knows. Offsets have 64 bits, lengths 16; of a length above
/// `up_to` only so many bytes count. Bytes outside their memory are as those of single loads and stores: they read 0, and
/// vanish when they are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Whole {
    /// `(offset: 64, length: 16, seed: 32) → 16`: the ones' complement sum of RFC 1071, not inverted: the seed and all
    /// words of 16 bits, added as numbers, and what is above 16 bits added below until nothing is. A last odd byte is the
    /// lower half of a word. So the sum is 0 only when seed and bytes are.
    Checksum {
        /// The memory that is read.
        memory: Memory,
        /// The most bytes that are added, 1 to [`MAX_RANGE`].
        up_to: u32,
    },
    /// `(from: 64, to: 64, length: 16)`: copies bytes, as if all were read before the first is written.
    Copy {
        /// The memory that is read.
        from: Memory,
        /// The memory that is written.
        to: Memory,
        /// The most bytes that are copied, 1 to [`MAX_RANGE`].
        up_to: u32,
    },
}

/// The longest range of a whole operation, in bytes.
pub const MAX_RANGE: u32 = 65_535;
/// Width in bits of the length of a range.
pub const LENGTH_BITS: u32 = 16;
/// Width in bits of a checksum's seed.
pub const SEED_BITS: u32 = 32;

impl Whole {
    /// The most bytes that it works on.
    pub fn up_to(self) -> u32 {
        match self {
            Whole::Checksum { up_to, .. } | Whole::Copy { up_to, .. } => up_to,
        }
    }
}

impl Program {
    /// The blocks of the program and of its functions: each with the function it is in.
    pub fn orders(&self) -> impl Iterator<Item = (Option<Function>, &[Block])> + '_ {
        let functions = self.functions.iter();
        std::iter::once((None, &self.order[..]))
            .chain(functions.map(|(function, data)| (Some(function), &data.order[..])))
    }

    /// Every live block: those of the program, then those of each function.
    pub fn all_blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let functions = self.functions.values();
        let inside = functions.flat_map(|data| data.order.iter());
        self.order.iter().chain(inside).copied()
    }

    /// Adds a function without blocks.
    pub fn add_function(&mut self, name: impl Into<String>, results: &[u32]) -> Function {
        self.functions.push(FunctionData {
            name: name.into(),
            results: results.to_vec(),
            order: Vec::new(),
        })
    }

    /// Adds an empty block at the end of a function.
    pub fn add_block_in(&mut self, function: Function) -> Block {
        let block = self.make_block();
        self.functions[function].order.push(block);
        block
    }

    /// Makes an empty block that stands nowhere yet.
    pub fn make_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::None,
            place: None,
            bound: None,
        })
    }

    /// Where a block is, for messages: its own place, that of its first instruction that has one, or its name.
    pub fn block_place(&self, block: Block) -> Place {
        let data = &self.blocks[block];
        let insts = data.insts.iter().map(|inst| self.insts[*inst].place);
        let mut known = std::iter::once(data.place).chain(insts).flatten();
        match known.next().and_then(|place| self.places.get(place)) {
            Some(place) => Place::from(place),
            None => Place::in_unit(block.to_string()),
        }
    }

    /// Where an instruction is, for messages; the block's place where it has none.
    pub fn inst_place(&self, block: Block, inst: Inst) -> Place {
        let place = self.insts[inst].place;
        match place.and_then(|place| self.places.get(place)) {
            Some(place) => Place::from(place),
            None => self.block_place(block),
        }
    }

    /// The parameters of a function.
    pub fn parameters(&self, function: Function) -> &[Value] {
        let entry = self.functions[function].order.first();
        entry.map_or(&[], |entry| &self.blocks[*entry].params)
    }
}
