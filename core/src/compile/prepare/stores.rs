//! Neighbouring bytes of the packet that one load, value or number has are written at once.
//!
//! ```text
//! v1 = packet.load 6:64  (16 bits)
//! v2 = packet.load 8:64  (16 bits)         v9 = packet.load 6:64  (32 bits)
//! packet.store 0:64, v1               →    packet.store 0:64, v9
//! packet.store 2:64, v2
//! ```
//!
//! Bytes of a value that stands already are as good: `slice v1, 0` and `slice v1, 16` are `slice v1, 0` of 32 bits.
//!
//! Only in one block, at constant offsets, where nothing between the first and the last of the stores reads or writes the packet at
//! bytes that they write, or at an offset that nobody knows.

use hardpath_ir::structure::Whole;
use hardpath_ir::{Bits, Block, Inst, Op, Program, Value, ValueDef};

/// Bytes of a store of the core.
const BYTES: i64 = 8;

/// A store at a constant offset.
#[derive(Clone, Copy)]
struct Part {
    inst: Inst,
    /// In its block.
    at: usize,
    offset: i64,
    bytes: i64,
    value: Value,
}

/// What is written.
#[derive(Clone, PartialEq)]
enum Origin {
    /// Bytes of the packet from here on, by a load that stands there in its block.
    Packet(i64),
    /// Bits of a value, from this one on.
    Value(Value, i64),
    Known(Bits),
}

/// Gives whether something changed.
pub fn merge(program: &mut Program) -> bool {
    let mut changed = false;
    for block in program.order.clone() {
        while let Some(run) = find(program, block) {
            join(program, block, &run);
            changed = true;
        }
    }
    changed
}

/// Stores of a block that can be one, in the order of their bytes.
fn find(program: &Program, block: Block) -> Option<Vec<Part>> {
    let insts = &program.blocks[block].insts;
    let mut parts: Vec<Part> = Vec::new();
    for (at, &inst) in insts.iter().enumerate() {
        let data = &program.insts[inst];
        if data.op != Op::PacketStore {
            continue;
        }
        let Some(offset) = program.as_const(data.args[0]) else {
            continue;
        };
        parts.push(Part {
            inst,
            at,
            offset: offset.low_u64() as i64,
            bytes: i64::from(program.width(data.args[1]) / 8),
            value: data.args[1],
        });
    }
    parts.sort_by_key(|part| part.offset);
    (0..parts.len()).find_map(|first| {
        let mut run = vec![parts[first]];
        let mut best = None;
        for next in &parts[first + 1..] {
            let end = run.last().map_or(0, |last| last.offset + last.bytes);
            if next.offset != end || end + next.bytes - run[0].offset > BYTES {
                break;
            }
            run.push(*next);
            if is_whole(program, block, &run) && is_undisturbed(program, block, &run) {
                best = Some(run.clone());
            }
        }
        best
    })
}

fn origin(program: &Program, block: Block, value: Value) -> Option<Origin> {
    if let Some(bits) = program.as_const(value) {
        return Some(Origin::Known(bits.clone()));
    }
    let data = program.def_inst(value)?;
    if let Op::Slice { lo } = data.op {
        return Some(Origin::Value(data.args[0], lo.into()));
    }
    let ValueDef::Result(inst, _) = program.values[value].def else {
        return None;
    };
    let here = program.blocks[block].insts.contains(&inst);
    let offset = program.as_const(*data.args.first()?)?.low_u64() as i64;
    (here && data.op == Op::PacketLoad).then_some(Origin::Packet(offset))
}

/// What is written comes from one place.
fn is_whole(program: &Program, block: Block, run: &[Part]) -> bool {
    let origins: Option<Vec<Origin>> = run
        .iter()
        .map(|part| origin(program, block, part.value))
        .collect();
    let Some(origins) = origins else {
        return false;
    };
    let distance = |part: &Part| part.offset - run[0].offset;
    std::iter::zip(run, &origins).all(|(part, origin)| match (origin, &origins[0]) {
        (Origin::Known(_), Origin::Known(_)) => true,
        (Origin::Packet(from), Origin::Packet(first)) => *from == first + distance(part),
        (Origin::Value(value, from), Origin::Value(other, first)) => {
            value == other && *from == first + 8 * distance(part)
        }
        _ => false,
    })
}

