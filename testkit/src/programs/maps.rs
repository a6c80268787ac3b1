//! Random map operations, as lowered programs do them: a value is touched only after a hit.

use super::of_width;
use crate::Random;
use cranelift_entity::EntityRef;
use hardpath_ir::{
    Answer, AtomicOp, Bits, Block, Find, Inst, MapDecl, MapId, May, Op, Program, Value,
};

/// An array, one of one entry and two tables of exact keys, with small keys, so that packets meet.
pub fn declare(program: &mut Program) {
    let kinds = [
        ("array", Find::Array, 3),
        ("single", Find::Array, 1),
        ("hash", Find::Exact, 3),
        ("other", Find::Exact, 64),
    ];
    for (name, find, max_entries) in kinds {
        program
            .maps
            .push(MapDecl::new(name, find, (4, 8), max_entries));
    }
}

/// A key that is often the same.
fn key(program: &mut Program, block: Block, random: &mut Random, values: &[Value]) -> Value {
    if random.below(4) == 0 {
        return program.append_const(block, Bits::from_u64(random.below(5), 32));
    }
    let low = of_width(program, block, random, values, 2);
    program.append1(block, Op::ZExt, vec![low], 32, None)
}

fn push(
    program: &mut Program,
    block: Block,
    op: Op,
    args: Vec<Value>,
    widths: &[u32],
    guard: Option<Value>,
) -> Inst {
    let inst = program.append(block, op, args, widths, None);
    program.insts[inst].guard = guard;
    inst
}

/// A lookup: hit and entry.
pub fn lookup(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &[Value],
    guard: Option<Value>,
) -> (MapId, Value, Value) {
    let map = MapId::new(random.below(4) as usize);
    let key = key(program, block, random, values);
    let inst = push(
        program,
        block,
        Op::MapLookup(map),
        vec![key],
        &[1, 32],
        guard,
    );
    let results = &program.insts[inst].results;
    (map, results[0], results[1])
}

/// Some accesses to the value of an entry that exists.
pub fn touch(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &mut Vec<Value>,
    (map, entry): (MapId, Value),
    guard: Option<Value>,
) {
    for _ in 0..1 + random.below(3) {
        let bytes = *random.pick(&[4, 8]);
        let offset = Bits::from_u64(random.below(2) * (8 - bytes), 32);
        let offset = program.append_const(block, offset);
        let width = bytes as u32 * 8;
        match random.below(4) {
            0 | 1 => {
                let args = vec![entry, offset];
                let load = push(program, block, Op::MapLoad(map), args, &[width], guard);
                values.push(program.insts[load].results[0]);
            }
            2 => {
                let value = of_width(program, block, random, values, width);
                let args = vec![entry, offset, value];
                push(program, block, Op::MapStore(map), args, &[], guard);
            }
            _ => {
                let operand = of_width(program, block, random, values, width);
                let args = vec![entry, offset, operand];
                let op = *random.pick(&[AtomicOp::Add, AtomicOp::Xor]);
                let inst = push(
                    program,
                    block,
                    Op::MapAtomic(map, op),
                    args,
                    &[width],
                    guard,
                );
                if random.below(2) == 0 {
                    values.push(program.insts[inst].results[0]);
                }
            }
        }
    }
}

/// An update or a deletion.
pub fn change(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &mut Vec<Value>,
    guard: Option<Value>,
) {
    let map = MapId::new(2 + random.below(2) as usize);
    let key = key(program, block, random, values);
    let inst = if random.below(3) == 0 {
        push(
            program,
            block,
            Op::MapDelete(map),
            vec![key],
            &[Answer::BITS],
            guard,
        )
    } else {
        let value = of_width(program, block, random, values, 64);
        let may = Bits::from_u64(1 + random.below(3), May::BITS);
        let may = program.append_const(block, may);
        let args = vec![key, value, may];
        push(
            program,
            block,
            Op::MapUpdate(map),
            args,
            &[Answer::BITS],
            guard,
        )
    };
    values.push(program.insts[inst].results[0]);
}

/// One group of map operations under a guard (dataflow phase).
pub fn guarded_group(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &mut Vec<Value>,
    guards: &mut Vec<Value>,
) {
    // Guards often share a condition, once as it is and once inverted.
    let mut guard = of_width(program, block, random, values, 1);
    if !guards.is_empty() && random.below(3) > 0 {
        let other = *random.pick(guards);
        let inverse = program.append1(block, Op::Not, vec![other], 1, None);
        guard = match random.below(3) {
            0 => inverse,
            1 => program.append1(block, Op::And, vec![guard, inverse], 1, None),
            _ => program.append1(block, Op::And, vec![guard, other], 1, None),
        };
    }
    guards.push(guard);
    let guard = (random.below(6) > 0).then_some(guard);
    if random.below(4) == 0 {
        change(program, block, random, values, guard);
        return;
    }
    let (map, hit, entry) = lookup(program, block, random, values, guard);
    values.push(hit);
    // A miss gives guard 0, as does a lookup that does not happen.
    touch(program, block, random, values, (map, entry), Some(hit));
}
