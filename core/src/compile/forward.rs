//! What a block has just written to a memory is not read back: who reads it takes the register that it came from.

use super::code::{Code, Label, Reg};
use super::effects::{Bytes, Effects};
use crate::interpreter::low;
use crate::isa::{Action, Field, Operand};
use std::collections::HashMap;

/// A value that stands in a memory.
struct Written {
    bytes: Bytes,
    value: Operand<Reg>,
    version: u32,
}

/// In one block, of what stands at a known place. Gives whether something changed.
pub fn take_written(code: &mut Code, label: Label) -> bool {
    let mut versions: HashMap<Reg, u32> = HashMap::new();
    let mut known: Vec<Written> = Vec::new();
    let mut changed = false;
    let version = |versions: &HashMap<Reg, u32>, value: &Operand<Reg>| match value {
        Operand::Field(field) => versions.get(&field.reg).copied().unwrap_or(0),
        Operand::Number(_) => 0,
    };
    for step in &mut code.blocks[label] {
        match step.op.action {
            Action::Load {
                memory,
                base: None,
                offset,
                bytes,
                to,
            } => {
                let read = Bytes::fixed(memory, offset, bytes);
                let same = known.iter().find(|one| one.bytes == read);
                let current = same.filter(|one| version(&versions, &one.value) == one.version);
                if let Some(a) = current.and_then(|one| low_bytes(one.value, bytes)) {
                    step.op.action = Action::Move { a, to };
                    changed = true;
                }
            }
            action => {
                let effects = Effects::of(step, |_| 0);
                known.retain(|one| !effects.overwrites(&one.bytes));
                if let Some((bytes, value)) = stored(&action).filter(|_| step.op.guard.is_none()) {
                    let version = version(&versions, &value);
                    known.push(Written {
                        bytes,
                        value,
                        version,
                    });
                }
            }
        }
        for reg in step.touched().writes {
            *versions.entry(reg).or_default() += 1;
        }
    }
    changed
}

/// What is written at a known place, and where.
fn stored<P, T>(action: &Action<Reg, P, T>) -> Option<(Bytes, Operand<Reg>)> {
    match *action {
        Action::Store {
            memory,
            base: None,
            offset,
            bytes,
            value,
        } => Some((Bytes::fixed(memory, offset, bytes), value)),
        _ => None,
    }
}

/// The low bytes of an operand; `None`: not without an operation more.
fn low_bytes(value: Operand<Reg>, bytes: u8) -> Option<Operand<Reg>> {
    let bits = 8 * bytes;
    match value {
        Operand::Number(number) => Some(Operand::Number(low(number, bits))),
        Operand::Field(field) if field.width == bits => Some(Operand::Field(Field {
            signed: false,
            ..field
        })),
        Operand::Field(field) if field.swapped || field.signed => None,
        Operand::Field(field) => Some(Operand::Field(Field {
            width: field.width.min(bits),
            ..field
        })),
    }
}
