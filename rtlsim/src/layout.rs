//! Where everything lives in the arena, one contiguous piece of memory.
//!
//! ```text
//! resets | inputs | outputs | foreign ports | assertions | next row | row 0 | row 1 | ... | memories | scratch
//! ```
//!
//! Inputs and outputs are limbs of 8 bytes. States live in rows: a state that is computed is written to the *next
//! row* and stands in *row 0* after the clock edge; a state that only delays the state at row `i` stands at the same
//! place of row `i + 1`. So one move of all rows to their successors is the clock edge of every state, a delay line
//! costs no code, and every operation may read any state at any time before the edge. Longer delay lines come first in a row,
//! so a row is as long as what its successor needs from it.
//!
//! A value of up to 8, 16, 32 bits takes 1, 2, 4 bytes in a row or memory, a wider one a multiple of 8. Bits above
//! its width are 0. A memory has two words more than its depth: one that is always 0, for reads out of range,
//! and one that takes writes that do not happen.

use crate::netlist::{ClockId, ForeignId, MemoryId, Netlist, Op, Signal, StateId, Update};
use crate::SimError;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

/// Offsets in bytes.
pub struct Layout {
    pub inputs: Vec<u32>,
    /// One limb for each clock; bit 0 is its reset.
    pub resets: PrimaryMap<ClockId, u32>,
    /// One limb for each clock where there are several; bit 0: it has an edge in this step.
    pub edges: SecondaryMap<ClockId, u32>,
    pub foreign: PrimaryMap<ForeignId, ForeignPlace>,
    pub outputs: Vec<u32>,
    /// One byte for each assertion: 1 when it holds.
    pub assertions: u32,
    /// One byte: 1 when all assertions hold.
    pub all_hold: u32,
    /// The present value of each state.
    pub present: PrimaryMap<StateId, u32>,
    /// Where the next value is stored; `None` when the state only delays another one.
    pub next: PrimaryMap<StateId, Option<u32>>,
    /// To be done in order at the clock edge; source and destination may overlap.
    pub moves: Vec<Move>,
    pub memories: PrimaryMap<MemoryId, MemoryPlace>,
    /// End of what is laid out here.
    pub end: u32,
}

/// A move of bytes at the clock edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: u32,
    pub to: u32,
    pub bytes: u32,
}

/// Where the values at the ports of a foreign module stand, in limbs.
pub struct ForeignPlace {
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace {
    pub offset: u32,
    /// Bytes from one word to the next.
    pub stride: u32,
}

/// Largest arena in bytes: offsets are signed 32-bit displacements in machine code.
const MAX_BYTES: u64 = 1 << 31;

/// Bytes that a value takes in a row or memory.
pub fn bytes_of(width: u32) -> u32 {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => width.div_ceil(64) * 8,
    }
}

/// Hands out offsets.
struct Allocator {
    end: u64,
}

impl Allocator {
    fn take(&mut self, bytes: u64, align: u64) -> Result<u32, SimError> {
        let offset = self.end.next_multiple_of(align);
        self.end = offset + bytes;
        if self.end >= MAX_BYTES {
            return Err(SimError::TooLarge("more than 2 GB of state".into()));
        }
        Ok(offset as u32)
    }
}

