//! What is read, added to and written back, and nothing else, is added where it stands.
//!
//! ```text
//! v1 = map.load @hits v0, v9
//! v2 = add v1, v3                 →     v4 = map.atomic @hits add v0, v9, v3
//! map.store @hits v0, v9, v2
//! ```
//!
//! One packet runs after the other, so nobody can tell.

use super::super::uses::uses;
use cranelift_entity::SecondaryMap;
use hardpath_ir::{AtomicOp, Inst, MapId, Op, Program, Value};

/// What the IR has atomics of.
const ATOMIC_BITS: [u32; 2] = [32, 64];

/// Gives whether something changed.
pub fn add_in_place(program: &mut Program) -> bool {
    let uses = uses(program);
    let mut found = Vec::new();
    for &block in &program.order {
        let insts = &program.blocks[block].insts;
        for (at, &inst) in insts.iter().enumerate() {
            if let Some((load, other)) = sum(program, inst, &uses) {
                let from = insts.iter().position(|inst| *inst == load);
                let Some(from) = from.filter(|from| *from < at) else {
                    continue;
                };
                let map = program.insts[inst].op.map().expect("it is a store");
                if insts[from + 1..at]
                    .iter()
                    .all(|inst| !touches(program, *inst, map))
                {
                    found.push((block, inst, other));
                }
            }
        }
    }
    for &(block, store, other) in &found {
        let data = program.insts[store].clone();
        let map = data.op.map().expect("it is a store");
        let args = vec![data.args[0], data.args[1], other];
        let width = program.width(other);
        let op = Op::MapAtomic(map, AtomicOp::Add);
        let new = program.make_inst(op, args, &[width], data.place);
        let insts = &mut program.blocks[block].insts;
        let at = insts.iter().position(|inst| *inst == store);
        insts[at.expect("it was there")] = new;
    }
    !found.is_empty()
}

/// Of a store: the load and the summand, when what is stored is their sum and serves nothing else.
fn sum(program: &Program, inst: Inst, uses: &SecondaryMap<Value, u32>) -> Option<(Inst, Value)> {
    let store = &program.insts[inst];
    let Op::MapStore(map) = store.op else {
        return None;
    };
    let value = store.args[2];
    let made = program.def_inst(value)?;
    if made.op != Op::Add || uses[value] != 1 || !ATOMIC_BITS.contains(&program.width(value)) {
        return None;
    }
    [(0, 1), (1, 0)].into_iter().find_map(|(old, other)| {
        let (old, other) = (made.args[old], made.args[other]);
        let load = program.def_inst(old)?;
        let same = load.op == Op::MapLoad(map)
            && load.args[0] == store.args[0]
            && is_same(program, load.args[1], store.args[1]);
        let hardpath_ir::ValueDef::Result(inst, _) = program.values[old].def else {
            return None;
        };
        (same && uses[old] == 1).then_some((inst, other))
    })
}

fn is_same(program: &Program, one: Value, other: Value) -> bool {
    let known = (program.as_const(one), program.as_const(other));
    one == other || matches!(known, (Some(one), Some(other)) if one == other)
}

fn touches(program: &Program, inst: Inst, map: MapId) -> bool {
    let op = &program.insts[inst].op;
    op.map() == Some(map) && op.writes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_ir::parse::parse;
    use hardpath_ir::verifier::verify;

    #[test]
    fn sums_are_made_in_place_where_there_are_atomics() {
        for (bits, changes) in [(16, false), (32, true), (64, true)] {
            let text = format!(
                "program \"hits\" control-flow\noutput \"verdict\" 3\n\nmap @hits array key 4 value 8 entries 1\n\n\
                 block0:\n    v0:32 = const 0\n    v1:1, v2:32 = map.lookup @hits v0\n    v3:{bits} = map.load @hits v2, v0\n    \
                 v4:{bits} = const 1\n    v5:{bits} = add v3, v4\n    map.store @hits v2, v0, v5\n    v6:3 = const 2\n    v7:1 = const 1\n    emit v7 with v6\n"
            );
            let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(add_in_place(&mut program), changes, "{bits} bits");
            assert_eq!(verify(&program).err(), None, "{bits} bits");
        }
    }
}
