//! Demanded bits: which bits of a value anybody looks at.
//!
//! One walk from uses to definitions. It uses no facts but constants: were a bit of `x` not demanded because `y` is
//! known to be 0 there, and that of `y` not because of `x`, both could change and the result with them.

use crate::facts::{mask, MOST_BITS};
use cranelift_entity::SecondaryMap;
use hardpath_ir::{InstData, Op, Program, Terminator, Value};

/// Demanded bits of every value; all bits set for values wider than [`MOST_BITS`] that are used at all.
pub fn demanded_bits(program: &Program) -> SecondaryMap<Value, u128> {
    let mut demanded: SecondaryMap<Value, u128> = SecondaryMap::with_capacity(program.values.len());
    for &block in program.order.iter().rev() {
        let data = &program.blocks[block];
        match &data.terminator {
            Terminator::Branch { cond, .. } => demanded[*cond] = u128::MAX,
            Terminator::Emit(emit) => {
                for value in emit.uses() {
                    demanded[value] = u128::MAX;
                }
            }
            _ => {}
        }
        for target in data.terminator.targets() {
            for (&arg, &param) in target.args.iter().zip(&program.blocks[target.block].params) {
                demanded[arg] |= demanded[param];
            }
        }
        for &inst in data.insts.iter().rev() {
            let data = &program.insts[inst];
            if data.op.is_pure() {
                let result = data.results[0];
                let bits = demanded[result];
                if bits != 0 {
                    demand_of_args(program, data, bits, &mut demanded);
                }
            } else {
                for value in data.uses() {
                    demanded[value] = u128::MAX;
                }
            }
        }
    }
    for (value, data) in program.values.iter() {
        if data.width <= MOST_BITS {
            demanded[value] &= mask(data.width);
        } else if demanded[value] != 0 {
            demanded[value] = u128::MAX;
        }
    }
    demanded
}

fn demand_of_args(
    program: &Program,
    inst: &InstData,
    bits: u128,
    demanded: &mut SecondaryMap<Value, u128>,
) {
    let width = program.width(inst.results[0]);
    let wide = width > MOST_BITS;
    let bits = if wide { u128::MAX } else { bits & mask(width) };
    let args = &inst.args;
    let literal = |value: Value| {
        let bits = program.as_const(value)?;
        let high = bits.limbs().get(1).copied().unwrap_or(0);
        (!wide).then(|| u128::from(high) << 64 | u128::from(bits.limbs()[0]))
    };
    // All bits up to the highest demanded one: carries go up.
    let below = mask(128 - bits.leading_zeros());
    match &inst.op {
        Op::And | Op::Or => {
            for (one, other) in [(0, 1), (1, 0)] {
                let needed = match (literal(args[other]), &inst.op) {
                    (Some(constant), Op::And) => bits & constant,
                    (Some(constant), _) => bits & !constant,
                    (None, _) => bits,
                };
                demanded[args[one]] |= needed;
            }
        }
        Op::Xor | Op::Not => args.iter().for_each(|&arg| demanded[arg] |= bits),
        Op::Add | Op::Sub | Op::Mul => args.iter().for_each(|&arg| demanded[arg] |= below),
        Op::Shl => {
            demanded[args[0]] |= below;
            demanded[args[1]] = u128::MAX;
        }
        Op::LShr | Op::AShr => {
            let from = if bits == 0 { 0 } else { bits.trailing_zeros() };
            demanded[args[0]] |= !mask(from);
            demanded[args[1]] = u128::MAX;
        }
        Op::Select => {
            demanded[args[0]] = u128::MAX;
            demanded[args[1]] |= bits;
            demanded[args[2]] |= bits;
        }
        Op::Slice { lo } => {
            demanded[args[0]] |= if program.width(args[0]) > MOST_BITS {
                u128::MAX
            } else {
                bits << lo
            };
        }
        Op::Concat => {
            let mut lo = 0;
            for &arg in args.iter().rev() {
                demanded[arg] |= if wide { u128::MAX } else { bits >> lo };
                lo += program.width(arg);
            }
        }
        Op::ZExt => demanded[args[0]] |= bits,
        Op::SExt => {
            let inner = program.width(args[0]);
            let mut needed = bits;
            if inner <= MOST_BITS && bits & !mask(inner - 1) != 0 {
                needed |= 1 << (inner - 1);
            }
            demanded[args[0]] |= needed;
        }
        _ => args.iter().for_each(|&arg| demanded[arg] = u128::MAX),
    }
}
