//! What a block has just written to a memory is not read back: who reads it takes the register that it came from.

use super::code::{Code, Label, Reg};
use super::effects::Bytes;
use crate::interpreter::low;
use crate::isa::{Action, Field, Operand};
use hardpath_ir::structure::Memory;
use std::collections::HashMap;

/// A value that stands in a memory.
struct Written {
    memory: Memory,
    offset: i32,
    bytes: u8,
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
                let same = known
                    .iter()
                    .find(|one| one.memory == memory && one.offset == offset && one.bytes == bytes);
                let current = same.filter(|one| version(&versions, &one.value) == one.version);
                if let Some(a) = current.and_then(|one| low_bytes(one.value, bytes)) {
                    step.op.action = Action::Move { a, to };
                    changed = true;
                }
            }
            Action::Store {
                memory,
                base: None,
                offset,
                bytes,
                value,
            } if step.op.guard.is_none() => {
                let version = version(&versions, &value);
                known.retain(|one| {
                    let (at, end) = (one.offset, one.offset + i32::from(one.bytes));
                    let is_apart = end <= offset || offset + i32::from(bytes) <= at;
                    one.memory != memory || is_apart
                });
                known.push(Written {
                    memory,
                    offset,
                    bytes,
                    value,
                    version,
                });
            }
            action => {
                let memory = Bytes::written_by(&action);
                known.retain(|one| memory != Some(one.memory));
            }
        }
        for reg in step.touched().writes {
            *versions.entry(reg).or_default() += 1;
        }
    }
    changed
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
