//! How a program may move packets: what the exit must be able to do.

use hardpath_blocks::moves::Moves;
use hardpath_ir::{Bits, Input, Moved, Op, Program, Terminator, Value};
use hardpath_passes::value_set::ValueSets;

/// A move and what the exit needs for it.
#[derive(Clone, Debug)]
pub struct PacketMoves {
    pub moves: Moves,
    /// The values behind what the exit is told.
    pub moved: Moved,
}

/// How the program (dataflow or scheduled) moves packets; `None`: each leaves where it came in.
pub fn packet_moves(program: &Program) -> Option<PacketMoves> {
    let Terminator::Emit { moved, .. } = program.blocks[program.region()].terminator else {
        return None;
    };
    let moved = moved?;
    let mut sets = ValueSets::new(program);
    let mut numbers = |value: Value| {
        let set = sets.of(program, value)?;
        Some(
            set.into_iter()
                .map(|bits| i32::from(bits as u16 as i16))
                .collect(),
        )
    };
    let moves = Moves {
        heads: numbers(moved.head),
        metas: numbers(moved.meta),
        has_end: !is_length(program, moved.end),
        grows: moved.keep != moved.end,
    };
    let stays = Moves {
        heads: Some(vec![0]),
        metas: Some(vec![0]),
        has_end: false,
        grows: false,
    };
    (moves != stays).then_some(PacketMoves { moves, moved })
}

fn is_length(program: &Program, value: Value) -> bool {
    let inst = program.def_inst(value);
    inst.is_some_and(|inst| inst.op == Op::Input(Input::PacketLength))
}

/// The offset of a packet store of the dataflow form.
pub fn store_offset(program: &Program, offset: Value) -> i32 {
    program.as_const(offset).map_or(0, Bits::low_u64) as i32
}

/// Removes stores to headroom that no packet leaves with: a head that was moved there and back. True when there were any.
pub fn drop_unseen_stores(program: &mut Program) -> bool {
    let lowest = match packet_moves(program) {
        None => 0,
        Some(moved) => match moved.moves.firsts() {
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
