//! Bytes that lie close together are read at once.
//!
//! ```text
//! v1 = packet.load 12:64  (16 bits)        v9 = packet.load 12:64  (64 bits)
//! v2 = packet.load 14:64  (8 bits)    →    v1 = slice v9, 0
//!                                          v2 = slice v9, 16
//! ```
//!
//! A field of a register costs nothing. Only loads at constant offsets that see their memory as it was when the packet came in: no way
//! to them has a store to their bytes. Of maps: values of an entry of a map that the program has not written.

use crate::interpreter::low;
use cranelift_entity::SecondaryMap;
use hardpath_ir::graph::{Dominators, Graph};
use hardpath_ir::structure::{Memory, Whole};
use hardpath_ir::{Bits, Block, Inst, MapId, Op, Program, Value};
use std::collections::{BTreeMap, HashSet};

/// Bytes of a load of the core.
const BYTES: i64 = 8;

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Packet,
    Value(MapId, Value),
}

/// A load that may be part of another.
#[derive(Clone, Copy)]
struct Part {
    block: Block,
    inst: Inst,
    offset: i64,
    bytes: i64,
}

/// Gives whether something changed.
pub fn widen(program: &mut Program) -> bool {
    let graph = Graph::new(program, &program.order);
    let dominators = graph.dominators();
    let mut groups = Vec::new();
    for (source, mut parts) in loads(program) {
        parts.sort_by_key(|part| (part.offset, part.bytes));
        let mut parts = parts.into_iter().peekable();
        while let Some(first) = parts.next() {
            let mut group = vec![first];
            while let Some(next) =
                parts.next_if(|next| next.offset + next.bytes <= first.offset + BYTES)
            {
                group.push(next);
            }
            if group.len() > 1 {
                groups.push((source, group));
            }
        }
    }
    let changed = !groups.is_empty();
    for (source, group) in groups {
        join(program, &graph, &dominators, source, &group);
    }
    changed
}

/// Loads from where another load has read on every way there, with nothing written to the packet since, give what that gave. Gives whether
/// something changed.
pub fn reuse(program: &mut Program) -> bool {
    let graph = Graph::new(program, &program.order);
    let dominators = graph.dominators();
    let written = written(program);
    let mut before: Vec<(usize, Value, Value)> = Vec::new();
    let mut changed = false;
    for (node, &block) in program.order.clone().iter().enumerate() {
        let mut is_as_it_was = written[block].iter().all(|target| !target.is_of_packet());
        for inst in program.blocks[block].insts.clone() {
            let data = &program.insts[inst];
            if data.op != Op::PacketLoad {
                let mut targets = HashSet::new();
                changes(program, inst, &mut targets);
                is_as_it_was &= targets.iter().all(|target| !target.is_of_packet());
                continue;
            }
            if !is_as_it_was {
                break;
            }
            let (at, value) = (data.args[0], data.results[0]);
            let width = program.width(value);
            let fits = |(above, from, loaded): &&(usize, Value, Value)| {
                *from == at && program.width(*loaded) >= width && dominators.dominates(*above, node)
            };
            match before.iter().find(fits) {
                Some((_, _, loaded)) => {
                    let args = vec![*loaded];
                    let data = &mut program.insts[inst];
                    (data.op, data.args) = (Op::Slice { lo: 0 }, args);
                    changed = true;
                }
                None => before.push((node, at, value)),
            }
        }
    }
    changed
}

/// All loads that see what was there at first.
fn loads(program: &Program) -> BTreeMap<Source, Vec<Part>> {
    let written = written(program);
    let mut all: BTreeMap<Source, Vec<Part>> = BTreeMap::new();
    for &block in &program.order {
        let mut changed = written[block].clone();
        for &inst in &program.blocks[block].insts {
            let data = &program.insts[inst];
            let (source, offset) = match data.op {
                Op::PacketLoad => (Source::Packet, data.args[0]),
                Op::MapLoad(map) => (Source::Value(map, data.args[0]), data.args[1]),
                _ => {
                    changes(program, inst, &mut changed);
                    continue;
                }
            };
            let Some(offset) = program.as_const(offset) else {
                continue;
            };
            let offset = offset.low_u64() as i64;
            let bytes = i64::from(program.width(data.results[0]) / 8);
            let is_changed = changed
                .iter()
                .any(|target| target.meets(source, offset, bytes));
            if bytes <= BYTES && !is_changed && offset.abs() < 1 << 16 {
                let part = Part {
                    block,
                    inst,
                    offset,
                    bytes,
                };
                all.entry(source).or_default().push(part);
            }
        }
    }
    all
}

