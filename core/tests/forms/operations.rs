//! Random operations of every kind, and random programs of them.

use hardpath_core::encode::layout::{
    Opcode, ATOMICS, BUFFERS, COMBINES, COMPUTES, CONDITIONS, INTOS, MEMORIES,
};
use hardpath_core::encode::{fits, layout, Bounds};
use hardpath_core::isa::{
    Action, Ending, Field, Guard, Operand, Operation, Pred, Reg, Test, Way, PREDICATES,
};
use hardpath_ir::Input;
use hardpath_testkit::Random;

/// Makes operations that a program within bounds may have.
pub struct Operations {
    pub random: Random,
    pub bounds: Bounds,
}

impl Operations {
    pub fn new(seed: u64, bounds: Bounds) -> Operations {
        let random = Random::new(seed);
        Operations { random, bounds }
    }

    /// Of any kind.
    pub fn any(&mut self, lane: u8) -> Operation {
        let opcode = *self.random.pick(&Opcode::ALL);
        self.of_kind(opcode, lane)
    }

    /// Of one kind, with numbers that have room.
    pub fn of_kind(&mut self, opcode: Opcode, lane: u8) -> Operation {
        loop {
            let guard = self.flag().then(|| self.guard());
            let guard = guard.filter(|guard| guard.negated || guard.pred.0 != 0);
            let action = self.action(opcode, lane);
            let operation = Operation { guard, action };
            if fits(&operation).is_ok() {
                return operation;
            }
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn reg(&mut self) -> Reg {
        Reg {
            bank: self.below(self.bounds.lanes.into()) as u8,
            index: self.below(self.bounds.registers.into()) as u8,
        }
    }

    fn to(&mut self, bank: u8) -> Reg {
        Reg { bank, ..self.reg() }
    }

    fn maybe_to(&mut self, bank: u8) -> Option<Reg> {
        self.flag().then(|| self.to(bank))
    }

    fn pred(&mut self) -> Pred {
        Pred(self.below(PREDICATES.into()) as u8)
    }

    fn guard(&mut self) -> Guard {
        Guard {
            pred: self.pred(),
            negated: self.flag(),
        }
    }

    fn field(&mut self) -> Field {
        if self.flag() {
            return Field::whole(self.reg());
        }
        let lo = self.below(64) as u8;
        let width = self.below(64 - u64::from(lo)) as u8 + 1;
        Field {
            reg: self.reg(),
            lo,
            width,
            swapped: width.is_multiple_of(8) && self.flag(),
            signed: self.flag(),
        }
    }

    fn operand(&mut self) -> Operand {
        match self.below(3) {
            0 => Operand::Number(self.random.interesting(64)),
            1 => Operand::Number(self.random.interesting(32)),
            _ => Operand::Field(self.field()),
        }
    }

    fn maybe(&mut self) -> Option<Operand> {
        self.flag().then(|| self.operand())
    }

    fn test(&mut self) -> Test {
        Test {
            condition: *self.random.pick(&CONDITIONS),
            a: self.operand(),
            b: self.operand(),
        }
    }

    fn map(&mut self) -> u8 {
        self.below(self.bounds.maps.into()) as u8
    }

    fn offset(&mut self) -> i32 {
        self.below(1 << 18) as i32 - (1 << 17)
    }

    fn map_offset(&mut self) -> u32 {
        self.random.interesting(29) as u32
    }

    fn bytes(&mut self) -> u8 {
        self.below(8) as u8 + 1
    }

    fn up_to(&mut self) -> u16 {
        self.random.interesting(16) as u16
    }

    fn ending(&mut self) -> Ending {
        Ending {
            forwarded: *self.random.pick(&[None, Some(false), Some(true)]),
            outputs: self.flag().then(|| self.random.interesting(32)),
            way: match self.below(6) {
                0 => Way::Back,
                1 => Way::Buffer,
                class => Way::Class(class as u8 - 2),
            },
            leaving: self.flag(),
            each: self.flag().then(|| self.map()),
        }
    }

    fn action(&mut self, opcode: Opcode, lane: u8) -> Action {
        match opcode {
            Opcode::Input => Action::Input {
                input: *self.random.pick(&inputs()),
                to: self.to(lane),
            },
            Opcode::Move => Action::Move {
                a: self.operand(),
                to: self.to(lane),
            },
            Opcode::Compute => Action::Compute {
                op: *self.random.pick(&COMPUTES),
                width: self.below(64) as u8 + 1,
                a: self.operand(),
                b: self.operand(),
                to: self.to(lane),
            },
            Opcode::Insert => {
                let Field { lo, width, .. } = self.field();
                Action::Insert {
                    a: self.operand(),
                    into: self.operand(),
                    lo,
                    width,
                    to: self.to(lane),
                }
            }
            Opcode::Select => Action::Select {
                when: self.guard(),
                a: self.operand(),
                b: self.operand(),
                to: self.to(lane),
            },
            Opcode::Compare => Action::Compare {
                test: self.test(),
                into: *self.random.pick(&INTOS),
                yes: self.pred(),
                no: self.pred(),
            },
            Opcode::Combine => Action::Combine {
                op: *self.random.pick(&COMBINES),
                a: self.guard(),
                b: self.guard(),
                to: self.pred(),
            },
            Opcode::Clear => Action::Clear {
                from: self.operand(),
            },
            Opcode::Put => Action::Put {
                buffer: *self.random.pick(&BUFFERS),
                at: self.up_to(),
                a: self.operand(),
                b: self.maybe(),
            },
            Opcode::Branch => Action::Branch {
                when: self.flag().then(|| self.test()),
                to: self.below(self.bounds.rows.into()) as u32,
            },
            Opcode::Indirect => Action::Indirect { a: self.operand() },
            Opcode::Exit => {
                let when = self.flag().then(|| self.test());
                Action::Exit {
                    index: if when.is_none() { self.maybe() } else { None },
                    when,
                    ending: self.ending(),
                }
            }
            Opcode::Send => Action::Send {
                ending: self.ending(),
            },
            other => self.memory_or_map(other, lane),
        }
    }

    fn memory_or_map(&mut self, opcode: Opcode, lane: u8) -> Action {
        match opcode {
            Opcode::Load => Action::Load {
                memory: *self.random.pick(&MEMORIES),
                base: self.flag().then(|| self.field()),
                offset: self.offset(),
                bytes: self.bytes(),
                to: self.to(lane),
            },
            Opcode::Store => Action::Store {
                memory: *self.random.pick(&MEMORIES),
                base: self.flag().then(|| self.field()),
                offset: self.offset(),
                bytes: self.bytes(),
                value: self.operand(),
            },
            Opcode::Lookup => Action::Lookup {
                map: self.map(),
                a: self.maybe(),
                b: self.maybe(),
                to: self.maybe_to(lane),
                hit: self.pred(),
            },
            Opcode::Update => Action::Update {
                map: self.map(),
                a: self.maybe(),
                b: self.maybe(),
                may: self.flag().then(|| self.below(4) as u8),
                to: self.maybe_to(lane),
            },
            Opcode::Delete => Action::Delete {
                map: self.map(),
                a: self.maybe(),
                b: self.maybe(),
                to: self.maybe_to(lane),
            },
            Opcode::MapLoad => Action::MapLoad {
                map: self.map(),
                entry: self.operand(),
                offset: self.map_offset(),
                bytes: self.bytes(),
                to: self.to(lane),
            },
            Opcode::MapStore => Action::MapStore {
                map: self.map(),
                entry: self.operand(),
                offset: self.map_offset(),
                bytes: self.bytes(),
                value: self.operand(),
            },
            Opcode::Atomic => Action::Atomic {
                map: self.map(),
                op: *self.random.pick(&ATOMICS),
                entry: self.operand(),
                offset: self.map_offset(),
                bytes: self.bytes(),
                value: self.operand(),
                to: self.maybe_to(lane),
            },
            Opcode::Checksum => Action::Checksum {
                memory: *self.random.pick(&MEMORIES),
                a: self.operand(),
                b: self.operand(),
                up_to: self.up_to(),
                to: self.to(lane),
            },
            Opcode::Copy => Action::Copy {
                from: *self.random.pick(&MEMORIES),
                into: *self.random.pick(&MEMORIES),
                a: self.operand(),
                b: self.operand(),
                up_to: self.up_to(),
            },
            other => unreachable!("{other:?}"),
        }
    }
}

/// All inputs of the programs here.
fn inputs() -> Vec<Input> {
    let own = [(0, 12), (12, 33)].map(|(lo, width)| Input::Own { lo, width });
    layout::INPUTS.into_iter().chain(own).collect()
}
