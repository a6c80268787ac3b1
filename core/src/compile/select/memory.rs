//! Loads, stores and whole operations on packet and stack.

use super::super::code::Reg;
use super::super::savings::Saving;
use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::isa::{Action, Buffer, Compute, Field, Operand, OFFSET_BITS};
use hardpath_ir::structure::{Memory, Whole};
use hardpath_ir::{InstData, Op, Value};

/// Where an access begins.
#[derive(Clone, Copy)]
struct At {
    base: Option<Field<Reg>>,
    offset: i32,
}

impl Select<'_> {
    pub(super) fn memory_operation(&mut self, data: &InstData) {
        match data.op {
            Op::StackLoad => self.load(data, Memory::Stack),
            Op::PacketLoad => self.load(data, Memory::Packet),
            Op::StackStore => self.store(data, Memory::Stack),
            Op::PacketStore => self.store(data, Memory::Packet),
            Op::PacketClear => {
                let from = self.operand_of(data.args[0]);
                self.emit(Action::Clear { from });
            }
            Op::Whole(Whole::Checksum { memory, up_to }) => self.checksum(data, memory, up_to),
            Op::Whole(Whole::Copy { from, to, up_to }) => {
                let length = self.operand_of(data.args[2]);
                self.put_word(Buffer::Value, 0, length);
                let (a, b) = (self.operand_of(data.args[0]), self.operand_of(data.args[1]));
                let up_to = up_to as u16;
                self.emit(Action::Copy {
                    from,
                    into: to,
                    a,
                    b,
                    up_to,
                });
            }
            _ => unreachable!("only operations on memory come here"),
        }
    }

    pub(super) fn put_word(&mut self, buffer: Buffer, at: u16, a: Operand<Reg>) {
        let b = None;
        self.emit(Action::Put { buffer, at, a, b });
    }

    /// An offset as a register and a number, as far as that goes; `bytes` are accessed from there on.
    fn at(&mut self, offset: Value, bytes: u32) -> At {
        let fits = |number: i64| {
            let limit = 1_i64 << (OFFSET_BITS - 1);
            (-limit..limit - i64::from(bytes)).contains(&number)
        };
        if let Some(number) = self
            .program
            .as_const(offset)
            .map(|bits| bits.low_u64() as i64)
        {
            if fits(number) {
                let offset = number as i32;
                return At { base: None, offset };
            }
        }
        let sum = self
            .program
            .def_inst(offset)
            .filter(|data| data.op == Op::Add);
        let parts = sum.map(|data| (data.args[0], data.args[1]));
        for (base, number) in parts.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            let number = self
                .program
                .as_const(number)
                .map(|bits| bits.low_u64() as i64);
            if let Some(number) = number.filter(|number| fits(*number)) {
                let base = self.operand_of(base);
                return self.based(base, number as i32);
            }
        }
        let whole = self.value(offset);
        let sum = self
            .as_sum(&whole)
            .filter(|_| self.without.keeps(Saving::Fields));
        if let Some(sum) = sum.filter(|sum| sum.is_exact() && fits(sum.number as i64)) {
            let base = self.operand(&sum.base);
            return self.based(base, sum.number as i32);
        }
        let base = self.operand(&whole);
        self.based(base, 0)
    }

    fn based(&mut self, base: Operand<Reg>, offset: i32) -> At {
        let base = match base {
            Operand::Field(field) => field,
            Operand::Number(_) => {
                let to = self.code.reg();
                self.emit(Action::Move { a: base, to });
                Field::whole(to)
            }
        };
        At {
            base: Some(base),
            offset,
        }
    }

    /// The accesses to so many bytes: where each begins, and its own bytes.
    pub(super) fn accesses(&self, bytes: u32) -> Vec<(u32, u8)> {
        let mut all = Vec::new();
        let mut first = 0;
        while first < bytes {
            let left = (bytes - first).min(8);
            let count = match self.without.keeps(Saving::Widths) {
                true => left,
                false => 1 << left.ilog2(),
            };
            all.push((first, count as u8));
            first += count;
        }
        all
    }

    /// Some bytes of a value as an operand.
    pub(super) fn bytes(&mut self, value: &Pieces, first: u32, count: u8) -> Operand<Reg> {
        let part = pieces::slice(value, first * 8, u32::from(count) * 8);
        self.operand(&part)
    }

    fn load(&mut self, data: &InstData, memory: Memory) {
        let result = data.results[0];
        let bytes = self.program.width(result) / 8;
        let At { base, offset } = self.at(data.args[0], bytes);
        let mut all: Pieces = Vec::new();
        for (first, count) in self.accesses(bytes) {
            let to = self.code.reg();
            self.emit(Action::Load {
                memory,
                base,
                offset: offset + first as i32,
                bytes: count,
                to,
            });
            all.push(Piece::of(to, count * 8));
        }
        self.define(result, all);
    }

    fn store(&mut self, data: &InstData, memory: Memory) {
        let value = self.value(data.args[1]);
        let bytes = pieces::width(&value) / 8;
        let At { base, offset } = self.at(data.args[0], bytes);
        for (first, bytes) in self.accesses(bytes) {
            let value = self.bytes(&value, first, bytes);
            self.emit(Action::Store {
                memory,
                base,
                offset: offset + first as i32,
                bytes,
                value,
            });
        }
    }

    /// The seed is added behind the sum: both are sums of 16-bit words, and 0 only when all of them are.
    fn checksum(&mut self, data: &InstData, memory: Memory, up_to: u32) {
        let (a, b) = (self.operand_of(data.args[0]), self.operand_of(data.args[1]));
        let seed = self.operand_of(data.args[2]);
        let to = self.code.reg();
        let up_to = up_to as u16;
        self.emit(Action::Checksum {
            memory,
            a,
            b,
            up_to,
            to,
        });
        let mut sum = vec![Piece::of(to, 16)];
        if seed != Operand::Number(0) {
            let part = self.operand(&sum);
            let whole = self.compute(Compute::Add, 33, part, seed);
            let folded = self.folded(&whole, 17, 18);
            sum = self.folded(&folded, 2, 16);
        }
        self.define(data.results[0], sum);
    }

    /// The low 16 bits and the `above` bits above them, added.
    fn folded(&mut self, sum: &Pieces, above: u32, width: u8) -> Pieces {
        let (low, high) = (pieces::slice(sum, 0, 16), pieces::slice(sum, 16, above));
        let (low, high) = (self.operand(&low), self.operand(&high));
        self.compute(Compute::Add, width, low, high)
    }
}