/// What can be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    /// Bytes of the packet: the first one, and the one behind the last.
    Bytes(i64, i64),
    Packet,
    Map(MapId),
}

impl Target {
    fn is_of_packet(&self) -> bool {
        !matches!(self, Target::Map(_))
    }

    fn meets(&self, source: Source, offset: i64, bytes: i64) -> bool {
        match (*self, source) {
            (Target::Bytes(first, end), Source::Packet) => first < offset + bytes && offset < end,
            (Target::Packet, Source::Packet) => true,
            (Target::Map(map), Source::Value(other, _)) => map == other,
            _ => false,
        }
    }
}

fn changes(program: &Program, inst: Inst, changed: &mut HashSet<Target>) {
    let data = &program.insts[inst];
    let op = &data.op;
    match op {
        Op::PacketStore => {
            let bytes = i64::from(program.width(data.args[1]) / 8);
            let known = program
                .as_const(data.args[0])
                .map(|bits| bits.low_u64() as i64);
            changed.insert(match known {
                Some(first) => Target::Bytes(first, first.saturating_add(bytes)),
                None => Target::Packet,
            });
        }
        Op::PacketClear
        | Op::Whole(Whole::Copy {
            to: Memory::Packet, ..
        }) => {
            changed.insert(Target::Packet);
        }
        _ => {}
    }
    if let Some(map) = op.map().filter(|_| op.writes()) {
        changed.insert(Target::Map(map));
    }
}

/// What may have been written when a block begins.
fn written(program: &Program) -> SecondaryMap<Block, HashSet<Target>> {
    let mut at: SecondaryMap<Block, HashSet<Target>> = SecondaryMap::new();
    let mut again = true;
    while again {
        again = false;
        for &block in &program.order {
            let mut behind = at[block].clone();
            for inst in &program.blocks[block].insts {
                changes(program, *inst, &mut behind);
            }
            for target in program.blocks[block].terminator.targets() {
                let before = at[target.block].len();
                at[target.block].extend(behind.iter().copied());
                again |= at[target.block].len() > before;
            }
        }
    }
    at
}

/// One load in place of several, in front of the first of them on every way.
fn join(
    program: &mut Program,
    graph: &Graph,
    dominators: &Dominators,
    source: Source,
    group: &[Part],
) {
    let node = |block: Block| graph.node(block).expect("it is in the order");
    let mut common = node(group[0].block);
    for part in group {
        while !dominators.dominates(common, node(part.block)) {
            common = dominators
                .immediate(common)
                .expect("the entry dominates all");
        }
    }
    let block = program.order[common];
    let insts = &program.blocks[block].insts;
    let is_part = |inst: &Inst| group.iter().any(|part| part.inst == *inst);
    let at = insts.iter().position(is_part).unwrap_or(insts.len());
    let first = group[0].offset;
    let end = group.iter().map(|part| part.offset + part.bytes).max();
    let bytes = end.map_or(0, |end| end - first);
    let width = bytes as u32 * 8;
    let place = program.insts[group[0].inst].place;
    let name = program.values[program.insts[group[0].inst].results[0]]
        .name
        .clone();
    let (op, offset_width, entry) = match source {
        Source::Packet => (Op::PacketLoad, 64, None),
        Source::Value(map, entry) => (Op::MapLoad(map), 32, Some(entry)),
    };
    let offset = Bits::from_u64(
        first as u64 & low(u64::MAX, offset_width as u8),
        offset_width,
    );
    let offset = program.make_inst(Op::Const(offset), Vec::new(), &[offset_width], None);
    let offset_value = program.insts[offset].results[0];
    let args = entry.into_iter().chain([offset_value]).collect();
    let load = program.make_inst(op, args, &[width], place);
    let whole = program.insts[load].results[0];
    program.values[whole].name = name;
    program.blocks[block].insts.splice(at..at, [offset, load]);
    for part in group {
        let lo = (part.offset - first) as u32 * 8;
        let data = &mut program.insts[part.inst];
        data.op = Op::Slice { lo };
        data.args = vec![whole];
    }
}
