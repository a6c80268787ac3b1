//! Whole operations, made of what control flow has.
//!
//! ```text
//! copy packet stack up-to 2 v0, v1, v2    →       v3:16 = packet.load v0
//!                                                 v4:1 = ult 0, v2
//!                                                 branch v4, block1, block3
//!                                             block1:
//!                                                 stack.store v1, slice v3, 0
//!                                                 v5:1 = ult 1, v2
//!                                                 branch v5, block2, block3
//!                                             block2: …
//! ```
//!
//! All bytes that may count are read at once. Of a copy the bytes are written one after the other, as far as the length says:
//! to write back what was there before is not the same, since a packet can have bytes that were never written. Of a checksum the
//! bytes behind the length are made zeros. A length that is known leaves none of these questions.

use crate::copies::cut;
use crate::limits::{too_large, MOST_INSTRUCTIONS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::{Memory, Whole, LENGTH_BITS};
use hardpath_ir::{Bits, Block, Inst, Op, PlaceId, Program, Target, Terminator, Value};
use std::collections::HashMap;

/// Bits of a sum of up to [`hardpath_ir::structure::MAX_RANGE`] bytes, taken as words of 16 bits, and a seed of 32.
const SUM_BITS: u32 = 33;

/// # Errors
/// The program would be too large.
pub fn run(program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
    check_size(program)?;
    let mut expanded = Expanded::default();
    let order = std::mem::take(&mut program.order);
    program.order = expand(program, order, &mut expanded);
    for function in program.functions.keys() {
        let order = std::mem::take(&mut program.functions[function].order);
        program.functions[function].order = expand(program, order, &mut expanded);
    }
    program.replace_all(&expanded.sums);
    Ok(expanded.changed)
}

/// Instructions that a byte becomes, at most: of a sum or copy whose length is data.
const INSTRUCTIONS_A_BYTE: u64 = 6;
/// And what a whole operation becomes beside those.
const INSTRUCTIONS_AROUND: u64 = 24;

/// Refuses what would be too large, before anything is made.
fn check_size(program: &Program) -> Result<(), Vec<Diagnostic>> {
    let size = |inst: Inst| {
        let args = &program.insts[inst].args;
        let bytes = match program.insts[inst].op {
            Op::Whole(Whole::Checksum { up_to, .. }) => known_length(program, args[1], up_to).0,
            Op::Whole(Whole::Copy { up_to, .. }) => match known_length(program, args[2], up_to) {
                (bytes, Some(_)) => bytes,
                // One load and one store.
                (_, None) => 0,
            },
            _ => return 1,
        };
        INSTRUCTIONS_AROUND + INSTRUCTIONS_A_BYTE * u64::from(bytes)
    };
    let all = program.insts_in_order();
    let whole: u64 = all.map(|(_, inst)| size(inst)).sum();
    let largest = program.insts_in_order().max_by_key(|(_, inst)| size(*inst));
    match largest.filter(|_| whole > MOST_INSTRUCTIONS) {
        None => Ok(()),
        Some((block, inst)) => {
            let others = whole - size(inst) + INSTRUCTIONS_AROUND;
            let fits = MOST_INSTRUCTIONS.saturating_sub(others) / INSTRUCTIONS_A_BYTE;
            let what = "with all whole operations written out the program";
            Err(vec![too_large(
                what,
                whole,
                program.inst_place(block, inst),
            )
            .help(match fits {
                0 => String::from("state fewer bytes behind `up-to`"),
                fits => format!("as the program is, `up-to {fits}` would fit here"),
            })])
        }
    }
}

#[derive(Default)]
struct Expanded {
    changed: bool,
    /// What the results of checksums have become.
    sums: HashMap<Value, Value>,
}

fn expand(program: &mut Program, order: Vec<Block>, expanded: &mut Expanded) -> Vec<Block> {
    let mut done = Vec::with_capacity(order.len());
    for block in order {
        let mut block = block;
        done.push(block);
        while let Some((inst, whole)) = first_whole(program, block) {
            expanded.changed = true;
            match whole {
                Whole::Checksum { memory, up_to } => {
                    let result = program.insts[inst].results[0];
                    let sum = checksum(program, block, inst, memory, up_to);
                    expanded.sums.insert(result, sum);
                }
                Whole::Copy { from, to, up_to } => {
                    let rest = cut(program, block, inst);
                    copy(program, &mut done, block, rest, inst, (from, to, up_to));
                    done.push(rest);
                    block = rest;
                }
            }
        }
    }
    done
}

fn first_whole(program: &Program, block: Block) -> Option<(Inst, Whole)> {
    let mut insts = program.blocks[block].insts.iter();
    insts.find_map(|inst| match program.insts[*inst].op {
        Op::Whole(whole) => Some((*inst, whole)),
        _ => None,
    })
}

/// Appends to a block.
struct Builder<'a> {
    program: &'a mut Program,
    block: Block,
    place: Option<PlaceId>,
}

