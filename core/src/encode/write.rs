//! An operation into its word.

use super::fits::{number, room};
use super::layout::{self, field, kind, Bits, Opcode};
use super::{destination, fits, operands, Bounds, Misfit};
use crate::isa::{
    Action, Combine, Ending, Field, Guard, Operand, Operation, Pred, Test, Way, PREDICATES,
};
use hardpath_ir::Input;

/// The word of an operation of a lane.
///
/// Refused is what does not [fit](fits), a destination in another lane's bank, a register, predicate or row that no machine has, and a
/// guard that says nothing.
pub fn encode(operation: &Operation, lane: u8) -> Result<u128, Misfit> {
    fits(operation)?;
    Bounds::MOST.hold(operation)?;
    let Operation { guard, action } = operation;
    let mut word = Word(0);
    word.put(layout::OPCODE, Opcode::of(action) as u64);
    match guard {
        Some(Guard {
            pred: Pred(0),
            negated: false,
        }) => return Err(Misfit::Always),
        Some(guard) => word.guard(*guard, layout::GUARD, layout::GUARD_NEGATED)?,
        None => {}
    }
    if let Some(to) = destination(action) {
        if to.bank != lane {
            let bank = to.bank;
            return Err(Misfit::Bank { lane, bank });
        }
        word.put(layout::TO, to.index.into());
    }
    let (a, b) = operands(action);
    word.operand(a, layout::A_KIND, layout::A_FIELD, layout::A_NUMBER);
    word.operand(b, layout::B_KIND, layout::B_FIELD, layout::B_NUMBER);
    word.rest(action)?;
    Ok(word.0)
}

/// A word that is being written. What it is given has room: [`fits`] has been asked.
struct Word(u128);

impl Word {
    fn put(&mut self, bits: Bits, value: u64) {
        debug_assert!(value <= bits.most() && self.0 & bits.mask() == 0);
        self.0 |= bits.put(value);
    }

    /// The place of a thing in the list of its kind.
    fn code<T: PartialEq>(&mut self, bits: Bits, all: &[T], thing: &T) {
        let place = all.iter().position(|other| other == thing);
        self.put(bits, place.expect("the list has them all") as u64);
    }

    fn pred(&mut self, Pred(pred): Pred, bits: Bits) -> Result<(), Misfit> {
        debug_assert_eq!(bits.most(), u64::from(PREDICATES) - 1);
        room("predicate", pred.into(), bits)?;
        self.put(bits, pred.into());
        Ok(())
    }

    fn guard(&mut self, guard: Guard, pred: Bits, negated: Bits) -> Result<(), Misfit> {
        self.pred(guard.pred, pred)?;
        self.put(negated, guard.negated.into());
        Ok(())
    }

    /// A number whose upper half is not 0 goes on in the next word.
    fn operand(&mut self, operand: Option<Operand>, kind: Bits, as_field: Bits, as_number: Bits) {
        match operand {
            Some(Operand::Field(field)) => {
                self.put(kind, kind::FIELD);
                self.put(as_field, field_bits(field));
            }
            Some(Operand::Number(value)) => {
                let (code, low, high) = number(value);
                self.put(kind, code);
                self.put(as_number, low);
                if high != 0 {
                    let lo = as_number.lo + as_number.width;
                    self.put(Bits { lo, ..as_number }, high);
                }
            }
            None => self.put(kind, kind::ABSENT),
        }
    }

