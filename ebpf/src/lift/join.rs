//! Where paths meet: one abstract value for the values of all edges, with block parameters for what differs.

use std::rc::Rc;

use hardpath_ir::{Block, Value};

use super::builder::Builder;
use super::facts::Facts;
use super::moves::Extent;
use super::range::Range;
use super::stack::{Path, Spill};
use super::state::{AbstractValue, MapPointer, Operand, State};

/// A way into a block.
pub struct Edge {
    /// The block that it leaves from.
    pub from: Block,
    pub side: Side,
    pub state: State,
    /// Arguments for the parameters of the target.
    pub args: Vec<Value>,
}

/// Which target of the terminator an edge is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Jump,
    Yes,
    No,
}

/// The state at the beginning of a block. Parameters are added to the block, and arguments to the edges, for what
/// is not the same on all of them. Registers that are not in `live` are forgotten.
pub fn join(builder: &mut Builder, block: Block, edges: &mut [Edge], live: u16) -> State {
    let mut state = edges[0].state.clone();
    for (register, known) in state.registers.iter_mut().enumerate() {
        if live >> register & 1 == 0 && register != 10 {
            *known = AbstractValue::Uninitialised;
        }
    }
    if edges.len() == 1 {
        let roots = state.operands();
        state.facts.keep_reachable(builder, roots);
        return state;
    }
    for register in 0..10 {
        if live >> register & 1 == 1 {
            let values = edges
                .iter()
                .map(|edge| edge.state.registers[register])
                .collect();
            let name = format!("r{register}");
            state.registers[register] = join_values(builder, block, edges, values, &name);
        }
    }
    join_callers(builder, block, edges, &mut state);
    let mut slots: Vec<u32> = edges
        .iter()
        .flat_map(|edge| edge.state.stack.spills.keys().copied())
        .collect();
    slots.sort_unstable();
    slots.dedup();
    for slot in slots {
        let spill = join_spills(builder, block, edges, slot);
        Rc::make_mut(&mut state.stack.spills).insert(slot, spill);
    }
    let bounds: Vec<_> = edges
        .iter()
        .map(|edge| |operand, width| builder.range_in(&edge.state.facts, operand, width))
        .collect();
    let paths: Vec<Path> = edges
        .iter()
        .zip(&bounds)
        .map(|(edge, bounds)| Path {
            stack: &edge.state.stack,
            bounds,
        })
        .collect();
    state.stack.join_numbers(&paths);
    let facts: Vec<&Facts> = edges.iter().map(|edge| &edge.state.facts).collect();
    state.facts = Facts::join(builder, &facts);
    let destinations = edges.iter().map(|edge| edge.state.destination).collect();
    state.destination = join_operands(builder, block, edges, destinations, 32, "destination");
    let targets = edges
        .iter()
        .map(|edge| edge.state.redirect_target)
        .collect();
    state.redirect_target = join_operands(builder, block, edges, targets, 32, "redirect_target");
    join_extents(builder, block, edges, &mut state);
    let agreed = |value: &Value, bit: &mut bool| {
        edges
            .iter()
            .all(|edge| edge.state.decided.get(value) == Some(bit))
    };
    Rc::make_mut(&mut state.decided).retain(agreed);
    if edges
        .iter()
        .any(|edge| edge.state.tail_calls != state.tail_calls)
    {
        state.tail_calls = None;
    }
    state
}

/// Where the packet lies in its memory.
fn join_extents(builder: &mut Builder, block: Block, edges: &mut [Edge], state: &mut State) {
    let extents: Vec<Extent> = edges.iter().map(|edge| edge.state.extent).collect();
    let heads = extents.iter().map(|extent| extent.head).collect();
    state.extent.head = join_operands(builder, block, edges, heads, 64, "head");
    let metas = extents.iter().map(|extent| extent.meta).collect();
    state.extent.meta = join_operands(builder, block, edges, metas, 64, "metadata_bytes");
    let mut join_ends = |ends: Vec<Option<Operand>>, name| {
        if ends.iter().all(Option::is_none) {
            return None;
        }
        let length = builder.original_length();
        let ends = ends.into_iter().map(|end| end.unwrap_or(length)).collect();
        Some(join_operands(builder, block, edges, ends, 64, name))
    };
    state.extent.end = join_ends(extents.iter().map(|extent| extent.end).collect(), "end");
    state.extent.keep = join_ends(extents.iter().map(|extent| extent.keep).collect(), "keep");
}

/// What the callers find again; the edges of a block have the same ones.
fn join_callers(builder: &mut Builder, block: Block, edges: &mut [Edge], state: &mut State) {
    for (depth, saved) in state.callers.iter_mut().enumerate() {
        let registers = saved.registers.iter_mut().enumerate();
        for (place, joined) in registers.chain([(4, &mut saved.context)]) {
            let values = edges
                .iter()
                .map(|edge| {
                    let saved = &edge.state.callers[depth];
                    saved.registers.get(place).copied().unwrap_or(saved.context)
                })
                .collect();
            let name = match place {
                4 => "loop_context".to_string(),
                _ => format!("r{}", place + 6),
            };
            *joined = join_values(builder, block, edges, values, &name);
        }
        let rounds = edges.iter().map(|edge| edge.state.callers[depth].round);
        let rounds = rounds.collect();
        saved.round = join_operands(builder, block, edges, rounds, 32, "round");
    }
}

