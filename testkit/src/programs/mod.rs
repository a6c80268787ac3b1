//! Random programs of the IR that its verifier takes: pure operations over packet bytes and inputs, memory, maps and branches;
//! results are written to the packet.

mod maps;
mod structured;

pub use structured::structured;

use crate::Random;
use hardpath_ir::{
    Bits, Block, Emit, Input, Op, Output, OwnInput, Phase, Program, Target, Terminator, To, Value,
};
use hardpath_packet::{CLASS_BITS, INDEX_BITS};

const WIDTHS: [u32; 14] = [1, 1, 2, 3, 7, 8, 8, 16, 16, 17, 32, 32, 64, 100];
const LOGIC_WIDTHS: [u32; 8] = [1, 1, 1, 1, 1, 1, 2, 8];

/// What a random program may hold.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    /// Pure operations, about.
    pub operations: u64,
    /// Division and remainder, which are slow when expanded.
    pub divisions: bool,
    /// Loads and stores of stack and packet, at constant places or at one of a few.
    pub memory: bool,
    /// Map operations.
    pub maps: bool,
    /// Mostly conditions.
    pub logic: bool,
    /// Every value counts in the end (dataflow only).
    pub keep_all: bool,
}

/// A program in the dataflow phase.
pub fn dataflow(random: &mut Random, shape: Shape) -> Program {
    let mut program = empty(random);
    let block = program.add_block();
    let mut values = inputs(&mut program, block, random);
    operations(&mut program, block, random, shape, &mut values);
    if shape.maps {
        maps::declare(&mut program);
        let mut guards = Vec::new();
        for _ in 0..1 + random.below(4) {
            let values = &mut values;
            maps::guarded_group(&mut program, block, random, values, &mut guards);
            operations(&mut program, block, random, shape, values);
        }
    }
    if shape.keep_all {
        let mut all = program.append_const(block, Bits::zero(64));
        for value in values.clone() {
            let value = adapt(&mut program, block, random, value, 64);
            all = program.append1(block, Op::Xor, vec![all, value], 64, None);
        }
        values.push(all);
        let offset = program.append_const(block, Bits::zero(64));
        program.append(block, Op::PacketStore, vec![offset, all], &[], None);
    }
    let count = 1 + random.below(4);
    for index in 0..count {
        let value = pick_late(random, &values);
        let bytes = program.width(value).div_ceil(8);
        let value = adapt(&mut program, block, random, value, bytes * 8);
        let offset = program.append_const(block, Bits::from_u64(index * 16, 64));
        let store = program.append(block, Op::PacketStore, vec![offset, value], &[], None);
        if random.below(3) == 0 {
            let guard = of_width(&mut program, block, random, &values, 1);
            // The guard may have been made after the store: the store comes last.
            let insts = &mut program.blocks[block].insts;
            insts.retain(|&inst| inst != store);
            insts.push(store);
            program.insts[store].guard = Some(guard);
        }
    }
    emit(&mut program, block, random, &values);
    program.phase = Phase::Dataflow;
    program
}

/// A program in the control-flow phase: branches that join again, with parameters.
pub fn control_flow(random: &mut Random, shape: Shape) -> Program {
    let mut program = empty(random);
    let mut block = program.add_block();
    let mut values = inputs(&mut program, block, random);
    if shape.maps {
        maps::declare(&mut program);
    }
    for _ in 0..1 + random.below(3) {
        operations(&mut program, block, random, shape, &mut values);
        let mut cond = of_width(&mut program, block, random, &values, 1);
        let mut found = None;
        if shape.maps && random.below(4) > 0 {
            let (map, hit, entry) = maps::lookup(&mut program, block, random, &values, None);
            found = Some((map, entry));
            cond = hit;
        }
        let widths: Vec<u32> = (0..random.below(4))
            .map(|_| *random.pick(&WIDTHS))
            .collect();
        let (left, right, join) = (
            program.add_block(),
            program.add_block(),
            program.add_block(),
        );
        program.blocks[block].terminator = Terminator::Branch {
            cond,
            yes: Target {
                block: left,
                args: vec![],
            },
            no: Target {
                block: right,
                args: vec![],
            },
        };
        for side in [left, right] {
            let mut here = values.clone();
            operations(&mut program, side, random, shape, &mut here);
            match found.filter(|_| side == left) {
                Some(found) => maps::touch(&mut program, side, random, &mut here, found, None),
                None if shape.maps && random.below(2) == 0 => {
                    maps::change(&mut program, side, random, &mut here, None);
                }
                None => {}
            }
            if random.below(3) == 0 {
                store(&mut program, side, random, &here);
            }
            if side == right && random.below(4) == 0 {
                emit(&mut program, side, random, &here);
                continue;
            }
            let args = widths
                .iter()
                .map(|&width| of_width(&mut program, side, random, &here, width))
                .collect();
            program.blocks[side].terminator = Terminator::Jump(Target { block: join, args });
        }
        for width in widths {
            values.push(program.add_param(join, width));
        }
        block = join;
    }
    operations(&mut program, block, random, shape, &mut values);
    for _ in 0..1 + random.below(3) {
        store(&mut program, block, random, &values);
    }
    emit(&mut program, block, random, &values);
    program
}