    /// What is neither operand nor destination.
    fn rest(&mut self, action: &Action) -> Result<(), Misfit> {
        match *action {
            Action::Move { .. } | Action::Clear { .. } | Action::Indirect { .. } => {}
            Action::Compute { op, width, .. } => {
                self.code(layout::COMPUTE, &layout::COMPUTES, &op);
                self.put(layout::WIDTH, u64::from(width) - 1);
            }
            Action::Insert { lo, width, .. } => {
                self.put(layout::INSERT_LO, lo.into());
                self.put(layout::WIDTH, u64::from(width) - 1);
            }
            Action::Select { when, .. } => {
                self.guard(when, layout::WHEN, layout::WHEN_NEGATED)?;
            }
            Action::Compare {
                ref test,
                into,
                yes,
                no,
            } => {
                self.test(Some(test));
                self.code(layout::INTO, &layout::INTOS, &into);
                self.pred(yes, layout::YES)?;
                self.pred(no, layout::NO)?;
            }
            Action::Combine { op, a, b, to } => self.combine(op, a, b, to)?,
            Action::Put { buffer, at, .. } => {
                self.code(layout::BUFFER, &layout::BUFFERS, &buffer);
                self.put(layout::PUT_AT, at.into());
            }
            Action::Branch { ref when, to } => {
                self.test(when.as_ref());
                self.put(layout::TARGET, to.into());
            }
            Action::Exit {
                ref when,
                ref ending,
                ..
            } => {
                self.test(when.as_ref());
                self.ending(ending);
            }
            Action::Send { ref ending } => self.ending(ending),
            Action::Input { input, .. } => self.input(input),
            ref other => self.memories_and_maps(other)?,
        }
        Ok(())
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Own { lo, width } => {
                self.put(layout::INPUT, layout::INPUTS.len() as u64);
                self.put(layout::OWN_LO, lo.into());
                self.put(layout::OWN_WIDTH, u64::from(width) - 1);
            }
            usual => self.code(layout::INPUT, &layout::INPUTS, &usual),
        }
    }

    fn memories_and_maps(&mut self, action: &Action) -> Result<(), Misfit> {
        if let Some(map) = super::map(action) {
            self.put(layout::MAP, map.into());
        }
        match *action {
            Action::Load {
                memory,
                offset,
                bytes,
                ..
            }
            | Action::Store {
                memory,
                offset,
                bytes,
                ..
            } => {
                self.code(layout::MEMORY, &layout::MEMORIES, &memory);
                let offset = offset as u64 & layout::MEMORY_OFFSET.most();
                self.access(layout::MEMORY_OFFSET, offset, bytes);
            }
            Action::Lookup { to, hit, .. } => {
                self.put(layout::HAS_TO, to.is_some().into());
                self.pred(hit, layout::HIT)?;
            }
            Action::Update { may, to, .. } => {
                self.put(layout::HAS_TO, to.is_some().into());
                self.put(layout::HAS_MAY, may.is_some().into());
                self.put(layout::MAY, may.unwrap_or(0).into());
            }
            Action::Delete { to, .. } => self.put(layout::HAS_TO, to.is_some().into()),
            Action::MapLoad { offset, bytes, .. } | Action::MapStore { offset, bytes, .. } => {
                self.access(layout::MAP_OFFSET, offset.into(), bytes);
            }
            Action::Atomic {
                op,
                offset,
                bytes,
                to,
                ..
            } => {
                self.put(layout::HAS_TO, to.is_some().into());
                self.code(layout::ATOMIC, &layout::ATOMICS, &op);
                self.access(layout::MAP_OFFSET, offset.into(), bytes);
            }
            Action::Checksum { memory, up_to, .. } => {
                self.code(layout::MEMORY, &layout::MEMORIES, &memory);
                self.put(layout::UP_TO, up_to.into());
            }
            Action::Copy {
                from, into, up_to, ..
            } => {
                self.code(layout::MEMORY, &layout::MEMORIES, &from);
                self.code(layout::COPY_INTO, &layout::MEMORIES, &into);
                self.put(layout::UP_TO, up_to.into());
            }
            _ => unreachable!("the other half of `rest`"),
        }
        Ok(())
    }

    fn combine(&mut self, op: Combine, a: Guard, b: Guard, to: Pred) -> Result<(), Misfit> {
        self.code(layout::COMBINE, &layout::COMBINES, &op);
        self.guard(a, layout::COMBINE_A, layout::COMBINE_A_NEGATED)?;
        self.guard(b, layout::COMBINE_B, layout::COMBINE_B_NEGATED)?;
        self.pred(to, layout::COMBINE_TO)
    }

    /// That there is one, its operands say.
    fn test(&mut self, test: Option<&Test>) {
        if let Some(test) = test {
            self.code(layout::CONDITION, &layout::CONDITIONS, &test.condition);
        }
    }

    fn access(&mut self, at: Bits, offset: u64, bytes: u8) {
        self.put(at, offset);
        self.put(layout::BYTES, u64::from(bytes) - 1);
    }

    fn ending(&mut self, ending: &Ending) {
        let Ending {
            forwarded,
            outputs,
            way,
            leaving,
            each,
        } = *ending;
        let forwarded = forwarded.map_or(0, |forwarded| 2 + u64::from(forwarded));
        self.put(layout::FORWARDED, forwarded);
        self.put(layout::HAS_OUTPUTS, outputs.is_some().into());
        self.put(layout::OUTPUTS, outputs.unwrap_or(0));
        let way = match way {
            Way::Back => 0,
            Way::Buffer => 1,
            Way::Class(class) => 4 + u64::from(class),
        };
        self.put(layout::WAY, way);
        self.put(layout::LEAVING, leaving.into());
        self.put(layout::HAS_EACH, each.is_some().into());
        self.put(layout::MAP, each.unwrap_or(0).into());
    }
}

fn field_bits(field: Field) -> u64 {
    let parts = [
        (field::INDEX, u64::from(field.reg.index)),
        (field::BANK, field.reg.bank.into()),
        (field::LO, field.lo.into()),
        (field::WIDTH, u64::from(field.width) - 1),
        (field::SWAPPED, field.swapped.into()),
        (field::SIGNED, field.signed.into()),
    ];
    let parts = parts.map(|(bits, value)| bits.put(value) as u64);
    parts.into_iter().sum()
}