fn join_spills(builder: &mut Builder, block: Block, edges: &mut [Edge], slot: u32) -> Spill {
    let spills: Vec<Option<Spill>> = edges
        .iter()
        .map(|edge| edge.state.stack.spills.get(&slot).copied())
        .collect();
    let bytes = spills
        .iter()
        .flatten()
        .fold(0, |all, spill| all | spill.bytes);
    let whole: Option<Vec<AbstractValue>> = spills
        .iter()
        .map(|spill| {
            spill
                .filter(|spill| spill.bytes == 0xff)
                .map(|spill| spill.value)
        })
        .collect();
    let value = match whole {
        Some(values) => join_values(
            builder,
            block,
            edges,
            values,
            &format!("stack_{}", slot * 8),
        ),
        None => AbstractValue::Unusable("a stack slot that holds a pointer on some paths only"),
    };
    Spill { value, bytes }
}

fn join_values(
    builder: &mut Builder,
    block: Block,
    edges: &mut [Edge],
    mut values: Vec<AbstractValue>,
    name: &str,
) -> AbstractValue {
    use AbstractValue::*;
    let first = values[0];
    if values.iter().all(|value| *value == first) {
        return first;
    }
    if values.contains(&Reported) {
        return Reported;
    }
    if values.contains(&Uninitialised) {
        return Unusable("a value that is not set on every path");
    }
    if let Some(unusable) = values.iter().find(|value| matches!(value, Unusable(_))) {
        return *unusable;
    }
    if values.iter().any(|value| matches!(value, MapValue(_))) {
        if let Some(pointer) = join_map_pointers(builder, block, edges, &values, name) {
            return MapValue(pointer);
        }
        for (value, edge) in values.iter_mut().zip(edges.iter()) {
            *value = edge.state.simplify(*value);
        }
    }
    // The offsets of all values, if they are of the first one's kind.
    let offsets: Option<Vec<Operand>> = values
        .iter()
        .map(|value| match (values[0], *value) {
            (Scalar(_), Scalar(operand))
            | (Packet(_), Packet(operand))
            | (PacketEnd(_), PacketEnd(operand))
            | (PacketLow(_), PacketLow(operand))
            | (OldPacket(_), OldPacket(operand))
            | (Stack(_), Stack(operand)) => Some(operand),
            (Rodata { map, .. }, Rodata { map: other, offset }) if map == other => Some(offset),
            _ => None,
        })
        .collect();
    let Some(offsets) = offsets else {
        return Unusable(
            "a pointer on some paths and something else, or a pointer to something else, on others",
        );
    };
    let joined = join_operands(builder, block, edges, offsets, 64, name);
    match values[0] {
        Packet(_) => Packet(joined),
        PacketEnd(_) => PacketEnd(joined),
        PacketLow(_) => PacketLow(joined),
        OldPacket(_) => OldPacket(joined),
        Stack(_) => Stack(joined),
        Rodata { map, .. } => Rodata {
            map,
            offset: joined,
        },
        _ => Scalar(joined),
    }
}

/// Pointers to values of one map, where the number 0 is the null pointer.
fn join_map_pointers(
    builder: &mut Builder,
    block: Block,
    edges: &mut [Edge],
    values: &[AbstractValue],
    name: &str,
) -> Option<MapPointer> {
    let map = values.iter().find_map(|value| match value {
        AbstractValue::MapValue(pointer) => Some(pointer.map),
        _ => None,
    })?;
    let zero = Operand::Const(0);
    let null = MapPointer {
        map,
        hit: zero,
        entry: zero,
        offset: zero,
        is_stale: false,
    };
    let pointers = values
        .iter()
        .map(|value| match value {
            AbstractValue::MapValue(pointer) if pointer.map == map => Some(*pointer),
            AbstractValue::Scalar(Operand::Const(0)) => Some(null),
            _ => None,
        })
        .collect::<Option<Vec<MapPointer>>>()?;
    let mut part = |select: fn(&MapPointer) -> Operand, width: u32, suffix: &str| {
        let operands = pointers.iter().map(select).collect();
        join_operands(
            builder,
            block,
            edges,
            operands,
            width,
            &format!("{name}_{suffix}"),
        )
    };
    Some(MapPointer {
        map,
        is_stale: pointers.iter().any(|pointer| pointer.is_stale),
        hit: part(|pointer| pointer.hit, 1, "hit"),
        entry: part(|pointer| pointer.entry, 32, "entry"),
        offset: part(|pointer| pointer.offset, 64, "offset"),
    })
}

fn join_operands(
    builder: &mut Builder,
    block: Block,
    edges: &mut [Edge],
    operands: Vec<Operand>,
    width: u32,
    name: &str,
) -> Operand {
    if operands.iter().all(|operand| *operand == operands[0]) {
        return operands[0];
    }
    let bounds = edges
        .iter()
        .zip(&operands)
        .map(|(edge, operand)| builder.range_in(&edge.state.facts, *operand, width));
    let hull = bounds.reduce(Range::hull);
    let parameter = builder.program.add_param(block, width);
    if let Some(hull) = hull {
        builder.limit(parameter, hull);
    }
    builder.note_made(parameter, &operands, width);
    let operands_of_edges = edges.iter_mut().zip(operands);
    for (edge, operand) in operands_of_edges {
        let value = builder.value_in(edge.from, operand, width);
        edge.args.push(value);
    }
    builder.name(Operand::Value(parameter), name);
    Operand::Value(parameter)
}
