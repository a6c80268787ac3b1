//! What operations cost in time, for LUTs of six inputs and carry chains of eight bits (UltraScale+-like).
//!
//! The unit is the *level*: one LUT with the routing in front of it. A small operation costs less than a level,
//! because synthesis packs about two and a half two-input gates, one behind the other, into one LUT.

use hardpath_ir::{Op, Program, Value};

/// Nanoseconds of one level: about 0.1 in the LUT, the rest in routing.
pub const LEVEL_NS: f64 = 0.38;
/// Nanoseconds of a clock that no logic can use: clock to output, setup, skew.
pub const OVERHEAD_NS: f64 = 0.35;
/// Levels of a carry chain for each bit it is long.
const CARRY_PER_BIT: f64 = 0.02;

/// Wider sums have a carry chain.
pub const WIDEST_LOGIC: u32 = 64;
/// Width and levels, as `make calibrate` measures them where operations stand behind each other.
const ADD: &[(f64, f64)] = &[
    (1.0, 0.5),
    (2.0, 0.7),
    (4.0, 1.0),
    (8.0, 1.6),
    (16.0, 2.5),
    (24.0, 3.0),
    (32.0, 3.2),
    (64.0, 4.0),
];
const ADD_CONSTANT: &[(f64, f64)] = &[
    (4.0, 0.8),
    (8.0, 1.1),
    (16.0, 2.0),
    (32.0, 3.0),
    (64.0, 4.0),
];
const COMPARE: &[(f64, f64)] = &[
    (2.0, 0.7),
    (4.0, 1.0),
    (8.0, 1.5),
    (16.0, 2.3),
    (32.0, 3.0),
    (64.0, 3.6),
];
const COMPARE_CONSTANT: &[(f64, f64)] = &[
    (4.0, 0.7),
    (8.0, 1.0),
    (16.0, 1.8),
    (32.0, 2.3),
    (64.0, 3.0),
];

/// Levels that fit one clock.
pub fn budget(clock_mhz: f64) -> f64 {
    (1000.0 / clock_mhz - OVERHEAD_NS) / LEVEL_NS
}

/// Operations that are wires: they are made anew where they are used instead of being carried in registers.
pub fn is_wiring(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::Slice { .. }
            | Op::Concat
            | Op::ZExt
            | Op::SExt
            | Op::Not
            | Op::PacketLoad
            | Op::Input(_)
    )
}

/// Levels from the arguments of a pure operation to its result.
pub fn levels(program: &Program, op: &Op, args: &[Value], width: u32) -> f64 {
    let constant = |place: usize| {
        args.get(place)
            .is_some_and(|v| program.as_const(*v).is_some())
    };
    let arg_width = |place: usize| f64::from(program.width(args[place]));
    let bits = f64::from(width);
    match op {
        _ if is_wiring(op) => 0.0,
        Op::And | Op::Or | Op::Xor => {
            if constant(0) || constant(1) {
                0.0
            } else {
                0.5
            }
        }
        Op::Select => match (constant(1), constant(2)) {
            (true, true) => 0.2,
            (true, false) | (false, true) => 0.5,
            _ => 0.7,
        },
        Op::Eq | Op::Ne => {
            let inputs = if constant(0) || constant(1) { 1.0 } else { 2.0 };
            tree(arg_width(0) * inputs)
        }
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
            match crate::compare::constant_compare(program, op, args) {
                Some(compare) => compare.levels(program.width(args[0])),
                None if constant(0) || constant(1) => measured(COMPARE_CONSTANT, arg_width(0)),
                None => measured(COMPARE, arg_width(0)),
            }
        }
        Op::Add | Op::Sub if bits > f64::from(WIDEST_LOGIC) => 2.0 + bits * CARRY_PER_BIT,
        Op::Add | Op::Sub if constant(0) || constant(1) => measured(ADD_CONSTANT, bits),
        Op::Add | Op::Sub => measured(ADD, bits),
        Op::Shl | Op::LShr | Op::AShr => {
            if constant(1) {
                0.0
            } else {
                let choices = bits.min(2f64.powf(arg_width(1).min(16.0)));
                0.5 * choices.log2().ceil() + 0.5
            }
        }
        // One DSP48E2, not pipelined inside: most of a clock.
        Op::Mul => 7.0,
        // Divisions are expanded before scheduling.
        _ => f64::INFINITY,
    }
}

/// Levels by width, between measured ones in a straight line.
fn measured(table: &[(f64, f64)], bits: f64) -> f64 {
    let after = table.iter().position(|(width, _)| *width >= bits);
    match after {
        Some(0) => table[0].1,
        None => table[table.len() - 1].1,
        Some(at) => {
            let ((low, from), (high, to)) = (table[at - 1], table[at]);
            from + (to - from) * (bits - low) / (high - low)
        }
    }
}

/// Levels of a tree of LUTs over so many inputs.
fn tree(inputs: f64) -> f64 {
    (inputs.max(1.0).ln() / 6f64.ln()).max(0.35)
}

/// The cost of what stands around a map's memory, in levels.
pub mod map {
    /// Index to the address register of a block RAM: the host's index is chosen.
    pub const BLOCK_ADDRESS: f64 = 1.0;
    /// Index through LUT RAM and forwarding into the word's register.
    pub const LUT_RAM_READ: f64 = 3.6;
    /// New word back into the forwarding of the read: the host's value, the sweep, the choice.
    pub const WRITE_BACK: f64 = 1.6;
    /// Levels from a key of so many bits to its rows: the host's key chosen, a tree of XORs, digests joined.
    pub fn hash(key_bits: u32) -> f64 {
        1.0 + (f64::from(key_bits) / 2.0).max(2.0).ln() / 6f64.ln() + 1.0 + 0.7
    }
    /// An update's guard to the write enables of the keys of a table with so many ports.
    pub fn hash_commit(ports: usize) -> f64 {
        if ports > 1 {
            4.2
        } else {
            3.6
        }
    }
}