impl Builder<'_> {
    fn op(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        self.program
            .append1(self.block, op, args, width, self.place)
    }

    fn constant(&mut self, value: u64, width: u32) -> Value {
        self.op(Op::Const(Bits::from_u64(value, width)), Vec::new(), width)
    }

    fn slice(&mut self, value: Value, lo: u32, width: u32) -> Value {
        self.op(Op::Slice { lo }, vec![value], width)
    }

    fn zext(&mut self, value: Value, width: u32) -> Value {
        self.op(Op::ZExt, vec![value], width)
    }

    fn load(&mut self, memory: Memory, offset: Value, bytes: u32) -> Value {
        let op = match memory {
            Memory::Stack => Op::StackLoad,
            Memory::Packet => Op::PacketLoad,
        };
        self.op(op, vec![offset], bytes * 8)
    }

    fn store(&mut self, memory: Memory, offset: Value, value: Value) {
        let op = match memory {
            Memory::Stack => Op::StackStore,
            Memory::Packet => Op::PacketStore,
        };
        self.program
            .append(self.block, op, vec![offset, value], &[], self.place);
    }

    /// Whether byte number `index` is inside the length.
    fn is_inside(&mut self, index: u32, length: Value) -> Value {
        let index = self.constant(index.into(), LENGTH_BITS);
        self.op(Op::Ult, vec![index, length], 1)
    }
}

/// How many bytes count: all of them, when the length is known.
fn known_length(program: &Program, length: Value, up_to: u32) -> (u32, Option<Value>) {
    match program.as_const(length).and_then(Bits::as_u64) {
        Some(known) => (up_to.min(known as u32), None),
        None => (up_to, Some(length)),
    }
}

/// Puts the sum in the place of the instruction.
fn checksum(program: &mut Program, block: Block, inst: Inst, memory: Memory, up_to: u32) -> Value {
    let args = program.insts[inst].args.clone();
    let (offset, length, seed) = (args[0], args[1], args[2]);
    let (bytes, length) = known_length(program, length, up_to);
    let result = program.insts[inst].results[0];
    let insts = &mut program.blocks[block].insts;
    let at = insts.iter().position(|other| *other == inst);
    let mut behind = insts.split_off(at.unwrap_or(insts.len()));
    let place = program.insts[inst].place;
    let mut builder = Builder {
        program,
        block,
        place,
    };
    let mut terms = vec![builder.zext(seed, SUM_BITS)];
    if bytes > 0 {
        let all = builder.load(memory, offset, bytes);
        for first in (0..bytes).step_by(2) {
            let word = word(&mut builder, all, first, bytes, length);
            terms.push(builder.zext(word, SUM_BITS));
        }
    }
    // As a tree, because a chain of them would be as deep as it is long.
    while terms.len() > 1 {
        let pairs = terms.chunks(2).map(|pair| match *pair {
            [a, b] => builder.op(Op::Add, vec![a, b], SUM_BITS),
            _ => pair[0],
        });
        terms = pairs.collect();
    }
    let mut sum = terms[0];
    // What is above 16 bits are at most 17; then 2, then 1 that adds to nearly nothing.
    for width in [18, 17, 16] {
        let from = builder.program.width(sum);
        let low = builder.slice(sum, 0, 16);
        let high = builder.slice(sum, 16, from - 16);
        let (low, high) = match width {
            16 => (low, builder.zext(high, 16)),
            _ => (builder.zext(low, width), builder.zext(high, width)),
        };
        sum = builder.op(Op::Add, vec![low, high], width);
    }
    program.values[sum].name = program.values[result].name.clone();
    program.blocks[block]
        .insts
        .extend(behind.split_off(1.min(behind.len())));
    sum
}

/// A word of a checksum: the bytes `first` and `first + 1`, as far as they are inside.
fn word(builder: &mut Builder, all: Value, first: u32, bytes: u32, length: Option<Value>) -> Value {
    let mut parts = Vec::new();
    for index in first..bytes.min(first + 2) {
        let byte = builder.slice(all, index * 8, 8);
        parts.push(match length {
            None => byte,
            Some(length) => {
                let inside = builder.is_inside(index, length);
                let zero = builder.constant(0, 8);
                builder.op(Op::Select, vec![inside, byte, zero], 8)
            }
        });
    }
    match parts[..] {
        [low, high] => builder.op(Op::Concat, vec![high, low], 16),
        _ => builder.zext(parts[0], 16),
    }
}

/// Copies between the end of `block` and `rest`; blocks that are made stand in `done`.
fn copy(
    program: &mut Program,
    done: &mut Vec<Block>,
    block: Block,
    rest: Block,
    inst: Inst,
    (from, to, up_to): (Memory, Memory, u32),
) {
    let (args, place) = (program.insts[inst].args.clone(), program.insts[inst].place);
    let (read_at, write_at) = (args[0], args[1]);
    let (bytes, length) = known_length(program, args[2], up_to);
    let target = |block| Target {
        block,
        args: Vec::new(),
    };
    let constant = program.as_const(write_at).and_then(Bits::as_u64);
    let mut builder = Builder {
        program,
        block,
        place,
    };
    if bytes > 0 {
        let all = builder.load(from, read_at, bytes);
        match length {
            None => builder.store(to, write_at, all),
            Some(length) => {
                for index in 0..bytes {
                    let inside = builder.is_inside(index, length);
                    let next = builder.program.make_block();
                    done.push(next);
                    builder.program.blocks[next].place = place;
                    builder.program.blocks[builder.block].terminator = Terminator::Branch {
                        cond: inside,
                        yes: target(next),
                        no: target(rest),
                    };
                    builder.block = next;
                    let distance = u64::from(index);
                    let offset = match constant {
                        Some(start) => builder.constant(start.wrapping_add(distance), 64),
                        None => {
                            let distance = builder.constant(distance, 64);
                            builder.op(Op::Add, vec![write_at, distance], 64)
                        }
                    };
                    let byte = builder.slice(all, index * 8, 8);
                    builder.store(to, offset, byte);
                }
            }
        }
    }
    let last = builder.block;
    program.blocks[last].terminator = Terminator::Jump(target(rest));
}