/// Bits of what a program's input of its own and a further output have. There are few of them, so that one core takes many programs.
const SIDES: [(u32, Option<u32>); 2] = [(5, None), (16, Some(61))];

/// A program with nothing but its input and outputs.
pub fn empty(random: &mut Random) -> Program {
    let mut program = Program::new("random");
    let (own, other) = *random.pick(&SIDES);
    program.inputs.push(OwnInput {
        name: "own".into(),
        width: own,
    });
    program.outputs.push(Output::new("verdict", 3));
    let other = other.map(|width| Output::new("other", width));
    program.outputs.extend(other);
    program
}

/// Appends a store of one of the values, filled up or cut to whole bytes, at a constant offset below 40.
pub fn store(program: &mut Program, block: Block, random: &mut Random, values: &[Value]) {
    let value = pick_late(random, values);
    let bytes = program.width(value).div_ceil(8);
    let value = adapt(program, block, random, value, bytes * 8);
    let offset = Bits::from_u64(random.below(40), 64);
    let offset = program.append_const(block, offset);
    program.append(block, Op::PacketStore, vec![offset, value], &[], None);
}

/// Ends the block: forwarded or not, sometimes elsewhere, with outputs that are made of the values or constants.
pub fn emit(program: &mut Program, block: Block, random: &mut Random, values: &[Value]) {
    let forwarded = of_width(program, block, random, values, 1);
    let widths: Vec<u32> = program.outputs.iter().map(|output| output.width).collect();
    let outputs = widths
        .into_iter()
        .map(|width| of_width(program, block, random, values, width))
        .collect();
    let mut emit = Emit::new(forwarded, outputs);
    if random.below(2) == 0 {
        let class = of_width(program, block, random, values, CLASS_BITS);
        let index = of_width(program, block, random, values, INDEX_BITS);
        emit.packet.to = Some(To { class, index });
    }
    program.blocks[block].terminator = Terminator::Emit(emit);
}

/// Appends what a program begins with: one to four loads of 1 to 8 bytes at constant offsets below 30, the packet's length, its
/// interface, the time, and an input of the program's own.
pub fn inputs(program: &mut Program, block: Block, random: &mut Random) -> Vec<Value> {
    let mut values = Vec::new();
    for _ in 0..1 + random.below(4) {
        let offset = Bits::from_u64(random.below(30), 64);
        let offset = program.append_const(block, offset);
        let bytes = *random.pick(&[1, 1, 2, 2, 4, 8]);
        values.push(program.append1(block, Op::PacketLoad, vec![offset], bytes * 8, None));
    }
    let own = program.own_input("own").expect("programs have it");
    for input in [Input::Length, Input::Ingress, Input::Time, own] {
        values.push(program.append1(block, Op::Input(input), vec![], input.width(), None));
    }
    values
}

/// Appends at least one operation and at most [`Shape::operations`], which is not 0. What they give is added to the values, which
/// are not empty.
pub fn operations(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    shape: Shape,
    values: &mut Vec<Value>,
) {
    for _ in 0..1 + random.below(shape.operations) {
        if shape.memory && random.below(3) == 0 {
            memory_access(program, block, random, values);
            continue;
        }
        let value = operation(program, block, random, shape, values);
        values.push(value);
    }
}

fn memory_access(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &mut Vec<Value>,
) {
    let bytes = *random.pick(&[1u32, 2, 4, 4, 8, 8]);
    let base = random.below(4) * 8 + random.below(3) * random.below(4);
    let (load, store, base) = match random.below(3) {
        0 => (Op::PacketLoad, Op::PacketStore, base),
        _ => (Op::StackLoad, Op::StackStore, base + 480),
    };
    let mut offset = program.append_const(block, Bits::from_u64(base, 64));
    match random.below(6) {
        0 => {
            let other = program.append_const(block, Bits::from_u64(base + random.below(5), 64));
            let condition = of_width(program, block, random, values, 1);
            let args = vec![condition, other, offset];
            offset = program.append1(block, Op::Select, args, 64, None);
        }
        1 => {
            let some = of_width(program, block, random, values, 64);
            let mask = program.append_const(block, Bits::from_u64(12, 64));
            let index = program.append1(block, Op::And, vec![some, mask], 64, None);
            offset = program.append1(block, Op::Add, vec![index, offset], 64, None);
        }
        _ => {}
    }
    if random.below(2) == 0 {
        values.push(program.append1(block, load, vec![offset], bytes * 8, None));
    } else {
        let value = of_width(program, block, random, values, bytes * 8);
        program.append(block, store, vec![offset, value], &[], None);
    }
}

