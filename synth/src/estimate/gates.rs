//! The operations of the hardware IR as gates, the way tools build them: `+` and `<` are carry chains with a LUT for a bit or
//! a few in front of them, `*` is multiplier blocks, all else is gates.

use super::fabric::Fabric;
use super::graph::{Graph, Signal, ONE, ZERO};
use hardpath_rtl::NodeOp;

/// A number, the least significant bit first.
pub type Number = Vec<Signal>;

/// Sums of so many bits are no chains.
const NO_CHAIN: usize = 2;
/// Inputs of a LUT.
const LUT: usize = 6;

/// What an operation gives that looks at nothing but its arguments.
pub fn operation(fabric: &mut Fabric, op: &NodeOp, args: &[&[Signal]], width: usize) -> Number {
    let graph = &mut fabric.graph;
    let first = args[0];
    match op {
        NodeOp::Wire => first.to_vec(),
        NodeOp::Not => first.iter().map(|bit| bit.not()).collect(),
        NodeOp::And => bitwise(graph, args, Graph::all),
        NodeOp::Or => bitwise(graph, args, Graph::any),
        NodeOp::Xor => bitwise(graph, args, Graph::parity),
        NodeOp::Add => sum(fabric, first, args[1], false),
        NodeOp::Sub => sum(fabric, first, args[1], true),
        NodeOp::Mul => product(fabric, first, args[1]),
        NodeOp::Shl => shift(graph, first, args[1], ZERO, true),
        NodeOp::LShr => shift(graph, first, args[1], ZERO, false),
        NodeOp::AShr => shift(graph, first, args[1], sign(first), false),
        NodeOp::Eq => vec![graph.equal(first, args[1])],
        NodeOp::Ne => vec![graph.equal(first, args[1]).not()],
        NodeOp::Ult => vec![less(fabric, first, args[1])],
        NodeOp::Ule => vec![less(fabric, args[1], first).not()],
        NodeOp::Slt => vec![less(fabric, &unsigned(first), &unsigned(args[1]))],
        NodeOp::Sle => vec![less(fabric, &unsigned(args[1]), &unsigned(first)).not()],
        NodeOp::Mux => {
            let arms = args[1].iter().zip(args[2]);
            arms.map(|(a, b)| graph.mux(first[0], *a, *b)).collect()
        }
        NodeOp::Slice { lo } => first[*lo as usize..][..width].to_vec(),
        NodeOp::Concat => args.iter().rev().copied().flatten().copied().collect(),
        NodeOp::ZExt => extended(first, width, ZERO),
        NodeOp::SExt => extended(first, width, sign(first)),
        NodeOp::ReduceOr => vec![graph.any(first)],
        NodeOp::ReduceAnd => vec![graph.all(first)],
        NodeOp::ReduceXor => vec![graph.parity(first)],
        NodeOp::Input(_)
        | NodeOp::Const(_)
        | NodeOp::Reg(_)
        | NodeOp::MemRead(..)
        | NodeOp::Foreign(_)
        | NodeOp::InstanceOutput(..) => unreachable!("what has no arguments is no operation"),
    }
}

fn bitwise(
    graph: &mut Graph,
    args: &[&[Signal]],
    join: fn(&mut Graph, &[Signal]) -> Signal,
) -> Number {
    let bits = |place: usize| -> Vec<Signal> { args.iter().map(|arg| arg[place]).collect() };
    let places = 0..args[0].len();
    places.map(|place| join(graph, &bits(place))).collect()
}

fn sign(number: &[Signal]) -> Signal {
    number[number.len() - 1]
}

fn extended(number: &[Signal], width: usize, with: Signal) -> Number {
    let mut extended = number.to_vec();
    extended.resize(width, with);
    extended
}

/// A number in two's complement as an unsigned one that compares alike.
fn unsigned(number: &[Signal]) -> Number {
    let mut number = number.to_vec();
    if let Some(sign) = number.last_mut() {
        *sign = sign.not();
    }
    number
}

/// `a + b`, or `a - b` as `a + !b + 1`.
fn sum(fabric: &mut Fabric, a: &[Signal], b: &[Signal], subtracts: bool) -> Number {
    let negated = |bit: &Signal| if subtracts { bit.not() } else { *bit };
    let b: Number = b.iter().map(negated).collect();
    let mut carry = Signal::constant(subtracts);
    let mut bits = Vec::with_capacity(a.len());
    for (a_bit, b_bit) in a.iter().zip(&b) {
        let rest = a.len() - bits.len();
        // Below the first bit to which something is added there is nothing to carry.
        let is_trivial = carry.is_constant() && (*b_bit == carry || *a_bit == carry);
        if !is_trivial && rest > NO_CHAIN {
            break;
        }
        let graph = &mut fabric.graph;
        let differ = graph.xor(*a_bit, *b_bit);
        bits.push(graph.xor(differ, carry));
        let both = graph.and(*a_bit, *b_bit);
        let through = graph.and(differ, carry);
        carry = graph.or(both, through);
    }
    let done = bits.len();
    bits.extend(chain(fabric, &a[done..], &b[done..], carry));
    bits
}