/// Lays out a netlist.
pub fn lay_out(netlist: &Netlist) -> Result<Layout, SimError> {
    let mut allocator = Allocator { end: 0 };
    let limbs = |width: u32| u64::from(width.div_ceil(64).max(1)) * 8;
    let mut resets = PrimaryMap::new();
    let mut edges = SecondaryMap::new();
    for clock in netlist.clocks.keys() {
        resets.push(allocator.take(8, 8)?);
        if netlist.clocks.len() > 1 {
            edges[clock] = allocator.take(8, 8)?;
        }
    }
    let mut inputs = Vec::new();
    for (_, width) in &netlist.inputs {
        inputs.push(allocator.take(limbs(*width), 8)?);
    }
    let mut outputs = Vec::new();
    for (_, signal) in &netlist.outputs {
        outputs.push(allocator.take(limbs(netlist.signals[*signal].width), 8)?);
    }
    let mut foreign = PrimaryMap::new();
    for data in netlist.foreign.values() {
        let width = |signal: &Signal| netlist.signals[*signal].width;
        let inputs = data.inputs.iter().map(width);
        let outputs = data.outputs.iter().map(|(width, _)| *width);
        let mut take = |width: u32| allocator.take(limbs(width), 8);
        foreign.push(ForeignPlace {
            inputs: inputs.map(&mut take).collect::<Result<_, _>>()?,
            outputs: outputs.map(&mut take).collect::<Result<_, _>>()?,
        });
    }
    let assertions = allocator.take(netlist.assertions.len() as u64, 1)?;
    let all_hold = allocator.take(1, 1)?;

    let chains = chains(netlist);
    let (next_row, rows) = rows(netlist, &chains, &mut allocator)?;
    let mut present: PrimaryMap<StateId, u32> = netlist.states.keys().map(|_| 0).collect();
    let mut next: PrimaryMap<StateId, Option<u32>> = netlist.states.keys().map(|_| None).collect();
    let mut at = 0;
    for chain in &chains {
        let bytes = bytes_of(netlist.states[chain[0]].width);
        for (state, row) in chain.iter().zip(&rows) {
            present[*state] = row.offset + at;
        }
        next[chain[0]] = Some(next_row.offset + at);
        at += bytes;
    }

    let mut memories = PrimaryMap::new();
    for memory in netlist.memories.values() {
        let stride = bytes_of(memory.width);
        let words = u64::from(memory.depth) + 2;
        let offset = allocator.take(u64::from(stride) * words, 64)?;
        memories.push(MemoryPlace { offset, stride });
    }
    Ok(Layout {
        inputs,
        resets,
        edges,
        foreign,
        outputs,
        assertions,
        all_hold,
        present,
        next,
        moves: moves(next_row, &rows),
        memories,
        // Loads may read up to 8 bytes from a value's first byte on.
        end: allocator.take(8, 8)? + 8,
    })
}

/// Delay lines: each state once; every state but the first of a chain only delays the one before. Longest first.
fn chains(netlist: &Netlist) -> Vec<Vec<StateId>> {
    let mut successor: SecondaryMap<StateId, Option<StateId>> = SecondaryMap::new();
    let mut delayed: SecondaryMap<StateId, bool> = SecondaryMap::new();
    for (state, data) in &netlist.states {
        if let Update::Register { next, enable: None } = data.update {
            if let Op::State(source) = netlist.signals[next].op {
                if successor[source].is_none() && source != state {
                    successor[source] = Some(state);
                    delayed[state] = true;
                }
            }
        }
    }
    let mut placed: SecondaryMap<StateId, bool> = SecondaryMap::new();
    let mut chains = Vec::new();
    // The second round finds rings of delays: any of their states may be the first.
    for ring in [false, true] {
        for head in netlist.states.keys() {
            if placed[head] || delayed[head] != ring {
                continue;
            }
            let mut chain = Vec::new();
            let mut at = Some(head);
            while let Some(state) = at.filter(|state| !placed[*state]) {
                placed[state] = true;
                chain.push(state);
                at = successor[state];
            }
            chains.push(chain);
        }
    }
    let bytes = |chain: &Vec<StateId>| bytes_of(netlist.states[chain[0]].width);
    chains.sort_by_key(|chain| {
        (
            usize::MAX - chain.len(),
            u32::MAX - bytes(chain),
            chain[0].index(),
        )
    });
    chains
}

#[derive(Clone, Copy)]
struct Row {
    offset: u32,
    bytes: u32,
}

/// The next row, and row 0 and those behind it.
fn rows(
    netlist: &Netlist,
    chains: &[Vec<StateId>],
    allocator: &mut Allocator,
) -> Result<(Row, Vec<Row>), SimError> {
    let count = chains.first().map_or(0, Vec::len);
    let mut bytes = vec![0u64; count];
    for chain in chains {
        for row in &mut bytes[..chain.len()] {
            *row += u64::from(bytes_of(netlist.states[chain[0]].width));
        }
    }
    let mut take = |bytes: u64| -> Result<Row, SimError> {
        let bytes = bytes.next_multiple_of(8);
        let offset = allocator.take(bytes, 8)?;
        Ok(Row {
            offset,
            bytes: bytes as u32,
        })
    };
    let next = take(bytes.first().copied().unwrap_or(0))?;
    let rows = bytes.into_iter().map(take).collect::<Result<_, _>>()?;
    Ok((next, rows))
}

/// Every row to the one behind it, the last one first. Rows of one length lie side by side and move at once.
fn moves(next: Row, rows: &[Row]) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for (index, to) in rows.iter().enumerate().rev() {
        let from = match index {
            0 => next,
            _ => rows[index - 1],
        };
        match moves.last_mut() {
            Some(last) if to.offset + to.bytes == last.to && from.bytes == to.bytes => {
                last.from = from.offset;
                last.to = to.offset;
                last.bytes += to.bytes;
            }
            _ => moves.push(Move {
                from: from.offset,
                to: to.offset,
                bytes: to.bytes,
            }),
        }
    }
    moves
}