fn operation(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    shape: Shape,
    values: &[Value],
) -> Value {
    let width = match shape.logic {
        true => *random.pick(&LOGIC_WIDTHS),
        false => *random.pick(&WIDTHS),
    };
    let same = |program: &mut Program, random: &mut Random, op: Op, count: usize, result: u32| {
        let args = (0..count)
            .map(|_| of_width(program, block, random, values, width))
            .collect();
        program.append1(block, op, args, result, None)
    };
    match random.below(24) {
        0..=2 => same(program, random, Op::Add, 2, width),
        3 | 4 => same(program, random, Op::Sub, 2, width),
        5 => same(program, random, Op::Mul, 2, width),
        6 | 7 => same(program, random, Op::And, 2, width),
        8 => same(program, random, Op::Or, 2, width),
        9 => same(program, random, Op::Xor, 2, width),
        10 => same(program, random, Op::Not, 1, width),
        11..=13 => {
            let compare = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
            let op = random.pick(&compare).clone();
            same(program, random, op, 2, 1)
        }
        14 if shape.divisions => {
            let divide = [Op::UDiv, Op::URem, Op::SDiv, Op::SRem];
            let op = random.pick(&divide).clone();
            same(program, random, op, 2, width)
        }
        14..=16 => {
            let condition = of_width(program, block, random, values, 1);
            let yes = of_width(program, block, random, values, width);
            let no = of_width(program, block, random, values, width);
            program.append1(block, Op::Select, vec![condition, yes, no], width, None)
        }
        17..=19 => {
            let op = random.pick(&[Op::Shl, Op::LShr, Op::AShr]).clone();
            let distance_width = *random.pick(&[3, 5, 8, 64]);
            let value = of_width(program, block, random, values, width);
            let distance = of_width(program, block, random, values, distance_width);
            program.append1(block, op, vec![value, distance], width, None)
        }
        20 => {
            let parts: Vec<Value> = (0..1 + random.below(4))
                .map(|_| {
                    let width = *random.pick(&[1, 3, 8, 16]);
                    of_width(program, block, random, values, width)
                })
                .collect();
            let width = parts.iter().map(|&part| program.width(part)).sum();
            program.append1(block, Op::Concat, parts, width, None)
        }
        _ => {
            let value = *random.pick(values);
            adapt(program, block, random, value, width)
        }
    }
}

/// A value of that width: a constant, or one of the values made to fit.
fn of_width(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    values: &[Value],
    width: u32,
) -> Value {
    if random.below(4) == 0 {
        let bits = match width {
            65.. => Bits::from_limbs(&[random.interesting(64), random.interesting(64)], width),
            _ => Bits::from_u64(random.interesting(width), width),
        };
        return program.append_const(block, bits);
    }
    let fitting: Vec<Value> = values
        .iter()
        .copied()
        .filter(|&value| program.width(value) == width)
        .collect();
    if !fitting.is_empty() && random.below(3) > 0 {
        return pick_late(random, &fitting);
    }
    let value = pick_late(random, values);
    adapt(program, block, random, value, width)
}

/// One of the values, which are not empty. Those that were made late are taken more often.
pub fn pick_late(random: &mut Random, values: &[Value]) -> Value {
    let count = values.len() as u64;
    let index = random.below(count).max(random.below(count));
    values[index as usize]
}

/// The value in `width` bits: extended with zeros or its sign, or a slice of it, from bit 0 on or anywhere.
pub fn adapt(
    program: &mut Program,
    block: Block,
    random: &mut Random,
    value: Value,
    width: u32,
) -> Value {
    let from = program.width(value);
    let op = match from.cmp(&width) {
        std::cmp::Ordering::Equal => return value,
        std::cmp::Ordering::Less => random.pick(&[Op::ZExt, Op::SExt]).clone(),
        std::cmp::Ordering::Greater => Op::Slice {
            lo: match random.below(2) {
                0 => 0,
                _ => random.below(u64::from(from - width) + 1) as u32,
            },
        },
    };
    program.append1(block, op, vec![value], width, None)
}
