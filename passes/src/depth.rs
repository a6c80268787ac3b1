//! A depth for packets: headers behind headers of variable length are followed so far and no further.
//!
//! ```text
//!                                           v3 = ule v1, 126
//! v2 = packet.load v1  (16 bits)      →     branch v3, block1, block2
//! …                                       block1:
//!                                           v4 = and v1, 127
//!                                           v2 = packet.load v4
//!                                           …
//!                                         block2:
//!                                           emit 0 with … too_deep 1
//! ```
//!
//! Hardware looks at a window of a packet's first bytes. An access whose offset can be many places gets a question in
//! front of it: does it lie within the depth? A packet that wants more is given up: it is not forwarded, the program's outputs are
//! zeros, and the output [`TOO_DEEP`], which all packets have from then on, is 1. Behind the question the offset has few bits.
//!
//! This changes what a program means, so nobody gets it without asking.

use crate::value_set::ValueSets;
use crate::{bytes_to_values, dce, fold, phases};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Block, Emit, Inst, Op, Output, Phase, Program, Target, Terminator, Value};

/// The output that says that a packet was given up.
pub const TOO_DEEP: &str = "too_deep";

/// Limits the program, which is in the control-flow phase, to so many bytes (a power of two).
pub fn limit_depth(program: &mut Program, depth: u32) -> Result<(), Diagnostic> {
    debug_assert!(depth.is_power_of_two());
    phases::check("limit_depth", &[Phase::ControlFlow], program)?;
    // Pointers that are kept on the stack hide what they are.
    fold::run(program)?;
    dce::run(program)?;
    bytes_to_values::promote_stack(program)?;
    while let Some((block, place, inst)) = first_unlimited(program, depth) {
        add_output(program);
        ask(program, depth, block, place, inst);
    }
    Ok(())
}

/// Gives the program the output [`TOO_DEEP`], unless it has it: 0 wherever it ends.
fn add_output(program: &mut Program) {
    if program.outputs.iter().any(|output| output.name == TOO_DEEP) {
        return;
    }
    program.outputs.push(Output::new(TOO_DEEP, 1));
    for block in program.order.clone() {
        let Terminator::Emit(mut emit) = program.blocks[block].terminator.clone() else {
            continue;
        };
        let zero = program.append_const(block, Bits::zero(1));
        emit.packet.outputs.push(zero);
        for copy in &mut emit.copies {
            copy.sent.outputs.push(zero);
        }
        program.blocks[block].terminator = Terminator::Emit(emit);
    }
}

/// The first access of the packet that can be at too many places.
fn first_unlimited(program: &Program, depth: u32) -> Option<(Block, usize, Inst)> {
    let mut sets = ValueSets::new(program);
    for &block in &program.order {
        for (place, &inst) in program.blocks[block].insts.iter().enumerate() {
            let data = &program.insts[inst];
            let accesses = matches!(data.op, Op::PacketLoad | Op::PacketStore);
            let limited = |value: Value| is_limited(program, depth, value);
            if accesses && !limited(data.args[0]) && sets.of(program, data.args[0]).is_none() {
                return Some((block, place, inst));
            }
        }
    }
    None
}

/// Whether an offset has been limited before.
fn is_limited(program: &Program, depth: u32, offset: Value) -> bool {
    program.def_inst(offset).is_some_and(|data| {
        let mask = Bits::from_u64(u64::from(depth) - 1, 64);
        data.op == Op::And && program.as_const(data.args[1]) == Some(&mask)
    })
}

/// Puts the question in front of an access.
fn ask(program: &mut Program, depth: u32, block: Block, place: usize, inst: Inst) {
    let data = program.insts[inst].clone();
    let value = data
        .results
        .first()
        .copied()
        .unwrap_or_else(|| data.args[1]);
    let bytes = program.width(value) / 8;
    let rest = program.blocks[block].insts.split_off(place);
    let terminator = std::mem::replace(&mut program.blocks[block].terminator, Terminator::None);
    let from = data.place;

    let behind = program.add_block();
    let deep = program.add_block();
    program.order.truncate(program.order.len() - 2);
    let at = program.order.iter().position(|other| *other == block);
    let at = at.map_or(program.order.len(), |at| at + 1);
    program.order.insert(at, behind);
    program.order.insert(at + 1, deep);

    let last = Bits::from_u64(u64::from(depth - bytes), 64);
    let last = program.append_const(block, last);
    let inside = program.append1(block, Op::Ule, vec![data.args[0], last], 1, from);
    let target = |block| Target {
        block,
        args: Vec::new(),
    };
    program.blocks[block].terminator = Terminator::Branch {
        cond: inside,
        yes: target(behind),
        no: target(deep),
    };

    let mask = Bits::from_u64(u64::from(depth) - 1, 64);
    let mask = program.append_const(behind, mask);
    let offset = program.append1(behind, Op::And, vec![data.args[0], mask], 64, from);
    program.insts[inst].args[0] = offset;
    program.blocks[behind].insts.extend(rest);
    program.blocks[behind].terminator = terminator;

    let stays = program.append_const(deep, Bits::zero(1));
    let widths: Vec<(bool, u32)> = program
        .outputs
        .iter()
        .map(|output| (output.name == TOO_DEEP, output.width))
        .collect();
    let outputs = widths.into_iter().map(|(is_deep, width)| {
        let bits = Bits::from_u64(is_deep.into(), width);
        program.append_const(deep, bits)
    });
    let emit = Emit::new(stays, outputs.collect());
    program.blocks[deep].terminator = Terminator::Emit(emit);
}