/// A carry chain: a LUT says of each bit whether the two differ, the rest is in the chain. Each bit needs those below, so that
/// bits at the top that nobody looks at are not there.
fn chain(fabric: &mut Fabric, a: &[Signal], b: &[Signal], carry: Signal) -> Number {
    let mut below = vec![carry];
    let mut sum = Number::new();
    for (a, b) in a.iter().zip(b) {
        let differ = fabric.graph.xor(*a, *b);
        let (block, bit) = fabric.block(1);
        below.push(differ);
        fabric.blocks[block].roots = below;
        below = vec![bit[0], *a];
        sum.push(bit[0]);
    }
    sum
}

/// `a < b`. Two LUTs for each few bits say whether these are equal, and whether they are less.
fn less(fabric: &mut Fabric, a: &[Signal], b: &[Signal]) -> Signal {
    let has_constant = [a, b]
        .iter()
        .any(|side| side.iter().all(|bit| bit.is_constant()));
    let step = if has_constant { LUT } else { LUT / 2 };
    let mut roots = Vec::new();
    let mut parts = Vec::new();
    for (a, b) in a.chunks(step).zip(b.chunks(step)) {
        let graph = &mut fabric.graph;
        let mut below = ZERO;
        for (a, b) in a.iter().zip(b) {
            let differ = graph.xor(*a, *b);
            below = graph.mux(differ, *b, below);
        }
        let same = graph.equal(a, b);
        roots.extend([same, below]);
        parts.push((same, below));
    }
    if parts.len() <= NO_CHAIN {
        return parts.into_iter().fold(ZERO, |lower, (same, below)| {
            let tie = fabric.graph.and(same, lower);
            fabric.graph.or(below, tie)
        });
    }
    let (block, result) = fabric.block(1);
    fabric.blocks[block].roots = roots;
    result[0]
}

/// By constant amounts the shift is nothing but wires; `choose` folds what is known.
fn shift(
    graph: &mut Graph,
    number: &[Signal],
    amount: &[Signal],
    fill: Signal,
    is_left: bool,
) -> Number {
    let width = number.len();
    let mut shifted = number.to_vec();
    let mut too_far = Vec::new();
    for (place, bit) in amount.iter().enumerate() {
        let by = 1usize.checked_shl(place as u32).unwrap_or(usize::MAX);
        if place >= usize::BITS as usize || by >= width {
            too_far.push(*bit);
            continue;
        }
        let moved = |at: usize| match is_left {
            true => at.checked_sub(by).map_or(fill, |from| shifted[from]),
            false => shifted.get(at + by).copied().unwrap_or(fill),
        };
        let moved: Number = (0..width).map(moved).collect();
        let arms = moved.iter().zip(&shifted);
        shifted = arms
            .map(|(moved, stays)| graph.mux(*bit, *moved, *stays))
            .collect();
    }
    let too_far = graph.any(&too_far);
    let bits = shifted.iter();
    bits.map(|bit| graph.mux(too_far, fill, *bit)).collect()
}

/// Bits of the two numbers that a multiplier block takes, both signed.
const DSP_BITS: (u32, u32) = (26, 17);

/// The low bits of a product: blocks, of which those above the result's width are left out.
fn product(fabric: &mut Fabric, a: &[Signal], b: &[Signal]) -> Number {
    let width = a.len();
    let used = |number: &[Signal]| {
        let unused = number.iter().rev().take_while(|bit| **bit == ZERO);
        number.len() - unused.count()
    };
    let (long, short) = match used(a) >= used(b) {
        true => (a, b),
        false => (b, a),
    };
    let bits = (used(long), used(short));
    if bits.1 <= 1 {
        let by = short.first().copied().unwrap_or(ONE);
        let graph = &mut fabric.graph;
        return long.iter().map(|bit| graph.and(*bit, by)).collect();
    }
    let (block, product) = fabric.block(width as u32);
    fabric.blocks[block].dsp = multiplier_blocks(bits.0 as u32, bits.1 as u32, width as u32);
    fabric.blocks[block].roots = [a, b].concat();
    product
}

/// Blocks for the low `width` bits of a product of numbers of so many bits: those that are wholly above are not there.
pub fn multiplier_blocks(a: u32, b: u32, width: u32) -> u64 {
    let parts = |(first, second): (u32, u32)| {
        let lows = (0..a).step_by(first as usize);
        let sums = lows.flat_map(|low| {
            (0..b)
                .step_by(second as usize)
                .map(move |other| low + other)
        });
        sums.filter(|low| *low < width).count() as u64
    };
    let (long, short) = DSP_BITS;
    parts((long, short)).min(parts((short, long)))
}
