//! When a value is there, as a rough count of logic levels: what decides the shape of a tree.
//!
//! The scheduler has the real delay model; here only the order of arrivals matters. Wiring costs nothing, logic one
//! level, a carry chain one level and a little for its length, a memory several.

use cranelift_entity::SecondaryMap;
use hardpath_ir::{Op, Program, Value};

/// Levels in 1/16.
pub type Arrival = u32;

const LEVEL: Arrival = 16;

/// Arrival of every value, computed as it is asked for, so that values built in between are known, too.
#[derive(Default)]
pub struct Arrivals {
    known: SecondaryMap<Value, Option<Arrival>>,
}

impl Arrivals {
    pub fn get(&mut self, program: &Program, value: Value) -> Arrival {
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            if self.known[top].is_some() {
                stack.pop();
                continue;
            }
            let Some(inst) = program.def_inst(top) else {
                self.known[top] = Some(0);
                continue;
            };
            let before = stack.len();
            let mut latest = 0;
            for arg in inst.uses() {
                match self.known[arg] {
                    Some(arrival) => latest = latest.max(arrival),
                    None => stack.push(arg),
                }
            }
            if stack.len() == before {
                let width = inst.args.first().map_or(0, |&arg| program.width(arg));
                self.known[top] = Some(latest + cost(&inst.op, width));
            }
        }
        self.known[value].unwrap_or(0)
    }
}

/// What one operation adds.
pub fn cost(op: &Op, width: u32) -> Arrival {
    match op {
        Op::Const(_) | Op::Input(_) => 0,
        Op::Slice { .. } | Op::Concat | Op::ZExt | Op::SExt | Op::Not => 0,
        Op::And | Op::Or | Op::Xor | Op::Select => LEVEL / 2,
        Op::Add | Op::Sub | Op::Ult | Op::Ule | Op::Slt | Op::Sle => LEVEL + width / 4,
        Op::Eq | Op::Ne => LEVEL / 2 * (width.max(2).ilog2() / 2 + 1),
        Op::Shl | Op::LShr | Op::AShr => LEVEL / 2 * (width.max(2).ilog2() + 1),
        Op::Mul => 3 * LEVEL,
        Op::UDiv | Op::URem | Op::SDiv | Op::SRem => LEVEL * width,
        Op::StackLoad | Op::PacketLoad => 0,
        _ => 4 * LEVEL,
    }
}