/// Between its first load or store and its last store nothing else touches the bytes that are written or read.
fn is_undisturbed(program: &Program, block: Block, run: &[Part]) -> bool {
    let insts = &program.blocks[block].insts;
    let last = run.iter().map(|part| part.at).max().unwrap_or(0);
    let loads: Vec<usize> = match origin(program, block, run[0].value) {
        Some(Origin::Packet(_)) => made_at(program, block, run).collect(),
        _ => Vec::new(),
    };
    let first_store = run.iter().map(|part| part.at).min().unwrap_or(0);
    let first_load = loads.iter().copied().min().unwrap_or(first_store);
    let last_load = loads.iter().copied().max().unwrap_or(0);
    let written = (run[0].offset, run[0].offset + length(run));
    let read = match origin(program, block, run[0].value) {
        Some(Origin::Packet(from)) => (from, from + length(run)),
        _ => (0, 0),
    };
    (first_load.min(first_store)..=last).all(|at| {
        let data = &program.insts[insts[at]];
        let value = match data.op {
            Op::PacketLoad => data.results[0],
            Op::PacketStore => data.args[1],
            Op::PacketClear | Op::Whole(Whole::Copy { .. } | Whole::Checksum { .. }) => {
                return false
            }
            _ => return true,
        };
        let Some(offset) = program.as_const(data.args[0]) else {
            return false;
        };
        let offset = offset.low_u64() as i64;
        let end = offset + i64::from(program.width(value) / 8);
        let meets = |(first, behind): (i64, i64)| offset < behind && first < end;
        let own = run.iter().any(|part| part.inst == insts[at]);
        // Stores move down to the last of them, loads up to the first.
        let sees_store = !own && at > first_store && meets(written);
        let seen_by_load = data.op == Op::PacketStore && (first_load..last_load).contains(&at);
        !(sees_store || seen_by_load && meets(read))
    })
}

/// Where in the block the values are made that are written.
fn made_at<'a>(
    program: &'a Program,
    block: Block,
    run: &'a [Part],
) -> impl Iterator<Item = usize> + 'a {
    let insts = &program.blocks[block].insts;
    run.iter()
        .filter_map(|part| match program.values[part.value].def {
            ValueDef::Result(inst, _) => insts.iter().position(|other| *other == inst),
            ValueDef::Param(..) => None,
        })
}

fn length(run: &[Part]) -> i64 {
    run.iter().map(|part| part.bytes).sum()
}

/// One store in place of the last of them.
fn join(program: &mut Program, block: Block, run: &[Part]) {
    let width = length(run) as u32 * 8;
    let place = program.insts[run[0].inst].place;
    let mut new = Vec::new();
    let from = origin(program, block, run[0].value);
    let value = match from {
        Some(Origin::Packet(from)) => {
            let offset = Bits::from_u64(from as u64, 64);
            let offset = program.make_inst(Op::Const(offset), Vec::new(), &[64], None);
            let args = vec![program.insts[offset].results[0]];
            let load = program.make_inst(Op::PacketLoad, args, &[width], place);
            let first = made_at(program, block, run).min();
            let at = first.expect("it is loaded");
            program.blocks[block].insts.splice(at..at, [offset, load]);
            program.insts[load].results[0]
        }
        Some(Origin::Value(whole, lo)) => {
            let lo = lo as u32;
            let slice = program.make_inst(Op::Slice { lo }, vec![whole], &[width], place);
            new.push(slice);
            program.insts[slice].results[0]
        }
        _ => {
            let parts = run.iter().rev().map(|part| part.value).collect();
            let concat = program.make_inst(Op::Concat, parts, &[width], place);
            new.push(concat);
            program.insts[concat].results[0]
        }
    };
    let offset = Bits::from_u64(run[0].offset as u64, 64);
    let offset = program.make_inst(Op::Const(offset), Vec::new(), &[64], None);
    let args = vec![program.insts[offset].results[0], value];
    let store = program.make_inst(Op::PacketStore, args, &[], place);
    new.extend([offset, store]);
    let insts = &mut program.blocks[block].insts;
    let last = run.iter().max_by_key(|part| part.at).map(|part| part.inst);
    let at = insts.iter().position(|inst| Some(*inst) == last);
    let at = at.expect("it is there");
    insts.splice(at..at, new);
    insts.retain(|inst| !run.iter().any(|part| part.inst == *inst));
}
