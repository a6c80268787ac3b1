//! A word into its operation.

use super::fits::{fits, number};
use super::layout::{self, field, kind, Bits, Opcode};
use super::{Bounds, Misfit};
use crate::isa::{
    Action, Combine, Ending, Field, Guard, Operand, Operation, Pred, Reg, Test, Way, OFFSET_BITS,
};
use hardpath_ir::Input;

/// The operation of a lane that has this word, in a program that has no more than `bounds`.
///
/// A word that [`encode`](super::encode) gives for no operation is refused.
pub fn decode(word: u128, lane: u8, bounds: &Bounds) -> Result<Operation, Misfit> {
    let code = layout::OPCODE.get(word);
    let what = "an operation";
    let opcode = Opcode::with_code(code).ok_or(Misfit::Code { what, code })?;
    let mut reader = Reader::new(word, lane);
    let guard = reader.guard(layout::GUARD, layout::GUARD_NEGATED);
    reader.read_operands(opcode)?;
    let action = reader.action(opcode)?;
    reader.finish()?;
    let always = guard.pred == Pred(0) && !guard.negated;
    let operation = Operation {
        guard: (!always).then_some(guard),
        action,
    };
    fits(&operation)?;
    bounds.hold(&operation)?;
    Ok(operation)
}

/// A word, of which parts have been read.
struct Reader {
    word: u128,
    lane: u8,
    /// Ones at the bits that mean something.
    read: u128,
    /// What has not been taken yet.
    a: Option<Operand>,
    b: Option<Operand>,
}

impl Reader {
    fn new(word: u128, lane: u8) -> Reader {
        Reader {
            word,
            lane,
            read: layout::OPCODE.mask(),
            a: None,
            b: None,
        }
    }

    fn get(&mut self, bits: Bits) -> u64 {
        debug_assert_eq!(self.read & bits.mask(), 0, "one bit, two meanings");
        self.read |= bits.mask();
        bits.get(self.word)
    }

    fn flag(&mut self, bits: Bits) -> bool {
        self.get(bits) != 0
    }

    fn code<T: Copy>(&mut self, what: &'static str, bits: Bits, all: &[T]) -> Result<T, Misfit> {
        let code = self.get(bits);
        let thing = all.get(code as usize).copied();
        thing.ok_or(Misfit::Code { what, code })
    }

    fn pred(&mut self, bits: Bits) -> Pred {
        Pred(self.get(bits) as u8)
    }

    fn guard(&mut self, pred: Bits, negated: Bits) -> Guard {
        Guard {
            pred: self.pred(pred),
            negated: self.flag(negated),
        }
    }

    fn to(&mut self) -> Reg {
        Reg {
            bank: self.lane,
            index: self.get(layout::TO) as u8,
        }
    }

    /// A destination that there need not be.
    fn maybe_to(&mut self) -> Option<Reg> {
        self.flag(layout::HAS_TO).then(|| self.to())
    }

    fn width(&mut self) -> u8 {
        self.get(layout::WIDTH) as u8 + 1
    }

    fn map(&mut self) -> u8 {
        self.get(layout::MAP) as u8
    }

    fn read_operands(&mut self, opcode: Opcode) -> Result<(), Misfit> {
        let high = match opcode.has_last_word() {
            true => None,
            false => Some(layout::LAST),
        };
        self.b = self.operand("b", layout::B_KIND, layout::B_FIELD, layout::B_NUMBER, high)?;
        let high = match self.b {
            Some(_) => None,
            None => Some(layout::B_NUMBER),
        };
        self.a = self.operand("a", layout::A_KIND, layout::A_FIELD, layout::A_NUMBER, high)?;
        Ok(())
    }

    /// `high`: where the upper half of a number stands, if it has one.
    fn operand(
        &mut self,
        what: &'static str,
        kind: Bits,
        as_field: Bits,
        as_number: Bits,
        high: Option<Bits>,
    ) -> Result<Option<Operand>, Misfit> {
        let code = self.get(kind);
        match code {
            kind::ABSENT => return Ok(None),
            kind::FIELD => {
                let bits = self.get(as_field);
                return Ok(Some(Operand::Field(field_of(bits))));
            }
            _ => {}
        }
        let low = self.get(as_number);
        let value = match (code, high) {
            (kind::NEGATIVE, _) => low | 0xffff_ffff << 32,
            (_, Some(high)) => low | self.get(high) << 32,
            (_, None) => low,
        };
        match number(value).0 == code {
            true => Ok(Some(Operand::Number(value))),
            false => Err(Misfit::Longer { what, value }),
        }
    }

