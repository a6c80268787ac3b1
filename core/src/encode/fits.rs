//! What has room in an operation's word. Nothing here depends on what registers, predicates and rows are called, so the compiler can ask
//! as soon as it has chosen an operation.

use super::layout::{self, kind, Bits, Opcode};
use super::Misfit;
use crate::isa::{Action, Ending, Field, Operand, Operation, Way, ACCESS_BYTES, OFFSET_BITS};
use hardpath_ir::Input;

/// Whether an operation has room in its word, whatever its registers, predicates and places are.
///
/// * A number `b` has 64 bits. It has 32, extended with zeros or with ones, in stores, operations on values of maps, checksums, copies
///   and exits, whose last word says something else.
/// * A number `a` has 64 bits where there is no `b`, else 32, extended with zeros or with ones. So both may be numbers.
/// * Offsets have [`OFFSET_BITS`] with their sign, those into values of maps 29 bits; accesses 1 to [`ACCESS_BYTES`] bytes.
/// * Outputs of an ending have 32 bits, classes 2, and an exit with a condition has no index of its own. There are
///   [`layout::MOST_MAPS`] maps.
pub fn fits<R: Copy, P, T>(operation: &Operation<R, P, T>) -> Result<(), Misfit> {
    let action = &operation.action;
    let (a, b) = operands(action);
    for (what, operand) in [("operand a", a), ("operand b", b)] {
        if let Some(Operand::Field(field)) = operand {
            check_field(what, &field)?;
        }
    }
    let opcode = Opcode::of(action);
    for (what, operand, is_wide) in [
        ("operand a", a, b.is_none()),
        ("operand b", b, !opcode.has_last_word()),
    ] {
        if let Some(Operand::Number(value)) = operand {
            if number(value).0 == kind::NUMBER && value >> 32 != 0 && !is_wide {
                return Err(Misfit::Number { what, value });
            }
        }
    }
    if let Some(map) = map(action) {
        beyond("map", map.into(), layout::MAP.most())?;
    }
    rest(action)
}

/// The kind of a number and its two words.
pub(super) fn number(value: u64) -> (u64, u64, u64) {
    let (low, high) = (value & 0xffff_ffff, value >> 32);
    match high == 0xffff_ffff && low >> 31 == 1 {
        true => (kind::NEGATIVE, low, 0),
        false => (kind::NUMBER, low, high),
    }
}

/// What stands in the places of operands `a` and `b`.
pub fn operands<R: Copy, P, T>(
    action: &Action<R, P, T>,
) -> (Option<Operand<R>>, Option<Operand<R>>) {
    match *action {
        Action::Move { a, .. } | Action::Clear { from: a } | Action::Indirect { a } => {
            (Some(a), None)
        }
        Action::Compute { a, b, .. }
        | Action::Insert { a, into: b, .. }
        | Action::Select { a, b, .. }
        | Action::Checksum { a, b, .. }
        | Action::Copy { a, b, .. } => (Some(a), Some(b)),
        Action::Compare { ref test, .. } => (Some(test.a), Some(test.b)),
        Action::Put { a, b, .. } => (Some(a), b),
        Action::Load { base, .. } => (base.map(Operand::Field), None),
        Action::Store { base, value, .. } => (base.map(Operand::Field), Some(value)),
        Action::Lookup { a, b, .. } | Action::Update { a, b, .. } | Action::Delete { a, b, .. } => {
            (a, b)
        }
        Action::MapLoad { entry, .. } => (Some(entry), None),
        Action::MapStore { entry, value, .. } | Action::Atomic { entry, value, .. } => {
            (Some(entry), Some(value))
        }
        Action::Branch {
            when: Some(ref test),
            ..
        }
        | Action::Exit {
            when: Some(ref test),
            ..
        } => (Some(test.a), Some(test.b)),
        Action::Exit { index, .. } => (index, None),
        Action::Branch { when: None, .. }
        | Action::Combine { .. }
        | Action::Send { .. }
        | Action::Input { .. } => (None, None),
    }
}

