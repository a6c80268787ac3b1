//! What machines do to values: from one addition, which a memory does by itself, to recurrences of many clocks.

use super::{CLOCK, SUM};
use crate::encode::{self, helper, Operand};
use crate::generate::state::Holds;
use crate::generate::{Generator, LabelId};

/// Part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub offset: i16,
    pub bytes: i16,
}

impl Generator {
    /// A part of a map's values; of those with a lock one behind it.
    pub(super) fn some_field(&mut self, map: usize) -> Field {
        let size = self.maps[map].value_bytes as i16;
        let first = match self.maps[map].lock_offset {
            Some(_) => 8,
            None => 0,
        };
        let widest = (size - first).min(8);
        let bytes = self.random.one_of([8, 8, 8, 4, 4, 2]).min(widest);
        let places = ((size - first) / bytes) as usize;
        let place = match self.random.percent(60) {
            true => 0,
            false => self.random.below(places) as i16,
        };
        Field {
            offset: first + place * bytes,
            bytes,
        }
    }

    /// Changes a field of the value, under the value's lock where it has one.
    pub(super) fn change_value(&mut self, pointer: u8, map: usize) {
        let locks = self.maps[map].lock_offset.is_some() && self.random.percent(80);
        if locks {
            self.call_with(helper::SPIN_LOCK, pointer);
        }
        self.change_field(pointer, map);
        if locks {
            self.call_with(helper::SPIN_UNLOCK, pointer);
        }
    }

    fn call_with(&mut self, number: i32, pointer: u8) {
        self.copy(1, pointer);
        self.call(number, Holds::Nothing);
        self.forget_scratch();
    }

    /// Loads a field of the value, changes it and stores it, often on a condition. What was there and what is there
    /// now is seen.
    fn change_field(&mut self, pointer: u8, map: usize) {
        let field = self.some_field(map);
        self.load_field(1, pointer, field);
        if self.random.percent(40) {
            self.see(1);
        }
        if self.random.percent(35) {
            let other = self.some_field(map);
            self.load_field(3, pointer, other);
            self.mix(1, 3);
        }
        let rounds = self.random.weighted(&[4, 30, 24, 18, 12, 12]);
        for _ in 0..rounds {
            self.change_number();
        }
        let skip = self.label();
        if self.random.percent(50) {
            self.skip_on_condition(skip);
        }
        self.store_field(pointer, field, 1);
        if self.random.percent(30) {
            let other = self.some_field(map);
            let operand = match self.random.percent(60) {
                true => CLOCK,
                false => self.some_operand(),
            };
            self.load_operand(2, operand);
            self.store_field(pointer, other, 2);
        }
        self.bind(skip);
        if self.random.percent(70) {
            self.see(1);
        }
    }

    pub(super) fn load_field(&mut self, register: u8, pointer: u8, field: Field) {
        let bytes = field.bytes as u32;
        self.emit(encode::load(register, pointer, field.offset, bytes));
        self.set_varied(register, true);
    }

    fn store_field(&mut self, pointer: u8, field: Field, register: u8) {
        let source = Operand::Register(register);
        let bytes = field.bytes as u32;
        self.emit(encode::store(pointer, field.offset, bytes, source));
    }

    fn mix(&mut self, register: u8, other: u8) {
        let op = self
            .random
            .one_of([encode::ADD, encode::SUB, encode::XOR, encode::OR]);
        let wide = self.random.percent(75);
        self.emit(encode::alu(op, wide, register, Operand::Register(other)));
        self.set_varied(register, true);
    }

    /// One operation on `r1`; `r2` is free for an operand.
    fn change_number(&mut self) {
        let wide = self.random.percent(75);
        let small = self.random.between(1, 100) as i32;
        match self.random.weighted(&[24, 22, 12, 12, 12, 6, 12]) {
            0 => {
                let operand = self.some_operand();
                self.load_operand(2, operand);
                self.mix(1, 2);
            }
            1 => {
                let op = self.random.one_of([encode::ADD, encode::ADD, encode::SUB]);
                let number = self.random.one_of([1, 1, 1, small]);
                self.emit(encode::alu(op, wide, 1, Operand::Number(number)));
            }
            2 => {
                let op = self.random.one_of([encode::RSH, encode::RSH, encode::LSH]);
                let distance = self.random.between(1, 4) as i32;
                self.emit(encode::alu(op, wide, 1, Operand::Number(distance)));
            }
            3 => {
                let factor = self.random.one_of([3, 3, 5, 7, 10, 100]);
                self.emit(encode::alu(encode::MUL, wide, 1, Operand::Number(factor)));
            }
            4 => self.limit(small),
            5 => {
                let op = self.random.one_of([encode::AND, encode::XOR, encode::OR]);
                let number = self.random.one_of([0xf, 0xff, 0xffff, small]);
                self.emit(encode::alu(op, wide, 1, Operand::Number(number)));
            }
            _ => self.select(),
        }
        self.set_varied(1, true);
    }

    /// The smaller or larger one of `r1` and a number.
    fn limit(&mut self, small: i32) {
        let condition = self.random.one_of([encode::JGT, encode::JLT, encode::JLE]);
        let limit = self.random.one_of([small, 1000, 0x1_0000]);
        let within = self.label();
        self.emit(encode::branch(condition, true, 1, Operand::Number(limit)));
        self.jumps_to(within);
        let number = self.random.one_of([limit, limit, 0]);
        self.set_number(1, number);
        self.bind(within);
    }

    /// On a condition another number in the place of `r1`, or `r1` changed once more.
    fn select(&mut self) {
        let skip = self.label();
        self.skip_on_condition(skip);
        match self.random.below(3) {
            0 => {
                let operand = self.some_operand();
                self.load_operand(1, operand);
            }
            1 => self.emit(encode::alu(encode::SUB, true, 1, Operand::Number(1))),
            _ => self.emit(encode::alu(encode::RSH, true, 1, Operand::Number(1))),
        }
        self.bind(skip);
        self.set_varied(1, true);
    }

    /// Jumps on a comparison of the new number `r1`, the sum, or an operand.
    pub(super) fn skip_on_condition(&mut self, label: LabelId) {
        let condition = self.random.one_of([
            encode::JGT,
            encode::JLE,
            encode::JLT,
            encode::JEQ,
            encode::JNE,
            0x40,
            0x60,
        ]);
        let limit = self.random.one_of([0, 1, 3, 16, 100, 1000]);
        let compared = match self.random.weighted(&[45, 15, 30, 10]) {
            0 => 1,
            1 => SUM,
            2 => {
                let operand = self.some_operand();
                self.load_operand(2, operand);
                2
            }
            _ => {
                // The time that has gone by since the one in the value.
                self.load_operand(2, CLOCK);
                self.emit(encode::alu(encode::SUB, true, 2, Operand::Register(1)));
                2
            }
        };
        let source = Operand::Number(limit);
        self.emit(encode::branch(condition, true, compared, source));
        self.jumps_to(label);
    }
}