    fn take_a(&mut self) -> Result<Operand, Misfit> {
        self.a.take().ok_or(Misfit::Missing { what: "a" })
    }

    fn take_b(&mut self) -> Result<Operand, Misfit> {
        self.b.take().ok_or(Misfit::Missing { what: "b" })
    }

    /// Operands that nothing wanted, and bits that mean nothing.
    fn finish(self) -> Result<(), Misfit> {
        for (what, operand) in [("a", self.a), ("b", self.b)] {
            if operand.is_some() {
                return Err(Misfit::Surplus { what });
            }
        }
        match self.word & !self.read {
            0 => Ok(()),
            left => Err(Misfit::Reserved {
                bit: left.trailing_zeros() as u8,
            }),
        }
    }

    fn action(&mut self, opcode: Opcode) -> Result<Action, Misfit> {
        Ok(match opcode {
            Opcode::Move => Action::Move {
                a: self.take_a()?,
                to: self.to(),
            },
            Opcode::Compute => Action::Compute {
                op: self.code("a computation", layout::COMPUTE, &layout::COMPUTES)?,
                width: self.width(),
                a: self.take_a()?,
                b: self.take_b()?,
                to: self.to(),
            },
            Opcode::Insert => Action::Insert {
                a: self.take_a()?,
                into: self.take_b()?,
                lo: self.get(layout::INSERT_LO) as u8,
                width: self.width(),
                to: self.to(),
            },
            Opcode::Select => Action::Select {
                when: self.guard(layout::WHEN, layout::WHEN_NEGATED),
                a: self.take_a()?,
                b: self.take_b()?,
                to: self.to(),
            },
            Opcode::Compare => Action::Compare {
                test: self.test()?,
                into: self.code("a comparison", layout::INTO, &layout::INTOS)?,
                yes: self.pred(layout::YES),
                no: self.pred(layout::NO),
            },
            Opcode::Combine => self.combine()?,
            Opcode::Clear => Action::Clear {
                from: self.take_a()?,
            },
            Opcode::Put => Action::Put {
                buffer: self.code("a buffer", layout::BUFFER, &layout::BUFFERS)?,
                at: self.get(layout::PUT_AT) as u16,
                a: self.take_a()?,
                b: self.b.take(),
            },
            Opcode::Branch => Action::Branch {
                when: self.maybe_test()?,
                to: self.get(layout::TARGET) as u32,
            },
            Opcode::Indirect => Action::Indirect { a: self.take_a()? },
            Opcode::Exit => Action::Exit {
                when: self.maybe_test()?,
                index: self.a.take(),
                ending: self.ending()?,
            },
            Opcode::Send => Action::Send {
                ending: self.ending()?,
            },
            Opcode::Input => Action::Input {
                input: self.input()?,
                to: self.to(),
            },
            other => self.memories_and_maps(other)?,
        })
    }

    fn input(&mut self) -> Result<Input, Misfit> {
        let code = self.get(layout::INPUT);
        let own = layout::INPUTS.len();
        match code as usize {
            usual if usual < own => Ok(layout::INPUTS[usual]),
            other if other == own => Ok(Input::Own {
                lo: self.get(layout::OWN_LO) as u8,
                width: self.get(layout::OWN_WIDTH) as u8 + 1,
            }),
            _ => {
                let what = "an input";
                Err(Misfit::Code { what, code })
            }
        }
    }

    fn memories_and_maps(&mut self, opcode: Opcode) -> Result<Action, Misfit> {
        Ok(match opcode {
            Opcode::Load => Action::Load {
                memory: self.code("a memory", layout::MEMORY, &layout::MEMORIES)?,
                base: self.base()?,
                offset: self.memory_offset(),
                bytes: self.bytes(),
                to: self.to(),
            },
            Opcode::Store => Action::Store {
                memory: self.code("a memory", layout::MEMORY, &layout::MEMORIES)?,
                base: self.base()?,
                offset: self.memory_offset(),
                bytes: self.bytes(),
                value: self.take_b()?,
            },
            Opcode::Lookup => Action::Lookup {
                map: self.map(),
                a: self.a.take(),
                b: self.b.take(),
                to: self.maybe_to(),
                hit: self.pred(layout::HIT),
            },
            Opcode::Update => Action::Update {
                map: self.map(),
                a: self.a.take(),
                b: self.b.take(),
                may: match self.flag(layout::HAS_MAY) {
                    true => Some(self.get(layout::MAY) as u8),
                    false => None,
                },
                to: self.maybe_to(),
            },
            Opcode::Delete => Action::Delete {
                map: self.map(),
                a: self.a.take(),
                b: self.b.take(),
                to: self.maybe_to(),
            },
            Opcode::MapLoad | Opcode::MapStore | Opcode::Atomic => self.map_value(opcode)?,
            Opcode::Checksum => Action::Checksum {
                memory: self.code("a memory", layout::MEMORY, &layout::MEMORIES)?,
                a: self.take_a()?,
                b: self.take_b()?,
                up_to: self.get(layout::UP_TO) as u16,
                to: self.to(),
            },
            Opcode::Copy => Action::Copy {
                from: self.code("a memory", layout::MEMORY, &layout::MEMORIES)?,
                into: self.code("a memory", layout::COPY_INTO, &layout::MEMORIES)?,
                a: self.take_a()?,
                b: self.take_b()?,
                up_to: self.get(layout::UP_TO) as u16,
            },
            _ => unreachable!("the other half of `action`"),
        })
    }

