//! Neighbouring packet bytes that are only used side by side are one field.
//!
//! ```text
//! v1 = packet.load 12:64  (8 bits)
//! v2 = packet.load 13:64  (8 bits)     →     v4 = packet.load 12:64  (16 bits)
//! v3 = concat v2, v1                         v3 = v4
//! ```
//!
//! Compilers read a packed field byte by byte and put it together with shifts. The hardware is the same; what a person
//! reads is not, and a compare with a constant needs no concatenation first.
//!
//! Only unguarded loads with constant offsets in the first block, before any store there: they all read the packet as
//! it came in.

use crate::fold;
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Inst, Op, Program, Value};
use std::collections::HashMap;

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let fields = find_loads(program);
    let next = find_neighbours(program, &fields);
    if next.is_empty() {
        return Ok(false);
    }
    let behind: Vec<Value> = next.values().copied().collect();
    let mut firsts: Vec<Value> = next
        .keys()
        .copied()
        .filter(|value| !behind.contains(value))
        .collect();
    firsts.sort();
    for first in firsts {
        let mut run = vec![first];
        while let Some(&value) = next.get(&run[run.len() - 1]) {
            run.push(value);
        }
        join(program, &fields, &run);
    }
    fold::run(program)?;
    Ok(true)
}

/// What a load reads.
#[derive(Clone, Copy)]
struct Field {
    inst: Inst,
    offset: u64,
    bytes: u64,
}

fn find_loads(program: &Program) -> HashMap<Value, Field> {
    let mut fields = HashMap::new();
    let Some(&entry) = program.order.first() else {
        return fields;
    };
    for &inst in &program.blocks[entry].insts {
        let data = &program.insts[inst];
        match data.op {
            Op::PacketStore | Op::PacketClear => break,
            Op::PacketLoad if data.guard.is_none() => {
                let offset = program.as_const(data.args[0]).and_then(Bits::as_u64);
                let bytes = u64::from(program.width(data.results[0]) / 8);
                if let Some(offset) = offset.filter(|offset| offset.checked_add(bytes).is_some()) {
                    let field = Field {
                        inst,
                        offset,
                        bytes,
                    };
                    fields.insert(data.results[0], field);
                }
            }
            _ => {}
        }
    }
    fields
}

/// For a load the one behind it in the packet, when all uses of both are side by side in concatenations.
fn find_neighbours(program: &Program, fields: &HashMap<Value, Field>) -> HashMap<Value, Value> {
    let uses = program.use_counts();
    let mut together: HashMap<(Value, Value), u32> = HashMap::new();
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        if data.op != Op::Concat {
            continue;
        }
        for pair in data.args.windows(2) {
            let (Some(a), Some(b)) = (fields.get(&pair[0]), fields.get(&pair[1])) else {
                continue;
            };
            // As they lie in the packet, or byte-swapped.
            if b.offset + b.bytes == a.offset {
                *together.entry((pair[1], pair[0])).or_default() += 1;
            } else if a.offset + a.bytes == b.offset {
                *together.entry((pair[0], pair[1])).or_default() += 1;
            }
        }
    }
    let mut next = HashMap::new();
    let mut has_previous: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut pairs: Vec<((Value, Value), u32)> = together.into_iter().collect();
    pairs.sort();
    for ((low, high), count) in pairs {
        if uses[low] == count
            && uses[high] == count
            && !next.contains_key(&low)
            && !has_previous[high]
        {
            next.insert(low, high);
            has_previous[high] = true;
        }
    }
    next
}

/// One load for a run of neighbours, where the first of them in program order stands.
fn join(program: &mut Program, fields: &HashMap<Value, Field>, run: &[Value]) {
    let entry = program.order[0];
    let parts: Vec<Field> = run
        .iter()
        .filter_map(|value| fields.get(value).copied())
        .collect();
    let insts = &program.blocks[entry].insts;
    let position = insts
        .iter()
        .position(|inst| parts.iter().any(|part| part.inst == *inst));
    let (Some(position), Some(first)) = (position, parts.first().copied()) else {
        return;
    };
    let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
    let place = program.insts[first.inst].place;
    let name = run
        .iter()
        .find_map(|&value| program.values[value].name.clone());
    let offset = Op::Const(Bits::from_u64(first.offset, 64));
    let offset = program.make_inst(offset, Vec::new(), &[64], None);
    let offset_value = program.insts[offset].results[0];
    let width = bytes as u32 * 8;
    let load = program.make_inst(Op::PacketLoad, vec![offset_value], &[width], place);
    let whole = program.insts[load].results[0];
    program.values[whole].name = name;
    let mut made = vec![offset, load];
    for part in &parts {
        // The old load's value becomes a slice of the new one.
        let lo = (part.offset - first.offset) as u32 * 8;
        let data = &mut program.insts[part.inst];
        data.op = Op::Slice { lo };
        data.args = vec![whole];
        made.push(part.inst);
    }
    let mut insts = Vec::new();
    for (index, inst) in std::mem::take(&mut program.blocks[entry].insts)
        .into_iter()
        .enumerate()
    {
        if index == position {
            insts.append(&mut made);
        }
        if !parts.iter().any(|part| part.inst == inst) {
            insts.push(inst);
        }
    }
    program.blocks[entry].insts = insts;
}
