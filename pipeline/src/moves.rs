//! How a program may move packets: what the exit must be able to do.

use hardpath_blocks::moves::{Fronts, Moves};
use hardpath_ir::{Bits, Front, Input, Leaving, Op, Program, Terminator, Value};
use hardpath_passes::value_set::ValueSets;
use std::collections::BTreeSet;

/// How the program (dataflow or scheduled) moves packets; `None`: each leaves where it came in.
pub fn packet_moves(program: &Program) -> Option<Moves> {
    let Terminator::Emit(emit) = &program.blocks[program.region()].terminator else {
        return None;
    };
    let copies = emit.copies.iter().map(|copy| &copy.sent);
    let all = std::iter::once(&emit.packet).chain(copies);
    let mut sets = ValueSets::new(program);
    let stays = Moves {
        firsts: Some(vec![0]),
        has_end: false,
        grows: false,
        front: None,
    };
    let moves = all.map(|sent| match sent.leaves {
        Some(leaves) => moves_of(program, &mut sets, leaves, &sent.begins),
        None => stays.clone(),
    });
    let moves = moves.reduce(any_of)?;
    (moves != stays).then_some(moves)
}

/// `begins`: what is known of where the packet begins, see [`hardpath_ir::Sent`].
fn moves_of(program: &Program, sets: &mut ValueSets, leaves: Leaving, begins: &[i16]) -> Moves {
    let mut numbers = |value: Value| -> Option<BTreeSet<i32>> {
        let set = sets.of(program, value)?;
        let numbers = set.into_iter().map(|bits| i32::from(bits as u16 as i16));
        Some(numbers.collect())
    };
    let front = leaves.front.map(|Front { bytes, length }| Fronts {
        bytes: program.width(bytes) / 8,
        length: program.as_const(length).map(|bits| bits.low_u64() as u32),
    });
    let firsts = match (begins.is_empty(), leaves.front) {
        (false, _) => Some(begins.iter().copied().map(i32::from).collect()),
        (true, None) => numbers(leaves.from),
        (true, Some(Front { length, .. })) => {
            let both = numbers(leaves.from).zip(numbers(length));
            both.map(|(firsts, lengths)| {
                let before = |first: i32| lengths.iter().map(move |length| first - length);
                firsts.into_iter().flat_map(before).collect()
            })
        }
    };
    Moves {
        firsts: firsts.map(|firsts| firsts.into_iter().collect()),
        has_end: !is_length(program, leaves.end),
        grows: leaves.zeros != leaves.end,
        front,
    }
}

/// What is right for packets of both.
fn any_of(a: Moves, b: Moves) -> Moves {
    let firsts = a.firsts.zip(b.firsts).map(|(a, b)| {
        let all: BTreeSet<i32> = a.into_iter().chain(b).collect();
        all.into_iter().collect()
    });
    let front = match (a.front, b.front) {
        (Some(a), Some(b)) => Some(Fronts {
            bytes: a.bytes.max(b.bytes),
            length: a.length.filter(|_| a.length == b.length),
        }),
        // One has none, so how many there are varies.
        (Some(one), None) | (None, Some(one)) => Some(Fronts {
            length: None,
            ..one
        }),
        (None, None) => None,
    };
    Moves {
        firsts,
        has_end: a.has_end || b.has_end,
        grows: a.grows || b.grows,
        front,
    }
}

/// Whether a value is the packet's length as it came in.
pub fn is_length(program: &Program, value: Value) -> bool {
    let inst = program.def_inst(value);
    inst.is_some_and(|inst| inst.op == Op::Input(Input::Length))
}

/// The offset of a packet store of the dataflow form.
pub fn store_offset(program: &Program, offset: Value) -> i32 {
    program.as_const(offset).map_or(0, Bits::low_u64) as i32
}

/// Removes stores to headroom that no packet leaves with: a head that was moved there and back. True when there were any.
pub fn drop_unseen_stores(program: &mut Program) -> bool {
    let lowest = match packet_moves(program) {
        None => 0,
        Some(moves) => match moves.firsts {
            Some(firsts) => firsts[0],
            None => return false,
        },
    };
    let region = program.region();
    let mut insts = std::mem::take(&mut program.blocks[region].insts);
    let before = insts.len();
    insts.retain(|inst| {
        let data = &program.insts[*inst];
        let is_known = data.op == Op::PacketStore && program.as_const(data.args[0]).is_some();
        !is_known || {
            let bytes = program.width(data.args[1]) as i32 / 8;
            store_offset(program, data.args[0]) + bytes > lowest
        }
    });
    let changed = insts.len() != before;
    program.blocks[region].insts = insts;
    changed
}