    fn map_value(&mut self, opcode: Opcode) -> Result<Action, Misfit> {
        let map = self.map();
        let entry = self.take_a()?;
        let offset = self.get(layout::MAP_OFFSET) as u32;
        let bytes = self.bytes();
        Ok(match opcode {
            Opcode::MapLoad => Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                to: self.to(),
            },
            Opcode::MapStore => Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                value: self.take_b()?,
            },
            _ => Action::Atomic {
                map,
                op: self.code("an atomic operation", layout::ATOMIC, &layout::ATOMICS)?,
                entry,
                offset,
                bytes,
                value: self.take_b()?,
                to: self.maybe_to(),
            },
        })
    }

    fn combine(&mut self) -> Result<Action, Misfit> {
        let op: Combine = self.code("a combination", layout::COMBINE, &layout::COMBINES)?;
        Ok(Action::Combine {
            op,
            a: self.guard(layout::COMBINE_A, layout::COMBINE_A_NEGATED),
            b: self.guard(layout::COMBINE_B, layout::COMBINE_B_NEGATED),
            to: self.pred(layout::COMBINE_TO),
        })
    }

    fn test(&mut self) -> Result<Test, Misfit> {
        Ok(Test {
            condition: self.code("a condition", layout::CONDITION, &layout::CONDITIONS)?,
            a: self.take_a()?,
            b: self.take_b()?,
        })
    }

    /// There is one where there is an operand `b`.
    fn maybe_test(&mut self) -> Result<Option<Test>, Misfit> {
        match self.b {
            Some(_) => self.test().map(Some),
            None => Ok(None),
        }
    }

    fn base(&mut self) -> Result<Option<Field>, Misfit> {
        match self.a.take() {
            Some(Operand::Field(field)) => Ok(Some(field)),
            Some(Operand::Number(_)) => Err(Misfit::Base),
            None => Ok(None),
        }
    }

    fn memory_offset(&mut self) -> i32 {
        let offset = self.get(layout::MEMORY_OFFSET) as i32;
        let unused = 32 - OFFSET_BITS;
        offset << unused >> unused
    }

    fn bytes(&mut self) -> u8 {
        self.get(layout::BYTES) as u8 + 1
    }

    fn ending(&mut self) -> Result<Ending, Misfit> {
        let forwarded = match self.get(layout::FORWARDED) {
            0 => None,
            2 => Some(false),
            3 => Some(true),
            code => {
                let what = "whether a packet goes on";
                return Err(Misfit::Code { what, code });
            }
        };
        let way = match self.get(layout::WAY) {
            0 => Way::Back,
            1 => Way::Buffer,
            class @ 4..=7 => Way::Class(class as u8 - 4),
            code => {
                let what = "a way";
                return Err(Misfit::Code { what, code });
            }
        };
        Ok(Ending {
            forwarded,
            outputs: match self.flag(layout::HAS_OUTPUTS) {
                true => Some(self.get(layout::OUTPUTS)),
                false => None,
            },
            way,
            leaving: self.flag(layout::LEAVING),
            each: match self.flag(layout::HAS_EACH) {
                true => Some(self.map()),
                false => None,
            },
        })
    }
}

fn field_of(bits: u64) -> Field {
    let get = |part: Bits| part.get(bits.into());
    Field {
        reg: Reg {
            bank: get(field::BANK) as u8,
            index: get(field::INDEX) as u8,
        },
        lo: get(field::LO) as u8,
        width: get(field::WIDTH) as u8 + 1,
        swapped: get(field::SWAPPED) != 0,
        signed: get(field::SIGNED) != 0,
    }
}