/// The map that an action names.
pub fn map<R, P, T>(action: &Action<R, P, T>) -> Option<u8> {
    match *action {
        Action::Lookup { map, .. }
        | Action::Update { map, .. }
        | Action::Delete { map, .. }
        | Action::MapLoad { map, .. }
        | Action::MapStore { map, .. }
        | Action::Atomic { map, .. } => Some(map),
        Action::Exit { ref ending, .. } | Action::Send { ref ending } => ending.each,
        _ => None,
    }
}

/// The same, to give it another number.
pub fn map_mut<R, P, T>(action: &mut Action<R, P, T>) -> Option<&mut u8> {
    match action {
        Action::Lookup { map, .. }
        | Action::Update { map, .. }
        | Action::Delete { map, .. }
        | Action::MapLoad { map, .. }
        | Action::MapStore { map, .. }
        | Action::Atomic { map, .. } => Some(map),
        Action::Exit { ending, .. } | Action::Send { ending } => ending.each.as_mut(),
        _ => None,
    }
}

/// Whether a field is one of a register.
pub fn check_field<R>(what: &'static str, field: &Field<R>) -> Result<(), Misfit> {
    let Field { lo, width, .. } = *field;
    bits_of_register(what, lo, width)?;
    match field.swapped && width % 8 != 0 {
        true => Err(Misfit::Swap { what, width }),
        false => Ok(()),
    }
}

fn bits_of_register(what: &'static str, lo: u8, width: u8) -> Result<(), Misfit> {
    match lo < 64 && (1..=64 - lo).contains(&width) {
        true => Ok(()),
        false => Err(Misfit::Field { what, lo, width }),
    }
}

/// What of an action is neither operand nor map.
fn rest<R, P, T>(action: &Action<R, P, T>) -> Result<(), Misfit> {
    match *action {
        Action::Compute { width, .. } => outside("the width", width.into(), 1, 64),
        Action::Insert { lo, width, .. } => bits_of_register("what is put in", lo, width),
        Action::Input {
            input: Input::Own { lo, width },
            ..
        } => bits_of_register("the input", lo, width),
        Action::Load { offset, bytes, .. } | Action::Store { offset, bytes, .. } => {
            let half = 1 << (OFFSET_BITS - 1);
            outside("the offset", offset.into(), -half, half - 1)?;
            access(bytes)
        }
        Action::MapLoad { offset, bytes, .. }
        | Action::MapStore { offset, bytes, .. }
        | Action::Atomic { offset, bytes, .. } => {
            let most = layout::MAP_OFFSET.most() as i64;
            outside("the offset", offset.into(), 0, most)?;
            access(bytes)
        }
        Action::Update { may: Some(may), .. } => {
            let most = layout::MAY.most() as i64;
            outside("what an update may do", may.into(), 0, most)
        }
        Action::Exit {
            when: Some(_),
            index: Some(_),
            ..
        } => Err(Misfit::IndexOfTest),
        Action::Exit { ref ending, .. } | Action::Send { ref ending } => check_ending(ending),
        _ => Ok(()),
    }
}

fn access(bytes: u8) -> Result<(), Misfit> {
    outside("the number of bytes", bytes.into(), 1, ACCESS_BYTES.into())
}

fn check_ending(ending: &Ending) -> Result<(), Misfit> {
    if let Way::Class(class) = ending.way {
        beyond("class", class.into(), 3)?;
    }
    match ending.outputs {
        Some(value) if value > layout::OUTPUTS.most() => Err(Misfit::Outputs { value }),
        _ => Ok(()),
    }
}

fn outside(what: &'static str, value: i64, least: i64, most: i64) -> Result<(), Misfit> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(Misfit::Outside {
            what,
            value,
            least,
            most,
        }),
    }
}

/// Whether there is something of that number.
pub(super) fn beyond(what: &'static str, value: u64, most: u64) -> Result<(), Misfit> {
    match value <= most {
        true => Ok(()),
        false => Err(Misfit::Beyond { what, value, most }),
    }
}

/// Whether a value has room.
pub(super) fn room(what: &'static str, value: u64, bits: Bits) -> Result<(), Misfit> {
    beyond(what, value, bits.most())
}
